//! `lavoxel compare`: how well two footprints agree.

use std::path::{Path, PathBuf};

use clap::Args;
use lavoxel::map::compare::{Agreement, Footprint};
use lavoxel::scene::Seconds;
use lavoxel::words;
use serde::Serialize;

use crate::cli::footprints::{Limit, Pair, Source};
use crate::cli::show::say;

const EXAMPLES: &str = "\
Examples:
  A simulated flow beside an observed one:
      lavoxel compare lava.tif observed.geojson
  What was covered after a day, from a map of arrival:
      lavoxel compare arrival.tif observed.geojson --until 1d
  The same for what was ever covered by more than half a metre, with the distance of the front from the vent:
      lavoxel run etna.tif --map max-thickness=most.tif
      lavoxel compare most.tif observed.tif --above 0.5 --from 500547,4178262

Measures (∩: cells of both, ∪: cells of either):
  fit √(∩/∪)   Jaccard ∩/∪   precision ∩/A   recall ∩/B   1 is the best for all of them
  front        largest distance from --from to the middle of a cell of each footprint, and A less B
  length       largest distance between the middles of two cells of each, and A less B";

/// Compare two footprints: a simulated and an observed flow
///
/// Reads two rasters (GeoTIFF, ESRI ASCII grid) or polygons (GeoJSON), takes the cells whose value is above a limit, or
/// whose middle lies in a polygon, and prints areas and how well they agree. Both must be in one coordinate system; of
/// polygons in degrees, those of a map in UTM are made. The cells are those of A; B is brought onto them, each cell by the one
/// around its middle. Where A has polygons the cells are those of B, and where both have, --cell-size says how large they are.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    /// Footprint to judge: .tif, .asc or .geojson
    #[arg(value_name = "A")]
    a: PathBuf,

    /// Footprint to judge it by: .tif, .asc or .geojson
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Cells of rasters count where their value is above this, in the unit of the file; in a GeoTIFF of times, such as a
    /// map of arrival, all cells with a value count
    #[arg(long, value_name = "LIMIT", default_value_t = 0.05, allow_negative_numbers = true)]
    above: f64,

    /// Of a GeoTIFF of times count the cells up to this time: 10d, 6h, 30min
    #[arg(long, value_name = "TIME")]
    until: Option<Seconds>,

    /// Measure how far the fronts are from this point, such as the vent, in the coordinates of A
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    from: Option<[f64; 2]>,

    /// Edge of a cell, in metres or map units, where both have polygons [default: 1/1000 of the longer side]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    cell_size: Option<f64>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn point(text: &str) -> Result<[f64; 2], String> {
    let number = |part: &str| part.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    let parts = text.split_once(',').and_then(|(x, y)| Some([number(x)?, number(y)?]));
    parts.ok_or_else(|| "must be two numbers, such as 500547,4178262".to_owned())
}

/// Runs `lavoxel compare`.
pub(super) fn run(args: &CompareArgs) -> anyhow::Result<()> {
    anyhow::ensure!(args.above.is_finite(), "--above {}: must be a number", args.above);
    if let Some(size) = args.cell_size {
        anyhow::ensure!(size > 0.0 && size.is_finite(), "--cell-size {size}: must be a length above 0");
    }
    let limit = Limit { above: args.above, until: args.until };
    let (a, b) = (Source::read(&args.a, limit)?, Source::read(&args.b, limit)?);
    let has_time = a.is_time() || b.is_time();
    anyhow::ensure!(has_time || args.until.is_none(), "--until: neither file is a GeoTIFF in hours or another time");
    let pair = Pair::of((&a, &args.a), (&b, &args.b), args.cell_size)?;
    let report = pair.report(args)?;
    say::data(&if args.json { serde_json::to_string_pretty(&report)? } else { report.text() })?;
    Ok(())
}

/// Report that is printed.
#[derive(Debug, Serialize)]
struct Report {
    a: Side,
    b: Side,
    intersection: Area,
    union: Area,
    cell_area_m2: f64,
    fit: Option<f64>,
    jaccard: Option<f64>,
    precision: Option<f64>,
    recall: Option<f64>,
    length_difference_m: Option<f64>,
    front_difference_m: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Area {
    cells: usize,
    area_m2: f64,
}

#[derive(Debug, Serialize)]
struct Side {
    file: String,
    cells: usize,
    area_m2: f64,
    length_m: Option<f64>,
    front_m: Option<f64>,
}

impl Pair {
    fn report(&self, args: &CompareArgs) -> anyhow::Result<Report> {
        let found = Agreement::of(&self.a.inside, &self.b.inside);
        anyhow::ensure!(found.either() > 0, "neither footprint has a cell (--above {})", args.above);
        let from = match (args.from, &self.plane) {
            (Some(from), Some(way)) => Some(
                way.back(from).ok_or_else(|| anyhow::anyhow!("--from: is no longitude and latitude near the map"))?,
            ),
            (from, _) => from,
        };
        let cell = self.a.place.cell;
        let cell_area = cell.0 * self.metres.0 * cell.1 * self.metres.1;
        let area = |cells: usize| Area { cells, area_m2: cells as f64 * cell_area };
        let side = |path: &Path, footprint: &Footprint, cells: usize| Side {
            file: path.display().to_string(),
            cells,
            area_m2: area(cells).area_m2,
            length_m: footprint.length(self.metres),
            front_m: from.and_then(|from| footprint.reach(from, self.metres)),
        };
        let (a, b) = (side(&args.a, &self.a, found.a), side(&args.b, &self.b, found.b));
        let less = |a: Option<f64>, b: Option<f64>| Some(a? - b?);
        Ok(Report {
            length_difference_m: less(a.length_m, b.length_m),
            front_difference_m: less(a.front_m, b.front_m),
            intersection: area(found.both),
            union: area(found.either()),
            cell_area_m2: cell_area,
            fit: found.fit(),
            jaccard: found.jaccard(),
            precision: found.precision(),
            recall: found.recall(),
            a,
            b,
        })
    }
}

impl Report {
    fn text(&self) -> String {
        let area = |cells: usize, m2: f64| format!("{} cells, {}", words::grouped(cells as u64), words::area(m2));
        let side = |name: &str, side: &Side| format!("{name:<13}{} ({})", area(side.cells, side.area_m2), side.file);
        let share = |name: &str, value: Option<f64>, what: &str| {
            let value = value.map_or("none".to_owned(), |value| format!("{value:.3}"));
            format!("{name:<13}{value:<7}{what}")
        };
        let metres = |name: &str, values: [Option<f64>; 3], what: &str| {
            let [a, b, less] = values.map(|value| value.map_or("none".to_owned(), |value| format!("{value:.1} m")));
            format!("{name:<13}A {a}, B {b}, A − B {less}  ({what})")
        };
        let mut lines = vec![
            side("A", &self.a),
            side("B", &self.b),
            format!("{:<13}{}", "both", area(self.intersection.cells, self.intersection.area_m2)),
            share("fit", self.fit, "√(∩/∪)"),
            share("Jaccard", self.jaccard, "∩/∪"),
            share("precision", self.precision, "∩/A"),
            share("recall", self.recall, "∩/B"),
        ];
        let lengths = [self.a.length_m, self.b.length_m, self.length_difference_m];
        lines.push(metres("length", lengths, "between the two cells farthest apart"));
        if self.a.front_m.is_some() || self.b.front_m.is_some() {
            let fronts = [self.a.front_m, self.b.front_m, self.front_difference_m];
            lines.push(metres("front", fronts, "farthest cell from --from"));
        }
        lines.join("\n")
    }
}
