//! Comparison of two footprints (areas and measures of agreement), and of two states of a
//! simulation.

mod classes;
mod dated;
mod footprints;
mod outline;
mod states;
mod thickness;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub use self::dated::DatedFile;
use self::footprints::BYTES_OF_NUMBERS;
use self::footprints::Pair;
pub(crate) use self::footprints::{Limit, Source};
pub(crate) use self::outline::{Outline, inside};
pub use self::states::{Difference, differences};
pub use self::thickness::Thickness;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::words::{self, short};
use lavoxel_files::output::Existing;
use lavoxel_geo::map::compare::{Agreement, Footprint};
use lavoxel_scene::scene::Seconds;

/// Options of a comparison of two footprints.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Threshold in the unit of the raster file: cells with greater values belong to the footprint.
    /// Ignored for rasters of times.
    pub above: f64,
    /// Value that marks cells without data if the raster's file declares none; `None`: all cells
    /// have data.
    pub no_data: Option<f64>,
    /// Latest time that belongs to the footprint of a raster of times; `None`: all cells with a
    /// time.
    pub until: Option<Seconds>,
    /// Point [x, y] from which the greatest distance of each footprint is measured, in the map
    /// coordinates of the first file; `None`: these distances are not measured.
    pub from: Option<[f64; 2]>,
    /// Edge of a cell of the common raster if both files contain polygons, in metres for polygons
    /// in degrees, otherwise in map units; `None`: a thousandth of the longer side of the first
    /// file's bounding box.
    pub cell_size: Option<f64>,
    /// Set to compare lava volumes in addition to areas, which requires that the first file is a
    /// thickness raster in metres.
    pub thickness: bool,
    /// Path of the agreement map (`.tif` or `.asc`) to be written; `None`: no map.
    pub classes: Option<PathBuf>,
    /// Choice for a file that exists at the path of the agreement map: keep or replace.
    pub existing: Existing,
}

impl Default for Options {
    fn default() -> Self {
        let existing = Existing::Keep;
        Self {
            above: 0.05,
            no_data: None,
            until: None,
            from: None,
            cell_size: None,
            thickness: false,
            classes: None,
            existing,
        }
    }
}

/// Compares the footprints of the files `a` and `b`: rasters (GeoTIFF, ESRI ASCII grid) or polygons
/// (GeoJSON, GeoPackage).
///
/// # Errors
/// Names the faulty file or option, and the remedy.
pub fn compare(a: &Path, b: &Path, options: &Options) -> Result<Comparison, String> {
    if !options.above.is_finite() {
        return Err(format!("--above {}: must be a number", options.above));
    }
    if let Some(size) = options
        .cell_size
        .filter(|size| !(*size > 0.0 && size.is_finite()))
    {
        return Err(format!("--cell-size {size}: must be a length above 0"));
    }
    let limit = Limit {
        above: options.above,
        until: options.until,
        keeps: options.thickness,
        no_data: options.no_data,
    };
    let (read_a, read_b) = (Source::read(a, limit)?, Source::read(b, limit)?);
    if options.thickness && !matches!(read_a, Source::Raster { is_time: false, .. }) {
        return Err(format!(
            "--thickness: {} is no raster of thickness in metres",
            a.display()
        ));
    }
    if options.until.is_some() && !read_a.is_time() && !read_b.is_time() {
        return Err("--until: neither file is a GeoTIFF in hours or another time".to_owned());
    }
    let pair = Pair::new((&read_a, a), (&read_b, b), options.cell_size)?;
    let found = pair.compare((a, b), options)?;
    let found = if options.thickness {
        pair.with_thickness(found, (&read_a, &read_b))?
    } else {
        found
    };
    if let Some(path) = &options.classes {
        let crs = [&read_a, &read_b].into_iter().find_map(Source::crs);
        classes::write(path, &pair, crs, options.existing)?;
    }
    Ok(found)
}

/// Result of a comparison of two footprints; serialisable, and printable as
/// [text](Comparison::text).
#[derive(Debug, Serialize)]
pub struct Comparison {
    a: ComparedFile,
    b: ComparedFile,
    intersection: Area,
    union: Area,
    /// Cell size of the common raster along x and y, in metres on the ground.
    cell_m: [f64; 2],
    cell_area_m2: f64,
    fit: Option<f64>,
    jaccard: Option<f64>,
    precision: Option<f64>,
    recall: Option<f64>,
    length_difference_m: Option<f64>,
    front_difference_m: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thickness: Option<Thickness>,
}

#[derive(Debug, Serialize)]
struct Area {
    cells: usize,
    area_m2: f64,
}

#[derive(Debug, Serialize)]
struct ComparedFile {
    file: String,
    cells: usize,
    area_m2: f64,
    length_m: Option<f64>,
    front_m: Option<f64>,
}

impl Pair {
    fn compare(
        &self,
        (path_a, path_b): (&Path, &Path),
        options: &Options,
    ) -> Result<Comparison, String> {
        let found = Agreement::new(&self.a.inside, &self.b.inside);
        if found.either() == 0 {
            return Err(format!(
                "neither footprint has a cell (--above {})",
                options.above
            ));
        }
        // Polygons in degrees are compared on a plane, so the origin must be projected too.
        let from =
            match (options.from, &self.plane) {
                (Some(from), Some(way)) => Some(way.back(from).ok_or_else(|| {
                    "--from: is no longitude and latitude near the map".to_owned()
                })?),
                (from, _) => from,
            };
        let cell = self.a.place.cell;
        let cell_area = cell.0 * self.metres.0 * cell.1 * self.metres.1;
        let area = |cells: usize| Area {
            cells,
            area_m2: cells as f64 * cell_area,
        };
        let side = |path: &Path, footprint: &Footprint, cells: usize| ComparedFile {
            file: path.display().to_string(),
            cells,
            area_m2: area(cells).area_m2,
            length_m: footprint.length(self.metres),
            front_m: from.and_then(|from| footprint.reach(from, self.metres)),
        };
        let (a, b) = (
            side(path_a, &self.a, found.a),
            side(path_b, &self.b, found.b),
        );
        let less = |a: Option<f64>, b: Option<f64>| Some(a? - b?);
        Ok(Comparison {
            length_difference_m: less(a.length_m, b.length_m),
            front_difference_m: less(a.front_m, b.front_m),
            intersection: area(found.both),
            union: area(found.either()),
            cell_m: [cell.0 * self.metres.0, cell.1 * self.metres.1],
            cell_area_m2: cell_area,
            fit: found.fit(),
            jaccard: found.jaccard(),
            precision: found.precision(),
            recall: found.recall(),
            thickness: None,
            a,
            b,
        })
    }

    /// Returns `found`, to which the comparison of the volumes of the files `a` and `b` is added.
    /// Returns a message if memory does not suffice.
    fn with_thickness(
        &self,
        found: Comparison,
        (a, b): (&Source, &Source),
    ) -> Result<Comparison, String> {
        let place = self.a.place;
        let need = MemoryEstimate::new(
            "both thicknesses",
            place.cols * place.rows,
            BYTES_OF_NUMBERS,
        );
        need.check("make the cells larger, or cut the rasters")
            .map_err(|error| error.to_string())?;
        let values_a = a.numbers_onto(&place).unwrap_or_default();
        let values_b = b.numbers_onto(&place).filter(|_| !b.is_time());
        let of_b = (values_b.as_ref(), &self.b.inside);
        let thickness = Thickness::new((&values_a, &self.a.inside), of_b, found.cell_area_m2);
        Ok(Comparison {
            thickness: Some(thickness),
            ..found
        })
    }
}

impl Comparison {
    /// Formats the comparison of the two footprints as text with aligned columns.
    pub fn text(&self) -> String {
        let area = |cells: usize, m2: f64| {
            format!(
                "{} cells, {}",
                words::grouped(cells as u64),
                words::area(m2)
            )
        };
        let side = |name: &str, side: &ComparedFile| {
            format!(
                "{name:<13}{} ({})",
                area(side.cells, side.area_m2),
                side.file
            )
        };
        let share = |name: &str, value: Option<f64>, what: &str| {
            let value = value.map_or("none".to_owned(), |value| format!("{value:.3}"));
            format!("{name:<13}{value:<7}{what}")
        };
        let metres = |name: &str, values: [Option<f64>; 3], what: &str| {
            let [a, b, less] = values
                .map(|value| value.map_or("none".to_owned(), |value| format!("{value:.1} m")));
            format!("{name:<13}A {a}, B {b}, A − B {less}  ({what})")
        };
        let mut lines = vec![
            side("A", &self.a),
            side("B", &self.b),
            format!(
                "{:<13}{} × {} m on the ground",
                "cell",
                short(self.cell_m[0], 3),
                short(self.cell_m[1], 3)
            ),
            format!(
                "{:<13}{}",
                "both",
                area(self.intersection.cells, self.intersection.area_m2)
            ),
            share("fit", self.fit, "√(∩/∪)"),
            share("Jaccard", self.jaccard, "∩/∪"),
            share("precision", self.precision, "∩/A"),
            share("recall", self.recall, "∩/B"),
        ];
        // Fronts need an origin, so their line appears only with `--from`.
        let lengths = [self.a.length_m, self.b.length_m, self.length_difference_m];
        lines.push(metres(
            "length",
            lengths,
            "between the two cells farthest apart",
        ));
        if self.a.front_m.is_some() || self.b.front_m.is_some() {
            let fronts = [self.a.front_m, self.b.front_m, self.front_difference_m];
            lines.push(metres("front", fronts, "farthest cell from --from"));
        }
        lines.extend(self.thickness.iter().flat_map(volumes));
        lines.join("\n")
    }

    /// Header line of a table of comparisons, one comparison per row.
    pub const HEADING: &str =
        "until        fit    Jaccard precision recall  A, not B      B, not A      B";

    /// Formats the comparison as one row under the header [`HEADING`](Self::HEADING). `when`: text
    /// of the first column, such as a time.
    pub fn row(&self, when: &str) -> String {
        let share =
            |value: Option<f64>| value.map_or("none".to_owned(), |value| format!("{value:.3}"));
        let [fit, jaccard, precision, recall] =
            [self.fit, self.jaccard, self.precision, self.recall].map(share);
        let less = |side: &ComparedFile| words::area(side.area_m2 - self.intersection.area_m2);
        let (a, b, file) = (less(&self.a), less(&self.b), &self.b.file);
        format!(
            "{when:<12} {fit:<6} {jaccard:<7} {precision:<9} {recall:<7} {a:<13} {b:<13} {file}"
        )
    }
}

/// Formats `found`, a comparison of volumes, as text lines, one quantity per line.
fn volumes(found: &Thickness) -> Vec<String> {
    let Thickness {
        a_m3,
        a_inside_m3,
        a_outside_m3,
        ..
    } = *found;
    let [a, inside, outside] = [a_m3, a_inside_m3, a_outside_m3].map(words::volume);
    let mut lines = vec![format!(
        "{:<13}A {a}: {inside} where B is, {outside} beside it",
        "volume"
    )];
    if let (Some(b), Some(missed)) = (found.b_m3, found.b_missed_m3) {
        let (b, missed) = (words::volume(b), words::volume(missed));
        lines.push(format!("{:<13}B {b}: {missed} where A is not", ""));
    }
    if let (Some(bias), Some(rms)) = (found.bias_m, found.rms_m) {
        lines.push(format!(
            "{:<13}bias {bias:+.2} m, rms {rms:.2} m  (A − B over the cells of either)",
            "thickness"
        ));
    }
    lines
}
