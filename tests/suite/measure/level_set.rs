//! Shapes that a level set carries through a given flow, kept a distance and held by particles.

use core::f64::consts::PI;

use fluid_num::advection::Interpolation;
use fluid_num::level_set::{
    BandTransport, DistanceOrder, FastIterative, MarkerParams, MarkerParticles,
};
use fluid_num::solid::Shape;
use fluid_num::{Boundary, Error, Faces, Grid, LevelSet, Real};

/// What is done beside carrying.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Care {
    /// Nothing.
    None,
    /// φ is made a distance again when anything has moved by more than so many cells.
    Distance(f32),
    /// The same after five cells, and particles hold the surface, reseeded at every twentieth step.
    Particles,
}

/// The relative change of the measure of a shape after `steps` steps through `flow`, whose strength at
/// each is `strength` of the time from 0 to 1.
fn carried<const D: usize>(
    flow: &Faces<f32, D>,
    (shape, at): (&Shape<f32, D>, [f32; D]),
    (time, steps): (f64, usize),
    care: Care,
    strength: impl Fn(f64) -> f64,
) -> Result<f64, Error> {
    let (grid, walls) = (*flow.grid(), Boundary::walls());
    let mut set = LevelSet::from_shape(grid, &walls, shape, at)?;
    let mut transport = BandTransport::new(grid, walls, Interpolation::Cubic)?;
    let mut solver = FastIterative::new(grid, 5.0, DistanceOrder::Second)?;
    let mut markers = match care {
        Care::Particles => Some(MarkerParticles::new(grid, walls, MarkerParams::default())?),
        _ => None,
    };
    let (before, dt) = (set.measure(), (time / steps as f64) as f32);
    let often = match care {
        Care::None => f32::MAX,
        Care::Distance(cells) => cells,
        Care::Particles => 5.0,
    };
    if care != Care::None {
        solver.reinitialize(&mut set)?;
    }
    if let Some(markers) = &mut markers {
        markers.seed(&set)?;
    }
    let (mut u, mut travelled) = (flow.clone(), 0.0);
    for n in 0..steps {
        let strength = strength((n as f64 + 0.5) / steps as f64) as f32;
        for axis in 0..D {
            let to = u[axis].as_mut_slice();
            to.iter_mut().zip(flow[axis].as_slice()).for_each(|(u, f)| *u = f * strength);
        }
        transport.carry(&u, &mut set, dt)?;
        if let Some(markers) = &mut markers {
            markers.carry(&u, dt)?;
            markers.correct(&mut set)?;
        }
        travelled += u.max_abs() * dt / grid.dx();
        if travelled > often {
            travelled = 0.0;
            solver.reinitialize(&mut set)?;
        }
        if let Some(markers) = &mut markers {
            markers.correct(&mut set)?;
            markers.resize(&set)?;
            if n % 20 == 19 {
                markers.reseed(&set)?;
            }
        }
    }
    Ok(set.measure() / before - 1.0)
}

/// Zalesak's slotted disc after a turn, a cell a step.
///
/// # Errors
/// As the transport.
pub(crate) fn zalesak(n: usize, care: Care) -> Result<f64, Error> {
    let slot = Shape::cuboid([0.025, 0.125])?.moved([0.0, -0.025])?;
    let disc = Shape::difference(Shape::ball(0.15)?, slot)?;
    let grid = Grid::new([n; 2], 1.0 / n as f32)?;
    let turn = 2.0 * core::f32::consts::PI;
    let flow = Faces::from_fn(grid, |[x, y]| [turn * (0.5 - y), turn * (x - 0.5)]);
    let steps = (PI * n as f64) as usize + 1;
    carried(&flow, (&disc, [0.5, 0.75]), (1.0, steps), care, |_| 1.0)
}

/// A disc that the single vortex has wound up and back, T = 8, a cell a step.
///
/// # Errors
/// As the transport.
pub(crate) fn vortex(n: usize, care: Care) -> Result<f64, Error> {
    let dx = 1.0 / n as f64;
    let square = |v: f64| libm::sin(PI * v) * libm::sin(PI * v);
    // At the corners of cells: no divergence.
    let stream = |x: f64, y: f64| square(x) * square(y) / PI;
    let flow = Faces::from_fn(Grid::new([n; 2], dx as f32)?, |p| {
        let [x, y] = p.map(Real::to_f64);
        let along = [
            stream(x, y - 0.5 * dx) - stream(x, y + 0.5 * dx),
            stream(x + 0.5 * dx, y) - stream(x - 0.5 * dx, y),
        ];
        along.map(|v| (v / dx) as f32)
    });
    let disc = Shape::ball(0.15)?;
    carried(&flow, (&disc, [0.5, 0.75]), (8.0, 8 * n), care, |t| libm::cos(PI * t))
}

/// Enright's ball that a flow of the unit cube has deformed and brought back, T = 3, up to two cells a
/// step.
///
/// # Errors
/// As the transport.
pub(crate) fn enright(n: usize, care: Care) -> Result<f64, Error> {
    let flow = Faces::from_fn(Grid::new([n; 3], 1.0 / n as f32)?, |p: [f32; 3]| {
        let [x, y, z] = p.map(|v| {
            let sine = libm::sin(PI * f64::from(v));
            (sine * sine, libm::sin(2.0 * PI * f64::from(v)))
        });
        let along = [2.0 * x.0 * y.1 * z.1, -x.1 * y.0 * z.1, -x.1 * y.1 * z.0];
        along.map(|v| v as f32)
    });
    let ball = Shape::ball(0.15)?;
    carried(&flow, (&ball, [0.35; 3]), (3.0, 3 * n), care, |t| libm::cos(PI * t))
}
