//! Coordinate reference system of a map, as well-known text (WKT) and as GeoTIFF keys.

mod datum;
mod number;
mod old_prj;

use datum::DATUMS;
pub use number::Epsg;

use serde::{Deserialize, Serialize};

use super::wkt::{Node, plain};
use super::{epsg, registry};

/// Value of a GeoTIFF key: number, list of numbers or text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GeoKey {
    /// Single unsigned 16-bit number; stored in the directory of GeoTIFF keys itself.
    Short(u16),
    /// Floating-point numbers; stored in the tag of the GeoTIFF that holds all floating-point
    /// values of keys.
    Doubles(Vec<f64>),
    /// Text; stored in the tag of the GeoTIFF that holds all texts of keys.
    Text(String),
}

/// Coordinate reference system of a map, as well-known text, as GeoTIFF keys, or both. Without
/// either, the system is unknown, and coordinates count as metres.
///
/// Each part can be converted into the other's form: [`Crs::to_wkt`] for a `.prj` file,
/// [`Crs::to_geo_keys`] for a GeoTIFF.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Crs {
    /// Well-known text of the coordinate system; `None` if the file had none.
    pub wkt: Option<String>,
    /// GeoTIFF keys of the horizontal system as pairs (id, value), by ascending id; empty if the
    /// file had none. Left out are the key 1025, which describes the raster of the file, and the
    /// keys of heights (4096 to 4099), because heights are in metres here.
    pub geo_keys: Vec<(u16, GeoKey)>,
}

/// Unit of a map's coordinates: a length, or an angle for longitude and latitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MapUnit {
    /// Unit of length; the number is the length of the unit in metres.
    Length(f64),
    /// Unit of longitude and latitude; the number is the size of the unit in degrees.
    Angle(f64),
}

/// Id of the GeoTIFF key for the type of coordinate system (`GTModelTypeGeoKey`).
const MODEL: u16 = 1024;
/// Id of the GeoTIFF key that says if pixels are areas or points (`GTRasterTypeGeoKey`).
const RASTER: u16 = 1025;
/// Id of the GeoTIFF key for the EPSG code of the geographic system (`GeodeticCRSGeoKey`).
const GEODETIC: u16 = 2048;
/// Id of the GeoTIFF key for the EPSG code of the unit of angles (`GeogAngularUnitsGeoKey`).
const ANGLE_UNIT: u16 = 2054;
/// Id of the GeoTIFF key for the size of a user-defined unit of angles
/// (`GeogAngularUnitSizeGeoKey`).
const ANGLE_UNIT_SIZE: u16 = 2055;
/// Id of the GeoTIFF key for the EPSG code of the projected system (`ProjectedCRSGeoKey`).
const PROJECTED: u16 = 3072;
/// Id of the GeoTIFF key for the description of the projected system (`ProjectedCitationGeoKey`).
const PROJECTED_CITATION: u16 = 3073;
/// Id of the GeoTIFF key for the EPSG code of the unit of lengths (`ProjLinearUnitsGeoKey`).
const LENGTH_UNIT: u16 = 3076;
/// Id of the GeoTIFF key for the size of a user-defined unit of lengths
/// (`ProjLinearUnitSizeGeoKey`).
const LENGTH_UNIT_SIZE: u16 = 3077;
/// Range of ids of the GeoTIFF keys that describe heights.
const VERTICAL: std::ops::RangeInclusive<u16> = 4096..=4099;
/// Id of the GeoTIFF key for the EPSG code of the vertical system (`VerticalGeoKey`).
const VERTICAL_SYSTEM: u16 = 4096;
/// Id of the GeoTIFF key for the EPSG code of the unit of heights (`VerticalUnitsGeoKey`).
const VERTICAL_UNIT: u16 = 4099;

/// Value of a GeoTIFF key which means that other keys describe the system.
const USER_DEFINED: u16 = 32767;

/// Prefix of the well-known text that GDAL and ArcGIS store in the citation key of a GeoTIFF whose
/// system has no EPSG code.
const WKT_IN_CITATION: &str = "ESRI PE String = ";

/// WKT keywords of systems whose coordinates are lengths, including local systems without a
/// position on the earth.
const PROJECTED_WORDS: &[&str] = &[
    "PROJCS",
    "PROJCRS",
    "PROJECTEDCRS",
    "LOCAL_CS",
    "ENGCRS",
    "ENGINEERINGCRS",
];
/// WKT keywords of systems whose coordinates are longitude and latitude.
const GEOGRAPHIC_WORDS: &[&str] = &[
    "GEOGCS",
    "GEOGCRS",
    "GEOGRAPHICCRS",
    "GEODCRS",
    "GEODETICCRS",
];
/// Keywords of nodes in well-known text that state a unit.
const UNIT_WORDS: &[&str] = &["UNIT", "LENGTHUNIT", "ANGLEUNIT"];

/// Length of a US survey foot in metres.
pub(super) const US_FOOT_M: f64 = 1200.0 / 3937.0;

impl Crs {
    /// Creates the system from `text`, the content of a `.prj` file: well-known text, or ArcInfo's
    /// old format. [`Crs::known_unit`] fails if the text was not understood.
    pub fn from_wkt(text: &str) -> Self {
        let text = text.trim();
        if let Some(Ok(crs)) = old_prj::recognises(text).then(|| old_prj::parse(text)) {
            return crs;
        }
        Self {
            wkt: (!text.is_empty()).then(|| text.to_owned()),
            geo_keys: Vec::new(),
        }
    }

    /// Creates the system from the keys (id, value) of a GeoTIFF; keys that do not describe the
    /// horizontal system are dropped.
    pub fn from_geo_keys(keys: impl IntoIterator<Item = (u16, GeoKey)>) -> Self {
        let geo_keys = keys
            .into_iter()
            .filter(|(id, _)| *id != RASTER && !VERTICAL.contains(id))
            .collect();
        Self {
            wkt: None,
            geo_keys,
        }
    }

    /// Creates the system with the EPSG code `code`: longitude and latitude, or UTM zones, on WGS
    /// 84, ETRS89, NAD83 and NAD27. `None` for any other code.
    pub fn from_epsg(code: u16) -> Option<Self> {
        let wkt = DATUMS.iter().find_map(|datum| datum.wkt_of(code))?;
        let unit = if is_degrees(code) {
            MapUnit::Angle(1.0)
        } else {
            MapUnit::Length(1.0)
        };
        Some(Self {
            wkt: Some(wkt),
            geo_keys: numbered(code, unit),
        })
    }

    /// Returns the name of the system, such as `WGS 84 / UTM zone 33N`: the first name in its
    /// well-known text. `None` if the system is unknown or the name is a placeholder.
    pub fn name(&self) -> Option<String> {
        let text = self.to_wkt()?;
        text.split('"')
            .nth(1)
            .filter(|name| !["", "unnamed", "unknown"].contains(name))
            .map(str::to_owned)
    }

    /// Returns the EPSG code of the system, if the file states a code or the system is one of
    /// [`Crs::from_epsg`]; otherwise `None`.
    pub fn epsg(&self) -> Option<u16> {
        let from_keys = || match self.short(MODEL)? {
            1 => self.number(PROJECTED),
            2 => self.number(GEODETIC),
            _ => None,
        };
        from_keys().or_else(|| epsg_of(horizontal(&self.root()?)?))
    }

    /// Returns true if this system and `other` have the same EPSG code or, if a code is missing in
    /// either, the same well-known text.
    pub fn is_same(&self, other: &Self) -> bool {
        let by_words =
            || self == other || (self.to_wkt().is_some() && self.to_wkt() == other.to_wkt());
        self.epsg()
            .zip(other.epsg())
            .map(|(a, b)| a == b)
            .unwrap_or_else(by_words)
    }

    /// Returns true if the coordinates of the system are longitude and latitude.
    pub fn is_geographic(&self) -> bool {
        matches!(self.unit(), MapUnit::Angle(_))
    }

    /// Returns the unit of the coordinates; metres if the unit is missing or unknown.
    pub fn unit(&self) -> MapUnit {
        self.known_unit().unwrap_or(MapUnit::Length(1.0))
    }

    /// Returns the unit of the coordinates; metres if the unit is missing.
    ///
    /// # Errors
    /// The name of a unit that is not known.
    pub fn known_unit(&self) -> Result<MapUnit, String> {
        let model =
            self.short(MODEL)
                .or_else(|| match (self.number(PROJECTED), self.number(GEODETIC)) {
                    (Some(_), _) => Some(1),
                    (None, Some(_)) => Some(2),
                    (None, None) => None,
                });
        match model {
            Some(1) => self.length_from_keys(),
            Some(2) => self.angle_from_keys(),
            Some(3) => Err("coordinates from the centre of the earth".to_owned()),
            _ => self.unit_from_wkt().unwrap_or(Ok(MapUnit::Length(1.0))),
        }
    }

    /// Returns the well-known text of the system: the text in the file or, if the file had none,
    /// the text that belongs to the system's EPSG code. `None` for an unknown system.
    pub fn to_wkt(&self) -> Option<String> {
        self.text().map(str::to_owned).or_else(|| {
            let code = self.epsg()?;
            Self::from_epsg(code)
                .and_then(|crs| crs.wkt)
                .or_else(|| self.registered(code))
        })
    }

    /// Returns the well-known text of the system with the EPSG code `code`; `None` if the code is
    /// unknown, or if that text has another unit than `self`.
    fn registered(&self, code: u16) -> Option<String> {
        let text = registry::text_of(code)?;
        let is_that = match (
            Node::parse(text)
                .as_ref()
                .and_then(horizontal)
                .map(unit_of)?,
            self.unit(),
        ) {
            (MapUnit::Length(known), MapUnit::Length(here)) => (known / here - 1.0).abs() < 1e-6,
            (known, here) => known == here,
        };
        is_that.then(|| text.to_owned())
    }

    /// Returns the GeoTIFF keys of the system as pairs (id, value), by ascending id: the keys in
    /// the file, or keys converted from the well-known text; without the key 1025, which describes
    /// the raster. Empty for an unknown system.
    pub fn to_geo_keys(&self) -> Vec<(u16, GeoKey)> {
        let mut keys = match (&self.geo_keys[..], self.epsg(), &self.wkt) {
            ([_, ..], ..) => self.geo_keys.clone(),
            ([], Some(code), _) => numbered(code, self.unit()),
            ([], None, Some(wkt))
                if self.root().is_some() && wkt.is_ascii() && !wkt.contains('|') =>
            {
                described(wkt)
            }
            _ => Vec::new(),
        };
        keys.sort_by_key(|(id, _)| *id);
        keys
    }

    fn key(&self, id: u16) -> Option<&GeoKey> {
        self.geo_keys
            .iter()
            .find(|(key, _)| *key == id)
            .map(|(_, value)| value)
    }

    fn short(&self, id: u16) -> Option<u16> {
        match self.key(id) {
            Some(GeoKey::Short(value)) => Some(*value),
            _ => None,
        }
    }

    fn double(&self, id: u16) -> Option<f64> {
        match self.key(id) {
            Some(GeoKey::Doubles(values)) => values
                .first()
                .copied()
                .filter(|v| *v > 0.0 && v.is_finite()),
            _ => None,
        }
    }

    /// Returns the EPSG code stored under the key `id`; `None` if the key is missing or says
    /// "user-defined".
    fn number(&self, id: u16) -> Option<u16> {
        self.short(id)
            .filter(|code| ![0, USER_DEFINED].contains(code))
    }

    fn length_from_keys(&self) -> Result<MapUnit, String> {
        let size = match (
            self.double(LENGTH_UNIT_SIZE),
            self.number(LENGTH_UNIT),
            self.number(PROJECTED),
        ) {
            (Some(size), ..) => Ok(size),
            (None, Some(code), _) => {
                epsg::metres(code).ok_or_else(|| format!("the unit of length EPSG:{code}"))
            }
            (None, None, Some(code)) => match self.unit_from_wkt() {
                Some(unit) => return unit,
                None => epsg::metres_of_projected(code)
                    .ok_or_else(|| format!("the projected system EPSG:{code}")),
            },
            // A system of other keys has the unit that GeoTIFF expects.
            (None, None, None) => return self.unit_from_wkt().unwrap_or(Ok(MapUnit::Length(1.0))),
        };
        size.map(MapUnit::Length)
    }

    fn angle_from_keys(&self) -> Result<MapUnit, String> {
        let size = match (
            self.number(ANGLE_UNIT),
            self.double(ANGLE_UNIT_SIZE),
            self.number(GEODETIC),
        ) {
            (Some(code), size, _) => epsg::degrees(code)
                .or_else(|| size.map(f64::to_degrees))
                .ok_or_else(|| format!("the unit of angle EPSG:{code}")),
            (None, Some(size), _) => Ok(size.to_degrees()),
            (None, None, code) => Ok(code.map_or(1.0, epsg::degrees_of_geographic)),
        };
        size.map(MapUnit::Angle)
    }

    /// Returns the unit of coordinates that the well-known text states; `None` if the system has no
    /// text, an error with the unit's name if that unit is not known.
    fn unit_from_wkt(&self) -> Option<Result<MapUnit, String>> {
        let text = self.text()?;
        if old_prj::recognises(text) {
            return Some(old_prj::parse(text).map(|crs| crs.unit()));
        }
        let root = Node::parse(text);
        let system = root.as_ref().and_then(horizontal);
        Some(
            system
                .map(unit_of)
                .ok_or_else(|| "a projection that is no well-known text".to_owned()),
        )
    }

    /// Returns the well-known text of the system, from the file's text or from the citation key;
    /// `None` if there is none.
    fn text(&self) -> Option<&str> {
        let in_citation = || match self.key(PROJECTED_CITATION)? {
            GeoKey::Text(text) => text.strip_prefix(WKT_IN_CITATION),
            _ => None,
        };
        self.wkt.as_deref().or_else(in_citation)
    }

    fn root(&self) -> Option<Node<'_>> {
        Node::parse(self.text()?)
    }
}

/// Returns the unit of coordinates of `system`, the node of a projected or geographic system in
/// well-known text.
fn unit_of(system: &Node<'_>) -> MapUnit {
    let in_axis = || {
        system
            .child(&["AXIS"])
            .and_then(|axis| axis.child(UNIT_WORDS))
    };
    let unit = system.child(UNIT_WORDS).or_else(in_axis);
    let size = unit
        .and_then(|unit| unit.numbers.first().copied())
        .filter(|size| *size > 0.0 && size.is_finite());
    if system.is(GEOGRAPHIC_WORDS) {
        // Texts round the radians of a degree in many ways, which is no other unit.
        let degrees = size.map_or(1.0, f64::to_degrees);
        MapUnit::Angle(if (degrees - 1.0).abs() < 1e-6 {
            1.0
        } else {
            degrees
        })
    } else {
        MapUnit::Length(size.unwrap_or(1.0))
    }
}

/// Returns the length of the unit of heights in metres, from the keys (id, value) of a GeoTIFF;
/// `None` if the keys state no unit of heights.
///
/// # Errors
/// The name of a unit that is not known.
pub(crate) fn vertical_metres(keys: &[(u16, GeoKey)]) -> Result<Option<f64>, String> {
    let keys = Crs {
        geo_keys: keys.to_vec(),
        ..Crs::default()
    };
    match keys.number(VERTICAL_UNIT) {
        Some(unit) => epsg::metres(unit)
            .map(Some)
            .ok_or_else(|| format!("the unit EPSG:{unit}")),
        None => Ok(keys
            .number(VERTICAL_SYSTEM)
            .and_then(epsg::metres_of_vertical)),
    }
}

/// Returns the length in metres of (a degree of longitude, a degree of latitude) at `latitude`
/// degrees on the WGS 84 ellipsoid.
pub fn metres_per_degree(latitude: f64) -> (f64, f64) {
    let (_, a, inverse_flattening) = DATUMS[0].spheroid;
    let flattening = 1.0 / inverse_flattening;
    let e2 = flattening * (2.0 - flattening);
    // libm, because cell sizes decide over the flow, which must not differ between systems.
    let (sin, cos) = libm::sincos(latitude.to_radians());
    let w2 = 1.0 - e2 * sin * sin;
    let prime_vertical = a / w2.sqrt();
    let meridian = prime_vertical * (1.0 - e2) / w2;
    ((prime_vertical * cos).to_radians(), meridian.to_radians())
}

/// Returns the GeoTIFF keys of the system with the EPSG code `code` and the unit `unit`. The unit
/// is included for readers that do not know the code.
fn numbered(code: u16, unit: MapUnit) -> Vec<(u16, GeoKey)> {
    let (model, key) = if matches!(unit, MapUnit::Angle(_)) {
        (2, GEODETIC)
    } else {
        (1, PROJECTED)
    };
    let mut keys = vec![(MODEL, GeoKey::Short(model)), (key, GeoKey::Short(code))];
    keys.extend(match unit {
        // The number alone would imply another unit, or none.
        MapUnit::Length(1.0) if epsg::metres_of_projected(code) != Some(1.0) => {
            vec![(LENGTH_UNIT, GeoKey::Short(9001))]
        }
        MapUnit::Angle(1.0) if epsg::degrees_of_geographic(code) != 1.0 => {
            vec![(ANGLE_UNIT, GeoKey::Short(9102))]
        }
        unit => unit_keys(unit),
    });
    keys
}

/// Returns the GeoTIFF keys of a unit; none for metres and degrees, which every reader expects.
fn unit_keys(unit: MapUnit) -> Vec<(u16, GeoKey)> {
    type Size = fn(u16) -> Option<f64>;
    let (key, size_key, size, in_key, numbers, known): (u16, u16, f64, f64, _, Size) = match unit {
        MapUnit::Length(metres) => (
            LENGTH_UNIT,
            LENGTH_UNIT_SIZE,
            metres,
            metres,
            9001..=9003,
            epsg::metres,
        ),
        MapUnit::Angle(degrees) => (
            ANGLE_UNIT,
            ANGLE_UNIT_SIZE,
            degrees,
            degrees.to_radians(),
            9101..=9105,
            epsg::degrees,
        ),
    };
    if size == 1.0 {
        return Vec::new();
    }
    // Texts round units in many ways.
    let is_it =
        |number: &u16| known(*number).is_some_and(|known| (known - size).abs() <= 1e-9 * size);
    match numbers.into_iter().find(is_it) {
        Some(number) => vec![(key, GeoKey::Short(number))],
        None => vec![
            (key, GeoKey::Short(USER_DEFINED)),
            (size_key, GeoKey::Doubles(vec![in_key])),
        ],
    }
}

/// Returns GeoTIFF keys that contain the well-known text `wkt` unchanged, as ArcGIS writes them.
/// The model key is "user-defined", because otherwise GDAL does not look for such a text.
fn described(wkt: &str) -> Vec<(u16, GeoKey)> {
    vec![
        (MODEL, GeoKey::Short(USER_DEFINED)),
        (PROJECTED, GeoKey::Short(USER_DEFINED)),
        (
            PROJECTED_CITATION,
            GeoKey::Text(format!("{WKT_IN_CITATION}{wkt}")),
        ),
    ]
}

fn is_degrees(code: u16) -> bool {
    DATUMS.iter().any(|datum| datum.degrees == code)
}

/// Returns the node of the horizontal system in the well-known text `node`, such as the projected
/// system in a compound system; `None` if the text has no horizontal system.
fn horizontal<'a, 'b>(node: &'b Node<'a>) -> Option<&'b Node<'a>> {
    if node.is(PROJECTED_WORDS) || node.is(GEOGRAPHIC_WORDS) {
        return Some(node);
    }
    let inside: &[&str] = &["COMPD_CS", "COMPOUNDCRS", "BOUNDCRS", "SOURCECRS"];
    if node.is(inside) {
        node.children.iter().find_map(horizontal)
    } else {
        None
    }
}

/// Returns the EPSG code of `system`, a node of well-known text: the code that the node states, or
/// that of longitude and latitude or a UTM zone on a known datum. `None` for any other system.
fn epsg_of(system: &Node<'_>) -> Option<u16> {
    if let Some(name) = system.child(&["AUTHORITY", "ID"]) {
        let epsg = name
            .texts
            .first()
            .is_some_and(|text| text.eq_ignore_ascii_case("EPSG"));
        let number = name.texts.get(1).and_then(|text| text.parse().ok());
        let bare = name
            .numbers
            .first()
            .filter(|n| n.fract() == 0.0 && (1.0..32767.0).contains(*n))
            .map(|n| *n as u16);
        return number
            .or(bare)
            .filter(|code| epsg && ![0, USER_DEFINED].contains(code));
    }
    let called = plain(system.below(&["DATUM", "ENSEMBLE"])?.texts.first()?);
    let datum = DATUMS
        .iter()
        .find(|datum| datum.datums.contains(&called.as_str()))?;
    if system.is(GEOGRAPHIC_WORDS) {
        Some(datum.degrees)
    } else {
        datum.utm_of(system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ESRI_UTM_54N: &str = r#"PROJCS["WGS_1984_UTM_Zone_54N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",141.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]"#;

    #[test]
    fn a_utm_zone_is_known_from_its_text() {
        let crs = Crs::from_wkt(ESRI_UTM_54N);
        assert_eq!(
            (crs.epsg(), crs.unit()),
            (Some(32654), MapUnit::Length(1.0))
        );
        assert_eq!(
            crs.to_geo_keys(),
            [(1024, GeoKey::Short(1)), (3072, GeoKey::Short(32654))]
        );
        assert_eq!(crs.to_wkt().as_deref(), Some(ESRI_UTM_54N));
    }

    #[test]
    fn numbers_and_texts_lead_to_each_other() {
        for code in [
            4326, 4258, 4269, 4267, 32601, 32654, 32760, 25833, 26910, 26710,
        ] {
            let crs = Crs::from_epsg(code).expect("a known number");
            let from_text = Crs::from_wkt(crs.wkt.as_deref().expect("a text"));
            assert_eq!((from_text.epsg(), crs.epsg()), (Some(code), Some(code)));
            assert_eq!(from_text.is_geographic(), is_degrees(code));
            assert_eq!(from_text.to_geo_keys(), crs.geo_keys);
            let from_keys = Crs::from_geo_keys(crs.geo_keys.clone());
            assert_eq!(
                (from_keys.to_wkt(), from_keys.unit()),
                (crs.wkt.clone(), crs.unit())
            );
            // Without the number the zone is found from its parameters.
            let bare = crs
                .wkt
                .expect("a text")
                .replace(&format!(",AUTHORITY[\"EPSG\",\"{code}\"]"), "");
            assert_eq!(Crs::from_wkt(&bare).epsg(), Some(code), "{bare}");
        }
        assert_eq!(Crs::from_epsg(3857), None);
    }

    #[test]
    fn a_system_without_a_number_goes_along_as_text() {
        let text = ESRI_UTM_54N.replace("141.0", "140.5");
        let crs = Crs::from_wkt(&text);
        assert_eq!(crs.epsg(), None);
        let again = Crs::from_geo_keys(crs.to_geo_keys());
        assert_eq!(
            (again.to_wkt(), again.epsg(), again.is_geographic()),
            (Some(text), None, false)
        );
    }

    #[test]
    fn units_are_understood() {
        let feet = ESRI_UTM_54N.replace(
            "UNIT[\"Meter\",1.0]",
            "UNIT[\"Foot_US\",0.3048006096012192]",
        );
        assert_eq!(
            Crs::from_wkt(&feet).unit(),
            MapUnit::Length(0.304_800_609_601_219_2)
        );
        assert_eq!(Crs::from_wkt(&feet).epsg(), None);
        // An unknown number keeps its unit.
        for (size, unit) in [
            ("0.3048006096012192", 9003),
            ("0.3048", 9002),
            ("20.11684", 32767),
        ] {
            let text = ESRI_UTM_54N.replace(
                "UNIT[\"Meter\",1.0]",
                &format!("UNIT[\"x\",{size}],AUTHORITY[\"EPSG\",\"2276\"]"),
            );
            let crs = Crs::from_wkt(&text);
            let again = Crs::from_geo_keys(crs.to_geo_keys());
            assert_eq!(
                (again.epsg(), again.short(LENGTH_UNIT)),
                (Some(2276), Some(unit))
            );
            assert_eq!(again.unit(), crs.unit(), "{size}");
        }
        let grads = "GEOGCS[\"x\",DATUM[\"y\"],UNIT[\"grad\",0.01570796326794897],AUTHORITY[\"EPSG\",\"4807\"]]";
        let keys = Crs::from_wkt(grads).to_geo_keys();
        assert_eq!(
            (&keys[2], Crs::from_geo_keys(keys.clone()).unit()),
            (&(2054, GeoKey::Short(9105)), MapUnit::Angle(0.9))
        );
        for none in ["0", "32767", "99999999"] {
            assert_eq!(Crs::from_wkt(&grads.replace("4807", none)).epsg(), None);
        }
        let keys = [
            (1024, GeoKey::Short(1)),
            (3076, GeoKey::Short(9003)),
            (4099, GeoKey::Short(9002)),
        ];
        assert_eq!(
            Crs::from_geo_keys(keys.clone()).unit(),
            MapUnit::Length(1200.0 / 3937.0)
        );
        assert_eq!(vertical_metres(&keys), Ok(Some(0.3048)));
        assert_eq!(
            vertical_metres(&[(4096, GeoKey::Short(6360))]),
            Ok(Some(1200.0 / 3937.0))
        );
        assert_eq!(vertical_metres(&[(4096, GeoKey::Short(5703))]), Ok(None));
        assert!(vertical_metres(&[(4099, GeoKey::Short(9150))]).is_err());
        let wkt2 = "GEOGCRS[\"x\",DATUM[\"y\",ELLIPSOID[\"z\",1,2]],CS[ellipsoidal,2],AXIS[\"lat\",north,ANGLEUNIT[\"degree\",0.0174532925199433]]]";
        assert!(Crs::from_wkt(wkt2).is_geographic());
        assert_eq!(Crs::from_wkt("nonsense [").unit(), MapUnit::Length(1.0));
        assert_eq!(
            Crs::from_wkt(&"A[".repeat(100_000)).unit(),
            MapUnit::Length(1.0)
        );
        assert_eq!(Crs::default().to_geo_keys(), []);
    }

    #[test]
    fn a_number_alone_has_its_unit_and_an_unknown_one_is_no_metre() {
        let projected =
            |code: u16| Crs::from_geo_keys([(1024, GeoKey::Short(1)), (3072, GeoKey::Short(code))]);
        let geographic =
            |code: u16| Crs::from_geo_keys([(1024, GeoKey::Short(2)), (2048, GeoKey::Short(code))]);
        assert_eq!(projected(2263).known_unit(), Ok(MapUnit::Length(US_FOOT_M)));
        assert_eq!(projected(32633).known_unit(), Ok(MapUnit::Length(1.0)));
        assert!(
            projected(19999)
                .known_unit()
                .is_err_and(|found| found.contains("EPSG:19999"))
        );
        assert_eq!(geographic(4807).known_unit(), Ok(MapUnit::Angle(0.9)));
        let in_unit =
            |code: u16| Crs::from_geo_keys([(1024, GeoKey::Short(1)), (3076, GeoKey::Short(code))]);
        assert_eq!(in_unit(9036).known_unit(), Ok(MapUnit::Length(1000.0)));
        assert!(
            in_unit(9999).known_unit().is_err() && Crs::from_wkt("words").known_unit().is_err()
        );
        // ArcGIS appends the system of heights to that of the map.
        let both = format!("{ESRI_UTM_54N},VERTCS[\"x\",UNIT[\"Foot\",0.3048]]");
        assert_eq!(
            (
                Crs::from_wkt(&both).epsg(),
                Crs::from_wkt(&both).known_unit()
            ),
            (Some(32654), Ok(MapUnit::Length(1.0)))
        );
    }

    /// Checks the lengths of a degree on WGS 84 against published values.
    #[test]
    fn a_degree_has_the_length_of_the_tables() {
        for (latitude, east, north) in [
            (0.0, 111_319.49, 110_574.28),
            (45.0, 78_846.81, 111_131.78),
            (60.0, 55_800.0, 111_412.24),
        ] {
            let (e, n) = metres_per_degree(latitude);
            assert!(
                (e - east).abs() < 0.5 && (n - north).abs() < 0.5,
                "{latitude}: {e}, {n}"
            );
        }
    }
}
