//! Screen tiles of 8 × 8 pixels, each with the range of distances at which rays may meet matter,
//! found by projecting non-empty bricks. Rays of tiles without matter skip the volume.

use std::ops::Range;

use lavoxel_base::parallel::*;

use crate::camera::Camera;
use crate::math::V3;
use crate::volume::bricks::{Bricks, Drawn, OCTANTS, WHOLE};
use crate::volume::places::EDGE;

/// Edge length of a screen tile in pixels.
const TILE: usize = 8;
/// Length in cells that is added to the depth beyond which the ground hides everything in a tile,
/// because rays off the pixel centres may see farther than those through the centres.
const OFF_CENTRE: f32 = 2.0;
/// Tolerance for rounding in the projection of bricks: in pixels at the edges of tiles, in cells at
/// the ends of the range of distances.
// Without the margin, rounding could lose a brick at the edge of a tile, or a sample at the end of
// a brick.
const SLACK: f32 = 0.05;

/// Range of distances along a ray from the camera, in cells; empty if `near` is not less than
/// `far`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    pub(crate) near: f32,
    pub(crate) far: f32,
}

impl Reach {
    /// Range of all distances in front of the camera.
    pub(crate) const ALL: Self = Self {
        near: 0.0,
        far: f32::MAX,
    };
    /// Empty range, the neutral element of `Self::union`.
    pub(crate) const NONE: Self = Self {
        near: f32::MAX,
        far: 0.0,
    };

    /// Returns true if the range contains no distance.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.near >= self.far
    }

    /// Returns the smallest range that contains `self` and `other`.
    #[inline]
    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            near: self.near.min(other.near),
            far: self.far.max(other.far),
        }
    }
}

/// Ranges of distances at which a ray may meet media other than lava, one per kind of medium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Others {
    /// Range for translucent media; in the plain styles, for all media.
    pub(crate) clear: Reach,
    /// Range for opaque media, on whose surface a ray ends.
    pub(crate) solid: Reach,
    /// Range for gases and smoke; in the plain styles, for haze.
    pub(crate) gas: Reach,
}

impl Others {
    /// Ranges of all distances in front of the camera.
    pub(crate) const ALL: Self = Self {
        clear: Reach::ALL,
        solid: Reach::ALL,
        gas: Reach::ALL,
    };
    /// Empty ranges: no ray meets any medium.
    pub(crate) const NONE: Self = Self {
        clear: Reach::NONE,
        solid: Reach::NONE,
        gas: Reach::NONE,
    };

    /// Returns true if all ranges are empty, and a ray meets none of these media.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.clear.is_empty() && self.solid.is_empty() && self.gas.is_empty()
    }

    /// Returns the smallest distance in cells at which the ray may meet media other than lava;
    /// `f32::MAX` if all ranges are empty.
    #[inline(always)]
    pub(crate) fn near(self) -> f32 {
        self.clear.near.min(self.solid.near).min(self.gas.near)
    }
}

/// Screen tiles of the media other than lava, by kind; `None` for a kind that is not present.
pub(crate) struct OtherTiles {
    /// Tiles in which rays may meet translucent media.
    pub(crate) clear: Option<Tiles>,
    /// Tiles in which rays may meet opaque media.
    pub(crate) solid: Option<Tiles>,
    /// Tiles in which rays may meet gases and smoke, or haze.
    pub(crate) gas: Option<Tiles>,
}

impl OtherTiles {
    /// Returns the ranges of distances at which the ray of the pixel in column `x` and row `y`
    /// (from the top) may meet media other than lava.
    #[inline(always)]
    pub(crate) fn at(&self, x: usize, y: usize) -> Others {
        let at = |tiles: &Option<Tiles>| tiles.as_ref().map_or(Reach::NONE, |tiles| tiles.at(x, y));
        Others {
            clear: at(&self.clear),
            solid: at(&self.solid),
            gas: at(&self.gas),
        }
    }

    /// Returns true if the picture shows no media other than lava.
    pub(crate) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// Returns an iterator over the tiles of the kinds of media that are present.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Tiles> {
        [&self.clear, &self.solid, &self.gas].into_iter().flatten()
    }
}

/// Depth in cells per screen tile beyond which the ground hides everything; row-major from the top.
#[derive(Clone, Debug, Default)]
pub(crate) struct Depths(Vec<f32>);

impl Depths {
    /// Computes the depth of each tile as the largest depth of its pixels. `pixels`: ground, slice
    /// or sky behind all lava, per pixel, row-major from the top; `far` returns the depth of such
    /// an entry in cells.
    ///
    /// If `off_centre` is true, each tile takes the largest depth in the tile and its neighbours
    /// plus `OFF_CENTRE`, because rays off the pixel centres may see farther.
    pub(crate) fn new<B>(
        camera: &Camera,
        pixels: &[B],
        far: impl Fn(&B) -> f32,
        off_centre: bool,
    ) -> Self {
        let ((width, _), (across, down)) = (camera.size(), count(camera));
        let mut own = vec![0.0_f32; across * down];
        for (y, row) in pixels.chunks(width).enumerate() {
            let tiles = &mut own[y / TILE * across..][..across];
            for (tile, pixels) in tiles.iter_mut().zip(row.chunks(TILE)) {
                *tile = pixels.iter().map(&far).fold(*tile, f32::max);
            }
        }
        if !off_centre {
            return Self(own);
        }
        let around = |n: usize, count: usize| n.saturating_sub(1)..(n + 2).min(count);
        let widest = |k: usize| {
            let rows =
                around(k / across, down).map(|j| &own[j * across..][around(k % across, across)]);
            rows.flatten().copied().fold(0.0, f32::max) + OFF_CENTRE
        };
        Self((0..own.len()).map(widest).collect())
    }
}

/// Range of distances per screen tile at which the tile's rays may meet matter of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    /// Number of tiles in a row of the picture.
    across: usize,
    /// Range of distances of each tile, row-major from the top.
    reach: Vec<Reach>,
}

impl Tiles {
    /// Returns tiles with the range `Reach::ALL`, for pictures in which matter may be anywhere.
    pub(crate) fn whole(camera: &Camera) -> Self {
        Self::filled(camera, Reach::ALL)
    }

    /// Returns tiles with an empty range, for pictures without matter.
    pub(crate) fn none(camera: &Camera) -> Self {
        Self::filled(camera, Reach::NONE)
    }

    /// Returns the mask of the tiles whose range is not empty. If `edges` is true, neighbouring
    /// tiles are included, because anti-aliased edges may extend into the neighbours.
    pub(crate) fn live(&self, camera: &Camera, edges: bool) -> Live {
        let (across, width) = (self.across, camera.size().0);
        if !edges {
            return Live {
                across,
                width,
                live: self.reach.iter().map(|reach| !reach.is_empty()).collect(),
            };
        }
        let mut live = vec![false; self.reach.len()];
        for (k, _) in self
            .reach
            .iter()
            .enumerate()
            .filter(|(_, reach)| !reach.is_empty())
        {
            let (i, j) = (k % across, k / across);
            let columns = i.saturating_sub(1)..(i + 2).min(across);
            live.chunks_mut(across)
                .take(j + 2)
                .skip(j.saturating_sub(1))
                .for_each(|row| row[columns.clone()].fill(true));
        }
        Live {
            across,
            width,
            live,
        }
    }

    /// Computes the ranges of the tiles by projecting the non-empty bricks of `bricks`; ignores
    /// bricks that lie beyond the depths `depths`, where the ground hides them.
    pub(crate) fn new(bricks: &Bricks, camera: &Camera, depths: &Depths) -> Self {
        let lens = Lens::new(camera);
        // Thin lava fills little of a brick; the gap shows where a brick is larger than a tile, so
        // its octants are projected.
        let large = lens.scale * EDGE as f32 > TILE as f32 * (bricks.middle() - lens.eye).norm();
        let parts: &[u64] = if large { &OCTANTS } else { &WHOLE };
        (0..bricks.layers())
            .into_par_iter()
            .fold(
                || Self::filled(camera, Reach::NONE),
                |mut tiles, layer| {
                    bricks
                        .drawn(layer, parts)
                        .for_each(|drawn| tiles.add(&lens, depths, &drawn));
                    tiles
                },
            )
            .reduce(|| Self::filled(camera, Reach::NONE), Self::union)
    }

    /// Computes the ranges of the tiles by projecting `boxes` (cells); ignores boxes that lie
    /// beyond the depths `depths`, where the ground hides them.
    pub(crate) fn of_boxes(
        boxes: impl Iterator<Item = Drawn>,
        camera: &Camera,
        depths: &Depths,
    ) -> Self {
        let lens = Lens::new(camera);
        let mut tiles = Self::filled(camera, Reach::NONE);
        boxes.for_each(|drawn| tiles.add(&lens, depths, &drawn));
        tiles
    }

    /// Returns the range of distances at which the ray of the pixel in column `x` and row `y` (from
    /// the top) may meet matter.
    #[inline(always)]
    pub(crate) fn at(&self, x: usize, y: usize) -> Reach {
        self.reach[y / TILE * self.across + x / TILE]
    }

    /// Returns tiles that all have the range `reach`.
    fn filled(camera: &Camera, reach: Reach) -> Self {
        let (across, down) = count(camera);
        Self {
            across,
            reach: vec![reach; across * down],
        }
    }

    /// Returns the union of the ranges of `self` and `other` for each tile; both must belong to
    /// pictures of the same size.
    pub(crate) fn union(mut self, other: Self) -> Self {
        self.reach
            .iter_mut()
            .zip(other.reach)
            .for_each(|(a, b)| *a = a.union(b));
        self
    }

    /// Extends the range of each tile that the projection of the box `drawn` may touch, except
    /// tiles in which the box lies beyond the depth of `depths`.
    fn add(&mut self, lens: &Lens, depths: &Depths, drawn: &Drawn) {
        let Some((reach, [left, right], [top, bottom])) = lens.see(drawn) else {
            return;
        };
        for start in (top..=bottom).map(|row| row * self.across) {
            let tiles = start + left..start + right + 1;
            for (tile, depth) in self.reach[tiles.clone()].iter_mut().zip(&depths.0[tiles]) {
                if reach.near < *depth {
                    *tile = tile.union(reach);
                }
            }
        }
    }
}

/// Mask of the screen tiles whose pixels are traced.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    /// Number of tiles in a row of the picture.
    across: usize,
    /// Width of the picture in pixels.
    width: usize,
    /// One flag per tile, row-major from the top: set if the tile's pixels are traced.
    live: Vec<bool>,
}

impl Live {
    /// Returns a mask that selects every tile.
    pub(crate) fn whole(camera: &Camera) -> Self {
        let (across, down) = count(camera);
        Self {
            across,
            width: camera.size().0,
            live: vec![true; across * down],
        }
    }

    /// Returns the ranges of columns of the traced pixels in the pixel row `y`, from left to right;
    /// adjacent tiles give one range.
    pub(crate) fn runs(&self, y: usize) -> impl Iterator<Item = Range<usize>> {
        let row = &self.live[y / TILE * self.across..][..self.across];
        let width = self.width;
        let mut start = 0;
        row.chunk_by(|a, b| a == b).filter_map(move |tiles| {
            let run = start * TILE..((start + tiles.len()) * TILE).min(width);
            start += tiles.len();
            tiles[0].then_some(run)
        })
    }

    /// Returns the mask of the tiles that `self` or `other` selects; both masks must belong to
    /// pictures of the same size.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.live
            .iter_mut()
            .zip(&other.live)
            .for_each(|(a, b)| *a |= *b);
        self
    }
}

/// Returns the number of screen tiles across and down the picture of `camera`.
fn count(camera: &Camera) -> (usize, usize) {
    let (width, height) = camera.size();
    (width.div_ceil(TILE), height.div_ceil(TILE))
}

/// Perspective projection of axis-aligned boxes to screen tiles.
struct Lens {
    /// Position of the camera, in cells.
    eye: V3,
    right: V3,
    up: V3,
    forward: V3,
    /// Focal length of the camera in pixels.
    scale: f32,
    /// Principal point in pixels from the upper left corner.
    middle: [f32; 2],
    /// Number of tiles across and down the picture.
    count: [usize; 2],
}

impl Lens {
    fn new(camera: &Camera) -> Self {
        let [right, up, forward] = camera.measures();
        let (across, down) = count(camera);
        let scale = 0.5 * camera.size().1 as f32 / camera.half_height();
        Self {
            eye: camera.eye().coords,
            right,
            up,
            forward,
            scale,
            middle: camera.middle(),
            count: [across, down],
        }
    }

    /// Projects the box `drawn`. Returns the range of distances, the first and last tile column,
    /// and the first and last tile row that the box may touch; `None` if the box lies behind the
    /// camera or outside of the picture.
    #[inline]
    fn see(&self, drawn: &Drawn) -> Option<(Reach, [usize; 2], [usize; 2])> {
        let away = drawn.middle - self.eye;
        let depth = away.dot(&self.forward);
        let half = [&self.right, &self.up, &self.forward].map(|axis| axis.abs().dot(&drawn.half));
        let (near, far) = (depth - half[2], depth + half[2]);
        if far <= 0.0 {
            return None;
        }
        let radius = 1.001 * drawn.half.norm();
        let distance = away.norm();
        let slack = SLACK + 1e-5 * distance;
        let reach = Reach {
            near: (distance - radius - slack).max(0.0),
            far: distance + radius + slack,
        };
        // A brick next to the eye may cover any pixel.
        if near <= 0.1 {
            return Some((reach, [0, self.count[0] - 1], [0, self.count[1] - 1]));
        }
        let (a, b) = (self.scale / near, self.scale / far);
        let tiles = |at: f32, half: f32, axis: usize| {
            let (low, high) = (at - half, at + half);
            let low = self.middle[axis] + (low * a).min(low * b) - SLACK;
            let high = self.middle[axis] + (high * a).max(high * b) + SLACK;
            let last = self.count[axis] as i32 - 1;
            let (low, high) = (
                (low * (1.0 / TILE as f32)).floor() as i32,
                (high * (1.0 / TILE as f32)).floor() as i32,
            );
            (high >= 0 && low <= last).then(|| [low.max(0) as usize, high.min(last) as usize])
        };
        let across = tiles(away.dot(&self.right), half[0], 0)?;
        let down = tiles(-away.dot(&self.up), half[1], 1)?;
        Some((reach, across, down))
    }
}
