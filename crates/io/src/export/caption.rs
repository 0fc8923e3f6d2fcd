//! Labels of a map: names, unit and colours.

use serde_json::{Value, json};

use super::Provenance;
use lavoxel_base::measure::Ramp;

/// Labels of a map: names, unit and colours, as pictures and data files show them.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// Name of the map in command-line flags and file names, such as `max-thickness`.
    pub name: String,
    /// Name of the map in a legend, in plain words.
    pub words: String,
    /// Title that a picture of the map shows above the map.
    pub title: String,
    /// Description of the map's values in one line.
    pub description: String,
    /// Unit of the map's values; empty for dimensionless values.
    pub unit: &'static str,
    /// Colour ramp by which the values of the map are coloured.
    pub ramp: Ramp,
    /// Threshold that defines a footprint, in the unit of the quantity compared with it: columns
    /// with greater values belong to the footprint. `None` if the map shows a quantity and not a
    /// footprint.
    pub above: Option<f64>,
    /// Note on the values for readers of the map; `None` if there is none.
    pub note: Option<&'static str>,
    /// Number of runs that the map summarises; `None` for a map of a single run.
    pub runs: Option<u64>,
    /// Classes of discrete values, each with its own colour, which replace the colour ramp; empty
    /// for continuous values.
    pub classes: &'static [Class],
}

/// Class of a map with discrete values: its value, name and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Value that cells of the class have in data files.
    pub number: i32,
    /// Name of the class in the legend of a map.
    pub name: &'static str,
    /// Colour (sRGB) of the class on a map.
    pub color: [u8; 3],
}

impl Caption {
    /// Formats the time of the map, or the number of runs that the map summarises: `step 200`,
    /// `after 2 h` or `500 runs`.
    pub(super) fn when(&self, about: &Provenance) -> String {
        self.runs
            .map_or_else(|| about.moment(), |runs| format!("{runs} runs"))
    }

    /// Returns the number of steps or runs as a metadata entry: (`step`, number of completed
    /// steps), or (`runs`, number of runs) for a map that summarises several runs.
    pub(super) fn count(&self, about: &Provenance) -> (&'static str, u64) {
        self.runs
            .map_or(("step", about.step), |runs| ("runs", runs))
    }

    /// Returns the labels of the map and its provenance `about` as a JSON object.
    pub(super) fn about(&self, about: &Provenance) -> Value {
        let (count, number) = self.count(about);
        let mut labels = json!({
            "quantity": self.name, "description": self.description, "unit": self.unit,
            "scene": about.scene, "seed": about.seed, count: number, "software": Provenance::SOFTWARE,
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
