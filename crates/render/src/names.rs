//! Names of the views: flags, keys, panel, help and log take their words from here.

use lavoxel_automaton::view::Style;

/// Choice among a few options that users name.
pub trait Named: Copy + Send + Sync + 'static {
    /// All options, in the order in which they are listed.
    const ALL: &'static [Self];

    /// Word for the option in lower case, as in flags and scene files.
    fn name(self) -> &'static str;

    /// Description of the option in a few words, without a full stop.
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
            let read = Style::deserialize(IntoDeserializer::<Error>::into_deserializer(style.name()));
            assert_eq!(read.as_ref(), Ok(style));
        }
    }
}
