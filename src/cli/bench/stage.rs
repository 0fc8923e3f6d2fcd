//! What is timed, by name.

use clap::ValueEnum;
use lavoxel::render::Style;

/// Work that is timed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Stage {
    /// The gravity step
    Gravity,
    /// The spreading step
    Spreading,
    /// The low-pass that pictures need, after a step
    Lowpass,
    /// A cinematic picture
    Cinematic,
    /// A scientific picture
    Scientific,
    /// The hash of the whole state
    Hash,
    /// Opening a heightmap
    Open,
}

impl Stage {
    /// All stages, in the order in which they are shown.
    pub(super) const ALL: [Self; 7] =
        [Self::Gravity, Self::Spreading, Self::Lowpass, Self::Cinematic, Self::Scientific, Self::Hash, Self::Open];

    /// Those that are timed on every world.
    pub(super) const OF_WORLDS: [Self; 6] =
        [Self::Gravity, Self::Spreading, Self::Lowpass, Self::Cinematic, Self::Scientific, Self::Hash];

    /// The key of its times in a row of the JSON table.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Gravity => "gravity_ms",
            Self::Spreading => "spreading_ms",
            Self::Lowpass => "lowpass_ms",
            Self::Cinematic => "cinematic_ms",
            Self::Scientific => "scientific_ms",
            Self::Hash => "hash_ms",
            Self::Open => "open_ms",
        }
    }

    /// The heading of its part of the text.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Gravity => "gravity step",
            Self::Spreading => "spreading step",
            Self::Lowpass => "low-pass after a step",
            Self::Cinematic => "picture, cinematic",
            Self::Scientific => "picture, scientific",
            Self::Hash => "state hash",
            Self::Open => "opening a heightmap",
        }
    }

    /// The look of a stage that draws.
    pub(super) fn style(self) -> Option<Style> {
        match self {
            Self::Cinematic => Some(Style::Cinematic),
            Self::Scientific => Some(Style::Scientific),
            _ => None,
        }
    }
}
