//! A river runs between the piers of a bridge and carries boats along, which float and collide.

use fluid_num::schemes::shallow_water::{FoamParams, WaterSide};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, ShallowWater, ShallowWaterParams};

use crate::lake::{Lake, Site, bumps, sine, stands};
use crate::relief::Look;
use crate::scene::Setup;

/// The name on the command line.
pub const NAME: &str = "river";
/// What it shows.
pub const TITLE: &str = "River: boats between the piers of a bridge (shallow water)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [480, 240];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [320, 160];

/// The scene.
pub type River = Lake<Valley>;

/// The ground of the river, and where boats may start again.
#[derive(Debug)]
pub struct Valley;

/// The piers, as shares of the extent.
const PIERS: [[f64; 2]; 3] = [[0.52, 0.36], [0.52, 0.5], [0.52, 0.64]];
/// Half a pier along and across the river, as shares.
const PIER: [f64; 2] = [0.022, 0.014];
/// The length, width and height of a boat, m.
const BOAT: [f64; 3] = [3.0, 1.3, 0.9];
const BOATS: usize = 6;
/// How fast the river runs, m/s.
const SPEED: f64 = 1.7;

fn middle(x: f64) -> f64 {
    0.5 + 0.10 * sine(5.2 * (x - 0.52)) * (2.0 * (x - 0.52)).abs().min(1.0)
}

/// A boat: a hull that ends round.
fn boat(n: usize, at: [f64; 2]) -> Result<Body<f64, 3>, Error> {
    let [length, width, height] = BOAT;
    let radius = 0.5 * width;
    let hull = Shape::cuboid([0.5 * (length - width), radius, 0.5 * height])?;
    let end = |sign: f64| {
        let ball = Shape::ball(radius)?;
        ball.moved([sign * 0.5 * (length - width), 0.0, 0.0])
    };
    let shape = Shape::union(vec![hull, end(1.0)?, end(-1.0)?])?;
    let mass = 420.0 * length * width * height;
    let inertia = [width.powi(2), length.powi(2), length.powi(2)].map(|x| mass * x / 10.0);
    let turn = 0.5 * sine(1.7 * n as f64);
    Body::new(shape, [at[0], at[1], 0.1])?.with_mass(mass, inertia)?.with_angle(turn)
}

impl Site for Valley {
    const NAME: &'static str = NAME;
    const HINT: &'static str = "press: push the water aside";
    const SIZE: [usize; 2] = SIZE;
    const AREA: f64 = 64.0 * 32.0;
    const PIXELS: usize = 2;
    const LOOK: Look = Look { steeper: 3.5, ground_steeper: 1.3, murk: 1.3, grass: 0.5, rock: 9.0 };
    const PRESS: [f64; 2] = [1.0, 0.2];
    const DEEP: f64 = 1.6;

    fn new(_: &Setup) -> Self {
        Self
    }

    fn anew(&self) -> Self {
        Self
    }

    fn bed(&self, [x, y]: [f64; 2], cell: [f64; 2]) -> f64 {
        let pier =
            |p: &[f64; 2]| stands(x, cell[0], p[0], PIER[0]) && stands(y, cell[1], p[1], PIER[1]);
        if PIERS.iter().any(pier) {
            return 1.6;
        }
        let far = (y - middle(x)).abs() / 0.27;
        let channel = -1.5 + 2.6 * far.powi(4).min(1.4);
        channel - 0.25 * (x - 0.5) + 0.12 * bumps([13.0 * x, 7.0 * y])
    }

    fn params(&self) -> ShallowWaterParams<f64> {
        ShallowWaterParams {
            sides: [
                [WaterSide::Discharge { rate: 1.5 * SPEED }, WaterSide::Surface { level: 0.0 }],
                [WaterSide::Wall; 2],
            ],
            manning: 0.02,
            eddy_viscosity: 0.02,
            hull_drag: 0.3,
            foam: Some(FoamParams { breaking: 0.08, ..Default::default() }),
            ..Default::default()
        }
    }

    fn surface(&self, [x, _]: [f64; 2]) -> f64 {
        // What the friction of the bed asks for.
        0.25 * (1.0 - x)
    }

    fn start(&self, _: [f64; 2], depth: f64, _: f64) -> [f64; 2] {
        [SPEED * (depth / 1.5).min(1.0), 0.0]
    }

    fn begin(&mut self, water: &mut ShallowWater<f64>) -> Result<(), Error> {
        let size = water.grid().size();
        for n in 0..BOATS {
            let x = 0.12 + 0.36 * n as f64 / BOATS as f64;
            let y = middle(x) + 0.09 * sine(2.3 * n as f64);
            water.bodies_mut().push(boat(n, [x * size[0], y * size[1]])?);
        }
        Ok(())
    }

    /// Boats that leave come back where the river does; those that touch push each other.
    fn live(&mut self, water: &mut ShallowWater<f64>, _: u64) -> Result<(), Error> {
        let (size, dx) = (water.grid().size(), water.grid().dx());
        let bodies = water.bodies_mut();
        for (n, body) in bodies.iter_mut().enumerate() {
            let gone =
                !(-1.0..size[0] - 1.5).contains(&body.position[0]) || body.position[2] < -3.0;
            if gone {
                *body = boat(n, [0.05 * size[0], size[1] * (0.5 + 0.08 * sine(1.9 * n as f64))])?;
                body.position[2] = 0.3;
                body.velocity[0] = 1.0;
            }
        }
        for a in 0..bodies.len() {
            let (first, second) = bodies.split_at_mut(a + 1);
            for other in second {
                collide(&mut first[a], other)?;
            }
            for [x, y] in PIERS {
                let corner = [x * size[0], y * size[1]];
                let half = [0, 1].map(|a| (PIER[a] * size[a]).max(0.5 * dx));
                fend_off(&mut first[a], corner, half)?;
            }
        }
        Ok(())
    }
}

/// Two balls at the ends of a boat.
fn ends(body: &Body<f64, 3>) -> [[f64; 3]; 2] {
    let reach = 0.5 * (BOAT[0] - BOAT[1]);
    [-reach, reach].map(|x| body.to_world([x, 0.0, 0.0]))
}

/// How hard boats push, N/m and N s/m.
const PUSH: [f64; 2] = [60_000.0, 3_000.0];

/// Springs between the balls of two boats.
fn collide(a: &mut Body<f64, 3>, b: &mut Body<f64, 3>) -> Result<(), Error> {
    for p in ends(a) {
        for q in ends(b) {
            let way = [p[0] - q[0], p[1] - q[1]];
            let far = (way[0] * way[0] + way[1] * way[1]).sqrt().max(1e-6);
            let deep = BOAT[1] - far;
            if deep <= 0.0 {
                continue;
            }
            let normal = way.map(|w| w / far);
            let (u, v) = (a.velocity_at(p), b.velocity_at(q));
            let closing = (u[0] - v[0]) * normal[0] + (u[1] - v[1]) * normal[1];
            let push = (PUSH[0] * deep - PUSH[1] * closing).max(0.0);
            let force = [push * normal[0], push * normal[1], 0.0];
            a.add_force_at(p, force)?;
            b.add_force_at(q, force.map(|f| -f))?;
        }
    }
    Ok(())
}

/// A spring between the balls of a boat and a pier.
fn fend_off(body: &mut Body<f64, 3>, center: [f64; 2], half: [f64; 2]) -> Result<(), Error> {
    for p in ends(body) {
        let nearest = [0, 1].map(|a| p[a].clamp(center[a] - half[a], center[a] + half[a]));
        let mut way = [p[0] - nearest[0], p[1] - nearest[1]];
        let mut far = (way[0] * way[0] + way[1] * way[1]).sqrt();
        if far < 1e-6 {
            (way, far) = ([-1.0, 0.0], 1.0);
        }
        let deep = 0.5 * BOAT[1] - far;
        if deep > 0.0 {
            let normal = way.map(|w| w / far);
            let u = body.velocity_at(p);
            let push = (PUSH[0] * deep - PUSH[1] * (u[0] * normal[0] + u[1] * normal[1])).max(0.0);
            body.add_force_at(p, [push * normal[0], push * normal[1], 0.0])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{DT, Scene};

    #[test]
    fn the_piers_stand_dry_on_every_grid_and_let_the_river_through() {
        for columns in [24, 25, 30, 50] {
            let cells = [columns, columns / 2];
            let mut river = River::new(&Setup { size: Some(cells), ..Setup::default() }).unwrap();
            let mut lowest = f64::INFINITY;
            for _ in 0..600 {
                river.step().unwrap();
                let water = &river.water;
                for pier in PIERS {
                    let cell = [0, 1].map(|a| (pier[a] * cells[a] as f64) as usize);
                    assert_eq!(water.depth(cell), Some(0.0), "{columns}: {pier:?}");
                    lowest = lowest.min(water.surface(cell).unwrap());
                }
            }
            assert_eq!(lowest, 1.6);
            // What comes in by 1.5·1.7 m²/s through the channel goes on beyond the bridge.
            let column = (0.75 * cells[0] as f64) as usize;
            let flows = |j: usize| {
                let u = river.water.velocity().at_center([column, j])[0];
                river.water.depth([column, j]).unwrap() * u
            };
            let through = (0..cells[1]).map(flows).sum::<f64>() * river.water.grid().dx();
            assert!(through > 10.0, "{columns}: {through} m³/s");
        }
    }

    #[test]
    fn two_boats_that_meet_push_each_other_back_and_float_on() {
        let sides = [[WaterSide::Wall; 2]; 2];
        let params = ShallowWaterParams { sides, foam: None, ..Valley.params() };
        let grid = fluid_num::Grid2::new([64, 32], 0.4).unwrap();
        let bed = fluid_num::Field::from_fn(grid, |_| -1.5);
        let mut water = ShallowWater::new(bed, params).unwrap();
        for (n, x) in [(0, 10.5), (1, 14.8)] {
            // Turned a little each, as they start on the river.
            let mut boat = boat(n, [x, 6.4]).unwrap();
            boat.velocity[0] = if n == 0 { 2.5 } else { -2.5 };
            water.bodies_mut().push(boat);
        }
        let (mut nearest, mut turned) = (f64::INFINITY, false);
        for step in 0..600 {
            Valley.live(&mut water, step).unwrap();
            water.step(crate::scene::DT).unwrap();
            water.advance_bodies(DT).unwrap();
            let [a, b] = water.bodies() else { panic!() };
            let way = [0, 1].map(|i| a.position[i] - b.position[i]);
            nearest = nearest.min((way[0] * way[0] + way[1] * way[1]).sqrt());
            turned |= a.velocity[0] < 0.0 && b.velocity[0] > 0.0;
        }
        // Springs give way by a part of a hull, which is 1.3 m wide.
        assert!(nearest > 0.8 && nearest < BOAT[0], "{nearest}");
        assert!(turned);
        for body in water.bodies() {
            // 420 of 1000 kg/m³, and round ends: the middle lies above the water, by half a cell.
            assert!((body.position[2] - 0.08).abs() < 0.25, "{:?}", body.position);
        }
    }
}
