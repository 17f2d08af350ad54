//! Windows: the parts in which two programs differ, bit by bit.

use std::collections::HashMap;
use tbr::{Paint, Parts, Program, Shape, Stroke};

/// The part of a program in which it differs from another.
#[derive(Debug, PartialEq)]
pub struct Window {
    pub strokes: Strokes,
    /// Everything but strokes, if any of it differs.
    pub rest: Option<Parts>,
}

impl Window {
    /// The memory that it takes beside itself, in bytes. (The provenance is shared.)
    pub fn bytes(&self) -> usize {
        let strokes = match &self.strokes {
            Strokes::Each(strokes) => size_of_val(strokes.as_slice()),
            Strokes::Span { strokes, .. } => size_of_val(strokes.as_slice()),
        };
        let rest = |rest: &Parts| {
            size_of_val(rest.palette.as_slice()) + size_of_val(rest.tools.as_slice())
        };
        strokes + self.rest.as_ref().map_or(0, rest)
    }
}

#[derive(Debug, PartialEq)]
pub enum Strokes {
    /// Those that differ, by index: there are as many as in the other.
    Each(Vec<(usize, Stroke)>),
    /// All from the first to the last that differ.
    Span { at: usize, strokes: Vec<Stroke> },
}

/// Where two programs differ: the part of each.
pub fn difference(a: &Program, b: &Program) -> (Window, Window) {
    let rest = |program: &Program| Parts {
        height: program.height(),
        background: program.background(),
        operator: program.operator(),
        palette: program.palette().to_vec(),
        strokes: Vec::new(),
        tools: program.tools().to_vec(),
        provenance: program.provenance().clone(),
    };
    let (rest_a, rest_b) = (rest(a), rest(b));
    let same = is_same_rest(&rest_a, &rest_b);
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
    let differ = |(_, (a, b)): &(usize, (&Stroke, &Stroke))| bits(a) != bits(b);
    Strokes::Each(pairs.filter(differ).map(|(i, (a, _))| (i, *a)).collect())
}

fn spans(a: &[Stroke], b: &[Stroke]) -> (Strokes, Strokes) {
    let alike = |(a, b): &(&Stroke, &Stroke)| bits(a) == bits(b);
    let at = a.iter().zip(b).take_while(alike).count();
    let most = a.len().min(b.len()) - at;
    let last_first = a.iter().rev().zip(b.iter().rev()).take(most);
    let alike_at_end = last_first.take_while(alike).count();
    let span = |strokes: &[Stroke]| Strokes::Span {
        at,
        strokes: strokes[at..strokes.len() - alike_at_end].to_vec(),
    };
    (span(a), span(b))
}

/// A stroke as bits, which differ wherever its file would.
fn bits(stroke: &Stroke) -> ([u64; 6], usize, [u64; 3]) {
    let Shape { anchor, offset, half_width, bend } = stroke.shape;
    let (kind, colour) = match stroke.paint {
        Paint::Palette(entry) => (entry, [0.0; 3]),
        Paint::Own(colour) => (usize::MAX, colour),
    };
    let place = [anchor.x, anchor.y, offset.x, offset.y, half_width, bend];
    (place.map(f64::to_bits), kind, colour.map(f64::to_bits))
}

/// Are two programs the same to the bit, but for their strokes?
fn is_same_rest(a: &Parts, b: &Parts) -> bool {
    let colours = |parts: &Parts| {
        let all = parts.palette.iter().chain([&parts.background]);
        all.map(|colour| colour.map(f64::to_bits)).collect::<Vec<_>>()
    };
    a.height.to_bits() == b.height.to_bits()
        && a.operator == b.operator
        && colours(a) == colours(b)
        && a.tools == b.tools
        && a.provenance == b.provenance
}

/// How many strokes of one program the other does not have, whichever of the two lacks more.
pub fn changed_strokes(a: &Program, b: &Program) -> usize {
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
pub fn exchanged(program: &Program, from: &Window, to: &Window) -> tbr::Result<Program> {
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
