//! Statistics of a program's strokes and of its paint: deposited, expelled and unseen.

use serde::{Deserialize, Serialize};
use tbr::Program;
use tbr::info::{DRAWN_LENGTH, Info, Spread};
use tbr_io::Failure;

/// The least half-width of the paper's solver, on a canvas of area 1, and what is as good as it.
const LEAST_HALF_WIDTH: f64 = 0.6 * 0.005;
const THINNEST: f64 = 1.01 * LEAST_HALF_WIDTH;

/// Counts of strokes, and areas in canvases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaintFigures {
    pub strokes: usize,
    pub visible: usize,
    pub deposited: f64,
    pub expelled: f64,
    pub laid_outside: f64,
    pub unseen: f64,
    pub drawn: f64,
    pub longer_than_wide: f64,
    /// Quartiles and ninetieth percentile of length over half-width, of what is drawn.
    pub aspects: [f64; 4],
    /// Visible shares of the first and of the last tenth of the strokes.
    pub deciles: [f64; 2],
    /// Strokes as thin as the paper's solver lets them be.
    pub thinnest: usize,
}

impl PaintFigures {
    /// Counts at so many pixels across.
    pub fn of(program: &Program, width_px: u32) -> Result<Self, Failure> {
        let info = Info::new(program, None, width_px)?;
        let shapes = || program.strokes().iter().map(|s| &s.shape);
        let drawn = shapes().filter(|s| s.length() >= DRAWN_LENGTH);
        let aspect = Spread::of(drawn.map(|s| s.length() / s.half_width).collect());
        let thinnest = THINNEST * program.height().sqrt();
        Ok(Self {
            strokes: info.strokes,
            visible: info.visible_strokes,
            deposited: info.deposited_area,
            expelled: info.expelled_area,
            laid_outside: info.laid_outside_area,
            unseen: info.unseen_share,
            drawn: info.drawn,
            longer_than_wide: info.longer_than_wide,
            aspects: [aspect.q1, aspect.median, aspect.q3, aspect.p90],
            deciles: [info.visible_by_decile[0], info.visible_by_decile[9]],
            thinnest: shapes().filter(|s| s.half_width < thinnest).count(),
        })
    }
}
