//! Screen tiles with the distances at which rays may meet lava, projected from bricks with
//! something to draw. Rays that meet no such brick skip the volume altogether.

use std::ops::Range;

use lavoxel_base::parallel::*;

use crate::camera::Camera;
use crate::math::V3;
use crate::volume::bricks::{Bricks, Drawn, OCTANTS, WHOLE};
use crate::volume::places::EDGE;

/// Edge of a tile in pixels.
const TILE: usize = 8;
/// Distance in cells by which a tile reaches farther, for rays off the middles of its pixels.
const OFF_CENTRE: f32 = 2.0;
/// Margin for rounding, in pixels at the edge of a tile and in cells at the end of a brick.
// Without the margin, rounding could lose a brick at the edge of a tile, or a sample at the end of
// a brick.
const SLACK: f32 = 0.05;

/// Range of distances from the eye in cells; empty if `near` is not below `far`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    pub(crate) near: f32,
    pub(crate) far: f32,
}

impl Reach {
    /// Range of all distances before the eye.
    pub(crate) const ALL: Self = Self { near: 0.0, far: f32::MAX };
    /// Empty range.
    pub(crate) const NONE: Self = Self { near: f32::MAX, far: 0.0 };

    /// Returns true if the range is empty.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.near >= self.far
    }

    /// Smallest range that includes both ranges.
    #[inline]
    pub(crate) fn union(self, other: Self) -> Self {
        Self { near: self.near.min(other.near), far: self.far.max(other.far) }
    }
}

/// Ranges of distances at which a ray may meet media other than lava.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Others {
    /// Media that light passes through; in the plain styles all media.
    pub(crate) clear: Reach,
    /// Media at whose surface a ray ends.
    pub(crate) solid: Reach,
    /// Gases.
    pub(crate) gas: Reach,
}

impl Others {
    /// All distances before the eye.
    pub(crate) const ALL: Self = Self { clear: Reach::ALL, solid: Reach::ALL, gas: Reach::ALL };
    /// Empty ranges.
    pub(crate) const NONE: Self = Self { clear: Reach::NONE, solid: Reach::NONE, gas: Reach::NONE };

    /// Returns true if all ranges are empty.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.clear.is_empty() && self.solid.is_empty() && self.gas.is_empty()
    }

    /// Nearest distance of any medium.
    #[inline(always)]
    pub(crate) fn near(self) -> f32 {
        self.clear.near.min(self.solid.near).min(self.gas.near)
    }
}

/// Ranges of distances of the media other than lava, for each tile; `None` without such media.
pub(crate) struct OtherTiles {
    /// Tiles of the media that light passes through.
    pub(crate) clear: Option<Tiles>,
    /// Tiles of the media at whose surface a ray ends.
    pub(crate) solid: Option<Tiles>,
    /// Tiles of the gases.
    pub(crate) gas: Option<Tiles>,
}

impl OtherTiles {
    /// Ranges of distances for the pixel (`x`, `y`).
    #[inline(always)]
    pub(crate) fn at(&self, x: usize, y: usize) -> Others {
        let at = |tiles: &Option<Tiles>| tiles.as_ref().map_or(Reach::NONE, |tiles| tiles.at(x, y));
        Others { clear: at(&self.clear), solid: at(&self.solid), gas: at(&self.gas) }
    }

    /// Returns true if there are no such media.
    pub(crate) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// Returns the tiles of the media that are present.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Tiles> {
        [&self.clear, &self.solid, &self.gas].into_iter().flatten()
    }
}

/// Distance of each tile, in cells, from which on the ground hides everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Depths(Vec<f32>);

impl Depths {
    /// Farthest depth per tile from per-pixel hits (row-major, rows from the top), where `far` is
    /// the depth of a hit.
    ///
    /// With `off_centre`, each tile takes the largest depth of itself and its neighbours plus
    /// [`OFF_CENTRE`], because rays off the middle of a pixel may see farther.
    pub(crate) fn new<B>(camera: &Camera, pixels: &[B], far: impl Fn(&B) -> f32, off_centre: bool) -> Self {
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
            let rows = around(k / across, down).map(|j| &own[j * across..][around(k % across, across)]);
            rows.flatten().copied().fold(0.0, f32::max) + OFF_CENTRE
        };
        Self((0..own.len()).map(widest).collect())
    }
}

/// Ranges of distances of each tile at which its rays may meet something to draw.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    /// Tiles per row.
    across: usize,
    /// Range of each tile, row-major.
    reach: Vec<Reach>,
}

impl Tiles {
    /// Returns the tiles of a picture in which matter may be anywhere.
    pub(crate) fn whole(camera: &Camera) -> Self {
        Self::filled(camera, Reach::ALL)
    }

    /// Returns the tiles of a picture without matter.
    pub(crate) fn none(camera: &Camera) -> Self {
        Self::filled(camera, Reach::NONE)
    }

    /// Returns the tiles with something to draw; with `edges` also their neighbours, into whose
    /// pixels an edge may reach.
    pub(crate) fn live(&self, camera: &Camera, edges: bool) -> Live {
        let (across, width) = (self.across, camera.size().0);
        if !edges {
            return Live { across, width, live: self.reach.iter().map(|reach| !reach.is_empty()).collect() };
        }
        let mut live = vec![false; self.reach.len()];
        for (k, _) in self.reach.iter().enumerate().filter(|(_, reach)| !reach.is_empty()) {
            let (i, j) = (k % across, k / across);
            let columns = i.saturating_sub(1)..(i + 2).min(across);
            live.chunks_mut(across)
                .take(j + 2)
                .skip(j.saturating_sub(1))
                .for_each(|row| row[columns.clone()].fill(true));
        }
        Live { across, width, live }
    }

    /// Projects the bricks with something to draw that are nearer than the hiding depths `depths`.
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
                    bricks.drawn(layer, parts).for_each(|drawn| tiles.add(&lens, depths, &drawn));
                    tiles
                },
            )
            .reduce(|| Self::filled(camera, Reach::NONE), Self::union)
    }

    /// Projects boxes that are nearer than the hiding depths `depths`.
    pub(crate) fn of_boxes(boxes: impl Iterator<Item = Drawn>, camera: &Camera, depths: &Depths) -> Self {
        let lens = Lens::new(camera);
        let mut tiles = Self::filled(camera, Reach::NONE);
        boxes.for_each(|drawn| tiles.add(&lens, depths, &drawn));
        tiles
    }

    /// Range of distances for the pixel (`x`, `y`).
    #[inline(always)]
    pub(crate) fn at(&self, x: usize, y: usize) -> Reach {
        self.reach[y / TILE * self.across + x / TILE]
    }

    /// Returns tiles that all have the range `reach`.
    fn filled(camera: &Camera, reach: Reach) -> Self {
        let (across, down) = count(camera);
        Self { across, reach: vec![reach; across * down] }
    }

    /// Tile-wise union of both.
    pub(crate) fn union(mut self, other: Self) -> Self {
        self.reach.iter_mut().zip(other.reach).for_each(|(a, b)| *a = a.union(b));
        self
    }

    /// Adds a box to the tiles that it may touch.
    fn add(&mut self, lens: &Lens, depths: &Depths, drawn: &Drawn) {
        let Some((reach, [left, right], [top, bottom])) = lens.see(drawn) else { return };
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

/// Mask of the tiles that are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    /// Tiles per row.
    across: usize,
    /// Width of the picture in pixels.
    width: usize,
    /// Flag of each tile, row-major.
    live: Vec<bool>,
}

impl Live {
    /// Returns a mask of all tiles of a picture.
    pub(crate) fn whole(camera: &Camera) -> Self {
        let (across, down) = count(camera);
        Self { across, width: camera.size().0, live: vec![true; across * down] }
    }

    /// Ranges of drawn pixels in row `y`, each as long as possible.
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

    /// Union with the mask of another part of the same picture.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.live.iter_mut().zip(&other.live).for_each(|(a, b)| *a |= *b);
        self
    }
}

/// Tiles across and down.
fn count(camera: &Camera) -> (usize, usize) {
    let (width, height) = camera.size();
    (width.div_ceil(TILE), height.div_ceil(TILE))
}

/// Perspective projection of axis-aligned boxes onto tiles.
struct Lens {
    /// Eye of the camera in cells.
    eye: V3,
    right: V3,
    up: V3,
    forward: V3,
    /// Pixels per unit of slope.
    scale: f32,
    /// Middle of the picture in pixels.
    middle: [f32; 2],
    /// Tiles across and down.
    count: [usize; 2],
}

impl Lens {
    fn new(camera: &Camera) -> Self {
        let [right, up, forward] = camera.measures();
        let (across, down) = count(camera);
        let scale = 0.5 * camera.size().1 as f32 / camera.half_height();
        Self { eye: camera.eye().coords, right, up, forward, scale, middle: camera.middle(), count: [across, down] }
    }

    /// Range of distances of a box, and the first and last tile across and down that the box may
    /// touch; `None` if the box lies behind the eye or outside of the picture.
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
        let reach = Reach { near: (distance - radius - slack).max(0.0), far: distance + radius + slack };
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
            let (low, high) = ((low * (1.0 / TILE as f32)).floor() as i32, (high * (1.0 / TILE as f32)).floor() as i32);
            (high >= 0 && low <= last).then(|| [low.max(0) as usize, high.min(last) as usize])
        };
        let across = tiles(away.dot(&self.right), half[0], 0)?;
        let down = tiles(-away.dot(&self.up), half[1], 1)?;
        Some((reach, across, down))
    }
}
