//! A dam that breaks among balls and crates, in a box of glass.
//!
//! [`Liquid3`] in a box as deep as its shorter edge; its surface is drawn as triangles of marching cubes. A
//! hand draws bodies in the plane of the picture, pushes water along the line of sight, throws a ball, and
//! turns the camera where it takes hold of nothing.

use fluid_adapters::{ColorMap, Picture};
use fluid_num::base::digest::Digest;
use fluid_num::schemes::liquid::VolumeCorrection;
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, Grid3, LevelSet, Liquid3, LiquidParams, Real, StepReport};

use crate::bodies::{Hand, draw};
use crate::glass::{Glass, View, hit};
use crate::liquid::map_color;
use crate::scene::{
    Button, Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs,
    turn_knob,
};
use crate::space::{Camera, Eye};
use crate::surface::{self, speed_of, take_along};

/// The name on the command line.
pub const NAME: &str = "3d-water";
/// What it shows.
pub const TITLE: &str = "3D water: a dam breaks among balls and crates (level set)";
/// Its own number of cells along x and y.
pub const SIZE: [usize; 2] = [64, 64];
/// Its own number of cells along x and y in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [32, 24];

/// The area of the front, m².
const AREA: f64 = 4.0;
const PICTURE: [usize; 2] = [640, 480];
const VIEWS: &[&str] = &["water", "speed", "height"];
const START: &str = "start";
const STARTS: [&str; 3] = ["dam", "two dams", "falling ball"];
/// The speed at which water foams, m/s.
const FOAM_SPEED: f32 = 3.4;
/// The depth of the pool, in parts of the height.
const POOL: f64 = 0.14;
/// Densities of crates and balls, in turns, in parts of the water's.
const DENSITIES: [f64; 6] = [0.35, 0.2, 0.6, 0.4, 0.85, 1.6];
/// That of balls that are thrown, how many of them there are, and the steps from one to the next.
const THROWN: f64 = 0.5;
const MOST_THROWN: usize = 4;
const PAUSE: u64 = 24;
/// How long a thrown ball flies, s, and from how high and how far it comes, in parts of the height.
const FLIGHT: f64 = 0.22;
const ABOVE: f64 = 0.85;
const BEFORE: f64 = 0.35;
/// The water about the line of sight that follows a hand, in parts of the height.
const HAND: f64 = 0.12;
/// For so many steps a pointer counts as pressed after it was last heard of.
const PATIENCE: u32 = 3;

#[derive(Debug)]
struct Settings {
    gravity: f64,
    tilt: f64,
    weight: f64,
    start: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(gravity, "gravity, m/s²", [0.0, 20.0]),
    knob!(tilt, "tilt of the box, °", [-25.0, 25.0]),
    knob!(weight, "weight of the bodies", [0.5, 3.0]),
];

impl Default for Settings {
    fn default() -> Self {
        Self { gravity: 9.81, tilt: 0.0, weight: 1.0, start: 0 }
    }
}

impl Settings {
    fn params(&self) -> LiquidParams<f32, 3> {
        let (sine, cosine) = self.tilt.to_radians().portable_sin_cos();
        let down = [sine, -cosine, 0.0];
        LiquidParams {
            gravity: down.map(|part| (self.gravity * part) as f32),
            volume_correction: Some(VolumeCorrection::default()),
            most_cells: 3.0,
            ..Default::default()
        }
    }
}

/// What a pressed pointer does until it is let go.
#[derive(Debug, Clone, Copy)]
enum Grip {
    Camera,
    Water,
    /// Its hand, and how far away from the camera that is.
    Body(Hand<3>, f32),
}

/// A push along a line of sight.
#[derive(Debug, Clone, Copy)]
struct Push {
    from: [f64; 3],
    /// Of unit length.
    along: [f64; 3],
    velocity: [f64; 3],
}

/// The scene.
#[derive(Debug)]
pub struct Water3d {
    settings: Settings,
    cells: [usize; 2],
    water: Liquid3<f32>,
    report: StepReport<f32>,
    camera: Camera,
    steps: u64,
    /// What the pointer does, and for how many steps it has not been heard of.
    grip: Option<(Grip, u32)>,
    pushes: Vec<Push>,
    /// How many balls have been thrown, and when the next one may be.
    thrown: usize,
    ready: u64,
    glass: Glass,
}

fn cell_of(cells: [usize; 2]) -> f64 {
    (AREA / (cells[0] as f64 * cells[1] as f64)).sqrt()
}

/// The edges of the box, m.
fn box_of([nx, ny]: [usize; 2]) -> [f64; 3] {
    [nx, ny, nx.min(ny)].map(|n| n as f64 * cell_of([nx, ny]))
}

/// Half the size of body number `n`: the water sees what is thicker than two cells.
fn half_of(cells: [usize; 2], n: usize) -> f64 {
    let [width, height, _] = box_of(cells);
    let unit = width.min(height);
    ((0.062 + 0.012 * (n % 3) as f64) * unit).max(1.3 * cell_of(cells)).min(0.2 * unit)
}

/// Gives a ball or a crate the mass of its density, in parts of the water's.
fn weigh(body: &mut Body<f32, 3>, density: f64, rest: f32) {
    let (volume, squares) = match body.shape {
        Shape::Ball { radius } => {
            let volume = 4.0 / 3.0 * core::f32::consts::PI * radius * radius * radius;
            (volume, [0.4 * radius * radius; 3])
        }
        Shape::Cuboid { half_extents: [a, b, c] } => {
            let [x, y, z] = [a, b, c].map(|half| half * half / 3.0);
            (8.0 * a * b * c, [y + z, x + z, x + y])
        }
        _ => return,
    };
    body.mass = density as f32 * rest * volume;
    body.inertia = squares.map(|square| body.mass * square);
}

fn fill(settings: &Settings, cells: [usize; 2]) -> Result<Liquid3<f32>, Error> {
    let [nx, ny] = cells;
    let grid = Grid3::new([nx, ny, nx.min(ny)], cell_of(cells) as f32)?;
    let params = settings.params();
    let [w, h, d] = box_of(cells).map(|x| x as f32);
    let pool = POOL as f32 * h;
    let start = settings.start;
    let level = |[x, y, z]: [f32; 3]| {
        let column = |right: f32, top: f32| (x - right * w).max(y - top * h);
        let falling = match start {
            0 => column(0.34, 0.66),
            1 => {
                let other = (0.78 * w - x).max(y - 0.55 * h).max(z - 0.55 * d);
                column(0.22, 0.7).min(other)
            }
            _ => {
                let away = [x - 0.5 * w, y - 0.68 * h, z - 0.5 * d];
                away.iter().map(|a| a * a).sum::<f32>().sqrt() - 0.24 * h.min(w)
            }
        };
        falling.min(y - pool)
    };
    let mut water = Liquid3::new(LevelSet::from_fn(grid, &params.boundary, level)?, params)?;
    for (n, density) in DENSITIES.into_iter().enumerate() {
        let half = half_of(cells, n) as f32;
        let shape = if n % 2 == 0 { Shape::cuboid([half; 3])? } else { Shape::ball(half)? };
        let x = (0.46 + 0.09 * n as f32) * w;
        let z = (0.2 + 0.3 * ((n * 2) % 3) as f32) * d;
        let turned = [0.2, 1.0, 0.3 * n as f32];
        let body = Body::new(shape, [x, pool + 1.1 * half, z])?;
        let mut body = body.with_rotation(turned, 0.5 * n as f32)?;
        weigh(&mut body, density * settings.weight, water.params().density);
        water.bodies_mut().push(body);
    }
    Ok(water)
}

impl Water3d {
    /// Water about to fall.
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
            camera: Camera::WIDE,
            steps: 0,
            grip: None,
            pushes: Vec::new(),
            thrown: 0,
            ready: 0,
            glass: Glass::new(),
        })
    }

    fn eye(&self) -> Eye {
        Eye::new(self.camera, box_of(self.cells), PICTURE)
    }

    /// The ray under a place of the scene.
    fn ray(&self, eye: &Eye, [x, y]: [f64; 2]) -> [f32; 3] {
        let height = PICTURE[1] as f64;
        eye.ray([(x * height) as f32, ((1.0 - y) * height) as f32])
    }

    /// The nearest body that a ray meets, and how far away its middle is.
    fn body_on(&self, eye: &Eye, ray: [f32; 3]) -> Option<(usize, f32)> {
        let place = eye.place();
        let away = |body: &Body<f32, 3>| {
            let from = body.to_local(place);
            let to = body.to_local([0, 1, 2].map(|a| place[a] + ray[a]));
            hit(&body.shape, from, [0, 1, 2].map(|a| to[a] - from[a])).map(|(away, _)| away)
        };
        let met = self.water.bodies().iter().enumerate();
        let met = met.filter_map(|(n, body)| Some((n, away(body)?)));
        let (n, _) = met.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((n, eye.see(self.water.bodies()[n].position).1))
    }

    /// Where a ray first meets the water, or else leaves the box through the ground.
    fn target(&self, eye: &Eye, ray: [f32; 3]) -> Option<[f64; 3]> {
        const LOOKS: usize = 128;
        let extent = box_of(self.cells);
        let (place, [near, far]) = (eye.place(), eye.reach);
        let points = (0..=LOOKS).map(|n| {
            let away = near + (far - near) * n as f32 / LOOKS as f32;
            [0, 1, 2].map(|a| place[a] + away * ray[a])
        });
        let inside = |p: &[f32; 3]| (0..3).all(|a| (0.0..extent[a]).contains(&f64::from(p[a])));
        let mut points = points.filter(inside);
        points.find(|p| self.water.surface().contains(*p)).map(|p| p.map(f64::from))
    }

    /// Throws a ball at what lies under a place of the scene.
    fn throw(&mut self, place: [f64; 2]) -> Result<(), Error> {
        if self.steps < self.ready {
            return Ok(());
        }
        let (eye, extent) = (self.eye(), box_of(self.cells));
        let Some(target) = self.target(&eye, self.ray(&eye, place)) else { return Ok(()) };
        let half = half_of(self.cells, 1);
        let towards = eye.axes[2].map(f64::from);
        let wished = [
            target[0] + BEFORE * extent[1] * towards[0],
            ABOVE * extent[1],
            target[2] + BEFORE * extent[1] * towards[2],
        ];
        let from = [0, 1, 2].map(|a| wished[a].min(extent[a] - half).max(half));
        let velocity = [0, 1, 2].map(|a| ((target[a] - from[a]) / FLIGHT) as f32);
        let ball = Body::new(Shape::ball(half as f32)?, from.map(|x| x as f32))?;
        let mut ball = ball.with_velocity(velocity)?;
        weigh(&mut ball, THROWN * self.settings.weight, self.water.params().density);
        let bodies = self.water.bodies_mut();
        let slot = DENSITIES.len() + self.thrown % MOST_THROWN;
        match bodies.get_mut(slot) {
            Some(old) => *old = ball,
            None => bodies.push(ball),
        }
        self.thrown += 1;
        self.ready = self.steps + PAUSE;
        Ok(())
    }

    /// What a pointer takes hold of.
    fn take(&self, eye: &Eye, ray: [f32; 3]) -> Grip {
        match (self.body_on(eye, ray), self.target(eye, ray)) {
            (Some((body, away)), _) => Grip::Body(Hand::new([0.0; 3], body), away),
            (None, Some(_)) => Grip::Water,
            (None, None) => Grip::Camera,
        }
    }

    /// Takes water along lines of sight along.
    fn push(&mut self) {
        let radius = (HAND * box_of(self.cells)[1]).max(1.5 * cell_of(self.cells));
        for Push { from, along, velocity } in core::mem::take(&mut self.pushes) {
            take_along(self.water.velocity_mut(), velocity, |x| {
                let way = [0, 1, 2].map(|a| (x[a] - from[a]) / radius);
                let part: f64 = (0..3).map(|a| way[a] * along[a]).sum();
                way.iter().map(|w| w * w).sum::<f64>() - part * part
            });
        }
    }
}

impl Scene for Water3d {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag: bodies, water, or the camera beside them; right button: throw a ball"
    }

    fn size(&self) -> [usize; 2] {
        self.cells
    }

    /// Of the picture, whose height is 1.
    fn extent(&self) -> [f64; 2] {
        [PICTURE[0] as f64 / PICTURE[1] as f64, 1.0]
    }

    fn picture_size(&self) -> [usize; 2] {
        PICTURE
    }

    fn step(&mut self) -> Result<(), Error> {
        self.push();
        if let Some((Grip::Body(hand, _), _)) = self.grip {
            draw(&mut self.water.bodies_mut()[hand.body], hand.place);
        }
        self.report = self.water.step(DT as f32)?;
        self.water.advance_bodies(DT as f32)?;
        let later = |(grip, idle)| (idle < PATIENCE).then_some((grip, idle + 1));
        self.grip = self.grip.and_then(later);
        self.steps += 1;
        Ok(())
    }

    fn rehearse(&mut self) {
        self.camera.circle();
        // A ball is thrown now and then.
        if self.steps % 180 == 150 {
            let [width, height] = self.extent();
            // Where no ball can be thrown, none is.
            let _ = self.throw([0.5 * width, 0.45 * height]);
        }
    }

    fn pointer(&mut self, pointer: Pointer) {
        if pointer.button == Button::Secondary {
            // A pointer that is nowhere throws nothing.
            let _ = self.throw(pointer.position);
            return;
        }
        let eye = self.eye();
        let ray = self.ray(&eye, pointer.position);
        let grip = self.grip.map_or_else(|| self.take(&eye, ray), |(grip, _)| grip);
        let place = eye.place();
        let grip = match grip {
            Grip::Camera => {
                self.camera.drag(pointer.delta);
                grip
            }
            Grip::Water => {
                // Metres for a height of the picture in the middle of the box.
                let away = 0.5 * (eye.reach[0] + eye.reach[1]);
                let scale = f64::from(PICTURE[1] as f32 * away / eye.focus);
                let [right, up] = speed_of(&pointer).map(|u| (scale * u) as f32);
                let length = ray.iter().map(|c| c * c).sum::<f32>().sqrt();
                self.pushes.push(Push {
                    from: place.map(f64::from),
                    along: ray.map(|c| f64::from(c / length)),
                    velocity: eye.turned([right, up, 0.0]).map(f64::from),
                });
                grip
            }
            Grip::Body(hand, away) => {
                let place = [0, 1, 2].map(|a| f64::from(place[a] + away * ray[a]));
                Grip::Body(Hand::new(place, hand.body), away)
            }
        };
        self.grip = Some((grip, 0));
    }

    fn views(&self) -> &'static [&'static str] {
        VIEWS
    }

    fn paint(&mut self, view: usize, picture: &mut Picture) -> Result<(), Error> {
        let extent = box_of(self.cells);
        let u = self.water.velocity();
        let speed = |place| {
            let [x, y, z]: [f32; 3] = u.sample(place);
            (x * x + y * y + z * z).sqrt() / FOAM_SPEED
        };
        let height = extent[1] as f32;
        let (speeds, heights) = (ColorMap::inferno(), ColorMap::viridis());
        let hot = |part: f32| map_color(&speeds, 0.15 + 0.55 * part);
        let high = |part: f32| map_color(&heights, part);
        let seen = View {
            camera: self.camera,
            extent,
            water: self.water.surface(),
            bodies: self.water.bodies(),
        };
        match *VIEWS.get(view).unwrap_or(&VIEWS[0]) {
            "speed" => self.glass.paint(&seen, speed, Some(&hot), picture),
            "height" => {
                let part = |place: [f32; 3]| place[1] / (0.8 * height);
                self.glass.paint(&seen, part, Some(&high), picture)
            }
            _ => self.glass.paint(&seen, speed, None, picture),
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        let (rest, weight) = (self.water.params().density, self.settings.weight);
        for (n, body) in self.water.bodies_mut().iter_mut().enumerate() {
            let density = DENSITIES.get(n).copied().unwrap_or(THROWN);
            weigh(body, density * weight, rest);
        }
        self.water.set_params(self.settings.params())
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
        self.camera = Camera::WIDE;
        self.resize(self.cells)
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        // A box as deep as it is high is another box: the water falls anew.
        self.water = fill(&self.settings, size)?;
        self.report = StepReport::nothing(0.0);
        (self.cells, self.steps, self.grip) = (size, 0, None);
        (self.thrown, self.ready) = (0, 0);
        self.pushes.clear();
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let extent = box_of(self.cells);
        let mut stats = surface::stats(&mut self.water, &self.report, extent);
        stats.more.insert("balls_thrown", self.thrown as f64);
        let digest = Digest::new().word(stats.digest).values(&self.camera.angles()).finish();
        Stats { size: self.cells, steps: self.steps, digest, ..stats }
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}
