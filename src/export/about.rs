//! Origin that every data file states.

/// Limits of `thickness` and other numbers in metres.
pub const NO_FORECAST: &str = "metres are those of the scene's model: the classic rules know neither viscosity nor time, and no model is checked for this \
     place, so thickness is no forecast";

/// Where a file comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Name of the scene.
    pub scene: String,
    /// Seed of the random patterns.
    pub seed: u64,
    /// Steps that were made.
    pub step: u64,
}

impl About {
    /// The program that writes, with its version.
    pub const SOFTWARE: &str = concat!("lavoxel ", env!("CARGO_PKG_VERSION"));
}
