//! Labels of a map: names, unit and colours.

use serde_json::{Value, json};

use super::About;
use lavoxel_base::measure::Ramp;

/// Labels of a map: names, unit and colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// Name in command-line flags and file names, such as `max-thickness`.
    pub name: String,
    /// Display name in a legend.
    pub words: String,
    /// Title above the picture.
    pub title: String,
    /// Description of the map in one line.
    pub description: String,
    /// Unit of the values; empty for dimensionless values.
    pub unit: &'static str,
    /// Colour ramp.
    pub ramp: Ramp,
    /// Threshold of a footprint, in the unit of its quantity; `None` for a map of a quantity.
    pub above: Option<f64>,
    /// Note about the values.
    pub note: Option<&'static str>,
    /// Number of runs that the map summarises; `None` for a map of a single run.
    pub runs: Option<u64>,
    /// Discrete classes of the values, which replace the colour ramp; empty for continuous values.
    pub classes: &'static [Class],
}

/// Class of a map: value, name and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Value of the class in the file.
    pub number: i32,
    /// Display name.
    pub name: &'static str,
    /// sRGB colour.
    pub color: [u8; 3],
}

impl Caption {
    /// Formats the time or the runs of the map, such as `step 200`, `after 2 h` or `500 runs`.
    pub(super) fn when(&self, about: &About) -> String {
        self.runs
            .map_or_else(|| about.moment(), |runs| format!("{runs} runs"))
    }

    /// Returns the name and the number behind [`Caption::when`]: steps or runs.
    pub(super) fn count(&self, about: &About) -> (&'static str, u64) {
        self.runs
            .map_or(("step", about.step), |runs| ("runs", runs))
    }

    /// Returns the labels and the provenance of the map as JSON.
    pub(super) fn about(&self, about: &About) -> Value {
        let (count, number) = self.count(about);
        let mut labels = json!({
            "quantity": self.name, "description": self.description, "unit": self.unit,
            "scene": about.scene, "seed": about.seed, count: number, "software": About::SOFTWARE,
        });
        if let (None, Some(seconds)) = (self.runs, about.time_s) {
            labels["time_s"] = json!(seconds);
            about
                .run
                .iter()
                .for_each(|(name, text)| labels[*name] = json!(text));
        }
        if !about.cautions.is_empty() {
            labels["cautions"] = json!(about.cautions);
        }
        labels
    }
}
