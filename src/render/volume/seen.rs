//! Records that a frame keeps for the next one of its camera, and where in it there may be matter.

use crate::render::camera::Camera;
use crate::render::frame::Kept;
use crate::render::style::{cinematic, plain};
use crate::render::volume::tiles::{Live, OtherTiles, Tiles};

/// Hits of the rays of a camera behind the lava, by style.
#[derive(Clone, Debug)]
pub(in crate::render) struct Seen {
    pub(in crate::render) camera: Camera,
    /// Cells of the slices that cut the box open.
    pub(in crate::render) slices: [Option<usize>; 3],
    pub(in crate::render) behind: Behind,
}

impl Seen {
    pub(in crate::render) fn is_of(&self, camera: &Camera, slices: [Option<usize>; 3]) -> bool {
        self.camera == *camera && self.slices == slices
    }
}

/// Surfaces behind the lava, by style.
#[derive(Clone, Debug)]
pub(in crate::render) enum Behind {
    Cinematic(Kept<cinematic::Behind>),
    Plain(Kept<plain::Behind>),
}

/// Where in a picture there may be matter, and how far away.
pub(in crate::render) struct Places {
    pub(in crate::render) lava: Tiles,
    /// Of all other media.
    pub(in crate::render) others: OtherTiles,
}

impl Places {
    /// Of a picture without any.
    pub(in crate::render) fn none(camera: &Camera) -> Self {
        Self { lava: Tiles::none(camera), others: OtherTiles { clear: None, solid: None, gas: None } }
    }

    /// The tiles with something to draw; with `edges` also their neighbours.
    pub(in crate::render) fn live(&self, camera: &Camera, edges: bool) -> Live {
        let live = self.lava.live(camera, edges);
        self.others.all().fold(live, |live, tiles| live.and(&tiles.live(camera, edges)))
    }
}
