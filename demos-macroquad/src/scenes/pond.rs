//! A pond around a square island; drops fall on it.

use fluid_num::ShallowWaterParams;
use fluid_num::schemes::shallow_water::FoamParams;

use crate::lake::{Lake, Site, bumps, cosine, sine};
use crate::relief::Look;
use crate::scene::Setup;

/// The name on the command line.
pub const NAME: &str = "pond";
/// What it shows.
pub const TITLE: &str = "Pond: drops on water around an island (shallow water)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [512, 512];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [256, 256];

/// The scene.
pub type Pond = Lake<Island>;

/// The ground of the pond.
#[derive(Debug)]
pub struct Island;

impl Site for Island {
    const NAME: &'static str = NAME;
    const HINT: &'static str = "press: drops";
    const SIZE: [usize; 2] = SIZE;
    const AREA: f64 = 144.0;
    const PIXELS: usize = 2;
    const LOOK: Look =
        Look { steeper: 1.8, ground_steeper: 1.0, murk: 1.7, grass: 0.12, rock: 9.0 };
    const PRESS: [f64; 2] = [0.45, 0.05];
    const DEEP: f64 = 0.8;

    fn new(_: &Setup) -> Self {
        Self
    }

    fn anew(&self) -> Self {
        Self
    }

    fn bed(&self, [x, y]: [f64; 2], _: [f64; 2]) -> f64 {
        let from_middle = (x - 0.5).abs().max((y - 0.5).abs());
        if from_middle < 0.09 {
            return 0.4;
        }
        let rim = [x, y, 1.0 - x, 1.0 - y].into_iter().fold(1.0, f64::min);
        let bank = (1.0 - rim / 0.08).max(0.0);
        -0.7 + 0.9 * bank * bank + 0.12 * bumps([5.0 * x, 5.0 * y])
    }

    fn params(&self) -> ShallowWaterParams<f64> {
        let foam = Some(FoamParams { breaking: 0.3, ..Default::default() });
        ShallowWaterParams { momentum_advection: false, foam, ..Default::default() }
    }

    fn surface(&self, _: [f64; 2]) -> f64 {
        0.0
    }

    /// Drops here and there.
    fn hand(step: u64) -> Option<[f64; 2]> {
        let turn = (step / 36) as f64;
        let at = [0.5 + 0.34 * cosine(0.2 + 2.4 * turn), 0.5 + 0.34 * sine(2.4 * turn)];
        (step % 36 < 3).then_some(at)
    }
}
