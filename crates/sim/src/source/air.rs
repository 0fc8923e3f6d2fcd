//! Output of a vent to the air: heat, ash, steam.

use serde::{Deserialize, Serialize};

use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::Invalid;

table! {
    /// Heat, ash and steam that a vent gives to the air besides its lava, and a fume without any.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct VentAir {
        /// Share of the mass that is hot gas.
        pub gas: f64 = 0.03, [0.0, 1.0] "share";
        /// Share of the mass that is fine ash; 0.2 for a column.
        pub ash: f64 = 0.0, [0.0, 1.0] "share";
        /// Share of the mass that is drops of water.
        pub steam: f64 = 0.0, [0.0, 1.0] "share";
        /// Shares of the mass that are ink, one for each of `air.inks`.
        pub inks: Vec<f64> = Vec::new(), [0.0, 1.0] "shares";
        /// Temperature at which it comes out, which the air over it cannot exceed.
        pub temperature_k: f64 = 1350.0, [0.0, 1e4] "K";
        /// Upward speed that the air over the vent has at least.
        pub jet_m_s: f64 = 0.0, [0.0, 1e3] "m/s";
        /// Swing of the output of a block of 3 × 3 cells about its mean, as a share of the mean,
        /// and strength with which `incompressible` pushes it sideways; 0 gives a glassy column.
        pub pulse: f64 = 0.5, [0.0, 1.0] "share";
        /// Time between two swings.
        pub pulse_s: f64 = 4.0, [1e-3, 1e6] "s";
    }
}

impl VentAir {
    /// Checks that all numbers are in range. `key`: name of the table in messages, such as
    /// `vent[0].air`.
    ///
    /// # Errors
    /// Returns an error that names the first key out of range.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.check(key)
    }
}
