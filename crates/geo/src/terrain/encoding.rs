//! Encodings of numbers in binary files: type, size and byte order.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Type of a number in a binary file: unsigned, signed or floating point, with its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Unsigned integer; the number is its size in bytes: 1, 2, 4 or 8.
    Unsigned(u8),
    /// Signed integer; the number is its size in bytes: 1, 2, 4 or 8.
    Signed(u8),
    /// IEEE 754 float; the number is its size in bytes: 2, 4 or 8.
    Float(u8),
}

/// Encoding of a number in a binary file. Written as text, it is type and size in bits, with `be`
/// for big-endian: `u16`, `i16be`, `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Encoding {
    /// Type of the encoded number, with its size.
    pub number: Number,
    /// Set if the most significant byte of the encoded number comes first.
    pub big_endian: bool,
}

/// List of the names of all encodings, for messages.
const ENCODINGS: &str = "u8, i8, u16, i16, u32, i32, u64, i64, f16, f32 or f64, with \"be\" behind it when the highest byte comes first";

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
        write!(
            f,
            "{letter}{}{}",
            8 * bytes,
            if self.big_endian && bytes > 1 {
                "be"
            } else {
                ""
            }
        )
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
    pub(super) const U16: Self = Self {
        number: Number::Unsigned(2),
        big_endian: false,
    };
    pub(super) const F32: Self = Self {
        number: Number::Float(4),
        big_endian: false,
    };
    pub(super) const I16_BE: Self = Self {
        number: Number::Signed(2),
        big_endian: true,
    };

    /// Returns the size of an encoded number in bytes.
    pub fn bytes(self) -> usize {
        let (Number::Unsigned(bytes) | Number::Signed(bytes) | Number::Float(bytes)) = self.number;
        usize::from(bytes)
    }

    /// Returns the largest value of an integer type, which is white in a grey-scale image; `None`
    /// for floats.
    pub(super) fn most(self) -> Option<f64> {
        match self.number {
            Number::Unsigned(bytes) => Some(2f64.powi(8 * i32::from(bytes)) - 1.0),
            Number::Signed(bytes) => Some(2f64.powi(8 * i32::from(bytes) - 1) - 1.0),
            Number::Float(_) => None,
        }
    }

    /// Decodes a number from `bytes`; their count must be that of `Encoding::bytes`.
    pub(super) fn value(self, bytes: &[u8]) -> f64 {
        let mut bits = 0u64;
        for i in 0..bytes.len() {
            let byte = if self.big_endian {
                bytes[i]
            } else {
                bytes[bytes.len() - 1 - i]
            };
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

/// Converts the bits of an IEEE 754 half-precision float to `f64`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_have_names() {
        for name in [
            "u8", "i8", "u16", "i16be", "u32", "i32be", "u64", "i64be", "f16", "f32be", "f64",
        ] {
            let encoding: Encoding = name.parse().expect("a name");
            assert_eq!(encoding.to_string(), name);
        }
        assert!("u12".parse::<Encoding>().is_err());
    }

    #[test]
    fn numbers_are_taken_apart() {
        let value =
            |name: &str, bytes: &[u8]| name.parse::<Encoding>().expect("a name").value(bytes);
        assert_eq!(value("i8", &[0xff]), -1.0);
        assert_eq!(value("u16", &[1, 2]), 513.0);
        assert_eq!(value("i16be", &[0x80, 0]), -32768.0);
        assert_eq!(value("i32", &(-7i32).to_le_bytes()), -7.0);
        assert_eq!(
            value("u64be", &(1u64 << 40).to_be_bytes()),
            (1u64 << 40) as f64
        );
        assert_eq!(value("f32be", &1.5f32.to_be_bytes()), 1.5);
        assert_eq!(value("f64", &(-0.1f64).to_le_bytes()), -0.1);
        for (bits, expected) in [
            (0x3c00, 1.0),
            (0xc248, -3.140_625),
            (0x0001, 2f64.powi(-24)),
            (0x7bff, 65504.0),
        ] {
            assert_eq!(half(bits), expected);
        }
        assert!(half(0x7e00).is_nan() && half(0xfc00) == f64::NEG_INFINITY);
    }
}
