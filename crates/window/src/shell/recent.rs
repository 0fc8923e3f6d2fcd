//! Persistent list of recently opened files: a text file with one path per line, most recent first.
//!
//! The list is a convenience: if its file cannot be read or written, the window lists only the
//! files opened in this session and reports no error.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use lavoxel_files::input::RECENT;
use lavoxel_files::output::{Existing, OutputError, WholeFile};
use lavoxel_files::shipped;

/// Name of the marker file in the folder of the list, which exists once the tour was shown to the
/// user.
const TOUR: &str = "tour";
/// Upper bound of the number of files in the list.
const MOST: usize = 6;
/// Upper bound of the length of a listed path in bytes; longer paths are not stored.
const LONGEST: usize = 4096;

/// List of recently opened files, and the path of the file that stores the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recent {
    file: Option<PathBuf>,
    paths: Vec<PathBuf>,
}

impl Recent {
    /// Loads the list of recently opened files of the user who runs the program.
    pub(crate) fn of_user() -> Self {
        Self::kept_in(usual_file(|name| std::env::var_os(name)))
    }

    fn kept_in(file: Option<PathBuf>) -> Self {
        let paths = file.as_deref().map(read).unwrap_or_default();
        Self { file, paths }
    }

    /// Returns the paths of the recently opened files, most recent first.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Returns true if the tour has not been shown to this user yet, and writes the marker file
    /// `TOUR`. Returns false if the marker file cannot be written, since the tour would otherwise
    /// appear at every start.
    pub(crate) fn takes_the_tour(&self) -> bool {
        let Some(seen) = self.file.as_deref().map(|file| file.with_file_name(TOUR)) else {
            return false;
        };
        if seen.exists() {
            return false;
        }
        let written = WholeFile::create(&seen, Existing::Keep).and_then(|mut whole| {
            writeln!(whole, "The tour of the window was shown.")
                .map_err(|cause| OutputError::io(&seen, cause))?;
            whole.commit()
        });
        written.is_ok()
    }

    /// Moves the file `path` to the front of the list and stores the list. Built-in scenes are
    /// skipped, since the start screen lists them separately.
    pub(crate) fn remember(&mut self, path: &Path) {
        if shipped::inside(path).is_some() {
            return;
        }
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // Another window may have changed the file since: its entries are kept.
        if let Some(paths) = self
            .file
            .as_deref()
            .map(read)
            .filter(|paths| !paths.is_empty())
        {
            self.paths = paths;
        }
        self.paths.retain(|known| *known != path);
        self.paths.insert(0, path);
        self.paths.truncate(MOST);
        if let Some(file) = &self.file {
            write(file, &self.paths).ok();
        }
    }
}

/// Returns the path of the file that stores the list of recent files, in the user's folder for
/// program state; `None` if the environment defines no such folder. `variable`: reads an
/// environment variable.
fn usual_file(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| {
        variable(name)
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
    };
    let states = if cfg!(windows) {
        folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))
    };
    Some(states?.join("lavoxel").join("recent"))
}

/// Returns true if `line` can be stored as a path in the list: not empty, at most `LONGEST` bytes,
/// no control characters.
fn fits(line: &str) -> bool {
    (1..=LONGEST).contains(&line.len()) && !line.chars().any(char::is_control)
}

/// Reads the paths stored in `file`. Returns an empty list if `file` is not a regular file or
/// cannot be read.
fn read(file: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = RECENT.bytes(file, |bytes| bytes) else {
        return Vec::new();
    };
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| std::str::from_utf8(line).ok());
    lines
        .filter(|line| fits(line))
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .take(MOST)
        .collect()
}

fn write(file: &Path, paths: &[PathBuf]) -> Result<(), OutputError> {
    let mut whole = WholeFile::create(file, Existing::Replace)?;
    // The list is private: only its owner may read the file.
    #[cfg(unix)]
    fs::set_permissions(
        whole.temporary_path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .ok();
    let lines = paths
        .iter()
        .filter_map(|path| path.to_str())
        .filter(|line| fits(line));
    lines
        .into_iter()
        .try_for_each(|line| writeln!(whole, "{line}"))
        .map_err(|cause| OutputError::io(file, cause))?;
    whole.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absolute(name: &str) -> PathBuf {
        std::path::absolute(name).expect("a path")
    }

    #[test]
    fn files_opened_before_are_listed_once_and_the_last_first() {
        let mut recent = Recent::default();
        ["a", "b", "a", "shipped:/island.toml", "c"]
            .iter()
            .for_each(|name| recent.remember(Path::new(name)));
        assert_eq!(recent.paths(), ["c", "a", "b"].map(absolute));
    }

    #[test]
    fn the_next_window_lists_them_and_two_windows_share_a_list() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("state/lavoxel/recent");
        let mut first = Recent::kept_in(Some(file.clone()));
        let mut second = first.clone();
        first.remember(Path::new("a.asc"));
        second.remember(Path::new("b.toml"));
        let next = Recent::kept_in(Some(file.clone()));
        assert_eq!(next.paths(), ["b.toml", "a.asc"].map(absolute));
        let many: Vec<_> = (0..20).map(|n| format!("{n}.asc")).collect();
        many.iter()
            .for_each(|name| second.remember(Path::new(name)));
        assert_eq!(
            fs::read_to_string(&file).expect("the list").lines().count(),
            MOST
        );
        // A name that is no line of text is skipped; the others are kept.
        second.remember(Path::new("two\nlines.asc"));
        assert_eq!(
            Recent::kept_in(Some(file.clone())).paths()[0],
            absolute("19.asc")
        );
        let left: Vec<_> = fs::read_dir(file.parent().expect("a folder"))
            .expect("it is there")
            .collect();
        assert_eq!(left.len(), 1, "{left:?}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(&file).expect("the list").permissions().mode() & 0o777,
                0o600
            );
        }
    }

    #[test]
    fn the_tour_is_shown_once_and_never_where_that_cannot_be_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |path: &str| Recent::kept_in(Some(folder.path().join(path))).takes_the_tour();
        assert_eq!([of("state/recent"), of("state/recent")], [true, false]);
        fs::write(folder.path().join("file"), "").expect("written");
        assert!(!of("file/recent") && !Recent::default().takes_the_tour());
    }

    #[test]
    fn an_odd_list_does_no_harm() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("recent");
        let of = |bytes: &[u8]| {
            fs::write(&file, bytes).expect("written");
            Recent::kept_in(Some(file.clone()))
        };
        let good = absolute("good.asc");
        let line = good.to_str().expect("text");
        for bytes in [
            b"".as_slice(),
            b"\n\n\n",
            b"\xff\xfe\x00",
            b"relative.asc",
            b"/a\x1b[2J/b.asc",
            &[b'/'; 10_000],
        ] {
            assert!(of(bytes).paths().is_empty());
            assert_eq!(
                of(&[bytes, b"\n", line.as_bytes()].concat()).paths().len(),
                1
            );
        }
        // A hundred lines give no more than six files; a file too large for a list gives none.
        assert_eq!(
            of(format!("{line}\n").repeat(100).as_bytes()).paths().len(),
            MOST
        );
        assert!(
            of(format!("{line}\n").repeat(100_000).as_bytes())
                .paths()
                .is_empty()
        );
        // Puts a folder in place of the list, then a path without a place to write: the window
        // still has its own files.
        for file in [folder.path().to_owned(), folder.path().join("recent/below")] {
            let mut recent = Recent::kept_in(Some(file));
            recent.remember(Path::new("a.asc"));
            assert_eq!(recent.paths(), [absolute("a.asc")]);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_in_the_place_of_the_list_is_not_opened() {
        assert!(
            Recent::kept_in(Some(PathBuf::from("/dev/zero")))
                .paths()
                .is_empty()
        );
    }

    #[test]
    #[cfg(all(unix, not(target_os = "macos")))]
    fn the_list_is_with_the_states_of_programs() {
        let file = |state: Option<&str>, home: Option<&str>| {
            usual_file(|name| match name {
                "XDG_STATE_HOME" => state.map(Into::into),
                "HOME" => home.map(Into::into),
                other => panic!("{other} is asked for"),
            })
        };
        assert_eq!(
            file(Some("/s"), Some("/h")),
            Some("/s/lavoxel/recent".into())
        );
        assert_eq!(
            file(None, Some("/h")),
            Some("/h/.local/state/lavoxel/recent".into())
        );
        assert_eq!(
            file(Some("not/absolute"), Some("/h")),
            Some("/h/.local/state/lavoxel/recent".into())
        );
        assert_eq!((file(None, None), file(None, Some(""))), (None, None));
    }
}
