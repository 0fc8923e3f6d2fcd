//! Parameters of the lava's rules as a scene gives them, in floating point. Each rule's own file
//! has the fixed-point form with which the rule computes.

use serde::{Deserialize, Serialize};

use super::spreading;
use super::{Parameters, gravity};
use lavoxel_base::grid::Walls;
use lavoxel_base::param::{Entry, Form, Param, Value, words};
use lavoxel_base::units::{ENERGY_MAX, ENERGY_ONE};
use lavoxel_base::validate::Invalid;

/// Boundary condition at the top of the simulation box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Roof {
    /// Closed roof: no matter leaves the simulation box.
    #[default]
    Closed,
    /// Open roof: gases in the topmost cells leave the simulation box and are booked as outflow.
    Open,
}

impl Roof {
    fn is_closed(&self) -> bool {
        *self == Self::Closed
    }
}

/// Shares of the transported energy that are lost when lava flows to a neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Friction {
    /// Share lost if the giving cell lies on solid ground or the floor of the simulation box, 0–1.
    pub on_solid: f64,
    /// Share lost if the giving cell lies on liquid, 0–1.
    pub on_liquid: f64,
}

/// Parameters of gravity and spreading as a scene gives them; [`Param`] has the range and the help
/// text of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RulesSpec {
    /// Share of a cell's lava that falls in a step, 0–1.
    pub factor: f64,
    /// Energy that falling lava takes along, relative to its share of the cell's amount.
    pub beta: f64,
    /// Energy above which a cell spreads; 1 is the energy of a full cell of lava fresh from the
    /// vent.
    pub threshold: f64,
    /// Share of a cell's lava that flows to each selected neighbour in a step, 0–1/4.
    pub spread: f64,
    /// Energy that spreading lava takes along, relative to its share of the cell's amount, 0–1.
    pub alpha: f64,
    /// Energy losses of spreading lava.
    pub friction: Friction,
    /// Smallest filling of the cell below with which a cell spreads, in full cells.
    pub support: f64,
    /// Boundary condition at the sides of the simulation box.
    pub walls: Walls,
    /// Boundary condition at the top of the simulation box.
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

/// Smallest positive share that fixed point with 16 fractional bits can represent.
pub(super) const LEAST_SHARE: f64 = 1.0 / 65536.0;
/// Largest energy of a cell; 1 is the energy of a full cell of lava fresh from the vent.
pub(super) const MOST_ENERGY: f64 = ENERGY_MAX as f64 / ENERGY_ONE as f64;

impl RulesSpec {
    /// Iterates over the parameters of spreading, then over those of gravity.
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
    /// Checks that every parameter is in range; `table` is the name of the table in messages, such
    /// as `rules`.
    ///
    /// # Errors
    /// Returns an error that names the first key out of range.
    pub fn validate(&self, table: &str) -> Result<(), Invalid> {
        RulesSpec::params().try_for_each(|param| param.check(table, self))
    }
}

/// Converts a fraction to fixed point with 16 fractional bits (65536 = 1.0).
pub(super) fn share(value: f64) -> u32 {
    (value * 65536.0).round() as u32
}
