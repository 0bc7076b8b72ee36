//! What a simulation of position-based fluids is made with.

use crate::base::error::check;
use crate::particles::CellStructure;
use crate::particles::liquid::Matter;
use crate::{Error, Real};

/// The parameters of [`super::Pbf`]. The default is water, 2 cm a particle.
///
/// ```
/// use fluid_num::PbfParams;
/// let honey = PbfParams::<f32, 3> { spacing: 0.05, viscosity: 20.0, ..Default::default() };
/// assert!(honey.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PbfParams<T, const D: usize> {
    /// The distance between particles at rest, m; > 0. Default 0.02.
    pub spacing: T,
    /// The support radius of the kernel in units of the spacing, 1.5 to 4. Default 2.5 in the plane
    /// (20 neighbours), 2 in space (27). Larger: smoother, dearer.
    pub support_ratio: T,
    /// The density at rest ρ₀, kg/m³ (kg/m² in the plane); > 0. Default 1000.
    pub rest_density: T,
    /// The acceleration of gravity, m/s². Default 9.81 downwards (−y).
    pub gravity: [T; D],
    /// The longest sub-step, s; > 0. Default 1/240. A step is divided into equal ones, so that the
    /// liquid's character does not depend on the frame rate.
    pub longest_substep: T,
    /// The most sub-steps of a step, at least 1. Default 64. A step that would take more does as
    /// many and reports the time it did.
    pub max_substeps: usize,
    /// The most corrections of a sub-step, 1 to 100. Default 4. More: less compressible, and deeper
    /// pools at rest (see [`super::Pbf`]).
    pub iterations: usize,
    /// The mean excess of density, relative to ρ₀, at which corrections stop early; ≥ 0. Default 0:
    /// never.
    pub tolerance: T,
    /// The relaxation ε of a correction, in units of Σ|∇C|² of a lattice at rest; 0 to 10. Default
    /// 0.5. Larger: softer, steadier; below 0.4 liquid boils.
    pub relaxation: T,
    /// The tensile correction k, in units of the correction of a density that is ρ₀ too high; 0 to 1.
    /// Default 1e-3. Larger: particles keep apart more, and the surface is smoother.
    pub tensile: T,
    /// The rate at which velocities even out between neighbours (XSPH), 1/s; ≥ 0. Default 2. Larger:
    /// more viscous.
    pub viscosity: T,
    /// The strength ε of vorticity confinement, 0 to 1. Default 0. Larger: lost eddies are given back.
    pub confinement: T,
    /// How neighbours are found. Default: sorted cells.
    pub cells: CellStructure,
}

impl<T: Real, const D: usize> Default for PbfParams<T, D> {
    fn default() -> Self {
        let mut gravity = [T::zero(); D];
        if let Some(g) = gravity.get_mut(1) {
            *g = T::of(-9.81);
        }
        Self {
            spacing: T::of(0.02),
            support_ratio: T::of(if D == 2 { 2.5 } else { 2.0 }),
            rest_density: T::of(1000.0),
            gravity,
            longest_substep: T::of(1.0 / 240.0),
            max_substeps: 64,
            iterations: 4,
            tolerance: T::zero(),
            relaxation: T::of(0.5),
            tensile: T::of(1e-3),
            viscosity: T::of(2.0),
            confinement: T::zero(),
            cells: CellStructure::Sorted,
        }
    }
}

impl<T: Real, const D: usize> PbfParams<T, D> {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] or [`Error::WrongCount`] for one outside its range.
    pub fn check(&self) -> Result<(), Error> {
        self.matter().check()?;
        check::all_finite("gravity", &self.gravity)?;
        check::positive("longest_substep", self.longest_substep)?;
        check::within("iterations", self.iterations as f64, 1.0, 100.0, "from 1 to 100")?;
        check::not_negative("tolerance", self.tolerance)?;
        check::within("relaxation", self.relaxation, 0.0, 10.0, "from 0 to 10")?;
        check::within("tensile", self.tensile, 0.0, 1.0, "from 0 to 1")?;
        check::not_negative("viscosity", self.viscosity)?;
        check::within("confinement", self.confinement, 0.0, 1.0, "from 0 to 1")?;
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
}
