//! Every transform against rustfft and rustdct, and against its own properties.

use alloc::sync::Arc;
use alloc::vec::Vec;

use rustdct::DctPlanner;
use rustfft::{FftPlanner, num_complex::Complex};

use super::plan::Kernel;
use super::*;
use crate::Real;

/// A scalar that the other libraries know.
trait Oracle: Real + rustdct::DctNum {
    /// The largest error relative to the largest value of the outcome. Rounding errors grow with
    /// log N in the root mean square; the largest value of the spectrum of noise is three to four
    /// times that.
    const TOLERANCE: f64;
}

impl Oracle for f32 {
    const TOLERANCE: f64 = 1e-6;
}

impl Oracle for f64 {
    const TOLERANCE: f64 = 1e-14;
}

fn noise<T: Real>(len: usize, seed: usize) -> Vec<T> {
    let mut state = 12345 + 7919 * seed as u32;
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            T::of(f64::from(state >> 8) / f64::from(1 << 23) - 1.0)
        })
        .collect()
}

fn lengths() -> impl Iterator<Item = usize> {
    (1..=260).chain([343, 511, 512, 1009, 1023, 1024, 2187, 4095, 4099])
}

fn difference<T: Real>(ours: &[T], theirs: &[T]) -> f64 {
    let scale = theirs.iter().fold(0.0_f64, |m, v| m.max(v.to_f64().abs()));
    let worst =
        ours.iter().zip(theirs).fold(0.0_f64, |m, (a, b)| m.max((a.to_f64() - b.to_f64()).abs()));
    if scale > 0.0 { worst / scale } else { worst }
}

fn close<T: Oracle>(what: &str, len: usize, ours: &[T], theirs: &[T]) {
    let error = difference(ours, theirs);
    assert!(error <= T::TOLERANCE, "{what} of {len}: {error:e}");
}

/// The oracle in `f64`, rounded: its own error is none of ours in `f32`.
fn expected<T: Real>(values: &[T], oracle: impl FnOnce(&mut Vec<f64>)) -> Vec<T> {
    let mut values: Vec<f64> = values.iter().map(|v| v.to_f64()).collect();
    oracle(&mut values);
    values.into_iter().map(T::of).collect()
}

fn complex(values: &mut Vec<f64>, inverse: bool) {
    let mut z: Vec<_> = values.chunks(2).map(|c| Complex::new(c[0], c[1])).collect();
    let mut planner = FftPlanner::new();
    let fft: Arc<dyn rustfft::Fft<f64>> =
        if inverse { planner.plan_fft_inverse(z.len()) } else { planner.plan_fft_forward(z.len()) };
    fft.process(&mut z);
    *values = z.iter().flat_map(|c| [c.re, c.im]).collect();
}

fn real(values: &mut Vec<f64>) {
    let len = values.len();
    let mut z: Vec<f64> = values.iter().flat_map(|v| [*v, 0.0]).collect();
    complex(&mut z, false);
    *values = core::iter::once(z[0]).chain(z[2..].iter().copied()).take(len).collect();
}

fn check<T: Oracle>() {
    let mut dct = DctPlanner::<f64>::new();
    for n in lengths() {
        let x = noise::<T>(2 * n, n);
        let mut y = x.clone();
        Fft::new(n).unwrap().forward(&mut y).unwrap();
        close("FFT", n, &y, &expected(&x, |v| complex(v, false)));
        let mut y = x.clone();
        Fft::new(n).unwrap().backward(&mut y).unwrap();
        close("backward FFT", n, &y, &expected(&x, |v| complex(v, true)));

        let x = &x[..n];
        let run = |f: &dyn Fn(&mut [T])| {
            let mut y = x.to_vec();
            f(&mut y);
            y
        };
        let y = run(&|y| RealFft::new(n).unwrap().forward(y).unwrap());
        close("real FFT", n, &y, &expected(x, real));
        let y = run(&|y| Dct::new(n).unwrap().forward(y).unwrap());
        close("DCT-II", n, &y, &expected(x, |v| dct.plan_dct2(n).process_dct2(v)));
        let y = run(&|y| Dct::new(n).unwrap().backward(y).unwrap());
        close("DCT-III", n, &y, &expected(x, |v| dct.plan_dct3(n).process_dct3(v)));
        let y = run(&|y| Dct4::new(n).unwrap().forward(y).unwrap());
        close("DCT-IV", n, &y, &expected(x, |v| dct.plan_dct4(n).process_dct4(v)));
        let y = run(&|y| Dst::new(n).unwrap().forward(y).unwrap());
        close("DST-II", n, &y, &expected(x, |v| dct.plan_dst2(n).process_dst2(v)));
        let y = run(&|y| Dst::new(n).unwrap().backward(y).unwrap());
        close("DST-III", n, &y, &expected(x, |v| dct.plan_dst3(n).process_dst3(v)));
        let y = run(&|y| Dst1::new(n).unwrap().forward(y).unwrap());
        close("DST-I", n, &y, &expected(x, |v| dct.plan_dst1(n).process_dst1(v)));
    }
}

#[test]
fn every_transform_equals_that_of_rustdct_in_f64() {
    check::<f64>();
}

#[test]
fn every_transform_equals_that_of_rustdct_in_f32() {
    check::<f32>();
}

fn for_every_plan<T: Oracle>(test: impl Fn(&str, usize, &mut dyn AnyPlan<T>)) {
    for n in lengths() {
        test("FFT", n, &mut Fft::new(n).unwrap());
        test("real FFT", n, &mut RealFft::new(n).unwrap());
        test("DCT", n, &mut Dct::new(n).unwrap());
        test("DCT-IV", n, &mut Dct4::new(n).unwrap());
        test("DST", n, &mut Dst::new(n).unwrap());
        test("DST-I", n, &mut Dst1::new(n).unwrap());
    }
}

/// Any of the plans.
trait AnyPlan<T> {
    fn count(&self) -> usize;
    fn dirty(&mut self, value: T);
    fn run(&mut self, data: &mut [T], lanes: usize, stride: usize, inverse: bool);
}

impl<T: Real, K: Kernel<T>> AnyPlan<T> for Plan<T, K> {
    fn count(&self) -> usize {
        self.rows()
    }
    fn dirty(&mut self, value: T) {
        self.poison(value);
    }
    fn run(&mut self, data: &mut [T], lanes: usize, stride: usize, inverse: bool) {
        let outcome = match inverse {
            true => self.inverse_lanes(data, lanes, stride),
            false => self.forward_lanes(data, lanes, stride),
        };
        outcome.unwrap();
    }
}

fn undone<T: Oracle>() {
    for_every_plan::<T>(|name, n, plan| {
        let x = noise::<T>(plan.count(), n);
        let mut y = x.clone();
        plan.run(&mut y, 1, 1, false);
        plan.run(&mut y, 1, 1, true);
        close(name, n, &y, &x);
    });
}

#[test]
fn an_inverse_undoes_a_transform() {
    undone::<f32>();
    undone::<f64>();
}

#[test]
fn lanes_and_strides_and_dirty_scratch_change_no_bit() {
    for_every_plan::<f32>(|name, n, plan| {
        let (lanes, stride) = (1 + n % 19, 20);
        let rows = plan.count();
        let sequences: Vec<Vec<f32>> = (0..lanes).map(|l| noise(rows, l)).collect();
        let mut array = noise::<f32>(rows * stride, 99);
        let before = array.clone();
        for (l, sequence) in sequences.iter().enumerate() {
            for (r, v) in sequence.iter().enumerate() {
                array[r * stride + l] = *v;
            }
        }
        plan.dirty(f32::NAN);
        plan.run(&mut array, lanes, stride, false);
        for (l, sequence) in sequences.into_iter().enumerate() {
            let mut alone = sequence;
            plan.run(&mut alone, 1, 1, false);
            for (r, v) in alone.iter().enumerate() {
                assert_eq!(v.to_bits(), array[r * stride + l].to_bits(), "{name} {n} {l} {r}");
            }
        }
        for r in 0..rows {
            assert_eq!(
                array[r * stride + lanes..][..stride - lanes],
                before[r * stride + lanes..][..stride - lanes]
            );
        }
    });
}

#[test]
fn a_half_wave_has_one_coefficient() {
    let mut wave: Vec<f64> =
        (1..8).map(|j| libm::sin(f64::from(j) * core::f64::consts::PI / 8.0)).collect();
    Dst1::new(7).unwrap().forward(&mut wave).unwrap();
    assert!((wave[0] - 4.0).abs() < 1e-12);
    assert!(wave[1..].iter().all(|f| f.abs() <= 1e-12), "{wave:?}");
}

#[test]
fn wrong_sizes_are_refused() {
    assert!(Fft::<f32>::new(0).is_err());
    let mut plan = Dct::<f64>::new(4).unwrap();
    assert!(plan.forward(&mut [0.0; 5]).is_err());
    assert!(plan.forward_lanes(&mut [0.0; 8], 2, 2).is_ok());
    assert!(plan.forward_lanes(&mut [0.0; 7], 2, 2).is_err());
    assert!(plan.forward_lanes(&mut [0.0; 8], 3, 2).is_err());
    assert!(plan.forward_lanes(&mut [0.0; 8], 2, usize::MAX).is_err());
}
