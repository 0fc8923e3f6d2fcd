//! Lava parameters in a `[[material]]` table or in the `material` of an `[[event]]`: before the
//! scene is parsed, these keys are moved to `[rules]` and `[look]`, which store their values.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::SceneError;
use super::error::with_nearest_name;
use super::wording::line_at;
use lavoxel_automaton::matter::Material;
use lavoxel_base::param::Value;
use lavoxel_base::validate::{Invalid, escape_for_terminal};
use lavoxel_sim::simulation::EventSpec;

/// Serialises the material tables. The table of the lava omits parameters that `[rules]` and
/// `[look]` store.
pub(super) fn write<S: Serializer>(materials: &[Material], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Written<'a> {
        Lava {
            name: &'a str,
            density: f64,
            elements: &'a BTreeMap<String, u32>,
        },
        Other(&'a Material),
    }
    to.collect_seq(materials.iter().map(|material| match material {
        Material {
            name,
            density,
            elements,
            ..
        } if material.carries_energy() => Written::Lava {
            name,
            density: *density,
            elements,
        },
        other => Written::Other(other),
    }))
}

/// Parsed TOML value with its byte range in the text.
type Placed<'t> = Spanned<DeValue<'t>>;

/// Value removed from a table of the lava, the table and the key to which the value is moved, and
/// its dotted key as written in the scene.
struct Taken<'t> {
    table: &'static str,
    key: &'static str,
    written: String,
    value: Placed<'t>,
}

/// Record of moved values, as pairs (dotted key to which the value was moved, dotted key as written
/// in the scene).
#[derive(Default)]
pub(super) struct Moved(Vec<(String, String)>);

impl Moved {
    /// Returns the error `invalid` with the key as written in the scene instead of the key to which
    /// the value was moved.
    pub(super) fn as_written(&self, mut invalid: Invalid) -> Invalid {
        for (kept, written) in &self.0 {
            if let Some(rest) = invalid
                .key
                .strip_prefix(kept)
                .filter(|rest| !rest.starts_with(char::is_alphanumeric))
            {
                invalid.key = format!("{written}{rest}");
                break;
            }
        }
        invalid
    }
}

/// Returns the table in `value` mutably; `None` if the value is not a table.
fn table_of<'a, 't>(value: &'a mut Placed<'t>) -> Option<&'a mut DeTable<'t>> {
    if let DeValue::Table(table) = value.get_mut() {
        Some(table)
    } else {
        None
    }
}

/// Iterates over the tables in the array named `list` of the parsed scene `scene`, as pairs (index,
/// table).
fn tables_of<'a, 't>(
    scene: &'a mut DeTable<'t>,
    list: &str,
) -> impl Iterator<Item = (usize, &'a mut DeTable<'t>)> {
    let list: &mut [Placed<'t>] = match scene.get_mut(list).map(Spanned::get_mut) {
        Some(DeValue::Array(list)) => list,
        _ => &mut [],
    };
    list.iter_mut()
        .enumerate()
        .filter_map(|(i, value)| Some((i, table_of(value)?)))
}

fn is_lava(table: &DeTable<'_>) -> bool {
    matches!(table.get("name").map(Spanned::get_ref), Some(DeValue::String(name)) if name == Material::LAVA)
}

/// Removes the keys that belong to `[rules]` from `table`, a table of the lava, and appends their
/// values to `from`. `name`: name of `table` in messages.
fn take<'t>(table: &mut DeTable<'t>, name: &str, from: &mut Vec<Taken<'t>>) {
    for (own, key) in Material::lava_keys() {
        let taken = |value| Taken {
            table: "rules",
            key,
            written: format!("{name}.{own}"),
            value,
        };
        from.extend(table.remove(own).map(taken));
    }
}

/// Moves the lava parameters in all tables of the lava to `[rules]` and `[look]`. Returns the
/// record of the moves. `origin` and `text`: path and text of the scene, for messages.
pub(super) fn take_lava(
    scene: &mut DeTable<'_>,
    (origin, text): (&std::path::Path, &str),
) -> Result<Moved, SceneError> {
    let (mut taken, mut moved) = (Vec::new(), Moved::default());
    for (i, table) in tables_of(scene, "material").filter(|(_, table)| is_lava(table)) {
        let name = format!("material[{i}]");
        check_keys(table).map_err(|(message, at)| SceneError::Text {
            path: origin.to_owned(),
            line: line_at(text, at),
            message,
        })?;
        take(table, &name, &mut taken);
        let Some(look) = table.get_mut("look").and_then(table_of) else {
            continue;
        };
        let of_look = |value| Taken {
            table: "look",
            key: "opacity",
            written: format!("{name}.look.opacity"),
            value,
        };
        taken.extend(look.remove("opacity").map(of_look));
    }
    let invalid = |invalid| SceneError::in_text(origin, text, invalid);
    taken
        .into_iter()
        .try_for_each(|taken| store_value(scene, taken, text, &mut moved))
        .map_err(invalid)?;
    for (i, event) in tables_of(scene, "event") {
        take_event(event, i, text, &mut moved).map_err(invalid)?;
    }
    Ok(moved)
}

/// Checks that `table`, a table of the lava, has no unknown keys; the error is (message, byte
/// position of the key).
fn check_keys(table: &DeTable<'_>) -> Result<(), (String, usize)> {
    let known: Vec<_> = Material::form()
        .entries()
        .iter()
        .map(|entry| entry.key)
        .collect();
    let Some(wrong) = table
        .keys()
        .find(|key| !known.contains(&key.get_ref().as_ref()))
    else {
        return Ok(());
    };
    let message = format!(
        "unknown field `{}`, expected one of `{}`",
        escape_for_terminal(wrong.get_ref()),
        known.join("`, `")
    );
    Err((with_nearest_name(&message), wrong.span().start))
}

/// Converts the event with the index `i` from a change of the lava material to a change of the
/// rules, and records the moves in `moved`. `text`: text of the scene, for messages.
fn take_event(
    event: &mut DeTable<'_>,
    i: usize,
    text: &str,
    moved: &mut Moved,
) -> Result<(), Invalid> {
    let name = format!("event[{i}].material");
    let Some(lava) = event
        .get_mut("material")
        .and_then(table_of)
        .filter(|lava| is_lava(lava))
    else {
        return Ok(());
    };
    let mut taken = Vec::new();
    take(lava, &name, &mut taken);
    if let Some(key) = lava.keys().find(|key| key.get_ref() != "name") {
        return Err(Invalid::new(
            &format!("{name}.{}", key.get_ref()),
            "set",
            Material::OF_LAVA,
        ));
    }
    if taken.is_empty() {
        return Err(Invalid::new(
            &name,
            format!("only the name {:?}", Material::LAVA),
            "one that names a parameter, too; those left out stay as they are",
        ));
    }
    if event.contains_key("rules") {
        return Err(Invalid::new(
            &format!("event[{i}]"),
            "rules and material",
            EventSpec::ONE_COMMAND,
        ));
    }
    event.remove("material");
    let mut own = Moved::default();
    taken
        .into_iter()
        .try_for_each(|taken| store_value(event, taken, text, &mut own))?;
    moved.0.extend(
        own.0
            .into_iter()
            .map(|(kept, written)| (format!("event[{i}].{kept}"), written)),
    );
    Ok(())
}

/// Moves the value `taken` to its table within `into`, which is the whole scene or an event, and
/// records the move in `moved`. `text`: text of the scene, for messages.
fn store_value<'t>(
    into: &mut DeTable<'t>,
    taken: Taken<'t>,
    text: &str,
    moved: &mut Moved,
) -> Result<(), Invalid> {
    let Taken {
        table,
        key,
        written,
        value,
    } = taken;
    let span = value.span();
    let empty = || Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
    let kept = into
        .entry(Spanned::new(span.clone(), table.into()))
        .or_insert_with(empty);
    // If the target is not a table, the scene parser reports the error later.
    let Some(kept) = table_of(kept) else {
        return Ok(());
    };
    let names = (format!("{table}.{key}"), written);
    merge(
        kept,
        Spanned::new(span.clone(), key.into()),
        value,
        names,
        text,
        moved,
    )
}

/// Inserts `value` under `key` and records the move in `moved`; returns an error if the table has a
/// different value under the same key. `names`: (key to which the value is moved, key as written in
/// the scene).
fn merge<'t>(
    into: &mut DeTable<'t>,
    key: Spanned<toml::de::DeString<'t>>,
    value: Placed<'t>,
    names: (String, String),
    text: &str,
    moved: &mut Moved,
) -> Result<(), Invalid> {
    let (kept, written) = &names;
    let Some(there) = into.get_mut(key.get_ref().as_ref()) else {
        into.insert(key, value);
        moved.0.push(names);
        return Ok(());
    };
    if let (Some(there), DeValue::Table(_)) = (table_of(there), value.get_ref()) {
        let DeValue::Table(inner) = value.into_inner() else {
            return Ok(());
        };
        return inner.into_iter().try_for_each(|(key, value)| {
            let names = (
                format!("{kept}.{}", key.get_ref()),
                format!("{written}.{}", key.get_ref()),
            );
            merge(there, key, value, names, text, moved)
        });
    }
    let shown =
        |value: &Placed<'_>| escape_for_terminal(text.get(value.span()).unwrap_or_default());
    // Equal values under both keys are not a conflict.
    if is_same(there.get_ref(), value.get_ref()) {
        return Ok(());
    }
    let expected = format!(
        "{} as {kept}, or left out there or here: both keys have one value",
        shown(there)
    );
    Err(Invalid::new(written, shown(&value), expected))
}

/// Returns true if two TOML values are equal; numbers are compared by value, so that `1` equals
/// `1.0`.
fn is_same(one: &DeValue<'_>, other: &DeValue<'_>) -> bool {
    let number = |value: &DeValue<'_>| match value {
        DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => None,
    };
    match (one, other) {
        (DeValue::Array(one), DeValue::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(&other[..])
                    .all(|(a, b)| is_same(a.get_ref(), b.get_ref()))
        }
        _ => number(one).is_some() && number(one) == number(other),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::scene::Scene;
    use lavoxel_automaton::matter::Kind;

    #[test]
    fn lava_alone_is_viscous_and_once_was_called_a_liquid() {
        let read = |material: &str| {
            let text = format!(
                "[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n[[material]]\n{material}"
            );
            Scene::parse(&text, Path::new("test"))
                .map(|scene| scene.materials()[0].kind)
                .map_err(|error| error.to_string())
        };
        for material in [
            "name = \"lava\"",
            "name = \"lava\"\nkind = \"liquid\"",
            "name = \"lava\"\nkind = \"viscous\"",
        ] {
            assert_eq!(read(material), Ok(Kind::Viscous), "{material}");
        }
        for (material, wrong) in [
            (
                "name = \"lava\"\nkind = \"gas\"",
                "material[0].kind = set: must be left out",
            ),
            (
                "name = \"tar\"\nkind = \"viscous\"",
                "material[0].kind = \"viscous\": must be another kind: only \"lava\" is viscous",
            ),
        ] {
            let refused = read(material).expect_err(material);
            assert!(refused.contains(wrong), "{refused}");
        }
    }
}
