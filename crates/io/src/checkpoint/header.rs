//! Header of a checkpoint as TOML: all state except scene, ground and matter.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{CheckpointWriter, Fault, MEND};
use lavoxel_automaton::world::{Layer, Ledger};
use lavoxel_base::grid::Grid;
use lavoxel_base::validate::{Invalid, tame, within};
use lavoxel_geo::map::{Georeference, Site};
use lavoxel_scene::scene::{Scene, SceneError, Stage, reading};
use lavoxel_sim::goals::{Goals, Progress};
use lavoxel_sim::simulation::{Passed, Simulation};

/// Header, serialised as TOML. TOML integers end at 2⁶³ − 1, which no sum of a simulation
/// approaches.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// Name of the scene.
    name: String,
    /// Number of completed steps.
    pub(super) step: u64,
    /// Number of completed stages of an interrupted step.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(super) stages: usize,
    /// Seed of the scene as text, because it may exceed the TOML integer range.
    seed: String,
    /// Number of cells along x, y and z, as in the scene.
    #[serde(deserialize_with = "lavoxel_base::exact::list")]
    size: [usize; 3],
    /// Permanent number of each vent of the scene.
    pub(super) vent_numbers: Vec<usize>,
    /// Permanent number for the next new vent.
    pub(super) next_vent: usize,
    /// Site of the box.
    pub(super) place: Place,
    /// Notes about defaults chosen for a heightmap without a scene, for the report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    chosen: Vec<String>,
    /// Progress of each goal of the scene.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    goals: Vec<Progress>,
    /// Account of each layer.
    accounts: Vec<Account>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none(stages: &usize) -> bool {
    *stages == 0
}

/// Account of a layer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Account {
    /// Name of the material.
    material: String,
    /// Sums of the account by name, in units.
    sums: Ledger,
}

impl Account {
    fn of(layer: &Layer) -> Self {
        Self {
            material: layer.material().name.clone(),
            sums: *layer.ledger(),
        }
    }
}

/// [`Site`] without its grid, which the header holds.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    cell_size_m: f64,
    floor_m: f64,
    vertical_exaggeration: f64,
    /// Notes from reading the heightmap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    georeference: Option<Georeference>,
}

impl Header {
    /// Creates the header of a checkpoint to be written.
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
            place: Place {
                cell_size_m: stage.site.cell_size_m,
                floor_m: stage.site.floor_m,
                vertical_exaggeration: stage.site.vertical_exaggeration,
                notes: stage.notes.clone(),
                georeference: stage.site.georeference.clone(),
            },
            chosen: scene.choices().to_vec(),
            goals: goals.progress().to_vec(),
            accounts: world.layers().iter().map(Account::of).collect(),
        }
    }

    /// Formats the header as TOML.
    pub(super) fn to_toml(&self, path: &Path) -> Result<String, SceneError> {
        toml::to_string(self).map_err(|cause| SceneError::Words {
            path: path.to_owned(),
            cause,
        })
    }

    /// Parses the TOML of [`Header::to_toml`] and checks all values that can be checked without the
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

    /// Parses and validates the scene; file paths in the scene are relative to the folder of
    /// `path`.
    pub(super) fn scene(&self, bytes: Vec<u8>, path: &Path) -> Result<Scene, Fault> {
        let wrong = |reason: String| Fault::damaged("scene", reason);
        let mut scene =
            Scene::parse_written(&text("scene", bytes)?, path).map_err(|error| match error {
                SceneError::Memory { cause, .. } => Fault::Memory(cause),
                other => wrong(other.to_string()),
            })?;
        scene.set_choices(self.chosen.iter().map(|line| tame(line)).collect());
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

    /// Returns the shape of the box, already checked against the scene.
    pub(super) fn grid(&self) -> Grid {
        let [nx, ny, nz] = self.size;
        Grid::new(nx, ny, nz)
    }

    /// Returns the goals of the scene with their progress.
    pub(super) fn goals(&mut self, scene: &Scene) -> Result<Goals, Fault> {
        scene.spec.need_of_goals(self.grid()).check(MEND)?;
        let goals = Goals::resumed(
            &scene.spec.goals,
            self.grid(),
            std::mem::take(&mut self.goals),
        );
        goals.ok_or_else(|| Fault::damaged("header", "its goals are not those of the scene"))
    }

    /// Returns the account of the layer with the material `material`.
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

impl Place {
    /// Returns the cell width in metres.
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

    /// Returns the site of a box of shape `grid`.
    pub(super) fn site(&self, grid: Grid) -> Site {
        Site {
            grid,
            cell_size_m: self.cell_size_m,
            floor_m: self.floor_m,
            vertical_exaggeration: self.vertical_exaggeration,
            georeference: self.georeference.clone(),
        }
    }

    /// Combines the simulation with the site and notes of the header.
    pub(super) fn stage(self, simulation: Simulation) -> Stage {
        Stage {
            site: self.site(simulation.world().grid()),
            simulation,
            notes: self.notes,
        }
    }
}

/// Decodes the bytes of the section named `section` as UTF-8.
fn text(section: &str, bytes: Vec<u8>) -> Result<String, Fault> {
    String::from_utf8(bytes).map_err(|_| Fault::damaged(section, "no text"))
}
