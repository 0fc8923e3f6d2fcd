//! Maps of the last step for GIS, and the fields of all cells for Python: their flags, the records
//! kept during the run, and the output files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use lavoxel::export::maps::{MapFile, MapQuantity, Maps};
use lavoxel::export::{Provenance, npz};
use lavoxel::flow::covered_above_m;
use lavoxel::grid::Grid;
use lavoxel::input::ending;
use lavoxel::map::Site;
use lavoxel::memory::{Held, MemoryEstimate};
use lavoxel::output::{Existing, check_distinct, check_free};
use lavoxel::records::Records;
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;
use lavoxel::validate::escape_for_terminal;
use lavoxel::world::{ColumnMeasure, ColumnQuantity, Quantity};

use crate::cli::Outcome;
use crate::cli::flags::barriers::{BarrierOptions, BarrierTable};
use crate::cli::flags::exposure::{ExposureOptions, Exposures};
use crate::cli::show::messages;

/// Remedy for the user in the error message about maps that exceed the memory limit.
const MEND: &str = "ask for fewer maps, or make the box coarser";

/// Name of the checkpoint section in which the records are stored.
const MEMORY: &str = "records";

/// Default of the value above which a column belongs to a footprint, for scenes in which cells have
/// no height in metres; in the unit of the quantity (metres for a thickness).
const FOOTPRINT_ABOVE: f64 = 0.05;

/// Flags that ask for data files.
#[derive(Args, Debug)]
pub(in crate::cli) struct MapOptions {
    /// Write a map of the last step for GIS, such as thickness=lava.tif; repeatable
    ///
    /// NAME is thickness, arrival, max-thickness, peak-energy, surface or ground. The physical
    /// model also has set-thickness, temperature, viscosity and max-speed, and no peak-energy. A
    /// map of another material of the scene is named by the material, such as water.thickness. A
    /// scene with air has ash. footprint, max-thickness.footprint, water.footprint, … are the
    /// places where the quantity is above --footprint-above.
    ///
    /// FILE ends in .tif (GeoTIFF), .asc (ESRI ASCII grid, with its .prj) or .nc (netCDF), each with
    /// a style for QGIS (.qml); in .exr, .r16 or .mask.png: a mask for terrain programs; in .png: a
    /// picture over the ground, with a legend; in .geojson or .gpkg (GeoPackage): contour lines at --levels, or the
    /// outlines of a footprint; or in .kmz: a picture for Google Earth, with outlines. The map lies
    /// in the coordinates of the scene's heightmap.
    #[arg(long = "map", value_name = "NAME=FILE")]
    maps: Vec<String>,

    /// Set the limit above which a column belongs to a footprint, in the unit of the quantity
    /// [default: 0.05; in model = "flow" at most a tenth of a cell's height]
    #[arg(long, value_name = "LIMIT", allow_negative_numbers = true)]
    footprint_above: Option<f64>,

    /// Draw the contour lines of .geojson and .gpkg maps at the levels A, B, …, in the unit of the
    /// quantity [default: the numbers of the legend]
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    levels: Option<Vec<f64>>,

    /// Round the corners of lines and outlines in .geojson, .gpkg and .kmz files; areas stay the
    /// areas of the cells
    #[arg(long)]
    smooth: bool,

    /// Write no .qml files (styles with which QGIS colours maps like the program's own pictures)
    #[arg(long)]
    no_style: bool,

    /// Write every field of the last step to FILE.npz, a NumPy archive
    #[arg(long, value_name = "FILE.npz")]
    npz: Option<PathBuf>,

    #[command(flatten)]
    exposure: ExposureOptions,

    #[command(flatten)]
    barriers: BarrierOptions,
}

impl MapOptions {
    /// Checks the requested output files before lengthy work begins: formats, quantities, and
    /// permission to write each file. `existing`: rule for existing files.
    pub(in crate::cli) fn check(
        &self,
        scene: &Scene,
        existing: Existing,
    ) -> anyhow::Result<MapPlan> {
        let (grid, quantities) = (scene.spec.grid.grid()?, scene.column_quantities());
        let above = self.above(scene)?;
        let maps = self
            .maps
            .iter()
            .map(|text| self.map(text, &quantities, above))
            .collect::<anyhow::Result<Vec<_>>>()?;
        for map in &maps {
            map.check(existing)?;
        }
        if let Some(path) = &self.npz {
            let fits = ending(path) == "npz";
            anyhow::ensure!(fits, "--npz {}: let the name end in .npz", path.display());
            npz::check_size(grid)?;
            check_free(path, existing)?;
        }
        let exposures = self.exposure.check(scene, above, existing)?;
        let barriers = self.barriers.check(scene, existing)?;
        let table = barriers.iter().map(BarrierTable::path);
        check_apart(
            &maps,
            self.npz
                .as_deref()
                .into_iter()
                .chain(exposures.paths())
                .chain(table),
        )?;
        let of_lines = self.levels.is_none() || maps.iter().any(MapFile::has_levels);
        anyhow::ensure!(
            of_lines,
            "--levels: pass --map NAME=FILE.geojson or FILE.gpkg, too, whose contour lines they are"
        );
        // Records take memory per column and material, so they are kept only if a file needs the
        // history.
        let past = |map: &MapFile| map.subject.quantity().measure().needs_records();
        let needs_records = self.npz.is_some() || maps.iter().any(past);
        let recorded = if needs_records {
            recorded(&quantities)
        } else {
            Vec::new()
        };
        let held = Records::need(grid, recorded.len());
        if !recorded.is_empty() {
            held.check(MEND)?;
        }
        let records = recorded
            .iter()
            .map(|material| Records::new(grid).for_material(material))
            .collect();
        Ok(MapPlan {
            maps,
            npz: self.npz.clone(),
            exposures,
            barriers,
            existing,
            records,
            _held: held.held(),
        })
    }
}

impl MapOptions {
    /// Parses `NAME=FILE` as a map and its output file. `quantities`: quantities of which the scene
    /// has maps; `above`: value above which a column belongs to a footprint.
    fn map(
        &self,
        text: &str,
        quantities: &[ColumnQuantity],
        above: f64,
    ) -> anyhow::Result<MapFile> {
        let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            let names = MapQuantity::names(quantities);
            anyhow::bail!(
                "--map {text}: must be NAME=FILE, such as thickness=lava.tif; maps are {names}"
            );
        };
        match MapQuantity::find(name, quantities, above) {
            Ok(subject) => {
                let (style, levels, smooth) = (!self.no_style, self.rising_levels()?, self.smooth);
                Ok(MapFile {
                    style,
                    levels,
                    smooth,
                    ..MapFile::new(subject, PathBuf::from(path))
                })
            }
            Err(_) => anyhow::bail!(
                "--map {text}: there is no map {name:?}; maps are {}",
                MapQuantity::names(quantities)
            ),
        }
    }
}

impl MapOptions {
    /// Returns the value above which a column belongs to a footprint: that of `--footprint-above`,
    /// or by default the thickness in metres above which the report of a flow counts a column as
    /// covered. Fails for a negative or infinite value.
    fn above(&self, scene: &Scene) -> anyhow::Result<f64> {
        let usual = || match scene.spec.flow {
            Some(_) => {
                let height_m = scene
                    .spec
                    .grid
                    .cell_height_m
                    .or(scene.spec.grid.cell_size_m);
                height_m.map_or(FOOTPRINT_ABOVE, covered_above_m)
            }
            None => FOOTPRINT_ABOVE,
        };
        let above = self.footprint_above.unwrap_or_else(usual);
        anyhow::ensure!(
            above >= 0.0 && above.is_finite(),
            "--footprint-above {above}: must be a number from 0 up"
        );
        Ok(above)
    }

    /// Returns the values of the contour lines in `--levels`, ascending and without duplicates;
    /// `None` without this flag.
    fn rising_levels(&self) -> anyhow::Result<Option<Vec<f64>>> {
        let Some(mut levels) = self.levels.clone() else {
            return Ok(None);
        };
        if let Some(wrong) = levels.iter().find(|level| !level.is_finite()) {
            anyhow::bail!("--levels: {wrong} is no level; pass numbers, such as 0.5,1,2");
        }
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        Ok(Some(levels))
    }
}

/// Returns the names of the materials of which `quantities` contains a map of the largest
/// thickness. During a run, the largest thickness is recorded for these materials only.
fn recorded(quantities: &[ColumnQuantity]) -> Vec<String> {
    let thickest = quantities
        .iter()
        .filter(|quantity| quantity.measure() == ColumnMeasure::MaxThickness);
    thickest
        .filter_map(Quantity::material)
        .map(str::to_owned)
        .collect()
}

/// Fails if two output files of `maps` and `others` have the same path, or if the style files of
/// two maps do.
fn check_apart<'a>(
    maps: &'a [MapFile],
    others: impl Iterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    check_distinct(maps.iter().map(|map| map.path.as_path()).chain(others))?;
    let styles: Vec<_> = maps
        .iter()
        .filter_map(|map| Some((map.style_path()?, &map.path)))
        .collect();
    for (i, (style, map)) in styles.iter().enumerate() {
        if let Some((_, other)) = styles[..i].iter().find(|(earlier, _)| earlier == style) {
            let (other, map, style) = (other.display(), map.display(), style.display());
            anyhow::bail!(
                "{other} and {map} would share the style {style}: give one another name, or pass --no-style"
            );
        }
    }
    Ok(())
}

/// Information about a completed run for its output files and messages.
pub(in crate::cli) struct Ended<'a> {
    /// Provenance (scene, seed, step and so on) that is written into the files.
    pub(in crate::cli) about: Provenance,
    pub(in crate::cli) site: &'a Site,
    pub(in crate::cli) outcome: Outcome,
    /// Set to print no messages about the written files.
    pub(in crate::cli) quiet: bool,
}

/// Data files that the user has requested, with the records kept during the run.
pub(in crate::cli) struct MapPlan {
    maps: Vec<MapFile>,
    npz: Option<PathBuf>,
    exposures: Exposures,
    barriers: Option<BarrierTable>,
    existing: Existing,
    /// Records of each material for which records are kept; empty if no output file needs records.
    records: Vec<Records>,
    /// Entry for the records in the memory accounting of the program.
    _held: Held,
}

impl MapPlan {
    /// Iterates over the paths of the requested output files; accompanying files, such as styles,
    /// are not included.
    pub(in crate::cli) fn paths(&self) -> impl Iterator<Item = &Path> {
        let maps = self.maps.iter().map(|map| map.path.as_path());
        let table = self.barriers.iter().map(BarrierTable::path);
        maps.chain(self.npz.as_deref())
            .chain(self.exposures.paths())
            .chain(table)
    }

    /// Checks that the output files can be written for the simulation box at `site`, and reads the
    /// input maps that the output files need; called once the ground is known.
    pub(in crate::cli) fn check_site(&mut self, site: &Site) -> anyhow::Result<()> {
        self.exposures.check_site(site)?;
        self.barriers
            .as_mut()
            .map_or(Ok(()), |table| table.check_site(site))?;
        self.maps
            .iter()
            .try_for_each(|map| Ok(map.check_site(site)?))
    }

    /// Estimates the memory for writing the largest output file, in addition to the simulation and
    /// the records.
    pub(in crate::cli) fn need(&self, grid: Grid) -> MemoryEstimate {
        let archive = self.npz.as_ref().map(|_| npz::need(grid));
        self.maps
            .iter()
            .map(|map| map.need(grid))
            .chain(archive)
            .fold(MemoryEstimate::default(), MemoryEstimate::or)
    }

    /// Estimates the temporary memory that the records need while a checkpoint is written.
    pub(in crate::cli) fn need_of_keeping(&self, grid: Grid) -> MemoryEstimate {
        Records::need_of_keeping(grid, self.records.len()).and(self.exposures.need_of_keeping(grid))
    }

    /// Returns true if the records need the state in cells after every step.
    pub(in crate::cli) fn reads_steps(&self) -> bool {
        !self.records.is_empty()
    }

    /// Adds the present state to the records. Must be called before the first step and after each
    /// step.
    pub(in crate::cli) fn observe(&mut self, simulation: &Simulation) {
        self.exposures.observe(simulation);
        let (state, step) = (simulation.world(), simulation.steps());
        self.records
            .iter_mut()
            .for_each(|records| records.observe(state, state.flow(), step));
    }

    /// Iterates over the checkpoint sections with the records, as (name, content).
    pub(in crate::cli) fn memory(&self) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
        self.memory_of_records()
            .into_iter()
            .chain(self.exposures.memory())
    }

    fn memory_of_records(&self) -> Option<(&'static str, Vec<u8>)> {
        // One buffer with the final capacity is filled material by material: a growing buffer would
        // double, and unused capacity takes no physical memory.
        let room = self.records.iter().map(Records::most_bytes).sum();
        let add = |bytes, records| {
            postcard::to_extend(records, bytes).expect("records are plain numbers")
        };
        let bytes: Vec<u8> = self.records.iter().fold(Vec::with_capacity(room), add);
        (!bytes.is_empty()).then_some((MEMORY, bytes))
    }

    /// Restores the records from `memory`, the sections of a checkpoint written after `step` steps.
    /// Fails if records are missing or damaged.
    pub(in crate::cli) fn go_on(
        &mut self,
        memory: &BTreeMap<String, Vec<u8>>,
        scene: &Scene,
        step: u64,
    ) -> anyhow::Result<()> {
        self.exposures.go_on(memory, scene, step)?;
        let mut bytes = match memory.get(MEMORY) {
            Some(bytes) => &bytes[..],
            None if self.records.is_empty() || step == 0 => return Ok(()),
            None => anyhow::bail!(
                "the checkpoint has no records of its {step} steps, which arrival, max-thickness, peak-energy and .npz \
                 need: start again with lavoxel run and the same --map or --npz"
            ),
        };
        let (grid, mut all) = (scene.spec.grid.grid()?, Vec::<Records>::new());
        let recorded = recorded(&scene.column_quantities());
        // The records are concatenated without an index.
        while !bytes.is_empty() {
            let read = postcard::take_from_bytes::<Records>(bytes)
                .ok()
                .filter(|(records, _)| records.fits(grid));
            let (records, rest) =
                read.context("the checkpoint's section \"records\" is not right")?;
            let is_new = all
                .iter()
                .all(|other| other.material() != records.material());
            anyhow::ensure!(
                is_new && recorded.iter().any(|name| name == records.material()),
                "the checkpoint's section \"records\" is not right: records of {} do not belong there",
                escape_for_terminal(records.material())
            );
            all.push(records);
            bytes = rest;
        }
        let has = |asked: &&Records| {
            all.iter()
                .any(|records| records.material() == asked.material())
        };
        if let Some(missing) = self.records.iter().find(|asked| !has(asked)) {
            anyhow::bail!(
                "the checkpoint's section \"records\" has none of {}: start again with lavoxel run and the same --map \
                 or --npz",
                missing.material()
            );
        }
        self.records = all;
        Ok(())
    }

    /// Writes all output files and prints their paths. After an error, the remaining files are
    /// still written, and the first error is returned.
    pub(in crate::cli) fn write(
        &mut self,
        simulation: &Simulation,
        run: &Ended<'_>,
    ) -> anyhow::Result<()> {
        let maps = Maps {
            world: simulation.world(),
            records: &self.records,
            site: run.site,
        };
        let _held = simulation.world().taken().held();
        let about = &run.about;
        let quiet = run.quiet || self.paths().next().is_none();
        if run.outcome == Outcome::Stopped && !quiet {
            messages::note(&format!(
                "stopped after step {}; these files are of the steps up to there:",
                about.step
            ));
        }
        let report = |path: &Path, written: anyhow::Result<()>| {
            if written.is_ok() && !quiet {
                messages::note(&format!("{} (step {})", path.display(), about.step));
            }
            written
        };
        let mut results: Vec<anyhow::Result<()>> = Vec::new();
        for map in &self.maps {
            results.push(report(
                &map.path,
                map.write(&maps, about, self.existing).map_err(Into::into),
            ));
        }
        if let Some(path) = &self.npz {
            results.push(report(
                path,
                npz::write(path, &maps, about, self.existing).map_err(Into::into),
            ));
        }
        results.extend(self.exposures.write(simulation, self.existing, quiet));
        results.extend(
            self.barriers
                .iter()
                .map(|table| table.write(simulation, run.site, self.existing, quiet)),
        );
        results.into_iter().collect()
    }
}
