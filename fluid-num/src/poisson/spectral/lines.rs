//! What is done along the last axis, where the others are transformed: one tridiagonal system for
//! every mode,
//!
//! ```text
//! p_(i−1) − (2 + μ) p_i + p_(i+1) = h² b_i,    μ = σh² − Σ λ of the other axes ≥ 0
//! ```
//!
//! by elimination from both ends at once, which meet in the middle: two chains of dependent
//! operations of half the length. The pivots are kept as 1 + g, of which only g is computed:
//!
//! ```text
//! g_i = μ + k_(i−1),   c_i = 1/(1 + g_i),   k_i = g_i c_i = 1 − c_i,   y_i = (f_i + y_(i−1)) c_i
//! ```
//!
//! Nothing is subtracted anywhere, so each pivot has all its digits even where μ is far below the
//! rounding of 2 + μ. Modes that reach far (1/√μ > 16 cells) are summed up in `f64`, whatever T
//! is: the rounding of c would otherwise be multiplied up over all those cells.
//!
//! Reference: W. K. Grassmann, M. I. Taksar, D. P. Heyman, *Regenerative analysis and steady state
//! distributions for Markov chains*, 1985, <https://doi.org/10.1287/opre.33.5.1107>.

use super::axis::Axis;
use super::padded;
use super::passes::{Gather, Work};
use crate::Real;
use crate::base::exec::BlockPass;
use crate::transform::lanes::{LANES, Lanes};
use crate::transform::plan::Buffers;

/// Where μ is below this, in `f64`.
const SLOW: f64 = 1.0 / 256.0;

/// The modes of the transformed axes, and the unknowns of the last axis.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a, T> {
    /// −λ along the outer and along the inner of the transformed axes; a block is one of the outer
    /// and [`LANES`] of the inner.
    pub(super) outer: &'a [T],
    pub(super) inner: &'a [T],
    /// σh².
    pub(super) shift: T,
    /// What the right-hand side is multiplied by.
    pub(super) factor: T,
    /// The number of unknowns.
    pub(super) len: usize,
    /// What an end adds to the diagonal.
    pub(super) ends: [T; 2],
}

/// The last axis transformed too.
pub(super) struct Whole<'a, T> {
    pub(super) lines: Lines<'a, T>,
    pub(super) axis: &'a Axis<T>,
}

impl<T: Real> Lines<'_, T> {
    /// μ of the modes of a block, 1 for those beyond the last.
    #[inline(always)]
    fn modes(&self, number: usize) -> Lanes<T> {
        let groups = self.inner.len().div_ceil(LANES);
        let (outer, first) = (self.outer[number / groups], number % groups * LANES);
        let mut mu = Lanes::splat(T::one());
        for (mu, inner) in mu.0.iter_mut().zip(&self.inner[first..]) {
            *mu = self.shift + (outer + *inner);
        }
        mu
    }
}

/// The systems along the last axis, two blocks side by side: each has two chains of dependent
/// operations, and four of them keep the CPU busy.
pub(super) struct Systems<'a, G, T> {
    pub(super) gather: G,
    pub(super) lines: Lines<'a, T>,
}

impl<T: Real, G: Gather<T>> BlockPass<Lanes<T>, Lanes<T>> for Systems<'_, G, T> {
    /// Solves in place, with the rows of k in `scratch`.
    #[inline(always)]
    fn block(&self, number: usize, out: &mut [Lanes<T>], scratch: &mut [Lanes<T>]) {
        let Lines { len, ends, factor, .. } = self.lines;
        let stride = padded(len);
        let (first, second) = out.split_at_mut(stride);
        let mut blocks = [first, second];
        let count = if blocks[1].is_empty() { 1 } else { 2 };
        let mut mu = [Lanes::zero(); 2];
        for (b, block) in blocks[..count].iter_mut().enumerate() {
            mu[b] = self.lines.modes(2 * number + b);
            self.gather.fill(2 * number + b, block);
            block[len..].fill(Lanes::zero());
        }
        let (k, other) = scratch.split_at_mut(len);
        let slow = |mu: &Lanes<T>| mu.0.iter().any(|mu| *mu < T::of(SLOW));
        if count == 2 && !mu.iter().any(slow) {
            let [f, g] = blocks;
            return tridiagonal::<T, T, 2>([f, g], [k, other], mu, len, ends, factor);
        }
        for (block, mu) in blocks.into_iter().zip(mu).take(count) {
            if slow(&mu) {
                tridiagonal::<T, f64, 1>([block], [k], [mu], len, ends, factor);
            } else {
                tridiagonal::<T, T, 1>([block], [k], [mu], len, ends, factor);
            }
        }
    }
}

impl<T: Real> Work<T> for Whole<'_, T> {
    #[inline(always)]
    fn apply<'a>(&self, number: usize, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        let (lines, axis) = (&self.lines, self.axis);
        let mu = lines.modes(number);
        let [a, b] = axis.forward(buffers);
        for (v, own) in a.iter_mut().zip(&axis.eigenvalues) {
            for l in 0..LANES {
                let sum = mu.0[l] + *own;
                v.0[l] = if sum > T::zero() { v.0[l] * lines.factor / sum } else { T::zero() };
            }
        }
        axis.backward([a, b])
    }
}

/// Solves the systems of `B` blocks for p in place of f/`factor`, computing in `W`; `k` is scratch
/// memory.
#[inline(always)]
fn tridiagonal<T: Real, W: Real, const B: usize>(
    mut f: [&mut [Lanes<T>]; B],
    mut k: [&mut [Lanes<T>]; B],
    mu: [Lanes<T>; B],
    len: usize,
    ends: [T; 2],
    factor: T,
) {
    let (ends, factor) = (ends.map(widen::<T, W>), widen::<T, W>(factor));
    let zero = [W::zero(); LANES];
    let mut systems = [System { mu: zero, mean: zero, factor }; B];
    for b in 0..B {
        let rows = core::mem::take(&mut f[b]);
        f[b] = &mut rows[..len];
        let rows = core::mem::take(&mut k[b]);
        k[b] = &mut rows[..len];
        systems[b].set(mu[b], ends, f[b]);
    }
    let middle = len / 2;
    let mut lower = [Front { k: [ends[0]; LANES], y: zero }; B];
    let mut upper = [Front { k: [ends[1]; LANES], y: zero }; B];
    let both = len - 1 - middle;
    for i in 0..both {
        let j = len - 1 - i;
        for b in 0..B {
            systems[b].eliminate(&mut lower[b], &mut f[b][i], &mut k[b][i]);
            systems[b].eliminate(&mut upper[b], &mut f[b][j], &mut k[b][j]);
        }
    }
    let mut below = [zero; B];
    for b in 0..B {
        if both < middle {
            systems[b].eliminate(&mut lower[b], &mut f[b][both], &mut k[b][both]);
        }
        below[b] = systems[b].meet(&lower[b], &upper[b], &mut f[b][middle]);
    }
    let mut above = below;
    for i in 0..both {
        let (i, j) = (middle - 1 - i, middle + 1 + i);
        for b in 0..B {
            substitute(&mut below[b], &mut f[b][i], &k[b][i]);
            substitute(&mut above[b], &mut f[b][j], &k[b][j]);
        }
    }
    if both < middle {
        for b in 0..B {
            substitute(&mut below[b], &mut f[b][0], &k[b][0]);
        }
    }
}

#[inline(always)]
fn widen<T: Real, W: Real>(value: T) -> W {
    W::of(value.to_f64())
}

#[inline(always)]
fn narrow<T: Real, W: Real>(value: W) -> T {
    T::of(value.to_f64())
}

/// Zero for what is about to become subnormal: a mode that dies away would wade through such
/// numbers.
#[inline(always)]
fn cut<T: Real, W: Real>(value: W) -> W {
    let tiny: W = widen::<T, W>(T::NEGLIGIBLE) * W::of(1e-6);
    if value.magnitude() < tiny { W::zero() } else { value }
}

/// The systems of a block.
#[derive(Clone, Copy)]
struct System<W> {
    mu: [W; LANES],
    /// What is taken off the right-hand side.
    mean: [W; LANES],
    factor: W,
}

/// How far an elimination has come.
#[derive(Clone, Copy)]
struct Front<W> {
    k: [W; LANES],
    y: [W; LANES],
}

impl<W: Real> System<W> {
    #[inline(always)]
    fn set<T: Real>(&mut self, mu: Lanes<T>, ends: [W; 2], f: &[Lanes<T>]) {
        for l in 0..LANES {
            self.mu[l] = widen(mu.0[l]);
            // The mode that is known up to a constant has a solution for a mean of 0 only, which
            // rounding has not left it.
            if self.mu[l] + (ends[0] + ends[1]) == W::zero() {
                let sum = f.iter().fold(W::zero(), |sum, row| sum + widen(row.0[l]));
                self.mean[l] = self.factor * sum / W::of_usize(f.len());
            }
        }
    }

    /// p of the unknown where both fronts meet, in place of its f.
    #[inline(always)]
    fn meet<T: Real>(&self, lower: &Front<W>, upper: &Front<W>, f: &mut Lanes<T>) -> [W; LANES] {
        let mut p = [W::zero(); LANES];
        for l in 0..LANES {
            let pivot = self.mu[l] + (lower.k[l] + upper.k[l]);
            let value = widen::<T, W>(f.0[l]) * self.factor - self.mean[l];
            let value = value + (lower.y[l] + upper.y[l]);
            // Without a pivot the mode is known up to a constant.
            p[l] = if pivot > W::zero() { value / pivot } else { W::zero() };
            f.0[l] = narrow(p[l]);
        }
        p
    }

    /// Eliminates the next unknown, whose y and k are kept in place of its f.
    #[inline(always)]
    fn eliminate<T: Real>(&self, front: &mut Front<W>, f: &mut Lanes<T>, k: &mut Lanes<T>) {
        let (one, factor) = (W::one(), self.factor);
        for l in 0..LANES {
            let g = self.mu[l] + front.k[l];
            let c = one / (one + g);
            front.k[l] = g * c;
            let value = widen::<T, W>(f.0[l]) * factor - self.mean[l];
            front.y[l] = cut::<T, W>((value + front.y[l]) * c);
            k.0[l] = narrow(front.k[l]);
            f.0[l] = narrow(front.y[l]);
        }
    }
}

/// p = y + c·p of the unknown that was eliminated next.
#[inline(always)]
fn substitute<T: Real, W: Real>(p: &mut [W; LANES], y: &mut Lanes<T>, k: &Lanes<T>) {
    for l in 0..LANES {
        let c = W::one() - widen::<T, W>(k.0[l]);
        p[l] = cut::<T, W>(widen::<T, W>(y.0[l]) + c * p[l]);
        y.0[l] = narrow(p[l]);
    }
}
