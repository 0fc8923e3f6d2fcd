//! `--help` and `--version`.

use predicates::str::contains;

use super::place::lavoxel;

const SUBCOMMANDS: [&str; 9] = ["render", "run", "resume", "bench", "terrain", "scene", "compare", "hazard", "sheet"];

#[test]
fn help_and_version_are_there_for_every_command() {
    lavoxel().arg("--version").assert().success().stdout(contains(env!("CARGO_PKG_VERSION")));
    let mut help = lavoxel().arg("--help").assert().success().stderr("");
    for command in SUBCOMMANDS {
        help = help.stdout(contains(format!("  {command} ")));
        let flag = lavoxel().args([command, "--help"]).assert().success().stderr("");
        flag.stdout(contains(format!("Usage: lavoxel {command}")));
        lavoxel().args(["help", command]).assert().success();
    }
}
