//! Tracing ([`crate::rules::trace`]) over tiles.
//!
//! Strip after strip, on all threads: the masks of body cells and their components; the components of all strips together; the
//! surface cells, summed up by body and height; what moves; and the shares of the cells, whose running sums start in each
//! strip from those of the strips before. No sum and no number depends on the threads.
//!
//! When nothing moved, the layer keeps under what: until the rule, the ground or a layer that it reads is another one, the rule
//! is skipped. All else that is kept here is scratch memory.

mod air;
mod bodies;
mod near;
mod surfaces;
mod union;

use self::air::{Air, Rooms, Sky};
use self::bodies::{Bodies, Cells};
use self::surfaces::{Look, Surfaces};
use super::heavier::Layers;
use crate::grid::tile::{Lanes, ROW, bits};
use crate::matter;
use crate::parallel::*;
use crate::rules::trace::{Height, Tracing};
use crate::simd::{Level, Simd, Work};
use crate::world::{AMOUNT, Layer, Strip, Traced, World};

/// Fewest tiles that are worth a second thread.
const LEAST_TILES: usize = 512;

/// Does something with each item and its number; on all threads, when asked.
fn each<T: Send>(items: &mut [T], parallel: bool, act: impl Fn(usize, &mut T) + Sync) {
    if parallel {
        items.par_iter_mut().enumerate().for_each(|(number, item)| act(number, item));
    } else {
        items.iter_mut().enumerate().for_each(|(number, item)| act(number, item));
    }
}

/// Scratch memory of tracing.
#[derive(Debug, Default)]
pub(super) struct Tracer {
    bodies: Bodies,
    air: Air,
    skies: Vec<Sky>,
    surfaces: Vec<Surfaces>,
    /// Body, y, strip, and number in the strip of each height.
    order: Vec<(u32, u32, u32, u32)>,
    heights: Vec<Height>,
}

impl Tracer {
    /// Runs the rule.
    pub(super) fn run(&mut self, level: Level, world: &mut World, layer: usize, rule: &Tracing) {
        let reads = if rule.air == matter::Air::Kept { 0 } else { layer };
        let versions = || world.layers[reads..=layer].iter().map(Layer::version);
        let (numbers, ground) = (rule.numbers(), world.ground.stamp());
        let rests = world.layers[layer].traced.as_ref().is_some_and(|traced| {
            traced.rule == numbers && traced.ground == ground && versions().eq(traced.layers.iter().copied())
        });
        if rests {
            return;
        }
        let now = Traced { rule: numbers, ground, layers: versions().collect() };
        let moved = self.moves(level, world, layer, rule);
        world.layers[layer].traced = (!moved).then_some(now);
    }

    /// Runs the rule; whether it moved anything.
    fn moves(&mut self, level: Level, world: &mut World, layer: usize, rule: &Tracing) -> bool {
        let World { grid, ground, layers, capacity, .. } = world;
        let (heavier, rest) = layers.split_at_mut(layer);
        let (heavier, layer) = (Layers(&heavier[..capacity.layers_above(layer)]), &mut rest[0]);
        let strips = &layer.strips;
        let parallel = strips.iter().map(Strip::tiles).sum::<usize>() >= LEAST_TILES;

        self.skies.resize_with(strips.len(), Sky::default);
        for (tz, (sky, strip)) in self.skies.iter_mut().zip(strips).enumerate() {
            sky.refresh(ground.strip(tz), strip.count);
        }
        self.bodies.strips.resize_with(strips.len(), Cells::default);
        each(&mut self.bodies.strips, parallel, |tz, cells| {
            level.run(Full { strip: &strips[tz], through: rule.through, cells });
            cells.connect();
        });
        self.bodies.connect();
        if self.bodies.end() == 0 {
            return false;
        }
        let air = (rule.air == matter::Air::Kept).then(|| {
            let (skies, fullest, walls) = (&self.skies[..], rule.fullest, rule.walls);
            let rooms = Rooms { level, grid: *grid, ground, heavier, strips, skies, fullest, walls };
            self.air.find(&rooms, parallel);
            &self.air
        });
        self.surfaces.resize_with(strips.len(), Surfaces::default);
        let (skies, bodies) = (&self.skies, &self.bodies);
        each(&mut self.surfaces, parallel, |tz, found| {
            let (strip, ground, sky) = (&strips[tz], ground.strip(tz), &skies[tz]);
            level.run(Look { rule, tz, strip, ground, sky, heavier, bodies, air, found });
        });
        if !self.book(rule, parallel) {
            return false;
        }
        self.share_out();
        let surfaces = &mut self.surfaces[..];
        let mut pairs: Vec<_> = layer.strips.iter_mut().zip(surfaces.iter_mut()).collect();
        each(&mut pairs, parallel, |_, (strip, surfaces)| settle(strip, surfaces));
        for (awake, surfaces) in layer.awake.iter_mut().zip(surfaces) {
            *awake |= surfaces.changed;
        }
        true
    }

    /// Books what moves in each height of all strips; whether anything does.
    fn book(&mut self, rule: &Tracing, parallel: bool) -> bool {
        let Self { surfaces, order, heights, .. } = self;
        order.clear();
        for (tz, strip) in surfaces.iter_mut().enumerate() {
            let heights = strip.heights.iter().enumerate();
            order.extend(heights.map(|(number, height)| (height.body, height.y, tz as u32, number as u32)));
            strip.numbers.resize(strip.heights.len(), 0);
        }
        order.sort_unstable();
        heights.clear();
        for &(body, y, tz, number) in &*order {
            if heights.last().is_none_or(|last| (last.body, last.y) != (body, y)) {
                heights.push(Height::new(body, y));
            }
            let strip = &mut surfaces[tz as usize];
            strip.numbers[number as usize] = heights.len() as u32 - 1;
            if let Some(height) = heights.last_mut() {
                height.join(&strip.heights[number as usize]);
            }
        }
        heights.chunk_by_mut(|a, b| a.body == b.body).for_each(|body| rule.exchange(body));
        if heights.iter().any(Height::comes_level) {
            let booked = &heights[..];
            each(surfaces, parallel, |_, strip| strip.add_around_means(booked));
            for &(_, _, tz, number) in &*order {
                let strip = &surfaces[tz as usize];
                let height = &mut heights[strip.numbers[number as usize] as usize];
                if height.comes_level() {
                    height.join_around_mean(&strip.heights[number as usize]);
                }
            }
            heights.iter_mut().filter(|height| height.comes_level()).for_each(Height::book_level);
        }
        heights.iter().any(Height::moves)
    }

    /// Works out where the running sums of each height start in each strip.
    fn share_out(&mut self) {
        let Self { surfaces, order, heights, .. } = self;
        for strip in surfaces.iter_mut() {
            // Every height is among those of all strips, so that each of these is written.
            strip.shares.clear();
            strip.shares.extend(strip.heights.iter().map(|height| height.shares([0, 0])));
        }
        let (mut last, mut passed) = (u32::MAX, [0, 0]);
        for &(_, _, tz, number) in &*order {
            let strip = &mut surfaces[tz as usize];
            let (height, own) = (strip.numbers[number as usize], strip.heights[number as usize].sums());
            if height != std::mem::replace(&mut last, height) {
                passed = [0, 0];
            }
            strip.shares[number as usize] = heights[height as usize].shares(passed);
            passed = [passed[0] + own[0], passed[1] + own[1]];
        }
    }
}

impl Surfaces {
    /// Adds up again the cells of heights that come level, given those of all strips.
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

/// Writes the masks of the body cells of a strip.
struct Full<'a> {
    strip: &'a Strip,
    through: u16,
    cells: &'a mut Cells,
}

impl Work for Full<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self { strip, through, cells } = self;
        let through = s.splat(through);
        cells.begin(strip.held.range(), strip.count);
        for y in strip.held.range() {
            for w in 0..strip.width {
                let row = strip.row(strip.index(y, w));
                let mut held = row.held;
                while held != 0 {
                    let bit = held.trailing_zeros() as usize % ROW;
                    held &= held - 1;
                    let amounts = &strip.tile(row.slots[bit]).0[AMOUNT];
                    cells.put(w * ROW + bit, y, s.above(s.load(amounts), through));
                }
            }
        }
    }
}

/// Moves the shares of the cells of a strip.
fn settle(strip: &mut Strip, surfaces: &mut Surfaces) {
    let Surfaces { spots, pieces, shares, changed, .. } = surfaces;
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
