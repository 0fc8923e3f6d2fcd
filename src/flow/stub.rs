//! Signatures only, until the engine is merged: do not commit changes of this file.
#![allow(missing_docs, unused, clippy::todo, clippy::unimplemented, clippy::missing_errors_doc)]
use super::{FlowAccount, FlowBox, FlowCell, FlowColumn, FlowPour, FlowSetup};
use crate::validate::Invalid;

/// A flow: its ground, its liquid, its ledgers.
#[derive(Clone, Debug)]
pub struct Flow {
    space: FlowBox,
}

/// What a checkpoint keeps of a flow (serde).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FlowState {
    step: u64,
}

impl Flow {
    /// `ground`: height of the ground in each column, in metres above the box's floor, `z · nx + x`.
    /// # Errors: wrong setup numbers (key prefix `flow`).
    pub fn new(space: FlowBox, setup: FlowSetup, ground: &[f64]) -> Result<Self, Invalid> { todo!() }
    /// Makes a whole cell rock (`true`) or empty (`false`) before the first step: caves and overhangs.
    pub fn set_rock(&mut self, place: [usize; 3], rock: bool) { todo!() }
    /// Bytes that a flow takes at most at its start.
    pub fn need(space: FlowBox) -> u64 { todo!() }
    pub fn space(&self) -> FlowBox { todo!() }
    pub fn setup(&self) -> &FlowSetup { todo!() }
    /// One step of `setup.step_s` seconds.
    pub fn step(&mut self, pours: &[FlowPour]) { todo!() }
    pub fn steps(&self) -> u64 { todo!() }
    pub fn time_s(&self) -> f64 { todo!() }
    pub fn account(&self) -> &FlowAccount { todo!() }
    /// Ledgers exact, nothing in rock, nothing floats.
    pub fn check(&self) -> Result<(), String> { todo!() }
    /// `place` = [x, y, z]; y may lie above the box's top (empty) .
    pub fn cell(&self, place: [usize; 3]) -> FlowCell { todo!() }
    pub fn column(&self, column: usize) -> FlowColumn { todo!() }
    /// Lowest level of a column whose cell may be anything but whole original rock, and one past the highest that is not empty air.
    pub fn levels(&self, column: usize) -> std::ops::Range<usize> { todo!() }
    /// Columns whose cells (amount, heat or rock) changed in the last step, ascending.
    pub fn changed(&self) -> Vec<u32> { todo!() }
    /// Whether nothing is liquid.
    pub fn is_dry(&self) -> bool { todo!() }
    /// Hash of all that decides what comes next.
    pub fn hash(&self) -> u64 { todo!() }
    pub fn state(&self) -> FlowState { todo!() }
    /// # Errors: a damaged state.
    pub fn restore(&mut self, state: FlowState) -> Result<(), String> { todo!() }
    /// Reynolds-like warning, longest reach etc. are worked out by the caller from columns.
    pub fn placeholder(&self) {}
}
