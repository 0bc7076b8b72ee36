//! The cosine transforms of type II, III and IV, and with them the sine transforms II, III and IV.
//!
//! ```text
//! DCT-II   C_k = Σ_n x_n cos(π k(2n + 1)/2N)
//! DCT-III  x_n = C_0/2 + Σ_{k>0} C_k cos(π k(2n + 1)/2N)
//! DCT-IV   C_k = Σ_n x_n cos(π (2k + 1)(2n + 1)/4N)
//! ```
//!
//! II takes the values in the order 0, 2, 4, …, 5, 3, 1: the spectrum V of that sequence holds two
//! cosine coefficients in each bin, C_k − i C_(N−k) = e^(−πi k/2N) V_k. III goes the same way back.
//! The sine transforms follow by alternating signs on one side and the reverse order on the other.
//! IV of an even length is a complex transform of N/2 values, twiddled before and after.
//!
//! Reference: J. Makhoul, *A fast cosine transform in one and two dimensions*, 1980,
//! <https://doi.org/10.1109/TASSP.1980.1163351>.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::fft::Fourier;
use super::lanes::{ComplexLanes, Lanes, mul, root_of_unity};
use super::plan::{Buffers, Kernel};
use super::real::{RealFourier, Sink, Source};
use crate::Real;

/// The tables of the types II and III, of sines where `SINE`; see [`super::Dct`] and [`super::Dst`].
#[derive(Debug, Clone)]
pub struct Cosine<T, const SINE: bool> {
    real: RealFourier<T>,
    /// e^(−πi k/2N).
    twiddles: Vec<[T; 2]>,
}

impl<T: Real, const SINE: bool> Cosine<T, SINE> {
    /// Where coefficient k of the cosine transform is kept.
    #[inline(always)]
    fn place(&self, k: usize) -> usize {
        if SINE { self.len() - 1 - k } else { k }
    }

    /// ±value, negative for the odd places of a sine transform.
    #[inline(always)]
    fn alternate(value: Lanes<T>) -> Lanes<T> {
        if SINE { -value } else { value }
    }
}

/// Takes two coefficients out of each bin.
struct Coefficients<'a, T, const SINE: bool> {
    out: &'a mut [Lanes<T>],
    kernel: &'a Cosine<T, SINE>,
}

impl<T: Real, const SINE: bool> Sink<T> for Coefficients<'_, T, SINE> {
    #[inline(always)]
    fn put(&mut self, k: usize, bin: ComplexLanes<T>) {
        let [re, im] = mul(bin, self.kernel.twiddles[k]);
        self.out[self.kernel.place(k)] = re;
        self.out[self.kernel.place(self.kernel.len() - k)] = -im;
    }
}

/// Makes each bin from two coefficients, halved.
struct Bins<'a, T, const SINE: bool> {
    coefficients: &'a [Lanes<T>],
    kernel: &'a Cosine<T, SINE>,
}

impl<T: Real, const SINE: bool> Source<T> for Bins<'_, T, SINE> {
    #[inline(always)]
    fn bin(&self, k: usize) -> ComplexLanes<T> {
        let (kernel, one_half) = (self.kernel, T::of(0.5));
        let low = self.coefficients[kernel.place(k)];
        if k == 0 {
            return [low * one_half, Lanes::zero()];
        }
        let high = self.coefficients[kernel.place(kernel.len() - k)];
        let [re, im] = kernel.twiddles[k];
        mul([low, -high], [re * one_half, -im * one_half])
    }
}

impl<T: Real, const SINE: bool> Kernel<T> for Cosine<T, SINE> {
    fn plan(len: usize) -> Self {
        let twiddles = (0..len / 2 + 1).map(|k| root_of_unity(k, 4 * len).map(T::of)).collect();
        Self { real: RealFourier::new(len), twiddles }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        Kernel::len(&self.real)
    }

    fn rows(&self) -> usize {
        self.real.buffer_rows()
    }

    fn scale(&self) -> T {
        T::of(2.0) / T::of_usize(self.len())
    }

    #[inline(always)]
    fn forward<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        let len = self.len();
        let (values, to) = (&a[..len], &mut b[..len]);
        for (n, pair) in values.chunks(2).enumerate() {
            to[n] = pair[0];
            if let Some(odd) = pair.get(1) {
                to[len - 1 - n] = Self::alternate(*odd);
            }
        }
        let [z, out] = self.real.transform([b, a]);
        let mut sink = Coefficients { out: &mut out[..len], kernel: self };
        let [first, last] = self.real.analyse(z, &mut sink);
        out[self.place(0)] = first;
        if len.is_multiple_of(2) {
            out[self.place(len / 2)] = last * self.twiddles[len / 2][0];
        }
        [out, z]
    }

    #[inline(always)]
    fn backward<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        let len = self.len();
        self.real.synthesise(&Bins { coefficients: &a[..len], kernel: self }, b);
        let [values, out] = self.real.untransform([b, a]);
        for (n, pair) in out[..len].chunks_mut(2).enumerate() {
            pair[0] = self.real.value(values, n);
            if let Some(odd) = pair.get_mut(1) {
                *odd = Self::alternate(self.real.value(values, len - 1 - n));
            }
        }
        [out, values]
    }
}

/// The tables of the type IV; see [`super::Dct4`].
#[derive(Debug, Clone)]
pub struct Cosine4<T> {
    len: usize,
    way: Way<T>,
}

#[derive(Debug, Clone)]
enum Way<T> {
    /// For even lengths; e^(−πi (8k + 1)/8N).
    Half(Fourier<T>, Vec<[T; 2]>),
    Extended(Box<Extended<T, false>>),
}

impl<T: Real> Kernel<T> for Cosine4<T> {
    fn plan(len: usize) -> Self {
        if !len.is_multiple_of(2) {
            return Self { len, way: Way::Extended(Box::new(Extended::new(len, 2 * len))) };
        }
        let twiddle = |k| root_of_unity(8 * k + 1, 16 * len).map(T::of);
        let twiddles = (0..len / 2).map(twiddle).collect();
        Self { len, way: Way::Half(Fourier::new(len / 2), twiddles) }
    }

    fn len(&self) -> usize {
        self.len
    }

    fn rows(&self) -> usize {
        match &self.way {
            Way::Half(complex, _) => complex.rows(),
            Way::Extended(extended) => extended.rows(),
        }
    }

    fn scale(&self) -> T {
        T::of(2.0) / T::of_usize(self.len)
    }

    #[inline(always)]
    fn forward<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        let len = self.len;
        match &self.way {
            Way::Extended(extended) => extended.forward([a, b]),
            Way::Half(complex, twiddles) => {
                let (x, z) = (&a[..len], b.as_chunks_mut().0);
                for k in 0..len / 2 {
                    z[k] = mul([x[2 * k], x[len - 1 - 2 * k]], twiddles[k]);
                }
                let [z, out] = complex.run([b, a]);
                let (values, to) = (z.as_chunks().0, &mut out[..len]);
                for k in 0..len / 2 {
                    let [re, im] = mul(values[k], twiddles[k]);
                    to[2 * k] = re;
                    to[len - 1 - 2 * k] = -im;
                }
                [out, z]
            }
        }
    }

    #[inline(always)]
    fn backward<'a>(&self, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        self.forward(buffers)
    }
}

/// The cosine (sine) transform of sequences that vanish at their upper end, where their mirror
/// image with the other sign continues them to `whole` values: the coefficients 1, 3, 5, …
/// of the whole, halved. Two to four times the cost of a transform of its own.
#[derive(Debug, Clone)]
pub(crate) struct Extended<T, const SINE: bool> {
    len: usize,
    whole: Cosine<T, SINE>,
}

impl<T: Real, const SINE: bool> Extended<T, SINE> {
    /// For `whole` = 2·len where the zero is half a place beyond the end, 2·len + 1 where a whole.
    pub(crate) fn new(len: usize, whole: usize) -> Self {
        Self { len, whole: Cosine::plan(whole) }
    }

    pub(crate) fn rows(&self) -> usize {
        self.whole.rows()
    }

    pub(crate) fn scale(&self) -> T {
        T::of(4.0) / T::of_usize(self.whole.len())
    }

    #[inline(always)]
    pub(crate) fn forward<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        let (lower, upper) = a[..self.whole.len()].split_at_mut(self.len);
        upper[0] = Lanes::zero();
        for (v, mirrored) in lower.iter().zip(upper.iter_mut().rev()) {
            *mirrored = -*v;
        }
        let [a, b] = self.whole.forward([a, b]);
        for m in 0..self.len {
            a[m] = a[2 * m + 1] * T::of(0.5);
        }
        [a, b]
    }

    #[inline(always)]
    pub(crate) fn backward<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        for m in (0..self.len).rev() {
            a[2 * m + 1] = a[m];
        }
        for even in a[..self.whole.len()].iter_mut().step_by(2) {
            *even = Lanes::zero();
        }
        self.whole.backward([a, b])
    }
}
