//! The colours of strokes: any, or those of a palette.

use super::mean::Mean;
use super::palette::{for_eyes, of_picture};
use super::salience;
use super::target::Target;
use crate::error::{Error, Result};
use crate::program::{Colour, MAX_PALETTE, Paint, nearest};
use serde::{Deserialize, Serialize};

/// The most colours that are chosen for a picture: more take minutes to choose, and are as
/// good as free.
pub const MAX_CHOSEN_COLOURS: usize = 1024;

/// What colours strokes may have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Palette {
    /// Any.
    Free,
    /// So many, chosen for the picture.
    Size(usize),
    /// These.
    Fixed(Vec<Colour>),
}

/// What a palette is chosen by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaletteBy {
    /// The least error of pixels.
    #[default]
    Pixels,
    /// What eyes look for: rare colours count for more than their pixels.
    Eyes,
}

impl PaletteBy {
    /// For serde: options from before there was a choice do not say it.
    pub(super) fn is_pixels(&self) -> bool {
        *self == Self::Pixels
    }
}

impl Palette {
    /// Refuses palettes without colours or with too many, and colours that are none.
    pub(super) fn check(&self) -> Result<()> {
        let limit = |count: usize, most: usize| {
            Err(Error::limit(format!("a palette of {count} colours"), most.to_string()))
        };
        match self {
            Self::Free => Ok(()),
            Self::Size(count) if *count > MAX_CHOSEN_COLOURS => limit(*count, MAX_CHOSEN_COLOURS),
            Self::Fixed(colours) if colours.len() > MAX_PALETTE => {
                limit(colours.len(), MAX_PALETTE)
            }
            Self::Fixed(colours) if colours.iter().flatten().any(|v| !(0.0..=1.0).contains(v)) => {
                Err(Error::Request("the palette's colours have values from 0 to 1".into()))
            }
            _ if self.count() == Some(0) => {
                Err(Error::Request("a palette has at least one colour".into()))
            }
            _ => Ok(()),
        }
    }

    /// How many colours there are; none if they are free.
    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Self::Free => None,
            Self::Size(count) => Some(*count),
            Self::Fixed(colours) => Some(colours.len()),
        }
    }

    /// The colours to start with, none if they are free, and whether they stay.
    pub(super) fn colours(&self, by: PaletteBy, target: &Target, seed: u64) -> (Vec<Colour>, bool) {
        match self {
            Self::Free => (Vec::new(), false),
            Self::Size(count) => {
                let eyes = self.for_eyes(by, target, seed);
                (eyes.unwrap_or_else(|| of_picture(target, *count, seed)), false)
            }
            Self::Fixed(palette) => (palette.clone(), true),
        }
    }

    /// The colours to start with, if they are chosen by eyes and other than those by pixels.
    fn for_eyes(&self, by: PaletteBy, target: &Target, seed: u64) -> Option<Vec<Colour>> {
        match self {
            Self::Size(count) if by == PaletteBy::Eyes => for_eyes(target, *count, seed),
            _ => None,
        }
    }

    /// What pixels count for while such a palette moves; none if all count alike.
    pub(super) fn salience(&self, by: PaletteBy, target: &Target, seed: u64) -> Option<Vec<f32>> {
        let count = self.for_eyes(by, target, seed)?.len();
        Some(salience::of_pixels(target, &of_picture(target, count, seed)))
    }
}

/// The strokes' colours while a program is fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Colouring {
    /// Empty if colours are free.
    pub palette: Vec<Colour>,
    /// May the palette change?
    fixed: bool,
    /// Each stroke's colour.
    pub colours: Vec<Colour>,
    /// Colour of the bare canvas.
    pub background: Colour,
}

/// Rounds of sharing out strokes and moving the palette, each time colours are renewed.
const ROUNDS: usize = 4;

impl Colouring {
    /// Colours as peeling left them, with the palette it was given.
    pub fn new(
        palette: Vec<Colour>,
        fixed: bool,
        colours: Vec<Colour>,
        background: Colour,
    ) -> Self {
        Self { palette, fixed, colours, background }
    }

    /// Are colours free?
    pub fn is_free(&self) -> bool {
        self.palette.is_empty()
    }

    /// Does the palette stay?
    pub fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// Are there as many colours as are asked for, and is each of them one?
    pub fn is_sound(&self, asked: &Palette) -> bool {
        let all = self.palette.iter().chain(&self.colours).chain([&self.background]);
        self.palette.len() == asked.count().unwrap_or(0)
            && all.flatten().all(|v| (0.0..=1.0).contains(v))
    }

    /// Gives every stroke, and the bare canvas, the best colour for the pixels that it
    /// owns. `owners` are numbered from 1; 0 is the bare canvas. The palette moves by the pixels'
    /// salience, if that is given: a rare colour stays what it is.
    pub fn renew(&mut self, target: &Target, owners: &[u32], salience: Option<&[f32]>) {
        let mut owned = vec![Mean::default(); self.colours.len() + 1];
        for (owner, (colour, weight)) in owners.iter().zip(target.weighted()) {
            owned[*owner as usize].add(colour, weight);
        }
        if self.is_free() {
            for (colour, owned) in self.all().zip(&owned) {
                *colour = owned.get().unwrap_or(*colour);
            }
            return;
        }
        for _ in 0..ROUNDS {
            let entries: Vec<Option<usize>> =
                owned.iter().map(|o| o.get().and_then(|m| nearest(&self.palette, m))).collect();
            match salience {
                _ if self.fixed => {}
                None => self.move_palette(&owned, &entries),
                Some(salience) => {
                    let own = self.owned_alike(target, owners, salience, &entries);
                    self.move_palette(&own, &entries);
                }
            }
            let palette = self.palette.clone();
            for (colour, entry) in self.all().zip(&entries) {
                let entry = entry.or_else(|| nearest(&palette, *colour));
                *colour = entry.map_or(*colour, |k| palette[k]);
            }
        }
    }

    /// What the bare canvas and each stroke own of the pixels that have the same entry for their
    /// nearest, by salience.
    fn owned_alike(
        &self,
        target: &Target,
        owners: &[u32],
        salience: &[f32],
        entries: &[Option<usize>],
    ) -> Vec<Mean> {
        let mut owned = vec![Mean::default(); entries.len()];
        for ((owner, (colour, weight)), salience) in
            owners.iter().zip(target.weighted()).zip(salience)
        {
            if nearest(&self.palette, colour) == entries[*owner as usize] {
                owned[*owner as usize].add(colour, weight * f64::from(*salience));
            }
        }
        owned
    }

    /// The bare canvas and the strokes.
    fn all(&mut self) -> impl Iterator<Item = &mut Colour> {
        std::iter::once(&mut self.background).chain(&mut self.colours)
    }

    /// Each entry becomes the mean of what its strokes own.
    fn move_palette(&mut self, owned: &[Mean], entries: &[Option<usize>]) {
        let mut sums = vec![Mean::default(); self.palette.len()];
        for (owned, entry) in owned.iter().zip(entries) {
            if let Some(k) = entry {
                sums[*k] = sums[*k].plus(*owned);
            }
        }
        for (entry, sum) in self.palette.iter_mut().zip(sums) {
            *entry = sum.get().unwrap_or(*entry);
        }
    }

    /// The colour of what an owner owns: strokes are numbered from 1; 0 is the bare canvas.
    pub fn of_owner(&self, owner: u32) -> Colour {
        match owner {
            0 => self.background,
            owner => self.colours[owner as usize - 1],
        }
    }

    /// The paint of a stroke in a program.
    pub fn paint(&self, stroke: usize) -> Paint {
        let colour = self.colours[stroke];
        nearest(&self.palette, colour).map_or(Paint::Own(colour), Paint::Palette)
    }
}
