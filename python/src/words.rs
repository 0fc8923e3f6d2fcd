//! Messages of the library in terms of Python: the library names flags of the command line, which
//! are arguments in Python.

/// Flags whose argument in Python has another name or place.
const ARGUMENTS: [(&str, &str); 20] = [
    ("cell-size", "terrain.cell_size_m"),
    ("crop", "terrain.crop"),
    ("crs", "terrain.crs"),
    ("drape", "terrain.drape"),
    ("exaggerate", "terrain.vertical_exaggeration"),
    ("fill", "terrain.fill_no_data"),
    ("force", "force=True"),
    ("from", "origin"),
    ("grid", "size"),
    ("max-memory", "lavoxel.set_memory_limit"),
    ("no-data", "terrain.no_data"),
    ("out", "folder"),
    ("raw-size", "terrain.raw_size"),
    ("raw-type", "terrain.raw_type"),
    ("smooth-dem", "terrain.smooth"),
    ("time-step", "flow.step_s"),
    ("vent", "vents"),
    ("voxel-size", "cell_size_m"),
    ("cell-height", "cell_height_m"),
    ("white", "terrain.white_m"),
];

/// Returns a message with Python arguments in place of flags.
pub(crate) fn in_python(message: &str) -> String {
    let message = message.replace("lavoxel scene --list", "lavoxel.shipped_scenes()");
    let mut text = String::with_capacity(message.len());
    let mut rest = message.as_str();
    while let Some(at) = rest.find("--") {
        let (before, flag) = (&rest[..at], &rest[at + 2..]);
        text.push_str(before);
        let end = flag
            .find(|c: char| !(c.is_ascii_lowercase() || c == '-'))
            .unwrap_or(flag.len());
        let name = flag[..end].trim_end_matches('-');
        let is_flag = name.starts_with(|c: char| c.is_ascii_lowercase());
        if !is_flag || before.ends_with(|c: char| c.is_alphanumeric() || c == '-') {
            text.push_str("--");
            rest = flag;
            continue;
        }
        rest = &flag[name.len()..];
        let Some((_, argument)) = ARGUMENTS.iter().find(|(flag, _)| *flag == name) else {
            text.push_str(&name.replace('-', "_"));
            // A flag alone in brackets is an example of the argument.
            let value = rest
                .strip_prefix(' ')
                .and_then(|rest| rest.split_once(')'))
                .map(|(value, _)| value);
            if let Some(value) =
                value.filter(|value| before.ends_with('(') && !value.contains([' ', '(']))
            {
                text.push_str(&format!("=\"{value}\""));
                rest = &rest[1 + value.len()..];
            }
            continue;
        };
        text.push_str(argument);
    }
    text + rest
}
