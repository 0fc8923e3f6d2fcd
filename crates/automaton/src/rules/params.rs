//! Parameters of the lava's rules as a scene gives them, in floating point. Each rule converts them
//! to fixed point in its own file.

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

/// Shares of its energy that lava loses when it flows to a neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Friction {
    /// Share (0–1) of the energy of the flowing lava that is lost if the giving cell lies on solid
    /// ground or the floor of the simulation box.
    pub on_solid: f64,
    /// Share (0–1) of the energy of the flowing lava that is lost if the giving cell lies on
    /// liquid.
    pub on_liquid: f64,
}

/// Parameters of gravity and spreading as a scene gives them; [`Param`] has the range and the help
/// text of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RulesSpec {
    /// Share of a cell's lava that falls in a step, 0–1.
    pub factor: f64,
    /// Factor of the energy that falling lava takes along: at 1 the share of the cell's energy that
    /// falls equals the share of the cell's amount that falls.
    pub beta: f64,
    /// Energy of a cell above which its lava spreads; 1 is the energy of a full cell of lava fresh
    /// from the vent.
    pub threshold: f64,
    /// Share of a cell's lava that flows to each randomly selected neighbour in a step, 0–1/4.
    pub spread: f64,
    /// Factor (0–1) of the energy that spreading lava takes along: at 1 the share of the cell's
    /// energy that flows equals the share of the cell's amount that flows.
    pub alpha: f64,
    /// Shares of its energy that spreading lava loses to friction.
    pub friction: Friction,
    /// Smallest filling (lava plus denser matter) that the cell below must have for a cell to
    /// spread, in full cells.
    pub support: f64,
    /// Boundary condition at the sides of the simulation box.
    pub walls: Walls,
    /// Boundary condition at the top of the simulation box.
    #[serde(skip_serializing_if = "Roof::is_closed")]
    pub roof: Roof,
    /// Number of steps from one spreading step to the next; gravity acts in every step.
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

/// Smallest positive share that fixed point with 16 fractional bits can represent: 1/65536.
pub(super) const LEAST_SHARE: f64 = 1.0 / 65536.0;
/// Largest energy that a cell can have; 1 is the energy of a full cell of lava fresh from the vent.
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

/// Converts a share (0–1) to fixed point with 16 fractional bits (1.0 becomes 65536).
pub(super) fn share(value: f64) -> u32 {
    (value * 65536.0).round() as u32
}
