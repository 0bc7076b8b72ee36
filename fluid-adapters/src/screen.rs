//! A picture in a macroquad window.

use fluid_num::Error;
use macroquad::prelude::{
    DrawTextureParams, FilterMode, Rect, Texture2D, WHITE, draw_texture_ex, vec2,
};

use crate::Picture;

/// One texture that shows a picture of fixed size.
///
/// The texture is made once, here; every frame only replaces its contents. (A texture made anew
/// each frame costs several times the upload, and macroquad keeps it until it collects garbage.)
///
/// ```no_run
/// use fluid_adapters::{Picture, Screen};
/// use macroquad::prelude::{next_frame, screen_height, screen_width, Rect};
///
/// async fn run() -> Result<(), fluid_num::Error> {
///     let mut picture = Picture::new(320, 240)?;
///     let screen = Screen::new(&picture);
///     loop {
///         picture.fill([20, 30, 40, 255]);
///         screen.update(&picture)?;
///         screen.draw(Rect::new(0.0, 0.0, screen_width(), screen_height()));
///         next_frame().await;
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Screen {
    texture: Texture2D,
    size: [u16; 2],
}

impl Screen {
    /// Makes the texture, with the picture in it; enlarged, it is smooth between pixels.
    ///
    /// # Panics
    /// Without a window, as everything that macroquad draws with.
    pub fn new(picture: &Picture) -> Self {
        let size = size_of(picture);
        let texture = Texture2D::from_rgba8(size[0], size[1], picture.bytes());
        texture.set_filter(FilterMode::Linear);
        Self { texture, size }
    }

    /// The same with pixels that stay sharp squares when enlarged.
    #[must_use]
    pub fn with_sharp_pixels(self) -> Self {
        self.texture.set_filter(FilterMode::Nearest);
        self
    }

    /// Replaces the texture's contents, straight from the picture's bytes.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a picture of another size.
    pub fn update(&self, picture: &Picture) -> Result<(), Error> {
        let size = size_of(picture);
        for (axis, name) in ["the picture's width", "the picture's height"].into_iter().enumerate()
        {
            if size[axis] != self.size[axis] {
                return Err(Error::InvalidParameter {
                    name,
                    value: f64::from(size[axis]),
                    expected: "that of the picture that the screen was made with",
                });
            }
        }
        let [width, height] = self.size.map(u32::from);
        self.texture.update_from_bytes(width, height, picture.bytes());
        Ok(())
    }

    /// Draws the picture as large as it fits into `area` without distortion, centred; returns the
    /// rectangle that it covers (for the mouse).
    pub fn draw(&self, area: Rect) -> Rect {
        let fitted = fit(self.size, area);
        let params =
            DrawTextureParams { dest_size: Some(vec2(fitted.w, fitted.h)), ..Default::default() };
        draw_texture_ex(&self.texture, fitted.x, fitted.y, WHITE, params);
        fitted
    }
}

/// Width and height; a picture's edges are far below the limit of `u16`.
fn size_of(picture: &Picture) -> [u16; 2] {
    [picture.width() as u16, picture.height() as u16]
}

/// The largest rectangle of a picture's proportions in the middle of `area`.
fn fit(size: [u16; 2], area: Rect) -> Rect {
    let [width, height] = size.map(f32::from);
    let scale = (area.w / width).min(area.h / height);
    let (w, h) = (width * scale, height * scale);
    Rect::new(area.x + (area.w - w) / 2.0, area.y + (area.h - h) / 2.0, w, h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_fits_its_area_without_distortion_in_the_middle() {
        let wide = fit([200, 100], Rect::new(10.0, 20.0, 400.0, 400.0));
        assert_eq!(wide, Rect::new(10.0, 120.0, 400.0, 200.0));
        let tall = fit([100, 200], Rect::new(0.0, 0.0, 400.0, 100.0));
        assert_eq!(tall, Rect::new(175.0, 0.0, 50.0, 100.0));
    }
}
