//! Numbers as binary files hold them, and the heights that they stand for.

use std::fmt;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::tokens::FARTHEST_M;
use super::{LoadOptions, TerrainError};

/// A type of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Whole, without sign, of so many bytes: 1, 2, 4 or 8.
    Unsigned(u8),
    /// Whole, with sign, of so many bytes: 1, 2, 4 or 8.
    Signed(u8),
    /// With a fraction, of so many bytes: 2, 4 or 8.
    Float(u8),
}

/// How a number is kept in a file, written as `u16`, `i16be`, `f32` …: its type and size in bits, and `be` when the
/// highest byte comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Encoding {
    /// The type of number.
    pub number: Number,
    /// Whether the highest byte comes first.
    pub big_endian: bool,
}

/// What a name of an encoding must look like.
const ENCODINGS: &str =
    "u8, i8, u16, i16, u32, i32, u64, i64, f16, f32 or f64, with \"be\" behind it when the highest byte comes first";

impl FromStr for Encoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, big_endian) = match text.strip_suffix("be") {
            Some(name) => (name, true),
            None => (text.strip_suffix("le").unwrap_or(text), false),
        };
        let number = match name {
            "u8" => Number::Unsigned(1),
            "i8" => Number::Signed(1),
            "u16" => Number::Unsigned(2),
            "i16" => Number::Signed(2),
            "u32" => Number::Unsigned(4),
            "i32" => Number::Signed(4),
            "u64" => Number::Unsigned(8),
            "i64" => Number::Signed(8),
            "f16" => Number::Float(2),
            "f32" => Number::Float(4),
            "f64" => Number::Float(8),
            _ => return Err(format!("\"{text}\" is not {ENCODINGS}")),
        };
        Ok(Self { number, big_endian })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letter, bytes) = match self.number {
            Number::Unsigned(bytes) => ('u', bytes),
            Number::Signed(bytes) => ('i', bytes),
            Number::Float(bytes) => ('f', bytes),
        };
        write!(f, "{letter}{}{}", 8 * bytes, if self.big_endian && bytes > 1 { "be" } else { "" })
    }
}

impl TryFrom<String> for Encoding {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Encoding> for String {
    fn from(encoding: Encoding) -> Self {
        encoding.to_string()
    }
}

impl Encoding {
    pub(super) const U16: Self = Self { number: Number::Unsigned(2), big_endian: false };
    pub(super) const F32: Self = Self { number: Number::Float(4), big_endian: false };
    pub(super) const I16_BE: Self = Self { number: Number::Signed(2), big_endian: true };

    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        let (Number::Unsigned(bytes) | Number::Signed(bytes) | Number::Float(bytes)) = self.number;
        usize::from(bytes)
    }

    /// The largest whole number that fits, for white in a picture; `None` for fractions.
    pub(super) fn most(self) -> Option<f64> {
        match self.number {
            Number::Unsigned(bytes) => Some(2f64.powi(8 * i32::from(bytes)) - 1.0),
            Number::Signed(bytes) => Some(2f64.powi(8 * i32::from(bytes) - 1) - 1.0),
            Number::Float(_) => None,
        }
    }

    /// The number in [`Encoding::bytes`] bytes.
    fn value(self, bytes: &[u8]) -> f64 {
        let mut bits = 0u64;
        for i in 0..bytes.len() {
            let byte = if self.big_endian { bytes[i] } else { bytes[bytes.len() - 1 - i] };
            bits = bits << 8 | u64::from(byte);
        }
        match self.number {
            Number::Unsigned(_) => bits as f64,
            Number::Signed(bytes) => {
                let unused = 64 - 8 * u32::from(bytes);
                ((bits << unused) as i64 >> unused) as f64
            }
            Number::Float(2) => half(bits as u16),
            Number::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Number::Float(_) => f64::from_bits(bits),
        }
    }
}

/// The number in a 16-bit float.
pub(super) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    match i32::from(bits >> 10 & 0x1f) {
        0 => sign * fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

/// From the numbers of a file to heights in metres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Heights {
    /// Numbers that mean no data: the file's own, and what the user names.
    no_data: Vec<f64>,
    scale: f64,
    offset: f64,
}

impl Heights {
    /// Numbers that are metres, with what the user says about no data.
    pub(super) fn new(options: &LoadOptions) -> Self {
        Self { no_data: options.no_data.into_iter().collect(), scale: 1.0, offset: 0.0 }
    }

    /// Another number that means no data.
    pub(super) fn without(mut self, no_data: Option<f64>) -> Self {
        self.no_data.extend(no_data);
        self
    }

    /// Heights are `number · scale + offset` metres.
    pub(super) fn scaled(self, scale: f64, offset: f64) -> Self {
        Self { scale, offset, ..self }
    }

    /// Whole numbers from 0 to `most` as the gray of a picture from `black_m` to `white_m`; one level is a metre where
    /// white is not known.
    pub(super) fn gray(self, black_m: Option<f64>, white_m: Option<f64>, most: f64) -> Self {
        let black_m = black_m.unwrap_or(0.0);
        self.scaled(white_m.map_or(1.0, |white_m| (white_m - black_m) / most), black_m)
    }

    /// The height for a number, NaN for no data; `None` when no height can be so far from zero.
    pub(super) fn metres(&self, value: f64) -> Option<f32> {
        // Programs print f32 no-data values such as -3.4028235e38 with as many digits as they like.
        let near = |no_data: f64| no_data.is_finite() && (value - no_data).abs() <= 1e-6 * no_data.abs();
        let none = |no_data: &f64| near(*no_data) || value == *no_data;
        if value.is_nan() || self.no_data.iter().any(none) {
            return Some(f32::NAN);
        }
        // Numbers that are metres already keep their bits.
        let metres = if (self.scale, self.offset) == (1.0, 0.0) { value } else { value * self.scale + self.offset };
        (metres.abs() <= FARTHEST_M).then_some(metres as f32)
    }

    /// As [`Heights::metres`], with the error for a binary file.
    pub(super) fn of(&self, value: f64, path: &Path) -> Result<f32, TerrainError> {
        self.metres(value).ok_or_else(|| {
            let expected = "heights within ±100 km, or the sign for no data named (no_data, or --no-data)";
            TerrainError::content(path, expected, format!("{value}"))
        })
    }

    /// Reads so many numbers, all in the same encoding.
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
            reader.read_exact(part).map_err(|cause| match cause.kind() {
                ErrorKind::UnexpectedEof => {
                    TerrainError::content(path, format!("{samples} heights"), "the end of the file: is it cut short?")
                }
                _ => TerrainError::read(path)(cause),
            })?;
            for bytes in part.chunks_exact(size) {
                heights.push(self.of(encoding.value(bytes), path)?);
            }
        }
        Ok(heights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_have_names() {
        for name in ["u8", "i8", "u16", "i16be", "u32", "i32be", "u64", "i64be", "f16", "f32be", "f64"] {
            let encoding: Encoding = name.parse().expect("a name");
            assert_eq!(encoding.to_string(), name);
        }
        assert!("u12".parse::<Encoding>().is_err());
    }

    #[test]
    fn numbers_are_taken_apart() {
        let value = |name: &str, bytes: &[u8]| name.parse::<Encoding>().expect("a name").value(bytes);
        assert_eq!(value("i8", &[0xff]), -1.0);
        assert_eq!(value("u16", &[1, 2]), 513.0);
        assert_eq!(value("i16be", &[0x80, 0]), -32768.0);
        assert_eq!(value("i32", &(-7i32).to_le_bytes()), -7.0);
        assert_eq!(value("u64be", &(1u64 << 40).to_be_bytes()), (1u64 << 40) as f64);
        assert_eq!(value("f32be", &1.5f32.to_be_bytes()), 1.5);
        assert_eq!(value("f64", &(-0.1f64).to_le_bytes()), -0.1);
        for (bits, expected) in [(0x3c00, 1.0), (0xc248, -3.140_625), (0x0001, 2f64.powi(-24)), (0x7bff, 65504.0)] {
            assert_eq!(half(bits), expected);
        }
        assert!(half(0x7e00).is_nan() && half(0xfc00) == f64::NEG_INFINITY);
    }

    #[test]
    fn no_data_is_no_height() {
        let options = LoadOptions { no_data: Some(0.0), ..LoadOptions::default() };
        let heights = Heights::new(&options).without(Some(-3.402_823_466_385_288_6e38)).scaled(0.1, 5.0);
        assert!(
            heights.metres(0.0).is_some_and(f32::is_nan)
                && heights.metres(f64::from(f32::MIN)).is_some_and(f32::is_nan)
        );
        assert_eq!((heights.metres(10.0), heights.metres(f64::INFINITY)), (Some(6.0), None));
        let endless = Heights::new(&LoadOptions::default()).without(Some(f64::INFINITY));
        assert_eq!((endless.metres(10.0), endless.metres(f64::NEG_INFINITY)), (Some(10.0), None));
        assert!(endless.metres(f64::INFINITY).is_some_and(f32::is_nan));
    }
}
