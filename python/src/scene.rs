//! Scenes: text, file, shipped name or heightmap in, a simulation out.

use std::path::PathBuf;

use lavoxel::scene::{self, Overrides};
use lavoxel::shipped;
use pyo3::prelude::*;

use crate::simulation::Simulation;
use crate::work::or_leave;
use crate::{fail, of_json, words};

/// A scene that was read and checked.
#[pyclass(module = "lavoxel._lavoxel", frozen)]
pub(crate) struct Scene {
    pub(crate) scene: scene::Scene,
    /// Overrides with which the scene was read.
    pub(crate) asked: Overrides,
    /// Set if the scene was made around a bare heightmap.
    pub(crate) is_bare: bool,
}

#[pymethods]
impl Scene {
    /// Reads a file of a scene, a shipped scene by its name, a heightmap, or blocks. `overrides` is a JSON object with the keys of
    /// `lavoxel::scene::Overrides`; `for_hazard` gives a bare heightmap the physical model.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, overrides: &str, for_hazard: bool) -> PyResult<Self> {
        let asked: Overrides = of_json(overrides)?;
        or_leave(py, move || {
            let named = || shipped::named(&path).ok_or_else(|| fail(shipped::no_file(&path)));
            let path = if path.exists() {
                path.clone()
            } else {
                named()?
            };
            if scene::Scene::is_heightmap(&path) {
                let usual = for_hazard
                    .then(|| lavoxel::hazard::overrides_of_heightmap(&asked))
                    .transpose()
                    .map_err(fail)?;
                let scene = scene::Scene::around_heightmap(&path, usual.as_ref().unwrap_or(&asked))
                    .map_err(fail)?;
                return Ok(Self {
                    scene,
                    asked,
                    is_bare: true,
                });
            }
            let is_blocks = scene::Scene::is_blocks(&path);
            let mut scene = if is_blocks {
                scene::Scene::around_blocks(&path, &asked).map_err(fail)?
            } else {
                scene::Scene::open(&path).map_err(fail)?
            };
            if !is_blocks && asked != Overrides::default() {
                scene.apply(&asked).map_err(fail)?;
            }
            if let (true, Some(stem)) = (scene.spec.name.is_empty(), path.file_stem()) {
                scene.spec.name = stem.to_string_lossy().into_owned();
            }
            Ok(Self {
                scene,
                asked,
                is_bare: false,
            })
        })
    }

    /// Reads a text, whose files lie in the folder of `origin`. Overrides are `applied` where the text is that of a scene which was
    /// read with them; `is_bare` says that it was made around a heightmap.
    #[staticmethod]
    fn parse(
        text: &str,
        origin: PathBuf,
        overrides: &str,
        applied: bool,
        is_bare: bool,
    ) -> PyResult<Self> {
        let asked: Overrides = of_json(overrides)?;
        let mut scene = scene::Scene::parse(text, &origin).map_err(fail)?;
        if !applied && asked != Overrides::default() {
            scene.apply(&asked).map_err(fail)?;
        }
        Ok(Self {
            scene,
            asked,
            is_bare,
        })
    }

    /// Writes tables that Python wrote as JSON as the text of a scene.
    #[staticmethod]
    fn text_of(tables: &str) -> PyResult<String> {
        let tables: toml::Table = of_json(tables)?;
        toml::to_string(&tables).map_err(fail)
    }

    /// The text of the scene in a file at `path`, relative to which it names others.
    fn text(&self, path: PathBuf) -> PyResult<String> {
        self.scene.to_toml(&path).map_err(fail)
    }

    #[getter]
    fn name(&self) -> &str {
        &self.scene.spec.name
    }

    #[getter]
    fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// Values that a heightmap left open, in words.
    fn choices(&self) -> Vec<String> {
        self.scene
            .choices()
            .iter()
            .map(|choice| words::in_python(choice))
            .collect()
    }

    /// Steps that the scene asks for.
    #[getter]
    fn steps(&self) -> u64 {
        self.scene.spec.film.steps
    }

    /// Builds ground, materials, air and flow; the first step has not been made.
    fn build(&self, py: Python<'_>) -> PyResult<Simulation> {
        let scene = self.scene.clone();
        or_leave(py, || Simulation::build(scene))
    }
}
