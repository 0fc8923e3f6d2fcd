//! Tests of `--help` and `--version`.

use lavoxel::matter::Material;
use lavoxel::world::ColumnQuantity;
use predicates::str::contains;

use super::place::lavoxel;

const SUBCOMMANDS: [&str; 13] = [
    "render",
    "run",
    "resume",
    "bench",
    "terrain",
    "scene",
    "compare",
    "hazard",
    "calibrate",
    "sheet",
    "verify",
    "completions",
    "man",
];

#[test]
fn help_promises_what_a_command_does() {
    let help = |command: &str| {
        let output = lavoxel().args([command, "--help"]).output().unwrap();
        String::from_utf8(output.stdout)
            .unwrap()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    for command in ["hazard", "calibrate"] {
        let said = help(command);
        assert!(
            said.contains("Scene of the physical model") && !said.contains("built-in volcano"),
            "{said}"
        );
        let vary = (command == "calibrate").then_some("--vary=rates=1..2");
        let refused = lavoxel().arg(command).args(vary).assert().code(2);
        refused.stderr(contains(
            "name a heightmap, or a scene with model = \"flow\"",
        ));
    }
    assert!(help("render").contains("without it, the built-in volcano"));
    let run = help("run");
    let quantities = [
        ColumnQuantity::of_materials(&[Material::lava()]),
        ColumnQuantity::of_flow(),
    ]
    .concat();
    assert_eq!(quantities.len(), 15, "{quantities:?}");
    for quantity in quantities {
        let name = quantity.name();
        assert!(run.contains(&name), "--map lists no {name}");
    }
}

#[test]
fn help_and_version_are_there_for_every_command() {
    lavoxel()
        .arg("--version")
        .assert()
        .success()
        .stdout(contains(env!("CARGO_PKG_VERSION")));
    let mut help = lavoxel().arg("--help").assert().success().stderr("");
    for command in SUBCOMMANDS {
        help = help.stdout(contains(format!("  {command} ")));
        let flag = lavoxel()
            .args([command, "--help"])
            .assert()
            .success()
            .stderr("");
        flag.stdout(contains(format!("Usage: lavoxel {command}")));
        lavoxel().args(["help", command]).assert().success();
    }
}
