//! Wind past a cylinder, or past any picture: a street of vortices, with drag, lift and Strouhal
//! number.
//!
//! A channel of free-slip walls; the wind is given in cells a lattice step, and the viscosity follows
//! from the Reynolds number, so that every number of cells carries it.

use fluid_adapters::Picture;
use fluid_num::schemes::lbm::{Bounce, Collision};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Boundary, Error, LbmParams, Side};

use crate::basin::{Basin, Plot, approach, lattice_step};
use crate::lettering::Lettering;
use crate::paint::{byte, glow, paint_cells};
use crate::scene::{
    Choice, DT, Image, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs,
    turn_knob,
};

/// The name on the command line.
pub const NAME: &str = "karman";
/// What it shows.
pub const TITLE: &str = "Kármán: vortices behind a cylinder (lattice Boltzmann)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [480, 160];

const AREA: f64 = 3.0;
const SUBSTEPS: usize = 24;
const VIEWS: &[&str] = &["vorticity", "smoke", "speed", "pressure", "Q-criterion"];
const REYNOLDS: &str = "Reynolds number";
const NUMBERS: [(&str, f64); 6] = [
    ("40", 40.0),
    ("100", 100.0),
    ("200", 200.0),
    ("1000", 1000.0),
    ("10000", 10000.0),
    ("100000", 100_000.0),
];
/// How fast the obstacle may be moved, of the wind.
const SLOWNESS: f64 = 0.5;

#[derive(Debug)]
struct Settings {
    wind: f64,
    diameter: f64,
    smagorinsky: f64,
    reynolds: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(wind, "wind, cells a step", [0.02, 0.15]),
    knob!(diameter, "diameter, heights", [0.05, 0.4]),
    knob!(smagorinsky, "Smagorinsky's constant", [0.0, 0.3]),
];

impl Default for Settings {
    fn default() -> Self {
        Self { wind: 0.1, diameter: 0.15, smagorinsky: 0.0, reynolds: 2 }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Karman {
    settings: Settings,
    basin: Basin,
    picture: Option<Image>,
    /// Where the obstacle is and where it was pulled to, in parts of the extent; a picture's is how
    /// far it was moved.
    place: [f64; 2],
    target: [f64; 2],
    plot: Plot,
    coefficients: [f64; 2],
    lettering: Lettering,
}

impl Karman {
    /// A cylinder, or the picture that `setup` brings, in a wind.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let cells = setup.size.unwrap_or(SIZE);
        let basin = Basin::new(cells, AREA, [1, SUBSTEPS], &|dx| params(&settings, cells, dx))?;
        let start = start(setup.obstacles.is_some());
        let mut scene = Self {
            settings,
            basin,
            picture: setup.obstacles.clone(),
            place: start,
            target: start,
            plot: Plot::default(),
            coefficients: [0.0; 2],
            lettering: Lettering::new(),
        };
        scene.begin()?;
        Ok(scene)
    }

    fn wind(&self) -> f64 {
        self.settings.wind * self.basin.speed_unit()
    }

    /// The height of what stands in the wind, m.
    fn height(&self) -> f64 {
        let dx = f64::from(self.basin.grid().dx());
        if self.picture.is_none() {
            return self.settings.diameter * self.basin.extent()[1];
        }
        let [nx, ny] = self.basin.cells();
        let rows = (0..ny).filter(|j| (0..nx).any(|i| self.basin.lbm.is_solid([i, *j])));
        dx * rows.count().max(1) as f64
    }

    /// The wind everywhere, and a whirl behind the obstacle that wakes the street.
    fn begin(&mut self) -> Result<(), Error> {
        let wind = self.wind() as f32;
        self.basin.lbm.set_flow(|_| ([wind, 0.0], 0.0))?;
        self.put_obstacle([0.0; 2])?;
        let size = self.basin.extent();
        let at = [0.32 * size[0], 0.55 * size[1]].map(|x| x as f32);
        self.basin.lbm.add_impulse(at, (0.2 * size[1]) as f32, [0.0, 0.6 * wind])
    }

    /// Puts the obstacle where it belongs; it moves at `velocity`.
    fn put_obstacle(&mut self, velocity: [f64; 2]) -> Result<(), Error> {
        let size = self.basin.extent();
        let at = [0, 1].map(|a| (self.place[a] * size[a]) as f32);
        if let Some(image) = &self.picture {
            let cells = self.basin.cells();
            let moved = [0, 1].map(|a| (self.place[a] * cells[a] as f64).round() as isize);
            self.basin.lbm.close_cells(|cell| {
                let from = [0, 1].map(|a| cell[a].wrapping_add_signed(-moved[a]));
                (0..2).all(|a| from[a] < cells[a])
                    && image.under(from, cells).iter().sum::<f64>() < 1.5
            });
            return Ok(());
        }
        let radius = (0.5 * self.settings.diameter * size[1]) as f32;
        let body = Body::new(Shape::ball(radius)?, at)?;
        let body = body.with_velocity(velocity.map(|v| v as f32))?;
        let bodies = self.basin.lbm.bodies_mut();
        bodies.clear();
        bodies.push(body);
        Ok(())
    }

    /// Moves the obstacle towards its target, no faster than the fluid can follow.
    fn pull(&mut self) -> Result<(), Error> {
        let most = SLOWNESS * self.wind() * DT;
        let step = approach(&mut self.place, self.target, self.basin.extent(), most);
        // A cylinder is put anew for every step, which forgets its force; a picture only where it moved.
        if self.picture.is_none() || step != [0.0; 2] {
            self.put_obstacle(step.map(|s| s / DT))?;
        }
        Ok(())
    }

    /// Smoke in stripes where the wind comes in.
    fn feed(&mut self) -> Result<(), Error> {
        let ny = self.basin.cells()[1];
        let dye = self.basin.carried.dye_mut(0)?;
        for j in 0..ny {
            let stripe = (j * 24 / ny).is_multiple_of(2);
            dye[[0, j]] = if stripe { 1.0 } else { 0.0 };
        }
        Ok(())
    }

    fn strouhal(&self) -> Option<f64> {
        let period = self.plot.period()? * DT;
        Some(self.height() / (self.wind() * period))
    }

    fn adopt(&mut self) -> Result<(), Error> {
        let (cells, settings) = (self.basin.cells(), &self.settings);
        self.basin.adopt(&|dx| params(settings, cells, dx))?;
        let wind = self.wind() as f32;
        self.basin.lbm.set_inflow(0, 0, |_| [wind, 0.0])?;
        self.put_obstacle([0.0; 2])
    }
}

/// Where the obstacle starts: a cylinder near the inflow, a little off the middle.
fn start(picture: bool) -> [f64; 2] {
    if picture { [0.0; 2] } else { [0.2, 0.502] }
}

fn params(settings: &Settings, cells: [usize; 2], dx: f32) -> LbmParams<f32, 2> {
    let time_step = lattice_step(SUBSTEPS);
    let wind = settings.wind as f32 * dx / time_step;
    let diameter = settings.diameter as f32 * cells[1] as f32 * dx;
    LbmParams {
        kinematic_viscosity: wind * diameter / NUMBERS[settings.reynolds].1 as f32,
        time_step,
        collision: Collision::CentralMoments,
        bounce: Bounce::Interpolated,
        smagorinsky: settings.smagorinsky as f32,
        boundary: Boundary::all(Side::FreeSlip)
            .with(0, 0, Side::Inflow { velocity: [wind, 0.0] })
            .with(0, 1, Side::Open),
        ..Default::default()
    }
}

impl Scene for Karman {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag: move the obstacle"
    }

    fn size(&self) -> [usize; 2] {
        self.basin.cells()
    }

    fn extent(&self) -> [f64; 2] {
        self.basin.extent()
    }

    fn picture_size(&self) -> [usize; 2] {
        self.basin.cells().map(|n| 2 * n)
    }

    fn step(&mut self) -> Result<(), Error> {
        self.pull()?;
        self.feed()?;
        self.basin.step()?;
        let lbm = &self.basin.lbm;
        let force = if self.picture.is_some() {
            lbm.force_on_closed_cells()
        } else {
            lbm.bodies().first().map_or([0.0; 2], |body| body.force)
        };
        let wind = self.wind();
        let scale = 2.0 / (wind * wind * self.height());
        self.coefficients = force.map(|f| f64::from(f) * scale);
        self.plot.add(self.coefficients);
        Ok(())
    }

    fn rehearse(&mut self) {}

    fn pointer(&mut self, pointer: Pointer) {
        let size = self.basin.extent();
        if self.picture.is_some() {
            for a in 0..2 {
                self.target[a] = (self.target[a] + pointer.delta[a] / size[a]).clamp(-1.0, 1.0);
            }
        } else {
            self.target = [0, 1].map(|a| (pointer.position[a] / size[a]).clamp(0.05, 0.95));
        }
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        if !self.basin.paint(VIEWS.get(view).unwrap_or(&VIEWS[0]), picture)? {
            let dye = self.basin.carried.dye(0)?;
            paint_cells(picture, self.basin.cells(), |i, j| {
                let light = glow(3.0 * dye[[i, j]]);
                [0.95, 0.97, 1.0].map(|c: f32| byte(c * light))
            });
            self.basin.paint_solids(picture);
        }
        let [drag, lift] = self.coefficients;
        let street = self.strouhal().map_or(String::new(), |s| format!("  St {s:.3}"));
        let number = NUMBERS[self.settings.reynolds].0;
        let words = format!("Re {number}  drag {drag:.2}  lift {lift:+.2}{street}");
        self.plot.paint(picture, &self.lettering, &words);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        self.adopt()
    }

    fn choices(&self) -> Vec<Choice> {
        let options = NUMBERS.iter().map(|n| n.0).collect();
        vec![Choice { name: REYNOLDS, options, chosen: self.settings.reynolds }]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if name == REYNOLDS && option < NUMBERS.len() && option != self.settings.reynolds {
            self.settings.reynolds = option;
            self.adopt()?;
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        let (cells, settings) = (self.basin.cells(), &self.settings);
        self.basin.restart(&|dx| params(settings, cells, dx))?;
        self.place = start(self.picture.is_some());
        self.target = self.place;
        (self.plot, self.coefficients) = (Plot::default(), [0.0; 2]);
        self.begin()
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        let settings = &self.settings;
        self.basin.resize(size, &|dx| params(settings, size, dx))?;
        self.put_obstacle([0.0; 2])
    }

    fn stats(&mut self) -> Stats {
        let mut stats = self.basin.stats();
        stats.more.insert("drag", self.coefficients[0]);
        stats.more.insert("lift", self.coefficients[1]);
        if let Some(strouhal) = self.strouhal() {
            stats.more.insert("strouhal", strouhal);
        }
        stats
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
