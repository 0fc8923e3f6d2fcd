//! Tests of `lavoxel bench`.

use lavoxel::rules::Rule;
use serde_json::Value;

use super::place::Place;

#[test]
#[ignore = "every world of the bench takes a minute; .ci/full: cargo test --test program -- --ignored bench_prints_its_table"]
fn bench_prints_its_table() {
    let place = Place::new();
    let table = place.json("bench --steps 1 --pictures 1 --json");
    assert_eq!(table["dims"], serde_json::json!([128, 100, 128]));
    assert_eq!(table["paper"]["spreading_ms"], 21.6);
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 14);
    for row in &rows[..11] {
        for stage in [
            "gravity_ms",
            "spreading_ms",
            "calm_ms",
            "lowpass_ms",
            "cinematic_ms",
            "scientific_ms",
            "hash_ms",
        ] {
            assert!(row[stage]["p50"].is_number(), "{stage}: {row}");
        }
    }
    // The rules of other materials are timed in the rows that have such materials, and each rule in
    // at least one row.
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(
            row["squeeze_ms"]["p50"].is_number(),
            (6..10).contains(&i),
            "{row}"
        );
    }
    // Fed lava does not calm down.
    for rule in Rule::NAMES
        .iter()
        .filter(|&&rule| rule != "calm")
        .chain(&["air"])
    {
        assert!(
            rows.iter()
                .any(|row| row[format!("{rule}_ms")]["p50"].is_number()),
            "{rule}: {table}"
        );
    }
    assert!(
        rows[11]["flow_ms"]["p50"].is_number() && rows[11]["gravity_ms"].is_null(),
        "{table}"
    );
    assert!(
        rows[12..]
            .iter()
            .all(|row| row["open_ms"]["p50"].as_f64().unwrap() > 0.0),
        "{table}"
    );
}

#[test]
fn bench_keeps_tables_and_compares_them() {
    let place = Place::new();
    // Only map rows: worlds would be made three times, and each row is saved and compared in the
    // same way.
    let bench = "bench --steps 3 --only open --pictures 2";
    let text = place.done(&format!("{bench} --save new/a.json --label first"));
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    let saved: Value = serde_json::from_slice(&place.read("new/a.json")).unwrap();
    assert_eq!(
        (&saved["label"], &saved["steps"]),
        (&"first".into(), &3.into())
    );
    assert!(
        place
            .refused(&format!("{bench} --save new/a.json"))
            .contains("new/a.json exists already")
    );

    // The table has the same rows with times a thousand times as long, from another machine.
    let slow = scaled(&saved, 1000.0);
    place.write_file("slow.json", slow.to_string());
    let compared = place.json(&format!("{bench} --compare slow.json --json"))["compared"].take();
    let changes = compared["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 2);
    assert!(
        changes.iter().all(|change| change["outside_noise"] == true),
        "{compared}"
    );
    assert!(
        changes
            .iter()
            .all(|change| change["ratio"].as_f64().unwrap() < 1.0),
        "{compared}"
    );
    assert_eq!(
        compared["warnings"][0]
            .as_str()
            .unwrap()
            .matches("not a loom")
            .count(),
        1
    );

    let text = place.done(&format!(
        "{bench} --compare slow.json --save new/a.json --force"
    ));
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    assert!(
        text.contains("against slow.json (first)") && text.matches("  faster").count() == 2,
        "{text}"
    );
    let saved: Value = serde_json::from_slice(&place.read("new/a.json")).unwrap();
    assert!(saved.get("label").is_none() && saved.get("compared").is_none());
}

/// Returns a saved table of benchmark rows with all times multiplied by `factor`, as from another
/// machine.
fn scaled(table: &Value, factor: f64) -> Value {
    let mut table = table.clone();
    table["machine"] = "a loom".into();
    for row in table["rows"].as_array_mut().unwrap() {
        for times in row
            .as_object_mut()
            .unwrap()
            .values_mut()
            .filter_map(Value::as_object_mut)
        {
            times
                .values_mut()
                .for_each(|ms| *ms = (ms.as_f64().unwrap() * factor).into());
        }
    }
    table
}

#[test]
fn bench_refuses_what_is_no_table() {
    let place = Place::new();
    let times = r#"{"mean": 1, "p10": 3, "p50": 2, "p90": 2, "p99": 2}"#;
    let table = |format: &str, times: &str| {
        format!(
            r#"{{"format": "{format}", "version": "1", "machine": "m", "threads": 1, "dims": [1, 1, 1], "steps": 1,
            "pictures": 1, "rows": [{{"world": "w", "open_ms": {times}}}]}}"#
        )
    };
    place.write_file("empty.json", "");
    place.write_file("list.json", "[1, 2]");
    place.write_file("deep.json", "[".repeat(100_000));
    place.write_file("bytes.json", b"\xff\xfe{}");
    place.write_file("long.json", " ".repeat(2 << 20));
    place.write_file("newer.json", table("lavoxel bench 9", times));
    place.write_file("upside-down.json", table("lavoxel bench 1", times));
    place.write_file("words.json", table("lavoxel bench 1", "\"fast\""));
    for name in [
        "empty",
        "list",
        "deep",
        "bytes",
        "long",
        "newer",
        "upside-down",
        "words",
        "missing",
    ] {
        let line = place.refused(&format!("bench --compare {name}.json --save out.json"));
        assert!(line.contains(&format!("{name}.json")), "{line}");
    }
}
