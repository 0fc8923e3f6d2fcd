//! Table of the notes (captions and scales) that are drawn on pictures.

use serde::{Deserialize, Serialize};

use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::{Invalid, one_line};

table! {
    /// Notes drawn on the pictures of `render`, as written in a scene file under `film.notes`.
    /// Pictures of slices have axes instead.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct NotesSpec {
        /// Caption: one line of text in the upper left corner; absent: no caption.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub caption: Option<String> = None;
        /// Clock below the caption: time since the start in the physical model, else the number of
        /// steps.
        pub clock: bool = false;
        /// North arrow in the upper right corner.
        pub north: bool = false;
        /// Scale bar in the lower left corner, true in the middle of the picture.
        pub scale: bool = false;
        /// Bar of the colours in which lava glows at its temperatures, for looks with `kelvin` and
        /// for the physical model.
        pub temperature: bool = false;
    }
}

impl NotesSpec {
    /// Names of the notes (elements drawn on pictures) that can be switched on.
    pub const WORDS: [&'static str; 4] = ["clock", "north", "scale", "temperature"];

    /// Checks that the caption is a single line of text.
    ///
    /// # Errors
    /// Returns an error if the caption is not a single line.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.check("film.notes")?;
        self.caption
            .as_ref()
            .map_or(Ok(()), |caption| one_line("film.notes.caption", caption))
    }

    /// Returns true if no note is switched on and the caption is empty.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Switches on the note named `word`; returns false if no note has this name.
    pub fn switch_on(&mut self, word: &str) -> bool {
        let switch = match word {
            "clock" => &mut self.clock,
            "north" => &mut self.north,
            "scale" => &mut self.scale,
            "temperature" => &mut self.temperature,
            _ => return false,
        };
        *switch = true;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_a_note() {
        let mut notes = NotesSpec::default();
        assert!(
            NotesSpec::WORDS.iter().all(|word| notes.switch_on(word)) && !notes.switch_on("legend")
        );
        assert!(notes.clock && notes.north && notes.scale && notes.temperature && !notes.is_none());
        let wrong = NotesSpec {
            caption: Some("two\nlines".into()),
            ..notes
        };
        assert_eq!(
            wrong.validate().map_err(|e| e.key),
            Err("film.notes.caption".to_owned())
        );
    }
}
