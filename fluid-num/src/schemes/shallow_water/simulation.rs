//! What shallow water has in common with every scheme: digests, snapshots, copies.

use alloc::vec::Vec;

use super::balance::Tally;
use super::params::moderate;
use super::spray::{self, SprayDrop};
use super::{ShallowWater, check_bed, sides};
use crate::base::digest::Digest;
use crate::base::error::check;
use crate::solid::Body;
use crate::{Error, Faces, Field, Grid, Location, Real, Simulation, Snapshot, StepReport};

impl<T: Real> Simulation<T> for ShallowWater<T> {
    fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        ShallowWater::step(self, dt)
    }

    fn time(&self) -> T {
        T::of(self.time)
    }

    fn digest(&self) -> u64 {
        let digest = self.bed.digest(Digest::new());
        let digest = self.moved.digest(self.velocity.digest(self.displacement.digest(digest)));
        let digest = self.spray.iter().fold(digest, |d, drop| d.values(&drop.scalars()));
        let digest = digest.values(self.hulls.all_displaced());
        let digest = self.foam().map_or(digest, |foam| foam.digest(digest));
        let digest = Body::digest_all(&self.hulls.list, digest);
        let digest = self.tally.list().iter().fold(digest, |d, sum| d.word(sum.to_bits()));
        let digest = self.pending_of_sources().fold(digest, |d, pending| d.values(&[pending]));
        let digest = digest.values(&[self.pending_rain]);
        digest.word(self.draws).word(self.time.to_bits()).finish()
    }

    fn report(&self) -> StepReport<T> {
        self.report
    }

    fn snapshot(&self) -> Snapshot<T> {
        let snapshot = self
            .grid
            .snapshot(Snapshot::new("shallow_water", 2, T::of(self.time)))
            .with_words("clock", [self.time.to_bits()])
            .with_words("steps", [self.steps])
            .with_words("draws", [self.draws])
            .with_words("tally", self.tally.list().map(f64::to_bits))
            .with_values("pending rain", [self.pending_rain])
            .with_values("pending sources", self.pending_of_sources())
            .with_values("bed", self.bed.values())
            .with_values("displacement", self.displacement.values())
            .with_values("velocity", self.velocity.components().iter().flat_map(Field::values))
            .with_values("moved", self.moved.components().iter().flat_map(Field::values));
        let lifted = match self.hulls.all_displaced() {
            [] => None,
            all => Some(self.grid.interior().places().map(|place| all[place])),
        };
        let snapshot = snapshot.with_values("displaced", lifted.into_iter().flatten());
        let snapshot = Body::snapshot_all(&self.hulls.list, snapshot);
        let snapshot = match self.foam() {
            Some(foam) => snapshot.with_values("foam", foam.values()),
            None => snapshot,
        };
        snapshot.with_values("spray", self.spray.iter().flat_map(SprayDrop::scalars))
    }

    /// The bed is restored too, since it may have been edited, and so is how bodies move. The rest
    /// level must be the same, and so must the sources and the bodies' shapes.
    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        snapshot.check("shallow_water", 2)?;
        self.grid.check_snapshot(snapshot)?;
        let grid = self.grid;
        let (steps, draws) = (snapshot.word("steps")?, snapshot.word("draws")?);
        let time = f64::from_bits(snapshot.word("clock")?);
        if T::of(time) != snapshot.time() {
            return Err(Error::WrongSnapshot { name: "clock", reason: "is not the time" });
        }
        let tally: [u64; 6] = core::array::from_fn({
            let mut words = snapshot.words_exactly("tally", 6)?.iter().copied();
            move |_| words.next().unwrap_or(0)
        });
        let tally = tally.map(f64::from_bits);
        if !tally.iter().all(|sum| sum.is_finite()) {
            return Err(Error::WrongSnapshot { name: "tally", reason: "is not finite" });
        }
        let [rain, sources, drains, sides, sponge, edits] = tally;
        let pending_rain = one(snapshot, "pending rain")?;
        let count = self.sources.len();
        let pending_sources = snapshot.values_exactly("pending sources", count)?.to_vec();
        let [bed] = Field::restored(grid, [Location::Center], snapshot, "bed")?;
        check_bed(&bed)?;
        let [displacement] = Field::restored(grid, [Location::Center], snapshot, "displacement")?;
        let bodies = Body::restored_all(&self.hulls.list, snapshot)?;
        let displaced = displaced(grid, snapshot)?;
        let rest = self.params.rest_level;
        let lifted = |place: usize| {
            bed.as_slice()[place] + displaced.get(place).copied().unwrap_or(T::zero())
        };
        let dry = |place: usize| {
            displacement.as_slice()[place] < -(rest - lifted(place)).at_least(T::zero())
        };
        if grid.interior().places().any(dry) {
            let reason = "says that a depth is negative";
            return Err(Error::WrongSnapshot { name: "displacement", reason });
        }
        let velocity = Faces::restored(grid, snapshot, "velocity")?;
        moderate("velocity", velocity.max_abs())?;
        let moved = Faces::restored(grid, snapshot, "moved")?;
        moderate("moved", moved.max_abs())?;
        let capacity = self.params.spray.map_or(0, |spray| spray.capacity);
        let drops = spray::restored(snapshot.values("spray")?, capacity)?;
        let foam = match self.foam {
            Some(_) => {
                let [foam] = Field::restored(grid, [Location::Center], snapshot, "foam")?;
                Some([foam, Field::zeros(grid)])
            }
            None => None,
        };
        self.foam = foam;
        self.draws = draws;
        self.pending_sources = pending_sources;
        self.spray.clear();
        self.spray.extend(drops);
        (self.bed, self.displacement, self.velocity, self.moved) =
            (bed, displacement, velocity, moved);
        self.tally = Tally { rain, sources, drains, sides, sponge, edits };
        (self.pending_rain, self.time, self.steps) = (pending_rain, time, steps);
        self.hulls.restore(bodies, displaced);
        self.set_still();
        if let Some([foam, _]) = &mut self.foam {
            sides::fill_cells(foam, self.params.periodic());
        }
        self.fill_ghosts();
        (self.fastest, self.touched) = (None, true);
        self.report = StepReport::nothing(self.velocity.max_abs());
        Ok(())
    }
}

impl<T: Real> ShallowWater<T> {
    /// What each source has not yet poured.
    fn pending_of_sources(&self) -> impl Iterator<Item = T> {
        let pending = |n| self.pending_sources.get(n).copied().unwrap_or(T::zero());
        (0..self.sources.len()).map(pending)
    }

    /// Takes over the state, the sources, the bodies and the parameters of a simulation on the same
    /// grid, without allocating where there is room for the sources, the bodies and a sponge.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a simulation on another grid, or one whose velocity was replaced by
    /// that of another grid; nothing is changed then.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        if self.grid != other.grid {
            return Err(Error::GridMismatch { name: "the other simulation" });
        }
        other.check_velocity()?;
        if self.check_velocity().is_err() {
            self.velocity = other.velocity.clone();
        }
        self.bed.copy_from(&other.bed)?;
        self.displacement.copy_from(&other.displacement)?;
        self.velocity.copy_from(&other.velocity)?;
        self.moved.copy_from(&other.moved)?;
        self.sources.clone_from(&other.sources);
        self.hulls.copy_from(&other.hulls);
        self.spray.clone_from(&other.spray);
        self.draws = other.draws;
        self.pending_sources.clone_from(&other.pending_sources);
        self.params = other.params;
        self.set_still();
        self.set_waves()?;
        self.set_foam();
        if let (Some([foam, _]), Some([other, _])) = (&mut self.foam, &other.foam) {
            foam.copy_from(other)?;
        }
        self.set_foam();
        self.make_room_for_spray();
        (self.pending_rain, self.tally) = (other.pending_rain, other.tally);
        (self.time, self.steps, self.report) = (other.time, other.steps, other.report);
        (self.fastest, self.touched) = (other.fastest, other.touched);
        Ok(())
    }

    /// Moves the bodies for `dt` seconds by the force and torque that they have, and by their weight,
    /// and clears both: what follows on [`Self::step`], for the time of its report.
    ///
    /// ```
    /// use fluid_num::solid::{Body, Shape};
    /// use fluid_num::{Field, Grid2, ShallowWater, ShallowWaterParams};
    /// let bed = Field::from_fn(Grid2::new([30, 30], 0.2_f64)?, |_| -2.0);
    /// let mut pool = ShallowWater::new(bed, ShallowWaterParams::default())?;
    /// // A crate of 1 m³ that weighs half as much as the water it can displace, dropped in.
    /// let crate_ = Body::new(Shape::cuboid([0.5; 3])?, [3.0, 3.0, 0.2])?;
    /// pool.bodies_mut().push(crate_.with_mass(500.0, [83.0; 3])?);
    /// for _ in 0..1200 {
    ///     pool.step(1.0 / 60.0)?;
    ///     pool.advance_bodies(1.0 / 60.0)?;
    /// }
    /// assert!((pool.displaced_volume() - 0.5).abs() < 0.05); // Archimedes
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Body::advance`] for the first body that cannot be moved; those before it in the list
    /// have moved, it and those behind it are as before.
    pub fn advance_bodies(&mut self, dt: T) -> Result<(), Error> {
        check::time_step(dt)?;
        for body in &mut self.hulls.list {
            let force = body.force;
            if body.is_dynamic() {
                body.force[2] -= body.mass * self.params.gravity;
            }
            if let Err(error) = body.advance(dt) {
                body.force = force;
                return Err(error);
            }
            body.clear_wrench();
        }
        Ok(())
    }

    /// Computes what will be: `ahead` takes over this simulation and goes on by `steps` steps of `dt`
    /// seconds, bodies included; this one stays as it is. Sides and sources go on as they are now.
    ///
    /// # Errors
    /// Those of [`Self::copy_from`], [`Self::step`] and [`Self::advance_bodies`].
    pub fn forecast(&self, ahead: &mut Self, dt: T, steps: usize) -> Result<(), Error> {
        check::time_step(dt)?;
        ahead.copy_from(self)?;
        for _ in 0..steps {
            let report = ahead.step(dt)?;
            ahead.advance_bodies(report.time)?;
        }
        Ok(())
    }
}

/// The one scalar of a name, not negative.
fn one<T: Real>(snapshot: &Snapshot<T>, name: &'static str) -> Result<T, Error> {
    let value = snapshot.values_exactly(name, 1)?.iter().fold(T::zero(), |sum, v| sum + *v);
    if value < T::zero() {
        return Err(Error::WrongSnapshot { name, reason: "is negative" });
    }
    Ok(value)
}

/// What bodies displaced in every cell of storage; empty where there had been none.
fn displaced<T: Real>(grid: Grid<T, 2>, snapshot: &Snapshot<T>) -> Result<Vec<T>, Error> {
    let name = "displaced";
    if snapshot.values(name)?.is_empty() {
        return Ok(Vec::new());
    }
    let [displaced] = Field::restored(grid, [Location::Center], snapshot, name)?;
    if displaced.values().any(|d| d < T::zero()) {
        return Err(Error::WrongSnapshot { name, reason: "is negative" });
    }
    Ok(displaced.as_slice().to_vec())
}
