//! Pictures of a running scene: each is traced at the resolution that the target frame rate allows,
//! at another subpixel offset, and accumulated with the pictures before into one of the whole
//! resolution; a turning camera takes the accumulated picture along.
//!
//! ```text
//!  Resolution ─► size ─► Tracing::trace ─► Upsampler ─► picture of the whole resolution
//!      ▲  time taken          │ depths        ▲
//!      └──────────────────────┴─► Depths ─────┘ reprojection, when the camera has moved
//! ```

mod reprojection;
mod resolution;
mod upsample;

use std::time::Duration;

use web_time::Instant;

use self::reprojection::Depths;
pub use self::resolution::{Effort, Quality, Resolution, still};
use self::upsample::{Upsampler, places};
use crate::camera::Camera;
use crate::image::Image;
use crate::renderer::Renderer;
use lavoxel_automaton::view::Antialias;

/// Factor on the sampling distance along rays in moving pictures that are traced below the full
/// resolution.
const COARSER: f32 = 2.0;
/// Upper bound of the sampling distance along rays in cells, after the factor `COARSER`.
const LONGEST_STEP: f32 = 1.0;
/// Lower bound of the resolution, as a fraction of the whole one along each axis, from which the
/// number of subpixel offsets is derived while the ground changes.
const FEW: f32 = 0.5;

/// Antialiasing, sampling distance and jitter of one picture.
#[derive(Clone, Copy, Debug)]
pub struct Fineness {
    /// Choice of the pixels that are supersampled.
    pub antialias: Antialias,
    /// Factor on the look's sampling distance along rays, ≥ 1.
    coarser: f32,
    /// Number of the frame, from which the jitter of the samples along rays is derived; 0 for a
    /// still picture.
    pub frame: u64,
}

impl Fineness {
    /// Returns the settings of a still picture or of a picture for an image file: the look's own
    /// sampling distance and a fixed jitter.
    pub fn still(antialias: Antialias) -> Self {
        Self {
            antialias,
            coarser: 1.0,
            frame: 0,
        }
    }

    /// Returns the sampling distance along rays in cells for a look with the sampling distance
    /// `step`.
    pub fn step(&self, step: f32) -> f32 {
        (self.coarser * step).min(LONGEST_STEP).max(step)
    }
}

/// Time budget of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Haste {
    /// Rule that determines the traced resolution.
    pub quality: Quality,
    /// Set while the ground changes, when fewer subpixel offsets are used, because the rays of each
    /// offset must search each new ground again.
    pub unsteady: bool,
    /// Set for the look's own sampling distance along rays at any resolution, while nothing moves.
    pub fine: bool,
}

/// Source of the frames of a running scene.
pub trait Tracing {
    /// Returns the renderer that traces the frames.
    fn renderer(&mut self) -> &mut Renderer;

    /// Traces the present state as seen by `camera`; `None` if a change has interrupted the
    /// tracing.
    fn trace(&mut self, camera: &Camera, fineness: Fineness) -> Option<Image>;
}

/// Resolution controller and mean drawing time of moving pictures, for one cause of movement: a
/// turning camera or a changing scene. The causes are separate, since the rays of a turning camera
/// must search the ground again in each picture.
#[derive(Default)]
struct Movement {
    resolution: Resolution,
    took: Duration,
}

/// Accumulated picture of a running scene, and the controllers of its resolution.
#[derive(Default)]
pub struct Running {
    /// Resolution controller for pictures from a turning camera.
    turning: Movement,
    /// Resolution controller for a changing scene in front of a camera at rest.
    changing: Movement,
    /// Camera of the last picture; `None` before the first picture.
    last: Option<Camera>,
    /// Depth buffer of the ground in the last picture, for reprojection; `None` before the first
    /// picture.
    depths: Option<Depths>,
    shown: Upsampler,
    /// Number of frames accumulated; determines the subpixel offset of the next frame.
    frames: u64,
    /// Number of pictures drawn since the camera's last movement.
    rested: usize,
}

/// Picture of a running scene in the whole resolution.
pub struct Shown {
    /// Pixels as RGBA bytes with alpha 255, row-major from the top.
    pub rgba: Vec<u8>,
    /// Drawing time.
    pub took: Duration,
    /// Traced fraction of the resolution along each axis, 0 to 1.
    pub share: f32,
    /// Set once each subpixel offset was traced twice with a camera at rest: further pictures of an
    /// unchanged scene change hardly anything.
    pub is_settled: bool,
}

impl Running {
    /// Discards the accumulated picture, since the next pictures show another simulation box.
    pub fn forget(&mut self) {
        self.shown.forget();
        self.depths = None;
    }

    /// Returns true if moving pictures are traced in the whole resolution.
    pub fn is_whole(&self) -> bool {
        self.changing.resolution.scale() >= 1.0 && self.turning.resolution.scale() >= 1.0
    }

    /// Replaces the accumulated picture by `image`, which has the whole resolution.
    pub fn begin(&mut self, image: &Image) {
        self.shown.begin(image);
    }

    /// Traces a frame for the picture of `camera` at the resolution that `haste` allows,
    /// accumulates it, and returns the picture. Returns `None` if the tracing was interrupted.
    pub fn draw(
        &mut self,
        tracing: &mut impl Tracing,
        camera: &Camera,
        haste: Haste,
    ) -> Option<Shown> {
        let Haste {
            quality,
            unsteady,
            fine,
        } = haste;
        let started = Instant::now();
        let (width, height) = camera.size();
        let rests = self.last.as_ref() == Some(camera);
        let movement = if rests {
            &mut self.changing
        } else {
            &mut self.turning
        };
        let effort = movement
            .resolution
            .moving(quality, [width, height], movement.took);
        let share = effort.size[1] as f32 / height.max(1) as f32;
        let places = places(if unsteady { share.max(FEW) } else { share });
        self.frames += 1;
        let shift = places[self.frames as usize % places.len()];
        let frame = camera
            .resized((effort.size[0], effort.size[1]))
            .shifted(shift);
        // A turning camera never returns to a subpixel offset, so the ground hits of earlier frames
        // need not be kept.
        tracing
            .renderer()
            .keep_cameras(if rests { places.len() } else { 1 });
        let antialias = if effort.repeats > 1 {
            Antialias::Edges
        } else {
            Antialias::Off
        };
        // Coarser sampling along rays where the frame budget does not even allow all pixels.
        let coarser = if effort.size[0] < width && !fine {
            COARSER
        } else {
            1.0
        };
        let fineness = Fineness {
            antialias,
            coarser,
            frame: self.frames,
        };
        let image = tracing.trace(&frame, fineness)?;
        if self
            .depths
            .as_ref()
            .is_none_or(|depths| !depths.is_of(camera))
        {
            self.turn(tracing.renderer(), camera, &frame);
        }
        let rgba = self.shown.add(&image, shift, (width, height));
        let took = started.elapsed();
        // The first pictures from a camera at rest must search the ground for each subpixel offset,
        // as those from a turning camera must; their times are not measured. Later pictures are
        // measured even if they search the ground too, because the ground changes.
        self.rested = if rests { self.rested + 1 } else { 0 };
        if !rests || self.rested > places.len() {
            let movement = if rests {
                &mut self.changing
            } else {
                &mut self.turning
            };
            movement.took = smoothed(movement.took, took);
            movement.resolution.timed();
        }
        self.last = Some(camera.clone());
        Some(Shown {
            rgba,
            took,
            share,
            is_settled: self.rested >= 2 * places.len(),
        })
    }

    /// Takes the accumulated picture along to `camera`, whose `frame` was just traced by
    /// `renderer`.
    fn turn(&mut self, renderer: &Renderer, camera: &Camera, frame: &Camera) {
        // Rays without a ground hit (sky, plume) get the depth of the scene's centre.
        let subject = renderer.subject();
        let middle = nalgebra::center(&subject.low, &subject.high);
        let [_, _, forward] = frame.measures();
        let beyond = forward.dot(&(middle - frame.eye())).max(1.0);
        let depths = Depths::new(camera, frame, &renderer.distances(), beyond);
        match self.depths.replace(depths).zip(self.depths.as_ref()) {
            Some((before, now)) => self.shown.turn(&before, now),
            None => self.shown.forget(),
        }
    }
}

/// Returns `image`, traced below the resolution `whole` (width, height), in that resolution: its
/// pixels as RGBA bytes with alpha 255, interpolated.
pub fn enlarged(image: &Image, whole: (usize, usize)) -> Vec<u8> {
    Upsampler::default().add(image, [0.0; 2], whole)
}

/// Returns the moving average of drawing times, with weight 0.4 for `now` and 0.6 for the average
/// `before`: times vary with the load of the machine.
fn smoothed(before: Duration, now: Duration) -> Duration {
    if before.is_zero() {
        now
    } else {
        before.mul_f32(0.6) + now.mul_f32(0.4)
    }
}
