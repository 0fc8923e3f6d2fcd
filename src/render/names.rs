//! The names of views and fields: flags, keys, panel, help and log take their words from here.

use crate::view::{ColorBy, Style};

/// The field that a slice shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Field {
    /// Amount of lava, 0 to 1.
    #[default]
    Amount,
    /// Energy of the cell, vent = 1.
    Energy,
    /// Rock, without values of the lava.
    Solid,
}

/// One of a few choices that a user names.
pub trait Named: Copy + Send + Sync + 'static {
    /// All of them, in the order in which they are listed.
    const ALL: &'static [Self];

    /// The word for it, lower case, as flags and scene files write it.
    fn name(self) -> &'static str;

    /// What it shows, in a few words without a full stop.
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

impl Named for Field {
    const ALL: &'static [Self] = &[Self::Amount, Self::Energy, Self::Solid];

    fn name(self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::Energy => "energy",
            Self::Solid => "solid",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Amount => "Amount of lava, 0 to 1",
            Self::Energy => "Energy of the lava, 1 for a full cell from the vent",
            Self::Solid => "Rock, without values of the lava",
        }
    }
}

impl Named for ColorBy {
    const ALL: &'static [Self] = &[Self::Density, Self::Energy];

    fn name(self) -> &'static str {
        match self {
            Self::Density => "density",
            Self::Energy => "energy",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Density => "How full the cells are, smoothed",
            Self::Energy => "Energy per amount, 1 as it leaves the vent",
        }
    }
}

/// The choice after this one; after the last, the first.
pub fn next<T: Named + PartialEq>(now: T) -> T {
    let at = T::ALL.iter().position(|other| *other == now).map_or(0, |i| i + 1);
    T::ALL[at % T::ALL.len()]
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
        for color in ColorBy::ALL {
            let read = ColorBy::deserialize(IntoDeserializer::<Error>::into_deserializer(color.name()));
            assert_eq!(read.as_ref(), Ok(color));
        }
    }

    #[test]
    fn the_last_is_followed_by_the_first() {
        let round: Vec<Field> = (0..4).scan(Field::Amount, |now, _| Some(std::mem::replace(now, next(*now)))).collect();
        assert_eq!(round, [Field::Amount, Field::Energy, Field::Solid, Field::Amount]);
    }
}
