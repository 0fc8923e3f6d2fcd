//! Hazard maps: runs on threads of this process, or one at a time for others that share them out.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use lavoxel::hazard::{self, Settings, Source};
use lavoxel::study::{Folder, Opening, StudyError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::scene::Scene;
use crate::work::{WAIT, detached, or_leave};
use crate::{fail, of_json, to_json};

/// A plan on its ground, and the folder of its runs and maps.
#[pyclass(module = "lavoxel._lavoxel", frozen)]
pub(crate) struct Study {
    study: hazard::Study,
    folder: Option<Folder>,
    stop: Arc<AtomicBool>,
    start: Instant,
}

impl Study {
    fn folder(&self) -> PyResult<&Folder> {
        self.folder
            .as_ref()
            .ok_or_else(|| fail("a study without a folder only makes runs"))
    }
}

#[pymethods]
impl Study {
    /// Reads settings, a JSON object, for a scene; `at_once` runs are made at once. Without a folder the runs are made and not kept.
    #[new]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        settings: &str,
        at_once: usize,
        folder: Option<PathBuf>,
        force: bool,
    ) -> PyResult<Self> {
        let (settings, stop): (Settings, _) = (of_json(settings)?, Arc::<AtomicBool>::default());
        let (scene, asked, is_bare, switch) = (
            scene.scene.clone(),
            scene.asked.clone(),
            scene.is_bare,
            stop.clone(),
        );
        let study = or_leave(py, move || {
            let source = Source {
                scene: &scene,
                asked: &asked,
                is_bare,
            };
            hazard::Study::new(&source, &settings, at_once, switch).map_err(fail)
        })?;
        detached(py, || {
            let opening = if force { Opening::Clear } else { Opening::GoOn };
            let folder = folder
                .map(|path| study.open(path, opening))
                .transpose()
                .map_err(fail)?;
            Ok(Self {
                study,
                folder,
                stop,
                start: Instant::now(),
            })
        })
    }

    /// The folder of a scene that is given none.
    #[staticmethod]
    fn usual_folder(scene: &str) -> PathBuf {
        hazard::Study::usual_folder(scene)
    }

    /// Stands for the plan in the files of its runs.
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:032x}", self.study.file.fingerprint())
    }

    /// Number of runs of the plan.
    #[getter]
    fn runs(&self) -> u64 {
        self.study.plan.runs
    }

    /// Numbers of the runs that are not in the folder.
    fn missing(&self) -> PyResult<Vec<u64>> {
        Ok(self.folder()?.runs(self.study.plan.runs).1)
    }

    /// Makes a run on this thread; gives the bytes of its file.
    fn run<'py>(&self, py: Python<'py>, run: u64) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| {
            let alone = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .map_err(fail)?;
            let record = alone
                .install(|| self.study.run(run, &|| false))
                .map_err(fail)?;
            let record = record.ok_or_else(|| fail("the run was given up"))?;
            Ok::<_, PyErr>(record.bytes(self.study.file.fingerprint()))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Puts the bytes of a run into the folder.
    fn put(&self, py: Python<'_>, run: u64, bytes: &[u8]) -> PyResult<()> {
        let folder = self.folder()?;
        detached(py, || folder.write_run(run, bytes).map_err(fail))
    }

    /// Makes runs on `threads` threads and puts them into the folder; `made` is called now and then with the number of finished runs.
    fn make(
        &self,
        py: Python<'_>,
        runs: Vec<u64>,
        threads: usize,
        made: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let folder = self.folder()?;
        let count = std::sync::atomic::AtomicUsize::new(0);
        let ends = || self.stop.load(Ordering::Relaxed);
        let add = |_| {
            count.fetch_add(1, Ordering::Relaxed);
        };
        std::thread::scope(|scope| {
            let work = scope.spawn(|| self.study.make(folder, (&runs, threads), &ends, &add));
            let mut told = 0;
            let mut interrupted = Ok(());
            while !work.is_finished() {
                py.detach(|| std::thread::sleep(WAIT));
                let now = count.load(Ordering::Relaxed);
                let tell = || {
                    if now > told {
                        made.call1((now,)).map(|_| ())
                    } else {
                        Ok(())
                    }
                };
                if interrupted.is_ok() {
                    interrupted = py.check_signals().and_then(|()| tell());
                    self.stop.store(interrupted.is_err(), Ordering::Relaxed);
                }
                told = now;
            }
            let result: Result<usize, StudyError> = py
                .detach(|| work.join())
                .map_err(|_| fail("a run broke off"))?;
            self.stop.store(false, Ordering::Relaxed);
            interrupted?;
            made.call1((result.map_err(fail)?,)).map(|_| ())
        })
    }

    /// Makes the maps; gives the report as JSON, and the files.
    fn draw(&self, py: Python<'_>, made: usize) -> PyResult<(String, Vec<PathBuf>)> {
        let folder = self.folder()?;
        detached(py, || {
            let (report, files) = self
                .study
                .draw(folder, (made, &|| self.start.elapsed()))
                .map_err(fail)?;
            Ok((to_json(&report)?, files))
        })
    }
}
