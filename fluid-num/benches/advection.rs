//! Advection: cells a second for one field, its trace included. Bytes counted: the velocity and
//! the field read, the field written.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::advection::{Advection, Interpolation, PathOrder, Transport};
use fluid_num::{Boundary, Faces, Field, Grid, Real};

fn carry<T: Real, const D: usize>(
    c: &mut Criterion,
    label: &str,
    cells: [usize; D],
    (order, scheme): (PathOrder, Advection),
    threads: usize,
) {
    let Ok(grid) = Grid::new(cells, T::one()) else {
        return;
    };
    let Ok(mut transport) = Transport::new(grid, Boundary::walls(), order) else {
        return;
    };
    let wave = |x: T, k: f64| T::of(libm::sin(x.to_f64() * k));
    let u = Faces::from_fn(grid, |p| {
        core::array::from_fn(|a| wave(p[(a + 1) % D], 0.013) * T::of(1.5))
    });
    let mut q = Field::from_fn(grid, |p| wave(p[0], 0.1) + wave(p[1], 0.07));
    let name = format!("{scheme:?} {order:?} {label}");
    let bytes_per_cell = (D + 2) * size_of::<T>();
    let case = Case { name: &name, cells: grid.cell_count(), bytes_per_cell, threads };
    case.run(c, || assert!(transport.carry(&u, &mut q, scheme, T::one()).is_ok()));
}

fn advection(c: &mut Criterion) {
    let linear = Advection::default();
    let schemes = [
        linear,
        Advection::SemiLagrangian(Interpolation::MonotoneCubic),
        Advection::SemiLagrangian(Interpolation::ClampedCubic),
        Advection::MacCormack,
        Advection::Scatter,
    ];
    for threads in [1, 2] {
        for scheme in schemes {
            carry::<f32, 2>(c, "f32 512x512", [512, 512], (PathOrder::Euler, scheme), threads);
            carry::<f32, 2>(c, "f32 512x512", [512, 512], (PathOrder::Midpoint, scheme), threads);
        }
        carry::<f32, 2>(c, "f32 512x512", [512, 512], (PathOrder::Ralston, linear), threads);
        carry::<f32, 2>(c, "f32 2048x2048", [2048, 2048], (PathOrder::Euler, linear), threads);
        carry::<f64, 2>(c, "f64 512x512", [512, 512], (PathOrder::Midpoint, linear), threads);
        carry::<f32, 3>(c, "f32 96x96x96", [96; 3], (PathOrder::Midpoint, linear), threads);
        carry::<f64, 3>(c, "f64 96x96x96", [96; 3], (PathOrder::Midpoint, linear), threads);
    }
}

criterion_group!(benches, advection);
criterion_main!(benches);
