//! Balls and crates that float in a liquid: what they weigh, how a hand draws them, how they look.

use fluid_adapters::Picture;
use fluid_num::solid::{Body, Shape};

use crate::liquid::{Window, mix};
use crate::paint::{blend, byte};

/// The spring of a hand, 1/s², critically damped, and its largest acceleration, m/s².
const SPRING: f64 = 160.0;
const STRONGEST: f64 = 150.0;

/// For so many steps a pointer counts as pressed after it was last heard of: a screen may show fewer
/// frames than there are steps.
const PATIENCE: u32 = 3;

/// Where a pointer was last pressed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hand<const D: usize = 2> {
    pub(crate) place: [f64; D],
    /// How many steps ago.
    idle: u32,
    /// The body that it has taken hold of.
    pub(crate) body: usize,
}

impl<const D: usize> Hand<D> {
    /// One that presses now.
    pub(crate) fn new(place: [f64; D], body: usize) -> Self {
        Self { place, idle: 0, body }
    }

    /// The same a step later, as long as it counts as pressed.
    pub(crate) fn waits(self) -> Option<Self> {
        Some(Self { idle: self.idle + 1, ..self }).filter(|hand| hand.idle < PATIENCE)
    }
}

/// Gives a ball or a crate the mass of its density, in parts of the liquid's.
pub(crate) fn weigh(body: &mut Body<f32, 2>, density: f64, rest: f32) {
    let (area, square) = match body.shape {
        Shape::Ball { radius } => (core::f32::consts::PI * radius * radius, 0.5 * radius * radius),
        Shape::Cuboid { half_extents: [a, b] } => (4.0 * a * b, (a * a + b * b) / 3.0),
        _ => return,
    };
    body.mass = density as f32 * rest * area;
    body.inertia = [0.0, 0.0, body.mass * square];
}

/// Draws a body towards a place by the spring of a hand.
pub(crate) fn draw<const D: usize>(body: &mut Body<f32, D>, place: [f64; D]) {
    for a in 0..D {
        let way = place[a] - f64::from(body.position[a]);
        let pull = SPRING * way - 2.0 * SPRING.sqrt() * f64::from(body.velocity[a]);
        body.force[a] += body.mass * pull.clamp(-STRONGEST, STRONGEST) as f32;
    }
}

/// The radius of the disc that stands for a body among others.
pub(crate) fn roundness(body: &Body<f32, 2>) -> f32 {
    match body.shape {
        Shape::Ball { radius } => radius,
        Shape::Cuboid { half_extents: [a, b] } => 1.2 * a.max(b),
        _ => 0.0,
    }
}

/// The colour of a ball or crate at a place of its own frame, `depth` below its surface, in parts
/// of its size.
pub(crate) fn body_color(ball: bool, [x, y]: [f32; 2], depth: f32) -> [f32; 3] {
    if ball {
        let edge = (1.0 - depth).clamp(0.0, 1.0);
        let stripe =
            if (x * y > 0.0) == (x * x > y * y) { [0.93, 0.90, 0.84] } else { [0.86, 0.24, 0.20] };
        return mix(stripe, [0.25, 0.08, 0.08], 0.5 * edge * edge * edge);
    }
    let wood = [0.74, 0.53, 0.32];
    let frame = depth < 0.22;
    let brace = !frame && (x - y).abs() < 0.16;
    let plank = ((y * 2.5 + 10.0).fract() - 0.5).abs() > 0.44;
    match (frame || brace, plank) {
        (true, _) => mix(wood, [0.42, 0.27, 0.14], if depth < 0.06 { 0.9 } else { 0.25 }),
        (false, true) => [0.36, 0.24, 0.13],
        (false, false) => mix(wood, [0.30, 0.19, 0.10], 0.45),
    }
}

/// Paints a ball or a crate over a picture.
pub(crate) fn paint_body(body: &Body<f32, 2>, window: &Window, picture: &mut Picture) {
    let ball = matches!(body.shape, Shape::Ball { .. });
    let size = roundness(body) / if ball { 1.0 } else { 1.2 };
    paint_solid(body, window, picture, |place, distance| {
        body_color(ball, place.map(|x| x / size), -distance / size)
    });
}

/// Paints a body over a picture; `color` is that of a place in its own frame, so far from its surface, m.
pub(crate) fn paint_solid(
    body: &Body<f32, 2>,
    window: &Window,
    picture: &mut Picture,
    color: impl Fn([f32; 2], f32) -> [f32; 3],
) {
    let Some([lo, hi]) = body.bounds() else { return };
    let half = 0.5 * (hi[0] - lo[0]).max(hi[1] - lo[1]);
    let middle = [0, 1].map(|a| 0.5 * (lo[a] + hi[a]));
    let [columns, rows] = window.around(window.pixel(middle), half * window.scale() + 2.0);
    let (width, height) = (picture.width(), picture.height() as f32);
    for y in rows {
        for x in columns.clone() {
            let across = ((x - window.columns.start) as f32 + 0.5) / window.columns.len() as f32;
            let up = 1.0 - (y as f32 + 0.5) / height;
            let place = [across * window.extent[0] as f32, up * window.extent[1] as f32];
            let distance = body.signed_distance(place);
            let cover = (0.5 - distance * window.scale()).clamp(0.0, 1.0);
            if cover > 0.0 {
                let color = color(body.to_local(place), distance);
                let at = (y * width + x) * 4;
                blend(&mut picture.bytes_mut()[at..at + 4], color.map(byte), cover);
            }
        }
    }
}
