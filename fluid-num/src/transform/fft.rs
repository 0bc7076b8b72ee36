//! The complex Fourier transform of any length.
//!
//! ```text
//! X_k = Σ_n x_n e^(−2πi nk/N)
//! ```
//!
//! Lengths of factors 2, 3, 4, 5 and 7 by the self-sorting mixed-radix form of Stockham: each pass
//! reads one buffer and writes the other, in order, without any bit reversal. Other lengths by
//! Bluestein's chirp: a convolution of the next such length ≥ 2N − 1, about eight times the cost.
//!
//! References: C. Van Loan, *Computational Frameworks for the Fast Fourier Transform*, 1992,
//! <https://doi.org/10.1137/1.9781611970999>; L. I. Bluestein, *A linear filtering approach to the
//! computation of discrete Fourier transform*, 1970, <https://doi.org/10.1109/TAU.1970.1162132>.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::lanes::{ComplexLanes, LANES, Lanes, mul, root_of_unity};
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
}

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

/// The passes for a length without other prime factors than 2, 3, 5 and 7.
fn stages<T: Real>(len: usize) -> Option<Vec<Stage<T>>> {
    let mut stages = Vec::new();
    let (mut rest, mut stride) = (len, 1);
    while rest > 1 {
        let radix = [4, 2, 3, 5, 7].into_iter().find(|r| rest.is_multiple_of(*r))?;
        let groups = rest / radix;
        let twiddle = |i: usize| {
            let (g, r) = (i / (radix - 1), i % (radix - 1) + 1);
            root_of_unity(g * r, rest).map(T::of)
        };
        let twiddles = (0..groups * (radix - 1)).map(twiddle).collect();
        stages.push(Stage { radix, groups, stride, twiddles });
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
            _ => self.radix(Seven),
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
}

/// The transform of `R` values.
trait Butterfly<const R: usize> {
    fn transform<T: Real>(v: &mut [[T; 2]; R]);
}

struct Two;
impl Butterfly<2> for Two {
    #[inline(always)]
    fn transform<T: Real>(v: &mut [[T; 2]; 2]) {
        let [a, b] = *v;
        *v = [plus(a, b), minus(a, b)];
    }
}

struct Three;
impl Butterfly<3> for Three {
    #[inline(always)]
    fn transform<T: Real>(v: &mut [[T; 2]; 3]) {
        let [a, b, c] = *v;
        let (sum, difference) = (plus(b, c), turn(minus(b, c)));
        let even = plus(a, times(sum, T::of(-0.5)));
        let odd = times(difference, T::of(0.866_025_403_784_438_6));
        *v = [plus(a, sum), plus(even, odd), minus(even, odd)];
    }
}

struct Four;
impl Butterfly<4> for Four {
    #[inline(always)]
    fn transform<T: Real>(v: &mut [[T; 2]; 4]) {
        let [a, b, c, d] = *v;
        let (ac, bd) = (plus(a, c), plus(b, d));
        let (even, odd) = (minus(a, c), turn(minus(b, d)));
        *v = [plus(ac, bd), plus(even, odd), minus(ac, bd), minus(even, odd)];
    }
}

/// The cosines and sines of 2π/5 and 4π/5.
const COS5: [f64; 2] = [0.309_016_994_374_947_45, -0.809_016_994_374_947_5];
const SIN5: [f64; 2] = [0.951_056_516_295_153_5, 0.587_785_252_292_473_1];

struct Five;
impl Butterfly<5> for Five {
    #[inline(always)]
    fn transform<T: Real>(v: &mut [[T; 2]; 5]) {
        let [a, b, c, d, e] = *v;
        let sums = [plus(b, e), plus(c, d)];
        let differences = [turn(minus(b, e)), turn(minus(c, d))];
        let ([c1, c2], [s1, s2]) = (COS5.map(T::of), SIN5.map(T::of));
        let even = |x, y| plus(a, plus(times(sums[0], x), times(sums[1], y)));
        let odd = |x, y| plus(times(differences[0], x), times(differences[1], y));
        let (e1, e2) = (even(c1, c2), even(c2, c1));
        let (o1, o2) = (odd(s1, s2), odd(s2, -s1));
        let all = plus(a, plus(sums[0], sums[1]));
        *v = [all, plus(e1, o1), plus(e2, o2), minus(e2, o2), minus(e1, o1)];
    }
}

/// The cosines and sines of 2π/7, 4π/7 and 6π/7.
const COS7: [f64; 3] =
    [0.623_489_801_858_733_5, -0.222_520_933_956_314_4, -0.900_968_867_902_419_1];
const SIN7: [f64; 3] = [0.781_831_482_468_029_8, 0.974_927_912_181_823_6, 0.433_883_739_117_558_1];

struct Seven;
impl Butterfly<7> for Seven {
    #[inline(always)]
    fn transform<T: Real>(v: &mut [[T; 2]; 7]) {
        let a = v[0];
        let sums = [plus(v[1], v[6]), plus(v[2], v[5]), plus(v[3], v[4])];
        let differences = [minus(v[1], v[6]), minus(v[2], v[5]), minus(v[3], v[4])];
        let ([c1, c2, c3], [s1, s2, s3]) = (COS7.map(T::of), SIN7.map(T::of));
        let weigh = |x: [[T; 2]; 3], [p, q, r]: [T; 3]| {
            plus(plus(times(x[0], p), times(x[1], q)), times(x[2], r))
        };
        let even = [[c1, c2, c3], [c2, c3, c1], [c3, c1, c2]];
        let odd = [[s1, s2, s3], [s2, -s3, -s1], [s3, -s1, s2]];
        v[0] = plus(a, plus(sums[0], plus(sums[1], sums[2])));
        for k in 0..3 {
            let e = plus(a, weigh(sums, even[k]));
            let o = turn(weigh(differences, odd[k]));
            v[k + 1] = plus(e, o);
            v[6 - k] = minus(e, o);
        }
    }
}

#[inline(always)]
fn plus<T: Real>(a: [T; 2], b: [T; 2]) -> [T; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

#[inline(always)]
fn minus<T: Real>(a: [T; 2], b: [T; 2]) -> [T; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

#[inline(always)]
fn times<T: Real>(a: [T; 2], factor: T) -> [T; 2] {
    [a[0] * factor, a[1] * factor]
}

#[inline(always)]
fn turn<T: Real>(a: [T; 2]) -> [T; 2] {
    [a[1], -a[0]]
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
