//! Colours of an embedded profile, as sRGB.

use image::{ImageBuffer, Rgba};
use moxcms::{ColorProfile, DataColorSpace, Layout, Transform16BitExecutor, TransformOptions};
use std::sync::Arc;

/// Red, green, blue and alpha of sixteen bits each.
pub type Rgba16 = ImageBuffer<Rgba<u16>, Vec<u16>>;

/// A profile that changes no value by more than this, in 65535ths, is sRGB as
/// somebody else wrote it, and values stay as they are. Two steps of eight bits:
/// writers of sRGB differ by nearly one in the darkest values of saturated
/// colours, other spaces by dozens.
const SAME: u16 = 2 * 257;
/// Values along each side of the cube of colours that this is tried on.
const TRIED: u16 = 17;

/// Converts a picture to sRGB; fails, and changes nothing, if the profile cannot
/// be used.
pub fn to_srgb(image: &mut Rgba16, profile: &[u8], grey: bool) -> Result<(), String> {
    let profile = ColorProfile::new_from_slice(profile)
        .map_err(|e| format!("its colour profile cannot be read ({e})"))?;
    let conversion = Conversion::new(&profile, grey)?;
    if conversion.is_srgb()? {
        return Ok(());
    }
    let row = 4 * image.width() as usize;
    let values: &mut [u16] = image;
    let converted = conversion.apply(values, row)?;
    values.copy_from_slice(&converted);
    Ok(())
}

/// From a profile's RGBA values, or from its grey ones, to sRGB's RGBA.
struct Conversion {
    transform: Arc<Transform16BitExecutor>,
    grey: bool,
}

impl Conversion {
    fn new(profile: &ColorProfile, grey: bool) -> Result<Self, String> {
        let (layout, grey) = match profile.color_space {
            DataColorSpace::Rgb => (Layout::Rgba, false),
            DataColorSpace::Gray if grey => (Layout::GrayAlpha, true),
            other => return Err(format!("its colour profile is for {other:?} values")),
        };
        let options = TransformOptions { prefer_fixed_point: false, ..Default::default() };
        let transform = profile
            .create_transform_16bit(layout, &ColorProfile::new_srgb(), Layout::Rgba, options)
            .map_err(|e| format!("its colour profile cannot be used ({e})"))?;
        Ok(Self { transform, grey })
    }

    /// Converts RGBA values, `row` at a time.
    fn apply(&self, values: &[u16], row: usize) -> Result<Vec<u16>, String> {
        let mut converted = vec![0; values.len()];
        for (from, to) in values.chunks(row).zip(converted.chunks_mut(row)) {
            let done = if self.grey {
                let grey: Vec<u16> = from.chunks(4).flat_map(|p| [p[0], p[3]]).collect();
                self.transform.transform(&grey, to)
            } else {
                self.transform.transform(from, to)
            };
            done.map_err(|e| format!("its colour profile cannot be used ({e})"))?;
        }
        Ok(converted)
    }

    /// Does it leave colours as they are?
    fn is_srgb(&self) -> Result<bool, String> {
        let value = |k: u16| k * (u16::MAX / (TRIED - 1));
        let mut colours = Vec::new();
        for r in 0..TRIED {
            for g in 0..TRIED {
                for b in 0..TRIED {
                    let rgb = if self.grey { [r; 3] } else { [r, g, b] };
                    colours.extend(rgb.map(value));
                    colours.push(u16::MAX);
                }
            }
        }
        let converted = self.apply(&colours, colours.len())?;
        Ok(colours.iter().zip(&converted).all(|(a, b)| a.abs_diff(*b) <= SAME))
    }
}
