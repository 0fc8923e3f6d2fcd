//! Times in a scene and on the command line: a number of seconds, or a number with a unit, such as `"13 d"`.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::param::{Form, Value};
use crate::words::TIMES;

/// Forms of a time, for messages.
const EXPECTED: &str = "a number of seconds, or a time such as \"13 d\", \"2.5 h\", \"30 min\" or \"90 s\"";

/// A time in seconds.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Seconds(pub f64);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let end = text.find(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E')).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let unit = if unit.is_empty() { "s" } else { unit.trim() };
        let seconds = TIMES.iter().find(|(name, _)| *name == unit).map(|(_, seconds)| seconds);
        let number = number.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let time = seconds.zip(number).map(|(seconds, number)| Self(number * seconds));
        time.ok_or_else(|| format!("must be {EXPECTED}"))
    }
}

impl fmt::Display for Seconds {
    /// The time in its largest unit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::words::duration(self.0))
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

/// A time or a number in a row of a table, which decides what may have a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The number, or the seconds of the time.
    pub(crate) value: f64,
    /// Whether it was written with a unit.
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
        Ok(Entry { value, has_unit: false })
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Entry, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Entry, E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Entry, E> {
        let time: Result<Seconds, _> = text.parse();
        let entry = time.map(|Seconds(value)| Entry { value, has_unit: true });
        entry.map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let read = |text: &str| text.parse::<Seconds>().map(|Seconds(s)| s);
        let times = ["13 d", "2.5h", " 30 min", "90 s", "40", "1e3 s", "1e3"].map(|text| read(text).expect(text));
        assert_eq!(times, [1_123_200.0, 9000.0, 1800.0, 90.0, 40.0, 1000.0, 1000.0]);
        for wrong in ["", "d", "13 days", "1 m", "inf", "nan", "1 2 s"] {
            assert!(read(wrong).is_err_and(|message| message.starts_with("must be a number of seconds")), "{wrong}");
        }
        assert_eq!([3.0, 90.0, 5400.0, 1e6].map(|s| Seconds(s).to_string()), ["3 s", "1.5 min", "1.5 h", "11.57 d"]);
    }
}
