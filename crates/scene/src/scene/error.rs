//! Errors of a scene or its file, each in one line with the place and a remedy.

use std::io;
use std::path::{Path, PathBuf};

use super::wording::{brackets, line_at, line_of, misplaced, open_text, with_key, wrong_type};
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_base::validate::{Invalid, tame};
use lavoxel_files::output::OutputError;
use lavoxel_geo::mesh::MeshError;
use lavoxel_geo::terrain::TerrainError;
use lavoxel_geo::terrain::error::mend_of_picture;

/// Reason why a scene could not be used.
///
/// Causes are part of the message and not a `source`, so that printing a whole chain of causes
/// repeats nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file cannot be read.
    #[error("cannot read scene {path}: {cause}")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        cause: io::Error,
    },
    /// The file is too long for a scene.
    #[error("{path}: longer than {limit} bytes; is it a scene file (TOML)?")]
    TooLong {
        /// Path of the file.
        path: PathBuf,
        /// Upper bound of the length in bytes.
        limit: u64,
    },
    /// The file is not text.
    #[error("{path}: not UTF-8 text (byte {byte}); is it a scene file (TOML)?")]
    NotText {
        /// Path of the file.
        path: PathBuf,
        /// Offset of the first wrong byte, in bytes.
        byte: usize,
    },
    /// The file is neither a scene nor a heightmap that can be read.
    #[error("{path}: not a scene (.toml) and not a known heightmap format ({known}){}", mend_of_picture(path))]
    Neither {
        /// Path of the file.
        path: PathBuf,
        /// File endings of the known heightmap formats, such as `.asc, .csv, .png`.
        known: String,
    },
    /// A device or a folder.
    #[error("{path} is not a regular file but {what}; name a scene (.toml) or a heightmap")]
    NotRegular {
        /// Path of the device or folder.
        path: PathBuf,
        /// Kind of the thing.
        what: &'static str,
    },
    /// The text is not a scene.
    #[error("{path}:{line}: {message}")]
    Text {
        /// Path of the file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Fault, in words.
        message: String,
    },
    /// A value is out of range.
    #[error("{path}: {invalid}")]
    Invalid {
        /// Path of the file.
        path: PathBuf,
        /// Wrong value with its key and range.
        invalid: Invalid,
    },
    /// A number that was put in place of another one is not right.
    #[error("{path}: {message}")]
    Unfit {
        /// Path of the scene.
        path: PathBuf,
        /// Fault, in words.
        message: String,
    },
    /// A heightmap that was to become a scene cannot be read.
    #[error("{0}")]
    Heightmap(Box<TerrainError>),
    /// The terrain cannot be made.
    #[error("{path}: {cause}")]
    Terrain {
        /// Path of the scene file.
        path: PathBuf,
        /// Fault, in words.
        cause: Box<TerrainError>,
    },
    /// The mesh of a body cannot be used.
    #[error("{path}: {cause}")]
    Mesh {
        /// Path of the scene file.
        path: PathBuf,
        /// Mesh and fault.
        cause: Box<MeshError>,
    },
    /// The scene would take more memory than allowed.
    #[error("{path}: {cause}")]
    Memory {
        /// Path of the scene file.
        path: PathBuf,
        /// Required and allowed memory.
        cause: TooMuchMemory,
    },
    /// The scene cannot be written as TOML.
    #[error("{path}: {cause}")]
    Words {
        /// Path of the file that was to be written.
        path: PathBuf,
        /// Value that TOML cannot hold.
        cause: toml::ser::Error,
    },
    /// The scene cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl SceneError {
    /// Turns the parser's error into one line, with the nearest right name for an unknown key.
    pub(super) fn from_toml(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let span = error.span().unwrap_or_default();
        let line = line_at(text, span.start);
        let said = error.message();
        if let Some((line, message)) = brackets(text) {
            return Self::Text { path: path.to_owned(), line, message };
        }
        let message = open_text(text, line)
            .or_else(|| wrong_type(said, text, span.clone()))
            .or_else(|| misplaced(said, text, &span).filter(|_| !has_close_name(said)))
            .unwrap_or_else(|| with_key(text, &span, with_nearest_name(&tame(said))));
        Self::Text { path: path.to_owned(), line, message }
    }

    /// Error for a value out of range, with the line of its key in the text.
    pub(super) fn in_text(path: &Path, text: &str, invalid: Invalid) -> Self {
        let path = path.to_owned();
        match line_of(text, &invalid.key) {
            Some(line) => Self::Text { path, line, message: invalid.to_string() },
            None => Self::Invalid { path, invalid },
        }
    }
}

/// Least Jaro–Winkler similarity at which a wrong key counts as a typing error, and not as a key of
/// another table.
const CLOSE: f64 = 0.85;

/// Returns true if one of the names in the parser's "unknown field `x`, expected one of `a`, `b`"
/// is close to the wrong one.
fn has_close_name(message: &str) -> bool {
    let mut names = message.split('`').skip(1).step_by(2);
    let wrong = names.next().unwrap_or_default().to_lowercase();
    names.any(|name| strsim::jaro_winkler(&wrong, name) > CLOSE)
}

/// Adds "did you mean" to the parser's "unknown field `x`, expected one of `a`, `b`".
pub(super) fn with_nearest_name(message: &str) -> String {
    let wrong_name = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let Some((wrong, known)) = names.split_first().filter(|_| wrong_name) else { return message.to_owned() };
    // Names that the documentation uses for the models.
    let meant = match *wrong {
        "physical" | "metres" | "lava" => "flow",
        "cells" | "automaton" => "classic",
        other => other,
    };
    let similarity = |name: &str| strsim::jaro_winkler(&meant.to_lowercase(), name);
    let what = if message.starts_with("unknown field") { "key" } else { "value" };
    match known.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b))) {
        Some(nearest) if similarity(nearest) > 0.6 => {
            format!("unknown {what} `{wrong}`: did you mean `{nearest}`? (known here: {})", known.join(", "))
        }
        Some(_) => format!("unknown {what} `{wrong}` (known here: {})", known.join(", ")),
        None => format!("unknown {what} `{wrong}`: nothing can be set here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_gets_the_nearest_right_name() {
        let message = "unknown field `thresold`, expected one of `factor`, `threshold`, `spread`";
        let better = with_nearest_name(message);
        assert!(better.starts_with("unknown key `thresold`: did you mean `threshold`?"), "{better}");
        assert_eq!(with_nearest_name("invalid type: string"), "invalid type: string");
        let far = with_nearest_name("unknown field `qqq`, expected `factor` or `spread`");
        assert_eq!(far, "unknown key `qqq` (known here: factor, spread)");
    }
}
