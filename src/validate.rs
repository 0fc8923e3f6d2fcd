//! Range checks for numbers that come from outside, with a message that names the key and the mend.

/// A value that is not allowed, with the key as the user wrote it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} = {value}: must be {expected}")]
pub struct Invalid {
    /// Dotted path of the key, such as `rules.spread`.
    pub key: String,
    /// The value found.
    pub value: String,
    /// What would be right.
    pub expected: String,
}

impl Invalid {
    /// An error for `key`, saying what was expected there.
    pub fn new(key: &str, value: impl std::fmt::Display, expected: impl std::fmt::Display) -> Self {
        Self { key: key.to_owned(), value: tame(&value.to_string()), expected: expected.to_string() }
    }
}

/// Longest word and longest text that a message repeats from a file, in letters.
const LONGEST_WORD: usize = 60;
const LONGEST_TEXT: usize = 700;

/// Text from outside as part of what is shown: one line, not too long, and nothing in it that a terminal would obey.
pub fn tame(text: &str) -> String {
    let short = |text: String, most: usize| match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    let visible = |word: &str| word.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let words: Vec<String> = text.split([' ', '\n']).map(|word| short(visible(word), LONGEST_WORD)).collect();
    short(words.join(" "), LONGEST_TEXT)
}

/// Checks a name that messages repeat as it is.
pub(crate) fn one_line(key: &str, text: &str) -> Result<(), Invalid> {
    const LONGEST: usize = 1000;
    if text.chars().any(char::is_control) || text.chars().count() > LONGEST {
        return Err(Invalid::new(key, text, format!("one line of at most {LONGEST} letters")));
    }
    Ok(())
}

/// Checks `low <= value <= high`; a value that is not a number fails.
pub fn within(key: &str, value: f64, low: f64, high: f64) -> Result<(), Invalid> {
    if value >= low && value <= high {
        Ok(())
    } else {
        Err(Invalid::new(key, value, format!("a number from {low} to {high}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_tamed() {
        assert_eq!(tame("two words\nand a line \u{1b}[2J"), "two words and a line ?[2J");
        assert_eq!(tame(&"x".repeat(100)), format!("{}…", "x".repeat(60)));
        assert_eq!(tame(&"ä ".repeat(9000)).chars().count(), LONGEST_TEXT + 1);
        assert!(one_line("name", "Mount Ätna").is_ok() && one_line("name", "a\u{1b}b").is_err());
    }
}
