//! Pictures with 8-bit sRGB colours, and the sRGB transfer curve as a look-up table.

use std::sync::LazyLock;

use lavoxel_automaton::view::linear_to_srgb;

/// Picture with 8-bit sRGB colours, row-major from the top, three bytes per pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width of the picture in pixels.
    pub width: usize,
    /// Height of the picture in pixels.
    pub height: usize,
    /// Colours of all pixels: `3 · width · height` bytes (red, green, blue).
    pub rgb: Vec<u8>,
}

impl Image {
    /// Returns a picture of `width` × `height` pixels filled with the sRGB colour `color`.
    pub fn filled(width: usize, height: usize, color: [u8; 3]) -> Self {
        Self {
            width,
            height,
            rgb: color.repeat(width * height),
        }
    }

    /// Resizes the picture to (width, height) pixels; the colours of all pixels are undefined
    /// afterwards.
    pub(crate) fn resize(&mut self, (width, height): (usize, usize)) {
        (self.width, self.height) = (width, height);
        self.rgb.resize(3 * width * height, 0);
    }

    /// Returns the sRGB colour of the pixel in column `x` and row `y` (from the top).
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let i = 3 * (y * self.width + x);
        [self.rgb[i], self.rgb[i + 1], self.rgb[i + 2]]
    }

    /// Sets the pixel in column `x` and row `y` (from the top) to the sRGB colour `color`;
    /// positions outside of the picture are ignored.
    pub fn set_pixel(&mut self, x: usize, y: usize, color: [u8; 3]) {
        if x < self.width && y < self.height {
            let i = 3 * (y * self.width + x);
            self.rgb[i..i + 3].copy_from_slice(&color);
        }
    }

    /// Fills a rectangle with the sRGB colour `color`: `size` (width, height) pixels with the upper
    /// left corner at `corner` (x, y), clipped to the picture.
    pub fn fill(&mut self, corner: (usize, usize), size: (usize, usize), color: [u8; 3]) {
        for y in corner.1..corner.1 + size.1 {
            for x in corner.0..corner.0 + size.0 {
                self.set_pixel(x, y, color);
            }
        }
    }
}

impl From<Image> for image::RgbImage {
    fn from(picture: Image) -> Self {
        Self::from_raw(picture.width as u32, picture.height as u32, picture.rgb)
            .expect("the buffer holds three bytes per pixel")
    }
}

/// Number of intervals of the look-up table in `Srgb`.
const SHADES: usize = 4096;

/// Look-up table of the sRGB transfer curve, exact to less than 0.01 of an 8-bit step; faster than
/// the power function, which would take most of the time per pixel.
pub(crate) struct Srgb {
    shades: Vec<f32>,
}

/// Shared instance of the sRGB look-up table.
pub(crate) static SRGB: LazyLock<Srgb> = LazyLock::new(Srgb::new);

impl Srgb {
    fn new() -> Self {
        Self {
            shades: (0..=SHADES)
                .map(|i| linear_to_srgb(i as f32 / SHADES as f32))
                .collect(),
        }
    }

    /// Returns the sRGB value (0 to 1) of the linear value `c`, clamped to 0..1; NaN gives 0.
    #[inline(always)]
    #[allow(
        clippy::manual_clamp,
        reason = "what is not a number becomes 0, which clamp leaves as it is"
    )]
    pub(crate) fn encode(&self, c: f32) -> f32 {
        let place = c.max(0.0).min(1.0) * SHADES as f32;
        let i = (place as u32 as usize).min(SHADES - 1);
        self.shades[i] + (self.shades[i + 1] - self.shades[i]) * (place - i as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_curve() {
        let table = Srgb::new();
        for i in 0..=100_000 {
            let c = i as f32 * 1e-5;
            assert!(
                (table.encode(c) - linear_to_srgb(c)).abs() < 0.01 / 255.0,
                "at {c}"
            );
        }
        assert_eq!(
            [
                table.encode(-1.0),
                table.encode(f32::NAN),
                table.encode(7.0)
            ],
            [0.0, 0.0, table.encode(1.0)]
        );
    }
}
