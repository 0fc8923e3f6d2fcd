//! Writes the exposure of map features as a table or a vector layer.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::Assets;
use lavoxel_files::input::ending;
use lavoxel_files::output::{Existing, OutputError, whole};
use lavoxel_files::table::quoted;

/// Results of one asset as pairs (name, value) in the order of the columns; values are null if lava
/// never arrived.
pub type AttributeRow = Vec<(Cow<'static, str>, Value)>;

/// Writes `rows`, one per asset, to `path`: as a table for the extension `.csv`, otherwise as
/// GeoJSON features that have the results as properties. `note`: caution that is written with the
/// results. Each row begins with the values that `about` returns.
///
/// # Errors
/// When the file cannot be written.
pub fn write(
    path: &Path,
    assets: &Assets,
    rows: &[AttributeRow],
    note: &str,
    existing: Existing,
) -> Result<(), OutputError> {
    let is_table = ending(path) == "csv";
    let text = if is_table {
        table(assets, rows)
    } else {
        document(assets, rows, note).to_string() + "\n"
    };
    whole(path, existing, |out| out.write_all(text.as_bytes()))
}

/// Returns the first values in the output row of the asset with the index `number` (from 0): number
/// from 1, name, geometry kind, number of columns, and `in_box` (`yes`, `in part` or `no`).
fn about(assets: &Assets, number: usize) -> AttributeRow {
    let asset = &assets.list[number];
    vec![
        ("feature".into(), json!(number + 1)),
        ("name".into(), json!(asset.name)),
        ("kind".into(), json!(asset.kind)),
        ("columns".into(), json!(asset.columns.len())),
        (
            "in_box".into(),
            json!(if asset.columns.is_empty() {
                "no"
            } else if asset.cut {
                "in part"
            } else {
                "yes"
            }),
        ),
    ]
}

fn table(assets: &Assets, rows: &[AttributeRow]) -> String {
    let all = || {
        rows.iter()
            .enumerate()
            .map(|(i, row)| about(assets, i).into_iter().chain(row.clone()))
    };
    let line = |fields: Vec<String>| fields.join(",") + "\n";
    let heading = all()
        .next()
        .map(|row| line(row.map(|(name, _)| name.into_owned()).collect()));
    let rows = all().map(|row| line(row.map(|(_, value)| field(&value)).collect()));
    heading.into_iter().chain(rows).collect()
}

/// Formats a JSON value as a field of a CSV file; null is an empty field.
fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => {
            let text: String = text
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
            quoted(&text)
        }
        other => other.to_string(),
    }
}

fn document(assets: &Assets, rows: &[AttributeRow], note: &str) -> Value {
    let feature = |(i, (feature, row)): (usize, (&Value, &AttributeRow))| {
        let mut feature = feature.clone();
        let own = feature
            .get("properties")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let added = about(assets, i)
            .into_iter()
            .chain(row.clone())
            .map(|(name, value)| (name.into_owned(), value));
        feature["properties"] = own.into_iter().chain(added).collect::<Map<_, _>>().into();
        feature
    };
    let features: Vec<Value> = assets
        .features
        .iter()
        .zip(rows)
        .enumerate()
        .map(feature)
        .collect();
    let mut document = Map::new();
    document.insert("type".into(), "FeatureCollection".into());
    if let Some(crs) = &assets.crs {
        document.insert("crs".into(), crs.clone());
    }
    document.insert("note".into(), note.into());
    document.insert("features".into(), features.into());
    document.into()
}

#[cfg(test)]
mod tests {
    use super::super::tests::assets;
    use super::*;

    #[test]
    fn rows_stand_behind_the_features() {
        let assets = assets(
            r#"{"type": "Feature", "properties": {"name": "A, \"B\"", "beds": 3}, "geometry": {"type": "Point", "coordinates": [35, 95]}},
               {"type": "Feature", "geometry": {"type": "Point", "coordinates": [900, 95]}}"#,
        )
        .expect("right");
        let rows = [
            vec![("arrival_h".into(), json!(2.5))],
            vec![("arrival_h".into(), Value::Null)],
        ];
        assert_eq!(
            table(&assets, &rows),
            "feature,name,kind,columns,in_box,arrival_h\n1,\"A, \"\"B\"\"\",point,1,yes,2.5\n2,feature 2,point,0,no,\n"
        );
        let document = document(&assets, &rows, "a note");
        assert_eq!(
            document.pointer("/features/0/properties/beds"),
            Some(&json!(3))
        );
        assert_eq!(
            document.pointer("/features/0/properties/arrival_h"),
            Some(&json!(2.5))
        );
        assert_eq!(
            document.pointer("/features/1/geometry/coordinates/0"),
            Some(&json!(900))
        );
        assert_eq!(document.get("crs"), Some(&Value::Null));
    }
}
