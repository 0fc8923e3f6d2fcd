//! Verification cases with field data. The licences of the files forbid their distribution, so they
//! are read from a folder of the user.
//!
//! | case | data | source |
//! |---|---|---|
//! | `field-mauna-ulu` | `mauna_ulu`: a lava channel of June 1974 | Robert et al. 2014 (Bull. Volcanol. 76:824); files of PyFLOWGO |
//! | `field-marcath` | `marcath`: outline of a lava field in Nevada | Younger et al. 2019 (Bull. Volcanol. 81); files of Saville et al. |

mod channel;
mod marcath;
mod mauna_ulu;
mod table;

use std::path::{Path, PathBuf};

use super::{Case, FieldRun, Reference};

/// Verification case with field data: names of its folder and of the file that identifies it, and
/// where to get the files.
struct Source {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// Accepted names of the folder that contains the files of the case.
    folders: [&'static str; 2],
    /// Name of a file by which the folder of the case is recognised if the folder has another name.
    mark: &'static str,
    /// Source from which users can obtain the files, for error messages.
    origin: &'static str,
    read: fn(&Files) -> Result<FieldRun, String>,
}

static SOURCES: [Source; 2] = [
    Source {
        name: "field-mauna-ulu",
        title: "Channel of Mauna Ulu, June 1974",
        about: "165 m³/s of the lava of Mauna Ulu in a channel of measured slope and mean width: glass temperatures, crystals \
                (Robert et al. 2014)",
        folders: ["mauna_ulu_1974", "MaunaUlu74"],
        mark: mauna_ulu::INPUT,
        origin: "the folder MaunaUlu74 of github.com/pyflowgo/pyflowgo",
        read: mauna_ulu::read,
    },
    Source {
        name: "field-marcath",
        title: "Lava field of Marcath, Nevada",
        about: "80 m³/s of 5e6 Pa s over the ground of Marcath before the eruption: outline, thickness, island (Younger et al. 2019, \
                Saville et al.)",
        folders: ["marcath", "lava-lubrication"],
        mark: marcath::GROUND,
        origin: "github.com/Jacksaville1/lava-lubrication",
        read: marcath::read,
    },
];

impl Source {
    /// Returns the folder with the files of the case: a subfolder of `path`, or `path` itself.
    /// `None` if neither contains the files.
    fn folder(&self, path: &Path) -> Option<PathBuf> {
        let inside = self
            .folders
            .map(|name| path.join(name))
            .into_iter()
            .find(|folder| folder.is_dir());
        let is_it =
            self.folders.iter().any(|name| path.ends_with(name)) || path.join(self.mark).exists();
        inside.or_else(|| is_it.then(|| path.to_owned()))
    }

    fn case(&self, folder: PathBuf) -> Result<Case, String> {
        let run = (self.read)(&Files { folder })
            .map_err(|fault| format!("{fault}; it is a file of {}", self.origin))?;
        let Self {
            name, title, about, ..
        } = *self;
        Ok(Case {
            name,
            title,
            about,
            is_quick: false,
            run: Reference::Field(run),
        })
    }
}

/// Iterates over the names of all verification cases with field data.
pub fn names() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|source| source.name)
}

/// Reads the cases from the folder `path`, which contains the folders `mauna_ulu_1974` and
/// `marcath`, contains one of these folders, or is one of these folders. Folders may also have the
/// names and the layout of their source repositories: `MaunaUlu74` with `field_data`, and
/// `lava-lubrication`.
///
/// # Errors
/// Names the first file that is missing or malformed, and the repository that has the file.
pub fn cases(path: &Path) -> Result<Vec<Case>, String> {
    if !path.is_dir() {
        return Err(format!("{}: is no folder; {}", path.display(), wanted()));
    }
    let found = SOURCES
        .iter()
        .filter_map(|source| Some((source, source.folder(path)?)));
    let cases = found
        .map(|(source, folder)| source.case(folder))
        .collect::<Result<Vec<_>, _>>()?;
    if cases.is_empty() {
        return Err(format!(
            "{}: holds no field data; {}",
            path.display(),
            wanted()
        ));
    }
    Ok(cases)
}

/// Returns a text for messages that lists the accepted folders and the sources of their files.
fn wanted() -> String {
    let folders: Vec<String> = SOURCES
        .iter()
        .map(|source| format!("{}/ ({})", source.folders[0], source.origin))
        .collect();
    format!(
        "expected a folder that holds or is {}",
        folders.join(" or ")
    )
}

/// Folder with the field data of one case.
struct Files {
    folder: PathBuf,
}

impl Files {
    /// Returns the path of the file `name`, which lies in the folder or in its subfolder
    /// `field_data`. Returns a message if there is no such file.
    fn path(&self, name: &str) -> Result<PathBuf, String> {
        let places = [
            self.folder.join(name),
            self.folder.join("field_data").join(name),
        ];
        let missing = || format!("{}: no such file", self.folder.join(name).display());
        places
            .into_iter()
            .find(|path| path.exists())
            .ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_its_name_or_its_files() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path();
        let fault = cases(root).err().expect("an empty folder");
        assert!(
            fault.contains(
                "holds no field data; expected a folder that holds or is mauna_ulu_1974/ (the"
            ),
            "{fault}"
        );
        let fault = cases(&root.join("none")).err().expect("no folder");
        assert!(fault.contains("none: is no folder"), "{fault}");
        std::fs::create_dir(root.join("marcath")).expect("a folder");
        for path in [root.to_owned(), root.join("marcath")] {
            let fault = cases(&path).err().expect("no files");
            let end = "topography.tif: no such file; it is a file of github.com/Jacksaville1/lava-lubrication";
            assert!(fault.ends_with(end), "{fault}");
        }
        std::fs::create_dir(root.join("field_data")).expect("a folder");
        std::fs::write(root.join("field_data/one.csv"), "").expect("a file");
        let files = Files {
            folder: root.to_owned(),
        };
        assert_eq!(files.path("one.csv"), Ok(root.join("field_data/one.csv")));
    }
}
