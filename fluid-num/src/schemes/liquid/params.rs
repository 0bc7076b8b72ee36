//! What a liquid is made with.

use super::separation::opened;
use crate::advection::{Advection, Interpolation, PathOrder};
use crate::base::error::check;
use crate::level_set::{BandTransport, MarkerParams};
use crate::poisson::{Budget, MultigridParams, Preconditioner, SolverKind};
use crate::solid::Contacts;
use crate::{Boundary, Error, Grid, Real};

/// How the liquid and its bodies act on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coupling {
    /// One after the other: the liquid sees bodies that move as they do and pushes them afterwards.
    /// Unstable for bodies lighter than the liquid that they displace.
    Weak,
    /// Both at once: the masses of bodies are part of the pressure problem. Stable for any mass.
    #[default]
    Strong,
}

/// What gives back, step by step, the volume that interpolation loses or makes: a source in all of the
/// liquid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeCorrection<T> {
    /// How fast what is missing comes back, 1/s. More: sooner, and with more to be seen of it.
    pub rate: T,
    /// The largest part of the volume that is given or taken in a second, 1/s.
    pub most: T,
}

impl<T: Real> Default for VolumeCorrection<T> {
    fn default() -> Self {
        Self { rate: T::of(10.0), most: T::of(0.5) }
    }
}

/// The parameters of [`super::Liquid`]. The default is water in a closed box, y upwards.
///
/// ```
/// use fluid_num::{LiquidParams, Error};
/// let oil = LiquidParams::<f32, 2> { density: 900.0, kinematic_viscosity: 1e-4, ..Default::default() };
/// assert!(oil.check().is_ok());
/// let bad = LiquidParams::<f32, 2> { density: 0.0, ..Default::default() };
/// assert!(matches!(bad.check(), Err(Error::InvalidParameter { name: "density", .. })));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LiquidParams<T, const D: usize> {
    /// What holds at each side: walls, inflow, periodic; at an open side p = 0, the liquid pours out.
    /// Default: a closed box of free-slip walls.
    pub boundary: Boundary<T, D>,
    /// The acceleration of gravity, m/s², in any direction. Default: 9.81 along −y.
    pub gravity: [T; D],
    /// The density ρ > 0, kg/m³ (kg/m² in the plane): what pressure and the force on bodies scale with.
    /// Default 1000.
    pub density: T,
    /// Kinematic viscosity ν ≥ 0, m²/s; solved implicitly, stable for any value. Default 0: only what
    /// advection smears.
    pub kinematic_viscosity: T,
    /// Surface tension σ ≥ 0, N/m (N in the plane): p = σκ on the surface, which meets walls at right
    /// angles and goes straight on into bodies. Explicit: stable for sub-steps up to √(ρh³/(4πσ)) (Brackbill,
    /// Kothe and Zemach 1992, <https://doi.org/10.1016/0021-9991(92)90240-Y>), which a step is cut into, at most
    /// `most_substeps`. Errors of κ drive currents in a drop at rest, of 3 % of √(σ/(ρR)) in the plane and up to
    /// 26 % in space at R = 7 to 9 cells. Default 0; water against air has 0.073.
    pub surface_tension: T,
    /// How the liquid and its bodies act on each other. Default: strongly.
    pub coupling: Coupling,
    /// Whether liquid comes off walls instead of being held there by suction. Costs up to three more
    /// pressure solves in a sub-step in which it does. Bodies hold what touches them all the same. Default: no.
    pub separating_walls: bool,
    /// How bodies touch each other and the walls when [`super::Liquid::advance_bodies`] moves them.
    pub contacts: Contacts<T>,
    /// The smallest distance from a cell's centre to the surface that the pressure sees, in cells, from
    /// 1e-4 to 0.5. Less is more exact, and makes the pressure problem harder. Default 0.01.
    pub least_fraction: T,
    /// How the velocity carries itself. Default: semi-Lagrangian, clamped cubic.
    pub velocity_advection: Advection,
    /// How the paths of the velocity are integrated. Default: midpoint.
    pub path_order: PathOrder,
    /// How the surface is read between cells. Default: cubic, which keeps volumes best.
    pub surface_interpolation: Interpolation,
    /// The half width of the band in which φ is a distance, in cells, from 3 on. Default 6.
    pub band: T,
    /// After how many cells of motion φ is made a distance again. Less: the surface is smoothed more
    /// often. Default 1.
    pub reinitialize_after: T,
    /// Particles that hold what is thinner than two cells (particle level set), if any. Default: none.
    pub markers: Option<MarkerParams>,
    /// The most cells that the liquid moves in a sub-step; a longer step is cut into sub-steps. Less is
    /// more exact and costs more. Default 2.
    pub most_cells: T,
    /// The most sub-steps of a step; past it, sub-steps are longer. Default 8.
    pub most_substeps: usize,
    /// What holds the volume, if anything. Default: nothing.
    pub volume_correction: Option<VolumeCorrection<T>>,
    /// The pressure solver. Strong coupling needs conjugate gradients. Default: those, with multigrid.
    pub pressure_solver: SolverKind<T>,
    /// How much a pressure solve may do. Default: 100 iterations, relative residual 1e-4.
    pub pressure_budget: Budget<T>,
    /// How much a viscosity solve may do. Default: 200 iterations, residual 1e-4.
    pub diffusion_budget: Budget<T>,
}

impl<T: Real, const D: usize> Default for LiquidParams<T, D> {
    fn default() -> Self {
        let multigrid = Preconditioner::Multigrid(MultigridParams::default());
        Self {
            boundary: Boundary::walls(),
            gravity: core::array::from_fn(|a| if a == 1 { T::of(-9.81) } else { T::zero() }),
            density: T::of(1000.0),
            kinematic_viscosity: T::zero(),
            surface_tension: T::zero(),
            coupling: Coupling::Strong,
            separating_walls: false,
            contacts: Contacts::default(),
            least_fraction: T::of(0.01),
            velocity_advection: Advection::SemiLagrangian(Interpolation::ClampedCubic),
            path_order: PathOrder::Midpoint,
            surface_interpolation: Interpolation::Cubic,
            band: T::of(6.0),
            reinitialize_after: T::one(),
            markers: None,
            most_cells: T::of(2.0),
            most_substeps: 8,
            volume_correction: None,
            pressure_solver: SolverKind::ConjugateGradient(multigrid),
            pressure_budget: Budget::tolerance(T::of(1e-4), 100),
            diffusion_budget: Budget::tolerance(T::of(1e-4), 200),
        }
    }
}

impl<T: Real, const D: usize> LiquidParams<T, D> {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter that is out of its range, by name; [`Error::UnsuitableSolver`] for a solver
    /// that cannot do the coupling.
    pub fn check(&self) -> Result<(), Error> {
        self.boundary.check()?;
        check::all_finite("gravity", &self.gravity)?;
        check::positive("density", self.density)?;
        check::not_negative("kinematic_viscosity", self.kinematic_viscosity)?;
        check::not_negative("surface_tension", self.surface_tension)?;
        self.contacts.check()?;
        let (least, expected) = (self.least_fraction, "from 0.0001 to 0.5");
        check::within("least_fraction", least, 1e-4 * (1.0 - 1e-6), 0.5, expected)?;
        check::within("band", self.band, 3.0, 1e6, "from 3 to 1000000")?;
        check::not_negative("reinitialize_after", self.reinitialize_after)?;
        check::positive("most_cells", self.most_cells)?;
        if self.most_substeps == 0 {
            let expected = "at least 1";
            return Err(Error::InvalidParameter { name: "most_substeps", value: 0.0, expected });
        }
        if let Some(correction) = self.volume_correction {
            check::positive("volume_correction.rate", correction.rate)?;
            check::positive("volume_correction.most", correction.most)?;
        }
        self.pressure_solver.check()?;
        self.pressure_budget.check()?;
        self.diffusion_budget.check()?;
        let gradients = matches!(self.pressure_solver, SolverKind::ConjugateGradient(_));
        if self.coupling == Coupling::Strong && !gradients {
            return Err(Error::UnsuitableSolver {
                solver: self.pressure_solver.name(),
                reason: "the masses of bodies couple cells that are no neighbours",
                instead: "CG (multigrid), or weak coupling",
            });
        }
        if matches!(
            self.pressure_solver,
            SolverKind::Spectral(_) | SolverKind::ConjugateGradient(Preconditioner::Spectral)
        ) {
            return Err(Error::UnsuitableSolver {
                solver: self.pressure_solver.name(),
                reason: "the surface makes coefficients that vary",
                instead: "CG (multigrid)",
            });
        }
        Ok(())
    }

    /// What moves the surface: along walls, or off them.
    pub(super) fn transport(&self, grid: Grid<T, D>) -> Result<BandTransport<T, D>, Error> {
        let boundary = if self.separating_walls { opened(&self.boundary) } else { self.boundary };
        BandTransport::new(grid, boundary, self.surface_interpolation)
    }
}
