//! One bake of the ground: on a thread of its own, or in a browser piece by piece between the
//! pictures.

use std::sync::Arc;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use ndarray::Array2;
use web_time::Instant;

use lavoxel_render::LookSpec;
use lavoxel_render::ground::heightfield::Caves;
use lavoxel_render::ground::land::{LandBake, MapNodes, TerrainLook};

/// Input of a bake.
pub(super) struct Bake {
    pub(super) heights: Arc<Array2<f32>>,
    pub(super) caves: Arc<Caves>,
    pub(super) look: LookSpec,
    /// Set if the light of the whole ground must be baked again.
    pub(super) other_sun: bool,
    /// Ground of the last fine bake, of which only what changed is baked; `None` before it.
    pub(super) before: Option<Arc<TerrainLook>>,
    /// Number of nodes per cell along an axis.
    pub(super) nodes: usize,
}

/// State of a bake.
pub(super) enum Progress {
    /// The bake goes on.
    Runs,
    /// Baked ground, and the time that the bake took.
    Done(Box<TerrainLook>, Duration),
    /// The bake ended without a result.
    #[cfg_attr(
        target_arch = "wasm32",
        expect(dead_code, reason = "no thread can end")
    )]
    Failed,
}

/// Returns the ground baked in low resolution, at once.
pub(super) fn coarse(heights: &Array2<f32>, caves: &Caves, look: &LookSpec) -> TerrainLook {
    LandBake::new(heights, caves.clone(), look, MapNodes::COARSE).finish()
}

impl Bake {
    /// Returns the bake of the whole ground, if nothing was baked before.
    fn whole(&self) -> Option<LandBake> {
        let nodes = MapNodes::of_final_picture(self.nodes);
        let bake = || LandBake::new(&self.heights, (*self.caves).clone(), &self.look, nodes);
        self.before.is_none().then(bake)
    }

    /// Returns the ground `before` with what has changed since; `None` if nothing was baked before.
    fn changed(&self) -> Option<TerrainLook> {
        let mut land = (**self.before.as_ref()?).clone();
        if self.other_sun {
            land.relight(&self.look);
        }
        land.follow(&self.heights, &self.caves, &self.look);
        Some(land)
    }
}

/// Bake on a thread of its own.
#[cfg(not(target_arch = "wasm32"))]
pub(super) struct Work(Receiver<(Box<TerrainLook>, Duration)>);

#[cfg(not(target_arch = "wasm32"))]
impl Work {
    /// Starts `bake`.
    pub(super) fn start(bake: Bake) -> Self {
        let (done, baked) = channel();
        let all = rayon::current_num_threads();
        let threads = match bake.before {
            Some(_) => all.div_ceil(2),
            None => all,
        };
        let land = move || {
            let land = bake.whole().map(LandBake::finish);
            land.or_else(|| bake.changed()).map(Box::new)
        };
        // The thread is not joined: after a change of scene, its result is dropped.
        std::thread::spawn(move || {
            let start = Instant::now();
            let land = lavoxel_base::parallel::on_own_threads(("baking", threads), land);
            land.map(|land| done.send((land, start.elapsed())).is_ok())
        });
        Self(baked)
    }

    /// Returns the state of the bake.
    pub(super) fn go_on(&mut self) -> Progress {
        match self.0.try_recv() {
            Ok((land, took)) => Progress::Done(land, took),
            Err(TryRecvError::Empty) => Progress::Runs,
            Err(TryRecvError::Disconnected) => Progress::Failed,
        }
    }
}

/// Bake between the pictures.
#[cfg(target_arch = "wasm32")]
pub(super) struct Work {
    bake: Bake,
    whole: Option<LandBake>,
    took: Duration,
}

/// Time of one piece of a bake between two pictures.
#[cfg(target_arch = "wasm32")]
const PIECE: Duration = Duration::from_millis(12);
/// Number of rows of the ground's maps between two looks at the clock.
#[cfg(target_arch = "wasm32")]
const ROWS: usize = 6;

#[cfg(target_arch = "wasm32")]
impl Work {
    /// Starts `bake`.
    pub(super) fn start(bake: Bake) -> Self {
        Self {
            whole: bake.whole(),
            bake,
            took: Duration::ZERO,
        }
    }

    /// Computes the next piece, and returns the state of the bake.
    pub(super) fn go_on(&mut self) -> Progress {
        let start = Instant::now();
        let mut is_done = true;
        if let Some(whole) = &mut self.whole {
            is_done = false;
            while !is_done && start.elapsed() < PIECE {
                is_done = whole.go_on(ROWS);
            }
        }
        let land = if is_done {
            let whole = self.whole.take().map(LandBake::finish);
            whole.or_else(|| self.bake.changed())
        } else {
            None
        };
        self.took += start.elapsed();
        land.map_or(Progress::Runs, |land| {
            Progress::Done(Box::new(land), self.took)
        })
    }
}
