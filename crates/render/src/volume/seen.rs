//! Backdrops per camera (hits of rays behind the lava), cached between frames, and the screen tiles
//! in which rays may meet matter.

use crate::camera::Camera;
use crate::frame::Kept;
use crate::style::{cinematic, plain};
use crate::volume::tiles::{Live, OtherTiles, Tiles};

/// Backdrop of one camera, cached between frames: per pixel the hit of ground or sky behind the
/// lava.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) camera: Camera,
    /// Layer index of the slice that cuts the simulation box open, along x, y and z; `None` if no
    /// slice is perpendicular to the axis.
    pub(crate) slices: [Option<usize>; 3],
    pub(crate) behind: Behind,
}

impl Seen {
    /// Returns true if this backdrop was computed for `camera` and `slices`.
    pub(crate) fn is_of(&self, camera: &Camera, slices: [Option<usize>; 3]) -> bool {
        self.camera == *camera && self.slices == slices
    }
}

/// Hits of the backdrop; their type depends on the style.
#[derive(Clone, Debug)]
pub(crate) enum Behind {
    /// Backdrop in the cinematic style.
    Cinematic(Kept<cinematic::Behind>),
    /// Backdrop in the plain styles.
    Plain(Kept<plain::Behind>),
}

/// Distances at which rays may meet matter, per screen tile.
pub(crate) struct Places {
    /// Distances at which rays may meet lava.
    pub(crate) lava: Tiles,
    /// Distances at which rays may meet other media.
    pub(crate) others: OtherTiles,
}

impl Places {
    /// Returns tiles without matter for the picture of `camera`.
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

    /// Returns the mask of the tiles in which a ray may meet matter. If `edges` is true, their
    /// neighbours are included, because anti-aliased edges may reach into them.
    pub(crate) fn live(&self, camera: &Camera, edges: bool) -> Live {
        let live = self.lava.live(camera, edges);
        self.others
            .all()
            .fold(live, |live, tiles| live.and(&tiles.live(camera, edges)))
    }
}
