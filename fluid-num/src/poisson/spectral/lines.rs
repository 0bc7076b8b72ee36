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
use super::passes::Work;
use crate::Real;
use crate::transform::lanes::{LANES, Lanes};
use crate::transform::plan::Buffers;

/// Where μ is below this, in `f64`.
const SLOW: f64 = 1.0 / 256.0;

/// The modes of the transformed axes, and how the last axis is dealt with.
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
    /// Set where the last axis is transformed too.
    pub(super) axis: Option<&'a Axis<T>>,
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

impl<T: Real> Work<T> for Lines<'_, T> {
    #[inline(always)]
    fn apply<'a>(&self, number: usize, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        let mu = self.modes(number);
        let Some(axis) = self.axis else {
            let slow = mu.0.iter().any(|mu| *mu < T::of(SLOW));
            let (f, k) = (&mut a[..self.len], &mut b[..self.len]);
            if slow {
                tridiagonal::<T, f64>(f, k, mu, self.ends, self.factor);
            } else {
                tridiagonal::<T, T>(f, k, mu, self.ends, self.factor);
            }
            return [a, b];
        };
        let [a, b] = axis.forward([a, b]);
        for (v, own) in a.iter_mut().zip(&axis.eigenvalues) {
            for l in 0..LANES {
                let sum = mu.0[l] + *own;
                v.0[l] = if sum > T::zero() { v.0[l] * self.factor / sum } else { T::zero() };
            }
        }
        axis.backward([a, b])
    }
}

/// Solves for p in place of f/`factor`, computing in `W`; `k` is scratch memory.
#[inline(always)]
fn tridiagonal<T: Real, W: Real>(
    f: &mut [Lanes<T>],
    k: &mut [Lanes<T>],
    mu: Lanes<T>,
    ends: [T; 2],
    factor: T,
) {
    let len = f.len();
    let (middle, k) = (len / 2, &mut k[..len]);
    let (ends, factor) = (ends.map(widen::<T, W>), widen::<T, W>(factor));
    let mut system = System { mu: [W::zero(); LANES], mean: [W::zero(); LANES], factor };
    for l in 0..LANES {
        system.mu[l] = widen(mu.0[l]);
        // The mode that is known up to a constant has a solution for a mean of 0 only, which
        // rounding has not left it.
        if system.mu[l] + (ends[0] + ends[1]) == W::zero() {
            let sum = f.iter().fold(W::zero(), |sum, row| sum + widen(row.0[l]));
            system.mean[l] = factor * sum / W::of_usize(len);
        }
    }
    let mut lower = Front { k: [ends[0]; LANES], y: [W::zero(); LANES] };
    let mut upper = Front { k: [ends[1]; LANES], y: [W::zero(); LANES] };
    let both = len - 1 - middle;
    for i in 0..both {
        system.eliminate(&mut lower, &mut f[i], &mut k[i]);
        system.eliminate(&mut upper, &mut f[len - 1 - i], &mut k[len - 1 - i]);
    }
    if both < middle {
        system.eliminate(&mut lower, &mut f[both], &mut k[both]);
    }
    let mut p = [W::zero(); LANES];
    for l in 0..LANES {
        let pivot = system.mu[l] + (lower.k[l] + upper.k[l]);
        let value = widen::<T, W>(f[middle].0[l]) * factor - system.mean[l];
        let value = value + (lower.y[l] + upper.y[l]);
        // Without a pivot the mode is known up to a constant.
        p[l] = if pivot > W::zero() { value / pivot } else { W::zero() };
        f[middle].0[l] = narrow(p[l]);
    }
    let (mut below, mut above) = (p, p);
    for i in 0..both {
        substitute(&mut below, &mut f[middle - 1 - i], &k[middle - 1 - i]);
        substitute(&mut above, &mut f[middle + 1 + i], &k[middle + 1 + i]);
    }
    if both < middle {
        substitute(&mut below, &mut f[0], &k[0]);
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
struct System<W> {
    mu: [W; LANES],
    /// What is taken off the right-hand side.
    mean: [W; LANES],
    factor: W,
}

/// How far an elimination has come.
struct Front<W> {
    k: [W; LANES],
    y: [W; LANES],
}

impl<W: Real> System<W> {
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
