//! A dam break in space, as position-based fluid in a box of glass.
//!
//! Particles are painted as lit balls, the farthest first and the darker; a camera circles the box.

use core::ops::Range;

use fluid_adapters::{ColorMap, Picture};
use fluid_num::base::digest::Digest;
use fluid_num::particles::Domain;
use fluid_num::solid::Shape;
use fluid_num::{Error, Pbf3, PbfParams, Real, Simulation};

use crate::liquid::{map_color, mean_excess, mix, paint_air, speed, stats, water_color};
use crate::paint::{blend, byte};
use crate::scene::{
    Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs, turn_knob,
};

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
/// Where light comes from, seen from the camera: left, above and behind it.
const LIGHT: [f32; 3] = [-0.48, 0.64, 0.60];
/// What far particles fade to.
const DUSK: [f32; 3] = [0.05, 0.09, 0.19];
const EDGE: [u8; 3] = [150, 170, 196];
/// A turn of the camera, radians a second, while nobody drags it.
const TURN: f64 = 0.3;
/// Radians for a drag across the height of the picture.
const DRAG: f64 = 3.0;

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

/// Where the box is seen from.
#[derive(Debug, Clone, Copy)]
struct Camera {
    /// The angle about the vertical, rad; 0 from the front.
    yaw: f64,
    /// The angle above the horizon, rad.
    pitch: f64,
}

impl Camera {
    const START: Self = Self { yaw: -0.5, pitch: 0.36 };
}

/// A camera that looks at a box, for a picture of some size.
struct Eye {
    center: [f32; 3],
    /// Right, up and towards the camera, in the world.
    axes: [[f32; 3]; 3],
    distance: f32,
    /// The nearest and the farthest that the box can be.
    reach: [f32; 2],
    /// Pixels for a metre at a distance of a metre.
    focus: f32,
    middle: [f32; 2],
}

impl Eye {
    fn new(camera: Camera, extent: [f64; 3], picture: &Picture) -> Self {
        let ((s, c), (u, v)) = (camera.yaw.portable_sin_cos(), camera.pitch.portable_sin_cos());
        let axes = [[c, 0.0, -s], [-s * u, v, -c * u], [s * v, u, c * v]];
        let radius = 0.5 * extent.iter().map(|x| x * x).sum::<f64>().sqrt();
        let distance = 3.4 * radius;
        let [width, height] = [picture.width(), picture.height()].map(|n| n as f32);
        Self {
            center: [0, 1, 2].map(|a| (0.5 * extent[a]) as f32),
            axes: axes.map(|axis| axis.map(|x| x as f32)),
            distance: distance as f32,
            reach: [distance - radius, distance + radius].map(|x| x as f32),
            focus: 2.15 * (0.75 * width).min(height),
            middle: [0.5 * width, 0.5 * height],
        }
    }

    /// The pixel under which a point lies, and how far away it is.
    fn see(&self, point: [f32; 3]) -> ([f32; 2], f32) {
        let r = [0, 1, 2].map(|a| point[a] - self.center[a]);
        let along = |axis: [f32; 3]| axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2];
        let away = self.distance - along(self.axes[2]);
        let scale = self.focus / away;
        let [x, y] = [scale * along(self.axes[0]), -scale * along(self.axes[1])];
        ([self.middle[0] + x, self.middle[1] + y], away)
    }

    /// How far back a distance is, 0 to 1.
    fn depth(&self, away: f32) -> f32 {
        ((away - self.reach[0]) / (self.reach[1] - self.reach[0])).clamp(0.0, 1.0)
    }
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

/// A line one pixel wide.
fn paint_line(picture: &mut Picture, from: [f32; 2], to: [f32; 2], opacity: f32) {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let way = [to[0] - from[0], to[1] - from[1]];
    let steps = way[0].abs().max(way[1].abs()).ceil().max(1.0);
    // Along the longer direction step by step; across it two pixels share the line.
    let across = usize::from(way[0].abs() >= way[1].abs());
    for n in 0..=steps as usize {
        let part = n as f32 / steps;
        let place = [0, 1].map(|a| from[a] + way[a] * part - 0.5);
        let share = place[across] - place[across].floor();
        for (next, cover) in [(0.0, 1.0 - share), (1.0, share)] {
            let mut pixel = place.map(f32::round);
            pixel[across] = place[across].floor() + next;
            if pixel[0] >= 0.0 && pixel[1] >= 0.0 && pixel[0] < width && pixel[1] < height {
                let at = (pixel[1] as usize * width as usize + pixel[0] as usize) * 4;
                blend(&mut picture.bytes_mut()[at..at + 4], EDGE, cover * opacity);
            }
        }
    }
}

/// The edges of the box: those that hide nothing, or those that stand before the water.
fn paint_edges(picture: &mut Picture, eye: &Eye, extent: [f64; 3], before: bool) {
    let corner = |n: usize| {
        let place = [0, 1, 2].map(|a| if n >> a & 1 == 1 { extent[a] as f32 } else { 0.0 });
        eye.see(place)
    };
    let nearest = (0..8).min_by(|a, b| corner(*a).1.total_cmp(&corner(*b).1)).unwrap_or(0);
    for from in 0..8_usize {
        for axis in (0..3).filter(|axis| from >> axis & 1 == 0) {
            let to = from | 1 << axis;
            if (from == nearest || to == nearest) == before {
                let opacity = if before { 0.45 } else { 0.30 };
                paint_line(picture, corner(from).0, corner(to).0, opacity);
            }
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
        self.camera.yaw += TURN * DT;
    }

    fn pointer(&mut self, pointer: Pointer) {
        self.camera.yaw -= DRAG * pointer.delta[0];
        self.camera.pitch = (self.camera.pitch - DRAG * pointer.delta[1]).clamp(-0.2, 1.4);
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let extent = box_of(self.cells);
        let eye = Eye::new(self.camera, extent, picture);
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
        let view = [self.camera.yaw, self.camera.pitch];
        let digest = Digest::new().word(self.water.digest()).values(&view).finish();
        Stats { size: self.cells, steps: self.steps, digest, ..stats }
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
