//! The `[[barrier]]` tables of a scene: dams, walls and ditches along lines, which raise or lower the ground before the first step.

use std::path::PathBuf;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{Scene, SceneError};
use crate::grid::line::Line;
use crate::map::Site;
use crate::param::{Table, table};
use crate::validate::{Invalid, within};

/// Most `[[barrier]]` tables of a scene, and most barriers of a file.
const MAX_BARRIERS: usize = 10_000;

/// Farthest place from a corner of the box, in metres.
const FAR: f64 = 1e12;

/// Highest barrier and deepest ditch in metres.
const MAX_HEIGHT_M: f64 = 1000.0;

table! {
    /// A barrier, or all those of a file.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct BarrierSpec {
        /// Name in tables; absent: its number.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String> = None;
        /// Lines on the map (`.geojson`), whose properties `name`, `height_m` and `width_m` come before the keys here.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub file: Option<PathBuf> = None;
        /// The points of one line, in metres east and south of the box's north-west corner, in place of a file.
        #[serde(deserialize_with = "crate::exact::some", skip_serializing_if = "Option::is_none")]
        pub line_m: Option<Vec<[f64; 2]>> = None, [-FAR, FAR] "m";
        /// Height above the ground under it; below 0 a ditch.
        pub height_m: f64 = 5.0, [-MAX_HEIGHT_M, MAX_HEIGHT_M] "m";
        /// Width across the line; at least the columns that the line crosses, each beside the next one.
        pub width_m: f64 = 0.0, [0.0, 1e5] "m";
    }
}

/// A barrier on the columns of a box.
#[derive(Clone, Debug, PartialEq)]
pub struct Barrier {
    /// Its name, or `barrier 3`.
    pub name: String,
    /// Its lines, in coordinates of the map.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Height above the ground under it in metres; below 0 a ditch.
    pub height_m: f64,
    /// Width in metres.
    pub width_m: f64,
    /// Numbers of its columns, ascending.
    pub columns: Vec<u32>,
}

impl BarrierSpec {
    /// Barriers of a file, with the usual height and width where it names none.
    pub fn of_file(file: PathBuf) -> Self {
        Self { file: Some(file), ..Self::default() }
    }

    fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.check(key)?;
        match (&self.file, &self.line_m) {
            (Some(_), None) => Ok(()),
            (None, Some(points)) => {
                within(&format!("number of points of {key}.line_m"), points.len() as f64, 2.0, MAX_BARRIERS as f64)
            }
            _ => Err(Invalid::new(key, "without either, or with both", "file or line_m")),
        }
    }

    /// The barriers on a box.
    fn on(&self, key: &str, scene: &Scene, site: &Site) -> Result<Vec<Barrier>, Invalid> {
        let Some(points) = &self.line_m else { return self.of_features(key, scene, site) };
        let cells = points.iter().map(|point| point.map(|metres| metres / site.cell_size_m));
        let lines = vec![cells.map(|point| site.on_the_map(point)).collect()];
        Ok(vec![self.placed(self.name.clone(), lines, (self.height_m, self.width_m), site)])
    }

    #[cfg(feature = "files")]
    fn of_features(&self, key: &str, scene: &Scene, site: &Site) -> Result<Vec<Barrier>, Invalid> {
        use crate::map::features::{Features, Geometry, features_on, read_text};
        use crate::map::geojson;
        let path = scene.folder.join(self.file.clone().unwrap_or_default());
        let name = path.display().to_string();
        let wrong = |fault: String| {
            Invalid::new(&format!("{key}.file"), &name, format!("a file of lines (.geojson); it {fault}"))
        };
        let text = match crate::inside::file(&path) {
            Some(file) => file
                .map_err(|error| error.to_string())
                .and_then(|file| String::from_utf8(file.bytes.into_owned()).map_err(|_| "is no text".to_owned())),
            None => read_text(&path),
        };
        let text = text.map_err(wrong)?;
        geojson::need(&text)
            .check("simplify it (ogr2ogr -simplify)")
            .map_err(|error| wrong(format!("is long: {error}")))?;
        let features = Features::parse(&text).and_then(|features| features_on(features, site)).map_err(wrong)?;
        within(&format!("number of lines of {key}.file"), features.len() as f64, 1.0, MAX_BARRIERS as f64)?;
        let barrier = |(i, feature): (usize, crate::map::features::Feature)| {
            let lines = match feature.geometry {
                Geometry::Lines(lines) => lines,
                Geometry::Polygons(polygons) => polygons.into_iter().flatten().collect(),
                Geometry::Points(_) => return Err(wrong(format!("has points, in feature {}", i + 1))),
            };
            let number = |name: &str, usual: f64, (low, high): (f64, f64)| {
                let given = feature.properties.get(name).filter(|given| !given.is_null());
                let number = given.map_or(Some(usual), serde_json::Value::as_f64);
                number.filter(|number| (low..=high).contains(number)).ok_or_else(|| {
                    wrong(format!("has a {name} that is no number from {low} to {high}, in feature {}", i + 1))
                })
            };
            let height_m = number("height_m", self.height_m, (-MAX_HEIGHT_M, MAX_HEIGHT_M))?;
            let width_m = number("width_m", self.width_m, (0.0, 1e5))?;
            let name = feature.properties.get("name").and_then(serde_json::Value::as_str).map(str::to_owned);
            Ok(self.placed(name, lines, (height_m, width_m), site))
        };
        features.into_iter().enumerate().map(barrier).collect()
    }

    #[cfg(not(feature = "files"))]
    fn of_features(&self, key: &str, _scene: &Scene, _site: &Site) -> Result<Vec<Barrier>, Invalid> {
        let file = self.file.clone().unwrap_or_default();
        Err(Invalid::new(
            &format!("{key}.file"),
            file.display(),
            "left out, with line_m in its place: no files are read here",
        ))
    }

    fn placed(
        &self,
        name: Option<String>,
        lines: Vec<Vec<[f64; 2]>>,
        (height_m, width_m): (f64, f64),
        site: &Site,
    ) -> Barrier {
        let columns = |line: &Vec<[f64; 2]>| {
            let cells: Vec<[f64; 2]> = line.iter().map(|point| site.cells_of(*point)).collect();
            let further: Vec<_> =
                cells[1..].iter().map(|point| [point[0] - cells[0][0], point[1] - cells[0][1]]).collect();
            Line::new(cells[0], &further).columns(0.5 * width_m / site.cell_size_m, site.grid)
        };
        let lines: Vec<Vec<[f64; 2]>> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        let mut columns: Vec<u32> =
            lines.iter().flat_map(columns).map(|(x, z)| site.grid.column(x, z) as u32).collect();
        columns.sort_unstable();
        columns.dedup();
        Barrier { name: name.unwrap_or_default(), lines, height_m, width_m, columns }
    }
}

impl Scene {
    /// The barriers of the scene on a box, those outside of it included.
    ///
    /// # Errors
    /// A file that cannot be read or holds no lines, by its name.
    pub fn barriers(&self, site: &Site) -> Result<Vec<Barrier>, SceneError> {
        let invalid = |invalid| SceneError::Invalid { path: self.origin.clone(), invalid };
        let of_table =
            |(i, spec): (usize, &BarrierSpec)| spec.on(&format!("barrier[{i}]"), self, site).map_err(invalid);
        let mut all: Vec<Barrier> = Vec::new();
        for table in self.spec.barriers.iter().enumerate().map(of_table) {
            all.extend(table?);
        }
        for (i, barrier) in all.iter_mut().enumerate().filter(|(_, barrier)| barrier.name.is_empty()) {
            barrier.name = format!("barrier {}", i + 1);
        }
        Ok(all)
    }

    /// Checks the tables.
    pub(super) fn check_barriers(&self) -> Result<(), Invalid> {
        within("number of [[barrier]] tables", self.spec.barriers.len() as f64, 0.0, MAX_BARRIERS as f64)?;
        self.spec.barriers.iter().enumerate().try_for_each(|(i, spec)| spec.validate(&format!("barrier[{i}]")))
    }

    /// Raises and lowers the ground, heights in cells, by the barriers: where two meet, by the higher dam or the deeper ditch.
    pub(super) fn raise_barriers(&self, heights: &mut Array2<f32>, site: &Site) -> Result<(), SceneError> {
        if self.spec.barriers.is_empty() {
            return Ok(());
        }
        let ground = heights.clone();
        for barrier in self.barriers(site)? {
            let up = (barrier.height_m / site.cell_height_m()) as f32;
            for &column in &barrier.columns {
                let at = (column as usize / site.grid.nx, column as usize % site.grid.nx);
                let to = (ground[at] + up).max(0.0);
                heights[at] = if up < 0.0 { heights[at].min(to) } else { heights[at].max(to) };
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Box<dyn crate::engine::Engine> {
        Box::new(crate::engine::plain::Plain)
    }

    fn scene(barriers: &str) -> Result<Scene, SceneError> {
        let text = format!(
            "[grid]\nsize = [20, 30, 10]\ncell_size_m = 10\n[terrain]\nkind = \"plane\"\nbase_cells = 4\n{barriers}"
        );
        Scene::parse(&text, std::path::Path::new("scene.toml"))
    }

    #[test]
    fn dams_and_ditches_change_the_ground() {
        let tables = "[[barrier]]\nline_m = [[45, 5], [45, 95]]\nheight_m = 20\n[[barrier]]\nline_m = [[5, 55], [195, 55]]\nheight_m = -15\nwidth_m = 30\n";
        let ground = |text: &str| {
            let stage = scene(text).expect("right").build(engine()).expect("built");
            stage.simulation.world().ground().surface().to_owned()
        };
        let (before, after) = (ground(""), ground(tables));
        let by = &after - &before;
        assert_eq!((by[(0, 4)], by[(9, 4)], by[(0, 3)]), (2.0, 2.0, 0.0));
        assert_eq!((by[(4, 10)], by[(5, 10)], by[(6, 10)], by[(3, 10)], by[(7, 10)]), (-1.5, -1.5, -1.5, 0.0, 0.0));
        let named = scene(tables).expect("right");
        let stage = named.build(engine()).expect("built");
        let barriers = named.barriers(&stage.site).expect("right");
        assert_eq!((&*barriers[1].name, barriers[0].columns.len(), barriers[1].columns.len()), ("barrier 2", 10, 60));
    }

    #[test]
    fn wrong_tables_are_named() {
        for (table, part) in [
            ("[[barrier]]\n", "file or line_m"),
            ("[[barrier]]\nline_m = [[1, 2]]\n", "number of points of barrier[0].line_m"),
            ("[[barrier]]\nline_m = [[1, 2], [3, 4]]\nheight_m = 1e9\n", "barrier[0].height_m"),
            ("[[barrier]]\nline_m = [[1, 2], [3, 4]]\nwidth_m = -1\n", "barrier[0].width_m"),
        ] {
            let error = scene(table).map(drop).expect_err(table).to_string();
            assert!(error.contains(part), "{part:?} in {error}");
        }
        let missing = scene("[[barrier]]\nfile = \"no such.geojson\"\n").expect("named");
        let error = missing.build(engine()).map(drop).expect_err("missing").to_string();
        assert!(error.contains("no such.geojson"), "{error}");
    }
}
