//! Default scene around a heightmap that is opened without a scene file: box, vertical scale, rules
//! and a vent on the summit. Each automatic choice is recorded as a sentence for `Scene::summary`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::defaults::Added;
use super::{
    FlowSpec, Model, Overrides, Scene, SceneError, SceneSpec, Seconds, VentPlace, VentRadius,
    VentTable,
};
use lavoxel_automaton::rules::Walls;
use lavoxel_automaton::view::{SkyPreset, Surroundings};
use lavoxel_base::grid::MAX_SIDE;
use lavoxel_base::words::{grouped, rough, short};
use lavoxel_geo::terrain::{Fill, Heightmap, TerrainError, TerrainKind, TerrainSpec, formats::png};
use lavoxel_sim::source::USUAL_RATE_M3_S;

/// Upper bound on the number of columns along a side of the simulation box around a heightmap, in
/// the cellular automaton (classic model).
const MOST_COLUMNS: usize = 256;
/// Upper bound on the number of columns along a side of the simulation box around a heightmap, in
/// the physical model. Higher than `MOST_COLUMNS`, because a flow in coarse cells thins out too
/// early.
const MOST_FLOW_COLUMNS: usize = 1024;
/// Lower bound on the relief (height difference of the ground), as a fraction of the shorter side
/// of the simulation box; lower relief is exaggerated.
const LEAST_RELIEF: f64 = 0.16;
/// Upper bound on the vertical exaggeration, so that a plain still looks like a plain.
const MOST_STRETCH: f64 = 4.0;
/// Thickness of the rock below the lowest height of the ground, in cells.
const BASE: f64 = 4.0;
/// Assumed width of a heightmap's cell in metres if the file does not state one.
const UNKNOWN_CELL_M: f64 = 10.0;
/// Upper bound on the relief (height difference of the ground), as a fraction of the shorter side
/// of the simulation box; higher relief is compressed.
const MOST_RELIEF: f64 = 1.0;
/// Lower bound on the vertical scale factor of a heightmap in scene files.
const LEAST_STRETCH: f64 = 0.01;
/// Default time step of the physical model in seconds: pairs of (seconds per metre of cell width,
/// upper bound in seconds). First pair: short steps for pictures of the front; second pair: long
/// steps for the result of a whole eruption. `docs/hazard.md` compares both.
const STEPS: [(f64, f64); 2] = [(4.0, 60.0), (15.0, 300.0)];
/// Upper bound on the number of cells between the lowest and the highest ground in the physical
/// model.
const MOST_LEVELS: f64 = 500.0;
/// Lower bound on the cell height in metres in scene files.
const LEAST_HEIGHT_M: f64 = 1e-3;
/// Assumed relief of a grey-scale picture without a height scale, as a fraction of its shorter
/// side.
const PICTURE_RELIEF: f64 = 0.25;

impl Scene {
    /// Creates a scene around a heightmap: the whole map, or the part that the overrides choose, on
    /// at most 256 columns a side (1024 in the physical model), in a box with room for a flow and
    /// open sides, with a vent on the highest ground away from the sides. In the cellular automaton
    /// (classic model), flat land is stretched in height until a flow shows, and needles are
    /// compressed; holes take the nearest height. Overrides replace any of this.
    ///
    /// # Errors
    /// [`SceneError::Heightmap`] when the file cannot be read, [`SceneError::Terrain`] when it
    /// holds no heights or the overrides do not fit it, [`SceneError::Invalid`] for an override
    /// that is out of range.
    pub fn around_heightmap(path: &Path, overrides: &Overrides) -> Result<Self, SceneError> {
        let mut scene = Self::on_heightmap(path, overrides);
        scene.add_barriers(&overrides.barriers)?;
        scene.validate()?;
        let map = scene.read_heightmap()?;
        scene.shape(&map, overrides)?;
        scene = if scene.spec.model == Model::Flow {
            scene.finish_flow(overrides)?
        } else {
            scene.finish_classic(overrides)?
        };
        scene.make_finer(overrides.finer.unwrap_or(1))?;
        Ok(scene)
    }

    /// Completes a scene of the cellular automaton (classic model) around a heightmap: sets the
    /// vent and applies the remaining overrides.
    fn finish_classic(mut self, overrides: &Overrides) -> Result<Self, SceneError> {
        let scene = &mut self;
        scene.put_flow(overrides)?;
        let model = scene.usual_vent();
        scene.spec.vents = overrides.vents_like(&model);
        if overrides.vents.is_empty() {
            scene.choose(format!(
                "a vent on the highest ground away from the edge, {} full cells a step (--vent X,Z@RATE)",
                short(model.rate, 2)
            ));
            scene.spec.vents.push(model);
        }
        scene.choose(format!(
            "spreading threshold {}, for wide tongues (a scene may set it)",
            scene.spec.rules.threshold
        ));
        if overrides.walls.is_none() {
            scene.choose("open sides: lava that reaches the edge leaves (--walls closed)");
        }
        scene.validate()?;
        Ok(self)
    }

    /// Creates a scene whose ground is the heightmap at `path`, and applies the overrides for box
    /// and terrain. Vents and vertical scale are not set yet.
    fn on_heightmap(path: &Path, overrides: &Overrides) -> Self {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut spec = SceneSpec {
            name,
            seed: 1,
            ..SceneSpec::default()
        };
        spec.grid.size = overrides.size.unwrap_or(spec.grid.size);
        spec.grid.cell_size_m = overrides.cell_size_m;
        spec.grid.cell_height_m = overrides.cell_height_m;
        let usual = TerrainSpec {
            kind: TerrainKind::Heightmap,
            file: path.file_name().map(PathBuf::from),
            base_cells: Some(BASE),
            fill_no_data: Some(Fill::Nearest),
            ..TerrainSpec::default()
        };
        spec.terrain = usual.overridden(&overrides.terrain);
        if let Some(lava) = &overrides.lava {
            spec.model = Model::Flow;
            spec.flow = Some(FlowSpec {
                lava: lava.clone(),
                ..FlowSpec::default()
            });
        } else {
            spec.rules.threshold = 0.3;
        }
        spec.look.sky = SkyPreset::Dusk;
        // Without surroundings the simulation box would appear as a slab floating in the sky.
        spec.look.surroundings = Surroundings::Land;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut scene = Self {
            spec,
            folder,
            origin: path.to_owned(),
            choices: Vec::new(),
            added: Added::default(),
            shift: [0.0; 2],
        };
        // The real land continues beyond the edge of the map.
        scene.set_walls(overrides.walls.unwrap_or(Walls::Open));
        scene
    }

    /// Completes a scene of the physical model around a heightmap: sets the vents and applies the
    /// remaining overrides.
    fn finish_flow(mut self, overrides: &Overrides) -> Result<Self, SceneError> {
        // Without a given radius the vent is a single column.
        let radius = VentRadius::Cells(0.0);
        let model = VentTable {
            radius,
            flow: Some(Box::default()),
            ..VentTable::at(VentPlace::Summit)
        };
        self.spec.vents = overrides.vents_like(&model);
        if overrides.vents.is_empty() {
            self.choose(format!(
                "a vent of {USUAL_RATE_M3_S} m³/s on the highest ground away from the edge (--vent X,Z@15m3/s)"
            ));
            self.spec.vents.push(model);
        }
        self.put_flow(overrides)?;
        if let Some(flow) = self.spec.flow_mut().filter(|flow| flow.duration.is_none()) {
            let usual = Seconds(86_400.0);
            flow.duration = Some(usual);
            self.spec.take_duration();
            self.choose(format!("a run of {usual} (--duration 10d)"));
        }
        if overrides.walls.is_none() {
            self.choose("open sides: lava that reaches the edge leaves (--walls closed)");
        }
        self.read_rates().map_err(|invalid| self.invalid(invalid))?;
        self.validate()?;
        Ok(self)
    }

    /// Sets cell height and time step of the physical model unless `overrides` do. `cell`: cell
    /// width in metres; `relief_m`: height difference of the ground in metres. Returns the cell
    /// height in metres: half of the width, or more if the ground would exceed `MOST_LEVELS` cells.
    fn flow_cells(&mut self, cell: f64, relief_m: f64, overrides: &Overrides) -> f64 {
        if let Some(flow) = self.spec.flow_mut() {
            let (a_metre, longest_s) = STEPS[usize::from(overrides.long_steps)];
            let usual = rough((a_metre * cell).clamp(1.0, longest_s));
            flow.step_s = overrides.time_step.map_or(usual, |Seconds(step_s)| step_s);
            if overrides.long_steps && overrides.time_step.is_none() {
                self.choose(format!("steps of {} (--time-step)", Seconds(usual)));
            }
        }
        if let Some(height) = self.spec.grid.cell_height_m {
            return height;
        }
        let height = rough((cell / 2.0).max(relief_m / MOST_LEVELS)).max(LEAST_HEIGHT_M);
        self.spec.grid.cell_height_m = Some(height);
        self.choose(format!("cells {height} m high (--cell-height)"));
        height
    }

    /// Records the sentence `line` about an automatic choice, for the summary.
    pub(super) fn choose(&mut self, line: impl Into<String>) {
        self.choices.push(line.into());
    }

    /// Reads the scene's heightmap and crops it to the chosen part. If the file states no cell
    /// width, or a picture states no height of white, a default is assumed and recorded.
    fn read_heightmap(&mut self) -> Result<Heightmap, SceneError> {
        let map = match self.spec.terrain.load(&self.folder) {
            Err(TerrainError::NoCellSize { .. }) => {
                self.spec.terrain.cell_size_m = Some(UNKNOWN_CELL_M);
                self.choose(format!(
                    "{UNKNOWN_CELL_M} m assumed for a cell of the file, which names no size (--cell-size)"
                ));
                self.spec.terrain.load(&self.folder)
            }
            map => map,
        };
        let mut map = map.map_err(|cause| SceneError::Heightmap(Box::new(cause)))?;
        if let Some(white_m) = self.height_of_white(&map) {
            self.spec.terrain.white_m = Some(white_m);
            self.choose(format!(
                "white assumed at {} m, as the picture does not say (--white)",
                short(white_m, 3)
            ));
            map = self
                .spec
                .terrain
                .load(&self.folder)
                .map_err(|cause| SceneError::Heightmap(Box::new(cause)))?;
        }
        self.spec
            .terrain
            .cropped(map)
            .map_err(|cause| self.wrong_terrain(cause))
    }

    /// Returns the height of white in metres at which a grey-scale picture has a relief of
    /// `PICTURE_RELIEF` of its shorter side; `None` if the picture or an override states the
    /// height.
    fn height_of_white(&self, map: &Heightmap) -> Option<f64> {
        let terrain = &self.spec.terrain;
        if terrain.white_m.is_some() {
            return None;
        }
        let most = png::most_if_unscaled(&self.folder.join(terrain.file.as_deref()?))?;
        let (wide, deep) = map.extent_m();
        let (low, high) = map.range().filter(|(low, high)| low < high)?;
        let black_m = terrain.black_m.unwrap_or(0.0);
        let levels = f64::from(high) - f64::from(low);
        Some(black_m + rough(PICTURE_RELIEF * wide.min(deep) / levels * most))
            .filter(|white| *white > black_m)
    }

    /// Sets the shape of the simulation box and the vertical scale for the heightmap `map`, unless
    /// `overrides` set them.
    fn shape(&mut self, map: &Heightmap, overrides: &Overrides) -> Result<(), SceneError> {
        let mut map = Cow::Borrowed(map);
        let holes = map.no_data();
        if holes > 0 {
            let rule = self.spec.terrain.fill_no_data.unwrap_or_default();
            map.to_mut()
                .fill(rule)
                .map_err(|cause| self.wrong_terrain(cause))?;
            if overrides.terrain.fill_no_data.is_none() {
                let cells = if holes == 1 { "cell" } else { "cells" };
                let holes = grouped(holes as u64);
                self.choose(format!(
                    "{holes} {cells} without data filled with the nearest height (--fill)"
                ));
            }
        }
        if self.spec.model == Model::Flow
            && let (None, Some(step)) = (self.spec.terrain.smooth, map.rounding_m())
        {
            self.choose(format!("heights are in steps of {step} m, which thin lava fills (--smooth-dem smooths them)"));
        }
        let (wide, deep) = map.extent_m();
        let (nx, nz) = match overrides.size {
            Some([nx, _, nz]) => (nx, nz),
            None => columns(
                &map,
                overrides.cell_size_m,
                range_of_columns(self.spec.model),
            ),
        };
        // Unless overridden, the largest square cells for which the simulation box fits into the
        // map; the terrain generator uses the same rule.
        let cell = overrides
            .cell_size_m
            .unwrap_or((wide / nx as f64).min(deep / nz as f64));
        if overrides.cell_size_m.is_none() {
            self.tell_cells(&map, cell);
        }
        let (low, high) = map
            .range()
            .map_or((0.0, 0.0), |(low, high)| (f64::from(low), f64::from(high)));
        let relief = (high - low).max(1e-6 * cell) / cell;
        let stretch = match self.spec.model {
            Model::Classic => self.stretch(relief, nx.min(nz) as f64),
            Model::Flow => cell / self.flow_cells(cell, high - low, overrides),
        };
        let terrain = &self.spec.terrain;
        let above = (high - terrain.base_m.unwrap_or(low)) / cell;
        let top = (terrain.base_cells.unwrap_or(BASE) + above * stretch).max(0.0);
        let ny = (top + (0.15 * top).max(12.0)).ceil() as usize;
        self.spec.grid.size = overrides.size.unwrap_or([nx, ny.min(MAX_SIDE), nz]);
        Ok(())
    }

    /// Returns the vertical scale factor: that of the overrides, or else a factor at which a relief
    /// of `relief` cells is visible and fits on a box of `side` columns. Records a factor other
    /// than 1 for the summary.
    fn stretch(&mut self, relief: f64, side: f64) -> f64 {
        if let Some(wish) = self.spec.terrain.vertical_exaggeration {
            return wish;
        }
        let raised = (LEAST_RELIEF * side / relief).clamp(1.0, MOST_STRETCH);
        let lowered = (MOST_RELIEF * side / relief).min(1.0);
        let stretch = rough(raised * lowered).max(LEAST_STRETCH);
        self.spec.terrain.vertical_exaggeration = Some(stretch);
        if stretch > 1.0 {
            self.choose(format!(
                "heights × {stretch}, so that a flow shows (--exaggerate 1 leaves them)"
            ));
        } else if stretch < 1.0 {
            self.choose(format!(
                "heights × {stretch}, so that they fit a box (--exaggerate 1 leaves them)"
            ));
        }
        stretch
    }

    /// Records a sentence for the summary if the cells of the simulation box, `cell` metres wide,
    /// are more than 1 % larger or smaller than the cells of `map`.
    fn tell_cells(&mut self, map: &Heightmap, cell: f64) {
        let (x, z) = map.cell_size_m;
        let file = (x * z).sqrt();
        let way = match cell / file {
            ratio if ratio > 1.01 => "averaged",
            ratio if ratio < 0.99 => "interpolated",
            _ => return,
        };
        self.choose(format!(
            "cells of {} m, {way} from {} m in the file (--voxel-size)",
            rough(cell),
            rough(file)
        ));
    }

    /// Returns the default vent on the summit, with a radius and a rate in proportion to the
    /// simulation box.
    fn usual_vent(&self) -> VentTable {
        let [nx, _, nz] = self.spec.grid.size;
        let side = nx.min(nz) as f64;
        VentTable {
            radius: VentRadius::Cells((0.02 * side).clamp(1.0, 4.0).min(nx.max(nz) as f64)),
            rate: (side / 50.0).clamp(0.5, 5.0),
            ..VentTable::at(VentPlace::Summit)
        }
    }
}

/// Returns the minimum and the maximum number of columns along the longer side of a box around a
/// heightmap. The maximum is higher in the physical model, because dry columns cost little there.
fn range_of_columns(model: Model) -> (usize, usize) {
    match model {
        Model::Classic => (64, MOST_COLUMNS),
        Model::Flow => (1, MOST_FLOW_COLUMNS),
    }
}

/// Returns the number of columns (x, z) of a box around the whole heightmap: with cells of
/// `cell_size_m` metres or, if that is `None`, one column per cell of `map`; between `least` and
/// `most` along the longer side.
fn columns(
    map: &Heightmap,
    cell_size_m: Option<f64>,
    (least, most): (usize, usize),
) -> (usize, usize) {
    let (wide, deep) = map.extent_m();
    let most = map.cols().max(map.rows()).clamp(least, most);
    let (cell, most) = cell_size_m.map_or((wide.max(deep) / most as f64, most), |wish| {
        (wish, MAX_SIDE)
    });
    let columns = |length: f64| ((length / cell + 1e-6) as usize).clamp(1, most);
    (columns(wide), columns(deep))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::engine::tiled::Tiled;

    fn write(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        (folder, path)
    }

    #[test]
    fn a_real_mountain_gets_a_vent_on_its_summit_and_room_above() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../terrains/maunga_whau.asc");
        let scene = Scene::open(&path).expect("a heightmap");
        assert_eq!(scene.spec.name, "maunga_whau");
        let [nx, ny, nz] = scene.spec.grid.size;
        assert!(nx.max(nz) <= MOST_COLUMNS && ny < 128, "{nx} {ny} {nz}");
        let mut simulation = scene
            .build(Box::new(Tiled::default()))
            .expect("it fits")
            .simulation;
        let vent = simulation.vents().next().expect("a vent").clone();
        let top = simulation
            .world()
            .ground()
            .top(vent.x as usize, vent.z as usize);
        assert!(
            top > ny / 2 && top + 8 < ny,
            "the vent stands at {top} of {ny}"
        );
        (0..20).for_each(|_| simulation.step());
        assert!(simulation.world().lava().mass() > 0);
        assert_eq!(simulation.world().lava().ledger().blocked, 0);
    }

    #[test]
    fn long_flat_land_without_a_cell_size_opens_too() {
        let row = |z: usize| {
            (0..40)
                .map(|x| (x + z).to_string())
                .collect::<Vec<_>>()
                .join(",")
        };
        let (_folder, path) = write("ramp.csv", &(0..10).map(row).collect::<Vec<_>>().join("\n"));
        let scene = Scene::open(&path).expect("a table of heights");
        let [nx, _, nz] = scene.spec.grid.size;
        assert_eq!((nx, nz), (64, 16));
        assert!(scene.build(Box::new(Tiled::default())).is_ok());
    }

    #[test]
    fn a_wrong_file_is_named() {
        let (_folder, path) = write("notes.asc", "not a grid");
        let message = Scene::open(&path).expect_err("refused").to_string();
        assert_eq!(message.matches("notes.asc").count(), 1, "{message}");
        let missing = Scene::open(Path::new("nowhere.toml"))
            .expect_err("refused")
            .to_string();
        assert!(missing.contains("nowhere.toml"), "{missing}");
    }
}
