//! Drawing thread of the CPU painter: draws pictures at the target frame rate while anything
//! changes ("moving pictures"), then refines the picture once nothing changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbaImage;

use super::mailbox::{Finished, Job, Mailbox, Order, PictureContent, Pixels};
use super::mirror::Mirror;
use crate::paint::View;
use lavoxel_paint::rest::Rest;
use lavoxel_render::contents::Contents;
use lavoxel_render::renderer::Renderer;
use lavoxel_render::running::{Fineness, Haste, Quality, Running, Tracing, enlarged, still};
use lavoxel_render::{Antialias, Camera, Image, LookSpec};

/// Shortest time between the starts of two moving pictures: one frame at 60 Hz.
const SHORTEST: Duration = Duration::from_millis(16);

/// Time after a change of the ground during which moving pictures use few subpixel offsets. Another
/// change is likely in this time, and after each change the rays of every offset must search the
/// ground again.
const UNSTEADY: Duration = Duration::from_secs(3);
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
    /// Accumulated moving pictures.
    shown: Running,
    /// Time at which the drawing of the last moving picture began.
    started: Instant,
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
            shown: Running::default(),
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
        match quality {
            // A machine that keeps the whole resolution draws more pictures than asked for.
            Quality::Auto { target_fps } if !self.shown.is_whole() => {
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
        let unsteady = stage
            .grounded
            .is_some_and(|since| since.elapsed() < UNSTEADY);
        let mut frames = Frames {
            stage,
            wanted,
            view,
        };
        let haste = Haste {
            quality: view.quality,
            unsteady,
            fine: false,
        };
        if let Some(shown) = self.shown.draw(&mut frames, &visible, haste) {
            self.hand_over(shown.rgba, view, (shown.took, shown.share), false);
        }
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
            enlarged(&image, window)
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

/// Frames of the present content of the window.
struct Frames<'a> {
    stage: &'a mut BoxRenderer,
    wanted: &'a PictureContent,
    view: &'a View,
}

impl Tracing for Frames<'_> {
    fn renderer(&mut self) -> &mut Renderer {
        &mut self.stage.renderer
    }

    fn trace(&mut self, camera: &Camera, fineness: Fineness) -> Option<Image> {
        self.stage.draw(self.wanted, self.view, camera, fineness)
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

    /// Draws a picture with `camera`; `None` if a change has interrupted the drawing.
    fn draw(
        &mut self,
        wanted: &PictureContent,
        view: &View,
        camera: &Camera,
        fineness: Fineness,
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
        let look = LookSpec {
            antialias: fineness.antialias,
            step: fineness.step(wanted.look.step),
            ..wanted.look.clone()
        };
        if *renderer.look() != look {
            renderer.set_look_but_sunlight(look).ok()?;
        }
        renderer.set_steps(wanted.steps);
        renderer.set_mouths(wanted.mouths.to_vec());
        renderer.set_frame(fineness.frame);
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

/// Returns the pixels of `image` as RGBA bytes with alpha 255.
fn opaque(image: &Image) -> Vec<u8> {
    image
        .rgb
        .chunks_exact(3)
        .flat_map(|p| [p[0], p[1], p[2], 255])
        .collect()
}
