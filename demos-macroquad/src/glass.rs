//! Water in a box of glass: a surface of triangles before what stands in the box.
//!
//! First comes what light does not pass: ground and bodies, a ray for each pixel. Then the triangles of
//! the water's closed surface, each of which adds to its pixels how far away it is, or takes it away, where
//! it faces the camera: the sum is the length of water that a ray passes, whatever the order. Light loses
//! colour along it; the nearest free surface bends it, mirrors the sky and foams. Two pixels in each
//! direction become one.

use fluid_adapters::Picture;
use fluid_num::level_set::{Border, SurfaceMesh};
use fluid_num::solid::{Body, Shape};
use fluid_num::{Error, LevelSet};

use crate::bodies::body_color;
use crate::liquid::{mix, paint_air};
use crate::paint::byte;
use crate::raster::{Corner, Layers, Skin};
use crate::space::{Camera, Eye, LIGHT, paint_edges};

/// How much of red, green and blue a metre of water takes, and what it scatters back, and how much.
const ABSORBS: [f32; 3] = [2.4, 0.75, 0.40];
const DEEP: [f32; 3] = [0.03, 0.31, 0.55];
const SCATTERS: f32 = 1.3;
/// The sky at the horizon and overhead, as water mirrors it.
const SKY: [[f32; 3]; 2] = [[0.24, 0.42, 0.60], [0.82, 0.92, 1.0]];
const FOAM: [f32; 3] = [0.92, 0.97, 1.0];
const TILES: [[f32; 3]; 2] = [[0.56, 0.60, 0.63], [0.46, 0.50, 0.54]];
const JOINT: [f32; 3] = [0.26, 0.30, 0.35];
/// Tiles along the longer edge of the ground.
const TILED: f32 = 10.0;
/// How far light is bent, in heights of the picture for each metre of water.
const BENDS: f32 = 0.05;

/// What is seen.
pub(crate) struct View<'a> {
    pub(crate) camera: Camera,
    /// The edges of the box, m.
    pub(crate) extent: [f64; 3],
    pub(crate) water: &'a LevelSet<f32, 3>,
    pub(crate) bodies: &'a [Body<f32, 3>],
}

/// Paints water in a box, with what it keeps from one picture to the next.
#[derive(Debug)]
pub(crate) struct Glass {
    mesh: SurfaceMesh<f32>,
    corners: Vec<Corner>,
    /// What light does not pass, in twice the pixels.
    canvas: Option<Picture>,
    layers: Layers,
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = dot(v, v).sqrt().max(f32::MIN_POSITIVE);
    v.map(|c| c / length)
}

/// e⁻ˣ, nearly.
fn fade(x: f32) -> f32 {
    let root = 1.0 / (1.0 + 0.25 * x);
    root * root * root * root
}

fn smooth(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

impl Glass {
    pub(crate) fn new() -> Self {
        let mesh = SurfaceMesh::new();
        Self { mesh, corners: Vec::new(), canvas: None, layers: Layers::default() }
    }

    /// Paints all there is. `lively` says of a place how much water foams there, from 0; a colour in `opaque`
    /// makes of it one that hides what is behind.
    ///
    /// # Errors
    /// None for water without fault.
    pub(crate) fn paint(
        &mut self,
        view: &View<'_>,
        lively: impl Fn([f32; 3]) -> f32,
        opaque: Option<&dyn Fn(f32) -> [f32; 3]>,
        picture: &mut Picture,
    ) -> Result<(), Error> {
        let size = [2 * picture.width(), 2 * picture.height()];
        let fits = |canvas: &Picture| [canvas.width(), canvas.height()] == size;
        let mut canvas = match self.canvas.take().filter(fits) {
            Some(canvas) => canvas,
            None => Picture::new(size[0], size[1])?,
        };
        self.layers.clear(size);
        let eye = Eye::new(view.camera, view.extent, size);
        paint_air(&mut canvas);
        self.paint_ground(view, &eye, &mut canvas);
        for body in view.bodies {
            self.paint_body(body, &eye, &mut canvas);
        }
        paint_edges(&mut canvas, &eye, view.extent, false);
        self.mesh.extract(view.water, Border::Closed)?;
        self.draw_water(view, &eye, lively);
        self.resolve(&canvas, &eye, opaque, picture);
        self.canvas = Some(canvas);
        let eye = Eye::new(view.camera, view.extent, [picture.width(), picture.height()]);
        paint_edges(picture, &eye, view.extent, true);
        Ok(())
    }

    /// The ground, in the shade of bodies.
    fn paint_ground(&mut self, view: &View<'_>, eye: &Eye, canvas: &mut Picture) {
        let [w, _, d] = view.extent.map(|x| x as f32);
        let place = eye.place();
        let tile = w.max(d) / TILED;
        let corner = |n: usize| eye.see([[0.0, w][n & 1], 0.0, [0.0, d][n >> 1]]).0;
        let corners = [0, 1, 2, 3].map(corner);
        let [columns, rows] = self.layers.around(&corners);
        let width = canvas.width();
        // How much of a tile a pixel covers.
        let soft = 0.8 * eye.reach[1] / (eye.focus * tile);
        for y in rows {
            for x in columns.clone() {
                let ray = eye.ray([x as f32 + 0.5, y as f32 + 0.5]);
                let away = -place[1] / ray[1];
                let [px, pz] = [0, 2].map(|a| place[a] + away * ray[a]);
                let inside = px >= 0.0 && pz >= 0.0 && px <= w && pz <= d;
                if place[1] <= 0.0 || ray[1] >= 0.0 || !inside {
                    continue;
                }
                let [i, j] = [px / tile, pz / tile];
                let base = TILES[(i as usize + j as usize) % 2];
                let edge = |x: f32| (x.fract() - 0.5).abs();
                let joint = smooth(0.47 - soft, 0.47 + soft, edge(i).max(edge(j)));
                let shade = view.bodies.iter().fold(1.0_f32, |shade, body| {
                    let size = reach(body);
                    let [ax, az] = [px - body.position[0], pz - body.position[2]];
                    let near = (ax * ax + az * az) / (size * size);
                    let high = 1.0 + (body.position[1] / size - 1.0).max(0.0);
                    shade * (1.0 - 0.5 / high * smooth(1.6, 0.2, near))
                });
                let lit = (0.62 + 0.38 * (1.0 - pz / d)) * shade;
                let color = mix(base, JOINT, joint).map(|c| byte((c * lit).min(1.0)));
                put(canvas, y * width + x, color);
                self.layers.far[y * width + x] = away;
            }
        }
    }

    /// A ball or a crate, a ray for each pixel.
    fn paint_body(&mut self, body: &Body<f32, 3>, eye: &Eye, canvas: &mut Picture) {
        let ([x, y], away) = eye.see(body.position);
        let size = reach(body);
        let half = eye.focus * size / (away - size).max(1e-3) + 2.0;
        let [columns, rows] = self.layers.around(&[[x - half, y - half], [x + half, y + half]]);
        let place = eye.place();
        let from = body.to_local(place);
        let light = eye.turned(LIGHT);
        let width = canvas.width();
        for y in rows {
            for x in columns.clone() {
                let ray = eye.ray([x as f32 + 0.5, y as f32 + 0.5]);
                let to = body.to_local([0, 1, 2].map(|a| place[a] + ray[a]));
                let along = [0, 1, 2].map(|a| to[a] - from[a]);
                let Some((away, normal)) = hit(&body.shape, from, along) else { continue };
                let at = y * width + x;
                if away >= self.layers.far[at] {
                    continue;
                }
                let local = [0, 1, 2].map(|a| from[a] + away * along[a]);
                let color = texture(&body.shape, local, normal);
                let tip = body.to_world(normal);
                let outward = [0, 1, 2].map(|a| tip[a] - body.position[a]);
                let lit = dot(outward, light).max(0.0);
                let sky = 0.5 + 0.5 * outward[1];
                let gloss = lit * lit * lit * lit;
                let bright = 0.28 + 0.30 * sky + 0.55 * lit;
                let color = color.map(|c| byte((c * bright + 0.12 * gloss * gloss).min(1.0)));
                put(canvas, at, color);
                self.layers.far[at] = away;
            }
        }
    }

    /// Draws the triangles of the water into the layers.
    fn draw_water(&mut self, view: &View<'_>, eye: &Eye, lively: impl Fn([f32; 3]) -> f32) {
        let (grid, phi) = (view.water.grid(), view.water);
        let (dx, size) = (grid.dx(), grid.size());
        // Between the outermost centres and the glass there are only vertices that close the surface: they go
        // to the glass, or it would show steps there. The sides on which a vertex lies are a bit each.
        let margin = 0.501 * dx;
        let to_glass = |mut p: [f32; 3]| {
            let mut sides = 0_u8;
            for a in 0..3 {
                if p[a] < margin {
                    (p[a], sides) = (0.0, sides | 1 << (2 * a));
                } else if p[a] > size[a] - margin {
                    (p[a], sides) = (size[a], sides | 2 << (2 * a));
                }
            }
            (p, sides)
        };
        self.corners.clear();
        for (position, normal) in self.mesh.positions().iter().zip(self.mesh.normals()) {
            let (place, sides) = to_glass(*position);
            let (pixel, away) = eye.see(place);
            let normal = if sides == 0 {
                *normal
            } else {
                // The slope at the glass is that a little within.
                let inside = |a: usize| position[a].min(size[a] - dx).max(dx);
                phi.normal([0, 1, 2].map(inside))
            };
            let lively = lively(*position);
            self.corners.push(Corner::new(pixel, away, Skin { normal, lively }, sides));
        }
        for triangle in self.mesh.triangles() {
            let corners = triangle.map(|n| self.corners[n as usize]);
            self.layers.draw(corners);
        }
    }

    /// Water over what is behind it.
    fn resolve(
        &self,
        canvas: &Picture,
        eye: &Eye,
        opaque: Option<&dyn Fn(f32) -> [f32; 3]>,
        picture: &mut Picture,
    ) {
        let light = eye.turned(LIGHT);
        let (width, double) = (picture.width(), canvas.width());
        for (n, pixel) in picture.bytes_mut().chunks_exact_mut(4).enumerate() {
            let [x, y] = [n % width * 2, n / width * 2];
            let mut sum = [0.0; 3];
            for [x, y] in [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]] {
                let color = self.color(canvas, eye, light, opaque, [x, y], y * double + x);
                sum = [0, 1, 2].map(|c| sum[c] + 0.25 * color[c]);
            }
            let [r, g, b] = sum.map(|c| byte(c.clamp(0.0, 1.0)));
            pixel.copy_from_slice(&[r, g, b, 255]);
        }
    }

    /// The colour of a pixel of the canvas with the water before it.
    fn color(
        &self,
        canvas: &Picture,
        eye: &Eye,
        light: [f32; 3],
        opaque: Option<&dyn Fn(f32) -> [f32; 3]>,
        [x, y]: [usize; 2],
        at: usize,
    ) -> [f32; 3] {
        let layers = &self.layers;
        if layers.first[at] == f32::INFINITY && layers.near[at] == f32::INFINITY {
            return taken(canvas, at);
        }
        let ray = eye.ray([x as f32 + 0.5, y as f32 + 0.5]);
        let length = dot(ray, ray).sqrt();
        let looks = ray.map(|c| c / length);
        let seen = layers.near[at] < layers.far[at];
        let Skin { normal, lively } = layers.skin[at];
        let mut normal = unit(normal);
        if dot(normal, looks) > 0.0 {
            normal = normal.map(|c| -c);
        }
        let passed = layers.passed[at].max(0.0) * length;
        let free = seen && layers.near[at] <= layers.first[at] * (1.0 + 1e-5);
        if let Some(color) = opaque.filter(|_| seen || passed > 0.0) {
            let lit = if seen { 0.45 + 0.65 * dot(normal, light).max(0.0) } else { 0.6 };
            return color(if seen { lively } else { 0.0 }).map(|c| c * lit);
        }
        let mut behind = at;
        if free {
            let bend = BENDS * passed.min(0.6) * canvas.height() as f32;
            let [right, up] = [eye.axes[0], eye.axes[1]].map(|axis| dot(normal, axis));
            let moved = [x as f32 - bend * right, y as f32 + bend * up];
            let bent = layers.place(moved);
            if layers.far[bent] > layers.near[at] {
                behind = bent;
            }
        }
        let ground = taken(canvas, behind);
        let through = ABSORBS.map(|a| fade(a * passed));
        let back = 1.0 - fade(SCATTERS * passed);
        let mut color = [0, 1, 2].map(|c| ground[c] * through[c] + DEEP[c] * back);
        if seen {
            // Of a surface that is seen through water and glass there is less.
            let before = (layers.near[at] - layers.first[at]).max(0.0) * length;
            let clear = if free { 1.0 } else { 0.55 * fade(2.2 * before) };
            let facing = -dot(normal, looks);
            let lean = (1.0 - facing).clamp(0.0, 1.0);
            let mirrored = 0.04 + 0.80 * lean * lean * lean * lean;
            let away = [0, 1, 2].map(|a| looks[a] + 2.0 * facing * normal[a]);
            let sky = mix(SKY[0], SKY[1], smooth(-0.2, 0.9, away[1]));
            let relief = 0.68 + 0.46 * dot(normal, light);
            let shaded = mix(color.map(|c| c * relief), sky, mirrored);
            let mut shine = dot(away, light).max(0.0);
            for _ in 0..5 {
                shine *= shine;
            }
            let foam = 0.8 * smooth(0.85, 1.9, lively);
            let white = FOAM.map(|c| c * (0.62 + 0.38 * dot(normal, light).max(0.0)));
            let shaded = mix(shaded.map(|c| c + 0.55 * shine), white, foam);
            color = mix(color, shaded, clear);
        }
        color
    }
}

/// The radius of a ball around a body.
fn reach(body: &Body<f32, 3>) -> f32 {
    match body.shape {
        Shape::Ball { radius } => radius,
        Shape::Cuboid { half_extents } => dot(half_extents, half_extents).sqrt(),
        _ => 0.0,
    }
}

/// Where a ray from a place along a way, both in the shape's frame, first meets it, in lengths of the way,
/// and the normal there.
pub(crate) fn hit(
    shape: &Shape<f32, 3>,
    from: [f32; 3],
    along: [f32; 3],
) -> Option<(f32, [f32; 3])> {
    match shape {
        Shape::Ball { radius } => {
            let (a, b) = (dot(along, along), dot(from, along));
            let root = b * b - a * (dot(from, from) - radius * radius);
            let away = (-b - root.max(0.0).sqrt()) / a;
            let normal = [0, 1, 2].map(|n| (from[n] + away * along[n]) / radius);
            (root > 0.0 && away > 0.0).then_some((away, normal))
        }
        Shape::Cuboid { half_extents } => {
            let (mut enters, mut leaves, mut normal) = (0.0_f32, f32::INFINITY, [0.0; 3]);
            for a in 0..3 {
                let ends = [-1.0, 1.0].map(|s| (s * half_extents[a] - from[a]) / along[a]);
                let (first, last) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
                if first > enters {
                    (enters, normal) = (first, [0.0; 3]);
                    normal[a] = if along[a] > 0.0 { -1.0 } else { 1.0 };
                }
                leaves = leaves.min(last);
            }
            (enters > 0.0 && enters < leaves).then_some((enters, normal))
        }
        _ => None,
    }
}

/// The colour of a ball or a crate at a place of its surface.
fn texture(shape: &Shape<f32, 3>, local: [f32; 3], normal: [f32; 3]) -> [f32; 3] {
    let Shape::Cuboid { half_extents } = shape else {
        let [x, y, z] = normal;
        let red = (x * z > 0.0) == (x * x > z * z) && y.abs() < 0.93;
        return if red { [0.88, 0.22, 0.18] } else { [0.96, 0.93, 0.87] };
    };
    let across = (0..3).find(|a| normal[*a] != 0.0).unwrap_or(0);
    let [u, v] = [(across + 1) % 3, (across + 2) % 3].map(|a| local[a] / half_extents[a]);
    body_color(false, [u, v], 1.0 - u.abs().max(v.abs()))
}

fn put(canvas: &mut Picture, at: usize, [r, g, b]: [u8; 3]) {
    canvas.bytes_mut()[4 * at..4 * at + 4].copy_from_slice(&[r, g, b, 255]);
}

fn taken(canvas: &Picture, at: usize) -> [f32; 3] {
    let pixel = &canvas.bytes()[4 * at..4 * at + 3];
    [0, 1, 2].map(|c| f32::from(pixel[c]) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_num::{Boundary, Grid3};

    #[test]
    fn rays_meet_balls_and_boxes_where_they_are() {
        let ball = Shape::ball(0.5).unwrap();
        let (away, normal) = hit(&ball, [-2.0, 0.0, 0.0], [0.5, 0.0, 0.0]).unwrap();
        assert_eq!((away, normal), (3.0, [-1.0, 0.0, 0.0]));
        let crate_ = Shape::cuboid([0.5, 1.0, 1.0]).unwrap();
        let (away, normal) = hit(&crate_, [0.25, 3.0, 0.0], [0.0, -1.0, 0.0]).unwrap();
        assert_eq!((away, normal), (2.0, [0.0, 1.0, 0.0]));
        for shape in [ball, crate_] {
            assert_eq!(hit(&shape, [0.0, 3.0, 0.0], [0.0, 1.0, 0.0]), None);
            assert_eq!(hit(&shape, [2.0, 3.0, 0.0], [0.0, -1.0, 0.0]), None);
        }
    }

    #[test]
    fn a_box_full_of_water_is_as_thick_as_the_box() {
        let grid = Grid3::new([12; 3], 1.0 / 12.0).unwrap();
        let water = LevelSet::from_fn(grid, &Boundary::walls(), |[_, y, _]| y - 0.5).unwrap();
        let mut glass = Glass::new();
        let mut picture = Picture::new(60, 40).unwrap();
        let extent = [1.0; 3];
        let camera = Camera::START;
        let view = View { camera, extent, water: &water, bodies: &[] };
        glass.paint(&view, |_| 0.0, None, &mut picture).unwrap();
        let eye = Eye::new(camera, extent, [120, 80]);
        let (pixel, away) = eye.see([0.5, 0.0, 0.5]);
        let at = glass.layers.place(pixel);
        // From the ground in the middle to the surface or to the glass.
        let ray = eye.ray(pixel);
        let expected = ray.iter().fold(f32::MAX, |least, c| least.min(0.5 / c.abs()));
        let passed = glass.layers.passed[at];
        assert!((passed - expected).abs() < 0.05 * expected, "{passed} {expected} {away}");
        // Where no water is, there is none.
        assert_eq!(glass.layers.passed[0], 0.0);
        assert!(glass.mesh.triangles().len() > 6 * 2 * 11 * 5);
    }
}
