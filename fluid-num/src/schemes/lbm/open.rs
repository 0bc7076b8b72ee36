//! Inflow and open sides.
//!
//! The populations that come in through an open side are not known; n points inwards.
//!
//! ```text
//! ρ(1 − u·n) = Σ_{c·n=0} f + 2Σ_{c·n<0} f − F·n/2      what is known of ρ and u·n:
//!            = Σf − n·Σcf − F·n/2                      what comes in, unknown, cancels
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

use super::change::Rescale;
use super::expansion::{Moments, Tensor};
use super::lattice::{Lattice, opposite};
use super::observe::Scales;
use super::params::{LbmParams, Outlet};
use crate::base::exec::Region;
use crate::base::{ring::Ring, snapshot::Snapshot};
use crate::{Error, Grid, Real, Side};

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
    axis: usize,
    end: usize,
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

    /// The openings of a simulation.
    pub(super) fn all<const Q: usize>(
        grid: &Grid<T, D>,
        params: &LbmParams<T, D>,
        scales: &Scales<T>,
    ) -> Vec<Self> {
        let mut openings = Vec::new();
        for axis in 0..D {
            for end in 0..2 {
                let mut opening = Self::new(grid, axis, end);
                let count = opening.region.count();
                opening.given = match params.boundary.sides[axis][end] {
                    Side::Inflow { velocity } => {
                        Given::Velocity(vec![velocity.map(|v| v / scales.velocity); count])
                    }
                    Side::Open => {
                        let density = params.open_pressure[axis][end] / scales.pressure;
                        match params.outlet {
                            Outlet::Pressure => Given::Density(density),
                            Outlet::Convective => {
                                Given::Nothing(density, vec![T::zero(); count * Q])
                            }
                        }
                    }
                    _ => continue,
                };
                openings.push(opening);
            }
        }
        openings
    }

    /// Takes over what an opening of before held where its side has stayed of its kind, and else what
    /// flows there now; parameters are given as new ones and old ones, `at` gives moments and force.
    pub(super) fn inherit(
        &mut self,
        before: &[Self],
        params: [&LbmParams<T, D>; 2],
        scales: &Scales<T>,
        rescale: Rescale<T>,
        at: impl Fn(usize) -> (Moments<T, D>, [T; D]),
    ) -> Result<(), Error> {
        self.settle(|i| {
            let (moments, force) = at(i);
            (rescale.density(moments.density), rescale.velocity(moments.velocity(force)))
        });
        let (axis, end) = (self.axis, self.end);
        let Some(old) = before.iter().find(|o| (o.axis, o.end) == (axis, end)) else {
            return Ok(());
        };
        match (&mut self.given, &old.given) {
            (Given::Velocity(list), Given::Velocity(profile)) => {
                let [side, other] = params.map(|params| params.boundary.sides[axis][end]);
                if side == other {
                    for (own, old) in list.iter_mut().zip(profile) {
                        *own = rescale.velocity(*old);
                        scales.check_side(own)?;
                    }
                }
                for (own, old) in self.mean.iter_mut().zip(&old.mean) {
                    *own = rescale.density(*old);
                }
            }
            (Given::Density(_), Given::Density(_)) => {
                for (own, old) in self.mean.iter_mut().zip(&old.mean) {
                    [*own] = rescale.velocity([*old]);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Sets the velocity of each cell of an inflow side by the centres of cells, m/s.
    pub(super) fn set_inflow(
        openings: &mut [Self],
        grid: &Grid<T, D>,
        scales: &Scales<T>,
        (axis, end): (usize, usize),
        mut velocity: impl FnMut([T; D]) -> [T; D],
    ) -> Result<(), Error> {
        let mut here = openings.iter_mut().filter(|o| (o.axis, o.end) == (axis, end));
        let Some(Self { given: Given::Velocity(list), region, .. }) = here.next() else {
            return Err(Error::NoSuchEntry { name: "inflow side", index: axis, count: D });
        };
        let mut changed = list.clone();
        for (own, i) in changed.iter_mut().zip(region.places()) {
            *own = velocity(grid.center(grid.cell_at(i))).map(|v| v / scales.velocity);
            scales.check_side(own)?;
        }
        *list = changed;
        Ok(())
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

    /// Makes the side's cells anew. Nothing at a convective outlet; see [`Self::carry_out`].
    pub(super) fn apply(&mut self, sites: &mut impl Sites<T, D>) {
        let (sign, stride) = self.inward();
        for (number, i) in self.region.places().enumerate() {
            if sites.is_solid(i) {
                continue;
            }
            let f = sites.force(i);
            let Moments { density, momentum, .. } = sites.moments(i);
            // known = δρ − ρu·n, and what sound adds to δρ and ±u·n leaves with the speed of sound.
            let known = density - sign * (momentum[self.axis] + T::of(0.5) * f[self.axis]);
            let next = sites.moments(self.behind(i, stride, |i| sites.is_solid(i)));
            let sound = T::of(SOUND_SPEED);
            let mean = &mut self.mean[number];
            match &self.given {
                Given::Velocity(list) => {
                    let mut u = list[number];
                    let normal = sign * u[self.axis];
                    let density = (known + normal + sound * *mean) / (T::one() + sound - normal);
                    u[self.axis] -= sign * sound * (density - *mean);
                    *mean += self.pace * (density - *mean);
                    let reflected = sites.reflected(i, density, u, [self.axis, self.end]);
                    sites.make(i, density, u, &reflected.unwrap_or(next.deviation(f)));
                }
                Given::Density(density) => {
                    let mut u = next.velocity(f);
                    let given = *density;
                    let density = (known + *mean + sound * given) / (T::one() + sound);
                    let normal = *mean - sound * (density - given);
                    *mean += self.pace * (normal - *mean);
                    u[self.axis] = sign * (density - known) / (T::one() + density);
                    sites.make(i, density, u, &next.deviation(f));
                }
                Given::Nothing(..) => {}
            }
        }
    }

    /// Lets the flow out of a convective outlet; nothing elsewhere. `force` gives that at a place.
    pub(super) fn carry_out<L: Lattice<D, Q>, const Q: usize>(
        &self,
        populations: &mut [Ring<T>; Q],
        solid: impl Fn(usize) -> bool,
        force: impl Fn(usize) -> [T; D],
    ) {
        let Given::Nothing(target, list) = &self.given else { return };
        let (sign, stride) = self.inward();
        for (number, i) in self.region.places().enumerate() {
            if solid(i) {
                continue;
            }
            let next = self.behind(i, stride, &solid);
            let inside: [T; Q] = core::array::from_fn(|k| populations[k].get(next));
            let moments = Moments::of::<L, Q, false>(&inside);
            let speed = -sign * moments.velocity(force(i))[self.axis];
            let speed = speed.at_least(T::zero()).at_most(T::one());
            for k in (0..Q).filter(|k| comes_in(L::VELOCITIES[*k], [self.axis, self.end]) > 0) {
                // These velocities make up a sixth of the fluid at rest.
                let held = T::of(6.0 * ANCHOR * L::WEIGHTS[k]) * (*target - moments.density);
                let carried = (list[number * Q + k] + speed * inside[k]) / (T::one() + speed);
                populations[k].set(i, held + carried);
            }
        }
    }

    /// The sign of the axis where it points inwards, and the way to the next cell that way.
    fn inward(&self) -> (T, isize) {
        let stride = self.region.strides[self.axis] as isize;
        if self.end == 0 { (T::one(), stride) } else { (-T::one(), -stride) }
    }

    /// The next cell inside; where there is no fluid, the cell itself.
    fn behind(&self, i: usize, stride: isize, solid: impl Fn(usize) -> bool) -> usize {
        let behind = i.wrapping_add_signed(stride);
        if self.deep && !solid(behind) { behind } else { i }
    }
}

/// The sites of a flow, as openings see them.
pub(super) trait Sites<T, const D: usize> {
    /// The moments of a place.
    fn moments(&self, i: usize) -> Moments<T, D>;
    /// Whether a place is in a solid.
    fn is_solid(&self, i: usize) -> bool;
    /// The force at a place.
    fn force(&self, i: usize) -> [T; D];
    /// Makes a place anew of δρ, u and the deviation of the second moment.
    fn make(&mut self, i: usize, density: T, u: [T; D], deviation: &Tensor<T, D>);
    /// The deviation that is reflected from what leaves through the side `[axis, end]`, where the
    /// collision is one of those that stand it.
    fn reflected(&self, i: usize, density: T, u: [T; D], side: [usize; 2]) -> Option<Tensor<T, D>>;
}

/// 1 where a velocity comes in through the side `[axis, end]`, −1 where it leaves.
fn comes_in<const D: usize>(c: [i8; D], [axis, end]: [usize; 2]) -> i8 {
    if end == 0 { c[axis] } else { -c[axis] }
}

/// How far the second moment is from equilibrium where what comes in through the side `[axis, end]`
/// deviates from `still`, its equilibrium, as its opposite does.
pub(super) fn reflected<T: Real, L: Lattice<D, Q>, const D: usize, const Q: usize>(
    h: &[T; Q],
    still: &[T; Q],
    side: [usize; 2],
) -> Tensor<T, D> {
    let rest = core::array::from_fn(|k| {
        let from = if comes_in(L::VELOCITIES[k], side) > 0 { opposite(k) } else { k };
        h[from] - still[from]
    });
    Moments::of::<L, Q, true>(&rest).flux
}
