//! Tests of calibration: the parameters of a synthetic eruption are recovered, and errors are
//! named.

use super::place::{Place, text};

/// Returns the heightmap of a valley of 30 × 40 cells of 10 m that falls to the south, as an ASCII
/// grid.
fn valley() -> String {
    let height = |x: usize, z: usize| 300 - 3 * z + x.abs_diff(15);
    let row = |z: usize| {
        (0..30)
            .map(|x| height(x, z).to_string())
            .collect::<Vec<_>>()
            .join(" ")
            + "\n"
    };
    let rows: String = (0..40).map(row).collect();
    format!("ncols 30\nnrows 40\nxllcorner 1000\nyllcorner 5000\ncellsize 10\n{rows}")
}

/// Returns the scene of the eruption. `rates`: factor on its effusion rate; `crystals`: factor of
/// its lava's viscosity for crystals.
fn scene(rates: f64, crystals: f64) -> String {
    format!(
        "seed = 3\nmodel = \"flow\"\n[flow]\nduration = \"40min\"\nlava = {{ preset = \"etna-basalt\", viscosity = {{ crystals = {crystals} }} }}\n\
         [grid]\nsize = [30, 90, 40]\ncell_size_m = 10.0\ncell_height_m = 2.0\n[terrain]\nkind = \"heightmap\"\nfile = \"valley.asc\"\n\
         [[vent]]\nx_m = 155.0\nz_m = 55.0\nradius = 0.0\nrate_m3_s = {}\n",
        4.0 * rates
    )
}

/// Writes the observations of the true eruption, computed on slightly different ground and with
/// another seed.
fn observe(place: &Place) {
    place.write_file("valley.asc", valley());
    place.write_file("truth.toml", scene(1.4, 60.0));
    place.write_file("etna.toml", scene(1.0, 19.0));
    for minutes in [20, 40] {
        place.done(&format!(
            "run truth.toml --seed 77 --dem-error 0.3 --dem-error-length 60 --duration {minutes}min \
             --map max-thickness=most{minutes}.asc --map thickness=thickness{minutes}.asc"
        ));
    }
}

const FIT: &str = "calibrate etna.toml --dem-error 0.3 --dem-error-length 60 --observed most20.asc@20min --thickness thickness40.asc \
                   --check most40.asc --vary rates=0.5..3 --vary flow.lava.viscosity.crystals=5..300:log --runs 110 --repeats 6";

#[test]
fn the_numbers_of_an_eruption_are_found_within_what_is_plausible() {
    let place = Place::new();
    observe(&place);
    let found = place.json(&format!("{FIT} --out fit --json"));
    for (i, (key, truth)) in [("rates", 1.4), ("flow.lava.viscosity.crystals", 60.0)]
        .into_iter()
        .enumerate()
    {
        let number = &found["numbers"][i];
        let of = |name: &str| number[name].as_f64().unwrap();
        println!(
            "{key}: {} within {} to {}",
            of("best"),
            of("low"),
            of("high")
        );
        assert_eq!(number["key"], key);
        assert!((of("low")..=of("high")).contains(&truth), "{key}: {number}");
        // The bounds do not already give the answer.
        let width = number["bounds"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bound| bound.as_f64().unwrap())
            .collect::<Vec<_>>();
        assert!(
            of("high") / of("low") < width[1] / width[0],
            "{key}: {number}"
        );
    }
    assert!(found["score"].as_f64().unwrap() > 0.85, "{found}");
    assert!(
        found["checked"][0]["score"].as_f64().unwrap() > 0.8,
        "{found}"
    );
    assert!(found["note"].as_str().unwrap().contains("not a forecast"));
    let trace = text(&place.read("fit/trace.csv"));
    assert_eq!(trace.lines().count(), 111, "{trace}");
    // The best scene runs, and scores as the report says.
    place.done("run fit/best.toml --duration 20min --map max-thickness=best.asc");
    let again = place.json("compare best.asc most20.asc --json")["fit"]
        .as_f64()
        .unwrap();
    let said = found["observed"][0]["score"].as_f64().unwrap();
    assert!((again - said).abs() < 1e-3, "{again} for {said}");
    let report = text(&place.read("fit/calibration.md"));
    assert!(
        report.contains("A fit, not a forecast")
            && report.contains("most40.asc, not seen by the fit"),
        "{report}"
    );
}

#[test]
fn a_fit_is_the_same_in_parts_and_after_it_was_stopped() {
    let place = Place::new();
    observe(&place);
    let fit = "calibrate etna.toml --observed most20.asc@20min --vary rates=0.5..3 --runs 26 --population 8 --repeats 2";
    place.done(&format!("{fit} --out whole --threads 1"));
    place.done(&format!("{fit} --out parts"));
    // Some runs are lost, including runs of the first generation.
    for run in [2, 9, 17, 25] {
        std::fs::remove_file(place.path(&format!("parts/runs/run_{run:06}.json"))).unwrap();
    }
    std::thread::scope(|scope| {
        for part in 1..=2 {
            let place = &place;
            scope.spawn(move || place.done(&format!("{fit} --out parts --shard {part}/2")));
        }
    });
    for file in ["best.toml", "profiles.svg"] {
        assert!(
            place.read(&format!("whole/{file}")) == place.read(&format!("parts/{file}")),
            "{file}"
        );
    }
    let without_times = |name: &str| {
        let table = text(&place.read(&format!("{name}/trace.csv")));
        table
            .lines()
            .map(|line| line.rsplit_once(',').unwrap().0.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(without_times("whole"), without_times("parts"));
    // Run files that were edited, carry another run's number, or are not text, are refused by name.
    let run = text(&place.read("parts/runs/run_000003.json"));
    let better = run.replacen("\"observed\":[0.", "\"observed\":[0.9", 1);
    assert_ne!(run, better);
    let checksum = "its checksum is not right; remove it";
    for (bytes, message) in [
        (better.into_bytes(), checksum),
        (place.read("parts/runs/run_000004.json"), checksum),
        (
            run.replacen("\"checksum\"", "\"sum\"", 1).into_bytes(),
            checksum,
        ),
        (
            b"\xfe\x00run".to_vec(),
            "is no text: byte 0 is no UTF-8; remove it",
        ),
        (Vec::new(), checksum),
    ] {
        place.write_file("parts/runs/run_000003.json", bytes);
        let refused = place.refused(&format!("{fit} --out parts"));
        assert!(
            refused.contains("run_000003.json") && refused.contains(message),
            "{refused}"
        );
    }
    place.write_file("parts/runs/run_000003.json", run);
    place.done(&format!("{fit} --out parts"));
    place.write_file("parts/plan.json", b"\xfe\x00plan");
    let plan = place.refused(&format!("{fit} --out parts"));
    assert!(
        plan.contains("plan.json: is no text: byte 0 is no UTF-8; name another folder with --out"),
        "{plan}"
    );
    let other = place.refused(&format!("{fit} --seed 9 --out whole"));
    assert!(
        other.contains("is another plan") && other.contains("seed differ"),
        "{other}"
    );
}

#[test]
fn what_cannot_be_fitted_is_named() {
    let place = Place::new();
    observe(&place);
    place.write_file("fronts.csv", "time,distance_m\n2d,100\n");
    // The argument parser `clap` reports this error in several lines.
    let turned = place.run("calibrate etna.toml --observed most20.asc --vary rates=2..1");
    assert!(
        turned.status.code() == Some(2)
            && text(&turned.stderr).contains("the first bound must be below the second")
    );
    let fit = |rest: &str| place.refused(&format!("calibrate etna.toml --population 8 {rest}"));
    for (rest, message) in [
        (
            "--vary rates=1..2",
            "name what was observed with --observed, --thickness or --fronts",
        ),
        (
            "--observed most20.asc --vary flow.lava.crystal=1..2",
            "unknown key `flow.lava.crystal`",
        ),
        (
            "--observed most20.asc --vary vent[3].x_m=1..2",
            "vent[3].x_m: the scene has 1 of `vent`",
        ),
        (
            "--observed most20.asc --vary flow.lava.emissivity=0.5..2",
            "flow.lava.emissivity = 2",
        ),
        (
            "--observed most20.asc@2h --vary rates=1..2",
            "is after the end of the runs (40 min)",
        ),
        (
            "--observed none.asc --vary rates=1..2",
            "none.asc: no such file",
        ),
        (
            "--fronts fronts.csv --vary rates=1..2",
            "is after the end of the runs",
        ),
        (
            "--observed most20.asc --vary rates=1..2 --vary rates=1..3",
            "--vary rates: is named twice",
        ),
        (
            "--observed most20.asc --vary rates=1..2 --runs 12",
            "--runs 12: must be a number from 24 to",
        ),
        (
            "--observed most20.asc --vary grid.cell_size_m=5..20",
            "changes the box",
        ),
    ] {
        let said = fit(rest);
        assert!(said.contains(message), "{rest}: {said}");
    }
    let classic = place.refused("calibrate volcano --observed most20.asc --vary rates=1..2");
    assert!(
        classic.contains("calibrate needs the physical model"),
        "{classic}"
    );
}
