//! The operator of a coarse level, made from that of the finer one.
//!
//! A coarse place stands for 2ᴰ finer ones (fewer at the end of an odd axis, and along an axis that
//! has one place only). Links are conductances: a face between two coarse places sums the faces of
//! their children, each in series with the ways from its places to the centres of their parents:
//!
//! ```text
//! a_c = s Σ_f 1/(1/a_f + r + r'),   r = ½ where the way leads through a second child, else 0
//! ```
//!
//! In a uniform box this is the same operator on cells of twice the size (s = 2²⁻ᵏ, k the number of
//! axes that were halved, keeps a = 1); at an open side, a free surface or the odd end of an axis it
//! is the operator for the true distances; closed faces stay closed.

use core::ops::Range;

use super::level::{Matrix, children, parent};
use crate::Real;
use crate::base::exec::{self, Region, Row, RowPass, for_each_marked};
use crate::poisson::operator::Operator;
use crate::poisson::stencil::Coefficients;

/// Half the size along every axis that has more than one place.
pub(super) fn halved<const D: usize>(region: &Region<D>) -> [usize; D] {
    core::array::from_fn(|a| region.len(a).div_ceil(2))
}

impl<T: Real, const D: usize> Matrix<T, D> {
    /// Rebuilds the operator from the finer one.
    pub(super) fn rebuild(&mut self, fine: &Operator<'_, T, D>) {
        let region = fine.region();
        let axes = (0..D).filter(|a| region.len(*a) > 1).count() as i32;
        self.scale = T::of(libm::exp2(f64::from(2 - axes)));
        for a in 0..D {
            // An axis with one place has nothing beyond its seam but itself.
            self.periodic[a] = fine.periodic[a] && self.region.len(a) > 1;
        }
        self.below_uniform = matches!(fine.stencil.coefficients, Coefficients::Uniform);
        let even = (0..D).all(|a| region.len(a) == 1 || region.len(a).is_multiple_of(2));
        self.uniform = even && self.below_uniform;
        if self.uniform {
            self.rebuild_uniform(fine);
        } else {
            self.rebuild_variable(fine);
        }
    }

    fn rebuild_uniform(&mut self, fine: &Operator<'_, T, D>) {
        let (two, four) = (T::of(2.0), T::of(4.0));
        self.shift = fine.stencil.shift * four;
        for a in 0..D {
            for end in 0..2 {
                let w = fine.stencil.ends[a][end];
                self.ends[a][end] = match (fine.periodic[a], fine.region().len(a)) {
                    (true, _) => {
                        if self.periodic[a] {
                            T::one()
                        } else {
                            T::zero()
                        }
                    }
                    (false, 1) => w * four,
                    (false, _) => two * series(w, T::of(0.5)),
                };
            }
        }
    }

    fn rebuild_variable(&mut self, fine: &Operator<'_, T, D>) {
        (self.shift, self.ends) = (T::zero(), [[T::zero(); 2]; D]);
        let classify = Classify { fine, coarse: self.region };
        exec::rows(&self.region, [self.kinds.as_mut_slice()], &classify);
        self.fill_from(fine);
    }

    /// Fills all arrays by the kinds of places.
    fn fill_from(&mut self, fine: &Operator<'_, T, D>) {
        let (region, kinds, scale) = (self.region, &*self.kinds, self.scale);
        let open = self.of_the_open(fine);
        let family = Family { fine, coarse: region, kinds, scale };
        exec::rows(&fine.stencil.region, [self.shares.as_mut_slice()], &Shares(family));
        exec::rows(&region, [self.mass.as_mut_slice()], &Masses(family));
        for axis in 0..D {
            let out = [self.coefficients[axis].as_mut_slice(), self.held[axis].as_mut_slice()];
            exec::rows(&region, out, &Conductances { family, axis, open: open[axis] * scale });
        }
        self.close_seams();
        let pass = Diagonal {
            mass: &self.mass,
            a: self.coefficients.slices(),
            held: self.held.slices(),
            strides: region.strides,
        };
        exec::rows(&region, [self.diagonal.as_mut_slice(), self.inverse.as_mut_slice()], &pass);
        self.spans.find(&region, &self.inverse);
    }

    /// What is kept of the lower faces of a coarse place in the open: of as many finer ones as there
    /// are, each in series with the ways on both of its sides.
    fn of_the_open(&self, fine: &Operator<'_, T, D>) -> [T; D] {
        let halved = |a: usize| fine.region().len(a) > self.region.len(a);
        core::array::from_fn(|axis| {
            let way = if halved(axis) { T::of(0.5) } else { T::zero() };
            let faces = 1 << (0..D).filter(|a| *a != axis && halved(*a)).count();
            (0..faces).fold(T::zero(), |sum, _| sum + series(T::one(), way + way))
        })
    }

    /// The upper face of a periodic axis is the lower one; that of any other is part of `held`.
    fn close_seams(&mut self) {
        for axis in 0..D {
            let across = self.region.len(axis) * self.region.strides[axis];
            let mut plane = self.region;
            (plane.lo[axis], plane.hi[axis]) = (self.region.hi[axis], self.region.hi[axis] + 1);
            let a = self.coefficients[axis].as_mut_slice();
            for n in 0..plane.rows() {
                let row = plane.row(n);
                for place in row.start..row.start + row.len {
                    a[place] = if self.periodic[axis] { a[place - across] } else { T::zero() };
                }
            }
        }
    }
}

/// Σ a + held + mass, and 1 over it.
struct Diagonal<'a, T, const D: usize> {
    mass: &'a [T],
    a: [&'a [T]; D],
    held: [&'a [T]; D],
    strides: [usize; D],
}

impl<T: Real, const D: usize> RowPass<T, D, 2> for Diagonal<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [diagonal, inverse]: [&mut [T]; 2]) {
        let (diagonal, inverse) = (&mut diagonal[..row.len], &mut inverse[..row.len]);
        diagonal.copy_from_slice(row.of(self.mass));
        for axis in 0..D {
            let (below, above) =
                (row.of(self.a[axis]), row.after(self.a[axis], self.strides[axis]));
            let held = row.of(self.held[axis]);
            for i in 0..row.len {
                diagonal[i] = (diagonal[i] + (below[i] + above[i])) + held[i];
            }
        }
        for i in 0..row.len {
            let sum = diagonal[i];
            inverse[i] = if sum > T::zero() { T::one() / sum } else { T::zero() };
        }
    }
}

/// A coarse level and the places that it is made from.
#[derive(Clone, Copy)]
struct Family<'a, T, const D: usize> {
    fine: &'a Operator<'a, T, D>,
    coarse: Region<D>,
    kinds: &'a [u8],
    scale: T,
}

impl<T: Real, const D: usize> Family<'_, T, D> {
    /// Visits the children of a coarse place in which p is sought.
    fn for_each_unknown(&self, at: [usize; D], mut f: impl FnMut(usize, [usize; D])) {
        for_each_child(&self.fine.region(), &self.coarse, at, |child, at| {
            if self.fine.is_unknown(child) {
                f(child, at);
            }
        });
    }

    /// The share of a place in the value of its parent.
    fn share(&self, child: usize, at: [usize; D]) -> T {
        let mut share = T::one();
        for axis in 0..D {
            let way = way(self.fine, &self.coarse, axis, child, at);
            share = series_share(share, self.fine.held_at(axis, child), way);
            for end in 0..2 {
                if let (a, None) = self.fine.link(axis, end, child, at) {
                    share = series_share(share, a, way);
                }
            }
        }
        share
    }

    /// What a child adds to what is kept of the lower face of its parent, and to what is held.
    fn conductance(&self, axis: usize, child: usize, at: [usize; D]) -> (T, T) {
        let (fine, coarse) = (self.fine, &self.coarse);
        let way = way(fine, coarse, axis, child, at);
        let (mut kept, mut held) = (T::zero(), series(fine.held_at(axis, child), way));
        for end in 0..2 {
            match fine.link(axis, end, child, at) {
                (a, None) => held += series(a, way),
                (a, Some((beyond, i))) if end == 0 => {
                    let mut there = at;
                    there[axis] = i;
                    if !same_parent(&fine.region(), coarse, axis, at[axis], i) {
                        let other = self::way(fine, coarse, axis, beyond, there);
                        kept = series(a, way + other);
                    }
                }
                _ => {}
            }
        }
        (kept, held)
    }
}

/// The shares of finer places.
struct Shares<'a, T, const D: usize>(Family<'a, T, D>);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Shares<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let Family { fine, coarse, kinds, .. } = &self.0;
        let region = &fine.region();
        let mut above = row.at.map(|_| 0);
        for a in 0..D {
            above[a] = parent(region, coarse, a, row.at[a]);
        }
        let start: usize = (0..D).map(|a| above[a] * coarse.strides[a]).sum();
        let per = if region.len(0) == coarse.len(0) { 1 } else { 2 };
        let kinds = &kinds[start..][..row.len.div_ceil(per)];
        let of_kind = |kind: u8| if kind == OPEN { T::one() } else { T::zero() };
        for (shares, kind) in out.chunks_mut(per).zip(kinds) {
            shares.fill(of_kind(*kind));
        }
        for_each_marked(kinds, MIXED, |n| {
            for i in per * n..(per * n + per).min(row.len) {
                let (child, mut at) = (row.start + i, row.at);
                at[0] += i;
                let unknown = fine.is_unknown(child);
                out[i] = if unknown { self.0.share(child, at) } else { T::zero() };
            }
        });
    }
}

/// The shares of places in the shift.
struct Masses<'a, T, const D: usize>(Family<'a, T, D>);

impl<T: Real, const D: usize> RowPass<T, D, 1> for Masses<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [out]: [&mut [T]; 1]) {
        let Family { fine, kinds, scale, .. } = self.0;
        out.fill(T::zero());
        for_each_marked(row.of(kinds), MIXED, |i| {
            let (mut at, mut mass) = (row.at, T::zero());
            at[0] += i;
            self.0.for_each_unknown(at, |child, _| mass += fine.mass_at(child));
            out[i] = mass * scale;
        });
    }
}

/// What is kept of the lower faces along an axis, and what is held.
struct Conductances<'a, T, const D: usize> {
    family: Family<'a, T, D>,
    axis: usize,
    /// What is kept in the open.
    open: T,
}

impl<T: Real, const D: usize> RowPass<T, D, 2> for Conductances<'_, T, D> {
    #[inline(always)]
    fn row(&self, row: Row<D>, [kept, held]: [&mut [T]; 2]) {
        let (zero, scale, kinds) = (T::zero(), self.family.scale, row.of(self.family.kinds));
        held.fill(zero);
        for (kept, kind) in kept.iter_mut().zip(kinds) {
            *kept = if *kind == OPEN { self.open } else { zero };
        }
        for_each_marked(kinds, MIXED, |i| {
            let (mut at, mut sums) = (row.at, (zero, zero));
            at[0] += i;
            self.family.for_each_unknown(at, |child, at| {
                let (kept, held) = self.family.conductance(self.axis, child, at);
                sums = (sums.0 + kept, sums.1 + held);
            });
            (kept[i], held[i]) = (sums.0 * scale, sums.1 * scale);
        });
    }
}

/// The share of a place in the value at the centre of its parent, from which a way leads through it
/// to p = 0 behind the conductance `a`.
fn series_share<T: Real>(share: T, a: T, resistance: T) -> T {
    share / (T::one() + a * resistance)
}

/// The conductance `a` in series with a resistance.
fn series<T: Real>(a: T, resistance: T) -> T {
    a / (T::one() + a * resistance)
}

/// The resistance along `axis` of the way from a place to the centre of its parent.
fn way<T: Real, const D: usize>(
    fine: &Operator<'_, T, D>,
    coarse: &Region<D>,
    axis: usize,
    place: usize,
    at: [usize; D],
) -> T {
    let through = |end: usize| match fine.link(axis, end, place, at) {
        (a, Some((_, i))) => {
            a > T::zero() && same_parent(&fine.region(), coarse, axis, at[axis], i)
        }
        _ => false,
    };
    if through(0) || through(1) { T::of(0.5) } else { T::zero() }
}

/// Whether two places that differ along `axis` only have the same parent.
fn same_parent<const D: usize>(
    fine: &Region<D>,
    coarse: &Region<D>,
    axis: usize,
    i: usize,
    j: usize,
) -> bool {
    parent(fine, coarse, axis, i) == parent(fine, coarse, axis, j)
}

/// What is known of a coarse place before its children are looked at one by one: nothing is sought there;
/// all of its children have all of their neighbours, behind faces with a coefficient of 1, and the ways to
/// the centres of the places below are as long as they are anywhere; anything else.
const NOTHING: u8 = 0;
const OPEN: u8 = 1;
const MIXED: u8 = 2;

/// The number of finer places that are classified together.
const BLOCK: usize = 256;

/// Finds the kinds of coarse places.
struct Classify<'a, T, const D: usize> {
    fine: &'a Operator<'a, T, D>,
    coarse: Region<D>,
}

impl<T: Real, const D: usize> RowPass<u8, D, 1> for Classify<'_, T, D> {
    const GRAIN: usize = 2048;

    #[inline(always)]
    fn row(&self, row: Row<D>, [kinds]: [&mut [u8]; 1]) {
        let Coefficients::Variable { inverse, .. } = self.fine.stencil.coefficients else {
            return kinds.fill(MIXED);
        };
        let (region, zero) = (self.fine.region(), T::zero());
        let of = core::array::from_fn::<_, D, _>(|a| children(&region, &self.coarse, a, row.at[a]));
        let halved = |a: usize| region.len(a) > self.coarse.len(a);
        let within = (1..D).all(|a| {
            let all = of[a].len() == if halved(a) { 2 } else { 1 };
            all && of[a].start > region.lo[a] && of[a].end < region.hi[a]
        });
        let per = if halved(0) { 2 } else { 1 };
        for first in (0..row.len).step_by(BLOCK / per) {
            let count = (row.len - first).min(BLOCK / per);
            let from = region.lo[0] + per * (row.at[0] - self.coarse.lo[0] + first);
            let len = (per * count).min(region.hi[0] - from);
            let (mut any, mut plain) = ([0_u8; BLOCK], [1_u8; BLOCK]);
            for corner in 0..1_usize << (D - 1) {
                let mut at = [from; D];
                for a in 1..D {
                    at[a] = of[a].start + (corner >> (a - 1) & 1);
                }
                if (1..D).any(|a| at[a] >= of[a].end) {
                    continue;
                }
                let start = (0..D).map(|a| at[a] * region.strides[a]).sum();
                let part = Row { at, start, len };
                let sought = part.of(inverse);
                let mut some = false;
                for i in 0..len {
                    any[i] |= u8::from(sought[i] > zero);
                    some |= sought[i] > zero;
                }
                if !within || !some {
                    plain = [0; BLOCK];
                    continue;
                }
                self.find_plain(part, &of, &mut plain[..len]);
            }
            let out = &mut kinds[first..first + count];
            for (n, kind) in out.iter_mut().enumerate() {
                let i = per * n;
                let some = any[i..i + per].iter().any(|v| *v != 0);
                let whole = from + i > region.lo[0] && from + i + per < region.hi[0];
                let open = whole && plain[i..i + per].iter().all(|v| *v != 0);
                *kind = if open {
                    OPEN
                } else if some {
                    MIXED
                } else {
                    NOTHING
                };
            }
        }
    }
}

impl<T: Real, const D: usize> Classify<'_, T, D> {
    /// Clears what is not plain: children that have not all of their neighbours behind faces with a
    /// coefficient of 1, and the first of two that have not two such below them.
    #[inline(always)]
    fn find_plain(&self, row: Row<D>, of: &[Range<usize>; D], plain: &mut [u8]) {
        let Operator { stencil, held, mass, .. } = self.fine;
        let Coefficients::Variable { a, inverse, .. } = stencil.coefficients else { return };
        let (zero, one) = (T::zero(), T::one());
        if stencil.shift != zero {
            return plain.fill(0);
        }
        keep(plain, row.of(inverse), |v| v > zero);
        if let Some(mass) = mass {
            keep(plain, row.of(mass), |v| v == zero);
        }
        for axis in 0..D {
            let (stride, own) = (stencil.region.strides[axis], a[axis]);
            keep(plain, row.of(own), |v| v == one);
            keep(plain, row.after(own, stride), |v| v == one);
            keep(plain, row.before(inverse, stride), |v| v > zero);
            keep(plain, row.after(inverse, stride), |v| v > zero);
            if let Some(held) = held {
                keep(plain, row.of(held[axis].as_slice()), |v| v == zero);
            }
            let lower = (row.before(own, stride), row.before(inverse, 2 * stride));
            if axis > 0 && of[axis].len() == 2 && row.at[axis] == of[axis].start {
                keep(plain, lower.0, |v| v > zero);
                keep(plain, lower.1, |v| v > zero);
            }
            if axis == 0 && stencil.region.len(0) > self.coarse.len(0) {
                for i in (0..row.len).step_by(2) {
                    plain[i] &= u8::from((lower.0[i] > zero) & (lower.1[i] > zero));
                }
            }
        }
    }
}

/// Clears flags where a value is not right.
#[inline(always)]
fn keep<T: Real>(flags: &mut [u8], values: &[T], right: impl Fn(T) -> bool) {
    let values = &values[..flags.len()];
    for i in 0..flags.len() {
        flags[i] &= u8::from(right(values[i]));
    }
}

fn for_each_child<const D: usize>(
    fine: &Region<D>,
    coarse: &Region<D>,
    at: [usize; D],
    mut f: impl FnMut(usize, [usize; D]),
) {
    let of = core::array::from_fn::<_, D, _>(|a| children(fine, coarse, a, at[a]));
    for corner in 0..1_usize << D {
        let child = core::array::from_fn::<_, D, _>(|a| of[a].start + (corner >> a & 1));
        if (0..D).all(|a| child[a] < of[a].end) {
            f((0..D).map(|a| child[a] * fine.strides[a]).sum(), child);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::grid::{Boundary, Faces, Field, Grid, Side};
    use crate::poisson::Problem;
    use crate::poisson::multigrid::level::Level;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Islands of unknowns in a sea without, some of whose faces are not quite open.
    fn what_is_known_beforehand_is_what_children_say<const D: usize>(cells: [usize; D]) {
        let grid = Grid::new(cells, 1.0_f64).unwrap();
        let mut seed = 3;
        let mut open_top = Boundary::walls();
        open_top.sides[1][1] = Side::Open;
        for ends in [Boundary::walls(), open_top, Boundary::periodic()] {
            let mut problem = Problem::pressure(grid, &ends).unwrap();
            let center = cells.map(|n| 0.5 * n as f64);
            let inside = Field::from_fn(grid, |x: [f64; D]| {
                let square: f64 = (0..D).map(|a| (x[a] - center[a]).powi(2)).sum();
                if square < 0.2 * (cells[0] * cells[0]) as f64 && random(&mut seed) < 0.99 {
                    1.0
                } else {
                    0.0
                }
            });
            let active: Vec<u8> = inside.as_slice().iter().map(|v| u8::from(*v > 0.5)).collect();
            let mut open = Faces::from_fn(grid, |_: [f64; D]| [1.0; D]);
            for axis in 0..D {
                for a in open[axis].as_mut_slice() {
                    *a = if random(&mut seed) < 0.01 { 0.3 * random(&mut seed) } else { *a };
                }
            }
            problem.set_coefficients(&open, Some(&active)).unwrap();
            let fine = Operator::of(&problem);
            let finer = grid.array_len();
            let mut quick = Level::<f64, D>::new(halved(&fine.region()), finer).unwrap();
            let mut slow = Level::<f64, D>::new(halved(&fine.region()), finer).unwrap();
            quick.matrix.rebuild(&fine);
            slow.matrix.rebuild(&fine);
            slow.matrix.kinds.fill(MIXED);
            slow.matrix.fill_from(&fine);
            assert_eq!(quick.matrix.coefficients, slow.matrix.coefficients);
            assert_eq!(quick.matrix.held, slow.matrix.held);
            assert_eq!(quick.matrix.mass, slow.matrix.mass);
            assert_eq!(quick.matrix.shares, slow.matrix.shares);
            assert_eq!(quick.matrix.inverse, slow.matrix.inverse);
        }
    }

    #[test]
    fn what_is_known_of_the_open_is_what_its_children_say() {
        what_is_known_beforehand_is_what_children_say([48, 37]);
        what_is_known_beforehand_is_what_children_say([22, 16, 19]);
    }
}
