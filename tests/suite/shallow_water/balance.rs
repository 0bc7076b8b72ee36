//! No water is lost or made: rain, springs, edits, spray.

use fluid_num::schemes::shallow_water::{Sponge, WaterSide, WaterSource};
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
