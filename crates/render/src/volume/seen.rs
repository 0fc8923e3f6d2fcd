//! Records that a frame keeps for the next frame of the same camera, and the tiles of a picture
//! with matter.

use crate::camera::Camera;
use crate::frame::Kept;
use crate::style::{cinematic, plain};
use crate::volume::tiles::{Live, OtherTiles, Tiles};

/// Kept hits of a camera's rays behind the lava.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) camera: Camera,
    /// Cells of the slices that cut the box open, along x, y and z; `None` without a slice.
    pub(crate) slices: [Option<usize>; 3],
    pub(crate) behind: Behind,
}

impl Seen {
    /// Returns true if the records belong to `camera` and `slices`.
    pub(crate) fn is_of(&self, camera: &Camera, slices: [Option<usize>; 3]) -> bool {
        self.camera == *camera && self.slices == slices
    }
}

/// Kept backdrops behind the lava, by style.
#[derive(Clone, Debug)]
pub(crate) enum Behind {
    /// Backdrops of the cinematic style.
    Cinematic(Kept<cinematic::Behind>),
    /// Backdrops of the plain styles.
    Plain(Kept<plain::Behind>),
}

/// Distances at which there may be matter, for each tile of a picture.
pub(crate) struct Places {
    /// Distances of the lava.
    pub(crate) lava: Tiles,
    /// Distances of the other media.
    pub(crate) others: OtherTiles,
}

impl Places {
    /// Returns the places of a picture without matter.
    pub(crate) fn none(camera: &Camera) -> Self {
        Self { lava: Tiles::none(camera), others: OtherTiles { clear: None, solid: None, gas: None } }
    }

    /// Returns the tiles with something to draw; with `edges` also their neighbours.
    pub(crate) fn live(&self, camera: &Camera, edges: bool) -> Live {
        let live = self.lava.live(camera, edges);
        self.others.all().fold(live, |live, tiles| live.and(&tiles.live(camera, edges)))
    }
}
