//! Viscosity of the liquid: u ← (1 − νΔt∇²)⁻¹ u, component by component.
//!
//! Only faces that the pressure drives exchange momentum: nothing drags at the surface, nor at bodies
//! along which the liquid slides; those that hold it do with their own velocity.

use alloc::vec;
use alloc::vec::Vec;

use crate::grid::{Boundary, Faces, Grid};
use crate::poisson::diffusion::Diffusion;
use crate::poisson::{Budget, Problem};
use crate::solid::Solids;
use crate::{Error, Location, Real};

#[derive(Debug, Clone)]
pub(super) struct Viscosity<T, const D: usize> {
    problems: [Problem<T, D>; D],
    diffusion: Diffusion<T, D>,
    links: Faces<T, D>,
    /// 1 at faces whose velocity is sought.
    active: Vec<u8>,
    /// 1 at those, and at faces that hold the liquid.
    counts: Vec<u8>,
}

impl<T: Real, const D: usize> Viscosity<T, D> {
    pub(super) fn new(grid: Grid<T, D>, boundary: &Boundary<T, D>) -> Result<Self, Error> {
        Ok(Self {
            problems: core::array::from_fn(|a| Problem::viscosity(grid, boundary, a)),
            diffusion: Diffusion::new(grid)?,
            links: Faces::zeros(grid),
            active: vec![0; grid.array_len()],
            counts: vec![0; grid.array_len()],
        })
    }

    #[cfg(test)]
    pub(super) fn poison(&mut self, value: T) {
        self.links.fill(value);
        self.diffusion.poison(value);
    }

    /// Diffuses `u`, whose ghosts are set, by `amount` = νΔt; `open` are the faces that the pressure
    /// drives.
    pub(super) fn apply(
        &mut self,
        u: &mut Faces<T, D>,
        open: &Faces<T, D>,
        solids: Option<&Solids<T, D>>,
        amount: T,
        budget: Budget<T>,
    ) -> Result<(), Error> {
        let grid = *u.grid();
        for axis in 0..D {
            self.mark(open, solids, axis, u);
            for a in 0..D {
                self.link(&grid, axis, a);
            }
            let problem = &mut self.problems[axis];
            problem.set_coefficients(&self.links, Some(&self.active))?;
            self.diffusion.apply(problem, &mut u[axis], Some(&self.links), amount, budget)?;
        }
        Ok(())
    }

    /// Finds the faces that count, and gives those of bodies that hold the liquid their velocity.
    fn mark(
        &mut self,
        open: &Faces<T, D>,
        solids: Option<&Solids<T, D>>,
        axis: usize,
        u: &mut Faces<T, D>,
    ) {
        let grid = *open.grid();
        self.active.fill(0);
        self.counts.fill(0);
        for place in grid.region(Location::Face(axis)).places() {
            let driven = open[axis].as_slice()[place] > T::zero();
            self.active[place] = u8::from(driven);
            self.counts[place] = u8::from(driven);
            let Some(solids) = solids else { continue };
            let closed = solids.open()[axis].as_slice()[place] <= T::zero();
            if closed && solids.no_slip()[axis][place] != 0 {
                self.counts[place] = 1;
                u[axis].as_mut_slice()[place] = solids.velocity()[axis].as_slice()[place];
            }
        }
    }

    /// Links faces that count, and those at a side to the side.
    fn link(&mut self, grid: &Grid<T, D>, component: usize, axis: usize) {
        let (stride, cells) = (grid.strides()[axis], grid.cells()[axis]);
        let links = &mut self.links[axis];
        links.fill(T::zero());
        let mut region = grid.region(Location::Face(component));
        if axis != component {
            region.hi[axis] += 1;
        }
        for n in 0..region.rows() {
            let row = region.row(n);
            for i in 0..row.len {
                let at = row.at[axis] + if axis == 0 { i } else { 0 };
                let (place, staggered) = (row.start + i, axis == component);
                let below = self.counts[place - stride] != 0 || (at == 1 && !staggered);
                let above = self.counts[place] != 0 || (at == cells + 1 && !staggered);
                let any = self.counts[place - stride] != 0 || self.counts[place] != 0;
                let linked = below && above && any;
                links.as_mut_slice()[place] = if linked { T::one() } else { T::zero() };
            }
        }
    }
}
