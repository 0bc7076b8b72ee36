//! Fields of a fluid as pictures: what all scenes show beside their dye.

use core::ops::Range;

use fluid_adapters::{ColorMap, Picture};
use fluid_num::grid::ops;
use fluid_num::{Error, Faces, Field, Grid2};

/// Looks at a flow and shows what it saw: two steps, so that several flows can share one scale.
#[derive(Debug)]
pub struct Painter {
    field: Field<f32, 2>,
    signed: bool,
}

impl Painter {
    /// A painter of fields on `grid`.
    pub fn new(grid: Grid2<f32>) -> Self {
        Self { field: Field::zeros(grid), signed: true }
    }

    /// Looks at a view of a flow: |u| at centres for `speed`, ω = ∂v/∂x − ∂u/∂y for `vorticity`,
    /// ∇·u for `divergence`, or the `pressure`. Whether there is such a view.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a flow on another grid.
    pub fn look(
        &mut self,
        view: &str,
        u: &Faces<f32, 2>,
        pressure: &Field<f32, 2>,
    ) -> Result<bool, Error> {
        match view {
            "speed" => self.fill(|cell| {
                let [x, y] = u.at_center(cell);
                (x * x + y * y).sqrt()
            }),
            "vorticity" => ops::curl(u, 0, &mut self.field)?,
            "divergence" => ops::divergence(u, &mut self.field)?,
            "pressure" => self.field.copy_from(pressure)?,
            _ => return Ok(false),
        }
        self.signed = view != "speed";
        Ok(true)
    }

    /// Looks at a field of either sign.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a field on another grid.
    pub fn look_at(&mut self, q: &Field<f32, 2>) -> Result<(), Error> {
        self.signed = true;
        self.field.copy_from(q)
    }

    /// Looks at a field of amounts, none of which is negative.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a field on another grid.
    pub fn look_at_amount(&mut self, q: &Field<f32, 2>) -> Result<(), Error> {
        self.signed = false;
        self.field.copy_from(q)
    }

    /// The scale that suits what was seen: its maximum, or three times its root mean square where
    /// it has either sign.
    pub fn scale(&self) -> f32 {
        if !self.signed {
            return self.field.max_abs();
        }
        let squares: f64 = self.field.values().map(|v| f64::from(v).powi(2)).sum();
        let mean = squares / self.field.grid().cell_count() as f64;
        (mean.sqrt() * 3.0) as f32
    }

    /// Shows what was seen from 0 to `scale`, or from −`scale` in blue to `scale` in red.
    pub fn show(&self, scale: f32, picture: &mut Picture) {
        let most = scale.max(f32::MIN_POSITIVE);
        if self.signed {
            picture.paint_field(&self.field, &ColorMap::red_blue().reversed(), -most..most);
        } else {
            picture.paint_field(&self.field, &ColorMap::inferno(), 0.0..most);
        }
    }

    /// Computes each cell of the scratch field.
    fn fill(&mut self, value: impl Fn([usize; 2]) -> f32) {
        let [nx, ny] = self.field.grid().cells();
        for j in 0..ny {
            for i in 0..nx {
                self.field[[i, j]] = value([i, j]);
            }
        }
    }
}

/// Gives every pixel the colour of the cell under its centre: `color(i, j)`, j upwards.
pub fn paint_cells(
    picture: &mut Picture,
    cells: [usize; 2],
    color: impl Fn(usize, usize) -> [u8; 3],
) {
    let (width, height) = (picture.width(), picture.height());
    for (y, row) in picture.bytes_mut().chunks_exact_mut(width * 4).enumerate() {
        let j = (2 * (height - 1 - y) + 1) * cells[1] / (2 * height);
        for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
            let i = (2 * x + 1) * cells[0] / (2 * width);
            let [r, g, b] = color(i, j);
            pixel.copy_from_slice(&[r, g, b, 255]);
        }
    }
}

/// Lays `color` over every pixel with the opacity, 0 to 1, of the cell under it.
pub fn lay_over(
    picture: &mut Picture,
    cells: [usize; 2],
    color: [u8; 3],
    opacity: impl Fn(usize, usize) -> f32,
) {
    let (width, height) = (picture.width(), picture.height());
    for (y, row) in picture.bytes_mut().chunks_exact_mut(width * 4).enumerate() {
        let j = (2 * (height - 1 - y) + 1) * cells[1] / (2 * height);
        for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
            let a = opacity((2 * x + 1) * cells[0] / (2 * width), j);
            if a > 0.0 {
                blend(pixel, color, a);
            }
        }
    }
}

/// Stretches `tile` over part `at` (column and row, row 0 on top) of a picture that is cut into
/// `parts` columns and rows.
pub fn lay_tile(picture: &mut Picture, parts: [usize; 2], at: [usize; 2], tile: &Picture) {
    let size = [picture.width(), picture.height()];
    let tile_size = [tile.width(), tile.height()];
    let [columns, rows] = [0, 1].map(|a| part(size[a], parts[a], at[a]));
    // The pixel of the tile that pixel n of the picture shows.
    let source = |a: usize, n: usize| n * parts[a] * tile_size[a] / size[a] - at[a] * tile_size[a];
    for y in rows {
        let from = &tile.bytes()[source(1, y) * tile_size[0] * 4..];
        for x in columns.clone() {
            let to = (y * size[0] + x) * 4;
            let pixel = &from[source(0, x) * 4..][..4];
            picture.bytes_mut()[to..to + 4].copy_from_slice(pixel);
        }
    }
}

/// The pixels of part number `at` of `length` that is cut into `parts`.
pub fn part(length: usize, parts: usize, at: usize) -> Range<usize> {
    (at * length).div_ceil(parts)..((at + 1) * length).div_ceil(parts)
}

/// Lays `color` over the pixels of these columns and rows with this opacity, 0 to 1.
pub fn shade(
    picture: &mut Picture,
    [columns, rows]: [Range<usize>; 2],
    color: [u8; 3],
    opacity: f32,
) {
    let (width, height) = (picture.width(), picture.height());
    let columns = columns.start.min(width)..columns.end.min(width);
    for y in rows.start.min(height)..rows.end.min(height) {
        for x in columns.clone() {
            blend(&mut picture.bytes_mut()[(y * width + x) * 4..][..4], color, opacity);
        }
    }
}

/// Moves a pixel towards `color`.
pub(crate) fn blend(pixel: &mut [u8], color: [u8; 3], opacity: f32) {
    for (p, c) in pixel.iter_mut().zip(color) {
        *p = (f32::from(*p) + (f32::from(c) - f32::from(*p)) * opacity + 0.5) as u8;
    }
}

/// How bright an amount of light is shown: √(x / (1 + x)), which never reaches full white.
#[inline]
pub fn glow(amount: f32) -> f32 {
    let x = amount.max(0.0);
    (x / (1.0 + x)).sqrt()
}

/// The amount that [`glow`] shows as `brightness`, up to 0.98.
pub fn amount_of(brightness: f64) -> f64 {
    let square = brightness.clamp(0.0, 0.98).powi(2);
    square / (1.0 - square)
}

/// A brightness, 0 to 1, as a byte.
#[inline]
pub fn byte(brightness: f32) -> u8 {
    (brightness * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glow_and_its_inverse_agree_and_never_reach_white() {
        for brightness in [0.0, 0.1, 0.5, 0.98] {
            let shown = glow(amount_of(brightness) as f32);
            // f32 rounding, twice.
            assert!((f64::from(shown) - brightness).abs() < 1e-6);
        }
        assert!(glow(1e4) < 1.0);
        assert_eq!(glow(-1.0), 0.0);
    }

    #[test]
    fn cells_are_painted_with_y_upwards_and_solids_over_them() {
        let mut picture = Picture::new(4, 2).unwrap();
        paint_cells(&mut picture, [2, 2], |i, j| [i as u8 * 100, j as u8 * 100, 0]);
        assert_eq!(picture.pixel(0, 0), Some([0, 100, 0, 255]));
        assert_eq!(picture.pixel(2, 1), Some([100, 0, 0, 255]));
        lay_over(&mut picture, [2, 2], [200; 3], |i, _| i as f32 * 0.5);
        assert_eq!(picture.pixel(0, 0), Some([0, 100, 0, 255]));
        assert_eq!(picture.pixel(3, 1), Some([150, 100, 100, 255]));
    }

    #[test]
    fn tiles_fill_a_picture_of_any_size_and_keep_to_their_part() {
        let parts = [3, 2];
        for (width, height) in [(6, 4), (7, 5), (1, 1), (2, 9), (100, 31)] {
            let mut picture = Picture::new(width, height).unwrap();
            for (n, at) in [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]].into_iter().enumerate()
            {
                let mut tile = Picture::new(4, 2).unwrap();
                tile.fill([n as u8 + 1; 4]);
                lay_tile(&mut picture, parts, at, &tile);
            }
            for (n, pixel) in picture.bytes().chunks_exact(4).enumerate() {
                let (column, row) = (n % width * 3 / width, n / width * 2 / height);
                assert_eq!(pixel, [(row * 3 + column) as u8 + 1; 4]);
            }
        }
    }

    #[test]
    fn flows_that_share_a_scale_can_be_compared() {
        let grid = Grid2::new([8, 8], 1.0).unwrap();
        let pressure = Field::zeros(grid);
        let mut painters = [1.0, 2.0].map(|strength| {
            let mut u = Faces::zeros(grid);
            u[0].set_from_fn(|_| strength);
            let mut painter = Painter::new(grid);
            assert_eq!(painter.look("speed", &u, &pressure), Ok(true));
            assert_eq!(painter.look("taste", &u, &pressure), Ok(false));
            painter
        });
        assert_eq!(painters.each_ref().map(Painter::scale), [1.0, 2.0]);
        let mut picture = Picture::of_grid(&grid, 1).unwrap();
        let shown = painters.each_mut().map(|p| {
            p.show(2.0, &mut picture);
            picture.pixel(3, 3).unwrap()
        });
        let map = ColorMap::inferno();
        assert_eq!(shown, [map.color(128), map.color(255)]);
    }
}
