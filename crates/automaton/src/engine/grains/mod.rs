//! Motion of grains ([`crate::rules::Turns`]) on bit words: one 32-bit word for the 32 cells of a
//! tile.
//!
//! The bit words of all strips that can take part are made from the amounts, changed by a sequence
//! of moves, and written back where they changed. A move is a fall or a *turn* (one kind of
//! sideways move). It has two halves: the moving grains are chosen by the bit words before the
//! move, then every strip applies its own moves and those from its neighbours. Invariant: each bit
//! word has one writer at a time, so that the result does not depend on the number of threads.
//!
//! The step processes a tile if something changed in its reach: in the tile or in the tiles around
//! and below, since the last step or by an earlier move of this step. Every step tries all
//! directions, so that a grain that stays where nothing changes has no way open; a grain that only
//! lighter matter or the air holds up remains marked ([`Strip::wait`](crate::world::Strip)).

mod bits;
mod fall;
mod prepare;
mod strip;
mod thick;
mod turn;

use self::fall::Fall;
use self::prepare::{Finish, FinishLighter, Prepare, is_awake};
use self::strip::{Near, StripPlan, StripWords};
use self::thick::Thick;
use self::turn::{Apply, Choose, Ways};
use super::each;
use crate::rules::{Turn, Turns, Walls};
use crate::world::{Barriers, Ground, Layer, Reader, Words, World, denser, lighter_grains};
use lavoxel_base::grid::Grid;
use lavoxel_base::random::{Draw, StepKey};
use lavoxel_base::simd::Level;
use lavoxel_base::units::AMOUNT_ONE;

/// Minimum number of tiles to process for which several threads are used; with fewer, waking
/// another thread takes longer than the work.
const LEAST_SHARED: usize = 512;

/// Scratch memory for the motion of grains; both lists have one element for each strip that takes
/// part in the step.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    states: Vec<StripWords>,
    plans: Vec<StripPlan>,
}

/// Layers whose matter grains cannot enter.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    /// Layers of still matter and of heavier grains.
    heavier: &'a [Layer],
    /// Layers of fluids denser than the grains.
    denser: &'a [Layer],
    /// Smallest amounts in a cell that block a grain, in units: first of the matter of `heavier`,
    /// then of the matter of `denser`.
    bars: [u16; 2],
}

/// Inputs that all moves (fall and sideways moves) of a step share.
struct Step<'a, R> {
    level: Level,
    rule: &'a R,
    draw: Draw,
    ground: &'a Ground,
    around: Surroundings<'a>,
    /// z index of the first strip that takes part in the step.
    from: usize,
    /// Bit words of a fictitious strip that stands for the neighbours of the first and the last
    /// strip of the grid.
    outside: StripWords,
    thick: Thick<'a>,
    /// Air drag in this step: hash key of the random numbers, and probability in 1/256 with which a
    /// grain stays suspended.
    hangs: (StepKey, u16),
}

/// Moves the grains of the layer with index `layer` for one step.
pub(super) fn run<R: Turns>(
    scratch: &mut Scratch,
    level: Level,
    world: &mut World,
    (layer, rule): (usize, &R),
    draw: Draw,
) {
    world.wake_beside_heavier(layer);
    if layer == 0 || !world.layers[layer - 1].is_grains() {
        world.wake_grains();
    }
    // Layers come as heavier, own, lighter grains, denser fluids, other fluids; each pass borrows
    // only the slices that it needs.
    let World {
        grid,
        ground,
        layers,
        ..
    } = world;
    let (heavier, rest) = layers.split_at_mut(layer);
    let (own, rest) = rest.split_first_mut().expect("there is such a layer");
    let (lighter, fluids) = rest.split_at_mut(lighter_grains(rest));
    let (denser, fluids) = fluids.split_at(denser(fluids, own));
    if own.wake_under(Reader::Column, &rule.numbers(draw.seed), ground) {
        own.strips
            .iter_mut()
            .for_each(|strip| strip.grains.barriers = None);
    }
    let (scatters, turns): (Vec<_>, _) = (rule.scatters(draw).collect(), rule.turns(draw));
    let (key, share) = rule.held_up(draw);
    let Some((from, to)) = reach(own, scatters.len() + turns.len()) else {
        return;
    };
    let is_any = share > 0
        && (!lighter.is_empty()
            || fluids
                .iter()
                .any(|fluid| fluid.strips.iter().any(|s| s.tiles() > 0)));
    let step = Step {
        level,
        rule,
        draw,
        ground,
        around: Surroundings {
            heavier,
            denser,
            bars: R::BARS,
        },
        from,
        outside: outside(*grid, rule.walls()),
        thick: Thick {
            is_any,
            fluids,
            tz: 0,
            key,
            share,
            thin: R::THIN,
        },
        hangs: rule.hangs(draw),
    };
    scratch
        .states
        .resize_with(scratch.states.len().max(to - from), StripWords::default);
    scratch
        .plans
        .resize_with(scratch.plans.len().max(to - from), StripPlan::default);
    let (states, plans) = (
        &mut scratch.states[..to - from],
        &mut scratch.plans[..to - from],
    );
    step.prepare(own, states, plans);
    step.prepare_lighter(lighter, states);
    step.look(states, plans);
    step.scatter(&scatters, states, plans);
    step.fall(states, plans);
    for (number, &turn) in turns.iter().enumerate() {
        if !step.turn((number, turn), states, plans) {
            break;
        }
    }
    step.finish(own, states, plans);
    step.finish_lighter(lighter, states);
}

/// Returns the range of strips that the step may change, as first z index and last plus one; `None`
/// if no tile is marked. Each of the `turns` sideways moves can carry a change two strips further:
/// from a changed tile to a tile that reads the change, and from there to a tile that a grain
/// enters.
fn reach(layer: &Layer, turns: usize) -> Option<(usize, usize)> {
    let from = layer.awake.iter().position(|&awake| awake)?;
    let to = layer.awake.iter().rposition(|&awake| awake)? + 1;
    let margin = 2 * turns + 2;
    Some((
        from.saturating_sub(margin),
        (to + margin).min(layer.strips.len()),
    ))
}

/// Creates the fictitious strip beyond the first and the last strip of the grid: all cells blocked
/// if `walls` are closed, free if they are open.
fn outside(grid: Grid, walls: Walls) -> StripWords {
    let barred = Words::filled(grid, if walls == Walls::Open { 0 } else { u32::MAX });
    let barriers = Barriers {
        barred,
        ..Barriers::default()
    };
    StripWords {
        is_there: true,
        held: Words::filled(grid, 0),
        barriers,
        ..StripWords::default()
    }
}

impl<R: Turns> Step<'_, R> {
    /// Returns the states (bit words) of the strip with index `i` in `states` and of its neighbours
    /// to the north and south.
    fn near<'s>(&'s self, states: &'s [StripWords], i: usize) -> Near<'s> {
        let north = i.checked_sub(1).map_or(&self.outside, |i| &states[i]);
        Near([
            north,
            &states[i],
            states.get(i + 1).unwrap_or(&self.outside),
        ])
    }

    /// Returns the lighter matter that exerts drag on the grains of a strip; `i`: index of the
    /// strip, counted from the first strip that takes part in the step.
    fn thick(&self, i: usize) -> Thick<'_> {
        Thick {
            tz: self.from + i,
            ..self.thick
        }
    }

    /// Makes the bit words of all strips in the step from the amounts of the layer `own`.
    fn prepare(&self, own: &mut Layer, states: &mut [StripWords], plans: &mut [StripPlan]) {
        for (i, state) in states.iter_mut().enumerate() {
            state.is_there = own.is_near(self.from + i);
        }
        let is_much = own.strips[self.from..][..states.len()]
            .iter()
            .map(|strip| strip.work)
            .sum::<usize>()
            > LEAST_SHARED;
        let reads = own.clock.last();
        let strips = &mut own.strips[self.from..][..states.len()];
        let mut parts: Vec<_> = strips.iter_mut().zip(states).zip(plans).collect();
        each(&mut parts, is_much, |i, ((strip, state), plan)| {
            plan.clear(strip);
            state.clear(strip);
            if !state.is_there {
                return;
            }
            let Self {
                level,
                ground,
                around,
                ..
            } = *self;
            let tz = self.from + i;
            level.run(Prepare {
                tz,
                strip,
                state,
                ground,
                walls: self.rule.walls(),
                around,
                reads,
            });
        });
    }

    /// Takes the bit words of the layers of lighter grains, which the grains of this layer can
    /// displace, from `lighter` into `states`.
    fn prepare_lighter(&self, lighter: &mut [Layer], states: &mut [StripWords]) {
        for (i, state) in states.iter_mut().enumerate() {
            state.lighter.resize_with(lighter.len(), Default::default);
            if !state.is_there {
                continue;
            }
            for (layer, words) in lighter.iter_mut().zip(&mut state.lighter) {
                let strip = &mut layer.strips[self.from + i];
                words.held = strip
                    .grains
                    .held
                    .take()
                    .map_or_else(|| strip.grains(self.ground.grid()), |held| *held);
                words.touched.clear(strip.len(), strip.width);
            }
        }
    }

    /// Marks for the fall the tiles in and around which cells changed since the last step or in the
    /// last move.
    fn look(&self, states: &[StripWords], plans: &mut [StripPlan]) {
        let [flow, _] = self.rule.goes_level();
        each(plans, false, |i, plan| {
            if states[i].is_there {
                plan.look_around_changes(self.near(states, i), flow);
            }
        });
    }

    /// Makes the sideways moves `turns` that scatter falling grains before the fall: each move
    /// carries grains diagonally down, based on the state after the preceding move. Marks the cells
    /// that grains left and entered, so that the fall processes them.
    fn scatter(&self, turns: &[Turn], states: &mut [StripWords], plans: &mut [StripPlan]) {
        for &turn in turns {
            let [_, level] = self.rule.goes_level();
            for (i, plan) in plans
                .iter_mut()
                .enumerate()
                .filter(|(i, _)| states[*i].is_there)
            {
                plan.list_all(self.near(states, i), level);
            }
            self.turn((0, turn), states, plans);
            self.look(states, plans);
        }
    }

    /// Moves falling grains one cell down, then lists the tiles whose grains may move sideways
    /// afterwards.
    fn fall(&self, states: &mut [StripWords], plans: &mut [StripPlan]) {
        let [flow, level] = self.rule.goes_level();
        let is_much = plans.iter().map(|plan| plan.look.count()).sum::<usize>() > LEAST_SHARED;
        let mut parts: Vec<_> = states.iter_mut().zip(plans.iter_mut()).collect();
        each(&mut parts, is_much, |i, (state, plan)| {
            if state.is_there {
                state.changed.clear_all();
                self.level.run(Fall {
                    state,
                    plan,
                    thick: self.thick(i),
                    hangs: self.hangs,
                });
            }
        });
        let strips = &*states;
        each(plans, is_much, |i, plan| {
            if strips[i].is_there {
                let near = self.near(strips, i);
                plan.look_around_changes(near, flow);
                plan.list_all(near, level);
            }
        });
    }

    /// Makes the sideways move `turn`, which has the index `number` in the step; returns false if
    /// no later sideways move of the step can move a grain.
    fn turn(
        &self,
        (number, turn): (usize, Turn),
        states: &mut [StripWords],
        plans: &mut [StripPlan],
    ) -> bool {
        let is_much = plans.iter().map(|plan| plan.list.len()).sum::<usize>() > LEAST_SHARED;
        let strips = &*states;
        each(plans, is_much, |i, plan| {
            if !strips[i].is_there {
                return;
            }
            let (near, rule) = (self.near(strips, i), self.rule);
            if number > 0 {
                plan.list_around_changes(near, rule.goes_level());
            }
            let thick = self.thick(i);
            let ways = Ways {
                near,
                rule,
                turn,
                draw: self.draw,
                thick,
                heavier: self.around.heavier,
            };
            self.level.run(Choose { plan, ways });
        });
        let [_, _, dz] = turn.way();
        let plans = &*plans;
        let count = states.len();
        each(states, is_much, |i, state| {
            state.changed.clear_all();
            if !state.is_there {
                return;
            }
            let mut apply = Apply { state, turn };
            // A grain that crosses the end of the strips that take part leaves the simulation box:
            // the margin of `reach` keeps all others inside.
            apply.own(
                &plans[i],
                i.checked_add_signed(dz)
                    .is_none_or(|beside| beside >= count),
            );
            let source = i.checked_add_signed(-dz).and_then(|i| plans.get(i));
            if let Some(source) = source.filter(|_| dz != 0) {
                apply.receive_from_neighbour(source);
            }
        });
        plans.iter().any(|plan| !plan.list.is_empty())
    }

    /// Writes the changed bit words back as amounts of the layer `own`, and books the grains that
    /// left the simulation box as outflow.
    fn finish(&self, own: &mut Layer, states: &mut [StripWords], plans: &[StripPlan]) {
        let is_much = states
            .iter()
            .map(|state| state.touched.count())
            .sum::<usize>()
            > LEAST_SHARED;
        let left: u64 = states
            .iter()
            .filter(|state| state.is_there)
            .map(|state| state.left)
            .sum();
        own.ledger.outflow += left * u64::from(AMOUNT_ONE);
        let strips = &mut own.strips[self.from..][..states.len()];
        let mut parts: Vec<_> = strips.iter_mut().zip(states).zip(plans).collect();
        each(&mut parts, is_much, |_, ((strip, state), plan)| {
            if state.is_there {
                self.level.run(Finish { strip, state, plan });
            }
        });
        for (awake, strip) in own.awake[self.from..].iter_mut().zip(strips) {
            *awake = is_awake(strip);
        }
    }

    fn finish_lighter(&self, lighter: &mut [Layer], states: &mut [StripWords]) {
        for (k, layer) in lighter.iter_mut().enumerate() {
            for (i, state) in states
                .iter_mut()
                .enumerate()
                .filter(|(_, state)| state.is_there)
            {
                let (strip, lighter) = (&mut layer.strips[self.from + i], &mut state.lighter[k]);
                self.level.run(FinishLighter { strip, lighter });
                layer.awake[self.from + i] |= is_awake(strip);
            }
        }
    }
}
