//! Reader of virtual rasters of GDAL (`.vrt`), which place parts of other rasters on one grid.
//!
//! **Decided:** as in GDAL the last source that has data counts; sources that the file scales or
//! turns are refused, since the rules of resampling are GDAL's own.

use std::path::{Path, PathBuf};

use ndarray::{Array2, s};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::load;
use super::read::{LoadOptions, bytes_of};
use super::sidecar::Sidecars;
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Georeference, Heightmap, TerrainError};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::ending;

/// Memory in bytes per byte of the file while it is read.
const WEIGHT: f64 = 6.0;
/// Largest number of sources.
const MOST: usize = 4096;

/// Rectangle of cells: offset and size along x and y.
type Rect = [f64; 4];

/// Part of another raster.
#[derive(Debug, Default)]
struct Source {
    file: PathBuf,
    from: Option<Rect>,
    to: Option<Rect>,
}

/// Content of a file, as far as it is read.
#[derive(Debug, Default)]
struct Virtual {
    size: [usize; 2],
    system: Option<String>,
    place: Option<Vec<f64>>,
    no_data: Option<f64>,
    sources: Vec<Source>,
}

/// Reads a virtual raster.
///
/// # Errors
/// [`TerrainError::Content`], naming the file and the source, for what is not understood; the errors
/// of the sources.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let bytes = bytes_of(path)?;
    MemoryEstimate::new("the text of the file", bytes.len(), WEIGHT)
        .check("make the mosaic of fewer files")
        .map_err(TerrainError::memory(path))?;
    let found = parse(&bytes).map_err(|found| wrong(path, &found))?;
    let [cols, rows] = found.size;
    checked_samples(path, (cols, rows), u64::MAX, 0.0)?;
    let mut heights = Array2::from_elem((rows, cols), f32::NAN);
    let mut notes = Vec::new();
    // The sources name their own units; their places are those of this file.
    let of_source = LoadOptions {
        cell_size_m: Some(1.0),
        no_data: options.no_data.or(found.no_data),
        ..options.clone()
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    for source in &found.sources {
        let file = folder.join(&source.file);
        let wrong = |found: String| {
            let shown = escape_for_terminal(&source.file.display().to_string());
            TerrainError::content(path, format!("a part of {shown}"), found)
        };
        if ending(&file) == "vrt" {
            return Err(wrong("another .vrt; join both: gdal_translate".to_owned()));
        }
        let map = load(&file, &of_source).map_err(|error| {
            let found = escape_for_terminal(&error.to_string());
            TerrainError::content(path, "sources that are heightmaps", found)
        })?;
        let (height, width) = map.heights.dim();
        let from = source
            .from
            .unwrap_or([0.0, 0.0, width as f64, height as f64]);
        let to = source.to.unwrap_or(from);
        let is_whole = |rect: &Rect| rect.iter().all(|v| v.fract() == 0.0 && *v >= 0.0);
        if !(is_whole(&from) && is_whole(&to)) || from[2..] != to[2..] {
            let mend = "another size than its place; make one raster: gdal_translate";
            return Err(wrong(mend.to_owned()));
        }
        let [x, y, wide, deep] = from.map(|v| v as usize);
        let [left, top] = [to[0] as usize, to[1] as usize];
        let is_in = |at: usize, length: usize, all: usize| at.saturating_add(length) <= all;
        if !(is_in(x, wide, width) && is_in(y, deep, height)) {
            return Err(wrong(format!("a raster of {width} × {height} cells")));
        }
        if !(is_in(left, wide, cols) && is_in(top, deep, rows)) {
            return Err(wrong(format!("a place outside of {cols} × {rows} cells")));
        }
        let part = map.heights.slice(s![y..y + deep, x..x + wide]);
        let place = heights.slice_mut(s![top..top + deep, left..left + wide]);
        ndarray::Zip::from(place)
            .and(part)
            .for_each(|height, &new| {
                if !new.is_nan() {
                    *height = new;
                }
            });
        for note in map.notes {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    let sidecars = Sidecars::read(path)?;
    let system = found
        .system
        .as_deref()
        .map_or_else(Crs::default, Crs::from_wkt);
    let crs = options.understood(path, sidecars.system(system))?;
    let Some(place) = found.place else {
        let size = options.cell_size_for(path)?;
        return Ok(Heightmap {
            heights,
            cell_size_m: (size, size),
            origin: None,
            notes,
        });
    };
    let [west, east, 0.0, north, 0.0, south] = place[..] else {
        let found = "a map that is turned; turn it north up: gdalwarp";
        return Err(TerrainError::content(path, "a map with north up", found));
    };
    if !(east > 0.0 && south < 0.0) {
        let found = "a map that is turned; turn it north up: gdalwarp";
        return Err(TerrainError::content(path, "a map with north up", found));
    }
    let (origin, cell_size_m) =
        Georeference::north_up(path, heights.dim(), (west, north), (east, -south), crs)?;
    Ok(Heightmap {
        heights,
        cell_size_m,
        origin: Some(origin),
        notes,
    })
}

/// Returns the error of the file at `path`, in which `found` was found.
fn wrong(path: &Path, found: &str) -> TerrainError {
    /// Upper bound on the length of the description, in characters.
    const MOST: usize = 200;
    let found: String = found.chars().take(MOST).collect();
    let found = escape_for_terminal(&found);
    TerrainError::content(path, "a virtual raster of GDAL", found)
}

/// Reads the text of a file. Fails with a description of what was found.
fn parse(bytes: &[u8]) -> Result<Virtual, String> {
    let mut reader = Reader::from_reader(bytes);
    let (mut found, mut inside): (Virtual, Vec<String>) = Default::default();
    let mut bands = 0;
    let (mut text, mut content) = (Vec::new(), String::new());
    loop {
        let event = reader
            .read_event_into(&mut text)
            .map_err(|e| e.to_string())?;
        match event {
            Event::Start(ref element) | Event::Empty(ref element) => {
                let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
                if inside.is_empty() && name != "VRTDataset" {
                    return Err(format!("<{}>", escape_for_terminal(&name)));
                }
                match &name[..] {
                    "VRTDataset" => {
                        let side = |key| number(element, key).map(|side| side as usize);
                        found.size = [side("rasterXSize")?, side("rasterYSize")?];
                    }
                    "VRTRasterBand" => bands += 1,
                    "SimpleSource" | "ComplexSource" if bands == 1 => {
                        found.sources.push(Source::default());
                    }
                    "SrcRect" | "DstRect" if bands == 1 => {
                        let keys = ["xOff", "yOff", "xSize", "ySize"];
                        let mut rect = [0.0; 4];
                        for (v, key) in rect.iter_mut().zip(keys) {
                            *v = number(element, key)?;
                        }
                        if let Some(source) = found.sources.last_mut() {
                            let part = if name == "SrcRect" {
                                &mut source.from
                            } else {
                                &mut source.to
                            };
                            *part = Some(rect);
                        }
                    }
                    "AveragedSource" | "KernelFilteredSource" | "PixelFunctionType" | "GCPList" => {
                        return Err(format!(
                            "<{name}>, which only GDAL calculates: gdal_translate"
                        ));
                    }
                    "ScaleRatio" | "ScaleOffset" | "LUT" if bands == 1 => {
                        return Err(format!(
                            "<{name}>, which only GDAL calculates: gdal_translate"
                        ));
                    }
                    _ => {}
                }
                content.clear();
                if matches!(event, Event::Start(_)) {
                    inside.push(name);
                }
                if found.sources.len() > MOST {
                    return Err(format!(
                        "more than {MOST} sources; join them: gdal_translate"
                    ));
                }
            }
            Event::Text(ref part) => content += &part.decode().map_err(|e| e.to_string())?,
            Event::GeneralRef(ref name) => {
                let name = name.decode().map_err(|e| e.to_string())?;
                let whole = format!("&{name};");
                content += &quick_xml::escape::unescape(&whole).map_err(|e| e.to_string())?;
            }
            Event::End(_) => {
                let name = inside.pop();
                take(&mut found, name.as_deref(), (content.trim(), bands))?;
                content.clear();
            }
            Event::Eof => break,
            _ => {}
        }
        text.clear();
    }
    match found.sources[..] {
        [] => Err("no source".to_owned()),
        _ => Ok(found),
    }
}

/// Puts the text of the element `name` into `found`; `band`: number of its band, from 1.
fn take(
    found: &mut Virtual,
    name: Option<&str>,
    (text, band): (&str, usize),
) -> Result<(), String> {
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| quoted(text));
    match name {
        Some("SRS") => found.system = Some(text.to_owned()),
        Some("GeoTransform") => {
            found.place = Some(text.split(',').map(number).collect::<Result<_, _>>()?);
        }
        Some("NoDataValue") if band == 1 => {
            found.no_data = number(text).ok().filter(|v| v.is_finite())
        }
        Some("SourceFilename") if band == 1 => {
            if let Some(source) = found.sources.last_mut() {
                source.file.push(text);
            }
        }
        Some("SourceBand") if band == 1 && text != "1" => {
            return Err("a band other than the first; take it out: gdal_translate -b".to_owned());
        }
        _ => {}
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escape_for_terminal(text))
}

/// Returns the attribute `key` of `element` as a number.
fn number(element: &BytesStart<'_>, key: &str) -> Result<f64, String> {
    let value = element.try_get_attribute(key).map_err(|e| e.to_string())?;
    let value = value.ok_or_else(|| format!("no {key}"))?;
    let text = String::from_utf8_lossy(&value.value).into_owned();
    text.parse().map_err(|_| quoted(&text))
}
