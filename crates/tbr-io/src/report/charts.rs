//! The charts of a report, drawn by hand as SVG inside the page. Their colours are the style
//! sheet's, so that they suit a light page and a dark one.

use super::histogram::{BINS, Histogram};
use crate::html::escaped;
use std::fmt::Write;

/// Size of a chart, and of the margins around its axes, in the drawing's own units: pixels
/// on a page of full width.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 44.0;
/// Part of a bar's place that is left empty.
const GAP: f64 = 0.12;
/// Bars' widths that the bar of what is below all bins stands off from the others.
const ASIDE: f64 = 2.0;
/// Decades up to which an axis has numbers at 1, 2 and 5; beyond, at 1 only.
const FINE_DECADES: f64 = 2.3;

/// A chart being drawn; `top` is the number at the upper end of its upright axis.
struct PageChart {
    body: String,
    top: f64,
}

/// One bar: where it begins and how wide it is, in pixels; how high, in numbers.
struct Bar<'a> {
    x: f64,
    width: f64,
    height: f64,
    class: &'a str,
    title: String,
}

/// How many strokes have which size. `median` is its place and its text.
pub fn sizes(values: &[f64], quantity: &str, median: (f64, &str)) -> String {
    let Some(histogram) = Histogram::of(values) else {
        let why =
            if values.is_empty() { "no strokes".into() } else { format!("every {quantity} is 0") };
        let mut chart = PageChart::new(1.0);
        chart.text([WIDTH / 2.0, HEIGHT / 2.0], "middle", "", &why);
        return chart.svg(&why);
    };
    let step = round_step(histogram.most());
    let top = histogram.most().div_ceil(step) * step;
    let mut chart = PageChart::new(top as f64);
    for count in (0..=top).step_by(step) {
        chart.level(count as f64, &count.to_string());
    }
    let aside = if histogram.below > 0 { 1.0 + ASIDE } else { 0.0 };
    let width = across() / (BINS as f64 + aside);
    let x = |place: f64| LEFT + width * (aside + BINS as f64 * place);
    if histogram.below > 0 {
        let title = format!("below {}: {}", short(histogram.low), histogram.below);
        let height = histogram.below as f64;
        chart.bar(&Bar { x: LEFT, width, height, class: "aside", title });
        chart.text([LEFT + width / 2.0, HEIGHT - BOTTOM + 16.0], "middle", "", "less");
    }
    for (bin, count) in histogram.counts.into_iter().enumerate() {
        let [from, to] = [bin, bin + 1].map(|edge| short(histogram.edge(edge)));
        let title = format!("{from} to {to}: {count}");
        let x = x(bin as f64 / BINS as f64);
        chart.bar(&Bar { x, width, height: count as f64, class: "bar", title });
    }
    for (at, text) in ticks(histogram.low, histogram.high) {
        chart.tick(x(histogram.place(at)), &text);
    }
    if median.0 >= histogram.low {
        chart.mark(x(histogram.place(median.0)), &format!("median {}", median.1));
    }
    chart.label(&format!("{quantity}, canvas widths"));
    chart.svg(&format!("Histogram of {quantity}: median {}", median.1))
}

/// How much of each tenth of a program is seen; shares, and their texts in per cent.
pub fn deciles(shares: [f64; 10], texts: &[String; 10]) -> String {
    let mut chart = PageChart::new(1.0);
    for percent in [0, 25, 50, 75, 100] {
        chart.level(f64::from(percent) / 100.0, &percent.to_string());
    }
    let width = across() / shares.len() as f64;
    for (k, (height, text)) in shares.into_iter().zip(texts).enumerate() {
        let x = LEFT + width * k as f64;
        let (middle, above) = (x + width / 2.0, chart.y(height) - 5.0);
        let title = format!("tenth {}: {text} %", k + 1);
        chart.bar(&Bar { x, width, height, class: "bar", title });
        chart.text([middle, above], "middle", "value", text);
        chart.text([middle, HEIGHT - BOTTOM + 16.0], "middle", "", &(k + 1).to_string());
    }
    chart.label("tenth of the program, first to last");
    chart.svg(&format!("Visible strokes of each tenth, per cent: {}", texts.join(", ")))
}

/// Pixels between the ends of the level axis.
fn across() -> f64 {
    WIDTH - LEFT - RIGHT
}

impl PageChart {
    fn new(top: f64) -> Self {
        Self { body: String::new(), top }
    }

    /// Where a number lies on the upright axis.
    fn y(&self, number: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * number / self.top
    }

    fn text(&mut self, [x, y]: [f64; 2], anchor: &str, class: &str, text: &str) {
        let text = escaped(text);
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{class}>{text}</text>"
        );
    }

    fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], class: &str) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\" />"
        );
    }

    /// A line across at a number of the upright axis.
    fn level(&mut self, number: f64, text: &str) {
        let y = self.y(number);
        self.line([LEFT, y], [WIDTH - RIGHT, y], "level");
        self.text([LEFT - 7.0, y + 4.0], "end", "", text);
    }

    /// A number of the level axis.
    fn tick(&mut self, x: f64, text: &str) {
        let y = HEIGHT - BOTTOM;
        self.line([x, y], [x, y + 4.0], "tick");
        self.text([x, y + 16.0], "middle", "", text);
    }

    /// A line upright through all bars, with its text above, on the side that has room.
    fn mark(&mut self, x: f64, text: &str) {
        let (anchor, at) = if x < WIDTH / 2.0 { ("start", x + 5.0) } else { ("end", x - 5.0) };
        self.line([x, TOP - 14.0], [x, HEIGHT - BOTTOM], "median");
        self.text([at, TOP - 6.0], anchor, "value", text);
    }

    fn bar(&mut self, bar: &Bar) {
        let Bar { x, width, height, class, title } = bar;
        let (y, gap) = (self.y(*height), width * GAP / 2.0);
        let _ = writeln!(
            self.body,
            "<rect x=\"{:.2}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{:.1}\" class=\"{class}\">\
             <title>{}</title></rect>",
            x + gap,
            width - 2.0 * gap,
            HEIGHT - BOTTOM - y,
            escaped(title)
        );
    }

    /// What the level axis counts.
    fn label(&mut self, text: &str) {
        self.text([LEFT + across() / 2.0, HEIGHT - 8.0], "middle", "", text);
    }

    fn svg(self, label: &str) -> String {
        let label = escaped(label);
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">\n{}</svg>\n",
            self.body
        )
    }
}

/// 1, 2 or 5 times a power of ten, of which at most five make `most`.
fn round_step(most: usize) -> usize {
    let powers = std::iter::successors(Some(1usize), |p| p.checked_mul(10));
    let steps = powers.flat_map(|p| [1, 2, 5].map(|k| p.saturating_mul(k)));
    steps.into_iter().find(|step| step.saturating_mul(5) >= most).unwrap_or(most)
}

/// The numbers of a logarithmic axis, with their texts.
fn ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let decades = libm::log10(low).floor() as i32..=libm::log10(high).ceil() as i32;
    let fine: &[u32] = if libm::log10(high / low) <= FINE_DECADES { &[1, 2, 5] } else { &[1] };
    let tick = |k: u32, decade: i32| {
        let text = format!("{k}e{decade}");
        let at: f64 = text.parse().ok().filter(|at| (low..=high).contains(at))?;
        Some((at, if at < 1e-3 { text } else { at.to_string() }))
    };
    decades.flat_map(|decade| fine.iter().filter_map(move |k| tick(*k, decade))).collect()
}

/// A number to three digits.
fn short(value: f64) -> String {
    let digits = (2 - libm::log10(value).floor() as i32).clamp(0, 12) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_a_few_round_numbers() {
        for (most, step) in [(1, 1), (5, 1), (6, 2), (26, 10), (130, 50), (1000, 200)] {
            assert_eq!(round_step(most), step, "{most}");
        }
        let texts = |low, high| ticks(low, high).into_iter().map(|t| t.1).collect::<Vec<_>>();
        assert_eq!(texts(0.003, 0.11), ["0.005", "0.01", "0.02", "0.05", "0.1"]);
        assert_eq!(texts(2e-5, 0.5), ["1e-4", "0.001", "0.01", "0.1"]);
        assert_eq!(texts(0.9, 2.1), ["1", "2"]);
        assert_eq!([short(0.012_345), short(1.5), short(1234.5)], ["0.0123", "1.50", "1234"]);
    }

    #[test]
    fn a_bar_is_as_high_as_its_count() {
        let svg = sizes(&[0.0, 0.01, 0.04, 0.04], "length", (0.025, "0.0250"));
        let read = roxmltree::Document::parse(&svg).unwrap();
        let bars: Vec<f64> = read
            .descendants()
            .filter(|n| n.has_tag_name("rect"))
            .map(|n| n.attribute("height").unwrap().parse().unwrap())
            .collect();
        assert_eq!(bars.len(), BINS + 1);
        let whole: f64 = bars.iter().sum();
        for (bar, share) in [(0, 0.25), (1, 0.25), (BINS, 0.5)] {
            assert!((bars[bar] / whole - share).abs() < 0.01, "{bars:?}");
        }
        for (values, text) in [(&[][..], "no strokes"), (&[0.0, 0.0][..], "every length is 0")] {
            assert!(sizes(values, "length", (0.0, "0")).contains(text));
        }
    }
}
