//! The parameters of the rules as a person writes them; each rule's file has its own as the rule reads them.

use serde::{Deserialize, Serialize};

use super::gravity::Gravity;
use super::spreading::Spreading;
use crate::units::{ENERGY_MAX, ENERGY_ONE};
use crate::validate::{Invalid, within};

/// What stands at the four sides of the box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Walls {
    /// Nothing leaves.
    #[default]
    Closed,
    /// What crosses a side leaves the box and is counted as outflow.
    Open,
}

/// Energy lost on the way to a neighbour, as a share of what is carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Friction {
    /// When the giver stands on rock or the floor, 0 to 1.
    pub on_solid: f64,
    /// When the giver stands on liquid, 0 to 1.
    pub on_liquid: f64,
}

/// The parameters of gravity and spreading as written in a scene. The field docs say what each does to the flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RulesSpec {
    /// Share of a cell's liquid that falls in one step, above 0 to 1. Less makes it trickle.
    pub factor: f64,
    /// Energy that falls with the liquid, relative to its mass, 0 to 4. Above 1, falling lava runs further.
    pub beta: f64,
    /// Energy above which a cell spreads, 0 to 7.9. 0.05 runs like water, 0.2 makes a wide apron, 0.5 makes tongues.
    pub threshold: f64,
    /// Share of a cell's liquid that goes to each neighbour of the pattern, above 0 to 0.25. Less is more viscous.
    pub spread: f64,
    /// Energy that spreads with the liquid, relative to its mass, 0 to 1. Less tires the front sooner.
    pub alpha: f64,
    /// Energy lost on the way. More shortens the flow.
    pub friction: Friction,
    /// Amount below which the liquid beneath carries nothing, 0 to 1. 0 lets liquid spread in mid-air.
    pub support: f64,
    /// The sides of the box.
    pub walls: Walls,
    /// A spreading step follows every so many gravity steps, 1 to 1000. More makes the lava stiffer.
    pub spreading_every: u32,
}

impl Default for RulesSpec {
    fn default() -> Self {
        Self {
            factor: 1.0,
            beta: 1.0,
            threshold: 0.5,
            spread: 0.2,
            alpha: 0.9,
            friction: Friction::default(),
            support: 0.9,
            walls: Walls::Closed,
            spreading_every: 1,
        }
    }
}

/// Smallest share that is still more than nothing in fixed point.
const LEAST_SHARE: f64 = 1.0 / 65536.0;

impl RulesSpec {
    /// Checks every number against its range.
    pub fn validate(&self) -> Result<(), Invalid> {
        let energy_top = f64::from(ENERGY_MAX) / f64::from(ENERGY_ONE);
        within("rules.factor", self.factor, LEAST_SHARE, 1.0)?;
        within("rules.beta", self.beta, 0.0, 4.0)?;
        within("rules.threshold", self.threshold, 0.0, energy_top)?;
        within("rules.spread", self.spread, LEAST_SHARE, 0.25)?;
        within("rules.alpha", self.alpha, 0.0, 1.0)?;
        within("rules.friction.on_solid", self.friction.on_solid, 0.0, 1.0)?;
        within("rules.friction.on_liquid", self.friction.on_liquid, 0.0, 1.0)?;
        within("rules.support", self.support, 0.0, 1.0)?;
        within("rules.spreading_every", f64::from(self.spreading_every), 1.0, 1000.0)
    }
}

/// The rules in force, in fixed point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How liquid falls.
    pub gravity: Gravity,
    /// How it spreads.
    pub spreading: Spreading,
}

impl From<&RulesSpec> for Rules {
    fn from(spec: &RulesSpec) -> Self {
        Self { gravity: spec.into(), spreading: spec.into() }
    }
}

/// Fixed point with 16 binary digits after the point.
pub(super) fn share(value: f64) -> u32 {
    (value * 65536.0).round() as u32
}
