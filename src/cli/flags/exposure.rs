//! Exposure of map features (such as buildings) to lava: its flag, the records kept during the run,
//! and the output files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use lavoxel::export::NO_FORECAST_OF_FLOW;
use lavoxel::exposure::{Assets, AttributeRow, Reach, write};
use lavoxel::grid::Grid;
use lavoxel::input::ending;
use lavoxel::map::Site;
use lavoxel::memory::MemoryEstimate;
use lavoxel::output::{Existing, check_free};
use lavoxel::records::FlowRecords;
use lavoxel::scene::{Scene, Seconds};
use lavoxel::simulation::Simulation;
use serde_json::{Value, json};

use crate::cli::show::messages;

/// Name of the checkpoint section in which the records are stored.
const MEMORY: &str = "flow_records";

/// Seconds per hour.
const HOUR: f64 = 3600.0;

/// Flag that asks which features of a map lava reaches.
#[derive(Args, Debug)]
pub(in crate::cli) struct ExposureOptions {
    /// Write arrival, thickness and temperature of lava at each feature of MAP, such as
    /// roads.geojson=exposed.csv; repeatable
    ///
    /// MAP is a .geojson or .gpkg file of points, lines and polygons with a property name, in
    /// longitude and latitude or in the coordinate system of the heightmap. FILE ends in .csv, for
    /// a table with a row per feature, or in .geojson, for the features with these numbers, for
    /// QGIS. A feature is reached if its lava is at some time thicker than --footprint-above. Needs
    /// a scene with model = "flow".
    #[arg(long, value_name = "MAP=FILE")]
    exposure: Vec<String>,
}

/// Exposure that the user has requested: feature map to read, and output file.
struct Exposure {
    map: PathBuf,
    file: PathBuf,
    /// Map features, each with the columns of the simulation box that the feature covers; `None`
    /// until the ground is known.
    assets: Option<Assets>,
}

/// Exposure files that the user has requested, with the records kept during the run.
pub(in crate::cli) struct Exposures {
    list: Vec<Exposure>,
    above_m: f64,
    records: Option<FlowRecords>,
    /// Step of the last recorded state; `None` before the first record.
    seen: Option<u64>,
}

impl ExposureOptions {
    /// Checks the flags before lengthy work, and returns the requested exposures. `above_m`:
    /// thickness in metres above which lava counts as reaching a feature; `existing`: rule for
    /// existing output files.
    pub(super) fn check(
        &self,
        scene: &Scene,
        above_m: f64,
        existing: Existing,
    ) -> anyhow::Result<Exposures> {
        let exposure = |text: &String| {
            let two = text
                .split_once('=')
                .filter(|(map, file)| !map.is_empty() && !file.is_empty());
            let (map, file) = two.with_context(|| {
                format!("--exposure {text}: must be MAP=FILE, such as roads.geojson=exposed.csv")
            })?;
            let file = PathBuf::from(file);
            let ending = ending(&file);
            anyhow::ensure!(
                ["csv", "geojson"].contains(&&*ending),
                "--exposure {text}: the file must end in .csv or .geojson"
            );
            check_free(&file, existing)?;
            Ok(Exposure {
                map: PathBuf::from(map),
                file,
                assets: None,
            })
        };
        let list = self
            .exposure
            .iter()
            .map(exposure)
            .collect::<anyhow::Result<Vec<_>>>()?;
        anyhow::ensure!(
            list.is_empty() || scene.spec.flow.is_some(),
            "--exposure: hours and metres need the physical model; add model = \"flow\" to the scene, or pass --lava to a heightmap"
        );
        let grid = scene.spec.grid.grid()?;
        if !list.is_empty() {
            FlowRecords::need(grid).check("make the box coarser")?;
        }
        let records = (!list.is_empty()).then(|| FlowRecords::new(grid).with_kelvin());
        Ok(Exposures {
            list,
            above_m,
            records,
            seen: None,
        })
    }
}

impl Exposures {
    /// Iterates over the paths of the requested output files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().map(|exposure| exposure.file.as_path())
    }

    /// Reads the feature maps and determines the columns of the simulation box that each feature
    /// covers; called once the ground is known.
    pub(super) fn check_site(&mut self, site: &Site) -> anyhow::Result<()> {
        for exposure in &mut self.list {
            let assets = Assets::read(&exposure.map, site);
            exposure.assets = Some(assets.map_err(|fault| anyhow::anyhow!("--exposure: {fault}"))?);
        }
        Ok(())
    }

    /// Estimates the temporary memory that the records need while a checkpoint is written.
    pub(super) fn need_of_keeping(&self, grid: Grid) -> MemoryEstimate {
        if self.records.is_some() {
            FlowRecords::need(grid)
        } else {
            MemoryEstimate::default()
        }
    }

    /// Adds the present state to the records. Must be called before the first step and after each
    /// step.
    pub(super) fn observe(&mut self, simulation: &Simulation) {
        let Some((records, flow)) = self.records.as_mut().zip(simulation.world().flow()) else {
            return;
        };
        let step = Some(simulation.steps());
        if self.seen != step {
            records.observe(
                flow,
                if self.seen.is_some() {
                    flow.changed()
                } else {
                    flow.wet()
                },
            );
            self.seen = step;
        }
    }

    /// Returns name and content of the checkpoint section with the records; `None` if no records
    /// are kept.
    pub(super) fn memory(&self) -> Option<(&'static str, Vec<u8>)> {
        let records = self.records.as_ref()?;
        Some((
            MEMORY,
            postcard::to_allocvec(records).expect("records are plain numbers"),
        ))
    }

    /// Restores the records from `memory`, the sections of a checkpoint written after `step` steps.
    /// Fails if the records are missing or damaged.
    pub(super) fn go_on(
        &mut self,
        memory: &BTreeMap<String, Vec<u8>>,
        scene: &Scene,
        step: u64,
    ) -> anyhow::Result<()> {
        let grid = scene.spec.grid.grid()?;
        match memory.get(MEMORY) {
            Some(bytes) => {
                let read = postcard::from_bytes::<FlowRecords>(bytes)
                    .ok()
                    .filter(|records| records.fits(grid));
                self.records =
                    Some(read.context("the checkpoint's section \"flow_records\" is not right")?);
                // The restored records already include the step of the checkpoint.
                self.seen = Some(step);
            }
            None => anyhow::ensure!(
                self.list.is_empty() || step == 0,
                "the checkpoint has no records of its {step} steps, which --exposure needs: start again with lavoxel run and the same \
                 --exposure"
            ),
        }
        Ok(())
    }

    /// Writes all output files and, unless `quiet`, prints a summary line for each. Returns one
    /// result per file; an error does not prevent the remaining files from being written.
    pub(super) fn write(
        &mut self,
        simulation: &Simulation,
        existing: Existing,
        quiet: bool,
    ) -> Vec<anyhow::Result<()>> {
        let Some((mut records, flow)) = self.records.take().zip(simulation.world().flow()) else {
            return Vec::new();
        };
        // Observes all wet columns, because lava placed by an event may never have moved.
        records.observe(flow, flow.wet());
        let written = |exposure: &Exposure| -> anyhow::Result<()> {
            let Some(assets) = &exposure.assets else {
                return Ok(());
            };
            let reached = assets.after(flow, &records, self.above_m);
            let rows: Vec<AttributeRow> = reached.iter().map(row).collect();
            write(&exposure.file, assets, &rows, NO_FORECAST_OF_FLOW, existing)?;
            if !quiet {
                messages::note(&format!(
                    "{}: {}",
                    exposure.file.display(),
                    words(assets, &reached)
                ));
            }
            Ok(())
        };
        self.list.iter().map(written).collect()
    }
}

/// Returns the output row of a map feature with time in hours, thickness in metres and temperature
/// in K; `reach` is `None` for a feature that lava did not reach.
fn row(reach: &Option<Reach>) -> AttributeRow {
    let short = |number: f64, fine: f64| json!((number * fine).round() / fine);
    let of = |number: fn(&Reach) -> f64, fine| {
        let known = reach
            .as_ref()
            .map(number)
            .filter(|number| number.is_finite());
        known.map_or(Value::Null, |number| short(number, fine))
    };
    vec![
        (
            "reached".into(),
            json!(if reach.is_some() { "yes" } else { "no" }),
        ),
        (
            "share_reached".into(),
            short(reach.map_or(0.0, |reach| reach.share), 1e4),
        ),
        ("arrival_h".into(), of(|reach| reach.arrival_s / HOUR, 1e4)),
        ("thickness_max_m".into(), of(|reach| reach.thickness_m, 1e3)),
        ("temperature_max_k".into(), of(|reach| reach.kelvin, 1.0)),
    ]
}

/// Returns a summary line: number of map features that lava has reached, and the name and time of
/// the first.
fn words(assets: &Assets, reached: &[Option<Reach>]) -> String {
    let all = assets
        .list()
        .iter()
        .zip(reached)
        .filter_map(|(asset, reach)| Some((asset, (*reach)?)));
    let count = all.clone().count();
    let outside = assets
        .list()
        .iter()
        .filter(|asset| asset.columns.is_empty())
        .count();
    let outside = (outside > 0).then(|| format!(", {outside} outside of the box"));
    let first = all.min_by(|a, b| a.1.arrival_s.total_cmp(&b.1.arrival_s));
    let first = first
        .map(|(asset, reach)| format!("; first {} after {}", asset.name, Seconds(reach.arrival_s)));
    let without = match assets.without_geometry() {
        0 => String::new(),
        count => format!(", {count} without a geometry left out"),
    };
    format!(
        "{count} of {} reached{}{without}{}",
        reached.len(),
        outside.unwrap_or_default(),
        first.unwrap_or_default()
    )
}
