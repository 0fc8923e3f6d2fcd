//! Positions of a front over time, from a table.

use std::path::Path;

use crate::input::FRONTS;
use crate::map::Site;
use crate::scene::Seconds;
use crate::validate::tame;

/// Most rows of a table.
const MOST: usize = 10_000;

/// A front at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Front {
    pub(super) time_s: f64,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// Metres from the vent.
    Distance(f64),
    /// A point in coordinates of the map.
    Point([f64; 2]),
}

impl Front {
    /// Distance in metres from a point in columns and rows.
    pub(super) fn distance_from(&self, from: [f64; 2], site: &Site) -> f64 {
        match self.place {
            Place::Distance(metres) => metres,
            Place::Point(point) => {
                let [col, row] = site.cells_near(point);
                (col - from[0]).hypot(row - from[1]) * site.cell_size_m
            }
        }
    }
}

/// Reads a table (`.csv`) with a heading: `time` (seconds, or with a unit such as 6h), `time_h` or `time_d`, and `distance_m` or `x`
/// and `y` in coordinates of the map.
pub(super) fn read(path: &Path) -> Result<Vec<Front>, String> {
    let wrong = |fault: String| format!("{}: {fault}", path.display());
    let fronts = FRONTS.text(path, |text| parse(&text)).map_err(|error| wrong(error.to_string()))?.map_err(wrong)?;
    match fronts.len() {
        0 => Err(format!("{}: has no rows", path.display())),
        _ => Ok(fronts),
    }
}

fn parse(text: &str) -> Result<Vec<Front>, String> {
    let mut table = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let heading = table.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| heading.iter().position(|word| word.eq_ignore_ascii_case(name));
    let unit_s = [("time", 1.0), ("time_s", 1.0), ("time_h", 3600.0), ("time_d", 86_400.0)];
    let time = unit_s.iter().find_map(|(name, seconds)| Some((column(name)?, *seconds)));
    let (time, unit_s) = time.ok_or("needs a column time, time_h or time_d")?;
    let distance = column("distance_m");
    let point = column("x").zip(column("y"));
    if distance.is_none() && point.is_none() {
        return Err("needs a column distance_m, or x and y".to_owned());
    }
    let row = |(i, record): (usize, Result<csv::StringRecord, csv::Error>)| {
        let record = record.map_err(|error| tame(&error.to_string()))?;
        if i == MOST {
            return Err(format!("has more than {MOST} rows"));
        }
        let cell = |column: usize| record.get(column).unwrap_or_default();
        let wrong = |column: usize| {
            let (name, found) = (heading.get(column).unwrap_or_default(), tame(cell(column)));
            format!("row {}: {name} = {found}: must be a number", i + 2)
        };
        let number = |column: usize| {
            cell(column).parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(|| wrong(column))
        };
        let time_s = match cell(time).parse::<Seconds>() {
            Ok(Seconds(seconds)) if seconds > 0.0 => seconds * unit_s,
            _ => return Err(format!("row {}: {} is no time above 0", i + 2, tame(cell(time)))),
        };
        let place = match (distance, point) {
            (Some(column), _) => Place::Distance(number(column)?),
            (None, Some((x, y))) => Place::Point([number(x)?, number(y)?]),
            (None, None) => return Err("needs a place".to_owned()),
        };
        Ok(Front { time_s, place })
    };
    table.records().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts_are_distances_or_points() {
        let read = |text: &str| parse(text);
        let metres = read("time,distance_m\n6h,350\n86400,900.5\n").expect("right");
        assert_eq!(metres[0], Front { time_s: 21_600.0, place: Place::Distance(350.0) });
        assert_eq!(metres[1], Front { time_s: 86_400.0, place: Place::Distance(900.5) });
        let points = read("x, time_d ,y\n10,0.5,20\n").expect("right");
        assert_eq!(points, [Front { time_s: 43_200.0, place: Place::Point([10.0, 20.0]) }]);
        for (text, message) in [
            ("distance_m\n1\n", "needs a column time"),
            ("time,x\n1,2\n", "needs a column distance_m"),
            ("time,distance_m\n1,far\n", "row 2: distance_m = far: must be a number"),
            ("time,distance_m\n-1,3\n", "row 2: -1 is no time above 0"),
        ] {
            assert!(read(text).is_err_and(|fault| fault.starts_with(message)), "{text}");
        }
    }
}
