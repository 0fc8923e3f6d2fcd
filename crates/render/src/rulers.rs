//! Scales of the axes (rulers) of the simulation box in pictures: distances, elevations, map
//! coordinates.

use super::Ruler;
use lavoxel_geo::map::{Placement, Site};

/// Length in metres of the simulation box's longer side up to which distances are written in
/// metres; for longer boxes in kilometres.
const MOST_METRES: f64 = 20_000.0;

impl Ruler {
    /// Returns rulers along x, y and z in metres: distances from the north-west corner of the
    /// simulation box, and elevations.
    pub fn metres(site: &Site) -> [Self; 3] {
        let distance = |name| Self::new(name, "m", 0.0, site.cell_size_m);
        let stretch = site.vertical_exaggeration;
        let even = (stretch - 1.0).abs() < 0.005;
        let note = if even {
            String::new()
        } else {
            format!("drawn × {}", (100.0 * stretch).round() / 100.0)
        };
        let elevation = Self {
            note,
            ..Self::new("elevation", "m", site.floor_m, site.cell_height_m())
        };
        [
            distance("distance east"),
            elevation,
            distance("distance south"),
        ]
    }

    /// Returns rulers in map coordinates along x and z; `None` if the terrain of `site` has no map
    /// coordinates.
    pub fn of_map(site: &Site) -> Option<[Self; 2]> {
        site.georeference.as_ref()?;
        let (names, unit) = match site.map_unit() {
            "degree" => (["longitude", "latitude"], "°"),
            unit => (["easting", "northing"], unit),
        };
        let Placement {
            west, north, cell, ..
        } = site.placement();
        Some([
            Self::new(names[0], unit, west, cell.0),
            Self::new(names[1], unit, north, -cell.1),
        ])
    }

    /// Returns the rulers for pictures of slices along x, y and z, the preferred ruler of each axis
    /// first. Along x and z, map coordinates in metres replace distances; map coordinates in other
    /// units follow the distances.
    pub fn all(site: &Site) -> [Vec<Self>; 3] {
        let longest = site.grid.nx.max(site.grid.nz) as f64 * site.cell_size_m;
        let shown = |metres: Self| match longest > MOST_METRES {
            true => Self {
                unit: "km".to_owned(),
                per_cell: metres.per_cell / 1000.0,
                ..metres
            },
            false => metres,
        };
        let [x, y, z] = Self::metres(site);
        let (x, z) = match Self::of_map(site) {
            Some([map_x, map_z]) if map_x.unit == "m" => (vec![map_x], vec![map_z]),
            Some([map_x, map_z]) => (vec![shown(x), map_x], vec![shown(z), map_z]),
            None => (vec![shown(x)], vec![shown(z)]),
        };
        [x, vec![y], z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;
    use lavoxel_geo::map::{Crs, Georeference};

    fn site(georeference: Option<Georeference>) -> Site {
        Site {
            grid: Grid::new(61, 27, 87),
            cell_size_m: 10.0,
            floor_m: 58.0,
            vertical_exaggeration: 2.5,
            georeference,
        }
    }

    fn map(metres_per_unit: (f64, f64), epsg: Option<u16>) -> Georeference {
        let crs = epsg.and_then(Crs::from_epsg).unwrap_or_default();
        Georeference {
            x_west: 174.0,
            y_north: -36.0,
            metres_per_unit,
            crs,
        }
    }

    fn titles(rulers: &[Ruler]) -> Vec<String> {
        rulers.iter().map(Ruler::title).collect()
    }

    #[test]
    fn elevations_are_true_and_not_stretched() {
        let site = site(None);
        let [_, y, _] = Ruler::all(&site);
        assert_eq!(titles(&y), ["elevation [m], drawn × 2.5"]);
        assert_eq!([y[0].at(0.0), y[0].at(10.0)], [58.0, 98.0]);
        assert_eq!(y[0].at(26.0), site.elevation_m(26.0));
        let plain = Site {
            vertical_exaggeration: 1.0,
            ..site
        };
        assert_eq!(titles(&Ruler::all(&plain)[1]), ["elevation [m]"]);
    }

    #[test]
    fn without_a_map_distances_start_in_the_north_west() {
        let [x, _, z] = Ruler::all(&site(None));
        assert_eq!(
            [titles(&x), titles(&z)],
            [["distance east [m]"], ["distance south [m]"]]
        );
        assert_eq!([x[0].at(61.0), z[0].at(87.0)], [610.0, 870.0]);
        let wide = Site {
            cell_size_m: 434.0,
            ..site(None)
        };
        let [x, ..] = Ruler::all(&wide);
        assert_eq!(
            (titles(&x), x[0].at(50.0)),
            (vec!["distance east [km]".to_owned()], 21.7)
        );
    }

    #[test]
    fn a_map_in_metres_gives_its_coordinates() {
        let place = Georeference {
            x_west: 2_667_400.0,
            y_north: 6_479_580.0,
            ..map((1.0, 1.0), None)
        };
        let site = site(Some(place.clone()));
        let [x, _, z] = Ruler::all(&site);
        assert_eq!(
            [titles(&x), titles(&z)],
            [["easting [m]"], ["northing [m]"]]
        );
        assert_eq!((x[0].at(27.5), z[0].at(31.5)), place.to_map(275.0, 315.0));
    }

    #[test]
    fn a_map_in_other_units_gives_both() {
        let degrees = site(Some(map((89_000.0, 111_000.0), Some(4326))));
        let [x, _, z] = Ruler::all(&degrees);
        assert_eq!(titles(&x), ["distance east [m]", "longitude [°]"]);
        assert_eq!(titles(&z), ["distance south [m]", "latitude [°]"]);
        assert!((z[1].at(87.0) - (-36.0 - 870.0 / 111_000.0)).abs() < 1e-12);
        let feet = site(Some(map((0.3048, 0.3048), None)));
        assert_eq!(
            titles(&Ruler::all(&feet)[0]),
            ["distance east [m]", "easting [map unit]"]
        );
    }
}
