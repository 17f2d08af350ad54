//! Programs that the tests share; then what lists hold, and what tables are read.

mod hold;
mod tables;
mod tools;

use super::*;
use tbr::numbers::vec2;
use tbr::prior;
use tbr::program::{MAX_COORDINATE, MIN_HALF_WIDTH};
use tbr::stroke::MAX_BEND;

const NOTHING: Given = Given { sheet_mm: None, height: None, background: None, operator: None };

/// A random program in which every third stroke has a colour of its own.
fn mixed(count: usize, height: f64, seed: u64, operator: Operator) -> Program {
    let mut parts = prior::program(count, height, seed).unwrap().into_parts();
    parts.operator = operator;
    parts.background = [0.1 + 0.2, 1.0 / 3.0, 1.0];
    for (k, stroke) in parts.strokes.iter_mut().enumerate().filter(|(k, _)| k % 3 == 0) {
        let anchor = stroke.shape.anchor;
        stroke.paint = Paint::Own([anchor.x, anchor.y / height, 1.0 / (k + 1) as f64]);
    }
    Program::new(parts).unwrap()
}

/// The same with bends, some of them 0 and one at either limit.
fn bent(count: usize, height: f64, seed: u64, operator: Operator) -> Program {
    let mut parts = mixed(count, height, seed, operator).into_parts();
    for (k, stroke) in parts.strokes.iter_mut().enumerate().filter(|(k, _)| k % 4 != 1) {
        let far = [MAX_BEND, 1.0 / 3.0, -MAX_BEND, -1e-300];
        stroke.shape.bend = far[k % 4] * if k < 4 { 1.0 } else { stroke.shape.anchor.x };
    }
    Program::new(parts).unwrap()
}

/// Numbers that writers like to spoil, and all limits.
fn awkward() -> Program {
    let mut parts = mixed(8, 1e-3, 1, Operator::Inert).into_parts();
    let far = MAX_COORDINATE;
    parts.strokes[0].shape.anchor = vec2(far, -far);
    parts.strokes[1].shape.offset = vec2(-far, far);
    parts.strokes[2].shape.half_width = far;
    parts.strokes[3].shape.half_width = MIN_HALF_WIDTH;
    parts.strokes[4].shape.anchor = vec2(-0.0, 5e-324);
    parts.strokes[5].shape.offset = vec2(0.1 + 0.2, -1e-300);
    parts.strokes[6].paint = Paint::Own([0.0, 1.0, f64::MIN_POSITIVE]);
    Program::new(parts).unwrap()
}

fn table(program: &Program, options: &ListOptions) -> String {
    StrokeList::new(program, options).unwrap().to_csv()
}

fn on_sheet(width: f64) -> ListOptions {
    ListOptions { sheet_mm: Some(width), ..ListOptions::default() }
}
