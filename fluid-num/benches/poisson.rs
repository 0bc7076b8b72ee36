//! Pressure solvers: sweeps a second, multigrid cycles, solves to a tolerance. Bytes counted: p and
//! b read, p written.
#![allow(missing_docs, reason = "a bench has no users")]

mod common;
#[path = "common/noise.rs"]
mod noise;

use common::Case;
use criterion::{Criterion, criterion_group, criterion_main};
use fluid_num::poisson::{
    Budget, End, MultigridParams, PoissonSolver, Preconditioner, Problem, Solver, SolverKind,
};
use fluid_num::{Error, Field, Grid, Real};
use noise::noise;

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
        // A solver that is done would stop before its time.
        p.fill(T::zero());
        let report = solver.solve(&problem, &rhs, &mut p, Budget::iterations(iterations));
        assert!(report.is_ok_and(|r| r.iterations == iterations));
    });
}

/// A closed box, a right-hand side, and a solver of this kind.
type Scene = (Problem<f32, 2>, Field<f32, 2>, Solver<f32, 2>);

fn scene(cells: [usize; 2], kind: SolverKind<f32>) -> Result<Scene, Error> {
    let grid = Grid::new(cells, 1.0)?;
    let problem = Problem::new(grid, [[End::Neumann; 2]; 2])?;
    Ok((problem, noise(grid), Solver::new(grid, kind)?))
}

/// Ten V(2, 2) cycles, so that what is around them weighs little.
fn cycle(c: &mut Criterion, cells: [usize; 2], threads: usize) {
    let Ok((problem, rhs, mut solver)) = scene(cells, SolverKind::Multigrid(Default::default()))
    else {
        return;
    };
    let mut p = Field::zeros(*problem.grid());
    let name = format!("V(2, 2) cycles f32 {}x{}, 10 of them", cells[0], cells[1]);
    let cells = 10 * problem.grid().cell_count();
    let case = Case { name: &name, cells, bytes_per_cell: 12, threads };
    case.run(c, || {
        let report = solver.solve(&problem, &rhs, &mut p, Budget::iterations(10));
        assert!(report.is_ok_and(|r| r.iterations == 10));
    });
}

/// From p = 0 to a residual of a hundredth.
fn solve(c: &mut Criterion, label: &str, cells: [usize; 2], kind: SolverKind<f32>, threads: usize) {
    let Ok((problem, rhs, mut solver)) = scene(cells, kind) else {
        return;
    };
    let mut p = Field::zeros(*problem.grid());
    let name = format!("{label} f32 {}x{} to 1e-2", cells[0], cells[1]);
    let cells = problem.grid().cell_count();
    let case = Case { name: &name, cells, bytes_per_cell: 12, threads };
    case.run(c, || {
        p.fill(0.0);
        let report = solver.solve(&problem, &rhs, &mut p, Budget::tolerance(1e-2, 20));
        assert!(report.is_ok_and(|r| r.converged));
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
        for kind in [
            SolverKind::<f32>::GaussSeidel,
            SolverKind::Sor { relaxation: None },
            SolverKind::ConjugateGradient(Preconditioner::None),
            SolverKind::ConjugateGradient(Preconditioner::Jacobi),
            SolverKind::ConjugateGradient(Preconditioner::IncompleteCholesky),
        ] {
            sweeps(c, "f32 512x512", [512, 512], kind, threads);
        }
        let multigrid = SolverKind::Multigrid(MultigridParams::default());
        // Two cycles instead of three.
        let thorough = MultigridParams { sweeps: 3, ..Default::default() };
        for cells in [[512, 256], [512, 512]] {
            cycle(c, cells, threads);
            solve(c, "V(2, 2)", cells, multigrid, threads);
            solve(c, "V(3, 3)", cells, SolverKind::Multigrid(thorough), threads);
        }
        let gradients = Preconditioner::Multigrid(MultigridParams::default());
        let gradients = SolverKind::ConjugateGradient(gradients);
        solve(c, gradients.name(), [512, 512], gradients, threads);
    }
}

criterion_group!(benches, poisson);
criterion_main!(benches);
