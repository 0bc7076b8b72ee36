//! Polygons as exact signed distances.

use alloc::vec::Vec;

use super::shape::{FAR, dot, length};
use crate::base::error::check;
use crate::{Error, Real};

/// A simple polygon in the plane, wound either way.
///
/// Where its edges cross, the even–odd rule says what is inside.
///
/// ```
/// use fluid_num::solid::Polygon;
/// let triangle = Polygon::new(&[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])?;
/// assert_eq!(triangle.signed_distance([1.0, -3.0]), 3.0);
/// assert_eq!(triangle.signed_distance([0.5, 0.25]), -0.25);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon<T> {
    vertices: Vec<[T; 2]>,
}

impl<T: Real> Polygon<T> {
    /// The polygon with these vertices in order, the last joined to the first.
    ///
    /// # Errors
    /// [`Error::WrongCount`] for fewer than three vertices, [`Error::InvalidParameter`] for a
    /// vertex that is not finite or a polygon without area.
    pub fn new(vertices: &[[T; 2]]) -> Result<Self, Error> {
        if vertices.len() < 3 {
            return Err(Error::WrongCount {
                name: "polygon.vertices",
                count: vertices.len(),
                expected: "at least 3",
            });
        }
        check::all_finite("polygon.vertices", vertices.as_flattened())?;
        let polygon = Self { vertices: vertices.to_vec() };
        let [lo, hi] = polygon.bounds();
        let box_area = (hi[0] - lo[0]) * (hi[1] - lo[1]);
        let area = polygon.signed_area().magnitude();
        // The rounding of the sum may leave a sliver where there is none.
        let noise = T::EPSILON * T::of_usize(vertices.len()) * box_area;
        if area > noise {
            check::positive("polygon.area", area)?;
            return Ok(polygon);
        }
        check::positive("polygon.area", T::zero())?;
        Ok(polygon)
    }

    /// The vertices.
    pub fn vertices(&self) -> &[[T; 2]] {
        &self.vertices
    }

    /// The signed distance of a point, negative inside.
    pub fn signed_distance(&self, p: [T; 2]) -> T {
        let mut nearest = T::of(FAR);
        let mut inside = false;
        let mut before = self.vertices[self.vertices.len() - 1];
        for v in &self.vertices {
            let edge = [before[0] - v[0], before[1] - v[1]];
            let w = [p[0] - v[0], p[1] - v[1]];
            let square = dot(edge, edge);
            let t = if square > T::zero() {
                (dot(w, edge) / square).at_least(T::zero()).at_most(T::one())
            } else {
                T::zero()
            };
            let away = [w[0] - t * edge[0], w[1] - t * edge[1]];
            nearest = length(away).at_most(nearest);
            if (v[1] > p[1]) != (before[1] > p[1]) && w[0] < edge[0] * w[1] / edge[1] {
                inside = !inside;
            }
            before = *v;
        }
        if inside { -nearest } else { nearest }
    }

    pub(super) fn bounds(&self) -> [[T; 2]; 2] {
        let first = self.vertices[0];
        self.vertices.iter().fold([first; 2], |[lo, hi], v| {
            [
                [v[0].at_most(lo[0]), v[1].at_most(lo[1])],
                [v[0].at_least(hi[0]), v[1].at_least(hi[1])],
            ]
        })
    }

    /// The area, positive where the vertices run anticlockwise.
    fn signed_area(&self) -> T {
        let o = self.vertices[0];
        let twice = self.vertices.windows(2).fold(T::zero(), |sum, pair| {
            let [a, b] = [pair[0], pair[1]].map(|v| [v[0] - o[0], v[1] - o[1]]);
            sum + a[0] * b[1] - a[1] * b[0]
        });
        twice * T::of(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The distance to the nearest of many points along the edges.
    fn brute_force(vertices: &[[f64; 2]], p: [f64; 2]) -> f64 {
        let steps = 4000;
        let mut best = f64::MAX;
        for (n, a) in vertices.iter().enumerate() {
            let b = vertices[(n + 1) % vertices.len()];
            for s in 0..=steps {
                let t = f64::from(s) / f64::from(steps);
                let q = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
                best = best.min(((p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2)).sqrt());
            }
        }
        best
    }

    const STAR: [[f64; 2]; 6] =
        [[0.0, 0.0], [1.0, -0.4], [2.0, 0.1], [1.2, 0.5], [1.9, 1.6], [0.3, 1.1]];

    #[test]
    fn a_polygon_is_exact_and_does_not_care_which_way_it_is_wound() {
        let forward = Polygon::new(&STAR).unwrap();
        let mut turned = STAR;
        turned.reverse();
        let backward = Polygon::new(&turned).unwrap();
        let mut seed = 7;
        for _ in 0..300 {
            let p = [4.0 * random(&mut seed) - 1.0, 4.0 * random(&mut seed) - 1.2];
            let d = forward.signed_distance(p);
            assert!((d - backward.signed_distance(p)).abs() < 1e-14);
            // The points along an edge are at most 2.2/4000 apart.
            let expected = brute_force(&STAR, p);
            assert!(d.abs() <= expected + 1e-12 && expected < d.abs() + 6e-4);
        }
        for (p, inside) in [
            ([0.5, 0.5], true),
            ([1.0, -0.3], true),
            ([1.7, 0.6], false), // in the notch
            ([1.9, 0.1], true),
            ([-0.1, 0.5], false),
            ([5.0, 0.1], false),
        ] {
            assert_eq!(forward.signed_distance(p) < 0.0, inside, "{p:?}");
        }
    }
}
