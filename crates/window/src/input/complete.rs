//! Completion of file names while the user types a path, as in a shell.

use std::path::{MAIN_SEPARATOR, Path};

/// Upper bound of the number of completions offered to the user.
const MOST: usize = 8;
/// Upper bound of the number of directory entries read; entries beyond this number are not offered.
const MOST_READ: usize = 10_000;

/// Completions of the typed path, cached until the typed text changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Completion {
    typed: Option<String>,
    names: Vec<String>,
}

impl Completion {
    /// Returns the paths that begin with `typed`, sorted, at most `MOST`; directories end in a path
    /// separator.
    pub(crate) fn candidates(&mut self, typed: &str) -> &[String] {
        if self.typed.as_deref() != Some(typed) {
            self.names = names(typed);
            self.typed = Some(typed.to_owned());
        }
        &self.names[..self.names.len().min(MOST)]
    }

    /// Returns the longest common prefix of all completions of `typed`; `None` if that is not
    /// longer than `typed`.
    pub(crate) fn common(&mut self, typed: &str) -> Option<String> {
        self.candidates(typed);
        let mut names = self.names.iter();
        let first = names.next()?.clone();
        let common = names.fold(first, |common, name| {
            let same = common.chars().zip(name.chars()).take_while(|(a, b)| a == b);
            same.map(|(a, _)| a).collect()
        });
        (common.len() > typed.len()).then_some(common)
    }
}

fn names(typed: &str) -> Vec<String> {
    let split = typed.rfind(['/', MAIN_SEPARATOR]).map_or(0, |at| at + 1);
    let (folder, begun) = typed.split_at(split);
    let Ok(entries) = std::fs::read_dir(if folder.is_empty() {
        Path::new(".")
    } else {
        Path::new(folder)
    }) else {
        return Vec::new();
    };
    let fits =
        |name: &str| name.starts_with(begun) && (begun.starts_with('.') || !name.starts_with('.'));
    let named = |entry: std::fs::DirEntry| {
        let name = entry
            .file_name()
            .into_string()
            .ok()
            .filter(|name| fits(name))?;
        let end = if entry.path().is_dir() { "/" } else { "" };
        Some(format!("{folder}{name}{end}"))
    };
    let mut names: Vec<String> = entries
        .take(MOST_READ)
        .filter_map(Result::ok)
        .filter_map(named)
        .collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_folder_complete_what_is_typed() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["mount-a.asc", "mount-b.tif", "other.toml", ".hidden"] {
            std::fs::write(folder.path().join(name), "").expect("written");
        }
        std::fs::create_dir(folder.path().join("maps")).expect("made");
        let within = |name: &str| format!("{}/{name}", folder.path().display());
        let mut completion = Completion::default();
        assert_eq!(
            completion.candidates(&within("m")),
            [
                within("maps/"),
                within("mount-a.asc"),
                within("mount-b.tif")
            ]
        );
        assert_eq!(completion.common(&within("mo")), Some(within("mount-")));
        assert_eq!(
            completion.common(&within("mount-")),
            None,
            "both may be meant"
        );
        assert_eq!(completion.common(&within("o")), Some(within("other.toml")));
        assert_eq!(
            completion.candidates(&within("")).len(),
            4,
            "hidden names are not offered"
        );
        assert_eq!(completion.candidates(&within(".h")), [within(".hidden")]);
        assert!(completion.candidates("/no/such/folder/x").is_empty());
    }
}
