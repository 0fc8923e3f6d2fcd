//! Virtual files, which have a path but are not on disk: files embedded in the program
//! ([`crate::shipped`]), and entries of a session file.
//!
//! A session file is a ZIP archive that readers treat as a folder: `trip.lavoxel/scene.toml` is its
//! scene, next to the heightmaps that the scene names. `lavoxel::scene::Scene::pack` writes session
//! files.

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Component, Path};
use std::rc::Rc;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::input;
use crate::shipped;
use lavoxel_base::memory::{Held, MemoryEstimate};

/// File extension of session files, without the dot.
pub const ENDING: &str = "lavoxel";

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

/// Reads the virtual file at `path`: embedded in the program, or inside a session file. `None` if
/// `path` is an ordinary path on disk.
pub fn file(path: &Path) -> Option<io::Result<ArchivedFile>> {
    if let Some(bytes) = shipped::bytes(path) {
        return Some(Ok(ArchivedFile {
            bytes: Cow::Borrowed(bytes),
            held: Held::bytes(bytes.len() as u64),
        }));
    }
    let (session, name) = session_and_name(path)?;
    Some(entry(session, &name))
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
        .find(|folder| is_session(folder) && folder.is_file())?;
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
    let (file, _) = input::SESSION.open(session)?;
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
struct Listed {
    file: File,
    left: Rc<Cell<u64>>,
    /// Last three bytes of the previous read, needed to find a signature that begins in one read
    /// and ends in the next.
    last: [u8; 3],
}

impl Read for Listed {
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

impl Seek for Listed {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.last = [0; 3];
        self.file.seek(to)
    }
}

fn words(cause: &dyn std::error::Error) -> String {
    format!("no whole session file (a ZIP archive; lavoxel resume takes checkpoints): {cause}")
}
