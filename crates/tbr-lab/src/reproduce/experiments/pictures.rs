//! The paper's figures of pictures: targets, replays, prefixes and edits.

use super::recovery::recovered;
use super::times;
use crate::reproduce::lab::{Lab, floor_ratio, under};
use crate::reproduce::section::Section;
use crate::subject::{Subject, canvas_view};
use serde_json::json;
use tbr::edit::{self, Choice};
use tbr::explain::error_map;
use tbr::render::{Replay, ReplayOptions, render_view};
use tbr::{Operator, Paint, Program, Shape, Stroke, vec2};
use tbr_io::Failure;
use tbr_io::html::Figure;
use tbr_io::table::{Table, cells};

/// The longer side of a picture on the page, at most.
const SIDE_PX: u32 = 384;
/// And of a small one.
const SMALL_PX: u32 = 192;
/// Samples along the side of a pixel.
const SAMPLES: u32 = 3;

/// A program's replay with smooth edges.
fn replay(
    title: &str,
    program: &Program,
    side_px: u32,
    first: Option<usize>,
) -> Result<Figure, Failure> {
    let view = canvas_view(program, side_px)?;
    let options = ReplayOptions { first, samples: SAMPLES, ..ReplayOptions::default() };
    let image = Replay::new(program, view, &options)?.image();
    Figure::new(title, format!("A replay: {title}"), &image)
}

fn picture(lab: &Lab, subject: &Subject, side_px: u32) -> Result<Figure, Failure> {
    let target = subject.target(side_px.min(lab.sizes.side_px))?;
    Figure::new(&subject.name, format!("The picture {}", subject.name), target.image())
}

/// A target and a program's replay.
pub fn pair(lab: &Lab, subject: &Subject, program: &Program) -> Result<[Figure; 2], Failure> {
    let side = SIDE_PX.min(lab.sizes.side_px);
    let score = lab.score(subject, program, lab.sizes.side_px)?;
    let caption = format!("{} below the flat floor.", times(floor_ratio(&score)));
    Ok([picture(lab, subject, side)?, replay("Replay", program, side, None)?.caption(&caption)])
}

/// Of each: target, executed and imagined, and under sixteen drops.
pub fn pictures(lab: &Lab) -> Result<Section, Failure> {
    let side = SMALL_PX.min(lab.sizes.side_px);
    let mut section = Section::default().text(
        "Target; A, fitted with transport, executed and imagined without it; U, fitted without, \
         executed and imagined; both under sixteen drops.",
    );
    for (subject, r) in lab.subjects.iter().zip(recovered(lab)?) {
        let mut strip = vec![picture(lab, subject, side)?];
        for (name, program) in [("A", &r.joint), ("U", &r.inert)] {
            for (how, operator) in [
                ("executed", Operator::Capsule),
                ("imagined", Operator::Inert),
                ("sixteen drops", Operator::Drops),
            ] {
                strip.push(replay(
                    &format!("{name} {how}"),
                    &under(program, operator)?,
                    side,
                    None,
                )?);
            }
        }
        section = section.strip(strip);
    }
    Ok(section)
}

/// Shares of a program that are shown.
const PREFIXES: [usize; 7] = [5, 10, 20, 40, 60, 80, 100];

pub fn prefixes(lab: &Lab) -> Result<Section, Failure> {
    let Some(subject) = lab.subjects.first() else { return Ok(Section::default()) };
    let side = SMALL_PX.min(lab.sizes.side_px);
    let mut section = Section::default().text(format!(
        "The first strokes of two programs of {}, as a share of all: the paper's solver, and the \
         default preset.",
        subject.name
    ));
    for arm in [lab.joint(), lab.default_preset()] {
        let program = lab.fit(subject, &arm)?.program;
        let figure = |percent: usize| {
            let first = (program.strokes().len() * percent).div_ceil(100);
            Ok(replay(&format!("{percent} %"), &program, side, Some(first))?.caption(&arm.name))
        };
        section = section.strip(PREFIXES.into_iter().map(figure).collect::<Result<_, Failure>>()?);
    }
    Ok(section)
}

pub fn residual(lab: &Lab) -> Result<Section, Failure> {
    let side = SIDE_PX.min(lab.sizes.side_px);
    let mut rows = recovered(lab)?;
    rows.sort_by(|a, b| {
        (a.floor / a.joint_executed.mse).total_cmp(&(b.floor / b.joint_executed.mse))
    });
    let mut figures = Vec::new();
    let middle = rows.len().saturating_sub(1) / 2;
    let shown = [("hardest", 0), ("median", middle)];
    for (what, k) in shown.into_iter().take(if middle == 0 { 1 } else { 2 }) {
        let Some(row) = rows.get(k) else { continue };
        let Some(subject) = lab.subjects.iter().find(|s| s.name == row.picture) else { continue };
        let target = subject.target(side)?;
        let error = error_map(&render_view(&row.joint, target.view())?, target.image())?;
        figures.push(picture(lab, subject, side)?.caption(&format!("The {what} of the corpus.")));
        figures.push(replay("Replay", &row.joint, side, None)?);
        figures.push(
            Figure::new("Error", "The error, amplified".into(), &error)?
                .caption("Four times as bright; black is exact."),
        );
    }
    Ok(Section::default().figures(figures))
}

/// The paper's three edits on the first picture's program.
pub fn edits(lab: &Lab) -> Result<Section, Failure> {
    let Some(subject) = lab.subjects.first() else { return Ok(Section::default()) };
    let program = lab.fit(subject, &lab.joint())?.program;
    let count = program.strokes().len();
    let mut used = vec![0_usize; program.palette().len()];
    for stroke in program.strokes() {
        if let Paint::Palette(k) = stroke.paint {
            used[k] += 1;
        }
    }
    let mut order: Vec<usize> = (0..used.len()).collect();
    order.sort_by_key(|k| std::cmp::Reverse(used[*k]));
    let [Some(&a), Some(&b)] = [order.first(), order.get(1)] else {
        return Ok(Section::default().text("Not run: the palette has fewer than two colours."));
    };
    let shape = Shape::drop(vec2(0.30, 0.72 * program.height()), 0.06);
    let drop = Stroke { shape, paint: Paint::Palette(b) };
    let last = |share: f64| Choice::of(&program, |i| i as f64 >= (1.0 - share) * count as f64);
    let edited = [
        ("Insert one drop", edit::insert(&program, count / 2 + 1, drop)?),
        (
            "Recolour the last fifth",
            edit::swap_colours(&program, &last(0.2), Paint::Palette(a), Paint::Palette(b))?,
        ),
        ("Translate the last quarter", edit::translate(&program, &last(0.25), vec2(0.08, 0.0))?),
    ];
    let side = SIDE_PX.min(lab.sizes.side_px);
    let view = canvas_view(&program, lab.sizes.side_px)?;
    let before = render_view(&program, view)?;
    let mut table = vec![cells([&"edit", &"pixels that change"])];
    let mut figures = Vec::from(pair(lab, subject, &program)?);
    let mut shares = Vec::new();
    for (name, program) in &edited {
        let after = render_view(program, view)?;
        let changed = before.pixels().iter().zip(after.pixels()).filter(|(a, b)| a != b).count();
        shares.push(changed as f64 / view.pixels() as f64);
        table.push(vec![(*name).into(), format!("{:.1} %", 100.0 * shares[shares.len() - 1])]);
        figures.push(replay(name, program, side, None)?);
    }
    let caption = format!(
        "The paper's edits on {}: a drop in the middle of the program, the two most used colours \
         swapped in the last fifth, the last quarter moved by 0.08 (paper 7 to 41 %)",
        subject.name
    );
    Ok(Section::default().table(Table::new(caption, table)).figures(figures).data(json!(shares)))
}
