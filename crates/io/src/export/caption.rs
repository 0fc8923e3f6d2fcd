//! Caption of a map: its names, its unit and its colours.

use serde_json::{Value, json};

use super::About;
use lavoxel_base::measure::Ramp;

/// Caption of a map, of any numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// The name in flags and files, such as `max-thickness`.
    pub name: String,
    /// The name for people, in a legend.
    pub words: String,
    /// Title above a picture.
    pub title: String,
    /// Description in a line.
    pub description: String,
    /// The unit; empty for none.
    pub unit: &'static str,
    /// How it is coloured.
    pub ramp: Ramp,
    /// The limit of a footprint.
    pub above: Option<f64>,
    /// Note about the numbers.
    pub note: Option<&'static str>,
    /// Number of runs, in a map that sums up several.
    pub runs: Option<u64>,
    /// Classes that its numbers stand for, in place of the ramp; empty for none.
    pub classes: &'static [Class],
}

/// A class of a map: its number, its name and its colour in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Number in the file.
    pub number: i32,
    /// Name for people.
    pub name: &'static str,
    /// Colour.
    pub color: [u8; 3],
}

impl Caption {
    /// Time or runs of the map, such as `step 200`, `after 2 h` or `500 runs`.
    pub(super) fn when(&self, about: &About) -> String {
        self.runs.map_or_else(|| about.moment(), |runs| format!("{runs} runs"))
    }

    /// The name and the number that [`Caption::when`] has.
    pub(super) fn count(&self, about: &About) -> (&'static str, u64) {
        self.runs.map_or(("step", about.step), |runs| ("runs", runs))
    }

    /// Labels of the map and its origin in a file, as JSON.
    pub(super) fn about(&self, about: &About) -> Value {
        let (count, number) = self.count(about);
        let mut labels = json!({
            "quantity": self.name, "description": self.description, "unit": self.unit,
            "scene": about.scene, "seed": about.seed, count: number, "software": About::SOFTWARE,
        });
        if let (None, Some(seconds)) = (self.runs, about.time_s) {
            labels["time_s"] = json!(seconds);
            about.run.iter().for_each(|(name, text)| labels[*name] = json!(text));
        }
        if !about.cautions.is_empty() {
            labels["cautions"] = json!(about.cautions);
        }
        labels
    }
}
