//! Mailbox through which the window and the drawing thread of the CPU painter exchange orders and
//! pictures.
//!
//! Invariant: the lock is held only to move or clone values in and out, so that neither side waits
//! for the other's work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use image::RgbaImage;

use crate::messages::{MediaUpdate, Patch};
use crate::paint::View;
use lavoxel_base::grid::Grid;
use lavoxel_render::ground::land::TerrainLook;
use lavoxel_render::{Camera, Cut, LookSpec, Mouth};
use lavoxel_sim::lowpass::{AirVolume, CrustMap};

/// Everything that determines a picture, except the volume, which is sent as changed parts.
#[derive(Clone)]
pub(super) struct PictureContent {
    /// Number of the simulation box; increases when another box replaces the present one.
    pub(super) epoch: u64,
    pub(super) grid: Grid,
    pub(super) land: Arc<TerrainLook>,
    pub look: LookSpec,
    pub(super) cuts: [Option<Arc<Cut>>; 3],
    /// Number of simulation steps made so far.
    pub(super) steps: u64,
    /// Vent mouths that throw clots of lava (lava fountains).
    pub(super) mouths: Arc<Vec<Mouth>>,
    /// Counter of all visible changes of scene and look; changes of the view are not counted.
    pub(super) content: u64,
    /// Counter of all visible changes, those of the view included.
    pub(super) state: u64,
    /// Camera and resolution rule of the window; `None` before the window has set them.
    pub(super) view: Option<View>,
}

/// Request to draw one picture for an image file.
pub(super) struct Job {
    pub(super) view: View,
    /// Set for full antialiasing; otherwise only edges are antialiased.
    pub(super) smooth: bool,
    pub(super) transparent: bool,
    pub(super) reply: Sender<Option<RgbaImage>>,
}

/// Picture of the window without the columns that the panel covers: RGBA bytes, row-major from the
/// top.
pub(super) struct Pixels {
    /// Width and height of the whole window in pixels.
    pub(super) window: (usize, usize),
    /// Number of pixel columns at the left of the window, under the panel, that `rgba` lacks.
    pub(super) left: usize,
    pub(super) rgba: Vec<u8>,
}

impl Pixels {
    /// Returns the picture in the size of the window, with black in the columns under the panel;
    /// `None` if the number of bytes in `rgba` does not fit the size.
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
    /// Traced fraction of the window's resolution along each axis, 0 to 1.
    pub(super) share: f32,
    /// Set if the picture is final: no refined picture follows unless something changes.
    pub(super) last: bool,
    /// Value of [`PictureContent::state`] for which the picture was drawn.
    pub(super) state: u64,
}

/// Changed parts of the volume, which the drawing thread copies into its own volume.
#[derive(Default)]
pub(super) struct VolumeChanges {
    pub(super) lava: Vec<Patch>,
    /// Changes of the materials other than lava, in the order in which the window received them.
    pub(super) media: Vec<MediaUpdate>,
    /// New contents of the air (ash, steam, inks); outer `None` if unchanged, inner `None` for
    /// clear air.
    pub(super) air: Option<Option<Arc<AirVolume>>>,
    /// New surface temperatures of the lava; outer `None` if unchanged, inner `None` if there are
    /// none.
    pub(super) crust: Option<Option<Arc<CrustMap>>>,
}

impl VolumeChanges {
    pub(super) fn bytes(&self) -> usize {
        let lava: usize = self.lava.iter().map(|patch| 2 * patch.texels.len()).sum();
        let media = self.media.iter().flat_map(|update| &update.patches);
        lava + media.map(|patch| patch.texels.len()).sum::<usize>()
    }

    /// Returns true if at least one part has changed.
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

/// Order to the drawing thread: new content, changed parts of the volume, and pictures for image
/// files.
pub(super) struct Order {
    pub(super) serial: u64,
    pub(super) wanted: Option<PictureContent>,
    pub(super) parts: VolumeChanges,
    pub(super) jobs: Vec<Job>,
}

#[derive(Default)]
struct MailboxState {
    /// Serial number of the latest change, counted from 1; 0 before the first.
    serial: u64,
    wanted: Option<PictureContent>,
    parts: VolumeChanges,
    jobs: Vec<Job>,
    finished: Option<Finished>,
    /// Stop flag of the picture in progress; the next change sets the flag, because the picture is
    /// then outdated. `None` while no picture is interruptible.
    give_up: Option<Arc<AtomicBool>>,
    quit: bool,
}

/// Exchanged state with its lock, and the condition variable on which the drawing thread waits.
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

    /// Replaces the wanted content by `wanted`, queues the changed parts of the volume, and
    /// interrupts the picture in progress. If `wanted` names another box, queued parts of the old
    /// box are dropped.
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

    /// Tells the drawing thread to end, and interrupts the picture in progress.
    pub(super) fn quit(&self) {
        let mut state = self.lock();
        state.quit = true;
        state.give_up();
        self.changed.notify_all();
    }

    /// Returns the size in bytes of the changed parts of the volume that the drawing thread has not
    /// taken yet.
    pub(super) fn waiting(&self) -> usize {
        self.lock().parts.bytes()
    }

    /// Takes the latest finished picture; `None` if there is none since the last call.
    pub(super) fn take_finished(&self) -> Option<Finished> {
        self.lock().finished.take()
    }

    /// Returns true if a finished picture waits for the window.
    pub(super) fn has_finished(&self) -> bool {
        self.lock().finished.is_some()
    }

    /// For the drawing thread: blocks until there is a change with a serial number other than
    /// `seen`, a request for an image file, or the time `most` is over (`None`: no time limit).
    /// Returns the order to carry out; `None` if the thread must end.
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

    /// For the drawing thread: registers `switch` as the stop flag that the next change sets.
    /// Returns false, without registering, if there is already a change after the serial number
    /// `seen`, a request for an image file, or the order to end.
    pub(super) fn guard(&self, seen: u64, switch: &Arc<AtomicBool>) -> bool {
        let mut state = self.lock();
        if state.serial != seen || !state.jobs.is_empty() || state.quit {
            return false;
        }
        state.give_up = Some(Arc::clone(switch));
        true
    }

    /// For the drawing thread: removes the registered stop flag and clears it.
    pub(super) fn unguard(&self) {
        if let Some(switch) = self.lock().give_up.take() {
            switch.store(false, Ordering::Relaxed);
        }
    }

    /// For the drawing thread: stores a finished picture for the window, in place of a picture that
    /// the window has not taken.
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
