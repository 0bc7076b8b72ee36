//! Shallow water against exact solutions, and what users ran into with other programs.
#![allow(clippy::disallowed_methods, reason = "exact solutions need no equal bits")]

mod balance;
mod bodies;
mod exact;
mod forces;
mod query;
mod rest;
mod sides;
mod spray;
mod state;
mod waves;

use fluid_num::{Field, Grid, Real, ShallowWater, ShallowWaterParams, Simulation};

const GRAVITY: f64 = 9.81;

/// Water over a bed given by a function.
fn water<T: Real>(
    cells: [usize; 2],
    dx: f64,
    params: ShallowWaterParams<T>,
    bed: impl Fn([f64; 2]) -> f64,
) -> ShallowWater<T> {
    let grid = Grid::new(cells, T::of(dx)).unwrap();
    let bed = Field::from_fn(grid, |p| T::of(bed(p.map(T::to_f64))));
    ShallowWater::new(bed, params).unwrap()
}

fn depths<T: Real>(water: &ShallowWater<T>) -> Vec<f64> {
    let mut field = Field::zeros(*water.grid());
    water.write_depth(&mut field).unwrap();
    field.values().map(T::to_f64).collect()
}

fn surfaces<T: Real>(water: &ShallowWater<T>) -> Vec<f64> {
    let mut field = Field::zeros(*water.grid());
    water.write_surface(&mut field).unwrap();
    field.values().map(T::to_f64).collect()
}

/// Steps to the time `end` in steps of at most `dt`.
fn run<T: Real>(water: &mut ShallowWater<T>, end: f64, dt: f64) {
    while water.time().to_f64() < end - 1e-9 {
        let rest = end - water.time().to_f64();
        let report = water.step(T::of(rest.min(dt))).unwrap();
        assert!(report.time > T::zero());
    }
}

/// A hilly bed with an island, two cut-off pools above and below the level, and a dry step.
fn hills([x, y]: [f64; 2]) -> f64 {
    let bump = |cx: f64, cy: f64, r: f64, h: f64| {
        let d2 = ((x - cx).powi(2) + (y - cy).powi(2)) / (r * r);
        h * (-d2).exp()
    };
    let rough = 0.05 * (7.3 * x).sin() * (5.1 * y).cos();
    let ring = |cx: f64, cy: f64| {
        let d = ((x - cx).powi(2) + (y - cy).powi(2)).sqrt();
        if (0.1..0.2).contains(&d) { 1.7 } else { 0.0 }
    };
    let step = if x > 0.85 { 1.3 } else { 0.0 };
    rough + bump(0.5, 0.5, 0.12, 0.9) + ring(0.2, 0.2) + ring(0.2, 0.75) + step
}
