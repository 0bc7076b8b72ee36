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

use super::level::{Matrix, children, parent};
use crate::Real;
use crate::base::exec::Region;
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
            self.rebuild_variable(fine, surroundings);
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

    fn rebuild_variable(
        &mut self,
        fine: &Operator<'_, T, D>,
        look: impl Fn(&Operator<'_, T, D>, &Region<D>, [usize; D]) -> Surroundings,
    ) {
        (self.shift, self.ends) = (T::zero(), [[T::zero(); 2]; D]);
        let (region, own) = (fine.region(), self.region);
        let open = self.of_the_open(fine);
        let shares = &mut self.shares;
        shares.fill(T::zero());
        for n in 0..own.rows() {
            let row = own.row(n);
            for i in 0..row.len {
                let (place, mut at) = (row.start + i, row.at);
                at[0] += i;
                let known = match look(fine, &own, at) {
                    Surroundings::Mixed => None,
                    Surroundings::Open => Some((open, T::one())),
                    Surroundings::Nothing => Some(([T::zero(); D], T::zero())),
                };
                if let Some((kept, share)) = known {
                    for_each_child(&region, &own, at, |child, _| shares[child] = share);
                    self.mass[place] = T::zero();
                    for axis in 0..D {
                        self.coefficients[axis].as_mut_slice()[place] = kept[axis] * self.scale;
                        self.held[axis].as_mut_slice()[place] = T::zero();
                    }
                    continue;
                }
                let (mut kept, mut held) = ([T::zero(); D], [T::zero(); D]);
                let mut mass = T::zero();
                for_each_child(&region, &own, at, |child, at| {
                    if !fine.is_unknown(child) {
                        return;
                    }
                    mass += fine.mass_at(child);
                    let mut share = T::one();
                    for axis in 0..D {
                        let way = way(fine, &own, axis, child, at);
                        let before = fine.held_at(axis, child);
                        held[axis] += series(before, way);
                        share = series_share(share, before, way);
                        for end in 0..2 {
                            match fine.link(axis, end, child, at) {
                                (a, None) => {
                                    held[axis] += series(a, way);
                                    share = series_share(share, a, way);
                                }
                                (a, Some((beyond, i))) if end == 0 => {
                                    let mut there = at;
                                    there[axis] = i;
                                    if !same_parent(&region, &own, axis, at[axis], i) {
                                        let other = self::way(fine, &own, axis, beyond, there);
                                        kept[axis] += series(a, way + other);
                                    }
                                }
                                _ => {}
                            }
                        }
                    }
                    shares[child] = share;
                });
                self.mass[place] = mass * self.scale;
                for axis in 0..D {
                    self.coefficients[axis].as_mut_slice()[place] = kept[axis] * self.scale;
                    self.held[axis].as_mut_slice()[place] = held[axis] * self.scale;
                }
            }
        }
        self.close_seams();
        self.set_diagonal();
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

    fn set_diagonal(&mut self) {
        let region = self.region;
        for n in 0..region.rows() {
            let row = region.row(n);
            for place in row.start..row.start + row.len {
                let mut sum = self.mass[place];
                for axis in 0..D {
                    let a = self.coefficients[axis].as_slice();
                    sum += a[place] + a[place + region.strides[axis]];
                    sum += self.held[axis].as_slice()[place];
                }
                self.diagonal[place] = sum;
                self.inverse[place] = if sum > T::zero() { T::one() / sum } else { T::zero() };
            }
        }
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

/// What is known of a coarse place before its children are looked at one by one.
enum Surroundings {
    /// Nothing is sought there.
    Nothing,
    /// All of its children have all of their neighbours, behind faces with a coefficient of 1, and the
    /// ways to the centres of the places below are as long as they are anywhere.
    Open,
    /// Anything else.
    Mixed,
}

fn surroundings<T: Real, const D: usize>(
    fine: &Operator<'_, T, D>,
    coarse: &Region<D>,
    at: [usize; D],
) -> Surroundings {
    let Coefficients::Variable { a, inverse, .. } = fine.stencil.coefficients else {
        return Surroundings::Mixed;
    };
    let (region, zero, one) = (fine.region(), T::zero(), T::one());
    let of = core::array::from_fn::<_, D, _>(|a| children(&region, coarse, a, at[a]));
    let whole = (0..D).all(|a| {
        let all = of[a].len() == if region.len(a) > coarse.len(a) { 2 } else { 1 };
        all && of[a].start > region.lo[a] && of[a].end < region.hi[a]
    });
    let (mut nothing, mut open) = (true, whole);
    for_each_child(&region, coarse, at, |child, at| {
        if inverse[child] == zero {
            open = false;
            return;
        }
        nothing = false;
        open = open && fine.mass_at(child) == zero;
        for axis in 0..D {
            if !open {
                return;
            }
            let (stride, own) = (region.strides[axis], a[axis]);
            open = own[child] == one
                && own[child + stride] == one
                && inverse[child - stride] > zero
                && inverse[child + stride] > zero
                && fine.held_at(axis, child) == zero;
            // Below the lower face there are two children as well, one behind the other.
            if at[axis] == of[axis].start && of[axis].len() == 2 {
                open = open && own[child - stride] > zero && inverse[child - 2 * stride] > zero;
            }
        }
    });
    match (nothing, open) {
        (true, _) => Surroundings::Nothing,
        (_, true) => Surroundings::Open,
        _ => Surroundings::Mixed,
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
            slow.matrix.rebuild_variable(&fine, |_, _, _| Surroundings::Mixed);
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
