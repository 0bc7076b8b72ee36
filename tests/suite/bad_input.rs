//! Every constructor and setter against NaN, infinities, zero, negative, huge and empty input: a
//! typed error that names the parameter, or the documented meaning; never a panic; and after each
//! failed call the state is as before.

use fluid_num::advection::{Advection, PathOrder, Transport};
use fluid_num::grid::ops;
use fluid_num::poisson::{
    Budget, End, FilterParams, MultigridParams, PoissonSolver, Preconditioner, Problem, RedBlack,
    Solver, SolverKind,
};
use fluid_num::schemes::shallow_water::{
    FoamParams, Sponge, SprayDrop, SprayParams, SurfaceWaves, WaterSide, WaterSource,
};
use fluid_num::schemes::stam2003::Diffusion;
use fluid_num::schemes::wind::Reach;
use fluid_num::solid::{Body, Mask, Polygon, Shape, Solids};
use fluid_num::{
    Boundary, Effect, Error, Faces, Field, Grid, Grid2, Grid3, Gusts, Motor, QuantityParams,
    ShallowWater, ShallowWaterParams, Side, Simulation, Source, StableFluids, StableFluids2,
    StableFluidsParams, Stam2003, Stam2003Params, Stepper, Wind2, Wind3, WindParams,
};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;
/// What no parameter accepts.
const NOT_FINITE: [f64; 3] = [NAN, INF, -INF];
/// What a parameter that must not be negative refuses too.
const NEGATIVE: [f64; 5] = [NAN, INF, -INF, -1e-300, -1.0];
/// What a parameter that must be positive refuses.
const NOT_POSITIVE: [f64; 7] = [NAN, INF, -INF, 0.0, -0.0, -1e-300, -1.0];

/// The kind of an error and the name in it.
fn kind(error: &Error) -> (&'static str, &'static str) {
    match error {
        Error::InvalidParameter { name, .. } => ("parameter", name),
        Error::InvalidTimeStep { .. } => ("time step", "dt"),
        Error::EmptyGrid { .. } => ("empty", "cells"),
        Error::GridTooLarge { .. } => ("too large", "cells"),
        Error::GridMismatch { name } => ("mismatch", name),
        Error::HalfPeriodic { .. } => ("half periodic", "boundary"),
        Error::NotFinite { name, .. } => ("not finite", name),
        Error::Unstable { field, .. } => ("unstable", field),
        Error::WrongCount { name, .. } => ("count", name),
        Error::NoSuchEntry { name, .. } => ("entry", name),
        Error::WrongSnapshot { name, .. } => ("snapshot", name),
        Error::BeyondStabilityLimit { name, .. } => ("limit", name),
        other => panic!("an error without a name here: {other:?}"),
    }
}

#[track_caller]
fn refused<V: core::fmt::Debug>(result: Result<V, Error>, expected: (&str, &str)) {
    match result {
        Ok(value) => panic!("{expected:?} was accepted: {value:?}"),
        Err(error) => {
            assert_eq!(kind(&error), expected, "{error}");
            // A sentence that names what was wrong and says what is right.
            assert!(error.to_string().len() > 20, "{error}");
        }
    }
}

#[test]
fn grids_name_what_is_wrong() {
    for dx in NOT_POSITIVE {
        refused(Grid2::new([4, 4], dx), ("parameter", "dx"));
    }
    refused(Grid2::new([0, 4], 1.0), ("empty", "cells"));
    refused(Grid2::new([4, 0], 1.0), ("empty", "cells"));
    refused(Grid3::new([4, 4, 0], 1.0), ("empty", "cells"));
    refused(Grid::<f64, 1>::new([4], 1.0), ("empty", "cells"));
    refused(Grid::<f64, 4>::new([4; 4], 1.0), ("empty", "cells"));
    refused(Grid::<f64, 0>::new([], 1.0), ("empty", "cells"));
    refused(Grid2::new([usize::MAX, 1], 1.0), ("too large", "cells"));
    refused(Grid2::new([usize::MAX, usize::MAX], 1.0), ("too large", "cells"));
    refused(Grid2::new([1 << 20, 1 << 20], 1.0), ("too large", "cells"));
    refused(Grid3::new([2000; 3], 1.0), ("too large", "cells"));
    for x in NOT_FINITE {
        let grid = Grid2::new([4, 4], 1.0).unwrap();
        refused(grid.with_origin([0.0, x]), ("parameter", "origin"));
    }
    assert!(Grid2::new([1, 1], 1e-139).is_ok());
    // Its square is no longer a number to divide by.
    assert!(Grid2::new([1, 1], f64::MIN_POSITIVE).is_err());
}

#[test]
fn boundaries_name_what_is_wrong() {
    for x in NOT_FINITE {
        let inflow = Boundary::walls().with(0, 0, Side::Inflow { velocity: [1.0, x] });
        refused(inflow.check(), ("parameter", "boundary.inflow.velocity"));
        let moving = Boundary::walls().with(1, 1, Side::Moving { velocity: [x, 0.0] });
        refused(moving.check(), ("parameter", "boundary.moving.velocity"));
    }
    let out_of_plane = Boundary::walls().with(1, 1, Side::Moving { velocity: [0.0, 1.0] });
    let name = "the normal component of boundary.moving.velocity";
    refused(out_of_plane.check(), ("parameter", name));
    let half = Boundary::<f64, 2>::walls().with(1, 0, Side::Periodic);
    refused(half.check(), ("half periodic", "boundary"));
    // No change for a side that is not there.
    assert_eq!(half.with(5, 0, Side::Open).with(0, 2, Side::Open), half);
    let grid = Grid2::new([4, 4], 1.0).unwrap();
    refused(Problem::pressure(grid, &half), ("half periodic", "boundary"));
    refused(Transport::new(grid, half, PathOrder::Euler), ("half periodic", "boundary"));
    let ends = [[End::Neumann; 2], [End::Dirichlet, End::Periodic]];
    refused(Problem::new(grid, ends), ("half periodic", "boundary"));
}

#[test]
fn fields_of_different_grids_do_not_mix() {
    let (grid, other) = (Grid2::new([4, 4], 1.0).unwrap(), Grid2::new([4, 5], 1.0).unwrap());
    let scaled = Grid2::new([4, 4], 2.0).unwrap();
    for alien in [other, scaled] {
        let mut field = Field::<f64, 2>::zeros(grid);
        refused(field.copy_from(&Field::zeros(alien)), ("mismatch", "the source field"));
        let mut faces = Faces::<f64, 2>::zeros(grid);
        refused(faces.copy_from(&Faces::zeros(alien)), ("mismatch", "the source field"));
        let wind = Faces::<f64, 2>::zeros(alien);
        assert!(matches!(ops::divergence(&wind, &mut field), Err(Error::GridMismatch { .. })));
    }
    assert_eq!(Field::<f64, 2>::zeros(grid).get([4, 0]), None);
    assert_eq!(Field::<f64, 2>::zeros(grid).get([usize::MAX - 1, 0]), None);
    assert_eq!(Field::<f64, 2>::zeros(grid).get([usize::MAX, 0]), None);
}

#[test]
fn sampling_anywhere_gives_a_value_of_the_field() {
    let grid = Grid2::new([5, 4], 0.5).unwrap();
    let field = Field::from_fn(grid, |[x, y]| x + y);
    let (lo, hi) = field.min_max();
    for x in [NAN, INF, -INF, 1e300, -1e300, 0.0, f64::MAX] {
        for y in [NAN, INF, -INF, 1e300, 0.7] {
            let value = field.sample([x, y]);
            assert!(value >= lo && value <= hi || value.is_nan() && (x.is_nan() || y.is_nan()));
        }
    }
}

#[test]
fn budgets_and_solvers_name_what_is_wrong() {
    let grid = Grid2::new([4, 4], 1.0).unwrap();
    for tolerance in NEGATIVE {
        let budget = Budget::tolerance(tolerance, 5);
        refused(budget.check(), ("parameter", "tolerance"));
        let problem = Problem::new(grid, [[End::Dirichlet; 2]; 2]).unwrap();
        for kind in SolverKind::general() {
            let mut p = Field::from_fn(grid, |x| x[0]);
            let before = p.clone();
            let mut solver = Solver::new(grid, kind).unwrap();
            let result = solver.solve(&problem, &before.clone(), &mut p, budget);
            refused(result, ("parameter", "tolerance"));
            assert_eq!(p, before);
        }
    }
    for ω in [NAN, INF, -INF, 0.0, -1.0, 2.0, 2.5] {
        refused(RedBlack::<f64, 2>::new(grid, ω), ("parameter", "relaxation"));
        let kind = SolverKind::Sor { relaxation: Some(ω) };
        refused(Solver::<f64, 2>::new(grid, kind), ("parameter", "relaxation"));
    }
    for (kind, name) in broken_kinds() {
        refused(kind.check(), ("parameter", name));
        refused(Solver::<f64, 2>::new(grid, kind), ("parameter", name));
    }
    let rank = FilterParams { order: 8, rank: 17 };
    let space = Grid::<f64, 3>::new([3; 3], 1.0).unwrap();
    refused(Solver::new(space, SolverKind::Filter(rank)), ("parameter", "rank"));
}

/// Kinds of solvers with numbers out of range, and the parameter at fault.
fn broken_kinds() -> Vec<(SolverKind<f64>, &'static str)> {
    let mut list = Vec::new();
    for sweeps in [0, 9, usize::MAX] {
        let params = MultigridParams { sweeps, ..Default::default() };
        list.push((SolverKind::Multigrid(params), "sweeps"));
        let preconditioner = Preconditioner::Multigrid(params);
        list.push((SolverKind::ConjugateGradient(preconditioner), "sweeps"));
    }
    for count in [0, 129, usize::MAX] {
        let params = FilterParams { order: count, rank: 4 };
        list.push((SolverKind::Filter(params), "order"));
        let params = FilterParams { order: 32, rank: count };
        list.push((SolverKind::Filter(params), "rank"));
    }
    list
}

#[test]
fn a_right_hand_side_that_overflows_is_refused_and_p_stays() {
    // Squares of dx up to 1e15 are let in; times 1e30 that is beyond f32.
    let grid = Grid::<f32, 2>::new([6, 5], 3e7).unwrap();
    for ends in [[End::Neumann; 2], [End::Neumann, End::Dirichlet]] {
        let problem = Problem::new(grid, [ends; 2]).unwrap();
        let rhs = Field::from_fn(grid, |[x, y]| if x < y { 1e30 } else { -1e30 });
        for kind in SolverKind::all() {
            let mut p = Field::from_fn(grid, |x| x[0]);
            let before = p.clone();
            let mut solver = Solver::new(grid, kind).unwrap();
            let result = solver.solve(&problem, &rhs, &mut p, Budget::tolerance(1e-3, 9));
            assert!(matches!(result, Err(Error::NotFinite { .. })), "{}", kind.name());
            assert!(p.values().eq(before.values()), "{}", kind.name());
        }
    }
}

#[test]
fn what_is_loud_where_p_is_not_sought_does_not_hide_the_rest() {
    let grid = Grid::<f32, 2>::new([8, 6], 1.0).unwrap();
    let mut problem = Problem::new(grid, [[End::Neumann; 2]; 2]).unwrap();
    let mut beta = Faces::from_fn(grid, |_| [1.0; 2]);
    for (axis, cell) in [(0, [3, 2]), (0, [4, 2]), (1, [3, 2]), (1, [3, 3])] {
        beta[axis][cell] = 0.0;
    }
    problem.set_coefficients(&beta, None).unwrap();
    let mut rhs = Field::from_fn(grid, |[x, _]| if x < 4.0 { 1.0 } else { -1.0 });
    rhs[[3, 2]] = 1e7;
    for kind in SolverKind::general() {
        let mut p = Field::zeros(grid);
        let mut solver = Solver::new(grid, kind).unwrap();
        let report = solver.solve(&problem, &rhs, &mut p, Budget::tolerance(1e-2, 2000)).unwrap();
        assert!(report.converged && p.max_abs() > 1.0, "{}: {report:?}", kind.name());
        assert_eq!(p[[3, 2]], 0.0);
    }
}

#[test]
fn problems_name_what_is_wrong_and_stay_as_they_were() {
    let grid = Grid2::new([5, 4], 0.5).unwrap();
    let mut problem = Problem::new(grid, [[End::Neumann; 2]; 2]).unwrap();
    let mut beta = Faces::from_fn(grid, |_| [0.5, 0.25]);
    problem.set_coefficients(&beta, None).unwrap();
    let p = Field::from_fn(grid, |[x, y]| x * x - y);
    let rhs = Field::from_fn(grid, |[x, y]| x * y);
    let before = problem.residual(&p, &rhs);
    for bad in NEGATIVE {
        refused(problem.set_shift(bad), ("parameter", "shift"));
        for cell in [[0, 0], [2, 3]] {
            for axis in 0..2 {
                let good = beta[axis][cell];
                beta[axis][cell] = bad;
                refused(problem.set_coefficients(&beta, None), ("parameter", "beta"));
                beta[axis][cell] = good;
            }
        }
    }
    let alien = Faces::zeros(Grid2::new([5, 5], 0.5).unwrap());
    refused(problem.set_coefficients(&alien, None), ("mismatch", "beta"));
    refused(problem.set_coefficients(&beta, Some(&[1; 3])), ("mismatch", "active"));
    refused(problem.set_coefficients(&beta, Some(&[])), ("mismatch", "active"));
    assert_eq!(problem.residual(&p, &rhs), before);
    assert_eq!(problem.shift(), 0.0);
    assert!(problem.is_singular());
}

#[test]
fn steppers_name_what_is_wrong() {
    for dt in NOT_POSITIVE {
        refused(Stepper::new(dt, 4), ("parameter", "dt"));
    }
    refused(Stepper::new(0.1, 0), ("count", "max_steps"));
    let mut clock = Stepper::new(0.1, 4).unwrap();
    let before = clock;
    for frame in [NAN, INF, -INF, 0.0, -1.0] {
        assert_eq!(clock.advance(frame), 0);
        assert_eq!(clock, before);
    }
    assert_eq!(clock.advance(f64::MAX), 4);
    assert!(clock.dropped().is_finite());
}

#[test]
fn shapes_name_what_is_wrong() {
    for x in NOT_POSITIVE {
        refused(Shape::<f64, 2>::ball(x), ("parameter", "ball.radius"));
        refused(Shape::cuboid([1.0, x, 1.0]), ("parameter", "cuboid.half_extents"));
        refused(Shape::<f64, 2>::capsule(1.0, x), ("parameter", "capsule.radius"));
        let cell = Mask::new([2, 1], &[true, false], x);
        assert!(matches!(cell, Err(Error::InvalidParameter { .. })), "{cell:?}");
    }
    for x in NEGATIVE {
        refused(Shape::<f64, 2>::capsule(x, 1.0), ("parameter", "capsule.half_length"));
    }
    for x in NOT_FINITE {
        refused(Shape::half_space([0.0, x]), ("parameter", "half_space.normal"));
        let moved = Shape::ball(1.0).unwrap().moved([x, 0.0]);
        refused(moved, ("parameter", "moved.offset"));
        let corner = Polygon::new(&[[0.0, 0.0], [1.0, 0.0], [0.0, x]]);
        assert!(matches!(corner, Err(Error::InvalidParameter { .. })), "{corner:?}");
    }
    let name = "the length of half_space.normal";
    refused(Shape::half_space([0.0, 0.0]), ("parameter", name));
    refused(Shape::<f64, 2>::union(Vec::new()), ("count", "union"));
    let by_hand = Shape::Union(vec![Shape::Ball { radius: -1.0 }, Shape::Ball { radius: 1.0 }]);
    refused(Body::<f64, 2>::new(by_hand, [0.0; 2]), ("parameter", "ball.radius"));
    for corners in [&[][..], &[[0.0, 0.0]], &[[0.0, 0.0], [1.0, 0.0]]] {
        let polygon = Polygon::new(corners);
        assert!(matches!(polygon, Err(Error::WrongCount { .. })), "{polygon:?}");
    }
    for (size, solid) in [([0, 0], &[][..]), ([2, 2], &[true; 3]), ([2, 1], &[false; 2])] {
        let mask = Mask::new(size, solid, 1.0);
        assert!(matches!(mask, Err(Error::WrongCount { .. })), "{mask:?}");
    }
    let mask = Mask::new([usize::MAX, 2], &[true], 1.0);
    assert!(matches!(mask, Err(Error::WrongCount { .. })), "{mask:?}");
    // Half-spaces of any finite length of normal.
    assert!(Shape::half_space([1e-300, 0.0]).is_ok() && Shape::half_space([1e300, -1e300]).is_ok());
}

fn ball() -> Body<f64, 2> {
    Body::new(Shape::ball(0.2).unwrap(), [0.5, 0.5]).unwrap()
}

#[test]
fn bodies_name_what_is_wrong() {
    for x in NOT_FINITE {
        let shape = Shape::ball(0.2).unwrap();
        refused(Body::new(shape, [x, 0.0]), ("parameter", "body.position"));
        refused(ball().with_velocity([0.0, x]), ("parameter", "body.velocity"));
        refused(
            ball().with_angular_velocity([0.0, 0.0, x]),
            ("parameter", "body.angular_velocity"),
        );
        refused(ball().with_angle(x), ("parameter", "body.angle"));
        refused(ball().with_rotation([0.0, 0.0, x], 1.0), ("parameter", "body.axis"));
        let mut body = ball();
        let before = body.clone();
        refused(body.add_force_at([x, 0.0], [1.0, 0.0]), ("parameter", "point"));
        refused(body.add_force_at([0.0; 2], [x, 0.0]), ("parameter", "force"));
        assert_eq!(body, before);
    }
    refused(ball().with_rotation([0.0; 3], 1.0), ("parameter", "the length of body.axis"));
    refused(ball().with_rotation([1.0, 0.0, 0.0], 1.0), ("parameter", "body.axis"));
    for x in [NAN, -INF, -1.0] {
        refused(ball().with_mass(x, [0.0; 3]), ("parameter", "body.mass"));
        refused(ball().with_mass(1.0, [0.0, 0.0, x]), ("parameter", "body.inertia"));
    }
    assert!(ball().with_mass(INF, [INF; 3]).is_ok());
    let mut body = ball().with_velocity([1.0, 0.0]).unwrap();
    let before = body.clone();
    for dt in NEGATIVE {
        refused(body.advance(dt), ("time step", "dt"));
        assert_eq!(body, before);
    }
    body.velocity[0] = f64::MAX;
    let before = body.clone();
    refused(body.advance(10.0), ("parameter", "body.position"));
    assert_eq!(body, before);
    body.force[1] = NAN;
    refused(body.advance(0.1), ("parameter", "body.force"));
}

#[test]
fn solids_stay_as_they_were_after_a_bad_body() {
    let grid = Grid2::new([10, 10], 0.1).unwrap();
    let mut solids = Solids::new(grid);
    solids.update(&[ball()]).unwrap();
    let (open, generation) = (solids.open().clone(), solids.generation());
    let mut bad = ball();
    bad.position = [0.3, NAN];
    refused(solids.update(&[ball(), bad]), ("parameter", "body.position"));
    assert_eq!(solids.open(), &open);
    assert_eq!(solids.generation(), generation);
    // Far away, or larger than the world, is no error.
    for position in [1e300, -1e300, 0.5] {
        for radius in [1e-300, 0.2, 1e150] {
            let shape = Shape::ball(radius).unwrap();
            solids.update(&[Body::new(shape, [position; 2]).unwrap()]).unwrap();
            assert!(solids.open().check_finite("open").is_ok());
        }
    }
    solids.update(&[]).unwrap();
    assert!(!solids.any());
}

fn scene() -> StableFluids2<f64> {
    let grid = Grid2::new([12, 10], 0.1).unwrap();
    let mut fluid = StableFluids::new(grid, StableFluidsParams::default()).unwrap();
    let smoke = fluid.quantity_mut(0).unwrap();
    smoke.set_from_fn(|[x, y]| if x < 0.6 && y < 0.5 { 1.0 } else { 0.0 });
    fluid.step(0.1).unwrap();
    fluid
}

type Broken = StableFluidsParams<f64, 2>;

/// Every parameter with a value that it refuses, and the name in the error.
fn broken_params() -> Vec<(Broken, (&'static str, &'static str))> {
    let mut list = Vec::new();
    let mut add = |name, change: &dyn Fn(&mut Broken)| {
        let mut params = Broken::default();
        change(&mut params);
        list.push((params, name));
    };
    for x in NEGATIVE {
        add(("parameter", "kinematic_viscosity"), &|p| p.kinematic_viscosity = x);
        add(("parameter", "drag"), &|p| p.drag = x);
        add(("parameter", "vorticity_confinement"), &|p| p.vorticity_confinement = x);
        add(("parameter", "tolerance"), &|p| p.pressure_budget.tolerance = x);
        add(("parameter", "tolerance"), &|p| p.diffusion_budget.tolerance = x);
        add(("parameter", "diffusivity"), &|p| p.quantities[0].diffusivity = x);
        add(("parameter", "decay"), &|p| p.quantities[0].decay = x);
    }
    for x in NOT_FINITE {
        add(("parameter", "up"), &|p| p.up[1] = x);
        add(("parameter", "ambient"), &|p| p.quantities[0].ambient = x);
        add(("parameter", "inflow"), &|p| p.quantities[0].inflow = x);
        add(("parameter", "buoyancy"), &|p| p.quantities[0].buoyancy = x);
        add(("parameter", "boundary.inflow.velocity"), &|p| {
            p.boundary.sides[0][0] = Side::Inflow { velocity: [x, 0.0] };
        });
    }
    for x in [NAN, INF, 0.0, 2.0, -1.0] {
        add(("parameter", "relaxation"), &|p| {
            p.pressure_solver = SolverKind::Sor { relaxation: Some(x) };
        });
    }
    for (kind, name) in broken_kinds() {
        add(("parameter", name), &|p| p.pressure_solver = kind);
    }
    add(("parameter", "vorticity_confinement"), &|p| {
        p.vorticity_confinement = Broken::MAX_CONFINEMENT * 1.001;
    });
    add(("half periodic", "boundary"), &|p| p.boundary.sides[1][1] = Side::Periodic);
    list
}

#[test]
fn stable_fluids_refuse_bad_parameters_and_keep_their_state() {
    let mut fluid = scene();
    let before = fluid.digest();
    for (params, name) in broken_params() {
        refused(params.check(), name);
        refused(StableFluids::new(*fluid.grid(), params.clone()), name);
        refused(fluid.set_params(params), name);
        assert_eq!(fluid.params(), &Broken::default());
        assert_eq!(fluid.digest(), before);
    }
    for count in [0, 2] {
        let quantities = vec![QuantityParams::dye(); count];
        let params = Broken { quantities, ..Default::default() };
        refused(fluid.set_params(params), ("count", "quantities"));
        assert_eq!(fluid.params(), &Broken::default());
    }
    // And goes on as if nothing had been tried.
    let mut undisturbed = scene();
    undisturbed.step(0.1).unwrap();
    fluid.step(0.1).unwrap();
    assert_eq!(fluid.digest(), undisturbed.digest());
}

#[test]
fn stable_fluids_without_quantities_run() {
    let params = Broken { quantities: Vec::new(), ..Default::default() };
    let mut fluid = StableFluids::new(Grid2::new([4, 4], 1.0).unwrap(), params).unwrap();
    fluid.step(0.1).unwrap();
    refused(fluid.quantity(0).map(|_| ()), ("entry", "quantity"));
    refused(fluid.quantity_mut(0).map(|_| ()), ("entry", "quantity"));
}

/// Every source with a value that it refuses, and the name in the error.
fn broken_sources() -> Vec<(Source<f64, 2>, (&'static str, &'static str))> {
    let good = Source { center: [0.5; 2], radius: 0.1, effect: Effect::Accelerate([1.0; 2]) };
    let add = |quantity, rate| Effect::Add { quantity, rate };
    let hold = |quantity, value, rate| Effect::Hold { quantity, value, rate };
    let mut list = Vec::new();
    for x in NOT_FINITE {
        list.push((Source { center: [0.5, x], ..good }, ("parameter", "source.center")));
        let effects = [
            (Effect::Accelerate([x, 0.0]), "source.acceleration"),
            (add(0, x), "source.rate"),
            (hold(0, x, 1.0), "source.value"),
        ];
        list.extend(effects.map(|(effect, name)| (Source { effect, ..good }, ("parameter", name))));
    }
    for x in NOT_POSITIVE {
        list.push((Source { radius: x, ..good }, ("parameter", "source.radius")));
    }
    for x in NEGATIVE {
        let effect = hold(0, 1.0, x);
        list.push((Source { effect, ..good }, ("parameter", "source.rate")));
    }
    for index in [1, usize::MAX] {
        for effect in [add(index, 1.0), hold(index, 1.0, 1.0)] {
            list.push((Source { effect, ..good }, ("entry", "quantity")));
        }
    }
    list
}

#[test]
fn stable_fluids_refuse_bad_sources_and_keep_their_state() {
    let mut fluid = scene();
    let before = fluid.digest();
    for (source, name) in broken_sources() {
        refused(source.check(1), name);
        refused(fluid.apply_source(&source, 0.1), name);
        fluid.sources_mut().push(source);
        refused(fluid.step(0.1), name);
        fluid.sources_mut().clear();
        assert_eq!(fluid.digest(), before);
    }
    let good = Source { center: [0.5; 2], radius: 0.1, effect: Effect::Accelerate([1.0; 2]) };
    for duration in NEGATIVE {
        refused(fluid.apply_source(&good, duration), ("time step", "dt"));
    }
    assert_eq!(fluid.digest(), before);
    // Far away or tiny: no effect, no error. Wide as the world: everywhere.
    for radius in [1e-300, 1e-3, 1e300] {
        for center in [[1e300; 2], [-5.0; 2], [0.5; 2]] {
            fluid.apply_source(&Source { center, radius, ..good }, 0.1).unwrap();
            assert!(fluid.velocity().check_finite("velocity").is_ok());
        }
    }
}

#[test]
fn stable_fluids_refuse_bad_steps_and_keep_their_state() {
    let mut fluid = scene();
    let (before, time) = (fluid.digest(), fluid.time());
    for dt in NEGATIVE {
        refused(fluid.step(dt), ("time step", "dt"));
        assert_eq!((fluid.digest(), fluid.time()), (before, time));
    }
}

#[test]
fn stable_fluids_refuse_bad_state_and_bodies() {
    for bad in NOT_FINITE {
        let mut fluid = scene();
        let good = fluid.digest();
        let value = core::mem::replace(&mut fluid.velocity_mut()[0][[3, 4]], bad);
        let before = fluid.digest();
        refused(fluid.step(0.1), ("not finite", "velocity"));
        refused(fluid.project(), ("not finite", "velocity"));
        assert_eq!(fluid.digest(), before);
        fluid.velocity_mut()[0][[3, 4]] = value;
        let value = core::mem::replace(&mut fluid.quantity_mut(0).unwrap()[[3, 4]], bad);
        let before = fluid.digest();
        refused(fluid.step(0.1), ("not finite", "quantity"));
        refused(fluid.step(0.1), ("not finite", "quantity"));
        assert_eq!(fluid.digest(), before);
        fluid.quantity_mut(0).unwrap()[[3, 4]] = value;
        assert_eq!(fluid.digest(), good);
        let mut body = ball();
        body.velocity[1] = bad;
        fluid.bodies_mut().push(body);
        refused(fluid.step(0.1), ("parameter", "body.velocity"));
        refused(fluid.step(0.1), ("parameter", "body.velocity"));
        assert_eq!(fluid.digest(), good);
        fluid.bodies_mut().clear();
        fluid.step(0.1).unwrap();
    }
}

#[test]
fn stable_fluids_take_over_only_what_fits() {
    let mut fluid = scene();
    let before = fluid.digest();
    let other = Grid2::new([12, 11], 0.1).unwrap();
    let alien = StableFluids::new(other, StableFluidsParams::default()).unwrap();
    assert!(matches!(fluid.copy_from(&alien), Err(Error::GridMismatch { .. })));
    let params = Broken { quantities: Vec::new(), ..Default::default() };
    let poorer = StableFluids::new(*fluid.grid(), params).unwrap();
    refused(fluid.copy_from(&poorer), ("count", "quantities"));
    assert_eq!(fluid.digest(), before);
}

#[test]
fn what_overflows_is_reported_and_never_silent() {
    // Forces, heat and dye beyond the range of f32.
    let grid = Grid::<f32, 2>::new([12, 10], 0.1).unwrap();
    let effects = [
        Effect::Accelerate([3e38, 0.0]),
        Effect::Add { quantity: 0, rate: 3e38 },
        Effect::Add { quantity: 1, rate: 3e38 },
    ];
    for effect in effects {
        let quantities = vec![QuantityParams::smoke(), QuantityParams::dye()];
        let params = StableFluidsParams { quantities, ..Default::default() };
        let mut fluid = StableFluids::new(grid, params).unwrap();
        fluid.sources_mut().push(Source { center: [0.5; 2], radius: 0.3, effect });
        for _ in 0..3 {
            match fluid.step(1e3) {
                Err(Error::Unstable { .. } | Error::NotFinite { .. }) => break,
                Err(other) => panic!("{effect:?}: {other}"),
                Ok(_) => {
                    let finite = |q: &Field<f32, 2>| q.check_finite("quantity").is_ok();
                    assert!(fluid.velocity().check_finite("velocity").is_ok(), "{effect:?}");
                    assert!(fluid.quantities().iter().all(finite), "{effect:?} is silent");
                }
            }
        }
    }
}

#[test]
fn stam2003_refuses_bad_parameters_and_keeps_its_state() {
    let grid = Grid2::new([12, 10], 0.1).unwrap();
    let mut fluid = Stam2003::<f64, 2>::new(grid, Stam2003Params::default()).unwrap();
    fluid.add_force([0.5; 2], 0.2, [1.0, 2.0]).unwrap();
    fluid.step(0.1).unwrap();
    let before = fluid.digest();
    let good = *fluid.params();
    let mut broken = Vec::new();
    for x in NEGATIVE {
        let params = Stam2003Params { kinematic_viscosity: x, ..good };
        broken.push((params, ("parameter", "kinematic_viscosity")));
        broken.push((Stam2003Params { diffusivity: x, ..good }, ("parameter", "diffusivity")));
    }
    for iterations in [0, 1_000_001, usize::MAX] {
        broken.push((Stam2003Params { iterations, ..good }, ("count", "iterations")));
    }
    for (params, name) in broken {
        refused(params.check(), name);
        refused(Stam2003::<f64, 2>::new(grid, params), name);
        refused(fluid.set_params(params), name);
        assert_eq!(fluid.params(), &good);
    }
    for x in NOT_FINITE {
        refused(fluid.add_force([x, 0.0], 0.1, [0.0; 2]), ("parameter", "center"));
        refused(fluid.add_force([0.0; 2], 0.1, [x, 0.0]), ("parameter", "acceleration"));
        refused(fluid.add_source([x, 0.0], 0.1, 1.0), ("parameter", "center"));
        refused(fluid.add_source([0.0; 2], 0.1, x), ("parameter", "rate"));
    }
    for x in NEGATIVE {
        refused(fluid.add_force([0.0; 2], x, [0.0; 2]), ("parameter", "radius"));
        refused(fluid.add_source([0.0; 2], x, 1.0), ("parameter", "radius"));
        refused(fluid.step(x), ("time step", "dt"));
    }
    assert_eq!(fluid.digest(), before);
    let other = Grid2::new([10, 12], 0.1).unwrap();
    let alien = Stam2003::new(other, Stam2003Params::default()).unwrap();
    refused(fluid.copy_from(&alien), ("mismatch", "the other solver"));
    assert_eq!(fluid.digest(), before);
    let explicit =
        Stam2003Params { diffusion: Diffusion::Explicit, kinematic_viscosity: 1.0, ..good };
    fluid.set_params(explicit).unwrap();
    let limit = fluid.max_explicit_step();
    assert!((limit - 0.01 / 4.0).abs() < 1e-12);
    refused(fluid.step(limit * 1.01), ("limit", "explicit diffusion"));
    assert_eq!(fluid.digest(), before);
    fluid.step(limit).unwrap();
}

#[test]
fn stam2003_refuses_fields_that_are_not_finite_or_of_another_grid() {
    let grid = Grid2::new([12, 10], 0.1).unwrap();
    for bad in NOT_FINITE {
        type Pick = fn(&mut Stam2003<f64, 2>) -> &mut Field<f64, 2>;
        let fields: [(&str, Pick); 4] = [
            ("velocity", |f| f.velocity_mut(1)),
            ("density", |f| f.density_mut()),
            ("force", |f| f.force_mut(0)),
            ("source", |f| f.source_mut()),
        ];
        for (name, pick) in fields {
            let mut fluid = Stam2003::<f64, 2>::new(grid, Stam2003Params::default()).unwrap();
            pick(&mut fluid)[[11, 9]] = bad;
            let before = fluid.digest();
            for _ in 0..2 {
                refused(fluid.step(0.1), ("not finite", name));
                assert_eq!(fluid.digest(), before);
            }
            *pick(&mut fluid) = Field::zeros(Grid2::new([3, 3], 0.1).unwrap());
            refused(fluid.step(0.1), ("mismatch", name));
            *pick(&mut fluid) = Field::zeros(grid);
            fluid.step(0.1).unwrap();
        }
    }
}

#[test]
fn transport_never_reads_beyond_the_grid() {
    // The largest numbers there are, on the smallest grids there are.
    for cells in [[1, 1], [1, 7], [2, 3]] {
        let grid = Grid2::new(cells, 1e-3).unwrap();
        for boundary in [Boundary::walls(), Boundary::periodic(), Boundary::all(Side::Open)] {
            let mut transport = Transport::new(grid, boundary, PathOrder::Ralston).unwrap();
            for speed in [f64::MAX, -f64::MAX, 1e-320] {
                let wind = Faces::from_fn(grid, |_| [speed, -speed]);
                for scheme in [Advection::default(), Advection::MacCormack, Advection::Scatter] {
                    let mut q = Field::from_fn(grid, |_| 1.0);
                    transport.carry(&wind, &mut q, scheme, 1e6).unwrap();
                    assert!(q.check_finite("q").is_ok(), "{scheme:?}, {speed}");
                }
            }
        }
    }
}

/// A parameter that is wrong, and what is said about it.
type BrokenWater = (ShallowWaterParams<f64>, (&'static str, &'static str));

fn broken_water() -> Vec<BrokenWater> {
    let good = ShallowWaterParams::default();
    let mut list: Vec<BrokenWater> = Vec::new();
    let mut add = |params, name| list.push((params, ("parameter", name)));
    for bad in NOT_POSITIVE {
        add(ShallowWaterParams { gravity: bad, ..good }, "gravity");
        add(ShallowWaterParams { dry_depth: bad, ..good }, "dry_depth");
        add(ShallowWaterParams { courant: bad, ..good }, "courant");
        let period = WaterSide::Waves { amplitude: 0.1, period: bad };
        add(ShallowWaterParams { sides: [[period; 2]; 2], ..good }, "side.period");
        let spray = |spray| ShallowWaterParams { spray: Some(spray), ..good };
        add(spray(SprayParams { breaking: bad, ..Default::default() }), "spray.breaking");
        add(spray(SprayParams { radius: bad, ..Default::default() }), "spray.radius");
        add(ShallowWaterParams { water_density: bad, ..good }, "water_density");
        let waves = Some(SurfaceWaves { depth: bad, ..Default::default() });
        add(ShallowWaterParams { waves, ..good }, "waves.depth");
        let foam = Some(FoamParams { breaking: bad, ..Default::default() });
        add(ShallowWaterParams { foam, ..good }, "foam.breaking");
    }
    for bad in NEGATIVE {
        add(ShallowWaterParams { manning: bad, ..good }, "manning");
        add(ShallowWaterParams { eddy_viscosity: bad, ..good }, "eddy_viscosity");
        add(ShallowWaterParams { rain: bad, ..good }, "rain");
        let sponge = Some(Sponge { strength: bad, ..Default::default() });
        add(ShallowWaterParams { sponge, ..good }, "sponge.strength");
        let waves = WaterSide::Waves { amplitude: bad, period: 1.0 };
        add(ShallowWaterParams { sides: [[waves; 2]; 2], ..good }, "side.amplitude");
        let spray = |spray| ShallowWaterParams { spray: Some(spray), ..good };
        add(spray(SprayParams { lift: bad, ..Default::default() }), "spray.lift");
        add(spray(SprayParams { drag: bad, ..Default::default() }), "spray.drag");
        add(ShallowWaterParams { hull_drag: bad, ..good }, "hull_drag");
        let foam = |foam| ShallowWaterParams { foam: Some(foam), ..good };
        add(foam(FoamParams { rate: bad, ..Default::default() }), "foam.rate");
        add(foam(FoamParams { decay: bad, ..Default::default() }), "foam.decay");
    }
    for bad in NOT_FINITE {
        add(ShallowWaterParams { rest_level: bad, ..good }, "rest_level");
        add(ShallowWaterParams { current: [0.0, bad], ..good }, "current");
        add(ShallowWaterParams { coriolis: bad, ..good }, "coriolis");
        let surface = WaterSide::Surface { level: bad };
        add(ShallowWaterParams { sides: [[surface; 2]; 2], ..good }, "side.level");
        let discharge = WaterSide::Discharge { rate: bad };
        add(ShallowWaterParams { sides: [[discharge; 2]; 2], ..good }, "side.rate");
    }
    let half = [[WaterSide::Periodic, WaterSide::Wall], [WaterSide::Wall; 2]];
    list.push((ShallowWaterParams { sides: half, ..good }, ("half periodic", "boundary")));
    for max_substeps in [0, usize::MAX] {
        list.push((ShallowWaterParams { max_substeps, ..good }, ("count", "max_substeps")));
    }
    for levels in [0, 9] {
        let waves = Some(SurfaceWaves { levels, ..Default::default() });
        list.push((ShallowWaterParams { waves, ..good }, ("count", "waves.levels")));
    }
    list
}

fn lake() -> ShallowWater<f64> {
    let bed = Field::from_fn(Grid::new([9, 7], 0.2).unwrap(), |[x, y]| x - y - 0.5);
    let params = ShallowWaterParams { spray: Some(SprayParams::default()), ..Default::default() };
    let mut water = ShallowWater::new(bed, params).unwrap();
    water.set_surface(|[x, _]| 0.1 * x).unwrap();
    water.step(0.05).unwrap();
    water
}

#[test]
fn shallow_water_refuses_bad_parameters_and_keeps_its_state() {
    let mut water = lake();
    let (before, params) = (water.digest(), *water.params());
    for (broken, expected) in broken_water() {
        refused(broken.check(), expected);
        refused(water.set_params(broken), expected);
        refused(ShallowWater::new(water.bed().clone(), broken), expected);
        assert_eq!((water.digest(), *water.params()), (before, params));
    }
}

#[test]
fn shallow_water_refuses_bad_input_and_keeps_its_state() {
    let mut water = lake();
    let before = water.digest();
    let grid = *water.grid();
    for dt in NEGATIVE {
        refused(water.step(dt), ("time step", "dt"));
    }
    for bad in NOT_FINITE {
        let bed = Field::from_fn(grid, |[x, _]| if x > 1.0 { bad } else { 0.0 });
        refused(ShallowWater::new(bed, ShallowWaterParams::default()), ("not finite", "the bed"));
        refused(water.edit_bed(|_, z| z + bad), ("not finite", "the bed"));
        refused(water.set_depth(|_| bad), ("not finite", "the water"));
        refused(water.set_surface(|_| bad), ("not finite", "the water"));
        refused(water.dent([bad, 0.0], 0.1, 0.1), ("parameter", "center"));
        refused(water.dent([0.0; 2], bad, 0.1), ("parameter", "radius"));
        refused(water.dent([0.0; 2], 0.1, bad), ("parameter", "depth"));
        let drop = SprayDrop { position: [0.0, bad, 0.0], velocity: [0.0; 3], volume: 0.1 };
        refused(water.throw(drop), ("parameter", "a drop"));
        refused(water.sample([0.0, bad]), ("not finite", "position"));
    }
    refused(water.set_depth(|[x, _]| 0.5 - x), ("parameter", "the depth"));
    refused(water.dent([0.0; 2], 0.0, 0.1), ("parameter", "radius"));
    refused(water.edit_bed(|_, _| 1e10), ("parameter", "the bed"));
    let source = WaterSource { center: [0.5; 2], radius: 0.1, rate: 1.0 };
    for (source, name) in [
        (WaterSource { center: [NAN, 0.0], ..source }, "source.center"),
        (WaterSource { radius: -1.0, ..source }, "source.radius"),
        (WaterSource { rate: INF, ..source }, "source.rate"),
    ] {
        water.sources_mut().push(source);
        refused(water.step(0.1), ("parameter", name));
        water.sources_mut().clear();
    }
    let body = Body::new(Shape::ball(0.2).unwrap(), [0.5; 3]).unwrap();
    let endless = Body::new(Shape::half_space([0.0, 0.0, 1.0]).unwrap(), [0.5; 3]).unwrap();
    let mut broken = body;
    broken.position = [0.5, NAN, 0.0];
    for (body, name) in [(endless, "the size of a body's shape"), (broken, "body.position")] {
        water.bodies_mut().push(body);
        refused(water.step(0.1), ("parameter", name));
        refused(water.set_surface(|_| 0.0), ("parameter", name));
        water.bodies_mut().clear();
    }
    let mut wrong = Field::zeros(Grid::new([9, 7], 0.3).unwrap());
    refused(water.write_depth(&mut wrong), ("mismatch", "the output"));
    let bed = Field::zeros(Grid::new([7, 9], 0.2).unwrap());
    let other = ShallowWater::new(bed, ShallowWaterParams::default()).unwrap();
    refused(water.copy_from(&other), ("mismatch", "the other simulation"));
    refused(water.forecast(&mut other.clone(), 0.1, 1), ("mismatch", "the other simulation"));
    assert_eq!(water.digest(), before);
    let good = water.velocity()[1][[3, 3]];
    for bad in NOT_FINITE {
        water.velocity_mut()[1][[3, 3]] = bad;
        refused(water.step(0.1), ("not finite", "velocity"));
        water.velocity_mut()[1][[3, 3]] = good;
    }
    assert_eq!(water.digest(), before);
    *water.velocity_mut() = Faces::zeros(Grid::new([3, 3], 0.2).unwrap());
    refused(water.step(0.1), ("mismatch", "velocity"));
    refused(water.sample([0.5; 2]), ("mismatch", "velocity"));
    *water.velocity_mut() = Faces::zeros(grid);
    water.step(0.1).unwrap();
}

#[test]
fn wind_refuses_bad_parameters_and_keeps_its_state() {
    let good = WindParams::<f64, 3> { cells: [8, 6, 7], ..Default::default() };
    let gusts = |gusts| WindParams { gusts: Some(gusts), ..good };
    let mut broken = Vec::new();
    for bad in NOT_POSITIVE {
        broken.push((WindParams { cell_size: bad, ..good }, ("parameter", "cell_size")));
        broken.push((WindParams { time_step: bad, ..good }, ("parameter", "time_step")));
        broken.push((
            gusts(Gusts { length: bad, ..Default::default() }),
            ("parameter", "gusts.length"),
        ));
        if bad != INF {
            let params = WindParams { relaxation_time: bad, ..good };
            broken.push((params, ("parameter", "relaxation_time")));
        }
    }
    for bad in NEGATIVE {
        broken.push((WindParams { viscosity: bad, ..good }, ("parameter", "viscosity")));
        broken.push((WindParams { margin: bad, ..good }, ("parameter", "margin")));
        broken.push((WindParams { shadow_length: bad, ..good }, ("parameter", "shadow_length")));
        broken.push((
            gusts(Gusts { speed: bad, ..Default::default() }),
            ("parameter", "gusts.speed"),
        ));
    }
    for bad in [NAN, INF, -INF, 1e10] {
        broken.push((WindParams { ambient: [0.0, bad, 0.0], ..good }, ("parameter", "ambient")));
    }
    broken.push((WindParams { margin: 3.5, ..good }, ("parameter", "margin")));
    broken.push((WindParams { cells: [8, 3, 8], ..good }, ("count", "cells")));
    broken.push((WindParams { cells: [4, 4, (1 << 20) + 1], ..good }, ("count", "cells")));
    broken.push((WindParams { max_substeps: 0, ..good }, ("count", "max_substeps")));
    broken.push((WindParams { swirl_sweeps: 65, ..good }, ("count", "swirl_sweeps")));
    let mut wind = Wind3::new(good, [0.0; 3]).unwrap();
    wind.set_excess(|[x, y, _]| [x, y, 1.0]).unwrap();
    let (before, params) = (wind.digest(), *wind.params());
    for (broken, expected) in broken {
        refused(broken.check(), expected);
        refused(Wind3::new(broken, [0.0; 3]), expected);
        refused(wind.set_params(broken), expected);
        assert_eq!((wind.digest(), *wind.params()), (before, params));
    }
    let other = WindParams { cell_size: 2.0, ..good };
    refused(wind.set_params(other), ("mismatch", "the cells of the wind"));
    let other = Wind3::new(other, [0.0; 3]).unwrap();
    refused(wind.copy_from(&other), ("mismatch", "the other simulation"));
    assert_eq!((wind.digest(), *wind.params()), (before, params));
}

#[test]
fn wind_refuses_bad_input_and_keeps_its_state() {
    let mut wind = Wind2::<f64>::new(WindParams::default(), [0.0; 2]).unwrap();
    wind.set_excess(|[x, y]| [x, y]).unwrap();
    wind.step(0.05).unwrap();
    let before = wind.digest();
    let whole = |bad: f64| if bad.is_nan() || bad.is_infinite() { bad } else { 1.0 };
    for bad in NEGATIVE {
        refused(wind.step(bad), ("time step", "dt"));
        refused(wind.carry([&mut [0.0], &mut [0.0]], bad), ("time step", "dt"));
    }
    for bad in NOT_FINITE {
        refused(wind.follow([0.0, bad]), ("parameter", "centre, in cells"));
        refused(
            wind.set_excess(|[x, _]| [if x > 3.0 { bad } else { 0.0 }, 0.0]),
            ("not finite", "wind"),
        );
        refused(
            wind.set_obstacles(vec![Shape::Ball { radius: bad }]),
            ("parameter", "ball.radius"),
        );
        assert!(wind.obstacles().is_empty() && wind.openness([5, 5]) == Some(1.0));
        assert_eq!(wind.sample([0.0, whole(bad)]), [0.0; 2]);
    }
    refused(wind.follow([3e6, 0.0]), ("parameter", "centre, in cells"));
    let count = "an array of samples";
    refused(wind.sample_all([&[0.0], &[]], [&mut [0.0], &mut [0.0]]), ("count", count));
    refused(wind.sample_all([&[0.0], &[0.0]], [&mut [0.0], &mut []]), ("count", count));
    refused(wind.carry([&mut [0.0], &mut []], 0.1), ("count", "an array of positions"));
    let count = ("count", "an array of positions");
    refused(wind.gradient_all([&[0.0], &[]], &mut [[[0.0; 2]; 2]]), count);
    refused(wind.gradient_all([&[0.0], &[0.0]], &mut []), count);
    refused(wind.pack_rgba8(1.0, &mut [0; 8]), ("count", "the texture"));
    refused(wind.pack_rgba16f(&mut [0; 8]), ("count", "the texture"));
    for bad in NOT_POSITIVE.into_iter().chain([1e-7, 2e9]) {
        refused(wind.pack_rgba8(bad, &mut vec![0; 4 * 32 * 32]), ("parameter", "range"));
    }
    let motor = Motor::directional([0.0, 1.0], 2.0, [1.0, 0.0], 3.0);
    let cylinder =
        |radius, half_length| Motor { reach: Reach::Cylinder { radius, half_length }, ..motor };
    let cone = |length, slope| Motor { reach: Reach::Cone { length, slope }, ..motor };
    let mut broken = Vec::new();
    for bad in NOT_POSITIVE {
        broken.push((Motor::directional([0.0; 2], bad, [1.0, 0.0], 1.0), "motor.radius"));
        broken.push((cylinder(bad, 1.0), "motor.radius"));
        broken.push((cylinder(1.0, bad), "motor.half_length"));
        broken.push((cone(bad, 1.0), "motor.length"));
        broken.push((cone(1.0, bad), "motor.slope"));
    }
    for bad in NEGATIVE {
        broken.push((Motor { fade_in: bad, ..motor }, "motor.fade_in"));
        broken.push((Motor { fade_out: bad, ..motor }, "motor.fade_out"));
        broken.push((Motor { age: bad, ..motor }, "motor.age"));
    }
    for bad in NOT_FINITE {
        broken.push((Motor { place: [bad, 0.0], ..motor }, "motor.place"));
        broken.push((Motor { velocity: [bad, 0.0], ..motor }, "motor.velocity"));
        broken.push((Motor { axis: [bad, 0.0], ..motor }, "motor.axis"));
        broken.push((Motor { strength: bad, ..motor }, "motor.strength"));
    }
    broken.push((motor.for_time(1.0, 0.6, 0.6), "motor.lifetime"));
    broken.push((motor.for_time(NAN, 0.0, 0.0), "motor.lifetime"));
    broken.push((motor.for_time(2e9, 0.0, 0.0), "motor.lifetime"));
    broken.push((Motor { age: 2e9, ..motor }, "motor.age"));
    broken.push((Motor { fade_in: 2e9, ..motor }, "motor.fade_in"));
    for (motor, name) in broken {
        refused(motor.check(), ("parameter", name));
        wind.motors_mut().push(motor);
        refused(wind.step(0.1), ("parameter", name));
        wind.motors_mut().clear();
    }
    assert_eq!(wind.digest(), before);
}
