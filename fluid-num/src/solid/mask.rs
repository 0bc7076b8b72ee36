//! Black and white images as signed distances.
//!
//! Reference: P. Felzenszwalb and D. Huttenlocher, Distance transforms of sampled functions,
//! Theory of Computing 8 (2012), <https://doi.org/10.4086/toc.2012.v008a019>.

use alloc::vec;
use alloc::vec::Vec;

use super::shape::{FAR, length};
use crate::base::error::check;
use crate::{Error, Real};

/// A black and white image as a signed distance, the image's centre at the origin.
///
/// Rows run along x; the first row is the lowest (turn image files that store the top row first).
/// The distance of every cell's centre to the nearest centre of the other colour comes from an
/// exact Euclidean distance transform; half a cell less of it puts the surface on the edges
/// between cells. Between centres it is sampled linearly; beyond the image the distance to the
/// image is added.
///
/// ```
/// use fluid_num::solid::Mask;
/// let art = ["#...", "##.."]; // the first string is the lowest row
/// let solid: Vec<bool> = art.iter().flat_map(|row| row.bytes().map(|b| b == b'#')).collect();
/// let mask = Mask::new([4, 2], &solid, 0.5)?;
/// assert_eq!(mask.signed_distance([-0.75, -0.25]), -0.25); // the centre of the lowest left cell
/// assert!(mask.signed_distance([-0.25, -0.25]) > 0.0);
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mask<T> {
    /// Cells along each axis, without the empty ring that is stored around them.
    size: [usize; 2],
    cell: T,
    distance: Vec<T>,
}

impl<T: Real> Mask<T> {
    /// The solid cells of an image of `size` cells (along x, along y) of edge `cell` metres.
    ///
    /// # Errors
    /// [`Error::WrongCount`] for an image without cells, of more than 2³⁰ of them, with a wrong
    /// number of entries or without any solid cell; [`Error::InvalidParameter`] for a `cell` that
    /// is not finite and positive.
    pub fn new(size: [usize; 2], solid: &[bool], cell: T) -> Result<Self, Error> {
        Self::from_predicate(size, solid.len(), |n| solid[n], cell)
    }

    /// The same from coverage bytes: solid where the byte is at least `threshold`.
    ///
    /// # Errors
    /// Those of [`Mask::new`], and [`Error::InvalidParameter`] for a threshold of 0.
    pub fn from_coverage(
        size: [usize; 2],
        coverage: &[u8],
        threshold: u8,
        cell: T,
    ) -> Result<Self, Error> {
        check::within(
            "mask.threshold",
            T::of_usize(usize::from(threshold)),
            1.0,
            255.0,
            "from 1 to 255",
        )?;
        Self::from_predicate(size, coverage.len(), |n| coverage[n] >= threshold, cell)
    }

    fn from_predicate(
        size: [usize; 2],
        entries: usize,
        solid: impl Fn(usize) -> bool,
        cell: T,
    ) -> Result<Self, Error> {
        check::positive("mask.cell", cell)?;
        let wrong = |count, expected| Err(Error::WrongCount { name: "mask", count, expected });
        let count = size[0].checked_mul(size[1]).filter(|n| *n <= 1 << 30);
        if size.contains(&0) || count.is_none() {
            return wrong(entries, "from 1 to 2³⁰ cells");
        }
        if count != Some(entries) {
            return wrong(entries, "width × height entries");
        }
        if !(0..entries).any(&solid) {
            return wrong(0, "at least one solid cell");
        }
        // An empty ring: whatever the image shows at its edge, beyond it is nothing.
        let padded = size.map(|n| n + 2);
        let at = |n: usize| {
            let [i, j] = [n % padded[0], n / padded[0]];
            let inside = (1..=size[0]).contains(&i) && (1..=size[1]).contains(&j);
            inside && solid((j - 1) * size[0] + i - 1)
        };
        let to_solid = squared_distances(padded, at);
        let to_empty = squared_distances(padded, |n| !at(n));
        let distance = to_solid
            .iter()
            .zip(&to_empty)
            .map(|(s, e)| {
                let half = T::of(0.5);
                let cells =
                    if *s > 0.0 { T::of(*s).sqrt() - half } else { half - T::of(*e).sqrt() };
                cells * cell
            })
            .collect();
        Ok(Self { size, cell, distance })
    }

    /// The number of cells along x and y.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// The edge of a cell, m.
    pub fn cell(&self) -> T {
        self.cell
    }

    pub(super) fn half_extents(&self) -> [T; 2] {
        self.size.map(|n| T::of_usize(n) * self.cell * T::of(0.5))
    }

    /// The signed distance of a point, negative inside.
    pub fn signed_distance(&self, p: [T; 2]) -> T {
        let mut base = [0_usize; 2];
        let mut fraction = [T::zero(); 2];
        let mut beyond = [T::zero(); 2];
        let half = T::of(0.5);
        for a in 0..2 {
            let n = T::of_usize(self.size[a]);
            let x = p[a] / self.cell + n * half + half;
            let inside = x.at_least(T::zero()).at_most(n + T::one());
            beyond[a] = x - inside;
            base[a] = (inside.truncate() as usize).min(self.size[a]);
            fraction[a] = inside - T::of_usize(base[a]);
        }
        let stride = self.size[0] + 2;
        let row = |j: usize| {
            let d = &self.distance[j * stride + base[0]..][..2];
            d[0] + (d[1] - d[0]) * fraction[0]
        };
        let (lower, upper) = (row(base[1]), row(base[1] + 1));
        lower + (upper - lower) * fraction[1] + length(beyond) * self.cell
    }
}

/// The squared distance, in cells, of every cell to the nearest one where `feature` holds.
fn squared_distances(size: [usize; 2], feature: impl Fn(usize) -> bool) -> Vec<f64> {
    let [w, h] = size;
    let mut squares: Vec<f64> = (0..w * h).map(|n| if feature(n) { 0.0 } else { FAR }).collect();
    let longest = w.max(h);
    let mut line = vec![0.0; longest];
    let mut envelope = Envelope { from: vec![0; longest], start: vec![0.0; longest] };
    for i in 0..w {
        envelope.transform(&mut squares, i, w, &mut line[..h]);
    }
    for j in 0..h {
        envelope.transform(&mut squares, j * w, 1, &mut line[..w]);
    }
    squares
}

/// The lower envelope of the parabolas f(q) + (x − q)²: which is lowest, and from where on.
struct Envelope {
    from: Vec<usize>,
    start: Vec<f64>,
}

impl Envelope {
    /// Replaces f by min over q of f(q) + (x − q)² along one line of `squares`.
    fn transform(&mut self, squares: &mut [f64], first: usize, stride: usize, line: &mut [f64]) {
        for (q, f) in line.iter_mut().enumerate() {
            *f = squares[first + q * stride];
        }
        let mut count = 0;
        for (q, f) in line.iter().enumerate() {
            if *f >= FAR {
                continue;
            }
            let mut start = f64::NEG_INFINITY;
            while count > 0 {
                let v = self.from[count - 1];
                let (x, y) = (q as f64, v as f64);
                start = ((f + x * x) - (line[v] + y * y)) / (2.0 * (x - y));
                if start > self.start[count - 1] {
                    break;
                }
                count -= 1;
                start = f64::NEG_INFINITY;
            }
            self.from[count] = q;
            self.start[count] = start;
            count += 1;
        }
        if count == 0 {
            return;
        }
        let mut k = 0;
        for x in 0..line.len() {
            while k + 1 < count && self.start[k + 1] < x as f64 {
                k += 1;
            }
            let v = self.from[k];
            let away = x as f64 - v as f64;
            squares[first + x * stride] = line[v] + away * away;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::Shape;

    fn random(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[test]
    fn the_distance_transform_is_exact() {
        let (w, h) = (23, 17);
        let mut seed = 11;
        for density in [0.004, 0.05, 0.6] {
            let mut on: Vec<bool> = (0..w * h).map(|_| random(&mut seed) < density).collect();
            on[5 * w + 20] = true;
            let squares = squared_distances([w, h], |n| on[n]);
            for n in 0..w * h {
                let expected = (0..w * h)
                    .filter(|m| on[*m])
                    .map(|m| {
                        let dx = (n % w).abs_diff(m % w);
                        let dy = (n / w).abs_diff(m / w);
                        dx * dx + dy * dy
                    })
                    .min();
                assert_eq!(Some(squares[n] as usize), expected);
            }
        }
    }

    #[test]
    fn a_mask_of_a_disc_is_a_disc_within_a_cell() {
        let (n, cell, radius) = (64_usize, 0.125, 2.5);
        let centre = |i: usize| (i as f64 + 0.5 - 0.5 * n as f64) * cell;
        let coverage: Vec<u8> = (0..n * n)
            .map(|m| {
                let (x, y) = (centre(m % n), centre(m / n));
                if (x * x + y * y).sqrt() < radius { 200 } else { 10 }
            })
            .collect();
        let mask = Mask::from_coverage([n, n], &coverage, 128, cell).unwrap();
        let disc = Shape::<f64, 2>::ball(radius).unwrap();
        let mut seed = 5;
        for _ in 0..2000 {
            let p = [8.0 * random(&mut seed) - 4.0, 8.0 * random(&mut seed) - 4.0];
            let (d, exact) = (mask.signed_distance(p), disc.signed_distance(p));
            assert!((d - exact).abs() < cell, "{p:?}: {d} against {exact}");
        }
        // Far outside the way to the image is added; the sum is never less than the distance.
        let far = mask.signed_distance([40.0, 0.0]);
        assert!(far > 37.5 - cell && far < 37.5 + cell);
    }

    #[test]
    fn a_mask_stands_where_and_how_its_image_says() {
        // An L: only its foot reaches to the right, and the foot is the first row.
        let art = ["###", "#..", "#.."];
        let solid: Vec<bool> = art.iter().flat_map(|r| r.bytes().map(|b| b == b'#')).collect();
        let mask = Shape::<f32, 2>::mask([3, 3], &solid, 1.0).unwrap();
        for (j, row) in art.iter().enumerate() {
            for (i, b) in row.bytes().enumerate() {
                let p = [i as f32 - 1.0, j as f32 - 1.0];
                assert_eq!(mask.signed_distance(p) < 0.0, b == b'#');
            }
        }
        // The surface lies on the edges between cells, also at the edge of the image.
        assert_eq!(mask.signed_distance([-1.5, 0.0]), 0.0);
        assert_eq!(mask.signed_distance([-0.5, 1.0]), 0.0);
        assert_eq!(mask.bounds(), Some([[-1.5, -1.5], [1.5, 1.5]]));
    }
}
