//! Table of datums with the EPSG codes of their geographic systems and UTM zones, and the
//! corresponding well-known text.

use super::UNIT_WORDS;
use crate::map::wkt::{Node, plain};

/// Geodetic datum, with the EPSG codes of its geographic system and its UTM zones.
pub(super) struct Datum {
    name: &'static str,
    /// Names of the datum in well-known text, normalized by [`plain`].
    pub(super) datums: &'static [&'static str],
    datum: &'static str,
    pub(super) spheroid: (&'static str, f64, f64),
    pub(super) degrees: u16,
    /// Number to which the number of a northern UTM zone is added to get the zone's EPSG code, and
    /// the numbers of the zones that exist.
    north: (u16, std::ops::RangeInclusive<u16>),
    /// Number to which the number of a southern UTM zone is added to get the zone's EPSG code;
    /// `None` if the datum has no southern zones.
    south: Option<u16>,
}

/// Datums whose geographic system and UTM zones are known by EPSG code.
pub(super) const DATUMS: [Datum; 4] = [
    Datum {
        name: "WGS 84",
        datums: &[
            "wgs1984",
            "dwgs1984",
            "worldgeodeticsystem1984",
            "worldgeodeticsystem1984ensemble",
        ],
        datum: "WGS_1984",
        spheroid: ("WGS 84", 6_378_137.0, 298.257_223_563),
        degrees: 4326,
        north: (32600, 1..=60),
        south: Some(32700),
    },
    Datum {
        name: "ETRS89",
        datums: &["europeanterrestrialreferencesystem1989", "detrs1989"],
        datum: "European_Terrestrial_Reference_System_1989",
        spheroid: ("GRS 1980", 6_378_137.0, 298.257_222_101),
        degrees: 4258,
        north: (25800, 28..=38),
        south: None,
    },
    Datum {
        name: "NAD83",
        datums: &["northamericandatum1983", "dnorthamerican1983"],
        datum: "North_American_Datum_1983",
        spheroid: ("GRS 1980", 6_378_137.0, 298.257_222_101),
        degrees: 4269,
        north: (26900, 1..=23),
        south: None,
    },
    Datum {
        name: "NAD27",
        datums: &["northamericandatum1927", "dnorthamerican1927"],
        datum: "North_American_Datum_1927",
        spheroid: ("Clarke 1866", 6_378_206.4, 294.978_698_213_898),
        degrees: 4267,
        north: (26700, 1..=22),
        south: None,
    },
];

impl Datum {
    /// Returns the EPSG code of the projected system `system` if it is a UTM zone on this datum;
    /// `None` for any other system.
    pub(super) fn utm_of(&self, system: &Node<'_>) -> Option<u16> {
        let method = plain(system.child(&["PROJECTION"])?.texts.first()?);
        let metres = system.child(UNIT_WORDS)?.numbers.first() == Some(&1.0);
        let usual = [
            ("scale_factor", 0.9996),
            ("false_easting", 500_000.0),
            ("latitude_of_origin", 0.0),
        ];
        let as_usual = usual
            .iter()
            .all(|(name, value)| system.parameter(name) == Some(*value));
        if method != "transversemercator" || !metres || !as_usual {
            return None;
        }
        let zone = (system.parameter("central_meridian")? + 183.0) / 6.0;
        let (north, zones) = &self.north;
        if zone.fract() != 0.0 || !(1.0..=60.0).contains(&zone) || !zones.contains(&(zone as u16)) {
            return None;
        }
        match system.parameter("false_northing")? {
            0.0 => Some(north + zone as u16),
            10_000_000.0 => self.south.map(|south| south + zone as u16),
            _ => None,
        }
    }

    /// Returns the well-known text of the geographic system or UTM zone on this datum whose EPSG
    /// code is `code`; `None` if this datum has no such system.
    pub(super) fn wkt_of(&self, code: u16) -> Option<String> {
        let (spheroid, a, inverse_flattening) = self.spheroid;
        let degrees = format!(
            "GEOGCS[\"{}\",DATUM[\"{}\",SPHEROID[\"{spheroid}\",{a:?},{inverse_flattening:?}]],\
             PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.0174532925199433],AUTHORITY[\"EPSG\",\"{}\"]]",
            self.name, self.datum, self.degrees
        );
        if code == self.degrees {
            return Some(degrees);
        }
        let zone_of = |base: u16| {
            code.checked_sub(base)
                .filter(|zone| self.north.1.contains(zone))
        };
        let (zone, hemisphere, false_northing) =
            match (zone_of(self.north.0), self.south.and_then(zone_of)) {
                (Some(zone), _) => (zone, 'N', 0),
                (None, Some(zone)) => (zone, 'S', 10_000_000),
                (None, None) => return None,
            };
        Some(format!(
            "PROJCS[\"{} / UTM zone {zone}{hemisphere}\",{degrees},PROJECTION[\"Transverse_Mercator\"],\
             PARAMETER[\"latitude_of_origin\",0],PARAMETER[\"central_meridian\",{}],PARAMETER[\"scale_factor\",0.9996],\
             PARAMETER[\"false_easting\",500000],PARAMETER[\"false_northing\",{false_northing}],\
             UNIT[\"metre\",1],AUTHORITY[\"EPSG\",\"{code}\"]]",
            self.name,
            6 * i32::from(zone) - 183,
        ))
    }
}
