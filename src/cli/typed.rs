//! Errors in the words of the command line: a number that a flag gave is named by that flag, as it was typed.

use std::fmt::Display;

use lavoxel::scene::SceneError;
use lavoxel::terrain::TerrainError;
use lavoxel::validate::{Invalid, tame};

/// The flags of a command line that stand for keys of a scene.
#[derive(Default)]
pub(super) struct Typed(Vec<Flag>);

struct Flag {
    /// Such as `film.size`; or `vent[0].` for all keys of a table.
    key: String,
    /// Such as `--size 9000x10`.
    text: String,
    /// What the numbers count, and how to say them in another way.
    hint: &'static str,
}

impl Typed {
    /// A flag that was given if there is a value.
    pub(super) fn add(&mut self, key: &str, flag: &str, value: Option<impl Display>, hint: &'static str) {
        if let Some(value) = value {
            let text = tame(&format!("{flag} {value}"));
            self.0.push(Flag { key: key.to_owned(), text, hint });
        }
    }

    /// The error, with the flag in place of the key that it stands for.
    pub(super) fn name(&self, error: anyhow::Error) -> anyhow::Error {
        let Some(invalid) = invalid_in(&error) else { return error };
        let named = |flag: &&Flag| match flag.key.strip_suffix('.') {
            Some(_) => invalid.key.starts_with(&flag.key),
            None => invalid.key == flag.key,
        };
        let Some(Flag { key, text, hint }) = self.0.iter().find(named) else { return error };
        let hint = if hint.is_empty() { String::new() } else { format!(" {hint}") };
        // Of a table it must be said which of its numbers it is.
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
