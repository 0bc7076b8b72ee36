//! Extending what is known inside beyond the interface, constant along normals.
//!
//! ```text
//! ∇q·∇φ = 0:   q = Σ (φ − φ_b) q_b / Σ (φ − φ_b)     over the nearer neighbour b along each axis
//! ```
//! Places are visited in order of φ, so that what a place depends on is known before it (Adalsteinsson
//! and Sethian 1999, without the march: φ is known). First order. A place whose neighbours are no
//! nearer takes the mean of those that are known. One thread; the order, and so every bit, depends on
//! φ alone.
//!
//! Reference: D. Adalsteinsson, J. A. Sethian, *The fast construction of extension velocities in level
//! set methods*, J. Comput. Phys. 148 (1999), <https://doi.org/10.1006/jcph.1998.6090>.

use alloc::vec;
use alloc::vec::Vec;

use super::LevelSet;
use crate::base::error::check;
use crate::base::exec::{self, Row, RowPass, for_each_marked};
use crate::grid::ops::same_grid;
use crate::{Boundary, Error, Faces, Field, Grid, Location, Real};

/// Extends fields and velocities beyond the inside of a level set. All memory is taken at the start.
///
/// ```
/// use fluid_num::level_set::Extrapolation;
/// use fluid_num::solid::Shape;
/// use fluid_num::{Boundary, Faces, Grid2, LevelSet};
/// let grid = Grid2::new([32, 32], 1.0 / 32.0)?;
/// let liquid = LevelSet::from_shape(grid, &Boundary::walls(), &Shape::ball(0.25)?, [0.5, 0.5])?;
/// let known = |p| liquid.signed_distance(p) < 1.0 / 32.0; // all faces of cells inside
/// let mut u = Faces::from_fn(grid, |p| if known(p) { [1.0, 2.0] } else { [0.0, 0.0] });
/// Extrapolation::new(grid).velocity(&liquid, &mut u, 4.0)?;
/// let near = [0.5, 0.5 + 0.25 + 3.0 / 32.0];
/// assert_eq!(u.sample(near), [1.0_f64, 2.0]);
/// assert_eq!(u.sample([0.5, 0.95]), [0.0, 0.0]);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Extrapolation<T, const D: usize> {
    grid: Grid<T, D>,
    // Scratch.
    /// Whether a place is known, sought, or too far away.
    known: Vec<u8>,
    order: Nearest<T>,
}

impl<T: Real, const D: usize> Extrapolation<T, D> {
    /// For fields of `grid`.
    pub fn new(grid: Grid<T, D>) -> Self {
        let places = (0..D).map(|a| grid.region(Location::Face(a)).count()).max().unwrap_or(0);
        Self { grid, known: vec![0; grid.array_len()], order: Nearest::new(places) }
    }

    /// Extends a quantity at cell centres, known where φ < 0, over `reach` cells; beyond it becomes
    /// zero.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for fields of another grid, [`Error::InvalidParameter`] for a reach that
    /// is not finite or negative, [`Error::NotFinite`] for a φ or a q that is not finite; q is as
    /// before then.
    pub fn scalar(
        &mut self,
        phi: &LevelSet<T, D>,
        q: &mut Field<T, D>,
        reach: T,
    ) -> Result<(), Error> {
        same_grid(q.location() == Location::Center, "q")?;
        let values = phi.field().as_slice();
        self.extend(phi, q, reach, |i| values[i] < T::zero())
    }

    /// Extends a velocity, known at the faces of all cells with φ < 0, over `reach` cells; beyond it
    /// becomes zero.
    ///
    /// # Errors
    /// As [`Self::scalar`].
    pub fn velocity(
        &mut self,
        phi: &LevelSet<T, D>,
        u: &mut Faces<T, D>,
        reach: T,
    ) -> Result<(), Error> {
        self.check(phi, *u.grid(), reach)?;
        u.check_finite("u")?;
        let values = phi.field().as_slice();
        for axis in 0..D {
            let down = self.grid.strides()[axis];
            let known = |i: usize| (values[i] < T::zero()) | (values[i - down] < T::zero());
            self.spread(phi, &mut u[axis], reach, known);
        }
        Ok(())
    }

    /// Extends a quantity of any location, known where `known`, of a place in its array, says so.
    /// `phi` need not be the interface of a liquid: with a φ that is negative where there is liquid and
    /// no solid, velocities go on into solids too.
    ///
    /// # Errors
    /// As [`Self::scalar`].
    pub fn extend(
        &mut self,
        phi: &LevelSet<T, D>,
        q: &mut Field<T, D>,
        reach: T,
        known: impl Fn(usize) -> bool + Sync,
    ) -> Result<(), Error> {
        self.check(phi, *q.grid(), reach)?;
        q.check_finite("q")?;
        self.spread(phi, q, reach, known);
        Ok(())
    }

    /// The same for what has been checked.
    fn spread(
        &mut self,
        phi: &LevelSet<T, D>,
        q: &mut Field<T, D>,
        reach: T,
        known: impl Fn(usize) -> bool + Sync,
    ) {
        let (grid, region) = (self.grid, q.region());
        let far = reach * grid.dx();
        let values = phi.field().as_slice();
        let below = match q.location() {
            Location::Center => 0,
            Location::Face(a) => grid.strides()[a],
        };
        let pass = Sort { phi: values, below, far, known };
        exec::rows(&region, [self.known.as_mut_slice()], &pass);
        let known = &self.known;
        exec::rows(&region, [q.as_mut_slice()], &Forget(known));
        self.order.places.clear();
        for row in (0..region.rows()).map(|n| region.row(n)) {
            for_each_marked(row.of(known), SOUGHT, |i| {
                let place = row.start + i;
                self.order.places.push((between(values, place, below), place as u32));
            });
        }
        self.order.sort();
        let links =
            Links { grid, boundary: *phi.boundary(), location: q.location(), phi: values, below };
        // What no known place was beside is tried again as long as more becomes known.
        let mut left = usize::MAX;
        while self.order.places.len() < left {
            left = self.order.places.len();
            let Self { known, order, .. } = self;
            order.places.retain(|(_, i)| {
                let i = *i as usize;
                let value = links.value(i, q.as_slice(), known);
                if let Some(value) = value {
                    q.as_mut_slice()[i] = value;
                    known[i] = KNOWN;
                }
                value.is_none()
            });
        }
        for (_, i) in &self.order.places {
            q.as_mut_slice()[*i as usize] = T::zero();
        }
        // The last face of a periodic axis is its first once more.
        if let Location::Face(a) = q.location()
            && phi.boundary().is_periodic(a)
        {
            let mut first = region;
            first.hi[a] = first.lo[a] + 1;
            let around = grid.cells()[a] * grid.strides()[a];
            for i in first.places() {
                q.as_mut_slice()[i + around] = q.as_slice()[i];
            }
        }
    }

    fn check(&self, phi: &LevelSet<T, D>, grid: Grid<T, D>, reach: T) -> Result<(), Error> {
        same_grid(*phi.grid() == self.grid, "phi")?;
        same_grid(grid == self.grid, "the field")?;
        check::not_negative("reach", reach)?;
        phi.field().check_finite("phi")
    }
}

/// What [`Extrapolation::known`] says of places.
const FAR: u8 = 0;
const KNOWN: u8 = 1;
const SOUGHT: u8 = 2;

/// φ between two centres.
#[inline(always)]
fn middle<T: Real>(here: T, below: T) -> T {
    (here + below) * T::of(0.5)
}

/// φ at a place that lies between a centre and the one so far below it.
#[inline(always)]
fn between<T: Real>(phi: &[T], place: usize, below: usize) -> T {
    middle(phi[place], phi[place - below])
}

/// Tells known places from those that are sought, and those that are too far away.
struct Sort<'a, T, F> {
    phi: &'a [T],
    below: usize,
    far: T,
    known: F,
}

impl<T: Real, F: Fn(usize) -> bool + Sync, const D: usize> RowPass<u8, D, 1> for Sort<'_, T, F> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [u8]; 1]) {
        let out = &mut out[..row.len];
        let (here, below) = (row.of(self.phi), row.before(self.phi, self.below));
        for i in 0..row.len {
            let near = middle(here[i], below[i]) <= self.far;
            out[i] = if near { SOUGHT } else { FAR };
        }
        for i in 0..row.len {
            out[i] = if (self.known)(row.start + i) { KNOWN } else { out[i] };
        }
    }
}

/// Sets what is too far away to zero.
struct Forget<'a>(&'a [u8]);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Forget<'_> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (out, known) = (&mut out[..row.len], row.of(self.0));
        for i in 0..row.len {
            out[i] = if known[i] == FAR { T::zero() } else { out[i] };
        }
    }
}

/// Places in order of φ, and where it is the same, as they lie in memory.
#[derive(Debug, Clone)]
struct Nearest<T> {
    places: Vec<(T, u32)>,
    // Scratch.
    sorted: Vec<(T, u32)>,
    starts: Vec<u32>,
}

impl<T: Real> Nearest<T> {
    /// The number of parts of the range of φ.
    const PARTS: usize = 1024;

    fn new(most: usize) -> Self {
        let (places, sorted) = (Vec::with_capacity(most), Vec::with_capacity(most));
        Self { places, sorted, starts: vec![0; Self::PARTS + 1] }
    }

    /// Sorts by parts of the range first, in one go, and then within each of them.
    fn sort(&mut self) {
        let Some((first, _)) = self.places.first() else { return };
        let range = |(lo, hi): (T, T), (phi, _): &(T, u32)| (lo.at_most(*phi), hi.at_least(*phi));
        let (lo, hi) = self.places.iter().fold((*first, *first), range);
        let per_length = T::of_usize(Self::PARTS) / (hi - lo).at_least(T::NEGLIGIBLE);
        let last = T::of_usize(Self::PARTS - 1);
        let part = |phi: T| {
            (((phi - lo) * per_length).at_most(last).floor_index() as usize).min(Self::PARTS - 1)
        };
        self.starts.fill(0);
        for (phi, _) in &self.places {
            self.starts[part(*phi) + 1] += 1;
        }
        for n in 0..Self::PARTS {
            self.starts[n + 1] += self.starts[n];
        }
        self.sorted.clear();
        self.sorted.resize(self.places.len(), (T::zero(), 0));
        for place in &self.places {
            let at = &mut self.starts[part(place.0)];
            self.sorted[*at as usize] = *place;
            *at += 1;
        }
        core::mem::swap(&mut self.places, &mut self.sorted);
        // Where each part starts now stands where it ends.
        let mut start = 0;
        for end in &self.starts[..Self::PARTS] {
            self.places[start..*end as usize].sort_unstable_by(|a, b| {
                a.0.partial_cmp(&b.0).unwrap_or(core::cmp::Ordering::Equal).then(a.1.cmp(&b.1))
            });
            start = *end as usize;
        }
    }
}

/// The neighbours of places.
struct Links<'a, T, const D: usize> {
    grid: Grid<T, D>,
    boundary: Boundary<T, D>,
    location: Location,
    phi: &'a [T],
    /// How far below a place the other one is between which and itself it lies.
    below: usize,
}

impl<T: Real, const D: usize> Links<'_, T, D> {
    /// What a place takes from its known neighbours; `None` without any.
    fn value(&self, i: usize, q: &[T], known: &[u8]) -> Option<T> {
        let distance = |place: usize| between(self.phi, place, self.below);
        let here = distance(i);
        let (mut sum, mut weights) = (T::zero(), T::zero());
        let (mut plain, mut count) = (T::zero(), 0);
        for axis in 0..D {
            // The nearer of the two, as upwind differences have it.
            let (mut nearest, mut value) = (here, T::zero());
            for j in self.beside(i, axis).into_iter().flatten().filter(|j| known[*j] == KNOWN) {
                plain += q[j];
                count += 1;
                if distance(j) < nearest {
                    (nearest, value) = (distance(j), q[j]);
                }
            }
            let weight = here - nearest;
            sum += weight * value;
            weights += weight;
        }
        if weights > T::zero() {
            Some(sum / weights)
        } else if count > 0 {
            Some(plain / T::of_usize(count))
        } else {
            None
        }
    }

    /// The neighbours along an axis.
    fn beside(&self, i: usize, axis: usize) -> [Option<usize>; 2] {
        let (s, n) = (self.grid.strides()[axis], self.grid.cells()[axis]);
        let mut rest = i;
        for a in (axis + 1..D).rev() {
            rest %= self.grid.strides()[a];
        }
        let at = rest / s;
        let periodic = self.boundary.is_periodic(axis);
        // The last face of a periodic axis is its first once more.
        let last = if self.location == Location::Face(axis) { n + 1 } else { n };
        let below = if at > 1 { Some(i - s) } else { periodic.then_some(i + (n - 1) * s) };
        let above = if at < last { Some(i + s) } else { periodic.then(|| i - (n - 1) * s) };
        [below, above]
    }
}
