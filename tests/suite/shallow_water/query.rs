//! Samples and forecasts.

use fluid_num::schemes::shallow_water::WaterSide;
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, ShallowWaterParams, Simulation};

use super::balance::everything;
use super::water;

#[test]
fn samples_are_exact_for_planes_and_the_same_in_batches() {
    let mut water = water::<f64>([20, 16], 0.5, ShallowWaterParams::default(), |[x, y]| {
        0.1 * x - 0.05 * y - 3.0
    });
    water.set_surface(|[x, y]| 0.02 * x + 0.01 * y).unwrap();
    water.velocity_mut()[0].set_from_fn(|[x, y]| x - 2.0 * y);
    water.velocity_mut()[1].set_from_fn(|[x, y]| 0.5 * x + y);
    let positions: Vec<_> =
        (0..50).map(|i| [0.5 + 0.17 * f64::from(i), 0.6 + 0.13 * f64::from(i)]).collect();
    let mut batch = vec![water.sample([0.0; 2]).unwrap(); positions.len()];
    water.sample_all(&positions, &mut batch).unwrap();
    for ([x, y], sample) in positions.iter().copied().zip(&batch) {
        assert_eq!(*sample, water.sample([x, y]).unwrap());
        if x > 9.5 || y > 7.5 {
            continue;
        }
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(sample.surface, 0.02 * x + 0.01 * y);
        close(sample.depth, 3.0 - 0.08 * x + 0.06 * y);
        close(sample.velocity[0], x - 2.0 * y);
        close(sample.velocity[1], 0.5 * x + y);
        let length = (1.0 + 0.02_f64.powi(2) + 0.01_f64.powi(2)).sqrt();
        close(sample.normal[0], -0.02 / length);
        close(sample.normal[1], -0.01 / length);
        close(sample.normal[2], 1.0 / length);
        assert!(sample.wet);
    }
    for bad in [f64::NAN, f64::INFINITY] {
        assert_eq!(
            water.sample([bad, 1.0]),
            Err(Error::NotFinite { name: "position", place: [0; 3] })
        );
    }
    let before = batch.clone();
    let mut bad = positions.clone();
    bad[7][1] = f64::NAN;
    let error = water.sample_all(&bad, &mut batch);
    assert_eq!(error, Err(Error::NotFinite { name: "position", place: [7, 0, 0] }));
    assert!(water.sample_all(&positions[1..], &mut batch).is_err());
    assert_eq!(batch, before);
    // Anywhere: the nearest place inside.
    for far in [1e9, -1e30, f64::MAX] {
        let sample = water.sample([far, far]).unwrap();
        assert!(sample.surface.is_finite() && sample.normal[2] > 0.9);
    }
}

#[test]
fn a_shore_is_level_up_to_the_ground_and_dry_beyond() {
    let water =
        water::<f64>([30, 4], 1.0, ShallowWaterParams::default(), |[x, _]| 0.1 * (x - 15.0));
    for i in 0..300 {
        let x = 0.1 * f64::from(i);
        let sample = water.sample([x, 2.0]).unwrap();
        let bed = 0.1 * (x.clamp(0.5, 29.5) - 15.0);
        if sample.wet {
            assert_eq!(sample.surface, 0.0);
            assert_eq!(sample.normal, [-0.0, -0.0, 1.0]);
            assert!((sample.depth + bed).abs() < 1e-12 && x < 15.0);
        } else {
            assert!((sample.surface - bed).abs() < 1e-12 && sample.depth <= 1e-5);
            assert!(x > 14.9);
        }
    }
}

#[test]
fn samples_wrap_on_periodic_axes() {
    let params = ShallowWaterParams { sides: [[WaterSide::Periodic; 2]; 2], ..Default::default() };
    let k = 2.0 * core::f64::consts::PI / 8.0;
    let mut water = water::<f64>([16, 16], 0.5, params, |_| -1.0);
    water.set_surface(|[x, y]| 0.1 * (k * x).sin() * (k * y).cos()).unwrap();
    water.step(0.1).unwrap();
    for i in 0..64 {
        let p = [0.125 * f64::from(i), 0.3 + 0.0625 * f64::from(i)];
        let here = water.sample(p).unwrap();
        let there = water.sample([p[0] - 16.0, p[1] + 24.0]).unwrap();
        assert!((here.surface - there.surface).abs() < 1e-12);
        assert!((here.velocity[0] - there.velocity[0]).abs() < 1e-12);
    }
}

#[test]
fn a_forecast_is_what_comes_and_changes_nothing() {
    let mut water = everything::<f64>();
    for _ in 0..20 {
        water.step(0.01).unwrap();
    }
    let mut ahead = everything::<f64>();
    let before = water.digest();
    water.forecast(&mut ahead, 0.01, 5).unwrap();
    assert_eq!(water.digest(), before);
    for _ in 0..5 {
        water.step(0.01).unwrap();
    }
    assert_eq!(ahead.digest(), water.digest());
    assert!(water.forecast(&mut ahead, f64::NAN, 1).is_err());
    assert_eq!(ahead.digest(), water.digest());
}

#[test]
fn a_forecast_moves_boats() {
    let make = || {
        let mut water = water::<f64>([40, 30], 0.1, ShallowWaterParams::default(), |_| -1.0);
        let hull = Body::new(Shape::cuboid([0.4, 0.2, 0.2]).unwrap(), [1.5, 1.5, 0.3]).unwrap();
        let boat = hull.with_mass(60.0, [1.0, 3.0, 3.0]).unwrap();
        water.bodies_mut().push(boat.with_velocity([1.0, 0.0, 0.0]).unwrap());
        water
    };
    let (mut water, mut ahead) = (make(), make());
    water.step(0.02).unwrap();
    water.advance_bodies(0.02).unwrap();
    let before = water.digest();
    water.forecast(&mut ahead, 0.02, 40).unwrap();
    assert_eq!(water.digest(), before);
    for _ in 0..40 {
        water.step(0.02).unwrap();
        water.advance_bodies(0.02).unwrap();
    }
    assert_eq!(ahead.digest(), water.digest());
    let [x, _, z] = ahead.bodies()[0].position;
    assert!(x > 1.7 && z < 0.2, "{x} {z}");
}
