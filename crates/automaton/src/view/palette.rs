//! Palettes that map a value to a colour, by name or from a list of colours.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use lavoxel_base::param::{Form, Value, table};
use lavoxel_base::validate::Invalid;

/// Names of the built-in palettes, accepted by [`PaletteSpec::Name`].
pub const PALETTE_NAMES: [&str; 5] = ["inferno", "viridis", "turbo", "gray", "lava"];

table! {
    /// Colour at a position of a palette.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Stop {
        /// Position of the colour on the scale of the palette; rises from stop to stop.
        must pub at: f32;
        /// sRGB colour as `#rrggbb`.
        must pub color: String;
    }
}

/// Palette as written in a scene file: `"inferno"`, or a list of `{ at, color }`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum PaletteSpec {
    /// Built-in palette with one of the names in [`PALETTE_NAMES`].
    Name(String),
    /// At least two stops with rising positions; colours between them are interpolated in sRGB.
    Stops(Vec<Stop>),
}

impl Value for PaletteSpec {
    fn form() -> Form {
        Form::Either(vec![
            Form::Words(PALETTE_NAMES.to_vec()),
            Vec::<Stop>::form(),
        ])
    }
}

struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = PaletteSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {PALETTE_NAMES:?}, or a list of {{ at, color }}")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<PaletteSpec, E> {
        Ok(PaletteSpec::Name(name.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<PaletteSpec, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(PaletteSpec::Stops)
    }
}

impl<'de> Deserialize<'de> for PaletteSpec {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Written)
    }
}

/// Palette as a table of 256 sRGB colours at equal distances from position 0 to position 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    colors: Vec<[f32; 3]>,
}

impl PaletteSpec {
    /// Creates the palette that this value of a scene describes; `key` is the name of the key in
    /// messages.
    ///
    /// # Errors
    /// If the name is unknown, a colour is not `#rrggbb`, or there are fewer than two stops or
    /// their positions do not rise.
    pub fn build(&self, key: &str) -> Result<Palette, Invalid> {
        match self {
            Self::Name(name) => Palette::named(name)
                .ok_or_else(|| Invalid::new(key, name, format!("one of {PALETTE_NAMES:?}"))),
            Self::Stops(stops) => from_stops(stops, key),
        }
    }
}

impl Palette {
    /// Returns the built-in palette called `name`; `None` if no built-in palette has this name.
    pub fn named(name: &str) -> Option<Self> {
        let curve: fn(f32) -> [f32; 3] = match name {
            "inferno" => |t| polynomial(&INFERNO, t),
            "viridis" => |t| polynomial(&VIRIDIS, t),
            "turbo" => |t| polynomial(&TURBO, t),
            "gray" => |t| [t; 3],
            "lava" => |t| between(&LAVA, t),
            _ => return None,
        };
        Some(Self::sampled(curve))
    }

    /// Creates a palette from `curve`, which returns the sRGB colour (channels 0–1) at a position
    /// from 0 to 1.
    pub fn sampled(curve: impl Fn(f32) -> [f32; 3]) -> Self {
        Self {
            colors: (0..256).map(|i| curve(i as f32 / 255.0)).collect(),
        }
    }

    /// Returns the colour at position `t` (0–1) as 8-bit sRGB.
    pub fn srgb(&self, t: f32) -> [u8; 3] {
        self.at(t).map(|c| (c * 255.0 + 0.5) as u8)
    }

    /// Returns the colour at position `t` (0–1) as linear RGB, interpolated between the entries of
    /// the table.
    pub fn linear(&self, t: f32) -> [f32; 3] {
        self.at(t).map(srgb_to_linear)
    }

    fn at(&self, t: f32) -> [f32; 3] {
        let position = t.clamp(0.0, 1.0) * 255.0;
        let i = (position as usize).min(254);
        let (a, b, f) = (self.colors[i], self.colors[i + 1], position - i as f32);
        std::array::from_fn(|k| a[k] + (b[k] - a[k]) * f)
    }
}

/// Coefficients of the polynomial that approximates a palette: outer axis power of the position
/// (0–6), inner axis red, green, blue.
type Coefficients = [[f32; 3]; 7];

// Fits to the published maps (matplotlib's inferno and viridis, Google's turbo), exact to about one
// per cent.
const INFERNO: Coefficients = [
    [0.000_219, 0.001_651, -0.019_481],
    [0.106_513, 0.563_956, 3.932_712],
    [11.602_49, -3.972_854, -15.942_39],
    [-41.704, 17.436_4, 44.354_15],
    [77.162_94, -33.402_36, -81.807_31],
    [-71.319_43, 32.626_06, 73.209_52],
    [25.131_13, -12.242_67, -23.070_33],
];
const VIRIDIS: Coefficients = [
    [0.277_727, 0.005_407, 0.334_1],
    [0.105_093, 1.404_614, 1.384_59],
    [-0.330_862, 0.214_848, 0.095_095],
    [-4.634_23, -5.799_101, -19.332_44],
    [6.228_27, 14.179_93, 56.690_55],
    [4.776_385, -13.745_15, -65.353_03],
    [-5.435_456, 4.645_853, 26.312_44],
];
const TURBO: Coefficients = [
    [0.135_721, 0.091_403, 0.106_673],
    [4.615_393, 2.194_188, 12.641_95],
    [-42.660_32, 4.842_967, -60.582_05],
    [132.131_1, -14.185_03, 110.362_8],
    [-152.942_4, 4.277_299, -89.903_11],
    [59.286_38, 2.829_566, 27.348_25],
    [0.0; 3],
];
// Chosen by eye.
const LAVA: [(f32, [f32; 3]); 7] = [
    // Not black: thin matter still has the colour of its emission.
    (0.0, [0.26, 0.03, 0.06]),
    (0.2, [0.48, 0.04, 0.05]),
    (0.42, [0.76, 0.12, 0.03]),
    (0.6, [0.93, 0.30, 0.03]),
    (0.78, [1.0, 0.60, 0.10]),
    (0.92, [1.0, 0.88, 0.42]),
    (1.0, [1.0, 0.98, 0.82]),
];

fn polynomial(coefficients: &Coefficients, t: f32) -> [f32; 3] {
    std::array::from_fn(|k| {
        coefficients
            .iter()
            .rev()
            .fold(0.0, |sum, c| sum * t + c[k])
            .clamp(0.0, 1.0)
    })
}

/// Interpolates the colour at position `t` linearly between `stops` (position and sRGB colour, with
/// rising positions). Before the first and after the last stop, returns the colour of that stop.
fn between(stops: &[(f32, [f32; 3])], t: f32) -> [f32; 3] {
    let upper = stops
        .partition_point(|s| s.0 <= t)
        .clamp(1, stops.len() - 1);
    let ((from, a), (to, b)) = (stops[upper - 1], stops[upper]);
    let f = ((t - from) / (to - from)).clamp(0.0, 1.0);
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * f)
}

fn from_stops(stops: &[Stop], key: &str) -> Result<Palette, Invalid> {
    if stops.len() < 2 {
        return Err(Invalid::new(
            key,
            format!("{} stops", stops.len()),
            "at least two stops",
        ));
    }
    if let Some(pair) = stops
        .windows(2)
        .find(|pair| !matches!((pair[0].at, pair[1].at), (a, b) if a < b))
    {
        return Err(Invalid::new(
            key,
            pair[1].at,
            "positions that rise from stop to stop",
        ));
    }
    let parsed = stops
        .iter()
        .map(|s| Ok((s.at, hex(&s.color, key)?)))
        .collect::<Result<Vec<_>, Invalid>>()?;
    Ok(Palette::sampled(|t| between(&parsed, t)))
}

/// Returns the sRGB channels (0–1) of a colour written as `#rrggbb`; `key` is the name of the key
/// in the error message.
pub(super) fn hex(color: &str, key: &str) -> Result<[f32; 3], Invalid> {
    let wrong = || Invalid::new(key, color, "a colour such as #ff8800");
    let digits = color
        .strip_prefix('#')
        .filter(|d| d.len() == 6)
        .ok_or_else(wrong)?;
    let value = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
    Ok([16, 8, 0].map(|shift| ((value >> shift) & 255) as f32 / 255.0))
}

/// Converts an sRGB channel value (0–1) to linear light.
pub fn srgb_to_linear(c: f32) -> f32 {
    if c <= 0.040_45 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}

/// Converts a linear light value (0–1) to an sRGB channel value.
pub fn linear_to_srgb(c: f32) -> f32 {
    if c <= 0.003_130_8 {
        12.92 * c
    } else {
        1.055 * c.powf(1.0 / 2.4) - 0.055
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_ends_of_the_published_maps() {
        let near = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 8);
        let viridis = Palette::named("viridis").expect("a known name");
        assert!(near(viridis.srgb(0.0), [68, 1, 84]) && near(viridis.srgb(1.0), [253, 231, 37]));
        let inferno = Palette::named("inferno").expect("a known name");
        assert!(near(inferno.srgb(0.0), [0, 0, 4]) && near(inferno.srgb(0.5), [188, 55, 84]));
    }

    #[test]
    fn every_name_builds_and_others_do_not() {
        assert!(
            PALETTE_NAMES
                .iter()
                .all(|name| Palette::named(name).is_some())
        );
        assert!(
            PaletteSpec::Name("jet".into())
                .build("look.palette")
                .is_err()
        );
    }

    #[test]
    fn stops_are_checked_and_interpolated() {
        let stop = |at, color: &str| Stop {
            at,
            color: color.into(),
        };
        let ramp = PaletteSpec::Stops(vec![stop(0.0, "#000000"), stop(1.0, "#ff8000")])
            .build("p")
            .expect("valid");
        assert_eq!(ramp.srgb(0.5), [128, 64, 0]);
        assert!(
            PaletteSpec::Stops(vec![stop(1.0, "#000000"), stop(0.0, "#ffffff")])
                .build("p")
                .is_err()
        );
        assert!(
            PaletteSpec::Stops(vec![stop(0.0, "red"), stop(1.0, "#ffffff")])
                .build("p")
                .is_err()
        );
    }
}
