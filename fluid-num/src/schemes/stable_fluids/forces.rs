//! What accelerates the fluid inside: buoyancy and vorticity confinement; and what fades.

use alloc::vec::Vec;

use crate::base::exec::{self, Row, RowPass};
use crate::grid::{Faces, Field, Grid, ops};
use crate::{Boundary, Real};

/// u_a += Δt · buoyancy · up_a · (q − ambient), q the mean of the two cells of a face.
pub(super) fn add_buoyancy<T: Real, const D: usize>(
    q: &Field<T, D>,
    ambient: T,
    impulse: [T; D],
    boundary: &Boundary<T, D>,
    u: &mut Faces<T, D>,
) {
    let grid = *q.grid();
    for axis in 0..D {
        if impulse[axis] == T::zero() {
            continue;
        }
        let mut region = grid.inner_faces(axis);
        if boundary.is_periodic(axis) {
            region.lo[axis] = 1;
        }
        let half = impulse[axis] * T::of(0.5);
        let pass = Buoyancy { q: q.as_slice(), stride: grid.strides()[axis], ambient, half };
        exec::rows(&region, [u[axis].as_mut_slice()], &pass);
    }
}

struct Buoyancy<'a, T> {
    q: &'a [T],
    stride: usize,
    ambient: T,
    half: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Buoyancy<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [u]: [&mut [T]; 1]) {
        let u = &mut u[..row.len];
        let (ambient, half) = (self.ambient, self.half);
        let (here, below) = (row.of(self.q), row.before(self.q, self.stride));
        for i in 0..row.len {
            let excess = (here[i] - ambient) + (below[i] - ambient);
            u[i] += excess * half;
        }
    }
}

/// value = target + (value − target)·factor.
pub(super) fn fade<T: Real, const D: usize>(field: &mut Field<T, D>, target: T, factor: T) {
    exec::rows(&field.region(), [field.as_mut_slice()], &Fade { target, factor });
}

struct Fade<T> {
    target: T,
    factor: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Fade<T> {
    #[inline(always)]
    fn row(&self, _: Row<D>, [out]: [&mut [T]; 1]) {
        let (target, factor) = (self.target, self.factor);
        for v in out {
            *v = target + ((*v - target) * factor).or_nothing();
        }
    }
}

/// The scratch memory of vorticity confinement: f = ε·h·(N × ω), N = ∇|ω|/|∇|ω||.
///
/// Cells that are solid or touch a wall or a solid get no force: the curl there is one-sided.
///
/// Reference: R. Fedkiw, J. Stam, H. W. Jensen, *Visual Simulation of Smoke*, 2001,
/// <https://doi.org/10.1145/383259.383260>.
#[derive(Debug, Clone)]
pub(super) struct Confinement<T, const D: usize> {
    curl: Vec<Field<T, D>>,
    magnitude: Field<T, D>,
    force: [Field<T, D>; D],
}

impl<T: Real, const D: usize> Confinement<T, D> {
    pub(super) fn new(grid: Grid<T, D>) -> Self {
        Self {
            curl: (0..ops::curl_components(D)).map(|_| Field::zeros(grid)).collect(),
            magnitude: Field::zeros(grid),
            force: core::array::from_fn(|_| Field::zeros(grid)),
        }
    }

    #[cfg(test)]
    pub(super) fn poison(&mut self, value: T) {
        self.curl.iter_mut().chain(&mut self.force).for_each(|f| f.fill(value));
        self.magnitude.fill(value);
    }

    /// u += Δt·f. The ghosts of `u` are set.
    pub(super) fn apply(
        &mut self,
        u: &mut Faces<T, D>,
        boundary: &Boundary<T, D>,
        solid: Option<&[u8]>,
        impulse: T,
    ) {
        let grid = *u.grid();
        for (k, curl) in self.curl.iter_mut().enumerate() {
            // The component exists and the grids are one: there is no error to hand on.
            let _ = ops::curl(u, k, curl);
        }
        let curl: [&[T]; 3] =
            core::array::from_fn(|k| self.curl[k.min(self.curl.len() - 1)].as_slice());
        let norm = Norm { curl };
        exec::rows(&grid.interior(), [self.magnitude.as_mut_slice()], &norm);
        boundary.fill_scalar(&mut self.magnitude, T::zero(), T::zero());
        let pass = Force {
            curl,
            magnitude: self.magnitude.as_slice(),
            solid,
            grid,
            periodic: core::array::from_fn(|a| boundary.is_periodic(a)),
            scale: impulse * grid.dx(),
        };
        let force = self.force.each_mut().map(Field::as_mut_slice);
        exec::rows(&grid.interior(), force, &pass);
        for axis in 0..D {
            let force = &mut self.force[axis];
            let mut region = grid.inner_faces(axis);
            if boundary.is_periodic(axis) {
                crate::grid::boundary::wrap_axis(force, axis);
                region.lo[axis] = 1;
            }
            let half = T::of(0.5);
            let (q, stride) = (force.as_slice(), grid.strides()[axis]);
            let mean = Buoyancy { q, stride, ambient: T::zero(), half };
            exec::rows(&region, [u[axis].as_mut_slice()], &mean);
        }
    }
}

/// |ω|.
struct Norm<'a, T> {
    curl: [&'a [T]; 3],
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Norm<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let out = &mut out[..row.len];
        let [x, y, z] = self.curl.map(|c| row.of(c));
        for i in 0..row.len {
            out[i] = if D == 2 {
                x[i].magnitude()
            } else {
                (x[i] * x[i] + y[i] * y[i] + z[i] * z[i]).sqrt()
            };
        }
    }
}

struct Force<'a, T, const D: usize> {
    curl: [&'a [T]; 3],
    magnitude: &'a [T],
    solid: Option<&'a [u8]>,
    grid: Grid<T, D>,
    periodic: [bool; D],
    scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, D> for Force<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, out: [&mut [T]; D]) {
        let strides = self.grid.strides();
        let curl = self.curl.map(|c| row.of(c));
        for i in 0..row.len {
            let place = row.start + i;
            let mut at = row.at;
            at[0] += i;
            let mut slope = [T::zero(); 3];
            let mut squared = T::zero();
            for a in 0..D {
                slope[a] = self.magnitude[place + strides[a]] - self.magnitude[place - strides[a]];
                squared += slope[a] * slope[a];
            }
            let length = squared.sqrt();
            let free = length > T::zero() && self.is_free(at, place);
            let scale = if free { self.scale / length } else { T::zero() };
            let [n, w] = [slope, curl.map(|c| c[i])];
            if D == 2 {
                out[0][i] = n[1] * w[0] * scale;
                out[1][i] = -n[0] * w[0] * scale;
            } else {
                for a in 0..D {
                    let (b, c) = ((a + 1) % 3, (a + 2) % 3);
                    out[a][i] = (n[b] * w[c] - n[c] * w[b]) * scale;
                }
            }
        }
    }
}

impl<T: Real, const D: usize> Force<'_, T, D> {
    /// Whether neither the cell nor a neighbour of it is solid or beyond a side.
    #[inline(always)]
    fn is_free(&self, at: [usize; D], place: usize) -> bool {
        let strides = self.grid.strides();
        let cells = self.grid.cells();
        let mut free = true;
        for a in 0..D {
            free &= self.periodic[a] || (at[a] > 1 && at[a] < cells[a]);
            if let Some(solid) = self.solid {
                free &= solid[place - strides[a]] == 0 && solid[place + strides[a]] == 0;
            }
        }
        free && self.solid.is_none_or(|s| s[place] == 0)
    }
}
