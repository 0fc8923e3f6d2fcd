//! `--sun`: position of the sun in the sky at a date and a place on the Earth.

use std::str::FromStr;

use lavoxel::map::{Site, ToDegrees};
use lavoxel::render::sun;
use lavoxel::scene::{Scene, unix_seconds};
use lavoxel::validate::escape_for_terminal;

/// Date for the position of the sun, in seconds since 1970-01-01 UTC, and optionally the place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SunAt {
    unix_s: f64,
    /// Longitude and latitude of the place in degrees; `None`: the centre of the simulation box.
    place: Option<[f64; 2]>,
}

impl FromStr for SunAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (date, place) = text
            .split_once('@')
            .map_or((text, None), |(date, place)| (date, Some(place)));
        let unix_s = unix_seconds(date).ok_or_else(|| {
            format!(
                "{:?} is no date such as 2025-08-10T17:30Z",
                escape_for_terminal(date)
            )
        })?;
        let place = place.map(|place| {
            let (latitude, longitude) = place.split_once(',')?;
            let degrees = |text: &str, most: f64| {
                text.trim()
                    .parse::<f64>()
                    .ok()
                    .filter(|degrees| (-most..=most).contains(degrees))
            };
            Some([degrees(longitude, 360.0)?, degrees(latitude, 90.0)?])
        });
        match place {
            Some(None) => Err(
                "the place after @ is LATITUDE,LONGITUDE in degrees, such as 37.75,14.99"
                    .to_owned(),
            ),
            place => Ok(Self {
                unix_s,
                place: place.flatten(),
            }),
        }
    }
}

impl SunAt {
    /// Sets the direction of the sun and the kind of sky in `scene` for the date and the place.
    /// Fails if no place is given and the location of the simulation box on the Earth is unknown.
    pub(super) fn shine(&self, scene: &mut Scene, site: &Site) -> anyhow::Result<()> {
        let on_the_map = || {
            let [x, y] = site.on_the_map([0.5 * site.grid.nx as f64, 0.5 * site.grid.nz as f64]);
            Some(ToDegrees::of_site(site)?.at(x, y))
        };
        let Some(place) = self.place.or_else(on_the_map) else {
            anyhow::bail!(
                "--sun: the box is on no map with longitude and latitude; write DATE@LATITUDE,LONGITUDE"
            );
        };
        scene.spec.look.put_sun(sun(self.unix_s, place));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_places_are_read() {
        let at = "2025-08-10T17:30:00+02:00@37.75,14.99".parse::<SunAt>();
        assert_eq!(
            at,
            Ok(SunAt {
                unix_s: 1_754_839_800.0,
                place: Some([14.99, 37.75])
            })
        );
        assert_eq!(
            "2025-08-10T15:30".parse::<SunAt>(),
            Ok(SunAt {
                unix_s: 1_754_839_800.0,
                place: None
            })
        );
        for wrong in [
            "noon",
            "2025-08-10T17:30Z@",
            "2025-08-10T17:30Z@95,3",
            "2025-13-10@1,2",
        ] {
            assert!(wrong.parse::<SunAt>().is_err(), "{wrong}");
        }
    }
}
