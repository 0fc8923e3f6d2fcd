//! Folder of a calibration: the plan `plan.json`, one file per run under `runs`, and the result
//! files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::study::CalibrateError;
use super::trial::Scores;
use crate::hazard::{Opening, PlanFile, check_same, read_plan, write_plan};
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::TRIAL;
use lavoxel_files::output::{Existing, OutputError, WholeFile, check_free};

/// Names of all result files.
pub(super) const WRITTEN: [&str; 5] = [
    "best.toml",
    "calibration.json",
    "calibration.md",
    "profiles.svg",
    "trace.csv",
];

/// Prefix of a run file, followed by its checksum.
const CHECKED: &str = "{\"checksum\":\"";

/// Returns the text of a run file: checksum and JSON. The checksum depends on the run number, so
/// that a file renamed to another run is rejected.
fn checked(run: usize, json: &str) -> String {
    let sum = xxh3_64_with_seed(json.as_bytes(), run as u64);
    format!("{CHECKED}{sum:016x}\",{}", json.trim_start_matches('{'))
}

/// Returns the JSON of run `run` from the text of its file; `None` if the checksum is missing or
/// wrong.
fn unchecked(run: usize, text: &str) -> Option<String> {
    let (_, rest) = text.strip_prefix(CHECKED)?.split_once("\",")?;
    let json = format!("{{{rest}");
    (checked(run, &json) == text).then_some(json)
}

/// Content of a run file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunFile {
    /// Fingerprint of the plan in hexadecimal.
    pub(super) plan: String,
    /// Values of the varied scene numbers, in plan order.
    pub(super) values: Vec<f64>,
    /// Agreement scores of the run with the observations.
    pub(super) scores: Scores,
    /// Wall-clock time of the run, in seconds.
    pub(super) seconds: f64,
}

/// Folder with the runs of one plan.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    pub(super) plan: String,
}

impl Folder {
    /// Opens the folder of `plan`. The folder of another plan is an error, or is cleared with
    /// [`Opening::Clear`].
    pub(super) fn open(
        path: PathBuf,
        plan: &PlanFile,
        opening: Opening,
    ) -> Result<Self, CalibrateError> {
        let folder = Self {
            path,
            plan: format!("{:032x}", plan.fingerprint()),
        };
        let file = folder.path.join("plan.json");
        let old = match opening {
            Opening::Clear => None,
            _ => read_plan(&file)?,
        };
        match old {
            Some(old) => check_same(&old, plan, &file)?,
            None if opening == Opening::Clear => folder.clear()?,
            None => {
                check_free(&file, Existing::Keep)?;
                WRITTEN
                    .iter()
                    .try_for_each(|name| check_free(&folder.path.join(name), Existing::Keep))?;
            }
        }
        write_plan(&file, plan)?;
        Ok(folder)
    }

    /// Deletes all run files.
    fn clear(&self) -> Result<(), OutputError> {
        for entry in fs::read_dir(self.path.join("runs"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name();
            let number = name
                .to_str()
                .and_then(|name| name.strip_prefix("run_")?.strip_suffix(".json"));
            if number.is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit())) {
                fs::remove_file(entry.path())
                    .map_err(|cause| OutputError::io(&entry.path(), cause))?;
            }
        }
        Ok(())
    }

    fn path_of(&self, run: usize) -> PathBuf {
        self.path.join("runs").join(format!("run_{run:06}.json"))
    }

    /// Returns true if the file of run `run` exists.
    pub(super) fn has(&self, run: usize) -> bool {
        self.path_of(run).exists()
    }

    /// Reads and verifies the file of run `run`.
    pub(super) fn read(&self, run: usize) -> Result<RunFile, CalibrateError> {
        let path = self.path_of(run);
        let wrong = |fault: &str| {
            CalibrateError::Wrong(format!(
                "{}: {}; remove it",
                path.display(),
                escape_for_terminal(fault)
            ))
        };
        let json = TRIAL.text(&path, |text| unchecked(run, text.trim_end()));
        let json = json.map_err(|error| wrong(&error.to_string()))?;
        let json = json.ok_or_else(|| {
            wrong("was changed or damaged, or is of an older version: its checksum is not right")
        })?;
        let file = serde_json::from_str::<RunFile>(&json);
        let file = file.map_err(|error| wrong(&format!("is no run of a fit: {error}")))?;
        if file.plan == self.plan {
            Ok(file)
        } else {
            Err(wrong("is a run of another plan"))
        }
    }

    /// Writes `file` as the file of run `run`.
    pub(super) fn write_run(&self, run: usize, file: &RunFile) -> Result<(), CalibrateError> {
        let text = serde_json::to_string(file).expect("a run is plain text and numbers");
        Ok(write(&self.path_of(run), &checked(run, &text))?)
    }

    /// Writes the result file `name` and returns its path.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, OutputError> {
        let path = self.path.join(name);
        write(&path, text)?;
        Ok(path)
    }
}

fn write(path: &Path, text: &str) -> Result<(), OutputError> {
    let mut out = WholeFile::create(path, Existing::Replace)?;
    writeln!(out, "{}", text.trim_end()).map_err(|cause| OutputError::io(path, cause))?;
    out.commit()
}
