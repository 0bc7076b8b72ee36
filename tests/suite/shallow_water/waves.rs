//! The layer of waves that disperse, and foam.

use core::ops::Range;

use fluid_num::schemes::shallow_water::{FoamParams, SurfaceWaves, WaterSide};
use fluid_num::{Real, ShallowWater, ShallowWaterParams};

use super::{GRAVITY, depths, hills, surfaces, water};
use crate::measure::water::standing;

#[test]
fn waves_are_as_fast_as_airy_says() {
    let depth = 1.0;
    let waves = SurfaceWaves { depth, levels: 1 };
    for times in [2.0, 5.0, 20.0] {
        for periodic in [false, true] {
            let [speed, height] = standing(times * depth, depth, waves, periodic);
            assert!((speed - 1.0).abs() < 0.03, "length {times} h: {speed}");
            // Upwind flows take a little from the part that counts as long.
            assert!(height > 0.9 && height < 1.01, "length {times} h: {height}");
        }
    }
}

#[test]
fn waves_between_two_depths_of_the_layer_are_as_fast_as_airy_says() {
    for depth in [3.0, 1.4, 1.0] {
        for times in [2.0, 5.0, 20.0] {
            let [speed, _] = standing(times * depth, depth, SurfaceWaves::default(), true);
            // Within 3 %, and what interpolation brings.
            assert!((speed - 1.0).abs() < 0.05, "{depth} m, length {times} h: {speed}");
        }
    }
}

/// A wave that runs against or with a current along a channel without ends, a metre deep, its height
/// a share of its depth: its speed beside the current over Airy's, and what is left of its height
/// after ten of its periods.
fn on_a_current(length: f64, froude: f64, way: f64, height: f64) -> [f64; 2] {
    let n = 48;
    let dx = length / n as f64;
    let k = 2.0 * core::f64::consts::PI / length;
    let params = ShallowWaterParams {
        sides: [[WaterSide::Periodic; 2]; 2],
        waves: Some(SurfaceWaves { depth: 1.0, levels: 1 }),
        ..Default::default()
    };
    let current = froude * GRAVITY.sqrt();
    let mut water = water::<f64>([n, 3], dx, params, |_| -1.0);
    let wave = |x: f64| height * (k * x).cos();
    water.set_surface(|[x, _]| wave(x)).unwrap();
    let runs = way * GRAVITY.sqrt();
    water.velocity_mut()[0].set_from_fn(|[x, _]| current + runs * wave(x));
    let airy = (GRAVITY * k * k.tanh()).sqrt();
    let period = 2.0 * core::f64::consts::PI / airy;
    // The first cosine and sine of the surface.
    let mode = |water: &ShallowWater<f64>| {
        let s = surfaces(water);
        let part = |f: fn(f64) -> f64| {
            let parts = s[..n].iter().enumerate().map(|(i, s)| s * f(k * dx * (i as f64 + 0.5)));
            parts.sum::<f64>()
        };
        [part(f64::cos), part(f64::sin)]
    };
    let first = mode(&water);
    let (mut before, mut turned) = (first, 0.0);
    let steps = 10 * (period * 60.0).ceil() as usize;
    let dt = 10.0 * period / steps as f64;
    for _ in 0..steps {
        water.step(dt).unwrap();
        let now = mode(&water);
        let sine = before[0] * now[1] - before[1] * now[0];
        turned += sine.atan2(before[0] * now[0] + before[1] * now[1]);
        before = now;
    }
    let speed = turned / (k * 10.0 * period);
    let left = before[0].hypot(before[1]) / first[0].hypot(first[1]);
    [way * (speed - current) * k / airy, left]
}

#[test]
fn waves_on_a_current_are_those_of_a_lake_that_moves() {
    for froude in [0.0, 0.5, 1.5] {
        for way in [-1.0, 1.0] {
            let [speed, height] = on_a_current(2.0, froude, way, 1e-4);
            let wave = format!("Froude number {froude}, way {way}");
            assert!((speed - 1.0).abs() < 0.03, "{wave}, two depths: {speed}");
            // The layer fades what is fine a little, and turns all of such a wave.
            assert!(height > 0.98 && height < 1.01, "{wave}, two depths: {height}");
            let [speed, height] = on_a_current(5.0, froude, way, 1e-4);
            assert!((speed - 1.0).abs() < 0.03, "{wave}, five depths: {speed}");
            // 4 % of it count as long, and those the flow carries upwind, of first order.
            assert!(height > 0.8 && height < 1.01, "{wave}, five depths: {height}");
        }
    }
}

#[test]
fn waves_keep_their_height_however_high_they_are() {
    for length in [2.0, 5.0] {
        for height in [1e-3, 0.03] {
            let [speed, left] = on_a_current(length, 0.0, 1.0, height);
            assert!((speed - 1.0).abs() < 0.03, "{height} m, length {length} h: {speed}");
            assert!(left > 0.97 && left < 1.01, "{height} m, length {length} h: {left}");
        }
    }
}

#[test]
fn waves_do_not_disperse_unless_they_are_told_to() {
    assert_eq!(ShallowWaterParams::<f32>::default().waves, None);
    assert_eq!(ShallowWaterParams::<f32>::default().foam, None);
}

#[test]
fn the_layer_of_waves_neither_makes_nor_loses_water() {
    let params = ShallowWaterParams {
        sides: [[WaterSide::Wall, WaterSide::Open], [WaterSide::Periodic; 2]],
        waves: Some(SurfaceWaves { depth: 1.0, levels: 3 }),
        ..Default::default()
    };
    let mut water = water::<f64>([40, 36], 0.05, params, |p| hills(p) - 0.7);
    let before = water.balance().unexplained();
    for step in 0..3000 {
        if step % 40 == 0 {
            let at = [0.3 + 0.01 * f64::from(step % 130), 0.4 + 0.003 * f64::from(step % 370)];
            water.dent(at, 0.15, 0.1).unwrap();
        }
        water.step(1.0 / 60.0).unwrap();
        assert!(depths(&water).iter().all(|h| *h >= 0.0), "step {step}");
    }
    let balance = water.balance();
    let fastest = water.velocity().max_abs();
    // Thin water on steep hills, which are a metre high, is fast; √(2g·1 m) is 4.4 m/s.
    assert!(fastest > 1e-3 && fastest < 9.0, "{fastest}");
    assert!((balance.unexplained() - before).abs() / balance.volume < 1e-12, "{balance:?}");
}

/// The energy of height and of motion over the density.
fn energy(water: &ShallowWater<f64>) -> f64 {
    energy_of(water, 0..water.grid().cells()[0])
}

/// The same of some columns.
fn energy_of(water: &ShallowWater<f64>, columns: Range<usize>) -> f64 {
    let ny = water.grid().cells()[1];
    let u = water.velocity();
    let mut sum = 0.0;
    for (i, j) in (0..ny).flat_map(|j| columns.clone().map(move |i| (i, j))) {
        let [depth, surface] = [water.depth([i, j]), water.surface([i, j])].map(Option::unwrap);
        let bed = surface - depth;
        let sides = [u[0][[i, j]], u[0][[i + 1, j]], u[1][[i, j]], u[1][[i, j + 1]]];
        let speeds = sides.iter().map(|u| u * u).sum::<f64>();
        sum += 0.5 * GRAVITY * (surface * surface - bed * bed) + 0.25 * depth * speeds;
    }
    sum
}

/// The bed of a pond around a box, whose banks are one cell wide, or with a sheer shelf in its place.
fn pond_bed([x, y]: [f64; 2], top: f64, banks: f64) -> f64 {
    let from_middle = (x - 0.5).abs().max((y - 0.5).abs());
    let bank = (1.0 - x.min(y).min(1.0 - x).min(1.0 - y) / 0.08).max(0.0);
    let rough = 0.12 * (15.0 * x + 6.5 * y).sin() * (8.5 * x - 18.0 * y).cos();
    if from_middle < 0.09 { top } else { -0.7 + banks * bank * bank + rough }
}

/// Where drops fall on a pond, shares of its sizes.
fn drop_at(step: usize) -> [f64; 2] {
    let turn = (step / 36) as f64;
    [0.5 + 0.34 * (0.2 + 2.4 * turn).cos(), 0.5 + 0.34 * (2.4 * turn).sin()]
}

/// A pond of 12 m.
fn pond(top: f64, dt: f64, steps: usize) {
    let waves = Some(SurfaceWaves { depth: 0.8, levels: 2 });
    let params = ShallowWaterParams { waves, ..Default::default() };
    let dx = 12.0 / 3456.0_f64.sqrt();
    let [width, height] = [72.0 * dx, 48.0 * dx];
    let mut water =
        water::<f64>([72, 48], dx, params, |[x, y]| pond_bed([x / width, y / height], top, 0.9));
    let rest = energy(&water);
    let volume = water.volume();
    let drops = steps / 5;
    let (mut fastest, mut before) = (0.0_f64, f64::INFINITY);
    for step in 0..steps {
        if step < drops && step % 36 < 3 {
            let [x, y] = drop_at(step);
            water.dent([width * x, height * y], 0.45, 0.05).unwrap();
        }
        fastest = fastest.max(water.step(dt).unwrap().max_speed);
        let now = energy(&water) - rest;
        if step > drops {
            // The kernel computes velocities and depths in turn: half a step apart, the sum of their
            // energies sways by a Courant number of ½ times k·Δx/2 for waves of 2π/k.
            assert!(now < 1.1 * before, "top {top} m, step {step}: {now} after {before}");
        }
        before = if step % 50 == 0 || step <= drops { now } else { before };
    }
    // A drop of 5 cm falls three times: √(2g·15 cm) is 1.7 m/s.
    assert!(fastest > 0.01 && fastest < 1.7, "top {top} m: {fastest} m/s");
    assert!((water.volume() / volume - 1.0).abs() < 1e-12);
}

#[test]
fn drops_beside_steep_banks_make_no_energy() {
    pond(0.4, 1.0 / 60.0, 3000);
    // A shelf 10 cm under water, and steps of any length.
    pond(-0.1, 1.0 / 60.0, 3000);
    pond(0.4, 0.002, 3000);
    pond(0.4, 0.5, 1000);
}

/// Two ponds behind a dry dike: heavy drops fall on one all the time, light ones on the other for a
/// while.
fn calm_pond_beside_a_wild_one(top: f64) {
    let waves = Some(SurfaceWaves { depth: 0.8, levels: 2 });
    let params = ShallowWaterParams { waves, ..Default::default() };
    let dx = 12.0 / 3456.0_f64.sqrt();
    let [width, height] = [72.0 * dx, 48.0 * dx];
    let mut water = water::<f64>([144, 48], dx, params, |[x, y]| {
        pond_bed([(x / width).fract(), y / height], top, 1.6)
    });
    let energy = |water: &ShallowWater<f64>| energy_of(water, 72..144);
    let rest = energy(&water);
    let (steps, drops) = (1500, 300);
    let mut before = f64::INFINITY;
    for step in 0..steps {
        if step % 36 < 3 {
            let [x, y] = drop_at(step);
            water.dent([width * x, height * y], 0.45, 0.08).unwrap();
            if step < drops {
                water.dent([width * (1.0 + x), height * y], 0.45, 0.002).unwrap();
            }
        }
        water.step(1.0 / 60.0).unwrap();
        let now = energy(&water) - rest;
        if step > drops {
            // As in `pond`.
            assert!(now < 1.1 * before, "top {top} m, step {step}: {now} after {before}");
        }
        before = if step % 50 == 0 || step <= drops { now } else { before };
    }
    assert!(before > 0.0);
}

#[test]
fn no_basin_pays_for_the_waves_of_another_one() {
    calm_pond_beside_a_wild_one(0.4);
    calm_pond_beside_a_wild_one(-0.1);
}

#[test]
fn short_waves_leave_through_open_sides() {
    let waves = Some(SurfaceWaves { depth: 1.0, levels: 2 });
    let sides = [[WaterSide::Wall, WaterSide::Open], [WaterSide::Periodic; 2]];
    let params = ShallowWaterParams { waves, sides, ..Default::default() };
    let mut water = water::<f64>([200, 3], 0.1, params, |_| -1.0);
    let rest = energy(&water);
    // Four waves of two depths, which are well resolved and slower by 1.8 than long ones.
    water
        .set_surface(|[x, _]| {
            let far: f64 = (x - 8.0) / 2.5;
            0.01 * (-far * far).exp() * (core::f64::consts::PI * x).cos()
        })
        .unwrap();
    let start = energy(&water) - rest;
    // Both halves run at half of 1.77 m/s: one leaves at once, one by way of the wall.
    for _ in 0..60 * 60 {
        water.step(1.0 / 60.0).unwrap();
    }
    let left = (energy(&water) - rest) / start;
    assert!(left < 0.05, "{left}");
}

fn rests<T: Real>() {
    let params = ShallowWaterParams {
        rest_level: T::of(0.537),
        waves: Some(SurfaceWaves::default()),
        ..Default::default()
    };
    let mut water = water::<T>([40, 36], 0.05, params, hills);
    for _ in 0..100 {
        assert_eq!(water.step(T::of(0.01)).unwrap().max_speed, T::zero());
    }
}

#[test]
fn a_lake_at_rest_stays_at_rest_with_the_layer_of_waves() {
    rests::<f32>();
    rests::<f64>();
}

#[test]
fn foam_comes_where_a_bore_breaks_and_goes_again() {
    let foam = FoamParams::default();
    let params = ShallowWaterParams { foam: Some(foam), ..Default::default() };
    let mut water = water::<f64>([200, 3], 0.1, params, |_| 0.0);
    water.set_depth(|[x, _]| if x < 10.0 { 1.0 } else { 0.3 }).unwrap();
    for _ in 0..60 {
        water.step(1.0 / 60.0).unwrap();
    }
    let list = |water: &ShallowWater<f64>| water.foam().unwrap().values().collect::<Vec<_>>();
    let now = list(&water);
    assert!(now.iter().all(|f| (0.0..=1.0).contains(f)));
    let most = now.iter().copied().fold(0.0, f64::max);
    let at = now.iter().position(|f| *f == most).unwrap() % 200;
    // Stoker's bore runs at 2.96 m/s: 3 m in a second, with the foam behind it.
    assert!(most > 0.3 && (110..131).contains(&at), "{most} at {at}");
    // Still water: e^(−0.4·10) of it is left.
    water.set_surface(|_| 0.5).unwrap();
    water.velocity_mut().fill(0.0);
    for _ in 0..600 {
        water.step(1.0 / 60.0).unwrap();
    }
    let left = list(&water).iter().copied().fold(0.0, f64::max) / most;
    assert!((left / (-4.0_f64).exp() - 1.0).abs() < 0.05, "{left}");
}
