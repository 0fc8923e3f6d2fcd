//! Mailbox between the window and the drawing thread.
//!
//! Invariant: the lock is held for moves only, so that neither side waits for the other's work.

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

/// Complete content of a picture except for the volume.
#[derive(Clone)]
pub(super) struct Wanted {
    /// Number of the box; another value means a new box.
    pub(super) epoch: u64,
    pub(super) grid: Grid,
    pub(super) land: Arc<TerrainLook>,
    pub look: LookSpec,
    pub(super) cuts: [Option<Arc<Cut>>; 3],
    /// Number of steps simulated so far.
    pub(super) steps: u64,
    /// Mouths of the vents that throw clots.
    pub(super) mouths: Arc<Vec<Mouth>>,
    /// Number of visible changes other than those of the view.
    pub(super) content: u64,
    /// Number of all visible changes.
    pub(super) state: u64,
    /// View of the window; `None` before the first.
    pub(super) view: Option<View>,
}

/// Request for a picture for a file.
pub(super) struct Job {
    pub(super) view: View,
    /// Set for full antialiasing of every pixel.
    pub(super) smooth: bool,
    pub(super) transparent: bool,
    pub(super) reply: Sender<Option<RgbaImage>>,
}

/// Pixels of four bytes (RGBA), row-major from the top.
pub(super) struct Pixels {
    /// Width and height of the window in pixels.
    pub(super) window: (usize, usize),
    /// Number of pixel columns at the left of the window that are left out.
    pub(super) left: usize,
    pub(super) rgba: Vec<u8>,
}

impl Pixels {
    /// Picture of the whole window, black where nothing was drawn; `None` if the number of bytes
    /// does not match.
    pub(super) fn whole(&self) -> Option<RgbaImage> {
        let ((width, height), drawn) = (self.window, self.window.0 - self.left);
        let mut image = RgbaImage::from_pixel(width as u32, height as u32, image::Rgba([0, 0, 0, u8::MAX]));
        let rows = image.chunks_exact_mut(4 * width).zip(self.rgba.chunks_exact(4 * drawn));
        rows.for_each(|(row, drawn)| row[4 * self.left..].copy_from_slice(drawn));
        (self.rgba.len() == 4 * drawn * height).then_some(image)
    }
}

/// Finished picture for the window.
pub(super) struct Finished {
    pub(super) pixels: Pixels,
    /// Camera of the picture's view, in pixels of the window.
    pub(super) camera: Camera,
    pub(super) took: Duration,
    /// Linear share of the window's resolution that was traced, 0 to 1.
    pub(super) share: f32,
    /// Set if no finer picture follows while nothing changes.
    pub(super) last: bool,
    /// Value of [`Wanted::state`] that the picture shows.
    pub(super) state: u64,
}

/// Changed parts of the volume.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) lava: Vec<Patch>,
    /// Changes of the other materials, in the order of the updates.
    pub(super) media: Vec<MediaUpdate>,
    /// Contents of the air; outer `None` if unchanged.
    pub(super) air: Option<Option<Arc<AirVolume>>>,
    /// Surface temperature of the lava; outer `None` if unchanged.
    pub(super) crust: Option<Option<Arc<CrustMap>>>,
}

impl Parts {
    pub(super) fn bytes(&self) -> usize {
        let lava: usize = self.lava.iter().map(|patch| 2 * patch.texels.len()).sum();
        let media = self.media.iter().flat_map(|update| &update.patches);
        lava + media.map(|patch| patch.texels.len()).sum::<usize>()
    }

    /// True if anything changed.
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

/// Order for the drawing thread.
pub(super) struct Order {
    pub(super) serial: u64,
    pub(super) wanted: Option<Wanted>,
    pub(super) parts: Parts,
    pub(super) jobs: Vec<Job>,
}

#[derive(Default)]
struct State {
    /// Number of changes so far.
    serial: u64,
    wanted: Option<Wanted>,
    parts: Parts,
    jobs: Vec<Job>,
    finished: Option<Finished>,
    /// Stop switch of the picture under way; set by the next change, which makes that picture
    /// worthless.
    give_up: Option<Arc<AtomicBool>>,
    quit: bool,
}

/// State with its lock, and the condition on which the drawing thread waits.
#[derive(Default)]
pub(super) struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Code that holds the lock cannot panic, so a poisoned state is still valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the wanted content and adds changed parts of the volume. A new box drops older
    /// parts.
    pub(super) fn post(&self, wanted: Wanted, parts: Parts) {
        let mut state = self.lock();
        if state.wanted.as_ref().is_none_or(|before| before.epoch != wanted.epoch) {
            state.parts = Parts::default();
        }
        state.serial += 1;
        state.wanted = Some(wanted);
        state.parts.append(parts);
        state.give_up();
        self.changed.notify_all();
    }

    /// Requests a picture for a file.
    pub(super) fn ask(&self, job: Job) {
        let mut state = self.lock();
        state.jobs.push(job);
        state.give_up();
        self.changed.notify_all();
    }

    /// Ends the drawing thread.
    pub(super) fn quit(&self) {
        let mut state = self.lock();
        state.quit = true;
        state.give_up();
        self.changed.notify_all();
    }

    /// Bytes of the volume that the drawing thread has not taken yet.
    pub(super) fn waiting(&self) -> usize {
        self.lock().parts.bytes()
    }

    /// Takes the finished picture; `None` if there is no new one.
    pub(super) fn take_finished(&self) -> Option<Finished> {
        self.lock().finished.take()
    }

    /// True if a finished picture waits for the window.
    pub(super) fn has_finished(&self) -> bool {
        self.lock().finished.is_some()
    }

    /// Drawing thread: waits for a change after the serial number `seen`, for the time `most` at
    /// most. `None` if the thread must end.
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
                    wanted: (state.serial != seen).then(|| state.wanted.clone()).flatten(),
                    parts: std::mem::take(&mut state.parts),
                    jobs: std::mem::take(&mut state.jobs),
                });
            }
            state = match left {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }

    /// Drawing thread: lets the next change set `switch`. Returns false if there was a change after
    /// `seen` already.
    pub(super) fn guard(&self, seen: u64, switch: &Arc<AtomicBool>) -> bool {
        let mut state = self.lock();
        if state.serial != seen || !state.jobs.is_empty() || state.quit {
            return false;
        }
        state.give_up = Some(Arc::clone(switch));
        true
    }

    /// Drawing thread: detaches the switch from changes and turns it off.
    pub(super) fn unguard(&self) {
        if let Some(switch) = self.lock().give_up.take() {
            switch.store(false, Ordering::Relaxed);
        }
    }

    /// Drawing thread: hands a finished picture over.
    pub(super) fn finish(&self, finished: Finished) {
        self.lock().finished = Some(finished);
    }
}

impl State {
    fn give_up(&self) {
        if let Some(switch) = &self.give_up {
            switch.store(true, Ordering::Relaxed);
        }
    }
}
