//! Output of a vent to the air: heat, ash, steam.

use serde::{Deserialize, Serialize};

use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::Invalid;

table! {
    /// Heat, ash and steam that a vent gives to the air in addition to its lava, or a fume without
    /// lava.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct VentAir {
        /// Share of the output by mass that is hot gas.
        pub gas: f64 = 0.03, [0.0, 1.0] "share";
        /// Share of the output by mass that is fine ash; 0.2 for an eruption column.
        pub ash: f64 = 0.0, [0.0, 1.0] "share";
        /// Share of the output by mass that is water drops.
        pub steam: f64 = 0.0, [0.0, 1.0] "share";
        /// Shares of the output by mass that are ink, one for each of `air.inks`.
        pub inks: Vec<f64> = Vec::new(), [0.0, 1.0] "shares";
        /// Temperature of the mass at the vent, which the air over the vent cannot exceed.
        pub temperature_k: f64 = 1350.0, [0.0, 1e4] "K";
        /// Least upward speed of the air over the vent.
        pub jet_m_s: f64 = 0.0, [0.0, 1e3] "m/s";
        /// Random variation of the output of each block of 3 × 3 cells about its mean, as a share
        /// of the mean; with the solver `incompressible` also the strength of random sideways
        /// pushes. 0 gives a smooth column.
        pub pulse: f64 = 0.5, [0.0, 1.0] "share";
        /// Time between two changes of the random variation.
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
