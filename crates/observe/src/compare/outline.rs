//! Observed outline of the lava, on the columns of a simulation box.

use std::path::Path;

use ndarray::Array2;

use super::footprints::{Limit, Pair, Source};
use lavoxel_base::memory::Held;
use lavoxel_geo::map::compare::{Agreement, Footprint};
use lavoxel_geo::map::{Placement, Site};

/// Outline of the lava at one time.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// Mask of the columns that lava covered, row-major.
    inside: Vec<bool>,
    /// Number of columns in `inside` that lava covered.
    covered: usize,
    /// Number of covered cells outside of the simulation box.
    beyond: usize,
}

impl Outline {
    /// Reads an observed outline: polygons, or a raster whose cells with values above `above` are
    /// covered by lava. Returns a message if the file is invalid, or if nothing of the outline lies
    /// in the simulation box `site`.
    pub(crate) fn read(path: &Path, site: &Site, above: f64) -> Result<Self, String> {
        let limit = Limit {
            above,
            until: None,
            keeps: false,
            no_data: None,
        };
        let (inside, beyond) = inside(site, &Source::read(path, limit)?, path)?;
        let covered = inside.iter().filter(|inside| **inside).count();
        if covered == 0 {
            return Err(format!("{}: nothing of it lies in the box", path.display()));
        }
        Ok(Self {
            inside,
            covered,
            beyond,
        })
    }

    /// Returns the fit √(∩/∪), from 0 to 1, of this outline and of the lava in the columns with the
    /// indices `lava`, each named once.
    pub(crate) fn fit(&self, lava: impl Iterator<Item = usize>) -> f64 {
        let none = Agreement {
            a: 0,
            b: self.covered + self.beyond,
            both: 0,
        };
        let found = lava.fold(none, |found, column| Agreement {
            a: found.a + 1,
            both: found.both + usize::from(self.inside[column]),
            ..found
        });
        found.fit().unwrap_or(0.0)
    }
}

/// Returns the mask of the columns that the footprint `source` covers (row-major), and the
/// number of the footprint's raster cells outside of the simulation box. `path`: file of the
/// footprint, for messages.
pub(crate) fn inside(
    site: &Site,
    source: &Source,
    path: &Path,
) -> Result<(Vec<bool>, usize), String> {
    let place = site.placement();
    let empty = Footprint {
        place,
        inside: Array2::from_elem((place.rows, place.cols), false),
    };
    let crs = site.crs().cloned();
    let own = Source::Raster {
        footprint: empty,
        crs,
        is_time: false,
        values: None,
        _held: Held::default(),
    };
    let b = Pair::new((&own, Path::new("the box")), (source, path), None)?.b;
    let [west, north] = corner(&b.place, &place);
    let is_column = |row: usize, col: usize| {
        (north..north + place.rows).contains(&row) && (west..west + place.cols).contains(&col)
    };
    let covered = b.inside.indexed_iter().filter(|(_, inside)| **inside);
    let beyond = covered
        .filter(|((row, col), _)| !is_column(*row, *col))
        .count();
    let rows = b.inside.slice(ndarray::s![
        north..north + place.rows,
        west..west + place.cols
    ]);
    Ok((rows.iter().copied().collect(), beyond))
}

/// Returns the position (column, row) that the north-west cell of the raster `part` has in the
/// larger raster `all`; both have equal cells.
fn corner(all: &Placement, part: &Placement) -> [usize; 2] {
    let cells = |length: f64, cell: f64| (length / cell).round().max(0.0) as usize;
    [
        cells(part.west - all.west, all.cell.0),
        cells(all.north - part.north, all.cell.1),
    ]
}
