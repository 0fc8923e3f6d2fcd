//! Opening of a file by its type: a scene file, or a heightmap or a world of blocks around which a
//! scene is built.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;

use super::{
    BuiltScene, LavaSpec, Model, RatesFiles, Scene, SceneError, Seconds, StartSpec, VentPlace,
    VentTable,
};
use lavoxel_automaton::rules::Walls;
use lavoxel_automaton::world::Edit;
use lavoxel_base::validate::Invalid;
use lavoxel_files::archive::is_session;
use lavoxel_files::input::ending;
use lavoxel_geo::blocks;
use lavoxel_geo::terrain::TerrainSpec;
use lavoxel_geo::terrain::formats::{is_heightmap, known_endings};
use lavoxel_sim::simulation::EventSpec;
use lavoxel_sim::source::{VentFlow, VentSpec, check_vents};

/// Values that replace keys of a scene: flags of a command line, or a table with the names of these
/// keys.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// Number of cells along x, y and z; `None` keeps the size in the scene.
    pub size: Option<[usize; 3]>,
    /// Cell width in metres; `None` keeps the width in the scene.
    pub cell_size_m: Option<f64>,
    /// Cell height in metres, in the physical model; `None` keeps the height in the scene.
    pub cell_height_m: Option<f64>,
    /// Terrain keys that replace those of the scene; a key that is not set keeps its value in the
    /// scene. Kind and file of the terrain are ignored.
    pub terrain: TerrainSpec,
    /// Vents that replace all vents of the scene; an empty list keeps the vents of the scene.
    pub vents: Vec<VentOverride>,
    /// GeoJSON files with barriers that are added to the barriers of the scene.
    pub barriers: Vec<PathBuf>,
    /// Surveys of the ground (`.tif`, `.asc`), in the physical model: pairs of (time since the
    /// start at which the ground gets the heights of the survey, path of the file). Paths are
    /// relative to the working folder.
    pub surveys: Vec<(Seconds, PathBuf)>,
    /// Boundary condition for lava at the sides of the simulation box; `None` keeps the condition
    /// in the scene.
    pub walls: Option<Walls>,
    /// Lava of the physical model; `None` keeps the lava of the scene. For a heightmap without
    /// scene, a lava selects the physical model.
    pub lava: Option<LavaSpec>,
    /// Initial lava before the first step; `None` keeps the initial lava of the scene. Paths are
    /// relative to the working folder.
    pub start: Option<StartSpec>,
    /// Simulated time until the end of the run, in the physical model; `None` keeps the duration in
    /// the scene.
    pub duration: Option<Seconds>,
    /// Time step for a heightmap without scene, in the physical model; `None` takes a default.
    pub time_step: Option<Seconds>,
    /// Choice of the default time step for a heightmap without scene: true for long steps, which
    /// suffice for the result of a whole eruption; false for short steps, which suit pictures.
    /// Ignored if `time_step` is given.
    pub long_steps: bool,
    /// Table of what blocks become, for a file of blocks without scene; `None` takes the built-in
    /// table. The path is relative to the working folder.
    pub blocks: Option<PathBuf>,
    /// Refinement factor, applied after all other overrides (see `Scene::make_finer`); `None`: no
    /// refinement.
    pub finer: Option<usize>,
}

/// Vent that replaces the vents of the scene. Written as text: `64,64` (cells), `1200m,800m`,
/// `map:499800,4178300` or `summit`; a fissure as two places, `1200m,800m..1500m,900m`; each
/// optionally followed by a rate: `@2.5` (full cells per step), `@15m3/s`, or a table of rates,
/// `@rates.csv`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct VentOverride {
    /// Centre of the vent, or first point of a fissure.
    pub place: VentPlace,
    /// Last point of a fissure, in the units of `place`; `None` for a round vent.
    pub to: Option<[f64; 2]>,
    /// Rate in full cells per step, in the cellular automaton (classic model); `None` takes the
    /// default rate, which for a heightmap without scene depends on the size of the simulation box.
    pub rate: Option<f64>,
    /// Rate in m³/s, in the physical model; `None` takes
    /// [`USUAL_RATE_M3_S`](lavoxel_sim::source::USUAL_RATE_M3_S).
    pub rate_m3_s: Option<f64>,
    /// File with a table of rates (`.csv`), which replaces `rate` and `rate_m3_s`. The path is
    /// relative to the working folder.
    pub rates: Option<PathBuf>,
}

impl TryFrom<String> for VentOverride {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for VentOverride {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "\"{text}\" is not a vent such as 64,64 (cells), 1200m,800m (metres), map:499800,4178300 or summit, or a fissure such \
                 as 1200m,800m..1500m,900m; with @RATE (full cells a step), @RATEm3/s, @RATES.csv or none of them"
            )
        };
        let number = |part: &str| part.trim().parse::<f64>().map_err(|_| wrong());
        let (place, rate) = text
            .split_once('@')
            .map_or((text, None), |(place, rate)| (place, Some(rate)));
        let is_table = |rate: &&str| rate.trim().to_lowercase().ends_with(".csv");
        let rates = rate.filter(is_table).map(|file| PathBuf::from(file.trim()));
        let rate = rate.filter(|rate| !is_table(rate));
        let of_unit = |unit| rate.and_then(|rate: &str| rate.trim().strip_suffix(unit));
        let (rate, rate_m3_s) = match of_unit("m3/s").or_else(|| of_unit("m³/s")) {
            Some(rate) => (None, Some(number(rate)?)),
            None => (rate.map(number).transpose()?, None),
        };
        if place.trim() == "summit" {
            return Ok(Self {
                place: VentPlace::Summit,
                to: None,
                rate,
                rate_m3_s,
                rates,
            });
        }
        let on_map = place.trim().strip_prefix("map:");
        let (first, last) = place
            .split_once("..")
            .map_or((place, None), |(first, last)| (first, Some(last)));
        // Parses two numbers; the flag is true if both are in metres.
        let pair = |text: &str| -> Result<([f64; 2], bool), String> {
            let text = text.trim();
            let (east, south) = text
                .strip_prefix("map:")
                .unwrap_or(text)
                .split_once(',')
                .ok_or_else(wrong)?;
            match (
                east.trim().strip_suffix('m'),
                south.trim().strip_suffix('m'),
            ) {
                (Some(east), Some(south)) => Ok(([number(east)?, number(south)?], true)),
                _ => Ok(([number(east)?, number(south)?], false)),
            }
        };
        let ([a, b], in_metres) = pair(first)?;
        let place = match (on_map, in_metres) {
            (Some(_), true) => return Err(wrong()),
            (Some(_), false) => VentPlace::Map { map_x: a, map_y: b },
            (None, true) => VentPlace::Metres { x_m: a, z_m: b },
            (None, false) => VentPlace::Cells { x: a, z: b },
        };
        let to = last.map(pair).transpose()?;
        if to.is_some_and(|(_, metres)| metres != in_metres) {
            return Err(wrong());
        }
        Ok(Self {
            place,
            to: to.map(|(point, _)| point),
            rate,
            rate_m3_s,
            rates,
        })
    }
}

impl Scene {
    /// Converts `vent` to a vent that opens at the current step of `stage`, on the current ground.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] if the position is outside of the simulation box, the rate belongs
    /// to the other model, or the table of rates cannot be read.
    pub fn vent_now(
        &self,
        vent: &VentOverride,
        stage: &BuiltScene,
    ) -> Result<VentSpec, SceneError> {
        let invalid = |invalid| self.invalid(invalid);
        vent.check("vent", self.spec.model).map_err(invalid)?;
        let mut scene = self.clone();
        let flow = (self.spec.model == Model::Flow).then(Box::default);
        scene.spec.vents = vec![vent.like(&VentTable {
            flow,
            ..VentTable::default()
        })];
        scene.read_rates().map_err(invalid)?;
        scene.spec.check_model().map_err(invalid)?;
        let grid = stage.site.grid;
        let spec = scene.spec.vents[0]
            .on("vent", &stage.surface(), grid)
            .map_err(invalid)?;
        check_vents([&spec].into_iter(), grid).map_err(invalid)?;
        // A start in the past is replaced by the present step.
        let start = spec.start.max(stage.simulation.steps());
        Ok(VentSpec { start, ..spec })
    }
}

impl Overrides {
    /// Returns the tables of the vents in `vents`; keys that a vent does not state are taken from
    /// the table `model`.
    pub(super) fn vents_like(&self, model: &VentTable) -> Vec<VentTable> {
        self.vents.iter().map(|vent| vent.like(model)).collect()
    }
}

impl VentOverride {
    /// Converts this vent to a vent table; keys that the vent does not state are taken from the
    /// table `model`.
    fn like(&self, model: &VentTable) -> VentTable {
        let flow = self
            .rate_m3_s
            .map(|rate| Box::new(VentFlow::steady(rate)))
            .or_else(|| model.flow.clone());
        // Paths become absolute, because relative paths in scenes refer to the scene's folder.
        let whole = |file: &PathBuf| std::path::absolute(file).unwrap_or_else(|_| file.clone());
        let files = |file: &PathBuf| vec![whole(file).to_string_lossy().into_owned()];
        let rates = |file| RatesFiles {
            files: files(file),
            start: None,
            shift: 0.0,
            radiant_j_m3: None,
        };
        VentTable {
            rates: self.rates.as_ref().map(rates).map(Box::new),
            place: self.place,
            to: self.to.into_iter().collect(),
            rate: self.rate.unwrap_or(model.rate),
            flow,
            ..model.clone()
        }
    }

    /// Checks that the rate of this vent has the unit of the scene's model `model`: m³/s in the
    /// physical model, full cells per step in the cellular automaton. `key`: name of the vent's
    /// table in messages.
    fn check(&self, key: &str, model: Model) -> Result<(), Invalid> {
        match (model, self.rate, self.rate_m3_s) {
            (Model::Flow, Some(rate), _) => Err(Invalid::new(
                &format!("{key}.rate"),
                rate,
                "in cubic metres a second in the physical model, such as @15m3/s",
            )),
            (Model::Classic, _, Some(rate)) => Err(Invalid::new(
                &format!("{key}.rate_m3_s"),
                rate,
                "in full cells a step in the classic model, such as @2; or pass --lava NAME with a heightmap",
            )),
            (Model::Classic, None, None) if self.rates.is_some() => {
                let (file, expected) = (
                    self.rates.as_deref().unwrap_or(Path::new("")),
                    "left out in the classic model",
                );
                Err(Invalid::new(
                    &format!("{key}.rates_files"),
                    file.display(),
                    expected,
                ))
            }
            _ => Ok(()),
        }
    }
}

impl Scene {
    /// Opens the file at `path`: reads a scene, or builds a scene around a heightmap or a world of
    /// blocks.
    ///
    /// # Errors
    /// The errors of [`Scene::load`], [`Scene::around_heightmap`] and [`Scene::around_blocks`];
    /// [`SceneError::Neither`] for a file of another type.
    pub fn open(path: &Path) -> Result<Self, SceneError> {
        if Self::is_blocks(path) {
            return Self::around_blocks(path, &Overrides::default());
        }
        if Self::is_heightmap(path) {
            return Self::around_heightmap(path, &Overrides::default());
        }
        let known_name = is_toml(path) || is_session(path) || path.extension().is_none();
        Self::load(path).map_err(|error| match error {
            SceneError::Text { .. } | SceneError::NotText { .. } if !known_name => {
                SceneError::Neither {
                    path: path.to_owned(),
                    known: format!("{}, {}", known_endings(), blocks::endings()),
                }
            }
            other => other,
        })
    }

    /// Returns true if the file at `path` is a heightmap and not a scene, judged by its extension
    /// or, if that is unknown, by its first bytes.
    pub fn is_heightmap(path: &Path) -> bool {
        !is_toml(path) && !is_session(path) && !Self::is_blocks(path) && is_heightmap(path)
    }

    /// Returns true if the file at `path` has the extension of a world of blocks.
    pub fn is_blocks(path: &Path) -> bool {
        blocks::has_known_ending(path)
    }

    /// Replaces keys of the scene by the values in `overrides` and validates the scene again.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] if a number is out of range, or a key does not apply to this kind of
    /// terrain.
    pub fn apply(&mut self, overrides: &Overrides) -> Result<(), SceneError> {
        let spec = &mut self.spec;
        spec.grid.size = overrides.size.unwrap_or(spec.grid.size);
        spec.grid.cell_size_m = overrides.cell_size_m.or(spec.grid.cell_size_m);
        if let Some(table) = &overrides.blocks {
            let expected = "left out with a scene, whose bodies say what blocks become";
            let invalid = Invalid::new("blocks", table.display(), expected);
            return Err(self.invalid(invalid));
        }
        let spec = &mut self.spec;
        spec.terrain = std::mem::take(&mut spec.terrain).overridden(&overrides.terrain);
        spec.grid.cell_height_m = overrides.cell_height_m.or(spec.grid.cell_height_m);
        if !overrides.vents.is_empty() {
            let flow = (spec.model == Model::Flow).then(Box::default);
            let model = VentTable {
                flow,
                ..VentTable::default()
            };
            spec.vents = overrides.vents_like(&model);
        }
        self.add_barriers(&overrides.barriers)?;
        if let Some(walls) = overrides.walls {
            self.set_walls(walls);
        }
        // Events are given in steps: another step length would shift their times.
        if let Some(time) = overrides.time_step {
            let expected = "left out with a scene, whose events count its own steps; change flow.step_s in its file";
            let invalid = Invalid::new("flow.step_s", time, expected);
            return Err(self.invalid(invalid));
        }
        self.put_flow(overrides)?;
        self.read_rates().map_err(|invalid| self.invalid(invalid))?;
        self.validate()?;
        self.take_defaults()
            .map_err(|invalid| self.invalid(invalid))?;
        self.make_finer(overrides.finer.unwrap_or(1))
    }

    /// Adds barrier files to the scene. The paths in `files` are relative to the working folder.
    pub(super) fn add_barriers(&mut self, files: &[PathBuf]) -> Result<(), SceneError> {
        for file in files {
            let whole = std::path::absolute(file).map_err(|cause| SceneError::Read {
                path: file.clone(),
                cause,
            })?;
            self.spec.barriers.push(super::BarrierSpec::of_file(whole));
        }
        Ok(())
    }

    /// Applies those overrides that belong to the physical model. Fails if `overrides` have such
    /// values and the scene uses the cellular automaton (classic model).
    pub(super) fn put_flow(&mut self, overrides: &Overrides) -> Result<(), SceneError> {
        let model = self.spec.model;
        for (i, vent) in overrides.vents.iter().enumerate() {
            vent.check(&format!("vent[{i}]"), model)
                .map_err(|invalid| self.invalid(invalid))?;
        }
        let Some(flow) = self.spec.flow_mut() else {
            let expected = "left out in the classic model; the physical one is that of a scene with model = \"flow\", or of a \
                            heightmap with --lava NAME";
            let lava = overrides.lava.as_ref().map(|lava| lava.preset.clone());
            let start = overrides.start.as_ref().map(|_| "a table".to_owned());
            let survey = overrides.surveys.first().map(|(time, _)| time.to_string());
            let given = [
                ("flow.lava", lava),
                (
                    "flow.duration",
                    overrides.duration.map(|time| time.to_string()),
                ),
                ("flow.start", start),
                (
                    "flow.step_s",
                    overrides.time_step.map(|time| time.to_string()),
                ),
                ("survey", survey),
            ];
            return match given
                .into_iter()
                .find_map(|(key, value)| Some((key, value?)))
            {
                Some((key, value)) => Err(self.invalid(Invalid::new(key, value, expected))),
                None => Ok(()),
            };
        };
        if let Some(lava) = &overrides.lava {
            flow.lava = lava.clone();
        }
        flow.duration = overrides.duration.or(flow.duration);
        if let Some(start) = &overrides.start {
            flow.start = Some(Box::new(start.with_whole_names()));
        }
        let steps: Vec<u64> = overrides
            .surveys
            .iter()
            .map(|(time, _)| flow.steps_in(*time))
            .collect();
        for (at, (_, file)) in steps.into_iter().zip(&overrides.surveys) {
            let whole = std::path::absolute(file).map_err(|cause| SceneError::Read {
                path: file.clone(),
                cause,
            })?;
            self.spec.events.push(EventSpec {
                at,
                put: Some(Edit::survey(whole)),
                ..EventSpec::default()
            });
        }
        if overrides.lava.is_some() {
            // The display materials of the previous lava that melts are removed.
            self.spec.materials.clear();
        }
        self.spec.take_duration();
        self.spec.take_melting();
        Ok(())
    }
}

fn is_toml(path: &Path) -> bool {
    ending(path) == "toml"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vents_are_read_in_all_ways() {
        let read = |text: &str| {
            text.parse::<VentOverride>()
                .map(|vent| (vent.place, vent.rate))
        };
        assert_eq!(
            read("64,32.5"),
            Ok((VentPlace::Cells { x: 64.0, z: 32.5 }, None))
        );
        assert_eq!(
            read("1200m, 800m@2"),
            Ok((
                VentPlace::Metres {
                    x_m: 1200.0,
                    z_m: 800.0
                },
                Some(2.0)
            ))
        );
        assert_eq!(
            read("map:-121.5,46.2@0.5"),
            Ok((
                VentPlace::Map {
                    map_x: -121.5,
                    map_y: 46.2
                },
                Some(0.5)
            ))
        );
        assert_eq!(read("summit@3"), Ok((VentPlace::Summit, Some(3.0))));
        let flow = |text: &str| {
            text.parse::<VentOverride>()
                .map(|vent| (vent.rate, vent.rate_m3_s))
        };
        assert_eq!(flow("map:1,2@15m3/s"), Ok((None, Some(15.0))));
        assert_eq!(
            [flow("summit@0.5 m³/s"), flow("summit@2")],
            [Ok((None, Some(0.5))), Ok((Some(2.0), None))]
        );
        assert!(flow("summit@2m").is_err());
        let to = |text: &str| {
            text.parse::<VentOverride>()
                .map(|vent| (vent.place, vent.to))
        };
        assert_eq!(
            to("1,2..3,4@2"),
            Ok((VentPlace::Cells { x: 1.0, z: 2.0 }, Some([3.0, 4.0])))
        );
        assert_eq!(
            to("1m,2m .. 3m,4m"),
            Ok((VentPlace::Metres { x_m: 1.0, z_m: 2.0 }, Some([3.0, 4.0])))
        );
        assert_eq!(to("map:1,-2..map:3,4"), to("map:1,-2..3,4"));
        for wrong in [
            "",
            "64",
            "64,",
            "64m,32",
            "64,32m",
            "1,2..",
            "1,2..3m,4m",
            "map:1",
            "map:1m,2m",
            "1,2,3",
            "1,2@",
            "1,2@x",
            "submit",
        ] {
            assert!(
                read(wrong).is_err_and(|message| message.contains("is not a vent")),
                "{wrong}"
            );
        }
    }
}
