//! Semi-Lagrangian advection: q'(x) = q(x − Δt·u).
//!
//! The path back from x is found by [`trace`] and kept as a displacement in cells;
//! [`super::Transport`] reads a field there. The result lies, to rounding, within the range of the
//! values that are read, whatever the velocity and the step.
//!
//! References: J. Stam, *Stable Fluids*, 1999, <https://doi.org/10.1145/311535.311548>;
//! A. Ralston, *Runge–Kutta methods with minimum error bounds*, 1962,
//! <https://doi.org/10.1090/S0025-5718-1962-0150954-0>.

use crate::base::exec::{self, Region, Row, RowPass};
use crate::grid::cubic::Limit;
use crate::grid::sample::{BLOCK, Lattice, Located, linear_block};
use crate::grid::{Faces, Grid, Location};
use crate::{Boundary, Real};

/// How the path of the fluid is integrated over a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathOrder {
    /// One evaluation: x − Δt·u(x). First order; spirals outwards in a vortex.
    Euler,
    /// The midpoint rule, two evaluations, second order.
    #[default]
    Midpoint,
    /// Ralston's third-order rule, three evaluations.
    Ralston,
}

/// How a field is read between its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Multilinear: the mean of 2ᴰ samples, first order as a transport scheme.
    #[default]
    Linear,
    /// Monotone cubic (Fritsch–Carlson) along each axis: 4ᴰ samples, sharper, no new extrema, no
    /// ripples; flattens peaks.
    MonotoneCubic,
    /// Catmull–Rom cubic, cut to the range of the 2ᴰ samples around the place: sharper still and
    /// no new extrema.
    ClampedCubic,
    /// The same without the cut: the sharpest, keeps peaks, and overshoots beside jumps. For what is
    /// smooth, as a level set is.
    Cubic,
}

/// Finds where the fluid at every place of `at` was `dt` seconds ago (where it will be, for a
/// negative `dt`): `out[axis]` becomes the displacement along `axis` in cells.
///
/// Reads the ghost layer of `u`. Displacements are not yet cut at the sides of the domain; reading
/// a field there cuts or wraps them.
pub fn trace<T: Real, const D: usize>(
    u: &Faces<T, D>,
    boundary: &Boundary<T, D>,
    at: Location,
    dt: T,
    order: PathOrder,
    out: [&mut [T]; D],
) {
    exec::rows(&u.grid().region(at), out, &Trace::new(u, boundary, at, dt, order));
}

/// Reads `N` fields at the places displaced from those of `region` by `path`, all with one lookup
/// of the place.
pub(crate) fn interpolate<T: Real, const D: usize, const N: usize>(
    q: [&[T]; N],
    lattice: &Lattice<T, D>,
    grid: &Grid<T, D>,
    region: &Region<D>,
    path: [&[T]; D],
    interpolation: Interpolation,
    out: [&mut [T]; N],
) {
    let pass = Interpolate { q, lattice: *lattice, strides: grid.strides(), path };
    match interpolation {
        Interpolation::Linear => exec::rows(region, out, &Read::<_, LINEAR>(pass)),
        Interpolation::MonotoneCubic => exec::rows(region, out, &Read::<_, MONOTONE>(pass)),
        Interpolation::ClampedCubic => exec::rows(region, out, &Read::<_, CLAMPED>(pass)),
        Interpolation::Cubic => exec::rows(region, out, &Read::<_, CUBIC>(pass)),
    }
}

/// What [`trace`] does with a row, or with a part of one.
pub(crate) struct Trace<'a, T, const D: usize> {
    u: [&'a [T]; D],
    lattices: [Lattice<T, D>; D],
    /// From the storage index of the traced place to that of each component.
    shifts: [[T; D]; D],
    strides: [usize; D],
    at: Location,
    scale: T,
    order: PathOrder,
}

impl<T: Real, const D: usize> RowPass<T, D, D> for Trace<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, mut out: [&mut [T]; D]) {
        for c in 0..D {
            self.velocity_here(row, c, out[c]);
        }
        if self.order == PathOrder::Euler {
            return;
        }
        let mut located = Located::new();
        let (mut second, mut third) = ([[T::zero(); BLOCK]; D], [[T::zero(); BLOCK]; D]);
        let mut first = 0;
        while first < row.len {
            let count = (row.len - first).min(BLOCK);
            let mut at = row.at;
            at[0] += first;
            let block = out.each_mut().map(|o| &mut o[first..first + count]);
            if at_rest(&block.each_ref().map(|b| &**b)) {
                first += count;
                continue;
            }
            self.at_fraction(
                at,
                &block.each_ref().map(|b| &**b),
                T::of(0.5),
                &mut located,
                &mut second,
            );
            if self.order == PathOrder::Midpoint {
                for c in 0..D {
                    block[c].copy_from_slice(&second[c][..count]);
                }
            } else {
                let halfway = second.each_ref().map(|s| &s[..count]);
                self.at_fraction(at, &halfway, T::of(0.75), &mut located, &mut third);
                let (w1, w2, w3) = (T::of(2.0 / 9.0), T::of(3.0 / 9.0), T::of(4.0 / 9.0));
                for c in 0..D {
                    for n in 0..count {
                        block[c][n] = w1 * block[c][n] + w2 * second[c][n] + w3 * third[c][n];
                    }
                }
            }
            first += count;
        }
    }
}

impl<'a, T: Real, const D: usize> Trace<'a, T, D> {
    pub(crate) fn new(
        u: &'a Faces<T, D>,
        boundary: &Boundary<T, D>,
        at: Location,
        dt: T,
        order: PathOrder,
    ) -> Self {
        let grid = *u.grid();
        let on = |axis: usize, location: Location| {
            if location == Location::Face(axis) { T::zero() } else { T::of(0.5) }
        };
        Self {
            u: u.slices(),
            lattices: core::array::from_fn(|c| Lattice::new(&grid, Location::Face(c), boundary)),
            shifts: core::array::from_fn(|c| {
                core::array::from_fn(|axis| on(axis, at) - on(axis, Location::Face(c)))
            }),
            strides: grid.strides(),
            at,
            scale: -dt / grid.dx(),
            order,
        }
    }

    /// Component `c` at the traced places themselves: the mean of its nearest samples, as a
    /// displacement.
    #[inline(always)]
    fn velocity_here(&self, row: Row<D>, c: usize, out: &mut [T]) {
        let (u, up) = (self.u[c], self.strides[c]);
        let out = &mut out[..row.len];
        match self.at {
            Location::Center => {
                let (a, b) = (row.of(u), row.after(u, up));
                let half = self.scale * T::of(0.5);
                for i in 0..row.len {
                    out[i] = (a[i] + b[i]) * half;
                }
            }
            Location::Face(axis) if axis == c => {
                let (a, scale) = (row.of(u), self.scale);
                for i in 0..row.len {
                    out[i] = a[i] * scale;
                }
            }
            Location::Face(axis) => {
                let down = self.strides[axis];
                let (a, b) = (row.of(u), row.after(u, up));
                let (c, d) = (row.before(u, down), &u[row.start + up - down..][..row.len]);
                let quarter = self.scale * T::of(0.25);
                for i in 0..row.len {
                    out[i] = ((a[i] + c[i]) + (b[i] + d[i])) * quarter;
                }
            }
        }
    }

    /// All components, as displacements, at `fraction` of the way along `path`.
    #[inline(always)]
    fn at_fraction(
        &self,
        at: [usize; D],
        path: &[&[T]; D],
        fraction: T,
        located: &mut Located<T, D>,
        out: &mut [[T; BLOCK]; D],
    ) {
        let count = path[0].len().min(BLOCK);
        let mut part = [[T::zero(); BLOCK]; D];
        for a in 0..D {
            for n in 0..count {
                part[a][n] = path[a][n] * fraction;
            }
        }
        let part = part.each_ref().map(|p| &p[..count]);
        let scale = self.scale;
        for c in 0..D {
            self.lattices[c].locate_block(at, part, self.shifts[c], located);
            let out = &mut out[c][..count];
            linear_block(self.u[c], self.strides, located, out);
            for u in out {
                *u *= scale;
            }
        }
    }
}

/// Whether none of these displacements leads anywhere: what is at rest costs next to nothing.
#[inline(always)]
fn at_rest<T: Real, const D: usize>(paths: &[&[T]; D]) -> bool {
    let mut moves = 0;
    for path in paths {
        for s in *path {
            moves |= u32::from(*s != T::zero());
        }
    }
    moves == 0
}

struct Interpolate<'a, T, const D: usize, const N: usize> {
    q: [&'a [T]; N],
    lattice: Lattice<T, D>,
    strides: [usize; D],
    path: [&'a [T]; D],
}

const LINEAR: u8 = 0;
const MONOTONE: u8 = 1;
const CLAMPED: u8 = 2;
const CUBIC: u8 = 3;

struct Read<P, const HOW: u8>(P);

impl<T: Real, const D: usize, const N: usize, const HOW: u8> RowPass<T, D, N>
    for Read<Interpolate<'_, T, D, N>, HOW>
{
    #[inline(always)]
    fn row(&self, row: Row<D>, out: [&mut [T]; N]) {
        let Interpolate { q, lattice, strides, path } = &self.0;
        let path = path.map(|p| row.of(p));
        let mut located = Located::new();
        let mut first = 0;
        while first < row.len {
            let count = (row.len - first).min(BLOCK);
            let mut at = row.at;
            at[0] += first;
            let block = path.map(|p| &p[first..first + count]);
            if at_rest(&block) {
                for k in 0..N {
                    let from = &row.of(q[k])[first..first + count];
                    for (out, from) in out[k][first..first + count].iter_mut().zip(from) {
                        *out = from.or_nothing();
                    }
                }
                first += count;
                continue;
            }
            lattice.locate_block(at, block, [T::zero(); D], &mut located);
            for k in 0..N {
                let out = &mut out[k][first..first + count];
                match HOW {
                    LINEAR => linear_block(q[k], *strides, &located, out),
                    _ => {
                        let limit = match HOW {
                            MONOTONE => Limit::Monotone,
                            CLAMPED => Limit::Range,
                            _ => Limit::None,
                        };
                        lattice.cubic_block(q[k], &located, limit, out);
                    }
                }
                for value in out {
                    *value = value.or_nothing();
                }
            }
            first += count;
        }
    }
}
