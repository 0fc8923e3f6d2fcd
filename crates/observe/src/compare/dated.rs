//! Path of an observation file with an optional time, as stated on the command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use lavoxel_scene::scene::Seconds;

/// Path of an observation file, with the time of the observation if stated; as text
/// `day3.geojson@3d` or `day3.geojson`.
#[derive(Clone, Debug, PartialEq)]
pub struct DatedFile {
    /// Path of the observation file.
    pub path: PathBuf,
    /// Time of the observation in seconds since the start of the eruption; `None` if not stated.
    pub at: Option<Seconds>,
}

impl FromStr for DatedFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let timed = text
            .rsplit_once('@')
            .and_then(|(path, at)| Some((path, at.parse::<Seconds>().ok()?)));
        match timed {
            Some((_, Seconds(at))) if at <= 0.0 => Err("the time must be above 0".to_owned()),
            Some((path, at)) => Ok(Self {
                path: PathBuf::from(path),
                at: Some(at),
            }),
            None => Ok(Self {
                path: PathBuf::from(text),
                at: None,
            }),
        }
    }
}

impl fmt::Display for DatedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.at.map_or(Ok(()), |at| write!(f, "@{at}"))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn files_have_times() {
        let read = |text: &str| text.parse::<DatedFile>();
        let timed = read("a@b/day3.geojson@3d").expect("right");
        assert_eq!(
            (timed.path.as_path(), timed.at),
            (Path::new("a@b/day3.geojson"), Some(Seconds(259_200.0)))
        );
        assert_eq!(timed.to_string(), "a@b/day3.geojson@3 d");
        assert_eq!(read("a@b/day3.geojson").expect("right").at, None);
        assert!(read("x.tif@0").is_err());
    }
}
