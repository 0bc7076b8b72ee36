//! The same water on another grid.

use super::balance::Tally;
use super::{ShallowWater, sides};
use crate::{Error, Field, Real};

impl<T: Real> ShallowWater<T> {
    /// The same water over another bed, whose grid may have any number of cells: everything is
    /// stretched from the old extent to the new one. Depths are read between centres and scaled, so
    /// that there is as much water as there was (the same depth everywhere, where all that is wet
    /// falls between the new centres). Velocities and foam are those of the old places; drops, sources
    /// and bodies move along and keep their sizes. The clock and the balance go on.
    ///
    /// # Errors
    /// Those of [`Self::new`]; [`Error::GridMismatch`] for a velocity that was replaced by one of
    /// another grid.
    pub fn resampled(&self, bed: Field<T, 2>) -> Result<Self, Error> {
        self.check_velocity()?;
        let mut next = Self::new(bed, self.params)?;
        let (from, to) = (self.grid, next.grid);
        let stretch = [0, 1].map(|a| to.size()[a] / from.size()[a]);
        let old =
            |p: [T; 2]| [0, 1].map(|a| from.origin()[a] + (p[a] - to.origin()[a]) / stretch[a]);
        let new = |x: T, a: usize| to.origin()[a] + (x - from.origin()[a]) * stretch[a];
        let mut depth = Field::zeros(from);
        self.write_depth(&mut depth)?;
        sides::fill_cells(&mut depth, self.params.periodic());
        next.set_depth(|p| self.between(&depth, old(p)))?;
        next.set_volume(self.volume())?;
        for (to, from) in next.velocity.components_mut().iter_mut().zip(self.velocity.components())
        {
            to.set_from_fn(|p| self.between(from, old(p)));
        }
        if let (Some([to, _]), Some([from, _])) = (&mut next.foam, &self.foam) {
            to.set_from_fn(|p| self.between(from, old(p)));
            sides::fill_cells(to, self.params.periodic());
        }
        next.spray.extend(&self.spray);
        next.sources.clone_from(&self.sources);
        next.hulls.list.clone_from(&self.hulls.list);
        for a in 0..2 {
            next.spray.iter_mut().for_each(|drop| drop.position[a] = new(drop.position[a], a));
            next.sources.iter_mut().for_each(|s| s.center[a] = new(s.center[a], a));
            next.hulls.list.iter_mut().for_each(|b| b.position[a] = new(b.position[a], a));
        }
        next.pending_sources.clone_from(&self.pending_sources);
        next.pending_rain = self.pending_rain / (stretch[0] * stretch[1]);
        // Sums of depths: the same volumes. What rounding makes of them is told as poured in.
        let scale = self.cell_area() / next.cell_area();
        let [rain, sources, drains, sides, sponge, edits] =
            self.tally.list().map(|sum| sum * scale);
        let edits = edits + (next.volume() - self.volume()) / next.cell_area();
        next.tally = Tally { rain, sources, drains, sides, sponge, edits };
        next.draws = self.draws;
        (next.time, next.steps, next.report) = (self.time, self.steps, self.report);
        next.fill_ghosts();
        Ok(next)
    }

    /// Scales all depths so that the volume is `wanted`, m³; the same depth everywhere where it is dry.
    fn set_volume(&mut self, wanted: f64) -> Result<(), Error> {
        let found = self.volume();
        if found > 0.0 {
            let share = T::of(wanted / found);
            let mut depths = Field::zeros(self.grid);
            self.write_depth(&mut depths)?;
            let mut depths = depths.values();
            return self.set_depth(|_| share * depths.next().unwrap_or(T::zero()));
        }
        let depth = T::of(wanted / (self.grid.cell_count() as f64 * self.cell_area()));
        self.set_depth(|_| depth)
    }
}
