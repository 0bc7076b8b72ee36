//! The particles as a structure of arrays, with handles that survive sorting and removal.
//!
//! Particle i is entry i of every array. A handle names a slot and the slot's generation; the slot
//! holds the particle's present index, and its generation grows when the particle is removed. Each
//! look-up is O(1), a reordering O(n).

use alloc::vec::Vec;
use core::mem;

use crate::base::digest::Digest;
use crate::base::error::check;
use crate::{Error, Real};

/// The most particles that a set holds.
pub(super) const LIMIT: usize = i32::MAX as usize;

/// A handle of one particle, good for as long as the particle exists and never for another one.
///
/// ```
/// use fluid_num::particles::ParticleSet;
/// let mut set = ParticleSet::<f64, 2>::new();
/// let a = set.add([0.0, 0.0], [0.0, 0.0], 0)?;
/// let b = set.add([1.0, 0.0], [0.0, 0.0], 0)?;
/// set.remove(a)?;
/// set.apply_removals();
/// assert_eq!(set.index_of(b), Ok(0)); // it moved up
/// assert!(set.index_of(a).is_err());
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParticleId {
    /// The slot.
    pub slot: u32,
    /// How many particles had the slot before.
    pub generation: u32,
}

/// What a slot knows of its particle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) generation: u32,
    /// The particle's index; `u32::MAX` where the slot is free.
    pub(super) index: u32,
    /// Marked for the next [`ParticleSet::apply_removals`].
    pub(super) leaving: bool,
}

/// Particles: positions, velocities, groups, ages and lifetimes.
///
/// ```
/// use fluid_num::particles::ParticleSet;
/// let mut set = ParticleSet::<f32, 2>::new();
/// let a = set.add([0.0, 1.0], [0.5, 0.0], 7)?;
/// let b = set.add([2.0, 3.0], [0.0, 0.0], 8)?;
/// set.reorder(&[1, 0])?;
/// assert_eq!(set.positions(0), [2.0, 0.0]);
/// assert_eq!(set.index_of(a), Ok(1));
/// assert_eq!(set.index_of(b), Ok(0));
/// assert!(set.add([f32::NAN, 0.0], [0.0, 0.0], 0).is_err());
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ParticleSet<T, const D: usize> {
    pub(super) positions: [Vec<T>; D],
    pub(super) velocities: [Vec<T>; D],
    pub(super) groups: Vec<u16>,
    pub(super) ages: Vec<T>,
    pub(super) lifetimes: Vec<T>,
    pub(super) ids: Vec<ParticleId>,
    pub(super) slots: Vec<Slot>,
    pub(super) free: Vec<u32>,
    /// How many particles are marked for removal.
    pub(super) leaving: usize,
    pub(super) scratch: Scratch<T>,
}

/// Room kept between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch<T> {
    values: Vec<T>,
    groups: Vec<u16>,
    ids: Vec<ParticleId>,
    seen: Vec<u64>,
    pub(super) order: Vec<u32>,
}

impl<T: Real, const D: usize> Default for ParticleSet<T, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const D: usize> ParticleSet<T, D> {
    /// An empty set.
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// An empty set with room for `n` particles.
    pub fn with_capacity(n: usize) -> Self {
        Self {
            positions: core::array::from_fn(|_| Vec::with_capacity(n)),
            velocities: core::array::from_fn(|_| Vec::with_capacity(n)),
            groups: Vec::with_capacity(n),
            ages: Vec::with_capacity(n),
            lifetimes: Vec::with_capacity(n),
            ids: Vec::with_capacity(n),
            slots: Vec::with_capacity(n),
            free: Vec::new(),
            leaving: 0,
            scratch: Scratch::default(),
        }
    }

    /// The number of particles, those marked for removal included.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The position of particle `i`, m.
    #[inline]
    pub fn position(&self, i: usize) -> Option<[T; D]> {
        (i < self.len()).then(|| entry(&self.positions, i))
    }

    /// The velocity of particle `i`, m/s.
    #[inline]
    pub fn velocity(&self, i: usize) -> Option<[T; D]> {
        (i < self.len()).then(|| entry(&self.velocities, i))
    }

    /// The positions along an axis, m; empty for an axis that is none.
    pub fn positions(&self, axis: usize) -> &[T] {
        self.positions.get(axis).map_or(&[], Vec::as_slice)
    }

    /// The positions along an axis, m; empty for an axis that is none.
    pub fn positions_mut(&mut self, axis: usize) -> &mut [T] {
        self.axis_mut(axis).0
    }

    /// The velocities along an axis, m/s; empty for an axis that is none.
    pub fn velocities(&self, axis: usize) -> &[T] {
        self.velocities.get(axis).map_or(&[], Vec::as_slice)
    }

    /// The velocities along an axis, m/s; empty for an axis that is none.
    pub fn velocities_mut(&mut self, axis: usize) -> &mut [T] {
        self.axis_mut(axis).1
    }

    /// The positions, axis by axis, m.
    pub fn position_arrays(&self) -> [&[T]; D] {
        self.positions.each_ref().map(Vec::as_slice)
    }

    /// The velocities, axis by axis, m/s.
    pub fn velocity_arrays(&self) -> [&[T]; D] {
        self.velocities.each_ref().map(Vec::as_slice)
    }

    /// Positions and velocities along one axis; empty for an axis that is none.
    pub fn axis_mut(&mut self, axis: usize) -> (&mut [T], &mut [T]) {
        match (self.positions.get_mut(axis), self.velocities.get_mut(axis)) {
            (Some(x), Some(u)) => (x, u),
            _ => (&mut [], &mut []),
        }
    }

    /// The groups: labels of your own, such as a colour.
    pub fn groups(&self) -> &[u16] {
        &self.groups
    }

    /// The groups, to change.
    pub fn groups_mut(&mut self) -> &mut [u16] {
        &mut self.groups
    }

    /// The time since each particle was added, s.
    pub fn ages(&self) -> &[T] {
        &self.ages
    }

    /// The age beyond which each particle is removed, s; infinite for ever, as it is at first.
    pub fn lifetimes(&self) -> &[T] {
        &self.lifetimes
    }

    /// The lifetimes, to change; NaN counts as infinite.
    pub fn lifetimes_mut(&mut self) -> &mut [T] {
        &mut self.lifetimes
    }

    /// The handle of particle `i`.
    pub fn id(&self, i: usize) -> Option<ParticleId> {
        self.ids.get(i).copied()
    }

    /// The handles in the order of the particles.
    pub fn ids(&self) -> &[ParticleId] {
        &self.ids
    }

    /// The present index of a particle, good until particles are reordered or removed.
    ///
    /// # Errors
    /// [`Error::StaleParticle`] for one that no longer exists.
    pub fn index_of(&self, id: ParticleId) -> Result<usize, Error> {
        match self.slots.get(id.slot as usize) {
            Some(slot) if slot.generation == id.generation && slot.index != u32::MAX => {
                Ok(slot.index as usize)
            }
            _ => Err(Error::StaleParticle { slot: id.slot, generation: id.generation }),
        }
    }

    /// Adds a particle of age zero that lives for ever, behind the others.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a component that is not finite, [`Error::WrongCount`] in a
    /// set that is full (2³¹ − 1 particles).
    pub fn add(
        &mut self,
        position: [T; D],
        velocity: [T; D],
        group: u16,
    ) -> Result<ParticleId, Error> {
        check::all_finite("particle position", &position)?;
        check::all_finite("particle velocity", &velocity)?;
        self.check_room(1)?;
        Ok(self.push(position, velocity, group, T::zero(), T::of(f64::INFINITY)))
    }

    /// Whether `more` particles still fit.
    pub(super) fn check_room(&self, more: usize) -> Result<(), Error> {
        let count = self.len().saturating_add(more);
        if count <= LIMIT {
            return Ok(());
        }
        Err(Error::WrongCount { name: "the particle set", count, expected: "below 2^31" })
    }

    /// Adds a particle of checked values to a set with room for it.
    pub(super) fn push(
        &mut self,
        position: [T; D],
        velocity: [T; D],
        group: u16,
        age: T,
        lifetime: T,
    ) -> ParticleId {
        let fresh = Slot { generation: 0, index: self.len() as u32, leaving: false };
        let id = match self.free.pop().map(|s| (s, self.slots.get_mut(s as usize))) {
            Some((s, Some(slot))) => {
                slot.index = fresh.index;
                ParticleId { slot: s, generation: slot.generation }
            }
            _ => {
                self.slots.push(fresh);
                ParticleId { slot: (self.slots.len() - 1) as u32, generation: 0 }
            }
        };
        self.positions.iter_mut().zip(position).for_each(|(to, x)| to.push(x));
        self.velocities.iter_mut().zip(velocity).for_each(|(to, u)| to.push(u));
        self.groups.push(group);
        self.ages.push(age);
        self.lifetimes.push(lifetime);
        self.ids.push(id);
        id
    }

    /// Puts the particle at `order[i]` at index i, with all it has; handles stay good.
    ///
    /// Gathers array by array through room kept between calls.
    ///
    /// # Errors
    /// [`Error::WrongCount`] for an order that does not name every particle exactly once.
    pub fn reorder(&mut self, order: &[u32]) -> Result<(), Error> {
        let n = self.len();
        if order.len() == n && order.iter().zip(0_u32..).all(|(a, b)| *a == b) {
            return Ok(());
        }
        let seen = &mut self.scratch.seen;
        seen.clear();
        seen.resize(n.div_ceil(64), 0);
        for i in order.iter().copied().filter(|i| (*i as usize) < n) {
            if let Some(word) = seen.get_mut(i as usize / 64) {
                *word |= 1 << (i % 64);
            }
        }
        let named: usize = seen.iter().map(|word| word.count_ones() as usize).sum();
        if named != n || order.len() != n {
            return Err(Error::WrongCount {
                name: "the order of particles",
                count: order.len(),
                expected: "every particle exactly once",
            });
        }
        self.gather(order);
        Ok(())
    }

    /// Keeps the particles that `order` names, in that order; the slots of others are left alone.
    pub(super) fn gather(&mut self, order: &[u32]) {
        let Scratch { values, groups, ids, .. } = &mut self.scratch;
        for array in self.positions.iter_mut().chain(&mut self.velocities) {
            gather(array, order, values);
        }
        gather(&mut self.ages, order, values);
        gather(&mut self.lifetimes, order, values);
        gather(&mut self.groups, order, groups);
        gather(&mut self.ids, order, ids);
        for (id, i) in self.ids.iter().zip(0_u32..) {
            if let Some(slot) = self.slots.get_mut(id.slot as usize) {
                slot.index = i;
            }
        }
    }

    /// Adds `dt` to every age.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`] for one that is not finite or negative.
    pub fn advance_ages(&mut self, dt: T) -> Result<(), Error> {
        check::time_step(dt)?;
        self.ages.iter_mut().for_each(|age| *age += dt);
        Ok(())
    }

    /// Whether all positions and velocities are finite.
    ///
    /// # Errors
    /// [`Error::NotFinite`] with the index of the first particle that is not.
    pub fn check_finite(&self) -> Result<(), Error> {
        all_finite("particle position", &self.positions)?;
        all_finite("particle velocity", &self.velocities)
    }

    /// Adds the state to a digest: all arrays in the order of the particles, and their handles.
    #[must_use]
    pub fn digest(&self, digest: Digest) -> Digest {
        let arrays = self.positions.iter().chain(&self.velocities);
        let digest = arrays
            .chain([&self.ages, &self.lifetimes])
            .fold(digest, |d, array| d.interleaved(array));
        self.ids.iter().zip(&self.groups).fold(digest, |d, (id, group)| {
            let leaving = self.slots.get(id.slot as usize).is_some_and(|slot| slot.leaving);
            d.word((u64::from(id.slot) << 32) | u64::from(id.generation))
                .word((u64::from(*group) << 1) | u64::from(leaving))
        })
    }

    /// Makes this set equal to `other`, handles and all; allocates only where room is short.
    pub fn copy_from(&mut self, other: &Self) {
        self.positions.iter_mut().zip(&other.positions).for_each(|(a, b)| a.clone_from(b));
        self.velocities.iter_mut().zip(&other.velocities).for_each(|(a, b)| a.clone_from(b));
        self.groups.clone_from(&other.groups);
        self.ages.clone_from(&other.ages);
        self.lifetimes.clone_from(&other.lifetimes);
        self.ids.clone_from(&other.ids);
        self.slots.clone_from(&other.slots);
        self.free.clone_from(&other.free);
        self.leaving = other.leaving;
    }
}

fn entry<T: Real, const D: usize>(arrays: &[Vec<T>; D], i: usize) -> [T; D] {
    arrays.each_ref().map(|array| array.get(i).copied().unwrap_or_default())
}

/// array[i] ← array[order[i]].
fn gather<V: Copy>(array: &mut Vec<V>, order: &[u32], scratch: &mut Vec<V>) {
    let Some(any) = array.first().copied() else { return };
    scratch.clear();
    let from = array.as_slice();
    scratch.extend(order.iter().map(|i| from.get(*i as usize).copied().unwrap_or(any)));
    mem::swap(array, scratch);
}

fn all_finite<T: Real>(name: &'static str, arrays: &[Vec<T>]) -> Result<(), Error> {
    let first_bad = |array: &Vec<T>| {
        // The norm first: it has no early exit, so it runs in vectors.
        let norm = array.iter().fold(T::zero(), |norm, v| norm.worst(v.magnitude()));
        if norm.is_finite() { None } else { array.iter().position(|v| !v.is_finite()) }
    };
    match arrays.iter().filter_map(first_bad).min() {
        Some(i) => Err(Error::NotFinite { name, place: [i, 0, 0] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
