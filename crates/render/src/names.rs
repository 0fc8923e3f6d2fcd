//! Names of view options, shared by flags, keys, panel, help and log.

use lavoxel_automaton::view::Style;

/// Enumeration whose options have a name for users.
pub trait Named: Copy + Send + Sync + 'static {
    /// All options, in display order.
    const ALL: &'static [Self];

    /// Lower-case name of the option, as in flags and scene files.
    fn name(self) -> &'static str;

    /// Short description of the option, without a full stop.
    fn what(self) -> &'static str;
}

impl Named for Style {
    const ALL: &'static [Self] = Self::LIST;

    fn name(self) -> &'static str {
        self.word()
    }

    fn what(self) -> &'static str {
        self.words()
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
            let read =
                Style::deserialize(IntoDeserializer::<Error>::into_deserializer(style.name()));
            assert_eq!(read.as_ref(), Ok(style));
        }
    }
}
