//! Filling blocks and shapes with particles on a lattice.
//!
//! ```text
//! n = round(size / spacing),   x_k = centre + (k − (n − 1)/2) spacing,   k = 0 … n − 1
//! ```
//!
//! Points stand at the centres of cells of one spacing, so that each stands for the volume
//! spacingᴰ and their total mass is ρ₀ times the volume filled, up to the rounding of n.

use super::ParticleSet;
use super::removal::is_inside;
use super::set::LIMIT;
use crate::base::error::check;
use crate::solid::{Body, Shape};
use crate::{Error, Real};

/// How near to a body a particle may be, in spacings: half, and a little less, so that rounding
/// takes no layer of a lattice that lies flush with a face.
const CLEARANCE: f64 = 0.499;

/// Filling.
impl<T: Real, const D: usize> ParticleSet<T, D> {
    /// Fills the box from `lo` to `hi` with particles `spacing` apart, the outermost half a spacing
    /// inside; returns how many it added.
    ///
    /// Points inside an excluded body, or nearer to one than half a spacing, are left out. A box
    /// thinner than half a spacing gets none.
    ///
    /// ```
    /// use fluid_num::particles::ParticleSet;
    /// let mut set = ParticleSet::<f64, 2>::new();
    /// assert_eq!(set.add_block([0.0, 0.0], [1.0, 0.5], 0.25, [0.0, 0.0], 0, &[])?, 8);
    /// assert_eq!(set.position(0), Some([0.125, 0.125]));
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for values that are not finite, a spacing that is not positive,
    /// a box without volume, or more than 2³¹ − 1 particles; whatever [`Body::check`] refuses.
    /// Nothing is added then.
    pub fn add_block(
        &mut self,
        lo: [T; D],
        hi: [T; D],
        spacing: T,
        velocity: [T; D],
        group: u16,
        excluding: &[Body<T, D>],
    ) -> Result<usize, Error> {
        let lattice = Lattice::new(lo, hi, spacing)?;
        self.add_lattice(&lattice, velocity, group, excluding, |_| true)
    }

    /// Fills a shape whose origin lies at `at` with particles `spacing` apart; returns how many it
    /// added.
    ///
    /// The points are those of the lattice of the shape's bounds that lie inside it; excluded
    /// bodies as in [`Self::add_block`].
    ///
    /// ```
    /// use fluid_num::particles::ParticleSet;
    /// use fluid_num::solid::Shape;
    /// let mut drop = ParticleSet::<f64, 2>::new();
    /// let n = drop.add_shape(&Shape::ball(0.1)?, [0.5, 0.5], 0.005, [0.0, -1.0], 0, &[])?;
    /// let area = n as f64 * 0.005 * 0.005;
    /// assert!((area / (core::f64::consts::PI * 0.01) - 1.0).abs() < 0.01);
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::add_block`]; also for a shape without end and whatever [`Shape::check`] refuses.
    pub fn add_shape(
        &mut self,
        shape: &Shape<T, D>,
        at: [T; D],
        spacing: T,
        velocity: [T; D],
        group: u16,
        excluding: &[Body<T, D>],
    ) -> Result<usize, Error> {
        shape.check()?;
        check::all_finite("fill position", &at)?;
        let Some([lo, hi]) = shape.bounds() else {
            return Err(Error::InvalidParameter {
                name: "the size of the filled shape",
                value: f64::INFINITY,
                expected: "finite: use a shape with bounds",
            });
        };
        let shifted = |v: [T; D]| core::array::from_fn(|a| v[a] + at[a]);
        let lattice = Lattice::new(shifted(lo), shifted(hi), spacing)?;
        self.add_lattice(&lattice, velocity, group, excluding, |p| is_inside(shape, at, p))
    }

    fn add_lattice(
        &mut self,
        lattice: &Lattice<D>,
        velocity: [T; D],
        group: u16,
        excluding: &[Body<T, D>],
        inside: impl Fn([T; D]) -> bool,
    ) -> Result<usize, Error> {
        check::all_finite("fill velocity", &velocity)?;
        excluding.iter().try_for_each(Body::check)?;
        self.check_room(lattice.len())?;
        let clearance = T::of(CLEARANCE * lattice.spacing);
        let before = self.len();
        for i in 0..lattice.len() {
            let point = lattice.point(i).map(T::of);
            let clear = |body: &Body<T, D>| body.signed_distance(point) >= clearance;
            if inside(point) && excluding.iter().all(clear) {
                self.push(point, velocity, group, T::zero(), T::of(f64::INFINITY));
            }
        }
        Ok(self.len() - before)
    }
}

/// Points `spacing` apart about a box's centre.
struct Lattice<const D: usize> {
    first: [f64; D],
    count: [usize; D],
    spacing: f64,
}

impl<const D: usize> Lattice<D> {
    fn new<T: Real>(lo: [T; D], hi: [T; D], spacing: T) -> Result<Self, Error> {
        check::positive("fill spacing", spacing)?;
        for a in 0..D {
            check::moderate("the lower corner of a fill", lo[a])?;
            check::moderate("the upper corner of a fill", hi[a])?;
            check::positive("the size of a fill", hi[a] - lo[a])?;
        }
        let h = spacing.to_f64();
        let [lo, hi] = [lo, hi].map(|v| v.map(T::to_f64));
        let counts: [f64; D] = core::array::from_fn(|a| libm::round((hi[a] - lo[a]) / h));
        let total: f64 = counts.iter().product();
        // Each count on its own too: beside an axis with none, any product is zero.
        if !counts.iter().chain([&total]).all(|n| *n <= LIMIT as f64) {
            return Err(Error::InvalidParameter {
                name: "fill spacing",
                value: h,
                expected: "large enough for fewer than 2^31 particles",
            });
        }
        Ok(Self {
            first: core::array::from_fn(|a| 0.5 * (lo[a] + hi[a]) - 0.5 * (counts[a] - 1.0) * h),
            count: counts.map(|n| n as usize),
            spacing: h,
        })
    }

    fn len(&self) -> usize {
        self.count.iter().product()
    }

    /// Point `i`, x fastest.
    fn point(&self, i: usize) -> [f64; D] {
        let mut rest = i;
        core::array::from_fn(|a| {
            let n = self.count[a].max(1);
            let k = rest % n;
            rest /= n;
            self.first[a] + k as f64 * self.spacing
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::PI;

    #[test]
    fn a_block_has_the_mass_of_its_volume() {
        let mut set = ParticleSet::<f32, 3>::new();
        let n = set.add_block([0.0; 3], [1.0, 0.5, 0.3], 0.1, [0.0; 3], 0, &[]);
        assert_eq!(n, Ok(10 * 5 * 3));
        for (a, size) in [1.0_f32, 0.5, 0.3].into_iter().enumerate() {
            let x = set.positions(a);
            assert!((x.iter().copied().fold(9.0, f32::min) - 0.05).abs() < 1e-6);
            assert!((x.iter().copied().fold(-9.0, f32::max) - (size - 0.05)).abs() < 1e-6);
        }
        // A size that is no multiple: centred, the count rounded.
        let mut set = ParticleSet::<f64, 2>::new();
        assert_eq!(set.add_block([0.0; 2], [2.3, 1.0], 1.0, [0.0; 2], 0, &[]), Ok(2));
        assert!((set.positions(0)[0] + set.positions(0)[1] - 2.3).abs() < 1e-12);
    }

    #[test]
    fn discs_and_spheres_have_the_mass_of_their_volume() {
        let mut plane = ParticleSet::<f64, 2>::new();
        let n = plane.add_shape(&Shape::ball(1.0).unwrap(), [5.0, 0.0], 0.02, [0.0; 2], 0, &[]);
        assert!((n.unwrap() as f64 * 0.02_f64.powi(2) / PI - 1.0).abs() < 5e-3);
        let mut space = ParticleSet::<f32, 3>::new();
        let n = space.add_shape(&Shape::ball(1.0).unwrap(), [0.0; 3], 0.05, [0.0; 3], 0, &[]);
        let volume = 4.0 / 3.0 * PI;
        assert!((n.unwrap() as f64 * 0.05_f64.powi(3) / volume - 1.0).abs() < 1e-2);
        // Flush with the faces of a box: every cell of the lattice.
        let cuboid = Shape::cuboid([0.5, 0.2]).unwrap();
        let mut set = ParticleSet::<f32, 2>::new();
        assert_eq!(set.add_shape(&cuboid, [0.3, 0.7], 0.1, [0.0; 2], 0, &[]), Ok(40));
    }

    #[test]
    fn bodies_are_left_empty_with_their_skin() {
        // A disc of radius 6 in a box of 48, on a cell's corner: case of a filled box.
        let body = Body::new(Shape::ball(6.0_f64).unwrap(), [24.0, 24.0]).unwrap();
        let bodies = [body];
        let mut set = ParticleSet::new();
        let n = set.add_block([0.0; 2], [48.0; 2], 1.0, [0.0; 2], 0, &bodies).unwrap();
        for i in 0..n {
            assert!(bodies[0].signed_distance(set.position(i).unwrap()) >= 0.499);
        }
        let area = 48.0 * 48.0 - PI * 36.0;
        assert!((n as f64 / area - 1.0).abs() < 0.01, "{n}");
        // Flush with a wall's face the layer beside it stays.
        let wall = Body::new(Shape::cuboid([0.1_f32, 9.0]).unwrap(), [-0.1, 0.0]).unwrap();
        let mut set = ParticleSet::new();
        assert_eq!(set.add_block([0.0; 2], [1.0; 2], 0.1, [0.0; 2], 0, &[wall]), Ok(100));
    }

    #[test]
    fn bad_fills_add_nothing() {
        let mut set = ParticleSet::<f64, 2>::new();
        let mut block = |hi, h, u| set.add_block([0.0; 2], hi, h, u, 0, &[]).is_err();
        assert!(block([1.0, f64::NAN], 0.1, [0.0; 2]));
        assert!(block([1.0, f64::INFINITY], 0.1, [0.0; 2]));
        assert!(block([1.0, -1.0], 0.1, [0.0; 2]));
        assert!(block([1.0, 1.0], 0.0, [0.0; 2]));
        assert!(block([1.0, 1.0], f64::NAN, [0.0; 2]));
        assert!(block([1.0, 1.0], 1e-9, [0.0; 2]));
        assert!(block([1e30, 1e-9], 1.0, [0.0; 2]));
        assert!(block([1.0, 1.0], 0.1, [0.0, f64::INFINITY]));
        let ground = Shape::half_space([0.0, 1.0]).unwrap();
        assert!(set.add_shape(&ground, [0.0; 2], 0.1, [0.0; 2], 0, &[]).is_err());
        let ball = Shape::ball(1.0).unwrap();
        assert!(set.add_shape(&ball, [f64::NAN, 0.0], 0.1, [0.0; 2], 0, &[]).is_err());
        assert!(set.is_empty());
    }
}
