//! `tab:foliation`: the discrepancy D between the capsule, the sixteen drops and
//! the line source.

use super::{Comparison, worst};
use crate::calibrate::unit_stroke;
use serde::Serialize;
use tbr::numbers::{Vec2, vec2};
use tbr::stroke::{Capsule, Drops, Frame, Transport, coupling, line_source};

/// Points of the parallel curve in each quadrant, even in arclength. Ten times
/// as many move no figure by 0.001 %.
const PER_QUADRANT: usize = 500;

/// Aspect ratios of the table, with the paper's three figures in per cent.
const PAPER: [(f64, [f64; 3]); 9] = [
    (0.1, [1.8, 0.2, 1.8]),
    (0.25, [4.5, 0.6, 4.6]),
    (0.5, [8.8, 1.3, 8.9]),
    (1.0, [16.5, 3.5, 16.9]),
    (1.5, [22.6, 6.2, 23.5]),
    (2.0, [26.9, 9.2, 28.5]),
    (3.0, [30.7, 14.6, 34.1]),
    (5.0, [29.0, 20.6, 35.7]),
    (10.0, [30.0, 22.6, 34.0]),
];

/// One aspect ratio; figures in per cent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FoliationRow {
    /// l/r.
    pub aspect: f64,
    /// D(psi_A, psi_L).
    pub capsule_line: Comparison,
    /// D(psi_D, psi_L).
    pub drops_line: Comparison,
    /// D(psi_A, psi_D).
    pub capsule_drops: Comparison,
}

/// The nine rows of the table.
pub fn foliation() -> Vec<FoliationRow> {
    PAPER.iter().map(|&(aspect, paper)| row(aspect, paper)).collect()
}

fn row(aspect: f64, paper: [f64; 3]) -> FoliationRow {
    let curve = Curve::new(aspect, 2.0);
    let capsule = curve.images(Capsule::psi);
    let drops = curve.images(Drops::psi);
    let line = curve.line_source();
    let figure = |first, second, paper| Comparison {
        measured: 100.0 * curve.discrepancy(first, second),
        paper,
    };
    FoliationRow {
        aspect,
        capsule_line: figure(&capsule, &line, paper[0]),
        drops_line: figure(&drops, &line, paper[1]),
        capsule_drops: figure(&capsule, &drops, paper[2]),
    }
}

/// A parallel curve of a stroke of half-width 1, sampled in all four quadrants.
pub(super) struct Curve {
    pub stroke: Frame<f64>,
    /// Quadrant by quadrant, each from the flank's midpoint to the tip.
    pub points: Vec<Vec2<f64>>,
}

const QUADRANTS: [Vec2<f64>; 4] = [
    Vec2 { x: 1.0, y: 1.0 },
    Vec2 { x: -1.0, y: 1.0 },
    Vec2 { x: 1.0, y: -1.0 },
    Vec2 { x: -1.0, y: -1.0 },
];

/// Leaf coordinates of the samples in a quadrant.
pub(super) fn leaves() -> impl Iterator<Item = f64> {
    (0..PER_QUADRANT).map(|k| 0.5 * (k as f64 + 0.5) / PER_QUADRANT as f64)
}

impl Curve {
    /// At `distance` half-widths from the segment, for the coefficients of the
    /// frozen table.
    pub fn new(aspect: f64, distance: f64) -> Self {
        let stroke = unit_stroke(aspect, coupling::at(aspect).0);
        let points = QUADRANTS
            .iter()
            .flat_map(|&quadrant| leaves().map(move |nu| stroke.point_at(quadrant, nu, distance)))
            .collect();
        Self { stroke, points }
    }

    /// Where a map takes the points.
    pub fn images(&self, map: impl Fn(&Frame<f64>, Vec2<f64>) -> Vec2<f64>) -> Vec<Vec2<f64>> {
        self.points.iter().map(|&x| map(&self.stroke, x)).collect()
    }

    /// Where the line source takes them: integrated in one quadrant, mirrored
    /// into the others.
    pub fn line_source(&self) -> Vec<Vec2<f64>> {
        let quadrant: Vec<_> = self.points[..PER_QUADRANT]
            .iter()
            .map(|&x| line_source::psi(&self.stroke, x))
            .collect();
        QUADRANTS
            .iter()
            .flat_map(|sign| quadrant.iter().map(|p| vec2(sign.x * p.x, sign.y * p.y)))
            .collect()
    }

    /// D of the paper: largest distance between two images over the mean
    /// displacement of the first.
    pub fn discrepancy(&self, first: &[Vec2<f64>], second: &[Vec2<f64>]) -> f64 {
        let apart = first.iter().zip(second).map(|(&a, &b)| (a - b).norm());
        worst(apart) / self.mean_displacement(first)
    }

    /// Mean distance between the points and their images.
    pub fn mean_displacement(&self, images: &[Vec2<f64>]) -> f64 {
        let moved = self.points.iter().zip(images).map(|(&x, &y)| (x - y).norm());
        moved.sum::<f64>() / self.points.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_of_the_table_is_the_papers_to_the_digit() {
        for row in foliation() {
            for figure in [row.capsule_line, row.drops_line, row.capsule_drops] {
                let [ours, paper] = [figure.measured, figure.paper].map(|f| format!("{f:.1}"));
                assert_eq!(ours, paper, "l/r = {}: {}", row.aspect, figure.measured);
            }
        }
    }
}
