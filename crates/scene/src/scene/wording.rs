//! Messages about mistakes in the text of a scene; each states line, key and expected type.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::SceneSpec;
use lavoxel_base::param::{Entry, Form, Value};
use lavoxel_base::validate::escape_for_terminal;

/// Returns the number, counted from 1, of the line that contains the byte offset `at` of `text`.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())]
        .iter()
        .filter(|&&b| b == b'\n')
        .count()
        + 1
}

/// Returns the number, counted from 1, of the line with a key such as `rules.spread`, `film.size`
/// or `vent[1].x`; for a missing key, the number of the line of its table; `None` if the table is
/// missing. `text` must be valid TOML.
pub(super) fn line_of(text: &str, key: &str) -> Option<usize> {
    let whole = DeTable::parse(text).ok()?;
    let mut table = whole.get_ref();
    let mut found = None;
    for part in key.split('.') {
        let (name, number) = match part.split_once('[') {
            Some((name, rest)) => (name, rest.trim_end_matches(']').parse::<usize>().ok()),
            None => (part, None),
        };
        let Some((written, mut value)) = table.get_key_value(name) else {
            break;
        };
        found = Some(written.span().start);
        if let (DeValue::Array(items), Some(number)) = (value.get_ref(), number) {
            let Some(item) = items.get(number) else { break };
            (found, value) = (Some(item.span().start), item);
        }
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    Some(line_at(text, found?))
}

/// Rewrites the parser's message "invalid type: string "high", expected f64" as "rules.threshold =
/// "high": must be a number". `span`: byte range of the value in `text`. `None` for a message of
/// another form.
pub(super) fn wrong_type(message: &str, text: &str, span: Range<usize>) -> Option<String> {
    let (_, expected) = message
        .strip_prefix("invalid ")?
        .split_once(", expected ")?;
    let key = key_before(text, span.start)?;
    Some(format!(
        "{key} = {}: must be {}",
        escape_for_terminal(text.get(span)?),
        in_words(expected)
    ))
}

/// Returns the text of the line with the number `number`, counted from 1, without surrounding
/// blanks.
fn line(text: &str, number: usize) -> &str {
    text.lines()
        .nth(number.saturating_sub(1))
        .unwrap_or_default()
        .trim()
}

/// Returns line number and message for the first table heading with the wrong number of brackets
/// (`[name]`, `[[name]]`); `None` if all headings are right or `text` cannot be parsed.
pub(super) fn brackets(text: &str) -> Option<(usize, String)> {
    wrong_head(
        text,
        DeTable::parse(text).ok()?.get_ref(),
        "",
        &SceneSpec::form(),
    )
}

fn wrong_head(text: &str, table: &DeTable<'_>, path: &str, form: &Form) -> Option<(usize, String)> {
    let Form::Table(keys) = form else { return None };
    keys.iter().find_map(|key| {
        let (written, value) = table.get_key_value(key.key)?;
        let number = line_at(text, written.span().start);
        let (head, name) = (line(text, number), format!("{path}{}", key.key));
        match (&key.form, value.get_ref()) {
            (Form::Table(_), DeValue::Array(_)) if head.starts_with("[[") => Some((
                number,
                format!("[[{name}]]: a scene has one at most, so write [{name}]"),
            )),
            (Form::List(of, None), DeValue::Table(_))
                if matches!(**of, Form::Table(_)) && head.starts_with('[') =>
            {
                Some((
                    number,
                    format!("[{name}]: a scene may have many of them, so write [[{name}]]"),
                ))
            }
            (form @ Form::Table(_), DeValue::Table(inside)) => {
                wrong_head(text, inside, &format!("{name}."), form)
            }
            _ => None,
        }
    })
}

/// Returns a message about a string without a closing quote in the line `number`; `None` if the
/// text can be parsed, or the line has no such string.
pub(super) fn open_text(text: &str, number: usize) -> Option<String> {
    DeTable::parse(text).err()?;
    let line = line(text, number);
    let mut open = None;
    for (at, c) in line.char_indices() {
        match open {
            None if c == '#' => return None,
            None if c == '"' || c == '\'' => open = Some((at, c)),
            // An escape sequence cannot be interpreted without the end of the string.
            Some((_, '"')) if c == '\\' => return None,
            Some((_, quote)) if c == quote => open = None,
            _ => {}
        }
    }
    let (at, quote) = open?;
    let (before, inside) = line.split_at(at);
    let key = before
        .trim_end()
        .strip_suffix('=')?
        .rsplit(['{', ','])
        .next()?
        .trim();
    let word = inside
        .trim_start_matches(quote)
        .split(['#', '}'])
        .next()?
        .trim();
    Some(escape_for_terminal(&format!(
        "{key}: the text has no quote at its end; write {key} = {quote}{word}{quote}"
    )))
}

/// Returns `message`, which is about a value, with the key of the value in front. `span`: byte
/// range of the value in `text`.
pub(super) fn with_key(text: &str, span: &Range<usize>, message: String) -> String {
    let Some(key) = key_before(text, span.start) else {
        return message;
    };
    match message.as_str() {
        // The key expects a name or a table.
        "wanted string or table" => {
            let value = escape_for_terminal(text.get(span.clone()).unwrap_or_default());
            let words = words_of(&key).unwrap_or_else(|| "one of its names in quotes".to_owned());
            format!("{key} = {value}: must be {words}")
        }
        _ if message.starts_with("unknown value") => format!("{key}: {message}"),
        _ => message,
    }
}

/// Returns the quoted words that the key `key` accepts, joined by "or"; `None` if the key has no
/// list of words.
fn words_of(key: &str) -> Option<String> {
    let mut form = SceneSpec::form();
    for part in key.split('.') {
        let keys = match form {
            Form::List(of, _) => of.entries(),
            form => form.entries(),
        };
        form = keys.into_iter().find(|entry| entry.key == part)?.form;
    }
    let Form::Words(words) = form else {
        return None;
    };
    Some(
        words
            .iter()
            .map(|word| format!("\"{word}\""))
            .collect::<Vec<_>>()
            .join(" or "),
    )
}

/// Returns a message that an unknown key is valid in another table. `message`: message of the
/// parser; `span`: byte range of the key in `text`. `None` for a message of another form, and for a
/// key that no table has.
pub(super) fn misplaced(message: &str, text: &str, span: &Range<usize>) -> Option<String> {
    let wrong = message.strip_prefix("unknown field `")?.split('`').next()?;
    let header = text
        .get(..span.start)?
        .lines()
        .map(str::trim)
        .rfind(|line| line.starts_with('['));
    let here = header.unwrap_or("the head of the scene");
    let mut tables = Vec::new();
    tables_with(wrong, ("", &SceneSpec::form()), &mut tables);
    (!tables.is_empty()).then(|| {
        let tables = tables.join(", ");
        escape_for_terminal(&format!(
            "unknown key `{wrong}` in {here}: it is a key of {tables}"
        ))
    })
}

/// Appends the headings of all tables that have the key `key` to `found`: the table `path`, whose
/// type is `form`, and tables inside it, down to two levels of nesting.
fn tables_with(key: &str, (path, form): (&str, &Form), found: &mut Vec<String>) {
    let (keys, is_list): (&[Entry], bool) = match form {
        Form::Table(keys) => (keys, false),
        Form::List(of, None) if matches!(**of, Form::Table(_)) => {
            let Form::Table(keys) = &**of else { return };
            (keys, true)
        }
        _ => return,
    };
    if keys.iter().any(|entry| entry.key == key) {
        found.push(match (path, is_list) {
            ("", _) => "the head of the scene, above all tables".to_owned(),
            (_, true) => format!("[[{path}]]"),
            _ => format!("[{path}]"),
        });
    }
    if !path.contains('.') {
        for entry in keys {
            let inside = format!("{path}.{}", entry.key);
            tables_with(key, (inside.trim_start_matches('.'), &entry.form), found);
        }
    }
}

/// Returns the dotted key whose value begins at the byte offset `at` of `text`; `None` if no value
/// begins there.
fn key_before(text: &str, at: usize) -> Option<String> {
    let before = text.get(..at)?;
    let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let (keys, _) = line.rsplit_once('=')?;
    let key = keys.rsplit(['{', ',']).next().unwrap_or(keys).trim();
    let header = above
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| line.starts_with('['));
    let table = header.and_then(|header| header.trim_start_matches('[').split(']').next());
    Some(escape_for_terminal(
        &table.map_or(key.to_owned(), |table| format!("{}.{key}", table.trim())),
    ))
}

/// Returns the term of scene files for the Rust type named `expected`.
fn in_words(expected: &str) -> String {
    match expected {
        "f32" | "f64" => "a number".to_owned(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of 0 or more".to_owned(),
        "i8" | "i16" | "i32" | "i64" => "a whole number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" | "path string" => "a text in quotes".to_owned(),
        "a sequence" => "a list in brackets".to_owned(),
        _ if expected.starts_with("struct ") => "a table".to_owned(),
        _ if expected.starts_with("enum ") => "one of its names in quotes".to_owned(),
        _ => match expected.rsplit_once(' ') {
            Some((list, n))
                if list.starts_with("an array of") || list.starts_with("a tuple of") =>
            {
                format!("{n} values in brackets")
            }
            _ => escape_for_terminal(expected),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "name = \"x\"\n[rules]\nspread = 9.0\n[rules.friction]\non_solid = 2\n[[vent]]\nx = 1\n\
                         [[vent]]\nx = 2\n[look]\nclip = [\n  [0, 1]]\n";

    #[test]
    fn keys_are_found_in_the_text() {
        let keys = [
            "name",
            "rules.spread",
            "rules.friction.on_solid",
            "vent[0].x",
            "vent[1].x",
            "look.clip",
        ];
        assert_eq!(
            keys.map(|key| line_of(SCENE, key)),
            [1, 3, 5, 7, 9, 11].map(Some)
        );
        // The line of a key that is missing is that of its table.
        assert_eq!(line_of(SCENE, "vent[1].map_x, map_y"), Some(8));
        assert_eq!(
            [line_of(SCENE, "film.size"), line_of("[", "film.size")],
            [None, None]
        );
    }

    #[test]
    fn types_have_names_that_people_know() {
        let words = |text: &str| {
            let error = toml::from_str::<crate::scene::SceneSpec>(text).expect_err(text);
            wrong_type(error.message(), text, error.span().expect("a place"))
                .unwrap_or_else(|| error.to_string())
        };
        for (text, expected) in [
            (
                "[rules]\nthreshold = \"high\"",
                "rules.threshold = \"high\": must be a number",
            ),
            (
                "seed = 1.5",
                "seed = 1.5: must be a whole number of 0 or more",
            ),
            (
                "seed = -3",
                "seed = -3: must be a whole number of 0 or more",
            ),
            ("name = 3", "name = 3: must be a text in quotes"),
            (
                "[grid]\nsize = [1, 2]",
                "grid.size = [1, 2]: must be 3 values in brackets",
            ),
            (
                "[grid]\nsize = 12",
                "grid.size = 12: must be 3 values in brackets",
            ),
            ("grid = 4", "grid = 4: must be a table"),
            (
                "[rules]\nfriction = { on_solid = true }",
                "rules.on_solid = true: must be a number",
            ),
        ] {
            assert_eq!(words(text), expected);
        }
    }
}
