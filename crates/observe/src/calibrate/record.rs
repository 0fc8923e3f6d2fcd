//! File of one calibration run: its parameters and scores, as JSON with a checksum.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::trial::Scores;
use crate::study::Folder;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::TRIAL;

/// Text at the start of a run file, directly before the checksum.
const CHECKED: &str = "{\"checksum\":\"";

/// Returns the text of the file of run `run`: a checksum, followed by `json`. The checksum depends
/// on `run`, so that a file renamed to another run is rejected.
fn checked(run: u64, json: &str) -> String {
    let sum = xxh3_64_with_seed(json.as_bytes(), run);
    format!("{CHECKED}{sum:016x}\",{}", json.trim_start_matches('{'))
}

/// Returns the JSON in `text`, the content of the file of run `run`; `None` if the checksum is
/// missing or wrong.
fn unchecked(run: u64, text: &str) -> Option<String> {
    let (_, rest) = text.strip_prefix(CHECKED)?.split_once("\",")?;
    let json = format!("{{{rest}");
    (checked(run, &json) == text).then_some(json)
}

/// Content of the file of one calibration run, without the checksum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunFile {
    /// Fingerprint of the plan to which the run belongs, in hexadecimal.
    pub(super) plan: String,
    /// Values of the varied scene parameters in the run, in the order of the plan and in the units
    /// of the scene file.
    pub(super) values: Vec<f64>,
    /// Scores of the run, one per observation.
    pub(super) scores: Scores,
    /// Wall-clock time of the calibration run, in seconds.
    pub(super) seconds: f64,
}

impl RunFile {
    /// Reads the file of run `run`. Returns a message if the file is missing, damaged or of another
    /// plan.
    pub(super) fn read(folder: &Folder, run: u64) -> Result<Self, String> {
        let path = folder.path_of(run);
        let wrong = |fault: &str| {
            format!(
                "{}: {}; remove it",
                path.display(),
                escape_for_terminal(fault)
            )
        };
        let json = TRIAL.text(&path, |text| unchecked(run, text.trim_end()));
        let json = json.map_err(|error| wrong(&error.to_string()))?;
        let json = json.ok_or_else(|| {
            wrong("was changed or damaged, or is of an older version: its checksum is not right")
        })?;
        let file = serde_json::from_str::<Self>(&json);
        let file = file.map_err(|error| wrong(&format!("is no run of a fit: {error}")))?;
        match file.plan == plan_name(folder) {
            true => Ok(file),
            false => Err(wrong("is a run of another plan")),
        }
    }

    /// Encodes this content as the bytes of the file of run `run`, with a checksum.
    pub(super) fn bytes(&self, run: u64) -> Vec<u8> {
        let text = serde_json::to_string(self).expect("a run is plain text and numbers");
        (checked(run, &text) + "\n").into_bytes()
    }
}

/// Returns the fingerprint of the plan in the calibration folder `folder`, in hexadecimal.
pub(super) fn plan_name(folder: &Folder) -> String {
    format!("{:032x}", folder.fingerprint)
}
