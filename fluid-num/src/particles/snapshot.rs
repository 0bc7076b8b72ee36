//! Particles, emitters and bodies in a snapshot.
//!
//! Nothing is written twice: a slot's index and the generations of handles follow from the order of
//! the particles, so that a damaged snapshot cannot make them disagree.

use alloc::vec;
use alloc::vec::Vec;
use core::iter;

use super::set::{LIMIT, Slot};
use super::{Emitter, ParticleId, ParticleSet, liquid::Liquid};
use crate::base::snapshot::Snapshot;
use crate::solid::Body;
use crate::{Error, Real};

/// Snapshots.
impl<T: Real, const D: usize> ParticleSet<T, D> {
    /// Adds the whole state to a snapshot: every array, handles, free slots and marks.
    #[must_use]
    pub fn snapshot(&self, snapshot: Snapshot<T>) -> Snapshot<T> {
        snapshot
            .with_values("particle position", self.position_arrays().into_iter().flatten().copied())
            .with_values("particle velocity", self.velocity_arrays().into_iter().flatten().copied())
            .with_values("particle age", self.ages.iter().copied())
            .with_words("particle lifetime", self.lifetimes.iter().map(|t| t.bits()))
            .with_words("particle group", self.groups().iter().map(|g| u64::from(*g)))
            .with_words("particle slot", self.ids.iter().map(|id| u64::from(id.slot)))
            .with_bits("particle leaving", (0..self.len()).map(|i| self.is_leaving(i)))
            .with_words("slot generation", self.slots.iter().map(|s| u64::from(s.generation)))
            .with_words("free slots", self.free.iter().map(|s| u64::from(*s)))
    }

    /// Makes this set the one that [`Self::snapshot`] wrote: handles from before are good, and new
    /// ones come out the same.
    ///
    /// # Errors
    /// [`Error::WrongSnapshot`], [`Error::WrongCount`] or [`Error::NotFinite`] with the array's name;
    /// nothing is changed then.
    pub fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        let slot_of = snapshot.words("particle slot")?;
        let n = slot_of.len();
        let components = |name| -> Result<[Vec<T>; D], Error> {
            let values = snapshot.values_exactly(name, D * n)?;
            Ok(core::array::from_fn(|a| values[a * n..][..n].to_vec()))
        };
        let generations = snapshot.words("slot generation")?;
        if generations.len() > LIMIT {
            return Err(out_of_range("slot generation"));
        }
        let mut next = Self {
            positions: components("particle position")?,
            velocities: components("particle velocity")?,
            groups: numbers("particle group", snapshot.words_exactly("particle group", n)?)?,
            ages: snapshot.values_exactly("particle age", n)?.to_vec(),
            lifetimes: lifetimes(snapshot.words_exactly("particle lifetime", n)?)?,
            slots: numbers("slot generation", generations)?
                .into_iter()
                .map(|generation| Slot { generation, index: u32::MAX, leaving: false })
                .collect(),
            free: numbers("free slots", snapshot.words("free slots")?)?,
            ..Self::new()
        };
        next.hand_out_slots(&numbers("particle slot", slot_of)?)?;
        for (i, leaving) in snapshot.bits("particle leaving", n)?.enumerate() {
            if leaving {
                next.mark(i);
            }
        }
        // In the room that was reserved.
        self.copy_from(&next);
        Ok(())
    }

    /// Gives particle i the slot `slot_of[i]`, and checks that every slot has one particle, is free
    /// or is used up.
    fn hand_out_slots(&mut self, slot_of: &[u32]) -> Result<(), Error> {
        let mut taken = vec![false; self.slots.len()];
        let mut take = |name, slot: u32| match taken.get_mut(slot as usize) {
            Some(taken) if !*taken => {
                *taken = true;
                Ok(slot as usize)
            }
            _ => Err(Error::WrongSnapshot { name, reason: "names no slot, or one twice" }),
        };
        for (i, slot) in (0_u32..).zip(slot_of) {
            let own = &mut self.slots[take("particle slot", *slot)?];
            own.index = i;
            self.ids.push(ParticleId { slot: *slot, generation: own.generation });
        }
        for slot in &self.free {
            take("free slots", *slot)?;
        }
        if self.slots.iter().zip(&taken).all(|(s, taken)| *taken || s.generation == u32::MAX) {
            return Ok(());
        }
        Err(Error::WrongSnapshot { name: "free slots", reason: "leaves one out" })
    }
}

impl<T: Real, const D: usize> Emitter<T, D> {
    /// This emitter, its jet as far as these bits and this count say.
    fn restored(&self, carried: u64, emitted: u64) -> Result<Self, Error> {
        let carried = f64::from_bits(carried);
        // A row leaves as soon as the jet has come a spacing.
        if carried.is_nan() || carried.abs() > self.spacing.to_f64() {
            return Err(out_of_range("jet"));
        }
        let emitted = usize::try_from(emitted).map_err(|_| out_of_range("emitted"))?;
        Ok(Self { carried, emitted, ..self.clone() })
    }
}

impl<T: Real, const D: usize> Liquid<T, D> {
    /// Adds the state to a snapshot, and what the last step found of each particle: zero for those
    /// that came since.
    pub(crate) fn snapshot<const N: usize>(
        &self,
        snapshot: Snapshot<T>,
        readings: [(&'static str, &Vec<T>); N],
    ) -> Snapshot<T> {
        let mut snapshot = self
            .particles
            .snapshot(snapshot)
            .with_words("jet", self.emitters.iter().map(|e| e.carried.to_bits()))
            .with_words("emitted", self.emitters.iter().map(|e| e.emitted() as u64));
        for (name, list) in readings {
            let all = list.iter().copied().chain(iter::repeat(T::zero()));
            snapshot = snapshot.with_values(name, all.take(self.particles.len()));
        }
        Body::snapshot_all(&self.bodies.list, snapshot)
    }

    /// Takes over the state of a snapshot and what it knows of each particle, or nothing.
    pub(crate) fn restore<const N: usize>(
        &mut self,
        snapshot: &Snapshot<T>,
        readings: [(&'static str, &mut Vec<T>); N],
    ) -> Result<(), Error> {
        let count = snapshot.words("particle slot")?.len();
        for (name, _) in &readings {
            snapshot.values_exactly(name, count)?;
        }
        let carried = snapshot.words_exactly("jet", self.emitters.len())?;
        let emitted = snapshot.words_exactly("emitted", self.emitters.len())?;
        let emitters = self.emitters.iter().zip(carried.iter().zip(emitted));
        let emitters =
            emitters.map(|(e, (way, count))| e.restored(*way, *count)).collect::<Result<_, _>>()?;
        let bodies = Body::restored_all(&self.bodies.list, snapshot)?;
        self.particles.restore(snapshot)?;
        (self.emitters, self.bodies.list) = (emitters, bodies);
        for (name, list) in readings {
            *list = snapshot.values(name)?.to_vec();
        }
        Ok(())
    }
}

fn numbers<N: TryFrom<u64>>(name: &'static str, words: &[u64]) -> Result<Vec<N>, Error> {
    words.iter().map(|w| N::try_from(*w).map_err(|_| out_of_range(name))).collect()
}

/// Scalars of any kind, from their bits.
fn lifetimes<T: Real>(words: &[u64]) -> Result<Vec<T>, Error> {
    let value = |bits: &u64| Some(T::of_bits(*bits)).filter(|v| v.bits() == *bits);
    let values: Option<_> = words.iter().map(value).collect();
    values.ok_or(out_of_range("particle lifetime"))
}

fn out_of_range(name: &'static str) -> Error {
    Error::WrongSnapshot { name, reason: "is out of range" }
}
