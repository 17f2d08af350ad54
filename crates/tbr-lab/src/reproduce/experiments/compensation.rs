//! Programs fitted without transport, corrected in closed form instead of fitted with it.

use super::recovery::{Recovered, recovered};
use super::{beside, over, percent, times};
use crate::compensate::{Blocked, Compensated, Points, compensate};
use crate::reproduce::lab::Lab;
use crate::reproduce::section::Section;
use crate::reproduce::statistics::{Ratios, geometric_mean, median, range};
use crate::subject::Subject;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tbr::{Colour, Image, Operator, Program};
use tbr_io::Failure;
use tbr_io::digest::Digest;
use tbr_io::table::{Table, cells};

/// Longer side of the thumbnail.
const THUMBNAIL_PX: u32 = 64;

/// A corrected program.
#[derive(Clone, Serialize, Deserialize)]
struct Corrected {
    mse: f64,
    blocked: usize,
    /// How far strokes end from where they were meant to be: the median of the blocked ones,
    /// and the worst of the others.
    blocked_residual: Option<f64>,
    free_residual: Option<f64>,
}

/// One picture's program, corrected in three ways: anchors, both ends, and both ends with
/// blocked points skipped.
type Corrections = (Corrected, Corrected, Corrected);

fn corrected(
    lab: &Lab,
    subject: &Subject,
    inert: &Program,
    how: (Points, Blocked),
) -> Result<Corrected, Failure> {
    let (points, blocked) = how;
    let inputs = json!({
        "program": Digest::of_program(inert),
        "how": format!("{how:?}"),
        "side": lab.sizes.side_px,
        "picture": Digest::of_target(&subject.target(lab.sizes.side_px)?),
    });
    lab.cell("compensation", &inputs, || {
        let Compensated { program, blocked, residuals } =
            compensate(inert, Operator::Capsule, points, blocked)?;
        let of = |is: bool| -> Vec<f64> {
            residuals.iter().zip(&blocked).filter(|(_, b)| **b == is).map(|(r, _)| *r).collect()
        };
        Ok(Corrected {
            mse: lab.score(subject, &program, lab.sizes.side_px)?.mse,
            blocked: blocked.iter().filter(|b| **b).count(),
            blocked_residual: some(of(true)).map(|r| median(&r)),
            free_residual: some(of(false)).map(|r| range(&r).1),
        })
    })
}

fn corrections(lab: &Lab, subject: &Subject, inert: &Program) -> Result<Corrections, Failure> {
    Ok((
        corrected(lab, subject, inert, (Points::Anchor, Blocked::Clamp))?,
        corrected(lab, subject, inert, (Points::Ends, Blocked::Clamp))?,
        corrected(lab, subject, inert, (Points::Ends, Blocked::Skip))?,
    ))
}

pub fn run(lab: &Lab) -> Result<Section, Failure> {
    let rows = recovered(lab)?;
    let (mut data, mut thumbnails) = (Vec::new(), Vec::new());
    for (subject, r) in lab.subjects.iter().zip(&rows) {
        data.push(corrections(lab, subject, &r.inert)?);
        thumbnails.push(thumbnail(lab, subject)?);
    }
    let caption = "Closed-form compensation (tab:compensation): mean squared errors, strokes \
                   without a pre-image, and how far from its place a stroke ends (median of the \
                   blocked, worst of the free; the paper's 0.02 to 0.04 and 7.9e-5)";
    let errors = Errors::of(&rows, &data);
    let section = Section::default().table(Table::new(caption, by_picture(&rows, &data))).table(
        Table::new("Geometric means; the paper's in brackets", errors.by_method(&data, thumbnails)),
    );
    Ok(found(section, &rows, &errors, &data))
}

/// Each picture's errors, and what became of its strokes.
fn by_picture(rows: &[Recovered], data: &[Corrections]) -> Vec<Vec<String>> {
    let mut table = vec![cells([
        &"picture",
        &"flat floor",
        &"inert replay",
        &"anchor",
        &"endpoint",
        &"blocked skipped",
        &"joint",
        &"blocked",
        &"residual blocked",
        &"residual free",
    ])];
    for (r, (anchor, ends, skipped)) in rows.iter().zip(data) {
        let error = |v: f64| format!("{v:.4}");
        table.push(vec![
            r.picture.clone(),
            error(r.floor),
            error(r.inert_executed.mse),
            error(anchor.mse),
            error(ends.mse),
            error(skipped.mse),
            error(r.joint_executed.mse),
            format!("{} of {}", ends.blocked, r.inert.strokes().len()),
            ends.blocked_residual.map_or_else(|| "none".into(), error),
            ends.free_residual.map_or_else(|| "none".into(), |r| format!("{r:.1e}")),
        ]);
    }
    table
}

/// Mean squared errors by picture.
struct Errors {
    floors: Vec<f64>,
    joint: Vec<f64>,
    inert: Vec<f64>,
    /// With both ends put back.
    ends: Vec<f64>,
}

impl Errors {
    fn of(rows: &[Recovered], data: &[Corrections]) -> Self {
        Self {
            floors: rows.iter().map(|r| r.floor).collect(),
            joint: rows.iter().map(|r| r.joint_executed.mse).collect(),
            inert: rows.iter().map(|r| r.inert_executed.mse).collect(),
            ends: data.iter().map(|d| d.1.mse).collect(),
        }
    }

    /// The methods' means, and how they compare with joint recovery.
    fn by_method(&self, data: &[Corrections], thumbnails: Vec<f64>) -> Vec<Vec<String>> {
        let Self { floors, joint, inert, ends } = self;
        let methods = [
            ("flat floor", floors.clone(), "3.67x"),
            ("64 pixel thumbnail", thumbnails, "0.84x"),
            ("inert replay", inert.clone(), "6.50x"),
            ("anchor pre-image", data.iter().map(|d| d.0.mse).collect(), "4.42x"),
            ("endpoint pre-image", ends.clone(), "3.70x"),
            ("endpoint, blocked skipped", data.iter().map(|d| d.2.mse).collect(), "3.65x"),
            ("joint recovery", joint.clone(), "1.00x"),
        ];
        let mut table = vec![cells([&"method", &"geometric mean of MSE", &"against joint"])];
        for (name, values, paper) in &methods {
            let against = times(geometric_mean(&over(values, joint)));
            table.push(vec![
                (*name).into(),
                format!("{:.6}", geometric_mean(values)),
                beside(against, paper),
            ]);
        }
        table
    }
}

/// What compensation is worth, and whether the paper's finding holds.
fn found(section: Section, rows: &[Recovered], errors: &Errors, data: &[Corrections]) -> Section {
    let Errors { floors, joint, inert, ends } = errors;
    let removed = median(&ends.iter().zip(inert).map(|(e, i)| 1.0 - e / i).collect::<Vec<_>>());
    let count = rows.len();
    // Where there is a gap.
    let gaps = (0..count).filter(|&k| inert[k] > joint[k]);
    let closed: Vec<f64> = gaps.map(|k| (inert[k] - ends[k]) / (inert[k] - joint[k])).collect();
    let share =
        |(d, r): (&Corrections, &Recovered)| d.1.blocked as f64 / r.inert.strokes().len() as f64;
    let blocked: Vec<f64> = data.iter().zip(rows).map(share).collect();
    let between = (0..count).filter(|&k| joint[k] < ends[k] && ends[k] < inert[k]).count();
    let beats = ends.iter().zip(floors).filter(|(e, f)| e < f).count();
    let (least, most) = range(&blocked);
    let against = Ratios::of(&over(ends, joint));
    section
        .text(format!(
            "Endpoint compensation removes a median {} of the inert error (paper 44.6 %), closes \
             a median {} of the gap to joint recovery (52.4 %), and is below the flat floor on \
             {beats} of {count} (2 of 5). Its error is {} {} that of joint recovery (3.70x [2.44, \
             5.60]).",
            percent(removed),
            percent(median(&closed)),
            times(against.mean),
            against.interval_text()
        ))
        .finding(
            "Compensation lies between inert replay and joint recovery, with most strokes blocked",
            between == count && least > 0.5,
            format!(
                "{between}/{count}; {} to {} blocked (paper 68 to 73 %)",
                percent(least),
                percent(most)
            ),
        )
        .data(json!({
            "rows": data,
            "blocked_share": blocked,
            "gap_closed": closed,
            "against_joint": against,
        }))
}

/// Numbers, if there are any.
fn some(values: Vec<f64>) -> Option<Vec<f64>> {
    (!values.is_empty()).then_some(values)
}

/// The error of the picture made small and large again.
fn thumbnail(lab: &Lab, subject: &Subject) -> Result<f64, Failure> {
    let target = subject.target(lab.sizes.side_px)?;
    let small = target.at_most(THUMBNAIL_PX);
    Ok(target.error(|pixel| bilinear(small.image(), target.image(), pixel)))
}

/// The colour of a small picture at a large one's pixel.
fn bilinear(small: &Image, large: &Image, pixel: usize) -> Colour {
    let (i, j) = (pixel as u32 % large.width_px(), pixel as u32 / large.width_px());
    let place = |at: u32, large: u32, small: u32| {
        let place = (f64::from(at) + 0.5) * f64::from(small) / f64::from(large) - 0.5;
        let place = place.clamp(0.0, f64::from(small - 1));
        let low = (place.floor() as u32).min(small.saturating_sub(2));
        (low as usize, (low + 1).min(small - 1) as usize, place - f64::from(low))
    };
    let (left, right, x) = place(i, large.width_px(), small.width_px());
    let (top, bottom, y) = place(j, large.height_px(), small.height_px());
    std::array::from_fn(|c| {
        let across = |row: usize| {
            let row = small.row(row);
            (1.0 - x) * row[left][c] + x * row[right][c]
        };
        (1.0 - y) * across(top) + y * across(bottom)
    })
}
