//! The article's solver: the fast one against the plain one, accounts, symmetries, and the
//! behaviour of the air.
//!
//! The expected figures are the solver's rows in the table of requirements for the air.

use crate::common::Dice;
use lavoxel_air::practical_fluid::{Plain, PracticalFluid, PracticalFluidParams};
use lavoxel_air::{AirGrid, Amounts, Field, Flows, Forces, OPEN, Openness, Side, Solver, UNIT};
use lavoxel_automaton::engine::Level;
use lavoxel_base::grid::{Grid, Place};

/// Air over some ground, with all inputs of a step.
struct Boxed {
    openness: Openness,
    amounts: Amounts,
    forces: Forces,
}

/// Number of inks in a box.
const INKS: usize = 2;

const SIDES: [Side; 3] = [Side::Wall, Side::Open, Side::Wrap];

fn columns(grid: AirGrid) -> Vec<(usize, usize)> {
    (0..grid.cells.nz)
        .flat_map(|z| (0..grid.cells.nx).map(move |x| (x, z)))
        .collect()
}

impl Boxed {
    fn empty(grid: AirGrid) -> Self {
        Self {
            openness: Openness::free(grid),
            amounts: Amounts::none(grid, true).with_inks(INKS),
            forces: Forces::default(),
        }
    }

    /// Fields of [`Boxed::random`].
    fn fields() -> impl Iterator<Item = Field> {
        Field::ALL
            .into_iter()
            .chain(Field::INKS.into_iter().take(INKS))
    }

    /// Random ground, sides, amounts and forces, with two inks.
    fn random(dice: &mut Dice, size: [usize; 3]) -> Self {
        let top = SIDES[dice.below(2) as usize];
        let sides = [
            SIDES[dice.below(3) as usize],
            top,
            SIDES[dice.below(3) as usize],
        ];
        let grid = AirGrid::new(Grid::new(size[0], size[1], size[2]), sides);
        let mut made = Self::empty(grid);
        let (solid, partly) = (
            [0, 5, 30][dice.below(3) as usize],
            [0, 50, 100][dice.below(3) as usize],
        );
        for place in grid.cells.places() {
            for axis in 0..3 {
                let open = if dice.below(100) < partly {
                    dice.below(u64::from(OPEN) + 1) as u16
                } else {
                    OPEN
                };
                made.openness.set_face(axis, place, open);
            }
            if dice.below(100) < solid {
                made.openness.set_solid(place, true);
                Self::fields().for_each(|field| made.amounts.field_mut(field)[grid.at(place)] = 0);
                continue;
            }
            for field in Self::fields().filter(|&field| field != Field::Density) {
                let most = [1, 1, 1000, 3 * UNIT][dice.below(4) as usize];
                made.amounts.field_mut(field)[grid.at(place)] = dice.below(u64::from(most)) as u32;
            }
            made.amounts.field_mut(Field::Density)[grid.at(place)] =
                UNIT / 2 + dice.below(u64::from(UNIT)) as u32;
        }
        let lift = [0.0, 0.003, 0.1][dice.below(3) as usize];
        made.forces = Forces {
            lift,
            weight: lift / 7.0,
            ..Forces::default()
        };
        if dice.below(2) == 0 {
            let component = |dice: &mut Dice| dice.below(1000) as f32 / 1000.0 - 0.5;
            made.forces.wind = (0..size[1])
                .map(|_| [component(dice), component(dice)])
                .collect();
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

    fn totals(&self) -> [i64; 8] {
        let mut totals = [0; 8];
        Self::fields().for_each(|field| totals[field as usize] = self.amounts.total(field) as i64);
        totals
    }

    /// Makes one step and checks that every field's total changed only by the returned flows, and
    /// that solid cells hold nothing.
    fn step(&mut self, solver: &mut dyn Solver) -> Flows {
        let before = self.totals();
        let flows = solver.step(&mut self.amounts, &self.openness, &self.forces);
        let after = self.totals();
        for field in Self::fields() {
            let i = field as usize;
            assert_eq!(
                before[i] - after[i],
                flows.out[i] + flows.decayed[i] as i64,
                "account of {field:?}"
            );
            if !self.grid().sides.contains(&Side::Open) {
                assert_eq!(flows.out[i], 0, "nothing leaves a closed box");
            }
        }
        for place in self
            .grid()
            .cells
            .places()
            .filter(|&place| self.openness.is_solid(place))
        {
            assert!(
                Self::fields().all(|field| self.amounts.get(field, place) == 0),
                "in the solid cell {place:?}"
            );
            assert_eq!(solver.velocity(place), [0.0; 3]);
        }
        let fastest = solver
            .planes()
            .iter()
            .flatten()
            .map(|&v| (v as i32).abs())
            .max();
        assert!(
            fastest <= Some(2 << 20),
            "no more than 2 cells a step: {fastest:?}"
        );
        flows
    }

    /// All amounts of the cells, in order.
    fn values(&self) -> Vec<u32> {
        let grid = self.grid();
        Self::fields()
            .flat_map(|field| grid.cells.places().map(move |place| (field, place)))
            .map(|(field, place)| self.amounts.get(field, place))
            .collect()
    }

    fn copy(&self) -> Self {
        Self {
            openness: self.openness.clone(),
            amounts: self.amounts.clone(),
            forces: self.forces.clone(),
        }
    }
}

fn random_params(dice: &mut Dice) -> PracticalFluidParams {
    let heat_decay = if dice.below(2) == 0 {
        [0.01, 0.004, 0.0002]
    } else {
        [0.0; 3]
    };
    let params = PracticalFluidParams {
        pressure: [0.0, 0.12, 0.24, 0.35][dice.below(4) as usize],
        filter_velocity: [0.0, 0.02, 0.16][dice.below(3) as usize],
        filter_density: [0.0, 0.1, 0.16][dice.below(3) as usize],
        heat_decay,
        still_asks: dice.below(3) > 0,
    };
    assert_eq!(params.validate(), Ok(()));
    params
}

/// Sets random velocities in all cells, some beyond the speed that a step can carry.
fn stir(dice: &mut Dice, grid: AirGrid, solvers: &mut [&mut dyn Solver]) {
    let fast = [0.0, 0.3, 3.0][dice.below(3) as usize];
    for place in grid.cells.places() {
        let velocity = [0; 3].map(|_| (dice.below(2001) as f32 / 1000.0 - 1.0) * fast);
        solvers
            .iter_mut()
            .for_each(|solver| solver.push(place, velocity));
    }
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool")
        .install(work)
}

#[test]
fn fast_and_plain_are_the_same_bits_on_all_levels_and_threads() {
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let size = [
            1 + dice.below(19) as usize,
            1 + dice.below(9) as usize,
            1 + dice.below(11) as usize,
        ];
        let size = match dice.below(6) {
            0 => [1, size[1], size[2]],
            1 => [size[0], size[1], 1],
            _ => size,
        };
        let (mut state, params) = (Boxed::random(&mut dice, size), random_params(&mut dice));
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
                let mut fast = PracticalFluid::new(grid, params.clone(), level);
                fast_state.set_ground(&mut fast);
                fast.restore(&planes).expect("planes of the same cells");
                let fast_flows: Vec<Flows> = in_pool(threads, || {
                    (0..steps).map(|_| fast_state.step(&mut fast)).collect()
                });
                let what = format!(
                    "seed {seed}, {size:?}, {:?}, {level:?}, {threads} threads, {params:?}",
                    grid.sides
                );
                assert!(fast_state.values() == state.values(), "amounts: {what}");
                assert_eq!(fast.planes(), plain.planes(), "velocities: {what}");
                assert_eq!(fast_flows, flows, "flows: {what}");
            }
        }
    }
}

/// Solver of the fastest level over a state.
fn solver(state: &Boxed, params: PracticalFluidParams) -> PracticalFluid {
    let mut solver = PracticalFluid::new(state.grid(), params, Level::fastest());
    state.set_ground(&mut solver);
    solver
}

fn boxed(size: [usize; 3], sides: [Side; 3]) -> Boxed {
    Boxed::empty(AirGrid::new(Grid::new(size[0], size[1], size[2]), sides))
}

/// Parameters without pressure and diffusion.
fn only_carried() -> PracticalFluidParams {
    PracticalFluidParams {
        pressure: 0.0,
        filter_velocity: 0.0,
        filter_density: 0.0,
        ..PracticalFluidParams::default()
    }
}

const ONE: f64 = UNIT as f64;

#[test]
fn accounts_are_exact_over_changing_ground_for_a_thousand_steps() {
    for seed in 0..4 {
        let mut dice = Dice(1000 + seed);
        let size = [
            8 + dice.below(20) as usize,
            6 + dice.below(12) as usize,
            5 + dice.below(20) as usize,
        ];
        let mut state = Boxed::random(&mut dice, size);
        let grid = state.grid();
        let mut fast = solver(&state, random_params(&mut dice));
        stir(&mut dice, grid, &mut [&mut fast]);
        let start = state.totals();
        let (mut put, mut gone) = ([0; 8], [0; 8]);
        for step in 0..250 {
            let place = size.map(|n| dice.below(n as u64) as usize);
            if step % 5 == 0 {
                // The ground changes: a closed cell buries its content, and an opened cell has air
                // at rest.
                let solid = !state.openness.is_solid(place);
                state.openness.set_solid(place, solid);
                for field in Boxed::fields() {
                    let cell = &mut state.amounts.field_mut(field)[grid.at(place)];
                    gone[field as usize] += i64::from(std::mem::take(cell));
                    if !solid && field == Field::Density {
                        *cell = UNIT;
                        put[field as usize] += i64::from(UNIT);
                    }
                }
                fast.set_ground(&state.openness, &[(place[0], place[2])]);
            } else if !state.openness.is_solid(place) {
                for field in Field::CARRIED {
                    state.amounts.field_mut(field)[grid.at(place)] += UNIT;
                    put[field as usize] += i64::from(UNIT);
                }
                fast.push(place, [0.1, 0.9, -0.3]);
            }
            let flows = state.step(&mut fast);
            for field in 0..8 {
                gone[field] += flows.out[field] + flows.decayed[field] as i64;
                assert_eq!(
                    state.totals()[field],
                    start[field] + put[field] - gone[field],
                    "seed {seed}, step {step}"
                );
            }
        }
    }
}

#[test]
fn ground_that_changed_is_the_same_as_ground_that_was_so() {
    let mut dice = Dice(77);
    for _ in 0..20 {
        let mut state = Boxed::random(&mut dice, [13, 7, 9]);
        let grid = state.grid();
        let params = random_params(&mut dice);
        let mut changed = solver(&state, params.clone());
        stir(&mut dice, grid, &mut [&mut changed]);
        for _ in 0..5 {
            let place @ [x, _, z] =
                [dice.below(13), dice.below(7), dice.below(9)].map(|n| n as usize);
            let solid = dice.below(2) == 0;
            state.openness.set_solid(place, solid);
            state.openness.set_face(
                dice.below(3) as usize,
                place,
                dice.below(u64::from(OPEN)) as u16,
            );
            Boxed::fields()
                .filter(|_| solid)
                .for_each(|f| state.amounts.field_mut(f)[grid.at(place)] = 0);
            changed.set_ground(&state.openness, &[(x, z)]);
        }
        let mut fresh = solver(&state, params);
        fresh
            .restore(&changed.planes())
            .expect("planes of the same cells");
        let mut other = state.copy();
        for _ in 0..3 {
            assert_eq!(state.step(&mut changed), other.step(&mut fresh));
        }
        assert!(state.values() == other.values() && changed.planes() == fresh.planes());
    }
}

/// Returns the state and velocity planes with axes permuted by `to`, and mirrored along x if
/// `mirror`.
fn mapped(
    state: &Boxed,
    planes: &[Vec<u32>],
    sides: [Side; 3],
    to: [usize; 3],
    mirror: bool,
) -> (Boxed, Vec<Vec<u32>>) {
    let old = state.grid();
    let size = [0, 1, 2].map(|axis| old.size()[to[axis]]);
    let mut new = boxed(size, sides);
    new.forces = state.forces.clone();
    new.forces.wind.iter_mut().for_each(|wind| {
        let [x, z] = *wind;
        *wind = if mirror {
            [-x, z]
        } else if to[0] == 2 {
            [z, x]
        } else {
            [x, z]
        };
    });
    let grid = new.grid();
    let mut turned = vec![vec![0; old.cells.cells()]; 3];
    for place in grid.cells.places() {
        let mut from = [0; 3];
        (0..3).for_each(|axis| from[to[axis]] = place[axis]);
        if mirror {
            from[0] = size[0] - 1 - from[0];
        }
        new.openness.set_solid(place, state.openness.is_solid(from));
        for field in Boxed::fields() {
            new.amounts.field_mut(field)[grid.at(place)] = state.amounts.get(field, from);
        }
        for axis in 0..3 {
            let v = planes[to[axis]][old.cells.index(from)] as i32;
            turned[axis][grid.cells.index(place)] = if mirror && axis == 0 { -v } else { v } as u32;
            let face = if mirror && axis == 0 {
                let mut next = from;
                next[0] = (from[0] + 1) % size[0];
                state
                    .openness
                    .low(0, next)
                    .max(if state.openness.is_solid(from) {
                        0
                    } else {
                        state.openness.high(0, from)
                    })
            } else {
                state.openness.low(to[axis], from)
            };
            new.openness.set_face(axis, place, face);
        }
    }
    (new, turned)
}

#[test]
fn mirrored_and_exchanged_flows_have_the_same_bits() {
    for seed in 0..24 {
        let mut dice = Dice(300 + seed);
        let mut state = Boxed::random(&mut dice, [11, 8, 9]);
        let params = random_params(&mut dice);
        let mut first = solver(&state, params.clone());
        stir(&mut dice, state.grid(), &mut [&mut first]);
        let (mirror, [x, top, z]) = (seed % 2 == 0, state.grid().sides);
        let (sides, to) = if mirror {
            ([x, top, z], [0, 1, 2])
        } else {
            ([z, top, x], [2, 1, 0])
        };
        let (mut other, planes) = mapped(&state, &first.planes(), sides, to, mirror);
        let mut second = solver(&other, params);
        second.restore(&planes).expect("planes of the same cells");
        for _ in 0..25 {
            let flows = state.step(&mut first);
            assert_eq!(flows, other.step(&mut second));
        }
        let (expected, planes) = mapped(&state, &first.planes(), sides, to, mirror);
        assert!(other.values() == expected.values(), "seed {seed}");
        assert_eq!(second.planes(), planes, "seed {seed}");
    }
}

/// Sum of a velocity component, and its mean place along x.
fn momentum(state: &Boxed, solver: &PracticalFluid) -> (i64, f64) {
    let grid = state.grid().cells;
    let plane = &solver.planes()[0];
    let of = |place: Place| f64::from(plane[grid.index(place)] as i32);
    let (sum, at) = grid.places().fold((0.0, 0.0), |(sum, at), place| {
        (sum + of(place), at + of(place) * place[0] as f64)
    });
    (sum as i64, at / sum)
}

/// Mean and variance of the ash along x, in cells.
fn spread(state: &Boxed) -> (f64, f64) {
    let grid = state.grid().cells;
    let of = |place: Place| f64::from(state.amounts.get(Field::Ash, place));
    let mean = |f: &dyn Fn(f64) -> f64| {
        let (sum, all) = grid.places().fold((0.0, 0.0), |(sum, all), p| {
            (sum + of(p) * f(p[0] as f64), all + of(p))
        });
        sum / all
    };
    let middle = mean(&|x| x);
    (middle, mean(&|x| (x - middle).powi(2)))
}

#[test]
fn a_lone_moving_cell_moves_on() {
    let mut state = boxed([64, 8, 8], [Side::Wrap, Side::Wall, Side::Wrap]);
    let grid = state.grid();
    state.amounts.field_mut(Field::Ash)[grid.at([10, 4, 4])] = UNIT;
    let mut fast = solver(&state, only_carried());
    fast.push([10, 4, 4], [0.5, 0.0, 0.0]);
    for _ in 0..60 {
        state.step(&mut fast);
    }
    let ((sum, place), (ash_place, _)) = (momentum(&state, &fast), spread(&state));
    assert_eq!(sum, i64::from(UNIT / 2), "momentum is exact");
    assert!(
        (place - 15.9).abs() < 0.2 && (ash_place - 15.7).abs() < 0.2,
        "from 10 to {place} and {ash_place}"
    );
}

#[test]
fn a_uniform_wind_moves_by_its_speed_and_spreads_by_its_grid() {
    let mut state = boxed([40, 6, 6], [Side::Wrap, Side::Wall, Side::Wrap]);
    let grid = state.grid();
    (4..12).for_each(|x| state.amounts.field_mut(Field::Ash)[grid.at([x, 3, 3])] = UNIT);
    let mut fast = solver(&state, only_carried());
    grid.cells
        .places()
        .for_each(|place| fast.push(place, [0.3, 0.0, 0.0]));
    let before = spread(&state);
    for _ in 0..20 {
        state.step(&mut fast);
    }
    let after = spread(&state);
    assert!(
        (after.0 - before.0 - 6.0).abs() < 1e-3,
        "{} cells",
        after.0 - before.0
    );
    let variance = (after.1 - before.1) / 20.0;
    assert!(
        (variance - 0.255).abs() < 1e-3,
        "v (1 - v/2) = 0.255, found {variance}"
    );
}

#[test]
fn wind_blows_through_an_open_box_as_if_it_were_not_there() {
    let mut state = boxed([12, 7, 10], [Side::Open; 3]);
    state.forces.wind = vec![[0.3, -0.2]; 7];
    let grid = state.grid();
    let mut fast = solver(&state, PracticalFluidParams::default());
    grid.cells
        .places()
        .for_each(|place| fast.push(place, [0.3, 0.0, -0.2]));
    let before = fast.planes();
    for _ in 0..50 {
        let flows = state.step(&mut fast);
        assert_eq!(flows.out, [0; 8], "as much comes in as goes out");
    }
    assert_eq!(fast.planes(), before);
    assert!(
        grid.cells
            .places()
            .all(|place| state.amounts.get(Field::Density, place) == UNIT)
    );
}

#[test]
fn sound_runs_at_the_root_of_twice_the_pressure() {
    for pressure in [0.12, 0.24, 0.35] {
        let mut state = boxed([160, 4, 4], [Side::Wrap, Side::Wall, Side::Wrap]);
        let grid = state.grid();
        for place in grid.cells.places() {
            let pulse = 0.01 * (-(place[0] as f64 - 60.0).powi(2) / 50.0).exp();
            state.amounts.field_mut(Field::Density)[grid.at(place)] += (pulse * ONE) as u32;
        }
        let mut fast = solver(
            &state,
            PracticalFluidParams {
                pressure,
                ..PracticalFluidParams::default()
            },
        );
        let crest = |state: &Boxed| {
            let high =
                |x: usize| f64::from(state.amounts.get(Field::Density, [x, 1, 1])) / ONE - 1.0;
            let top = (61..145)
                .max_by(|&a, &b| high(a).total_cmp(&high(b)))
                .unwrap_or(0);
            let over = |x: usize| (high(x) - 0.3 * high(top)).max(0.0);
            let (sum, all) = (top - 6..=top + 6).fold((0.0, 0.0), |(sum, all), x| {
                (sum + over(x) * x as f64, all + over(x))
            });
            sum / all
        };
        for _ in 0..40 {
            state.step(&mut fast);
        }
        let start = crest(&state);
        for _ in 0..40 {
            state.step(&mut fast);
        }
        let (speed, theory) = (
            (crest(&state) - start) / 40.0,
            (2.0 * f64::from(pressure)).sqrt(),
        );
        assert!(
            (speed / theory - 1.0).abs() < 0.05,
            "{speed} for {theory} at {pressure}"
        );
    }
}

#[test]
fn still_air_stays_still_over_any_ground() {
    for seed in 0..20 {
        let mut dice = Dice(500 + seed);
        let mut state = Boxed::random(&mut dice, [14, 9, 11]);
        let grid = state.grid();
        state.forces.wind.clear();
        for place in grid
            .cells
            .places()
            .filter(|&place| !state.openness.is_solid(place))
        {
            let background = state.forces.background.get(place[1]).copied().unwrap_or(0);
            for (field, value) in [
                (Field::Heat, background),
                (Field::Ash, 0),
                (Field::Steam, 0),
                (Field::Density, UNIT),
            ] {
                state.amounts.field_mut(field)[grid.at(place)] = value;
            }
            if !grid.sides.contains(&Side::Open) {
                state.amounts.field_mut(Field::Ash)[grid.at(place)] = UNIT / 3;
            }
        }
        state.forces.weight = 0.0;
        let mut fast = solver(
            &state,
            PracticalFluidParams {
                heat_decay: [0.01, 0.01, 0.0],
                ..PracticalFluidParams::default()
            },
        );
        let before = state.values();
        for _ in 0..60 {
            assert_eq!(state.step(&mut fast), Flows::default());
        }
        assert!(
            fast.planes().iter().flatten().all(|&v| v == 0) && state.values() == before,
            "seed {seed}"
        );
    }
}

#[test]
fn air_at_rest_wakes_for_whatever_comes() {
    let mut state = boxed([9, 8, 7], [Side::Open; 3]);
    let grid = state.grid();
    state.forces.lift = 0.1;
    let mut fast = solver(&state, PracticalFluidParams::default());
    let rest = |state: &mut Boxed, fast: &mut PracticalFluid| {
        (0..3).for_each(|_| assert_eq!(state.step(fast), Flows::default()))
    };
    rest(&mut state, &mut fast);
    let moves = |fast: &PracticalFluid| fast.planes().iter().flatten().any(|&v| v != 0);
    fast.push([4, 4, 4], [0.1, 0.0, 0.0]);
    state.step(&mut fast);
    assert!(moves(&fast), "a push");
    let mut fast = solver(&state, PracticalFluidParams::default());
    let mut state = boxed([9, 8, 7], [Side::Open; 3]);
    state.forces.lift = 0.1;
    rest(&mut state, &mut fast);
    state.amounts.field_mut(Field::Heat)[grid.at([4, 1, 4])] = UNIT;
    state.step(&mut fast);
    assert!(moves(&fast), "heat");
    let mut fast = solver(&state, PracticalFluidParams::default());
    let mut state = boxed([9, 8, 7], [Side::Open; 3]);
    rest(&mut state, &mut fast);
    state.forces.wind = vec![[0.2, 0.0]; 8];
    state.step(&mut fast);
    assert!(moves(&fast), "wind");
}

#[test]
fn a_dense_cell_comes_to_rest_without_ripples() {
    let mut state = boxed([24, 24, 24], [Side::Wall; 3]);
    let grid = state.grid();
    state.amounts.field_mut(Field::Density)[grid.at([12, 12, 12])] += UNIT;
    let mut fast = solver(
        &state,
        PracticalFluidParams {
            pressure: 0.35,
            ..PracticalFluidParams::default()
        },
    );
    for _ in 0..400 {
        state.step(&mut fast);
    }
    let density = |x: usize, y: usize, z: usize| {
        f64::from(state.amounts.get(Field::Density, [x, y, z])) / ONE
    };
    let inner = grid
        .cells
        .places()
        .filter(|place| place.iter().all(|n| (1..23).contains(n)));
    let wave = |[x, y, z]: Place| {
        let around = density(x - 1, y, z) + density(x + 1, y, z) + density(x, y - 1, z);
        let around = around + density(x, y + 1, z) + density(x, y, z - 1) + density(x, y, z + 1);
        (density(x, y, z) - around / 6.0).powi(2)
    };
    let ripple = (inner.map(wave).sum::<f64>() / 22f64.powi(3)).sqrt();
    assert!(ripple < 1e-4, "{ripple}");
}

#[test]
fn amounts_at_the_limit_never_wrap_around() {
    for seed in 0..10 {
        let mut dice = Dice(900 + seed);
        let size = [
            1 + dice.below(9) as usize,
            2 + dice.below(6) as usize,
            1 + dice.below(9) as usize,
        ];
        let mut state = Boxed::random(&mut dice, size);
        let grid = state.grid();
        for place in grid
            .cells
            .places()
            .filter(|&place| !state.openness.is_solid(place))
        {
            for field in Field::ALL {
                let most = [u32::MAX, u32::MAX, 1 << 27, 1 << 20][dice.below(4) as usize];
                state.amounts.field_mut(field)[grid.at(place)] = most - dice.below(5) as u32;
            }
        }
        let params = random_params(&mut dice);
        let (mut fast, mut plain) = (solver(&state, params.clone()), Plain::new(grid, params));
        state.set_ground(&mut plain);
        stir(&mut dice, grid, &mut [&mut fast, &mut plain]);
        let mut other = state.copy();
        for _ in 0..20 {
            // Both steps check the accounts: a wrap-around would be off by 2³².
            assert_eq!(state.step(&mut fast), other.step(&mut plain));
            assert!(
                state.values() == other.values() && fast.planes() == plain.planes(),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn a_saved_state_goes_on_to_the_same_bits() {
    let mut dice = Dice(41);
    let mut state = Boxed::random(&mut dice, [18, 9, 7]);
    let params = random_params(&mut dice);
    let mut fast = solver(&state, params.clone());
    stir(&mut dice, state.grid(), &mut [&mut fast]);
    state.step(&mut fast);
    let (mut other, planes) = (state.copy(), fast.planes());
    let mut again = solver(&other, params);
    again.restore(&planes).expect("its own planes");
    for _ in 0..20 {
        assert_eq!(state.step(&mut fast), other.step(&mut again));
    }
    assert!(state.values() == other.values() && fast.planes() == again.planes());
}

#[test]
fn planes_that_cannot_be_are_refused() {
    let state = boxed([4, 3, 2], [Side::Wall; 3]);
    let mut fast = solver(&state, PracticalFluidParams::default());
    fast.push([1, 1, 1], [0.5, 0.0, 0.0]);
    let before = fast.planes();
    let mut too_fast = before.clone();
    too_fast[1][5] = (2 << 20) + 1;
    let mut short = before.clone();
    short[2].pop();
    let mut lowest = before.clone();
    lowest[0][0] = i32::MIN as u32;
    for (planes, what) in [
        (&too_fast[..], "cells a step"),
        (&lowest[..], "cells a step"),
        (&short[..], "3 planes of 24 cells"),
        (&before[..2], "3 planes"),
        (&[][..], "3 planes"),
    ] {
        let message = fast.restore(planes).expect_err(what);
        assert!(message.contains(what), "{message}");
        assert_eq!(fast.planes(), before, "nothing was changed");
    }
}
