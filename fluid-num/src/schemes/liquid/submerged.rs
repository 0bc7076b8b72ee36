//! How the surface and the velocity go on into solids.
//!
//! The surface goes on straight: φ(x) = φ(y) + ∇φ(y)·(x − y), y beside the solid. Water at rest stays
//! flat beside slopes, and a body under water is under water in its inside too. Where the solid is wet
//! φ rises into it by 0.7 of the way at most, so that no film of air stays between the two. The velocity
//! goes on by extrapolation, less what would carry the liquid into the solid: u − ((u − u_s)·n) n.

use crate::base::exec::{self, Row, RowPass};
use crate::grid::{Faces, Field, Grid};
use crate::solid::{Body, Slip, Solids};
use crate::{LevelSet, Location, Real};

/// How far beside a solid φ is read, in cells: all that is read there is then outside.
const BESIDE: f64 = 1.5;

/// How fast φ may rise into a solid that is wet: a surface within 45° of the solid's is drawn into it.
const STEEPEST: f64 = 0.7;

/// Writes the distance of all cells, ghosts included, to the solids.
pub(super) fn measure<T: Real, const D: usize>(solids: &Solids<T, D>, distance: &mut Field<T, D>) {
    let grid = *solids.grid();
    let mut region = grid.interior();
    (region.lo, region.hi) = ([0; D], grid.cells().map(|n| n + 2));
    exec::rows(&region, [distance.as_mut_slice()], &Measure(solids));
}

struct Measure<'a, T, const D: usize>(&'a Solids<T, D>);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Measure<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let mut at = row.at;
        for i in 0..row.len {
            at[0] = row.at[0] + i;
            out[i] = self.0.distance(at);
        }
    }
}

/// Lets φ go on straight into solids.
pub(super) fn continue_surface<T: Real, const D: usize>(
    surface: &mut LevelSet<T, D>,
    solid: &Field<T, D>,
    scratch: &mut Field<T, D>,
) {
    let region = solid.region();
    let pass = Straight { surface, solid: solid.as_slice(), grid: *solid.grid() };
    exec::rows(&region, [scratch.as_mut_slice()], &pass);
    surface.exchange(scratch);
}

struct Straight<'a, T, const D: usize> {
    surface: &'a LevelSet<T, D>,
    solid: &'a [T],
    grid: Grid<T, D>,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Straight<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        out.copy_from_slice(row.of(self.surface.field().as_slice()));
        let solid = row.of(self.solid);
        for i in 0..row.len {
            if solid[i] < T::zero() {
                let mut cell = row.at.map(|n| n - 1);
                cell[0] += i;
                if let Some(phi) = self.beyond(cell, row.start + i) {
                    out[i] = phi;
                }
            }
        }
    }
}

impl<T: Real, const D: usize> Straight<'_, T, D> {
    fn beyond(&self, cell: [usize; D], place: usize) -> Option<T> {
        let (normal, dx) = (slope(self.solid, self.grid.strides(), place)?, self.grid.dx());
        let way = dx * T::of(BESIDE) - self.solid[place];
        let center = self.grid.center(cell);
        let y: [T; D] = core::array::from_fn(|a| center[a] + way * normal[a]);
        let gradient = self.surface.gradient(y);
        let along = (0..D).fold(T::zero(), |sum, a| sum + gradient[a] * normal[a]);
        let beside = self.surface.signed_distance(y);
        // A surface that has come to lie on the solid would lie there for ever, as a film of air that
        // eats the liquid beside it: the distance from it would be found outside and put it back.
        let wet = beside < T::zero();
        let along = if wet { along.at_least(-T::of(STEEPEST)) } else { along };
        let phi = beside - way * along;
        let width = self.surface.width();
        Some(width.map_or(phi, |width| phi.at_most(width).at_least(-width)))
    }
}

/// The unit vector along which the distance grows at a cell.
fn slope<T: Real, const D: usize>(
    distance: &[T],
    strides: [usize; D],
    place: usize,
) -> Option<[T; D]> {
    let gradient: [T; D] =
        core::array::from_fn(|a| distance[place + strides[a]] - distance[place - strides[a]]);
    unit(gradient)
}

fn unit<T: Real, const D: usize>(v: [T; D]) -> Option<[T; D]> {
    let length = v.iter().fold(T::zero(), |sum, v| sum + *v * *v).sqrt();
    (length > T::NEGLIGIBLE).then(|| v.map(|v| v / length))
}

/// Sets the region that is liquid and not solid: max(φ, −distance).
pub(super) fn cut_out<T: Real, const D: usize>(
    surface: &LevelSet<T, D>,
    solid: Option<&Field<T, D>>,
    wet: &mut LevelSet<T, D>,
) {
    let region = surface.field().region();
    let phi = surface.field().as_slice();
    let pass = Remaining { phi, solid: solid.map(Field::as_slice) };
    exec::rows(&region, [wet.values_mut()], &pass);
    wet.fill_ghosts();
}

struct Remaining<'a, T> {
    phi: &'a [T],
    solid: Option<&'a [T]>,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Remaining<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let out = &mut out[..row.len];
        out.copy_from_slice(row.of(self.phi));
        if let Some(solid) = self.solid {
            let solid = row.of(solid);
            for i in 0..row.len {
                out[i] = out[i].at_least(-solid[i]);
            }
        }
    }
}

/// Takes off a velocity that has been extended into solids what leads into them; `u` is a copy of it.
pub(super) fn slide<T: Real, const D: usize>(
    u: &Faces<T, D>,
    solids: &Solids<T, D>,
    bodies: &[Body<T, D>],
    solid: &Field<T, D>,
    out: &mut Faces<T, D>,
) {
    let grid = *u.grid();
    for axis in 0..D {
        let pass = Slide { u, solids, bodies, solid: solid.as_slice(), grid, axis };
        exec::rows(&grid.region(Location::Face(axis)), [out[axis].as_mut_slice()], &pass);
    }
}

struct Slide<'a, T, const D: usize> {
    u: &'a Faces<T, D>,
    solids: &'a Solids<T, D>,
    bodies: &'a [Body<T, D>],
    solid: &'a [T],
    grid: Grid<T, D>,
    axis: usize,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Slide<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let open = row.of(self.solids.open()[self.axis].as_slice());
        for i in 0..row.len {
            if open[i] <= T::zero() {
                let mut at = row.at;
                at[0] += i;
                out[i] = self.beside(at, row.start + i).unwrap_or(out[i]);
            }
        }
    }
}

impl<T: Real, const D: usize> Slide<'_, T, D> {
    fn beside(&self, at: [usize; D], place: usize) -> Option<T> {
        let (axis, strides) = (self.axis, self.grid.strides());
        let body = self.bodies.get(self.solids.nearest_body(axis, at)?)?;
        let position = self.grid.position(Location::Face(axis), at.map(|n| n.max(1) - 1));
        let solid = body.velocity_at(position);
        if body.slip == Slip::No {
            return Some(solid[axis]);
        }
        let below = place - strides[axis];
        let (quarter, half) = (T::of(0.25), T::of(0.5));
        let mut gradient = [T::zero(); D];
        let mut u = [T::zero(); D];
        for a in 0..D {
            if a == axis {
                gradient[a] = self.solid[place] - self.solid[below];
                u[a] = self.u[a].as_slice()[place];
                continue;
            }
            let s = strides[a];
            let rise = |p: usize| self.solid[p + s] - self.solid[p - s];
            gradient[a] = (rise(place) + rise(below)) * quarter;
            let c = self.u[a].as_slice();
            u[a] = ((c[place] + c[below]) + (c[place + s] + c[below + s])) * (half * half);
        }
        let normal = unit(gradient)?;
        let into = (0..D).fold(T::zero(), |sum, a| sum + (u[a] - solid[a]) * normal[a]);
        Some(u[axis] - into * normal[axis])
    }
}
