//! Diagrams as SVG: panels side by side, with lines of points on logarithmic or linear axes.

use std::ops::Range;

/// Size of one panel's axes, and what is left around them, in pixels.
const PANEL: [f64; 2] = [400.0, 300.0];
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 60.0;
/// Above the axes: a line for each name, and one for the title.
const LINE: f64 = 20.0;

/// A line of points.
#[derive(Clone)]
pub struct Series {
    /// What the legend calls it; lines of one name look the same.
    pub name: String,
    pub colour: &'static str,
    pub mark: Mark,
    pub points: Vec<(f64, f64)>,
}

/// How points are marked.
#[derive(Clone, Copy)]
pub enum Mark {
    Circle,
    Square,
}

/// How an upright axis is divided. (Those that lie are all logarithmic.)
#[derive(Clone, Copy)]
pub enum Scale {
    Logarithmic,
    Linear,
}

/// One diagram.
pub struct Panel {
    pub title: String,
    pub across: &'static str,
    pub upright: &'static str,
    pub scale: Scale,
    pub series: Vec<Series>,
}

/// The panels side by side, under one legend.
pub fn svg(panels: &[Panel]) -> String {
    let mut named: Vec<&Series> = Vec::new();
    for series in panels.iter().flat_map(|panel| &panel.series) {
        if named.iter().all(|other| other.name != series.name) {
            named.push(series);
        }
    }
    let top = LINE * (named.len() as f64 + 2.0);
    let width = 0.5 * LEFT + panels.len() as f64 * (LEFT + PANEL[0]);
    let height = top + PANEL[1] + BOTTOM;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (k, series) in named.iter().enumerate() {
        let y = LINE * (k as f64 + 1.0);
        text += &series.mark.draw(LEFT + 4.0, y - 4.0, series.colour);
        text += &label(LEFT + 16.0, y, "start", &series.name);
    }
    for (k, panel) in panels.iter().enumerate() {
        text += &panel.draw(LEFT + k as f64 * (LEFT + PANEL[0]), top);
    }
    text + "</svg>\n"
}

impl Mark {
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

/// A text as SVG holds it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn label(x: f64, y: f64, anchor: &str, text: &str) -> String {
    let text = escaped(text);
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>\n")
}

impl Panel {
    fn draw(&self, left: f64, top: f64) -> String {
        let all = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::Logarithmic.span(all().map(|p| p.0));
        let y = self.scale.span(all().map(|p| p.1));
        let [width, height] = PANEL;
        let place = |(across, up): (f64, f64)| {
            let (across, up) = (Scale::Logarithmic.share(&x, across), self.scale.share(&y, up));
            (left + width * across, top + height * (1.0 - up))
        };
        let mut text = format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
             stroke=\"#888\"/>\n"
        );
        text += &label(left + width / 2.0, top - 10.0, "middle", &self.title);
        text += &label(left + width / 2.0, top + height + 40.0, "middle", self.across);
        text += &upright(left - 50.0, top + height / 2.0, self.upright);
        for at in Scale::Logarithmic.ticks(&x) {
            let (x, _) = place((at, y.start));
            text += &grid_line([x, x], [top, top + height]);
            text += &label(x, top + height + 18.0, "middle", &at.to_string());
        }
        for up in self.scale.ticks(&y) {
            let (_, y) = place((x.start, up));
            text += &grid_line([left, left + width], [y, y]);
            text += &label(left - 8.0, y + 4.0, "end", &up.to_string());
        }
        for series in &self.series {
            text += &line(series, place);
        }
        text
    }
}

fn upright(x: f64, y: f64, text: &str) -> String {
    format!("<g transform=\"rotate(-90 {x} {y})\">{}</g>\n", label(x, y, "middle", text))
}

fn grid_line(x: [f64; 2], y: [f64; 2]) -> String {
    format!(
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#ddd\" fill=\"none\"/>\n",
        x[0], y[0], x[1], y[1]
    )
}

fn line(series: &Series, place: impl Fn((f64, f64)) -> (f64, f64)) -> String {
    let Series { colour, mark, points, .. } = series;
    let places: Vec<(f64, f64)> = points.iter().map(|p| place(*p)).collect();
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let marks: String = places.iter().map(|(x, y)| mark.draw(*x, *y, colour)).collect();
    if path.is_empty() {
        return marks;
    }
    let path = path.join("L");
    format!("<path d=\"M{path}\" stroke=\"{colour}\" stroke-width=\"1.5\" fill=\"none\"/>\n{marks}")
}

impl Scale {
    /// Where the axis begins and ends: a little beyond the values.
    fn span(self, values: impl Iterator<Item = f64>) -> Range<f64> {
        let far = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values.fold(far, |(low, high), v| (v.min(low), v.max(high)));
        match self {
            Self::Logarithmic => low / 1.4..high * 1.4,
            Self::Linear => {
                let room = (0.05 * (high - low)).max(1e-3);
                low - room..high + room
            }
        }
    }

    /// How far along the axis a value lies, 0 to 1.
    fn share(self, span: &Range<f64>, value: f64) -> f64 {
        match self {
            Self::Logarithmic => libm::log(value / span.start) / libm::log(span.end / span.start),
            Self::Linear => (value - span.start) / (span.end - span.start),
        }
    }

    /// Round numbers: 1, 2 and 5 times powers of ten; or steps of one of these.
    fn ticks(self, span: &Range<f64>) -> Vec<f64> {
        let scales = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0, 1e4, 1e5, 1e6];
        let mut round = scales.iter().flat_map(|s| [1.0, 2.0, 5.0].map(|k| k * s));
        match self {
            Self::Logarithmic => round.filter(|t| span.contains(t)).collect(),
            Self::Linear => {
                let step = round.find(|step| (span.end - span.start) / step <= 8.0).unwrap_or(1e6);
                let first = (span.start / step).ceil();
                let tick = |k: f64| (k * step * 1e6).round() / 1e6;
                let ticks = (0..10).map(|k| tick(first + f64::from(k)));
                ticks.filter(|t| span.contains(t)).collect()
            }
        }
    }
}
