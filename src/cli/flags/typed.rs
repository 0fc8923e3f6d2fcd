//! Errors of the command line: the message names the flag that set a number, as the user typed it.

use std::fmt::Display;

use lavoxel::scene::SceneError;
use lavoxel::terrain::TerrainError;
use lavoxel::validate::{Invalid, tame};

/// The flags of a command line that override keys of a scene.
#[derive(Default)]
pub(in crate::cli) struct Typed(Vec<Flag>);

struct Flag {
    /// Such as `film.size`; or `vent[0].` for all keys of a table.
    key: String,
    /// Such as `--size 9000x10`.
    text: String,
    /// The unit of the numbers, and the notations for them.
    hint: &'static str,
}

impl Typed {
    /// A flag, if it has a value.
    pub(in crate::cli) fn add(&mut self, key: &str, flag: &str, value: Option<impl Display>, hint: &'static str) {
        if let Some(value) = value {
            let text = tame(&format!("{flag} {value}"));
            self.0.push(Flag { key: key.to_owned(), text, hint });
        }
    }

    /// The error, with the flag in place of the key that it overrides.
    pub(in crate::cli) fn name(&self, error: anyhow::Error) -> anyhow::Error {
        let Some(invalid) = invalid_in(&error) else { return error };
        let named = |flag: &&Flag| match flag.key.strip_suffix('.') {
            Some(_) => invalid.key.starts_with(&flag.key),
            None => invalid.key == flag.key,
        };
        let Some(Flag { key, text, hint }) = self.0.iter().find(named) else { return error };
        let hint = if hint.is_empty() { String::new() } else { format!(" {hint}") };
        // For a whole table the message must name the number.
        let part = match invalid.key.strip_prefix(key.as_str()).unwrap_or_default() {
            "" => String::new(),
            part => format!(" {part}"),
        };
        anyhow::anyhow!("{text}:{part} must be {}{hint}", invalid.expected)
    }
}

/// The number that is wrong, if one is.
fn invalid_in(error: &anyhow::Error) -> Option<&Invalid> {
    error.chain().find_map(|cause| {
        let terrain = match cause.downcast_ref() {
            Some(SceneError::Invalid { invalid, .. }) => return Some(invalid),
            Some(SceneError::Terrain { cause, .. } | SceneError::Heightmap(cause)) => Some(&**cause),
            _ => cause.downcast_ref::<TerrainError>(),
        };
        match terrain {
            Some(TerrainError::Invalid(invalid)) => Some(invalid),
            _ => cause.downcast_ref::<Invalid>(),
        }
    })
}
