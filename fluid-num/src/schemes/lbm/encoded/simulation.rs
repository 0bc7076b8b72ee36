//! What the moment-encoded solver has in common with every scheme: digests and snapshots.

use alloc::vec::Vec;

use super::super::force;
use super::super::lattice::Lattice;
use super::super::open::Opening;
use super::EncodedLbm;
use crate::base::digest::Digest;
use crate::{Error, Field, Real, Simulation, Snapshot, StepReport};

impl<T, L, const D: usize, const Q: usize> EncodedLbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    fn values(&self) -> impl Iterator<Item = T> {
        let places = self.grid.interior().places();
        places.flat_map(|i| self.layers.values(&self.moments, i))
    }
}

impl<T, L, const D: usize, const Q: usize> Simulation<T> for EncodedLbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        EncodedLbm::step(self, dt)
    }

    fn time(&self) -> T {
        self.time
    }

    fn digest(&self) -> u64 {
        let digest = Digest::new().values(&[self.time, self.pending]);
        let digest = self.values().fold(digest, |digest, value| digest.values(&[value]));
        let digest = self.openings.iter().fold(digest, |digest, o| digest.values(o.mean()));
        self.force.iter().flatten().fold(digest, |d, f| f.digest(d)).finish()
    }

    fn report(&self) -> StepReport<T> {
        self.report
    }

    fn snapshot(&self) -> Snapshot<T> {
        let snapshot = self
            .grid
            .snapshot(Snapshot::new("encoded lbm", D, self.time))
            .with_words("velocities", [Q as u64])
            .with_words("steps", [self.steps_done])
            .with_values("pending time", [self.pending])
            .with_values("moments", self.values())
            .with_values("force", self.force.iter().flatten().flat_map(Field::values));
        self.obstacles.snapshot(&self.grid, Opening::snapshot_all(&self.openings, snapshot))
    }

    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        snapshot.check("encoded lbm", D)?;
        self.grid.check_snapshot(snapshot)?;
        if snapshot.word("velocities")? != Q as u64 {
            return Err(Error::WrongSnapshot { name: "lattice", reason: "is another one" });
        }
        let steps = snapshot.word("steps")?;
        let pending = snapshot.values_exactly("pending time", 1)?;
        let count = self.values().count();
        let values = snapshot.values_exactly("moments", count)?;
        let force = force::restored(self.grid, snapshot)?;
        let openings = Opening::restored_all(&self.openings, snapshot)?;
        self.obstacles.restore(&self.grid, snapshot)?;
        let places: Vec<usize> = self.grid.interior().places().collect();
        let per_cell = count / places.len();
        for (place, values) in places.into_iter().zip(values.chunks_exact(per_cell)) {
            self.layers.put_values(&mut self.moments, place, values);
        }
        (self.force, self.openings) = (force, openings);
        (self.time, self.pending, self.steps_done) = (snapshot.time(), pending[0], steps);
        self.report = StepReport::nothing(self.extremes()[0]);
        Ok(())
    }
}
