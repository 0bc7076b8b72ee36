use alloc::vec::Vec;

use super::super::tests::{periodic, random};
use super::*;
use crate::schemes::lbm::{Bounce, D2Q9, D3Q19, D3Q27, Lbm};
use crate::solid::Shape;
use crate::{Boundary, EncodedD2Q9, Simulation};

/// Some sides of every kind; the last axis is periodic in the last case only.
fn boundaries<T: Real, const D: usize>() -> Vec<Boundary<T, D>> {
    let velocity =
        core::array::from_fn(|a| if a + 1 == D { T::zero() } else { T::of([0.05, -0.02][a]) });
    let lid = Side::Moving { velocity };
    let all = Boundary::all;
    vec![
        Boundary::periodic(),
        all(Side::NoSlip).with(D - 1, 1, lid),
        all(Side::FreeSlip).with(0, 0, Side::NoSlip),
        all(Side::FreeSlip).with(0, 0, Side::Periodic).with(0, 1, Side::Periodic),
        all(Side::NoSlip).with(D - 1, 0, Side::Periodic).with(D - 1, 1, Side::Periodic),
        all(Side::FreeSlip).with(0, 0, Side::Inflow { velocity }).with(0, 1, Side::Open),
        all(Side::Open).with(0, 0, Side::NoSlip).with(D - 1, 0, Side::Inflow { velocity }),
    ]
}

/// The moments of a stirred box after some steps, and those of the populations of the same.
fn agree<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(cells: [usize; D]) {
    for boundary in boundaries::<T, D>() {
        for (collision, smagorinsky, force) in [
            (Collision::Regularised, 0.0, 0.0),
            (Collision::CentralMoments, 0.0, 1e-4),
            (Collision::Regularised, 0.2, -1e-4),
        ] {
            let params = LbmParams {
                collision,
                smagorinsky: T::of(smagorinsky),
                acceleration: [T::of(force); D],
                time_step: T::one(),
                kinematic_viscosity: T::of(0.02),
                boundary,
                ..periodic()
            };
            let grid = Grid::new(cells, T::one()).unwrap();
            let mut encoded = EncodedLbm::<T, L, D, Q>::new(grid, params).unwrap();
            let mut populations = Lbm::<T, L, D, Q>::new(grid, params).unwrap();
            let flow = |seed: &mut u64| {
                (core::array::from_fn(|_| T::of(0.1 * random(seed))), T::of(0.01 * random(seed)))
            };
            let mut seed = 1;
            encoded.set_flow(|_| flow(&mut seed)).unwrap();
            let mut seed = 1;
            populations.set_flow(|_| flow(&mut seed)).unwrap();
            encoded.advance(30).unwrap();
            populations.advance(30).unwrap();
            // The same operations in the same order: the same bits.
            for cell in encoded.cells() {
                let own = encoded.velocity(cell).unwrap();
                let other = populations.velocity().each_ref().map(|u| u[cell]);
                assert_eq!(own, other, "{} {boundary:?} {collision:?} at {cell:?}", L::NAME);
                assert_eq!(encoded.pressure(cell), populations.pressure().get(cell));
            }
        }
    }
}

/// What both solvers have in common, to be driven side by side.
macro_rules! drive {
    ($flow:expr, $cells:expr, $bounce:expr) => {{
        let mut flow = $flow;
        let cells: [usize; D] = $cells;
        let mut seed = 1;
        let mut random = move || T::of(random(&mut seed));
        flow.close_cells(|cell| cell.iter().sum::<usize>() % 13 == 5);
        for (a, field) in flow.force_mut().iter_mut().enumerate() {
            field.set_from_fn(|x| T::of(1e-4) * x[(a + 1) % D]);
        }
        // A spinning ball, and one that moves on by a cell every third call.
        let point = |share: f64| cells.map(|n| T::of(share * n as f64));
        let mut balls = [(0.3, 1.7), (0.7, 2.4)].map(|(share, radius)| {
            Body::new(Shape::ball(T::of(radius)).unwrap(), point(share)).unwrap()
        });
        balls[0].angular_velocity = [0.0, 0.0, 0.01].map(T::of);
        balls[1].velocity = core::array::from_fn(|a| T::of([0.05, -0.03, 0.02][a]));
        *flow.bodies_mut() = balls.to_vec();
        flow.set_flow(|_| {
            (core::array::from_fn(|_| T::of(0.05) * random()), T::of(0.001) * random())
        })
        .unwrap();
        let mut forces = Vec::new();
        for call in 0..8 {
            for _ in 0..4 {
                flow.advance(1).unwrap();
            }
            forces.push(flow.force_on_closed_cells());
            for body in flow.bodies_mut() {
                forces.push(body.force);
                let mut torque = [T::zero(); D];
                torque.copy_from_slice(&body.torque[3 - D..]);
                forces.push(torque);
                body.clear_wrench();
                for a in 0..D {
                    body.position[a] += T::of(4.0) * body.velocity[a];
                }
            }
            if call == 5 {
                let params = *flow.params();
                let bounce = $bounce;
                flow.set_params(LbmParams { bounce, time_step: T::of(1.25), ..params }).unwrap();
            }
        }
        (flow, forces)
    }};
}

/// Solids, moving bodies, forces, openings: both solvers agree on the flow bit for bit, and on forces.
fn agree_on_solids<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(cells: [usize; D]) {
    for boundary in boundaries::<T, D>() {
        for (collision, first, then) in [
            (Collision::Regularised, Bounce::HalfWay, Bounce::Interpolated),
            (Collision::CentralMoments, Bounce::Interpolated, Bounce::HalfWay),
        ] {
            let params = LbmParams {
                collision,
                time_step: T::one(),
                kinematic_viscosity: T::of(0.05),
                bounce: first,
                boundary,
                ..periodic()
            };
            let grid = Grid::new(cells, T::one()).unwrap();
            let encoded = EncodedLbm::<T, L, D, Q>::new(grid, params).unwrap();
            let populations = Lbm::<T, L, D, Q>::new(grid, params).unwrap();
            let (encoded, own_forces) = drive!(encoded, cells, then);
            let (populations, forces) = drive!(populations, cells, then);
            for cell in encoded.cells() {
                assert_eq!(encoded.is_solid(cell), populations.is_solid(cell));
                let own = encoded.velocity(cell).unwrap();
                let other = populations.velocity().each_ref().map(|u| u[cell]);
                assert_eq!(own, other, "{} {boundary:?} {collision:?} at {cell:?}", L::NAME);
                assert_eq!(encoded.pressure(cell), populations.pressure().get(cell));
            }
            assert_eq!(encoded.report().max_speed, populations.report().max_speed);
            assert!(forces.as_flattened().iter().any(|f| f.magnitude() > T::of(1e-4)));
            assert_eq!(own_forces, forces, "{boundary:?} {collision:?}");
        }
    }
}

#[test]
fn an_impulse_does_to_moments_what_it_does_to_populations() {
    let params = LbmParams { collision: Collision::CentralMoments, ..Default::default() };
    let grid = Grid::new([20, 16], 1.0 / 64.0).unwrap();
    let mut encoded = EncodedD2Q9::<f64>::new(grid, params).unwrap();
    let mut populations = Lbm::<f64, D2Q9, 2, 9>::new(grid, params).unwrap();
    let (at, radius, change) = ([0.15, 0.12], 0.08, [3.0, -2.0]);
    for _ in 0..5 {
        encoded.add_impulse(at, radius, change).unwrap();
        populations.add_impulse(at, radius, change).unwrap();
        encoded.advance(3).unwrap();
        populations.advance(3).unwrap();
    }
    let mut pressure = Field::zeros(grid);
    let mut velocity = [Field::zeros(grid), Field::zeros(grid)];
    encoded.fields_into(&mut pressure, &mut velocity).unwrap();
    assert!(populations.velocity()[0].max_abs() > 1.0);
    for (own, other) in velocity.iter().zip(populations.velocity()) {
        // Some hundred roundings of speeds of some metres a second.
        assert!(own.values().zip(other.values()).all(|(a, b)| (a - b).abs() < 1e-12));
    }
    assert!(encoded.add_impulse(at, 0.0, change).is_err());
    let mut other = Field::zeros(Grid::new([20, 17], 1.0 / 64.0).unwrap());
    assert!(encoded.fields_into(&mut other, &mut velocity).is_err());
}

#[test]
fn moments_meet_solids_as_populations_do() {
    agree_on_solids::<f64, D2Q9, 2, 9>([24, 70]);
    agree_on_solids::<f32, D2Q9, 2, 9>([33, 12]);
    agree_on_solids::<f64, D3Q19, 3, 19>([9, 8, 7]);
    agree_on_solids::<f64, D3Q27, 3, 27>([7, 6, 9]);
}

#[test]
fn moments_are_those_of_the_regularised_populations_bit_for_bit() {
    agree::<f32, D2Q9, 2, 9>([37, 130]);
    agree::<f64, D2Q9, 2, 9>([70, 9]);
    agree::<f32, D3Q19, 3, 19>([9, 7, 6]);
    agree::<f64, D3Q27, 3, 27>([6, 5, 66]);
    agree::<f32, D3Q27, 3, 27>([35, 4, 2]);
}

#[test]
fn one_row_or_one_column_is_enough() {
    agree::<f64, D2Q9, 2, 9>([1, 5]);
    agree::<f64, D2Q9, 2, 9>([5, 1]);
    agree::<f64, D3Q27, 3, 27>([2, 1, 1]);
}

#[test]
fn memory_is_six_values_a_cell_or_ten_and_what_streaming_needs() {
    let params = LbmParams { collision: Collision::Regularised, ..Default::default() };
    let flow = EncodedD2Q9::<f32>::new(Grid::new([512, 512], 0.1).unwrap(), params).unwrap();
    let per_cell = flow.memory() as f64 / (512.0 * 512.0 * 4.0);
    // Two of 64 rows are kept twice, three of 512 as populations (for each of 8 bands where there
    // are threads), and rows have ghosts and padding.
    let rows = 3.0 * 9.0 * if cfg!(feature = "parallel") { 8.0 } else { 1.0 } / 512.0;
    let expected = (6.0 * (1.0 + 2.0 / 64.0) + rows) * 520.0 / 512.0;
    assert!((per_cell - expected).abs() < 0.01, "{per_cell} {expected}");
    let params = LbmParams { collision: Collision::CentralMoments, ..Default::default() };
    let cells = [64, 64, 128];
    let grid = Grid::new(cells, 0.1).unwrap();
    let flow = EncodedLbm::<f64, D3Q27, 3, 27>::new(grid, params).unwrap();
    let per_cell = flow.memory() as f64 / (64.0 * 64.0 * 128.0 * 8.0);
    let planes = 3.0 * 27.0 * if cfg!(feature = "parallel") { 2.0 } else { 1.0 } / 128.0;
    let places = grid.strides()[2] as f64 / (64.0 * 64.0);
    let expected = (10.0 * (1.0 + 2.0 / 64.0) + planes) * places;
    assert!((per_cell - expected).abs() < 0.01, "{per_cell} {expected}");
}

#[test]
fn mass_is_kept_and_rest_stays_rest() {
    let params = LbmParams { collision: Collision::Regularised, ..Default::default() };
    let mut flow =
        EncodedD2Q9::<f64>::new(Grid::new([30, 70], 1.0 / 64.0).unwrap(), params).unwrap();
    flow.advance(50).unwrap();
    assert!(flow.moments.iter().all(|m| m.to_bits() == 0));
    let mut seed = 4;
    flow.set_flow(|_| ([random(&mut seed), random(&mut seed)], 0.0)).unwrap();
    let mass = |flow: &EncodedD2Q9<f64>| {
        flow.cells().map(|cell| flow.moments_at(cell).unwrap().density).sum::<f64>()
    };
    let before = mass(&flow);
    flow.advance(1000).unwrap();
    assert!((mass(&flow) - before).abs() < 2100.0 * 1e-13);
}

#[test]
fn a_snapshot_continues_bit_for_bit() {
    let boundary = Boundary::all(Side::NoSlip)
        .with(0, 0, Side::Inflow { velocity: [0.0; 2] })
        .with(0, 1, Side::Open);
    let params = LbmParams { collision: Collision::Regularised, boundary, ..Default::default() };
    let make = || {
        let mut flow = EncodedD2Q9::<f32>::new(Grid::new([33, 20], 0.02).unwrap(), params).unwrap();
        let ball = Shape::ball(0.07).unwrap();
        flow.bodies_mut().push(Body::new(ball, [0.25, 0.2]).unwrap());
        flow
    };
    let mut flow = make();
    flow.set_inflow(0, 0, |[_, y]| [y, 0.0]).unwrap();
    flow.close_cells(|[i, _]| i == 20);
    flow.force_mut()[1].fill(0.3);
    flow.set_flow(|p| ([p[1], -p[0]], 0.1)).unwrap();
    flow.step(0.0123).unwrap();
    // One that the saved steps have not seen.
    let late = Body::new(Shape::ball(0.05).unwrap(), [0.5, 0.2]).unwrap();
    flow.bodies_mut().push(late.clone());
    let saved = flow.snapshot();
    let mut other = make();
    other.bodies_mut().push(late);
    // Scratch may hold anything.
    other.populations.fill(f32::NAN);
    other.edges.fill(f32::NAN);
    other.restore(&saved).unwrap();
    for flow in [&mut flow, &mut other] {
        for body in flow.bodies_mut() {
            body.clear_wrench();
            body.position[0] += 0.05;
        }
        flow.step(0.0128).unwrap();
        assert_eq!(flow.report.substeps, 13);
    }
    assert_eq!(flow.digest(), other.digest());
    assert_eq!(flow.force_on_closed_cells(), other.force_on_closed_cells());
    for (body, other) in flow.bodies().iter().zip(other.bodies()) {
        assert!(body.force[0] != 0.0);
        assert_eq!((body.force, body.torque), (other.force, other.torque));
    }
    let wrong = EncodedD2Q9::<f32>::new(Grid::new([33, 21], 0.02).unwrap(), params);
    assert!(wrong.unwrap().restore(&saved).is_err());
}

#[test]
fn what_moments_cannot_hold_is_refused_and_what_breaks_is_reported() {
    let grid = Grid::new([16, 16], 1.0).unwrap();
    let new = |params| EncodedD2Q9::<f32>::new(grid, params).map(|_| ());
    let unsuitable = |result| matches!(result, Err(Error::UnsuitableSolver { instead: "Lbm", .. }));
    assert!(unsuitable(new(LbmParams { collision: Collision::Bgk, ..periodic() })));
    assert!(unsuitable(new(LbmParams { collision: Collision::trt(), ..periodic() })));
    let good = LbmParams {
        collision: Collision::Regularised,
        time_step: 1.0,
        kinematic_viscosity: 1e-6,
        ..periodic()
    };
    let boundary = Boundary::all(Side::NoSlip).with(0, 0, Side::Open);
    let open = LbmParams { boundary, outlet: Outlet::Convective, ..good };
    assert!(unsuitable(new(open)));
    let mut flow = EncodedD2Q9::new(grid, good).unwrap();
    assert!(unsuitable(flow.set_params(open)));
    assert_eq!(*flow.params(), good);
    assert!(matches!(flow.step(f32::NAN), Err(Error::InvalidTimeStep { .. })));
    assert!(flow.set_flow(|_| ([f32::NAN; 2], 0.0)).is_err());
    let mut seed = 1;
    flow.set_flow(|_| ([3.0; 2].map(|s: f32| s * random(&mut seed) as f32), 0.0)).unwrap();
    let Err(Error::Unstable { step, place, .. }) = flow.advance(20_000) else {
        panic!("noise beyond the speed of sound lived");
    };
    assert!(step > 0 && place[0] < 16 && place[1] < 16 && place[2] == 0);
}
