//! What the surface and the walls do: tension, layers of different viscosity, walls that do not pull.

use alloc::vec::Vec;
use core::f64::consts::PI;

use crate::poisson::Budget;
use crate::solid::Shape;
use crate::{Boundary, Error, Field, Grid, Grid2, LevelSet, Liquid, Liquid2, LiquidParams, Side};

fn drops<const D: usize>() -> LiquidParams<f64, D> {
    LiquidParams {
        gravity: [0.0; D],
        density: 2.0,
        surface_tension: 3.0,
        pressure_budget: Budget::tolerance(1e-6, 100),
        ..Default::default()
    }
}

/// A drop at rest has (D − 1)σ/R more pressure inside, and stays at rest.
fn a_drop_at_rest<const D: usize>(cells: usize, radius: f64) {
    let grid = Grid::new([cells; D], 1.0).unwrap();
    let params = drops::<D>();
    let center = [0.5 * cells as f64 + 0.3; D];
    let ball = Shape::ball(radius).unwrap();
    let drop = LevelSet::from_shape(grid, &params.boundary, &ball, center).unwrap();
    let mut drop = Liquid::new(drop, params).unwrap();
    let waves = libm::sqrt(3.0 / (2.0 * radius));
    let mut fastest = 0.0_f64;
    for _ in 0..60 {
        fastest = fastest.max(drop.step(0.25).unwrap().max_speed);
    }
    let exact = (D - 1) as f64 * 3.0 / radius;
    let inside = drop.pressure().sample(center);
    assert!((inside / exact - 1.0).abs() < 0.02, "{D}: {inside} instead of {exact}");
    // What the curvature of the grid's φ is wrong by moves the liquid, as with every scheme of this kind.
    let bound = if D == 2 { 0.05 } else { 0.3 };
    assert!(fastest < bound * waves, "{D}: {fastest} against {waves}");
    let mut end = center;
    end[0] += radius;
    assert!(drop.surface().signed_distance(end).abs() < 0.1);
    assert!(drop.volume().drift().abs() < 1e-3);
}

#[test]
fn surface_tension_presses_a_drop_together() {
    a_drop_at_rest::<2>(32, 9.0);
    a_drop_at_rest::<3>(24, 7.0);
}

/// Rayleigh 1879: ω² = n(n² − 1) σ/(ρR³) for a cylinder, n = 2.
#[test]
fn a_drop_swings_with_the_period_of_rayleigh() {
    let grid = Grid2::new([40, 40], 1.0).unwrap();
    let (params, radius) = (drops::<2>(), 11.0);
    let shape = |[x, y]: [f64; 2]| {
        let (x, y) = (x - 20.0, y - 20.0);
        let r = libm::sqrt(x * x + y * y);
        r - radius * (1.0 + 0.04 * libm::cos(2.0 * libm::atan2(y, x)))
    };
    let drop = LevelSet::from_fn(grid, &params.boundary, shape).unwrap();
    let mut drop = Liquid2::new(drop, params).unwrap();
    let exact = 2.0 * PI / libm::sqrt(6.0 * 3.0 / (2.0 * radius * radius * radius));
    let wide = |drop: &Liquid2<f64>| {
        let end = |x: f64| (0..4).fold(x, |x, _| x - drop.surface().signed_distance([x, 20.0]));
        end(20.0 + radius) - 20.0 - radius
    };
    let (dt, mut time, mut before, mut crossings) = (0.25, 0.0, wide(&drop), Vec::new());
    while crossings.len() < 3 {
        drop.step(dt).unwrap();
        time += dt;
        let now = wide(&drop);
        if now * before < 0.0 {
            crossings.push(time - dt * now / (now - before));
        }
        before = now;
        assert!(time < 3.0 * exact);
    }
    let period: f64 = crossings[2] - crossings[0];
    assert!((period / exact - 1.0).abs() < 0.04, "{period} instead of {exact}");
}

/// Between a wall at rest and one that moves, two layers slide in proportion to 1/ν.
#[test]
fn layers_of_different_viscosity_share_the_shear() {
    let grid = Grid2::new([8, 16], 0.125).unwrap();
    let mut boundary = Boundary::periodic();
    boundary.sides[1] = [Side::NoSlip, Side::Moving { velocity: [1.0, 0.0] }];
    let params = LiquidParams::<f64, 2> {
        boundary,
        gravity: [0.0; 2],
        diffusion_budget: Budget::tolerance(1e-10, 1000),
        ..Default::default()
    };
    let full = LevelSet::from_fn(grid, &params.boundary, |_| -1.0).unwrap();
    let mut oil = Liquid2::new(full, params).unwrap();
    let nu = |[_, y]: [f64; 2]| if y < 1.0 { 0.1 } else { 0.3 };
    oil.set_viscosity(Some(Field::from_fn(grid, nu))).unwrap();
    for _ in 0..40 {
        oil.step(5.0).unwrap();
    }
    for y in [0.3, 0.7, 0.95, 1.05, 1.4, 1.8_f64] {
        let exact = if y < 1.0 { 0.75 * y } else { 0.75 + 0.25 * (y - 1.0) };
        let [u, v] = oil.velocity().sample([0.5, y]);
        assert!((u - exact).abs() < 0.02 && v.abs() < 1e-9, "{y}: {u} instead of {exact}");
    }
    let row = |j: usize| oil.velocity()[0][[3, j]];
    assert!((row(7) - 0.75 * 0.9375).abs() < 1e-6 && (row(8) - 0.765_625).abs() < 1e-6);
    // Refused, and as before.
    let digest = crate::Simulation::digest(&oil);
    for bad in [-1.0, f64::NAN] {
        let nu = Field::from_fn(grid, |_| bad);
        assert!(matches!(oil.set_viscosity(Some(nu)), Err(Error::InvalidParameter { .. })));
    }
    assert_eq!(crate::Simulation::digest(&oil), digest);
}

/// A layer under the lid of a box, which air cannot reach.
fn hanging(separating_walls: bool) -> Liquid2<f64> {
    let grid = Grid2::new([12, 40], 0.05).unwrap();
    let params = LiquidParams { separating_walls, ..Default::default() };
    let layer = LevelSet::from_fn(grid, &params.boundary, |[_, y]| 1.4 - y).unwrap();
    Liquid2::new(layer, params).unwrap()
}

#[test]
fn what_hangs_under_a_lid_falls_where_walls_do_not_pull() {
    let (mut held, mut loose) = (hanging(false), hanging(true));
    let (dt, steps) = (1.0 / 60.0, 20);
    for n in 1..=steps {
        for water in [&mut held, &mut loose] {
            water.step(dt).unwrap();
        }
        assert!(loose.volume().drift().abs() < 0.015, "{n}: {:?}", loose.volume());
    }
    let time = f64::from(steps) * dt;
    let way = 0.5 * 9.81 * time * time;
    let ends = |water: &Liquid2<f64>, down: f64| {
        let phi = |y: f64| water.surface().signed_distance([0.3, y]);
        [phi(1.4 - down), phi(2.0 - down)]
    };
    for off in ends(&loose, way) {
        assert!(off.abs() < 0.03 * way, "{off} of {way}");
    }
    assert!(ends(&held, 0.0)[0].abs() < 1e-3 && held.velocity().max_abs() < 1e-2);
}

#[test]
fn walls_that_do_not_pull_hold_what_they_carry() {
    let water = |separating_walls: bool| {
        let grid = Grid2::new([16, 16], 0.1).unwrap();
        let params = LiquidParams { separating_walls, ..Default::default() };
        let pool = LevelSet::from_fn(grid, &params.boundary, |[_, y]| y - 0.83).unwrap();
        Liquid2::<f64>::new(pool, params).unwrap()
    };
    let (mut held, mut loose) = (water(false), water(true));
    for _ in 0..60 {
        for water in [&mut held, &mut loose] {
            water.step(1.0 / 60.0).unwrap();
            assert!(water.velocity().max_abs() < 1e-3);
        }
    }
    let p = |water: &Liquid2<f64>| water.pressure().sample([0.8, 0.05]);
    assert!((p(&loose) / p(&held) - 1.0).abs() < 1e-3);
    // A full box has no air to take the liquid's place.
    let grid = Grid2::new([8, 8], 0.1).unwrap();
    let params = LiquidParams { separating_walls: true, ..Default::default() };
    let full = LevelSet::from_fn(grid, &params.boundary, |_| -1.0).unwrap();
    let mut full = Liquid2::<f64>::new(full, params).unwrap();
    for _ in 0..10 {
        full.step(0.1).unwrap();
    }
    assert!(full.velocity().max_abs() < 1e-6 && full.volume().drift() == 0.0);
}
