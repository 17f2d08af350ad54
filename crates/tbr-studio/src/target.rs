//! The target: the picture that a piece is compared with and fitted to.

use std::path::Path;
use tbr::colour::to_bytes;
use tbr::{Colour, Image, View};
use tbr_io::Failure;
use tbr_io::picture::{MATTE, Picture, Size};

/// The most pixels of a picture that is opened: a page can offer more than one at a time, so
/// half of what the other commands read.
const MOST_PX: u64 = 1 << 26;
/// Longer side of what is kept of it: twice what is fitted unless more is asked for.
pub const KEPT_PX: u32 = 2048;

/// A picture that is opened, as it is kept.
pub struct OpenPicture {
    pub name: String,
    pub picture: Picture,
    pub revision: u64,
    pub transparent: bool,
    /// Colours over the matte, eight bits each: enough to look at.
    shown: Vec<[u8; 3]>,
}

impl OpenPicture {
    /// A target from the bytes of a file.
    pub fn decode(bytes: Vec<u8>, name: &str) -> Result<Self, Failure> {
        let picture = Picture::decode_within(MOST_PX, bytes, Path::new(name))?;
        Self::new(picture.at_most(KEPT_PX)?, name)
    }

    pub fn new(picture: Picture, name: &str) -> Result<Self, Failure> {
        let over_matte = picture.over_at(MATTE, picture.size())?;
        let shown = over_matte.pixels().iter().map(|colour| to_bytes(*colour)).collect();
        let transparent = picture.is_transparent();
        Ok(Self { name: name.to_owned(), picture, revision: 0, transparent, shown })
    }

    /// The same with its revision.
    pub fn revised(self, revision: u64) -> Self {
        Self { revision, ..self }
    }

    pub fn size(&self) -> Size {
        self.picture.size()
    }

    /// The memory that it takes, in bytes: four channels of sixteen bits and three of eight.
    pub fn bytes(&self) -> usize {
        let (width, height) = self.size();
        width as usize * height as usize * (4 * size_of::<u16>() + 3)
    }

    /// Height of the canvas that has its shape.
    pub fn height(&self) -> f64 {
        let (width, height) = self.size();
        f64::from(height) / f64::from(width)
    }

    /// What a view sees of it: the mean of the pixels in each of the view's, or the one
    /// around its centre where its pixels are larger. `height` is that of the canvas.
    pub fn seen(&self, view: &View, height: f64) -> tbr::Result<Image> {
        let (width_px, height_px) = self.size();
        let columns: Vec<[usize; 2]> = (0..view.width_px)
            .map(|i| span(view.centre(i, 0).x, view.pixel().x, 1.0, width_px))
            .collect();
        let mut colours = Vec::with_capacity(view.pixels());
        for j in 0..view.height_px {
            let rows = span(view.centre(0, j).y, view.pixel().y, height, height_px);
            colours.extend(columns.iter().map(|columns| self.mean(*columns, rows)));
        }
        Image::new(view.size(), colours)
    }

    /// The mean of the pixels in some columns and rows.
    fn mean(&self, columns: [usize; 2], rows: [usize; 2]) -> Colour {
        let width = self.size().0 as usize;
        let mut sum = [0_u32; 3];
        for row in rows[0]..rows[1] {
            for pixel in &self.shown[row * width + columns[0]..row * width + columns[1]] {
                for (sum, value) in sum.iter_mut().zip(pixel) {
                    *sum += u32::from(*value);
                }
            }
        }
        let count = ((columns[1] - columns[0]) * (rows[1] - rows[0])) as f64;
        sum.map(|sum| f64::from(sum) / (255.0 * count))
    }
}

/// The pixels, of `px` along a side, whose centres lie in a cell of a view; at least one.
fn span(centre: f64, cell: f64, side: f64, px: u32) -> [usize; 2] {
    let at = |place: f64| place / side * f64::from(px);
    let last = px as usize - 1;
    let first_after = |place: f64| (at(place) - 0.5).ceil().clamp(0.0, f64::from(px)) as usize;
    let (start, end) = (first_after(centre - 0.5 * cell), first_after(centre + 0.5 * cell));
    if start < end {
        return [start, end];
    }
    let nearest = (at(centre).floor().max(0.0) as usize).min(last);
    [nearest, nearest + 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbr::Region;

    /// 8 x 4 pixels, each with its number as red.
    fn numbered() -> OpenPicture {
        let colours: Vec<Colour> = (0..32).map(|k| [f64::from(k) / 255.0, 0.0, 0.0]).collect();
        OpenPicture::new(Picture::of(&Image::new((8, 4), colours).unwrap()), "numbers").unwrap()
    }

    fn reds(view: View) -> Vec<f64> {
        let seen = numbered().seen(&view, 0.5).unwrap();
        seen.pixels().iter().map(|c| (c[0] * 255.0 * 16.0).round() / 16.0).collect()
    }

    #[test]
    fn at_its_own_size_it_is_itself() {
        let whole = Region { x: 0.0, y: 0.0, width: 1.0, height: 0.5 };
        let own = View { region: whole, width_px: 8, height_px: 4 };
        assert_eq!(reds(own), (0..32).map(f64::from).collect::<Vec<_>>());
        let half = View { region: whole, width_px: 4, height_px: 2 };
        assert_eq!(reds(half)[..2], [4.5, 6.5]);
    }

    #[test]
    fn from_near_its_pixels_are_squares_and_nothing_lies_beyond() {
        let corner = Region { x: 0.0, y: 0.0, width: 0.25, height: 0.25 };
        let near = View { region: corner, width_px: 4, height_px: 4 };
        assert_eq!(reds(near)[..8], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
        let beyond = Region { x: 5.0, y: -3.0, width: 1.0, height: 0.5 };
        assert_eq!(reds(View { region: beyond, width_px: 2, height_px: 1 }), [7.0, 7.0]);
    }
}
