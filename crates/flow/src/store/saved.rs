//! State of a flow as saved in checkpoints, and the hash of that state.

use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::melt::{SolidColumn, Solids};
use crate::motion::plan::Plan;
use crate::store::blocks::Blocks;
use crate::store::column::{Column, Slab};
use crate::store::heights::Heights;
use crate::{Flow, FlowAccount, FlowBox, FlowCell, FlowWatch, Mark, UNITS};

/// Saved state of a flow for a checkpoint: all values that determine later steps or appear in a
/// report. Invariant: two flows with identical future steps have equal saved states, however their
/// columns are stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowState {
    steps: u64,
    account: FlowAccount,
    ground: Heights,
    /// Columns that differ from bare ground, in ascending order of their numbers.
    columns: Vec<SavedColumn>,
    solids: Option<Solids>,
    watch: FlowWatch,
}

/// Largest absolute heat deficit of a column's crust, in units of heat, that is accepted from a
/// file.
const MOST_CRUST: i64 = 1 << 56;
/// Largest number of steps that is accepted from a file.
const MOST_STEPS: u64 = 1 << 48;

impl FlowState {
    /// Upper bound of the memory in bytes of the blocks of the saved columns after
    /// `Flow::restore` in a flow in the box `space`.
    pub fn need(&self, space: FlowBox) -> u64 {
        Flow::need_of_blocks_around(
            space,
            self.columns.iter().map(|saved| saved.number as usize),
        )
    }

    /// 64-bit XXH3 hash of the state in postcard encoding, as stored in a checkpoint.
    pub fn hash(&self) -> u64 {
        let hashed = postcard::serialize_with_flavor(self, Hashed(Xxh3::new()));
        hashed.expect("a state has lists of known length only, and the hash takes all bytes")
    }
}

/// Saved cells, crust and history of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedColumn {
    number: u32,
    base: u32,
    cells: Vec<FlowCell>,
    crust: i64,
    slab: Slab,
    mark: Mark,
}

impl Flow {
    /// Returns a copy of the state of the flow for a checkpoint.
    pub fn state(&self) -> FlowState {
        // Names every field, so that a new one cannot be forgotten: the fields left out follow from
        // the scene and from the saved ones, or concern the last step alone.
        let Self {
            space: _,
            setup: _,
            clock: _,
            tables: _,
            ground,
            columns,
            leans: _,
            marks,
            solids,
            melted: _,
            has_loose: _,
            faces: _,
            wet: _,
            covered: _,
            covered_cells: _,
            changed: _,
            changed_area: _,
            plan: _,
            is_disturbed: _,
            stop: _,
            was_stopped: _,
            work: _,
            steps,
            stamp: _,
            account,
            watch,
        } = self;
        let save = |(c, column): (usize, &Column)| SavedColumn {
            number: c as u32,
            base: column.base as u32,
            cells: used(&column.cells).to_vec(),
            crust: column.crust,
            slab: column.slab,
            mark: marks[c],
        };
        let columns = columns
            .iter()
            .filter(|&(c, column)| self.is_changed(c, column))
            .map(save)
            .collect();
        let solids = solids
            .as_ref()
            .map(|solids| solids.iter().map(SolidColumn::trimmed).collect());
        FlowState {
            steps: *steps,
            account: *account,
            ground: ground.clone(),
            columns,
            solids,
            watch: *watch,
        }
    }

    /// Returns true if column `c` differs from bare ground that lava never reached, so that a
    /// checkpoint must contain the column.
    fn is_changed(&self, c: usize, column: &Column) -> bool {
        let ground = Column::of_ground(self.ground.at(c));
        let is_ground = column.base == ground.base
            && used(&column.cells) == used(&ground.cells)
            && column.crust == 0
            && column.slab == Slab::default();
        !(is_ground && self.marks[c] == Mark::NONE)
    }

    /// Replaces the present state by `state`, which was saved from a flow with the same box and
    /// setup.
    ///
    /// # Errors
    ///
    /// Names the fault of the state; the flow is then unchanged.
    pub fn restore(&mut self, state: FlowState) -> Result<(), String> {
        let (columns, top) = (self.space.columns(), self.space.ny);
        if state.ground.len() != columns {
            return Err(format!(
                "flow: {} columns for a box of {columns}",
                state.ground.len()
            ));
        }
        if !state.ground.are_below(top) {
            return Err("flow: ground above the box".to_owned());
        }
        if !state.account.can_be() || !state.watch.can_be(columns) || state.steps > MOST_STEPS {
            return Err("flow: a sum that cannot be".to_owned());
        }
        let is_whole = |saved: &SavedColumn| {
            let holds = |cell: &FlowCell| {
                cell.amount >= 0 && cell.heat >= 0 && (0..=UNITS).contains(&cell.rock)
            };
            saved.base as usize <= top
                && (-MOST_CRUST..=MOST_CRUST).contains(&saved.crust)
                && saved.slab.can_be()
                && saved.mark.can_be()
                && saved.cells.len() <= top + 1024
                && saved.cells.iter().all(holds)
        };
        let is_next = |pair: &[SavedColumn]| pair[0].number < pair[1].number;
        let is_inside = state
            .columns
            .last()
            .is_none_or(|last| (last.number as usize) < columns);
        if !is_inside
            || !state.columns.windows(2).all(is_next)
            || !state.columns.iter().all(is_whole)
        {
            return Err("flow: a column that cannot be".to_owned());
        }
        let solids = state.solids.as_ref();
        if solids.is_some() != self.solids.is_some()
            || solids.is_some_and(|solids| !can_be(solids, columns, top))
        {
            return Err("flow: solid that cannot be".to_owned());
        }
        // Built in a copy, so that a faulty state leaves this flow unchanged.
        let old: Vec<u32> = self.columns.iter().map(|(c, _)| c as u32).collect();
        let mut flow = self.clone();
        flow.clear(state.ground);
        flow.reach(state.columns.iter().map(|saved| saved.number));
        for saved in state.columns {
            let c = saved.number as usize;
            flow.columns[c] = Column {
                base: saved.base as i32,
                cells: saved.cells.into(),
                crust: saved.crust,
                slab: saved.slab,
                ..Column::default()
            };
            flow.marks[c] = saved.mark;
        }
        (flow.steps, flow.account, flow.solids) = (state.steps, state.account, state.solids);
        flow.watch = state.watch;
        (flow.has_loose, flow.is_disturbed) = (true, true);
        flow.find_runs();
        let moved = flow
            .marks
            .iter()
            .filter(|(_, mark)| mark.speed != 0.0)
            .map(|(c, _)| c as u32);
        flow.plan.resume(moved);
        flow.check()?;
        flow.changed = flow
            .columns
            .iter()
            .map(|(c, _)| c as u32)
            .chain(old)
            .collect();
        flow.changed.sort_unstable();
        flow.changed.dedup();
        *self = flow;
        Ok(())
    }

    /// Frees the blocks of all columns, and replaces the ground heights by `ground`.
    fn clear(&mut self, ground: Heights) {
        let columns = ground.len();
        (self.ground, self.plan) = (ground, Plan::new(columns));
        (self.columns, self.leans) = (Blocks::new(columns), Blocks::new(columns));
        (self.marks, self.faces) = (Blocks::at_rest(columns, Mark::NONE), Blocks::new(columns));
        // The next step writes the cover again, and the columns of the old cover may be gone.
        self.covered.clear();
        self.covered_cells.clear();
        self.reach_all_that_melts();
    }

    /// 64-bit XXH3 hash of [`Flow::state`]; equal for flows with identical future steps.
    pub fn hash(&self) -> u64 {
        self.state().hash()
    }
}

/// Serializer output that hashes the serialized bytes instead of storing them.
struct Hashed(Xxh3);

impl Flavor for Hashed {
    type Output = u64;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.update(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<u64> {
        Ok(self.0.digest())
    }
}

/// Slice of a column's `cells` (from the bottom up) without the empty cells at the top.
fn used(cells: &[FlowCell]) -> &[FlowCell] {
    let used = cells
        .iter()
        .rposition(|cell| *cell != FlowCell::default())
        .map_or(0, |last| last + 1);
    &cells[..used]
}

/// Returns true if all values of `solids` are in their ranges for a box with `columns` columns of
/// `top` cells.
fn can_be(solids: &Solids, columns: usize, top: usize) -> bool {
    solids.len() == columns && solids.iter().all(|solid| solid.is_sound(top))
}
