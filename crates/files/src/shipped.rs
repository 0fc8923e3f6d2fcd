//! Scenes and their input files embedded in the program, so that `lavoxel view island` works in any
//! folder.
//!
//! Embedded files have paths in the virtual folder [`FOLDER`]. `bytes` is consulted before a file
//! is opened on disk; relative paths in an embedded scene stay in the virtual folder.

use std::path::{Path, PathBuf};

/// Name of the virtual folder of the files that are embedded in the program.
pub const FOLDER: &str = "shipped:";

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../../terrains/", $name)))),*]
    };
}

/// Embedded files as pairs (file name, content), in alphabetical order.
const FILES: &[(&str, &[u8])] = shipped![
    "ash_fall.toml",
    "basalt.toml",
    "bowl.toml",
    "branching.toml",
    "bridge.obj",
    "bridge.toml",
    "channel.toml",
    "chocolate.toml",
    "coast.toml",
    "cycle.toml",
    "cycle_2d.toml",
    "dam.toml",
    "dunes.toml",
    "eruption.toml",
    "float.toml",
    "forest.toml",
    "hazard.toml",
    "hazard_vents.geojson",
    "ice.toml",
    "inks.toml",
    "island.toml",
    "lake.toml",
    "liquids.toml",
    "maunga_whau.asc",
    "maunga_whau.prj",
    "maunga_whau.toml",
    "metal.toml",
    "mould.toml",
    "plume.toml",
    "roof.obj",
    "sand_2d.toml",
    "sheet_places.geojson",
    "slope.toml",
    "smoke2d.toml",
    "tree.obj",
    "tube.toml",
    "tutorial_rates.csv",
    "u_tube.toml",
    "valley.asc",
    "vessels.toml",
    "village.toml",
    "volcano.toml",
    "wax.toml",
];

/// Scene that is embedded in the program: its name and its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Name of the scene: its file name without the extension.
    pub name: &'static str,
    /// Content of the embedded scene file (TOML).
    pub text: &'static str,
}

impl Shipped {
    /// Returns a short description: the first clause of the comment at the top of the scene file.
    pub fn about(&self) -> String {
        let comment = self
            .text
            .lines()
            .map_while(|line| line.strip_prefix('#'))
            .map(str::trim);
        let words = comment
            .take_while(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        let end = [". ", ": "]
            .into_iter()
            .filter_map(|end| words.find(end))
            .min()
            .unwrap_or(words.len());
        // Titles of books are in italics.
        words[..end].trim_end_matches('.').replace('*', "")
    }

    /// Returns the virtual path by which the embedded scene can be opened.
    pub fn path(&self) -> PathBuf {
        Path::new(FOLDER).join(format!("{}.toml", self.name))
    }
}

/// Iterates over all embedded scenes in alphabetical order.
pub fn scenes() -> impl Iterator<Item = Shipped> {
    FILES.iter().filter_map(|(file, bytes)| {
        let name = file.strip_suffix(".toml")?;
        Some(Shipped {
            name,
            text: std::str::from_utf8(bytes).ok()?,
        })
    })
}

/// Returns the content of the embedded file at the virtual path `path`; `None` if no embedded file
/// has this path.
pub(crate) fn bytes(path: &Path) -> Option<&'static [u8]> {
    let name = inside(path)?;
    FILES
        .iter()
        .find(|(file, _)| name == Path::new(file))
        .map(|(_, bytes)| *bytes)
}

/// Returns the part of `path` after the component `FOLDER`; `None` if `path` has no such component.
/// Folders before `FOLDER` are ignored, because a scene saved elsewhere may have a folder
/// prepended.
pub fn inside(path: &Path) -> Option<&Path> {
    let mut parts = path.components();
    parts.find(|part| part.as_os_str() == FOLDER)?;
    Some(parts.as_path())
}

/// Returns the virtual path of the embedded file that the user means by `typed`: a scene with or
/// without extension, or a heightmap. `None` if a file on disk or no embedded file has this name.
pub fn named(typed: &Path) -> Option<PathBuf> {
    if typed.components().count() != 1 || typed.exists() {
        return None;
    }
    let found = [typed.to_owned(), typed.with_extension("toml")]
        .into_iter()
        .map(|name| Path::new(FOLDER).join(name));
    found.into_iter().find(|path| bytes(path).is_some())
}

/// Returns the message that the file `path` is missing. Suggests the file with the most similar
/// name in the same folder or among the embedded scenes.
pub fn no_file(path: &Path) -> String {
    let wanted = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let names = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .take(1000)
        .flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let in_folder = names.map(|name| {
        (
            strsim::jaro_winkler(&name, &wanted),
            path.with_file_name(name),
        )
    });
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let shipped = scenes().map(|scene| {
        (
            strsim::jaro_winkler(scene.name, &stem),
            PathBuf::from(scene.name),
        )
    });
    let near = in_folder
        .chain(shipped)
        .filter(|(likeness, _)| *likeness > 0.85);
    let hint = match near.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, name)) => format!("did you mean {}?", name.display()),
        None => "name a scene (.toml), a heightmap, or a shipped scene (lavoxel scene --list)"
            .to_owned(),
    };
    lavoxel_base::validate::escape_for_terminal(&format!(
        "cannot read {}: no such file; {hint}",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_of_the_folder_are_inside() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../terrains");
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .expect("the folder of terrains")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("a name")
            })
            .filter(|name| name != "README.md")
            .collect();
        names.sort();
        assert_eq!(
            FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            names
        );
    }

    #[test]
    fn names_need_no_ending_and_files_come_first() {
        assert_eq!(
            named(Path::new("island")),
            Some(PathBuf::from("shipped:/island.toml"))
        );
        assert_eq!(
            named(Path::new("maunga_whau.asc")),
            Some(PathBuf::from("shipped:/maunga_whau.asc"))
        );
        for nothing in [
            "vulcano",
            "terrains/island.toml",
            "Cargo.toml",
            "shipped:",
            "",
        ] {
            assert_eq!(named(Path::new(nothing)), None, "{nothing}");
        }
    }
}
