//! The Fourier transform of real values.
//!
//! For an even length N the values are taken in pairs as N/2 complex ones, whose transform Z is
//! taken apart into that of the even and that of the odd places:
//!
//! ```text
//! X_k = E_k + e^(−2πi k/N) O_k,   E_k = (Z_k + Z̄_(N/2−k))/2,   O_k = (Z_k − Z̄_(N/2−k))/2i
//! ```
//!
//! An odd length takes a complex transform of N values: twice the cost.
//!
//! Reference: W. H. Press et al., *Numerical Recipes*, 3rd ed. 2007, §12.3.

use alloc::vec::Vec;

use super::fft::Fourier;
use super::lanes::{ComplexLanes, Lanes, add, mul, root_of_unity, sub, times_minus_i};
use super::plan::{Buffers, Kernel};
use crate::Real;

/// The tables of a transform of real values; see [`super::RealFft`].
#[derive(Debug, Clone)]
pub struct RealFourier<T> {
    len: usize,
    /// Over half the length where that is even, else over the whole.
    complex: Fourier<T>,
    /// e^(−2πi k/N).
    twiddles: Vec<[T; 2]>,
}

/// Takes the bins 1 … (N − 1)/2 of a spectrum, some of them twice.
pub(super) trait Sink<T> {
    fn put(&mut self, k: usize, bin: ComplexLanes<T>);
}

/// Gives the bins 0 … N/2 of a spectrum; the first, and the last of an even length, are real.
pub(super) trait Source<T> {
    fn bin(&self, k: usize) -> ComplexLanes<T>;
}

#[inline(always)]
fn conjugate<T: Real>([re, im]: ComplexLanes<T>) -> ComplexLanes<T> {
    [re, -im]
}

impl<T: Real> RealFourier<T> {
    /// A transform of `len` ≥ 1 values.
    pub(super) fn new(len: usize) -> Self {
        let even = len.is_multiple_of(2);
        let complex = Fourier::new(if even { len / 2 } else { len });
        let twiddles = (0..len / 2 + 1).map(|k| root_of_unity(k, len).map(T::of)).collect();
        Self { len, complex, twiddles }
    }

    fn is_even(&self) -> bool {
        self.len.is_multiple_of(2)
    }

    /// The rows of a buffer.
    #[inline(always)]
    pub(super) fn buffer_rows(&self) -> usize {
        self.complex.rows().max(self.len)
    }

    /// The complex transform from which [`RealFourier::analyse`] makes the spectrum.
    #[inline(always)]
    pub(super) fn transform<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        if self.is_even() {
            return self.complex.run([a, b]);
        }
        for (from, to) in a[..self.len].iter().zip(b.as_chunks_mut().0) {
            *to = [*from, Lanes::zero()];
        }
        self.complex.run([b, a])
    }

    /// Hands the bins to `sink`; gives the first and, for an even length, the last.
    #[inline(always)]
    pub(super) fn analyse(&self, z: &[Lanes<T>], sink: &mut impl Sink<T>) -> [Lanes<T>; 2] {
        let z: &[ComplexLanes<T>] = z.as_chunks().0;
        if !self.is_even() {
            for k in 1..self.len.div_ceil(2) {
                sink.put(k, z[k]);
            }
            return [z[0][0], Lanes::zero()];
        }
        let (half, one_half) = (self.len / 2, T::of(0.5));
        for k in 1..half / 2 + 1 {
            let (low, high) = (z[k], conjugate(z[half - k]));
            let even = [(low[0] + high[0]) * one_half, (low[1] + high[1]) * one_half];
            let [re, im] = self.twiddles[k];
            let odd = mul(times_minus_i(sub(low, high)), [re * one_half, im * one_half]);
            sink.put(k, add(even, odd));
            sink.put(half - k, conjugate(sub(even, odd)));
        }
        [z[0][0] + z[0][1], z[0][0] - z[0][1]]
    }

    /// Writes what [`RealFourier::untransform`] makes the values of, times N, whose spectrum is
    /// `source`.
    #[inline(always)]
    pub(super) fn synthesise(&self, source: &impl Source<T>, to: &mut [Lanes<T>]) {
        let z: &mut [ComplexLanes<T>] = to.as_chunks_mut().0;
        if !self.is_even() {
            z[0] = source.bin(0);
            for k in 1..self.len.div_ceil(2) {
                let bin = source.bin(k);
                z[k] = conjugate(bin);
                z[self.len - k] = bin;
            }
            return;
        }
        let half = self.len / 2;
        let (first, last) = (source.bin(0)[0], source.bin(half)[0]);
        z[0] = [first + last, last - first];
        for k in 1..half / 2 + 1 {
            let (low, high) = (source.bin(k), conjugate(source.bin(half - k)));
            let [re, im] = self.twiddles[k];
            let even = add(low, high);
            // −i·O, as the values come from the transform of the conjugate.
            let odd = times_minus_i(mul(sub(low, high), [re, -im]));
            z[k] = conjugate(sub(even, odd));
            z[half - k] = add(even, odd);
        }
    }

    /// The complex transform that makes values of what [`RealFourier::synthesise`] wrote.
    #[inline(always)]
    pub(super) fn untransform<'a>(&self, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        self.complex.run(buffers)
    }

    /// Value `n` of the outcome of [`RealFourier::untransform`].
    #[inline(always)]
    pub(super) fn value(&self, outcome: &[Lanes<T>], n: usize) -> Lanes<T> {
        match self.is_even() {
            true if n % 2 == 1 => -outcome[n],
            true => outcome[n],
            false => outcome[2 * n],
        }
    }
}

/// Bins in FFTPACK's order: Re X_0, Re X_1, Im X_1, Re X_2, …
struct Packed<'a, T>(&'a mut [Lanes<T>]);

impl<T: Real> Sink<T> for Packed<'_, T> {
    #[inline(always)]
    fn put(&mut self, k: usize, bin: ComplexLanes<T>) {
        self.0[2 * k - 1..2 * k + 1].copy_from_slice(&bin);
    }
}

struct Unpacked<'a, T>(&'a [Lanes<T>]);

impl<T: Real> Source<T> for Unpacked<'_, T> {
    #[inline(always)]
    fn bin(&self, k: usize) -> ComplexLanes<T> {
        if k == 0 {
            return [self.0[0], Lanes::zero()];
        }
        let im = if 2 * k < self.0.len() { self.0[2 * k] } else { Lanes::zero() };
        [self.0[2 * k - 1], im]
    }
}

impl<T: Real> Kernel<T> for RealFourier<T> {
    fn plan(len: usize) -> Self {
        Self::new(len)
    }

    fn len(&self) -> usize {
        self.len
    }

    fn rows(&self) -> usize {
        self.buffer_rows()
    }

    fn scale(&self) -> T {
        T::one() / T::of_usize(self.len)
    }

    #[inline(always)]
    fn forward<'a>(&self, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        let [z, out] = self.transform(buffers);
        let [first, last] = self.analyse(z, &mut Packed(&mut out[..self.len]));
        out[0] = first;
        if self.is_even() {
            out[self.len - 1] = last;
        }
        [out, z]
    }

    #[inline(always)]
    fn backward<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        self.synthesise(&Unpacked(&a[..self.len]), b);
        let [values, out] = self.untransform([b, a]);
        for n in 0..self.len {
            out[n] = self.value(values, n);
        }
        [out, values]
    }
}
