//! Table `[flow.start]`: lava that lies in the simulation box before the first step, given by a map
//! of its thickness, an outline, or two heightmaps.

use std::path::{Path, PathBuf};

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{FlowSpec, Scene, SceneError, Seconds};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::{Invalid, within};
use lavoxel_files::input::ending;
use lavoxel_flow::standing::Standing;
use lavoxel_flow::{Flow, FlowBox, FlowCell, MOST_AGE_S};
use lavoxel_geo::map::features::{Geometry, features_of};
use lavoxel_geo::map::{Site, columns};
use lavoxel_geo::terrain::on_columns;

/// Upper bound on the thickness of initial lava, in metres.
const MOST_M: f64 = 1000.0;

/// Upper bound on the temperature of initial lava, in kelvin.
const MOST_KELVIN: f64 = 3000.0;

/// Memory in bytes per column with initial lava while the lava is read: thickness and list entry.
const BYTES_A_COLUMN: f64 = 64.0;

table! {
    /// The `[flow.start]` table: lava that lies in the box before the first step.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct StartSpec {
        /// Map of the lava's thickness in metres (`.tif`, `.asc`).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub thickness: Option<PathBuf> = None;
        /// Polygons of the lava (`.geojson`); their properties `thickness_m` and `age_h` take
        /// precedence over the keys here.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub outline: Option<PathBuf> = None;
        /// Map of the ground's heights before the lava came (`.tif`, `.asc`), if the heights of the
        /// terrain are those of the lava's surface.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub before: Option<PathBuf> = None;
        /// Map of the heights of the lava's surface (`.tif`, `.asc`), if the heights of the terrain
        /// are those before the lava came.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub after: Option<PathBuf> = None;
        /// Thickness of the lava in polygons without the property `thickness_m`.
        pub thickness_m: f64 = 5.0, [0.0, MOST_M] "m";
        /// Least difference of two heightmaps that counts as lava; smaller differences are taken as
        /// errors of the surveys.
        pub least_m: f64 = 1.0, [0.0, MOST_M] "m";
        /// `true` if the heights of the terrain are those of the lava's surface; only with
        /// `thickness` and `outline`.
        pub in_terrain: bool = false;
        /// Time for which the lava has lain in its place and cooled before the first step.
        pub age: Seconds = Seconds(0.0), [0.0, MOST_AGE_S] "s";
        /// Temperature of the lava when it came; when left out, that of poured lava,
        /// `flow.lava.vent_k`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub temperature_k: Option<f64> = None, [1.0, MOST_KELVIN] "K";
    }
}

impl StartSpec {
    /// Creates the table for initial lava in `file`: an outline if the extension is that of a
    /// vector format (`.geojson`, `.json`, `.gpkg`), otherwise a map of the lava's thickness.
    pub fn of_file(file: PathBuf) -> Self {
        let is_outline = ["geojson", "json", "gpkg"].contains(&&*ending(&file));
        let (thickness, outline) = if is_outline {
            (None, Some(file))
        } else {
            (Some(file), None)
        };
        Self {
            thickness,
            outline,
            ..Self::default()
        }
    }

    /// Returns a copy of the table in which paths relative to the working folder are replaced by
    /// absolute paths.
    pub(super) fn with_whole_names(&self) -> Self {
        let mut start = self.clone();
        for file in start.files_mut() {
            *file = std::path::absolute(&*file).unwrap_or_else(|_| file.clone());
        }
        start
    }

    /// Iterates over the paths of all files that the table names, mutably.
    pub(super) fn files_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        [
            &mut self.thickness,
            &mut self.outline,
            &mut self.before,
            &mut self.after,
        ]
        .into_iter()
        .flatten()
    }

    pub(super) fn validate(&self, key: &str, flow: &FlowSpec) -> Result<(), Invalid> {
        self.check(key)?;
        let named = [&self.thickness, &self.outline, &self.before, &self.after]
            .into_iter()
            .flatten()
            .count();
        if named != 1 {
            return Err(Invalid::new(
                key,
                format!("{named} files"),
                "one of thickness, outline, before and after",
            ));
        }
        if self.in_terrain && (self.before.is_some() || self.after.is_some()) {
            let expected =
                "left out with before and after, which say what the terrain's heights are";
            return Err(Invalid::new(&format!("{key}.in_terrain"), true, expected));
        }
        let lava = &flow.lava.lava;
        if lava.melts() {
            let expected = "left out with a lava that melts again (liquidus_k); use [[body]]";
            return Err(Invalid::new(key, "a table", expected));
        }
        self.temperature_k.map_or(Ok(()), |kelvin| {
            within(
                &format!("{key}.temperature_k"),
                kelvin,
                lava.ambient_k,
                MOST_KELVIN,
            )
        })
    }

    /// Returns true if the heights of the terrain are those of the lava's surface and not of the
    /// ground below.
    fn is_in_terrain(&self) -> bool {
        self.in_terrain || self.before.is_some()
    }
}

/// Initial lava of a scene: columns with the thickness of their lava, and temperature of the lava
/// in kelvin.
pub(super) struct Start {
    lava: Vec<Standing>,
    temperature_k: f64,
}

impl Start {
    /// Estimates the memory of the initial lava's columns and cells in a flow in the box `space`.
    pub(super) fn need(&self, space: FlowBox) -> MemoryEstimate {
        let cells = |standing: &Standing| (standing.thickness_m / space.dz_m).ceil() + 2.0;
        let cells: f64 = self.lava.iter().map(cells).sum();
        let columns = Flow::need_of_blocks_around(
            space,
            self.lava.iter().map(|standing| standing.column as usize),
        );
        // `Vec` doubling while the list of cells grows.
        MemoryEstimate::new(
            "the cells of the lava at the start",
            cells as usize,
            2.0 * size_of::<FlowCell>() as f64,
        )
        .and(MemoryEstimate::new(
            "the columns of the lava at the start",
            1,
            columns as f64,
        ))
    }

    /// Adds the initial lava to `flow`, on top of the ground of `flow`.
    pub(super) fn add_to(&self, flow: &mut Flow) {
        flow.stand(&self.lava, self.temperature_k);
    }
}

impl Scene {
    /// Reads the initial lava; `None` if the scene has none. If the terrain's heights are those of
    /// the lava's surface, lowers `heights` (in cells) to the ground below the lava.
    pub(super) fn lava_at_start(
        &self,
        heights: &mut Array2<f32>,
        site: &Site,
    ) -> Result<Option<Start>, SceneError> {
        let Some(flow) = self.spec.flow_spec() else {
            return Ok(None);
        };
        let Some(spec) = &flow.start else {
            return Ok(None);
        };
        let invalid = |invalid| self.invalid(invalid);
        let need =
            MemoryEstimate::new("the lava at the start", site.grid.columns(), BYTES_A_COLUMN);
        need.check("make grid.size smaller")
            .map_err(|cause| SceneError::Memory {
                path: self.origin.clone(),
                cause,
            })?;
        let lava = read(self, spec, (heights, site)).map_err(invalid)?;
        if spec.is_in_terrain() {
            dig(heights, &lava, site).map_err(invalid)?;
        }
        check_roof(heights, &lava, site).map_err(invalid)?;
        Ok(Some(Start {
            lava,
            temperature_k: spec.temperature_k.unwrap_or(flow.lava.lava.vent_k),
        }))
    }
}

/// Returns the indices (row, column) into an array of heights for the column with the index
/// `column`.
fn at(site: &Site, column: u32) -> (usize, usize) {
    (
        column as usize / site.grid.nx,
        column as usize % site.grid.nx,
    )
}

/// Lowers `heights` (in cells) by the thickness of the lava in each column of `lava`.
fn dig(heights: &mut Array2<f32>, lava: &[Standing], site: &Site) -> Result<(), Invalid> {
    for standing in lava {
        let height = &mut heights[at(site, standing.column)];
        let below = f64::from(*height) - standing.thickness_m / site.cell_height_m();
        if below < 0.0 {
            let expected = format!(
                "more by {}: the ground below the lava is lower than the box",
                (-below).ceil()
            );
            return Err(Invalid::new("terrain.base_cells", "too few", expected));
        }
        *height = below as f32;
    }
    Ok(())
}

fn check_roof(heights: &Array2<f32>, lava: &[Standing], site: &Site) -> Result<(), Invalid> {
    let top = |standing: &Standing| {
        f64::from(heights[at(site, standing.column)]) + standing.thickness_m / site.cell_height_m()
    };
    let top = lava.iter().map(top).fold(0.0, f64::max);
    if top <= site.grid.ny as f64 {
        return Ok(());
    }
    let expected = format!(
        "{} or more: the lava at the start reaches up to there",
        top.ceil()
    );
    Err(Invalid::new("grid.size[1]", site.grid.ny, expected))
}

/// Reads the files of `spec` and returns the columns with lava, ascending by index. `heights`:
/// terrain heights in cells.
fn read(
    scene: &Scene,
    spec: &StartSpec,
    (heights, site): (&Array2<f32>, &Site),
) -> Result<Vec<Standing>, Invalid> {
    let Seconds(age_s) = spec.age;
    let of = |thickness: Array2<f64>| -> Vec<Standing> {
        let all = thickness
            .iter()
            .enumerate()
            .filter(|(_, thickness_m)| **thickness_m > 0.0);
        all.map(|(column, &thickness_m)| Standing {
            column: column as u32,
            thickness_m,
            age_s,
        })
        .collect()
    };
    let above = |least: f64| {
        move |value: f64| {
            if value > least {
                value.min(MOST_M)
            } else {
                0.0
            }
        }
    };
    let ground = || heights.mapv(|cells| site.elevation_m(f64::from(cells)));
    let named = [
        ("thickness", &spec.thickness),
        ("outline", &spec.outline),
        ("before", &spec.before),
        ("after", &spec.after),
    ];
    let (key, file) = named
        .into_iter()
        .find_map(|(key, file)| Some((key, file.clone()?)))
        .unwrap_or_default();
    let path = scene.folder.join(file);
    let wrong = |fault: String| {
        Invalid::new(
            &format!("flow.start.{key}"),
            path.display(),
            format!("{} that {fault}", kind(key)),
        )
    };
    let lava = match key {
        "outline" => polygons(&path, spec, site).map_err(wrong)?,
        "thickness" => of(on_columns(&path, site).map_err(wrong)?.mapv(above(0.0))),
        // Smaller differences of two heightmaps are survey errors, not lava.
        "before" => {
            of((ground() - on_columns(&path, site).map_err(wrong)?).mapv(above(spec.least_m)))
        }
        _ => of((on_columns(&path, site).map_err(wrong)? - ground()).mapv(above(spec.least_m))),
    };
    if lava.is_empty() {
        return Err(wrong("has lava in the box; this one has none".to_owned()));
    }
    Ok(lava)
}

/// Returns a description of the file that the key `key` expects (such as a map or polygons), for
/// messages.
fn kind(key: &str) -> &'static str {
    if key == "outline" {
        "a file of polygons (.geojson)"
    } else {
        "a raster (.tif, .asc)"
    }
}

/// Reads the polygons in the file `path` and returns the columns of the simulation box whose
/// centres lie inside; where polygons overlap, the thickness of the last one counts.
fn polygons(path: &Path, spec: &StartSpec, site: &Site) -> Result<Vec<Standing>, String> {
    let features = features_of(path, site).map_err(|fault| format!("can be read; it {fault}"))?;
    // Per column, the 1-based index of the last covering feature; 0 for none.
    let mut last = vec![0_u32; site.grid.columns()];
    let mut lava = Vec::with_capacity(features.len());
    for (i, feature) in features.iter().enumerate() {
        let number = |name: &str, usual: f64, most: f64| {
            let number = feature
                .number_or(name, usual)
                .filter(|number| (0.0..=most).contains(number));
            number.ok_or_else(|| format!("has a {name} from 0 to {most} in {}", feature.words()))
        };
        if !matches!(feature.geometry, Geometry::Polygons(_)) {
            return Err(format!("has polygons; {} is none", feature.words()));
        }
        let thickness_m = number("thickness_m", spec.thickness_m, MOST_M)?;
        let Seconds(usual_s) = spec.age;
        let age_s = 3600.0 * number("age_h", usual_s / 3600.0, MOST_AGE_S / 3600.0)?;
        let (columns, _) = columns::columns_of(&feature.geometry, site);
        columns
            .into_iter()
            .for_each(|column| last[column as usize] = i as u32 + 1);
        lava.push((thickness_m, age_s));
    }
    let of = |(column, number): (usize, &u32)| {
        let (thickness_m, age_s) = lava[number.checked_sub(1)? as usize];
        (thickness_m > 0.0).then_some(Standing {
            column: column as u32,
            thickness_m,
            age_s,
        })
    };
    Ok(last.iter().enumerate().filter_map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::engine::plain::Plain;

    /// Returns the scene of a plane of 12 by 8 columns, 10 m wide, in cells 4 m high with the
    /// ground at 16 m. `start`: text of the initial lava; `folder`: folder of its files.
    fn scene(start: &str, folder: &std::path::Path) -> Result<Scene, SceneError> {
        let text = format!(
            "model = \"flow\"\n[grid]\nsize = [12, 20, 8]\ncell_size_m = 10\ncell_height_m = 4\n[terrain]\nkind = \"plane\"\nbase_cells = 4\n\
             [flow]\nstep_s = 60\n[flow.start]\n{start}\n"
        );
        Scene::parse(&text, &folder.join("scene.toml"))
    }

    fn flow(scene: &Scene) -> Result<Flow, SceneError> {
        let stage = scene.build(Box::new(Plain))?;
        stage.simulation.world().check().expect("exact");
        Ok(stage.simulation.world().flow().expect("a flow").clone())
    }

    /// Returns the text of an ASCII grid of `cols` by `rows` cells, `cell_m` metres wide. `of`
    /// returns the value at a cell centre, given in metres east and south of the north-west corner.
    fn raster([cols, rows]: [usize; 2], cell_m: f64, of: impl Fn(f64, f64) -> f64) -> String {
        let mut text = format!(
            "ncols {cols}\nnrows {rows}\nxllcorner 0\nyllcorner 0\ncellsize {cell_m}\nNODATA_value -9999\n"
        );
        for row in 0..rows {
            let numbers: Vec<String> = (0..cols)
                .map(|col| of((col as f64 + 0.5) * cell_m, (row as f64 + 0.5) * cell_m).to_string())
                .collect();
            text += &(numbers.join(" ") + "\n");
        }
        text
    }

    const SQUARE: &str = r#"{"type": "FeatureCollection", "crs": null, "features": [
        {"type": "Feature", "properties": {"thickness_m": 6}, "geometry": {"type": "Polygon", "coordinates": [[[20, 20], [60, 20], [60, 60], [20, 60], [20, 20]]]}},
        {"type": "Feature", "properties": {"age_h": 48}, "geometry": {"type": "Polygon", "coordinates": [[[80, 20], [100, 20], [100, 60], [80, 60], [80, 20]]]}}]}"#;

    #[test]
    fn all_ways_put_the_same_lava_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written")
        };
        let block = |x: f64, z: f64| {
            if (20.0..60.0).contains(&x) && (20.0..60.0).contains(&z) {
                6.0
            } else {
                0.0
            }
        };
        put("thickness.asc", &raster([48, 32], 2.5, block));
        put("coarse.asc", &raster([6, 4], 20.0, block));
        put(
            "after.asc",
            &raster([12, 8], 10.0, |x, z| 16.0 + block(x, z) + 0.5),
        );
        put(
            "before.asc",
            &raster([12, 8], 10.0, |x, z| 16.0 - block(x, z) + 0.5),
        );
        put(
            "today.geojson",
            &SQUARE
                .replace("80, 20", "20, 20")
                .replace("100, ", "20, ")
                .replace("80, 60", "20, 60"),
        );
        let six = |text: &str, ground_m: f64| {
            let flow = flow(&scene(text, folder.path()).expect("right"))
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            let wet: Vec<usize> = (0..96).filter(|&c| flow.column(c).liquid_m > 0.0).collect();
            assert_eq!(wet.len(), 16, "{text}");
            for c in wet {
                let column = flow.column(c);
                assert!(
                    (column.liquid_m + column.ground_m - column.surface_m).abs() < 1e-6,
                    "{text}: {column:?}"
                );
                assert!(
                    (column.ground_m - ground_m).abs() < 1e-5 && column.arrival_s == Some(0.0),
                    "{text}: {column:?}"
                );
            }
            flow.column(3 * 12 + 3).liquid_m
        };
        for file in ["thickness.asc", "coarse.asc"] {
            assert!((six(&format!("thickness = \"{file}\""), 16.0) - 6.0).abs() < 1e-5);
            assert!(
                (six(&format!("thickness = \"{file}\"\nin_terrain = true"), 10.0) - 6.0).abs()
                    < 1e-5
            );
        }
        assert!((six("after = \"after.asc\"", 16.0) - 6.5).abs() < 1e-5);
        assert!((six("before = \"before.asc\"", 10.5) - 5.5).abs() < 1e-5);
    }

    #[test]
    fn polygons_say_their_thickness_and_age() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("today.geojson"), SQUARE).expect("written");
        let flow = flow(
            &scene(
                "outline = \"today.geojson\"\nthickness_m = 3\nage = \"1 h\"",
                folder.path(),
            )
            .expect("right"),
        );
        let flow = flow.expect("built");
        let (young, old) = (flow.column(3 * 12 + 3), flow.column(3 * 12 + 8));
        assert!(
            (young.liquid_m - 6.0).abs() < 1e-5 && (old.liquid_m - 3.0).abs() < 1e-5,
            "{young:?} {old:?}"
        );
        assert!(
            young.surface_k > old.surface_k && young.lid_m < old.lid_m,
            "{young:?} {old:?}"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written")
        };
        put("deep.asc", &raster([12, 8], 10.0, |_, _| 30.0));
        put("none.asc", &raster([12, 8], 10.0, |_, _| 0.0));
        put(
            "line.geojson",
            r#"{"type": "LineString", "coordinates": [[1, 2], [3, 4]]}"#,
        );
        for (text, part) in [
            ("", "0 files"),
            ("before = \"a.tif\"\nafter = \"b.tif\"", "2 files"),
            (
                "before = \"a.tif\"\nin_terrain = true",
                "flow.start.in_terrain",
            ),
            ("thickness = \"no such.asc\"", "no such.asc"),
            ("thickness = \"none.asc\"", "has none"),
            (
                "thickness = \"deep.asc\"\nin_terrain = true",
                "terrain.base_cells",
            ),
            ("outline = \"line.geojson\"", "polygons"),
            ("thickness = \"deep.asc\"\nage = -1", "flow.start.age"),
            (
                "thickness = \"deep.asc\"\ntemperature_k = 2",
                "flow.start.temperature_k",
            ),
        ] {
            let error = scene(text, folder.path())
                .and_then(|scene| flow(&scene))
                .map(drop)
                .expect_err(text)
                .to_string();
            assert!(error.contains(part), "{text}: {part:?} in {error}");
        }
        put("high.asc", &raster([12, 8], 10.0, |_, _| 70.0));
        let error = scene("thickness = \"high.asc\"", folder.path())
            .and_then(|scene| flow(&scene))
            .map(drop);
        assert!(
            error
                .expect_err("too high")
                .to_string()
                .contains("grid.size[1]")
        );
    }

    #[test]
    fn a_survey_is_the_ground_but_under_lava_and_where_it_has_no_heights() {
        let folder = tempfile::tempdir().expect("a folder");
        // The height rises by 0.05 m per metre to the east; the north has no data.
        let height = |x: f64, z: f64| if z < 20.0 { -9999.0 } else { 10.0 + 0.05 * x };
        std::fs::write(folder.path().join("new.asc"), raster([48, 32], 2.5, height))
            .expect("written");
        let classic = "[grid]\nsize = [12, 20, 8]\ncell_size_m = 10\n";
        let flow = "model = \"flow\"\n[grid]\nsize = [12, 20, 8]\ncell_size_m = 10\ncell_height_m = 4\n[flow]\nstep_s = 1\n";
        let rest = "[terrain]\nkind = \"plane\"\nbase_cells = 4\n[[body]]\nmatter = { kind = \"lava\", amount = 1.0 }\nshape = { kind = \"box\", \
                    from = [0, 4, 7], to = [2, 6, 8] }\n[[event]]\nat = 0\nput = { matter = { kind = \"ground\", file = \"new.asc\" }, shape = { kind = \
                    \"box\", from = [0, 0, 0], to = [11, 20, 8] } }\n";
        for (head, high_m) in [(classic, 10.0), (flow, 4.0)] {
            let scene = Scene::parse(&format!("{head}{rest}"), &folder.path().join("scene.toml"))
                .expect("right");
            let stage = scene.build(Box::new(Plain)).expect("built");
            let world = stage.simulation.world();
            world.check().expect("exact");
            let ground = |x: usize, z: usize| match world.flow() {
                Some(flow) => flow.column(z * 12 + x).ground_m / 4.0,
                None => world.ground().top(x, z) as f64,
            };
            let new = |x: usize| (10.0 + 0.05 * (x as f64 + 0.5) * 10.0) / high_m;
            // Columns outside of the shape, without heights, and under lava.
            assert_eq!(
                [ground(11, 5), ground(3, 1), ground(1, 7)],
                [4.0; 3],
                "{head}"
            );
            for x in 2..11 {
                let expected = if world.flow().is_some() {
                    new(x)
                } else {
                    new(x).round()
                };
                assert!(
                    (ground(x, 7) - expected).abs() < 0.02,
                    "{head}: {x}: {} {expected}",
                    ground(x, 7)
                );
            }
        }
        let missing = format!("{flow}{rest}").replace("new.asc", "none.asc");
        let missing = Scene::parse(&missing, &folder.path().join("scene.toml")).expect("named");
        let error = missing
            .build(Box::new(Plain))
            .map(drop)
            .expect_err("no file")
            .to_string();
        assert!(error.contains("none.asc"), "{error}");
        let high = |_, _| 90.0;
        std::fs::write(folder.path().join("new.asc"), raster([48, 32], 2.5, high))
            .expect("written");
        let high = Scene::parse(&format!("{flow}{rest}"), &folder.path().join("scene.toml"))
            .expect("right");
        let error = high
            .build(Box::new(Plain))
            .map(drop)
            .expect_err("above the roof")
            .to_string();
        assert!(
            error.contains("new.asc") && error.contains("grid.size[1]"),
            "{error}"
        );
    }
}
