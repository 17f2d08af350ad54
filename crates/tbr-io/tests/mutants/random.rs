//! Numbers that look random and are the same on every machine (splitmix64).

/// A row of numbers.
pub struct Random(u64);

impl Random {
    /// The row of a seed. Neighbouring seeds have nothing in common.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % (end.max(1) as u64)) as usize
    }

    /// One of some things.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn of<'a, T: ?Sized>(&mut self, things: &[&'a T]) -> &'a T {
        things[self.below(things.len())]
    }

    /// Whether something happens that happens once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Two places in order, of which the second is at most `end`.
    pub fn span(&mut self, end: usize) -> std::ops::Range<usize> {
        let (a, b) = (self.below(end + 1), self.below(end + 1));
        a.min(b)..a.max(b)
    }

    /// A short length: mostly a few, seldom thousands.
    pub fn length(&mut self) -> usize {
        let digits = 1 + self.below(12);
        1 + self.below(1 << digits)
    }
}
