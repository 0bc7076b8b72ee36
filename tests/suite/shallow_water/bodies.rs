//! Bodies that float, sink, stand and move in the water.

use fluid_num::solid::{Body, Shape};
use fluid_num::{Real, ShallowWater, ShallowWaterParams};

use super::{GRAVITY, depths, hills, surfaces, water};
use crate::measure::water::{afloat, block, draught};

fn step<T: Real>(water: &mut ShallowWater<T>, dt: f64) {
    water.step(T::of(dt)).unwrap();
    water.advance_bodies(T::of(dt)).unwrap();
}

fn pool<T: Real>(cells: [usize; 2], dx: f64, depth: f64) -> ShallowWater<T> {
    water(cells, dx, ShallowWaterParams::default(), move |_| -depth)
}

const DT: f64 = 1.0 / 60.0;

#[test]
fn o16_a_block_floats_as_deep_as_archimedes_says() {
    for ratio in [0.02, 0.25, 0.5, 0.75] {
        let start = afloat(ratio, 0);
        let (before, displaced_at_rest) = (start.balance().edits, start.displaced_volume());
        let water = afloat(ratio, 1200);
        let [draught, displaced] = draught(&water, ratio);
        assert!(draught.abs() < 0.5, "{ratio}: {draught} cells");
        // It still heaves a little.
        assert!(displaced.abs() < 0.3, "{ratio}: {displaced} cells");
        let body = &water.bodies()[0];
        let (speed, spin) = (body.velocity, body.angular_velocity);
        assert!(speed.iter().chain(&spin).all(|v| v.abs() < 0.1), "{ratio}: {speed:?} {spin:?}");
        let balance = water.balance();
        // No water came or went, so that the level away from the hull is that of the pool before the
        // body came, and what it displaces too much or too little lies on top.
        assert!((balance.edits / before - 1.0).abs() < 1e-12);
        let list = surfaces(&water);
        let far = |n: &usize| (n % 60) < 18 || (n % 60) >= 42;
        let list: Vec<f64> = (0..list.len()).filter(far).map(|n| list[n]).collect();
        let mean = list.iter().sum::<f64>() / list.len() as f64;
        let level = (water.displaced_volume() - displaced_at_rest) / (6.0 * 5.0);
        // A tenth of a cell: the pool still rocks a little.
        assert!((level - mean).abs() < 0.1 * water.grid().dx(), "{level} {mean}");
    }
}

#[test]
fn o16_a_block_as_dense_as_water_hovers_and_a_denser_one_lies_on_the_ground() {
    let dx = 0.1;
    // What weighs as much as the water it displaces stays where it was put.
    for (ratio, lowest) in [(1.0, -1.2), (1.25, -2.0), (20.0, -2.0)] {
        let mut water = pool::<f64>([60, 50], dx, 2.0);
        water.bodies_mut().push(block([3.0, 2.5], [1.6, 0.8, 0.8], -1.2, ratio));
        water.set_surface(|_| 0.0).unwrap();
        for _ in 0..1200 {
            step(&mut water, DT);
        }
        let body = &water.bodies()[0];
        let bottom = body.position[2] - 0.4;
        assert!((bottom - lowest).abs() < 0.5 * dx, "{ratio}: {bottom}");
        assert!(depths(&water).iter().all(|h| *h >= 0.0));
        assert!(body.velocity.iter().all(|v| v.abs() < 1e-2), "{ratio}: {:?}", body.velocity);
    }
}

#[test]
fn o16_the_lift_of_a_body_under_water_is_the_weight_of_the_water_it_displaces() {
    for dx in [0.1, 0.05] {
        for depth in [0.3, 0.8, 1.1] {
            let cells = [4.0 / dx, 3.0 / dx].map(|n| n as usize);
            let mut water = pool::<f64>(cells, dx, 2.0);
            let size = [1.6, 0.8, 0.8];
            let mut body = block([2.0, 1.5], size, -depth - 0.8, 1.0);
            (body.mass, body.inertia) = (0.0, [0.0; 3]);
            water.bodies_mut().push(body);
            water.set_surface(|_| 0.0).unwrap();
            water.step(DT).unwrap();
            let [x, y, z] = water.bodies()[0].force;
            let weight = 1000.0 * GRAVITY * size.iter().product::<f64>();
            assert!((z / weight - 1.0).abs() < 0.02, "{dx} {depth}: {z} of {weight}");
            assert!(x.abs().max(y.abs()) < 0.005 * weight);
        }
    }
}

fn rests<T: Real>() {
    let params = ShallowWaterParams { rest_level: T::of(0.537), ..Default::default() };
    let mut water = water::<T>([40, 36], 0.05, params, hills);
    let turned = |body: Body<T, 3>, angle: f64| body.with_angle(T::of(angle)).unwrap();
    let fixed = |mut body: Body<T, 3>| {
        (body.mass, body.inertia) = (T::zero(), [T::zero(); 3]);
        body
    };
    // Afloat, under water, on the ground, across a side, beyond it, and over dry ground.
    for (center, bottom) in [
        ([0.5, 0.5], 0.45),
        ([1.0, 1.4], 0.1),
        ([1.5, 0.5], -0.5),
        ([0.0, 1.2], 0.4),
        ([9.0, 9.0], 0.4),
        ([1.0, 0.9], 0.9),
    ] {
        let body = block(center, [0.4, 0.22, 0.2], bottom, 0.5);
        water.bodies_mut().push(turned(fixed(body), 0.4));
    }
    water.set_surface(|_| T::of(0.537)).unwrap();
    assert!(water.displaced_volume() > 0.01);
    for _ in 0..1000 {
        let report = water.step(T::of(DT)).unwrap();
        assert_eq!(report.max_speed, T::zero());
    }
}

#[test]
fn bodies_at_rest_leave_a_lake_at_rest() {
    rests::<f32>();
    rests::<f64>();
}

/// Five discs that go in and out for a long time, and then leave; gives how far the mean level went.
fn stirred<T: Real>(cells: usize, steps: usize) -> f64 {
    let mut water = pool::<T>([cells, cells], 6.4 / cells as f64, 0.6);
    let start = water.volume();
    let disc = |n: usize| {
        let at = [1.0 + 0.9 * n as f64, 3.2 + 0.7 * (n % 2) as f64];
        block::<T>(at, [0.5, 0.4, 0.3], 0.2, 1.0)
    };
    let mut list: Vec<_> = (0..5).map(disc).collect();
    list.iter_mut().for_each(|b| (b.mass, b.inertia) = (T::zero(), [T::zero(); 3]));
    let home: Vec<_> = list.iter().map(|b| b.position).collect();
    *water.bodies_mut() = list;
    let mut most = 0.0_f64;
    for step in 0..steps {
        for (n, (body, home)) in water.bodies_mut().iter_mut().zip(&home).enumerate() {
            let phase = 0.05 * step as f64 + n as f64;
            body.position[0] = home[0] + T::of(0.3 * phase.sin());
            body.position[2] = home[2] + T::of(0.5 * (0.7 * phase).cos() - 0.5);
        }
        water.step(T::of(DT)).unwrap();
        most = most.max(water.displaced_volume());
    }
    // At least two of them were under water at once.
    assert!(most > 2.0 * 0.5 * 0.4 * 0.3, "{most}");
    water.bodies_mut().clear();
    for _ in 0..10 {
        water.step(T::of(DT)).unwrap();
    }
    assert_eq!(water.displaced_volume(), 0.0);
    assert!(depths(&water).iter().all(|h| *h >= 0.0));
    let area = 6.4 * 6.4;
    (water.volume() - start) / area
}

#[test]
fn o27_bodies_that_go_in_and_out_do_not_lift_the_level() {
    // Ten minutes on a coarse grid, and a while on the fine one.
    for (cells, steps) in [(16, 36_000), (128, 500)] {
        let drift = stirred::<f64>(cells, steps);
        assert!(drift.abs() < 1e-12, "{cells}: {drift:.1e}");
        let drift = stirred::<f32>(cells, steps);
        assert!(drift.abs() < 1e-5, "{cells}: {drift:.1e}");
    }
}

/// Minutes in a debug build: `cargo test --release -- --ignored o27`.
#[test]
#[ignore = "10 minutes of water on 128² cells: 1 minute in release"]
fn o27_bodies_that_go_in_and_out_for_ten_minutes_do_not_lift_the_level_of_a_fine_grid() {
    let drift = stirred::<f64>(128, 36_000);
    println!("f64: {drift:.1e} m");
    assert!(drift.abs() < 1e-12, "{drift:.1e}");
    let drift = stirred::<f32>(128, 36_000);
    println!("f32: {drift:.1e} m");
    assert!(drift.abs() < 1e-5, "{drift:.1e}");
}

#[test]
fn o27_a_ball_that_moves_under_water_makes_waves() {
    let mut water = pool::<f64>([100, 60], 0.1, 1.0);
    let ball = Body::new(Shape::ball(0.3).unwrap(), [3.0, 3.0, -0.6]).unwrap();
    water.bodies_mut().push(ball.with_velocity([1.0, 0.0, 0.0]).unwrap());
    water.set_surface(|_| 0.0).unwrap();
    for _ in 0..120 {
        step(&mut water, DT);
    }
    let ahead = water.sample([5.6, 3.0]).unwrap();
    assert!(ahead.surface > 1e-3, "{ahead:?}");
    assert!(water.bodies()[0].force == [0.0; 3]);
}

#[test]
fn a_body_that_moves_is_braked_and_takes_the_water_along() {
    let mut water = pool::<f64>([80, 40], 0.1, 1.0);
    let boat = block([2.0, 2.0], [1.2, 0.5, 0.5], -0.25, 0.5);
    let mass = boat.mass;
    water.bodies_mut().push(boat.with_velocity([1.5, 0.0, 0.0]).unwrap());
    water.set_surface(|_| 0.0).unwrap();
    // Until waves reach the walls the sum of both momenta is that of the start.
    let mut brought = 0.0;
    for step in 0..20 {
        self::step(&mut water, DT);
        let lost = mass * (1.5 - water.bodies()[0].velocity[0]);
        brought = momentum(&water);
        // The hull feels the slope of the water around it; the water, the bed that the hull lifts,
        // with the heap before its bow: that is up to 7 % of what it displaces at its speed.
        assert!((brought - lost).abs() < 0.07 * mass * 1.5, "step {step}: {brought} of {lost}");
    }
    let v = water.bodies()[0].velocity[0];
    assert!(v < 1.4 && v > 0.0, "{v}");
    let lost = mass * (1.5 - v);
    assert!((brought / lost - 1.0).abs() < 0.16, "{brought} of {lost}");
}

/// The momentum of the water along x, kg·m/s.
fn momentum(water: &ShallowWater<f64>) -> f64 {
    let (h, [nx, _]) = (depths(water), water.grid().cells());
    let of = |n: usize| h[n] * water.velocity().at_center([n % nx, n / nx])[0];
    1000.0 * water.grid().dx().powi(2) * (0..h.len()).map(of).sum::<f64>()
}

#[test]
fn what_drag_takes_from_a_body_the_water_gets() {
    // The same step with drag and without: what differs is the drag's alone.
    let after = |hull_drag: f64, mass: f64| {
        let params = ShallowWaterParams { hull_drag, ..Default::default() };
        let mut water = water::<f64>([60, 40], 0.1, params, |_| -1.0);
        let mut boat = block([3.0, 2.0], [1.2, 0.5, 0.5], -0.25, 0.5);
        boat.inertia = boat.inertia.map(|i| i * mass / boat.mass);
        boat.mass = mass;
        water.bodies_mut().push(boat.with_velocity([1.5, 0.3, 0.0]).unwrap());
        water.set_surface(|_| 0.0).unwrap();
        step(&mut water, DT);
        (momentum(&water), mass * water.bodies()[0].velocity[0])
    };
    for mass in [1.5, 150.0, 15_000.0] {
        let (without, with) = (after(0.0, mass), after(2.0, mass));
        let (gained, lost) = (with.0 - without.0, without.1 - with.1);
        assert!(lost > 0.1, "{mass} kg: {lost}");
        assert!((gained / lost - 1.0).abs() < 1e-9, "{mass} kg: {gained} of {lost}");
    }
}

#[test]
fn a_river_carries_boats_along_and_round_a_periodic_channel() {
    let walls = fluid_num::schemes::shallow_water::WaterSide::Wall;
    let round = fluid_num::schemes::shallow_water::WaterSide::Periodic;
    let sides = [[round; 2], [walls; 2]];
    let params = ShallowWaterParams { sides, ..Default::default() };
    let mut water = water::<f64>([60, 20], 0.1, params, |_| -1.0);
    water.bodies_mut().push(block([5.5, 1.0], [0.6, 0.4, 0.3], -0.1, 0.3));
    water.set_surface(|_| 0.0).unwrap();
    water.velocity_mut()[0].fill(1.0);
    for _ in 0..480 {
        step(&mut water, DT);
    }
    let body = &water.bodies()[0];
    // 8 s at 1 m/s, once around the 6 m and more; it takes a while to come up to speed.
    assert!(body.position[0] > 11.0 && body.velocity[0] > 0.8, "{body:?}");
    assert!((body.position[1] - 1.0).abs() < 0.1 && body.position[2].abs() < 0.2, "{body:?}");
}

#[test]
fn many_bodies_of_all_weights_and_sizes_stay_finite() {
    let mut water = water::<f32>([60, 60], 0.1, ShallowWaterParams::default(), |p| hills(p) - 0.8);
    for n in 0..30 {
        let at = [0.2 * f64::from(n), 0.1 + 0.19 * f64::from((n * 7) % 30)];
        let ratio = [1e-3, 0.1, 0.6, 1.0, 8.0][n as usize % 5];
        let size = [0.15 + 0.02 * f64::from(n), 0.3, 0.05 + 0.03 * f64::from(n % 7)];
        let body = block::<f32>(at, size, -0.3 + 0.05 * f64::from(n % 9), ratio);
        water.bodies_mut().push(body.with_rotation([1.0, 0.3, 0.5], n as f32).unwrap());
    }
    let before = water.balance();
    for n in 0..600 {
        step(&mut water, DT);
        if n % 100 == 99 {
            water.bodies_mut().remove(0);
        }
    }
    let balance = water.balance();
    assert!((balance.unexplained() - before.unexplained()).abs() / balance.volume < 1e-6);
    assert!((balance.edits - before.edits).abs() / balance.volume < 1e-6, "{balance:?}");
    assert!(depths(&water).iter().all(|h| *h >= 0.0));
    for body in water.bodies() {
        let quick = body.velocity.iter().any(|v| v.abs() > 3.0);
        let [x, y, _] = body.position;
        let inside = (0.0..6.0).contains(&x) && (0.0..6.0).contains(&y);
        assert!(!quick || !inside, "{body:?}");
    }
}
