//! Contents of one cell of a layer.

/// Amount and energy of one material in one cell, as whole numbers of units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Amount in units: up to [`AMOUNT_ONE`](lavoxel_base::units::AMOUNT_ONE) (1 full cell) for
    /// lava if no denser layer shares the cell volume, up to `u16::MAX` (just below 2 full cells)
    /// for all other matter.
    pub amount: u16,
    /// Energy in units, up to [`ENERGY_MAX`](lavoxel_base::units::ENERGY_MAX).
    pub energy: u16,
}
