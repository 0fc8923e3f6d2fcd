//! Lava of a scene: the name of a preset, or a table of changes to a preset.

use serde::{Deserialize, Serialize, Serializer};
use toml::{Table, Value};

use lavoxel_base::param::{Entry, Form};
use lavoxel_flow::Lava;

/// Name of the lava preset that scenes use by default.
const USUAL: &str = "etna-basalt";

/// Lava parameters of a scene, and the preset on which they are based.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub struct LavaSpec {
    /// Name of the preset on which the lava is based.
    pub preset: String,
    /// Parameters of the lava: those of the preset with the changes of the scene.
    pub lava: Lava,
}

impl Default for LavaSpec {
    fn default() -> Self {
        Self {
            preset: USUAL.to_owned(),
            lava: Lava::default(),
        }
    }
}

impl LavaSpec {
    /// Creates the lava from the preset `name`.
    ///
    /// # Errors
    /// Message with the names of all presets.
    pub fn preset(name: &str) -> Result<Self, String> {
        let lava = Lava::preset(name).ok_or_else(|| {
            let known = Lava::PRESETS.map(|name| format!("\"{name}\"")).join(", ");
            let name = lavoxel_base::validate::escape_for_terminal(name);
            format!("flow.lava = \"{name}\": must be one of {known}")
        })?;
        Ok(Self {
            preset: name.to_owned(),
            lava,
        })
    }

    /// Returns a table of the parameters that differ from those of the preset; `None` if the lava
    /// cannot be serialised.
    fn changes(&self) -> Option<Table> {
        let base = Lava::preset(&self.preset).and_then(|lava| table_of(&lava));
        let own = table_of(&self.lava)?;
        let differs = |(key, value): &(String, Value)| {
            base.as_ref().and_then(|base| base.get(key)) != Some(value)
        };
        Some(own.into_iter().filter(differs).collect())
    }
}

impl lavoxel_base::param::Value for LavaSpec {
    fn form() -> Form {
        let names = Form::Words(Lava::PRESETS.to_vec());
        let preset = Entry::new(
            "preset",
            names.clone(),
            "Preset from which the table starts.",
        );
        let keys = [preset].into_iter().chain(Lava::form().entries());
        Form::Either(vec![names, Form::Table(keys.collect()).relaxed()])
    }
}

impl Serialize for LavaSpec {
    /// Serialises the lava: as the name of the preset if it has no changes, otherwise as a table of
    /// the changes.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let changes = self
            .changes()
            .ok_or_else(|| serde::ser::Error::custom("flow.lava is no table"))?;
        if changes.is_empty() {
            return serializer.serialize_str(&self.preset);
        }
        let preset = [("preset".to_owned(), Value::String(self.preset.clone()))];
        serializer.collect_map(preset.into_iter().chain(changes))
    }
}

impl TryFrom<Value> for LavaSpec {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let mut table = match value {
            Value::String(name) => return Self::preset(&name),
            Value::Table(table) => table,
            other => {
                return Err(format!(
                    "flow.lava = {}: must be the name of a preset, or a table",
                    shown(&other)
                ));
            }
        };
        let base = match table.remove("preset") {
            None => Self::default(),
            Some(Value::String(name)) => Self::preset(&name)?,
            Some(other) => return Err(wrong("flow.lava.preset", &other, "a text in quotes")),
        };
        let mut all = table_of(&base.lava).ok_or("flow.lava is no table")?;
        merge("flow.lava", &mut all, table)?;
        let lava = Lava::deserialize(Value::Table(all))
            .map_err(|error| format!("flow.lava: {}", error.message()))?;
        Ok(Self {
            preset: base.preset,
            lava,
        })
    }
}

/// Returns a table with all parameters of `lava`; `None` if serialisation fails.
fn table_of(lava: &Lava) -> Option<Table> {
    Table::try_from(lava).ok()
}

/// Merges `changes` into `table`, the table of the key `key`; a key that `table` lacks is an error.
/// A nested table is merged if its `law` or `kind` stays the same, and replaced otherwise.
fn merge(key: &str, table: &mut Table, changes: Table) -> Result<(), String> {
    for (name, value) in changes {
        let path = format!("{key}.{name}");
        let Some(old) = table.get_mut(&name) else {
            let known = table.keys().cloned().collect::<Vec<_>>().join(", ");
            let near = table
                .keys()
                .max_by(|a, b| likeness(a, &name).total_cmp(&likeness(b, &name)));
            let hint = near
                .filter(|near| likeness(near, &name) > 0.7)
                .map(|near| format!("did you mean `{near}`? "));
            let path = lavoxel_base::validate::escape_for_terminal(&path);
            return Err(format!(
                "unknown key `{path}`: {}(known here: {known})",
                hint.unwrap_or_default()
            ));
        };
        match (old, value) {
            (old @ Value::Table(_), Value::Table(inner)) => put_table(&path, old, inner)?,
            (Value::Table(_), other) => return Err(wrong(&path, &other, "a table")),
            (old @ Value::Float(_), Value::Integer(number)) => *old = Value::Float(number as f64),
            (old @ Value::Float(_), Value::Float(number)) => *old = Value::Float(number),
            (Value::Float(_), other) => return Err(wrong(&path, &other, "a number")),
            (old @ Value::Boolean(_), value @ Value::Boolean(_)) => *old = value,
            (Value::Boolean(_), other) => return Err(wrong(&path, &other, "true or false")),
            (old, value @ Value::String(_)) => *old = value,
            (_, other) => return Err(wrong(&path, &other, "a text in quotes")),
        }
    }
    Ok(())
}

/// Merges the nested table `inner` into `old`; replaces `old` if the `law` or `kind` differs.
/// `path`: dotted key for messages.
fn put_table(path: &str, old: &mut Value, inner: Table) -> Result<(), String> {
    let Value::Table(table) = old else {
        return Ok(());
    };
    let tag = ["law", "kind"]
        .into_iter()
        .find(|tag| table.contains_key(*tag))
        .unwrap_or("law");
    let is_another = inner
        .get(tag)
        .is_some_and(|law| Some(law) != table.get(tag));
    if !is_another {
        return merge(path, table, inner);
    }
    // Integers are accepted for floating-point parameters.
    let number = |value| {
        if let Value::Integer(number) = value {
            Value::Float(number as f64)
        } else {
            value
        }
    };
    *old = Value::Table(
        inner
            .into_iter()
            .map(|(name, value)| (name, number(value)))
            .collect(),
    );
    Ok(())
}

fn likeness(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(a, b)
}

fn wrong(key: &str, value: &Value, expected: &str) -> String {
    format!(
        "{} = {}: must be {expected}",
        lavoxel_base::validate::escape_for_terminal(key),
        shown(value)
    )
}

fn shown(value: &Value) -> String {
    lavoxel_base::validate::escape_for_terminal(&value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_flow::{Cooling, Viscosity};

    fn read(text: &str) -> Result<LavaSpec, String> {
        let table: Table = text.parse().expect("TOML");
        LavaSpec::try_from(table["lava"].clone())
    }

    fn written(spec: &LavaSpec) -> String {
        #[derive(Serialize)]
        struct SceneTables<'a> {
            lava: &'a LavaSpec,
        }
        toml::to_string(&SceneTables { lava: spec }).expect("TOML")
    }

    #[test]
    fn a_preset_is_its_name_and_changes_are_a_table() {
        for name in Lava::PRESETS {
            let spec = read(&format!("lava = \"{name}\"")).expect(name);
            assert_eq!(written(&spec), format!("lava = \"{name}\"\n"));
        }
        let spec = read("lava = { preset = \"fogo-2014\", yield_pa = 1500, vent_k = 1400.5 }")
            .expect("right");
        assert_eq!(
            (spec.lava.yield_pa, spec.lava.vent_k, spec.lava.convection),
            (1500.0, 1400.5, 70.0)
        );
        assert_eq!(read(&written(&spec)), Ok(spec));
    }

    #[test]
    fn a_law_is_changed_in_part_or_replaced() {
        let spec = read("lava = { viscosity = { crystals = 20 }, cooling = { exposed = 0.1 } }")
            .expect("right");
        assert_eq!(
            spec.lava.viscosity,
            Viscosity::Etna {
                water: 0.02,
                crystals: 20.0
            }
        );
        assert!(
            matches!(spec.lava.cooling, Cooling::Skin { exposed: 0.1, .. }),
            "{:?}",
            spec.lava.cooling
        );
        let text = "lava = { viscosity = { law = \"constant\", pa_s = 100000 }, cooling = { kind = \"none\" } }";
        let other = read(text).expect("right");
        assert_eq!(
            (other.lava.viscosity, other.lava.cooling),
            (Viscosity::Constant { pa_s: 1e5 }, Cooling::None)
        );
        let text = "lava = { viscosity = { law = \"mader\", a = -4.55, b = 5343.7, c = 622, crystals_vent = 0.1, \
                    crystals_solidus = 0.4, bubbles = 0.3, drawn_out = true } }";
        let foam = read(text).expect("right");
        assert!(
            matches!(
                foam.lava.viscosity,
                Viscosity::Mader {
                    drawn_out: true,
                    packing: 0.656,
                    ..
                }
            ),
            "{:?}",
            foam.lava.viscosity
        );
        for spec in [spec, other, foam] {
            assert_eq!(read(&written(&spec)), Ok(spec));
        }
    }

    #[test]
    fn mistakes_are_named() {
        let refused = |text: &str| read(text).expect_err(text);
        for (text, message) in [
            (
                "lava = \"basalt\"",
                "flow.lava = \"basalt\": must be one of \"etna-basalt\"",
            ),
            (
                "lava = 3",
                "flow.lava = 3: must be the name of a preset, or a table",
            ),
            (
                "lava = { preset = 3 }",
                "flow.lava.preset = 3: must be a text in quotes",
            ),
            (
                "lava = { yield_pa = \"x\" }",
                "flow.lava.yield_pa = \"x\": must be a number",
            ),
            (
                "lava = { yeild_pa = 3 }",
                "unknown key `flow.lava.yeild_pa`: did you mean `yield_pa`?",
            ),
            (
                "lava = { viscosity = 3 }",
                "flow.lava.viscosity = 3: must be a table",
            ),
            (
                "lava = { viscosity = { pa_s = 3 } }",
                "unknown key `flow.lava.viscosity.pa_s`",
            ),
            (
                "lava = { cooling = { kind = \"skni\" } }",
                "flow.lava: unknown variant",
            ),
        ] {
            assert!(
                refused(text).starts_with(message),
                "{text}: {}",
                refused(text)
            );
        }
    }
}
