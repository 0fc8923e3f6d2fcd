//! `lavoxel sheet`: writes a map sheet, a project for QGIS and a report.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lavoxel::output::{Existing, check_distinct};
use lavoxel::scene::Seconds;
use lavoxel::sheet::{Date, Paper, Settings, Sheet, SheetError, check, check_project, check_report};

use crate::cli::show::say;
use crate::cli::{file_or_shipped, no_file, protect_map};

const EXAMPLES: &str = "\
Examples:
  The probability of inundation on A4, over the ground that the runs flowed on:
      lavoxel sheet lavoxel-out/etna-hazard --ground etna.tif --out sheet.pdf
  The median arrival on A3, with lines of where lava is after 6 hours and after a day, and roads:
      lavoxel sheet lavoxel-out/etna-hazard --layer arrival_q50 --hours 6h,1d --overlay roads.geojson --paper a3 --out sheet.pdf
  A map of a single run, as PDF and as picture, with its table of exposure:
      lavoxel sheet lava.tif --ground etna.tif --table exposed.csv --out sheet.pdf --out sheet.png
  All layers of a folder in QGIS, and a report:
      lavoxel sheet lavoxel-out/etna-hazard --ground etna.tif --qgis etna.qgz --report etna.html";

/// Print a map: a finished sheet, a project for QGIS, a report
///
/// Reads a map that run or hazard wrote (.tif, .asc), or the folder of a hazard map, and draws a sheet for print: the map in classes
/// over lit ground, with grid, scale, north, legend, a table of what lava reaches, parameters and cautions. Each sheet is stamped
/// UNVERIFIED until --stamp says otherwise. The same files and flags give the same bytes.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SheetArgs {
    /// Map (.tif, .asc), or folder of a hazard map
    #[arg(value_name = "MAP")]
    map: PathBuf,

    /// Write the sheet: .pdf, or .png with 300 pixels to the inch; repeatable
    #[arg(long, value_name = "FILE", required_unless_present_any = ["qgis", "report"])]
    out: Vec<PathBuf>,

    /// Map of a folder, such as arrival_q50 [default: probability]
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,

    /// Heightmap of the ground for the hill shade, in the coordinate system of the map; without it the background is plain
    #[arg(long, value_name = "FILE")]
    ground: Option<PathBuf>,

    /// Points, lines and polygons (.geojson) to draw over the map, with their names; repeatable. The exposure of a folder is
    /// drawn automatically
    #[arg(long, value_name = "FILE")]
    overlay: Vec<PathBuf>,

    /// Table of exposure (.csv) to print, in place of those of the folder; repeatable
    #[arg(long, value_name = "FILE")]
    table: Vec<PathBuf>,

    /// Draw where lava is after these times, such as 6h,1d, by the quantiles of arrival in the folder
    #[arg(long, value_name = "T,T,…", value_delimiter = ',', value_parser = str::parse::<Seconds>)]
    hours: Vec<Seconds>,

    /// Title [default: what the map shows, and the scene]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Author, at the foot
    #[arg(long, value_name = "TEXT")]
    author: Option<String>,

    /// Date, at the foot, or none [default: the day on which the map was written]
    #[arg(long, value_name = "TEXT")]
    date: Option<String>,

    /// Paper
    #[arg(long, value_enum, value_name = "SIZE", default_value_t = PaperName::A4)]
    paper: PaperName,

    /// Lay the paper on its longer side [default: as the map has more room]
    #[arg(long, conflicts_with = "portrait")]
    landscape: bool,

    /// Stand the paper on its shorter side
    #[arg(long)]
    portrait: bool,

    /// Stamp on the sheet, or none
    #[arg(long, value_name = "TEXT", default_value = Settings::STAMP)]
    stamp: String,

    /// Write a project for QGIS with all layers: .qgs or .qgz
    #[arg(long, value_name = "FILE")]
    qgis: Option<PathBuf>,

    /// Write a report: .html, or .md with its pictures beside it
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Replace files that are there already
    #[arg(long)]
    force: bool,
}

/// Sizes of `--paper`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PaperName {
    /// 210 × 297 mm
    A4,
    /// 297 × 420 mm
    A3,
}

/// Value of `--date` and `--stamp` that stands for no text.
const NONE: &str = "none";

/// Runs `lavoxel sheet`.
pub(super) fn run(args: &SheetArgs) -> anyhow::Result<()> {
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let settings = args.settings()?;
    // Inputs are protected first: no output may replace one.
    let inputs = args.overlay.iter().chain(&args.table).chain([&args.map]);
    for path in inputs {
        if !path.exists() {
            return Err(no_file(path));
        }
        protect_map(path);
    }
    settings.ground.iter().for_each(|path| protect_map(path));
    args.out.iter().try_for_each(|path| check(path, existing)).map_err(told)?;
    args.qgis.iter().try_for_each(|path| check_project(path, existing)).map_err(told)?;
    args.report.iter().try_for_each(|path| check_report(path, existing)).map_err(told)?;
    let outputs = args.out.iter().chain(&args.qgis).chain(&args.report);
    check_distinct(outputs.map(PathBuf::as_path))?;
    let sheet = Sheet::read(&args.map, &settings).map_err(told)?;
    sheet.files().iter().for_each(|path| protect_map(path));
    sheet.write(&args.out, existing).map_err(told)?;
    args.qgis.iter().try_for_each(|path| sheet.write_project(path, existing)).map_err(told)?;
    args.report.iter().try_for_each(|path| sheet.write_report(path, existing)).map_err(told)?;
    for path in args.out.iter().chain(&args.qgis).chain(&args.report) {
        say::note(&path.display().to_string());
    }
    Ok(())
}

/// Unwraps an error to its cause, which determines the exit code.
fn told(error: SheetError) -> anyhow::Error {
    match error {
        SheetError::Terrain(error) => error.into(),
        SheetError::Memory(error) => error.into(),
        SheetError::Output(error) => error.into(),
        SheetError::Export(error) => error.into(),
        other => other.into(),
    }
}

impl SheetArgs {
    fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = Settings::default();
        settings.layer.clone_from(&self.layer);
        settings.ground = self.ground.as_deref().map(file_or_shipped).transpose()?;
        settings.overlays.clone_from(&self.overlay);
        settings.tables.clone_from(&self.table);
        settings.hours.clone_from(&self.hours);
        settings.title.clone_from(&self.title);
        settings.author.clone_from(&self.author);
        settings.date = match self.date.as_deref() {
            None => Date::OfMap,
            Some(NONE) => Date::None,
            Some(text) => Date::Text(text.to_owned()),
        };
        settings.paper = match self.paper {
            PaperName::A4 => Paper::A4,
            PaperName::A3 => Paper::A3,
        };
        settings.landscape = (self.landscape || self.portrait).then_some(self.landscape);
        settings.stamp = (self.stamp != NONE && !self.stamp.trim().is_empty()).then(|| self.stamp.clone());
        Ok(settings)
    }
}
