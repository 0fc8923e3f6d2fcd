//! `lavoxel render`: simulate a scene and write pictures and animations. Without a window, `lavoxel` alone is this
//! with the built-in volcano.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use lavoxel::engine::tiled::Tiled;
use lavoxel::export::maps::need_of;
use lavoxel::export::{Animation, Film, animation_formats, check_animation, create_animation, write_png};
use lavoxel::map::Site;
use lavoxel::memory::MemoryEstimate;
use lavoxel::output::{Existing, FOLDER, check_free, file_name, free_name};
use lavoxel::render::{self, Image, Plane, Section, Style};
use lavoxel::report::FlowReport;
use lavoxel::scene::{Edge, Scene, Stage};
use lavoxel::simulation::Simulation;
use lavoxel::validate::Invalid;
use lavoxel::world::Quantity;

use crate::cli::flags::count;
use crate::cli::flags::typed::Typed;
use crate::cli::process::stop;
use crate::cli::show::beside::Beside;
use crate::cli::show::painter::{Clip, Painter, View, named};
use crate::cli::show::progress::Progress;
use crate::cli::show::say;
use crate::cli::{Outcome, SceneOptions, start_threads};

/// Simulate a scene and write pictures and animations
///
/// Without --picture, --animation or --frames, a picture of the last step and a WebP animation appear in the folder
/// lavoxel-out, under names that are not taken yet. Ctrl-C completes the current frame and the files with it.
#[derive(Args, Debug, Default)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    scene: SceneOptions,

    /// Write the last step as a PNG file
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    #[arg(long, value_name = "FILE", help = format!("Write an animation, its format chosen by the ending: {}; repeatable", animation_formats()))]
    animation: Vec<PathBuf>,

    /// Write every frame into this folder as NAME_STEP.png
    #[arg(long, value_name = "FOLDER")]
    frames: Option<PathBuf>,

    /// Number of steps, instead of the scene's
    #[arg(long, value_name = "N", value_parser = count::steps, allow_negative_numbers = true)]
    steps: Option<u64>,

    /// Steps from one frame to the next, instead of the scene's
    #[arg(long, value_name = "N", value_parser = count::interval, allow_negative_numbers = true)]
    every: Option<u64>,

    /// Width and height of frames in pixels, such as 960x640
    #[arg(long, value_name = "WxH", value_parser = pixels)]
    size: Option<[u32; 2]>,

    /// Width and height of the picture of the last step
    #[arg(long, value_name = "WxH", value_parser = pixels)]
    picture_size: Option<[u32; 2]>,

    /// Frames a second
    #[arg(long, value_name = "N")]
    fps: Option<u32>,

    /// Compass direction in which the camera stands, in degrees: 0 north, 90 east
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    azimuth: Option<f32>,

    /// Height of the camera above the horizon, in degrees
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    elevation: Option<f32>,

    /// Distance of the camera, in diagonals of what is shown
    #[arg(long, value_name = "X")]
    distance: Option<f32>,

    /// Target of the camera, as shares of what is shown along x, y and z
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    target: Option<[f32; 3]>,

    /// Vertical field of view in degrees
    #[arg(long, value_name = "DEG")]
    fov: Option<f32>,

    /// Degrees that the camera goes round from the first frame to the last
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    orbit: Option<f32>,

    /// Look of the volume
    #[arg(long, value_name = "STYLE", value_parser = named::<Style>())]
    style: Option<Style>,

    /// Draw lava only between two shares of the box along an axis, such as x=0.5..1; repeatable, once for each axis
    #[arg(long, value_name = "AXIS=LOW..HIGH")]
    clip: Vec<Clip>,

    /// Show a slice instead of the volume: an axis and a cell such as z=64, metres from the north-west corner such as
    /// z=640m, an elevation such as y=735m, or a coordinate of the map such as x=map:499800
    #[arg(long, value_name = "AXIS=PLACE")]
    slice: Option<Plane>,

    /// Field of a slice: amount, energy or specific-energy (per amount) of the lava, in the physical model temperature,
    /// viscosity, velocity-east, velocity-north or set; solid (rock and materials without values), or the like of another
    /// material of the scene, such as water.amount [default: amount; in a scene without lava that of its first material, or
    /// air.ash]
    #[arg(long, value_name = "FIELD", requires = "slice")]
    field: Option<String>,

    /// Show the whole height of the box in a slice, not only that of ground and lava
    #[arg(long, requires = "slice")]
    whole: bool,

    /// Draw a map at the right of every picture, as --map of lavoxel run does, such as ash; ash=200 lets its legend reach
    /// 200 in every frame
    #[arg(long, value_name = "NAME[=NUMBER]")]
    beside: Option<String>,

    /// Replace files that are there already
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  Picture and animation of the built-in volcano in lavoxel-out:
      lavoxel render
  A turn around a real mountain as MP4:
      lavoxel render terrains/maunga_whau.toml --orbit 360 --animation maunga.mp4
  The same mountain from its heights alone, a vent 275 m east and 315 m south of a part's corner:
      lavoxel render terrains/maunga_whau.asc --crop 0,26,61,61 --vent 275m,315m@2
  Frames for another program:
      lavoxel render --steps 1000 --every 10 --size 1920x1080 --frames frames
  Look inside: hide the southern half of the lava:
      lavoxel render --steps 1500 --style maximum --clip z=0..0.48 --picture inside.png
  The crater in section, by energy:
      lavoxel render --steps 800 --slice x=62 --field energy --picture section.png";

/// Two numbers of pixels, as in `960x640`.
pub(super) fn pixels(text: &str) -> Result<[u32; 2], String> {
    let wrong = || format!("\"{text}\" is not a size such as 960x640");
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    let number = |part: &str| part.trim().parse::<u32>().map_err(|_| wrong());
    Ok([number(width)?, number(height)?])
}

/// Three numbers, as in `0.5,0.4,0.5`.
fn point(text: &str) -> Result<[f32; 3], String> {
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| format!("\"{text}\" is not a point such as 0.5,0.4,0.5"))
}

/// Runs `lavoxel` without a subcommand where there is no window.
pub(super) fn run_default() -> anyhow::Result<Outcome> {
    run(&RenderArgs::default())
}

/// Runs `lavoxel render`.
pub(super) fn run(args: &RenderArgs) -> anyhow::Result<Outcome> {
    shoot(args).map_err(|error| args.typed().name(error))
}

fn shoot(args: &RenderArgs) -> anyhow::Result<Outcome> {
    let mut scene = args.scene.load()?;
    args.put_into(&mut scene)?;
    scene.validate()?;
    let view = args.view(&scene)?;
    let beside = args.beside.as_deref().map(|text| Beside::read(text, &scene)).transpose()?;
    let outputs = Outputs::choose(args, &scene)?;
    let grid = scene.spec.grid.grid()?;
    let map = args.beside.as_ref().map(|_| need_of(Path::new("map.png"), grid));
    let need = args.need(&scene).and(map.unwrap_or_default());
    scene.check_memory(need.clone())?;
    // What pictures take comes to all that the world takes, now and after each step.
    let _held = need.held();
    start_threads(scene.spec.threads)?;
    let Stage { simulation, site } = scene.build(Box::new(Tiled::default()))?;
    let painter = Painter::new(&scene, &site, view)?;
    say::warn(scene.warning(&simulation));
    if !args.scene.quiet && !scene.choices().is_empty() {
        scene.summary(&site, &simulation).iter().for_each(|line| say::note(line));
    }
    let beside = beside.map(|map| Beside::new(map, &scene, &site));
    Shooting { scene, simulation, site, painter, beside, outputs, quiet: args.scene.quiet }.run()
}

impl RenderArgs {
    /// The flags that override keys of a scene.
    fn typed(&self) -> Typed {
        let mut typed = self.scene.source.typed();
        let sides = |size: [u32; 2]| format!("{}x{}", size[0], size[1]);
        let pixels = "pixels along each side";
        typed.add("film.size", "--size", self.size.map(sides), pixels);
        typed.add("film.picture_size", "--picture-size", self.picture_size.map(sides), pixels);
        typed.add("film.picture_size", "--size", self.size.map(sides), pixels);
        typed.add("film.fps", "--fps", self.fps, "frames a second");
        typed.add("film.orbit_deg", "--orbit", self.orbit, "degrees");
        typed.add("camera.azimuth_deg", "--azimuth", self.azimuth, "degrees");
        typed.add("camera.elevation_deg", "--elevation", self.elevation, "degrees");
        typed.add("camera.distance", "--distance", self.distance, "diagonals of what is shown");
        typed.add("camera.fov_deg", "--fov", self.fov, "degrees");
        typed.add("camera.target", "--target", self.target.map(|[x, y, z]| format!("{x},{y},{z}")), "");
        let clips: Vec<_> = self.clip.iter().map(ToString::to_string).collect();
        typed.add("look.clip", "--clip", (!clips.is_empty()).then(|| clips.join(" --clip ")), "");
        typed.add("slice.cell", "--slice", self.slice, "");
        typed
    }

    /// Writes the values of the flags into the scene, where they are checked like the rest.
    fn put_into(&self, scene: &mut Scene) -> anyhow::Result<()> {
        if let Some(steps) = self.steps {
            scene.spec.set_steps(steps);
        }
        let (film, camera) = (&mut scene.spec.film, &mut scene.spec.camera);
        film.every = self.every.unwrap_or(film.every);
        film.size = self.size.unwrap_or(film.size);
        film.picture_size = self.picture_size.or(self.size).unwrap_or(film.picture_size);
        film.fps = self.fps.unwrap_or(film.fps);
        film.orbit_deg = self.orbit.unwrap_or(film.orbit_deg);
        camera.azimuth_deg = self.azimuth.unwrap_or(camera.azimuth_deg);
        camera.elevation_deg = self.elevation.unwrap_or(camera.elevation_deg);
        camera.distance = self.distance.or(camera.distance);
        camera.fov_deg = self.fov.unwrap_or(camera.fov_deg);
        camera.target = self.target.or(camera.target);
        let look = &mut scene.spec.look;
        look.style = self.style.unwrap_or(look.style);
        for (i, clip) in self.clip.iter().enumerate() {
            let twice = self.clip[..i].iter().any(|other| other.axis == clip.axis);
            anyhow::ensure!(!twice, "--clip {}: give each axis once", ["x", "y", "z"][clip.axis]);
            look.clip[clip.axis] = clip.shares;
        }
        Ok(())
    }

    /// Memory of the largest picture.
    fn need(&self, scene: &Scene) -> MemoryEstimate {
        let film = &scene.spec.film;
        let size = [film.size, film.picture_size].into_iter().max_by_key(|[w, h]| u64::from(*w) * u64::from(*h));
        match (self.slice, scene.spec.grid.grid()) {
            (None, Ok(grid)) => {
                let media = render::need_of_media(grid, scene.spec.other_materials());
                let air = render::need_of_air(scene.air_cells());
                render::need(grid, size.unwrap_or_default()).and(media).and(air)
            }
            _ => render::need_of_picture(size.unwrap_or_default()),
        }
    }

    /// View of a scene that is drawn.
    fn view(&self, scene: &Scene) -> anyhow::Result<View> {
        let Some(plane) = self.slice else { return Ok(View::Volume) };
        let all = scene.quantities();
        let quantity = match self.field.as_ref().map(|field| Quantity::find(field, &all)) {
            None => scene.usual_quantity(),
            Some(Ok(quantity)) => quantity.clone(),
            Some(Err(e)) => anyhow::bail!("--field {0}: there is no field {0:?}; fields are {1}", e.name, e.known),
        };
        Ok(View::Slice(Section { plane, quantity, whole: self.whole }))
    }
}

/// The files to write, all of them checked before the work begins.
struct Outputs {
    picture: Option<PathBuf>,
    animations: Vec<PathBuf>,
    /// Folder of single frames, and the beginning of their names.
    frames: Option<(PathBuf, String)>,
    existing: Existing,
}

impl Outputs {
    fn choose(args: &RenderArgs, scene: &Scene) -> anyhow::Result<Self> {
        let existing = if args.force { Existing::Replace } else { Existing::Keep };
        let name = file_name(&scene.spec.name);
        let mut outputs = Self {
            picture: args.picture.clone(),
            animations: args.animation.clone(),
            frames: args.frames.clone().map(|folder| (folder, name.clone())),
            existing,
        };
        if outputs.picture.is_none() && outputs.animations.is_empty() && outputs.frames.is_none() {
            let taken = |path: &Path| ["png", "webp"].iter().any(|ending| path.with_extension(ending).exists());
            let free = free_name(Path::new(FOLDER), &name, taken);
            outputs.picture = Some(free.with_extension("png"));
            outputs.animations = vec![free.with_extension("webp")];
        }
        if let Some(picture) = &outputs.picture {
            anyhow::ensure!(
                picture.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")),
                "--picture {}: pictures are written as PNG; let the name end in .png",
                picture.display()
            );
            check_free(picture, existing)?;
        }
        for (i, animation) in outputs.animations.iter().enumerate() {
            let others = outputs.animations[..i].iter().chain(&outputs.picture);
            anyhow::ensure!(
                others.into_iter().all(|other| other != animation),
                "{}: two outputs cannot have the same name",
                animation.display()
            );
            check_animation(animation, existing)?;
        }
        let film = &scene.spec.film;
        for step in (0..=film.steps).step_by(film.every.max(1) as usize) {
            match outputs.frame_path(step) {
                Some(path) => check_free(&path, existing)?,
                None => break,
            }
        }
        Ok(outputs)
    }

    /// The file of the frame of a step.
    fn frame_path(&self, step: u64) -> Option<PathBuf> {
        self.frames.as_ref().map(|(folder, name)| folder.join(format!("{name}_{step:06}.png")))
    }
}

/// A film in the making.
struct Shooting {
    scene: Scene,
    simulation: Simulation,
    site: Site,
    painter: Painter,
    beside: Option<Beside>,
    outputs: Outputs,
    quiet: bool,
}

impl Shooting {
    fn run(mut self) -> anyhow::Result<Outcome> {
        stop::after_the_step();
        self.simulation.stop_by(stop::flag());
        self.simulation.cut_by(stop::overdue());
        let film = self.scene.spec.film.clone();
        let mut progress = Progress::new(film.steps, self.quiet);
        let mut animations = Vec::new();
        let mut frames = 0u64;
        let films = !self.outputs.animations.is_empty() || self.outputs.frames.is_some();
        let mut drawn = None;
        loop {
            // A step that was given up leaves the state of the frame before.
            if films && drawn != Some(self.simulation.steps()) && self.frame(&mut animations)? {
                frames += 1;
                drawn = Some(self.simulation.steps());
            }
            if self.simulation.steps() >= film.steps || stop::asked() {
                break;
            }
            let next = (self.simulation.steps() + film.every).min(film.steps);
            while self.simulation.steps() < next && !stop::asked() {
                self.simulation.step();
                self.simulation.world().check_memory()?;
                progress.update(&self.simulation);
            }
        }
        progress.finish();
        for animation in animations {
            animation.finish()?;
        }
        let has_picture = self.picture()?;
        self.tell(frames, has_picture);
        let steps = self.simulation.steps();
        let is_whole = (!films || drawn == Some(steps)) && has_picture == self.outputs.picture.is_some();
        Ok(if steps < film.steps || !is_whole { Outcome::Stopped } else { Outcome::Done })
    }

    /// Starts the animations, once the size of a frame is known.
    fn open_animations(&self, frame: &Image) -> anyhow::Result<Vec<Box<dyn Animation>>> {
        let (width, height) = (frame.width as u32, frame.height as u32);
        let film = Film { width, height, fps: self.scene.spec.film.fps };
        let open = |path: &PathBuf| Ok(create_animation(path, film, self.outputs.existing)?);
        self.outputs.animations.iter().map(open).collect()
    }

    /// Draws the current step and adds it to every animation and to the folder of frames, if there is time for it.
    fn frame(&mut self, animations: &mut Vec<Box<dyn Animation>>) -> anyhow::Result<bool> {
        let size = self.scene.spec.film.size;
        let Some(image) = self.paint(size)? else { return Ok(false) };
        if animations.is_empty() {
            *animations = self.open_animations(&image)?;
        }
        for animation in animations {
            animation.frame(&image.rgb)?;
        }
        self.outputs.frame_path(self.simulation.steps()).map_or(Ok(()), |path| self.write(&path, &image))?;
        Ok(true)
    }

    /// Draws the current step as the picture, if one is wanted and there is time for it.
    fn picture(&mut self) -> anyhow::Result<bool> {
        let Some(path) = self.outputs.picture.clone() else { return Ok(false) };
        let Some(image) = self.paint(self.scene.spec.film.picture_size)? else { return Ok(false) };
        self.write(&path, &image)?;
        Ok(true)
    }

    /// Draws the current step, with its map; nothing where the program is to end and has no more time for it.
    fn paint(&mut self, size: [u32; 2]) -> Result<Option<Image>, Invalid> {
        let turned = self.turned();
        let Self { painter, simulation, beside, .. } = self;
        let mut paint = |size| painter.paint(simulation, size, turned);
        match beside {
            Some(beside) => beside.paint(simulation, size, paint),
            None => paint(size),
        }
    }

    /// Degrees by which the camera has turned so far.
    fn turned(&self) -> f32 {
        let film = &self.scene.spec.film;
        film.orbit_deg * (self.simulation.steps() as f64 / film.steps.max(1) as f64) as f32
    }

    fn write(&self, path: &Path, image: &Image) -> anyhow::Result<()> {
        let labels = [
            ("Title", self.scene.spec.name.clone()),
            ("Software", format!("lavoxel {}", env!("CARGO_PKG_VERSION"))),
            ("Seed", self.simulation.seed().to_string()),
            ("Step", self.simulation.steps().to_string()),
            ("State", format!("{:016x}", self.simulation.world().state_hash())),
        ];
        let size = (image.width as u32, image.height as u32);
        write_png(path, size, &image.rgb, &labels, self.outputs.existing).context("the frames before are complete")?;
        Ok(())
    }

    /// Prints what was written and the last step.
    fn tell(&self, frames: u64, has_picture: bool) {
        if self.quiet {
            return;
        }
        let steps = self.simulation.steps();
        if let Some(edge) = Edge::of(&self.simulation, &self.site).words() {
            say::note(&edge);
        }
        let flow = FlowReport::of(&self.simulation, &self.site);
        flow.iter().flat_map(FlowReport::warnings).for_each(|warning| say::note(&warning));
        if steps < self.scene.spec.film.steps {
            say::note(&format!("stopped after step {steps}; these files are complete up to there:"));
        }
        for path in self.outputs.animations.iter().filter(|_| frames > 0) {
            say::note(&format!("{} ({frames} frames)", path.display()));
        }
        if let Some((folder, name)) = &self.outputs.frames {
            say::note(&format!("{} ({frames} frames)", folder.join(format!("{name}_*.png")).display()));
        }
        match &self.outputs.picture {
            Some(path) if has_picture => say::note(&format!("{} (step {steps})", path.display())),
            Some(path) => say::note(&format!("stopped before {} was drawn", path.display())),
            None => {}
        }
    }
}
