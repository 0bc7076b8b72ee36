//! How fast the Poisson solvers converge, on the geometries that games have.

use fluid_num::base::digest::Digest;
use fluid_num::poisson::{
    Budget, Cycle, End, Multigrid, MultigridParams, PoissonSolver, Preconditioner, Problem, Solver,
    SolverKind,
};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, Faces, Field, Grid, Simulation, StableFluids, StableFluidsParams};
use fluid_tests::Random;

const WALLS: [End; 2] = [End::Neumann; 2];
const OPEN: [End; 2] = [End::Dirichlet; 2];
const NODES: [End; 2] = [End::DirichletNode; 2];
const ONE_OPEN: [End; 2] = [End::Neumann, End::Dirichlet];
const PERIODIC: [End; 2] = [End::Periodic; 2];

fn a_box<const D: usize>(cells: [usize; D], ends: [[End; 2]; D]) -> Problem<f64, D> {
    Problem::new(Grid::new(cells, 1.0).unwrap(), ends).unwrap()
}

fn noise<const D: usize>(grid: Grid<f64, D>) -> Field<f64, D> {
    let mut random = Random::new(11);
    Field::from_fn(grid, |_| random.within(-1.0, 1.0))
}

/// What lies inside a shape, of the unit edge between two values of its signed distance.
fn open_part(a: f64, b: f64) -> f64 {
    match (a >= 0.0, b >= 0.0) {
        (true, true) => 1.0,
        (false, false) => 0.0,
        _ => a.max(b) / (a.max(b) - a.min(b)),
    }
}

/// A closed box with a solid disc, its faces open in part.
fn around_a_disc(cells: [usize; 2], sides: [[End; 2]; 2]) -> Problem<f64, 2> {
    let mut problem = a_box(cells, sides);
    let [nx, ny] = cells.map(|n| n as f64);
    let radius = 0.2 * nx.min(ny);
    let distance = |x: f64, y: f64| libm::hypot(x - 0.5 * nx, y - 0.45 * ny) - radius;
    let beta = Faces::from_fn(*problem.grid(), |[x, y]| {
        // The centres of faces: an x-face has a whole x.
        let along_y = open_part(distance(x, y - 0.5), distance(x, y + 0.5));
        let along_x = open_part(distance(x - 0.5, y), distance(x + 0.5, y));
        [along_y, along_x]
    });
    problem.set_coefficients(&beta, None).unwrap();
    problem
}

/// A closed box half full of water: p = 0 where the surface cuts the way between two centres.
fn under_a_surface(n: usize) -> Problem<f64, 2> {
    let mut problem = a_box([n, n], [WALLS; 2]);
    let grid = *problem.grid();
    let height = |x: f64| n as f64 * (0.55 + 0.1 * libm::sin(9.0 * x / n as f64));
    let phi = |[i, j]: [usize; 2]| j as f64 + 0.5 - height(i as f64 + 0.5);
    let mut active = vec![0; grid.array_len()];
    let mut beta = Faces::from_fn(grid, |_| [1.0; 2]);
    for j in 0..n {
        for i in 0..n {
            active[grid.index([i, j])] = u8::from(phi([i, j]) < 0.0);
            for (axis, below) in [(0, [i.wrapping_sub(1), j]), (1, [i, j.wrapping_sub(1)])] {
                if [i, j][axis] == 0 {
                    continue;
                }
                let (a, b) = (phi(below), phi([i, j]));
                let (wet, dry) = (a.min(b), a.max(b));
                beta[axis][[i, j]] = match (wet < 0.0, dry < 0.0) {
                    (true, true) => 1.0,
                    (true, false) => 1.0 / (wet / (wet - dry)).max(0.01),
                    _ => 0.0,
                };
            }
        }
    }
    problem.set_coefficients(&beta, Some(&active)).unwrap();
    problem
}

/// The mean factor by which each of the cycles 5 to 10 reduces the residual.
fn contraction<const D: usize>(problem: &Problem<f64, D>, params: MultigridParams) -> f64 {
    let rhs = noise(*problem.grid());
    let mut p = Field::zeros(*problem.grid());
    let mut solver = Multigrid::new(*problem.grid(), params).unwrap();
    let mut run = |cycles| {
        let budget = Budget::iterations(cycles);
        solver.solve(problem, &rhs, &mut p, budget).unwrap().residual
    };
    let before = run(4);
    // What is at the rounding of p falls no further.
    if before < 1e-12 { 0.0 } else { libm::pow(run(6) / before, 1.0 / 6.0) }
}

#[test]
fn multigrid_contracts_alike_on_every_size_of_a_box() {
    let params = MultigridParams::default();
    for ends in [WALLS, OPEN, NODES, ONE_OPEN, PERIODIC] {
        for n in [64, 128, 512, 1024] {
            let factor = contraction(&a_box([n; 2], [ends; 2]), params);
            assert!(factor <= 0.15, "{ends:?}, {n}: {factor}");
        }
        for n in [32, 64] {
            let factor = contraction(&a_box([n; 3], [ends; 3]), params);
            assert!(factor <= 0.15, "{ends:?}, {n}, 3D: {factor}");
        }
    }
    assert!(contraction(&a_box([128; 3], [WALLS; 3]), params) <= 0.15);
}

#[test]
fn multigrid_contracts_around_a_disc_and_under_a_free_surface() {
    let params = MultigridParams::default();
    for n in [64, 128, 256, 512] {
        let factor = contraction(&around_a_disc([n; 2], [WALLS; 2]), params);
        assert!(factor <= 0.3, "disc, {n}: {factor}");
        let factor = contraction(&under_a_surface(n), params);
        assert!(factor <= 0.35, "surface, {n}: {factor}");
    }
}

#[test]
fn case_o10_multigrid_any_size() {
    let params = MultigridParams::default();
    let sizes = [[96, 64], [96, 65], [65, 65], [37, 53], [100, 3], [1, 64], [511, 511], [1000, 17]];
    for cells in sizes {
        for (ends, name) in [
            ([WALLS; 2], "closed"),
            ([WALLS, ONE_OPEN], "one open side"),
            ([NODES; 2], "p = 0 around"),
            ([PERIODIC; 2], "periodic"),
            ([ONE_OPEN, PERIODIC], "mixed"),
        ] {
            let factor = contraction(&a_box(cells, ends), params);
            assert!(factor <= 0.35, "{cells:?}, {name}: {factor}");
            if cells.into_iter().min() > Some(16) {
                let factor = contraction(&around_a_disc(cells, ends), params);
                assert!(factor <= 0.35, "{cells:?}, {name}, disc: {factor}");
            }
        }
    }
}

#[test]
fn richer_cycles_contract_no_worse() {
    for problem in [a_box([96, 65], [WALLS; 2]), around_a_disc([128; 2], [WALLS; 2])] {
        let v = contraction(&problem, MultigridParams::default());
        // A mean over six cycles is known to about this.
        let slack = 0.02;
        for cycle in [Cycle::W, Cycle::F] {
            let factor = contraction(&problem, MultigridParams { cycle, sweeps: 2 });
            assert!(factor <= v + slack, "{cycle:?}: {factor}, V: {v}");
        }
        let mut last = 1.0;
        for sweeps in 1..=8 {
            let factor = contraction(&problem, MultigridParams { cycle: Cycle::V, sweeps });
            assert!(factor <= last + slack, "{sweeps} sweeps: {factor}, one fewer: {last}");
            last = factor;
        }
    }
}

/// The number of iterations to a residual of `tolerance`.
fn iterations<const D: usize>(
    problem: &Problem<f64, D>,
    kind: SolverKind<f64>,
    tolerance: f64,
) -> usize {
    let rhs = noise(*problem.grid());
    let mut p = Field::zeros(*problem.grid());
    let mut solver = Solver::new(*problem.grid(), kind).unwrap();
    let report = solver.solve(problem, &rhs, &mut p, Budget::tolerance(tolerance, 2000)).unwrap();
    assert!(report.converged && report.residual <= tolerance, "{}: {report:?}", kind.name());
    report.iterations
}

#[test]
fn six_decades_take_at_most_eight_cycles_in_a_box() {
    let kind = SolverKind::Multigrid(MultigridParams::default());
    for ends in [WALLS, OPEN, ONE_OPEN, PERIODIC] {
        for n in [64, 256, 1024] {
            assert!(iterations(&a_box([n; 2], [ends; 2]), kind, 1e-6) <= 8);
        }
        assert!(iterations(&a_box([64; 3], [ends; 3]), kind, 1e-6) <= 8);
    }
}

#[test]
fn with_multigrid_conjugate_gradients_take_at_most_two_iterations_a_decade() {
    let multigrid = Preconditioner::Multigrid(MultigridParams::default());
    let kind = SolverKind::ConjugateGradient(multigrid);
    for problem in [
        a_box([256; 2], [WALLS; 2]),
        a_box([97, 65], [PERIODIC, ONE_OPEN]),
        around_a_disc([256; 2], [WALLS; 2]),
        under_a_surface(256),
    ] {
        let (first, last) = (iterations(&problem, kind, 1e-2), iterations(&problem, kind, 1e-10));
        // Eight decades; the first two start from a residual that is all rough.
        assert!(last - first <= 16 && first <= 4, "{first} and {last} iterations");
    }
}

#[test]
fn incomplete_cholesky_takes_a_third_of_the_iterations() {
    for problem in [a_box([128; 2], [WALLS; 2]), around_a_disc([128; 2], [WALLS; 2])] {
        let of = |preconditioner| {
            iterations(&problem, SolverKind::ConjugateGradient(preconditioner), 1e-6)
        };
        let (diagonal, cholesky) =
            (of(Preconditioner::Jacobi), of(Preconditioner::IncompleteCholesky));
        // MIC(0) takes the condition of N² cells from N² to N: at N = 128 far more than this.
        assert!(3 * cholesky <= diagonal, "{cholesky} and {diagonal}");
    }
}

#[test]
fn incomplete_cholesky_is_complete_along_a_line() {
    let kind = SolverKind::ConjugateGradient(Preconditioner::IncompleteCholesky);
    assert_eq!(iterations(&a_box([200, 1], [ONE_OPEN, WALLS]), kind, 1e-9), 1);
    assert_eq!(iterations(&a_box([1, 1, 90], [WALLS, WALLS, OPEN]), kind, 1e-9), 1);
}

#[test]
fn a_solver_that_has_seen_another_problem_is_as_good_as_new() {
    let grid = *a_box([96, 65], [WALLS; 2]).grid();
    let problems = [
        a_box([96, 65], [WALLS; 2]),
        around_a_disc([96, 65], [WALLS; 2]),
        around_a_disc([96, 65], [ONE_OPEN, PERIODIC]),
        a_box([96, 65], [PERIODIC, OPEN]),
    ];
    for kind in SolverKind::general() {
        let mut used = Solver::new(grid, kind).unwrap();
        for problem in problems.iter().chain(&problems) {
            let mut fresh = Solver::new(grid, kind).unwrap();
            let [of_used, of_fresh] = [&mut used, &mut fresh].map(|solver| {
                let mut p = Field::zeros(grid);
                solver.solve(problem, &noise(grid), &mut p, Budget::iterations(3)).unwrap();
                p.digest(Digest::new()).finish()
            });
            assert_eq!(of_used, of_fresh, "{}", kind.name());
        }
    }
}

#[test]
fn a_direct_solver_refuses_solids_by_name_and_the_fluid_is_as_before() {
    let grid = Grid::new([24, 16], 0.5).unwrap();
    let params = StableFluidsParams::<f64, 2> {
        pressure_solver: SolverKind::Spectral(Default::default()),
        ..Default::default()
    };
    let mut fluid = StableFluids::new(grid, params).unwrap();
    fluid.velocity_mut()[0].set_from_fn(|[x, y]| x * y % 1.3);
    let report = fluid.step(0.1).unwrap().pressure.unwrap();
    assert!(report.iterations == 1 && report.residual < 1e-12, "{report:?}");
    let before = fluid.digest();
    let disc = Body::new(Shape::ball(2.0).unwrap(), [6.0, 4.0]).unwrap();
    fluid.bodies_mut().push(disc);
    let refused = fluid.step(0.1).unwrap_err();
    assert!(matches!(refused, Error::UnsuitableSolver { solver: "spectral", .. }), "{refused}");
    assert_eq!(refused.to_string().matches("multigrid").count(), 1, "{refused}");
    assert_eq!(fluid.digest(), before);
    fluid.bodies_mut().clear();
    assert!(fluid.step(0.1).is_ok());
    // What a body uncovers is filled when the step is done, not when it is refused.
    let general =
        StableFluidsParams { pressure_solver: SolverKind::Jacobi, ..fluid.params().clone() };
    let direct = fluid.params().clone();
    fluid.set_params(general).unwrap();
    fluid.bodies_mut().push(Body::new(Shape::ball(2.0).unwrap(), [6.0, 4.0]).unwrap());
    fluid.quantity_mut(0).unwrap().set_from_fn(|[x, y]| x + y);
    fluid.step(0.1).unwrap();
    fluid.set_params(direct).unwrap();
    fluid.bodies_mut()[0].position = [8.0, 4.0];
    let before = fluid.digest();
    assert!(fluid.step(0.1).is_err() && fluid.project().is_err());
    assert_eq!(fluid.digest(), before);
}

#[test]
fn direct_solves_agree_with_conjugate_gradients_on_every_mix_of_ends() {
    let pairs = [WALLS, OPEN, NODES, ONE_OPEN, PERIODIC, [End::DirichletNode, End::Neumann]];
    for x in pairs {
        for y in pairs {
            let problem = a_box([17, 12], [x, y]);
            let solve = |kind| {
                let mut p = Field::zeros(*problem.grid());
                let mut solver = Solver::new(*problem.grid(), kind).unwrap();
                let budget = Budget::tolerance(1e-13, 400);
                solver.solve(&problem, &noise(*problem.grid()), &mut p, budget).unwrap();
                p
            };
            let direct = solve(SolverKind::Spectral(Default::default()));
            let other = solve(SolverKind::ConjugateGradient(Preconditioner::Jacobi));
            let off = direct.values().zip(other.values()).map(|(a, b)| (a - b).abs());
            // The condition of the problem is below 1000.
            assert!(off.fold(0.0, f64::max) <= 1e-9 * other.max_abs(), "{x:?} {y:?}");
        }
    }
}

#[test]
fn the_planner_takes_what_suits() {
    let (box_, disc) = (a_box([64; 2], [WALLS; 2]), around_a_disc([64; 2], [WALLS; 2]));
    for tolerance in [0.0, 1e-6, 1e-3, 1e-1] {
        for problem in [&box_, &disc] {
            let budget = Budget::tolerance(tolerance, 40);
            let kind = SolverKind::best_for(problem, budget);
            assert!(kind.suits(problem).is_ok(), "{}", kind.name());
            let mut solver = Solver::new(*problem.grid(), kind).unwrap();
            let mut p = Field::zeros(*problem.grid());
            let budget = Budget::tolerance(tolerance.max(1e-9), 40);
            let report = solver.solve(problem, &noise(*problem.grid()), &mut p, budget).unwrap();
            assert!(report.converged, "{}: {report:?}", kind.name());
        }
    }
    let mut diffusion = a_box([64; 2], [WALLS; 2]);
    diffusion.set_shift(4.0).unwrap();
    let kind = SolverKind::best_for(&diffusion, Budget::tolerance(1e-6, 40));
    assert_eq!(kind, SolverKind::ConjugateGradient(Preconditioner::Jacobi));
}
