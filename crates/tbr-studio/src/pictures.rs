//! Pictures of a piece, its strokes and their outlines: what a page looks at.

use crate::edit::checked;
use crate::history::History;
use crate::painters::Weight;
use crate::refusal::{Answer, Refusal};
use crate::target::OpenPicture;
use crate::workspace::Piece;
use axum::http::StatusCode;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tbr::animate::{laid_at, steps_at};
use tbr::colour::{hex, to_bytes};
use tbr::explain;
use tbr::outline::{Outline, Outlines};
use tbr::render::{Region, Replay, ReplayOptions, View};
use tbr::trace::Tracer;
use tbr::{Colour, Image, Paint, Program, Vec2, vec2};
use tbr_io::film::frame;
use tbr_io::picture::{self, quick_png};

/// The longest side of a picture that a page can ask for.
const MOST_SIDE_PX: u32 = 2048;
/// The most samples along a pixel's side.
const MOST_SAMPLES: u32 = 4;
/// The most outlines that are given at once: some milliseconds each.
pub const MOST_OUTLINES: usize = 200;
/// The most bytes of path data that are given at once. Outlines that many strokes have cut are
/// long: some kilobytes each is usual, and a few megabytes can be.
const MOST_OUTLINE_BYTES: usize = 64 << 20;
/// The most samples times strokes of a picture by the line source: some six microseconds each, so
/// that one takes three seconds and not a minute. (What is more can be exported.)
const MOST_LINE_SOURCE_WORK: u64 = 500_000;
/// How much of the colour is left where nothing has changed.
const PALE: f32 = 0.25;

/// What of a piece is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    #[default]
    Paint,
    Target,
    Error,
    Owners,
    Age,
    Changes,
}

/// Which picture is asked for.
#[derive(Clone, Debug, Deserialize)]
pub struct PictureQuery {
    #[serde(default)]
    layer: Layer,
    region: Option<String>,
    width: u32,
    height: Option<u32>,
    samples: Option<u32>,
    time: Option<f64>,
    grow: Option<f64>,
    pub revision: Option<u64>,
}

/// A piece as it is at one moment, to be looked at without the lock.
pub struct Snapshot {
    program: Option<Arc<Program>>,
    base: Option<Arc<Program>>,
    target: Option<Arc<OpenPicture>>,
    height: f64,
}

impl Snapshot {
    pub fn of(piece: &Piece) -> Self {
        Self {
            program: piece.program().map(Arc::clone),
            base: piece.history.as_ref().map(|history| Arc::clone(History::base(history))),
            target: piece.target.clone(),
            height: piece.height(),
        }
    }

    fn program(&self) -> Answer<&Program> {
        self.program.as_deref().ok_or_else(|| Refusal::conflict("there is no program yet"))
    }

    /// How much work pictures of it may be.
    pub fn weight(&self) -> Weight {
        self.program.as_deref().map_or(Weight::Light, Weight::of)
    }

    fn target(&self) -> Answer<&OpenPicture> {
        self.target.as_deref().ok_or_else(|| Refusal::conflict("there is no target"))
    }

    /// A picture as the bytes of a PNG.
    pub fn picture(&self, query: &PictureQuery) -> Answer<Vec<u8>> {
        let view = query.view(self.height)?;
        if query.layer == Layer::Target {
            return Ok(quick_png(&self.seen_target(&view)?.to_rgb8(), view.size())?);
        }
        let whole = self.program()?;
        let samples = query.samples.unwrap_or(1).clamp(1, MOST_SAMPLES);
        check_work(whole, query, &view, samples)?;
        if query.layer == Layer::Paint && query.grow.is_some() {
            return Ok(frame(whole, view, query.time, query.grow)?);
        }
        let program = laid_at(whole, query.time, query.grow)?;
        let replay = |program, samples| {
            Replay::new(program, view, &ReplayOptions { samples, ..ReplayOptions::default() })
        };
        let bytes = match query.layer {
            Layer::Paint | Layer::Target => picture::bytes(&replay(&program, samples)?, false),
            Layer::Error => {
                let image = replay(&program, samples)?.image();
                explain::error_map(&image, &self.seen_target(&view)?)?.to_rgb8()
            }
            Layer::Owners => {
                in_bytes(&explain::ownership_map(&program, &replay(&program, 1)?.all_owners()))
            }
            Layer::Age => in_bytes(&explain::age_map(&program, &replay(&program, 1)?.all_owners())),
            Layer::Changes => {
                let base = self.base.as_deref().unwrap_or(&program);
                let time = query.time.map(|time| time.min(base.strokes().len() as f64));
                let base = laid_at(base, time, query.grow)?;
                changes(&replay(&base, 1)?, &replay(&program, 1)?)
            }
        };
        Ok(quick_png(&bytes, view.size())?)
    }

    /// What a view sees of the target.
    fn seen_target(&self, view: &View) -> Answer<Image> {
        Ok(self.target()?.seen(view, self.height)?)
    }

    /// The stroke whose paint is at a place after so many strokes.
    pub fn at(&self, at: [f64; 2], time: Option<f64>) -> Answer<Value> {
        let program = laid_at(self.program()?, time, None)?;
        let trace = Tracer::new(&program, None).back(checked(&at)?);
        let Some(number) = trace.stroke else { return Ok(json!({"stroke": null})) };
        let mut stroke = describe(&program, number)?;
        stroke["from"] = json!([trace.position.x, trace.position.y]);
        Ok(stroke)
    }

    pub fn stroke(&self, number: usize) -> Answer<Value> {
        describe(self.program()?, number)
    }

    /// The outlines of strokes in pixels of a view: where they lie after so many strokes,
    /// and where they were laid.
    pub fn outlines(&self, numbers: &[usize], query: &PictureQuery) -> Answer<Value> {
        if numbers.len() > MOST_OUTLINES {
            let count = numbers.len();
            let message = format!("{count} outlines are too many at once (limit: {MOST_OUTLINES})");
            return Err(Refusal::bad_request(message));
        }
        let (program, view) = (self.program()?, query.view(self.height)?);
        let time = steps_at(program, query.time)?;
        let now = Outlines::new(program, None, Some(time))?;
        let total = AtomicUsize::new(0);
        let outlines = numbers.par_iter().map(|&number| {
            check_number(program, number)?;
            let laid = path(&alone(program, number)?.outline(0)?, &view);
            let lies = match number <= time {
                true => Some(path(&now.outline(number - 1)?, &view)),
                false => None,
            };
            let bytes = laid.len() + lies.as_ref().map_or(0, String::len);
            if total.fetch_add(bytes, Ordering::Relaxed) + bytes > MOST_OUTLINE_BYTES {
                return Err(too_long());
            }
            Ok(json!({"stroke": number, "laid": laid, "lies": lies}))
        });
        Ok(json!({"outlines": outlines.collect::<Answer<Vec<Value>>>()?}))
    }
}

impl PictureQuery {
    /// The view of a canvas of that height.
    fn view(&self, height: f64) -> Answer<View> {
        let region = match &self.region {
            Some(text) => text.parse()?,
            None => Region { x: 0.0, y: 0.0, width: 1.0, height },
        };
        let view = match self.height {
            // Tiles are as many pixels as they say, whatever the last digit of their region.
            Some(height_px) => {
                View { width_px: self.width, height_px, ..View::new(region, Some(1), None)? }
            }
            None => View::new(region, Some(self.width), None)?,
        };
        let View { width_px, height_px, .. } = view;
        let sides = 1..=MOST_SIDE_PX;
        if !sides.contains(&width_px) || !sides.contains(&height_px) {
            let message = format!(
                "{width_px} x {height_px} pixels are not between 1 and {MOST_SIDE_PX} a side"
            );
            return Err(Refusal::bad_request(message));
        }
        Ok(view)
    }
}

/// Refuses pictures by the line source that would keep others waiting.
fn check_work(program: &Program, query: &PictureQuery, view: &View, samples: u32) -> Answer<()> {
    if Weight::of(program) == Weight::Light {
        return Ok(());
    }
    // (A time with a fraction is one of strokes that grow.)
    let strokes = query.time.map_or(program.strokes().len(), |time| time.ceil() as usize);
    let samples = view.pixels() as u64 * u64::from(samples * samples);
    let work = samples.saturating_mul(strokes as u64);
    if work <= MOST_LINE_SOURCE_WORK {
        return Ok(());
    }
    let message = format!(
        "the line source is integrated step by step, and {work} samples times strokes are too many \
         to look at (limit: {MOST_LINE_SOURCE_WORK})"
    );
    Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message)
        .hint("tbr render takes more, with patience"))
}

fn check_number(program: &Program, number: usize) -> Answer<()> {
    let count = program.strokes().len();
    if (1..=count).contains(&number) {
        return Ok(());
    }
    Err(Refusal::missing(format!("there is no stroke {number}: they go from 1 to {count}")))
}

/// The outlines of a program of one stroke alone.
fn alone(program: &Program, number: usize) -> tbr::Result<Outlines> {
    let stroke = program.strokes()[number - 1];
    Outlines::new(&program.with_strokes(vec![stroke])?, None, None)
}

/// A stroke as pages know it, by its number.
fn describe(program: &Program, number: usize) -> Answer<Value> {
    check_number(program, number)?;
    let stroke = &program.strokes()[number - 1];
    let shape = stroke.shape;
    let palette = if let Paint::Palette(entry) = stroke.paint { Some(entry) } else { None };
    Ok(json!({
        "stroke": number,
        "anchor": [shape.anchor.x, shape.anchor.y],
        "offset": [shape.offset.x, shape.offset.y],
        "half_width": shape.half_width,
        "length": shape.length(),
        "bend": shape.bend,
        "colour": hex(program.colour(stroke.paint)),
        "palette": palette,
    }))
}

/// The refusal of outlines that are too long together.
fn too_long() -> Refusal {
    let message =
        format!("these outlines are too long together (limit: {} MB)", MOST_OUTLINE_BYTES >> 20);
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message).hint("ask for fewer of them")
}

/// An outline as SVG path data, in pixels of a view.
fn path(outline: &Outline, view: &View) -> String {
    let pixel = view.pixel();
    let px = |p: Vec2<f64>| {
        let at = vec2((p.x - view.region.x) / pixel.x, (p.y - view.region.y) / pixel.y);
        // A hundredth of a pixel, and no digits that nobody sees.
        vec2((at.x * 100.0).round() / 100.0, (at.y * 100.0).round() / 100.0)
    };
    let start = px(outline.start);
    let mut data = format!("M{} {}", start.x, start.y);
    for curve in &outline.curves {
        let [a, b, c] = curve.map(px);
        let _ = write!(data, "C{} {} {} {} {} {}", a.x, a.y, b.x, b.y, c.x, c.y);
    }
    data.push('Z');
    data
}

/// The present picture as rows of RGB bytes, pale where nothing has changed.
fn changes(before: &Replay, now: &Replay) -> Vec<u8> {
    let (before, now) = (before.pixels(0..before.strips()), now.pixels(0..now.strips()));
    let shown = |(before, now): (&[f32; 4], &[f32; 4])| {
        let colour = [now[0], now[1], now[2]];
        if before != now {
            return colour.map(byte);
        }
        let grey = (colour[0] + colour[1] + colour[2]) / 3.0;
        [byte(1.0 - PALE * (1.0 - grey)); 3]
    };
    before.iter().zip(&now).flat_map(shown).collect()
}

fn byte(value: f32) -> u8 {
    (value * 255.0).round() as u8
}

/// Colours as rows of RGB bytes.
fn in_bytes(colours: &[Colour]) -> Vec<u8> {
    colours.iter().flat_map(|colour| to_bytes(*colour)).collect()
}
