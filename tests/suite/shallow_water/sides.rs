//! Sponges, open sides, wave makers and tides.

use fluid_num::schemes::shallow_water::{Sponge, WaterSide};
use fluid_num::{Real, ShallowWater, ShallowWaterParams, Simulation};

use super::{GRAVITY, depths, run, surfaces, water};
use crate::measure::water::{energy, thrown_back};

#[test]
fn sponges_take_waves_up() {
    for (width, length, most) in [(20, 4.0, 0.01), (20, 8.0, 0.01), (8, 4.0, 0.05), (8, 8.0, 0.05)]
    {
        let back = thrown_back(width, length, false, WaterSide::Wall);
        assert!(back < most, "{width}, {length}: {back}");
    }
    let back = thrown_back(20, 16.0, true, WaterSide::Wall);
    assert!(back < 0.03, "{back}");
}

#[test]
fn open_sides_let_waves_out() {
    let back = thrown_back(0, 6.0, false, WaterSide::Open);
    let wall = thrown_back(0, 6.0, false, WaterSide::Wall);
    assert!(back < 5e-3 && wall > 0.9);
}

/// The state of a square seen in one of its eight symmetries.
fn seen<T: Real>(water: &ShallowWater<T>, symmetry: usize) -> Vec<f64> {
    let n = water.grid().cells()[0];
    let h = depths(water);
    let mut out = Vec::new();
    for y in 0..n {
        for x in 0..n {
            let (mut a, mut b) = (x, y);
            if symmetry & 1 == 1 {
                a = n - 1 - a;
            }
            if symmetry & 2 == 2 {
                b = n - 1 - b;
            }
            if symmetry & 4 == 4 {
                (a, b) = (b, a);
            }
            out.push(h[a + b * n]);
        }
    }
    out
}

#[test]
fn o26_a_sponge_acts_in_its_layer_alone_and_on_all_sides_alike() {
    let n = 128;
    let make = |sponge| {
        let params = ShallowWaterParams { sponge, ..Default::default() };
        let mut water = water::<f64>([n, n], 1.0, params, |_| -1.0);
        let middle = 0.5 * n as f64;
        water
            .set_surface(|[x, y]| {
                0.01 * (-((x - middle).powi(2) + (y - middle).powi(2)) / 4.0).exp()
            })
            .unwrap();
        water
    };
    let mut free = make(None);
    let mut damped = make(Some(Sponge { width: [[16; 2]; 2], ..Default::default() }));
    let start = energy(&damped);
    for step in 0..900 {
        for symmetry in (1..8).filter(|_| step % 60 == 0) {
            assert_eq!(
                seen(&damped, symmetry),
                seen(&damped, 0),
                "symmetry {symmetry}, step {step}"
            );
        }
        let substeps = free.step(0.05).unwrap().substeps;
        assert_eq!((substeps, damped.step(0.05).unwrap().substeps), (1, 1));
        // The pulse is 8 cells wide and moves by 0.16 cells a step.
        if step < 200 && step % 10 == 0 {
            let (a, b) = (depths(&free), depths(&damped));
            let inside = |i: usize| (16..n - 16).contains(&i);
            for i in (0..n * n).filter(|i| inside(i % n) && inside(i / n)) {
                assert!((a[i] - b[i]).abs() < 1e-12, "step {step}: {:e}", a[i] - b[i]);
            }
        }
    }
    let left = energy(&damped) / start;
    assert!(left < 0.01);
}

#[test]
fn sponges_keep_the_level_and_the_current() {
    let sides = [[WaterSide::Open; 2], [WaterSide::Wall; 2]];
    let params = ShallowWaterParams {
        sides,
        current: [0.3, 0.0],
        sponge: Some(Sponge { width: [[8, 8], [0, 0]], ..Default::default() }),
        ..Default::default()
    };
    let mut water = water::<f64>([40, 3], 1.0, params, |_| -1.0);
    water.velocity_mut()[0].set_from_fn(|_| 0.3);
    for _ in 0..10_000 {
        water.step(0.1).unwrap();
    }
    let off = surfaces(&water).iter().fold(0.0_f64, |m, s| m.max(s.abs()));
    let [u, v] = water.velocity().components();
    let slow = u.values().fold(0.0_f64, |m, u| m.max((u - 0.3).abs()));
    assert!(off < 1e-6 && slow < 1e-6 && v.max_abs() < 1e-6);
}

#[test]
fn a_wave_maker_makes_waves_of_its_height_and_lets_others_out() {
    let params = ShallowWaterParams {
        sides: [
            [WaterSide::Waves { amplitude: 0.01, period: 8.0 }, WaterSide::Open],
            [WaterSide::Wall; 2],
        ],
        ..Default::default()
    };
    let mut water = water::<f64>([200, 1], 0.5, params, |_| -1.0);
    run(&mut water, 60.0, 0.1);
    let (mut least, mut most) = (0.0_f64, 0.0_f64);
    while water.time() < 76.0 {
        water.step(0.1).unwrap();
        let s = surfaces(&water)[100];
        (least, most) = (least.min(s), most.max(s));
    }
    assert!((most - 0.01).abs() < 3e-4 && (least + 0.01).abs() < 3e-4);
}

#[test]
fn a_tide_fills_a_harbour() {
    let mut params = ShallowWaterParams {
        sides: [[WaterSide::Surface { level: 0.0 }, WaterSide::Wall], [WaterSide::Wall; 2]],
        manning: 0.06,
        ..Default::default()
    };
    let mut water = water::<f64>([40, 3], 1.0, params, |[x, _]| 0.05 * x - 1.5);
    params.sides[0][0] = WaterSide::Surface { level: 0.4 };
    water.set_params(params).unwrap();
    run(&mut water, 1000.0, 0.5);
    let s = surfaces(&water);
    assert!((0..38).all(|i| (s[i] - 0.4).abs() < 0.02), "{:?}", &s[..40]);
    let balance = water.balance();
    assert!(balance.sides > 0.0);
}

#[test]
fn a_discharge_takes_no_more_than_there_is() {
    let params = ShallowWaterParams {
        sides: [[WaterSide::Wall, WaterSide::Discharge { rate: -0.5 }], [WaterSide::Wall; 2]],
        ..Default::default()
    };
    // Nothing at all from a dry basin: neither water nor speed.
    let mut dry = water::<f64>([20, 4], 0.5, params, |_| -1.0);
    dry.set_depth(|_| 0.0).unwrap();
    for _ in 0..100 {
        assert_eq!(dry.step(0.05).unwrap().max_speed, 0.0);
    }
    assert_eq!((dry.volume(), dry.balance().sides), (0.0, 0.0));
    // A basin that runs empty: at the rate while it is deep, then as over a weir.
    let mut basin = water::<f64>([20, 4], 0.5, params, |_| -1.0);
    let width = 4.0 * 0.5;
    let mut deepest = 1.0_f64;
    for step in 0..4000 {
        let (before, beside) = (basin.balance().sides, basin.depth([19, 0]).unwrap());
        let report = basin.step(0.05).unwrap();
        let rate = (before - basin.balance().sides) / (0.05 * width);
        assert!((0.0..0.5 + 1e-12).contains(&rate), "step {step}: {rate}");
        // Within a step the depth beside the side falls, and comes back.
        let weir = (GRAVITY * beside).sqrt() * beside;
        if step < 20 {
            assert!((rate - 0.5).abs() < 1e-12, "step {step}: {rate} of 0.5");
        } else if beside < 0.2 {
            assert!(rate < 1.2 * weir + 1e-4, "step {step}: {rate}, {weir} at {beside} m");
        }
        // No faster than a dam break lets it be.
        assert!(report.max_speed < 2.0 * (GRAVITY * 1.0).sqrt(), "step {step}: {report:?}");
        deepest = depths(&basin).iter().fold(0.0, |m, h| m.max(*h));
        assert!(depths(&basin).iter().all(|h| *h >= 0.0));
    }
    assert!(deepest < 0.01, "{deepest}");
    let balance = basin.balance();
    assert!((balance.volume - balance.edits - balance.sides).abs() < 1e-12 * balance.edits);
}
