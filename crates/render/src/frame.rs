//! Ray tracing of a frame's pixels row by row, supersampling of edges, and reuse of data from the
//! previous frame. The backdrop of a ray is the ground, slice or sky behind all lava.

use std::sync::atomic::{AtomicBool, Ordering};

use lavoxel_base::parallel::*;

use lavoxel_base::simd::{Level, Simd, Work};

use super::camera::Camera;
use super::film::{Develop, Film};
use super::image::Image;
use super::mask;
use super::math::{V3, luminance};
use crate::ground::beams::Beams;
use crate::ground::heightfield::{Heightfield, ShownPart, up_to_cut};
use crate::media::transmittance::{Transmittance, TransmittanceGrid, Weave};
use crate::style::tracer::{Sight, Tracer};
use crate::volume::tiles::{Depths, Live, OtherTiles, Others, Reach, Tiles};
use lavoxel_automaton::view::Antialias;

// Two thresholds: pixels of moderate contrast, such as grainy rock, get two rays; sharp edges get
// four.
/// Difference of tone-mapped luminance to a neighbouring pixel above which a pixel is traced again
/// with two rays.
const EDGE_CONTRAST: f32 = 0.06;
/// Difference of tone-mapped luminance to a neighbouring pixel above which a pixel is traced again
/// with four rays.
const SHARP_CONTRAST: f32 = 0.18;
/// Four sample positions in a pixel (0 to 1), no two in the same quarter row or quarter column. The
/// mean of the first two, and of all four, is the centre of the pixel.
const SUBPIXELS: [(f32, f32); 4] = [
    (0.375, 0.125),
    (0.625, 0.875),
    (0.875, 0.375),
    (0.125, 0.625),
];

/// Maximum number of pixels of a picture for which the backdrops of supersampled pixels (the
/// ground, slice or sky behind all lava) are cached; the cache takes up to 200 bytes per pixel.
const MOST_KEPT: usize = 1 << 21;

/// Data kept for the next frame of the same camera: mainly each pixel's backdrop (the ground, slice
/// or sky behind all lava), row-major from the top.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept<B> {
    /// Backdrop (ground, slice or sky behind all lava) of the ray through each pixel's centre,
    /// row-major from the top.
    pub(crate) centres: Vec<B>,
    /// Backdrops (ground, slice or sky behind all lava) of the sub-pixel rays of each supersampled
    /// pixel, row-major; `None` for other pixels. Empty without a cache: in pictures of more than
    /// `MOST_KEPT` pixels, and if the scene asks for none.
    closer: Vec<Option<Box<[B]>>>,
    /// Depth per square tile of pixels, in cells, beyond which the ground hides everything.
    pub(crate) depths: Depths,
    /// Lower bound of the distance to the ground per small square of pixels; rays start their
    /// search for the ground there.
    beams: Beams,
    /// Picture of the scene without lava, for styles in which lava changes only the pixels that it
    /// covers.
    pub(crate) bare: Bare,
}

/// Picture of the scene without lava, and the film into which the previous frame was drawn.
#[derive(Clone, Debug)]
pub(crate) struct Bare {
    /// Picture without lava as sRGB bytes.
    pub(crate) image: Image,
    /// Linear light of the ray through each pixel's centre: without lava, except in the tiles of
    /// pixels that `drawn` marks.
    pub(crate) film: Film,
    /// Mask of the tiles of pixels in which the previous frame drew lava into `film`; `None` before
    /// the first frame.
    pub(crate) drawn: Option<Live>,
}

/// Inputs of a frame that do not depend on the lava: camera, ground and sampling.
pub(crate) struct Scene<'a> {
    pub(crate) camera: &'a Camera,
    pub(crate) block: &'a Heightfield,
    pub(crate) part: ShownPart,
    pub(crate) antialias: Antialias,
    /// Set if the backdrops of supersampled pixels (ground, slice or sky behind all lava) are to be
    /// cached for the next frame.
    pub(crate) keeps_closer: bool,
    pub(crate) level: Level,
    /// Cancellation flag: when another thread sets this flag, the computation of the frame stops.
    pub(crate) stop: &'a AtomicBool,
}

/// Choice whether `Frame::develop` caches the backdrops of supersampled pixels (ground, slice or
/// sky behind all lava) for the next frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeping {
    Kept,
    Not,
}

/// Inputs of a frame: the tracer of its rays, the camera, and the tiles of pixels to draw.
pub(crate) struct Frame<'a, T: Tracer> {
    pub(crate) tracer: &'a T,
    pub(crate) camera: &'a Camera,
    /// Distance range in which rays may meet lava, per tile of pixels.
    pub(crate) tiles: &'a Tiles,
    /// Distance range in which rays may meet media other than lava (gas, water and others), per
    /// tile of pixels; `None` if there are no such media.
    pub(crate) others: Option<&'a OtherTiles>,
    /// Mask of the tiles of pixels that are traced; pixels elsewhere keep their light.
    pub(crate) live: &'a Live,
    /// Light and transmittance of gas and smoke along a grid of rays, from which those of all rays
    /// are interpolated; `None` if smoke is traced along each ray.
    pub(crate) veils: Option<TransmittanceGrid>,
    /// Offset (0 to 1) added to the blue-noise values that jitter the samples along rays; differs
    /// from frame to frame.
    pub(crate) turn: f32,
    pub(crate) level: Level,
    /// Cancellation flag: when set by another thread, the frame stops, and its pixels are
    /// undefined.
    pub(crate) stop: &'a AtomicBool,
}

/// Task for one row of the picture: finds the backdrops (ground, slice or sky behind all lava) of
/// the rays through the pixel centres.
struct Behinds<'a, T: Tracer> {
    tracer: &'a T,
    camera: &'a Camera,
    beams: &'a Beams,
    y: usize,
    row: &'a mut [T::Behind],
}

/// Task for one row of the picture: traces one ray through the centre of each pixel that is to be
/// drawn.
struct Exposed<'a, T: Tracer> {
    frame: &'a Frame<'a, T>,
    y: usize,
    behind: &'a [T::Behind],
    light: &'a mut [V3],
}

/// Task for one row of the picture: supersamples the selected pixels and writes their linear light.
struct Refined<'a, T: Tracer> {
    frame: &'a Frame<'a, T>,
    beams: &'a Beams,
    y: usize,
    film: &'a Film,
    wanted: Wanted,
    /// Cached backdrops of the sub-pixel rays of the row's pixels (ground, slice or sky behind all
    /// lava); `None` without a cache.
    closer: Option<&'a mut [Option<Closer<T>>]>,
    light: &'a mut [V3],
}

/// Task for one row of the picture: supersamples the selected pixels, and converts the light of all
/// drawn pixels to sRGB bytes.
struct Developed<'a, T: Tracer> {
    frame: &'a Frame<'a, T>,
    beams: &'a Beams,
    y: usize,
    film: &'a Film,
    wanted: Option<Wanted>,
    /// Cached backdrops of the sub-pixel rays of the row's pixels (ground, slice or sky behind all
    /// lava); `None` without a cache.
    closer: Option<&'a mut [Option<Closer<T>>]>,
    row: &'a mut [u8],
}

impl<B: Copy + Default + Send + Sync> Kept<B> {
    /// Computes the backdrops (ground, slice or sky behind all lava) of the rays through all pixel
    /// centres of `scene`, for a new position of the camera; reuses the allocations of `self`. The
    /// result is undefined if the `stop` flag of `scene` was set meanwhile.
    pub(crate) fn turned<T: Tracer<Behind = B>>(mut self, tracer: &T, scene: &Scene) -> Self {
        let (camera, (width, height)) = (scene.camera, scene.camera.size());
        let beams = Beams::new(scene.block, &scene.part, camera, scene.level, self.beams);
        self.centres.resize(width * height, B::default());
        let rows = self.centres.par_chunks_mut(width).enumerate();
        rows.filter(|_| goes_on(scene.stop)).for_each(|(y, row)| {
            scene.level.run(Behinds {
                tracer,
                camera,
                beams: &beams,
                y,
                row,
            })
        });
        let depths = Depths::new(
            camera,
            &self.centres,
            T::far,
            scene.antialias != Antialias::Off,
        );
        self.closer.clear();
        let keeps =
            scene.antialias != Antialias::Off && scene.keeps_closer && width * height <= MOST_KEPT;
        self.closer
            .resize(if keeps { width * height } else { 0 }, None);
        self.bare.drawn = None;
        Self {
            beams,
            depths,
            ..self
        }
    }
}

impl Default for Bare {
    fn default() -> Self {
        Self {
            image: Image::filled(0, 0, [0; 3]),
            film: Film::dark((0, 0)),
            drawn: None,
        }
    }
}

impl<T: Tracer> Frame<'_, T> {
    /// Traces the ray through the centre of every pixel in the marked tiles of `live` and writes
    /// its light into `film`; pixels elsewhere keep their light. `behind`: ground, slice or sky
    /// behind all lava, per pixel.
    pub(crate) fn expose(&self, behind: &[T::Behind], film: &mut Film) {
        let width = film.width;
        let rows = film
            .light
            .par_chunks_mut(width)
            .zip(behind.par_chunks(width))
            .enumerate();
        rows.filter(|_| goes_on(self.stop))
            .for_each(|(y, (light, behind))| {
                self.level.run(Exposed {
                    frame: self,
                    y,
                    behind,
                    light,
                })
            });
    }

    /// Traces gas and smoke along a grid of rays whose spacing `weave` gives, for interpolation at
    /// all other rays. `None` if there is no gas, or if the tracer cannot separate gas from other
    /// media. `behind`: ground, slice or sky behind all lava, per pixel.
    pub(crate) fn veils(&self, behind: &[T::Behind], weave: Weave) -> Option<TransmittanceGrid> {
        let others = self.others?;
        let size @ (width, height) = self.camera.size();
        TransmittanceGrid::new(size, weave, |[x, y]| {
            // A grid ray must reach as far as the longest ray of the four adjacent pixels.
            let around =
                |n: usize, count: usize| n.saturating_sub(1).min(count - 1)..=n.min(count - 1);
            let pixels = around(y, height).flat_map(|y| around(x, width).map(move |x| (x, y)));
            let (mut far, mut gas) = (0.0_f32, Reach::NONE);
            for (x, y) in pixels {
                far = far.max(T::far(&behind[y * width + x]));
                gas = gas.union(others.at(x, y).gas);
            }
            if gas.is_empty() || !goes_on(self.stop) {
                return Some(Transmittance::NONE);
            }
            let ray = self.camera.ray(x as f32, y as f32);
            let jitter = mask::turned(x / weave.square, y / weave.square, self.turn);
            let sight = Sight {
                jitter,
                reach: Reach::NONE,
                others: Others {
                    gas,
                    ..Others::NONE
                },
                veil: None,
            };
            self.tracer.veil(&ray, far, sight)
        })
    }

    /// Writes the light of each pixel's backdrop (ground, slice or sky behind all lava) into
    /// `film`, without any media. Black where the style of `tracer` finds this light only by
    /// tracing.
    pub(crate) fn expose_bare(&self, behind: &[T::Behind], film: &mut Film) {
        let width = film.width;
        let rows = film
            .light
            .par_chunks_mut(width)
            .zip(behind.par_chunks(width));
        rows.for_each(|(light, behind)| {
            for (light, behind) in light.iter_mut().zip(behind) {
                *light = self.tracer.bare(behind).unwrap_or_default();
            }
        });
    }

    /// Converts `film` to sRGB bytes of `image` in the traced tiles of pixels. If `wanted` is
    /// given, the pixels that it selects are supersampled first; their backdrops (ground, slice or
    /// sky behind all lava) are read from the cache in `kept` and stored there.
    pub(crate) fn develop(
        &self,
        film: &Film,
        kept: &mut Kept<T::Behind>,
        wanted: Option<(Wanted, Keeping)>,
        image: &mut Image,
    ) {
        let (beams, keeping) = (&kept.beams, wanted.map(|(_, keeping)| keeping));
        let rows = image.rgb.par_chunks_mut(3 * film.width).enumerate();
        let develop = |y: usize, row: &mut [u8], closer: Option<&mut [Option<Closer<T>>]>| {
            let wanted = wanted.map(|(wanted, _)| wanted);
            self.level.run(Developed {
                frame: self,
                beams,
                y,
                film,
                wanted,
                closer,
                row,
            });
        };
        if kept.closer.is_empty() || keeping == Some(Keeping::Not) {
            rows.filter(|_| goes_on(self.stop))
                .for_each(|(y, row)| develop(y, row, None));
        } else {
            let closer = kept.closer.par_chunks_mut(film.width);
            rows.zip(closer)
                .filter(|_| goes_on(self.stop))
                .for_each(|((y, row), closer)| develop(y, row, Some(closer)));
        }
    }

    /// Returns the linear RGB light of the ray through the position (`u`, `v`) (0 to 1) in a pixel,
    /// slices included. `shift` offsets the jitter of the samples; `behind`: ground, slice or sky
    /// behind all lava.
    #[inline(always)]
    fn light<S: Simd>(
        &self,
        s: S,
        pixel: (usize, usize),
        (u, v): (f32, f32),
        shift: f32,
        behind: &T::Behind,
    ) -> V3 {
        let (x, y) = pixel;
        let slices = self.tracer.slices();
        if !slices.is_empty()
            && let Some(hit) = slices.nearest(
                &self.camera.ray(x as f32 + u, y as f32 + v),
                up_to_cut(T::far(behind)),
            )
        {
            return self.light_before(s, pixel, (u, v), shift, &T::slice(hit));
        }
        self.light_before(s, pixel, (u, v), shift, behind)
    }

    /// Returns the linear RGB light of the ray through the position (`u`, `v`) (0 to 1) in a pixel
    /// in front of `behind` (ground, slice or sky behind all lava, slices already included).
    /// `shift` offsets the jitter of the samples.
    #[inline(always)]
    fn light_before<S: Simd>(
        &self,
        s: S,
        pixel: (usize, usize),
        (u, v): (f32, f32),
        shift: f32,
        behind: &T::Behind,
    ) -> V3 {
        let (x, y) = pixel;
        let (reach, far) = (self.tiles.at(x, y), T::far(behind));
        let others = self.others.map_or(Others::NONE, |tiles| tiles.at(x, y));
        let is_free =
            (reach.is_empty() || reach.near >= far) && (others.is_empty() || others.near() >= far);
        let ray = self.camera.ray(x as f32 + u, y as f32 + v);
        if is_free
            && let Some(light) = self
                .tracer
                .bare(behind)
                .filter(|_| !self.tracer.reaches_beyond(&ray))
        {
            return light;
        }
        let jitter = mask::turned(x, y, self.turn + shift);
        let veil = self
            .veils
            .as_ref()
            .and_then(|veils| veils.at(x as f32 + u, y as f32 + v));
        self.tracer.trace(
            s,
            &ray,
            behind,
            Sight {
                jitter,
                reach,
                others,
                veil,
            },
        )
    }

    /// Returns a copy of the light of `film` in which the pixels that `wanted` selects are
    /// supersampled. `kept`: cached backdrops (ground, slice or sky behind all lava), used and
    /// updated.
    pub(crate) fn refine(
        &self,
        film: &Film,
        kept: &mut Kept<T::Behind>,
        wanted: Wanted,
    ) -> Vec<V3> {
        let mut light = film.light.clone();
        let beams = &kept.beams;
        let rows = light.par_chunks_mut(film.width).enumerate();
        let refine = |y: usize, light: &mut [V3], closer: Option<&mut [Option<Closer<T>>]>| {
            self.level.run(Refined {
                frame: self,
                beams,
                y,
                film,
                wanted,
                closer,
                light,
            });
        };
        if kept.closer.is_empty() {
            rows.filter(|_| goes_on(self.stop))
                .for_each(|(y, light)| refine(y, light, None));
        } else {
            let closer = kept.closer.par_chunks_mut(film.width);
            rows.zip(closer)
                .filter(|_| goes_on(self.stop))
                .for_each(|((y, light), closer)| refine(y, light, Some(closer)));
        }
        light
    }

    /// Computes the backdrops (ground, slice or sky behind all lava) of the first `closer.len()`
    /// sub-pixel rays of the pixel (`x`, `y`) and writes them into `closer`.
    #[inline(always)]
    fn look_closer(&self, beams: &Beams, (x, y): (usize, usize), closer: &mut [T::Behind]) {
        // A loop, not `map`: closures are not compiled for wide instructions.
        for (behind, place) in closer.iter_mut().zip(SUBPIXELS) {
            let (ray, start) = beams.ray(self.camera, (x, y), place);
            *behind = self.tracer.behind(&ray, start);
        }
    }

    /// Returns the mean linear RGB light of `rays` sub-pixel rays of the pixel (`x`, `y`). `kept`:
    /// cached backdrops (ground, slice or sky behind all lava) of the pixel's row, used and
    /// updated; `None` without a cache.
    #[inline(always)]
    fn supersample<S: Simd>(
        &self,
        s: S,
        beams: &Beams,
        ((x, y), rays): ((usize, usize), usize),
        kept: Option<&mut [Option<Closer<T>>]>,
    ) -> V3 {
        let mut found = [T::Behind::default(); SUBPIXELS.len()];
        if let Some(known) = kept
            .as_ref()
            .and_then(|kept| kept[x].as_ref())
            .filter(|known| known.len() >= rays)
        {
            return self.mean(s, x, y, &known[..rays]);
        }
        self.look_closer(beams, (x, y), &mut found[..rays]);
        if let Some(kept) = kept {
            kept[x] = Some(found[..rays].into());
        }
        self.mean(s, x, y, &found[..rays])
    }

    #[inline(always)]
    fn mean<S: Simd>(&self, s: S, x: usize, y: usize, behinds: &[T::Behind]) -> V3 {
        let mut sum = V3::zeros();
        for (index, (place, behind)) in SUBPIXELS.into_iter().zip(behinds).enumerate() {
            // Averages tone-mapped light, so that one very bright ray does not dominate the pixel.
            let seen = self.light(
                s,
                (x, y),
                place,
                index as f32 / behinds.len() as f32,
                behind,
            );
            sum += seen / (1.0 + seen.max());
        }
        let mean = sum / behinds.len() as f32;
        mean / (1.0 - mean.max()).max(1e-3)
    }
}

impl<T: Tracer> Work for Behinds<'_, T> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        for (x, behind) in self.row.iter_mut().enumerate() {
            let (ray, start) = self.beams.ray(self.camera, (x, self.y), (0.5, 0.5));
            *behind = self.tracer.behind(&ray, start);
        }
    }
}

impl<T: Tracer> Work for Exposed<'_, T> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        for run in self.frame.live.runs(self.y) {
            for x in run {
                self.light[x] = self
                    .frame
                    .light(s, (x, self.y), (0.5, 0.5), 0.0, &self.behind[x]);
            }
        }
    }
}

impl<T: Tracer> Work for Refined<'_, T> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        for run in self.frame.live.runs(self.y) {
            for x in run {
                let pixel = (x, self.y);
                let rays = self.wanted.rays(self.film, pixel);
                if rays > 0 {
                    self.light[x] = self.frame.supersample(
                        s,
                        self.beams,
                        (pixel, rays),
                        self.closer.as_deref_mut(),
                    );
                }
            }
        }
    }
}

impl<T: Tracer> Work for Developed<'_, T> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        let (film, y) = (self.film, self.y);
        for run in self.frame.live.runs(y) {
            for x in run {
                let light = match self.wanted.map_or(0, |wanted| wanted.rays(film, (x, y))) {
                    0 => film.light[y * film.width + x],
                    rays => self.frame.supersample(
                        s,
                        self.beams,
                        ((x, y), rays),
                        self.closer.as_deref_mut(),
                    ),
                };
                self.row[3 * x..3 * x + 3].copy_from_slice(&Develop::Plain.pixel(light, (x, y)));
            }
        }
    }
}

/// Returns false if the cancellation flag `stop` is set, otherwise true.
fn goes_on(stop: &AtomicBool) -> bool {
    !stop.load(Ordering::Relaxed)
}

/// Returns the alpha channel of `image`, one value per pixel from 0 (sky) to 255: ground and slices
/// are opaque, lava has its opacity, and the bloom of lava over the sky counts by its visible
/// difference from the plain sky.
pub(crate) fn cover<T: Tracer>(
    tracer: &T,
    camera: &Camera,
    image: &Image,
    how: Develop,
) -> Vec<u8> {
    let pixel = |k: usize| {
        let (x, y) = (k % image.width, k / image.width);
        let mut opacity = 0.0;
        let mut sky = V3::zeros();
        for (u, v) in SUBPIXELS {
            let ray = camera.ray(x as f32 + u, y as f32 + v);
            let behind = tracer.behind(&ray, 0.0);
            let hidden =
                T::far(&behind) < f32::MAX || tracer.slices().nearest(&ray, f32::MAX).is_some();
            let sight = Sight {
                jitter: mask::value(x, y),
                reach: Reach::ALL,
                others: Others::ALL,
                veil: None,
            };
            opacity += if hidden {
                1.0
            } else {
                tracer.opacity(&ray, &behind, sight)
            };
            sky += tracer.bare(&behind).unwrap_or_default();
        }
        let n = SUBPIXELS.len() as f32;
        let bare = how.pixel(sky / n, (x, y));
        let spill = image
            .pixel(x, y)
            .iter()
            .zip(bare)
            .map(|(&a, b)| a.abs_diff(b))
            .max()
            .unwrap_or(0);
        // A difference of one level is noise.
        ((opacity / n * 255.0).round() as u8).max(spill.saturating_sub(1))
    };
    (0..image.width * image.height)
        .into_par_iter()
        .map(pixel)
        .collect()
}

/// Cached backdrops (ground, slice or sky behind all lava) of the sub-pixel rays of one
/// supersampled pixel.
type Closer<T> = Box<[<T as Tracer>::Behind]>;

/// Selection of the pixels that are supersampled (traced with several rays).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Pixels whose luminance differs visibly from a neighbouring pixel.
    Edges,
    All,
}

impl Wanted {
    /// Returns the number of rays with which the pixel (`x`, `y`) of `film` is traced again; 0 if
    /// the pixel is not supersampled.
    #[inline(always)]
    fn rays(self, film: &Film, (x, y): (usize, usize)) -> usize {
        if self == Self::All {
            return SUBPIXELS.len();
        }
        let at = |x: usize, y: usize| luminance(film.light[y * film.width + x]);
        let here = at(x, y);
        // All four neighbours without a branch, which is faster; at the picture's sides a pixel is
        // its own neighbour.
        let (east, south) = ((x + 1).min(film.width - 1), (y + 1).min(film.height - 1));
        let around = [
            at(x.saturating_sub(1), y),
            at(x, y.saturating_sub(1)),
            at(east, y),
            at(x, south),
        ];
        let differs = |least: f32| {
            around
                .iter()
                .fold(false, |any, there| any | contrasts(here, *there, least))
        };
        match differs(EDGE_CONTRAST) {
            false => 0,
            true if differs(SHARP_CONTRAST) => SUBPIXELS.len(),
            true => SUBPIXELS.len() / 2,
        }
    }
}

/// Returns true if the luminances `a` and `b` differ by more than `least` after the simple tone map
/// l / (l + 0.25).
#[inline(always)]
fn contrasts(a: f32, b: f32, least: f32) -> bool {
    // Luminance that the tone map halves.
    const MIDDLE: f32 = 0.25;
    MIDDLE * (a - b).abs() > least * ((a + MIDDLE) * (b + MIDDLE))
}
