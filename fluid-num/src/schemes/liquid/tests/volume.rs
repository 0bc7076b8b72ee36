//! The volume, its ledger, its correction, and what adds and takes liquid.

use crate::schemes::liquid::{Flow, LiquidSource, VolumeCorrection};
use crate::solid::Shape;
use crate::{Boundary, Grid2, LevelSet, Liquid2, LiquidParams, Side};

fn pool(level: f64, params: LiquidParams<f64, 2>) -> Liquid2<f64> {
    let grid = Grid2::new([48, 48], 1.0 / 48.0).unwrap();
    let surface = LevelSet::from_fn(grid, &params.boundary, |[_, y]| y - level).unwrap();
    Liquid2::new(surface, params).unwrap()
}

#[test]
fn what_is_missing_comes_back() {
    let params = LiquidParams::<f64, 2> {
        volume_correction: Some(VolumeCorrection::default()),
        ..Default::default()
    };
    let grid = Grid2::new([48; 2], 1.0 / 48.0).unwrap();
    let block = |[x, y]: [f64; 2]| (x - 0.4).max(y - 0.6);
    let surface = LevelSet::from_fn(grid, &params.boundary, block).unwrap();
    let mut water = Liquid2::new(surface, params).unwrap();
    for _ in 0..300 {
        water.step(1.0 / 60.0).unwrap();
    }
    let drift = water.volume().drift();
    assert!(drift.abs() < 0.02, "{drift}");
    for _ in 0..300 {
        water.step(1.0 / 60.0).unwrap();
    }
    let drift = water.volume().drift();
    assert!(drift.abs() < 5e-3, "{drift}");
}

#[test]
fn a_correction_makes_no_waves_in_water_at_rest() {
    let params = LiquidParams::<f64, 2> {
        volume_correction: Some(VolumeCorrection::default()),
        ..Default::default()
    };
    let mut water = pool(0.51, params);
    for _ in 0..60 {
        let report = water.step(1.0 / 60.0).unwrap();
        assert!(report.max_speed < 1e-4, "{}", report.max_speed);
    }
}

#[test]
fn a_source_of_a_given_rate_adds_that_much() {
    for rate in [0.05, -0.05] {
        let mut water = pool(0.5, LiquidParams::default());
        let shape = Shape::ball(0.1).unwrap();
        let source = LiquidSource { shape, position: [0.5, 0.25], flow: Flow::Rate(rate) };
        water.sources_mut().push(source);
        for _ in 0..60 {
            water.step(1.0 / 60.0).unwrap();
        }
        let report = water.volume();
        let booked = report.entered - report.left;
        // The first step drives for half of its time.
        assert!((booked - rate * (59.5 / 60.0)).abs() < 1e-6 + rate.abs() / 60.0, "{booked}");
        let change = report.volume - report.initial;
        assert!((change / rate - 1.0).abs() < 0.05, "{change}");
    }
}

#[test]
fn a_tap_fills_and_a_drain_empties() {
    // What splashes finer than the grid is lost at first.
    let volume_correction = Some(VolumeCorrection::default());
    let params = LiquidParams { volume_correction, ..Default::default() };
    let mut water = pool(0.3, params);
    let shape = Shape::cuboid([0.06, 0.05]).unwrap();
    let flow = Flow::Fill { velocity: [0.0, -1.0] };
    water.sources_mut().push(LiquidSource { shape, position: [0.3, 0.8], flow });
    for _ in 0..60 {
        water.step(1.0 / 60.0).unwrap();
    }
    let full = water.volume();
    assert!(full.entered > 0.05 && full.left < 0.01, "{full:?}");
    assert!(full.volume > 0.33 && full.drift().abs() < 0.05, "{full:?}");
    water.sources_mut()[0].flow = Flow::Drain;
    water.sources_mut()[0].position = [0.5, 0.0];
    for _ in 0..60 {
        water.step(1.0 / 60.0).unwrap();
    }
    let less = water.volume();
    assert!(less.volume < full.volume - 0.05 && less.left > 0.05, "{less:?}");
    assert!(less.drift().abs() < 0.1, "{less:?}");
}

#[test]
fn what_is_poured_falls_and_is_booked() {
    let mut water = pool(0.3, LiquidParams::default());
    water.step(1.0 / 60.0).unwrap();
    water.pour(&Shape::ball(0.1).unwrap(), [0.5, 0.6], [0.0, -1.0]).unwrap();
    water.step(1.0 / 60.0).unwrap();
    let report = water.volume();
    assert!((report.entered - 0.0314).abs() < 1e-3, "{report:?}");
    assert!(water.surface().contains([0.5, 0.52]) && !water.surface().contains([0.5, 0.695]));
    assert!(water.pour(&Shape::ball(0.1).unwrap(), [f64::NAN, 0.6], [0.0; 2]).is_err());
}

#[test]
fn what_leaves_through_an_open_side_is_booked() {
    let boundary = Boundary::walls().with(0, 1, Side::Open);
    let mut water = pool(0.4, LiquidParams { boundary, ..Default::default() });
    for _ in 0..40 {
        water.step(1.0 / 60.0).unwrap();
    }
    let report = water.volume();
    assert!(report.left > 0.1, "{report:?}");
    assert!((report.volume + report.left - report.entered - 0.4).abs() < 0.04, "{report:?}");
}
