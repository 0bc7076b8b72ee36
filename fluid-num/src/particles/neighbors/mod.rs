//! Which particles are near which: lists of neighbours from one of three structures of cells.
//!
//! ```text
//! N(i) = { j : |x_i − x_j| < reach }        x_i − x_j to the nearest image along periodic axes
//! ```
//!
//! Particles are sorted into cells at least as large as the reach, so that a search reads the 3ᴰ
//! cells around a point. The lists are exact (equal to a search through all pairs) for every
//! structure, wherever particles are, and however many share a cell; they depend on neither
//! threads nor lanes.
//!
//! **A skin** makes the reach larger than the support radius, so that lists stay good until a particle
//! has moved half the skin: fewer searches, longer lists.
//!
//! **Cost** on one core: 10 ns a particle for cells and 150 ns for lists with 20 neighbours in the plane,
//! 20 and 450 ns with 27 in space.
//! Memory is taken when there are more particles or more pairs than ever before, with a quarter to
//! spare.
//!
//! References: S. Green, *Particle Simulation using CUDA*, 2010; M. Ihmsen et al., *A parallel SPH
//! implementation on multi-core CPUs*, 2011, <https://doi.org/10.1111/j.1467-8659.2010.01832.x>.

mod cells;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

pub use cells::CellStructure;

use super::domain::{Domain, Images};
use crate::base::error::check;
use crate::base::exec::{self, ChunkPass, ListPass};
use crate::{Error, Real};
use cells::{Candidates, Cells, Slots};
use core::ops::Range;

/// The number of lanes that lists are padded for.
pub const LANES: usize = 8;

/// Whose neighbours are sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    /// The particles' own: nobody is their own neighbour.
    Among,
    /// Those of other points.
    Between,
}

/// Particles by cell, and lists of neighbours.
///
/// ```
/// use fluid_num::particles::{CellStructure, Domain, Neighbors};
/// let domain = Domain::new([0.0; 2], [1.0_f64; 2])?.with_periodic(0);
/// let mut neighbors = Neighbors::new(domain, 0.2, CellStructure::Sorted)?;
/// let (x, y) = ([0.05, 0.95, 0.5], [0.5, 0.5, 0.5]);
/// neighbors.update([&x, &y])?;
/// assert!(neighbors.of(0).eq([1])); // across the periodic side
/// assert_eq!(neighbors.of(2).len(), 0);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Neighbors<T, const D: usize> {
    domain: Domain<T, D>,
    reach: T,
    cells: Cells<T, D>,
    order: Vec<u32>,
    counts: Vec<u32>,
    /// Where the lists of each group of `LANES` points begin, and one entry more. The n-th
    /// neighbours of a group lie side by side, so that a lane belongs to a point.
    starts: Vec<usize>,
    list: Vec<u32>,
}

impl<T: Real, const D: usize> Neighbors<T, D> {
    /// A search within `reach` metres in a domain.
    ///
    /// # Errors
    /// As [`Domain::check`]; [`Error::InvalidParameter`] for a reach that is not finite and positive,
    /// or more than half of a periodic length, where a particle would meet another twice;
    /// [`Error::WrongCount`] for cells without capacity.
    pub fn new(domain: Domain<T, D>, reach: T, structure: CellStructure) -> Result<Self, Error> {
        domain.check()?;
        check::positive("reach", reach)?;
        for a in (0..D).filter(|a| domain.periodic[*a]) {
            if reach > domain.size(a) * T::of(0.5) {
                return Err(Error::InvalidParameter {
                    name: "reach",
                    value: reach.to_f64(),
                    expected: "at most half of a periodic length",
                });
            }
        }
        if structure == (CellStructure::Fixed { capacity: 0 }) {
            let expected = "room for at least 1 particle";
            return Err(Error::WrongCount { name: "cells", count: 0, expected });
        }
        Ok(Self {
            domain,
            reach,
            cells: Cells::new(&domain, reach, structure),
            order: Vec::new(),
            counts: Vec::new(),
            starts: Vec::new(),
            list: Vec::new(),
        })
    }

    /// The distance that neighbours are within, m.
    pub fn reach(&self) -> T {
        self.reach
    }

    /// Finds the neighbours of particles among themselves.
    ///
    /// # Errors
    /// [`Error::NotFinite`] with the first particle whose position is not finite; the lists are as
    /// before.
    pub fn update(&mut self, positions: [&[T]; D]) -> Result<(), Error> {
        self.assign(positions)?;
        self.search(positions, Pairs::Among);
        Ok(())
    }

    /// Sorts particles into cells, for [`Self::search`].
    ///
    /// # Errors
    /// As [`Self::update`].
    pub fn assign(&mut self, positions: [&[T]; D]) -> Result<(), Error> {
        self.cells.assign(positions)
    }

    /// The particles in the order of their cells: put into this order, neighbours in space are
    /// neighbours in memory. Say so by [`Self::renumber`].
    pub fn order(&mut self) -> &[u32] {
        self.cells.order(&mut self.order);
        &self.order
    }

    /// The order that [`Self::order`] gave last.
    pub(crate) fn last_order(&self) -> &[u32] {
        &self.order
    }

    /// Says that the particles have been put into the order of [`Self::order`] since they were
    /// sorted into cells.
    pub fn renumber(&mut self) {
        self.cells.renumber();
    }

    /// Finds the neighbours of `queries` among the particles in the cells.
    pub fn search(&mut self, queries: [&[T]; D], pairs: Pairs) {
        let Self { domain, reach, cells, counts, starts, list, .. } = self;
        let count = queries.iter().map(|q| q.len()).min().unwrap_or(0);
        let queries = queries.map(|q| &q[..count]);
        let images = domain.images();
        let reach_squared = *reach * *reach;
        let tails = tails(reach_squared);
        let scan = Scan { cells, queries, images, reach_squared, tails, pairs };
        counts.resize(count, 0);
        exec::chunks([counts], &Count(&scan));
        starts.clear();
        starts.reserve(count.div_ceil(LANES) + 1);
        let mut end = 0;
        starts.push(end);
        starts.extend(counts.chunks(LANES).map(|group| {
            // One row to spare, which the filling writes.
            let most = group.iter().fold(0, |most, n| most.max(*n));
            end += (most as usize + 1) * LANES;
            end
        }));
        if list.len() < end {
            let spare = if list.capacity() < end { end / 4 } else { 0 };
            list.reserve_exact(end + spare - list.len());
            list.resize(end, 0);
        }
        exec::lists(starts, &mut list[..end], &Fill { scan: &scan, starts });
    }

    /// The number of points whose neighbours were found.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether no point's neighbours were found.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The neighbours of point `i`; none beyond the last point.
    #[inline(always)]
    pub fn of(&self, i: usize) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        let count = self.counts.get(i).map_or(0, |count| *count as usize);
        let list = if count > 0 { &self.list[self.starts[i / LANES] + i % LANES..] } else { &[] };
        list.iter().step_by(LANES).take(count).copied()
    }

    /// The number of pairs in all lists.
    pub fn pair_count(&self) -> usize {
        self.counts.iter().map(|n| *n as usize).sum()
    }

    /// The number of particles that did not fit into their cell of fixed capacity.
    pub fn overflowed(&self) -> usize {
        self.cells.overflowed()
    }

    /// The neighbours of the group that begins with point `first`, padded with particles of no
    /// meaning, and their numbers.
    #[inline(always)]
    pub(crate) fn group(&self, first: usize) -> (&[[u32; LANES]], [u32; LANES]) {
        let mut counts = [0; LANES];
        for (count, held) in counts.iter_mut().zip(&self.counts[first..]) {
            *count = *held;
        }
        let group = first / LANES;
        let (list, _) = self.list[self.starts[group]..self.starts[group + 1]].as_chunks();
        (&list[..list.len() - 1], counts)
    }

    /// Whether a point of the group that begins with point `first` has a neighbour.
    #[inline(always)]
    pub(crate) fn any(&self, first: usize) -> bool {
        match self.starts.get(first / LANES..) {
            Some([start, end, ..]) => *end > *start + LANES,
            _ => false,
        }
    }

    pub(crate) fn domain(&self) -> &Domain<T, D> {
        &self.domain
    }
}

/// What to add to the squared distances of a block with n neighbours, so that lanes without one are
/// out of reach: in entry n, zero in the first n lanes and `reach_squared` in the others.
/// (A comparison with the lane's number would make lanes differ, which the compiler then splits.)
fn tails<T: Real>(reach_squared: T) -> [[T; LANES]; LANES + 1] {
    let mut tails = [[T::zero(); LANES]; LANES + 1];
    for (n, tail) in tails.iter_mut().enumerate() {
        tail[n..].fill(reach_squared);
    }
    tails
}

/// What counting and filling share.
struct Scan<'a, T, const D: usize> {
    cells: &'a Cells<T, D>,
    queries: [&'a [T]; D],
    images: Images<T, D>,
    reach_squared: T,
    tails: [[T; LANES]; LANES + 1],
    pairs: Pairs,
}

impl<T: Real, const D: usize> Scan<'_, T, D> {
    #[inline(always)]
    fn query(&self, i: usize) -> [T; D] {
        let mut at = [T::zero(); D];
        for a in 0..D {
            at[a] = self.queries[a][i];
        }
        at
    }

    /// The squared distances of `LANES` slots from `first` on; beyond `end` what is out of reach.
    #[inline(always)]
    fn squared_distances(&self, at: [T; D], first: usize, end: usize) -> [T; LANES] {
        let Slots { position, .. } = &self.cells.slots;
        let mut sum = [T::zero(); LANES];
        for a in 0..D {
            let Some(x) = position[a][first..].first_chunk::<LANES>() else { continue };
            let mut d = [T::zero(); LANES];
            for k in 0..LANES {
                d[k] = at[a] - x[k];
            }
            self.images.nearest(a, &mut d);
            for k in 0..LANES {
                sum[k] += d[k] * d[k];
            }
        }
        let beyond = &self.tails[(end - first).min(LANES)];
        for k in 0..LANES {
            sum[k] += beyond[k];
        }
        sum
    }
}

/// The number of neighbours of each point.
struct Count<'a, T, const D: usize>(&'a Scan<'a, T, D>);

impl<T: Real, const D: usize> ChunkPass<u32, 1> for Count<'_, T, D> {
    const GRAIN: usize = 512;

    #[inline(always)]
    fn chunk(&self, first: usize, [out]: [&mut [u32]; 1]) {
        let scan = self.0;
        let mut candidates = Candidates::new();
        let reach = scan.reach_squared;
        for (n, out) in out.iter_mut().enumerate() {
            let at = scan.query(first + n);
            scan.cells.candidates(at, &mut candidates);
            let mut within = [0_u32; LANES];
            for (start, end) in candidates.ranges() {
                for slot in (*start as usize..*end as usize).step_by(LANES) {
                    let squares = scan.squared_distances(at, slot, *end as usize);
                    for k in 0..LANES {
                        within[k] += u32::from(squares[k] < reach);
                    }
                }
            }
            let itself = u32::from(scan.pairs == Pairs::Among);
            *out = within.iter().sum::<u32>().saturating_sub(itself);
        }
    }
}

/// The neighbours of each point.
struct Fill<'a, T, const D: usize> {
    scan: &'a Scan<'a, T, D>,
    starts: &'a [usize],
}

impl<T: Real, const D: usize> ListPass<u32> for Fill<'_, T, D> {
    #[inline(always)]
    fn fill(&self, groups: Range<usize>, out: &mut [u32]) {
        let Self { scan, starts } = self;
        let mut candidates = Candidates::new();
        let particle = &scan.cells.slots.particle[..];
        let points = scan.queries.first().map_or(0, |q| q.len());
        let base = starts[groups.start];
        for group in groups {
            let out = &mut out[starts[group] - base..starts[group + 1] - base];
            for lane in 0..LANES {
                let mut next = lane;
                let i = group * LANES + lane;
                if i < points {
                    // Nobody's number, where nobody is to be left out.
                    let itself = if scan.pairs == Pairs::Among { i as u32 } else { u32::MAX };
                    let at = scan.query(i);
                    scan.cells.candidates(at, &mut candidates);
                    for (start, end) in candidates.ranges() {
                        let (start, end) = (*start as usize, *end as usize);
                        for slot in (start..end).step_by(LANES) {
                            let squares = scan.squared_distances(at, slot, end);
                            let Some(found) = particle[slot..].first_chunk::<LANES>() else {
                                continue;
                            };
                            let mut steps = [0_u32; LANES];
                            for k in 0..LANES {
                                let near = (squares[k] < scan.reach_squared) & (found[k] != itself);
                                steps[k] = if near { LANES as u32 } else { 0 };
                            }
                            for k in 0..LANES {
                                // The spare row takes what is out of reach and comes after the last.
                                if let Some(place) = out.get_mut(next) {
                                    *place = found[k];
                                }
                                next += steps[k] as usize;
                            }
                        }
                    }
                }
                // Padding points at somebody, who is then out of reach by his lane.
                for place in out.iter_mut().skip(next).step_by(LANES) {
                    *place = 0;
                }
            }
        }
    }
}
