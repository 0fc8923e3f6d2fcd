//! Georeference of a TIFF file.

use std::path::Path;

use geotiff_reader::crs::CrsInfo;
use geotiff_reader::geokeys::{GeoKeyDirectory, GeoKeyValue};
use geotiff_reader::transform::GeoTransform;
use tiff_reader::{Ifd, TagValue, TiffFile};

use super::directory::{
    GEO_DOUBLES, GEO_KEYS, GEO_TEXTS, PIXEL_SCALE, SUBFILE_TYPE, TIE_POINTS, TRANSFORMATION,
};
use super::wrong;
use crate::map::GeoKey;
use crate::terrain::TerrainError;

/// Georeference of a TIFF file: coordinate system, affine transform and tie points.
pub(super) struct FileGeoreference {
    /// Index of the directory whose picture has the full resolution.
    pub(super) image: usize,
    /// Set if the file has GeoTIFF tags; otherwise it is a plain TIFF.
    pub(super) is_geo: bool,
    pub(super) transform: Option<GeoTransform>,
    /// Number of tie points, at which the file states the map coordinates of a pixel.
    pub(super) points: usize,
    pub(super) keys: Vec<(u16, GeoKey)>,
}

impl FileGeoreference {
    /// Reads the georeference of the first directory that has one. Copies with reduced resolution
    /// are skipped.
    pub(super) fn read(tiff: &TiffFile, path: &Path) -> Result<Self, TerrainError> {
        let ifds = tiff.ifds();
        let has = |ifd: &Ifd, tag: u16| ifd.tag(tag).is_some();
        let placed =
            |ifd: &Ifd| has(ifd, TRANSFORMATION) || (has(ifd, TIE_POINTS) && has(ifd, PIXEL_SCALE));
        let source = ifds
            .iter()
            .position(|ifd| has(ifd, GEO_KEYS))
            .or_else(|| ifds.iter().position(placed));
        let Some(source) = source else {
            return Ok(Self {
                image: 0,
                is_geo: false,
                transform: None,
                points: 0,
                keys: Vec::new(),
            });
        };
        let later = || (source + 1..ifds.len()).find(|&i| !is_reduced(&ifds[i]));
        let image = if is_reduced(&ifds[source]) {
            later().unwrap_or(source)
        } else {
            source
        };
        let keys = keys_of(&ifds[source], path)?;
        let transform = transform_of(&ifds[source], &keys, path)?;
        let value = |value: GeoKeyValue| match value {
            GeoKeyValue::Short(number) => GeoKey::Short(number),
            GeoKeyValue::Double(numbers) => GeoKey::Doubles(numbers),
            GeoKeyValue::Ascii(text) => GeoKey::Text(text),
        };
        let keys = keys
            .keys
            .into_iter()
            .map(|key| (key.id, value(key.value)))
            .collect();
        let points = doubles(&ifds[source], TIE_POINTS, path)?.map_or(0, |ties| ties.len() / 6);
        Ok(Self {
            image,
            is_geo: true,
            transform,
            points,
            keys,
        })
    }

    /// Returns true if the GeoTIFF keys state the unit or the reference system of heights.
    pub(super) fn names_heights(&self) -> bool {
        self.keys.iter().any(|(id, _)| [4096, 4099].contains(id))
    }
}

/// Returns true if the directory `ifd` describes a copy of another picture with reduced resolution.
fn is_reduced(ifd: &Ifd) -> bool {
    let new = ifd
        .tag(SUBFILE_TYPE)
        .and_then(|tag| tag.value.as_u64())
        .map(|kind| kind & 1 != 0);
    let old = || {
        ifd.tag(255)
            .and_then(|tag| tag.value.as_u16())
            .map(|kind| kind == 2)
    };
    new.or_else(old).unwrap_or(false)
}

fn keys_of(ifd: &Ifd, path: &Path) -> Result<GeoKeyDirectory, TerrainError> {
    let Some(tag) = ifd.tag(GEO_KEYS) else {
        return Ok(GeoKeyDirectory::new());
    };
    let TagValue::Short(directory) = &tag.value else {
        return Err(wrong(path)("GeoKeys that are no whole numbers of 16 bits"));
    };
    let doubles = doubles(ifd, GEO_DOUBLES, path)?.unwrap_or_default();
    let texts = match ifd.tag(GEO_TEXTS).map(|tag| &tag.value) {
        None => "",
        Some(TagValue::Ascii(text)) => text,
        Some(_) => return Err(wrong(path)("texts of GeoKeys that are no text")),
    };
    GeoKeyDirectory::parse(directory, doubles, texts)
        .ok_or_else(|| wrong(path)("GeoKeys of an unknown version"))
}

/// Returns the values of the tag `tag` as 64-bit floats; `None` if the directory has no such tag,
/// an error if the values have another type or, except for numbers of GeoTIFF keys, are not finite.
fn doubles<'a>(ifd: &'a Ifd, tag: u16, path: &Path) -> Result<Option<&'a [f64]>, TerrainError> {
    match ifd.tag(tag).map(|found| &found.value) {
        None => Ok(None),
        Some(TagValue::Double(values))
            if tag == GEO_DOUBLES || values.iter().all(|v| v.is_finite()) =>
        {
            Ok(Some(values))
        }
        Some(_) => Err(wrong(path)(format!(
            "tag {tag} without finite 64-bit floats"
        ))),
    }
}

/// Returns the affine transform from cells to map coordinates; `None` for a degenerate one. As in
/// GDAL, pixel scale and tie point take precedence over a matrix.
fn transform_of(
    ifd: &Ifd,
    keys: &GeoKeyDirectory,
    path: &Path,
) -> Result<Option<GeoTransform>, TerrainError> {
    let raster = CrsInfo::from_geokeys(keys).raster_type_enum();
    let counted = |tag: u16, fits: fn(usize) -> bool| match doubles(ifd, tag, path)? {
        Some(values) if !fits(values.len()) => {
            Err(wrong(path)(format!("{} values of tag {tag}", values.len())))
        }
        values => Ok(values),
    };
    let scale = counted(PIXEL_SCALE, |n| n == 2 || n == 3)?;
    let ties = counted(TIE_POINTS, |n| n > 0 && n % 6 == 0)?;
    let matrix = counted(TRANSFORMATION, |n| n == 16)?;
    let tie = ties.and_then(|ties| ties.first_chunk::<6>());
    if let (Some(scale), Some(tie)) = (
        scale.filter(|scale| scale[0] != 0.0 && scale[1] != 0.0),
        tie,
    ) {
        let scale = [scale[0], scale[1], 0.0];
        return Ok(Some(
            GeoTransform::from_tiepoint_and_scale_with_raster_type(tie, &scale, raster),
        ));
    }
    let matrix = matrix.and_then(|matrix| matrix.first_chunk::<16>());
    let transform =
        matrix.map(|m| GeoTransform::from_transformation_matrix_with_raster_type(m, raster));
    Ok(transform.filter(|t| t.geo_to_pixel(t.origin_x, t.origin_y).is_some()))
}
