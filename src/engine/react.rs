//! Reactions and setting over the tiles: only tiles that hold what reacts are visited, and of these only the ones beside
//! what they react with.

use crate::grid::Place;
use crate::grid::tile::{ROW, TILE_X, TILE_Z, bits};
use crate::matter::Where;
use crate::parallel::*;
use crate::random::Draw;
use crate::rules::react::{Due, Reacting};
use crate::rules::set;
use crate::world::{AMOUNT, Layer, World};

/// Finds where a reaction is due in a round of a step.
pub(super) fn due(world: &World, rule: &Reacting, draw: Draw, round: u64) -> Vec<Due> {
    in_strips(world, rule.takes[0].layer, |tz| due_in_strip(world, rule, tz, draw, round))
}

/// A layer that sets, in a step.
pub(super) fn set(world: &mut World, layer: usize) {
    let cells = {
        let world = &*world;
        in_strips(world, layer, |tz| {
            let tiles = world.layers[layer].strips[tz].iter();
            let cells = tiles.flat_map(|(tx, y, tile)| {
                let full = (0..32).filter(move |&lane| tile.amount().0[lane] >= set::LEAST);
                full.map(move |lane| place([tx, y, tz], lane))
            });
            cells.filter(|&place| set::sets(world, layer, place)).collect()
        })
    };
    cells.into_iter().for_each(|place| world.set_rock(layer, place));
}

/// Finds of a search of each strip that holds any of a layer, in the order of the strips.
fn in_strips<T: Send>(world: &World, layer: usize, search: impl Fn(usize) -> Vec<T> + Sync) -> Vec<T> {
    let strips = &world.layers[layer].strips;
    let held =
        (0..strips.len()).into_par_iter().map(|tz| if strips[tz].held.is_empty() { Vec::new() } else { search(tz) });
    let found: Vec<Vec<T>> = held.collect();
    found.into_iter().flatten().collect()
}

fn place([tx, y, tz]: [usize; 3], lane: usize) -> Place {
    [tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X]
}

fn due_in_strip(world: &World, rule: &Reacting, tz: usize, draw: Draw, round: u64) -> Vec<Due> {
    let key = rule.key(draw);
    let (first, mut found) = (rule.takes[0], Vec::new());
    let strip = &world.layers[first.layer].strips[tz];
    for y in strip.held.range() {
        for w in 0..strip.width {
            let row = strip.row(strip.index(y, w));
            for bit in bits(row.held & candidates(world, rule, [w, y, tz])) {
                let (tile, tx) = (&strip.lanes_of(row.slots[bit])[AMOUNT], w * ROW + bit);
                for lane in bits(key.chosen([tx, y, tz], rule.chance).into()) {
                    if u32::from(tile.0[lane]) >= first.count {
                        found.extend(rule.due(world, place([tx, y, tz], lane), draw, round));
                    }
                }
            }
        }
    }
    found
}

/// Tiles of a row that may have the other materials where the reaction needs them.
fn candidates(world: &World, rule: &Reacting, [w, y, tz]: [usize; 3]) -> u64 {
    let held = |layer: usize| row(&world.layers[layer], tz, y as isize, w);
    let mut among = u64::MAX;
    if let Some(second) = rule.takes.get(1) {
        among &= match rule.place {
            Where::Across => around(&world.layers[second.layer], [w, y, tz]),
            Where::Cell | Where::Beside => held(second.layer),
        };
    }
    if let Some((near, _)) = rule.near {
        among &= around(&world.layers[near], [w, y, tz]);
    }
    among
}

/// Tiles of a row of a strip that hold any of a layer; none outside of the box.
fn row(layer: &Layer, tz: usize, y: isize, w: usize) -> u64 {
    let strip = layer.strips.get(tz).filter(|strip| w < strip.width);
    let inside = y >= 0 && y < layer.grid().ny as isize;
    strip.filter(|_| inside).map_or(0, |strip| strip.row(strip.index(y as usize, w)).held)
}

/// Tiles of a row that hold any of a layer, or share a face with one that does.
fn around(layer: &Layer, [w, y, tz]: [usize; 3]) -> u64 {
    let y = y as isize;
    let here = row(layer, tz, y, w);
    let west = if w > 0 { row(layer, tz, y, w - 1) >> 63 } else { 0 };
    let east = row(layer, tz, y, w + 1) << 63;
    let across = here | here << 1 | here >> 1 | west | east;
    let north = if tz > 0 { row(layer, tz - 1, y, w) } else { 0 };
    across | row(layer, tz, y - 1, w) | row(layer, tz, y + 1, w) | north | row(layer, tz + 1, y, w)
}
