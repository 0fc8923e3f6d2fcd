//! Records that a frame keeps for the next one of its camera, and where in it there may be matter.

use crate::camera::Camera;
use crate::frame::Kept;
use crate::style::{cinematic, plain};
use crate::volume::tiles::{Live, OtherTiles, Tiles};

/// Hits of the rays of a camera behind the lava, by style.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) camera: Camera,
    /// Cells of the slices that cut the box open.
    pub(crate) slices: [Option<usize>; 3],
    pub(crate) behind: Behind,
}

impl Seen {
    pub(crate) fn is_of(&self, camera: &Camera, slices: [Option<usize>; 3]) -> bool {
        self.camera == *camera && self.slices == slices
    }
}

/// Surfaces behind the lava, by style.
#[derive(Clone, Debug)]
pub(crate) enum Behind {
    Cinematic(Kept<cinematic::Behind>),
    Plain(Kept<plain::Behind>),
}

/// Where in a picture there may be matter, and how far away.
pub(crate) struct Places {
    pub(crate) lava: Tiles,
    /// Of all other media.
    pub(crate) others: OtherTiles,
}

impl Places {
    /// Of a picture without any.
    pub(crate) fn none(camera: &Camera) -> Self {
        Self { lava: Tiles::none(camera), others: OtherTiles { clear: None, solid: None, gas: None } }
    }

    /// The tiles with something to draw; with `edges` also their neighbours.
    pub(crate) fn live(&self, camera: &Camera, edges: bool) -> Live {
        let live = self.lava.live(camera, edges);
        self.others.all().fold(live, |live, tiles| live.and(&tiles.live(camera, edges)))
    }
}
