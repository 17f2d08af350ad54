//! The search for the fewest strokes whose fit errs little enough: which number to try next.

use tbr::score::psnr;

/// The search is over when the fewest strokes that are enough are so many times as many as the
/// most that are too few, or fewer. Fits of neighbouring numbers differ by as much as that changes:
/// closer, chance would decide.
const NARROW: f64 = 1.05;
/// The most times that a number is larger or smaller than all before it: whatever is tried takes
/// time in proportion to its strokes, and estimates from afar are poor.
const STRIDE: f64 = 4.0;
/// Decibels that twice as many strokes gain, as long as nothing is known. Twelve pictures of the
/// Kodak set gain 1.1 from 1024 to 3000 strokes in the mean (`docs/quality.md`), the tulip in
/// `samples` 2.2 from 125 to 500. With too few, the second trial is too far away.
const GAIN_DB: f64 = 1.5;
/// The least gain that is believed of two fits: two that err alike would send the next far away.
const LEAST_GAIN_DB: f64 = 0.3;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Fit with so many strokes.
    Try(usize),
    /// So many are enough, and a few per cent fewer are not.
    Found(usize),
    /// The most strokes are too few.
    OutOfReach,
}

/// A search: what was tried, and what is enough.
#[derive(Clone, Debug)]
pub struct Fewest {
    enough_db: f64,
    first: usize,
    most: usize,
    /// What was tried, in order.
    trials: Vec<Trial>,
}

/// A fit that was tried.
#[derive(Clone, Copy, Debug)]
struct Trial {
    strokes: usize,
    error: f64,
    /// Decibels above what is enough; below if negative.
    above_db: f64,
}

impl Trial {
    /// Its place on the line on which decibels are nearly proportional to strokes.
    fn log(&self) -> f64 {
        libm::log2(self.strokes as f64)
    }

    fn is_enough(&self) -> bool {
        self.above_db >= 0.0
    }
}

impl Fewest {
    /// The most strokes that are tried for a quality: twice as many as the largest fit that we have
    /// measured (`docs/quality.md`), which took 409 s with the preset `fast`.
    pub const MOST_STROKES: usize = 64_000;
    /// How many are tried first if nobody says: a fit of seconds, from which others are estimated.
    const FIRST_STROKES: usize = 500;

    /// A search for a picture of so many pixels, beginning with `first` strokes if somebody says
    /// so. A stroke needs a pixel to be seen.
    pub fn of_picture(error: f64, first: Option<usize>, pixels: usize) -> Self {
        let most = Self::MOST_STROKES.min(pixels);
        Self::new(error, first.unwrap_or(Self::FIRST_STROKES).min(most), most)
    }

    /// A search for the fewest strokes, at most `most`, whose mean squared error is `error` or
    /// less; with the number to try first.
    pub fn new(error: f64, first: usize, most: usize) -> Self {
        let most = most.max(1);
        Self { enough_db: decibels(error), first: first.clamp(1, most), most, trials: Vec::new() }
    }

    /// Takes note of a fit's mean squared error.
    pub fn tried(&mut self, strokes: usize, error: f64) {
        let above_db = decibels(error) - self.enough_db;
        self.trials.push(Trial { strokes, error, above_db });
    }

    /// The most strokes that were too few, if any were.
    pub fn too_few(&self) -> Option<usize> {
        self.low().map(|trial| trial.strokes)
    }

    /// The fewest that were enough, if any were.
    pub fn enough(&self) -> Option<usize> {
        self.high().map(|trial| trial.strokes)
    }

    /// The least error so far; infinite before anything was tried.
    pub fn least_error(&self) -> f64 {
        self.trials.iter().map(|trial| trial.error).fold(f64::INFINITY, f64::min)
    }

    /// What to do next.
    pub fn next(&self) -> Next {
        match (self.low(), self.high()) {
            (None, None) => Next::Try(self.first),
            (Some(low), None) if low.strokes >= self.most => Next::OutOfReach,
            (Some(low), None) => Next::Try(self.more(&low)),
            (None, Some(high)) if high.strokes == 1 => Next::Found(1),
            (None, Some(high)) => Next::Try(self.fewer(&high)),
            (Some(low), Some(high)) if is_narrow(&low, &high) => Next::Found(high.strokes),
            (Some(low), Some(high)) => Next::Try(self.between(&low, &high)),
        }
    }

    fn low(&self) -> Option<Trial> {
        let few = self.trials.iter().filter(|trial| !trial.is_enough());
        few.max_by_key(|trial| trial.strokes).copied()
    }

    fn high(&self) -> Option<Trial> {
        let enough = self.trials.iter().filter(|trial| trial.is_enough());
        enough.min_by_key(|trial| trial.strokes).copied()
    }

    /// More strokes than any so far, where the line through the last two reaches what is enough.
    fn more(&self, low: &Trial) -> usize {
        let factor = libm::exp2(-low.above_db / self.gain_db()).clamp(NARROW, STRIDE);
        rounded(low.strokes as f64 * factor, low.strokes + 1, self.most)
    }

    /// Fewer strokes than any so far, likewise.
    fn fewer(&self, high: &Trial) -> usize {
        let factor = libm::exp2(-high.above_db / self.gain_db()).clamp(1.0 / STRIDE, 1.0 / NARROW);
        rounded(high.strokes as f64 * factor, 1, high.strokes - 1)
    }

    /// What twice as many strokes gain, by the last two trials.
    fn gain_db(&self) -> f64 {
        let [.., a, b] = &self.trials[..] else { return GAIN_DB };
        let gain = (b.above_db - a.above_db) / (b.log() - a.log());
        if gain.is_finite() { gain.max(LEAST_GAIN_DB) } else { GAIN_DB }
    }

    /// A number between two: where the line through them reaches what is enough, or in the middle
    /// where the last three trials have all narrowed the same side. It is far enough from both to
    /// be the last if the line is right.
    fn between(&self, low: &Trial, high: &Trial) -> usize {
        let mut share = -low.above_db / (high.above_db - low.above_db);
        let last = self.trials.iter().rev().take(3);
        let enough = last.filter(|trial| trial.is_enough()).count();
        if enough == 0 || enough == 3 || !share.is_finite() {
            share = 0.5;
        }
        let guess = libm::exp2(low.log() + share * (high.log() - low.log()));
        let (least, most) = (low.strokes as f64 * NARROW, high.strokes as f64 / NARROW);
        let guess = if least < most {
            guess.clamp(least, most)
        } else {
            (low.strokes as f64 * high.strokes as f64).sqrt()
        };
        rounded(guess, low.strokes + 1, high.strokes - 1)
    }
}

/// Peak signal-to-noise ratio; infinite for no error.
fn decibels(error: f64) -> f64 {
    psnr(error).unwrap_or(f64::INFINITY)
}

fn is_narrow(low: &Trial, high: &Trial) -> bool {
    high.strokes - low.strokes <= 1 || high.strokes as f64 <= low.strokes as f64 * NARROW
}

fn rounded(strokes: f64, least: usize, most: usize) -> usize {
    (strokes.round() as usize).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches where fits of `strokes` have `error(strokes)`; what it ends with and what it tried.
    fn search(first: usize, enough: f64, error: impl Fn(usize) -> f64) -> (Next, Vec<usize>) {
        let mut search = Fewest::new(enough, first, 64_000);
        let mut tried = Vec::new();
        loop {
            match search.next() {
                Next::Try(strokes) => {
                    assert!(!tried.contains(&strokes) && tried.len() < 40, "{tried:?}, {strokes}");
                    tried.push(strokes);
                    search.tried(strokes, error(strokes));
                }
                end => return (end, tried),
            }
        }
    }

    /// Whatever the first guess and the slope: the number is enough, and a few per cent fewer were
    /// tried and are not.
    #[test]
    fn it_finds_the_fewest_in_few_trials() {
        for (first, slope) in [(500, 1.0), (1, 2.0), (64_000, 1.2), (3, 0.5), (900, 3.0)] {
            for least in [1, 2, 7, 40, 353, 2000, 11_111, 63_999] {
                let error = |n: usize| libm::pow(least as f64 / n as f64, slope / 3.01);
                let (end, tried) = search(first, 1.0, error);
                let Next::Found(found) = end else { panic!("{first}, {slope}, {least}: {end:?}") };
                assert!(found >= least && tried.contains(&found), "{found}, not {least}");
                let below = tried.iter().copied().filter(|n| *n < found).max().unwrap_or(0);
                assert!(below < least, "{below} is enough, too");
                assert!(found - below <= 1 || found as f64 <= NARROW * below as f64, "{tried:?}");
                assert!(tried.len() <= 15, "{first}, {slope}, {least}: {tried:?}");
            }
        }
        let nearby = search(500, 1.0, |n| libm::pow(353.0 / n as f64, 0.4));
        assert!(nearby.1.len() <= 5, "{nearby:?}");
    }

    /// Chance is part of every fit's error: the answer is still enough, and one that was tried.
    #[test]
    fn it_ends_where_errors_go_up_and_down() {
        for seed in 0..200_usize {
            let chance = |n: usize| ((n * 7919 + seed * 104_729) % 1009) as f64 / 1009.0;
            let error = |n: usize| libm::pow(400.0 / n as f64, 0.4) * (0.8 + 0.4 * chance(n));
            let (end, tried) = search(500, 1.0, error);
            let Next::Found(found) = end else { panic!("{seed}: {end:?}") };
            assert!(error(found) <= 1.0 && tried.iter().all(|n| *n >= found || error(*n) > 1.0));
        }
    }

    #[test]
    fn what_no_number_reaches_ends_with_the_most() {
        let (end, tried) = search(500, 1e-9, |n| 0.1 / (n as f64).sqrt());
        assert_eq!((end, tried.last()), (Next::OutOfReach, Some(&64_000)));
        assert!(tried.len() <= 6, "{tried:?}");
        // Fits that do not get better at all, and one that is exact.
        assert_eq!(search(500, 1e-3, |_| 0.1).0, Next::OutOfReach);
        assert_eq!(search(500, 1e-3, |_| 0.0).0, Next::Found(1));
        assert_eq!(search(9, 1e-3, |n| if n < 5 { 0.1 } else { 0.0 }).0, Next::Found(5));
    }
}
