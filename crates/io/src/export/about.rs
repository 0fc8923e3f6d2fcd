//! Origin that every data file states.

use lavoxel_base::words::duration;

/// Limits of `thickness` and other numbers in metres of the classic rules.
pub const NO_FORECAST: &str = "metres are those of the scene's model: the classic rules know neither viscosity nor time, and no model is checked for this \
     place, so thickness is no forecast";

/// Limits of the numbers of the physical model.
pub const NO_FORECAST_OF_FLOW: &str = "numbers are those of the model, the lava, the rates and the ground of the scene; no model is checked for this place, so neither \
     thickness nor time is a forecast";

/// Where a file comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// Name of the scene.
    pub scene: String,
    /// Seed of the random patterns.
    pub seed: u64,
    /// Steps that were made.
    pub step: u64,
    /// Time since the start in seconds, of a state of the physical model.
    pub time_s: Option<f64>,
    /// Numbers of the run in words, by name: `lava`, `vents`, `poured`, `cells`.
    pub run: Vec<(&'static str, String)>,
    /// Sentences on what was lost, and where the model does not hold.
    pub cautions: Vec<String>,
}

impl About {
    /// The program that writes, with its version.
    pub const SOFTWARE: &str = concat!("lavoxel ", env!("CARGO_PKG_VERSION"));

    /// Moment of the state in words: `step 200`, or `after 2 h` in the physical model.
    pub fn moment(&self) -> String {
        self.time_s.map_or_else(|| format!("step {}", self.step), |seconds| format!("after {}", duration(seconds)))
    }

    /// All but scene, seed, step and software as names and texts, for formats that keep such; cautions are numbered from 1.
    pub(super) fn facts(&self) -> Vec<(String, String)> {
        let time = self.time_s.map(|seconds| ("time_s".to_owned(), seconds.to_string()));
        let run = self.run.iter().map(|(name, text)| ((*name).to_owned(), text.clone()));
        let cautions = (1..).zip(&self.cautions).map(|(i, text)| (format!("{CAUTION}{i}"), text.clone()));
        time.into_iter().chain(run).chain(cautions).collect()
    }
}

/// Beginning of the names of cautions in the labels of a file.
pub const CAUTION: &str = "caution_";
