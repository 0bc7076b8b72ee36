//! The sine transform of type I; the types II and III are those of [`super::cosine`].
//!
//! ```text
//! F_k = Σ_{j=1}^{N} f_j sin(π jk/L),   k = 1 … N,   L = N + 1
//! ```
//!
//! It is its own inverse but for 2/L. An even L = 2H is split: the differences f_j − f_(L−j) have
//! the even coefficients, a sine transform of type I with H in place of L; the sums s_j = f_j +
//! f_(L−j), s_H = f_H have the odd ones,
//!
//! ```text
//! F_(2k+1) = (−1)^k Σ_{i=0}^{H−1} s_(H−i) cos(π i(2k + 1)/2H),
//! ```
//!
//! a cosine transform of type III. Unlike the usual way with one real transform of L values there
//! is no running sum, whose error grows with √N. An odd L takes the complex transform Z of
//! f_j (1 + (−1)^j i), which holds the even coefficients in its imaginary and the odd ones in its
//! real parts: F_2m = ½ Im(Z_(L−m) − Z_m), F_(L−2m) = ½ Re(Z_(L−m) − Z_m).

use alloc::vec::Vec;

use super::cosine::Cosine;
use super::fft::Fourier;
use super::lanes::{ComplexLanes, Lanes};
use super::plan::{Buffers, Kernel};
use crate::Real;

/// The tables of the type I; see [`super::Dst1`].
#[derive(Debug, Clone)]
pub struct Sine1<T> {
    len: usize,
    /// The cosine transforms of the splittings, the longest first.
    halves: Vec<Cosine<T, false>>,
    /// For what is left when no splitting is possible, unless that is nothing.
    odd: Option<Fourier<T>>,
}

impl<T: Real> Kernel<T> for Sine1<T> {
    fn plan(len: usize) -> Self {
        let mut rest = len + 1;
        let mut halves = Vec::new();
        while rest.is_multiple_of(2) {
            rest /= 2;
            halves.push(Cosine::plan(rest));
        }
        Self { len, halves, odd: (rest > 1).then(|| Fourier::new(rest)) }
    }

    fn len(&self) -> usize {
        self.len
    }

    fn rows(&self) -> usize {
        let longest = self.halves.iter().map(Kernel::rows).max().unwrap_or(0);
        self.len + longest.max(self.odd.as_ref().map_or(0, Fourier::rows))
    }

    fn scale(&self) -> T {
        T::of(2.0) / T::of_usize(self.len + 1)
    }

    #[inline(always)]
    fn forward<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        let (f, work) = a.split_at_mut(self.len);
        let (out, other) = b.split_at_mut(self.len);
        let (mut size, mut step) = (self.len + 1, 1);
        for half in &self.halves {
            let middle = size / 2;
            // The transform halves its first value.
            work[0] = f[middle - 1] * T::of(2.0);
            let (lower, upper) = f[..size - 1].split_at_mut(middle - 1);
            for (i, low) in lower.iter_mut().rev().enumerate() {
                let high = upper[i + 1];
                work[i + 1] = *low + high;
                *low = *low - high;
            }
            let [odd, _] = half.backward([work, other]);
            for k in 0..middle {
                let value = if k % 2 == 0 { odd[k] } else { -odd[k] };
                out[step * (2 * k + 1) - 1] = value;
            }
            (size, step) = (middle, 2 * step);
        }
        if let Some(complex) = &self.odd {
            let z: &mut [ComplexLanes<T>] = work.as_chunks_mut().0;
            z[0] = [Lanes::zero(); 2];
            for j in 1..size {
                z[j] = [f[j - 1], if j % 2 == 0 { f[j - 1] } else { -f[j - 1] }];
            }
            let [z, _] = complex.run([work, other]);
            let (z, one_half): (&[ComplexLanes<T>], _) = (z.as_chunks().0, T::of(0.5));
            for m in 1..size.div_ceil(2) {
                let (low, high) = (z[m], z[size - m]);
                out[step * 2 * m - 1] = (high[1] - low[1]) * one_half;
                out[step * (size - 2 * m) - 1] = (high[0] - low[0]) * one_half;
            }
        }
        [b, a]
    }

    #[inline(always)]
    fn backward<'a>(&self, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        self.forward(buffers)
    }
}
