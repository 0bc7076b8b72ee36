//! The parameters of the scheme.

use crate::base::error::check;
use crate::{Error, Real};

/// How the sweeps of the pressure equation see one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sweep {
    /// The paper's: in place, cell after cell from the lower corner on. Converges about twice as
    /// fast as Jacobi; runs on one core; breaks mirror symmetry.
    #[default]
    GaussSeidel,
    /// Out of place: keeps mirror symmetry and runs on every core.
    Jacobi,
}

/// How viscosity and diffusion are stepped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Diffusion {
    /// Implicit Euler by the paper's in-place sweeps: stable for any time step.
    #[default]
    GaussSeidel,
    /// Implicit Euler by out-of-place sweeps: stable for any time step, keeps mirror symmetry.
    Jacobi,
    /// Explicit Euler: one pass, but only up to [`super::Stam2003::max_explicit_step`].
    Explicit,
}

/// What encloses the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stam2003Boundary {
    /// The paper's closed box: walls that reflect, along which the fluid slides.
    #[default]
    Walls,
    /// Opposite sides are joined.
    Periodic,
}

/// The parameters of [`super::Stam2003`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stam2003Params<T> {
    /// Kinematic viscosity ν, m²/s, ≥ 0, default 0 (off). More makes the flow syrupy.
    pub kinematic_viscosity: T,
    /// Diffusivity of the density κ, m²/s, ≥ 0, default 0 (off). More blurs the density faster.
    pub diffusivity: T,
    /// Sweeps of each linear solve, 1 to 1 000 000, default 20. More leaves less divergence.
    pub iterations: usize,
    /// How viscosity and diffusion are stepped, default Gauss–Seidel.
    pub diffusion: Diffusion,
    /// The sweeps of the pressure equation, default Gauss–Seidel.
    pub pressure: Sweep,
    /// What encloses the domain, default walls.
    pub boundary: Stam2003Boundary,
}

impl<T: Real> Default for Stam2003Params<T> {
    fn default() -> Self {
        Self {
            kinematic_viscosity: T::zero(),
            diffusivity: T::zero(),
            iterations: 20,
            diffusion: Diffusion::default(),
            pressure: Sweep::default(),
            boundary: Stam2003Boundary::default(),
        }
    }
}

impl<T: Real> Stam2003Params<T> {
    /// Checks every parameter.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a coefficient that is negative or not finite,
    /// [`Error::WrongCount`] for iterations outside 1 to 1 000 000.
    pub fn check(&self) -> Result<(), Error> {
        check::not_negative("kinematic_viscosity", self.kinematic_viscosity)?;
        check::not_negative("diffusivity", self.diffusivity)?;
        if !(1..=1_000_000).contains(&self.iterations) {
            return Err(Error::WrongCount {
                name: "iterations",
                count: self.iterations,
                expected: "1 to 1 000 000",
            });
        }
        Ok(())
    }
}
