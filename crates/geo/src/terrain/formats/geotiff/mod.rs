//! Reader of heights in a TIFF or GeoTIFF (`.tif`): one band of any number type, in strips or
//! tiles, with any supported compression.
//!
//! The reader applies all metadata of the file: pixel scale or transformation, pixels as areas or
//! points, the coordinate reference system, the no-data value, a mask or an alpha band, and scale,
//! offset and unit of the heights. Blocks that a sparse file omits have no data. Rasters that are
//! rotated or sheared on their map are interpolated bilinearly to a north-up raster with cells of
//! the same size; mirrored rasters are reversed without interpolation. For files without metadata,
//! such as plain pictures, the `options` of the reader give the cell size and the heights of black
//! and white.

mod askew;
mod blocks;
mod colours;
mod directory;
mod lerc;
mod mend;
mod place;
mod presented;
mod said;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use geotiff_reader::transform::GeoTransform;
use ndarray::Array2;
use tiff_reader::source::{BytesSource, FileSource, SharedSource};
use tiff_reader::{ColorModel, ExtraSample, Ifd, OpenOptions, RasterLayout, TiffFile};

use self::askew::{Affine, north_up};
use self::blocks::{Blocks, LARGEST_BLOCK, Reading};
pub(in crate::terrain) use self::colours::read as read_colours;
use self::mend::Mending;
use self::place::FileGeoreference;
use self::said::Said;
use super::read::{LoadOptions, note_of_unit, open};
use super::samples::Heights;
use super::sidecar::{Sidecars, unit_m};
use crate::map::crs::vertical_metres;
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Georeference, Heightmap, TerrainError};
use lavoxel_files::archive;
use lavoxel_files::input;

/// Codes of the supported compressions: none, LZW, JPEG, Deflate (two codes), PackBits, LERC, ZSTD,
/// WebP.
const PACKINGS: [u16; 9] = [1, 5, 7, 8, 32946, 32773, 34887, 50000, 50001];

/// Reads the heights of the TIFF or GeoTIFF at `path`.
///
/// # Errors
/// [`TerrainError::Content`] for a file that is no TIFF of one band of heights;
/// [`TerrainError::NoCellSize`] when neither the file nor `options` give the size of a cell. The
/// announced size is checked against the length of the file before memory is reserved.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (source, sidecars) = (source_of(path)?, Sidecars::read(path)?);
    with_file(source, path, |file| file.heights(options, &sidecars))
}

/// Reads the heights of a TIFF or GeoTIFF from the bytes `data`; `path` is its name for messages.
///
/// # Errors
/// The errors of [`load`](super::load).
pub fn read_bytes(
    data: &[u8],
    path: &Path,
    options: &LoadOptions,
) -> Result<Heightmap, TerrainError> {
    let source = Arc::new(BytesSource::new(data.to_vec()));
    with_file(source, path, |file| {
        file.heights(options, &Sidecars::default())
    })
}

/// Returns the name of the unit in which the raster at `path` states its values; `None` if the file
/// states no unit.
///
/// # Errors
/// The errors of [`load`](super::load).
pub(super) fn unit(path: &Path) -> Result<Option<String>, TerrainError> {
    with_file(source_of(path)?, path, |file| {
        let image = file.tiff.ifd(file.place.image).map_err(wrong(path))?;
        Ok(Said::read(image, path)?.with(&Sidecars::read(path)?).unit)
    })
}

/// Returns the metadata that GDAL's tag in the GeoTIFF at `path` states: texts by name, such as
/// `quantity`, `scene` and `runs`. Empty if the file has no such metadata.
///
/// # Errors
/// The errors of [`load`](super::load).
pub fn labels(path: &Path) -> Result<BTreeMap<String, String>, TerrainError> {
    let items = || {
        with_file(source_of(path)?, path, |file| {
            Ok(said::items(
                file.tiff.ifd(file.place.image).map_err(wrong(path))?,
            ))
        })
    };
    input::guard(items).map_err(TerrainError::input(path))?
}

/// Opens a file on disk or inside an archive as a source of bytes.
fn source_of(path: &Path) -> Result<SharedSource, TerrainError> {
    if let Some(inside) = archive::file(path) {
        let bytes = inside.map_err(TerrainError::read(path))?.bytes.into_owned();
        return Ok(Arc::new(BytesSource::new(bytes)));
    }
    // Reports a path that is no file clearly; the reader opens the file again.
    open(path)?;
    Ok(Arc::new(FileSource::open(path).map_err(wrong(path))?))
}

/// Calls `hide` with (row, column) of each pixel that the mask file `mask` (`.msk`) hides. The
/// raster at `path` has `(rows, cols)` cells.
///
/// # Errors
/// [`TerrainError::Content`] for a file that is not a mask of this size.
pub(in crate::terrain) fn with_mask(
    mask: &Path,
    (path, (rows, cols)): (&Path, (usize, usize)),
    mut hide: impl FnMut((usize, usize)),
) -> Result<(), TerrainError> {
    with_file(
        source_of(mask)?,
        mask,
        |File {
             tiff,
             place,
             path: mask,
             ..
         }| {
            let image = tiff.ifd(place.image).map_err(wrong(mask))?;
            check_kind(image, mask)?;
            let layout = image.raster_layout().map_err(wrong(mask))?;
            if (layout.height, layout.width) != (rows, cols) {
                let expected = format!(
                    "a mask of {cols} columns × {rows} rows, as {} has",
                    path.display()
                );
                return Err(TerrainError::content(
                    mask,
                    expected,
                    format!("{} × {}", layout.width, layout.height),
                ));
            }
            let blocks = Blocks::new(&tiff, image, &layout, mask)?;
            let reading = Reading {
                tiff: &tiff,
                path: mask,
                half: false,
            };
            reading.band(image, &layout, &blocks, 0, |at, opaque| {
                if opaque == 0.0 {
                    hide(at);
                }
                Ok(())
            })
        },
    )
}

/// Reads and repairs the directories of the TIFF `source`, calls `read` with the repaired file, and
/// returns its result.
fn with_file<T>(
    source: SharedSource,
    path: &Path,
    read: impl FnOnce(File<'_>) -> Result<T, TerrainError>,
) -> Result<T, TerrainError> {
    let bytes = source.len();
    let (form, mut directories) = directory::walk(source.as_ref(), path)?;
    let mut mend = |entries| {
        Mending {
            source: source.as_ref(),
            form,
            entries,
        }
        .mend()
    };
    let half: Vec<bool> = directories.iter_mut().map(&mut mend).collect();
    let source = presented::presented(source, form, &directories).map_err(wrong(path))?;
    drop(directories);
    let tiff = TiffFile::from_source_with_options(source, limits()).map_err(wrong(path))?;
    let place = FileGeoreference::read(&tiff, path)?;
    let half = half.get(place.image).copied().unwrap_or(false);
    read(File {
        tiff,
        place,
        half,
        bytes,
        path,
    })
}

/// Returns true if the first bytes `start` of a file are those of a TIFF or BigTIFF.
pub(in crate::terrain) fn recognises(start: &[u8]) -> bool {
    [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"]
        .iter()
        .any(|magic| start.starts_with(*magic))
}

fn limits() -> OpenOptions {
    // Blocks are read once, from the first to the last, so that a cache has no use.
    let mut options = OpenOptions {
        decode_output_bytes: LARGEST_BLOCK,
        block_cache_bytes: 0,
        ..OpenOptions::default()
    };
    // A table of the blocks of the largest heightmap fits.
    options.parse_budgets.max_metadata_value_bytes = 1 << 27;
    options
}

fn wrong<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> TerrainError {
    move |error| TerrainError::content(path, "a TIFF or GeoTIFF of heights", error.to_string())
}

/// TIFF file with its repaired directories and its georeference, ready to be read.
struct File<'a> {
    tiff: TiffFile,
    place: FileGeoreference,
    /// Set if the heights are 16-bit floats; the repaired directory then declares them as integers,
    /// whose bits are converted.
    half: bool,
    /// Length of the TIFF file in bytes.
    bytes: u64,
    path: &'a Path,
}

impl File<'_> {
    fn heights(
        self,
        options: &LoadOptions,
        sidecars: &Sidecars,
    ) -> Result<Heightmap, TerrainError> {
        let Self {
            tiff,
            place,
            half,
            bytes,
            path,
        } = &self;
        let image = tiff.ifd(place.image).map_err(wrong(path))?;
        check_kind(image, path)?;
        let layout = image.raster_layout().map_err(wrong(path))?;
        // Checked twice: first the bare size, before blocks are listed; then with the least bytes
        // per height of their packing.
        checked_samples(path, (layout.width, layout.height), *bytes, 0.0)?;
        let alpha = has_alpha(image, &layout, path)?;
        let blocks = Blocks::new(tiff, image, &layout, path)?;
        checked_samples(
            path,
            (layout.width, layout.height),
            *bytes,
            blocks.least_bytes(image, &layout),
        )?;
        let (transform, note) = sidecars.place(place.transform);
        if transform.is_none() {
            check_points(place.points.max(sidecars.points), path, options)?;
            options.cell_size_for(path)?;
        }

        let said = Said::read(image, path)?.with(sidecars);
        let values = self.values(&said, &layout, options)?;
        let reading = Reading {
            tiff,
            path,
            half: *half,
        };
        let mut heights = Array2::from_elem((layout.height, layout.width), f32::NAN);
        reading.band(image, &layout, &blocks, 0, |at, value| {
            heights[at] = values.convert(value, path)?;
            Ok(())
        })?;
        blocks.clear_missing(&mut heights);
        let reading = Reading {
            half: false,
            ..reading
        };
        if alpha {
            reading.band(image, &layout, &blocks, 1, |at, value| {
                hide(&mut heights, at, value)
            })?;
        }
        if let Some(mask) = mask_of(tiff, image) {
            check_kind(mask, path)?;
            let layout = mask.raster_layout().map_err(wrong(path))?;
            let blocks = Blocks::new(tiff, mask, &layout, path)?;
            reading.band(mask, &layout, &blocks, 0, |at, value| {
                hide(&mut heights, at, value)
            })?;
        }
        sidecars.hide(&mut heights, path)?;
        values.check(&heights, path)?;
        let crs = options.understood(
            path,
            sidecars.system(Crs::from_geo_keys(place.keys.iter().cloned())),
        )?;
        let is_unnamed = options.height_unit.is_none()
            && said.unit.is_none()
            && !options.any_unit
            && !place.names_heights();
        let unit = note_of_unit(&crs).filter(|_| is_unnamed);
        let mut map = placed(heights, transform, crs, path, options)?;
        map.notes.extend(note.into_iter().chain(unit));
        Ok(map)
    }

    /// Returns the conversion of the file's numbers to heights, from the metadata `said` and
    /// `options`. `layout`: number type of the raster.
    fn values(
        &self,
        said: &Said,
        layout: &RasterLayout,
        options: &LoadOptions,
    ) -> Result<Heights, TerrainError> {
        let by_keys = || {
            vertical_metres(&self.place.keys).map_err(|found| {
                TerrainError::content(self.path, "heights in metres or feet", found)
            })
        };
        let vertical = if options.any_unit {
            1.0
        } else {
            let named = unit_m(options, said.unit.as_deref(), self.path)?;
            named
                .map_or_else(by_keys, |metres| Ok(Some(metres)))?
                .unwrap_or(1.0)
        };
        let values = Heights::new(options).without(said.no_data);
        Ok(match picture_levels(layout) {
            Some(most) if !self.place.is_geo && !self.half && said.scale == 1.0 => {
                values.gray(options.black_m, options.white_m, most)
            }
            _ => values.scaled(said.scale * vertical, said.offset * vertical),
        })
    }
}

/// Fails if the number type or the compression of the picture `image` is not supported; the message
/// contains a command that converts the file.
fn check_kind(image: &Ifd, path: &Path) -> Result<(), TerrainError> {
    let refuse = |found: String| Err(wrong(path)(found));
    let packing = image.compression();
    if !PACKINGS.contains(&packing) {
        let name = if packing == 34925 {
            "LZMA".to_owned()
        } else {
            format!("a packing of number {packing}")
        };
        return refuse(format!(
            "{name}; pack it otherwise, for example with gdal_translate -co COMPRESS=DEFLATE"
        ));
    }
    if image
        .sample_format()
        .map_err(wrong(path))?
        .first()
        .is_some_and(|format| [5, 6].contains(format))
    {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return refuse(format!(
            "complex numbers; take their amplitude: gdal_translate DERIVED_SUBDATASET:AMPLITUDE:{name} OUT.tif"
        ));
    }
    match image.bits_per_sample().map_err(wrong(path))?.first() {
        Some(1..=16 | 32 | 64) | None => Ok(()),
        Some(bits) => refuse(format!(
            "numbers of {bits} bits; convert them, for example with gdal_translate -ot Float32"
        )),
    }
}

/// Fails if a raster without an affine transform has two or more control points and the user states
/// no cell size, because control points do not give a cell size. `points`: number of control
/// points.
fn check_points(points: usize, path: &Path, options: &LoadOptions) -> Result<(), TerrainError> {
    if points < 2 || options.cell_size_m.is_some() {
        return Ok(());
    }
    let found = format!(
        "{points} control points, between which it may be bent; bring it onto a grid, for example with gdalwarp -tps"
    );
    Err(TerrainError::content(
        path,
        "a raster on the grid of its map",
        found,
    ))
}

/// Creates a heightmap from `heights` and the affine transform from cells to map coordinates;
/// without a transform, the cell size is that of `options`. A rotated raster is cropped to the
/// largest north-up rectangle inside, unless `options.any_unit` is set.
pub(super) fn placed(
    heights: Array2<f32>,
    transform: Option<GeoTransform>,
    crs: Crs,
    path: &Path,
    options: &LoadOptions,
) -> Result<Heightmap, TerrainError> {
    let Some(t) = transform else {
        let size = options.cell_size_for(path)?;
        return Ok(Heightmap {
            heights,
            cell_size_m: (size, size),
            origin: None,
            notes: Vec::new(),
        });
    };
    let affine = Affine {
        origin: (t.origin_x, t.origin_y),
        along_row: (t.pixel_width, t.skew_y),
        along_column: (t.skew_x, t.pixel_height),
    };
    let raster = north_up(heights, &affine, path)?;
    let (origin, cell_size_m) = Georeference::north_up(
        path,
        raster.heights.dim(),
        raster.north_west,
        raster.cell,
        crs,
    )?;
    let (dim, whole) = (raster.heights.dim(), raster.whole);
    let map = Heightmap {
        heights: raster.heights,
        cell_size_m,
        origin: Some(origin),
        notes: Vec::new(),
    };
    // Ground must not have the empty corners around a turned raster; raw values may.
    let Some(whole) = whole.filter(|whole| whole.cols > 0 && !options.any_unit) else {
        return Ok(map);
    };
    let mut part = map.crop(whole)?;
    part.notes.push(format!(
        "the raster lies turned on its map, and is interpolated: of {} × {} cells north up around it, its largest part of {} × {} is used \
         (gdalwarp turns it otherwise)",
        dim.1, dim.0, whole.cols, whole.rows
    ));
    Ok(part)
}

/// Returns the number that is white if the values are grey levels; `None` if the values are not
/// unsigned integers of up to 16 bits.
fn picture_levels(layout: &RasterLayout) -> Option<f64> {
    match (layout.sample_format, layout.bits_per_sample) {
        (1, bits @ 1..=16) => Some(f64::from((1u32 << bits) - 1)),
        _ => None,
    }
}

/// Sets the height of the pixel `at` (row, column) to NaN if its opacity `opaque` is 0. Never
/// fails; returns a `Result` as `Reading::band` expects.
fn hide(heights: &mut Array2<f32>, at: (usize, usize), opaque: f64) -> Result<(), TerrainError> {
    if opaque == 0.0 {
        heights[at] = f32::NAN;
    }
    Ok(())
}

/// Returns true if the picture has a second band that is its opacity, false if it has one band of
/// grey levels.
///
/// # Errors
/// For a picture that is not one band of grey levels, with or without such a second band.
fn has_alpha(image: &Ifd, layout: &RasterLayout, path: &Path) -> Result<bool, TerrainError> {
    let mend = "convert it to one band of heights, for example with gdal_translate -b 1";
    let refuse = |found: &str| {
        Err(TerrainError::content(
            path,
            "one band of heights",
            format!("{found}; {mend}"),
        ))
    };
    match image.color_model().map_err(wrong(path))? {
        ColorModel::Grayscale { extra_samples, .. } => match extra_samples[..] {
            [] => Ok(false),
            [ExtraSample::AssociatedAlpha | ExtraSample::UnassociatedAlpha] => Ok(true),
            _ => refuse(&format!("{} bands", layout.samples_per_pixel)),
        },
        ColorModel::Palette { .. } => refuse("colours of a palette"),
        _ => refuse("colours"),
    }
}

/// Returns the directory of the mask of `image`, which GDAL stores as another picture of the same
/// size in the file; `None` if the file has no mask.
fn mask_of<'a>(tiff: &'a TiffFile, image: &Ifd) -> Option<&'a Ifd> {
    let is_mask = |ifd: &&Ifd| {
        let kind = ifd
            .tag(directory::SUBFILE_TYPE)
            .and_then(|tag| tag.value.as_u64())
            .unwrap_or(0);
        kind & 4 != 0
            && kind & 1 == 0
            && (ifd.width(), ifd.height()) == (image.width(), image.height())
    };
    tiff.ifds().iter().find(is_mask)
}
