//! Transport of liquid through connected bodies ([`crate::rules::Bodies`]) on tiles.
//!
//! The work is done strip by strip, on all threads, in this order: the masks of body cells and
//! their connected components; the components of all strips together; the surface cells, summed by
//! body and height; the flow between heights; and the apportionment to the cells, for which prefix
//! sums run over the strips in order. No result depends on the number of threads.
//!
//! If nothing moved, the layer stores the versions of all inputs: the rule is skipped until the
//! rule, the ground or a layer that it reads has changed. Masks, components and the tiles at the
//! surfaces of bodies are cached from one run to the next, and recomputed only in strips in which
//! the mask of a tile changed. Invariant: the cached values equal those of a full computation.

mod air;
mod near;
mod parts;
mod reads;
mod sides;
mod sky;
mod surfaces;
mod union;

use self::air::{Air, Rooms};
use self::parts::{Cells, Connected};
use self::reads::Reads;
use self::sides::Sides;
use self::sky::Sky;
use self::surfaces::{Look, Surfaces};
use super::each;
use super::heavier::Layers;
use crate::rules::{Bodies, Height, HeightKind, Walls};
use crate::world::{AMOUNT, Layer, RuleNumbers, Strip, Traced, World};
use lavoxel_base::grid::tile::{Lanes, ROW, bits};
use lavoxel_base::simd::{Level, Simd, Work};

/// Minimum number of stored tiles of the layer for which several threads are used.
const LEAST_TILES: usize = 512;

/// Cache of the tracing rule for one layer (bodies, air, surface cells), kept from one application
/// of the rule to the next.
#[derive(Debug, Default)]
pub(super) struct Tracer {
    /// Parameters of the rule when it was last applied; `None` before the first application.
    rule: Option<RuleNumbers>,
    /// Times of the last reads of the layer and of the layers that reduce its free volume.
    read: Reads,
    bodies: Connected,
    air: Air,
    skies: Vec<Sky>,
    surfaces: Vec<Surfaces>,
    /// Sort buffer: for each group of surface cells in a strip its key (body, height, role), the
    /// index of the strip, and the index of the group in the strip.
    order: Vec<((u32, u32, HeightKind), u32, u32)>,
    heights: Vec<Height>,
}

impl Tracer {
    /// Applies the tracing rule to the layer with index `layer`. Does nothing if the last
    /// application moved nothing and no input changed since.
    pub(super) fn run<R: Bodies>(
        &mut self,
        level: Level,
        world: &mut World,
        layer: usize,
        rule: &R,
    ) {
        let reads = if rule.keeps_air() { 0 } else { layer };
        let versions = || world.layers[reads..=layer].iter().map(Layer::version);
        let (numbers, ground) = (rule.numbers(), world.ground.stamp());
        let rests = world.layers[layer].traced.as_ref().is_some_and(|traced| {
            traced.rule == numbers
                && traced.ground == ground
                && versions().eq(traced.layers.iter().copied())
        });
        if rests {
            return;
        }
        let now = Traced {
            rule: numbers,
            ground,
            layers: versions().collect(),
        };
        let moved = self.moves(level, world, layer, rule);
        world.layers[layer].traced = (!moved).then_some(now);
    }

    /// Applies the tracing rule to the layer with index `layer`; returns true if any liquid moved.
    fn moves<R: Bodies>(
        &mut self,
        level: Level,
        world: &mut World,
        layer: usize,
        rule: &R,
    ) -> bool {
        if self.rule.replace(rule.numbers()) != Some(rule.numbers()) {
            self.read.forget();
        }
        let parallel = world.layers[layer]
            .strips
            .iter()
            .map(Strip::tiles)
            .sum::<usize>()
            >= LEAST_TILES;
        self.find_bodies(level, (world, layer), rule, parallel);
        if self.bodies.end() == 0 {
            // Without bodies the caches are not updated, so the next run must read everything.
            self.read.forget();
            return false;
        }
        self.find_surfaces(level, (world, layer), rule, parallel);
        if !self.book(rule, parallel) {
            return false;
        }
        self.share_out();
        let Layer {
            strips,
            awake,
            ledger,
            ..
        } = &mut world.layers[layer];
        ledger.outflow += self.heights.iter().map(Height::leaves).sum::<u64>();
        let surfaces = &mut self.surfaces[..];
        let mut pairs: Vec<_> = strips.iter_mut().zip(surfaces.iter_mut()).collect();
        each(&mut pairs, parallel, |_, (strip, surfaces)| {
            settle(strip, surfaces)
        });
        for (awake, surfaces) in awake.iter_mut().zip(surfaces) {
            *awake |= surfaces.changed;
        }
        true
    }

    /// Updates the caches of the open cells of the ground and of the connected bodies of liquid,
    /// for the layer with index `layer`. `parallel`: uses all threads if true.
    fn find_bodies<R: Bodies>(
        &mut self,
        level: Level,
        (world, layer): (&World, usize),
        rule: &R,
        parallel: bool,
    ) {
        let layer = &world.layers[layer];
        self.skies.resize_with(layer.strips.len(), Sky::default);
        each(&mut self.skies, parallel, |tz, sky| {
            sky.refresh(world.ground.strip(tz), layer.strips[tz].count)
        });
        let Self {
            bodies,
            read,
            skies,
            ..
        } = self;
        bodies
            .strips
            .resize_with(layer.strips.len(), Cells::default);
        each(&mut bodies.strips, parallel, |tz, cells| {
            level.run(Full {
                layer,
                tz,
                sky: &skies[tz],
                read,
                rule,
                cells,
            });
            cells.connect();
        });
        bodies.connect();
    }

    /// Updates the cache of air that is connected to the roof or an open side (if the rule heeds
    /// trapped air), and the donor and receiver cells of the connected bodies of liquid, for the
    /// layer with index `layer`. `parallel`: uses all threads if true.
    fn find_surfaces<R: Bodies>(
        &mut self,
        level: Level,
        (world, layer): (&World, usize),
        rule: &R,
        parallel: bool,
    ) {
        let heavier = Layers(&world.layers[..world.capacity.layers_above(layer)]);
        let layer = &world.layers[layer];
        let Self {
            read,
            bodies,
            air,
            skies,
            surfaces,
            ..
        } = self;
        let is_kept = rule.keeps_air();
        if is_kept {
            air.find(
                &Rooms {
                    level,
                    grid: world.grid,
                    heavier,
                    layer,
                    skies,
                    read,
                    rule,
                },
                parallel,
            );
        }
        read.advance(
            heavier
                .0
                .iter()
                .filter(|_| is_kept)
                .chain(std::iter::once(layer)),
        );
        let air = is_kept.then_some(&*air);
        let sides = Sides::new(world.grid, rule.walls() == Walls::Open);
        surfaces.resize_with(layer.strips.len(), Surfaces::default);
        each(surfaces, parallel, |tz, found| {
            let (strip, sky) = (&layer.strips[tz], &skies[tz]);
            level.run(Look {
                rule,
                tz,
                strip,
                sky,
                heavier,
                bodies,
                air,
                sides,
                found,
            });
        });
    }

    /// Merges the groups of surface cells with the same body, height and role (`HeightKind`) over
    /// all strips, and computes the flow into and out of each group; returns true if any liquid
    /// moves.
    fn book<R: Bodies>(&mut self, rule: &R, parallel: bool) -> bool {
        let Self {
            surfaces,
            order,
            heights,
            ..
        } = self;
        order.clear();
        for (tz, strip) in surfaces.iter_mut().enumerate() {
            let heights = strip.heights.iter().enumerate();
            order.extend(heights.map(|(number, height)| (height.key(), tz as u32, number as u32)));
            strip.numbers.resize(strip.heights.len(), 0);
        }
        // Sorting puts the parts of one group of cells next to each other, in the order of the
        // strips, whatever the order of the threads.
        order.sort_unstable();
        heights.clear();
        for &(key, tz, number) in &*order {
            if heights.last().is_none_or(|last| last.key() != key) {
                heights.push(Height::new(key));
            }
            let strip = &mut surfaces[tz as usize];
            strip.numbers[number as usize] = heights.len() as u32 - 1;
            if let Some(height) = heights.last_mut() {
                height.join(&strip.heights[number as usize]);
            }
        }
        rule.book(heights);
        if heights.iter().any(Height::comes_level) {
            let booked = &heights[..];
            each(surfaces, parallel, |_, strip| {
                strip.add_around_means(booked)
            });
            for &(_, tz, number) in &*order {
                let strip = &surfaces[tz as usize];
                let height = &mut heights[strip.numbers[number as usize] as usize];
                if height.comes_level() {
                    height.join_around_mean(&strip.heights[number as usize]);
                }
            }
            heights
                .iter_mut()
                .filter(|height| height.comes_level())
                .for_each(Height::book_level);
        }
        heights.iter().any(Height::moves)
    }

    /// Computes, for each group of surface cells of each strip, the prefix sums by which the
    /// group's flow is apportioned to its cells.
    fn share_out(&mut self) {
        let Self {
            surfaces,
            order,
            heights,
            ..
        } = self;
        for strip in surfaces.iter_mut() {
            // Placeholders: every group is among those of all strips, so that each of these is
            // overwritten.
            strip.shares.clear();
            strip
                .shares
                .extend(strip.heights.iter().map(|height| height.shares([0, 0])));
        }
        let (mut last, mut passed) = (u32::MAX, [0, 0]);
        for &(_, tz, number) in &*order {
            let strip = &mut surfaces[tz as usize];
            let (height, own) = (
                strip.numbers[number as usize],
                strip.heights[number as usize].sums(),
            );
            if height != std::mem::replace(&mut last, height) {
                passed = [0, 0];
            }
            strip.shares[number as usize] = heights[height as usize].shares(passed);
            passed = [passed[0] + own[0], passed[1] + own[1]];
        }
    }
}

impl Surfaces {
    /// Sums the cells' amounts relative to the mean amount of their group, in a second pass, for
    /// groups whose cells level out; `booked`: the groups merged over all strips.
    fn add_around_means(&mut self, booked: &[Height]) {
        for (height, &number) in self.heights.iter_mut().zip(&self.numbers) {
            if booked[number as usize].comes_level() {
                *height = booked[number as usize].without_sums();
            }
        }
        self.each_piece(|spot, piece, height| {
            if height.comes_level() {
                bits(piece.cells.into()).for_each(|lane| height.add_around_mean(spot.cell(lane)));
            }
        });
    }
}

/// SIMD kernel that finds the body cells of one strip: the cells through which liquid can pass.
struct Full<'a, R> {
    layer: &'a Layer,
    tz: usize,
    sky: &'a Sky,
    read: &'a Reads,
    rule: &'a R,
    cells: &'a mut Cells,
}

impl<R: Bodies> Work for Full<'_, R> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        let strip = &self.layer.strips[self.tz];
        let rows = strip.held.range();
        let is_known = self.cells.has(&rows, strip.count) && !self.sky.changed;
        let changes = if is_known {
            self.read.own(self.layer, self.tz)
        } else {
            None
        };
        let Some(changes) = changes else {
            self.cells.begin(rows.clone(), strip.count);
            for (y, w) in rows
                .rev()
                .flat_map(|y| (0..strip.width).map(move |w| (y, w)))
            {
                for bit in bits(strip.row(strip.index(y, w)).held) {
                    self.tile(s, [w * ROW + bit, y]);
                }
            }
            return;
        };
        self.cells.settle();
        for (y, w) in changes
            .rows
            .range()
            .rev()
            .flat_map(|y| (0..strip.width).map(move |w| (y, w)))
        {
            let inside = rows.contains(&y);
            for tx in bits(changes.word(y, w))
                .map(|bit| w * ROW + bit)
                .filter(|&tx| inside && tx < strip.count)
            {
                // A cell's mask depends on the cell above, so a change is followed down the column.
                let mut y = y;
                while self.tile(s, [tx, y]) && y > rows.start {
                    y -= 1;
                }
            }
        }
    }
}

impl<R: Bodies> Full<'_, R> {
    /// Updates the bit mask of the body cells in the tile at (`tx`, `y`); the tile above must be up
    /// to date. Returns true if the mask changed.
    #[inline(always)]
    fn tile<S: Simd>(&mut self, s: S, [tx, y]: [usize; 2]) -> bool {
        let strip = &self.layer.strips[self.tz];
        let slot = strip.row(strip.index(y, tx / ROW)).slots[tx % ROW];
        let amounts = s.load(&strip.tile(slot).0[AMOUNT]);
        let below = self.cells.row(y + 1)[tx] | !self.sky.open_above(tx, y, strip.ny());
        self.cells
            .store_mask(tx, y, self.rule.passes(s, amounts, below))
    }
}

/// Applies the flow in `surfaces`, which is already apportioned to cells, to the amounts in
/// `strip`.
fn settle(strip: &mut Strip, surfaces: &mut Surfaces) {
    let Surfaces {
        spots,
        pieces,
        shares,
        changed,
        ..
    } = surfaces;
    for spot in &*spots {
        let mut after = spot.amounts;
        for piece in &pieces[spot.pieces[0]..spot.pieces[1]] {
            let shares = &mut shares[piece.height];
            if shares.move_nothing() {
                continue;
            }
            for lane in bits(piece.cells.into()) {
                let [gives, takes] = shares.next(spot.cell(lane));
                after.0[lane] = after.0[lane] - gives + takes;
            }
        }
        if after == spot.amounts {
            continue;
        }
        *changed = true;
        *strip.change::<1>(spot.y, spot.index, spot.bit) = [after];
        if after == Lanes::ZERO {
            strip.leave(spot.index, spot.bit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::engine::tiled::Tiled;
    use crate::matter::{self, Material, Trace};
    use crate::rules::{Rule, Rules, RulesSpec};
    use crate::world::{Content, Ground};
    use lavoxel_base::grid::Grid;
    use lavoxel_base::random::Draw;

    /// Runs one step of all rules of water except tracing, and then of `tracer`; returns the z
    /// indices of the strips whose bodies were recomputed.
    fn step(world: &mut World, tracer: &mut Tracer, number: u64) -> Vec<usize> {
        let materials = [world.layers[1].material().clone()];
        let rules = Rules::new(&RulesSpec::default(), &materials, &[], world.grid());
        let mut engine = Tiled::default();
        for (layer, rule) in rules.iter().filter(|&(layer, _)| layer == 1) {
            match rule {
                Rule::Trace(rule) => tracer.run(Level::fastest(), world, layer, rule),
                _ => engine.run(
                    world,
                    (layer, rule),
                    Draw {
                        seed: 1,
                        step: number,
                    },
                ),
            }
        }
        let strips = tracer.bodies.strips.iter().enumerate();
        strips
            .filter(|(_, cells)| cells.changed())
            .map(|(tz, _)| tz)
            .collect()
    }

    #[test]
    fn only_strips_with_other_masks_are_labelled_again() {
        for air in [matter::Air::Ignored, matter::Air::Kept] {
            let (grid, full) = (
                Grid::new(20, 12, 40),
                Content {
                    amount: lavoxel_base::units::AMOUNT_ONE,
                    energy: 0,
                },
            );
            let (pressure, trace) = (
                matter::Pressure::Trace,
                Trace {
                    air,
                    ..Trace::default()
                },
            );
            let water = Material {
                pressure,
                trace,
                ..Material::water()
            };
            let mut world = World::with_materials(Ground::none(grid), vec![water]);
            for (x, z) in (0..grid.nz).flat_map(|z| (0..grid.nx).map(move |x| (x, z))) {
                (0..4).for_each(|y| world.layers[1].set([x, y, z], full));
                world.layers[1].set(
                    [x, 4, z],
                    Content {
                        amount: 1000,
                        energy: 0,
                    },
                );
            }
            let mut tracer = Tracer::default();
            let all: Vec<usize> = (0..10).collect();
            assert_eq!(
                step(&mut world, &mut tracer, 0),
                all,
                "{air:?}: nothing was known"
            );
            // Half a cell on top of the surface changes a tile, but no body.
            world.layers[1].set(
                [9, 4, 18],
                Content {
                    amount: full.amount / 2,
                    energy: 0,
                },
            );
            assert_eq!(step(&mut world, &mut tracer, 1), [0; 0], "{air:?}");
            // Removes the liquid of a cell.
            world.layers[1].set([9, 3, 30], Content::default());
            assert_eq!(step(&mut world, &mut tracer, 2), [7], "{air:?}");
            // A copy has a clock of its own, so that the whole copy is read again.
            assert_eq!(step(&mut world.clone(), &mut tracer, 3), all, "{air:?}");
        }
    }
}
