//! A move of a piece on trial: the cells that change, and by how much the energy does.

use std::collections::{BTreeMap, HashSet};

use super::piece::{Piece, Way};
use super::{Floating, Part, SPREAD};
use crate::matter::MAX_MATERIALS;
use crate::rules::DIRECTIONS;
use crate::world::{Content, World};
use lavoxel_base::grid::Place;
use lavoxel_base::units::AMOUNT_ONE;

/// Amount of each layer in a cell.
pub(super) type Amounts = [u16; MAX_MATERIALS + 1];

const ONE: u64 = AMOUNT_ONE as u64;

/// The cells that a move changes, beside a world as it was before.
pub(super) struct Draft<'a> {
    world: &'a World,
    rule: &'a Floating,
    cells: BTreeMap<Place, Amounts>,
}

/// A column of a liquid, by the highest cell that holds some of it and the height of its surface in units.
#[derive(Clone, Copy, Debug)]
struct Column {
    top: Place,
    level: u64,
}

impl<'a> Draft<'a> {
    pub(super) fn new(world: &'a World, rule: &'a Floating) -> Self {
        Self { world, rule, cells: BTreeMap::new() }
    }

    /// The cells with their new amounts.
    pub(super) fn into_cells(self) -> BTreeMap<Place, Amounts> {
        self.cells
    }

    /// By how much the energy of the box grows, in twice the unit of amount, density and height.
    pub(super) fn energy(&self) -> i128 {
        let change = |(&place, amounts): (&Place, &Amounts)| {
            self.energy_of(place, amounts) - self.energy_of(place, &amounts_of(self.world, place))
        };
        self.cells.iter().map(change).sum()
    }

    fn energy_of(&self, [_, y, _]: Place, amounts: &Amounts) -> i128 {
        let mut below = y as i128 * i128::from(AMOUNT_ONE);
        let mut energy = 0;
        for (layer, &amount) in self.rule.layers.iter().zip(amounts) {
            let amount = i128::from(amount);
            energy += i128::from(layer.density) * amount * (2 * below + amount);
            below += amount;
        }
        energy
    }

    fn at(&self, place: Place) -> Amounts {
        self.cells.get(&place).copied().unwrap_or_else(|| amounts_of(self.world, place))
    }

    fn cell(&mut self, place: Place) -> &mut Amounts {
        let world = self.world;
        self.cells.entry(place).or_insert_with(|| amounts_of(world, place))
    }

    /// Writes a cell, if that changes it: inside of a piece nothing does.
    fn put(&mut self, place: Place, amounts: Amounts) {
        if self.at(place) != amounts {
            *self.cell(place) = amounts;
        }
    }

    /// Moves the piece and the liquid around it; `None` where that cannot be.
    pub(super) fn shift(&mut self, piece: &Piece, way: Way) -> Option<()> {
        for run in &piece.runs {
            let front = self.at(run.front(way)?);
            let mut ys: Vec<usize> = (run.low..=run.high).collect();
            if way == Way::Up {
                ys.reverse();
            }
            let mut to = run.front(way)?;
            for y in ys {
                let from = [run.x, y, run.z];
                let amounts = self.at(from);
                self.check_movable(&amounts)?;
                self.put(to, amounts);
                to = from;
            }
            self.put(to, front);
        }
        match way {
            Way::Down => self.pour_off(piece),
            Way::Up => self.fill_gap(piece),
        }
    }

    /// Refuses a cell of a piece with matter that does not move along.
    fn check_movable(&self, amounts: &Amounts) -> Option<()> {
        let stays = |(number, layer): (usize, &super::Buoyancy)| {
            amounts[number] > 0 && (layer.part == Part::Bar || self.world.is_mirror(number))
        };
        (!self.rule.layers.iter().enumerate().any(stays)).then_some(())
    }

    fn is_liquid(&self, layer: usize) -> bool {
        self.rule.layers[layer].part == Part::Liquid
    }

    fn liquids(&self) -> impl Iterator<Item = usize> + use<> {
        let liquids: Vec<_> = (0..self.rule.layers.len()).filter(|&layer| self.is_liquid(layer)).collect();
        liquids.into_iter()
    }

    /// Brings the liquid that came to lie on top of a piece that went down to the surface around it.
    fn pour_off(&mut self, piece: &Piece) -> Option<()> {
        let dry: Vec<Place> =
            piece.runs.iter().map(|run| run.rear(Way::Down)).filter(|&rear| !self.is_under(rear)).collect();
        for layer in self.liquids() {
            let mut amount = 0;
            for &rear in &dry {
                amount += u64::from(std::mem::take(&mut self.cell(rear)[layer]));
            }
            if amount > 0 {
                let mut columns = self.columns(layer, piece, amount);
                columns.extend(dry.iter().map(|&top| Column { top, level: self.level(top, layer) }));
                self.pour(layer, columns, amount)?;
            }
        }
        Some(())
    }

    /// Whether a cell lies below liquid.
    fn is_under(&self, [x, y, z]: Place) -> bool {
        let above = [x, y + 1, z];
        y + 1 < self.world.grid().ny && {
            let amounts = self.at(above);
            self.liquids().map(|layer| u32::from(amounts[layer])).sum::<u32>() >= u32::from(AMOUNT_ONE / 2)
        }
    }

    /// Fills the gap below a piece that went up from the surface around it.
    fn fill_gap(&mut self, piece: &Piece) -> Option<()> {
        let gaps: Vec<Place> = piece.runs.iter().map(|run| run.rear(Way::Up)).collect();
        for layer in self.liquids().collect::<Vec<_>>().into_iter().rev() {
            let below = |&[x, y, z]: &Place| {
                let amounts = self.at([x, y.checked_sub(1)?, z]);
                self.liquids().max_by_key(|&liquid| (amounts[liquid], liquid)).filter(|&liquid| amounts[liquid] > 0)
            };
            let gaps: Vec<_> = gaps.iter().filter(|gap| below(gap) == Some(layer)).copied().collect();
            let most: u64 = gaps.iter().map(|&gap| self.room(gap)).sum();
            let columns = if most > 0 { self.columns(layer, piece, most) } else { Vec::new() };
            if columns.is_empty() {
                continue;
            }
            let mean = columns.iter().map(|column| column.level).sum::<u64>() / columns.len() as u64;
            let wanted: Vec<_> =
                gaps.iter().map(|&gap| self.room(gap).min(mean.saturating_sub(self.level(gap, layer)))).collect();
            self.draw(layer, columns, wanted.iter().sum())?;
            for (gap, amount) in gaps.into_iter().zip(wanted) {
                self.cell(gap)[layer] += amount as u16;
            }
        }
        Some(())
    }

    /// Room of a cell for more.
    fn room(&self, place: Place) -> u64 {
        ONE.saturating_sub(self.at(place).iter().map(|&amount| u64::from(amount)).sum())
    }

    /// How high the matter of a layer, and what is below it in its cell, stands there.
    fn level(&self, place: Place, layer: usize) -> u64 {
        let filled: u64 = self.at(place)[..=layer].iter().map(|&amount| u64::from(amount)).sum();
        place[1] as u64 * ONE + filled.min(ONE)
    }

    /// Whether something that makes no way is in a cell, or beside the box.
    fn is_closed(&self, place: Place) -> bool {
        let amounts = self.at(place);
        let bars =
            |(layer, &amount): (&super::Buoyancy, &u16)| amount > 0 && !matches!(layer.part, Part::Liquid | Part::Gas);
        self.world.ground().is_solid(place) || self.rule.layers.iter().zip(&amounts).any(bars)
    }

    /// The surface of a liquid in the column of a cell, from there on.
    fn column(&self, layer: usize, [x, mut y, z]: Place) -> Option<Column> {
        let holds = |y: usize| self.at([x, y, z])[layer] > 0;
        let ny = self.world.grid().ny;
        if self.is_closed([x, y, z]) {
            return None;
        }
        while !holds(y) {
            y = y.checked_sub(1).filter(|&y| !self.is_closed([x, y, z]))?;
        }
        while y + 1 < ny && !self.is_closed([x, y + 1, z]) && holds(y + 1) {
            y += 1;
        }
        let top = [x, y, z];
        let is_free = y + 1 < ny && !self.is_closed([x, y + 1, z]);
        is_free.then(|| Column { top, level: self.level(top, layer) })
    }

    /// Rings of columns of a liquid around a piece, enough for an amount.
    fn columns(&self, layer: usize, piece: &Piece, amount: u64) -> Vec<Column> {
        let grid = self.world.grid();
        let mut seen: HashSet<[usize; 2]> = piece.runs.iter().map(|run| [run.x, run.z]).collect();
        let (mut ring, mut found) = (piece.sides(grid), Vec::<Column>::new());
        while !ring.is_empty() && (found.len() as u64) * ONE < SPREAD * amount {
            let first = found.len();
            for place in ring {
                // Of several cells of one column the first that finds the surface counts.
                if !seen.contains(&[place[0], place[2]])
                    && let Some(column) = self.column(layer, place)
                {
                    seen.insert([place[0], place[2]]);
                    found.push(column);
                }
            }
            ring = Vec::new();
            for &Column { top, .. } in &found[first..] {
                let beside = DIRECTIONS.iter().filter_map(|&(dx, dz)| grid.beside(top, [dx, 0, dz]));
                ring.extend(beside.filter(|&[x, _, z]| !seen.contains(&[x, z])));
            }
        }
        found
    }

    /// Pours an amount onto the lowest of some columns.
    fn pour(&mut self, layer: usize, mut columns: Vec<Column>, amount: u64) -> Option<()> {
        columns.sort_by_key(|column| column.level);
        let (mut count, mut sum) = (0, 0);
        while let Some(next) = columns.get(count).filter(|next| count as u64 * next.level < amount + sum || count == 0)
        {
            sum += next.level;
            count += 1;
        }
        let of = u64::try_from(count).ok().filter(|&count| count > 0)?;
        let (level, more) = ((amount + sum) / of, (amount + sum) % of);
        for (number, column) in columns[..count].iter().enumerate() {
            let level = level + u64::from((number as u64) < more);
            self.raise(layer, column.top, level - column.level)?;
        }
        Some(())
    }

    /// Adds an amount to a column of a liquid.
    fn raise(&mut self, layer: usize, [x, mut y, z]: Place, mut amount: u64) -> Option<()> {
        while amount > 0 {
            let place = [x, y, z];
            if y >= self.world.grid().ny || self.is_closed(place) {
                return None;
            }
            let filled: u64 = self.at(place)[..=layer].iter().map(|&amount| u64::from(amount)).sum();
            let more = amount.min(ONE.saturating_sub(filled));
            self.cell(place)[layer] += more as u16;
            amount -= more;
            y += 1;
        }
        Some(())
    }

    /// Takes an amount from the highest of some columns.
    fn draw(&mut self, layer: usize, mut columns: Vec<Column>, amount: u64) -> Option<()> {
        columns.sort_by_key(|column| std::cmp::Reverse(column.level));
        let (mut count, mut sum) = (0, 0);
        while let Some(next) = columns.get(count).filter(|next| sum < amount + count as u64 * next.level || count == 0)
        {
            sum += next.level;
            count += 1;
        }
        let of = u64::try_from(count).ok().filter(|&count| count > 0)?;
        let left = sum.checked_sub(amount)?;
        let (level, more) = (left / of, left % of);
        for (number, column) in columns[..count].iter().enumerate() {
            let level = level + u64::from((number as u64) < more);
            self.lower(layer, column.top, column.level.checked_sub(level)?)?;
        }
        Some(())
    }

    /// Takes an amount out of a column of a liquid.
    fn lower(&mut self, layer: usize, [x, mut y, z]: Place, mut amount: u64) -> Option<()> {
        while amount > 0 {
            let there = &mut self.cell([x, y, z])[layer];
            let less = amount.min(u64::from(*there));
            if less == 0 {
                return None;
            }
            *there -= less as u16;
            amount -= less;
            y = y.checked_sub(1)?;
        }
        Some(())
    }
}

/// Amounts of all layers in a cell.
fn amounts_of(world: &World, place: Place) -> Amounts {
    let mut amounts = [0; MAX_MATERIALS + 1];
    world.layers().iter().zip(&mut amounts).for_each(|(layer, amount)| *amount = layer.at(place).amount);
    amounts
}

impl World {
    /// Writes the amounts of all layers of a cell in which nothing carries energy.
    pub(super) fn put_amounts(&mut self, place: Place, amounts: &Amounts) {
        for (layer, &amount) in self.layers.iter_mut().zip(amounts) {
            if layer.at(place).amount != amount {
                layer.set(place, Content { amount, energy: 0 });
            }
        }
    }
}
