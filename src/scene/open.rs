//! Opens a named file: a scene file is read, a heightmap gets a scene around it.

use std::path::Path;

use super::{Scene, SceneError, VentPlace, VentTable};
use crate::rules::Walls;
use crate::terrain::TerrainSpec;
use crate::terrain::load::{is_heightmap, known_endings};

/// Values that override those of a scene's file: the flags of a command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Cells along x, y and z instead of the scene's.
    pub size: Option<[usize; 3]>,
    /// Edge of a cell of the box in metres, instead of the scene's.
    pub cell_size_m: Option<f64>,
    /// Keys of the terrain that replace the scene's; its kind and file are ignored.
    pub terrain: TerrainSpec,
    /// Vents instead of all of the scene's; empty: the scene's.
    pub vents: Vec<VentOverride>,
    /// The sides of the box, instead of the scene's.
    pub walls: Option<Walls>,
}

/// A vent that replaces those of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VentOverride {
    /// Its centre.
    pub place: VentPlace,
    /// Full cells poured in a step; left out, the default of a scene, or what suits the box around a heightmap.
    pub rate: Option<f64>,
}

impl VentOverride {
    /// The vent, with the rest from another one.
    pub(super) fn like(self, model: &VentTable) -> VentTable {
        VentTable { place: self.place, rate: self.rate.unwrap_or(model.rate), ..model.clone() }
    }
}

impl Scene {
    /// Reads a scene file, or builds a scene around a heightmap.
    ///
    /// # Errors
    /// What [`Scene::load`] and [`Scene::around_heightmap`] say, and [`SceneError::Neither`] for any other
    /// file.
    pub fn open(path: &Path) -> Result<Self, SceneError> {
        if Self::is_heightmap(path) {
            return Self::around_heightmap(path, &Overrides::default());
        }
        let known_name = is_toml(path) || path.extension().is_none();
        Self::load(path).map_err(|error| match error {
            SceneError::Text { .. } | SceneError::NotText { .. } if !known_name => {
                SceneError::Neither { path: path.to_owned(), known: known_endings() }
            }
            other => other,
        })
    }

    /// Whether a file is a heightmap and no scene, by its name or else its first bytes.
    pub fn is_heightmap(path: &Path) -> bool {
        !is_toml(path) && is_heightmap(path)
    }

    /// Replaces values of the scene by the overrides, and checks every number again.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] for a number that is out of range or a key that this kind of terrain does not have.
    pub fn apply(&mut self, overrides: &Overrides) -> Result<(), SceneError> {
        let spec = &mut self.spec;
        spec.grid.size = overrides.size.unwrap_or(spec.grid.size);
        spec.grid.cell_size_m = overrides.cell_size_m.or(spec.grid.cell_size_m);
        spec.terrain = std::mem::take(&mut spec.terrain).overridden(&overrides.terrain);
        spec.rules.walls = overrides.walls.unwrap_or(spec.rules.walls);
        if !overrides.vents.is_empty() {
            spec.vents = overrides.vents.iter().map(|vent| vent.like(&VentTable::at(vent.place))).collect();
        }
        self.validate()
    }
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}
