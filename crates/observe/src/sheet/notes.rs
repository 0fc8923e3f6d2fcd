//! Texts of a sheet: title, subtitle, parameters and warnings.

use super::source::{Source, Study};
use super::view::View;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_base::words;
use lavoxel_geo::map::ToDegrees;
use lavoxel_geo::map::features::told;
use lavoxel_geo::map::longitude::usual;
use lavoxel_io::export::{CAUTION, Provenance};
use lavoxel_scene::scene::Seconds;

/// Smallest number of runs without a warning: 50 runs determine a probability of 0.5 with a
/// standard error of 0.07.
const FEW: u64 = 50;

/// Upper bound on the number of cautions printed for a map of a single run; more do not fit on the
/// sheet.
const MOST_CAUTIONS: usize = 8;

/// Returns the quantile in a map's name, such as 0.1 for `arrival_q10`; `None` for a name without
/// quantile.
pub(super) fn quantile(layer: &str) -> Option<f64> {
    let (_, percent) = layer.rsplit_once("_q")?;
    Some(percent.replace('_', ".").parse::<f64>().ok()? / 100.0)
}

/// Converts `layer`, the name of a map in its files, to a readable title.
pub(super) fn layer_words(layer: &str) -> String {
    let plain = layer.replace(['-', '_'], " ");
    let of =
        |what: &str| quantile(layer).map(|q| format!("{what}, quantile {}", words::short(q, 4)));
    let named = match layer {
        "probability" => Some("Probability of inundation by lava".to_owned()),
        "thickness_max" => Some("Largest thickness of lava in any run".to_owned()),
        "max-thickness" => Some("Largest thickness of lava".to_owned()),
        "thickness" => Some("Thickness of lava".to_owned()),
        "set-thickness" => Some("Thickness of lava that has set".to_owned()),
        "arrival" => Some("Arrival of lava".to_owned()),
        "footprint" => Some("Ground covered by lava".to_owned()),
        "temperature" => Some("Surface temperature of lava".to_owned()),
        _ if layer.starts_with("probability_") => Some(format!(
            "Probability of lava within {}",
            layer["probability_".len()..].replace('_', ".")
        )),
        _ if layer.starts_with("arrival_q") => of("Arrival of lava"),
        _ if layer.starts_with("thickness_q") => of("Thickness of lava"),
        _ => None,
    };
    named.unwrap_or_else(|| begin_large(&plain))
}

/// Returns `text` with its first letter capitalised.
fn begin_large(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// Returns the default title of a sheet: the quantity of the map and, if known, the scene.
pub(super) fn title(source: &Source) -> String {
    let words = layer_words(&source.quantity());
    let capital = |word: &str| begin_large(word);
    let scene = source.scene().map(|scene| {
        scene
            .split_whitespace()
            .map(capital)
            .collect::<Vec<_>>()
            .join(" ")
    });
    scene.map_or(words.clone(), |scene| format!("{words}, {scene}"))
}

/// Returns the subtitle of a sheet: description of the map, unit, and number of runs or time.
pub(super) fn subtitle(source: &Source) -> String {
    let description = source
        .labels
        .get("DESCRIPTION")
        .filter(|text| !text.is_empty())
        .cloned();
    let mut text = begin_large(&description.unwrap_or_else(|| layer_words(&source.quantity())));
    let unit = source.unit();
    if !unit.is_empty() {
        text += &format!(" [{unit}]");
    }
    let time_s = source
        .labels
        .get("time_s")
        .and_then(|seconds| seconds.parse::<f64>().ok());
    match (source.runs(), time_s, source.labels.get("step")) {
        (Some(runs), ..) => text + &format!("; {runs} runs"),
        (None, Some(seconds), _) => text + &format!("; after {}", words::duration(seconds)),
        (None, None, Some(step)) => text + &format!("; step {step}"),
        _ => text,
    }
}

/// Paragraph in the notes of a map sheet, with its heading.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Note {
    pub(super) heading: &'static str,
    pub(super) text: String,
    pub(super) is_warning: bool,
}

fn note(heading: &'static str, text: String) -> Note {
    Note {
        heading,
        text,
        is_warning: false,
    }
}

fn warning(text: String) -> Note {
    Note {
        heading: "Caution",
        text,
        is_warning: true,
    }
}

/// Returns the name of the map's coordinate system for the notes, with its EPSG code if known.
pub(super) fn system(source: &Source) -> String {
    let crs = source.crs();
    let name = match (crs.name(), crs.epsg()) {
        (Some(name), Some(code)) => format!("{name} (EPSG:{code})"),
        (Some(name), None) => name,
        _ => told(&crs),
    };
    escape_for_terminal(&name)
}

/// Returns all notes of a sheet in order: warnings, parameters, coordinate system. `has_ground`:
/// true if the sheet shows the hill shade of a heightmap.
pub(super) fn all(source: &Source, view: &View, has_ground: bool) -> Vec<Note> {
    let mut notes = warnings(source);
    notes.extend(parameters(source));
    notes.push(note("Coordinates", coordinates(source, view)));
    if !has_ground {
        notes.push(note(
            "Ground",
            "not drawn: no heightmap was named (--ground).".to_owned(),
        ));
    }
    notes
}

fn coordinates(source: &Source, view: &View) -> String {
    let unit = if source.crs().is_geographic() {
        "°"
    } else {
        " m"
    };
    let mut text = format!(
        "{}; grid every {}{unit}",
        system(source),
        lavoxel_base::round::number(view.grid_step(), view.grid_step())
    );
    let middle = ToDegrees::from_crs(&source.crs())
        .filter(|way| !way.is_same())
        .map(|way| {
            let [x, y] = view.middle();
            way.at(x, y)
        });
    if let Some([east, north]) = middle.filter(|place| place.iter().all(|angle| angle.is_finite()))
    {
        let side = |angle: f64, names: [&str; 2]| {
            format!(
                "{:.4}° {}",
                angle.abs(),
                if angle < 0.0 { names[1] } else { names[0] }
            )
        };
        text += &format!(
            "; middle {}, {}",
            side(north, ["N", "S"]),
            side(usual(east), ["E", "W"])
        );
    }
    text + "."
}

/// Returns all warnings about the map, beginning with the most serious one.
pub(super) fn warnings(source: &Source) -> Vec<Note> {
    let mut all = Vec::new();
    if source.study.is_some() {
        all.push(warning(
            "Conditional on an eruption, and on these vents, rates and volumes, this lava and this ground: it is not the \
             probability that an eruption happens. The model is not checked for this place; the map is no forecast."
                .to_owned(),
        ));
    } else if let Some(text) = source.labels.get("note") {
        all.push(warning(begin_large(text) + "."));
    }
    // Cautions of a single run, stored under numbered keys by the program that wrote the map.
    let cautions = (1..)
        .map_while(|i: u32| source.labels.get(&format!("{CAUTION}{i}")))
        .take(MOST_CAUTIONS);
    all.extend(cautions.map(|text| warning(begin_large(text) + ".")));
    if source.study.is_none() && !source.labels.contains_key("seed") {
        all.push(warning(
            "The file carries no record of its run: neither lava, rate and duration nor what was lost. A GeoTIFF (.tif) has them."
                .to_owned(),
        ));
    }
    if let Some(runs) = source.runs().filter(|runs| *runs < FEW) {
        all.push(warning(format!(
            "{runs} runs are few: shares of them are rough."
        )));
    }
    let of_runs = source.study.as_ref().and_then(|study| study.runs.as_ref());
    all.extend(
        of_runs
            .into_iter()
            .flat_map(super::runs::Runs::warnings)
            .map(warning),
    );
    if source.map.origin.is_none() || source.crs() == lavoxel_geo::map::Crs::default() {
        all.push(warning(
            "The coordinate system of the map is not known.".to_owned(),
        ));
    }
    all
}

fn parameters(source: &Source) -> Vec<Note> {
    let mut all = Vec::new();
    if let Some(runs) = source.runs() {
        // Binomial standard error: the runs are independent samples.
        let error = |p: f64| words::short((p * (1.0 - p) / runs.max(1) as f64).sqrt(), 3);
        let (half, twentieth) = (error(0.5), error(0.05));
        all.push(note(
            "Runs",
            format!(
                "{runs}. Standard error of a probability p: √(p(1−p)/{runs}), {half} for 0.5 and {twentieth} for 0.05. Quantiles are \
                 those of the runs that come to a place."
            ),
        ));
    }
    if let Some(study) = &source.study {
        all.push(note("Sampled", study.laws()));
        if let Some(text) = study.outcome() {
            all.push(note("Each run", text));
        }
    } else if let Some(seed) = source.labels.get("seed") {
        let named = [
            ("lava", ""),
            ("rate", ""),
            ("poured", " poured"),
            ("duration", ""),
            ("cell_size", " cells"),
        ];
        let told = |(name, after): (&str, &str)| {
            source.labels.get(name).map(|text| format!("{text}{after}"))
        };
        let told: Vec<String> = named
            .into_iter()
            .filter_map(told)
            .chain([format!("seed {seed}")])
            .collect();
        all.push(note("Run", told.join("; ") + "."));
    }
    let program = source
        .study
        .as_ref()
        .and_then(|study| study.plan.decides.get("program"));
    let program = program.or_else(|| source.labels.get("software"));
    if let Some(program) = program {
        let with = if program == Provenance::SOFTWARE {
            String::new()
        } else {
            format!("; sheet by {}", Provenance::SOFTWARE)
        };
        all.push(note(
            "Model",
            format!("{}{with}.", escape_for_terminal(program)),
        ));
    }
    all
}

impl Study {
    /// Describes the sampling of a hazard study in one text: vents, probability distributions of
    /// rate, volume and duration, time limit and seed.
    pub(super) fn laws(&self) -> String {
        let key = |name: &str| self.plan.decides.get(name);
        let mut parts = vec![format!("vents: {}", self.plan.vents)];
        parts.extend(key("rates").map(|law| format!("rate {law} m³/s")));
        parts.extend(key("volumes").map(|law| format!("volume {law} m³")));
        parts.extend(key("durations").map(|law| format!("duration {law} s")));
        parts.extend(key("draws").map(|draws| format!("drawn: {}", draws.replace('=', " "))));
        parts.extend(
            key("error of the heights").map(|metres| format!("heights within ±{metres} m")),
        );
        let limit = key("duration").and_then(|limit| limit.parse().ok());
        parts.extend(limit.map(|limit| format!("each run at most {}", Seconds(limit))));
        parts.extend(key("seed").map(|seed| format!("seed {seed}")));
        escape_for_terminal(&parts.join("; ")) + "."
    }

    /// Describes the results of all runs in one text: mean volume, mean area, and number of runs
    /// with an imbalance; `None` if the folder has no table of runs.
    pub(super) fn outcome(&self) -> Option<String> {
        let runs = self.runs.as_ref()?;
        let exact = match runs.inexact {
            0 => "volume and heat are accounted for exactly in all runs".to_owned(),
            count => format!("{count} runs have accounts that are not exact"),
        };
        Some(format!(
            "{} poured and {} covered on average, {:.0} m from the vent at most; {exact}.",
            words::volume(runs.poured_m3.mean),
            words::area(runs.area_m2.mean),
            runs.reach_m.most
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_have_names_for_people() {
        assert_eq!(
            layer_words("arrival_q2_5"),
            "Arrival of lava, quantile 0.025"
        );
        assert_eq!(
            layer_words("probability_6h"),
            "Probability of lava within 6h"
        );
        assert_eq!(layer_words("water.thickness"), "Water.thickness");
        assert_eq!(
            [quantile("arrival_q10"), quantile("thickness_max")],
            [Some(0.1), None]
        );
    }
}
