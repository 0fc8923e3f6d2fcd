//! Tests of volumes and meshes that the program writes.

use std::fs;
use std::path::Path;
use std::process::Command;

use lavoxel::export::write_vdb;
use lavoxel::output::Existing;
use serde_json::{Value, json};

use super::reading::between;
use super::state::{Bench, hill, python};
use super::vti::Vti;
use crate::child::Running;

/// Runs `lavoxel run hill.toml` with arguments, split at spaces; returns the exit status and
/// standard error.
fn run(folder: &Path, args: &str) -> (i32, String) {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("lavoxel");
    let output = command
        .current_dir(folder)
        .args(["run", "hill.toml"])
        .args(args.split_whitespace())
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| !name.starts_with("hill.")).collect();
    names.sort();
    names
}

#[test]
fn the_program_writes_the_last_step() {
    let folder = tempfile::tempdir().unwrap();
    hill(folder.path());
    let outputs = "--volume out/a.vti --volume out/a.vdb --mesh out/a.glb --mesh out/a.PLY";
    let (code, said) = run(folder.path(), &format!("--steps 7 {outputs}"));
    assert_eq!((code, said.lines().count()), (0, 4), "{said}");
    assert_eq!(
        files(&folder.path().join("out")),
        ["a.PLY", "a.glb", "a.vdb", "a.vti"]
    );
    let bench = Bench::hill(7);
    write_vdb(&bench.path("b.vdb"), &bench.shot(), Existing::Keep).unwrap();
    assert!(
        fs::read(folder.path().join("out/a.vdb")).unwrap()
            == fs::read(bench.path("b.vdb")).unwrap()
    );

    let (code, said) = run(folder.path(), "--steps 7 --volume out/a.vti");
    assert!(
        code == 2 && said.contains("out/a.vti exists already") && said.contains("--force"),
        "{said}"
    );
    assert_eq!(
        run(
            folder.path(),
            "--steps 7 --volume out/a.vti --force --quiet"
        ),
        (0, String::new())
    );
}

#[test]
fn the_program_writes_a_series() {
    let folder = tempfile::tempdir().unwrap();
    hill(folder.path());
    let args = "--steps 10 --export-every 4 --volume s.vti --mesh s.ply";
    let (code, said) = run(folder.path(), args);
    assert!(
        code == 0 && said.contains("s_*.vti (3 files, the last of step 10, listed in s.pvd)"),
        "{said}"
    );
    let numbered = |ending: &str| [4, 8, 10].map(|step| format!("s_{step:06}.{ending}"));
    let mut expected = [
        vec!["s.pvd".to_owned()],
        numbered("vti").to_vec(),
        numbered("ply").to_vec(),
    ]
    .concat();
    expected.sort();
    assert_eq!(files(folder.path()), expected);
    python(
        "check_vti.py",
        &folder.path().join("s.pvd"),
        &json!({"steps": [4, 8, 10]}),
    );

    fs::remove_file(folder.path().join("s.pvd")).unwrap();
    let (code, said) = run(folder.path(), args);
    assert!(
        code == 2 && said.contains("s_000010.vti exists already"),
        "{said}"
    );
    assert_eq!(run(folder.path(), &format!("{args} --force -q")).0, 0);
}

#[test]
fn the_program_refuses_before_it_works() {
    let folder = tempfile::tempdir().unwrap();
    hill(folder.path());
    let folder = folder.path();
    fs::create_dir(folder.join("dir.vdb")).unwrap();
    for (args, code, text) in [
        (
            "--volume a.obj",
            2,
            "a.obj: no volume format ends in \"obj\"; known are .vti (ParaView), .vdb (OpenVDB",
        ),
        (
            "--mesh a.vdb",
            2,
            "a.vdb: no mesh format ends in \"vdb\"; known are .glb (glTF, with the ground), .usda (Universal Scene Description, with the ground) and .ply",
        ),
        (
            "--mesh a.ply --mesh a.ply",
            2,
            "--mesh a.ply: two outputs cannot have the same name",
        ),
        (
            "--export-every 5",
            2,
            "name what to write with --volume or --mesh",
        ),
        (
            "--export-every 1 --steps 1000000 --mesh a.ply",
            2,
            "pass --export-every 10 or more",
        ),
        ("--volume dir.vdb", 2, "dir.vdb exists already"),
        ("--volume dir.vdb --force", 1, "dir.vdb: it is a folder"),
        ("--volume hill.asc/a.vdb", 1, "hill.asc is no folder"),
    ] {
        // The steps would outlast the test, so the refusal must come before the first.
        let steps = if args.contains("--steps") {
            ""
        } else {
            "--steps 1000000000"
        };
        let (found, said) = run(folder, &format!("{args} {steps}"));
        assert!(
            found == code && said.contains(text) && said.lines().count() == 1,
            "{args}: {found} {said}"
        );
        assert_eq!(files(folder), ["dir.vdb"], "{args}");
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_leaves_whole_files_and_its_last_step() {
    let folder = tempfile::tempdir().unwrap();
    hill(folder.path());
    let args = "run hill.toml --steps 1000000000 --export-every 20000 --volume s.vti --json";
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lavoxel"));
    command.current_dir(folder.path()).args(args.split(' '));
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = Running::start(&mut command);
    let start = std::time::Instant::now();
    while !folder.path().join("s_020000.vti").exists() {
        assert!(start.elapsed().as_secs() < 120 && child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.interrupt();
    let output = child.output();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("these files are complete up to there"),
        "{said}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let last = report["steps"].as_u64().unwrap();
    let list = fs::read_to_string(folder.path().join("s.pvd")).unwrap();
    let steps: Vec<u64> = list
        .split("timestep=\"")
        .skip(1)
        .map(|s| between(s, "", "\"").parse().unwrap())
        .collect();
    assert_eq!((steps[0], steps.last()), (20_000, Some(&last)));
    for step in &steps {
        assert_eq!(
            Vti::read(&folder.path().join(format!("s_{step:06}.vti")))
                .floats("CellData", "amount")
                .len(),
            9600
        );
    }
    assert_eq!(files(folder.path()).len(), steps.len() + 1, "no half files");
}

/// Returns the numbers of the first list behind `key` in `text`.
fn numbers(text: &str, key: &str) -> Vec<f64> {
    let list = text.split_once(key).unwrap().1;
    let list = &list[list.find('[').unwrap() + 1..];
    list[..list.find(']').unwrap()]
        .split(|c: char| ", ()".contains(c))
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().unwrap())
        .collect()
}

#[test]
fn usda_has_whole_meshes_and_a_stage_that_shows_each_at_its_step() {
    let folder = tempfile::tempdir().unwrap();
    hill(folder.path());
    let (code, said) = run(
        folder.path(),
        "--steps 8 --export-every 4 --mesh a.usda --quiet",
    );
    assert_eq!(code, 0, "{said}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let text = read("a_000008.usda");
    for mesh in ["def Mesh \"lava\"", "def Mesh \"ground\""] {
        let part = text.split_once(mesh).unwrap().1;
        let corners = numbers(part, "point3f[] points").len() / 3;
        let indices = numbers(part, "faceVertexIndices");
        let last = indices.iter().copied().fold(0.0, f64::max);
        assert!(corners > 8 && last as usize + 1 == corners, "{mesh}");
        assert_eq!(numbers(part, "faceVertexCounts").len() * 3, indices.len());
        assert_eq!(numbers(part, "normal3f[] normals").len(), 3 * corners);
    }
    let lava = text.split_once("def Mesh \"lava\"").unwrap().1;
    let energies = numbers(lava, "primvars:energy");
    assert_eq!(numbers(lava, "primvars:glow").len(), 3 * energies.len());
    assert!(energies.iter().all(|energy| (0.0..2.0).contains(energy)));
    let stage = read("a.usda");
    for (step, ends) in [(4, "8: \"invisible\""), (8, "4: \"invisible\"")] {
        let shown = stage
            .split_once(&format!("@./a_{step:06}.usda@"))
            .unwrap()
            .1;
        let shown = &shown[..shown.find("}\n    }").unwrap()];
        let begins = format!("{step}: \"inherited\"");
        assert!(shown.contains(&begins) && shown.contains(ends), "{stage}");
    }
}
