//! Reinitialisation by jump flooding.
//!
//! Each cell that the interface passes knows its own closest point of it. In passes over cells 2ᵏ,
//! …, 4, 2, 1 and once more 1 apart, every cell takes, of what its 3ᴰ − 1 neighbours at that
//! distance know and what it knows itself, the point that is nearest (1+JFA). The distance is that
//! to the point.
//!
//! The same work for every cell, whatever the interface, which suits graphics hardware and wide
//! bands. A cell may miss its own point: within 0.7 cells of the distance, usually within 0.1.
//! [`FastIterative`](super::FastIterative) finds the same, and in narrow bands faster.
//!
//! Reference: G. Rong, T.-S. Tan, *Jump flooding in GPU with applications to Voronoi diagram and
//! distance transform*, I3D 2006, <https://doi.org/10.1145/1111411.1111431>.

use alloc::vec;
use alloc::vec::Vec;

use super::LevelSet;
use super::fast_iterative::{ReinitializeReport, check_band, store};
use super::feet::{Feet, NONE};
use super::halo::{Halo, WIDTH};
use super::interface::{LARGE, measure};
use crate::base::exec::{self, Row, RowPass};
use crate::grid::ops::same_grid;
use crate::{Error, Grid, Real};

/// The number of cells that are compared together.
const BLOCK: usize = 64;

/// Makes level sets signed distances, by jump flooding. All memory is taken at the start.
///
/// ```
/// use fluid_num::level_set::JumpFlooding;
/// use fluid_num::{Boundary, Grid2, LevelSet};
/// let grid = Grid2::new([32, 32], 1.0 / 32.0)?;
/// let square = |v: f64| (v - 0.5) * (v - 0.5);
/// let mut disc = LevelSet::from_fn(grid, &Boundary::walls(), |[x, y]| square(x) + square(y) - 0.09)?;
/// JumpFlooding::new(grid, 8.0)?.reinitialize(&mut disc)?;
/// assert!((disc.signed_distance([0.9, 0.5]) - 0.1).abs() < 0.7 / 32.0);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct JumpFlooding<T, const D: usize> {
    halo: Halo<T, D>,
    band: T,
    // Scratch.
    phi: Vec<T>,
    distance: Vec<T>,
    feet: Feet<T, D>,
    /// The closest point that each cell knows.
    seeds: Vec<u32>,
    spare: Vec<u32>,
}

impl<T: Real, const D: usize> JumpFlooding<T, D> {
    /// Distances up to `band` cells on both sides of the interface, from 2 on; all beyond are cut to
    /// it. Twice the band costs one more pass.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a band below 2 or above 10⁶.
    pub fn new(grid: Grid<T, D>, band: T) -> Result<Self, Error> {
        check_band(band)?;
        let (halo, count) = (Halo::new(grid), grid.cell_count());
        Ok(Self {
            halo,
            band,
            phi: vec![T::zero(); halo.len],
            distance: vec![T::zero(); halo.len],
            feet: Feet::new(count),
            seeds: vec![NONE; halo.len],
            spare: vec![NONE; halo.len],
        })
    }

    /// The width of the band, in cells.
    pub fn band(&self) -> T {
        self.band
    }

    /// Makes `phi` a signed distance where it is below the band's width, and ± that elsewhere.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a level set of another grid, [`Error::NotFinite`] for one with NaN
    /// or infinities, which is then as before.
    pub fn reinitialize(&mut self, phi: &mut LevelSet<T, D>) -> Result<ReinitializeReport, Error> {
        same_grid(*phi.grid() == self.halo.grid, "phi")?;
        phi.field().check_finite("phi")?;
        let halo = self.halo.within(phi.boundary());
        halo.load(phi.field(), &mut self.phi);
        measure(&halo, &self.phi, &mut self.distance);
        self.feet.find(&halo, &self.phi, &mut self.distance, true, &mut self.seeds);
        let feet = &self.feet;
        let mut report =
            ReinitializeReport { interface_cells: feet.cells.len(), ..Default::default() };
        // Twice the largest step reaches beyond the band, less one for the points' own cells.
        let longest = halo.grid.cells().into_iter().max().unwrap_or(1);
        let reach = (self.band.truncate() as usize + 2).min(longest);
        let mut step = reach.next_power_of_two() / 2;
        let mut last = false;
        while step > 0 {
            let flood =
                Flood { halo: &halo, seeds: &self.seeds, feet, distance: &self.distance, step };
            exec::rows(&halo.interior(), [&mut self.spare], &flood);
            core::mem::swap(&mut self.seeds, &mut self.spare);
            report.rounds += 1;
            report.updates += halo.grid.cell_count();
            (step, last) = if step == 1 { (usize::from(!last), true) } else { (step / 2, last) };
        }
        halo.fill_ghosts(&mut self.seeds, |_| NONE);
        store(&halo, self.band, [&self.phi, &self.distance], feet, &self.seeds, phi);
        Ok(report)
    }
}

/// The point nearest to each cell among those that cells `step` away know.
struct Flood<'a, T, const D: usize> {
    halo: &'a Halo<T, D>,
    seeds: &'a [u32],
    feet: &'a Feet<T, D>,
    /// Of the right sign, and less than [`LARGE`] beside the interface.
    distance: &'a [T],
    step: usize,
}

impl<T: Real, const D: usize> RowPass<u32, D, 1> for Flood<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [u32]; 1]) {
        out.copy_from_slice(row.of(self.seeds));
        let (own, large) = (row.of(self.distance), T::of(LARGE));
        let mut nearest = [T::zero(); BLOCK];
        for first in (0..row.len).step_by(BLOCK) {
            let out = &mut out[first..(first + BLOCK).min(row.len)];
            let mut at = row.at;
            at[0] += first;
            for (i, seed) in out.iter_mut().enumerate() {
                at[0] = row.at[0] + first + i;
                if own[first + i].magnitude() < large {
                    nearest[i] = -T::one(); // beside the interface a cell keeps its own
                } else {
                    (nearest[i], *seed) = self.feet.nearer(self.halo, at, *seed);
                }
            }
            for offset in 0..3_usize.pow(D as u32) {
                self.compare(row, first, offset, &mut nearest, out);
            }
        }
    }
}

impl<T: Real, const D: usize> Flood<'_, T, D> {
    /// Takes over nearer points from the cells at one offset, whose digits to base 3 say down, level
    /// or up along each axis.
    #[inline(always)]
    fn compare(
        &self,
        row: Row<D>,
        first: usize,
        offset: usize,
        nearest: &mut [T; BLOCK],
        out: &mut [u32],
    ) {
        let mut start = 0;
        for a in 1..D {
            let Some(at) = self.shifted(row.at[a], a, offset / 3_usize.pow(a as u32) % 3) else {
                return;
            };
            start += at * self.halo.strides[a];
        }
        // Where the block's first cell looks along x, and, on a periodic axis, one turn earlier.
        let n = self.halo.grid.cells()[0] as isize;
        let from = (row.at[0] + first - WIDTH) as isize;
        let moved = from + (offset as isize % 3 - 1) * self.step as isize;
        let looks = if self.halo.is_periodic(0) {
            let inside = moved.rem_euclid(n);
            [Some(inside), Some(inside - n)]
        } else {
            [Some(moved), None]
        };
        for begin in looks.into_iter().flatten() {
            let lo = (-begin).clamp(0, out.len() as isize) as usize;
            let hi = (n - begin).clamp(lo as isize, out.len() as isize) as usize;
            if lo >= hi {
                continue;
            }
            let x = (begin + lo as isize) as usize + WIDTH;
            let seeds = &self.seeds[start + x..][..hi - lo];
            if seeds.iter().fold(true, |none, seed| none & (*seed == NONE)) {
                continue;
            }
            let own = &row.of(self.distance)[first..];
            let mut at = row.at;
            for (i, seed) in (lo..hi).zip(seeds) {
                let alike = |n: u32| self.feet.is_inside(n) == (own[i] < T::zero());
                if *seed != NONE && *seed != out[i] && alike(*seed) {
                    at[0] = row.at[0] + first + i;
                    let (square, seed) = self.feet.nearer(self.halo, at, *seed);
                    // Of two as near the one of the lower number: the order of the offsets is none.
                    if square < nearest[i] || (square == nearest[i] && seed < out[i]) {
                        (nearest[i], out[i]) = (square, seed);
                    }
                }
            }
        }
    }

    /// The index one step down (0), here (1) or up (2) along an axis; `None` beyond a side.
    #[inline(always)]
    fn shifted(&self, at: usize, axis: usize, turn: usize) -> Option<usize> {
        let n = self.halo.grid.cells()[axis] as isize;
        let moved = (at - WIDTH) as isize + (turn as isize - 1) * self.step as isize;
        let inside = if self.halo.is_periodic(axis) { moved.rem_euclid(n) } else { moved };
        (0..n).contains(&inside).then(|| inside as usize + WIDTH)
    }
}
