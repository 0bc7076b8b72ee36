//! The modified incomplete Cholesky factorisation without fill, MIC(0), as a preconditioner.
//!
//! ```text
//! −A ≈ L·Lᵀ,   L as sparse as A;   e_i = d_i − Σ_lower (a·e⁻½)² − τ·(what L·Lᵀ would add to the row)
//! ```
//!
//! τ = 0.97, and e_i = d_i where it falls below ¼ d_i. Each row needs the one before: it runs on one
//! thread, place by place along x. Links across a periodic seam are left out of L.
//!
//! Reference: R. Bridson, *Fluid Simulation for Computer Graphics*, 2015, ch. 5; I. Gustafsson, *A
//! class of first order factorization methods*, 1978, <https://doi.org/10.1007/BF01931691>.

use alloc::vec;
use alloc::vec::Vec;

use super::operator::Operator;
use super::problem::Problem;
use crate::Real;
use crate::grid::{Faces, Field, Grid};

/// The factor of one problem at a time.
#[derive(Debug, Clone)]
pub(super) struct IncompleteCholesky<T, const D: usize> {
    /// 1/L_ii, 0 where p is not sought.
    inverse: Vec<T>,
    /// a·L_ii⁻¹·L_jj⁻¹ for the neighbour j below along each axis.
    lower: Faces<T, D>,
    built_for: Option<u64>,
}

/// How much of the dropped fill goes to the diagonal.
const TAU: f64 = 0.97;
/// A pivot below this part of the diagonal is not trusted.
const SAFE: f64 = 0.25;

impl<T: Real, const D: usize> IncompleteCholesky<T, D> {
    pub(super) fn new(grid: Grid<T, D>) -> Self {
        let inverse = vec![T::zero(); grid.array_len()];
        Self { inverse, lower: Faces::zeros(grid), built_for: None }
    }

    /// Factorises where the problem is another one than before.
    pub(super) fn prepare(&mut self, problem: &Problem<T, D>) {
        if self.built_for == Some(problem.fingerprint()) {
            return;
        }
        self.built_for = Some(problem.fingerprint());
        let operator = Operator::of(problem);
        let region = problem.region();
        let strides = region.strides;
        self.inverse.fill(T::zero());
        self.lower.fill(T::zero());
        for n in 0..region.rows() {
            let row = region.row(n);
            for i in 0..row.len {
                let (place, mut at) = (row.start + i, row.at);
                at[0] += i;
                if !operator.is_unknown(place) {
                    continue;
                }
                let mut diagonal = operator.mass_at(place);
                // The links to later places, by axis, of this place and of those before it.
                let upper = |place: usize, at: [usize; D]| {
                    core::array::from_fn::<T, D, _>(|axis| {
                        let (a, beyond) = operator.link(axis, 1, place, at);
                        beyond.filter(|(beyond, _)| *beyond > place).map_or(T::zero(), |_| a)
                    })
                };
                let (mut kept, mut dropped) = (T::zero(), T::zero());
                for axis in 0..D {
                    diagonal += operator.link(axis, 0, place, at).0;
                    diagonal += operator.link(axis, 1, place, at).0;
                    if at[axis] == region.lo[axis] {
                        continue;
                    }
                    let before = place - strides[axis];
                    let mut at = at;
                    at[axis] -= 1;
                    let links = upper(before, at);
                    let scaled = links[axis] * self.inverse[before];
                    self.lower[axis].as_mut_slice()[place] = scaled;
                    kept += scaled * scaled;
                    for other in (0..D).filter(|other| *other != axis) {
                        dropped += scaled * links[other] * self.inverse[before];
                    }
                }
                let pivot = diagonal - kept - T::of(TAU) * dropped;
                let pivot = if pivot > T::of(SAFE) * diagonal { pivot } else { diagonal };
                if pivot > T::zero() {
                    self.inverse[place] = T::one() / pivot.sqrt();
                }
                for axis in 0..D {
                    self.lower[axis].as_mut_slice()[place] *= self.inverse[place];
                }
            }
        }
    }

    /// z = (L·Lᵀ)⁻¹ r.
    pub(super) fn apply(&self, problem: &Problem<T, D>, r: &Field<T, D>, z: &mut Field<T, D>) {
        let region = problem.region();
        let strides = region.strides;
        let (r, z) = (r.as_slice(), z.as_mut_slice());
        // L·q = r.
        for n in 0..region.rows() {
            let row = region.row(n);
            let (before, rest) = z.split_at_mut(row.start);
            let q = &mut rest[..row.len];
            let (r, inverse) = (row.of(r), row.of(&self.inverse));
            for i in 0..row.len {
                q[i] = r[i] * inverse[i];
            }
            for axis in 1..D {
                if row.at[axis] > region.lo[axis] {
                    let lower = row.of(self.lower[axis].as_slice());
                    let below = &before[row.start - strides[axis]..][..row.len];
                    for i in 0..row.len {
                        q[i] += lower[i] * below[i];
                    }
                }
            }
            let lower = row.of(self.lower[0].as_slice());
            let mut last = T::zero();
            for i in 0..row.len {
                last = q[i] + lower[i] * last;
                q[i] = last;
            }
        }
        // Lᵀ·z = q, scaled by the diagonal once no later place needs it unscaled.
        for n in (0..region.rows()).rev() {
            let row = region.row(n);
            let (head, after) = z.split_at_mut(row.start + row.len);
            let w = &mut head[row.start..];
            for axis in 1..D {
                if row.at[axis] + 1 < region.hi[axis] {
                    let lower = row.after(self.lower[axis].as_slice(), strides[axis]);
                    let above = &after[strides[axis] - row.len..][..row.len];
                    for i in 0..row.len {
                        w[i] += lower[i] * above[i];
                    }
                }
            }
            let lower = row.of(self.lower[0].as_slice());
            let mut last = T::zero();
            for i in (0..row.len).rev() {
                let link = if i + 1 < row.len { lower[i + 1] } else { T::zero() };
                last = w[i] + link * last;
                w[i] = last;
            }
        }
        for n in 0..region.rows() {
            let row = region.row(n);
            let (z, inverse) = (&mut z[row.start..][..row.len], row.of(&self.inverse));
            for i in 0..row.len {
                z[i] = (z[i] * inverse[i]).or_nothing();
            }
        }
    }
}
