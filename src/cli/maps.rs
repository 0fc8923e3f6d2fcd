//! Maps and fields of the last step, for GIS and Python: the flags, the records that they need, and the files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use lavoxel::export::maps::{Maps, check_map, write_map};
use lavoxel::export::{About, npz};
use lavoxel::map::Site;
use lavoxel::output::{Existing, check_free};
use lavoxel::records::Records;
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;
use lavoxel::world::{ColumnMeasure, ColumnQuantity, Quantity};

use super::{Outcome, say};

/// Name of the records in a checkpoint.
const MEMORY: &str = "records";

/// Flags that ask for data files.
#[derive(Args, Debug)]
pub(super) struct MapOptions {
    /// Write a map of the last step for GIS, such as thickness=lava.tif; repeatable
    ///
    /// NAME is thickness, arrival, max-thickness, peak-energy, surface or ground; of another material of the scene, such as
    /// water.thickness. FILE ends in .tif (GeoTIFF) or .asc (ESRI ASCII grid, with its .prj). The map lies where the scene's
    /// heightmap lies.
    #[arg(long = "map", value_name = "NAME=FILE")]
    maps: Vec<String>,

    /// Write every field of the last step as a NumPy archive
    #[arg(long, value_name = "FILE.npz")]
    npz: Option<PathBuf>,
}

impl MapOptions {
    /// Checks, before the long work, what is asked for and that it can be written.
    pub(super) fn check(&self, scene: &Scene, existing: Existing) -> anyhow::Result<MapPlan> {
        let (grid, quantities) = (scene.spec.grid.grid()?, scene.column_quantities());
        let maps = self.maps.iter().map(|text| map(text, &quantities)).collect::<anyhow::Result<Vec<_>>>()?;
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
        let needs_records = self.npz.is_some() || maps.iter().any(|(map, _)| map.measure().needs_records());
        let recorded = quantities.iter().filter(|q| needs_records && q.measure() == ColumnMeasure::MaxThickness);
        let records = recorded.filter_map(Quantity::material).map(|material| Records::new(grid).of(material)).collect();
        Ok(MapPlan { maps, npz: self.npz.clone(), existing, records })
    }
}

/// A map and its file from `NAME=FILE`.
fn map(text: &str, quantities: &[ColumnQuantity]) -> anyhow::Result<(ColumnQuantity, PathBuf)> {
    let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
        let names = quantities.iter().map(Quantity::name).collect::<Vec<_>>().join(", ");
        anyhow::bail!("--map {text}: must be NAME=FILE, such as thickness=lava.tif; maps are {names}");
    };
    match Quantity::find(name, quantities) {
        Ok(quantity) => Ok((quantity.clone(), PathBuf::from(path))),
        Err(e) => anyhow::bail!("--map {text}: there is no map {name:?}; maps are {}", e.known),
    }
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
    maps: Vec<(ColumnQuantity, PathBuf)>,
    npz: Option<PathBuf>,
    existing: Existing,
    /// Of all materials, if a file needs any.
    records: Vec<Records>,
}

impl MapPlan {
    /// Records the state of the simulation; to be called before the first step and after each.
    pub(super) fn observe(&mut self, simulation: &Simulation) {
        self.records.iter_mut().for_each(|records| records.observe(simulation.world(), simulation.steps()));
    }

    /// What a checkpoint has to remember for the maps, and its name there.
    pub(super) fn memory(&self) -> Option<(&'static str, Vec<u8>)> {
        // One material after the other.
        let bytes = |records| postcard::to_stdvec(records).expect("records are plain numbers");
        let bytes: Vec<u8> = self.records.iter().flat_map(bytes).collect();
        (!bytes.is_empty()).then_some((MEMORY, bytes))
    }

    /// Goes on from what a checkpoint of a scene after `step` steps remembered.
    pub(super) fn go_on(&mut self, memory: &BTreeMap<String, Vec<u8>>, scene: &Scene, step: u64) -> anyhow::Result<()> {
        let mut bytes = match memory.get(MEMORY) {
            Some(bytes) => &bytes[..],
            None if self.records.is_empty() || step == 0 => return Ok(()),
            None => anyhow::bail!(
                "the checkpoint has no records of its {step} steps, which arrival, max-thickness, peak-energy and .npz \
                 need: start again with lavoxel run and the same --map or --npz"
            ),
        };
        let (grid, mut all) = (scene.spec.grid.grid()?, Vec::new());
        for material in scene.materials() {
            let read = postcard::take_from_bytes::<Records>(bytes).ok().filter(|(records, _)| records.fits(grid));
            let (records, rest) = read.context("the checkpoint's section \"records\" is not right")?;
            all.push(records.of(&material.name));
            bytes = rest;
        }
        anyhow::ensure!(bytes.is_empty(), "the checkpoint's section \"records\" is too long");
        self.records = all;
        Ok(())
    }

    /// Writes all files and names them; the rest is written also when one cannot be.
    pub(super) fn write(&self, simulation: &Simulation, run: &Ended<'_>) -> anyhow::Result<()> {
        let maps = Maps { world: simulation.world(), records: &self.records, site: run.site };
        let about = About { scene: run.scene.to_owned(), seed: simulation.seed(), step: simulation.steps() };
        let quiet = run.quiet || (self.maps.is_empty() && self.npz.is_none());
        if run.outcome == Outcome::Stopped && !quiet {
            say::note(&format!("stopped after step {}; these files are of the steps up to there:", about.step));
        }
        let report = |path: &Path, written: anyhow::Result<()>| {
            if written.is_ok() && !quiet {
                say::note(&format!("{} (step {})", path.display(), about.step));
            }
            written
        };
        let mut results: Vec<anyhow::Result<()>> = Vec::new();
        for (quantity, path) in &self.maps {
            results.push(report(path, write_map(path, quantity, &maps, &about, self.existing).map_err(Into::into)));
        }
        if let Some(path) = &self.npz {
            results.push(report(path, npz::write(path, &maps, &about, self.existing).map_err(Into::into)));
        }
        results.into_iter().collect()
    }
}
