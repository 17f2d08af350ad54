//! Numbers that tell things apart (FNV-1a, 64 bits): the same on every machine.

use tbr::fit::Target;

/// A number that is being made.
pub struct Digest(u64);

impl Digest {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }

    /// Of some text.
    pub fn of_text(text: &str) -> String {
        let mut digest = Self::new();
        digest.add(text.as_bytes());
        digest.hex()
    }

    /// Of a picture as it is fitted: pixels and weights.
    pub fn of_target(target: &Target) -> String {
        let mut digest = Self::new();
        digest.add(&u64::from(target.width_px).to_le_bytes());
        target.colours.iter().flatten().for_each(|v| digest.add(&v.to_bits().to_le_bytes()));
        let weights = target.weights.iter().map(|v| u64::from(v.to_bits()));
        weights.for_each(|bits| digest.add(&bits.to_le_bytes()));
        digest.hex()
    }
}
