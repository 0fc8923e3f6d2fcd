//! The keys: one table of key, action and description, which the help window shows and docs/keys.md repeats.

use std::collections::HashSet;

use kiss3d::event::{Key, Modifiers};

use crate::render::{Axis, Style};
use crate::viewer::edit::tools::Tool;
use crate::viewer::eye::viewpoint::Side;

/// Everything that a key, or a button with the same meaning, can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Run or pause.
    Run,
    /// One step, then pause.
    Step,
    /// More steps a second.
    Faster,
    /// Fewer steps a second.
    Slower,
    /// As many steps as possible, or back to a rate.
    Free,
    /// Back to step 0.
    Reset,
    /// Another seed.
    Reseed,
    /// Keep the snapshot.
    Keep,
    /// Takes the last act back.
    Undo,
    /// Brings back what was taken back.
    Redo,
    /// Back to a kept moment.
    Rewind,
    /// To the next moment ahead.
    Onward,
    /// Another style.
    Style(Style),
    /// Show or hide the slice across an axis.
    Cut(Axis),
    /// Move the slice chosen last by a number of cells.
    MoveCut(i32),
    /// The next quantity of the slices.
    Quantity,
    /// The next palette.
    Palette,
    /// Show or hide the lava.
    Volume,
    /// Show or hide the ground.
    Ground,
    /// Another tool.
    Tool(Tool),
    /// The next material for sources and the brush.
    Material,
    /// A larger or smaller brush.
    Brush(f64),
    /// Frame everything from a side.
    Face(Side),
    /// The scene's camera.
    ResetCamera,
    /// Zoom in by a number of notches of the wheel, or out by a negative one.
    Zoom(f32),
    /// Circle the target.
    Turntable,
    /// Look around instead of orbiting.
    FirstPerson,
    /// A picture into a file.
    Screenshot {
        /// With a transparent sky.
        transparent: bool,
    },
    /// Start or end a recording.
    Record,
    /// Write the session as a scene.
    Save,
    /// Choose a file to open.
    Open,
    /// Show the start screen.
    Start,
    /// Begin the tour.
    Tour,
    /// Show or hide the panel.
    Panel,
    /// The whole screen.
    Fullscreen,
    /// The list of keys.
    Help,
    /// Close what is open: help, a stroke, a tool.
    Dismiss,
    /// End.
    Quit,
}

/// Groups of keys in the help window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Time and randomness.
    Simulation,
    /// Keys of the picture.
    View,
    /// Keys of the mouse's tools.
    Tools,
    /// The viewpoint.
    Camera,
    /// Files and the window itself.
    Files,
}

impl Group {
    /// In the order of the help window.
    pub const ALL: [Self; 5] = [Self::Simulation, Self::View, Self::Tools, Self::Camera, Self::Files];

    /// Heading.
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

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Where it belongs.
    pub group: Group,
    /// Keys that do it; any of them.
    keys: &'static [(Key, Modifiers)],
    /// The keys as the user reads them.
    pub shown: &'static str,
    /// Effect, in words.
    pub what: &'static str,
    /// Action for the program.
    pub action: Action,
}

const NONE: Modifiers = Modifiers::empty();
const SHIFT: Modifiers = Modifiers::Shift;
const CTRL: Modifiers = Modifiers::Control;
const CTRL_SHIFT: Modifiers = Modifiers::Control.union(Modifiers::Shift);

/// The table.
pub const BINDINGS: &[Binding] = &joined::<{ TIME.len() + STYLES.len() + OTHERS.len() }>([TIME, STYLES, OTHERS]);

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

/// A key for each style, in their order: 1, 2, …
const STYLES: &[Binding] = &of_styles::<{ Style::LIST.len() }>();

const fn of_styles<const N: usize>() -> [Binding; N] {
    let (mut all, mut k) = ([TIME[0]; N], 0);
    while k < N {
        let (style, (keys, shown)) = (Style::LIST[k], DIGITS[k]);
        all[k] = bind(Group::View, keys, shown, style.of_key(), Action::Style(style));
        k += 1;
    }
    all
}

const DIGITS: [(&[(Key, Modifiers)], &str); 9] = [
    (&[(Key::Key1, NONE)], "1"),
    (&[(Key::Key2, NONE)], "2"),
    (&[(Key::Key3, NONE)], "3"),
    (&[(Key::Key4, NONE)], "4"),
    (&[(Key::Key5, NONE)], "5"),
    (&[(Key::Key6, NONE)], "6"),
    (&[(Key::Key7, NONE)], "7"),
    (&[(Key::Key8, NONE)], "8"),
    (&[(Key::Key9, NONE)], "9"),
];

const TIME: &[Binding] = &[
    bind(Group::Simulation, &[(Key::Space, NONE)], "Space", "run or pause", Action::Run),
    bind(Group::Simulation, &[(Key::Period, NONE)], ".", "one step", Action::Step),
    bind(
        Group::Simulation,
        &[(Key::Equals, NONE), (Key::Equals, SHIFT), (Key::Add, NONE)],
        "+",
        "faster",
        Action::Faster,
    ),
    bind(Group::Simulation, &[(Key::Minus, NONE), (Key::Subtract, NONE)], "-", "slower", Action::Slower),
    bind(Group::Simulation, &[(Key::Key0, NONE)], "0", "unlimited speed, or back to a rate", Action::Free),
    bind(Group::Simulation, &[(Key::Back, NONE)], "Backspace", "back to step 0; what was done stays", Action::Reset),
    bind(Group::Simulation, &[(Key::N, NONE)], "N", "another seed from now on", Action::Reseed),
    bind(Group::Simulation, &[(Key::Z, CTRL)], "Ctrl+Z", "take back what was done last", Action::Undo),
    bind(Group::Simulation, &[(Key::Z, CTRL_SHIFT), (Key::Y, CTRL)], "Ctrl+Shift+Z", "bring it back", Action::Redo),
    bind(Group::Simulation, &[(Key::K, NONE)], "K", "keep this moment", Action::Keep),
    bind(Group::Simulation, &[(Key::J, NONE)], "J", "back to the kept moment; again: one earlier", Action::Rewind),
    bind(Group::Simulation, &[(Key::J, SHIFT)], "Shift+J", "ahead to the next kept moment, or the end", Action::Onward),
];

const OTHERS: &[Binding] = &[
    bind(Group::View, &[(Key::X, NONE)], "X", "slice across x on or off", Action::Cut(Axis::X)),
    bind(Group::View, &[(Key::Y, NONE)], "Y", "slice across y on or off", Action::Cut(Axis::Y)),
    bind(Group::View, &[(Key::Z, NONE)], "Z", "slice across z on or off", Action::Cut(Axis::Z)),
    bind(Group::View, &[(Key::LBracket, NONE)], "[", "move the slice back by a cell", Action::MoveCut(-1)),
    bind(Group::View, &[(Key::RBracket, NONE)], "]", "move the slice on by a cell", Action::MoveCut(1)),
    bind(Group::View, &[(Key::F, NONE)], "F", "next quantity of the slices: amount, energy, …", Action::Quantity),
    bind(Group::View, &[(Key::C, NONE)], "C", "next palette", Action::Palette),
    bind(Group::View, &[(Key::V, NONE)], "V", "lava on or off", Action::Volume),
    bind(Group::View, &[(Key::G, NONE)], "G", "ground on or off", Action::Ground),
    bind(Group::Tools, &[(Key::F2, NONE)], "F2", "tool orbit: turn and probe", Action::Tool(Tool::Orbit)),
    bind(
        Group::Tools,
        &[(Key::F3, NONE)],
        "F3",
        "tool source: place and drag vents and sources",
        Action::Tool(Tool::Source),
    ),
    bind(
        Group::Tools,
        &[(Key::F4, NONE)],
        "F4",
        "tool fill: brush of lava or another material",
        Action::Tool(Tool::Fill),
    ),
    bind(Group::Tools, &[(Key::F4, SHIFT)], "Shift+F4", "tool bucket: fills a hollow", Action::Tool(Tool::Bucket)),
    bind(
        Group::Tools,
        &[(Key::F4, CTRL)],
        "Ctrl+F4",
        "tool replace: a material for others",
        Action::Tool(Tool::Replace),
    ),
    bind(Group::Tools, &[(Key::F5, NONE)], "F5", "tool rock: brush of rock", Action::Tool(Tool::Rock)),
    bind(
        Group::Tools,
        &[(Key::F5, SHIFT)],
        "Shift+F5",
        "tool dam: raises the ground along a line",
        Action::Tool(Tool::Dam),
    ),
    bind(Group::Tools, &[(Key::F6, NONE)], "F6", "tool dig: takes rock and liquids away", Action::Tool(Tool::Dig)),
    bind(Group::Tools, &[(Key::F7, NONE)], "F7", "tool drain: takes liquids away", Action::Tool(Tool::Drain)),
    bind(Group::Tools, &[(Key::F8, NONE)], "F8", "tool air: heat, ash, steam and wind", Action::Tool(Tool::Air)),
    bind(Group::Tools, &[(Key::F10, NONE)], "F10", "tool pick: plots the history of a point", Action::Tool(Tool::Pick)),
    bind(Group::Tools, &[(Key::M, NONE)], "M", "next material of the tools source, fill, …", Action::Material),
    bind(Group::Tools, &[(Key::PageUp, NONE)], "Page Up", "larger brush", Action::Brush(1.25)),
    bind(Group::Tools, &[(Key::PageDown, NONE)], "Page Down", "smaller brush", Action::Brush(0.8)),
    bind(Group::Camera, &[(Key::Home, NONE)], "Home", "the scene's camera", Action::ResetCamera),
    bind(Group::Camera, &[(Key::Key1, SHIFT)], "Shift+1", "from the front (south)", Action::Face(Side::Front)),
    bind(Group::Camera, &[(Key::Key2, SHIFT)], "Shift+2", "from the back (north)", Action::Face(Side::Back)),
    bind(Group::Camera, &[(Key::Key3, SHIFT)], "Shift+3", "from the left (west)", Action::Face(Side::Left)),
    bind(Group::Camera, &[(Key::Key4, SHIFT)], "Shift+4", "from the right (east)", Action::Face(Side::Right)),
    bind(Group::Camera, &[(Key::Key5, SHIFT)], "Shift+5", "from above", Action::Face(Side::Top)),
    bind(Group::Camera, &[(Key::Key6, SHIFT)], "Shift+6", "three-quarter view", Action::Face(Side::ThreeQuarter)),
    bind(Group::Camera, &[(Key::I, NONE)], "I", "zoom in", Action::Zoom(1.0)),
    bind(Group::Camera, &[(Key::O, NONE)], "O", "zoom out", Action::Zoom(-1.0)),
    bind(Group::Camera, &[(Key::T, NONE)], "T", "turntable", Action::Turntable),
    bind(Group::Camera, &[(Key::P, NONE)], "P", "first person on or off", Action::FirstPerson),
    bind(Group::Files, &[(Key::F12, NONE)], "F12", "screenshot (PNG)", Action::Screenshot { transparent: false }),
    bind(
        Group::Files,
        &[(Key::F12, SHIFT)],
        "Shift+F12",
        "screenshot with a transparent sky",
        Action::Screenshot { transparent: true },
    ),
    bind(Group::Files, &[(Key::F9, NONE), (Key::R, NONE)], "F9 or R", "start or end a recording", Action::Record),
    bind(Group::Files, &[(Key::S, CTRL)], "Ctrl+S", "save the session in one file", Action::Save),
    bind(Group::Files, &[(Key::O, CTRL)], "Ctrl+O", "open a scene or a heightmap", Action::Open),
    bind(
        Group::Files,
        &[(Key::N, CTRL)],
        "Ctrl+N",
        "start screen: scenes, files, a volcano of your own",
        Action::Start,
    ),
    bind(Group::Files, &[(Key::Tab, NONE)], "Tab", "panel on or off", Action::Panel),
    bind(Group::Files, &[(Key::F11, NONE)], "F11", "whole screen on or off", Action::Fullscreen),
    bind(Group::Files, &[(Key::F1, NONE)], "F1", "these keys", Action::Help),
    bind(Group::Files, &[(Key::Escape, NONE)], "Esc", "close the help, put the tool away", Action::Dismiss),
    bind(Group::Files, &[(Key::Q, CTRL)], "Ctrl+Q", "quit", Action::Quit),
];

/// Keys that are held rather than pressed, and the mouse.
pub const HELD: &[(&str, &str)] = &[
    ("left drag", "orbit, or what the tool does; look around in first person"),
    ("right drag", "orbit, whatever the tool"),
    ("middle drag, Shift+drag", "pan"),
    ("wheel", "zoom towards the pointer"),
    ("W A S D, Q E", "walk, down and up"),
    ("arrows", "turn"),
];

const fn bind(
    group: Group,
    keys: &'static [(Key, Modifiers)],
    shown: &'static str,
    what: &'static str,
    action: Action,
) -> Binding {
    Binding { group, keys, shown, what, action }
}

/// The key of an action as the user reads it, empty where it has none.
pub fn shown(action: Action) -> &'static str {
    BINDINGS.iter().find(|binding| binding.action == action).map_or("", |binding| binding.shown)
}

/// Action of a pressed key, if it has one. Only Shift and Control count; the command key of a Mac is Control.
pub fn action(key: Key, held: Modifiers) -> Option<Action> {
    let mut held_here = held & (Modifiers::Shift | Modifiers::Control);
    if cfg!(target_os = "macos") && held.contains(Modifiers::Super) {
        held_here |= Modifiers::Control;
    }
    let fits = |binding: &&Binding| binding.keys.contains(&(key, held_here));
    BINDINGS.iter().find(fits).map(|binding| binding.action)
}

/// Whether a key does the same while a text is being typed.
pub fn works_while_typing(key: Key) -> bool {
    (Key::F1..=Key::F12).contains(&key)
}

/// The keys that are down.
#[derive(Debug, Default)]
pub(in crate::viewer) struct Down {
    keys: HashSet<Key>,
    /// Those among them that walk and turn while they are down.
    steering: HashSet<Key>,
}

impl Down {
    /// A key goes down, or is reported again while it is down; true the first time.
    ///
    /// A key of a combination does not steer: Ctrl+S saves, S alone walks.
    pub(in crate::viewer) fn press(&mut self, key: Key, modifiers: Modifiers) -> bool {
        let first = self.keys.insert(key);
        if first && action(key, modifiers).is_none() && !modifiers.intersects(Modifiers::Control | Modifiers::Super) {
            self.steering.insert(key);
        }
        first
    }

    pub(in crate::viewer) fn release(&mut self, key: Key) {
        self.keys.remove(&key);
        self.steering.remove(&key);
    }

    /// 1 while the key steers, else 0.
    pub(in crate::viewer) fn steers(&self, key: Key) -> f32 {
        f32::from(u8::from(self.steering.contains(&key)))
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
        assert_eq!(action(Key::Space, NONE), Some(Action::Run));
        assert_eq!(action(Key::Key1, SHIFT), Some(Action::Face(Side::Front)));
        assert_eq!(action(Key::S, CTRL), Some(Action::Save));
        assert_eq!(action(Key::S, NONE), None, "walks");
        assert_eq!(action(Key::F12, SHIFT | Modifiers::Alt), Some(Action::Screenshot { transparent: true }));
    }

    #[test]
    fn a_key_of_a_combination_does_not_steer() {
        let mut down = Down::default();
        assert!(down.press(Key::S, CTRL) && !down.press(Key::S, CTRL));
        assert_eq!(down.steers(Key::S), 0.0, "it saves");
        // Control is released before the letter, which is reported again.
        assert!(!down.press(Key::S, NONE));
        assert_eq!(down.steers(Key::S), 0.0);
        down.release(Key::S);
        assert!(down.press(Key::S, NONE));
        assert_eq!(down.steers(Key::S), 1.0, "it walks");
        down.release(Key::S);
        assert_eq!(down.steers(Key::S), 0.0);
    }

    #[test]
    fn the_readme_tells_every_key() {
        let readme = include_str!("../../../docs/keys.md");
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
