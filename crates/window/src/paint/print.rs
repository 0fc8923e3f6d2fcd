//! Thread that traces a print: the present state from the present camera, as a picture that becomes
//! better with every pass.
//!
//! The first picture has a quarter of the resolution along each axis, so that it comes soon; the
//! pictures after it have the whole one. The thread ends by itself at the limit of samples.
//!
//! - Invariant: the window never waits for the thread. Dropping a [`PrintThread`] asks the thread to
//!   end, which takes a row of pixels, or the preparation of a picture.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

use super::View;
use crate::messages::PrintSubject;
use lavoxel_base::parallel::on_own_threads;
use lavoxel_render::contents::Contents;
use lavoxel_render::ground::land::TerrainLook;
use lavoxel_render::{Image, LookSpec, Print, Renderer, Style};

/// Number of samples a pixel at which the tracing ends.
pub(crate) const MOST_SAMPLES: u32 = 256;
/// Factor by which the first picture is coarser along each axis.
const COARSER: usize = 4;
/// Samples a pixel, and time of tracing, of which the first to be reached ends the coarse picture.
const COARSE_SAMPLES: u32 = 8;
const COARSE_TIME: Duration = Duration::from_millis(500);
/// Samples a pixel from which on there is an estimate of the noise, by which a picture is smoothed.
const LEAST_SAMPLES: u32 = 2;
/// Shortest time between two pictures, and its least multiple of the time for smoothing one: most of
/// the processor is left to the tracing.
const APART: Duration = Duration::from_millis(500);
const WORTH: u32 = 5;

/// Inputs of a print.
pub(crate) struct PrintJob {
    pub(crate) subject: PrintSubject,
    pub(crate) land: Arc<TerrainLook>,
    pub(crate) look: LookSpec,
    pub(crate) view: View,
}

impl PrintJob {
    /// Creates the renderer of the print; `None` if the look is invalid.
    fn renderer(&self, stop: &Arc<AtomicBool>) -> Option<Renderer> {
        let look = LookSpec {
            style: Style::Print,
            ..self.look.clone()
        };
        let (subject, view) = (&self.subject, &self.view);
        let grid = subject.volume.grid;
        let mut renderer = Renderer::over(Arc::clone(&self.land), grid, look).ok()?;
        renderer.stop_by(Arc::clone(stop));
        renderer.set_steps(subject.steps);
        renderer.set_mouths(subject.mouths.clone());
        let slice = |axis: usize| {
            let cut = subject.cuts[axis].clone().map(Arc::new);
            cut.filter(|_| view.cuts_shown[axis])
        };
        renderer.set_contents(Contents {
            lava: view.volume_shown,
            ground: view.ground_shown,
            legend: false,
            slices: [slice(0), slice(1), slice(2)],
        });
        Some(renderer)
    }
}

/// State of a print in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PrintProgress {
    /// Number of samples a pixel so far.
    pub(crate) samples: u32,
    /// Estimate of the noise, relative to the picture's mean luminance; infinite below two samples.
    pub(crate) noise: f64,
    /// Time since the tracing began, preparation included.
    pub(crate) took: Duration,
    /// Set if the numbers are those of the picture in whole resolution.
    pub(crate) is_whole: bool,
    /// Set once the tracing has ended.
    pub(crate) is_over: bool,
}

impl Default for PrintProgress {
    fn default() -> Self {
        Self {
            samples: 0,
            noise: f64::INFINITY,
            took: Duration::ZERO,
            is_whole: false,
            is_over: false,
        }
    }
}

#[derive(Default)]
struct Shared {
    /// Stops the tracing when set.
    stop: Arc<AtomicBool>,
    /// Set once nobody looks at the pictures any more.
    dropped: AtomicBool,
    news: Mutex<News>,
}

#[derive(Default)]
struct News {
    progress: PrintProgress,
    /// Latest picture that the window has not taken yet.
    picture: Option<Image>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, News> {
        // The lock is held only to move values, so a poisoned state is still valid.
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// Handle of the thread that traces a print.
pub(crate) struct PrintThread {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

impl PrintThread {
    /// Starts the tracing of `job`.
    ///
    /// # Errors
    /// If the operating system gives no thread.
    pub(crate) fn start(job: PrintJob) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let work = move || {
            let start = Instant::now();
            let threads = rayon::current_num_threads();
            on_own_threads(("printing", threads), || trace(&job, &theirs, start));
            let mut news = theirs.lock();
            news.progress.is_over = true;
        };
        let thread = thread::Builder::new()
            .name("printing".to_owned())
            .spawn(work)?;
        Ok(Self { shared, thread })
    }

    /// Returns the present numbers of the print.
    pub(crate) fn progress(&self) -> PrintProgress {
        self.shared.lock().progress
    }

    /// Takes the latest picture; `None` if there is none since the last call.
    pub(crate) fn take_picture(&self) -> Option<Image> {
        self.shared.lock().picture.take()
    }

    /// Ends the tracing; a last picture with all samples so far follows.
    pub(crate) fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Returns true if the thread has ended by a panic, which is a bug.
    pub(crate) fn has_failed(&self) -> bool {
        self.thread.is_finished() && !self.progress().is_over
    }
}

impl Drop for PrintThread {
    fn drop(&mut self) {
        self.shared.dropped.store(true, Ordering::Relaxed);
        self.stop();
    }
}

/// Traces `job`, coarsely and then in whole resolution, and puts numbers and pictures into
/// `shared`. `start`: time at which the print began.
fn trace(job: &PrintJob, shared: &Shared, start: Instant) {
    let Some(mut renderer) = job.renderer(&shared.stop) else {
        return;
    };
    let whole = job.view.visible();
    let (width, height) = whole.size();
    let coarse = whole.resized((width.div_ceil(COARSER), height.div_ceil(COARSER)));
    let mut is_whole = false;
    renderer.prints(&job.subject.volume, &[coarse, whole], |print| {
        if is_whole {
            refine(print, shared, start);
        } else {
            begin(print, shared, start);
        }
        is_whole = true;
        !shared.stops()
    });
}

/// Traces `print`, the coarse picture, until it may be shown.
fn begin(print: &mut Print, shared: &Shared, start: Instant) {
    let traced = Instant::now();
    while print.pass() && print.samples() < COARSE_SAMPLES {
        if print.samples() >= LEAST_SAMPLES && traced.elapsed() >= COARSE_TIME {
            break;
        }
    }
    if print.samples() > 0 && !shared.is_dropped() {
        show(print, shared, (start, false));
    }
}

/// Traces `print`, the picture in whole resolution, until the limit of samples or until the tracing
/// is stopped.
fn refine(print: &mut Print, shared: &Shared, start: Instant) {
    let mut next = Instant::now();
    let mut shown = 0;
    while print.samples() < MOST_SAMPLES && print.pass() {
        tell(print, shared, (start, true));
        if print.samples() >= LEAST_SAMPLES && Instant::now() >= next {
            let before = Instant::now();
            show(print, shared, (start, true));
            shown = print.samples();
            next = Instant::now() + APART.max(WORTH * before.elapsed());
        }
    }
    if print.samples() > shown && !shared.is_dropped() {
        show(print, shared, (start, true));
    }
}

/// Puts the numbers of `print` into `shared`; see `show`.
fn tell(print: &Print, shared: &Shared, (start, is_whole): (Instant, bool)) {
    let progress = PrintProgress {
        samples: print.samples(),
        noise: print.noise(),
        took: start.elapsed(),
        is_whole,
        is_over: false,
    };
    shared.lock().progress = progress;
}

/// Puts the smoothed picture of `print` and its numbers into `shared`. `start`: time at which the
/// print began; `is_whole`: true for a picture in whole resolution.
fn show(print: &Print, shared: &Shared, (start, is_whole): (Instant, bool)) {
    let picture = print.smoothed();
    tell(print, shared, (start, is_whole));
    shared.lock().picture = Some(picture);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::fixture;
    use lavoxel_automaton::engine::tiled::Tiled;
    use lavoxel_base::memory::Held;
    use lavoxel_paint::bake::BakedGround;
    use lavoxel_paint::changes::GroundPatch;
    use lavoxel_render::{Camera, CameraSpec};
    use lavoxel_scene::scene::{Scene, VentPlace};
    use lavoxel_sim::lowpass::LowPass;

    /// Width and height in pixels.
    const SIZE: (usize, usize) = (45, 31);
    const PATIENCE: Duration = Duration::from_secs(120);

    /// Returns a print of a small volcano with a little lava, in a window of `size` pixels, of which
    /// the panel covers five columns.
    fn job(size: (usize, usize)) -> PrintJob {
        let mut scene = Scene::volcano();
        scene.spec.grid.size = [32, 32, 32];
        scene.spec.vents[0].place = VentPlace::Cells { x: 15.0, z: 15.0 };
        let stage = scene.build(Box::new(Tiled::default())).expect("a volcano");
        let mut simulation = stage.simulation;
        (0..60).for_each(|_| simulation.step());
        let (world, look) = (simulation.world(), LookSpec::default());
        let grid = world.grid();
        let patch = GroundPatch::whole(world.ground(), 1.0);
        let mut ground = BakedGround::new(&patch, grid, &look);
        assert!(ground.final_land().is_none(), "the fine bake is to come");
        ground.finish(&look);
        let mut lowpass = LowPass::new(grid);
        let volume = lowpass.refresh(world).clone();
        let camera = Camera::new(&CameraSpec::default(), &ground.subject(), size);
        PrintJob {
            subject: PrintSubject {
                volume,
                cuts: [None, None, None],
                steps: simulation.steps(),
                mouths: Vec::new(),
                held: Held::default(),
            },
            land: ground.final_land().expect("it was finished"),
            look,
            view: View {
                covered: 5,
                ..fixture::view(camera)
            },
        }
    }

    /// Waits until `is_there` returns something of `print`, and returns that.
    fn wait<T>(print: &PrintThread, is_there: impl Fn(&PrintThread) -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(found) = is_there(print) {
                return found;
            }
            assert!(!print.has_failed(), "the thread panicked");
            thread::sleep(Duration::from_millis(1));
        }
        panic!("nothing came: {:?}", print.progress());
    }

    #[test]
    fn a_print_ends_at_the_limit_of_samples() {
        let print = PrintThread::start(job(SIZE)).expect("a thread");
        let over = wait(&print, |print| {
            let progress = print.progress();
            progress.is_over.then_some(progress)
        });
        assert!(over.is_whole && over.samples == MOST_SAMPLES, "{over:?}");
        assert!(over.noise > 0.0 && over.noise < 0.2, "{over:?}");
        let picture = print.take_picture().expect("the last one");
        assert_eq!((picture.width, picture.height), (40, 31));
        thread::sleep(Duration::from_millis(100));
        assert!(print.thread.is_finished() && !print.has_failed());
    }

    #[test]
    fn a_stopped_print_keeps_its_samples_in_a_last_picture() {
        let print = PrintThread::start(job((805, 600))).expect("a thread");
        wait(&print, |print| {
            (print.progress().samples >= 2).then_some(())
        });
        let before = Instant::now();
        print.stop();
        let over = wait(&print, |print| {
            let progress = print.progress();
            progress.is_over.then_some(progress)
        });
        assert!(over.samples < MOST_SAMPLES && over.samples >= 2, "{over:?}");
        assert!(before.elapsed() < Duration::from_secs(20));
        assert!(print.take_picture().is_some());
    }

    #[test]
    fn a_print_begins_coarse_becomes_whole_and_ends_soon_after_it_was_dropped() {
        let print = PrintThread::start(job((805, 600))).expect("a thread");
        let first = wait(&print, PrintThread::take_picture);
        assert_eq!((first.width, first.height), (200, 150));
        let second = wait(&print, PrintThread::take_picture);
        assert_eq!((second.width, second.height), (800, 600));
        let shared = Arc::clone(&print.shared);
        let before = Instant::now();
        drop(print);
        assert!(before.elapsed() < Duration::from_millis(50), "nobody waits");
        while Arc::strong_count(&shared) > 1 {
            assert!(before.elapsed() < Duration::from_secs(10), "it traces on");
            thread::sleep(Duration::from_millis(2));
        }
    }
}
