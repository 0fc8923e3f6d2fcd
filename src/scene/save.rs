//! A session written as a scene that replays to the same bits.

#[cfg(feature = "files")]
use std::io::Write;
#[cfg(feature = "files")]
use std::path::{Path, absolute};

#[cfg(feature = "files")]
use super::bodies::files_of;
#[cfg(feature = "files")]
use super::{MAX_FILE, SceneError};
use super::{Scene, VentTable};
#[cfg(feature = "files")]
use crate::output::{Existing, OutputError, WholeFile};
#[cfg(feature = "files")]
use crate::shipped;
#[cfg(feature = "files")]
use crate::simulation::check_seed;
use crate::simulation::{EventSpec, Simulation};
use crate::source::List;

impl Scene {
    /// This scene with the vents and events of `simulation`, which was built from it, and as many steps as were made.
    /// It gives the same state after the same number of steps.
    #[must_use]
    pub fn recorded(&self, simulation: &Simulation) -> Self {
        let mut scene = self.with_course_of(simulation);
        scene.spec.set_steps(simulation.steps().max(1));
        scene
    }

    /// This scene with all vents and events of `simulation`, past and to come.
    pub(crate) fn with_course_of(&self, simulation: &Simulation) -> Self {
        let mut scene = self.clone();
        let of_list = |list| simulation.vents().filter(move |vent| vent.list() == list).cloned().map(VentTable::from);
        scene.spec.vents = of_list(List::Vents).collect();
        scene.spec.sources = of_list(List::Sources).collect();
        scene.spec.fumes = of_list(List::Fumes).map(|fume| VentTable { material: None, ..fume }).collect();
        scene.spec.events = simulation.events().iter().filter_map(EventSpec::of).collect();
        scene
    }

    /// Writes the scene so that it can be loaded from `path`: heightmaps and meshes are named by their paths relative to
    /// the file, or by their whole paths where they lie elsewhere.
    #[cfg(feature = "files")]
    pub fn save(&self, path: &Path, existing: Existing) -> Result<(), SceneError> {
        let text = self.to_toml(path)?;
        let mut file = WholeFile::create(path, existing)?;
        file.write_all(text.as_bytes()).map_err(|cause| OutputError::io(path, cause))?;
        Ok(file.commit()?)
    }

    /// The text of the scene in a file at `path`.
    #[cfg(feature = "files")]
    pub(crate) fn to_toml(&self, path: &Path) -> Result<String, SceneError> {
        let invalid = |invalid| SceneError::Invalid { path: path.to_owned(), invalid };
        check_seed("seed", self.spec.seed).map_err(invalid)?;
        self.check().map_err(invalid)?;
        let mut spec = self.spec.clone();
        spec.pin_reactions();
        for file in files_of(&mut spec) {
            let whole = |path: &Path| absolute(path).map_err(|cause| OutputError::io(path, cause));
            let (from, named) = (whole(path)?, self.folder.join(&*file));
            if let Some(name) = shipped::inside(&named) {
                *file = Path::new(shipped::FOLDER).join(name);
                continue;
            }
            let named = whole(&named)?;
            *file = named.strip_prefix(from.parent().unwrap_or(&from)).unwrap_or(&named).to_owned();
        }
        let text = toml::to_string(&spec).map_err(|cause| SceneError::Words { path: path.to_owned(), cause })?;
        if text.len() as u64 > MAX_FILE {
            return Err(SceneError::TooLong { path: path.to_owned(), limit: MAX_FILE });
        }
        Ok(text)
    }
}
