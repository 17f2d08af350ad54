//! What a page asks of a fit.

use crate::refusal::{Answer, Refusal};
use crate::target::KEPT_PX;
use serde::Deserialize;
use tbr::Program;
use tbr::fit::{Options, Palette, PaletteBy};
use tbr_io::fit::{Preset, choose_by, longer_px, start_from};
use tbr_io::palette;
use tbr_io::picture::Size;

/// The most strokes and colours of a fit here. Its first step chooses them all, which takes
/// some minutes at this many, and cannot be interrupted.
pub const MOST_STROKES: usize = 20_000;
const MOST_COLOURS: usize = 256;

/// What a page asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitRequest {
    pub preset: String,
    /// None: 2000. A fit from a program has as many as that.
    pub strokes: Option<usize>,
    /// `free`, a number, or hex colours; none: free, or the program's.
    pub palette: Option<String>,
    /// What a number of colours is chosen by; none: `eyes`, or `pixels` with the paper's solver.
    pub palette_by: Option<PaletteBy>,
    pub seed: u64,
    /// None: the picture's own, but from 768 to 1024, or the paper's.
    pub size_px: Option<u32>,
    pub drops: bool,
    /// No stroke bends.
    pub straight: bool,
    pub bare: bool,
    pub from: bool,
}

impl Default for FitRequest {
    fn default() -> Self {
        Self {
            preset: Preset::Default.name().to_owned(),
            strokes: None,
            palette: None,
            palette_by: None,
            seed: 0,
            size_px: None,
            drops: false,
            straight: false,
            bare: false,
            from: false,
        }
    }
}

impl FitRequest {
    pub fn preset(&self) -> Answer<Preset> {
        self.preset.parse().map_err(|e: String| Refusal::bad_request(e))
    }

    /// The options that it says, for a fit of a picture from scratch or from a program.
    pub fn options(&self, picture: Size, given: Option<&Program>) -> Answer<Options> {
        let mut options = self.preset()?.options();
        if let Some(program) = given {
            start_from(&mut options, program);
        }
        if given.is_none() {
            options.strokes = self.strokes.unwrap_or(options.strokes);
        }
        if let Some(text) = &self.palette {
            options.palette = parse_palette(text)?;
        }
        choose_by(&mut options, self.palette_by);
        check_counts(&options)?;
        options.drops = self.drops;
        options.bends &= !self.straight;
        options.seed = self.seed;
        options.suit(longer_px(picture, self.preset()?.size_px(self.size_px)));
        Ok(options)
    }

    /// Refuses what no fit here can do.
    pub fn check(&self) -> Answer<()> {
        if let Some(size) = self.size_px
            && !(16..=KEPT_PX).contains(&size)
        {
            let message = format!("a size of {size} pixels is not between 16 and {KEPT_PX}");
            return Err(Refusal::bad_request(message));
        }
        if self.bare && self.preset()? == Preset::Paper {
            let message = "the paper's solver paints everywhere: nothing can stay bare";
            return Err(Refusal::bad_request(message));
        }
        Ok(())
    }
}

/// The palettes of the command line, but for files: no path comes from a page.
fn parse_palette(text: &str) -> Answer<Palette> {
    let palette = palette::in_words(text).map_err(Refusal::bad_request)?;
    palette.ok_or_else(|| {
        let refusal = Refusal::bad_request(format!("\"{text}\" is no palette"));
        refusal.hint("free, a number, or colours like #1d3f73,#ede8d9")
    })
}

/// Refuses more strokes or colours than a page can wait for.
fn check_counts(options: &Options) -> Answer<()> {
    let colours = match &options.palette {
        Palette::Size(count) => *count,
        Palette::Fixed(colours) => colours.len(),
        _ => 1,
    };
    if options.strokes > MOST_STROKES || colours > MOST_COLOURS {
        let (strokes, most) = (options.strokes, MOST_STROKES);
        let message = format!(
            "{strokes} strokes of {colours} colours are too many here (limit: {most} strokes, \
             {MOST_COLOURS} colours)"
        );
        return Err(Refusal::bad_request(message).hint("tbr fit takes more, with patience"));
    }
    Ok(())
}
