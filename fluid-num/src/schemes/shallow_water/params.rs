//! What a shallow-water simulation is made with.

use super::{FoamParams, SprayParams, SurfaceWaves};
use crate::base::error::check;
use crate::{Error, Real};

/// What holds at one side of the water.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum WaterSide<T> {
    /// A wall.
    #[default]
    Wall,
    /// The opposite side lies beyond; both sides of an axis must say so.
    Periodic,
    /// Still water at the rest level lies beyond, moving with the reference current. Waves leave:
    /// what comes out of the domain is told from what comes in by Riemann invariants.
    Open,
    /// The surface at the side is held at a level: a tide, a reservoir.
    Surface {
        /// The level, m.
        level: T,
    },
    /// Water comes in (or leaves, below 0), through those cells whose bed lies below the rest level.
    /// Where it leaves faster than it comes there, as much leaves as falls freely over a weir,
    /// √(gh)·h of a depth h, and nothing where it is dry.
    Discharge {
        /// The volume per second and metre of such cells, m²/s.
        rate: T,
    },
    /// A wave maker: waves a·sin(2πt/T) come in from the rest level, and others leave as at an open
    /// side. Their length should be twenty depths or more.
    Waves {
        /// The amplitude a, m, not negative.
        amplitude: T,
        /// The period T, s, positive.
        period: T,
    },
}

impl<T: Real> WaterSide<T> {
    fn check(&self) -> Result<(), Error> {
        match *self {
            Self::Wall | Self::Periodic | Self::Open => Ok(()),
            Self::Surface { level } => moderate("side.level", level),
            Self::Discharge { rate } => moderate("side.rate", rate),
            Self::Waves { amplitude, period } => {
                check::not_negative("side.amplitude", amplitude)?;
                moderate("side.amplitude", amplitude)?;
                check::positive("side.period", period)
            }
        }
    }
}

/// Layers along sides in which waves die out and the water returns to the rest level and the
/// reference current.
///
/// In a layer of `w` cells everything relaxes at the rate σ = 3·strength·c·ξ²/(w·Δx), where ξ is 0 at
/// the inner edge and 1 at the side and c = √(g·max(D, 0)) is the speed of waves in still water D
/// deep. A wave that crosses the layer, is thrown back by the side and crosses it again keeps
/// exp(−4·strength) of its energy. Inside the inner edge nothing happens at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sponge<T> {
    /// The width at each side, cells: `width[axis][end]`; 0 for none. Default: 20 everywhere.
    pub width: [[usize; 2]; 2],
    /// How much a layer takes, from 0; more takes more of long waves and throws more of short ones
    /// back. Default 1.5.
    pub strength: T,
}

impl<T: Real> Default for Sponge<T> {
    fn default() -> Self {
        Self { width: [[20; 2]; 2], strength: T::of(1.5) }
    }
}

/// The parameters of [`super::ShallowWater`]. The default is a lake that mirrors its shores.
///
/// ```
/// use fluid_num::schemes::shallow_water::{ShallowWaterParams, Sponge, WaterSide};
/// let river = ShallowWaterParams::<f32> {
///     sides: [
///         [WaterSide::Discharge { rate: 2.0 }, WaterSide::Surface { level: 0.0 }],
///         [WaterSide::Wall; 2],
///     ],
///     manning: 0.03,
///     ..Default::default()
/// };
/// assert!(river.check().is_ok());
/// let beach = ShallowWaterParams::<f32> { sponge: Some(Sponge::default()), ..Default::default() };
/// assert!(beach.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShallowWaterParams<T> {
    /// The gravity, m/s², positive. Default 9.81.
    pub gravity: T,
    /// What holds at each side: `sides[axis][end]`, end 0 the lower and end 1 the upper one.
    /// Default: walls.
    pub sides: [[WaterSide<T>; 2]; 2],
    /// The level of still water, m: what sponges and open sides return to, and about which the
    /// surface is stored, so that small waves on deep water keep all their digits. Default 0.
    pub rest_level: T,
    /// The current of sponges and open sides, m/s. Default 0.
    pub current: [T; 2],
    /// Whether the velocity is carried along. Without it waves are faster to compute, but bores
    /// have the wrong speed and rivers no inertia. Default true.
    pub momentum_advection: bool,
    /// Manning's coefficient n of the friction on the bed, s/m^⅓, from 0 to 1: 0.01 for glass, 0.03
    /// for a river, 0.1 for reeds. Default 0.
    pub manning: T,
    /// The Coriolis parameter f, 1/s; positive turns to the right. Default 0.
    pub coriolis: T,
    /// The eddy viscosity, m²/s, from 0: more smooths the velocity sooner and takes more sub-steps on
    /// fine grids. Default 0.
    pub eddy_viscosity: T,
    /// What falls from the sky, m/s (1 mm/h is 2.8e-7), from 0. Default 0.
    pub rain: T,
    /// The density of water, kg/m³, positive: what bodies float by. More lifts them higher. Default
    /// 1000.
    pub water_density: T,
    /// The drag coefficient of bodies, from 0: 0.05 for a ship, 1 for a crate. More takes them along
    /// sooner. Default 0.5.
    pub hull_drag: T,
    /// Layers in which waves die out. Default: none.
    pub sponge: Option<Sponge<T>>,
    /// A layer in which waves shorter than some twenty depths travel as slowly as they should. Default:
    /// none.
    pub waves: Option<SurfaceWaves<T>>,
    /// How foam comes and goes. Default: none.
    pub foam: Option<FoamParams<T>>,
    /// How breaking waves throw drops. Default: not at all.
    pub spray: Option<SprayParams<T>>,
    /// The depth, m, that flows at least: thinner films stay where they are. Positive, up to 1. More
    /// makes shores drier. Default 1e-5.
    pub dry_depth: T,
    /// The number of cells that the fastest wave may cross in a sub-step, above 0, up to 0.5: water
    /// crosses no more either. Default 0.5.
    pub courant: T,
    /// The largest number of sub-steps in a step, from 1 to 1e6; what they do not reach is not done,
    /// and the report says so. Default 1000.
    pub max_substeps: usize,
}

impl<T: Real> Default for ShallowWaterParams<T> {
    fn default() -> Self {
        Self {
            gravity: T::of(9.81),
            sides: Default::default(),
            rest_level: T::zero(),
            current: [T::zero(); 2],
            momentum_advection: true,
            manning: T::zero(),
            coriolis: T::zero(),
            eddy_viscosity: T::zero(),
            rain: T::zero(),
            water_density: T::of(1000.0),
            hull_drag: T::of(0.5),
            sponge: None,
            waves: None,
            foam: None,
            spray: None,
            dry_depth: T::of(1e-5),
            courant: T::of(0.5),
            max_substeps: 1000,
        }
    }
}

/// The largest magnitude of speeds, levels and the like: their products stay finite in `f32`.
const LARGE: f64 = 1e9;
const NOT_LARGE: &str = "from -1e9 to 1e9";

/// Checks a length, a speed or the like.
pub(super) fn moderate<T: Real>(name: &'static str, value: T) -> Result<(), Error> {
    check::within(name, value, -LARGE, LARGE, NOT_LARGE)
}

impl<T: Real> ShallowWaterParams<T> {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter that is out of its range, by name; [`Error::HalfPeriodic`].
    pub fn check(&self) -> Result<(), Error> {
        let small = "positive, from 1e-6 to 1e6";
        check::within("gravity", self.gravity, 1e-6, 1e6, small)?;
        for (axis, ends) in self.sides.iter().enumerate() {
            ends.iter().try_for_each(WaterSide::check)?;
            let [lower, upper] = ends.map(|side| side == WaterSide::Periodic);
            if lower != upper {
                return Err(Error::HalfPeriodic { axis });
            }
        }
        moderate("rest_level", self.rest_level)?;
        self.current.iter().try_for_each(|u| moderate("current", *u))?;
        check::within("manning", self.manning, 0.0, 1.0, "from 0 to 1")?;
        moderate("coriolis", self.coriolis)?;
        let rate = "from 0 to 1e9";
        check::within("eddy_viscosity", self.eddy_viscosity, 0.0, LARGE, rate)?;
        check::within("rain", self.rain, 0.0, LARGE, rate)?;
        check::within("water_density", self.water_density, 1e-6, LARGE, "from 1e-6 to 1e9")?;
        check::within("hull_drag", self.hull_drag, 0.0, 1e6, "from 0 to 1e6")?;
        if let Some(sponge) = &self.sponge {
            check::within("sponge.strength", sponge.strength, 0.0, 1e3, "from 0 to 1000")?;
        }
        if let Some(waves) = &self.waves {
            waves.check()?;
        }
        if let Some(foam) = &self.foam {
            foam.check()?;
        }
        if let Some(spray) = &self.spray {
            spray.check()?;
        }
        check::within("dry_depth", self.dry_depth, 1e-12, 1.0, "from 1e-12 to 1")?;
        let courant = self.courant;
        check::within("courant", courant, 1e-3, 0.5, "from 0.001 to 0.5")?;
        if !(1..=1_000_000).contains(&self.max_substeps) {
            let (count, expected) = (self.max_substeps, "from 1 to 1000000");
            return Err(Error::WrongCount { name: "max_substeps", count, expected });
        }
        Ok(())
    }

    /// Which axes are periodic.
    pub(super) fn periodic(&self) -> [bool; 2] {
        self.sides.map(|ends| ends[0] == WaterSide::Periodic)
    }
}
