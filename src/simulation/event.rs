//! Events: commands that a scene gives at a step of its own, and those that a simulation remembers.

use serde::{Deserialize, Serialize};

use super::Command;
use crate::rules::RulesChange;
use crate::validate::{Invalid, within};
use crate::world::Edit;

/// Most events of a simulation.
pub const MAX_EVENTS: usize = 100_000;

/// Last step after which an event may take place.
const LAST_STEP: f64 = 1e9;

/// A command with its step. A change of vents is none: a vent has its own first and last step, in a scene too.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// It takes place as soon as this many steps have been made: 0 is before the first step, and the state after N
    /// steps includes the events of N.
    pub at: u64,
    /// What is done.
    pub command: Command,
}

impl Event {
    /// Checks every number; `key` is the table's name, such as `event[0]`.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        within(&format!("{key}.at"), self.at as f64, 0.0, LAST_STEP)?;
        if let Command::Pour(_) = self.command {
            let expected = "put, rules or seed; a vent has a start and an end instead";
            return Err(Invalid::new(key, "a change of vents", expected));
        }
        let named = |invalid: Invalid| Invalid { key: format!("{key}.{}", invalid.key), ..invalid };
        self.command.validate().map_err(named)
    }
}

/// An `[[event]]` as written in a scene: a step, and one of the other keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSpec {
    /// Steps after which it takes place; see [`Event::at`].
    pub at: u64,
    /// Another seed of the random patterns from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Lava, rock or nothing put into a shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put: Option<Edit>,
    /// Other values of some parameters from then on; keys left out keep the values in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesChange>,
}

impl EventSpec {
    /// The event, if every number is right; `key` is the table's name, such as `event[0]`.
    pub fn event(&self, key: &str) -> Result<Event, Invalid> {
        let command = match (&self.put, &self.rules, self.seed) {
            (Some(edit), None, None) => Command::Put(edit.clone()),
            (None, Some(change), None) => Command::Rules(change.clone()),
            (None, None, Some(seed)) => Command::Seed(seed),
            _ => return Err(Invalid::new(key, self.found(), "one with exactly one of put, rules and seed")),
        };
        let event = Event { at: self.at, command };
        event.validate(key)?;
        Ok(event)
    }

    /// The commands that it names, for a message.
    fn found(&self) -> String {
        let keys = [("put", self.put.is_some()), ("rules", self.rules.is_some()), ("seed", self.seed.is_some())];
        let found: Vec<&str> = keys.into_iter().filter(|(_, found)| *found).map(|(name, _)| name).collect();
        if found.is_empty() { "only a step".to_owned() } else { found.join(" and ") }
    }

    /// The table of an event; `None` for a change of vents, which `[[vent]]` tables hold.
    pub fn of(Event { at, command }: &Event) -> Option<Self> {
        let bare = Self { at: *at, ..Self::default() };
        match command {
            Command::Put(edit) => Some(Self { put: Some(edit.clone()), ..bare }),
            Command::Rules(change) => Some(Self { rules: Some(change.clone()), ..bare }),
            Command::Seed(seed) => Some(Self { seed: Some(*seed), ..bare }),
            Command::Pour(_) => None,
        }
    }
}
