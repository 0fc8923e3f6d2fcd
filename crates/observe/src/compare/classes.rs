//! Map of the agreement of two footprints, with the classes hit, miss and false alarm.

use std::path::Path;

use ndarray::Array2;

use super::footprints::Pair;
use lavoxel_base::grid::Grid;
use lavoxel_base::measure::ColumnMeasure;
use lavoxel_files::input::ending;
use lavoxel_files::output::Existing;
use lavoxel_geo::map::{Crs, Georeference, Site};
use lavoxel_io::export::maps::{Raster, Values};
use lavoxel_io::export::{Caption, Class, Provenance};

/// Classes of the agreement map: hit, miss and false alarm, each with cell value, name and colour.
const CLASSES: [Class; 3] = [
    Class {
        number: 1,
        name: "hit: A and B",
        color: [90, 90, 90],
    },
    Class {
        number: 2,
        name: "miss: B alone",
        color: [33, 102, 172],
    },
    Class {
        number: 3,
        name: "false alarm: A alone",
        color: [214, 96, 24],
    },
];

/// Writes the agreement map of `pair` to `path`; `crs` is the coordinate system of the pair's
/// raster.
///
/// # Errors
/// When the file extension is not one of a raster, or the file cannot be written.
pub(super) fn write(
    path: &Path,
    pair: &Pair,
    crs: Option<&Crs>,
    existing: Existing,
) -> Result<(), String> {
    let ending = ending(path);
    if !["tif", "tiff", "asc"].contains(&ending.as_str()) {
        return Err(format!(
            "--classes {}: the map is a raster: .tif or .asc",
            path.display()
        ));
    }
    let (a, b) = (&pair.a.inside, &pair.b.inside);
    let number = |place| match (a[place], b[place]) {
        (true, true) => 1,
        (false, true) => 2,
        (true, false) => 3,
        (false, false) => Values::NO_WHOLE,
    };
    let values = Values::Whole(Array2::from_shape_fn(a.dim(), number));
    // A caption outside of a simulation: only its words and classes are used, the ramp is a
    // placeholder.
    let caption = Caption {
        name: "classes".to_owned(),
        words: "agreement".to_owned(),
        title: "Hits, misses and false alarms".to_owned(),
        description: "1 both footprints, 2 the observed alone, 3 the simulated alone".to_owned(),
        unit: "",
        ramp: ColumnMeasure::Arrival.ramp(),
        above: None,
        note: None,
        runs: None,
        classes: &CLASSES,
    };
    let about = Provenance {
        scene: "two footprints".to_owned(),
        ..Provenance::default()
    };
    let site = site_of(pair, crs);
    let ground = || Array2::zeros(a.dim());
    let raster = Raster::new(&caption, values, &ground, &site, &about);
    raster
        .write(path, None, existing)
        .map_err(|error| error.to_string())
}

/// Returns a `Site` with the cells and the map position of the raster of `pair`, as the raster
/// writer expects. `crs`: coordinate system of the raster.
fn site_of(pair: &Pair, crs: Option<&Crs>) -> Site {
    let place = pair.a.place;
    let cell_size_m = place.cell.0 * pair.metres.0;
    let metres_per_unit = (cell_size_m / place.cell.0, cell_size_m / place.cell.1);
    let crs = crs.cloned().unwrap_or_default();
    Site {
        grid: Grid {
            nx: place.cols,
            ny: 1,
            nz: place.rows,
        },
        cell_size_m,
        floor_m: 0.0,
        vertical_exaggeration: 1.0,
        georeference: Some(Georeference {
            x_west: place.west,
            y_north: place.north,
            metres_per_unit,
            crs,
        }),
    }
}
