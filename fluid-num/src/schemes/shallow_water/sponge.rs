//! Layers along sides in which waves die out.

use core::array;
use core::ops::Range;

use super::{ShallowWaterParams, Sponge};
use crate::base::exec::{self, BandPass, Banded, Region};
use crate::{Field, Grid, Location, Real};

/// The rates of relaxation, 1/s, of cells and of faces along each axis.
#[derive(Debug, Clone)]
pub(super) struct Rates<T> {
    cells: Field<T, 2>,
    faces: [Field<T, 2>; 2],
}

impl<T: Real> Rates<T> {
    pub(super) fn new(grid: Grid<T, 2>) -> Self {
        let faces = array::from_fn(|axis| Field::zeros_at(grid, Location::Face(axis)));
        Self { cells: Field::zeros(grid), faces }
    }

    /// Sets the rates for the layers and still depths (ghosts set) that there are.
    pub(super) fn set(
        &mut self,
        params: &ShallowWaterParams<T>,
        sponge: &Sponge<T>,
        still: &Field<T, 2>,
    ) {
        let (grid, gravity) = (*still.grid(), params.gravity);
        let sponge = sponge.inside(params.periodic());
        for field in [&mut self.cells].into_iter().chain(&mut self.faces) {
            let location = field.location();
            let region = field.region();
            let data = field.as_mut_slice();
            for row in (0..region.rows()).map(|n| region.row(n)) {
                for i in 0..row.len {
                    let at = [row.at[0] + i, row.at[1]];
                    let place = row.start + i;
                    let below = match location {
                        Location::Face(axis) => place - grid.strides()[axis],
                        Location::Center => place,
                    };
                    let speed = |place: usize| {
                        (gravity * still.as_slice()[place].at_least(T::zero())).sqrt()
                    };
                    let waves = T::of(0.5) * (speed(below) + speed(place));
                    data[place] = waves * sponge.rate(&grid, location, at);
                }
            }
        }
    }

    /// The rate at cells.
    #[cfg(test)]
    pub(super) fn cells(&self) -> &Field<T, 2> {
        &self.cells
    }

    /// Relaxes the displacement and the velocity for `dt`; gives the sum of the depths added.
    pub(super) fn relax(
        &self,
        params: &ShallowWaterParams<T>,
        sponge: &Sponge<T>,
        dt: T,
        displacement: &mut Field<T, 2>,
        velocity: [&mut Field<T, 2>; 2],
    ) -> f64 {
        let mut added = 0.0;
        let periodic = params.periodic();
        let sponge = &sponge.inside(periodic);
        for region in sponge.layers(self.cells.grid(), Location::Center, periodic) {
            let pass = Relax { rate: self.cells.as_slice(), target: T::zero(), dt, region };
            added += pass.run(displacement);
        }
        for (axis, u) in velocity.into_iter().enumerate() {
            let rate = self.faces[axis].as_slice();
            for region in sponge.layers(self.cells.grid(), Location::Face(axis), periodic) {
                let pass = Relax { rate, target: params.current[axis], dt, region };
                pass.run(u);
            }
        }
        added
    }
}

impl<T: Real> Sponge<T> {
    /// The layers that there are: none along periodic axes.
    fn inside(&self, periodic: [bool; 2]) -> Self {
        let width = array::from_fn(|axis| if periodic[axis] { [0; 2] } else { self.width[axis] });
        Self { width, ..*self }
    }

    /// σ/c at a place of storage, 1/m.
    fn rate(&self, grid: &Grid<T, 2>, location: Location, at: [usize; 2]) -> T {
        let mut most = T::zero();
        for axis in 0..2 {
            let n = grid.cells()[axis];
            let half = if location == Location::Face(axis) { T::zero() } else { T::of(0.5) };
            for end in 0..2 {
                let width = T::of_usize(self.width[axis][end].min(n));
                // How far the place lies from the side, in cells: the same figures on both sides.
                let far = if end == 0 {
                    T::of_usize(at[axis] - 1) + half
                } else {
                    T::of_usize(n + 1 - at[axis]) - half
                };
                if far < width {
                    let depth = (width - far) / width;
                    let rate = T::of(3.0) * self.strength * depth * depth / (width * grid.dx());
                    most = most.at_least(rate);
                }
            }
        }
        most
    }

    /// Places in layers, without those on the sides themselves: four boxes that do not overlap.
    fn layers(&self, grid: &Grid<T, 2>, location: Location, periodic: [bool; 2]) -> [Region<2>; 4] {
        let all = match location {
            Location::Face(axis) if !periodic[axis] => grid.inner_faces(axis),
            _ => grid.interior(),
        };
        let reach = |axis: usize, end: usize| {
            let width = self.width[axis][end].min(grid.cells()[axis]);
            let at = if end == 0 {
                1 + width
            } else {
                // A face at the inner edge lies outside.
                grid.cells()[axis] + 1 - width + usize::from(location == Location::Face(axis))
            };
            at.max(all.lo[axis]).min(all.hi[axis])
        };
        let part = |axis: usize, range: Range<usize>, mut region: Region<2>| {
            (region.lo[axis], region.hi[axis]) = (range.start, range.end.max(range.start));
            region
        };
        let (bottom, left) = (reach(1, 0), reach(0, 0));
        let (top, right) = (reach(1, 1).max(bottom), reach(0, 1).max(left));
        let middle = part(1, bottom..top, all);
        [
            part(1, all.lo[1]..bottom, all),
            part(1, top..all.hi[1], all),
            part(0, all.lo[0]..left, middle),
            part(0, right..all.hi[0], middle),
        ]
    }
}

/// x → target + (x − target)/(1 + Δt·σ), in place.
struct Relax<'a, T> {
    rate: &'a [T],
    target: T,
    dt: T,
    region: Region<2>,
}

impl<T: Real> Relax<'_, T> {
    fn run(&self, field: &mut Field<T, 2>) -> f64 {
        let out = [Banded::on(&self.region, field.as_mut_slice())];
        exec::bands(&self.region, out, self).unwrap_or(0.0)
    }
}

impl<T: Real> BandPass<T, 1> for Relax<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, [out]: [&mut [T]; 1]) -> f64 {
        let base = self.region.row(rows.start).start;
        let (target, dt) = (self.target, self.dt);
        let mut added = 0.0;
        for n in rows {
            let row = self.region.row(n);
            let rate = row.of(self.rate);
            for (x, rate) in out[row.start - base..][..row.len].iter_mut().zip(rate) {
                let new = target + ((*x - target) / (T::one() + dt * *rate)).or_nothing();
                added += (new - *x).to_f64();
                *x = new;
            }
        }
        added
    }

    fn join(first: f64, second: f64) -> f64 {
        first + second
    }
}
