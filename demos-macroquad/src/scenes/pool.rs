//! A half-full pool with a ball and two crates afloat, into which the pointer pours water.
//!
//! A box of 6 m² of position-based fluid. The liquid pushes the bodies; the scene moves them by
//! that and gravity, keeps them within the walls and apart from each other, and lets a hand draw
//! one by a spring.

use fluid_adapters::{ColorMap, Picture};
use fluid_num::base::digest::Digest;
use fluid_num::particles::{Domain, Emitter};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, Pbf2, PbfParams, Real, Simulation};

use crate::bodies::{Hand, draw, paint_body, roundness, weigh};
use crate::liquid::{
    Canvas, Window, map_color, mean_excess, mix, paint_air, pixels_of, speed, stats, water_color,
};
use crate::scene::{
    Button, Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs,
    turn_knob,
};

/// The name on the command line.
pub const NAME: &str = "pool";
/// What it shows.
pub const TITLE: &str = "Pool: pour water among floating bodies (PBF)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [90, 60];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [120, 80];

const AREA: f64 = 6.0;
const VIEWS: &[&str] = &["water", "speed", "poured"];
/// Bodies and liquid answer each other this often in a step.
const EXCHANGES: usize = 4;
/// The part of the box beyond which nothing more is poured.
const FULLEST: f64 = 0.75;
/// The group of poured particles.
const POURED: u16 = 1;
/// The water at which speed is shown as foam, m/s.
const FOAM_SPEED: f32 = 5.0;
/// The part of its speed with which a body leaves a wall.
const BOUNCE: f32 = 0.2;
/// A ball and crates: half their size in parts of the box, density in parts of the water's, and
/// where they start.
const BODIES: [(f64, f64, [f64; 2]); 3] =
    [(0.11, 0.4, [0.25, 0.68]), (0.12, 0.3, [0.55, 0.66]), (0.085, 0.6, [0.80, 0.64])];

#[derive(Debug)]
struct Settings {
    gravity: f64,
    jet: f64,
    nozzle: f64,
    evening: f64,
    iterations: f64,
    weight: f64,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(gravity, "gravity, m/s²", [0.0, 20.0]),
    knob!(jet, "jet, m/s", [0.2, 8.0]),
    knob!(nozzle, "nozzle radius, m", [0.02, 0.3]),
    knob!(evening, "viscosity, 1/s", [0.0, 20.0]),
    knob!(iterations, "iterations", [1.0, 20.0]),
    knob!(weight, "weight of the bodies", [0.5, 3.0]),
];

impl Default for Settings {
    fn default() -> Self {
        Self { gravity: 9.81, jet: 2.5, nozzle: 0.09, evening: 2.0, iterations: 5.0, weight: 1.0 }
    }
}

impl Settings {
    fn params(&self, spacing: f64) -> PbfParams<f32, 2> {
        PbfParams {
            spacing: spacing as f32,
            gravity: [0.0, -self.gravity as f32],
            iterations: self.iterations as usize,
            viscosity: self.evening as f32,
            ..Default::default()
        }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Pool {
    settings: Settings,
    cells: [usize; 2],
    water: Pbf2<f32>,
    steps: u64,
    pouring: Option<Hand>,
    holding: Option<Hand>,
    canvas: Canvas,
}

/// The distance of particles that gives a box of so many of them its area.
fn spacing_of(cells: [usize; 2]) -> f64 {
    (AREA / (cells[0] as f64 * cells[1] as f64)).sqrt()
}

fn fill(settings: &Settings, cells: [usize; 2]) -> Result<Pbf2<f32>, Error> {
    let spacing = spacing_of(cells);
    let extent = cells.map(|n| n as f64 * spacing);
    let [width, height] = extent.map(|x| x as f32);
    let mut water = Pbf2::new(Domain::new([0.0; 2], [width, height])?, settings.params(spacing))?;
    let unit = extent[0].min(extent[1]);
    for (n, (size, density, place)) in BODIES.into_iter().enumerate() {
        let half = (size * unit) as f32;
        let shape = if n == 0 { Shape::ball(half)? } else { Shape::cuboid([half; 2])? };
        let place = [0, 1].map(|a| (place[a] * extent[a]) as f32);
        let mut body = Body::new(shape, place)?.with_angle(0.3 * n as f32)?;
        weigh(&mut body, density * settings.weight, water.params().rest_density);
        water.bodies_mut().push(body);
    }
    let bodies = water.bodies().to_vec();
    let particles = water.particles_mut();
    particles.add_block([0.0; 2], [width, 0.5 * height], spacing as f32, [0.0; 2], 0, &bodies)?;
    let most = (FULLEST * cells[0] as f64 * cells[1] as f64) as usize;
    let left = most.saturating_sub(particles.len());
    let nozzle = settings.nozzle as f32;
    let top = [0.5 * width, 0.95 * height];
    let mut tap = Emitter::new(top, [0.0, -1.0], nozzle, 0.0, spacing as f32)?;
    (tap.group, tap.limit) = (POURED, Some(left));
    water.emitters_mut().push(tap);
    Ok(water)
}

impl Pool {
    /// Water at rest, and bodies just above it.
    ///
    /// # Errors
    /// A number of cells that no box has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let cells = setup.size.unwrap_or(SIZE);
        Ok(Self {
            water: fill(&settings, cells)?,
            settings,
            cells,
            steps: 0,
            pouring: None,
            holding: None,
            canvas: Canvas::default(),
        })
    }

    /// Opens the tap over the pointer, or closes it.
    fn turn_tap(&mut self) {
        let extent = self.extent();
        for tap in self.water.emitters_mut() {
            tap.radius = self.settings.nozzle as f32;
            tap.speed = 0.0;
            if let Some(hand) = self.pouring {
                // The whole row within the walls.
                let rim = self.settings.nozzle.min(0.5 * extent[0]);
                let x = hand.place[0].clamp(rim, extent[0] - rim);
                tap.center = [x as f32, hand.place[1].clamp(0.0, extent[1]) as f32];
                tap.speed = self.settings.jet as f32;
            }
        }
    }

    /// Moves the bodies on by `dt`, under what the water did to them, gravity and the hand.
    fn move_bodies(&mut self, dt: f64) -> Result<(), Error> {
        let extent = self.extent();
        let (gravity, holding) = (self.settings.gravity as f32, self.holding);
        for (n, body) in self.water.bodies_mut().iter_mut().enumerate() {
            body.force[1] -= gravity * body.mass;
            if let Some(hand) = holding.filter(|hand| hand.body == n) {
                draw(body, hand.place);
            }
            body.advance(dt as f32)?;
            body.clear_wrench();
        }
        keep_apart(self.water.bodies_mut());
        for body in self.water.bodies_mut() {
            keep_within(body, extent);
        }
        Ok(())
    }

    /// The body nearest to a place.
    fn nearest(&self, place: [f64; 2]) -> usize {
        let place = place.map(|x| x as f32);
        let away = |n: &usize| self.water.bodies()[*n].signed_distance(place);
        let all = 0..self.water.bodies().len();
        all.min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0)
    }
}

/// Puts a body that has come through a wall back, without the speed that took it there.
fn keep_within(body: &mut Body<f32, 2>, extent: [f64; 2]) {
    let Some([lo, hi]) = body.bounds() else { return };
    for a in 0..2 {
        let (below, above) = (-lo[a], hi[a] - extent[a] as f32);
        let (push, away) = if below > 0.0 { (below, 1.0) } else { (above.max(0.0), -1.0) };
        if push > 0.0 {
            body.position[a] += away * push;
            let speed = body.velocity[a] * away;
            body.velocity[a] = away * if speed < 0.0 { -BOUNCE * speed } else { speed };
            body.angular_velocity[2] *= 0.9;
        }
    }
}

/// Pushes bodies that overlap apart, as if they were round.
fn keep_apart(bodies: &mut [Body<f32, 2>]) {
    for n in 1..bodies.len() {
        let (before, rest) = bodies.split_at_mut(n);
        let b = &mut rest[0];
        for a in before {
            let way = [0, 1].map(|k| b.position[k] - a.position[k]);
            let distance = (way[0] * way[0] + way[1] * way[1]).sqrt().max(1e-6);
            let overlap = roundness(a) + roundness(b) - distance;
            if overlap <= 0.0 {
                continue;
            }
            let (mass, unit) = (a.mass + b.mass, way.map(|w| w / distance));
            let closing: f32 = (0..2).map(|k| (a.velocity[k] - b.velocity[k]) * unit[k]).sum();
            let kick = (1.0 + BOUNCE) * closing.max(0.0);
            for k in 0..2 {
                a.position[k] -= overlap * unit[k] * b.mass / mass;
                b.position[k] += overlap * unit[k] * a.mass / mass;
                a.velocity[k] -= kick * unit[k] * b.mass / mass;
                b.velocity[k] += kick * unit[k] * a.mass / mass;
            }
        }
    }
}

impl Scene for Pool {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "hold: pour; right button: draw a body"
    }

    fn size(&self) -> [usize; 2] {
        self.cells
    }

    fn extent(&self) -> [f64; 2] {
        self.cells.map(|n| n as f64 * spacing_of(self.cells))
    }

    fn picture_size(&self) -> [usize; 2] {
        let pixels = pixels_of(self.cells);
        self.cells.map(|n| n * pixels)
    }

    fn step(&mut self) -> Result<(), Error> {
        self.turn_tap();
        let dt = DT / EXCHANGES as f64;
        for _ in 0..EXCHANGES {
            self.water.step(dt as f32)?;
            self.move_bodies(dt)?;
        }
        for hand in [&mut self.pouring, &mut self.holding] {
            *hand = hand.and_then(Hand::waits);
        }
        self.steps += 1;
        Ok(())
    }

    fn rehearse(&mut self) {
        // Three seconds of pouring to and fro; later the ball is held under water and let go.
        let extent = self.extent();
        let pour = |step: u64| {
            let (sway, _) = (step as f64 * DT * 1.6).portable_sin_cos();
            [extent[0] * (0.5 + 0.28 * sway), 0.93 * extent[1]]
        };
        let seconds = self.steps as f64 * DT % 9.0;
        let mut pointer = Pointer::along(pour, self.steps, 0);
        if seconds > 4.5 && seconds < 5.5 {
            let ball = self.water.bodies()[0].position.map(f64::from);
            pointer.position = [ball[0], 0.2 * extent[1]];
            pointer.button = Button::Secondary;
        } else if seconds >= 3.0 {
            return;
        }
        self.pointer(pointer);
    }

    fn pointer(&mut self, pointer: Pointer) {
        let place = pointer.position;
        if pointer.button == Button::Primary {
            self.pouring = Some(Hand::new(place, 0));
        } else {
            let body = self.holding.map_or_else(|| self.nearest(place), |hand| hand.body);
            self.holding = Some(Hand::new(place, body));
        }
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let extent = self.extent();
        let window = Window { columns: 0..picture.width(), height: picture.height(), extent };
        let particles = self.water.particles();
        let map = ColorMap::inferno();
        let part = |i| speed(particles, i) / FOAM_SPEED;
        let poured = |i: usize| particles.groups()[i] == POURED;
        let color = |i| match *VIEWS.get(view).unwrap_or(&VIEWS[0]) {
            "speed" => map_color(&map, 0.15 + 0.85 * part(i)),
            "poured" if poured(i) => [0.95, 0.62, 0.22],
            "poured" => [0.10, 0.38, 0.68],
            _ if poured(i) => mix(water_color(part(i)), [0.12, 0.72, 0.68], 0.4),
            _ => water_color(part(i)),
        };
        paint_air(picture);
        let spacing = spacing_of(self.cells) as f32;
        self.canvas.paint(&window, particles, spacing, color, picture)?;
        self.water.bodies().iter().for_each(|body| paint_body(body, &window, picture));
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        let rest = self.water.params().rest_density;
        for (body, (_, density, _)) in self.water.bodies_mut().iter_mut().zip(BODIES) {
            weigh(body, density * self.settings.weight, rest);
        }
        self.water.set_params(self.settings.params(spacing_of(self.cells)))
    }

    fn choices(&self) -> Vec<Choice> {
        Vec::new()
    }

    fn choose(&mut self, _name: &str, _option: usize) -> Result<(), Error> {
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.resize(self.cells)
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        // Particles of another size are other particles: the pool is filled anew.
        self.water = fill(&self.settings, size)?;
        self.cells = size;
        (self.steps, self.pouring, self.holding) = (0, None, None);
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let excess = mean_excess(self.water.density(), self.water.params().rest_density);
        let mut stats = stats(self.water.particles(), self.water.domain(), excess);
        let mut digest = Digest::new().word(self.water.digest());
        for body in self.water.bodies() {
            let pose = body.rotation();
            digest = digest.values(&body.position).values(&body.velocity).values(&pose[0]);
        }
        for tap in self.water.emitters() {
            digest = digest.values(&tap.center).values(&[tap.speed, tap.radius]);
        }
        let poured: usize = self.water.emitters().iter().map(Emitter::emitted).sum();
        stats.more.insert("poured", poured as f64);
        let names = ["ball_height", "light_crate_height", "heavy_crate_height"];
        for (name, body) in names.into_iter().zip(self.water.bodies()) {
            stats.more.insert(name, f64::from(body.position[1]) / self.extent()[1]);
        }
        Stats { size: self.cells, steps: self.steps, digest: digest.finish(), ..stats }
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
