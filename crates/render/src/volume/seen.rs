//! Cached backdrops (ground, slice or sky behind all lava, per pixel) of a camera, and the tiles of
//! pixels in which rays may meet matter.

use crate::camera::Camera;
use crate::frame::Kept;
use crate::style::{cinematic, plain};
use crate::volume::tiles::{Live, OtherTiles, Tiles};

/// Backdrops of one camera, cached between frames: per pixel the ground, slice or sky behind all
/// lava.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) camera: Camera,
    /// Indices of the planes of cells in which slices cut the simulation box open, perpendicular to
    /// x, y and z; `None` for an axis without a slice.
    pub(crate) slices: [Option<usize>; 3],
    pub(crate) behind: Behind,
}

impl Seen {
    /// Returns true if these backdrops were computed for `camera` and `slices` (indices of the
    /// slices' planes of cells).
    pub(crate) fn is_of(&self, camera: &Camera, slices: [Option<usize>; 3]) -> bool {
        self.camera == *camera && self.slices == slices
    }
}

/// Cached backdrops (ground, slice or sky behind all lava) of all pixels, in the form that the
/// style needs.
#[derive(Clone, Debug)]
pub(crate) enum Behind {
    /// Backdrops (ground, slice or sky behind all lava) in the cinematic style.
    Cinematic(Kept<cinematic::Behind>),
    /// Backdrops (ground, slice or sky behind all lava) in the plain styles.
    Plain(Kept<plain::Behind>),
}

/// Ranges of distances at which rays may meet matter, per square tile of pixels.
pub(crate) struct Places {
    /// Ranges of distances, per tile of pixels, at which rays may meet lava.
    pub(crate) lava: Tiles,
    /// Ranges of distances, per tile of pixels, at which rays may meet media other than lava.
    pub(crate) others: OtherTiles,
}

impl Places {
    /// Returns empty ranges in all tiles of the picture of `camera`.
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

    /// Returns the mask of the tiles of pixels in which a ray may meet matter. If `edges` is true,
    /// neighbouring tiles are included, because anti-aliased edges may extend into the neighbours.
    pub(crate) fn live(&self, camera: &Camera, edges: bool) -> Live {
        let live = self.lava.live(camera, edges);
        self.others
            .all()
            .fold(live, |live, tiles| live.and(&tiles.live(camera, edges)))
    }
}
