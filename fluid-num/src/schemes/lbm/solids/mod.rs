//! Solids inside: which cells they cover, and what they are pushed with.
//!
//! A cell whose centre a body comes to cover gives it its momentum; one that it leaves is filled with
//! fluid that moves as the body did, of the density around it, and takes that momentum from the body:
//! no momentum is lost or won where bodies move. Mass is, a little: it is not the same that is covered
//! and filled.
//!
//! Deviations from rest are exchanged, so forces are those of the pressure above that at rest.
//! What stands in solid cells after streaming is what the fluid has just sent there; they collide
//! with the others of their row, and nothing of that ever reaches the fluid.
//!
//! Reference: C. K. Aidun, Y. Lu, E.-J. Ding, *Direct analysis of particulate suspensions with inertia
//! using the discrete Boltzmann equation*, 1998, <https://doi.org/10.1017/S0022112098002493>.

mod links;

use alloc::vec::Vec;
use core::mem;

use super::change::Rescale;
use super::lattice::Lattice;
use super::params::LbmParams;
use crate::base::{ring::Ring, snapshot::Snapshot};
use crate::solid::Body;
use crate::{Error, Field, Grid, Real};
pub(super) use links::Link;
use links::source;

/// No solid.
const FLUID: u32 = 0;
/// A cell closed by hand.
const CLOSED: u32 = 1;
/// The first body.
const BODIES: u32 = 2;

/// A cell in a solid.
#[derive(Debug, Clone, Copy)]
struct Covered<T, const D: usize> {
    place: usize,
    owner: u32,
    /// The solid's velocity there, in lattice units.
    velocity: [T; D],
}

/// What fills a cell that a solid has left, in lattice units.
pub(super) struct Refill<T, const D: usize> {
    pub(super) place: usize,
    /// δρ.
    pub(super) density: T,
    pub(super) velocity: [T; D],
}

/// Momentum and angular momentum that a body got, in lattice units.
#[derive(Debug, Clone, Copy)]
struct Exchanged<T, const D: usize> {
    momentum: [T; D],
    angular: [T; 3],
}

impl<T: Real, const D: usize> Exchanged<T, D> {
    const fn nothing(zero: T) -> Self {
        Self { momentum: [zero; D], angular: [zero; 3] }
    }

    /// Adds a momentum that is got `arm` away from the body's centre.
    fn add(&mut self, momentum: [T; D], arm: [T; D]) {
        let (mut push, mut from) = ([T::zero(); 3], [T::zero(); 3]);
        for a in 0..D {
            self.momentum[a] += momentum[a];
            (push[a], from[a]) = (momentum[a], arm[a]);
        }
        for a in 0..3 {
            let [b, c] = [(a + 1) % 3, (a + 2) % 3];
            self.angular[a] += from[b] * push[c] - from[c] * push[b];
        }
    }
}

/// The solids of a simulation.
#[derive(Debug, Clone)]
pub(super) struct Obstacles<T, const D: usize> {
    pub(super) bodies: Vec<Body<T, D>>,
    /// As they were when the cells were last looked at.
    seen: Vec<Body<T, D>>,
    /// Which places are closed by hand; empty where none ever was.
    closed: Vec<u8>,
    stale: bool,
    /// What covers each place; empty as long as nothing does.
    owner: Vec<u32>,
    /// The covered cells, and the links to them, in the order of places.
    covered: Vec<Covered<T, D>>,
    links: Vec<Link<T, D>>,
    exchanged: Vec<Exchanged<T, D>>,
    /// The momentum that cells closed by hand got.
    by_closed: [T; D],
    /// The mean force on them in the last call, N.
    on_closed: [T; D],
}

impl<T: Real, const D: usize> Obstacles<T, D> {
    pub(super) fn new() -> Self {
        Self {
            bodies: Vec::new(),
            seen: Vec::new(),
            closed: Vec::new(),
            stale: false,
            owner: Vec::new(),
            covered: Vec::new(),
            links: Vec::new(),
            exchanged: Vec::new(),
            by_closed: [T::zero(); D],
            on_closed: [T::zero(); D],
        }
    }

    /// Closes the cells where `mask` holds, and opens the others.
    pub(super) fn close_cells(
        &mut self,
        grid: &Grid<T, D>,
        mut mask: impl FnMut([usize; D]) -> bool,
    ) {
        self.closed.resize(grid.array_len(), 0);
        for_each_cell(grid, |cell, i| self.closed[i] = u8::from(mask(cell)));
        self.stale = true;
    }

    fn is_closed(&self, i: usize) -> bool {
        self.closed.get(i).is_some_and(|closed| *closed != 0)
    }

    /// Takes over another time step; what covers the cells is looked at anew in the next step.
    pub(super) fn rescale(&mut self, rescale: Rescale<T>) {
        for cell in &mut self.covered {
            cell.velocity = rescale.velocity(cell.velocity);
        }
        self.stale = true;
    }

    /// The links to solids, in the order of the cells that they lead to.
    pub(super) fn links(&self) -> &[Link<T, D>] {
        &self.links
    }

    /// The memory that solids take but for the bodies, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.closed.len()
            + size_of::<u32>() * self.owner.len()
            + size_of::<Covered<T, D>>() * self.covered.capacity()
            + size_of::<Link<T, D>>() * self.links.capacity()
    }

    /// Whether all that is to be done for solids has been done, with nothing exchanged so far.
    pub(super) fn prepare(&mut self) -> bool {
        self.exchanged.clear();
        self.exchanged.resize(self.bodies.len(), Exchanged::nothing(T::zero()));
        self.by_closed = [T::zero(); D];
        !self.changed()
    }

    /// Whether a place is in a solid.
    pub(super) fn is_solid(&self, i: usize) -> bool {
        self.owner.get(i).is_some_and(|owner| *owner != FLUID)
    }

    /// Whether a body is not where it was.
    fn changed(&self) -> bool {
        let same = |a: &Body<T, D>, b: &Body<T, D>| {
            a.shape == b.shape
                && a.position == b.position
                && a.rotation() == b.rotation()
                && a.velocity == b.velocity
                && a.angular_velocity == b.angular_velocity
        };
        self.stale
            || self.bodies.len() != self.seen.len()
            || !self.bodies.iter().zip(&self.seen).all(|(a, b)| same(a, b))
    }

    /// Looks which cells are covered now, and returns what is to fill those that no longer are.
    /// Velocities are scaled to lattice units by `scale`; `flow` gives δρ and ρu of a cell before.
    pub(super) fn update<L: Lattice<D, Q>, const Q: usize>(
        &mut self,
        grid: &Grid<T, D>,
        params: &LbmParams<T, D>,
        scale: T,
        flow: impl Fn(usize) -> (T, [T; D]),
    ) -> Vec<Refill<T, D>> {
        let mut refills = Vec::new();
        if !self.bodies.is_empty() || !self.closed.is_empty() || !self.covered.is_empty() {
            self.owner.resize(grid.array_len(), FLUID);
            let uncovered = self.cover(grid, scale, &flow);
            let fresh = |place: usize| uncovered.binary_search_by_key(&place, |c| c.place).is_ok();
            for Covered { place, owner, velocity } in uncovered.iter().copied() {
                let density = self.mean_around::<L, Q>(grid, params, place, |beside| {
                    (!fresh(beside)).then(|| flow(beside).0)
                });
                if let Some(number) = self.known(owner) {
                    let arm = self.arm(number, grid.center(grid.cell_at(place)), grid.dx());
                    let lost = velocity.map(|u| -(T::one() + density) * u);
                    self.exchanged[number].add(lost, arm);
                }
                refills.push(Refill { place, density, velocity });
            }
            self.connect::<L, Q>(grid, params, scale);
        }
        self.seen.clone_from(&self.bodies);
        self.stale = false;
        refills
    }

    /// Finds the cells that are covered now, and returns those that no longer are.
    fn cover(
        &mut self,
        grid: &Grid<T, D>,
        scale: T,
        flow: &impl Fn(usize) -> (T, [T; D]),
    ) -> Vec<Covered<T, D>> {
        let mut uncovered = mem::take(&mut self.covered);
        for_each_cell(grid, |cell, place| {
            let center = grid.center(cell);
            let owner = self.owner_of(center, place);
            let before = mem::replace(&mut self.owner[place], owner);
            if owner != FLUID {
                let velocity = self.velocity_of(owner, center, scale);
                self.covered.push(Covered { place, owner, velocity });
            }
            if let Some(number) = self.known(owner).filter(|_| before == FLUID) {
                let arm = self.arm(number, center, grid.dx());
                self.exchanged[number].add(flow(place).1, arm);
            }
        });
        uncovered.retain(|cell| self.owner[cell.place] == FLUID);
        uncovered
    }

    /// The number of the body that covers a cell, where that is one which was there before: others
    /// start with the momentum that they are given.
    fn known(&self, owner: u32) -> Option<usize> {
        let number = number(owner)?;
        let [now, before] = [&self.bodies, &self.seen].map(|list| list.get(number));
        now.zip(before).filter(|(now, before)| now.shape == before.shape).map(|_| number)
    }

    /// From a body's centre to a point, in cells.
    fn arm(&self, number: usize, point: [T; D], dx: T) -> [T; D] {
        core::array::from_fn(|a| (point[a] - self.bodies[number].position[a]) / dx)
    }

    /// The mean of what `value` says of the cells of fluid beside a place; 0 where it says nothing.
    fn mean_around<L: Lattice<D, Q>, const Q: usize>(
        &self,
        grid: &Grid<T, D>,
        params: &LbmParams<T, D>,
        place: usize,
        value: impl Fn(usize) -> Option<T>,
    ) -> T {
        let (mut sum, mut count) = (T::zero(), 0);
        let cell = grid.cell_at(place);
        for c in L::VELOCITIES {
            let beside = source(grid, &params.boundary, cell, c).map(|(cell, _)| grid.index(cell));
            if let Some(value) = beside.filter(|i| !self.is_solid(*i)).and_then(&value) {
                sum += value;
                count += 1;
            }
        }
        if count == 0 { T::zero() } else { sum / T::of_usize(count) }
    }

    fn body(&self, owner: u32) -> Option<&Body<T, D>> {
        self.bodies.get(number(owner)?)
    }

    /// The velocity of what covers a point, times `scale`.
    fn velocity_of(&self, owner: u32, point: [T; D], scale: T) -> [T; D] {
        self.body(owner).map_or([T::zero(); D], |body| body.velocity_at(point).map(|v| v * scale))
    }

    fn owner_of(&self, center: [T; D], i: usize) -> u32 {
        if self.is_closed(i) {
            return CLOSED;
        }
        let inside = |b: &Body<T, D>| b.signed_distance(center) < T::zero();
        self.bodies.iter().position(inside).map_or(FLUID, |n| n as u32 + BODIES)
    }

    /// Adds the mean force and torque of `count` lattice steps to the bodies, the last of which was
    /// number `step`.
    pub(super) fn push_bodies(
        &mut self,
        grid: &Grid<T, D>,
        params: &LbmParams<T, D>,
        count: usize,
        step: u64,
    ) -> Result<(), Error> {
        let LbmParams { rest_density, time_step, .. } = *params;
        let dx = grid.dx();
        let mass = (0..D).fold(rest_density, |mass, _| mass * dx);
        let share = mass * dx / (time_step * time_step) / T::of_usize(count);
        self.on_closed = self.by_closed.map(|j| j * share);
        for (body, Exchanged { momentum, angular }) in self.bodies.iter_mut().zip(&self.exchanged) {
            for a in 0..D {
                body.force[a] += momentum[a] * share;
            }
            for a in 0..3 {
                body.torque[a] += angular[a] * share * dx;
            }
        }
        let field = "the force on a body";
        let unstable = |_| Error::Unstable { step, field, place: [0; 3] };
        self.bodies.iter().try_for_each(Body::check).map_err(unstable)
    }

    /// The mean force on the cells closed by hand in the last call, N.
    pub(super) fn on_closed(&self) -> [T; D] {
        self.on_closed
    }

    /// The places of covered cells.
    pub(super) fn covered(&self) -> impl Iterator<Item = usize> {
        self.covered.iter().map(|cell| cell.place)
    }

    /// Forgets what stands in solid cells.
    pub(super) fn clear<const Q: usize>(&self, populations: &mut [Ring<T>; Q]) {
        for ring in populations {
            self.covered().for_each(|i| ring.set(i, T::zero()));
        }
    }

    /// Nothing flows in solid cells.
    pub(super) fn clear_fields(&self, pressure: &mut Field<T, D>, velocity: &mut [Field<T, D>; D]) {
        for field in core::iter::once(pressure).chain(velocity) {
            let values = field.as_mut_slice();
            self.covered().for_each(|i| values[i] = T::zero());
        }
    }

    /// Adds solids to a snapshot: what bodies do, which cells are closed by hand, and which were
    /// covered when the last step looked, because whatever is uncovered from then on is filled.
    pub(super) fn snapshot(&self, grid: &Grid<T, D>, snapshot: Snapshot<T>) -> Snapshot<T> {
        let places = || grid.interior().places();
        let snapshot = snapshot
            .with_bits("closed cells", places().map(|i| self.is_closed(i)))
            .with_bits("solid cells", places().map(|i| self.is_solid(i)))
            .with_words("solid owners", self.covered.iter().map(|cell| u64::from(cell.owner)))
            .with_words("bodies seen", [self.seen.len() as u64])
            .with_values("solid motion", self.covered.iter().flat_map(|cell| cell.velocity));
        Body::snapshot_all(&self.bodies, snapshot)
    }

    /// Takes over what a snapshot says of solids, or nothing. The next step looks at all cells.
    pub(super) fn restore(
        &mut self,
        grid: &Grid<T, D>,
        snapshot: &Snapshot<T>,
    ) -> Result<(), Error> {
        let cells = || grid.interior().places();
        let closed = snapshot.bits("closed cells", grid.cell_count())?;
        let solid = snapshot.bits("solid cells", grid.cell_count())?;
        let solid: Vec<usize> = cells().zip(solid).filter(|(_, s)| *s).map(|(i, _)| i).collect();
        let motion = snapshot.values_exactly("solid motion", D * solid.len())?;
        let owners = snapshot.words_exactly("solid owners", solid.len())?;
        let seen = snapshot.word("bodies seen")?;
        let bodies = Body::restored_all(&self.bodies, snapshot)?;
        self.closed.clear();
        for (i, _) in cells().zip(closed).filter(|(_, closed)| *closed) {
            self.closed.resize(grid.array_len(), 0);
            self.closed[i] = 1;
        }
        self.owner.clear();
        if !solid.is_empty() {
            self.owner.resize(grid.array_len(), FLUID);
        }
        self.covered.clear();
        let velocities = motion.as_chunks().0;
        for ((place, owner), velocity) in solid.into_iter().zip(owners).zip(velocities) {
            let owner = (*owner).min(u64::from(u32::MAX)) as u32;
            self.owner[place] = CLOSED;
            self.covered.push(Covered { place, owner, velocity: *velocity });
        }
        self.seen.clone_from(&bodies);
        self.seen.truncate(seen.min(usize::MAX as u64) as usize);
        self.bodies = bodies;
        self.stale = true;
        self.on_closed = [T::zero(); D];
        Ok(())
    }
}

/// The number of a body by what covers a cell.
fn number(owner: u32) -> Option<usize> {
    owner.checked_sub(BODIES).map(|number| number as usize)
}

/// Every cell, and where it lies.
pub(super) fn for_each_cell<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    mut f: impl FnMut([usize; D], usize),
) {
    let region = grid.interior();
    for n in 0..region.rows() {
        let row = region.row(n);
        let mut cell = row.at.map(|i| i - 1);
        for i in 0..row.len {
            cell[0] = i;
            f(cell, row.start + i);
        }
    }
}
