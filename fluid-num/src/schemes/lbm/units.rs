//! From metres and seconds to cells and steps.

use super::params::{Collision, LbmParams};
use crate::base::error::check;
use crate::{Error, Real};

/// The cells and the step that a flow asks for.
///
/// ```
/// use fluid_num::schemes::lbm::{Collision, LatticeUnits};
/// // Air past a ball of 10 cm at 0.1 m/s, the ball 40 cells wide.
/// let units = LatticeUnits::<f64>::from_physical(0.1, 0.1, 1.5e-5, 40, Collision::Regularised)?;
/// assert_eq!(units.dx, 0.0025);
/// assert!((units.speed_lu - 0.1).abs() < 1e-12);
/// assert!((units.cell_reynolds - 0.1 * 0.0025 / 1.5e-5).abs() < 1e-9);
/// // Plain BGK would not survive it.
/// assert!(LatticeUnits::<f64>::from_physical(0.1, 0.1, 1.5e-5, 40, Collision::Bgk).is_err());
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatticeUnits<T> {
    /// The edge of a cell, m.
    pub dx: T,
    /// The time of a step, s.
    pub time_step: T,
    /// τ, in steps.
    pub relaxation_time: T,
    /// The largest speed, in cells a step.
    pub speed_lu: T,
    /// |u|Δx/ν.
    pub cell_reynolds: T,
}

/// The speed that is aimed at, in cells a step: compressibility changes results by about 1 %.
const SPEED: f64 = 0.1;
/// The highest relaxation time that is chosen: beyond, steps are made shorter.
const LONGEST_RELAXATION: f64 = 1.0;
/// The highest speed, in cells a step, that is accepted.
const HIGHEST_SPEED: f64 = 0.2;

impl<T: Real> LatticeUnits<T> {
    /// For a flow of the largest speed `speed`, m/s, and a kinematic viscosity, m²/s, around something of
    /// `length` metres that is to be `cells` cells long: 0.1 cells a step, or fewer, so that the
    /// relaxation time is at most 1.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for values that are not finite and positive, and as
    /// [`Self::check`]; [`Error::WrongCount`] for no cell.
    pub fn from_physical(
        length: T,
        speed: T,
        kinematic_viscosity: T,
        cells: usize,
        collision: Collision<T>,
    ) -> Result<Self, Error> {
        check::positive("length", length)?;
        check::positive("speed", speed)?;
        check::positive("kinematic_viscosity", kinematic_viscosity)?;
        if cells == 0 {
            return Err(Error::WrongCount { name: "cells", count: 0, expected: "at least 1" });
        }
        let dx = length / T::of_usize(cells);
        let longest = T::of((LONGEST_RELAXATION - 0.5) / 3.0) * dx * dx / kinematic_viscosity;
        let time_step = (T::of(SPEED) * dx / speed).at_most(longest);
        let units = Self::of_step(dx, time_step, speed, kinematic_viscosity)?;
        units.check(collision)?;
        Ok(units)
    }

    /// What cells of `dx` metres and steps of `time_step` seconds make of a flow.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for values that are not finite and positive.
    pub fn of_step(dx: T, time_step: T, speed: T, kinematic_viscosity: T) -> Result<Self, Error> {
        check::positive("dx", dx)?;
        check::positive("time_step", time_step)?;
        check::positive("speed", speed)?;
        check::positive("kinematic_viscosity", kinematic_viscosity)?;
        Ok(Self {
            dx,
            time_step,
            relaxation_time: relaxation_time(kinematic_viscosity, time_step, dx),
            speed_lu: speed * time_step / dx,
            cell_reynolds: speed * dx / kinematic_viscosity,
        })
    }

    /// Whether the lattice can be expected to carry the flow.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] with the number that is too large and what helps: more than 0.2
    /// cells a step, or a cell's Reynolds number above what the collision stands.
    pub fn check(&self, collision: Collision<T>) -> Result<(), Error> {
        if !self.speed_lu.is_finite() || self.speed_lu > T::of(HIGHEST_SPEED) {
            return Err(Error::InvalidParameter {
                name: "the speed in cells a step",
                value: self.speed_lu.to_f64(),
                expected: "at most 0.2: use a shorter time step",
            });
        }
        let (highest, expected) = match collision {
            Collision::Bgk | Collision::Trt { .. } => (
                10.0,
                "at most 10 with BGK and TRT: use more cells, or Collision::Regularised or CentralMoments",
            ),
            Collision::Regularised => (
                40.0,
                "at most 40 with Collision::Regularised: use more cells, or Collision::CentralMoments",
            ),
            Collision::CentralMoments => (
                1000.0,
                "at most 1000 with Collision::CentralMoments: use more cells, or Smagorinsky's eddies as viscosity",
            ),
        };
        if !self.cell_reynolds.is_finite() || self.cell_reynolds > T::of(highest) {
            return Err(Error::InvalidParameter {
                name: "the Reynolds number of a cell",
                value: self.cell_reynolds.to_f64(),
                expected,
            });
        }
        // Below, the step is lost in rounding and nothing would relax.
        if !self.relaxation_time.is_finite() || self.relaxation_time - T::of(0.5) <= T::EPSILON {
            return Err(Error::InvalidParameter {
                name: "the relaxation time",
                value: self.relaxation_time.to_f64(),
                expected: "more than ½ by some roundings: use more cells or a higher viscosity",
            });
        }
        Ok(())
    }

    /// ν = c_s²(τ − ½)Δx²/Δt, m²/s.
    pub fn kinematic_viscosity(&self) -> T {
        let over_a_step = T::of(1.0 / 3.0) * (self.relaxation_time - T::of(0.5));
        over_a_step * self.dx * self.dx / self.time_step
    }

    /// Parameters of such a flow; all others are the default's.
    ///
    /// ```
    /// use fluid_num::schemes::lbm::{Collision, LatticeUnits, LbmParams};
    /// use fluid_num::{Grid2, LbmD2Q9};
    /// let units = LatticeUnits::from_physical(0.1, 0.1, 1.5e-5, 40, Collision::Regularised)?;
    /// let params = LbmParams { collision: Collision::Regularised, ..units.params() };
    /// let flow = LbmD2Q9::<f64>::new(Grid2::new([120, 60], units.dx)?, params)?;
    /// assert!((flow.params().kinematic_viscosity - 1.5e-5).abs() < 1e-12);
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    pub fn params<const D: usize>(&self) -> LbmParams<T, D> {
        LbmParams {
            kinematic_viscosity: self.kinematic_viscosity(),
            time_step: self.time_step,
            ..Default::default()
        }
    }

    /// The time of so many steps, s.
    pub fn time_to_physical(&self, steps: usize) -> T {
        T::of_usize(steps) * self.time_step
    }

    /// A speed in m/s from cells a step.
    pub fn speed_to_physical(&self, speed_lu: T) -> T {
        speed_lu * self.dx / self.time_step
    }

    /// A pressure in Pa above that at rest, from δρ, for a density in kg/m³.
    pub fn pressure_to_physical(&self, density_lu: T, rest_density: T) -> T {
        let speed = self.dx / self.time_step;
        density_lu * T::of(1.0 / 3.0) * rest_density * speed * speed
    }
}

/// τ = ½ + 3ν·Δt/Δx².
pub(super) fn relaxation_time<T: Real>(kinematic_viscosity: T, time_step: T, dx: T) -> T {
    T::of(0.5) + T::of(3.0) * kinematic_viscosity * time_step / (dx * dx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unstable_or_too_compressible_is_refused_with_its_number() {
        let units = |nu: f64, collision| {
            LatticeUnits::from_physical(1.0, 2.0, nu, 100, collision).map(|u| u.cell_reynolds)
        };
        for (collision, highest) in Collision::all().into_iter().zip([10.0, 10.0, 40.0, 1000.0]) {
            assert!(units(0.02 / highest * 1.01, collision).is_ok());
            let Err(Error::InvalidParameter { value, .. }) = units(0.02 / highest / 1.5, collision)
            else {
                panic!("{collision:?} was accepted");
            };
            assert!((value / highest - 1.5).abs() < 1e-9);
        }
        let fast = LatticeUnits::of_step(0.01, 0.002, 2.0, 0.02).unwrap();
        assert_eq!(fast.speed_lu, 0.4);
        assert!(fast.check(Collision::Bgk).is_err());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(LatticeUnits::from_physical(bad, 1.0, 1.0, 10, Collision::Bgk).is_err());
            assert!(LatticeUnits::from_physical(1.0, bad, 1.0, 10, Collision::Bgk).is_err());
            assert!(LatticeUnits::from_physical(1.0, 1.0, bad, 10, Collision::Bgk).is_err());
        }
        assert!(LatticeUnits::from_physical(1.0, 1.0, 1.0, 0, Collision::Bgk).is_err());
    }

    #[test]
    fn a_viscous_flow_takes_shorter_steps() {
        let units = LatticeUnits::from_physical(1.0, 0.01, 1.0, 50, Collision::trt()).unwrap();
        assert!((units.relaxation_time - 1.0_f64).abs() < 1e-12);
        assert!(units.speed_lu < 0.1);
        assert!((units.speed_to_physical(units.speed_lu) - 0.01).abs() < 1e-12);
        assert!((units.kinematic_viscosity() - 1.0).abs() < 1e-12);
        let params = units.params::<2>();
        assert!((params.relaxation_time(units.dx) - 1.0).abs() < 1e-12);
        assert_eq!(units.time_to_physical(10), 10.0 * params.time_step);
        let kinetic = units.pressure_to_physical(3.0 * units.speed_lu.powi(2), 1000.0);
        assert!((kinetic - 1000.0 * 0.01 * 0.01).abs() < 1e-9);
    }
}
