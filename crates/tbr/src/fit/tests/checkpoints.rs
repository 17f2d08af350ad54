//! Fits that are stopped and go on, and states that no fit has left.

use super::*;

/// A state as it is kept, with one number cut off the end of the first list of some name.
fn cut_short(state: &State, name: &str) -> State {
    fn find<'a>(value: &'a mut Value, name: &str) -> Option<&'a mut Vec<Value>> {
        let Value::Object(fields) = value else { return None };
        fields.iter_mut().find_map(|(key, value)| {
            if key == name { value.as_array_mut() } else { find(value, name) }
        })
    }
    let mut value = serde_json::to_value(state).unwrap();
    find(&mut value, name).and_then(Vec::pop).expect("there is such a list");
    serde_json::from_value(value).unwrap()
}

/// Refuses to go on from a state that lacks a number, and goes on from it as it was.
pub(in crate::fit) fn assert_whole(options: &Options, lists: &[&str]) {
    let mut fit = Fit::new(picture(), options.clone()).unwrap();
    for _ in 0..3 {
        fit.step().unwrap();
    }
    let resume = |state: State| Fit::resume(picture(), options.clone(), state);
    assert!(resume(fit.state().clone()).is_ok());
    for name in lists {
        assert!(resume(cut_short(fit.state(), name)).is_err(), "{name} is cut short");
    }
}

#[test]
fn a_checkpoint_that_is_not_whole_is_refused() {
    assert_whole(&options(), &["first", "second", "shapes", "colours"]);
}

/// A state with every number under a name replaced.
fn with_numbers(state: &State, name: &str, number: &Value) -> State {
    fn replace(value: &mut Value, name: &str, number: &Value) -> usize {
        match value {
            Value::Array(items) => items.iter_mut().map(|v| replace(v, name, number)).sum(),
            Value::Object(fields) => fields
                .iter_mut()
                .map(|(key, value)| {
                    if key != name || !value.is_number() {
                        return replace(value, name, number);
                    }
                    *value = number.clone();
                    1
                })
                .sum(),
            _ => 0,
        }
    }
    let mut value = serde_json::to_value(state).unwrap();
    assert!(replace(&mut value, name, number) > 0, "there is no {name}");
    serde_json::from_value(value).unwrap()
}

/// Refuses to go on from a state with a number that no step leaves.
pub(in crate::fit) fn assert_sound(options: &Options, numbers: &[(&str, Value)]) {
    let mut fit = Fit::new(picture(), options.clone()).unwrap();
    for _ in 0..3 {
        fit.step().unwrap();
    }
    for (name, number) in numbers {
        let state = with_numbers(fit.state(), name, number);
        assert!(Fit::resume(picture(), options.clone(), state).is_err(), "{name}: {number}");
    }
}

#[test]
fn a_checkpoint_with_numbers_of_no_fit_is_refused() {
    let numbers = [
        ("half_width", 1e300.into()),
        ("half_width", (-1.0).into()),
        ("x", 1e9.into()),
        ("steps", (-5).into()),
        ("steps", i32::MAX.into()),
        ("beta2", 2.0.into()),
    ];
    assert_sound(&options(), &numbers);
}

/// So many strokes that they are not peeled in one step.
fn many_strokes() -> Options {
    let mut options = Options { strokes: 500, ..options() };
    options.share_out(1);
    options
}

#[test]
fn peeling_goes_on_from_any_step_as_if_nothing_had_happened() {
    let whole = run(Fit::new(picture(), many_strokes()).unwrap());
    let mut fit = Fit::new(picture(), many_strokes()).unwrap();
    let (mut losses, mut progress, mut peeled) = (Vec::new(), fit.progress(), 0);
    assert!(fit.program().is_err());
    while !fit.is_done() {
        let report = fit.step().unwrap();
        losses.push(report.loss);
        assert!(fit.progress() > progress, "{progress} and {}", fit.progress());
        progress = fit.progress();
        if report.step == 0 {
            let program = fit.program().unwrap();
            assert!((peeled + 1..500).contains(&program.strokes().len()));
            peeled = program.strokes().len();
        }
        let text = serde_json::to_string(fit.state()).unwrap();
        assert_eq!(text.contains("peeling"), report.step == 0);
        let state = serde_json::from_str(&text).unwrap();
        fit = Fit::resume(picture(), many_strokes(), state).unwrap();
    }
    assert!(peeled > 0, "it was peeled in one step");
    assert_eq!(progress, 1.0);
    assert_eq!((losses, fit.program().unwrap()), whole);
}

#[test]
fn a_peeling_that_is_not_whole_is_refused() {
    let mut fit = Fit::new(picture(), many_strokes()).unwrap();
    assert_eq!(fit.step().unwrap().step, 0);
    let resume = |state: State| Fit::resume(picture(), many_strokes(), state);
    assert!(resume(fit.state().clone()).is_ok());
    for name in ["shapes", "colours", "pixels", "x", "y"] {
        assert!(resume(cut_short(fit.state(), name)).is_err(), "{name} is cut short");
    }
    // Another picture, with fewer points.
    let small = target((8, 8), vec![[0.5; 3]; 64], None);
    let other = Fit::resume(small, many_strokes(), fit.state().clone());
    assert!(other.unwrap().step().is_err());
}

/// Stopped anywhere, also in the middle of a step, a fit goes on to the same program.
#[test]
fn a_fit_that_is_stopped_goes_on_as_if_nothing_had_happened() {
    let whole = run(Fit::new(picture(), options()).unwrap()).1;
    let mut stopped_at = Vec::new();
    for asks in [0, 1, 2, 5, 30, 33, 37, 60, 90, 140] {
        let asked = Arc::new(AtomicUsize::new(0));
        let stop = Stop::when(move || asked.fetch_add(1, Ordering::SeqCst) >= asks);
        let mut fit = Fit::new(picture(), options()).unwrap().with_stop(stop);
        let mut done = || -> Result<()> {
            while !fit.is_done() {
                fit.step()?;
            }
            Ok(())
        };
        assert!(matches!(done(), Err(Error::Stopped)), "{asks}");
        stopped_at.push((fit.state.step, fit.state.unjudged));
        assert_eq!(fit.program().is_ok(), fit.state.step > 0);
        let text = serde_json::to_string(fit.state()).unwrap();
        let state = serde_json::from_str(&text).unwrap();
        let (_, program) = run(Fit::resume(picture(), options(), state).unwrap());
        assert_eq!(program, whole, "stopped after {asks} asks, at {stopped_at:?}");
    }
    assert!(stopped_at.iter().any(|(_, unjudged)| *unjudged), "{stopped_at:?}");
    assert!(stopped_at.iter().any(|(step, unjudged)| *step > 1 && !unjudged), "{stopped_at:?}");
}

#[test]
fn a_fit_goes_on_from_any_step_as_if_nothing_had_happened() {
    let whole = run(Fit::new(picture(), options()).unwrap());
    for stop in [0, 1, 4, 7, 10] {
        let mut fit = Fit::new(picture(), options()).unwrap();
        let mut losses: Vec<f64> = (0..stop).map(|_| fit.step().unwrap().loss).collect();
        let text = serde_json::to_string(fit.state()).unwrap();
        let state = serde_json::from_str(&text).unwrap();
        let (rest, program) = run(Fit::resume(picture(), options(), state).unwrap());
        losses.extend(rest);
        assert_eq!((losses, program), whole, "stopped after {stop}");
    }
}
