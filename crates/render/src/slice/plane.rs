//! Position of a slice as users write it, such as `z=64`.

use std::fmt;
use std::str::FromStr;

use super::Axis;
use crate::Ruler;
use lavoxel_base::validate::Invalid;
use lavoxel_geo::map::Site;

/// Names of the axes, indexed by [`Axis::number`].
const NAMES: [&str; 3] = ["x", "y", "z"];

impl Axis {
    /// Returns the axis with the name `x`, `y` or `z`; `None` for any other text.
    pub fn named(name: &str) -> Option<Self> {
        Some([Self::X, Self::Y, Self::Z][NAMES.iter().position(|axis| *axis == name.trim())?])
    }
}

/// Plane of a slice as users write it: `z=64` (index of a cell), `y=735m` (metres) or
/// `x=map:2667675` (map coordinate).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Axis to which the plane is perpendicular.
    pub axis: Axis,
    place: PlanePosition,
}

/// Position of a slice's plane along its axis, in the unit that the user chose.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PlanePosition {
    Cell(usize),
    /// Distance in metres from the west or north side of the simulation box; along y the elevation.
    Metres(f64),
    /// Map coordinate along x or z, in the unit of the terrain's coordinate system.
    Map(f64),
}

impl FromStr for Plane {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "\"{text}\" is not a slice such as z=64 (cells), z=640m, y=735m (elevation) or x=map:499800"
            )
        };
        let (axis, place) = text.split_once('=').ok_or_else(wrong)?;
        let axis = Axis::named(axis).ok_or_else(wrong)?;
        let number = |part: &str| {
            part.trim()
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .ok_or_else(wrong)
        };
        let place = place.trim();
        let place = match (place.strip_prefix("map:"), place.strip_suffix('m')) {
            (Some(_), _) if axis == Axis::Y => return Err(wrong()),
            (Some(coordinate), _) => PlanePosition::Map(number(coordinate)?),
            (None, Some(metres)) => PlanePosition::Metres(number(metres)?),
            (None, None) => PlanePosition::Cell(place.parse().map_err(|_| wrong())?),
        };
        Ok(Self { axis, place })
    }
}

impl fmt::Display for Plane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = NAMES[self.axis.number()];
        match self.place {
            PlanePosition::Cell(cell) => write!(f, "{axis}={cell}"),
            PlanePosition::Metres(metres) => write!(f, "{axis}={metres}m"),
            PlanePosition::Map(coordinate) => write!(f, "{axis}=map:{coordinate}"),
        }
    }
}

impl Plane {
    /// Returns the index of the plane of cells in which this plane lies, for a simulation box at
    /// `site`.
    ///
    /// # Errors
    ///
    /// If the plane lies outside the simulation box, or is given in map coordinates and the terrain
    /// has none.
    pub fn cell(self, site: &Site) -> Result<usize, Invalid> {
        let axis = self.axis.number();
        let count = [site.grid.nx, site.grid.ny, site.grid.nz][axis];
        let key = "slice.cell";
        let metres = &Ruler::metres(site)[axis];
        // The error names the valid range in the user's own unit.
        let part = |ruler: &Ruler, unit: &str| {
            let (a, b) = (ruler.at(0.0), ruler.at(count as f64));
            format!("{}{unit} to {}{unit}", a.min(b), a.max(b))
        };
        match self.place {
            PlanePosition::Cell(cell) if cell < count => Ok(cell),
            PlanePosition::Cell(cell) => {
                let expected = format!("0 to {} (cells), or {}", count - 1, part(metres, "m"));
                Err(Invalid::new(key, cell, expected))
            }
            PlanePosition::Metres(value) => found(metres, value, count)
                .ok_or_else(|| Invalid::new(key, format!("{value}m"), part(metres, "m"))),
            PlanePosition::Map(value) => {
                let value_of = format!("map:{value}");
                let none = || {
                    Invalid::new(
                        key,
                        &value_of,
                        "in cells or metres: the terrain has no map coordinates",
                    )
                };
                let map = &Ruler::of_map(site).ok_or_else(none)?[usize::from(self.axis == Axis::Z)];
                found(map, value, count).ok_or_else(|| Invalid::new(key, &value_of, part(map, "")))
            }
        }
    }
}

/// Returns the index of the cell in which `ruler` has the value `value`; `count`: number of cells
/// along the ruler. `None` if the value lies outside of the simulation box.
fn found(ruler: &Ruler, value: f64, count: usize) -> Option<usize> {
    let cells = (value - ruler.start) / ruler.per_cell;
    // The far side of the simulation box belongs to the last cell.
    (0.0..=count as f64)
        .contains(&cells)
        .then(|| (cells as usize).min(count - 1))
}

#[cfg(test)]
mod tests {
    use lavoxel_base::grid::Grid;
    use lavoxel_geo::map::{Crs, Georeference};

    use super::*;

    fn site() -> Site {
        let crs = Crs::default();
        let georeference = Georeference {
            x_west: 500_000.0,
            y_north: 4_000_000.0,
            metres_per_unit: (1.0, 1.0),
            crs,
        };
        Site {
            grid: Grid::new(64, 40, 32),
            cell_size_m: 10.0,
            floor_m: 600.0,
            vertical_exaggeration: 2.0,
            georeference: Some(georeference),
        }
    }

    fn cell(text: &str, site: &Site) -> Result<usize, String> {
        text.parse::<Plane>()?
            .cell(site)
            .map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn slices_are_placed_in_cells_metres_and_on_the_map() {
        for (text, expected) in [
            ("x=62", 62),
            ("x=0m", 0),
            ("x = 629.9m", 62),
            ("x=640m", 63),
            ("z=105m", 10),
            ("y=600m", 0),
            ("y=735m", 27),
            ("x=map:500105", 10),
            ("z=map:4000000", 0),
            ("z=map:3999895", 10),
        ] {
            assert_eq!(cell(text, &site()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_slice_outside_the_box_is_told_its_range() {
        for (text, message) in [
            (
                "z=32",
                "slice.cell = 32: must be 0 to 31 (cells), or 0m to 320m",
            ),
            (
                "y=40",
                "slice.cell = 40: must be 0 to 39 (cells), or 600m to 800m",
            ),
            ("x=641m", "slice.cell = 641m: must be 0m to 640m"),
            ("y=-5m", "slice.cell = -5m: must be 600m to 800m"),
            ("z=map:7", "slice.cell = map:7: must be 3999680 to 4000000"),
        ] {
            assert_eq!(cell(text, &site()), Err(message.to_owned()));
        }
        let nowhere = Site {
            georeference: None,
            ..site()
        };
        let message =
            "slice.cell = map:7: must be in cells or metres: the terrain has no map coordinates";
        assert_eq!(cell("x=map:7", &nowhere), Err(message.to_owned()));
    }

    #[test]
    fn what_is_no_slice_is_refused() {
        for text in [
            "", "x", "w=3", "x=", "x=-1", "x=1.5", "x=m", "x=nanm", "x=map:", "y=map:5",
            "x=1e400m", "x=3 4",
        ] {
            assert!(
                text.parse::<Plane>()
                    .is_err_and(|message| message.contains("is not a slice")),
                "{text}"
            );
        }
    }
}
