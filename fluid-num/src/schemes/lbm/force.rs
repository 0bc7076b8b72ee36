//! What pushes the fluid: a force that is everywhere the same, and one of every cell.

use super::collide::Block;
use super::observe::Scales;
use super::params::LbmParams;
use crate::base::snapshot::Snapshot;
use crate::{Error, Field, Grid, Location, Real};

/// What pushes the fluid, in lattice units.
#[derive(Clone, Copy)]
pub(super) struct Push<'a, T, const D: usize> {
    pub(super) uniform: [T; D],
    /// A field, and what it is to be multiplied with.
    pub(super) field: Option<([&'a [T]; D], T)>,
}

impl<T: Real, const D: usize> Push<'_, T, D> {
    /// Whether there is none.
    pub(super) fn is_nothing(&self) -> bool {
        self.field.is_none() && self.uniform.iter().all(|f| *f == T::zero())
    }

    /// The force at one place.
    pub(super) fn at(&self, i: usize) -> [T; D] {
        let mut force = self.uniform;
        if let Some((field, scale)) = self.field {
            for a in 0..D {
                force[a] += scale * field[a][i];
            }
        }
        force
    }

    /// Sets the force at `len` places from `start` on; the others of a block keep one of before.
    #[inline(always)]
    pub(super) fn fill(&self, start: usize, len: usize, force: &mut [Block<T>; D]) {
        if let Some((field, scale)) = self.field {
            for a in 0..D {
                let (field, uniform) = (&field[a][start..][..len], self.uniform[a]);
                for i in 0..len {
                    force[a].0[i] = uniform + scale * field[i];
                }
            }
        }
    }
}

/// The force of a simulation.
pub(super) fn push<'a, T: Real, const D: usize>(
    params: &LbmParams<T, D>,
    scales: &Scales<T>,
    force: &'a Option<[Field<T, D>; D]>,
) -> Push<'a, T, D> {
    let field = force.as_ref().map(|f| (f.each_ref().map(Field::as_slice), scales.force));
    Push { uniform: params.acceleration.map(|a| a * scales.acceleration), field }
}

/// Whether a force is one of the grid, and finite.
pub(super) fn check<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    force: &Option<[Field<T, D>; D]>,
) -> Result<(), Error> {
    for field in force.iter().flatten() {
        field.check_shape(grid, Location::Center, "force")?;
        field.check_finite("force")?;
    }
    Ok(())
}

/// The force of every cell that a snapshot holds.
pub(super) fn restored<T: Real, const D: usize>(
    grid: Grid<T, D>,
    snapshot: &Snapshot<T>,
) -> Result<Option<[Field<T, D>; D]>, Error> {
    match snapshot.values("force")? {
        [] => Ok(None),
        _ => Field::restored(grid, [Location::Center; D], snapshot, "force").map(Some),
    }
}
