//! `lavoxel sheet`: writes a map sheet for print, a QGIS project and a report.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lavoxel::output::{Existing, check_distinct};
use lavoxel::scene::Seconds;
use lavoxel::sheet::{
    Date, Paper, Settings, Sheet, SheetError, check, check_project, check_report,
};

use crate::cli::show::messages;
use crate::cli::{file_or_shipped, no_file, protect_map};

const EXAMPLES: &str = "\
Examples:
  Draw the probability of inundation on A4, over the ground of the runs:
      lavoxel sheet lavoxel-out/etna-hazard --ground etna.tif --out sheet.pdf
  Draw the median arrival on A3, with isochrones after 6 hours and after a day, and roads:
      lavoxel sheet lavoxel-out/etna-hazard --layer arrival_q50 --hours 6h,1d --overlay roads.geojson --paper a3 --out sheet.pdf
  Draw a map of a single run as PDF and as PNG, with an exposure table:
      lavoxel sheet lava.tif --ground etna.tif --table exposed.csv --out sheet.pdf --out sheet.png
  Write all layers of a folder as a QGIS project, and a report:
      lavoxel sheet lavoxel-out/etna-hazard --ground etna.tif --qgis etna.qgz --report etna.html";

/// Write a map sheet for print, a project for QGIS, or a report
///
/// Reads a map that lavoxel run or lavoxel hazard wrote (.tif, .asc), or the folder of a hazard
/// map, and draws a sheet for print: the map in classes over shaded ground, with grid, scale bar,
/// north arrow, legend, exposure table, parameters and cautions. Each sheet has the stamp
/// UNVERIFIED, unless --stamp sets another stamp. The same files and flags give the same bytes.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SheetArgs {
    /// Map (.tif, .asc), or folder of a hazard map
    #[arg(value_name = "MAP")]
    map: PathBuf,

    /// Write the sheet to FILE: .pdf, or .png with 300 pixels per inch; repeatable
    #[arg(long, value_name = "FILE", required_unless_present_any = ["qgis", "report"])]
    out: Vec<PathBuf>,

    /// Draw the map NAME of a hazard folder, such as arrival_q50 [default: probability]
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,

    /// Draw the hill shade of the heightmap FILE, in the coordinate system of the map [default: a
    /// plain background]
    #[arg(long, value_name = "FILE")]
    ground: Option<PathBuf>,

    /// Draw the points, lines and polygons of FILE (.geojson) over the map, with their names;
    /// repeatable
    ///
    /// The exposure of a hazard folder is drawn without this flag.
    #[arg(long, value_name = "FILE")]
    overlay: Vec<PathBuf>,

    /// Print the exposure table FILE (.csv), in place of the tables of the folder; repeatable
    #[arg(long, value_name = "FILE")]
    table: Vec<PathBuf>,

    /// Draw isochrones of the lava after each time T, such as 6h,1d, by the quantiles of arrival in
    /// the folder
    #[arg(long, value_name = "T,T,…", value_delimiter = ',', value_parser = str::parse::<Seconds>)]
    hours: Vec<Seconds>,

    /// Set the title [default: quantity of the map, and name of the scene]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Print the author at the foot
    #[arg(long, value_name = "TEXT")]
    author: Option<String>,

    /// Print the date TEXT at the foot; none prints no date [default: the day on which the map was
    /// written]
    #[arg(long, value_name = "TEXT")]
    date: Option<String>,

    /// Size of the paper
    #[arg(long, value_enum, value_name = "SIZE", default_value_t = PaperName::A4)]
    paper: PaperName,

    /// Use landscape format [default: the format with the larger map scale]
    #[arg(long, conflicts_with = "portrait")]
    landscape: bool,

    /// Use portrait format
    #[arg(long)]
    portrait: bool,

    /// Print the stamp TEXT on the sheet; none prints no stamp
    #[arg(long, value_name = "TEXT", default_value = Settings::STAMP)]
    stamp: String,

    /// Write a project for QGIS with all layers to FILE: .qgs or .qgz
    #[arg(long, value_name = "FILE")]
    qgis: Option<PathBuf>,

    /// Write a report to FILE: .html, or .md with its pictures in files next to the report
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Replace existing files
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

/// Value of `--date` and `--stamp` with which no date and no stamp is printed.
const NONE: &str = "none";

/// Runs `lavoxel sheet`.
pub(super) fn run(args: &SheetArgs) -> anyhow::Result<()> {
    let existing = Existing::by_force(args.force);
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
    args.out
        .iter()
        .try_for_each(|path| check(path, existing))
        .map_err(told)?;
    args.qgis
        .iter()
        .try_for_each(|path| check_project(path, existing))
        .map_err(told)?;
    args.report
        .iter()
        .try_for_each(|path| check_report(path, existing))
        .map_err(told)?;
    let outputs = args.out.iter().chain(&args.qgis).chain(&args.report);
    check_distinct(outputs.map(PathBuf::as_path))?;
    let sheet = Sheet::read(&args.map, &settings).map_err(told)?;
    sheet.files().iter().for_each(|path| protect_map(path));
    sheet.write(&args.out, existing).map_err(told)?;
    args.qgis
        .iter()
        .try_for_each(|path| sheet.write_project(path, existing))
        .map_err(told)?;
    args.report
        .iter()
        .try_for_each(|path| sheet.write_report(path, existing))
        .map_err(told)?;
    messages::files(args.out.iter().chain(&args.qgis).chain(&args.report));
    Ok(())
}

/// Returns the cause of `error`, the error of a map sheet; the cause determines the exit code.
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
        settings.stamp =
            (self.stamp != NONE && !self.stamp.trim().is_empty()).then(|| self.stamp.clone());
        Ok(settings)
    }
}
