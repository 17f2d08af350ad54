//! The presets: options of a fit by name.

use std::str::FromStr;
use tbr::Program;
use tbr::fit::{Options, Palette, PaletteBy, Solver};

/// Longer side of pictures in the paper's fits.
const PAPER_PX: u32 = 1024;

/// How much time a fit takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// [`Options::fast`].
    Fast,
    /// [`Options::default`].
    Default,
    /// [`Options::best`].
    Best,
    /// [`Options::paper`].
    Paper,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Fast, Self::Default, Self::Best, Self::Paper];

    /// Its options, with nothing else asked for.
    pub fn options(self) -> Options {
        match self {
            Self::Fast => Options::fast(),
            Self::Default => Options::default(),
            Self::Best => Options::best(),
            Self::Paper => Options::paper(),
        }
    }

    /// Longer side of the picture that is fitted, if that is not to be its own: as asked for, or
    /// the paper's.
    pub fn size_px(self, asked: Option<u32>) -> Option<u32> {
        asked.or((self == Self::Paper).then_some(PAPER_PX))
    }

    /// Its name on the command line and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Default => "default",
            Self::Best => "best",
            Self::Paper => "paper",
        }
    }

    /// What it is good for.
    pub fn about(self) -> &'static str {
        match self {
            Self::Fast => "A good first look, in seconds",
            Self::Default => "The best in about a minute",
            Self::Best => "As good as patience makes it",
            Self::Paper => "The paper's solver and settings, in minutes",
        }
    }
}

impl FromStr for Preset {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| format!("there is no preset \"{name}\""))
    }
}

/// A fit from a program has its strokes, colours and operator, unless others are asked for.
pub fn start_from(options: &mut Options, program: &Program) {
    options.strokes = program.strokes().len();
    options.operator = program.operator();
    if !program.palette().is_empty() {
        options.palette = Palette::Size(program.palette().len());
    }
}

/// What the palette is chosen by: as asked for, or else by eyes where that can be.
pub fn choose_by(options: &mut Options, asked: Option<PaletteBy>) {
    let is_chosen = matches!(options.palette, Palette::Size(_));
    let usual = match options.solver {
        Solver::Peel(..) if is_chosen => PaletteBy::Eyes,
        _ => PaletteBy::Pixels,
    };
    options.palette_by = asked.unwrap_or(usual);
}
