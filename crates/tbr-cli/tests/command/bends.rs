//! Bends that are fitted, and the gradient of bends.

use crate::common::{Bench, DROP, LINE, program, tbr, text};
use crate::gradient::{flat, gradient, waves};
use std::fs;

/// A fit bends strokes, unless they are to be straight: then its program is of version 1.
#[test]
fn fits_bend_strokes_unless_they_are_to_be_straight() {
    let bench = Bench::new();
    let (picture, out) = (waves(&bench, 48, 32), bench.path("a.tbr.json"));
    let small = ["--strokes", "20", "--size", "48", "--steps", "8", "--force"];
    for (more, bends) in [(&[][..], true), (&["--straight"][..], false)] {
        let args = ["fit", text(&picture), "-o", text(&out)];
        tbr(&[&args[..], &small, more].concat()).assert().success();
        let program = tbr::format::parse(&fs::read(&out).unwrap()).unwrap();
        assert_eq!((program.strokes().len(), program.bends()), (20, bends));
    }
}

/// Bends are differentiated if the program bends, or if they are asked for; then they are the
/// slope of the loss along `set bend`.
#[test]
fn bends_are_differentiated_if_there_are_any_or_if_asked_for() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let picture = waves(&bench, 32, 16);
    let exact = ["--precision", "f64", "--engine", "stored", "--tau", "0.3"];
    let at = |bend: f64, more: &[&str]| {
        let out = bench.path("bent.tbr.json");
        let set = format!("set bend {bend} where 2");
        tbr(&["edit", text(&file), &set, "-o", text(&out), "--force"]).assert().success();
        gradient(&out, &picture, &[&exact[..], more].concat())
    };
    assert!(at(0.0, &[])["gradient"].get("bend").is_none());
    for bend in [0.0, 0.6] {
        let found = at(bend, &["--bends"]);
        assert_eq!(found["gradient"]["anchor"], at(bend, &[])["gradient"]["anchor"]);
        let step = 1e-5;
        let [less, more] = [-step, step].map(|d| at(bend + d, &[])["loss"].as_f64().unwrap());
        let expected = (more - less) / (2.0 * step);
        let slopes = flat(&found["gradient"]["bend"]);
        // A difference of losses, each with its last digit: eight digits are left.
        assert!((slopes[1] - expected).abs() < 1e-6 * expected.abs(), "{slopes:?} {expected}");
        assert_eq!(slopes[0], 0.0, "a drop does not bend");
    }
    let bent = at(0.6, &[]);
    assert_eq!(flat(&bent["gradient"]["bend"]).len(), 2);
}
