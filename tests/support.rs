//! What several integration tests share.

use fluid_num::level_set::MarkerParams;
use fluid_num::schemes::liquid::VolumeCorrection;
use fluid_num::solid::{Body, Shape};
use fluid_num::{Faces, Field, Grid, LevelSet, Liquid, LiquidParams, Real};

/// A small deterministic random number generator (PCG's multiplier), uniform in [0, 1).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The next number in [lo, hi).
    pub fn within(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// The next whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }
}

/// A velocity with every component random in ±`size`.
pub fn random_faces<T: Real, const D: usize>(
    grid: fluid_num::Grid<T, D>,
    seed: u64,
    size: f64,
) -> Faces<T, D> {
    let mut random = Random::new(seed);
    Faces::from_fn(grid, |_| core::array::from_fn(|_| T::of(random.within(-size, size))))
}

/// A breaking dam with a light ball and a heavy crate, viscous, more so to the left, with surface tension and
/// particles of the surface, between walls that do not pull, its volume held.
///
/// # Panics
/// For less than one cell.
#[must_use]
pub fn dam_with_bodies<const D: usize>(cells: usize) -> Liquid<f32, D> {
    let grid = Grid::new([cells; D], 1.0 / cells as f32).unwrap();
    let params = LiquidParams {
        kinematic_viscosity: 1e-3,
        surface_tension: 1.0,
        separating_walls: true,
        markers: Some(MarkerParams::default()),
        volume_correction: Some(VolumeCorrection::default()),
        ..LiquidParams::default()
    };
    let column = LevelSet::from_fn(grid, &params.boundary, |x: [f32; D]| {
        (x[0] - 0.4).max(x[1] - 0.8).min(x[1] - 0.2)
    });
    let mut water = Liquid::new(column.unwrap(), params).unwrap();
    let thick = Field::from_fn(grid, |x: [f32; D]| if x[0] < 0.3 { 0.01 } else { 0.0 });
    water.set_viscosity(Some(thick)).unwrap();
    let shapes = [Shape::ball(0.1).unwrap(), Shape::cuboid([0.1; D]).unwrap()];
    for (n, shape) in shapes.into_iter().enumerate() {
        let mut place = [0.5; D];
        (place[0], place[1]) = (0.3 + 0.4 * n as f32, 0.35);
        let mass = [1.0, 80.0][n];
        let body = Body::new(shape, place).unwrap().with_mass(mass, [0.01 * mass; 3]).unwrap();
        water.bodies_mut().push(body);
    }
    water
}
