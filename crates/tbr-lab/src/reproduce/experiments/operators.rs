//! The operators themselves, and the gradient's engines: no picture is fitted.

use crate::bench::{adjoint as bench, tables as bench_tables};
use crate::check::{self, tables};
use crate::reproduce::lab::Lab;
use crate::reproduce::section::Section;
use serde_json::{Value, json};
use tbr::trace::Tracer;
use tbr::{Colour, Image, Operator, Paint, Parts, Program, Shape, Stroke, View, vec2};
use tbr_io::Failure;
use tbr_io::html::Figure;
use tbr_io::table::Table;

pub fn verification(_: &Lab) -> Result<Section, Failure> {
    let (detj, vjp) = (check::detj()?, check::vjp());
    let data = json!({ "detj": detj, "vjp": vjp });
    Ok(Section::default().tables([tables::detj(&detj), tables::vjp(&vjp)]).data(data))
}

pub fn displacement(_: &Lab) -> Result<Section, Failure> {
    let rows = check::foliation();
    let closer = rows.iter().filter(|r| r.drops_line.measured < r.capsule_line.measured).count();
    let worst = rows
        .iter()
        .flat_map(|r| [r.capsule_line, r.drops_line, r.capsule_drops])
        .map(|f| (f.measured - f.paper).abs())
        .fold(0.0, f64::max);
    Ok(Section::default()
        .table(tables::foliation(&rows))
        .text(
            "One stroke of the same area under four operators; a grid on the sheet is pulled back.",
        )
        .figures(grids()?)
        .finding(
            "Sixteen drops are closer to the line source than the capsule is",
            closer == rows.len(),
            format!(
                "{closer} of {} aspect ratios; no figure is more than {worst:.2} points from the \
                 paper's",
                rows.len()
            ),
        )
        .data(rows))
}

pub fn calibrated(_: &Lab) -> Result<Section, Failure> {
    let found = check::calibrated();
    Ok(Section::default().table(tables::calibrated(&found)).data(found))
}

/// The gradient's engines, measured; minutes at full size, hence cached.
pub fn adjoint(lab: &Lab) -> Result<Section, Failure> {
    let quick = lab.sizes.quick;
    let inputs =
        json!({ "quick": quick, "cpu": bench::cpu(), "threads": rayon::current_num_threads() });
    let (heading, tables, data): (String, Vec<Table>, Value) =
        lab.timed_cell("adjoint", &inputs, || {
            let report = bench::report(&bench::Args::plain(quick))?;
            Ok((bench_tables::heading(&report), bench_tables::tables(&report), json!(report)))
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
    let capsule = Shape::line(vec2(0.35, 0.5), vec2(0.3, 0.0), half_width);
    let radius = (capsule.area() / std::f64::consts::PI).sqrt();
    let drop = Shape::drop(vec2(0.5, 0.5), radius);
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
        background: SHEET,
        operator,
        strokes: vec![Stroke { shape, paint: Paint::Own(RED) }],
        ..Parts::default()
    })?;
    let tracer = Tracer::new(&program, None);
    let view = View::of_canvas(&program, GRID_PX)?;
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
    Figure::new(title, alt, &Image::new(view.size(), colours)?)
}
