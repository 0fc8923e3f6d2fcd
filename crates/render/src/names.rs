//! Names of the options of a picture's view, such as its style, as users see them: in command-line
//! flags, keys of scenes, the window's panel, help and the log.

use lavoxel_automaton::view::Style;

/// Set of options for one aspect of a picture's view, each with a name and a description for users.
pub trait Named: Copy + Send + Sync + 'static {
    /// All options, in the order in which user interfaces list the options.
    const ALL: &'static [Self];

    /// Returns the lower-case name of the option, as written in flags and scene files.
    fn name(self) -> &'static str;

    /// Returns a short description of the option for users, without a full stop.
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
