//! What needs a look inside: the result never depends on what scratch memory holds.

use super::*;
use crate::advection::Interpolation;
use crate::poisson::{Budget, SolverKind};
use crate::solid::Shape;
use crate::{Boundary, Side};

/// Fills everything that is not state with NaN, ghosts too.
fn poison<T: Real, const D: usize>(fluid: &mut StableFluids<T, D>) {
    let nan = T::of(f64::NAN);
    fluid.scratch.fill(nan);
    fluid.carried.fill(nan);
    fluid.carrier.poison(nan);
    fluid.diffusion.poison(nan);
    fluid.projection.poison(nan);
    let state = fluid.velocity.components_mut().iter_mut().chain(&mut fluid.quantities);
    state.for_each(Field::poison_ghosts);
    if let Some(reflected) = &mut fluid.reflected {
        reflected.fill(nan);
    }
    if let Some(confinement) = &mut fluid.confinement {
        confinement.poison(nan);
    }
}

fn busy<const D: usize>(
    stepping: Stepping,
    solver: SolverKind<f64>,
    advection: Advection,
    boundary: Boundary<f64, D>,
) -> StableFluids<f64, D> {
    let dye = QuantityParams { advection, ..QuantityParams::dye() };
    let params = StableFluidsParams {
        boundary,
        kinematic_viscosity: 1e-3,
        vorticity_confinement: 1.0,
        velocity_advection: advection,
        stepping,
        pressure_solver: solver,
        pressure_budget: Budget::tolerance(1e-5, 60),
        quantities: alloc::vec![
            QuantityParams { diffusivity: 1e-3, advection, ..QuantityParams::smoke() },
            dye,
            dye,
            QuantityParams { decay: 1.0, ..dye },
        ],
        ..Default::default()
    };
    let mut fluid = StableFluids::new(Grid::new([10; D], 0.1).unwrap(), params).unwrap();
    let effect = Effect::Add { quantity: 0, rate: 4.0 };
    fluid.sources_mut().push(Source { center: [0.4; D], radius: 0.2, effect });
    let body = Body::new(Shape::ball(0.2).unwrap(), [0.7; D]).unwrap();
    fluid.bodies_mut().push(body);
    fluid
}

fn scratch_does_not_matter<const D: usize>() {
    let channel = Boundary::all(Side::NoSlip).with(1, 0, Side::Open).with(1, 1, Side::Open);
    for boundary in [Boundary::walls(), Boundary::periodic(), channel] {
        for (stepping, advection) in [
            (Stepping::Projection, Advection::MacCormack),
            (Stepping::Reflection, Advection::default()),
            (Stepping::Projection, Advection::SemiLagrangian(Interpolation::ClampedCubic)),
            (Stepping::Projection, Advection::Scatter),
        ] {
            for solver in SolverKind::general() {
                let mut clean = busy::<D>(stepping, solver, advection, boundary);
                let mut dirty = clean.clone();
                for n in 0..3 {
                    // The body uncovers cells at a side, and is at rest in the last step.
                    if let Some(x) = [0.9, 0.6].get(n) {
                        clean.bodies_mut()[0].position[0] = *x;
                        dirty.bodies_mut()[0].position[0] = *x;
                    }
                    poison(&mut dirty);
                    clean.step(0.05).unwrap();
                    dirty.step(0.05).unwrap();
                    assert_eq!(clean.digest(), dirty.digest(), "{stepping:?} {advection:?}");
                }
            }
        }
    }
}

#[test]
fn scratch_memory_may_hold_anything_in_the_plane() {
    scratch_does_not_matter::<2>();
}

#[test]
fn scratch_memory_may_hold_anything_in_space() {
    scratch_does_not_matter::<3>();
}

#[test]
fn a_watched_step_does_the_same_and_tells_its_parts_in_order() {
    use StepPart::{Advection as Carried, Forces, Preparation, Pressure};
    let half = [Carried, Forces, Pressure];
    for (stepping, halves) in [(Stepping::Projection, 1), (Stepping::Reflection, 2)] {
        let walls = Boundary::walls();
        let make = || busy::<2>(stepping, SolverKind::GaussSeidel, Advection::MacCormack, walls);
        let (mut plain, mut watched) = (make(), make());
        for fluid in [&mut plain, &mut watched] {
            fluid.step(0.01).unwrap();
        }
        plain.step(0.01).unwrap();
        let mut parts = Vec::new();
        watched.step_watched(0.01, &mut |part| parts.push(part)).unwrap();
        assert_eq!(parts, [&[Preparation][..], &half.repeat(halves)].concat());
        assert_eq!(watched.digest(), plain.digest());
    }
}
