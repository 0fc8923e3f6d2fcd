//! Columns of a flow: their cells, where they are kept, and how they are saved and taken back.

pub(crate) mod area;
pub mod blocks;
pub(crate) mod column;
pub(crate) mod heights;
pub(crate) mod lean;
pub(crate) mod reach;
pub(crate) mod saved;
pub(crate) mod undo;
