//! Cell-by-cell form of the tracing rule, which follows its definition: the reference with which
//! tests compare the tiled engine.

use std::collections::BTreeMap;

use super::{Bodies, Height, Tracing, in_order};
use crate::matter::Air;
use crate::rules::{DIRECTIONS, HeightKind as Kind, Surface, Walls};
use crate::world::World;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::units::AMOUNT_ONE;

/// World and layer in which liquid is traced, with the connected bodies of liquid found there.
struct Traced<'a> {
    rule: &'a Tracing,
    world: &'a World,
    layer: usize,
    /// Number of the connected body of liquid to which each cell belongs, at [`Grid::index`];
    /// `None` for cells outside of all bodies.
    bodies: Vec<Option<u32>>,
    /// Flag for each cell, at [`Grid::index`]: true if the cell is connected to the roof or an open
    /// side of the simulation box through air. `None` if the rule ignores trapped air.
    airy: Option<Vec<bool>>,
}

/// Membership of a cell in a group of one connected body of liquid: key of the group, and openings
/// that the cell contributes.
struct Member {
    place: Place,
    /// Key of the group: number of the body, height in cells, role of the cell.
    height: (u32, u32, Kind),
    cell: Surface,
    /// Numbers (0 or 1) of openings through which the connected body presses liquid into the cell:
    /// from the side, from below, and, if the cell belongs to the body, through the cell itself.
    holes: [u32; 3],
}

/// Returns the cells that one application of the rule changes, each with its new amount, and the
/// amount that leaves the simulation box; all in units.
pub(super) fn settle(rule: &Tracing, world: &World, layer: usize) -> (Vec<(Place, u16)>, u64) {
    let amount = |place: Place| world.layers()[layer].at(place).amount;
    let mut traced = Traced {
        rule,
        world,
        layer,
        bodies: Vec::new(),
        airy: None,
    };
    let full = traced.full();
    traced.bodies = components(world.grid(), |place| full[world.grid().index(place)]);
    traced.airy = (rule.air == Air::Kept).then(|| traced.airy());
    let members: Vec<_> = in_order(world.grid())
        .flat_map(|place| traced.members(place))
        .collect();

    // The definition fixes the order: sums per group of cells, then the flow between groups, then
    // sums relative to the means, then the parts of the cells.
    let mut heights = BTreeMap::new();
    for Member {
        height,
        cell,
        holes,
        ..
    } in &members
    {
        let sums = heights
            .entry(*height)
            .or_insert_with(|| Height::new(*height));
        sums.add(*cell);
        sums.add_holes(*holes);
    }
    for (height, faces) in world
        .grid()
        .places()
        .filter_map(|place| traced.outside(place))
    {
        heights
            .entry(height)
            .or_insert_with(|| Height::new(height))
            .add_holes([faces, 0, 0]);
    }
    let mut heights: Vec<Height> = heights.into_values().collect();
    rule.book(&mut heights);
    add_around_means(&mut heights, &members);
    heights
        .iter_mut()
        .filter(|height| height.comes_level())
        .for_each(Height::book_level);
    let left = heights.iter().map(Height::leaves).sum();

    let mut shares: BTreeMap<_, _> = heights
        .iter()
        .map(|height| (height.key(), height.shares([0, 0])))
        .collect();
    let mut after = BTreeMap::new();
    for Member {
        place,
        height,
        cell,
        ..
    } in members
    {
        if let Some(shares) = shares.get_mut(&height) {
            let [gives, takes] = shares.next(cell);
            let held = after.entry(place).or_insert(cell.amount);
            *held = *held - gives + takes;
        }
    }
    (
        after
            .into_iter()
            .filter(|&(place, held)| held != amount(place))
            .collect(),
        left,
    )
}

/// Sums the amounts of the cells `members` relative to the mean of their group, in a second pass,
/// for those groups in `heights` (sorted by key) whose cells level out.
fn add_around_means(heights: &mut [Height], members: &[Member]) {
    for Member { height, cell, .. } in members {
        if let Ok(at) = heights.binary_search_by_key(height, Height::key)
            && heights[at].comes_level()
        {
            heights[at].add_around_mean(*cell);
        }
    }
}

impl Traced<'_> {
    fn amount(&self, place: Place) -> u16 {
        self.world.layers()[self.layer].at(place).amount
    }

    fn is_open(&self, place: Place) -> bool {
        !self.world.ground().is_solid(place)
    }

    /// Returns true if the cell directly above (x, y, z) is solid, or if the cell lies directly
    /// below the roof.
    fn is_covered(&self, [x, y, z]: Place) -> bool {
        y + 1 == self.world.grid().ny || !self.is_open([x, y + 1, z])
    }

    /// Returns true if the body cell (x, y, z) is covered: the cell, or the topmost of the unbroken
    /// stack of body cells above the cell, lies directly below rock or the roof.
    fn is_covered_body(&self, [x, y, z]: Place) -> bool {
        let mut above = (y..self.world.grid().ny).map(|y| [x, y, z]);
        above.find_map(|place| match self.body(place) {
            None => Some(false),
            Some(_) => self.is_covered(place).then_some(true),
        }) == Some(true)
    }

    /// Returns a flag for each cell, at [`Grid::index`]: true if liquid can pass through the cell
    /// (body cell). Cells are tested from the roof down, because a body cell lowers the threshold
    /// of the cell below.
    fn full(&self) -> Vec<bool> {
        let grid = self.world.grid();
        let mut full = vec![false; grid.cells()];
        for (y, z) in (0..grid.ny)
            .rev()
            .flat_map(|y| (0..grid.nz).map(move |z| (y, z)))
        {
            for place @ [x, ..] in (0..grid.nx).map(|x| [x, y, z]) {
                let below = self.is_covered(place) || full[grid.index([x, y + 1, z])];
                let through = if below {
                    self.rule.through_below()
                } else {
                    self.rule.through
                };
                full[grid.index(place)] = self.is_open(place) && self.amount(place) > through;
            }
        }
        full
    }

    /// Returns true if the cell `place` has at least the minimum of free volume into which liquid
    /// can rise (`min_pressure`).
    fn has_room(&self, place: Place) -> bool {
        let filling = self
            .amount(place)
            .saturating_add(self.world.heavier_than(self.layer, place));
        self.is_open(place) && filling <= self.rule.fullest
    }

    /// Returns true if the cell `place` lets a surface in the cell below rise: the cell is open,
    /// has the minimum of free volume, and is not a body cell below rock, the roof or a body cell.
    fn is_roomy(&self, place @ [x, y, z]: Place) -> bool {
        let is_below = || self.is_covered(place) || self.body([x, y + 1, z]).is_some();
        self.has_room(place) && !(self.body(place).is_some() && is_below())
    }

    fn body(&self, place: Place) -> Option<u32> {
        self.bodies[self.world.grid().index(place)]
    }

    /// Returns a flag for each cell, at [`Grid::index`]: true if the cell is connected to the roof
    /// or an open side of the simulation box through cells with at least the minimum of free
    /// volume.
    fn airy(&self) -> Vec<bool> {
        let grid = self.world.grid();
        let airs = components(grid, |place| self.has_room(place));
        let leaves = |[x, y, z]: Place| {
            let at_side = x == 0 || z == 0 || x + 1 == grid.nx || z + 1 == grid.nz;
            y + 1 == grid.ny || self.rule.walls == Walls::Open && at_side
        };
        let free: std::collections::BTreeSet<_> = grid
            .places()
            .filter(|&place| leaves(place))
            .filter_map(|place| airs[grid.index(place)])
            .collect();
        airs.iter()
            .map(|air| air.is_some_and(|air| free.contains(&air)))
            .collect()
    }

    /// Returns true if the cell `place` is connected to the roof or an open side of the simulation
    /// box through air; always true if the rule ignores trapped air.
    fn is_airy(&self, place: Place) -> bool {
        self.airy
            .as_ref()
            .is_none_or(|airy| airy[self.world.grid().index(place)])
    }

    /// Returns, for a body cell at an open side of the simulation box, the key of the outside group
    /// and the number of the cell's faces on open sides; `None` for other cells.
    fn outside(&self, place: Place) -> Option<((u32, u32, Kind), u32)> {
        let body = self
            .body(place)
            .filter(|_| self.rule.walls == Walls::Open)?;
        let faces = DIRECTIONS
            .iter()
            .filter(|&&(dx, dz)| self.world.grid().neighbour(place, [dx, 0, dz]).is_none());
        Some(((body, place[1] as u32, Kind::Outside), faces.count() as u32))
            .filter(|&(_, faces)| faces > 0)
    }

    /// Returns the memberships of the cell (x, y, z) in groups: one for each connected body of
    /// liquid that the cell gives to or takes from.
    fn members(&self, place @ [x, y, z]: Place) -> Vec<Member> {
        let grid = self.world.grid();
        if !self.is_open(place) {
            return Vec::new();
        }
        let above = (y + 1 < grid.ny).then_some([x, y + 1, z]);
        let roomy = above.filter(|&above| self.is_roomy(above));
        if roomy.is_some_and(|above| !self.is_airy(above)) {
            return Vec::new();
        }
        // A surface cell gives and takes; any other cell only takes, and only where air can leave.
        let (amount, room, y) = (self.amount(place), self.room(place), y as u32);
        let below = if y > 0 {
            self.body([x, y as usize - 1, z])
        } else {
            None
        };
        let on = if self.rule.rest && amount > 0 {
            below
        } else {
            None
        };
        let own = self.body(place);
        if let Some(body) = own.or(on)
            && roomy.is_some()
        {
            let cell = Surface {
                offer: self.rule.offer(amount),
                amount,
                room,
            };
            return vec![Member {
                place,
                height: (body, y, Kind::Surface),
                cell,
                holes: [0; 3],
            }];
        }
        let takes = match own {
            Some(_) => self.is_covered_body(place),
            None => above.is_none_or(|above| self.body(above).is_none()),
        };
        let vents = roomy.is_some()
            || self.is_airy(place)
            || grid.face_neighbours(place).any(|near| self.is_airy(near));
        if !takes || !vents {
            return Vec::new();
        }
        let cell = Surface {
            offer: 0,
            amount,
            room,
        };
        let own = own.map(|body| Member {
            place,
            height: (body, y, Kind::Covered),
            cell,
            holes: [0, 0, 1],
        });
        let kind_below = if roomy.is_some() {
            Kind::Surface
        } else {
            Kind::Pressed
        };
        let mut all = own.map_or_else(|| self.free(place, kind_below), |own| vec![own]);
        all.retain(|member| room > 0 || member.height.2 == Kind::Surface);
        all
    }

    /// Returns the memberships of the free cell (x, y, z) in groups: one for each connected body of
    /// liquid that touches the cell; `kind_below`: role of the cell for the body below.
    fn free(&self, place @ [x, y, z]: Place, kind_below: Kind) -> Vec<Member> {
        let below = if y > 0 {
            self.body([x, y - 1, z])
        } else {
            None
        };
        let beside = DIRECTIONS
            .iter()
            .filter_map(|&(dx, dz)| self.world.grid().neighbour(place, [dx, 0, dz]));
        let beside: Vec<u32> = beside.filter_map(|near| self.body(near)).collect();
        let mut bodies: Vec<u32> = beside.iter().copied().chain(below).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let room = self.room(place) / bodies.len().max(1) as u16;
        let member = |body| {
            let kind = if below == Some(body) {
                kind_below
            } else {
                Kind::Pressed
            };
            let holes = match kind {
                Kind::Surface | Kind::Covered | Kind::Outside => [0; 3],
                Kind::Pressed if beside.contains(&body) => [1, 0, 0],
                Kind::Pressed => [0, 1, 0],
            };
            let cell = Surface {
                offer: 0,
                amount: self.amount(place),
                room,
            };
            Member {
                place,
                height: (body, y as u32, kind),
                cell,
                holes,
            }
        };
        bodies.into_iter().map(member).collect()
    }

    /// Returns the free volume of the cell `place` for the traced layer, in units of amount.
    fn room(&self, place: Place) -> u16 {
        (AMOUNT_ONE - self.world.heavier_than(self.layer, place)).saturating_sub(self.amount(place))
    }
}

/// Returns the number of the connected component of each cell, at [`Grid::index`]; `None` for cells
/// for which `belongs` is false. Cells for which `belongs` is true are connected if they share a
/// face.
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
            for near in grid.face_neighbours(place) {
                if numbers[grid.index(near)].is_none() && belongs(near) {
                    numbers[grid.index(near)] = Some(number);
                    found.push(near);
                }
            }
        }
    }
    numbers
}
