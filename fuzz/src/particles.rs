//! Liquids of particles that are poured, pushed, broken and run.

use fluid_num::particles::{CellStructure, Domain, Emitter, ParticleSet};
use fluid_num::solid::{Body, Shape};
use fluid_num::{
    Error, Pbf, PbfParams, Real, Simulation, StepReport, Stiffness, Wcsph, WcsphParams,
};

use crate::input::{Input, dispatch};

/// A liquid of either scheme and up to eight things that happen to it.
///
/// # Panics
/// Where a property does not hold.
pub fn particles_step(data: &[u8]) {
    dispatch!(data, run);
}

fn run<T: Real, const D: usize>(input: &mut Input<'_>) {
    let mut domain = Domain { lo: [T::zero(); D], hi: [T::one(); D], periodic: [false; D] };
    for a in 0..D {
        domain.hi[a] = input.number(0.3, 1.5);
        domain.periodic[a] = input.chance(60);
    }
    let cells = input.pick(&[
        CellStructure::Sorted,
        CellStructure::Fixed { capacity: 2 },
        CellStructure::Hashed,
    ]);
    if input.flag() {
        let params = WcsphParams {
            spacing: input.number(0.05, 0.1),
            stiffness: Stiffness::SoundSpeed(input.number(1.0, 30.0)),
            exponent: input.within(0, 9) as u32,
            gravity: input.vector(-10.0, 10.0),
            kinematic_viscosity: input.coefficient(),
            artificial_viscosity: input.number(0.0, 0.5),
            xsph: input.number(0.0, 0.5),
            skin: input.number(0.0, 0.5),
            max_substeps: 4,
            cells,
            ..Default::default()
        };
        if let Ok(liquid) = Wcsph::<T, D>::new(domain, params) {
            happen(input, domain, liquid);
        }
    } else {
        let params = PbfParams {
            spacing: input.number(0.05, 0.1),
            gravity: input.vector(-10.0, 10.0),
            longest_substep: input.number(0.001, 0.05),
            max_substeps: 3,
            iterations: input.within(0, 3),
            tolerance: input.coefficient(),
            relaxation: input.number(0.0, 1.0),
            tensile: input.number(0.0, 0.1),
            viscosity: input.coefficient(),
            confinement: input.number(0.0, 1.0),
            cells,
            ..Default::default()
        };
        if let Ok(liquid) = Pbf::<T, D>::new(domain, params) {
            happen(input, domain, liquid);
        }
    }
}

/// Either scheme.
trait Liquid<T: Real, const D: usize>: Simulation<T> {
    fn set(&mut self) -> &mut ParticleSet<T, D>;
    fn emitters(&mut self) -> &mut Vec<Emitter<T, D>>;
    fn bodies(&mut self) -> &mut Vec<Body<T, D>>;
}

macro_rules! liquid {
    ($($scheme:ident),*) => {$(
        impl<T: Real, const D: usize> Liquid<T, D> for $scheme<T, D> {
            fn set(&mut self) -> &mut ParticleSet<T, D> {
                self.particles_mut()
            }
            fn emitters(&mut self) -> &mut Vec<Emitter<T, D>> {
                self.emitters_mut()
            }
            fn bodies(&mut self) -> &mut Vec<Body<T, D>> {
                self.bodies_mut()
            }
        }
    )*};
}
liquid!(Wcsph, Pbf);

fn happen<T: Real, const D: usize>(
    input: &mut Input<'_>,
    domain: Domain<T, D>,
    mut liquid: impl Liquid<T, D>,
) {
    let point = |input: &mut Input<'_>| {
        let at: [T; D] = core::array::from_fn(|a| input.number::<T>(-0.2, 1.2) * domain.size(a));
        at
    };
    for _ in 0..input.within(1, 8) {
        match input.byte() % 12 {
            0 | 1 => {
                let at = point(input);
                let count = input.within(1, 30);
                for k in 0..count {
                    let shift: T = T::of(input.pick(&[0.0, 0.05, 0.07])) * T::of_usize(k);
                    // Refused where a number is wild; then nothing is added.
                    drop(liquid.set().add(at.map(|v| v + shift), input.vector(-3.0, 3.0), 1));
                }
            }
            2 => drop(liquid.set().remove_where(|at, _, _| at[0] > T::of(0.5))),
            3 => {
                let (axis, speed) = (input.within(0, D), input.number(-20.0, 20.0));
                liquid.set().velocities_mut(axis).fill(speed);
            }
            4 => {
                let made = Shape::ball(input.number(0.05, 0.3))
                    .and_then(|ball| Body::new(ball, point(input)))
                    .and_then(|ball| ball.with_mass(input.number(0.1, 50.0), [T::one(); 3]));
                if let Ok(body) = made {
                    liquid.bodies().push(body);
                    liquid.bodies().truncate(2);
                }
            }
            5 => {
                let jet = Emitter::new(
                    point(input),
                    input.vector(-1.0, 1.0),
                    input.number(0.05, 0.15),
                    input.number(0.0, 3.0),
                    input.number(0.05, 0.1),
                );
                if let Ok(mut jet) = jet {
                    jet.limit = Some(40);
                    liquid.emitters().clear();
                    liquid.emitters().push(jet);
                }
            }
            _ => step(&mut liquid, &domain, input.time_step()),
        }
    }
    step(&mut liquid, &domain, T::zero());
    step(&mut liquid, &domain, T::of(1.0 / 60.0));
}

fn step<T: Real, const D: usize>(liquid: &mut impl Liquid<T, D>, domain: &Domain<T, D>, dt: T) {
    let before = liquid.digest();
    match liquid.step(dt) {
        Ok(_) if dt == T::zero() => {
            assert_eq!(liquid.digest(), before, "a step of 0 s changed something");
        }
        Ok(StepReport { time, max_speed, .. }) => {
            let good = time > T::zero() && time <= dt && max_speed.is_finite();
            assert!(good, "a step of {dt} did {time} at up to {max_speed}");
            assert!(liquid.set().check_finite().is_ok(), "not finite after a good step");
            // What has just been poured in may still be outside.
            if liquid.emitters().is_empty() {
                for a in 0..D {
                    let inside = |x: &T| *x >= domain.lo[a] && *x <= domain.hi[a];
                    assert!(liquid.set().positions(a).iter().all(inside), "a particle got out");
                }
            }
        }
        Err(Error::Unstable { .. }) => {
            // The velocity that overflowed is there for all to see; begin anew.
            liquid.set().remove_all();
            liquid.set().apply_removals();
            liquid.bodies().clear();
        }
        Err(_) => assert_eq!(liquid.digest(), before, "an error changed the state"),
    }
}
