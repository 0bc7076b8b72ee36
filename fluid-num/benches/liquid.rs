//! Steps of a liquid with bodies in the plane, without bodies in space, and what each sub-step takes.
//! Bytes counted: φ, the pressure and every velocity component read and written once.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;

use std::time::Instant;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::poisson::Budget;
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, Grid, LevelSet, Liquid, LiquidParams};

/// A sub-step of the scene `water`, s.
const DT: f32 = 1.0 / 240.0;

/// A column that falls into a pool, in a box 8 m wide.
fn dam<const D: usize>(cells: [usize; D]) -> Result<Liquid<f32, D>, Error> {
    let grid = Grid::new(cells, 8.0 / cells[0] as f32)?;
    let params =
        LiquidParams { pressure_budget: Budget::tolerance(1e-3, 100), ..Default::default() };
    let water = LevelSet::from_fn(grid, &params.boundary, |x| {
        let beyond = (x[0] - 2.5).max(x[1] - 3.0);
        beyond.min(x[1] - 1.0)
    })?;
    Liquid::new(water, params)
}

/// The same with ten crates and balls that float, after a second.
fn water() -> Result<Liquid<f32, 2>, Error> {
    let mut water = dam([512, 256])?;
    for n in 0..10 {
        let density = [300.0, 600.0, 100.0, 900.0, 1500.0][n % 5];
        let (shape, area) = match n % 2 {
            0 => (Shape::ball(0.14)?, 0.0616),
            _ => (Shape::cuboid([0.12, 0.12])?, 0.0576),
        };
        let mass = density * area;
        let body = Body::new(shape, [3.0 + 0.45 * n as f32, 1.4])?;
        water.bodies_mut().push(body.with_mass(mass, [0.0, 0.0, 0.01 * mass])?);
    }
    for _ in 0..240 {
        water.step(DT)?;
        water.advance_bodies(DT)?;
    }
    Ok(water)
}

fn steps(c: &mut Criterion) {
    for threads in [1, 2] {
        let case =
            |name, cells, fields: usize| Case { name, cells, bytes_per_cell: 8 * fields, threads };
        if let Ok(mut water) = water() {
            case("liquid f32 512x256, 10 bodies", 512 * 256, 4).run(c, || {
                assert!(water.step(DT).and_then(|_| water.advance_bodies(DT)).is_ok());
            });
        }
        if let Ok(mut water) = dam([64, 64, 64]) {
            for _ in 0..60 {
                assert!(water.step(DT).is_ok());
            }
            case("liquid f32 64x64x64", 64 * 64 * 64, 5).run(c, || assert!(water.step(DT).is_ok()));
        }
    }
    if let Ok(mut water) = water()
        && shares(&mut water).is_err()
    {
        println!("the liquid stopped");
    }
}

/// Prints what each sub-step takes of a step, over twenty of them.
fn shares(water: &mut Liquid<f32, 2>) -> Result<(), Error> {
    const NAMES: [&str; 8] = [
        "cut solids, find the liquid, its coefficients",
        "advect velocity",
        "forces",
        "project",
        "extrapolate velocity",
        "advect surface",
        "sources and sides",
        "reinitialize",
    ];
    let mut seconds = [0.0; NAMES.len()];
    for _ in 0..20 {
        let mut start = Instant::now();
        let mut lap = |n: usize| {
            seconds[n] += start.elapsed().as_secs_f64();
            start = Instant::now();
        };
        water.cut_solids()?;
        lap(0);
        water.advect_velocity(DT);
        lap(1);
        water.apply_forces(DT)?;
        lap(2);
        water.project(DT)?;
        lap(3);
        water.extrapolate_velocity(DT)?;
        lap(4);
        water.advect_surface(DT)?;
        lap(5);
        water.exchange(DT)?;
        lap(6);
        water.reinitialize()?;
        lap(7);
        water.push_bodies(DT);
        water.advance_bodies(DT)?;
    }
    let whole: f64 = seconds.iter().sum();
    for (name, seconds) in NAMES.into_iter().zip(seconds) {
        println!("{name:<48} {:>7.3} ms {:>4.0} %", seconds * 50.0, seconds / whole * 100.0);
    }
    Ok(())
}

criterion_group!(benches, steps);
criterion_main!(benches);
