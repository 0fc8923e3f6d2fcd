//! Input of a sheet: a map with its metadata, and the hazard folder of the map.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::SheetError;
use super::runs::Runs;
use crate::study::{PlanFile, plan_of};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::ending;
use lavoxel_geo::map::{Crs, Placement};
use lavoxel_geo::terrain::formats::geotiff;
use lavoxel_geo::terrain::{Heightmap, load_values};

/// Name of the map that is drawn from a hazard folder by default.
pub(super) const USUAL_LAYER: &str = "probability";

/// Upper bound on the number of metadata entries kept per map.
const MOST_LABELS: usize = 100;

/// Memory in bytes per cell of the map: value, class, and a copy for contours.
const BYTES_A_CELL: f64 = 16.0;

/// Map that a sheet shows: its values, its metadata and its hazard folder.
pub(super) struct Source {
    /// Path of the map file.
    pub(super) path: PathBuf,
    /// Values of the map as a raster; NaN where there are no data.
    pub(super) map: Heightmap,
    /// Metadata of the map file by name: `quantity`, `unit`, `scene`, `seed`, `runs` or `step`,
    /// `note`, `DESCRIPTION`.
    pub(super) labels: BTreeMap<String, String>,
    /// Hazard folder that contains the map; `None` if the map is not in such a folder.
    pub(super) study: Option<Study>,
}

/// Hazard folder: its plan, and the statistics over its runs.
pub(super) struct Study {
    pub(super) folder: PathBuf,
    pub(super) plan: PlanFile,
    /// Statistics from `runs.csv`; `None` if the folder has no such file.
    pub(super) runs: Option<Runs>,
}

impl Source {
    /// Reads the map file at `path`; if `path` is a hazard folder, reads the map in it that is
    /// named `layer` (`None`: `USUAL_LAYER`).
    pub(super) fn read(path: &Path, layer: Option<&str>) -> Result<Self, SheetError> {
        let file = if path.is_dir() {
            in_folder(path, layer.unwrap_or(USUAL_LAYER))?
        } else {
            path.to_owned()
        };
        if let (Some(layer), false) = (layer, path.is_dir()) {
            let mend = "name the folder, or leave --layer out";
            return Err(SheetError::wrong(format!(
                "--layer {layer}: {} is a file: {mend}",
                path.display()
            )));
        }
        let ending = ending(&file);
        if !["tif", "tiff", "asc"].contains(&ending.as_str()) {
            return Err(SheetError::wrong(format!(
                "{}: maps of a sheet end in .tif or .asc",
                file.display()
            )));
        }
        let (map, unit) = load_values(&file, None)?;
        MemoryEstimate::new("the map", map.heights.len(), BYTES_A_CELL)
            .check("cut the map, or make its cells larger")?;
        let mut labels = if ending == "asc" {
            BTreeMap::new()
        } else {
            geotiff::labels(&file)?
        };
        if let Some(unit) = unit {
            labels.entry("unit".to_owned()).or_insert(unit);
        }
        // A report lists all labels; the bound keeps a file with very many from filling the report.
        labels = labels
            .into_iter()
            .take(MOST_LABELS)
            .map(|(key, text)| (escape_for_terminal(&key), escape_for_terminal(&text)))
            .collect();
        let above = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let study = Study::read(above)?;
        Ok(Self {
            path: file,
            map,
            labels,
            study,
        })
    }

    /// Returns the name of the mapped quantity: from the metadata, or else the name of the file
    /// without extension.
    pub(super) fn quantity(&self) -> String {
        let of_file = || {
            self.path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        self.labels.get("quantity").cloned().unwrap_or_else(of_file)
    }

    /// Returns the unit of the map's values; empty for dimensionless values. For a map without
    /// metadata: the unit that belongs to the name of its quantity.
    pub(super) fn unit(&self) -> String {
        let usual = || {
            let quantity = self.quantity();
            let is_of = |name: &str| quantity.contains(name);
            if is_of("thickness") {
                "m"
            } else {
                Default::default()
            }
            .to_owned()
        };
        self.labels.get("unit").cloned().unwrap_or_else(usual)
    }

    /// Returns the display name of the scene from which the map was computed; `None` if unknown.
    pub(super) fn scene(&self) -> Option<String> {
        let name = self
            .labels
            .get("scene")
            .or_else(|| self.study.as_ref().map(|study| &study.plan.scene));
        name.filter(|name| !name.is_empty())
            .map(|name| escape_for_terminal(&name.replace('_', " ")))
    }

    /// Returns the number of runs that the map summarises; `None` for a map of a single run.
    pub(super) fn runs(&self) -> Option<u64> {
        self.labels.get("runs")?.parse().ok()
    }

    pub(super) fn crs(&self) -> Crs {
        self.map
            .origin
            .as_ref()
            .map(|origin| origin.crs.clone())
            .unwrap_or_default()
    }

    /// Returns the position of the raster on the map, and the number and size of its cells, in map
    /// units.
    pub(super) fn placement(&self) -> Placement {
        Placement::new(
            self.map.origin.as_ref(),
            self.map.cell_size_m,
            self.map.heights.dim(),
        )
    }

    /// Returns the easting or longitude of the middle of the map, in map units.
    pub(super) fn middle_x(&self) -> f64 {
        self.placement().middle_x()
    }

    /// Returns the length on the ground in metres of one map unit, along x and y.
    pub(super) fn metres_per_unit(&self) -> (f64, f64) {
        self.map
            .origin
            .as_ref()
            .map_or((1.0, 1.0), |origin| origin.metres_per_unit)
    }

    /// Returns the day (UTC) on which the map file was last modified, as `YYYY-MM-DD`; `None` if
    /// unknown.
    pub(super) fn day(&self) -> Option<String> {
        let time = std::fs::metadata(&self.path).ok()?.modified().ok()?;
        let time = jiff::Timestamp::try_from(time).ok()?;
        Some(time.strftime("%Y-%m-%d").to_string())
    }
}

/// Returns the path of the map named `layer` in `folder`. The error lists the names of the maps in
/// the folder.
fn in_folder(folder: &Path, layer: &str) -> Result<PathBuf, SheetError> {
    let path = folder.join(format!("{layer}.tif"));
    if path.is_file() {
        return Ok(path);
    }
    let all = layers(folder);
    let shown = folder.display();
    let wrong = if all.is_empty() {
        format!("{shown}: holds no map (.tif); name a map, or the folder of a hazard map")
    } else {
        format!(
            "{shown}: holds no map {layer}.tif; maps there for --layer: {}",
            all.join(", ")
        )
    };
    Err(SheetError::wrong(wrong))
}

/// Returns the names of all maps in `folder`, in the order probabilities, arrivals, thicknesses,
/// others.
pub(super) fn layers(folder: &Path) -> Vec<String> {
    let name = |entry: std::fs::DirEntry| {
        let path = entry.path();
        let is_map = path.extension().is_some_and(|ending| ending == "tif") && path.is_file();
        is_map
            .then(|| {
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned())
            })
            .flatten()
    };
    let mut all: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(1000)
        .filter_map(name)
        .collect();
    let rank = |name: &str| {
        ["probability", "arrival", "thickness"]
            .iter()
            .position(|kind| name.starts_with(kind))
    };
    all.sort_by_key(|name| (rank(name).unwrap_or(usize::MAX), name.clone()));
    all
}

/// Returns the files of `folder` whose names begin with `begin` and end with `ending`, sorted.
pub(super) fn files(folder: &Path, begin: &str, ending: &str) -> Vec<PathBuf> {
    let fits = |path: &PathBuf| {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        name.starts_with(begin) && name.ends_with(ending) && path.is_file()
    };
    let entries = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(1000);
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(fits).collect();
    found.sort();
    found
}

impl Study {
    /// Reads the plan and the table of runs of a hazard folder; `None` if `folder` is no hazard
    /// folder.
    fn read(folder: &Path) -> Result<Option<Self>, SheetError> {
        let Some(plan) = plan_of(folder).map_err(|e| SheetError::wrong(e.to_string()))? else {
            return Ok(None);
        };
        let table = folder.join("runs.csv");
        let runs = if table.is_file() {
            Some(Runs::read(&table)?)
        } else {
            None
        };
        Ok(Some(Self {
            folder: folder.to_owned(),
            plan,
            runs,
        }))
    }
}
