//! Contents of one cell of a liquid.

/// Amount and energy of one cell, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Amount, 0..=[`AMOUNT_ONE`](lavoxel_base::units::AMOUNT_ONE).
    pub amount: u16,
    /// Energy, 0..=[`ENERGY_MAX`](lavoxel_base::units::ENERGY_MAX).
    pub energy: u16,
}
