//! Basins of the layer of waves: cells joined by faces through which it works, and their energies.
//!
//! ```text
//! E = Σ ½ g η² + ½ h (u − U)²       U = Σ h u / Σ h
//! ```
//!
//! over the density and the area of a cell, with the depth h that a step begins with. It is the norm
//! in which Airy's waves turn. It takes the water as it looks to who floats along with the basin:
//! there waves on a current behave as on a lake, while the ground sees those that run against it
//! carry less than no energy where it is faster than they are.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::exchange::Change;
use crate::base::exec::{Region, Row};
use crate::base::sets::DisjointSets;
use crate::{Faces, Grid, Real};

/// One basin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Basin<T> {
    /// U.
    pub(super) current: [T; 2],
    /// The part of an exchange that its energy lets happen.
    pub(super) part: T,
    /// The energy that was taken out.
    taken: f64,
    /// What is summed up: the energy of first and of second order of an exchange.
    gains: [f64; 2],
}

impl<T: Real> Basin<T> {
    fn new() -> Self {
        Self { current: [T::zero(); 2], part: T::one(), taken: 0.0, gains: [0.0; 2] }
    }
}

/// All of them. Memory is taken at the start.
#[derive(Debug, Clone)]
pub(super) struct Basins<T> {
    sets: DisjointSets,
    /// For each place the number of its basin, 0 where the layer does nothing.
    number: Vec<u32>,
    /// The first `count` of these.
    basins: Vec<Basin<T>>,
    count: usize,
}

impl<T: Real> Basins<T> {
    pub(super) fn new(grid: &Grid<T, 2>, places: usize) -> Self {
        // Two cells each, and what stands for none.
        let basins = vec![Basin::new(); grid.cell_count() / 2 + 1];
        Self { sets: DisjointSets::new(places), number: vec![0; places], basins, count: 1 }
    }

    /// Finds them: `open` is positive at the faces through which the layer works.
    pub(super) fn find(&mut self, region: &Region<2>, open: &Faces<T, 2>, periodic: [bool; 2]) {
        self.sets.part();
        for axis in 0..2 {
            let (open, stride) = (open[axis].as_slice(), region.strides[axis]);
            let across = (region.len(axis) - 1) * stride;
            for row in (0..region.rows()).map(|n| region.row(n)) {
                for (i, open) in row.of(open).iter().enumerate() {
                    if *open > T::zero() {
                        let place = row.start + i;
                        let first = [i == 0, row.at[1] == region.lo[1]][axis];
                        let around = periodic[axis] && first;
                        let below = if around { place + across } else { place - stride };
                        self.sets.join(place, below);
                    }
                }
            }
        }
        self.number.fill(0);
        self.count = 1;
        for place in region.places() {
            let root = self.sets.root(place);
            if root != place {
                if self.number[root] == 0 {
                    self.number[root] = self.count as u32;
                    self.count += 1;
                }
                self.number[place] = self.number[root];
            }
        }
    }

    /// Sets the currents: the mean velocities by the depths, whose roots are given, on these faces.
    pub(super) fn set_current(
        &mut self,
        axis: usize,
        faces: &Region<2>,
        [velocity, root]: [&[T]; 2],
    ) {
        let basins = &mut self.basins[..self.count];
        basins.iter_mut().for_each(|basin| basin.gains = [0.0; 2]);
        for row in (0..faces.rows()).map(|n| faces.row(n)) {
            let (u, root) = (row.of(velocity), row.of(root));
            for (number, range) in runs(row.of(&self.number)) {
                let (mut depths, mut flows) = (T::zero(), T::zero());
                for (u, root) in u[range.clone()].iter().zip(&root[range]) {
                    let depth = *root * *root;
                    depths += depth;
                    flows += depth * *u;
                }
                let basin = &mut basins[number];
                basin.gains[0] += depths.to_f64();
                basin.gains[1] += flows.to_f64();
            }
        }
        for basin in basins {
            let [depths, flows] = basin.gains;
            basin.current[axis] = T::of(if depths > 0.0 { flows / depths } else { 0.0 });
        }
    }

    /// Sets the parts: an exchange of which each cell has these gains of energy may make none, and
    /// bring back no more than was taken out.
    pub(super) fn settle(&mut self, region: &Region<2>, gains: [&[T]; 2], change: Change) {
        let basins = &mut self.basins[..self.count];
        basins.iter_mut().for_each(|basin| basin.gains = [0.0; 2]);
        for row in (0..region.rows()).map(|n| region.row(n)) {
            for (number, range) in runs(row.of(&self.number)) {
                for (sum, gains) in basins[number].gains.iter_mut().zip(gains) {
                    let gains = &row.of(gains)[range.clone()];
                    *sum += gains.iter().fold(T::zero(), |sum, gain| sum + *gain).to_f64();
                }
            }
        }
        for basin in basins {
            let limit = if change == Change::Out { 0.0 } else { basin.taken };
            let part = affordable(basin.gains, limit);
            if change == Change::Out {
                basin.taken = -(basin.gains[0] * part + basin.gains[1] * part * part);
            }
            basin.part = T::of(part);
        }
    }

    /// The basins of a row of cells, or of the faces before them, and where they are in it.
    #[inline(always)]
    pub(super) fn of(&self, row: Row<2>) -> impl Iterator<Item = (&Basin<T>, Range<usize>)> {
        runs(row.of(&self.number)).map(|(number, range)| (&self.basins[number], range))
    }
}

/// The numbers of a row and where each stands.
#[inline(always)]
fn runs(numbers: &[u32]) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut start = 0;
    numbers.chunk_by(|a, b| a == b).map(move |same| {
        let range = start..start + same.len();
        start = range.end;
        (same[0] as usize, range)
    })
}

/// The largest part, up to 1, whose energy, `first`·part + `second`·part², is no more than a limit.
fn affordable([first, second]: [f64; 2], limit: f64) -> f64 {
    if first + second <= limit {
        return 1.0;
    }
    let root = libm::sqrt((first * first + 4.0 * second * limit).max(0.0));
    // Of the two forms of the root the one that subtracts nothing.
    let part =
        if first > 0.0 { 2.0 * limit / (first + root) } else { (root - first) / (2.0 * second) };
    part.clamp(0.0, 1.0)
}
