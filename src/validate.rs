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
        Self { key: key.to_owned(), value: value.to_string(), expected: expected.to_string() }
    }
}

/// Checks `low <= value <= high`; a value that is not a number fails.
pub fn within(key: &str, value: f64, low: f64, high: f64) -> Result<(), Invalid> {
    if value >= low && value <= high {
        Ok(())
    } else {
        Err(Invalid::new(key, value, format!("a number from {low} to {high}")))
    }
}
