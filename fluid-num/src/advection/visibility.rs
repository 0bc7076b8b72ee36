//! Which samples around a place belong to the same side of a solid.
//!
//! Cells that touch only at a corner do not let anything through between them: of the 2ᴰ cells
//! around a place, those count that can be reached from the place's own cell through faces,
//! without leaving the 2ᴰ cells.

use crate::Real;
use crate::base::exec::{self, Row, RowPass};
use crate::grid::sample::{Lattice, blend, corners};
use crate::grid::{Boundary, Grid, Location};

/// For each corner that cannot be seen from the place's own cell, the index of that cell.
#[inline]
pub(crate) fn hidden<T: Real, const D: usize>(
    solid: &[u8],
    strides: [usize; D],
    index: usize,
    fraction: [T; D],
) -> [Option<usize>; 8] {
    let place = |corner: usize| -> usize {
        (0..D).map(|a| if corner >> a & 1 == 1 { strides[a] } else { 0 }).sum::<usize>() + index
    };
    let mut open = 0_usize;
    for corner in 0..1 << D {
        if solid[place(corner)] == 0 {
            open |= 1 << corner;
        }
    }
    let all = (1 << (1 << D)) - 1;
    if open == all {
        return [None; 8];
    }
    let (mut home, mut rest) = (0_usize, index);
    for a in (0..D).rev() {
        // A place on a lower side itself belongs to the cell inside, not to the ghost.
        let in_ghost = rest / strides[a] == 0;
        rest %= strides[a];
        home |= usize::from(in_ghost || fraction[a] > T::of(0.5)) << a;
    }

    let mut seen = 1_usize << home;
    // Around three corners of a cube a way through faces can have more than D steps.
    for _ in 0..1 << D {
        for corner in 0..1 << D {
            let near = (0..D).any(|a| seen >> (corner ^ (1 << a)) & 1 == 1);
            if near && open >> corner & 1 == 1 {
                seen |= 1 << corner;
            }
        }
    }
    core::array::from_fn(|corner| (corner < 1 << D && seen >> corner & 1 == 0).then(|| place(home)))
}

/// Cuts every path where it would enter a solid cell: `path` then ends in a cell that the fluid can
/// reach from where it starts.
pub(crate) fn cut_paths<T: Real, const D: usize>(
    grid: &Grid<T, D>,
    boundary: &Boundary<T, D>,
    solid: &[u8],
    at: Location,
    path: [&mut [T]; D],
) {
    let periods = core::array::from_fn(|a| boundary.is_periodic(a));
    let pass = Cut { grid: *grid, periods, solid, at };
    exec::rows(&grid.region(at), path, &pass);
}

struct Cut<'a, T, const D: usize> {
    grid: Grid<T, D>,
    periods: [bool; D],
    solid: &'a [u8],
    at: Location,
}

impl<T: Real, const D: usize> RowPass<T, D, D> for Cut<'_, T, D> {
    fn row(&self, row: Row<D>, mut path: [&mut [T]; D]) {
        for i in 0..row.len {
            let mut at = row.at;
            at[0] += i;
            let s = core::array::from_fn(|a| path[a][i]);
            let part = self.free_part(at, s);
            if part < T::one() {
                for p in &mut path {
                    p[i] *= part;
                }
            }
        }
    }
}

impl<T: Real, const D: usize> Cut<'_, T, D> {
    /// The part of the way along `s` that stays in the fluid: the cells are walked one face at a
    /// time (Amanatides and Woo 1987).
    fn free_part(&self, at: [usize; D], s: [T; D]) -> T {
        let strides = self.grid.strides();
        let cells = self.grid.cells();
        let mut cell = at;
        // The part of the way at which the next face along each axis is met, and between faces.
        let (mut next, mut between) = ([T::zero(); D], [T::zero(); D]);
        let never = T::of(1e30);
        let mut length = T::zero();
        for a in 0..D {
            let size = s[a].magnitude();
            length = length.at_least(size);
            let on_face = self.at == Location::Face(a);
            if on_face && s[a] < T::zero() {
                cell[a] -= 1;
            }
            let gap = if on_face { T::one() } else { T::of(0.5) };
            let moves = size > T::zero();
            (next[a], between[a]) =
                if moves { (gap / size, T::one() / size) } else { (never, never) };
        }
        for a in 0..D {
            let outside = cell[a] < 1 || cell[a] > cells[a];
            if outside && !self.wrap(&mut cell[a], a) {
                next[a] = never;
            }
        }
        let index = |cell: &[usize; D]| (0..D).map(|a| cell[a] * strides[a]).sum::<usize>();
        if self.solid[index(&cell)] != 0 {
            return T::zero();
        }
        // Stop a thousandth of a cell before the obstacle, safely within the last free cell.
        let margin = T::of(1e-3) / length.at_least(T::of(1e-3));
        let mut budget = 2 * cells.iter().sum::<usize>();
        loop {
            let mut axis = 0;
            for a in 1..D {
                if next[a] < next[axis] {
                    axis = a;
                }
            }
            let part = next[axis];
            if part >= T::one() {
                return T::one();
            }
            let up = s[axis] > T::zero();
            cell[axis] = if up { cell[axis] + 1 } else { cell[axis] - 1 };
            let outside = cell[axis] < 1 || cell[axis] > cells[axis];
            if outside && !self.wrap(&mut cell[axis], axis) {
                // A place beyond a side is read at the side: the way goes on along it.
                next[axis] = never;
                continue;
            }
            if self.solid[index(&cell)] != 0 || budget == 0 {
                return (part - margin).at_least(T::zero());
            }
            next[axis] += between[axis];
            budget -= 1;
        }
    }

    /// Moves an index beyond a side back: to the opposite side where periodic (true), to the last
    /// cell where not.
    fn wrap(&self, i: &mut usize, axis: usize) -> bool {
        let n = self.grid.cells()[axis];
        let periodic = self.periods[axis];
        *i = if (*i < 1) == periodic { n } else { 1 };
        periodic
    }
}

/// Replaces the values of `out` whose paths end beside a solid by the linear interpolant of what
/// can be seen there.
pub(crate) fn reread_beside_solids<T: Real, const D: usize>(
    q: &[T],
    grid: &Grid<T, D>,
    lattice: &Lattice<T, D>,
    solid: &[u8],
    path: [&[T]; D],
    out: &mut [T],
) {
    let pass = Reread { q, strides: grid.strides(), lattice: *lattice, solid, path };
    exec::rows(&grid.interior(), [out], &pass);
}

struct Reread<'a, T, const D: usize> {
    q: &'a [T],
    strides: [usize; D],
    lattice: Lattice<T, D>,
    solid: &'a [u8],
    path: [&'a [T]; D],
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Reread<'_, T, D> {
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        for i in 0..row.len {
            let mut at = row.at;
            at[0] += i;
            let (index, f) = self.lattice.locate(at, self.path.map(|p| p[row.start + i]));
            let hidden = hidden::<T, D>(self.solid, self.strides, index, f);
            if hidden == [None; 8] {
                continue;
            }
            let mut v = corners(self.q, self.strides, index);
            for corner in 0..1 << D {
                if let Some(home) = hidden[corner] {
                    v[corner] = self.q[home];
                }
            }
            out[i] = blend(v, f);
        }
    }
}
