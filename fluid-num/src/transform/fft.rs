//! The complex Fourier transform of any length.
//!
//! ```text
//! X_k = Σ_n x_n e^(−2πi nk/N)
//! ```
//!
//! Lengths without prime factors beyond 31 by the self-sorting mixed-radix form of Stockham: each
//! pass reads one buffer and writes the other, in order, without any bit reversal. Other lengths by
//! Bluestein's chirp: a convolution of a length of factors 2, 3 and 5 ≥ 2N − 1, about eight times
//! the cost.
//!
//! References: C. Van Loan, *Computational Frameworks for the Fast Fourier Transform*, 1992,
//! <https://doi.org/10.1137/1.9781611970999>; L. I. Bluestein, *A linear filtering approach to the
//! computation of discrete Fourier transform*, 1970, <https://doi.org/10.1109/TAU.1970.1162132>.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::butterfly::{Butterfly, Five, Four, Seven, Three, Two};
use super::lanes::{ComplexLanes, LANES, Lanes, add, mul, root_of_unity, sub};
use super::plan::{Buffers, Kernel};
use crate::Real;
use crate::base::exec::{self, Wide};

/// The tables of a complex transform; see [`super::Fft`].
#[derive(Debug, Clone)]
pub struct Fourier<T> {
    len: usize,
    way: Way<T>,
}

#[derive(Debug, Clone)]
enum Way<T> {
    MixedRadix(Vec<Stage<T>>),
    Bluestein(Box<Bluestein<T>>),
}

/// One pass: `groups` groups of `radix` values each, `stride` times over.
#[derive(Debug, Clone)]
struct Stage<T> {
    radix: usize,
    groups: usize,
    stride: usize,
    /// e^(−2πi gr/(groups·radix)) for every group g and every r in 1..radix.
    twiddles: Vec<[T; 2]>,
    /// cos and sin of 2πjr/radix for every r and every j up to half of a large prime radix.
    roots: Vec<[T; 2]>,
}

/// The primes that have no butterfly of their own.
const PRIMES: [usize; 7] = [11, 13, 17, 19, 23, 29, 31];
/// Half the largest of them.
const HALF: usize = 15;

/// X_k = c_k Σ_n (x_n c_n) c̄_(k−n) with the chirp c_n = e^(−πi n²/N): a circular convolution.
#[derive(Debug, Clone)]
struct Bluestein<T> {
    chirp: Vec<[T; 2]>,
    /// The transform of the conjugate chirp, over the length of the convolution.
    filter: Vec<[T; 2]>,
    convolution: Fourier<T>,
}

impl<T: Real> Fourier<T> {
    /// A transform of `len` ≥ 1 complex values.
    pub(crate) fn new(len: usize) -> Self {
        let way = match stages(len) {
            Some(stages) => Way::MixedRadix(stages),
            None => Way::Bluestein(Box::new(Bluestein::new(len))),
        };
        Self { len, way }
    }

    /// The rows of a buffer.
    pub(crate) fn rows(&self) -> usize {
        match &self.way {
            Way::MixedRadix(_) => 2 * self.len,
            Way::Bluestein(b) => b.convolution.rows(),
        }
    }

    /// Transforms what `a` begins with; the first buffer of the result holds the outcome.
    pub(crate) fn run<'a>(&self, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        match &self.way {
            Way::MixedRadix(stages) => {
                let [mut a, mut b] = buffers;
                for stage in stages {
                    let x = &a.as_chunks().0[..self.len];
                    let y = &mut b.as_chunks_mut().0[..self.len];
                    exec::wide(Pass { x, y, stage });
                    (a, b) = (b, a);
                }
                [a, b]
            }
            Way::Bluestein(bluestein) => bluestein.run(buffers),
        }
    }
}

/// The passes for a length without prime factors beyond 31.
fn stages<T: Real>(len: usize) -> Option<Vec<Stage<T>>> {
    let mut stages = Vec::new();
    let (mut rest, mut stride) = (len, 1);
    while rest > 1 {
        let mut radices = [4, 2, 3, 5, 7].into_iter().chain(PRIMES);
        let radix = radices.find(|r| rest.is_multiple_of(*r))?;
        let groups = rest / radix;
        let twiddle = |i: usize| {
            let (g, r) = (i / (radix - 1), i % (radix - 1) + 1);
            root_of_unity(g * r, rest).map(T::of)
        };
        let twiddles = (0..groups * (radix - 1)).map(twiddle).collect();
        let half = if PRIMES.contains(&radix) { radix / 2 } else { 0 };
        let pairs = (1..half + 1).flat_map(|r| (1..half + 1).map(move |j| j * r));
        let root = |jr| {
            let [cos, sin] = root_of_unity(jr, radix);
            [T::of(cos), T::of(-sin)]
        };
        let roots = pairs.map(root).collect();
        stages.push(Stage { radix, groups, stride, twiddles, roots });
        (rest, stride) = (groups, stride * radix);
    }
    Some(stages)
}

impl<T: Real> Bluestein<T> {
    fn new(len: usize) -> Self {
        let smooth = |n: &usize| {
            let strip = |n: usize, p: usize| {
                let mut n = n;
                while n.is_multiple_of(p) {
                    n /= p;
                }
                n
            };
            [2, 3, 5].into_iter().fold(*n, strip) == 1
        };
        let size = (2 * len - 1..).find(smooth).unwrap_or(1);
        let chirp: Vec<_> = (0..len).map(|n| root_of_unity(n * n, 2 * len)).collect();
        // In f64 whatever T is: an error here would go into every value.
        let convolution = Fourier::<f64>::new(size);
        let mut a = vec![Lanes::<f64>::zero(); 2 * size];
        let mut b = a.clone();
        for (n, c) in chirp.iter().enumerate() {
            for place in [n, (size - n) % size] {
                a[2 * place] = Lanes::splat(c[0]);
                a[2 * place + 1] = Lanes::splat(-c[1]);
            }
        }
        let [spectrum, _] = convolution.run([&mut a, &mut b]);
        // The inverse's 1/size goes into the filter.
        let part = |v: Lanes<f64>| T::of(v.0[0] / size as f64);
        let filter = spectrum.as_chunks().0.iter().map(|[re, im]| [part(*re), part(*im)]).collect();
        Self {
            chirp: chirp.into_iter().map(|c| c.map(T::of)).collect(),
            filter,
            convolution: Fourier::new(size),
        }
    }

    fn run<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        let values = a.as_chunks_mut().0;
        exec::wide(Multiply { values, by: &self.chirp, conjugate: false });
        values[self.chirp.len()..].fill([Lanes::zero(); 2]);
        let [a, b] = self.convolution.run([a, b]);
        // The inverse is the conjugate of the transform of the conjugate.
        exec::wide(Multiply { values: a.as_chunks_mut().0, by: &self.filter, conjugate: true });
        let [a, b] = self.convolution.run([a, b]);
        exec::wide(Conjugate { values: a.as_chunks_mut().0, by: &self.chirp });
        [a, b]
    }
}

/// v ← v·w, or its conjugate.
struct Multiply<'a, T> {
    values: &'a mut [ComplexLanes<T>],
    by: &'a [[T; 2]],
    conjugate: bool,
}

impl<T: Real> Wide for Multiply<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (v, w) in self.values.iter_mut().zip(self.by) {
            let [re, im] = mul(*v, *w);
            *v = if self.conjugate { [re, -im] } else { [re, im] };
        }
    }
}

/// v ← v̄·w.
struct Conjugate<'a, T> {
    values: &'a mut [ComplexLanes<T>],
    by: &'a [[T; 2]],
}

impl<T: Real> Wide for Conjugate<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (v, w) in self.values.iter_mut().zip(self.by) {
            *v = mul([v[0], -v[1]], *w);
        }
    }
}

/// One stage from `x` to `y`.
struct Pass<'a, T> {
    x: &'a [ComplexLanes<T>],
    y: &'a mut [ComplexLanes<T>],
    stage: &'a Stage<T>,
}

impl<T: Real> Wide for Pass<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match self.stage.radix {
            2 => self.radix(Two),
            3 => self.radix(Three),
            4 => self.radix(Four),
            5 => self.radix(Five),
            7 => self.radix(Seven),
            _ => self.prime(),
        }
    }
}

impl<T: Real> Pass<'_, T> {
    /// y[q + s(Rg + r)] = w^(gr) Σ_j x[q + s(g + jm)] e^(−2πi jr/R).
    #[inline(always)]
    fn radix<const R: usize, B: Butterfly<R>>(self, _: B) {
        let Stage { groups, stride, twiddles, .. } = self.stage;
        let (part, stride) = (groups * stride, *stride);
        let mut x = [self.x; R];
        for r in 0..R {
            x[r] = &self.x[r * part..][..part];
        }
        let mut y = self.y.chunks_exact_mut(R * stride);
        for g in 0..*groups {
            let Some(y) = y.next() else { return };
            // Read once: the compiler cannot know that writing `y` leaves them alone.
            let mut w = [[T::one(), T::zero()]; R];
            w[1..].copy_from_slice(&twiddles[g * (R - 1)..][..R - 1]);
            for q in 0..stride {
                let mut v = [[Lanes::zero(); 2]; R];
                for r in 0..R {
                    v[r] = x[r][g * stride + q];
                }
                // Lane by lane, which the compiler turns into whole registers; of operations on
                // `Lanes` it makes halves of them here.
                let mut out = [[Lanes::zero(); 2]; R];
                for l in 0..LANES {
                    let mut u = [[T::zero(); 2]; R];
                    for r in 0..R {
                        u[r] = [v[r][0].0[l], v[r][1].0[l]];
                    }
                    B::transform(&mut u);
                    [out[0][0].0[l], out[0][1].0[l]] = u[0];
                    for r in 1..R {
                        let [re, im] = u[r];
                        out[r][0].0[l] = re * w[r][0] - im * w[r][1];
                        out[r][1].0[l] = re * w[r][1] + im * w[r][0];
                    }
                }
                for r in 0..R {
                    y[q + r * stride] = out[r];
                }
            }
        }
    }

    /// The same for a prime R. The sum takes j and R − j together; it is E + O for r and E − O for
    /// R − r, with
    ///
    /// ```text
    /// E = x_0 + Σ_{j<R/2} (x_j + x_(R−j)) cos(2πjr/R),   O = −i Σ_{j<R/2} (x_j − x_(R−j)) sin(2πjr/R)
    /// ```
    #[inline(always)]
    fn prime(self) {
        let Stage { radix, groups, stride, twiddles, roots } = self.stage;
        let (part, half) = (groups * stride, radix / 2);
        let mut sums = [[Lanes::zero(); 2]; HALF];
        let mut differences = [[Lanes::zero(); 2]; HALF];
        let (sums, differences) = (&mut sums[..half], &mut differences[..half]);
        for (g, y) in self.y.chunks_exact_mut(radix * stride).enumerate().take(*groups) {
            let w = &twiddles[g * (radix - 1)..][..radix - 1];
            for q in 0..*stride {
                let from = g * stride + q;
                let first = self.x[from];
                let mut all = first;
                for j in 0..half {
                    let low = self.x[from + (j + 1) * part];
                    let high = self.x[from + (radix - 1 - j) * part];
                    sums[j] = add(low, high);
                    differences[j] = sub(low, high);
                    all = add(all, sums[j]);
                }
                y[q] = all;
                for (r, roots) in roots.chunks_exact(half).enumerate() {
                    let (mut even, mut odd) = (first, [Lanes::zero(); 2]);
                    for ((root, s), d) in roots.iter().zip(&*sums).zip(&*differences) {
                        for l in 0..LANES {
                            even[0].0[l] += s[0].0[l] * root[0];
                            even[1].0[l] += s[1].0[l] * root[0];
                            odd[0].0[l] += d[1].0[l] * root[1];
                            odd[1].0[l] -= d[0].0[l] * root[1];
                        }
                    }
                    y[q + (r + 1) * stride] = mul(add(even, odd), w[r]);
                    let r = radix - 2 - r;
                    y[q + (r + 1) * stride] = mul(sub(even, odd), w[r]);
                }
            }
        }
    }
}

impl<T: Real> Kernel<T> for Fourier<T> {
    fn plan(len: usize) -> Self {
        Self::new(len)
    }

    fn len(&self) -> usize {
        2 * self.len
    }

    fn rows(&self) -> usize {
        self.rows()
    }

    fn scale(&self) -> T {
        T::one() / T::of_usize(self.len)
    }

    fn forward<'a>(&self, buffers: Buffers<'a, T>) -> Buffers<'a, T> {
        self.run(buffers)
    }

    /// With real and imaginary parts exchanged before and after, the transform is the backward one.
    fn backward<'a>(&self, [a, b]: Buffers<'a, T>) -> Buffers<'a, T> {
        exchange(&mut a[..2 * self.len]);
        let [a, b] = self.run([a, b]);
        exchange(&mut a[..2 * self.len]);
        [a, b]
    }
}

fn exchange<T: Real>(values: &mut [Lanes<T>]) {
    for [re, im] in values.as_chunks_mut().0 {
        core::mem::swap(re, im);
    }
}
