//! Longitude and latitude of the coordinates of a map, for formats that know nothing else.

use super::Crs;
use super::crs::MapUnit;

/// The WGS 84 ellipsoid: half of its longer axis in metres, and its flattening. Those of GRS 1980 differ by less than a
/// tenth of a millimetre.
const A: f64 = 6_378_137.0;
const F: f64 = 1.0 / 298.257_223_563;

/// From coordinates of a map to degrees of longitude and latitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToDegrees {
    /// The map is in degrees.
    Same,
    /// The map is one of the Universal Transverse Mercator.
    Utm {
        /// 1 to 60.
        zone: u8,
        /// Whether it is one of the southern half.
        south: bool,
    },
}

impl ToDegrees {
    /// The way for a system, where there is one: degrees and UTM zones of WGS 84, ETRS89 and NAD83. Both others are taken
    /// for WGS 84, from which they differ by a metre or two.
    pub fn of(crs: &Crs) -> Option<Self> {
        let utm = |zone: u16, south| Some(Self::Utm { zone: zone as u8, south });
        match (crs.epsg()?, crs.unit()) {
            (4326 | 4258 | 4269, MapUnit::Angle(1.0)) => Some(Self::Same),
            (code @ 32601..=32660, MapUnit::Length(1.0)) => utm(code - 32600, false),
            (code @ 32701..=32760, MapUnit::Length(1.0)) => utm(code - 32700, true),
            (code @ 25828..=25838, MapUnit::Length(1.0)) => utm(code - 25800, false),
            (code @ 26901..=26923, MapUnit::Length(1.0)) => utm(code - 26900, false),
            _ => None,
        }
    }

    /// Longitude and latitude of a point of the map. Longitudes of a zone at the date line run on beyond 180.
    pub fn at(self, x: f64, y: f64) -> [f64; 2] {
        match self {
            Self::Same => [x, y],
            Self::Utm { zone, south } => {
                let [longitude, latitude] = transverse_mercator(x - 500_000.0, if south { y - 1e7 } else { y });
                [longitude + 6.0 * f64::from(zone) - 183.0, latitude]
            }
        }
    }
}

impl ToDegrees {
    /// The way of the UTM zone in which a place lies; none beyond the poles.
    pub fn utm_at([longitude, latitude]: [f64; 2]) -> Option<Self> {
        let zone = ((longitude + 180.0) / 6.0).floor().rem_euclid(60.0) as u8 + 1;
        (latitude.abs() <= 85.0 && longitude.abs() <= 360.0).then_some(Self::Utm { zone, south: latitude < 0.0 })
    }

    /// The point of the map at a longitude and latitude; none far away from a zone.
    pub fn back(self, [longitude, latitude]: [f64; 2]) -> Option<[f64; 2]> {
        match self {
            Self::Same => Some([longitude, latitude]),
            Self::Utm { zone, south } => {
                let turns = longitude - (6.0 * f64::from(zone) - 183.0);
                let east_of_middle = turns - 360.0 * (turns / 360.0).round();
                let near = east_of_middle.abs() < 30.0 && latitude.abs() < 89.0;
                let [east, north] = on_the_plane(east_of_middle.to_radians(), latitude.to_radians());
                near.then_some([east + 500_000.0, if south { north + 1e7 } else { north }])
            }
        }
    }
}

/// The inverse of [`transverse_mercator`], with angles in radians.
fn on_the_plane(longitude: f64, latitude: f64) -> [f64; 2] {
    let n = F / (2.0 - F);
    let (n2, n3, n4) = (n * n, n * n * n, n * n * n * n);
    let radius = 0.9996 * A / (1.0 + n) * (1.0 + n2 / 4.0 + n4 / 64.0);
    let alpha = [
        n / 2.0 - 2.0 / 3.0 * n2 + 5.0 / 16.0 * n3 + 41.0 / 180.0 * n4,
        13.0 / 48.0 * n2 - 3.0 / 5.0 * n3 + 557.0 / 1440.0 * n4,
        61.0 / 240.0 * n3 - 103.0 / 140.0 * n4,
        49_561.0 / 161_280.0 * n4,
    ];
    let e = 2.0 * n.sqrt() / (1.0 + n);
    let sin = latitude.sin();
    let t = (sin.atanh() - e * (e * sin).atanh()).sinh();
    let (xi_, eta_) = (t.atan2(longitude.cos()), (longitude.sin() / (1.0 + t * t).sqrt()).atanh());
    let even = |j: usize| 2.0 * (j + 1) as f64;
    let sum = |term: &dyn Fn(usize) -> f64| (0..4).map(term).sum::<f64>();
    let xi = xi_ + sum(&|j| alpha[j] * (even(j) * xi_).sin() * (even(j) * eta_).cosh());
    let eta = eta_ + sum(&|j| alpha[j] * (even(j) * xi_).cos() * (even(j) * eta_).sinh());
    [radius * eta, radius * xi]
}

/// Degrees east of the middle meridian, and latitude, of a point so many metres east of it and north of the equator on a map
/// at 0.9996 of the true scale. Krüger's series (1912) to the fourth power of the third flattening: to less than a millimetre.
fn transverse_mercator(east: f64, north: f64) -> [f64; 2] {
    let n = F / (2.0 - F);
    let (n2, n3, n4) = (n * n, n * n * n, n * n * n * n);
    let radius = 0.9996 * A / (1.0 + n) * (1.0 + n2 / 4.0 + n4 / 64.0);
    let beta = [
        n / 2.0 - 2.0 / 3.0 * n2 + 37.0 / 96.0 * n3 - n4 / 360.0,
        n2 / 48.0 + n3 / 15.0 - 437.0 / 1440.0 * n4,
        17.0 / 480.0 * n3 - 37.0 / 840.0 * n4,
        4397.0 / 161_280.0 * n4,
    ];
    let delta = [
        2.0 * n - 2.0 / 3.0 * n2 - 2.0 * n3 + 116.0 / 45.0 * n4,
        7.0 / 3.0 * n2 - 8.0 / 5.0 * n3 - 227.0 / 45.0 * n4,
        56.0 / 15.0 * n3 - 136.0 / 35.0 * n4,
        4279.0 / 630.0 * n4,
    ];
    let (xi, eta) = (north / radius, east / radius);
    let even = |j: usize| 2.0 * (j + 1) as f64;
    let sum = |term: &dyn Fn(usize) -> f64| (0..4).map(term).sum::<f64>();
    let xi_ = xi - sum(&|j| beta[j] * (even(j) * xi).sin() * (even(j) * eta).cosh());
    let eta_ = eta - sum(&|j| beta[j] * (even(j) * xi).cos() * (even(j) * eta).sinh());
    let conformal = (xi_.sin() / eta_.cosh()).asin();
    let latitude = conformal + sum(&|j| delta[j] * (even(j) * conformal).sin());
    let longitude = eta_.sinh().atan2(xi_.cos());
    [longitude.to_degrees(), latitude.to_degrees()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of PROJ 9.
    #[test]
    fn utm_is_that_of_proj() {
        for (code, x, y, [longitude, latitude]) in [
            (32633, 500_000.0, 0.0, [15.0, 0.0]),
            (32633, 499_418.5, 4_178_262.5, [14.993_398_989_030_16, 37.751_666_451_288_166]),
            (32610, 562_005.25, 5_112_003.5, [-122.196_931_573_243_77, 46.158_787_096_305_24]),
            (32760, 301_234.5, 5_917_000.0, [174.769_969_517_669_47, -36.872_047_546_205_8]),
            (26905, 260_000.0, 2_150_000.0, [-155.285_748_534_830_73, 19.429_998_053_273_334]),
        ] {
            let way = ToDegrees::of(&Crs::from_epsg(code).expect("a known number")).expect("a known way");
            let found = way.at(x, y);
            let off = (found[0] - longitude).abs().max((found[1] - latitude).abs());
            assert!(off < 1e-9, "{code}: {found:?}, off by {off}°");
            let back = way.back(found).expect("a place of the zone");
            assert!((back[0] - x).hypot(back[1] - y) < 1e-3, "{code}: {back:?}");
        }
    }

    #[test]
    fn every_place_has_a_zone() {
        let zone = |longitude, latitude| ToDegrees::utm_at([longitude, latitude]);
        assert_eq!(zone(15.0, 37.7), Some(ToDegrees::Utm { zone: 33, south: false }));
        assert_eq!(zone(174.8, -36.9), Some(ToDegrees::Utm { zone: 60, south: true }));
        assert_eq!([zone(180.0, 0.0), zone(-180.0, 0.0)], [Some(ToDegrees::Utm { zone: 1, south: false }); 2]);
        assert_eq!((zone(0.0, 88.0), zone(f64::NAN, 0.0)), (None, None));
        assert_eq!(ToDegrees::Utm { zone: 33, south: false }.back([-120.0, 0.0]), None);
    }

    #[test]
    fn what_is_not_known_is_not_converted() {
        let way = |code| ToDegrees::of(&Crs::from_epsg(code).expect("a known number"));
        assert_eq!((way(4326), way(4269)), (Some(ToDegrees::Same), Some(ToDegrees::Same)));
        assert_eq!((way(4267), way(26710)), (None, None), "NAD27 lies a hundred metres off");
        assert_eq!((ToDegrees::of(&Crs::default()), ToDegrees::Same.at(7.0, 45.0)), (None, [7.0, 45.0]));
    }
}
