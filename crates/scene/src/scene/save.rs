//! Writing of a scene to a scene file or a session file.

use std::io::Write;
use std::path::{Path, PathBuf, absolute};

use super::bodies::files_of;
use super::pack::Extras;
use super::{MAX_FILE, Scene, SceneError};
use lavoxel_files::archive::is_session;
use lavoxel_files::output::{Existing, OutputError, whole};
use lavoxel_files::shipped;
use lavoxel_sim::simulation::check_seed;

impl Scene {
    /// Writes the scene to `path`. In a scene file, heightmaps and meshes are named by paths
    /// relative to the file, or by absolute paths if they are elsewhere; a session file contains
    /// them.
    ///
    /// # Errors
    /// [`SceneError`] if the scene cannot be serialised or the file cannot be written.
    pub fn save(&self, path: &Path, existing: Existing) -> Result<(), SceneError> {
        if is_session(path) {
            return self.pack(path, &Extras::default(), existing).map(drop);
        }
        let text = self.to_toml(path)?;
        Ok(whole(path, existing, |out| out.write_all(text.as_bytes()))?)
    }

    /// Serialises the scene as TOML. `path`: file in which the text will be stored and to whose
    /// folder file names become relative.
    ///
    /// # Errors
    /// [`SceneError`] if a number is out of range, or the text would be too long.
    pub fn to_toml(&self, path: &Path) -> Result<String, SceneError> {
        let whole = |path: &Path| absolute(path).map_err(|cause| OutputError::io(path, cause));
        let from = whole(path)?;
        self.text(path, |named| {
            let named = whole(named)?;
            Ok(named
                .strip_prefix(from.parent().unwrap_or(&from))
                .unwrap_or(&named)
                .to_owned())
        })
    }

    /// Serialises the scene as TOML for the file `path`. `name_of` returns the name by which the
    /// text refers to each file that the scene reads. Names of files embedded in the program do not
    /// change.
    pub(super) fn text(
        &self,
        path: &Path,
        mut name_of: impl FnMut(&Path) -> Result<PathBuf, SceneError>,
    ) -> Result<String, SceneError> {
        let invalid = |invalid| SceneError::Invalid {
            path: path.to_owned(),
            invalid,
        };
        check_seed("seed", self.spec.seed).map_err(invalid)?;
        self.check().map_err(invalid)?;
        let mut spec = self.spec.clone();
        spec.pin_reactions();
        for file in files_of(&mut spec) {
            let named = self.folder.join(&*file);
            *file = match shipped::inside(&named) {
                Some(name) => Path::new(shipped::FOLDER).join(name),
                None => name_of(&named)?,
            };
        }
        let text = toml::to_string(&spec).map_err(|cause| SceneError::Words {
            path: path.to_owned(),
            cause,
        })?;
        if text.len() as u64 > MAX_FILE {
            return Err(SceneError::TooLong {
                path: path.to_owned(),
                limit: MAX_FILE,
            });
        }
        Ok(text)
    }
}
