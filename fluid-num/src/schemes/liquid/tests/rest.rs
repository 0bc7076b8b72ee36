//! Water at rest stays at rest, and its pressure is that of its depth.

use crate::poisson::Budget;
use crate::solid::{Body, Shape};
use crate::{Grid, Grid2, LevelSet, Liquid, Liquid2, LiquidParams, Real};

fn exact<T: Real, const D: usize>() -> LiquidParams<T, D> {
    let tolerance = if T::EPSILON.to_f64() < 1e-10 { 1e-10 } else { 1e-5 };
    LiquidParams { pressure_budget: Budget::tolerance(T::of(tolerance), 200), ..Default::default() }
}

#[test]
fn a_surface_at_any_height_between_centres_makes_no_speed() {
    let (cells, dt) = (32, 1.0 / 60.0);
    let dx = 1.0 / 32.0;
    let grid = Grid2::new([cells; 2], dx).unwrap();
    for phi in [-1e-8, -1e-4, -0.01, -0.25, -0.5, -0.99] {
        let level = (15.5 - phi) * dx;
        let params = exact::<f64, 2>();
        let pool = LevelSet::from_fn(grid, &params.boundary, |[_, y]| y - level).unwrap();
        let mut water = Liquid2::new(pool, params).unwrap();
        let report = water.step(dt).unwrap();
        assert!(report.max_speed <= 1e-6 * 9.81 * dt, "{phi}: {}", report.max_speed);
        for j in [0, 7, 14] {
            let depth = level - (f64::from(j as u8) + 0.5) * dx;
            let p = water.pressure()[[11, j]];
            // The bound of the fraction lets the surface seem a hundredth of a cell higher.
            let tolerance = if phi > -0.01 { 0.011 * dx / depth } else { 1e-6 };
            assert!((p / (9810.0 * depth) - 1.0).abs() < tolerance, "{phi}, {j}: {p}");
        }
    }
}

fn rests<T: Real>(slope: f64, viscosity: f64, steps: usize, bound: f64) {
    let grid = Grid2::new([64, 32], T::of(1.0 / 32.0)).unwrap();
    let params = LiquidParams { kinematic_viscosity: T::of(viscosity), ..exact::<T, 2>() };
    let level = T::of(0.51);
    let pool = LevelSet::from_fn(grid, &params.boundary, |[_, y]| y - level).unwrap();
    let mut water = Liquid2::new(pool, params).unwrap();
    if slope > 0.0 {
        let ground = Shape::half_space([T::zero(), T::one()]).unwrap();
        let ground = Body::new(ground, [T::one(), T::of(0.2)]).unwrap();
        let angle = T::of(slope.to_radians());
        water.bodies_mut().push(ground.with_angle(angle).unwrap());
    }
    let fastest = T::of(bound * libm::sqrt(9.81 * 0.51));
    for _ in 0..steps {
        let report = water.step(T::of(1.0 / 60.0)).unwrap();
        assert!(report.max_speed <= fastest, "{slope} {viscosity}: {}", report.max_speed);
    }
    // The ground rises along x.
    for x in [0.1, 1.0] {
        let off = water.surface().signed_distance([T::of(x), level]);
        assert!(off.magnitude() < T::of(0.1 / 32.0));
    }
}

#[test]
fn a_tank_over_sloped_ground_stays_at_rest() {
    rests::<f64>(10.0, 1.0, 600, 1e-6);
    rests::<f32>(10.0, 0.0, 200, 1e-4);
    rests::<f64>(37.0, 0.0, 100, 1e-6);
}

#[test]
fn gravity_in_any_direction_holds_what_hangs_on_any_wall() {
    let grid = Grid::new([12, 10, 14], 0.1).unwrap();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let mut params = exact::<f64, 3>();
            params.gravity = [0.0; 3];
            params.gravity[axis] = sign * 9.81;
            let size = grid.size()[axis];
            let depth = |p: [f64; 3]| if sign < 0.0 { p[axis] } else { size - p[axis] };
            let pool = LevelSet::from_fn(grid, &params.boundary, |p| depth(p) - 0.47).unwrap();
            let mut water = Liquid::new(pool, params).unwrap();
            // Half in the liquid: what is closer above it than a cell would be drawn in.
            let mut place = grid.size().map(|s| 0.4 * s);
            place[axis] = if sign < 0.0 { place[axis] } else { size - place[axis] };
            water.bodies_mut().push(Body::new(Shape::ball(0.23).unwrap(), place).unwrap());
            for _ in 0..5 {
                let report = water.step(0.02).unwrap();
                assert!(report.max_speed < 1e-6, "{axis} {sign}: {}", report.max_speed);
            }
        }
    }
}
