//! Exact distances, areas and motions as oracles.

mod extrapolation;
mod field;
mod mesh;
mod motion;
mod reinitialize;

use super::*;
use crate::solid::Shape;
use crate::{Boundary, Grid, Real};

/// A level set on cells of edge 1 with the values of `distort` of a position and the exact distance.
fn distorted<T: Real, const D: usize>(
    cells: usize,
    boundary: &Boundary<T, D>,
    shape: &Shape<T, D>,
    at: [T; D],
    distort: impl Fn([T; D], T) -> T,
) -> LevelSet<T, D> {
    let grid = Grid::new([cells; D], T::one()).unwrap();
    let distance = |p: [T; D]| shape.signed_distance(core::array::from_fn(|a| p[a] - at[a]));
    LevelSet::from_fn(grid, boundary, |p| distort(p, distance(p))).unwrap()
}

/// No distortion.
fn exact<T, const D: usize>(_: [T; D], distance: T) -> T {
    distance
}

/// A slope between 1 and 2 that changes by up to a twentieth from cell to cell.
fn wavy<T: Real, const D: usize>(p: [T; D], distance: T) -> T {
    let wave = |x: T, k: f64| T::of(libm::sin(x.to_f64() * k));
    distance * (T::of(1.5) + wave(p[0], 0.15) * T::of(0.3) + wave(p[1], 0.12) * T::of(0.2))
}

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}
