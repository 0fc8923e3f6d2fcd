//! Kinds of recorded commands (acts), and their descriptions for the user.

use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Edit, Matter};
use lavoxel_sim::simulation::Command;
use lavoxel_sim::source::VentChange;

/// Kind of a recorded command; determines the colour of its mark on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActKind {
    /// Lava was added by hand: with the brush, the bucket or the replace tool.
    Lava,
    /// A material other than lava was added.
    Material,
    /// Rock was added, or the ground was raised.
    Rock,
    /// Rock and materials were removed, or the ground was lowered.
    Dig,
    /// Liquids were removed from cells; rock stayed.
    Drain,
    /// Heat, ash, steam or wind was added to the air.
    Air,
    /// A vent or spring was placed, changed or removed.
    Source,
    /// Rules, materials, wind or the random seed were changed.
    Setting,
}

impl ActKind {
    /// Classifies `command`: returns the kind that determines the colour of its mark on the
    /// timeline.
    pub fn from_command(command: &Command) -> Self {
        match command {
            Command::Put(Edit { matter, .. }) => match matter {
                Matter::Lava { .. } => Self::Lava,
                Matter::Flood { name, .. } | Matter::Replace { name, .. }
                    if name == Material::LAVA =>
                {
                    Self::Lava
                }
                Matter::Material { .. } | Matter::Flood { .. } | Matter::Replace { .. } => {
                    Self::Material
                }
                Matter::Rock | Matter::Solid { .. } => Self::Rock,
                Matter::Drain => Self::Drain,
                Matter::Raise { by } if *by < 0.0 => Self::Dig,
                Matter::Raise { .. } | Matter::Ground(_) => Self::Rock,
                Matter::Nothing => Self::Dig,
                Matter::Air(_) => Self::Air,
            },
            Command::Pour(_) => Self::Source,
            Command::Rules(_) | Command::Material(_) | Command::Seed(_) | Command::Wind(_) => {
                Self::Setting
            }
        }
    }
}

/// Returns the description of `command` for the user, such as "stroke of lava".
pub fn words(command: &Command) -> String {
    match command {
        Command::Put(Edit { matter, .. }) => match matter {
            Matter::Lava { .. } => "stroke of lava".to_owned(),
            Matter::Material { name, .. } => format!("stroke of {name}"),
            Matter::Flood { name, .. } => format!("filling with {name}"),
            Matter::Replace { of: Some(of), name } => format!("{name} in place of {of}"),
            Matter::Replace { of: None, name } => format!("{name} in place of the rest"),
            Matter::Rock | Matter::Solid { .. } => "stroke of rock".to_owned(),
            Matter::Drain => "draining".to_owned(),
            Matter::Nothing => "digging".to_owned(),
            Matter::Raise { by } if *by < 0.0 => "ditch".to_owned(),
            Matter::Raise { .. } => "dam".to_owned(),
            Matter::Ground(_) => "heights of a survey".to_owned(),
            Matter::Air(_) => "stroke of air".to_owned(),
        },
        Command::Pour(VentChange::Place(spec)) => {
            let vent = spec
                .material
                .as_deref()
                .map_or("vent".to_owned(), |material| format!("{material} source"));
            format!("new {vent}")
        }
        Command::Pour(VentChange::Change(number, _)) => format!("change of source {}", number + 1),
        Command::Pour(VentChange::Close(number)) => format!("removal of source {}", number + 1),
        Command::Rules(_) => "change of the rules".to_owned(),
        Command::Material(change) if change.name() == Material::LAVA => {
            "change of the lava".to_owned()
        }
        Command::Material(change) => format!("change of {}", change.name()),
        Command::Seed(_) => "other seed".to_owned(),
        Command::Wind(_) => "change of the wind".to_owned(),
    }
}

/// Returns true if `later` continues the mouse gesture of `earlier`, such as the drag of a slider
/// or vent; undo then reverts both commands together.
pub fn goes_on(earlier: &Command, later: &Command) -> bool {
    match (earlier, later) {
        (
            Command::Pour(VentChange::Change(one, _)),
            Command::Pour(VentChange::Change(other, _)),
        ) => one == other,
        (Command::Material(one), Command::Material(other)) => one.name() == other.name(),
        (Command::Rules(_), Command::Rules(_))
        | (Command::Seed(_), Command::Seed(_))
        | (Command::Wind(_), Command::Wind(_)) => true,
        _ => false,
    }
}
