//! What happens at a site: populations relax towards equilibrium.
//!
//! ```text
//! BGK, TRT      h⁺ += ω⁺(e⁺ − h⁺)   h⁻ += ω⁻(e⁻ − h⁻)   (h_k ± h_k̄)/2, e as below
//! ν = c_s²(1/ω⁺ − ½)                (1/ω⁺ − ½)(1/ω⁻ − ½) = Λ
//! regularised   A ← (1 − ω)A, all else from ρ, u, A
//! central       the same, but for the trace of A, which is forgotten at once
//! Smagorinsky   τ = ½(τ₀ + √(τ₀² + 18√2 C²|A|/ρ))
//! Guo           ρu = Σch + F/2;  e: momentum ρu + (1/ω⁻ − ½)F,
//!               second moment ρuu + (1/ω⁺ − ½)(uF + Fu)
//! ```
//!
//! In the frame that moves with the fluid a force turns the momentum from −F/2 to F/2 and does
//! nothing else: the regularised collisions come from the frame of Σch/ρ and go to that of
//! (Σch + F)/ρ.
//!
//! References: I. Ginzburg, F. Verhaeghe, D. d'Humières, *Two-relaxation-time lattice Boltzmann
//! scheme*, 2008; Z. Guo, C. Zheng, B. Shi, *Discrete lattice effects on the forcing term in the
//! lattice Boltzmann method*, 2002, <https://doi.org/10.1103/PhysRevE.65.046308>; S. Hou et al.,
//! *A lattice Boltzmann subgrid model for high Reynolds number flows*, 1996,
//! <https://arxiv.org/abs/comp-gas/9401004>.

use core::marker::PhantomData;

use super::expansion::{EVEN, Expansion, Moments, ODD, Tensor, each_pair};
use super::force::Push;
use super::lattice::Lattice;
use super::params::LbmParams;
use crate::Real;
use crate::base::exec::{RingPass, Row};
use crate::base::ring::Arc;

/// How the populations of a site collide.
pub(super) trait Rule<T, L, const D: usize, const Q: usize>: Copy + Sync {
    /// The populations after the collision under the force F, whose parts are 0 unless the rule is
    /// one with forces.
    fn collide(self, h: &mut [T; Q], force: [T; D]);
}

/// The relaxation time of shear, with Smagorinsky's share where there is one.
#[derive(Clone, Copy)]
pub(super) struct Shear<T> {
    /// τ₀.
    pub(super) time: T,
    /// 18√2 C².
    pub(super) eddies: T,
}

impl<T: Real> Shear<T> {
    pub(super) fn of<const D: usize>(params: &LbmParams<T, D>, dx: T) -> Self {
        let c = params.smagorinsky;
        let eddies = T::of(18.0 * core::f64::consts::SQRT_2) * c * c;
        Self { time: params.relaxation_time(dx), eddies }
    }

    /// τ where the deviation of the second moment, over ρ, is `a`.
    #[inline(always)]
    fn time_with<const D: usize>(&self, a: Tensor<T, D>, per_density: T) -> T {
        let mut square = T::zero();
        for i in 0..D {
            for j in i..D {
                let weight = if i == j { T::one() } else { T::of(2.0) };
                square += weight * a[i][j] * a[i][j];
            }
        }
        let share = self.eddies * square.sqrt() * per_density;
        T::of(0.5) * (self.time + (self.time * self.time + share).sqrt())
    }
}

/// BGK and TRT: symmetric and antisymmetric parts relax, each at its rate.
#[derive(Clone, Copy)]
pub(super) struct TwoRates<T, const FORCED: bool, const EDDIES: bool> {
    pub(super) shear: Shear<T>,
    /// Λ; BGK where there is none.
    pub(super) magic: Option<T>,
    /// ω⁺ and ω⁻ without eddies.
    pub(super) rates: [T; 2],
}

impl<T: Real, const FORCED: bool, const EDDIES: bool> TwoRates<T, FORCED, EDDIES> {
    pub(super) fn new(shear: Shear<T>, magic: Option<T>) -> Self {
        let mut rule = Self { shear, magic, rates: [T::zero(); 2] };
        rule.rates = rule.rates_for(shear.time);
        rule
    }

    #[inline(always)]
    fn rates_for(&self, time: T) -> [T; 2] {
        let half = T::of(0.5);
        // At τ = ½ odd parts would never relax; what forces give them needs a rate all the same.
        let slowest = T::of(1e6);
        let odd = self.magic.map_or(time, |magic| half + (magic / (time - half)).at_most(slowest));
        [T::one() / time, T::one() / odd]
    }
}

impl<T, L, const D: usize, const Q: usize, const FORCED: bool, const EDDIES: bool> Rule<T, L, D, Q>
    for TwoRates<T, FORCED, EDDIES>
where
    T: Real,
    L: Lattice<D, Q>,
{
    #[inline(always)]
    fn collide(self, h: &mut [T; Q], force: [T; D]) {
        let half = T::of(0.5);
        let Moments { density, momentum: mut j, flux } = Moments::of::<L, Q, EDDIES>(h);
        let per_density = T::one() / (T::one() + density);
        let mut u = [T::zero(); D];
        for a in 0..D {
            if FORCED {
                j[a] += half * force[a];
            }
            u[a] = j[a] * per_density;
        }
        let mut second = [[T::zero(); D]; D];
        for a in 0..D {
            for b in a..D {
                second[a][b] = j[a] * u[b];
            }
        }
        let mut rates = self.rates;
        if EDDIES {
            let mut deviation = flux;
            for a in 0..D {
                deviation[a][a] -= T::of(1.0 / 3.0) * density;
                for b in a..D {
                    deviation[a][b] -= second[a][b];
                    if FORCED {
                        deviation[a][b] += half * (u[a] * force[b] + u[b] * force[a]);
                    }
                }
            }
            rates = self.rates_for(self.shear.time_with(deviation, per_density));
        }
        if FORCED {
            let [even, odd] = rates.map(|rate| T::one() / rate - half);
            for a in 0..D {
                j[a] += odd * force[a];
                for b in a..D {
                    second[a][b] += even * (u[a] * force[b] + u[b] * force[a]);
                }
            }
        }
        let target = Expansion::second_order(density, j, second);
        let [even, odd] = rates;
        let [sum_kept, difference_kept] = [half - half * even, half - half * odd];
        h[0] = (T::one() - even) * h[0]
            + T::of(EVEN * L::WEIGHTS[0]) * even * target.even::<L, Q, false>(0);
        each_pair!(Q, |K| {
            let w = L::WEIGHTS[K];
            let (sum, difference) = (h[K] + h[K + 1], h[K] - h[K + 1]);
            let sum = sum_kept * sum + T::of(EVEN * w) * even * target.even::<L, Q, false>(K);
            let difference =
                difference_kept * difference + T::of(ODD * w) * odd * target.odd::<L, Q, false>(K);
            h[K] = sum + difference;
            h[K + 1] = sum - difference;
        });
    }
}

/// Recursive regularised and central moments: the populations are made anew from ρ, u and A.
#[derive(Clone, Copy)]
pub(super) struct Regularising<T, const FORCED: bool, const EDDIES: bool> {
    pub(super) shear: Shear<T>,
    /// Whether the trace of A is forgotten at once, or relaxes as the rest of A does.
    pub(super) central: bool,
}

impl<T, L, const D: usize, const Q: usize, const FORCED: bool, const EDDIES: bool> Rule<T, L, D, Q>
    for Regularising<T, FORCED, EDDIES>
where
    T: Real,
    L: Lattice<D, Q>,
{
    #[inline(always)]
    fn collide(self, h: &mut [T; Q], force: [T; D]) {
        let moments = Moments::of::<L, Q, true>(h);
        self.expansion::<L, D, Q>(moments, force).expand::<L, Q, true>(h);
    }
}

impl<T: Real, const FORCED: bool, const EDDIES: bool> Regularising<T, FORCED, EDDIES> {
    /// What populations of these moments become.
    #[inline(always)]
    pub(super) fn expansion<L: Lattice<D, Q>, const D: usize, const Q: usize>(
        self,
        moments: Moments<T, D>,
        force: [T; D],
    ) -> Expansion<T, D> {
        let Moments { density, momentum: mut j, flux: mut a } = moments;
        let per_density = T::one() / (T::one() + density);
        let quarter = T::of(0.25) * per_density;
        let mut u = [T::zero(); D];
        for i in 0..D {
            u[i] = j[i] * per_density;
        }
        let mut trace = T::zero();
        for i in 0..D {
            a[i][i] -= T::of(1.0 / 3.0) * density;
            for l in i..D {
                a[i][l] -= j[i] * u[l];
                if FORCED {
                    a[i][l] += quarter * force[i] * force[l];
                }
            }
            trace += a[i][i];
        }
        let time = if EDDIES { self.shear.time_with(a, per_density) } else { self.shear.time };
        let kept = T::one() - T::one() / time;
        let forgotten = if self.central { T::of(1.0 / D as f64) * trace } else { T::zero() };
        for i in 0..D {
            a[i][i] -= forgotten;
            for l in i..D {
                a[i][l] *= kept;
                if FORCED {
                    a[i][l] -= quarter * force[i] * force[l];
                }
            }
            if FORCED {
                j[i] += force[i];
                u[i] = j[i] * per_density;
            }
        }
        Expansion::fourth_order::<L, Q>(density, j, u, a)
    }
}

/// The number of sites that are worked on at once: all their populations stay in the nearest cache.
pub(super) const BLOCK: usize = 32;

/// What [`BLOCK`] sites have of one kind. Wide moves of it never straddle two cache lines.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Block<T>(pub(super) [T; BLOCK]);

/// Collides the populations of every site of a row.
pub(super) struct Collide<'a, T, R, L, const D: usize> {
    pub(super) rule: R,
    pub(super) push: Push<'a, T, D>,
    pub(super) lattice: PhantomData<L>,
}

impl<T, R, L, const D: usize, const Q: usize> RingPass<T, D, Q> for Collide<'_, T, R, L, D>
where
    T: Real,
    R: Rule<T, L, D, Q>,
    L: Lattice<D, Q>,
{
    #[inline(always)]
    fn row(&self, row: Row<D>, at: usize, arcs: &mut [Arc<'_, T>; Q]) {
        let rule = self.rule;
        let mut block = [Block([T::zero(); BLOCK]); Q];
        let mut force = self.push.uniform.map(|f| Block([f; BLOCK]));
        for start in (0..row.len).step_by(BLOCK) {
            let len = BLOCK.min(row.len - start);
            self.push.fill(row.start + start, len, &mut force);
            // A length that is known when compiling makes the copies a few wide moves.
            for k in 0..Q {
                if len == BLOCK {
                    arcs[k].read(at + start, &mut block[k].0);
                } else {
                    arcs[k].read(at + start, &mut block[k].0[..len]);
                }
            }
            for i in 0..BLOCK {
                let mut h = [T::zero(); Q];
                for k in 0..Q {
                    h[k] = block[k].0[i];
                }
                let mut f = [T::zero(); D];
                for a in 0..D {
                    f[a] = force[a].0[i];
                }
                rule.collide(&mut h, f);
                for k in 0..Q {
                    block[k].0[i] = h[k];
                }
            }
            for k in 0..Q {
                if len == BLOCK {
                    arcs[k].write(at + start, &block[k].0);
                } else {
                    arcs[k].write(at + start, &block[k].0[..len]);
                }
            }
        }
    }
}
