//! Folder of a hazard map: the plan `plan.json`, the run files under `runs`, and the maps.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{HazardError, PlanFile, Reduction, RunRecord, names};
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::{InputError, PLAN};
use lavoxel_files::output::{Existing, OutputError, WholeFile, check_free};

/// Mode in which a hazard folder is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Opening {
    /// Create the folder, or continue with the runs that exist.
    GoOn,
    /// Delete the runs of another plan first.
    Clear,
    /// Use the existing runs only; no run is made.
    Read,
}

/// Folder with the runs of one plan.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Path of the folder.
    pub path: PathBuf,
    pub(super) fingerprint: u128,
}

impl Folder {
    /// Opens the folder of `plan`. The folder of another plan is an error, or is cleared with
    /// [`Opening::Clear`].
    pub(super) fn open(
        path: PathBuf,
        plan: &PlanFile,
        opening: Opening,
        (reduction, pictures): (&Reduction, bool),
    ) -> Result<Self, HazardError> {
        let folder = Self {
            path,
            fingerprint: plan.fingerprint(),
        };
        let file = folder.path.join("plan.json");
        // The plan decides: runs of two plans in one folder would give a mixture of two
        // distributions.
        match (read_plan(&file), opening) {
            (_, Opening::Clear) => {
                check_free(&file, Existing::Replace)?;
                folder.clear()?;
            }
            (Ok(None), Opening::Read) => {
                let shown = folder.path.display();
                return Err(format!(
                    "{shown}: holds no plan.json; name the folder of the runs with --out"
                )
                .into());
            }
            (Ok(None), Opening::GoOn) => folder.check_new(&file, reduction, pictures)?,
            (Ok(Some(old)), _) => check_same(&old, plan, &file)?,
            (Err(error), _) => return Err(error),
        }
        if opening != Opening::Read {
            write_plan(&file, plan)?;
        }
        Ok(folder)
    }

    /// Fails if a folder without a plan contains files that would be overwritten.
    fn check_new(
        &self,
        file: &Path,
        reduction: &Reduction,
        pictures: bool,
    ) -> Result<(), HazardError> {
        check_free(file, Existing::Keep)?;
        names(reduction, pictures)
            .iter()
            .try_for_each(|name| check_free(&self.path.join(name), Existing::Keep))?;
        if self.runs(1).0.is_empty() {
            return Ok(());
        }
        let shown = self.path.display();
        Err(
            format!("{shown}: holds runs without their plan.json; name another folder with --out")
                .into(),
        )
    }

    /// Copies the missing runs with numbers below `count` from the folder `other` of the same plan;
    /// `columns` is the number of ground columns. Returns the number of copied runs.
    ///
    /// # Errors
    /// When a file cannot be read or written, is damaged or of another plan.
    pub fn take_from(&self, other: &Path, count: u64, columns: usize) -> Result<u64, HazardError> {
        let from = other.join("runs");
        let mut taken = 0;
        for run in self.runs(count).1 {
            if let Some(record) = RunRecord::read(&from, run, self.fingerprint, columns)? {
                self.write_run(run, &record.bytes(self.fingerprint))?;
                taken += 1;
            }
        }
        Ok(taken)
    }

    /// Writes the file of run `run`; `bytes` is the result of [`RunRecord::bytes`].
    ///
    /// # Errors
    /// [`OutputError`] when the file cannot be written; no partial file is left.
    pub fn write_run(&self, run: u64, bytes: &[u8]) -> Result<(), OutputError> {
        let path = RunRecord::path(&self.runs_path(), run);
        let mut file = WholeFile::create(&path, Existing::Replace)?;
        file.write_all(bytes)
            .map_err(|cause| OutputError::io(&path, cause))?;
        file.commit()
    }

    /// Deletes all run files.
    fn clear(&self) -> Result<(), OutputError> {
        let is_run = |name: &str| {
            name.strip_prefix("run_")
                .is_some_and(|n| n.bytes().all(|c| c.is_ascii_digit()))
        };
        for entry in fs::read_dir(self.runs_path())
            .into_iter()
            .flatten()
            .flatten()
        {
            if entry.file_name().to_str().is_some_and(is_run) {
                fs::remove_file(entry.path())
                    .map_err(|cause| OutputError::io(&entry.path(), cause))?;
            }
        }
        Ok(())
    }

    /// Returns the path of the subfolder with the run files.
    pub fn runs_path(&self) -> PathBuf {
        self.path.join("runs")
    }

    /// Returns the run numbers below `count` that have a file, and those that have none.
    pub fn runs(&self, count: u64) -> (Vec<u64>, Vec<u64>) {
        let folder = self.runs_path();
        (0..count).partition(|run| RunRecord::path(&folder, *run).exists())
    }
}

/// Fails unless the folder `other` contains runs of `plan`.
pub(super) fn check_part(other: &Path, plan: &PlanFile) -> Result<(), HazardError> {
    let file = other.join("plan.json");
    match read_plan(&file)? {
        None => Err(format!(
            "{}: holds no plan.json, so no runs of a hazard map",
            other.display()
        )
        .into()),
        Some(old) => check_same(&old, plan, &file),
    }
}

/// Returns the plan of a hazard folder; `None` if the folder has no `plan.json`.
///
/// # Errors
/// When `plan.json` cannot be read, or is no plan.
pub fn plan_of(folder: &Path) -> Result<Option<PlanFile>, HazardError> {
    read_plan(&folder.join("plan.json"))
}

/// Reads a plan file; `None` if the file is missing.
pub(crate) fn read_plan(file: &Path) -> Result<Option<PlanFile>, HazardError> {
    let mend = "name another folder with --out, or pass --force";
    let plan = match PLAN.text(file, |text| serde_json::from_str(&text).map(Some)) {
        Err(InputError::Read(cause)) if cause.kind() == std::io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(InputError::Read(cause)) => {
            return Err(format!("cannot read {}: {cause}", file.display()).into());
        }
        Err(error) => return Err(format!("{}: {error}; {mend}", file.display()).into()),
        Ok(plan) => plan,
    };
    plan.map_err(|e| {
        format!(
            "{}: is no plan of runs: {}; {mend}",
            file.display(),
            escape_for_terminal(&e.to_string())
        )
        .into()
    })
}

/// Fails unless the plan `old` of a folder equals `plan`; the error lists the differences.
pub(crate) fn check_same(old: &PlanFile, plan: &PlanFile, file: &Path) -> Result<(), HazardError> {
    let differences = old.differences(plan);
    if differences.is_empty() {
        return Ok(());
    }
    let (file, differ) = (file.display(), differences.join(", "));
    let mend = "name another folder with --out, or pass --force to remove its runs";
    Err(format!("{file}: is another plan ({differ} differ): {mend}").into())
}

/// Writes `plan` to the plan file `file`.
pub(crate) fn write_plan(file: &Path, plan: &PlanFile) -> Result<(), HazardError> {
    let text = serde_json::to_string_pretty(plan).expect("a plan is plain text and numbers");
    let mut out = WholeFile::create(file, Existing::Replace)?;
    writeln!(out, "{text}").map_err(|cause| OutputError::io(file, cause))?;
    Ok(out.commit()?)
}
