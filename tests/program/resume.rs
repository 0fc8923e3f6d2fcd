//! Tests that a run with checkpoints that is stopped, killed or out of disk space loses nothing
//! that was saved, and that it reaches the same report when resumed.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;
#[cfg(unix)]
use std::time::SystemTime;

use crate::child::Running;
use crate::common::{Dice, cases};
use crate::needs;
use lavoxel::checkpoint::{previous, steps_of};
use serde_json::Value;
use tempfile::TempDir;

/// Scene of a vent on a plain, with lava at the start and events on the way.
const SCENE: &str = r#"
name = "Long run"
seed = 5
[grid]
size = [24, 20, 24]
[terrain]
kind = "hills"
[rules]
threshold = 0.2
walls = "open"
[[vent]]
x = 12.0
z = 12.0
rate = 1.5
[[event]]
at = 30
put = { shape = { kind = "sphere", center = [9.0, 4.0, 9.0], radius = 3.0 }, matter = { kind = "nothing" } }
[[event]]
at = 70
seed = 6
[film]
steps = 120
"#;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lavoxel"))
}

/// Folder with [`SCENE`] as `long.toml`, in which the program runs.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.path("long.toml"), SCENE).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn steps(&self, name: &str) -> Option<u64> {
        steps_of(&self.path(name))
    }

    /// Returns the names and bytes of all files except the scene.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap());
        let file = |path: &Path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                fs::read(path).unwrap(),
            )
        };
        let mut files: Vec<_> = entries
            .map(|entry| file(&entry.path()))
            .filter(|(name, _)| name != "long.toml")
            .collect();
        files.sort();
        files
    }

    fn run(&self, args: &str) -> Output {
        program()
            .current_dir(self.0.path())
            .args(args.split(' '))
            .output()
            .unwrap()
    }

    /// Runs a command, which must succeed, and returns its report without the keys that may differ
    /// from run to run.
    fn report(&self, args: &str) -> Value {
        let output = self.run(&format!("{args} --json --quiet"));
        assert_eq!(
            output.status.code(),
            Some(0),
            "{args}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
        for key in ["timings_ms", "threads"] {
            assert!(report.as_object_mut().unwrap().remove(key).is_some());
        }
        report
    }

    /// Runs a command, which must fail with the exit status `code` and a one-line message, leaving
    /// every file unchanged; returns the line.
    fn refused(&self, code: i32, args: &str) -> String {
        let before = self.files();
        refusal(code, args, &self.run(args), || {
            assert!(self.files() == before, "{args} changed a file")
        })
    }
}

fn refusal(code: i32, args: &str, output: &Output, unchanged: impl FnOnce()) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args}\n{said}");
    assert!(
        said.starts_with("lavoxel: ") && said.lines().count() == 1,
        "{args}\n{said}"
    );
    assert!(output.stdout.is_empty());
    unchanged();
    said
}

#[test]
fn a_resumed_run_reports_what_one_that_was_never_stopped_does() {
    let place = Place::new();
    let whole = place.report("run long.toml --steps 200");
    let part = place.report("run long.toml --steps 50 --checkpoint a.lvx --checkpoint-every 20");
    assert_ne!(part["state_hash"], whole["state_hash"]);
    assert_eq!(
        (place.steps("a.lvx"), place.steps("a.lvx.previous")),
        (Some(50), Some(40))
    );
    fs::remove_file(place.path("long.toml")).unwrap();
    assert_eq!(
        place.report("resume a.lvx --steps 50"),
        part,
        "nothing to do"
    );
    assert_eq!(
        place.report("resume a.lvx"),
        part,
        "the run was to make 50 steps"
    );
    place.report("resume a.lvx --steps 131 --engine plain --threads 1 --checkpoint b.lvx");
    assert_eq!(
        (place.steps("a.lvx"), place.steps("b.lvx")),
        (Some(50), Some(131))
    );
    assert_eq!(place.report("resume b.lvx --steps 200 --threads 3"), whole);
    assert_eq!(place.report("resume a.lvx --steps 200"), whole);
    assert_eq!(
        (place.steps("a.lvx"), place.steps("a.lvx.previous")),
        (Some(200), Some(50))
    );
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    let place = Place::new();
    place.report("run long.toml --steps 40 --checkpoint a.lvx --checkpoint-every 10");
    for (args, expected) in [
        (
            "run long.toml --checkpoint a.lvx",
            "a.lvx exists already: go on from it with lavoxel resume, ",
        ),
        (
            "run long.toml --checkpoint long.toml",
            "long.toml exists already: ",
        ),
        (
            "run long.toml --checkpoint-every 5",
            "--checkpoint-every: pass --checkpoint FILE, too",
        ),
        (
            "resume a.lvx --checkpoint long.toml",
            "long.toml exists already: ",
        ),
        (
            "resume a.lvx --steps 39",
            "--steps 39: a.lvx is at step 40 already",
        ),
        (
            "resume a.lvx.previous --steps 90",
            "a.lvx exists already: it is good and has step 40",
        ),
        (
            "resume a.lvx --steps 90 --max-memory 1K",
            "go on with it on a larger machine, or ",
        ),
        ("resume long.toml", "long.toml: not a checkpoint of lavoxel"),
        (
            "resume nothing.lvx",
            "nothing.lvx: cannot read the checkpoint: ",
        ),
    ] {
        let said = place.refused(2, args);
        assert!(said.contains(expected), "{said}\nfor {args}");
    }
    place.report("run long.toml --steps 5 --checkpoint a.lvx --force");
    assert_eq!(
        (place.steps("a.lvx"), place.steps("a.lvx.previous")),
        (Some(5), Some(0))
    );
}

#[test]
fn a_damaged_checkpoint_is_refused_and_the_one_before_it_offered() {
    let place = Place::new();
    let whole = place.report("run long.toml --steps 100");
    place.report("run long.toml --steps 60 --checkpoint a.lvx --checkpoint-every 25");
    let path = place.path("a.lvx");
    let good = fs::read(&path).unwrap();
    let damages: [fn(&mut Vec<u8>); 4] = [
        |bytes| bytes.truncate(700),
        |bytes| bytes[900] ^= 4,
        |bytes| bytes.clear(),
        |bytes| bytes.push(0),
    ];
    for damage in damages {
        let mut bytes = good.clone();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let said = place.refused(2, "resume a.lvx");
        let offer = "; the one before it is good and has step 50: go on with lavoxel resume a.lvx.previous\n";
        assert!(
            said.starts_with("lavoxel: a.lvx: ") && said.ends_with(offer),
            "{said}"
        );
    }
    // Both checkpoints are damaged, so the message offers none.
    let before = fs::read(previous(&path)).unwrap();
    fs::write(previous(&path), "no").unwrap();
    assert!(
        !place
            .refused(2, "resume a.lvx")
            .contains("the one before it")
    );
    fs::write(previous(&path), before).unwrap();

    assert_eq!(
        place.report("resume a.lvx.previous --steps 100"),
        whole,
        "as it was offered"
    );
    assert_eq!(
        (place.steps("a.lvx"), place.steps("a.lvx.previous")),
        (Some(100), Some(50))
    );
    fs::remove_file(&path).unwrap();
    assert!(
        place
            .refused(2, "resume a.lvx")
            .contains("the one before it is good and has step 50"),
        "of a lost one"
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_said_before_the_work() {
    let place = Place::new();
    place.report("run long.toml --steps 10 --checkpoint a.lvx");
    if cfg!(target_os = "linux") {
        for args in [
            "run long.toml --checkpoint /proc/a.lvx",
            "resume a.lvx --checkpoint /proc/a.lvx",
        ] {
            let said = place.refused(1, args);
            assert!(said.contains("cannot write /proc/a.lvx: "), "{said}");
        }
    }
    let mut mode = fs::metadata(place.0.path()).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(place.0.path(), mode.clone()).unwrap();
    if fs::write(place.path("probe"), "").is_ok() {
        needs::record("a user who is not root");
    } else {
        let said = place.refused(1, "resume a.lvx --steps 20");
        assert!(said.contains("cannot write a.lvx: "), "{said}");
    }
    #[cfg(unix)]
    fs::set_permissions(
        place.0.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_last_checkpoint_as_it_was() {
    let place = Place::new();
    let whole = place.report("run long.toml --steps 80");
    place.report("run long.toml --steps 40 --checkpoint a.lvx --checkpoint-every 10");
    let before = place.files();
    // A file may be no longer than one block: writing fails as on a full disk, with a different
    // error.
    let args = "resume a.lvx --steps 80 --quiet";
    let line = format!("trap '' XFSZ; ulimit -f 1; exec \"$0\" {args}");
    let output = Command::new("sh")
        .args(["-c", &line, env!("CARGO_BIN_EXE_lavoxel")])
        .current_dir(place.0.path())
        .output();
    let said = refusal(1, args, &output.unwrap(), || {
        assert!(place.files() == before, "a file was changed")
    });
    assert!(said.starts_with("lavoxel: cannot write a.lvx: "), "{said}");
    assert_eq!(place.report("resume a.lvx --steps 80"), whole);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_checkpoint_of_the_last_step() {
    let place = Place::new();
    let args =
        "run long.toml --steps 100000000 --checkpoint a.lvx --checkpoint-every 100000000 --json";
    let mut command = program();
    command
        .current_dir(place.0.path())
        .args(args.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = Running::start(&mut command);
    // Once the first checkpoint is written, the signal handler is installed.
    while !place.path("a.lvx").exists() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was stopped"
        );
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(200));
    child.interrupt();
    let output = child.output();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(place.steps("a.lvx"), report["steps"].as_u64());
    let steps = report["steps"].as_u64().unwrap();
    assert!(
        said.contains(&format!(
            "a.lvx (step {steps}); go on with: lavoxel resume a.lvx"
        )),
        "{said}"
    );
    let resumed = place.report(&format!("resume a.lvx --steps {}", steps + 10));
    assert_eq!(
        resumed,
        place.report(&format!("run long.toml --steps {}", steps + 10))
    );
}

#[cfg(unix)]
#[test]
fn killed_many_times_it_comes_to_the_same_bits() {
    // Long enough that no run ends before the kill.
    const STEPS: u64 = 30_000;
    let place = Place::new();
    let whole = place.report(&format!("run long.toml --steps {STEPS}"));
    let mut dice = Dice(50);
    let (most, mut kills, mut reached) = (cases(10).min(50), 0, 0);
    while kills < most {
        let there = place.path("a.lvx").exists();
        let command = if there {
            "resume a.lvx"
        } else {
            "run long.toml --checkpoint a.lvx"
        };
        let args = format!(
            "{command} --steps {STEPS} --checkpoint-every {} --quiet",
            1 + dice.below(4)
        );
        let mut command = program();
        command
            .current_dir(place.0.path())
            .args(args.split(' '))
            .stdout(Stdio::null());
        let mut child = Running::start(&mut command);
        // Some runs are killed at the start, the others soon after a checkpoint, while later
        // checkpoints are written.
        let before = written(&place);
        while kills % 4 != 0 && written(&place) == before {
            assert!(
                child.try_wait().unwrap().is_none(),
                "it ended by itself: {args}"
            );
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_micros(dice.below(40_000)));
        // No code of the program runs after SIGKILL.
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert_eq!(
            status.code(),
            None,
            "it ended before it was killed, at {reached}: {status}"
        );
        kills += 1;
        let steps = [place.steps("a.lvx"), place.steps("a.lvx.previous")];
        assert!(
            steps[0] >= steps[1] && steps[0] >= Some(reached).filter(|&steps| steps > 0),
            "{steps:?} after {reached}"
        );
        assert_eq!(
            place.path("a.lvx").exists(),
            steps[0].is_some(),
            "what is there is whole"
        );
        assert_eq!(
            place.path("a.lvx.previous").exists(),
            steps[1].is_some(),
            "what is there is whole"
        );
        reached = steps[0].unwrap_or(0);
        assert!(
            place.files().len() <= 4,
            "what was left is swept away: {:?}",
            names(&place)
        );
    }
    eprintln!("{kills} kills, step {reached}");
    assert!(reached >= u64::from(most) / 2, "it got on: {reached}");
    assert_eq!(
        place.report(&format!(
            "resume a.lvx --steps {STEPS} --checkpoint-every 10000"
        )),
        whole
    );
    assert_eq!(names(&place), ["a.lvx", "a.lvx.previous"]);
}

/// Returns the modification time of the last checkpoint; `None` if there is none.
#[cfg(unix)]
fn written(place: &Place) -> Option<SystemTime> {
    fs::metadata(place.path("a.lvx"))
        .and_then(|file| file.modified())
        .ok()
}

#[cfg(unix)]
fn names(place: &Place) -> Vec<String> {
    place.files().into_iter().map(|(name, _)| name).collect()
}
