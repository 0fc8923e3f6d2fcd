//! Which reader a heightmap file goes to.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::{Crs, Encoding, Heightmap, TerrainError, asc, csv, geotiff, hgt, npy, png, raw, usgs_dem};

/// What the user says about a heightmap file, for what the file itself does not say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadOptions {
    /// Edge of a cell in metres. Needed by formats that carry none; where the file carries one, this is used instead,
    /// and the place on the map is dropped, because it no longer fits.
    pub cell_size_m: Option<f64>,
    /// Height of black in a picture, in metres; left out, what the picture says, or else 0.
    pub black_m: Option<f64>,
    /// Height of white in a picture, in metres; left out, what the picture says, or else one gray level is one metre.
    pub white_m: Option<f64>,
    /// A number that means no data, as it stands in the file, besides those that the file or its format names.
    pub no_data: Option<f64>,
    /// Columns and rows of a file of bare numbers; left out, the square that its length makes.
    pub raw_size: Option<[usize; 2]>,
    /// How a file of bare numbers keeps them; left out, as its ending says.
    pub raw_type: Option<Encoding>,
}

impl LoadOptions {
    /// The system of a map, if it is understood: coordinates in an unknown unit are nothing to measure with. With a cell
    /// size the place on the map is not asked for.
    pub(crate) fn understood(&self, path: &Path, crs: Crs) -> Result<Crs, TerrainError> {
        match crs.known_unit() {
            Ok(_) => Ok(crs),
            Err(_) if self.cell_size_m.is_some() => Ok(Crs::default()),
            Err(found) => Err(TerrainError::UnknownUnit { path: path.to_owned(), found }),
        }
    }

    /// The cell size for a format that carries none.
    pub(crate) fn cell_size_for(&self, path: &Path) -> Result<f64, TerrainError> {
        self.cell_size_m.ok_or_else(|| TerrainError::NoCellSize { path: path.to_owned() })
    }
}

/// One format that can be read.
struct Format {
    /// Endings of file names, in lower case.
    endings: &'static [&'static str],
    /// Whether a file that starts with these bytes is of this format, for names without a known ending.
    recognises: fn(&[u8]) -> bool,
    read: fn(&Path, &LoadOptions) -> Result<Heightmap, TerrainError>,
}

/// All formats that can be read; a new one is a file of its own and a line here.
const FORMATS: &[Format] = &[
    Format { endings: &["asc"], recognises: starts_like_asc, read: asc::read },
    Format { endings: &["csv"], recognises: |_| false, read: csv::read },
    Format { endings: &["dem"], recognises: usgs_dem::recognises, read: usgs_dem::read },
    Format { endings: &["hgt"], recognises: |_| false, read: hgt::read },
    Format { endings: &["npy"], recognises: |start| start.starts_with(npy::MAGIC), read: npy::read },
    Format { endings: &["png"], recognises: |start| start.starts_with(b"\x89PNG\r\n\x1a\n"), read: png::read },
    Format { endings: &["r16", "r32", "raw"], recognises: |_| false, read: raw::read },
    Format { endings: &["tif", "tiff"], recognises: geotiff::recognises, read: geotiff::read },
];

/// Endings of heightmaps, without the dot, in lower case.
pub fn endings() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.endings).copied()
}

/// Reads a heightmap, choosing the format by the ending of the name, or else by the first bytes.
///
/// # Errors
/// [`TerrainError::UnknownFormat`] lists the known endings; the rest come from the reader of the format.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    if let Some(size) = options.cell_size_m.filter(|&size| !(size > 0.0 && size.is_finite())) {
        return Err(crate::validate::Invalid::new("cell_size_m", size, "a length above 0 metres").into());
    }
    if let Some(no_data) = options.no_data.filter(|value| !value.is_finite()) {
        return Err(crate::validate::Invalid::new("no_data", no_data, "a number").into());
    }
    let format = format_of(path, options)?;
    let mut map = (format.read)(path, options)?;
    if let Some(size) = options.cell_size_m.filter(|&size| map.cell_size_m != (size, size)) {
        map.cell_size_m = (size, size);
        map.origin = None;
    }
    Ok(map)
}

/// Whether a file is a heightmap by the ending of its name, or else by its first bytes.
pub fn is_heightmap(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    FORMATS.iter().any(|f| f.endings.contains(&ending.as_str())) || format_of(path, &LoadOptions::default()).is_ok()
}

/// Endings of all formats that can be read, such as `.asc, .csv, .png`.
pub fn known_endings() -> String {
    let endings: Vec<String> = FORMATS.iter().flat_map(|f| f.endings).map(|ending| format!(".{ending}")).collect();
    endings.join(", ")
}

/// Opens an ordinary file for reading; gives its length too.
pub(crate) fn open(path: &Path) -> Result<(BufReader<File>, u64), TerrainError> {
    // Asked before opening, because opening a pipe waits for a writer.
    let about = std::fs::metadata(path).map_err(TerrainError::read(path))?;
    if !about.is_file() {
        return Err(TerrainError::content(
            path,
            "a file",
            if about.is_dir() { "a folder" } else { "a device or pipe" },
        ));
    }
    let file = File::open(path).map_err(TerrainError::read(path))?;
    Ok((BufReader::with_capacity(1 << 16, file), about.len()))
}

/// Longest `.prj` file that is read.
const LONGEST_PRJ: u64 = 1 << 16;

/// What the `.prj` file beside a heightmap says; a missing or unreadable one only means that nothing is known.
pub(super) fn read_prj(path: &Path) -> Crs {
    let mut bytes = Vec::new();
    let found = ["prj", "PRJ", "Prj"].into_iter().find_map(|ending| open(&path.with_extension(ending)).ok());
    if found.is_none_or(|(file, _)| file.take(LONGEST_PRJ).read_to_end(&mut bytes).is_err()) {
        return Crs::default();
    }
    // Older programs write names in Latin-1, whose letters have the numbers of Unicode.
    let text = String::from_utf8(bytes).unwrap_or_else(|e| e.as_bytes().iter().map(|&byte| char::from(byte)).collect());
    Crs::from_wkt(&text.replace(|c: char| c.is_control() && !c.is_ascii_whitespace(), " "))
}

/// Bytes at the start of a file that a format is known by.
const START: u64 = 1024;

fn format_of(path: &Path, options: &LoadOptions) -> Result<&'static Format, TerrainError> {
    let (mut reader, _) = open(path)?;
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if let Some(format) = FORMATS.iter().find(|f| f.endings.contains(&ending.as_str())) {
        return Ok(format);
    }
    let mut start = Vec::new();
    reader.by_ref().take(START).read_to_end(&mut start).map_err(TerrainError::read(path))?;
    // With a size any file can be bare numbers.
    let bare = |f: &&Format| options.raw_size.is_some() && f.endings.contains(&"raw");
    let known = FORMATS.iter().find(|f| (f.recognises)(&start)).or_else(|| FORMATS.iter().find(bare));
    known.ok_or_else(|| TerrainError::UnknownFormat { path: path.to_owned(), known: known_endings() })
}

fn starts_like_asc(start: &[u8]) -> bool {
    start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"ncols"))
}
