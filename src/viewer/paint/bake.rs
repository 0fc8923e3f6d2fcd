//! The ground as `render::land` bakes it, for both ways of drawing.
//!
//! Baking takes about a second, so it runs on a thread of its own. A coarse bake of the same heights stands in for it,
//! so that a brush of rock is seen at once.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use ndarray::Array2;

use crate::grid::Grid;
use crate::render::land::{NODES, TerrainLook};
use crate::render::{Bounds, LookSpec};

use super::on_own_threads;

/// Boxes of up to so many columns on the longer side are baked coarsely in a few frames' time.
const COARSE: usize = 256;

/// The ground that is shown, and the one that is being baked.
pub(super) struct BakedGround {
    heights: Arc<Array2<f32>>,
    pub(super) grid: Grid,
    pub(super) land: Arc<TerrainLook>,
    baking: Option<Receiver<TerrainLook>>,
    /// Sun or heights changed since the last bake began, so that its result is void.
    stale: bool,
}

impl BakedGround {
    /// Shows `heights`, coarsely at first.
    pub(super) fn new(heights: Arc<Array2<f32>>, grid: Grid, look: &LookSpec) -> Self {
        let land = Arc::new(coarse(&heights, grid, look));
        Self { heights, grid, land, baking: None, stale: true }
    }

    /// Other heights for the same box; true when the shown ground changed.
    pub(super) fn set_heights(&mut self, heights: Arc<Array2<f32>>, look: &LookSpec) -> bool {
        self.heights = heights;
        self.stale = true;
        let quick = self.grid.nx.max(self.grid.nz) <= COARSE;
        if quick {
            self.land = Arc::new(coarse(&self.heights, self.grid, look));
        }
        quick
    }

    /// Another sun.
    pub(super) fn relight(&mut self) {
        self.stale = true;
    }

    /// What a camera should frame: the ground block, in cells.
    pub(super) fn subject(&self) -> Bounds {
        self.land.subject(self.grid)
    }

    /// Whether the shown ground is final.
    pub(super) fn settled(&self) -> bool {
        !self.stale && self.baking.is_none()
    }

    /// Takes what was baked meanwhile and starts what is due; true when the shown ground changed.
    pub(super) fn tend(&mut self, look: &LookSpec) -> bool {
        let mut changed = false;
        match self.baking.as_ref().map(Receiver::try_recv) {
            None | Some(Err(TryRecvError::Empty)) => {}
            Some(answer) => {
                self.baking = None;
                if let (Ok(land), false) = (answer, self.stale) {
                    self.land = Arc::new(land);
                    changed = true;
                }
            }
        }
        if self.stale && self.baking.is_none() {
            self.stale = false;
            self.baking = Some(self.bake(look));
        }
        changed
    }

    /// Waits for the final ground; true when the shown ground changed.
    pub(super) fn finish(&mut self, look: &LookSpec) -> bool {
        let mut changed = false;
        while !self.settled() {
            changed |= self.tend(look);
            thread::sleep(Duration::from_millis(2));
        }
        changed
    }

    fn bake(&self, look: &LookSpec) -> Receiver<TerrainLook> {
        let (done, baked) = channel();
        let (heights, grid, look) = (self.heights.clone(), self.grid, look.clone());
        // The thread is not joined: when the heights change again its answer is dropped.
        thread::spawn(move || {
            let land = on_own_threads("baking", || TerrainLook::bake(&heights, grid, &look, NODES));
            done.send(land).is_ok()
        });
        baked
    }
}

/// One node per cell where a full bake has several.
fn coarse(heights: &Array2<f32>, grid: Grid, look: &LookSpec) -> TerrainLook {
    TerrainLook::bake(heights, grid, look, grid.nx.max(grid.nz).min(COARSE))
}
