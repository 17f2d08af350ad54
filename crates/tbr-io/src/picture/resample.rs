//! Pictures at another size.

use crate::failure::Failure;
use fast_image_resize::images::TypedImage;
use fast_image_resize::pixels::F32x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use tbr::program::Colour;

/// Width and height in pixels.
pub type Size = (u32, u32);

/// A picture at another size, by Lanczos's filter on the values as stored; at its
/// own size it stays as it is.
pub fn resampled(colours: Vec<Colour>, from: Size, to: Size) -> Result<Vec<Colour>, Failure> {
    if from == to {
        return Ok(colours);
    }
    let failure = |problem: &dyn std::fmt::Display| {
        let ((w, h), (to_w, to_h)) = (from, to);
        Failure::limit(format!(
            "a picture of {w} x {h} pixels cannot be resampled to {to_w} x {to_h}: {problem}"
        ))
    };
    let pixels = colours.iter().map(|c| F32x3::new(c.map(|v| v as f32))).collect();
    let source = TypedImage::from_pixels(from.0, from.1, pixels).map_err(|e| failure(&e))?;
    drop(colours);
    let mut result = TypedImage::<F32x3>::new(to.0, to.1);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    Resizer::new().resize_typed(&source, &mut result, &options).map_err(|e| failure(&e))?;
    // The filter swings a little beyond black and white.
    let colour = |p: &F32x3| p.0.map(|v| f64::from(v).clamp(0.0, 1.0));
    Ok(result.pixels().iter().map(colour).collect())
}

/// A picture is as high for its width as something else asks for, `ratio`, give or
/// take the pixel that rounding may cost.
pub fn check_aspect(picture: Size, ratio: f64, other: &str) -> Result<(), Failure> {
    let (width, height) = (f64::from(picture.0), f64::from(picture.1));
    if (width * ratio - height).abs() < 1.0 || (height / ratio - width).abs() < 1.0 {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the picture is {width} x {height} pixels, {:.4} times as high as wide, but {other} is \
         {ratio:.4} times as high as wide",
        height / width
    ))
    .hint("crop the picture to the same shape"))
}
