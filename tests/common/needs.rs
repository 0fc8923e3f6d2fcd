//! Requirements of tests beyond gcc and Rust, such as programs and data. A test that lacks a
//! requirement returns early: it prints a line that names the missing part, and
//! `crates/window/tests/zz_skipped.rs` prints the count at the end of `cargo test`.
//!
//! With `LAVOXEL_SKIP=never`, as in `.ci/run`, a missing program or driver fails the test instead.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Prints and records that the running test, or a part of the test, is skipped because `missing` is
/// not installed.
///
/// # Panics
/// With `LAVOXEL_SKIP=never` in the environment.
pub(crate) fn skip(missing: &str) {
    let never = std::env::var_os("LAVOXEL_SKIP").is_some_and(|value| value == "never");
    assert!(!never, "LAVOXEL_SKIP=never, but this test lacks {missing}");
    record(missing);
}

/// Returns true if the program `name` is installed; otherwise records a skipped test. `package`:
/// Debian package of the program.
pub(crate) fn program(name: &str, package: &str) -> bool {
    // Some programs exit with an error on an unknown flag; only a failed start means that the
    // program is missing.
    let mut command = Command::new(name);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let there = command.status().is_ok();
    if !there {
        skip(&format!("the program {name} (Debian: {package})"));
    }
    there
}

/// Returns the name of a Python interpreter that can import `module`; `None` if there is none,
/// which is recorded as a skipped test. `package`: Debian package of the module.
pub(crate) fn python(module: &str, package: &str) -> Option<&'static str> {
    let imports = |python: &&str| {
        let run = Command::new(python)
            .args(["-c", &format!("import {module}")])
            .stderr(Stdio::null())
            .status();
        run.is_ok_and(|status| status.success())
    };
    let found = ["python3", "/usr/bin/python3"].into_iter().find(imports);
    if found.is_none() {
        skip(&format!("Python's {module} (Debian: {package})"));
    }
    found
}

/// Returns the path of the elevation data `name` next to the checkout; `None` if it is missing,
/// which is recorded as a skipped test. `LAVOXEL_SKIP` has no effect here, because the data is not
/// a package.
pub(crate) fn terrain(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/terrains")
        .join(name);
    if !path.exists() {
        record(&format!("../shared/terrains/{name}"));
        return None;
    }
    Some(path)
}

/// Prints and records that the running test, or a part, is skipped because `missing`, which no
/// Debian package provides, is absent.
pub(crate) fn record(missing: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Written to standard error directly, because the test harness captures the output of passing
    // tests.
    writeln!(std::io::stderr(), "skipped {test}: it needs {missing}").ok();
    let file = OpenOptions::new().create(true).append(true).open(list());
    file.and_then(|mut file| writeln!(file, "{missing}\t{test}"))
        .ok();
}

/// Returns the file in which the test programs of one `cargo test` list their skipped tests; the
/// process id of their common parent gives its name.
pub(crate) fn list() -> PathBuf {
    #[cfg(unix)]
    let run = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let run = 0;
    std::env::temp_dir().join(format!("lavoxel-skipped-{run}"))
}
