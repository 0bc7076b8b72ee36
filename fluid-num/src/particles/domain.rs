//! The box that particles live in.

use crate::base::error::check;
use crate::{Error, Real};

/// A box with walls or periodic sides. Particles never leave it: they stop at walls and come back in
/// through the opposite periodic side.
///
/// ```
/// use fluid_num::particles::Domain;
/// let pipe = Domain::new([0.0, 0.0], [2.0_f64, 1.0])?.with_periodic(0);
/// assert_eq!(pipe.inside([-0.5, 1.5]), [1.5, 1.0]);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain<T, const D: usize> {
    /// The lower corner, m.
    pub lo: [T; D],
    /// The upper corner, m.
    pub hi: [T; D],
    /// Which axes are periodic; the others have walls at both ends.
    pub periodic: [bool; D],
}

impl<T: Real, const D: usize> Domain<T, D> {
    /// A box with walls.
    ///
    /// # Errors
    /// As [`Domain::check`].
    pub fn new(lo: [T; D], hi: [T; D]) -> Result<Self, Error> {
        let domain = Self { lo, hi, periodic: [false; D] };
        domain.check()?;
        Ok(domain)
    }

    /// The same with both sides of one axis periodic (no change for an axis that is not there).
    #[must_use]
    pub fn with_periodic(mut self, axis: usize) -> Self {
        if let Some(periodic) = self.periodic.get_mut(axis) {
            *periodic = true;
        }
        self
    }

    /// Checks the corners.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a corner that is not finite or an axis of no length.
    pub fn check(&self) -> Result<(), Error> {
        for a in 0..D {
            check::moderate("domain.lo", self.lo[a])?;
            check::moderate("domain.hi", self.hi[a])?;
            check::positive("the length of the domain", self.size(a))?;
        }
        Ok(())
    }

    /// The length along an axis, m.
    #[inline(always)]
    pub fn size(&self, axis: usize) -> T {
        self.hi[axis] - self.lo[axis]
    }

    /// The point of the box that stands for `p`: wrapped any number of times along periodic axes, cut
    /// at walls. NaN gives NaN.
    pub fn inside(&self, p: [T; D]) -> [T; D] {
        let mut inside = p;
        for (a, v) in inside.iter_mut().enumerate() {
            *v = self.coordinate_inside(a, *v);
        }
        inside
    }

    #[inline(always)]
    pub(crate) fn coordinate_inside(&self, axis: usize, v: T) -> T {
        let (lo, hi) = (self.lo[axis], self.hi[axis]);
        if v >= lo && v < hi {
            return v;
        }
        if self.periodic[axis] {
            let size = hi - lo;
            let wrapped = v - size * ((v - lo) / size).floor();
            // Rounding may end on the upper side, which is the lower one.
            if wrapped >= hi || wrapped < lo { lo } else { wrapped }
        } else if v < lo {
            lo
        } else if v > hi {
            hi
        } else {
            v
        }
    }

    /// A coordinate that has come to `moved` with velocity `v`: brought inside, and without the part of
    /// the velocity that goes into a wall.
    #[inline(always)]
    pub(crate) fn stopped(&self, axis: usize, moved: T, v: T) -> [T; 2] {
        let x = self.coordinate_inside(axis, moved);
        if self.periodic[axis] || x == moved {
            [x, v]
        } else if moved < self.lo[axis] {
            [x, v.at_least(T::zero())]
        } else {
            [x, v.at_most(T::zero())]
        }
    }

    /// For each axis the difference of coordinates beyond which the nearest image lies on the other
    /// side, and the length to add; an infinite difference where there are walls.
    pub(crate) fn images(&self) -> Images<T, D> {
        let mut images = Images { half: [T::zero(); D], size: [T::zero(); D], any: [false; D] };
        for a in (0..D).filter(|a| self.periodic[*a]) {
            images.size[a] = self.size(a);
            images.half[a] = self.size(a) * T::of(0.5);
            images.any[a] = true;
        }
        images
    }
}

/// How differences of positions become those to the nearest periodic image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Images<T, const D: usize> {
    half: [T; D],
    size: [T; D],
    any: [bool; D],
}

impl<T: Real, const D: usize> Images<T, D> {
    /// Makes differences along `axis` those to the nearest images.
    #[inline(always)]
    pub(crate) fn nearest<const N: usize>(&self, axis: usize, differences: &mut [T; N]) {
        if self.any[axis] {
            let (half, size) = (self.half[axis], self.size[axis]);
            for d in differences {
                *d -= if *d > half { size } else { T::zero() };
                *d += if *d < -half { size } else { T::zero() };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_anywhere_is_wrapped_or_cut_whole_lengths_at_once() {
        let l = 0.1_f64;
        let walls = Domain::new([0.0; 2], [l; 2]).unwrap();
        let periodic = walls.with_periodic(0).with_periodic(1);
        for x in [-1e6, -0.01, 0.0, l, l + 1e-17, 3.7 * l, 1e6, -1e-20] {
            let [p, _] = periodic.inside([x, 0.05]);
            assert!((0.0..l).contains(&p), "{x} gave {p}");
            let [p, _] = walls.inside([x, 0.05]);
            assert_eq!(p, x.clamp(0.0, l));
        }
        assert!((periodic.inside([3.7 * l, 0.0])[0] - 0.7 * l).abs() < 1e-15);
        assert!(walls.inside([f64::NAN, 0.0])[0].is_nan());
    }

    #[test]
    fn differences_are_those_to_the_nearest_image() {
        let domain = Domain::new([0.0_f64; 2], [1.0; 2]).unwrap().with_periodic(0);
        let images = domain.images();
        let mut x = [0.9, -0.9, 0.4];
        images.nearest(0, &mut x);
        assert!(x.iter().zip([-0.1, 0.1, 0.4]).all(|(a, b)| (a - b).abs() < 1e-15));
        let mut y = [0.9];
        images.nearest(1, &mut y);
        assert_eq!(y, [0.9]);
    }

    #[test]
    fn a_box_without_volume_is_refused() {
        assert!(Domain::new([0.0, 0.0], [1.0, 0.0]).is_err());
        assert!(Domain::new([0.0, f64::NAN], [1.0, 1.0]).is_err());
        assert!(Domain::new([0.0, 0.0], [1.0, f64::INFINITY]).is_err());
    }
}
