//! Folder of a hazard study or calibration: the plan `plan.json`, the run files under `runs`, and
//! the results.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_128;

use super::StudyError;
use crate::hazard::RunRecord;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::{InputError, PLAN};
use lavoxel_files::output::{Existing, OutputError, check_free, whole};

/// Content of `plan.json`: identifies the plan to which the run files of the folder belong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// Name of the scene; not used by the program, but informs people who read the file.
    pub scene: String,
    /// Description of the source of the vents; not used by the program, but informs people who read
    /// the file.
    pub vents: String,
    /// Total number of runs that the last command on this folder asked for.
    pub runs: u64,
    /// All inputs that determine the outcome of a run, as texts by readable names.
    pub decides: BTreeMap<String, String>,
}

impl PlanFile {
    /// Returns the hash of all entries of `decides`; each run file states this hash.
    pub fn fingerprint(&self) -> u128 {
        let all: Vec<_> = self.decides.iter().collect();
        xxh3_128(json!(all).to_string().as_bytes())
    }

    /// Returns the names of all inputs in `decides` that differ between this plan and `other`. Runs
    /// of differing plans must not be combined.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let names = self.decides.keys().chain(
            other
                .decides
                .keys()
                .filter(|name| !self.decides.contains_key(*name)),
        );
        names
            .filter(|name| self.decides.get(*name) != other.decides.get(*name))
            .cloned()
            .collect()
    }

    /// Returns a message that lists the differing inputs unless this plan, read from the file
    /// `file`, equals `plan`.
    fn check_same(&self, plan: &Self, file: &Path) -> Result<(), String> {
        let differences = self.differences(plan);
        if differences.is_empty() {
            return Ok(());
        }
        let (file, differ) = (file.display(), differences.join(", "));
        let mend = "name another folder with --out, or pass --force to remove its runs";
        Err(format!("{file}: is another plan ({differ} differ): {mend}"))
    }
}

/// Mode in which the folder of a hazard study or calibration is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Opening {
    /// Creates the folder, or continues with the runs that it contains.
    GoOn,
    /// Deletes all runs in the folder first, including runs of another plan.
    Clear,
    /// Uses only runs that the folder contains; no run is simulated.
    Read,
}

/// Folder with the plan, the run files and the results of a hazard study or calibration.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Path of the folder of the hazard study or calibration.
    pub path: PathBuf,
    pub(crate) fingerprint: u128,
    /// File extension of the run files; empty if their names have none.
    ending: &'static str,
}

impl Folder {
    /// Opens the folder at `path` for the plan `plan`. `ending`: file extension of the run files;
    /// `results`: names of the result files. Returns an error for a folder of another plan, and for
    /// a folder without a plan that contains a result file, unless `opening` is [`Opening::Clear`].
    pub(crate) fn open(
        path: PathBuf,
        plan: &PlanFile,
        opening: Opening,
        (ending, results): (&'static str, &[String]),
    ) -> Result<Self, StudyError> {
        let folder = Self {
            path,
            fingerprint: plan.fingerprint(),
            ending,
        };
        let file = folder.path.join("plan.json");
        // The plan decides: runs of two plans in one folder would give a mixture of two
        // distributions.
        match (plan_of(&folder.path), opening) {
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
            (Ok(None), Opening::GoOn) => {
                check_free(&file, Existing::Keep)?;
                results
                    .iter()
                    .try_for_each(|name| check_free(&folder.path.join(name), Existing::Keep))?;
            }
            (Ok(Some(old)), _) => old.check_same(plan, &file)?,
            (Err(error), _) => return Err(error),
        }
        if opening != Opening::Read {
            let text = serde_json::to_string_pretty(plan);
            folder.write(
                "plan.json",
                &text.expect("a plan is plain text and numbers"),
            )?;
        }
        Ok(folder)
    }

    /// Writes `bytes` as the file of run `run`.
    ///
    /// # Errors
    /// [`OutputError`] when the file cannot be written; no partial file is left.
    pub fn write_run(&self, run: u64, bytes: &[u8]) -> Result<(), OutputError> {
        let path = self.path_of(run);
        whole(&path, Existing::Replace, |out| out.write_all(bytes))
    }

    /// Writes `text` as the result file `name` and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, OutputError> {
        let path = self.path.join(name);
        whole(&path, Existing::Replace, |out| {
            writeln!(out, "{}", text.trim_end())
        })?;
        Ok(path)
    }

    /// Deletes all run files of the study or calibration.
    fn clear(&self) -> Result<(), OutputError> {
        let is_run = |path: &Path| {
            let stem = path.file_stem().and_then(OsStr::to_str);
            path.extension().unwrap_or_default() == self.ending
                && stem
                    .and_then(|stem| stem.strip_prefix("run_"))
                    .is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit()))
        };
        let entries = fs::read_dir(self.runs_path()).into_iter().flatten();
        let mut paths = entries.flatten().map(|entry| entry.path());
        paths.try_for_each(|path| match is_run(&path) {
            true => fs::remove_file(&path).map_err(|cause| OutputError::io(&path, cause)),
            false => Ok(()),
        })
    }

    /// Returns the path of the subfolder that contains the run files.
    pub fn runs_path(&self) -> PathBuf {
        self.path.join("runs")
    }

    /// Returns the path of the file of run `run`; the file need not exist.
    pub(crate) fn path_of(&self, run: u64) -> PathBuf {
        RunRecord::path(&self.runs_path(), run).with_extension(self.ending)
    }

    /// Returns two lists of run numbers below `count`: runs that have a file, and runs that have
    /// none.
    pub fn runs(&self, count: u64) -> (Vec<u64>, Vec<u64>) {
        (0..count).partition(|run| self.path_of(*run).exists())
    }
}

/// Returns an error unless the folder `other` contains runs of the plan `plan`.
pub(crate) fn check_part(other: &Path, plan: &PlanFile) -> Result<(), StudyError> {
    match plan_of(other)? {
        None => Err(format!(
            "{}: holds no plan.json, so no runs of a hazard map",
            other.display()
        )
        .into()),
        Some(old) => Ok(old.check_same(plan, &other.join("plan.json"))?),
    }
}

/// Returns the plan of the folder at `folder`; `None` if the folder has no `plan.json`.
///
/// # Errors
/// When `plan.json` cannot be read, or is no plan.
pub fn plan_of(folder: &Path) -> Result<Option<PlanFile>, StudyError> {
    let file = folder.join("plan.json");
    let mend = "name another folder with --out, or pass --force";
    let plan = match PLAN.text(&file, |text| serde_json::from_str::<PlanFile>(&text)) {
        Err(InputError::Read(cause)) if cause.kind() == std::io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(InputError::Read(cause)) => {
            return Err(format!("cannot read {}: {cause}", file.display()).into());
        }
        Err(error) => return Err(format!("{}: {error}; {mend}", file.display()).into()),
        Ok(plan) => plan,
    };
    plan.map(Some).map_err(|e| {
        format!(
            "{}: is no plan of runs: {}; {mend}",
            file.display(),
            escape_for_terminal(&e.to_string())
        )
        .into()
    })
}
