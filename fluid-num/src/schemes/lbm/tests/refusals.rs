//! What is refused, and what is borne although it is extreme.

use super::*;
use crate::schemes::lbm::{Carried, EncodedLbm};
use crate::solid::Shape;

/// The error of a call that must leave everything as it was.
fn refused<T, E: core::fmt::Debug>(
    lbm: &mut Lbm<f32, D2Q9, 2, 9>,
    call: impl FnOnce(&mut Lbm<f32, D2Q9, 2, 9>) -> Result<T, E>,
) -> E {
    let before = lbm.digest();
    let Err(error) = call(lbm) else { panic!("was to be refused") };
    assert_eq!(lbm.digest(), before, "changed, although {error:?}");
    error
}

#[test]
fn flows_and_impulses_look_at_the_force_before_they_use_it() {
    let mut lbm = unit::<f32, D2Q9, 2, 9>([8, 6], periodic());
    let good = lbm.force_mut()[0].clone();
    lbm.force_mut()[0] = Field::zeros(Grid::new([3, 3], 1.0).unwrap());
    let error = refused(&mut lbm, |lbm| lbm.set_flow(|_| ([0.0; 2], 0.0)));
    assert!(matches!(error, Error::GridMismatch { .. }), "{error}");
    let error = refused(&mut lbm, |lbm| lbm.add_impulse([4.0; 2], 2.0, [0.1; 2]));
    assert!(matches!(error, Error::GridMismatch { .. }), "{error}");
    lbm.force_mut()[0] = good.clone();
    lbm.force_mut()[0].fill(f32::NAN);
    refused(&mut lbm, |lbm| lbm.set_flow(|_| ([0.0; 2], 0.0)));
    refused(&mut lbm, |lbm| lbm.add_impulse([4.0; 2], 2.0, [0.1; 2]));
    lbm.force_mut()[0] = good;
    lbm.advance(3).unwrap();
}

#[test]
fn impulses_of_any_size_are_refused_or_capped() {
    let mut lbm = unit::<f32, D2Q9, 2, 9>([8, 6], periodic());
    for change in [1e20, f32::MAX, f32::INFINITY, f32::NAN] {
        refused(&mut lbm, |lbm| lbm.add_impulse([4.0; 2], 2.0, [change, 0.0]));
    }
    refused(&mut lbm, |lbm| lbm.add_impulse([4.0; 2], 0.0, [0.1; 2]));
    // A radius whose square is nothing, at the centre of a cell.
    lbm.add_impulse([4.5, 3.5], 1e-30, [0.1, 0.0]).unwrap();
    lbm.add_impulse([4.5, 3.5], 2.0, [9e5, 0.0]).unwrap();
    let fastest = lbm.advance(1).unwrap().max_speed;
    assert!(fastest > 0.1 && fastest < 0.16, "{fastest}");
}

#[test]
fn a_flow_without_density_and_one_beyond_the_range_of_numbers_are_refused() {
    let params = LbmParams { collision: Collision::Regularised, ..periodic() };
    let mut lbm = unit::<f32, D2Q9, 2, 9>([8, 6], params);
    let params = LbmParams { time_step: 1.0, rest_density: 1.0, ..params };
    let grid = Grid::new([8, 6], 1.0).unwrap();
    let mut encoded = EncodedLbm::<f32, D2Q9, 2, 9>::new(grid, params).unwrap();
    for (speed, pressure) in [(0.0, -0.34), (1e30, 0.0), (0.0, f32::INFINITY), (f32::NAN, 0.0)] {
        let flow = |_| ([speed, 0.0], pressure);
        let errors = [lbm.set_flow(flow).unwrap_err(), encoded.set_flow(flow).unwrap_err()];
        let [own, other] = errors.map(|error| alloc::format!("{error}"));
        assert_eq!(own, other);
        lbm.advance(1).unwrap();
    }
    assert!(lbm.set_flow(|_| ([0.1, 0.0], -0.33)).is_ok());
}

#[test]
fn an_inflow_as_fast_as_sound_is_refused() {
    let boundary = Boundary::all(Side::NoSlip).with(0, 0, Side::Inflow { velocity: [0.1, 0.0] });
    let mut lbm = unit::<f32, D2Q9, 2, 9>([8, 6], LbmParams { boundary, ..periodic() });
    for speed in [0.58, -1.58, f32::INFINITY, f32::NAN] {
        let error = refused(&mut lbm, |lbm| lbm.set_inflow(0, 0, |_| [speed, 0.0]));
        assert!(matches!(error, Error::InvalidParameter { .. }), "{error}");
    }
    lbm.set_inflow(0, 0, |_| [0.2, 0.0]).unwrap();
}

#[test]
fn a_dye_of_another_grid_is_refused() {
    let mut lbm = unit::<f32, D2Q9, 2, 9>([8, 6], periodic());
    lbm.advance(1).unwrap();
    let mut carried = Carried::new(&lbm, 1, crate::advection::Advection::MacCormack).unwrap();
    *carried.dye_mut(0).unwrap() = Field::zeros(Grid::new([3, 3], 1.0).unwrap());
    let error = carried.follow(&lbm, 0.1).unwrap_err();
    assert!(matches!(error, Error::GridMismatch { .. }), "{error}");
}

/// Without viscosity nothing relaxes but the forced parts: u grows by the acceleration each step.
#[test]
fn a_force_on_fluid_without_viscosity_accelerates_it() {
    for collision in Collision::all() {
        let acceleration = [1e-4, -2e-4];
        let params = LbmParams { collision, kinematic_viscosity: 0.0, acceleration, ..periodic() };
        let mut lbm = unit::<f64, D2Q9, 2, 9>([5, 4], params);
        lbm.advance(100).unwrap();
        // The slowest rate of odd parts is 1e-6.
        for a in 0..2 {
            let u = lbm.velocity()[a][[2, 2]];
            assert!((u / (100.0 * acceleration[a]) - 1.0).abs() < 0.006, "{collision:?}: {u}");
        }
    }
}

/// In a duct whose walls all move alike, so does the fluid, corners and edges included.
#[test]
fn walls_that_move_alike_carry_a_plug_of_fluid() {
    fn drift<L: Lattice<3, Q>, const Q: usize>() -> f64 {
        let velocity = [0.05, 0.0, 0.0];
        let mut boundary = Boundary::periodic();
        for axis in [1, 2] {
            boundary.sides[axis] = [Side::Moving { velocity }; 2];
        }
        let mut lbm = unit::<f64, L, 3, Q>([4, 5, 6], LbmParams { boundary, ..periodic() });
        lbm.set_flow(|_| (velocity, 0.0)).unwrap();
        lbm.advance(200).unwrap();
        lbm.velocity()[0].values().map(|u| (u - 0.05).abs()).fold(0.0, f64::max)
    }
    assert!(drift::<D3Q19, 19>() < 1e-14);
    assert!(drift::<D3Q27, 27>() < 1e-14);
}

#[test]
fn a_body_at_a_periodic_side_feels_what_one_in_the_middle_feels() {
    for bounce in [Bounce::HalfWay, Bounce::Interpolated] {
        let [side, middle] = [2.0, 12.0].map(|x| {
            let params = LbmParams { bounce, kinematic_viscosity: 0.1, ..periodic() };
            let mut lbm = unit::<f64, D2Q9, 2, 9>([20, 20], params);
            let plate = Body::new(Shape::cuboid([2.0, 3.0]).unwrap(), [x, 10.0]).unwrap();
            let plate = plate.with_angular_velocity([0.0, 0.0, 0.01]).unwrap();
            lbm.bodies_mut().push(plate.with_velocity([0.01, 0.02]).unwrap());
            lbm.advance(50).unwrap();
            let body = &lbm.bodies()[0];
            [body.force[0], body.force[1], body.torque[2]]
        });
        for (side, middle) in side.iter().zip(middle) {
            assert!((side - middle).abs() < 1e-12, "{bounce:?}: {side} {middle}");
        }
        assert!(side[2] < -1e-4, "{side:?}");
    }
}
