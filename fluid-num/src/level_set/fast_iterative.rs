//! Reinitialisation by the fast iterative method.
//!
//! ```text
//! |∇φ| = 1,   φ = 0 where it was
//! ```
//! Cells that the interface passes take their distance from φ itself, to second order and without
//! moving the interface more than it must (a distance that is right to a hundredth of a cell stays
//! to the bit). From there on cells learn from their neighbours from which piece of the interface they
//! are, and measure how far: a list of cells is worked on, all from the last values (so that the order
//! does not matter, nor the number of threads), and those around the cells that came nearer make the
//! next list. Differences of |∇φ| = 1 over cells would be wrong by a third of a cell in the fan behind a
//! corner and on the ridge between two sides; a closest point is exact on both.
//!
//! **Accuracy**, in cells: see the [module](super). **Cost**: passes over all cells that load φ, find the
//! interface and store, and rounds over those in the band; memory for four arrays of the grid and for
//! about 30 numbers a cell, since an interface may pass all.
//!
//! References: W.-K. Jeong, R. T. Whitaker, *A fast iterative method for eikonal equations*, SIAM J.
//! Sci. Comput. 30 (2008), <https://doi.org/10.1137/060670298>; G. Russo, P. Smereka, *A remark on
//! computing distance functions*, J. Comput. Phys. 163 (2000),
//! <https://doi.org/10.1006/jcph.2000.6553>; closest points after P.-E. Danielsson, *Euclidean
//! distance mapping*, Comput. Graph. Image Process. 14 (1980),
//! <https://doi.org/10.1016/0146-664X(80)90054-4>.

use alloc::vec;
use alloc::vec::Vec;

use super::LevelSet;
use super::feet::{Feet, NONE};
use super::halo::Halo;
use super::interface::{measure, moved};
use crate::base::error::check;
use crate::base::exec::{self, ChunkPass, Row, RowPass};
use crate::grid::ops::same_grid;
use crate::{Error, Grid, Real};

/// What the interface between two cells is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DistanceOrder {
    /// Straight: errors of κ/8 cells, κ the curvature in 1/cell.
    First,
    /// Curved: exact for discs and balls. The default.
    #[default]
    Second,
}

/// What a reinitialisation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReinitializeReport {
    /// The number of cells that the interface passes.
    pub interface_cells: usize,
    /// How often a list of cells was worked on.
    pub rounds: usize,
    /// How many cells were computed in all rounds together.
    pub updates: usize,
    /// How many cells were still on the list after the largest number of rounds: they may be too far.
    /// 0 for all but degenerate interfaces.
    pub unsettled: usize,
}

/// Makes level sets signed distances, by the fast iterative method. All memory is taken at the
/// start.
///
/// ```
/// use fluid_num::level_set::{DistanceOrder, FastIterative};
/// use fluid_num::{Boundary, Grid2, LevelSet};
/// let grid = Grid2::new([32, 32], 1.0 / 32.0)?;
/// // A disc, by a function that is no distance at all.
/// let square = |v: f64| (v - 0.5) * (v - 0.5);
/// let mut disc = LevelSet::from_fn(grid, &Boundary::walls(), |[x, y]| square(x) + square(y) - 0.09)?;
/// FastIterative::new(grid, 6.0, DistanceOrder::Second)?.reinitialize(&mut disc)?;
/// assert!((disc.signed_distance([0.9, 0.5]) - 0.1).abs() < 0.1 / 32.0);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FastIterative<T, const D: usize> {
    halo: Halo<T, D>,
    band: T,
    order: DistanceOrder,
    // Scratch.
    phi: Vec<T>,
    distance: Vec<T>,
    feet: Feet<T, D>,
    /// The foot that each cell knows.
    known: Vec<u32>,
    state: Vec<u8>,
    list: Vec<u32>,
    next: Vec<u32>,
    /// What the cells of the list become: the magnitude of their distance and their foot.
    values: Vec<(T, u32)>,
}

/// What [`FastIterative::state`] says of a cell: it is on the list, or beside the interface.
const LISTED: u8 = 1;
const FIXED: u8 = 2;
/// A change that is handed on, in cells.
const CHANGE: f64 = 1e-4;

impl<T: Real, const D: usize> FastIterative<T, D> {
    /// Distances up to `band` cells on both sides of the interface, from 2 on; all beyond are cut to
    /// it. Wider bands cost more; what moves n cells in a step needs n + 3.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a band below 2 or above 10⁶.
    pub fn new(grid: Grid<T, D>, band: T, order: DistanceOrder) -> Result<Self, Error> {
        check_band(band)?;
        let (halo, count) = (Halo::new(grid), grid.cell_count());
        Ok(Self {
            halo,
            band,
            order,
            phi: vec![T::zero(); halo.len],
            distance: vec![T::zero(); halo.len],
            feet: Feet::new(count),
            known: vec![NONE; halo.len],
            state: vec![0; halo.len],
            list: Vec::with_capacity(count),
            next: Vec::with_capacity(count),
            values: vec![(T::zero(), NONE); count],
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
        let interface_cells = self.seed(&halo);
        let mut report = ReinitializeReport { interface_cells, ..Default::default() };
        // Every round carries the distance on by a cell; some more let corners settle.
        let most = 4 * self.band.truncate() as usize + 32;
        while !self.list.is_empty() && report.rounds < most {
            report.rounds += 1;
            report.updates += self.list.len();
            self.round(&halo);
        }
        report.unsettled = self.list.len();
        self.list.clear();
        self.state.fill(0);
        store(&halo, self.band, [&self.phi, &self.distance], &self.feet, &self.known, phi);
        Ok(report)
    }

    /// Marks the cells beside the interface and lists those around them; returns how many there are.
    fn seed(&mut self, halo: &Halo<T, D>) -> usize {
        let curved = self.order == DistanceOrder::Second;
        self.feet.find(halo, &self.phi, &mut self.distance, curved, &mut self.known);
        for i in &self.feet.cells {
            self.state[*i as usize] |= FIXED;
        }
        self.list.clear();
        for i in &self.feet.cells {
            push_around(halo, &self.distance, &mut self.state, &mut self.list, *i as usize);
        }
        self.feet.cells.len()
    }

    /// Computes the cells of the list and makes the next one.
    fn round(&mut self, halo: &Halo<T, D>) {
        let count = self.list.len();
        let solve = Solve {
            halo,
            feet: &self.feet,
            distance: &self.distance,
            known: &self.known,
            list: &self.list,
        };
        exec::chunks([&mut self.values[..count]], &solve);
        let (change, band) = (T::of(CHANGE), self.band);
        for i in &self.list {
            self.state[*i as usize] &= !LISTED;
        }
        // All new values stand before the next list is made, whose order they decide.
        for (i, (new, foot)) in self.list.iter().zip(&mut self.values) {
            let place = *i as usize;
            let old = self.distance[place];
            let nearer = old.magnitude() - *new;
            if nearer > T::zero() {
                let value = if old < T::zero() { -*new } else { *new };
                (self.distance[place], self.known[place]) = (value, *foot);
                halo.images(place, |image| {
                    (self.distance[image], self.known[image]) = (value, *foot);
                });
            }
            if nearer <= change || *new >= band {
                *foot = NONE; // nothing to hand on
            }
        }
        self.next.clear();
        for (i, (_, foot)) in self.list.iter().zip(&self.values) {
            if *foot != NONE {
                push_around(halo, &self.distance, &mut self.state, &mut self.next, *i as usize);
            }
        }
        core::mem::swap(&mut self.list, &mut self.next);
    }
}

pub(super) fn check_band<T: Real>(band: T) -> Result<(), Error> {
    check::within("band", band, 2.0, 1e6, "from 2 to 10⁶ cells")
}

/// Lists the neighbours of cell `i` that may depend on it: those on its side that are no nearer.
fn push_around<T: Real, const D: usize>(
    halo: &Halo<T, D>,
    distance: &[T],
    state: &mut [u8],
    list: &mut Vec<u32>,
    i: usize,
) {
    let at = halo.at(i);
    let own = distance[i];
    for axis in 0..D {
        for up in [false, true] {
            if let Some(j) = halo.beside(i, at, axis, up)
                && state[j] == 0
                && (distance[j] < T::zero()) == (own < T::zero())
                && distance[j].magnitude() > own.magnitude()
            {
                state[j] = LISTED;
                list.push(j as u32);
            }
        }
    }
}

/// The distances of listed cells.
struct Solve<'a, T, const D: usize> {
    halo: &'a Halo<T, D>,
    feet: &'a Feet<T, D>,
    distance: &'a [T],
    known: &'a [u32],
    list: &'a [u32],
}

impl<T: Real, const D: usize> ChunkPass<(T, u32), 1> for Solve<'_, T, D> {
    const GRAIN: usize = 512;

    #[inline(always)]
    fn chunk(&self, first: usize, [out]: [&mut [(T, u32)]; 1]) {
        let list = &self.list[first..first + out.len()];
        for (out, i) in out.iter_mut().zip(list) {
            *out = self.nearest(*i as usize);
        }
    }
}

impl<T: Real, const D: usize> Solve<'_, T, D> {
    /// The least distance of cell `i` from what it and its neighbours on the same side know.
    #[inline(always)]
    fn nearest(&self, i: usize) -> (T, u32) {
        let own = self.distance[i];
        let at = self.halo.at(i);
        let mut nearest = self.feet.nearer(self.halo, at, self.known[i]);
        let mut last = NONE;
        for offset in 0..3_usize.pow(D as u32) {
            let j = moved(i, &self.halo.strides, offset);
            let foot = self.known[j];
            // Neighbours often know the same.
            if foot == NONE || foot == last || foot == nearest.1 {
                continue;
            }
            // What is farther from the interface, or beyond it, is no guide.
            let alike = (self.distance[j] < T::zero()) == (own < T::zero());
            if !alike || self.distance[j].magnitude() > own.magnitude() {
                continue;
            }
            last = foot;
            let found = self.feet.nearer(self.halo, at, foot);
            if found.0 < nearest.0 {
                nearest = found;
            }
        }
        (nearest.0.sqrt(), nearest.1)
    }
}

/// Writes distances back to a level set, cut to the band: beside the interface those that were found
/// first (what has not changed stays to the bit), elsewhere the least of those from the pieces of the
/// interface that a cell and its neighbours know.
pub(super) fn store<T: Real, const D: usize>(
    halo: &Halo<T, D>,
    band: T,
    [old, new]: [&[T]; 2],
    feet: &Feet<T, D>,
    known: &[u32],
    phi: &mut LevelSet<T, D>,
) {
    let dx = halo.grid.dx();
    let width = band * dx;
    let pass = Store { halo, dx, width, old, new, feet, known };
    exec::rows(&halo.grid.interior(), [phi.values_mut()], &pass);
    phi.cut_at(width);
}

struct Store<'a, T, const D: usize> {
    halo: &'a Halo<T, D>,
    dx: T,
    width: T,
    old: &'a [T],
    /// Right beside the interface, of the right sign everywhere.
    new: &'a [T],
    feet: &'a Feet<T, D>,
    known: &'a [u32],
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Store<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [phi]: [&mut [T]; 1]) {
        let mut at = row.at.map(|i| i + super::halo::WIDTH - 1);
        let start: usize = (0..D).map(|a| at[a] * self.halo.strides[a]).sum();
        let (old, new) = (&self.old[start..][..row.len], &self.new[start..][..row.len]);
        let known = &self.known[start..][..row.len];
        let (phi, dx, width) = (&mut phi[..row.len], self.dx, self.width);
        let first = at[0];
        for i in 0..row.len {
            let distance = if known[i] == NONE {
                if new[i] < T::zero() { -width } else { width }
            } else if !self.feet.is_own(known[i], start + i) {
                at[0] = first + i;
                self.distance(at, start + i) * dx
            } else if new[i] == old[i] {
                phi[i]
            } else {
                new[i] * dx
            };
            phi[i] = distance.at_most(width).at_least(-width);
        }
    }
}

impl<T: Real, const D: usize> Store<'_, T, D> {
    #[inline(always)]
    fn distance(&self, at: [usize; D], i: usize) -> T {
        let inside = self.new[i] < T::zero();
        let mut least = self.feet.distance(self.halo, at, self.known[i]);
        for s in self.halo.strides {
            for j in [i - s, i + s] {
                if self.known[j] != NONE
                    && self.known[j] != self.known[i]
                    && (self.new[j] < T::zero()) == inside
                {
                    least = least.at_most(self.feet.distance(self.halo, at, self.known[j]));
                }
            }
        }
        if inside { -least } else { least }
    }
}
