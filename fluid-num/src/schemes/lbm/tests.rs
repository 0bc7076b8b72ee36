mod carried;
mod flows;
mod openings;
mod oracle;
mod refusals;

use super::*;
use crate::solid::Shape;
use crate::{Boundary, Grid2, LbmD2Q9, Side, Simulation};

/// A box whose cells, steps and density are 1: all values are in lattice units.
pub(super) fn unit<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    cells: [usize; D],
    params: LbmParams<T, D>,
) -> Lbm<T, L, D, Q> {
    let params = LbmParams { time_step: T::one(), rest_density: T::one(), ..params };
    Lbm::new(Grid::new(cells, T::one()).unwrap(), params).unwrap()
}

pub(super) fn periodic<T: Real, const D: usize>() -> LbmParams<T, D> {
    LbmParams { boundary: Boundary::periodic(), ..Default::default() }
}

/// A number in −½..½.
pub(super) fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// What every lattice and precision must hold to.
trait OnEveryLattice {
    fn check<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>();
    fn run() {
        Self::check::<f32, D2Q9, 2, 9>();
        Self::check::<f64, D2Q9, 2, 9>();
        Self::check::<f32, D3Q19, 3, 19>();
        Self::check::<f64, D3Q19, 3, 19>();
        Self::check::<f32, D3Q27, 3, 27>();
        Self::check::<f64, D3Q27, 3, 27>();
    }
}

/// The populations of one site after one collision.
fn collided<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    params: LbmParams<T, D>,
    before: [T; Q],
) -> [T; Q] {
    let mut lbm = unit::<T, L, D, Q>([1; D], params);
    let at = lbm.grid.index([0; D]);
    for (ring, h) in lbm.populations.iter_mut().zip(before) {
        ring.set(at, h);
    }
    lbm.collide();
    core::array::from_fn(|k| lbm.populations[k].get(at))
}

fn disturbed<T: Real, const Q: usize>(seed: &mut u64) -> [T; Q] {
    core::array::from_fn(|_| T::of(0.02 * random(seed)))
}

/// Σ h times c_a for each of `axes`.
fn moment<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    h: &[T; Q],
    axes: &[usize],
) -> f64 {
    let part = |k: usize| axes.iter().map(|a| f64::from(L::VELOCITIES[k][*a])).product::<f64>();
    (0..Q).map(|k| h[k].to_f64() * part(k)).sum()
}

fn every_kind<T: Real, const D: usize>() -> Vec<LbmParams<T, D>> {
    let mut kinds = Vec::new();
    for collision in Collision::all() {
        for smagorinsky in [0.0, 0.3] {
            for force in [0.0, 1e-3] {
                kinds.push(LbmParams {
                    collision,
                    smagorinsky: T::of(smagorinsky),
                    acceleration: core::array::from_fn(|a| T::of(force * (1.0 + a as f64))),
                    kinematic_viscosity: T::of(0.05),
                    ..periodic()
                });
            }
        }
    }
    kinds
}

struct CollisionsConserve;
impl OnEveryLattice for CollisionsConserve {
    fn check<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>() {
        let mut seed = 1;
        // Some Q roundings of values below 0.1.
        let tolerance = 3.0 * T::EPSILON.to_f64();
        for params in every_kind::<T, D>() {
            for _ in 0..20 {
                let before = disturbed::<T, Q>(&mut seed);
                let after = collided::<T, L, D, Q>(params, before);
                assert_ne!(before, after);
                let mass = moment::<T, L, D, Q>(&after, &[]) - moment::<T, L, D, Q>(&before, &[]);
                assert!(mass.abs() < tolerance, "{} {params:?}: {mass}", L::NAME);
                for a in 0..D {
                    let gain = moment::<T, L, D, Q>(&after, &[a])
                        - moment::<T, L, D, Q>(&before, &[a])
                        - params.acceleration[a].to_f64();
                    assert!(gain.abs() < tolerance, "{} {params:?}: {gain}", L::NAME);
                }
            }
        }
    }
}

#[test]
fn collisions_keep_mass_and_change_momentum_by_the_force_alone() {
    CollisionsConserve::run();
}

struct EquilibriumStays;
impl OnEveryLattice for EquilibriumStays {
    fn check<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>() {
        let u: [T; D] = core::array::from_fn(|a| T::of([0.1, -0.05, 0.07][a]));
        for params in every_kind::<T, D>() {
            let params = LbmParams { acceleration: [T::zero(); D], ..params };
            let mut lbm = unit::<T, L, D, Q>([4; D], params);
            lbm.set_flow(|_| (u, T::of(0.01))).unwrap();
            let place = |lbm: &Lbm<T, L, D, Q>, k| lbm.population(k, [1; D]).unwrap();
            let before: [T; Q] = core::array::from_fn(|k| place(&lbm, k));
            lbm.advance(10).unwrap();
            for (k, before) in before.into_iter().enumerate() {
                // Ten steps, a few roundings each of values below 0.1.
                let change = (place(&lbm, k) - before).to_f64().abs();
                assert!(change < 5.0 * T::EPSILON.to_f64(), "{} {params:?}: {change}", L::NAME);
            }
            let (u0, p) = (lbm.velocity()[0][[2; D]], lbm.pressure()[[2; D]]);
            assert!((u0 - u[0]).to_f64().abs() < 5.0 * T::EPSILON.to_f64());
            assert!((p.to_f64() - 0.01).abs() < 5.0 * T::EPSILON.to_f64());
        }
    }
}

#[test]
fn equilibrium_is_a_fixed_point_of_every_collision() {
    EquilibriumStays::run();
}

struct ShearDecays;
impl OnEveryLattice for ShearDecays {
    fn check<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>() {
        let mut seed = 5;
        for collision in Collision::all() {
            for time in [0.51, 0.8, 1.0, 1.7] {
                let kinematic_viscosity = T::of((time - 0.5) / 3.0);
                let params = LbmParams { collision, kinematic_viscosity, ..periodic() };
                let before = disturbed::<T, Q>(&mut seed);
                let after = collided::<T, L, D, Q>(params, before);
                let deviation = |h: &[T; Q]| {
                    let [x, y] = [0, 1].map(|a| moment::<T, L, D, Q>(h, &[a]));
                    moment::<T, L, D, Q>(h, &[0, 1]) - x * y / (1.0 + moment::<T, L, D, Q>(h, &[]))
                };
                let difference = deviation(&after) - (1.0 - 1.0 / time) * deviation(&before);
                assert!(difference.abs() < 3.0 * T::EPSILON.to_f64(), "{} {collision:?}", L::NAME);
            }
        }
    }
}

#[test]
fn the_shear_moment_decays_by_the_relaxation_time() {
    ShearDecays::run();
}

struct TwiceOver;
impl OnEveryLattice for TwiceOver {
    fn check<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>() {
        let params = LbmParams {
            collision: Collision::Bgk,
            kinematic_viscosity: T::zero(),
            ..periodic::<T, D>()
        };
        let mut seed = 7;
        let before = disturbed::<T, Q>(&mut seed);
        let once = collided::<T, L, D, Q>(params, before);
        let twice = collided::<T, L, D, Q>(params, once);
        for k in 0..Q {
            assert!((once[k] - before[k]).to_f64().abs() > 1e-5);
            assert!((twice[k] - before[k]).to_f64().abs() < 0.3 * T::EPSILON.to_f64());
        }
    }
}

#[test]
fn at_half_a_step_two_collisions_undo_each_other() {
    TwiceOver::run();
}

struct PulseMoves;
impl OnEveryLattice for PulseMoves {
    fn check<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>() {
        let cells: [usize; D] = core::array::from_fn(|a| [5, 4, 3][a]);
        for k in 0..Q {
            let mut lbm = unit::<T, L, D, Q>(cells, periodic());
            let mut at: [usize; D] = core::array::from_fn(|a| [4, 1, 2][a]);
            lbm.populations[k].set(lbm.grid.index(at), T::one());
            for _ in 0..25 {
                lbm.stream();
                lbm.enter();
                for a in 0..D {
                    let next = at[a] as isize + isize::from(L::VELOCITIES[k][a]);
                    at[a] = next.rem_euclid(cells[a] as isize) as usize;
                }
                for n in 0..cells.iter().product() {
                    let cell: [usize; D] = core::array::from_fn(|a| {
                        n / cells[..a].iter().product::<usize>() % cells[a]
                    });
                    for other in 0..Q {
                        let there = other == k && cell == at;
                        let expected = if there { T::one() } else { T::zero() };
                        assert_eq!(lbm.population(other, cell), Some(expected));
                    }
                }
            }
        }
    }
}

#[test]
fn streaming_moves_a_pulse_exactly_by_its_velocity() {
    PulseMoves::run();
}

struct BoxHolds;
impl OnEveryLattice for BoxHolds {
    fn check<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>() {
        let n = if D == 2 { 16 } else { 8 };
        for side in [Side::NoSlip, Side::FreeSlip] {
            for collision in Collision::all() {
                let params = LbmParams {
                    collision,
                    kinematic_viscosity: T::of(0.1),
                    boundary: Boundary::all(side),
                    ..Default::default()
                };
                let mut lbm = unit::<T, L, D, Q>([n; D], params);
                lbm.advance(100).unwrap();
                let rest = lbm
                    .populations
                    .iter()
                    .all(|ring| (0..ring.len()).all(|i| ring.get(i).bits() == T::zero().bits()));
                assert!(rest, "{} {collision:?} does not stay at rest", L::NAME);
                let mut seed = 3;
                lbm.set_flow(|_| {
                    (core::array::from_fn(|_| T::of(0.2 * random(&mut seed))), T::zero())
                })
                .unwrap();
                let mass = |lbm: &Lbm<T, L, D, Q>| {
                    lbm.pressure().values().map(|p| 3.0 * p.to_f64()).sum::<f64>()
                };
                let whole = (n as f64).powi(D as i32);
                let before = mass(&lbm);
                lbm.advance(500).unwrap();
                let drift = (mass(&lbm) - before).abs() / whole;
                assert!(drift < 10.0 * T::EPSILON.to_f64(), "{} {collision:?}: {drift}", L::NAME);
            }
        }
    }
}

#[test]
fn a_closed_box_at_rest_stays_at_rest_and_otherwise_keeps_its_mass() {
    BoxHolds::run();
}

#[test]
fn rows_that_the_ring_breaks_collide_as_others_do() {
    // Whatever the head, one collision of the same populations gives the same bits.
    let params = LbmParams { smagorinsky: 0.2, ..periodic() };
    let start = |head: isize| {
        let mut lbm = unit::<f32, D2Q9, 2, 9>([75, 20], params);
        for (k, ring) in lbm.populations.iter_mut().enumerate() {
            ring.shift(head * (k as isize + 1));
        }
        let mut seed = 1;
        lbm.set_flow(|_| ([0.1, 0.1].map(|u| u * random(&mut seed) as f32), 0.0)).unwrap();
        lbm.advance(1).unwrap();
        lbm.digest()
    };
    let plain = start(0);
    for head in [1, 77, 1003, -345] {
        assert_eq!(start(head), plain);
    }
}

#[test]
fn a_uniform_force_field_does_what_the_acceleration_does() {
    for collision in Collision::all() {
        let run = |field: bool| {
            let acceleration = if field { [0.0; 2] } else { [1e-4, -2e-4] };
            let params = LbmParams { collision, acceleration, ..Default::default() };
            let mut lbm = unit::<f64, D2Q9, 2, 9>([40, 9], params);
            if field {
                lbm.force_mut()[0].fill(1e-4);
                lbm.force_mut()[1].fill(-2e-4);
            }
            lbm.advance(50).unwrap();
            lbm.velocity()[0].values().collect::<Vec<_>>()
        };
        for (a, b) in run(true).into_iter().zip(run(false)) {
            assert!((a - b).abs() < 1e-15);
        }
    }
}

#[test]
fn steps_are_whole_ones_and_the_rest_waits() {
    let params = LbmParams { time_step: 0.01, max_substeps: 50, ..LbmParams::default() };
    let grid = Grid::new([8, 8], 0.1).unwrap();
    let mut lbm = Lbm::<f64, D2Q9, 2, 9>::new(grid, params).unwrap();
    let mut steps = |dt| lbm.step(dt).unwrap().substeps;
    assert_eq!([0.004, 0.004, 0.004, 0.0, 0.028].map(&mut steps), [0, 0, 1, 0, 3]);
    // What is beyond the cap is dropped.
    assert_eq!([10.0, 0.009, 0.001].map(&mut steps), [50, 0, 1]);
    assert!((lbm.time() - 0.55).abs() < 1e-12);
    let before = lbm.digest();
    for dt in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(matches!(lbm.step(dt), Err(Error::InvalidTimeStep { .. })));
    }
    lbm.force_mut()[1][[3, 4]] = f64::NAN;
    assert_eq!(lbm.step(0.1), Err(Error::NotFinite { name: "force", place: [3, 4, 0] }));
    lbm.force_mut()[1].fill(0.0);
    lbm.force = None;
    assert_eq!(lbm.digest(), before);
}

#[test]
fn a_state_taken_over_and_a_clone_continue_identically() {
    let boundary = Boundary::all(Side::NoSlip)
        .with(0, 0, Side::Inflow { velocity: [0.05, 0.0] })
        .with(0, 1, Side::Open);
    let params = LbmParams { boundary, outlet: Outlet::Convective, ..Default::default() };
    let mut source = unit::<f32, D2Q9, 2, 9>([30, 20], params);
    source.close_cells(|[i, j]| i == 7 && j > 8);
    source.advance(37).unwrap();
    let mut target = unit::<f32, D2Q9, 2, 9>([30, 20], params);
    target.advance(5).unwrap();
    target.copy_from(&source).unwrap();
    let mut clone = source.clone();
    for lbm in [&mut source, &mut target, &mut clone] {
        lbm.advance(20).unwrap();
    }
    assert_eq!(source.digest(), target.digest());
    assert_eq!(source.digest(), clone.digest());
    let other = unit::<f32, D2Q9, 2, 9>([30, 21], params);
    assert!(target.copy_from(&other).is_err());
}

#[test]
fn a_run_beyond_its_limit_ends_in_an_error_with_step_and_place() {
    let params = LbmParams { kinematic_viscosity: 1e-6, collision: Collision::Bgk, ..periodic() };
    let mut lbm = unit::<f32, D2Q9, 2, 9>([32, 32], params);
    let mut seed = 1;
    lbm.set_flow(|_| ([0.0; 2].map(|_: f32| random(&mut seed) as f32), 0.0)).unwrap();
    let Err(Error::Unstable { step, place, .. }) = lbm.advance(20_000) else {
        panic!("noise of half a cell a step lived");
    };
    assert!(step > 0 && place[0] < 32 && place[1] < 32 && place[2] == 0);
}

#[test]
fn bad_parameters_are_refused_by_name() {
    type Params = LbmParams<f64, 2>;
    let name = |change: fn(&mut Params)| {
        let mut params = Params::default();
        change(&mut params);
        let grid = Grid::new([4, 4], 1.0 / 64.0).unwrap();
        match Lbm::<f64, D2Q9, 2, 9>::new(grid, params) {
            Err(Error::InvalidParameter { name, .. } | Error::WrongCount { name, .. }) => name,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(name(|p| p.kinematic_viscosity = -1.0), "kinematic_viscosity");
    assert_eq!(name(|p| p.kinematic_viscosity = 1e308), "the relaxation time");
    assert_eq!(name(|p| p.rest_density = 0.0), "rest_density");
    assert_eq!(name(|p| p.time_step = f64::INFINITY), "time_step");
    assert_eq!(name(|p| p.time_step = 1e-300), "rest_density·(dx/time_step)²");
    assert_eq!(name(|p| p.collision = Collision::Trt { magic: 0.0 }), "collision.magic");
    assert_eq!(name(|p| p.smagorinsky = f64::NAN), "smagorinsky");
    assert_eq!(name(|p| p.acceleration[1] = f64::NAN), "acceleration");
    assert_eq!(name(|p| p.open_pressure[0][1] = f64::NAN), "open_pressure");
    assert_eq!(name(|p| p.speed_limit_lu = 0.0), "speed_limit_lu");
    assert_eq!(name(|p| p.max_substeps = 0), "max_substeps");
    let fast = "the velocity of a side in cells a step";
    assert_eq!(name(|p| p.boundary.sides[1][1] = Side::Moving { velocity: [10.0, 0.0] }), fast);
}

#[test]
fn a_body_that_moves_between_lattice_steps_changes_nothing_before_the_next_one() {
    let make = || {
        let params = LbmParams { time_step: 1e-2, ..Default::default() };
        let mut flow = LbmD2Q9::<f64>::new(Grid2::new([12, 10], 0.1).unwrap(), params).unwrap();
        let ball = Shape::ball(0.22).unwrap();
        flow.bodies_mut().push(Body::new(ball, [0.2, 0.5]).unwrap());
        flow
    };
    let mut flow = make();
    flow.add_impulse([0.6, 0.5], 0.4, [0.5, 0.3]).unwrap();
    flow.step(0.1).unwrap();
    let populations = |flow: &LbmD2Q9<f64>| {
        let cells = (0..12).flat_map(|i| (0..10).map(move |j| [i, j]));
        cells.map(|cell| flow.population(1, cell)).collect::<Vec<_>>()
    };
    let before = populations(&flow);
    flow.bodies_mut()[0].position = [0.6, 0.5];
    // Shorter than a lattice step.
    assert_eq!(flow.step(1e-3).unwrap().substeps, 0);
    assert_eq!(populations(&flow), before);
    let mut restored = make();
    restored.restore(&flow.snapshot()).unwrap();
    for flow in [&mut flow, &mut restored] {
        let body = &mut flow.bodies_mut()[0];
        body.clear_wrench();
        (body.position, body.velocity) = ([0.9, 0.5], [0.3, 0.1]);
        flow.step(0.05).unwrap();
    }
    assert_eq!(restored.digest(), flow.digest());
    let [own, other] = [&restored, &flow].map(|flow| flow.bodies()[0].clone());
    assert!(own.force[0] != 0.0);
    assert_eq!((own.force, own.torque), (other.force, other.torque));
}
