//! Tests of scenes with several materials: every command knows every material by its name.

use serde_json::Value;

use super::place::{Place, SMALL, WATER, text};

fn wet() -> Place {
    let place = Place::new();
    place.write_file(
        "wet.toml",
        format!("default_reactions = false\n{SMALL}{WATER}"),
    );
    place
}

#[test]
fn the_report_has_an_exact_account_for_every_material() {
    let place = wet();
    let report = place.json("run wet.toml --steps 60 --json");
    let water = &report["materials"]["water"];
    let number = |key: &str| {
        water[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key} in {report}"))
    };
    let unit = report["unit"].as_u64().unwrap();
    assert_eq!(number("initial_units"), 24 * 2 * 6 * unit);
    assert_eq!(
        number("sourced_units") + number("blocked_units"),
        60 * unit * 3 / 4
    );
    let gone = number("outflow_units") + number("solidified_units") + number("removed_units");
    assert_eq!(
        number("initial_units") + number("sourced_units"),
        number("mass_units") + gone
    );
    assert!(
        number("liquid_cells") > 0 && number("covered_columns") > 0,
        "{report}"
    );
    let cubic = number("mass_units") as f64 / unit as f64 * 1000.0;
    assert!(
        (water["volume_m3"].as_f64().unwrap() - cubic).abs() < 1e-6 * cubic,
        "{report}"
    );
    for stage in ["gravity", "spreading", "squeeze", "level"] {
        assert!(
            report["timings_ms"][stage]
                .as_f64()
                .is_some_and(|ms| ms > 0.0),
            "{stage} in {report}"
        );
    }

    let lines = place.done("run wet.toml --steps 60");
    assert!(
        lines.contains("\nwater       333.000 full cells now ("),
        "{lines}"
    );
    assert!(
        lines.contains("\n            288.000 at step 0, 45.000 poured and put in, 0.000 left through the sides\n"),
        "{lines}"
    );
    let dry = place.json("run small.toml --json");
    assert!(dry.get("materials").is_none(), "{dry}");
}

#[test]
fn maps_of_every_material_can_be_asked_for_and_go_on_after_a_checkpoint() {
    let place = wet();
    let maps = |name: &str| {
        format!(
            "--map water.thickness={name}t.tif --map water.arrival={name}a.asc --map lava.arrival={name}l.asc --npz {name}.npz"
        )
    };
    place.done(&format!(
        "run wet.toml --steps 30 --quiet {}",
        maps("whole-")
    ));
    place.done(&format!(
        "run wet.toml --steps 13 --quiet --checkpoint half.lvx {}",
        maps("half-")
    ));
    place.done(&format!(
        "resume half.lvx --steps 30 --quiet {}",
        maps("resumed-")
    ));
    for end in ["t.tif", "a.asc", "l.asc", ".npz"] {
        let [whole, resumed, half] =
            ["whole-", "resumed-", "half-"].map(|name| place.read(&format!("{name}{end}")));
        assert!(whole == resumed && whole != half, "{end}");
    }
    assert_ne!(place.read("whole-a.asc"), place.read("whole-l.asc"));
}

#[test]
fn slices_show_any_quantity() {
    let place = wet();
    for field in [
        "amount",
        "energy",
        "specific-energy",
        "solid",
        "water.amount",
        "lava.amount",
    ] {
        place.done(&format!(
            "render wet.toml --slice y=10 --field {field} --picture {field}.png --size 320x240 -q"
        ));
    }
    assert_eq!(place.read("amount.png"), place.read("lava.amount.png"));
    assert_ne!(place.read("amount.png"), place.read("water.amount.png"));
}

#[test]
fn a_quantity_that_is_not_there_is_refused_with_those_that_are() {
    let place = wet();
    let maps = "maps are thickness, arrival, max-thickness, peak-energy, surface, ground, water.thickness, \
                water.arrival, water.max-thickness, water.surface";
    let fields = "fields are amount, energy, specific-energy, solid, water.amount";
    // The steps would outlast the test, so the refusal must come before the first.
    for (args, message) in [
        (
            "run wet.toml --steps 1000000000 --map water.heat=w.tif",
            maps,
        ),
        (
            "run wet.toml --steps 1000000000 --map oil.thickness=w.tif",
            maps,
        ),
        (
            "render wet.toml --steps 1000000000 --slice x=3 --picture a.png --field water.energy",
            fields,
        ),
        (
            "render wet.toml --steps 1000000000 --slice x=3 --picture a.png --field heat",
            fields,
        ),
    ] {
        let line = place.refused(args);
        assert!(
            line.contains(message) && line.contains("there is no "),
            "{args}\n{line}"
        );
    }
    let line = place.refused("run small.toml --steps 1000000000 --map water.thickness=w.tif");
    assert!(
        line.contains("no map \"water.thickness\"; maps are thickness, "),
        "{line}"
    );
    assert_eq!(place.files(), ["small.toml", "wet.toml"]);
}

#[test]
fn volumes_and_meshes_have_every_material() {
    let place = wet();
    let output = place.run(
        "run wet.toml --steps 9 --json --volume a.vti --volume a.vdb --mesh a.glb --mesh a.ply",
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let _: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (name, part) in [
        ("a.vti", "Name=\"water.amount\""),
        ("a.vdb", "water_density"),
        ("a.glb", "\"name\":\"water\""),
        ("a.ply", "comment material 1: water"),
    ] {
        assert!(
            String::from_utf8_lossy(&place.read(name)).contains(part),
            "{name}"
        );
    }
}
