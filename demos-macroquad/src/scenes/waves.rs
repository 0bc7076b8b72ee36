//! A tank in which a paddle makes waves that run past a boat and break on a beach.
//!
//! 64 m² of [`Liquid2`]. The paddle is a body of given motion, hinged on the ground or pushed to and fro;
//! the beach is one at rest. A boat rides at anchor, a ball goes where the waves take it.

mod paint;

use std::collections::VecDeque;

use fluid_adapters::Picture;
use fluid_num::schemes::liquid::VolumeCorrection;
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, Grid2, LevelSet, Liquid2, LiquidParams, Real, StepReport};

use crate::bodies::{Hand, draw, weigh};
use crate::liquid::Window;
use crate::scene::{
    Button, Choice, DT, Knob, Parameter, Pointer, Scene, Setup, Solve, Stats, knob, read_knobs,
    turn_knob,
};
use crate::surface::{self, Look, VIEWS, body_at, paint_water, speed_of, stir};

/// The name on the command line.
pub const NAME: &str = "waves";
/// What it shows.
pub const TITLE: &str = "Waves: a paddle, a boat at anchor, a beach (level set)";
/// Its own number of cells.
pub const SIZE: [usize; 2] = [512, 128];
/// Its own number of cells in a headless run.
pub const HEADLESS_SIZE: [usize; 2] = [256, 64];

const AREA: f64 = 64.0;
const LOOK: Look = Look { foam: 2.5, dark: 1.3 };
/// The water about a pointer that follows it, and how near to a body a pointer takes hold of it, m.
const HAND: f64 = 0.3;
const NEAR: f32 = 0.1;
/// The water's depth, in parts of the height, and where the paddle stands, in parts of the width.
const STILL: f64 = 0.44;
const HINGE: f64 = 0.055;
/// The beach: places in parts of the width and the height.
const BEACH: [[f64; 2]; 9] = [
    [0.44, -0.5],
    [0.44, 0.0],
    [0.52, 0.08],
    [0.62, 0.22],
    [0.72, 0.345],
    [0.80, 0.40],
    [0.88, 0.46],
    [1.2, 0.72],
    [1.2, -0.5],
];
/// Where the boat is at anchor, where the ball begins, and where waves are measured, in parts of the width.
const ANCHOR: f64 = 0.30;
const BALL: f64 = 0.45;
const GAUGE: f64 = 0.2;
/// The hull, in parts of half its length, its bow to the waves.
const HULL: [[f64; 2]; 5] =
    [[-1.12, 0.44], [-0.62, -0.32], [0.6, -0.32], [0.86, -0.16], [1.0, 0.36]];
/// Densities of boat and ball, in parts of the water's.
const DENSITIES: [f64; 2] = [0.42, 0.2];
/// How far below the middle of the hull the boat's weight lies, in parts of half its length.
const KEEL: f64 = 0.18;
/// The cable's length in depths of water, what it pulls as it hangs, m/s², and for each metre that it is
/// stretched, 1/s², and what it holds, 1/s.
const CABLE: f64 = 1.5;
const HANGS: f64 = 0.15;
const PULL: f64 = 14.0;
const HOLD: f64 = 2.0;
/// The longer edge of the picture, pixels.
const WIDEST: usize = 1024;
/// How long waves are remembered, steps.
const MEMORY: usize = 240;

#[derive(Debug)]
struct Settings {
    stroke: f64,
    period: f64,
    weight: f64,
    paddle: usize,
    cable: usize,
}

const KNOBS: &[Knob<Settings>] = &[
    knob!(stroke, "stroke, m", [0.0, 1.2]),
    knob!(period, "period, s", [1.0, 4.0]),
    knob!(weight, "weight of boat and ball", [0.5, 2.0]),
];
const PADDLE: &str = "paddle";
const PADDLES: [&str; 2] = ["flap", "piston"];
const MOORED: &str = "boat";
const MOORINGS: [&str; 2] = ["at anchor", "adrift"];

impl Default for Settings {
    fn default() -> Self {
        Self { stroke: 0.72, period: 1.9, weight: 1.0, paddle: 0, cable: 0 }
    }
}

fn params() -> LiquidParams<f32, 2> {
    LiquidParams {
        volume_correction: Some(VolumeCorrection::default()),
        most_cells: 3.0,
        ..Default::default()
    }
}

/// What drives the paddle.
#[derive(Debug, Clone, Copy, Default)]
struct Engine {
    /// Where in its turn it is, rad, and half the stroke now, m: a new one is taken up bit by bit.
    turn: f64,
    swing: f64,
}

impl Engine {
    /// How far the paddle stands from its middle, at the height of the still water, m.
    fn shift(&self) -> f64 {
        self.swing * self.turn.portable_sin_cos().0
    }

    /// The same a step later.
    fn next(&self, settings: &Settings) -> Self {
        let turn = self.turn + core::f64::consts::TAU * DT / settings.period;
        let swing = self.swing + (0.5 * settings.stroke - self.swing) * DT;
        Self { turn: turn % core::f64::consts::TAU, swing }
    }
}

/// The scene.
#[derive(Debug)]
pub struct Waves {
    settings: Settings,
    cells: [usize; 2],
    water: Liquid2<f32>,
    engine: Engine,
    report: StepReport<f32>,
    steps: u64,
    holding: Option<Hand>,
    /// Pointers that move the water.
    stirring: Vec<Pointer>,
    /// The water's height where waves are measured, m, over the last steps.
    heights: VecDeque<f64>,
}

/// Where bodies are in the list.
const PADDLE_BODY: usize = 0;
const BOAT: usize = 2;
const FLOATING: core::ops::Range<usize> = BOAT..4;

fn cell_of(cells: [usize; 2]) -> f64 {
    (AREA / (cells[0] as f64 * cells[1] as f64)).sqrt()
}

fn extent_of(cells: [usize; 2]) -> [f64; 2] {
    cells.map(|n| n as f64 * cell_of(cells))
}

/// A block about a hinge on the ground, its face to the right: what lies behind it is outside.
fn paddle(extent: [f64; 2]) -> Result<Body<f32, 2>, Error> {
    let [width, height] = extent;
    let [left, low, top] = [-(HINGE * width + 2.0 * height), -height, 1.3 * height];
    let corners = [[left, low], [0.0, low], [0.0, top], [left, top]];
    let shape = Shape::polygon(&corners.map(|corner| corner.map(|x| x as f32)))?;
    Body::new(shape, [(HINGE * width) as f32, 0.0])
}

fn beach([width, height]: [f64; 2]) -> Result<Body<f32, 2>, Error> {
    let corners = BEACH.map(|[x, y]| [(x * width) as f32, (y * height) as f32]);
    Body::new(Shape::polygon(&corners)?, [0.0; 2])
}

/// Half the length of the boat: it is seen by the water where it is thicker than two cells.
fn half_length(cells: [usize; 2]) -> f64 {
    let [width, height] = extent_of(cells);
    (0.16 * height).max(4.0 * cell_of(cells)).min(0.2 * width.min(height))
}

/// A polygon that turns about its centre of mass, moved down by `keel`: its body and how far it has been
/// moved.
fn hull(corners: &[[f64; 2]], keel: f64) -> Result<(Shape<f32, 2>, [f64; 2]), Error> {
    let [_, middle, _] = moments(corners);
    let shift = [-middle[0], keel - middle[1]];
    let moved = |corner: &[f64; 2]| [0, 1].map(|a| (corner[a] + shift[a]) as f32);
    let corners: Vec<_> = corners.iter().map(moved).collect();
    Ok((Shape::polygon(&corners)?, shift))
}

/// The area of a polygon, its centre, and its second moments about the origin along x and y.
fn moments(corners: &[[f64; 2]]) -> [[f64; 2]; 3] {
    let (mut area, mut first, mut second) = (0.0, [0.0; 2], [0.0; 2]);
    for (n, p) in corners.iter().enumerate() {
        let q = corners[(n + 1) % corners.len()];
        let cross = p[0] * q[1] - p[1] * q[0];
        area += 0.5 * cross;
        for a in 0..2 {
            first[a] += (p[a] + q[a]) * cross / 6.0;
            second[a] += (p[a] * p[a] + p[a] * q[a] + q[a] * q[a]) * cross / 12.0;
        }
    }
    [[area; 2], first.map(|x| x / area), second]
}

/// Gives the boat and the ball their masses.
fn load(bodies: &mut [Body<f32, 2>], settings: &Settings, rest: f32) {
    for (body, density) in bodies[FLOATING].iter_mut().zip(DENSITIES) {
        let density = density * settings.weight;
        if let Shape::Polygon(polygon) = &body.shape {
            let corners: Vec<_> = polygon.vertices().iter().map(|v| v.map(f64::from)).collect();
            let [area, _, second] = moments(&corners);
            let dense = (density * f64::from(rest)).abs();
            body.mass = (dense * area[0].abs()) as f32;
            body.inertia = [0.0, 0.0, (dense * (second[0] + second[1]).abs()) as f32];
        } else {
            weigh(body, density, rest);
        }
    }
}

fn fill(settings: &Settings, cells: [usize; 2]) -> Result<Liquid2<f32>, Error> {
    let (dx, extent) = (cell_of(cells), extent_of(cells));
    let [width, height] = extent;
    let grid = Grid2::new(cells, dx as f32)?;
    let params = params();
    let still = (STILL * height) as f32;
    let level = LevelSet::from_fn(grid, &params.boundary, |[_, y]| y - still)?;
    let mut water = Liquid2::new(level, params)?;
    let half = half_length(cells);
    let (shape, _) = hull(&HULL.map(|corner| corner.map(|x| half * x)), KEEL * half)?;
    let boat = Body::new(shape, [(ANCHOR * width) as f32, still])?;
    let ball = Shape::ball((0.5 * half).max(1.3 * dx).min(0.1 * width.min(height)) as f32)?;
    let ball = Body::new(ball, [(BALL * width) as f32, still + 0.05 * height as f32])?;
    water.bodies_mut().extend([paddle(extent)?, beach(extent)?, boat, ball]);
    let rest = water.params().density;
    load(water.bodies_mut(), settings, rest);
    Ok(water)
}

impl Waves {
    /// Still water.
    ///
    /// # Errors
    /// A number of cells that no tank has.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        let settings = Settings::default();
        let cells = setup.size.unwrap_or(SIZE);
        Ok(Self {
            water: fill(&settings, cells)?,
            engine: Engine::default(),
            report: StepReport::nothing(0.0),
            settings,
            cells,
            steps: 0,
            holding: None,
            stirring: Vec::new(),
            heights: VecDeque::with_capacity(MEMORY),
        })
    }

    /// Puts the paddle where it belongs, with the velocity that leads it to where it belongs next.
    fn drive(&mut self) -> Result<(), Error> {
        let next = self.engine.next(&self.settings);
        let [now, then] = [self.engine, next].map(|engine| engine.shift());
        let [width, height] = self.extent();
        let body = &mut self.water.bodies_mut()[PADDLE_BODY];
        let hinge = HINGE * width;
        let (place, speed, lean) = if self.settings.paddle == 0 {
            // To the right is clockwise.
            (hinge, 0.0, [now, then].map(|shift| -shift / (STILL * height)))
        } else {
            (hinge + now, (then - now) / DT, [0.0; 2])
        };
        let turned = Body::new(body.shape.clone(), [place as f32, 0.0])?;
        *body = turned
            .with_angle(lean[0] as f32)?
            .with_velocity([speed as f32, 0.0])?
            .with_angular_velocity([0.0, 0.0, ((lean[1] - lean[0]) / DT) as f32])?;
        self.engine = next;
        Ok(())
    }

    /// The bow, where the cable begins, and the anchor.
    fn cable(&self) -> Option<[[f64; 2]; 2]> {
        let [width, _] = self.extent();
        let boat = &self.water.bodies()[BOAT];
        let Shape::Polygon(hull) = &boat.shape else { return None };
        let bow = boat.to_world(*hull.vertices().first()?).map(f64::from);
        Some([bow, [(ANCHOR - 0.12) * width, 0.0]])
    }

    /// Lets the cable pull.
    fn hold_boat(&mut self) -> Result<(), Error> {
        let length = CABLE * STILL * self.extent()[1];
        let Some([bow, anchor]) = self.cable().filter(|_| self.settings.cable == 0) else {
            return Ok(());
        };
        let way = [0, 1].map(|a| anchor[a] - bow[a]);
        let far = (way[0] * way[0] + way[1] * way[1]).sqrt();
        if far <= 0.0 {
            return Ok(());
        }
        let boat = &mut self.water.bodies_mut()[BOAT];
        let (point, along) = (bow.map(|x| x as f32), way.map(|x| x / far));
        let leaves = boat.velocity_at(point).map(f64::from);
        let leaves = -(leaves[0] * along[0] + leaves[1] * along[1]);
        let stretched = PULL * (far - length) + HOLD * leaves.max(0.0);
        let pull = HANGS * far / length + if far > length { stretched } else { 0.0 };
        let force = along.map(|part| boat.mass * (part * pull) as f32);
        boat.add_force_at(point, force)
    }

    /// The height of the water at a part of the width, m.
    fn level_at(&self, part: f64) -> f64 {
        let [width, height] = self.extent();
        let (surface, dx) = (self.water.surface(), cell_of(self.cells));
        let phi = |n: usize| {
            let place = [part * width, (n as f64 + 0.5) * dx].map(|x| x as f32);
            f64::from(surface.signed_distance(place))
        };
        for n in (0..self.cells[1]).rev() {
            let below = phi(n);
            if below < 0.0 {
                let above = if n + 1 < self.cells[1] { phi(n + 1).max(0.0) } else { dx };
                let share = -below / (above - below);
                return ((n as f64 + 0.5 + share) * dx).min(height);
            }
        }
        0.0
    }
}

impl Scene for Waves {
    fn name(&self) -> &'static str {
        NAME
    }

    fn hint(&self) -> &'static str {
        "drag: boat, ball and water; right button: pour"
    }

    fn size(&self) -> [usize; 2] {
        self.cells
    }

    fn extent(&self) -> [f64; 2] {
        extent_of(self.cells)
    }

    fn picture_size(&self) -> [usize; 2] {
        let [width, height] = self.cells;
        let pixels = (WIDEST / width.max(height)).clamp(2, 8);
        [width * pixels, height * pixels]
    }

    fn step(&mut self) -> Result<(), Error> {
        self.drive()?;
        for pointer in core::mem::take(&mut self.stirring) {
            stir(&mut self.water, &pointer, HAND);
        }
        self.hold_boat()?;
        if let Some(hand) = self.holding {
            draw(&mut self.water.bodies_mut()[hand.body], hand.place);
        }
        self.report = self.water.step(DT as f32)?;
        self.water.advance_bodies(DT as f32)?;
        self.holding = self.holding.and_then(Hand::waits);
        self.steps += 1;
        if self.heights.len() == MEMORY {
            self.heights.pop_front();
        }
        self.heights.push_back(self.level_at(GAUGE));
        Ok(())
    }

    fn rehearse(&mut self) {
        // The ball is fetched from the beach now and then, and let go.
        let [width, height] = self.extent();
        let seconds = self.steps as f64 * DT % 12.0;
        if (9.0..11.0).contains(&seconds) {
            let place = [BALL * width, (STILL + 0.3) * height];
            self.holding = Some(Hand::new(place, FLOATING.end - 1));
        }
    }

    fn pointer(&mut self, pointer: Pointer) {
        let place = pointer.position;
        if pointer.button == Button::Secondary {
            let radius = (3.0 * cell_of(self.cells)).max(0.12) as f32;
            if let Ok(drop) = Shape::ball(radius) {
                let velocity = speed_of(&pointer).map(|u| u as f32);
                // A pointer that is nowhere pours nothing.
                let _ = self.water.pour(&drop, place.map(|x| x as f32), velocity);
            }
            return;
        }
        let held = self.holding.map(|hand| hand.body);
        match held.or_else(|| body_at(self.water.bodies(), place, NEAR)) {
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
        let cable = self.cable().filter(|_| self.settings.cable == 0);
        paint::paint_all(self.water.bodies(), cable, STILL * extent[1], &window, picture)
    }

    fn parameters(&self) -> Vec<Parameter> {
        read_knobs(KNOBS, &self.settings)
    }

    fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        turn_knob(KNOBS, &mut self.settings, name, value);
        let rest = self.water.params().density;
        load(self.water.bodies_mut(), &self.settings, rest);
        Ok(())
    }

    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice { name: PADDLE, options: PADDLES.to_vec(), chosen: self.settings.paddle },
            Choice { name: MOORED, options: MOORINGS.to_vec(), chosen: self.settings.cable },
        ]
    }

    fn choose(&mut self, name: &str, option: usize) -> Result<(), Error> {
        if name == PADDLE && option < PADDLES.len() {
            self.settings.paddle = option;
        }
        if name == MOORED && option < MOORINGS.len() {
            self.settings.cable = option;
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.resize(self.cells)
    }

    fn resize(&mut self, size: [usize; 2]) -> Result<(), Error> {
        // Another grid is another tank of the same area: its water is at rest.
        self.water = fill(&self.settings, size)?;
        self.cells = size;
        self.engine = Engine::default();
        self.report = StepReport::nothing(0.0);
        (self.steps, self.holding) = (0, None);
        self.stirring.clear();
        self.heights.clear();
        Ok(())
    }

    fn stats(&mut self) -> Stats {
        let extent = self.extent();
        let mut stats = surface::stats(&mut self.water, &self.report, extent);
        let ends = self
            .heights
            .iter()
            .fold([f64::MAX, f64::MIN], |[lo, hi], height| [lo.min(*height), hi.max(*height)]);
        stats.more.insert("wave_height", (ends[1] - ends[0]).max(0.0));
        stats.more.insert("boat_from_anchor", {
            let boat = &self.water.bodies()[BOAT];
            f64::from(boat.position[0]) - ANCHOR * extent[0]
        });
        Stats { size: self.cells, steps: self.steps, ..stats }
    }

    fn solves(&mut self) -> Vec<Solve> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moments_of_a_box_are_those_of_the_books() {
        let [area, middle, second] = moments(&[[1.0, 0.0], [4.0, 0.0], [4.0, 2.0], [1.0, 2.0]]);
        assert_eq!(area, [6.0; 2]);
        assert!((0..2).all(|a| (middle[a] - [2.5, 1.0][a]).abs() < 1e-12), "{middle:?}");
        // b h³/12 and the share of the way to the origin.
        let along = [2.0 * 27.0 / 12.0 + 6.0 * 6.25, 3.0 * 8.0 / 12.0 + 6.0];
        assert!((0..2).all(|a| (second[a] - along[a]).abs() < 1e-12), "{second:?}");
    }
}
