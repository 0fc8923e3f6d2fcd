//! Notices for the user about completed actions and errors.

/// Notice for the user about a completed action or an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Set for an error: something that was requested could not be done.
    pub wrong: bool,
    /// Text of the notice, one sentence.
    pub text: String,
    /// Remedy that the notice offers by a button; `None`: no button.
    pub mend: Option<Mend>,
}

/// Remedy that a notice offers to the user by a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Opens the sides of the simulation box; offered when lava has piled up there.
    OpenSides,
}

impl Notice {
    /// Creates a notice about a completed action.
    pub fn new(text: String) -> Self {
        Self {
            wrong: false,
            text,
            mend: None,
        }
    }

    /// Creates an error notice about something that could not be done.
    pub fn wrong(text: String) -> Self {
        Self {
            wrong: true,
            text,
            mend: None,
        }
    }
}
