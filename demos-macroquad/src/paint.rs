//! Fields of a fluid as pictures: what all scenes show beside their dye.

use fluid_adapters::{ColorMap, Picture};
use fluid_num::grid::ops;
use fluid_num::{Error, Faces, Field, Grid2};

/// The colour maps and the memory for derived fields.
#[derive(Debug)]
pub struct Painter {
    field: Field<f32, 2>,
    sequential: ColorMap,
    signed: ColorMap,
}

impl Painter {
    /// A painter of fields on `grid`.
    pub fn new(grid: Grid2<f32>) -> Self {
        Self {
            field: Field::zeros(grid),
            sequential: ColorMap::inferno(),
            signed: ColorMap::red_blue().reversed(),
        }
    }

    /// |u| at centres, from 0 to its maximum.
    pub fn speed(&mut self, u: &Faces<f32, 2>, picture: &mut Picture) {
        self.fill(|cell| {
            let [x, y] = u.at_center(cell);
            (x * x + y * y).sqrt()
        });
        let most = self.field.max_abs().max(f32::MIN_POSITIVE);
        picture.paint_field(&self.field, &self.sequential, 0.0..most);
    }

    /// ω = ∂v/∂x − ∂u/∂y: red anticlockwise, blue clockwise.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a velocity on another grid.
    pub fn vorticity(&mut self, u: &Faces<f32, 2>, picture: &mut Picture) -> Result<(), Error> {
        ops::curl(u, 0, &mut self.field)?;
        self.signed(3.0, picture);
        Ok(())
    }

    /// ∇·u: red where it swells, blue where it shrinks.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a velocity on another grid.
    pub fn divergence(&mut self, u: &Faces<f32, 2>, picture: &mut Picture) -> Result<(), Error> {
        ops::divergence(u, &mut self.field)?;
        self.signed(4.0, picture);
        Ok(())
    }

    /// A field of either sign: red above 0, blue below.
    ///
    /// # Errors
    /// [`Error::GridMismatch`] for a field on another grid.
    pub fn signed_field(&mut self, q: &Field<f32, 2>, picture: &mut Picture) -> Result<(), Error> {
        self.field.copy_from(q)?;
        self.signed(3.0, picture);
        Ok(())
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

    /// Shows the scratch field from −`spread` to `spread` times its root mean square.
    fn signed(&mut self, spread: f64, picture: &mut Picture) {
        let squares: f64 = self.field.values().map(|v| f64::from(v).powi(2)).sum();
        let mean = squares / self.field.grid().cell_count() as f64;
        let most = ((mean.sqrt() * spread) as f32).max(f32::MIN_POSITIVE);
        picture.paint_field(&self.field, &self.signed, -most..most);
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
                for (p, c) in pixel.iter_mut().zip(color) {
                    *p = (f32::from(*p) + (f32::from(c) - f32::from(*p)) * a + 0.5) as u8;
                }
            }
        }
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
}
