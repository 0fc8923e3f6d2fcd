//! `lavoxel compare`: measures the agreement of a simulated footprint with observed footprints.

use std::path::PathBuf;

use clap::Args;
use lavoxel::compare::{Comparison, DatedFile, Options, compare};
use lavoxel::output::{self, Existing};
use lavoxel::scene::Seconds;
use serde::Serialize;

use crate::cli::no_file;
use crate::cli::show::messages;

const EXAMPLES: &str = "\
Examples:
  Compare a simulated flow with an observed flow:
      lavoxel compare lava.tif observed.geojson
  Compare the footprint after one day, taken from an arrival map:
      lavoxel compare arrival.tif observed.geojson --until 1d
  Compare all lava ever thicker than 0.5 m, with the distance of the front from the vent:
      lavoxel run etna.tif --map max-thickness=most.tif
      lavoxel compare most.tif observed.tif --above 0.5 --from 500547,4178262
  Compare day by day with outlines:
      lavoxel compare arrival.tif day1.geojson@1d day3.geojson@3d day5.geojson@5d
  Compare thickness with the difference of two surveys, and map hits and misses:
      lavoxel compare thickness.tif lidar.tif --thickness --classes differ.tif

Measures (∩: cells of both, ∪: cells of either):
  fit √(∩/∪)   Jaccard ∩/∪   precision ∩/A   recall ∩/B   1 is the best value of each
  front        largest distance from the point of --from to a cell centre, for A, for B, and A − B
  length       largest distance between two cell centres, for A, for B, and A − B";

/// Compare two footprints: a simulated and an observed flow
///
/// Reads A and B, each a raster (GeoTIFF, ESRI ASCII grid) or polygons (GeoJSON, GeoPackage), and
/// prints their areas and measures of their agreement. A cell belongs to a footprint if its value
/// is above the limit of --above, or if its centre lies in a polygon.
///
/// A and B must have one coordinate system; polygons in degrees are projected to UTM to match a map
/// in UTM. Both footprints are compared on the cells of A; a raster B is resampled onto the cells
/// of A by nearest neighbour. If only B is a raster, the cells are those of B; if A and B are
/// polygons, --cell-size sets the size of the cells.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    /// Footprint A to judge: .tif, .asc, .geojson or .gpkg
    #[arg(value_name = "A")]
    a: PathBuf,

    /// Reference footprint B: .tif, .asc, .geojson or .gpkg; several footprints, each with its TIME
    /// (@1d), print a table
    #[arg(value_name = "B[@TIME]", required = true)]
    b: Vec<DatedFile>,

    /// Count raster cells with a value above LIMIT, in the unit of the file; in a GeoTIFF of times,
    /// such as an arrival map, all cells with a value count
    #[arg(
        long,
        value_name = "LIMIT",
        default_value_t = 0.05,
        allow_negative_numbers = true
    )]
    above: f64,

    /// Treat NUMBER, such as -9999, as no data in a raster that declares no such number
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    no_data: Option<f64>,

    /// Count only cells with a time up to TIME in a GeoTIFF of times: 10d, 6h, 30min; several times
    /// (1d,2d,3d) print a table
    #[arg(long, value_name = "TIME,…", value_delimiter = ',')]
    until: Vec<Seconds>,

    /// Compare volumes, too; A must be a raster of thickness in metres, B a raster of thickness or
    /// an outline
    #[arg(long)]
    thickness: bool,

    /// Write a map of hits, misses and false alarms to FILE (.tif with a style for QGIS, or .asc)
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,

    /// Replace an existing file of --classes
    #[arg(long)]
    force: bool,

    /// Measure the distances of both fronts from the point X,Y, such as the vent, in the
    /// coordinates of A
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    from: Option<[f64; 2]>,

    /// Set the edge of a cell to SIZE, in metres or map units, where A and B are polygons [default:
    /// 1/1000 of the longer side of A]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    cell_size: Option<f64>,

    /// Print one JSON object, or a JSON array of the rows of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn point(text: &str) -> Result<[f64; 2], String> {
    let number = |part: &str| {
        part.trim()
            .parse::<f64>()
            .ok()
            .filter(|value| value.is_finite())
    };
    let parts = text
        .split_once(',')
        .and_then(|(x, y)| Some([number(x)?, number(y)?]));
    parts.ok_or_else(|| "must be two numbers, such as 500547,4178262".to_owned())
}

/// Runs `lavoxel compare`.
pub(super) fn run(args: &CompareArgs) -> anyhow::Result<()> {
    for path in args.b.iter().map(|file| &file.path).chain([&args.a]) {
        if !path.exists() {
            return Err(no_file(path));
        }
        output::protect(path);
    }
    let wanted = args.wanted().map_err(anyhow::Error::msg)?;
    let mut found = Vec::new();
    for (path, until) in &wanted {
        let options = args.options(*until);
        found.push(compare(&args.a, path, &options).map_err(anyhow::Error::msg)?);
    }
    let text = match (&found[..], args.json) {
        ([one], true) => serde_json::to_string_pretty(one)?,
        ([one], false) => one.text(),
        (all, true) => serde_json::to_string_pretty(&by_time(all, &wanted))?,
        (all, false) => {
            let rows = all
                .iter()
                .zip(&wanted)
                .map(|(found, (_, until))| found.row(&words_of(*until)));
            [Comparison::HEADING.to_owned()]
                .into_iter()
                .chain(rows)
                .collect::<Vec<_>>()
                .join("\n")
        }
    };
    messages::data(&text)?;
    Ok(())
}

/// Pairs each comparison in `all` with its time in seconds (`None` without a time), for JSON
/// output. `wanted`: path of B and time of each comparison, in the same order.
fn by_time<'a>(all: &'a [Comparison], wanted: &[(&PathBuf, Option<Seconds>)]) -> Vec<ByTime<'a>> {
    let pairs = all.iter().zip(wanted);
    pairs
        .map(|(found, (_, until))| ByTime {
            until_s: until.map(|Seconds(until)| until),
            found,
        })
        .collect()
}

#[derive(Serialize)]
struct ByTime<'a> {
    until_s: Option<f64>,
    #[serde(flatten)]
    found: &'a Comparison,
}

fn words_of(until: Option<Seconds>) -> String {
    until.map_or("ever".to_owned(), |until| until.to_string())
}

impl CompareArgs {
    /// Returns the requested comparisons as pairs: path of the reference footprint B, and latest
    /// time that counts in A (`None`: any time). Fails with a message if files and times do not
    /// match.
    fn wanted(&self) -> Result<Vec<(&PathBuf, Option<Seconds>)>, String> {
        let dated = self.b.iter().any(|file| file.at.is_some());
        match (&self.b[..], &self.until[..]) {
            (_, [_, ..]) if dated => {
                Err("--until: each B has its time already, behind the @".to_owned())
            }
            ([one], []) => Ok(vec![(&one.path, one.at)]),
            ([one], times) => Ok(times.iter().map(|time| (&one.path, Some(*time))).collect()),
            (many, []) if many.iter().all(|file| file.at.is_some()) => {
                Ok(many.iter().map(|file| (&file.path, file.at)).collect())
            }
            (many, _) => {
                let undated = many
                    .iter()
                    .find(|file| file.at.is_none())
                    .unwrap_or(&many[0]);
                let shown = undated.path.display();
                Err(format!(
                    "{shown}: of several files each needs its time, such as {shown}@1d"
                ))
            }
        }
        .and_then(|wanted| match &self.classes {
            Some(path) if wanted.len() > 1 => Err(format!(
                "--classes {}: is the map of one comparison, not of several times",
                path.display()
            )),
            _ => Ok(wanted),
        })
    }

    fn options(&self, until: Option<Seconds>) -> Options {
        let mut options = Options::default();
        (
            options.above,
            options.until,
            options.from,
            options.cell_size,
        ) = (self.above, until, self.from, self.cell_size);
        (options.thickness, options.classes, options.no_data) =
            (self.thickness, self.classes.clone(), self.no_data);
        options.existing = Existing::by_force(self.force);
        options
    }
}
