//! Scores of programs and pictures against a target, as rows of text.

use crate::failure::Failure;
use crate::fit::matte_of;
use crate::networks::{self, GET_WEIGHTS, MOST_FEATURE_PX};
use crate::picture::{Picture, Size, check_aspect};
use crate::table::Row;
use std::path::Path;
use tbr::image::MAX_IMAGE_PX;
use tbr::info::Info;
use tbr::render::render_view;
use tbr::score::{SSIM_WINDOW_PX, Scores};
use tbr::{Colour, Image, Program, View};
use tbr_net::{Lpips, VggFeatures};

/// The most pixels of a score, half of what one picture may have: there are two of them, and the
/// file that one comes from.
const MOST_PX: u64 = MAX_IMAGE_PX / 2;

/// Refuses a target of another shape than the program's canvas, and more pixels than a
/// score can have.
pub fn check_program(
    program: &Program,
    width_px: u32,
    target: &Picture,
    path: &Path,
) -> Result<(), Failure> {
    check_aspect(target.size(), program.height(), "the program's canvas")
        .map_err(|e| e.in_file(path))?;
    check_pixels(View::of_canvas(program, width_px)?.size())
}

/// Refuses more pixels than a score can have.
pub fn check_pixels((width, height): Size) -> Result<(), Failure> {
    if u64::from(width) * u64::from(height) <= MOST_PX {
        return Ok(());
    }
    let message =
        format!("{width} x {height} pixels are too many for a score (limit: {MOST_PX} pixels)");
    Err(Failure::limit(message).hint("give a smaller --width"))
}

/// Scores, and how they came about.
pub struct Scored {
    /// The scores.
    pub scores: Scores,
    size: Size,
    /// Were the networks' weights there?
    weights: bool,
}

impl Scored {
    /// A program against a picture, at the width that `info` was counted at. Transparent parts
    /// of the picture lie over the matte, or over [`matte_of`] the program.
    pub fn of_program(
        program: &Program,
        info: &Info,
        target: &Picture,
        matte: Option<Colour>,
        weights: Option<&Path>,
    ) -> Result<Self, Failure> {
        let view = View::of_canvas(program, info.width_px)?;
        let target = target.over_at(matte.unwrap_or_else(|| matte_of(program)), view.size())?;
        let image = render_view(program, view)?;
        let mut scored = Self::of_pixels(&image, &target, weights)?;
        scored.scores.add_program(info);
        Ok(scored)
    }

    /// A picture against another of its size.
    pub fn of_pixels(
        picture: &Image,
        target: &Image,
        weights: Option<&Path>,
    ) -> Result<Self, Failure> {
        let mut scores = Scores::of_pixels(picture, target)?;
        if let Some(folder) = weights {
            networks::score(&mut scores, picture, target, folder)?;
        }
        Ok(Self { scores, size: target.size(), weights: weights.is_some() })
    }

    /// Which scores are left out, and why.
    pub fn notes(&self) -> Vec<String> {
        let (scores, weights) = (&self.scores, self.weights);
        let mut notes = Vec::new();
        if !weights {
            notes.push(
                "LPIPS and VGG features are left out: they need the networks' weights".into(),
            );
        }
        let is_large = u64::from(self.size.0) * u64::from(self.size.1) > MOST_FEATURE_PX;
        let no_features = weights && scores.vgg_feature.is_none();
        let small = [
            ("SSIM", scores.ssim.is_none(), SSIM_WINDOW_PX as u32),
            ("LPIPS", weights && scores.lpips_alex.is_none(), Lpips::MIN_SIDE_PX),
            ("the VGG distance", no_features && !is_large, VggFeatures::MIN_SIDE_PX),
        ];
        if no_features && is_large {
            let most = MOST_FEATURE_PX;
            notes.push(format!("the VGG distance is left out: it takes at most {most} pixels"));
        }
        for (name, _, side) in small.iter().filter(|(_, missing, _)| *missing) {
            notes.push(format!("{name} is left out: it needs at least {side} x {side} pixels"));
        }
        notes
    }

    /// Tells a person which scores are left out.
    pub fn print_notes(&self) {
        for note in self.notes() {
            tell!("note: {note}");
        }
        if !self.weights {
            tell!("hint: {GET_WEIGHTS}");
        }
    }

    /// The scores, a line each.
    pub fn rows(&self) -> Vec<Row> {
        let scores = &self.scores;
        let digits = |value: f64| format!("{value:.6}");
        let or_exact = |text: Option<String>| text.unwrap_or_else(|| "exact".into());
        let mut rows = vec![
            Row::new("pixels", format!("{} x {}", self.size.0, self.size.1)),
            Row::new("MSE", format!("{:.9}", scores.mse)),
            Row::new("flat floor", format!("{:.9}", scores.floor)),
            Row::new("floor / MSE", or_exact(scores.floor_ratio.map(|v| format!("{v:.3}")))),
            Row::new("PSNR", or_exact(scores.psnr.map(|v| format!("{v:.3} dB")))),
        ];
        let rest = [
            ("SSIM", scores.ssim.map(digits)),
            ("LPIPS-Alex", scores.lpips_alex.map(digits)),
            ("VGG features", scores.vgg_feature.map(digits)),
            ("visible strokes", scores.visible_strokes.map(|n| n.to_string())),
            ("paint deposited", scores.deposited_area.map(|area| format!("{area:.3} canvases"))),
            ("unseen share", scores.unseen_share.map(|share| format!("{:.1} %", 100.0 * share))),
        ];
        rows.extend(rest.into_iter().filter_map(|(name, text)| Some(Row::new(name, text?))));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_for_features_is_told() {
        let grey = Image::new((1, 1), vec![[0.5; 3]]).unwrap();
        let scores = || Scores::of_pixels(&grey, &grey).unwrap();
        let notes = |size| Scored { scores: scores(), size, weights: true }.notes().join("; ");
        let large = notes((1025, 1024));
        assert!(large.contains("VGG distance is left out: it takes at most 1048576"), "{large}");
        assert!(notes((1024, 1024)).contains("VGG distance is left out: it needs at least"));
    }
}
