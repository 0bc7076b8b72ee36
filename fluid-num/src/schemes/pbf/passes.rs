//! The sums of position-based fluids.

use crate::Real;
use crate::base::exec::ChunkPass;
use crate::particles::at;
use crate::particles::kernel::{Kernel, over_lattice};
use crate::particles::liquid::{GRAIN, Liquid, Matter};
use crate::particles::neighbors::LANES;
use crate::particles::pairs::{BATCH, Separations, add_along, blocks, blocks_mut, gather, total};

/// What a lattice at rest says of a liquid: the units of the parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale<T> {
    /// m/ρ₀, the volume of a particle.
    pub(super) volume: T,
    /// Σ_k |∇_k C|² of a particle inside a lattice.
    pub(super) squares: T,
    /// W at a fifth of the support radius: the distance that the tensile correction keeps.
    pub(super) kept: T,
}

impl<T: Real> Scale<T> {
    pub(super) fn new<const D: usize>(liquid: &Liquid<T, D>) -> Self {
        let volume = liquid.mass / liquid.matter.rest_density;
        let Matter { spacing, support_ratio, .. } = liquid.matter;
        let mut squares = T::zero();
        over_lattice::<T, D>(support_ratio, spacing, |r| {
            let slope = volume * liquid.kernel.gradient(r) * r;
            squares += slope * slope;
        });
        let support = liquid.matter.support_radius();
        Self { volume, squares, kept: liquid.kernel.value(support * T::of(0.2)) }
    }
}

/// λ_i = −C_i/(Σ_k |∇_k C_i|² + ε) of C_i = ρ_i/ρ₀ − 1 where that is positive, and ρ_i/ρ₀.
///
/// ∇_j C_i = −(m/ρ₀)∇W for a neighbour, and for i itself the sum of what all others and the solids
/// contribute. Solids do not move, so they have no term of their own.
pub(super) struct Multipliers<'a, T, const D: usize> {
    pub(super) liquid: &'a Liquid<T, D>,
    pub(super) scale: Scale<T>,
    pub(super) relaxation: T,
}

impl<T: Real, const D: usize> ChunkPass<T, 2> for Multipliers<'_, T, D> {
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn chunk(&self, first: usize, [lambda, ratio]: [&mut [T]; 2]) {
        let Liquid { kernel, walls, samples, neighbors, .. } = self.liquid;
        let Scale { volume, squares, .. } = self.scale;
        let epsilon = self.relaxation * squares;
        let position = self.liquid.particles.position_arrays();
        let mut near = Separations::new(neighbors, position);
        let mut slope = [T::zero(); BATCH];
        for n in 0..lambda.len() {
            let i = first + n;
            let x = at(position, i);
            let (mut sum, mut square) = ([T::zero(); LANES], [T::zero(); LANES]);
            let mut along = [[T::zero(); LANES]; D];
            for batch in near.batches(i) {
                near.load(i, x, batch);
                for b in 0..near.lanes / LANES {
                    let squared = &blocks(&near.squared, near.lanes)[b];
                    let slope = &mut blocks_mut(&mut slope, near.lanes)[b];
                    for k in 0..LANES {
                        let r = squared[k].sqrt();
                        sum[k] += kernel.value(r);
                        slope[k] = kernel.gradient(r);
                    }
                    for k in 0..LANES {
                        square[k] += slope[k] * slope[k] * squared[k];
                    }
                }
                add_along(&mut along, &slope, &near);
            }
            let mut density = volume * (total(&sum) + kernel.at_zero());
            let mut own = [T::zero(); D];
            for a in 0..D {
                own[a] = volume * total(&along[a]);
            }
            if let Some(wall) = walls.filling(x) {
                density += wall.lambda;
                let gradient = wall.gradient();
                for a in 0..D {
                    own[a] += gradient[a];
                }
            }
            for sample in samples.near(i, x) {
                density += sample.volume * kernel.value(sample.distance);
                let slope = sample.volume * kernel.gradient(sample.distance);
                for a in 0..D {
                    own[a] += slope * sample.offset[a];
                }
            }
            let mut all = volume * volume * total(&square) + epsilon;
            for own in own {
                all += own * own;
            }
            // Without excess there may be nothing to divide by either.
            let deficit = T::one() - density;
            lambda[n] = if deficit < T::zero() { deficit / all } else { T::zero() };
            ratio[n] = density;
        }
    }
}

/// Δx_i = (m/ρ₀) Σ_j (λ_i + λ_j + s) ∇W, s = −k (W/W(Δq))⁴, and λ_i ∇C for what solids contribute.
pub(super) struct Corrections<'a, T, const D: usize> {
    pub(super) liquid: &'a Liquid<T, D>,
    pub(super) scale: Scale<T>,
    pub(super) tensile: T,
    pub(super) lambda: &'a [T],
}

impl<T: Real, const D: usize> ChunkPass<T, D> for Corrections<'_, T, D> {
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn chunk(&self, first: usize, out: [&mut [T]; D]) {
        let Self { lambda, .. } = self;
        let Liquid { kernel, walls, samples, neighbors, .. } = self.liquid;
        let Scale { volume, squares, kept } = self.scale;
        let (tensile, per_kept) = (self.tensile / squares, T::one() / kept);
        let position = self.liquid.particles.position_arrays();
        let mut near = Separations::new(neighbors, position);
        let (mut lambdas, mut factor) = ([[T::zero(); BATCH]], [T::zero(); BATCH]);
        for n in 0..out[0].len() {
            let i = first + n;
            let (x, own) = (at(position, i), lambda[i]);
            let mut sum = [[T::zero(); LANES]; D];
            for batch in near.batches(i) {
                near.load(i, x, batch);
                gather(&mut lambdas, [lambda], batch.0);
                for b in 0..near.lanes / LANES {
                    let squared = &blocks(&near.squared, near.lanes)[b];
                    let lambdas = &blocks(&lambdas[0], near.lanes)[b];
                    let factor = &mut blocks_mut(&mut factor, near.lanes)[b];
                    for k in 0..LANES {
                        let r = squared[k].sqrt();
                        let w = kernel.value(r) * per_kept;
                        let s = tensile * ((w * w) * (w * w));
                        factor[k] = (own + lambdas[k] - s) * kernel.gradient(r);
                    }
                }
                add_along(&mut sum, &factor, &near);
            }
            for a in 0..D {
                out[a][n] = volume * total(&sum[a]);
            }
            if own != T::zero() {
                if let Some(wall) = walls.filling(x) {
                    let gradient = wall.gradient();
                    for a in 0..D {
                        out[a][n] += own * gradient[a];
                    }
                }
                for sample in samples.near(i, x) {
                    let slope = own * sample.volume * kernel.gradient(sample.distance);
                    for a in 0..D {
                        out[a][n] += slope * sample.offset[a];
                    }
                }
            }
        }
    }
}

/// ω_i = (m/ρ₀) Σ_j ∇W × (v_j − v_i), of which the plane has only the last component; and |ω_i|.
pub(super) struct Vorticity<'a, T, const D: usize> {
    pub(super) liquid: &'a Liquid<T, D>,
    pub(super) volume: T,
}

impl<T: Real, const D: usize> ChunkPass<T, 4> for Vorticity<'_, T, D> {
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn chunk(&self, first: usize, out: [&mut [T]; 4]) {
        let Liquid { kernel, particles, neighbors, .. } = self.liquid;
        let (position, velocity) = (particles.position_arrays(), particles.velocity_arrays());
        let mut near = Separations::new(neighbors, position);
        let mut speed = [[T::zero(); BATCH]; D];
        for n in 0..out[0].len() {
            let i = first + n;
            let (x, v) = (at(position, i), at(velocity, i));
            let mut omega = [T::zero(); 3];
            for batch in near.batches(i) {
                near.load(i, x, batch);
                gather(&mut speed, velocity, batch.0);
                for k in 0..near.lanes {
                    let slope = self.volume * kernel.gradient(near.squared[k].sqrt());
                    let (mut u, mut g) = ([T::zero(); 3], [T::zero(); 3]);
                    for a in 0..D {
                        u[a] = speed[a][k] - v[a];
                        g[a] = slope * near.offset[a][k];
                    }
                    let turn = cross(g, u);
                    for a in 0..3 {
                        omega[a] += turn[a];
                    }
                }
            }
            let mut squared = T::zero();
            for a in 0..3 {
                out[a][n] = omega[a];
                squared += omega[a] * omega[a];
            }
            out[3][n] = squared.sqrt();
        }
    }
}

/// a_i = ε·d·(N × ω), N = ∇|ω|/|∇|ω||: towards where the liquid turns faster, as in vorticity
/// confinement on grids, with the spacing d for the cell.
pub(super) struct Confinement<'a, T, const D: usize> {
    pub(super) liquid: &'a Liquid<T, D>,
    pub(super) volume: T,
    pub(super) strength: T,
    /// ω and |ω|.
    pub(super) vorticity: [&'a [T]; 4],
}

impl<T: Real, const D: usize> ChunkPass<T, D> for Confinement<'_, T, D> {
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn chunk(&self, first: usize, out: [&mut [T]; D]) {
        let Liquid { kernel, particles, neighbors, .. } = self.liquid;
        let position = particles.position_arrays();
        let [_, _, _, magnitude] = self.vorticity;
        let mut near = Separations::new(neighbors, position);
        let mut others = [[T::zero(); BATCH]];
        for n in 0..out[0].len() {
            let i = first + n;
            let x = at(position, i);
            let mut towards = [T::zero(); 3];
            for batch in near.batches(i) {
                near.load(i, x, batch);
                gather(&mut others, [magnitude], batch.0);
                for k in 0..near.lanes {
                    let slope = self.volume * kernel.gradient(near.squared[k].sqrt());
                    for a in 0..D {
                        towards[a] += (others[0][k] - magnitude[i]) * slope * near.offset[a][k];
                    }
                }
            }
            let mut squared = T::zero();
            for t in towards {
                squared += t * t;
            }
            // Where there is no direction there is no force.
            let scale =
                if squared > T::NEGLIGIBLE { self.strength / squared.sqrt() } else { T::zero() };
            let [wx, wy, wz, _] = self.vorticity;
            let push = cross(towards, [wx[i], wy[i], wz[i]]);
            for a in 0..D {
                out[a][n] = scale * push[a];
            }
        }
    }
}

#[inline(always)]
fn cross<T: Real>([ax, ay, az]: [T; 3], [bx, by, bz]: [T; 3]) -> [T; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}
