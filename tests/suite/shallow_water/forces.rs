//! Friction and the turning of the Earth.

use fluid_num::ShallowWaterParams;
use fluid_num::schemes::shallow_water::WaterSide;

use super::sides::energy;
use super::{depths, run, water};

#[test]
fn a_river_flows_as_manning_says() {
    let (slope, n, depth) = (0.002, 0.03, 1.0);
    let rate = depth * f64::sqrt(slope) / n;
    let params = ShallowWaterParams {
        manning: n,
        rest_level: 10.0,
        sides: [
            [WaterSide::Discharge { rate }, WaterSide::Surface { level: 1.0 }],
            [WaterSide::Wall; 2],
        ],
        ..Default::default()
    };
    let length = 1000.0;
    let mut water = water::<f64>([100, 1], 10.0, params, |[x, _]| slope * (length - x));
    water.set_depth(|_| 1.0).unwrap();
    run(&mut water, 3000.0, 5.0);
    let h = depths(&water);
    assert!((h[50] - depth).abs() < 0.01);
}

#[test]
fn the_turning_of_the_earth_neither_gives_nor_takes_energy() {
    let sides = [[WaterSide::Periodic; 2]; 2];
    let params = ShallowWaterParams {
        sides,
        coriolis: 1.0,
        momentum_advection: false,
        ..Default::default()
    };
    let mut water = water::<f64>([8, 8], 1e4, params, |[x, y]| {
        -1.0 - 0.3 * (x * 2e-4).sin() * (y * 3e-4).cos()
    });
    water.velocity_mut()[0].set_from_fn(|_| 1e-6);
    let before = energy(&water);
    let mut turned = 0.0;
    for step in 0..10_000 {
        water.step(0.01).unwrap();
        if step == 156 {
            turned = water.velocity()[1][[3, 3]];
        }
        if step % 100 == 0 {
            assert!((energy(&water) / before - 1.0).abs() < 0.05, "{}", energy(&water) / before);
        }
    }
    // After a quarter of a turn it flows to the right of where it flowed: −y.
    assert!((turned / 1e-6 + 1.0).abs() < 0.1, "{turned}");
}
