//! The operators themselves, and the gradient's engines: no picture is fitted.

use super::super::lab::Lab;
use super::super::section::Section;
use crate::commands::bench::{adjoint as bench, tables};
use crate::commands::check;
use crate::commands::html::Figure;
use crate::commands::table::Table;
use crate::failure::Failure;
use serde_json::{Map, Value, json};
use tbr::check::{self as checks};
use tbr::program::{Colour, Operator, Paint, Parts, Program, Stroke};
use tbr::render::{Region, View};
use tbr::stroke::Shape;
use tbr::trace::Tracer;
use tbr::vec2::vec2;

pub fn verification(_: &Lab) -> Result<Section, Failure> {
    let (detj, vjp) = (checks::detj(), checks::vjp());
    let data = json!({ "detj": detj, "vjp": vjp });
    Ok(Section::default().tables([check::detj(&detj), check::vjp(&vjp)]).data(data))
}

pub fn displacement(_: &Lab) -> Result<Section, Failure> {
    let rows = checks::foliation();
    let closer = rows.iter().filter(|r| r.drops_line.measured < r.capsule_line.measured).count();
    let worst = rows
        .iter()
        .flat_map(|r| [r.capsule_line, r.drops_line, r.capsule_drops])
        .map(|f| (f.measured - f.paper).abs())
        .fold(0.0, f64::max);
    Ok(Section::default()
        .table(check::foliation(&rows))
        .text("One stroke of the same area under four operators; a grid on the sheet is pulled back.")
        .figures(grids()?)
        .finding(
            "Sixteen drops are closer to the line source than the capsule is",
            closer == rows.len(),
            format!("{closer} of {} aspect ratios; no figure is more than {worst:.2} points from the paper's", rows.len()),
        )
        .data(rows))
}

pub fn calibrated(_: &Lab) -> Result<Section, Failure> {
    let found = checks::calibrated();
    Ok(Section::default().table(check::calibrated(&found)).data(found))
}

/// Minutes at full size, so it is kept.
pub fn adjoint(lab: &Lab) -> Result<Section, Failure> {
    let quick = lab.sizes.quick;
    let inputs =
        json!({ "quick": quick, "cpu": bench::cpu(), "threads": rayon::current_num_threads() });
    let (heading, tables, data): (String, Vec<Table>, Value) =
        lab.cell("adjoint", &inputs, || {
            let report = bench::report(&bench::Args::plain(quick))?;
            Ok((tables::heading(&report), tables::tables(&report), json!(report)))
        })?;
    Ok(Section::default().text(heading.replace('\n', " ")).tables(tables).data(data))
}

/// Pixels across in a grid's picture.
const GRID_PX: u32 = 320;
/// Lines of a grid across it, and the share of their distance that they are wide.
const LINES: f64 = 24.0;
const LINE: f64 = 0.08;
const RED: Colour = [0.78, 0.22, 0.16];
const INK: Colour = [0.15, 0.17, 0.2];
const SHEET: Colour = [0.98, 0.97, 0.94];

/// The operator figure: what each does to a grid.
fn grids() -> Result<Vec<Figure>, Failure> {
    let half_width = 0.1;
    let capsule = Shape { anchor: vec2(0.35, 0.5), offset: vec2(0.3, 0.0), half_width };
    let radius = (capsule.area() / std::f64::consts::PI).sqrt();
    let drop = Shape { anchor: vec2(0.5, 0.5), offset: vec2(0.0, 0.0), half_width: radius };
    let kinds = [
        ("Capsule", capsule, Operator::Capsule),
        ("Sixteen drops", capsule, Operator::Drops),
        ("One drop of the same area", drop, Operator::Capsule),
        ("Line source", capsule, Operator::LineSource),
    ];
    kinds.into_iter().map(|(title, shape, operator)| grid(title, shape, operator)).collect()
}

fn grid(title: &str, shape: Shape, operator: Operator) -> Result<Figure, Failure> {
    let program = Program::new(Parts {
        height: 1.0,
        background: SHEET,
        operator,
        palette: Vec::new(),
        strokes: vec![Stroke { shape, paint: Paint::Own(RED) }],
        provenance: Map::new(),
    })?;
    let tracer = Tracer::new(&program, None);
    let view = View::new(Region::canvas(&program), Some(GRID_PX), None)?;
    let colour = |i: u32, j: u32| {
        let trace = tracer.back(view.centre(i, j));
        let near_line = |v: f64| {
            let place = LINES * v - 0.5;
            (place - place.round()).abs() < LINE
        };
        let from = trace.position;
        match trace.stroke {
            Some(_) => RED,
            None if near_line(from.x) || near_line(from.y) => INK,
            None => SHEET,
        }
    };
    let colours: Vec<Colour> = (0..view.height_px)
        .flat_map(|j| (0..view.width_px).map(move |i| (i, j)))
        .map(|(i, j)| colour(i, j))
        .collect();
    let alt = format!("A grid around a stroke: {}", title.to_lowercase());
    Figure::new(title, alt, &colours, (view.width_px, view.height_px))
}
