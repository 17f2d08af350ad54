//! Pictures in memory, and where their pixels lie on the canvas.

mod shrink;
mod view;

pub use shrink::Shrink;
pub use view::{MAX_IMAGE_PX, MAX_SIDE_PX, Region, View, check_pixels};

use crate::error::{Error, Result};
use crate::program::Colour;
use crate::program::colour::to_bytes;

/// A picture: colours row by row, sRGB values as stored, usually in [0, 1]. It has at least
/// one pixel, and all its values are finite. (The library reads no picture files: decode them
/// with another crate, and divide 8-bit values by 255.)
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    width_px: u32,
    height_px: u32,
    pixels: Vec<Colour>,
}

impl Image {
    /// Checks that there is a pixel, that there are as many as the size says, and that all
    /// values are finite.
    pub fn new((width_px, height_px): (u32, u32), pixels: Vec<Colour>) -> Result<Self> {
        let count = width_px as usize * height_px as usize;
        if count == 0 || pixels.len() != count {
            let message = format!("{} pixels are not {width_px} x {height_px}", pixels.len());
            return Err(Error::Request(message));
        }
        if let Some(at) = pixels.iter().position(|c| c.iter().any(|v| !v.is_finite())) {
            let (x, y) = (at % width_px as usize, at / width_px as usize);
            let message = format!("the pixel at column {x}, row {y} is not finite");
            return Err(Error::Request(message));
        }
        Ok(Self { width_px, height_px, pixels })
    }

    /// The same of pixels that are known to be finite and as many as the view has.
    pub(crate) fn of_view(view: &View, pixels: Vec<Colour>) -> Self {
        debug_assert_eq!(pixels.len(), view.pixels());
        Self { width_px: view.width_px, height_px: view.height_px, pixels }
    }

    /// Sets a pixel, counted row by row.
    pub(crate) fn set(&mut self, pixel: usize, colour: Colour) {
        self.pixels[pixel] = colour;
    }

    /// Pixels across.
    pub fn width_px(&self) -> u32 {
        self.width_px
    }

    /// Pixels down.
    pub fn height_px(&self) -> u32 {
        self.height_px
    }

    /// Pixels across and down.
    pub fn size(&self) -> (u32, u32) {
        (self.width_px, self.height_px)
    }

    /// The shorter side.
    pub fn shorter_px(&self) -> u32 {
        self.width_px.min(self.height_px)
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[Colour] {
        &self.pixels
    }

    /// The pixels themselves.
    pub fn into_pixels(self) -> Vec<Colour> {
        self.pixels
    }

    /// One row of pixels.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn row(&self, y: usize) -> &[Colour] {
        let width = self.width_px as usize;
        &self.pixels[y * width..(y + 1) * width]
    }

    /// Rows of RGB bytes, values beyond [0, 1] cut off.
    pub fn to_rgb8(&self) -> Vec<u8> {
        self.pixels.iter().flat_map(|colour| to_bytes(*colour)).collect()
    }

    /// Refuses a picture of another size than this one.
    pub fn check_same_size(&self, other: &Self) -> Result<()> {
        let ((w, h), (other_w, other_h)) = (self.size(), other.size());
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
        let grey = vec![[0.5; 3]; 6];
        let image = Image::new((3, 2), grey.clone()).unwrap();
        assert_eq!((image.size(), image.row(1).len()), ((3, 2), 3));
        assert_eq!(image.to_rgb8(), [128; 18]);
        for size in [(0, 0), (0, 6), (4, 2), (7, 1)] {
            assert!(Image::new(size, grey.clone()).is_err());
        }
        assert!(Image::new((0, 0), Vec::new()).is_err());
        for bad in [f64::NAN, f64::INFINITY] {
            let mut poison = grey.clone();
            poison[4][1] = bad;
            let said = Image::new((3, 2), poison).unwrap_err().to_string();
            assert!(said.contains("column 1, row 1"), "{said}");
        }
        assert!(image.check_same_size(&Image::new((2, 3), grey).unwrap()).is_err());
    }
}
