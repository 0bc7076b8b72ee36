//! Dam breaks, bowls, standing waves, rivers and run-up against exact solutions.

use fluid_num::schemes::shallow_water::SurfaceWaves;
use fluid_num::{ShallowWaterParams, Simulation};

use super::{GRAVITY, depths, run};
use crate::measure::water::{
    STOKER, dam, planar_bowl, radial_bowl, ritter, river_over_a_bump, run_up, standing,
    standing_wave, stoker,
};

#[test]
fn a_dam_break_on_dry_ground_is_that_of_ritter() {
    let (n, length) = (400, 20.0);
    let dx = length / n as f64;
    for courant in [0.5, 0.25] {
        let [at_dam, l1] = ritter(n, length, courant, |water| {
            // What lies beyond the exact front, in cells that begin there.
            let exact = 2.0 * GRAVITY.sqrt() * water.time();
            let h = depths(water);
            let first = ((0.5 * length + exact) / dx).ceil() as usize;
            let beyond: f64 = h[first..].iter().sum();
            let deepest = h[first..].iter().fold(0.0_f64, |m, h| m.max(*h));
            // At the start, when the front has run over a few cells, a scheme that looks one cell
            // beyond in a sub-step, while waves cross half of one, smears a film over one or two cells
            // more, 0.3 % of a cell's water, whatever depth counts as dry.
            if exact < 20.0 * dx {
                assert!(beyond < 3e-3, "{courant}, {} s: {beyond}", water.time());
            } else {
                let dry = water.params().dry_depth;
                assert!(deepest <= dry, "{courant}, {} s: {deepest}", water.time());
            }
            assert!(h.iter().all(|h| *h >= 0.0));
        });
        assert!(l1 < 0.08, "{l1}");
        assert!((at_dam * 9.0 / 4.0 - 1.0).abs() < 0.02);
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
fn a_bore_without_momentum_advection_runs_as_its_jump_lets_it() {
    // s·[h] = [hu] and s·[u] = g·[h] give s = √(g h_m), where with advection Stoker's bores are faster.
    for ([left, right], [_, _, with]) in STOKER {
        let (n, length) = (1000, 100.0 * f64::sqrt(left));
        let mut water = dam(n, length, [left, right]);
        let params = ShallowWaterParams { momentum_advection: false, ..*water.params() };
        water.set_params(params).unwrap();
        let time = 0.3 * length / with;
        // The first cell from the right that the bore has reached, to a part of a cell.
        let bore = |h: &[f64]| {
            let i = h.iter().rposition(|h| *h > 1.2 * right).unwrap();
            i as f64 + (h[i] - 1.2 * right) / (h[i] - h[i + 1])
        };
        run(&mut water, 0.5 * time, 0.05);
        let (first, start) = (bore(&depths(&water)), water.time());
        run(&mut water, time, 0.05);
        let h = depths(&water);
        let speed = (bore(&h) - first) * length / n as f64 / (water.time() - start);
        // The mean between the dam and the bore: weak ones ripple.
        let ran = bore(&h) - 0.5 * n as f64;
        let [from, to] = [0.3, 0.8].map(|part| (0.5 * n as f64 + part * ran) as usize);
        let between = h[from..to].iter().sum::<f64>() / (to - from) as f64;
        let exact = (GRAVITY * between).sqrt();
        assert!((speed / exact - 1.0).abs() < 0.01, "{left}, {right}: {speed} {exact}");
        assert!(speed < 0.95 * with, "{left}, {right}: {speed} of {with}");
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
    let [discharge, head] = river_over_a_bump();
    assert!(discharge < 0.02 && head < 0.01, "{discharge} {head}");
}

#[test]
fn waves_of_lengths_between_are_as_fast_as_airy_says() {
    let layer = SurfaceWaves { depth: 1.0, levels: 1 };
    for length in [3.0, 10.0] {
        let [speed, _] = standing(length, 1.0, layer, true);
        assert!((speed - 1.0).abs() < 0.03, "length {length} h: {speed}");
    }
}

#[test]
fn a_solitary_wave_runs_up_a_plane_beach_as_synolakis_measured() {
    assert!((run_up(0.025) / 0.0909 - 1.0).abs() < 0.05);
}
