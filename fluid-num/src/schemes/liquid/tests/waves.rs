//! Waves, drops and dams have the motion that theory and experiments say.

use core::f64::consts::PI;

use crate::level_set::MarkerParams;
use crate::poisson::Budget;
use crate::solid::Shape;
use crate::{Boundary, Grid, Grid2, LevelSet, Liquid, Liquid2, LiquidParams, Side};

/// The height of the surface in a column.
fn height(surface: &LevelSet<f64, 2>, x: f64, near: f64) -> f64 {
    (0..6).fold(near, |y, _| y - surface.signed_distance([x, y]))
}

#[test]
fn a_tank_sloshes_with_the_period_of_linear_theory() {
    let (cells, dx) = (32, 1.0 / 32.0);
    for depth in [1.0, 0.5, 0.1] {
        let rows = ((depth + 0.25) / dx) as usize;
        let grid = Grid2::new([cells, rows], dx).unwrap();
        let params = LiquidParams::<f64, 2> {
            pressure_budget: Budget::tolerance(1e-6, 100),
            ..Default::default()
        };
        let amplitude = 0.01 * depth;
        let wave = |x: f64| libm::cos(PI * x);
        let pool =
            LevelSet::from_fn(grid, &params.boundary, |[x, y]| y - depth - amplitude * wave(x));
        let mut water = Liquid2::new(pool.unwrap(), params).unwrap();
        let exact = 2.0 * PI / libm::sqrt(9.81 * PI * libm::tanh(PI * depth));
        let dt = 1.0 / 60.0;
        let mode = |water: &Liquid2<f64>| -> f64 {
            let column = |i: usize| {
                let x = (i as f64 + 0.5) * dx;
                2.0 * dx * (height(water.surface(), x, depth) - depth) * wave(x)
            };
            (0..cells).map(column).sum()
        };
        let (mut time, mut before, mut crossings) = (0.0, amplitude, [0.0; 5]);
        let (mut count, mut peak) = (0, 0.0_f64);
        while count < 5 {
            water.step(dt).unwrap();
            time += dt;
            let now = mode(&water);
            if count == 4 {
                peak = peak.max(now.abs());
            }
            if now * before < 0.0 {
                crossings[count] = time - dt * now / (now - before);
                count += 1;
            }
            before = now;
        }
        let period = (crossings[4] - crossings[0]) / 2.0;
        assert!((period / exact - 1.0).abs() < 0.01, "{depth}: {period} against {exact}");
        // Two periods later it is as high as before.
        assert!((peak / amplitude - 1.0).abs() < 0.03, "{depth}: {}", peak / amplitude);
        assert!(water.volume().drift().abs() < 1e-3);
    }
}

#[test]
fn a_drop_falls_freely_and_stays_round() {
    let grid = Grid2::new([64; 2], 1.0).unwrap();
    let fall = 9.81 * 16.0;
    let params = LiquidParams::<f64, 2> { gravity: [0.0, -fall], ..Default::default() };
    let ball = Shape::ball(6.0).unwrap();
    let drop = LevelSet::from_shape(grid, &params.boundary, &ball, [32.0, 48.0]).unwrap();
    let mut water = Liquid2::new(drop, params).unwrap();
    for _ in 0..20 {
        water.step(1.0 / 60.0).unwrap();
    }
    let expected = 48.0 - 0.5 * fall / 9.0;
    let (mut near, mut far, mut center) = (f64::MAX, 0.0_f64, 0.0);
    for n in 0..64 {
        let (sin, cos) = libm::sincos(PI * f64::from(n) / 32.0);
        let at = |r: f64| [32.0 + r * cos, expected + r * sin];
        let radius = (0..8).fold(6.0, |r, _| r - water.surface().signed_distance(at(r)));
        (near, far) = (near.min(radius), far.max(radius));
        center += radius * sin / 32.0;
    }
    let way = 48.0 - (expected + center);
    assert!((way / (0.5 * fall / 9.0) - 1.0).abs() < 0.02, "{way}");
    assert!(far / near < 1.05 && (far + near - 12.0).abs() < 0.1, "{near} {far}");
    assert!(water.volume().drift().abs() < 0.02);
}

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

/// The front of a column of water, twice as high as wide, that has been let go: Martin and Moyce 1952.
#[test]
fn a_dam_breaks_as_in_the_experiment() {
    let (cells, width) = (20, 0.057_15);
    let grid = Grid2::new([10 * cells, 5 * cells / 2], width / cells as f64).unwrap();
    let params = LiquidParams::<f64, 2>::default();
    let column =
        LevelSet::from_fn(grid, &params.boundary, |[x, y]| (x - width).max(y - 2.0 * width));
    let mut water = Liquid2::new(column.unwrap(), params).unwrap();
    // T = t √(2g/a), Z = z/a; without (4.034, 4.944), from which to the next the water would be faster
    // than 2√(2ga), which no column of this height can make it.
    let data = [
        (0.832, 1.217),
        (1.219, 1.474),
        (1.997, 2.292),
        (2.547, 2.995),
        (3.345, 4.134),
        (4.418, 5.881),
        (5.091, 6.980),
        (5.685, 7.945),
        (6.306, 8.966),
    ];
    let unit = libm::sqrt(width / (2.0 * 9.81));
    let front = |water: &Liquid2<f64>| -> f64 {
        let phi = water.surface().field();
        let mut most = 0.0_f64;
        for j in 0..5 * cells / 2 {
            for i in 0..10 * cells - 1 {
                let (here, next) = (phi[[i, j]], phi[[i + 1, j]]);
                if here < 0.0 && next >= 0.0 {
                    most = most.max(i as f64 + 0.5 + here / (here - next));
                }
            }
        }
        most / cells as f64
    };
    let dt = 0.04 * unit;
    // The clock of the experiment ran before the membrane had given the water free: times count from
    // when the front passes its first point.
    while front(&water) < data[0].1 {
        water.step(dt).unwrap();
    }
    let mut time = data[0].0 * unit;
    for (t, z) in data.into_iter().skip(1) {
        while time < t * unit {
            let rest = (t * unit - time).min(dt);
            water.step(rest).unwrap();
            time += rest;
        }
        let ahead = front(&water) / z - 1.0;
        assert!(ahead.abs() < 0.07, "{t}: {ahead}");
    }
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
