//! Events: commands at a given step, either scheduled by a scene or recorded by a simulation.

use serde::{Deserialize, Serialize};

use super::Command;
use lavoxel_air::Wind;
use lavoxel_automaton::rules::{MaterialChange, RulesChange};
use lavoxel_automaton::world::Edit;
use lavoxel_base::param::table;
use lavoxel_base::validate::{Invalid, within};

/// Upper bound on the number of events of a simulation.
pub const MAX_EVENTS: usize = 100_000;

/// Upper bound of the field `at` of an event, in steps.
const LAST_STEP: f64 = 1e9;

/// Command and the step at which it is carried out. Changes of vents are not stored as events,
/// because vents have first and last steps of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Number of completed steps after which the command is carried out; 0: before the first step.
    /// The state after N steps includes the events with `at` = N.
    pub at: u64,
    /// Command that is carried out.
    pub command: Command,
}

impl Event {
    /// Checks that all numbers are in range and that the file of a shape has been read. `key`: name
    /// of the table in messages, such as `event[0]`.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.check(key, Command::validate)
    }

    fn check(
        &self,
        key: &str,
        command: impl Fn(&Command) -> Result<(), Invalid>,
    ) -> Result<(), Invalid> {
        within(&format!("{key}.at"), self.at as f64, 0.0, LAST_STEP)?;
        if let Command::Pour(_) = self.command {
            let expected =
                "put, rules, material, wind or seed; a vent has a start and an end instead";
            return Err(Invalid::new(key, "a change of vents", expected));
        }
        let named = |invalid: Invalid| Invalid {
            key: format!("{key}.{}", invalid.key),
            ..invalid
        };
        command(&self.command).map_err(named)
    }
}

table! {
    /// An `[[event]]` as written in a scene: the step, and exactly one of the other keys.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct EventSpec {
        /// Number of steps after which the event takes place; 0: before the first step.
        must pub at: u64, [0.0, LAST_STEP] "steps";
        /// New seed of the random patterns from then on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub seed: Option<u64>;
        /// Matter that is put into a shape: lava, another material, rock or nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub put: Option<Edit>;
        /// New values of parameters of `[rules]` from then on; keys left out keep the values in
        /// force.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub rules: Option<RulesChange>;
        /// New values of parameters of a material from then on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub material: Option<MaterialChange>;
        /// New wind from then on, in a scene with air.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub wind: Option<Wind>;
    }
}

impl EventSpec {
    /// Description of valid tables, for the error about a table with no command or with several.
    pub const ONE_COMMAND: &str = "one with exactly one of put, rules, material, wind and seed";

    /// Converts the table to an event. `key`: name of the table in messages, such as `event[0]`.
    /// Succeeds even if the files of shapes have not been read.
    ///
    /// # Errors
    /// If a number is out of range, or the table does not have exactly one command.
    pub fn event(&self, key: &str) -> Result<Event, Invalid> {
        let commands = self.commands();
        let [(_, command)] = &commands[..] else {
            let names: Vec<&str> = commands.iter().map(|(name, _)| *name).collect();
            let found = if names.is_empty() {
                "only a step".to_owned()
            } else {
                names.join(" and ")
            };
            return Err(Invalid::new(key, found, Self::ONE_COMMAND));
        };
        let command = command.clone();
        let event = Event {
            at: self.at,
            command,
        };
        event.check(key, Command::validate_numbers)?;
        Ok(event)
    }

    /// Returns the commands in the table as pairs (key, command).
    fn commands(&self) -> Vec<(&'static str, Command)> {
        let put = self.put.clone().map(|edit| ("put", Command::Put(edit)));
        let rules = self
            .rules
            .clone()
            .map(|change| ("rules", Command::Rules(change)));
        let material = self
            .material
            .clone()
            .map(|change| ("material", Command::Material(change)));
        let seed = self.seed.map(|seed| ("seed", Command::Seed(seed)));
        let wind = self.wind.clone().map(|wind| ("wind", Command::Wind(wind)));
        [put, rules, material, wind, seed]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Converts an event to a table; `None` for a change of vents, which `[[vent]]` tables store.
    pub fn from_event(Event { at, command }: &Event) -> Option<Self> {
        let bare = Self {
            at: *at,
            ..Self::default()
        };
        match command {
            Command::Put(edit) => Some(Self {
                put: Some(edit.clone()),
                ..bare
            }),
            Command::Rules(change) => Some(Self {
                rules: Some(change.clone()),
                ..bare
            }),
            Command::Material(change) => Some(Self {
                material: Some(change.clone()),
                ..bare
            }),
            Command::Seed(seed) => Some(Self {
                seed: Some(*seed),
                ..bare
            }),
            Command::Wind(wind) => Some(Self {
                wind: Some(wind.clone()),
                ..bare
            }),
            Command::Pour(_) => None,
        }
    }
}
