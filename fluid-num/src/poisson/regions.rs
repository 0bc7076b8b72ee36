//! Connected regions of unknowns, and the means that a singular region is free of.

use alloc::vec;
use alloc::vec::Vec;

use crate::Real;
use crate::base::exec::{self, Extent, Region, Row, RowPass};
use crate::base::sets::DisjointSets;

/// What connects places: β where it varies, the places where p is sought, and the ends of the
/// axes.
pub(super) struct Links<'a, T, const D: usize> {
    pub(super) coefficients: [&'a [T]; D],
    /// Zero where p is not sought: not active, or without any open face. Beyond the end of a periodic axis
    /// what is at the other.
    pub(super) inverse: &'a [T],
    pub(super) periodic: [bool; D],
}

/// What [`Regions::marks`] say of a place: p is sought there; it is held there; and, for each axis, the place
/// below is joined to it.
const UNKNOWN: u8 = 1;
const HELD: u8 = 2;
const JOINED: [u8; 3] = [4, 8, 16];

/// The connected regions of a set of unknowns. All memory is taken at the start.
#[derive(Debug, Clone)]
pub(super) struct Regions {
    marks: Vec<u8>,
    /// Each region is a set.
    sets: DisjointSets,
    /// At a root, whether p is held anywhere in the region.
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
            marks: vec![0; len],
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

    /// Finds the regions: places are joined through faces with β > 0 between places where p is sought,
    /// all of which are in `extent`.
    pub(super) fn find<T: Real, const D: usize>(
        &mut self,
        extent: &Extent<'_, D>,
        links: &Links<'_, T, D>,
    ) {
        let Self { marks, sets, held, cursor, places, starts } = self;
        let strides = extent.region.strides;
        exec::rows_within(*extent, [marks.as_mut_slice()], &Mark { links, strides });
        // Seams come last.
        for axis in (0..D).filter(|a| links.periodic[*a]) {
            ends(&extent.region, axis).0.places().for_each(|place| marks[place] &= !JOINED[axis]);
        }
        sets.part();
        for row in (0..extent.region.rows()).map(|n| extent.row(n)) {
            for place in row.start..row.start + row.len {
                let mark = marks[place];
                if mark & JOINED[0] != 0 {
                    sets.follow(place);
                }
                for axis in 1..D {
                    // Where both are joined to the places before them, which are joined, so are they.
                    let known = mark & JOINED[0] != 0
                        && marks[place - 1] & JOINED[axis] != 0
                        && marks[place - strides[axis]] & JOINED[0] != 0;
                    if mark & JOINED[axis] != 0 && !known {
                        sets.join(place, place - strides[axis]);
                    }
                }
            }
        }
        for axis in (0..D).filter(|a| links.periodic[*a]) {
            let (first, across) = ends(&extent.region, axis);
            let unknown = |place: usize| links.inverse[place] > T::zero();
            for place in first.places() {
                let open = links.coefficients[axis][place] > T::zero();
                if open && unknown(place) && unknown(place + across) {
                    sets.join(place, place + across);
                }
            }
        }
        // A root is the first of its set, so that its turn comes first.
        let mut root = 0;
        for_each(extent, marks, |place, mark| {
            if mark & JOINED[0] == 0 {
                root = sets.root(place);
            }
            if root == place {
                (held[root], cursor[root]) = (false, 0);
            }
            held[root] |= mark & HELD != 0;
            cursor[root] += 1;
        });
        starts.clear();
        let mut total = 0;
        for_each(extent, marks, |place, mark| {
            if mark & JOINED[0] == 0 && !held[place] && sets.root(place) == place {
                starts.push(total);
                total += core::mem::replace(&mut cursor[place], total);
            }
        });
        starts.push(total);
        if total == 0 {
            return;
        }
        for_each(extent, marks, |place, _| {
            let root = sets.root(place);
            if !held[root] {
                places[cursor[root] as usize] = place as u32;
                cursor[root] += 1;
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

fn for_each<const D: usize>(extent: &Extent<'_, D>, marks: &[u8], mut f: impl FnMut(usize, u8)) {
    for row in (0..extent.region.rows()).map(|n| extent.row(n)) {
        for place in row.start..row.start + row.len {
            if marks[place] & UNKNOWN != 0 {
                f(place, marks[place]);
            }
        }
    }
}

/// Finds the marks. Beyond the ends of other axes p is not sought, and β is 0 where it is not held there.
struct Mark<'a, T, const D: usize> {
    links: &'a Links<'a, T, D>,
    strides: [usize; D],
}

impl<T: Real, const D: usize> RowPass<u8, D, 1> for Mark<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [marks]: [&mut [u8]; 1]) {
        let (marks, inverse) = (&mut marks[..row.len], self.links.inverse);
        let (zero, own) = (T::zero(), row.of(inverse));
        for i in 0..row.len {
            marks[i] = if own[i] > zero { UNKNOWN } else { 0 };
        }
        for axis in 0..D {
            let (stride, a) = (self.strides[axis], self.links.coefficients[axis]);
            let (lower, upper) = (row.of(a), row.after(a, stride));
            let (below, above) = (row.before(inverse, stride), row.after(inverse, stride));
            for i in 0..row.len {
                let joined = (lower[i] > zero) & (below[i] > zero);
                let held = ((lower[i] > zero) & (below[i] <= zero))
                    | ((upper[i] > zero) & (above[i] <= zero));
                let mark = if joined { JOINED[axis] } else { 0 } | if held { HELD } else { 0 };
                marks[i] |= if own[i] > zero { mark } else { 0 };
            }
        }
    }
}

/// The places at the lower end of an axis, and how far away those at the upper end are.
fn ends<const D: usize>(region: &Region<D>, axis: usize) -> (Region<D>, usize) {
    let mut plane = *region;
    plane.hi[axis] = region.lo[axis] + 1;
    (plane, (region.len(axis) - 1) * region.strides[axis])
}
