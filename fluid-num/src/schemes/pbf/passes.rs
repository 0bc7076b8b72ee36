//! The sums of position-based fluids.

use crate::Real;
use crate::base::exec::ChunkPass;
use crate::particles::Domain;
use crate::particles::kernel::{Kernel, over_lattice};
use crate::particles::liquid::{GRAIN, Liquid, Matter};
use crate::particles::neighbors::LANES;
use crate::particles::pairs::{Around, BATCH, Lanes, lane, lanes, put, vectors};

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

/// Sums over the neighbours of a group: of W, ∇W and |∇W|².
struct Sums<T, const D: usize> {
    value: Lanes<T>,
    gradient: [Lanes<T>; D],
    square: Lanes<T>,
}

impl<T: Real, const D: usize> Multipliers<'_, T, D> {
    /// λ and ρ/ρ₀ of a group. Apart from the sums, whose lanes compilers else take to pieces.
    #[inline(never)]
    fn of(&self, first: usize, at: &[Lanes<T>; D], sums: &Sums<T, D>) -> [Lanes<T>; 2] {
        let Liquid { kernel, walls, samples, .. } = self.liquid;
        let Scale { volume, squares, .. } = self.scale;
        let mut density = sums.value.map(|value| volume * (value + kernel.at_zero()));
        let mut own = sums.gradient.map(|along| along.map(|g| volume * g));
        if walls.reach(at) {
            for k in 0..LANES {
                let wall = walls.filling(lane(at, k));
                density[k] += wall.lambda;
                let gradient = wall.gradient();
                for a in 0..D {
                    own[a][k] += gradient[a];
                }
            }
        }
        if samples.reach(first) {
            for k in 0..LANES {
                for sample in samples.near(first + k, lane(at, k)) {
                    density[k] += sample.volume * kernel.value(sample.distance);
                    let slope = sample.volume * kernel.gradient(sample.distance);
                    for a in 0..D {
                        own[a][k] += slope * sample.offset[a];
                    }
                }
            }
        }
        let epsilon = self.relaxation * squares;
        let mut all = sums.square.map(|square| volume * volume * square + epsilon);
        for own in own {
            for k in 0..LANES {
                all[k] += own[k] * own[k];
            }
        }
        let mut lambda = [T::zero(); LANES];
        for k in 0..LANES {
            let deficit = (T::one() - density[k]).at_most(T::zero());
            // Without excess there may be nothing to divide by either.
            let divisor = if deficit < T::zero() { all[k] } else { T::one() };
            lambda[k] = deficit / divisor;
        }
        [lambda, density]
    }
}

impl<T: Real, const D: usize> ChunkPass<T, 2> for Multipliers<'_, T, D> {
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn chunk(&self, first: usize, [lambda, ratio]: [&mut [T]; 2]) {
        let Liquid { kernel, neighbors, particles, .. } = self.liquid;
        let zero = [T::zero(); LANES];
        let mut near = Around::new(neighbors, particles.position_arrays(), [], []);
        let mut slopes = [zero; BATCH];
        for n in (0..lambda.len()).step_by(LANES) {
            near.enter(first + n);
            let mut sums = Sums { value: zero, gradient: [zero; D], square: zero };
            while near.load() {
                for (slope, squared) in slopes.iter_mut().zip(&near.squared[..near.len]) {
                    for k in 0..LANES {
                        let r = squared[k].sqrt();
                        sums.value[k] += kernel.value(r);
                        slope[k] = kernel.gradient(r);
                        sums.square[k] += slope[k] * slope[k] * squared[k];
                    }
                }
                for (b, slope) in slopes[..near.len].iter().enumerate() {
                    for a in 0..D {
                        let (sum, offset) = (&mut sums.gradient[a], &near.offset[a][b]);
                        for k in 0..LANES {
                            sum[k] += slope[k] * offset[k];
                        }
                    }
                }
            }
            let [multiplier, density] = self.of(first + n, &near.at, &sums);
            put(lambda, n, multiplier);
            put(ratio, n, density);
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

impl<T: Real, const D: usize> Corrections<'_, T, D> {
    /// Adds what solids contribute to Δx of a group whose multipliers are `own`.
    #[inline(never)]
    fn add_solids(
        &self,
        first: usize,
        at: &[Lanes<T>; D],
        own: &Lanes<T>,
        moved: &mut [Lanes<T>; D],
    ) {
        let Liquid { kernel, walls, samples, .. } = self.liquid;
        if walls.reach(at) {
            for k in 0..LANES {
                let gradient = walls.filling(lane(at, k)).gradient();
                for a in 0..D {
                    moved[a][k] += own[k] * gradient[a];
                }
            }
        }
        if samples.reach(first) {
            for k in 0..LANES {
                for sample in samples.near(first + k, lane(at, k)) {
                    let slope = own[k] * sample.volume * kernel.gradient(sample.distance);
                    for a in 0..D {
                        moved[a][k] += slope * sample.offset[a];
                    }
                }
            }
        }
    }
}

impl<T: Real, const D: usize> ChunkPass<T, D> for Corrections<'_, T, D> {
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn chunk(&self, first: usize, out: [&mut [T]; D]) {
        let Self { lambda, .. } = self;
        let Liquid { kernel, neighbors, particles, .. } = self.liquid;
        let Scale { volume, squares, kept } = self.scale;
        let (tensile, per_kept) = (self.tensile / squares, T::one() / kept);
        let zero = [T::zero(); LANES];
        let mut near = Around::new(neighbors, particles.position_arrays(), [], [lambda]);
        for n in (0..out[0].len()).step_by(LANES) {
            near.enter(first + n);
            let own = lanes(lambda, first + n);
            let mut moved = [zero; D];
            while near.load() {
                for (b, squared) in near.squared[..near.len].iter().enumerate() {
                    let (other, mut factor) = (&near.scalar[0][b], zero);
                    for k in 0..LANES {
                        let r = squared[k].sqrt();
                        let w = kernel.value(r) * per_kept;
                        let s = tensile * ((w * w) * (w * w));
                        factor[k] = (own[k] + other[k] - s) * kernel.gradient(r);
                    }
                    for a in 0..D {
                        let (moved, offset) = (&mut moved[a], &near.offset[a][b]);
                        for k in 0..LANES {
                            moved[k] += factor[k] * offset[k];
                        }
                    }
                }
            }
            for a in 0..D {
                for k in 0..LANES {
                    moved[a][k] *= volume;
                }
            }
            self.add_solids(first + n, &near.at, &own, &mut moved);
            for a in 0..D {
                put(out[a], n, moved[a]);
            }
        }
    }
}

/// x += Δx along one axis, within the domain.
pub(super) struct MoveOn<'a, T, const D: usize> {
    pub(super) domain: &'a Domain<T, D>,
    pub(super) axis: usize,
    pub(super) correction: &'a [T],
}

impl<T: Real, const D: usize> ChunkPass<T, 1> for MoveOn<'_, T, D> {
    #[inline(always)]
    fn chunk(&self, first: usize, [position]: [&mut [T]; 1]) {
        for (x, by) in position.iter_mut().zip(&self.correction[first..]) {
            *x = self.domain.coordinate_inside(self.axis, *x + *by);
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
    fn chunk(&self, first: usize, mut out: [&mut [T]; 4]) {
        let Liquid { kernel, particles, neighbors, .. } = self.liquid;
        let velocity = particles.velocity_arrays();
        let mut near = Around::new(neighbors, particles.position_arrays(), velocity, []);
        let zero = [T::zero(); LANES];
        for n in (0..out[0].len()).step_by(LANES) {
            near.enter(first + n);
            let own = vectors(velocity, first + n);
            let mut omega = [zero; 3];
            while near.load() {
                for (b, squared) in near.squared[..near.len].iter().enumerate() {
                    for k in 0..LANES {
                        let slope = self.volume * kernel.gradient(squared[k].sqrt());
                        let (mut u, mut g) = ([T::zero(); 3], [T::zero(); 3]);
                        for a in 0..D {
                            u[a] = near.velocity[a][b][k] - own[a][k];
                            g[a] = slope * near.offset[a][b][k];
                        }
                        let turn = cross(g, u);
                        for a in 0..3 {
                            omega[a][k] += turn[a];
                        }
                    }
                }
            }
            let mut size = zero;
            for k in 0..LANES {
                let [x, y, z] = [omega[0][k], omega[1][k], omega[2][k]];
                size[k] = (x * x + y * y + z * z).sqrt();
            }
            let [x, y, z] = omega;
            for (out, lanes) in out.iter_mut().zip([x, y, z, size]) {
                put(out, n, lanes);
            }
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
        let [wx, wy, wz, magnitude] = self.vorticity;
        let mut near = Around::new(neighbors, particles.position_arrays(), [], [magnitude]);
        let zero = [T::zero(); LANES];
        for n in (0..out[0].len()).step_by(LANES) {
            near.enter(first + n);
            let own = lanes(magnitude, first + n);
            let mut towards = [zero; 3];
            while near.load() {
                for (b, squared) in near.squared[..near.len].iter().enumerate() {
                    let (other, mut slope) = (&near.scalar[0][b], zero);
                    for k in 0..LANES {
                        let gradient = self.volume * kernel.gradient(squared[k].sqrt());
                        slope[k] = (other[k] - own[k]) * gradient;
                    }
                    for a in 0..D {
                        let (towards, offset) = (&mut towards[a], &near.offset[a][b]);
                        for k in 0..LANES {
                            towards[k] += slope[k] * offset[k];
                        }
                    }
                }
            }
            let omega = [wx, wy, wz].map(|w| lanes(w, first + n));
            let mut push = [zero; 3];
            for k in 0..LANES {
                let at = |v: &[[T; LANES]; 3]| [v[0][k], v[1][k], v[2][k]];
                let [x, y, z] = at(&towards);
                let squared = x * x + y * y + z * z;
                // Where there is no direction there is no force.
                let scale = if squared > T::NEGLIGIBLE {
                    self.strength / squared.sqrt()
                } else {
                    T::zero()
                };
                let turned = cross([x, y, z], at(&omega));
                for a in 0..3 {
                    push[a][k] = scale * turned[a];
                }
            }
            for a in 0..D {
                put(out[a], n, push[a]);
            }
        }
    }
}

#[inline(always)]
fn cross<T: Real>([ax, ay, az]: [T; 3], [bx, by, bz]: [T; 3]) -> [T; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}
