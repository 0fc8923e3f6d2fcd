//! Storage of a flow's columns: cells, blocks, summaries, checkpoints and undo.

pub(crate) mod area;
pub mod blocks;
pub(crate) mod column;
pub(crate) mod column_summary;
pub(crate) mod heights;
pub(crate) mod reach;
pub(crate) mod saved;
pub(crate) mod undo;
