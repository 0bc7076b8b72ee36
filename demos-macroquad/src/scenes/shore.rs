//! Waves run up a beach, whose heights a picture may give.

use fluid_num::ShallowWaterParams;
use fluid_num::schemes::shallow_water::{FoamParams, SprayParams, WaterSide};

use crate::lake::{Lake, Site, bumps, exp, sine};
use crate::relief::Look;
use crate::scene::{Image, Setup};

/// The name on the command line.
pub const NAME: &str = "shore";
/// What it shows.
pub const TITLE: &str = "Shore: waves run up a beach (shallow water)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [480, 320];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [300, 200];

/// The scene.
pub type Shore = Lake<Beach>;

/// The ground of the shore.
#[derive(Debug)]
pub struct Beach {
    /// Its heights: black lies 3 m below the water, white as high above.
    ground: Option<Image>,
}

impl Site for Beach {
    const NAME: &'static str = NAME;
    const HINT: &'static str = "press: push the water aside";
    const SIZE: [usize; 2] = SIZE;
    const AREA: f64 = 60.0 * 40.0;
    const PIXELS: usize = 2;
    const LOOK: Look = Look { steeper: 2.5, ground_steeper: 1.6, murk: 1.0, grass: 1.3, rock: 2.6 };
    const PRESS: [f64; 2] = [1.5, 0.25];
    const DEEP: f64 = 3.0;

    fn new(setup: &Setup) -> Self {
        Self { ground: setup.ground.clone() }
    }

    fn anew(&self) -> Self {
        Self { ground: self.ground.clone() }
    }

    fn bed(&self, [x, y]: [f64; 2], _: [f64; 2]) -> f64 {
        if let Some(image) = &self.ground {
            let pixels = image.size();
            let cell = [0, 1].map(|a| {
                let at = [x, y][a] * pixels[a] as f64;
                (at as usize).min(pixels[a] - 1)
            });
            return 2.0 * image.under(cell, pixels).iter().sum::<f64>() - 3.0;
        }
        // A bay between two headlands, with bars before it.
        let coast = 0.66 + 0.10 * sine(7.0 * y) + 0.05 * sine(17.0 * y + 1.0);
        let inland = x - coast;
        let slope = if inland > 0.0 { 5.5 * inland } else { 4.2 * inland.max(-0.7) };
        let heads = 2.2 * exp(-((x - 0.52) / 0.07).powi(2) - ((y - 0.86) / 0.09).powi(2))
            + 1.8 * exp(-((x - 0.40) / 0.035).powi(2) - ((y - 0.20) / 0.05).powi(2));
        slope + heads + 0.14 * bumps([11.0 * x, 8.0 * y])
    }

    fn params(&self) -> ShallowWaterParams<f64> {
        let waves = WaterSide::Waves { amplitude: 0.32, period: 5.5 };
        ShallowWaterParams {
            sides: [[waves, WaterSide::Wall], [WaterSide::Wall; 2]],
            manning: 0.015,
            foam: Some(FoamParams::default()),
            spray: Some(SprayParams { breaking: 0.35, radius: 0.06, ..Default::default() }),
            ..Default::default()
        }
    }

    /// Two swells that are on their way already.
    fn surface(&self, [x, _]: [f64; 2]) -> f64 {
        let swell = |at: f64| 0.5 * exp(-((x - at) / 0.025).powi(2));
        swell(0.2) + swell(0.42)
    }

    fn start(&self, [_, _]: [f64; 2], depth: f64, surface: f64) -> [f64; 2] {
        // A wave that runs to the right alone: u = η√(g/h).
        [surface.max(0.0) * (9.81 / depth.max(0.2)).sqrt(), 0.0]
    }
}
