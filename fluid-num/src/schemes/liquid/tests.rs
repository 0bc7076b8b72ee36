//! Exact answers: rest, waves, falls, Archimedes, added mass; and what needs a look inside.

mod floating;
mod rest;
mod state;
mod surface;
mod volume;
mod waves;

use super::*;
use crate::Simulation;
use crate::level_set::MarkerParams;
use crate::solid::Shape;

/// Fills everything that is not state with NaN, ghosts too.
fn poison<const D: usize>(liquid: &mut Liquid<f64, D>) {
    liquid.scratch.fill(f64::NAN);
    liquid.carried.fill(f64::NAN);
    liquid.carrier.poison(f64::NAN);
    liquid.pressure.poison(f64::NAN);
    liquid.wet.values_mut().fill(f64::NAN);
    liquid.solid.fill(f64::NAN);
    liquid.velocity.components_mut().iter_mut().for_each(Field::poison_ghosts);
    if let Some(viscosity) = &mut liquid.viscosity {
        viscosity.poison(f64::NAN);
    }
    if let Some(separation) = &mut liquid.separation {
        separation.poison(f64::NAN);
    }
}

fn scratch_does_not_matter<const D: usize>() {
    let grid = Grid::new([16; D], 0.1).unwrap();
    let params = LiquidParams {
        kinematic_viscosity: 1e-3,
        markers: Some(MarkerParams { capacity: 1 << 16, ..Default::default() }),
        volume_correction: Some(VolumeCorrection::default()),
        ..Default::default()
    };
    let pool = |p: [f64; D]| (p[1] - 0.7).min((p[0] - 0.5).max(p[1] - 1.2));
    let surface = LevelSet::from_fn(grid, &params.boundary, pool).unwrap();
    let mut clean = Liquid::new(surface, params).unwrap();
    let ball = Body::new(Shape::ball(0.25).unwrap(), [0.9; D]).unwrap();
    clean.bodies_mut().push(ball.with_mass(40.0, [1.0; 3]).unwrap());
    let tap = Flow::Fill { velocity: [0.0; D] };
    let shape = Shape::ball(0.2).unwrap();
    clean.sources_mut().push(LiquidSource { shape, position: [1.3; D], flow: tap });
    let mut dirty = clean.clone();
    for _ in 0..4 {
        poison(&mut dirty);
        for liquid in [&mut clean, &mut dirty] {
            liquid.step(0.05).unwrap();
            liquid.advance_bodies(0.05).unwrap();
        }
        assert_eq!(clean.digest(), dirty.digest());
    }
}

#[test]
fn scratch_memory_may_hold_anything() {
    scratch_does_not_matter::<2>();
    scratch_does_not_matter::<3>();
}
