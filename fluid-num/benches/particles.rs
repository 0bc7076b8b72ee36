//! Sub-steps of the schemes of particles: a dam that breaks. One element is one particle in one
//! sub-step, neighbours, densities, forces and motion included. Bytes counted: position, velocity
//! and density of every particle read and written once; what limits is arithmetic and gathering.
//!
//! For comparison, one thread, the plane: SPlisHSPlasH takes 6.7 ms (WCSPH) and 44 ms (PBF) for
//! 9,940 particles, salva 10.8 ms (DFSPH) for 9,800.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::particles::Domain;
use fluid_num::{Pbf, PbfParams, Real, Wcsph, WcsphParams};

/// A column of 1 × 0.8 (× 1) m in a tank twice as wide, `rows` particles to the metre.
fn column<const D: usize>() -> ([f64; D], [f64; D]) {
    let (mut size, mut top) = ([1.0; D], [1.0; D]);
    size[0] = 2.0;
    top[1] = 0.8;
    (size, top)
}

/// Sub-steps of one step of the benches.
const SUBSTEPS: usize = 8;

fn wcsph<T: Real, const D: usize>(c: &mut Criterion, rows: usize, threads: usize) {
    let (size, top) = column::<D>();
    let Ok(domain) = Domain::new([T::zero(); D], size.map(T::of)) else { return };
    let spacing = T::of(1.0 / rows as f64);
    let params = WcsphParams {
        spacing,
        max_substeps: SUBSTEPS,
        kinematic_viscosity: T::zero(),
        ..Default::default()
    };
    let Ok(mut water) = Wcsph::<T, D>::new(domain, params) else { return };
    let still = [T::zero(); D];
    let filled = water.particles_mut().add_block(still, top.map(T::of), spacing, still, 0, &[]);
    let Ok(count) = filled else { return };
    // Far longer than eight sub-steps: the step does as many as it may.
    let mut step = || assert!(water.step(T::one()).is_ok_and(|r| r.substeps == SUBSTEPS));
    (0..10).for_each(|_| step());
    let name = format!("WCSPH f{} {D}D, {count} particles, a sub-step", 8 * size_of::<T>());
    let bytes_per_cell = 2 * (2 * D + 1) * size_of::<T>();
    Case { name: &name, cells: count * SUBSTEPS, bytes_per_cell, threads }.run(c, step);
}

fn pbf<T: Real, const D: usize>(c: &mut Criterion, rows: usize, threads: usize) {
    let (size, top) = column::<D>();
    let Ok(domain) = Domain::new([T::zero(); D], size.map(T::of)) else { return };
    let spacing = T::of(1.0 / rows as f64);
    let Ok(mut water) = Pbf::<T, D>::new(domain, PbfParams { spacing, ..Default::default() })
    else {
        return;
    };
    let still = [T::zero(); D];
    let filled = water.particles_mut().add_block(still, top.map(T::of), spacing, still, 0, &[]);
    let Ok(count) = filled else { return };
    let dt = T::of(1.0 / 240.0);
    let mut step = || assert!(water.step(dt).is_ok_and(|r| r.substeps == 1));
    (0..10).for_each(|_| step());
    let name = format!("PBF f{} {D}D, {count} particles, 4 iterations", 8 * size_of::<T>());
    let bytes_per_cell = 2 * (2 * D + 1) * size_of::<T>();
    Case { name: &name, cells: count, bytes_per_cell, threads }.run(c, step);
}

fn particles(c: &mut Criterion) {
    for threads in [1, 2] {
        for rows in [112, 350, 500] {
            wcsph::<f32, 2>(c, rows, threads);
            pbf::<f32, 2>(c, rows, threads);
        }
        wcsph::<f64, 2>(c, 112, threads);
        pbf::<f64, 2>(c, 112, threads);
        wcsph::<f32, 3>(c, 30, threads);
        pbf::<f32, 3>(c, 30, threads);
    }
}

criterion_group!(benches, particles);
criterion_main!(benches);
