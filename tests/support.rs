//! What several integration tests share.

use fluid_num::{Faces, Real};

/// A small deterministic random number generator (PCG's multiplier), uniform in [0, 1).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The next number in [lo, hi).
    pub fn within(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// The next whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }
}

/// A velocity with every component random in ±`size`.
pub fn random_faces<T: Real, const D: usize>(
    grid: fluid_num::Grid<T, D>,
    seed: u64,
    size: f64,
) -> Faces<T, D> {
    let mut random = Random::new(seed);
    Faces::from_fn(grid, |_| core::array::from_fn(|_| T::of(random.within(-size, size))))
}
