//! Eight sequences side by side: the unit that every transform computes with.

use core::ops::{Add, Mul, Neg, Sub};

use crate::Real;

/// The number of sequences that are transformed together: a full AVX register of `f32`, two of
/// `f64`. A tile of 512 `f32` rows and its scratch then stay in the first-level cache.
pub const LANES: usize = 8;

/// One value of each of [`LANES`] sequences.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(align(32))]
pub struct Lanes<T>(pub [T; LANES]);

/// One complex value of each of [`LANES`] sequences: the real parts, the imaginary parts.
pub type ComplexLanes<T> = [Lanes<T>; 2];

impl<T: Real> Lanes<T> {
    /// The same value in every lane.
    #[inline(always)]
    pub fn splat(value: T) -> Self {
        Self([value; LANES])
    }

    /// Zero in every lane.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([T::zero(); LANES])
    }

    /// The first lanes from `values`, zero in the others.
    #[inline(always)]
    pub fn load(values: &[T]) -> Self {
        if let Some(first) = values.first_chunk::<LANES>() {
            return Self(*first);
        }
        // Not a copy of slices, which would be merged with that of a whole.
        let mut lanes = Self::zero();
        for (lane, v) in lanes.0.iter_mut().zip(values) {
            *lane = *v;
        }
        lanes
    }

    /// Writes the first lanes, as many as `values` has.
    #[inline(always)]
    pub fn store(&self, values: &mut [T]) {
        if let Some(first) = values.first_chunk_mut::<LANES>() {
            *first = self.0;
        } else {
            for (v, lane) in values.iter_mut().zip(&self.0) {
                *v = *lane;
            }
        }
    }
}

impl<T: Real> Add for Lanes<T> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for l in 0..LANES {
            self.0[l] += other.0[l];
        }
        self
    }
}

impl<T: Real> Sub for Lanes<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        for l in 0..LANES {
            self.0[l] -= other.0[l];
        }
        self
    }
}

impl<T: Real> Neg for Lanes<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        for l in 0..LANES {
            self.0[l] = -self.0[l];
        }
        self
    }
}

impl<T: Real> Mul<T> for Lanes<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(mut self, factor: T) -> Self {
        for l in 0..LANES {
            self.0[l] *= factor;
        }
        self
    }
}

/// Rows become lanes and lanes rows.
#[inline(always)]
pub(crate) fn transpose<T: Real>(rows: [Lanes<T>; LANES]) -> [Lanes<T>; LANES] {
    let mut out = [Lanes::zero(); LANES];
    for r in 0..LANES {
        for l in 0..LANES {
            out[l].0[r] = rows[r].0[l];
        }
    }
    out
}

/// The sum of two complex values.
#[inline(always)]
pub(crate) fn add<T: Real>(a: ComplexLanes<T>, b: ComplexLanes<T>) -> ComplexLanes<T> {
    [a[0] + b[0], a[1] + b[1]]
}

/// The difference of two complex values.
#[inline(always)]
pub(crate) fn sub<T: Real>(a: ComplexLanes<T>, b: ComplexLanes<T>) -> ComplexLanes<T> {
    [a[0] - b[0], a[1] - b[1]]
}

/// A complex value times a complex number.
#[inline(always)]
pub(crate) fn mul<T: Real>(a: ComplexLanes<T>, w: [T; 2]) -> ComplexLanes<T> {
    [a[0] * w[0] - a[1] * w[1], a[0] * w[1] + a[1] * w[0]]
}

/// A complex value times −i.
#[inline(always)]
pub(crate) fn times_minus_i<T: Real>(a: ComplexLanes<T>) -> ComplexLanes<T> {
    [a[1], -a[0]]
}

/// e^(−2πi numerator/denominator), the angle reduced to an eighth of a turn in whole numbers.
pub(crate) fn root_of_unity(numerator: usize, denominator: usize) -> [f64; 2] {
    let (n, d) = (numerator % denominator, denominator);
    let eighth = 8 * n / d;
    // What is left of the angle beside the nearest multiple of a quarter turn, in turns / 4d.
    let quarter = eighth.div_ceil(2);
    let rest = (4 * n) as f64 - (quarter * d) as f64;
    let (sin, cos) = libm::sincos(core::f64::consts::FRAC_PI_2 * (rest / d as f64));
    match quarter % 4 {
        0 => [cos, -sin],
        1 => [-sin, -cos],
        2 => [-cos, sin],
        _ => [sin, cos],
    }
}
