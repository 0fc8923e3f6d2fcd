//! Right side of the pictures of a film: a map in the colours of `--map`, or another scene at the
//! same time.

use std::path::Path;

use image::imageops::{FilterType, resize};
use image::{GenericImage, RgbImage};
use lavoxel::compare::differences;
use lavoxel::engine::tiled::Tiled;
use lavoxel::export::Provenance;
use lavoxel::export::maps::{MapQuantity, Maps};
use lavoxel::map::Site;
use lavoxel::render::{CameraSpec, Image, PrintEnd};
use lavoxel::scene::{BuiltScene, Scene};
use lavoxel::simulation::Simulation;

use crate::cli::process::stop;
use crate::cli::show::painter::{Painter, Traced, View};
use crate::cli::{file_or_shipped, no_file};

/// Smallest ratio between the width of the whole picture and the width of the map at its right: the
/// map covers at most half of the picture.
const WIDEST: u32 = 2;

/// Parsed value of `--beside`: the content of the right side of each picture.
pub(in crate::cli) enum Asked {
    /// Map of this quantity; second field: value up to which the legend reaches at least, in the
    /// unit of the quantity.
    Map(MapQuantity, f64),
    /// Another scene, drawn at the same time as the scene of the film.
    Scene(Box<Scene>),
}

impl Asked {
    /// Parses `text` as a map (`NAME` or `NAME=NUMBER`), or otherwise as the path or name of a
    /// scene. `scene`: scene of the film, which determines the available maps.
    pub(in crate::cli) fn read(text: &str, scene: &Scene) -> anyhow::Result<Self> {
        let quantities = scene.column_quantities();
        let (name, upper) = match text.split_once('=') {
            Some((name, number)) => (name, number.trim().parse().unwrap_or(f64::NAN)),
            None => (text, 0.0),
        };
        let known = MapQuantity::find(name, &quantities, 0.0);
        // Map names take precedence over scenes of the same name.
        if known.is_err() && !text.contains('=') {
            let path = Path::new(text);
            match file_or_shipped(path) {
                Ok(path) => return Ok(Self::Scene(Box::new(Scene::open(&path)?))),
                Err(_) if path.extension().is_some() => {
                    return Err(no_file(path).context(format!("--beside {text}")));
                }
                Err(_) => {}
            }
        }
        anyhow::ensure!(
            upper >= 0.0 && upper.is_finite(),
            "--beside {text}: must be a map, or a map and a number as in ash=200"
        );
        let Ok(subject) = known else {
            let names = MapQuantity::names(&quantities);
            anyhow::bail!(
                "--beside {text}: there is no map {name:?} and no such scene; maps are {names}"
            );
        };
        let past = subject.quantity().measure().needs_records();
        anyhow::ensure!(
            !past,
            "--beside {text}: a film keeps no records of the past, which this map needs"
        );
        Ok(Self::Map(subject, upper))
    }

    /// Returns the scene to be drawn at the right; `None` for a map.
    pub(in crate::cli) fn scene(&self) -> Option<&Scene> {
        match self {
            Self::Map(..) => None,
            Self::Scene(scene) => Some(scene),
        }
    }
}

/// Renderer of the right side of each picture: a map of the film's own scene, or another
/// simulation.
pub(in crate::cli) enum Beside {
    Map(Map),
    Run(Box<Run>),
}

impl Beside {
    /// Creates the renderer of the right side for a film of `scene` at `site`. `view`: kind of view
    /// in which another scene is drawn.
    pub(in crate::cli) fn new(
        asked: Asked,
        scene: &Scene,
        site: &Site,
        view: View,
    ) -> anyhow::Result<Self> {
        match asked {
            Asked::Map(subject, upper) => Ok(Self::Map(Map {
                subject,
                upper,
                scene: scene.spec.name.clone(),
                site: site.clone(),
            })),
            Asked::Scene(scene) => Ok(Self::Run(Box::new(Run::new(&scene, view)?))),
        }
    }

    /// Sets the end of the tracing of pictures of another scene in the style print. Does nothing
    /// for a map.
    pub(in crate::cli) fn print_until(&mut self, end: PrintEnd) {
        if let Self::Run(run) = self {
            run.painter.print_until(end, false);
        }
    }

    /// Fixes the bounds that the cameras of another scene frame to the bounds before its first
    /// step; see [`Painter::keep_framing`]. Does nothing for a map.
    pub(in crate::cli) fn keep_framing(&mut self) -> anyhow::Result<()> {
        if let Self::Run(run) = self {
            run.painter.keep_framing(&run.stage.simulation)?;
        }
        Ok(())
    }

    /// Removes the fixed bounds of `keep_framing`, so that the cameras of another scene frame its
    /// present bounds. Does nothing for a map.
    pub(in crate::cli) fn free_framing(&mut self) {
        if let Self::Run(run) = self {
            run.painter.free_framing();
        }
    }

    /// Draws the whole picture of the present state in `size` pixels; `painter` draws the left
    /// side, and `watch` is called after each pass of tracing. `None` if the program was stopped
    /// and the grace period is over.
    pub(in crate::cli) fn paint(
        &mut self,
        simulation: &Simulation,
        size @ [width, height]: [u32; 2],
        (camera, painter): (&CameraSpec, &mut Painter),
        watch: &mut dyn FnMut(Traced),
    ) -> anyhow::Result<Option<Image>> {
        let right = match self {
            Self::Map(map) => Some(map.picture(simulation, size)),
            Self::Run(run) => {
                run.catch_up(simulation)?;
                let size = [(width / 2).max(1), height];
                run.painter
                    .paint(&run.stage.simulation, size, camera, watch)?
                    .map(RgbImage::from)
            }
        };
        let Some(right) = right else { return Ok(None) };
        let (across, down) = right.dimensions();
        let size = [(width - across.min(width)).max(1), height];
        let Some(left) = painter.paint(simulation, size, camera, watch)? else {
            return Ok(None);
        };
        let left = RgbImage::from(left);
        let mut whole = RgbImage::from_pixel(left.width() + across, height, *right.get_pixel(0, 0));
        for (part, x, y) in [(&left, 0, 0), (&right, left.width(), (height - down) / 2)] {
            whole.copy_from(part, x, y)?;
        }
        let (width, height) = whole.dimensions();
        Ok(Some(Image {
            width: width as usize,
            height: height as usize,
            rgb: whole.into_raw(),
        }))
    }

    /// Returns the differences between `simulation` and the other scene as text lines, one per
    /// quantity; empty for a map.
    pub(in crate::cli) fn lines(&self, simulation: &Simulation) -> Vec<String> {
        let Self::Run(run) = self else {
            return Vec::new();
        };
        let (name, other) = (&run.name, &run.stage.simulation);
        let states = [simulation.world().view(), other.world().view()];
        let Some(differences) = differences(states) else {
            return vec![format!(
                "{name} has another number of cells: no differences in numbers"
            )];
        };
        let head = format!(
            "beside {name} after {} and {} steps",
            simulation.steps(),
            other.steps()
        );
        if differences
            .iter()
            .all(|difference| difference.largest == 0.0)
        {
            return vec![format!("{head}: the same in every cell")];
        }
        let lines = differences
            .iter()
            .map(|difference| format!("  {}", difference.line()));
        std::iter::once(head + ":").chain(lines).collect()
    }
}

/// Map of a quantity of the film's own scene, drawn at the right side of each picture.
pub(in crate::cli) struct Map {
    subject: MapQuantity,
    /// Lower bound of the upper end of the legend, in the unit of the quantity.
    upper: f64,
    scene: String,
    site: Site,
}

impl Map {
    /// Draws the map of the present state, scaled to fit next to a picture of `width` × `height`
    /// pixels.
    fn picture(&self, simulation: &Simulation, [width, height]: [u32; 2]) -> RgbImage {
        let maps = Maps {
            world: simulation.world(),
            records: &[],
            site: &self.site,
        };
        let (seed, step, time_s) = (simulation.seed(), simulation.steps(), simulation.time_s());
        let about = Provenance {
            scene: self.scene.clone(),
            seed,
            step,
            time_s,
            ..Provenance::default()
        };
        let map = RgbImage::from(maps.picture(&self.subject, &about, self.upper));
        let scale = (f64::from(height) / f64::from(map.height()))
            .min(f64::from(width / WIDEST) / f64::from(map.width()));
        let [across, down] =
            [map.width(), map.height()].map(|n| ((f64::from(n) * scale) as u32).max(1));
        resize(&map, across, down, FilterType::CatmullRom)
    }
}

/// Another scene, which is simulated together with that of the film and drawn at the right side of
/// each picture.
pub(in crate::cli) struct Run {
    name: String,
    stage: BuiltScene,
    painter: Painter,
}

impl Run {
    fn new(scene: &Scene, view: View) -> anyhow::Result<Self> {
        let mut stage = scene.build(Box::new(Tiled::default()))?;
        stage.simulation.stop_by(stop::flag());
        let painter = Painter::new(scene, &stage, view)?;
        Ok(Self {
            name: scene.spec.name.clone(),
            stage,
            painter,
        })
    }

    /// Advances the other scene to the time of the film's simulation `to`: to the same simulated
    /// seconds if both use the physical model, otherwise to the same step number.
    fn catch_up(&mut self, to: &Simulation) -> anyhow::Result<()> {
        let own = &mut self.stage.simulation;
        while own.is_behind(to) && !stop::asked() {
            own.step();
            own.world().check_memory()?;
        }
        Ok(())
    }
}
