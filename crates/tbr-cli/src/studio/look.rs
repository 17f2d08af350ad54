//! What a page can look at: pictures of a piece, and its strokes.

use super::desk::Piece;
use super::edit::checked;
use super::history::History;
use super::refusal::{Answer, Refusal};
use super::target::Target;
use crate::failure::Failure;
use crate::picture::{self, Size, png_encoder};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;
use tbr::animate::{self, Film};
use tbr::colour::hex;
use tbr::maps;
use tbr::outline::{Outline, Outlines};
use tbr::program::{Colour, Paint, Parts, Program, Stroke};
use tbr::raster::Raster;
use tbr::render::{Options, Region, Replay, View};
use tbr::trace::Tracer;
use tbr::vec2::{Vec2, vec2};

/// The longest side of a picture that a page can ask for.
const MOST_SIDE_PX: u32 = 2048;
/// The most samples along a pixel's side.
const MOST_SAMPLES: u32 = 4;
/// How far frames that are played may misplace paint: half the time, and nothing that eyes
/// can catch in motion.
const PLAYED_TOLERANCE_PX: f64 = 0.03;
/// Outlines that are given at once: some milliseconds each.
pub const MOST_OUTLINES: usize = 200;
/// How much of the colour is left where nothing has changed.
const PALE: f32 = 0.25;

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

/// What of a piece is to be seen.
#[derive(Clone, Debug, Deserialize)]
pub struct Query {
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

/// A piece as it is at one moment.
pub struct Moment {
    program: Option<Arc<Program>>,
    base: Option<Arc<Program>>,
    target: Option<Arc<Target>>,
    height: f64,
}

impl Moment {
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

    fn target(&self) -> Answer<&Target> {
        self.target.as_deref().ok_or_else(|| Refusal::conflict("there is no target"))
    }

    /// A picture as the bytes of a PNG.
    pub fn picture(&self, query: &Query) -> Answer<Vec<u8>> {
        let view = query.view(self.height)?;
        let size = (view.width_px, view.height_px);
        let target = || Ok::<_, Refusal>(self.target()?.seen(&view, self.height));
        let given = match query.layer {
            Layer::Target => return Ok(png(&in_bytes(&target()?), size)?),
            _ => self.program()?,
        };
        if query.layer == Layer::Paint && query.grow.is_some() {
            return Ok(frame(given, view, query.time, query.grow)?);
        }
        let program = laid(given, query.time, query.grow)?;
        let samples = query.samples.unwrap_or(1).clamp(1, MOST_SAMPLES);
        let replay = |program, samples| {
            Replay::new(program, view, &Options { samples, ..Options::default() })
        };
        let bytes = match query.layer {
            Layer::Paint | Layer::Target => picture::bytes(&replay(&program, samples)?, false),
            Layer::Error => in_bytes(&error(&replay(&program, samples)?, &target()?)?),
            Layer::Owners => {
                in_bytes(&maps::ownership_map(&program, &owners(&replay(&program, 1)?)))
            }
            Layer::Age => in_bytes(&maps::age_map(&program, &owners(&replay(&program, 1)?))),
            Layer::Changes => {
                let base = self.base.as_deref().unwrap_or(&program);
                let time = query.time.map(|time| time.min(base.strokes.len() as f64));
                let base = laid(base, time, query.grow)?;
                changes(&replay(&base, 1)?, &replay(&program, 1)?)
            }
        };
        Ok(png(&bytes, size)?)
    }

    /// The stroke whose paint is at a place after so many strokes.
    pub fn at(&self, at: [f64; 2], time: Option<f64>) -> Answer<Value> {
        let program = laid(self.program()?, time, None)?;
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
    pub fn outlines(&self, numbers: &[usize], query: &Query) -> Answer<Value> {
        if numbers.len() > MOST_OUTLINES {
            let count = numbers.len();
            let message = format!("{count} outlines are too many at once (limit: {MOST_OUTLINES})");
            return Err(Refusal::senseless(message));
        }
        let (program, view) = (self.program()?, query.view(self.height)?);
        let time = prefix(program, query.time)?;
        let now = Outlines::new(program, None, Some(time))?;
        let outlines = numbers.par_iter().map(|&number| {
            check_number(program, number)?;
            let laid = path(&alone(program, number)?.outline(0), &view);
            let lies = (number <= time).then(|| path(&now.outline(number - 1), &view));
            Ok(json!({"stroke": number, "laid": laid, "lies": lies}))
        });
        Ok(json!({"outlines": outlines.collect::<Answer<Vec<Value>>>()?}))
    }
}

impl Query {
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
            return Err(Refusal::senseless(message));
        }
        Ok(view)
    }
}

/// How many strokes are laid at a time; all if none is given.
pub fn prefix(program: &Program, time: Option<f64>) -> Result<usize, Failure> {
    let count = program.strokes.len();
    let Some(time) = time else { return Ok(count) };
    if (0.0..=count as f64).contains(&time) {
        return Ok(time as usize);
    }
    Err(Failure::usage(format!("there is no time {time}: it goes from 0 to {count} strokes")))
}

/// The program as it is at a time: its first strokes, or, with `grow`, so many of them
/// growing together.
pub fn laid(
    program: &Program,
    time: Option<f64>,
    grow: Option<f64>,
) -> Result<Cow<'_, Program>, Failure> {
    let first = prefix(program, time)?;
    if let (Some(time), Some(grow)) = (time, grow) {
        let options = animate::Options { growth: Some(grow.max(1.0)), ..Default::default() };
        let count = program.strokes.len().max(1) as f64;
        return Ok(Cow::Owned(Film::laying(program, options)?.at(time / count)?));
    }
    if first == program.strokes.len() {
        return Ok(Cow::Borrowed(program));
    }
    Ok(Cow::Owned(with_strokes(program, program.strokes[..first].to_vec())?))
}

/// The program with other strokes, and without what it says of its making.
fn with_strokes(program: &Program, strokes: Vec<Stroke>) -> tbr::Result<Program> {
    Program::new(Parts {
        height: program.height,
        background: program.background,
        operator: program.operator,
        palette: program.palette.clone(),
        strokes,
        provenance: Default::default(),
    })
}

/// What a view sees of a program at a time, as the bytes of a PNG: a frame that is gone at
/// once.
pub fn frame(
    program: &Program,
    view: View,
    time: Option<f64>,
    grow: Option<f64>,
) -> Result<Vec<u8>, Failure> {
    let program = laid(program, time, grow)?;
    let options = Options { tolerance_px: PLAYED_TOLERANCE_PX, ..Options::default() };
    let replay = Replay::new(&program, view, &options)?;
    png(&picture::bytes(&replay, false), (view.width_px, view.height_px))
}

fn check_number(program: &Program, number: usize) -> Answer<()> {
    let count = program.strokes.len();
    if (1..=count).contains(&number) {
        return Ok(());
    }
    Err(Refusal::missing(format!("there is no stroke {number}: they go from 1 to {count}")))
}

/// A stroke as if it were the only one.
fn alone(program: &Program, number: usize) -> tbr::Result<Outlines> {
    let stroke = program.strokes[number - 1];
    Outlines::new(&with_strokes(program, vec![stroke])?, None, None)
}

fn describe(program: &Program, number: usize) -> Answer<Value> {
    check_number(program, number)?;
    let stroke = &program.strokes[number - 1];
    let shape = stroke.shape;
    let palette = if let Paint::Palette(entry) = stroke.paint { Some(entry) } else { None };
    Ok(json!({
        "stroke": number,
        "anchor": [shape.anchor.x, shape.anchor.y],
        "offset": [shape.offset.x, shape.offset.y],
        "half_width": shape.half_width,
        "length": shape.length(),
        "colour": hex(program.colour(stroke.paint)),
        "palette": palette,
    }))
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

fn owners(replay: &Replay) -> Vec<u32> {
    replay.owners(0..replay.strips())
}

fn error(replay: &Replay, target: &[Colour]) -> Answer<Vec<Colour>> {
    let colours: Vec<Colour> = replay
        .pixels(0..replay.strips())
        .iter()
        .map(|[r, g, b, _]| [f64::from(*r), f64::from(*g), f64::from(*b)])
        .collect();
    let width = replay.width_px() as usize;
    Ok(maps::error_map(Raster::new(width, &colours)?, Raster::new(width, target)?)?)
}

/// The present picture, pale where it is as it was.
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

pub fn in_bytes(colours: &[Colour]) -> Vec<u8> {
    colours.iter().flatten().map(|v| (v * 255.0).round() as u8).collect()
}

/// The bytes of a PNG, made quickly: it goes no farther than this machine.
pub fn png(pixels: &[u8], size: Size) -> Result<Vec<u8>, Failure> {
    let mut file = Vec::with_capacity(pixels.len() / 2);
    let write = |file: &mut Vec<u8>| {
        let mut encoder = png_encoder(file, size, false);
        encoder.set_compression(::png::Compression::Fastest);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(pixels)?;
        writer.finish()
    };
    write(&mut file).map_err(|e| Failure::limit(format!("a picture cannot be written: {e}")))?;
    Ok(file)
}
