//! `lavoxel compare`: how well two footprints agree.

use std::path::PathBuf;

use clap::Args;
use lavoxel::compare::{Options, compare};
use lavoxel::scene::Seconds;

use crate::cli::no_file;
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
    for path in [&args.a, &args.b] {
        if !path.exists() {
            return Err(no_file(path));
        }
    }
    let mut options = Options::default();
    (options.above, options.until, options.from, options.cell_size) =
        (args.above, args.until, args.from, args.cell_size);
    let found = compare(&args.a, &args.b, &options).map_err(anyhow::Error::msg)?;
    say::data(&if args.json { serde_json::to_string_pretty(&found)? } else { found.text() })?;
    Ok(())
}
