//! The surface around a body.

use core::array;

use crate::Real;

/// The surface around a body as a plane, above the rest level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level<T> {
    pub(super) base: T,
    /// The rise from one cell to the next along x and y.
    pub(super) slope: [T; 2],
    /// Where the plane has the base, in cells.
    pub(super) center: [T; 2],
    /// The lowest and the highest surface that was seen.
    pub(super) range: [T; 2],
}

impl<T: Real> Level<T> {
    pub(super) fn at(&self, index: [T; 2]) -> T {
        let [dx, dy] = [0, 1].map(|a| index[a] - self.center[a]);
        let plane = self.base + (self.slope[0] * dx + self.slope[1] * dy);
        plane.at_least(self.range[0]).at_most(self.range[1])
    }
}

/// The plane nearest to points; level where there are few of them. Exact where they are level.
pub(super) fn plane<T: Real>(
    points: impl Iterator<Item = ([T; 2], T)> + Clone,
) -> Option<Level<T>> {
    /// The fewest points that make a slope.
    const FEW: f64 = 6.0;
    let (first, base) = points.clone().next()?;
    let mut range = [base; 2];
    let (mut count, mut sums) = (0.0, [0.0; 3]);
    let offset = |([x, y], surface): ([T; 2], T)| {
        [x - first[0], y - first[1], surface - base].map(Real::to_f64)
    };
    for point in points.clone() {
        range = [range[0].at_most(point.1), range[1].at_least(point.1)];
        count += 1.0;
        let of = offset(point);
        sums = array::from_fn(|n| sums[n] + of[n]);
    }
    let mean = sums.map(|sum| sum / count);
    let (mut xx, mut xy, mut yy, mut xs, mut ys) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in points {
        let of = offset(point);
        let [x, y, s]: [f64; 3] = array::from_fn(|n| of[n] - mean[n]);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
        (xs, ys) = (xs + x * s, ys + y * s);
    }
    let det = xx * yy - xy * xy;
    let slope = if count >= FEW && det > 1e-6 * xx * yy {
        [(xs * yy - ys * xy) / det, (ys * xx - xs * xy) / det]
    } else {
        [0.0; 2]
    };
    Some(Level {
        base: base + T::of(mean[2]),
        slope: slope.map(T::of),
        center: [first[0] + T::of(mean[0]), first[1] + T::of(mean[1])],
        range,
    })
}
