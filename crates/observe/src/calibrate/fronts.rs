//! Observed positions of the lava front at several times, read from a table.

use std::path::Path;

use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::FRONTS;
use lavoxel_files::table::{Table, TableRow};
use lavoxel_geo::map::Site;
use lavoxel_scene::scene::Seconds;

/// Upper bound on the number of rows of a table of front positions.
const MOST: usize = 10_000;

/// Observed position of the lava front at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Front {
    pub(super) time_s: f64,
    place: FrontPosition,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum FrontPosition {
    /// Distance of the front from the vent, in metres.
    Distance(f64),
    /// Position of the front as [x, y] in the map coordinates of the scene.
    Point([f64; 2]),
}

impl Front {
    /// Returns the distance in metres on the ground from the point `from` (column, row in cells) to
    /// the front. For a front that the table states as a distance, returns that distance and
    /// ignores `from`.
    pub(super) fn distance_from(&self, from: [f64; 2], site: &Site) -> f64 {
        match self.place {
            FrontPosition::Distance(metres) => metres,
            FrontPosition::Point(point) => {
                let [col, row] = site.cells_near(point);
                (col - from[0]).hypot(row - from[1]) * site.cell_size_m
            }
        }
    }
}

/// Reads a table (`.csv`) of front positions. The header names the column of the time, `time`
/// (seconds, or with a unit such as 6h), `time_h` or `time_d`, and those of the position,
/// `distance_m` or `x` and `y` in map coordinates. Returns a message if the file cannot be read or
/// is malformed.
pub(super) fn read(path: &Path) -> Result<Vec<Front>, String> {
    let wrong = |fault: String| format!("{}: {fault}", path.display());
    let fronts = FRONTS
        .text(path, |text| parse(&text))
        .map_err(|error| wrong(error.to_string()))?
        .map_err(wrong)?;
    match fronts.len() {
        0 => Err(format!("{}: has no rows", path.display())),
        _ => Ok(fronts),
    }
}

fn parse(text: &str) -> Result<Vec<Front>, String> {
    let table = Table::parse(text, MOST)?;
    let unit_s = [
        ("time", 1.0),
        ("time_s", 1.0),
        ("time_h", 3600.0),
        ("time_d", 86_400.0),
    ];
    let time = unit_s
        .iter()
        .find_map(|(name, seconds)| Some((table.column(&[name])?, *seconds)));
    let (time, unit_s) = time.ok_or("needs a column time, time_h or time_d")?;
    let distance = table.column(&["distance_m"]);
    let point = table.column(&["x"]).zip(table.column(&["y"]));
    if distance.is_none() && point.is_none() {
        return Err("needs a column distance_m, or x and y".to_owned());
    }
    let front = |row: &TableRow| {
        let time_s = match row.with_point(time).parse::<Seconds>() {
            Ok(Seconds(seconds)) if seconds > 0.0 => seconds * unit_s,
            _ => {
                return Err(row.fault(&format!(
                    "{} is no time above 0",
                    escape_for_terminal(row.text(time))
                )));
            }
        };
        let place = match (distance, point) {
            (Some(column), _) => FrontPosition::Distance(row.number(column, "distance_m")?),
            (None, Some((x, y))) => {
                FrontPosition::Point([row.number(x, "x")?, row.number(y, "y")?])
            }
            (None, None) => return Err("needs a place".to_owned()),
        };
        Ok(Front { time_s, place })
    };
    table.rows().iter().map(front).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts_are_distances_or_points() {
        let read = |text: &str| parse(text);
        let metres = read("time,distance_m\n6h,350\n86400,900.5\n").expect("right");
        assert_eq!(
            metres[0],
            Front {
                time_s: 21_600.0,
                place: FrontPosition::Distance(350.0)
            }
        );
        assert_eq!(
            metres[1],
            Front {
                time_s: 86_400.0,
                place: FrontPosition::Distance(900.5)
            }
        );
        let comma = read("sep=;\ntime;distance_m\n;\n1,5h;900,5\n").expect("right");
        assert_eq!(
            comma,
            [Front {
                time_s: 5400.0,
                place: FrontPosition::Distance(900.5)
            }]
        );
        let points = read("x, time_d ,y\n10,0.5,20\n").expect("right");
        assert_eq!(
            points,
            [Front {
                time_s: 43_200.0,
                place: FrontPosition::Point([10.0, 20.0])
            }]
        );
        for (text, message) in [
            ("distance_m\n1\n", "needs a column time"),
            ("time,x\n1,2\n", "needs a column distance_m"),
            (
                "time,distance_m\n1,far\n",
                "line 2: distance_m \"far\" is no number",
            ),
            ("time,distance_m\n-1,3\n", "line 2: -1 is no time above 0"),
            (
                "time,distance_m\n1,900,5\n",
                "line 2: has 3 fields under a heading of 2",
            ),
        ] {
            assert!(
                read(text).is_err_and(|fault| fault.starts_with(message)),
                "{text}"
            );
        }
    }
}
