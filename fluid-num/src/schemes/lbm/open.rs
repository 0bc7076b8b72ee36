//! Inflow and open sides.
//!
//! The populations that come in through an open side are not known; n points inwards.
//!
//! ```text
//! ρ(1 − u·n) = Σ_{c·n=0} f + 2Σ_{c·n<0} f − F·n/2      what is known of ρ and u·n
//! inflow     u·n = given − c_s(ρ − ρ̄)                   sound leaves
//! pressure   u·n = ū·n − c_s(ρ − given)                 likewise
//! A = that of the next cell inside, or of what leaves; all populations from ρ, u, A
//! ```
//!
//! ρ̄ and ū follow ρ and u slowly, so that a steady flow has exactly what is given, and waves that
//! cross the domain in less time are not thrown back. At an outlet the velocity along the side is
//! that of the next cell inside. Values hold at the centres of the outermost cells.
//!
//! What is not equilibrium, A, is that of the next cell inside; at an inflow of BGK and TRT, whose other
//! moments remember, it is reflected from what leaves (Zou and He, regularised). Measured: TRT stands a
//! cell's Reynolds number of 10 so, and dies within 300 steps where the next cell's comes in; where
//! it is reflected at outlets too, BGK dies as soon as a vortex leaves faster than 0.35 cells a step. For
//! the collisions that forget, the next cell's stands ten times less viscosity everywhere: central
//! moments carry a street of vortices at a cell's Reynolds number of 1000, where reflection dies within
//! 1000 steps.
//!
//! A convective outlet lets each missing population obey ∂h/∂t + U∂h/∂n = 0 with the local speed U of
//! what leaves, and draws the pressure slowly towards the given one.
//!
//! References: Q. Zou, X. He, *On pressure and velocity boundary conditions for the lattice
//! Boltzmann BGK model*, 1997, <https://doi.org/10.1063/1.869307>; Z. Guo, C. Zheng, B. Shi,
//! *Non-equilibrium extrapolation method for velocity and pressure boundary conditions*, 2002,
//! <https://doi.org/10.1088/1009-1963/11/4/310>; Z. Yang, *Lattice Boltzmann outflow treatments:
//! convective conditions and others*, 2013, <https://doi.org/10.1016/j.camwa.2012.11.012>.

use alloc::vec;
use alloc::vec::Vec;

use super::expansion::{Moments, Tensor};
use super::lattice::{Lattice, opposite};
use super::params::Outlet;
use crate::base::exec::Region;
use crate::base::{ring::Ring, snapshot::Snapshot};
use crate::{Error, Grid, Real};

/// c_s.
const SOUND_SPEED: f64 = 0.577_350_269_189_625_8;

/// How much of what the pressure at a convective outlet is off comes back in a step.
const ANCHOR: f64 = 0.05;

/// What is given at an opening, in lattice units.
#[derive(Debug, Clone)]
enum Given<T, const D: usize> {
    /// The velocity of each cell.
    Velocity(Vec<[T; D]>),
    /// δρ.
    Density(T),
    /// δρ in the long run; and the populations of before the collision.
    Nothing(T, Vec<T>),
}

/// One open side.
#[derive(Debug, Clone)]
pub(super) struct Opening<T, const D: usize> {
    pub(super) axis: usize,
    pub(super) end: usize,
    region: Region<D>,
    given: Given<T, D>,
    /// Of each cell, the slow part of what is not given: δρ, or the normal velocity.
    mean: Vec<T>,
    /// How much of a difference the slow part takes over in a step.
    pace: T,
    /// Whether there is another cell behind those of the side.
    deep: bool,
}

impl<T: Real, const D: usize> Opening<T, D> {
    fn new(grid: &Grid<T, D>, axis: usize, end: usize) -> Self {
        let mut region = grid.interior();
        let at = if end == 0 { 1 } else { grid.cells()[axis] };
        (region.lo[axis], region.hi[axis]) = (at, at + 1);
        let given = Given::Density(T::zero());
        let mean = vec![T::zero(); region.count()];
        // Sound has to cross the domain a few times before it is taken for a change of the flow.
        let pace = T::one() / T::of_usize(3 * (grid.cells()[axis] + 8));
        Self { axis, end, region, given, mean, pace, deep: grid.cells()[axis] > 1 }
    }

    /// Fluid of this velocity comes in.
    pub(super) fn inflow(grid: &Grid<T, D>, axis: usize, end: usize, velocity: [T; D]) -> Self {
        let mut opening = Self::new(grid, axis, end);
        opening.given = Given::Velocity(vec![velocity; opening.region.count()]);
        opening
    }

    /// Fluid comes and goes.
    pub(super) fn outlet<const Q: usize>(
        grid: &Grid<T, D>,
        axis: usize,
        end: usize,
        outlet: Outlet,
        density: T,
    ) -> Self {
        let mut opening = Self::new(grid, axis, end);
        opening.given = match outlet {
            Outlet::Pressure => Given::Density(density),
            Outlet::Convective => {
                Given::Nothing(density, vec![T::zero(); opening.region.count() * Q])
            }
        };
        opening
    }

    /// Sets the velocity of each cell; nothing where another thing is given.
    pub(super) fn set_velocity(
        &mut self,
        grid: &Grid<T, D>,
        mut velocity: impl FnMut([T; D]) -> [T; D],
    ) {
        let places = self.region.places();
        if let Given::Velocity(list) = &mut self.given {
            for (own, i) in list.iter_mut().zip(places) {
                *own = velocity(grid.center(grid.cell_at(i)));
            }
        }
    }

    /// Takes a flow for what has been there for long: `at` gives δρ and the velocity at a place.
    pub(super) fn settle(&mut self, at: impl Fn(usize) -> (T, [T; D])) {
        let inward = if self.end == 0 { T::one() } else { -T::one() };
        for (mean, i) in self.mean.iter_mut().zip(self.region.places()) {
            let (density, u) = at(i);
            *mean = match self.given {
                Given::Velocity(_) => density,
                _ => inward * u[self.axis],
            };
        }
    }

    /// Remembers what will be needed after streaming.
    pub(super) fn remember<const Q: usize>(&mut self, populations: &[Ring<T>; Q]) {
        if let Given::Nothing(_, list) = &mut self.given {
            for (own, i) in list.chunks_exact_mut(Q).zip(self.region.places()) {
                for (own, ring) in own.iter_mut().zip(populations) {
                    *own = ring.get(i);
                }
            }
        }
    }

    /// What the next steps depend on beside the populations.
    pub(super) fn mean(&self) -> &[T] {
        &self.mean
    }

    /// Adds to a snapshot what openings hold.
    pub(super) fn snapshot_all(openings: &[Self], snapshot: Snapshot<T>) -> Snapshot<T> {
        snapshot
            .with_values("inflow", openings.iter().flat_map(Self::inflow_values).copied())
            .with_values("openings", openings.iter().flat_map(Self::mean).copied())
    }

    /// These openings as they were when a snapshot was taken.
    pub(super) fn restored_all(
        openings: &[Self],
        snapshot: &Snapshot<T>,
    ) -> Result<Vec<Self>, Error> {
        let count = |of: fn(&Self) -> &[T]| openings.iter().map(|o| of(o).len()).sum();
        let mut inflow = snapshot.values_exactly("inflow", count(Self::inflow_values))?.iter();
        let mut means = snapshot.values_exactly("openings", count(Self::mean))?.iter();
        let mut openings = openings.to_vec();
        for opening in &mut openings {
            opening.mean.iter_mut().zip(&mut means).for_each(|(own, value)| *own = *value);
            if let Given::Velocity(list) = &mut opening.given {
                let own = list.as_flattened_mut().iter_mut();
                own.zip(&mut inflow).for_each(|(own, value)| *own = *value);
            }
        }
        Ok(openings)
    }

    /// The velocities of the cells, one after the other; none where another thing is given.
    fn inflow_values(&self) -> &[T] {
        match &self.given {
            Given::Velocity(list) => list.as_flattened(),
            _ => &[],
        }
    }

    /// Makes the populations of the side's cells anew. `force` gives the force at a place, `make`
    /// the populations for δρ, u, a force, and the deviation of the second moment, which is reflected
    /// from what leaves or that of the next cell inside.
    pub(super) fn apply<L: Lattice<D, Q>, const Q: usize>(
        &mut self,
        populations: &mut [Ring<T>; Q],
        reflect: bool,
        solid: impl Fn(usize) -> bool,
        force: impl Fn(usize) -> [T; D],
        make: impl Fn(T, [T; D], [T; D], &[[T; D]; D]) -> [T; Q],
    ) {
        let inward = if self.end == 0 { 1 } else { -1 };
        let stride = self.region.strides[self.axis] as isize * isize::from(inward);
        let comes_in = |k: usize| L::VELOCITIES[k][self.axis] * inward;
        for (number, i) in self.region.places().enumerate() {
            if solid(i) {
                continue;
            }
            let h: [T; Q] = core::array::from_fn(|k| populations[k].get(i));
            // Where there is no fluid behind it, the cell itself.
            let behind = i.wrapping_add_signed(stride);
            let next = if self.deep && !solid(behind) { behind } else { i };
            let inside: [T; Q] = core::array::from_fn(|k| populations[k].get(next));
            let f = force(i);
            let sign = T::of(f64::from(inward));
            if let Given::Nothing(target, list) = &self.given {
                let flow = flow::<T, L, D, Q>(&inside, f);
                let speed = (-sign * flow[self.axis]).at_least(T::zero()).at_most(T::one());
                let Moments { density, .. } = Moments::of::<L, Q, false>(&inside);
                for k in (0..Q).filter(|k| comes_in(*k) > 0) {
                    // These velocities make up a sixth of the fluid at rest.
                    let held = T::of(6.0 * ANCHOR * L::WEIGHTS[k]) * (*target - density);
                    let value =
                        held + (list[number * Q + k] + speed * inside[k]) / (T::one() + speed);
                    populations[k].set(i, value);
                }
                continue;
            }
            // Σ_{c·n=0} + 2Σ_{c·n<0}, less the 1 of the fluid at rest.
            let mut known = -T::of(0.5) * sign * f[self.axis];
            for k in 0..Q {
                match comes_in(k) {
                    0 => known += h[k],
                    -1 => known += h[k] + h[k],
                    _ => {}
                }
            }
            // known = δρ − ρu·n, and what sound adds to δρ and ±u·n leaves with the speed of sound.
            let sound = T::of(SOUND_SPEED);
            let mean = &mut self.mean[number];
            let (density, u) = match &self.given {
                Given::Velocity(list) => {
                    let mut u = list[number];
                    let normal = sign * u[self.axis];
                    let density = (known + normal + sound * *mean) / (T::one() + sound - normal);
                    u[self.axis] -= sign * sound * (density - *mean);
                    *mean += self.pace * (density - *mean);
                    (density, u)
                }
                Given::Density(density) => {
                    let mut u = flow::<T, L, D, Q>(&inside, f);
                    let given = *density;
                    let density = (known + *mean + sound * given) / (T::one() + sound);
                    let normal = *mean - sound * (density - given);
                    *mean += self.pace * (normal - *mean);
                    u[self.axis] = sign * (density - known) / (T::one() + density);
                    (density, u)
                }
                Given::Nothing(..) => continue,
            };
            let flux = if reflect && matches!(self.given, Given::Velocity(_)) {
                reflected::<T, L, D, Q>(&h, &make(density, u, f, &[[T::zero(); D]; D]), comes_in)
            } else {
                deviation::<T, L, D, Q>(&inside, f)
            };
            let made = make(density, u, f, &flux);
            for (ring, h) in populations.iter_mut().zip(made) {
                ring.set(i, h);
            }
        }
    }
}

/// How far the second moment is from equilibrium where what comes in deviates from `still`, its
/// equilibrium, as its opposite does.
fn reflected<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    h: &[T; Q],
    still: &[T; Q],
    comes_in: impl Fn(usize) -> i8,
) -> Tensor<T, D> {
    let rest = core::array::from_fn(|k| {
        let from = if comes_in(k) > 0 { opposite(k) } else { k };
        h[from] - still[from]
    });
    Moments::of::<L, Q, true>(&rest).flux
}

/// How far the second moment of a site is from equilibrium.
fn deviation<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    h: &[T; Q],
    f: [T; D],
) -> Tensor<T, D> {
    let Moments { density, momentum, mut flux } = Moments::of::<L, Q, true>(h);
    let half = T::of(0.5);
    for a in 0..D {
        flux[a][a] -= T::of(1.0 / 3.0) * density;
        let j = momentum[a] + half * f[a];
        for b in a..D {
            let v = (momentum[b] + half * f[b]) / (T::one() + density);
            let w = j / (T::one() + density);
            flux[a][b] -= j * v - half * (w * f[b] + v * f[a]);
        }
    }
    flux
}

/// The velocity at a site.
fn flow<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    h: &[T; Q],
    f: [T; D],
) -> [T; D] {
    let Moments { density, momentum, .. } = Moments::of::<L, Q, false>(h);
    core::array::from_fn(|a| (momentum[a] + T::of(0.5) * f[a]) / (T::one() + density))
}
