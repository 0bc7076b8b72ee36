//! A 64-bit digest of a state's bits: equal digests, equal bits.

use crate::Real;

/// A digest over the bits of scalars, in a fixed order: FNV-1a on whole words, rotated.
///
/// ```
/// use fluid_num::base::digest::Digest;
/// let a = Digest::new().values(&[0.0_f32, 1.0]).finish();
/// let b = Digest::new().values(&[-0.0_f32, 1.0]).finish();
/// assert_ne!(a, b); // ±0 are different bits
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl Digest {
    /// An empty digest.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds the bits of `values`.
    #[must_use]
    pub fn values<T: Real>(mut self, values: &[T]) -> Self {
        for v in values {
            self = self.word(v.bits());
        }
        self
    }

    /// Adds the bits of `values` in eight interleaved parts: another digest than [`Self::values`],
    /// in a fraction of the time.
    #[must_use]
    pub(crate) fn interleaved<T: Real>(self, values: &[T]) -> Self {
        let mut parts = [self; 8];
        for block in values.chunks(8) {
            for (part, v) in parts.iter_mut().zip(block) {
                *part = part.word(v.bits());
            }
        }
        parts.iter().fold(self, |digest, part| digest.word(part.0))
    }

    /// Adds one word.
    #[must_use]
    pub fn word(self, word: u64) -> Self {
        Self((self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23))
    }

    /// The digest.
    pub fn finish(self) -> u64 {
        self.0
    }
}
