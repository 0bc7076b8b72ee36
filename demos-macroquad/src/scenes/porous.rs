//! Flow through grains, or through the dark parts of any picture, and how permeable they are.
//!
//! All sides are periodic, a force drives the fluid along x, and Darcy's law gives the permeability
//! from the mean velocity ⟨u⟩ of the whole: k = ν⟨u⟩/g.

use fluid_adapters::Picture;
use fluid_num::{Boundary, Error, LbmParams};

use crate::basin::{Basin, lattice_step, length};
use crate::lettering::Lettering;
use crate::paint::shade;
use crate::scene::{
    Button, Choice, Image, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs,
    turn_knob,
};

/// The name on the command line.
pub const NAME: &str = "porous";
/// What it shows.
pub const TITLE: &str = "Porous: flow through grains and its permeability (lattice Boltzmann)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [320, 240];

const AREA: f64 = 0.75;
const SUBSTEPS: usize = 24;
const VIEWS: &[&str] = &["speed", "vorticity", "pressure", "Q-criterion"];
const PACKING: &str = "packing";
const PACKINGS: [&str; 3] = ["first", "second", "third"];
/// Tracers that show where fluid goes.
const TRACERS: usize = 600;

#[derive(Debug)]
struct Settings {
    grains: f64,
    radius: f64,
    force: f64,
    relaxation_time: f64,
    packing: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(grains, "grains", [0.0, 400.0]),
    knob!(radius, "grain radius, m", [0.005, 0.1]),
    knob!(force, "force, 1e-6 cells a step²", [0.0, 100.0]),
    knob!(relaxation_time, "relaxation time, steps", [0.6, 1.5]),
];

impl Default for Settings {
    fn default() -> Self {
        Self { grains: 90.0, radius: 0.032, force: 30.0, relaxation_time: 0.8, packing: 0 }
    }
}

impl Settings {
    fn params(&self, dx: f32) -> LbmParams<f32, 2> {
        let time_step = lattice_step(SUBSTEPS);
        let viscosity_lu = (self.relaxation_time - 0.5) as f32 / 3.0;
        LbmParams {
            kinematic_viscosity: viscosity_lu * dx * dx / time_step,
            time_step,
            acceleration: [(self.force * 1e-6) as f32 * dx / (time_step * time_step), 0.0],
            boundary: Boundary::periodic(),
            ..Default::default()
        }
    }
}

/// A grain: its middle in parts of the extent, and its radius in metres.
type Grain = ([f64; 2], f64);

/// The scene.
#[derive(Debug)]
pub struct Porous {
    settings: Settings,
    basin: Basin,
    picture: Option<Image>,
    grains: Vec<Grain>,
    changed: bool,
    /// What tracers are strewn with.
    seed: u64,
    lettering: Lettering,
}

/// A number in 0..1.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

impl Porous {
    /// Grains at random, or the picture that `setup` brings, in a fluid at rest.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let cells = setup.size.unwrap_or(SIZE);
        let basin = Basin::new(cells, AREA, [0, SUBSTEPS], &|dx| settings.params(dx))?;
        let mut scene = Self {
            settings,
            basin,
            picture: setup.obstacles.clone(),
            grains: Vec::new(),
            changed: false,
            seed: 1,
            lettering: Lettering::new(),
        };
        scene.pack()?;
        Ok(scene)
    }

    /// Strews all grains anew.
    fn pack(&mut self) -> Result<(), Error> {
        let mut seed = 7 + 100 * self.settings.packing as u64;
        let count = self.settings.grains as usize;
        let grain = |_| ([random(&mut seed), random(&mut seed)], self.settings.radius);
        self.grains =
            if self.picture.is_some() { Vec::new() } else { (0..count).map(grain).collect() };
        self.seed = 1;
        self.basin.carried.clear_tracers();
        self.close()
    }

    /// Closes the cells that grains or the picture cover.
    fn close(&mut self) -> Result<(), Error> {
        let (grid, cells) = (self.basin.grid(), self.basin.cells());
        let size = self.basin.extent();
        let (grains, picture) = (&self.grains, &self.picture);
        self.basin.lbm.close_cells(|cell| {
            let dark =
                picture.as_ref().is_some_and(|p| p.under(cell, cells).iter().sum::<f64>() < 1.5);
            let center = grid.center(cell).map(f64::from);
            dark || grains.iter().any(|(place, radius)| {
                // The nearest image of the grain.
                let away = [0, 1].map(|a| {
                    let d = (center[a] / size[a] - place[a]).abs();
                    d.min(1.0 - d) * size[a]
                });
                length(away) < *radius
            })
        });
        self.changed = false;
        self.strew()
    }

    /// Adds the tracers that are missing, where there is fluid.
    fn strew(&mut self) -> Result<(), Error> {
        let size = self.basin.extent();
        for _ in self.basin.carried.tracers()[0].len()..TRACERS {
            let at = [0, 1].map(|a| (random(&mut self.seed) * size[a]) as f32);
            self.basin.carried.add_tracer(at)?;
        }
        Ok(())
    }

    /// The part that is fluid, and the permeability in squares of a cell; 0 without a force.
    fn permeability(&self) -> [f64; 2] {
        let grid = self.basin.grid();
        let [nx, ny] = grid.cells();
        let solid = |n: &usize| self.basin.lbm.is_solid([n % nx, n / nx]);
        let open = (0..nx * ny).filter(|n| !solid(n)).count() as f64 / (nx * ny) as f64;
        let mean = self.basin.lbm.velocity()[0].sum() / (nx * ny) as f64 / self.basin.speed_unit();
        let viscosity = (self.settings.relaxation_time - 0.5) / 3.0;
        let force = self.settings.force * 1e-6;
        [open, if force > 0.0 { viscosity * mean / force } else { 0.0 }]
    }
}

impl Scene for Porous {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "click: add a grain; right button: take grains away"
    }

    fn size(&self) -> [usize; 2] {
        self.basin.cells()
    }

    fn extent(&self) -> [f64; 2] {
        self.basin.extent()
    }

    fn picture_size(&self) -> [usize; 2] {
        self.basin.cells().map(|n| 3 * n)
    }

    fn step(&mut self) -> Result<(), Error> {
        if self.changed {
            self.close()?;
        }
        self.basin.step()
    }

    fn rehearse(&mut self) {}

    fn pointer(&mut self, pointer: Pointer) {
        let size = self.basin.extent();
        let place = [0, 1].map(|a| (pointer.position[a] / size[a]).clamp(0.0, 1.0));
        let near = |grain: &Grain, radius: f64| {
            let away = [0, 1].map(|a| (grain.0[a] - place[a]) * size[a]);
            length(away) < radius
        };
        let radius = self.settings.radius;
        if pointer.button == Button::Secondary {
            self.grains.retain(|grain| !near(grain, grain.1));
        } else if !self.grains.iter().any(|grain| near(grain, 0.5 * radius)) {
            // A pointer that rests adds one.
            self.grains.push((place, radius));
        }
        self.changed = true;
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        self.basin.paint(VIEWS.get(view).unwrap_or(&VIEWS[0]), picture)?;
        let [xs, ys] = self.basin.carried.tracers();
        let places = xs.iter().zip(ys).map(|(x, y)| [*x, *y]);
        let size = self.basin.grid().size();
        let in_fluid = places.filter(|x| {
            let cell = [0, 1].map(|a| (x[a] / self.basin.grid().dx()) as usize);
            !self.basin.lbm.is_solid(cell)
        });
        picture.paint_points([0.0; 2]..size, in_fluid, 1, [150, 235, 255, 255]);
        let [open, k] = self.permeability();
        let words = format!("porosity {open:.3}  permeability {k:.2} cells²");
        let line = (picture.height() as f32 / 24.0).clamp(10.0, 26.0);
        let wide = self.lettering.width(line, &words) as usize + line as usize;
        let top = picture.height().saturating_sub((1.5 * line) as usize);
        shade(picture, [0..wide, top..picture.height()], [12, 14, 20], 0.75);
        let base = picture.height().saturating_sub((0.45 * line) as usize);
        self.lettering.write(picture, [line as usize / 2, base], line, [240; 3], &words);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        let before = (self.settings.grains, self.settings.radius);
        turn_knob(KNOBS, &mut self.settings, name, value);
        let settings = &self.settings;
        self.basin.adopt(&|dx| settings.params(dx))?;
        if (self.settings.grains, self.settings.radius) != before { self.pack() } else { Ok(()) }
    }

    fn choices(&self) -> Vec<Choice> {
        let options = PACKINGS.to_vec();
        vec![Choice { name: PACKING, options, chosen: self.settings.packing }]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if name == PACKING && option < PACKINGS.len() && option != self.settings.packing {
            self.settings.packing = option;
            self.pack()?;
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        let settings = &self.settings;
        self.basin.restart(&|dx| settings.params(dx))?;
        self.pack()
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        let settings = &self.settings;
        self.basin.resize(size, &|dx| settings.params(dx))?;
        self.close()
    }

    fn stats(&mut self) -> Stats {
        let mut stats = self.basin.stats();
        let [open, k] = self.permeability();
        stats.more.insert("porosity", open);
        stats.more.insert("permeability_cells", k);
        stats
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
