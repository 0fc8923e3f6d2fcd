//! Durations in a scene and on the command line: a number of seconds, or numbers with units, such
//! as `"13 d"`.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use lavoxel_base::param::{Form, Value};
use lavoxel_base::words::TIMES;

/// Alternative names of time units, as pairs (name, unit). `m` is not a name, because it could mean
/// month, minute or metre.
const OTHER_NAMES: [(&str, &str); 10] = [
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("minute", "min"),
    ("minutes", "min"),
    ("hr", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("day", "d"),
    ("days", "d"),
];

/// Description of a valid duration, for error messages.
const EXPECTED: &str =
    "a number of seconds, or a time such as \"13 d\", \"2.5 h\", \"30 min\" or \"90 s\"";

/// Duration in seconds of simulated time.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Seconds(pub f64);

impl FromStr for Seconds {
    type Err = String;

    /// Parses a number of seconds, or numbers with units in descending order, such as `1 d 12 h` or
    /// `1h30min`. The error describes a valid duration.
    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || format!("must be {EXPECTED}");
        let finite = |text: &str| {
            text.trim()
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .ok_or_else(fault)
        };
        let is_of_unit = |c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E');
        if !text.contains(is_of_unit) {
            return finite(text).map(Self);
        }
        let (mut rest, mut time, mut larger) = (text.trim(), 0.0, f64::INFINITY);
        while !rest.is_empty() {
            let (number, from_unit) = rest.split_at(rest.find(is_of_unit).ok_or_else(fault)?);
            let (unit, after) = from_unit.split_at(
                from_unit
                    .find(|c: char| !c.is_alphabetic())
                    .unwrap_or(from_unit.len()),
            );
            let unit = OTHER_NAMES
                .iter()
                .find(|(other, _)| *other == unit)
                .map_or(unit, |(_, name)| name);
            let seconds = TIMES
                .iter()
                .find(|(name, _)| *name == unit)
                .map(|(_, seconds)| *seconds);
            let (number, seconds) = (finite(number)?, seconds.ok_or_else(fault)?);
            // A sign together with several units is rejected: in -1h30min the sign of the minutes
            // is ambiguous.
            if seconds >= larger || larger.is_finite() && (time < 0.0 || number < 0.0) {
                return Err(fault());
            }
            (time, larger, rest) = (time + number * seconds, seconds, after.trim_start());
        }
        Ok(Self(time))
    }
}

impl fmt::Display for Seconds {
    /// Formats the duration in the largest unit of time that suits it, such as `2.5 h`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&lavoxel_base::words::duration(self.0))
    }
}

impl Value for Seconds {
    fn form() -> Form {
        Form::Either(vec![Form::Number, Form::Text])
    }

    fn numbers(&self) -> Vec<f64> {
        vec![self.0]
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Entry::deserialize(from).map(|entry| Self(entry.value))
    }
}

/// Entry in a list of numbers: a duration or a plain number. The table that contains the list
/// decides which entries may have a unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    /// Plain number; for a duration, its length in seconds.
    pub(crate) value: f64,
    /// Set if the entry was written with a unit of time.
    pub(crate) has_unit: bool,
}

impl Value for Entry {
    fn form() -> Form {
        Seconds::form()
    }

    fn numbers(&self) -> Vec<f64> {
        vec![self.value]
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Written)
    }
}

struct Written;

impl Visitor<'_> for Written {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Entry, E> {
        Ok(Entry {
            value,
            has_unit: false,
        })
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Entry, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Entry, E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Entry, E> {
        let time: Result<Seconds, _> = text.parse();
        let entry = time.map(|Seconds(value)| Entry {
            value,
            has_unit: true,
        });
        entry.map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let read = |text: &str| text.parse::<Seconds>().map(|Seconds(s)| s);
        let times = ["13 d", "2.5h", " 30 min", "90 s", "40", "1e3 s", "1e3"]
            .map(|text| read(text).expect(text));
        assert_eq!(
            times,
            [1_123_200.0, 9000.0, 1800.0, 90.0, 40.0, 1000.0, 1000.0]
        );
        let times = [
            "1h30min",
            "1 hour",
            "2 d 3 h",
            "1.5 hours",
            "1d12h30min5s",
            "1e3 sec",
        ]
        .map(|text| read(text).expect(text));
        assert_eq!(
            times,
            [5400.0, 3600.0, 183_600.0, 5400.0, 131_405.0, 1000.0]
        );
        for wrong in [
            "", "d", "13 weeks", "1 m", "inf", "nan", "1 2 s", "1h30", "30min1h", "1h1h",
            "-1h30min", "1h-30min", "1 h e",
        ] {
            assert!(
                read(wrong)
                    .is_err_and(|message| message.starts_with("must be a number of seconds")),
                "{wrong}"
            );
        }
        assert_eq!(
            [3.0, 90.0, 5400.0, 1e6].map(|s| Seconds(s).to_string()),
            ["3 s", "1.5 min", "1.5 h", "11.57 d"]
        );
    }
}
