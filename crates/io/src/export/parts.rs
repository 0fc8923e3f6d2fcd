//! Frame folder: cache of a film's finished frames next to the film, from which an interrupted
//! export resumes.
//!
//! The folder holds `plan.txt`, the settings that determine all frames, and each frame as a PNG.
//!
//! - Invariant: a frame file exists completely or not at all.
//! - Invariant: frames of a film with other settings are never used.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use ::png::{BitDepth, ColorType, Compression, Decoder, Limits, Transformations};
use xxhash_rust::xxh3::Xxh3;

use super::ExportError;
use super::png::{Label, encode};
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input;
use lavoxel_files::output::{Existing, OutputError, WholeFile, check_free, sweep_away, whole};

/// Text that is appended to the file name of the film to get the name of its frame folder.
const ENDING: &str = ".parts";

/// Name of the file in the frame folder that contains the plan: a text with all settings that
/// determine the frames.
const PLAN: &str = "plan.txt";

/// Name of the file in the frame folder that lists films whose export was stopped early, with their
/// checksums.
const UNFINISHED: &str = "unfinished.txt";

/// Prefix and suffix of the file name of a frame; the frame number is in between.
const FRAME: (&str, &str) = ("frame-", ".png");

/// Advice to the user if the frame folder belongs to a film with other settings.
const AGAIN: &str =
    "finish that film with its command, pass --force to begin again, or choose another name";
/// Advice to the user if the frame folder contains files that this program did not write.
const ELSEWHERE: &str = "choose another name for the film";

/// Frame folder of a film: cache of finished frames.
#[derive(Debug)]
pub struct Parts {
    folder: PathBuf,
    /// Names of files that the caller keeps in the frame folder and that are no frames; they are
    /// removed together with the folder.
    guests: Vec<&'static str>,
    bytes: u64,
}

/// Finished frame of a film, read from the frame folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedFrame {
    /// Width and height of the frame in pixels.
    pub size: (u32, u32),
    /// Pixels of the frame: three sRGB bytes each, row-major from the top.
    pub rgb: Vec<u8>,
    /// Text chunks of the frame's PNG: text by keyword.
    pub labels: BTreeMap<String, String>,
}

impl Parts {
    /// Returns the path that the frame folder of the film at `path` has.
    pub fn folder_of(path: &Path) -> PathBuf {
        let mut name = OsString::from(path);
        name.push(ENDING);
        name.into()
    }

    /// Creates the frame folder `folder`, or opens an existing one with the same plan. `plan`: text
    /// with all settings that determine the frames; `guests`: names of files that the caller keeps
    /// in the folder and that are no frames. With `Existing::Replace`, a folder with another plan
    /// is cleared.
    ///
    /// # Errors
    /// [`ExportError::OtherPlan`] for a folder with another plan (the message names the first line
    /// that differs) or without a plan; [`ExportError::Output`] if the folder cannot be written.
    pub fn open(
        folder: &Path,
        plan: &str,
        guests: &[&'static str],
        existing: Existing,
    ) -> Result<Self, ExportError> {
        Self::check(folder, plan, existing)?;
        let io = |cause| OutputError::io(folder, cause);
        let mut parts = Self {
            folder: folder.to_owned(),
            guests: guests.to_vec(),
            bytes: 0,
        };
        if parts.plan().is_some_and(|there| there != plan) {
            parts.clear()?;
        }
        if parts.plan().is_none() {
            fs::create_dir_all(folder).map_err(io)?;
            parts.write_file(PLAN, plan.as_bytes())?;
        }
        sweep_away(folder);
        parts.bytes = fs::read_dir(folder)
            .map_err(io)?
            .flatten()
            .filter_map(|entry| Some(entry.metadata().ok()?.len()))
            .sum();
        Ok(parts)
    }

    /// Checks that `Parts::open` will not fail because the folder has another plan; called before
    /// long computations.
    ///
    /// # Errors
    /// [`ExportError::OtherPlan`] in the cases of [`Self::open`].
    pub fn check(folder: &Path, plan: &str, existing: Existing) -> Result<(), ExportError> {
        let parts = Self {
            folder: folder.to_owned(),
            guests: Vec::new(),
            bytes: 0,
        };
        let refused = |difference, mend| {
            Err(ExportError::OtherPlan {
                folder: folder.to_owned(),
                difference,
                mend,
            })
        };
        match parts.plan() {
            Some(there) if there != plan && existing == Existing::Keep => {
                refused(difference(&there, plan), AGAIN)
            }
            None if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) => {
                refused("it is no folder of a film's frames".to_owned(), ELSEWHERE)
            }
            _ => Ok(()),
        }
    }

    /// Opens the existing frame folder `folder` if its plan (settings that determine all frames)
    /// equals `plan`; otherwise returns `None`.
    pub fn of_plan(folder: &Path, plan: &str) -> Option<Self> {
        let parts = Self {
            folder: folder.to_owned(),
            guests: Vec::new(),
            bytes: 0,
        };
        parts
            .plan()
            .is_some_and(|there| there == plan)
            .then_some(parts)
    }

    /// Returns the path of the frame folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the total size in bytes of all files in the frame folder.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn plan(&self) -> Option<String> {
        input::NOTES
            .text(&self.folder.join(PLAN), |text| text.into_parts().0)
            .ok()
    }

    fn frame(&self, number: u64) -> PathBuf {
        self.folder
            .join(format!("{}{number:06}{}", FRAME.0, FRAME.1))
    }

    /// Returns true if the frame folder has a file for the frame `number`.
    pub fn has(&self, number: u64) -> bool {
        self.frame(number).is_file()
    }

    /// Reads the frame `number`; `None` if the frame is missing or damaged, or its size is not
    /// `size` (width, height) in pixels.
    pub fn read(&self, number: u64, size: (u32, u32)) -> Option<CachedFrame> {
        read(&self.frame(number), size)
    }

    /// Stores the frame `number` with the text chunks `labels`. `size`: width and height in pixels;
    /// `rgb`: sRGB bytes, row-major from the top; `is_file`: the user will get the PNG as a file,
    /// so that it is compressed normally instead of fast.
    ///
    /// # Errors
    /// [`ExportError::Output`] if the frame cannot be written.
    pub fn write(
        &mut self,
        number: u64,
        size: (u32, u32),
        rgb: &[u8],
        (labels, is_file): (&[Label<'_>], bool),
    ) -> Result<(), ExportError> {
        let path = self.frame(number);
        let compression = if is_file {
            Compression::Balanced
        } else {
            Compression::Fast
        };
        let mut file = WholeFile::create(&path, Existing::Replace)?;
        encode((compression, None), &mut file, size, rgb, labels)
            .map_err(|cause| ExportError::encoder(&path, cause))?;
        file.commit()?;
        self.bytes += fs::metadata(&path).map_or(0, |about| about.len());
        Ok(())
    }

    /// Creates the PNG of the frame `number` at `path`, outside of the frame folder: as a hard
    /// link, or as a copy if links are not supported.
    ///
    /// # Errors
    /// [`ExportError::Output`] if the frame is missing, or `path` exists and `existing` does not
    /// allow to replace the file.
    pub fn hand_out(
        &self,
        number: u64,
        path: &Path,
        existing: Existing,
    ) -> Result<(), ExportError> {
        if self.is_handed_out(number, path) {
            return Ok(());
        }
        check_free(path, existing)?;
        if existing == Existing::Keep {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            fs::create_dir_all(folder).map_err(|cause| OutputError::io(path, cause))?;
            if fs::hard_link(self.frame(number), path).is_ok() {
                return Ok(());
            }
        }
        let mut file = WholeFile::create(path, existing)?;
        let copied = input::guard(|| {
            let (mut frame, _) = input::FRAME.open(&self.frame(number))?;
            io::copy(&mut frame, &mut file)
        });
        copied
            .map_err(io::Error::from)
            .flatten()
            .map_err(|cause| OutputError::io(path, cause))?;
        Ok(file.commit()?)
    }

    /// Returns true if the file at `path` has the same bytes as the PNG of the frame `number` in
    /// the frame folder.
    pub fn is_handed_out(&self, number: u64, path: &Path) -> bool {
        let length = |path: &Path| fs::metadata(path).ok().map(|about| about.len());
        let (frame, known) = (self.frame(number), length(path));
        known.is_some() && known == length(&frame) && hash_of(&frame) == hash_of(path)
    }

    /// Records that the export of the film at `path` was stopped early, so that a longer version
    /// may replace the file later.
    ///
    /// # Errors
    /// [`ExportError::Output`] if the record cannot be written.
    pub fn note_unfinished(&mut self, path: &Path) -> Result<(), ExportError> {
        let Some(hash) = hash_of(path) else {
            return Ok(());
        };
        let known = self.known();
        self.write_file(
            UNFINISHED,
            format!("{known}{hash} {}\n", path.display()).as_bytes(),
        )
    }

    /// Returns the paths of films whose export was stopped early and whose files have not changed
    /// since then.
    pub fn unfinished(&self) -> Vec<PathBuf> {
        let known = self.known();
        let same = |line: &str| {
            let mut parts = line.splitn(3, ' ');
            let hash = format!("{} {}", parts.next()?, parts.next()?);
            let path = PathBuf::from(parts.next()?);
            (hash_of(&path)? == hash).then_some(path)
        };
        known.lines().filter_map(same).collect()
    }

    /// Returns the contents of the file that lists films whose export was stopped early; empty if
    /// there is no such file.
    fn known(&self) -> String {
        input::NOTES
            .text(&self.folder.join(UNFINISHED), |text| text.into_parts().0)
            .unwrap_or_default()
    }

    fn write_file(&self, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
        let path = self.folder.join(name);
        Ok(whole(&path, Existing::Replace, |out| out.write_all(bytes))?)
    }

    /// Removes the frame folder; called when the film is complete. If the folder contains files
    /// that the program did not write, these files and the folder are kept.
    ///
    /// # Errors
    /// [`ExportError::Output`] if the folder cannot be removed.
    pub fn finish(self) -> Result<(), ExportError> {
        self.clear()?;
        // Foreign files stay, and the folder with them.
        match fs::remove_dir(&self.folder) {
            Err(cause) if cause.kind() != io::ErrorKind::DirectoryNotEmpty => {
                Err(OutputError::io(&self.folder, cause).into())
            }
            _ => Ok(()),
        }
    }

    /// Removes all files that the program wrote from the frame folder. The plan is removed last, so
    /// that an interrupted removal can be repeated.
    fn clear(&self) -> Result<(), ExportError> {
        let io = |cause| OutputError::io(&self.folder, cause);
        for entry in fs::read_dir(&self.folder).map_err(io)?.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_frame = name.starts_with(FRAME.0) && name.ends_with(FRAME.1);
            if is_frame || name == UNFINISHED || self.guests.contains(&name) {
                fs::remove_file(entry.path()).map_err(io)?;
            }
        }
        Ok(fs::remove_file(self.folder.join(PLAN)).map_err(io)?)
    }
}

/// Returns a sentence that quotes the first line in which `there`, the plan on disk, differs from
/// `here`, the plan of the current film.
fn difference(there: &str, here: &str) -> String {
    let line = |text: Option<&str>| {
        text.map_or_else(
            || "nothing".to_owned(),
            |line| format!("\"{}\"", escape_for_terminal(line)),
        )
    };
    let (mut old, mut new) = (there.lines(), here.lines());
    loop {
        match (old.next(), new.next()) {
            (None, None) => return "it is of another film".to_owned(),
            (old, new) if old != new => {
                return format!("it has {} where this film has {}", line(old), line(new));
            }
            _ => {}
        }
    }
}

/// Returns length and checksum of the file at `path` as text; `None` if the file cannot be read.
fn hash_of(path: &Path) -> Option<String> {
    let mut hash = Xxh3::new();
    let read = || {
        let (mut file, _) = input::SOURCE.open(path).ok()?;
        io::copy(&mut file, &mut HashOf(&mut hash)).ok()
    };
    let bytes = input::guard(read).ok()??;
    Some(format!("{bytes} {:016x}", hash.digest()))
}

struct HashOf<'a>(&'a mut Xxh3);

impl Write for HashOf<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns one line per file with its path, length and checksum. A plan contains these lines, so
/// that the plan differs when an input file has changed.
pub fn fingerprints<'a>(files: impl IntoIterator<Item = &'a Path>) -> String {
    let line = |path: &Path| {
        format!(
            "file {} {}\n",
            path.display(),
            hash_of(path).unwrap_or_else(|| "none".to_owned())
        )
    };
    files.into_iter().map(line).collect()
}

fn read(path: &Path, size: (u32, u32)) -> Option<CachedFrame> {
    input::guard(|| decoded(path, size)).ok()?
}

fn decoded(path: &Path, size: (u32, u32)) -> Option<CachedFrame> {
    let bytes = 3 * size.0 as usize * size.1 as usize;
    let limits = Limits {
        bytes: 2 * bytes + (1 << 20),
    };
    let mut decoder =
        Decoder::new_with_limits(BufReader::new(input::FRAME.open(path).ok()?.0), limits);
    decoder.set_transformations(Transformations::IDENTITY);
    let mut reader = decoder.read_info().ok()?;
    let about = reader.info();
    let fits = (about.width, about.height) == size
        && about.color_type == ColorType::Rgb
        && about.bit_depth == BitDepth::Eight;
    if !fits {
        return None;
    }
    let labels = about
        .utf8_text
        .iter()
        .filter_map(|chunk| Some((chunk.keyword.clone(), chunk.get_text().ok()?)));
    let labels = labels.collect();
    let mut rgb = vec![0; bytes];
    reader.next_frame(&mut rgb).ok()?;
    reader.finish().ok()?;
    Some(CachedFrame { size, rgb, labels })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (u32, u32) = (5, 3);

    fn rgb(shade: u8) -> Vec<u8> {
        (0..45).map(|k| shade.wrapping_mul(k)).collect()
    }

    fn frame(shade: u8) -> CachedFrame {
        CachedFrame {
            size: SIZE,
            rgb: rgb(shade),
            labels: BTreeMap::from([("Step".to_owned(), shade.to_string())]),
        }
    }

    fn write(parts: &mut Parts, number: u64, shade: u8, is_file: bool) {
        parts
            .write(
                number,
                SIZE,
                &rgb(shade),
                (&[("Step", shade.to_string())], is_file),
            )
            .expect("written");
    }

    #[test]
    fn frames_come_back_and_the_folder_goes_away() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Parts::folder_of(&place.path().join("film.mp4"));
        assert!(folder.ends_with("film.mp4.parts"));
        let mut parts =
            Parts::open(&folder, "a plan", &["state"], Existing::Keep).expect("it is new");
        for number in [0, 7] {
            write(&mut parts, number, number as u8, number == 7);
        }
        fs::write(folder.join("state"), "a guest").expect("written");
        let parts =
            Parts::open(&folder, "a plan", &["state"], Existing::Keep).expect("the same plan");
        assert_eq!(
            (parts.read(7, SIZE), parts.read(1, SIZE)),
            (Some(frame(7)), None)
        );
        assert_eq!(parts.read(7, (3, 5)), None, "of another size");
        assert!(parts.has(0) && !parts.has(1) && parts.bytes() > 0);
        parts.finish().expect("removed");
        assert!(!folder.exists());
    }

    #[test]
    fn half_a_frame_is_none() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("film.parts");
        let mut parts = Parts::open(&folder, "a plan", &[], Existing::Keep).expect("it is new");
        write(&mut parts, 3, 9, false);
        let whole = fs::read(parts.frame(3)).expect("there");
        for length in 0..whole.len() {
            fs::write(parts.frame(3), &whole[..length]).expect("written");
            assert!(
                parts.read(3, SIZE).is_none_or(|read| read == frame(9)),
                "{length} bytes"
            );
        }
        let mut wrong = whole;
        let middle = wrong.len() / 2;
        wrong[middle] ^= 1;
        fs::write(parts.frame(3), &wrong).expect("written");
        assert!(parts.read(3, SIZE).is_none_or(|read| read == frame(9)));
    }

    #[test]
    fn a_folder_of_another_plan_or_of_no_film_is_left_alone() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("film.parts");
        let mut parts =
            Parts::open(&folder, "one\nsize = 3\n", &[], Existing::Keep).expect("it is new");
        write(&mut parts, 0, 1, false);
        let error = Parts::open(&folder, "one\nsize = 4\n", &[], Existing::Keep)
            .expect_err("another")
            .to_string();
        assert!(
            error.contains("\"size = 3\" where this film has \"size = 4\"")
                && error.contains("--force"),
            "{error}"
        );
        let parts =
            Parts::open(&folder, "one\nsize = 4\n", &[], Existing::Replace).expect("begun again");
        assert!(!parts.has(0) && Parts::of_plan(&folder, "one\nsize = 4\n").is_some());
        let mine = place.path().join("mine.parts");
        fs::create_dir(&mine).expect("a folder");
        fs::write(mine.join("letter"), "mine").expect("written");
        for existing in [Existing::Keep, Existing::Replace] {
            assert!(matches!(
                Parts::open(&mine, "one", &[], existing),
                Err(ExportError::OtherPlan { .. })
            ));
        }
        assert!(mine.join("letter").exists());
    }

    #[test]
    fn only_a_film_that_was_ended_early_may_be_replaced() {
        let place = tempfile::tempdir().expect("a folder");
        let (folder, film) = (
            place.path().join("film.parts"),
            place.path().join("my film.gif"),
        );
        let mut parts = Parts::open(&folder, "one", &[], Existing::Keep).expect("it is new");
        fs::write(&film, "some frames").expect("written");
        assert!(parts.unfinished().is_empty());
        parts.note_unfinished(&film).expect("noted");
        assert_eq!(parts.unfinished(), std::slice::from_ref(&film));
        fs::write(&film, "other frames").expect("written");
        assert!(parts.unfinished().is_empty());
    }

    #[test]
    fn a_frame_that_is_handed_out_is_a_picture_like_any_other() {
        let place = tempfile::tempdir().expect("a folder");
        let mut parts = Parts::open(&place.path().join("f.parts"), "one", &[], Existing::Keep)
            .expect("it is new");
        write(&mut parts, 4, 77, true);
        let (out, like) = (
            place.path().join("f/frame.png"),
            place.path().join("like.png"),
        );
        assert!(!parts.is_handed_out(4, &out));
        for _ in 0..2 {
            parts.hand_out(4, &out, Existing::Keep).expect("there");
        }
        crate::export::write_png(
            &like,
            SIZE,
            &rgb(77),
            &[("Step", "77".to_owned())],
            Existing::Keep,
        )
        .expect("written");
        assert_eq!(
            fs::read(&out).expect("there"),
            fs::read(&like).expect("there")
        );
        fs::write(&like, "mine").expect("written");
        assert!(parts.hand_out(4, &like, Existing::Keep).is_err());
        assert_eq!(fs::read(&like).expect("there"), b"mine");
        parts
            .hand_out(4, &like, Existing::Replace)
            .expect("replaced");
        parts.finish().expect("removed");
        assert_eq!(
            fs::read(&out).expect("still there"),
            fs::read(&like).expect("there")
        );
    }
}
