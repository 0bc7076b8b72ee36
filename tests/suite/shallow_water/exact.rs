//! Dam breaks, bowls, standing waves, rivers and run-up against exact solutions.

use fluid_num::schemes::shallow_water::WaterSide;
use fluid_num::{ShallowWaterParams, Simulation};

use super::{GRAVITY, depths, run, water};
use crate::measure::water::{STOKER, dam, planar_bowl, radial_bowl, run_up, standing_wave, stoker};

#[test]
fn a_dam_break_on_dry_ground_is_that_of_ritter() {
    for (n, cfl) in [(400, 0.5), (400, 0.25)] {
        let length = 20.0;
        let mut water = dam(n, length, [1.0, 0.0]);
        water.set_params(ShallowWaterParams { courant: cfl, ..*water.params() }).unwrap();
        let volume = water.volume();
        let time = 1.2;
        while water.time() < time {
            water.step(0.02).unwrap();
            // The cell in which the front is begins before it.
            let front = |least: f64| {
                let cell = depths(&water).iter().rposition(|h| *h > least).unwrap();
                cell as f64 * length / n as f64 - 0.5 * length
            };
            let exact = 2.0 * GRAVITY.sqrt() * water.time();
            assert!(front(1e-3) <= exact);
            // What is thinner is smeared over a cell or two before it.
            let ahead = (front(water.params().dry_depth) - exact) * n as f64 / length;
            assert!(ahead < 2.0, "{ahead}");
        }
        let h = depths(&water);
        let at_dam = 0.5 * (h[n / 2 - 1] + h[n / 2]);
        let exact = |x: f64| {
            let c = GRAVITY.sqrt();
            let xi = x / water.time();
            if xi < -c {
                1.0
            } else if xi > 2.0 * c {
                0.0
            } else {
                (2.0 * c - xi).powi(2) / (9.0 * GRAVITY)
            }
        };
        let dx = length / n as f64;
        let l1: f64 = h
            .iter()
            .enumerate()
            .map(|(i, h)| (h - exact((i as f64 + 0.5) * dx - 0.5 * length)).abs() * dx)
            .sum();
        assert!(l1 < 0.09, "{l1}");
        assert!((at_dam * 9.0 / 4.0 - 1.0).abs() < 0.02);
        assert!((water.volume() / volume - 1.0).abs() < 1e-12);
        assert!(h.iter().all(|h| *h >= 0.0));
    }
}

#[test]
fn a_dam_break_on_wet_ground_is_that_of_stoker() {
    for case in STOKER {
        for (found, exact) in stoker(case).into_iter().zip(case.1) {
            assert!((found / exact - 1.0).abs() < 0.015, "{:?}: {found} {exact}", case.0);
        }
    }
}

#[test]
fn a_standing_wave_has_its_period_and_second_order() {
    let (coarse, _) = standing_wave(32, 1e-7, false);
    let (fine, period) = standing_wave(64, 1e-7, false);
    let order = (coarse / fine).log2();
    assert!(order > 1.7);
    assert!((period - 1.0).abs() < 0.005);
    assert_eq!(standing_wave(32, 1e-7, true).0, coarse);
    let (_, period) = standing_wave(64, 1e-3, false);
    assert!((period - 1.0).abs() < 0.005);
}

#[test]
fn water_turns_in_a_bowl_as_thacker_found() {
    let [_, _, coarse] = planar_bowl(60);
    let [period, loss, fine] = planar_bowl(120);
    let order = (coarse / fine).log2();
    assert!(period.abs() < 0.01);
    assert!(order >= 1.0);
    // First order at the shore loses 5.1 % in a turn.
    assert!((0.0..0.06).contains(&loss), "{loss}");
}

#[test]
fn water_swings_in_a_bowl_as_thacker_found() {
    let [period, loss] = radial_bowl(200);
    assert!(period.abs() < 0.01, "{period}");
    // First order loses 8 % of the amplitude of this violent swing.
    assert!((0.0..0.1).contains(&loss), "{loss}");
}

#[test]
fn a_river_over_a_bump_carries_the_same_everywhere() {
    let bump = |x: f64| (0.2 - 0.05 * (x - 10.0).powi(2)).max(0.0);
    // Subcritical: q = 4.42 m²/s and 2 m downstream; the bed lies below the rest level.
    let params = ShallowWaterParams {
        rest_level: 2.0,
        sides: [
            [WaterSide::Discharge { rate: 4.42 }, WaterSide::Surface { level: 2.0 }],
            [WaterSide::Wall; 2],
        ],
        ..Default::default()
    };
    let n = 250;
    let mut water = water::<f64>([n, 1], 25.0 / n as f64, params, |[x, _]| bump(x));
    run(&mut water, 200.0, 0.5);
    let h = depths(&water);
    let u = &water.velocity()[0];
    let mut worst = 0.0_f64;
    for i in 1..n {
        let mean = 0.5 * (h[i - 1] + h[i]);
        let q = u[[i, 0]] * mean;
        worst = worst.max((q / 4.42 - 1.0).abs());
    }
    // Bernoulli: q²/(2gh²) + h + z is the same everywhere.
    let head = |x: f64, h: f64| 4.42 * 4.42 / (2.0 * GRAVITY * h * h) + h + bump(x);
    let far = head(25.0, 2.0);
    let error =
        (0..n).map(|i| (head((i as f64 + 0.5) * 0.1, h[i]) - far).abs()).fold(0.0, f64::max);
    assert!(worst < 0.02 && error < 0.01, "{worst} {error}");
}

#[test]
fn a_solitary_wave_runs_up_a_plane_beach_as_synolakis_measured() {
    assert!((run_up(0.025) / 0.0909 - 1.0).abs() < 0.05);
}
