//! The pressure of a liquid with a free surface.
//!
//! ```text
//! ∇·(F w ∇p) = (ρ/Δt) ∇·(F u + (1 − F) u_solid)      u ← u − (Δt/ρ) w ∇p
//! w = 1 between two liquid cells;  1/θ, θ = |φ_liquid|/(|φ_liquid| + φ_air), from a liquid one to air
//! ```
//! so that p = 0 holds on the surface and not at the centre of the cell of air (ghost fluid; Gibou,
//! Fedkiw, Cheng and Kang 2002, <https://doi.org/10.1006/jcph.2001.6977>). θ is bounded away from zero.

use alloc::vec;
use alloc::vec::Vec;

use super::separation::{Separation, opened};
use crate::base::exec::{self, Row, RowPass};
use crate::grid::{Boundary, Faces, Field, Grid, Side, ops};
use crate::poisson::{Budget, PoissonSolver, Problem, Solver, SolverKind};
use crate::solid::{Solids, flux};
use crate::{Error, Location, Real, SolveReport};

/// The pressure problem of a liquid, its solver, and the last solution.
#[derive(Debug, Clone)]
pub(super) struct Pressure<T, const D: usize> {
    pub(super) problem: Problem<T, D>,
    solver: Solver<T, D>,
    /// p: the last solution and the next guess.
    pub(super) p: Field<T, D>,
    /// The right-hand side.
    pub(super) rhs: Field<T, D>,
    /// w, and 0 between two cells of air.
    pub(super) weights: Faces<T, D>,
    /// F·w.
    open: Faces<T, D>,
    /// 1 in liquid cells.
    active: Vec<u8>,
}

impl<T: Real, const D: usize> Pressure<T, D> {
    pub(super) fn new(
        grid: Grid<T, D>,
        boundary: &Boundary<T, D>,
        kind: SolverKind<T>,
        separating: bool,
    ) -> Result<Self, Error> {
        // p = 0 at the liquid's end, where it has come off a wall; closed elsewhere.
        let boundary = if separating { opened(boundary) } else { *boundary };
        Ok(Self {
            problem: Problem::pressure(grid, &boundary)?,
            solver: Solver::new(grid, kind)?,
            p: Field::zeros(grid),
            rhs: Field::zeros(grid),
            weights: Faces::zeros(grid),
            open: Faces::zeros(grid),
            active: vec![0; grid.array_len()],
        })
    }

    #[cfg(test)]
    pub(super) fn poison(&mut self, value: T) {
        self.rhs.fill(value);
        self.p.poison_ghosts();
        self.solver.poison(value);
    }

    /// Whether a cell is liquid.
    pub(super) fn is_liquid(&self, place: usize) -> bool {
        self.active[place] != 0
    }

    /// The faces through which pressure drives the liquid: F·w, 0 at all others.
    pub(super) fn open(&self) -> &Faces<T, D> {
        &self.open
    }

    /// Finds the liquid cells and the coefficients of faces.
    pub(super) fn aim(
        &mut self,
        phi: &Field<T, D>,
        solids: Option<&Solids<T, D>>,
        separation: Option<&Separation<T, D>>,
        least_fraction: T,
    ) -> Result<(), Error> {
        let grid = *phi.grid();
        let solid = solids.map(Solids::solid_cells);
        let pass = Liquid { phi: phi.as_slice(), solid };
        exec::rows(&grid.interior(), [self.active.as_mut_slice()], &pass);
        for axis in 0..D {
            let pass = Weights {
                phi: phi.as_slice(),
                open: solids.map(|s| s.open()[axis].as_slice()),
                stride: grid.strides()[axis],
                least_fraction,
            };
            let out = [self.weights[axis].as_mut_slice(), self.open[axis].as_mut_slice()];
            exec::rows(&grid.region(Location::Face(axis)), out, &pass);
        }
        self.open_walls(solids, separation, least_fraction)
    }

    /// Sets the coefficients of the problem, with the walls that hold the liquid and those that do not.
    pub(super) fn open_walls(
        &mut self,
        solids: Option<&Solids<T, D>>,
        separation: Option<&Separation<T, D>>,
        least_fraction: T,
    ) -> Result<(), Error> {
        if let Some(separation) = separation {
            separation.open(&mut self.open, solids.map(Solids::open), least_fraction);
        }
        self.problem.set_coefficients(&self.open, Some(&self.active))
    }

    /// Writes (ρ/Δt)(∇·u − source) of the liquid cells to the right-hand side.
    pub(super) fn set_rhs(
        &mut self,
        u: &Faces<T, D>,
        solids: Option<&Solids<T, D>>,
        source: T,
    ) -> Result<(), Error> {
        match solids {
            None => ops::divergence(u, &mut self.rhs)?,
            Some(solids) => flux::divergence(u, solids, &mut self.rhs)?,
        }
        let pass = Sources { active: &self.active, source };
        exec::rows(&self.rhs.region(), [self.rhs.as_mut_slice()], &pass);
        Ok(())
    }

    /// Solves for the pressure, where the right-hand side is a divergence, and takes its gradient off
    /// `u`; `per` is Δt/ρ.
    pub(super) fn apply(
        &mut self,
        u: &mut Faces<T, D>,
        boundary: &Boundary<T, D>,
        per: T,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error> {
        let grid = *u.grid();
        exec::rows(&self.rhs.region(), [self.rhs.as_mut_slice()], &Scale(T::one() / per));
        let report = self.solver.solve(&self.problem, &self.rhs, &mut self.p, budget)?;
        fill(boundary, &mut self.p);
        for axis in 0..D {
            let pass = Subtract {
                p: self.p.as_slice(),
                weights: self.weights[axis].as_slice(),
                open: self.open[axis].as_slice(),
                stride: grid.strides()[axis],
                scale: per / grid.dx(),
            };
            let mut region = grid.inner_faces(axis);
            if matches!(boundary.sides[axis][0], Side::Open | Side::Periodic) {
                region.lo[axis] = 1;
            }
            if boundary.sides[axis][1] == Side::Open {
                region.hi[axis] += 1;
            }
            exec::rows(&region, [u[axis].as_mut_slice()], &pass);
        }
        Ok(report)
    }
}

/// p = 0 on open sides; no slope at walls.
fn fill<T: Real, const D: usize>(boundary: &Boundary<T, D>, p: &mut Field<T, D>) {
    let sides = boundary.sides.map(|ends| {
        ends.map(|side| match side {
            Side::Open | Side::Periodic => side,
            _ => Side::FreeSlip,
        })
    });
    Boundary { sides }.fill_scalar(p, T::zero(), T::zero());
}

struct Liquid<'a, T> {
    phi: &'a [T],
    solid: Option<&'a [u8]>,
}

impl<T: Real, const D: usize> RowPass<u8, D, 1> for Liquid<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [active]: [&mut [u8]; 1]) {
        let (active, phi) = (&mut active[..row.len], row.of(self.phi));
        for i in 0..row.len {
            active[i] = u8::from(phi[i] < T::zero());
        }
        if let Some(solid) = self.solid {
            let solid = row.of(solid);
            for i in 0..row.len {
                active[i] &= u8::from(solid[i] == 0);
            }
        }
    }
}

struct Weights<'a, T> {
    phi: &'a [T],
    open: Option<&'a [T]>,
    stride: usize,
    least_fraction: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 2> for Weights<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [weights, open]: [&mut [T]; 2]) {
        let (weights, open) = (&mut weights[..row.len], &mut open[..row.len]);
        let (above, below) = (row.of(self.phi), row.before(self.phi, self.stride));
        let least = self.least_fraction;
        for i in 0..row.len {
            let (low, high) = (above[i].at_most(below[i]), above[i].at_least(below[i]));
            let fraction = (low / (low - high)).at_least(least);
            let beside_air = T::one() / fraction;
            let liquid = if high < T::zero() { T::one() } else { beside_air };
            weights[i] = if low < T::zero() { liquid } else { T::zero() };
            open[i] = weights[i];
        }
        if let Some(part) = self.open {
            let part = row.of(part);
            for i in 0..row.len {
                open[i] *= part[i];
            }
        }
    }
}

struct Sources<'a, T> {
    active: &'a [u8],
    source: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Sources<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [rhs]: [&mut [T]; 1]) {
        let (rhs, active, source) = (&mut rhs[..row.len], row.of(self.active), self.source);
        for i in 0..row.len {
            rhs[i] = if active[i] != 0 { rhs[i] - source } else { T::zero() };
        }
    }
}

struct Scale<T>(T);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Scale<T> {
    #[inline(always)]
    fn row(&self, _: Row<D>, [out]: [&mut [T]; 1]) {
        let scale = self.0;
        for v in out {
            *v *= scale;
        }
    }
}

struct Subtract<'a, T> {
    p: &'a [T],
    weights: &'a [T],
    open: &'a [T],
    stride: usize,
    scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Subtract<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [u]: [&mut [T]; 1]) {
        let (u, scale) = (&mut u[..row.len], self.scale);
        let (here, below) = (row.of(self.p), row.before(self.p, self.stride));
        let (weights, open) = (row.of(self.weights), row.of(self.open));
        for i in 0..row.len {
            let slope = weights[i] * (here[i] - below[i]) * scale;
            u[i] = (u[i] - if open[i] > T::zero() { slope } else { T::zero() }).or_nothing();
        }
    }
}
