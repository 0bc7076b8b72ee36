//! Whole steps of the schemes. Bytes counted: every field of the state read and written once.
//!
//! The first case is the stirred dye of the Taichi article that the project measures itself by:
//! 512² cells, Euler back-trace and linear interpolation of velocity and three colours, viscosity,
//! a Gaussian impulse, 100 Jacobi sweeps. The article's own program takes 100 ms a frame on one
//! thread of the same kind of machine.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::advection::{Advection, PathOrder};
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::solid::{Body, Shape};
use fluid_num::{
    Effect, Field, Grid, QuantityParams, Real, ShallowWater, ShallowWaterParams, Simulation,
    Source, StableFluids, StableFluidsParams, Stam2003, Stam2003Params, Stepping,
};

fn run<T: Real, const D: usize>(
    c: &mut Criterion,
    label: &str,
    grid: Grid<T, D>,
    fields: usize,
    (dt, threads): (f64, usize),
    mut scheme: impl Simulation<T> + Send,
) {
    let case = Case {
        name: label,
        cells: grid.cell_count(),
        bytes_per_cell: 2 * fields * size_of::<T>(),
        threads,
    };
    for _ in 0..10 {
        assert!(scheme.step(T::of(dt)).is_ok());
    }
    case.run(c, || assert!(scheme.step(T::of(dt)).is_ok()));
}

fn stirred<T: Real>(threads: usize, c: &mut Criterion, label: &str) {
    let Ok(grid) = Grid::new([512, 512], T::of(500.0 / 512.0)) else {
        return;
    };
    let params = StableFluidsParams {
        kinematic_viscosity: T::of(0.02),
        path_order: PathOrder::Euler,
        pressure_solver: SolverKind::Jacobi,
        pressure_budget: Budget::iterations(100),
        quantities: vec![QuantityParams::dye(); 3],
        ..Default::default()
    };
    let Ok(mut fluid) = StableFluids::<T, 2>::new(grid, params) else {
        return;
    };
    let center = [T::of(250.0); 2];
    let push = Effect::Accelerate([T::of(1e6), T::of(3e5)]);
    fluid.sources_mut().push(Source { center, radius: T::of(9.0), effect: push });
    for quantity in 0..3 {
        let effect = Effect::Add { quantity, rate: T::of(500.0) };
        fluid.sources_mut().push(Source { center, radius: T::of(17.0), effect });
    }
    run(c, label, grid, 6, (0.002, threads), fluid);
}

fn smoke<T: Real, const D: usize>(
    threads: usize,
    c: &mut Criterion,
    label: &str,
    cells: [usize; D],
    stepping: Stepping,
) {
    let Ok(grid) = Grid::new(cells, T::of(1.0 / cells[0] as f64)) else {
        return;
    };
    let params = StableFluidsParams {
        vorticity_confinement: T::of(2.0),
        velocity_advection: Advection::MacCormack,
        stepping,
        pressure_budget: Budget::tolerance(T::of(1e-2), 60),
        quantities: vec![QuantityParams::smoke()],
        ..Default::default()
    };
    let Ok(mut fluid) = StableFluids::<T, D>::new(grid, params) else {
        return;
    };
    let mut center = [T::of(0.5); D];
    center[1] = T::of(0.15);
    let effect = Effect::Add { quantity: 0, rate: T::of(10.0) };
    fluid.sources_mut().push(Source { center, radius: T::of(0.1), effect });
    run(c, label, grid, D + 2, (1.0 / 60.0, threads), fluid);
}

fn stam<T: Real, const D: usize>(
    threads: usize,
    c: &mut Criterion,
    label: &str,
    cells: [usize; D],
) {
    let Ok(grid) = Grid::new(cells, T::of(1.0 / cells[0] as f64)) else {
        return;
    };
    let Ok(solver) = Stam2003::<T, D>::new(grid, Stam2003Params::default()) else {
        return;
    };
    run(c, label, grid, D + 2, (0.02, threads), solver);
}

/// A pond with a box island and a drop in it.
fn pond<T: Real>(threads: usize, c: &mut Criterion, label: &str, n: usize, carry: bool) {
    let Ok(grid) = Grid::new([n, n], T::one()) else {
        return;
    };
    let middle = T::of(0.5 * n as f64);
    let near = |x: T, at: T, far: f64| (x - at).magnitude() < T::of(far * n as f64);
    let bed = Field::from_fn(grid, |[x, y]| {
        if near(x, middle, 0.06) && near(y, middle, 0.06) { T::one() } else { -T::one() }
    });
    let params = ShallowWaterParams { momentum_advection: carry, ..Default::default() };
    let Ok(mut water) = ShallowWater::<T>::new(bed, params) else {
        return;
    };
    let drop = T::of(0.25 * n as f64);
    let wave = |[x, y]: [T; 2]| {
        if near(x, drop, 0.05) && near(y, drop, 0.05) { T::of(0.1) } else { T::zero() }
    };
    if water.set_surface(wave).is_err() {
        return;
    }
    run(c, label, grid, if carry { 5 } else { 3 }, (0.1, threads), water);
}

/// A pond with what costs extra: friction and eddies, or a sponge, or the layer of waves, or a crate.
fn busy_pond(c: &mut Criterion, label: &str, params: ShallowWaterParams<f32>, crate_: bool) {
    let Ok(grid) = Grid::new([256, 256], 1.0) else {
        return;
    };
    let bed = Field::from_fn(grid, |[x, y]: [f32; 2]| -2.0 - 0.001 * (x + y));
    let Ok(mut water) = ShallowWater::new(bed, params) else {
        return;
    };
    if let (true, Ok(shape)) = (crate_, Shape::cuboid([4.0, 3.0, 1.0]))
        && let Ok(body) = Body::new(shape, [100.0, 100.0, 0.0])
    {
        water.bodies_mut().push(body);
    }
    if water.dent([128.0; 2], 20.0, 0.5).is_ok() {
        run(c, label, grid, 5, (0.05, 1), water);
    }
}

fn schemes(c: &mut Criterion) {
    let plain = ShallowWaterParams::default();
    let rough = ShallowWaterParams { manning: 0.03, eddy_viscosity: 0.1, ..plain };
    busy_pond(c, "shallow water f32 256x256", plain, false);
    busy_pond(c, "shallow water f32 256x256, friction and eddies", rough, false);
    let sponge = Some(Default::default());
    busy_pond(
        c,
        "shallow water f32 256x256, sponge",
        ShallowWaterParams { sponge, ..plain },
        false,
    );
    let waves = Some(Default::default());
    busy_pond(c, "shallow water f32 256x256, waves", ShallowWaterParams { waves, ..plain }, false);
    busy_pond(c, "shallow water f32 256x256, a crate", plain, true);
    for threads in [1, 2] {
        stirred::<f32>(threads, c, "stirred dye f32 512x512, 100 Jacobi");
        stirred::<f64>(threads, c, "stirred dye f64 512x512, 100 Jacobi");
        let (plain, mirror) = (Stepping::Projection, Stepping::Reflection);
        smoke::<f32, 2>(threads, c, "smoke f32 256x384", [256, 384], plain);
        smoke::<f32, 2>(threads, c, "smoke f32 256x384, reflection", [256, 384], mirror);
        smoke::<f32, 3>(threads, c, "smoke f32 64x96x64", [64, 96, 64], plain);
        smoke::<f64, 3>(threads, c, "smoke f64 64x96x64", [64, 96, 64], plain);
        pond::<f32>(threads, c, "shallow water f32 512x512", 512, false);
        pond::<f32>(threads, c, "shallow water f32 512x512, advection", 512, true);
        pond::<f32>(threads, c, "shallow water f32 2048x2048", 2048, false);
        pond::<f32>(threads, c, "shallow water f32 2048x2048, advection", 2048, true);
        pond::<f64>(threads, c, "shallow water f64 512x512", 512, false);
        stam::<f32, 2>(threads, c, "Stam 2003 f32 512x512", [512, 512]);
        stam::<f32, 3>(threads, c, "Stam 2003 f32 64x64x64", [64, 64, 64]);
    }
}

criterion_group!(benches, schemes);
criterion_main!(benches);
