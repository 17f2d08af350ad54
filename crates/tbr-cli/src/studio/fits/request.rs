//! What a page asks of a fit.

use crate::commands::fit::{Preset, bound, palette, take_after};
use crate::studio::refusal::{Answer, Refusal};
use crate::studio::target::KEPT_PX;
use clap::ValueEnum;
use serde::Deserialize;
use tbr::fit::{Options, Palette};
use tbr::program::Program;

/// The most strokes and colours of a fit here. Its first step chooses them all, which takes
/// some minutes at this many, and cannot be interrupted.
pub const MOST_STROKES: usize = 20_000;
const MOST_COLOURS: usize = 256;

/// What a page asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    pub preset: String,
    /// None: 2000. A fit from a program has as many as that.
    pub strokes: Option<usize>,
    /// `free`, a number, or hex colours; none: free, or the program's.
    pub palette: Option<String>,
    pub seed: u64,
    pub size_px: u32,
    pub drops: bool,
    pub bare: bool,
    pub from: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            preset: Preset::Default.name().to_owned(),
            strokes: None,
            palette: None,
            seed: 0,
            size_px: 1024,
            drops: false,
            bare: false,
            from: false,
        }
    }
}

impl Request {
    pub fn preset(&self) -> Answer<Preset> {
        let wrong = |_| Refusal::senseless(format!("there is no preset \"{}\"", self.preset));
        Preset::from_str(&self.preset, false).map_err(wrong)
    }

    /// The options that it says, for a fit from scratch or from a program.
    pub fn options(&self, given: Option<&Program>) -> Answer<Options> {
        let mut options = self.preset()?.options();
        if let Some(program) = given {
            take_after(&mut options, program);
        }
        if given.is_none() {
            options.strokes = self.strokes.unwrap_or(options.strokes);
        }
        if let Some(text) = &self.palette {
            options.palette = parse_palette(text)?;
        }
        check_counts(&options)?;
        options.drops = self.drops;
        options.seed = self.seed;
        bound(&mut options, self.size_px);
        Ok(options)
    }

    pub fn check(&self) -> Answer<()> {
        if !(16..=KEPT_PX).contains(&self.size_px) {
            let size = self.size_px;
            let message = format!("a size of {size} pixels is not between 16 and {KEPT_PX}");
            return Err(Refusal::senseless(message));
        }
        if self.bare && self.preset()? == Preset::Paper {
            let message = "the paper's solver paints everywhere: nothing can stay bare";
            return Err(Refusal::senseless(message));
        }
        Ok(())
    }
}

/// The palettes of the command line, but for files: no path comes from a page.
fn parse_palette(text: &str) -> Answer<Palette> {
    let palette = palette::in_words(text).map_err(Refusal::senseless)?;
    palette.ok_or_else(|| {
        let refusal = Refusal::senseless(format!("\"{text}\" is no palette"));
        refusal.hint("free, a number, or colours like #1d3f73,#ede8d9")
    })
}

fn check_counts(options: &Options) -> Answer<()> {
    let colours = match &options.palette {
        Palette::Free => 1,
        Palette::Size(count) => *count,
        Palette::Fixed(colours) => colours.len(),
    };
    if options.strokes > MOST_STROKES || colours > MOST_COLOURS {
        let (strokes, most) = (options.strokes, MOST_STROKES);
        let message = format!(
            "{strokes} strokes of {colours} colours are too many here (limit: {most} strokes, \
             {MOST_COLOURS} colours)"
        );
        return Err(Refusal::senseless(message).hint("tbr fit takes more, with patience"));
    }
    Ok(())
}
