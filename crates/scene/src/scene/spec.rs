//! Keys of a scene file; every key has a default.

use serde::{Deserialize, Serialize};

use super::{
    BarrierSpec, BodySpec, DefaultReactions, FlowSpec, HeaterSpec, MAX_THREADS, Model, VentTable,
};
use crate::film::FilmSpec;
use lavoxel_air::AirSpec;
use lavoxel_automaton::matter::{Capacity, Material, Reaction};
use lavoxel_automaton::rules::RulesSpec;
use lavoxel_automaton::view::{CameraSpec, LookSpec};
use lavoxel_base::grid::{Grid, MAX_SIDE};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::Invalid;
use lavoxel_geo::terrain::TerrainSpec;
use lavoxel_sim::goals::GoalSpec;
use lavoxel_sim::simulation::EventSpec;

table! {
    /// A scene, as written in its file.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct SceneSpec {
        /// Name of the scene, shown in reports and stored in pictures.
        pub name: String = String::new();
        /// Seed of the random spreading patterns; another seed gives another eruption.
        pub seed: u64 = 0;
        /// Number of threads; 0: one for each core. Results do not depend on it.
        pub threads: usize = 0, [0.0, MAX_THREADS as f64] "";
        /// Model of the lava's motion: classic, in cells and steps, or physical, in metres, seconds
        /// and kelvin.
        #[serde(skip_serializing_if = "Model::is_classic")]
        pub model: Model = Model::Classic;
        /// Settings of the physical model, in a scene with `model = "flow"`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub flow: Option<FlowSpec> = None;
        /// Size of the box and of its cells.
        pub grid: GridSpec = GridSpec::default();
        /// Ground of the box.
        pub terrain: TerrainSpec = TerrainSpec::default();
        /// Parameters of the automaton; in the physical model only `walls` and `roof`.
        pub rules: RulesSpec = RulesSpec::default();
        /// Vents, from which lava comes.
        pub vents as "vent": Vec<VentTable> = Vec::new();
        /// Materials in addition to the lava, which may have a table, too.
        #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "super::lava_keys::write")]
        pub materials as "material": Vec<Material> = Vec::new();
        /// Default reactions, by which materials also react as their presets do; `false` turns them
        /// off.
        #[serde(skip_serializing_if = "DefaultReactions::is_on")]
        pub default_reactions: DefaultReactions = DefaultReactions::On;
        /// Reactions between materials.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub reactions as "reaction": Vec<Reaction> = Vec::new();
        /// Sources, from which other materials come; each names its material.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub sources as "source": Vec<VentTable> = Vec::new();
        /// Fumes: places where the air gets heat, ash and steam without lava.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub fumes as "fume": Vec<VentTable> = Vec::new();
        /// Air of the scene; absent: no air.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub air: Option<AirSpec> = None;
        /// Bodies: matter that is put into the box, or removed, before the first step.
        pub bodies as "body": Vec<BodySpec> = Vec::new();
        /// Dams and ditches along lines, made before the first step.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub barriers as "barrier": Vec<BarrierSpec> = Vec::new();
        /// Heaters: flames and hot plates, which heat solid and liquid matter that can melt.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub heaters as "heater": Vec<HeaterSpec> = Vec::new();
        /// Events: commands that are carried out at later steps.
        pub events as "event": Vec<EventSpec> = Vec::new();
        /// Text for players of the goals: the task and its tools. The window shows it before the
        /// first step.
        #[serde(skip_serializing_if = "String::is_empty")]
        pub task: String = String::new();
        /// Goals of a player, with progress in the window and in reports.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub goals as "goal": Vec<GoalSpec> = Vec::new();
        /// Camera of the pictures.
        pub camera: CameraSpec = CameraSpec::default();
        /// Look of the pictures.
        pub look: LookSpec = LookSpec::default();
        /// Number of steps, film and picture files, unless the command line says otherwise.
        pub film: FilmSpec = FilmSpec::default();
    }
}

impl SceneSpec {
    /// Estimates the memory of the cells that the scene's goals watch, in a box of shape `grid`.
    pub fn need_of_goals(&self, grid: Grid) -> MemoryEstimate {
        self.goals
            .iter()
            .map(|goal| goal.need(grid))
            .fold(MemoryEstimate::default(), MemoryEstimate::and)
    }

    /// Returns the number of materials other than lava, each of which has one layer. A
    /// `[[material]]` table for the lava is not counted.
    pub fn other_materials(&self) -> usize {
        Material::besides_lava(&self.materials).count()
    }
}

table! {
    /// Size of the box and of its cells.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct GridSpec {
        /// Number of cells along x (east), y (up) and z (south).
        #[serde(deserialize_with = "lavoxel_base::fixed_len::list")]
        pub size: [usize; 3] = [128, 100, 128], [1.0, MAX_SIDE as f64] "cells";
        /// Edge length of a cell; left out with a heightmap: the largest with which the box fits
        /// into the map.
        pub cell_size_m: Option<f64> = None, [1e-3, 1e5] "m";
        /// Height of a cell in a scene of the physical model; when left out, its edge length.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cell_height_m: Option<f64> = None, [1e-3, 1e5] "m";
        /// Room in a cell: `"shared"`, all materials together fill a cell; `"own"`, each material
        /// has a whole cell for itself.
        #[serde(skip_serializing_if = "Capacity::is_shared")]
        pub capacity: Capacity = Capacity::Shared;
    }
}

impl GridSpec {
    /// Checks the size of the simulation box and returns its shape.
    pub fn grid(&self) -> Result<Grid, Invalid> {
        self.check("grid")?;
        let [nx, ny, nz] = self.size;
        Ok(Grid::new(nx, ny, nz))
    }
}
