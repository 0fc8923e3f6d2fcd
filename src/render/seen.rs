//! Records that a frame keeps for the next one of its camera, and where in it there may be matter.

use super::camera::Camera;
use super::frame::Kept;
use super::tiles::{Live, OtherTiles, Tiles};
use super::{cinematic, plain};

/// Hits of the rays of a camera behind the lava, by style.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) camera: Camera,
    /// Cells of the slices that cut the box open.
    pub(super) slices: [Option<usize>; 3],
    pub(super) behind: Behind,
}

impl Seen {
    pub(super) fn is_of(&self, camera: &Camera, slices: [Option<usize>; 3]) -> bool {
        self.camera == *camera && self.slices == slices
    }
}

/// Surfaces behind the lava, by style.
#[derive(Clone, Debug)]
pub(super) enum Behind {
    Cinematic(Kept<cinematic::Behind>),
    Plain(Kept<plain::Behind>),
}

/// Where in a picture there may be matter, and how far away.
pub(super) struct Places {
    pub(super) lava: Tiles,
    /// Of all other media.
    pub(super) others: OtherTiles,
}

impl Places {
    /// Of a picture without any.
    pub(super) fn none(camera: &Camera) -> Self {
        Self { lava: Tiles::none(camera), others: OtherTiles { clear: None, solid: None, gas: None } }
    }

    /// The tiles with something to draw; with `edges` also their neighbours.
    pub(super) fn live(&self, camera: &Camera, edges: bool) -> Live {
        let live = self.lava.live(camera, edges);
        self.others.all().fold(live, |live, tiles| live.and(&tiles.live(camera, edges)))
    }
}
