//! The plot of `tbr bench adjoint`: step times over strokes and over pixels.

use super::adjoint::AdjointReport;
use super::chart::{self, Mark, Panel, Scale, Series};
use super::paper;

/// The whole drawing.
pub fn svg(report: &AdjointReport) -> String {
    let machine = &report.machine;
    let ours = |points: Vec<(f64, f64)>| Series {
        name: format!("tiled, {}, {} threads", machine.cpu, machine.threads),
        colour: "#1f5aa6",
        mark: Mark::Circle,
        points,
    };
    let papers = |points: &[(f64, f64)]| Series {
        name: "the paper's fused replay, one RTX GPU (1024 px; 2000 strokes)".into(),
        colour: "#c2410c",
        mark: Mark::Square,
        points: points.to_vec(),
    };
    let over_strokes = report.over_strokes.iter().map(|r| (r.strokes as f64, r.step_s)).collect();
    let over_pixels = report.over_pixels.iter().map(|r| (f64::from(r.width), r.step_s)).collect();
    let panel = |title: String, across: &'static str, ours: Series, paper: Series| Panel {
        title,
        across,
        upright: "step, s",
        scale: Scale::Logarithmic,
        series: vec![paper, ours],
    };
    chart::svg(&[
        panel(
            format!("{} pixels wide", report.width),
            "strokes",
            ours(over_strokes),
            papers(&paper::OVER_STROKES),
        ),
        panel(
            format!("{} strokes", report.strokes),
            "width in pixels",
            ours(over_pixels),
            papers(&paper::OVER_PIXELS),
        ),
    ])
}
