//! The projection: u ← u − ∇φ with ∇·(F∇φ) = ∇·(F u + (1 − F) u_solid), F the open fraction.

use alloc::vec;
use alloc::vec::Vec;

use crate::base::digest::Digest;
use crate::base::exec::{self, Row, RowPass};
use crate::grid::{Boundary, Faces, Field, Grid, Side};
use crate::poisson::{Budget, PoissonSolver, Problem, Solver, SolverKind};
use crate::solid::{Solids, flux};
use crate::{Error, Real, SolveReport};

/// The pressure problem of a fluid, its solver, and the last solution.
#[derive(Debug, Clone)]
pub(super) struct Projection<T, const D: usize> {
    problem: Problem<T, D>,
    solver: Solver<T, D>,
    /// φ = Δt p/ρ: the last solution and the next guess.
    pub(super) pressure: Field<T, D>,
    /// The same for the second projection of a step, where there are two.
    second: Field<T, D>,
    rhs: Field<T, D>,
}

impl<T: Real, const D: usize> Projection<T, D> {
    pub(super) fn new(
        grid: Grid<T, D>,
        boundary: &Boundary<T, D>,
        kind: SolverKind<T>,
    ) -> Result<Self, Error> {
        Ok(Self {
            problem: Problem::pressure(grid, boundary)?,
            solver: Solver::new(grid, kind)?,
            pressure: Field::zeros(grid),
            second: Field::zeros(grid),
            rhs: Field::zeros(grid),
        })
    }

    /// The problem that is solved.
    pub(super) fn problem(&self) -> &Problem<T, D> {
        &self.problem
    }

    /// Takes over the open fractions of solids that have moved.
    pub(super) fn set_solids(&mut self, solids: &Solids<T, D>) -> Result<(), Error> {
        self.problem.set_coefficients(solids.open(), None)
    }

    /// Takes over the last solutions.
    pub(super) fn copy_guesses(&mut self, other: &Self) -> Result<(), Error> {
        self.pressure.copy_from(&other.pressure)?;
        self.second.copy_from(&other.second)
    }

    /// The last solutions.
    pub(super) fn guesses(&self) -> [&Field<T, D>; 2] {
        [&self.pressure, &self.second]
    }

    /// Sets the last solutions.
    pub(super) fn set_guesses(&mut self, guesses: [Field<T, D>; 2]) {
        [self.pressure, self.second] = guesses;
    }

    /// Adds the last solutions to a digest.
    pub(super) fn digest(&self, digest: Digest) -> Digest {
        self.second.digest(self.pressure.digest(digest))
    }

    /// Exchanges the guesses of the first and the second projection of a step.
    pub(super) fn exchange_guess(&mut self) {
        self.pressure.swap_values(&mut self.second);
    }

    #[cfg(test)]
    pub(super) fn poison(&mut self, value: T) {
        self.rhs.fill(value);
        self.pressure.poison_ghosts();
        self.second.poison_ghosts();
        self.solver.poison(value);
    }

    /// Forgets all solids.
    pub(super) fn clear_solids(&mut self) {
        self.problem.clear_coefficients();
    }

    /// Writes the divergence of what flows through the faces.
    pub(super) fn divergence(
        u: &Faces<T, D>,
        solids: Option<&Solids<T, D>>,
        out: &mut Field<T, D>,
    ) -> Result<(), Error> {
        match solids {
            None => crate::grid::ops::divergence(u, out),
            Some(solids) => flux::divergence(u, solids, out),
        }
    }

    /// Makes `u`, whose normal components on the sides are set, free of divergence.
    pub(super) fn apply(
        &mut self,
        u: &mut Faces<T, D>,
        boundary: &Boundary<T, D>,
        solids: Option<&Solids<T, D>>,
        budget: Budget<T>,
    ) -> Result<SolveReport<T>, Error> {
        let Self { problem, solver, pressure, rhs, .. } = self;
        Self::divergence(u, solids, rhs)?;
        let report = solver.solve(problem, rhs, pressure, budget)?;
        fill_pressure(boundary, pressure);
        let grid = *u.grid();
        for axis in 0..D {
            let pass = Subtract {
                p: pressure.as_slice(),
                open: solids.map(|s| s.open()[axis].as_slice()),
                stride: grid.strides()[axis],
                scale: T::one() / grid.dx(),
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

/// φ = 0 on open sides; no slope at walls.
fn fill_pressure<T: Real, const D: usize>(boundary: &Boundary<T, D>, pressure: &mut Field<T, D>) {
    let walls = Boundary {
        sides: boundary.sides.map(|ends| {
            ends.map(|side| match side {
                Side::Open | Side::Periodic => side,
                _ => Side::FreeSlip,
            })
        }),
    };
    walls.fill_scalar(pressure, T::zero(), T::zero());
}

struct Subtract<'a, T> {
    p: &'a [T],
    open: Option<&'a [T]>,
    stride: usize,
    scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Subtract<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [u]: [&mut [T]; 1]) {
        let (u, scale) = (&mut u[..row.len], self.scale);
        let (here, below) = (row.of(self.p), row.before(self.p, self.stride));
        match self.open {
            None => {
                for i in 0..row.len {
                    u[i] = (u[i] - (here[i] - below[i]) * scale).or_nothing();
                }
            }
            Some(open) => {
                let open = row.of(open);
                for i in 0..row.len {
                    let slope = (here[i] - below[i]) * scale;
                    u[i] -= if open[i] > T::zero() { slope } else { T::zero() };
                }
            }
        }
    }
}

/// The closed faces along each axis, and what the fluid's velocity is taken to be there.
#[derive(Debug, Clone)]
pub(super) struct ClosedFaces<const D: usize> {
    /// Faces on or inside a body: they have its velocity.
    held: [Vec<u32>; D],
    /// Faces inside a body along which the fluid slides: they continue the fluid beside it.
    sliding: [Vec<u32>; D],
    /// 1 where a face is open; ghosts count as closed.
    pub(super) open: [Vec<u8>; D],
}

impl<const D: usize> ClosedFaces<D> {
    pub(super) fn new(len: usize) -> Self {
        Self {
            held: core::array::from_fn(|_| Vec::with_capacity(len)),
            sliding: core::array::from_fn(|_| Vec::with_capacity(len)),
            open: core::array::from_fn(|_| vec![0; len]),
        }
    }

    /// Lists the closed faces anew; tells whether the number of sliding ones has changed.
    pub(super) fn set<T: Real>(&mut self, grid: &Grid<T, D>, solids: &Solids<T, D>) -> bool {
        let before = self.sliding.each_ref().map(Vec::len);
        let (solid, no_slip) = (solids.solid_cells(), solids.no_slip());
        for axis in 0..D {
            let stride = grid.strides()[axis];
            let fraction = solids.open()[axis].as_slice();
            self.held[axis].clear();
            self.sliding[axis].clear();
            let region = grid.region(crate::Location::Face(axis));
            for n in 0..region.rows() {
                let row = region.row(n);
                for place in row.start..row.start + row.len {
                    let closed = fraction[place] == T::zero();
                    self.open[axis][place] = u8::from(!closed);
                    if !closed {
                        continue;
                    }
                    let inside = solid[place] != 0 && solid[place - stride] != 0;
                    if inside && no_slip[axis][place] == 0 {
                        self.sliding[axis].push(place as u32);
                    } else {
                        self.held[axis].push(place as u32);
                    }
                }
            }
        }
        before != self.sliding.each_ref().map(Vec::len)
    }

    /// Links for the viscosity of one component: 1 between neighbouring faces, but 0 between an
    /// open one and one along which the fluid slides.
    pub(super) fn link_open_faces<T: Real>(&self, component: usize, links: &mut Faces<T, D>) {
        links.fill(T::one());
        let strides = links.grid().strides();
        for place in self.sliding[component].iter().map(|p| *p as usize) {
            for a in 0..D {
                let link = links[a].as_mut_slice();
                link[place] = T::zero();
                // A face on the upper side of its axis has no link above.
                if let Some(above) = link.get_mut(place + strides[a]) {
                    *above = T::zero();
                }
            }
        }
    }

    /// Sets the velocity on all closed faces.
    pub(super) fn enforce<T: Real>(&self, solids: &Solids<T, D>, u: &mut Faces<T, D>) {
        let strides = u.grid().strides();
        for axis in 0..D {
            let body = solids.velocity()[axis].as_slice();
            let open = &self.open[axis];
            let u = u[axis].as_mut_slice();
            for place in &self.held[axis] {
                u[*place as usize] = body[*place as usize];
            }
            for place in self.sliding[axis].iter().map(|p| *p as usize) {
                let (mut sum, mut count) = (T::zero(), T::zero());
                for a in (0..D).filter(|a| *a != axis) {
                    for beside in [place - strides[a], place + strides[a]] {
                        if open[beside] != 0 {
                            sum += u[beside];
                            count += T::one();
                        }
                    }
                }
                u[place] = if count > T::zero() { sum / count } else { body[place] };
            }
        }
    }
}
