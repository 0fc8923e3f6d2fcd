//! A scene written into a file.

use std::io::Write;
use std::path::{Path, absolute};

use super::bodies::files_of;
use super::{MAX_FILE, Scene, SceneError};
use crate::output::{Existing, OutputError, WholeFile};
use crate::shipped;
use crate::simulation::check_seed;

impl Scene {
    /// Writes the scene so that it can be loaded from `path`: heightmaps and meshes are named by their paths relative to
    /// the file, or by their whole paths where they lie elsewhere.
    pub fn save(&self, path: &Path, existing: Existing) -> Result<(), SceneError> {
        let text = self.to_toml(path)?;
        let mut file = WholeFile::create(path, existing)?;
        file.write_all(text.as_bytes()).map_err(|cause| OutputError::io(path, cause))?;
        Ok(file.commit()?)
    }

    /// The text of the scene in a file at `path`.
    ///
    /// # Errors
    /// [`SceneError`] for a number that is out of range, and for a text that is too long.
    pub fn to_toml(&self, path: &Path) -> Result<String, SceneError> {
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
