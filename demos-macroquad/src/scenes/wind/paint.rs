//! How the meadow, the runner and the leaves look.

use core::ops::Range;

use fluid_adapters::{ColorMap, Picture};
use fluid_num::{Error, Real};

use super::{FLASH, LEAVES, STRIDE, Wind};
use crate::liquid::{map_color, mix};
use crate::meadow::{ellipse, glow, hash, part, stroke};
use crate::paint::{blend, byte, shade};

/// The sky at its top and at the horizon, and what distance fades to.
const SKY: [[f32; 3]; 2] = [[0.36, 0.58, 0.82], [0.99, 0.88, 0.70]];
const HAZE: [f32; 3] = [0.80, 0.79, 0.63];
const CLOTHES: [[f32; 3]; 3] = [[0.16, 0.17, 0.26], [0.82, 0.22, 0.16], [0.85, 0.66, 0.52]];
const LEAF: [[f32; 3]; 3] = [[0.80, 0.36, 0.10], [0.90, 0.64, 0.16], [0.62, 0.18, 0.10]];

/// What looks at the meadow from the side.
pub(super) struct Eye {
    place: [f32; 3],
    focus: f32,
    middle: f32,
    horizon: f32,
}

impl Eye {
    fn new(place: [f32; 3], size: [usize; 2]) -> Self {
        let [width, height] = size.map(|n| n as f32);
        Self { place, focus: 0.9 * height, middle: 0.5 * width, horizon: 0.40 * height }
    }

    fn scale(&self, z: f32) -> f32 {
        self.focus / (z - self.place[2]).max(0.3)
    }

    fn see(&self, [x, y, z]: [f32; 3]) -> [f32; 2] {
        let scale = self.scale(z);
        [self.middle + scale * (x - self.place[0]), self.horizon - scale * (y - self.place[1])]
    }

    /// How much of the haze is before something, 0 to 1.
    fn haze(&self, z: f32) -> f32 {
        let far = ((z - self.place[2]) / 48.0).clamp(0.0, 1.0);
        0.85 * far.sqrt() * far
    }

    /// Where on the ground something is seen, m along x and z.
    pub(super) fn ground(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let below = (y - self.horizon).max(0.02 * self.focus);
        let away = (self.focus * self.place[1] / below).min(40.0);
        [self.place[0] + (x - self.middle) * away / self.focus, self.place[2] + away]
    }
}

impl Wind {
    /// The eye of the view from the side.
    /// Whoever watches from the side, by a picture of this size.
    pub(super) fn eye(&self, size: [usize; 2]) -> Eye {
        Eye::new([self.focus[0], 1.75, self.focus[1] - 6.2], size)
    }

    pub(super) fn paint_side(&mut self, picture: &mut Picture) -> Result<(), Error> {
        let (eye, time) = (self.eye(size_of(picture)), self.time());
        paint_sky(picture, &eye, time);
        self.meadow.clear();
        let aspect = eye.middle / eye.focus;
        for (range, spacing) in [(14.0..46.0, 0.42), (6.5..14.0, 0.24), (1.6..6.5, 0.15)] {
            let Range { start, end } = range;
            let row = |z: f32| ((eye.place[2] + z) / spacing).floor() as i64;
            for k in (row(start)..row(end)).rev() {
                let half = (k as f32 * spacing - eye.place[2] + spacing) * aspect + 1.0;
                let ends = [eye.place[0] - half, eye.place[0] + half];
                self.meadow.add_row(k, ends, spacing, 0.62 + 0.5 * spacing);
            }
        }
        self.meadow.feel(&self.wind)?;
        self.order.clear();
        for n in 0..LEAVES {
            self.order.push((self.leaves.at[2][n], n));
        }
        self.order.push((self.runner.place[2], LEAVES));
        self.order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut next = 0;
        for n in 0..self.meadow.blades.len() {
            let z = self.meadow.blades[n].root[2];
            while next < self.order.len() && self.order[next].0 > z {
                self.paint_thing(picture, self.order[next].1, &eye);
                next += 1;
            }
            let scale = eye.scale(z);
            let width = (0.02 * scale).max(1.1);
            let widths = [width, 0.35 * width];
            self.meadow.paint(picture, n, time, |p| eye.see(p), (widths, (HAZE, eye.haze(z))));
        }
        for k in next..self.order.len() {
            if self.order[k].0 > eye.place[2] + 0.8 {
                self.paint_thing(picture, self.order[k].1, &eye);
            }
        }
        for ([x, z], step) in &self.blasts {
            let age = (self.steps - step) as f32 / FLASH as f32;
            let scale = eye.scale(*z);
            let rest = (1.0 - age) * (1.0 - age);
            for (radius, color, strength) in
                [(1.4 + 6.0 * age, [0.93, 0.80, 0.60], 0.55), (0.9 + age, [1.0, 0.95, 0.8], 1.0)]
            {
                let at = eye.see([*x, 0.4 + age, *z]);
                glow(picture, at, radius * scale, color, strength * rest);
            }
        }
        Ok(())
    }

    /// A leaf, or the runner.
    fn paint_thing(&self, picture: &mut Picture, n: usize, eye: &Eye) {
        if n == LEAVES {
            return self.paint_runner(picture, eye);
        }
        let place = [0, 1, 2].map(|a| self.leaves.at[a][n]);
        let scale = eye.scale(place[2]);
        paint_leaf(picture, n, eye.see(place), 0.16 * scale, self.time(), eye.haze(place[2]));
    }

    /// A figure whose limbs swing with its strides, and a scarf that streams in the wind.
    fn paint_runner(&self, picture: &mut Picture, eye: &Eye) {
        let [x, _, z] = self.runner.place;
        let (scale, haze) = (eye.scale(z), eye.haze(z));
        let [forth, _] = self.runner.heading;
        let [cloth, scarf, skin] = CLOTHES.map(|c| mix(c, HAZE, haze));
        let phase = f64::from(self.runner.way / STRIDE) * core::f64::consts::TAU;
        let swing = |shift: f64| (phase + shift).portable_sin_cos().0 as f32;
        let hop = 0.05 * swing(0.0).abs();
        let at = |dx: f32, y: f32| eye.see([x + dx * forth, y + hop, z]);
        let limb = |picture: &mut Picture, joints: [[f32; 2]; 3], width: f32, color| {
            for k in 0..2 {
                let ends = [joints[k], joints[k + 1]].map(|[dx, y]| at(dx, y));
                stroke(picture, ends, [width * scale; 2], [color; 2], 1.0);
            }
        };
        let half = core::f64::consts::PI;
        for side in [half, 0.0] {
            let s = swing(side);
            let lift = swing(side + 0.5 * half).max(0.0);
            let knee = [0.10 + 0.26 * s, 0.52 + 0.12 * lift];
            let foot = [knee[0] - 0.16 - 0.22 * lift + 0.12 * s, 0.06 + 0.42 * lift];
            let shade = if side > 0.0 { 0.7 } else { 1.0 };
            limb(picture, [[0.0, 0.95], knee, foot], 0.15, cloth.map(|c| c * shade));
            let elbow = [0.10 - 0.24 * s, 1.12];
            let hand = [elbow[0] + 0.24, 1.20 + 0.1 * s];
            limb(picture, [[0.10, 1.42], elbow, hand], 0.10, scarf.map(|c| 0.72 * c * shade));
        }
        limb(picture, [[0.0, 0.92], [0.05, 1.18], [0.12, 1.46]], 0.27, scarf.map(|c| 0.72 * c));
        let head = 0.15 * scale;
        let [hx, hy] = at(0.17, 1.66);
        ellipse(picture, [hx, hy], [0.0, head], 0.84, skin);
        ellipse(picture, [hx - 0.05 * scale * forth, hy - 0.055 * scale], [head, 0.0], 0.7, cloth);
        // Every link hangs where the wind that it feels blows it.
        let pace = self.settings.pace as f32;
        let [u, w] = self.runner.velocity(pace);
        let mut from = [x + 0.10 * forth, 1.50 + hop, z];
        for k in 0..9 {
            let air = self.wind.sample(from);
            let flap = (self.time() * 13.0 - 0.8 * f64::from(k)).portable_sin_cos().0 as f32;
            let blow = [0.5 * air[0] - 1.2 * u, air[1] - 1.0 + 1.6 * flap, air[2] - w];
            let size = blow.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-3);
            let mut to = from;
            for a in 0..3 {
                to[a] += 0.13 * blow[a] / size;
            }
            let ends = [eye.see(from), eye.see(to)];
            stroke(picture, ends, [0.10 * scale; 2], [scarf; 2], 1.0);
            from = to;
        }
    }

    /// Pixels for a metre, and where a point of the ground is, seen from above.
    pub(super) fn map(&self, size: [usize; 2]) -> (f32, [f32; 2]) {
        (size[0] as f32 / 56.0, size.map(|n| 0.5 * n as f32))
    }

    pub(super) fn paint_above(&mut self, picture: &mut Picture) -> Result<(), Error> {
        let (scale, middle) = self.map(size_of(picture));
        let (focus, time) = (self.focus, self.time());
        let see = |[x, y, z]: [f32; 3]| {
            // A hair from the side, so that grass that stands is seen too.
            let up = z - focus[1] + 0.35 * y;
            [middle[0] + scale * (x - focus[0]), middle[1] - scale * up]
        };
        picture.fill([30, 54, 20, 255]);
        self.meadow.clear();
        let spacing = 0.27;
        let half = [middle[0] / scale + 1.0, middle[1] / scale + 1.0];
        let row = |z: f32| (z / spacing).floor() as i64;
        for k in (row(focus[1] - half[1])..row(focus[1] + half[1])).rev() {
            self.meadow.add_row(k, [focus[0] - half[0], focus[0] + half[0]], spacing, 0.95);
        }
        self.meadow.feel(&self.wind)?;
        for n in 0..self.meadow.blades.len() {
            let widths = [0.13, 0.11].map(|w| (w * scale).max(0.8));
            self.meadow.paint(picture, n, time, see, (widths, (HAZE, 0.0)));
        }
        self.paint_frame(picture, see);
        for n in 0..LEAVES {
            let place = [0, 1, 2].map(|a| self.leaves.at[a][n]);
            let shadow = see([place[0] - 0.4 * place[1], 0.0, place[2] + 0.3 * place[1]]);
            glow(picture, shadow, 0.35 * scale, [0.03, 0.06, 0.02], 0.35);
            paint_leaf(picture, n, see(place), 0.34 * scale, time, 0.0);
        }
        let [x, _, z] = self.runner.place;
        let [forth, aside] = self.runner.heading;
        // Larger than life, to be found at all.
        let at = |forward: f32, left: f32, y: f32| {
            see([x + forward * forth - left * aside, y, z + forward * aside + left * forth])
        };
        glow(picture, see([x - 0.8, 0.0, z + 0.5]), 1.6 * scale, [0.02, 0.05, 0.02], 0.7);
        let swing = f64::from(self.runner.way / STRIDE) * core::f64::consts::TAU;
        let swing = 0.7 * swing.portable_sin_cos().0 as f32;
        for (side, forward) in [(0.75, swing), (-0.75, -swing)] {
            let arm = [at(0.0, side, 1.2), at(forward, 0.9 * side, 1.0)];
            stroke(picture, arm, [0.4 * scale; 2], [CLOTHES[2]; 2], 1.0);
        }
        let shoulders = [at(0.0, 0.8, 1.3), at(0.0, -0.8, 1.3)];
        stroke(picture, shoulders, [0.7 * scale; 2], [CLOTHES[1]; 2], 1.0);
        ellipse(picture, at(0.1, 0.0, 1.6), [0.5 * scale, 0.0], 1.0, CLOTHES[0]);
        for ([x, z], step) in &self.blasts {
            let age = (self.steps - step) as f32 / FLASH as f32;
            let rest = (1.0 - age) * (1.0 - age);
            let at = see([*x, 0.0, *z]);
            glow(picture, at, (1.4 + 6.0 * age) * scale, [0.93, 0.82, 0.62], 0.6 * rest);
            glow(picture, at, (1.2 + age) * scale, [1.0, 0.95, 0.8], rest);
        }
        Ok(())
    }

    /// The sides of the volume.
    fn paint_frame(&self, picture: &mut Picture, see: impl Fn([f32; 3]) -> [f32; 2]) {
        let (corner, params) = (self.wind.lower_corner(), self.wind.params());
        let far = [0, 1, 2].map(|a| corner[a] + params.cell_size * params.cells[a] as f32);
        let ends =
            [[corner[0], corner[2]], [far[0], corner[2]], [far[0], far[2]], [corner[0], far[2]]];
        for k in 0..4 {
            let [a, b] = [ends[k], ends[(k + 1) % 4]].map(|[x, z]| see([x, 0.0, z]));
            stroke(picture, [a, b], [1.5; 2], [[1.0; 3]; 2], 0.35);
        }
    }

    pub(super) fn paint_speed(&self, picture: &mut Picture) {
        let (scale, middle) = self.map(size_of(picture));
        let (width, height) = (picture.width(), picture.height());
        let see = |[x, _, z]: [f32; 3]| {
            [middle[0] + scale * (x - self.focus[0]), middle[1] - scale * (z - self.focus[1])]
        };
        let wind = |x: f32, y: f32| {
            let [dx, dz] = [(x - middle[0]) / scale, (middle[1] - y) / scale];
            self.wind.sample([self.focus[0] + dx, 0.9, self.focus[1] + dz])
        };
        let map = ColorMap::inferno();
        let most = (1.2 * self.settings.wind + 1.4 * self.settings.gusts + 3.0) as f32;
        picture.fill([0, 0, 0, 255]);
        // One sample for four by four pixels: cells have many more.
        for y in (0..height).step_by(4) {
            for x in (0..width).step_by(4) {
                let [u, _, w] = wind(x as f32 + 2.0, y as f32 + 2.0);
                let color = map_color(&map, (u * u + w * w).sqrt() / most).map(byte);
                shade(picture, [x..x + 4, y..y + 4], color, 1.0);
            }
        }
        let apart = (1.5 * scale).max(4.0);
        for j in 0..(height as f32 / apart) as usize {
            for i in 0..(width as f32 / apart) as usize {
                let [x, y] = [i, j].map(|n| (n as f32 + 0.5) * apart);
                let [u, _, w] = wind(x, y);
                let to = [x + 1.5 * apart * u / most, y - 1.5 * apart * w / most];
                stroke(picture, [[x, y], to], [2.4, 0.6], [[1.0; 3]; 2], 0.75);
            }
        }
        self.paint_frame(picture, see);
    }
}

/// Sky, sun, hills and the ground before grass grows on it.
fn size_of(picture: &Picture) -> [usize; 2] {
    [picture.width(), picture.height()]
}

fn paint_sky(picture: &mut Picture, eye: &Eye, time: f64) {
    let (width, height) = (picture.width(), picture.height());
    for (y, row) in picture.bytes_mut().chunks_exact_mut(4 * width).enumerate() {
        let up = (1.0 - (y as f32 + 0.5) / eye.horizon).max(0.0);
        let color = if y as f32 + 0.5 < eye.horizon {
            mix(SKY[1], SKY[0], up * (2.0 - up))
        } else {
            let near = (y as f32 - eye.horizon) / (height as f32 - eye.horizon);
            mix(HAZE, [0.10, 0.17, 0.06], near.sqrt().sqrt())
        };
        let [r, g, b] = color.map(byte);
        row.as_chunks_mut::<4>().0.fill([r, g, b, 255]);
    }
    let sun = [1.56 * eye.middle, 0.36 * eye.horizon];
    for (radius, opacity) in [(3.4, 0.30), (1.5, 0.35), (0.5, 0.5)] {
        glow(picture, sun, radius * eye.horizon, [1.0, 0.94, 0.78], opacity);
    }
    glow(picture, sun, 0.16 * eye.horizon, [1.0, 0.99, 0.94], 1.0);
    // Clouds of a few puffs each, that go by slowly.
    for n in 0..7 {
        let own = hash(n, 5, 1);
        let way = f64::from(part(own, 0)) + 0.0012 * f64::from(eye.place[0]) - 0.004 * time;
        let x = (1.0 - way.rem_euclid(1.0)) as f32 * 2.8 * eye.middle - 0.4 * eye.middle;
        let y = eye.horizon * (0.10 + 0.42 * part(own, 1));
        let size = eye.horizon * (0.12 + 0.14 * part(own, 2));
        for k in 0..26 {
            let puff = hash(n, k, 2);
            let aside = 2.0 * part(puff, 0) - 1.0;
            let rise = (1.0 - aside * aside) * part(puff, 1);
            let at = [x + 2.6 * size * aside, y - 0.8 * size * rise];
            let radius = size * (0.25 + 0.4 * (1.0 - aside * aside)) * (0.6 + 0.6 * part(puff, 2));
            glow(picture, at, radius, mix(SKY[1], [1.0; 3], 0.4 + 0.6 * rise), 0.34);
        }
    }
    // Ranges of hills, the nearer the lower and the greener.
    let ranges = [
        (0.36, [0.60, 0.68, 0.76], 0.0016, 5.0),
        (0.24, [0.55, 0.64, 0.62], 0.0035, 11.0),
        (0.12, [0.46, 0.55, 0.42], 0.010, 24.0),
    ];
    for (n, (high, color, way, waves)) in ranges.into_iter().enumerate() {
        for x in 0..width {
            let along = f64::from(x as f32 / width as f32) + way * f64::from(eye.place[0]);
            let wave = |k: f64| (waves * k * along + 2.0 * n as f64).portable_sin_cos().0;
            let ridge = 0.5 + 0.3 * wave(0.4) + 0.14 * wave(1.1) + 0.06 * wave(2.7);
            let rough = if n == 2 { 0.16 * wave(9.0).abs() + 0.10 * wave(23.0).abs() } else { 0.0 };
            let top = eye.horizon * (1.0 - high * (ridge + rough) as f32);
            let first = top.max(0.0) as usize;
            for y in first..(eye.horizon as usize + 1).min(height) {
                let cover = (y as f32 + 1.0 - top).clamp(0.0, 1.0);
                let low = (y as f32 - top) / (eye.horizon - top).max(1.0);
                let shade = mix(color, SKY[1], 0.45 * low.clamp(0.0, 1.0)).map(byte);
                blend(&mut picture.bytes_mut()[(y * width + x) * 4..][..4], shade, cover);
            }
        }
    }
}

/// A leaf that tumbles.
fn paint_leaf(picture: &mut Picture, n: usize, [x, y]: [f32; 2], size: f32, time: f64, haze: f32) {
    let own = hash(n as i64, 2, 7);
    let turn = f64::from(part(own, 0)) * 6.3 + time * f64::from(1.5 + 3.5 * part(own, 1));
    let ((sin, cos), (flip, _)) = (turn.portable_sin_cos(), (1.7 * turn).portable_sin_cos());
    let [dx, dy] = [cos as f32, sin as f32].map(|v| 0.5 * size * v);
    let lit = 0.75 + 0.35 * (flip as f32).abs();
    let color = LEAF[(own >> 60) as usize % 3].map(|c| (c * lit).min(1.0));
    let color = mix(color, HAZE, haze);
    ellipse(picture, [x, y], [dx, dy], 0.18 + 0.42 * (flip as f32).abs(), color);
}
