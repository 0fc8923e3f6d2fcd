//! Per-camera cache of backdrop hits (what rays meet behind the lava), and the screen tiles in
//! which rays may meet matter.

use crate::camera::Camera;
use crate::frame::Kept;
use crate::style::{cinematic, plain};
use crate::volume::tiles::{Live, OtherTiles, Tiles};

/// Cached backdrop of one camera: per-pixel hits of ground and sky behind the lava.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) camera: Camera,
    /// Cell index of the slice that cuts the box open, along x, y and z; `None` for an axis without
    /// a slice.
    pub(crate) slices: [Option<usize>; 3],
    pub(crate) behind: Behind,
}

impl Seen {
    /// Returns true if this cache entry was computed for `camera` and `slices`.
    pub(crate) fn is_of(&self, camera: &Camera, slices: [Option<usize>; 3]) -> bool {
        self.camera == *camera && self.slices == slices
    }
}

/// Cached backdrop hits; the type depends on the style.
#[derive(Clone, Debug)]
pub(crate) enum Behind {
    /// Hits of the cinematic style.
    Cinematic(Kept<cinematic::Behind>),
    /// Hits of the plain styles.
    Plain(Kept<plain::Behind>),
}

/// Distance ranges along the rays that may contain matter, per screen tile.
pub(crate) struct Places {
    /// Distance ranges of the lava.
    pub(crate) lava: Tiles,
    /// Distance ranges of all other media.
    pub(crate) others: OtherTiles,
}

impl Places {
    /// Returns empty distance ranges for every tile of the picture of `camera`.
    pub(crate) fn none(camera: &Camera) -> Self {
        Self {
            lava: Tiles::none(camera),
            others: OtherTiles {
                clear: None,
                solid: None,
                gas: None,
            },
        }
    }

    /// Returns the mask of tiles in which a ray may meet matter; with `edges`, neighbouring tiles
    /// are included too, because anti-aliased edges may reach into them.
    pub(crate) fn live(&self, camera: &Camera, edges: bool) -> Live {
        let live = self.lava.live(camera, edges);
        self.others
            .all()
            .fold(live, |live, tiles| live.and(&tiles.live(camera, edges)))
    }
}
