//! Populations as polynomials of their velocity, and the moments they are made from.
//!
//! Populations are stored as deviations from the fluid at rest of density 1: h_k = f_k − w_k. All
//! here is in lattice units: cells, steps, and the density of the fluid at rest.
//!
//! ```text
//! h_k = w_k Σ_n H⁽ⁿ⁾(c_k) : a⁽ⁿ⁾ / (n! c_s²ⁿ)         Hermite polynomials H, moments a
//! a⁽⁰⁾ = δρ   a⁽¹⁾ = ρu   a⁽²⁾ = ρuu + A
//! a⁽³⁾ = ρuuu + (uA + uA + uA)   a⁽⁴⁾ = ρuuuu + (uuA + five more)
//! ```
//!
//! A is what the second moment deviates from equilibrium. The higher moments follow from it where
//! the deviation has none in the frame that moves with u: that is both the recursive
//! regularisation and the collision of central moments (Coreixas et al. 2019), on D2Q9 with all that
//! the lattice holds, on D3Q27 to the fourth order, on D3Q19 to the third.
//!
//! References: O. Malaspinas, *Increasing stability and accuracy of the lattice Boltzmann scheme:
//! recursivity and regularization*, 2015, <https://arxiv.org/abs/1505.06900>; C. Coreixas, B.
//! Chopard, J. Latt, *Comprehensive comparison of collision models in the lattice Boltzmann
//! framework*, 2019, <https://doi.org/10.1103/PhysRevE.100.033305>; J. Jacob, O. Malaspinas, P.
//! Sagaut, *A new hybrid recursive regularised Bhatnagar–Gross–Krook collision model*, 2018,
//! <https://doi.org/10.1080/14685248.2018.1540879> (third moments on D3Q19).

use super::lattice::Lattice;
use crate::Real;

/// Runs the body for k = 1, 3, 5, … below `Q`, each a constant: what depends on the velocities
/// alone is decided when compiling.
macro_rules! each_pair {
    ($q:ident, |$k:ident| $body:block) => {
        each_pair!(@ $q $k $body 1 3 5 7 9 11 13 15 17 19 21 23 25)
    };
    (@ $q:ident $k:ident $body:block $($n:literal)*) => {
        $(if $n < $q {
            const $k: usize = $n;
            $body
        })*
    };
}
pub(super) use each_pair;

/// Runs the body for every axis below `D`, each a constant: loops with conditions on the velocities
/// are not always unrolled before lanes are made.
macro_rules! each_axis {
    ($d:ident, |$a:ident| $body:block) => {
        each_axis!(@ $d $a $body 0 1 2)
    };
    (@ $d:ident $a:ident $body:block $($n:literal)*) => {
        $(if $n < $d {
            const $a: usize = $n;
            $body
        })*
    };
}

/// A symmetric tensor; the entries [a][b] with a ≤ b count.
pub(super) type Tensor<T, const D: usize> = [[T; D]; D];

/// Σh, Σch and Σcch.
#[derive(Clone, Copy)]
pub(super) struct Moments<T, const D: usize> {
    /// δρ.
    pub(super) density: T,
    /// Σch: ρu before the first half of a force.
    pub(super) momentum: [T; D],
    /// Filled where asked for.
    pub(super) flux: Tensor<T, D>,
}

impl<T: Real, const D: usize> Moments<T, D> {
    /// The moments of the populations `h`, the second ones where `SECOND`.
    #[inline(always)]
    #[allow(clippy::absurd_extreme_comparisons, reason = "axes are counted by a macro, from 0 on")]
    pub(super) fn of<L: Lattice<D, Q>, const Q: usize, const SECOND: bool>(h: &[T; Q]) -> Self {
        let mut density = h[0];
        let mut momentum = [T::zero(); D];
        let mut flux = [[T::zero(); D]; D];
        each_pair!(Q, |K| {
            let c = L::VELOCITIES[K];
            let (sum, difference) = (h[K] + h[K + 1], h[K] - h[K + 1]);
            density += sum;
            each_axis!(D, |A| {
                add_signed(&mut momentum[A], c[A], difference);
                each_axis!(D, |B| {
                    if SECOND && A <= B {
                        add_signed(&mut flux[A][B], c[A] * c[B], sum);
                    }
                });
            });
        });
        Self { density, momentum, flux }
    }

    /// ρu = Σch + F/2.
    pub(super) fn momentum(&self, force: [T; D]) -> [T; D] {
        core::array::from_fn(|a| self.momentum[a] + T::of(0.5) * force[a])
    }

    /// u = (Σch + F/2)/ρ.
    #[inline(always)]
    pub(super) fn velocity(&self, force: [T; D]) -> [T; D] {
        let per_density = T::one() / (T::one() + self.density);
        let mut u = [T::zero(); D];
        for a in 0..D {
            u[a] = (self.momentum[a] + T::of(0.5) * force[a]) * per_density;
        }
        u
    }

    /// How far the second moment is from that of equilibrium under a force, of which half is yet to
    /// come.
    pub(super) fn deviation(&self, force: [T; D]) -> Tensor<T, D> {
        let (u, rho) = (self.velocity(force), T::one() + self.density);
        let mut deviation = self.flux;
        for a in 0..D {
            deviation[a][a] -= T::of(1.0 / 3.0) * self.density;
            for b in a..D {
                let pushed = T::of(0.5) * (u[a] * force[b] + u[b] * force[a]);
                deviation[a][b] -= rho * u[a] * u[b] - pushed;
            }
        }
        deviation
    }
}

/// ±value.
#[inline(always)]
fn signed<T: Real>(sign: i8, value: T) -> T {
    if sign < 0 { -value } else { value }
}

/// x += sign·value, for a sign known when compiling.
#[inline(always)]
fn add_signed<T: Real>(x: &mut T, sign: i8, value: T) {
    match sign {
        1 => *x += value,
        -1 => *x -= value,
        _ => {}
    }
}

/// What the even part of an [`Expansion`] is to be multiplied with.
pub(super) const EVEN: f64 = 4.5;
/// What its odd part is to be multiplied with.
pub(super) const ODD: f64 = 3.0;

/// The polynomial whose value at c_k, times w_k, is h_k; c⁰ = 1, c³ = c. Coefficients of even terms
/// are kept over 9/2 and those of odd ones over 3, where most need no factor of their own.
#[derive(Clone, Copy)]
pub(super) struct Expansion<T, const D: usize> {
    constant: T,
    /// Of c_a.
    linear: [T; D],
    /// Of c_a².
    square: [T; D],
    /// Of c_a c_b, a < b.
    mixed: Tensor<T, D>,
    /// Of c_a² c_b, a ≠ b.
    cubic: [[T; D]; D],
    /// Of c_x c_y c_z.
    triple: T,
    /// Of c_a² c_b², a < b.
    biquadratic: Tensor<T, D>,
    /// Of c_a² c_b c_c, all different.
    quartic: [T; D],
}

impl<T: Real, const D: usize> Expansion<T, D> {
    /// To second order: δρ, the momentum and the second Hermite moment.
    #[inline(always)]
    pub(super) fn second_order(density: T, momentum: [T; D], second: Tensor<T, D>) -> Self {
        let zero = T::zero();
        let mut p = Self {
            constant: T::of(1.0 / EVEN) * density,
            linear: momentum,
            square: [zero; D],
            mixed: [[zero; D]; D],
            cubic: [[zero; D]; D],
            triple: zero,
            biquadratic: [[zero; D]; D],
            quartic: [zero; D],
        };
        let mut trace = second[0][0];
        for a in 0..D {
            p.square[a] = second[a][a];
            if a > 0 {
                trace += second[a][a];
            }
            for b in a + 1..D {
                p.mixed[a][b] = second[a][b] + second[a][b];
            }
        }
        p.constant -= T::of(1.5 / EVEN) * trace;
        p
    }

    /// To fourth order (on D3Q19 to the third): δρ, the momentum ρu, u, and the deviation A of the
    /// second moment from ρuu.
    #[inline(always)]
    pub(super) fn fourth_order<L: Lattice<D, Q>, const Q: usize>(
        density: T,
        momentum: [T; D],
        u: [T; D],
        deviation: Tensor<T, D>,
    ) -> Self {
        let two = T::of(2.0);
        let third = T::of(1.0 / 3.0);
        let mut second = deviation;
        for a in 0..D {
            for b in a..D {
                second[a][b] += momentum[a] * u[b];
            }
        }
        let at = |a: usize, b: usize| if a < b { deviation[a][b] } else { deviation[b][a] };
        let mut p = Self::second_order(density, momentum, second);
        // a_aab
        let mut cubic = [[T::zero(); D]; D];
        for a in 0..D {
            for b in 0..D {
                if a != b {
                    cubic[a][b] = u[b] * second[a][a] + two * u[a] * at(a, b);
                }
            }
        }
        let [own, other] = L::THIRD;
        for a in 0..D {
            for b in 0..D {
                if a != b {
                    p.cubic[a][b] = T::of(own / ODD) * cubic[a][b];
                    if D == 3 && other != 0.0 {
                        p.cubic[a][b] += T::of(other / ODD) * cubic[3 - a - b][b];
                    }
                    p.linear[b] -= third * p.cubic[a][b];
                }
            }
        }
        if Q == 19 {
            return p;
        }
        for a in 0..D {
            for b in a + 1..D {
                let fourth = u[b] * cubic[a][b]
                    + u[a] * (u[a] * deviation[b][b] + two * u[b] * deviation[a][b]);
                p.biquadratic[a][b] = T::of(20.25 / EVEN) * fourth;
                p.square[a] -= third * p.biquadratic[a][b];
                p.square[b] -= third * p.biquadratic[a][b];
                p.constant += T::of(1.0 / 9.0) * p.biquadratic[a][b];
            }
        }
        if D == 3 {
            let xyz = u[2] * second[0][1] + u[0] * at(1, 2) + u[1] * at(0, 2);
            p.triple = T::of(27.0 / ODD) * xyz;
            each_axis!(D, |A| {
                let [b, c] = [[1, 2], [0, 2], [0, 1]][A];
                let fourth = u[c] * cubic[A][b] + u[A] * (two * u[b] * at(A, c) + u[A] * at(b, c));
                p.quartic[A] = T::of(40.5 / EVEN) * fourth;
                p.mixed[b][c] -= third * p.quartic[A];
            });
        }
        p
    }

    /// The part that is the same for the velocity number `k` and its opposite, over [`EVEN`].
    #[inline(always)]
    #[allow(clippy::absurd_extreme_comparisons, reason = "axes are counted by a macro, from 0 on")]
    pub(super) fn even<L: Lattice<D, Q>, const Q: usize, const HIGH: bool>(&self, k: usize) -> T {
        let c = L::VELOCITIES[k];
        let mut sum = self.constant;
        each_axis!(D, |A| {
            if c[A] != 0 {
                sum += self.square[A];
            }
        });
        each_axis!(D, |A| {
            each_axis!(D, |B| {
                if A < B && c[A] * c[B] != 0 {
                    let mut mixed = self.mixed[A][B];
                    if HIGH && Q != 19 {
                        sum += self.biquadratic[A][B];
                        if D == 3 && c[3 - A - B] != 0 {
                            mixed += self.quartic[3 - A - B];
                        }
                    }
                    add_signed(&mut sum, c[A] * c[B], mixed);
                }
            });
        });
        sum
    }

    /// The part that has the other sign for the opposite velocity, over [`ODD`].
    #[inline(always)]
    pub(super) fn odd<L: Lattice<D, Q>, const Q: usize, const HIGH: bool>(&self, k: usize) -> T {
        let c = L::VELOCITIES[k];
        let mut sum = None;
        each_axis!(D, |B| {
            if c[B] != 0 {
                let mut slope = self.linear[B];
                each_axis!(D, |A| {
                    if HIGH && A != B && c[A] != 0 {
                        slope += self.cubic[A][B];
                    }
                });
                sum = Some(match sum {
                    None => signed(c[B], slope),
                    Some(sum) => sum + signed(c[B], slope),
                });
            }
        });
        let mut sum = sum.unwrap_or(T::zero());
        if HIGH && D == 3 && Q != 19 {
            add_signed(&mut sum, c[0] * c[1] * c[D - 1], self.triple);
        }
        sum
    }

    /// Sets all populations.
    #[inline(always)]
    pub(super) fn expand<L: Lattice<D, Q>, const Q: usize, const HIGH: bool>(
        &self,
        h: &mut [T; Q],
    ) {
        h[0] = T::of(EVEN * L::WEIGHTS[0]) * self.constant;
        each_pair!(Q, |K| {
            let w = L::WEIGHTS[K];
            let even = T::of(EVEN * w) * self.even::<L, Q, HIGH>(K);
            let odd = T::of(ODD * w) * self.odd::<L, Q, HIGH>(K);
            h[K] = even + odd;
            h[K + 1] = even - odd;
        });
    }
}
