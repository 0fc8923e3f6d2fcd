//! Conversion of the numbers in a file to heights.

use std::io::{ErrorKind, Read};
use std::path::Path;

use ndarray::Array2;

use super::tokens::FARTHEST_M;
use crate::terrain::encoding::Encoding;
use crate::terrain::{HeightUnit, LoadOptions, TerrainError};

/// Numbers that programs often write for missing data; real heights in metres are never as low or
/// as high.
const MARKS: [f64; 5] = [-9999.0, -32768.0, -32767.0, -99_999.0, 65_535.0];

/// Smallest difference in metres between the height of a number in `MARKS` and the nearest
/// different height at which the number is taken as an undeclared no-data value: real terrain has
/// heights in between.
const FAR_FROM_ALL_M: f32 = 500.0;

/// Conversion of the numbers in a file to heights in metres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Heights {
    /// Numbers in the file that mean no data, as stated by the file and by the user.
    no_data: Vec<f64>,
    scale: f64,
    offset: f64,
}

impl Heights {
    /// Creates the conversion for numbers in the height unit of `options` (`None`: metres); the
    /// no-data value of `options` becomes NaN.
    pub(super) fn new(options: &LoadOptions) -> Self {
        let scale = options.height_unit.map_or(1.0, HeightUnit::metres);
        Self {
            no_data: options.no_data.into_iter().collect(),
            scale,
            offset: 0.0,
        }
    }

    /// Adds `no_data` to the numbers in the file that mean no data.
    pub(super) fn without(mut self, no_data: Option<f64>) -> Self {
        self.no_data.extend(no_data);
        self
    }

    /// Replaces the linear formula of the conversion: height in metres = `number · scale + offset`.
    pub(super) fn scaled(self, scale: f64, offset: f64) -> Self {
        Self {
            scale,
            offset,
            ..self
        }
    }

    /// Replaces the conversion by that of grey levels: level 0 is the height `black_m`, level
    /// `most` the height `white_m`, in metres. Without `white_m`, adjacent levels differ by one
    /// unit of heights.
    pub(super) fn gray(self, black_m: Option<f64>, white_m: Option<f64>, most: f64) -> Self {
        let black_m = black_m.unwrap_or(0.0);
        let level = self.scale;
        self.scaled(
            white_m.map_or(level, |white_m| (white_m - black_m) / most),
            black_m,
        )
    }

    /// Returns the height in metres of the file's number `value`; NaN if the number means no data,
    /// `None` if no height on Earth can be as low or as high.
    pub(super) fn metres(&self, value: f64) -> Option<f32> {
        // Programs print f32 no-data values such as -3.4028235e38 with varying numbers of digits.
        let near =
            |no_data: f64| no_data.is_finite() && (value - no_data).abs() <= 1e-6 * no_data.abs();
        let none = |no_data: &f64| near(*no_data) || value == *no_data;
        if value.is_nan() || self.no_data.iter().any(none) {
            return Some(f32::NAN);
        }
        // Numbers that are metres already keep their bits.
        let metres = if (self.scale, self.offset) == (1.0, 0.0) {
            value
        } else {
            value * self.scale + self.offset
        };
        (metres.abs() <= FARTHEST_M).then_some(metres as f32)
    }

    /// Returns the height in metres of the number `value`, NaN if it means no data. Fails, naming
    /// the binary file `path`, if no height can be as low or as high.
    pub(super) fn convert(&self, value: f64, path: &Path) -> Result<f32, TerrainError> {
        self.metres(value).ok_or_else(|| {
            let expected =
                "heights within ±100 km, or the sign for no data named (no_data, or --no-data)";
            TerrainError::content(path, expected, format!("{value}"))
        })
    }

    /// Fails if `heights` contain a number of `MARKS` that is far from all other heights.
    ///
    /// # Errors
    /// [`TerrainError::UnnamedNoData`] with the number, how often it occurs, and its first cell.
    pub(super) fn check(&self, heights: &Array2<f32>, path: &Path) -> Result<(), TerrainError> {
        let marks = MARKS.map(|mark| self.metres(mark).filter(|height| !height.is_nan()));
        let mut counts = [0usize; MARKS.len()];
        for height in heights {
            marks
                .iter()
                .zip(&mut counts)
                .for_each(|(mark, count)| *count += usize::from(*mark == Some(*height)));
        }
        let found = MARKS
            .iter()
            .zip(marks)
            .zip(counts)
            .filter(|(_, count)| *count > 0);
        for ((value, mark), count) in found {
            let Some(mark) = mark else { continue };
            let is_near = |height: &f32| *height != mark && (height - mark).abs() < FAR_FROM_ALL_M;
            if heights.iter().any(is_near) {
                continue;
            }
            let first = heights
                .indexed_iter()
                .find(|(_, height)| **height == mark)
                .map_or((0, 0), |(at, _)| at);
            let (path, total) = (path.to_owned(), heights.len());
            return Err(TerrainError::UnnamedNoData {
                path,
                value: *value,
                count,
                total,
                first,
            });
        }
        Ok(())
    }

    /// Reads `samples` numbers with the encoding `encoding` from `reader` and returns them as
    /// heights in metres. `path`: file name for messages.
    pub(super) fn read(
        &self,
        reader: &mut impl Read,
        samples: usize,
        encoding: Encoding,
        path: &Path,
    ) -> Result<Vec<f32>, TerrainError> {
        let size = encoding.bytes();
        let mut heights = Vec::with_capacity(samples);
        let mut buffer = vec![0; size * 8192];
        while heights.len() < samples {
            let part = &mut buffer[..size * (samples - heights.len()).min(8192)];
            reader
                .read_exact(part)
                .map_err(|cause| match cause.kind() {
                    ErrorKind::UnexpectedEof => TerrainError::content(
                        path,
                        format!("{samples} heights"),
                        "the end of the file: is it cut short?",
                    ),
                    _ => TerrainError::read(path)(cause),
                })?;
            for bytes in part.chunks_exact(size) {
                heights.push(self.convert(encoding.value(bytes), path)?);
            }
        }
        Ok(heights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_data_is_no_height() {
        let options = LoadOptions {
            no_data: Some(0.0),
            ..LoadOptions::default()
        };
        let heights = Heights::new(&options)
            .without(Some(-3.402_823_466_385_288_6e38))
            .scaled(0.1, 5.0);
        assert!(
            heights.metres(0.0).is_some_and(f32::is_nan)
                && heights.metres(f64::from(f32::MIN)).is_some_and(f32::is_nan)
        );
        assert_eq!(
            (heights.metres(10.0), heights.metres(f64::INFINITY)),
            (Some(6.0), None)
        );
        let endless = Heights::new(&LoadOptions::default()).without(Some(f64::INFINITY));
        assert_eq!(
            (endless.metres(10.0), endless.metres(f64::NEG_INFINITY)),
            (Some(10.0), None)
        );
        assert!(endless.metres(f64::INFINITY).is_some_and(f32::is_nan));
    }
}
