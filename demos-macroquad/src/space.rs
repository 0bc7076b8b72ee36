//! A box in space, as a camera sees it that circles it.

use fluid_adapters::Picture;
use fluid_num::Real;

use crate::paint::blend;
use crate::scene::DT;

/// Where light comes from, seen from the camera: left, above and behind it.
pub(crate) const LIGHT: [f32; 3] = [-0.48, 0.64, 0.60];
/// The edges of the box.
const EDGE: [u8; 3] = [150, 170, 196];
/// A turn of the camera, radians a second, while nobody drags it.
const TURN: f64 = 0.3;
/// Radians for a drag across the height of the picture.
const DRAG: f64 = 3.0;

/// Where the box is seen from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Camera {
    /// The angle about the vertical, rad; 0 from the front.
    yaw: f64,
    /// The angle above the horizon, rad.
    pitch: f64,
    /// How large the box is in the picture.
    zoom: f64,
}

impl Camera {
    /// For a flat box.
    pub(crate) const START: Self = Self { yaw: -0.5, pitch: 0.36, zoom: 1.0 };
    /// For a cube, all of which is in the picture.
    pub(crate) const WIDE: Self = Self { zoom: 0.86, ..Self::START };

    /// Goes round for a step, as it does while nobody drags it.
    pub(crate) fn circle(&mut self) {
        self.yaw += TURN * DT;
    }

    /// Follows a drag, in heights of the picture.
    pub(crate) fn drag(&mut self, [right, up]: [f64; 2]) {
        self.yaw -= DRAG * right;
        self.pitch = (self.pitch - DRAG * up).clamp(-0.2, 1.4);
    }

    /// What tells one view from another.
    pub(crate) fn angles(&self) -> [f64; 2] {
        [self.yaw, self.pitch]
    }
}

/// A camera that looks at a box, for a picture of some size. How far away a point is counts along the axis
/// of the camera.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Eye {
    center: [f32; 3],
    /// Right, up and towards the camera, in the world.
    pub(crate) axes: [[f32; 3]; 3],
    distance: f32,
    /// The nearest and the farthest that the box can be.
    pub(crate) reach: [f32; 2],
    /// Pixels for a metre at a distance of a metre.
    pub(crate) focus: f32,
    middle: [f32; 2],
}

impl Eye {
    /// One for a picture of `size` pixels that shows a box from the origin to `extent`.
    pub(crate) fn new(camera: Camera, extent: [f64; 3], size: [usize; 2]) -> Self {
        let ((s, c), (u, v)) = (camera.yaw.portable_sin_cos(), camera.pitch.portable_sin_cos());
        let axes = [[c, 0.0, -s], [-s * u, v, -c * u], [s * v, u, c * v]];
        let radius = 0.5 * extent.iter().map(|x| x * x).sum::<f64>().sqrt();
        let distance = 3.4 * radius;
        let [width, height] = size.map(|n| n as f32);
        Self {
            center: [0, 1, 2].map(|a| (0.5 * extent[a]) as f32),
            axes: axes.map(|axis| axis.map(|x| x as f32)),
            distance: distance as f32,
            reach: [distance - radius, distance + radius].map(|x| x as f32),
            focus: 2.15 * camera.zoom as f32 * (0.75 * width).min(height),
            middle: [0.5 * width, 0.5 * height],
        }
    }

    /// The pixel under which a point lies, and how far away it is.
    pub(crate) fn see(&self, point: [f32; 3]) -> ([f32; 2], f32) {
        let r = [0, 1, 2].map(|a| point[a] - self.center[a]);
        let along = |axis: [f32; 3]| axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2];
        let away = self.distance - along(self.axes[2]);
        let scale = self.focus / away;
        let [x, y] = [scale * along(self.axes[0]), -scale * along(self.axes[1])];
        ([self.middle[0] + x, self.middle[1] + y], away)
    }

    /// Where the camera stands.
    pub(crate) fn place(&self) -> [f32; 3] {
        [0, 1, 2].map(|a| self.center[a] + self.distance * self.axes[2][a])
    }

    /// How a point that lies under a pixel moves, from the camera's place on, for each metre farther away.
    pub(crate) fn ray(&self, pixel: [f32; 2]) -> [f32; 3] {
        let right = (pixel[0] - self.middle[0]) / self.focus;
        let up = (self.middle[1] - pixel[1]) / self.focus;
        self.turned([right, up, -1.0])
    }

    /// A direction that is known as right, up and towards the camera, in the world.
    pub(crate) fn turned(&self, [right, up, towards]: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = self.axes;
        [0, 1, 2].map(|a| right * x[a] + up * y[a] + towards * z[a])
    }

    /// How far back a distance is, 0 to 1.
    pub(crate) fn depth(&self, away: f32) -> f32 {
        ((away - self.reach[0]) / (self.reach[1] - self.reach[0])).clamp(0.0, 1.0)
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
pub(crate) fn paint_edges(picture: &mut Picture, eye: &Eye, extent: [f64; 3], before: bool) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_under_a_pixel_is_seen_there() {
        let eye = Eye::new(Camera { yaw: 0.7, pitch: 0.3, zoom: 0.9 }, [2.0, 1.0, 1.5], [640, 480]);
        let (place, ray) = (eye.place(), eye.ray([200.0, 333.0]));
        let (pixel, away) = eye.see([0, 1, 2].map(|a| place[a] + 3.5 * ray[a]));
        // Rounding of places some metres away, at 400 pixels a metre.
        let near = |a: f32, b: f32| (a - b).abs() < 1e-2;
        assert!(near(pixel[0], 200.0) && near(pixel[1], 333.0), "{pixel:?}");
        assert!((away - 3.5).abs() < 1e-5, "{away}");
    }
}
