//! Provenance that every data file states: program, scene, step and cautions about the results.

use lavoxel_base::words::duration;

/// Caution about lengths in metres computed by the classic model (the cellular automaton), which
/// exported files state.
pub const NO_FORECAST: &str = "metres are those of the scene's model: the classic rules know neither viscosity nor time, and no model is checked for this \
     place, so thickness is no forecast";

/// Caution about results of the physical model, which exported files state.
pub const NO_FORECAST_OF_FLOW: &str = "numbers are those of the model, the lava, the rates and the ground of the scene; no model is checked for this place, so neither \
     thickness nor time is a forecast";

/// Provenance of an exported file: scene, seed, step and cautions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// Name of the scene from which the file was computed.
    pub scene: String,
    /// Seed of the scene's random numbers.
    pub seed: u64,
    /// Number of completed steps of the simulation.
    pub step: u64,
    /// Simulated time since the start in seconds; `None` in the cellular automaton (classic model).
    pub time_s: Option<f64>,
    /// Facts of the run as pairs of name and text, with the names `lava`, `vents`, `poured` and
    /// `cells`.
    pub run: Vec<(&'static str, String)>,
    /// Cautions about losses and limits of the model, one sentence each.
    pub cautions: Vec<String>,
}

impl Provenance {
    /// Name and version of this program, as files state them.
    pub const SOFTWARE: &str = concat!("lavoxel ", env!("CARGO_PKG_VERSION"));

    /// Formats the time of the exported state: `step 200`, or `after 2 h` in the physical model.
    pub fn moment(&self) -> String {
        self.time_s.map_or_else(
            || format!("step {}", self.step),
            |seconds| format!("after {}", duration(seconds)),
        )
    }

    /// Returns time, facts of the run and cautions as pairs (name, text), for file formats that
    /// accept any metadata; cautions are numbered from 1.
    pub(super) fn facts(&self) -> Vec<(String, String)> {
        let time = self
            .time_s
            .map(|seconds| ("time_s".to_owned(), seconds.to_string()));
        let run = self
            .run
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.clone()));
        let cautions = (1..)
            .zip(&self.cautions)
            .map(|(i, text)| (format!("{CAUTION}{i}"), text.clone()));
        time.into_iter().chain(run).chain(cautions).collect()
    }
}

/// Prefix of the names under which cautions are stored in the metadata of a file; a number follows.
pub const CAUTION: &str = "caution_";
