//! A change of rules that are in force: the keys that it names take other values, the rest stays.
//!
//! In a scene it is a table with keys of `[rules]`, as [`Param`] lists them.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{Param, RulesSpec, Scale, Walls};
use crate::validate::{Invalid, within};

/// Some keys of [`RulesSpec`] with their next values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RulesChange {
    /// By [`Param::key`].
    numbers: BTreeMap<&'static str, f64>,
    walls: Option<Walls>,
}

impl RulesChange {
    /// The keys in which `after` differs from `before`.
    pub fn between(before: &RulesSpec, after: &RulesSpec) -> Self {
        let changed = Param::all().filter(|param| (param.get)(before) != (param.get)(after));
        let numbers = changed.map(|param| (param.key, (param.get)(after))).collect();
        Self { numbers, walls: (before.walls != after.walls).then_some(after.walls) }
    }

    /// Whether it names no key.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.walls.is_none()
    }

    /// The rules after the change.
    #[must_use]
    pub fn applied(&self, mut rules: RulesSpec) -> RulesSpec {
        for param in Param::all() {
            if let Some(&value) = self.numbers.get(param.key) {
                (param.set)(&mut rules, value);
            }
        }
        rules.walls = self.walls.unwrap_or(rules.walls);
        rules
    }

    /// This change and a later one as one change.
    #[must_use]
    pub fn then(mut self, later: &Self) -> Self {
        self.numbers.extend(&later.numbers);
        Self { walls: later.walls.or(self.walls), ..self }
    }

    /// Checks that it names a key, and every number against its range; `table` names the table in messages, such as
    /// `event[0].rules`.
    pub fn validate(&self, table: &str) -> Result<(), Invalid> {
        if self.is_empty() {
            return Err(Invalid::new(table, "{}", "a table that names a key; keys left out stay as they are"));
        }
        let named = Param::all().filter_map(|param| Some((param, *self.numbers.get(param.key)?)));
        named.into_iter().try_for_each(|(p, value)| within(&format!("{table}.{}", p.key), value, p.low, p.high))
    }
}

impl From<RulesSpec> for RulesChange {
    /// Names every key.
    fn from(rules: RulesSpec) -> Self {
        let numbers = Param::all().map(|param| (param.key, (param.get)(&rules))).collect();
        Self { numbers, walls: Some(rules.walls) }
    }
}

/// What stands beside a key of the table.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Whole(u64),
    Number(f64),
    Walls(Walls),
    Table(BTreeMap<&'static str, Value>),
}

impl Serialize for RulesChange {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut table = BTreeMap::new();
        for param in Param::all() {
            let Some(&number) = self.numbers.get(param.key) else { continue };
            let value = if param.scale == Scale::Whole { Value::Whole(number as u64) } else { Value::Number(number) };
            match param.key.split_once('.') {
                None => drop(table.insert(param.key, value)),
                Some((outer, key)) => {
                    if let Value::Table(inner) = table.entry(outer).or_insert_with(|| Value::Table(BTreeMap::new())) {
                        inner.insert(key, value);
                    }
                }
            }
        }
        table.extend(self.walls.map(|walls| ("walls", Value::Walls(walls))));
        table.serialize(to)
    }
}

impl<'de> Deserialize<'de> for RulesChange {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut change = Self::default();
        Table { change: &mut change, prefix: "" }.deserialize(from)?;
        Ok(change)
    }
}

/// Reads a table into a change; keys of the table lack the `prefix` that those of [`Param`] have.
struct Table<'a> {
    change: &'a mut RulesChange,
    prefix: &'static str,
}

impl<'de> DeserializeSeed<'de> for Table<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Table<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Prefix(self.prefix))? {
            match key {
                Key::Walls => self.change.walls = Some(map.next_value()?),
                Key::Table(prefix) => map.next_value_seed(Table { change: &mut *self.change, prefix })?,
                Key::Number(param) => {
                    let whole = param.scale == Scale::Whole;
                    let value = if whole { f64::from(map.next_value::<u32>()?) } else { map.next_value()? };
                    self.change.numbers.insert(param.key, value);
                }
            }
        }
        Ok(())
    }
}

/// What a key of a table names.
enum Key {
    Number(&'static Param),
    /// The keys with this prefix.
    Table(&'static str),
    Walls,
}

impl Key {
    /// The keys of the table with a prefix, and what they name; one that names a table comes once for each key in it.
    fn all(prefix: &'static str) -> impl Iterator<Item = (&'static str, Self)> {
        let numbers = Param::all().filter_map(move |param| {
            let rest = param.key.strip_prefix(prefix)?;
            Some(match rest.split_once('.') {
                None => (rest, Self::Number(param)),
                Some((table, _)) => (table, Self::Table(&param.key[..=prefix.len() + table.len()])),
            })
        });
        numbers.chain(prefix.is_empty().then_some(("walls", Self::Walls)))
    }
}

/// Reads a key of the table with this prefix.
struct Prefix(&'static str);

impl<'de> DeserializeSeed<'de> for Prefix {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Key, D::Error> {
        let written = String::deserialize(from)?;
        let found = Key::all(self.0).find(|(key, _)| *key == written);
        found.map(|(_, key)| key).ok_or_else(|| {
            let mut known: Vec<_> = Key::all(self.0).map(|(key, _)| format!("`{key}`")).collect();
            known.dedup();
            // In the words of serde, of which scenes make "did you mean".
            Error::custom(format!("unknown field `{written}`, expected one of {}", known.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_it_names_changes() {
        let before = RulesSpec { spread: 0.1, walls: Walls::Open, ..RulesSpec::default() };
        let mut after = RulesSpec { threshold: 0.3, spreading_every: 4, ..before.clone() };
        after.friction.on_liquid = 0.25;
        let change = RulesChange::between(&before, &after);
        assert_eq!(change.applied(before.clone()), after);
        let other = change.applied(RulesSpec::default());
        assert_eq!((other.spread, other.walls, other.threshold), (0.2, Walls::Closed, 0.3));
        assert!(RulesChange::between(&before, &before).is_empty());
        assert_eq!(RulesChange::from(after.clone()).applied(RulesSpec::default()), after);
    }

    #[test]
    fn two_changes_become_one() {
        let [first, second, third] = [0.1, 0.2, 0.3].map(|spread| RulesSpec { spread, ..RulesSpec::default() });
        let one = RulesChange::between(&first, &RulesSpec { walls: Walls::Open, ..second.clone() });
        let both = one.then(&RulesChange::between(&second, &third));
        let expected = RulesSpec { walls: Walls::Open, ..third };
        assert_eq!(both.applied(first), expected);
    }

    #[test]
    fn every_key_has_its_range() {
        for param in Param::all() {
            let mut rules = RulesSpec::default();
            (param.set)(&mut rules, 2.0 * param.high + 1.0);
            let change = RulesChange::between(&RulesSpec::default(), &rules);
            let refused = change.validate("event[2].rules").expect_err(param.key);
            assert_eq!(refused.key, format!("event[2].rules.{}", param.key));
        }
        assert_eq!(
            RulesChange::default().validate("rules").expect_err("it names nothing").to_string(),
            "rules = {}: must be a table that names a key; keys left out stay as they are"
        );
    }
}
