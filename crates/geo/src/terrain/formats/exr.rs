//! Reader of heights in a picture of floats (`.exr`), as terrain programs write them: 16 or 32 bits,
//! one channel, or gray in red, green and blue.
//!
//! The numbers are metres, or another unit that the user names; with a height of white they are
//! shares from black (0) to white (1). Numbers between 0 and 1 may be either, and are refused
//! unless the user says one. The first row is north; where there is opacity, what is more than half
//! transparent has no data.

use std::path::Path;

use ::exr::image::FlatSamples;
use ::exr::meta::MetaData;
use ::exr::prelude::{self as picture, ReadChannels, ReadLayers};
use ndarray::Array2;

use super::geotiff::placed;
use super::read::{LoadOptions, bytes_of};
use super::samples::Heights;
use super::sidecar::Sidecars;
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Heightmap, TerrainError};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::quoted;

/// First bytes of a file.
pub(super) const MAGIC: &[u8] = &[0x76, 0x2f, 0x31, 0x01];

/// Names of a channel with heights, in the order of preference.
const NAMES: [&str; 5] = ["Y", "Z", "height", "Height", "R"];

/// Reads a picture of floats as heights.
///
/// # Errors
/// [`TerrainError::NoCellSize`] without a cell size or a world file; [`TerrainError::Content`] for a
/// coloured picture, and for numbers between 0 and 1 that may be metres or shares.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let wrong = |error: &dyn std::fmt::Display| {
        TerrainError::content(path, "a picture in OpenEXR", error.to_string())
    };
    let bytes = bytes_of(path)?;
    let meta = MetaData::read_from_buffered(&bytes[..], false).map_err(|error| wrong(&error))?;
    let header = meta.headers.first().ok_or_else(|| wrong(&"no picture"))?;
    let (cols, rows) = (header.layer_size.0, header.layer_size.1);
    let samples = checked_samples(path, (cols, rows), u64::MAX, 0.0)?;
    let channels = header.channels.list.len();
    MemoryEstimate::new("the channels of the picture", samples * channels, 4.0)
        .check("save it with one channel")
        .map_err(TerrainError::memory(path))?;
    let image = picture::read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .from_buffered(std::io::Cursor::new(&bytes))
        .map_err(|error| wrong(&error))?;
    let list = &image.layer_data.channel_data.list;
    let named = |name: &str| list.iter().find(|channel| channel.name.eq(name));
    let only = || list.first().filter(|_| list.len() == 1);
    let heights_of = only().or_else(|| NAMES.iter().find_map(|name| named(name)));
    let heights_of = heights_of.ok_or_else(|| {
        let names: Vec<String> = list
            .iter()
            .map(|channel| channel.name.to_string())
            .collect();
        let expected = "one channel, or one that is called Y, Z, height or R";
        TerrainError::content(path, expected, quoted(&names.join(", ")))
    })?;
    let number = |data: &FlatSamples, k: usize| f64::from(data.value_by_flat_index(k).to_f32());
    let data = &heights_of.sample_data;
    let grays: Vec<_> = ["G", "B"]
        .iter()
        .filter(|_| heights_of.name.eq("R"))
        .filter_map(|name| named(name))
        .collect();
    let same = |other: f64, value: f64| other == value || other.is_nan() && value.is_nan();
    if grays
        .iter()
        .any(|gray| (0..samples).any(|k| !same(number(&gray.sample_data, k), number(data, k))))
    {
        let found = "colours; save one channel, or gray";
        return Err(TerrainError::content(path, "gray heights", found));
    }
    let range = (0..samples)
        .map(|k| number(data, k))
        .filter(|value| value.is_finite());
    let (low, high) = range.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let is_said = options.white_m.is_some() || options.height_unit.is_some() || options.any_unit;
    if !is_said && low >= 0.0 && high <= 1.0 {
        let found = "numbers between 0 and 1; say the height of white (white_m, or --white) for shares, or the unit (height_unit = \
                     \"m\", or --height-unit m) for heights";
        return Err(TerrainError::content(path, "heights", found));
    }
    let values = match options.white_m {
        Some(_) => Heights::new(options).gray(options.black_m, options.white_m, 1.0),
        None => Heights::new(options),
    };
    let alpha = named("A").filter(|_| list.len() > 1);
    let is_clear = |k: usize| alpha.is_some_and(|alpha| number(&alpha.sample_data, k) < 0.5);
    let mut heights = Vec::with_capacity(samples);
    for k in 0..samples {
        let value = if is_clear(k) {
            f64::NAN
        } else {
            number(data, k)
        };
        heights.push(values.convert(value, path)?);
    }
    let mut heights = Array2::from_shape_vec((rows, cols), heights).expect("one height per pixel");
    let sidecars = Sidecars::read(path)?;
    sidecars.hide(&mut heights, path)?;
    values.check(&heights, path)?;
    let (transform, _) = sidecars.place(None);
    if transform.is_some() && options.cell_size_m.is_none() {
        let crs = options.understood(path, sidecars.system(Crs::default()))?;
        return placed(heights, transform, crs, path, options);
    }
    let size = options.cell_size_for(path)?;
    Ok(Heightmap {
        heights,
        cell_size_m: (size, size),
        origin: None,
        notes: Vec::new(),
    })
}
