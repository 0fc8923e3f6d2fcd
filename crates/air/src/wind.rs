//! Wind by height, and changes of the wind during a run.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::Air;
use lavoxel_base::grid::Grid;
use lavoxel_base::param::{Form, Value, table};
use lavoxel_base::validate::{Invalid, within};

/// Largest number of rows in a wind profile.
const MAX_HEIGHTS: usize = 1000;

/// Largest wind speed in m/s that a scene may set.
pub const FASTEST_M_S: f64 = 200.0;

/// Wind profile: rows of height above the floor in metres, speed in m/s, and direction from which
/// the wind comes, in degrees from north over east; linear between the heights, constant below and
/// above. No rows: no wind.
///
/// A scene gives such a list, as in `[air]`, or one wind at all heights: `{ speed_m_s = 6.0,
/// from_deg = 270.0 }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Wind(pub Vec<[f64; 3]>);

table! {
    /// Short form of a wind profile: the same wind at all heights.
    #[derive(Deserialize)]
    struct Even {
        /// Wind speed.
        must speed_m_s: f64, [0.0, FASTEST_M_S] "m/s";
        /// Direction from which the wind comes: 0 north, 90 east.
        must from_deg: f64, [-360.0, 720.0] "°";
    }
}

impl Value for Wind {
    fn form() -> Form {
        Form::Either(vec![Vec::<[f64; 3]>::form(), Even::form()])
    }
}

struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Wind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of [height, speed, direction], or { speed_m_s, from_deg }")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Wind, A::Error> {
        lavoxel_base::fixed_len::many(SeqAccessDeserializer::new(list)).map(Wind)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Wind, A::Error> {
        Even::deserialize(MapAccessDeserializer::new(map))
            .map(|even| Wind::even(even.speed_m_s, even.from_deg))
    }
}

impl<'de> Deserialize<'de> for Wind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Written)
    }
}

impl Wind {
    /// Returns a wind with the speed `speed_m_s` that comes from the direction `from_deg` (degrees
    /// from north over east) at all heights.
    pub fn even(speed_m_s: f64, from_deg: f64) -> Self {
        Self(vec![[0.0, speed_m_s, from_deg]])
    }

    /// Checks every number of the profile; `key` is the name of the wind in messages, such as
    /// `air.wind`.
    ///
    /// # Errors
    /// Returns an error that names the first number out of range.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        within(
            &format!("number of heights in {key}"),
            self.0.len() as f64,
            0.0,
            MAX_HEIGHTS as f64,
        )?;
        for [height, speed, from] in &self.0 {
            within(&format!("{key} height"), *height, -1e4, 1e5)?;
            within(&format!("{key} speed"), *speed, 0.0, FASTEST_M_S)?;
            within(&format!("{key} direction"), *from, -360.0, 720.0)?;
        }
        if self.0.is_sorted_by(|a, b| a[0] < b[0]) {
            return Ok(());
        }
        Err(Invalid::new(
            key,
            format!("{:?}", self.0),
            "in the order of the heights",
        ))
    }

    /// Largest speed of the profile in m/s, and the direction in degrees (0 to 360) from which the
    /// wind comes at the height of that speed; the lowest such height if several rows are equally
    /// fast. Zeros without wind.
    pub fn fastest(&self) -> [f64; 2] {
        let faster = |most: [f64; 2], row: &[f64; 3]| {
            if row[1] > most[0] {
                [row[1], row[2]]
            } else {
                most
            }
        };
        let first = self.0.first().map_or([0.0; 2], |row| [row[1], row[2]]);
        let [speed, from] = self.0.iter().fold(first, faster);
        [speed, from.rem_euclid(360.0)]
    }

    /// Returns a copy of this wind whose largest speed is `speed_m_s` (m/s) and comes from
    /// `from_deg` (degrees): speeds at all heights are scaled by the same factor, at most to
    /// `FASTEST_M_S`, and directions turned by the same angle. Without wind: a wind of that speed
    /// and direction at all heights.
    #[must_use]
    pub fn with_fastest(&self, speed_m_s: f64, from_deg: f64) -> Self {
        let [speed, from] = self.fastest();
        if speed <= 0.0 {
            return Self::even(speed_m_s, from_deg);
        }
        let row = |[height, here, at]: &[f64; 3]| {
            let scaled = (here / speed * speed_m_s).min(FASTEST_M_S);
            [*height, scaled, (at + from_deg - from).rem_euclid(360.0)]
        };
        Self(self.0.iter().map(row).collect())
    }
}

impl Air {
    /// Sets the wind without changing the velocity of the air; for air that was restored to a state
    /// which already contains that wind.
    pub fn set_wind(&mut self, wind: &Wind) {
        self.spec.wind.clone_from(&wind.0);
        self.forces.wind = self.scale.forces(&self.spec, self.grid()).wind;
    }

    /// Sets the wind, and adds its change to the velocity of every cell at the same height, as in a
    /// landscape wider than the air's box. A wind that entered only through the sides would need
    /// minutes to cross the box, and could not enter through walls.
    pub fn change_wind(&mut self, wind: &Wind) {
        let before = std::mem::take(&mut self.forces.wind);
        self.set_wind(wind);
        let Grid { ny, .. } = self.grid().cells;
        let at = |winds: &[[f32; 2]], y: usize| winds.get(y).copied().unwrap_or_default();
        let change = |y: usize| {
            let (old, new) = (at(&before, y), at(&self.forces.wind, y));
            [new[0] - old[0], new[1] - old[1]]
        };
        let changes: Vec<[f32; 2]> = (0..ny).map(change).collect();
        if changes.iter().flatten().any(|&change| change != 0.0) {
            self.solver.change_wind(&changes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Key {
        wind: Wind,
    }

    fn read(text: &str) -> Result<Wind, String> {
        toml::from_str::<Key>(text)
            .map(|key| key.wind)
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn both_forms_of_a_wind_are_read() {
        let table = Wind(vec![[0.0, 3.0, 290.0], [2000.0, 16.0, 280.0]]);
        assert_eq!(
            read("wind = [[0.0, 3.0, 290.0], [2000.0, 16.0, 280.0]]"),
            Ok(table.clone())
        );
        assert_eq!(
            read("wind = { speed_m_s = 6.0, from_deg = 270.0 }"),
            Ok(Wind::even(6.0, 270.0))
        );
        assert_eq!(read("wind = []"), Ok(Wind::default()));
        assert!(read("wind = 3.0").is_err_and(|text| text.contains("speed_m_s")));
        assert!(read("wind = { speed_m_s = 6.0 }").is_err_and(|text| text.contains("from_deg")));
        assert!(read("wind = [[0.0, 3.0]]").is_err_and(|text| text.contains("array of length 3")));
        let fast = Wind::even(201.0, 0.0)
            .validate("event[0].wind")
            .expect_err("too fast")
            .to_string();
        assert!(fast.starts_with("event[0].wind speed = 201"), "{fast}");
        assert_eq!(table.validate("air.wind"), Ok(()));
    }

    #[test]
    fn a_profile_keeps_its_shape_under_another_speed_and_direction() {
        let table = Wind(vec![[0.0, 3.0, 350.0], [2000.0, 12.0, 20.0]]);
        assert_eq!(table.fastest(), [12.0, 20.0]);
        assert_eq!(
            table.with_fastest(6.0, 10.0),
            Wind(vec![[0.0, 1.5, 340.0], [2000.0, 6.0, 10.0]])
        );
        assert_eq!(
            Wind::default().with_fastest(4.0, 90.0),
            Wind::even(4.0, 90.0)
        );
        assert_eq!(Wind::default().fastest(), [0.0; 2]);
    }
}
