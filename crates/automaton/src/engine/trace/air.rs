//! Distinguishes air (free cell volume) that is connected to the roof or an open side of the
//! simulation box from trapped air.

use super::near::Near;
use super::parts::{Cells, Connected};
use super::sides::Sides;
use super::sky::Sky;
use super::{Reads, each};
use crate::engine::heavier::{Heavier, Layers};
use crate::rules::{Bodies, Walls};
use crate::world::{AMOUNT, Layer};
use lavoxel_base::grid::Grid;
use lavoxel_base::grid::tile::{ROW, bits};
use lavoxel_base::simd::{Level, Simd, Work};

/// Cells with at least a minimum of free volume, into which liquid can rise, grouped into connected
/// components (face neighbours).
#[derive(Debug, Default)]
pub(super) struct Air {
    airs: Connected,
    /// Flag per connected component: true if the component touches the roof or an open side of the
    /// simulation box.
    is_free: Vec<bool>,
    /// Height in cells from which upwards every cell with air is connected to the roof.
    roof: usize,
}

/// Inputs for finding the cells with at least the minimum of free volume into which liquid can
/// rise.
pub(super) struct Rooms<'a, R> {
    pub(super) level: Level,
    pub(super) grid: Grid,
    pub(super) heavier: Layers<'a>,
    pub(super) layer: &'a Layer,
    pub(super) skies: &'a [Sky],
    pub(super) read: &'a Reads,
    pub(super) rule: &'a R,
}

impl<'a, R> Rooms<'a, R> {
    /// Iterates over the layers whose matter reduces the free volume for the liquid, the densest
    /// layer first.
    fn layers(&self) -> impl Iterator<Item = &'a Layer> + Clone {
        self.heavier.0.iter().chain(std::iter::once(self.layer))
    }
}

impl Air {
    /// Finds the air of the simulation box that is connected to the roof or an open side; keeps the
    /// last result for strips in which nothing changed. `parallel`: uses all threads.
    pub(super) fn find<R: Bodies>(&mut self, rooms: &Rooms<'_, R>, parallel: bool) {
        let Rooms {
            grid,
            layer: Layer { strips, .. },
            skies,
            ..
        } = *rooms;
        let matter = rooms.layers().flat_map(|layer| &layer.strips);
        let matter = matter
            .map(|strip| strip.held.range().end)
            .max()
            .unwrap_or(0);
        let ground = skies.iter().map(Sky::top).max().unwrap_or(0);
        // This row and those above are empty, or this row is the last.
        let roof = matter.max(ground).min(grid.ny - 1);
        self.roof = roof;
        let airs = &mut self.airs;
        airs.strips.resize_with(strips.len(), Default::default);
        each(&mut airs.strips, parallel, |tz, cells| {
            rooms.level.run(Roomy {
                rooms,
                tz,
                cells,
                roof,
            });
            cells.connect();
        });
        if !airs.connect() {
            return;
        }
        self.is_free.clear();
        self.is_free.resize(airs.end(), false);
        let sides = Sides::new(grid, rooms.rule.walls() == Walls::Open);
        let first = if rooms.rule.walls() == Walls::Open {
            0
        } else {
            roof
        };
        for (tz, strip) in strips.iter().enumerate() {
            for (tx, y) in (first..=roof).flat_map(|y| (0..strip.count).map(move |tx| (tx, y))) {
                let free = if y == roof {
                    u32::MAX
                } else {
                    sides.cells([tx, tz])
                };
                if free != 0 {
                    for (cells, air) in airs.parts([tx, y, tz]) {
                        self.is_free[air as usize] |= cells & free != 0;
                    }
                }
            }
        }
    }

    /// Returns the bit mask of the cells of the tile (tx, y, tz), x and z in tiles, whose air is
    /// connected to the roof or an open side of the simulation box.
    #[inline]
    pub(super) fn free(&self, tile @ [_, y, _]: [usize; 3]) -> u32 {
        if y > self.roof {
            return u32::MAX;
        }
        let free = self
            .airs
            .parts(tile)
            .filter(|&(_, air)| self.is_free[air as usize]);
        free.fold(0, |all, (cells, _)| all | cells)
    }

    /// Returns the bit mask of the cells of the tile (tx, y, tz) whose air is connected to the roof
    /// or an open side of the simulation box, or that share a face with such a cell. `count` and
    /// `strips`: numbers of tiles along x and z.
    pub(super) fn near(&self, [tx, y, tz]: [usize; 3], [count, strips]: [usize; 2]) -> u32 {
        let free = |is_there: bool, by: [isize; 3]| {
            let place = [tx, y, tz];
            if is_there {
                self.free(std::array::from_fn(|k| place[k].wrapping_add_signed(by[k])))
            } else {
                0
            }
        };
        let near = Near {
            here: free(true, [0, 0, 0]),
            below: free(y > 0, [0, -1, 0]),
            above: free(true, [0, 1, 0]),
            beside: [
                free(tx > 0, [-1, 0, 0]),
                free(tx + 1 < count, [1, 0, 0]),
                free(tz > 0, [0, 0, -1]),
                free(tz + 1 < strips, [0, 0, 1]),
            ],
        };
        near.here | near.beside_or_below() | near.above
    }
}

/// SIMD kernel that finds the cells of one strip with at least the minimum of free volume into
/// which liquid can rise, from the floor up to and including the height `roof`.
struct Roomy<'a, R> {
    rooms: &'a Rooms<'a, R>,
    tz: usize,
    cells: &'a mut Cells,
    roof: usize,
}

impl<R: Bodies> Work for Roomy<'_, R> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        let Self {
            rooms, tz, roof, ..
        } = self;
        let read = rooms.read;
        let strip = &rooms.layer.strips[tz];
        let rows = 0..roof + 1;
        if rooms.skies[tz].changed
            || !self.cells.has(&rows, strip.count)
            || !read.reaches(rooms.layers(), tz)
        {
            self.cells.begin(rows.clone(), strip.count);
            for (y, tx) in rows.flat_map(|y| (0..strip.count).map(move |tx| (y, tx))) {
                self.tile(s, [tx, y]);
            }
            return;
        }
        self.cells.settle();
        for changes in read.changes(rooms.layers(), tz) {
            for y in changes.rows.range() {
                for w in 0..strip.width {
                    bits(changes.word(y, w)).for_each(|bit| self.tile(s, [w * ROW + bit, y]));
                }
            }
        }
    }
}

impl<R: Bodies> Roomy<'_, R> {
    /// Computes, for the tile at (`tx`, `y`), x in tiles, the bit mask of the cells with at least
    /// the minimum of free volume into which liquid can rise.
    #[inline(always)]
    fn tile<S: Simd>(&mut self, s: S, [tx, y]: [usize; 2]) {
        let Rooms {
            heavier,
            layer,
            skies,
            rule,
            ..
        } = *self.rooms;
        let strip = &layer.strips[self.tz];
        if tx >= strip.count || y > self.roof {
            return;
        }
        let (index, bit) = (strip.index(y, tx / ROW), tx % ROW);
        let filling = s.load(&strip.tile(strip.row(index).slots[bit]).0[AMOUNT]);
        let filling = s.add_saturating(filling, heavier.amount(s, index, bit, self.tz));
        let open = skies[self.tz].open(tx, y) & rule.roomy(s, filling);
        self.cells.store_mask(tx, y, open);
    }
}
