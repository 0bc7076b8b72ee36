//! The sub-steps of wind, each on all cells.

use crate::Real;
use crate::base::exec::{BandPass, Region, Row, RowPass, Wide};
use crate::base::reduction::{GRAIN, Total};
use crate::grid::sample::{BLOCK, Lattice, Located, lerp};

/// All components at a place, and one to spare: a vector of lanes.
pub(super) type Packed<T> = [T; 4];

/// e + α Σ (e_neighbour − e), times what is left after the decay; nothing passes the sides.
pub(super) struct Spread<'a, T, const D: usize> {
    pub(super) from: &'a [T],
    pub(super) strides: [usize; D],
    pub(super) cells: [usize; D],
    /// νΔt/Δx², at most 1/(2D).
    pub(super) alpha: T,
    pub(super) kept: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Spread<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let Self { from, alpha, kept, .. } = *self;
        let (here, len) = (row.of(from), row.len);
        let out = &mut out[..len];
        let last = len - 1;
        for i in 1..last {
            out[i] = (here[i - 1] - here[i]) + (here[i + 1] - here[i]);
        }
        out[0] = here[1.min(last)] - here[0];
        out[last] = here[last - 1.min(last)] - here[last];
        for a in 1..D {
            let stride = self.strides[a];
            let below = if row.at[a] == 1 { here } else { row.before(from, stride) };
            let above = if row.at[a] == self.cells[a] { here } else { row.after(from, stride) };
            for i in 0..len {
                out[i] += (below[i] - here[i]) + (above[i] - here[i]);
            }
        }
        for i in 0..len {
            out[i] = (kept * (here[i] + alpha * out[i])).or_nothing();
        }
    }
}

/// Adds scale·(f[i + 1] − f[i − 1]) along an axis, with nothing beyond the sides.
#[inline(always)]
fn add_difference<T: Real, const D: usize>(
    row: &Row<D>,
    (from, axis, scale): (&[T], usize, T),
    (strides, cells): ([usize; D], [usize; D]),
    out: &mut [T],
) {
    let out = &mut out[..row.len];
    if axis == 0 {
        let here = row.of(from);
        for i in 1..row.len {
            out[i - 1] += scale * here[i];
            out[i] -= scale * here[i - 1];
        }
        return;
    }
    let stride = strides[axis];
    if row.at[axis] > 1 {
        let below = row.before(from, stride);
        for i in 0..row.len {
            out[i] -= scale * below[i];
        }
    }
    if row.at[axis] < cells[axis] {
        let above = row.after(from, stride);
        for i in 0..row.len {
            out[i] += scale * above[i];
        }
    }
}

/// 2Δx ∇·e by central differences.
pub(super) struct Divergence<'a, T, const D: usize> {
    pub(super) of: [&'a [T]; D],
    pub(super) strides: [usize; D],
    pub(super) cells: [usize; D],
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Divergence<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        out[..row.len].fill(T::zero());
        for a in 0..D {
            let of = (self.of[a], a, T::one());
            add_difference(&row, of, (self.strides, self.cells), out);
        }
    }
}

/// Adds scale·2Δx ∇ of a field by central differences: the adjoint of [`Divergence`] but for its sign.
pub(super) struct Gradient<'a, T, const D: usize> {
    pub(super) of: &'a [T],
    pub(super) strides: [usize; D],
    pub(super) cells: [usize; D],
    pub(super) scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, D> for Gradient<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, out: [&mut [T]; D]) {
        for (a, out) in out.into_iter().enumerate() {
            let of = (self.of, a, self.scale);
            add_difference(&row, of, (self.strides, self.cells), out);
        }
    }
}

/// Where what is carried comes from or goes to: (ambient + e)·scale, in cells.
pub(super) struct Path<'a, T> {
    pub(super) ambient: &'a [T],
    pub(super) excess: &'a [T],
    pub(super) scale: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 1> for Path<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let (ambient, excess, scale) = (row.of(self.ambient), row.of(self.excess), self.scale);
        let out = &mut out[..row.len];
        for i in 0..row.len {
            out[i] = scale * (ambient[i] + excess[i]);
        }
    }
}

/// Forward advection: every cell pushes what it has along its path, with linear weights; what would
/// leave stays in the outermost cells. One fixed order, one thread.
pub(super) struct Forward<'a, T, const D: usize> {
    pub(super) carried: [&'a [T]; D],
    pub(super) path: [&'a [T]; D],
    pub(super) lattice: Lattice<T, D>,
    pub(super) region: Region<D>,
    pub(super) out: &'a mut [Packed<T>],
}

impl<T: Real, const D: usize> Wide for Forward<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { carried, path, lattice, region, out } = self;
        out.fill([T::zero(); 4]);
        let mut located = Located::new();
        for n in 0..region.rows() {
            let row = region.row(n);
            for first in (0..row.len).step_by(BLOCK) {
                let count = (row.len - first).min(BLOCK);
                let start = row.start + first;
                let mut at = row.at;
                at[0] += first;
                let block = path.map(|p| &p[start..start + count]);
                lattice.locate_block(at, block, [T::zero(); D], &mut located);
                for i in 0..count {
                    let mut value = [T::zero(); 4];
                    for a in 0..D {
                        value[a] = carried[a][start + i];
                    }
                    let fraction = lane(&located.fraction, i);
                    push(out, region.strides, located.index[i] as usize, fraction, value);
                }
            }
        }
    }
}

/// Takes vectors apart.
pub(super) struct Unpack<'a, T>(pub(super) &'a [Packed<T>]);

impl<T: Real, const D: usize> RowPass<T, D, D> for Unpack<'_, T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, out: [&mut [T]; D]) {
        let packed = row.of(self.0);
        for (a, out) in out.into_iter().enumerate() {
            for (out, packed) in out.iter_mut().zip(packed) {
                *out = packed[a];
            }
        }
    }
}

/// Backward advection: every cell takes what is where it came from, by linear interpolation.
pub(super) struct Backward<'a, T, const D: usize> {
    pub(super) from: &'a [Packed<T>],
    pub(super) path: [&'a [T]; D],
    pub(super) lattice: Lattice<T, D>,
    pub(super) strides: [usize; D],
}

impl<T: Real, const D: usize> RowPass<T, D, D> for Backward<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, out: [&mut [T]; D]) {
        let mut located = Located::new();
        let mut packed = [[T::zero(); 4]; BLOCK];
        for first in (0..row.len).step_by(BLOCK) {
            let count = (row.len - first).min(BLOCK);
            let mut at = row.at;
            at[0] += first;
            let block = self.path.map(|p| &row.of(p)[first..first + count]);
            self.lattice.locate_block(at, block, [T::zero(); D], &mut located);
            for i in 0..count {
                let fraction = lane(&located.fraction, i);
                packed[i] = read(self.from, self.strides, located.index[i] as usize, fraction);
            }
            for a in 0..D {
                let out = &mut out[a][first..first + count];
                for i in 0..count {
                    out[i] = packed[i][a].or_nothing();
                }
            }
        }
    }
}

/// What place `i` has along each axis.
#[inline(always)]
pub(super) fn lane<T: Real, const D: usize, const N: usize>(of: &[[T; N]; D], i: usize) -> [T; D] {
    let mut lane = [T::zero(); D];
    for a in 0..D {
        lane[a] = of[a][i];
    }
    lane
}

/// The linear interpolant of vectors: along x last, so that both ends of a pair go through the
/// lanes together.
#[inline(always)]
pub(super) fn read<T: Real, const D: usize>(
    from: &[Packed<T>],
    strides: [usize; D],
    index: usize,
    f: [T; D],
) -> Packed<T> {
    let mut pair = read_pair(from, strides[1], index, f[1]);
    if D == 3 {
        let upper = read_pair(from, strides[1], index + strides[D - 1], f[1]);
        pair = mix(pair, upper, f[D - 1]);
    }
    let mut mixed = [T::zero(); 4];
    for k in 0..4 {
        mixed[k] = lerp(pair[k], pair[k + 4], f[0]);
    }
    mixed
}

/// The two vectors at `start`, mixed with those a stride further.
#[inline(always)]
fn read_pair<T: Real>(from: &[Packed<T>], stride: usize, start: usize, f: T) -> [T; 8] {
    let from = from[start..start + stride + 2].as_flattened();
    let (mut lower, mut upper) = ([T::zero(); 8], [T::zero(); 8]);
    lower.copy_from_slice(&from[..8]);
    upper.copy_from_slice(&from[4 * stride..][..8]);
    mix(lower, upper, f)
}

#[inline(always)]
fn mix<T: Real, const N: usize>(a: [T; N], b: [T; N], f: T) -> [T; N] {
    let mut mixed = a;
    for k in 0..N {
        mixed[k] = lerp(a[k], b[k], f);
    }
    mixed
}

/// Adds a vector to the places around one, with linear weights.
#[inline(always)]
fn push<T: Real, const D: usize>(
    out: &mut [Packed<T>],
    strides: [usize; D],
    index: usize,
    f: [T; D],
    value: Packed<T>,
) {
    if D == 2 {
        return push_plane(out, strides[1], index, f[0], f[1], value);
    }
    let upper = value.map(|v| f[D - 1] * v);
    push_plane(out, strides[1], index, f[0], f[1], value.map(|v| (T::one() - f[D - 1]) * v));
    push_plane(out, strides[1], index + strides[D - 1], f[0], f[1], upper);
}

#[inline(always)]
fn push_plane<T: Real>(
    out: &mut [Packed<T>],
    stride: usize,
    start: usize,
    fx: T,
    fy: T,
    value: Packed<T>,
) {
    let out = &mut out[start..start + stride + 2];
    let (upper, lower) = (fy, T::one() - fy);
    add(&mut out[0], lower * (T::one() - fx), value);
    add(&mut out[1], lower * fx, value);
    add(&mut out[stride], upper * (T::one() - fx), value);
    add(&mut out[stride + 1], upper * fx, value);
}

#[inline(always)]
fn add<T: Real>(place: &mut Packed<T>, weight: T, value: Packed<T>) {
    for k in 0..4 {
        place[k] += weight * value[k];
    }
}

/// Σ|e|.
pub(super) struct Magnitudes<'a, T, const D: usize> {
    pub(super) values: &'a [T],
    pub(super) region: Region<D>,
}

impl<T: Real, const D: usize> BandPass<(), 0> for Magnitudes<'_, T, D> {
    type Output = f64;
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: core::ops::Range<usize>, _: [&mut [()]; 0]) -> f64 {
        let mut sum = Total::new();
        for n in rows {
            sum.take_magnitudes(self.region.row(n).of(self.values));
        }
        sum.value()
    }

    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
}

/// The largest difference between neighbours, and the largest value in the margin.
pub(super) struct Steepness<'a, T, const D: usize> {
    pub(super) view: &'a [Packed<T>],
    pub(super) region: Region<D>,
    /// In cells.
    pub(super) margin: T,
}

impl<T: Real, const D: usize> BandPass<(), 0> for Steepness<'_, T, D> {
    type Output = [T; 2];
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn band(&self, rows: core::ops::Range<usize>, _: [&mut [()]; 0]) -> [T; 2] {
        let Self { view, region, margin } = *self;
        // What is sampled in the margin is read from as many layers of cells.
        let layers = margin.ceil().truncate().max(1) as usize + 1;
        let (mut differences, mut beside) = ([T::zero(); 4], [T::zero(); 4]);
        for row in rows.map(|n| region.row(n)) {
            let here = row.of(view);
            for a in 0..D {
                let stride = region.strides[a];
                take(&mut differences, here, row.after(view, stride));
                if row.at[a] == region.lo[a] {
                    let count = if a == 0 { 1 } else { row.len };
                    take(&mut differences, &here[..count], row.before(view, stride));
                }
            }
            let outer =
                |a: usize| row.at[a] < region.lo[a] + layers || row.at[a] + layers >= region.hi[a];
            let inner = if (1..D).any(outer) { 0 } else { row.len.saturating_sub(2 * layers) };
            let (first, last) = here.split_at((row.len - inner) / 2);
            for part in [first, &last[inner..]] {
                for e in part {
                    for k in 0..4 {
                        beside[k] = beside[k].worst(e[k].magnitude());
                    }
                }
            }
        }
        [differences, beside].map(|all| all.into_iter().fold(T::zero(), Real::worst))
    }

    fn join(a: [T; 2], b: [T; 2]) -> [T; 2] {
        [a[0].worst(b[0]), a[1].worst(b[1])]
    }
}

/// Takes the differences of a list to another into the largest.
#[inline(always)]
fn take<T: Real>(most: &mut [T; 4], here: &[Packed<T>], next: &[Packed<T>]) {
    for (here, next) in here.iter().zip(next) {
        for k in 0..4 {
            most[k] = most[k].worst((next[k] - here[k]).magnitude());
        }
    }
}

/// Multiplies with a factor.
pub(super) struct Scale<T>(pub(super) T);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Scale<T> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let scale = self.0;
        for v in &mut out[..row.len] {
            *v = (*v * scale).or_nothing();
        }
    }
}
