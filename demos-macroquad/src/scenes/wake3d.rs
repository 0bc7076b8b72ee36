//! Wind past a sphere, seen in a slice through its middle.
//!
//! As the street of vortices, in space: D3Q19, as many cells deep as high.

use fluid_adapters::Picture;
use fluid_num::base::digest::Digest;
use fluid_num::schemes::lbm::Collision;
use fluid_num::solid::{Body, Shape};
use fluid_num::{Boundary, Error, Field, Grid, LbmD3Q19, LbmParams, Side, Simulation};

use crate::basin::{Plot, SOLID, approach, lattice_step};
use crate::lettering::Lettering;
use crate::paint::{Painter, lay_over};
use crate::scene::{
    Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, grid_of_area, knob,
    read_knobs, turn_knob,
};

/// The name on the command line.
pub const NAME: &str = "3d-wake";
/// What it shows.
pub const TITLE: &str = "3D wake: a sphere in the wind (lattice Boltzmann)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [128, 56];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [96, 42];

const AREA: f64 = 2.25;
const SUBSTEPS: usize = 8;
const VIEWS: &[&str] = &["vorticity", "speed", "eddies"];
const REYNOLDS: &str = "Reynolds number";
const NUMBERS: [(&str, f64); 5] =
    [("50", 50.0), ("300", 300.0), ("1000", 1000.0), ("10000", 10000.0), ("100000", 100_000.0)];

#[derive(Debug)]
struct Settings {
    wind: f64,
    diameter: f64,
    smagorinsky: f64,
    reynolds: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(wind, "wind, cells a step", [0.02, 0.15]),
    knob!(diameter, "diameter, heights", [0.1, 0.5]),
    knob!(smagorinsky, "Smagorinsky's constant", [0.0, 0.3]),
];

impl Default for Settings {
    fn default() -> Self {
        Self { wind: 0.12, diameter: 0.28, smagorinsky: 0.0, reynolds: 2 }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Wake {
    settings: Settings,
    lbm: LbmD3Q19<f32>,
    /// Where the sphere is and where it was pulled to, in parts of the slice.
    place: [f64; 2],
    target: [f64; 2],
    steps: u64,
    space: Field<f32, 3>,
    slice: Field<f32, 2>,
    painter: Painter,
    plot: Plot,
    coefficients: [f64; 2],
    lettering: Lettering,
}

/// Where the sphere starts, off the middle so that the wake turns over sooner.
const START: [f64; 2] = [0.2, 0.51];

fn params(settings: &Settings, cells: [usize; 2], dx: f32) -> LbmParams<f32, 3> {
    let time_step = lattice_step(SUBSTEPS);
    let wind = settings.wind as f32 * dx / time_step;
    let diameter = settings.diameter as f32 * cells[1] as f32 * dx;
    LbmParams {
        kinematic_viscosity: wind * diameter / NUMBERS[settings.reynolds].1 as f32,
        time_step,
        collision: Collision::CentralMoments,
        smagorinsky: settings.smagorinsky as f32,
        boundary: Boundary::all(Side::FreeSlip)
            .with(0, 0, Side::Inflow { velocity: [wind, 0.0, 0.0] })
            .with(0, 1, Side::Open),
        ..Default::default()
    }
}

fn make(settings: &Settings, cells: [usize; 2]) -> Result<LbmD3Q19<f32>, Error> {
    let dx = grid_of_area(cells, AREA)?.dx();
    let grid = Grid::new([cells[0], cells[1], cells[1]], dx)?;
    LbmD3Q19::new(grid, params(settings, cells, dx))
}

impl Wake {
    /// A sphere in a wind.
    ///
    /// # Errors
    /// A number of cells that no grid has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let cells = setup.size.unwrap_or(SIZE);
        let settings = Settings::default();
        let lbm = make(&settings, cells)?;
        let plane = grid_of_area(cells, AREA)?;
        let mut wake = Self {
            settings,
            place: START,
            target: START,
            steps: 0,
            space: Field::zeros(*lbm.grid()),
            slice: Field::zeros(plane),
            painter: Painter::new(plane),
            plot: Plot::default(),
            coefficients: [0.0; 2],
            lettering: Lettering::new(),
            lbm,
        };
        wake.begin()?;
        Ok(wake)
    }

    fn cells(&self) -> [usize; 2] {
        self.slice.grid().cells()
    }

    fn wind(&self) -> f64 {
        self.settings.wind * f64::from(self.slice.grid().dx() / lattice_step(SUBSTEPS))
    }

    /// The wind everywhere.
    fn begin(&mut self) -> Result<(), Error> {
        let wind = self.wind() as f32;
        self.lbm.set_flow(|_| ([wind, 0.0, 0.0], 0.0))?;
        self.put_sphere([0.0; 2])
    }

    fn put_sphere(&mut self, velocity: [f64; 2]) -> Result<(), Error> {
        let size = self.lbm.grid().size();
        let [x, y] = self.place.map(|p| p as f32);
        let radius = 0.5 * self.settings.diameter as f32 * size[1];
        let middle = [x * size[0], y * size[1], 0.5 * size[2]];
        let [u, v] = velocity.map(|v| v as f32);
        let body = Body::new(Shape::ball(radius)?, middle)?.with_velocity([u, v, 0.0])?;
        self.lbm.bodies_mut().clear();
        self.lbm.bodies_mut().push(body);
        Ok(())
    }

    /// Moves the sphere towards its target, no faster than half the wind.
    fn pull(&mut self) -> Result<(), Error> {
        let (size, most) = (self.extent(), 0.5 * self.wind() * DT);
        let step = approach(&mut self.place, self.target, size, most);
        self.put_sphere(step.map(|s| s / DT))
    }

    /// The largest value of each column that looks along z.
    fn look_through(&mut self) {
        let [nx, ny] = self.cells();
        for j in 0..ny {
            for i in 0..nx {
                let along = (0..ny).map(|k| self.space[[i, j, k]]);
                self.slice[[i, j]] = along.fold(0.0, f32::max);
            }
        }
    }

    /// The middle slice.
    fn cut(&mut self) {
        let [nx, ny] = self.cells();
        for j in 0..ny {
            for i in 0..nx {
                self.slice[[i, j]] = self.space[[i, j, ny / 2]];
            }
        }
    }

    /// Goes on with other parameters.
    fn adopt(&mut self) -> Result<(), Error> {
        let params = params(&self.settings, self.cells(), self.lbm.grid().dx());
        self.lbm.set_params(params)?;
        let wind = self.wind() as f32;
        self.lbm.set_inflow(0, 0, |_| [wind, 0.0, 0.0])?;
        self.put_sphere([0.0; 2])
    }
}

impl Scene for Wake {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag: move the sphere"
    }

    fn size(&self) -> [usize; 2] {
        self.cells()
    }

    fn extent(&self) -> [f64; 2] {
        self.slice.grid().size().map(f64::from)
    }

    fn picture_size(&self) -> [usize; 2] {
        self.cells().map(|n| 6 * n)
    }

    fn step(&mut self) -> Result<(), Error> {
        self.pull()?;
        self.lbm.advance(SUBSTEPS)?;
        self.steps += 1;
        let force = self.lbm.bodies().first().map_or([0.0; 3], |body| body.force);
        let (wind, diameter) = (self.wind(), self.settings.diameter * self.extent()[1]);
        let area = core::f64::consts::FRAC_PI_4 * diameter * diameter;
        let scale = 2.0 / (wind * wind * area);
        self.coefficients = [force[0], force[1]].map(|f| f64::from(f) * scale);
        self.plot.add(self.coefficients);
        Ok(())
    }

    fn rehearse(&mut self) {}

    fn pointer(&mut self, pointer: Pointer) {
        let size = self.extent();
        self.target = [0, 1].map(|a| (pointer.position[a] / size[a]).clamp(0.05, 0.95));
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        match *VIEWS.get(view).unwrap_or(&VIEWS[0]) {
            "speed" => {
                self.lbm.speed(&mut self.space)?;
                self.cut();
                self.painter.look_at_amount(&self.slice)?;
            }
            "eddies" => {
                self.lbm.q_criterion(&mut self.space)?;
                self.look_through();
                // What is small shows too: (Q⁺)^½ is a rate of turning.
                self.slice.as_mut_slice().iter_mut().for_each(|q| *q = q.max(0.0).sqrt());
                self.painter.look_at_amount(&self.slice)?;
            }
            _ => {
                self.lbm.vorticity(2, &mut self.space)?;
                self.cut();
                self.painter.look_at(&self.slice)?;
            }
        }
        self.painter.show(self.painter.scale(), picture);
        let middle = self.cells()[1] / 2;
        let solid = |i, j| f32::from(u8::from(self.lbm.is_solid([i, j, middle])));
        lay_over(picture, self.cells(), SOLID, solid);
        let [drag, lift] = self.coefficients;
        let number = NUMBERS[self.settings.reynolds].0;
        let words = format!("Re {number}  drag {drag:.2}  lift {lift:+.2}");
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
        self.resize(self.cells())
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        // A box as deep as it is high is another box: the wind starts anew.
        self.lbm = make(&self.settings, size)?;
        let plane = grid_of_area(size, AREA)?;
        self.space = Field::zeros(*self.lbm.grid());
        (self.slice, self.painter) = (Field::zeros(plane), Painter::new(plane));
        (self.place, self.target, self.steps) = (START, START, 0);
        (self.plot, self.coefficients) = (Plot::default(), [0.0; 2]);
        self.begin()
    }

    fn stats(&mut self) -> Stats {
        let [nx, ny] = self.cells();
        let u = self.lbm.velocity();
        let mut most = 0.0_f32;
        for k in 1..ny.max(1) - 1 {
            for j in 1..ny - 1 {
                for i in 1..nx.max(1) - 1 {
                    let slope = u[0][[i + 1, j, k]] - u[0][[i - 1, j, k]] + u[1][[i, j + 1, k]]
                        - u[1][[i, j - 1, k]]
                        + u[2][[i, j, k + 1]]
                        - u[2][[i, j, k - 1]];
                    most = most.max(slope.abs());
                }
            }
        }
        let mut stats = Stats {
            size: self.cells(),
            steps: self.steps,
            max_speed: f64::from(self.lbm.report().max_speed),
            max_divergence: f64::from(0.5 * most / self.lbm.grid().dx()),
            digest: Digest::new().word(self.lbm.digest()).values(&self.place).finish(),
            ..Stats::default()
        };
        stats.more.insert("drag", self.coefficients[0]);
        stats.more.insert("lift", self.coefficients[1]);
        stats
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
