//! What a WCSPH simulation is made with.

use crate::base::error::check;
use crate::particles::CellStructure;
use crate::particles::liquid::Matter;
use crate::{Error, Real};

/// How pressure follows from density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stiffness<T> {
    /// The constant B of the equation of state, Pa; finite and positive.
    Constant(T),
    /// The speed of sound c, m/s, from which B = ρ₀c²/γ; finite and positive. Ten times the
    /// largest speed keeps changes of density near 1 %.
    SoundSpeed(T),
}

impl<T: Real> Stiffness<T> {
    /// For liquid that may fall through `depth` metres under `gravity` m/s²: c = 10·√(2·g·depth).
    ///
    /// ```
    /// use fluid_num::Stiffness;
    /// assert_eq!(Stiffness::for_depth(2.0_f64, 9.0), Stiffness::SoundSpeed(60.0));
    /// ```
    pub fn for_depth(depth: T, gravity: T) -> Self {
        Self::SoundSpeed(
            T::of(10.0) * (T::of(2.0) * gravity.magnitude() * depth.magnitude()).sqrt(),
        )
    }
}

/// The parameters of [`super::Wcsph`]. The default is water one metre deep, 2 cm a particle.
///
/// ```
/// use fluid_num::{Stiffness, WcsphParams};
/// let lake = WcsphParams::<f32, 2> {
///     spacing: 0.05,
///     stiffness: Stiffness::for_depth(4.0, 9.81),
///     ..Default::default()
/// };
/// assert!(lake.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WcsphParams<T, const D: usize> {
    /// The distance between particles at rest, m; > 0. Default 0.02. Smaller: finer, and steps
    /// shorter in proportion.
    pub spacing: T,
    /// The support radius of the kernel in units of the spacing, 1.5 to 4. Default 2.5 in the plane
    /// (20 neighbours), 2 in space (27). Larger: smoother, dearer.
    pub support_ratio: T,
    /// The density at rest ρ₀, kg/m³ (kg/m² in the plane); > 0. Default 1000.
    pub rest_density: T,
    /// How pressure follows from density. Default: for a depth of 1 m.
    pub stiffness: Stiffness<T>,
    /// The exponent γ of the equation of state, 1 to 9. Default 7. Smaller: softer.
    pub exponent: u32,
    /// The acceleration of gravity, m/s². Default 9.81 downwards (−y).
    pub gravity: [T; D],
    /// The kinematic viscosity ν ≥ 0, m²/s. Default 1e-6 (water). Explicit: the time step is at
    /// most h²/(8ν).
    pub kinematic_viscosity: T,
    /// The artificial viscosity α ≥ 0 that acts where particles approach. Default 0.2. Larger:
    /// calmer, fewer specks; below 0.1 coarse columns beside walls never come to rest.
    pub artificial_viscosity: T,
    /// The share of a particle's velocity that its neighbours' mean replaces when it moves (XSPH), 0
    /// to 1. Default 0. Larger: more orderly motion.
    pub xsph: T,
    /// The largest part of h that sound and motion cross in a sub-step, 0 to 1. Default 0.4.
    pub courant: T,
    /// The most sub-steps of a step, at least 1. Default 1000. A step that would take more does as
    /// many and reports the time it did.
    pub max_substeps: usize,
    /// How much further than the support radius neighbours are sought, in units of it, 0 to 1.
    /// Default 0.1. Larger: fewer searches, longer lists.
    pub skin: T,
    /// How neighbours are found. Default: sorted cells.
    pub cells: CellStructure,
}

impl<T: Real, const D: usize> Default for WcsphParams<T, D> {
    fn default() -> Self {
        let mut gravity = [T::zero(); D];
        if let Some(g) = gravity.get_mut(1) {
            *g = T::of(-9.81);
        }
        Self {
            spacing: T::of(0.02),
            support_ratio: T::of(if D == 2 { 2.5 } else { 2.0 }),
            rest_density: T::of(1000.0),
            stiffness: Stiffness::for_depth(T::one(), T::of(9.81)),
            exponent: 7,
            gravity,
            kinematic_viscosity: T::of(1e-6),
            artificial_viscosity: T::of(0.2),
            xsph: T::zero(),
            courant: T::of(0.4),
            max_substeps: 1000,
            skin: T::of(0.1),
            cells: CellStructure::Sorted,
        }
    }
}

impl<T: Real, const D: usize> WcsphParams<T, D> {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] or [`Error::WrongCount`] for one outside its range.
    pub fn check(&self) -> Result<(), Error> {
        self.matter().check()?;
        match self.stiffness {
            Stiffness::Constant(b) => check::positive("stiffness", b)?,
            Stiffness::SoundSpeed(c) => check::positive("sound_speed", c)?,
        }
        check::within("exponent", f64::from(self.exponent), 1.0, 9.0, "from 1 to 9")?;
        check::all_finite("gravity", &self.gravity)?;
        check::not_negative("kinematic_viscosity", self.kinematic_viscosity)?;
        check::not_negative("artificial_viscosity", self.artificial_viscosity)?;
        check::within("xsph", self.xsph, 0.0, 1.0, "from 0 to 1")?;
        check::within("courant", self.courant, 1e-3, 1.0, "from 0.001 to 1")?;
        check::within("skin", self.skin, 0.0, 1.0, "from 0 to 1")?;
        if self.max_substeps == 0 {
            let expected = "at least 1";
            return Err(Error::WrongCount { name: "max_substeps", count: 0, expected });
        }
        Ok(())
    }

    /// The support radius of the kernel, m.
    pub fn support_radius(&self) -> T {
        self.matter().support_radius()
    }

    /// What the particles are made of.
    pub(super) fn matter(&self) -> Matter<T> {
        let Self { spacing, support_ratio, rest_density, .. } = *self;
        Matter { spacing, support_ratio, rest_density }
    }

    /// The constant B of the equation of state, Pa.
    pub fn pressure_constant(&self) -> T {
        match self.stiffness {
            Stiffness::Constant(b) => b,
            Stiffness::SoundSpeed(c) => self.rest_density * c * c / T::of(f64::from(self.exponent)),
        }
    }

    /// The speed of sound at rest, m/s.
    pub fn sound_speed(&self) -> T {
        match self.stiffness {
            Stiffness::Constant(b) => {
                (b * T::of(f64::from(self.exponent)) / self.rest_density).sqrt()
            }
            Stiffness::SoundSpeed(c) => c,
        }
    }
}
