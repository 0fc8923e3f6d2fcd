//! EPSG codes in the form in which scene files and the flag `--crs` state them.

use super::{Crs, MapUnit, numbered};
use crate::map::epsg;

/// EPSG code of a coordinate system whose unit is known; written `EPSG:27200`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Epsg(u16);

impl std::str::FromStr for Epsg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim().to_ascii_uppercase();
        let number = number
            .strip_prefix("EPSG:")
            .unwrap_or(&number)
            .parse::<u16>()
            .ok();
        let known = |&code: &u16| {
            Crs::from_epsg(code).is_some() || epsg::metres_of_projected(code).is_some()
        };
        number.filter(known).map(Self).ok_or_else(|| {
            format!("\"{text}\" must be the EPSG number of a projected system or of one in degrees, such as EPSG:32633")
        })
    }
}

impl TryFrom<String> for Epsg {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Epsg> for String {
    fn from(epsg: Epsg) -> Self {
        epsg.to_string()
    }
}

impl std::fmt::Display for Epsg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EPSG:{}", self.0)
    }
}

impl From<Epsg> for Crs {
    /// Converts an EPSG code to a coordinate system; its well-known text is set if `Crs::from_epsg`
    /// knows the code.
    fn from(Epsg(code): Epsg) -> Self {
        Self::from_epsg(code).unwrap_or_else(|| {
            let metres = epsg::metres_of_projected(code).unwrap_or(1.0);
            Self {
                wkt: None,
                geo_keys: numbered(code, MapUnit::Length(metres)),
            }
        })
    }
}
