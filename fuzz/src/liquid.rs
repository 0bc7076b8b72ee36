//! Liquid that is made, poured, drained, given bodies, broken and run.

use fluid_num::advection::Interpolation;
use fluid_num::level_set::MarkerParams;
use fluid_num::schemes::liquid::{Coupling, Flow, LiquidSource, VolumeCorrection};
use fluid_num::{Error, Field, Grid, LevelSet, Liquid, LiquidParams, Real, Simulation};

use crate::input::{Input, dispatch};
use crate::scene;

/// Liquid of any parameters and up to eight things that happen to it.
///
/// # Panics
/// Where a property does not hold.
pub fn liquid_step(data: &[u8]) {
    dispatch!(data, run);
}

fn params<T: Real, const D: usize>(input: &mut Input<'_>) -> LiquidParams<T, D> {
    let markers = input.chance(40).then(|| MarkerParams {
        per_cell: input.within(0, 9),
        capacity: input.within(0, 400),
        ..Default::default()
    });
    let correction = input
        .chance(100)
        .then(|| VolumeCorrection { rate: input.number(0.0, 9.0), most: input.number(0.0, 1.0) });
    let usual = LiquidParams::default();
    LiquidParams {
        boundary: scene::boundary(input),
        gravity: input.vector(-10.0, 10.0),
        density: input.pick(&[T::of(1000.0), T::one(), T::of(1e-3), T::zero()]),
        kinematic_viscosity: input.coefficient(),
        surface_tension: input.coefficient(),
        separating_walls: input.chance(80),
        coupling: input.pick(&[Coupling::Strong, Coupling::Strong, Coupling::Weak]),
        least_fraction: input.pick(&[T::of(0.01), T::of(1e-4), T::of(0.5)]),
        velocity_advection: scene::advection(input),
        path_order: scene::path_order(input),
        surface_interpolation: input.pick(&[Interpolation::Cubic, Interpolation::Linear]),
        reinitialize_after: input.number(0.0, 4.0),
        markers,
        most_cells: input.number(0.5, 6.0),
        most_substeps: input.within(0, 5),
        volume_correction: correction,
        pressure_solver: match input.chance(60) {
            true => scene::solver_kind(input),
            false => usual.pressure_solver,
        },
        pressure_budget: scene::budget(input),
        diffusion_budget: scene::budget(input),
        ..usual
    }
}

fn run<T: Real, const D: usize>(input: &mut Input<'_>) {
    let grid = input.grid::<T, D>();
    let params = params(input);
    let boundary = params.boundary;
    let scale = grid.dx() * T::of_usize(grid.cells()[1]);
    let (normal, level): ([T; D], T) = (input.vector(-1.0, 1.0), input.number(0.0, 1.0));
    let center = input.point(&grid);
    let Ok(surface) = LevelSet::from_fn(grid, &boundary, |x| {
        (0..D).fold(-level * scale, |sum, a| sum + normal[a] * (x[a] - center[a]))
    }) else {
        return;
    };
    let mut water = match Liquid::new(surface, params) {
        Ok(water) => water,
        Err(error) => return assert!(error.to_string().len() > 20, "{error}"),
    };
    for _ in 0..input.within(1, 9) {
        let before = water.digest();
        let done = match input.byte() % 13 {
            0 => match scene::shape(input, &grid, 1) {
                Some(shape) => water.pour(&shape, input.point(&grid), input.vector(-3.0, 3.0)),
                None => Ok(()),
            },
            1 => {
                add_source(input, &grid, &mut water);
                Ok(())
            }
            2 | 3 => {
                float(input, &grid, &mut water);
                Ok(())
            }
            12 => {
                let (base, slope): (T, T) = (input.coefficient(), input.number(-1.0, 1.0));
                let nu = Field::from_fn(grid, |x: [T; D]| base + slope * x[0]);
                water.set_viscosity(input.chance(200).then_some(nu))
            }
            4 => {
                water.bodies_mut().clear();
                water.sources_mut().clear();
                Ok(())
            }
            5 => {
                let axis = input.within(0, D);
                if axis < D {
                    scene::fill(input, &mut water.velocity_mut()[axis], 3.0);
                }
                Ok(())
            }
            6 => {
                let mut next = self::params(input);
                if !input.chance(20) {
                    (next.boundary, next.markers) = (boundary, water.params().markers);
                }
                water.set_params(next)
            }
            _ => {
                step(&mut water, input.time_step());
                Ok(())
            }
        };
        if let Err(error) = done {
            refused(&water, &error, before);
        }
    }
    step(&mut water, T::zero());
    step(&mut water, T::of(0.02));
    repeat(&water);
}

fn add_source<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
    water: &mut Liquid<T, D>,
) {
    let Some(shape) = scene::shape(input, grid, 1) else { return };
    let flow = match input.byte() % 3 {
        0 => Flow::Fill { velocity: input.vector(-3.0, 3.0) },
        1 => Flow::Drain,
        _ => Flow::Rate(input.number(-1.0, 1.0)),
    };
    water.sources_mut().push(LiquidSource { shape, position: input.point(grid), flow });
}

/// A body near the liquid, of any shape and weight.
fn float<T: Real, const D: usize>(
    input: &mut Input<'_>,
    grid: &Grid<T, D>,
    water: &mut Liquid<T, D>,
) {
    let Some(body) = scene::body(input, grid) else { return };
    let (mass, inertia) = (input.pick(&[0.0, 1e-3, 10.0, 1e5]), input.pick(&[0.0, 1e-4, 10.0]));
    let body = match input.flag() {
        true => body.with_mass(T::of(mass), [T::of(inertia); 3]),
        false => Ok(body),
    };
    water.bodies_mut().extend(body);
}

fn step<T: Real, const D: usize>(water: &mut Liquid<T, D>, dt: T) {
    let before = water.digest();
    match water.step(dt) {
        Ok(report) => {
            if dt == T::zero() {
                assert_eq!(water.digest(), before, "a step of 0 s changed something");
                return;
            }
            assert!(report.substeps <= water.params().most_substeps, "{report:?}");
            assert!(report.max_speed.is_finite(), "{report:?}");
            water.velocity().check_finite("velocity").expect("success means finite");
            water.surface().field().check_finite("surface").expect("success means finite");
            assert!(water.volume().volume >= 0.0, "{:?}", water.volume());
            // What flies out of the range of numbers is gone.
            if water.advance_bodies(dt).is_err() {
                water.bodies_mut().clear();
            }
        }
        Err(Error::Unstable { .. }) => {
            let surface =
                LevelSet::from_fn(*water.surface().grid(), &water.params().boundary, |_| T::one());
            let surface = surface.expect("a number is a level set");
            *water = Liquid::new(surface, water.params().clone())
                .expect("what was accepted is accepted again");
        }
        Err(error) => {
            refused(water, &error, before);
            water.bodies_mut().clear();
            water.sources_mut().clear();
            water.velocity_mut().fill(T::zero());
        }
    }
}

fn refused<T: Real, const D: usize>(water: &Liquid<T, D>, error: &Error, before: u64) {
    scene::assert_refused(error, before, water.digest());
}

/// The same state gives the same bits, copied or from a snapshot.
fn repeat<T: Real, const D: usize>(water: &Liquid<T, D>) {
    let mut own = water.clone();
    let mut restored = Liquid::new(water.surface().clone(), water.params().clone())
        .expect("what was accepted is accepted again");
    restored.bodies_mut().extend(water.bodies().iter().cloned());
    restored.sources_mut().extend(water.sources().iter().cloned());
    let read = restored.restore(&water.snapshot());
    let dt = T::of(0.01);
    let after = [&mut own, &mut restored].map(|w| (w.step(dt).is_ok(), w.digest()));
    assert!(read.is_ok() || !after[0].0, "a good state has no snapshot: {read:?}");
    if read.is_ok() {
        assert_eq!(after[1], after[0]);
    }
}
