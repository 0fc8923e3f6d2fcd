//! `lavoxel terrain`: draws, measures and converts a heightmap or a built-in terrain.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use lavoxel::generate;
use lavoxel::grid::Grid;
use lavoxel::map::Georeference;
use lavoxel::map::scale::MOST_VARIATION;
use lavoxel::memory::{MemoryEstimate, TooMuchMemory};
use lavoxel::output::Existing;
use lavoxel::render::{Image, Palette, Relief, Scale};
use lavoxel::terrain::hillshade::{Light, Tint};
use lavoxel::terrain::write;
use lavoxel::terrain::{Heightmap, Hillshade, Picture, TerrainKind, TerrainSpec};
use lavoxel::validate::escape_for_terminal;

use crate::cli::flags::flag_names::FlagNames;
use crate::cli::flags::place::{MapArgs, Raster, Size};
use crate::cli::protect_map;
use crate::cli::show::messages;

const EXAMPLES: &str = "\
Examples:
  Draw the built-in volcano:
      lavoxel terrain volcano --picture volcano.png
  Draw another volcano in finer cells:
      lavoxel terrain volcano --seed 7 --size 256x200x256 --picture other.png
  Measure a heightmap:
      lavoxel terrain terrains/maunga_whau.asc
  Fit a mountain into a box of 128 × 100 × 128 cells:
      lavoxel terrain etna.asc --size 128x100x128 --fill lowest --picture etna.png
  Cut and coarsen a heightmap; then cut the same part in coordinates of the file:
      lavoxel terrain etna.asc --crop 100,50,256,256 --resample 128x128 --out small.asc
      lavoxel terrain etna.asc --bounds 500547.5,4175702.5,503107.5,4178262.5 --out part.asc
  Measure a gray picture with black at 700 m, white at 2550 m and cells of 30 m:
      lavoxel terrain helens.png --black 700 --white 2550 --cell-size 30 --json";

/// Draw, measure and convert terrains
///
/// Reads a heightmap (.tif, .asc, .hgt, .dem, .nc, .exr, .png, .xyz, .csv, .npy, .raw, or a folder
/// of tiles) or makes a built-in terrain, prints its measurements, and on request draws a shaded
/// picture (--picture) or writes the heights (--out). The order of the steps is: crop, fill,
/// resample or fit into a box, exaggerate. Pictures and heights have north up.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TerrainArgs {
    /// Built-in terrain (volcano, hills, plane, slope, bowl), or heightmap file
    #[arg(value_name = "SOURCE")]
    source: String,

    /// Set the seed of a built-in terrain [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u32>,

    /// Set the size in cells of a built-in terrain [default: 128x100x128], or of a box to fit a
    /// heightmap into
    #[arg(
        long,
        visible_alias = "grid",
        value_name = "NXxNYxNZ",
        conflicts_with = "resample"
    )]
    size: Option<Size>,

    /// Set the edge of a cell of the box in metres
    #[arg(
        long,
        value_name = "METRES",
        conflicts_with = "resample",
        allow_negative_numbers = true
    )]
    voxel_size: Option<f64>,

    #[command(flatten)]
    map: MapArgs,

    /// Resample the heights to COLS × ROWS cells: the mean for larger cells, smooth interpolation
    /// for smaller cells
    #[arg(long, value_name = "COLSxROWS")]
    resample: Option<Raster>,

    /// Draw the terrain to FILE.png, lit from the north-west and coloured by height
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    /// Draw the picture in gray, lit from a single direction
    #[arg(long, requires = "picture")]
    gray: bool,

    /// Draw the picture without the scale bar and the bar of elevations
    #[arg(long, requires = "picture")]
    no_legend: bool,

    /// Write the heights to FILE: .asc (ESRI ASCII grid) or .png (16-bit gray)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print statistics even if files are written
    #[arg(long)]
    stats: bool,

    /// Print statistics as JSON
    #[arg(long)]
    json: bool,

    /// Replace existing files
    #[arg(long)]
    force: bool,
}

/// Runs `lavoxel terrain`: draws, measures and converts a terrain.
///
/// # Errors
/// Invalid input gives a [`lavoxel::terrain::TerrainError`] in the error chain.
pub(crate) fn run(args: &TerrainArgs) -> anyhow::Result<()> {
    convert(args).map_err(|error| args.typed().name(error))
}

fn convert(args: &TerrainArgs) -> anyhow::Result<()> {
    let existing = Existing::by_force(args.force);
    let map = args.terrain()?;
    if args.picture.is_some() || args.out.is_some() {
        let need = MemoryEstimate::new("the heights", map.heights.len(), BYTES_A_HEIGHT);
        need.and(MemoryEstimate::new(
            "the picture or file",
            map.heights.len(),
            BYTES_A_PIXEL,
        ))
        .check(MEND)?;
    }
    if let Some(path) = &args.picture {
        write::picture(&args.draw(&map), path, existing)?;
        messages::files([path]);
    }
    if let Some(path) = &args.out {
        write::heightmap(&map, path, existing)?;
        messages::files([path]);
    }
    if args.json {
        messages::data(&serde_json::to_string_pretty(&map.statistics())?)?;
    } else if args.stats || (args.picture.is_none() && args.out.is_none()) {
        messages::data(&describe(&map))?;
        if args.kind() == Some(TerrainKind::Volcano) {
            let (x, z) = generate::crater(args.grid());
            messages::data(&format!("crater      column x = {x}, z = {z}"))?;
        }
    }
    Ok(())
}

/// Memory in bytes for one height of a heightmap.
const BYTES_A_HEIGHT: f64 = 4.0;
/// Additional memory in bytes for one height while a picture or file is written.
const BYTES_A_PIXEL: f64 = 4.0;

/// Remedy for the user in the error message about a terrain that exceeds the memory limit.
const MEND: &str = "make it smaller (--size, --resample or --crop)";

impl TerrainArgs {
    /// Returns the flags that were given and override scene keys, with these keys, so that errors
    /// can name the flag.
    fn typed(&self) -> FlagNames {
        let mut typed = FlagNames::default();
        self.map.put_into(&mut typed);
        typed.add("cell_size_m", "--voxel-size", self.voxel_size, "metres");
        typed
    }

    /// Returns the built-in terrain that the argument SOURCE names; `None` if SOURCE names a file.
    fn kind(&self) -> Option<TerrainKind> {
        TerrainKind::GENERATED
            .into_iter()
            .find(|kind| kind.name() == self.source)
    }

    fn grid(&self) -> Grid {
        self.size.map_or(Grid::new(128, 100, 128), |size| size.0)
    }

    fn draw(&self, map: &Heightmap) -> Picture {
        let shade = if self.gray {
            Hillshade {
                tint: Tint::Gray,
                light: Light::Single,
                ..Hillshade::default()
            }
        } else {
            Hillshade::default()
        };
        let picture = shade.draw(map);
        if self.no_legend {
            return picture;
        }
        let elevations = map.range().filter(|_| !self.gray);
        let relief = Relief {
            pixel_m: map.extent_m().0 / picture.width as f64,
            elevations: elevations.map(|range| {
                (
                    Palette::sampled(|share| shade.tint.color(share)),
                    Scale::new("elevation", "m", range),
                )
            }),
        };
        let Picture { width, height, rgb } = picture;
        let Image { width, height, rgb } = relief.annotate(&Image { width, height, rgb });
        Picture { width, height, rgb }
    }

    fn terrain(&self) -> anyhow::Result<Heightmap> {
        match self.kind() {
            Some(kind) => self.generated(kind),
            None if Path::new(&self.source).exists() => self.loaded(),
            None => Err(self.no_such_source()),
        }
    }

    /// Creates the error for an argument SOURCE that is neither a file nor a built-in terrain;
    /// suggests the built-in terrain with the most similar name.
    fn no_such_source(&self) -> anyhow::Error {
        let kinds = TerrainKind::GENERATED.map(TerrainKind::name);
        let likeness = |name: &str| strsim::jaro_winkler(&self.source.to_lowercase(), name);
        let nearest = kinds
            .into_iter()
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let hint = match nearest.filter(|name| likeness(name) > 0.8) {
            Some(name) => format!("did you mean {name}?"),
            None => format!("terrains are {}", kinds.join(", ")),
        };
        anyhow::anyhow!(
            "no file \"{}\" and no such terrain ({hint})",
            escape_for_terminal(&self.source)
        )
    }

    fn generated(&self, kind: TerrainKind) -> anyhow::Result<Heightmap> {
        // Keys without a meaning here are passed on, so that they are refused and not ignored.
        let keys = TerrainSpec {
            vertical_exaggeration: None,
            cell_size_m: None,
            ..self.map.terrain()
        };
        let spec = TerrainSpec {
            kind,
            seed: self.seed,
            ..keys
        };
        let cell_size_m = self.voxel_size.or(self.map.cell_size);
        self.check_box()?;
        let mut map = spec
            .build(self.grid(), cell_size_m, Path::new(""))?
            .to_heightmap();
        if let Some(raster) = self.resample {
            map = onto(&map, raster)?;
        }
        self.exaggerated(map)
    }

    fn loaded(&self) -> anyhow::Result<Heightmap> {
        protect_map(Path::new(&self.source));
        let file = Some(PathBuf::from(&self.source));
        let spec = TerrainSpec {
            kind: TerrainKind::Heightmap,
            seed: self.seed,
            file,
            ..self.map.terrain()
        };
        if let Some(size) = self.size {
            self.check_box()?;
            let mut surface = spec.build(size.0, self.voxel_size, Path::new(""))?;
            // A factor of 1 keeps the exaggeration in the heights: the picture shows the ground of
            // the box.
            surface.vertical_exaggeration = 1.0;
            return Ok(surface.to_heightmap());
        }
        anyhow::ensure!(
            self.voxel_size.is_none(),
            "--voxel-size: needs a box too (--size NXxNYxNZ)"
        );
        self.map.check_no_box()?;
        let mut map = spec.read(Path::new(""))?;
        if let Some(rule) = self.map.fill() {
            map.fill(rule)?;
        }
        if let Some(raster) = self.resample {
            map = onto(&map, raster)?;
        }
        self.exaggerated(map)
    }

    /// Fails if the ground of the simulation box, as columns and as heights, would exceed the
    /// memory limit.
    fn check_box(&self) -> Result<(), TooMuchMemory> {
        MemoryEstimate::new("the ground", self.grid().columns(), 2.0 * BYTES_A_HEIGHT).check(MEND)
    }

    fn exaggerated(&self, mut map: Heightmap) -> anyhow::Result<Heightmap> {
        if let (Some(factor), Some((lowest, _))) = (self.map.exaggerate, map.range()) {
            lavoxel::validate::within("--exaggerate", factor, 0.01, 100.0)
                .map_err(lavoxel::terrain::TerrainError::from)?;
            map.exaggerate(factor, f64::from(lowest));
        }
        Ok(map)
    }
}

/// Returns `map` resampled to `cols` × `rows` cells, the size that `--resample` requests.
fn onto(map: &Heightmap, Raster { cols, rows }: Raster) -> anyhow::Result<Heightmap> {
    map.resampled(cols, rows)
        .with_context(|| format!("--resample {cols}x{rows}"))
}

fn describe(map: &Heightmap) -> String {
    let s = &map.statistics();
    let mut lines = vec![
        format!("raster      {} columns × {} rows", s.cols, s.rows),
        format!(
            "extent      {:.1} m west–east × {:.1} m north–south",
            s.width_m, s.depth_m
        ),
    ];
    if let Some(bounds) = s.bounds {
        lines.push(format!("map         {bounds}"));
        lines.extend(
            map.origin
                .as_ref()
                .and_then(Georeference::scale_in_words)
                .map(|words| format!("scale       {words}")),
        );
        if let Some(share) = s.scale_varies.filter(|share| *share > MOST_VARIATION) {
            lines.push(format!(
                "            varies by {:.0} % over the map; a box needs a smaller part (--bounds)",
                100.0 * share
            ));
        }
    }
    if s.min_m.is_nan() {
        lines.push("heights     none".to_owned());
    } else {
        lines.push(format!(
            "heights     {:.1} to {:.1} m, mean {:.1} m",
            s.min_m, s.max_m, s.mean_m
        ));
    }
    if !s.slope_max_deg.is_nan() {
        lines.push(format!(
            "slope       mean {:.1}°, steepest {:.1}°",
            s.slope_mean_deg, s.slope_max_deg
        ));
    }
    lines.push(format!("no data     {} cells", s.no_data));
    lines.join("\n")
}
