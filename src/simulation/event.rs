//! Events: what happens to a running simulation between two steps, by the scene file or by a person's hand.

use serde::{Deserialize, Serialize};

use crate::rules::RulesSpec;
use crate::validate::{Invalid, within};
use crate::world::Edit;

/// Most events of a simulation.
pub const MAX_EVENTS: usize = 100_000;

/// Last step after which an event may take place.
const LAST_STEP: f64 = 1e9;

/// What can happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Lava, rock or nothing is put into a shape.
    Put(Edit),
    /// Other rules are in force.
    Rules(RulesSpec),
    /// Another seed of the random patterns is in force.
    Seed(u64),
}

impl Act {
    /// Checks every number; keys are those of an `[[event]]` table.
    pub fn validate(&self) -> Result<(), Invalid> {
        match self {
            Self::Put(edit) => edit.validate("put"),
            Self::Rules(rules) => rules.validate("rules"),
            Self::Seed(seed) => check_seed("seed", *seed),
        }
    }
}

/// Refuses a seed that no scene file can hold.
pub(crate) fn check_seed(key: &str, seed: u64) -> Result<(), Invalid> {
    match i64::try_from(seed) {
        Ok(_) => Ok(()),
        Err(_) => Err(Invalid::new(key, seed, format!("at most {}, the largest number of a scene file", i64::MAX))),
    }
}

/// Something that happens once.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// It takes place as soon as so many steps have been made: 0 is before the first step, and the state after N steps
    /// includes the events of N.
    pub at: u64,
    /// What happens.
    pub act: Act,
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
    /// Other rules from then on. Keys left out take their defaults, not the values in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesSpec>,
}

impl EventSpec {
    /// The event, if every number is right; `key` is the table's name, such as `event[0]`.
    pub fn event(&self, key: &str) -> Result<Event, Invalid> {
        within(&format!("{key}.at"), self.at as f64, 0.0, LAST_STEP)?;
        let act = match (&self.put, &self.rules, self.seed) {
            (Some(edit), None, None) => Act::Put(*edit),
            (None, Some(rules), None) => Act::Rules(rules.clone()),
            (None, None, Some(seed)) => Act::Seed(seed),
            _ => return Err(Invalid::new(key, self.found(), "one with exactly one of put, rules and seed")),
        };
        act.validate().map_err(|invalid| Invalid { key: format!("{key}.{}", invalid.key), ..invalid })?;
        Ok(Event { at: self.at, act })
    }

    /// The acts that it names, for a message.
    fn found(&self) -> String {
        let acts = [("put", self.put.is_some()), ("rules", self.rules.is_some()), ("seed", self.seed.is_some())];
        let found: Vec<&str> = acts.into_iter().filter(|(_, found)| *found).map(|(name, _)| name).collect();
        if found.is_empty() { "only a step".to_owned() } else { found.join(" and ") }
    }
}

impl From<&Event> for EventSpec {
    fn from(Event { at, act }: &Event) -> Self {
        let bare = Self { at: *at, ..Self::default() };
        match act {
            Act::Put(edit) => Self { put: Some(*edit), ..bare },
            Act::Rules(rules) => Self { rules: Some(rules.clone()), ..bare },
            Act::Seed(seed) => Self { seed: Some(*seed), ..bare },
        }
    }
}
