//! Tables `[[vent]]` and `[[source]]`: vents with a position on the summit, in cells, in metres or
//! in map coordinates.

mod keys;

use serde::{Deserialize, Serialize};

use self::keys::Keys;
use lavoxel_base::grid::Grid;
use lavoxel_base::param::Table;
use lavoxel_base::validate::{Invalid, within};
use lavoxel_base::words::short;
use lavoxel_geo::terrain::Surface;
use lavoxel_sim::source::{
    FUME, VentAir, VentFlow, VentSpec, check_height, check_pouring, default_energy, default_radius,
    default_rate,
};

/// Position of a vent, or of the first point of a fissure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VentPlace {
    /// Crater of the built-in volcano; on any other ground, the highest column away from the sides.
    Summit,
    /// Position in cells east and south of the simulation box's north-west corner.
    Cells {
        /// Distance east of the simulation box's western side, in cells.
        x: f64,
        /// Distance south of the simulation box's northern side, in cells.
        z: f64,
    },
    /// Position in metres east and south of the simulation box's north-west corner.
    Metres {
        /// Distance east of the simulation box's western side, in metres.
        x_m: f64,
        /// Distance south of the simulation box's northern side, in metres.
        z_m: f64,
    },
    /// Position in the map coordinates of the terrain's file.
    Map {
        /// Easting or longitude of the vent, in map units.
        map_x: f64,
        /// Northing or latitude of the vent, in map units.
        map_y: f64,
    },
}

/// Radius of a vent, or half the width of a fissure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VentRadius {
    /// Radius in cells; in proportion to the simulation box if the vent states `for_box`.
    Cells(f64),
    /// Radius of the vent in metres.
    Metres(f64),
}

/// Rate files of a vent, with the keys that say how to read them.
#[derive(Clone, Debug, PartialEq)]
pub struct RatesFiles {
    /// Paths of the rate files, relative to the folder of the scene.
    pub files: Vec<String>,
    /// Date at which the simulation starts; `None`: the first date in the files.
    pub start: Option<String>,
    /// Number of standard errors that are added to each rate; may be negative.
    pub shift: f64,
    /// Radiated energy per erupted volume in J/m³, by which radiant power is divided to give a
    /// rate; `None` if not given.
    pub radiant_j_m3: Option<f64>,
}

/// Vent as written in a scene. When the ground is known, [`VentTable::on`] converts the table to a
/// [`VentSpec`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Keys", into = "Keys")]
pub struct VentTable {
    /// Centre of the vent, or first point of a fissure.
    pub place: VentPlace,
    /// Further points of a fissure in the units of `place`; empty for a round vent.
    pub to: Vec<[f64; 2]>,
    /// Radius of the vent. The column of the centre, or all columns that a fissure crosses, belong
    /// to the vent even if the radius is 0.
    pub radius: VentRadius,
    /// Height above the floor of the simulation box, in cells, of the cells into which the vent
    /// pours; `None`: liquids enter on the ground, grains below the roof.
    pub height: Option<f64>,
    /// Volume that the whole vent pours per step, in full cells; for grains, the probability of a
    /// grain per cell and step; for a fume, kg/s.
    pub rate: f64,
    /// Size `[x, y, z]` in cells of the simulation box for which `rate` and a radius in cells are
    /// meant. In a box of another size, the radius is proportional to the shorter side, and the
    /// rate to the shorter side × the height. `None`: no scaling.
    pub for_box: Option<[usize; 3]>,
    /// First step in which the vent pours.
    pub start: u64,
    /// Step in which the vent has stopped to pour; `None`: the vent never stops.
    pub end: Option<u64>,
    /// Energy per full cell of poured lava, relative to the default 1.
    pub energy: f64,
    /// Name of the poured material, in a `[[source]]` table; `None`: lava.
    pub material: Option<String>,
    /// Gas, ash and jet that the vent adds to the air; `None`: the default of a lava vent.
    pub air: Option<Box<VentAir>>,
    /// Rates and temperature in the physical model, in which `rate` and `energy` are not allowed;
    /// `None` in the cellular automaton (classic model).
    pub flow: Option<Box<VentFlow>>,
    /// Rate files that have not been read into `flow` yet; `None` if no file is left to be read.
    pub rates: Option<Box<RatesFiles>>,
}

impl Default for VentTable {
    /// Creates a lava vent on the summit that pours from step 0 on, without end.
    fn default() -> Self {
        Self {
            place: VentPlace::Summit,
            to: Vec::new(),
            radius: VentRadius::Cells(default_radius()),
            height: None,
            rate: default_rate(),
            for_box: None,
            start: 0,
            end: None,
            energy: default_energy(),
            material: None,
            air: None,
            flow: None,
            rates: None,
        }
    }
}

impl From<VentSpec> for VentTable {
    fn from(vent: VentSpec) -> Self {
        let VentSpec {
            x,
            z,
            line,
            radius,
            height,
            rate,
            start,
            end,
            energy,
            material,
            air,
            flow,
        } = vent;
        let to = line
            .iter()
            .map(|[east, south]| [x + east, z + south])
            .collect();
        let (place, radius) = (VentPlace::Cells { x, z }, VentRadius::Cells(radius));
        Self {
            place,
            to,
            radius,
            height,
            rate,
            for_box: None,
            start,
            end,
            energy,
            material,
            air,
            flow,
            rates: None,
        }
    }
}

impl VentTable {
    /// Creates a lava vent at `place`, with defaults for all other keys.
    pub fn at(place: VentPlace) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// Returns true if the vent is a fume, which adds heat, ash and steam to the air only.
    pub fn is_fume(&self) -> bool {
        self.material.as_deref() == Some(FUME)
    }

    /// Converts the table to a vent in cells; `None` if position or radius is not in cells, or the
    /// table states `for_box`.
    pub fn in_cells(&self) -> Option<VentSpec> {
        let (VentPlace::Cells { x, z }, VentRadius::Cells(radius), None) =
            (self.place, self.radius, self.for_box)
        else {
            return None;
        };
        Some(self.pouring_at((x, z), &self.to, radius, self.rate))
    }

    /// Returns the scale factors (of the radius, of the rate) from the box of `for_box` to a box of
    /// shape `grid`; (1, 1) without `for_box`.
    ///
    /// The radius is proportional to the shorter side, and the rate to the shorter side × the
    /// height: the volume to be filled is proportional to this product and once more to the side,
    /// and so is the number of steps that lava takes across the simulation box.
    fn growth(&self, grid: Grid) -> (f64, f64) {
        let Some([nx, ny, nz]) = self.for_box else {
            return (1.0, 1.0);
        };
        let wide = grid.nx.min(grid.nz) as f64 / nx.min(nz) as f64;
        (wide, wide * (grid.ny as f64 / ny as f64))
    }

    /// Returns the radius of the vent in cells, scaled to a box of shape `grid` with cells `cell_m`
    /// metres wide.
    pub(super) fn radius_in(&self, grid: Grid, cell_m: f64) -> f64 {
        match self.radius {
            VentRadius::Cells(cells) => cells * self.growth(grid).0,
            VentRadius::Metres(metres) => metres / cell_m,
        }
    }

    /// Returns an upper bound on the extent (x, z) of the vent in cells, in a box of shape `grid`
    /// with cells `cell_m` metres wide.
    pub(super) fn extent(&self, grid: Grid, cell_m: f64) -> [f64; 2] {
        let unit = match self.place {
            VentPlace::Summit => 0.0,
            VentPlace::Cells { .. } => 1.0,
            VentPlace::Metres { .. } => 1.0 / cell_m,
            // Map coordinates cannot be converted before the terrain is read.
            VentPlace::Map { .. } => f64::INFINITY,
        };
        let first = match self.place {
            VentPlace::Summit => [0.0; 2],
            VentPlace::Cells { x, z } => [x, z],
            VentPlace::Metres { x_m, z_m } => [x_m, z_m],
            VentPlace::Map { map_x, map_y } => [map_x, map_y],
        };
        let disc = 2.0 * self.radius_in(grid, cell_m) + 2.0;
        [(0, grid.nx), (1, grid.nz)].map(|(axis, n)| {
            let all = || self.to.iter().map(|point| point[axis]).chain([first[axis]]);
            let long = all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min);
            (disc + if long > 0.0 { long * unit } else { 0.0 }).min(n as f64)
        })
    }

    /// Checks all values that do not depend on the ground. `key`: name of the table in messages,
    /// such as `vent[0]`.
    ///
    /// # Errors
    /// Returns an error that names the first invalid number.
    pub fn validate(&self, key: &str, grid: Grid) -> Result<(), Invalid> {
        if let Some(spec) = self.in_cells() {
            return spec.validate(key, grid);
        }
        Keys::from(self.clone()).check(key)?;
        self.height
            .map_or(Ok(()), |height| check_height(key, height, grid))?;
        self.air
            .as_ref()
            .map_or(Ok(()), |air| air.validate(&format!("{key}.air")))?;
        check_pouring(key, self.rate, self.energy, (self.start, self.end))
    }

    /// Converts the table to a vent in cells on the columns of `ground`, in a box of shape `grid`.
    /// `key`: name of the table in messages.
    ///
    /// # Errors
    /// If the vent lies outside of the simulation box, an error with the extent of the box in the
    /// vent's units; also if the vent is in map coordinates and the terrain has no georeference.
    pub fn on(&self, key: &str, ground: &Surface, grid: Grid) -> Result<VentSpec, Invalid> {
        let (x, z) = self.place.on(key, ground)?;
        let point = |&point: &[f64; 2]| {
            self.place
                .with(point)
                .on(&format!("{key}.to"), ground)
                .map(<[f64; 2]>::from)
        };
        let to = self.to.iter().map(point).collect::<Result<Vec<_>, _>>()?;
        let longest = grid.nx.max(grid.nz) as f64;
        match self.radius {
            VentRadius::Cells(cells) => within(
                &format!("{key}.radius"),
                cells,
                0.0,
                longest / self.growth(grid).0,
            )?,
            VentRadius::Metres(metres) => {
                within(
                    &format!("{key}.radius_m"),
                    metres,
                    0.0,
                    longest * ground.cell_size_m,
                )?;
            }
        }
        let (radius, rate) = (
            self.radius_in(grid, ground.cell_size_m),
            self.rate * self.growth(grid).1,
        );
        check_pouring(key, rate, self.energy, (self.start, self.end))?;
        let spec = self.pouring_at((x, z), &to, radius, rate);
        spec.check_line(key)?;
        Ok(spec)
    }

    fn pouring_at(&self, (x, z): (f64, f64), to: &[[f64; 2]], radius: f64, rate: f64) -> VentSpec {
        let line = to
            .iter()
            .map(|point| [point[0] - x, point[1] - z])
            .collect();
        let (start, end, energy) = (self.start, self.end, self.energy);
        let (material, air, flow) = (self.material.clone(), self.air.clone(), self.flow.clone());
        VentSpec {
            x,
            z,
            line,
            radius,
            height: self.height,
            rate,
            start,
            end,
            energy,
            material,
            air,
            flow,
        }
    }
}

impl VentPlace {
    /// Returns a position in the units of this one (cells, metres or map units) with the
    /// coordinates `[a, b]`; `a` is x or east, `b` is z, south or north.
    fn with(self, [a, b]: [f64; 2]) -> Self {
        match self {
            Self::Summit => self,
            Self::Cells { .. } => Self::Cells { x: a, z: b },
            Self::Metres { .. } => Self::Metres { x_m: a, z_m: b },
            Self::Map { .. } => Self::Map { map_x: a, map_y: b },
        }
    }

    /// Converts the position to (x, z) in cells east and south of the north-west corner of
    /// `ground`. `key`: name of the vent's table in messages.
    fn on(self, key: &str, ground: &Surface) -> Result<(f64, f64), Invalid> {
        let (nz, nx) = ground.heights.dim();
        let (nx, nz, cell) = (nx as f64, nz as f64, ground.cell_size_m);
        match self {
            Self::Summit => Ok(ground.summit),
            Self::Cells { x, z } => {
                within(&format!("{key}.x"), x, 0.0, nx)?;
                within(&format!("{key}.z"), z, 0.0, nz)?;
                check_not_degrees(key, (x, z), ground)?;
                Ok((x, z))
            }
            Self::Metres { x_m, z_m } => {
                within(&format!("{key}.x_m"), x_m, 0.0, nx * cell)?;
                within(&format!("{key}.z_m"), z_m, 0.0, nz * cell)?;
                Ok(((x_m / cell).min(nx), (z_m / cell).min(nz)))
            }
            Self::Map { map_x, map_y } => {
                let wrong = |expected: String| {
                    Invalid::new(
                        &format!("{key}.map_x, map_y"),
                        format!("{map_x}, {map_y}"),
                        expected,
                    )
                };
                let Some(map) = &ground.georeference else {
                    return Err(wrong(
                        "left out: the terrain has no place on a map; use x and z, or x_m and z_m"
                            .into(),
                    ));
                };
                let [middle, _] = map.middle(nx * cell, nz * cell);
                let (east_m, south_m) = map.from_map(map.crs.near(map_x, middle), map_y);
                let (x, z) = (east_m / cell, south_m / cell);
                // A coordinate computed from the edge of the simulation box may exceed it in the
                // last digit.
                let slack = 1e-6;
                if !(-slack..=nx + slack).contains(&x) || !(-slack..=nz + slack).contains(&z) {
                    return Err(wrong(format!(
                        "within the box: {}",
                        map.bounds(nx * cell, nz * cell)
                    )));
                }
                Ok((x.clamp(0.0, nx), z.clamp(0.0, nz)))
            }
        }
    }
}

/// Checks that the position (`x`, `z`), which is in cells, would not lie inside the simulation box
/// as longitude and latitude in degrees, because the user could have meant either.
fn check_not_degrees(key: &str, (x, z): (f64, f64), ground: &Surface) -> Result<(), Invalid> {
    let Some(map) = ground
        .georeference
        .as_ref()
        .filter(|map| map.crs.is_geographic())
    else {
        return Ok(());
    };
    let (nz, nx) = ground.heights.dim();
    let (cell, wide, deep) = (
        ground.cell_size_m,
        nx as f64 * ground.cell_size_m,
        nz as f64 * ground.cell_size_m,
    );
    let [middle, _] = map.middle(wide, deep);
    let (east_m, south_m) = map.from_map(map.crs.near(x, middle), z);
    if !((0.0..=wide).contains(&east_m) && (0.0..=deep).contains(&south_m)) {
        return Ok(());
    }
    let (x_m, z_m) = (short(x * cell, 3), short(z * cell, 3));
    let expected = format!(
        "clear: as cells and as longitude and latitude it lies in the box. Write map_x and map_y (--vent map:{x},{z}) for the place on \
         the map, or x_m and z_m (--vent {x_m}m,{z_m}m) for the cells"
    );
    Err(Invalid::new(
        &format!("{key}.x, z"),
        format!("{x}, {z}"),
        expected,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_geo::map::{Crs, Georeference};
    use ndarray::Array2;

    /// Returns a ground of 20 × 10 columns of 5 m, on a map in degrees on which a degree along x is
    /// shorter than a degree along y.
    fn ground() -> Surface {
        let georeference = Georeference {
            x_west: 15.0,
            y_north: 37.75,
            metres_per_unit: (88_000.0, 111_000.0),
            crs: Crs::default(),
        };
        Surface {
            heights: Array2::zeros((10, 20)),
            summit: (7.5, 2.5),
            cell_size_m: 5.0,
            floor_m: 0.0,
            vertical_exaggeration: 1.0,
            georeference: Some(georeference),
            notes: Vec::new(),
        }
    }

    const GRID: Grid = Grid {
        nx: 20,
        ny: 30,
        nz: 10,
    };

    fn read(text: &str) -> Result<VentTable, String> {
        toml::from_str(text).map_err(|e| e.message().to_owned())
    }

    #[test]
    fn all_ways_to_say_a_place_lead_to_the_same_cell() {
        let cells = read("x = 12.0\nz = 4.0\nradius = 2.0").expect("cells");
        let metres = read("x_m = 60.0\nz_m = 20.0\nradius_m = 10.0").expect("metres");
        let (map_x, map_y) = ground()
            .georeference
            .expect("it has one")
            .to_map(60.0, 20.0);
        let map = read(&format!("map_x = {map_x}\nmap_y = {map_y}\nradius = 2.0")).expect("map");
        let place = |vent: &VentTable| vent.on("vent[0]", &ground(), GRID).expect("inside");
        assert_eq!(place(&cells), place(&metres));
        let found = place(&map);
        assert!(
            (found.x - 12.0).abs() < 1e-6 && (found.z - 4.0).abs() < 1e-6,
            "{found:?}"
        );
        assert_eq!(cells.in_cells(), Some(place(&cells)));
        assert_eq!((metres.in_cells(), map.in_cells()), (None, None));
        for vent in [cells, metres, map] {
            assert_eq!(read(&toml::to_string(&vent).expect("words")), Ok(vent));
        }
    }

    #[test]
    fn a_vent_for_another_box_grows_with_the_box() {
        let text = "at = \"summit\"\nradius = 2.0\nrate = 1.5\nfor_box = [5, 10, 40]";
        let vent = read(text).expect("words");
        assert_eq!(
            read(&toml::to_string(&vent).expect("words")),
            Ok(vent.clone())
        );
        let spec = vent.on("vent[0]", &ground(), GRID).expect("inside");
        // Twice as wide and three times as high.
        assert_eq!(
            (spec.x, spec.z, spec.radius, spec.rate),
            (7.5, 2.5, 4.0, 9.0)
        );
        assert_eq!(vent.in_cells(), None);
        let huge = read(&text.replace("1.5", "5e5")).expect("words");
        assert!(
            huge.validate("vent[0]", GRID).is_ok() && huge.on("vent[0]", &ground(), GRID).is_err()
        );
        let none = read(&text.replace("[5,", "[0,"))
            .expect("words")
            .validate("vent[0]", GRID)
            .expect_err("no box");
        assert_eq!(
            none.to_string(),
            "vent[0].for_box = 0: must be a number from 1 to 8192"
        );
    }

    #[test]
    fn exactly_one_place_is_needed() {
        for text in [
            "",
            "x = 1.0",
            "x = 1.0\nz_m = 1.0",
            "x = 1.0\nz = 1.0\nmap_x = 2.0",
            "map_y = 3.0",
            "at = \"summit\"\nx = 1.0",
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains("exactly one place"), "{text}: {message}");
        }
        let message = read("x = 1.0\nz = 1.0\nradius = 1.0\nradius_m = 1.0").expect_err("two");
        assert!(message.contains("either radius or radius_m"), "{message}");
    }

    #[test]
    fn outside_is_said_in_the_words_of_the_vent() {
        let refused = |text: &str| {
            read(text)
                .expect("words")
                .on("vent[3]", &ground(), GRID)
                .expect_err(text)
                .to_string()
        };
        assert_eq!(
            refused("x = 21.0\nz = 0.0"),
            "vent[3].x = 21: must be a number from 0 to 20"
        );
        assert_eq!(
            refused("x_m = 0.0\nz_m = 51.0"),
            "vent[3].z_m = 51: must be a number from 0 to 50"
        );
        assert_eq!(
            refused("x = 1.0\nz = 1.0\nradius_m = 101.0"),
            "vent[3].radius_m = 101: must be a number from 0 to 100"
        );
        let map = refused("map_x = 14.0\nmap_y = 37.7");
        assert!(
            map.starts_with(
                "vent[3].map_x, map_y = 14, 37.7: must be within the box: x 15 to 15.00"
            ),
            "{map}"
        );
        let nowhere = Surface {
            georeference: None,
            ..ground()
        };
        let vent = read("map_x = 15.0\nmap_y = 37.7").expect("words");
        let message = vent
            .on("vent[0]", &nowhere, GRID)
            .expect_err("no map")
            .to_string();
        assert!(message.contains("no place on a map"), "{message}");
    }
}
