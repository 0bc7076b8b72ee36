//! Reading the wind anywhere.
//!
//! ```text
//! u(x) = A + s(x) · d(x)        A ambient wind, d the field's difference from it, trilinear
//! s = Π_a r(distance from the nearer side along a / margin),   r(t) = t²(3 − 2t), cut to 0…1
//! ```

use super::Wind;
use super::passes::{Packed, Steepness, lane, read};
use crate::base::error::check;
use crate::base::exec::{self, ChunkPass};
use crate::{Error, Real};

/// The number of positions that are located together, so that the arithmetic fills the lanes.
const BLOCK: usize = 64;

/// Where positions lie in the field.
struct Places<T, const D: usize, const N: usize> {
    index: [i32; N],
    fraction: [[T; N]; D],
    /// r along each axis.
    share: [[T; N]; D],
}

impl<T: Real, const D: usize, const N: usize> Places<T, D, N> {
    /// s.
    #[inline(always)]
    fn share(&self, n: usize) -> T {
        let mut share = T::one();
        for a in 0..D {
            share *= self.share[a][n];
        }
        share
    }
}

impl<T: Real, const D: usize> Wind<T, D> {
    /// The wind at a position, m/s. Far away, and where a coordinate is not a number, the ambient
    /// wind.
    ///
    /// Off the margins a place in the world gives the same bits wherever the volume is, but for
    /// gusts, whose waves are tabulated from its corner on: they differ in their last digits.
    #[inline]
    pub fn sample(&self, position: [T; D]) -> [T; D] {
        let packed = self.at(&self.locate(&position.map(|x| [x])), 0);
        let mut wind = [T::zero(); D];
        wind.copy_from_slice(&packed[..D]);
        wind
    }

    /// Locates positions. Those outside, and those that are no numbers, come to lie on the side, where
    /// nothing is left of the field.
    #[inline(always)]
    fn locate<const N: usize>(&self, positions: &[[T; N]; D]) -> Places<T, D, N> {
        let (zero, half) = (T::zero(), T::of(0.5));
        let mut places = Places { index: [0; N], fraction: [[zero; N]; D], share: [[zero; N]; D] };
        let (per_dx, per_margin) = (self.per_dx, self.per_margin);
        for a in 0..D {
            let (first, size) = (self.first[a], self.size[a]);
            let (last, corner) = (first + size, self.corner[a] as i32);
            let stride = self.grid.strides()[a] as i32;
            let positions = &positions[a];
            let (fraction, share) = (&mut places.fraction[a], &mut places.share[a]);
            for n in 0..N {
                // In the world, so that a fraction is the same wherever the volume is.
                let x = (positions[n] * per_dx).at_least(first).at_most(last);
                let base = (x + half).floor_index();
                fraction[n] = x + half - T::of_index(base);
                places.index[n] += (base - corner) * stride;
                share[n] = rise((x - first).at_most(last - x) * per_margin);
            }
        }
        places
    }

    /// The wind at place `n`.
    #[inline(always)]
    fn at<const N: usize>(&self, places: &Places<T, D, N>, n: usize) -> Packed<T> {
        let index = places.index[n] as usize;
        let d = read(&self.view, self.grid.strides(), index, lane(&places.fraction, n));
        let (share, mut wind) = (places.share(n), [T::zero(); 4]);
        wind[..D].copy_from_slice(&self.params.ambient);
        for k in 0..4 {
            wind[k] += share * d[k];
        }
        wind
    }

    /// The wind at many positions, given and written axis by axis: bit for bit what [`Self::sample`]
    /// gives, on every core.
    ///
    /// # Errors
    /// [`Error::WrongCount`] where arrays differ in length; nothing is written then.
    pub fn sample_all(&self, positions: [&[T]; D], out: [&mut [T]; D]) -> Result<(), Error> {
        let count = positions[0].len();
        for len in positions.iter().map(|p| p.len()).chain(out.iter().map(|o| o.len())) {
            if len != count {
                let expected = "as many entries as the first axis of the positions";
                return Err(Error::WrongCount {
                    name: "an array of samples",
                    count: len,
                    expected,
                });
            }
        }
        exec::chunks(out, &Sample { wind: self, positions });
        Ok(())
    }

    /// ∂u_c/∂x_a as entry a of row c, 1/s: the slope of what [`Self::sample`] gives, within a cell.
    #[inline]
    pub fn gradient(&self, position: [T; D]) -> [[T; D]; D] {
        let places = self.locate(&position.map(|x| [x]));
        let (index, fraction) = (places.index[0] as usize, lane(&places.fraction, 0));
        let (strides, one) = (self.grid.strides(), T::one());
        let d = read(&self.view, strides, index, fraction);
        let mut gradient = [[T::zero(); D]; D];
        for a in 0..D {
            // A linear interpolant's slope along an axis is the difference of its two ends.
            let [mut lower, mut upper] = [fraction; 2];
            (lower[a], upper[a]) = (T::zero(), one);
            let lower = read(&self.view, strides, index, lower);
            let upper = read(&self.view, strides, index, upper);
            // r' = 6t(1 − t), away from the nearer side.
            let x = (position[a] * self.per_dx - self.first[a]).at_least(T::zero());
            let rest = self.size[a] - x;
            let t = (x.at_most(rest).at_least(T::zero()) * self.per_margin).at_most(one);
            let sign = if x < rest { self.per_margin } else { -self.per_margin };
            let mut slope = sign * T::of(6.0) * t * (one - t);
            for b in (0..D).filter(|b| *b != a) {
                slope *= places.share[b][0];
            }
            for c in 0..D {
                gradient[c][a] =
                    (places.share(0) * (upper[c] - lower[c]) + slope * d[c]) * self.per_dx;
            }
        }
        gradient
    }

    /// The gradients at many positions, which are given axis by axis: bit for bit what
    /// [`Self::gradient`] gives, on every core.
    ///
    /// # Errors
    /// [`Error::WrongCount`] where arrays differ in length; nothing is written then.
    pub fn gradient_all(&self, positions: [&[T]; D], out: &mut [[[T; D]; D]]) -> Result<(), Error> {
        if let Some(positions) = positions.iter().find(|p| p.len() != out.len()) {
            let (count, expected) = (positions.len(), "as many entries as there are gradients");
            return Err(Error::WrongCount { name: "an array of positions", count, expected });
        }
        exec::chunks([out], &Gradients { wind: self, positions });
        Ok(())
    }

    /// Moves tracers along the wind of this moment for `dt` seconds, and gives the number of sub-steps:
    /// fourth-order Runge–Kutta, of steps in which the wind neither carries further than half a cell
    /// nor turns by more than a fifth, at most 1000. Tracers whose place is not finite stay.
    ///
    /// Every call looks through the volume for the steepest place first, which takes as long as some
    /// thousand samples: hand over all tracers at once.
    ///
    /// # Errors
    /// [`Error::InvalidTimeStep`]; [`Error::WrongCount`] where arrays differ in length.
    pub fn carry(&self, positions: [&mut [T]; D], dt: T) -> Result<usize, Error> {
        check::time_step(dt)?;
        let count = positions[0].len();
        for positions in &positions {
            if positions.len() != count {
                let (count, expected) = (positions.len(), "as many entries as the first axis");
                return Err(Error::WrongCount { name: "an array of positions", count, expected });
            }
        }
        let wanted = (dt * self.fastest_change()).ceil().at_least(T::one());
        let steps = wanted.at_most(T::of(1000.0)).truncate().max(1) as usize;
        exec::chunks(positions, &Carry { wind: self, dt: dt / T::of_usize(steps), steps });
        Ok(steps)
    }

    /// How many sub-steps a second of [`Self::carry`] needs.
    fn fastest_change(&self) -> T {
        let speed = self.params.ambient.iter().fold(self.max_speed, |s, a| s.worst(a.magnitude()));
        let across = T::of_usize(D);
        (speed * T::of(2.0)).at_least(self.steepest() * across * T::of(5.0)) * self.per_dx
    }

    /// A bound of the slopes that are sampled, m/s for every cell.
    pub(super) fn steepest(&self) -> T {
        let (region, margin) = (self.grid.interior(), self.params.margin);
        let pass = Steepness { view: &self.view, region, margin };
        let [difference, beside] = exec::reduce(&region, &pass).unwrap_or([T::zero(); 2]);
        // The slope of a margin's share is at most 1.5/margin.
        difference + T::of(1.5) * self.per_margin * beside
    }
}

/// r.
#[inline(always)]
pub(super) fn rise<T: Real>(t: T) -> T {
    let t = t.at_most(T::one());
    t * t * (T::of(3.0) - (t + t))
}

struct Sample<'a, T, const D: usize> {
    wind: &'a Wind<T, D>,
    positions: [&'a [T]; D],
}

impl<T: Real, const D: usize> ChunkPass<T, D> for Sample<'_, T, D> {
    const GRAIN: usize = 1024;

    #[inline(always)]
    fn chunk(&self, first: usize, out: [&mut [T]; D]) {
        let len = out[0].len();
        let positions = self.positions.map(|p| &p[first..first + len]);
        let mut block = [[T::zero(); BLOCK]; D];
        let mut packed = [[T::zero(); 4]; BLOCK];
        for first in (0..len).step_by(BLOCK) {
            let count = (len - first).min(BLOCK);
            for a in 0..D {
                block[a][..count].copy_from_slice(&positions[a][first..first + count]);
            }
            let places = self.wind.locate(&block);
            // Whole vectors first: of parts the lanes would not be filled.
            for n in 0..count {
                packed[n] = self.wind.at(&places, n);
            }
            for a in 0..D {
                let out = &mut out[a][first..first + count];
                for n in 0..count {
                    out[n] = packed[n][a];
                }
            }
        }
    }
}

struct Gradients<'a, T, const D: usize> {
    wind: &'a Wind<T, D>,
    positions: [&'a [T]; D],
}

impl<T: Real, const D: usize> ChunkPass<[[T; D]; D], 1> for Gradients<'_, T, D> {
    const GRAIN: usize = 256;

    #[inline(always)]
    fn chunk(&self, first: usize, [out]: [&mut [[[T; D]; D]]; 1]) {
        for (n, out) in out.iter_mut().enumerate() {
            let mut position = [T::zero(); D];
            for a in 0..D {
                position[a] = self.positions[a][first + n];
            }
            *out = self.wind.gradient(position);
        }
    }
}

struct Carry<'a, T, const D: usize> {
    wind: &'a Wind<T, D>,
    dt: T,
    steps: usize,
}

impl<T: Real, const D: usize> Carry<'_, T, D> {
    /// x + Δt·k.
    #[inline(always)]
    fn ahead(x: [T; D], k: [T; D], dt: T) -> [T; D] {
        let mut ahead = x;
        for a in 0..D {
            ahead[a] += dt * k[a];
        }
        ahead
    }
}

impl<T: Real, const D: usize> ChunkPass<T, D> for Carry<'_, T, D> {
    const GRAIN: usize = 256;

    #[inline(always)]
    fn chunk(&self, _: usize, positions: [&mut [T]; D]) {
        let (dt, half, sixth) = (self.dt, self.dt * T::of(0.5), self.dt * T::of(1.0 / 6.0));
        for n in 0..positions[0].len() {
            let mut x = [T::zero(); D];
            for a in 0..D {
                x[a] = positions[a][n];
            }
            if !x.iter().all(|x| x.is_finite()) {
                continue;
            }
            for _ in 0..self.steps {
                let k1 = self.wind.sample(x);
                let k2 = self.wind.sample(Self::ahead(x, k1, half));
                let k3 = self.wind.sample(Self::ahead(x, k2, half));
                let k4 = self.wind.sample(Self::ahead(x, k3, dt));
                for a in 0..D {
                    x[a] += sixth * ((k1[a] + k4[a]) + (k2[a] + k3[a]) * T::of(2.0));
                }
            }
            for a in 0..D {
                positions[a][n] = x[a];
            }
        }
    }
}
