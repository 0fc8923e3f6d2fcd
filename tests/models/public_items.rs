//! Public items of the library, pinned: a change of what programs use shows in review.
//!
//! The lint `unreachable_pub` refuses a `pub` that no program can reach, so that the words `pub` of the sources are the list.

use std::fmt::Write;
use std::path::Path;

use super::arrows::{code, files_below, without_tests};

/// Words that begin a public item.
const BEGINNINGS: [&str; 11] = [
    "pub fn ",
    "pub const ",
    "pub unsafe ",
    "pub struct ",
    "pub enum ",
    "pub trait ",
    "pub static ",
    "pub type ",
    "pub mod ",
    "pub use ",
    "pub macro ",
];

/// Where the body, the value or the end of an item begins, outside of brackets.
fn end_of(item: &str) -> usize {
    let has_value = ["pub const ", "pub static ", "pub type "].iter().any(|word| item.starts_with(word));
    let has_value = has_value && !item.starts_with("pub const fn ");
    let mut depth = 0;
    let ends = |c: char| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        depth == 0 && (c == ';' || c == '=' && has_value || c == '{' && !item.starts_with("pub use "))
    };
    item.find(ends).unwrap_or(item.len())
}

/// Public items below a folder, a line each: the file without its ending, and the item up to its body.
fn items(folder: &Path) -> String {
    let mut list = String::new();
    let mut paths = files_below(folder);
    paths.sort();
    for path in paths {
        let inside = path.strip_prefix(folder).expect("below the folder").with_extension("");
        let is_of_program = inside.starts_with("cli") || inside == Path::new("main");
        let text = std::fs::read_to_string(&path).expect("a source file");
        let (code, _) = without_tests(code(&text));
        let mut from = 0;
        while let Some(at) = (!is_of_program).then(|| code[from..].find("pub ")).flatten() {
            let item = &code[from + at..];
            from += at + 4;
            if !BEGINNINGS.iter().any(|beginning| item.starts_with(beginning)) {
                continue;
            }
            let end = end_of(item);
            let words: Vec<&str> = item[..end].split_whitespace().collect();
            let words = words.join(" ").replace("( ", "(").replace(", )", ")");
            let module = inside.display().to_string().replace('\\', "/");
            writeln!(list, "{module}: {}", words.trim_end()).expect("a string takes everything");
        }
    }
    list
}

#[test]
fn public_items_are_those_of_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (path, found) = (root.join("tests/golden/public_items.txt"), items(&root.join("src")));
    assert!(
        found.lines().count() > 1000 && found.contains("flow/step: pub fn step(&mut self, pours: &[FlowPour])"),
        "{found}"
    );
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &found).expect("the list can be written");
    }
    let listed = std::fs::read_to_string(&path).expect("a list");
    let (new, old): (Vec<_>, Vec<_>) = (
        found.lines().filter(|line| !listed.lines().any(|other| other == *line)).collect(),
        listed.lines().filter(|line| !found.lines().any(|other| other == *line)).collect(),
    );
    assert!(
        listed == found,
        "public items changed; say so in CHANGELOG.md and set UPDATE_GOLDEN=1\nnew: {new:#?}\ngone or moved: {old:#?}"
    );
}
