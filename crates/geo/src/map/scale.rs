//! Scale of a map: metres on the ground per unit of the map's coordinates. Only this module
//! computes that scale.
//!
//! A metre of a projection is at best equal to a metre on the ground near the centre of the
//! projection. For surveyors' systems such as UTM, the deviation is at most half a percent
//! ([`FAITHFUL`]), and the nominal scale is used. For other systems, such as Web Mercator, in which
//! a metre of the map is 0.44 m on the ground at 64° latitude, the scale is measured: a point of
//! the map and its neighbours are converted to the ellipsoid of WGS 84. The scale of a map is that
//! at its centre; [`Scale::varies`] is the deviation at the corners and sides.

use super::crs::{MapUnit, metres_per_degree};
use super::{Bounds, Crs};

/// Largest relative difference between a metre of a map and a metre on the ground at which the
/// nominal scale of the map is used: that of UTM up to 6° from the central meridian.
pub const FAITHFUL: f64 = 0.005;

/// Upper bound on the relative variation of the scale over the map of a box or a comparison. The
/// relative error of an area is then at most twice this value.
pub const MOST_VARIATION: f64 = 0.05;

/// Scale of a map: metres on the ground per map unit, and its variation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Metres on the ground per map unit, along x and along y, at the centre of the map.
    pub metres_per_unit: (f64, f64),
    /// Largest relative deviation from `metres_per_unit` at the corners and edge midpoints, and
    /// between the axes, which are not perpendicular on some maps.
    pub varies: f64,
}

impl Scale {
    /// Returns an error message with a remedy if the scale varies by more than [`MOST_VARIATION`]
    /// over the map `bounds`; otherwise `None`.
    pub fn fault(&self, crs: &Crs, bounds: Bounds) -> Option<String> {
        (self.varies > MOST_VARIATION).then(|| {
            let zone = utm_of(crs, bounds).map_or("a system of the place".to_owned(), |code| format!("EPSG:{code}"));
            format!(
                "a map whose scale varies by {:.0} % over it, more than {:.0} %: use a smaller part, or bring it into metres (gdalwarp \
                 -t_srs {zone})",
                100.0 * self.varies,
                100.0 * MOST_VARIATION
            )
        })
    }
}

impl Crs {
    /// Returns the scale of the part of the map inside `bounds` (map units); `None` if a map in
    /// degrees reaches a pole.
    pub fn scale(&self, bounds: Bounds) -> Option<Scale> {
        match self.unit() {
            MapUnit::Angle(degrees) => of_degrees(degrees, bounds),
            MapUnit::Length(metres) => Some(of_plane(self, metres, bounds)),
        }
    }
}

/// Returns the scale of a map in degrees inside `bounds` (map units); `degrees`: size of the map's
/// unit in degrees. `None` if `bounds` reach a pole.
fn of_degrees(degrees: f64, bounds: Bounds) -> Option<Scale> {
    let at = |y: f64| {
        let latitude = y * degrees;
        let (east, north) = metres_per_degree(latitude);
        (latitude.abs() < 89.99).then_some((east * degrees, north * degrees))
    };
    let metres_per_unit = at(0.5 * (bounds.south + bounds.north))?;
    let varies = [bounds.south, bounds.north].into_iter().map(|y| {
        let (east, north) = at(y)?;
        Some(
            (east / metres_per_unit.0 - 1.0)
                .abs()
                .max((north / metres_per_unit.1 - 1.0).abs()),
        )
    });
    // A side at a pole has no length.
    Some(Scale {
        metres_per_unit,
        varies: varies.map(|share| share.unwrap_or(1.0)).fold(0.0, f64::max),
    })
}

/// Returns the scale of a projected map inside `bounds` (map units); `metres`: nominal length of
/// the map's unit in metres, which is also returned as scale if the projection is unknown.
fn of_plane(crs: &Crs, metres: f64, bounds: Bounds) -> Scale {
    let own = (metres, metres);
    let face = Scale {
        metres_per_unit: own,
        varies: 0.0,
    };
    let Some(plane) = Plane::from_crs(crs, metres) else {
        return face;
    };
    let xs = [bounds.west, 0.5 * (bounds.west + bounds.east), bounds.east];
    let ys = [
        bounds.south,
        0.5 * (bounds.south + bounds.north),
        bounds.north,
    ];
    let Some(middle) = plane.steps(xs[1], ys[1]) else {
        return face;
    };
    let is_faithful = (middle.east / metres - 1.0)
        .abs()
        .max((middle.north / metres - 1.0).abs())
        <= FAITHFUL;
    let metres_per_unit = if is_faithful {
        own
    } else {
        (rounded(middle.east), rounded(middle.north))
    };
    let off = |x: f64, y: f64| {
        // Where the projection does not reach, nothing can be measured.
        let Some(steps) = plane.steps(x, y) else {
            return 1.0;
        };
        let (east, north) = (
            steps.east / metres_per_unit.0 - 1.0,
            steps.north / metres_per_unit.1 - 1.0,
        );
        east.abs().max(north.abs()).max(steps.shear.abs())
    };
    let varies = xs
        .iter()
        .flat_map(|&x| ys.map(|y| off(x, y)))
        .fold(0.0, f64::max);
    Scale {
        metres_per_unit,
        varies,
    }
}

/// Rounds `metres` to eight decimals, because the last digits of a projection differ between
/// platforms and the cell size influences the flow.
fn rounded(metres: f64) -> f64 {
    (metres * 1e8).round() / 1e8
}

/// Scale of a map at one point: metres on the ground per map unit to the east and to the north, and
/// the cosine of the angle between the map's axes on the ground.
struct Steps {
    east: f64,
    north: f64,
    shear: f64,
}

/// Projection of a map, with the step of finite differences by which its scale is measured.
struct Plane {
    way: super::ToDegrees,
    /// Step of the finite differences by which the scale is measured: 100 m in map units.
    step: f64,
}

impl Plane {
    fn from_crs(crs: &Crs, metres: f64) -> Option<Self> {
        Some(Self {
            way: super::ToDegrees::from_crs(crs)?,
            step: 100.0 / metres,
        })
    }

    /// Returns the scale at the map point (`x`, `y`); `None` where the projection is not valid.
    fn steps(&self, x: f64, y: f64) -> Option<Steps> {
        let ground = |x: f64, y: f64| on_the_ellipsoid(self.way.at(x, y));
        let chord = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| (b[k] - a[k]) / (2.0 * self.step));
        let east = chord(ground(x - self.step, y), ground(x + self.step, y));
        let north = chord(ground(x, y - self.step), ground(x, y + self.step));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (wide, deep) = (dot(east, east).sqrt(), dot(north, north).sqrt());
        let steps = Steps {
            east: wide,
            north: deep,
            shear: dot(east, north) / (wide * deep),
        };
        (wide > 0.0 && deep > 0.0 && steps.shear.is_finite()).then_some(steps)
    }
}

/// Returns the geocentric coordinates in metres of [`longitude`, `latitude`] in degrees on the WGS
/// 84 ellipsoid.
fn on_the_ellipsoid([longitude, latitude]: [f64; 2]) -> [f64; 3] {
    const A: f64 = 6_378_137.0;
    const FLATTENING: f64 = 1.0 / 298.257_223_563;
    let e2 = FLATTENING * (2.0 - FLATTENING);
    let (sin, cos) = libm::sincos(latitude.to_radians());
    let (sin_east, cos_east) = libm::sincos(longitude.to_radians());
    let prime_vertical = A / (1.0 - e2 * sin * sin).sqrt();
    [
        prime_vertical * cos * cos_east,
        prime_vertical * cos * sin_east,
        prime_vertical * (1.0 - e2) * sin,
    ]
}

/// Returns the EPSG code of the UTM zone at the centre of `bounds`, a part of a map in the
/// coordinate system `crs`; `None` near the poles.
fn utm_of(crs: &Crs, bounds: Bounds) -> Option<u32> {
    let middle = [
        0.5 * (bounds.west + bounds.east),
        0.5 * (bounds.south + bounds.north),
    ];
    let way = super::ToDegrees::from_crs(crs)?;
    let [longitude, latitude] = way.at(middle[0], middle[1]);
    let zone = ((super::longitude::usual(longitude) + 180.0) / 6.0)
        .floor()
        .clamp(0.0, 59.0) as u32
        + 1;
    let is_there = longitude.is_finite() && latitude.abs() <= 84.0;
    is_there.then_some(if latitude < 0.0 { 32700 } else { 32600 } + zone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Epsg;

    fn crs(code: u16) -> Crs {
        Crs::from(
            format!("EPSG:{code}")
                .parse::<Epsg>()
                .expect("a known number"),
        )
    }

    /// Returns the scale of a square map with sides of `side` map units around the point (`x`,
    /// `y`), in the system with the EPSG code `code`.
    fn scale(code: u16, [x, y]: [f64; 2], side: f64) -> Scale {
        let half = 0.5 * side;
        let bounds = Bounds {
            west: x - half,
            south: y - half,
            east: x + half,
            north: y + half,
        };
        crs(code).scale(bounds).expect("between the poles")
    }

    /// Checks scales against values that follow from the formulas of the projections.
    #[test]
    fn metres_are_those_of_the_ground() {
        // Web Mercator at 64° N: along both axes the radius of the earth there over that of the
        // sphere, times cos φ.
        let at_64 = [-2_100_000.0, 9_358_000.0];
        let Scale {
            metres_per_unit: (east, north),
            varies,
        } = scale(3857, at_64, 10_000.0);
        let latitude = (2.0 * (at_64[1] / 6_378_137.0f64).exp().atan()
            - std::f64::consts::FRAC_PI_2)
            .to_degrees();
        let (degree_east, degree_north) = metres_per_degree(latitude);
        let sphere = 6_378_137.0f64.to_radians();
        assert!((east - degree_east / sphere).abs() < 1e-6, "{east}");
        assert!(
            (north - degree_north / sphere * latitude.to_radians().cos()).abs() < 1e-6,
            "{north}"
        );
        assert!(
            (0.43..0.45).contains(&east) && varies < 0.002,
            "{east} {varies}"
        );
        // The equirectangular plane is true to the north, and on the equator to the east.
        let (east, north) = scale(4087, [0.0, 7_124_000.0], 10_000.0).metres_per_unit;
        assert!(
            (0.43..0.45).contains(&east) && (north - 1.0).abs() < 0.01,
            "{east} {north}"
        );
        // An equal-area plane keeps areas: with the scale along both axes its cells have their
        // nominal size.
        let (east, north) = scale(6933, [0.0, 6_560_000.0], 10_000.0).metres_per_unit;
        assert!(
            (east * north - 1.0).abs() < 1e-4 && east < 0.6,
            "{east} {north}"
        );
    }

    #[test]
    fn surveys_are_taken_at_their_word() {
        for (code, place) in [
            (32633, [500_000.0, 4.2e6]),
            (32633, [1e6, 4.2e6]),
            (2193, [1.6e6, 5.9e6]),
            (27700, [4e5, 3e5]),
        ] {
            let found = scale(code, place, 20_000.0);
            assert_eq!(found.metres_per_unit, (1.0, 1.0), "EPSG:{code}");
            assert!(found.varies < 0.01, "EPSG:{code}: {}", found.varies);
        }
        let foot = 1200.0 / 3937.0;
        assert_eq!(
            scale(2263, [987_654.0, 200_000.0], 20_000.0).metres_per_unit,
            (foot, foot)
        );
        assert_eq!(
            Crs::default().scale([0.0, 0.0, 9.0, 9.0].into()),
            Some(Scale {
                metres_per_unit: (1.0, 1.0),
                varies: 0.0
            })
        );
    }

    #[test]
    fn maps_of_a_continent_vary() {
        let bounds = Bounds::from([-2_500_000.0, 8_000_000.0, -1_500_000.0, 10_000_000.0]);
        let mercator = crs(3857);
        let found = mercator.scale(bounds).expect("a plane");
        let fault = found.fault(&mercator, bounds).expect("it varies");
        assert!(
            fault.contains("varies by") && fault.contains("EPSG:32628"),
            "{fault}"
        );
        let degrees = crs(4326);
        assert!(
            degrees
                .scale([14.0, 37.0, 15.0, 38.0].into())
                .is_some_and(|scale| scale.varies < 0.01)
        );
        assert!(
            degrees
                .scale([0.0, 30.0, 60.0, 70.0].into())
                .is_some_and(|scale| scale.varies > 0.3)
        );
        assert_eq!(degrees.scale([0.0, 89.0, 1.0, 91.0].into()), None);
    }
}
