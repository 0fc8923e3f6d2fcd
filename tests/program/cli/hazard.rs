//! Tests of hazard maps: sampled eruptions, their files, and the resulting maps.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::Duration;

use geotiff_reader::GeoTiffFile;

use super::place::{Place, text};
use crate::child::Running;
use crate::common::one_in;

/// Returns the heightmap of a slope of 24 × 24 cells of 10 m that falls to the south, as an ASCII
/// grid.
fn slope() -> String {
    let row = |z: usize| format!("{}\n", vec![(200 - 2 * z).to_string(); 24].join(" "));
    let rows: String = (0..24).map(row).collect();
    format!("ncols 24\nnrows 24\nxllcorner 1000\nyllcorner 5000\ncellsize 10\n{rows}")
}

/// GeoJSON of vent areas: a square in the north (weight 3), and a line in the middle (weight 1).
const AREA: &str = r#"{"type": "FeatureCollection", "crs": null, "features": [
    {"type": "Feature", "properties": {"weight": 3},
     "geometry": {"type": "Polygon", "coordinates": [[[1050, 5180], [1150, 5180], [1150, 5220], [1050, 5220], [1050, 5180]]]}},
    {"type": "Feature", "properties": {"weight": 1},
     "geometry": {"type": "LineString", "coordinates": [[1040, 5120], [1200, 5120]]}}]}"#;

fn place() -> Place {
    let place = Place::new();
    place.write_file("slope.asc", slope());
    place.write_file("area.geojson", AREA);
    place
}

const LAWS: &str = "--rates log-uniform:1,20 --volumes uniform:500,3000 --duration 3h";

fn command(more: &str) -> String {
    format!("hazard slope.asc --vent-area area.geojson {LAWS} --seed 7 {more}")
}

/// Returns the rows of the table of runs, with their fields by name.
fn table(place: &Place, folder: &str) -> Vec<BTreeMap<String, String>> {
    let words = text(&place.read(&format!("{folder}/runs.csv")));
    let mut lines = words.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<_> = lines.next().unwrap().collect();
    lines
        .map(|fields| names.iter().cloned().zip(fields).collect())
        .collect()
}

fn number(row: &BTreeMap<String, String>, name: &str) -> f64 {
    row[name]
        .parse()
        .unwrap_or_else(|e| panic!("{name} = {:?}: {e}", row[name]))
}

/// Returns the bytes of all files of a folder except those of single runs; the table is returned
/// without computing times, which differ from run to run.
fn maps(place: &Place, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let inside = |name: String| name.strip_prefix(&format!("{folder}/")).map(str::to_owned);
    let names = place
        .files()
        .into_iter()
        .filter_map(inside)
        .filter(|name| !name.starts_with("runs/"));
    let mut files: BTreeMap<_, _> = names
        .map(|name| (name.clone(), place.read(&format!("{folder}/{name}"))))
        .collect();
    let rows = text(&files["runs.csv"]);
    let rows: Vec<_> = rows
        .lines()
        .filter_map(|line| Some(line.rsplit_once(',')?.0))
        .collect();
    files.insert("runs.csv".to_owned(), rows.join("\n").into_bytes());
    files
}

fn run_files(place: &Place, folder: &str) -> usize {
    place
        .files()
        .iter()
        .filter(|name| name.starts_with(&format!("{folder}/runs/run_")))
        .count()
}

#[test]
fn maps_are_the_same_for_any_number_of_threads() {
    let place = place();
    let report = place.json(&command(
        "--runs 12 --threads 1 --out one --json --picture --netcdf",
    ));
    assert_eq!(
        (report["runs"].as_u64(), report["made"].as_u64()),
        (Some(12), Some(12)),
        "{report}"
    );
    place.done(&command(
        "--runs 12 --threads 2 --out two --picture --netcdf",
    ));
    let (one, two) = (maps(&place, "one"), maps(&place, "two"));
    let names: Vec<_> = one.keys().map(String::as_str).collect();
    for name in [
        "probability.tif",
        "probability.qml",
        "probability.png",
        "probability.geojson",
        "maps.nc",
        "arrival_q10.tif",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    for name in [
        "arrival_q50.tif",
        "arrival_q90.tif",
        "thickness_q50.tif",
        "thickness_max.tif",
        "plan.json",
        "runs.csv",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert_eq!(names, two.keys().map(String::as_str).collect::<Vec<_>>());
    for name in names {
        assert!(one[name] == two[name], "{name} differs");
    }
    assert_eq!(run_files(&place, "one"), 12);
}

#[test]
fn parts_of_the_runs_come_to_the_same_maps_in_one_folder_and_in_several() {
    let place = place();
    place.done(&command("--runs 11 --out whole"));
    let whole = maps(&place, "whole");
    // Each part runs in a folder of its own.
    for part in 1..=3 {
        place.done(&command(&format!(
            "--runs 11 --shard {part}/3 --out parts/{part}"
        )));
    }
    assert_eq!(
        [1, 2, 3].map(|part| run_files(&place, &format!("parts/{part}"))),
        [4, 4, 3]
    );
    assert!(
        !place
            .files()
            .iter()
            .any(|name| name.starts_with("parts/1/probability")),
        "a part draws no maps"
    );
    place.done(&command(
        "--runs 11 --merge parts/1 parts/2 parts/3 --out merged",
    ));
    assert!(maps(&place, "merged") == whole);
    // All parts run in one folder at the same time.
    std::thread::scope(|scope| {
        for part in 1..=3 {
            let args = command(&format!("--runs 11 --shard {part}/3 --out one"));
            let place = &place;
            scope.spawn(move || place.done(&args));
        }
    });
    place.done(&command("--runs 11 --reduce-only --out one"));
    assert!(maps(&place, "one") == whole);
}

#[test]
fn maps_of_some_parts_say_how_many_runs_are_missing() {
    let place = place();
    for part in [1, 3] {
        place.done(&command(&format!(
            "--runs 11 --shard {part}/3 --out parts/{part}"
        )));
    }
    let words = "4 of 11 runs of the plan are missing, and the maps are of the other 7";
    let merged = place.run(&command("--runs 11 --merge parts/1 parts/3 --out merged"));
    let (said, warned) = (text(&merged.stdout), text(&merged.stderr));
    assert_eq!(merged.status.code(), Some(0), "{warned}");
    assert!(said.contains("runs        7 of 11 planned"), "{said}");
    assert!(warned.contains(words), "{warned}");
    let report = place.json(&command("--runs 11 --reduce-only --out merged --json"));
    assert_eq!(
        (report["runs"].as_u64(), report["missing"].as_u64()),
        (Some(7), Some(4)),
        "{report}"
    );
    // `--quiet` drops notes, not warnings.
    let quiet = place.run(&command("--runs 11 --reduce-only --out merged --quiet"));
    assert!(text(&quiet.stderr).contains(words));
    let whole = place.run(&command("--runs 11 --out merged"));
    assert!(
        !text(&whole.stderr).contains("missing")
            && text(&whole.stdout).contains("runs        11, 4 of them now")
    );
}

#[test]
fn parts_of_another_plan_and_folders_without_one_are_not_merged() {
    let place = place();
    place.done(&command("--runs 3 --shard 1/1 --out part"));
    let refused = |more: &str| place.refused(&command(more));
    assert!(
        refused("--runs 3 --above 1 --merge nowhere --out a")
            .contains("nowhere: holds no plan.json")
    );
    let other = command("--runs 3 --merge part --out b").replace("--seed 7", "--seed 8");
    assert!(
        place
            .refused(&other)
            .contains("part/plan.json: is another plan")
    );
    let wrong = place.run(&command("--shard 4/3"));
    assert!(wrong.status.code() == Some(2) && text(&wrong.stderr).contains("such as 3/40"));
    // A truncated run file is found when the maps are made.
    let run = place.read("part/runs/run_000001");
    place.write_file("part/runs/run_000001", &run[..run.len() - 3]);
    let merged = place.run(&command("--runs 3 --merge part --out c"));
    let message = text(&merged.stderr);
    assert!(
        merged.status.code() == Some(2) && message.contains("run_000001 is damaged"),
        "{message}"
    );
}

#[test]
fn a_killed_command_goes_on_to_the_same_maps() {
    let place = place();
    place.done(&command("--runs 40 --out whole"));
    let args = command("--runs 40 --threads 1 --out cut");
    let mut program = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    program
        .current_dir(place.0.path())
        .args(args.split(' ').filter(|arg| !arg.is_empty()))
        .stderr(Stdio::piped());
    let mut program = Running::start(&mut program);
    while run_files(&place, "cut") < 3 {
        assert!(
            program.try_wait().unwrap().is_none(),
            "it ended before it was killed"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    program.kill().unwrap();
    program.wait().unwrap();
    let there = run_files(&place, "cut");
    assert!((3..40).contains(&there), "{there} of 40 runs");
    assert!(!place.path("cut/probability.tif").exists());
    let resumed = place.run(&args.replace("--threads 1", "--threads 2"));
    let note = text(&resumed.stderr);
    assert_eq!(resumed.status.code(), Some(0), "{note}");
    assert!(
        note.contains(&format!("cut: {there} of 40 runs are there already")),
        "{note}"
    );
    let (whole, cut) = (maps(&place, "whole"), maps(&place, "cut"));
    assert_eq!(
        whole.keys().collect::<Vec<_>>(),
        cut.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in &whole {
        assert!(*bytes == cut[name], "{name} differs");
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_says_how_to_go_on() {
    let place = place();
    let args = command("--runs 100000 --out cut");
    let mut program = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    program
        .current_dir(place.0.path())
        .args(args.split(' '))
        .stderr(Stdio::piped())
        .stdout(Stdio::piped());
    let mut program = Running::start(&mut program);
    while run_files(&place, "cut") < 2 {
        assert!(
            program.try_wait().unwrap().is_none(),
            "it ended before it was stopped"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    program.interrupt();
    let output = program.output();
    let note = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{note}");
    let there = run_files(&place, "cut");
    assert_eq!(
        note,
        format!("stopped after {there} of 100000 runs in cut; the same command makes the others\n")
    );
    // Existing runs can be reduced to maps, and are kept.
    let report = place.json(&command("--runs 100000 --out cut --reduce-only --json"));
    assert_eq!(
        (report["runs"].as_u64(), report["made"].as_u64()),
        (Some(there as u64), Some(0))
    );
}

#[test]
fn samples_follow_their_laws_and_weights() {
    let place = place();
    place.done(&command("--runs 60 --out out"));
    let rows = table(&place, "out");
    assert_eq!(
        rows.iter()
            .map(|row| row["run"].clone())
            .collect::<Vec<_>>(),
        (0..60).map(|run| run.to_string()).collect::<Vec<_>>()
    );
    let mut of_line = 0;
    for row in &rows {
        let (x, y, rate, volume) = (
            number(row, "vent_x"),
            number(row, "vent_y"),
            number(row, "rate_m3_s"),
            number(row, "volume_m3"),
        );
        assert!(
            (1.0..=20.0).contains(&rate) && (500.0..=3000.0).contains(&volume),
            "{row:?}"
        );
        assert!(
            (number(row, "duration_s") * rate - volume).abs() < 1e-6 * volume,
            "{row:?}"
        );
        match row["feature"].as_str() {
            "1" => assert!(
                (1050.0..=1150.0).contains(&x) && (5180.0..=5220.0).contains(&y),
                "{row:?}"
            ),
            "2" => {
                of_line += 1;
                assert!(
                    (1040.0..=1200.0).contains(&x) && (y - 5120.0).abs() < 1e-9,
                    "{row:?}"
                );
            }
            other => panic!("feature {other}"),
        }
        assert!(
            (number(row, "poured_m3") - volume).abs() < 0.02 && row["exact"] == "yes",
            "{row:?}"
        );
        assert!(
            number(row, "area_m2") >= 100.0 && number(row, "reach_m") >= 0.0,
            "{row:?}"
        );
    }
    // A quarter of the runs start on the line, within three standard deviations.
    assert!((5..=25).contains(&of_line), "{of_line} of 60 on the line");
    let mean = rows
        .iter()
        .map(|row| number(row, "rate_m3_s").log10())
        .sum::<f64>()
        / 60.0;
    assert!((mean - 0.65).abs() < 0.15, "{mean}");
    let seeds: std::collections::BTreeSet<_> = rows.iter().map(|row| row["seed"].clone()).collect();
    assert_eq!(seeds.len(), 60);
}

#[test]
fn more_runs_keep_those_that_are_there() {
    let place = place();
    place.done(&command("--runs 5 --out grown"));
    let report = place.json(&command("--runs 9 --out grown --json"));
    assert_eq!(
        (report["runs"].as_u64(), report["made"].as_u64()),
        (Some(9), Some(4))
    );
    place.done(&command("--runs 9 --out whole"));
    assert!(maps(&place, "grown") == maps(&place, "whole"));
    // Fewer runs use the first of the existing runs.
    assert_eq!(
        place.json(&command("--runs 5 --out grown --json"))["made"].as_u64(),
        Some(0)
    );
    assert_eq!(table(&place, "grown").len(), 5);
}

/// Checks that a wall of an event and a sea hold lava back in every run.
#[test]
fn all_that_a_scene_holds_takes_part() {
    let place = place();
    let open = "name = \"open\"\nmodel = \"flow\"\n[flow]\nstep_s = 20.0\nduration = \"2 h\"\n[grid]\nsize = [24, 30, 24]\n\
                cell_size_m = 10.0\ncell_height_m = 5.0\n[terrain]\nkind = \"heightmap\"\nfile = \"slope.asc\"\n\
                [[vent]]\nmap_x = 1123.0\nmap_y = 5187.0\nradius = 0.0\nrate_m3_s = 5.0\n";
    let more = "[[material]]\nname = \"water\"\n[[material]]\nname = \"steam\"\n[[source]]\nmaterial = \"water\"\nx = 12.0\n\
                z = 20.0\nrate = 0.5\n[[event]]\nat = 2\nput = { shape = { kind = \"box\", from = [0, 0, 14], to = [24, 30, 15] }, \
                matter = { kind = \"rock\" } }\n";
    place.write_file("open.toml", open);
    place.write_file("walled.toml", format!("{open}{more}"));
    let area = |scene: &str| {
        place.done(&format!(
            "hazard {scene}.toml --durations 20min --runs 2 --out {scene}"
        ));
        let rows = table(&place, scene);
        assert!(rows.iter().all(|row| row["exact"] == "yes"), "{rows:?}");
        number(&rows[0], "area_m2")
    };
    let areas = ["open", "walled"].map(area);
    assert!(areas[1] > 0.0 && areas[1] < areas[0], "{areas:?}");
}

/// Checks that with a single vent, rate and volume all runs equal `lavoxel run`.
#[test]
fn a_run_is_that_of_the_command_run() {
    let place = place();
    let scene = |rates: &str, duration: &str| {
        format!(
            "name = \"one\"\nseed = 3\nmodel = \"flow\"\n[flow]\nstep_s = 20.0\nduration = \"{duration}\"\n[grid]\n\
             size = [24, 30, 24]\ncell_size_m = 10.0\ncell_height_m = 5.0\n[terrain]\nkind = \"heightmap\"\n\
             file = \"slope.asc\"\n[[vent]]\nmap_x = 1123.0\nmap_y = 5187.0\nradius = 0.0\n{rates}\n"
        )
    };
    place.write_file("hazard.toml", scene("rate_m3_s = 5.0", "2 h"));
    place.done("hazard hazard.toml --durations 10min --runs 3 --seeds same --above 0 --out out");
    let rows = table(&place, "out");
    assert!(rows.iter().all(|row| row["seed"] == "3"
        && row["rate_m3_s"] == "5"
        && row["time_s"] == rows[0]["time_s"]));
    assert_eq!(
        (number(&rows[0], "vent_x"), number(&rows[0], "vent_y")),
        (1123.0, 5187.0)
    );

    let time = format!("{} s", rows[0]["time_s"]);
    place.write_file(
        "one.toml",
        scene("rates_m3_s = [[0, 5.0], [\"10 min\", 0.0]]", &time),
    );
    let error = place.refused("run one.toml --time-step 1min");
    assert!(
        error.contains("--time-step 1 min: must be left out with a scene"),
        "{error}"
    );
    place.done("run one.toml --map arrival=arrival.asc");
    // Both maps have data where lava came; the times themselves are compared in the library's
    // tests.
    let agreement = place.json("compare out/thickness_max.tif arrival.asc --above -1 --json");
    assert_eq!(agreement["fit"].as_f64(), Some(1.0), "{agreement}");
    assert!(agreement["a"]["cells"].as_u64() > Some(20), "{agreement}");
    let sure = place.json("compare out/probability.tif out/thickness_max.tif --above 0 --json");
    assert_eq!(sure["fit"].as_f64(), Some(1.0), "{sure}");
    let doubtful = place.run("compare out/probability.tif arrival.asc --above 1 --json");
    assert!(
        text(&doubtful.stderr).contains("neither footprint has a cell"),
        "nothing is more probable than 1"
    );
}

#[test]
fn numbers_of_the_scene_and_errors_of_the_heights_are_drawn() {
    let place = place();
    let draw = "--draw flow.lava.viscosity.crystals=log-uniform:2,200 --dem-error 0.5 --dem-error-length 60 --annual 0.5";
    place.done(&(command(draw) + " --runs 8 --out drawn --threads 2"));
    place.done(&(command(draw) + " --runs 8 --out again --threads 1"));
    assert!(maps(&place, "drawn") == maps(&place, "again"));
    let rows = table(&place, "drawn");
    let crystals: Vec<f64> = rows
        .iter()
        .map(|row| number(row, "flow.lava.viscosity.crystals"))
        .collect();
    assert!(
        crystals.iter().all(|c| (2.0..=200.0).contains(c)),
        "{crystals:?}"
    );
    let seeds: std::collections::BTreeSet<&String> =
        rows.iter().map(|row| &row["error_seed"]).collect();
    assert_eq!(seeds.len(), 8, "{seeds:?}");
    // A run equals that of a scene with its numbers; without drawn errors of ground and lava the
    // maps differ.
    place.done(&(command("") + " --runs 8 --out without"));
    assert!(maps(&place, "without") != maps(&place, "drawn"));
    let same = table(&place, "without");
    assert_eq!(
        rows.iter().map(|row| &row["volume_m3"]).collect::<Vec<_>>(),
        same.iter().map(|row| &row["volume_m3"]).collect::<Vec<_>>()
    );
    assert_eq!(
        place
            .files()
            .iter()
            .filter(|file| file.ends_with("probability_annual.tif"))
            .count(),
        2
    );
    for (more, message) in [
        (
            "--draw flow.lava.yield_pa",
            "--draw flow.lava.yield_pa: must be a number of the scene and its law",
        ),
        ("--draw flow.lava.yeild_pa=5", "did you mean `yield_pa`?"),
        (
            "--draw flow.lava.emissivity=uniform:0,2",
            "--draw flow.lava.emissivity: with 2",
        ),
        ("--draw rates=5", "--draw rates: draw rates by --rates"),
        ("--draw grid.cell_size_m=uniform:5,20", "changes the box"),
        ("--annual 0", "--annual 0: must be a number above 0"),
        ("--dem-error -1", "--dem-error"),
    ] {
        let said = place.refused(&(command(more) + " --out wrong"));
        assert!(said.contains(message), "{more}: {said}");
    }
}

#[test]
fn rates_wane_and_go_together_with_volumes() {
    let place = place();
    let vents = "hazard slope.asc --vent 100m,40m --rates log-uniform:1,8 --volumes log-uniform:300,3000 --duration 2h --runs 8";
    place.done(&format!("{vents} --out alone"));
    place.done(&format!("{vents} --out steady --correlation 1"));
    place.done(&format!(
        "{vents} --out waning --correlation 1 --curve wane:0.1,20"
    ));
    let by_rate = |folder: &str| {
        let mut rows: Vec<(f64, f64)> = table(&place, folder)
            .iter()
            .map(|row| (number(row, "rate_m3_s"), number(row, "volume_m3")))
            .collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows.into_iter()
            .map(|(_, volume)| volume)
            .collect::<Vec<_>>()
    };
    assert!(
        by_rate("steady").is_sorted() && !by_rate("alone").is_sorted(),
        "the fastest are the largest"
    );
    assert_eq!(
        by_rate("waning"),
        by_rate("steady"),
        "the same eruptions, poured in another way"
    );
    assert!(maps(&place, "waning") != maps(&place, "steady"));
    for (more, message) in [
        (
            "--correlation 1.5",
            "--correlation 1.5: must be a number from -1 to 1",
        ),
        ("--curve falling", "wane:0.1,20"),
        ("--curve wane:2,20", "wane:0.1,20"),
    ] {
        let output = place.run(&format!("{vents} {more} --out wrong"));
        let said = super::place::text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains(message),
            "{more}: {said}"
        );
    }
}

#[test]
fn other_limits_and_quantiles_come_from_the_same_runs() {
    let place = place();
    place.done(&command("--runs 6 --out out"));
    let before = place.read("out/probability.tif");
    let thick = place.json(&command(
        "--runs 6 --out out --reduce-only --above 1 --quantiles 0.25,0.025 --json",
    ));
    assert_eq!(thick["made"].as_u64(), Some(0));
    assert!(
        place.path("out/arrival_q25.tif").exists() && place.path("out/thickness_q2_5.tif").exists()
    );
    assert!(place.read("out/probability.tif") != before);
    place.done(&command("--runs 6 --out out --reduce-only"));
    assert!(place.read("out/probability.tif") == before);
}

/// Returns the values of a map, 0 where it has none.
fn values(place: &Place, name: &str) -> Vec<f64> {
    let file = GeoTiffFile::open(place.path(name)).unwrap();
    let all = file.read_raster::<f32>().unwrap();
    all.iter()
        .map(|value| f64::from(*value))
        .map(|value| if value.is_finite() { value } else { 0.0 })
        .collect()
}

/// Returns the Brier score of a map of probability for the final lava of the folder `truth`: the
/// mean squared difference to 1 where lava came and 0 elsewhere (Brier 1950).
fn brier(place: &Place, name: &str) -> f64 {
    let truth = values(place, "truth/probability.tif");
    let squares = values(place, name).into_iter().zip(&truth);
    squares.map(|(p, o)| (p - o).powi(2)).sum::<f64>() / truth.len() as f64
}

/// Checks forecasts by what was observed: for eruptions whose course is known, made by other seeds
/// than the runs, maps of weighted runs are nearer to what came than those of equal runs.
#[test]
fn observed_outlines_make_the_forecast_better() {
    let place = place();
    let runs = "--runs 40 --out all --quantiles 0.5 --quiet";
    place.done(&command(runs));
    let equal = table(&place, "all");
    assert!(!equal[0].contains_key("weight"));
    let (mut better, mut gain) = (0, Vec::new());
    let eruptions = 20 / one_in(3);
    for truth in 0..eruptions {
        let truth = format!(
            "hazard slope.asc --vent-area area.geojson {LAWS} --seed 100{truth} --runs 1 --before 6min,15min --out truth --force"
        );
        place.done(&truth);
        place.done(&command(&format!("{runs} --reduce-only")));
        let plain = brier(&place, "all/probability.tif");
        let observed = "--observed truth/probability_6min.tif@6min --observed truth/probability_15min.tif@2026-03-01T06:15 \
                        --began 2026-03-01T06:00";
        let report = place.json(&command(&format!("{runs} --reduce-only --json {observed}")));
        let weighted = brier(&place, "all/probability.tif");
        better += usize::from(weighted < plain);
        gain.push(1.0 - weighted / plain);
        let effective = report["effective_runs"].as_f64().unwrap();
        assert!((1.0..40.0).contains(&effective), "{report}");
        let rows = table(&place, "all");
        let sum: f64 = rows.iter().map(|row| number(row, "weight")).sum();
        assert!((sum - 1.0).abs() < 0.01, "{sum}");
        let best = rows
            .iter()
            .max_by(|a, b| number(a, "weight").total_cmp(&number(b, "weight")));
        let best = best.unwrap();
        assert_eq!(
            report["best_run"]["run"].as_f64(),
            Some(number(best, "run"))
        );
        let fit = (number(best, "fit_1") + number(best, "fit_2")) / 2.0;
        assert!((report["best_run"]["fit"].as_f64().unwrap() - fit).abs() < 1e-3);
        let errors = place.run(&command(&format!("{runs} --reduce-only {observed}")));
        assert_eq!(
            text(&errors.stderr).contains("the maps rest on"),
            effective < 10.0,
            "{report}"
        );
    }
    let mean = gain.iter().sum::<f64>() / eruptions as f64;
    println!(
        "{better} of {eruptions} better, {mean:.2} of the Brier score gone on average: {gain:.2?}"
    );
    assert!(
        better + 2 >= eruptions && mean > 0.4,
        "{better} of {eruptions}, {gain:.2?}"
    );
    // The same runs without observations are equal again.
    place.done(&command(&format!("{runs} --reduce-only")));
    assert_eq!(
        table(&place, "all")
            .iter()
            .map(|row| &row["area_m2"])
            .collect::<Vec<_>>(),
        equal.iter().map(|row| &row["area_m2"]).collect::<Vec<_>>()
    );
    for (more, words) in [
        (
            "--observed truth/probability_6min.tif@2026-03-01",
            "--began",
        ),
        (
            "--observed truth/probability_6min.tif@2026-03-01 --began 2026-03-02",
            "after the start",
        ),
        ("--observed nothing.geojson@1h", "nothing.geojson"),
        ("--began today", "--began today"),
        ("--kernel 0", "--kernel 0"),
    ] {
        let line = place.refused(&command(&format!("{runs} --reduce-only {more}")));
        assert!(line.contains(words), "{more}: {line}");
    }
}

/// Checks a dam across the slope that one run in twenty may overtop: among the runs of its design
/// no more do, and few of other runs.
#[test]
fn a_dam_is_as_high_as_the_share_of_runs_that_it_holds_needs() {
    let place = place();
    let wall = |height: f64| {
        format!(
            r#"{{"type": "FeatureCollection", "crs": null, "features": [{{"type": "Feature", "properties": {{"name": "wall", "height_m": {height}}},
            "geometry": {{"type": "LineString", "coordinates": [[1001, 5085], [1120, 5095], [1239, 5085]]}}}}]}}"#
        )
    };
    place.write_file("wall.geojson", wall(30.0));
    let runs = 100;
    let design = place.json(&command(&format!(
        "--runs {runs} --barrier wall.geojson --crest 0.05 --freeboard 0.2 --out walled --json"
    )));
    let crest = &design["crest"];
    let number = |name: &str| {
        crest[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{name} in {design}"))
    };
    let over = crest["over"].as_array().unwrap();
    assert!(over.len() == 5 && number("over_wall") == 0.0, "{design}");
    let raised = number("raised");
    assert!(raised > 1.0 && raised <= number("sections"), "{design}");
    let rows = text(&place.read("walled/crest.csv"));
    let of = |row: &str, at: usize| row.split(',').nth(at).unwrap().parse::<f64>().unwrap();
    let rows: Vec<_> = rows.lines().skip(1).collect();
    assert_eq!(rows.len() as f64, number("sections"));
    for row in &rows {
        let [ground, need, height, crest, earth] = [3, 4, 5, 6, 7].map(|at| of(row, at));
        assert!((crest - ground - height).abs() < 0.02, "{row}");
        assert!(
            if need > 0.0 {
                (height - need - 0.2).abs() < 0.02
            } else {
                height == 0.0
            },
            "{row}"
        );
        assert!(
            (earth - of(row, 2) * 1.5 * height * height).abs() < 0.05 + 0.03 * earth,
            "{row}"
        );
    }
    // Without the runs that it need not hold the dam is lower.
    let all = place.json(&command(&format!(
        "--runs {runs} --barrier wall.geojson --crest 0 --freeboard 0.2 --out walled --reduce-only --json"
    )));
    assert!(all["crest"]["earth_m3"].as_f64() > crest["earth_m3"].as_f64());
    place.done(&command(&format!(
        "--runs {runs} --barrier wall.geojson --crest 0.05 --freeboard 0.2 --out walled --reduce-only"
    )));
    let overtopped = |seed: u64| {
        place.done(&format!(
            "hazard slope.asc --vent-area area.geojson {LAWS} --seed {seed} --runs {runs} --barrier walled/crest.geojson \
             --exposure wall.geojson --out checked --force --quiet"
        ));
        let table = text(&place.read("checked/exposure_wall.csv"));
        let mut lines = table.lines().map(|line| line.split(','));
        let at = lines
            .next()
            .unwrap()
            .position(|name| name == "probability")
            .unwrap();
        let share: f64 = lines.next().unwrap().nth(at).unwrap().parse().unwrap();
        share
    };
    let (same, fresh) = (overtopped(7), overtopped(8));
    assert!(same.is_sign_positive() && fresh.is_sign_positive());
    println!("overtopped: {same} of the runs of the design, {fresh} of others");
    assert!(same.max(fresh) <= 0.05, "{same}, {fresh}");
    for (more, words) in [
        ("--crest 0.05", "--barrier"),
        ("--barrier wall.geojson --crest 2", "--crest 2"),
        (
            "--barrier wall.geojson --crest 0.1 --freeboard -1",
            "--freeboard -1",
        ),
        (
            "--barrier wall.geojson --crest 0.1 --dem-error 2",
            "--dem-error",
        ),
    ] {
        let line = place.refused(&command(&format!("--runs 2 --out other {more}")));
        assert!(line.contains(words), "{more}: {line}");
    }
}

#[test]
fn vents_come_from_tables_and_flags_too() {
    let place = place();
    place.write_file(
        "vents.csv",
        "weight;easting;northing\n1;1055;5200\n0;1155;5200\n",
    );
    place.done(&format!(
        "hazard slope.asc --vent-area vents.csv {LAWS} --runs 4 --out table"
    ));
    assert!(
        table(&place, "table")
            .iter()
            .all(|row| (number(row, "vent_x"), number(row, "vent_y")) == (1055.0, 5200.0))
    );
    let laws = "--durations list:5min=1,10min=1 --duration 2h";
    place.done(&format!(
        "hazard slope.asc --vent 5,4@2m3/s --vent 100m,40m@2m3/s {laws} --runs 8 --out flags"
    ));
    for row in table(&place, "flags") {
        assert_eq!(number(&row, "rate_m3_s"), 2.0);
        assert!(
            [300.0, 600.0].contains(&number(&row, "duration_s")),
            "{row:?}"
        );
        assert!(
            [(1050.0, 5200.0), (1100.0, 5200.0)]
                .contains(&(number(&row, "vent_x"), number(&row, "vent_y"))),
            "{row:?}"
        );
    }
}

#[test]
fn runs_of_another_plan_are_never_mixed() {
    let place = place();
    place.done(&command("--runs 3 --out out"));
    for (args, what) in [
        (
            command("--runs 3 --out out").replace("--seed 7", "--seed 8"),
            "seed",
        ),
        (command("--runs 3 --out out --seeds same"), "seeds"),
        (
            command("--runs 3 --out out").replace("log-uniform:1,20", "5"),
            "rates",
        ),
        (
            command("--runs 3 --out out --voxel-size 20"),
            "box, ground, steps",
        ),
        (
            command("--runs 3 --out out").replace("--duration 3h", "--duration 4h"),
            "duration",
        ),
        (command("--runs 3 --out out --lava fogo-2014"), "lava"),
        (command("--runs 3 --out out --time-step 1min"), "steps"),
    ] {
        let error = place.refused(&args);
        assert!(
            error.contains(&format!("plan.json: is another plan ({what} differ")),
            "{args}\n→ {error}"
        );
        assert!(error.contains("--out, or pass --force"), "{error}");
    }
    // Runs under other flow rules are refused; the program detects them by trial runs.
    let plan = text(&place.read("out/plan.json"));
    let rules =
        serde_json::from_str::<serde_json::Value>(&plan).unwrap()["decides"]["rules"].clone();
    place.write_file(
        "out/plan.json",
        plan.replace(rules.as_str().unwrap(), "0123456789abcdef"),
    );
    let error = place.refused(&command("--runs 3 --out out"));
    assert!(
        error.contains("plan.json: is another plan (rules differ)"),
        "{error}"
    );
    place.done(&command("--runs 2 --out out --seeds same --force"));
    assert_eq!(
        (run_files(&place, "out"), table(&place, "out").len()),
        (2, 2)
    );

    // A damaged run file is named and left out.
    let mut bytes = place.read("out/runs/run_000001");
    *bytes.last_mut().unwrap() ^= 1;
    place.write_file("out/runs/run_000001", bytes);
    let error = place.refused(&command("--runs 2 --out out --seeds same --quiet"));
    assert!(
        error.contains(
            "run_000001 is damaged; remove it, and the same command makes this run again"
        ),
        "{error}"
    );
    std::fs::remove_file(place.path("out/runs/run_000001")).unwrap();
    let mended = place.json(&command("--runs 2 --out out --seeds same --json"));
    assert_eq!(mended["made"].as_u64(), Some(1));

    // Files of the user are not replaced either.
    std::fs::create_dir(place.path("mine")).unwrap();
    place.write_file("mine/probability.tif", "mine");
    let error = place.refused(&command("--runs 2 --out mine"));
    assert!(error.contains("probability.tif exists already"), "{error}");
    place.write_file("mine/plan.json", "{}");
    let error = place.refused(&command("--runs 2 --out mine"));
    assert!(error.contains("plan.json: is no plan of runs"), "{error}");
    let error = place.refused(&command("--runs 2 --out nowhere --reduce-only"));
    assert!(error.contains("nowhere: holds no plan.json"), "{error}");
}

#[test]
fn wrong_flags_and_files_are_named() {
    let place = place();
    place.write_file("outside.csv", "x,y\n1055,5200\n2000,5200\n");
    place.write_file("weightless.csv", "x,y,weight\n1055,5200,0\n");
    place.write_file("heavy.csv", "1055,5200,1e308\n1065,5200,1e308\n");
    place.write_file("five.csv", "1055,5200,3,4,5\n");
    place.write_file("words.csv", "1055,5200\nthere,5200\n");
    place.write_file("degrees.geojson", AREA.replace("\"crs\": null, ", ""));
    place.write_file("thin.geojson", r#"{"type": "Polygon", "crs": null, "coordinates": [[[1050, 5050], [1060, 5050], [1050, 5050], [1050, 5050]]]}"#);
    place.write_file(
        "two.toml",
        "model = \"flow\"\n[grid]\nsize = [9, 9, 9]\ncell_size_m = 10.0\n[terrain]\nkind = \"plane\"\n\
                           [[vent]]\nx = 3.0\nz = 3.0\nradius = 0.0\nrate_m3_s = 1.0\n\
                           [[vent]]\nx = 5.0\nz = 5.0\nradius = 2.0\nrate_m3_s = 2.0\n",
    );
    for (args, message) in [
        (
            "hazard --volumes 1000 --rates 5",
            "name a heightmap, or a scene with model = \"flow\"",
        ),
        (
            "hazard small.toml --volumes 1000 --rates 5",
            "hazard needs the physical model",
        ),
        (
            "hazard slope.asc --rates 5",
            "--volumes: give how much erupts in m³",
        ),
        (
            "hazard slope.asc --volumes 1000",
            "--rates: give the effusion rate in m³/s",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --durations 9",
            "--durations: pass it or --volumes, not both",
        ),
        (
            "hazard slope.asc --rates fast --volumes 9",
            "--rates fast: must be a number, uniform:LOW,HIGH",
        ),
        (
            "hazard slope.asc --rates uniform:5,1 --volumes 9",
            "--rates uniform:5,1: must have the lower number first",
        ),
        (
            "hazard slope.asc --rates uniform:0,1 --volumes 9",
            "--rates uniform:0,1: must be a law of numbers above 0, at most 1e6",
        ),
        (
            "hazard slope.asc --rates 5 --volumes -9",
            "--volumes -9: must be a law of numbers above 0",
        ),
        (
            "hazard slope.asc --rates 5 --durations uniform:1,2w",
            "--durations uniform:1,2w: must be a number",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --above -1",
            "--above -1: must be a number from 0 to 10000",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --quantiles 0.5,50",
            "--quantiles 50: must be numbers from 0 to 1",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --levels 2",
            "--levels 2: must be numbers from 0 to 1",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --lava mud",
            "--lava \"mud\": must be one of",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent 5,5 --vent-area area.geojson",
            "--vent-area: pass it or --vent, not both",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent 50,5",
            "--vent 50,5: must be a number from 0 to 24",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent-area none.csv",
            "--vent-area: cannot read none.csv",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent-area slope.asc",
            "--vent-area slope.asc: must end in .geojson, .gpkg or .csv",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent-area outside.csv",
            "2000, 5200 lies outside of the box (x 1000 to 1240, y 5000 to 5240)",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent-area weightless.csv",
            "has no feature with a weight above 0",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent-area words.csv",
            "line 2: must be x, y",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent-area degrees.geojson",
            "is in longitude and latitude (WGS 84), the heightmap in",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent-area thin.geojson",
            "has a polygon without an area",
        ),
        (
            "hazard two.toml --rates 5 --volumes 9",
            "the vents of the scene differ in line, radius",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent-area heavy.csv",
            "has weights whose sum is too large",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --vent-area five.csv",
            "line 1: has 5 fields under a heading of 3",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --above 1e308",
            "--above 1000000000000000000000000000000000000000",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --above 1e308",
            "…: must be a number from 0 to 10000, in metres",
        ),
        (
            "hazard slope.asc --rates 5 --volumes 9 --max-memory 9M",
            "would need",
        ),
        (
            "hazard none.asc --rates 5 --volumes 9",
            "cannot read none.asc: no such file",
        ),
    ] {
        let error = place.refused(args);
        assert!(error.contains(message), "{args}\n→ {error}");
    }
    // The argument parser `clap` reports these errors in several lines.
    for (args, message) in [
        ("hazard slope.asc --runs 0", "must be 1 to 1000000 runs"),
        (
            "hazard slope.asc --force --reduce-only",
            "cannot be used with",
        ),
        (
            "hazard slope.asc --seeds some",
            "possible values: own, same",
        ),
    ] {
        let output = place.run(args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(
            text(&output.stderr).contains(message),
            "{args}\n→ {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_long_law_is_not_repeated_whole() {
    let place = place();
    let law = format!("list:{}x", "1,".repeat(9000));
    let output = super::place::lavoxel()
        .current_dir(place.0.path())
        .args(["hazard", "slope.asc", "--volumes", "9", "--rates", &law])
        .output()
        .unwrap();
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.starts_with("lavoxel: --rates list:1,1,") && error.contains("…: must be a number"),
        "{error}"
    );
    assert!(
        error.chars().count() < 400 && error.lines().count() == 1,
        "{error}"
    );
}

/// Checks that a thousand threads, most of which wait for a processor, need no more memory than a
/// few.
#[cfg(target_os = "linux")]
#[test]
fn a_thousand_threads_cost_no_more_than_some() {
    use wait4::Wait4;

    let place = place();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    command
        .current_dir(place.0.path())
        .args(command_of_one().split(' '))
        .args(["--threads", "1000"]);
    let null = std::process::Stdio::null;
    let ended = command
        .stdout(null())
        .stderr(null())
        .spawn()
        .unwrap()
        .wait4()
        .unwrap();
    assert!(ended.status.success());
    let used = ended.rusage.utime + ended.rusage.stime;
    // The bound is below the twelve seconds of processor time that the run once took.
    assert!(used < std::time::Duration::from_secs(5), "{used:?}");
}

fn command_of_one() -> String {
    "hazard slope.asc --vent 5,4@2m3/s --durations 5min --duration 10min --runs 1 --out one"
        .to_owned()
}
