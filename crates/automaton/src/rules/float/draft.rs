//! Trial moves of a floating piece: computes the changed cells and the change of potential energy,
//! without changing the world.

use std::collections::{BTreeMap, HashSet};

use super::piece::{FloatingPiece, Way};
use super::{FloatRole, Floating, SPREAD};
use crate::matter::MAX_MATERIALS;
use crate::rules::DIRECTIONS;
use crate::world::{Content, World};
use lavoxel_base::grid::Place;
use lavoxel_base::units::AMOUNT_ONE;

/// Amount of each layer in one cell, in units, indexed by layer.
pub(super) type Amounts = [u16; MAX_MATERIALS + 1];

const ONE: u64 = AMOUNT_ONE as u64;

/// Trial move of a piece: the changed cells with their new amounts, while the world itself stays
/// unchanged.
pub(super) struct Draft<'a> {
    world: &'a World,
    rule: &'a Floating,
    cells: BTreeMap<Place, Amounts>,
}

/// Surface of a liquid in one column: the highest cell with the liquid, and the height of the
/// surface above the floor in units of 1/`AMOUNT_ONE` of a cell.
#[derive(Clone, Copy, Debug)]
struct LiquidColumn {
    top: Place,
    level: u64,
}

impl<'a> Draft<'a> {
    pub(super) fn new(world: &'a World, rule: &'a Floating) -> Self {
        Self {
            world,
            rule,
            cells: BTreeMap::new(),
        }
    }

    /// Returns the cells that the move changes, with their new amounts.
    pub(super) fn into_cells(self) -> BTreeMap<Place, Amounts> {
        self.cells
    }

    /// Returns twice the change of the simulation box's potential energy by the move, in these
    /// units: amounts in units, densities in 0.01 kg/m³, heights in 1/`AMOUNT_ONE` of a cell.
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
        self.cells
            .get(&place)
            .copied()
            .unwrap_or_else(|| amounts_of(self.world, place))
    }

    fn cell(&mut self, place: Place) -> &mut Amounts {
        let world = self.world;
        self.cells
            .entry(place)
            .or_insert_with(|| amounts_of(world, place))
    }

    /// Sets the amounts in the cell `place` of the trial to `amounts`; records nothing if they are
    /// equal to the present amounts.
    fn store(&mut self, place: Place, amounts: Amounts) {
        if self.at(place) != amounts {
            *self.cell(place) = amounts;
        }
    }

    /// Moves `piece` by one cell in the direction `way`, together with the liquid that it
    /// displaces; returns `None` if part of the piece cannot move, or the liquid finds no place or
    /// does not suffice.
    pub(super) fn shift(&mut self, piece: &FloatingPiece, way: Way) -> Option<()> {
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
                self.store(to, amounts);
                to = from;
            }
            self.store(to, front);
        }
        match way {
            Way::Down => self.pour_off(piece),
            Way::Up => self.fill_gap(piece),
        }
    }

    /// Returns `Some` if all matter in a cell with these `amounts` can move together with a piece,
    /// and `None` if it contains an obstacle or a mirrored layer.
    fn check_movable(&self, amounts: &Amounts) -> Option<()> {
        let stays = |(number, layer): (usize, &super::Buoyancy)| {
            amounts[number] > 0 && (layer.part == FloatRole::Bar || self.world.is_mirror(number))
        };
        (!self.rule.layers.iter().enumerate().any(stays)).then_some(())
    }

    fn is_liquid(&self, layer: usize) -> bool {
        self.rule.layers[layer].part == FloatRole::Liquid
    }

    fn liquids(&self) -> impl Iterator<Item = usize> + use<> {
        let liquids: Vec<_> = (0..self.rule.layers.len())
            .filter(|&layer| self.is_liquid(layer))
            .collect();
        liquids.into_iter()
    }

    /// Moves the liquid that came to lie on top of the sunk `piece` to the liquid's surface around
    /// the piece; returns `None` if there is not enough free volume.
    fn pour_off(&mut self, piece: &FloatingPiece) -> Option<()> {
        let dry: Vec<Place> = piece
            .runs
            .iter()
            .map(|run| run.rear(Way::Down))
            .filter(|&rear| !self.is_under(rear))
            .collect();
        for layer in self.liquids() {
            let mut amount = 0;
            for &rear in &dry {
                amount += u64::from(std::mem::take(&mut self.cell(rear)[layer]));
            }
            if amount > 0 {
                let mut columns = self.columns(layer, piece, amount);
                columns.extend(dry.iter().map(|&top| LiquidColumn {
                    top,
                    level: self.level(top, layer),
                }));
                self.pour(layer, columns, amount)?;
            }
        }
        Some(())
    }

    /// Returns true if the cell directly above (x, y, z) contains at least half a full cell of
    /// liquid.
    fn is_under(&self, [x, y, z]: Place) -> bool {
        let above = [x, y + 1, z];
        y + 1 < self.world.grid().ny && {
            let amounts = self.at(above);
            self.liquids()
                .map(|layer| u32::from(amounts[layer]))
                .sum::<u32>()
                >= u32::from(AMOUNT_ONE / 2)
        }
    }

    /// Fills the gap below the risen `piece` with liquid from the surface around the piece; returns
    /// `None` if there is not enough liquid.
    fn fill_gap(&mut self, piece: &FloatingPiece) -> Option<()> {
        let gaps: Vec<Place> = piece.runs.iter().map(|run| run.rear(Way::Up)).collect();
        for layer in self.liquids().collect::<Vec<_>>().into_iter().rev() {
            let below = |&[x, y, z]: &Place| {
                let amounts = self.at([x, y.checked_sub(1)?, z]);
                self.liquids()
                    .max_by_key(|&liquid| (amounts[liquid], liquid))
                    .filter(|&liquid| amounts[liquid] > 0)
            };
            let gaps: Vec<_> = gaps
                .iter()
                .filter(|gap| below(gap) == Some(layer))
                .copied()
                .collect();
            let most: u64 = gaps.iter().map(|&gap| self.room(gap)).sum();
            let columns = if most > 0 {
                self.columns(layer, piece, most)
            } else {
                Vec::new()
            };
            if columns.is_empty() {
                continue;
            }
            let mean =
                columns.iter().map(|column| column.level).sum::<u64>() / columns.len() as u64;
            // Filled only up to the mean height of the surface around, so that the gap is never
            // higher than its source.
            let wanted: Vec<_> = gaps
                .iter()
                .map(|&gap| {
                    self.room(gap)
                        .min(mean.saturating_sub(self.level(gap, layer)))
                })
                .collect();
            self.draw(layer, columns, wanted.iter().sum())?;
            for (gap, amount) in gaps.into_iter().zip(wanted) {
                self.cell(gap)[layer] += amount as u16;
            }
        }
        Some(())
    }

    /// Free volume of the cell `place`, in units of amount.
    fn room(&self, place: Place) -> u64 {
        ONE.saturating_sub(self.at(place).iter().map(|&amount| u64::from(amount)).sum())
    }

    /// Height above the floor up to which the cell `place` is filled by the layer with index
    /// `layer` and all layers before it (denser ones), in units of 1/`AMOUNT_ONE` of a cell.
    fn level(&self, place: Place, layer: usize) -> u64 {
        place[1] as u64 * ONE + self.filled(place, layer).min(ONE)
    }

    /// Sum of the amounts of the layer with index `layer` and of all layers before it (denser ones)
    /// in the cell `place`, in units.
    fn filled(&self, place: Place, layer: usize) -> u64 {
        let amounts = self.at(place);
        amounts[..=layer].iter().copied().map(u64::from).sum()
    }

    /// Returns true if the cell `place` is solid or contains matter into which a piece cannot move.
    fn is_closed(&self, place: Place) -> bool {
        let amounts = self.at(place);
        let bars = |(layer, &amount): (&super::Buoyancy, &u16)| {
            amount > 0 && !matches!(layer.part, FloatRole::Liquid | FloatRole::Gas)
        };
        self.world.ground().is_solid(place) || self.rule.layers.iter().zip(&amounts).any(bars)
    }

    /// Finds the surface of the liquid with layer index `layer` in the column of the cell (x, y,
    /// z), downwards and then upwards from that cell; `None` if there is none.
    fn column(&self, layer: usize, [x, mut y, z]: Place) -> Option<LiquidColumn> {
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
        is_free.then(|| LiquidColumn {
            top,
            level: self.level(top, layer),
        })
    }

    /// Returns the surface of the liquid with layer index `layer` in columns around `piece`, ring
    /// by ring: `SPREAD` columns for each full cell in `amount` (units), or fewer if the connected
    /// surface has fewer columns.
    fn columns(&self, layer: usize, piece: &FloatingPiece, amount: u64) -> Vec<LiquidColumn> {
        let grid = self.world.grid();
        let mut seen: HashSet<[usize; 2]> = piece.runs.iter().map(|run| [run.x, run.z]).collect();
        let (mut ring, mut found) = (piece.sides(grid), Vec::<LiquidColumn>::new());
        while !ring.is_empty() && (found.len() as u64) * ONE < SPREAD * amount {
            let first = found.len();
            for place in ring {
                // Several cells of one column may be in the ring; only the first that finds the
                // surface counts.
                if !seen.contains(&[place[0], place[2]])
                    && let Some(column) = self.column(layer, place)
                {
                    seen.insert([place[0], place[2]]);
                    found.push(column);
                }
            }
            ring = Vec::new();
            for &LiquidColumn { top, .. } in &found[first..] {
                let beside = DIRECTIONS
                    .iter()
                    .filter_map(|&(dx, dz)| grid.neighbour(top, [dx, 0, dz]));
                ring.extend(beside.filter(|&[x, _, z]| !seen.contains(&[x, z])));
            }
        }
        found
    }

    /// Adds `amount` (units) of the liquid with layer index `layer` to `columns`, to the lowest
    /// surfaces first; returns `None` if there is not enough free volume.
    fn pour(&mut self, layer: usize, mut columns: Vec<LiquidColumn>, amount: u64) -> Option<()> {
        columns.sort_by_key(|column| column.level);
        let (mut count, mut sum) = (0, 0);
        while let Some(next) = columns
            .get(count)
            .filter(|next| count as u64 * next.level < amount + sum || count == 0)
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

    /// Adds `amount` (units) of the liquid with layer index `layer` to a column, from the cell (x,
    /// y, z) upwards; returns `None` if there is not enough free volume.
    fn raise(&mut self, layer: usize, [x, mut y, z]: Place, mut amount: u64) -> Option<()> {
        while amount > 0 {
            let place = [x, y, z];
            if y >= self.world.grid().ny || self.is_closed(place) {
                return None;
            }
            let more = amount.min(ONE.saturating_sub(self.filled(place, layer)));
            self.cell(place)[layer] += more as u16;
            amount -= more;
            y += 1;
        }
        Some(())
    }

    /// Removes `amount` (units) of the liquid with layer index `layer` from `columns`, from the
    /// highest surfaces first; returns `None` if the columns contain less than `amount`.
    fn draw(&mut self, layer: usize, mut columns: Vec<LiquidColumn>, amount: u64) -> Option<()> {
        columns.sort_by_key(|column| std::cmp::Reverse(column.level));
        let (mut count, mut sum) = (0, 0);
        while let Some(next) = columns
            .get(count)
            .filter(|next| sum < amount + count as u64 * next.level || count == 0)
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

    /// Removes `amount` (units) of the liquid with layer index `layer` from a column, from the cell
    /// (x, y, z) downwards; returns `None` if the column contains less.
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

/// Returns the amount of each layer in the cell `place` of the world, in units.
fn amounts_of(world: &World, place: Place) -> Amounts {
    let mut amounts = [0; MAX_MATERIALS + 1];
    world
        .layers()
        .iter()
        .zip(&mut amounts)
        .for_each(|(layer, amount)| *amount = layer.at(place).amount);
    amounts
}

impl World {
    /// Sets the amount of each layer in the cell `place` to `amounts`; no layer may have energy in
    /// this cell.
    pub(super) fn put_amounts(&mut self, place: Place, amounts: &Amounts) {
        for (layer, &amount) in self.layers.iter_mut().zip(amounts) {
            if layer.at(place).amount != amount {
                layer.set(place, Content { amount, energy: 0 });
            }
        }
    }
}
