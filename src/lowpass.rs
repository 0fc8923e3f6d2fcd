//! The low-passed density and energy that renderers show (paper, section 5).

use crate::grid::Grid;

/// Energy shown as 255, in units of [`crate::lowpass`]'s energy 1.0.
pub const ENERGY_SHOWN: f32 = 2.0;

/// What a volume renderer reads: two 8-bit fields over the grid, in [`Grid::index`] order.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Shape of both fields.
    pub grid: Grid,
    /// Low-passed amount, 0..=255 for 0..=1.
    pub density: Vec<u8>,
    /// Low-passed extensive energy, 0..=255 for 0..=[`ENERGY_SHOWN`].
    pub energy: Vec<u8>,
}
