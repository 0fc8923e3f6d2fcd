//! Drape: an aerial photograph or map that is drawn on the ground of the simulation box.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::palette::srgb_to_linear;
use lavoxel_base::memory::Held;

/// Picture over the ground of the whole simulation box, first row in the north. Clones share their
/// pixels; two drapes are equal only if they share the same pixels.
#[derive(Clone)]
pub struct Drape(Arc<PixelBuffer>);

/// Pixels of a drape, and their memory as counted by the memory limit.
struct PixelBuffer {
    pixels: Pixels,
    _held: Held,
}

impl Drape {
    /// Creates a drape whose corners are those of the simulation box.
    pub fn new(pixels: Pixels) -> Self {
        let held = Held::bytes(pixels.rgba.len() as u64);
        Self(Arc::new(PixelBuffer {
            pixels,
            _held: held,
        }))
    }

    /// Numbers of columns and of rows of the picture's pixels.
    pub fn size(&self) -> [usize; 2] {
        self.0.pixels.size
    }

    /// Returns the mean colour (linear RGB, 0–1) of the picture in a window of size `span` around
    /// `place`, and the share (0–1) of the window that the picture covers. Both arguments are (x,
    /// z) in fractions of the simulation box, from its north-west corner.
    pub fn mean_color(&self, place: [f32; 2], span: [f32; 2]) -> ([f32; 3], f32) {
        let in_pixels =
            |shares: [f32; 2]| [0, 1].map(|axis| shares[axis] * self.size()[axis] as f32);
        self.0.pixels.mean(in_pixels(place), in_pixels(span))
    }
}

impl PartialEq for Drape {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Drape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Drape").field(&self.size()).finish()
    }
}

/// Picture as sRGB pixels with opacity, rows from top to bottom.
pub struct Pixels {
    /// Number of columns and number of rows of pixels.
    pub size: [usize; 2],
    /// Pixel bytes, row-major: red, green, blue, opacity (0–255).
    pub rgba: Vec<u8>,
}

/// Lookup table from an sRGB channel byte to the linear value (0–1).
static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| srgb_to_linear(byte as f32 / 255.0)));

impl Pixels {
    /// Returns the mean colour (linear RGB, 0–1) in a window of `span` pixels around the point `at`
    /// (pixels from the upper left corner), and the opaque share of the window, 0–1. `span` is at
    /// least one pixel, which gives linear interpolation between pixel centres.
    pub fn mean(&self, at: [f32; 2], span: [f32; 2]) -> ([f32; 3], f32) {
        let [across, down] = [0, 1].map(|axis| Reach::new(at[axis], span[axis], self.size[axis]));
        let (mut sum, mut opaque, mut all) = ([0.0; 3], 0.0, 0.0);
        for row in down.pixels.clone() {
            for column in across.pixels.clone() {
                let weight = down.part_of(row) * across.part_of(column);
                let texel = &self.rgba[4 * (row * self.size[0] + column)..][..4];
                let seen = weight * f32::from(texel[3]) / 255.0;
                (opaque, all) = (opaque + seen, all + weight);
                sum.iter_mut()
                    .zip(texel)
                    .for_each(|(sum, byte)| *sum += seen * LINEAR[usize::from(*byte)]);
            }
        }
        if opaque > 0.0 {
            (sum.map(|sum| sum / opaque), opaque / all)
        } else {
            ([0.0; 3], 0.0)
        }
    }
}

/// Interval along one axis over which pixels are averaged, in pixels.
struct Reach {
    low: f32,
    high: f32,
    pixels: Range<usize>,
}

impl Reach {
    fn new(at: f32, span: f32, count: usize) -> Self {
        let half = 0.5 * span.max(1.0);
        let (low, high) = ((at - half).max(0.0), (at + half).min(count as f32));
        Self {
            low,
            high,
            pixels: low as usize..(high.ceil() as usize).min(count),
        }
    }

    /// Returns the fraction (0–1) of the pixel with index `pixel` that lies within the interval.
    fn part_of(&self, pixel: usize) -> f32 {
        (self.high.min(pixel as f32 + 1.0) - self.low.max(pixel as f32)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_linear_between_pixels_and_leave_clear_ones_out() {
        let pixels = Pixels {
            size: [2, 1],
            rgba: vec![255, 0, 0, 255, 0, 0, 255, 255],
        };
        assert_eq!(pixels.mean([0.5, 0.5], [0.1, 0.1]), ([1.0, 0.0, 0.0], 1.0));
        assert_eq!(pixels.mean([1.0, 0.5], [0.1, 0.1]), ([0.5, 0.0, 0.5], 1.0));
        assert_eq!(pixels.mean([0.0, 0.0], [0.1, 0.1]), ([1.0, 0.0, 0.0], 1.0));
        assert_eq!(pixels.mean([1.0, 0.5], [2.0, 9.0]), ([0.5, 0.0, 0.5], 1.0));
        let half = Pixels {
            size: [2, 1],
            rgba: vec![255, 0, 0, 255, 0, 0, 255, 0],
        };
        assert_eq!(half.mean([1.0, 0.5], [2.0, 1.0]), ([1.0, 0.0, 0.0], 0.5));
        for nowhere in [[-2.0, 0.5], [7.0, 0.5]] {
            assert_eq!(pixels.mean(nowhere, [1.0, 1.0]).1, 0.0);
        }
        assert_eq!(half.mean([1.8, 0.5], [1.0, 1.0]).1, 0.0);
    }

    #[test]
    fn only_copies_are_equal() {
        let drape = || {
            Drape::new(Pixels {
                size: [1, 1],
                rgba: vec![9; 4],
            })
        };
        let one = drape();
        assert!(one == one.clone() && one != drape());
    }
}
