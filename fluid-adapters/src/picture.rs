//! Fields and particles as pictures, painted on the CPU.
//!
//! Grids count y upwards and pictures count rows downwards: every painter here puts the largest y
//! in the top row. A picture may have any size; each pixel shows the cell that its centre lies in,
//! so that a picture of k × k pixels a cell shows the cells as squares. Painting allocates nothing
//! and writes each pixel once.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use fluid_num::{Error, Field, Grid, Real};

use crate::color::{ColorMap, NAN_COLOR, byte, is_nan, table_scale};

/// The largest number of pixels along an edge, which every graphics API takes.
const MAX_EDGE: usize = 1 << 15;

/// An RGBA picture, 8 bits a channel, row 0 on top.
///
/// ```
/// use fluid_adapters::{ColorMap, Picture};
/// use fluid_num::{Field, Grid2};
///
/// let grid = Grid2::new([4, 3], 0.5_f32)?;
/// let height = Field::from_fn(grid, |[_, y]| y);
/// let mut picture = Picture::of_grid(&grid, 2)?; // 2 × 2 pixels a cell
/// assert_eq!([picture.width(), picture.height()], [8, 6]);
///
/// let map = ColorMap::viridis();
/// picture.paint_field(&height, &map, 0.25..1.25);
/// assert_eq!(picture.pixel(0, 0), Some(map.color(255))); // the top shows the largest y
/// assert_eq!(picture.pixel(7, 5), Some(map.color(0)));
/// # Ok::<(), fluid_num::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Picture {
    /// A transparent black picture.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a width or height of 0 or above 32,768 pixels.
    pub fn new(width: usize, height: usize) -> Result<Self, Error> {
        for (name, count) in [("the picture's width", width), ("the picture's height", height)] {
            if count == 0 || count > MAX_EDGE {
                return Err(Error::InvalidParameter {
                    name,
                    value: count as f64,
                    expected: "1 to 32768 pixels",
                });
            }
        }
        Ok(Self { width, height, bytes: vec![0; width * height * 4] })
    }

    /// A picture with `pixels` × `pixels` pixels for every cell of `grid`.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for 0 pixels a cell or an edge above 32,768 pixels.
    pub fn of_grid<T: Real>(grid: &Grid<T, 2>, pixels: usize) -> Result<Self, Error> {
        let [width, height] = grid.cells().map(|n| n.saturating_mul(pixels));
        Self::new(width, height)
    }

    /// The number of pixels along x.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of pixels along y.
    #[inline]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Red, green, blue and opacity of every pixel, row by row from the top left.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, to write to.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The colour of a pixel, or `None` outside.
    pub fn pixel(&self, x: usize, y: usize) -> Option<[u8; 4]> {
        if x >= self.width {
            return None;
        }
        let pixel = self.bytes.chunks_exact(4).nth(y * self.width + x)?;
        pixel.try_into().ok()
    }

    /// Gives every pixel one colour.
    pub fn fill(&mut self, color: [u8; 4]) {
        for pixel in self.bytes.chunks_exact_mut(4) {
            pixel.copy_from_slice(&color);
        }
    }

    /// Paints a field over the whole picture: `range.start` gets the map's first colour,
    /// `range.end` its last, NaN magenta.
    pub fn paint_field<T: Real>(&mut self, field: &Field<T, 2>, map: &ColorMap, range: Range<T>) {
        let region = field.region();
        let cells = [region.len(0), region.len(1)];
        let scale = table_scale(range.start, range.end);
        self.paint_rows(cells, |j| {
            let values = region.row(j).of(field.as_slice());
            move |i| map.at(values[i], range.start, scale)
        });
    }

    /// Paints three fields as red, green and blue over the whole picture. A channel is full where
    /// its value times `exposure` reaches 1; a cell where any of the three is NaN is magenta.
    ///
    /// ```
    /// use fluid_adapters::Picture;
    /// use fluid_num::{Field, Grid2};
    /// let grid = Grid2::new([1, 1], 1.0_f64)?;
    /// let [r, g, b] = [0.5, 0.1, 9.0].map(|dye| Field::from_fn(grid, |_| dye));
    /// let mut picture = Picture::of_grid(&grid, 1)?;
    /// picture.paint_rgb([&r, &g, &b], 2.0)?;
    /// assert_eq!(picture.bytes(), [255, 51, 255, 255]);
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for fields of different grids.
    pub fn paint_rgb<T: Real>(
        &mut self,
        dyes: [&Field<T, 2>; 3],
        exposure: T,
    ) -> Result<(), Error> {
        let region = dyes[0].region();
        if dyes.iter().any(|d| d.grid() != dyes[0].grid() || d.region() != region) {
            return Err(Error::GridMismatch { name: "a dye" });
        }
        let scale = exposure * T::of(255.0);
        self.paint_rows([region.len(0), region.len(1)], |j| {
            let row = region.row(j);
            let [r, g, b] = dyes.map(|d| row.of(d.as_slice()));
            move |i| {
                if is_nan(r[i]) || is_nan(g[i]) || is_nan(b[i]) {
                    return NAN_COLOR;
                }
                [byte(r[i] * scale), byte(g[i] * scale), byte(b[i] * scale), 255]
            }
        });
        Ok(())
    }

    /// Paints a disc of `radius` pixels (0: one pixel) at every position over what is there.
    ///
    /// `window` is the part of the world that the picture shows, from its lower left to its upper
    /// right corner. Discs at the rim are cut; positions far outside and NaN leave no trace.
    ///
    /// ```
    /// use fluid_adapters::Picture;
    /// let mut picture = Picture::new(4, 4)?;
    /// picture.paint_points([0.0, 0.0]..[1.0, 1.0], [[0.9_f32, 0.9]], 0, [1, 2, 3, 255]);
    /// assert_eq!(picture.pixel(3, 0), Some([1, 2, 3, 255])); // upper right
    /// # Ok::<(), fluid_num::Error>(())
    /// ```
    pub fn paint_points<T: Real>(
        &mut self,
        window: Range<[T; 2]>,
        positions: impl IntoIterator<Item = [T; 2]>,
        radius: u16,
        color: [u8; 4],
    ) {
        let size = [self.width, self.height].map(T::of_usize);
        let scale: [T; 2] = core::array::from_fn(|a| size[a] / (window.end[a] - window.start[a]));
        let reach = T::of(f64::from(radius));
        for position in positions {
            let x = (position[0] - window.start[0]) * scale[0];
            let y = size[1] - (position[1] - window.start[1]) * scale[1];
            // The comparisons are false for NaN.
            if x >= -reach && x < size[0] + reach && y >= -reach && y < size[1] + reach {
                self.disc([floor(x), floor(y)], i32::from(radius), color);
            }
        }
    }

    /// Paints the pixels within `radius` of `center`.
    fn disc(&mut self, center: [i32; 2], radius: i32, color: [u8; 4]) {
        // MAX_EDGE keeps all of these far inside i32.
        let (width, height) = (self.width as i32, self.height as i32);
        let (top, bottom) = ((center[1] - radius).max(0), (center[1] + radius).min(height - 1));
        for y in top..=bottom {
            let dy = i64::from(y - center[1]);
            let half = (i64::from(radius).pow(2) - dy.pow(2)).isqrt() as i32;
            let (left, right) = ((center[0] - half).max(0), (center[0] + half + 1).min(width));
            if left < right {
                let row = self.row_mut(y as usize);
                for pixel in row[left as usize * 4..right as usize * 4].chunks_exact_mut(4) {
                    pixel.copy_from_slice(&color);
                }
            }
        }
    }

    /// Paints every pixel from the cell that its centre lies in. `row(j)` gives the colours of the
    /// cells of row `j`.
    fn paint_rows<F: Fn(usize) -> [u8; 4]>(&mut self, cells: [usize; 2], row: impl Fn(usize) -> F) {
        let (width, height) = (self.width, self.height);
        // The x of pixels' centres in cells, with 32 bits behind the point, rounded up: 2¹⁵ roundings
        // of 2⁻³² stay below the 2⁻¹⁶ cells that a centre under a cell's rim is away from it.
        let step = ((cells[0] as u64) << 32).div_ceil(width as u64);
        let mut above = None;
        for y in 0..height {
            let j = (2 * (height - 1 - y) + 1) * cells[1] / (2 * height);
            if above == Some(j) {
                let start = y * width * 4;
                self.bytes.copy_within(start - width * 4..start, start);
                continue;
            }
            above = Some(j);
            let colors = row(j);
            let mut x = step.div_ceil(2);
            for pixel in self.row_mut(y).chunks_exact_mut(4) {
                pixel.copy_from_slice(&colors((x >> 32) as usize));
                x += step;
            }
        }
    }

    fn row_mut(&mut self, y: usize) -> &mut [u8] {
        let len = self.width * 4;
        &mut self.bytes[y * len..][..len]
    }
}

/// The largest whole number that is not above `x`.
fn floor<T: Real>(x: T) -> i32 {
    let whole = x.truncate();
    whole - i32::from(T::of_index(whole) > x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_num::{Faces, Grid2};

    const WHITE: [u8; 4] = [255; 4];

    /// Red is the table's index, so that pixels tell the value.
    fn index_map() -> ColorMap {
        ColorMap::from_fn(|i| [i as u8, 0, 0, 255])
    }

    /// The red channel, row by row from the top.
    fn reds(picture: &Picture) -> Vec<Vec<u8>> {
        picture
            .bytes()
            .chunks(picture.width() * 4)
            .map(|row| row.iter().step_by(4).copied().collect())
            .collect()
    }

    /// `#` where a pixel is white, row by row from the top.
    fn art(picture: &Picture) -> Vec<alloc::string::String> {
        let mark = |red: &u8| if *red == 255 { '#' } else { '.' };
        reds(picture).iter().map(|row| row.iter().map(mark).collect()).collect()
    }

    /// Cell (i, j) holds 10·j + i.
    fn numbered(cells: [usize; 2]) -> Field<f64, 2> {
        let grid = Grid2::new(cells, 1.0).unwrap();
        Field::from_fn(grid, |[x, y]| (x - 0.5) + 10.0 * (y - 0.5))
    }

    #[test]
    fn the_top_row_shows_the_largest_y_and_x_runs_to_the_right() {
        let mut picture = Picture::new(3, 2).unwrap();
        picture.paint_field(&numbered([3, 2]), &index_map(), 0.0..255.0);
        assert_eq!(reds(&picture), [[10, 11, 12], [0, 1, 2]]);
    }

    #[test]
    fn whole_multiples_show_cells_as_squares() {
        let field = numbered([2, 2]);
        let mut picture = Picture::of_grid(field.grid(), 2).unwrap();
        picture.paint_field(&field, &index_map(), 0.0..255.0);
        assert_eq!(
            reds(&picture),
            [[10, 10, 11, 11], [10, 10, 11, 11], [0, 0, 1, 1], [0, 0, 1, 1]]
        );
    }

    #[test]
    fn other_sizes_show_the_cell_under_each_pixel_centre() {
        // Centres of 3 pixels over 4 cells lie at 2/3, 2 (a rim: the upper cell) and 10/3; those of
        // 2 over 5 at 5/4 and 15/4.
        let mut picture = Picture::new(3, 2).unwrap();
        picture.paint_field(&numbered([4, 5]), &index_map(), 0.0..255.0);
        assert_eq!(reds(&picture), [[30, 32, 33], [10, 12, 13]]);
    }

    #[test]
    fn every_width_agrees_with_exact_fractions() {
        for cells in [1, 3, 7, 250] {
            let field = Field::from_fn(Grid2::new([cells, 1], 1.0_f64).unwrap(), |[x, _]| x - 0.5);
            for width in [1, 2, 3, 7, 11, 100, 256, 999, 1000, 32768] {
                let mut picture = Picture::new(width, 1).unwrap();
                picture.paint_field(&field, &index_map(), 0.0..255.0);
                for (x, red) in reds(&picture)[0].iter().enumerate() {
                    assert_eq!(usize::from(*red), (2 * x + 1) * cells / (2 * width));
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_range_get_the_ends_of_the_map_and_nan_is_magenta() {
        let mut field = numbered([5, 1]);
        for (i, v) in [-1.0, 0.0, 1.0, 2.0, f64::NAN].into_iter().enumerate() {
            field[[i, 0]] = v;
        }
        let map = ColorMap::viridis();
        let mut picture = Picture::new(5, 1).unwrap();
        picture.paint_field(&field, &map, 0.0..1.0);
        let (lo, hi) = (map.color(0), map.color(255));
        assert_eq!(picture.bytes(), [lo, lo, hi, hi, NAN_COLOR].concat());
    }

    #[test]
    fn one_cell_and_one_pixel_are_enough() {
        let mut picture = Picture::new(1, 1).unwrap();
        picture.paint_field(&numbered([1, 1]), &index_map(), 0.0..255.0);
        assert_eq!(picture.bytes(), [0, 0, 0, 255]);
        picture.paint_field(&numbered([9, 9]), &index_map(), 0.0..255.0);
        assert_eq!(picture.pixel(0, 0), Some([44, 0, 0, 255]));
        assert_eq!(picture.pixel(1, 0), None);
        assert_eq!(picture.pixel(0, 1), None);
    }

    #[test]
    fn pictures_without_pixels_or_with_too_many_are_refused() {
        for (width, height, wrong) in [(0, 4, 0.0), (4, 0, 0.0), (32769, 1, 32769.0)] {
            let error = Picture::new(width, height).unwrap_err();
            assert!(matches!(error, Error::InvalidParameter { value, .. } if value == wrong));
        }
        let grid = Grid2::new([2, 2], 1.0_f32).unwrap();
        assert!(Picture::of_grid(&grid, 0).is_err());
        assert!(Picture::of_grid(&grid, usize::MAX).is_err());
    }

    #[test]
    fn all_faces_of_a_component_are_shown() {
        let mut u = Faces::zeros(Grid2::new([2, 3], 1.0_f32).unwrap());
        u[0][[2, 0]] = 255.0;
        let mut picture = Picture::new(3, 3).unwrap();
        picture.paint_field(&u[0], &index_map(), 0.0..255.0);
        assert_eq!(art(&picture), ["...", "...", "..#"]);
    }

    #[test]
    fn dyes_are_channels_and_one_nan_makes_a_cell_magenta() {
        let [mut r, g, b] = [1.0, 2.0, 4.0].map(|scale| {
            let mut field = numbered([2, 1]);
            field.set_from_fn(|[x, _]| x.floor() * scale);
            field
        });
        let mut picture = Picture::new(2, 1).unwrap();
        picture.paint_rgb([&r, &g, &b], 0.2).unwrap();
        assert_eq!(picture.bytes(), [0, 0, 0, 255, 51, 102, 204, 255]);
        r[[0, 0]] = f64::NAN;
        picture.paint_rgb([&g, &b, &r], 0.2).unwrap();
        assert_eq!(picture.bytes(), [255, 0, 255, 255, 102, 204, 51, 255]);
        let other = numbered([1, 2]);
        let mismatch = picture.paint_rgb([&r, &g, &other], 1.0);
        assert!(matches!(mismatch, Err(Error::GridMismatch { .. })));
    }

    #[test]
    fn points_are_discs_with_y_upwards() {
        let mut picture = Picture::new(7, 5).unwrap();
        picture.paint_points([0.0, 0.0]..[7.0, 5.0], [[2.5_f64, 3.5], [6.5, 0.5]], 1, WHITE);
        assert_eq!(art(&picture), ["..#....", ".###...", "..#....", "......#", ".....##"]);
    }

    #[test]
    fn the_window_places_points_and_those_outside_leave_no_trace() {
        let mut picture = Picture::new(4, 2).unwrap();
        let far = [1e30, 0.5];
        let points = [[-0.9_f32, 10.6], [f32::NAN, 10.5], far, [1.1, 10.5], [0.9, 9.9]];
        picture.paint_points([-1.0, 10.0]..[1.0, 11.0], points, 0, WHITE);
        assert_eq!(art(&picture), ["#...", "...."]);
    }

    #[test]
    fn discs_are_cut_at_the_rim_and_may_cover_the_whole_picture() {
        let mut picture = Picture::new(4, 3).unwrap();
        picture.paint_points([0.0, 0.0]..[4.0, 3.0], [[-1.5_f64, 1.5]], 2, WHITE);
        assert_eq!(art(&picture), ["....", "#...", "...."]);
        picture.paint_points([0.0, 0.0]..[4.0, 3.0], [[2.0_f64, 1.5]], u16::MAX, WHITE);
        assert_eq!(art(&picture), ["####"; 3]);
    }

    #[test]
    fn filling_reaches_every_pixel() {
        let mut picture = Picture::new(3, 2).unwrap();
        picture.fill(WHITE);
        assert_eq!(art(&picture), ["###"; 2]);
    }
}
