//! Liquid of particles: what its scenes count, and how it is painted with a smooth surface.
//!
//! ```text
//! φ(p) = Σ_j V W(|p − x_j|)        colour(p) = Σ_j V W(|p − x_j|) colour_j / φ(p)
//! ```
//!
//! φ is the part of space that is liquid. Liquid is shown where φ exceeds a threshold; |∇φ| tells how
//! far away the surface is, which smooths its edge and gives it a light side.

use core::ops::Range;
use std::collections::BTreeMap;

use fluid_adapters::{ColorMap, Picture};
use fluid_num::particles::kernel::Poly6;
use fluid_num::particles::surface::Splat;
use fluid_num::particles::{Domain, ParticleSet};
use fluid_num::{Error, Field, Grid2, Real};

use crate::paint::{blend, byte};
use crate::scene::{DT, Pointer, Stats};

/// The radius of what a particle leaves in φ, in units of the spacing.
const REACH: f32 = 2.0;
/// Where φ has the surface. A single particle is a drop of 0.8 spacings.
const SURFACE: f32 = 0.6 / core::f32::consts::PI;

/// Water at rest, in motion, and as foam.
const WATER: [[f32; 3]; 3] = [[0.035, 0.22, 0.50], [0.13, 0.50, 0.80], [0.93, 0.97, 1.0]];
/// The air at the top and at the bottom.
const AIR: [[f32; 3]; 2] = [[0.045, 0.055, 0.085], [0.11, 0.14, 0.20]];

/// How much of a step's time goes into the running mean that is shown.
pub(crate) const NEWEST: f64 = 0.1;

/// Pixels for each cell of a grid so that the longer edge has about 480, at most 8.
pub(crate) fn pixels_of(cells: [usize; 2]) -> usize {
    (480 / cells[0].max(cells[1]).max(1)).clamp(1, 8)
}

/// The mean of ρ/ρ₀ − 1 where that is positive, over all particles.
pub(crate) fn mean_excess(density: impl Iterator<Item = f32>, rest: f32) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for density in density {
        sum += f64::from(density / rest - 1.0).max(0.0);
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// How many particles are outside the domain or not finite.
pub(crate) fn outside<const D: usize>(
    particles: &ParticleSet<f32, D>,
    domain: &Domain<f32, D>,
) -> usize {
    let inside = |i: usize| {
        let (x, v) = (particles.position(i), particles.velocity(i));
        let (Some(x), Some(v)) = (x, v) else { return false };
        (0..D).all(|a| x[a] >= domain.lo[a] && x[a] <= domain.hi[a] && v[a].is_finite())
    };
    (0..particles.len()).filter(|i| !inside(*i)).count()
}

/// The largest velocity component, m/s.
pub(crate) fn max_speed<const D: usize>(particles: &ParticleSet<f32, D>) -> f64 {
    let components = particles.velocity_arrays().into_iter().flatten();
    components.fold(0.0, |most, v| f64::from(v.abs()).max(most))
}

/// The numbers of one liquid alone.
pub(crate) fn stats<const D: usize>(
    particles: &ParticleSet<f32, D>,
    domain: &Domain<f32, D>,
    density_excess: f64,
) -> Stats {
    let more = BTreeMap::from([
        ("density_excess", density_excess),
        ("outside", outside(particles, domain) as f64),
        ("particles", particles.len() as f64),
    ]);
    Stats { max_speed: max_speed(particles), more, ..Stats::default() }
}

/// Takes particles about the pointer along with it: a share of its velocity that falls off as a
/// Gaussian of this radius, m.
pub(crate) fn drag_along(particles: &mut ParticleSet<f32, 2>, pointer: &Pointer, radius: f64) {
    const RATE: f64 = 12.0;
    let rate = (RATE * DT).min(1.0);
    // A pointer that jumps is a slow hand on a slow screen, not a blow.
    let wanted = pointer.delta.map(|d| (d / DT).clamp(-20.0, 20.0));
    for i in 0..particles.len() {
        let Some(x) = particles.position(i) else { continue };
        let away = [0, 1].map(|a| f64::from(x[a]) - pointer.position[a]);
        let squared = (away[0] * away[0] + away[1] * away[1]) / (radius * radius);
        let share = rate * (-squared).portable_exp();
        for (a, wanted) in wanted.into_iter().enumerate() {
            let v = &mut particles.velocities_mut(a)[i];
            *v += (share * (wanted - f64::from(*v))) as f32;
        }
    }
}

/// The speed of particle `i`, m/s.
pub(crate) fn speed<const D: usize>(particles: &ParticleSet<f32, D>, i: usize) -> f32 {
    let v = particles.velocity(i).unwrap_or([0.0; D]);
    v.iter().map(|v| v * v).sum::<f32>().sqrt()
}

/// The colour of water that moves at `speed` times a speed at which it foams.
pub(crate) fn water_color(speed: f32) -> [f32; 3] {
    let [rest, fast, foam] = WATER;
    let s = speed.clamp(0.0, 1.5);
    if s < 0.6 { mix(rest, fast, s / 0.6) } else { mix(fast, foam, (s - 0.6) / 0.9) }
}

/// A colour of a map, 0 to 1.
pub(crate) fn map_color(map: &ColorMap, place: f32) -> [f32; 3] {
    let [r, g, b, _] = map.color(byte(place.clamp(0.0, 1.0)));
    [r, g, b].map(|c| f32::from(c) / 255.0)
}

/// What lies between two colours.
pub(crate) fn mix(from: [f32; 3], to: [f32; 3], part: f32) -> [f32; 3] {
    [0, 1, 2].map(|n| from[n] + (to[n] - from[n]) * part)
}

/// Paints the air over a whole picture.
pub(crate) fn paint_air(picture: &mut Picture) {
    let (width, height) = (picture.width(), picture.height());
    for (y, row) in picture.bytes_mut().chunks_exact_mut(width * 4).enumerate() {
        let [r, g, b] = mix(AIR[0], AIR[1], y as f32 / height as f32).map(byte);
        row.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&[r, g, b, 255]));
    }
}

/// The part of a picture, over its whole height, that shows a box from the origin to `extent`.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    pub(crate) columns: Range<usize>,
    pub(crate) height: usize,
    pub(crate) extent: [f64; 2],
}

impl Window {
    /// Pixels a metre.
    pub(crate) fn scale(&self) -> f32 {
        self.columns.len() as f32 / self.extent[0] as f32
    }

    /// Where a place of the box lies in the picture, in pixels from its upper left corner.
    pub(crate) fn pixel(&self, place: [f32; 2]) -> [f32; 2] {
        let [width, height] = self.extent.map(|x| x as f32);
        let x = self.columns.start as f32 + place[0] / width * self.columns.len() as f32;
        [x, (1.0 - place[1] / height) * self.height as f32]
    }

    /// The columns and rows of pixels whose centres lie within `radius` pixels of a pixel.
    pub(crate) fn around(&self, [x, y]: [f32; 2], radius: f32) -> [Range<usize>; 2] {
        let range = |centre: f32, lo: usize, hi: usize| {
            let first = (centre - radius - 0.5).ceil().max(lo as f32) as usize;
            let last = (centre + radius - 0.5).floor() + 1.0;
            first..(last.max(0.0) as usize).min(hi).max(first)
        };
        [range(x, self.columns.start, self.columns.end), range(y, 0, self.height)]
    }
}

/// φ, and red, green and blue weighted with it, on the pixels of a window.
type Sums = [Field<f32, 2>; 4];

/// Paints liquid, with what it keeps from one picture to the next.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    sums: Option<(Splat<f32, Poly6<f32, 2>, 2>, Sums)>,
    /// What each particle adds to the sums.
    parts: [Vec<f32>; 4],
}

impl Canvas {
    /// Lays particles `spacing` metres apart over the part of the picture that the window shows; `color`
    /// is that of a particle by its index.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a particle that is nowhere.
    pub(crate) fn paint(
        &mut self,
        window: &Window,
        particles: &ParticleSet<f32, 2>,
        spacing: f32,
        color: impl Fn(usize) -> [f32; 3],
        picture: &mut Picture,
    ) -> Result<(), Error> {
        let pixel = 1.0 / window.scale();
        let grid = Grid2::new([window.columns.len(), window.height], pixel)?;
        // Never so small that a particle falls between the pixels.
        let radius = (REACH * spacing).max(pixel);
        let kernel = Poly6::new(radius)?;
        let fits = |(splat, [phi, ..]): &(Splat<_, _, 2>, Sums)| {
            *splat.kernel() == kernel && *phi.grid() == grid
        };
        if !self.sums.as_ref().is_some_and(fits) {
            self.sums = Some((Splat::new(kernel)?, [0; 4].map(|_| Field::zeros(grid))));
        }
        let Some((splat, sums)) = &mut self.sums else { return Ok(()) };
        let volume = (radius / REACH) * (radius / REACH);
        self.parts.iter_mut().for_each(Vec::clear);
        for i in 0..particles.len() {
            let [r, g, b] = color(i);
            for (part, value) in self.parts.iter_mut().zip([1.0, r, g, b]) {
                part.push(volume * value);
            }
        }
        let parts = self.parts.each_ref().map(|part| &part[..]);
        splat.sums(particles.position_arrays(), parts, sums.each_mut())?;
        show(sums, window.columns.start, picture);
        Ok(())
    }
}

/// Lays liquid over a picture from a column on.
fn show(sums: &Sums, first: usize, picture: &mut Picture) {
    let [columns, height] = sums[0].grid().cells();
    let rows = sums.each_ref().map(|sum| sum.rows().collect::<Vec<_>>());
    let at = |x: usize, j: usize| rows[0][j][x];
    let width = picture.width();
    for (j, y) in (0..height).rev().enumerate() {
        for x in 0..columns {
            let [phi, red, green, blue] = rows.each_ref().map(|rows| rows[j][x]);
            if phi < 0.2 * SURFACE {
                continue;
            }
            let slope = [
                0.5 * (at((x + 1).min(columns - 1), j) - at(x.max(1) - 1, j)),
                0.5 * (at(x, (j + 1).min(height - 1)) - at(x, j.max(1) - 1)),
            ];
            let steep = (slope[0] * slope[0] + slope[1] * slope[1]).sqrt().max(3e-4);
            let cover = ((phi - SURFACE) / steep + 0.5).clamp(0.0, 1.0);
            // Light from the upper left falls on the rim: outwards is −∇φ.
            let rim = (1.0 - (phi - SURFACE) / 0.6).clamp(0.0, 1.0);
            let light = rim_light(rim, slope.map(|s| -s / steep));
            let color = [red, green, blue].map(|c| byte((c / phi + light).clamp(0.0, 1.0)));
            blend(&mut picture.bytes_mut()[(y * width + first + x) * 4..][..4], color, cover);
        }
    }
}

/// How much brighter a surface is by light from the upper left, `rim` near to it (1) or far (0), for a
/// normal outwards.
pub(crate) fn rim_light(rim: f32, normal: [f32; 2]) -> f32 {
    let lit = 0.85 * normal[1] - 0.5 * normal[0];
    0.28 * rim * rim * lit.max(0.0) - 0.10 * rim * (-lit).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_particles_is_painted_where_it_is_and_in_its_colour() {
        let mut particles = ParticleSet::new();
        particles.add_block([0.0, 0.0], [1.0, 1.0], 0.1, [0.0; 2], 0, &[]).unwrap();
        let mut picture = Picture::new(80, 40).unwrap();
        let window = Window { columns: 40..80, height: 40, extent: [2.0, 2.0] };
        picture.fill([0, 0, 0, 255]);
        let mut canvas = Canvas::default();
        canvas.paint(&window, &particles, 0.1, |_| [1.0, 0.0, 0.0], &mut picture).unwrap();
        // The lower left quarter of the right half, up to 0.8 spacings beyond the outermost particles.
        for (x, y, red) in [(45, 35, true), (20, 35, false), (70, 35, false), (45, 10, false)] {
            let pixel = picture.pixel(x, y).unwrap();
            assert_eq!(pixel == [255, 0, 0, 255], red, "{x} {y} {pixel:?}");
            assert_eq!(pixel == [0, 0, 0, 255], !red, "{x} {y} {pixel:?}");
        }
        let covered = (40..80).filter(|x| picture.pixel(*x, 30).unwrap()[0] > 127).count();
        assert!(covered.abs_diff(20) <= 1, "{covered}");
    }

    #[test]
    fn who_has_left_the_domain_is_counted() {
        let domain = Domain::new([0.0; 2], [1.0; 2]).unwrap();
        let mut particles = ParticleSet::new();
        for x in [[0.0, 1.0], [0.5, 0.5], [1.1, 0.5], [0.5, -0.1]] {
            particles.add(x, [-3.0, 2.0], 0).unwrap();
        }
        assert_eq!((outside(&particles, &domain), max_speed(&particles)), (2, 3.0));
        assert_eq!(
            mean_excess([900.0, 1100.0].into_iter(), 1000.0),
            f64::from(1.1_f32 - 1.0) / 2.0
        );
    }
}
