//! The map between pixels and canvas units. Nothing else converts between them.

use crate::error::{Error, Result};
use crate::numbers::{Vec2, vec2};
use crate::program::Program;

/// The widest and highest picture: what PNG can say is more, what a disk can
/// hold is less.
pub const MAX_SIDE_PX: u32 = 1_000_000;

/// The most pixels of a picture that is held in memory, or whose owners are counted: 400 MB as
/// colours, so that a picture and its target fit into a gigabyte, and a few seconds of counting.
/// (Pictures that are written to files strip by strip may have more.)
pub const MAX_IMAGE_PX: u64 = 1 << 24;

/// The smallest side of a region: float64 can no longer tell its pixels apart.
const MIN_REGION: f64 = 1e-12;

/// A rectangle of the canvas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Region {
    /// The whole canvas of a program.
    pub fn canvas(program: &Program) -> Self {
        Self { x: 0.0, y: 0.0, width: 1.0, height: program.height() }
    }
}

impl std::str::FromStr for Region {
    type Err = Error;

    /// Reads `x,y,width,height`.
    fn from_str(text: &str) -> Result<Self> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[x, y, width, height]) => Ok(Self { x, y, width, height }),
            _ => Err(Error::Request(format!(
                "\"{text}\" is no region: four numbers are needed, as in 0.25,0.25,0.5,0.5"
            ))),
        }
    }
}

/// A grid of sample points over a region of the canvas, at the centres of
/// `width_px` by `height_px` equal cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// What is seen.
    pub region: Region,
    /// Cells across.
    pub width_px: u32,
    /// Cells down.
    pub height_px: u32,
}

impl View {
    /// A view of `region`, with the missing sides chosen so that pixels are
    /// square; 1024 pixels wide if none is given.
    pub fn new(region: Region, width_px: Option<u32>, height_px: Option<u32>) -> Result<Self> {
        let Region { x, y, width, height } = region;
        let sane = [x, y, width, height].iter().all(|v| v.abs() <= 1e6); // false for NaN
        if !sane || width < MIN_REGION || height < MIN_REGION {
            let message = format!(
                "the region {x},{y},{width},{height} is not finite, or smaller than {MIN_REGION:e}"
            );
            return Err(Error::Request(message));
        }
        let ratio = height / width;
        let scaled = |side: u32, by: f64| (f64::from(side) * by).round().max(1.0);
        let (across, down) = match (width_px, height_px) {
            (Some(w), Some(h)) => {
                check_square(ratio, w, h)?;
                (f64::from(w), f64::from(h))
            }
            (None, Some(h)) => (scaled(h, 1.0 / ratio), f64::from(h)),
            (w, None) => (f64::from(w.unwrap_or(1024)), scaled(w.unwrap_or(1024), ratio)),
        };
        if across < 1.0 || down < 1.0 {
            return Err(Error::Request("a picture is at least 1 pixel wide and high".into()));
        }
        let most = f64::from(MAX_SIDE_PX);
        if across > most || down > most {
            let what = format!("a picture of {across} x {down} pixels");
            return Err(Error::limit(what, format!("{MAX_SIDE_PX} pixels a side")));
        }
        Ok(Self { region, width_px: across as u32, height_px: down as u32 })
    }

    /// The whole canvas of a program, so many pixels wide.
    pub fn of_canvas(program: &Program, width_px: u32) -> Result<Self> {
        Self::new(Region::canvas(program), Some(width_px), None)
    }

    /// The whole canvas of a program, so many pixels wide, or as wide as [`MAX_IMAGE_PX`] lets it
    /// be: tall canvases are seen with larger pixels.
    pub fn of_canvas_within(program: &Program, width_px: u32) -> Result<Self> {
        Self::of_canvas_bounded(program, width_px, MAX_IMAGE_PX)
    }

    /// The same for another bound of pixels.
    pub(crate) fn of_canvas_bounded(
        program: &Program,
        width_px: u32,
        most_px: u64,
    ) -> Result<Self> {
        let most = most_px as f64;
        let widest = (most / program.height()).sqrt().floor();
        // Rows are whole, and there may be half a row more than the canvas's height says.
        let rows = (widest * program.height()).round().max(1.0);
        Self::of_canvas(program, width_px.min(widest.min(most / rows) as u32))
    }

    /// Refuses more than [`MAX_IMAGE_PX`] pixels.
    pub fn check_pixels(&self) -> Result<()> {
        check_pixels(self.size())
    }

    /// The same region with every cell cut into `n` by `n`.
    pub fn refined(self, n: u32) -> Self {
        Self { width_px: self.width_px * n, height_px: self.height_px * n, ..self }
    }

    /// How many cells there are.
    pub fn pixels(&self) -> usize {
        self.width_px as usize * self.height_px as usize
    }

    /// Cells across and down.
    pub fn size(&self) -> (u32, u32) {
        (self.width_px, self.height_px)
    }

    /// Size of one cell.
    pub fn pixel(&self) -> Vec2<f64> {
        vec2(
            self.region.width / f64::from(self.width_px),
            self.region.height / f64::from(self.height_px),
        )
    }

    /// Centre of the cell in column `i` and row `j`.
    pub fn centre(&self, i: u32, j: u32) -> Vec2<f64> {
        let Region { x, y, width, height } = self.region;
        vec2(
            x + (f64::from(i) + 0.5) / f64::from(self.width_px) * width,
            y + (f64::from(j) + 0.5) / f64::from(self.height_px) * height,
        )
    }
}

/// Refuses pictures of more than [`MAX_IMAGE_PX`] pixels.
pub fn check_pixels((width_px, height_px): (u32, u32)) -> Result<()> {
    if u64::from(width_px) * u64::from(height_px) <= MAX_IMAGE_PX {
        return Ok(());
    }
    let what =
        format!("{width_px} x {height_px} pixels are too many to hold in memory or to count");
    Err(Error::limit(what, format!("{MAX_IMAGE_PX} pixels")))
}

/// Both sides given: they must agree with the region to within a pixel.
fn check_square(ratio: f64, width_px: u32, height_px: u32) -> Result<()> {
    let fits = (f64::from(width_px) * ratio - f64::from(height_px)).abs() <= 1.0
        || (f64::from(height_px) / ratio - f64::from(width_px)).abs() <= 1.0;
    if fits {
        return Ok(());
    }
    Err(Error::Request(format!(
        "{width_px} x {height_px} pixels would stretch a region whose height is {ratio} of its \
         width: give one side, or another region"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior;

    #[test]
    fn any_canvas_has_a_view_that_fits_and_fills_the_memory_it_may() {
        for height in [0.001, 0.0010037, 0.3, 1.0, 2.0, 17.3, 40.0, 900.0, 1000.0] {
            let program = prior::program(1, height, 0).unwrap();
            let wide = View::of_canvas_within(&program, MAX_SIDE_PX).unwrap();
            assert!(wide.check_pixels().is_ok(), "{height}: {:?}", wide.size());
            assert!(
                wide.pixels() as f64 > 0.95 * MAX_IMAGE_PX as f64,
                "{height}: {:?}",
                wide.size()
            );
            let usual = View::of_canvas_within(&program, 64).unwrap();
            assert_eq!(usual.width_px, 64);
            let more = View::of_canvas(&program, wide.width_px + wide.width_px / 4);
            assert!(more.and_then(|view| view.check_pixels()).is_err(), "{height}");
        }
        let said = check_pixels((4096, 4097)).unwrap_err().to_string();
        assert!(said.contains("4096 x 4097") && said.contains("16777216"), "{said}");
    }
}
