//! The transforms of 2, 3, 4, 5 and 7 values that the passes of [`super::fft`] are made of.

use crate::Real;

/// The transform of `R` values.
pub(super) trait Butterfly<const R: usize> {
    fn transform<T: Real>(v: &mut [[T; 2]; R]);
}

pub(super) struct Two;
impl Butterfly<2> for Two {
    #[inline(always)]
    fn transform<T: Real>(v: &mut [[T; 2]; 2]) {
        let [a, b] = *v;
        *v = [plus(a, b), minus(a, b)];
    }
}

pub(super) struct Three;
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

pub(super) struct Four;
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

pub(super) struct Five;
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

pub(super) struct Seven;
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
