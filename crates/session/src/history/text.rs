//! Text form of a history (TOML), stored in session files. Text from a file is validated before a
//! history is built from it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Act, Branch, History, MOST_BRANCHES, Moment, Next, is_name};
use lavoxel_air::Wind;
use lavoxel_automaton::rules::{MaterialChange, RulesChange};
use lavoxel_automaton::world::Edit;
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_scene::scene::reading;
use lavoxel_sim::simulation::{Command, MAX_EVENTS};
use lavoxel_sim::source::{VentChange, VentSpec};

/// Version of the text form; a text with another version number is rejected.
const FORMAT: u64 = 1;
/// Upper bound of step numbers and of the numbers of acts, branches and groups in the text.
const LARGEST: u64 = 1_000_000_000;

/// Error when a history is read from or written to text.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The text is not valid TOML, or contains unknown keys.
    #[error("the history of the session cannot be read: {0}")]
    Toml(#[from] Box<toml::de::Error>),
    /// The history contains values that TOML cannot represent.
    #[error("the history of the session cannot be written: {0}")]
    Write(#[from] toml::ser::Error),
    /// Parsing the text would exceed the memory limit.
    #[error("the history of the session: {0}")]
    Memory(#[from] TooMuchMemory),
    /// The text contradicts itself or contains values out of range; the message says which.
    #[error("the history of the session: {0}")]
    Wrong(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    format: u64,
    /// Number of the present branch, as in `Branch::number`.
    present: u64,
    /// Number of simulation steps made before the present moment.
    step: u64,
    /// Number of the last act before the present moment.
    after: u64,
    /// Hash of the simulation's state at the present moment (`State::state_hash`), as 16
    /// hexadecimal digits; `None` if it was not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(rename = "branch")]
    branches: Vec<BranchText>,
    #[serde(rename = "act", default, skip_serializing_if = "Vec::is_empty")]
    acts: Vec<ActText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BranchText {
    number: u64,
    name: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    named: bool,
    last: u64,
    end: u64,
}

/// Act in text form; exactly one of the keys after `group`, the command, is set.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActText {
    number: u64,
    after: u64,
    step: u64,
    group: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    close: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    put: Option<Edit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<RulesChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    material: Option<MaterialChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wind: Option<Wind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<VentSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeText {
    vent: usize,
    to: VentSpec,
}

impl ActText {
    fn new(number: u64, act: &Act) -> Self {
        let bare = Self {
            number,
            after: act.after,
            step: act.step,
            group: act.group,
            ..Self::default()
        };
        match act.command.clone() {
            Command::Put(edit) => Self {
                put: Some(edit),
                ..bare
            },
            Command::Rules(change) => Self {
                rules: Some(change),
                ..bare
            },
            Command::Material(change) => Self {
                material: Some(change),
                ..bare
            },
            Command::Seed(seed) => Self {
                seed: Some(seed),
                ..bare
            },
            Command::Wind(wind) => Self {
                wind: Some(wind),
                ..bare
            },
            Command::Pour(VentChange::Place(spec)) => Self {
                place: Some(spec),
                ..bare
            },
            Command::Pour(VentChange::Change(vent, to)) => Self {
                change: Some(ChangeText { vent, to }),
                ..bare
            },
            Command::Pour(VentChange::Close(vent)) => Self {
                close: Some(vent),
                ..bare
            },
        }
    }

    /// Converts the text form to an act.
    ///
    /// # Errors
    /// Unless exactly one command is set and all numbers are valid.
    fn act(self) -> Result<Act, HistoryError> {
        let Self {
            number,
            after,
            step,
            group,
            seed,
            close,
            put,
            rules,
            material,
            wind,
            place,
            change,
        } = self;
        let change = change.map(|ChangeText { vent, to }| VentChange::Change(vent, to));
        let vent = [
            place.map(VentChange::Place),
            change,
            close.map(VentChange::Close),
        ];
        let others = [
            put.map(Command::Put),
            rules.map(Command::Rules),
            material.map(Command::Material),
            seed.map(Command::Seed),
            wind.map(Command::Wind),
        ];
        let mut commands = others
            .into_iter()
            .chain(vent.map(|change| change.map(Command::Pour)))
            .flatten();
        let (Some(command), None) = (commands.next(), commands.next()) else {
            return Err(wrong(format!(
                "act {number} must have exactly one of put, rules, material, wind, seed, place, change and close"
            )));
        };
        command
            .validate()
            .map_err(|invalid| wrong(format!("act {number}: {invalid}")))?;
        Ok(Act {
            after,
            step,
            group,
            command,
        })
    }
}

fn wrong(text: String) -> HistoryError {
    HistoryError::Wrong(text)
}

/// Parses the hash of a state from `digits`, which must be 16 hexadecimal digits.
fn hash(digits: &str) -> Result<u64, HistoryError> {
    let is_hex = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let hash = u64::from_str_radix(digits, 16).ok().filter(|_| is_hex);
    hash.ok_or_else(|| wrong(format!("state = {digits:?}: must be 16 hexadecimal digits")))
}

/// Fails if `number` exceeds `LARGEST`. `of`: description of `number` for the error message.
fn within(of: &str, number: u64) -> Result<(), HistoryError> {
    if number <= LARGEST {
        Ok(())
    } else {
        Err(wrong(format!("{of} = {number}: must be at most {LARGEST}")))
    }
}

impl History {
    /// Returns the whole history as TOML text. `state`: hash of the simulation's state at the
    /// present moment, `None` to store none. Undone acts stay on their branch; the undo itself is
    /// not stored.
    ///
    /// # Errors
    /// When the history contains values that TOML cannot represent.
    pub fn to_text(&self, state: Option<u64>) -> Result<String, HistoryError> {
        let branch = |branch: &Branch| {
            let Branch {
                number,
                name,
                named,
                last,
                end,
            } = branch.clone();
            BranchText {
                number,
                name,
                named,
                last,
                end,
            }
        };
        let text = Text {
            format: FORMAT,
            present: self.present,
            step: self.here.step,
            after: self.here.act,
            state: state.map(|hash| format!("{hash:016x}")),
            branches: self.branches.iter().map(branch).collect(),
            acts: self
                .acts
                .iter()
                .map(|(number, act)| ActText::new(*number, act))
                .collect(),
        };
        Ok(toml::to_string(&text)?)
    }

    /// Reads and validates a history from text of an untrusted file.
    ///
    /// # Errors
    /// The first contradiction found: an act after a missing act, steps out of order, a branch
    /// without its acts, or too many entries.
    pub fn from_text(text: &str) -> Result<Self, HistoryError> {
        // Checked before parsing, since untrusted text could take too much memory.
        reading(text).check("make the history of the session shorter")?;
        let text: Text = toml::from_str(text).map_err(Box::new)?;
        if text.format != FORMAT {
            return Err(wrong(format!("format = {}: must be {FORMAT}", text.format)));
        }
        let state = text.state.as_deref().map(hash).transpose()?;
        let acts = acts(text.acts)?;
        let branches = branches(text.branches, &acts)?;
        let next = Next {
            act: acts.keys().next_back().map_or(1, |last| last + 1),
            branch: branches
                .iter()
                .map(|branch| branch.number)
                .max()
                .unwrap_or_default()
                + 1,
            group: acts
                .values()
                .map(|act| act.group)
                .max()
                .map_or(1, |last| last + 1),
        };
        let here = Moment {
            step: text.step,
            act: text.after,
        };
        let taken = Vec::new();
        let mut history = Self {
            acts,
            branches,
            present: text.present,
            here,
            line: Vec::new(),
            taken,
            state,
            next,
        };
        let Some(present) = history.branch(text.present) else {
            return Err(wrong(format!(
                "present = {}: must be the number of a branch",
                text.present
            )));
        };
        let (line, tip) = history.route(present);
        if !history.leads_to(&line, tip, here) {
            return Err(wrong(format!(
                "step {} after act {} is not on the present branch",
                here.step, here.act
            )));
        }
        history.line = line;
        history.check_on_branches()?;
        Ok(history)
    }

    /// Fails if an act lies on no branch.
    fn check_on_branches(&self) -> Result<(), HistoryError> {
        let mut pruned = self.clone();
        pruned.prune();
        match self.acts.keys().find(|act| !pruned.acts.contains_key(act)) {
            Some(act) => Err(wrong(format!("act {act} is on no branch"))),
            None => Ok(()),
        }
    }
}

/// Converts the acts of a text and validates them: numbers must ascend, and each act must follow an
/// existing act.
fn acts(texts: Vec<ActText>) -> Result<BTreeMap<u64, Act>, HistoryError> {
    if texts.len() > MAX_EVENTS {
        return Err(wrong(format!(
            "number of acts = {}: must be at most {MAX_EVENTS}",
            texts.len()
        )));
    }
    let mut acts = BTreeMap::new();
    for text in texts {
        let number = text.number;
        within("number of an act", number)?;
        within("step of an act", text.step)?;
        within("group of an act", text.group)?;
        // Numbers that ascend along a path exclude cycles.
        if number == 0
            || acts
                .last_key_value()
                .is_some_and(|(last, _)| *last >= number)
        {
            return Err(wrong(format!(
                "act {number}: numbers begin with 1 and grow"
            )));
        }
        let before = match text.after {
            0 => 0,
            after => acts.get(&after).map(|before: &Act| before.step).ok_or_else(|| {
                wrong(format!("act {number} after act {after}: must be the number of an act before it, or 0"))
            })?,
        };
        if text.step < before {
            return Err(wrong(format!(
                "act {number} at step {}: the act before it is at step {before}",
                text.step
            )));
        }
        acts.insert(number, text.act()?);
    }
    Ok(acts)
}

/// Converts the branches of a text and validates them: each must end at an existing act, and names
/// and numbers must be valid.
fn branches(
    texts: Vec<BranchText>,
    acts: &BTreeMap<u64, Act>,
) -> Result<Vec<Branch>, HistoryError> {
    if texts.is_empty() || texts.len() > MOST_BRANCHES {
        return Err(wrong(format!(
            "number of branches = {}: must be 1 to {MOST_BRANCHES}",
            texts.len()
        )));
    }
    let mut numbers = BTreeSet::new();
    let mut branch = |text: BranchText| {
        let BranchText {
            number,
            name,
            named,
            last,
            end,
        } = text;
        within("number of a branch", number)?;
        within("end of a branch", end)?;
        if !numbers.insert(number) {
            return Err(wrong(format!("branch {number} is there twice")));
        }
        if !is_name(&name) {
            return Err(wrong(format!(
                "branch {number}: {}",
                super::BranchError::Name
            )));
        }
        let begin = match last {
            0 => 0,
            last => acts.get(&last).map(|act| act.step).ok_or_else(|| {
                wrong(format!(
                    "last = {last} of branch {number}: must be the number of an act, or 0"
                ))
            })?,
        };
        // A branch that ended before its last act would contain that act at none of its moments.
        if end < begin {
            return Err(wrong(format!(
                "end = {end} of branch {number}: its last act is at step {begin}"
            )));
        }
        Ok(Branch {
            number,
            name,
            named,
            last,
            end,
        })
    };
    texts.into_iter().map(&mut branch).collect()
}
