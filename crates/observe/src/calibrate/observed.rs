//! Observations of an eruption, resampled to the columns of the simulation box, and the score of a
//! run against each observation.

use std::path::{Path, PathBuf};

use super::fronts::{self, Front};
use crate::compare::{DatedFile, Limit, Outline, Source, inside};
use lavoxel_flow::Flow;
use lavoxel_geo::map::Site;
use lavoxel_scene::scene::Seconds;
use lavoxel_sim::records::FlowRecords;

/// Observation of the lava at one time: an outline, a thickness map or a front position.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    /// Display name of the observation for reports: file name and time.
    pub(super) name: String,
    /// Time of the observation, in seconds since the start of the run.
    pub(super) time_s: f64,
    /// Weight of this observation's score in the score of a run, relative to the other
    /// observations.
    pub(super) weight: f64,
    sort: Sort,
}

#[derive(Clone, Debug)]
enum Sort {
    /// Outline of the lava. `above_m`: thickness in metres above which a simulated column counts as
    /// covered.
    Outline { outline: Outline, above_m: f32 },
    /// Thickness map. `metres`: observed thickness of each column, in metres; `beyond`: observed
    /// volume outside of the simulation box divided by the area of a column, in metres.
    Thickness { metres: Vec<f32>, beyond: f64 },
    /// Front position. `from`: origin of the distance (column, row in cells); `distance_m`:
    /// distance of the front from `from`, in metres; `above_m`: thickness in metres above which a
    /// simulated column counts as covered.
    Front {
        from: [f64; 2],
        distance_m: f64,
        above_m: f32,
    },
}

/// Reader that resamples observation files to the columns of the simulation box.
pub(super) struct Onto<'a> {
    pub(super) site: &'a Site,
    /// End time of the runs, in seconds; the time of observations whose file states none.
    pub(super) end_s: f64,
    /// Thickness in metres above which a column counts as covered by lava.
    pub(super) above_m: f64,
    /// Point from which front distances are measured (column, row in cells).
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

    /// Reads an observed outline: polygons, or a raster whose cells with values above `above_m` are
    /// covered by lava. Returns a message if the file is invalid, if nothing of the outline lies in
    /// the simulation box, or if the time of the file is after the end of the runs.
    pub(super) fn outline(&self, file: &DatedFile) -> Result<Observation, String> {
        let sort = Sort::Outline {
            outline: Outline::read(&file.path, self.site, self.above_m)?,
            above_m: self.above_m as f32,
        };
        Ok(Observation {
            name: name_of(file),
            time_s: self.time_of(file)?,
            weight: 1.0,
            sort,
        })
    }

    /// Reads an observed thickness map, which is a raster in metres. Returns a message if the file
    /// is no such raster, has no lava in the simulation box, or has a time after the end of the
    /// runs.
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
        let (inside, _) = inside(self.site, &source, &file.path)?;
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

    /// Reads a table of front positions as one observation per row, with equal weights that sum to
    /// 1, the weight of one outline. Returns a message if the table is invalid, a front lies at the
    /// origin of the distances, or a time is after the end of the runs.
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

/// Returns the display name of an observation: name of `file` without folder and, if stated, the
/// time of the observation.
fn name_of(file: &DatedFile) -> String {
    let short = PathBuf::from(file.path.file_name().unwrap_or_default());
    DatedFile {
        path: short,
        at: file.at,
    }
    .to_string()
}

impl Observation {
    /// Returns the score of a simulated flow against this observation, from 0 (no agreement) to 1
    /// (equal). Outline: √(∩/∪) of the observed and the simulated area; thickness: 1 − Σ|a − b| /
    /// Σ(a + b) over all columns; front: the smaller of the observed and the simulated distance
    /// divided by the larger.
    pub(super) fn score(&self, flow: &Flow, records: &FlowRecords, site: &Site) -> f64 {
        match &self.sort {
            Sort::Outline { outline, above_m } => {
                let thickness = records.thickness_m().iter().enumerate();
                let covered = thickness.filter(|(_, thickness)| *thickness > above_m);
                outline.fit(covered.map(|(column, _)| column))
            }
            Sort::Thickness { metres, beyond } => {
                // Observed lava outside of the simulation box cannot be met: it counts as
                // difference and as sum.
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

/// Returns the distance in metres from `from` (column, row in cells) to the farthest column whose
/// recorded largest thickness exceeds `above_m` metres; 0 if no column does.
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
