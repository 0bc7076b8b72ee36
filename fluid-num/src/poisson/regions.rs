//! Connected regions of unknowns, and the means that a singular region is free of.

use alloc::vec;
use alloc::vec::Vec;

use crate::Real;
use crate::base::exec::Region;
use crate::base::sets::DisjointSets;

/// What connects places: β where it varies, the places where p is sought, and the ends of the
/// axes.
pub(super) struct Links<'a, T, const D: usize> {
    pub(super) coefficients: [&'a [T]; D],
    /// Zero where p is not sought: not active, or without any open face.
    pub(super) inverse: &'a [T],
    pub(super) periodic: [bool; D],
    pub(super) held: [[bool; 2]; D],
}

/// The connected regions of a set of unknowns. All memory is taken at the start.
#[derive(Debug, Clone)]
pub(super) struct Regions {
    /// Each region is a set.
    sets: DisjointSets,
    /// Whether p is held at a place; at a root, whether it is held anywhere in the region.
    held: Vec<bool>,
    /// At a root, the number of places, then where the next one goes in `places`.
    cursor: Vec<u32>,
    /// The places of all singular regions, region by region.
    places: Vec<u32>,
    /// Where each singular region starts in `places`, and where the last one ends.
    starts: Vec<u32>,
}

impl Regions {
    pub(super) fn new(len: usize) -> Self {
        Self {
            sets: DisjointSets::new(len),
            held: vec![true; len],
            cursor: vec![0; len],
            places: vec![0; len],
            starts: Vec::with_capacity(len + 1),
        }
    }

    /// No region is singular.
    pub(super) fn clear(&mut self) {
        self.starts.clear();
    }

    pub(super) fn any_singular(&self) -> bool {
        self.starts.len() > 1
    }

    /// The first place of the singular region that an unknown lies in, if it lies in one.
    pub(super) fn singular_at(&self, place: usize) -> Option<u32> {
        let root = self.sets.look_up(place);
        (self.any_singular() && !self.held[root]).then_some(root as u32)
    }

    /// Finds the regions: places are joined through faces with β > 0 between active places.
    pub(super) fn find<T: Real, const D: usize>(
        &mut self,
        region: &Region<D>,
        links: &Links<'_, T, D>,
    ) {
        self.sets.part();
        self.held.fill(false);
        self.cursor.fill(0);
        let open = |axis: usize, face: usize| links.coefficients[axis][face] > T::zero();
        for_each(region, |place, at| {
            if links.inverse[place] == T::zero() {
                return;
            }
            for axis in 0..D {
                let stride = region.strides[axis];
                let across = (region.len(axis) - 1) * stride;
                let first = at[axis] == region.lo[axis];
                let last = at[axis] + 1 == region.hi[axis];
                // The neighbour below is joined; the one above joins itself when its turn comes.
                let below = match first {
                    true if links.periodic[axis] => Some(place + across),
                    true => None,
                    false => Some(place - stride),
                };
                let above = match last {
                    true if links.periodic[axis] => Some(place - across),
                    true => None,
                    false => Some(place + stride),
                };
                for (neighbour, face, end) in [(below, place, 0), (above, place + stride, 1)] {
                    if !open(axis, face) {
                        continue;
                    }
                    match neighbour {
                        Some(n) if links.inverse[n] > T::zero() => {
                            if end == 0 {
                                self.sets.join(place, n);
                            }
                        }
                        Some(_) => self.held[place] = true,
                        None => self.held[place] |= links.held[axis][end],
                    }
                }
            }
        });
        for_each(region, |place, _| {
            if links.inverse[place] > T::zero() {
                let root = self.sets.root(place);
                self.cursor[root] += 1;
                self.held[root] |= self.held[place];
            }
        });
        self.starts.clear();
        let mut total = 0;
        for_each(region, |place, _| {
            if links.inverse[place] > T::zero()
                && self.sets.root(place) == place
                && !self.held[place]
            {
                self.starts.push(total);
                total += core::mem::replace(&mut self.cursor[place], total);
            }
        });
        self.starts.push(total);
        for_each(region, |place, _| {
            let root = self.sets.root(place);
            if links.inverse[place] > T::zero() && !self.held[root] {
                self.places[self.cursor[root] as usize] = place as u32;
                self.cursor[root] += 1;
            }
        });
    }

    /// Takes the mean over each singular region off `values`; gives the largest magnitude of one.
    pub(super) fn remove_means<T: Real>(&self, values: &mut [T]) -> f64 {
        let mut largest = 0.0;
        for ends in self.starts.windows(2) {
            let places = &self.places[ends[0] as usize..ends[1] as usize];
            let sum: f64 = places.iter().map(|p| values[*p as usize].to_f64()).sum();
            let mean = sum / places.len() as f64;
            for p in places {
                values[*p as usize] -= T::of(mean);
            }
            largest = mean.magnitude().at_least(largest);
        }
        largest
    }
}

fn for_each<const D: usize>(region: &Region<D>, mut f: impl FnMut(usize, [usize; D])) {
    for n in 0..region.rows() {
        let row = region.row(n);
        for i in 0..row.len {
            let mut at = row.at;
            at[0] += i;
            f(row.start + i, at);
        }
    }
}
