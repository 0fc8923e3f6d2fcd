//! Session files (`.lavoxel`): one file with everything that another user needs to see, change and
//! continue a session.
//!
//! It is a ZIP archive of
//!
//! | file | holds |
//! |---|---|
//! | `scene.toml` | the scene, which replays to the same bits; every command takes the session file in its place |
//! | the names of heightmaps and meshes | those that the scene reads, with their sidecar files (`terrain::formats::sidecar`), up to [`MAX_PACKED`] bytes each |
//! | `base.toml`, `history.toml` | the scene before any action, and actions and branches since, hash of the saved state, for the window |
//! | `thumbnail.png` | a small picture for lists of files |
//!
//! Invariant: the same session gives the same bytes.

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf, absolute};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::{Scene, SceneError};
use lavoxel_base::memory::Held;
use lavoxel_files::archive;
use lavoxel_files::input::{self, InputError};
use lavoxel_files::output::{Existing, OutputError, WholeFile, safe_name};
use lavoxel_geo::terrain::formats::sidecar;

/// Name of the entry of a session file that contains the scene.
pub(super) const SCENE: &str = "scene.toml";
const BASE: &str = "base.toml";
const HISTORY: &str = "history.toml";
const THUMBNAIL: &str = "thumbnail.png";

/// Upper bound on the length in bytes of a heightmap or mesh that is packed into a session file; a
/// longer file is not packed.
pub const MAX_PACKED: u64 = 16 << 20;

/// Upper bound on the length of the history in a session file, in bytes.
pub const MAX_HISTORY: u64 = 1 << 26;

/// Contents of a session file in addition to the scene; all optional.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras<'a> {
    /// Scene before any action, and the history of actions and branches since then as text in the
    /// window's format; `None` if there is no history.
    pub history: Option<(&'a Scene, &'a str)>,
    /// Thumbnail of the session as the bytes of a PNG file; `None` if there is none.
    pub thumbnail: Option<&'a [u8]>,
}

/// Bytes of one entry of a session file, and the reservation that counts their memory.
struct Packed {
    bytes: Vec<u8>,
    _held: Held,
}

/// Files that a scene reads, collected in order to pack them into a session file.
#[derive(Default)]
struct Files {
    /// Contents of the packed files; key: name of the entry in the session file.
    packed: BTreeMap<String, Packed>,
    /// Paths that the packed scene states; key: absolute path of the file, value: name of its
    /// entry, or the absolute path if the file is not packed.
    names: BTreeMap<PathBuf, PathBuf>,
    /// Absolute paths of the files that are not packed because they exceed `MAX_PACKED`.
    left_out: Vec<PathBuf>,
}

impl Scene {
    /// Writes a session file to `path`: the scene, the files that it reads, and `extras`. Returns
    /// the paths of files that were too long to be packed; the packed scene refers to these files
    /// by absolute paths.
    ///
    /// # Errors
    /// The errors of [`Scene::save`], and [`SceneError::Read`] if a file cannot be read.
    pub fn pack(
        &self,
        path: &Path,
        extras: &Extras<'_>,
        existing: Existing,
    ) -> Result<Vec<PathBuf>, SceneError> {
        let mut file = WholeFile::create(path, existing)?;
        let left_out = self.pack_to(&mut file, path, extras)?;
        file.commit()?;
        Ok(left_out)
    }

    /// Writes a session file to `file`, as [`Scene::pack`] does; `path`: path of the session file
    /// for messages.
    ///
    /// # Errors
    /// [`SceneError::Read`] if a file of the scene cannot be read, [`SceneError::Output`] if `file`
    /// cannot be written.
    pub fn pack_to(
        &self,
        file: impl Write + Seek,
        path: &Path,
        extras: &Extras<'_>,
    ) -> Result<Vec<PathBuf>, SceneError> {
        let mut files = Files::default();
        let text = self.text(path, |named| files.take(named))?;
        let history = match extras.history {
            Some((base, history)) => Some((base.text(path, |named| files.take(named))?, history)),
            None => None,
        };
        let texts = (&*text, history.as_ref());
        write(file, texts, extras.thumbnail, &files)
            .map_err(|cause| OutputError::io(path, cause))?;
        Ok(files.left_out)
    }
}

/// Reads the scene before any action and the text of the history from the session file at `path`;
/// `None` if the session file has no history.
///
/// # Errors
/// [`SceneError`] if the history is longer than [`MAX_HISTORY`], is not UTF-8 text or cannot be
/// read, or if the scene is invalid.
pub fn history(path: &Path) -> Result<Option<(Scene, String)>, SceneError> {
    let named = path.join(HISTORY);
    let Some(bytes) = extra(&named)? else {
        return Ok(None);
    };
    if bytes.len() as u64 > MAX_HISTORY {
        return Err(SceneError::TooLong {
            path: named,
            limit: MAX_HISTORY,
        });
    }
    let text = String::from_utf8(bytes).map_err(|e| SceneError::NotText {
        path: named,
        byte: e.utf8_error().valid_up_to(),
    })?;
    Ok(Some((Scene::load(&path.join(BASE))?, text)))
}

/// Reads the thumbnail of the session file at `path`, as the bytes of a PNG file; `None` if the
/// session file has no thumbnail.
///
/// # Errors
/// [`SceneError::Read`] if the thumbnail cannot be read.
pub fn thumbnail(path: &Path) -> Result<Option<Vec<u8>>, SceneError> {
    extra(&path.join(THUMBNAIL))
}

/// Reads one entry of a session file; `None` if the session file has no such entry. `path`: path of
/// the session file joined with the entry's name.
fn extra(path: &Path) -> Result<Option<Vec<u8>>, SceneError> {
    match archive::file(path) {
        None => Ok(None),
        Some(Ok(file)) => Ok(Some(file.bytes.into_owned())),
        Some(Err(cause)) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Some(Err(cause)) => Err(SceneError::Read {
            path: path.to_owned(),
            cause,
        }),
    }
}

impl Files {
    /// Packs the file at `path` with its sidecar files, unless the file is too long. Returns the
    /// path by which the packed scene refers to the file.
    fn take(&mut self, path: &Path) -> Result<PathBuf, SceneError> {
        let read = |cause| SceneError::Read {
            path: path.to_owned(),
            cause,
        };
        // A system without files has no working folder, and all paths are whole.
        let whole = absolute(path).unwrap_or_else(|_| path.to_owned());
        if let Some(name) = self.names.get(&whole) {
            return Ok(name.clone());
        }
        let name = match read_short(path).map_err(read)? {
            Some(packed) => self.add(path, packed),
            None => {
                self.left_out.push(whole.clone());
                whole.clone()
            }
        };
        self.names.insert(whole, name.clone());
        Ok(name)
    }

    /// Adds `packed`, the file read from `path`, to the session file under an unused entry name,
    /// and its sidecar files under matching names. Returns the entry name.
    fn add(&mut self, path: &Path, packed: Packed) -> PathBuf {
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or("dat")
            .to_owned();
        let stem = safe_name(&path.file_stem().unwrap_or_default().to_string_lossy());
        let names_of = |stem: &str| -> Vec<String> {
            let sidecars = sidecar::candidates(Path::new(&format!("{stem}.{ending}")));
            sidecars
                .into_iter()
                .filter_map(|names| Some(names.first()?.display().to_string()))
                .collect()
        };
        let is_free = |stem: &String| {
            let name = format!("{stem}.{ending}");
            ![SCENE, BASE, HISTORY, THUMBNAIL].contains(&name.as_str())
                && std::iter::once(&name)
                    .chain(&names_of(stem))
                    .all(|name| !self.packed.contains_key(name))
        };
        let stems = std::iter::once(stem.clone()).chain((2..).map(|n| format!("{stem}-{n}")));
        let stem = stems.into_iter().find(is_free).unwrap_or(stem);
        for (spelt, name) in sidecar::candidates(path).iter().zip(names_of(&stem)) {
            if let Some(file) = spelt
                .iter()
                .find_map(|path| read_short(path).ok().flatten())
            {
                self.packed.insert(name, file);
            }
        }
        let name = format!("{stem}.{ending}");
        self.packed.insert(name.clone(), packed);
        PathBuf::from(name)
    }
}

/// Reads the file at `path`; `None` if the file is longer than `MAX_PACKED`, or not a regular file.
fn read_short(path: &Path) -> io::Result<Option<Packed>> {
    if let Some(inside) = archive::file(path) {
        let archive::ArchivedFile { bytes, held } = inside?;
        return Ok(Some(Packed {
            bytes: bytes.into_owned(),
            _held: held,
        }));
    }
    match input::PACKED.bytes(path, input::Loaded::into_parts) {
        Ok((bytes, held)) => Ok(Some(Packed { bytes, _held: held })),
        Err(InputError::TooLong { .. } | InputError::NotRegular(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn write(
    file: impl Write + Seek,
    (scene, history): (&str, Option<&(String, &str)>),
    thumbnail: Option<&[u8]>,
    files: &Files,
) -> io::Result<()> {
    // Constant time stamp, so that equal sessions give equal bytes.
    let packed = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    let as_it_is = packed.compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(file);
    let mut put = |name: &str, options, bytes: &[u8]| {
        zip.start_file(name, options)?;
        zip.write_all(bytes)
    };
    put(SCENE, packed, scene.as_bytes())?;
    if let Some((base, history)) = history {
        put(BASE, packed, base.as_bytes())?;
        put(HISTORY, packed, history.as_bytes())?;
    }
    if let Some(thumbnail) = thumbnail {
        put(THUMBNAIL, as_it_is, thumbnail)?;
    }
    files
        .packed
        .iter()
        .try_for_each(|(name, file)| put(name, packed, &file.bytes))?;
    zip.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::scene::BuiltScene;
    use lavoxel_automaton::engine::plain::Plain;

    /// Returns a scene in `folder` with a heightmap, a sidecar file of the heightmap with its
    /// projection, and a mesh.
    fn with_files(folder: &Path) -> Scene {
        for name in ["maunga_whau.asc", "maunga_whau.prj", "bridge.obj"] {
            let from = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../terrains")
                .join(name);
            std::fs::copy(from, folder.join(name)).expect("a shipped file");
        }
        let text = "[grid]\nsize = [40, 30, 48]\n[terrain]\nkind = \"heightmap\"\nfile = \"maunga_whau.asc\"\n\
                    [[vent]]\nx = 20.0\nz = 20.0\n[[body]]\nshape = { kind = \"mesh\", file = \"bridge.obj\", base = [20.0, 5.0, 20.0], height = 5.0 }\nmatter = { kind = \
                    \"rock\" }\n";
        std::fs::write(folder.join("own.toml"), text).expect("written");
        Scene::open(&folder.join("own.toml")).expect("a right scene")
    }

    fn hash(scene: &Scene) -> (u64, bool) {
        let BuiltScene {
            mut simulation,
            site,
            ..
        } = scene.build(Box::new(Plain)).expect("built");
        (0..5).for_each(|_| simulation.step());
        (simulation.world().state_hash(), site.georeference.is_some())
    }

    #[test]
    fn a_session_file_has_all_that_its_scene_reads() {
        let folder = tempfile::tempdir().expect("a folder");
        let scene = with_files(folder.path());
        let path = folder.path().join("trip.lavoxel");
        let base = Scene::volcano();
        let extras = Extras {
            history: Some((&base, "{}")),
            thumbnail: Some(b"picture"),
        };
        assert!(
            scene
                .pack(&path, &extras, Existing::Keep)
                .expect("packed")
                .is_empty()
        );
        let expected = hash(&scene);
        let bytes = std::fs::read(&path).expect("written");
        // In another folder, without the original files.
        let other = tempfile::tempdir().expect("a folder");
        let moved = other.path().join("trip.lavoxel");
        std::fs::write(&moved, &bytes).expect("written");
        drop(folder);
        let read = Scene::open(&moved).expect("read");
        assert_eq!(hash(&read), expected, "state, and that it lies on the map");
        let (before, acts) = history(&moved).expect("read").expect("it is in it");
        assert_eq!((before.spec, acts.as_str()), (base.spec.clone(), "{}"));
        assert_eq!(
            thumbnail(&moved).expect("read").as_deref(),
            Some(&b"picture"[..])
        );
        assert!(
            read.files().iter().all(|file| *file == moved),
            "{:?}",
            read.files()
        );
        // Packed again the archive has the same bytes; as a scene it still finds its files.
        let again = other.path().join("again.lavoxel");
        read.pack(&again, &extras, Existing::Keep).expect("packed");
        assert!(std::fs::read(&again).expect("written") == bytes);
        let text = other.path().join("text.toml");
        read.save(&text, Existing::Keep).expect("saved");
        assert_eq!(hash(&Scene::open(&text).expect("read")), expected);
    }

    #[test]
    fn a_long_heightmap_stays_outside() {
        let folder = tempfile::tempdir().expect("a folder");
        let scene = with_files(folder.path());
        let heights = folder.path().join("maunga_whau.asc");
        let file = File::options().append(true).open(&heights).expect("opened");
        file.set_len(MAX_PACKED + 1).expect("longer");
        let path = folder.path().join("trip.lavoxel");
        let left = scene
            .pack(&path, &Extras::default(), Existing::Keep)
            .expect("packed");
        assert_eq!(left, std::slice::from_ref(&heights));
        assert_eq!(
            Scene::open(&path).expect("read").spec.terrain.file,
            Some(heights)
        );
        assert!(history(&path).expect("read").is_none());
    }

    #[test]
    fn what_is_no_session_file_is_refused_in_one_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.lavoxel");
        let message = || Scene::open(&path).expect_err("no session file").to_string();
        assert!(message().contains("x.lavoxel"), "{}", message());
        std::fs::write(&path, b"[grid]").expect("written");
        assert!(message().contains("no whole session file"), "{}", message());
        let mut zip = ZipWriter::new(File::create(&path).expect("a file"));
        zip.start_file("other.toml", SimpleFileOptions::default())
            .expect("begun");
        zip.finish().expect("whole");
        assert!(
            message().contains("there is no scene.toml in it"),
            "{}",
            message()
        );
        let whole = Scene::volcano();
        whole
            .pack(&path, &Extras::default(), Existing::Replace)
            .expect("packed");
        let bytes = std::fs::read(&path).expect("written");
        for length in [0, 3, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).expect("written");
            assert!(!message().is_empty());
        }
        let mut wrong = bytes.clone();
        wrong[bytes.len() / 3] ^= 0x10;
        std::fs::write(&path, &wrong).expect("written");
        assert!(!message().is_empty());
    }

    #[test]
    fn a_promise_of_many_bytes_is_weighed_and_no_name_leaves_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.lavoxel");
        Scene::volcano()
            .pack(&path, &Extras::default(), Existing::Keep)
            .expect("packed");
        assert!(archive::file(&path.join("../x.lavoxel")).is_none());
        assert!(
            archive::file(&path.join("nothing.asc"))
                .expect("inside")
                .is_err()
        );
        let size = std::fs::metadata(&path).expect("written").len();
        assert!(size < 20_000, "{size} bytes");
    }
}
