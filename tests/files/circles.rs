//! Files of the renderer import each other in one direction: what there is, of what it is made, how
//! light gets there. Only a file and its parts may know each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Largest number of files that may know each other: a file and its parts.
const MOST: usize = 4;

/// Returns the imported paths of `tree`, the text of a `use` below the path `before`.
fn imported(before: &str, tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or_default();
        return vec![format!("{before}{name}")];
    };
    let before = format!("{before}{}", head.trim());
    let body = rest.rsplit_once('}').map_or(rest, |(body, _)| body);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in body.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| imported(&before, part)).collect()
}

/// Adds all Rust files in and below `folder`, without tests, to `files`, with the module path.
fn collect(folder: &Path, path: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let file = entry.expect("a file").path();
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with("tests") {
            continue;
        }
        let inner = format!("{path}::{name}");
        if file.is_dir() {
            collect(&file, &inner, files);
        } else {
            let text = fs::read_to_string(&file).expect("text");
            let own = text
                .split("#[cfg(test)]\nmod tests {")
                .next()
                .unwrap_or_default();
            let key = if name == "mod" { path } else { &inner };
            files.insert(key.to_owned(), own.to_owned());
        }
    }
}

/// Returns the module of `files` that holds the item of `path`.
fn holder(files: &BTreeMap<String, String>, path: &str) -> Option<String> {
    let mut path = path;
    while !files.contains_key(path) {
        path = path.rsplit_once("::")?.0;
    }
    Some(path.to_owned())
}

/// Returns the modules that the module `name` with the source `text` imports.
fn imports(files: &BTreeMap<String, String>, name: &str, text: &str) -> BTreeSet<String> {
    let uses = text.split("\nuse ").skip(1);
    let paths = uses.flat_map(|rest| imported("", rest.split(';').next().unwrap_or_default()));
    let above = name.rsplit_once("::").map_or("crate", |(above, _)| above);
    let whole = paths.map(|path| {
        let path = path.strip_suffix("::self").unwrap_or(&path).to_owned();
        path.replacen("self::", &format!("{name}::"), 1).replacen(
            "super::",
            &format!("{above}::"),
            1,
        )
    });
    let found = whole.filter_map(|path| holder(files, &path));
    found
        .filter(|found| found != name && found != "crate")
        .collect()
}

#[test]
fn the_renderer_has_no_circle_of_files() {
    let mut files = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/render/src");
    collect(&root, "crate", &mut files);
    let graph: BTreeMap<_, _> = files
        .iter()
        .map(|(name, text)| (name.as_str(), imports(&files, name, text)))
        .collect();
    assert!(graph["crate::style::cinematic"].contains("crate::media::pass"));
    let reached = |from: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(name) = open.pop() {
            let next = graph.get(name.as_str()).into_iter().flatten();
            open.extend(next.filter(|next| seen.insert((*next).clone())).cloned());
        }
        seen
    };
    let all: BTreeMap<_, _> = graph.keys().map(|name| (*name, reached(name))).collect();
    for (name, seen) in &all {
        let knows = |other: &&String| all[other.as_str()].contains(*name);
        let circle: Vec<_> = seen.iter().filter(knows).collect();
        assert!(circle.len() <= MOST, "{circle:?} import each other");
    }
}
