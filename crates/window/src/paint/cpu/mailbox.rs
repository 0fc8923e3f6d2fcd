//! Desk between the window and the drawing thread. Locks are held for moves only: neither waits for the
//! other's work.

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

/// Everything that a picture shows, besides the volume.
#[derive(Clone)]
pub(super) struct Wanted {
    /// Tells one box from the next.
    pub(super) epoch: u64,
    pub(super) grid: Grid,
    pub(super) land: Arc<TerrainLook>,
    pub look: LookSpec,
    pub(super) cuts: [Option<Arc<Cut>>; 3],
    /// Steps simulated so far.
    pub(super) steps: u64,
    /// Mouths of vents that throw clots.
    pub(super) mouths: Arc<Vec<Mouth>>,
    /// Counts up when something visible changed besides the view.
    pub(super) content: u64,
    /// Counts up when anything visible changed.
    pub(super) state: u64,
    /// View of the window, once it is known.
    pub(super) view: Option<View>,
}

/// A picture for a file.
pub(super) struct Job {
    pub(super) view: View,
    /// Whether every pixel is smoothed.
    pub(super) smooth: bool,
    pub(super) transparent: bool,
    pub(super) reply: Sender<Option<RgbaImage>>,
}

/// Pixels of four bytes, rows from the top.
pub(super) struct Pixels {
    /// Width and height of the window.
    pub(super) window: (usize, usize),
    /// Columns at its left that are left out.
    pub(super) left: usize,
    pub(super) rgba: Vec<u8>,
}

impl Pixels {
    /// Picture of the whole window, black where nothing was drawn.
    pub(super) fn whole(&self) -> Option<RgbaImage> {
        let ((width, height), drawn) = (self.window, self.window.0 - self.left);
        let mut image = RgbaImage::from_pixel(width as u32, height as u32, image::Rgba([0, 0, 0, u8::MAX]));
        let rows = image.chunks_exact_mut(4 * width).zip(self.rgba.chunks_exact(4 * drawn));
        rows.for_each(|(row, drawn)| row[4 * self.left..].copy_from_slice(drawn));
        (self.rgba.len() == 4 * drawn * height).then_some(image)
    }
}

/// A finished picture for the window.
pub(super) struct Finished {
    pub(super) pixels: Pixels,
    /// The camera of its view, in pixels of the window.
    pub(super) camera: Camera,
    pub(super) took: Duration,
    /// Share of the window's resolution that was traced.
    pub(super) share: f32,
    /// Nothing finer follows while nothing changes.
    pub(super) last: bool,
    /// The state that it shows.
    pub(super) state: u64,
}

/// Parts of the volume that changed.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) lava: Vec<Patch>,
    /// Of the other materials, in the order of the updates.
    pub(super) media: Vec<MediaUpdate>,
    /// Contents of the air, when they changed.
    pub(super) air: Option<Option<Arc<AirVolume>>>,
    /// How hot the surface of lava is, when that changed.
    pub(super) crust: Option<Option<Arc<CrustMap>>>,
}

impl Parts {
    pub(super) fn bytes(&self) -> usize {
        let lava: usize = self.lava.iter().map(|patch| 2 * patch.texels.len()).sum();
        let media = self.media.iter().flat_map(|update| &update.patches);
        lava + media.map(|patch| patch.texels.len()).sum::<usize>()
    }

    /// Whether anything changed.
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

/// Order that the drawing thread takes out.
pub(super) struct Order {
    pub(super) serial: u64,
    pub(super) wanted: Option<Wanted>,
    pub(super) parts: Parts,
    pub(super) jobs: Vec<Job>,
}

#[derive(Default)]
struct State {
    /// Counts up with every change.
    serial: u64,
    wanted: Option<Wanted>,
    parts: Parts,
    jobs: Vec<Job>,
    finished: Option<Finished>,
    /// Gives up the picture under way, where a change makes it worthless.
    give_up: Option<Arc<AtomicBool>>,
    quit: bool,
}

/// The state behind its lock.
#[derive(Default)]
pub(super) struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No lock is held while anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is wanted, and adds parts of the volume that changed. A new box voids those before.
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

    /// Asks for a picture for a file.
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

    /// Takes the finished picture out.
    pub(super) fn take_finished(&self) -> Option<Finished> {
        self.lock().finished.take()
    }

    /// Whether a picture waits for the window.
    pub(super) fn has_finished(&self) -> bool {
        self.lock().finished.is_some()
    }

    /// For the drawing thread: waits for a change after `seen`, at most so long. `None` when it should end.
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

    /// For the drawing thread: a change after `seen` sets the switch from now on; false when there is one already.
    pub(super) fn guard(&self, seen: u64, switch: &Arc<AtomicBool>) -> bool {
        let mut state = self.lock();
        if state.serial != seen || !state.jobs.is_empty() || state.quit {
            return false;
        }
        state.give_up = Some(Arc::clone(switch));
        true
    }

    /// For the drawing thread: changes leave the switch alone again, which is off.
    pub(super) fn unguard(&self) {
        if let Some(switch) = self.lock().give_up.take() {
            switch.store(false, Ordering::Relaxed);
        }
    }

    /// For the drawing thread: hands a picture over.
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
