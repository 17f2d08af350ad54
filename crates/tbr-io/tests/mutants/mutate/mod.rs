//! Mutants of a valid input, made with some knowledge of what it is.

mod bytes;
mod json;
mod picture;
mod words;

use crate::random::Random;

/// What an input is.
#[derive(Clone, Copy)]
pub enum Kind {
    /// JSON.
    Json,
    /// Text of words from a list, beside others.
    Words(&'static [&'static str]),
    /// A picture.
    Picture,
}

/// The most bytes of a mutant: more says nothing new, and takes longer.
const MOST_BYTES: usize = 1 << 18;
/// The most changes in a row. One is the most frequent: what is changed all over is refused at
/// the first of its faults.
const MOST_CHANGES: usize = 4;

/// A mutant of one of the seeds, which a splice may mix with another.
pub fn mutant(kind: Kind, seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut mutant = seeds[random.below(seeds.len())].clone();
    let most = 1 + random.below(MOST_CHANGES);
    for _ in 0..=random.below(most) {
        mutant = if random.once_in(4) {
            let other = &seeds[random.below(seeds.len())];
            bytes::changed(mutant, other, random)
        } else {
            match kind {
                Kind::Json => json::changed(mutant, random),
                Kind::Words(known) => words::changed(mutant, known, random),
                Kind::Picture => picture::changed(mutant, random),
            }
        };
        mutant.truncate(MOST_BYTES);
    }
    mutant
}
