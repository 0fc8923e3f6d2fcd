//! Fixed-point units of amounts and energies, and the only place where units are converted into
//! real numbers.
//!
//! Moving liquid is an integer subtraction here and the same addition there. Mass is then exact to
//! the last unit, sums need no order, and any number of threads gives the same bits. Sixteen bits a
//! field won over 32-bit integers and floats by half the memory traffic.

/// Units of amount in a full cell (amount 1.0).
pub const AMOUNT_ONE: u16 = 1 << 15;

/// Units of amount in half a cell: the minimum amount of a grain, and of a denser fluid that
/// carries a grain; a larger amount of a lighter fluid exerts drag on the grain.
pub const AMOUNT_HALF: u16 = AMOUNT_ONE / 2;

/// Units of energy in energy 1.0, the default energy of a full cell of fresh lava.
pub const ENERGY_ONE: u16 = 1 << 13;

/// Largest storable energy of one cell, almost 8.0; larger energies are clamped.
pub const ENERGY_MAX: u16 = u16::MAX;

/// Energy (dimensionless) that maps to the upper end of colour scales and to 255 in 8-bit fields.
pub const ENERGY_SHOWN: f32 = 2.0;

/// Largest energy per full cell that a vent may pour: a quarter of the storable energy, so that a
/// cell has headroom.
pub const VENT_ENERGY_MAX: f64 = ENERGY_MAX as f64 / ENERGY_ONE as f64 / 4.0;

/// Converts an amount in full cells (0 to 1) to fixed-point units.
pub fn amount_units(amount: f64) -> u16 {
    (amount.clamp(0.0, 1.0) * f64::from(AMOUNT_ONE)).round() as u16
}

/// Converts an energy (0 or more) to fixed-point units, clamped to [`ENERGY_MAX`].
pub fn energy_units(energy: f64) -> u16 {
    (energy.max(0.0) * f64::from(ENERGY_ONE))
        .round()
        .min(f64::from(ENERGY_MAX)) as u16
}

/// Converts fixed-point units to an amount in full cells (0 to 1).
pub fn amount(units: u16) -> f32 {
    f32::from(units) / f32::from(AMOUNT_ONE)
}

/// Converts fixed-point units to an energy.
pub fn energy(units: u16) -> f32 {
    f32::from(units) / f32::from(ENERGY_ONE)
}

/// Converts a sum of amount units to a volume in full cells.
pub fn cells(units: u64) -> f64 {
    units as f64 / f64::from(AMOUNT_ONE)
}

/// Density of lava in kg/m³: that of Etna's basalt.
pub const LAVA_DENSITY: f64 = 2600.0;
