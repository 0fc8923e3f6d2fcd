//! Error messages that name the flag as typed by the user, in place of the scene key whose value
//! the flag has set.

use std::fmt::Display;

use lavoxel::scene::SceneError;
use lavoxel::terrain::TerrainError;
use lavoxel::validate::{Invalid, escape_for_terminal};

/// Flags that were given on the command line, each with the scene key that it overrides.
#[derive(Default)]
pub(in crate::cli) struct FlagNames(Vec<Flag>);

struct Flag {
    /// Scene key that the flag overrides, such as `film.size`; or a prefix such as `vent[0].` for
    /// all keys of a table.
    key: String,
    /// Flag and value as typed, such as `--size 9000x10`.
    text: String,
    /// Unit of the flag's number, or the notations in which the flag's value can be written.
    hint: &'static str,
}

impl FlagNames {
    /// Registers `flag` with its `value` for the scene key `key`; does nothing if `value` is
    /// `None`. `hint`: unit of the value, or its accepted notations.
    pub(in crate::cli) fn add(
        &mut self,
        key: &str,
        flag: &str,
        value: Option<impl Display>,
        hint: &'static str,
    ) {
        if let Some(value) = value {
            let text = escape_for_terminal(&format!("{flag} {value}"));
            self.0.push(Flag {
                key: key.to_owned(),
                text,
                hint,
            });
        }
    }

    /// Returns `error` with the scene key replaced by the flag that overrides this key; an error
    /// about another key is returned unchanged.
    pub(in crate::cli) fn name(&self, error: anyhow::Error) -> anyhow::Error {
        let Some(invalid) = invalid_in(&error) else {
            return error;
        };
        let named = |flag: &&Flag| match flag.key.strip_suffix('.') {
            Some(_) => invalid.key.starts_with(&flag.key),
            None => invalid.key == flag.key,
        };
        let Some(Flag { key, text, hint }) = self.0.iter().find(named) else {
            return error;
        };
        let hint = if hint.is_empty() {
            String::new()
        } else {
            format!(" {hint}")
        };
        // If the flag sets a whole table, the message must also name the number.
        let part = match invalid.key.strip_prefix(key.as_str()).unwrap_or_default() {
            "" => String::new(),
            part => format!(" {part}"),
        };
        anyhow::anyhow!("{text}:{part} must be {}{hint}", invalid.expected)
    }
}

/// Returns the `Invalid` value in the chain of causes of `error`; `None` if there is none.
fn invalid_in(error: &anyhow::Error) -> Option<&Invalid> {
    error.chain().find_map(|cause| {
        let terrain = match cause.downcast_ref() {
            Some(SceneError::Invalid { invalid, .. }) => return Some(invalid),
            Some(SceneError::Terrain { cause, .. } | SceneError::Heightmap(cause)) => {
                Some(&**cause)
            }
            _ => cause.downcast_ref::<TerrainError>(),
        };
        match terrain {
            Some(TerrainError::Invalid(invalid)) => Some(invalid),
            _ => cause.downcast_ref::<Invalid>(),
        }
    })
}
