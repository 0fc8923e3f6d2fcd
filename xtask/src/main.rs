//! Checks of the repository: `cargo run -p xtask -- habits`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Folders whose comments are checked.
const FOLDERS: [&str; 8] = [
    "crates",
    "src",
    "tests",
    "benches",
    "examples",
    "python/src",
    "fuzz",
    "xtask",
];

/// Turns of phrase that readers found hard, in comments: the pattern, where it counts, and the number of times that it may stand. Lower a number
/// when comments get better.
const HABITS: [(&str, Where, usize); 10] = [
    ("Whether ", Where::Begins, 0),
    ("How ", Where::Begins, 0),
    ("What ", Where::Begins, 0),
    ("Of ", Where::Begins, 0),
    (" so many ", Where::Inside, 0),
    (" so much ", Where::Inside, 0),
    (" of it", Where::Inside, 0),
    (" of them", Where::Inside, 0),
    (" is said", Where::Inside, 0),
    (" the other one", Where::Inside, 0),
];

/// Place of a pattern in a comment.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    /// First words of a doc comment.
    Begins,
    /// Anywhere, up to the end of a word.
    Inside,
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("habits") => habits(),
        _ => {
            eprintln!("usage: cargo run -p xtask -- habits");
            ExitCode::from(2)
        }
    }
}

/// Counts old habits in the comments of all sources; fails where one stands more often than its number allows.
fn habits() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    FOLDERS
        .iter()
        .for_each(|folder| sources(&root.join(folder), &mut files));
    files.sort();
    let mut found: Vec<Vec<String>> = vec![Vec::new(); HABITS.len()];
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else {
            continue;
        };
        let name = file.strip_prefix(&root).unwrap_or(file).display();
        for (line, habit) in in_text(&text) {
            let words = text.lines().nth(line).unwrap_or_default().trim();
            found[habit].push(format!("{name}:{}: {words}", line + 1));
        }
    }
    let mut passes = true;
    for ((pattern, _, most), places) in HABITS.iter().zip(&found) {
        println!("{:3} of {most:3}  {:?}", places.len(), pattern.trim());
        if places.len() > *most {
            passes = false;
            places.iter().for_each(|place| println!("    {place}"));
        }
    }
    if passes {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Lines of a text with an old habit, counted from 0, and its place in [`HABITS`].
fn in_text(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut in_doc = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let doc = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"));
        let Some(words) = doc.or_else(|| line.strip_prefix("//")) else {
            in_doc = false;
            continue;
        };
        for (habit, (pattern, place, _)) in HABITS.iter().enumerate() {
            let there = match place {
                Where::Begins => {
                    doc.is_some() && !in_doc && words.trim_start().starts_with(pattern)
                }
                Where::Inside => contains_word(words, pattern.trim_end()),
            };
            if there {
                found.push((number, habit));
            }
        }
        in_doc = doc.is_some();
    }
    found
}

/// Returns true if `words` hold `pattern` up to the end of a word.
fn contains_word(words: &str, pattern: &str) -> bool {
    let ends = |at: usize| {
        words[at + pattern.len()..]
            .chars()
            .next()
            .is_none_or(|next| !next.is_alphanumeric())
    };
    words.match_indices(pattern).any(|(at, _)| ends(at))
}

/// Collects the Rust sources below a folder.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
            sources(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_are_found_where_they_count() {
        let text = "/// Whether it rains.\nfn a() {}\n/// Rain.\n/// Whether it rains, of it all.\n// a rest of items\n// so much rain\n";
        let names: Vec<_> = in_text(text)
            .into_iter()
            .map(|(line, habit)| (line, HABITS[habit].0.trim()))
            .collect();
        assert_eq!(names, [(0, "Whether"), (3, "of it"), (5, "so much")]);
    }
}
