//! Path of an observation file with an optional time, as stated on the command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use lavoxel_scene::scene::{Seconds, unix_seconds};

/// Path of an observation file, with the time of the observation if stated; as text
/// `day3.geojson@3d` or `day3.geojson`.
#[derive(Clone, Debug, PartialEq)]
pub struct DatedFile {
    /// Path of the observation file.
    pub path: PathBuf,
    /// Time of the observation in seconds since the start of the eruption; `None` if not stated.
    pub at: Option<Seconds>,
}

impl DatedFile {
    /// Parses a path with an optional time since the start or date, such as `day3.geojson@3d` or
    /// `day3.geojson@2026-03-04T12:00`. `began`: start of the eruption in seconds since 1970-01-01
    /// UTC, which dates need.
    ///
    /// # Errors
    /// Returns a sentence about a time that is not after the start, and about a date without
    /// `began`.
    pub fn parse(text: &str, began: Option<f64>) -> Result<Self, String> {
        let file = |path: &str, at| Self {
            path: PathBuf::from(path),
            at,
        };
        let Some((path, at)) = text.rsplit_once('@') else {
            return Ok(file(text, None));
        };
        let since =
            match (at.parse::<Seconds>(), unix_seconds(at)) {
                (Ok(Seconds(since)), _) => since,
                (_, Some(date)) => date - began.ok_or(
                    "a date needs the start of the eruption; give the time since then, such as @3d",
                )?,
                _ => return Ok(file(text, None)),
            };
        if since <= 0.0 {
            return Err("the time must be after the start of the eruption".to_owned());
        }
        Ok(file(path, Some(Seconds(since))))
    }
}

impl FromStr for DatedFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text, None)
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
        let began = unix_seconds("2026-03-01");
        let dated = |text: &str| DatedFile::parse(text, began);
        assert_eq!(
            dated("x.tif@2026-03-04T12:00").expect("right").at,
            Some(Seconds(302_400.0))
        );
        assert!(dated("x.tif@2026-02-28").is_err() && read("x.tif@2026-03-04").is_err());
    }
}
