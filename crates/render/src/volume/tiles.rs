//! Where in the picture, and how far away, there may be lava: what the bricks with something to draw look like from the
//! camera. Rays that meet no such brick do not walk through the volume at all.

use std::ops::Range;

use lavoxel_base::parallel::*;

use crate::camera::Camera;
use crate::math::V3;
use crate::volume::bricks::{Bricks, Drawn, OCTANTS, WHOLE};
use crate::volume::places::EDGE;

/// Edge of a tile in pixels.
const TILE: usize = 8;
/// How much farther a tile reaches for rays off the middles of its pixels, in cells.
const OFF_CENTRE: f32 = 2.0;
/// Rounding must not lose a brick at the edge of a tile, in pixels, nor a sample at the end of a brick, in cells.
const SLACK: f32 = 0.05;

/// A range of distances from the eye, in cells; empty when it ends before it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    pub(crate) near: f32,
    pub(crate) far: f32,
}

impl Reach {
    /// Everything before the eye.
    pub(crate) const ALL: Self = Self { near: 0.0, far: f32::MAX };
    /// No place.
    pub(crate) const NONE: Self = Self { near: f32::MAX, far: 0.0 };

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.near >= self.far
    }

    /// Both, and what is between them.
    #[inline]
    pub(crate) fn union(self, other: Self) -> Self {
        Self { near: self.near.min(other.near), far: self.far.max(other.far) }
    }
}

/// The distances between which a ray may meet media besides the lava: those that light passes (in the plain styles all), those
/// at whose surface it ends, and gases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Others {
    pub(crate) clear: Reach,
    pub(crate) solid: Reach,
    pub(crate) gas: Reach,
}

impl Others {
    /// Everything before the eye.
    pub(crate) const ALL: Self = Self { clear: Reach::ALL, solid: Reach::ALL, gas: Reach::ALL };
    /// No place.
    pub(crate) const NONE: Self = Self { clear: Reach::NONE, solid: Reach::NONE, gas: Reach::NONE };

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.clear.is_empty() && self.solid.is_empty() && self.gas.is_empty()
    }

    /// The nearest distance.
    #[inline(always)]
    pub(crate) fn near(self) -> f32 {
        self.clear.near.min(self.solid.near).min(self.gas.near)
    }
}

/// For each tile of the picture, the distances of the media besides the lava.
pub(crate) struct OtherTiles {
    pub(crate) clear: Option<Tiles>,
    pub(crate) solid: Option<Tiles>,
    pub(crate) gas: Option<Tiles>,
}

impl OtherTiles {
    /// The distances for a pixel.
    #[inline(always)]
    pub(crate) fn at(&self, x: usize, y: usize) -> Others {
        let at = |tiles: &Option<Tiles>| tiles.as_ref().map_or(Reach::NONE, |tiles| tiles.at(x, y));
        Others { clear: at(&self.clear), solid: at(&self.solid), gas: at(&self.gas) }
    }

    /// Whether there are no such media.
    pub(crate) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// Those that are there.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Tiles> {
        [&self.clear, &self.solid, &self.gas].into_iter().flatten()
    }
}

/// For each tile of the picture, the distance from which on the ground hides everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Depths(Vec<f32>);

impl Depths {
    /// From what each pixel shows, in rows from the top, and its distance. Rays off the middle of a pixel may see farther:
    /// with `off_centre`, a tile takes the largest distance among itself and its neighbours, and a little more.
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

/// For each tile of the picture, the distances between which its rays may meet something to draw.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    across: usize,
    reach: Vec<Reach>,
}

impl Tiles {
    /// Tiles of a picture in which everything may be met everywhere.
    pub(crate) fn whole(camera: &Camera) -> Self {
        Self::filled(camera, Reach::ALL)
    }

    /// Tiles of a picture in which nothing is to be met.
    pub(crate) fn none(camera: &Camera) -> Self {
        Self::filled(camera, Reach::NONE)
    }

    /// The tiles with something to draw; with `edges` also their neighbours, whose pixels may lie at its edge.
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

    /// Projects the bricks with something to draw that are nearer than what hides them.
    pub(crate) fn new(bricks: &Bricks, camera: &Camera, depths: &Depths) -> Self {
        let lens = Lens::new(camera);
        // Thin lava fills little of a brick, which shows where a brick is larger than a tile.
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

    /// Projects boxes that are nearer than what hides them.
    pub(crate) fn of_boxes(boxes: impl Iterator<Item = Drawn>, camera: &Camera, depths: &Depths) -> Self {
        let lens = Lens::new(camera);
        let mut tiles = Self::filled(camera, Reach::NONE);
        boxes.for_each(|drawn| tiles.add(&lens, depths, &drawn));
        tiles
    }

    /// The distances for a pixel.
    #[inline(always)]
    pub(crate) fn at(&self, x: usize, y: usize) -> Reach {
        self.reach[y / TILE * self.across + x / TILE]
    }

    fn filled(camera: &Camera, reach: Reach) -> Self {
        let (across, down) = count(camera);
        Self { across, reach: vec![reach; across * down] }
    }

    /// Where there may be something of either.
    pub(crate) fn union(mut self, other: Self) -> Self {
        self.reach.iter_mut().zip(other.reach).for_each(|(a, b)| *a = a.union(b));
        self
    }

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

/// Tiles that are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    across: usize,
    /// Pixels of a row of the picture.
    width: usize,
    live: Vec<bool>,
}

impl Live {
    /// All tiles of a picture.
    pub(crate) fn whole(camera: &Camera) -> Self {
        let (across, down) = count(camera);
        Self { across, width: camera.size().0, live: vec![true; across * down] }
    }

    /// The pixels of row `y` that are drawn, in stretches as long as can be.
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

    /// These tiles and those of another part of the same picture.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.live.iter_mut().zip(&other.live).for_each(|(a, b)| *a |= *b);
        self
    }
}

fn count(camera: &Camera) -> (usize, usize) {
    let (width, height) = camera.size();
    (width.div_ceil(TILE), height.div_ceil(TILE))
}

/// How a camera sees boxes along the axes.
struct Lens {
    eye: V3,
    right: V3,
    up: V3,
    forward: V3,
    /// Pixels to a unit of slope, and the middle of the picture in pixels.
    scale: f32,
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

    /// The distances of a box, and the first and last tile across and down that it may touch.
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
