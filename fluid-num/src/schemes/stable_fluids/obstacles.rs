//! The solids of a scene: bodies and closed cells, and what all parts of the fluid know of them.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::StableFluids;
use super::projection::ClosedFaces;
use crate::grid::Field;
use crate::poisson::Problem;
use crate::solid::{Body, Solids};
use crate::{Error, Real, Snapshot};

/// The solids of a scene; made when the first one comes.
#[derive(Debug, Clone)]
pub(super) struct Obstacles<T, const D: usize> {
    pub(super) solids: Solids<T, D>,
    pub(super) closed: ClosedFaces<D>,
    /// 1 in solid cells; ghosts are as the cells beside them.
    pub(super) mask: Vec<u8>,
    /// The generation of `solids` that all parts know.
    pub(super) seen: Option<u64>,
}

impl<T: Real, const D: usize> StableFluids<T, D> {
    /// The bodies in the fluid.
    pub fn bodies(&self) -> &[Body<T, D>] {
        &self.bodies
    }

    /// The bodies in the fluid, to be moved, added or removed; the next step looks at them again,
    /// and takes memory for solids when they are the first.
    pub fn bodies_mut(&mut self) -> &mut Vec<Body<T, D>> {
        self.bodies_changed = true;
        &mut self.bodies
    }

    /// Closes single cells, in addition to the bodies, where `mask` says so.
    pub fn close_cells(&mut self, mask: impl Fn([usize; D]) -> bool) {
        self.obstacles().solids.close_cells(mask);
        self.bodies_changed = true;
    }

    /// Opens the cells that [`StableFluids::close_cells`] closed.
    pub fn open_closed_cells(&mut self) {
        if let Some(obstacles) = self.solids.as_deref_mut() {
            obstacles.solids.clear_closed_cells();
            self.bodies_changed = true;
        }
    }

    /// Sees only bodies with one of these layers; all at first.
    pub fn set_layers(&mut self, layers: u32) {
        self.obstacles().solids.set_layers(layers);
        self.bodies_changed = true;
    }

    /// How solids cut the grid, where there are any.
    pub fn solids(&self) -> Option<&Solids<T, D>> {
        self.solids.as_ref().map(|o| &o.solids)
    }

    /// Looks at the bodies again where they changed.
    pub(super) fn look_at_bodies(&mut self) -> Result<(), Error> {
        if !self.bodies_changed {
            return Ok(());
        }
        self.bodies_changed = false;
        if self.bodies.is_empty() && self.solids.is_none() {
            return Ok(());
        }
        let bodies = core::mem::take(&mut self.bodies);
        let updated = self.obstacles().solids.update(&bodies);
        self.bodies = bodies;
        updated?;
        let Some(obstacles) = self.solids.as_deref() else { return Ok(()) };
        if obstacles.solids.any() {
            self.projection.set_solids(&obstacles.solids)?;
            if let Err(error) = self.params.pressure_solver.suits(self.projection.problem()) {
                // Nothing has been changed yet but what the next look makes anew.
                self.bodies_changed = true;
                return Err(error);
            }
        }
        let boundary = self.params.boundary;
        for (q, params) in self.quantities.iter_mut().zip(&self.params.quantities) {
            boundary.fill_scalar(q, params.ambient, params.inflow);
            obstacles.fill_uncovered(q, params.ambient);
        }
        self.take_over_solids()
    }

    /// Tells all parts what is open and what is closed.
    pub(super) fn take_over_solids(&mut self) -> Result<(), Error> {
        let Some(obstacles) = self.solids.as_deref_mut() else { return Ok(()) };
        // What slides and what holds may have changed without anything having moved.
        let slips = obstacles.closed.set(&self.grid, &obstacles.solids);
        let generation = obstacles.solids.generation();
        if obstacles.seen == Some(generation) && !slips {
            return Ok(());
        }
        obstacles.seen = Some(generation);
        obstacles.mask.copy_from_slice(obstacles.solids.solid_cells());
        self.params.boundary.fill_mask(&self.grid, &mut obstacles.mask);
        if !obstacles.solids.any() {
            self.forget_solids();
            return Ok(());
        }
        self.projection.set_solids(&obstacles.solids)?;
        self.diffusion_problem.set_coefficients(obstacles.solids.open(), None)?;
        if self.params.kinematic_viscosity > T::zero() {
            for (axis, problem) in self.viscosity_problems.iter_mut().enumerate() {
                let links = &mut self.carried;
                obstacles.closed.link_open_faces(axis, links);
                problem.set_coefficients(links, Some(&obstacles.closed.open[axis]))?;
            }
        }
        Ok(())
    }

    /// Every cell and face is open again.
    pub(super) fn forget_solids(&mut self) {
        self.projection.clear_solids();
        self.diffusion_problem.clear_coefficients();
        self.viscosity_problems.iter_mut().for_each(Problem::clear_coefficients);
    }

    /// Adds to a snapshot which cells were solid when bodies were last looked at, because whatever
    /// is uncovered from then on is filled, and which are closed one by one.
    pub(super) fn snapshot_solids(&self, snapshot: Snapshot<T>) -> Snapshot<T> {
        let solids = self.solids.as_deref();
        let bits = |mask: Option<&[u8]>| -> Vec<bool> {
            let marked = |place: usize| mask.is_some_and(|mask| mask[place] != 0);
            self.grid.interior().places().map(marked).collect()
        };
        snapshot
            .with_bits("solid cells", bits(solids.map(|o| &o.mask[..])))
            .with_bits("closed cells", bits(solids.map(|o| o.solids.closed_cells())))
    }

    /// Takes over what a snapshot says of solid and closed cells, or nothing.
    pub(super) fn restore_solids(&mut self, snapshot: &Snapshot<T>) -> Result<(), Error> {
        let grid = self.grid;
        let mask = |name| -> Result<Vec<u8>, Error> {
            let mut mask = vec![0; grid.array_len()];
            let bits = snapshot.bits(name, grid.cell_count())?;
            grid.interior().places().zip(bits).for_each(|(place, bit)| mask[place] = u8::from(bit));
            Ok(mask)
        };
        let (mut solid, closed) = (mask("solid cells")?, mask("closed cells")?);
        let any = [&solid, &closed].into_iter().flatten().any(|cell| *cell != 0);
        if any || self.solids.is_some() {
            self.params.boundary.fill_mask(&grid, &mut solid);
            let obstacles = self.obstacles();
            (obstacles.mask, obstacles.seen) = (solid, None);
            obstacles.solids.clear_closed_cells();
            obstacles.solids.close_cells(|cell| closed[grid.index(cell)] != 0);
        }
        Ok(())
    }

    pub(super) fn obstacles(&mut self) -> &mut Obstacles<T, D> {
        let grid = self.grid;
        self.solids.get_or_insert_with(|| {
            let len = grid.array_len();
            Box::new(Obstacles {
                solids: Solids::new(grid),
                closed: ClosedFaces::new(len),
                mask: vec![0; len],
                seen: None,
            })
        })
    }
}

impl<T: Real, const D: usize> Obstacles<T, D> {
    /// Gives cells that a body has left the mean of the fluid beside them.
    fn fill_uncovered(&self, q: &mut Field<T, D>, ambient: T) {
        let solid = self.solids.solid_cells();
        let (region, strides) = (q.region(), q.grid().strides());
        let data = q.as_mut_slice();
        for n in 0..region.rows() {
            let row = region.row(n);
            for place in row.start..row.start + row.len {
                if solid[place] != 0 || self.mask[place] == 0 {
                    continue;
                }
                let (mut sum, mut count) = (T::zero(), T::zero());
                for stride in strides {
                    for beside in [place - stride, place + stride] {
                        if solid[beside] == 0 && self.mask[beside] == 0 {
                            sum += data[beside];
                            count += T::one();
                        }
                    }
                }
                data[place] = if count > T::zero() { sum / count } else { ambient };
            }
        }
    }
}

/// The solids, where any cell or face is closed.
pub(super) fn in_the_way<T: Real, const D: usize>(
    solids: &Option<Box<Obstacles<T, D>>>,
) -> Option<&Obstacles<T, D>> {
    solids.as_deref().filter(|o| o.solids.any())
}
