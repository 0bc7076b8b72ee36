//! The velocity sets: where populations go, and how much of the fluid at rest each holds.
//!
//! ```text
//! Σw = 1   Σwc = 0   Σwcc = c_s²I   Σwcccc = c_s⁴(δδ + δδ + δδ)   c_s² = 1/3
//! ```
//!
//! Reference: Y. H. Qian, D. d'Humières, P. Lallemand, *Lattice BGK models for Navier–Stokes
//! equation*, 1992, <https://doi.org/10.1209/0295-5075/17/6/001>.

use core::fmt::Debug;

/// What schemes are written for.
pub trait Sealed {}

impl Sealed for D2Q9 {}
impl Sealed for D3Q19 {}
impl Sealed for D3Q27 {}

/// A set of `Q` velocities in `D` dimensions with components −1, 0 and 1: one of the three below, for
/// collisions are written out for them.
///
/// The first is that of rest; behind it every velocity of odd number stands beside its opposite.
///
/// ```
/// use fluid_num::schemes::lbm::{D2Q9, Lattice, opposite};
/// for k in 0..9 {
///     let (there, back) = (D2Q9::VELOCITIES[k], D2Q9::VELOCITIES[opposite(k)]);
///     assert_eq!(there.map(|c| -c), back);
/// }
/// ```
pub trait Lattice<const D: usize, const Q: usize>:
    Sealed + Copy + Debug + Default + PartialEq + Send + Sync + 'static
{
    /// The lattice's name.
    const NAME: &'static str;
    /// The velocities, in cells a step.
    const VELOCITIES: [[i8; D]; Q];
    /// The share of each velocity in the fluid at rest.
    const WEIGHTS: [f64; Q];
    /// What third moments of Hermite polynomials weigh: that of the polynomial (c_a² − c_s²)c_b in
    /// its own coefficient, and in the one of (c_c² − c_s²)c_b, with which it is not orthogonal where
    /// no velocity has three components.
    const THIRD: [f64; 2];
}

/// The number of the velocity opposite to number `k`.
#[inline(always)]
pub const fn opposite(k: usize) -> usize {
    if k == 0 {
        0
    } else if k % 2 == 1 {
        k + 1
    } else {
        k - 1
    }
}

/// Nine velocities in the plane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct D2Q9;

/// Nineteen velocities in space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct D3Q19;

/// All 27 velocities in space: the most isotropic, at half as much again of memory and time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct D3Q27;

impl Lattice<2, 9> for D2Q9 {
    const NAME: &'static str = "D2Q9";
    const VELOCITIES: [[i8; 2]; 9] =
        [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]];
    const WEIGHTS: [f64; 9] =
        by_length(Self::VELOCITIES, [16.0 / 36.0, 4.0 / 36.0, 1.0 / 36.0, 0.0]);
    const THIRD: [f64; 2] = [13.5, 0.0];
}

impl Lattice<3, 19> for D3Q19 {
    const NAME: &'static str = "D3Q19";
    const VELOCITIES: [[i8; 3]; 19] = first(VELOCITIES_3);
    const WEIGHTS: [f64; 19] =
        by_length(Self::VELOCITIES, [12.0 / 36.0, 2.0 / 36.0, 1.0 / 36.0, 0.0]);
    const THIRD: [f64; 2] = [18.0, 9.0];
}

impl Lattice<3, 27> for D3Q27 {
    const NAME: &'static str = "D3Q27";
    const VELOCITIES: [[i8; 3]; 27] = VELOCITIES_3;
    const WEIGHTS: [f64; 27] =
        by_length(Self::VELOCITIES, [64.0 / 216.0, 16.0 / 216.0, 4.0 / 216.0, 1.0 / 216.0]);
    const THIRD: [f64; 2] = [13.5, 0.0];
}

const VELOCITIES_3: [[i8; 3]; 27] = [
    [0, 0, 0],
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
    [1, 1, 0],
    [-1, -1, 0],
    [1, -1, 0],
    [-1, 1, 0],
    [1, 0, 1],
    [-1, 0, -1],
    [1, 0, -1],
    [-1, 0, 1],
    [0, 1, 1],
    [0, -1, -1],
    [0, 1, -1],
    [0, -1, 1],
    [1, 1, 1],
    [-1, -1, -1],
    [1, 1, -1],
    [-1, -1, 1],
    [1, -1, 1],
    [-1, 1, -1],
    [-1, 1, 1],
    [1, -1, -1],
];

const fn first<const Q: usize>(all: [[i8; 3]; 27]) -> [[i8; 3]; Q] {
    let mut part = [[0; 3]; Q];
    let mut k = 0;
    while k < Q {
        part[k] = all[k];
        k += 1;
    }
    part
}

/// The weight of each velocity, `weights` counted by the number of its components that are not 0.
const fn by_length<const D: usize, const Q: usize>(c: [[i8; D]; Q], weights: [f64; 4]) -> [f64; Q] {
    let mut w = [0.0; Q];
    let mut k = 0;
    while k < Q {
        let (mut a, mut length) = (0, 0);
        while a < D {
            length += (c[k][a] != 0) as usize;
            a += 1;
        }
        w[k] = weights[length];
        k += 1;
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ w c_a c_b … over the axes given.
    fn moment<L: Lattice<D, Q>, const D: usize, const Q: usize>(axes: &[usize]) -> f64 {
        let product =
            |k: usize| axes.iter().map(|a| f64::from(L::VELOCITIES[k][*a])).product::<f64>();
        (0..Q).map(|k| L::WEIGHTS[k] * product(k)).sum()
    }

    fn delta(a: usize, b: usize) -> f64 {
        f64::from(u8::from(a == b))
    }

    fn is_a_lattice<L: Lattice<D, Q>, const D: usize, const Q: usize>() {
        // Weights are multiples of 1/216: sums are exact to a few roundings.
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{}: {a} {b}", L::NAME);
        near(moment::<L, D, Q>(&[]), 1.0);
        for a in 0..D {
            near(moment::<L, D, Q>(&[a]), 0.0);
            for b in 0..D {
                near(moment::<L, D, Q>(&[a, b]), delta(a, b) / 3.0);
                for c in 0..D {
                    near(moment::<L, D, Q>(&[a, b, c]), 0.0);
                    for d in 0..D {
                        let pairs = delta(a, b) * delta(c, d)
                            + delta(a, c) * delta(b, d)
                            + delta(a, d) * delta(b, c);
                        near(moment::<L, D, Q>(&[a, b, c, d]), pairs / 9.0);
                    }
                }
            }
        }
        for k in 0..Q {
            assert_eq!(L::VELOCITIES[opposite(k)], L::VELOCITIES[k].map(|c| -c));
            assert_eq!(L::WEIGHTS[opposite(k)], L::WEIGHTS[k]);
            let twins = L::VELOCITIES.iter().filter(|c| **c == L::VELOCITIES[k]);
            assert_eq!(twins.count(), 1);
        }
    }

    #[test]
    fn lattices_are_isotropic_to_fourth_order() {
        is_a_lattice::<D2Q9, 2, 9>();
        is_a_lattice::<D3Q19, 3, 19>();
        is_a_lattice::<D3Q27, 3, 27>();
    }
}
