//! Lava field of Marcath volcano, Nevada, 35,000 years old: isoviscous lava over the ground before
//! the eruption.
//!
//! The outline is that of Younger, Valentine and Gregg (2019), Bull. Volcanol. 81,
//! doi:10.1007/s00445-019-1309-6. Ground, viscosity, rate and vents are those of Saville, Hinton
//! and Huppert, *Predicting Safe Zones within Lava Flows over Topography*, and of the program of
//! that paper.

use std::path::Path;

use ndarray::Array2;

use super::super::{
    FieldRun, Measured, MeasuredRow, curve, depths, flow, flow_box, isothermal, steady,
};
use super::Files;
use lavoxel_flow::Flow;
use lavoxel_geo::map::compare::Agreement;
use lavoxel_geo::terrain::resample::{Window, resample};
use lavoxel_geo::terrain::{Heightmap, LoadOptions, load};

/// Name of the raster file with the heights of the ground after the eruption, lava included.
pub(super) const GROUND: &str = "topography.tif";
/// Name of the raster file with the outline of the lava field.
const OUTLINE: &str = "lavafield.tif";

/// Length in metres of one arc second (of longitude, of latitude) at Marcath volcano.
const SECOND_M: (f64, f64) = (30.87 * 0.7826, 30.87);

/// Mean thickness of the lava field in metres.
const THICKNESS_M: f64 = 11.0;

/// Standard deviation in metres of the Gaussian filter that smooths the ground, and the lava
/// thickness before it is subtracted from the ground.
const FILTER_M: f64 = 25.0;

/// Edge of a simulated cell in plan, in metres.
const CELL_M: f64 = 25.0;
/// Height of a simulated cell, in metres.
const HEIGHT_M: f64 = 5.0;

/// Density of the simulated lava (kg/m³).
const DENSITY: f64 = 2650.0;
/// Viscosity of the simulated lava (Pa s).
const PA_S: f64 = 5e6;
/// Effusion rate of all vents together (m³/s).
const RATE: f64 = 80.0;
/// Positions of the vents in metres from the centre of the map: [to the right, downwards].
const VENTS_M: [[f64; 2]; 3] = [[1100.0, 0.0], [1100.0, 100.0], [1000.0, -100.0]];

/// Length of a day in seconds.
const DAY_S: f64 = 86_400.0;
/// Duration of the eruption in days, as in the program of the paper.
const DAYS: f64 = 5.0;
/// Time step of the simulated lava field, in seconds.
const STEP_S: f64 = 400.0;

/// Thickness in metres above which a cell counts as covered; equal to the default of `lavoxel
/// compare`.
const COVERED_M: f64 = 0.05;

/// Thickness of the contour that the paper shows, as a fraction of the mean thickness.
const DRAWN: f64 = 0.7;

/// Upper bound on the number of cells of a raster that is accepted as a raster of the lava field.
const MOST_CELLS: usize = 1 << 18;
/// Upper bound on the height range (m) of a raster that is accepted as a raster of the lava field.
const MOST_RANGE_M: f64 = 2000.0;

/// Rasters of the lava field of Marcath volcano, resampled to square cells.
struct LavaField {
    /// Heights of the ground before the eruption in metres, axes (row, column).
    ground: Array2<f32>,
    /// Cells that the real lava covered, axes (row, column).
    outline: Array2<bool>,
    /// Cells without lava that the outline of the real lava encloses (islands), axes (row, column).
    island: Array2<bool>,
}

/// Reads the files of the lava field and returns the function that simulates the case.
pub(super) fn read(files: &Files) -> Result<FieldRun, String> {
    let field = field(files)?;
    Ok(Box::new(move || field.run()))
}

fn field(files: &Files) -> Result<LavaField, String> {
    let (ground_path, outline_path) = (files.path(GROUND)?, files.path(OUTLINE)?);
    let (ground, outline) = (raster(&ground_path)?, raster(&outline_path)?);
    let wrong = |path: &Path, fault: String| Err(format!("{}: {fault}", path.display()));
    if ground.heights.dim() != outline.heights.dim() {
        let [(rows, cols), (high, wide)] = [&ground, &outline].map(|map| map.heights.dim());
        return wrong(
            &outline_path,
            format!("has {wide} × {high} cells, but {GROUND} has {cols} × {rows}"),
        );
    }
    let (wide, deep) = ground.extent_m();
    let far = VENTS_M
        .iter()
        .any(|[x, y]| x.abs() > 0.45 * wide || y.abs() > 0.45 * deep);
    if far || ground.heights.len() > MOST_CELLS {
        return wrong(
            &ground_path,
            format!("is {wide:.0} × {deep:.0} m: the field is some 3900 × 2800 m"),
        );
    }
    match ground.range() {
        Some((low, high)) if f64::from(high - low) <= MOST_RANGE_M && ground.no_data() == 0 => {}
        _ => {
            return wrong(
                &ground_path,
                "must have a height in metres in each cell".to_owned(),
            );
        }
    }
    if !outline
        .heights
        .iter()
        .all(|value| [0.0, 1.0].contains(value))
        || outline.range() != Some((0.0, 1.0))
    {
        return wrong(
            &outline_path,
            "must be 1 in the lava field and 0 beside it".to_owned(),
        );
    }
    Ok(LavaField::new(ground, &outline))
}

/// Reads a raster whose cells measure one arc second, as a heightmap in metres.
fn raster(path: &Path) -> Result<Heightmap, String> {
    let options = LoadOptions {
        cell_size_m: Some(1.0),
        any_unit: true,
        ..LoadOptions::default()
    };
    let map = load(path, &options).map_err(|error| error.to_string())?;
    Ok(Heightmap {
        cell_size_m: SECOND_M,
        ..map
    })
}

impl LavaField {
    /// Creates the rasters from `ground`, the heights after the eruption, and `outline`: subtracts
    /// the thickness of the lava from the heights, smooths the result, and resamples heights and
    /// outline to square cells.
    fn new(mut ground: Heightmap, outline: &Heightmap) -> Self {
        let mut lava = outline.clone();
        lava.heights
            .mapv_inplace(|inside| inside * THICKNESS_M as f32);
        lava.filter(FILTER_M);
        ground.heights -= &lava.heights;
        ground.filter(FILTER_M);
        let outline = onto_squares(outline).mapv(|share| share >= 0.5);
        Self {
            ground: onto_squares(&ground),
            island: islands(&outline),
            outline,
        }
    }

    fn flow(&self) -> Flow {
        let (nz, nx) = self.ground.dim();
        let [low, high] =
            [f32::min, f32::max].map(|of| self.ground.iter().copied().reduce(of).unwrap_or(0.0));
        let ny = (f64::from(high - low) / HEIGHT_M) as usize + 20;
        let space = flow_box([nx, ny, nz], [CELL_M, HEIGHT_M]);
        let above = |x: usize, z: usize| HEIGHT_M + f64::from(self.ground[(z, x)] - low);
        flow(space, isothermal(DENSITY, PA_S, 0.0), STEP_S, true, above)
    }

    /// Returns the indices of the columns in which the three vents lie.
    fn vents(&self) -> [usize; 3] {
        let (nz, nx) = self.ground.dim();
        let cell = |metres: f64, count: usize| (0.5 * count as f64 + metres / CELL_M) as usize;
        VENTS_M.map(|[x, z]| cell(z, nz) * nx + cell(x, nx))
    }

    fn run(&self) -> Measured {
        let (mut flow, vents) = (self.flow(), self.vents());
        let observed = self.area(&self.outline);
        let end_s = observed * 1e6 * THICKNESS_M / RATE;
        let mut found = curve("field", ["time in d", "area in km²"], false);
        let mut rows = Vec::new();
        for (until_s, when) in [
            (DAYS * DAY_S, "after 5 d"),
            (end_s, "with the field's volume"),
        ] {
            while flow.time_s() < until_s {
                let pours = vents.map(|column| steady(&flow, column, RATE / 3.0, 1360.0));
                flow.step(&pours);
                if flow.steps().is_multiple_of((0.25 * DAY_S / STEP_S) as u64) {
                    found.model.push((
                        flow.time_s() / DAY_S,
                        self.area(&self.covered(&flow, COVERED_M)),
                    ));
                }
            }
            rows.extend(self.rows(&flow, when));
        }
        found.compare(|_| observed);
        Measured::new(rows, found, flow)
    }

    /// Returns the cells with more than `above_m` metres of lava, axes (row, column).
    fn covered(&self, flow: &Flow, above_m: f64) -> Array2<bool> {
        let nx = flow.space().nx;
        Array2::from_shape_fn(self.ground.dim(), |(z, x)| {
            flow.column(z * nx + x).liquid_m > above_m
        })
    }

    fn area(&self, cells: &Array2<bool>) -> f64 {
        cells.iter().filter(|inside| **inside).count() as f64 * CELL_M * CELL_M / 1e6
    }

    fn rows(&self, flow: &Flow, when: &str) -> Vec<MeasuredRow> {
        let covered = self.covered(flow, COVERED_M);
        let volume_m3: f64 = depths(flow).iter().sum::<f64>() * CELL_M * CELL_M;
        let (area, observed) = (self.area(&covered), self.area(&self.outline));
        let mean_m = volume_m3 / (area * 1e6).max(1.0);
        let drawn = self.covered(flow, DRAWN * mean_m);
        let fit = |cells: &Array2<bool>| Agreement::new(cells, &self.outline);
        let dry = |cells: &Array2<bool>| {
            Agreement::new(cells, &self.island)
                .recall()
                .map(|wet| 1.0 - wet)
        };
        let what = |name: &str| format!("{name}, {when}");
        let share = |name: &str, value: Option<f64>, least: f64| {
            MeasuredRow::between(&what(name), [least, 1.0], value.unwrap_or(0.0))
        };
        vec![
            share("fit √(∩/∪)", fit(&covered).fit(), 0.7),
            share("covered share of the outline", fit(&covered).recall(), 0.7),
            share(
                "share of the flow in the outline",
                fit(&covered).precision(),
                0.7,
            ),
            MeasuredRow::relative(&what("area, km²"), observed, area, 0.12),
            MeasuredRow::relative(&what("mean thickness, m"), THICKNESS_M, mean_m, 0.12),
            share("dry share of the island", dry(&covered), 0.8),
            share("fit of the thick flow", fit(&drawn).fit(), 0.7),
            share("share of the island without thick flow", dry(&drawn), 0.8),
        ]
    }
}

/// Resamples a raster to square cells with the edge `CELL_M`; crops less than half a cell at each
/// side.
fn onto_squares(map: &Heightmap) -> Array2<f32> {
    let (wide, deep) = map.extent_m();
    let (cols, rows) = ((wide / CELL_M) as usize, (deep / CELL_M) as usize);
    let [width, depth] = [(cols, map.cell_size_m.0), (rows, map.cell_size_m.1)]
        .map(|(n, cell)| n as f64 * CELL_M / cell);
    let (west, north) = (
        0.5 * (map.cols() as f64 - width),
        0.5 * (map.rows() as f64 - depth),
    );
    resample(
        &map.heights,
        Window {
            west,
            north,
            cols: width,
            rows: depth,
        },
        cols,
        rows,
    )
}

/// Returns the islands of `mask`: cells outside of `mask` that no path outside of `mask` connects
/// to a side of the map.
fn islands(mask: &Array2<bool>) -> Array2<bool> {
    let (rows, cols) = mask.dim();
    let mut dry = mask.mapv(|inside| !inside);
    let is_side =
        |&(row, col): &(usize, usize)| row == 0 || col == 0 || row + 1 == rows || col + 1 == cols;
    let mut open: Vec<(usize, usize)> = dry
        .indexed_iter()
        .map(|(place, _)| place)
        .filter(is_side)
        .collect();
    while let Some((row, col)) = open.pop() {
        if !std::mem::replace(&mut dry[(row, col)], false) {
            continue;
        }
        let around = [
            (row.wrapping_sub(1), col),
            (row + 1, col),
            (row, col.wrapping_sub(1)),
            (row, col + 1),
        ];
        open.extend(
            around
                .into_iter()
                .filter(|&(row, col)| row < rows && col < cols),
        );
    }
    dry
}

#[cfg(test)]
mod tests {
    use tiff_writer::{ImageBuilder, TiffWriter, WriteOptions};

    use super::*;

    const COLS: usize = 116;
    const ROWS: usize = 40;

    /// Writes a TIFF of 32-bit integers without georeference; `value(column, row)` is the value of
    /// a cell.
    fn write(path: &Path, (cols, rows): (usize, usize), value: impl Fn(usize, usize) -> u32) {
        let numbers: Vec<u32> = (0..cols * rows)
            .map(|i| value(i % cols, i / cols))
            .collect();
        let image = ImageBuilder::new(cols as u32, rows as u32)
            .sample_type::<u32>()
            .strips(rows as u32);
        let mut file = std::io::Cursor::new(Vec::new());
        let mut writer = TiffWriter::new(&mut file, WriteOptions::default()).expect("a file");
        let handle = writer.add_image(image).expect("an image");
        writer.write_block(&handle, 0, &numbers).expect("a block");
        writer.finish().expect("a file");
        std::fs::write(path, file.into_inner()).expect("a file");
    }

    /// Creates a folder with the files of a small test site: a plain that falls to the left, with
    /// lava that surrounds an island. The folder is deleted when the first value is dropped.
    fn place() -> (tempfile::TempDir, Files) {
        let place = tempfile::tempdir().expect("a folder");
        let lava = |col: usize, row: usize| {
            let island = (50..60).contains(&col) && (10..20).contains(&row);
            u32::from((30..110).contains(&col) && (5..35).contains(&row) && !island)
        };
        write(&place.path().join(GROUND), (COLS, ROWS), |col, row| {
            1800 + 2 * col as u32 + 11 * lava(col, row)
        });
        write(&place.path().join(OUTLINE), (COLS, ROWS), lava);
        let files = Files {
            folder: place.path().to_owned(),
        };
        (place, files)
    }

    #[test]
    fn the_lava_is_taken_off_the_ground_and_its_island_is_found() {
        let (_place, files) = place();
        let field = field(&files).expect("a field");
        assert_eq!(field.ground.dim(), (49, 112));
        // The plain is restored in the middle of the lava and outside.
        for (col, row) in [(80, 24), (20, 24)] {
            let x_m = (f64::from(col) + 0.5 - 56.0) * CELL_M;
            let expected = 1800.0 + 2.0 * (x_m / SECOND_M.0 + 57.5);
            let found = field.ground[(row as usize, col as usize)];
            assert!(
                (f64::from(found) - expected).abs() < 0.1,
                "{found} for {expected} m at {col}, {row}"
            );
        }
        let near = |cells: &Array2<bool>, of: f64| {
            (field.area(cells) * 1e6 / (of * SECOND_M.0 * SECOND_M.1) - 1.0).abs() < 0.06
        };
        assert!(near(&field.outline, 2300.0) && near(&field.island, 100.0));
        let [first, ..] = field.vents();
        assert!(field.outline[(first / 112, first % 112)] && !field.outline[(0, 0)]);
    }

    #[test]
    fn a_wrong_file_is_named() {
        let (place, files) = place();
        let fault = || field(&files).err().unwrap_or_default();
        let [ground, outline] = [GROUND, OUTLINE].map(|name| place.path().join(name));
        write(&outline, (COLS, ROWS - 1), |col, _| u32::from(col > 9));
        assert!(
            fault().ends_with("lavafield.tif: has 116 × 39 cells, but topography.tif has 116 × 40"),
            "{}",
            fault()
        );
        for wrong in [|_, _| 1, |_, _| 0, |col, _| col as u32 % 3] {
            write(&outline, (COLS, ROWS), wrong);
            assert!(
                fault().contains("lavafield.tif: must be 1 in the lava field and 0 beside it"),
                "{}",
                fault()
            );
        }
        std::fs::write(&outline, "no raster").expect("a file");
        assert!(fault().contains("lavafield.tif"), "{}", fault());
        write(&ground, (20, 20), |_, _| 1);
        write(&outline, (20, 20), |_, _| 1);
        assert!(
            fault().contains("topography.tif: is 483 × 617 m: the field is some 3900 × 2800 m"),
            "{}",
            fault()
        );
        write(&ground, (COLS, ROWS), |col, _| 100 * col as u32);
        write(&outline, (COLS, ROWS), |col, _| u32::from(col > 9));
        assert!(
            fault().contains("topography.tif: must have a height in metres in each cell"),
            "{}",
            fault()
        );
        std::fs::remove_file(&ground).expect("a file");
        assert!(
            fault().ends_with("topography.tif: no such file"),
            "{}",
            fault()
        );
    }
}
