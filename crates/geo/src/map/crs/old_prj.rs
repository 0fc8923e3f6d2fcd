//! Parser of projections in ArcInfo's format that preceded well-known text: one keyword with its
//! value per line, such as `Units DD`.
//!
//! A geographic system or UTM zone on a known datum is converted to the coordinate system with that
//! EPSG code. For any other projection, only the unit of its coordinates is kept.

use super::{Crs, US_FOOT_M};
use crate::map::wkt::plain;
use lavoxel_base::validate::quoted;

/// Datums of ArcInfo's old format: (name normalised by `plain`, EPSG code of the geographic system,
/// number that plus a northern UTM zone's number is the EPSG code of that zone).
const DATUMS: [(&str, u16, u16); 6] = [
    ("wgs84", 4326, 32600),
    ("wgs1984", 4326, 32600),
    ("nad83", 4269, 26900),
    ("nar", 4269, 26900),
    ("nad27", 4267, 26700),
    ("nas", 4267, 26700),
];

/// Returns true if `text` describes a projection in ArcInfo's old format.
pub(super) fn recognises(text: &str) -> bool {
    value(text, "projection").is_some() && !text.contains(['[', '('])
}

/// Parses the text of a `.prj` file in ArcInfo's old format.
///
/// # Errors
/// The name of a unit that is not known.
pub(super) fn parse(text: &str) -> Result<Crs, String> {
    let projection = plain(value(text, "projection").unwrap_or_default());
    let unit = value(text, "units").unwrap_or_default();
    let datum = plain(value(text, "datum").unwrap_or_default());
    let datum = DATUMS.iter().find(|(name, ..)| *name == datum);
    let unknown = || format!("the units {} of its .prj file", quoted(unit));
    if projection == "geographic" {
        let degrees = degrees(unit).ok_or_else(unknown)?;
        let known = datum
            .filter(|_| degrees == 1.0)
            .and_then(|(_, code, _)| Crs::from_epsg(*code));
        return Ok(known.unwrap_or_else(|| Crs::from_wkt(&geographic(degrees))));
    }
    let metres = metres(unit).ok_or_else(unknown)?;
    let zone = value(text, "zone").and_then(|zone| zone.parse::<u16>().ok());
    let shifted = ["xshift", "yshift"]
        .iter()
        .any(|key| value(text, key).is_some_and(|v| v.parse() != Ok(0.0)));
    let utm = zone
        .zip(datum)
        .filter(|_| projection == "utm" && metres == 1.0 && !shifted);
    let known = utm.and_then(|(zone, (_, _, base))| Crs::from_epsg(base.checked_add(zone)?));
    Ok(known.unwrap_or_else(|| {
        Crs::from_wkt(&format!(
            "LOCAL_CS[\"{projection}\",UNIT[\"unit\",{metres:?}]]"
        ))
    }))
}

/// Returns the text after the keyword `key` in the line of that keyword, ignoring case; `None` if
/// no line has the keyword.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (word, rest) = line.trim().split_once(|c: char| c.is_ascii_whitespace())?;
        word.eq_ignore_ascii_case(key).then(|| rest.trim())
    })
}

fn degrees(unit: &str) -> Option<f64> {
    match plain(unit).as_str() {
        "" | "dd" | "degrees" | "degree" | "decimaldegrees" => Some(1.0),
        "dm" => Some(1.0 / 60.0),
        "ds" => Some(1.0 / 3600.0),
        "radians" => Some(1f64.to_degrees()),
        _ => None,
    }
}

/// Returns the length in metres of the unit `unit`, which is a name or a number of units per metre;
/// `None` for an unknown name and for a number that is not positive.
fn metres(unit: &str) -> Option<f64> {
    match plain(unit).as_str() {
        "" | "meters" | "metres" | "meter" | "metre" | "m" => Some(1.0),
        "feet" | "foot" => Some(US_FOOT_M),
        _ => unit
            .parse::<f64>()
            .ok()
            .map(|per_metre| 1.0 / per_metre)
            .filter(|size| *size > 0.0 && size.is_finite()),
    }
}

fn geographic(degrees: f64) -> String {
    let size = degrees.to_radians();
    format!(
        "GEOGCS[\"unknown\",DATUM[\"unknown\",SPHEROID[\"WGS 84\",6378137.0,298.257223563]],\
         PRIMEM[\"Greenwich\",0],UNIT[\"unit\",{size:?}]]"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::crs::MapUnit;

    fn read(text: &str) -> Result<(Option<u16>, MapUnit), String> {
        assert!(recognises(text), "{text}");
        parse(text).map(|crs| (crs.epsg(), crs.unit()))
    }

    #[test]
    fn units_and_systems_are_found() {
        let degrees = "Projection    GEOGRAPHIC\nDatum         WGS84\nSpheroid      WGS84\nUnits         DD\nParameters\n";
        assert_eq!(read(degrees), Ok((Some(4326), MapUnit::Angle(1.0))));
        let other = degrees
            .replace("Datum         WGS84", "Datum NONE")
            .replace("DD", "DS")
            .to_lowercase();
        assert_eq!(read(&other), Ok((None, MapUnit::Angle(1.0 / 3600.0))));
        let utm = "Projection UTM\r\nZone 33\r\nDatum WGS84\r\nUnits METERS\r\nXshift 0.0\r\nYshift 0\r\nParameters\r\n";
        assert_eq!(read(utm), Ok((Some(32633), MapUnit::Length(1.0))));
        assert_eq!(
            read(&utm.replace("Yshift 0", "Yshift 1e7")),
            Ok((None, MapUnit::Length(1.0)))
        );
        assert_eq!(
            read("Projection STATEPLANE\nUnits FEET\n"),
            Ok((None, MapUnit::Length(US_FOOT_M)))
        );
        assert_eq!(
            read("Projection ALBERS\nUnits 0.001\n"),
            Ok((None, MapUnit::Length(1000.0)))
        );
        for wrong in [
            "Projection GEOGRAPHIC\nUnits DMS",
            "Projection UTM\nUnits SMOOTS",
            "Projection UTM\nUnits -2",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(!recognises("PROJCS[\"Projection x\"]") && !recognises("words"));
    }
}
