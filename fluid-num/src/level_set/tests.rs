//! Exact distances, areas and motions as oracles.

mod extrapolation;
mod field;
mod mesh;
mod motion;
mod particles;
mod reinitialize;

use super::*;
use crate::solid::Shape;
use crate::{Boundary, Faces, Grid, Real};
use core::f64::consts::PI;

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

/// The slotted disc of Zalesak in the unit square, and where its centre is at the start.
fn slotted_disc<T: Real>() -> (Shape<T, 2>, [T; 2]) {
    // A slot of 0.05 × 0.25 from below.
    let slot = Shape::cuboid([T::of(0.025), T::of(0.125)]).unwrap();
    let slot = slot.moved([T::zero(), T::of(-0.025)]).unwrap();
    let disc = Shape::ball(T::of(0.15)).unwrap();
    (Shape::difference(disc, slot).unwrap(), [T::of(0.5), T::of(0.75)])
}

/// One turn of the unit square in a second.
fn turn<T: Real>(cells: usize) -> Faces<T, 2> {
    let grid = Grid::new([cells; 2], T::of(1.0 / cells as f64)).unwrap();
    let turn = T::of(2.0 * PI);
    let half = T::of(0.5);
    Faces::from_fn(grid, |[x, y]| [turn * (half - y), turn * (x - half)])
}

/// The single vortex of the unit square at a time, which has turned back at 8 s. From the stream function
/// at the corners of cells: no divergence.
fn vortex<T: Real>(cells: usize, time: f64) -> Faces<T, 2> {
    let dx = 1.0 / cells as f64;
    let square = |v: f64| libm::sin(PI * v) * libm::sin(PI * v);
    let stream = |x: f64, y: f64| square(x) * square(y) * libm::cos(PI * time / 8.0) / PI;
    let grid = Grid::new([cells; 2], T::of(dx)).unwrap();
    Faces::from_fn(grid, |p| {
        let [x, y] = p.map(T::to_f64);
        let along = [
            stream(x, y - 0.5 * dx) - stream(x, y + 0.5 * dx),
            stream(x + 0.5 * dx, y) - stream(x - 0.5 * dx, y),
        ];
        along.map(|v| T::of(v / dx))
    })
}

/// Enright's deformation of the unit cube at a time, which has turned back at 3 s.
fn deformation<T: Real>(cells: usize, time: f64) -> Faces<T, 3> {
    let grid = Grid::new([cells; 3], T::of(1.0 / cells as f64)).unwrap();
    let factor = libm::cos(PI * time / 3.0);
    Faces::from_fn(grid, |p| {
        let [x, y, z] = p.map(|v| {
            let sine = libm::sin(PI * v.to_f64());
            (sine * sine, libm::sin(2.0 * PI * v.to_f64()))
        });
        let along = [2.0 * x.0 * y.1 * z.1, -x.1 * y.0 * z.1, -x.1 * y.1 * z.0];
        along.map(|v| T::of(v * factor))
    })
}

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}
