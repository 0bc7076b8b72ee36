//! Shapes as signed distances in the body's own frame, negative inside.
//!
//! ```text
//! φ(p) = ±min |p − q| over the surface,  − inside, + outside
//! ```
//!
//! Balls, cuboids, capsules, half-spaces and polygons are exact everywhere. A mask is exact to
//! within a cell of its image. Unions and differences have the exact surface; beyond it their
//! value is a lower bound of the distance wherever another part's surface is nearer to the surface
//! of the result (outside for a difference, inside for a union).

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Mask, Polygon};
use crate::base::error::check;
use crate::{Error, Real};

/// A solid shape in its own frame; the origin is what a [`super::Body`] turns about.
///
/// ```
/// use fluid_num::solid::Shape;
/// let crate_ = Shape::cuboid([0.5, 0.25])?;
/// assert_eq!(crate_.signed_distance([0.0, 0.0]), -0.25);
/// assert_eq!(crate_.signed_distance([0.5 + 3.0, 0.25 + 4.0]), 5.0);
/// let eye = Shape::ball(0.1)?.moved([0.3, 0.0])?;
/// let holed = Shape::difference(crate_, eye)?;
/// assert!(holed.signed_distance([0.3, 0.0]) > 0.0);
/// assert!(Shape::<f64, 2>::ball(-1.0).is_err());
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Shape<T, const D: usize> {
    /// A disc, a ball in space: |p| − radius.
    Ball {
        /// Radius, m; finite and positive.
        radius: T,
    },
    /// A rectangle, a box in space.
    Cuboid {
        /// Half the edge along each axis, m; finite and positive.
        half_extents: [T; D],
    },
    /// All points within a radius of a segment along x.
    Capsule {
        /// Half the length of the segment, m; finite and not negative.
        half_length: T,
        /// Radius, m; finite and positive.
        radius: T,
    },
    /// Everything below the plane n·p = 0 through the origin.
    HalfSpace {
        /// The unit normal that points out of the solid.
        normal: [T; D],
    },
    /// A polygon; in space its prism along z, without ends.
    Polygon(Polygon<T>),
    /// A black and white image; in space its prism along z, without ends.
    Mask(Mask<T>),
    /// Another shape displaced.
    Moved {
        /// Where the part's origin lies, m.
        offset: [T; D],
        /// The part.
        part: Box<Shape<T, D>>,
    },
    /// What any of the parts covers.
    Union(Vec<Shape<T, D>>),
    /// What the first covers and the second does not.
    Difference(Box<Shape<T, D>>, Box<Shape<T, D>>),
}

impl<T: Real, const D: usize> Shape<T, D> {
    /// A disc or ball.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a radius that is not finite and positive.
    pub fn ball(radius: T) -> Result<Self, Error> {
        Self::Ball { radius }.checked()
    }

    /// A rectangle or box.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an extent that is not finite and positive.
    pub fn cuboid(half_extents: [T; D]) -> Result<Self, Error> {
        Self::Cuboid { half_extents }.checked()
    }

    /// A capsule along x; of length 0 it is a ball.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a length that is not finite or negative, or a radius that is
    /// not finite and positive.
    pub fn capsule(half_length: T, radius: T) -> Result<Self, Error> {
        Self::Capsule { half_length, radius }.checked()
    }

    /// A half-space whose outward normal is along `normal`, which need not be of unit length.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a normal that is zero or not finite.
    pub fn half_space(normal: [T; D]) -> Result<Self, Error> {
        check::all_finite("half_space.normal", &normal)?;
        let largest = normal.iter().fold(T::zero(), |m, n| m.worst(n.magnitude()));
        check::positive("the length of half_space.normal", largest)?;
        // Scaled by its largest component first, so that no square over- or underflows.
        let scaled = normal.map(|n| n / largest);
        let length = length(scaled);
        Self::HalfSpace { normal: scaled.map(|n| n / length) }.checked()
    }

    /// A simple polygon; see [`Polygon::new`].
    ///
    /// # Errors
    /// Those of [`Polygon::new`].
    pub fn polygon(vertices: &[[T; 2]]) -> Result<Self, Error> {
        Ok(Self::Polygon(Polygon::new(vertices)?))
    }

    /// The solid cells of an image; see [`Mask::new`].
    ///
    /// # Errors
    /// Those of [`Mask::new`].
    pub fn mask(size: [usize; 2], solid: &[bool], cell: T) -> Result<Self, Error> {
        Ok(Self::Mask(Mask::new(size, solid, cell)?))
    }

    /// The same shape displaced by `offset` within the frame.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an offset that is not finite.
    pub fn moved(self, offset: [T; D]) -> Result<Self, Error> {
        Self::Moved { offset, part: Box::new(self) }.checked()
    }

    /// What any of `parts` covers.
    ///
    /// # Errors
    /// [`Error::WrongCount`] without parts, or what a part's [`Shape::check`] says.
    pub fn union(parts: Vec<Self>) -> Result<Self, Error> {
        Self::Union(parts).checked()
    }

    /// What `whole` covers and `hole` does not.
    ///
    /// # Errors
    /// What a part's [`Shape::check`] says.
    pub fn difference(whole: Self, hole: Self) -> Result<Self, Error> {
        Self::Difference(Box::new(whole), Box::new(hole)).checked()
    }

    fn checked(self) -> Result<Self, Error> {
        self.check()?;
        Ok(self)
    }

    /// Checks every number of the shape.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] or [`Error::WrongCount`] with the parameter's name.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Ball { radius } => check::positive("ball.radius", *radius),
            Self::Cuboid { half_extents } => {
                half_extents.iter().try_for_each(|h| check::positive("cuboid.half_extents", *h))
            }
            Self::Capsule { half_length, radius } => {
                check::not_negative("capsule.half_length", *half_length)?;
                check::positive("capsule.radius", *radius)
            }
            Self::HalfSpace { normal } => check::within(
                "the length of half_space.normal",
                length(*normal),
                0.999,
                1.001,
                "1: use `Shape::half_space`, which makes it so",
            ),
            // Their fields are private, so that what was checked once stays so.
            Self::Polygon(_) | Self::Mask(_) => Ok(()),
            Self::Moved { offset, part } => {
                check::all_finite("moved.offset", offset)?;
                part.check()
            }
            Self::Union(parts) if parts.is_empty() => {
                Err(Error::WrongCount { name: "union", count: 0, expected: "at least one shape" })
            }
            Self::Union(parts) => parts.iter().try_for_each(Self::check),
            Self::Difference(whole, hole) => {
                whole.check()?;
                hole.check()
            }
        }
    }

    /// The signed distance of a point of the body's frame to the surface, m; negative inside.
    pub fn signed_distance(&self, p: [T; D]) -> T {
        match self {
            Self::Ball { radius } => length(p) - *radius,
            Self::Cuboid { half_extents } => {
                let q: [T; D] = core::array::from_fn(|a| p[a].magnitude() - half_extents[a]);
                let beyond = length(q.map(|v| v.at_least(T::zero())));
                let deepest = q[1..].iter().fold(q[0], |m, v| m.at_least(*v));
                beyond + deepest.at_most(T::zero())
            }
            Self::Capsule { half_length, radius } => {
                let mut q = p;
                q[0] -= p[0].at_least(-*half_length).at_most(*half_length);
                length(q) - *radius
            }
            Self::HalfSpace { normal } => dot(*normal, p),
            Self::Polygon(polygon) => polygon.signed_distance([p[0], p[1]]),
            Self::Mask(mask) => mask.signed_distance([p[0], p[1]]),
            Self::Moved { offset, part } => {
                part.signed_distance(core::array::from_fn(|a| p[a] - offset[a]))
            }
            Self::Union(parts) => parts
                .iter()
                .fold(T::of(FAR), |nearest, part| part.signed_distance(p).at_most(nearest)),
            Self::Difference(whole, hole) => {
                whole.signed_distance(p).at_least(-hole.signed_distance(p))
            }
        }
    }

    /// The lower and upper corner of a box around the shape in its frame; `None` where it has no
    /// end.
    ///
    /// ```
    /// use fluid_num::solid::Shape;
    /// assert_eq!(Shape::ball(2.0)?.bounds(), Some([[-2.0, -2.0], [2.0, 2.0]]));
    /// assert_eq!(Shape::half_space([0.0, 1.0])?.bounds(), None);
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    pub fn bounds(&self) -> Option<[[T; D]; 2]> {
        let centred = |h: [T; D]| Some([h.map(|v| -v), h]);
        match self {
            Self::Ball { radius } => centred([*radius; D]),
            Self::Cuboid { half_extents } => centred(*half_extents),
            Self::Capsule { half_length, radius } => {
                let mut h = [*radius; D];
                h[0] += *half_length;
                centred(h)
            }
            Self::HalfSpace { .. } => None,
            Self::Polygon(_) | Self::Mask(_) if D != 2 => None,
            Self::Polygon(polygon) => {
                let [lo, hi] = polygon.bounds();
                Some([lo, hi].map(|v| core::array::from_fn(|a| v[a])))
            }
            Self::Mask(mask) => {
                let h = mask.half_extents();
                centred(core::array::from_fn(|a| h[a]))
            }
            Self::Moved { offset, part } => {
                part.bounds().map(|ends| ends.map(|v| core::array::from_fn(|a| v[a] + offset[a])))
            }
            Self::Union(parts) => {
                let mut ends = parts.iter().map(Self::bounds);
                let first = ends.next()??;
                ends.try_fold(first, |[lo, hi], next| {
                    let [l, h] = next?;
                    Some([
                        core::array::from_fn(|a| lo[a].at_most(l[a])),
                        core::array::from_fn(|a| hi[a].at_least(h[a])),
                    ])
                })
            }
            Self::Difference(whole, _) => whole.bounds(),
        }
    }
}

/// Farther than anything: the distance to no shape, m.
pub(super) const FAR: f64 = 1e30;

pub(super) fn dot<T: Real, const N: usize>(a: [T; N], b: [T; N]) -> T {
    (1..N).fold(a[0] * b[0], |sum, n| sum + a[n] * b[n])
}

pub(super) fn length<T: Real, const N: usize>(v: [T; N]) -> T {
    dot(v, v).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn random(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    }

    const STAR: [[f64; 2]; 6] =
        [[0.0, 0.0], [1.0, -0.4], [2.0, 0.1], [1.2, 0.5], [1.9, 1.6], [0.3, 1.1]];

    #[test]
    fn a_cuboid_agrees_with_the_polygon_of_its_corners() {
        let cuboid = Shape::cuboid([1.5, 0.5]).unwrap();
        let corners = [[-1.5, -0.5], [1.5, -0.5], [1.5, 0.5], [-1.5, 0.5]];
        let polygon = Shape::polygon(&corners).unwrap();
        let mut seed = 3;
        for _ in 0..500 {
            let p = [6.0 * random(&mut seed) - 3.0, 4.0 * random(&mut seed) - 2.0];
            let (a, b) = (cuboid.signed_distance(p), polygon.signed_distance(p));
            assert!((a - b).abs() < 1e-14, "{p:?}: {a} {b}");
        }
    }

    #[test]
    fn distances_in_space_have_their_exact_values() {
        let ball = Shape::ball(2.0).unwrap();
        assert_eq!(ball.signed_distance([1.0, 2.0, 2.0]), 1.0);
        let cuboid = Shape::cuboid([1.0, 2.0, 3.0]).unwrap();
        assert_eq!(cuboid.signed_distance([3.0, 4.0, 4.0]), 3.0);
        assert_eq!(cuboid.signed_distance([0.5, 0.0, 0.0]), -0.5);
        assert_eq!(cuboid.signed_distance([0.0, 1.75, 2.5]), -0.25);
        let capsule = Shape::capsule(3.0, 0.5).unwrap();
        assert_eq!(capsule.signed_distance([1.0, 3.0, 4.0]), 4.5);
        assert_eq!(capsule.signed_distance([4.0, 2.0, 2.0]), 2.5);
        let half = Shape::half_space([0.0, 3.0, 4.0]).unwrap();
        assert!((half.signed_distance([9.0, 1.0, 1.0]) - 1.4_f64).abs() < 1e-15);
        let prism = Shape::<f64, 3>::polygon(&STAR).unwrap();
        let flat = Shape::<f64, 2>::polygon(&STAR).unwrap();
        let p = [0.7, 0.9, -80.0];
        assert_eq!(prism.signed_distance(p), flat.signed_distance([p[0], p[1]]));
    }

    #[test]
    fn unions_and_differences_cover_what_their_parts_say() {
        let left = Shape::ball(1.0).unwrap();
        let right = Shape::ball(1.0).unwrap().moved([3.0, 0.0]).unwrap();
        let both = Shape::union(vec![left.clone(), right]).unwrap();
        assert_eq!(both.signed_distance([1.25, 0.0]), 0.25);
        assert_eq!(both.signed_distance([3.0, 0.0]), -1.0);
        assert_eq!(both.bounds(), Some([[-1.0, -1.0], [4.0, 1.0]]));
        let ring = Shape::difference(left, Shape::ball(0.5).unwrap()).unwrap();
        assert_eq!(ring.signed_distance([0.0, 0.0]), 0.5);
        assert_eq!(ring.signed_distance([0.75, 0.0]), -0.25);
        let slab = Shape::<f64, 2>::half_space([0.0, 1.0]).unwrap();
        assert_eq!(Shape::union(vec![ring.clone(), slab.clone()]).unwrap().bounds(), None);
        let cut = Shape::difference(ring, slab).unwrap();
        assert!(cut.signed_distance([0.0, -0.75]) > 0.0);
    }

    #[test]
    fn bad_numbers_are_refused_by_name() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0] {
            assert!(Shape::<f64, 2>::ball(bad).is_err());
            assert!(Shape::cuboid([1.0, bad]).is_err());
            assert!(Shape::<f64, 2>::capsule(1.0, bad).is_err());
            assert!(Shape::<f64, 2>::mask([1, 1], &[true], bad).is_err());
            let inner = Shape::Ball { radius: bad };
            assert!(inner.clone().moved([0.0, 0.0]).is_err());
            assert!(Shape::union(vec![inner.clone()]).is_err());
            assert!(Shape::difference(inner.clone(), Shape::ball(1.0).unwrap()).is_err());
            assert!(Shape::difference(Shape::ball(1.0).unwrap(), inner).is_err());
            if bad != -1.0 {
                assert!(Shape::half_space([0.0, bad]).is_err());
            }
            if !bad.is_finite() {
                assert!(Shape::<f64, 2>::polygon(&[[0.0, 0.0], [1.0, bad], [1.0, 1.0]]).is_err());
                assert!(Shape::ball(1.0).unwrap().moved([0.0, bad]).is_err());
            }
            if bad != 0.0 {
                assert!(Shape::<f64, 2>::capsule(bad, 1.0).is_err());
            }
        }
        let short = Shape::HalfSpace { normal: [0.5, 0.5_f64] };
        assert!(short.check().is_err());
        assert!(Polygon::new(&[[0.0, 0.0], [1.0, 1.0_f32]]).is_err());
        assert!(Polygon::new(&[[0.1, 0.1], [0.3, 0.3], [0.7, 0.7_f32]]).is_err());
        assert!(Shape::<f32, 2>::union(vec![]).is_err());
        assert!(Mask::new([2, 2], &[false; 4], 1.0_f32).is_err());
        assert!(Mask::new([2, 2], &[true; 3], 1.0_f32).is_err());
        assert!(Mask::new([0, 2], &[], 1.0_f32).is_err());
        assert!(Mask::new([usize::MAX, 2], &[], 1.0_f32).is_err());
        assert!(Mask::from_coverage([1, 1], &[9], 0, 1.0_f32).is_err());
    }

    #[test]
    fn a_tiny_and_a_huge_normal_are_both_made_unit() {
        for scale in [1e-30_f32, 1.0, 1e30] {
            let half = Shape::half_space([3.0 * scale, 4.0 * scale]).unwrap();
            assert!((half.signed_distance([1.0, 1.0]) - 1.4).abs() < 1e-6);
        }
    }
}
