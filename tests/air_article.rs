//! The article's solver: the fast one beside the plain one, accounts, symmetries, and what the air does.

mod common;

use common::Dice;
use lavoxel::air::article::{Article, ArticleParams, Plain};
use lavoxel::air::{AirGrid, Amounts, Field, Flows, Forces, OPEN, Openness, Side, Solver, UNIT};
use lavoxel::engine::Level;
use lavoxel::grid::Grid;

/// Air over some ground, with all that a step needs.
struct Box_ {
    openness: Openness,
    amounts: Amounts,
    forces: Forces,
}

const SIDES: [Side; 3] = [Side::Wall, Side::Open, Side::Wrap];

fn columns(grid: AirGrid) -> Vec<(usize, usize)> {
    (0..grid.cells.nz).flat_map(|z| (0..grid.cells.nx).map(move |x| (x, z))).collect()
}

impl Box_ {
    fn empty(grid: AirGrid) -> Self {
        Self { openness: Openness::free(grid), amounts: Amounts::none(grid, true), forces: Forces::default() }
    }

    /// Any ground, sides, amounts and forces.
    fn random(dice: &mut Dice, size: [usize; 3]) -> Self {
        let top = SIDES[dice.below(2) as usize];
        let sides = [SIDES[dice.below(3) as usize], top, SIDES[dice.below(3) as usize]];
        let grid = AirGrid::new(Grid::new(size[0], size[1], size[2]), sides);
        let mut made = Self::empty(grid);
        let (solid, partly) = ([0, 5, 30][dice.below(3) as usize], [0, 50, 100][dice.below(3) as usize]);
        for place in grid.cells.places() {
            for axis in 0..3 {
                let open = if dice.below(100) < partly { dice.below(u64::from(OPEN) + 1) as u16 } else { OPEN };
                made.openness.set_face(axis, place, open);
            }
            if dice.below(100) < solid {
                made.openness.set_solid(place, true);
                Field::ALL.iter().for_each(|&field| made.amounts.field_mut(field)[grid.at(place)] = 0);
                continue;
            }
            for field in Field::CARRIED {
                let most = [1, 1, 1000, 3 * UNIT][dice.below(4) as usize];
                made.amounts.field_mut(field)[grid.at(place)] = dice.below(u64::from(most)) as u32;
            }
            made.amounts.field_mut(Field::Density)[grid.at(place)] = UNIT / 2 + dice.below(u64::from(UNIT)) as u32;
        }
        let lift = [0.0, 0.003, 0.1][dice.below(3) as usize];
        made.forces = Forces { lift, weight: lift / 7.0, ..Forces::default() };
        if dice.below(2) == 0 {
            let component = |dice: &mut Dice| dice.below(1000) as f32 / 1000.0 - 0.5;
            made.forces.wind = (0..size[1]).map(|_| [component(dice), component(dice)]).collect();
        }
        if dice.below(2) == 0 {
            made.forces.background = (0..size[1] as u32).map(|y| 3000 + 1700 * y).collect();
        }
        if dice.below(3) == 0 {
            made.forces.friction = [0.1, 0.003, [0.0, 0.0005][dice.below(2) as usize]];
        }
        made
    }

    fn grid(&self) -> AirGrid {
        self.openness.grid()
    }

    fn set_ground(&self, solver: &mut dyn Solver) {
        solver.set_ground(&self.openness, &columns(self.grid()));
    }

    fn totals(&self) -> [i64; 4] {
        Field::ALL.map(|field| self.amounts.total(field) as i64)
    }

    /// One step, after which every field has what it had, but for what the step says; solid cells hold nothing.
    fn step(&mut self, solver: &mut dyn Solver) -> Flows {
        let before = self.totals();
        let flows = solver.step(&mut self.amounts, &self.openness, &self.forces);
        let after = self.totals();
        for field in Field::ALL {
            let i = field as usize;
            assert_eq!(before[i] - after[i], flows.out[i] + flows.decayed[i] as i64, "account of {field:?}");
            if !self.grid().sides.contains(&Side::Open) {
                assert_eq!(flows.out[i], 0, "nothing leaves a closed box");
            }
        }
        for place in self.grid().cells.places().filter(|&place| self.openness.is_solid(place)) {
            assert!(Field::ALL.iter().all(|&field| self.amounts.get(field, place) == 0), "in the solid cell {place:?}");
            assert_eq!(solver.velocity(place), [0.0; 3]);
        }
        flows
    }

    /// All amounts of the cells, in their order.
    fn values(&self) -> Vec<u32> {
        let grid = self.grid();
        Field::ALL
            .iter()
            .flat_map(|&field| grid.cells.places().map(move |place| (field, place)))
            .map(|(field, place)| self.amounts.get(field, place))
            .collect()
    }

    fn copy(&self) -> Self {
        Self { openness: self.openness.clone(), amounts: self.amounts.clone(), forces: self.forces.clone() }
    }
}

fn random_params(dice: &mut Dice) -> ArticleParams {
    let heat_decay = if dice.below(2) == 0 { [0.01, 0.004, 0.0002] } else { [0.0; 3] };
    let params = ArticleParams {
        pressure: [0.0, 0.12, 0.24, 0.35][dice.below(4) as usize],
        filter_velocity: [0.0, 0.02, 0.16][dice.below(3) as usize],
        filter_density: [0.0, 0.1, 0.16][dice.below(3) as usize],
        heat_decay,
        still_asks: dice.below(3) > 0,
    };
    assert_eq!(params.validate(), Ok(()));
    params
}

/// Velocities of all cells, some beyond what a step can carry.
fn stir(dice: &mut Dice, grid: AirGrid, solvers: &mut [&mut dyn Solver]) {
    let fast = [0.0, 0.3, 3.0][dice.below(3) as usize];
    for place in grid.cells.places() {
        let velocity = [0; 3].map(|_| (dice.below(2001) as f32 / 1000.0 - 1.0) * fast);
        solvers.iter_mut().for_each(|solver| solver.push(place, velocity));
    }
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work)
}

#[test]
fn fast_and_plain_are_the_same_bits_on_all_levels_and_threads() {
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let size = [1 + dice.below(19) as usize, 1 + dice.below(9) as usize, 1 + dice.below(11) as usize];
        let size = match dice.below(6) {
            0 => [1, size[1], size[2]],
            1 => [size[0], size[1], 1],
            _ => size,
        };
        let (mut state, params) = (Box_::random(&mut dice, size), random_params(&mut dice));
        let grid = state.grid();
        let mut plain = Plain::new(grid, params.clone());
        state.set_ground(&mut plain);
        stir(&mut dice, grid, &mut [&mut plain]);
        let (first, planes) = (state.copy(), plain.planes());
        let steps = 12;
        let flows: Vec<Flows> = (0..steps).map(|_| state.step(&mut plain)).collect();
        for &level in Level::available() {
            for threads in [1, 2, 5] {
                let mut fast_state = first.copy();
                let mut fast = Article::new(grid, params.clone(), level);
                fast_state.set_ground(&mut fast);
                fast.restore(&planes).expect("planes of the same cells");
                let fast_flows: Vec<Flows> =
                    in_pool(threads, || (0..steps).map(|_| fast_state.step(&mut fast)).collect());
                let what = format!("seed {seed}, {size:?}, {:?}, {level:?}, {threads} threads, {params:?}", grid.sides);
                assert!(fast_state.values() == state.values(), "amounts: {what}");
                assert_eq!(fast.planes(), plain.planes(), "velocities: {what}");
                assert_eq!(fast_flows, flows, "flows: {what}");
            }
        }
    }
}
