//! Falling solid: meltable solid that is not connected to ground falls, in each of its columns by
//! one cell per step, until it touches ground, other solid, or a cell full of liquid, on which it
//! floats.

use super::super::{Column, FlowBox, UNITS};
use super::{SolidColumn, Solids};
use crate::motion::plan::neighbours;
use crate::store::blocks::Blocks;

/// Moves solid that is not connected to ground down by one cell; returns the numbers of the changed
/// columns, or `None` if all solid is connected to ground.
pub(crate) fn drop_loose(
    space: FlowBox,
    columns: &mut Blocks<Column>,
    solids: &mut Solids,
) -> Option<Vec<u32>> {
    let carried = carried(space, columns, solids);
    let is_loose = |c: usize, level: i32| {
        solids[c].cell(level).amount > 0 && !carried[c * space.ny + level as usize]
    };
    let mut falls: Vec<(usize, i32)> = Vec::new();
    for (c, solid) in solids.iter().enumerate() {
        let levels = solid.levels().map(|(level, _)| level);
        falls.extend(
            levels
                .filter(|&level| (level as usize) < space.ny && is_loose(c, level))
                .map(|level| (c, level)),
        );
    }
    if falls.is_empty() {
        return None;
    }
    // Bottom up, so that a cell falls into one that is already free.
    falls.sort_unstable_by_key(|&(c, level)| (level, c));
    let mut changed = Vec::new();
    for (c, level) in falls {
        if fall(&mut columns[c], &mut solids[c], level) {
            changed.push(c as u32);
        }
    }
    Some(changed)
}

/// Moves the solid of the cell with the index `level` to the cell below if that cell has room above
/// its rock; displaced liquid moves up. Returns true if the solid moved.
fn fall(column: &mut Column, solid: &mut SolidColumn, level: i32) -> bool {
    let below = column.cell(level - 1);
    let from = solid.cell(level);
    let is_full = i64::from(below.rock) + i64::from(below.amount) >= i64::from(UNITS);
    if from.ground > 0
        || is_full
        || i64::from(below.rock) + i64::from(from.amount) > i64::from(UNITS)
    {
        return false;
    }
    *solid.cell_mut(level) = super::SolidCell::default();
    let rock = solid.add(level - 1, below.rock, from.amount, from.heat);
    let lower = column.cell_mut(level - 1);
    let (amount, heat) = (lower.amount, lower.heat);
    (lower.rock, lower.amount, lower.heat) = (rock, 0, 0);
    let upper = column.cell_mut(level);
    upper.rock = 0;
    upper.amount += amount;
    upper.heat += heat;
    true
}

/// Flags of the cells whose solid is connected to ground through faces of other solid cells, at
/// index `c · ny + level`.
fn carried(space: FlowBox, columns: &Blocks<Column>, solids: &Solids) -> Vec<bool> {
    let ny = space.ny;
    let mut carried = vec![false; solids.len() * ny];
    let mut open = Vec::new();
    let is_ground = |c: usize, level: i32| {
        let cell = columns[c].cell(level);
        level < 0 || cell.rock > 0 && solids[c].cell(level).amount == 0
    };
    // Flood fill: seeds are the cells whose solid touches ground directly.
    for c in 0..solids.len() {
        for (level, cell) in solids[c]
            .levels()
            .filter(|&(level, _)| (level as usize) < ny)
        {
            let touches = || face_neighbours(space, c).any(|n| is_ground(n, level));
            if cell.ground > 0 || is_ground(c, level - 1) || touches() {
                carried[c * ny + level as usize] = true;
                open.push((c, level));
            }
        }
    }
    while let Some((c, level)) = open.pop() {
        let mut visit = |c: usize, level: i32| {
            if (0..ny as i32).contains(&level) && solids[c].cell(level).amount > 0 {
                let mark = &mut carried[c * ny + level as usize];
                if !std::mem::replace(mark, true) {
                    open.push((c, level));
                }
            }
        };
        visit(c, level - 1);
        visit(c, level + 1);
        face_neighbours(space, c).for_each(|n| visit(n, level));
    }
    carried
}

fn face_neighbours(space: FlowBox, c: usize) -> impl Iterator<Item = usize> {
    neighbours(space, c).into_iter().flatten()
}
