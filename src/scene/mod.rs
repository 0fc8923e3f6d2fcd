//! Scenes: a TOML file that says what is simulated and how it is shown.
//!
//! [`SceneSpec`] is the file as written, every key with a default; [`Scene`] is one that was checked, with the folder
//! beside which its files lie. `terrains/volcano.toml` is the built-in scene and shows every key.

mod error;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use self::error::SceneError;
use crate::engine::Engine;
use crate::grid::{Grid, MAX_CELLS, MAX_SIDE};
use crate::render::{CameraSpec, LookSpec};
use crate::rules::{Rules, RulesSpec};
use crate::simulation::Simulation;
use crate::source::{Vent, VentSpec};
use crate::terrain::TerrainSpec;
use crate::validate::{Invalid, within};
use crate::world::{Edit, Ground, Matter, Shape, World};

/// The built-in scene, complete and with comments.
pub const VOLCANO: &str = include_str!("../../terrains/volcano.toml");

/// Longest scene file that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Most threads that may be asked for.
pub const MAX_THREADS: usize = 1024;

/// Most vents and bodies of a scene.
const MAX_PARTS: usize = 10_000;

/// Most columns of all vents together, each of which takes memory and time.
const MAX_VENT_COLUMNS: f64 = (1u32 << 24) as f64;

/// A scene as written in its file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SceneSpec {
    /// Shown in reports and put into pictures.
    pub name: String,
    /// Seed of the random spreading patterns.
    pub seed: u64,
    /// Threads to use; 0: one for each core. Results do not depend on it.
    pub threads: usize,
    /// The box.
    pub grid: GridSpec,
    /// The ground.
    pub terrain: TerrainSpec,
    /// The parameters of the automaton.
    pub rules: RulesSpec,
    /// Where lava comes from.
    #[serde(rename = "vent")]
    pub vents: Vec<VentSpec>,
    /// What is put into the box before the first step.
    #[serde(rename = "body")]
    pub bodies: Vec<BodySpec>,
    /// Where the picture is taken from.
    pub camera: CameraSpec,
    /// How it looks.
    pub look: LookSpec,
    /// How long it runs and what is written, unless the command line says otherwise.
    pub film: FilmSpec,
}

/// The box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GridSpec {
    /// Cells along x (east), y (up) and z (south).
    pub size: [usize; 3],
    /// Edge of a cell in metres; a heightmap brings its own, and then this must be absent.
    pub cell_size_m: Option<f64>,
}

impl Default for GridSpec {
    fn default() -> Self {
        Self { size: [128, 100, 128], cell_size_m: None }
    }
}

impl GridSpec {
    /// The box, if its size is in range.
    pub fn grid(&self) -> Result<Grid, Invalid> {
        for n in self.size {
            within("grid.size", n as f64, 1.0, MAX_SIDE as f64)?;
        }
        let [nx, ny, nz] = self.size;
        if nx * ny * nz > MAX_CELLS {
            return Err(Invalid::new(
                "grid.size",
                format!("{:?}", self.size),
                format!("at most {MAX_CELLS} cells in all"),
            ));
        }
        if let Some(cell) = self.cell_size_m {
            within("grid.cell_size_m", cell, 1e-3, 1e5)?;
        }
        Ok(Grid::new(nx, ny, nz))
    }
}

/// Something put into the box before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Where.
    pub shape: Shape,
    /// What.
    pub matter: Matter,
}

/// Length and size of the film that `render` makes of the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FilmSpec {
    /// Steps in all.
    pub steps: u64,
    /// Steps from one frame to the next.
    pub every: u64,
    /// Width and height of a frame in pixels.
    pub size: [u32; 2],
    /// Width and height of the picture of the last step in pixels.
    pub picture_size: [u32; 2],
    /// Frames shown in a second, 1 to 60.
    pub fps: u32,
    /// Degrees that the camera goes round from the first frame to the last.
    pub orbit_deg: f32,
}

impl Default for FilmSpec {
    fn default() -> Self {
        Self { steps: 3000, every: 30, size: [960, 640], picture_size: [1440, 960], fps: 20, orbit_deg: 0.0 }
    }
}

impl FilmSpec {
    /// Checks every number.
    pub fn validate(&self) -> Result<(), Invalid> {
        within("film.steps", self.steps as f64, 0.0, 1e9)?;
        within("film.every", self.every as f64, 1.0, 1e9)?;
        within("film.fps", self.fps.into(), 1.0, 60.0)?;
        within("film.orbit_deg", self.orbit_deg.into(), -36_000.0, 36_000.0)?;
        let sides = |key, size: [u32; 2]| size.iter().try_for_each(|&side| within(key, side.into(), 1.0, 8192.0));
        sides("film.size", self.size)?;
        sides("film.picture_size", self.picture_size)
    }
}

/// A scene that was checked.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What it says.
    pub spec: SceneSpec,
    /// Folder beside which the files it names lie.
    folder: PathBuf,
    /// The file, for messages.
    origin: PathBuf,
}

impl Scene {
    /// The built-in volcano.
    pub fn volcano() -> Self {
        Self::parse(VOLCANO, Path::new("(built-in volcano)")).expect("a test reads the built-in scene")
    }

    /// Reads and checks a scene file.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|cause| SceneError::Read { path: path.to_owned(), cause })?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(SceneError::TooLong { path: path.to_owned(), limit: MAX_FILE });
        }
        let text = String::from_utf8(bytes)
            .map_err(|e| SceneError::NotText { path: path.to_owned(), byte: e.utf8_error().valid_up_to() })?;
        Self::parse(&text, path)
    }

    /// Reads and checks the text of a scene; files that it names are looked for beside `origin`.
    pub fn parse(text: &str, origin: &Path) -> Result<Self, SceneError> {
        let spec: SceneSpec = toml::from_str(text).map_err(|e| SceneError::from_toml(origin, text, &e))?;
        let folder = origin.parent().unwrap_or(Path::new("")).to_owned();
        let scene = Self { spec, folder, origin: origin.to_owned() };
        scene.validate()?;
        Ok(scene)
    }

    /// Checks every number again, after something in `spec` was changed.
    pub fn validate(&self) -> Result<(), SceneError> {
        self.check().map_err(|invalid| SceneError::Invalid { path: self.origin.clone(), invalid })
    }

    fn check(&self) -> Result<(), Invalid> {
        let spec = &self.spec;
        let grid = spec.grid.grid()?;
        within("threads", spec.threads as f64, 0.0, MAX_THREADS as f64)?;
        spec.terrain.validate()?;
        spec.rules.validate()?;
        for (name, parts) in [("vent", spec.vents.len()), ("body", spec.bodies.len())] {
            within(&format!("number of [[{name}]] tables"), parts as f64, 0.0, MAX_PARTS as f64)?;
        }
        for (i, vent) in spec.vents.iter().enumerate() {
            vent.validate(&format!("vent[{i}]"), grid)?;
        }
        let width = |vent: &VentSpec, n: usize| (2.0 * vent.radius + 2.0).min(n as f64);
        let columns = spec.vents.iter().map(|vent| width(vent, grid.nx) * width(vent, grid.nz)).sum();
        within("columns of all [[vent]] tables", columns, 0.0, MAX_VENT_COLUMNS)?;
        for (i, body) in spec.bodies.iter().enumerate() {
            body.shape.validate(&format!("body[{i}].shape"))?;
            body.matter.validate(&format!("body[{i}].matter"))?;
        }
        spec.camera.validate()?;
        spec.look.validate()?;
        spec.film.validate()
    }

    /// Makes the world of the scene at step 0.
    pub fn build(&self, engine: Box<dyn Engine>) -> Result<Stage, SceneError> {
        let spec = &self.spec;
        let invalid = |invalid| SceneError::Invalid { path: self.origin.clone(), invalid };
        let grid = spec.grid.grid().map_err(invalid)?;
        let surface = spec
            .terrain
            .build(grid, spec.grid.cell_size_m, &self.folder)
            .map_err(|cause| SceneError::Terrain { path: self.origin.clone(), cause: Box::new(cause) })?;
        let mut world = World::new(Ground::from_surface(grid.ny, surface.heights));
        for &BodySpec { shape, matter } in &spec.bodies {
            world.edit(&Edit { shape, matter });
        }
        world.open_account();
        let vents = spec.vents.iter().map(|vent| Vent::new(vent, grid)).collect();
        let simulation = Simulation::new(world, Rules::from(&spec.rules), vents, spec.seed, engine);
        Ok(Stage { simulation, cell_size_m: surface.cell_size_m })
    }
}

/// A scene brought to life.
pub struct Stage {
    /// The automaton at step 0.
    pub simulation: Simulation,
    /// Edge of a cell in metres.
    pub cell_size_m: f64,
}
