//! Gifts of a vent to the air: heat, ash, steam.

use serde::{Deserialize, Serialize};

use crate::validate::{Invalid, within};

/// Heat, ash and steam that a vent gives to the air besides its lava, and a fume without any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VentAir {
    /// Share of the mass that is hot gas.
    pub gas: f64,
    /// Share of the mass that is fine ash.
    pub ash: f64,
    /// Share of the mass that is drops of water.
    pub steam: f64,
    /// Temperature at which it comes out.
    pub temperature_k: f64,
    /// Upward speed that the air over the vent has at least.
    pub jet_m_s: f64,
    /// How far the output of a block of 3 × 3 cells swings about its mean, as a share of that.
    pub pulse: f64,
    /// Seconds between two swings.
    pub pulse_s: f64,
}

impl Default for VentAir {
    fn default() -> Self {
        Self { gas: 0.03, ash: 0.0, steam: 0.0, temperature_k: 1350.0, jet_m_s: 0.0, pulse: 0.5, pulse_s: 4.0 }
    }
}

impl VentAir {
    /// Checks every number; `key` is the table's name, such as `vent[0].air`.
    ///
    /// # Errors
    /// Names the key that is out of range.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        let share = |name: &str, value| within(&format!("{key}.{name}"), value, 0.0, 1.0);
        share("gas", self.gas)?;
        share("ash", self.ash)?;
        share("steam", self.steam)?;
        share("pulse", self.pulse)?;
        within(&format!("{key}.temperature_k"), self.temperature_k, 0.0, 1e4)?;
        within(&format!("{key}.jet_m_s"), self.jet_m_s, 0.0, 1e3)?;
        within(&format!("{key}.pulse_s"), self.pulse_s, 1e-3, 1e6)
    }
}
