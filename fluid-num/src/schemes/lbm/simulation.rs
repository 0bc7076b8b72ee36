//! What lattice Boltzmann has in common with every scheme: digests and snapshots.

use super::lattice::Lattice;
use super::{Lbm, force, open::Opening};
use crate::base::{digest::Digest, ring::Ring};
use crate::{Error, Field, Real, Simulation, Snapshot, StepReport};

impl<T, L, const D: usize, const Q: usize> Simulation<T> for Lbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        Lbm::step(self, dt)
    }

    fn time(&self) -> T {
        self.time
    }

    fn digest(&self) -> u64 {
        let region = self.grid.interior();
        let mut digest = Digest::new().values(&[self.time, self.pending]);
        for ring in &self.populations {
            for n in 0..region.rows() {
                let row = region.row(n);
                for part in ring.span(row.start, row.len) {
                    digest = digest.values(part);
                }
            }
        }
        for opening in &self.openings {
            digest = digest.values(opening.mean());
        }
        self.force.iter().flatten().fold(digest, |d, f| f.digest(d)).finish()
    }

    fn report(&self) -> StepReport<T> {
        self.report
    }

    fn snapshot(&self) -> Snapshot<T> {
        let cells = |ring| self.grid.interior().places().map(move |i| Ring::get(ring, i));
        let snapshot = self
            .grid
            .snapshot(Snapshot::new("lbm", D, self.time))
            .with_words("velocities", [Q as u64])
            .with_words("steps", [self.steps])
            .with_values("pending time", [self.pending])
            .with_values("populations", self.populations.iter().flat_map(cells))
            .with_values("force", self.force.iter().flatten().flat_map(Field::values));
        self.obstacles.snapshot(&self.grid, Opening::snapshot_all(&self.openings, snapshot))
    }

    /// Closed cells, the force on every cell and velocities of inflow are restored too; velocity and
    /// pressure are made of the populations and the force. The next step looks at bodies and closed
    /// cells again.
    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        snapshot.check("lbm", D)?;
        self.grid.check_snapshot(snapshot)?;
        if snapshot.word("velocities")? != Q as u64 {
            return Err(Error::WrongSnapshot { name: "lattice", reason: "is another one" });
        }
        let grid = self.grid;
        let steps = snapshot.word("steps")?;
        let pending = snapshot.values_exactly("pending time", 1)?;
        let mut values = snapshot.values_exactly("populations", Q * grid.cell_count())?.iter();
        let force = force::restored(grid, snapshot)?;
        let openings = Opening::restored_all(&self.openings, snapshot)?;
        self.obstacles.restore(&grid, snapshot)?;
        for ring in &mut self.populations {
            grid.interior().places().zip(&mut values).for_each(|(i, value)| ring.set(i, *value));
        }
        (self.force, self.openings) = (force, openings);
        (self.time, self.pending, self.steps) = (snapshot.time(), pending[0], steps);
        self.observe();
        self.report = StepReport::nothing(self.max_speed());
        Ok(())
    }
}
