//! Marks the tiles that the rules must process after a change of the ground, of denser matter or of
//! rule parameters.

use super::activity::Activity;
use super::clock::Reading;
use super::settled::{Reader, RuleNumbers, Settled};
use super::{Ground, Layer, World};
use crate::matter::Kind;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::{ROW, TILE_X, TILE_Z, TilePlace};

impl Layer {
    /// Marks every tile of the layer to be processed by the rule of the kind `reader`, and returns
    /// true. Does nothing and returns false if the unmarked tiles were last found at rest with the
    /// same rule parameters `numbers` and the same `ground`.
    #[inline]
    pub(crate) fn wake_under(
        &mut self,
        reader: Reader,
        numbers: &RuleNumbers,
        ground: &Ground,
    ) -> bool {
        let Settled {
            ground: last,
            rules,
        } = &self.settled;
        let same_ground = *last == Some(ground.stamp());
        if same_ground && rules[reader as usize].as_ref() == Some(numbers) {
            return false;
        }
        if !same_ground {
            self.settled = Settled {
                ground: Some(ground.stamp()),
                rules: [None; 2],
            };
        }
        self.settled.rules[reader as usize] = Some(*numbers);
        for (strip, awake) in self.strips.iter_mut().zip(&mut self.awake) {
            strip.wake(reader);
            *awake |= strip.tiles() > 0;
        }
        true
    }

    /// Performs the step of a layer that no rule moves: records changes by edits, sources and
    /// reactions for the readers of the layer, and clears the marks for the rules.
    pub(crate) fn stay(&mut self) {
        let reads = self.clock.last();
        for (strip, awake) in self
            .strips
            .iter_mut()
            .zip(&mut self.awake)
            .filter(|(_, awake)| **awake)
        {
            strip.record_falling(reads);
            strip.sleep();
            *awake = false;
        }
    }

    /// Marks the tiles of this layer whose rules read the cell (x, y, z) of the ground, which was
    /// changed; the change replaced the version `stamps[0]` of the ground by `stamps[1]`.
    /// `squeezed`: true if denser matter may press matter of the layer upwards.
    pub(super) fn wake_near(&mut self, [x, y, z]: Place, stamps: [u64; 2], squeezed: bool) {
        // A layer that came to rest with another ground is marked as a whole later.
        if self.settled.ground.replace(stamps[1]) != Some(stamps[0]) {
            self.settled.ground = None;
            return;
        }
        let (tx, tz) = (x / TILE_X, z / TILE_Z);
        if self.is_grains() {
            if self.is_near(tz) {
                self.strips[tz].change_around(tx, y);
                self.awake[tz] = true;
            }
            return;
        }
        // Gravity processes a changed tile and the tile above, which lies on this cell.
        self.awake[tz] |= self.strips[tz].fall_above(y, tx, squeezed);
        // Spreading reads the cell as support of the tile above, and as neighbour in up to four
        // directions.
        self.wake_spreading([tx, y + 1, tz]);
        self.wake_spreading([tx, y, tz]);
        // A liquid under pressure also reads the cell as its ceiling.
        if !self.material.carries_energy() && y > 0 {
            self.wake_spreading([tx, y - 1, tz]);
        }
        for near_x in [x.wrapping_sub(1), x + 1] {
            if near_x < self.grid.nx && near_x / TILE_X != tx {
                self.wake_spreading([near_x / TILE_X, y, tz]);
            }
        }
        for near_z in [z.wrapping_sub(1), z + 1] {
            if near_z < self.grid.nz && near_z / TILE_Z != tz {
                self.wake_spreading([tx, y, near_z / TILE_Z]);
            }
        }
    }

    /// Marks the tile (tx, y, tz), x and z in tiles, to be processed by spreading if the tile
    /// contains matter; its neighbours are not marked.
    fn wake_spreading(&mut self, [tx, y, tz]: TilePlace) {
        let (strip, activities) = (&self.strips[tz], &mut self.activities[tz]);
        let (index, bit) = (strip.index(y, tx / ROW), tx % ROW);
        if y >= self.grid.ny || strip.row(index).held >> bit & 1 == 0 {
            return;
        }
        activities.make(strip.len());
        let last = activities.get(index);
        activities.store(
            index,
            y,
            Activity {
                active: last.active | 1 << bit,
                ..last
            },
        );
        self.awake[tz] = true;
    }
}

impl World {
    /// Marks the tiles of the layer with index `layer` in which denser layers changed. Reads the
    /// layers before this one back to the nearest layer that a rule moves: the step of that layer
    /// has already passed on the changes of the layers before it.
    pub(crate) fn wake_beside_heavier(&mut self, layer: usize) {
        let mirrors = self.mirrors();
        for heavier in (0..layer).rev() {
            self.wake_lighter(heavier);
            if self.layers[heavier].material().kind != Kind::Still && !mirrors.has(heavier) {
                return;
            }
        }
    }

    /// Marks the tiles of all layers after `layer` in which the layer `layer` changed since the
    /// last call, because the free cell volume of these layers changed.
    fn wake_lighter(&mut self, layer: usize) {
        let (heavier, lighter) = self.layers.split_at_mut(layer + 1);
        let heavier = &mut heavier[layer];
        let Some(read) = heavier
            .read_by_lighter
            .replace(heavier.clock.count(Reading::Lighter))
        else {
            return;
        };
        heavier.wake_readers((Reading::Lighter, read), lighter.iter_mut());
    }

    /// Marks the tiles of layers of grains in which a denser fluid changed since the last call,
    /// because such a fluid carries the grains.
    pub(crate) fn wake_grains(&mut self) {
        let fluids = self
            .layers
            .iter()
            .position(Layer::is_fluid)
            .expect("the lava is one");
        let (grains, fluids) = self.layers.split_at_mut(fluids);
        for fluid in fluids {
            let Some(read) = fluid
                .read_by_grains
                .replace(fluid.clock.count(Reading::Grains))
            else {
                continue;
            };
            let carried = grains.iter_mut().filter(|layer| layer.is_carried_by(fluid));
            fluid.wake_readers((Reading::Grains, read), carried);
        }
    }
}

impl Layer {
    /// Marks, in each of the layers `readers`, the tiles in which this layer changed since the read
    /// by readers of this `kind` with the number `read`.
    fn wake_readers<'a>(
        &self,
        (kind, read): (Reading, u64),
        readers: impl Iterator<Item = &'a mut Self>,
    ) {
        for layer in readers {
            for (tz, strip) in self.strips.iter().enumerate() {
                // This is the only reader of its kind, so that the record always reaches back to
                // the last read.
                let Some(changes) = strip.changes_after(kind, read) else {
                    continue;
                };
                let near = || {
                    layer.strips[tz.saturating_sub(1)..]
                        .iter()
                        .take(3)
                        .any(|strip| strip.tiles() > 0)
                };
                if !changes.rows.is_empty() && near() {
                    layer.strips[tz].change_under(&changes);
                    layer.awake[tz] = true;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::Engine;
    use crate::engine::tiled::Tiled;
    use crate::rules::{Rule, Rules, RulesSpec};
    use crate::world::{Ground, Strip, World};
    use lavoxel_base::grid::Grid;
    use lavoxel_base::grid::tile::{TilePlace, bits};
    use lavoxel_base::random::Draw;
    use lavoxel_base::units::AMOUNT_ONE;
    use ndarray::Array2;

    /// Creates a lake two cells deep on a floor of two cells of rock, with too little energy to
    /// move, and an island at (20, 9); no tile is marked.
    fn asleep() -> World {
        let grid = Grid::new(40, 9, 20);
        let mut world = World::new(Ground::from_surface(
            grid.ny,
            Array2::from_elem((grid.nz, grid.nx), 2.0),
        ));
        (2..4).for_each(|y| world.set_solid([20, y, 9], true));
        for (z, x) in (0..grid.nz).flat_map(|z| (0..grid.nx).map(move |x| (z, x))) {
            (2..4).for_each(|y| world.place([x, y, z], AMOUNT_ONE, 1));
        }
        world.open_account();
        let (mut engine, rules) = (Tiled::default(), Rules::from(&RulesSpec::default()));
        for step in 0..4 {
            for rule in rules.iter() {
                engine.run(&mut world, rule, Draw { seed: 1, step });
            }
        }
        assert!(
            visits(&world).iter().all(Vec::is_empty),
            "everything sleeps"
        );
        world
    }

    /// Returns the indices (tx, y, tz) of the tiles that the vertical rule and the horizontal rule
    /// will process next.
    fn visits(world: &World) -> [Vec<TilePlace>; 2] {
        let mut visits = [vec![], vec![]];
        for (tz, strip) in world.layers[0].strips.iter().enumerate() {
            assert!(strip.flowing.is_empty(), "no tile changed");
            for y in 0..world.grid.ny {
                let row = |y: usize| Strip::row(strip, y * strip.width);
                let below = if y > 0 { row(y - 1).falling } else { 0 };
                let falls = row(y).held & (row(y).falling | below);
                let live = if world.layers[0].activities[tz].active.range().contains(&y) {
                    world.layers[0].activities[tz].get(y).active
                } else {
                    0
                };
                for (visits, set) in visits.iter_mut().zip([falls, row(y).held & live]) {
                    visits.extend(bits(set).map(|tx| [tx, y, tz]));
                }
            }
        }
        assert!(
            visits
                .iter()
                .flatten()
                .all(|&[_, _, tz]| world.layers[0].awake[tz]),
            "the engine visits sleeping strips never"
        );
        visits
    }

    #[test]
    fn a_changed_cell_wakes_only_the_tiles_that_read_it() {
        for (cell, solid, falls, spreads) in [
            // Rock below the lake, inside a tile: supports the tile above.
            ([12, 1, 6], false, vec![[1, 2, 1]], vec![[1, 2, 1]]),
            // Foot of the island, inside a tile: marks its own tile, into whose cells liquid may
            // flow, and the tile above.
            (
                [20, 2, 9],
                false,
                vec![[2, 2, 2], [2, 3, 2]],
                vec![[2, 2, 2], [2, 3, 2]],
            ),
            // Air on the lake at the corner of four tiles has no liquid next to it.
            ([15, 4, 7], true, vec![], vec![]),
            ([15, 8, 7], true, vec![], vec![]),
            ([12, 0, 6], false, vec![], vec![]),
        ] {
            let mut world = asleep();
            world.set_solid(cell, solid);
            assert_eq!(visits(&world), [falls, spreads], "{cell:?}");
        }
        // At the corner of a tile, the neighbours along both axes read the cell too, but not the
        // diagonal neighbour.
        let mut world = asleep();
        world.set_solid([15, 3, 7], true);
        let [falls, mut spreads] = visits(&world);
        spreads.sort_unstable();
        assert_eq!(
            (falls, spreads),
            (vec![[1, 3, 1]], vec![[1, 3, 1], [1, 3, 2], [2, 3, 1]])
        );
    }

    #[test]
    fn a_ground_that_was_put_in_its_place_wakes_everything() {
        let mut world = asleep();
        world.ground = Ground::none(world.grid);
        world.set_solid([12, 0, 6], true);
        let gravity = Rule::Gravity((&RulesSpec::default()).into());
        Tiled::default().run(&mut world, (0, &gravity), Draw { seed: 1, step: 0 });
        assert_eq!(
            world.layers[0].at([3, 1, 3]).amount,
            AMOUNT_ONE,
            "the lake falls"
        );
    }
}
