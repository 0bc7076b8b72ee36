//! Forward advection: every cell pushes its value, with linear weights, to where it flows.
//!
//! The sum over all cells changes by nothing but what leaves through open and inflow sides (where
//! nothing comes in), to
//! rounding, on any velocity field and for any step. New extrema can appear where flow converges.
//! Runs in one fixed order, on one thread, so that the bits do not depend on the threads.

use crate::Real;
use crate::base::exec::Region;
use crate::grid::sample::Lattice;
use crate::grid::{Boundary, Field, Side};

/// Pushes what `q` has above `ambient` along `path` (displacements in cells, from [`super::semi_lagrangian::trace`] with a
/// negative step) into `out`, which is overwritten. With `visible`, weights that would land where
/// the path's end cannot see go to the end's own cell.
pub(crate) fn scatter<T: Real, const D: usize>(
    (q, ambient): (&Field<T, D>, T),
    boundary: &Boundary<T, D>,
    path: [&[T]; D],
    solid: Option<&[u8]>,
    out: &mut Field<T, D>,
) {
    let grid = *q.grid();
    let strides = grid.strides();
    let lattice = Lattice::conserving(&grid, boundary);
    out.fill(T::zero());
    let (source, target) = (q.as_slice(), out.as_mut_slice());
    let region = grid.interior();
    for n in 0..region.rows() {
        let row = region.row(n);
        for i in 0..row.len {
            let here = row.start + i;
            let mut at = row.at;
            at[0] += i;
            let (index, f) = lattice.locate(at, path.map(|p| p[here]));
            let value = source[here] - ambient;
            let hidden = solid
                .map_or([None; 8], |s| super::visibility::hidden::<T, D>(s, strides, index, f));
            // Shares too small to be carried on stay together, in the nearest cell.
            let (mut rest, mut nearest) = (T::zero(), index);
            for corner in 0..1 << D {
                let (mut weight, mut place, mut is_nearest) = (T::one(), index, true);
                for a in 0..D {
                    let upper = corner >> a & 1 == 1;
                    let part = if upper { f[a] } else { T::one() - f[a] };
                    weight *= part;
                    place += if upper { strides[a] } else { 0 };
                    is_nearest &= upper == (f[a] > T::of(0.5));
                }
                let place = hidden[corner].unwrap_or(place);
                let share = value * weight;
                if is_nearest {
                    nearest = place;
                }
                if share.magnitude() < T::NEGLIGIBLE {
                    rest += share;
                } else {
                    target[place] += share;
                }
            }
            target[nearest] += rest;
        }
    }
    for axis in 0..D {
        if boundary.sides[axis][0] == Side::Periodic {
            fold_periodic(out, axis);
        }
    }
    if ambient != T::zero() {
        out.as_mut_slice().iter_mut().for_each(|q| *q += ambient);
    }
}

/// Adds what landed beyond the upper end of a periodic axis to the cells at its lower end.
fn fold_periodic<T: Real, const D: usize>(out: &mut Field<T, D>, axis: usize) {
    let grid = *out.grid();
    let (stride, n) = (grid.strides()[axis], grid.cells()[axis]);
    let mut plane = Region { lo: [0; D], hi: grid.cells().map(|n| n + 2), strides: grid.strides() };
    plane.lo[axis] = 1;
    plane.hi[axis] = 2;
    let data = out.as_mut_slice();
    for r in 0..plane.rows() {
        let row = plane.row(r);
        for i in row.start..row.start + row.len {
            let beyond = data[i + n * stride];
            data[i] += beyond;
            data[i + n * stride] = T::zero();
        }
    }
}
