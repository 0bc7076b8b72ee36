//! Words on a picture, without a window.

use egui_macroquad::egui::FontDefinitions;
use fluid_adapters::Picture;
use fontdue::{Font, FontSettings};

use crate::paint::blend;

/// The typeface: the panel's own for figures, all letters of one width.
const TYPEFACE: &str = "Hack";

/// Writes words into pictures.
#[derive(Debug)]
pub struct Lettering {
    /// `None` writes nothing: a scene is worth watching without words too.
    font: Option<Font>,
}

impl Lettering {
    /// Reads the typeface.
    pub fn new() -> Self {
        let fonts = FontDefinitions::default();
        let read = |bytes: &[u8]| Font::from_bytes(bytes, FontSettings::default()).ok();
        Self { font: fonts.font_data.get(TYPEFACE).and_then(|data| read(&data.font)) }
    }

    /// Writes `words` from the left end (x, y) of their base line, `size` pixels high from line to
    /// line; what lies outside the picture is cut off.
    pub fn write(
        &self,
        picture: &mut Picture,
        [x, y]: [usize; 2],
        size: f32,
        color: [u8; 3],
        words: &str,
    ) {
        let Some(font) = &self.font else {
            return;
        };
        let (width, height) = (picture.width() as i64, picture.height() as i64);
        let mut pen = x as f32;
        for letter in words.chars() {
            let (place, cover) = font.rasterize(letter, size);
            let left = (pen + 0.5) as i64 + i64::from(place.xmin);
            let top = y as i64 - i64::from(place.ymin) - place.height as i64;
            for (n, cover) in cover.iter().enumerate() {
                let (x, y) = (left + (n % place.width) as i64, top + (n / place.width) as i64);
                if (0..width).contains(&x) && (0..height).contains(&y) {
                    let pixel = &mut picture.bytes_mut()[(y * width + x) as usize * 4..][..4];
                    blend(pixel, color, f32::from(*cover) / 255.0);
                }
            }
            pen += place.advance_width;
        }
    }

    /// How wide `words` would be, pixels.
    pub fn width(&self, size: f32, words: &str) -> f32 {
        let advance =
            |font: &Font| words.chars().map(|c| font.metrics(c, size).advance_width).sum();
        self.font.as_ref().map_or(0.0, advance)
    }
}

impl Default for Lettering {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_on_their_line_and_are_cut_off_at_the_rim() {
        let lettering = Lettering::new();
        let mut picture = Picture::new(40, 20).unwrap();
        picture.fill([0, 0, 0, 255]);
        lettering.write(&mut picture, [2, 14], 12.0, [255; 3], "HEX");
        let lit = |picture: &Picture, x: usize, y: usize| picture.pixel(x, y).unwrap()[0] > 100;
        let rows: Vec<_> = (0..20).filter(|y| (0..40).any(|x| lit(&picture, x, *y))).collect();
        // Capitals of this face are 0.7 of the size, to a pixel.
        assert!((8..=10).contains(&rows.len()), "{rows:?}");
        assert_eq!(rows.last(), Some(&13));
        let right = (0..40).rev().find(|x| (0..20).any(|y| lit(&picture, *x, y))).unwrap();
        let width = lettering.width(12.0, "HEX");
        assert!((right as f32 - 2.0 - width).abs() < 3.0, "{right} {width}");
        for place in [[30, 14], [2, 1], [400, 300]] {
            lettering.write(&mut picture, place, 12.0, [255; 3], "Far out");
        }
    }
}
