//! Digests (FNV-1a, 64 bits) of texts, programs and targets: the same on every machine. They
//! tell inputs apart, and are no protection against anybody.

use tbr::Program;
use tbr::fit::Target;

/// A digest of the bytes so far.
pub struct Digest(u64);

impl Digest {
    /// The digest of no bytes.
    #[expect(clippy::new_without_default, reason = "nobody wants one by default")]
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_number(&mut self, number: u64) {
        self.add(&number.to_le_bytes());
    }

    /// The digest in hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }

    /// A number of which every bit depends on every byte, to share things out by.
    pub fn spread(&self) -> u64 {
        let stir = |value: u64, by: u64| (value ^ (value >> 33)).wrapping_mul(by);
        let stirred = stir(stir(self.0, 0xff51_afd7_ed55_8ccd), 0xc4ce_b9fe_1a85_ec53);
        stirred ^ (stirred >> 33)
    }

    /// The digest of a text.
    pub fn of_text(text: &str) -> String {
        let mut digest = Self::new();
        digest.add(text.as_bytes());
        digest.hex()
    }

    /// The digest of a program: of its file's text.
    pub fn of_program(program: &Program) -> String {
        Self::of_text(&tbr::format::write(program))
    }

    /// The digest of a target: size, pixels, weights, and what is to stay bare.
    pub fn of_target(target: &Target) -> String {
        let mut digest = Self::new();
        let (width, height) = target.image().size();
        digest.add_number(width.into());
        digest.add_number(height.into());
        for value in target.image().pixels().iter().flatten() {
            digest.add_number(value.to_bits());
        }
        for weight in target.weights() {
            digest.add_number(weight.to_bits().into());
        }
        if let Some(bare) = target.bare() {
            bare.pixels.iter().for_each(|bare| digest.add(&[u8::from(*bare)]));
            bare.colour.iter().for_each(|value| digest.add_number(value.to_bits()));
        }
        digest.hex()
    }
}
