//! Mailbox through which the window and the drawing thread of the CPU painter exchange orders and
//! pictures.
//!
//! Invariant: the lock is held only to move or clone values in and out, so that neither thread
//! waits while the other works.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use image::RgbaImage;

use crate::paint::View;
use lavoxel_base::grid::Grid;
use lavoxel_paint::changes::{MediaUpdate, Patch};
use lavoxel_render::ground::land::TerrainLook;
use lavoxel_render::{Camera, Cut, LookSpec, Mouth};
use lavoxel_sim::lowpass::{AirVolume, CrustMap};

/// Inputs of a picture: everything that determines the picture except the volume, whose changes are
/// sent separately.
#[derive(Clone)]
pub(super) struct PictureContent {
    /// Number of the simulation box, which increases with each update that replaces all data, for
    /// example after another scene was opened.
    pub(super) epoch: u64,
    pub(super) grid: Grid,
    pub(super) land: Arc<TerrainLook>,
    pub look: LookSpec,
    pub(super) cuts: [Option<Arc<Cut>>; 3],
    /// Number of simulation steps made so far.
    pub(super) steps: u64,
    /// Vent mouths that throw sparks (lava fountains).
    pub(super) mouths: Arc<Vec<Mouth>>,
    /// Counter of all visible changes of scene and look; changes of camera and display options are
    /// not counted.
    pub(super) content: u64,
    /// Counter of all visible changes, including those of camera and display options.
    pub(super) state: u64,
    /// Camera, display options and resolution rule of the window; `None` before the window has set
    /// them.
    pub(super) view: Option<View>,
}

/// Request to draw one picture for an image file.
pub(super) struct Job {
    pub(super) view: View,
    /// Set for antialiasing of the whole picture; otherwise only edges are antialiased.
    pub(super) smooth: bool,
    pub(super) transparent: bool,
    pub(super) reply: Sender<Option<RgbaImage>>,
}

/// Picture of the window without the columns under the panel: RGBA bytes, row-major from the top.
pub(super) struct Pixels {
    /// Width and height of the whole window in pixels.
    pub(super) window: (usize, usize),
    /// Number of pixel columns at the left of the window, under the panel, that `rgba` lacks.
    pub(super) left: usize,
    pub(super) rgba: Vec<u8>,
}

impl Pixels {
    /// Returns the picture in the size of the window, black in the columns under the panel; `None`
    /// if the number of bytes in `rgba` does not fit the size.
    pub(super) fn whole(&self) -> Option<RgbaImage> {
        let ((width, height), drawn) = (self.window, self.window.0 - self.left);
        let mut image =
            RgbaImage::from_pixel(width as u32, height as u32, image::Rgba([0, 0, 0, u8::MAX]));
        let rows = image
            .chunks_exact_mut(4 * width)
            .zip(self.rgba.chunks_exact(4 * drawn));
        rows.for_each(|(row, drawn)| row[4 * self.left..].copy_from_slice(drawn));
        (self.rgba.len() == 4 * drawn * height).then_some(image)
    }
}

/// Finished picture for the window, with its camera and drawing time.
pub(super) struct Finished {
    pub(super) pixels: Pixels,
    /// Camera with which the picture was drawn, for the whole window.
    pub(super) camera: Camera,
    pub(super) took: Duration,
    /// Resolution at which rays were traced, as a fraction (0 to 1) of the window's resolution
    /// along each axis.
    pub(super) share: f32,
    /// Set if the picture is final: no refined picture follows unless something changes.
    pub(super) last: bool,
    /// Value of [`PictureContent::state`] for which the picture was drawn.
    pub(super) state: u64,
}

/// Changes of the volume, which the drawing thread applies to its own copy.
#[derive(Default)]
pub(super) struct VolumeChanges {
    pub(super) lava: Vec<Patch>,
    /// Changes of the materials other than lava, in the order in which the window received them.
    pub(super) media: Vec<MediaUpdate>,
    /// New contents of the air (ash, steam, inks); outer `None` if unchanged, inner `None` for
    /// clear air.
    pub(super) air: Option<Option<Arc<AirVolume>>>,
    /// New surface temperatures of the lava; outer `None` if unchanged, inner `None` if the model
    /// has none.
    pub(super) crust: Option<Option<Arc<CrustMap>>>,
}

impl VolumeChanges {
    pub(super) fn bytes(&self) -> usize {
        let lava: usize = self.lava.iter().map(|patch| 2 * patch.texels.len()).sum();
        let media = self.media.iter().flat_map(|update| &update.patches);
        lava + media.map(|patch| patch.texels.len()).sum::<usize>()
    }

    /// Returns true if there is any change: of lava or other materials, of the air, or of the
    /// lava's surface temperatures.
    pub(super) fn is_there(&self) -> bool {
        self.bytes() > 0 || self.air.is_some() || self.crust.is_some()
    }

    pub(super) fn append(&mut self, later: Self) {
        self.lava.extend(later.lava);
        self.media.extend(later.media);
        self.air = later.air.or(self.air.take());
        self.crust = later.crust.or(self.crust.take());
    }
}

/// Order to the drawing thread: new inputs of the picture, changes of the volume, and requests for
/// image files.
pub(super) struct Order {
    pub(super) serial: u64,
    pub(super) wanted: Option<PictureContent>,
    pub(super) parts: VolumeChanges,
    pub(super) jobs: Vec<Job>,
}

#[derive(Default)]
struct MailboxState {
    /// Serial number of the last call of `Mailbox::post`, counted from 1; 0 before the first call.
    serial: u64,
    wanted: Option<PictureContent>,
    parts: VolumeChanges,
    jobs: Vec<Job>,
    finished: Option<Finished>,
    /// Flag that stops the drawing of the picture in progress; set by the next change, which makes
    /// that picture outdated. `None` while no picture is interruptible.
    give_up: Option<Arc<AtomicBool>>,
    /// Set while no pictures are drawn for the window.
    rests: bool,
    quit: bool,
}

/// Mailbox between the window and the drawing thread: the exchanged state behind a lock, and the
/// condition variable on which the drawing thread waits.
#[derive(Default)]
pub(super) struct Mailbox {
    state: Mutex<MailboxState>,
    changed: Condvar,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, MailboxState> {
        // Code that holds the lock cannot panic, so a poisoned state is still valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the inputs of the picture by `wanted`, queues the volume changes `parts`, and
    /// interrupts the picture in progress. If `wanted` belongs to another simulation box, queued
    /// changes of the previous box are dropped.
    pub(super) fn post(&self, wanted: PictureContent, parts: VolumeChanges) {
        let mut state = self.lock();
        if state
            .wanted
            .as_ref()
            .is_none_or(|before| before.epoch != wanted.epoch)
        {
            state.parts = VolumeChanges::default();
        }
        state.serial += 1;
        state.wanted = Some(wanted);
        state.parts.append(parts);
        state.give_up();
        self.changed.notify_all();
    }

    /// Queues a request for an image file, and interrupts the picture in progress.
    pub(super) fn ask(&self, job: Job) {
        let mut state = self.lock();
        state.jobs.push(job);
        state.give_up();
        self.changed.notify_all();
    }

    /// Stops (true) the drawing of pictures for the window, and interrupts the picture in progress;
    /// or lets the drawing go on (false).
    pub(super) fn set_resting(&self, rests: bool) {
        let mut state = self.lock();
        state.rests = rests;
        // Wakes the drawing thread, which carries on with the same inputs.
        state.serial += 1;
        state.give_up();
        self.changed.notify_all();
    }

    /// Returns true while no pictures are to be drawn for the window.
    pub(super) fn rests(&self) -> bool {
        self.lock().rests
    }

    /// Tells the drawing thread to end, and interrupts the picture in progress.
    pub(super) fn quit(&self) {
        let mut state = self.lock();
        state.quit = true;
        state.give_up();
        self.changed.notify_all();
    }

    /// Returns the size in bytes of the queued volume changes that the drawing thread has not taken
    /// yet.
    pub(super) fn waiting(&self) -> usize {
        self.lock().parts.bytes()
    }

    /// Takes the latest finished picture; `None` if none was finished since the last call.
    pub(super) fn take_finished(&self) -> Option<Finished> {
        self.lock().finished.take()
    }

    /// Returns true if a finished picture waits for the window.
    pub(super) fn has_finished(&self) -> bool {
        self.lock().finished.is_some()
    }

    /// Blocks the drawing thread until `Mailbox::post` was called after the call with the serial
    /// number `seen`, an image file is requested, or the time `most` is over (`None`: no time
    /// limit). Returns the order to carry out; `None` if the thread must end.
    pub(super) fn wait(&self, seen: u64, most: Option<Duration>) -> Option<Order> {
        let until = most.map(|most| Instant::now() + most);
        let mut state = self.lock();
        loop {
            if state.quit {
                return None;
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if state.serial != seen || !state.jobs.is_empty() || left == Some(Duration::ZERO) {
                return Some(Order {
                    serial: state.serial,
                    wanted: (state.serial != seen)
                        .then(|| state.wanted.clone())
                        .flatten(),
                    parts: std::mem::take(&mut state.parts),
                    jobs: std::mem::take(&mut state.jobs),
                });
            }
            state = match left {
                None => self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    self.changed
                        .wait_timeout(state, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            };
        }
    }

    /// Registers `switch`, on behalf of the drawing thread, as the stop flag that the next change
    /// sets. Returns false, without registering the flag, if `Mailbox::post` was called after the
    /// call with the serial number `seen`, an image file is requested, or the thread must end.
    pub(super) fn guard(&self, seen: u64, switch: &Arc<AtomicBool>) -> bool {
        let mut state = self.lock();
        if state.serial != seen || !state.jobs.is_empty() || state.quit {
            return false;
        }
        state.give_up = Some(Arc::clone(switch));
        true
    }

    /// Removes the registered stop flag and clears it; called by the drawing thread.
    pub(super) fn unguard(&self) {
        if let Some(switch) = self.lock().give_up.take() {
            switch.store(false, Ordering::Relaxed);
        }
    }

    /// Stores a finished picture for the window, called by the drawing thread; replaces an earlier
    /// picture that the window has not taken.
    pub(super) fn finish(&self, finished: Finished) {
        self.lock().finished = Some(finished);
    }
}

impl MailboxState {
    fn give_up(&self) {
        if let Some(switch) = &self.give_up {
            switch.store(true, Ordering::Relaxed);
        }
    }
}
