//! Short films to follow, made here: a sheet that turns, a sheet that is swirled, and a hand-held
//! pan over a picture.

use std::f64::consts::{PI, TAU};
use tbr::animate::{Film, FilmOptions};
use tbr::program::Step;
use tbr::render::render_view;
use tbr::sample::Pattern;
use tbr::{Colour, Image, Program, Region, Tool, View};
use tbr_io::Failure;
use tbr_io::picture::{MATTE, Picture};

/// How far the sheet turns, from one frame to the next.
const TURN_RAD: f64 = 1.5 * PI / 180.0;
/// The same of the swirl, at its middle.
const SWIRL_DEGREES: f64 = 6.0;
/// The sheet's side beside the table's.
const SMALLER: f64 = 0.6;
/// The part of the picture that is seen at a time.
const SEEN: f64 = 0.7;

/// A film's name and its frames.
pub type Clip = (&'static str, Vec<Image>);

/// A sheet that turns on a table, which is a larger sheet and stays.
pub fn turning(frames: usize, side_px: u32, seed: u64) -> Result<Clip, Failure> {
    let [table, sheet] = [(Pattern::Hatip, side_px), (Pattern::Battal, side_px)].map(
        |(pattern, side_px)| -> Result<Image, Failure> {
            let program = pattern.program(1.0, seed)?;
            Ok(render_view(&program, View::of_canvas(&program, side_px)?)?)
        },
    );
    let (table, sheet) = (table?, sheet?);
    let frame = |k: usize| laid_on(&table, &sheet, k as f64 * TURN_RAD);
    Ok(("turning", (0..frames).map(frame).collect::<Result<_, Failure>>()?))
}

/// A sheet that lies on a table, turned about the middle and made smaller.
fn laid_on(table: &Image, sheet: &Image, angle_rad: f64) -> Result<Image, Failure> {
    let side = f64::from(table.width_px());
    let (sin, cos) = (libm::sin(angle_rad) / SMALLER, libm::cos(angle_rad) / SMALLER);
    let pixels = (0..table.pixels().len()).map(|k| {
        let from_middle = |at: usize| at as f64 + 0.5 - 0.5 * side;
        let width = table.width_px() as usize;
        let (x, y) = (from_middle(k % width), from_middle(k / width));
        let (u, v) = (cos * x + sin * y + 0.5 * side, cos * y - sin * x + 0.5 * side);
        let inside = (0.0..side).contains(&u) && (0.0..side).contains(&v);
        if inside { between_pixels(sheet, u - 0.5, v - 0.5) } else { table.pixels()[k] }
    });
    Ok(Image::new(table.size(), pixels.collect())?)
}

/// A sheet into which a swirl is drawn.
pub fn swirling(frames: usize, side_px: u32, seed: u64) -> Result<Clip, Failure> {
    let sheet = Pattern::Battal.program(1.0, seed)?;
    let swirled = |angle: f64| -> Result<Program, Failure> {
        let mut parts = sheet.clone().into_parts();
        let mut steps = parts.steps();
        let tool: Tool = format!("swirl centre 0.45,0.5 radius 0.3 turn {angle}").parse()?;
        steps.push(Step::Tool(tool));
        parts.set_steps(steps);
        Ok(Program::new(parts)?)
    };
    let (from, to) = (swirled(0.0)?, swirled(SWIRL_DEGREES * (frames - 1) as f64)?);
    let options = FilmOptions { frames, ..FilmOptions::default() };
    let film = Film::morph(&from, &to, options)?;
    let frame = |k: usize| {
        let program = film.program(k)?;
        Ok(render_view(&program, View::of_canvas(&program, side_px)?)?)
    };
    Ok(("swirling", (0..frames).map(frame).collect::<Result<_, Failure>>()?))
}

/// A picture that somebody pans over, with a hand that is not quite still.
pub fn panning(picture: &Picture, frames: usize, side_px: u32) -> Result<Clip, Failure> {
    let (width, height) = picture.size();
    let scale = f64::from(side_px) / SEEN / f64::from(width.max(height));
    let size = [width, height].map(|px| ((f64::from(px) * scale).round() as u32).max(1));
    let whole = picture.over_at(MATTE, (size[0], size[1]))?;
    let seen = size.map(|px| ((f64::from(px) * SEEN).round() as u32).max(1));
    let frame = |k: usize| {
        // In the speed of a film of 25 frames a second: a second or two across what is not seen.
        let t = k as f64;
        let shake =
            |a: f64, b: f64| 0.02 * libm::sin(TAU * t / a) + 0.012 * libm::sin(TAU * t / b + 1.0);
        let along = [0.1 + 0.02 * t + shake(11.0, 5.3), 0.3 + 0.008 * t + shake(8.7, 4.1)];
        let corner: Vec<f64> =
            (0..2).map(|i| along[i].clamp(0.0, 1.0) * f64::from(size[i] - seen[i])).collect();
        window(&whole, [corner[0], corner[1]], seen)
    };
    Ok(("panning", (0..frames).map(frame).collect::<Result<_, Failure>>()?))
}

/// Part of a picture, from any corner in pixels.
fn window(whole: &Image, corner: [f64; 2], size: [u32; 2]) -> Result<Image, Failure> {
    let pixels = (0..size[0] * size[1]).map(|k| {
        let place = [f64::from(k % size[0]), f64::from(k / size[0])];
        between_pixels(whole, corner[0] + place[0], corner[1] + place[1])
    });
    Ok(Image::new((size[0], size[1]), pixels.collect())?)
}

/// The colour at a place, counted in pixels from the centre of the first: interpolated.
fn between_pixels(image: &Image, x: f64, y: f64) -> Colour {
    let at = |place: f64, count: u32| {
        let place = place.clamp(0.0, f64::from(count - 1));
        let first = place as usize;
        (first, (first + 1).min(count as usize - 1), place - first as f64)
    };
    let (left, right, u) = at(x, image.width_px());
    let (above, below, v) = at(y, image.height_px());
    let (up, down) = (image.row(above), image.row(below));
    std::array::from_fn(|c| {
        let mix = |row: &[Colour]| row[left][c] * (1.0 - u) + row[right][c] * u;
        mix(up) * (1.0 - v) + mix(down) * v
    })
}

/// What pans if nobody gives a picture: a sheet.
pub fn sheet(side_px: u32, seed: u64) -> Result<Picture, Failure> {
    let program = Pattern::Hatip.program(1.0, seed)?;
    let view = View::new(Region::canvas(&program), Some(side_px), None)?;
    Ok(Picture::of(&render_view(&program, view)?))
}
