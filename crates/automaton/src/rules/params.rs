//! Parameters of the rules as written in a scene, in floating point; each rule's file has the
//! fixed-point form that the rule computes with.

use serde::{Deserialize, Serialize};

use super::spreading;
use super::{Parameters, gravity};
use lavoxel_base::grid::Walls;
use lavoxel_base::param::{Entry, Form, Param, Value, words};
use lavoxel_base::units::{ENERGY_MAX, ENERGY_ONE};
use lavoxel_base::validate::Invalid;

/// Boundary above the box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Roof {
    /// Closed roof: nothing leaves.
    #[default]
    Closed,
    /// Open roof: gases leave from the topmost cells and are counted as outflow.
    Open,
}

impl Roof {
    fn is_closed(&self) -> bool {
        *self == Self::Closed
    }
}

/// Energy lost on the way to a neighbour, as a share of the energy carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Friction {
    /// Share lost when the giver stands on rock or the floor, 0 to 1.
    pub on_solid: f64,
    /// Share lost when the giver stands on liquid, 0 to 1.
    pub on_liquid: f64,
}

/// Parameters of gravity and spreading as written in a scene; [`Param`] has the range and the help
/// text of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RulesSpec {
    /// Share of a cell's liquid that falls in one step.
    pub factor: f64,
    /// Energy that falls with the liquid, relative to its mass.
    pub beta: f64,
    /// Energy above which a cell spreads; 1 is the energy of a full cell from a vent.
    pub threshold: f64,
    /// Share of a cell's liquid that goes to each neighbour of the pattern.
    pub spread: f64,
    /// Energy that spreads with the liquid, relative to its mass.
    pub alpha: f64,
    /// Energy lost on the way to a neighbour.
    pub friction: Friction,
    /// Amount below which the liquid beneath a cell does not support the cell.
    pub support: f64,
    /// Boundary at the sides of the box.
    pub walls: Walls,
    /// Boundary above the box.
    #[serde(skip_serializing_if = "Roof::is_closed")]
    pub roof: Roof,
    /// Number of gravity steps for each spreading step.
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
            roof: Roof::Closed,
            spreading_every: 1,
        }
    }
}

/// Smallest share above zero in fixed point.
pub(super) const LEAST_SHARE: f64 = 1.0 / 65536.0;
/// Largest energy of a cell, relative to the energy of a full cell from a vent.
pub(super) const MOST_ENERGY: f64 = ENERGY_MAX as f64 / ENERGY_ONE as f64;

impl RulesSpec {
    /// Returns the numbers of spreading, then those of gravity.
    pub fn params() -> impl Iterator<Item = &'static Param<Self>> {
        spreading::PARAMS.iter().chain(gravity::PARAMS)
    }
}

words!(Roof);

impl Value for RulesSpec {
    fn form() -> Form {
        let walls = Entry::new(Self::WORD, Walls::form(), Self::ABOUT_WORD);
        let roof = Entry::new("roof", Roof::form(), "what is above the box: open lets gases out, which are counted");
        Form::of_params(RulesSpec::params().map(Param::entry).chain([walls, roof]))
    }
}

impl RulesSpec {
    /// Checks every number against its range; `table` names the table in messages, such as `rules`.
    ///
    /// # Errors
    /// Names the first key out of range.
    pub fn validate(&self, table: &str) -> Result<(), Invalid> {
        RulesSpec::params().try_for_each(|param| param.check(table, self))
    }
}

/// Converts a share to fixed point with 16 binary digits after the point.
pub(super) fn share(value: f64) -> u32 {
    (value * 65536.0).round() as u32
}
