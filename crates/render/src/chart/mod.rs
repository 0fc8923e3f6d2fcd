//! Annotations of pictures: axes, colour bars, keys, map sheets, and their text.

pub(crate) mod axes;
pub(crate) mod key;
pub(crate) mod legend;
pub(crate) mod notes;
pub(crate) mod relief;
pub(crate) mod sheet;
pub mod text;
pub mod ticks;
