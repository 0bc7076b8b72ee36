//! The scalar that every solver is generic over.

use simba::scalar::RealField;

/// A real number: `f32`, `f64`, or a scalar of your own.
///
/// Everything beside the arithmetic of [`RealField`] that the solvers need. Comparisons replace
/// `min`/`max` (the same bits on every machine, also for ±0), and transcendental functions go
/// through `libm`, because those of the platform differ in their last bits.
///
/// ```
/// use fluid_num::Real;
/// assert_eq!(f32::of(0.25), 0.25_f32);
/// assert_eq!((-1.5_f64).at_least(0.0), 0.0);
/// assert_eq!((2.9_f32).truncate(), 2);
/// ```
pub trait Real: RealField + Copy + Default {
    /// The nearest value to `x`.
    fn of(x: f64) -> Self;

    /// The value as `f64` (exact for `f32`).
    fn to_f64(self) -> f64;

    /// Truncates towards zero; saturates outside `i32`, and gives 0 for NaN.
    fn truncate(self) -> i32;

    /// The largest whole number that is not above `self`, for |self| < 2²²; any number beyond.
    ///
    /// Adds a constant that pushes the fraction out of the mantissa, which costs no conversion.
    fn floor_index(self) -> i32;

    /// The nearest value to the index `i`.
    fn of_index(i: i32) -> Self;

    /// The bits that a digest is made from, and that tell two values apart.
    fn bits(self) -> u64;

    /// The value whose [`Self::bits`] these are; any value for what are no bits of one.
    fn of_bits(bits: u64) -> Self;

    /// The distance from 1 to the next larger value.
    const EPSILON: Self;

    /// The threshold below which a fading field is cut to zero, so that no value ever becomes
    /// subnormal (subnormal arithmetic is many times slower): 1e-30 for `f32`, 1e-280 for `f64`.
    const NEGLIGIBLE: Self;

    /// The nearest value to the count `n`.
    #[inline(always)]
    fn of_usize(n: usize) -> Self {
        Self::of(n as f64)
    }

    /// The larger of `self` and `floor`; `floor` where `self` is NaN.
    #[inline(always)]
    fn at_least(self, floor: Self) -> Self {
        if self > floor { self } else { floor }
    }

    /// The smaller of `self` and `cap`; `cap` where `self` is NaN.
    #[inline(always)]
    fn at_most(self, cap: Self) -> Self {
        if self < cap { self } else { cap }
    }

    /// The magnitude.
    #[inline(always)]
    fn magnitude(self) -> Self {
        if self < Self::zero() { -self } else { self }
    }

    /// Zero where the magnitude is below [`Real::NEGLIGIBLE`], else the value.
    #[inline(always)]
    fn or_nothing(self) -> Self {
        if self.magnitude() < Self::NEGLIGIBLE { Self::zero() } else { self }
    }

    /// The larger of two magnitudes, which keeps NaN: a norm that saw NaN is NaN.
    #[inline(always)]
    #[allow(clippy::eq_op, reason = "only NaN differs from itself")]
    fn worst(self, other: Self) -> Self {
        if other > self || other != other { other } else { self }
    }

    /// eˣ through `libm`: the same bits on every machine.
    #[inline]
    fn portable_exp(self) -> Self {
        Self::of(libm::exp(self.to_f64()))
    }

    /// Sine and cosine through `libm`: the same bits on every machine.
    #[inline]
    fn portable_sin_cos(self) -> (Self, Self) {
        let (s, c) = libm::sincos(self.to_f64());
        (Self::of(s), Self::of(c))
    }
}

impl Real for f32 {
    const EPSILON: Self = f32::EPSILON;
    const NEGLIGIBLE: Self = 1e-30;
    #[inline(always)]
    fn of(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn truncate(self) -> i32 {
        self as i32
    }
    #[inline(always)]
    fn floor_index(self) -> i32 {
        const SHIFT: f32 = 12_582_912.0; // 1.5·2²³
        let shifted = self + SHIFT;
        let nearest = shifted.to_bits().wrapping_sub(SHIFT.to_bits()) as i32;
        nearest.wrapping_sub(i32::from(shifted - SHIFT > self))
    }
    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }
    #[inline(always)]
    fn worst(self, other: Self) -> Self {
        // Without their sign the bits of numbers are in order, and NaN is above them all.
        let a = self.to_bits() as i32 & i32::MAX;
        let b = other.to_bits() as i32 & i32::MAX;
        Self::from_bits(a.max(b) as u32)
    }
    #[inline(always)]
    fn of_index(i: i32) -> Self {
        i as f32
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
}

impl Real for f64 {
    const EPSILON: Self = f64::EPSILON;
    const NEGLIGIBLE: Self = 1e-280;
    #[inline(always)]
    fn of(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn truncate(self) -> i32 {
        self as i32
    }
    #[inline(always)]
    fn floor_index(self) -> i32 {
        const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
        let shifted = self + SHIFT;
        let nearest = shifted.to_bits().wrapping_sub(SHIFT.to_bits()) as i32;
        nearest.wrapping_sub(i32::from(shifted - SHIFT > self))
    }
    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }
    #[inline(always)]
    fn worst(self, other: Self) -> Self {
        // Without their sign the bits of numbers are in order, and NaN is above them all.
        let a = self.to_bits() as i64 & i64::MAX;
        let b = other.to_bits() as i64 & i64::MAX;
        Self::from_bits(a.max(b) as u64)
    }
    #[inline(always)]
    fn of_index(i: i32) -> Self {
        f64::from(i)
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_that_saw_nan_is_nan() {
        assert!(1.0_f64.worst(f64::NAN).is_nan());
        assert_eq!(1.0_f64.worst(0.5), 1.0);
        assert!(f32::NAN.worst(1.0).is_nan());
        assert!((-f32::NAN).worst(f32::INFINITY).is_nan());
        assert_eq!(0.0_f32.worst((-0.0_f32).magnitude()), 0.0);
    }

    #[test]
    fn floor_index_is_the_floor() {
        for n in -2000..2000 {
            let x = f64::from(n) * 0.37;
            assert_eq!(x.floor_index(), x.floor() as i32);
            assert_eq!((x as f32).floor_index(), (x as f32).floor() as i32);
        }
        for x in [-2_097_152.0_f32, -0.0, 0.0, 0.5, 1.0, -1.0, 2_097_152.0, 1e-30, -1e-30] {
            assert_eq!(x.floor_index(), x.floor() as i32);
            assert_eq!(f64::from(x).floor_index(), x.floor() as i32);
        }
    }

    #[test]
    fn truncation_saturates_and_maps_nan_to_zero() {
        assert_eq!(f32::NAN.truncate(), 0);
        assert_eq!(1e30_f32.truncate(), i32::MAX);
        assert_eq!((-0.9_f64).truncate(), 0);
    }
}
