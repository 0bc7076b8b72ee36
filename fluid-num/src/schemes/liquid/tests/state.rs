//! Steps, errors, copies, snapshots.

use crate::level_set::MarkerParams;
use crate::poisson::{MultigridParams, SolverKind, SpectralMethod};
use crate::schemes::liquid::{Coupling, Flow, LiquidSource};
use crate::solid::{Body, Shape};
use crate::{Boundary, Error, Field, Grid, LevelSet, Liquid, LiquidParams, Real, Side, Simulation};

fn busy<T: Real, const D: usize>(markers: bool) -> Liquid<T, D> {
    let grid = Grid::new([14; D], T::of(0.1)).unwrap();
    let params = LiquidParams {
        kinematic_viscosity: T::of(1e-3),
        surface_tension: T::of(0.5),
        separating_walls: markers,
        markers: markers.then(|| MarkerParams { capacity: 1 << 15, ..Default::default() }),
        ..Default::default()
    };
    let pool =
        |p: [T; D]| (p[1] - T::of(0.6)).at_most((p[0] - T::of(0.4)).at_least(p[1] - T::one()));
    let surface = LevelSet::from_fn(grid, &params.boundary, pool).unwrap();
    let mut water = Liquid::new(surface, params).unwrap();
    let ball = Body::new(Shape::ball(T::of(0.22)).unwrap(), [T::of(0.8); D]).unwrap();
    water.bodies_mut().push(ball.with_mass(T::of(30.0), [T::one(); 3]).unwrap());
    if markers {
        let nu = Field::from_fn(grid, |x| x[0] * T::of(1e-3));
        water.set_viscosity(Some(nu)).unwrap();
    }
    water
}

fn goes_on_from_a_snapshot<T: Real, const D: usize>(markers: bool) {
    let dt = T::of(0.03);
    let run = |water: &mut Liquid<T, D>, steps: usize| {
        for _ in 0..steps {
            water.step(dt).unwrap();
            water.advance_bodies(dt).unwrap();
        }
    };
    let mut water = busy::<T, D>(markers);
    run(&mut water, 5);
    let saved = water.snapshot();
    let mut twin = busy::<T, D>(markers);
    twin.restore(&saved).unwrap();
    assert_eq!(twin.digest(), water.digest());
    run(&mut water, 4);
    run(&mut twin, 4);
    assert_eq!(twin.digest(), water.digest());
    assert_eq!(twin.time(), water.time());
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    goes_on_from_a_snapshot::<f64, 2>(false);
    goes_on_from_a_snapshot::<f32, 2>(true);
    goes_on_from_a_snapshot::<f32, 3>(false);
}

#[test]
fn no_time_changes_nothing_and_bad_input_is_refused() {
    let mut water = busy::<f64, 2>(false);
    water.step(0.02).unwrap();
    let before = water.digest();
    assert_eq!(water.step(0.0).unwrap().substeps, 0);
    assert_eq!(water.digest(), before);
    for dt in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(matches!(water.step(dt), Err(Error::InvalidTimeStep { .. })));
    }
    let shape = Shape::ball(0.1).unwrap();
    let bad = LiquidSource { shape, position: [0.5, f64::NAN], flow: Flow::Drain };
    water.sources_mut().push(bad);
    assert!(water.step(0.02).is_err());
    water.sources_mut().clear();
    let good = water.velocity()[1][[3, 4]];
    water.velocity_mut()[1][[3, 4]] = f64::NAN;
    assert!(matches!(water.step(0.02), Err(Error::NotFinite { name: "velocity", .. })));
    water.velocity_mut()[1][[3, 4]] = good;
    assert_eq!(water.digest(), before);
    water.step(0.02).unwrap();
}

#[test]
fn every_parameter_out_of_range_is_named() {
    type P = LiquidParams<f64, 2>;
    let d = P::default;
    let bad: [(P, &str); 8] = [
        (P { density: 0.0, ..d() }, "density"),
        (P { gravity: [f64::NAN, 0.0], ..d() }, "gravity"),
        (P { kinematic_viscosity: -1.0, ..d() }, "kinematic_viscosity"),
        (P { surface_tension: f64::NAN, ..d() }, "surface_tension"),
        (P { least_fraction: 0.0, ..d() }, "least_fraction"),
        (P { band: 2.0, ..d() }, "band"),
        (P { most_cells: 0.0, ..d() }, "most_cells"),
        (P { most_substeps: 0, ..d() }, "most_substeps"),
    ];
    for (params, expected) in bad {
        match params.check() {
            Err(Error::InvalidParameter { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let multigrid = SolverKind::Multigrid(MultigridParams::default());
    let strong = P { pressure_solver: multigrid, ..d() };
    assert!(matches!(strong.check(), Err(Error::UnsuitableSolver { .. })));
    assert!(P { coupling: Coupling::Weak, ..strong }.check().is_ok());
    let direct = SolverKind::Spectral(SpectralMethod::default());
    let direct = P { pressure_solver: direct, coupling: Coupling::Weak, ..d() };
    assert!(matches!(direct.check(), Err(Error::UnsuitableSolver { .. })));
}

#[test]
fn parameters_can_be_changed_in_a_run() {
    let mut water = busy::<f64, 2>(false);
    water.step(0.02).unwrap();
    let changed = LiquidParams { gravity: [3.0, -5.0], density: 800.0, ..water.params().clone() };
    water.set_params(changed.clone()).unwrap();
    assert_eq!(water.params(), &changed);
    water.step(0.02).unwrap();
    water.set_params(LiquidParams { separating_walls: true, ..changed.clone() }).unwrap();
    water.step(0.02).unwrap();
    water.set_params(changed.clone()).unwrap();
    let boundary = Boundary::all(Side::NoSlip);
    assert!(water.set_params(LiquidParams { boundary, ..changed.clone() }).is_err());
    assert_eq!(water.params(), &changed);
}

#[test]
fn mirrored_scenes_have_mirrored_motion() {
    let run = |mirror: bool| {
        let grid = Grid::new([24, 24], 1.0 / 24.0).unwrap();
        let params = LiquidParams::<f64, 2>::default();
        let x = |x: f64| if mirror { 1.0 - x } else { x };
        let block = |p: [f64; 2]| (x(p[0]) - 0.4).max(p[1] - 0.6);
        let surface = LevelSet::from_fn(grid, &params.boundary, block).unwrap();
        let mut water = Liquid::new(surface, params).unwrap();
        for _ in 0..10 {
            water.step(1.0 / 60.0).unwrap();
        }
        water
    };
    let (a, b) = (run(false), run(true));
    for i in 0..24 {
        for j in 0..24 {
            let (a, b) = (a.surface().field()[[i, j]], b.surface().field()[[23 - i, j]]);
            assert!((a - b).abs() < 1e-9, "{i} {j}: {a} {b}");
        }
    }
}
