//! A dam gives way, and its lake runs down a valley.

use fluid_num::schemes::shallow_water::{FoamParams, SprayParams, WaterSide};
use fluid_num::{Error, ShallowWater, ShallowWaterParams};

use crate::lake::{Lake, Site, bed, bumps, cosine, exp, sine, stands};
use crate::relief::Look;
use crate::scene::Setup;

/// The name on the command line.
pub const NAME: &str = "dam-burst";
/// What it shows.
pub const TITLE: &str = "Dam burst: a lake runs down a valley (shallow water)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [480, 320];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [300, 200];

/// The scene.
pub type DamBurst = Lake<Dam>;

/// The ground, and whether the dam still stands.
#[derive(Debug)]
pub struct Dam {
    stands: bool,
}

/// The level of the lake, m.
const LEVEL: f64 = 7.0;
/// Where the dam stands and how thick it is, as shares.
const WALL: [f64; 2] = [0.36, 0.008];
/// Half of the breach, as a share.
const BREACH: f64 = 0.11;
/// The step before which it gives way.
const BURSTS: u64 = 2;

/// Where the valley runs.
fn middle(x: f64) -> f64 {
    0.5 + 0.13 * sine(8.0 * x - 2.4) * ((x - 0.3) * 3.0).clamp(0.0, 1.0)
}

fn valley([x, y]: [f64; 2]) -> f64 {
    let wide = 0.20 + 0.10 * cosine(5.0 * x).powi(2);
    let far = (y - middle(x)).abs() / wide;
    let sides = 9.0 * far * far / (1.0 + 0.6 * far * far);
    // Hills in the way of the flood.
    let hill = |at: [f64; 2], r: f64| exp(-((x - at[0]).powi(2) + (y - at[1]).powi(2)) / (r * r));
    let hills = 3.4 * hill([0.55, 0.44], 0.035)
        + 3.0 * hill([0.74, 0.60], 0.04)
        + 2.2 * hill([0.88, 0.42], 0.03);
    3.2 * (1.0 - x) + sides + hills + 0.5 * bumps([9.0 * x, 6.0 * y])
}

impl Site for Dam {
    const NAME: &'static str = NAME;
    const HINT: &'static str = "press: push the water aside";
    const SIZE: [usize; 2] = SIZE;
    const AREA: f64 = 150.0 * 100.0;
    const PIXELS: usize = 2;
    const LOOK: Look =
        Look { steeper: 2.0, ground_steeper: 1.3, murk: 0.45, grass: 1.2, rock: 9.5 };
    const PRESS: [f64; 2] = [3.0, 0.5];
    const DEEP: f64 = 4.0;

    fn new(_: &Setup) -> Self {
        Self { stands: true }
    }

    fn anew(&self) -> Self {
        Self { stands: true }
    }

    fn bed(&self, [x, y]: [f64; 2], cell: [f64; 2]) -> f64 {
        let ground = valley([x, y]);
        let breach = !self.stands && stands(y, cell[1], 0.5, BREACH);
        if stands(x, cell[0], WALL[0], WALL[1]) && !breach {
            ground.max(LEVEL + 0.6)
        } else {
            ground
        }
    }

    fn params(&self) -> ShallowWaterParams<f64> {
        ShallowWaterParams {
            sides: [[WaterSide::Wall, WaterSide::Open], [WaterSide::Wall; 2]],
            manning: 0.03,
            foam: Some(FoamParams { breaking: 0.12, ..Default::default() }),
            spray: Some(SprayParams { breaking: 0.4, radius: 0.12, ..Default::default() }),
            ..Default::default()
        }
    }

    fn surface(&self, at: [f64; 2]) -> f64 {
        if at[0] < WALL[0] { LEVEL } else { f64::from(-1e3_f32) }
    }

    /// The middle of the dam breaks away.
    fn live(&mut self, water: &mut ShallowWater<f64>, step: u64) -> Result<(), Error> {
        if step < BURSTS || !self.stands {
            return Ok(());
        }
        self.stands = false;
        let bed = bed(self, *water.grid());
        let mut heights = bed.values();
        water.edit_bed(|_, before| heights.next().unwrap_or(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{DT, Scene};

    #[test]
    fn the_dam_holds_on_every_grid_until_it_bursts() {
        for columns in [24, 25, 30, 50] {
            let cells = [columns, 2 * columns / 3];
            let mut burst =
                DamBurst::new(&Setup { size: Some(cells), ..Setup::default() }).unwrap();
            let beyond = |burst: &DamBurst| {
                let wall = (WALL[0] * cells[0] as f64) as usize;
                let depth =
                    |n: usize| burst.water.depth([wall + n / cells[1], n % cells[1]]).unwrap();
                (0..(cells[0] - wall) * cells[1]).map(depth).fold(0.0_f64, f64::max)
            };
            // The water alone, without what lets the dam burst.
            for _ in 0..600 {
                burst.water.step(DT).unwrap();
            }
            assert_eq!(beyond(&burst), 0.0, "{columns}");
            for _ in 0..600 {
                burst.step().unwrap();
            }
            // The lake stands 4 m above the valley there.
            assert!(beyond(&burst) > 0.5, "{columns}: {} m", beyond(&burst));
        }
    }
}
