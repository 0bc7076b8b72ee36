//! Drops in space, splashes with particles, waves through periodic sides.

use core::f64::consts::PI;

use crate::level_set::MarkerParams;
use crate::solid::Shape;
use crate::{Boundary, Grid, Grid2, LevelSet, Liquid, Liquid2, LiquidParams, Side};

#[test]
fn a_drop_in_space_falls_freely_along_a_diagonal() {
    let grid = Grid::new([24; 3], 1.0).unwrap();
    let params = LiquidParams::<f64, 3> { gravity: [20.0, -40.0, 30.0], ..Default::default() };
    let ball = Shape::ball(4.0).unwrap();
    let at = [8.0, 16.0, 8.0];
    let drop = LevelSet::from_shape(grid, &params.boundary, &ball, at).unwrap();
    let mut water = Liquid::new(drop, params).unwrap();
    for _ in 0..10 {
        water.step(0.05).unwrap();
    }
    let center: [f64; 3] = [8.0 + 2.5, 16.0 - 5.0, 8.0 + 3.75];
    for a in 0..3 {
        for end in [-1.0, 1.0] {
            let mut pole = center;
            pole[a] += 4.0 * end;
            let off = water.surface().signed_distance(pole);
            assert!(off.abs() < 0.15, "{a} {end}: {off}");
        }
    }
    assert!(water.volume().drift().abs() < 0.02);
}

#[test]
fn a_collapsing_block_keeps_most_of_its_area_and_no_speed_is_wild() {
    let grid = Grid2::new([64; 2], 1.0 / 64.0).unwrap();
    let params = LiquidParams::<f64, 2> {
        markers: Some(MarkerParams::default()),
        reinitialize_after: 5.0,
        ..Default::default()
    };
    let block = |[x, y]: [f64; 2]| (x - 24.0 / 64.0).max(y - 0.5);
    let surface = LevelSet::from_fn(grid, &params.boundary, block).unwrap();
    let mut water = Liquid2::new(surface, params).unwrap();
    let fastest = 3.0 * libm::sqrt(2.0 * 9.81 * 0.5);
    for _ in 0..300 {
        let report = water.step(1.0 / 60.0).unwrap();
        assert!(report.max_speed < fastest);
        assert!(report.pressure.unwrap().iterations <= 7);
    }
    let drift = water.volume().drift();
    assert!(drift.abs() < 0.1, "{drift}");
}

#[test]
fn a_wave_passes_a_periodic_side() {
    let grid = Grid2::new([32, 24], 1.0 / 32.0).unwrap();
    let boundary = Boundary::walls().with(0, 0, Side::Periodic).with(0, 1, Side::Periodic);
    let run = |shift: f64| {
        let params = LiquidParams::<f64, 2> { boundary, ..Default::default() };
        let bump = |[x, y]: [f64; 2]| y - 0.4 - 0.02 * libm::cos(2.0 * PI * (x - shift));
        let surface = LevelSet::from_fn(grid, &boundary, bump).unwrap();
        let mut water = Liquid2::new(surface, params).unwrap();
        for _ in 0..30 {
            water.step(1.0 / 60.0).unwrap();
        }
        water
    };
    let (a, b) = (run(0.5), run(0.0));
    for i in 0..32 {
        for j in 0..24 {
            let (a, b) = (a.surface().field()[[i, j]], b.surface().field()[[(i + 16) % 32, j]]);
            // The residual of the pressure solve is not the same.
            assert!((a - b).abs() < 1e-3, "{i} {j}: {a} {b}");
        }
    }
}
