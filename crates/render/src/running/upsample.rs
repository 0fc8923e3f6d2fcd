//! Temporal upsampling: frames of a lower resolution, each traced at another subpixel offset,
//! accumulate into a picture of the window's resolution.
//!
//! ```text
//!   ┌───────┬───────┐   ×  traced by this frame
//!   │ ×   · │ ×   · │   ·  traced by the frames before and after
//!   │ ·   · │ ·   · │
//!   └───────┴───────┘
//! ```
//!
//! Between traced positions, Catmull-Rom cubics interpolate, clamped to the range of the values
//! around the position: edges are smooth and do not ring. While the camera rests, each frame is
//! blended in with a weight that decays with the distance from a pixel to the nearest traced
//! position. The mean of several frames has the window's resolution and less noise. The history is
//! clamped to the range of the latest frame around a pixel, so that moving objects leave no trail.
//! Where a frame is soft, as in smoke and sky, other frames add no detail between its positions:
//! the frame is then blended in at all pixels with the same weight, because a grid of old and new
//! pixels would be visible.

use super::reprojection::Depths;
use crate::image::Image;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

/// Pixel of the accumulated picture: red, green and blue (0 to 255), and the accumulated weight.
pub(crate) type Pixel = [f32; 4];

/// Single subpixel offset: all frames are traced at the pixel centres. The tables of offsets list
/// offsets (x, y) from a pixel's centre, in pixels of the frame; successive frames cycle through a
/// table.
const ONE: [[f32; 2]; 1] = [[0.0; 2]];
/// Two subpixel offsets (x, y) in pixels of the frame, on a diagonal.
const TWO: [[f32; 2]; 2] = [[-0.25, -0.25], [0.25, 0.25]];
/// Four subpixel offsets (x, y) in pixels of the frame, on a 2 × 2 grid; successive offsets are far
/// apart.
const FOUR: [[f32; 2]; 4] = [[-0.25, -0.25], [0.25, 0.25], [0.25, -0.25], [-0.25, 0.25]];
/// Distance between neighbouring offsets of the 3 × 3 grid, in pixels of the frame.
const THIRD: f32 = 1.0 / 3.0;
/// Nine subpixel offsets (x, y) in pixels of the frame, on a 3 × 3 grid; successive offsets are far
/// apart.
const NINE: [[f32; 2]; 9] = [
    [0.0, 0.0],
    [THIRD, -THIRD],
    [-THIRD, THIRD],
    [THIRD, THIRD],
    [-THIRD, -THIRD],
    [0.0, THIRD],
    [0.0, -THIRD],
    [-THIRD, 0.0],
    [THIRD, 0.0],
];
/// Upper bound for (pixels of a frame × number of subpixel offsets) / pixels of the window: limits
/// the memory in which the renderer keeps the ground hits of every offset.
const MOST_TRACED: f32 = 1.5;
/// Decay rate of a frame's weight: the weight is exp(−`FALL` · d²), where d is the distance in
/// pixels of the window to the nearest traced position.
const FALL: f32 = 2.2;
/// Lower bound of a frame's weight at a pixel, reached far from all traced positions.
const LEAST: f32 = 1e-3;
/// Upper bound of a pixel's accumulated weight. A new frame has the weight 1 where it was traced,
/// so that the frame contributes at least a third of the average there.
const MOST: f32 = 2.0;
/// Difference between a pixel's history and its clamped value, in grey levels (0 to 255), at which
/// half of the history's weight is dropped.
const OUTDATED: f32 = 6.0;
/// Difference between a pixel of a frame and the mean of its four neighbours, in grey levels (0 to
/// 255), at which the pixel's softness is one half.
const SOFT: f32 = 3.0;
/// Width in pixels of the border around a frame, which repeats the frame's edge pixels; with this
/// border, interpolation needs no special case.
const RIM: usize = 2;

/// Returns the subpixel offsets (x, y, in pixels of the frame) for frames whose resolution along
/// each axis is `share` (0 to 1) of the window's. Lower resolutions have more offsets.
pub(crate) fn places(share: f32) -> &'static [[f32; 2]] {
    let all: [&'static [[f32; 2]]; 4] = [&NINE, &FOUR, &TWO, &ONE];
    all.into_iter()
        .find(|places| places.len() as f32 * share * share <= MOST_TRACED)
        .unwrap_or(&ONE)
}

/// Accumulator of frames, which contains the running picture in the window's resolution.
#[derive(Default)]
pub(crate) struct Upsampler {
    size: (usize, usize),
    pixels: Vec<Pixel>,
    /// Buffer for the reprojected picture; swapped with `pixels` after each reprojection.
    turned: Vec<Pixel>,
}

/// Interpolation data for one pixel column (or row) of the window: the four nearest frame columns
/// (or rows), and their weights.
struct Tap {
    /// Index of the first of the four frame pixels around the position, counted from the first
    /// border pixel.
    first: usize,
    /// Catmull-Rom weights of the four frame pixels from `first` on.
    shares: [f32; 4],
    /// Position between the second and the third of the four frame pixels from `first` on, 0 to 1.
    between: f32,
    /// Weight of the frame at this pixel along this axis, 0 to 1; decays with the distance to the
    /// nearest traced position.
    weight: f32,
}

impl Tap {
    /// Returns the interpolation data of `window` pixels along one axis for a frame of `count`
    /// pixels, whose rays were traced `shift` pixels of the frame off the pixel centres.
    fn along(window: usize, count: usize, shift: f32) -> Vec<Self> {
        let per_pixel = count as f32 / window as f32;
        let tap = |n: usize| {
            let last = (count - 1) as f32;
            let place =
                ((n as f32 + 0.5) * per_pixel - 0.5 - shift).clamp(-1.0, (last + 1.0).next_down());
            let floor = place.floor();
            let (t, away) = (place - floor, (place - place.round()) / per_pixel);
            Self {
                first: (floor + RIM as f32) as usize - 1,
                shares: cubic(t),
                between: t,
                weight: (-FALL * away * away).exp(),
            }
        };
        (0..window).map(tap).collect()
    }
}

/// Returns the Catmull-Rom weights of four successive values for the position `t` (0 to 1) between
/// the second and the third value.
fn cubic(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        0.5 * (2.0 * t2 - t - t3),
        0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
        0.5 * (4.0 * t2 + t - 3.0 * t3),
        0.5 * (t3 - t2),
    ]
}

impl Upsampler {
    /// Discards the running picture; the next frame begins a new running picture.
    pub(crate) fn forget(&mut self) {
        self.pixels.clear();
    }

    /// Reprojects the running picture from the camera of `before` to the camera of `now`. `before`,
    /// `now`: depth buffers, each with its camera.
    pub(crate) fn turn(&mut self, before: &Depths, now: &Depths) {
        if !self.pixels.is_empty() {
            now.carry(before, &self.pixels, &mut self.turned);
            std::mem::swap(&mut self.pixels, &mut self.turned);
        }
    }

    /// Replaces the running picture by `image`, which has the window's resolution.
    pub(crate) fn begin(&mut self, image: &Image) {
        self.size = (image.width, image.height);
        self.pixels.clear();
        self.pixels
            .extend(image.rgb.chunks_exact(3).map(|rgb| pixel(rgb, MOST)));
    }

    /// Accumulates `frame`, traced `shift` (x, y) pixels of the frame off its pixel centres.
    /// Returns the running picture of `window` (width, height) pixels as RGBA bytes, row-major from
    /// the top.
    pub(crate) fn add(
        &mut self,
        frame: &Image,
        shift: [f32; 2],
        window: (usize, usize),
    ) -> Vec<u8> {
        if self.size != window || self.pixels.is_empty() {
            self.size = window;
            self.pixels.clear();
            self.pixels.resize(window.0 * window.1, [0.0; 4]);
        }
        let framed = Framed::new(frame);
        let across = Tap::along(window.0, frame.width, shift[0]);
        let down = Tap::along(window.1, frame.height, shift[1]);
        let mut bytes = vec![u8::MAX; 4 * window.0 * window.1];
        let rows = self
            .pixels
            .par_chunks_mut(window.0)
            .zip(bytes.par_chunks_mut(4 * window.0))
            .zip(&down);
        rows.for_each_init(
            || std::array::from_fn(|_| vec![[0.0; 4]; framed.width]),
            |columns, ((pixels, bytes), tap)| {
                Level::fastest().run(RowTask {
                    framed: &framed,
                    tap,
                    across: &across,
                    columns,
                    pixels,
                    bytes,
                });
            },
        );
        bytes
    }
}

/// Frame with a border of repeated edge pixels, `RIM` pixels wide.
struct Framed {
    width: usize,
    pixels: Vec<Pixel>,
}

impl Framed {
    fn new(image: &Image) -> Self {
        let width = image.width + 2 * RIM;
        let held = |n: usize, count: usize| n.saturating_sub(RIM).min(count - 1);
        let row =
            |y: usize| &image.rgb[3 * image.width * held(y, image.height)..][..3 * image.width];
        let rows = (0..image.height + 2 * RIM).map(row);
        let pixels = rows
            .flat_map(|row| (0..width).map(move |x| pixel(&row[3 * held(x, image.width)..], 0.0)));
        let mut framed = Self {
            width,
            pixels: pixels.collect(),
        };
        framed.soften();
        framed
    }

    /// Computes the softness of each pixel into its last channel: 0 for strong detail, 1 where the
    /// pixel equals the mean of its neighbours. The outermost border pixels stay 0.
    fn soften(&mut self) {
        let (width, count) = (self.width, self.pixels.len());
        for k in width + 1..count - width - 1 {
            let around = [k - 1, k + 1, k - width, k + width];
            let mut away = 0.0;
            for i in 0..3 {
                let mean = 0.25
                    * (self.pixels[around[0]][i]
                        + self.pixels[around[1]][i]
                        + self.pixels[around[2]][i]
                        + self.pixels[around[3]][i]);
                away = largest(away, (self.pixels[k][i] - mean).abs());
            }
            let rough = (away / SOFT) * (away / SOFT);
            self.pixels[k][3] = 1.0 / (1.0 + rough * rough);
        }
    }

    fn row(&self, y: usize) -> &[Pixel] {
        &self.pixels[y * self.width..][..self.width]
    }
}

fn pixel(rgb: &[u8], weight: f32) -> Pixel {
    [
        f32::from(rgb[0]),
        f32::from(rgb[1]),
        f32::from(rgb[2]),
        weight,
    ]
}

/// Inputs, buffers and outputs for accumulating one row of the running picture; the loops over the
/// row run with SIMD instructions.
struct RowTask<'a> {
    framed: &'a Framed,
    tap: &'a Tap,
    across: &'a [Tap],
    /// Five buffers with one element per frame column at the present row of the window: the value
    /// interpolated between frame rows; minimum and maximum of the frame rows above and below;
    /// minimum and maximum of the 3 × 3 neighbourhood.
    columns: &'a mut [Vec<Pixel>; 5],
    pixels: &'a mut [Pixel],
    bytes: &'a mut [u8],
}

impl Work for RowTask<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            framed,
            tap,
            across,
            columns: [values, low, high, from, to],
            pixels,
            bytes,
        } = self;
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| framed.row(tap.first + k));
        let blend = |a: f32, b: f32, share: f32| a + (b - a) * share;
        for k in 0..framed.width {
            let [p, q, r, s] = tap.shares;
            for i in 0..4 {
                values[k][i] = a[k][i] * p + b[k][i] * q + c[k][i] * r + d[k][i] * s;
                // Bounds interpolate between the bounds of the previous and the next row: bounds
                // that jump from row to row would be visible.
                let (mid_low, mid_high) = (least(b[k][i], c[k][i]), largest(b[k][i], c[k][i]));
                low[k][i] = blend(
                    least(a[k][i], mid_low),
                    least(mid_low, d[k][i]),
                    tap.between,
                );
                high[k][i] = blend(
                    largest(a[k][i], mid_high),
                    largest(mid_high, d[k][i]),
                    tap.between,
                );
            }
        }
        // Computed once per column of the frame, since several pixels of the window use each
        // column.
        for k in 1..framed.width - 1 {
            for i in 0..4 {
                from[k][i] = least(least(low[k - 1][i], low[k][i]), low[k + 1][i]);
                to[k][i] = largest(largest(high[k - 1][i], high[k][i]), high[k + 1][i]);
            }
        }
        for ((pixel, byte), at) in pixels
            .iter_mut()
            .zip(bytes.as_chunks_mut::<4>().0)
            .zip(across)
        {
            let v = &values[at.first..at.first + 4];
            let (low, high) = (
                &from[at.first + 1..at.first + 3],
                &to[at.first + 1..at.first + 3],
            );
            // All four channels are computed, although the last is no colour: four lanes are one
            // SIMD instruction.
            let ([p, q, r, s], mut new, mut old, mut away) =
                (at.shares, [0.0; 4], [0.0; 4], [0.0; 4]);
            let mut from = [0.0; 4];
            for i in 0..4 {
                from[i] = blend(low[0][i], low[1][i], at.between);
                let to = blend(high[0][i], high[1][i], at.between);
                new[i] = least(
                    largest(
                        v[0][i] * p + v[1][i] * q + v[2][i] * r + v[3][i] * s,
                        from[i],
                    ),
                    to,
                );
                old[i] = least(largest(pixel[i], from[i]), to);
                away[i] = (pixel[i] - old[i]).abs();
            }
            let soft = from[3];
            let gone = largest(largest(away[0], away[1]), away[2]);
            // Where the picture changes, a frame also counts between its traced positions:
            // otherwise a mesh of new and old pixels would be visible.
            let outdated = if pixel[3] > 0.0 {
                gone / (OUTDATED + gone)
            } else {
                0.0
            };
            let near = largest(tap.weight * at.weight, LEAST);
            let weight = near + (1.0 - near) * largest(outdated, soft);
            let before = pixel[3] * (1.0 - outdated);
            let share = weight / (before + weight);
            for i in 0..4 {
                pixel[i] = old[i] + (new[i] - old[i]) * share;
                byte[i] = (pixel[i] + 0.5) as i32 as u8;
            }
            byte[3] = u8::MAX;
            pixel[3] = least(before + weight, MOST);
        }
    }
}

/// Returns the smaller of `a` and `b` in one instruction; if either is NaN, the result is
/// unspecified.
#[inline(always)]
fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Returns the larger of `a` and `b` in one instruction; if either is NaN, the result is
/// unspecified.
#[inline(always)]
fn largest(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the brightness at (`x`, `y`) in the reference scene: a bright disc with a soft rim
    /// on a grey gradient.
    fn scene(x: f32, y: f32) -> f32 {
        let disc = ((13.0 - (x - 40.0).hypot(y - 30.0)) * 0.8 + 0.5).clamp(0.0, 1.0);
        40.0 + 0.5 * x + 120.0 * disc
    }

    /// Returns a frame of `size` pixels (width, height) of the scene whose brightness is `see(x,
    /// y)` (in pixels of the window). `window`: width and height of the window in pixels; `shift`:
    /// offset of the traced positions from the frame's pixel centres, in pixels of the frame.
    fn frame(
        size: (usize, usize),
        window: (usize, usize),
        shift: [f32; 2],
        see: impl Fn(f32, f32) -> f32,
    ) -> Image {
        let mut image = Image::filled(size.0, size.1, [0; 3]);
        for (k, rgb) in image.rgb.chunks_exact_mut(3).enumerate() {
            let at = |n: usize, axis: usize, size: usize, window: usize| {
                (n as f32 + 0.5 + shift[axis]) * window as f32 / size as f32
            };
            let value = see(
                at(k % size.0, 0, size.0, window.0),
                at(k / size.0, 1, size.1, window.1),
            );
            rgb.fill((value + 0.5) as u8);
        }
        image
    }

    const WINDOW: (usize, usize) = (80, 60);

    /// Returns the mean difference of a picture from the reference scene, in grey levels (0 to
    /// 255).
    fn error(bytes: &[u8]) -> f32 {
        let whole = frame(WINDOW, WINDOW, [0.0; 2], scene);
        let away = |(a, b): (&[u8], &[u8])| f32::from(a[0].abs_diff(b[0]));
        bytes
            .chunks_exact(4)
            .zip(whole.rgb.chunks_exact(3))
            .map(away)
            .sum::<f32>()
            / (WINDOW.0 * WINDOW.1) as f32
    }

    #[test]
    fn a_frame_of_the_windows_size_is_the_picture() {
        let whole = frame(WINDOW, WINDOW, [0.0; 2], scene);
        let bytes = Upsampler::default().add(&whole, [0.0; 2], WINDOW);
        assert!(
            bytes
                .chunks_exact(4)
                .zip(whole.rgb.chunks_exact(3))
                .all(|(a, b)| a[..3] == *b && a[3] == 255)
        );
    }

    #[test]
    fn there_are_no_blocks_where_one_pixel_became_many() {
        let small = (27, 20);
        let coarse = frame(small, WINDOW, [0.0; 2], |x, _| 2.5 * x);
        let bytes = Upsampler::default().add(&coarse, [0.0; 2], WINDOW);
        let row: Vec<f32> = bytes[..4 * WINDOW.0]
            .chunks_exact(4)
            .map(|p| f32::from(p[0]))
            .collect();
        for (x, pair) in row.windows(2).enumerate().skip(4).take(70) {
            let rise = pair[1] - pair[0];
            assert!(
                (1.0..=4.0).contains(&rise),
                "a slope of 2.5 levels rises by {rise} at {x}"
            );
        }
    }

    #[test]
    fn edges_do_not_ring() {
        let coarse = frame((27, 20), WINDOW, [0.0; 2], |x, _| {
            if x < 41.0 { 50.0 } else { 200.0 }
        });
        let bytes = Upsampler::default().add(&coarse, [0.0; 2], WINDOW);
        assert!(bytes.chunks_exact(4).all(|p| (50..=200).contains(&p[0])));
    }

    #[test]
    fn what_is_soft_and_moves_shows_no_mesh() {
        let (small, mut picture, mut bytes) = ((20, 15), Upsampler::default(), Vec::new());
        let places = places(0.25);
        for n in 0..3 * places.len() {
            let shift = places[n % places.len()];
            let smoke =
                |x: f32, y: f32| 120.0 + 40.0 * ((x + 0.3 * y - 2.0 * n as f32) * 0.06).sin();
            bytes = picture.add(&frame(small, WINDOW, shift, smoke), shift, WINDOW);
        }
        // Between evenly rising neighbours there is only rounding.
        let row = |y: usize| {
            bytes[4 * WINDOW.0 * y..][..4 * WINDOW.0]
                .chunks_exact(4)
                .map(|p| i32::from(p[0]))
        };
        let bent = |y: usize| {
            let row: Vec<i32> = row(y).collect();
            row[6..74]
                .windows(3)
                .map(|p| (2 * p[1] - p[0] - p[2]).abs())
                .max()
                .unwrap_or(0)
        };
        let most = (6..54).map(bent).max().unwrap_or(0);
        assert!(
            most <= 4,
            "a pixel differs by {most} levels from its neighbours"
        );
    }

    #[test]
    fn frames_of_few_pixels_become_a_picture_of_all() {
        for (small, least_gain) in [((40, 30), 3.0), ((27, 20), 1.8), ((60, 45), 1.5)] {
            let mut picture = Upsampler::default();
            let places = places(small.0 as f32 / WINDOW.0 as f32);
            let shown: Vec<f32> = (0..3 * places.len())
                .map(|n| {
                    let shift = places[n % places.len()];
                    error(&picture.add(&frame(small, WINDOW, shift, scene), shift, WINDOW))
                })
                .collect();
            let (first, last) = (shown[0], shown[shown.len() - 1]);
            assert!(
                last * least_gain < first,
                "{small:?}: {first:.2} levels, {last:.2} in the end"
            );
        }
    }

    #[test]
    fn noise_fades_from_frame_to_frame() {
        let noisy = |n: u64| {
            frame(WINDOW, WINDOW, [0.0; 2], |x, y| {
                let turned = crate::mask::turned(x as usize, y as usize, crate::mask::turn(n));
                100.0 + 60.0 * turned
            })
        };
        let mut picture = Upsampler::default();
        let spread: Vec<f32> = (0..12)
            .map(|n| {
                let bytes = picture.add(&noisy(n), [0.0; 2], WINDOW);
                let away = bytes
                    .chunks_exact(4)
                    .map(|p| (f32::from(p[0]) - 130.0).powi(2))
                    .sum::<f32>();
                (away / (WINDOW.0 * WINDOW.1) as f32).sqrt()
            })
            .collect();
        assert!(spread[0] > 16.0 && spread[11] < 6.0, "{spread:?}");
    }

    #[test]
    fn what_moves_leaves_no_trail() {
        let disc = |x: f32| {
            move |u: f32, v: f32| {
                if (u - x).hypot(v - 30.0) < 8.0 {
                    220.0
                } else {
                    60.0
                }
            }
        };
        let mut picture = Upsampler::default();
        let small = (40, 30);
        for n in 0..9 {
            let shift = FOUR[n % 4];
            let bytes = picture.add(
                &frame(small, WINDOW, shift, disc(20.0 + 5.0 * n as f32)),
                shift,
                WINDOW,
            );
            // Pixels left of those that touch the disc.
            let trail = &bytes[4 * WINDOW.0 * 30..][..4 * (3 + 5 * n)];
            assert!(trail.chunks_exact(4).all(|p| p[0] < 62), "frame {n}");
        }
    }

    #[test]
    fn what_changes_is_no_mesh_of_new_and_old_pixels() {
        let mut picture = Upsampler::default();
        picture.begin(&Image::filled(WINDOW.0, WINDOW.1, [40; 3]));
        // All pixels brighten from frame to frame.
        for n in 0..8 {
            let bytes = picture.add(
                &Image::filled(32, 24, [60 + 20 * n; 3]),
                FOUR[usize::from(n) % 4],
                WINDOW,
            );
            let levels = bytes.chunks_exact(4).map(|p| p[0]);
            let (low, high) = levels.fold((255, 0), |(low, high): (u8, u8), p| {
                (low.min(p), high.max(p))
            });
            assert!(high - low <= 5, "frame {n}: {low} to {high}");
        }
    }

    #[test]
    fn a_new_picture_begins_with_its_first_frame() {
        let grey = |level: u8| Image::filled(20, 15, [level; 3]);
        let mut picture = Upsampler::default();
        picture.begin(&Image::filled(WINDOW.0, WINDOW.1, [90; 3]));
        assert!(
            picture
                .add(&grey(90), TWO[0], WINDOW)
                .chunks_exact(4)
                .all(|p| p[0] == 90)
        );
        picture.forget();
        assert!(
            picture
                .add(&grey(30), TWO[0], WINDOW)
                .chunks_exact(4)
                .all(|p| p[0] == 30)
        );
        assert!(
            picture
                .add(&Image::filled(1, 1, [200; 3]), [0.0; 2], (3, 2))
                .chunks_exact(4)
                .all(|p| p[0] == 200)
        );
    }
}
