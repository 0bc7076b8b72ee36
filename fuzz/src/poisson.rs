//! Poisson problems of any sides, coefficients and right-hand sides, by every solver.

use fluid_num::poisson::{End, PoissonSolver, Problem, Solver};
use fluid_num::{Faces, Field, Grid, Real};

use crate::input::{Input, dispatch};
use crate::scene;

/// A problem, a right-hand side, a guess, and two solves.
///
/// # Panics
/// Where a property does not hold.
pub fn poisson(data: &[u8]) {
    dispatch!(data, run);
}

fn run<T: Real, const D: usize>(input: &mut Input<'_>) {
    let grid = input.grid::<T, D>();
    let ends = ends::<D>(input);
    let half = ends.iter().any(|e| (e[0] == End::Periodic) != (e[1] == End::Periodic));
    let made = Problem::new(grid, ends);
    assert_eq!(made.is_ok(), !half);
    let Ok(mut problem) = made else { return };
    shape_problem(input, &grid, &mut problem);
    for _ in 0..2 {
        solve(input, &grid, &problem);
    }
}

fn ends<const D: usize>(input: &mut Input<'_>) -> [[End; 2]; D] {
    core::array::from_fn(|_| {
        let end =
            |input: &mut Input<'_>| input.pick(&[End::Neumann, End::Dirichlet, End::DirichletNode]);
        match input.byte() {
            0..64 => [End::Periodic; 2],
            255 => [End::Periodic, end(input)],
            _ => [end(input), end(input)],
        }
    })
}

/// Coefficients, active cells and a shift; what is refused leaves the problem as it was.
fn shape_problem<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
    problem: &mut Problem<T, D>,
) {
    let shift: T = input.coefficient();
    let accepted = problem.set_shift(shift).is_ok();
    assert_eq!(accepted, shift.is_finite() && shift >= T::zero());
    assert_eq!(problem.shift(), if accepted { shift } else { T::zero() });
    if input.flag() {
        return;
    }
    let mut beta = Faces::zeros(*grid);
    for axis in 0..D {
        scene::fill(input, &mut beta[axis], 1.0);
        if !input.chance(16) {
            beta[axis].as_mut_slice().iter_mut().for_each(|b| *b = b.magnitude());
        }
    }
    let every = input.within(1, 9);
    let active: Vec<u8> = (0..grid.array_len()).map(|n| u8::from(n % every != 0)).collect();
    let mask = input.flag().then_some(active.as_slice());
    let before = (problem.is_variable(), problem.is_singular());
    let good = |b: T| b.is_finite() && b >= T::zero();
    let valid = beta.components().iter().all(|c| c.values().all(good));
    assert_eq!(problem.set_coefficients(&beta, mask).is_ok(), valid);
    if !valid {
        assert_eq!((problem.is_variable(), problem.is_singular()), before);
    }
    if input.chance(16) {
        problem.clear_coefficients();
        assert!(!problem.is_variable());
    }
}

fn solve<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
    problem: &Problem<T, D>,
) {
    let kind = scene::solver_kind::<T>(input);
    let budget = scene::budget::<T>(input);
    let Ok(mut solver) = Solver::new(*grid, kind) else {
        return;
    };
    let (mut rhs, mut p) = (Field::zeros(*grid), Field::zeros(*grid));
    scene::fill(input, &mut rhs, 10.0);
    scene::fill(input, &mut p, 10.0);
    let before = scene::bits(&p);
    let given = rhs.clone();
    let finite = rhs.check_finite("rhs").is_ok() && p.check_finite("p").is_ok();
    let report = match solver.solve(problem, &rhs, &mut p, budget) {
        Ok(report) => report,
        Err(error) => {
            let unsuitable = kind.suits(problem).is_err();
            // What is solved for is h²·rhs, less its mean.
            let most = rhs.max_abs() * T::of(2.0);
            let overflows = !(most * grid.dx() * grid.dx()).is_finite();
            let bad = !finite || budget.check().is_err() || unsuitable || overflows;
            assert!(bad, "refused: {error}");
            assert_eq!(scene::bits(&p), before, "changed, although: {error}");
            return;
        }
    };
    assert_eq!(scene::bits(&rhs), scene::bits(&given));
    assert!(report.iterations <= budget.iterations);
    let solved = p.check_finite("p").is_ok();
    if report.converged {
        assert!(solved && report.residual <= budget.tolerance, "{report:?}");
    }
    if !input.is_tame() {
        return;
    }
    assert!(solved && report.residual.is_finite(), "{kind:?}: {report:?}");
    if problem.is_singular() || !report.converged {
        return;
    }
    // The residual measured anew, against the largest right-hand side of all cells. A problem
    // without a singular region is solved as it was given, but for cells without an open face.
    let residual = problem.residual(&p, &rhs);
    if !problem.is_variable() {
        assert!(residual <= budget.tolerance * rhs.max_abs() * T::of(1.001), "{residual}");
    }
}
