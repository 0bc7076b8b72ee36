//! Direct solves, beside the same by rustdct's rows and transposes. Bytes counted: b read, p
//! written.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;
#[path = "common/noise.rs"]
mod noise;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::poisson::{Budget, End, PoissonSolver, Problem, Spectral, SpectralMethod};
use fluid_num::transform::{Dct, Dst1};
use fluid_num::{Field, Grid, Real};
use noise::noise;
use rustdct::DctPlanner;

fn solve<T: Real, const D: usize>(
    c: &mut Criterion,
    cells: [usize; D],
    end: End,
    method: SpectralMethod,
    threads: usize,
) {
    let Ok(grid) = Grid::new(cells, T::one()) else { return };
    let Ok(problem) = Problem::new(grid, [[end; 2]; D]) else { return };
    let mut solver = Spectral::new(grid, method);
    let (rhs, mut p) = (noise(grid), Field::zeros(grid));
    let name = format!("{} f{} {cells:?} {end:?}", solver.name(), 8 * size_of::<T>());
    let case =
        Case { name: &name, cells: grid.cell_count(), bytes_per_cell: 2 * size_of::<T>(), threads };
    case.run(c, || {
        let report = solver.solve(&problem, &rhs, &mut p, Budget::iterations(1));
        assert!(report.is_ok_and(|r| r.iterations == 1));
    });
}

/// DCT-II of all rows, a transpose, again, division by the eigenvalues, and back.
fn rustdct(c: &mut Criterion, n: usize) {
    let transform = DctPlanner::<f32>::new().plan_dct2(n);
    let mut scratch = vec![0.0; transform.get_scratch_len()];
    let rhs: Vec<f32> = (0..n * n).map(|i| (i * 7919 % 1000) as f32 / 1000.0 - 0.4995).collect();
    let (mut a, mut b) = (rhs.clone(), rhs.clone());
    let half_angle = |m: usize| core::f64::consts::FRAC_PI_2 * m as f64 / n as f64;
    let eigenvalue = |m| 4.0 * half_angle(m).portable_sin_cos().0.powi(2);
    let eigenvalues: Vec<f32> = (0..n).map(|m| eigenvalue(m) as f32).collect();
    let scale = (2.0 / n as f32).powi(2);
    let name = format!("rustdct rows + transposes f32 [{n}, {n}]");
    let case = Case { name: &name, cells: n * n, bytes_per_cell: 8, threads: 1 };
    case.run(c, || {
        a.copy_from_slice(&rhs);
        rows(&mut a, n, |row| transform.process_dct2_with_scratch(row, &mut scratch));
        transpose(&a, &mut b, n);
        rows(&mut b, n, |row| transform.process_dct2_with_scratch(row, &mut scratch));
        for (x, row) in b.chunks_exact_mut(n).enumerate() {
            for (v, own) in row.iter_mut().zip(&eigenvalues) {
                let sum = eigenvalues[x] + own;
                *v = if sum > 0.0 { -*v * scale / sum } else { 0.0 };
            }
        }
        rows(&mut b, n, |row| transform.process_dct3_with_scratch(row, &mut scratch));
        transpose(&b, &mut a, n);
        rows(&mut a, n, |row| transform.process_dct3_with_scratch(row, &mut scratch));
    });
}

fn rows(values: &mut [f32], n: usize, f: impl FnMut(&mut [f32])) {
    values.chunks_exact_mut(n).for_each(f);
}

/// In tiles of 16×16.
fn transpose(from: &[f32], to: &mut [f32], n: usize) {
    for y in (0..n).step_by(16) {
        for x in (0..n).step_by(16) {
            for j in y..(y + 16).min(n) {
                for i in x..(x + 16).min(n) {
                    to[i * n + j] = from[j * n + i];
                }
            }
        }
    }
}

fn transforms(c: &mut Criterion) {
    let n = 512;
    let stride = n + 24;
    let mut data = vec![0.0_f32; n * stride];
    if let Ok(mut plan) = Dct::new(n) {
        let name = "DCT-II f32 of 512 columns of 512";
        let case = Case { name, cells: n * n, bytes_per_cell: 8, threads: 1 };
        case.run(c, || assert!(plan.forward_lanes(&mut data, n, stride).is_ok()));
    }
    if let Ok(mut plan) = Dst1::new(n - 1) {
        let name = "DST-I f32 of 512 columns of 511";
        let case = Case { name, cells: n * n, bytes_per_cell: 8, threads: 1 };
        case.run(c, || assert!(plan.forward_lanes(&mut data, n, stride).is_ok()));
    }
}

fn spectral(c: &mut Criterion) {
    const SYSTEMS: SpectralMethod = SpectralMethod::Tridiagonal;
    for threads in [1, 2] {
        solve::<f32, 2>(c, [511, 511], End::DirichletNode, SYSTEMS, threads);
        solve::<f32, 2>(c, [512, 512], End::Neumann, SYSTEMS, threads);
        solve::<f32, 2>(c, [512, 512], End::Neumann, SpectralMethod::FullTransform, threads);
        solve::<f32, 2>(c, [512, 512], End::Periodic, SYSTEMS, threads);
        solve::<f64, 2>(c, [512, 512], End::Neumann, SYSTEMS, threads);
        solve::<f32, 2>(c, [1023, 1023], End::Neumann, SYSTEMS, threads);
        solve::<f32, 3>(c, [128; 3], End::Neumann, SYSTEMS, threads);
    }
    rustdct(c, 512);
    transforms(c);
}

criterion_group!(benches, spectral);
criterion_main!(benches);
