//! Values to colours: the maps of d3-scale-chromatic (crate `colorous`) as tables.

use fluid_num::Real;

/// The colour of NaN: magenta, which no map contains.
pub const NAN_COLOR: [u8; 4] = [255, 0, 255, 255];

/// A colour map: 256 opaque RGBA colours from low to high values.
///
/// ```
/// use fluid_adapters::ColorMap;
/// let map = ColorMap::greys().reversed(); // black to white
/// let mut row = [0; 4 * 4];
/// map.paint_row(&[-1.0, 0.0, 2.0, f32::NAN], 0.0, 1.0, &mut row);
/// assert_eq!(row[0..4], map.color(0)); // below the range: the first colour
/// assert_eq!(row[4..8], map.color(0));
/// assert_eq!(row[8..12], map.color(255)); // above: the last
/// assert_eq!(row[12..16], [255, 0, 255, 255]); // NaN: magenta
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColorMap {
    table: [[u8; 4]; 256],
}

impl ColorMap {
    /// Dark violet, green, yellow: evenly perceived, also by the colour-blind.
    pub fn viridis() -> Self {
        Self::of_gradient(colorous::VIRIDIS)
    }

    /// Black, violet, orange, pale yellow: evenly perceived; smoke and heat.
    pub fn inferno() -> Self {
        Self::of_gradient(colorous::INFERNO)
    }

    /// Black, violet, pink, white: evenly perceived.
    pub fn magma() -> Self {
        Self::of_gradient(colorous::MAGMA)
    }

    /// A rainbow with even brightness steps: shows the most detail.
    pub fn turbo() -> Self {
        Self::of_gradient(colorous::TURBO)
    }

    /// White to dark blue: depth of water.
    pub fn blues() -> Self {
        Self::of_gradient(colorous::BLUES)
    }

    /// White to black.
    pub fn greys() -> Self {
        Self::of_gradient(colorous::GREYS)
    }

    /// Red, white, blue: signed quantities, with a range that is symmetric about 0.
    pub fn red_blue() -> Self {
        Self::of_gradient(colorous::RED_BLUE)
    }

    fn of_gradient(gradient: colorous::Gradient) -> Self {
        Self::from_fn(|i| {
            let c = gradient.eval_rational(i, 256);
            [c.r, c.g, c.b, 255]
        })
    }

    /// A map of your own: `f(0)` is the colour of low and `f(255)` that of high values.
    pub fn from_fn(f: impl FnMut(usize) -> [u8; 4]) -> Self {
        Self { table: core::array::from_fn(f) }
    }

    /// The same map from the other end.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.table.reverse();
        self
    }

    /// A colour of the table: 0 for low values, 255 for high ones.
    #[inline(always)]
    pub fn color(&self, index: u8) -> [u8; 4] {
        self.table[usize::from(index)]
    }

    /// The colours of `values` into `out`, four bytes each (the shorter of the two counts).
    ///
    /// Values from `lo` to `hi` spread over the table, values beyond take its ends, NaN is
    /// [`NAN_COLOR`]. With `hi = lo` everything above is the last colour and the rest the first.
    pub fn paint_row<T: Real>(&self, values: &[T], lo: T, hi: T, out: &mut [u8]) {
        let scale = table_scale(lo, hi);
        for (value, pixel) in values.iter().zip(out.chunks_exact_mut(4)) {
            pixel.copy_from_slice(&self.at(*value, lo, scale));
        }
    }

    /// The colour of one value, with `scale` from [`table_scale`].
    #[inline(always)]
    pub(crate) fn at<T: Real>(&self, value: T, lo: T, scale: T) -> [u8; 4] {
        if is_nan(value) {
            return NAN_COLOR;
        }
        self.color(byte((value - lo) * scale))
    }
}

/// What takes a distance from `lo` to an index of the table.
#[inline]
pub(crate) fn table_scale<T: Real>(lo: T, hi: T) -> T {
    T::of(255.0) / (hi - lo)
}

/// The nearest byte; 0 for NaN.
#[inline(always)]
pub(crate) fn byte<T: Real>(x: T) -> u8 {
    // Clamped before the half is added, which keeps the truncation far from its ends.
    let x = x.at_least(T::zero()).at_most(T::of(255.0));
    (x + T::of(0.5)).truncate() as u8
}

#[inline(always)]
pub(crate) fn is_nan<T: Real>(x: T) -> bool {
    x.partial_cmp(&x).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maps_have_the_published_ends() {
        // The first and last entries of the tables that matplotlib and d3 publish.
        let ends = |m: ColorMap| (m.color(0), m.color(255));
        assert_eq!(ends(ColorMap::viridis()), ([68, 1, 84, 255], [253, 231, 37, 255]));
        assert_eq!(ends(ColorMap::inferno()), ([0, 0, 4, 255], [252, 255, 164, 255]));
        assert_eq!(ends(ColorMap::magma()), ([0, 0, 4, 255], [252, 253, 191, 255]));
        // `colorous` truncates the spline that ends in [5, 48, 97].
        assert_eq!(ends(ColorMap::red_blue()), ([103, 0, 31, 255], [4, 47, 96, 255]));
        assert_eq!(ends(ColorMap::greys()), ([255, 255, 255, 255], [0, 0, 0, 255]));
    }

    #[test]
    fn no_map_contains_the_colour_of_nan() {
        for map in [
            ColorMap::viridis(),
            ColorMap::inferno(),
            ColorMap::magma(),
            ColorMap::turbo(),
            ColorMap::blues(),
            ColorMap::greys(),
            ColorMap::red_blue(),
        ] {
            assert!((0..=255).all(|i| map.color(i) != NAN_COLOR));
        }
    }

    #[test]
    fn values_take_the_nearest_entry_and_beyond_the_range_the_ends() {
        let map = ColorMap::from_fn(|i| [i as u8, 0, 0, 255]);
        let values = [f64::NEG_INFINITY, -2.0, -1.0, 0.0, 1.0, 1e300, f64::INFINITY];
        let mut out = [0; 28];
        map.paint_row(&values, -1.0, 1.0, &mut out);
        let red: [u8; 7] = core::array::from_fn(|i| out[4 * i]);
        assert_eq!(red, [0, 0, 0, 128, 255, 255, 255]);
    }

    #[test]
    fn a_range_of_no_width_splits_low_from_high() {
        let map = ColorMap::from_fn(|i| [i as u8, 0, 0, 255]);
        let mut out = [7; 12];
        map.paint_row(&[0.5_f32, 1.0, 1.5], 1.0, 1.0, &mut out);
        assert_eq!([out[0], out[4], out[8]], [0, 0, 255]);
    }

    #[test]
    fn a_shorter_row_of_pixels_ends_the_painting() {
        let mut out = [7; 6];
        ColorMap::viridis().paint_row(&[0.0_f32, 0.0], 0.0, 1.0, &mut out);
        assert_eq!(out, [68, 1, 84, 255, 7, 7]);
    }
}
