//! The share of edges, triangles, squares, tetrahedra and cubes where an interpolant of corner
//! values is positive: exact for plane surfaces, second order for curved ones.

use crate::Real;

/// What is below this part of a face is closed, what is above 1 minus it is open.
const SNAP: f64 = 0.01;

/// The open part of a face from φ at its corners, snapped.
#[inline(always)]
pub(super) fn face_fraction<T: Real, const D: usize>(phi: [T; 4]) -> T {
    let share = if D == 2 { edge_fraction([phi[0], phi[1]]) } else { quad_fraction(phi) };
    let snap = T::of(SNAP);
    if share < snap {
        T::zero()
    } else if share > T::one() - snap {
        T::one()
    } else {
        share
    }
}

/// 0 or 1 where no value changes sign. Values of 0 alone are closed: they lie in the surface.
#[inline(always)]
pub(super) fn uncut<T: Real, const N: usize>(phi: [T; N]) -> Option<T> {
    let (mut lowest, mut highest) = (phi[0], phi[0]);
    for v in phi {
        lowest = lowest.at_most(v);
        highest = highest.at_least(v);
    }
    if highest <= T::zero() {
        Some(T::zero())
    } else if lowest >= T::zero() {
        Some(T::one())
    } else {
        None
    }
}

/// The share of an edge where the linear interpolant is positive.
#[inline(always)]
pub(super) fn edge_fraction<T: Real>(phi: [T; 2]) -> T {
    uncut(phi).unwrap_or_else(|| {
        let positive = phi[0].at_least(phi[1]);
        positive / (phi[0] - phi[1]).magnitude()
    })
}

/// The share of a triangle where the linear interpolant is positive.
#[inline(always)]
pub(super) fn triangle_fraction<T: Real>(phi: [T; 3]) -> T {
    uncut(phi).unwrap_or_else(|| {
        // The corner that stands alone cuts off a triangle similar to the whole along two edges.
        let positive = phi.iter().filter(|v| **v > T::zero()).count();
        let mut share = T::zero();
        for n in 0..3 {
            let alone = (phi[n] > T::zero()) == (positive == 1);
            if alone {
                let (b, c) = (phi[(n + 1) % 3], phi[(n + 2) % 3]);
                share = phi[n] / (phi[n] - b) * (phi[n] / (phi[n] - c));
            }
        }
        if positive == 1 { share } else { T::one() - share }
    })
}

/// The share of a square where the interpolant on the four triangles around its mean is positive;
/// corners in order round it.
#[inline(always)]
pub(crate) fn quad_fraction<T: Real>(phi: [T; 4]) -> T {
    uncut(phi).unwrap_or_else(|| {
        let quarter = T::of(0.25);
        let mean = (phi[0] + phi[1] + phi[2] + phi[3]) * quarter;
        (0..4).fold(T::zero(), |sum, n| sum + triangle_fraction([mean, phi[n], phi[(n + 1) % 4]]))
            * quarter
    })
}

/// The share of a tetrahedron where the linear interpolant is positive.
pub(super) fn tetrahedron_fraction<T: Real>(phi: [T; 4]) -> T {
    uncut(phi).unwrap_or_else(|| {
        // Positive corners first.
        let (mut sorted, mut positive) = (phi, 0);
        for n in 0..4 {
            if sorted[n] > T::zero() {
                sorted.swap(n, positive);
                positive += 1;
            }
        }
        let [a, b, c, d] = sorted;
        // How far along the edge from p to q the surface lies.
        let cut = |p: T, q: T| p / (p - q);
        match positive {
            1 => cut(a, b) * cut(a, c) * cut(a, d),
            2 => {
                // The wedge between the edge ab and the four cuts, as three tetrahedra.
                let (ac, ad, bc, bd) = (cut(a, c), cut(a, d), cut(b, c), cut(b, d));
                ac * ad + ac * (T::one() - ad) * bd + (T::one() - ac) * bc * bd
            }
            _ => T::one() - cut(d, a) * cut(d, b) * cut(d, c),
        }
    })
}

/// The share of a cube where the interpolant on 24 tetrahedra is positive: each of the means of
/// the cube and a face with an edge of that face. The lower and upper corners in order round.
#[inline(always)]
pub(crate) fn cube_fraction<T: Real>(lower: [T; 4], upper: [T; 4]) -> T {
    let [a, b, c, d] = lower;
    let [e, f, g, h] = upper;
    let all = [uncut(lower), uncut(upper)];
    if let [Some(x), Some(y)] = all
        && x == y
    {
        return x;
    }
    cut_cube([[a, b, c, d], [e, f, g, h], [a, b, f, e], [b, c, g, f], [c, d, h, g], [d, a, e, h]])
}

/// Kept out of the row: few cells are cut.
#[inline(never)]
pub(super) fn cut_cube<T: Real>(sides: [[T; 4]; 6]) -> T {
    let mean = |v: [T; 4]| (v[0] + v[1] + v[2] + v[3]) * T::of(0.25);
    let centre = (mean(sides[0]) + mean(sides[1])) * T::of(0.5);
    let mut sum = T::zero();
    for side in sides {
        let middle = mean(side);
        for n in 0..4 {
            sum += tetrahedron_fraction([centre, middle, side[n], side[(n + 1) % 4]]);
        }
    }
    sum / T::of(24.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[test]
    fn a_tetrahedron_is_shared_between_both_signs() {
        let mut seed = 9;
        for _ in 0..2000 {
            let phi: [f64; 4] = core::array::from_fn(|_| random(&mut seed) - 0.5);
            let (a, b) = (tetrahedron_fraction(phi), tetrahedron_fraction(phi.map(|v| -v)));
            assert!((0.0..=1.0).contains(&a) && (a + b - 1.0).abs() < 1e-12);
            // Divided differences give the share for values that are all distinct.
            let exact: f64 = (0..4)
                .filter(|i| phi[*i] > 0.0)
                .map(|i| {
                    let others = (0..4).filter(|j| *j != i).map(|j| phi[i] - phi[j]);
                    phi[i].powi(3) / others.product::<f64>()
                })
                .sum();
            let spread = (0..4)
                .flat_map(|i| (0..i).map(move |j| (i, j)))
                .map(|(i, j)| (phi[i] - phi[j]).abs())
                .fold(1.0, f64::min);
            if spread > 1e-2 {
                assert!((a - exact).abs() < 1e-9, "{a} {exact}");
            }
        }
    }
}
