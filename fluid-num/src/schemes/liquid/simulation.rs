//! What a liquid has in common with every scheme: digests, snapshots.

use super::Liquid;
use super::ledger::Ledger;
use super::separation::Separation;
use crate::base::digest::Digest;
use crate::base::error::check;
use crate::solid::Body;
use crate::{Error, Faces, Field, LevelSet, Location, Real, Simulation, Snapshot, StepReport};

impl<T: Real, const D: usize> Simulation<T> for Liquid<T, D> {
    fn step(&mut self, dt: T) -> Result<StepReport<T>, Error> {
        Liquid::step(self, dt)
    }

    fn time(&self) -> T {
        self.time
    }

    fn digest(&self) -> u64 {
        let digest = self.surface.field().digest(Digest::new());
        let digest = self.pressure.p.digest(self.velocity.digest(digest));
        let digest = Body::digest_all(&self.bodies, digest);
        let digest = match &self.markers {
            Some(markers) => markers.digest(digest),
            None => digest,
        };
        let digest = self.viscosity().map_or(digest, |nu| nu.digest(digest));
        let digest = self.separation.as_ref().map_or(digest, |apart| apart.digest(digest));
        let digest = self.ledger.words().iter().fold(digest, |d, word| d.word(*word));
        digest.values(&[self.travelled, self.last, self.time]).finish()
    }

    fn report(&self) -> StepReport<T> {
        self.report
    }

    fn snapshot(&self) -> Snapshot<T> {
        let snapshot = self
            .grid
            .snapshot(Snapshot::new("liquid", D, self.time))
            .with_words("steps", [self.steps])
            .with_words(
                "changed",
                [u64::from(self.velocity_changed), u64::from(self.surface_changed)],
            )
            .with_words("ledger", self.ledger.words())
            .with_values("travelled", [self.travelled])
            .with_values("last", [self.last])
            .with_values("width", self.surface.width())
            .with_values("surface", self.surface.field().values())
            .with_values("velocity", self.velocity.components().iter().flat_map(Field::values))
            .with_values("pressure", self.pressure.p.values())
            .with_values("viscosity", self.viscosity().into_iter().flat_map(Field::values))
            .with_values("gaps", self.separation.iter().flat_map(Separation::gaps));
        let snapshot = match &self.markers {
            Some(markers) => markers.snapshot(snapshot.with_words("unseeded", [self.unseeded])),
            None => snapshot,
        };
        Body::snapshot_all(&self.bodies, snapshot)
    }

    fn restore(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        snapshot.check("liquid", D)?;
        self.grid.check_snapshot(snapshot)?;
        let grid = self.grid;
        let steps = snapshot.word("steps")?;
        let changed = snapshot.words_exactly("changed", 2)?;
        let ledger = Ledger::from_words(snapshot.words_exactly("ledger", 4)?);
        let travelled = snapshot.values_exactly("travelled", 1)?[0];
        let last = snapshot.values_exactly("last", 1)?[0];
        let width = snapshot.values("width")?.first().copied();
        let [phi] = Field::restored(grid, [Location::Center], snapshot, "surface")?;
        let velocity = Faces::restored(grid, snapshot, "velocity")?;
        let [pressure] = Field::restored(grid, [Location::Center], snapshot, "pressure")?;
        let viscosity = match snapshot.values("viscosity")? {
            [] => None,
            _ => {
                let [nu] = Field::restored(grid, [Location::Center], snapshot, "viscosity")?;
                self.check_viscosity(&nu)?;
                Some(nu)
            }
        };
        let gaps = snapshot
            .values_exactly("gaps", self.separation.as_ref().map_or(0, Separation::count))?;
        check::all_finite("gaps", gaps)?;
        let bodies = Body::restored_all(&self.bodies, snapshot)?;
        let surface = LevelSet::from_field(phi, &self.params.boundary)?;
        if let Some(markers) = &mut self.markers {
            let unseeded = snapshot.word("unseeded")?;
            markers.restore(snapshot)?;
            self.unseeded = unseeded;
        }
        self.set_viscosity(viscosity)?;
        if let Some(separation) = &mut self.separation {
            separation.set_gaps(gaps);
        }
        self.surface = surface;
        if let Some(width) = width {
            self.surface.cut_at(width);
        }
        (self.velocity_changed, self.surface_changed) = (changed[0] != 0, changed[1] != 0);
        (self.velocity, self.pressure.p, self.bodies) = (velocity, pressure, bodies);
        (self.ledger, self.travelled, self.last) = (ledger, travelled, last);
        (self.time, self.steps) = (snapshot.time(), steps);
        self.set_ghosts();
        self.report = StepReport::nothing(self.velocity.max_abs());
        Ok(())
    }
}

impl Ledger {
    /// All numbers, as a snapshot holds them.
    fn words(&self) -> [u64; 4] {
        let sums = [self.initial, self.entered, self.left].map(f64::to_bits);
        [u64::from(self.open), sums[0], sums[1], sums[2]]
    }

    fn from_words(words: &[u64]) -> Self {
        let sum = |n: usize| f64::from_bits(words[n]);
        Self { open: words[0] != 0, initial: sum(1), entered: sum(2), left: sum(3) }
    }
}
