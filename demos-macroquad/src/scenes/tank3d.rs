//! A dam break in space, as position-based fluid in a box of glass.
//!
//! Particles are painted as lit balls, the farthest first and the darker; a camera circles the box.

use core::ops::Range;

use fluid_adapters::{ColorMap, Picture};
use fluid_num::base::digest::Digest;
use fluid_num::particles::Domain;
use fluid_num::solid::Shape;
use fluid_num::{Error, Pbf3, PbfParams, Simulation};

use crate::liquid::{map_color, mean_excess, mix, paint_air, speed, stats, water_color};
use crate::paint::{blend, byte};
use crate::scene::{
    Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs, turn_knob,
};
use crate::space::{Camera, Eye, LIGHT, paint_edges};

/// The name on the command line.
pub const NAME: &str = "3d-tank";
/// What it shows.
pub const TITLE: &str = "Tank: a dam break in space (PBF)";
/// Its own number of cells along x and y.
pub const SIZE: [usize; 2] = [36, 24];
/// Its own number of cells along x and y in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [48, 32];

/// The area of the front, m².
const AREA: f64 = 2.4;
/// The most cells along z.
const DEEPEST: usize = 18;
const PICTURE: [usize; 2] = [640, 480];
const VIEWS: &[&str] = &["water", "speed", "height"];
const START: &str = "start";
const STARTS: [&str; 3] = ["dam", "two dams", "falling ball"];
/// The radius of a ball in units of the spacing.
const BALL: f32 = 0.72;
/// What far particles fade to.
const DUSK: [f32; 3] = [0.05, 0.09, 0.19];

#[derive(Debug)]
struct Settings {
    gravity: f64,
    substeps: f64,
    iterations: f64,
    evening: f64,
    confinement: f64,
    start: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(gravity, "gravity, m/s²", [0.0, 20.0]),
    knob!(substeps, "sub-steps", [1.0, 8.0]),
    knob!(iterations, "iterations", [1.0, 20.0]),
    knob!(evening, "viscosity, 1/s", [0.0, 20.0]),
    knob!(confinement, "vorticity confinement", [0.0, 1.0]),
];

impl Default for Settings {
    fn default() -> Self {
        let (evening, confinement) = (2.0, 0.0);
        Self { gravity: 9.81, substeps: 2.0, iterations: 4.0, evening, confinement, start: 0 }
    }
}

impl Settings {
    fn params(&self, spacing: f64) -> PbfParams<f32, 3> {
        PbfParams {
            spacing: spacing as f32,
            gravity: [0.0, -self.gravity as f32, 0.0],
            longest_substep: (DT / self.substeps.floor()) as f32,
            iterations: self.iterations as usize,
            viscosity: self.evening as f32,
            confinement: self.confinement as f32,
            ..Default::default()
        }
    }
}

/// The distance of particles that gives the front of a box of so many of them its area.
fn spacing_of(cells: [usize; 2]) -> f64 {
    (AREA / (cells[0] as f64 * cells[1] as f64)).sqrt()
}

/// The edges of the box, m.
fn box_of(cells: [usize; 2]) -> [f64; 3] {
    let depth = (cells[0] * 3 / 8).clamp(1, DEEPEST);
    [cells[0], cells[1], depth].map(|n| n as f64 * spacing_of(cells))
}

fn fill(settings: &Settings, cells: [usize; 2]) -> Result<Pbf3<f32>, Error> {
    let spacing = spacing_of(cells);
    let [w, h, d] = box_of(cells).map(|x| x as f32);
    let mut water = Pbf3::new(Domain::new([0.0; 3], [w, h, d])?, settings.params(spacing))?;
    let (particles, s) = (water.particles_mut(), spacing as f32);
    let mut block = |lo, hi| particles.add_block(lo, hi, s, [0.0; 3], 0, &[]);
    match settings.start {
        0 => {
            block([0.0; 3], [0.42 * w, 0.75 * h, d])?;
        }
        1 => {
            block([0.0; 3], [0.25 * w, 0.8 * h, d])?;
            block([0.78 * w, 0.0, 0.0], [w, 0.6 * h, 0.5 * d])?;
        }
        _ => {
            block([0.0; 3], [w, 0.22 * h, d])?;
            let ball = Shape::ball((0.24 * h).min(0.45 * d))?;
            let (place, velocity) = ([0.5 * w, 0.7 * h, 0.5 * d], [0.0, -1.0, 0.0]);
            particles.add_shape(&ball, place, s, velocity, 1, &[])?;
        }
    }
    Ok(water)
}

/// The pixels about `x` up to `radius` away of an edge of `length`.
fn pixels(x: f32, radius: f32, length: usize) -> Range<usize> {
    let first = (x - radius).floor().max(0.0) as usize;
    first..((x + radius).ceil().max(0.0) as usize).min(length).max(first)
}

/// A lit ball whose rim is smooth.
fn paint_ball(picture: &mut Picture, [x, y]: [f32; 2], radius: f32, color: [f32; 3], fade: f32) {
    let (width, height) = (picture.width(), picture.height());
    for row in pixels(y, radius + 0.5, height) {
        for column in pixels(x, radius + 0.5, width) {
            let (dx, dy) = ((column as f32 + 0.5 - x) / radius, (y - row as f32 - 0.5) / radius);
            let squared = dx * dx + dy * dy;
            let cover = ((1.0 - squared.sqrt()) * radius + 0.5).clamp(0.0, 1.0);
            if cover <= 0.0 {
                continue;
            }
            let towards = (1.0 - squared).max(0.0).sqrt();
            let lit = (dx * LIGHT[0] + dy * LIGHT[1] + towards * LIGHT[2]).max(0.0);
            let gloss = lit * lit * lit * lit;
            let bright = 0.55 + 0.55 * lit;
            let shaded = color.map(|c| (c * bright + 0.16 * gloss * gloss).min(1.0));
            let at = (row * width + column) * 4;
            let color = mix(shaded, DUSK, fade).map(byte);
            blend(&mut picture.bytes_mut()[at..at + 4], color, cover);
        }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Tank {
    settings: Settings,
    cells: [usize; 2],
    water: Pbf3<f32>,
    camera: Camera,
    steps: u64,
    /// What the camera sees: how far away each particle is, and its number.
    order: Vec<(f32, u32)>,
}

impl Tank {
    /// Water at rest, about to fall.
    ///
    /// # Errors
    /// A number of cells that no box has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let cells = setup.size.unwrap_or(SIZE);
        let water = fill(&settings, cells)?;
        Ok(Self { settings, cells, water, camera: Camera::START, steps: 0, order: Vec::new() })
    }
}

impl Scene for Tank {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag: turn the camera"
    }

    fn size(&self) -> [usize; 2] {
        self.cells
    }

    /// Of the picture, whose height is 1: a pointer cannot tell how deep it points.
    fn extent(&self) -> [f64; 2] {
        [PICTURE[0] as f64 / PICTURE[1] as f64, 1.0]
    }

    fn picture_size(&self) -> [usize; 2] {
        PICTURE
    }

    fn step(&mut self) -> Result<(), Error> {
        self.water.step(DT as f32)?;
        self.steps += 1;
        Ok(())
    }

    fn rehearse(&mut self) {
        self.camera.circle();
    }

    fn pointer(&mut self, pointer: Pointer) {
        self.camera.drag(pointer.delta);
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let extent = box_of(self.cells);
        let eye = Eye::new(self.camera, extent, [picture.width(), picture.height()]);
        let particles = self.water.particles();
        self.order.clear();
        for i in 0..particles.len() {
            self.order.push((eye.see(particles.position(i).unwrap_or_default()).1, i as u32));
        }
        self.order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        paint_air(picture);
        paint_edges(picture, &eye, extent, false);
        let height = extent[1] as f32;
        let fastest = (2.0 * self.settings.gravity.max(1.0) as f32 * 0.75 * height).sqrt();
        let radius = BALL * spacing_of(self.cells) as f32;
        let (speeds, heights) = (ColorMap::inferno(), ColorMap::viridis());
        for (away, i) in &self.order {
            let i = *i as usize;
            let place = particles.position(i).unwrap_or_default();
            let part = speed(particles, i) / fastest;
            let color = match *VIEWS.get(view).unwrap_or(&VIEWS[0]) {
                "speed" => map_color(&speeds, 0.15 + 0.85 * part),
                "height" => map_color(&heights, place[1] / (0.8 * height)),
                _ => mix(water_color(0.25 + 1.1 * part), [0.10, 0.62, 0.80], 0.25),
            };
            let fade = 0.65 * eye.depth(*away);
            paint_ball(picture, eye.see(place).0, radius * eye.focus / away, color, fade);
        }
        paint_edges(picture, &eye, extent, true);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        self.water.set_params(self.settings.params(spacing_of(self.cells)))
    }

    fn choices(&self) -> Vec<Choice> {
        vec![Choice { name: START, options: STARTS.to_vec(), chosen: self.settings.start }]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if name == START && option < STARTS.len() && option != self.settings.start {
            self.settings.start = option;
            self.reset()?;
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.camera = Camera::START;
        self.resize(self.cells)
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        // Particles of another size are other particles: the water falls anew.
        self.water = fill(&self.settings, size)?;
        (self.cells, self.steps) = (size, 0);
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let excess = mean_excess(self.water.density(), self.water.params().rest_density);
        let stats = stats(self.water.particles(), self.water.domain(), excess);
        let digest = Digest::new().word(self.water.digest());
        let digest = digest.values(&self.camera.angles()).finish();
        Stats { size: self.cells, steps: self.steps, digest, ..stats }
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
