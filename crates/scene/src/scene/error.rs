//! Errors of a scene or its file: one line of text each, with the position and a remedy.

use std::io;
use std::path::{Path, PathBuf};

use super::wording::{brackets, line_at, line_of, misplaced, open_text, with_key, wrong_type};
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_base::validate::{Invalid, escape_for_terminal};
use lavoxel_files::output::OutputError;
use lavoxel_geo::blocks::BlocksError;
use lavoxel_geo::mesh::MeshError;
use lavoxel_geo::terrain::TerrainError;
use lavoxel_geo::terrain::error::mend_of_picture;

/// Error while a scene is read, checked, built or saved.
///
/// The text of the underlying error is part of the message and is not returned by `source`, so that
/// printing a chain of causes repeats nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The scene file cannot be read.
    #[error("cannot read scene {path}: {cause}")]
    Read {
        /// Path of the scene file that cannot be read.
        path: PathBuf,
        /// Error that the operating system reported.
        cause: io::Error,
    },
    /// The file is longer than a scene file may be.
    #[error("{path}: longer than {limit} bytes; is it a scene file (TOML)?")]
    TooLong {
        /// Path of the file that is too long.
        path: PathBuf,
        /// Upper bound on the length of a scene file in bytes.
        limit: u64,
    },
    /// The file is not valid UTF-8.
    #[error("{path}: not UTF-8 text (byte {byte}); is it a scene file (TOML)?")]
    NotText {
        /// Path of the file that is not UTF-8.
        path: PathBuf,
        /// Offset of the first invalid byte, in bytes from the start of the file.
        byte: usize,
    },
    /// The file is neither a scene nor a heightmap in a known format.
    #[error(
        "{path}: not a scene (.toml) and not a known format of heightmaps or blocks ({known}){}",
        mend_of_picture(path)
    )]
    Neither {
        /// Path of the file of unknown type.
        path: PathBuf,
        /// File extensions of the known heightmap formats, such as `.asc, .csv, .png`.
        known: String,
    },
    /// The path names a device or a folder.
    #[error("{path} is not a regular file but {what}; name a scene (.toml) or a heightmap")]
    NotRegular {
        /// Path that names a device or a folder.
        path: PathBuf,
        /// Kind of the object at the path, such as `a folder`.
        what: &'static str,
    },
    /// The text of the file is not a valid scene: TOML syntax, an unknown key or a wrong type.
    #[error("{path}:{line}: {message}")]
    Text {
        /// Path of the faulty scene file.
        path: PathBuf,
        /// Line number of the fault in the scene file, counted from 1.
        line: usize,
        /// Description of the fault in the scene text.
        message: String,
    },
    /// A value in the scene is out of range.
    #[error("{path}: {invalid}")]
    Invalid {
        /// Path of the scene file with the value.
        path: PathBuf,
        /// Rejected value, with its key and the allowed range.
        invalid: Invalid,
    },
    /// A number that was substituted into the scene does not fit: its key does not exist or cannot
    /// take the number.
    #[error("{path}: {message}")]
    Unfit {
        /// Path of the scene file into which the number was substituted.
        path: PathBuf,
        /// Description of the reason why the number does not fit.
        message: String,
    },
    /// A heightmap that was opened without a scene cannot be read.
    #[error("{0}")]
    Heightmap(Box<TerrainError>),
    /// The ground of the scene cannot be built.
    #[error("{path}: {cause}")]
    Terrain {
        /// Path of the scene file.
        path: PathBuf,
        /// Error while the ground was read or built.
        cause: Box<TerrainError>,
    },
    /// The mesh file of a body cannot be read or does not contain a closed mesh.
    #[error("{path}: {cause}")]
    Mesh {
        /// Path of the scene file.
        path: PathBuf,
        /// Error of the mesh file, which states the file's name.
        cause: Box<MeshError>,
    },
    /// The file of blocks of a body cannot be read, or has no such blocks.
    #[error("{path}: {cause}")]
    Blocks {
        /// Path of the scene file.
        path: PathBuf,
        /// Error of the file of blocks, which states the file's name.
        cause: Box<BlocksError>,
    },
    /// A file of blocks that was opened without a scene cannot be read.
    #[error("{0}")]
    Build(Box<BlocksError>),
    /// The scene would need more memory than allowed.
    #[error("{path}: {cause}")]
    Memory {
        /// Path of the scene file.
        path: PathBuf,
        /// Required and allowed memory, for the message.
        cause: TooMuchMemory,
    },
    /// The scene cannot be serialised as TOML.
    #[error("{path}: {cause}")]
    Words {
        /// Path of the file that was to be written.
        path: PathBuf,
        /// Error of the TOML serialiser.
        cause: toml::ser::Error,
    },
    /// The scene file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl SceneError {
    /// Converts an error of the TOML parser to a message of one line; for an unknown key, the
    /// message suggests the most similar known key. `text`: text of the scene at `path`.
    pub(super) fn from_toml(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let span = error.span().unwrap_or_default();
        let line = line_at(text, span.start);
        let said = error.message();
        if let Some((line, message)) = brackets(text) {
            return Self::Text {
                path: path.to_owned(),
                line,
                message,
            };
        }
        let message = open_text(text, line)
            .or_else(|| wrong_type(said, text, span.clone()))
            .or_else(|| misplaced(said, text, &span).filter(|_| !has_close_name(said)))
            .unwrap_or_else(|| {
                with_key(text, &span, with_nearest_name(&escape_for_terminal(said)))
            });
        Self::Text {
            path: path.to_owned(),
            line,
            message,
        }
    }

    /// Creates the error for the out-of-range value `invalid`; if the scene's `text` contains its
    /// key, the error states the line of the key.
    pub(super) fn in_text(path: &Path, text: &str, invalid: Invalid) -> Self {
        let path = path.to_owned();
        match line_of(text, &invalid.key) {
            Some(line) => Self::Text {
                path,
                line,
                message: invalid.to_string(),
            },
            None => Self::Invalid { path, invalid },
        }
    }
}

/// Smallest Jaro–Winkler similarity (0 to 1) to a known key at which an unknown key counts as a
/// typing error; below, the key is assumed to belong to another table.
const CLOSE: f64 = 0.85;

/// Returns true if one of the expected names in the parser's message (such as "unknown field `x`,
/// expected one of `a`, `b`") is similar to the unknown name.
fn has_close_name(message: &str) -> bool {
    let mut names = message.split('`').skip(1).step_by(2);
    let wrong = names.next().unwrap_or_default().to_lowercase();
    names.any(|name| strsim::jaro_winkler(&wrong, name) > CLOSE)
}

/// Returns the parser's message (such as "unknown field `x`, expected one of `a`, `b`") with "did
/// you mean" and the most similar name appended. A message of any other form is returned unchanged.
pub(super) fn with_nearest_name(message: &str) -> String {
    let wrong_name = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let Some((wrong, known)) = names.split_first().filter(|_| wrong_name) else {
        return message.to_owned();
    };
    // Names of the models that the documentation uses but scenes do not.
    let meant = match *wrong {
        "physical" | "metres" | "lava" => "flow",
        "cells" | "automaton" => "classic",
        other => other,
    };
    let similarity = |name: &str| strsim::jaro_winkler(&meant.to_lowercase(), name);
    let what = if message.starts_with("unknown field") {
        "key"
    } else {
        "value"
    };
    match known
        .iter()
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)))
    {
        Some(nearest) if similarity(nearest) > 0.6 => {
            format!(
                "unknown {what} `{wrong}`: did you mean `{nearest}`? (known here: {})",
                known.join(", ")
            )
        }
        Some(_) => format!(
            "unknown {what} `{wrong}` (known here: {})",
            known.join(", ")
        ),
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
        assert!(
            better.starts_with("unknown key `thresold`: did you mean `threshold`?"),
            "{better}"
        );
        assert_eq!(
            with_nearest_name("invalid type: string"),
            "invalid type: string"
        );
        let far = with_nearest_name("unknown field `qqq`, expected `factor` or `spread`");
        assert_eq!(far, "unknown key `qqq` (known here: factor, spread)");
    }
}
