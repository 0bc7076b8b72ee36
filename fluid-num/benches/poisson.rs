//! Pressure solvers: sweeps a second. Bytes counted: p and b read, p written.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::poisson::{Budget, End, PoissonSolver, Problem, Solver, SolverKind};
use fluid_num::{Field, Grid, Real};

fn noise<T: Real, const D: usize>(grid: Grid<T, D>) -> Field<T, D> {
    let mut state = 1_u32;
    Field::from_fn(grid, |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        T::of(f64::from(state >> 8) / f64::from(1 << 24) - 0.5)
    })
}

fn sweeps<T: Real, const D: usize>(
    c: &mut Criterion,
    label: &str,
    cells: [usize; D],
    kind: SolverKind<T>,
    threads: usize,
) {
    let iterations = 100;
    let (Ok(grid), name) =
        (Grid::new(cells, T::one()), format!("{} {label}, {iterations} iterations", kind.name()))
    else {
        return;
    };
    let (Ok(problem), Ok(mut solver)) =
        (Problem::new(grid, [[End::Neumann; 2]; D]), Solver::new(grid, kind))
    else {
        return;
    };
    let (rhs, mut p) = (noise(grid), Field::zeros(grid));
    let case = Case {
        name: &name,
        cells: grid.cell_count() * iterations,
        bytes_per_cell: 3 * size_of::<T>(),
        threads,
    };
    case.run(c, || {
        let report = solver.solve(&problem, &rhs, &mut p, Budget::iterations(iterations));
        assert!(report.is_ok_and(|r| r.iterations == iterations));
    });
}

fn poisson(c: &mut Criterion) {
    for threads in [1, 2] {
        for n in [128, 512, 2048] {
            sweeps(c, &format!("f32 {n}x{n}"), [n, n], SolverKind::<f32>::Jacobi, threads);
        }
        sweeps(c, "f64 512x512", [512, 512], SolverKind::<f64>::Jacobi, threads);
        sweeps(c, "f32 96x96x96", [96, 96, 96], SolverKind::<f32>::Jacobi, threads);
        sweeps(c, "f64 96x96x96", [96, 96, 96], SolverKind::<f64>::Jacobi, threads);
        for kind in SolverKind::<f32>::all().into_iter().skip(1) {
            sweeps(c, "f32 512x512", [512, 512], kind, threads);
        }
    }
}

criterion_group!(benches, poisson);
criterion_main!(benches);
