//! Maps and fields of the last step, for GIS and Python: the flags, the records that they need, and the files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use lavoxel::export::maps::{Maps, Quantity, check_map, write_map};
use lavoxel::export::{About, npz};
use lavoxel::grid::Grid;
use lavoxel::map::Site;
use lavoxel::output::{Existing, check_free};
use lavoxel::records::Records;
use lavoxel::simulation::Simulation;

use super::{Outcome, say};

/// Name of the records in a checkpoint.
const MEMORY: &str = "records";

/// Flags that ask for data files.
#[derive(Args, Debug)]
pub(super) struct MapOptions {
    /// Write a map of the last step for GIS, such as thickness=lava.tif; repeatable
    ///
    /// NAME is thickness, arrival, max-thickness, peak-energy, surface or ground; FILE ends in .tif (GeoTIFF) or .asc (ESRI
    /// ASCII grid, with its .prj). The map lies where the scene's heightmap lies.
    #[arg(long = "map", value_name = "NAME=FILE")]
    maps: Vec<String>,

    /// Write every field of the last step as a NumPy archive
    #[arg(long, value_name = "FILE.npz")]
    npz: Option<PathBuf>,
}

impl MapOptions {
    /// Checks, before the long work, what is asked for and that it can be written.
    pub(super) fn check(&self, grid: Grid, existing: Existing) -> anyhow::Result<MapPlan> {
        let maps = self.maps.iter().map(|text| map(text)).collect::<anyhow::Result<Vec<_>>>()?;
        for (_, path) in &maps {
            check_map(path, existing)?;
        }
        if let Some(path) = &self.npz {
            let fits = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz"));
            anyhow::ensure!(fits, "--npz {}: let the name end in .npz", path.display());
            npz::check_size(grid)?;
            check_free(path, existing)?;
        }
        let paths: Vec<&PathBuf> = maps.iter().map(|(_, path)| path).chain(&self.npz).collect();
        if let Some(i) = (1..paths.len()).find(|&i| paths[..i].contains(&paths[i])) {
            anyhow::bail!("{}: two outputs cannot have the same name", paths[i].display());
        }
        let needs_records = self.npz.is_some() || maps.iter().any(|(quantity, _)| quantity.needs_records());
        Ok(MapPlan { maps, npz: self.npz.clone(), existing, records: needs_records.then(|| Records::new(grid)) })
    }
}

/// A map and its file from `NAME=FILE`.
fn map(text: &str) -> anyhow::Result<(Quantity, PathBuf)> {
    let names = Quantity::ALL.map(Quantity::name).join(", ");
    let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
        anyhow::bail!("--map {text}: must be NAME=FILE, such as thickness=lava.tif; maps are {names}");
    };
    let Some(quantity) = Quantity::named(name) else {
        anyhow::bail!("--map {text}: there is no map {name:?}; maps are {names}");
    };
    Ok((quantity, PathBuf::from(path)))
}

/// A run that has ended, as the messages about its files name it.
pub(super) struct Ended<'a> {
    /// Name of the scene.
    pub(super) scene: &'a str,
    pub(super) site: &'a Site,
    pub(super) outcome: Outcome,
    /// Whether no file is named.
    pub(super) quiet: bool,
}

/// Data files that were checked, and the records that are kept for them.
pub(super) struct MapPlan {
    maps: Vec<(Quantity, PathBuf)>,
    npz: Option<PathBuf>,
    existing: Existing,
    records: Option<Records>,
}

impl MapPlan {
    /// Looks at the simulation; to be called before the first step and after each.
    pub(super) fn observe(&mut self, simulation: &Simulation) {
        if let Some(records) = &mut self.records {
            records.observe(simulation.world(), simulation.steps());
        }
    }

    /// What a checkpoint has to remember for the maps, and its name there.
    pub(super) fn memory(&self) -> Option<(&'static str, Vec<u8>)> {
        let bytes = postcard::to_stdvec(self.records.as_ref()?);
        Some((MEMORY, bytes.expect("records are plain numbers")))
    }

    /// Goes on from what a checkpoint after `step` steps remembered.
    pub(super) fn go_on(&mut self, memory: &BTreeMap<String, Vec<u8>>, grid: Grid, step: u64) -> anyhow::Result<()> {
        let bytes = match (memory.get(MEMORY), &self.records) {
            (Some(bytes), _) => bytes,
            (None, Some(_)) if step > 0 => anyhow::bail!(
                "the checkpoint has no records of its {step} steps, which arrival, max-thickness, peak-energy and .npz \
                 need: start again with lavoxel run and the same --map or --npz"
            ),
            (None, _) => return Ok(()),
        };
        let records = postcard::from_bytes::<Records>(bytes).ok().filter(|records| records.fits(grid));
        self.records = Some(records.context("the checkpoint's section \"records\" is not right")?);
        Ok(())
    }

    /// Writes all files and names them; the rest is written also when one cannot be.
    pub(super) fn write(&self, simulation: &Simulation, run: &Ended<'_>) -> anyhow::Result<()> {
        let maps = Maps { world: simulation.world(), records: self.records.as_ref(), site: run.site };
        let about = About { scene: run.scene.to_owned(), seed: simulation.seed(), step: simulation.steps() };
        let quiet = run.quiet || (self.maps.is_empty() && self.npz.is_none());
        if run.outcome == Outcome::Stopped && !quiet {
            say::note(&format!("stopped after step {}; these files are of the steps up to there:", about.step));
        }
        let told = |path: &Path, written: anyhow::Result<()>| {
            if written.is_ok() && !quiet {
                say::note(&format!("{} (step {})", path.display(), about.step));
            }
            written
        };
        let mut results: Vec<anyhow::Result<()>> = Vec::new();
        for (quantity, path) in &self.maps {
            results.push(told(path, write_map(path, *quantity, &maps, &about, self.existing).map_err(Into::into)));
        }
        if let Some(path) = &self.npz {
            results.push(told(path, npz::write(path, &maps, &about, self.existing).map_err(Into::into)));
        }
        results.into_iter().collect()
    }
}
