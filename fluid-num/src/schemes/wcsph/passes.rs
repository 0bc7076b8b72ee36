//! The sums of WCSPH.

use super::params::WcsphParams;
use crate::Real;
use crate::base::exec::ChunkPass;
use crate::particles::kernel::Kernel;
use crate::particles::liquid::{GRAIN, Liquid};
use crate::particles::neighbors::LANES;
use crate::particles::pairs::{Around, Lanes, lane, lanes, put, vectors};
use crate::particles::samples::Sample;
use crate::particles::wall::Filling;
use crate::solid::Slip;

/// p/ρ² by p = B((ρ/ρ₀)^γ − 1), and nothing below ρ₀: a liquid does not pull.
#[inline(always)]
fn pressures<T: Real, const D: usize>(
    params: &WcsphParams<T, D>,
    density: &[T],
    pressure: &mut [T],
) {
    let constant = params.pressure_constant();
    let per_rest = T::one() / params.rest_density;
    let bits = [1, 2, 4, 8].map(|bit| params.exponent & bit != 0);
    let either = |bit: bool, power: T| if bit { power } else { T::one() };
    for (pressure, density) in pressure.iter_mut().zip(density) {
        let r = (*density * per_rest).at_least(T::one());
        let (r2, r4) = (r * r, (r * r) * (r * r));
        let low = either(bits[0], r) * either(bits[1], r2);
        let power = low * (either(bits[2], r4) * either(bits[3], r4 * r4));
        *pressure = constant * (power - T::one()) / (*density * *density);
    }
}

/// ρ_i = Σ_j m W(x_i − x_j), particle i included, and what solids add; then p/ρ².
pub(super) struct Density<'a, T, const D: usize> {
    pub(super) params: &'a WcsphParams<T, D>,
    pub(super) liquid: &'a Liquid<T, D>,
}

impl<T: Real, const D: usize> Density<'_, T, D> {
    /// Adds what solids contribute to the density of a group.
    #[inline(never)]
    fn add_solids(&self, first: usize, at: &[Lanes<T>; D], density: &mut Lanes<T>) {
        let Liquid { kernel, walls, samples, .. } = self.liquid;
        let rest = self.params.rest_density;
        if walls.reach(at) {
            for k in 0..LANES {
                density[k] += rest * walls.filling(lane(at, k)).lambda;
            }
        }
        if samples.reach(first) {
            for k in 0..LANES {
                for sample in samples.near(first + k, lane(at, k)) {
                    density[k] += rest * sample.volume * kernel.value(sample.distance);
                }
            }
        }
    }
}

impl<T: Real, const D: usize> ChunkPass<T, 2> for Density<'_, T, D> {
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn chunk(&self, first: usize, [density, pressure]: [&mut [T]; 2]) {
        let Liquid { kernel, mass, neighbors, particles, .. } = self.liquid;
        let mut near = Around::new(neighbors, particles.position_arrays(), [], []);
        for n in (0..density.len()).step_by(LANES) {
            near.enter(first + n);
            let mut sum = [kernel.at_zero(); LANES];
            while near.load() {
                for squared in &near.squared[..near.len] {
                    for k in 0..LANES {
                        sum[k] += kernel.value(squared[k].sqrt());
                    }
                }
            }
            let mut rho = [T::zero(); LANES];
            for k in 0..LANES {
                rho[k] = *mass * sum[k];
            }
            self.add_solids(first + n, &near.at, &mut rho);
            put(density, n, rho);
        }
        pressures(self.params, density, pressure);
    }
}

/// dv_i/dt = −Σ_j m (p_i/ρ_i² + p_j/ρ_j² + Π_ij) ∇W + 2(D + 2)ν Σ_j (m/ρ₀) (v·x)/(x² + 0.01h²) ∇W + g,
/// with the artificial viscosity Π_ij = −α c h (v·x)/(x² + 0.01h²)/ρ₀ of particles that approach.
pub(super) struct Acceleration<'a, T, const D: usize> {
    pub(super) params: &'a WcsphParams<T, D>,
    pub(super) liquid: &'a Liquid<T, D>,
    pub(super) density: &'a [T],
    pub(super) pressure: &'a [T],
}

impl<T: Real, const D: usize> Acceleration<'_, T, D> {
    /// What walls do to a particle at a pressure p_i/ρ_i² of `share`.
    #[inline]
    fn wall(&self, share: T, density: T, wall: &Filling<T, D>) -> [T; D] {
        let params = self.params;
        let mut push = [T::zero(); D];
        if share > T::zero() {
            let rest = params.rest_density;
            let pressure = share * density * density;
            for a in 0..D {
                for (end, sign) in [-T::one(), T::one()].into_iter().enumerate() {
                    // The pressure goes on beyond the wall as gravity says.
                    let beyond = &wall.ends[a][end];
                    let mirrored = pressure * beyond.slope / rest;
                    let deeper = mirrored + sign * params.gravity[a] * beyond.moment;
                    push[a] -= sign * (share * rest * beyond.slope + deeper.at_least(T::zero()));
                    for (t, push) in push.iter_mut().enumerate() {
                        if t != a {
                            *push -= params.gravity[t] * beyond.lambda;
                        }
                    }
                }
            }
        }
        push
    }

    /// What a point of a body does to a particle.
    #[inline]
    pub(super) fn body(&self, i: usize, sample: &Sample<T, D>) -> [T; D] {
        let params = self.params;
        let Liquid { kernel, particles, .. } = self.liquid;
        let velocity = particles.velocity_arrays();
        let rest = params.rest_density;
        let share = self.pressure[i];
        let gradient = kernel.gradient(sample.distance) * sample.volume;
        let mut factor = T::zero();
        if share > T::zero() {
            let density = self.density[i];
            let mut beyond = share * density * density;
            for a in 0..D {
                beyond -= rest * params.gravity[a] * sample.offset[a];
            }
            factor -= share * rest + beyond.at_least(T::zero()) / rest;
        }
        let [laminar, artificial, eta] = self.viscosity();
        let mut along = T::zero();
        for a in 0..D {
            along += (velocity[a][i] - sample.velocity[a]) * sample.offset[a];
        }
        // What approaches a body is slowed down as among particles, whether or not liquid sticks.
        let sticking = if sample.slip == Slip::No { laminar * along } else { T::zero() };
        let rate = sticking + artificial * along.at_most(T::zero());
        factor += rest * rate / (sample.distance * sample.distance + eta);
        let mut push = [T::zero(); D];
        for a in 0..D {
            push[a] = factor * gradient * sample.offset[a];
        }
        push
    }

    /// Adds what solids do to a group whose p/ρ² are `share`.
    #[inline(never)]
    fn add_solids(
        &self,
        first: usize,
        at: &[Lanes<T>; D],
        share: &Lanes<T>,
        sum: &mut [Lanes<T>; D],
    ) {
        let Liquid { walls, samples, .. } = self.liquid;
        if walls.reach(at) {
            let density = lanes(self.density, first);
            for k in 0..LANES {
                let push = self.wall(share[k], density[k], &walls.filling(lane(at, k)));
                for a in 0..D {
                    sum[a][k] += push[a];
                }
            }
        }
        if samples.reach(first) {
            for k in 0..LANES {
                for sample in samples.near(first + k, lane(at, k)) {
                    let push = self.body(first + k, &sample);
                    for a in 0..D {
                        sum[a][k] += push[a];
                    }
                }
            }
        }
    }

    /// 2(D + 2)ν/ρ₀, αch/ρ₀ and 0.01h².
    #[inline(always)]
    fn viscosity(&self) -> [T; 3] {
        let params = self.params;
        let h = params.support_radius() * T::of(0.5);
        let laminar = T::of_usize(2 * (D + 2)) * params.kinematic_viscosity;
        let artificial = params.artificial_viscosity * params.sound_speed() * h;
        [laminar / params.rest_density, artificial / params.rest_density, T::of(0.01) * h * h]
    }
}

impl<T: Real, const D: usize> ChunkPass<T, D> for Acceleration<'_, T, D> {
    const GRAIN: usize = GRAIN;

    #[inline(always)]
    fn chunk(&self, first: usize, out: [&mut [T]; D]) {
        let Self { params, liquid, pressure, .. } = self;
        let Liquid { kernel, particles, .. } = liquid;
        let mass = liquid.mass;
        let [laminar, artificial, eta] = self.viscosity();
        let velocity = particles.velocity_arrays();
        let position = particles.position_arrays();
        let mut near = Around::new(&liquid.neighbors, position, velocity, [pressure]);
        let zero = [T::zero(); LANES];
        for n in (0..out[0].len()).step_by(LANES) {
            near.enter(first + n);
            let share = lanes(pressure, first + n);
            let (own, mut sum) = (vectors(velocity, first + n), [zero; D]);
            while near.load() {
                for (b, squared) in near.squared[..near.len].iter().enumerate() {
                    let mut along = zero;
                    for a in 0..D {
                        let (own, other) = (&own[a], &near.velocity[a][b]);
                        let offset = &near.offset[a][b];
                        for k in 0..LANES {
                            along[k] += (own[k] - other[k]) * offset[k];
                        }
                    }
                    let (shares, mut factor) = (&near.scalar[0][b], zero);
                    for k in 0..LANES {
                        let approach = along[k].at_most(T::zero());
                        let rate = laminar * along[k] + artificial * approach;
                        let viscous = rate / (squared[k] + eta);
                        let gradient = kernel.gradient(squared[k].sqrt());
                        factor[k] = gradient * (viscous - (share[k] + shares[k]));
                    }
                    for a in 0..D {
                        let (sum, offset) = (&mut sum[a], &near.offset[a][b]);
                        for k in 0..LANES {
                            sum[k] += factor[k] * offset[k];
                        }
                    }
                }
            }
            for a in 0..D {
                let gravity = params.gravity[a];
                for k in 0..LANES {
                    sum[a][k] = mass * sum[a][k] + gravity;
                }
            }
            self.add_solids(first + n, &near.at, &share, &mut sum);
            for a in 0..D {
                put(out[a], n, sum[a]);
            }
        }
    }
}

/// v += dt·a.
pub(super) struct Kick<'a, T> {
    pub(super) acceleration: &'a [T],
    pub(super) dt: T,
}

impl<T: Real> ChunkPass<T, 1> for Kick<'_, T> {
    #[inline(always)]
    fn chunk(&self, first: usize, [velocity]: [&mut [T]; 1]) {
        let dt = self.dt;
        for (v, a) in velocity.iter_mut().zip(&self.acceleration[first..]) {
            *v += dt * *a;
        }
    }
}
