//! `[[barrier]]` tables of a scene: dams, walls and ditches along lines, which raise or lower the
//! ground before the first step.

use std::path::PathBuf;

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Model, Scene, SceneError, Seconds};
use lavoxel_automaton::world::{Edit, Matter, Shape};
use lavoxel_base::grid::line::Line;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::{Invalid, within};
use lavoxel_geo::map::Site;
use lavoxel_geo::map::features::{Feature, Geometry, features_of};
use lavoxel_sim::simulation::{Command, Event};

/// Upper bound on the number of `[[barrier]]` tables of a scene, and on the number of barriers in a
/// file.
const MAX_BARRIERS: usize = 10_000;

/// Upper bound on the distance of a barrier's point from a corner of the simulation box, in metres.
const FAR: f64 = 1e12;

/// Upper bound on the height of a barrier and on the depth of a ditch, in metres.
const MAX_HEIGHT_M: f64 = 1000.0;

/// Upper bound on the time at which a barrier fails, in seconds since the start of the simulation.
const MOST_S: f64 = 1e11;

/// Upper bound on the width of a barrier, in metres.
const MAX_WIDTH_M: f64 = 1e5;

/// Memory in bytes per column of a barrier while the ground is raised: a column index, and a second
/// index with the column's height.
const BYTES_A_COLUMN: f64 = 12.0;

/// Memory in bytes per column while the columns of a barrier are collected; includes `Vec`
/// doubling.
const BYTES_WHILE_MADE: f64 = 96.0;

table! {
    /// Barrier, or all barriers of a file: a dam or ditch along a line.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct BarrierSpec {
        /// Name of the barrier in tables; absent: its number.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String> = None;
        /// File of lines on the map (`.geojson`); their properties `name`, `height_m` and `width_m`
        /// take precedence over the keys here.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub file: Option<PathBuf> = None;
        /// Points of one line, in metres east and south of the box's north-west corner, in place of
        /// a file.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::some", skip_serializing_if = "Option::is_none")]
        pub line_m: Option<Vec<[f64; 2]>> = None, [-FAR, FAR] "m";
        /// Height of the barrier above the ground under it; a negative height makes a ditch.
        pub height_m: f64 = 5.0, [-MAX_HEIGHT_M, MAX_HEIGHT_M] "m";
        /// Width across the line; the barrier always has at least the columns that the line
        /// crosses, each adjacent to the next.
        pub width_m: f64 = 0.0, [0.0, MAX_WIDTH_M] "m";
        /// Time at which the barrier fails, in the physical model: its ground falls back by the
        /// barrier's height; absent: never.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fails: Option<Seconds> = None, [0.0, MOST_S] "s";
    }
}

/// Barrier of a scene, with the columns of the simulation box that it covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Barrier {
    /// Name of the barrier; for a barrier without name, a text such as `barrier 3`.
    pub name: String,
    /// Polylines along which the barrier runs, in map coordinates.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Height of the barrier above the ground in metres; a negative value is minus the depth of a
    /// ditch.
    pub height_m: f64,
    /// Width of the barrier across its line, in metres.
    pub width_m: f64,
    /// Indices of the columns that the barrier covers, ascending.
    pub columns: Vec<u32>,
    /// Time at which the barrier fails, from the start of the simulation; `None` if it never fails.
    pub fails: Option<Seconds>,
}

impl Barrier {
    /// Iterates over edits that raise the ground along the barrier, one per polyline, by `sign` ×
    /// the barrier's height; `sign` = 1 builds the barrier, −1 removes it.
    pub fn edits(&self, site: &Site, sign: f64) -> impl Iterator<Item = Edit> {
        let by = sign * self.height_m / site.cell_height_m();
        let width = self.width_m / site.cell_size_m;
        let points =
            |line: &Vec<[f64; 2]>| line.iter().map(|point| site.cells_of(*point)).collect();
        let shape = move |line| Shape::Line {
            points: points(line),
            width,
        };
        self.lines.iter().map(move |line| Edit {
            shape: shape(line),
            matter: Matter::Raise { by },
        })
    }
}

impl BarrierSpec {
    /// Creates a `[[barrier]]` table for all barriers in `file`. Lines without the property
    /// `height_m` or `width_m` get the default of the key of that name.
    pub fn of_file(file: PathBuf) -> Self {
        Self {
            file: Some(file),
            ..Self::default()
        }
    }

    fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.check(key)?;
        match (&self.file, &self.line_m) {
            (Some(_), None) => Ok(()),
            (None, Some(points)) => within(
                &format!("number of points of {key}.line_m"),
                points.len() as f64,
                2.0,
                MAX_BARRIERS as f64,
            ),
            _ => Err(Invalid::new(
                key,
                "without either, or with both",
                "file or line_m",
            )),
        }
    }

    /// Converts the barriers of this table to columns of the simulation box `place`. `key`: name of
    /// the table in messages, such as `barrier[0]`.
    fn on(&self, key: &str, place: &mut Placing<'_>) -> Result<Vec<Barrier>, SceneError> {
        let Some(points) = &self.line_m else {
            return self.of_features(key, place);
        };
        let site = place.site;
        let cells = points
            .iter()
            .map(|point| point.map(|metres| metres / site.cell_size_m));
        let lines = vec![cells.map(|point| site.on_the_map(point)).collect()];
        let barrier = self.placed(
            self.name.clone(),
            lines,
            (self.height_m, self.width_m),
            place,
        )?;
        if barrier.columns.is_empty() {
            let [wide, deep] =
                [site.grid.nx, site.grid.nz].map(|cells| cells as f64 * site.cell_size_m);
            let expected = format!(
                "a line that comes into the box, {wide} m wide and {deep} m deep from its north-west corner"
            );
            return Err(place.wrong(Invalid::new(
                &format!("{key}.line_m"),
                format!("{points:?}"),
                expected,
            )));
        }
        Ok(vec![barrier])
    }

    fn of_features(&self, key: &str, place: &mut Placing<'_>) -> Result<Vec<Barrier>, SceneError> {
        let path = place
            .scene
            .folder
            .join(self.file.clone().unwrap_or_default());
        let (key, name) = (format!("{key}.file"), path.display().to_string());
        let wrong = |fault: String| {
            Invalid::new(
                &key,
                &name,
                format!("a file of lines (.geojson, .gpkg); it {fault}"),
            )
        };
        let features = features_of(&path, place.site).map_err(|fault| place.wrong(wrong(fault)))?;
        let count = within(
            &format!("number of lines of {key}"),
            features.len() as f64,
            1.0,
            MAX_BARRIERS as f64,
        );
        count.map_err(|invalid| place.wrong(invalid))?;
        let mut barriers = Vec::with_capacity(features.len());
        for feature in features {
            let words = feature.words();
            let about = About::from_feature(self, &feature)
                .map_err(|fault| place.wrong(wrong(format!("{fault}, in {words}"))))?;
            let lines = match feature.geometry {
                Geometry::Lines(lines) => lines,
                Geometry::Polygons(polygons) => polygons.into_iter().flatten().collect(),
                Geometry::Points(_) => {
                    return Err(place.wrong(wrong(format!("has points, in {words}"))));
                }
            };
            barriers.push(self.placed(
                about.name,
                lines,
                (about.height_m, about.width_m),
                place,
            )?);
        }
        if barriers.iter().all(|barrier| barrier.columns.is_empty()) {
            let fault = "has no line in the box: are longitude and latitude swapped, or has it another system?";
            return Err(place.wrong(wrong(fault.to_owned())));
        }
        Ok(barriers)
    }

    /// Converts the barrier `name`, whose `lines` are in map coordinates, to columns of the
    /// simulation box `place`. `height_m`, `width_m`: height and width of the barrier in metres.
    /// Returns an error if the columns of all barriers would exceed the memory limit.
    fn placed(
        &self,
        name: Option<String>,
        lines: Vec<Vec<[f64; 2]>>,
        (height_m, width_m): (f64, f64),
        place: &mut Placing<'_>,
    ) -> Result<Barrier, SceneError> {
        let (site, radius) = (place.site, 0.5 * width_m / place.site.cell_size_m);
        let lines: Vec<Vec<[f64; 2]>> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        let mut columns: Vec<u32> = Vec::new();
        for line in &lines {
            let cells: Vec<[f64; 2]> = line.iter().map(|point| site.cells_of(*point)).collect();
            let further: Vec<_> = cells[1..]
                .iter()
                .map(|point| [point[0] - cells[0][0], point[1] - cells[0][1]])
                .collect();
            let line = Line::new(cells[0], &further);
            place.weigh(
                columns.len() as f64
                    + BYTES_WHILE_MADE / BYTES_A_COLUMN * line.most_columns(radius, site.grid),
            )?;
            columns.extend(
                line.columns(radius, site.grid)
                    .into_iter()
                    .map(|(x, z)| site.grid.column(x, z) as u32),
            );
        }
        columns.sort_unstable();
        columns.dedup();
        place.held += columns.len() as f64;
        Ok(Barrier {
            name: name.unwrap_or_default(),
            lines,
            height_m,
            width_m,
            columns,
            fails: self.fails,
        })
    }
}

/// Name, height (m) and width (m) of one barrier in a file of lines.
struct About {
    name: Option<String>,
    height_m: f64,
    width_m: f64,
}

impl About {
    /// Reads name, height and width from the properties of `feature`; missing properties are taken
    /// from `table`. The error is text that follows the feature's name in a message.
    fn from_feature(table: &BarrierSpec, feature: &Feature) -> Result<Self, String> {
        let number = |name: &str, usual: f64, low: f64, high: f64| {
            let number = feature
                .number_or(name, usual)
                .filter(|number| (low..=high).contains(number));
            number.ok_or_else(|| format!("has a {name} that is no number from {low} to {high}"))
        };
        Ok(Self {
            name: feature
                .properties
                .get("name")
                .and_then(Value::as_str)
                .map(str::to_owned),
            height_m: number("height_m", table.height_m, -MAX_HEIGHT_M, MAX_HEIGHT_M)?,
            width_m: number("width_m", table.width_m, 0.0, MAX_WIDTH_M)?,
        })
    }
}

/// Simulation box on whose columns the barriers are placed, with the number of columns used so far.
struct Placing<'a> {
    scene: &'a Scene,
    site: &'a Site,
    /// Number of columns that the barriers placed so far cover together.
    held: f64,
}

impl Placing<'_> {
    /// Returns an error if `more` columns in addition to the `held` columns of earlier barriers
    /// would exceed the memory limit.
    fn weigh(&self, more: f64) -> Result<(), SceneError> {
        let need = MemoryEstimate::new(
            "the columns of the barriers",
            1,
            (self.held + more) * BYTES_A_COLUMN,
        );
        let path = &self.scene.origin;
        need.check("make them narrower")
            .map_err(|cause| SceneError::Memory {
                path: path.clone(),
                cause,
            })
    }

    fn wrong(&self, invalid: Invalid) -> SceneError {
        self.scene.invalid(invalid)
    }
}

impl Scene {
    /// Returns the barriers of the scene, converted to the simulation box of `site`. Barriers
    /// outside of the box are included and have no columns.
    ///
    /// # Errors
    /// Returns an error that names a file which cannot be read or contains no lines.
    pub fn barriers(&self, site: &Site) -> Result<Vec<Barrier>, SceneError> {
        let mut place = Placing {
            scene: self,
            site,
            held: 0.0,
        };
        let mut all: Vec<Barrier> = Vec::new();
        for (i, spec) in self.spec.barriers.iter().enumerate() {
            all.extend(spec.on(&format!("barrier[{i}]"), &mut place)?);
        }
        for (i, barrier) in all
            .iter_mut()
            .enumerate()
            .filter(|(_, barrier)| barrier.name.is_empty())
        {
            barrier.name = format!("barrier {}", i + 1);
        }
        Ok(all)
    }

    /// Returns the barriers in `files` (paths relative to the working folder), converted to the
    /// simulation box of `site`; barriers of the scene are not included.
    ///
    /// # Errors
    /// The errors of [`Scene::barriers`].
    pub fn barriers_of(&self, files: &[PathBuf], site: &Site) -> Result<Vec<Barrier>, SceneError> {
        let mut scene = self.clone();
        scene.spec.barriers.clear();
        scene.add_barriers(files)?;
        scene.barriers(site)
    }

    /// Checks the values of all `[[barrier]]` tables.
    pub(super) fn check_barriers(&self) -> Result<(), Invalid> {
        within(
            "number of [[barrier]] tables",
            self.spec.barriers.len() as f64,
            0.0,
            MAX_BARRIERS as f64,
        )?;
        let all = || self.spec.barriers.iter().enumerate();
        if let Some((i, fails)) = all()
            .find_map(|(i, spec)| Some((i, spec.fails?)))
            .filter(|_| self.spec.model != Model::Flow)
        {
            let expected = "left out without model = \"flow\", whose steps are seconds";
            return Err(Invalid::new(
                &format!("barrier[{i}].fails"),
                fails,
                expected,
            ));
        }
        all().try_for_each(|(i, spec)| spec.validate(&format!("barrier[{i}]")))
    }

    /// Returns the events at which barriers of the physical model fail: edits that lower the ground
    /// by the barrier's height, in the order of the tables. Empty in the cellular automaton
    /// (classic model).
    pub(super) fn failures(&self, site: &Site) -> Result<Vec<Event>, SceneError> {
        let Some(flow) = self
            .spec
            .flow_spec()
            .filter(|_| self.spec.barriers.iter().any(|spec| spec.fails.is_some()))
        else {
            return Ok(Vec::new());
        };
        let barriers = self.barriers(site)?;
        let of = |barrier: &Barrier| {
            let at = barrier.fails.map(|time| flow.steps_in(time));
            let edits: Vec<Edit> = at.iter().flat_map(|_| barrier.edits(site, -1.0)).collect();
            edits.into_iter().filter_map(move |edit| {
                Some(Event {
                    at: at?,
                    command: Command::Put(edit),
                })
            })
        };
        Ok(barriers.iter().flat_map(of).collect())
    }

    /// Adds the heights of all barriers to the ground heights `heights` (in cells, axes (row,
    /// column)). Where barriers overlap, only the deepest ditch counts or, without a ditch, the
    /// highest dam.
    pub(super) fn raise_barriers(
        &self,
        heights: &mut Array2<f32>,
        site: &Site,
    ) -> Result<(), SceneError> {
        if self.spec.barriers.is_empty() {
            return Ok(());
        }
        let barriers = self.barriers(site)?;
        let up_of = |barrier: &Barrier| (barrier.height_m / site.cell_height_m()) as f32;
        let of = |barrier: &Barrier| {
            let up = up_of(barrier);
            barrier
                .columns
                .clone()
                .into_iter()
                .map(move |column| (column, up))
        };
        // One entry (column, height) per barrier and column.
        let mut all: Vec<(u32, f32)> = barriers.iter().flat_map(of).collect();
        all.sort_unstable_by_key(|&(column, _)| column);
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            let (lowest, highest) = same.iter().fold((0.0f32, 0.0f32), |(low, high), (_, up)| {
                (low.min(*up), high.max(*up))
            });
            let at = (
                same[0].0 as usize / site.grid.nx,
                same[0].0 as usize % site.grid.nx,
            );
            heights[at] = (heights[at] + if lowest < 0.0 { lowest } else { highest }).max(0.0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Box<dyn lavoxel_automaton::engine::Engine> {
        Box::new(lavoxel_automaton::engine::plain::Plain)
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
        assert_eq!(
            (
                by[(4, 10)],
                by[(5, 10)],
                by[(6, 10)],
                by[(3, 10)],
                by[(7, 10)]
            ),
            (-1.5, -1.5, -1.5, 0.0, 0.0)
        );
        let named = scene(tables).expect("right");
        let stage = named.build(engine()).expect("built");
        let barriers = named.barriers(&stage.site).expect("right");
        assert_eq!(
            (
                &*barriers[1].name,
                barriers[0].columns.len(),
                barriers[1].columns.len()
            ),
            ("barrier 2", 10, 60)
        );
    }

    fn built(text: &str) -> lavoxel_sim::simulation::Simulation {
        let scene = Scene::parse(text, std::path::Path::new("scene.toml")).expect("right");
        scene
            .build(engine())
            .unwrap_or_else(|error| panic!("{error}"))
            .simulation
    }

    /// Returns a scene with a slope and a vent above a dam across the slope, in cells of 10 m by 2
    /// m and steps of minutes; `more` is appended to the text of the scene.
    fn dammed(more: &str) -> String {
        format!(
            "model = \"flow\"\n[grid]\nsize = [21, 60, 31]\ncell_size_m = 10\ncell_height_m = 2\n[terrain]\nkind = \"slope\"\nangle_deg = 8\nbase_cells = 4\n\
             [flow]\nstep_s = 60\n[[vent]]\nx = 10\nz = 6\nrate_m3_s = 5\n[[barrier]]\nline_m = [[5, 155], [205, 155]]\nheight_m = 7\n{more}"
        )
    }

    #[test]
    fn a_barrier_that_fails_holds_lava_back_until_then() {
        let (mut firm, mut weak) = (built(&dammed("")), built(&dammed("fails = \"30 min\"\n")));
        let below = |simulation: &lavoxel_sim::simulation::Simulation| {
            let flow = simulation.world().flow().expect("a flow");
            (17 * 21..31 * 21)
                .filter(|&c| flow.column(c).liquid_m + flow.column(c).set_m > 0.01)
                .count()
        };
        (0..29).for_each(|_| {
            [&mut firm, &mut weak]
                .into_iter()
                .for_each(lavoxel_sim::simulation::Simulation::step)
        });
        assert_eq!(
            firm.world().ground().surface(),
            weak.world().ground().surface()
        );
        assert_eq!(
            [below(&firm), below(&weak)],
            [0, 0],
            "nothing has passed the dam"
        );
        (0..31).for_each(|_| {
            [&mut firm, &mut weak]
                .into_iter()
                .for_each(lavoxel_sim::simulation::Simulation::step)
        });
        assert!(
            below(&weak) > 15 && below(&weak) > 3 * below(&firm),
            "{} and {}",
            below(&weak),
            below(&firm)
        );
        weak.world().check().expect("exact");
        // Where no lava set, the ground is that without a dam.
        let plain = built(&dammed("").replace("height_m = 7", "height_m = 0"));
        let (plain, flow) = (
            plain.world().flow().expect("a flow").clone(),
            weak.world().flow().expect("a flow"),
        );
        (0..21 * 31).for_each(|c| {
            let (before, now) = (plain.column(c), flow.column(c));
            assert!(
                (before.ground_m - now.ground_m).abs() < 1e-5,
                "column {c}: {before:?}, {now:?}"
            );
            assert!(
                (now.ground_m + now.liquid_m + now.set_m - now.surface_m).abs() < 1e-5,
                "column {c}: {now:?}"
            );
        });
        // A recorded scene holds the failure as an event, and the barrier fails only once.
        let scene = Scene::parse(
            &dammed("fails = \"30 min\"\n"),
            std::path::Path::new("scene.toml"),
        )
        .expect("right");
        let mut again = scene
            .recorded(&weak)
            .build(engine())
            .expect("built")
            .simulation;
        (0..60).for_each(|_| again.step());
        assert_eq!(again.world().state_hash(), weak.world().state_hash());
    }

    #[test]
    fn ground_rises_and_falls_in_both_models() {
        let event = |by: f64| {
            format!(
                "[[event]]\nat = 1\nput = {{ shape = {{ kind = \"line\", points = [[2.5, 3.5], [12.5, 3.5]] }}, matter = {{ kind = \"raise\", by = {by} }} }}\n"
            )
        };
        let classic = "[grid]\nsize = [20, 30, 10]\n[terrain]\nkind = \"plane\"\nbase_cells = 6\n";
        let flow = "model = \"flow\"\n[grid]\nsize = [20, 30, 10]\ncell_size_m = 10\n[terrain]\nkind = \"plane\"\nbase_cells = 6\n[flow]\nstep_s = 60\n";
        for (text, by, rises) in [
            (classic, 2.4, 2.0),
            (classic, -2.0, -2.0),
            (flow, 2.4, 2.4),
            (flow, -1.5, -1.5),
            (flow, -40.0, -6.0),
        ] {
            let mut simulation = built(&format!("{text}{}", event(by)));
            let before = simulation.world().ground().surface().to_owned();
            (0..2).for_each(|_| simulation.step());
            simulation.world().check().expect("exact");
            let at = |x: usize, z: usize| match simulation.world().flow() {
                Some(flow) => flow.column(z * 20 + x).surface_m / 10.0 - f64::from(before[(z, x)]),
                None => f64::from(simulation.world().ground().surface()[(z, x)] - before[(z, x)]),
            };
            for x in 2..=12 {
                assert!((at(x, 3) - rises).abs() < 1e-5, "{text}{by}: {}", at(x, 3));
            }
            assert_eq!(
                [at(1, 3), at(13, 3), at(5, 2), at(5, 4)],
                [0.0; 4],
                "{text}{by}"
            );
        }
    }

    #[test]
    fn wrong_tables_are_named() {
        for (table, part) in [
            ("[[barrier]]\n", "file or line_m"),
            (
                "[[barrier]]\nline_m = [[1, 2]]\n",
                "number of points of barrier[0].line_m",
            ),
            (
                "[[barrier]]\nline_m = [[1, 2], [3, 4]]\nheight_m = 1e9\n",
                "barrier[0].height_m",
            ),
            (
                "[[barrier]]\nline_m = [[1, 2], [3, 4]]\nwidth_m = -1\n",
                "barrier[0].width_m",
            ),
        ] {
            let error = scene(table).map(drop).expect_err(table).to_string();
            assert!(error.contains(part), "{part:?} in {error}");
        }
        let missing = scene("[[barrier]]\nfile = \"no such.geojson\"\n").expect("named");
        let error = missing
            .build(engine())
            .map(drop)
            .expect_err("missing")
            .to_string();
        assert!(error.contains("no such.geojson"), "{error}");
    }
}
