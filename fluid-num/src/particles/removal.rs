//! Removal in two steps: any number of marks, then one compaction of every array.

use alloc::vec::Vec;
use core::mem;

use super::{ParticleId, ParticleSet};
use crate::solid::Shape;
use crate::{Error, Real};

/// Removal. Marked particles stay, in every array, until [`ParticleSet::apply_removals`].
impl<T: Real, const D: usize> ParticleSet<T, D> {
    /// Marks a particle for removal.
    ///
    /// # Errors
    /// [`Error::StaleParticle`] for one that no longer exists or is already marked.
    pub fn remove(&mut self, id: ParticleId) -> Result<(), Error> {
        let i = self.index_of(id)?;
        if self.mark(i) {
            return Ok(());
        }
        Err(Error::StaleParticle { slot: id.slot, generation: id.generation })
    }

    /// Marks the particles older than `age`, s; returns how many it marked.
    pub fn remove_older_than(&mut self, age: T) -> usize {
        self.mark_where(|set, i| set.ages.get(i).is_some_and(|a| *a > age))
    }

    /// Marks the oldest particles until at most `count` remain; returns how many it marked.
    ///
    /// Of particles of one age those of the lower handle go first, whatever their order.
    ///
    /// ```
    /// use fluid_num::particles::ParticleSet;
    /// let mut set = ParticleSet::<f64, 2>::new();
    /// let old = set.add([0.0, 0.0], [0.0, 0.0], 0)?;
    /// set.advance_ages(1.0)?;
    /// let young = set.add([1.0, 0.0], [0.0, 0.0], 0)?;
    /// assert_eq!(set.keep_youngest(1), 1);
    /// set.apply_removals();
    /// assert_eq!(set.ids(), [young]);
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    pub fn keep_youngest(&mut self, count: usize) -> usize {
        let excess = (self.len() - self.leaving).saturating_sub(count);
        if excess == 0 {
            return 0;
        }
        let mut order = mem::take(&mut self.scratch.order);
        order.clear();
        order.extend((0..self.len() as u32).filter(|i| !self.is_leaving(*i as usize)));
        let age = |i: u32| self.ages.get(i as usize).copied().unwrap_or_default();
        let id = |i: u32| self.id(i as usize);
        order.select_nth_unstable_by(excess - 1, |a, b| {
            let older_first = age(*b).partial_cmp(&age(*a)).unwrap_or(core::cmp::Ordering::Equal);
            older_first.then_with(|| id(*a).cmp(&id(*b)))
        });
        let marked = order.iter().take(excess).filter(|i| self.mark(**i as usize)).count();
        self.scratch.order = order;
        marked
    }

    /// Marks the particles whose position, velocity and group satisfy `condition`; returns how
    /// many it marked.
    pub fn remove_where(
        &mut self,
        mut condition: impl FnMut([T; D], [T; D], u16) -> bool,
    ) -> usize {
        self.mark_where(|set, i| match (set.position(i), set.velocity(i), set.groups().get(i)) {
            (Some(position), Some(velocity), Some(group)) => condition(position, velocity, *group),
            _ => false,
        })
    }

    /// Marks the particles inside a shape whose origin lies at `at`; returns how many it marked.
    pub fn remove_in(&mut self, shape: &Shape<T, D>, at: [T; D]) -> usize {
        self.remove_where(|position, _, _| is_inside(shape, at, position))
    }

    /// Marks the particles of a group; returns how many it marked.
    pub fn remove_group(&mut self, group: u16) -> usize {
        self.mark_where(|set, i| set.groups().get(i) == Some(&group))
    }

    /// Marks every particle; returns how many it marked.
    pub fn remove_all(&mut self) -> usize {
        self.mark_where(|_, _| true)
    }

    /// The handles of the particles inside a shape whose origin lies at `at`.
    pub fn ids_in(&self, shape: &Shape<T, D>, at: [T; D]) -> Vec<ParticleId> {
        let inside = |i: &usize| self.position(*i).is_some_and(|p| is_inside(shape, at, p));
        (0..self.len()).filter(inside).filter_map(|i| self.id(i)).collect()
    }

    /// Removes the marked particles and those older than their lifetime; the others keep their
    /// order. Returns how many it removed. Indices change, handles stay good.
    pub fn apply_removals(&mut self) -> usize {
        self.mark_where(|set, i| match (set.ages.get(i), set.lifetimes.get(i)) {
            (Some(age), Some(lifetime)) => age > lifetime,
            _ => false,
        });
        if self.leaving == 0 {
            return 0;
        }
        let mut kept = mem::take(&mut self.scratch.order);
        kept.clear();
        for (i, id) in (0_u32..).zip(&self.ids) {
            match self.slots.get_mut(id.slot as usize) {
                Some(slot) if slot.leaving => {
                    slot.leaving = false;
                    slot.index = u32::MAX;
                    // A slot whose generations are used up is never given out again.
                    if let Some(next) = slot.generation.checked_add(1) {
                        slot.generation = next;
                        self.free.push(id.slot);
                    }
                }
                _ => kept.push(i),
            }
        }
        self.gather(&kept);
        self.scratch.order = kept;
        mem::take(&mut self.leaving)
    }

    pub(super) fn is_leaving(&self, i: usize) -> bool {
        let slot = self.ids.get(i).and_then(|id| self.slots.get(id.slot as usize));
        slot.is_some_and(|slot| slot.leaving)
    }

    /// Marks particle `i`; whether it was not marked before.
    pub(super) fn mark(&mut self, i: usize) -> bool {
        let slot = self.ids.get(i).and_then(|id| self.slots.get_mut(id.slot as usize));
        match slot {
            Some(slot) if !slot.leaving => {
                slot.leaving = true;
                self.leaving += 1;
                true
            }
            _ => false,
        }
    }

    fn mark_where(&mut self, mut condition: impl FnMut(&Self, usize) -> bool) -> usize {
        (0..self.len()).filter(|i| condition(self, *i) && self.mark(*i)).count()
    }
}

pub(super) fn is_inside<T: Real, const D: usize>(
    shape: &Shape<T, D>,
    at: [T; D],
    point: [T; D],
) -> bool {
    shape.signed_distance(core::array::from_fn(|a| point[a] - at[a])) < T::zero()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;

    /// A particle that carries its number in its position.
    fn add(set: &mut ParticleSet<f64, 2>, number: u32) -> ParticleId {
        set.add([f64::from(number), 0.5], [0.0, 0.0], (number % 7) as u16).unwrap()
    }

    fn row(count: u32) -> ParticleSet<f64, 2> {
        let mut set = ParticleSet::new();
        for number in 0..count {
            add(&mut set, number);
        }
        set
    }

    #[test]
    fn a_tap_that_removes_the_oldest_keeps_every_handle_right() {
        let mut set = ParticleSet::new();
        let mut alive = BTreeMap::new();
        for step in 0..1000_u32 {
            for number in step * 10..step * 10 + 10 {
                alive.insert(number, add(&mut set, number));
            }
            let excess = set.len().saturating_sub(400);
            assert_eq!(set.keep_youngest(400), excess);
            assert_eq!(set.keep_youngest(400), 0);
            assert_eq!(set.apply_removals(), excess);
            let oldest = (step * 10 + 10).saturating_sub(400);
            for (number, id) in &alive {
                match set.index_of(*id) {
                    Ok(i) => assert_eq!(set.positions(0)[i], f64::from(*number)),
                    Err(_) => assert!(*number < oldest),
                }
            }
            alive.retain(|number, _| *number >= oldest);
            assert_eq!(alive.len(), set.len());
            // A shuffle, as sorting by cells makes.
            let n = set.len() as u32;
            let order: Vec<u32> = (0..n).map(|i| (i + step) % n).rev().collect();
            set.reorder(&order).unwrap();
            set.advance_ages(0.01).unwrap();
        }
        assert_eq!(set.len(), 400);
        assert_eq!(set.positions(1).len(), 400);
        assert!(set.slots.len() <= 410);
    }

    #[test]
    fn an_emptied_set_starts_anew_and_old_handles_stay_stale() {
        let mut set = row(5);
        let old = set.ids().to_vec();
        assert_eq!(set.remove_all(), 5);
        assert_eq!(set.apply_removals(), 5);
        assert!(set.is_empty());
        set.advance_ages(1.0).unwrap();
        assert_eq!(set.apply_removals(), 0);
        set.reorder(&[]).unwrap();
        let fresh = add(&mut set, 9);
        assert_eq!(set.index_of(fresh), Ok(0));
        assert!(old.iter().all(|id| set.index_of(*id).is_err() && *id != fresh));
    }

    #[test]
    fn one_handle_twice_is_an_error_before_and_after_removal() {
        let mut set = row(3);
        let id = set.ids()[1];
        let stale = Err(Error::StaleParticle { slot: id.slot, generation: id.generation });
        assert_eq!(set.remove(id), Ok(()));
        assert_eq!(set.remove(id), stale);
        assert_eq!(set.apply_removals(), 1);
        assert_eq!(set.remove(id), stale);
        add(&mut set, 7); // into the same slot
        assert_eq!(set.remove(id), stale);
        assert_eq!(set.positions(0), [0.0, 2.0, 7.0]);
        let alien = ParticleId { slot: u32::MAX, generation: 0 };
        assert!(set.remove(alien).is_err());
    }

    #[test]
    fn an_old_query_never_removes_a_wrong_particle() {
        let mut set = row(10);
        let region = Shape::cuboid([2.0, 1.0]).unwrap();
        let found = set.ids_in(&region, [5.0, 0.5]); // 4, 5, 6
        assert_eq!(found.len(), 3);
        set.remove_where(|x, _, _| x[0] == 5.0 || x[0] == 0.0);
        set.apply_removals();
        add(&mut set, 20);
        add(&mut set, 21);
        set.reorder(&[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]).unwrap();
        let removed = found.iter().filter(|id| set.remove(**id).is_ok()).count();
        assert_eq!(removed, 2);
        set.apply_removals();
        assert_eq!(set.positions(0), [21.0, 20.0, 9.0, 8.0, 7.0, 3.0, 2.0, 1.0]);
    }

    #[test]
    fn marks_survive_a_reordering_and_count_each_particle_once() {
        let mut set = row(14);
        assert_eq!(set.remove_group(3), 2); // 3 and 10
        assert_eq!(set.remove_in(&Shape::ball(1.5).unwrap(), [3.0, 0.5]), 2); // 2 and 4
        let order: Vec<u32> = (0..14).rev().collect();
        set.reorder(&order).unwrap();
        assert_eq!(set.apply_removals(), 4);
        assert_eq!(set.positions(0), [13.0, 12.0, 11.0, 9.0, 8.0, 7.0, 6.0, 5.0, 1.0, 0.0]);
    }

    #[test]
    fn particles_live_as_long_as_they_may() {
        let mut set = row(3);
        set.lifetimes_mut().copy_from_slice(&[1.0, 2.0, f64::NAN]);
        let mut left = [0; 4];
        for n in &mut left {
            set.advance_ages(0.75).unwrap();
            set.apply_removals();
            *n = set.len();
        }
        assert_eq!(left, [3, 2, 1, 1]); // at 0.75, 1.5, 2.25 and 3 s
        assert_eq!(set.remove_older_than(3.0), 0);
        assert_eq!(set.remove_older_than(2.9), 1);
    }
}
