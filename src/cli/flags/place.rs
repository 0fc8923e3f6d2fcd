//! Flags that choose a section of a heightmap, fit the section into a simulation box and place
//! vents; shared by all commands.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use lavoxel::flow::Lava;
use lavoxel::grid::{Grid, MAX_SIDE};
use lavoxel::map::Epsg;
use lavoxel::param::{Form, Param, Table};
use lavoxel::rules::Walls;
use lavoxel::scene::{LavaSpec, Overrides, Seconds, StartSpec, VentOverride, VentPlace};
use lavoxel::terrain::{Encoding, Fill, HeightUnit, TerrainKind, TerrainSpec};

use crate::cli::flags::count;
use crate::cli::flags::flag_names::FlagNames;

/// Heading in the `--help` text above the flags of a heightmap.
const HEADING: &str = "Heightmap";

/// Heading in the `--help` text above the flags of the physical model.
const FLOW: &str = "Physical model";

/// Flags that choose a part of a heightmap, and flags of the format of its file.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct MapArgs {
    /// Use only a part of the heightmap: west, north, columns, rows in cells of the file; or, each
    /// number with an m, west, north, width, depth in metres
    #[arg(long, help_heading = HEADING, value_name = "W,N,COLS,ROWS", conflicts_with = "bounds", allow_hyphen_values = true)]
    crop: Option<Cut>,

    /// Use only the part of the heightmap between the coordinates W, S, E and N of the file,
    /// rounded to whole cells
    #[arg(long, help_heading = HEADING, value_name = "W,S,E,N", value_parser = four_numbers, allow_hyphen_values = true)]
    bounds: Option<[f64; 4]>,

    #[arg(long, help_heading = HEADING, help = help_of("cell_size_m"), value_name = "METRES", allow_negative_numbers = true)]
    pub(in crate::cli) cell_size: Option<f64>,

    /// Set the height of black in a gray picture, in metres
    #[arg(long, help_heading = HEADING, value_name = "METRES", allow_hyphen_values = true)]
    black: Option<f64>,

    /// Set the height of white in a gray picture, in metres [default: one metre per gray level;
    /// without a scene, a relief of a quarter of the shorter side]
    #[arg(long, help_heading = HEADING, value_name = "METRES", allow_hyphen_values = true)]
    white: Option<f64>,

    #[arg(long, help_heading = HEADING, help = help_of("no_data"), value_name = "NUMBER", allow_hyphen_values = true)]
    no_data: Option<f64>,

    #[arg(long, help_heading = HEADING, help = help_of("height_unit"), value_name = "UNIT")]
    height_unit: Option<HeightUnit>,

    #[arg(long, help_heading = HEADING, help = help_of("crs"), value_name = "EPSG:N")]
    crs: Option<Epsg>,

    /// Smooth heights within their rounding, such as the steps of 1 m in a map of whole metres
    #[arg(long, help_heading = HEADING)]
    smooth_dem: bool,

    #[arg(long, help_heading = HEADING, help = help_of("raw_size"), value_name = "COLSxROWS")]
    raw_size: Option<Raster>,

    #[arg(long, help_heading = HEADING, help = help_of("raw_type"), value_name = "TYPE")]
    raw_type: Option<Encoding>,

    /// Fill cells without data in the file by RULE [default: the scene's rule, else error; bare
    /// heightmaps: nearest]
    #[arg(long, help_heading = HEADING, value_name = "RULE")]
    fill: Option<FillRule>,

    /// Stretch heights by FACTOR
    #[arg(long, help_heading = HEADING, alias = "exaggeration", value_name = "FACTOR", allow_negative_numbers = true)]
    pub(in crate::cli) exaggerate: Option<f64>,

    /// Add an error with a standard deviation of METRES to the heights, for the uncertainty of a
    /// survey
    #[arg(long, help_heading = HEADING, value_name = "METRES", allow_negative_numbers = true)]
    dem_error: Option<f64>,

    /// Set the distance in metres at which the correlation of the height error is 1/e [default:
    /// 100]
    #[arg(long, help_heading = HEADING, value_name = "METRES", allow_negative_numbers = true)]
    dem_error_length: Option<f64>,

    /// Put the height METRES at --base-cells above the floor of the box, instead of the lowest
    /// height; ground below the floor is cut off
    #[arg(long, help_heading = HEADING, value_name = "METRES", allow_hyphen_values = true)]
    base_m: Option<f64>,

    /// Put CELLS cells of rock below the lowest ground, or below the height of --base-m
    #[arg(long, help_heading = HEADING, value_name = "CELLS", allow_negative_numbers = true)]
    base_cells: Option<f64>,
}

/// Flags of the box, of the terrain in the box, and of the vents.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct PlaceArgs {
    /// Set the size of the box in cells, instead of the scene's size: west to east, floor to roof,
    /// north to south
    #[arg(long, value_name = "NXxNYxNZ")]
    grid: Option<Size>,

    /// Set the edge of a cell of the box in metres [default on a heightmap: the largest edge with
    /// which the box fits]
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    voxel_size: Option<f64>,

    /// Divide each cell of the scene into N cells along each side, from 1 to 8, for the same
    /// eruption in finer cells
    ///
    /// With 2, cells are half as large, and the eruption takes twice as many steps; with 3, a third
    /// as large, in three times as many steps. Other flags count cells and steps of the original
    /// scene; --steps and --every count the finer steps.
    #[arg(long, value_name = "N", value_parser = count::finer, allow_negative_numbers = true)]
    finer: Option<u64>,

    /// Open a vent at X,Z, instead of the scene's vents; repeatable
    ///
    /// The place is in cells from the north-west corner of the box (64,64), in metres from that
    /// corner (1200m,800m), in coordinates of the file (map:499800,4178300), or summit. Two places
    /// with .. between them are a fissure (1200m,800m..1500m,900m). @RATE sets the rate: full cells
    /// per step (@2.5), or in the physical model cubic metres per second (@15m3/s) or a table of
    /// rates (@rates.csv).
    #[arg(long, value_name = "X,Z[@RATE]", allow_hyphen_values = true)]
    vent: Vec<VentFlag>,

    /// Raise the ground along the lines of a file, in addition to the barriers of the scene;
    /// repeatable
    ///
    /// Lines have the properties height_m (default 5; below 0 a ditch), width_m and name.
    /// Coordinates are longitude and latitude, or those of the heightmap.
    #[arg(long, value_name = "LINES.geojson")]
    barrier: Vec<PathBuf>,

    /// Lay a picture from above over the ground: an orthophoto or land cover (.png, .jpg, .webp,
    /// .tif)
    ///
    /// A GeoTIFF is placed by its coordinates; any other picture covers the whole box, with north
    /// up.
    #[arg(long, value_name = "PICTURE")]
    drape: Option<PathBuf>,

    /// Give the ground the heights of another survey from TIME on, such as 36h=drone.tif;
    /// repeatable
    ///
    /// FILE is a raster of heights in metres (.tif, .asc) in the coordinate system of the terrain.
    /// The ground changes where no lava of the run lies at TIME. Needs the physical model.
    #[arg(long, help_heading = FLOW, value_name = "TIME=FILE", value_parser = survey, allow_hyphen_values = true)]
    survey: Vec<(Seconds, PathBuf)>,

    /// Set the four sides of the box, instead of the scene's setting [default for bare heightmaps:
    /// open]
    #[arg(long, value_enum, value_name = "WALLS")]
    walls: Option<WallsName>,

    #[arg(long, help_heading = FLOW, value_name = "NAME", help = lava_help())]
    lava: Option<String>,

    /// Start with lava on the ground: a map of its thickness in metres (.tif, .asc), or polygons
    /// (.geojson) with the properties thickness_m and age_h
    #[arg(long, help_heading = FLOW, value_name = "FILE")]
    start: Option<PathBuf>,

    /// Set the age of the lava of --start, such as 3d: TIME for which the lava has cooled in its
    /// place [default: 0]
    #[arg(long, help_heading = FLOW, value_name = "TIME", requires = "start", allow_hyphen_values = true)]
    start_age: Option<Seconds>,

    /// Set the thickness in metres of polygons of --start without a thickness_m [default: 5]
    #[arg(long, help_heading = FLOW, value_name = "METRES", requires = "start", allow_negative_numbers = true)]
    start_thickness: Option<f64>,

    /// Simulate TIME in the physical model, such as 10d, 6h, 30min or 90s
    #[arg(long, help_heading = FLOW, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<Seconds>,

    /// Set the length of a step on a bare heightmap, such as 1min [default: 4 s per metre of a
    /// cell's edge, up to 1 min; in hazard and calibrate 15 s per metre, up to 5 min]
    #[arg(long, help_heading = FLOW, value_name = "TIME", allow_hyphen_values = true)]
    time_step: Option<Seconds>,

    /// Set the height of a cell of the box in metres, in the physical model [default for bare
    /// heightmaps: half of the cell's edge]
    #[arg(long, help_heading = FLOW, value_name = "METRES", allow_negative_numbers = true)]
    cell_height: Option<f64>,

    /// Take from the table FILE (.toml) what blocks of MagicaVoxel or Minecraft become [default: the
    /// built-in table, which lavoxel scene --block-table prints]
    #[arg(long, value_name = "FILE")]
    blocks: Option<PathBuf>,

    #[command(flatten)]
    map: MapArgs,
}

/// Keys of the scene table `[terrain]` that can be set by flags, each with its flag.
const FLAGS: [(&str, &str); 18] = [
    ("crop", "--crop"),
    ("crop_m", "--crop"),
    ("bounds", "--bounds"),
    ("cell_size_m", "--cell-size"),
    ("black_m", "--black"),
    ("white_m", "--white"),
    ("no_data", "--no-data"),
    ("height_unit", "--height-unit"),
    ("crs", "--crs"),
    ("smooth", "--smooth-dem"),
    ("raw_size", "--raw-size"),
    ("raw_type", "--raw-type"),
    ("fill_no_data", "--fill"),
    ("vertical_exaggeration", "--exaggerate"),
    ("base_m", "--base-m"),
    ("base_cells", "--base-cells"),
    ("error_m", "--dem-error"),
    ("error_length_m", "--dem-error-length"),
];

/// Iterates over the parameters of the scene table `[terrain]` that can be set by flags, each with
/// its flag.
fn flags() -> impl Iterator<Item = (&'static Param<TerrainSpec>, &'static str)> {
    FLAGS
        .into_iter()
        .filter_map(|(key, flag)| Some((TerrainSpec::param(key)?, flag)))
}

/// Returns the description of the key `key` of the scene table `[terrain]`, which is the help text
/// of its flag.
fn help_of(key: &str) -> &'static str {
    TerrainSpec::param(key).map_or("", |param| param.what.trim_end_matches('.'))
}

impl MapArgs {
    /// Returns a terrain specification that contains only the keys set by flags.
    pub(in crate::cli) fn terrain(&self) -> TerrainSpec {
        let (crop, crop_m) = match self.crop {
            Some(Cut::Cells(crop)) => (Some(crop), None),
            Some(Cut::Metres(crop)) => (None, Some(crop)),
            None => (None, None),
        };
        TerrainSpec {
            crop,
            crop_m,
            bounds: self.bounds,
            cell_size_m: self.cell_size,
            black_m: self.black,
            white_m: self.white,
            no_data: self.no_data,
            height_unit: self.height_unit,
            crs: self.crs,
            smooth: self.smooth_dem.then_some(true),
            raw_size: self.raw_size.map(|size| [size.cols, size.rows]),
            raw_type: self.raw_type,
            fill_no_data: self.fill.map(Fill::from),
            vertical_exaggeration: self.exaggerate,
            base_m: self.base_m,
            error_m: self.dem_error,
            error_length_m: self.dem_error_length,
            base_cells: self.base_cells,
            ..TerrainSpec::default()
        }
    }

    /// Registers in `typed` the flags that override numbers of the scene table `[terrain]`: under
    /// the full keys, and under the keys without the table's name, which file readers use in their
    /// errors.
    pub(in crate::cli) fn put_into(&self, typed: &mut FlagNames) {
        let terrain = self.terrain();
        for (param, flag) in flags().filter(|(param, _)| param.entry().form == Form::Number) {
            let value = param.given(&terrain).map(|_| (param.get)(&terrain));
            for key in [format!("terrain.{}", param.key), param.key.to_owned()] {
                typed.add(
                    &key,
                    flag,
                    value,
                    if param.unit == "m" {
                        "metres"
                    } else {
                        param.unit
                    },
                );
            }
        }
    }

    /// Returns the rule of `--fill` for cells without data; `None` without this flag.
    pub(in crate::cli) fn fill(&self) -> Option<Fill> {
        self.fill.map(Fill::from)
    }

    /// Fails if a flag is set that has a meaning only together with a simulation box.
    pub(in crate::cli) fn check_no_box(&self) -> anyhow::Result<()> {
        for (flag, given) in [
            ("--base-m", self.base_m.is_some()),
            ("--base-cells", self.base_cells.is_some()),
        ] {
            anyhow::ensure!(
                !given,
                "{flag}: says how a box is filled; give the box too (--size NXxNYxNZ)"
            );
        }
        Ok(())
    }

    /// Fails if a flag is set that does not apply to terrains of the kind `kind`.
    fn check_kind(&self, kind: TerrainKind) -> anyhow::Result<()> {
        let terrain = self.terrain();
        for (param, flag) in flags() {
            let name = kind.name();
            anyhow::ensure!(
                param.fits(name) || param.given(&terrain).is_none(),
                "{flag}: only for heightmaps, and this terrain is generated (kind = \"{name}\")"
            );
        }
        Ok(())
    }
}

impl PlaceArgs {
    /// Returns the overrides of the scene by these flags. Fails for an unknown preset of lava, or
    /// for a drape whose path cannot be made absolute.
    pub(in crate::cli) fn overrides(&self) -> anyhow::Result<Overrides> {
        let lava = |name: &str| {
            LavaSpec::preset(name)
                .map_err(|error| anyhow::anyhow!(error.replace("flow.lava =", "--lava")))
        };
        // The path is made absolute, because scenes resolve relative paths from their own folder.
        let drape = self.drape.as_ref().map(std::path::absolute).transpose()?;
        Ok(Overrides {
            size: self.grid.map(|Size(grid)| [grid.nx, grid.ny, grid.nz]),
            cell_size_m: self.voxel_size,
            terrain: TerrainSpec {
                drape,
                ..self.map.terrain()
            },
            vents: self.vent.iter().map(|vent| vent.wish.clone()).collect(),
            barriers: self.barrier.clone(),
            surveys: self.survey.clone(),
            walls: self.walls.map(Walls::from),
            cell_height_m: self.cell_height,
            lava: self.lava.as_deref().map(lava).transpose()?,
            start: self.start.as_ref().map(|file| self.start_of(file)),
            duration: self.duration,
            time_step: self.time_step,
            long_steps: false,
            blocks: self.blocks.clone(),
            finer: self.finer.map(|factor| factor as usize),
        })
    }

    /// Returns the settings of the initial lava described by `file`, with age and thickness as set
    /// by the flags.
    fn start_of(&self, file: &Path) -> StartSpec {
        let usual = StartSpec::of_file(file.to_owned());
        StartSpec {
            age: self.start_age.unwrap_or(usual.age),
            thickness_m: self.start_thickness.unwrap_or(usual.thickness_m),
            ..usual
        }
    }

    /// Returns the flags that were given, with the scene keys that they override, so that errors
    /// can name the flag.
    pub(in crate::cli) fn typed(&self) -> FlagNames {
        let mut typed = FlagNames::default();
        self.map.put_into(&mut typed);
        // Errors name these keys with or without their table.
        for key in ["grid.cell_size_m", "cell_size_m"] {
            typed.add(key, "--voxel-size", self.voxel_size, "metres");
        }
        typed.add(
            "terrain.drape",
            "--drape",
            self.drape.as_ref().map(|file| file.display()),
            "",
        );
        typed.add(
            "grid.cell_height_m",
            "--cell-height",
            self.cell_height,
            "metres",
        );
        typed.add("grid.size", "--finer", self.finer, "");
        typed.add("flow.lava", "--lava", self.lava.as_ref(), "");
        typed.add("flow.start.age", "--start-age", self.start_age, "");
        typed.add(
            "flow.start.thickness_m",
            "--start-thickness",
            self.start_thickness,
            "metres",
        );
        for key in ["flow.start.", "flow.start"] {
            typed.add(
                key,
                "--start",
                self.start.as_ref().map(|file| file.display()),
                "",
            );
        }
        typed.add("flow.duration", "--duration", self.duration, "");
        typed.add("flow.step_s", "--time-step", self.time_step, "");
        let surveys = self
            .survey
            .iter()
            .map(|(time, file)| format!("{time}={}", file.display()));
        let surveys: Vec<String> = surveys.collect();
        for key in ["matter.file", "event[", "survey"] {
            typed.add(
                key,
                "--survey",
                (!surveys.is_empty()).then(|| surveys.join(" ")),
                "",
            );
        }
        for (i, vent) in self.vent.iter().enumerate() {
            let in_cells = matches!(vent.wish.place, VentPlace::Cells { .. });
            for axis in ["x", "z"] {
                let hint = "cells; for metres write 500m,500m, for the map map:X,Y";
                typed.add(
                    &format!("vent[{i}].{axis}"),
                    "--vent",
                    in_cells.then_some(&vent.text),
                    hint,
                );
            }
            typed.add(
                &format!("vent[{i}].map_x, map_y"),
                "--vent",
                Some(&vent.text),
                "",
            );
            typed.add(&format!("vent[{i}]."), "--vent", Some(&vent.text), "");
        }
        typed
    }

    /// Fails if a flag is set that does not apply to terrains of the kind `kind`; the error names
    /// all such flags.
    pub(in crate::cli) fn check_kind(&self, kind: TerrainKind) -> anyhow::Result<()> {
        self.map.check_kind(kind)?;
        let on_map = self
            .vent
            .iter()
            .any(|vent| matches!(vent.wish.place, VentPlace::Map { .. }));
        anyhow::ensure!(
            !on_map || kind == TerrainKind::Heightmap,
            "--vent map:…: a generated terrain (kind = \"{}\") is on no map; give cells (64,64) or metres (1200m,800m)",
            kind.name()
        );
        Ok(())
    }
}

/// Parses `TIME=FILE`: time of a survey since the start, and path of its file.
fn survey(text: &str) -> Result<(Seconds, PathBuf), String> {
    let (time, file) = text
        .split_once('=')
        .ok_or("write TIME=FILE, such as 36h=drone.tif")?;
    let time: Seconds = time.parse()?;
    if !(0.0..=1e11).contains(&time.0) || file.is_empty() {
        return Err("write a time from 0 on, and a file, such as 36h=drone.tif".to_owned());
    }
    Ok((time, PathBuf::from(file)))
}

/// Walls of `--walls`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum WallsName {
    /// Matter that crosses a side leaves the box and is counted
    Open,
    /// Matter stays in the box
    Closed,
}

impl From<WallsName> for Walls {
    fn from(name: WallsName) -> Self {
        match name {
            WallsName::Open => Self::Open,
            WallsName::Closed => Self::Closed,
        }
    }
}

/// Rules of `--fill`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FillRule {
    /// Take the height of the nearest cell with data
    Nearest,
    /// Take the lowest height with data
    Lowest,
    /// Use only the largest rectangle without holes
    Cut,
    /// Refuse the file
    Error,
}

impl From<FillRule> for Fill {
    fn from(rule: FillRule) -> Self {
        match rule {
            FillRule::Nearest => Self::Nearest,
            FillRule::Lowest => Self::Lowest,
            FillRule::Cut => Self::Cut,
            FillRule::Error => Self::Error,
        }
    }
}

/// Size of a box in cells (x, y, z), parsed from text such as `128x100x128`.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Size(pub(in crate::cli) Grid);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match numbers(text, ['x', 'X', '×', ','])?[..] {
            [nx, ny, nz] if [nx, ny, nz].iter().all(|n| (1..=MAX_SIDE).contains(n)) => {
                Ok(Self(Grid::new(nx, ny, nz)))
            }
            _ => Err(format!(
                "three numbers from 1 to {MAX_SIDE} are needed, such as 128x100x128"
            )),
        }
    }
}

/// Size of a raster in cells (columns, rows), parsed from text such as `640x480`.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Raster {
    pub(in crate::cli) cols: usize,
    pub(in crate::cli) rows: usize,
}

impl FromStr for Raster {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match numbers(text, ['x', 'X', '×'])?[..] {
            [cols, rows] if [cols, rows].iter().all(|n| (1..=MAX_SIDE).contains(n)) => {
                Ok(Self { cols, rows })
            }
            _ => Err(format!(
                "two numbers from 1 to {MAX_SIDE} are needed, such as 256x256"
            )),
        }
    }
}

/// Parses `N` nonnegative integers, separated by any of the characters in `separators`.
fn numbers<const N: usize>(text: &str, separators: [char; N]) -> Result<Vec<usize>, String> {
    let part = |part: &str| {
        part.trim()
            .parse()
            .map_err(|_| format!("\"{part}\" is not a whole number"))
    };
    text.split(separators).map(part).collect()
}

/// Part of a heightmap, parsed from `100,50,256,256` in cells or from `1000m,500m,2560m,2560m` in
/// metres: west, north, columns or width, rows or depth.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Cells([usize; 4]),
    Metres([f64; 4]),
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split([',', ' ', ';']).map(str::trim).collect();
        let metres: Option<Vec<f64>> = parts
            .iter()
            .map(|part| part.strip_suffix('m')?.trim().parse().ok())
            .collect();
        let cells: Option<Vec<usize>> = parts.iter().map(|part| part.parse().ok()).collect();
        match (metres.as_deref(), cells.as_deref()) {
            (Some(&[west, north, wide, deep]), _) => Ok(Self::Metres([west, north, wide, deep])),
            (_, Some(&[west, north, cols, rows])) => Ok(Self::Cells([west, north, cols, rows])),
            _ => Err("four numbers are needed: west, north, columns, rows, such as 100,50,256,256; or all four in \
                      metres, such as 1000m,500m,2560m,2560m"
                .into()),
        }
    }
}

/// Parses four numbers separated by commas (west, south, east, north), such as
/// `499547.5,4174982.5,503327.5,4178762.5`.
fn four_numbers(text: &str) -> Result<[f64; 4], String> {
    let wrong = || format!("\"{text}\" is not four coordinates: west,south,east,north");
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(wrong)
}

/// Vent as typed: `64,64`, `1200m,800m`, `map:499800,4178300` or `summit`, or a fissure between two
/// such places, each with or without `@2.5`, `@15m3/s` or `@rates.csv`.
#[derive(Clone, Debug)]
struct VentFlag {
    wish: VentOverride,
    /// Text of the flag's value as the user typed it.
    text: String,
}

impl FromStr for VentFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self {
            wish: text.parse()?,
            text: text.to_owned(),
        })
    }
}

/// Returns the help text of `--lava` with the names of all presets.
fn lava_help() -> String {
    let (last, others) = Lava::PRESETS.split_last().unwrap_or((&"", &[]));
    format!(
        "Set the lava of the physical model, which computes in metres, seconds and kelvin: {} or {last}. A bare \
         heightmap with this flag gets the physical model",
        others.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_in_cells_and_metres() {
        assert!(matches!("1,2,3,4".parse(), Ok(Cut::Cells([1, 2, 3, 4]))));
        assert!(matches!(
            "0m,25.5m,100m,1e3m".parse(),
            Ok(Cut::Metres([_, 25.5, 100.0, 1e3]))
        ));
        for wrong in ["1,2,3", "1m,2m,3m", "1m,2,3,4", "1,2,3,-4", "a"] {
            assert!(wrong.parse::<Cut>().is_err(), "{wrong}");
        }
        assert_eq!(four_numbers("-1,2.5,3,4e2"), Ok([-1.0, 2.5, 3.0, 400.0]));
        assert!(four_numbers("1,2,3").is_err() && four_numbers("1,2,3,4,5").is_err());
        assert!(
            "8x9x10".parse::<Size>().is_ok()
                && "8,9,10".parse::<Size>().is_ok()
                && "8x9".parse::<Size>().is_err()
        );
    }
}
