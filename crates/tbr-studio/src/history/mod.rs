//! The history of a program: its steps, to be undone and redone. A step keeps the strokes that it
//! changed, and where some have come or gone those between the first and the last of them; not
//! whole programs. Strokes are compared bit by bit: what is undone is what was there, to the sign
//! of a zero.

mod window;

pub use window::changed_strokes;

use std::collections::VecDeque;
use std::sync::Arc;
use tbr::Program;
use window::{Window, difference, exchanged};

/// A program with all that was done to it.
pub struct History {
    /// The program as it was opened or fitted.
    base: Arc<Program>,
    now: Arc<Program>,
    /// Steps in order; those from `done` on are undone.
    steps: VecDeque<Step>,
    done: usize,
    /// How many steps before these have been forgotten.
    forgotten: usize,
    /// Memory that the steps take.
    bytes: usize,
    /// The number of the drag that the last step belongs to, and the program before it.
    drag: Option<(u64, Arc<Program>)>,
}

struct Step {
    label: String,
    before: Window,
    after: Window,
}

impl Step {
    /// The memory that it takes, in bytes.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.label.len() + self.before.bytes() + self.after.bytes()
    }
}

impl History {
    pub fn new(program: Program) -> Self {
        let base = Arc::new(program);
        let (now, steps) = (Arc::clone(&base), VecDeque::new());
        Self { base, now, steps, done: 0, forgotten: 0, bytes: 0, drag: None }
    }

    pub fn now(&self) -> &Arc<Program> {
        &self.now
    }

    pub fn base(&self) -> &Arc<Program> {
        &self.base
    }

    /// The labels of all steps that are kept, and how many of these are undone.
    pub fn labels(&self) -> (Vec<&str>, usize) {
        (self.steps.iter().map(|s| s.label.as_str()).collect(), self.steps.len() - self.done)
    }

    /// How many steps there are since the program was opened or fitted.
    pub fn done(&self) -> usize {
        self.forgotten + self.done
    }

    /// The memory, in bytes, that its steps take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets the oldest step, unless that is the last one done; tells whether it did.
    pub fn forget_oldest(&mut self) -> bool {
        if self.done < 2 {
            return false;
        }
        let Some(step) = self.steps.pop_front() else { return false };
        self.bytes -= step.bytes();
        self.done -= 1;
        self.forgotten += 1;
        true
    }

    /// The program that an edit with this drag number changes: the one before the step that
    /// it takes the place of, or the present one.
    pub fn start(&self, drag: Option<u64>) -> &Arc<Program> {
        match &self.drag {
            Some((number, before)) if Some(*number) == drag => before,
            _ => &self.now,
        }
    }

    /// Adds a step from [`History::start`] to another program. What was undone is forgotten.
    pub fn push(&mut self, label: String, program: Program, drag: Option<u64>) {
        let start = Arc::clone(self.start(drag));
        let (before, after) = difference(&start, &program);
        if drag.is_some() && self.drag.as_ref().map(|(number, _)| *number) == drag {
            self.done -= 1;
        }
        while self.steps.len() > self.done {
            self.bytes -= self.steps.pop_back().map_or(0, |step| step.bytes());
        }
        let step = Step { label, before, after };
        self.bytes += step.bytes();
        self.steps.push_back(step);
        self.done += 1;
        self.now = Arc::new(program);
        self.drag = drag.map(|number| (number, start));
    }

    /// The label of the step that undoing would take back.
    pub fn undoable(&self) -> Option<&str> {
        Some(&self.steps[self.done.checked_sub(1)?].label)
    }

    /// The label of the step that redoing would bring back.
    pub fn redoable(&self) -> Option<&str> {
        Some(&self.steps.get(self.done)?.label)
    }

    /// Takes the last step back; gives its label.
    pub fn undo(&mut self) -> Option<tbr::Result<String>> {
        let step = &self.steps[self.done.checked_sub(1)?];
        let program = exchanged(&self.now, &step.after, &step.before);
        let label = step.label.clone();
        Some(program.map(|program| {
            self.go_to(program, self.done - 1);
            label
        }))
    }

    /// Does the next step again; gives its label.
    pub fn redo(&mut self) -> Option<tbr::Result<String>> {
        let step = self.steps.get(self.done)?;
        let program = exchanged(&self.now, &step.before, &step.after);
        let label = step.label.clone();
        Some(program.map(|program| {
            self.go_to(program, self.done + 1);
            label
        }))
    }

    fn go_to(&mut self, program: Program, done: usize) {
        self.now = Arc::new(program);
        self.done = done;
        self.drag = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbr::edit::{self, Choice};
    use tbr::prior;
    use tbr::{Parts, vec2};
    use window::Strokes;

    /// Each of many kinds of change, in turn.
    fn changed(program: &Program, k: usize) -> Program {
        let some = Choice::of(program, |i| i % 7 == k % 7);
        match k % 5 {
            0 => edit::translate(program, &some, vec2(0.01, 0.02)),
            1 => edit::delete(program, &Choice::of(program, |i| i == k)),
            2 => edit::insert(program, k + 1, program.strokes()[3]),
            3 => edit::set_background(program, [k as f64 / 100.0, 0.5, 0.5]),
            _ => edit::duplicate(program, &Choice::of(program, |i| i == 2 * k)),
        }
        .unwrap()
    }

    #[test]
    fn every_step_is_undone_and_done_again() {
        let first = prior::program(60, 1.0, 3).unwrap();
        let mut history = History::new(first.clone());
        let mut programs = vec![first];
        for k in 0..25 {
            let next = changed(history.now(), k);
            history.push(format!("step {k}"), next.clone(), None);
            programs.push(next);
        }
        for program in programs.iter().rev().skip(1) {
            history.undo().unwrap().unwrap();
            assert_eq!(**history.now(), *program);
        }
        assert!(history.undo().is_none());
        assert_eq!(history.done(), 0);
        for program in &programs[1..] {
            history.redo().unwrap().unwrap();
            assert_eq!(**history.now(), *program);
        }
        assert!(history.redo().is_none());
        assert_eq!(**history.base(), programs[0]);
    }

    #[test]
    fn what_is_undone_is_the_same_to_the_sign_of_a_zero() {
        let mut parts = prior::program(9, 1.0, 3).unwrap().into_parts();
        parts.strokes[4].shape.offset = vec2(0.0, 0.0);
        parts.background = [0.0; 3];
        let first = Program::new(parts).unwrap();
        let negative = |program: &Program| {
            let mut parts = program.clone().into_parts();
            parts.strokes[4].shape.offset = vec2(-0.0, 0.0);
            parts.background = [-0.0; 3];
            parts
        };
        let fewer = |mut parts: Parts| {
            parts.strokes.pop();
            parts
        };
        for next in [negative(&first), fewer(negative(&first))] {
            let mut history = History::new(first.clone());
            let next = Program::new(next).unwrap();
            history.push("turn".into(), next.clone(), None);
            history.undo().unwrap().unwrap();
            assert_eq!(tbr::format::write(history.now()), tbr::format::write(&first));
            history.redo().unwrap().unwrap();
            assert_eq!(tbr::format::write(history.now()), tbr::format::write(&next));
        }
    }

    #[test]
    fn the_oldest_steps_are_forgotten_and_the_rest_is_undone() {
        let mut history = History::new(prior::program(60, 1.0, 3).unwrap());
        let mut programs = Vec::new();
        for k in 0..25 {
            programs.push((**history.now()).clone());
            let next = changed(history.now(), k);
            history.push(format!("step {k}"), next, None);
        }
        let all = history.bytes();
        assert!(all > 25 * size_of::<Step>());
        assert!((0..15).all(|_| history.forget_oldest()));
        assert!(history.bytes() < all && history.bytes() > 0);
        assert_eq!((history.done(), history.labels().0.len()), (25, 10));
        for program in programs[15..].iter().rev() {
            history.undo().unwrap().unwrap();
            assert_eq!(**history.now(), *program);
        }
        assert!(history.undo().is_none());
        // What is undone is not forgotten, nor is the last step.
        assert!(!history.forget_oldest());
        history.redo().unwrap().unwrap();
        assert!(!history.forget_oldest());
        let next = changed(history.now(), 3);
        history.push("other".into(), next, None);
        assert_eq!(history.labels(), (vec!["step 15", "other"], 0));
        let sum: usize = history.steps.iter().map(Step::bytes).sum();
        assert_eq!(history.bytes(), sum);
    }

    #[test]
    fn a_small_change_is_small() {
        let program = prior::program(500, 1.0, 3).unwrap();
        let one = Choice::of(&program, |i| i == 250);
        let moved = edit::translate(&program, &one, vec2(0.1, 0.0)).unwrap();
        let (before, after) = difference(&program, &moved);
        assert_eq!(before.strokes, Strokes::Each(vec![(250, program.strokes()[250])]));
        assert_eq!(after.strokes, Strokes::Each(vec![(250, moved.strokes()[250])]));
        assert!(before.rest.is_none());
        let (same, _) = difference(&program, &program);
        assert_eq!(same.strokes, Strokes::Each(Vec::new()));
        let without = edit::delete(&program, &one).unwrap();
        let (before, after) = difference(&program, &without);
        assert_eq!(
            before.strokes,
            Strokes::Span { at: 250, strokes: vec![program.strokes()[250]] }
        );
        assert_eq!(after.strokes, Strokes::Span { at: 250, strokes: Vec::new() });
    }

    #[test]
    fn strokes_that_changed_are_counted_wherever_they_are() {
        let program = prior::program(50, 1.0, 3).unwrap();
        let ends = edit::delete(&program, &Choice::of(&program, |i| i == 0 || i == 49)).unwrap();
        assert_eq!(changed_strokes(&program, &ends), 2);
        let two = Choice::of(&ends, |i| i == 3 || i == 40);
        let moved = edit::translate(&ends, &two, vec2(0.1, 0.0)).unwrap();
        assert_eq!(changed_strokes(&program, &moved), 4);
        assert_eq!(changed_strokes(&moved, &program), 4);
        assert_eq!(changed_strokes(&program, &program), 0);
    }

    #[test]
    fn a_drag_leaves_one_step_and_counts_from_where_it_began() {
        let first = prior::program(40, 1.0, 3).unwrap();
        let mut history = History::new(first.clone());
        for k in 1..=9 {
            let by = vec2(0.01 * f64::from(k), 0.0);
            let start = Arc::clone(history.start(Some(7)));
            let moved = edit::translate(&start, &Choice::all(&start), by).unwrap();
            history.push("move".into(), moved, Some(7));
        }
        assert_eq!(history.labels(), (vec!["move"], 0));
        let x = history.now().strokes()[0].shape.anchor.x;
        assert!((x - first.strokes()[0].shape.anchor.x - 0.09).abs() < 1e-12);
        let again = edit::translate(history.now(), &Choice::all(history.now()), vec2(0.1, 0.0));
        history.push("move".into(), again.unwrap(), Some(8));
        assert_eq!(history.labels().0.len(), 2);
        history.undo().unwrap().unwrap();
        history.undo().unwrap().unwrap();
        assert_eq!(**history.now(), first);
        assert_eq!(history.labels(), (vec!["move", "move"], 2));
    }
}
