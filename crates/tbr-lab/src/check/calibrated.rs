//! How near the calibrated operator comes to the line source, and what no map of
//! its kind can do.

use super::foliation::{Curve, leaves};
use super::worst;
use crate::calibrate::{CalibrationOptions, Misfit, misfits, unit_stroke};
use serde::Serialize;
use tbr::numbers::{Vec2, vec2};
use tbr::stroke::{Calibrated, Capsule, Frame, Transport, coupling, line_source};

/// Those of `tab:foliation`, and the upper end of what occurs in programs.
const ASPECTS: [f64; 11] = [0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 10.0];

/// Where D is measured, and where its far-field twin is, in half-widths.
const NEAR: f64 = 2.0;
const FAR: f64 = 8.0;

/// Pieces of a polyline that stands for an edge or a leaf of the chart. Its
/// chords are off by less than 1e-5 half-widths.
const PIECES: usize = 400;

/// One aspect ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibratedRow {
    /// l/r.
    pub aspect: f64,
    /// D(psi_A, psi_L) of the capsule, per cent.
    pub capsule_percent: f64,
    /// D(psi_g, psi_L) of the calibrated operator, per cent.
    pub calibrated_percent: f64,
    /// A map that keeps v cannot do better: the largest distance from psi_L(x) to
    /// the leaf {v = const} of x, over the calibrated map's mean displacement,
    /// per cent.
    pub bound_percent: f64,
    /// Largest distance between the edges of the capsule's deposit and the line
    /// source's, in half-widths.
    pub edge_capsule: f64,
    /// The same for the calibrated deposit.
    pub edge_calibrated: f64,
    /// D of the capsule at eight half-widths from the segment, per cent.
    pub far_capsule_percent: f64,
    /// The same for the calibrated operator: the increment cannot fade with
    /// distance, so short strokes lose here.
    pub far_calibrated_percent: f64,
    /// Forward misfit of the table's coefficients on the points of the fit.
    pub fitted: Misfit,
    /// The same on held-out points.
    pub held_out: Misfit,
}

/// What the paper prints for one aspect ratio, in the units of [`CalibratedRow`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibratedPaper {
    /// l/r.
    pub aspect: f64,
    /// D(psi_A, psi_L).
    pub capsule_percent: f64,
    /// D(psi_g, psi_L).
    pub calibrated_percent: f64,
    /// The structural bound.
    pub bound_percent: f64,
    /// Edge error of the capsule.
    pub edge_capsule: f64,
    /// Edge error of the calibrated operator.
    pub edge_calibrated: f64,
}

/// All rows, and the paper's figures for one of them.
#[derive(Clone, Debug, Serialize)]
pub struct CalibratedCheck {
    /// By ascending aspect ratio.
    pub rows: Vec<CalibratedRow>,
    /// Sec. 4.2 of the paper.
    pub paper: CalibratedPaper,
}

/// The comparison at every aspect ratio.
pub fn calibrated() -> CalibratedCheck {
    CalibratedCheck {
        rows: ASPECTS.iter().map(|&aspect| row(aspect)).collect(),
        paper: CalibratedPaper {
            aspect: 2.0,
            capsule_percent: 27.0,
            calibrated_percent: 8.0,
            bound_percent: 5.6,
            edge_capsule: 0.17,
            edge_calibrated: 0.03,
        },
    }
}

fn row(aspect: f64) -> CalibratedRow {
    let near = Discrepancies::at(aspect, NEAR);
    let far = Discrepancies::at(aspect, FAR);
    let value = coupling::at(aspect).0;
    let (fitted, held_out) = misfits(aspect, value, &CalibrationOptions::default());
    CalibratedRow {
        aspect,
        capsule_percent: 100.0 * near.capsule,
        calibrated_percent: 100.0 * near.calibrated,
        bound_percent: 100.0 * near.bound,
        edge_capsule: edge_error(&unit_stroke(aspect, [0.0; 3])),
        edge_calibrated: edge_error(&unit_stroke(aspect, value)),
        far_capsule_percent: 100.0 * far.capsule,
        far_calibrated_percent: 100.0 * far.calibrated,
        fitted,
        held_out,
    }
}

/// D of both operators on one parallel curve, and what bounds it.
struct Discrepancies {
    capsule: f64,
    calibrated: f64,
    bound: f64,
}

impl Discrepancies {
    fn at(aspect: f64, distance: f64) -> Self {
        let curve = Curve::new(aspect, distance);
        let line = curve.line_source();
        let calibrated = curve.images(Calibrated::psi);
        let off_leaf = worst(
            leaves().zip(&line).map(|(nu, &p)| distance_to(&leaf(&curve.stroke, nu, distance), p)),
        );
        Self {
            capsule: curve.discrepancy(&curve.images(Capsule::psi), &line),
            calibrated: curve.discrepancy(&calibrated, &line),
            bound: off_leaf / curve.mean_displacement(&calibrated),
        }
    }
}

/// The leaf {v = const} from the segment out to `distance`.
fn leaf(stroke: &Frame<f64>, nu: f64, distance: f64) -> Vec<Vec2<f64>> {
    // The chart has no direction on the segment itself, hence not from 0.
    let sigma = |k: usize| distance * (k as f64 / PIECES as f64).max(1e-9);
    (0..=PIECES).map(|k| stroke.point_at(vec2(1.0, 1.0), nu, sigma(k))).collect()
}

/// Largest distance between the edge of a stroke's calibrated deposit and that
/// of the line source's, either way, in half-widths. (Without coefficients the
/// calibrated deposit is the capsule.) One quadrant stands for all four.
fn edge_error(stroke: &Frame<f64>) -> f64 {
    let part = |k: usize| k as f64 / PIECES as f64;
    let ours: Vec<_> = (0..=PIECES)
        .map(|k| 0.5 * part(k))
        .map(|nu| stroke.point_at(vec2(1.0, 1.0), nu, Calibrated::edge(stroke, nu)))
        .collect();
    // The segment's last thousandth becomes the deposit's tip: crowded there.
    let reference: Vec<_> =
        (0..=PIECES).map(|k| line_source::edge(stroke, 1.0 - (1.0 - part(k)).powi(3))).collect();
    let one_way =
        |from: &[Vec2<f64>], to: &[Vec2<f64>]| worst(from.iter().map(|&p| distance_to(to, p)));
    worst([one_way(&ours, &reference), one_way(&reference, &ours)]) / stroke.half_width
}

/// Distance from a point to a polyline.
fn distance_to(line: &[Vec2<f64>], p: Vec2<f64>) -> f64 {
    let to_piece = |ends: &[Vec2<f64>]| {
        let (along, from) = (ends[1] - ends[0], p - ends[0]);
        let share = (from.dot(along) / along.dot(along).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (from - along * share).norm()
    };
    line.windows(2).map(to_piece).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calibrated_operator_keeps_the_papers_bounds() {
        let check = calibrated();
        for row in &check.rows {
            assert!(row.bound_percent <= row.calibrated_percent, "{row:?}");
            assert!(row.held_out.rms < 1.05 * row.fitted.rms, "{row:?}");
            if (0.5..=6.0).contains(&row.aspect) {
                assert!(row.calibrated_percent < 8.8, "{row:?}");
                assert!(row.edge_calibrated < row.edge_capsule, "{row:?}");
            }
        }
        let median = check.rows.iter().find(|row| row.aspect == check.paper.aspect).unwrap();
        assert_eq!(median.calibrated_percent.round(), check.paper.calibrated_percent);
        assert_eq!(median.capsule_percent.round(), check.paper.capsule_percent);
        assert_eq!(format!("{:.1}", median.bound_percent), "5.6");
        assert_eq!(format!("{:.2}", median.edge_calibrated), "0.03");
        assert!((median.edge_capsule - check.paper.edge_capsule).abs() < 0.01, "{median:?}");
    }

    #[test]
    fn it_keeps_them_between_the_knots_of_the_table() {
        for aspect in [0.6, 0.87, 1.12, 1.75, 2.2, 2.8, 3.3, 3.8, 4.5, 5.5] {
            let percent = 100.0 * Discrepancies::at(aspect, NEAR).calibrated;
            assert!(percent < 8.8, "l/r = {aspect}: {percent} %");
        }
    }
}
