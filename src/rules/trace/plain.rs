//! Tracing over a whole box as its definition reads, cell after cell.

use std::collections::BTreeMap;

use super::{Height, Surface, Tracing, in_order};
use crate::grid::{Grid, Place};
use crate::matter::Air;
use crate::rules::{DIRECTIONS, Walls};
use crate::units::AMOUNT_ONE;
use crate::world::World;

/// The layer that is traced in its world.
struct Traced<'a> {
    rule: &'a Tracing,
    world: &'a World,
    layer: usize,
    /// The body of each cell, by [`Grid::index`].
    bodies: Vec<Option<u32>>,
    /// Whether each cell reaches the roof, where that matters.
    airy: Option<Vec<bool>>,
}

/// A surface cell as one of a body.
struct Member {
    place: Place,
    height: (u32, usize),
    cell: Surface,
}

impl Tracing {
    /// What each cell of a layer that gives or takes holds afterwards.
    pub(crate) fn settle(&self, world: &World, layer: usize) -> Vec<(Place, u16)> {
        let amount = |place: Place| world.layers()[layer].at(place).amount;
        let mut traced = Traced { rule: self, world, layer, bodies: Vec::new(), airy: None };
        traced.bodies = components(world.grid(), |place| traced.is_open(place) && amount(place) > self.through);
        traced.airy = (self.air == Air::Kept).then(|| traced.airy());
        let members: Vec<_> = in_order(world.grid()).flat_map(|place| traced.members(place)).collect();

        let mut heights = BTreeMap::new();
        for Member { height: at @ (body, y), cell, .. } in &members {
            heights.entry(*at).or_insert_with(|| Height::new(*body, *y as u32)).add(*cell);
        }
        let mut heights: Vec<Height> = heights.into_values().collect();
        heights.chunk_by_mut(|a, b| a.body == b.body).for_each(|body| self.exchange(body));
        let mut heights: BTreeMap<_, _> = heights.into_iter().map(|h| ((h.body, h.y as usize), h)).collect();
        for Member { height, cell, .. } in &members {
            if let Some(height) = heights.get_mut(height).filter(|height| height.comes_level()) {
                height.add_around_mean(*cell);
            }
        }
        heights.values_mut().filter(|height| height.comes_level()).for_each(Height::book_level);

        let mut shares: BTreeMap<_, _> = heights.into_iter().map(|(at, height)| (at, height.shares([0, 0]))).collect();
        let mut after = BTreeMap::new();
        for Member { place, height, cell } in members {
            if let Some(shares) = shares.get_mut(&height) {
                let [gives, takes] = shares.next(cell);
                let held = after.entry(place).or_insert(cell.amount);
                *held = *held - gives + takes;
            }
        }
        after.into_iter().filter(|&(place, held)| held != amount(place)).collect()
    }
}

impl Traced<'_> {
    fn amount(&self, place: Place) -> u16 {
        self.world.layers()[self.layer].at(place).amount
    }

    fn is_open(&self, place: Place) -> bool {
        !self.world.ground().is_solid(place)
    }

    /// Whether a cell lets a surface move below it.
    fn is_roomy(&self, place: Place) -> bool {
        let filling = self.amount(place).saturating_add(self.world.heavier_than(self.layer, place));
        self.is_open(place) && filling <= self.rule.fullest
    }

    fn body(&self, place: Place) -> Option<u32> {
        self.bodies[self.world.grid().index(place)]
    }

    /// The cells that reach the roof, or an open side.
    fn airy(&self) -> Vec<bool> {
        let grid = self.world.grid();
        let airs = components(grid, |place| self.is_roomy(place));
        let leaves = |[x, y, z]: Place| {
            let at_side = x == 0 || z == 0 || x + 1 == grid.nx || z + 1 == grid.nz;
            y + 1 == grid.ny || self.rule.walls == Walls::Open && at_side
        };
        let free: std::collections::BTreeSet<_> =
            grid.places().filter(|&place| leaves(place)).filter_map(|place| airs[grid.index(place)]).collect();
        airs.iter().map(|air| air.is_some_and(|air| free.contains(&air))).collect()
    }

    /// A cell as one of each body to which it belongs.
    fn members(&self, place @ [x, y, z]: Place) -> Vec<Member> {
        let (grid, above) = (self.world.grid(), [x, y + 1, z]);
        if y + 1 == grid.ny || !self.is_open(place) || !self.is_roomy(above) {
            return Vec::new();
        }
        if self.airy.as_ref().is_some_and(|airy| !airy[grid.index(above)]) {
            return Vec::new();
        }
        let amount = self.amount(place);
        let on = || if y > 0 && self.rule.rest && amount > 0 { self.body([x, y - 1, z]) } else { None };
        let own = self.body(place).or_else(on);
        let mut bodies: Vec<u32> = match own {
            Some(body) => vec![body],
            None => around(grid, place).filter_map(|near| self.body(near)).collect(),
        };
        bodies.sort_unstable();
        bodies.dedup();
        let free = (AMOUNT_ONE - self.world.heavier_than(self.layer, place)).saturating_sub(amount);
        let room = free / bodies.len().max(1) as u16;
        let offer = if own.is_some() { self.rule.offer(amount) } else { 0 };
        let member = |body| Member { place, height: (body, y), cell: Surface { offer, amount, room } };
        bodies.into_iter().map(member).collect()
    }
}

/// The six cells that share a face with one, as far as they are inside the box.
fn around(grid: Grid, [x, y, z]: Place) -> impl Iterator<Item = Place> {
    let across = DIRECTIONS.map(|(dx, dz)| [dx, 0, dz]);
    across.into_iter().chain([[0, -1, 0], [0, 1, 0]]).filter_map(move |[dx, dy, dz]| {
        let near = [x.checked_add_signed(dx)?, y.checked_add_signed(dy)?, z.checked_add_signed(dz)?];
        (near[0] < grid.nx && near[1] < grid.ny && near[2] < grid.nz).then_some(near)
    })
}

/// The 6-connected components of some cells, by [`Grid::index`].
fn components(grid: Grid, belongs: impl Fn(Place) -> bool) -> Vec<Option<u32>> {
    let mut numbers = vec![None; grid.cells()];
    let mut found = Vec::new();
    for start in grid.places() {
        let number = grid.index(start) as u32;
        if numbers[grid.index(start)].is_none() && belongs(start) {
            numbers[grid.index(start)] = Some(number);
            found.push(start);
        }
        while let Some(place) = found.pop() {
            for near in around(grid, place) {
                if numbers[grid.index(near)].is_none() && belongs(near) {
                    numbers[grid.index(near)] = Some(number);
                    found.push(near);
                }
            }
        }
    }
    numbers
}
