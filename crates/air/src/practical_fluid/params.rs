//! Parameters of the solver after Mick West's article.

use serde::{Deserialize, Serialize};

use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::Invalid;

/// Largest value of `pressure` with which sound and diffusion together are stable.
const PRESSURE: f64 = 0.35;

/// Largest share that diffuses to each of six neighbours: six shares may not exceed the whole.
const FILTER: f64 = 0.16;

table! {
    /// The `[air.article]` table: parameters of the solver `article`, per step and in cells.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct PracticalFluidParams {
        /// Acceleration of the air by pressure, in cells per step², for a density difference of 1.0
        /// across a face. Sound travels at √(2 · pressure) cells per step.
        pub pressure: f32 = 0.24, [0.0, PRESSURE] "";
        /// Share of the velocity difference to each neighbour that diffuses in a step.
        pub filter_velocity: f32 = 0.02, [0.0, FILTER] "share";
        /// Share of the density difference to each neighbour that diffuses in a step.
        pub filter_density: f32 = 0.1, [0.0, FILTER] "share";
        /// Coefficients `[a, b, c]` of the heat loss: each step reduces a heat h above that of the
        /// air at rest by a·h² + b·h + c.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::list")]
        pub heat_decay: [f32; 3] = [0.0; 3], [0.0, 1.0] "";
        /// Treatment of cells at rest in the reverse pass. `true`: such a cell asks for its own
        /// content, too, and keeps a share. `false`, as in the article: all its content goes to the
        /// neighbours that ask for it.
        pub still_asks: bool = true;
    }
}

impl PracticalFluidParams {
    /// Checks that every parameter is in range.
    ///
    /// # Errors
    /// Returns an error that names the first key out of range.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.check("air.article")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_numbers_name_their_key() {
        let at = PracticalFluidParams {
            pressure: 0.35,
            filter_density: 0.16,
            ..PracticalFluidParams::default()
        };
        assert_eq!(at.validate(), Ok(()));
        let wrong =
            |params: PracticalFluidParams| params.validate().expect_err("wrong").to_string();
        let params = PracticalFluidParams::default;
        assert_eq!(
            wrong(PracticalFluidParams {
                pressure: 0.36,
                ..params()
            }),
            "air.article.pressure = 0.36: must be a number from 0 to 0.35"
        );
        assert!(
            wrong(PracticalFluidParams {
                filter_velocity: f32::NAN,
                ..params()
            })
            .starts_with("air.article.filter_velocity")
        );
        assert!(
            wrong(PracticalFluidParams {
                heat_decay: [0.0, 0.0, 2.0],
                ..params()
            })
            .starts_with("air.article.heat_decay")
        );
    }

    #[test]
    fn tables_are_strict_and_have_defaults() {
        let params: PracticalFluidParams = toml::from_str("pressure = 0.12").expect("keys");
        assert_eq!(
            params,
            PracticalFluidParams {
                pressure: 0.12,
                ..PracticalFluidParams::default()
            }
        );
        assert!(toml::from_str::<PracticalFluidParams>("presure = 0.12").is_err());
    }
}
