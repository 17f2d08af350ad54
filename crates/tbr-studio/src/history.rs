//! The history of a program: its steps, to be undone and redone without limit. A step keeps
//! the strokes that it changed, and where some have come or gone those between the first and
//! the last of them; not whole programs.

use std::collections::HashMap;
use std::sync::Arc;
use tbr::{Paint, Parts, Program, Shape, Stroke};

/// A program with all that was done to it.
pub struct History {
    /// The program as it was opened or fitted.
    base: Arc<Program>,
    now: Arc<Program>,
    /// Steps in order; those from `done` on are undone.
    steps: Vec<Step>,
    done: usize,
    /// The number of the drag that the last step belongs to, and the program before it.
    drag: Option<(u64, Arc<Program>)>,
}

struct Step {
    label: String,
    before: Window,
    after: Window,
}

/// The part of a program in which it differs from another.
#[derive(Debug, PartialEq)]
struct Window {
    strokes: Strokes,
    /// Everything but strokes, if any of it differs.
    rest: Option<Parts>,
}

#[derive(Debug, PartialEq)]
enum Strokes {
    /// Those that differ, by index: there are as many as in the other.
    Each(Vec<(usize, Stroke)>),
    /// All from the first to the last that differ.
    Span { at: usize, strokes: Vec<Stroke> },
}

impl History {
    pub fn new(program: Program) -> Self {
        let base = Arc::new(program);
        Self { now: Arc::clone(&base), base, steps: Vec::new(), done: 0, drag: None }
    }

    pub fn now(&self) -> &Arc<Program> {
        &self.now
    }

    pub fn base(&self) -> &Arc<Program> {
        &self.base
    }

    /// The labels of all steps, and how many of these are undone.
    pub fn labels(&self) -> (Vec<&str>, usize) {
        (self.steps.iter().map(|s| s.label.as_str()).collect(), self.steps.len() - self.done)
    }

    /// How many steps there are since the program was opened or fitted.
    pub fn done(&self) -> usize {
        self.done
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
        self.steps.truncate(self.done);
        self.steps.push(Step { label, before, after });
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

/// Where two programs differ: the part of each.
fn difference(a: &Program, b: &Program) -> (Window, Window) {
    let rest = |program: &Program| Parts {
        height: program.height(),
        background: program.background(),
        operator: program.operator(),
        palette: program.palette().to_vec(),
        strokes: Vec::new(),
        provenance: program.provenance().clone(),
    };
    let (rest_a, rest_b) = (rest(a), rest(b));
    let same = rest_a == rest_b;
    let (strokes_a, strokes_b) = if a.strokes().len() == b.strokes().len() {
        (each_other_than(a, b), each_other_than(b, a))
    } else {
        spans(a.strokes(), b.strokes())
    };
    let window = |strokes, rest| Window { strokes, rest: (!same).then_some(rest) };
    (window(strokes_a, rest_a), window(strokes_b, rest_b))
}

fn each_other_than(a: &Program, b: &Program) -> Strokes {
    let pairs = a.strokes().iter().zip(b.strokes()).enumerate();
    Strokes::Each(pairs.filter(|(_, (a, b))| a != b).map(|(i, (a, _))| (i, *a)).collect())
}

fn spans(a: &[Stroke], b: &[Stroke]) -> (Strokes, Strokes) {
    let at = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let most = a.len().min(b.len()) - at;
    let last_first = a.iter().rev().zip(b.iter().rev()).take(most);
    let alike_at_end = last_first.take_while(|(a, b)| a == b).count();
    let span = |strokes: &[Stroke]| Strokes::Span {
        at,
        strokes: strokes[at..strokes.len() - alike_at_end].to_vec(),
    };
    (span(a), span(b))
}

/// How many strokes of one program the other does not have, whichever of the two lacks more.
pub fn changed_strokes(a: &Program, b: &Program) -> usize {
    // As bits: equal strokes have equal ones.
    let bits = |stroke: &Stroke| {
        let Shape { anchor, offset, half_width } = stroke.shape;
        let (kind, colour) = match stroke.paint {
            Paint::Palette(entry) => (entry, [0.0; 3]),
            Paint::Own(colour) => (usize::MAX, colour),
        };
        let place = [anchor.x, anchor.y, offset.x, offset.y, half_width];
        (place.map(f64::to_bits), kind, colour.map(f64::to_bits))
    };
    let mut surplus: HashMap<_, i64> = HashMap::new();
    for stroke in a.strokes() {
        *surplus.entry(bits(stroke)).or_default() += 1;
    }
    for stroke in b.strokes() {
        *surplus.entry(bits(stroke)).or_default() -= 1;
    }
    let more: i64 = surplus.values().filter(|n| **n > 0).sum();
    let fewer: i64 = surplus.values().filter(|n| **n < 0).sum();
    more.max(-fewer) as usize
}

/// A program with one part of it in the place of another.
fn exchanged(program: &Program, from: &Window, to: &Window) -> tbr::Result<Program> {
    let mut strokes = program.strokes().to_vec();
    match (&from.strokes, &to.strokes) {
        (Strokes::Span { at, strokes: old }, Strokes::Span { strokes: new, .. }) => {
            strokes.splice(*at..*at + old.len(), new.iter().copied());
        }
        (_, Strokes::Each(new)) => new.iter().for_each(|(i, stroke)| strokes[*i] = *stroke),
        _ => {}
    }
    let parts = match &to.rest {
        Some(rest) => Parts { strokes, ..rest.clone() },
        None => Parts { strokes, ..program.clone().into_parts() },
    };
    Program::new(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbr::edit::{self, Choice};
    use tbr::prior;
    use tbr::vec2;

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
