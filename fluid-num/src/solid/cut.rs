//! The passes that carry signed distances to nodes, faces and cells.
//!
//! Most of a grid is far from any surface: blocks of a row whose corners agree in sign are filled,
//! and only the others are cut face by face and cell by cell.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use super::body::{Body, Slip};
use super::simplex::{cube_fraction, face_fraction, quad_fraction};
use crate::base::exec::{self, Region, Row, RowPass};
use crate::{Grid, Real};

/// φ of a node away from every surface, in cells; nearer values are exact.
const FAR: f64 = 8.0;
/// The number of places whose signs are looked at together.
const BLOCK: usize = 16;

/// The signed distance at the corners of all cells, ghosts included.
#[derive(Debug, Clone)]
pub(super) struct Nodes<T, const D: usize> {
    phi: Vec<T>,
    /// The number of the nearest body as a scalar (exact up to 2²⁴ of them), −1 for none: both
    /// arrays are then outputs of one pass.
    nearest: Vec<T>,
    strides: [usize; D],
    far: T,
}

impl<T: Real, const D: usize> Nodes<T, D> {
    /// Takes over the distances of a set of nodes of the same grid.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.phi.copy_from_slice(&other.phi);
        self.nearest.copy_from_slice(&other.nearest);
    }

    /// No surface anywhere.
    pub(super) fn new(grid: &Grid<T, D>) -> Self {
        let (mut strides, mut len) = ([1; D], 1);
        for a in 0..D {
            strides[a] = len;
            let nodes = grid.cells()[a] + 3;
            len *= if a == 0 { nodes.next_multiple_of(8) } else { nodes };
            if len.is_multiple_of(256) {
                len += if a == 0 { 8 } else { strides[1] };
            }
        }
        let far = grid.dx() * T::of(FAR);
        Self { phi: vec![far; len], nearest: vec![-T::one(); len], strides, far }
    }

    /// Forgets all surfaces around the cells of a region.
    pub(super) fn reset(&mut self, cells: &Region<D>) {
        let region = self.corners_of(cells);
        exec::rows(&region, [&mut self.phi, &mut self.nearest], &Reset(self.far));
    }

    /// φ = min(φ, distance to the body) around the cells of a region.
    pub(super) fn add(
        &mut self,
        grid: &Grid<T, D>,
        cells: &Region<D>,
        body: &Body<T, D>,
        number: usize,
    ) {
        let region = self.corners_of(cells);
        let (origin, size) = (grid.origin(), grid.size());
        let extent = (0..D).fold(T::zero(), |m, a| m.at_least(origin[a].magnitude() + size[a]));
        let noise = T::of(16.0) * T::EPSILON * extent;
        let pass = Nearest {
            body,
            number: T::of_usize(number),
            origin,
            dx: grid.dx(),
            far: self.far,
            noise: noise.at_most(grid.dx() * T::of(0.01)),
        };
        exec::rows(&region, [&mut self.phi, &mut self.nearest], &pass);
    }

    /// The corners of the cells of a region: one more along each axis.
    fn corners_of(&self, cells: &Region<D>) -> Region<D> {
        Region { lo: cells.lo, hi: cells.hi.map(|n| n + 1), strides: self.strides }
    }

    /// The mean of φ at the corners of the cell at storage indices.
    pub(super) fn at_center(&self, cell: [usize; D]) -> T {
        let s = self.strides;
        let first: usize = (0..D).map(|a| cell[a] * s[a]).sum();
        let quad = |at: usize| [0, 1, s[1], s[1] + 1].map(|o| self.phi[at + o]);
        let mean = |v: [T; 4]| ((v[0] + v[1]) + (v[2] + v[3])) * T::of(0.25);
        let lower = mean(quad(first));
        if D == 2 { lower } else { (lower + mean(quad(first + s[D - 1]))) * T::of(0.5) }
    }

    /// The number of the body nearest to a face of a row, if there is any.
    #[inline(always)]
    pub(super) fn nearest(&self, axis: usize, row: &Row<D>, i: usize) -> Option<usize> {
        let first: usize = (0..D).map(|a| row.at[a] * self.strides[a]).sum();
        let corners = self.face_corners(axis).map(|offset| first + i + offset);
        let lowest =
            corners.iter().fold(corners[0], |m, n| if self.phi[*n] < self.phi[m] { *n } else { m });
        usize::try_from(self.nearest[lowest].truncate()).ok()
    }

    /// φ from the corner `offset` after the lower corner of a row's first cell.
    #[inline(always)]
    fn row(&self, row: &Row<D>, offset: usize) -> &[T] {
        let start: usize = (0..D).map(|a| row.at[a] * self.strides[a]).sum();
        &self.phi[start + offset..][..row.len]
    }

    /// The offsets of the corners of the lower face along `axis`, in order round it; in the plane
    /// there are two, each given twice.
    #[inline(always)]
    fn face_corners(&self, axis: usize) -> [usize; 4] {
        let s = self.strides;
        if D == 2 {
            let s = s[1 - axis];
            return [0, s, s, 0];
        }
        let (s, t) = (s[(axis + 1) % D], s[(axis + 2) % D]);
        [0, s, s + t, t]
    }
}

struct Reset<T>(T);
impl<T: Real, const D: usize> RowPass<T, D, 2> for Reset<T> {
    #[inline(always)]
    fn row(&self, _row: Row<D>, [phi, nearest]: [&mut [T]; 2]) {
        phi.fill(self.0);
        nearest.fill(-T::one());
    }
}

struct Nearest<'a, T, const D: usize> {
    body: &'a Body<T, D>,
    number: T,
    origin: [T; D],
    dx: T,
    far: T,
    /// Below this a node lies on the surface: the rounding of a position.
    noise: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 2> for Nearest<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [phi, nearest]: [&mut [T]; 2]) {
        let position = |a: usize, n: usize| self.origin[a] + T::of_index(n as i32 - 1) * self.dx;
        let mut p: [T; D] = core::array::from_fn(|a| position(a, row.at[a]));
        for i in 0..row.len {
            p[0] = position(0, row.at[0] + i);
            let d = self.body.signed_distance(p).at_least(-self.far);
            // A surface that runs along the grid must close its faces, whatever the rounding.
            let d = if d.magnitude() <= self.noise { T::zero() } else { d };
            if d < phi[i] {
                phi[i] = d;
                nearest[i] = self.number;
            }
        }
    }
}

/// 1 or 0 where all corners of a block of faces or cells are positive or none is.
#[inline(always)]
fn agreed<T: Real, const N: usize>(corners: [&[T]; N], block: Range<usize>) -> Option<T> {
    let (mut positive, mut other) = (true, true);
    for c in corners {
        for v in &c[block.clone()] {
            positive &= *v > T::zero();
            other &= *v <= T::zero();
        }
    }
    if positive {
        Some(T::one())
    } else if other {
        Some(T::zero())
    } else {
        None
    }
}

/// Writes a share and tells whether it is another than before.
#[inline(always)]
fn put<T: Real>(place: &mut T, share: T) -> bool {
    let changed = *place != share;
    *place = share;
    changed
}

/// What faces along one axis are made from.
#[derive(Clone, Copy)]
pub(super) struct Cut<'a, T, const D: usize> {
    pub(super) nodes: &'a Nodes<T, D>,
    /// Cells closed one by one, where there are any.
    pub(super) closed: Option<&'a [u8]>,
    pub(super) stride: usize,
    pub(super) axis: usize,
}

impl<T: Real, const D: usize> Cut<'_, T, D> {
    /// Whether the face below a place of a row belongs to a closed cell.
    #[inline(always)]
    fn is_closed(&self, row: &Row<D>, i: usize) -> bool {
        let Some(closed) = self.closed else {
            return false;
        };
        let has_lower = row.at[self.axis] + if self.axis == 0 { i } else { 0 } > 0;
        let place = row.start + i;
        closed[place] != 0 || (has_lower && closed[place - self.stride] != 0)
    }

    /// The body nearest to a face.
    #[inline(always)]
    fn nearest<'b>(
        &self,
        bodies: &'b [Body<T, D>],
        row: &Row<D>,
        i: usize,
    ) -> Option<&'b Body<T, D>> {
        bodies.get(self.nodes.nearest(self.axis, row, i)?)
    }
}

/// The open part of faces.
pub(super) struct CutFaces<'a, T, const D: usize> {
    pub(super) cut: Cut<'a, T, D>,
    pub(super) changed: &'a AtomicBool,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for CutFaces<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [open]: [&mut [T]; 1]) {
        let nodes = self.cut.nodes;
        let corners = nodes.face_corners(self.cut.axis).map(|o| nodes.row(&row, o));
        let mut changed = false;
        for first in (0..row.len).step_by(BLOCK) {
            let block = first..(first + BLOCK).min(row.len);
            let share = agreed(corners, block.clone());
            match share {
                Some(share) if self.cut.closed.is_none() => {
                    for place in &mut open[block] {
                        changed |= put(place, share);
                    }
                }
                _ => {
                    for i in block {
                        let share = if self.cut.is_closed(&row, i) {
                            T::zero()
                        } else {
                            face_fraction::<T, D>(corners.map(|c| c[i]))
                        };
                        changed |= put(&mut open[i], share);
                    }
                }
            }
        }
        if changed {
            self.changed.store(true, Ordering::Relaxed);
        }
    }
}

/// The velocity of the nearest body at faces that are not quite open.
pub(super) struct BodyVelocity<'a, T, const D: usize> {
    pub(super) cut: Cut<'a, T, D>,
    pub(super) grid: &'a Grid<T, D>,
    pub(super) bodies: &'a [Body<T, D>],
    pub(super) open: &'a [T],
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for BodyVelocity<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [velocity]: [&mut [T]; 1]) {
        velocity.fill(T::zero());
        if self.bodies.is_empty() {
            return;
        }
        let open = row.of(self.open);
        let half = T::of(0.5);
        for i in 0..row.len {
            if open[i] < T::one()
                && !self.cut.is_closed(&row, i)
                && let Some(body) = self.cut.nearest(self.bodies, &row, i)
            {
                let centre = core::array::from_fn(|a| {
                    let at = T::of_index((row.at[a] + if a == 0 { i } else { 0 }) as i32 - 1);
                    let at = if a == self.cut.axis { at } else { at + half };
                    self.grid.origin()[a] + at * self.grid.dx()
                });
                velocity[i] = body.velocity_at(centre)[self.cut.axis];
            }
        }
    }
}

/// 1 where the nearest body of a face that is not quite open holds the fluid.
pub(super) struct NoSlip<'a, T, const D: usize> {
    pub(super) cut: Cut<'a, T, D>,
    pub(super) bodies: &'a [Body<T, D>],
    pub(super) open: &'a [T],
}

impl<T: Real, const D: usize> RowPass<u8, D, 1> for NoSlip<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [u8]; 1]) {
        out.fill(0);
        if self.bodies.is_empty() {
            return;
        }
        let open = row.of(self.open);
        for i in 0..row.len {
            if open[i] < T::one() && !self.cut.is_closed(&row, i) {
                let body = self.cut.nearest(self.bodies, &row, i);
                out[i] = u8::from(body.is_some_and(|b| b.slip == Slip::No));
            }
        }
    }
}

/// 1 where all faces of a cell are closed.
pub(super) struct Enclosed<'a, T, const D: usize> {
    pub(super) nodes: &'a Nodes<T, D>,
    pub(super) closed: &'a [u8],
    pub(super) open: [&'a [T]; D],
    pub(super) grid: &'a Grid<T, D>,
}

impl<T: Real, const D: usize> RowPass<u8, D, 1> for Enclosed<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [u8]; 1]) {
        out.fill(1);
        for a in 0..D {
            let lower = row.of(self.open[a]);
            for (out, open) in out.iter_mut().zip(lower) {
                *out &= u8::from(*open <= T::zero());
            }
            // The upper faces of the last ghost cells are not stored.
            let last = self.grid.cells()[a] + 1;
            let stored = if a == 0 {
                row.len.min(last - row.at[0])
            } else if row.at[a] < last {
                row.len
            } else {
                0
            };
            let upper = &self.open[a]
                [(row.start + self.grid.strides()[a]).min(self.open[a].len() - stored)..];
            for (out, open) in out.iter_mut().zip(&upper[..stored]) {
                *out &= u8::from(*open <= T::zero());
            }
            if stored < row.len {
                let step = self.nodes.strides[a];
                let corners = self.nodes.face_corners(a).map(|o| self.nodes.row(&row, o + step));
                for i in stored..row.len {
                    let share = face_fraction::<T, D>(corners.map(|c| c[i]));
                    out[i] &= u8::from(share <= T::zero());
                }
            }
        }
        for (out, closed) in out.iter_mut().zip(row.of(self.closed)) {
            *out |= *closed;
        }
    }
}

/// The open part of cells.
pub(super) struct CutCells<'a, T, const D: usize> {
    pub(super) nodes: &'a Nodes<T, D>,
    pub(super) solid: &'a [u8],
    pub(super) changed: &'a AtomicBool,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for CutCells<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let s = self.nodes.strides;
        let quad =
            |base: usize| [0, 1, s[1] + 1, s[1]].map(|offset| self.nodes.row(&row, base + offset));
        let lower = quad(0);
        let upper = if D == 2 { lower } else { quad(s[D - 1]) };
        let solid = row.of(self.solid);
        let mut changed = false;
        for first in (0..row.len).step_by(BLOCK) {
            let block = first..(first + BLOCK).min(row.len);
            let share = agreed(lower, block.clone());
            let share = if D == 2 || share == agreed(upper, block.clone()) { share } else { None };
            for i in block {
                let share = match share {
                    _ if solid[i] != 0 => T::zero(),
                    Some(share) => share,
                    None if D == 2 => quad_fraction(lower.map(|c| c[i])),
                    None => cube_fraction(lower.map(|c| c[i]), upper.map(|c| c[i])),
                };
                changed |= put(&mut out[i], share);
            }
        }
        if changed {
            self.changed.store(true, Ordering::Relaxed);
        }
    }
}
