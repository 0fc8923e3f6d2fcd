//! Observations of an eruption, resampled to the columns of the box, and their agreement with a
//! run.

use std::path::{Path, PathBuf};

use ndarray::Array2;

use super::fronts::{self, Front};
use crate::compare::{DatedFile, Limit, Pair, Source};
use lavoxel_base::memory::Held;
use lavoxel_flow::Flow;
use lavoxel_geo::map::compare::{Agreement, Footprint};
use lavoxel_geo::map::{Placement, Site};
use lavoxel_scene::scene::Seconds;
use lavoxel_sim::records::FlowRecords;

/// Observation at one time.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    /// Display name.
    pub(super) name: String,
    /// Time of the observation, in seconds.
    pub(super) time_s: f64,
    /// Weight in the score, relative to the other observations.
    pub(super) weight: f64,
    sort: Sort,
}

#[derive(Clone, Debug)]
enum Sort {
    /// Mask of columns covered by lava, number of outline cells outside the box, and thickness
    /// threshold in metres for the run.
    Outline {
        inside: Vec<bool>,
        beyond: usize,
        above_m: f32,
    },
    /// Thickness of each column in metres, and the sum of the thicknesses outside the box.
    Thickness { metres: Vec<f32>, beyond: f64 },
    /// Distance in metres of the front from the point `from` (column, row), and thickness threshold
    /// in metres for the run.
    Front {
        from: [f64; 2],
        distance_m: f64,
        above_m: f32,
    },
}

/// Reader of observations for a box and its map.
pub(super) struct Onto<'a> {
    pub(super) site: &'a Site,
    /// End time of the runs, in seconds.
    pub(super) end_s: f64,
    /// Thickness threshold in metres above which a column counts as covered.
    pub(super) above_m: f64,
    /// Origin of front distances (column, row).
    pub(super) from: [f64; 2],
}

impl Onto<'_> {
    fn time_of(&self, file: &DatedFile) -> Result<f64, String> {
        let Some(Seconds(at)) = file.at else {
            return Ok(self.end_s);
        };
        if at > self.end_s {
            return Err(format!(
                "{file}: is after the end of the runs ({}); pass a longer --duration",
                Seconds(self.end_s)
            ));
        }
        Ok(at)
    }

    /// Reads an outline: polygons, or a raster with cells above the threshold as covered.
    pub(super) fn outline(&self, file: &DatedFile) -> Result<Observation, String> {
        let limit = Limit {
            above: self.above_m,
            until: None,
            keeps: false,
            no_data: None,
        };
        let (inside, beyond) = self.inside(&Source::read(&file.path, limit)?, &file.path)?;
        if !inside.contains(&true) {
            return Err(format!(
                "{}: nothing of it lies in the box",
                file.path.display()
            ));
        }
        let sort = Sort::Outline {
            inside,
            beyond,
            above_m: self.above_m as f32,
        };
        Ok(Observation {
            name: name_of(file),
            time_s: self.time_of(file)?,
            weight: 1.0,
            sort,
        })
    }

    /// Returns the mask of columns that a footprint covers, and the number of the footprint's cells
    /// outside the box.
    fn inside(&self, source: &Source, path: &Path) -> Result<(Vec<bool>, usize), String> {
        let place = self.site.placement();
        let empty = Footprint {
            place,
            inside: Array2::from_elem((place.rows, place.cols), false),
        };
        let crs = self.site.crs().cloned();
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

    /// Reads a raster of thicknesses in metres.
    pub(super) fn thickness(&self, file: &DatedFile) -> Result<Observation, String> {
        // Reading the footprint also checks coordinate system and extent.
        let limit = Limit {
            above: 0.0,
            until: None,
            keeps: true,
            no_data: None,
        };
        let source = Source::read(&file.path, limit)?;
        let Source::Raster {
            is_time: false,
            footprint,
            values,
            ..
        } = &source
        else {
            return Err(format!(
                "{}: thickness is a raster in metres (.tif, .asc)",
                file.path.display()
            ));
        };
        let (inside, _) = self.inside(&source, &file.path)?;
        if !inside.contains(&true) {
            return Err(format!(
                "{}: has no thickness above 0 in the box",
                file.path.display()
            ));
        }
        let (place, own) = (footprint.place, self.site.placement());
        let metres = |value: f32| if value > 0.0 { value } else { 0.0 };
        let here = source.numbers_onto(&own).unwrap_or_default();
        let here: Vec<f32> = here.iter().map(|value| metres(*value)).collect();
        let sum = |values: &mut dyn Iterator<Item = f32>| values.map(f64::from).sum::<f64>();
        let all = sum(&mut values.iter().flatten().map(|value| metres(*value)));
        let cells = place.cell.0 * place.cell.1 / (own.cell.0 * own.cell.1);
        let beyond = (all * cells - sum(&mut here.iter().copied())).max(0.0);
        let sort = Sort::Thickness {
            metres: here,
            beyond,
        };
        Ok(Observation {
            name: name_of(file),
            time_s: self.time_of(file)?,
            weight: 1.0,
            sort,
        })
    }

    /// Reads a table of front positions; their summed weight equals that of one outline.
    pub(super) fn fronts(&self, path: &Path) -> Result<Vec<Observation>, String> {
        let fronts = fronts::read(path)?;
        let weight = 1.0 / fronts.len() as f64;
        let of = |(i, front): (usize, &Front)| {
            let file = DatedFile {
                path: path.to_owned(),
                at: Some(Seconds(front.time_s)),
            };
            let time_s = self.time_of(&file)?;
            let distance_m = front.distance_from(self.from, self.site);
            if !(distance_m > 0.0 && distance_m.is_finite()) {
                return Err(format!(
                    "{}: front {} is no distance above 0 from the vent",
                    path.display(),
                    i + 1
                ));
            }
            let sort = Sort::Front {
                from: self.from,
                distance_m,
                above_m: self.above_m as f32,
            };
            Ok(Observation {
                name: name_of(&file),
                time_s,
                weight,
                sort,
            })
        };
        fronts.iter().enumerate().map(of).collect()
    }
}

/// Returns the file name and the time of an observation, as its display name.
fn name_of(file: &DatedFile) -> String {
    let short = PathBuf::from(file.path.file_name().unwrap_or_default());
    DatedFile {
        path: short,
        at: file.at,
    }
    .to_string()
}

/// Returns the column and row in the raster `all` of the north-west corner of the raster `part`.
fn corner(all: &Placement, part: &Placement) -> [usize; 2] {
    let cells = |length: f64, cell: f64| (length / cell).round().max(0.0) as usize;
    [
        cells(part.west - all.west, all.cell.0),
        cells(all.north - part.north, all.cell.1),
    ]
}

impl Observation {
    /// Returns the agreement with a run, 0 (none) to 1 (perfect): for outlines the fit √(∩/∪), for
    /// thicknesses 1 − Σ|a − b| / Σ(a + b), for a front the smaller distance over the larger.
    pub(super) fn score(&self, flow: &Flow, records: &FlowRecords, site: &Site) -> f64 {
        match &self.sort {
            Sort::Outline {
                inside,
                beyond,
                above_m,
            } => {
                let covered = records
                    .thickness_m()
                    .iter()
                    .map(|thickness| thickness > above_m);
                let found = covered.zip(inside).fold(
                    Agreement {
                        a: 0,
                        b: *beyond,
                        both: 0,
                    },
                    |found, (a, b)| Agreement {
                        a: found.a + usize::from(a),
                        b: found.b + usize::from(*b),
                        both: found.both + usize::from(a && *b),
                    },
                );
                found.fit().unwrap_or(0.0)
            }
            Sort::Thickness { metres, beyond } => {
                // Observed lava outside of the box cannot be met: it counts as difference and as
                // sum.
                let mut sums = [*beyond; 2];
                for (number, metres) in metres.iter().enumerate() {
                    let column = flow.column(number);
                    let (a, b) = (column.liquid_m + column.set_m, f64::from(*metres));
                    sums = [sums[0] + (a - b).abs(), sums[1] + a + b];
                }
                if sums[1] > 0.0 {
                    1.0 - sums[0] / sums[1]
                } else {
                    0.0
                }
            }
            Sort::Front {
                from,
                distance_m,
                above_m,
            } => {
                let reach = reach_m(records, *from, *above_m, site);
                reach.min(*distance_m) / reach.max(*distance_m)
            }
        }
    }
}

/// Returns the distance in metres from `from` (column, row) to the farthest column thicker than
/// `above_m` metres.
fn reach_m(records: &FlowRecords, from: [f64; 2], above_m: f32, site: &Site) -> f64 {
    let nx = site.grid.nx;
    let covered = records
        .thickness_m()
        .iter()
        .enumerate()
        .filter(|(_, thickness)| **thickness > above_m);
    let far = |number: usize| {
        let (x, z) = ((number % nx) as f64 + 0.5, (number / nx) as f64 + 0.5);
        (x - from[0]).hypot(z - from[1]) * site.cell_size_m
    };
    covered.map(|(number, _)| far(number)).fold(0.0, f64::max)
}
