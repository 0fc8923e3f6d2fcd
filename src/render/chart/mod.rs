//! Writing and measure around pictures: axes, colour bars, keys, sheets of maps.

pub(in crate::render) mod axes;
pub(in crate::render) mod key;
pub(crate) mod legend;
pub(in crate::render) mod notes;
pub(in crate::render) mod relief;
pub(in crate::render) mod sheet;
pub(crate) mod text;
pub(crate) mod ticks;
