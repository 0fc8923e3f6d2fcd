//! The keys of a scene file, every one with a default.

use serde::{Deserialize, Serialize};

use super::{BodySpec, DefaultReactions, FlowSpec, HeaterSpec, Model, VentTable};
use crate::air::AirSpec;
use crate::grid::{Grid, MAX_SIDE};
use crate::matter::{Capacity, Material, Reaction};
use crate::rules::RulesSpec;
use crate::simulation::EventSpec;
use crate::terrain::TerrainSpec;
use crate::validate::{Invalid, within};
use crate::view::{CameraSpec, LookSpec};

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
    /// The rules by which lava moves.
    #[serde(skip_serializing_if = "Model::is_classic")]
    pub model: Model,
    /// The physical model, in a scene of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowSpec>,
    /// The box.
    pub grid: GridSpec,
    /// The ground.
    pub terrain: TerrainSpec,
    /// The parameters of the automaton.
    pub rules: RulesSpec,
    /// Where lava comes from.
    #[serde(rename = "vent")]
    pub vents: Vec<VentTable>,
    /// Materials besides the lava.
    #[serde(rename = "material", skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<Material>,
    /// Whether materials also react as their presets do.
    #[serde(skip_serializing_if = "DefaultReactions::is_on")]
    pub default_reactions: DefaultReactions,
    /// What turns into what.
    #[serde(rename = "reaction", skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
    /// Where they come from; each names its material.
    #[serde(rename = "source", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<VentTable>,
    /// Where the air gets heat, ash and steam without lava.
    #[serde(rename = "fume", skip_serializing_if = "Vec::is_empty")]
    pub fumes: Vec<VentTable>,
    /// The air; absent: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub air: Option<AirSpec>,
    /// Edits before the first step.
    #[serde(rename = "body")]
    pub bodies: Vec<BodySpec>,
    /// What heats solid and liquid that can melt.
    #[serde(rename = "heater", skip_serializing_if = "Vec::is_empty")]
    pub heaters: Vec<HeaterSpec>,
    /// Commands at later steps.
    #[serde(rename = "event")]
    pub events: Vec<EventSpec>,
    /// The viewpoint of pictures.
    pub camera: CameraSpec,
    /// The look of pictures.
    pub look: LookSpec,
    /// Its steps and files, unless the command line says otherwise.
    pub film: FilmSpec,
}

/// The box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GridSpec {
    /// Cells along x (east), y (up) and z (south).
    #[serde(deserialize_with = "crate::exact::list")]
    pub size: [usize; 3],
    /// Edge of a cell in metres; with a heightmap, the largest with which the box fits when left out.
    pub cell_size_m: Option<f64>,
    /// Height of a cell in metres in a scene of the physical model; its edge when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell_height_m: Option<f64>,
    /// `"shared"`: all materials fill a cell together; `"own"`: each has a whole cell for itself.
    #[serde(skip_serializing_if = "Capacity::is_shared")]
    pub capacity: Capacity,
}

impl Default for GridSpec {
    fn default() -> Self {
        Self { size: [128, 100, 128], cell_size_m: None, cell_height_m: None, capacity: Capacity::Shared }
    }
}

impl GridSpec {
    /// The box, if its size is in range.
    pub fn grid(&self) -> Result<Grid, Invalid> {
        for n in self.size {
            within("grid.size", n as f64, 1.0, MAX_SIDE as f64)?;
        }
        let [nx, ny, nz] = self.size;
        if let Some(cell) = self.cell_size_m {
            within("grid.cell_size_m", cell, 1e-3, 1e5)?;
        }
        if let Some(height) = self.cell_height_m {
            within("grid.cell_height_m", height, 1e-3, 1e5)?;
        }
        Ok(Grid::new(nx, ny, nz))
    }
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
    #[serde(deserialize_with = "crate::exact::list")]
    pub size: [u32; 2],
    /// Width and height of the picture of the last step in pixels.
    #[serde(deserialize_with = "crate::exact::list")]
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
