//! Parameters: the keys of a table with unit, range, default and description, from which scene
//! parsing, messages, panels, documentation and the JSON schema are generated.
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
    __fact as fact, __kinds as kinds, __list as list, __or as or, __param as param,
    __table as table, __when as when, __words as words,
};
use serde::{Deserialize, Deserializer};

/// Distribution of a parameter's values over the parameter's range, for sliders and sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Linear: equal slider distance for equal differences.
    Linear,
    /// Logarithmic: equal slider distance for equal ratios.
    Logarithmic,
    /// Whole numbers; slider positions are distributed logarithmically.
    Whole,
    /// Boolean: 0 for off, 1 for on.
    Switch,
}

/// Description, range and accessors of one key of a table that is stored as a `T`. Scene parsing,
/// messages, the panel, the documentation and the tests are generated from these descriptions.
#[derive(Debug)]
pub struct Param<T> {
    /// Key in the table, such as `friction.on_solid`.
    pub key: &'static str,
    /// Unit of the key's number, or, for a number without a unit, the object to which the number
    /// refers, such as `on rock`.
    pub unit: &'static str,
    /// Smallest allowed number for the key.
    pub low: f64,
    /// Largest allowed number for the key.
    pub high: f64,
    /// Distribution of the key's values over the range, for sliders and sampling.
    pub scale: Scale,
    /// Description for users: meaning of the key, and effect of a larger value.
    pub what: &'static str,
    /// Function that returns the key's value in a table as a number; NaN if the value is not a
    /// number.
    pub get: fn(&T) -> f64,
    /// Function that sets the key's value in a table to a number.
    pub set: fn(&mut T, f64),
    /// Mandatory flag: true if a table without the key is an error.
    pub must: bool,
    /// Kinds of the table (values of its tag key) in which the key is allowed; empty: allowed in
    /// every kind.
    pub kinds: &'static [&'static str],
    /// Function that returns the key's value in a table as a trait object, for messages and checks.
    pub value: fn(&T) -> &dyn Value,
    /// Function that copies the key's value from the second table to the first.
    pub copy: fn(&mut T, &T),
    /// Function that returns the form (schema type) of the key's value.
    pub form: fn() -> Form,
}

impl<T> Param<T> {
    /// Checks that all numbers of the key's value in `of` are in range; `table` is the table's name
    /// in messages.
    ///
    /// # Errors
    /// Returns an error that names the first number out of range.
    pub fn check(&self, table: &str, of: &T) -> Result<(), Invalid> {
        check_value((table, self.key), (self.value)(of), (self.low, self.high))
    }

    /// Returns true if the key is allowed in tables of the kind `kind`.
    pub fn fits(&self, kind: &str) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Returns the value of an optional key in the table `of`, as text for a message; `None` if the
    /// table leaves out the key, and for every key that is not optional.
    pub fn given(&self, of: &T) -> Option<String> {
        (self.value)(of).given()
    }

    /// Schema entry of the key, independent of the table type.
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
    /// Default value of the key as a number; NaN for a key without a number.
    pub fn default(&self) -> f64 {
        (self.get)(&T::default())
    }
}

/// Table of a scene that declares its keys as a list of parameters.
pub trait Table: Sized + 'static {
    /// Parameters of the table, one for each key, in order of declaration.
    const PARAMS: &'static [Param<Self>];

    /// Returns the parameter with the key `key`; `None` if the table has no such key.
    fn param(key: &str) -> Option<&'static Param<Self>> {
        Self::PARAMS.iter().find(|param| param.key == key)
    }

    /// Checks that every number of the table is in range; `table` is the table's name in messages,
    /// such as `camera`.
    ///
    /// # Errors
    /// Returns an error that names the first number out of range.
    fn check(&self, table: &str) -> Result<(), Invalid> {
        Self::PARAMS
            .iter()
            .try_for_each(|param| param.check(table, self))
    }

    /// Returns an error if the table contains a key that its kind does not allow; `(tag, kind)` is
    /// the key that selects the kind, and its value.
    ///
    /// # Errors
    /// Returns an error that names the first such key.
    fn check_kind(&self, table: &str, (tag, kind): (&str, &str)) -> Result<(), Invalid> {
        let strange = Self::PARAMS.iter().filter(|param| !param.fits(kind));
        match strange
            .filter_map(|param| Some((param.key, param.given(self)?)))
            .next()
        {
            Some((key, value)) => {
                let expected = format!("left out with {table}.{tag} = \"{kind}\"");
                Err(Invalid::new(&format!("{table}.{key}"), value, expected))
            }
            None => Ok(()),
        }
    }

    /// Returns a copy of this table in which each optional key that `other` sets has the value of
    /// `other`.
    #[must_use]
    fn overridden(mut self, other: &Self) -> Self {
        let given = Self::PARAMS
            .iter()
            .filter(|param| param.given(other).is_some());
        given.for_each(|param| (param.copy)(&mut self, other));
        self
    }
}

/// Checks that all numbers in `value` lie in the range from `low` to `high` (inclusive); `table`
/// and `key` name the value in the error.
pub fn check_value(
    (table, key): (&str, &str),
    value: &dyn Value,
    (low, high): (f64, f64),
) -> Result<(), Invalid> {
    if low == f64::NEG_INFINITY && high == f64::INFINITY {
        return Ok(());
    }
    let Some((name, number)) = value
        .named_numbers()
        .into_iter()
        .find(|(_, number)| !(low..=high).contains(number))
    else {
        return Ok(());
    };
    // The keys of a scene itself are in no table.
    let path = [table, key, name]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>();
    within(&path.join("."), number, low, high)
}

/// Deserializes a table without keys; any key is an error.
pub fn no_keys<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Empty {}
    Empty::deserialize(from).map(|Empty {}| ())
}

/// Returns `words`, the text of a doc comment, without leading and trailing white space.
pub const fn tidy(words: &str) -> &str {
    words.trim_ascii()
}
