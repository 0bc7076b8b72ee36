//! Viscosity of the liquid: u ← (1 − Δt∇·ν∇)⁻¹ u, component by component.
//!
//! ν between two faces is that of the cell between them, or the harmonic mean of what lies on both sides, so
//! that a layer that does not hold holds nothing.
//!
//! Only faces that the pressure drives exchange momentum: nothing drags at the surface, nor at bodies
//! along which the liquid slides; those that hold it do with their own velocity.

use alloc::vec;
use alloc::vec::Vec;

use crate::advection::transport::Carrier;
use crate::advection::{Advection, Interpolation};
use crate::grid::{Boundary, Faces, Field, Grid};
use crate::poisson::diffusion::Diffusion;
use crate::poisson::{Budget, Problem};
use crate::solid::Solids;
use crate::{Error, Location, Real};

/// ν, m²/s: the same everywhere, and what it is more from place to place.
#[derive(Clone, Copy)]
pub(super) struct Nu<'a, T, const D: usize> {
    pub(super) uniform: T,
    pub(super) local: Option<&'a Field<T, D>>,
    /// The largest.
    pub(super) most: T,
}

impl<T: Real, const D: usize> Nu<'_, T, D> {
    /// ν in parts of the largest, half a cell below a face of `component` along `axis`.
    fn share(&self, grid: &Grid<T, D>, place: usize, component: usize, axis: usize) -> T {
        let Some(local) = self.local else { return T::one() };
        let (local, strides) = (local.as_slice(), grid.strides());
        if component == axis {
            return (self.uniform + local[place - strides[axis]]) / self.most;
        }
        let beside = |place: usize| {
            let pair = local[place] + local[place - strides[component]];
            self.uniform + pair * T::of(0.5)
        };
        let (above, below) = (beside(place), beside(place - strides[axis]));
        let sum = above + below;
        if sum > T::zero() { (above + above) / sum * (below / self.most) } else { T::zero() }
    }
}

/// A viscosity that the liquid carries along.
#[derive(Debug, Clone)]
pub(super) struct LocalViscosity<T, const D: usize> {
    pub(super) nu: Field<T, D>,
    next: Field<T, D>,
}

impl<T: Real, const D: usize> LocalViscosity<T, D> {
    pub(super) fn new(nu: Field<T, D>) -> Self {
        Self { next: nu.clone(), nu }
    }

    /// ν ← ν(x − Δt·u), along a velocity whose ghosts are set. Nothing comes in through sides.
    pub(super) fn carry(&mut self, carrier: &mut Carrier<T, D>, u: &Faces<T, D>, dt: T) {
        // Linear: between liquids of different viscosity nothing overshoots.
        let scheme = Advection::SemiLagrangian(Interpolation::Linear);
        let boundary = carrier.boundary;
        let fill = |q: &mut Field<T, D>| boundary.fill_scalar(q, T::zero(), T::zero());
        fill(&mut self.nu);
        carrier.aim(u, Location::Center, dt, scheme, None);
        carrier.move_along(&self.nu, (scheme, T::zero()), None, fill, &mut self.next);
        self.nu.swap_values(&mut self.next);
        fill(&mut self.nu);
    }
}

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

    /// Diffuses `u`, whose ghosts are set, for `dt`; `open` are the faces that the pressure drives.
    pub(super) fn apply(
        &mut self,
        u: &mut Faces<T, D>,
        open: &Faces<T, D>,
        solids: Option<&Solids<T, D>>,
        (nu, dt): (Nu<'_, T, D>, T),
        budget: Budget<T>,
    ) -> Result<(), Error> {
        let grid = *u.grid();
        let amount = nu.most * dt;
        for axis in 0..D {
            self.mark(open, solids, axis, u);
            for a in 0..D {
                self.link(&grid, axis, a, nu);
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

    /// Links faces that count, and those at a side to the side, with ν in parts of its largest value.
    fn link(&mut self, grid: &Grid<T, D>, component: usize, axis: usize, nu: Nu<'_, T, D>) {
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
                links.as_mut_slice()[place] =
                    if linked { nu.share(grid, place, component, axis) } else { T::zero() };
            }
        }
    }
}
