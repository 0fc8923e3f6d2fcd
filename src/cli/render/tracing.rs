//! Flags of `lavoxel render` for traced pictures (style print): their end, and the file of their
//! layers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use lavoxel::input::ending;
use lavoxel::memory::MemoryEstimate;
use lavoxel::output::{Existing, check_free};
use lavoxel::render::{self, PrintEnd, Style};
use lavoxel::scene::{Scene, Seconds};

/// Flags of traced pictures.
#[derive(Args, Debug, Default)]
pub(super) struct TracingArgs {
    /// Trace N samples of light a pixel in the style print [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), conflicts_with = "slice")]
    samples: Option<u32>,

    /// Stop tracing a picture of the style print as soon as its noise is at most P percent, such as
    /// 2%
    ///
    /// Noise is the mean standard error of the pixels relative to the mean light of the picture.
    #[arg(long, value_name = "P%", value_parser = percent, conflicts_with = "slice")]
    noise: Option<f64>,

    /// Stop tracing a picture of the style print after the time T: 90s, 10min, 1h
    #[arg(long, value_name = "T", value_parser = seconds, conflicts_with = "slice")]
    time: Option<f64>,

    /// Blur what is out of focus as a lens of the diameter X does, in distances from camera to
    /// target, such as 0.05; 0 for none
    #[arg(long, value_name = "X", conflicts_with = "slice")]
    pub(super) aperture: Option<f32>,

    /// Set the distance in focus to X distances from camera to target
    #[arg(long, value_name = "X", conflicts_with = "slice")]
    pub(super) focus: Option<f32>,

    /// Write the layers of the traced picture of the last step to FILE.exr: light with and without
    /// noise, emission, albedo, normal, depth and number of samples
    ///
    /// Channels of the OpenEXR file are R, G, B (linear light with its noise), smoothed.R …,
    /// emission.R …, albedo.R …, normal.X …, Z (metres from the camera, infinite in the sky) and
    /// samples.
    #[arg(long, value_name = "FILE.exr", requires = "picture", conflicts_with_all = ["slice", "animation", "frames", "beside"])]
    exr: Option<PathBuf>,
}

/// Parses a share in percent such as `2%`, and returns it as a fraction. Fails with a message for
/// other text.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim();
    let number = number.strip_suffix('%').unwrap_or(number).trim_end();
    let percent = number.parse::<f64>().ok();
    percent
        .filter(|percent| *percent > 0.0 && *percent <= 100.0)
        .map(|percent| percent / 100.0)
        .ok_or_else(|| format!("\"{text}\" is not a share such as 2%"))
}

/// Parses a time such as `60s` or `10min`, and returns it in seconds. Fails with a message for
/// other text, and for times of 0 and below or above 1e6 s.
fn seconds(text: &str) -> Result<f64, String> {
    let time = text.parse::<Seconds>().ok().map(|Seconds(time)| time);
    time.filter(|time| *time > 0.0 && *time <= 1e6)
        .ok_or_else(|| format!("\"{text}\" is not a time such as 60s or 10min"))
}

impl TracingArgs {
    /// Checks that the flags belong to the style `style` of the scene.
    pub(super) fn check(&self, style: Style) -> anyhow::Result<()> {
        let flags = [
            ("--samples", self.samples.is_some()),
            ("--noise", self.noise.is_some()),
            ("--time", self.time.is_some()),
            ("--aperture", self.aperture.is_some()),
            ("--focus", self.focus.is_some()),
            ("--exr", self.exr.is_some()),
        ];
        let asked = flags.iter().find(|(_, is_asked)| *is_asked);
        match asked {
            Some((flag, _)) if style != Style::Print => anyhow::bail!(
                "{flag} belongs to traced pictures: add --style print, or leave it out"
            ),
            _ => Ok(()),
        }
    }

    /// Returns the end of the tracing of a picture.
    pub(super) fn end(&self) -> PrintEnd {
        let usual = PrintEnd::default();
        PrintEnd {
            samples: self.samples.unwrap_or(usual.samples),
            noise: self.noise.unwrap_or(usual.noise),
            time: self.time.map_or(usual.time, Duration::from_secs_f64),
        }
    }

    /// Returns the lines of a film's plan that determine the light of its frames.
    pub(super) fn plan_lines(&self) -> [Option<String>; 3] {
        [
            self.samples.map(|samples| format!("samples {samples}")),
            self.noise.map(|noise| format!("noise {noise}")),
            self.time.map(|time| format!("time {time}")),
        ]
    }

    /// Returns the path of the file of layers, after a check that the file may be written; `None`
    /// if no file is asked for.
    pub(super) fn checked_file(
        &self,
        existing: impl Fn(&Path) -> Existing,
    ) -> anyhow::Result<Option<PathBuf>> {
        let Some(path) = &self.exr else {
            return Ok(None);
        };
        anyhow::ensure!(
            ending(path) == "exr",
            "--exr {}: layers are written as OpenEXR; let the name end in .exr",
            path.display()
        );
        check_free(path, existing(path))?;
        Ok(Some(path.clone()))
    }

    /// Returns true if the layers of the picture are written.
    pub(super) fn has_layers(&self) -> bool {
        self.exr.is_some()
    }

    /// Estimates the memory for tracing a picture of `scene` of `size` (width, height) pixels,
    /// beside that of another style.
    pub(super) fn need(&self, scene: &Scene, size: [u32; 2]) -> MemoryEstimate {
        let Ok(grid) = scene.spec.grid.grid() else {
            return MemoryEstimate::default();
        };
        if scene.spec.look.style != Style::Print {
            return MemoryEstimate::default();
        }
        let gas = if scene.has_gas() { grid.cells() } else { 0 };
        let need = render::need_of_print(grid, size, [scene.air_cells(), gas]);
        if self.has_layers() {
            need.and(render::need_of_layers(size))
        } else {
            need
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_times_are_read_with_and_without_their_unit() {
        assert_eq!((percent("2%"), percent(" 0.5 ")), (Ok(0.02), Ok(0.005)));
        assert_eq!((seconds("60s"), seconds("1.5")), (Ok(60.0), Ok(1.5)));
        assert_eq!(seconds("1h30min"), Ok(5400.0));
        for wrong in ["", "%", "0%", "-1%", "101%", "2%%", "nan", "two"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "s", "0s", "-1", "60ss", "inf", "1e7", "13d"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
