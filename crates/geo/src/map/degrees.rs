//! Conversion of map coordinates to longitude and latitude, for formats that support nothing else.
//!
//! Systems are defined by their EPSG number or by the well-known text of the map. Their projections
//! and the shifts of their datums, by three or seven numbers, are those of PROJ, as far as the
//! crate `proj4rs` supports them. Grids of shifts are not read: where the registry has both, the
//! results agree with its grid to some metres.

use proj4rs::Proj;
use proj4rs::adaptors::transform_xy;

use super::crs::MapUnit;
use super::wkt::{Node, plain};
use super::{Crs, Site, nzmg, registry};

/// PROJ definition of longitude and latitude on WGS 84.
const WGS_84: &str = "+proj=longlat +datum=WGS84";

/// Largest accepted difference in degrees between a position and the result of converting it to map
/// coordinates and back; a position with a larger difference lies outside of the projection's
/// range.
const OFF: f64 = 1e-6;

/// PROJ names of projections that are valid only near a central meridian.
const NARROW: [&str; 3] = ["utm", "tmerc", "etmerc"];
/// Distance in degrees from the central meridian up to which the projections in `NARROW` are used.
const REACH: f64 = 30.0;

/// EPSG code of the New Zealand Map Grid.
const NEW_ZEALAND: u16 = 27200;

/// Conversion of map coordinates to longitude and latitude in degrees on WGS 84, and back.
#[derive(Clone, Debug)]
pub struct ToDegrees(Way);

#[derive(Clone, Debug)]
enum Way {
    /// Conversion of a map in longitude and latitude on WGS 84: returns its input.
    Same,
    /// Conversion of any other map, computed with the crate `proj4rs`.
    Other(Box<Systems>),
}

#[derive(Clone, Debug)]
struct Systems {
    map: Proj,
    degrees: Proj,
    /// Set for the New Zealand Map Grid: the module `nzmg` computes the projection, and `map`
    /// describes only its datum.
    new_zealand: bool,
}

impl ToDegrees {
    /// Conversion that returns its input, for maps in longitude and latitude on WGS 84.
    pub const SAME: Self = Self(Way::Same);

    /// Creates the conversion for the coordinate system `crs`; `None` if the system is unknown.
    /// Degrees on ETRS89 and NAD83 are treated as WGS 84, from which they differ by 1 to 2 m.
    pub fn from_crs(crs: &Crs) -> Option<Self> {
        if matches!(
            (crs.epsg(), crs.unit()),
            (Some(4326 | 4258 | 4269), MapUnit::Angle(1.0))
        ) {
            return Some(Self::SAME);
        }
        let way = Self::by_definition(&definition(crs)?)?;
        way.has_unit(crs.unit()).then_some(way)
    }

    /// Creates the conversion for the map of the simulation box of `site`; `None` if the system is
    /// unknown, or the projection is not valid at all corners and edge midpoints of the box.
    pub fn of_site(site: &Site) -> Option<Self> {
        let way = Self::from_crs(site.crs()?)?;
        let sides = [site.grid.nx as f64, site.grid.nz as f64];
        let is_there = |across: usize, down: usize| {
            let [x, y] =
                site.on_the_map([0.5 * across as f64 * sides[0], 0.5 * down as f64 * sides[1]]);
            way.at(x, y).iter().all(|angle| angle.is_finite())
        };
        (0..9).all(|k| is_there(k % 3, k / 3)).then_some(way)
    }

    /// Creates the conversion for the UTM zone that contains the place [`longitude`, `latitude`] in
    /// degrees; `None` near the poles.
    pub fn utm_at([longitude, latitude]: [f64; 2]) -> Option<Self> {
        let zone = ((longitude + 180.0) / 6.0).floor().rem_euclid(60.0) as u8 + 1;
        let south = if latitude < 0.0 { " +south" } else { "" };
        let is_there = latitude.abs() <= 85.0 && longitude.abs() <= 360.0;
        is_there.then(|| {
            Self::by_definition(&format!(
                "+proj=utm +zone={zone}{south} +datum=WGS84 +units=m"
            ))
        })?
    }

    /// Creates the conversion for a map with the PROJ definition `definition`; `None` if `proj4rs`
    /// does not support the definition.
    fn by_definition(definition: &str) -> Option<Self> {
        let new_zealand = definition.contains("+proj=nzmg");
        let definition = shifted(definition).map(|words| {
            if new_zealand {
                without_plane(&words)
            } else {
                words
            }
        })?;
        let proj = |text: &str| Proj::from_proj_string(text).ok();
        let systems = Systems {
            map: proj(&definition)?,
            degrees: proj(WGS_84)?,
            new_zealand,
        };
        Some(Self(Way::Other(Box::new(systems))))
    }

    /// Returns true if the coordinates of the map, by its PROJ definition, have the unit `unit`.
    /// Used because a file may state an EPSG code and a unit that contradicts the code.
    fn has_unit(&self, unit: MapUnit) -> bool {
        let Way::Other(systems) = &self.0 else {
            return true;
        };
        match unit {
            MapUnit::Angle(degrees) => degrees == 1.0 && systems.in_degrees(),
            MapUnit::Length(metres) => {
                !systems.in_degrees() && (systems.map.to_meter() / metres - 1.0).abs() < 1e-6
            }
        }
    }

    /// Returns true if the conversion returns its input, as for maps in longitude and latitude on
    /// WGS 84.
    pub fn is_same(&self) -> bool {
        matches!(self.0, Way::Same)
    }

    /// Returns [longitude, latitude] in degrees of the map point (`x`, `y`); NaN where the
    /// projection is not valid. On a map across the date line, longitudes exceed 180.
    pub fn at(&self, x: f64, y: f64) -> [f64; 2] {
        match &self.0 {
            Way::Same => [x, y],
            Way::Other(systems) => systems.at([x, y]).unwrap_or([f64::NAN; 2]),
        }
    }

    /// Returns the map point [x, y] at `place` = [longitude, latitude] in degrees; `None` where the
    /// projection is not valid.
    pub fn back(&self, place: [f64; 2]) -> Option<[f64; 2]> {
        match &self.0 {
            Way::Same => Some(place),
            Way::Other(systems) => systems.back(place),
        }
    }
}

impl Systems {
    /// Returns true if the map coordinates are longitude and latitude in degrees, on any datum.
    fn in_degrees(&self) -> bool {
        self.map.is_latlong() && !self.new_zealand
    }

    fn at(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let [a, b] = match (self.new_zealand, self.in_degrees()) {
            (true, _) => nzmg::from_map([x, y])?.map(f64::to_radians),
            (_, true) => [x.to_radians(), y.to_radians()],
            _ => [x, y],
        };
        let (longitude, latitude) = transform_xy(&self.map, &self.degrees, a, b).ok()?;
        let middle = if self.in_degrees() {
            x
        } else {
            self.map.longitude_of_origin().to_degrees()
        };
        let [longitude, latitude] = [longitude.to_degrees(), latitude.to_degrees()];
        let turns = ((middle - longitude) / 360.0).round();
        let place = [longitude + 360.0 * turns, latitude];
        place.iter().all(|angle| angle.is_finite()).then_some(place)
    }

    fn back(&self, [longitude, latitude]: [f64; 2]) -> Option<[f64; 2]> {
        let from_middle = self.map.longitude_of_origin().to_degrees() - longitude;
        let is_far = (from_middle - 360.0 * (from_middle / 360.0).round()).abs() > REACH;
        if is_far && NARROW.contains(&self.map.projname()) {
            return None;
        }
        let (a, b) = transform_xy(
            &self.degrees,
            &self.map,
            longitude.to_radians(),
            latitude.to_radians(),
        )
        .ok()?;
        let point = match (self.new_zealand, self.in_degrees()) {
            (true, _) => nzmg::to_map([a.to_degrees(), b.to_degrees()]),
            (_, true) => [a.to_degrees(), b.to_degrees()],
            _ => [a, b],
        };
        // Far from a map its series converge to wrong points: checked by a round trip.
        let again = self.at(point)?;
        let turns = (again[0] - longitude) / 360.0;
        let off = (360.0 * (turns - turns.round()))
            .abs()
            .max((again[1] - latitude).abs());
        (off < OFF).then_some(point)
    }
}

/// Returns the PROJ definition of the coordinate system `crs`; `None` for an unknown system.
fn definition(crs: &Crs) -> Option<String> {
    if let Some(code) = crs.epsg() {
        return registry::projection_of(code).map(str::to_owned);
    }
    let text = crs.to_wkt()?;
    let root = Node::parse(&text)?;
    let method = root
        .child(&["PROJECTION"])
        .and_then(|method| method.texts.first());
    if method.is_some_and(|method| plain(method) == "newzealandmapgrid") {
        return registry::projection_of(NEW_ZEALAND).map(str::to_owned);
    }
    proj4wkt::wkt_to_projstring(&text).ok()
}

/// Returns the PROJ definition `definition` without references to files of datum shifts; `None` if
/// three or seven parameters, or a known datum, do not give the shift to WGS 84.
fn shifted(definition: &str) -> Option<String> {
    const NONE: [&str; 3] = ["+ellps=WGS84", "+ellps=GRS80", "+nadgrids=@null"];
    let words = || definition.split_whitespace();
    let is_named = |word: &str| word.starts_with("+datum=") && word != "+datum=NAD27";
    let is_known =
        |word: &str| word.starts_with("+towgs84=") || is_named(word) || NONE.contains(&word);
    let stays = |word: &&str| !word.starts_with("+nadgrids=") || *word == "+nadgrids=@null";
    words()
        .any(is_known)
        .then(|| words().filter(stays).collect::<Vec<_>>().join(" "))
}

/// Returns the PROJ definition of longitude and latitude on the datum of the New Zealand Map Grid,
/// whose own definition is `definition`.
fn without_plane(definition: &str) -> String {
    let shift = definition
        .split_whitespace()
        .find(|word| word.starts_with("+towgs84="));
    format!("+proj=longlat +ellps=intl {}", shift.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(code: u16) -> Option<ToDegrees> {
        ToDegrees::from_crs(&Crs::from(
            format!("EPSG:{code}")
                .parse::<crate::map::Epsg>()
                .expect("a known number"),
        ))
    }

    /// Checks conversions against results of PROJ 9; for systems of New Zealand and Italy, against
    /// results without PROJ's grids of datum shifts.
    #[test]
    fn systems_are_those_of_proj() {
        for (code, x, y, [longitude, latitude]) in [
            (32633, 500_000.0, 0.0, [15.0, 0.0]),
            (
                32633,
                499_418.5,
                4_178_262.5,
                [14.993_398_989_030_16, 37.751_666_451_288_166],
            ),
            (
                32610,
                562_005.25,
                5_112_003.5,
                [-122.196_931_573_243_77, 46.158_787_096_305_24],
            ),
            (
                32760,
                301_234.5,
                5_917_000.0,
                [174.769_969_517_669_47, -36.872_047_546_205_8],
            ),
            (
                26905,
                260_000.0,
                2_150_000.0,
                [-155.285_748_534_830_73, 19.429_998_053_273_334],
            ),
            (
                27200,
                2_667_675.0,
                6_478_995.0,
                [174.764_360_425_812, -36.877_195_562_574],
            ),
            (
                2193,
                1_757_000.0,
                5_917_000.0,
                [174.761_674_453_395, -36.879_916_167_024_1],
            ),
            (
                27700,
                400_000.0,
                300_000.0,
                [-2.001_433_115_510_89, 52.597_792_430_833_8],
            ),
            (
                3003,
                1_500_000.0,
                4_500_000.0,
                [8.999_698_400_495_09, 40.650_767_398_047_6],
            ),
            (
                3857,
                1_000_000.0,
                5_000_000.0,
                [8.983_152_841_195_21, 40.916_274_470_675_8],
            ),
            (3035, 4_321_000.0, 3_210_000.0, [10.0, 52.0]),
            (
                2056,
                2_600_000.0,
                1_200_000.0,
                [7.438_632_420_871_81, 46.951_082_771_871_1],
            ),
            (
                2263,
                987_654.0,
                200_000.0,
                [-73.987_720_758_508_8, 40.715_629_843_196_3],
            ),
        ] {
            let way = way(code).expect("a known way");
            let found = way.at(x, y);
            let off = (found[0] - longitude)
                .abs()
                .max((found[1] - latitude).abs());
            // Datums with rotations agree to a centimetre, all others to a tenth of a millimetre.
            let most = if [27200, 27700, 3003].contains(&code) {
                1e-7
            } else {
                1e-9
            };
            assert!(off < most, "{code}: {found:?}, off by {off}°");
            let back = way.back(found).expect("a place of the zone");
            // The oblique cylinder of Switzerland comes back within 1.3 mm, all others within a
            // millimetre.
            let most = if code == 2056 { 2e-3 } else { 1e-3 };
            assert!((back[0] - x).hypot(back[1] - y) < most, "{code}: {back:?}");
        }
    }

    #[test]
    fn every_place_has_a_zone() {
        let middle = |longitude, latitude| {
            Some(ToDegrees::utm_at([longitude, latitude])?.at(500_000.0, 5e6))
        };
        let rounded = |place: Option<[f64; 2]>| {
            place.map(|[longitude, latitude]| [longitude.round(), latitude.round()])
        };
        assert_eq!(rounded(middle(15.0, 37.7)), Some([15.0, 45.0]));
        assert_eq!(rounded(middle(174.8, -36.9)), Some([177.0, -45.0]));
        assert_eq!(
            [180.0, -180.0].map(|place| rounded(middle(place, 0.0))),
            [Some([-177.0, 45.0]); 2]
        );
        assert!(middle(0.0, 88.0).is_none() && middle(f64::NAN, 0.0).is_none());
        assert_eq!(
            ToDegrees::utm_at([15.0, 1.0]).and_then(|way| way.back([-120.0, 0.0])),
            None
        );
    }

    #[test]
    fn what_is_not_known_is_not_converted() {
        assert!(
            [4326, 4269]
                .into_iter()
                .all(|code| way(code).is_some_and(|way| way.is_same()))
        );
        assert!(
            way(4267).is_none() && way(26710).is_none(),
            "NAD27 lies a hundred metres off"
        );
        assert!(ToDegrees::from_crs(&Crs::default()).is_none());
        assert_eq!(ToDegrees::SAME.at(7.0, 45.0), [7.0, 45.0]);
    }
}
