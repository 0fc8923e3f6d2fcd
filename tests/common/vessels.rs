//! Vessels of water for tests of liquids, and the published rules of *Grid Based Fluid Systems* as
//! a reference.
#![allow(dead_code, reason = "each test file uses its own part")]

use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::matter::{Material, Pressure, Trace};
use lavoxel_automaton::rules::RulesSpec;
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::units::AMOUNT_ONE;
use lavoxel_sim::simulation::Simulation;

/// Returns water without a pressure rule, which only falls and levels.
pub(crate) fn loose_water() -> Material {
    Material {
        pressure: Pressure::None,
        ..Material::water()
    }
}

/// Returns water with `pressure = "trace"` and default parameters.
pub(crate) fn water() -> Material {
    Material {
        pressure: Pressure::Trace,
        trace: Trace::default(),
        ..Material::water()
    }
}

/// Returns water with `pressure = "trace"` and the parameters of the published rule.
pub(crate) fn published_water() -> Material {
    let (through, min_liquid, min_pressure, min_flow) = (0.5, 0.5, 0.1, 0.1);
    // Full pressure: a cell next to a body takes as much as it has room for.
    let press = 1.0;
    let trace = Trace {
        through,
        min_liquid,
        min_pressure,
        min_flow,
        press,
        rest: false,
        ..Trace::default()
    };
    Material { trace, ..water() }
}

/// Creates an empty box with a floor of rock one cell thick.
pub(crate) fn floor(grid: Grid, water: Material) -> World {
    let mut world = World::with_materials(Ground::none(grid), vec![water]);
    fill(&mut world, [0, 0, 0], [grid.nx, 1, grid.nz], Matter::Rock);
    world
}

/// Fills the cells from the corner `from` to the corner `to` (x, y, z; `to` exclusive) with
/// `matter`.
pub(crate) fn fill(world: &mut World, from: [usize; 3], to: [usize; 3], matter: Matter) {
    let [from, to] = [from, to].map(|corner| corner.map(|v| v as f64));
    world.edit(&Edit {
        shape: Shape::Box { from, to },
        matter,
    });
}

/// Returns the matter for full cells of water.
pub(crate) fn full() -> Matter {
    Matter::Material {
        name: "water".to_owned(),
        amount: 1.0,
    }
}

pub(crate) fn run(mut world: World) -> Simulation {
    world.open_account();
    Simulation::new(
        world,
        &RulesSpec::default(),
        &[],
        1,
        Box::new(Tiled::default()),
    )
}

/// Makes `count` steps, and checks after each that the account is exact.
pub(crate) fn steps(simulation: &mut Simulation, count: u64) {
    for _ in 0..count {
        simulation.step();
        simulation.world().check().expect("the account is exact");
    }
}

pub(crate) fn amount(world: &World, place: [usize; 3]) -> f64 {
    let units = world
        .layer("water")
        .map_or(0, |layer| layer.at(place).amount);
    f64::from(units) / f64::from(AMOUNT_ONE)
}

/// Returns the amount of water in the column (`x`, `z`), in full cells.
pub(crate) fn column(world: &World, x: usize, z: usize) -> f64 {
    (0..world.grid().ny).map(|y| amount(world, [x, y, z])).sum()
}

/// Returns the height of the water surface in the column (`x`, `z`), in cells: that of the highest
/// cell that holds water and stands on rock or on water.
pub(crate) fn level(world: &World, x: usize, z: usize) -> f64 {
    let stands = |y: usize| {
        y == 0 || world.ground().is_solid([x, y - 1, z]) || amount(world, [x, y - 1, z]) > 0.5
    };
    let top = (0..world.grid().ny).rfind(|&y| amount(world, [x, y, z]) > 0.02 && stands(y));
    top.map_or(0.0, |y| y as f64 + amount(world, [x, y, z]).min(1.0))
}

/// Creates communicating vessels: `arms` arms 4 cells wide, joined at their feet by pipes 8 cells
/// long and 2 high; the first arm is filled 21 cells high. `nz`: number of cells along z.
pub(crate) fn vessels(arms: usize, nz: usize, water: Material) -> World {
    let grid = Grid::new(12 * arms - 6, 24, nz);
    let mut world = floor(grid, water);
    let mut rock = |from, to| fill(&mut world, from, to, Matter::Rock);
    rock([0, 0, 0], [1, 24, nz]);
    rock([grid.nx - 1, 0, 0], [grid.nx, 24, nz]);
    for arm in 1..arms {
        rock([12 * arm - 7, 3, 0], [12 * arm + 1, 24, nz]);
    }
    if nz > 1 {
        rock([0, 0, 0], [grid.nx, 24, 1]);
        rock([0, 0, nz - 1], [grid.nx, 24, nz]);
    }
    fill(&mut world, [1, 1, 0], [5, 22, nz], full());
    world
}

/// Returns the water level in each of the `arms` arms of `vessels`, in cells.
pub(crate) fn levels(world: &World, arms: usize) -> Vec<f64> {
    (0..arms)
        .map(|arm| level(world, 2 + 12 * arm, world.grid().nz / 2))
        .collect()
}

/// Order in which the published rule processes the cells; the article leaves the order open.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// Column by column from the left, each from its top.
    Columns,
    /// Reverse of `Columns`.
    Backward,
    /// Row by row from the floor up.
    Rows,
}

pub(crate) const ORDERS: [Order; 3] = [Order::Columns, Order::Backward, Order::Rows];

/// World of the published rules in 32-bit floats: rows of `nx` cells from the floor up. A flow is
/// limited by and subtracted from `left`, the rest of the donor cell's amount `now`, and is added
/// to `next` of the receiver.
pub(crate) struct Published {
    pub(crate) nx: usize,
    ny: usize,
    rock: Vec<bool>,
    pub(crate) now: Vec<f32>,
    next: Vec<f32>,
    left: Vec<f32>,
    order: Order,
    /// Set if the pressure rule `doPressureFlow` runs.
    traces: bool,
}

impl Published {
    const VISCOSITY: f32 = 0.7;
    const STICKYNESS: f32 = 0.0;
    const FLUIDITY: f32 = 1.0;
    const MIN_LIQUID: f32 = 0.5;
    const MIN_PRESSURE: f32 = 0.1;
    const CONNECTED: f32 = 0.5;
    const MIN_FLOW: f32 = 0.1;

    /// Creates a copy of water and rock in `world`, which is one cell thick.
    pub(crate) fn new(world: &World, order: Order, traces: bool) -> Self {
        let grid = world.grid();
        let places = || (0..grid.ny).flat_map(|y| (0..grid.nx).map(move |x| [x, y, 0]));
        let now: Vec<_> = places().map(|place| amount(world, place) as f32).collect();
        let rock = places()
            .map(|place| world.ground().is_solid(place))
            .collect();
        Self {
            nx: grid.nx,
            ny: grid.ny,
            rock,
            next: now.clone(),
            left: now.clone(),
            now,
            order,
            traces,
        }
    }

    /// Returns the index of the neighbour at the offset (`dx`, `dy`); `None` if it lies outside the
    /// box or is rock.
    fn passable(&self, at: usize, [dx, dy]: [isize; 2]) -> Option<usize> {
        let (x, y) = (
            (at % self.nx).checked_add_signed(dx)?,
            (at / self.nx).checked_add_signed(dy)?,
        );
        let to = x + y * self.nx;
        (x < self.nx && y < self.ny && !self.rock[to]).then_some(to)
    }

    fn flow(&mut self, from: usize, to: usize, flow: f32) {
        self.left[from] -= flow;
        self.next[from] -= flow;
        self.next[to] += flow;
    }

    pub(crate) fn step(&mut self) {
        self.next.copy_from_slice(&self.now);
        self.left.copy_from_slice(&self.now);
        let (nx, ny, count) = (self.nx, self.ny, self.now.len());
        for number in 0..count {
            let column = |number: usize| number / ny + (ny - 1 - number % ny) * nx;
            let at = match self.order {
                Order::Columns => column(number),
                Order::Backward => column(count - 1 - number),
                Order::Rows => number,
            };
            if !self.rock[at] {
                self.vertical(at);
                self.horizontal(at);
                if self.traces {
                    self.pressure(at);
                }
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }

    /// Applies the article's function `doVerticalFlow` to the cell `at`.
    fn vertical(&mut self, at: usize) {
        if let Some(below) = self.passable(at, [0, -1]) {
            let flow = self.left[at].min(1.0 - self.next[below]).max(0.0);
            self.flow(at, below, flow);
        }
    }

    /// Applies the article's function `doHorizontalFlow` to the cell `at`.
    fn horizontal(&mut self, at: usize) {
        let support = self
            .passable(at, [0, -1])
            .map_or(1.0, |below| self.now[below]);
        let here = self.left[at];
        if support < Self::VISCOSITY || here <= Self::STICKYNESS {
            return;
        }
        let sides = [self.passable(at, [-1, 0]), self.passable(at, [1, 0])]
            .into_iter()
            .flatten();
        let lower: Vec<_> = sides
            .clone()
            .filter(|&side| self.now[side] < here)
            .collect();
        let total = here + lower.iter().map(|&side| self.now[side]).sum::<f32>();
        let level = total / (1 + lower.len()) as f32;
        for side in sides {
            let flow = (level - self.now[side]).max(0.0) / Self::FLUIDITY;
            self.flow(at, side, flow);
        }
    }

    /// Returns the result of the article's function `isPressured` for the upward direction, without
    /// its condition on the liquid.
    fn is_pressured(&self, at: usize) -> bool {
        self.passable(at, [0, 1])
            .is_some_and(|above| 1.0 - self.now[above] >= Self::MIN_PRESSURE)
    }

    fn expand(&self, at: usize, found: &mut Vec<usize>, done: &mut [bool]) {
        for to in [[0, 1], [-1, 0], [1, 0], [0, -1]]
            .into_iter()
            .filter_map(|by| self.passable(at, by))
        {
            if !std::mem::replace(&mut done[to], true) {
                found.push(to);
            }
        }
    }

    /// Applies the article's function `doPressureFlow` to the cell `at`.
    fn pressure(&mut self, at: usize) {
        let liquid = self.left[at];
        if liquid < Self::MIN_LIQUID || !self.is_pressured(at) {
            return;
        }
        let (mut found, mut done) = (Vec::new(), vec![false; self.now.len()]);
        done[at] = true;
        self.expand(at, &mut found, &mut done);
        while let Some(to) = found.pop() {
            let there = self.now[to];
            let flow = ((liquid - there) / 2.0)
                .min(1.0 - self.next[to])
                .min(liquid)
                .max(0.0);
            let is_lower = to / self.nx <= at / self.nx && there < liquid;
            if is_lower && self.is_pressured(to) && flow > Self::MIN_FLOW {
                return self.flow(at, to, flow);
            }
            if there > Self::CONNECTED {
                self.expand(to, &mut found, &mut done);
            }
        }
    }

    /// Returns the amount of water in the column `x`, in full cells.
    pub(crate) fn column(&self, x: usize) -> f64 {
        self.now
            .iter()
            .skip(x)
            .step_by(self.nx)
            .map(|&amount| f64::from(amount))
            .sum()
    }

    /// Returns the mean x of the water relative to the middle of the box, in cells.
    pub(crate) fn mean_x(&self) -> f64 {
        let columns: Vec<_> = (0..self.nx).map(|x| self.column(x)).collect();
        mean_x(&columns)
    }
}

/// Returns the mean index of the columns relative to the middle one, weighted by the amounts
/// `columns`.
pub(crate) fn mean_x(columns: &[f64]) -> f64 {
    let middle = (columns.len() - 1) as f64 / 2.0;
    let moment: f64 = columns
        .iter()
        .enumerate()
        .map(|(x, amount)| (x as f64 - middle) * amount)
        .sum();
    moment / columns.iter().sum::<f64>()
}
