//! Connected components of marked cells (face neighbours), computed on tiles: flood fill of the
//! mask of each tile, then union of connected sets that touch, first within each strip, then across
//! strips.

use std::ops::Range;

use super::near::{EAST, NORTH, SOUTH, WEST};
use super::union::Union;

/// Connected set of marked cells within one tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct TilePart {
    /// Bit mask of the cells of this set.
    pub(super) cells: u32,
    /// Index of the connected component of the strip to which these cells belong.
    body: u32,
}

/// Marked cells of one strip and their connected components (face neighbours).
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// Number of tiles along x in the strip.
    count: usize,
    /// Height y of the first row of `masks`.
    first_y: usize,
    /// Bit mask of the marked cells of each tile, rows from `first_y` upwards, x fastest.
    masks: Vec<u32>,
    /// For each tile the index in `parts` of its first connected set; meaningful only for tiles
    /// with marked cells.
    first: Vec<u32>,
    parts: Vec<TilePart>,
    union: Union,
    /// Number of connected components of marked cells in the strip.
    bodies: usize,
    /// Row of masks without marked cells, returned for heights outside of the stored range.
    none: Vec<u32>,
    /// True if the marked cells differ from those at the last [`Cells::settle`].
    changed: bool,
}

impl Cells {
    /// Removes all marks and sets the range of stored heights to `rows`, with `count` tiles along
    /// x.
    pub(super) fn begin(&mut self, rows: Range<usize>, count: usize) {
        (self.count, self.first_y) = (count, rows.start);
        for (masks, length) in [
            (&mut self.masks, rows.len() * count),
            (&mut self.none, count),
        ] {
            masks.clear();
            masks.resize(length, 0);
        }
        self.changed = true;
    }

    /// Returns true if the stored heights are `rows` and the number of tiles along x is `count`.
    pub(super) fn has(&self, rows: &Range<usize>, count: usize) -> bool {
        self.count == count && self.rows() == *rows
    }

    /// Makes the present marks the reference against which `Cells::changed` compares.
    pub(super) fn settle(&mut self) {
        self.changed = false;
    }

    /// Returns true if the marked cells differ from those at the last [`Cells::settle`].
    pub(super) fn changed(&self) -> bool {
        self.changed
    }

    /// Returns the range of stored heights y.
    pub(super) fn rows(&self) -> Range<usize> {
        self.first_y..self.first_y + self.masks.len() / self.count.max(1)
    }

    /// Sets the bit mask of the tile at (`tx`, `y`) to `cells`; `y` must be in the stored range.
    /// Returns true if the mask changed.
    #[inline(always)]
    pub(super) fn store_mask(&mut self, tx: usize, y: usize, cells: u32) -> bool {
        let before =
            std::mem::replace(&mut self.masks[(y - self.first_y) * self.count + tx], cells);
        self.changed |= before != cells;
        before != cells
    }

    /// Returns the bit masks of the tiles at height `y`; empty masks outside of the stored range.
    #[inline]
    pub(super) fn row(&self, y: usize) -> &[u32] {
        if self.rows().contains(&y) {
            &self.masks[(y - self.first_y) * self.count..][..self.count]
        } else {
            &self.none
        }
    }

    /// Returns the connected sets of marked cells in the tile with index `tile`, which must have
    /// marked cells.
    #[inline]
    fn parts(&self, tile: usize) -> &[TilePart] {
        let (all, parts) = (self.masks[tile], &self.parts[self.first[tile] as usize..]);
        let (mut seen, mut count) = (0, 0);
        while seen != all {
            seen |= parts[count].cells;
            count += 1;
        }
        &parts[..count]
    }

    /// Computes the connected components of the strip; must be called after all masks are set. Does
    /// nothing if no cell changed.
    pub(super) fn connect(&mut self) {
        if !self.changed {
            return;
        }
        self.first.resize(self.masks.len(), 0);
        self.parts.clear();
        self.union.reset(0);
        self.bodies = 0;
        for row in 0..self.rows().len() {
            for tx in 0..self.count {
                self.connect_tile(row * self.count + tx, tx > 0, row > 0);
            }
        }
        // Renumbers without gaps, in the order of the first parts.
        for (number, &smallest) in self.union.flatten().iter().enumerate() {
            self.parts[number].body = if (smallest as usize) < number {
                self.parts[smallest as usize].body
            } else {
                self.bodies += 1;
                self.bodies as u32 - 1
            };
        }
    }

    /// Computes the connected sets of marked cells in the tile with index `tile`, and joins them
    /// with touching sets of the tile to the west (if `has_west`) and of the tile below (if
    /// `has_below`).
    #[inline]
    fn connect_tile(&mut self, tile: usize, has_west: bool, has_below: bool) {
        let mut rest = self.masks[tile];
        self.first[tile] = self.parts.len() as u32;
        while rest != 0 {
            let cells = flood(rest);
            rest &= !cells;
            let number = self.union.push();
            self.parts.push(TilePart {
                cells,
                body: number,
            });
            if has_west {
                self.touch(number, tile - 1, (cells & WEST) << 7);
            }
            if has_below {
                self.touch(number, tile - self.count, cells);
            }
        }
    }

    /// Joins the component of the connected set with index `number` with those of all sets of the
    /// tile `tile` that contain any of the `cells` (bit mask).
    #[inline]
    fn touch(&mut self, number: u32, tile: usize, cells: u32) {
        if self.masks[tile] & cells == 0 {
            return;
        }
        let mut part = self.first[tile] as usize;
        let mut rest = self.masks[tile];
        while rest != 0 {
            let seen = self.parts[part].cells;
            if seen & cells != 0 {
                self.union.join(number, part as u32);
            }
            rest &= !seen;
            part += 1;
        }
    }

    /// Replaces the contents of `links` by the pairs of touching components of this strip and of
    /// `after`, the next strip to the south.
    fn link(&self, after: &Self, links: &mut Vec<[u32; 2]>) {
        links.clear();
        let (rows, others) = (self.rows(), after.rows());
        for y in rows.start.max(others.start)..rows.end.min(others.end) {
            let (first, other) = (
                (y - rows.start) * self.count,
                (y - others.start) * self.count,
            );
            for tx in 0..self.count {
                if (self.masks[first + tx] & SOUTH) >> 24 & after.masks[other + tx] == 0 {
                    continue;
                }
                for part in self.parts(first + tx) {
                    for next in after.parts(other + tx) {
                        let link = [part.body, next.body];
                        if (part.cells & SOUTH) >> 24 & next.cells != 0
                            && links.last() != Some(&link)
                        {
                            links.push(link);
                        }
                    }
                }
            }
        }
    }
}

/// Marked cells of all strips, and their connected components in the whole simulation box, called
/// bodies here.
#[derive(Debug, Default)]
pub(super) struct Connected {
    pub(super) strips: Vec<Cells>,
    /// For each strip, the number of its first component when the components of all strips are
    /// numbered consecutively from 0.
    offsets: Vec<u32>,
    union: Union,
    /// For each strip, the pairs of touching components of the strip and the next one to the south,
    /// in consecutive numbers.
    links: Vec<Vec<[u32; 2]>>,
    /// True if all marked cells of the simulation box form one body, which then has the number 0.
    is_one: bool,
}

impl Connected {
    /// Computes the bodies from the components of all strips. Returns true if the marked cells of
    /// any strip changed.
    pub(super) fn connect(&mut self) -> bool {
        let Self {
            strips,
            offsets,
            union,
            links,
            is_one,
        } = self;
        if offsets.len() == strips.len() && !strips.iter().any(Cells::changed) {
            return false;
        }
        offsets.clear();
        let mut bodies = 0;
        for strip in &*strips {
            offsets.push(bodies as u32);
            bodies += strip.bodies;
        }
        union.reset(bodies);
        links.resize_with(strips.len(), Vec::new);
        for ((strips, offsets), links) in strips.windows(2).zip(offsets.windows(2)).zip(links) {
            if strips[0].changed || strips[1].changed {
                strips[0].link(&strips[1], links);
            }
            for [body, next] in &*links {
                union.join(offsets[0] + body, offsets[1] + next);
            }
        }
        *is_one = union.flatten().iter().all(|&body| body == 0);
        true
    }

    /// Returns true if the marked cells changed in the strip with z index `tz` or in a neighbouring
    /// strip.
    pub(super) fn changed_near(&self, tz: usize) -> bool {
        self.strips[tz.saturating_sub(1)..]
            .iter()
            .take(2 + usize::from(tz > 0))
            .any(Cells::changed)
    }

    /// Upper bound of the body numbers: all numbers are below the returned value.
    pub(super) fn end(&self) -> usize {
        self.offsets.last().map_or(0, |&offset| offset as usize)
            + self.strips.last().map_or(0, |strip| strip.bodies)
    }

    /// Iterates over the connected sets of marked cells in the tile (tx, y, tz): bit mask of the
    /// cells, and number of the connected component (body) to which they belong.
    #[inline]
    pub(super) fn parts(&self, [tx, y, tz]: [usize; 3]) -> impl Iterator<Item = (u32, u32)> + '_ {
        let strip = &self.strips[tz];
        let tile = (strip.rows().contains(&y)).then(|| (y - strip.first_y) * strip.count + tx);
        let parts = tile
            .filter(|&tile| strip.masks[tile] != 0)
            .map_or(&[][..], |tile| strip.parts(tile));
        parts.iter().map(move |part| {
            (
                part.cells,
                self.union.smallest(self.offsets[tz] + part.body),
            )
        })
    }

    /// Returns the number of the connected component (body) to which all marked cells of `tiles`
    /// (x, y, z in tiles) belong; `None` if they belong to several.
    #[inline]
    pub(super) fn only(&self, tiles: impl Iterator<Item = [usize; 3]>) -> Option<u32> {
        if self.is_one {
            return Some(0);
        }
        let mut only = None;
        for (tile, strip) in tiles.map(|tile| (tile, &self.strips[tile[2]])) {
            let [tx, y, tz] = tile;
            for part in strip.parts((y - strip.first_y) * strip.count + tx) {
                let body = self.union.smallest(self.offsets[tz] + part.body);
                if *only.get_or_insert(body) != body {
                    return None;
                }
            }
        }
        only
    }

    /// Returns the number of the connected component (body) that contains a marked cell, given as
    /// the bit mask `cell` in `tile` (x, y, z in tiles). `None` if the cell is not marked.
    pub(super) fn body(&self, tile: [usize; 3], cell: u32) -> Option<u32> {
        self.parts(tile)
            .find(|(cells, _)| cells & cell != 0)
            .map(|(_, body)| body)
    }
}

/// Returns the cells of `mask` (not 0) that are connected with its lowest bit, as a bit mask.
#[inline]
fn flood(mask: u32) -> u32 {
    if mask == u32::MAX {
        return mask;
    }
    let mut cells = mask & mask.wrapping_neg();
    loop {
        let across = (cells & !WEST) >> 1 | (cells & !EAST) << 1;
        let grown = (cells | across | (cells & !NORTH) >> 8 | (cells & !SOUTH) << 8) & mask;
        if grown == cells {
            return cells;
        }
        cells = grown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_stays_in_its_tile_and_among_the_cells() {
        assert_eq!(flood(u32::MAX), u32::MAX);
        // Ends of two rows are adjacent in the mask, but not in the tile.
        assert_eq!(flood(0x0000_0180), 0x80);
        // A bent line, and a cell that touches the line at a corner only.
        assert_eq!(flood(0x0010_0f08), 0x0f08);
    }

    /// Compares the bodies found in grids of random cells with those of a search that starts at
    /// each cell.
    #[test]
    fn bodies_are_those_of_a_plain_search() {
        for (nx, ny, nz, share) in [
            (21, 5, 14, 50),
            (8, 3, 4, 70),
            (1, 9, 30, 80),
            (600, 2, 3, 60),
            (30, 7, 1, 55),
        ] {
            let hash = |[x, y, z]: [usize; 3]| {
                lavoxel_base::random::mix64((x + 1000 * y + 100_000 * z) as u64) % 100 < share
            };
            let places = || {
                (0..nz)
                    .flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
            };
            let mut bodies = Connected::default();
            bodies
                .strips
                .resize_with(usize::div_ceil(nz, 4), Cells::default);
            bodies
                .strips
                .iter_mut()
                .for_each(|strip| strip.begin(0..ny, usize::div_ceil(nx, 8)));
            let tile = |[x, y, z]: [usize; 3]| ([x / 8, y, z / 4], 1_u32 << (z % 4 * 8 + x % 8));
            for place in places().filter(|&place| hash(place)) {
                let ([tx, y, tz], bit) = tile(place);
                let mask = bodies.strips[tz].row(y)[tx] | bit;
                bodies.strips[tz].store_mask(tx, y, mask);
            }
            bodies.strips.iter_mut().for_each(Cells::connect);
            bodies.connect();
            let body = |place| {
                let (tile, bit) = tile(place);
                bodies.body(tile, bit)
            };
            let mut seen = std::collections::BTreeMap::new();
            for start in places().filter(|&place| hash(place)) {
                if seen.contains_key(&start) {
                    continue;
                }
                let number = body(start).expect("it is one of the cells");
                assert!(
                    seen.values().all(|&other| other != number),
                    "another body has its number"
                );
                let mut found = vec![start];
                while let Some(place) = found.pop() {
                    if place.iter().zip([nx, ny, nz]).any(|(&v, n)| v >= n)
                        || !hash(place)
                        || seen.contains_key(&place)
                    {
                        continue;
                    }
                    assert_eq!(
                        body(place),
                        Some(number),
                        "{place:?} hangs together with {start:?}"
                    );
                    seen.insert(place, number);
                    for axis in 0..3 {
                        for by in [usize::MAX, 1] {
                            let mut near = place;
                            near[axis] = near[axis].wrapping_add(by);
                            found.push(near);
                        }
                    }
                }
            }
            assert!(
                places()
                    .filter(|&place| !hash(place))
                    .all(|place| body(place).is_none())
            );
        }
    }
}
