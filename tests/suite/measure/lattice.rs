//! Flows of the lattice Boltzmann method that others have measured or computed.

use super::cavity::{Cavity, peak};
use fluid_num::schemes::lbm::{Bounce, Collision, LbmParams};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Boundary, Error, Grid2, LbmD2Q9, Side};

/// The lid-driven cavity of `n`² cells after `time` of the lid's crossings; the lid moves `speed`
/// cells a step.
///
/// # Errors
/// As the scheme.
pub(crate) fn cavity(n: usize, reynolds: f64, speed: f64, time: f64) -> Result<Cavity, Error> {
    let dx = 1.0 / n as f64;
    let lid = Side::Moving { velocity: [1.0, 0.0] };
    let params = LbmParams {
        kinematic_viscosity: 1.0 / reynolds,
        time_step: speed * dx,
        boundary: Boundary::all(Side::NoSlip).with(1, 1, lid),
        ..Default::default()
    };
    let mut lbm = LbmD2Q9::<f64>::new(Grid2::new([n, n], dx)?, params)?;
    lbm.advance((time / params.time_step).round() as usize)?;
    // The centre lines run between cells.
    let along = |axis: usize| -> Vec<f64> {
        let u = &lbm.velocity()[axis];
        let at = |i: usize, m: usize| u[if axis == 0 { [m, i] } else { [i, m] }];
        (0..n).map(|i| 0.5 * (at(i, n / 2) + at(i, (n - 1) / 2))).collect()
    };
    let [u, v] = [along(0), along(1)];
    Ok(Cavity { u_min: -peak(&u, -1.0), v_max: peak(&v, 1.0), v_min: -peak(&v, -1.0) })
}

/// The channel of Schäfer and Turek 1996 with a cylinder in it, in metres and seconds.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) lbm: LbmD2Q9<f64>,
    mean_speed: f64,
}

/// The drag coefficient at Reynolds number 20 (FeatFlow).
#[allow(dead_code, reason = "for the suite alone")]
pub(crate) const DRAG_2D_1: f64 = 5.579_535_233_84;

/// The largest drag coefficient at Reynolds number 100 (FeatFlow).
#[allow(dead_code, reason = "for the suite alone")]
pub(crate) const DRAG_2D_2: f64 = 3.2272;

/// The cylinder's diameter.
const DIAMETER: f64 = 0.1;
/// The channel's length and height.
const SIZE: [f64; 2] = [2.2, 0.41];

impl Channel {
    /// A channel `height` cells high at this Reynolds number, with the default collision; the fastest
    /// inflow is `speed` cells a step.
    ///
    /// # Errors
    /// As the scheme.
    pub(crate) fn new(
        height: usize,
        reynolds: f64,
        speed: f64,
        bounce: Bounce,
    ) -> Result<Self, Error> {
        let dx = SIZE[1] / height as f64;
        let mean_speed = 1e-3 * reynolds / DIAMETER;
        let fastest = 1.5 * mean_speed;
        let boundary = Boundary::all(Side::NoSlip)
            .with(0, 0, Side::Inflow { velocity: [0.0; 2] })
            .with(0, 1, Side::Open);
        let params = LbmParams {
            kinematic_viscosity: 1e-3,
            time_step: speed * dx / fastest,
            bounce,
            boundary,
            ..Default::default()
        };
        let cells = [(SIZE[0] / dx).round() as usize, height];
        let mut lbm = LbmD2Q9::new(Grid2::new(cells, dx)?, params)?;
        let profile = |y: f64| fastest * 4.0 * y * (SIZE[1] - y) / (SIZE[1] * SIZE[1]);
        lbm.set_inflow(0, 0, |[_, y]| [profile(y), 0.0])?;
        let slope = 8.0 * params.kinematic_viscosity * fastest / (SIZE[1] * SIZE[1]);
        lbm.set_flow(|[x, y]| ([profile(y), 0.0], slope * (SIZE[0] - x)))?;
        lbm.bodies_mut().push(Body::new(Shape::ball(0.5 * DIAMETER)?, [0.2, 0.2])?);
        Ok(Self { lbm, mean_speed })
    }

    /// Drag and lift coefficients, the means of the next `steps`.
    ///
    /// # Errors
    /// As the scheme.
    pub(crate) fn coefficients(&mut self, steps: usize) -> Result<[f64; 2], Error> {
        self.lbm.bodies_mut()[0].clear_wrench();
        self.lbm.advance(steps)?;
        let scale = 2.0 / (self.mean_speed * self.mean_speed * DIAMETER);
        Ok(self.lbm.bodies()[0].force.map(|f| f * scale))
    }

    /// Lattice steps in `seconds`.
    pub(crate) fn steps(&self, seconds: f64) -> usize {
        (seconds / self.lbm.params().time_step).round() as usize
    }

    /// The pressure in front of the cylinder less that behind it, Pa.
    #[allow(dead_code, reason = "for the report alone")]
    pub(crate) fn pressure_difference(&self) -> f64 {
        let at = |x: f64| self.lbm.pressure().sample([x, 0.2]);
        // Solid cells hold no pressure: of two cells off the wall, extrapolated to it.
        let dx = self.lbm.grid().dx();
        let wall =
            |x: f64, away: f64| 2.5 * at(x + 1.5 * away * dx) - 1.5 * at(x + 2.5 * away * dx);
        wall(0.15, -1.0) - wall(0.25, 1.0)
    }

    /// The frequency of shedding times D/U, and the largest drag and lift coefficients, over about
    /// `seconds`, with a look every `every` steps.
    ///
    /// # Errors
    /// As the scheme.
    pub(crate) fn street(&mut self, seconds: f64, every: usize) -> Result<Street, Error> {
        let looks = self.steps(seconds) / every;
        let dt = every as f64 * self.lbm.params().time_step;
        let (mut rises, mut before) = (Vec::new(), 0.0);
        let [mut drag_max, mut lift_max] = [f64::MIN; 2];
        let mut drag_min = f64::MAX;
        let mut lifts = Vec::new();
        for n in 0..looks {
            let [drag, lift] = self.coefficients(every)?;
            drag_max = drag_max.max(drag);
            drag_min = drag_min.min(drag);
            lift_max = lift_max.max(lift);
            lifts.push((n as f64 * dt, lift));
            if n > 0 && before < 0.0 && lift >= 0.0 {
                rises.push((n as f64 - lift / (lift - before)) * dt);
            }
            before = lift;
        }
        let periods = rises.len().saturating_sub(1) as f64;
        let span = rises.last().zip(rises.first()).map_or(f64::NAN, |(b, a)| b - a);
        let strouhal = periods / span * DIAMETER / self.mean_speed;
        Ok(Street { strouhal, drag_max, drag_min, lift_max, lifts })
    }
}

/// What a street of vortices does to the cylinder.
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "for the report alone")]
pub(crate) struct Street {
    pub(crate) strouhal: f64,
    pub(crate) drag_max: f64,
    pub(crate) drag_min: f64,
    pub(crate) lift_max: f64,
    /// Time, s, and lift coefficient.
    pub(crate) lifts: Vec<(f64, f64)>,
}

/// A channel whose cells and steps are 1, with a disc in it; fluid streams in and through it from the
/// start.
///
/// # Errors
/// As the scheme.
pub(crate) fn disc_in_wind(
    cells: [usize; 2],
    radius: f64,
    collision: Collision<f64>,
    nu: f64,
    speed: f64,
) -> Result<LbmD2Q9<f64>, Error> {
    let boundary = Boundary::all(Side::NoSlip)
        .with(0, 0, Side::Inflow { velocity: [speed, 0.0] })
        .with(0, 1, Side::Open);
    let params = LbmParams {
        collision,
        kinematic_viscosity: nu,
        boundary,
        time_step: 1.0,
        ..Default::default()
    };
    let mut lbm = LbmD2Q9::new(Grid2::new(cells, 1.0)?, params)?;
    let at = [0.2 * cells[0] as f64, 0.5 * cells[1] as f64];
    lbm.bodies_mut().push(Body::new(Shape::ball(radius)?, at)?);
    lbm.set_flow(|_| ([speed, 0.0], 0.0))?;
    Ok(lbm)
}

/// The largest speed, in cells a step, after `steps` of central moments at τ = 0.5003 in a wind of
/// 0.1 cells a step.
///
/// # Errors
/// As the scheme.
pub(crate) fn fast_street(cells: [usize; 2], radius: f64, steps: usize) -> Result<f64, Error> {
    let mut lbm = disc_in_wind(cells, radius, Collision::CentralMoments, 1e-4, 0.1)?;
    Ok(lbm.advance(steps)?.max_speed)
}
