//! Fourier, sine and cosine transforms of any length, of many sequences at once.
//!
//! | plan | forward | backward | rows of an array |
//! |---|---|---|---|
//! | [`Fft`] | complex Fourier | the same with e^(+…) | 2N: Re x_0, Im x_0, Re x_1, … |
//! | [`RealFft`] | real Fourier | its inverse times N | N: Re X_0, Re X_1, Im X_1, Re X_2, … |
//! | [`Dct`] | DCT-II | DCT-III | N |
//! | [`Dct4`] | DCT-IV | DCT-IV | N |
//! | [`Dst`] | DST-II | DST-III | N |
//! | [`Dst1`] | DST-I | DST-I | N |
//!
//! **Normalisation.** Neither forward nor backward transforms are scaled; an inverse is the backward
//! transform scaled so that it undoes the forward one. The formulae stand in [`fft`], [`cosine`]
//! and [`sine`]:
//!
//! ```text
//! DST-II   S_k = Σ_n x_n sin(π (k + 1)(2n + 1)/2N)
//! DST-III  x_n = (−1)ⁿ S_(N−1)/2 + Σ_{k<N−1} S_k sin(π (k + 1)(2n + 1)/2N)
//! ```
//!
//! **Order.** All input and output is in natural order, lowest frequency first; the spectrum of
//! real values is packed as FFTPACK does, the last row of an even N being X_(N/2).
//!
//! **Lanes.** The transform goes along the rows of an array `[rows][lanes]`, eight lanes at a time,
//! so that every arithmetic operation is one on neighbouring values. One sequence alone is an array
//! with one lane: it costs as much as eight.
//!
//! **Cost.** N log N for lengths of factors 2, 3, 5 and 7, two to three times that with factors of
//! 11 to 31, for others about eight times ([`fft`]). Even lengths of real transforms (of DST-I: N + 1 even) cost half of odd ones.
//!
//! ```
//! use fluid_num::transform::{Dst1, Fft};
//! let mut wave: Vec<f64> = (1..8).map(|j| (f64::from(j) * std::f64::consts::PI / 8.0).sin()).collect();
//! Dst1::new(7)?.forward(&mut wave)?;
//! assert!((wave[0] - 4.0).abs() < 1e-12 && wave[1..].iter().all(|f| f.abs() < 1e-12));
//!
//! let mut values = [1.0_f32, 0.0, 0.0, 0.0, 0.0, 0.0]; // 1, 0, 0
//! Fft::new(3)?.forward(&mut values)?;
//! assert_eq!(values, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
//! # Ok::<(), fluid_num::Error>(())
//! ```

mod butterfly;
pub mod cosine;
pub mod fft;
pub mod lanes;
pub mod plan;
pub mod real;
pub mod sine;

pub use plan::Plan;

/// The complex Fourier transform.
pub type Fft<T> = Plan<T, fft::Fourier<T>>;
/// The Fourier transform of real values.
pub type RealFft<T> = Plan<T, real::RealFourier<T>>;
/// The cosine transforms II and III.
pub type Dct<T> = Plan<T, cosine::Cosine<T, false>>;
/// The cosine transform IV.
pub type Dct4<T> = Plan<T, cosine::Cosine4<T>>;
/// The sine transforms II and III.
pub type Dst<T> = Plan<T, cosine::Cosine<T, true>>;
/// The sine transform I.
pub type Dst1<T> = Plan<T, sine::Sine1<T>>;

#[cfg(test)]
mod tests;
