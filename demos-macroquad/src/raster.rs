//! Triangles of a closed surface, as pixels: what of it is nearest, and how long a ray is within it.

use core::ops::Range;

/// Parts of a pixel in which vertices are placed. Whole numbers, so that of two triangles that share an
/// edge exactly one gets a pixel on it.
const PARTS: f32 = 16.0;
/// Vertices farther away than this are nowhere near a picture, pixels.
const FAR: f32 = 1e5;

/// What a surface is like at a place.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Skin {
    /// Out of it, not quite of unit length between vertices.
    pub(crate) normal: [f32; 3],
    /// How much it foams.
    pub(crate) lively: f32,
}

/// A vertex in a picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corner {
    at: [i64; 2],
    /// One over how far away it is.
    inverse: f32,
    skin: Skin,
    /// The sides of the box that it lies on, a bit each.
    sides: u8,
}

impl Corner {
    /// A vertex at a place of a picture, so far away.
    pub(crate) fn new(pixel: [f32; 2], away: f32, skin: Skin, sides: u8) -> Self {
        let at = pixel.map(|x| (x.clamp(-FAR, FAR) * PARTS).round() as i64);
        Self { at, inverse: 1.0 / away, skin, sides }
    }
}

/// What pixels know of what is seen through them.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    size: [usize; 2],
    /// How far away what hides all behind it is.
    pub(crate) far: Vec<f32>,
    /// How far away the surface begins.
    pub(crate) first: Vec<f32>,
    /// How far away its nearest part is that lies on no side of the box, and what that is like.
    pub(crate) near: Vec<f32>,
    pub(crate) skin: Vec<Skin>,
    /// The length of the way within it, up to what hides the rest.
    pub(crate) passed: Vec<f32>,
}

/// Twice the area of the triangle of an edge and a place: positive on one side of the edge.
fn area([p, q]: [[i64; 2]; 2], at: [i64; 2]) -> i64 {
    (q[0] - p[0]) * (at[1] - p[1]) - (q[1] - p[1]) * (at[0] - p[0])
}

impl Layers {
    /// Nothing, for a picture of another size or the next one.
    pub(crate) fn clear(&mut self, size: [usize; 2]) {
        self.size = size;
        let count = size[0] * size[1];
        for values in [&mut self.far, &mut self.first, &mut self.near] {
            values.clear();
            values.resize(count, f32::INFINITY);
        }
        self.passed.clear();
        self.passed.resize(count, 0.0);
        self.skin.clear();
        self.skin.resize(count, Skin::default());
    }

    /// The pixels around some places.
    pub(crate) fn around(&self, places: &[[f32; 2]]) -> [Range<usize>; 2] {
        [0, 1].map(|a| {
            let ends = places
                .iter()
                .fold([f32::MAX, f32::MIN], |[lo, hi], place| [lo.min(place[a]), hi.max(place[a])]);
            let first = ends[0].floor().max(0.0) as usize;
            first
                ..((ends[1].ceil().max(0.0) as usize).saturating_add(1))
                    .min(self.size[a])
                    .max(first)
        })
    }

    /// The pixel at a place, or the one nearest to it.
    pub(crate) fn place(&self, [x, y]: [f32; 2]) -> usize {
        let [width, height] = self.size;
        let column = (x.max(0.0) as usize).min(width.max(1) - 1);
        (y.max(0.0) as usize).min(height.max(1) - 1) * width + column
    }

    /// Draws a triangle that runs counterclockwise seen from outside.
    pub(crate) fn draw(&mut self, mut corners: [Corner; 3]) {
        let whole = area([corners[0].at, corners[1].at], corners[2].at);
        if whole == 0 {
            return;
        }
        // Rows run down.
        let facing = whole < 0;
        if facing {
            corners.swap(1, 2);
        }
        let whole = whole.abs() as f32;
        let free = corners.iter().fold(u8::MAX, |sides, corner| sides & corner.sides) == 0;
        let edges = [1, 2, 0].map(|n| [corners[n].at, corners[(n + 1) % 3].at]);
        // On an edge that runs up, or to the right and level.
        let least = edges.map(|[p, q]| {
            let own = q[1] < p[1] || (q[1] == p[1] && q[0] > p[0]);
            i64::from(!own)
        });
        let size = self.size;
        let bounds = |a: usize| {
            let at = corners.map(|corner| corner.at[a]);
            let parts = PARTS as i64;
            let first = (at[0].min(at[1]).min(at[2]) / parts).max(0);
            let last = at[0].max(at[1]).max(at[2]) / parts + 1;
            first..last.min(size[a] as i64)
        };
        let step = PARTS as i64;
        for y in bounds(1) {
            for x in bounds(0) {
                let place = [x * step + step / 2, y * step + step / 2];
                let shares = edges.map(|edge| area(edge, place));
                if (0..3).all(|n| shares[n] >= least[n]) {
                    let shares = shares.map(|share| share as f32 / whole);
                    self.add(y as usize * size[0] + x as usize, &corners, shares, facing, free);
                }
            }
        }
    }

    /// Adds what a triangle is at a pixel.
    fn add(
        &mut self,
        at: usize,
        corners: &[Corner; 3],
        shares: [f32; 3],
        facing: bool,
        free: bool,
    ) {
        let mean =
            |of: fn(&Corner) -> f32| (0..3).map(|n| shares[n] * of(&corners[n])).sum::<f32>();
        let away = 1.0 / mean(|corner| corner.inverse);
        let seen = away.min(self.far[at]);
        if facing {
            self.passed[at] -= seen;
            self.first[at] = self.first[at].min(away);
        } else {
            self.passed[at] += seen;
        }
        if free && away < self.near[at] {
            self.near[at] = away;
            self.skin[at] = Skin {
                normal: [
                    mean(|corner| corner.skin.normal[0]),
                    mean(|corner| corner.skin.normal[1]),
                    mean(|corner| corner.skin.normal[2]),
                ],
                lively: mean(|corner| corner.skin.lively),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_that_share_edges_cover_each_pixel_once() {
        // A fan around a point, whose edges run through centres of pixels.
        let rim = [[0.5, 0.5], [12.5, 0.5], [12.5, 8.5], [6.5, 12.5], [0.5, 8.5]];
        let corner = |pixel| Corner::new(pixel, 2.0, Skin::default(), 0);
        let mut layers = Layers::default();
        layers.clear([16, 16]);
        for n in 0..5 {
            layers.draw([[6.5, 6.5], rim[n], rim[(n + 1) % 5]].map(corner));
        }
        let passed = &layers.passed;
        // Rounding of a mean.
        let once = |p: &f32| *p == 0.0 || (*p - 2.0).abs() < 1e-5;
        assert!(passed.iter().all(once), "{passed:?}");
        let covered = passed.iter().filter(|p| **p != 0.0).count();
        // 12 · 8 + 12 · 4 / 2.
        assert!(covered.abs_diff(120) <= 6, "{covered}");
        // The same, seen from the other side, takes it away again.
        for n in 0..5 {
            layers.draw([rim[(n + 1) % 5], rim[n], [6.5, 6.5]].map(corner));
        }
        assert!(layers.passed.iter().all(|p| p.abs() < 1e-5), "{:?}", layers.passed);
    }

    #[test]
    fn what_is_hidden_is_not_passed() {
        let mut layers = Layers::default();
        layers.clear([4, 4]);
        layers.far.fill(3.0);
        let square = [[-9.0, -9.0], [90.0, -9.0], [-9.0, 90.0]];
        for (away, facing) in [(2.0, true), (5.0, false)] {
            let mut corners = square.map(|p| Corner::new(p, away, Skin::default(), 0));
            if facing {
                corners.swap(1, 2);
            }
            layers.draw(corners);
        }
        assert!(layers.passed.iter().all(|p| (p - 1.0).abs() < 1e-5), "{:?}", layers.passed);
        assert!(layers.first.iter().all(|p| (p - 2.0).abs() < 1e-5), "{:?}", layers.first);
    }
}
