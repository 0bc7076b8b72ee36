//! No water is lost or made: rain, springs, edits, spray.

use fluid_num::schemes::shallow_water::{Sponge, SprayParams, WaterSide, WaterSource};
use fluid_num::solid::{Body, Shape};
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
    let before = water.balance();
    for step in 0..10_000 {
        if step % 1000 == 500 {
            water.edit_bed(|[x, y], z| z + 0.02 * (40.0 * x * y).sin()).unwrap();
        }
        water.step(0.004).unwrap();
        if step % 500 == 0 {
            let balance = water.balance();
            let drift = (balance.unexplained() - before.unexplained()).abs() / balance.volume;
            assert!(drift < 1e-12, "step {step}: {drift:.1e}");
            let edits = (balance.edits - before.edits).abs() / balance.volume;
            assert!(edits < 1e-12, "step {step}: {edits:.1e}");
            assert!(depths(&water).iter().all(|h| *h >= 0.0));
        }
    }
    let b = water.balance();
    // What is known without the scheme: 1 mm/s on 1.5 m by 1.3 m, 10 l/s, for 40 s.
    for (found, exact) in [(b.rain, 1e-3 * 1.5 * 1.3 * 40.0), (b.sources, 0.01 * 40.0)] {
        assert!((found / exact - 1.0).abs() < 1e-4, "{found} {exact}");
    }
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

/// Ten thousand steps of a scene: the volume changes by what came, and no depth is negative.
fn keeps_its_water(
    mut water: ShallowWater<f64>,
    dt: f64,
    mut live: impl FnMut(&mut ShallowWater<f64>, usize),
) {
    let before = water.balance();
    for step in 0..10_000 {
        live(&mut water, step);
        water.step(dt).unwrap();
        water.advance_bodies(dt).unwrap();
        if step % 500 == 499 {
            let now = water.balance();
            let came = (now.rain + now.sources + now.drains + now.sides + now.sponge)
                - (before.rain + before.sources + before.drains + before.sides + before.sponge);
            let drift = (now.volume + now.spray) - (before.volume + before.spray) - came;
            assert!(drift.abs() < 1e-12 * now.volume, "step {step}: {drift:.1e}");
            assert!(depths(&water).iter().all(|h| *h >= 0.0));
        }
    }
}

#[test]
fn a_pond_a_shore_a_river_and_a_burst_dam_keep_their_water() {
    let open = [[WaterSide::Open; 2], [WaterSide::Wall; 2]];
    let boat = |x: f64, y: f64| {
        let hull = Body::new(Shape::cuboid([0.3, 0.2, 0.15]).unwrap(), [x, y, 0.0]).unwrap();
        hull.with_mass(30.0, [0.6, 1.1, 1.3]).unwrap()
    };
    // An island like a box, and drops.
    let pond = water::<f64>([24, 24], 0.25, ShallowWaterParams::default(), |[x, y]| {
        if (x - 3.0).abs().max((y - 3.0).abs()) < 0.6 { 0.5 } else { -1.0 }
    });
    keeps_its_water(pond, 0.02, |pond, step| {
        let t = step as f64;
        if step % 40 == 0 {
            pond.dent([3.0 + 2.5 * t.sin(), 3.0 + 2.5 * (1.7 * t).cos()], 0.5, 0.1).unwrap();
        }
    });
    // Waves on a beach, with spray and a sponge.
    let spray = SprayParams { breaking: 0.1, radius: 0.02, ..Default::default() };
    let params = ShallowWaterParams {
        sides: [
            [WaterSide::Waves { amplitude: 0.15, period: 3.0 }, WaterSide::Wall],
            [WaterSide::Wall; 2],
        ],
        spray: Some(spray),
        sponge: Some(Sponge { width: [[0, 0], [4, 0]], ..Default::default() }),
        ..Default::default()
    };
    let shore = water::<f64>([32, 16], 0.25, params, |[x, y]| 0.2 * (x - 5.0) + 0.1 * y.sin());
    keeps_its_water(shore, 0.02, |_, _| {});
    // A river past two piers, with two boats.
    let params = ShallowWaterParams {
        sides: [
            [WaterSide::Discharge { rate: 0.4 }, WaterSide::Surface { level: 0.0 }],
            [WaterSide::Wall; 2],
        ],
        manning: 0.03,
        ..Default::default()
    };
    let mut river = water::<f64>([40, 16], 0.25, params, |[x, y]| {
        let pier = |cy: f64| (x - 5.0).abs() < 0.3 && (y - cy).abs() < 0.3;
        if pier(1.2) || pier(2.8) { 1.0 } else { -0.8 - 0.01 * x }
    });
    river.bodies_mut().extend([boat(2.0, 2.0), boat(3.0, 0.8)]);
    keeps_its_water(river, 0.02, |_, _| {});
    // A dam that bursts over hills.
    let params = ShallowWaterParams { sides: open, rest_level: -5.0, ..Default::default() };
    let mut burst = water::<f64>([32, 24], 1.0 / 32.0, params, |p| 0.3 * hills(p));
    burst.set_depth(|[x, _]| if x < 0.3 { 0.5 } else { 0.0 }).unwrap();
    keeps_its_water(burst, 0.004, |_, _| {});
}
