//! Windows for strokes and prices on paint.

use super::super::lab::{Arm, Lab, Paint};
use super::super::section::Section;
use super::super::statistics::{geometric_mean, median, range};
use super::{beside, change, percent, times};
use crate::commands::table::{Table, cells};
use crate::failure::Failure;
use serde_json::json;
use tbr::program::Program;

/// The floor ratios and the paint of an arm, by picture.
struct Series {
    ratios: Vec<f64>,
    paints: Vec<Paint>,
}

impl Series {
    fn of(lab: &Lab, arm: impl Fn(usize) -> Result<Arm, Failure>) -> Result<Self, Failure> {
        let (mut ratios, mut paints) = (Vec::new(), Vec::new());
        for (k, subject) in lab.subjects.iter().enumerate() {
            let program: Program = lab.fit(subject, &arm(k)?)?.program;
            let scores = lab.score(subject, &program, lab.sizes.side_px)?;
            ratios.push(scores.floor / scores.mse);
            paints.push(lab.paint(&program)?);
        }
        Ok(Self { ratios, paints })
    }

    fn ratio(&self) -> f64 {
        geometric_mean(&self.ratios)
    }

    /// The mean of something over the pictures.
    fn mean(&self, of: impl Fn(&Paint) -> f64) -> f64 {
        self.paints.iter().map(of).sum::<f64>() / self.paints.len().max(1) as f64
    }

    /// The fewest strokes larger than a pixel of 1024 x 1024 in any program, at least.
    fn effective(&self) -> bool {
        self.paints.iter().all(|p| p.smallest_px > 1.0)
    }
}

pub fn containment(lab: &Lab) -> Result<Section, Failure> {
    let free = Series::of(lab, |_| Ok(lab.joint()))?;
    let contained =
        Series::of(lab, |_| Ok(Arm::new("contained", lab.paper_with(|own| own.contain = true))))?;
    let mut table = vec![cells([
        &"picture",
        &"floor/MSE",
        &"contained",
        &"error",
        &"laid outside",
        &"off the canvas at the end",
    ])];
    let mut worse = Vec::new();
    for (k, subject) in lab.subjects.iter().enumerate() {
        worse.push(free.ratios[k] / contained.ratios[k] - 1.0);
        let paint = contained.paints[k];
        table.push(vec![
            subject.name.clone(),
            times(free.ratios[k]),
            times(contained.ratios[k]),
            change(worse[k]),
            percent(paint.laid_outside / paint.deposited),
            percent(paint.expelled / paint.deposited),
        ]);
    }
    let (low, high) = range(&worse);
    let text = format!(
        "The error changes by a median {}, {} to {} (paper +6.5 %, +3.7 to +15.0 %); the paper's programs end with 78 to 79 % of their paint off the canvas.",
        change(median(&worse)),
        change(low),
        change(high)
    );
    Ok(Section::default()
        .table(Table::new("Every footprint within the middle 64 % of the canvas", table))
        .text(text)
        .finding(
            "Containment holds for every stroke, and most paint still ends off the canvas",
            contained
                .paints
                .iter()
                .all(|p| p.laid_outside < 1e-9 && 2.0 * p.expelled > p.deposited),
            format!(
                "{} expelled on average",
                percent(contained.mean(|p| p.expelled / p.deposited))
            ),
        )
        .data(json!({ "error_change": worse })))
}

/// Prices of a canvas of paint, and the paper's: area, change, floor ratio, change, visible.
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
        &"smallest stroke over a pixel",
    ])];
    let mut all: Vec<Series> = Vec::new();
    for (price, paper) in AREA {
        let options = lab.paper_with(|own| {
            own.free_width = true;
            own.prices.length = 0.0;
            own.prices.area = price;
        });
        let series = Series::of(lab, |_| Ok(Arm::new(format!("area-{price}"), options.clone())))?;
        let area =
            |s: &Series| geometric_mean(&s.paints.iter().map(|p| p.deposited).collect::<Vec<_>>());
        let zero = all.first().unwrap_or(&series);
        table.push(vec![
            price.to_string(),
            beside(format!("{:.2}", area(&series)), paper[0]),
            format!("{:+.0} %", 100.0 * (area(&series) / area(zero) - 1.0)),
            beside(times(series.ratio()), paper[1]),
            format!("{:+.0} %", 100.0 * (series.ratio() / zero.ratio() - 1.0)),
            beside(format!("{:.0}", series.mean(|p| p.visible as f64)), paper[2]),
            (if series.effective() { "yes" } else { "no" }).into(),
        ]);
        all.push(series);
    }
    let removes_none = all.iter().all(Series::effective);
    let data: Vec<_> =
        all.iter().map(|s| json!({ "ratios": s.ratios, "paint": s.paints })).collect();
    Ok(Section::default()
        .table(Table::new(
            "A price on deposited paint (tab:budget), with a free half-width and no price on length. Here the pixel error is minimised, in the \
             paper the distance of deep features, so that its floor ratios, in brackets, are another series",
            table,
        ))
        .finding("A price on paint makes strokes smaller and removes none", removes_none, "the smallest stroke of every program is larger than a pixel of 1024 x 1024")
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

pub fn unseen(lab: &Lab) -> Result<Section, Failure> {
    let mut table =
        vec![cells([&"arm", &"floor/MSE", &"unseen", &"visible", &"smallest stroke over a pixel"])];
    let mut rows = Vec::new();
    for (price, paper) in UNSEEN {
        let options = lab.paper_with(|own| {
            own.free_width = true;
            own.prices.unseen = price;
        });
        let series = Series::of(lab, |_| Ok(Arm::new(format!("unseen-{price}"), options.clone())))?;
        rows.push((format!("price {price}"), series, paper));
    }
    let headline = Series::of(lab, |_| Ok(lab.joint()))?;
    let targeted = Series::of(lab, |k| {
        let subject = &lab.subjects[k];
        let program = lab.fit(subject, &lab.joint())?.program;
        let error = lab.score(subject, &program, lab.sizes.side_px)?.mse;
        let options = lab.paper_with(|own| {
            own.free_width = true;
            own.prices.unseen = 0.3;
            own.error_target = Some(ENOUGH * error);
        });
        Ok(Arm::new("error-target", options))
    })?;
    rows.push(("error target, price 0.3".into(), targeted, ["3.70x", "40 %", "62 %"]));
    for (name, series, paper) in &rows {
        table.push(vec![
            name.clone(),
            beside(times(series.ratio()), paper[0]),
            beside(percent(series.mean(|p| p.unseen)), paper[1]),
            beside(percent(series.mean(|p| p.visible as f64 / p.strokes as f64)), paper[2]),
            (if series.effective() { "yes" } else { "no" }).into(),
        ]);
    }
    let [first, .., last] = [&rows[0].1, &rows[1].1, &rows[2].1, &rows[3].1];
    let falls = last.mean(|p| p.unseen) < first.mean(|p| p.unseen);
    let data: Vec<_> = rows
        .iter()
        .map(|(name, s, _)| json!({ "arm": name, "ratios": s.ratios, "paint": s.paints }))
        .collect();
    Ok(Section::default()
        .table(Table::new("A price on paint that is not seen (tab:occ), with a free half-width; the paper's in brackets", table))
        .text(format!("The headline's floor ratio: {}.", beside(times(headline.ratio()), "3.67x")))
        .finding(
            "A price on unseen paint lowers its share and removes no stroke",
            falls && rows.iter().all(|r| r.1.effective()),
            format!("{} to {} unseen", percent(first.mean(|p| p.unseen)), percent(last.mean(|p| p.unseen))),
        )
        .data(data))
}
