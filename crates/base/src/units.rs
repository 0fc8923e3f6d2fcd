//! Fixed point: how amounts and energies are stored, and the only place where they are turned into real numbers.
//!
//! Liquid that moves is an integer subtraction here and the same addition there. Mass is then exact to the last unit,
//! sums need no order, and any number of threads gives the same bits. Sixteen bits a field won over 32-bit integers
//! and floats by half the memory traffic.

/// Units of amount in a full cell (amount 1.0).
pub const AMOUNT_ONE: u16 = 1 << 15;

/// Units of amount in half a cell: a grain is one from here on, and so much of denser fluids carries one; more of lighter ones drags
/// at it.
pub const AMOUNT_HALF: u16 = AMOUNT_ONE / 2;

/// Units of energy in energy 1.0, what a full cell of fresh lava carries by default.
pub const ENERGY_ONE: u16 = 1 << 13;

/// Most energy that one cell can hold, nearly 8.0. A transfer that would pass it is cut to fit.
pub const ENERGY_MAX: u16 = u16::MAX;

/// Energy at the upper end of colour scales and of 8-bit fields.
pub const ENERGY_SHOWN: f32 = 2.0;

/// Most energy per full cell that a vent may give: a cell can hold four times as much.
pub const VENT_ENERGY_MAX: f64 = ENERGY_MAX as f64 / ENERGY_ONE as f64 / 4.0;

/// Units for an amount from 0 to 1.
pub fn amount_units(amount: f64) -> u16 {
    (amount.clamp(0.0, 1.0) * f64::from(AMOUNT_ONE)).round() as u16
}

/// Units for an energy of 0 or more, cut at [`ENERGY_MAX`].
pub fn energy_units(energy: f64) -> u16 {
    (energy.max(0.0) * f64::from(ENERGY_ONE)).round().min(f64::from(ENERGY_MAX)) as u16
}

/// Amount from 0 to 1 for its units.
pub fn amount(units: u16) -> f32 {
    f32::from(units) / f32::from(AMOUNT_ONE)
}

/// Energy for its units.
pub fn energy(units: u16) -> f32 {
    f32::from(units) / f32::from(ENERGY_ONE)
}

/// A volume in full cells for a sum of amount units.
pub fn cells(units: u64) -> f64 {
    units as f64 / f64::from(AMOUNT_ONE)
}

/// Density of lava in kg/m³: that of Etna's basalt.
pub const LAVA_DENSITY: f64 = 2600.0;
