//! Water that comes and goes without a side: sources, drains and rain.

use core::ops::Range;

use crate::base::error::check;
use crate::base::exec::{BandPass, Region};
use crate::{Error, Field, Real};

use super::params::moderate;

/// A spring or a drain: water comes (or goes, below 0) evenly in all cells whose centre lies within
/// the radius, or else in the cell that holds the centre. A drain takes what there is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaterSource<T> {
    /// Where, m.
    pub center: [T; 2],
    /// How far it reaches, m, from 0.
    pub radius: T,
    /// The volume per second, m³/s; negative for a drain.
    pub rate: T,
}

impl<T: Real> WaterSource<T> {
    /// Checks the source.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`].
    pub fn check(&self) -> Result<(), Error> {
        check::all_finite("source.center", &self.center)?;
        check::not_negative("source.radius", self.radius)?;
        moderate("source.rate", self.rate)
    }

    /// The area of the cells that it reaches, or of one.
    pub(super) fn area(&self, field: &mut Field<T, 2>) -> T {
        let dx = field.grid().dx();
        let mut count = 0;
        visit_disc(field, self.center, self.radius, |_, _, _| count += 1);
        T::of_usize(count.max(1)) * dx * dx
    }

    /// Adds the volume that is pending to the displacement; gives the sum of the depths that came.
    /// What rounding loses in deep water stays pending, what a drain does not find does not.
    pub(super) fn pour(
        &self,
        still: &Field<T, 2>,
        displacement: &mut Field<T, 2>,
        pending: &mut T,
    ) -> f64 {
        let dx = displacement.grid().dx();
        let change = *pending / self.area(displacement);
        let still = still.as_slice();
        let (mut came, mut left) = (0.0, 0.0);
        visit_disc(displacement, self.center, self.radius, |s, place, _| {
            let empty = -still[place].at_least(T::zero());
            let new = (*s + change).at_least(empty);
            let poured = (new - *s).to_f64();
            came += poured;
            if new > empty {
                left += change.to_f64() - poured;
            }
            *s = new;
        });
        *pending = (T::of(left) * dx * dx).or_nothing();
        came
    }
}

/// Shows the values of all cells whose centre lies within `radius` of `center`, or else that of the
/// cell that holds it, with their place and their distance over the radius.
pub(super) fn visit_disc<T: Real>(
    field: &mut Field<T, 2>,
    center: [T; 2],
    radius: T,
    mut visit: impl FnMut(&mut T, usize, T),
) {
    let grid = *field.grid();
    let (dx, half) = (grid.dx(), T::of(0.5));
    let mut region = grid.interior();
    let mut nearest = [0; 2];
    let mut inside = true;
    for a in 0..2 {
        let n = grid.cells()[a];
        // In cells; numbers beyond the range of indices are brought back to it.
        let at = (center[a] - grid.origin()[a]) / dx;
        let reach = radius / dx;
        let clamp = |x: T| x.at_least(-T::one()).at_most(T::of_usize(n + 1));
        region.lo[a] = (clamp(at - reach - half).truncate().max(0) as usize + 1).min(n + 1);
        region.hi[a] = (clamp(at + reach + half).truncate().max(0) as usize + 1).min(n + 1);
        inside &= at >= T::zero() && at < T::of_usize(n);
        nearest[a] = (clamp(at).truncate().max(0) as usize).min(n - 1);
    }
    let mut any = false;
    let data = field.as_mut_slice();
    for row in (0..region.rows()).map(|n| region.row(n)) {
        for i in 0..row.len {
            let [x, y] = grid.center([row.at[0] - 1 + i, row.at[1] - 1]);
            let (rx, ry) = (x - center[0], y - center[1]);
            let far = (rx * rx + ry * ry).sqrt();
            if far <= radius {
                any = true;
                let place = row.start + i;
                visit(&mut data[place], place, if radius > T::zero() { far / radius } else { far });
            }
        }
    }
    if !any && inside {
        let place = grid.index(nearest);
        visit(&mut data[place], place, T::zero());
    }
}

/// Moves water from a disc to the ring around it, or back where `depth` is negative.
pub(super) fn dent<T: Real>(
    still: &Field<T, 2>,
    displacement: &mut Field<T, 2>,
    (center, radius): ([T; 2], T),
    depth: T,
) {
    let (zero, one, two) = (T::zero(), T::one(), T::of(2.0));
    let still = still.as_slice();
    // Smooth weights of both parts, by the distance over the outer radius.
    let weights = |far: T| {
        let q = two * far;
        let disc = (one - q * q).at_least(zero);
        let ring = ((q - one) * (two - q)).at_least(zero);
        (disc * disc, ring * ring)
    };
    let holds = |s: T, place: usize| (still[place].at_least(zero) + s) > zero;
    let mut sums = [zero; 2];
    visit_disc(displacement, center, two * radius, |s, place, far| {
        let (disc, ring) = weights(far);
        if holds(*s, place) {
            sums = [sums[0] + disc, sums[1] + ring];
        }
    });
    if !(sums[0] > zero && sums[1] > zero) {
        return;
    }
    let down = depth > zero;
    let most = if down { depth } else { -depth * sums[0] / sums[1] };
    let mut taken = zero;
    visit_disc(displacement, center, two * radius, |s, place, far| {
        let (disc, ring) = weights(far);
        let empty = -still[place].at_least(zero);
        let new = (*s - most * if down { disc } else { ring }).at_least(empty).at_most(*s);
        taken += *s - new;
        *s = new;
    });
    let share = taken / if down { sums[1] } else { sums[0] };
    visit_disc(displacement, center, two * radius, |s, place, far| {
        let (disc, ring) = weights(far);
        let weight = if down { ring } else { disc };
        if weight > zero && holds(*s, place) {
            *s += share * weight;
        }
    });
}

/// The same depth everywhere; gives the sum of what was added.
pub(super) struct Rain<T> {
    pub(super) depth: T,
    pub(super) region: Region<2>,
}

impl<T: Real> BandPass<T, 1> for Rain<T> {
    type Output = f64;

    #[inline(always)]
    fn band(&self, rows: Range<usize>, [out]: [&mut [T]; 1]) -> f64 {
        let base = self.region.row(rows.start).start;
        let mut added = 0.0;
        for n in rows {
            let row = self.region.row(n);
            for s in &mut out[row.start - base..][..row.len] {
                let new = *s + self.depth;
                added += (new - *s).to_f64();
                *s = new;
            }
        }
        added
    }

    fn join(first: f64, second: f64) -> f64 {
        first + second
    }
}
