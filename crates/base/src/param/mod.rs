//! Parameters: keys of a table with unit, range, default and description, from which scenes,
//! messages, panels, docs and the schema are made.
//!
//! A table declares its keys in one list: a struct by `table!`, an enum with a tag by `kinds!`, and
//! a rule, whose numbers are fields of another module's struct, by `param!`.

mod form;
mod list;
mod value;
mod words;

pub use self::form::{Entry, Form};
pub use self::value::Value;
pub(crate) use self::words::names_of;
use crate::validate::{Invalid, within};
#[doc(hidden)]
pub use crate::{
    __fact as fact, __kinds as kinds, __list as list, __or as or, __param as param, __table as table, __when as when,
    __words as words,
};
use serde::{Deserialize, Deserializer};

/// Distribution of a parameter's values over its range, for sliders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Linear.
    Linear,
    /// Logarithmic: small values matter as much as large ones.
    Logarithmic,
    /// Whole numbers; small ones matter as much as large ones.
    Whole,
    /// 0 for off, 1 for on.
    Switch,
}

/// Key of a table that is stored in a `T`. Scenes, messages, the panel, the documentation and the
/// tests are generated from such keys.
#[derive(Debug)]
pub struct Param<T> {
    /// Key in the table, such as `friction.on_solid`.
    pub key: &'static str,
    /// Unit, or the thing on which the parameter acts.
    pub unit: &'static str,
    /// Smallest allowed value.
    pub low: f64,
    /// Largest allowed value.
    pub high: f64,
    /// Distribution of the values over the range.
    pub scale: Scale,
    /// Meaning, and effect on the flow.
    pub what: &'static str,
    /// Reads the number; NaN for a key without one.
    pub get: fn(&T) -> f64,
    /// Writes the number.
    pub set: fn(&mut T, f64),
    /// Mandatory flag: a table must have the key.
    pub must: bool,
    /// Kinds of table that have the key; empty: all.
    pub kinds: &'static [&'static str],
    /// Reads the value in a table.
    pub value: fn(&T) -> &dyn Value,
    /// Copies the value from the second table into the first.
    pub copy: fn(&mut T, &T),
    /// Form of the value.
    pub form: fn() -> Form,
}

impl<T> Param<T> {
    /// Checks the numbers of the value against the range; `table` names the table in messages.
    ///
    /// # Errors
    /// Names the number that is out of range.
    pub fn check(&self, table: &str, of: &T) -> Result<(), Invalid> {
        check_value((table, self.key), (self.value)(of), (self.low, self.high))
    }

    /// Returns true if a table of this kind has the key.
    pub fn fits(&self, kind: &str) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Value for a message; `None` where the table leaves the key out, and for a key that is always
    /// there.
    pub fn given(&self, of: &T) -> Option<String> {
        (self.value)(of).given()
    }

    /// Description of the key, independent of its table.
    pub fn entry(&self) -> Entry {
        Entry {
            key: self.key,
            unit: self.unit,
            range: (self.low, self.high),
            what: self.what,
            must: self.must,
            kinds: self.kinds,
            form: (self.form)(),
        }
    }
}

impl<T: Default> Param<T> {
    /// Default number of the key.
    pub fn default(&self) -> f64 {
        (self.get)(&T::default())
    }
}

/// Table of a scene whose keys are declared in one list.
pub trait Table: Sized + 'static {
    /// Keys of the table, in order.
    const PARAMS: &'static [Param<Self>];

    /// Finds a key by its name.
    fn param(key: &str) -> Option<&'static Param<Self>> {
        Self::PARAMS.iter().find(|param| param.key == key)
    }

    /// Checks every number against its range; `table` names the table in messages, such as
    /// `camera`.
    ///
    /// # Errors
    /// Names the first number that is out of range.
    fn check(&self, table: &str) -> Result<(), Invalid> {
        Self::PARAMS.iter().try_for_each(|param| param.check(table, self))
    }

    /// Refuses keys that tables of this kind do not have; `tag` is the key that selects the kind.
    ///
    /// # Errors
    /// Names the first such key.
    fn check_kind(&self, table: &str, (tag, kind): (&str, &str)) -> Result<(), Invalid> {
        let strange = Self::PARAMS.iter().filter(|param| !param.fits(kind));
        match strange.filter_map(|param| Some((param.key, param.given(self)?))).next() {
            Some((key, value)) => {
                let expected = format!("left out with {table}.{tag} = \"{kind}\"");
                Err(Invalid::new(&format!("{table}.{key}"), value, expected))
            }
            None => Ok(()),
        }
    }

    /// Returns this table with the values that `other` gives.
    #[must_use]
    fn overridden(mut self, other: &Self) -> Self {
        let given = Self::PARAMS.iter().filter(|param| param.given(other).is_some());
        given.for_each(|param| (param.copy)(&mut self, other));
        self
    }
}

/// Checks the numbers of a value against a range; `table` and `key` name the value in messages.
pub fn check_value((table, key): (&str, &str), value: &dyn Value, (low, high): (f64, f64)) -> Result<(), Invalid> {
    if low == f64::NEG_INFINITY && high == f64::INFINITY {
        return Ok(());
    }
    let Some((name, number)) = value.named_numbers().into_iter().find(|(_, number)| !(low..=high).contains(number))
    else {
        return Ok(());
    };
    // The keys of a scene itself are in no table.
    let path = [table, key, name].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    within(&path.join("."), number, low, high)
}

/// Reads a table that has no keys.
pub fn no_keys<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Empty {}
    Empty::deserialize(from).map(|Empty {}| ())
}

/// Trims the text of a doc comment.
pub const fn tidy(words: &str) -> &str {
    words.trim_ascii()
}
