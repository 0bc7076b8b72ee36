//! Water and ground from above, as daylight shows them.

use fluid_adapters::Picture;
use fluid_num::schemes::shallow_water::SprayDrop;
use fluid_num::solid::Body;
use fluid_num::{Error, Field, ShallowWater};

use crate::paint::blend;

/// Where the light comes from.
const LIGHT: [f32; 3] = [-0.45, 0.55, 0.70];
/// How much of red, green and blue a metre of water takes, at a clarity of 1.
const ABSORBS: [f32; 3] = [1.1, 0.38, 0.27];
/// What deep water scatters back, and what it mirrors.
const DEEP: [f32; 3] = [0.02, 0.17, 0.27];
const SKY: [f32; 3] = [0.62, 0.78, 0.92];
const SAND: [f32; 3] = [0.80, 0.71, 0.52];
const GRASS: [f32; 3] = [0.36, 0.47, 0.22];
const ROCK: [f32; 3] = [0.46, 0.43, 0.40];
const WOOD: [f32; 3] = [0.55, 0.33, 0.17];
const FOAM: [f32; 3] = [0.94, 0.97, 0.98];

/// How a scene wants its water to look.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// How many times as steep as they are slopes of the surface look, and those of the ground.
    pub steeper: f32,
    pub ground_steeper: f32,
    /// The depth in which half of the green is gone is 1.8 m over this.
    pub murk: f32,
    /// The height from which on grass grows, m.
    pub grass: f32,
    /// The height from which on there is rock, m.
    pub rock: f32,
}

/// Paints water, and keeps what it needs for that.
#[derive(Debug)]
pub(crate) struct Relief {
    surface: Field<f64, 2>,
    depth: Field<f64, 2>,
    colors: Vec<[f32; 3]>,
}

fn mix(a: [f32; 3], b: [f32; 3], part: f32) -> [f32; 3] {
    std::array::from_fn(|c| a[c] + (b[c] - a[c]) * part)
}

fn smooth(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Light on a slope, and the cosine to the half-way vector of light and eye.
fn lit([sx, sy]: [f32; 2]) -> [f32; 2] {
    let length = (1.0 + sx * sx + sy * sy).sqrt();
    let light = (LIGHT[2] - sx * LIGHT[0] - sy * LIGHT[1]) / length;
    let half = [LIGHT[0], LIGHT[1], LIGHT[2] + 1.0];
    let norm = half.iter().map(|x| x * x).sum::<f32>().sqrt();
    [light.max(0.0), ((half[2] - sx * half[0] - sy * half[1]) / (length * norm)).max(0.0)]
}

/// Grains that do not move: a number from 0 to 1 for each cell.
fn grain(i: usize, j: usize) -> f32 {
    let mut x = (i as u32).wrapping_mul(0x9e37_79b9) ^ (j as u32).wrapping_mul(0x85eb_ca6b);
    x ^= x >> 15;
    x = x.wrapping_mul(0x2c1b_3c6d);
    x ^= x >> 12;
    (x & 0xffff) as f32 / 65535.0
}

impl Relief {
    pub(crate) fn new(water: &ShallowWater<f64>) -> Self {
        let field = Field::zeros(*water.grid());
        let colors = vec![[0.0; 3]; water.grid().cell_count()];
        Self { surface: field.clone(), depth: field, colors }
    }

    /// Paints all there is.
    ///
    /// # Errors
    /// None for water of the same grid.
    pub(crate) fn paint(
        &mut self,
        water: &ShallowWater<f64>,
        look: &Look,
        picture: &mut Picture,
    ) -> Result<(), Error> {
        water.write_surface(&mut self.surface)?;
        water.write_depth(&mut self.depth)?;
        let cells = water.grid().cells();
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                self.colors[j * cells[0] + i] = self.color(water, look, [i, j]);
            }
        }
        self.fill(cells, picture);
        for body in water.bodies() {
            paint_body(water, body, picture);
        }
        for drop in water.spray() {
            paint_drop(water, drop, picture);
        }
        Ok(())
    }

    /// The rise of a field over a cell, over wet cells alone where it is the water's.
    fn slope(&self, field: &Field<f64, 2>, [i, j]: [usize; 2], wet: bool) -> [f32; 2] {
        let [nx, ny] = field.grid().cells();
        let dx = field.grid().dx();
        let here = field[[i, j]];
        let value = |i: usize, j: usize| {
            let dry = wet && self.depth[[i, j]] < 0.003;
            if dry { here } else { field[[i, j]] }
        };
        let x = value((i + 1).min(nx - 1), j) - value(i.saturating_sub(1), j);
        let y = value(i, (j + 1).min(ny - 1)) - value(i, j.saturating_sub(1));
        [x, y].map(|rise| (rise / (2.0 * dx)) as f32)
    }

    /// Ground, with its shade.
    fn ground(&self, water: &ShallowWater<f64>, look: &Look, at: [usize; 2]) -> [f32; 3] {
        let height = water.bed()[at] as f32;
        let slope = self.slope(water.bed(), at, false);
        let [light, _] = lit(slope.map(|s| s * look.ground_steeper));
        let steep = (slope[0] * slope[0] + slope[1] * slope[1]).sqrt();
        let grain = grain(at[0], at[1]) - 0.5;
        let green = smooth(look.grass * 0.6, look.grass * 1.2, height + 0.2 * look.grass * grain);
        let rocky = smooth(look.rock * 0.8, look.rock * 1.1, height).max(smooth(0.7, 1.4, steep));
        let base = mix(mix(SAND, GRASS, green), ROCK, rocky);
        base.map(|c| c * (0.35 + 0.85 * light) * (1.0 + 0.10 * grain))
    }

    fn color(&self, water: &ShallowWater<f64>, look: &Look, at: [usize; 2]) -> [f32; 3] {
        let [i, j] = at;
        let [nx, ny] = water.grid().cells();
        let depth = self.depth[at] as f32;
        let foam = water.foam().map_or(0.0, |foam| foam[at] as f32);
        let wet = smooth(0.001, 0.02, depth);
        if wet == 0.0 {
            return self.ground(water, look, at);
        }
        let dx = water.grid().dx() as f32;
        let slope = self.slope(&self.surface, at, true);
        // Refraction shifts what is seen of the ground.
        let shift = slope.map(|s| (s * look.steeper * 0.4 * depth / dx).clamp(-6.0, 6.0));
        let seen = [
            (i as f32 - shift[0]).clamp(0.0, (nx - 1) as f32) as usize,
            (j as f32 - shift[1]).clamp(0.0, (ny - 1) as f32) as usize,
        ];
        // A surface that bends light together brightens the ground beneath: caustics.
        let s = |i: usize, j: usize| {
            let dry = self.depth[[i, j]] < 0.003;
            (if dry { self.surface[at] } else { self.surface[[i, j]] }) as f32
        };
        let bend = s((i + 1).min(nx - 1), j)
            + s(i.saturating_sub(1), j)
            + s(i, (j + 1).min(ny - 1))
            + s(i, j.saturating_sub(1))
            - 4.0 * s(i, j);
        let focus = -bend / (dx * dx) * depth.min(2.0) * 0.25 * look.steeper.min(6.0);
        let caustic = 1.0 + focus.clamp(-0.45, 1.1);
        let mut ground = self.ground(water, look, seen).map(|c| c * 0.82 * caustic);
        // Light that bodies keep away is theirs to paint; here water takes its part.
        for (c, g) in ground.iter_mut().enumerate() {
            let through = f32::exp2(-ABSORBS[c] * look.murk * depth * 1.6);
            *g = *g * through + DEEP[c] * (1.0 - through);
        }
        let steep = slope.map(|s| s * look.steeper);
        let [light, shine] = lit(steep);
        // Shade of waves, the sky on slopes that lean away, and the sun.
        let relief = 0.62 + 0.54 * light / LIGHT[2];
        let lean = (steep[0] * steep[0] + steep[1] * steep[1])
            / (1.0 + steep[0] * steep[0] + steep[1] * steep[1]);
        let mirrored = 0.05 + 0.35 * lean;
        let mut color = mix(ground.map(|c| c * relief), SKY, mirrored * light);
        let square = |x: f32| x * x;
        let sun = square(square(square(square(square(square(shine)))))) * 0.55;
        color = color.map(|c| c + sun * smooth(0.0, 0.15, depth));
        let cover = smooth(0.05, 0.9, foam * (0.75 + 0.5 * grain(i, j)));
        let rim = 0.25 * (1.0 - smooth(0.01, 0.06, depth));
        color = mix(color, FOAM, (0.9 * cover).max(rim * foam.min(1.0)));
        mix(self.ground(water, look, at).map(|c| c * 0.72), color, wet)
    }

    /// The colours between the centres of cells.
    fn fill(&self, [nx, ny]: [usize; 2], picture: &mut Picture) {
        let (width, height) = (picture.width(), picture.height());
        let between = |x: usize, pixels: usize, cells: usize| {
            let at = (x as f32 + 0.5) * cells as f32 / pixels as f32 - 0.5;
            let at = at.clamp(0.0, (cells - 1) as f32);
            let low = (at as usize).min(cells - 1);
            (low, (low + 1).min(cells - 1), at - low as f32)
        };
        for (y, row) in picture.bytes_mut().chunks_exact_mut(width * 4).enumerate() {
            let (j0, j1, fy) = between(height - 1 - y, height, ny);
            for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
                let (i0, i1, fx) = between(x, width, nx);
                let at = |i: usize, j: usize| self.colors[j * nx + i];
                let color =
                    mix(mix(at(i0, j0), at(i1, j0), fx), mix(at(i0, j1), at(i1, j1), fx), fy);
                for (p, c) in pixel.iter_mut().zip(color) {
                    *p = (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
                }
                pixel[3] = 255;
            }
        }
    }
}

/// The pixels from a place to another, and where their centres are, m.
fn pixels(
    water: &ShallowWater<f64>,
    picture: &Picture,
    [lo, hi]: [[f64; 2]; 2],
) -> impl Iterator<Item = (usize, [f64; 2])> + use<> {
    let (size, origin) = (water.grid().size(), water.grid().origin());
    let count = [picture.width(), picture.height()];
    let scale = [0, 1].map(|a| count[a] as f64 / size[a]);
    let pixel =
        |a: usize, x: f64| ((x - origin[a]) * scale[a]).clamp(0.0, count[a] as f64) as usize;
    let columns = pixel(0, lo[0])..(pixel(0, hi[0]) + 1).min(count[0]);
    let rows = pixel(1, lo[1])..(pixel(1, hi[1]) + 1).min(count[1]);
    rows.flat_map(move |y| {
        columns.clone().map(move |x| {
            let at = [x, y].map(|n| n as f64 + 0.5);
            let place = ((count[1] - 1 - y) * count[0] + x) * 4;
            (place, [0, 1].map(|a| origin[a] + at[a] / scale[a]))
        })
    })
}

/// A body from above, and its shadow on the water.
fn paint_body(water: &ShallowWater<f64>, body: &Body<f64, 3>, picture: &mut Picture) {
    let Some([lo, hi]) = body.bounds() else { return };
    let dx = water.grid().dx();
    let reach = 2.0 * dx;
    let area = [[lo[0] - reach, lo[1] - 2.0 * reach], [hi[0] + 2.0 * reach, hi[1] + reach]];
    for (place, [x, y]) in pixels(water, picture, area) {
        let pixel = &mut picture.bytes_mut()[place..place + 4];
        // Where a line from above meets it.
        let height = |x: f64, y: f64| {
            let mut z = hi[2] + 0.01;
            for _ in 0..12 {
                let far = body.signed_distance([x, y, z]);
                if far < 1e-3 {
                    return Some(z);
                }
                z -= far;
                if z < lo[2] {
                    return None;
                }
            }
            None
        };
        if let Some(z) = height(x, y) {
            let e = 0.5 * dx;
            let slope = [
                height(x + e, y).map_or(0.0, |h| (h - z) / e),
                height(x, y + e).map_or(0.0, |h| (h - z) / e),
            ];
            let [light, _] = lit(slope.map(|s| s.clamp(-1.5, 1.5) as f32));
            let local = body.to_local([x, y, z]);
            let rim = body.shape.signed_distance([local[0], local[1], 0.0]).abs() < 0.8 * dx;
            let plank = if (local[1] / (2.0 * dx)).rem_euclid(1.0) < 0.15 { 0.85 } else { 1.0 };
            let shade = (0.45 + 0.75 * light) * if rim { 0.7 } else { plank };
            for (p, c) in pixel.iter_mut().zip(WOOD) {
                *p = ((c * shade).clamp(0.0, 1.0) * 255.0) as u8;
            }
        } else if height(x - reach * 0.6, y + reach * 0.8).is_some() {
            blend(pixel, [4, 18, 26], 0.35);
        }
    }
}

fn paint_drop(water: &ShallowWater<f64>, drop: &SprayDrop<f64>, picture: &mut Picture) {
    let [x, y, _] = drop.position;
    let reach = 0.35 * water.grid().dx();
    for (place, [px, py]) in
        pixels(water, picture, [[x - reach, y - reach], [x + reach, y + reach]])
    {
        if (px - x).powi(2) + (py - y).powi(2) < reach * reach {
            blend(&mut picture.bytes_mut()[place..place + 4], [240, 248, 250], 0.55);
        }
    }
}
