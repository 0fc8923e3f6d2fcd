//! Trace (*Grid Based Fluid Systems*, `doPressureFlow`, after *Dwarf Fortress*): liquid under
//! pressure passes through cells that are already full, from the high surfaces of a connected body
//! of liquid to the low ones.
//!
//! In every step that is a multiple of `every`:
//!
//! 1. *Body cells* are open and contain more than `through`; below rock, the roof of the box or
//!    another body cell, half a cell is enough. *Bodies* are the connected components of body cells
//!    (cells that share a face).
//! 2. *Surface cells* are open and lie below an open cell that has at least `min_pressure` of free
//!    volume and is not a body cell below rock, the roof or a body cell. A body cell belongs to the
//!    surface of its own body; with `rest`, any other cell that contains liquid belongs to the
//!    surface of the body below. Surface cells with at least `min_liquid` *give*: they offer their
//!    amount. Surface cells with free volume *take*.
//! 3. *Free cells* are all other open cells without a body cell above. A free cell that touches
//!    several bodies at its sides or below offers each body an equal part of its free volume. To a
//!    body below, a free surface cell is part of the surface; to any other body that it touches, it
//!    is a *pressed* cell. A body cell is *covered* if rock, the roof or a covered cell lies above
//!    it. Covered and pressed cells with free volume take: those of a body at one height together
//!    at most n · `press` · √(2 · head) in a run, the covered ones first. The outside of an open
//!    side of the box takes last and has room for any amount, which is booked as outflow. n is the
//!    number of pressed cells that touch the body at a side plus the number of the body's faces at
//!    open sides; if there are none, the number of pressed cells that lie on the body; or else the
//!    number of covered cells. The head, in cells, is the height of the highest liquid that the
//!    body offers above the middle of the taking cells.
//! 4. For each body: the highest offers go to the lowest heights with free volume, as long as the
//!    giving cells are higher and the free volume is at least `min_flow`. If the cells of the
//!    surface at one height differ by more than `min_flow`, they also level out: their *mean* is
//!    computed after giving and taking, over the offers or the free volumes. Cells above the mean
//!    give first and cells below the mean take first; the remaining excess above the mean goes to
//!    the cells below the mean, as far as they have free volume; at a height that neither gives
//!    nor takes, only half of this excess.
//! 5. The moved amount is apportioned to the cells by *running sums* in the order of tiles
//!    (`in_order`): if cells with offers v that add up to S give G together, a cell gives G (P + v)
//!    / S − G P / S, where P is the sum of the offers of the cells before, and each quotient is
//!    rounded down. The same holds for taking. All amounts are those before the step, and all sums
//!    are exact.
//!
//! Torricelli (*Opera geometrica*, 1644): liquid leaves a vessel with the speed v = √(2 g h), where
//! h is the height of its surface above the hole. Each of the n cells is a hole one cell wide,
//! through which v cells of liquid pass in a step; `press` is √g in cells and steps. The square
//! root is that of an integer, rounded down.
//!
//! **Decided:** liquid moves only to lower heights, so that nothing rises above its origin and the
//! rule comes to rest. The published search moves liquid while it looks for a place and depends on
//! the order of the cells; it fills no cell below a ceiling, so that there is no pressure inside an
//! empty pipe. Pressed cells are filled as in *Dwarf Fortress*. The limit applies to all holes
//! together and a pipe is filled first, because liquid also levels out along a pipe: with a limit
//! for each cell, a long slope of half full cells would take any amount. A surface takes as much as
//! it has free volume: a full pipe passes on any amount in one step. With `air = "kept"` the cell
//! above a giving or taking cell must be connected to the roof or an open side through open cells
//! with at least `min_pressure` of free volume; below a ceiling this must hold for the taking cell
//! itself or a cell around it: a closed arm keeps its air. Only this rule heeds trapped air; liquid
//! falls and levels out through trapped air.

mod plain;

use super::Walls;
use super::shape::{Bodies, Driver, Height, Listed, Site};
use crate::matter::{Air, Material};
use crate::world::{RuleNumbers, World};
use lavoxel_base::grid::tile::{TILE_X, TILE_Z};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::Draw;
use lavoxel_base::simd::Simd;
use lavoxel_base::units::{AMOUNT_ONE, amount_units};

/// Parameters of tracing in the table of a material.
pub const PARAMS: &[Param<Material>] = &[
    param!(trace.through: Linear, [0.0, 1.0] "amount",
        "amount above which liquid passes through a cell; 0.5 passes through running films and empties high ponds \
         faster"),
    param!(trace.min_liquid: Linear, [0.0, 1.0] "amount",
        "least amount of a cell that gives; more leaves films behind where a surface sinks"),
    param!(trace.min_pressure: Linear, [0.001, 1.0] "amount",
        "least room above a cell that gives or takes; more holds liquid back below what falls on it"),
    param!(trace.min_flow: Logarithmic, [0.0001, 1.0] "amount",
        "least room of a height that takes, and least difference in one that comes level; more rests sooner and \
         less level"),
    param!(trace.press: Logarithmic, [0.001, 1.0] "amount",
        "amount that passes from a body through a free side of a cell in a run, under half a cell of liquid; grows \
         with the root of what stands above; more fills pipes faster"),
    param!(trace.every: Whole, [1.0, 1000.0] "steps", "steps between two runs of the rule; more is cheaper and slower"),
];

/// Rule of tracing, with its parameters in fixed point; amounts in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracing {
    /// Amount above which liquid passes through a cell, in units.
    pub through: u16,
    /// Smallest amount of a surface cell from which liquid is taken, in units.
    pub min_liquid: u16,
    /// Largest filling of the cell above a surface with which the surface can rise, in units of
    /// amount.
    pub fullest: u16,
    /// Differences below which nothing moves, in units: of the total free volume of a group of
    /// cells at one height, and of the amounts within such a group.
    pub min_flow: u16,
    /// Amount that passes through one opening per application of the rule if the liquid stands half
    /// a cell above the middle of the opening, in units.
    pub press: u16,
    /// True if liquid on top of a connected body of liquid belongs to the body even in cells that
    /// contain too little for liquid to pass through.
    pub rest: bool,
    /// Effect of trapped air (not connected to the roof or an open side) above a surface of the
    /// liquid.
    pub air: Air,
    /// Number of steps from one application of the rule to the next.
    pub every: u32,
    /// Boundary condition at the sides of the simulation box.
    pub walls: Walls,
}

impl Bodies for Tracing {
    fn numbers(&self) -> RuleNumbers {
        let [through, min_liquid, fullest, min_flow, press] = [
            self.through,
            self.min_liquid,
            self.fullest,
            self.min_flow,
            self.press,
        ]
        .map(u32::from);
        let (kept, open) = (self.air == Air::Kept, self.walls == Walls::Open);
        [
            through,
            min_liquid,
            fullest,
            min_flow,
            self.rest.into(),
            kept.into(),
            open.into(),
            press,
        ]
    }

    fn walls(&self) -> Walls {
        self.walls
    }

    fn keeps_air(&self) -> bool {
        self.air == Air::Kept
    }

    fn rests(&self) -> bool {
        self.rest
    }

    fn is_deep(&self) -> bool {
        self.through >= self.fullest
    }

    #[inline(always)]
    fn passes<S: Simd>(&self, s: S, amounts: S::V, below: u32) -> u32 {
        s.above(amounts, s.splat(self.through))
            | s.above(amounts, s.splat(self.through_below())) & below
    }

    #[inline(always)]
    fn roomy<S: Simd>(&self, s: S, fillings: S::V) -> u32 {
        !s.above(fillings, s.splat(self.fullest))
    }

    #[inline(always)]
    fn donors<S: Simd>(&self, s: S, amounts: S::V) -> u32 {
        !s.above(s.splat(self.min_liquid), amounts)
    }

    fn book(&self, heights: &mut [Height]) {
        for body in heights.chunk_by_mut(|a, b| a.body == b.body) {
            self.press(body);
            self.exchange(body);
        }
    }

    fn settle(&self, world: &World, layer: usize) -> (Vec<(Place, u16)>, u64) {
        plain::settle(self, world, layer)
    }
}

impl Listed for Tracing {
    const PARAMS: &'static [Param<Material>] = PARAMS;

    fn from_site(site: &Site<'_>) -> Option<Self> {
        Some(Self::new(site.material, site.spec.walls))
    }

    fn is_due(&self, step: u64) -> bool {
        (step + 1).is_multiple_of(self.every.into())
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), _draw: Draw) {
        driver.bodies(on, self);
    }
}

impl Tracing {
    /// Creates the rule for `material` in a simulation box whose sides have the boundary condition
    /// `walls`.
    pub fn new(material: &Material, walls: Walls) -> Self {
        let spec = &material.trace;
        Self {
            through: amount_units(spec.through),
            min_liquid: amount_units(spec.min_liquid),
            fullest: AMOUNT_ONE - amount_units(spec.min_pressure).max(1),
            min_flow: amount_units(spec.min_flow).max(1),
            press: amount_units(spec.press).max(1),
            rest: spec.rest,
            air: spec.air,
            every: spec.every.max(1),
            walls,
        }
    }

    /// Returns the amount that a surface cell with `amount` offers: the whole amount, or 0 if it is
    /// below `min_liquid`; in units.
    fn offer(&self, amount: u16) -> u16 {
        if amount >= self.min_liquid { amount } else { 0 }
    }

    /// Returns the amount above which liquid passes through a cell below rock, the roof or a body
    /// cell, in units.
    fn through_below(&self) -> u16 {
        self.through.min(AMOUNT_ONE / 2)
    }

    /// Returns the amount, in units, that passes through one opening per application of the rule,
    /// by Torricelli's law. `head`: height of the liquid above the middle of the opening, in
    /// 1/`AMOUNT_ONE` of a cell.
    fn driven(&self, head: u64) -> u64 {
        let press = u64::from(self.press);
        // No overflow: the factors are below 2^16 and 2^25.
        (2 * press * press * head / u64::from(AMOUNT_ONE)).isqrt()
    }

    /// Sets, for each height, the largest flow into the pressed and covered cells and the outside
    /// of one connected body of liquid; `heights`: the groups of the body, sorted from the bottom
    /// up.
    fn press(&self, heights: &mut [Height]) {
        let highest = heights
            .iter()
            .rfind(|height| height.offers > 0)
            .map(|height| (height.y, height.level()));
        for same_y in heights.chunk_by_mut(|a, b| a.y == b.y) {
            let y = same_y[0].y;
            let driven = || same_y.iter().filter(|height| !height.is_surface());
            let holes = driven().fold(Height::NO_HOLES, |holes, height| height.with_holes(holes));
            let has_room = driven().any(Height::is_outside)
                || driven().map(|height| height.room).sum::<u64>() >= u64::from(self.min_flow);
            let middle = u64::from(y) * u64::from(AMOUNT_ONE) + u64::from(AMOUNT_ONE / 2);
            let above = highest.filter(|&(high, _)| high > y && has_room);
            let speed = above.map_or(0, |(_, level)| self.driven(level - middle));
            let most = holes.into_iter().find(|&holes| holes > 0).unwrap_or(0) * speed;
            same_y
                .iter_mut()
                .filter(|height| !height.is_surface())
                .for_each(|height| height.take_at_most(most));
        }
    }

    /// Computes the flow from high to low groups of cells in `heights` (the groups of one connected
    /// body, sorted from the bottom up), and sets the mean of each group whose cells level out.
    fn exchange(&self, heights: &mut [Height]) {
        let (mut low, mut high) = (0, heights.len() - 1);
        while heights[low].y < heights[high].y {
            let offered = heights[high].offers - heights[high].given;
            let room = room_left(heights, low);
            let least = if heights[low].is_surface() {
                u64::from(self.min_flow)
            } else {
                1
            };
            if offered == 0 {
                high -= 1;
            } else if room < least {
                low += 1;
            } else {
                let moved = offered.min(room);
                heights[high].given += moved;
                heights[low].taken += moved;
            }
        }
        let surfaces = heights.iter_mut().filter(|height| height.is_surface());
        surfaces.for_each(|height| height.come_level(self.min_flow));
    }
}

/// Returns the free volume that is left in the cells of `heights[number]` after the flow computed
/// so far, in units.
fn room_left(heights: &[Height], number: usize) -> u64 {
    let height = &heights[number];
    // Earlier groups at the same height share the limit.
    let before = heights[..number]
        .iter()
        .rev()
        .take_while(|before| before.y == height.y && !height.is_surface());
    let limit = height.most_taken - before.map(|before| before.taken).sum::<u64>();
    height.room.min(limit) - height.taken
}

/// Iterates over all cells in the order in which flow is apportioned: strip by strip, in each strip
/// by height, then tile by tile.
fn in_order(grid: Grid) -> impl Iterator<Item = Place> {
    let tiles = move |z: usize, y: usize| (0..grid.nx).step_by(TILE_X).map(move |x| [x, y, z]);
    let corners = (0..grid.nz)
        .step_by(TILE_Z)
        .flat_map(move |z| (0..grid.ny).flat_map(move |y| tiles(z, y)));
    corners.flat_map(move |[x, y, z]| {
        let (xs, zs) = (x..(x + TILE_X).min(grid.nx), z..(z + TILE_Z).min(grid.nz));
        zs.flat_map(move |z| xs.clone().map(move |x| [x, y, z]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{HeightKind, Surface};

    #[test]
    fn the_highest_gives_to_the_lowest_and_never_up() {
        let rule = Tracing::new(&Material::water(), Walls::Closed);
        let mut heights: Vec<_> = (0..4)
            .map(|y| Height::new((1, y, HeightKind::Surface)))
            .collect();
        heights[0].add(Surface {
            offer: 0,
            amount: 0,
            room: 1000,
        });
        heights[1].add(Surface {
            offer: 500,
            amount: 500,
            room: 300,
        });
        heights[3].add(Surface {
            offer: 900,
            amount: 900,
            room: 0,
        });
        heights[3].add(Surface {
            offer: 400,
            amount: 400,
            room: 9000,
        });
        rule.exchange(&mut heights);
        assert_eq!(
            heights
                .iter()
                .map(|h| (h.given, h.taken))
                .collect::<Vec<_>>(),
            [(0, 1000), (0, 300), (0, 0), (1300, 0)]
        );
    }

    #[test]
    fn a_height_that_gives_or_takes_comes_level_too() {
        let rule = Tracing::new(&Material::water(), Walls::Closed);
        let cell = |amount: u16| Surface {
            offer: amount,
            amount,
            room: AMOUNT_ONE - amount,
        };
        let run = |high: [u16; 4], low: [u16; 4]| {
            let mut heights = [0, 1].map(|y| Height::new((1, y, HeightKind::Surface)));
            let cells = [low, high].map(|amounts| amounts.map(cell));
            heights
                .iter_mut()
                .zip(&cells)
                .for_each(|(height, cells)| cells.iter().for_each(|&cell| height.add(cell)));
            rule.exchange(&mut heights);
            for (height, cells) in heights
                .iter_mut()
                .zip(&cells)
                .filter(|(height, _)| height.comes_level())
            {
                cells.iter().for_each(|&cell| height.add_around_mean(cell));
                height.book_level();
            }
            let after = |(height, cells): (&Height, &[Surface; 4])| {
                let mut shares = height.shares([0, 0]);
                cells.map(|cell| {
                    let [gives, takes] = shares.next(cell);
                    cell.amount - gives + takes
                })
            };
            [
                after((&heights[1], &cells[1])),
                after((&heights[0], &cells[0])),
            ]
        };
        let full = [AMOUNT_ONE; 4];
        let with_room = [AMOUNT_ONE - 4000, AMOUNT_ONE, AMOUNT_ONE, AMOUNT_ONE];
        assert_eq!(
            run([20_000, 10_000, 0, 10_000], with_room),
            [[9_000; 4], full],
            "the empty cell is filled up"
        );
        let [high, low] = run([1000, 1000, 0, 0], [10_000, 20_000, 30_000, 10_000]);
        assert_eq!(
            (high, low),
            ([0; 4], [18_000; 4]),
            "the low height comes level with what it takes"
        );
        assert_eq!(
            run([20_000, 10_000, 0, 10_000], full)[0],
            [15_000, 10_000, 5000, 10_000],
            "half at rest"
        );
    }

    #[test]
    fn pressed_cells_take_by_the_root_of_what_stands_above_them() {
        let spec = Material::water();
        let trace = crate::matter::Trace {
            press: 0.01,
            ..spec.trace.clone()
        };
        let rule = Tracing::new(&Material { trace, ..spec }, Walls::Closed);
        let (one, half) = (u64::from(AMOUNT_ONE), u64::from(AMOUNT_ONE) / 2);
        assert_eq!(
            [0, half, 2 * one, 18 * one].map(|head| rule.driven(head)),
            [0, 328, 656, 1968],
            "1 : 2 : 6"
        );
        // Three cells of liquid stand above the middle of the lowest cells; a cell as high as the
        // highest takes nothing.
        let mut heights = [
            (0, HeightKind::Covered),
            (0, HeightKind::Pressed),
            (2, HeightKind::Surface),
            (3, HeightKind::Pressed),
            (3, HeightKind::Surface),
        ]
        .map(|(y, kind)| Height::new((1, y, kind)));
        let (empty, nearly) = (
            Surface {
                offer: 0,
                amount: 0,
                room: AMOUNT_ONE,
            },
            Surface {
                offer: 0,
                amount: 9,
                room: 5,
            },
        );
        heights[0].add(nearly);
        heights[0].add_holes([0, 0, 1]);
        [empty, empty, empty]
            .into_iter()
            .for_each(|cell| heights[1].add(cell));
        heights[1].add_holes([2, 1, 0]);
        heights[2].add(Surface {
            offer: AMOUNT_ONE,
            amount: AMOUNT_ONE,
            room: 0,
        });
        heights[3].add(empty);
        heights[3].add_holes([0, 1, 0]);
        heights[4].add(Surface {
            offer: AMOUNT_ONE / 2,
            amount: AMOUNT_ONE / 2,
            room: AMOUNT_ONE / 2,
        });
        rule.press(&mut heights);
        rule.exchange(&mut heights);
        let expected = 2 * rule.driven(3 * one);
        let taken = heights.map(|height| height.taken);
        assert_eq!(
            (taken, heights[4].given),
            ([5, expected - 5, 0, 0, 0], expected)
        );
    }

    #[test]
    fn every_place_comes_once_and_tiles_stay_together() {
        let grid = Grid::new(11, 3, 6);
        let order: Vec<_> = in_order(grid).collect();
        assert_eq!(
            order[..12]
                .iter()
                .map(|&[x, y, z]| (x, y, z))
                .collect::<Vec<_>>()[6..],
            [
                (6, 0, 0),
                (7, 0, 0),
                (0, 0, 1),
                (1, 0, 1),
                (2, 0, 1),
                (3, 0, 1)
            ]
        );
        let mut sorted: Vec<_> = order.iter().map(|&place| grid.index(place)).collect();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..grid.cells()));
    }
}
