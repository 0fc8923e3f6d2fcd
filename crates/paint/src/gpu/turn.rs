//! Order in which an averaged picture is drawn: frame by frame, and each frame in bands of pixel
//! rows.

/// Next piece of an averaged picture to draw: one band of one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Index of the frame in the average, counted from 0.
    pub(super) frame: u32,
    /// Index of the band, counted from 0, and the number of bands per frame.
    pub(super) band: (u32, u32),
}

impl Turn {
    /// Returns the offset (x, y) of the frame's rays within a pixel, in pixels, and the offset of
    /// the rays' first samples as a fraction of the sampling distance. All are 0 in the first
    /// frame, then low-discrepancy points.
    pub(super) fn shift(self) -> [f32; 3] {
        if self.frame == 0 {
            return [0.0; 3];
        }
        [
            halton(self.frame, 2) - 0.5,
            halton(self.frame, 3) - 0.5,
            (self.frame as f32 * 0.618_034).fract(),
        ]
    }

    /// Returns the blend weight (0 to 1) of this frame with which the running average becomes the
    /// mean of all frames so far.
    pub(super) fn share(self) -> f64 {
        1.0 / f64::from(self.frame + 1)
    }

    /// Returns the pixel rows of the band in a picture of `height` rows.
    pub(super) fn rows(self, height: u32) -> std::ops::Range<u32> {
        let (band, bands) = self.band;
        let edge = |band: u32| (u64::from(height) * u64::from(band) / u64::from(bands)) as u32;
        edge(band)..edge(band + 1)
    }
}

/// Returns element `index` of the Van der Corput sequence to the base `base` (at least 2), in 0 ≤ x
/// < 1. The first elements up to any index are evenly distributed.
fn halton(index: u32, base: u32) -> f32 {
    let (mut sum, mut weight, mut rest) = (0.0, 1.0, index);
    while rest > 0 {
        weight /= base as f32;
        sum += weight * (rest % base) as f32;
        rest /= base;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(frame: u32) -> Turn {
        Turn {
            frame,
            band: (0, 1),
        }
    }

    #[test]
    fn shifts_start_in_the_middle_and_spread_evenly() {
        assert_eq!(turn(0).shift(), [0.0; 3]);
        let shifts: Vec<_> = (1..9).map(|i| turn(i).shift()).collect();
        for axis in 0..2 {
            let mean: f32 = shifts.iter().map(|s| s[axis]).sum::<f32>() / 8.0;
            assert!(
                mean.abs() < 0.1 && shifts.iter().all(|s| s[axis].abs() <= 0.5),
                "axis {axis}: {mean}"
            );
        }
    }

    #[test]
    fn shares_make_an_even_average() {
        let values = [3.0, 5.0, 10.0, 2.0];
        let mean = values.iter().enumerate().fold(0.0, |mean, (i, value)| {
            let share = turn(i as u32).share();
            mean * (1.0 - share) + value * share
        });
        assert!((mean - 5.0).abs() < 1e-12);
    }
}
