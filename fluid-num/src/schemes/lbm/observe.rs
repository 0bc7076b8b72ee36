//! What populations say of the flow: pressure and velocity.

use core::marker::PhantomData;

use super::collide::{BLOCK, Block};
use super::expansion::Moments;
use super::force::Push;
use super::lattice::Lattice;
use super::params::LbmParams;
use crate::base::error::check;
use crate::base::exec::{Row, RowPass};
use crate::base::ring::Ring;
use crate::{Error, Grid, Real, Side};

/// What lattice units are worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scales<T> {
    /// A cell a step, m/s.
    pub(super) velocity: T,
    /// δρ = 1, Pa.
    pub(super) pressure: T,
    /// 1 m/s², in cells a step².
    pub(super) acceleration: T,
    /// 1 N a volume, likewise times the density.
    pub(super) force: T,
}

impl<T: Real> Scales<T> {
    /// The scales of cells of `dx`, steps of `dt` and a density.
    pub(super) fn new(dx: T, dt: T, density: T) -> Self {
        let velocity = dx / dt;
        let acceleration = dt / velocity;
        Self {
            velocity,
            pressure: density * velocity * velocity * T::of(1.0 / 3.0),
            acceleration,
            force: acceleration / density,
        }
    }
}

impl<T: Real> Scales<T> {
    /// The scales of a simulation, where it can be made.
    pub(super) fn checked<const D: usize>(
        grid: &Grid<T, D>,
        params: &LbmParams<T, D>,
    ) -> Result<Self, Error> {
        params.check()?;
        let scales = Self::new(grid.dx(), params.time_step, params.rest_density);
        scales.check()?;
        check::finite("the relaxation time", params.relaxation_time(grid.dx()))?;
        for side in params.boundary.sides.iter().flatten() {
            if let Side::Inflow { velocity } | Side::Moving { velocity } = side {
                scales.check_side(&velocity.map(|v| v / scales.velocity))?;
            }
        }
        Ok(scales)
    }

    /// Whether a side may have this velocity, in cells a step.
    pub(super) fn check_side(&self, velocity: &[T]) -> Result<(), Error> {
        let name = "the velocity of a side in cells a step";
        let expected = "below 0.57, the speed of sound: use a shorter time step";
        velocity.iter().try_for_each(|v| check::within(name, *v, -0.57, 0.57, expected))
    }

    /// δρ and the velocity of a flow at a cell in lattice units.
    pub(super) fn flow<const D: usize>(
        &self,
        cell: [usize; D],
        (velocity, pressure): ([T; D], T),
    ) -> Result<(T, [T; D]), Error> {
        let density = pressure / self.pressure;
        let u = velocity.map(|v| v / self.velocity);
        let square = u.iter().fold(T::zero(), |sum, u| sum + *u * *u);
        if !density.is_finite() || !square.is_finite() {
            let mut place = [0; 3];
            place[..D].copy_from_slice(&cell);
            return Err(Error::NotFinite { name: "flow", place });
        }
        for value in [density, square.sqrt()] {
            let expected = "below a million cells a step and densities";
            check::within("a flow in lattice units", value, -1e6, 1e6, expected)?;
        }
        if density <= -T::one() {
            return Err(Error::InvalidParameter {
                name: "the pressure of a flow",
                value: pressure.to_f64(),
                expected: "above −rest_density·(dx/time_step)²/3, where nothing is left",
            });
        }
        Ok((density, u))
    }

    fn check(&self) -> Result<(), Error> {
        check::positive("dx/time_step", self.velocity)?;
        check::positive("rest_density·(dx/time_step)²", self.pressure)?;
        check::positive("time_step²/dx", self.acceleration)?;
        check::positive("time_step²/(dx·rest_density)", self.force)
    }
}

/// Pressure, then velocity, of a row.
pub(super) struct Observe<'a, T, L, const D: usize, const Q: usize> {
    pub(super) populations: &'a [Ring<T>; Q],
    pub(super) push: Push<'a, T, D>,
    pub(super) scales: Scales<T>,
    pub(super) lattice: PhantomData<L>,
}

impl<T, L, const D: usize, const Q: usize, const N: usize> RowPass<T, D, N>
    for Observe<'_, T, L, D, Q>
where
    T: Real,
    L: Lattice<D, Q>,
{
    #[inline(always)]
    fn row(&self, row: Row<D>, mut out: [&mut [T]; N]) {
        let Scales { velocity, pressure, .. } = self.scales;
        let mut h = [Block([T::zero(); BLOCK]); Q];
        let mut force = self.push.uniform.map(|f| Block([f; BLOCK]));
        let mut flow = [Block([T::zero(); BLOCK]); N];
        for start in (0..row.len).step_by(BLOCK) {
            let len = BLOCK.min(row.len - start);
            for k in 0..Q {
                self.populations[k].read(row.start + start, &mut h[k].0[..len]);
            }
            self.push.fill(row.start + start, len, &mut force);
            for i in 0..BLOCK {
                let mut site = [T::zero(); Q];
                for k in 0..Q {
                    site[k] = h[k].0[i];
                }
                let mut f = [T::zero(); D];
                for a in 0..D {
                    f[a] = force[a].0[i];
                }
                let moments = Moments::of::<L, Q, false>(&site);
                let u = moments.velocity(f);
                flow[0].0[i] = pressure * moments.density;
                for a in 0..D {
                    flow[a + 1].0[i] = velocity * u[a];
                }
            }
            for (out, flow) in out.iter_mut().zip(&flow) {
                out[start..][..len].copy_from_slice(&flow.0[..len]);
            }
        }
    }
}
