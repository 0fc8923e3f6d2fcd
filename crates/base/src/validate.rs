//! Range checks for numbers from files and flags, with messages that name the key and a remedy.

/// Error for a value that is not allowed; names the key as the user wrote it, the value, and the
/// allowed values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} = {value}: must be {expected}")]
pub struct Invalid {
    /// Dotted path of the key, such as `rules.spread`.
    pub key: String,
    /// Rejected value as text, shortened and without control characters.
    pub value: String,
    /// Description of the allowed values, such as `between 0 and 1`.
    pub expected: String,
}

impl Invalid {
    /// Creates the error for `key`, with the rejected `value` and a description of the `expected`
    /// values.
    pub fn new(key: &str, value: impl std::fmt::Display, expected: impl std::fmt::Display) -> Self {
        Self {
            key: key.to_owned(),
            value: escape_for_terminal(&value.to_string()),
            expected: expected.to_string(),
        }
    }
}

/// Largest number of characters of a word of untrusted text that a message repeats; longer words
/// are cut.
const LONGEST_WORD: usize = 60;
/// Largest number of characters of an untrusted text that a message repeats; longer texts are cut.
const LONGEST_TEXT: usize = 700;

/// Sanitizes untrusted text for a terminal: one line without control characters, with each word and
/// the whole text cut to a limited length (`LONGEST_WORD` and `LONGEST_TEXT` characters).
pub fn escape_for_terminal(text: &str) -> String {
    let short = |text: String, most: usize| match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    let visible = |word: &str| {
        word.chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect()
    };
    let words: Vec<String> = text
        .split([' ', '\n'])
        .map(|word| short(visible(word), LONGEST_WORD))
        .collect();
    short(words.join(" "), LONGEST_TEXT)
}

/// Quotes an untrusted word for a message: truncated to 24 characters, without control characters.
pub fn quoted(word: &str) -> String {
    let mut shown: String = word
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .take(24)
        .collect();
    if word.chars().count() > 24 {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// Checks that `text`, the value of the key `key`, is a single line without control characters, so
/// that messages may repeat it unchanged.
pub fn one_line(key: &str, text: &str) -> Result<(), Invalid> {
    const LONGEST: usize = 1000;
    if text.chars().any(char::is_control) || text.chars().count() > LONGEST {
        return Err(Invalid::new(
            key,
            text,
            format!("one line of at most {LONGEST} letters"),
        ));
    }
    Ok(())
}

/// Checks that `value`, the value of the key `key`, lies from `low` to `high` (inclusive); NaN is
/// an error.
pub fn within(key: &str, value: f64, low: f64, high: f64) -> Result<(), Invalid> {
    if value >= low && value <= high {
        Ok(())
    } else {
        Err(Invalid::new(
            key,
            value,
            format!(
                "a number from {} to {}",
                limit(low, f64::ceil),
                limit(high, f64::floor)
            ),
        ))
    }
}

/// Rounds the limit `value` of a range for display: to two decimals, or to two significant digits
/// if the limit is small. `round` rounds up or down, so that the displayed limit is allowed.
fn limit(value: f64, round: fn(f64) -> f64) -> f64 {
    let power = if value != 0.0 && value.abs() < 0.1 {
        10f64.powf(1.0 - value.abs().log10().floor())
    } else {
        100.0
    };
    let exact = !value.is_finite() || (value * power).round() / power == value;
    if exact {
        value
    } else {
        round(value * power) / power
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_round_numbers_within_the_range() {
        for (low, high, expected) in [
            (0.0, 7.999_877_929_687_5, "a number from 0 to 7.99"),
            (1.0 / 65536.0, 0.25, "a number from 0.000016 to 0.25"),
            (0.01, 1e9, "a number from 0.01 to 1000000000"),
            (-36_000.0, 0.3, "a number from -36000 to 0.3"),
            (1e-6, 87.333_3, "a number from 0.000001 to 87.33"),
        ] {
            assert_eq!(
                within("key", f64::NAN, low, high).map_err(|e| e.expected),
                Err(expected.to_owned())
            );
        }
    }

    #[test]
    fn text_from_outside_is_tamed() {
        assert_eq!(
            escape_for_terminal("two words\nand a line \u{1b}[2J"),
            "two words and a line ?[2J"
        );
        assert_eq!(
            escape_for_terminal(&"x".repeat(100)),
            format!("{}…", "x".repeat(60))
        );
        assert_eq!(
            escape_for_terminal(&"ä ".repeat(9000)).chars().count(),
            LONGEST_TEXT + 1
        );
        assert!(one_line("name", "Mount Ätna").is_ok() && one_line("name", "a\u{1b}b").is_err());
    }
}
