//! Constraints on strokes' places and penalties on paint.

use super::{beside, change, percent, times};
use crate::fits::Arm;
use crate::reproduce::lab::{Lab, floor_ratio};
use crate::reproduce::paint::PaintFigures;
use crate::reproduce::section::Section;
use crate::reproduce::statistics::{geometric_mean, median, range};
use serde_json::{Value, json};
use tbr::Program;
use tbr_io::Failure;
use tbr_io::table::{Table, cells};

/// The programs of an arm, their floor ratios and their paint, by picture.
struct Series {
    programs: Vec<Program>,
    ratios: Vec<f64>,
    paints: Vec<PaintFigures>,
}

impl Series {
    fn of(lab: &Lab, arm: impl Fn(usize) -> Result<Arm, Failure>) -> Result<Self, Failure> {
        let (mut programs, mut ratios, mut paints) = (Vec::new(), Vec::new(), Vec::new());
        for (k, subject) in lab.subjects.iter().enumerate() {
            let (program, scores) = lab.fit_and_score(subject, &arm(k)?)?;
            ratios.push(floor_ratio(&scores));
            paints.push(lab.paint(&program)?);
            programs.push(program);
        }
        Ok(Self { programs, ratios, paints })
    }

    fn ratio(&self) -> f64 {
        geometric_mean(&self.ratios)
    }

    /// The mean of something over the pictures.
    fn mean(&self, of: impl Fn(&PaintFigures) -> f64) -> f64 {
        self.paints.iter().map(of).sum::<f64>() / self.paints.len().max(1) as f64
    }

    /// The geometric mean of something over the pictures.
    fn geometric(&self, of: impl Fn(&PaintFigures) -> f64) -> f64 {
        geometric_mean(&self.paints.iter().map(of).collect::<Vec<_>>())
    }

    /// Deposited paint, canvases.
    fn area(&self) -> f64 {
        self.geometric(|p| p.deposited)
    }

    /// Share of the paint that ends off the canvas.
    fn expelled(&self) -> f64 {
        self.mean(|p| p.expelled / p.deposited)
    }

    /// Strokes, in all programs, that are as thin as they may be: what a price would make of
    /// one that it removes.
    fn thinnest(&self) -> usize {
        self.paints.iter().map(|p| p.thinnest).sum()
    }

    fn data(&self, arm: &str) -> Value {
        json!({ "arm": arm, "floor_ratios": self.ratios, "paint": self.paints })
    }
}

pub fn containment(lab: &Lab) -> Result<Section, Failure> {
    let free = Series::of(lab, |_| Ok(lab.joint()))?;
    let arm = || Arm::new("contained", lab.paper_with(|own| own.contain = true));
    let contained = Series::of(lab, |_| Ok(arm()))?;
    let mut table = vec![cells([
        &"picture",
        &"floor/MSE",
        &"contained",
        &"error",
        &"off the canvas at the end",
        &"contained",
    ])];
    let mut worse = Vec::new();
    for (k, subject) in lab.subjects.iter().enumerate() {
        worse.push(free.ratios[k] / contained.ratios[k] - 1.0);
        let off = |series: &Series| percent(series.paints[k].expelled / series.paints[k].deposited);
        table.push(vec![
            subject.name.clone(),
            times(free.ratios[k]),
            times(contained.ratios[k]),
            change(worse[k]),
            off(&free),
            off(&contained),
        ]);
    }
    let (low, high) = range(&worse);
    let text = format!(
        "The error changes by a median {}, {} to {} (paper +6.5 %, +3.7 to +15.0 %).",
        change(median(&worse)),
        change(low),
        change(high)
    );
    let [before, after] = [free.expelled(), contained.expelled()];
    Ok(Section::default()
        .table(Table::new("Every footprint within the middle 64 % of the canvas", table))
        .text(text)
        .finding(
            "Containment holds for every stroke, and as much paint ends off the canvas as without",
            contained.programs.iter().all(is_contained) && (after - before).abs() < 0.05,
            format!("{}, {} without (paper 78 to 79 %)", percent(after), percent(before)),
        )
        .data([free.data("joint"), contained.data("contained")]))
}

/// Are all footprints within the middle 0.8 by 0.8 of the canvas?
fn is_contained(program: &Program) -> bool {
    let inside = |from: f64, to: f64, half_width: f64, side: f64| {
        let slack = 1e-9;
        let (low, high) = (from.min(to) - half_width, from.max(to) + half_width);
        low >= 0.1 * side - slack && high <= 0.9 * side + slack
    };
    program.strokes().iter().all(|stroke| {
        let s = &stroke.shape;
        let end = s.anchor + s.offset;
        inside(s.anchor.x, end.x, s.half_width, 1.0)
            && inside(s.anchor.y, end.y, s.half_width, program.height())
    })
}

/// Prices of a canvas of paint, and the paper's: paint, floor ratio, visible strokes.
const AREA: [(f64, [&str; 3]); 4] = [
    (0.0, ["6.76", "1.75x", "1215"]),
    (0.03, ["2.50", "1.74x", "1217"]),
    (0.3, ["1.51", "1.69x", "1267"]),
    (1.0, ["1.16", "1.66x", "1353"]),
];

pub fn budget(lab: &Lab) -> Result<Section, Failure> {
    let mut table = vec![cells([
        &"price",
        &"paint, canvases",
        &"against 0",
        &"floor/MSE",
        &"against 0",
        &"visible strokes",
        &"strokes as thin as may be",
    ])];
    let mut all: Vec<Series> = Vec::new();
    for (price, paper) in AREA {
        let options = lab.paper_with(|own| {
            own.free_width = true;
            own.prices.length = 0.0;
            own.prices.area = price;
        });
        let series = Series::of(lab, |_| Ok(Arm::new(format!("area-{price}"), options.clone())))?;
        let zero = all.first().unwrap_or(&series);
        table.push(vec![
            price.to_string(),
            beside(format!("{:.2}", series.area()), paper[0]),
            change(series.area() / zero.area() - 1.0),
            beside(times(series.ratio()), paper[1]),
            change(series.ratio() / zero.ratio() - 1.0),
            beside(format!("{:.0}", series.geometric(|p| p.visible as f64)), paper[2]),
            series.thinnest().to_string(),
        ]);
        all.push(series);
    }
    let [first, .., last] = all.as_slice() else { return Ok(Section::default()) };
    let (less, worse) = (last.area() / first.area() - 1.0, last.ratio() / first.ratio() - 1.0);
    let thinnest: usize = all.iter().map(Series::thinnest).sum();
    let data: Vec<Value> =
        AREA.iter().zip(&all).map(|((price, _), s)| s.data(&price.to_string())).collect();
    Ok(Section::default()
        .table(Table::new(
            "A price on deposited paint (tab:budget), with a free half-width and no price on \
             length. Here the pixel error is minimised, in the paper the distance of deep \
             features, so that its floor ratios, in brackets, are another series. Of the first \
             row the program with the least error is kept, of the others the last",
            table,
        ))
        .finding(
            "A price on paint takes most of it away, makes strokes smaller and removes none",
            less < -0.5 && thinnest == 0,
            format!(
                "paint {}, floor ratio {} (paper -83 %, -5 %); {thinnest} strokes as thin as may be",
                change(less),
                change(worse)
            ),
        )
        .data(data))
}

/// Prices of unseen paint, and the paper's: floor ratio, unseen, visible.
const UNSEEN: [(f64, [&str; 3]); 4] = [
    (0.0, ["3.98x", "83 %", "59 %"]),
    (0.1, ["4.01x", "46 %", "60 %"]),
    (0.3, ["3.95x", "34 %", "62 %"]),
    (1.0, ["3.95x", "24 %", "67 %"]),
];
/// The error that is enough, as a factor of the headline's.
const ENOUGH: f64 = 1.05;

/// A price on unseen paint, and perhaps an error that is enough.
fn unseen_arm(lab: &Lab, price: f64, enough: Option<f64>) -> Arm {
    let options = lab.paper_with(|own| {
        own.free_width = true;
        own.prices.unseen = price;
        own.error_target = enough;
    });
    match enough {
        Some(_) => Arm::new("error-target", options),
        None if price == 0.0 => lab.free_width(),
        None => Arm::new(format!("unseen-{price}"), options),
    }
}

pub fn unseen(lab: &Lab) -> Result<Section, Failure> {
    let headline = Series::of(lab, |_| Ok(lab.joint()))?;
    let mut rows = Vec::new();
    for (price, paper) in UNSEEN {
        let series = Series::of(lab, |_| Ok(unseen_arm(lab, price, None)))?;
        rows.push((format!("price {price}"), series, paper));
    }
    let [first, .., last] = &rows[..] else { return Ok(Section::default()) };
    let [most, least] = [first, last].map(|(_, series, _)| series.mean(|p| p.unseen));
    let targeted = Series::of(lab, |k| {
        let (_, scores) = lab.fit_and_score(&lab.subjects[k], &lab.joint())?;
        Ok(unseen_arm(lab, 0.3, Some(ENOUGH * scores.mse)))
    })?;
    rows.push(("error target, price 0.3".into(), targeted, ["3.70x", "40 %", "62 %"]));
    let mut table = vec![cells([
        &"arm",
        &"floor/MSE",
        &"against headline",
        &"unseen",
        &"visible",
        &"strokes as thin as may be",
    ])];
    for (name, series, paper) in &rows {
        table.push(vec![
            name.clone(),
            beside(times(series.ratio()), paper[0]),
            change(series.ratio() / headline.ratio() - 1.0),
            beside(percent(series.mean(|p| p.unseen)), paper[1]),
            beside(percent(series.mean(|p| p.visible as f64 / p.strokes as f64)), paper[2]),
            series.thinnest().to_string(),
        ]);
    }
    let thinnest: usize = rows.iter().map(|(_, series, _)| series.thinnest()).sum();
    let data: Vec<Value> = rows.iter().map(|(name, series, _)| series.data(name)).collect();
    Ok(Section::default()
        .table(Table::new(
            "A price on paint that is not seen (tab:occ), with a free half-width; the paper's in \
             brackets",
            table,
        ))
        .finding(
            "A price on unseen paint lowers its share and removes no stroke",
            least < most && thinnest == 0,
            format!(
                "{} to {} unseen; {thinnest} strokes as thin as may be",
                percent(most),
                percent(least)
            ),
        )
        .data(data))
}
