//! What a program holds: sizes, colours, paint, and who is seen.

#[cfg(test)]
mod tests;

use crate::chain::Chain;
use crate::error::Result;
use crate::numbers::{Vec2, vec2};
use crate::program::{Colour, Paint, Program};
use crate::render::{Replay, ReplayOptions, View};
use crate::stroke::Operator;
use crate::stroke::{Frame, Shape};
use rayon::prelude::*;
use serde::Serialize;
use std::f64::consts::TAU;

/// A stroke is visible if it owns at least this share of the canvas, as in the paper: a tenth of
/// what each of its 2000 strokes has in the mean.
const VISIBLE_SHARE: f64 = 50.0 / (1024.0 * 1024.0);
/// The same where there are more strokes, as a share of what each has in the mean. (Of 32,000
/// strokes, more than half would have to be invisible by the paper's share.)
const VISIBLE_PART: f64 = 0.1;
/// The shortest stroke that counts as drawn rather than dropped (the paper's
/// four pixels at 1024).
pub const DRAWN_LENGTH: f64 = 0.004;
/// Corners of the polygon that stands for a capsule's outline: its area is right
/// to two parts in ten thousand.
const OUTLINE: usize = 256;
/// Points per deposit that are carried forward where paint may be covered.
const CARRIED: usize = 12;

/// The facts about a program.
#[derive(Clone, Debug, Serialize)]
pub struct Info {
    /// Strokes in all.
    pub strokes: usize,
    /// The tools.
    pub tools: Vec<ToolUse>,
    /// Height of the canvas; its width is 1.
    pub canvas_height: f64,
    /// The operator it was replayed with.
    pub operator: &'static str,
    /// The bare canvas.
    pub background: Colour,
    /// Palette entries and how much they are used.
    pub palette: Vec<PaletteUse>,
    /// Strokes with a colour of their own.
    pub own_colours: usize,
    /// Half-widths.
    pub half_width: Spread,
    /// Lengths.
    pub length: Spread,
    /// Lengths over half-widths.
    pub aspect: Spread,
    /// Strokes that bend.
    pub bent_strokes: usize,
    /// How much those bend, either way; all 0 if there are none.
    pub bend: Spread,
    /// Share of strokes longer than their half-width.
    pub longer_than_wide: f64,
    /// Share of strokes of length [`DRAWN_LENGTH`] or more.
    pub drawn: f64,
    /// All deposits together, in canvases.
    pub deposited_area: f64,
    /// Deposited outside the canvas, in canvases.
    pub laid_outside_area: f64,
    /// Outside the canvas at the end, in canvases.
    pub expelled_area: f64,
    /// Covered by later paint at the end, in canvases; 0 where strokes push.
    pub covered_area: f64,
    /// Share of the deposited paint that is not seen at the end.
    pub unseen_share: f64,
    /// Share of the canvas that no stroke owns.
    pub bare_share: f64,
    /// Strokes that own at least [`least_visible`] of the canvas.
    pub visible_strokes: usize,
    /// Visible share of each tenth of the program, first to last.
    pub visible_by_decile: [f64; 10],
    /// Pixels across in the replay that ownership was counted in.
    pub width_px: u32,
    /// Pixels owned by each stroke there.
    pub owned_pixels: Vec<u64>,
}

/// A tool among the steps.
#[derive(Clone, Debug, Serialize)]
pub struct ToolUse {
    /// Its number, from 1 among all steps.
    pub step: usize,
    /// What it is, in words.
    pub tool: String,
}

/// How a palette colour is used.
#[derive(Clone, Debug, Serialize)]
pub struct PaletteUse {
    /// The colour.
    pub colour: Colour,
    /// Strokes that have it.
    pub strokes: usize,
    /// Share of the canvas that it owns at the end.
    pub canvas_share: f64,
}

/// Quartiles and 90th percentile.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Spread {
    /// A quarter are below.
    pub q1: f64,
    /// Half are below.
    pub median: f64,
    /// Three quarters are below.
    pub q3: f64,
    /// Nine tenths are below.
    pub p90: f64,
}

impl Spread {
    /// Of any numbers, by linear interpolation between the sorted values.
    pub fn of(mut values: Vec<f64>) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (values.len() - 1) as f64;
            let (low, part) = (place.floor() as usize, place.fract());
            values[low] + part * (values[(low + 1).min(values.len() - 1)] - values[low])
        };
        Self { q1: at(0.25), median: at(0.5), q3: at(0.75), p90: at(0.9) }
    }
}

impl Info {
    /// Replays a program `width_px` wide and counts.
    pub fn new(program: &Program, operator: Option<Operator>, width_px: u32) -> Result<Self> {
        Self::of_view(program, operator, View::of_canvas(program, width_px)?)
    }

    /// The same, or as wide as [`View::of_canvas_within`] has it where the canvas is tall.
    pub fn within(program: &Program, operator: Option<Operator>, width_px: u32) -> Result<Self> {
        Self::of_view(program, operator, View::of_canvas_within(program, width_px)?)
    }

    fn of_view(program: &Program, operator: Option<Operator>, view: View) -> Result<Self> {
        view.check_pixels()?;
        let operator = operator.unwrap_or(program.operator());
        let options = ReplayOptions { operator: Some(operator), ..ReplayOptions::default() };
        let replay = Replay::new(program, view, &options)?;
        let owned = replay.count_owned();
        let pixels = f64::from(view.width_px) * f64::from(view.height_px);
        let (bare, owned) = (owned[0], owned[1..].to_vec());
        let shapes: Vec<Shape> = program.strokes().iter().map(|s| s.shape).collect();
        let share = |test: &dyn Fn(&Shape) -> bool| {
            shapes.iter().filter(|s| test(s)).count() as f64 / shapes.len().max(1) as f64
        };
        let bends = shapes.iter().map(|s| s.bend.abs()).filter(|bend| *bend != 0.0);
        let bends: Vec<f64> = bends.collect();
        let least = least_visible(shapes.len(), view.pixels());
        let visible: Vec<bool> = owned.iter().map(|owned| *owned >= least).collect();
        let paint = PaintBudget::new(program, operator, &shapes, 1.0 - bare as f64 / pixels);
        Ok(Self {
            strokes: shapes.len(),
            tools: tool_uses(program),
            canvas_height: program.height(),
            operator: operator.name(),
            background: program.background(),
            palette: palette_use(program, &owned, pixels),
            own_colours: program
                .strokes()
                .iter()
                .filter(|s| matches!(s.paint, Paint::Own(_)))
                .count(),
            half_width: Spread::of(shapes.iter().map(|s| s.half_width).collect()),
            length: Spread::of(shapes.iter().map(Shape::length).collect()),
            aspect: Spread::of(shapes.iter().map(Shape::aspect).collect()),
            bent_strokes: bends.len(),
            bend: Spread::of(bends),
            longer_than_wide: share(&|s| s.length() > s.half_width),
            drawn: share(&|s| s.length() >= DRAWN_LENGTH),
            deposited_area: paint.deposited,
            laid_outside_area: paint.laid_outside,
            expelled_area: paint.expelled,
            covered_area: paint.covered,
            unseen_share: paint.unseen_share(),
            bare_share: bare as f64 / pixels,
            visible_strokes: visible.iter().filter(|v| **v).count(),
            visible_by_decile: by_decile(&visible),
            width_px: view.width_px,
            owned_pixels: owned,
        })
    }
}

/// How many of a view's pixels one of so many strokes must own to be visible.
pub fn least_visible(strokes: usize, pixels: usize) -> u64 {
    let share = VISIBLE_SHARE.min(VISIBLE_PART / strokes.max(1) as f64);
    (share * pixels as f64).ceil().max(1.0) as u64
}

fn tool_uses(program: &Program) -> Vec<ToolUse> {
    let tools = program.tools().iter().enumerate();
    tools
        .map(|(k, pass)| ToolUse { step: pass.after + k + 1, tool: pass.tool.to_string() })
        .collect()
}

fn palette_use(program: &Program, owned: &[u64], pixels: f64) -> Vec<PaletteUse> {
    let entry = |colour: &Colour| PaletteUse { colour: *colour, strokes: 0, canvas_share: 0.0 };
    let mut uses: Vec<PaletteUse> = program.palette().iter().map(entry).collect();
    for (stroke, owned) in program.strokes().iter().zip(owned) {
        if let Paint::Palette(index) = stroke.paint {
            uses[index].strokes += 1;
            uses[index].canvas_share += *owned as f64 / pixels;
        }
    }
    uses
}

/// Mean of each tenth.
fn by_decile(visible: &[bool]) -> [f64; 10] {
    std::array::from_fn(|k| {
        let tenth = &visible[visible.len() * k / 10..visible.len() * (k + 1) / 10];
        tenth.iter().filter(|v| **v).count() as f64 / tenth.len().max(1) as f64
    })
}

/// Where the paint goes, in canvases.
struct PaintBudget {
    deposited: f64,
    laid_outside: f64,
    expelled: f64,
    covered: f64,
}

impl PaintBudget {
    /// `seen` is the share of the canvas that strokes own. Where strokes push,
    /// nothing is covered, so what is not seen has been expelled. Inert marks
    /// stay where they are, unless tools move them. The sixteen drops do both: points are
    /// carried.
    fn new(program: &Program, operator: Operator, shapes: &[Shape], seen: f64) -> Self {
        let canvas = program.height();
        let deposited = program.deposited_area();
        let outside = |s: &Shape| s.area() - area_inside(s, canvas);
        let laid_outside = sum_in_order(shapes, |(_, shape)| outside(shape)) / canvas;
        let unseen = (deposited - seen).max(0.0);
        let expelled = match operator {
            Operator::Capsule | Operator::Calibrated | Operator::LineSource => unseen,
            Operator::Inert if program.tools().is_empty() => laid_outside.min(unseen),
            Operator::Inert | Operator::Drops => {
                carried_outside(program, operator, shapes).min(unseen)
            }
        };
        Self { deposited, laid_outside, expelled, covered: unseen - expelled }
    }

    fn unseen_share(&self) -> f64 {
        let unseen = self.expelled + self.covered;
        if self.deposited > 0.0 { unseen / self.deposited } else { 0.0 }
    }
}

/// Deposited paint that later steps carry off the canvas, in canvases, by
/// following a few points of every deposit to the end.
fn carried_outside(program: &Program, operator: Operator, shapes: &[Shape]) -> f64 {
    let (chain, height) = (Chain::of(program, Some(operator)), program.height());
    let outside = |(i, shape): (usize, &Shape)| {
        let points = (0..CARRIED).map(|k| {
            // A spiral of equal areas, stretched along the segment.
            let share = (k as f64 + 0.5) / CARRIED as f64;
            let angle = TAU * 0.618_033_988_75 * k as f64;
            let ray = vec2(libm::cos(angle), libm::sin(angle)) * share.sqrt();
            let along = vec2((share - 0.5) * shape.length(), 0.0);
            let start = Frame::of(shape).out_of_straight(along + ray * shape.half_width);
            // (The step is there, so that it is carried from somewhere.)
            chain.forward(program.step_number(i), start).unwrap_or(start)
        });
        let out = points.filter(|p| !is_inside(*p, height)).count();
        shape.area() * out as f64 / CARRIED as f64
    };
    sum_in_order(shapes, outside) / height
}

/// A sum over strokes whose order, and so whose last digit, does not depend on the threads.
fn sum_in_order(shapes: &[Shape], value: impl Fn((usize, &Shape)) -> f64 + Sync) -> f64 {
    shapes.par_iter().enumerate().map(&value).collect::<Vec<f64>>().iter().sum()
}

fn is_inside(p: Vec2<f64>, height: f64) -> bool {
    (0.0..=1.0).contains(&p.x) && (0.0..=height).contains(&p.y)
}

/// Area of a capsule's part on the canvas. It is measured in the capsule's own frame, where the
/// outline of one that is far and thin keeps its digits: from the canvas's corner, all its
/// corners would be one point.
fn area_inside(shape: &Shape, height: f64) -> f64 {
    let frame = Frame::of(shape);
    // No point of a bow rises by more than kappa L/2 within the capsule.
    let rise = frame.bow.map_or(0.0, |bow| 0.5 * (bow.kappa * bow.reach).abs());
    let reach = shape.half_width + rise;
    let ends = [shape.anchor, shape.anchor + shape.offset];
    let fits = |p: &Vec2<f64>| {
        (reach..=1.0 - reach).contains(&p.x) && (reach..=height - reach).contains(&p.y)
    };
    if ends.iter().all(fits) {
        return shape.area();
    }
    let outline: Vec<Vec2<f64>> = (0..OUTLINE).map(|k| outline_point(&frame, k)).collect();
    let whole = polygon_area(&outline);
    let half_planes: [(Vec2<f64>, f64); 4] = [
        (vec2(1.0, 0.0), 0.0),
        (vec2(-1.0, 0.0), -1.0),
        (vec2(0.0, 1.0), 0.0),
        (vec2(0.0, -1.0), -height),
    ];
    let inside = half_planes.into_iter().fold(outline, |polygon, (normal, least)| {
        clip(&polygon, normal.into_frame(frame.dir), least - frame.mid.dot(normal))
    });
    shape.area() * (polygon_area(&inside) / whole).min(1.0)
}

/// Corner `k` of a deposit's outline, counter-clockwise, in its frame and from its middle.
fn outline_point(frame: &Frame<f64>, k: usize) -> Vec2<f64> {
    let angle = TAU * (k as f64 + 0.5) / OUTLINE as f64;
    let ray = vec2(libm::cos(angle), libm::sin(angle)) * frame.half_width;
    frame.bow_out(ray + vec2((0.5 * frame.length).copysign(ray.x), 0.0))
}

/// The part of a polygon where `p . normal >= least`. (Of one that is bent, pieces may hang
/// together by edges that enclose nothing.)
fn clip(polygon: &[Vec2<f64>], normal: Vec2<f64>, least: f64) -> Vec<Vec2<f64>> {
    let mut kept = Vec::with_capacity(polygon.len() + 2);
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (at_p, at_q) = (p.dot(normal) - least, q.dot(normal) - least);
        if at_p >= 0.0 {
            kept.push(p);
        }
        if (at_p >= 0.0) != (at_q >= 0.0) {
            kept.push(p + (q - p) * (at_p / (at_p - at_q)));
        }
    }
    kept
}

fn polygon_area(polygon: &[Vec2<f64>]) -> f64 {
    let twice: f64 = (0..polygon.len())
        .map(|i| {
            let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
            p.x * q.y - q.x * p.y
        })
        .sum();
    0.5 * twice.abs()
}
