//! Rules that act at single cells (reactions, solidification), on tiles: only tiles are searched
//! that contain the rule's layer and that contain or touch the other layers that the rule needs.

use crate::rules::{Due, Needed, Point};
use crate::world::{AMOUNT, Layer, World};
use lavoxel_base::grid::tile::{ROW, TILE_X, TILE_Z, bits};
use lavoxel_base::parallel::*;
use lavoxel_base::random::Draw;

/// Returns the cells in which `rule` acts in round `round` of the step that `draw` identifies,
/// strip by strip.
pub(super) fn due(world: &World, rule: &dyn Point, draw: Draw, round: u64) -> Vec<Due> {
    let strips = &world.layers[rule.site().0].strips;
    let held = (0..strips.len()).into_par_iter().map(|tz| {
        if strips[tz].held.is_empty() {
            Vec::new()
        } else {
            due_in_strip(world, rule, tz, draw, round)
        }
    });
    let found: Vec<Vec<_>> = held.collect();
    found.into_iter().flatten().collect()
}

fn due_in_strip(world: &World, rule: &dyn Point, tz: usize, draw: Draw, round: u64) -> Vec<Due> {
    let ((layer, least), needs, mut found) = (rule.site(), rule.needs(), Vec::new());
    let strip = &world.layers[layer].strips[tz];
    for y in strip.held.range() {
        for w in 0..strip.width {
            let row = strip.row(strip.index(y, w));
            let near = needs.iter().flatten().fold(row.held, |near, needed| {
                near & reach(world, needed, [w, y, tz])
            });
            for bit in bits(near) {
                let (tile, tx) = (&strip.lanes_of(row.slots[bit])[AMOUNT], w * ROW + bit);
                let chosen = bits(rule.chosen([tx, y, tz], draw).into())
                    .filter(|&lane| tile.0[lane] >= least);
                let place =
                    |lane: usize| [tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X];
                found.extend(chosen.filter_map(|lane| rule.due(world, place(lane), draw, round)));
            }
        }
    }
    found
}

/// Returns, as a bit set, the tiles of a row of tiles that contain the layer `needed`, or share a
/// face with such a tile if `needed` allows neighbours. `[w, y, tz]`: index of the row along x (64
/// tiles each), height, z index of the strip.
fn reach(world: &World, needed: &Needed, [w, y, tz]: [usize; 3]) -> u64 {
    let layer = &world.layers[needed.layer];
    if needed.beside {
        dilated_tiles(layer, [w, y, tz])
    } else {
        row(layer, tz, y as isize, w)
    }
}

/// Returns the non-empty tiles of `layer` in the row of tiles `w` (64 tiles along x each) at height
/// `y` of the strip `tz`, as a bit set; 0 outside of the simulation box.
fn row(layer: &Layer, tz: usize, y: isize, w: usize) -> u64 {
    let strip = layer.strips.get(tz).filter(|strip| w < strip.width);
    let inside = y >= 0 && y < layer.grid().ny as isize;
    strip
        .filter(|_| inside)
        .map_or(0, |strip| strip.row(strip.index(y as usize, w)).held)
}

/// Returns the tiles of a row of tiles that contain `layer` or share a face with a tile that does,
/// as a bit set. `[w, y, tz]`: index of the row along x (64 tiles each), height, z index of the
/// strip.
fn dilated_tiles(layer: &Layer, [w, y, tz]: [usize; 3]) -> u64 {
    let y = y as isize;
    let here = row(layer, tz, y, w);
    let west = if w > 0 {
        row(layer, tz, y, w - 1) >> 63
    } else {
        0
    };
    let east = row(layer, tz, y, w + 1) << 63;
    let across = here | here << 1 | here >> 1 | west | east;
    let north = if tz > 0 { row(layer, tz - 1, y, w) } else { 0 };
    across | row(layer, tz, y - 1, w) | row(layer, tz, y + 1, w) | north | row(layer, tz + 1, y, w)
}
