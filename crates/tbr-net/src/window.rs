//! Where the windows of convolutions and pools lie.

use std::ops::Range;

/// A square window that steps over a map, along each axis alike. Place `p` sees
/// `p * stride + k - pad` for k in `0..side`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Pixels along a side.
    pub side: usize,
    /// Pixels from place to place.
    pub stride: usize,
    /// Pixels of nothing around the map.
    pub pad: usize,
}

impl Window {
    /// How many places there are along a map of this length: whole windows only.
    pub fn places(self, length: usize) -> usize {
        (length + 2 * self.pad).checked_sub(self.side).map_or(0, |room| room / self.stride + 1)
    }

    /// What a place sees at `k`; none in the padding.
    pub fn sees(self, place: usize, k: usize, length: usize) -> Option<usize> {
        (place * self.stride + k).checked_sub(self.pad).filter(|at| *at < length)
    }

    /// The other way round: the place that sees `at` at its `k`, if one does. It
    /// may lie past the last.
    pub fn seen_by(self, at: usize, k: usize) -> Option<usize> {
        let steps = (at + self.pad).checked_sub(k)?;
        steps.is_multiple_of(self.stride).then_some(steps / self.stride)
    }

    /// Everything that some places see, of a map of this length.
    pub fn needs(self, places: Range<usize>, length: usize) -> Range<usize> {
        if places.is_empty() {
            return 0..0;
        }
        let start = (places.start * self.stride).saturating_sub(self.pad);
        let end = ((places.end - 1) * self.stride + self.side).saturating_sub(self.pad);
        start.min(length)..end.min(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeing_and_being_seen_are_one_relation() {
        let length = 23;
        for (side, stride, pad) in [(3, 1, 1), (11, 4, 2), (5, 1, 2), (2, 2, 0), (3, 2, 0)] {
            let window = Window { side, stride, pad };
            for place in 0..window.places(length) {
                let needs = window.needs(place..place + 1, length);
                for k in 0..side {
                    let at = window.sees(place, k, length);
                    assert!(at.is_none_or(|at| window.seen_by(at, k) == Some(place)));
                    assert!(at.is_none_or(|at| needs.contains(&at)));
                }
                let seen = (0..side).filter_map(|k| window.sees(place, k, length)).count();
                assert_eq!(seen, needs.len());
            }
        }
        assert_eq!(Window { side: 3, stride: 2, pad: 0 }.places(2), 0);
    }
}
