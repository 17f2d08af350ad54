//! A picture in memory, as scores and networks take it.

use crate::error::{Error, Result};
use crate::program::Colour;

/// Colours row by row, sRGB values as stored, usually in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raster<'a> {
    width_px: usize,
    colours: &'a [Colour],
}

impl<'a> Raster<'a> {
    /// Checks that rows are whole, that there is one, and that all values are finite.
    pub fn new(width_px: usize, colours: &'a [Colour]) -> Result<Self> {
        if width_px == 0 || colours.is_empty() || !colours.len().is_multiple_of(width_px) {
            let count = colours.len();
            let message = format!("{count} pixels do not make rows of {width_px}");
            return Err(Error::Request(message));
        }
        match colours.iter().position(|c| c.iter().any(|v| !v.is_finite())) {
            None => Ok(Self { width_px, colours }),
            Some(at) => {
                let (x, y) = (at % width_px, at / width_px);
                Err(Error::Request(format!("the pixel at column {x}, row {y} is not finite")))
            }
        }
    }

    /// Pixels across.
    pub fn width_px(self) -> usize {
        self.width_px
    }

    /// Pixels down.
    pub fn height_px(self) -> usize {
        self.colours.len() / self.width_px
    }

    /// All pixels, row by row.
    pub fn colours(self) -> &'a [Colour] {
        self.colours
    }

    /// One row of pixels.
    pub fn row(self, y: usize) -> &'a [Colour] {
        &self.colours[y * self.width_px..(y + 1) * self.width_px]
    }

    /// Refuses a picture of another size than this one.
    pub fn check_same_size(self, other: Raster) -> Result<()> {
        let size = |r: Raster| (r.width_px(), r.height_px());
        let ((w, h), (other_w, other_h)) = (size(self), size(other));
        if (w, h) == (other_w, other_h) {
            return Ok(());
        }
        let message = format!("pictures of {w} x {h} and {other_w} x {other_h} pixels differ");
        Err(Error::Request(message + " in size"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_pictures_are_refused() {
        let grey = [[0.5; 3]; 6];
        let raster = Raster::new(3, &grey).unwrap();
        assert_eq!((raster.width_px(), raster.height_px()), (3, 2));
        for width in [0, 4, 7] {
            assert!(Raster::new(width, &grey).is_err());
        }
        assert!(Raster::new(1, &[]).is_err());
        let mut poison = grey;
        for bad in [f64::NAN, f64::INFINITY] {
            poison[4][1] = bad;
            let said = Raster::new(3, &poison).unwrap_err().to_string();
            assert!(said.contains("column 1, row 1"), "{said}");
        }
        assert!(raster.check_same_size(Raster::new(2, &grey).unwrap()).is_err());
    }
}
