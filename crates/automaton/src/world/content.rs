//! Content of one cell of a layer.

/// Amount and energy of one cell, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Amount in units: 0..=[`AMOUNT_ONE`](lavoxel_base::units::AMOUNT_ONE) for lava from which
    /// nothing takes room, up to `u16::MAX` (just below 2 cells) for all other matter.
    pub amount: u16,
    /// Energy in units, 0..=[`ENERGY_MAX`](lavoxel_base::units::ENERGY_MAX).
    pub energy: u16,
}
