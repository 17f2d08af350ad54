//! The plot of `tbr bench adjoint`, as SVG: step times over strokes and over pixels.

use super::adjoint::AdjointReport;
use super::paper;
use std::ops::Range;

/// Points of a line: size, seconds.
type LinePoints = Vec<(f64, f64)>;

/// Size of one panel's axes, and what is left around them, in pixels.
const PANEL: [f64; 2] = [400.0, 300.0];
const LEFT: f64 = 70.0;
const TOP: f64 = 70.0;
const BOTTOM: f64 = 60.0;

const OURS: &str = "#1f5aa6";
const PAPERS: &str = "#c2410c";

/// One diagram: ours and the paper's on logarithmic axes.
struct Panel {
    left: f64,
    title: String,
    across: &'static str,
    ours: LinePoints,
    paper: LinePoints,
}

/// The whole drawing.
pub fn svg(report: &AdjointReport) -> String {
    let over_strokes = Panel {
        left: LEFT,
        title: format!("{} pixels wide", report.width),
        across: "strokes",
        ours: report.over_strokes.iter().map(|r| (r.strokes as f64, r.step_s)).collect(),
        paper: paper::OVER_STROKES.to_vec(),
    };
    let over_pixels = Panel {
        left: 2.0 * LEFT + PANEL[0],
        title: format!("{} strokes", report.strokes),
        across: "width in pixels",
        ours: report.over_pixels.iter().map(|r| (f64::from(r.width), r.step_s)).collect(),
        paper: paper::OVER_PIXELS.to_vec(),
    };
    let (width, height) = (2.5 * LEFT + 2.0 * PANEL[0], TOP + PANEL[1] + BOTTOM);
    let machine = escaped(&report.machine.cpu);
    let ours = format!("tiled, {machine}, {} threads", report.machine.threads);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}{}{}{}</svg>\n",
        legend(LEFT, &ours, OURS, PlotMark::Circle),
        legend(
            2.0 * LEFT + PANEL[0],
            "the paper's fused replay, one RTX GPU (1024 px; 2000 strokes)",
            PAPERS,
            PlotMark::Square
        ),
        over_strokes.draw(),
        over_pixels.draw()
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[derive(Clone, Copy)]
enum PlotMark {
    Circle,
    Square,
}

impl PlotMark {
    fn draw(self, x: f64, y: f64, colour: &str) -> String {
        match self {
            Self::Circle => {
                format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>\n")
            }
            Self::Square => format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" fill=\"{colour}\"/>\n",
                x - 4.0,
                y - 4.0
            ),
        }
    }
}

fn legend(x: f64, text: &str, colour: &str, mark: PlotMark) -> String {
    let y = 24.0;
    mark.draw(x + 4.0, y - 4.0, colour) + &label(x + 16.0, y, "start", text)
}

fn label(x: f64, y: f64, anchor: &str, text: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>\n")
}

impl Panel {
    fn draw(&self) -> String {
        let all = || self.ours.iter().chain(&self.paper);
        let (x, y) = (span(all().map(|p| p.0)), span(all().map(|p| p.1)));
        let [width, height] = PANEL;
        let place = |(at, seconds): (f64, f64)| {
            (self.left + width * share(&x, at), TOP + height * (1.0 - share(&y, seconds)))
        };
        let mut text = format!(
            "<rect x=\"{}\" y=\"{TOP}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
             stroke=\"#888\"/>\n",
            self.left
        );
        text += &label(self.left + width / 2.0, TOP - 10.0, "middle", &self.title);
        text += &label(self.left + width / 2.0, TOP + height + 40.0, "middle", self.across);
        text += &self.upright_label();
        for at in ticks(all().map(|p| p.0)) {
            let (x, _) = place((at, y.start));
            text += &grid_line([x, x], [TOP, TOP + height]);
            text += &label(x, TOP + height + 18.0, "middle", &at.to_string());
        }
        for seconds in one_two_five(&y) {
            let (_, y) = place((x.start, seconds));
            text += &grid_line([self.left, self.left + width], [y, y]);
            text += &label(self.left - 8.0, y + 4.0, "end", &seconds.to_string());
        }
        text += &line(&self.paper, place, PAPERS, PlotMark::Square);
        text + &line(&self.ours, place, OURS, PlotMark::Circle)
    }

    fn upright_label(&self) -> String {
        let (x, y) = (self.left - 50.0, TOP + PANEL[1] / 2.0);
        format!("<g transform=\"rotate(-90 {x} {y})\">{}</g>\n", label(x, y, "middle", "step, s"))
    }
}

fn grid_line(x: [f64; 2], y: [f64; 2]) -> String {
    format!(
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#ddd\" fill=\"none\"/>\n",
        x[0], y[0], x[1], y[1]
    )
}

fn line(
    points: &[(f64, f64)],
    place: impl Fn((f64, f64)) -> (f64, f64),
    colour: &str,
    mark: PlotMark,
) -> String {
    let places: Vec<(f64, f64)> = points.iter().map(|p| place(*p)).collect();
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let marks: String = places.iter().map(|(x, y)| mark.draw(*x, *y, colour)).collect();
    if path.is_empty() {
        return marks;
    }
    let path = path.join("L");
    format!("<path d=\"M{path}\" stroke=\"{colour}\" stroke-width=\"1.5\" fill=\"none\"/>\n{marks}")
}

/// Where the axis begins and ends: a little beyond the values.
fn span(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, 0.0), |(low, high), v| (v.min(low), v.max(high)));
    low / 1.4..high * 1.4
}

/// How far along a logarithmic axis a value lies, 0 to 1.
fn share(span: &Range<f64>, value: f64) -> f64 {
    libm::log(value / span.start) / libm::log(span.end / span.start)
}

/// The values themselves, each once.
fn ticks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut ticks: Vec<f64> = values.collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    ticks
}

/// 1, 2 and 5 times powers of ten.
fn one_two_five(span: &Range<f64>) -> Vec<f64> {
    let scales = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0, 1e4];
    let ticks = scales.iter().flat_map(|s| [1.0, 2.0, 5.0].map(|k| k * s));
    ticks.filter(|t| span.contains(t)).collect()
}
