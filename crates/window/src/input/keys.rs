//! Key bindings: one table of keys, actions and descriptions. The help window shows the table, and
//! docs/keys.md lists the same keys.
//!
//! Letters and signs are found by the character of the user's keyboard layout, other keys by their
//! position. Ctrl+Z is the key labelled Z on QWERTY, QWERTZ, AZERTY and Dvorak keyboards.

use std::collections::{HashMap, HashSet};

use kiss3d::event::{Key, Modifiers};

use crate::camera::viewpoint::Side;
use lavoxel_render::{Axis, Style};
use lavoxel_session::Tool;

/// Action that a key or a button triggers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Runs the simulation, or pauses it.
    Run,
    /// Makes one simulation step, then pauses.
    Step,
    /// Raises the pace of the simulation: more steps per second.
    Faster,
    /// Lowers the pace of the simulation: fewer steps per second.
    Slower,
    /// Switches the pace between unlimited and the default number of steps per second.
    Free,
    /// Returns the simulation to step 0 of the opened scene.
    Reset,
    /// Raises the random seed of the simulation by 1.
    Reseed,
    /// Keeps a snapshot of the present moment, to which the user can return.
    Keep,
    /// Undoes the last user action.
    Undo,
    /// Redoes the user action that was undone last.
    Redo,
    /// Returns to the latest moment before the present one that the user has kept, or to the start
    /// if there is none.
    Rewind,
    /// Goes to the first moment after the present one that the user has kept, or to the tip of the
    /// branch if there is none.
    Onward,
    /// Switches the pictures to this rendering style.
    Style(Style),
    /// Traces a print of the present view, which is shown until the view or the state changes, or
    /// ends the print.
    Print,
    /// Shows or hides the slice across this axis.
    Cut(Axis),
    /// Moves the slice used last by this number of cells along its axis.
    MoveCut(i32),
    /// Shows the next quantity of the list on the slices.
    Quantity,
    /// Selects the next palette of the list.
    Palette,
    /// Shows or hides the lava.
    Volume,
    /// Shows or hides the ground.
    Ground,
    /// Selects this mouse tool for the left button.
    Tool(Tool),
    /// Selects the next material for the source tool and the brush.
    Material,
    /// Multiplies the brush's radius by this factor.
    Brush(f64),
    /// Frames the whole scene from a preset direction, such as the south or above.
    Face(Side),
    /// Returns to the camera that the scene defines.
    ResetCamera,
    /// Zooms by this number of notches of the mouse wheel; positive values zoom in.
    Zoom(f32),
    /// Starts or stops the turntable: the camera circles its target.
    Turntable,
    /// Enters or leaves first person, in which drags look around instead of orbiting.
    FirstPerson,
    /// Writes the present picture to an image file.
    Screenshot {
        /// Set to make sky and backdrop transparent (alpha 0).
        transparent: bool,
    },
    /// Starts a recording, or ends the recording in progress.
    Record,
    /// Saves the session as a session file.
    Save,
    /// Opens the file dialog, for a scene or heightmap.
    Open,
    /// Shows the start screen.
    Start,
    /// Ends the second run (the scene simulated next to the first one); without a second run, shows
    /// the start screen, where the user chooses its scene.
    Second,
    /// Begins the tour of the window.
    Tour,
    /// Shows or hides the panel.
    Panel,
    /// Enters or leaves full screen.
    Fullscreen,
    /// Shows or hides the help window with the list of keys.
    Help,
    /// Closes the first open item of this list: tour, card of a challenge, help, print, comparison,
    /// full screen; if none is open, selects the orbit tool.
    Dismiss,
    /// Closes the window and ends the program.
    Quit,
}

/// Group of key bindings in the help window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Running, pausing, seed, undo and kept moments.
    Simulation,
    /// Style, slices, palette, and visibility of lava and ground.
    View,
    /// Mouse tools and their settings.
    Tools,
    /// Camera directions, zoom, turntable and first person.
    Camera,
    /// Files, recordings and the window itself.
    Files,
}

impl Group {
    /// All groups, in the order in which the help window lists them.
    pub const ALL: [Self; 5] = [
        Self::Simulation,
        Self::View,
        Self::Tools,
        Self::Camera,
        Self::Files,
    ];

    /// Returns the heading of the group, as the help window shows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simulation => "Simulation",
            Self::View => "View",
            Self::Tools => "Tools",
            Self::Camera => "Camera",
            Self::Files => "Files and window",
        }
    }
}

/// Key of a binding, given by character or by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cap {
    /// Key that types this character (lower case) on the user's keyboard layout.
    Types(char),
    /// Key at a position of the keyboard, named as on a US keyboard.
    At(Key),
}

use Cap::{At, Types};

/// Row of the table of key bindings.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Group under which the help window lists the row.
    pub group: Group,
    /// Alternative keys that trigger the action, each with the modifier keys that must be held.
    keys: &'static [(Cap, Modifiers)],
    /// Names of the keys, as the help window shows them.
    pub shown: &'static str,
    /// Description of the action, as the help window shows it.
    pub what: &'static str,
    /// Action that the keys trigger.
    pub action: Action,
}

const NONE: Modifiers = Modifiers::empty();
const SHIFT: Modifiers = Modifiers::Shift;
const CTRL: Modifiers = Modifiers::Control;
const CTRL_SHIFT: Modifiers = Modifiers::Control.union(Modifiers::Shift);

/// All key bindings, within each group in the order of the help window.
pub const BINDINGS: &[Binding] =
    &joined::<{ TIME.len() + STYLES.len() + OTHERS.len() }>([TIME, STYLES, OTHERS]);

const fn joined<const N: usize>(parts: [&[Binding]; 3]) -> [Binding; N] {
    let (mut all, mut part, mut k, mut at) = ([parts[0][0]; N], 0, 0, 0);
    while at < N {
        if k < parts[part].len() {
            all[at] = parts[part][k];
            (k, at) = (k + 1, at + 1);
        } else {
            (part, k) = (part + 1, 0);
        }
    }
    all
}

/// Effect of the number key of the style print, which is no style of the live picture.
const PRINT: &str = "print this view: traced, better while you look";

/// Bindings of the number keys 1, 2, …, which choose the rendering styles in the order of
/// `Style::LIST`, or begin a print.
const STYLES: &[Binding] = &of_styles::<{ Style::LIST.len() }>();

const fn of_styles<const N: usize>() -> [Binding; N] {
    let (mut all, mut k) = ([TIME[0]; N], 0);
    while k < N {
        let (style, (keys, shown)) = (Style::LIST[k], DIGITS[k]);
        let (what, action) = match style {
            Style::Print => (PRINT, Action::Print),
            other => (other.of_key(), Action::Style(other)),
        };
        all[k] = bind(Group::View, keys, shown, what, action);
        k += 1;
    }
    all
}

const DIGITS: [(&[(Cap, Modifiers)], &str); 9] = [
    (&[(At(Key::Key1), NONE)], "1"),
    (&[(At(Key::Key2), NONE)], "2"),
    (&[(At(Key::Key3), NONE)], "3"),
    (&[(At(Key::Key4), NONE)], "4"),
    (&[(At(Key::Key5), NONE)], "5"),
    (&[(At(Key::Key6), NONE)], "6"),
    (&[(At(Key::Key7), NONE)], "7"),
    (&[(At(Key::Key8), NONE)], "8"),
    (&[(At(Key::Key9), NONE)], "9"),
];

const TIME: &[Binding] = &[
    bind(
        Group::Simulation,
        &[(At(Key::Space), NONE)],
        "Space",
        "run or pause",
        Action::Run,
    ),
    bind(
        Group::Simulation,
        &[(Types('.'), NONE)],
        ".",
        "one step",
        Action::Step,
    ),
    bind(
        Group::Simulation,
        &[(Types('+'), NONE), (Types('='), NONE)],
        "+",
        "faster",
        Action::Faster,
    ),
    bind(
        Group::Simulation,
        &[(Types('-'), NONE)],
        "-",
        "slower",
        Action::Slower,
    ),
    bind(
        Group::Simulation,
        &[(At(Key::Key0), NONE)],
        "0",
        "unlimited speed, or back to a rate",
        Action::Free,
    ),
    bind(
        Group::Simulation,
        &[(At(Key::Back), NONE)],
        "Backspace",
        "back to step 0; what was done stays",
        Action::Reset,
    ),
    bind(
        Group::Simulation,
        &[(Types('n'), NONE)],
        "N",
        "another seed from now on",
        Action::Reseed,
    ),
    bind(
        Group::Simulation,
        &[(Types('z'), CTRL)],
        "Ctrl+Z",
        "take back what was done last",
        Action::Undo,
    ),
    bind(
        Group::Simulation,
        &[(Types('z'), CTRL_SHIFT), (Types('y'), CTRL)],
        "Ctrl+Shift+Z",
        "bring it back",
        Action::Redo,
    ),
    bind(
        Group::Simulation,
        &[(Types('k'), NONE)],
        "K",
        "keep this moment",
        Action::Keep,
    ),
    bind(
        Group::Simulation,
        &[(Types('j'), NONE)],
        "J",
        "back to the kept moment; again: one earlier",
        Action::Rewind,
    ),
    bind(
        Group::Simulation,
        &[(Types('j'), SHIFT)],
        "Shift+J",
        "ahead to the next kept moment, or the end",
        Action::Onward,
    ),
];

const OTHERS: &[Binding] = &[
    bind(
        Group::View,
        &[(Types('x'), NONE)],
        "X",
        "slice across x on or off",
        Action::Cut(Axis::X),
    ),
    bind(
        Group::View,
        &[(Types('y'), NONE)],
        "Y",
        "slice across y on or off",
        Action::Cut(Axis::Y),
    ),
    bind(
        Group::View,
        &[(Types('z'), NONE)],
        "Z",
        "slice across z on or off",
        Action::Cut(Axis::Z),
    ),
    bind(
        Group::View,
        &[(Types('['), NONE)],
        "[",
        "move the slice back by a cell",
        Action::MoveCut(-1),
    ),
    bind(
        Group::View,
        &[(Types(']'), NONE)],
        "]",
        "move the slice on by a cell",
        Action::MoveCut(1),
    ),
    bind(
        Group::View,
        &[(Types('f'), NONE)],
        "F",
        "next quantity of the slices: amount, energy, …",
        Action::Quantity,
    ),
    bind(
        Group::View,
        &[(Types('c'), NONE)],
        "C",
        "next palette",
        Action::Palette,
    ),
    bind(
        Group::View,
        &[(Types('v'), NONE)],
        "V",
        "lava on or off",
        Action::Volume,
    ),
    bind(
        Group::View,
        &[(Types('g'), NONE)],
        "G",
        "ground on or off",
        Action::Ground,
    ),
    bind(
        Group::Tools,
        &[(At(Key::F2), NONE)],
        "F2",
        "tool orbit: turn and probe",
        Action::Tool(Tool::Orbit),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F3), NONE)],
        "F3",
        "tool source: place and drag vents and sources",
        Action::Tool(Tool::Source),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F4), NONE)],
        "F4",
        "tool fill: brush of lava or another material",
        Action::Tool(Tool::Fill),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F4), SHIFT)],
        "Shift+F4",
        "tool bucket: fills a hollow",
        Action::Tool(Tool::Bucket),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F4), CTRL)],
        "Ctrl+F4",
        "tool replace: a material for others",
        Action::Tool(Tool::Replace),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F5), NONE)],
        "F5",
        "tool rock: brush of rock",
        Action::Tool(Tool::Rock),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F5), SHIFT)],
        "Shift+F5",
        "tool dam: raises the ground along a line",
        Action::Tool(Tool::Dam),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F6), NONE)],
        "F6",
        "tool dig: takes rock and liquids away",
        Action::Tool(Tool::Dig),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F7), NONE)],
        "F7",
        "tool drain: takes liquids away",
        Action::Tool(Tool::Drain),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F8), NONE)],
        "F8",
        "tool air: heat, ash, steam and wind",
        Action::Tool(Tool::Air),
    ),
    bind(
        Group::Tools,
        &[(At(Key::F10), NONE)],
        "F10",
        "tool pick: plots the history of a point",
        Action::Tool(Tool::Pick),
    ),
    bind(
        Group::Tools,
        &[(Types('m'), NONE)],
        "M",
        "next material of the tools source, fill, …",
        Action::Material,
    ),
    bind(
        Group::Tools,
        &[(At(Key::PageUp), NONE)],
        "Page Up",
        "larger brush",
        Action::Brush(1.25),
    ),
    bind(
        Group::Tools,
        &[(At(Key::PageDown), NONE)],
        "Page Down",
        "smaller brush",
        Action::Brush(0.8),
    ),
    bind(
        Group::Camera,
        &[(At(Key::Home), NONE)],
        "Home",
        "the scene's camera",
        Action::ResetCamera,
    ),
    bind(
        Group::Camera,
        &[(At(Key::Key1), SHIFT)],
        "Shift+1",
        "from the front (south)",
        Action::Face(Side::Front),
    ),
    bind(
        Group::Camera,
        &[(At(Key::Key2), SHIFT)],
        "Shift+2",
        "from the back (north)",
        Action::Face(Side::Back),
    ),
    bind(
        Group::Camera,
        &[(At(Key::Key3), SHIFT)],
        "Shift+3",
        "from the left (west)",
        Action::Face(Side::Left),
    ),
    bind(
        Group::Camera,
        &[(At(Key::Key4), SHIFT)],
        "Shift+4",
        "from the right (east)",
        Action::Face(Side::Right),
    ),
    bind(
        Group::Camera,
        &[(At(Key::Key5), SHIFT)],
        "Shift+5",
        "from above",
        Action::Face(Side::Top),
    ),
    bind(
        Group::Camera,
        &[(At(Key::Key6), SHIFT)],
        "Shift+6",
        "three-quarter view",
        Action::Face(Side::ThreeQuarter),
    ),
    bind(
        Group::Camera,
        &[(Types('i'), NONE)],
        "I",
        "zoom in",
        Action::Zoom(1.0),
    ),
    bind(
        Group::Camera,
        &[(Types('o'), NONE)],
        "O",
        "zoom out",
        Action::Zoom(-1.0),
    ),
    bind(
        Group::Camera,
        &[(Types('t'), NONE)],
        "T",
        "turntable",
        Action::Turntable,
    ),
    bind(
        Group::Camera,
        &[(Types('p'), NONE)],
        "P",
        "first person on or off",
        Action::FirstPerson,
    ),
    bind(
        Group::Files,
        &[(At(Key::F12), NONE)],
        "F12",
        "screenshot (PNG)",
        Action::Screenshot { transparent: false },
    ),
    bind(
        Group::Files,
        &[(At(Key::F12), SHIFT)],
        "Shift+F12",
        "screenshot with a transparent sky",
        Action::Screenshot { transparent: true },
    ),
    bind(
        Group::Files,
        &[(At(Key::F9), NONE), (Types('r'), NONE)],
        "F9 or R",
        "start or end a recording",
        Action::Record,
    ),
    bind(
        Group::Files,
        &[(Types('s'), CTRL)],
        "Ctrl+S",
        "save the session in one file",
        Action::Save,
    ),
    bind(
        Group::Files,
        &[(Types('o'), CTRL)],
        "Ctrl+O",
        "open a scene or a heightmap",
        Action::Open,
    ),
    bind(
        Group::Files,
        &[(Types('n'), CTRL)],
        "Ctrl+N",
        "start screen: scenes, files, a volcano of your own",
        Action::Start,
    ),
    bind(
        Group::Files,
        &[(Types('b'), NONE)],
        "B",
        "second run next to this one, or its end",
        Action::Second,
    ),
    bind(
        Group::Files,
        &[(At(Key::Tab), NONE)],
        "Tab",
        "panel on or off",
        Action::Panel,
    ),
    bind(
        Group::Files,
        &[(At(Key::F11), NONE)],
        "F11",
        "whole screen on or off",
        Action::Fullscreen,
    ),
    bind(
        Group::Files,
        &[(At(Key::F1), NONE)],
        "F1",
        "these keys",
        Action::Help,
    ),
    bind(
        Group::Files,
        &[(At(Key::Escape), NONE)],
        "Esc",
        "close the help or the print, put the tool away",
        Action::Dismiss,
    ),
    bind(
        Group::Files,
        &[(Types('q'), CTRL)],
        "Ctrl+Q",
        "quit",
        Action::Quit,
    ),
];

/// Held keys and mouse gestures, each with a description of its effect, as the help window lists
/// them.
pub const HELD: &[(&str, &str)] = &[
    (
        "left drag",
        "orbit, or what the tool does; look around in first person",
    ),
    ("right drag", "orbit, whatever the tool"),
    ("middle drag, Shift+drag", "pan"),
    ("wheel", "zoom towards the pointer"),
    ("W A S D, Q E", "walk, down and up"),
    ("arrows", "turn"),
];

const fn bind(
    group: Group,
    keys: &'static [(Cap, Modifiers)],
    shown: &'static str,
    what: &'static str,
    action: Action,
) -> Binding {
    Binding {
        group,
        keys,
        shown,
        what,
        action,
    }
}

/// Returns the names of the keys of `action`, as the help window shows them; empty if the action
/// has no key.
pub fn shown(action: Action) -> &'static str {
    BINDINGS
        .iter()
        .find(|binding| binding.action == action)
        .map_or("", |binding| binding.shown)
}

/// Returns the action of a pressed key, searched in the table by the character `typed` and then by
/// the key's position `key`; `None` for a key without an action. Of the modifiers `held`, Shift and
/// Control are compared; the command key of a Mac counts as Control.
pub fn action(key: Key, typed: Option<char>, held: Modifiers) -> Option<Action> {
    let mut held_here = held & (Modifiers::Shift | Modifiers::Control);
    if cfg!(target_os = "macos") && held.contains(Modifiers::Super) {
        held_here |= Modifiers::Control;
    }
    let of = |cap: Cap, held: Modifiers| {
        let fits = |binding: &&Binding| binding.keys.contains(&(cap, held));
        BINDINGS.iter().find(fits).map(|binding| binding.action)
    };
    let by_character = character(key, typed).and_then(|c| {
        // Shift and AltGr (Control and Alt on Windows) may be needed to type a sign, so they are
        // not compared with the binding's modifiers.
        let altgr = held.contains(Modifiers::Alt | Modifiers::Control);
        let brings = if c.is_ascii_alphabetic() {
            Modifiers::empty()
        } else if altgr {
            CTRL_SHIFT
        } else {
            SHIFT
        };
        of(Types(c), held_here.difference(brings))
    });
    by_character.or_else(|| of(At(key), held_here))
}

/// Last Latin letter with diacritics in Unicode (end of the block Latin Extended-B); characters
/// with higher numbers belong to other scripts.
const LAST_LATIN: char = '\u{24f}';

/// Returns the character by which the table of bindings finds a key: the typed ASCII character in
/// lower case. If the key types nothing or a character of another script, returns the character at
/// its position on a US keyboard; `None` for letters with diacritics and for keys without a
/// character.
fn character(key: Key, typed: Option<char>) -> Option<char> {
    match typed {
        Some(c) if c.is_ascii_graphic() => Some(c.to_ascii_lowercase()),
        Some(c) if c > LAST_LATIN => in_place(key),
        // While Control is held, some systems report the letter's control character. Backspace, Tab
        // and Enter type such characters themselves and are excluded.
        Some('\u{1}'..='\u{1a}')
            if matches!(key, Key::Back | Key::Tab | Key::Return | Key::NumpadEnter) =>
        {
            None
        }
        Some(c @ '\u{1}'..='\u{1a}') => Some(char::from(b'a' + c as u8 - 1)),
        Some(_) => None,
        None => in_place(key),
    }
}

/// Returns the letter or sign at the position of `key` on a US keyboard; `None` for positions that
/// no binding uses.
fn in_place(key: Key) -> Option<char> {
    // Plus and minus also on the number pad, which has its own keys for both.
    const SIGNS: [(Key, char); 7] = [
        (Key::Period, '.'),
        (Key::Equals, '='),
        (Key::Add, '+'),
        (Key::Minus, '-'),
        (Key::Subtract, '-'),
        (Key::LBracket, '['),
        (Key::RBracket, ']'),
    ];
    const LETTERS: [Key; 26] = [
        Key::A,
        Key::B,
        Key::C,
        Key::D,
        Key::E,
        Key::F,
        Key::G,
        Key::H,
        Key::I,
        Key::J,
        Key::K,
        Key::L,
        Key::M,
        Key::N,
        Key::O,
        Key::P,
        Key::Q,
        Key::R,
        Key::S,
        Key::T,
        Key::U,
        Key::V,
        Key::W,
        Key::X,
        Key::Y,
        Key::Z,
    ];
    let letter = || {
        LETTERS
            .iter()
            .zip('a'..='z')
            .find(|(at, _)| **at == key)
            .map(|(_, letter)| letter)
    };
    SIGNS
        .iter()
        .find(|(at, _)| *at == key)
        .map(|(_, sign)| *sign)
        .or_else(letter)
}

/// Returns true if `key` triggers its action even while the user types into a text field: F1 to
/// F12.
pub fn works_while_typing(key: Key) -> bool {
    (Key::F1..=Key::F12).contains(&key)
}

/// Keys that the user holds down at present.
#[derive(Debug, Default)]
pub(crate) struct Down {
    keys: HashSet<Key>,
    /// Held keys that steer the camera (walk or turn), each with the character by which the key
    /// bindings name the key.
    steering: HashMap<Key, Option<char>>,
}

impl Down {
    /// Registers a press of `key`. Returns true for the first event of a press, false for repeats
    /// while the key is held.
    ///
    /// A key that triggers an action or is pressed with Control does not steer the camera: Ctrl+S
    /// saves, S alone walks.
    pub(crate) fn press(&mut self, key: Key, typed: Option<char>, modifiers: Modifiers) -> bool {
        let first = self.keys.insert(key);
        let free = !modifiers.intersects(Modifiers::Control | Modifiers::Super);
        if first && free && action(key, typed, modifiers).is_none() {
            self.steering.insert(key, character(key, typed));
        }
        first
    }

    pub(crate) fn release(&mut self, key: Key) {
        self.keys.remove(&key);
        self.steering.remove(&key);
    }

    /// Returns 1 while the user holds the key `cap` to steer the camera, otherwise 0.
    pub(crate) fn steers(&self, cap: Cap) -> f32 {
        let steers = match cap {
            At(key) => self.steering.contains_key(&key),
            Types(c) => self.steering.values().any(|typed| *typed == Some(c)),
        };
        f32::from(u8::from(steers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings() {
        let all: Vec<_> = BINDINGS.iter().flat_map(|binding| binding.keys).collect();
        for (i, key) in all.iter().enumerate() {
            assert!(!all[..i].contains(key), "{key:?} is there twice");
        }
    }

    #[test]
    fn keys_find_their_action() {
        assert_eq!(action(Key::Space, Some(' '), NONE), Some(Action::Run));
        assert_eq!(
            action(Key::Key1, Some('!'), SHIFT),
            Some(Action::Face(Side::Front))
        );
        assert_eq!(action(Key::S, Some('s'), CTRL), Some(Action::Save));
        assert_eq!(action(Key::S, Some('s'), NONE), None, "walks");
        assert_eq!(
            action(Key::F12, None, SHIFT | Modifiers::Alt),
            Some(Action::Screenshot { transparent: true })
        );
        assert_eq!(action(Key::J, Some('J'), SHIFT), Some(Action::Onward));
        assert_eq!(
            action(Key::J, Some('J'), NONE),
            Some(Action::Rewind),
            "caps lock"
        );
        assert_eq!(action(Key::Back, Some('\u{8}'), NONE), Some(Action::Reset));
        assert_eq!(
            action(Key::Tab, Some('\t'), NONE),
            Some(Action::Panel),
            "not Ctrl+I"
        );
        assert_eq!(action(Key::Return, Some('\r'), NONE), None, "not Ctrl+M");
    }

    /// Checks that the letters and signs of the table trigger their actions wherever a keyboard
    /// layout has them.
    #[test]
    fn letters_and_signs_go_by_their_character_on_every_keyboard() {
        // Place, character alone and with Shift: of QWERTZ, AZERTY and Dvorak, then Russian, whose
        // letters go by their place.
        let qwertz = [
            (Key::Y, 'z', 'Z'),
            (Key::Z, 'y', 'Y'),
            (Key::RBracket, '+', '*'),
            (Key::Slash, '-', '_'),
        ];
        let azerty = [
            (Key::W, 'z', 'Z'),
            (Key::Q, 'a', 'A'),
            (Key::Semicolon, 'm', 'M'),
            (Key::Key6, '-', '6'),
        ];
        let dvorak = [
            (Key::Slash, 'z', 'Z'),
            (Key::E, '.', '>'),
            (Key::Apostrophe, '-', '_'),
            (Key::Minus, '[', '{'),
        ];
        let russian = [(Key::Z, 'я', 'Я'), (Key::LBracket, 'х', 'Х')];
        let undo = |(key, typed, _): (Key, char, char)| action(key, Some(typed), CTRL);
        for z in [qwertz[0], azerty[0], dvorak[0], russian[0]] {
            assert_eq!(undo(z), Some(Action::Undo), "{z:?}");
            assert_eq!(
                action(z.0, Some('\u{1a}'), CTRL),
                Some(Action::Undo),
                "{z:?} as a control character"
            );
            assert_eq!(
                action(z.0, Some(z.2), CTRL_SHIFT),
                Some(Action::Redo),
                "{z:?}"
            );
            assert_eq!(
                action(z.0, Some(z.1), NONE),
                Some(Action::Cut(Axis::Z)),
                "{z:?}"
            );
        }
        assert_eq!(undo(qwertz[1]), Some(Action::Redo), "Ctrl+Y");
        let plain = |(key, typed, _): (Key, char, char)| action(key, Some(typed), NONE);
        assert_eq!(
            [plain(qwertz[2]), plain(qwertz[3])],
            [Some(Action::Faster), Some(Action::Slower)]
        );
        assert_eq!(
            action(Key::Key8, Some('['), NONE),
            Some(Action::MoveCut(-1)),
            "AltGr+8 of QWERTZ"
        );
        let altgr = Modifiers::Control | Modifiers::Alt;
        assert_eq!(
            action(Key::Key9, Some(']'), altgr),
            Some(Action::MoveCut(1)),
            "AltGr+9 on Windows"
        );
        assert_eq!(plain(azerty[1]), None, "walks to the left");
        assert_eq!(
            [plain(azerty[2]), plain(azerty[3])],
            [Some(Action::Material), Some(Action::Slower)]
        );
        assert_eq!(
            action(Key::Key6, Some('6'), SHIFT),
            Some(Action::Face(Side::ThreeQuarter)),
            "digits by their place"
        );
        assert_eq!(
            action(Key::Key1, Some('&'), NONE),
            Some(Action::Style(Style::LIST[0]))
        );
        assert_eq!(
            action(Key::Comma, Some('.'), SHIFT),
            Some(Action::Step),
            "Shift only brings the full stop of AZERTY"
        );
        assert_eq!(
            [plain(dvorak[1]), plain(dvorak[2])],
            [Some(Action::Step), Some(Action::Slower)]
        );
        assert_eq!(
            [plain(dvorak[3]), plain(russian[1])],
            [Some(Action::MoveCut(-1)); 2]
        );
        assert_eq!(
            action(Key::LBracket, Some('ü'), NONE),
            None,
            "a Latin letter that the table lacks"
        );
        assert_eq!(
            action(Key::Q, Some('\''), CTRL),
            None,
            "the place of Q on Dvorak"
        );
    }

    #[test]
    fn walking_goes_by_character_too() {
        let mut down = Down::default();
        down.press(Key::Q, Some('a'), NONE);
        assert_eq!(
            [Types('a'), Types('q')].map(|cap| down.steers(cap)),
            [1.0, 0.0],
            "A of AZERTY"
        );
        down.release(Key::Q);
        down.press(Key::Left, None, NONE);
        assert_eq!(
            [Types('a'), At(Key::Left)].map(|cap| down.steers(cap)),
            [0.0, 1.0]
        );
    }

    #[test]
    fn a_key_of_a_combination_does_not_steer() {
        let mut down = Down::default();
        let s = Types('s');
        assert!(down.press(Key::S, Some('s'), CTRL) && !down.press(Key::S, Some('s'), CTRL));
        assert_eq!(down.steers(s), 0.0, "it saves");
        // Releases Control before the letter, which the system then reports again.
        assert!(!down.press(Key::S, Some('s'), NONE));
        assert_eq!(down.steers(s), 0.0);
        down.release(Key::S);
        assert!(down.press(Key::S, Some('s'), NONE));
        assert_eq!(down.steers(s), 1.0, "it walks");
        down.release(Key::S);
        assert_eq!(down.steers(s), 0.0);
    }

    #[test]
    fn the_readme_tells_every_key() {
        let readme = include_str!("../../../../docs/keys.md");
        for binding in BINDINGS {
            let row = format!("| `{}` | {} |", binding.shown, binding.what);
            assert!(readme.contains(&row), "docs/keys.md lacks: {row}");
        }
        for (held, what) in HELD {
            let row = format!("| {held} | {what} |");
            assert!(readme.contains(&row), "docs/keys.md lacks: {row}");
        }
    }
}
