//! Columns of a flow: their cells, where they are kept, and how they are saved and taken back.

pub(in crate::flow) mod area;
pub(crate) mod blocks;
pub(in crate::flow) mod column;
pub(in crate::flow) mod heights;
pub(in crate::flow) mod lean;
pub(in crate::flow) mod reach;
pub(in crate::flow) mod saved;
pub(in crate::flow) mod undo;
