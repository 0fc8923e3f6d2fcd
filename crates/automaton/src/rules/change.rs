//! Changes of some parameters during a simulation: the listed keys get new values, the other
//! parameters keep theirs.
//!
//! In a scene a change is a table with keys of `[rules]` or of a `[[material]]`, as their [`Param`]
//! tables list them.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::material::SUPPORT;
use super::{Param, RulesSpec, Scale, Walls};
use crate::matter::Material;
use lavoxel_base::param::{Entry, Form, Value, check_value};
use lavoxel_base::validate::Invalid;

/// Set of parameters that can be changed during a simulation: any number of numeric keys, and one
/// key whose value is not a number (`WORD`).
pub trait Parameters: Clone + 'static {
    /// Type of the value of the key `WORD`, which is not a number.
    type Word: Clone + fmt::Debug + PartialEq + Serialize + DeserializeOwned;
    /// Name of the one key that is not a number.
    const WORD: &'static str;
    /// Help text of the one key that is not a number.
    const ABOUT_WORD: &'static str;
    /// Iterates over the parameters that are numbers.
    fn params() -> impl Iterator<Item = &'static Param<Self>>;
    /// Iterates over the numeric keys, each with the form of its values and its help text.
    fn entries() -> impl Iterator<Item = Entry> {
        Self::params().map(Param::entry)
    }
}

impl Parameters for RulesSpec {
    type Word = Walls;
    const WORD: &'static str = "walls";
    const ABOUT_WORD: &'static str =
        "sides of the box: walls, or open for what crosses them, which is counted";

    fn params() -> impl Iterator<Item = &'static Param<Self>> {
        RulesSpec::params()
    }
}

impl Parameters for Material {
    type Word = String;
    const WORD: &'static str = "name";
    const ABOUT_WORD: &'static str = "name of the material";

    fn params() -> impl Iterator<Item = &'static Param<Self>> {
        Self::params()
    }

    fn entries() -> impl Iterator<Item = Entry> {
        // The lava's own numbers count too; `SUPPORT` is left out because other liquids have it
        // under another key.
        let of_lava = RulesSpec::params().filter(|param| param.key != SUPPORT);
        Self::params()
            .map(Param::entry)
            .chain(of_lava.map(Param::entry))
    }
}

/// Change of some parameters of a set: new values for some of its keys; the parameters without a
/// new value stay as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<T: Parameters> {
    /// New values of numeric keys, by the key of the parameter ([`Param::key`]).
    numbers: BTreeMap<&'static str, f64>,
    word: Option<T::Word>,
}

/// Change of the lava's rules and of the boundary conditions of the simulation box.
pub type RulesChange = Change<RulesSpec>;

/// Change of the parameters of one material, whose name the change contains.
pub type MaterialChange = Change<Material>;

impl<T: Parameters> Value for Change<T>
where
    T::Word: Value,
{
    fn form() -> Form {
        let word = Entry::new(T::WORD, T::Word::form(), T::ABOUT_WORD);
        Form::of_params([word].into_iter().chain(T::entries()))
    }
}

impl<T: Parameters> Change<T> {
    fn numbers_between(before: &T, after: &T) -> BTreeMap<&'static str, f64> {
        let changed = T::params().filter(|param| (param.get)(before) != (param.get)(after));
        changed
            .map(|param| (param.key, (param.get)(after)))
            .collect()
    }

    fn set_numbers(&self, of: &mut T) {
        for param in T::params() {
            if let Some(&value) = self.numbers.get(param.key) {
                (param.set)(of, value);
            }
        }
    }

    fn validate_numbers(&self, table: &str) -> Result<(), Invalid> {
        let mut named =
            T::params().filter_map(|param| Some((param, *self.numbers.get(param.key)?)));
        named.try_for_each(|(p, value)| check_value((table, p.key), &value, (p.low, p.high)))
    }

    /// Replaces each new value of a numeric key by the result of `next`, a function of the key and
    /// the value.
    pub fn each(&mut self, next: impl Fn(&str, f64) -> f64) {
        self.numbers
            .iter_mut()
            .for_each(|(key, value)| *value = next(key, *value));
    }

    /// Returns one change with the effect of this change followed by `later`; if both set a key,
    /// the value of `later` applies.
    #[must_use]
    pub fn then(mut self, later: &Self) -> Self {
        self.numbers.extend(&later.numbers);
        Self {
            word: later.word.clone().or(self.word),
            ..self
        }
    }
}

impl RulesChange {
    /// Returns the change that turns the parameters `before` into `after`; it sets only keys whose
    /// values differ.
    pub fn between(before: &RulesSpec, after: &RulesSpec) -> Self {
        let word = (before.walls != after.walls).then_some(after.walls);
        Self {
            numbers: Self::numbers_between(before, after),
            word,
        }
    }

    /// Returns a copy of `rules` in which the keys of this change have their new values.
    #[must_use]
    pub fn applied(&self, mut rules: RulesSpec) -> RulesSpec {
        self.set_numbers(&mut rules);
        rules.walls = self.word.unwrap_or(rules.walls);
        rules
    }

    /// Checks that the change has at least one key and that every number is in range; `table` is
    /// the name of the table in messages, such as `event[0].rules`.
    ///
    /// # Errors
    /// Returns an error that names the first key out of range, or the table if it has no keys.
    pub fn validate(&self, table: &str) -> Result<(), Invalid> {
        if self.numbers.is_empty() && self.word.is_none() {
            return Err(Invalid::new(
                table,
                "{}",
                "a table that names a key; keys left out stay as they are",
            ));
        }
        self.validate_numbers(table)
    }
}

impl From<RulesSpec> for RulesChange {
    /// Converts complete rules to a change that sets every key.
    fn from(rules: RulesSpec) -> Self {
        let numbers = RulesSpec::params()
            .map(|param| (param.key, (param.get)(&rules)))
            .collect();
        Self {
            numbers,
            word: Some(rules.walls),
        }
    }
}

impl MaterialChange {
    /// Returns the change that turns the material `before` into `after`; both must have the same
    /// name.
    pub fn between(before: &Material, after: &Material) -> Self {
        Self {
            numbers: Self::numbers_between(before, after),
            word: Some(before.name.clone()),
        }
    }

    /// Name of the material that changes; empty if the change names none, which `validate` reports.
    pub fn name(&self) -> &str {
        self.word.as_deref().unwrap_or_default()
    }

    /// Returns a copy of `material` in which the keys of this change have their new values.
    #[must_use]
    pub fn applied(&self, mut material: Material) -> Material {
        self.set_numbers(&mut material);
        material
    }

    /// Checks that the change names a material and has at least one other key, and that every
    /// number is in range; `table` is the name of the table in messages, such as
    /// `event[0].material`.
    ///
    /// # Errors
    /// Returns an error that names the first key out of range, or the table if a key is missing.
    pub fn validate(&self, table: &str) -> Result<(), Invalid> {
        if self.word.is_none() {
            return Err(Invalid::new(
                table,
                "a table without name",
                "one with the name of a material",
            ));
        }
        if self.numbers.is_empty() {
            let expected = "one that names a parameter, too; those left out stay as they are";
            return Err(Invalid::new(
                table,
                format!("only the name {:?}", self.name()),
                expected,
            ));
        }
        self.validate_numbers(table)
    }
}

/// Value of a key of a change, in the form in which serde writes it to a scene.
#[derive(Serialize)]
#[serde(untagged)]
enum Written<W> {
    Whole(u64),
    Switch(bool),
    Number(f64),
    Word(W),
    Table(BTreeMap<&'static str, Written<W>>),
}

impl<T: Parameters> Serialize for Change<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut table = BTreeMap::new();
        for param in T::params() {
            let Some(&number) = self.numbers.get(param.key) else {
                continue;
            };
            let value = match param.scale {
                Scale::Whole => Written::Whole(number as u64),
                Scale::Switch => Written::Switch(number >= 0.5),
                Scale::Linear | Scale::Logarithmic => Written::Number(number),
            };
            match param.key.split_once('.') {
                None => drop(table.insert(param.key, value)),
                Some((outer, key)) => {
                    if let Written::Table(inner) = table
                        .entry(outer)
                        .or_insert_with(|| Written::Table(BTreeMap::new()))
                    {
                        inner.insert(key, value);
                    }
                }
            }
        }
        table.extend(self.word.clone().map(|word| (T::WORD, Written::Word(word))));
        table.serialize(to)
    }
}

impl<'de, T: Parameters> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut change = Self {
            numbers: BTreeMap::new(),
            word: None,
        };
        Table {
            change: &mut change,
            prefix: "",
        }
        .deserialize(from)?;
        Ok(change)
    }
}

/// Deserializer for the table of a change, or for one of its inner tables, whose keys are those of
/// [`Param`] without the `prefix`.
struct Table<'a, T: Parameters> {
    change: &'a mut Change<T>,
    prefix: &'static str,
}

impl<'de, T: Parameters> DeserializeSeed<'de> for Table<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, T: Parameters> Visitor<'de> for Table<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Prefix(self.prefix, PhantomData::<T>))? {
            match key {
                Key::Word => self.change.word = Some(map.next_value()?),
                Key::Table(prefix) => map.next_value_seed(Table {
                    change: &mut *self.change,
                    prefix,
                })?,
                Key::Number(param) => {
                    let value = match param.scale {
                        Scale::Whole => f64::from(map.next_value::<u32>()?),
                        Scale::Switch => f64::from(u8::from(map.next_value::<bool>()?)),
                        Scale::Linear | Scale::Logarithmic => map.next_value()?,
                    };
                    self.change.numbers.insert(param.key, value);
                }
            }
        }
        Ok(())
    }
}

/// Meaning of a key in the table of a change: a number, an inner table, or the key whose value is
/// not a number.
enum Key<T: 'static> {
    Number(&'static Param<T>),
    /// Inner table; the field is the prefix that the [`Param::key`]s of its numbers have in common.
    Table(&'static str),
    Word,
}

impl<T: Parameters> Key<T> {
    /// Iterates over the keys of the table whose parameters begin with `prefix` (empty for the
    /// outer table), each with its meaning; an inner table appears once for each of its keys.
    fn all(prefix: &'static str) -> impl Iterator<Item = (&'static str, Self)> {
        let numbers = T::params().filter_map(move |param| {
            let rest = param.key.strip_prefix(prefix)?;
            Some(match rest.split_once('.') {
                None => (rest, Self::Number(param)),
                Some((table, _)) => (
                    table,
                    Self::Table(&param.key[..=prefix.len() + table.len()]),
                ),
            })
        });
        numbers.chain(prefix.is_empty().then_some((T::WORD, Self::Word)))
    }
}

/// Deserializer for one key of the table whose parameter keys begin with the prefix in the field
/// (empty for the outer table).
struct Prefix<T>(&'static str, PhantomData<T>);

impl<'de, T: Parameters> DeserializeSeed<'de> for Prefix<T> {
    type Value = Key<T>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Key<T>, D::Error> {
        let written = String::deserialize(from)?;
        let found = Key::<T>::all(self.0).find(|(key, _)| *key == written);
        found.map(|(_, key)| key).ok_or_else(|| {
            let mut known: Vec<_> = Key::<T>::all(self.0)
                .map(|(key, _)| format!("`{key}`"))
                .collect();
            known.dedup();
            // Worded like serde's own message, because scenes build their "did you mean" from that
            // wording.
            Error::custom(format!(
                "unknown field `{written}`, expected one of {}",
                known.join(", ")
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_it_names_changes() {
        let before = RulesSpec {
            spread: 0.1,
            walls: Walls::Open,
            ..RulesSpec::default()
        };
        let mut after = RulesSpec {
            threshold: 0.3,
            spreading_every: 4,
            ..before.clone()
        };
        after.friction.on_liquid = 0.25;
        let change = RulesChange::between(&before, &after);
        assert_eq!(change.applied(before.clone()), after);
        let other = change.applied(RulesSpec::default());
        assert_eq!(
            (other.spread, other.walls, other.threshold),
            (0.2, Walls::Closed, 0.3)
        );
        assert!(
            RulesChange::between(&before, &before)
                .validate("rules")
                .is_err(),
            "it names nothing"
        );
        assert_eq!(
            RulesChange::from(after.clone()).applied(RulesSpec::default()),
            after
        );
    }

    #[test]
    fn two_changes_become_one() {
        let [first, second, third] = [0.1, 0.2, 0.3].map(|spread| RulesSpec {
            spread,
            ..RulesSpec::default()
        });
        let one = RulesChange::between(
            &first,
            &RulesSpec {
                walls: Walls::Open,
                ..second.clone()
            },
        );
        let both = one.then(&RulesChange::between(&second, &third));
        let expected = RulesSpec {
            walls: Walls::Open,
            ..third
        };
        assert_eq!(both.applied(first), expected);
    }

    #[test]
    fn every_key_has_its_range() {
        for param in RulesSpec::params() {
            let mut rules = RulesSpec::default();
            (param.set)(&mut rules, 2.0 * param.high + 1.0);
            let change = RulesChange::between(&RulesSpec::default(), &rules);
            let refused = change.validate("event[2].rules").expect_err(param.key);
            assert_eq!(refused.key, format!("event[2].rules.{}", param.key));
        }
        assert_eq!(
            RulesChange::between(&RulesSpec::default(), &RulesSpec::default())
                .validate("rules")
                .expect_err("it names nothing")
                .to_string(),
            "rules = {}: must be a table that names a key; keys left out stay as they are"
        );
    }
}
