//! What shallow water has in common with every scheme: digests, snapshots, copies.

use alloc::vec::Vec;

use super::balance::Tally;
use super::params::moderate;
use super::spray::{self, Drop};
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
        self.time
    }

    fn digest(&self) -> u64 {
        let digest = self.bed.digest(Digest::new());
        let digest = self.moved.digest(self.velocity.digest(self.displacement.digest(digest)));
        let digest = self.spray.iter().fold(digest, |d, drop| d.values(&drop.scalars()));
        let digest = digest.values(self.hulls.all_displaced());
        let digest = self.foam().map_or(digest, |foam| foam.digest(digest));
        digest.values(&[self.pending_rain, self.time]).finish()
    }

    fn report(&self) -> StepReport<T> {
        self.report
    }

    fn snapshot(&self) -> Snapshot<T> {
        let snapshot = self
            .grid
            .snapshot(Snapshot::new("shallow_water", 2, self.time))
            .with_words("changed", [u64::from(self.touched)])
            .with_words("steps", [self.steps])
            .with_words("tally", self.tally.list().map(f64::to_bits))
            .with_values("pending rain", [self.pending_rain])
            .with_values("pace", [self.fastest])
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
        if self.params.spray.is_none() {
            return snapshot;
        }
        snapshot
            .with_words("thrown", [self.thrown])
            .with_values("spray", self.spray.iter().flat_map(Drop::scalars))
    }

    /// The bed is restored too, since it may have been edited, and so is how bodies move. The rest
    /// level must be the same, and so must the bodies' shapes.
    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        snapshot.check("shallow_water", 2)?;
        self.grid.check_snapshot(snapshot)?;
        let grid = self.grid;
        let (steps, touched) = (snapshot.word("steps")?, snapshot.word("changed")? != 0);
        let tally: [u64; 6] = core::array::from_fn({
            let mut words = snapshot.words_exactly("tally", 6)?.iter().copied();
            move |_| words.next().unwrap_or(0)
        });
        let [rain, sources, drains, sides, sponge, edits] = tally.map(f64::from_bits);
        let pending_rain = one(snapshot, "pending rain")?;
        let fastest = one(snapshot, "pace")?;
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
        let (thrown, drops) = match &self.params.spray {
            Some(p) => {
                (snapshot.word("thrown")?, spray::restored(snapshot.values("spray")?, p.capacity)?)
            }
            None => (0, Vec::new()),
        };
        let foam = match self.foam {
            Some(_) => {
                let [foam] = Field::restored(grid, [Location::Center], snapshot, "foam")?;
                Some([foam, Field::zeros(grid)])
            }
            None => None,
        };
        self.foam = foam;
        self.thrown = thrown;
        self.spray.clear();
        self.spray.extend(drops);
        (self.bed, self.displacement, self.velocity, self.moved) =
            (bed, displacement, velocity, moved);
        self.tally = Tally { rain, sources, drains, sides, sponge, edits };
        (self.pending_rain, self.time, self.steps) = (pending_rain, snapshot.time(), steps);
        self.hulls.restore(bodies, displaced);
        self.set_still();
        if let Some([foam, _]) = &mut self.foam {
            sides::fill_cells(foam, self.params.periodic());
        }
        self.fill_ghosts();
        (self.fastest, self.touched) = (fastest, touched);
        self.report = StepReport::nothing(self.velocity.max_abs());
        Ok(())
    }
}

impl<T: Real> ShallowWater<T> {
    /// Takes over the state, the sources, the bodies and the parameters of a simulation on the same
    /// grid, without allocating where there is room for the sources, the bodies and a sponge.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a simulation on another grid, with nothing changed.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        if self.grid != other.grid {
            return Err(Error::GridMismatch { name: "the other simulation" });
        }
        self.bed.copy_from(&other.bed)?;
        self.displacement.copy_from(&other.displacement)?;
        self.velocity.copy_from(&other.velocity)?;
        self.moved.copy_from(&other.moved)?;
        self.sources.clone_from(&other.sources);
        self.hulls.copy_from(&other.hulls);
        self.spray.clone_from(&other.spray);
        self.thrown = other.thrown;
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

    /// Computes what will be: `ahead` takes over this simulation and goes on by `steps` steps of `dt`
    /// seconds; this one stays as it is. Sides and sources go on as they are now.
    ///
    /// # Errors
    /// Those of [`Self::copy_from`] and [`Self::step`].
    pub fn forecast(&self, ahead: &mut Self, dt: T, steps: usize) -> Result<(), Error> {
        check::time_step(dt)?;
        ahead.copy_from(self)?;
        (0..steps).try_for_each(|_| ahead.step(dt).map(drop))
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
