//! What a lattice Boltzmann simulation is made with.

use super::units;
use crate::base::error::check;
use crate::base::simulation;
use crate::{Boundary, Error, Real};

/// How populations relax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Collision<T> {
    /// One relaxation time. Walls stand a little off their place, the more the higher the viscosity.
    Bgk,
    /// Two relaxation times (Ginzburg): as BGK, but walls stand where they are.
    Trt {
        /// The magic parameter Λ, > 0: 3/16 puts flat walls exactly half-way between cells, ¼ is
        /// the most stable.
        magic: T,
    },
    /// Recursive regularised: what second moments do not carry is made anew in every step. More
    /// stable than BGK where the viscosity is low.
    Regularised,
    /// Central moments: shear alone remembers, what compresses is forgotten at once (a bulk viscosity
    /// of the step's size); for high Reynolds numbers.
    CentralMoments,
}

impl<T: Real> Collision<T> {
    /// TRT with Λ = 3/16.
    pub fn trt() -> Self {
        Self::Trt { magic: T::of(3.0 / 16.0) }
    }

    /// Whether moments beyond the second outlive the collision.
    pub(super) fn remembers(&self) -> bool {
        matches!(self, Self::Bgk | Self::Trt { .. })
    }

    /// Every collision, TRT with Λ = 3/16.
    pub fn all() -> [Self; 4] {
        [Self::Bgk, Self::trt(), Self::Regularised, Self::CentralMoments]
    }
}

/// What holds at sides that are [`crate::Side::Open`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outlet {
    /// The pressure is that of [`LbmParams::open_pressure`].
    #[default]
    Pressure,
    /// What arrives is carried on out: ∂h/∂t + u ∂h/∂n = 0. Reflects less than a given pressure, but
    /// draws the pressure only slowly to that given. Behind a disc in a wind of 0.1 cells a step it
    /// stood viscosities down to 0.005 in lattice units, whatever the collision; a given pressure
    /// with central moments stood 0.0001.
    Convective,
}

/// Where fluid sticks to bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bounce {
    /// Half-way between the centres of fluid and solid cells: first order for curved surfaces, and
    /// no mass is lost or won.
    #[default]
    HalfWay,
    /// Where the surface cuts the line between the centres, by the interpolation of Bouzidi,
    /// Firdaouss and Lallemand 2001: second order for any surface, but mass is kept no better than
    /// the flow is resolved. Needs two cells of fluid along a velocity; half-way where there is one.
    Interpolated,
}

/// The parameters of [`super::Lbm`]. The default suits cells of 1/64 m and speeds to 1 m/s.
///
/// ```
/// use fluid_num::schemes::lbm::{Collision, LbmParams};
/// let windy = LbmParams::<f32, 2> { collision: Collision::CentralMoments, ..Default::default() };
/// assert!(windy.check().is_ok());
/// assert!(LbmParams::<f32, 2> { time_step: 0.0, ..windy }.check().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LbmParams<T, const D: usize> {
    /// ν, m²/s; ≥ 0. Default 0.01. Lower: less damping, and at last unstable; see
    /// [`super::LatticeUnits`].
    pub kinematic_viscosity: T,
    /// The density at rest, kg/m³ (kg/m² in the plane); > 0. Default 1. Scales pressures and forces.
    pub rest_density: T,
    /// The time that one step of the lattice takes, s; > 0. Default 1/1000. Shorter: less
    /// compressible, and slower.
    pub time_step: T,
    /// How populations relax; default [`Collision::trt`].
    pub collision: Collision<T>,
    /// Smagorinsky's constant C, ≥ 0; 0 (the default) is without, 0.1 to 0.2 is usual. More: eddies
    /// near the size of a cell are damped more.
    pub smagorinsky: T,
    /// The force per mass of fluid at rest, m/s²; default 0.
    pub acceleration: [T; D],
    /// What holds at each side; default no slip all round.
    pub boundary: Boundary<T, D>,
    /// Where fluid sticks to bodies; default half-way between cells. Sides and cells closed by hand
    /// are always half-way.
    pub bounce: Bounce,
    /// What holds at open sides; default a given pressure.
    pub outlet: Outlet,
    /// The pressure at each open side, above that of the fluid at rest, Pa; default 0.
    pub open_pressure: [[T; 2]; D],
    /// The largest speed that is put in by hand, in cells a step; > 0. Default 0.15. More: errors
    /// of compressibility grow with its square.
    pub speed_limit_lu: T,
    /// The most lattice steps in one call of `step`; ≥ 1. Default 1000. Time beyond is not done.
    pub max_substeps: usize,
}

impl<T: Real, const D: usize> Default for LbmParams<T, D> {
    fn default() -> Self {
        Self {
            kinematic_viscosity: T::of(0.01),
            rest_density: T::one(),
            time_step: T::of(1e-3),
            collision: Collision::trt(),
            smagorinsky: T::zero(),
            acceleration: [T::zero(); D],
            boundary: Boundary::all(crate::Side::NoSlip),
            bounce: Bounce::HalfWay,
            outlet: Outlet::Pressure,
            open_pressure: [[T::zero(); 2]; D],
            speed_limit_lu: T::of(0.15),
            max_substeps: 1000,
        }
    }
}

impl<T: Real, const D: usize> LbmParams<T, D> {
    /// Checks every parameter.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] or [`Error::WrongCount`] with the parameter's name, or what
    /// [`Boundary::check`] says.
    pub fn check(&self) -> Result<(), Error> {
        check::not_negative("kinematic_viscosity", self.kinematic_viscosity)?;
        check::positive("rest_density", self.rest_density)?;
        check::positive("time_step", self.time_step)?;
        if let Collision::Trt { magic } = self.collision {
            check::positive("collision.magic", magic)?;
        }
        check::not_negative("smagorinsky", self.smagorinsky)?;
        check::all_finite("acceleration", &self.acceleration)?;
        check::all_finite("open_pressure", self.open_pressure.as_flattened())?;
        check::positive("speed_limit_lu", self.speed_limit_lu)?;
        if self.max_substeps == 0 {
            let expected = "at least 1";
            return Err(Error::WrongCount { name: "max_substeps", count: 0, expected });
        }
        self.boundary.check()
    }

    /// How many lattice steps `dt` seconds and what is `pending` make room for; the rest is pending.
    pub(super) fn due(&self, pending: &mut T, dt: T) -> usize {
        simulation::due(pending, dt, self.time_step, self.max_substeps)
    }

    /// τ = ½ + 3ν·Δt/Δx², on cells of edge `dx` metres.
    pub fn relaxation_time(&self, dx: T) -> T {
        units::relaxation_time(self.kinematic_viscosity, self.time_step, dx)
    }
}
