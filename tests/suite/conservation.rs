//! What holds for any velocity, any time step and any parameters: bounds, sums, finiteness, and
//! that no time changes nothing.

use fluid_num::advection::{Advection, Interpolation, PathOrder, Transport};
use fluid_num::poisson::{Budget, SolverKind};
use fluid_num::schemes::stam2003::{Diffusion, Stam2003Boundary, Sweep};
use fluid_num::solid::{Body, Shape, Slip};
use fluid_num::{
    Boundary, Effect, Error, Faces, Field, Grid, QuantityParams, Real, Side, Simulation, Source,
    StableFluids, StableFluidsParams, Stam2003, Stam2003Params, Stepping,
};
use fluid_tests::{Random, random_faces};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases in every run, so that a failure is one for everybody.
fn cases(count: u32) -> ProptestConfig {
    ProptestConfig {
        cases: count,
        rng_seed: RngSeed::Fixed(20_031_999),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A number between 10^lo and 10^hi, its logarithm evenly spread.
fn power(lo: f64, hi: f64) -> impl Strategy<Value = f64> {
    (lo..hi).prop_map(|e| libm::pow(10.0, e))
}

fn random_grid<T: Real, const D: usize>(r: &mut Random, most: usize) -> Grid<T, D> {
    let cells = core::array::from_fn(|_| 1 + r.below(most));
    Grid::new(cells, T::of(r.within(0.05, 2.0))).unwrap()
}

fn random_boundary<T: Real, const D: usize>(r: &mut Random, closed: bool) -> Boundary<T, D> {
    let mut boundary = Boundary::walls();
    for axis in 0..D {
        if r.below(4) == 0 {
            boundary.sides[axis] = [Side::Periodic; 2];
            continue;
        }
        for end in 0..2 {
            let mut velocity = core::array::from_fn(|_| T::of(r.within(-3.0, 3.0)));
            boundary.sides[axis][end] = match r.below(if closed { 3 } else { 5 }) {
                0 => Side::FreeSlip,
                1 => Side::NoSlip,
                2 => {
                    velocity[axis] = T::zero();
                    Side::Moving { velocity }
                }
                3 => Side::Inflow { velocity },
                _ => Side::Open,
            };
        }
    }
    boundary
}

const LIMITED: [Advection; 3] = [
    Advection::SemiLagrangian(Interpolation::Linear),
    Advection::SemiLagrangian(Interpolation::MonotoneCubic),
    Advection::MacCormack,
];
const ORDERS: [PathOrder; 3] = [PathOrder::Euler, PathOrder::Midpoint, PathOrder::Ralston];

/// What the rounding of an interpolation may add to a bound.
fn slack<T: Real>() -> f64 {
    if T::EPSILON.to_f64() < 1e-10 { 1e-12 } else { 1e-6 }
}

fn values_stay_in_range<T: Real, const D: usize>(
    seed: u64,
    size: f64,
    dt: f64,
    closed: bool,
) -> Result<(), TestCaseError> {
    let r = &mut Random::new(seed);
    let grid = random_grid::<T, D>(r, if D == 2 { 12 } else { 7 });
    let boundary = random_boundary(r, closed);
    let wind = random_faces(grid, seed, size);
    // Where something can come in, it is 0.
    let offset = if closed { r.within(-2.0, 2.0) } else { 0.0 };
    let before = Field::from_fn(grid, |_| T::of(offset + r.within(-1.0, 1.0)));
    let (mut lo, mut hi) = before.min_max();
    if !closed {
        (lo, hi) = (lo.at_most(T::zero()), hi.at_least(T::zero()));
    }
    let (lo, hi) = (lo.to_f64(), hi.to_f64());
    let slack = slack::<T>() * lo.abs().max(hi.abs());
    let order = ORDERS[r.below(3)];
    for scheme in LIMITED {
        let mut q = before.clone();
        let mut transport = Transport::new(grid, boundary, order).unwrap();
        for step in 0..2 {
            transport.carry(&wind, &mut q, scheme, T::of(dt)).unwrap();
            for v in q.values().map(T::to_f64) {
                prop_assert!(
                    v >= lo - slack && v <= hi + slack,
                    "{scheme:?}, {order:?}, step {step} on {:?}: {v} is not in {lo}..{hi}; {boundary:?}",
                    grid.cells()
                );
            }
        }
    }
    Ok(())
}

fn scatter_keeps_the_sum<const D: usize>(
    seed: u64,
    size: f64,
    dt: f64,
) -> Result<(), TestCaseError> {
    let r = &mut Random::new(seed);
    let grid = random_grid::<f64, D>(r, if D == 2 { 16 } else { 8 });
    let boundary = random_boundary(r, true);
    let wind = random_faces(grid, seed, size);
    let mut q = Field::from_fn(grid, |_| r.within(-1.0, 2.0));
    let (before, total) = (q.sum(), q.values().map(f64::abs).sum::<f64>());
    let mut transport = Transport::new(grid, boundary, ORDERS[r.below(3)]).unwrap();
    for _ in 0..3 {
        transport.carry(&wind, &mut q, Advection::Scatter, dt).unwrap();
        let drift = (q.sum() - before).abs();
        prop_assert!(drift <= 1e-12 * total, "the sum drifts by {drift:e} of {total}");
    }
    Ok(())
}

fn scatter_keeps_the_sign<const D: usize>(
    seed: u64,
    size: f64,
    dt: f64,
) -> Result<(), TestCaseError> {
    let r = &mut Random::new(seed);
    let grid = random_grid::<f64, D>(r, 8);
    let boundary = random_boundary(r, false);
    let wind = random_faces(grid, seed, size);
    let mut q = Field::from_fn(grid, |_| r.within(0.0, 1.0));
    let before = q.sum();
    let mut transport = Transport::new(grid, boundary, PathOrder::Midpoint).unwrap();
    transport.carry(&wind, &mut q, Advection::Scatter, dt).unwrap();
    prop_assert!(q.values().all(|v| v >= 0.0 && v.is_finite()));
    // Open and inflow sides let out, never in.
    prop_assert!(q.sum() <= before * (1.0 + 1e-12));
    Ok(())
}

fn random_body<T: Real, const D: usize>(r: &mut Random, size: [T; D]) -> Body<T, D> {
    let most = size.iter().fold(0.0, |m: f64, s| m.max(s.to_f64()));
    let extent = most * r.within(0.02, 0.4);
    let shape = match r.below(3) {
        0 => Shape::ball(T::of(extent)).unwrap(),
        1 => Shape::cuboid([T::of(extent); D]).unwrap(),
        _ => Shape::capsule(T::of(extent), T::of(0.3 * extent)).unwrap(),
    };
    let position = size.map(|s| T::of(s.to_f64() * r.within(-0.2, 1.2)));
    Body::new(shape, position)
        .unwrap()
        .with_angle(T::of(r.within(-3.0, 3.0)))
        .unwrap()
        .with_velocity(core::array::from_fn(|_| T::of(r.within(-5.0, 5.0))))
        .unwrap()
        .with_angular_velocity([T::zero(), T::zero(), T::of(r.within(-9.0, 9.0))])
        .unwrap()
        .with_slip(if r.below(2) == 0 { Slip::Free } else { Slip::No })
}

fn random_fluid<T: Real, const D: usize>(r: &mut Random, speed: f64) -> StableFluids<T, D> {
    let grid = random_grid::<T, D>(r, if D == 2 { 14 } else { 7 });
    let any = |r: &mut Random, hi: f64| {
        // Off in one case of three, else spread over the powers of ten up to `hi`.
        let value = libm::pow(10.0, r.within(-6.0, 0.0)) * hi;
        T::of(if r.below(3) == 0 { 0.0 } else { value })
    };
    let schemes = [LIMITED[0], LIMITED[1], LIMITED[2], Advection::Scatter];
    let quantity = |r: &mut Random| QuantityParams {
        ambient: T::of(r.within(-1.0, 1.0)),
        inflow: T::of(r.within(-1.0, 1.0)),
        diffusivity: any(r, 1e3),
        decay: any(r, 1e2),
        buoyancy: T::of(r.within(-10.0, 10.0)),
        advection: schemes[r.below(4)],
    };
    let kinds = SolverKind::general();
    let params = StableFluidsParams {
        boundary: random_boundary(r, false),
        kinematic_viscosity: any(r, 1e3),
        drag: any(r, 1e2),
        up: core::array::from_fn(|_| T::of(r.within(-1.0, 1.0))),
        vorticity_confinement: any(r, StableFluidsParams::<T, D>::MAX_CONFINEMENT),
        path_order: ORDERS[r.below(3)],
        velocity_advection: schemes[r.below(4)],
        stepping: [Stepping::Projection, Stepping::Reflection][r.below(2)],
        pressure_solver: kinds[r.below(kinds.len())],
        pressure_budget: Budget::tolerance(T::of(1e-3), 1 + r.below(60)),
        diffusion_budget: Budget::tolerance(T::of(1e-4), 1 + r.below(60)),
        quantities: vec![quantity(r), quantity(r)],
    };
    let mut fluid = StableFluids::new(grid, params).unwrap();
    fluid.velocity_mut().copy_from(&random_faces(grid, r.below(1000) as u64, speed)).unwrap();
    for n in 0..2 {
        fluid.quantity_mut(n).unwrap().set_from_fn(|_| T::of(r.within(-1.0, 1.0)));
    }
    for _ in 0..r.below(3) {
        let body = random_body(r, grid.size());
        fluid.bodies_mut().push(body);
    }
    let effects = [
        Effect::Accelerate([T::of(20.0); D]),
        Effect::Add { quantity: 0, rate: T::of(3.0) },
        Effect::Hold { quantity: 1, value: T::of(0.5), rate: T::of(9.0) },
    ];
    for effect in effects {
        let center = grid.size().map(|s| T::of(s.to_f64() * r.unit()));
        let radius = T::of(grid.dx().to_f64() * r.within(0.5, 4.0));
        fluid.sources_mut().push(Source { center, radius, effect });
    }
    fluid
}

fn stable_fluids_stay_finite<T: Real, const D: usize>(
    seed: u64,
    speed: f64,
    dt: f64,
) -> Result<(), TestCaseError> {
    let r = &mut Random::new(seed);
    let mut fluid = random_fluid::<T, D>(r, speed);
    let dt = T::of(dt);
    for step in 0..4 {
        let moved = fluid.bodies().len();
        for n in 0..moved {
            fluid.bodies_mut()[n].advance(dt.at_most(T::of(0.05))).unwrap();
        }
        let report = fluid.step(dt);
        prop_assert!(report.is_ok(), "step {step}: {report:?}; {:?}", fluid.params());
        prop_assert!(fluid.velocity().check_finite("velocity").is_ok());
        for q in fluid.quantities() {
            prop_assert!(q.check_finite("quantity").is_ok(), "step {step}: {:?}", fluid.params());
        }
        prop_assert!(fluid.pressure().check_finite("pressure").is_ok());
    }
    prop_assert!(fluid.time() > T::zero());
    Ok(())
}

fn no_time_changes_nothing<T: Real, const D: usize>(seed: u64) -> Result<(), TestCaseError> {
    let mut fluid = random_fluid::<T, D>(&mut Random::new(seed), 3.0);
    for _ in 0..2 {
        let before = fluid.digest();
        let report = fluid.step(T::zero()).unwrap();
        prop_assert_eq!(report.time, T::zero());
        prop_assert_eq!(fluid.digest(), before);
        fluid.step(T::of(0.01)).unwrap();
    }
    Ok(())
}

fn stam_stays_finite<T: Real, const D: usize>(
    seed: u64,
    speed: f64,
    dt: f64,
) -> Result<(), TestCaseError> {
    let r = &mut Random::new(seed);
    let grid = random_grid::<T, D>(r, if D == 2 { 14 } else { 7 });
    let rate = |r: &mut Random| {
        let value = libm::pow(10.0, r.within(-6.0, 3.0));
        T::of(if r.below(3) == 0 { 0.0 } else { value })
    };
    let params = Stam2003Params {
        kinematic_viscosity: rate(r),
        diffusivity: rate(r),
        iterations: 1 + r.below(30),
        diffusion: [Diffusion::GaussSeidel, Diffusion::Jacobi, Diffusion::Explicit][r.below(3)],
        pressure: [Sweep::GaussSeidel, Sweep::Jacobi][r.below(2)],
        boundary: [Stam2003Boundary::Walls, Stam2003Boundary::Periodic][r.below(2)],
    };
    let mut fluid = Stam2003::new(grid, params).unwrap();
    for axis in 0..D {
        fluid.velocity_mut(axis).set_from_fn(|_| T::of(r.within(-speed, speed)));
    }
    fluid.density_mut().set_from_fn(|_| T::of(r.unit()));
    for step in 0..4 {
        let center = grid.size().map(|s| T::of(s.to_f64() * r.unit()));
        fluid.add_force(center, grid.dx(), [T::of(30.0); D]).unwrap();
        fluid.add_source(center, grid.dx(), T::of(2.0)).unwrap();
        let before = fluid.digest();
        match fluid.step(T::of(dt)) {
            Ok(_) => {}
            Err(Error::BeyondStabilityLimit { limit, .. }) => {
                prop_assert!(params.diffusion == Diffusion::Explicit && dt > limit);
                prop_assert_eq!(fluid.digest(), before);
                return Ok(());
            }
            Err(other) => prop_assert!(false, "step {step}: {other}"),
        }
        for axis in 0..D {
            prop_assert!(fluid.velocity(axis).check_finite("velocity").is_ok());
        }
        prop_assert!(fluid.density().check_finite("density").is_ok(), "step {step}: {params:?}");
        let before = fluid.digest();
        fluid.step(T::zero()).unwrap();
        prop_assert_eq!(fluid.digest(), before);
    }
    Ok(())
}

macro_rules! for_each_scalar_and_dimension {
    ($($module:ident: $t:ty, $d:literal;)*) => {$(
        mod $module {
            use super::*;
            proptest! {
                #![proptest_config(cases(128))]
                #[test]
                fn advection_makes_no_new_extremum_in_a_closed_box(
                    seed in any::<u64>(), size in power(-3.0, 6.0), dt in power(-6.0, 3.0),
                ) {
                    values_stay_in_range::<$t, $d>(seed, size, dt, true)?;
                }

                #[test]
                fn advection_makes_no_new_extremum_beside_open_sides(
                    seed in any::<u64>(), size in power(-3.0, 6.0), dt in power(-6.0, 3.0),
                ) {
                    values_stay_in_range::<$t, $d>(seed, size, dt, false)?;
                }

                #[test]
                fn stable_fluids_stay_finite(
                    seed in any::<u64>(), speed in power(-3.0, 6.0), dt in power(-6.0, 3.0),
                ) {
                    super::stable_fluids_stay_finite::<$t, $d>(seed, speed, dt)?;
                }

                #[test]
                fn stam_stays_finite(
                    seed in any::<u64>(), speed in power(-3.0, 6.0), dt in power(-6.0, 3.0),
                ) {
                    super::stam_stays_finite::<$t, $d>(seed, speed, dt)?;
                }
            }
            proptest! {
                #![proptest_config(cases(24))]
                #[test]
                fn no_time_changes_nothing(seed in any::<u64>()) {
                    super::no_time_changes_nothing::<$t, $d>(seed)?;
                }
            }
        }
    )*};
}

for_each_scalar_and_dimension!(
    f32_2d: f32, 2;
    f64_2d: f64, 2;
    f32_3d: f32, 3;
    f64_3d: f64, 3;
);

proptest! {
    #![proptest_config(cases(64))]
    #[test]
    fn scatter_conserves_the_sum_in_closed_and_periodic_boxes(
        seed in any::<u64>(), size in power(-3.0, 6.0), dt in power(-6.0, 3.0),
    ) {
        scatter_keeps_the_sum::<2>(seed, size, dt)?;
        scatter_keeps_the_sum::<3>(seed, size, dt)?;
    }

    #[test]
    fn scatter_keeps_what_is_positive_positive(
        seed in any::<u64>(), size in power(-3.0, 6.0), dt in power(-6.0, 3.0),
    ) {
        scatter_keeps_the_sign::<2>(seed, size, dt)?;
        scatter_keeps_the_sign::<3>(seed, size, dt)?;
    }
}

fn smoke_mass_is_constant<const D: usize>(body: bool) {
    let grid = Grid::<f64, D>::new([if D == 2 { 24 } else { 12 }; D], 0.1).unwrap();
    let smoke = QuantityParams { advection: Advection::Scatter, ..QuantityParams::smoke() };
    let params = StableFluidsParams { quantities: vec![smoke], ..Default::default() };
    let mut fluid = StableFluids::new(grid, params).unwrap();
    let middle = grid.size().map(|s| 0.5 * s);
    if body {
        let ball = Body::new(Shape::ball(0.25).unwrap(), middle).unwrap();
        fluid.bodies_mut().push(ball);
    }
    let near = |x: [f64; D]| {
        let r2: f64 = (0..D).map(|a| (x[a] - middle[a]) * (x[a] - middle[a])).sum();
        // Around the ball, not inside it.
        if (0.16..0.25).contains(&r2) { 1.0 } else { 0.0 }
    };
    fluid.quantity_mut(0).unwrap().set_from_fn(near);
    let before = fluid.quantity(0).unwrap().sum();
    assert!(before > 10.0);
    for _ in 0..60 {
        fluid.step(0.05).unwrap();
    }
    assert!(fluid.velocity().max_abs() > 0.05, "nothing moves");
    let drift = (fluid.quantity(0).unwrap().sum() - before) / before;
    assert!(drift.abs() <= 1e-12, "the mass drifts by {drift:e}");
}

#[test]
fn the_mass_of_smoke_in_a_closed_box_is_constant() {
    smoke_mass_is_constant::<2>(false);
    smoke_mass_is_constant::<3>(false);
}

#[test]
fn the_mass_of_smoke_around_a_body_is_constant() {
    smoke_mass_is_constant::<2>(true);
    smoke_mass_is_constant::<3>(true);
}

/// A scene in which every parameter matters.
fn everything() -> (StableFluidsParams<f64, 2>, Vec<Source<f64, 2>>) {
    let lid = Side::Moving { velocity: [0.7, 0.0] };
    let inflow = Side::Inflow { velocity: [0.5, 0.1] };
    let quantity = |advection| QuantityParams {
        ambient: 0.2,
        inflow: 0.9,
        diffusivity: 1e-2,
        decay: 0.3,
        buoyancy: 1.5,
        advection,
    };
    let params = StableFluidsParams {
        boundary: Boundary::walls().with(0, 0, inflow).with(0, 1, Side::Open).with(1, 1, lid).with(
            1,
            0,
            Side::NoSlip,
        ),
        kinematic_viscosity: 2e-2,
        drag: 0.1,
        up: [0.1, 1.0],
        vorticity_confinement: 0.4,
        path_order: PathOrder::Midpoint,
        velocity_advection: LIMITED[0],
        stepping: Stepping::Projection,
        pressure_solver: SolverKind::Sor { relaxation: Some(0.9) },
        pressure_budget: Budget::tolerance(1e-4, 40),
        diffusion_budget: Budget::tolerance(1e-4, 40),
        quantities: vec![quantity(LIMITED[0]), quantity(LIMITED[2])],
    };
    let source = |effect| Source { center: [0.4, 0.5], radius: 0.2, effect };
    let sources = vec![
        source(Effect::Accelerate([1.0, 2.0])),
        source(Effect::Add { quantity: 0, rate: 2.0 }),
        source(Effect::Hold { quantity: 1, value: 0.6, rate: 2.0 }),
    ];
    (params, sources)
}

fn digest_of(params: StableFluidsParams<f64, 2>, sources: &[Source<f64, 2>]) -> u64 {
    let grid = Grid::new([20, 16], 1.0 / 16.0).unwrap();
    let mut fluid = StableFluids::new(grid, params).unwrap();
    fluid.sources_mut().extend_from_slice(sources);
    let ball = Body::new(Shape::ball(0.1).unwrap(), [0.8, 0.5]).unwrap();
    fluid.bodies_mut().push(ball.with_slip(Slip::No));
    for _ in 0..4 {
        fluid.step(0.05).unwrap();
    }
    fluid.digest()
}

#[test]
fn every_parameter_of_stable_fluids_changes_the_result() {
    type Change = fn(&mut StableFluidsParams<f64, 2>);
    let changes: [(&str, Change); 22] = [
        ("inflow velocity", |p| p.boundary.sides[0][0] = Side::Inflow { velocity: [1.0, 0.2] }),
        ("lid velocity", |p| p.boundary.sides[1][1] = Side::Moving { velocity: [1.4, 0.0] }),
        ("no-slip side", |p| p.boundary.sides[1][0] = Side::FreeSlip),
        ("open side", |p| p.boundary.sides[0][1] = Side::Inflow { velocity: [0.5, 0.1] }),
        ("kinematic_viscosity", |p| p.kinematic_viscosity *= 2.0),
        ("drag", |p| p.drag *= 2.0),
        ("up", |p| p.up = p.up.map(|u| 2.0 * u)),
        ("vorticity_confinement", |p| p.vorticity_confinement *= 2.0),
        ("path_order", |p| p.path_order = PathOrder::Ralston),
        ("velocity_advection", |p| p.velocity_advection = LIMITED[1]),
        ("stepping", |p| p.stepping = Stepping::Reflection),
        ("relaxation", |p| p.pressure_solver = SolverKind::Sor { relaxation: Some(1.8) }),
        ("pressure_solver", |p| p.pressure_solver = SolverKind::Jacobi),
        ("pressure tolerance", |p| p.pressure_budget.tolerance = 0.5),
        ("pressure iterations", |p| p.pressure_budget.iterations *= 2),
        ("diffusion budget", |p| p.diffusion_budget.tolerance *= 200.0),
        ("ambient", |p| p.quantities[0].ambient *= 2.0),
        ("inflow", |p| p.quantities[0].inflow *= 2.0),
        ("diffusivity", |p| p.quantities[0].diffusivity *= 2.0),
        ("decay", |p| p.quantities[0].decay *= 2.0),
        ("buoyancy", |p| p.quantities[0].buoyancy *= 2.0),
        ("advection", |p| p.quantities[0].advection = Advection::Scatter),
    ];
    let (params, sources) = everything();
    let base = digest_of(params.clone(), &sources);
    assert_eq!(digest_of(params.clone(), &sources), base);
    for (name, change) in changes {
        let mut changed = params.clone();
        change(&mut changed);
        assert_ne!(digest_of(changed, &sources), base, "{name} changes nothing");
    }
}

#[test]
fn every_number_of_a_source_changes_the_result() {
    type Change = fn(&mut [Source<f64, 2>]);
    let changes: [(&str, Change); 7] = [
        ("center", |s| s[0].center = [0.8, 1.0]),
        ("radius", |s| s[0].radius *= 2.0),
        ("acceleration", |s| s[0].effect = Effect::Accelerate([2.0, 4.0])),
        ("rate", |s| s[1].effect = Effect::Add { quantity: 0, rate: 4.0 }),
        ("quantity", |s| s[1].effect = Effect::Add { quantity: 1, rate: 2.0 }),
        ("value", |s| s[2].effect = Effect::Hold { quantity: 1, value: 1.2, rate: 2.0 }),
        ("hold rate", |s| s[2].effect = Effect::Hold { quantity: 1, value: 0.6, rate: 4.0 }),
    ];
    let (params, sources) = everything();
    let base = digest_of(params.clone(), &sources);
    for (name, change) in changes {
        let mut changed = sources.clone();
        change(&mut changed);
        assert_ne!(digest_of(params.clone(), &changed), base, "{name} changes nothing");
    }
}

#[test]
fn every_parameter_of_stam2003_changes_the_result() {
    let base = Stam2003Params {
        kinematic_viscosity: 1e-2,
        diffusivity: 1e-2,
        iterations: 10,
        ..Default::default()
    };
    let digest = |params: Stam2003Params<f64>| {
        let grid = Grid::new([20, 16], 1.0 / 16.0).unwrap();
        let mut fluid = Stam2003::<f64, 2>::new(grid, params).unwrap();
        for _ in 0..3 {
            fluid.add_force([0.3, 0.3], 0.1, [5.0, 9.0]).unwrap();
            fluid.add_source([0.3, 0.3], 0.1, 2.0).unwrap();
            fluid.step(0.02).unwrap();
        }
        fluid.digest()
    };
    let changed = [
        Stam2003Params { kinematic_viscosity: 2e-2, ..base },
        Stam2003Params { diffusivity: 2e-2, ..base },
        Stam2003Params { iterations: 20, ..base },
        Stam2003Params { diffusion: Diffusion::Jacobi, ..base },
        Stam2003Params { diffusion: Diffusion::Explicit, ..base },
        Stam2003Params { pressure: Sweep::Jacobi, ..base },
        Stam2003Params { boundary: Stam2003Boundary::Periodic, ..base },
    ];
    let expected = digest(base);
    assert_eq!(digest(base), expected);
    for params in changed {
        assert_ne!(digest(params), expected, "{params:?} changes nothing");
    }
}

#[test]
fn faces_of_a_random_velocity_are_within_their_size() {
    // The generator that the tests above rely on.
    let grid = Grid::<f64, 2>::new([9, 5], 1.0).unwrap();
    let faces: Faces<f64, 2> = random_faces(grid, 4, 3.0);
    assert!(faces.max_abs() <= 3.0 && faces.max_abs() > 2.0);
}
