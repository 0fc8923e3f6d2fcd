//! Tables of file formats: the format is selected by the file extension.

use std::path::Path;

use super::ExportError;
use lavoxel_files::input::ending;

/// File format, selected by the file extension. `how`: functions of the format; their type depends
/// on the kind of output (animations, maps, …).
#[derive(Debug)]
pub(super) struct Format<How> {
    /// File extensions in lower case without dots; the first is the preferred one.
    pub(super) endings: &'static [&'static str],
    /// Note for users in lists of formats: the format's name if the extension is ambiguous, or a
    /// required program; empty if there is no note.
    pub(super) about: &'static str,
    pub(super) how: How,
}

/// All formats in which one kind of output can be written, such as animations.
#[derive(Debug)]
pub(super) struct Formats<How: 'static> {
    pub(super) purpose: &'static str,
    pub(super) list: &'static [Format<How>],
}

impl<How> Formats<How> {
    /// Returns the functions (`how`) of the format that the extension of `path` selects. Fails for
    /// an unknown extension.
    pub(super) fn for_path(&self, path: &Path) -> Result<&'static How, ExportError> {
        let ending = ending(path);
        let found = self
            .list
            .iter()
            .find(|format| format.endings.contains(&ending.as_str()));
        found
            .map(|format| &format.how)
            .ok_or_else(|| ExportError::UnknownFormat {
                path: path.to_owned(),
                purpose: self.purpose,
                ending,
                known: self.words(),
            })
    }

    /// Lists the first extension of each format as text, such as `.png (APNG), .webp and .gif`.
    pub(super) fn words(&self) -> String {
        let word = |format: &Format<How>| match format.about {
            "" => format!(".{}", format.endings[0]),
            about => format!(".{} ({about})", format.endings[0]),
        };
        let words: Vec<String> = self.list.iter().map(word).collect();
        match words.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => String::new(),
        }
    }
}
