//! Output files: a file appears at its path completely or not at all.

mod writers;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use tempfile::NamedTempFile;

pub use self::writers::{WRITERS, Writer};

/// Name of the folder for output files whose paths the user did not choose.
pub const FOLDER: &str = "lavoxel-out";

/// Upper bound, in characters, on the length of a part of a file name that is made from user text.
const LONGEST_NAME: usize = 60;

/// Returns `text`, which is untrusted, as a part of a file name: letters, digits, `-`, `_` and
/// inner `.` are kept, all other characters become `_`, and the text ends after `LONGEST_NAME`
/// characters. Returns `unnamed` for an empty text.
pub fn safe_name(text: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = text
        .trim_matches('.')
        .chars()
        .map(plain)
        .take(LONGEST_NAME)
        .collect();
    if name.is_empty() {
        "unnamed".to_owned()
    } else {
        name
    }
}

/// Returns a file name without extension made from the scene name `name`: lower-case ASCII letters
/// and digits, with `-` in place of all other characters. The result is valid on all systems and
/// needs no quotes in shells.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let plain: String = safe_name(name).chars().map(plain).collect();
    let plain = plain.trim_matches('-');
    if plain.is_empty() {
        "scene".to_owned()
    } else {
        plain.to_owned()
    }
}

/// Returns the first of the paths `name`, `name-2`, `name-3`, … in `folder` that is free. `taken`
/// returns true for a path in use.
pub fn free_name(folder: &Path, name: &str, taken: impl Fn(&Path) -> bool) -> PathBuf {
    let numbered = (2..).map(|n| folder.join(format!("{name}-{n}")));
    std::iter::once(folder.join(name))
        .chain(numbered)
        .find(|path| !taken(path))
        .unwrap_or_else(|| folder.join(name))
}

/// Choice of the user for an output path at which a file exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Keeps the existing file, so that writing fails.
    Keep,
    /// Replaces the existing file as soon as the new file is complete.
    Replace,
}

impl Existing {
    /// Returns `Existing::Replace` if `force` (the flag `--force`) is true, otherwise
    /// `Existing::Keep`.
    pub fn by_force(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// Error while an output file is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A file exists at the output path, and `Existing::Keep` was chosen.
    #[error("{path} exists already: choose another name")]
    Exists {
        /// Path of the existing file.
        path: PathBuf,
    },
    /// The output path is that of an input file of the same command.
    #[error(
        "{path} is read by this command and would be replaced: choose another name for what is written"
    )]
    Source {
        /// Path of the input file.
        path: PathBuf,
    },
    /// Two outputs of the same command have the same path.
    #[error("{path}: two outputs cannot have the same name")]
    Twice {
        /// Path of both outputs.
        path: PathBuf,
    },
    /// The operating system reports an error on writing the file or creating its folder.
    #[error("cannot write {path}: {cause}")]
    Io {
        /// Path of the output file.
        path: PathBuf,
        /// Error that the operating system reported.
        cause: io::Error,
    },
}

impl OutputError {
    /// Creates the error that the operating system reported `cause` for `path`.
    pub fn io(path: &Path, cause: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            cause,
        }
    }
}

/// Returns the canonical path of the file `path`; if the file is missing, the canonical path of its
/// folder joined with the file's name.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(path) = fs::canonicalize(&path) {
        return path;
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => resolved(folder).join(name),
        _ => path,
    }
}

/// Returns true if the paths `a` and `b` refer to the same file.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || resolved(a) == resolved(b)
}

/// Checks that all output paths of a command are different files.
///
/// # Errors
/// [`OutputError::Twice`] with the second of two equal paths.
pub fn check_distinct<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), OutputError> {
    let mut seen = BTreeSet::new();
    match paths.into_iter().find(|path| !seen.insert(resolved(path))) {
        Some(path) => Err(OutputError::Twice {
            path: path.to_owned(),
        }),
        None => Ok(()),
    }
}

/// Canonical paths of the input files of this process; no output may replace these files.
static SOURCES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Protects an input file from being replaced by an output of this process; no effect if the file
/// does not exist.
pub fn protect(path: &Path) {
    if let (Ok(path), Ok(mut sources)) = (fs::canonicalize(path), SOURCES.lock()) {
        sources.insert(path);
    }
}

fn is_source(path: &Path) -> bool {
    let among = |path: PathBuf| SOURCES.lock().is_ok_and(|sources| sources.contains(&path));
    fs::canonicalize(path).is_ok_and(among)
}

/// Checks that a file may be written at `path`: that no input file of this command and no folder or
/// device is there, that no file is there unless `existing` allows its replacement, and that files
/// can be created in the folder.
pub fn check_free(path: &Path, existing: Existing) -> Result<(), OutputError> {
    if is_source(path) {
        return Err(OutputError::Source {
            path: path.to_owned(),
        });
    }
    if existing == Existing::Keep && path.exists() {
        return Err(OutputError::Exists {
            path: path.to_owned(),
        });
    }
    // Writing to a device or a pipe would replace it, which only the administrator can do, and
    // never wants to.
    if fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        return Err(OutputError::io(
            path,
            io::Error::other("it is a device or pipe; name a file instead"),
        ));
    }
    if path.is_dir() {
        return Err(OutputError::io(
            path,
            io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"),
        ));
    }
    let above = path
        .ancestors()
        .skip(1)
        .find(|above| above.exists())
        .unwrap_or(Path::new("."));
    if !above.is_dir() {
        let reason = format!("{} is no folder", above.display());
        return Err(OutputError::io(
            path,
            io::Error::new(io::ErrorKind::NotADirectory, reason),
        ));
    }
    // Only a trial write tells whether a folder can be written.
    temporary(above, &temporary_prefix(path))
        .map(drop)
        .map_err(|cause| OutputError::io(path, cause))
}

/// Output file whose data go to a temporary file in the same folder, which [`WholeFile::commit`]
/// renames to the final path. If dropped without `commit`, the temporary file is deleted.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    existing: Existing,
    writer: BufWriter<NamedTempFile>,
    _begun: Begun,
}

/// Unfinished outputs of this process; key: path of the temporary file, value: final path.
static BEGUN: Mutex<BTreeMap<PathBuf, PathBuf>> = Mutex::new(BTreeMap::new());

/// Entry of an unfinished output in `BEGUN`, by the path of its temporary file; the entry is
/// removed on drop.
#[derive(Debug)]
struct Begun(PathBuf);

impl Begun {
    fn new(temporary: &Path, path: &Path) -> Self {
        if let Ok(mut begun) = BEGUN.lock() {
            begun.insert(temporary.to_owned(), path.to_owned());
        }
        Self(temporary.to_owned())
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Ok(mut begun) = BEGUN.lock() {
            begun.remove(&self.0);
        }
    }
}

/// Deletes the temporary files of all unfinished outputs and returns the final paths of these
/// outputs. May be called only when the program ends, because writing to these outputs fails
/// afterwards.
pub fn abandon() -> Vec<PathBuf> {
    let begun = BEGUN
        .lock()
        .map(|mut begun| std::mem::take(&mut *begun))
        .unwrap_or_default();
    let removed = begun
        .into_iter()
        .filter(|(temporary, _)| fs::remove_file(temporary).is_ok());
    removed.map(|(_, path)| path).collect()
}

impl WholeFile {
    /// Creates a temporary file for the output at `path`, and the folders of `path` that are
    /// missing. Fails under the same conditions as `check_free`, or if the file cannot be created.
    pub fn create(path: &Path, existing: Existing) -> Result<Self, OutputError> {
        check_free(path, existing)?;
        let folder = folder_of(path);
        let start = || {
            fs::create_dir_all(folder)?;
            sweep_once(folder);
            let file = temporary(folder, &temporary_prefix(path))?;
            // A lock that `sweep` checks; the system releases it when the program ends.
            #[cfg(unix)]
            file.as_file().try_lock().ok();
            Ok(file)
        };
        let file = start().map_err(|cause| OutputError::io(path, cause))?;
        let begun = Begun::new(file.path(), path);
        Ok(Self {
            path: path.to_owned(),
            existing,
            writer: BufWriter::new(file),
            _begun: begun,
        })
    }

    /// Returns the path that the output file will have when it is complete.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the temporary file, for an external program that writes the output
    /// itself.
    pub fn temporary_path(&self) -> &Path {
        self.writer.get_ref().path()
    }

    /// Writes all buffered data to disk, so that a full disk is reported. The temporary file is not
    /// renamed.
    pub fn sync(&mut self) -> Result<(), OutputError> {
        let sync = |writer: &mut BufWriter<NamedTempFile>| {
            writer.flush()?;
            writer.get_ref().as_file().sync_all()
        };
        sync(&mut self.writer).map_err(|cause| OutputError::io(&self.path, cause))
    }

    /// Writes all buffered data to disk and renames the temporary file to the final path.
    pub fn commit(mut self) -> Result<(), OutputError> {
        self.sync()?;
        let Self {
            path,
            existing,
            writer,
            _begun,
        } = self;
        let fail = |cause| OutputError::io(&path, cause);
        let file = writer.into_inner().map_err(|e| fail(e.into_error()))?;
        let moved = match existing {
            Existing::Keep => file.persist_noclobber(&path),
            Existing::Replace => file.persist(&path),
        };
        match moved {
            Ok(_) => {
                sync_folder(folder_of(&path));
                Ok(())
            }
            Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OutputError::Exists { path })
            }
            Err(e) => Err(fail(e.error)),
        }
    }
}

/// Returns the folder of a path; `.` for a file name without folder.
fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Writes the directory entries of `folder` to disk, so that a rename survives a power failure.
/// Errors are ignored, because not every system supports this, and the file is complete in any
/// case.
fn sync_folder(folder: &Path) {
    if cfg!(unix) {
        fs::File::open(folder)
            .and_then(|folder| folder.sync_all())
            .ok();
    }
}

/// Prefix of the names of all temporary output files.
const TEMPORARY: &str = ".lavoxel-";

/// Number of random characters in the name of a temporary file after its prefix.
const RANDOM_CHARACTERS: usize = 6;

/// Returns the prefix of the names of temporary files for the output `path`.
fn temporary_prefix(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| file_name(&name.to_string_lossy()));
    format!("{TEMPORARY}{}-", name.unwrap_or_default())
}

/// Returns a path in the folder of `path` for a temporary second name of the output `path`; `sweep`
/// recognises such names.
pub fn second_name(path: &Path) -> PathBuf {
    folder_of(path).join(format!("{}second", temporary_prefix(path)))
}

/// Age from which on a temporary file that is not locked is deleted as abandoned. A younger file
/// may belong to a writer that has not locked it yet.
const LEFT_BEHIND: Duration = Duration::from_secs(60);

/// Deletes abandoned temporary files in `folder`; only at the first call for that folder in this
/// process.
fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let first =
        |mut swept: std::sync::MutexGuard<'_, BTreeSet<PathBuf>>| swept.insert(folder.to_owned());
    if SWEPT.lock().is_ok_and(first) {
        let old = |entry: &fs::DirEntry| {
            let age = entry
                .metadata()
                .ok()
                .and_then(|about| about.modified().ok()?.elapsed().ok());
            age.is_some_and(|age| age >= LEFT_BEHIND)
        };
        sweep_those(folder, |entry, name| {
            name.starts_with(TEMPORARY) && old(entry)
        });
    }
}

/// Deletes temporary files for the output `path` that killed processes left behind. Files of
/// running writers are locked and therefore kept, on systems that support such locks.
pub fn sweep(path: &Path) {
    let prefix = temporary_prefix(path);
    sweep_those(folder_of(path), |_, name| {
        name.strip_prefix(&prefix)
            .is_some_and(|rest| rest.len() == RANDOM_CHARACTERS)
    });
}

/// Deletes all abandoned temporary files in `folder`, into which only this program may write.
pub fn sweep_away(folder: &Path) {
    sweep_those(folder, |_, name| name.starts_with(TEMPORARY));
}

/// Deletes those regular files of `folder` that `chosen` accepts and that are not locked. No effect
/// on systems without such locks.
fn sweep_those(folder: &Path, chosen: impl Fn(&fs::DirEntry, &str) -> bool) {
    if !cfg!(unix) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| chosen(&entry, name))
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && fs::File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            // A failure is harmless: the file only takes space.
            fs::remove_file(entry.path()).ok();
        }
    }
}

/// Creates a temporary file in `folder`, whose name begins with `prefix`, with the default
/// permissions of new files; the library for temporary files would make it private to the user.
fn temporary(folder: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).rand_bytes(RANDOM_CHARACTERS);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Writes the file `path`: `fill` writes the content to a temporary file, which is renamed to
/// `path` only if `fill` succeeds.
///
/// # Errors
/// [`OutputError`] when the file exists and is to be kept, or cannot be written.
pub fn whole(
    path: &Path,
    existing: Existing,
    fill: impl FnOnce(&mut WholeFile) -> io::Result<()>,
) -> Result<(), OutputError> {
    let mut file = WholeFile::create(path, existing)?;
    fill(&mut file).map_err(|cause| OutputError::io(path, cause))?;
    file.commit()
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Seek for WholeFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.writer.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_names_count_up() {
        let taken = |path: &Path| {
            ["out/a", "out/a-2", "out/b-2"]
                .map(Path::new)
                .contains(&path)
        };
        let names = ["a", "b"].map(|name| free_name(Path::new("out"), name, taken));
        assert_eq!(names, ["out/a-3", "out/b"].map(PathBuf::from));
        assert_eq!(
            [file_name("Maunga Whau!"), file_name("…")],
            ["maunga-whau", "scene"]
        );
        assert_eq!(
            ["../../a b", "water.thickness", "..", "/"].map(safe_name),
            ["_.._a_b", "water.thickness", "unnamed", "_"]
        );
    }

    #[test]
    fn appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/picture.bin");
        let mut file = WholeFile::create(&path, Existing::Keep).expect("it is free");
        file.write_all(b"half").expect("written");
        drop(file);
        assert_eq!(
            fs::read_dir(folder.path().join("new"))
                .expect("a folder")
                .count(),
            0
        );

        let mut file = WholeFile::create(&path, Existing::Keep).expect("it is free");
        file.write_all(b"whole").expect("written");
        file.commit().expect("moved");
        assert_eq!(fs::read(&path).expect("there"), b"whole");
        assert!(matches!(
            WholeFile::create(&path, Existing::Keep),
            Err(OutputError::Exists { .. })
        ));

        let mut file = WholeFile::create(&path, Existing::Replace).expect("replaceable");
        file.write_all(b"new").expect("written");
        file.commit().expect("moved");
        assert_eq!(fs::read(&path).expect("there"), b"new");
    }

    #[test]
    fn what_is_read_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("scene.toml");
        protect(&path);
        fs::write(&path, "read").expect("written");
        assert!(
            check_free(&path, Existing::Replace).is_ok(),
            "it was not there"
        );
        protect(&path);
        let again = folder.path().join(".").join("scene.toml");
        let error = check_free(&again, Existing::Replace)
            .expect_err("refused")
            .to_string();
        assert!(
            error.contains("scene.toml is read by this command"),
            "{error}"
        );
        assert!(check_free(&folder.path().join("other.toml"), Existing::Replace).is_ok());
    }

    #[test]
    #[cfg(unix)]
    fn only_what_a_dead_writer_left_is_swept_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, other] = ["run.lvx", "other.lvx"].map(|name| folder.path().join(name));
        let left = WholeFile::create(&path, Existing::Keep)
            .expect("it is free")
            .temporary_path()
            .to_owned();
        fs::write(&left, "what a killed writer leaves").expect("written");
        let file = WholeFile::create(&path, Existing::Keep).expect("it is free");
        sweep(&other);
        assert!(left.exists());
        sweep(&path);
        assert!(!left.exists() && file.temporary_path().exists());
    }

    #[test]
    #[cfg(unix)]
    fn the_first_file_of_a_folder_sweeps_away_what_was_left_long_ago() {
        let folder = tempfile::tempdir().expect("a folder");
        let [old, new] =
            ["old", "new"].map(|name| folder.path().join(format!(".lavoxel-{name}-abcdef")));
        let long_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
        for (path, time) in [(&old, long_ago), (&new, std::time::SystemTime::now())] {
            let file = fs::File::create(path).expect("a file");
            file.set_modified(time).expect("a time");
        }
        WholeFile::create(&folder.path().join("picture.png"), Existing::Keep).expect("it is free");
        assert!(!old.exists() && new.exists());
    }

    #[test]
    #[cfg(unix)]
    fn a_device_is_never_replaced() {
        let error = check_free(Path::new("/dev/null"), Existing::Replace)
            .expect_err("refused")
            .to_string();
        assert_eq!(
            error,
            "cannot write /dev/null: it is a device or pipe; name a file instead"
        );
    }
}
