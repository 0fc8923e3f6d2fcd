//! Drawing thread of the CPU painter: draws pictures at the target frame rate while anything
//! changes ("moving pictures"), then refines the picture once nothing changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbaImage;

use super::mailbox::{Finished, Job, Mailbox, Order, PictureContent, Pixels};
use super::mirror::Mirror;
use super::reprojection::Depths;
use super::upsample::{Upsampler, places};
use crate::paint::View;
use crate::paint::quality::{Quality, Resolution, Rest, still};
use lavoxel_render::contents::Contents;
use lavoxel_render::renderer::Renderer;
use lavoxel_render::{Antialias, Camera, Image, LookSpec};

/// Shortest time between the starts of two moving pictures: one frame at 60 Hz.
const SHORTEST: Duration = Duration::from_millis(16);

/// Factor on the sampling distance along rays in moving pictures that are traced below the full
/// resolution.
const COARSER: f32 = 2.0;
/// Upper bound of the sampling distance along rays in cells, after the factor `COARSER`.
const LONGEST_STEP: f32 = 1.0;

/// Time after a change of the ground during which moving pictures use as few subpixel offsets as at
/// a resolution of at least `FEW`. Another change is likely in this time, and after each change the
/// rays of every offset must search the ground again.
const UNSTEADY: Duration = Duration::from_secs(3);
/// Lower bound of the resolution, as a fraction of the window's along each axis, from which the
/// number of subpixel offsets is derived while the ground changes.
const FEW: f32 = 0.5;

/// Degree of refinement of the picture that the window shows, from outdated to final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Outdated: the present content has not been drawn yet.
    Stale,
    /// Drawn at the resolution that the target frame rate allows.
    Moving,
    /// Drawn at the full resolution, with antialiasing of edges only.
    Whole,
    /// Drawn at the full resolution with full antialiasing; this picture is final.
    Smooth,
}

/// Resolution controller and mean drawing time of moving pictures, for one cause of movement: a
/// turning camera or a changing scene. The causes are separate, since the rays of a turning camera
/// must search the ground again in each picture.
#[derive(Default)]
struct Movement {
    resolution: Resolution,
    took: Duration,
}

/// State of the drawing thread: renderer, controllers of the resolution, and the accumulated
/// picture.
pub(super) struct Marcher {
    mailbox: Arc<Mailbox>,
    /// Serial number of the last order taken from the mailbox; 0 before the first order.
    seen: u64,
    wanted: Option<PictureContent>,
    stage: Option<BoxRenderer>,
    level: Level,
    rest: Rest,
    /// Resolution controller for pictures from a turning camera.
    turning: Movement,
    /// Resolution controller for a changing scene in front of a camera at rest.
    running: Movement,
    /// Camera of the last moving picture; `None` before the first moving picture.
    last: Option<Camera>,
    /// Depth buffer of the ground in the last moving picture, for reprojection; `None` before the
    /// first moving picture.
    depths: Option<Depths>,
    /// Accumulator of the frames of moving pictures.
    shown: Upsampler,
    /// Number of frames accumulated since the thread started; determines the subpixel offset of the
    /// next frame.
    frames: u64,
    /// Number of moving pictures drawn since the camera's last movement.
    rested: usize,
    /// Time at which the drawing of the last moving picture began.
    started: Instant,
}

/// Antialiasing, sampling distance and jitter of one picture.
struct Fineness {
    antialias: Antialias,
    /// Factor on the look's sampling distance along rays, ≥ 1.
    coarser: f32,
    /// Number of the frame, from which the jitter of the samples along rays is derived.
    frame: u64,
}

impl Fineness {
    /// Returns the settings of a still picture or of a picture for an image file: the look's own
    /// sampling distance and a fixed jitter.
    fn still(antialias: Antialias) -> Self {
        Self {
            antialias,
            coarser: 1.0,
            frame: 0,
        }
    }
}

/// Renderer for one simulation box, with its copy of the volume.
struct BoxRenderer {
    epoch: u64,
    renderer: Renderer,
    mirror: Mirror,
    /// Time of the last change of the ground; `None` before the first change.
    grounded: Option<Instant>,
    /// Set once the renderer has drawn the volume; from then on, the renderer needs only the cells
    /// changed since the last picture.
    known: bool,
}

impl Marcher {
    pub(super) fn new(mailbox: Arc<Mailbox>) -> Self {
        Self {
            mailbox,
            seen: 0,
            wanted: None,
            stage: None,
            level: Level::Smooth,
            rest: Rest::default(),
            turning: Movement::default(),
            running: Movement::default(),
            last: None,
            depths: None,
            shown: Upsampler::default(),
            frames: 0,
            rested: 0,
            started: Instant::now(),
        }
    }

    /// Runs the loop of the drawing thread until the window closes.
    pub(super) fn run(mut self) {
        let mailbox = Arc::clone(&self.mailbox);
        let mut due = None;
        while let Some(order) = mailbox.wait(self.seen, due) {
            for job in self.take(order) {
                let image = self.picture(&job);
                // The window waits for the answer unless it has closed; a send error may be
                // ignored.
                job.reply.send(image).ok();
            }
            due = self.work(Instant::now());
        }
    }

    /// Applies the changes in `order` to the renderer and its copy of the volume. Returns the
    /// requests for image files in `order`.
    fn take(&mut self, order: Order) -> Vec<Job> {
        self.seen = order.serial;
        if let Some(wanted) = order.wanted {
            let before = self.wanted.as_ref();
            if before
                .is_none_or(|before| before.content != wanted.content || before.view != wanted.view)
            {
                self.level = Level::Stale;
            }
            if self
                .stage
                .as_ref()
                .is_none_or(|stage| stage.epoch != wanted.epoch)
            {
                self.stage = BoxRenderer::new(&wanted);
                self.shown.forget();
                self.depths = None;
            }
            self.wanted = Some(wanted);
        }
        if let Some(stage) = &mut self.stage {
            order
                .parts
                .lava
                .iter()
                .for_each(|patch| stage.mirror.patch(patch));
            order
                .parts
                .media
                .iter()
                .for_each(|update| stage.mirror.update_media(update));
            order
                .parts
                .air
                .into_iter()
                .for_each(|air| stage.mirror.set_air(air));
            order
                .parts
                .crust
                .into_iter()
                .for_each(|crust| stage.mirror.set_crust(crust));
        }
        order.jobs
    }

    /// Draws the next picture of the window if a picture is due at the time `now`. Returns the time
    /// to wait before the next call; `None` if nothing is drawn before the next order.
    fn work(&mut self, now: Instant) -> Option<Duration> {
        let wanted = self.wanted.clone()?;
        let view = wanted.view.as_ref()?;
        if self.mailbox.rests() {
            return None;
        }
        let still = self.rest.note(view, wanted.content, now);
        match self.level {
            Level::Stale => {
                let left =
                    (self.started + self.interval(view.quality)).saturating_duration_since(now);
                if !left.is_zero() {
                    return Some(left);
                }
                self.draw_moving(&wanted, view);
                self.level = Level::Moving;
                Some(self.rest.due(Instant::now()))
            }
            Level::Moving if !still.all => Some(self.rest.due(now)),
            Level::Moving => self
                .refine(&wanted, view, Level::Whole)
                .then_some(Duration::ZERO),
            Level::Whole => {
                self.refine(&wanted, view, Level::Smooth);
                None
            }
            Level::Smooth => None,
        }
    }

    /// Returns the minimum time between the starts of two moving pictures under the resolution rule
    /// `quality`.
    fn interval(&self, quality: Quality) -> Duration {
        let whole =
            self.running.resolution.scale() >= 1.0 && self.turning.resolution.scale() >= 1.0;
        match quality {
            // A machine that keeps the whole resolution draws more pictures than asked for.
            Quality::Auto { target_fps } if !whole => {
                Duration::from_secs_f32(1.0 / target_fps.max(1.0)).max(SHORTEST)
            }
            _ => SHORTEST,
        }
    }

    /// Draws a moving picture at the adapted resolution, accumulates it, and hands the result to
    /// the window.
    fn draw_moving(&mut self, wanted: &PictureContent, view: &View) {
        let Some(stage) = &mut self.stage else { return };
        self.started = Instant::now();
        let visible = view.visible();
        let window = visible.size();
        let rests = self.last.as_ref() == Some(&visible);
        let movement = if rests {
            &mut self.running
        } else {
            &mut self.turning
        };
        let effort = movement
            .resolution
            .moving(view.quality, [window.0, window.1], movement.took);
        let share = effort.size[1] as f32 / window.1.max(1) as f32;
        // While the ground changes, use fewer subpixel offsets: the rays of each offset must search
        // each new ground again.
        let unsteady = stage
            .grounded
            .is_some_and(|since| since.elapsed() < UNSTEADY);
        let places = places(if unsteady { share.max(FEW) } else { share });
        self.frames += 1;
        let shift = places[self.frames as usize % places.len()];
        let camera = visible
            .resized((effort.size[0], effort.size[1]))
            .shifted(shift);
        // A turning camera never returns to a subpixel offset, so the ground hits of earlier frames
        // need not be kept.
        stage
            .renderer
            .keep_cameras(if rests { places.len() } else { 1 });
        let antialias = if effort.repeats > 1 {
            Antialias::Edges
        } else {
            Antialias::Off
        };
        // Coarser sampling along rays where the frame budget does not even allow all pixels.
        let coarser = if effort.size[0] < window.0 {
            COARSER
        } else {
            1.0
        };
        let fineness = Fineness {
            antialias,
            coarser,
            frame: self.frames,
        };
        let Some(image) = stage.draw(wanted, view, &camera, fineness) else {
            return;
        };
        if self
            .depths
            .as_ref()
            .is_none_or(|depths| !depths.is_of(&visible))
        {
            let depths = stage.depths(&visible, &camera);
            match self.depths.replace(depths).zip(self.depths.as_ref()) {
                Some((before, now)) => self.shown.turn(&before, now),
                None => self.shown.forget(),
            }
        }
        let rgba = self.shown.add(&image, shift, window);
        let took = self.started.elapsed();
        // The first pictures from a camera at rest must search the ground for each subpixel offset,
        // as those from a turning camera must; their times are not measured. Later pictures are
        // measured even if they search the ground too, because the ground changes.
        self.rested = if rests { self.rested + 1 } else { 0 };
        if !rests || self.rested > places.len() {
            movement.took = smoothed(movement.took, took);
            movement.resolution.timed();
        }
        self.last = Some(visible);
        self.hand_over(rgba, view, (took, share), false);
    }

    /// Draws the present content with the refinement `level` and hands the picture to the window.
    /// Returns false if a change has interrupted the drawing.
    fn refine(&mut self, wanted: &PictureContent, view: &View, level: Level) -> bool {
        let Some(stage) = &mut self.stage else {
            return false;
        };
        let visible = view.visible();
        let window = visible.size();
        let [width, height] = still(view.quality, [window.0, window.1]);
        let camera = visible.resized((width, height));
        let antialias = if level == Level::Smooth {
            Antialias::Full
        } else {
            Antialias::Edges
        };
        let start = Instant::now();
        let switch = stage.renderer.stop_switch();
        if !self.mailbox.guard(self.seen, &switch) {
            return false;
        }
        let image = stage.draw(wanted, view, &camera, Fineness::still(antialias));
        self.mailbox.unguard();
        let Some(image) = image else { return false };
        self.level = level;
        let rgba = if image.height == window.1 {
            // Later moving pictures continue from this one.
            self.shown.begin(&image);
            opaque(&image)
        } else {
            Upsampler::default().add(&image, [0.0; 2], window)
        };
        let share = image.height as f32 / window.1 as f32;
        self.hand_over(rgba, view, (start.elapsed(), share), level == Level::Smooth);
        true
    }

    /// Hands a picture to the window. `rgba`: pixels of the columns right of the panel; `took`:
    /// drawing time; `share`: traced fraction of the resolution along each axis; `last`: true if no
    /// refined picture follows.
    fn hand_over(&self, rgba: Vec<u8>, view: &View, (took, share): (Duration, f32), last: bool) {
        let window = view.camera.size();
        let pixels = Pixels {
            window,
            left: window.0 - view.visible().size().0,
            rgba,
        };
        let (camera, state) = (
            view.camera.clone(),
            self.wanted.as_ref().map_or(0, |wanted| wanted.state),
        );
        self.mailbox.finish(Finished {
            pixels,
            camera,
            took,
            share,
            last,
            state,
        });
    }

    /// Draws the picture of `job` for an image file; `None` before the first scene.
    fn picture(&mut self, job: &Job) -> Option<RgbaImage> {
        let (wanted, stage) = (self.wanted.as_ref()?, self.stage.as_mut()?);
        let antialias = if job.smooth {
            Antialias::Full
        } else {
            Antialias::Edges
        };
        let image = stage.draw(
            wanted,
            &job.view,
            &job.view.camera,
            Fineness::still(antialias),
        )?;
        let mut rgba = opaque(&image);
        if job.transparent {
            let cover = stage
                .renderer
                .coverage(stage.mirror.volume(), &job.view.camera, &image);
            rgba.chunks_exact_mut(4)
                .zip(cover)
                .for_each(|(pixel, cover)| pixel[3] = cover);
        }
        RgbaImage::from_raw(image.width as u32, image.height as u32, rgba)
    }
}

impl BoxRenderer {
    fn new(wanted: &PictureContent) -> Option<Self> {
        // The window has validated the look.
        let renderer =
            Renderer::over(wanted.land.clone(), wanted.grid, wanted.look.clone()).ok()?;
        Some(Self {
            epoch: wanted.epoch,
            renderer,
            mirror: Mirror::new(wanted.grid),
            grounded: None,
            known: false,
        })
    }

    /// Returns the depth buffer of the last frame: depths along the view direction of the ground
    /// hits, together with the camera `window` of the window's picture. `frame`: camera of that
    /// frame. Rays without a ground hit (sky, plume) get the depth of the scene's centre.
    fn depths(&self, window: &Camera, frame: &Camera) -> Depths {
        let subject = self.renderer.subject();
        let middle = nalgebra::center(&subject.low, &subject.high);
        let [_, _, forward] = frame.measures();
        let beyond = forward.dot(&(middle - frame.eye())).max(1.0);
        Depths::new(window, frame, &self.renderer.distances(), beyond)
    }

    /// Draws a picture with `camera`; `None` if a change has interrupted the drawing.
    fn draw(
        &mut self,
        wanted: &PictureContent,
        view: &View,
        camera: &Camera,
        Fineness {
            antialias,
            coarser,
            frame,
        }: Fineness,
    ) -> Option<Image> {
        // Only the settings that differ from the last picture are set again: the renderer keeps its
        // caches.
        let Self {
            renderer,
            mirror,
            known,
            grounded,
            ..
        } = self;
        if !renderer.is_over(&wanted.land) {
            *grounded = Some(Instant::now());
            renderer.set_land(wanted.land.clone());
        }
        let step = (coarser * wanted.look.step)
            .min(LONGEST_STEP)
            .max(wanted.look.step);
        let look = LookSpec {
            antialias,
            step,
            ..wanted.look.clone()
        };
        if *renderer.look() != look {
            renderer.set_look_but_sunlight(look).ok()?;
        }
        renderer.set_steps(wanted.steps);
        renderer.set_mouths(wanted.mouths.to_vec());
        renderer.set_frame(frame);
        let slice = |axis: usize| wanted.cuts[axis].clone().filter(|_| view.cuts_shown[axis]);
        renderer.set_contents(Contents {
            lava: view.volume_shown,
            ground: view.ground_shown,
            legend: false,
            slices: [slice(0), slice(1), slice(2)],
        });
        mirror.settle();
        let image = renderer.frame_with(mirror.volume(), &mirror.changes(*known), camera);
        *known = true;
        mirror.drawn();
        image
    }
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

/// Returns the pixels of `image` as RGBA bytes with alpha 255.
fn opaque(image: &Image) -> Vec<u8> {
    image
        .rgb
        .chunks_exact(3)
        .flat_map(|p| [p[0], p[1], p[2], 255])
        .collect()
}
