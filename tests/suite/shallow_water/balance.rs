//! No water is lost or made: rain, springs, edits, spray.

use fluid_num::schemes::shallow_water::{Sponge, SprayDrop, SprayParams, WaterSide, WaterSource};
use fluid_num::{Real, ShallowWater, ShallowWaterParams, Simulation};

use super::{depths, hills, water};

/// Everything at once: rain, a spring, a drain, friction, eddies, the turning Earth, a wave maker, an
/// open side, a sponge, a beach and an island.
pub(super) fn everything<T: Real>() -> ShallowWater<T> {
    let params = ShallowWaterParams {
        sides: [
            [WaterSide::Waves { amplitude: T::of(0.05), period: T::of(3.0) }, WaterSide::Wall],
            [WaterSide::Open, WaterSide::Discharge { rate: T::of(0.05) }],
        ],
        rest_level: T::of(0.537),
        manning: T::of(0.03),
        coriolis: T::of(0.1),
        eddy_viscosity: T::of(1e-3),
        rain: T::of(1e-3),
        sponge: Some(Sponge { width: [[0, 6], [5, 0]], ..Default::default() }),
        ..Default::default()
    };
    let mut water = water::<T>([30, 26], 0.05, params, hills);
    let source = |x: f64, y: f64, rate: f64| WaterSource {
        center: [T::of(x), T::of(y)],
        radius: T::of(0.08),
        rate: T::of(rate),
    };
    water.sources_mut().extend([source(0.5, 0.5, 0.01), source(0.9, 0.9, -0.02)]);
    water
}

#[test]
fn water_is_never_lost_or_made_with_everything_switched_on() {
    let mut water = everything::<f64>();
    let before = water.balance().unexplained();
    for step in 0..10_000 {
        if step % 1000 == 500 {
            water.edit_bed(|[x, y], z| z + 0.02 * (40.0 * x * y).sin()).unwrap();
        }
        water.step(0.004).unwrap();
        if step % 500 == 0 {
            let balance = water.balance();
            let drift = (balance.unexplained() - before).abs() / balance.volume;
            assert!(drift < 1e-12, "step {step}: {drift:.1e}");
            assert!(depths(&water).iter().all(|h| *h >= 0.0));
        }
    }
    let b = water.balance();
    for part in [b.rain, b.sources, -b.drains, b.sides.abs(), b.sponge.abs()] {
        assert!(part > 0.0, "{b:?}");
    }
}

#[test]
fn dents_and_edits_keep_the_volume() {
    let mut water =
        water::<f64>([40, 40], 0.1, ShallowWaterParams::default(), |[x, _]| 0.3 * (x - 2.5));
    let volume = water.volume();
    for n in 0..200 {
        let t = f64::from(n);
        let center = [2.0 + 1.5 * (0.3 * t).sin(), 2.0 + 1.5 * (0.7 * t).cos()];
        water.dent(center, 0.3, if n % 3 == 0 { -0.1 } else { 0.2 }).unwrap();
        if n % 50 == 20 {
            water
                .edit_bed(|[x, y], z| {
                    z + 0.3 * (-((x - 1.0).powi(2) + (y - 2.0).powi(2)) * 9.0).exp()
                })
                .unwrap();
        }
        water.step(0.02).unwrap();
        assert!((water.volume() / volume - 1.0).abs() < 1e-12);
        assert!(depths(&water).iter().all(|h| *h >= 0.0));
    }
    assert!(water.report().max_speed > 0.01);
}

#[test]
fn spray_comes_back_with_all_its_water_and_momentum() {
    let sides = [[WaterSide::Periodic; 2]; 2];
    let spray = SprayParams { drag: 0.0, ..Default::default() };
    let params = ShallowWaterParams { sides, spray: Some(spray), ..Default::default() };
    let mut water = water::<f64>([12, 10], 0.5, params, |[x, y]| -1.0 - 0.1 * (x + y).sin());
    let momentum = |water: &ShallowWater<f64>| {
        let h = depths(water);
        let [nx, ny] = water.grid().cells();
        let mut sum = [0.0; 2];
        for j in 0..ny {
            for i in 0..nx {
                let here = h[i + j * nx];
                let left = h[(i + nx - 1) % nx + j * nx];
                let below = h[i + (j + ny - 1) % ny * nx];
                sum[0] += 0.125 * (here + left) * water.velocity()[0][[i, j]];
                sum[1] += 0.125 * (here + below) * water.velocity()[1][[i, j]];
            }
        }
        for drop in water.spray() {
            sum[0] += drop.volume * drop.velocity[0];
            sum[1] += drop.volume * drop.velocity[1];
        }
        sum
    };
    // Drops that fall within one step, on all kinds of cells; the corner ones at the seams.
    let mut expected = momentum(&water);
    let before = water.balance().unexplained();
    for (x, y, u, v) in [(0.1, 0.1, 1.0, -2.0), (5.9, 4.9, 0.3, 0.7), (3.0, 2.0, -4.0, 1.0)] {
        let drop = SprayDrop { position: [x, y, 0.0], velocity: [u, v, -1.0], volume: 2e-3 };
        assert!(water.throw(drop).unwrap());
        expected = [expected[0] + 2e-3 * u, expected[1] + 2e-3 * v];
    }
    let found = momentum(&water);
    assert!((found[0] - expected[0]).abs() < 1e-15 && (found[1] - expected[1]).abs() < 1e-15);
    water.step(1e-11).unwrap();
    assert!(water.spray().is_empty());
    let found = momentum(&water);
    // In so short a time slopes of the surface do 1e-11·g·h·slope.
    for a in 0..2 {
        assert!((found[a] / expected[a] - 1.0).abs() < 1e-9, "{found:?} {expected:?}");
    }
    assert!((water.balance().unexplained() - before).abs() < 1e-12 * water.volume());
}

#[test]
fn breaking_waves_throw_drops_that_fall_back() {
    let spray = SprayParams { radius: 0.02, capacity: 500, ..Default::default() };
    let params = ShallowWaterParams { spray: Some(spray), ..Default::default() };
    let mut water =
        water::<f64>(
            [100, 8],
            0.2,
            params,
            |[x, _]| if x > 12.0 { 0.1 * (x - 12.0) - 1.0 } else { -1.0 },
        );
    water.set_surface(|[x, _]| if x < 4.0 { 1.0 } else { 0.0 }).unwrap();
    let before = water.balance().unexplained();
    let mut most = 0;
    for _ in 0..300 {
        water.step(0.02).unwrap();
        most = most.max(water.spray().len());
        assert!(water.spray().len() <= 500);
        let balance = water.balance();
        assert!((balance.unexplained() - before).abs() < 1e-12 * balance.volume);
        assert!(depths(&water).iter().all(|h| *h >= 0.0));
    }
    assert!(most > 50);
    // Still water throws nothing.
    let mut still = self::water::<f64>([10, 10], 0.2, params, |_| -1.0);
    still.step(0.1).unwrap();
    assert!(still.spray().is_empty());
}
