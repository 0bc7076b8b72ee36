//! Views of a flow whose velocity is known at centres: speed, vorticity, Q-criterion.
//!
//! ```text
//! ω = ∇×u     Q = ½(|Ω|² − |S|²) = −½ Σ_ab ∂_a u_b ∂_b u_a     S + Ω = ∇u
//! ```
//!
//! Derivatives are central differences, second order; beside sides that are not periodic they reach
//! inwards alone, first order. Solid cells count as fluid at rest.
//!
//! Reference: J. C. R. Hunt, A. A. Wray, P. Moin, *Eddies, streams, and convergence zones in
//! turbulent flows*, CTR-S88, 1988.

use super::Lbm;
use super::lattice::Lattice;
use crate::base::exec::{self, Row, RowPass};
use crate::grid::ops::{curl_components, same_grid};
use crate::{Boundary, Error, Field, Real};

impl<T, L, const D: usize, const Q: usize> Lbm<T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    /// |u| of every cell, m/s.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] where `out` belongs to another grid.
    pub fn speed(&self, out: &mut Field<T, D>) -> Result<(), Error> {
        let u = self.velocity().each_ref().map(Field::as_slice);
        run(self.velocity(), &Speed { u }, out)
    }

    /// Component `k` of ∇×u of every cell, 1/s: the only one in the plane; x, y or z in space.
    ///
    /// ```
    /// use fluid_num::{Boundary, Field, Grid2, LbmD2Q9, LbmParams};
    /// let params = LbmParams { boundary: Boundary::periodic(), ..Default::default() };
    /// let mut lbm = LbmD2Q9::<f64>::new(Grid2::new([8, 8], 1.0)?, params)?;
    /// lbm.set_flow(|[x, y]| ([4.0 - y, x - 4.0], 0.0))?;
    /// let mut vorticity = Field::zeros(*lbm.grid());
    /// lbm.vorticity(0, &mut vorticity)?;
    /// assert!((vorticity[[3, 3]] - 2.0).abs() < 1e-12);
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::GridMismatch`] where `out` belongs to another grid, [`Error::NoSuchEntry`] for a
    /// component that does not exist.
    pub fn vorticity(&self, k: usize, out: &mut Field<T, D>) -> Result<(), Error> {
        let count = curl_components(D);
        if k >= count {
            return Err(Error::NoSuchEntry { name: "vorticity component", index: k, count });
        }
        let (a, b) = if D == 2 { (0, 1) } else { ((k + 1) % 3, (k + 2) % 3) };
        let slopes = Slopes::new(self.velocity(), &self.params().boundary);
        run(self.velocity(), &Vorticity { slopes, a, b }, out)
    }

    /// The Q-criterion of every cell, 1/s²: > 0 in vortices, < 0 where the flow is strained.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] where `out` belongs to another grid.
    pub fn q_criterion(&self, out: &mut Field<T, D>) -> Result<(), Error> {
        let slopes = Slopes::new(self.velocity(), &self.params().boundary);
        run(self.velocity(), &QCriterion { slopes }, out)
    }
}

fn run<T: Real, const D: usize>(
    velocity: &[Field<T, D>; D],
    pass: &impl RowPass<T, D, 1>,
    out: &mut Field<T, D>,
) -> Result<(), Error> {
    let grid = *velocity[0].grid();
    same_grid(*out.grid() == grid, "out")?;
    exec::rows(&grid.interior(), [out.as_mut_slice()], pass);
    Ok(())
}

struct Speed<'a, T, const D: usize> {
    u: [&'a [T]; D],
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Speed<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let out = &mut out[..row.len];
        let (x, y, z) = (row.of(self.u[0]), row.of(self.u[1]), row.of(self.u[D - 1]));
        for i in 0..row.len {
            let plane = x[i] * x[i] + y[i] * y[i];
            let whole = if D == 2 { plane } else { plane + z[i] * z[i] };
            out[i] = whole.sqrt();
        }
    }
}

/// ∂u_b/∂a of any row.
struct Slopes<'a, T, const D: usize> {
    u: [&'a [T]; D],
    cells: [usize; D],
    strides: [usize; D],
    periodic: [bool; D],
    per_dx: T,
}

/// Where the two samples of a difference lie, and what it is worth.
#[derive(Clone, Copy)]
struct Difference<T> {
    below: usize,
    above: usize,
    scale: T,
}

impl<'a, T: Real, const D: usize> Slopes<'a, T, D> {
    fn new(velocity: &'a [Field<T, D>; D], boundary: &Boundary<T, D>) -> Self {
        let grid = velocity[0].grid();
        Self {
            u: velocity.each_ref().map(Field::as_slice),
            cells: grid.cells(),
            strides: grid.strides(),
            periodic: core::array::from_fn(|a| boundary.is_periodic(a)),
            per_dx: T::one() / grid.dx(),
        }
    }

    /// The difference along `axis` at the place `start` with storage index `at` on that axis.
    #[inline(always)]
    fn along(&self, axis: usize, start: usize, at: usize) -> Difference<T> {
        let (n, stride) = (self.cells[axis], self.strides[axis]);
        let [below, above] = match (at == 1, at == n, self.periodic[axis]) {
            (true, true, _) => [start, start],
            (true, _, true) => [start + (n - 1) * stride, start + stride],
            (_, true, true) => [start - stride, start - (n - 1) * stride],
            (true, _, _) => [start, start + stride],
            (_, true, _) => [start - stride, start],
            _ => [start - stride, start + stride],
        };
        let edge = !self.periodic[axis] && (at == 1 || at == n);
        let scale = if edge { self.per_dx } else { T::of(0.5) * self.per_dx };
        Difference { below, above, scale }
    }

    /// The parts of a row in which differences reach alike far: its ends and all between.
    #[inline(always)]
    fn parts(row: Row<D>) -> [(usize, usize); 3] {
        let last = row.len.max(2) - 1;
        [(0, 1), (1, last), (last, row.len.max(last))]
    }

    /// The differences along all axes for the part of a row that begins with cell `first`.
    #[inline(always)]
    fn of_part(&self, row: Row<D>, first: usize) -> [Difference<T>; D] {
        let mut differences = [Difference { below: 0, above: 0, scale: T::zero() }; D];
        for a in 0..D {
            let at = row.at[a] + if a == 0 { first } else { 0 };
            differences[a] = self.along(a, row.start + first, at);
        }
        differences
    }
}

struct Vorticity<'a, T, const D: usize> {
    slopes: Slopes<'a, T, D>,
    a: usize,
    b: usize,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Vorticity<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let Self { slopes, a, b } = self;
        for (first, end) in Slopes::<T, D>::parts(row) {
            let out = &mut out[first..end];
            let len = out.len();
            let d = slopes.of_part(row, first);
            let (ub, ua) = (slopes.u[*b], slopes.u[*a]);
            let (b0, b1) = (&ub[d[*a].below..][..len], &ub[d[*a].above..][..len]);
            let (a0, a1) = (&ua[d[*b].below..][..len], &ua[d[*b].above..][..len]);
            let (sa, sb) = (d[*a].scale, d[*b].scale);
            for i in 0..len {
                out[i] = (b1[i] - b0[i]) * sa - (a1[i] - a0[i]) * sb;
            }
        }
    }
}

struct QCriterion<'a, T, const D: usize> {
    slopes: Slopes<'a, T, D>,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for QCriterion<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let slopes = &self.slopes;
        for (first, end) in Slopes::<T, D>::parts(row) {
            let out = &mut out[first..end];
            let len = out.len();
            let d = slopes.of_part(row, first);
            for i in 0..len {
                // −½ Σ_a (∂_a u_a)² − Σ_{a<b} ∂_a u_b ∂_b u_a
                let slope = |a: usize, b: usize| {
                    (slopes.u[b][d[a].above + i] - slopes.u[b][d[a].below + i]) * d[a].scale
                };
                let mut q = T::zero();
                for a in 0..D {
                    q -= T::of(0.5) * slope(a, a) * slope(a, a);
                    for b in a + 1..D {
                        q -= slope(a, b) * slope(b, a);
                    }
                }
                out[i] = q;
            }
        }
    }
}
