//! Virtual files, which have a path but are not on disk: files embedded in the program
//! ([`crate::shipped`]), files that were handed over as bytes ([`keep`]), and entries of a session
//! file.
//!
//! A session file is a ZIP archive that readers treat as a folder: `trip.lavoxel/scene.toml` is its
//! scene, next to the heightmaps that the scene names. `lavoxel::scene::Scene::pack` writes session
//! files.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::input;
use crate::shipped;
use lavoxel_base::memory::{Held, MemoryEstimate, TooMuchMemory};

/// File extension of session files, without the dot.
pub const ENDING: &str = "lavoxel";

/// Virtual folder of the files that were handed over as bytes.
const MEMORY: &str = "memory:";

/// File that was handed over as bytes, with the reservation of its memory.
type Kept = Arc<(Vec<u8>, Held)>;

/// Files that were handed over as bytes, by their names.
static KEPT: Mutex<BTreeMap<String, Kept>> = Mutex::new(BTreeMap::new());

/// Upper bound on the number of bytes that are read from a session file to list its entries; each
/// entry takes at least 46 bytes.
const LONGEST_LIST: u64 = 1 << 20;

/// Memory in bytes that is counted while a session file's list of entries is read; upper bound for
/// lists of `LONGEST_LIST` bytes.
const LIST: f64 = 16.0 * LONGEST_LIST as f64;

/// Advice in the message about an entry of a session file that exceeds the memory limit.
const MEND: &str = "take the heightmap out of the session file, and name it in the scene";

/// Content of a virtual file, and the reservation that counts the memory of the content against the
/// memory limit.
#[derive(Debug)]
pub struct ArchivedFile {
    /// Content of the virtual file.
    pub bytes: Cow<'static, [u8]>,
    /// Reservation of the memory of `bytes`; ends when the value is dropped.
    pub held: Held,
}

fn kept() -> MutexGuard<'static, BTreeMap<String, Kept>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps `bytes` as the virtual file `name`, for a program whose files come from elsewhere than a
/// disk, such as a page in a browser. Returns the path by which the file can be opened; a file kept
/// before under this name is replaced.
///
/// # Errors
/// [`TooMuchMemory`] if the bytes exceed the memory limit.
pub fn keep(name: &str, bytes: Vec<u8>) -> Result<PathBuf, TooMuchMemory> {
    let need = MemoryEstimate::new("the file", bytes.len(), 1.0);
    need.check("take a shorter file")?;
    // Only the last component: a name with folders stays in the virtual folder.
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    kept().insert(name.to_owned(), Arc::new((bytes, need.held())));
    Ok(Path::new(MEMORY).join(name))
}

/// Drops all files that [`keep`] has kept.
pub fn forget() {
    kept().clear();
}

/// Returns the file that was kept under the path `path`; `None` if there is none.
fn kept_at(path: &Path) -> Option<Kept> {
    let name = path.strip_prefix(MEMORY).ok()?.to_str()?;
    kept().get(name).cloned()
}

/// Reads the virtual file at `path`: embedded in the program, handed over as bytes, or inside a
/// session file. `None` if `path` is an ordinary path on disk.
pub fn file(path: &Path) -> Option<io::Result<ArchivedFile>> {
    if let Some(bytes) = shipped::bytes(path) {
        return Some(Ok(ArchivedFile {
            bytes: Cow::Borrowed(bytes),
            held: Held::bytes(bytes.len() as u64),
        }));
    }
    if let Some(kept) = kept_at(path) {
        return Some(Ok(ArchivedFile {
            held: Held::bytes(kept.0.len() as u64),
            bytes: Cow::Owned(kept.0.clone()),
        }));
    }
    if let Some((session, name)) = session_and_name(path) {
        return Some(entry(session, &name));
    }
    // A missing virtual file lies nowhere else: a system without files would say less.
    let is_virtual = path.starts_with(MEMORY) || shipped::inside(path).is_some();
    is_virtual.then(|| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no {name}"),
        ))
    })
}

/// Returns true if the path has the file extension of session files.
pub fn is_session(path: &Path) -> bool {
    input::ending(path) == ENDING
}

/// Returns the path of the session file that contains the virtual file `path`; `None` if no folder
/// of the path is a session file.
pub fn session_of(path: &Path) -> Option<&Path> {
    session_and_name(path).map(|(session, _)| session)
}

/// Splits the path of a virtual file into the path of its session file on disk and the name of the
/// entry in it; `None` if no folder of the path is a session file.
fn session_and_name(path: &Path) -> Option<(&Path, String)> {
    let session = path
        .ancestors()
        .skip(1)
        .find(|folder| is_session(folder) && (folder.is_file() || kept_at(folder).is_some()))?;
    let parts = path
        .strip_prefix(session)
        .ok()?
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        });
    Some((session, parts.collect::<Option<Vec<_>>>()?.join("/")))
}

/// Reads the entry `name` of the session file `session`. Fails if the file is no valid session
/// file, has no such entry, or if the content would exceed the memory limit.
fn entry(session: &Path, name: &str) -> io::Result<ArchivedFile> {
    input::guard(|| unpacked(session, name))?
}

fn unpacked(session: &Path, name: &str) -> io::Result<ArchivedFile> {
    match kept_at(session) {
        Some(kept) => entry_of(Cursor::new(&kept.0), name),
        None => entry_of(input::SESSION.open(session)?.0, name),
    }
}

/// Reads the entry `name` of the session file `file`.
fn entry_of(file: impl Read + Seek, name: &str) -> io::Result<ArchivedFile> {
    let list = MemoryEstimate::new("the list of the session file", 1, LIST);
    list.check(MEND).map_err(io::Error::other)?;
    let left = Rc::new(Cell::new(LONGEST_LIST));
    let mut archive = ZipArchive::new(BufReader::new(Listed {
        file,
        left: Rc::clone(&left),
        last: [0; 3],
    }))
    .map_err(wrong)?;
    left.set(u64::MAX);
    let packed = archive.by_name(name).map_err(|cause| match cause {
        ZipError::FileNotFound => {
            io::Error::new(io::ErrorKind::NotFound, format!("there is no {name} in it"))
        }
        cause => wrong(cause),
    })?;
    let length = packed.size();
    let need = MemoryEstimate::new(
        "a file of the session file",
        usize::try_from(length).unwrap_or(usize::MAX),
        1.0,
    );
    need.clone()
        .and(list)
        .check(MEND)
        .map_err(io::Error::other)?;
    let mut bytes = Vec::with_capacity(length.min(1 << 20) as usize);
    // The ZIP reader compares the checksum only at end of file: reading one byte beyond the length
    // triggers the comparison.
    let mut whole = packed.take(length.saturating_add(1));
    whole
        .read_to_end(&mut bytes)
        .map_err(|cause| io::Error::new(cause.kind(), words(&cause)))?;
    if bytes.len() as u64 != length {
        let cause = io::Error::other(format!("{name} has another length than its list says"));
        return Err(io::Error::new(io::ErrorKind::InvalidData, words(&cause)));
    }
    Ok(ArchivedFile {
        bytes: Cow::Owned(bytes),
        held: need.held(),
    })
}

/// Converts `cause`, an error of the ZIP library, to an I/O error.
fn wrong(cause: ZipError) -> io::Error {
    match cause {
        ZipError::Io(cause) => cause,
        cause => io::Error::new(io::ErrorKind::InvalidData, words(&cause)),
    }
}

/// Reader of a session file that is used while the list of entries is read: limits the number of
/// bytes read, and rejects an archive that declares more entries than its bytes can hold.
struct Listed<F> {
    file: F,
    left: Rc<Cell<u64>>,
    /// Last three bytes of the previous read, needed to find a signature that begins in one read
    /// and ends in the next.
    last: [u8; 3],
}

impl<F: Read> Read for Listed<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        /// Signature of the end record of a ZIP64 archive, which states the number of entries for
        /// which the ZIP library would reserve memory.
        const ZIP64: &[u8] = b"PK\x06\x06";
        let count = self.file.read(into)?;
        if self.left.get() == u64::MAX {
            return Ok(count);
        }
        let left = self.left.get().checked_sub(count as u64);
        self.left
            .set(left.ok_or_else(|| io::Error::other("its list of files is longer than 1 MiB"))?);
        let seen = [&self.last[..], &into[..count]].concat();
        self.last.copy_from_slice(&seen[seen.len() - 3..]);
        match seen.windows(ZIP64.len()).any(|bytes| bytes == ZIP64) {
            true => Err(io::Error::other(
                "it is a ZIP64 archive; pack it again without",
            )),
            false => Ok(count),
        }
    }
}

impl<F: Seek> Seek for Listed<F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.last = [0; 3];
        self.file.seek(to)
    }
}

fn words(cause: &dyn std::error::Error) -> String {
    format!("no whole session file (a ZIP archive; lavoxel resume takes checkpoints): {cause}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_handed_over_are_found_by_their_names_alone() {
        let path = keep("some/folder/hill.asc", b"ncols 2".to_vec()).expect("short");
        assert_eq!(path, Path::new("memory:/hill.asc"));
        let read = |path: &Path| file(path).map(|read| read.map(|read| read.bytes.into_owned()));
        assert_eq!(
            read(&path).and_then(Result::ok).as_deref(),
            Some(&b"ncols 2"[..])
        );
        for missing in ["memory:/other.asc", "memory:/../hill.asc"] {
            let error = read(Path::new(missing)).map(|read| read.map_err(|error| error.kind()));
            assert_eq!(error, Some(Err(io::ErrorKind::NotFound)), "{missing}");
        }
        keep("no.lavoxel", b"PK".to_vec()).expect("short");
        let broken = read(Path::new("memory:/no.lavoxel/scene.toml"));
        assert!(broken.is_some_and(|read| read.is_err()));
        forget();
        assert!(read(&path).is_some_and(|read| read.is_err()));
        assert!(read(Path::new("hill.asc")).is_none(), "an ordinary path");
    }
}
