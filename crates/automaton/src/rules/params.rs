//! Parameters of the rules as written in a scene, in floating point; each rule's file has the
//! fixed-point form that the rule computes with.

use serde::{Deserialize, Serialize};

use super::spreading;
use super::{Parameters, gravity};
use lavoxel_base::grid::Walls;
use lavoxel_base::param::{Entry, Form, Param, Value, words};
use lavoxel_base::units::{ENERGY_MAX, ENERGY_ONE};
use lavoxel_base::validate::Invalid;

/// Boundary condition at the top of the box.
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

/// Friction: fraction of the transported energy that is lost on the way to a neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Friction {
    /// Fraction lost if the donor cell stands on rock or the floor, 0–1.
    pub on_solid: f64,
    /// Fraction lost if the donor cell stands on liquid, 0–1.
    pub on_liquid: f64,
}

/// Parameters of gravity and spreading as written in a scene; [`Param`] has the range and the help
/// text of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RulesSpec {
    /// Fraction of a cell's liquid that falls per step, 0–1.
    pub factor: f64,
    /// Energy fraction transported by falling liquid, relative to its mass fraction.
    pub beta: f64,
    /// Minimum energy of a cell that spreads; 1 is the energy of a full cell of vent lava.
    pub threshold: f64,
    /// Fraction of a cell's liquid that flows to each selected neighbour per step.
    pub spread: f64,
    /// Energy fraction transported by spreading liquid, relative to its mass fraction.
    pub alpha: f64,
    /// Friction of spreading liquid.
    pub friction: Friction,
    /// Minimum filling of the cell below that supports a spreading cell, in cells.
    pub support: f64,
    /// Boundary condition at the sides of the box.
    pub walls: Walls,
    /// Boundary condition at the top of the box.
    #[serde(skip_serializing_if = "Roof::is_closed")]
    pub roof: Roof,
    /// Period of spreading: one spreading step per this number of gravity steps.
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

/// Smallest positive fraction in fixed point.
pub(super) const LEAST_SHARE: f64 = 1.0 / 65536.0;
/// Maximum energy of a cell, in multiples of a full cell of vent lava.
pub(super) const MOST_ENERGY: f64 = ENERGY_MAX as f64 / ENERGY_ONE as f64;

impl RulesSpec {
    /// Iterator over the parameters of spreading, then of gravity.
    pub fn params() -> impl Iterator<Item = &'static Param<Self>> {
        spreading::PARAMS.iter().chain(gravity::PARAMS)
    }
}

words!(Roof);

impl Value for RulesSpec {
    fn form() -> Form {
        let walls = Entry::new(Self::WORD, Walls::form(), Self::ABOUT_WORD);
        let roof = Entry::new(
            "roof",
            Roof::form(),
            "what is above the box: open lets gases out, which are counted",
        );
        Form::of_params(RulesSpec::params().map(Param::entry).chain([walls, roof]))
    }
}

impl RulesSpec {
    /// Checks every parameter against its range; `table` is the table name used in messages, such
    /// as `rules`.
    ///
    /// # Errors
    /// Names the first key out of range.
    pub fn validate(&self, table: &str) -> Result<(), Invalid> {
        RulesSpec::params().try_for_each(|param| param.check(table, self))
    }
}

/// Converts a fraction to fixed point with 16 fractional bits (65536 = 1.0).
pub(super) fn share(value: f64) -> u32 {
    (value * 65536.0).round() as u32
}
