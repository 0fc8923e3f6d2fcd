//! Listing of all scene keys that the built-in scene does not show, as TOML comments. Generated
//! from the lists of keys, so that the listing is complete.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::schema::defaults;
use super::{SceneSpec, VOLCANO};
use lavoxel_base::param::{Entry, Form, Value};
use lavoxel_flow::Lava;

/// Text column at which the descriptions of keys begin, as in the built-in scene.
const WORDS_AT: usize = 31;
/// Maximum length of a line of the listing in characters.
const WIDTH: usize = 120;

/// Nesting depth down to which tables are listed; deeper tables are shown as `{ … }`.
const DEEPEST: usize = 2;

/// Returns a listing, as TOML comments, of all tables and keys that the text of the built-in scene
/// lacks, with their default values.
pub fn other_keys() -> String {
    let mut listing = Listing {
        shown: shown(VOLCANO),
        lines: Vec::new(),
    };
    listing.lines.push(
        "# All other tables and keys, each with the value that it takes when left out, or … where there is none. A table\n# \
         that stands has an effect: [air] puts air into the box. docs/scenes.md, docs/flow.md and docs/air.md say more."
            .to_owned(),
    );
    let (mut defaults, keys) = (defaults(), SceneSpec::form().entries());
    // By default a scene contains the name of the lava instead of its keys.
    defaults["flow"]["lava"] = serde_json::to_value(Lava::default()).unwrap_or_default();
    // The keys of a terrain depend on its kind; the built-in scene shows every such key.
    let is_plain = |entry: &&Entry| table_of(&entry.form).is_none() && entry.key != "terrain";
    listing
        .lines
        .push("\n# Above all tables, beside name and seed:".to_owned());
    listing.keys("", keys.iter().filter(is_plain), &defaults);
    for entry in &keys {
        listing.table(entry.key, entry, &defaults[entry.key], 0);
    }
    listing.lines.join("\n")
}

/// Returns the dotted names of all keys in the scene text `text`, including keys that are commented
/// out.
fn shown(text: &str) -> BTreeSet<String> {
    let mut table = String::new();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let line = line.trim_start_matches("# ");
        if let Some(head) = line.strip_prefix('[') {
            table = head
                .trim_start_matches('[')
                .split(']')
                .next()
                .unwrap_or_default()
                .to_owned();
        } else if let Some((key, _)) = line.split_once(" = ") {
            found.insert(path_of(&table, key));
        }
    }
    found
}

fn path_of(table: &str, key: &str) -> String {
    if table.is_empty() {
        key.to_owned()
    } else {
        format!("{table}.{key}")
    }
}

/// Returns the keys of a table or of an array of tables, and true for an array. `None` if `form` is
/// neither, and for a table whose keys depend on its kind.
fn table_of(form: &Form) -> Option<(&[Entry], bool)> {
    match form {
        Form::Table(keys) if keys.iter().any(|key| !key.kinds.is_empty()) => None,
        Form::Table(keys) => Some((keys, false)),
        Form::List(of, None) => table_of(of).map(|(keys, _)| (keys, true)),
        // A form that accepts either a name or a table: the table is listed.
        Form::Either(forms) => forms
            .iter()
            .find_map(table_of)
            .filter(|(_, is_list)| !is_list),
        _ => None,
    }
}

struct Listing {
    shown: BTreeSet<String>,
    lines: Vec<String>,
}

impl Listing {
    /// Returns true if the text of the built-in scene contains the key with the dotted name `path`.
    fn shows(&self, path: &str) -> bool {
        self.shown.contains(path)
    }

    /// Adds a table to the listing, with heading and nested tables. `path`: dotted name;
    /// `defaults`: default values of its keys; `depth`: nesting depth.
    fn table(&mut self, path: &str, entry: &Entry, defaults: &Json, depth: usize) {
        let Some((keys, is_list)) = table_of(&entry.form).filter(|_| !self.shows(path)) else {
            return;
        };
        let defaults = if is_list { &defaults[0] } else { defaults };
        let is_inside = |key: &Entry| depth < DEEPEST && table_of(&key.form).is_some();
        let plain: Vec<_> = keys
            .iter()
            .filter(|key| !is_inside(key) && !self.shows(&path_of(path, key.key)))
            .collect();
        if !plain.is_empty() {
            let head = if is_list {
                format!("# [[{path}]]")
            } else {
                format!("# [{path}]")
            };
            self.lines.push(String::new());
            self.line(&head, entry.what.trim_end_matches('.'));
            self.keys(path, plain.into_iter(), defaults);
        }
        for key in keys.iter().filter(|key| is_inside(key)) {
            self.table(&path_of(path, key.key), key, &defaults[key.key], depth + 1);
        }
    }

    fn keys<'a>(&mut self, path: &str, keys: impl Iterator<Item = &'a Entry>, defaults: &Json) {
        for key in keys {
            if self.shows(&path_of(path, key.key)) {
                continue;
            }
            let (what, values) = (key.what.trim_end_matches('.'), values(key));
            let words = [what, &values]
                .into_iter()
                .filter(|words| !words.is_empty())
                .collect::<Vec<_>>()
                .join("; ");
            self.line(
                &format!("# {} = {}", key.key, value(&defaults[key.key])),
                &words,
            );
        }
    }

    /// Adds `start` (a key or a heading) followed by its description `words`, wrapped to the line
    /// length.
    fn line(&mut self, start: &str, words: &str) {
        let mut line = format!("{start:WORDS_AT$}#");
        for word in words.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.lines.push(line);
                line = format!("{:WORDS_AT$}#", "#");
            }
            line = line + " " + word;
        }
        self.lines
            .push(line.trim_end_matches('#').trim_end().to_owned());
    }
}

/// Formats `default`, the default value of a key, as TOML; null becomes `…`.
fn value(default: &Json) -> String {
    match default {
        Json::Null => "…".to_owned(),
        Json::Array(list) => format!(
            "[{}]",
            list.iter().map(value).collect::<Vec<_>>().join(", ")
        ),
        Json::Object(table) if table.is_empty() => "{}".to_owned(),
        Json::Object(table) => {
            let pairs = table.iter().filter(|(_, inner)| !inner.is_null());
            let pairs: Vec<_> = pairs
                .map(|(key, inner)| format!("{key} = {}", value(inner)))
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        plain => plain.to_string(),
    }
}

/// Returns a text with the choices, the range or the unit of the key `key`; empty if it has none of
/// these.
fn values(key: &Entry) -> String {
    let (low, high) = key.range;
    let choice = |form: &Form| match form {
        Form::Words(words) => Some(
            words
                .iter()
                .map(|word| format!("\"{word}\""))
                .collect::<Vec<_>>()
                .join(", "),
        ),
        Form::Table(keys) => match &keys.first()?.form {
            Form::Words(kinds) => Some(format!(
                "{{ {} = … }}: {}",
                keys.first()?.key,
                kinds.join(", ")
            )),
            _ => None,
        },
        _ => None,
    };
    if let Some(choice) = choice(&key.form) {
        return choice;
    }
    let unit = if key.unit.is_empty() {
        String::new()
    } else {
        format!(" {}", key.unit)
    };
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{} to {}{unit}", limit(low), limit(high)),
        _ => unit.trim().to_owned(),
    }
}

/// Formats `number`, an end of a key's range, without long runs of zeros.
fn limit(number: f64) -> String {
    let plain = number == 0.0 || (1e-3..1e6).contains(&number.abs());
    if plain {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}
