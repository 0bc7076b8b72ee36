//! A meadow that bends in the wind: blades of grass, and the strokes that everything on it is drawn
//! with.
//!
//! Blades stand where a hash of their place says, so that they keep their place in the world however
//! the camera moves, without being stored. They have no state: they lean as the wind blows where they
//! stand, and quiver a little.

use core::ops::Range;

use fluid_adapters::Picture;
use fluid_num::{Error, Real, Wind3};

use crate::liquid::mix;
use crate::paint::{blend, byte};

/// Grass at the root and at the tip, and what shows when the wind turns it over.
const GRASS: [[f32; 3]; 3] = [[0.07, 0.15, 0.05], [0.36, 0.50, 0.15], [0.86, 0.87, 0.62]];
const STRAW: [f32; 3] = [0.84, 0.72, 0.42];
const PETALS: [[f32; 3]; 3] = [[0.86, 0.20, 0.13], [0.95, 0.93, 0.88], [0.45, 0.35, 0.78]];
/// The height at which blades feel the wind, m.
const FEEL: f32 = 0.75;
/// The wind in which a blade is half bent, m/s.
const STIFFNESS: f32 = 6.5;

/// Well mixed bits of a place.
pub(crate) fn hash(x: i64, y: i64, salt: u64) -> u64 {
    let mut z = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(23)
        ^ salt.wrapping_mul(0x1656_67b1_9e37_79f9);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Number `n` of four from 0 to 1 that are in a hash.
pub(crate) fn part(hash: u64, n: u32) -> f32 {
    f32::from((hash >> (16 * n)) as u16) / 65536.0
}

/// A line from one point to another, each with a width and a colour.
pub(crate) fn stroke(
    picture: &mut Picture,
    [from, to]: [[f32; 2]; 2],
    widths: [f32; 2],
    colors: [[f32; 3]; 2],
    opacity: f32,
) {
    let size = [picture.width(), picture.height()];
    let way = [to[0] - from[0], to[1] - from[1]];
    let along = usize::from(way[1].abs() > way[0].abs());
    let across = 1 - along;
    if way[along].abs() < 1e-3 {
        return;
    }
    let slant = (1.0 + (way[across] / way[along]) * (way[across] / way[along])).sqrt();
    let (first, last) = (from[along].min(to[along]), from[along].max(to[along]));
    for n in pixels([first - 0.5, last - 0.5], size[along]) {
        let s = ((n as f32 + 0.5 - from[along]) / way[along]).clamp(0.0, 1.0);
        let middle = from[across] + s * way[across];
        let half = 0.5 * slant * (widths[0] + s * (widths[1] - widths[0]));
        // What is thinner than a pixel is fainter.
        let (half, opacity) =
            if half < 0.5 { (0.5, opacity * 2.0 * half) } else { (half, opacity) };
        let color = mix(colors[0], colors[1], s).map(byte);
        for m in pixels([middle - half - 1.0, middle + half], size[across]) {
            let cover = (half + 0.5 - (m as f32 + 0.5 - middle).abs()).clamp(0.0, 1.0);
            let (x, y) = if along == 0 { (n, m) } else { (m, n) };
            let pixel = &mut picture.bytes_mut()[(y * size[0] + x) * 4..][..4];
            blend(pixel, color, cover * opacity);
        }
    }
}

/// The pixels whose number is in a range, of an edge of `length`; none for what is no number.
fn pixels([lo, hi]: [f32; 2], length: usize) -> Range<usize> {
    if lo.is_nan() || hi.is_nan() {
        return 0..0;
    }
    let (first, end) = (lo.ceil().max(0.0) as usize, hi.ceil().max(0.0) as usize);
    first..end.min(length)
}

/// A soft disc that is brightest in its middle.
pub(crate) fn glow(
    picture: &mut Picture,
    [x, y]: [f32; 2],
    radius: f32,
    color: [f32; 3],
    opacity: f32,
) {
    let (width, height) = (picture.width(), picture.height());
    let color = color.map(byte);
    for row in pixels([y - radius, y + radius], height) {
        for column in pixels([x - radius, x + radius], width) {
            let (dx, dy) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
            let rest = (1.0 - (dx * dx + dy * dy) / (radius * radius)).max(0.0);
            let pixel = &mut picture.bytes_mut()[(row * width + column) * 4..][..4];
            blend(pixel, color, opacity * rest * rest);
        }
    }
}

/// A filled ellipse: its middle, half of its long axis as a vector, and how wide it is for its length.
pub(crate) fn ellipse(
    picture: &mut Picture,
    [x, y]: [f32; 2],
    [ax, ay]: [f32; 2],
    ratio: f32,
    color: [f32; 3],
) {
    let (width, height) = (picture.width(), picture.height());
    let long = (ax * ax + ay * ay).sqrt();
    // Half a pixel is the least that shows as a shape.
    let (a, b) = (long.max(0.5), (ratio * long).max(0.4));
    let [cos, sin] = if long > 0.0 { [ax / long, ay / long] } else { [1.0, 0.0] };
    let color = color.map(byte);
    let reach = a + 1.0;
    for row in pixels([y - reach, y + reach], height) {
        for column in pixels([x - reach, x + reach], width) {
            let (dx, dy) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
            let (u, v) = ((dx * cos + dy * sin) / a, (dy * cos - dx * sin) / b);
            let cover = ((1.0 - (u * u + v * v).sqrt()) * b + 0.5).clamp(0.0, 1.0);
            let pixel = &mut picture.bytes_mut()[(row * width + column) * 4..][..4];
            blend(pixel, color, cover);
        }
    }
}

/// A blade of grass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blade {
    /// Where it stands, m; the ground is at y = 0.
    pub(crate) root: [f32; 3],
    pub(crate) height: f32,
    /// All that makes it differ from others.
    hash: u64,
}

/// Blades that are seen, from the farthest to the nearest, and the wind at each.
#[derive(Debug, Default)]
pub(crate) struct Meadow {
    pub(crate) blades: Vec<Blade>,
    places: [Vec<f32>; 3],
    wind: [Vec<f32>; 3],
}

impl Meadow {
    pub(crate) fn clear(&mut self) {
        self.blades.clear();
    }

    /// Adds the blades of one row of a lattice with `spacing`, between two ends along x.
    pub(crate) fn add_row(&mut self, row: i64, [from, to]: [f32; 2], spacing: f32, height: f32) {
        let salt = u64::from(spacing.to_bits());
        for column in (from / spacing).floor() as i64..=(to / spacing).floor() as i64 {
            let hash = hash(column, row, salt);
            let x = (column as f32 + part(hash, 0)) * spacing;
            let z = (row as f32 + part(hash, 1)) * spacing;
            let height = height * (0.65 + 0.6 * part(hash, 2));
            self.blades.push(Blade { root: [x, 0.0, z], height, hash });
        }
    }

    /// Asks for the wind at every blade.
    pub(crate) fn feel(&mut self, wind: &Wind3<f32>) -> Result<(), Error> {
        for a in 0..3 {
            let place = |blade: &Blade| blade.root[a] + if a == 1 { FEEL } else { 0.0 };
            self.places[a].clear();
            self.places[a].extend(self.blades.iter().map(place));
            self.wind[a].resize(self.blades.len(), 0.0);
        }
        let out = self.wind.each_mut().map(Vec::as_mut_slice);
        wind.sample_all(self.places.each_ref().map(Vec::as_slice), out)
    }

    /// How far blade `n` leans along x and z, 0 to 1, and how bent it is.
    pub(crate) fn lean(&self, n: usize, time: f64) -> ([f32; 2], f32) {
        let hash = self.blades[n].hash;
        let [u, w] = [self.wind[0][n], self.wind[2][n]];
        let speed = (u * u + w * w).sqrt();
        let bent = speed / (speed + STIFFNESS);
        let phase = f64::from(part(hash, 3)) * 6.3 + time * f64::from(5.0 + 4.0 * part(hash, 0));
        let quiver = 0.03 + 0.16 * bent * (phase.portable_sin_cos().0 as f32);
        let own = [part(hash, 2) - 0.5, part(hash, 1) - 0.5].map(|v| 0.35 * v * (1.0 - bent));
        let pull = (1.15 * bent + quiver) / speed.max(1e-3);
        let lean = [own[0] + u * pull, own[1] + w * pull];
        let size = (lean[0] * lean[0] + lean[1] * lean[1]).sqrt();
        let scale = if size > 0.93 { 0.93 / size } else { 1.0 };
        (lean.map(|l| l * scale), bent)
    }

    /// Paints blade `n` as `see` shows points of the world, so many pixels wide at the root and at the
    /// tip, and so far gone into a haze.
    pub(crate) fn paint(
        &self,
        picture: &mut Picture,
        n: usize,
        time: f64,
        see: impl Fn([f32; 3]) -> [f32; 2],
        (width, haze): ([f32; 2], ([f32; 3], f32)),
    ) {
        let Blade { root, height, hash } = self.blades[n];
        let (lean, bent) = self.lean(n, time);
        let square = lean[0] * lean[0] + lean[1] * lean[1];
        let at = |s: f32| {
            let aside = height * s * s;
            let up = height * (s - 0.5 * square * s * s);
            see([root[0] + aside * lean[0], root[1] + up, root[2] + aside * lean[1]])
        };
        let kind = part(hash, 3);
        // The wind turns blades over, and their pale side makes it visible from afar.
        let turned = ((bent - 0.22) / 0.30).clamp(0.0, 1.0);
        let turned = turned * turned * (3.0 - 2.0 * turned);
        let shade = (0.7 + 0.5 * part(hash, 2)) * (0.75 + 0.35 * turned);
        let green = mix(GRASS[1].map(|c| c * shade), [0.52, 0.53, 0.2], 0.5 * part(hash, 0));
        let tip = if kind > 0.85 { mix(green, STRAW, 0.55) } else { green };
        let tip = mix(tip, GRASS[2], 0.85 * turned);
        let foot = mix(GRASS[0], tip, 0.4 * turned);
        let color = |s: f32| mix(mix(foot, tip, s * (1.5 - 0.5 * s)), haze.0, haze.1);
        let knees = [0.0, 0.4, 0.75, 1.0];
        for k in 0..3 {
            let ends = [knees[k], knees[k + 1]];
            let widths = ends.map(|s| width[0] + s * (width[1] - width[0]));
            stroke(picture, ends.map(at), widths, ends.map(color), 1.0);
        }
        if kind > 0.85 {
            // An ear, or now and then a flower.
            let (top, below) = (at(1.0), at(0.86));
            let [dx, dy] = [0.5 * (top[0] - below[0]), 0.5 * (top[1] - below[1])];
            if kind > 0.978 {
                let petals = mix(PETALS[(hash % 3) as usize], haze.0, haze.1);
                ellipse(picture, top, [4.0 * width[1].min(0.4 * width[0]), 0.0], 0.72, petals);
            } else {
                let ear = mix(mix(tip, STRAW, 0.5), haze.0, haze.1);
                ellipse(picture, [below[0] + dx, below[1] + dy], [dx, dy], 0.22, ear);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stroke_covers_its_area_wherever_it_lies() {
        for to in [[50.0, 12.0], [12.0, 50.0], [45.5, 44.25], [13.0, 48.0]] {
            let from = [11.0, 11.5];
            let mut picture = Picture::new(64, 64).unwrap();
            picture.fill([0, 0, 0, 255]);
            stroke(&mut picture, [from, to], [3.0, 3.0], [[1.0; 3]; 2], 1.0);
            let sum: f32 = picture.bytes().chunks(4).map(|p| f32::from(p[0]) / 255.0).sum();
            let length = ((to[0] - from[0]).powi(2) + (to[1] - from[1]).powi(2)).sqrt();
            // Ends are cut square to an axis of the picture, at pixels.
            assert!((sum - 3.0 * length).abs() < 8.0, "{sum} {length}");
        }
        // Far outside nothing is drawn, and nothing panics.
        let mut picture = Picture::new(8, 8).unwrap();
        picture.fill([0, 0, 0, 255]);
        for far in [1e9, -1e9, f32::NAN] {
            stroke(&mut picture, [[far, 3.0], [far, 9.0]], [2.0; 2], [[1.0; 3]; 2], 1.0);
            glow(&mut picture, [far; 2], 5.0, [1.0; 3], 1.0);
        }
        assert!(picture.bytes().chunks(4).all(|p| p[0] == 0));
    }

    #[test]
    fn blades_keep_their_place_and_lean_with_the_wind() {
        let params = fluid_num::WindParams { ambient: [9.0, 0.0, 0.0], ..Default::default() };
        let wind = Wind3::new(params, [0.0; 3]).unwrap();
        let seen = |from: f32| {
            let mut meadow = Meadow::default();
            meadow.add_row(7, [from, from + 10.0], 0.5, 1.0);
            meadow.feel(&wind).unwrap();
            meadow
        };
        let (one, other) = (seen(-5.0), seen(-3.0));
        for (n, blade) in other.blades.iter().enumerate().take(10) {
            assert!(one.blades.iter().any(|b| b.root == blade.root && b.height == blade.height));
            let ([x, z], bent) = other.lean(n, 3.0);
            assert!(x > 0.3 && z.abs() < 0.2 && (0.5..0.7).contains(&bent), "{x} {z} {bent}");
        }
    }
}
