//! Exposure of buildings, roads and areas over all runs: probability, arrival and thickness of lava
//! at each asset.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::record::{RecordError, RunRecord};
use super::reduce::{Reduction, RunFiles, Weighted, at_quantile, weight_below};
use super::write::{NOTE, time_name};
use crate::exposure::{Assets, AttributeRow, Reach, write};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::{Existing, OutputError};
use lavoxel_geo::map::Site;

/// Length of an hour in seconds.
const HOUR: f64 = 3600.0;

/// Exposure file of a hazard study: its features, and the columns of the simulation box that these
/// cover.
#[derive(Clone, Debug)]
pub(super) struct Exposure {
    /// Name of the exposure file without folder and extension; part of the names of the output
    /// files.
    pub(super) name: String,
    assets: Assets,
    /// Pairs (column index, asset index), one for each column that an asset covers, sorted by
    /// column.
    places: Vec<(u32, u32)>,
}

/// Results at one asset: arrival times in seconds and largest thicknesses in metres, one for each
/// run whose lava reached the asset, ascending. `weight`: sum of the weights of all runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reached {
    arrivals_s: Vec<Weighted>,
    thicknesses_m: Vec<Weighted>,
    weight: f64,
}

impl Exposure {
    pub(super) fn read(path: &Path, site: &Site) -> Result<Self, String> {
        let assets = Assets::read(path, site).map_err(|fault| format!("--exposure: {fault}"))?;
        let columns = |(i, asset): (usize, &crate::exposure::Asset)| {
            asset
                .columns
                .iter()
                .map(move |column| (*column, i as u32))
                .collect::<Vec<_>>()
        };
        let mut places: Vec<(u32, u32)> =
            assets.list().iter().enumerate().flat_map(columns).collect();
        places.sort_unstable();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Self {
            name,
            assets,
            places,
        })
    }

    /// Estimates the memory of the pairs `places`, and of the results of `runs` runs at all assets.
    pub(super) fn need(&self, runs: u64) -> MemoryEstimate {
        let each = self.assets.list().len().saturating_mul(runs as usize);
        MemoryEstimate::new("the exposure of the runs", each, 16.0).and(MemoryEstimate::new(
            "the columns of the features",
            self.places.len(),
            8.0,
        ))
    }

    /// Reads all run files and returns the results at each asset, in the order of the exposure
    /// file. `reduction`: thickness above which a column counts as reached.
    pub(super) fn reached_assets(
        &self,
        files: &RunFiles,
        reduction: &Reduction,
    ) -> Result<Vec<Reached>, RecordError> {
        let mut all = vec![Reached::default(); self.assets.list().len()];
        let mut total = 0.0;
        files.for_each_weighted(|record, weight| {
            total += weight;
            for (asset, reach) in self.of_run(record, reduction.above_m) {
                let weighted = |value: f64| Weighted::new(value as f32, weight as f32);
                all[asset].arrivals_s.push(weighted(reach.arrival_s));
                all[asset].thicknesses_m.push(weighted(reach.thickness_m));
            }
        })?;
        for reached in &mut all {
            reached.weight = total;
            reached.arrivals_s.sort_unstable_by(Weighted::order);
            reached.thicknesses_m.sort_unstable_by(Weighted::order);
        }
        Ok(all)
    }

    /// Returns the assets that lava reached in the run of `record`, as pairs of asset index and
    /// exposure. `above_m`: thickness in metres above which a column counts as reached.
    fn of_run(&self, record: &RunRecord, above_m: f64) -> Vec<(usize, Reach)> {
        let mut reached: Vec<(u32, (f64, f64, f64))> = Vec::new();
        for here in record
            .reached()
            .filter(|here| f64::from(here.thickness_m) > above_m)
        {
            let from = self
                .places
                .partition_point(|(column, _)| (*column as usize) < here.column);
            let places = self.places[from..]
                .iter()
                .take_while(|(column, _)| *column as usize == here.column);
            let what = (
                f64::from(here.arrival_s),
                f64::from(here.thickness_m),
                f64::NAN,
            );
            reached.extend(places.map(|(_, asset)| (*asset, what)));
        }
        reached.sort_by_key(|(asset, _)| *asset);
        let of_asset = |chunk: &[(u32, (f64, f64, f64))]| {
            let asset = chunk[0].0 as usize;
            let reach = Reach::from_columns(
                chunk.iter().map(|(_, what)| *what),
                self.assets.list()[asset].columns.len(),
            );
            reach.map(|reach| (asset, reach))
        };
        reached
            .chunk_by(|a, b| a.0 == b.0)
            .filter_map(of_asset)
            .collect()
    }

    /// Writes the results of all assets to `folder`, as a table (`.csv`) and as features with
    /// properties (`.geojson`); returns the paths of both files.
    pub(super) fn write(
        &self,
        folder: &Path,
        reached: &[Reached],
        reduction: &Reduction,
    ) -> Result<Vec<PathBuf>, OutputError> {
        let rows: Vec<AttributeRow> = reached
            .iter()
            .map(|reached| reached.row(reduction))
            .collect();
        let paths = ["csv", "geojson"]
            .map(|ending| folder.join(format!("exposure_{}.{ending}", self.name)));
        paths
            .iter()
            .try_for_each(|path| write(path, &self.assets, &rows, NOTE, Existing::Replace))?;
        Ok(paths.into())
    }

    /// Returns a summary line for the report: number of assets that lava reached in any run, and
    /// the asset that lava reached most often.
    pub(super) fn line(&self, reached: &[Reached]) -> String {
        let count = reached
            .iter()
            .filter(|reached| !reached.arrivals_s.is_empty())
            .count();
        let most = self
            .assets
            .list()
            .iter()
            .zip(reached)
            .max_by(|a, b| a.1.probability().total_cmp(&b.1.probability()));
        let most = most.filter(|(_, reached)| reached.probability() > 0.0);
        let most = most.map(|(asset, reached)| {
            format!("; most often {}: {:.2}", asset.name, reached.probability())
        });
        format!(
            "{}: {count} of {} reached by any run{}",
            self.name,
            reached.len(),
            most.unwrap_or_default()
        )
    }
}

impl Reached {
    /// Returns the fraction of all runs, by weight, in which lava reached the asset.
    fn probability(&self) -> f64 {
        self.share_before(f64::INFINITY)
    }

    /// Returns the fraction of all runs, by weight, in which lava reached the asset before `time_s`
    /// seconds.
    fn share_before(&self, time_s: f64) -> f64 {
        weight_below(&self.arrivals_s, time_s) / self.weight.max(1.0)
    }

    fn row(&self, reduction: &Reduction) -> AttributeRow {
        let short = |number: f64, fine: f64| json!((number * fine).round() / fine);
        let of = |numbers: &[Weighted], quantile: f64, scale: f64, fine: f64| match numbers {
            [] => Value::Null,
            numbers => short(f64::from(at_quantile(numbers, quantile)) * scale, fine),
        };
        let hours = |quantile| of(&self.arrivals_s, quantile, 1.0 / HOUR, 1e4);
        let metres = |quantile| of(&self.thicknesses_m, quantile, 1.0, 1e3);
        let mut row: AttributeRow = vec![
            ("probability".into(), short(self.probability(), 1e6)),
            ("arrival_first_h".into(), hours(0.0)),
            ("arrival_median_h".into(), hours(0.5)),
            ("arrival_last_h".into(), hours(1.0)),
            ("thickness_median_m".into(), metres(0.5)),
            ("thickness_max_m".into(), metres(1.0)),
        ];
        for time_s in &reduction.before_s {
            let name = format!("probability_{}", time_name(*time_s));
            row.push((name.into(), short(self.share_before(*time_s), 1e6)));
        }
        row
    }
}
