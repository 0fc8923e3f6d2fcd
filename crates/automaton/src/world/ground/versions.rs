//! Versions of the ground for each column of tiles, from which readers learn which columns of tiles
//! changed.

use std::ops::Range;

use lavoxel_base::grid::Grid;
use lavoxel_base::grid::tile::{ROW, TILE_X, TILE_Z};
use lavoxel_base::stamp;

/// Version of the ground for each column of tiles (8 × 4 columns of cells over the full height),
/// including a margin of one cell around the tiles.
///
/// Invariant: versions are unique in the process; two grounds with the same version, even copies
/// that were edited apart, have the same cells.
#[derive(Clone, Debug)]
pub(super) struct Versions {
    /// Number of columns of tiles along x.
    count: usize,
    /// Version of the whole ground; new after every change.
    stamp: u64,
    /// Version of each column of tiles, at index `tz · count + tx`.
    versions: Vec<u64>,
}

impl Versions {
    /// Creates the versions of a new ground over `grid`.
    pub(super) fn new(grid: Grid) -> Self {
        let (count, stamp) = (grid.nx.div_ceil(TILE_X), stamp::new());
        Self {
            count,
            stamp,
            versions: vec![stamp; count * grid.nz.div_ceil(TILE_Z)],
        }
    }

    /// Version of the whole ground.
    #[inline]
    pub(super) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Versions of the columns of tiles with z index `tz`, in the order of ascending x.
    #[inline]
    pub(super) fn strip(&self, tz: usize) -> &[u64] {
        &self.versions[tz * self.count..][..self.count]
    }

    /// Assigns a new version to the ground, and to the up to four columns of tiles that contain the
    /// changed column of cells (`x`, `z`) or a neighbour.
    pub(super) fn bump(&mut self, grid: Grid, x: usize, z: usize) {
        self.stamp = stamp::new();
        for tz in z.saturating_sub(1) / TILE_Z..=(z + 1).min(grid.nz - 1) / TILE_Z {
            for tx in x.saturating_sub(1) / TILE_X..=(x + 1).min(grid.nx - 1) / TILE_X {
                self.versions[tz * self.count + tx] = self.stamp;
            }
        }
    }

    /// Heap memory of the versions in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<u64>() * self.versions.len()
    }
}

/// Versions of the ground, by column of tiles, that one reader has already read.
#[derive(Clone, Debug)]
pub struct GroundCursor(Versions);

impl GroundCursor {
    pub(super) fn new(versions: &Versions) -> Self {
        Self(versions.clone())
    }

    /// Returns the columns of tiles in which this cursor's version differs from `versions`, and
    /// updates the cursor to `versions`.
    pub(super) fn advance(&mut self, versions: &Versions) -> GroundChanges {
        let Self(read) = self;
        let mut changes = GroundChanges {
            width: versions.count.div_ceil(ROW),
            words: Vec::new(),
        };
        if read.stamp == versions.stamp {
            return changes;
        }
        let depth = versions.versions.len() / versions.count;
        let is_alike =
            read.count == versions.count && read.versions.len() == versions.versions.len();
        changes.words = vec![0; changes.width * depth];
        for (k, &version) in versions.versions.iter().enumerate() {
            let (tz, tx) = (k / versions.count, k % versions.count);
            let changed = !is_alike || read.versions[k] != version;
            changes.words[tz * changes.width + tx / ROW] |= u64::from(changed) << (tx % ROW);
        }
        read.clone_from(versions);
        changes
    }
}

/// Set of the columns of tiles in which the ground changed, in the tiles themselves or within one
/// cell around them.
#[derive(Clone, Debug)]
pub struct GroundChanges {
    /// Number of 64-bit words in `words` for each z index of tiles.
    width: usize,
    /// Bit set of the changed columns of tiles; empty if nothing changed.
    words: Vec<u64>,
}

impl GroundChanges {
    /// Returns the changed columns of tiles with z index `tz` and x index from 64 `w` to 64 `w` +
    /// 63, as a bit set.
    #[inline]
    pub fn word(&self, tz: usize, w: usize) -> u64 {
        self.words.get(tz * self.width + w).copied().unwrap_or(0)
    }

    /// Returns true if the ground changed in any of the columns of tiles with z index `tz`.
    pub fn has_any(&self, tz: usize) -> bool {
        (0..self.width).any(|w| self.word(tz, w) != 0)
    }

    /// Returns true if the ground changed nowhere.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns the bounding rectangle of the changed columns of tiles as ranges of cells along x
    /// and z; `None` if nothing changed.
    pub fn bounds(&self, grid: Grid) -> Option<[Range<usize>; 2]> {
        let ends = |a: Range<usize>, b: usize| a.start.min(b)..a.end.max(b + 1);
        let tiles =
            self.iter().fold(
                None,
                |bounds: Option<[Range<usize>; 2]>, (tx, tz)| match bounds {
                    None => Some([tx..tx + 1, tz..tz + 1]),
                    Some([xs, zs]) => Some([ends(xs, tx), ends(zs, tz)]),
                },
            );
        let columns = |tiles: Range<usize>, tile: usize, n: usize| {
            tiles.start * tile..(tiles.end * tile).min(n)
        };
        tiles.map(|[xs, zs]| [columns(xs, TILE_X, grid.nx), columns(zs, TILE_Z, grid.nz)])
    }

    /// Iterates over the changed columns of tiles as (tx, tz), sorted by tz, then tx.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        let words = self.words.iter().enumerate();
        words.flat_map(move |(k, &word)| {
            lavoxel_base::grid::tile::bits(word)
                .map(move |bit| (k % self.width * ROW + bit, k / self.width))
        })
    }
}
