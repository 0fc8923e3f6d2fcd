//! Units of heights, by the names that files and users give them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use lavoxel_base::validate::quoted;

/// Length of a US survey foot in metres.
const US_FOOT_M: f64 = 1200.0 / 3937.0;

/// Units of heights as tuples (usual name, length in metres, alternative names).
const UNITS: [(&str, f64, &[&str]); 8] = [
    (
        "m",
        1.0,
        &[
            "metre", "metres", "meter", "meters", "mt", "mts", "masl", "mamsl", "mmsl",
        ],
    ),
    (
        "ft",
        0.3048,
        &[
            "foot",
            "feet",
            "international foot",
            "international feet",
            "ift",
            "feets",
        ],
    ),
    (
        "us-ft",
        US_FOOT_M,
        &[
            "us survey foot",
            "us survey feet",
            "us survey ft",
            "u.s. survey foot",
            "u.s. survey feet",
            "us foot",
            "us feet",
            "us ft",
        ],
    ),
    (
        "km",
        1000.0,
        &["kilometre", "kilometres", "kilometer", "kilometers"],
    ),
    (
        "dm",
        0.1,
        &["decimetre", "decimetres", "decimeter", "decimeters"],
    ),
    (
        "cm",
        0.01,
        &["centimetre", "centimetres", "centimeter", "centimeters"],
    ),
    (
        "mm",
        0.001,
        &["millimetre", "millimetres", "millimeter", "millimeters"],
    ),
    ("yd", 0.9144, &["yard", "yards"]),
];

/// One-word names of the US survey foot, in addition to its usual name in `UNITS`.
const US_FEET: [&str; 8] = [
    "ftus",
    "usft",
    "ussft",
    "sft",
    "us_survey_foot",
    "us_survey_feet",
    "foot_us",
    "us-foot",
];

/// Beginnings of words that may follow a unit to name the reference surface of heights, such as
/// mean sea level.
const LEVELS: [&str; 16] = [
    "a.s.l", "asl", "amsl", "a.m.s.l", "above", "over", "msl", "m.s.l", "nn", "nhn", "ü", "u.",
    "navd", "ngvd", "egm", "(",
];

/// Unit of heights, such as `ft`: index of the unit in `UNITS`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HeightUnit(usize);

impl HeightUnit {
    /// Returns the length of the unit of heights in metres.
    pub fn metres(self) -> f64 {
        UNITS[self.0].1
    }
}

impl FromStr for HeightUnit {
    type Err = String;

    /// Parses the name of a unit. Words for the reference surface are ignored, so that `m a.s.l.`
    /// is `m`.
    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.trim().to_lowercase().replace('[', "(");
        let is_level = |rest: &str| {
            LEVELS
                .iter()
                .any(|level| rest.trim_start().starts_with(level))
        };
        let called = |known: &str| {
            name.strip_prefix(known).is_some_and(|rest| {
                rest.is_empty()
                    || rest.starts_with([' ', '(', ',']) && is_level(rest.trim_start_matches(','))
            })
        };
        let number = UNITS
            .iter()
            .enumerate()
            .find_map(|(i, (short, _, others))| {
                let is_it = called(short)
                    || others.iter().any(|other| called(other))
                    || *short == "us-ft" && US_FEET.iter().any(|n| called(n));
                is_it.then_some(i)
            });
        number.map(Self).ok_or_else(|| {
            let all = UNITS.map(|(short, ..)| short).join(", ");
            format!("{} must be a unit of heights: {all}", quoted(text.trim()))
        })
    }
}

impl fmt::Display for HeightUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(UNITS[self.0].0)
    }
}

impl TryFrom<String> for HeightUnit {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<HeightUnit> for String {
    fn from(unit: HeightUnit) -> Self {
        unit.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_many_names() {
        for (name, metres) in [
            ("m", 1.0),
            ("Metres", 1.0),
            ("m a.s.l.", 1.0),
            ("m (NAVD88)", 1.0),
            ("meters above sea level", 1.0),
            ("masl", 1.0),
            ("m ü. NN", 1.0),
            ("ft", 0.3048),
            ("feet above MSL", 0.3048),
            ("US Survey Feet", US_FOOT_M),
            ("US survey foot", US_FOOT_M),
            ("us_survey_foot", US_FOOT_M),
            ("ftUS", US_FOOT_M),
            ("cm", 0.01),
        ] {
            assert_eq!(
                name.parse::<HeightUnit>().map(HeightUnit::metres),
                Ok(metres),
                "{name}"
            );
        }
        for wrong in ["", "m/s", "m2", "K", "m w.e.", "furlong", "milli"] {
            assert!(
                wrong
                    .parse::<HeightUnit>()
                    .is_err_and(|error| error.contains("us-ft")),
                "{wrong}"
            );
        }
        let unit: HeightUnit = "US Survey Feet".parse().expect("known");
        assert_eq!(unit.to_string(), "us-ft");
    }
}
