//! JSON schema of scene files, for completion and validation in editors.

use serde_json::{Map, Value as Json, json};

use super::{BarrierSpec, FlowSpec, HeaterSpec, Model, SceneSpec, Seconds, VentTable};
use lavoxel_air::AirSpec;
use lavoxel_automaton::matter::{Material, Reaction, Terms};
use lavoxel_automaton::world::Shape;
use lavoxel_base::param::{Entry, Form, Value};
use lavoxel_flow::Heats;
use lavoxel_sim::goals::GoalSpec;

/// Returns the JSON schema (draft 7) of scene files: every key with type, range, default and
/// description; all other keys are forbidden.
pub fn schema() -> Json {
    let mut schema = of_form(
        &SceneSpec::form(),
        &defaults(),
        (f64::NEG_INFINITY, f64::INFINITY),
    );
    schema.insert(
        "$schema".to_owned(),
        json!("http://json-schema.org/draft-07/schema#"),
    );
    schema.insert("title".to_owned(), json!("Lavoxel scene"));
    Json::Object(schema)
}

/// Returns a scene as JSON in which every key has its default value.
pub(super) fn defaults() -> Json {
    let vent = VentTable {
        air: Some(Box::default()),
        ..VentTable::default()
    };
    let reaction = Reaction {
        takes: Terms::default(),
        makes: Terms::default(),
        near: None,
        above: 0.0,
        place: None,
        rate: 1.0,
        chance: 1.0,
        energy: 0.0,
        heat: None,
    };
    let heater = HeaterSpec {
        shape: Shape::Below { level: 1.0 },
        heats: Heats::default(),
        power_w: 0.0,
        up_to_k: None,
        from: Seconds(0.0),
        until: None,
    };
    let goal = GoalSpec {
        name: String::new(),
        material: "lava".to_owned(),
        shape: Shape::Below { level: 1.0 },
        keep_below: None,
        reach: None,
        fill: None,
        until: 1,
    };
    let spec = SceneSpec {
        model: Model::Flow,
        goals: vec![goal],
        flow: Some(FlowSpec {
            start: Some(Box::default()),
            ..FlowSpec::default()
        }),
        vents: vec![vent],
        materials: vec![Material::unnamed()],
        reactions: vec![reaction],
        barriers: vec![BarrierSpec::default()],
        heaters: vec![heater],
        air: Some(AirSpec::default()),
        ..SceneSpec::default()
    };
    // Serialized through text, which preserves 0.42 for an `f32`; a conversion to `f64` gives
    // 0.41999998688697815.
    let text = serde_json::to_string(&spec).unwrap_or_default();
    let mut defaults = serde_json::from_str(&text).unwrap_or(Json::Null);
    defaults["model"] = json!("classic");
    defaults["default_reactions"] = json!(true);
    // Default values that serialization omits.
    defaults["grid"]["capacity"] = json!("shared");
    defaults["rules"]["roof"] = json!("closed");
    for key in ["above", "energy"] {
        defaults["reaction"][0][key] = json!(0.0);
    }
    for list in ["source", "fume"] {
        defaults[list] = defaults["vent"].clone();
    }
    defaults
}

/// Returns the JSON schema of a value whose type is `form`. `default`: its default value; `range`:
/// lowest and highest number that it may contain.
fn of_form(form: &Form, default: &Json, range: (f64, f64)) -> Map<String, Json> {
    let schema = match form {
        Form::Number => number("number", range),
        Form::Whole => number("integer", (range.0.max(0.0), range.1.min(i64::MAX as f64))),
        Form::Switch => json!({ "type": "boolean" }),
        Form::Text => json!({ "type": "string" }),
        Form::Words(words) => json!({ "type": "string", "enum": words }),
        Form::List(of, None) => {
            json!({ "type": "array", "items": of_form(of, &default[0], range) })
        }
        Form::List(of, Some(length)) => {
            let items = of_form(of, &Json::Null, range);
            json!({ "type": "array", "items": items, "minItems": length, "maxItems": length })
        }
        Form::Map(of) => {
            let values = of_form(of, &Json::Null, range);
            json!({ "type": "object", "additionalProperties": values })
        }
        Form::Table(keys) => of_table(keys, default),
        Form::Either(forms) => {
            let forms: Vec<_> = forms
                .iter()
                .map(|form| of_form(form, &Json::Null, range))
                .collect();
            json!({ "anyOf": forms })
        }
    };
    if let Json::Object(schema) = schema {
        schema
    } else {
        Map::new()
    }
}

fn number(of_type: &str, (low, high): (f64, f64)) -> Json {
    let mut schema = json!({ "type": of_type });
    for (limit, value) in [("minimum", low), ("maximum", high)] {
        if value.is_finite() {
            schema[limit] = if value == value.trunc() && value.abs() < 1e15 {
                json!(value as i64)
            } else {
                json!(value)
            };
        }
    }
    schema
}

fn of_table(keys: &[Entry], defaults: &Json) -> Json {
    let properties: Map<_, _> = keys
        .iter()
        .map(|key| (key.key.to_owned(), of_key(key, &defaults[key.key])))
        .collect();
    let required: Vec<_> = keys
        .iter()
        .filter(|key| key.must)
        .map(|key| key.key)
        .collect();
    let mut schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let kinds = of_kinds(keys, defaults);
    if !kinds.is_empty() {
        schema["allOf"] = json!(kinds);
    }
    schema
}

/// Returns, for a table whose keys depend on its kind, one JSON schema per kind with the keys that
/// the kind allows; an empty list for any other table.
fn of_kinds(keys: &[Entry], defaults: &Json) -> Vec<Json> {
    let Some(Entry {
        key: tag,
        form: Form::Words(kinds),
        ..
    }) = keys.first()
    else {
        return Vec::new();
    };
    if keys.iter().all(|key| key.kinds.is_empty()) {
        return Vec::new();
    }
    let of_kind = |kind: &&str| {
        let fits = |key: &&Entry| key.kinds.is_empty() || key.kinds.contains(kind);
        let names: Vec<_> = keys.iter().filter(fits).map(|key| key.key).collect();
        // A table without a kind has the default kind.
        let named = if defaults[tag] == json!(kind) {
            json!([])
        } else {
            json!([tag])
        };
        json!({
            "if": { "properties": { *tag: { "const": kind } }, "required": named },
            "then": { "propertyNames": { "enum": names } },
        })
    };
    kinds.iter().map(of_kind).collect()
}

fn of_key(key: &Entry, default: &Json) -> Json {
    let mut schema = of_form(&key.form, default, key.range);
    let unit = if key.unit.is_empty() {
        String::new()
    } else {
        format!(" [{}]", key.unit)
    };
    let words = format!("{}{unit}", key.what.trim_end_matches('.'));
    if !words.is_empty() {
        schema.insert("description".to_owned(), json!(words));
    }
    let is_table =
        matches!(default, Json::Object(_)) || default.get(0).is_some_and(Json::is_object);
    if !key.must && !is_table && !default.is_null() && !is_empty(default) {
        schema.insert("default".to_owned(), default.clone());
    }
    Json::Object(schema)
}

fn is_empty(default: &Json) -> bool {
    default.as_array().is_some_and(Vec::is_empty) || default.as_str().is_some_and(str::is_empty)
}
