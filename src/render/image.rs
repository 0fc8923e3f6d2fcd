//! The finished picture, and the sRGB curve.

/// A picture of 8-bit sRGB pixels, rows from the top, three bytes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels from left to right.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
    /// `3 · width · height` bytes: red, green, blue.
    pub rgb: Vec<u8>,
}

impl Image {
    /// A picture filled with one colour.
    pub fn filled(width: usize, height: usize, color: [u8; 3]) -> Self {
        Self { width, height, rgb: color.repeat(width * height) }
    }

    /// The pixel at column `x`, row `y`.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let i = 3 * (y * self.width + x);
        [self.rgb[i], self.rgb[i + 1], self.rgb[i + 2]]
    }

    /// Sets a pixel; positions outside the picture are ignored, so that drawing may run over the edge.
    pub fn put(&mut self, x: usize, y: usize, color: [u8; 3]) {
        if x < self.width && y < self.height {
            let i = 3 * (y * self.width + x);
            self.rgb[i..i + 3].copy_from_slice(&color);
        }
    }

    /// Fills the rectangle of `size` (width, height) whose top left corner is `corner` (x, y).
    pub fn fill(&mut self, corner: (usize, usize), size: (usize, usize), color: [u8; 3]) {
        for y in corner.1..corner.1 + size.1 {
            for x in corner.0..corner.0 + size.0 {
                self.put(x, y, color);
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

/// sRGB value 0..1 of a linear one.
pub(crate) fn linear_to_srgb(c: f32) -> f32 {
    if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
}

/// Linear value 0..1 of an sRGB one.
pub(crate) fn srgb_to_linear(c: f32) -> f32 {
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}
