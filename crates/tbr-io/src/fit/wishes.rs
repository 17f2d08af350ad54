//! What somebody asks of a fit, in any front end, and the options that come of it.

use super::{choose_by, start_from};
use tbr::fit::{ErrorBy, Options, Palette, PaletteBy};
use tbr::{Operator, Program, Tool};

/// What somebody asks of a fit; the rest is the preset's.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// How many strokes.
    pub strokes: Option<usize>,
    /// What colours they may have.
    pub palette: Option<Palette>,
    /// What a palette of so many colours is chosen by.
    pub palette_by: Option<PaletteBy>,
    /// What an error counts.
    pub error_by: Option<ErrorBy>,
    /// How strokes move paint.
    pub operator: Option<Operator>,
    /// Drops only.
    pub drops: bool,
    /// Straight strokes only.
    pub straight: bool,
    /// Tools that come last.
    pub tools: Vec<Tool>,
    /// Do tools stay as they are?
    pub hold_tools: bool,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Gradient steps in all.
    pub steps: Option<usize>,
}

impl Wishes {
    /// The preset's options with what is asked for, for a fit from scratch or from a program; not
    /// yet suited to the picture.
    pub fn options(&self, preset: Options, from: Option<&Program>) -> Options {
        let mut options = preset;
        if let Some(program) = from {
            start_from(&mut options, program);
        }
        options.strokes = self.strokes.unwrap_or(options.strokes);
        options.palette = self.palette.clone().unwrap_or(options.palette);
        choose_by(&mut options, self.palette_by);
        options.error_by = self.error_by.unwrap_or(options.error_by);
        options.operator = self.operator.unwrap_or(options.operator);
        options.drops = self.drops;
        options.bends &= !self.straight;
        options.tools.clone_from(&self.tools);
        options.hold_tools = self.hold_tools;
        options.seed = self.seed;
        if let Some(steps) = self.steps {
            options.share_out(steps);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_asks_for_is_the_presets_or_the_programs() {
        let none = Wishes::default();
        assert_eq!(none.options(Options::fast(), None), Options::fast());
        let program = tbr::prior::program(30, 1.0, 1).unwrap();
        assert_eq!(none.options(Options::fast(), Some(&program)).strokes, 30);
        let wishes = Wishes {
            strokes: Some(7),
            palette: Some(Palette::Size(4)),
            straight: true,
            steps: Some(11),
            ..none
        };
        let options = wishes.options(Options::default(), Some(&program));
        assert_eq!((options.strokes, options.steps(), options.bends), (7, 11, false));
        assert_eq!((options.palette, options.palette_by), (Palette::Size(4), PaletteBy::Eyes));
    }
}
