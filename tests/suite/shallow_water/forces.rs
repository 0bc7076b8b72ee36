//! Friction and the turning of the Earth.

use fluid_num::ShallowWaterParams;
use fluid_num::schemes::shallow_water::WaterSide;

use super::{depths, run, water};
use crate::measure::water::energy;

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

#[test]
fn the_turning_of_the_earth_is_stable_in_a_film_beside_deep_water() {
    let n = 12;
    for film in [1e-4, 1e-3, 1e-2, 0.1, 1.0] {
        let params = ShallowWaterParams {
            gravity: 1e-6,
            coriolis: 1.0,
            momentum_advection: false,
            ..Default::default()
        };
        let bed = |[x, y]: [f64; 2]| {
            let shoal = [[3.5, 3.5], [7.5, 3.5], [8.5, 3.5], [5.5, 8.5]];
            let here = shoal.iter().any(|c| (c[0] - x).abs() + (c[1] - y).abs() < 0.1);
            if here { -film } else { -10.0 }
        };
        let mut water = water::<f64>([n, n], 1.0, params, bed);
        for (axis, u) in water.velocity_mut().components_mut().iter_mut().enumerate() {
            u.set_from_fn(|[x, y]| 1e-6 * (1.7 * x - 2.3 * y + axis as f64).sin());
        }
        // Σ h u² + Σ h v² over faces: what the scheme keeps but for its first order in time.
        let energy = |water: &fluid_num::ShallowWater<f64>| {
            let h = depths(water);
            let mut sum = 0.0;
            for j in 1..n {
                for i in 1..n {
                    let here = h[i + j * n];
                    let (left, below) = (h[i - 1 + j * n], h[i + (j - 1) * n]);
                    let [u, v] = [0, 1].map(|axis| water.velocity()[axis][[i, j]]);
                    sum += (here + left) * u * u + (here + below) * v * v;
                }
            }
            sum
        };
        water.step(0.5).unwrap();
        let start = energy(&water);
        for step in 0..10_000 {
            water.step(0.5).unwrap();
            let ratio = energy(&water) / start;
            assert!(ratio < 3.0, "{film}, step {step}: {ratio}");
        }
    }
}
