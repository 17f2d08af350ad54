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

/// From a profile's RGBA values, or from its grey ones, to sRGB's RGBA.
pub struct Conversion {
    transform: Arc<Transform16BitExecutor>,
    grey: bool,
}

impl Conversion {
    /// The conversion that a profile asks for; none if its values are sRGB's. Fails if the
    /// profile cannot be used.
    pub fn of(profile: &[u8], grey: bool) -> Result<Option<Self>, String> {
        let profile = ColorProfile::new_from_slice(profile)
            .map_err(|e| format!("its colour profile cannot be read ({e})"))?;
        let conversion = Self::new(&profile, grey)?;
        Ok(if conversion.is_srgb()? { None } else { Some(conversion) })
    }

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

    /// Converts RGBA values, whatever their number. Fails, and may leave them half done, only
    /// if it failed when it was made.
    pub fn apply(&self, values: &mut [u16]) -> Result<(), String> {
        let given = values.to_vec();
        let done = if self.grey {
            let grey: Vec<u16> = given.chunks(4).flat_map(|p| [p[0], p[3]]).collect();
            self.transform.transform(&grey, values)
        } else {
            self.transform.transform(&given, values)
        };
        done.map_err(|e| format!("its colour profile cannot be used ({e})"))
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
        let mut converted = colours.clone();
        self.apply(&mut converted)?;
        Ok(colours.iter().zip(&converted).all(|(a, b)| a.abs_diff(*b) <= SAME))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values do not depend on their neighbours, so that a picture may be converted in any
    /// pieces.
    #[test]
    fn pieces_are_converted_as_the_whole_is() {
        let value = |k: u32| (k.wrapping_mul(2_654_435_761) >> 16) as u16;
        let values: Vec<u16> = (0..4 * 1031).map(value).collect();
        for (profile, grey) in [
            (ColorProfile::new_display_p3(), false),
            (ColorProfile::new_adobe_rgb(), false),
            (ColorProfile::new_gray_with_gamma(1.8), true),
        ] {
            let conversion = Conversion::new(&profile, grey).unwrap();
            let mut whole = values.clone();
            conversion.apply(&mut whole).unwrap();
            assert_ne!(whole, values);
            for pixels in [1, 2, 3, 7, 16, 100] {
                let mut pieces = values.clone();
                for piece in pieces.chunks_mut(4 * pixels) {
                    conversion.apply(piece).unwrap();
                }
                assert!(pieces == whole, "{pixels} pixels at a time");
            }
        }
    }
}
