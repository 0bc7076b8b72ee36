//! Faults that once were in this library, each with the input that showed it.

use fluid_num::poisson::{Budget, End, Jacobi, PoissonSolver, Problem, SolverKind};
use fluid_num::solid::{Body, Shape, Slip};
use fluid_num::{
    Boundary, Effect, Error, Faces, Field, Grid2, QuantityParams, Side, Simulation, Source,
    StableFluids2, StableFluidsParams, Stepping,
};

fn tight() -> StableFluidsParams<f64, 2> {
    StableFluidsParams { pressure_budget: Budget::tolerance(1e-9, 2000), ..Default::default() }
}

fn channel_with_ball() -> StableFluids2<f64> {
    let boundary =
        Boundary::walls().with(0, 0, Side::Inflow { velocity: [1.0, 0.0] }).with(0, 1, Side::Open);
    let grid = Grid2::new([32, 16], 1.0 / 16.0).unwrap();
    let mut fluid = StableFluids2::new(grid, StableFluidsParams { boundary, ..tight() }).unwrap();
    let ball = Body::new(Shape::ball(0.2).unwrap(), [0.7, 0.5]).unwrap();
    fluid.bodies_mut().push(ball);
    fluid.step(0.02).unwrap();
    fluid
}

#[test]
fn new_parameters_keep_the_solids() {
    let mut fluid = channel_with_ball();
    let solver = SolverKind::Sor { relaxation: None };
    fluid
        .set_params(StableFluidsParams { pressure_solver: solver, ..fluid.params().clone() })
        .unwrap();
    for _ in 0..5 {
        fluid.step(0.02).unwrap();
    }
    assert!(fluid.max_divergence() < 1e-6);
    assert_eq!(fluid.velocity().at_center([11, 8]), [0.0, 0.0]);
}

#[test]
fn a_copy_of_a_sliding_floor_goes_on_with_the_same_bits() {
    let grid = Grid2::new([16, 8], 1.0_f64).unwrap();
    let mut fluid = StableFluids2::new(grid, tight()).unwrap();
    fluid.close_cells(|cell| cell[1] == 0);
    let shear = Faces::from_fn(grid, |[_, y]| [1.0 + y, 0.0]);
    fluid.velocity_mut().copy_from(&shear).unwrap();
    fluid.step(0.1).unwrap();
    let mut copy = StableFluids2::new(grid, tight()).unwrap();
    copy.copy_from(&fluid).unwrap();
    assert_eq!(copy.digest(), fluid.digest());
    for _ in 0..3 {
        fluid.step(0.1).unwrap();
        copy.step(0.1).unwrap();
        assert_eq!(copy.digest(), fluid.digest());
    }
}

fn chimney(with: impl FnOnce(&mut StableFluids2<f64>)) -> StableFluids2<f64> {
    let grid = Grid2::new([32, 48], 1.0 / 32.0).unwrap();
    let boundary = Boundary::walls().with(1, 0, Side::Open).with(1, 1, Side::Open);
    let mut fluid = StableFluids2::new(grid, StableFluidsParams { boundary, ..tight() }).unwrap();
    with(&mut fluid);
    let effect = Effect::Add { quantity: 0, rate: 4.0 };
    fluid.sources_mut().push(Source { center: [0.5, 0.4], radius: 0.1, effect });
    for _ in 0..40 {
        fluid.step(1.0 / 60.0).unwrap();
    }
    fluid
}

#[test]
fn looking_at_the_bodies_without_adding_one_changes_nothing() {
    let touched = chimney(|fluid| assert!(fluid.bodies_mut().is_empty()));
    assert_eq!(touched.digest(), chimney(|_| ()).digest());
}

#[test]
fn a_body_far_away_does_not_let_inflow_feed_itself() {
    let inflow = |fluid: &StableFluids2<f64>| {
        (0..32).map(|i| fluid.velocity()[1][[i, 0]]).fold(0.0, f64::max)
    };
    let ball = Body::new(Shape::ball(0.05).unwrap(), [0.9, 1.3]).unwrap();
    let (free, body) = (chimney(|_| ()), chimney(|fluid| fluid.bodies_mut().push(ball)));
    // The ball is far from the floor: a small part of the flow, not three times as much.
    assert!((inflow(&body) / inflow(&free) - 1.0).abs() < 0.05);
}

#[test]
fn air_at_rest_and_at_ambient_temperature_stays_at_rest_in_a_periodic_box() {
    for stepping in [Stepping::Projection, Stepping::Reflection] {
        let params = StableFluidsParams {
            boundary: Boundary::periodic(),
            stepping,
            quantities: vec![QuantityParams::temperature(300.0, 0.1, 0.0)],
            ..tight()
        };
        let grid = Grid2::new([8, 8], 0.125).unwrap();
        let mut fluid = StableFluids2::new(grid, params).unwrap();
        for _ in 0..3 {
            assert_eq!(fluid.step(0.1).unwrap().max_speed, 0.0);
        }
    }
}

#[test]
fn a_body_that_begins_to_hold_the_fluid_does_so() {
    let mut fluid = channel_with_ball();
    let before = fluid.clone();
    fluid.bodies_mut()[0].slip = Slip::No;
    let mut sliding = before;
    fluid.step(0.02).unwrap();
    sliding.step(0.02).unwrap();
    assert_ne!(fluid.digest(), sliding.digest());
}

#[test]
fn viscosity_takes_no_momentum_at_solids_that_slip() {
    // Shear between two slabs along which it slides: the mean stays, the difference goes.
    let grid = Grid2::new([8, 10], 0.1_f64).unwrap();
    let boundary = Boundary::walls().with(0, 0, Side::Periodic).with(0, 1, Side::Periodic);
    let params = StableFluidsParams { boundary, kinematic_viscosity: 1.0, ..tight() };
    let mut fluid = StableFluids2::new(grid, params).unwrap();
    fluid.close_cells(|cell| cell[1] == 0 || cell[1] == 9);
    fluid.velocity_mut().copy_from(&Faces::from_fn(grid, |[_, y]| [y, 0.0])).unwrap();
    for _ in 0..40 {
        fluid.step(0.1).unwrap();
    }
    for row in 1..9 {
        let u = fluid.velocity()[0][[4, row]];
        assert!((u - 0.5).abs() < 1e-3, "row {row}: {u}");
    }
}

#[test]
fn a_field_of_another_grid_put_in_place_is_an_error() {
    let (small, large) = (Grid2::new([4, 4], 1.0).unwrap(), Grid2::new([9, 9], 1.0).unwrap());
    let mut fluid = StableFluids2::<f64>::new(small, tight()).unwrap();
    *fluid.velocity_mut() = Faces::zeros(large);
    assert!(matches!(fluid.step(0.1), Err(Error::GridMismatch { .. })));
    *fluid.velocity_mut() = Faces::zeros(small);
    *fluid.quantity_mut(0).unwrap() = Field::zeros(large);
    assert!(matches!(fluid.step(0.1), Err(Error::GridMismatch { .. })));
    *fluid.quantity_mut(0).unwrap() = Field::zeros(small);
    fluid.velocity_mut().components_mut().swap(0, 1);
    assert!(matches!(fluid.step(0.1), Err(Error::GridMismatch { .. })));
}

#[test]
fn a_solver_made_for_another_grid_is_an_error() {
    let (small, large) = (Grid2::new([8, 8], 1.0).unwrap(), Grid2::new([32, 32], 1.0).unwrap());
    let problem = Problem::new(large, [[End::Dirichlet; 2]; 2]).unwrap();
    let (rhs, mut p) = (Field::zeros(large), Field::zeros(large));
    let outcome = Jacobi::<f64, 2>::new(small).solve(&problem, &rhs, &mut p, Budget::iterations(5));
    assert!(matches!(outcome, Err(Error::GridMismatch { .. })));
}

#[test]
fn no_viscosity_is_too_small_or_too_large() {
    for viscosity in [1e-300, 1e-38, 1e12, 1e16, 1e300] {
        let grid = Grid2::new([16, 16], 1.0_f64).unwrap();
        let boundary = Boundary::all(Side::NoSlip);
        let params = StableFluidsParams { boundary, kinematic_viscosity: viscosity, ..tight() };
        let mut fluid = StableFluids2::new(grid, params).unwrap();
        let push = Effect::Accelerate([1.0, 0.0]);
        let source = Source { center: [8.0, 5.0], radius: 3.0, effect: push };
        fluid.apply_source(&source, 1.0).unwrap();
        let speed = fluid.step(0.01).unwrap().max_speed;
        assert_eq!(speed > 0.1, viscosity < 1.0, "ν = {viscosity}: {speed}");
    }
}

#[test]
fn scattering_keeps_an_ambient_value() {
    let boundary =
        Boundary::walls().with(0, 0, Side::Inflow { velocity: [1.0, 0.0] }).with(0, 1, Side::Open);
    let warm = QuantityParams {
        advection: fluid_num::advection::Advection::Scatter,
        ..QuantityParams::temperature(20.0, 0.0, 0.0)
    };
    let params = StableFluidsParams { boundary, quantities: vec![warm], ..tight() };
    let mut fluid = StableFluids2::new(Grid2::new([16, 8], 0.1_f64).unwrap(), params).unwrap();
    for _ in 0..20 {
        fluid.step(0.05).unwrap();
    }
    let (lo, hi) = fluid.quantities()[0].min_max();
    assert!((lo - 20.0).abs() < 1e-9 && (hi - 20.0).abs() < 1e-9, "{lo} to {hi}");
}
