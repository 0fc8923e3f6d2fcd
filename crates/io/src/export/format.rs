//! Formats, each known by the ending of its files: a table of them says how they are checked, weighed and written.

use std::path::Path;

use super::ExportError;

/// A format, and `how` its files are written.
#[derive(Debug)]
pub(super) struct Format<How> {
    /// Endings of its files, in lower case, without their dots; the first is the usual one.
    pub(super) endings: &'static [&'static str],
    /// Its name where the ending does not say it, or a program that it needs.
    pub(super) about: &'static str,
    pub(super) how: How,
}

/// Formats for one purpose, and its name in messages.
#[derive(Debug)]
pub(super) struct Formats<How: 'static> {
    pub(super) purpose: &'static str,
    pub(super) list: &'static [Format<How>],
}

impl<How> Formats<How> {
    /// How a file is written, by its ending.
    pub(super) fn of(&self, path: &Path) -> Result<&'static How, ExportError> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let found = self.list.iter().find(|format| format.endings.contains(&ending.as_str()));
        found.map(|format| &format.how).ok_or_else(|| ExportError::UnknownFormat {
            path: path.to_owned(),
            purpose: self.purpose,
            ending,
            known: self.words(),
        })
    }

    /// Its usual endings, such as `.png (APNG), .webp and .gif`.
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
