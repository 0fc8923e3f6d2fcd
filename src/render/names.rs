//! The names of views: flags, keys, panel, help and log take their words from here.

use crate::view::Style;

/// One of a few choices that a user names.
pub trait Named: Copy + Send + Sync + 'static {
    /// All of them, in the order in which they are listed.
    const ALL: &'static [Self];

    /// The word for it, lower case, as flags and scene files write it.
    fn name(self) -> &'static str;

    /// Description in a few words without a full stop.
    fn what(self) -> &'static str;
}

impl Named for Style {
    const ALL: &'static [Self] = &[Self::Cinematic, Self::Scientific, Self::Surface, Self::Maximum];

    fn name(self) -> &'static str {
        match self {
            Self::Cinematic => "cinematic",
            Self::Scientific => "scientific",
            Self::Surface => "surface",
            Self::Maximum => "maximum",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Cinematic => "Crust, glow, sun and sky",
            Self::Scientific => "See-through, colours from the palette",
            Self::Surface => "A plain surface, coloured by what lies under it",
            Self::Maximum => "The largest value on every line of sight",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::{Deserialize, de::value::Error};

    use super::*;

    #[test]
    fn names_are_those_of_scene_files() {
        for style in Style::ALL {
            let read = Style::deserialize(IntoDeserializer::<Error>::into_deserializer(style.name()));
            assert_eq!(read.as_ref(), Ok(style));
        }
    }
}
