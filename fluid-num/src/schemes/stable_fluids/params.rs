//! What a stable-fluids simulation is made with.

use alloc::vec;
use alloc::vec::Vec;

use crate::advection::{Advection, PathOrder};
use crate::base::error::check;
use crate::poisson::{Budget, SolverKind};
use crate::{Boundary, Error, Real};

/// How a step is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stepping {
    /// Advection, forces, viscosity, projection: one pressure solve a step, first order in time.
    #[default]
    Projection,
    /// Advection–reflection (Zehnder, Narain and Thomaszewski 2018): half a step, projection,
    /// reflection of the velocity about the divergence-free field, the other half, projection.
    /// Second order in time, two pressure solves a step; vortices keep their energy.
    Reflection,
}

/// A part of a step that has just ended, see [`super::StableFluids::step_watched`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepPart {
    /// Looking at sources and bodies.
    Preparation,
    /// Carrying quantities and the velocity along.
    Advection,
    /// Forces, sources and viscosity.
    Forces,
    /// A pressure solve and what it does to the velocity.
    Pressure,
}

/// The parameters of [`super::StableFluids`]. The default is a box of smoke that rises.
///
/// ```
/// use fluid_num::{Boundary, Side, StableFluidsParams};
/// let channel = StableFluidsParams::<f32, 2> {
///     boundary: Boundary::walls()
///         .with(0, 0, Side::Inflow { velocity: [1.0, 0.0] })
///         .with(0, 1, Side::Open),
///     kinematic_viscosity: 1e-3,
///     ..Default::default()
/// };
/// assert!(channel.check().is_ok());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StableFluidsParams<T, const D: usize> {
    /// What holds at each side. Default: a closed box of free-slip walls.
    pub boundary: Boundary<T, D>,
    /// Kinematic viscosity ν ≥ 0, m²/s; solved implicitly, stable for any value. Default 0: only
    /// what advection smears.
    pub kinematic_viscosity: T,
    /// Rate ≥ 0 at which all motion dies out, 1/s. Default 0.
    pub drag: T,
    /// Where buoyant quantities rise to; its length scales buoyancy. Default: +y.
    pub up: [T; D],
    /// Strength ε of vorticity confinement, 0 to [`Self::MAX_CONFINEMENT`]: more keeps smaller
    /// whirls alive and is less physical. Default 0.
    pub vorticity_confinement: T,
    /// How the paths of the fluid are integrated. Default: midpoint.
    pub path_order: PathOrder,
    /// How the velocity carries itself. Default: semi-Lagrangian, linear.
    pub velocity_advection: Advection,
    /// How a step is put together. Default: projection.
    pub stepping: Stepping,
    /// The pressure solver. Default: conjugate gradients.
    pub pressure_solver: SolverKind<T>,
    /// How much a pressure solve may do. Default: 200 iterations, relative residual 1e-3.
    pub pressure_budget: Budget<T>,
    /// How much a viscosity or diffusion solve may do. Default: 200 iterations, residual 1e-4.
    pub diffusion_budget: Budget<T>,
    /// What the fluid carries along. Default: one kind of smoke.
    pub quantities: Vec<QuantityParams<T>>,
}

impl<T: Real, const D: usize> Default for StableFluidsParams<T, D> {
    fn default() -> Self {
        Self {
            boundary: Boundary::walls(),
            kinematic_viscosity: T::zero(),
            drag: T::zero(),
            up: core::array::from_fn(|a| if a == 1 { T::one() } else { T::zero() }),
            vorticity_confinement: T::zero(),
            path_order: PathOrder::Midpoint,
            velocity_advection: Advection::default(),
            stepping: Stepping::Projection,
            pressure_solver: SolverKind::ConjugateGradient(Default::default()),
            pressure_budget: Budget::tolerance(T::of(1e-3), 200),
            diffusion_budget: Budget::tolerance(T::of(1e-4), 200),
            quantities: vec![QuantityParams::smoke()],
        }
    }
}

impl<T: Real, const D: usize> StableFluidsParams<T, D> {
    /// The largest strength of vorticity confinement: up to it a whirl in a closed box does not
    /// exceed twenty times its first speed in 2000 steps.
    pub const MAX_CONFINEMENT: f64 = 8.0;

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter that is out of its range, by name.
    pub fn check(&self) -> Result<(), Error> {
        self.boundary.check()?;
        check::not_negative("kinematic_viscosity", self.kinematic_viscosity)?;
        check::not_negative("drag", self.drag)?;
        check::all_finite("up", &self.up)?;
        check::within(
            "vorticity_confinement",
            self.vorticity_confinement,
            0.0,
            Self::MAX_CONFINEMENT,
            "from 0 to 8",
        )?;
        self.pressure_solver.check()?;
        self.pressure_budget.check()?;
        self.diffusion_budget.check()?;
        self.quantities.iter().try_for_each(QuantityParams::check)
    }
}

/// A quantity that the fluid carries along: smoke, temperature, one colour of dye.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantityParams<T> {
    /// The value far away: the start everywhere, what open sides let in, what decay tends to.
    pub ambient: T,
    /// The value that inflow sides bring in (with [`Advection::Scatter`] nothing comes in but
    /// `ambient`).
    pub inflow: T,
    /// Diffusivity κ ≥ 0, m²/s; solved implicitly, stable for any value.
    pub diffusivity: T,
    /// Rate ≥ 0 at which the quantity returns to `ambient`, 1/s.
    pub decay: T,
    /// Acceleration along `up` of a unit above `ambient`, m/s²: positive for what rises (β of hot
    /// air), negative for what sinks (−α of heavy smoke).
    pub buoyancy: T,
    /// How the quantity is carried.
    pub advection: Advection,
}

impl<T: Real> QuantityParams<T> {
    /// A passive dye: nothing but carried along.
    pub fn dye() -> Self {
        Self {
            ambient: T::zero(),
            inflow: T::zero(),
            diffusivity: T::zero(),
            decay: T::zero(),
            buoyancy: T::zero(),
            advection: Advection::default(),
        }
    }

    /// Warm smoke that rises with 1 m/s² at density 1.
    pub fn smoke() -> Self {
        Self { buoyancy: T::one(), ..Self::dye() }
    }

    /// A temperature that rises with `buoyancy` m/s² for each degree above `ambient` and cools at
    /// the rate `cooling`, 1/s.
    pub fn temperature(ambient: T, buoyancy: T, cooling: T) -> Self {
        Self { ambient, inflow: ambient, buoyancy, decay: cooling, ..Self::dye() }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter that is out of its range, by name.
    pub fn check(&self) -> Result<(), Error> {
        check::moderate("ambient", self.ambient)?;
        check::moderate("inflow", self.inflow)?;
        check::not_negative("diffusivity", self.diffusivity)?;
        check::not_negative("decay", self.decay)?;
        check::finite("buoyancy", self.buoyancy)
    }
}
