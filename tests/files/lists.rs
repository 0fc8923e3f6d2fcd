//! Tests that the lists of formats that are read and written agree with everything derived from
//! them: source files, fuzz targets, SECURITY.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lavoxel::input::READERS;
use lavoxel::output::WRITERS;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the source files of all crates: name as in the lists, and code without test modules.
fn sources() -> Vec<(String, String)> {
    fn below(folder: &Path, all: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
        {
            if path.is_dir() {
                below(&path, all)
            } else {
                all.push(path)
            }
        }
    }
    let mut all = Vec::new();
    below(&root().join("src"), &mut all);
    for member in fs::read_dir(root().join("crates")).expect("a folder") {
        below(&member.expect("an entry").path().join("src"), &mut all);
    }
    all.retain(|path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        // Modules of tests may be separate files.
        name.ends_with(".rs") && !name.starts_with("tests") && !name.ends_with("_tests.rs")
    });
    let source = |path: PathBuf| {
        let name = path
            .strip_prefix(root())
            .expect("below the root")
            .to_string_lossy()
            .replace('\\', "/");
        let text = fs::read_to_string(&path).expect("text");
        // Modules of tests stand at the end of a file.
        let end = ["#[cfg(test)]", "#[cfg(all(test,"]
            .iter()
            .filter_map(|mark| text.find(mark))
            .min();
        (name, text[..end.unwrap_or(text.len())].to_owned())
    };
    all.into_iter().map(source).collect()
}

/// Checks that only listed readers open files, so that a new reader must be added to the list.
#[test]
fn only_the_readers_of_the_list_open_files() {
    // Other uses: the program's own temporary files, facts about the system, and test files of the
    // window.
    let others = [
        "crates/files/src/input.rs",
        "crates/files/src/output.rs",
        "src/cli/process/machine.rs",
        "crates/paint/src/gpu/twins.rs",
        "crates/window/src/paint/device.rs",
    ];
    let marks = [
        "File::open(",
        "fs::read(",
        "fs::read_to_string(",
        "OpenOptions::new(",
        "FileSource::open(",
        "open_with_flags(",
    ];
    for (name, code) in sources() {
        let found = marks.iter().find(|mark| code.contains(**mark));
        // The readers of TIFF files and of databases open a path again, after `input` has checked
        // the file.
        let again = [
            (
                "crates/geo/src/terrain/formats/geotiff/mod.rs",
                "FileSource::open(",
            ),
            ("crates/geo/src/map/gpkg.rs", "open_with_flags("),
        ];
        let is_known =
            others.contains(&&*name) || found.is_some_and(|mark| again.contains(&(&*name, *mark)));
        assert!(
            found.is_none() || is_known,
            "{name} has {found:?}: open files by a reader of crates/files/src/input.rs"
        );
    }
}

#[test]
fn readers_are_weighed_and_fuzzed() {
    let (targets, cargo) = (
        root().join("fuzz/src/lib.rs"),
        root().join("fuzz/Cargo.toml"),
    );
    let [targets, cargo] = [targets, cargo].map(|path| fs::read_to_string(path).expect("text"));
    let mut names = BTreeSet::new();
    for reader in READERS {
        assert!(
            names.insert(reader.name),
            "{} is twice in the list",
            reader.name
        );
        assert!(
            root().join(reader.weighed_in).is_file(),
            "{}: {}",
            reader.name,
            reader.weighed_in
        );
        let target = reader.fuzz;
        assert!(
            targets.contains(&format!("name: \"{target}\"")),
            "{}: TARGETS lacks {target}",
            reader.name
        );
        assert!(
            cargo.contains(&format!("path = \"fuzz_targets/{target}.rs\"")),
            "{}: fuzz/Cargo.toml",
            reader.name
        );
        let code = fs::read_to_string(root().join(format!("fuzz/fuzz_targets/{target}.rs")))
            .expect("a target");
        assert!(
            code.contains(&format!("run(\"{target}\"")),
            "{target}.rs runs its target"
        );
        assert!(
            fs::read_dir(root().join("fuzz/seeds").join(target))
                .is_ok_and(|seeds| seeds.count() >= 8),
            "{target}"
        );
    }
    // The target `sections` fuzzes the unpacked sections of a checkpoint.
    let fuzzed: BTreeSet<_> = READERS
        .iter()
        .map(|reader| reader.fuzz)
        .chain(["sections"])
        .collect();
    for file in fs::read_dir(root().join("fuzz/fuzz_targets"))
        .expect("targets")
        .map(|entry| entry.expect("one").path())
    {
        let name = file
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        assert!(
            fuzzed.contains(&*name),
            "fuzz_targets/{name}.rs is of no reader"
        );
    }
}

/// Checks that only listed writers create files, so that a new writer must be added to the list.
#[test]
fn only_the_writers_of_the_list_begin_files() {
    let begins = |code: &str| {
        code.contains("WholeFile::create(")
            || ["whole(path, ", "whole(&path"]
                .iter()
                .any(|call| code.contains(call))
    };
    let found: BTreeSet<String> = sources()
        .into_iter()
        .filter(|(_, code)| begins(code))
        .map(|(name, _)| name)
        .collect();
    let listed: BTreeSet<String> = WRITERS
        .iter()
        .map(|writer| writer.written_in.to_owned())
        .collect();
    let own = BTreeSet::from(["crates/files/src/output.rs".to_owned()]);
    assert_eq!(
        found.difference(&own).collect::<Vec<_>>(),
        listed.iter().collect::<Vec<_>>()
    );
}
