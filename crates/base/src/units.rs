//! Fixed-point amounts and energies, and the only place where they are converted to and from real
//! numbers.
//!
//! Matter that moves is subtracted from one integer and added to another. So mass is exact to the
//! unit, sums do not depend on their order, and any number of threads gives the same bits. Chosen:
//! 16 bits per field, which need half the memory traffic of 32-bit integers or floats.

/// Amount of a full cell, in units of amount.
pub const AMOUNT_ONE: u16 = 1 << 15;

/// Half a full cell, in units of amount. A cell with at least this amount contains a grain; a
/// denser fluid with at least this amount carries a grain, and a lighter fluid with more exerts
/// drag on the grain.
pub const AMOUNT_HALF: u16 = AMOUNT_ONE / 2;

/// Energy 1.0, in units of energy. By default a full cell of lava fresh from the vent has energy
/// 1.0.
pub const ENERGY_ONE: u16 = 1 << 13;

/// Largest energy that a cell can store, in units of energy; corresponds to almost 8.0. Larger
/// energies are clamped.
pub const ENERGY_MAX: u16 = u16::MAX;

/// Energy at the upper end of colour scales, stored as 255 in 8-bit fields; 1 is the energy of a
/// full cell of lava fresh from the vent.
pub const ENERGY_SHOWN: f32 = 2.0;

/// Largest energy per full cell that lava from a vent may have, where 1 is the default: a quarter
/// of the largest energy of a cell, so that cells have headroom.
pub const VENT_ENERGY_MAX: f64 = ENERGY_MAX as f64 / ENERGY_ONE as f64 / 4.0;

/// Converts `amount` (0–1, 1 for a full cell) to units of amount, rounded; values outside are
/// clamped.
pub fn amount_units(amount: f64) -> u16 {
    (amount.clamp(0.0, 1.0) * f64::from(AMOUNT_ONE)).round() as u16
}

/// Converts `energy` (1 for a full cell of lava fresh from the vent) to units of energy; negative
/// values become 0, values above the largest energy [`ENERGY_MAX`].
pub fn energy_units(energy: f64) -> u16 {
    (energy.max(0.0) * f64::from(ENERGY_ONE))
        .round()
        .min(f64::from(ENERGY_MAX)) as u16
}

/// Converts an amount in units to a share of a full cell (1 for a full cell; always below 2).
pub fn amount(units: u16) -> f32 {
    f32::from(units) / f32::from(AMOUNT_ONE)
}

/// Converts an energy in units to the scale where 1 is a full cell of lava fresh from the vent.
pub fn energy(units: u16) -> f32 {
    f32::from(units) / f32::from(ENERGY_ONE)
}

/// Converts `units`, a sum of amounts in units, to a volume in full cells.
pub fn cells(units: u64) -> f64 {
    units as f64 / f64::from(AMOUNT_ONE)
}

/// Default density of lava in kg/m³, that of basalt from Etna.
pub const LAVA_DENSITY: f64 = 2600.0;
