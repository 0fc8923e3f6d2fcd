//! Writing and measure around pictures: axes, colour bars, keys, sheets of maps.

pub(crate) mod axes;
pub(crate) mod key;
pub(crate) mod legend;
pub(crate) mod notes;
pub(crate) mod relief;
pub(crate) mod sheet;
pub mod text;
pub mod ticks;
