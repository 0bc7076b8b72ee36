//! A column of water that falls into a pool among balls and crates, with a tap and a drain.
//!
//! A box of 32 m² of [`Liquid2`]: the surface is a level set, bodies and water move each other through
//! the pressure, and contacts keep bodies apart. A hand draws bodies by a spring, and water along.

use fluid_adapters::Picture;
use fluid_num::schemes::liquid::{Flow, LiquidSource, VolumeCorrection};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, Grid2, LevelSet, Liquid2, LiquidParams, StepReport};

use crate::bodies::{Hand, draw, paint_body, weigh};
use crate::liquid::{Window, pixels_of};
use crate::scene::{
    Button, Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs,
    turn_knob,
};
use crate::surface::{self, Look, VIEWS, body_at, paint_water, speed_of, stir};

/// The name on the command line.
pub const NAME: &str = "water";
/// What it shows.
pub const TITLE: &str = "Water: a dam breaks among crates and balls (level set)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [512, 256];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [192, 96];

const AREA: f64 = 32.0;
const LOOK: Look = Look { foam: 7.0, dark: 1.6 };
/// The water about a pointer that follows it, and how near to a body a pointer takes hold of it, m.
const HAND: f64 = 0.35;
const NEAR: f32 = 0.1;
/// The edge of the pool and of the column, in parts of the box.
const POOL: f64 = 0.22;
const COLUMN: [f64; 2] = [0.26, 0.8];
/// Densities of balls and crates, in turns, in parts of the water's.
const DENSITIES: [f64; 10] = [0.3, 0.5, 0.15, 0.8, 0.6, 0.4, 1.5, 0.2, 0.7, 0.1];
#[derive(Debug)]
struct Settings {
    gravity: f64,
    weight: f64,
    jet: f64,
    drain: usize,
    volume: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(gravity, "gravity, m/s²", [0.0, 20.0]),
    knob!(weight, "weight of the bodies", [0.5, 3.0]),
    knob!(jet, "tap, m/s", [0.0, 6.0]),
];
const DRAIN: &str = "drain";
const DRAINS: [&str; 2] = ["closed", "open"];
const VOLUME: &str = "volume";
const VOLUMES: [&str; 2] = ["held", "as it comes"];

impl Default for Settings {
    fn default() -> Self {
        Self { gravity: 9.81, weight: 1.0, jet: 0.0, drain: 0, volume: 0 }
    }
}

impl Settings {
    fn params(&self) -> LiquidParams<f32, 2> {
        LiquidParams {
            gravity: [0.0, -self.gravity as f32],
            volume_correction: (self.volume == 0).then(VolumeCorrection::default),
            most_cells: 3.0,
            ..Default::default()
        }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Water {
    settings: Settings,
    cells: [usize; 2],
    water: Liquid2<f32>,
    report: StepReport<f32>,
    steps: u64,
    holding: Option<Hand>,
    /// Pointers that move the water.
    stirring: Vec<Pointer>,
}

fn cell_of(cells: [usize; 2]) -> f64 {
    (AREA / (cells[0] as f64 * cells[1] as f64)).sqrt()
}

fn fill(settings: &Settings, cells: [usize; 2]) -> Result<Liquid2<f32>, Error> {
    let dx = cell_of(cells);
    let [width, height] = cells.map(|n| n as f64 * dx);
    let grid = Grid2::new(cells, dx as f32)?;
    let params = settings.params();
    let level = |[x, y]: [f32; 2]| {
        let [right, top] = [COLUMN[0] * width, COLUMN[1] * height].map(|x| x as f32);
        (x - right).max(y - top).min(y - (POOL * height) as f32)
    };
    let mut water = Liquid2::new(LevelSet::from_fn(grid, &params.boundary, level)?, params)?;
    let unit = width.min(height);
    for (n, density) in DENSITIES.into_iter().enumerate() {
        // Bodies are seen by the water where they are thicker than two cells.
        let half = (0.046 + 0.008 * (n % 3) as f64) * unit;
        let half = half.max(1.3 * dx).min(0.2 * unit) as f32;
        let shape = if n % 2 == 0 { Shape::ball(half)? } else { Shape::cuboid([half; 2])? };
        let x = width * (0.36 + 0.065 * n as f64);
        let y = height * (0.26 + 0.16 * (n % 2) as f64);
        let mut body = Body::new(shape, [x as f32, y as f32])?.with_angle(0.4 * n as f32)?;
        weigh(&mut body, density * settings.weight, water.params().density);
        water.bodies_mut().push(body);
    }
    Ok(water)
}

impl Water {
    /// Water about to fall, and bodies about to drop.
    ///
    /// # Errors
    /// A number of cells that no box has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let cells = setup.size.unwrap_or(SIZE);
        Ok(Self {
            water: fill(&settings, cells)?,
            report: StepReport::nothing(0.0),
            settings,
            cells,
            steps: 0,
            holding: None,
            stirring: Vec::new(),
        })
    }

    /// Opens and closes the tap at the upper left and the drain at the lower right.
    fn turn_tap(&mut self) -> Result<(), Error> {
        let [width, height] = self.extent();
        let half = [0.03 * width, 0.03 * height].map(|x| x.max(2.0 * cell_of(self.cells)) as f32);
        let shape = Shape::cuboid(half)?;
        let source = |x: f64, y: f64, flow| LiquidSource {
            shape: shape.clone(),
            position: [(x * width) as f32, (y * height) as f32],
            flow,
        };
        let tap = source(0.12, 0.93, Flow::Fill { velocity: [0.0, -self.settings.jet as f32] });
        let drain = source(0.9, 0.0, Flow::Drain);
        let sources = self.water.sources_mut();
        sources.clear();
        sources.extend((self.settings.jet > 0.0).then_some(tap));
        sources.extend((self.settings.drain == 1).then_some(drain));
        Ok(())
    }
}

impl Scene for Water {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag: bodies, and water; right button: pour"
    }

    fn size(&self) -> [usize; 2] {
        self.cells
    }

    fn extent(&self) -> [f64; 2] {
        self.cells.map(|n| n as f64 * cell_of(self.cells))
    }

    fn picture_size(&self) -> [usize; 2] {
        let pixels = pixels_of(self.cells).max(2);
        self.cells.map(|n| n * pixels)
    }

    fn step(&mut self) -> Result<(), Error> {
        self.turn_tap()?;
        for pointer in core::mem::take(&mut self.stirring) {
            stir(&mut self.water, &pointer, HAND);
        }
        if let Some(hand) = self.holding {
            draw(&mut self.water.bodies_mut()[hand.body], hand.place);
        }
        self.report = self.water.step(DT as f32)?;
        self.water.advance_bodies(DT as f32)?;
        self.holding = self.holding.and_then(Hand::waits);
        self.steps += 1;
        Ok(())
    }

    fn rehearse(&mut self) {
        // A ball is held under water for a second and let go, now and then.
        let extent = self.extent();
        let seconds = self.steps as f64 * DT % 6.0;
        if (3.0..4.0).contains(&seconds) {
            let place = [0.6 * extent[0], 0.12 * extent[1]];
            self.holding = Some(Hand::new(place, 0));
        }
    }

    fn pointer(&mut self, pointer: Pointer) {
        let place = pointer.position;
        if pointer.button == Button::Secondary {
            let radius = (3.0 * cell_of(self.cells)).max(0.12) as f32;
            let velocity = speed_of(&pointer).map(|u| u as f32);
            if let Ok(drop) = Shape::ball(radius) {
                // A pointer that is nowhere pours nothing.
                let _ = self.water.pour(&drop, place.map(|x| x as f32), velocity);
            }
            return;
        }
        let held = self.holding.map(|hand| hand.body);
        let held = held.or_else(|| body_at(self.water.bodies(), place, NEAR));
        match held {
            Some(body) => self.holding = Some(Hand::new(place, body)),
            None => self.stirring.push(pointer),
        }
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let extent = self.extent();
        let window = Window { columns: 0..picture.width(), height: picture.height(), extent };
        paint_water(&self.water, view, LOOK, &window, picture);
        self.water.bodies().iter().for_each(|body| paint_body(body, &window, picture));
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        let rest = self.water.params().density;
        for (body, density) in self.water.bodies_mut().iter_mut().zip(DENSITIES) {
            weigh(body, density * self.settings.weight, rest);
        }
        self.water.set_params(self.settings.params())
    }

    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice { name: DRAIN, options: DRAINS.to_vec(), chosen: self.settings.drain },
            Choice { name: VOLUME, options: VOLUMES.to_vec(), chosen: self.settings.volume },
        ]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if name == DRAIN && option < DRAINS.len() {
            self.settings.drain = option;
        }
        if name == VOLUME && option < VOLUMES.len() {
            self.settings.volume = option;
        }
        self.water.set_params(self.settings.params())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.resize(self.cells)
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        // Another grid is another box of the same area: the water falls anew.
        self.water = fill(&self.settings, size)?;
        self.cells = size;
        self.report = StepReport::nothing(0.0);
        (self.steps, self.holding) = (0, None);
        self.stirring.clear();
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let extent = self.extent();
        let stats = surface::stats(&mut self.water, &self.report, extent);
        Stats { size: self.cells, steps: self.steps, ..stats }
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
