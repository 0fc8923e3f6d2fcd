//! Commands: actions of a scene, a program or a user on a running simulation, between two steps.

use crate::source::{VentChange, VentSpec};
use crate::state::State;
use lavoxel_air::Wind;
use lavoxel_automaton::rules::{MaterialChange, RulesChange, RulesSpec};
use lavoxel_automaton::world::{Edit, Matter};
use lavoxel_base::grid::Grid;
use lavoxel_base::validate::Invalid;

/// Action that changes a simulation between two steps; passed to
/// [`Simulation::command`](super::Simulation::command).
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Fills a shape with lava, rock or another material, or empties the shape.
    Put(Edit),
    /// Adds, changes or closes a vent.
    Pour(VentChange),
    /// Changes parameters of the rules; parameters without a new value keep their values.
    Rules(RulesChange),
    /// Changes parameters of a material other than lava. Parameters of lava are changed by `Rules`.
    Material(MaterialChange),
    /// Sets the seed of the random numbers of all later steps, such as those that choose the
    /// spreading directions of lava.
    Seed(u64),
    /// Sets the wind; the velocity of the air changes at once to the new wind.
    Wind(Wind),
}

impl Command {
    /// Checks all numbers of the command that can be checked without the simulation, and that the
    /// file of an edit's shape has been read. The error names keys as in an `[[event]]` table.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.validate_numbers()?;
        let Self::Put(edit) = self else { return Ok(()) };
        edit.shape.check_cells("put.shape")?;
        edit.matter.check_heights("put.matter")
    }

    /// Checks that all numbers of the command are in range.
    pub(super) fn validate_numbers(&self) -> Result<(), Invalid> {
        match self {
            Self::Put(edit) => edit.validate("put"),
            Self::Pour(_) => Ok(()),
            Self::Rules(change) => change.validate("rules"),
            Self::Material(change) => change.validate("material"),
            Self::Seed(seed) => check_seed("seed", *seed),
            Self::Wind(wind) => wind.validate("wind"),
        }
    }

    /// Adapts the command to the model of `state`: a vent of the physical model without a rate gets
    /// the default rate.
    ///
    /// # Errors
    /// If the model does not support the command.
    pub(super) fn fit_to(&mut self, state: &State) -> Result<(), Invalid> {
        let flows = state.flow().is_some();
        let classic = "left out in a world of the physical model, whose lava no rule moves; its vents can be changed";
        if let Self::Put(edit) = self
            && edit.is_outside(state.grid())
        {
            let Grid { nx, ny, nz, .. } = state.grid();
            let expected = format!(
                "a shape that holds the middle of a cell of the box, which has {nx} × {ny} × {nz}"
            );
            return Err(Invalid::new("put.shape", "outside of the box", expected));
        }
        match self {
            Self::Put(edit) if flows => fit_edit(edit, state),
            Self::Put(Edit { matter, .. }) if matter.temperature_k().is_some() => {
                let expected = "left out in a world of the classic model, which has energy";
                Err(Invalid::new("put.matter.temperature_k", "set", expected))
            }
            Self::Rules(_) if flows => Err(Invalid::new("rules", "a change", classic)),
            Self::Seed(seed) if flows => Err(Invalid::new(
                "seed",
                seed,
                "that of the scene in the physical model",
            )),
            Self::Pour(VentChange::Place(spec) | VentChange::Change(_, spec)) => {
                fit_vent(spec, flows)
            }
            _ => Ok(()),
        }
    }

    /// Returns the material other than lava to which the command refers, as a pair of its key in an
    /// `[[event]]` table and its name; `None` if the command refers to none.
    pub(super) fn material(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Put(edit) => Some(("put.matter.name", edit.matter.material()?)),
            Self::Pour(VentChange::Place(spec) | VentChange::Change(_, spec)) => {
                Some(("source.material", spec.material.as_deref()?))
            }
            Self::Material(change) => Some(("material.name", change.name())),
            Self::Pour(_) | Self::Rules(_) | Self::Seed(_) | Self::Wind(_) => None,
        }
    }

    /// Returns one command with the effect of this change of parameters followed by `later`; `None`
    /// unless both change the same kind of parameters and can be merged.
    pub(super) fn merged(&self, later: &Self) -> Option<Self> {
        match (self, later) {
            (Self::Rules(first), Self::Rules(second)) => {
                Some(Self::Rules(first.clone().then(second)))
            }
            (Self::Material(first), Self::Material(second)) if first.name() == second.name() => {
                Some(Self::Material(first.clone().then(second)))
            }
            (Self::Seed(_), Self::Seed(seed)) => Some(Self::Seed(*seed)),
            // Two successive changes of the wind differ from their combination in the last bits of
            // the air velocity.
            _ => None,
        }
    }
}

/// Checks that the model of `state` supports the edit.
fn fit_edit(edit: &Edit, state: &State) -> Result<(), Invalid> {
    let melts = state.flow().is_some_and(|flow| flow.setup().lava.melts());
    match &edit.matter {
        Matter::Solid { .. } if !melts => {
            let expected = "\"rock\" here: \"solid\" needs a lava with liquidus_k";
            Err(Invalid::new("put.matter.kind", "\"solid\"", expected))
        }
        matter => {
            let shows = |name: &&str| {
                state
                    .number_of(name)
                    .is_some_and(|layer| state.is_mirror(layer))
            };
            let expected = "another material: this one shows the lava; \"lava\" or \"solid\" puts some into the box";
            match matter.names().find(shows) {
                Some(name) => Err(Invalid::new("put.matter.name", name, expected)),
                None => Ok(()),
            }
        }
    }
}

/// Gives a lava vent without rates the default rate in a world of the physical model (`flows`).
/// Returns an error if the vent has rates of the physical model in a world of the cellular
/// automaton (classic model).
fn fit_vent(spec: &mut VentSpec, flows: bool) -> Result<(), Invalid> {
    match (&spec.flow, flows) {
        (Some(_), false) => Err(Invalid::new(
            "vent.flow",
            "set",
            "left out: this world has no physical model",
        )),
        (None, true) if spec.material.is_none() => {
            spec.flow = Some(Box::default());
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Implements `From` for `Command`, so that the payload of each variant, and types that convert
/// into a payload, convert into a command.
macro_rules! from {
    ($($carried:ty => $command:ident),+ $(,)?) => {$(
        impl From<$carried> for Command {
            fn from(carried: $carried) -> Self {
                Self::$command(carried.into())
            }
        }
    )+};
}

from! {
    Edit => Put,
    VentChange => Pour,
    VentSpec => Pour,
    RulesChange => Rules,
    RulesSpec => Rules,
    MaterialChange => Material,
    Wind => Wind,
}

/// Checks that `seed` is within the integer range of scene files (TOML). `key`: key of the seed in
/// messages.
pub fn check_seed(key: &str, seed: u64) -> Result<(), Invalid> {
    match i64::try_from(seed) {
        Ok(_) => Ok(()),
        Err(_) => Err(Invalid::new(
            key,
            seed,
            format!("at most {}, the largest number of a scene file", i64::MAX),
        )),
    }
}
