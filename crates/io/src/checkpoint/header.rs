//! Header of a checkpoint as TOML: all state except scene, ground and the amounts of the materials.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{CheckpointWriter, Fault, MEND};
use lavoxel_automaton::world::{Layer, Ledger};
use lavoxel_base::grid::Grid;
use lavoxel_base::validate::{Invalid, escape_for_terminal, within};
use lavoxel_geo::map::{Georeference, Site};
use lavoxel_scene::scene::{BuiltScene, Scene, SceneError, reading};
use lavoxel_sim::goals::{Goals, Progress};
use lavoxel_sim::simulation::{Passed, Simulation};

/// Header of a checkpoint, serialised as TOML. TOML integers end at 2⁶³ − 1, which no sum of a
/// simulation approaches.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// Name of the scene of the saved simulation.
    name: String,
    /// Number of completed steps of the simulation.
    pub(super) step: u64,
    /// Number of stages completed in the current step, if the run was interrupted within the step;
    /// 0 between two steps.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(super) stages: usize,
    /// Random seed of the scene as text, because a seed may be above the largest TOML integer (2⁶³
    /// − 1).
    seed: String,
    /// Number of cells of the simulation box along x, y and z, as in the scene.
    #[serde(deserialize_with = "lavoxel_base::fixed_len::list")]
    size: [usize; 3],
    /// Permanent number of each vent of the scene, in the scene's order; does not change when a
    /// vent is removed.
    pub(super) vent_numbers: Vec<usize>,
    /// Permanent number that the next vent to be added will get.
    pub(super) next_vent: usize,
    /// Position and scale of the simulation box on the map.
    pub(super) place: SavedSite,
    /// Notes, one sentence each, about defaults chosen for a heightmap that was opened without a
    /// scene; reports print them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    chosen: Vec<String>,
    /// Progress of each goal of the scene, in the order of the scene.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    goals: Vec<Progress>,
    /// Account of each material, in the order of the layers.
    accounts: Vec<Account>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none(stages: &usize) -> bool {
    *stages == 0
}

/// Saved account of one material.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Account {
    /// Name of the material whose account is saved.
    material: String,
    /// Sums of the account by name, in units of amount or energy.
    sums: Ledger,
}

impl Account {
    fn from_layer(layer: &Layer) -> Self {
        Self {
            material: layer.material().name.clone(),
            sums: *layer.ledger(),
        }
    }
}

/// Saved position and scale of the simulation box: the fields of `Site` without the grid, whose
/// shape the header states itself.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedSite {
    cell_size_m: f64,
    floor_m: f64,
    vertical_exaggeration: f64,
    /// Notes, one sentence each, on assumptions made while the heightmap was read; reports print
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    georeference: Option<Georeference>,
}

impl Header {
    /// Creates the header of the checkpoint that `snapshot` will write.
    pub(super) fn new(snapshot: &CheckpointWriter<'_>) -> Self {
        let CheckpointWriter { scene, stage, .. } = snapshot;
        let simulation = &stage.simulation;
        let world = simulation.world();
        let Passed {
            step,
            made,
            vent_numbers,
            next_vent,
            goals,
        } = simulation.passed();
        Self {
            name: scene.spec.name.clone(),
            step,
            stages: made,
            seed: scene.spec.seed.to_string(),
            size: [world.grid().nx, world.grid().ny, world.grid().nz],
            vent_numbers,
            next_vent,
            place: SavedSite {
                cell_size_m: stage.site.cell_size_m,
                floor_m: stage.site.floor_m,
                vertical_exaggeration: stage.site.vertical_exaggeration,
                notes: stage.notes.clone(),
                georeference: stage.site.georeference.clone(),
            },
            chosen: scene.choices().to_vec(),
            goals: goals.progress().to_vec(),
            accounts: world.layers().iter().map(Account::from_layer).collect(),
        }
    }

    /// Formats the header as TOML. `path` is the checkpoint file, for error messages.
    pub(super) fn to_toml(&self, path: &Path) -> Result<String, SceneError> {
        toml::to_string(self).map_err(|cause| SceneError::Words {
            path: path.to_owned(),
            cause,
        })
    }

    /// Parses the TOML of [`Header::to_toml`] and validates all values that do not depend on the
    /// scene.
    pub(super) fn parse(bytes: Vec<u8>) -> Result<Self, Fault> {
        let text = text("header", bytes)?;
        reading(&text).check(MEND)?;
        let header: Self = toml::from_str(&text)
            .map_err(|error| Fault::damaged("header", error.message().replace('\n', " ")))?;
        header
            .place
            .check()
            .map_err(|invalid| Fault::damaged("header", invalid))?;
        Ok(header)
    }

    /// Parses and validates `bytes`, the TOML of the scene. File paths in the scene are relative to
    /// the folder of the checkpoint `path`.
    pub(super) fn scene(&self, bytes: Vec<u8>, path: &Path) -> Result<Scene, Fault> {
        let wrong = |reason: String| Fault::damaged("scene", reason);
        let mut scene =
            Scene::parse_written(&text("scene", bytes)?, path).map_err(|error| match error {
                SceneError::Memory { cause, .. } => Fault::Memory(cause),
                other => wrong(other.to_string()),
            })?;
        scene.set_choices(
            self.chosen
                .iter()
                .map(|line| escape_for_terminal(line))
                .collect(),
        );
        scene.spec.pin_reactions();
        scene.spec.seed = self
            .seed
            .parse()
            .map_err(|_| Fault::damaged("header", "its seed is no number"))?;
        if scene.spec.grid.size != self.size || scene.spec.name != self.name {
            return Err(wrong("another one than the header says".to_owned()));
        }
        Ok(scene)
    }

    /// Returns the shape of the simulation box. The caller has checked that the scene has the same
    /// shape.
    pub(super) fn grid(&self) -> Grid {
        let [nx, ny, nz] = self.size;
        Grid::new(nx, ny, nz)
    }

    /// Returns the goals of `scene` with their saved progress, which is moved out of the header.
    pub(super) fn goals(&mut self, scene: &Scene) -> Result<Goals, Fault> {
        scene.spec.need_of_goals(self.grid()).check(MEND)?;
        let goals = Goals::resumed(
            &scene.spec.goals,
            self.grid(),
            std::mem::take(&mut self.goals),
        );
        goals.ok_or_else(|| Fault::damaged("header", "its goals are not those of the scene"))
    }

    /// Returns the saved account of the material `material`. Fails if the header has no account of
    /// this material.
    pub(super) fn ledger(&self, material: &str) -> Result<Ledger, Fault> {
        let account = self
            .accounts
            .iter()
            .find(|account| account.material == material);
        let account =
            account.ok_or_else(|| Fault::damaged("header", format!("no account of {material}")))?;
        Ok(account.sums)
    }
}

impl SavedSite {
    /// Returns the saved width of a cell of the simulation box in metres.
    pub(super) fn cell_size_m(&self) -> f64 {
        self.cell_size_m
    }

    fn check(&self) -> Result<(), Invalid> {
        within("cell_size_m", self.cell_size_m, 1e-9, 1e9)?;
        within("floor_m", self.floor_m, -1e12, 1e12)?;
        within(
            "vertical_exaggeration",
            self.vertical_exaggeration,
            1e-6,
            1e6,
        )?;
        let Some(at) = &self.georeference else {
            return Ok(());
        };
        within("x_west", at.x_west, -1e12, 1e12)?;
        within("y_north", at.y_north, -1e12, 1e12)?;
        within("metres_per_unit", at.metres_per_unit.0, 1e-9, 1e9)?;
        within("metres_per_unit", at.metres_per_unit.1, 1e-9, 1e9)
    }

    /// Returns the saved position of the simulation box, whose shape is `grid`, on the map.
    pub(super) fn site(&self, grid: Grid) -> Site {
        Site {
            grid,
            cell_size_m: self.cell_size_m,
            floor_m: self.floor_m,
            vertical_exaggeration: self.vertical_exaggeration,
            georeference: self.georeference.clone(),
        }
    }

    /// Combines `simulation` with the saved site and the notes to a built scene.
    pub(super) fn stage(self, simulation: Simulation) -> BuiltScene {
        BuiltScene {
            site: self.site(simulation.world().grid()),
            simulation,
            notes: self.notes,
        }
    }
}

/// Decodes `bytes`, the content of the section named `section`, as UTF-8. Fails with a fault of
/// that section.
fn text(section: &str, bytes: Vec<u8>) -> Result<String, Fault> {
    String::from_utf8(bytes).map_err(|_| Fault::damaged(section, "no text"))
}
