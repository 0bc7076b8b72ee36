//! The Poisson filter: applications a second, and its arithmetic beside the machine's.
//!
//! Bytes counted: p and b read, p written.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;
#[path = "common/noise.rs"]
mod noise;

use common::{Case, best};
use core::hint::black_box;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::base::exec::{self, ChunkPass};
use fluid_num::poisson::{Budget, End, Filter, FilterParams, PoissonSolver, Problem};
use fluid_num::{Field, Grid, Real};
use noise::noise;

fn filter<T: Real, const D: usize>(
    c: &mut Criterion,
    label: &str,
    cells: [usize; D],
    params: FilterParams,
    threads: usize,
) {
    let FilterParams { order, rank } = params;
    let name = format!("filter {label}, n = {order}, R = {rank}");
    let Ok(grid) = Grid::new(cells, T::one()) else {
        return;
    };
    let start = std::time::Instant::now();
    let (Ok(problem), Ok(mut solver)) =
        (Problem::new(grid, [[End::Neumann; 2]; D]), Filter::new(grid, params))
    else {
        return;
    };
    let built = start.elapsed().as_secs_f64() * 1e3;
    let (rhs, mut p) = (noise(grid), Field::zeros(grid));
    let case =
        Case { name: &name, cells: grid.cell_count(), bytes_per_cell: 3 * size_of::<T>(), threads };
    let mut once = || {
        p.fill(T::zero());
        let report = solver.solve(&problem, &rhs, &mut p, Budget::iterations(1));
        assert!(report.is_ok_and(|r| r.iterations == 1));
    };
    let time = best(20, &mut once);
    case.run(c, &mut once);
    let operations = solver.operations_per_cell() * grid.cell_count();
    let rate = operations as f64 / time / 1e9;
    println!("  built in {built:.1} ms; {:.3} ms = {rate:.1} GFLOP/s", time * 1e3);
}

/// Rounds of one addition and one multiplication, in sums that stay in registers.
struct Rounds(usize);

impl ChunkPass<f32, 1> for Rounds {
    #[inline(always)]
    fn chunk(&self, _: usize, [out]: [&mut [f32]; 1]) {
        let mut sums = [0.0_f32; LANES];
        sums.copy_from_slice(&out[..LANES]);
        for _ in 0..self.0 {
            for l in 0..LANES {
                sums[l] = sums[l] * 0.999 + 0.001;
            }
        }
        out[..LANES].copy_from_slice(&sums);
    }
}

const LANES: usize = 96;

/// Additions and multiplications a second, not fused, at best.
fn arithmetic() -> f64 {
    const ROUNDS: usize = 1 << 18;
    let mut sums = [1.0_f32; LANES];
    let time = best(9, || exec::chunks([black_box(&mut sums)], &Rounds(ROUNDS)));
    (ROUNDS * LANES * 2) as f64 / time / 1e9
}

fn filters(c: &mut Criterion) {
    println!("{:.1} GFLOP/s at best", arithmetic());
    for threads in [1, 2] {
        for (order, rank) in [(32, 1), (32, 2), (32, 4), (32, 8), (8, 4), (128, 4)] {
            filter::<f32, 2>(c, "f32 512x512", [512, 512], FilterParams { order, rank }, threads);
        }
        let params = FilterParams::default();
        filter::<f64, 2>(c, "f64 512x512", [512, 512], params, threads);
        filter::<f32, 2>(c, "f32 2048x2048", [2048, 2048], params, threads);
        filter::<f32, 3>(c, "f32 96x96x96", [96, 96, 96], params, threads);
    }
}

criterion_group!(benches, filters);
criterion_main!(benches);
