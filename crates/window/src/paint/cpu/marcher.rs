//! Drawing thread: ray-marches at the wanted rate while something moves, then refines the same
//! picture.

use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbaImage;

use super::mailbox::{Finished, Job, Mailbox, Order, Pixels, Wanted};
use super::mirror::Mirror;
use super::turned::Depths;
use super::upsample::{Upsampler, places};
use crate::paint::View;
use crate::paint::quality::{Quality, Resolution, Rest, still};
use lavoxel_render::contents::Contents;
use lavoxel_render::renderer::Renderer;
use lavoxel_render::{Antialias, Camera, Image, LookSpec};

/// Shortest time between two moving pictures: one frame at 60 Hz.
const SHORTEST: Duration = Duration::from_millis(16);

/// Factor on the distance between samples in moving pictures of less than the whole resolution.
const COARSER: f32 = 2.0;
/// Upper bound in cells of the distance between samples that this factor makes.
const LONGEST_STEP: f32 = 1.0;

/// Time after a change of the ground during which another change is likely: each new ground must be
/// searched from all traced places again. Meanwhile, frames take turns at fewer places, as if the
/// resolution were at least `FEW`.
const UNSTEADY: Duration = Duration::from_secs(3);
/// Least share of the window's resolution that counts for the number of places while the ground
/// changes.
const FEW: f32 = 0.5;

/// Refinement of the present state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Nothing has been drawn.
    Stale,
    /// Drawn with the resolution that the wanted rate allows.
    Moving,
    /// Drawn at the whole resolution.
    Whole,
    /// Drawn with full antialiasing; final.
    Smooth,
}

/// Resolution and time of one kind of movement: pictures from a turning camera take longer than
/// those from a camera at rest, since rays must search the ground again.
#[derive(Default)]
struct Movement {
    resolution: Resolution,
    took: Duration,
}

/// State of the drawing thread.
pub(super) struct Marcher {
    mailbox: Arc<Mailbox>,
    /// Serial number of the last change taken.
    seen: u64,
    wanted: Option<Wanted>,
    stage: Option<Stage>,
    level: Level,
    rest: Rest,
    /// Movement with a turning camera.
    turning: Movement,
    /// Movement of the scene before a camera at rest.
    running: Movement,
    /// Camera of the last moving picture.
    last: Option<Camera>,
    /// Depths of the ground in the last moving picture, for reprojection.
    depths: Option<Depths>,
    /// Running picture of a moving scene.
    shown: Upsampler,
    /// Number of frames mixed into running pictures so far.
    frames: u64,
    /// Number of pictures since the camera came to rest.
    rested: usize,
    /// Start time of the last moving picture.
    started: Instant,
}

/// Antialiasing and sampling of a picture.
struct Fineness {
    antialias: Antialias,
    /// Factor on the distance between samples.
    coarser: f32,
    /// Number of the frame; each number jitters the samples differently.
    frame: u64,
}

impl Fineness {
    /// Sampling of a picture for a file or of a still picture.
    fn still(antialias: Antialias) -> Self {
        Self { antialias, coarser: 1.0, frame: 0 }
    }
}

/// Renderer of one box, and its volume.
struct Stage {
    epoch: u64,
    renderer: Renderer,
    mirror: Mirror,
    /// Time of the last change of the ground; `None` before the first change.
    grounded: Option<Instant>,
    /// Set once the renderer has seen the volume; later pictures need only the mirror's changes.
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

    /// Draws until the window closes.
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

    /// Applies a change and returns the requests for pictures.
    fn take(&mut self, order: Order) -> Vec<Job> {
        self.seen = order.serial;
        if let Some(wanted) = order.wanted {
            let before = self.wanted.as_ref();
            if before.is_none_or(|before| before.content != wanted.content || before.view != wanted.view) {
                self.level = Level::Stale;
            }
            if self.stage.as_ref().is_none_or(|stage| stage.epoch != wanted.epoch) {
                self.stage = Stage::new(&wanted);
                self.shown.forget();
                self.depths = None;
            }
            self.wanted = Some(wanted);
        }
        if let Some(stage) = &mut self.stage {
            order.parts.lava.iter().for_each(|patch| stage.mirror.patch(patch));
            order.parts.media.iter().for_each(|update| stage.mirror.update_media(update));
            order.parts.air.into_iter().for_each(|air| stage.mirror.set_air(air));
            order.parts.crust.into_iter().for_each(|crust| stage.mirror.set_crust(crust));
        }
        order.jobs
    }

    /// Draws the next picture if it is due. Returns the time until there is work again; `None` to
    /// wait for a change.
    fn work(&mut self, now: Instant) -> Option<Duration> {
        let wanted = self.wanted.clone()?;
        let view = wanted.view.as_ref()?;
        let still = self.rest.note(view, wanted.content, now);
        match self.level {
            Level::Stale => {
                let left = (self.started + self.interval(view.quality)).saturating_duration_since(now);
                if !left.is_zero() {
                    return Some(left);
                }
                self.draw_moving(&wanted, view);
                self.level = Level::Moving;
                Some(self.rest.due(Instant::now()))
            }
            Level::Moving if !still.all => Some(self.rest.due(now)),
            Level::Moving => self.refine(&wanted, view, Level::Whole).then_some(Duration::ZERO),
            Level::Whole => {
                self.refine(&wanted, view, Level::Smooth);
                None
            }
            Level::Smooth => None,
        }
    }

    /// Time between the starts of two moving pictures.
    fn interval(&self, quality: Quality) -> Duration {
        let whole = self.running.resolution.scale() >= 1.0 && self.turning.resolution.scale() >= 1.0;
        match quality {
            // A machine that keeps the whole resolution draws more pictures than asked for.
            Quality::Auto { target_fps } if !whole => Duration::from_secs_f32(1.0 / target_fps.max(1.0)).max(SHORTEST),
            _ => SHORTEST,
        }
    }

    /// Draws a moving picture at an adapted resolution and mixes it into the running picture.
    fn draw_moving(&mut self, wanted: &Wanted, view: &View) {
        let Some(stage) = &mut self.stage else { return };
        self.started = Instant::now();
        let visible = view.visible();
        let window = visible.size();
        let rests = self.last.as_ref() == Some(&visible);
        let movement = if rests { &mut self.running } else { &mut self.turning };
        let effort = movement.resolution.moving(view.quality, [window.0, window.1], movement.took);
        let share = effort.size[1] as f32 / window.1.max(1) as f32;
        // Each new ground must be searched again from all places: while it changes, use fewer
        // places.
        let unsteady = stage.grounded.is_some_and(|since| since.elapsed() < UNSTEADY);
        let places = places(if unsteady { share.max(FEW) } else { share });
        self.frames += 1;
        let shift = places[self.frames as usize % places.len()];
        let camera = visible.resized((effort.size[0], effort.size[1])).shifted(shift);
        // A turning camera returns to none of the places, so their hits need not be kept.
        stage.renderer.keep_cameras(if rests { places.len() } else { 1 });
        let antialias = if effort.repeats > 1 { Antialias::Edges } else { Antialias::Off };
        // If there is no time for all pixels, there is none for fine samples either.
        let coarser = if effort.size[0] < window.0 { COARSER } else { 1.0 };
        let fineness = Fineness { antialias, coarser, frame: self.frames };
        let Some(image) = stage.draw(wanted, view, &camera, fineness) else { return };
        if self.depths.as_ref().is_none_or(|depths| !depths.is_of(&visible)) {
            let depths = stage.depths(&visible, &camera);
            match self.depths.replace(depths).zip(self.depths.as_ref()) {
                Some((before, now)) => self.shown.turn(&before, now),
                None => self.shown.forget(),
            }
        }
        let rgba = self.shown.add(&image, shift, window);
        let took = self.started.elapsed();
        // The first pictures from a camera at rest must find the ground, as those from a turning
        // camera must; they are not timed. Later ones are timed even if they find the ground too,
        // because it changes.
        self.rested = if rests { self.rested + 1 } else { 0 };
        if !rests || self.rested > places.len() {
            movement.took = smoothed(movement.took, took);
            movement.resolution.timed();
        }
        self.last = Some(visible);
        self.hand_over(rgba, view, (took, share), false);
    }

    /// Draws the present state at `level`. Returns false if a change has stopped the picture.
    fn refine(&mut self, wanted: &Wanted, view: &View, level: Level) -> bool {
        let Some(stage) = &mut self.stage else { return false };
        let visible = view.visible();
        let window = visible.size();
        let [width, height] = still(view.quality, [window.0, window.1]);
        let camera = visible.resized((width, height));
        let antialias = if level == Level::Smooth { Antialias::Full } else { Antialias::Edges };
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

    /// Hands a picture to the window; its pixels lie right of the panel.
    fn hand_over(&self, rgba: Vec<u8>, view: &View, (took, share): (Duration, f32), last: bool) {
        let window = view.camera.size();
        let pixels = Pixels { window, left: window.0 - view.visible().size().0, rgba };
        let (camera, state) = (view.camera.clone(), self.wanted.as_ref().map_or(0, |wanted| wanted.state));
        self.mailbox.finish(Finished { pixels, camera, took, share, last, state });
    }

    /// Draws a picture for a file; `None` before the first scene.
    fn picture(&mut self, job: &Job) -> Option<RgbaImage> {
        let (wanted, stage) = (self.wanted.as_ref()?, self.stage.as_mut()?);
        let antialias = if job.smooth { Antialias::Full } else { Antialias::Edges };
        let image = stage.draw(wanted, &job.view, &job.view.camera, Fineness::still(antialias))?;
        let mut rgba = opaque(&image);
        if job.transparent {
            let cover = stage.renderer.coverage(stage.mirror.volume(), &job.view.camera, &image);
            rgba.chunks_exact_mut(4).zip(cover).for_each(|(pixel, cover)| pixel[3] = cover);
        }
        RgbaImage::from_raw(image.width as u32, image.height as u32, rgba)
    }
}

impl Stage {
    fn new(wanted: &Wanted) -> Option<Self> {
        // The window has validated the look.
        let renderer = Renderer::over(wanted.land.clone(), wanted.grid, wanted.look.clone()).ok()?;
        Some(Self { epoch: wanted.epoch, renderer, mirror: Mirror::new(wanted.grid), grounded: None, known: false })
    }

    /// Depths in the window's picture of the ground hit by the last frame. Rays without a hit, as
    /// before the sky or a plume, get the depth of the scene's middle.
    fn depths(&self, window: &Camera, frame: &Camera) -> Depths {
        let subject = self.renderer.subject();
        let middle = nalgebra::center(&subject.low, &subject.high);
        let [_, _, forward] = frame.measures();
        let beyond = forward.dot(&(middle - frame.eye())).max(1.0);
        Depths::new(window, frame, &self.renderer.distances(), beyond)
    }

    /// Draws a picture; `None` if a change has stopped it.
    fn draw(
        &mut self,
        wanted: &Wanted,
        view: &View,
        camera: &Camera,
        Fineness { antialias, coarser, frame }: Fineness,
    ) -> Option<Image> {
        // The renderer is kept: only what differs from the last picture is set again.
        let Self { renderer, mirror, known, grounded, .. } = self;
        if !renderer.is_over(&wanted.land) {
            *grounded = Some(Instant::now());
            renderer.set_land(wanted.land.clone());
        }
        let step = (coarser * wanted.look.step).min(LONGEST_STEP).max(wanted.look.step);
        let look = LookSpec { antialias, step, ..wanted.look.clone() };
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

/// Exponential average of a picture's time, since the time varies with the load of the machine.
fn smoothed(before: Duration, now: Duration) -> Duration {
    if before.is_zero() { now } else { before.mul_f32(0.6) + now.mul_f32(0.4) }
}

/// RGBA bytes of a picture with full opacity.
fn opaque(image: &Image) -> Vec<u8> {
    image.rgb.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect()
}
