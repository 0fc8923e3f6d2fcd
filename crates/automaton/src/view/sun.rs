//! Position of the sun for a date and a geographic location.

use super::{LookSpec, SkyPreset};

/// Smallest elevation of the sun, in degrees, at which the light of `SkyPreset::Day` is chosen.
const DAY_DEG: f64 = 12.0;
/// Smallest elevation of the sun, in degrees, at which the light of `SkyPreset::Dusk` is chosen; at
/// lower elevations `SkyPreset::Night` is chosen.
const DUSK_DEG: f64 = -4.0;

/// Returns azimuth (0 north, 90 east) and elevation of the sun in degrees at the time `unix_s`
/// (UTC, seconds since 1970); longitude (east positive) and latitude in degrees. Accurate to 0.02°
/// from 1950 to 2050, without refraction (low-precision formulae of the Astronomical Almanac,
/// section C).
pub fn sun(unix_s: f64, [longitude, latitude]: [f64; 2]) -> [f64; 2] {
    let days = unix_s / 86_400.0 + 2_440_587.5 - 2_451_545.0;
    let (sin, cos) = (
        |degrees: f64| libm::sin(degrees.to_radians()),
        |degrees: f64| libm::cos(degrees.to_radians()),
    );
    let mean = 280.460 + 0.985_647_4 * days;
    let anomaly = 357.528 + 0.985_600_3 * days;
    let ecliptic = mean + 1.915 * sin(anomaly) + 0.020 * sin(2.0 * anomaly);
    let tilt = 23.439 - 4e-7 * days;
    let ascension = libm::atan2(cos(tilt) * sin(ecliptic), cos(ecliptic)).to_degrees();
    let sin_declination = sin(tilt) * sin(ecliptic);
    let cos_declination = libm::sqrt(1.0 - sin_declination * sin_declination);
    let sidereal = 15.0 * (18.697_374_558 + 24.065_709_824_419_08 * days) + longitude;
    let hour = sidereal - ascension;
    let up = sin(latitude) * sin_declination + cos(latitude) * cos_declination * cos(hour);
    let east = -cos_declination * sin(hour);
    let north = sin_declination * cos(latitude) - cos_declination * sin(latitude) * cos(hour);
    [
        libm::atan2(east, north).to_degrees().rem_euclid(360.0),
        libm::asin(up.clamp(-1.0, 1.0)).to_degrees(),
    ]
}

impl LookSpec {
    /// Sets azimuth and elevation of the sun in degrees, and selects the light (`Day`, `Dusk`,
    /// `Night`) for this elevation. At night only the light is selected, and the direction of the
    /// light is unchanged.
    pub fn put_sun(&mut self, [azimuth_deg, elevation_deg]: [f64; 2]) {
        self.sky = match elevation_deg {
            DAY_DEG.. => SkyPreset::Day,
            DUSK_DEG.. => SkyPreset::Dusk,
            _ => SkyPreset::Night,
        };
        if self.sky != SkyPreset::Night {
            self.sun_azimuth_deg = azimuth_deg as f32;
            self.sun_elevation_deg = Some(elevation_deg.clamp(1.0, 90.0) as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time 2003-10-17T19:30:30Z in seconds since 1970.
    const GOLDEN: f64 = 1_066_419_030.0;

    #[test]
    fn the_sun_stands_where_an_exact_method_puts_it() {
        // Golden, Colorado: the example of Reda and Andreas (2004), Solar Energy 76, without
        // refraction.
        let [azimuth, elevation] = sun(GOLDEN, [-105.1786, 39.742_476]);
        assert!(
            (azimuth - 194.340).abs() < 0.05 && (elevation - 39.872).abs() < 0.05,
            "{azimuth} {elevation}"
        );
        // Noon at the equator: overhead at an equinox (2020-03-20), in the north in June, in the
        // south in December.
        assert!(sun(1_584_706_050.0, [0.0, 0.0])[1] > 89.8);
        for (noon, north_deg) in [(1_592_740_800.0, 0.0), (1_608_552_000.0, 180.0)] {
            let [azimuth, elevation] = sun(noon, [0.0, 0.0]);
            assert!(
                (azimuth - north_deg).abs() < 2.0 && (elevation - 66.56).abs() < 0.05,
                "{azimuth} {elevation}"
            );
        }
    }

    #[test]
    fn the_sky_follows_the_height_of_the_sun() {
        for (elevation, sky) in [
            (40.0, SkyPreset::Day),
            (5.0, SkyPreset::Dusk),
            (-3.0, SkyPreset::Dusk),
            (-20.0, SkyPreset::Night),
        ] {
            let mut look = LookSpec::default();
            look.put_sun([120.0, elevation]);
            assert_eq!(
                (look.sky, look.sun_azimuth_deg),
                (sky, if elevation > -4.0 { 120.0 } else { 236.0 })
            );
            assert_eq!(look.validate(), Ok(()));
        }
    }
}
