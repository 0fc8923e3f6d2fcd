//! `lavoxel run`: maps and fields.

use serde_json::Value;

use crate::place::{Place, text};

const MAPS: &str = "--map thickness=out/t.tif --map arrival=a.asc --map max-thickness=m.tiff --map peak-energy=p.tif \
                    --map surface=s.tif --map ground=g.asc --npz all.npz";

#[test]
fn run_writes_maps_and_fields() {
    let place = Place::new();
    let output = place.run(&format!("run small.toml --json {MAPS}"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let printed: Vec<_> = text(&output.stderr).lines().map(str::to_owned).collect();
    let names = ["out/t.tif", "a.asc", "m.tiff", "p.tif", "s.tif", "g.asc", "all.npz"];
    assert_eq!(printed, names.map(|name| format!("{name} (step 20)")));
    assert_eq!(place.files(), ["a.asc", "all.npz", "g.asc", "m.tiff", "out/t.tif", "p.tif", "s.tif", "small.toml"]);

    let arrival = text(&place.read("a.asc"));
    assert!(arrival.starts_with("ncols 24\nnrows 24\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n"));
    let came = arrival.lines().skip(6).flat_map(|row| row.split(' ')).filter(|&step| step != "-9999").count();
    assert!(came as u64 >= report["covered_columns"].as_u64().unwrap() && came > 10, "{came} columns");

    // The slow engine sees the same, and the report is that of a run without maps.
    let before: Vec<_> = names.map(|name| place.read(name)).into();
    let again = place.json(&format!("run small.toml --json --quiet --force --engine plain {MAPS}"));
    assert_eq!(before, names.map(|name| place.read(name)));
    let bare = place.json("run small.toml --json --quiet");
    assert_eq!((&again["state_hash"], &bare["state_hash"]), (&report["state_hash"], &report["state_hash"]));
}

#[test]
fn maps_of_a_resumed_run_are_those_of_one_that_was_never_stopped() {
    let place = Place::new();
    let maps = |name: &str| {
        format!(
            "--map arrival={name}a.tif --map max-thickness={name}m.tif --map peak-energy={name}p.asc --npz {name}.npz"
        )
    };
    place.done(&format!("run small.toml --steps 20 --quiet {}", maps("whole-")));
    place.done(&format!("run small.toml --steps 9 --quiet --checkpoint half.lavoxel {}", maps("half-")));
    place.done("run small.toml --steps 9 --quiet --checkpoint bare.lavoxel");
    place.done(&format!("resume half.lavoxel --steps 20 --quiet {}", maps("resumed-")));
    for end in ["a.tif", "m.tif", "p.asc", ".npz"] {
        let [whole, resumed, half] = ["whole-", "resumed-", "half-"].map(|name| place.read(&format!("{name}{end}")));
        assert!(whole == resumed && whole != half, "{end}");
    }
    // Records that were not kept cannot be made up.
    let line = place.refused("resume bare.lavoxel --steps 20 --map arrival=late.tif");
    assert!(line.contains("no records of its 9 steps"), "{line}");
    place.done("resume bare.lavoxel --steps 20 --quiet --map thickness=now.tif");
}

#[test]
fn maps_that_cannot_be_written_are_refused_before_the_work() {
    let place = Place::new();
    place.put("there.tif", "mine");
    place.put("plan.prj", "mine");
    place.put("huge.toml", "[grid]\nsize = [8192, 64, 8192]");
    // So many steps would not end before the test does.
    let run = "run small.toml --steps 1000000000";
    for (args, part) in [
        ("--map thickness", "must be NAME=FILE"),
        ("--map thickness=", "must be NAME=FILE"),
        (
            "--map depth=d.tif",
            "no map \"depth\"; maps are thickness, arrival, max-thickness, peak-energy, surface, ground",
        ),
        ("--map thickness=t.png", "no map format ends in \"png\""),
        ("--map thickness=t", "no map format ends in \"\""),
        ("--map thickness=there.tif", "there.tif exists already: choose another name, or pass --force"),
        ("--map thickness=plan.asc", "plan.prj exists already"),
        ("--map thickness=t.tif --map arrival=t.tif", "two outputs cannot have the same name"),
        ("--npz all.zip", "let the name end in .npz"),
    ] {
        let line = place.refused(&format!("{run} {args}"));
        assert!(line.contains(part), "{args}\n{line}");
    }
    let line = place.refused("run huge.toml --npz all.npz");
    assert!(line.contains("grid.size = [8192, 64, 8192]: must be at most"), "{line}");
    for args in ["--map thickness=small.toml/t.tif", "--npz small.toml/all.npz", "--force --map surface=."] {
        place.refused_with(if args.contains("surface") { 2 } else { 1 }, &format!("{run} {args}"));
    }
}
