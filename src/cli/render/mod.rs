//! `lavoxel render`: simulates a scene and writes pictures and animations. In a build without a
//! window, `lavoxel` without a subcommand does the same with the default scene of the window.

mod shooting;
mod sun;
mod tracing;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;
use lavoxel::checkpoint::{Checkpoint, CheckpointWriter, Keeper, previous};
use lavoxel::engine::tiled::Tiled;
use lavoxel::export::maps::need_of;
use lavoxel::export::{Parts, animation_formats, check_animation, fingerprints};
use lavoxel::film::{Move, NotesSpec, Plan};
use lavoxel::input::ending;
use lavoxel::memory::MemoryEstimate;
use lavoxel::output::{
    Existing, FOLDER, check_distinct, check_free, file_name, free_name, is_same_file,
};
use lavoxel::render::{self, Plane, Section, Style};
use lavoxel::scene::{BuiltScene, Model, Scene};
use lavoxel::world::Quantity;

use self::shooting::Shooting;
use self::sun::SunAt;
use self::tracing::TracingArgs;
use crate::cli::flags::count;
use crate::cli::flags::flag_names::FlagNames;
use crate::cli::process::stop;
use crate::cli::show::messages;
use crate::cli::show::painter::{Clip, Painter, View, named};
use crate::cli::show::reel::{Reel, STATE, Targets};
use crate::cli::show::side_by_side::{Asked, Beside};
use crate::cli::{Outcome, SceneOptions, start_threads, warn_of};

/// Simulate a scene and write pictures and animations
///
/// Without --picture, --animation and --frames, the command writes a picture of the last step and a
/// WebP animation into the folder lavoxel-out, under free names. Ctrl-C finishes the current frame
/// and completes the files.
///
/// Finished frames of a film are kept in the folder FILE.parts next to the film FILE until the film
/// is complete. After Ctrl-C, a crash or a power failure, the same command continues with these
/// frames and gives the same bytes as without an interruption; at the end the folder is removed.
/// Key frames ([[film.key]]) of the scene move the camera and set the number of steps of each
/// frame.
#[derive(Args, Debug, Default)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    scene: SceneOptions,

    /// Write a picture of the last step to FILE.png
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    #[arg(long, value_name = "FILE", help = format!("Write an animation to FILE; the ending chooses the format: {}; repeatable", animation_formats()))]
    animation: Vec<PathBuf>,

    /// Write every frame into FOLDER as NAME_STEP.png; frames of a film with key frames or a hold
    /// as NAME_FRAME.png
    #[arg(long, value_name = "FOLDER")]
    frames: Option<PathBuf>,

    /// Simulate N steps, instead of the scene's number
    #[arg(long, value_name = "N", value_parser = count::steps, allow_negative_numbers = true)]
    steps: Option<u64>,

    /// Draw a frame every N steps, instead of the scene's interval
    #[arg(long, value_name = "N", value_parser = count::interval, allow_negative_numbers = true)]
    every: Option<u64>,

    /// Set the size of frames to W × H pixels, such as 960x640
    #[arg(long, value_name = "WxH", value_parser = pixels)]
    size: Option<[u32; 2]>,

    /// Set the size of the picture of the last step to W × H pixels [default: --size, else the
    /// scene's size]
    #[arg(long, value_name = "WxH", value_parser = pixels)]
    picture_size: Option<[u32; 2]>,

    /// Show N frames per second
    #[arg(long, value_name = "N")]
    fps: Option<u32>,

    /// Place the camera in the compass direction DEG from its target, in degrees: 0 north, 90 east
    #[arg(
        long,
        value_name = "DEG",
        allow_hyphen_values = true,
        conflicts_with = "slice"
    )]
    azimuth: Option<f32>,

    /// Place the camera DEG degrees above the horizon of its target
    #[arg(
        long,
        value_name = "DEG",
        allow_hyphen_values = true,
        conflicts_with = "slice"
    )]
    elevation: Option<f32>,

    /// Set the distance from camera to target to X diagonals of the shown box
    #[arg(long, value_name = "X", conflicts_with = "slice")]
    distance: Option<f32>,

    /// Set the target of the camera as fractions of the shown box along x, y and z, such as
    /// 0.5,0.4,0.5
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true, conflicts_with = "slice")]
    target: Option<[f32; 3]>,

    /// Set the vertical field of view to DEG degrees
    #[arg(long, value_name = "DEG", conflicts_with = "slice")]
    fov: Option<f32>,

    /// Turn the camera round its target by DEG degrees from the first frame to the last
    #[arg(
        long,
        value_name = "DEG",
        allow_hyphen_values = true,
        conflicts_with = "slice"
    )]
    orbit: Option<f32>,

    /// Move the camera: turntable (once round the target), along-front (along the lava from its
    /// vent to its front) or follow-front (with the front of the lava)
    #[arg(long = "move", value_name = "MOVE", value_parser = PossibleValuesParser::new(Move::ALL.map(|(_, word, _)| word)), conflicts_with = "slice")]
    camera_move: Option<String>,

    /// Hold the last picture of the film for S seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    hold: Option<f64>,

    /// Style of the volume
    #[arg(long, value_name = "STYLE", value_parser = named::<Style>(), conflicts_with = "slice")]
    style: Option<Style>,

    #[command(flatten)]
    tracing: TracingArgs,

    /// Put the sun at its position on DATE, such as 2025-08-10T17:30Z, by day, dusk or night
    ///
    /// A DATE without a zone is UTC. A box that is on no map needs its place, too, in degrees:
    /// DATE@LAT,LON with latitude and longitude.
    #[arg(long, value_name = "DATE[@LAT,LON]", conflicts_with = "slice")]
    sun: Option<SunAt>,

    /// Draw lava only between the fractions LOW and HIGH of the box along AXIS, such as x=0.5..1;
    /// repeatable, once for each axis
    #[arg(long, value_name = "AXIS=LOW..HIGH", conflicts_with = "slice")]
    clip: Vec<Clip>,

    /// Draw a slice perpendicular to AXIS instead of the volume, such as z=64
    ///
    /// PLACE is a cell (z=64), metres from the north-west corner (z=640m), an elevation (y=735m),
    /// or a coordinate of the map (x=map:499800).
    #[arg(long, value_name = "AXIS=PLACE")]
    slice: Option<Plane>,

    /// Draw FIELD in a slice [default: amount; in a scene without lava the amount of its first
    /// material, or air.ash]
    ///
    /// Fields of the lava are amount, energy and specific-energy (energy per amount), and in the
    /// physical model temperature, viscosity, velocity-east, velocity-north and set. Other fields
    /// are solid (rock and materials without values), and fields of another material of the scene,
    /// such as water.amount.
    #[arg(long, value_name = "FIELD", requires = "slice")]
    field: Option<String>,

    /// Draw the whole height of the box in a slice, not only the height of ground and lava
    #[arg(long, requires = "slice")]
    whole: bool,

    /// Draw a map or another scene at the right of every picture
    ///
    /// MAP is a map of the flag --map of lavoxel run, such as ash; with a NUMBER, as in ash=200,
    /// the legend reaches at least NUMBER in every frame. SCENE is a scene file or a shipped scene,
    /// drawn after the same time; the differences between the two scenes are printed at the end.
    #[arg(long, value_name = "MAP[=NUMBER]|SCENE")]
    beside: Option<String>,

    /// Draw the line TEXT in the upper left corner of pictures
    #[arg(long, value_name = "TEXT", conflicts_with = "slice")]
    caption: Option<String>,

    /// Draw notes on pictures, such as clock,north,scale
    ///
    /// clock is the time, north an arrow to the north, scale a scale bar for the middle of the
    /// picture, and temperature a colour bar of glowing lava.
    #[arg(long, value_name = "NOTES", value_delimiter = ',', value_parser = PossibleValuesParser::new(NotesSpec::WORDS), conflicts_with = "slice")]
    notes: Vec<String>,

    /// Replace existing files, and frames of another film in FILE.parts
    #[arg(long)]
    force: bool,
}

/// First line of the text file that describes an unfinished film.
const PLAN: &str =
    "Frames of a film that is not whole yet: the command that began it goes on with them.";

/// Smallest time between two checkpoints while a film is produced.
const KEPT_EVERY: Duration = Duration::from_secs(20);

/// Smallest time between two checkpoints, as a multiple of the time for writing the last one;
/// limits checkpoints to 4 % of the total time.
const KEPT_COST: u32 = 25;

const EXAMPLES: &str = "\
Examples:
  Write a picture and an animation of the built-in volcano into lavoxel-out:
      lavoxel render
  Write a turn around a real mountain as MP4:
      lavoxel render terrains/maunga_whau.toml --move turntable --animation maunga.mp4
  Render a session that was saved in the window, with its recorded camera, at full quality:
      lavoxel render session.toml --size 1920x1080 --animation film.mp4
  Render a part of a heightmap, with a vent 275 m east and 315 m south of the north-west corner:
      lavoxel render terrains/maunga_whau.asc --crop 0,26,61,61 --vent 275m,315m@2
  Draw a caption, the time, a north arrow and a scale bar:
      lavoxel render maunga_whau --caption 'Maunga Whau, Auckland' --notes clock,north,scale
  Write frames for another program:
      lavoxel render --steps 1000 --every 10 --size 1920x1080 --frames frames
  Draw two scenes side by side, and print their differences:
      lavoxel render smoke2d --beside my_smoke.toml --animation both.webp
  Hide the southern half of the lava, to show the inside:
      lavoxel render --steps 1500 --style maximum --clip z=0..0.48 --picture inside.png
  Draw a section of the crater, coloured by energy:
      lavoxel render --steps 800 --slice x=62 --field energy --picture section.png";

/// Parses a size in pixels such as `960x640` (width × height). Fails with a message for other text.
pub(super) fn pixels(text: &str) -> Result<[u32; 2], String> {
    let wrong = || format!("\"{text}\" is not a size such as 960x640");
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    let number = |part: &str| part.trim().parse::<u32>().map_err(|_| wrong());
    Ok([number(width)?, number(height)?])
}

/// Parses three numbers separated by commas, such as `0.5,0.4,0.5`. Fails with a message for other
/// text.
fn point(text: &str) -> Result<[f32; 3], String> {
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| format!("\"{text}\" is not a point such as 0.5,0.4,0.5"))
}

/// Runs `lavoxel` without a subcommand in a build without a window: draws pictures of the default
/// scene of the window.
pub(super) fn run_default() -> anyhow::Result<Outcome> {
    shoot(&RenderArgs::default(), Scene::eruption())
}

/// Runs `lavoxel render`.
pub(super) fn run(args: &RenderArgs) -> anyhow::Result<Outcome> {
    args.scene
        .load()
        .and_then(|scene| shoot(args, scene))
        .map_err(|error| args.typed().name(error))
}

fn shoot(args: &RenderArgs, mut scene: Scene) -> anyhow::Result<Outcome> {
    args.put_into(&mut scene)?;
    scene.validate()?;
    let glows =
        scene.spec.look.style.at_once() == Style::Cinematic && scene.look().kelvin.is_some();
    anyhow::ensure!(
        glows || !args.notes.iter().any(|word| word == "temperature"),
        "--notes temperature: the colours of this look are no temperatures; set look.kelvin, or leave it out"
    );
    args.tracing.check(scene.spec.look.style)?;
    let view = args.view(&scene)?;
    let mut beside = args
        .beside
        .as_deref()
        .map(|text| Asked::read(text, &scene))
        .transpose()?;
    if let Some(Asked::Scene(other)) = &mut beside {
        args.put_into(other)?;
        other.validate()?;
        // A caption identifies the left and right part of each picture.
        for one in [&mut scene, other] {
            let notes = &mut one.spec.film.notes;
            notes.caption = notes.caption.take().or(Some(one.spec.name.clone()));
        }
    }
    let other = beside.as_ref().and_then(Asked::scene);
    let plan = Plan::new(&scene.spec.film, &scene.spec.camera);
    let text = args.plan_text(&scene, other)?;
    let outputs = Outputs::choose(args, &scene, (&plan, &text))?;
    let grid = scene.spec.grid.grid()?;
    let beside_need = match (&beside, other) {
        (_, Some(other)) => other.need().and(args.need(other)),
        (Some(_), None) => need_of(Path::new("map.png"), grid),
        (None, None) => MemoryEstimate::default(),
    };
    let other_view = other.map(|other| args.view(other)).transpose()?;
    let need = args.need(&scene).and(beside_need);
    scene.check_memory(need.clone())?;
    // The memory of pictures is registered, because it adds to that of the world now and after each
    // step.
    let _held = need.held();
    start_threads(scene.spec.threads)?;
    let stage = scene.build(Box::new(Tiled::default()))?;
    if let Some(sun) = &args.sun {
        sun.shine(&mut scene, &stage.site)?;
    }
    let mut painter = Painter::new(&scene, &stage, view)?;
    painter.print_until(args.tracing.end(), args.tracing.has_layers());
    if args.is_camera_free(&scene) {
        painter.look_at_the_flow(&mut scene.spec, &stage.simulation)?;
    }
    let plan = Plan::new(&scene.spec.film, &scene.spec.camera);
    warn_of(&scene, &stage);
    messages::warn(
        scene
            .warning_of_pictures(&stage.simulation)
            .filter(|_| args.slice.is_none()),
    );
    if !args.scene.quiet && !scene.choices().is_empty() {
        scene
            .summary(&stage.site, &stage.simulation)
            .iter()
            .for_each(|line| messages::note(line));
    }
    let other_view = other_view.unwrap_or(View::Volume);
    let mut beside = beside
        .map(|asked| Beside::new(asked, &scene, &stage.site, other_view))
        .transpose()?;
    beside
        .iter_mut()
        .for_each(|beside| beside.print_until(args.tracing.end()));
    let reel = Reel::open(&outputs.targets, &text, (plan.frames(), plan.fps()))?;
    let state = FilmState {
        stage,
        keeper: None,
        kept: Instant::now(),
        wait: KEPT_EVERY,
        begun: false,
    };
    Shooting {
        scene,
        state,
        painter,
        beside,
        outputs,
        plan,
        framed: None,
        reel,
        shown: 0,
        quiet: args.scene.quiet,
    }
    .run()
}

impl RenderArgs {
    /// Returns the flags that were given and override scene keys, with these keys, so that errors
    /// can name the flag.
    fn typed(&self) -> FlagNames {
        let mut typed = self.scene.source.typed();
        let sides = |size: [u32; 2]| format!("{}x{}", size[0], size[1]);
        let pixels = "pixels along each side";
        typed.add("film.size", "--size", self.size.map(sides), pixels);
        typed.add(
            "film.picture_size",
            "--picture-size",
            self.picture_size.map(sides),
            pixels,
        );
        typed.add("film.picture_size", "--size", self.size.map(sides), pixels);
        typed.add("film.fps", "--fps", self.fps, "frames a second");
        typed.add("film.orbit_deg", "--orbit", self.orbit, "degrees");
        typed.add("film.hold_s", "--hold", self.hold, "seconds");
        typed.add("camera.azimuth_deg", "--azimuth", self.azimuth, "degrees");
        typed.add(
            "camera.elevation_deg",
            "--elevation",
            self.elevation,
            "degrees",
        );
        typed.add(
            "camera.distance",
            "--distance",
            self.distance,
            "diagonals of what is shown",
        );
        typed.add("camera.fov_deg", "--fov", self.fov, "degrees");
        let distances = "distances from camera to target";
        typed.add(
            "camera.aperture",
            "--aperture",
            self.tracing.aperture,
            distances,
        );
        typed.add("camera.focus", "--focus", self.tracing.focus, distances);
        typed.add(
            "camera.target",
            "--target",
            self.target.map(|[x, y, z]| format!("{x},{y},{z}")),
            "",
        );
        typed.add(
            "film.notes.caption",
            "--caption",
            self.caption.as_ref(),
            "one line",
        );
        let clips: Vec<_> = self.clip.iter().map(ToString::to_string).collect();
        typed.add(
            "look.clip",
            "--clip",
            (!clips.is_empty()).then(|| clips.join(" --clip ")),
            "",
        );
        typed.add("slice.cell", "--slice", self.slice, "");
        typed
    }

    /// Writes the values of the flags into `scene`, so that the validation of the scene checks
    /// these values.
    fn put_into(&self, scene: &mut Scene) -> anyhow::Result<()> {
        if let Some(steps) = self.steps {
            scene.spec.set_steps(steps);
        }
        let (film, camera) = (&mut scene.spec.film, &mut scene.spec.camera);
        film.every = self.every.unwrap_or(film.every);
        film.size = self.size.unwrap_or(film.size);
        // Without its own flag, the picture of the last step has the size of the frames.
        film.picture_size = self.picture_size.or(self.size).unwrap_or(film.picture_size);
        film.fps = self.fps.unwrap_or(film.fps);
        film.orbit_deg = self.orbit.unwrap_or(film.orbit_deg);
        film.hold_s = self.hold.unwrap_or(film.hold_s);
        let chosen = self
            .camera_move
            .as_ref()
            .and_then(|word| Move::ALL.iter().find(|(_, known, _)| known == word));
        film.camera_move = chosen.map(|(one, ..)| *one).or(film.camera_move);
        camera.azimuth_deg = self.azimuth.unwrap_or(camera.azimuth_deg);
        camera.elevation_deg = self.elevation.unwrap_or(camera.elevation_deg);
        camera.distance = self.distance.or(camera.distance);
        camera.fov_deg = self.fov.unwrap_or(camera.fov_deg);
        camera.aperture = self.tracing.aperture.unwrap_or(camera.aperture);
        camera.focus = self.tracing.focus.unwrap_or(camera.focus);
        camera.target = self.target.or(camera.target);
        film.notes.caption = self.caption.clone().or(film.notes.caption.take());
        self.notes.iter().for_each(|word| {
            film.notes.switch_on(word);
        });
        let look = &mut scene.spec.look;
        look.style = self.style.unwrap_or(look.style);
        for (i, clip) in self.clip.iter().enumerate() {
            let twice = self.clip[..i].iter().any(|other| other.axis == clip.axis);
            anyhow::ensure!(
                !twice,
                "--clip {}: give each axis once",
                ["x", "y", "z"][clip.axis]
            );
            look.clip[clip.axis] = clip.shares;
        }
        Ok(())
    }

    /// Returns true if the program may choose the camera: the scene is a bare heightmap in the
    /// physical model, and neither camera flags nor a slice nor a camera path is given.
    fn is_camera_free(&self, scene: &Scene) -> bool {
        let is_set = self.distance.is_some() || self.target.is_some() || self.azimuth.is_some();
        let film = &scene.spec.film;
        let is_led = film.camera_move.is_some() || !film.keys.is_empty() || self.slice.is_some();
        scene.spec.model == Model::Flow
            && self.scene.source.heightmap().is_some()
            && !is_set
            && !is_led
    }

    /// Returns a text with all inputs that determine the frames of the film; an interrupted film is
    /// continued only if the text is unchanged. `other`: scene drawn at the right, `None` without
    /// such a scene.
    fn plan_text(&self, scene: &Scene, other: Option<&Scene>) -> anyhow::Result<String> {
        let mut whole = scene.clone();
        whole.spec.threads = 0;
        let other = other
            .map(|other| other.to_toml(Path::new("plan.toml")))
            .transpose()?
            .unwrap_or_default();
        let view = [
            self.slice.map(|slice| format!("slice {slice}")),
            self.field.as_ref().map(|field| format!("field {field}")),
            self.whole.then(|| "whole".to_owned()),
            self.beside.as_ref().map(|map| format!("beside {map}")),
            self.sun.as_ref().map(|sun| format!("sun {sun:?}")),
        ];
        let view = view.into_iter().chain(self.tracing.plan_lines());
        let view: String = view.flatten().map(|line| line + "\n").collect();
        // The last file is the scene itself, whose text is part of the plan already.
        let files = scene.files();
        let files = fingerprints(
            files
                .split_last()
                .map_or(&[][..], |(_, files)| files)
                .iter()
                .map(PathBuf::as_path),
        );
        let text = whole.to_toml(Path::new("plan.toml"))?;
        Ok(format!(
            "{PLAN}\nprogram lavoxel {}\n{view}{files}{text}{other}",
            env!("CARGO_PKG_VERSION")
        ))
    }

    /// Estimates the memory for drawing the largest picture of the film.
    fn need(&self, scene: &Scene) -> MemoryEstimate {
        let film = &scene.spec.film;
        let size = [film.size, film.picture_size]
            .into_iter()
            .max_by_key(|[w, h]| u64::from(*w) * u64::from(*h))
            .unwrap_or_default();
        match (self.slice, scene.spec.grid.grid()) {
            (None, Ok(grid)) => {
                let media = render::need_of_media(grid, scene.spec.other_materials());
                let air = render::need_of_air(scene.air_cells());
                let around = render::need_of_surroundings(grid, &scene.spec.look);
                render::need(grid, size)
                    .and(media)
                    .and(air)
                    .and(around)
                    .and(self.tracing.need(scene, size))
            }
            _ => render::need_of_picture(size),
        }
    }

    /// Returns the kind of view in which the scene is drawn: the volume, or the slice of `--slice`
    /// with its quantity. Fails for an unknown quantity.
    fn view(&self, scene: &Scene) -> anyhow::Result<View> {
        let Some(plane) = self.slice else {
            return Ok(View::Volume);
        };
        let all = scene.quantities();
        let quantity = match self.field.as_ref().map(|field| Quantity::find(field, &all)) {
            None => scene.usual_quantity(),
            Some(Ok(quantity)) => quantity.clone(),
            Some(Err(e)) => anyhow::bail!(
                "--field {0}: there is no field {0:?}; fields are {1}",
                e.name,
                e.known
            ),
        };
        Ok(View::Slice(Section {
            plane,
            quantity,
            whole: self.whole,
        }))
    }
}

/// Output files of a film, all checked before the simulation starts.
struct Outputs {
    picture: Option<PathBuf>,
    /// File of the layers of the picture, which is traced.
    layers: Option<PathBuf>,
    targets: Targets,
    /// Output files that were written by an interrupted command for the same film and may be
    /// replaced.
    unfinished: Vec<PathBuf>,
}

impl Outputs {
    fn choose(
        args: &RenderArgs,
        scene: &Scene,
        (plan, text): (&Plan, &str),
    ) -> anyhow::Result<Self> {
        let existing = Existing::by_force(args.force);
        let name = file_name(&scene.spec.name);
        let targets = Targets {
            animations: args.animation.clone(),
            folder: args.frames.clone().map(|folder| (folder, name.clone())),
            existing,
        };
        let mut outputs = Self {
            picture: args.picture.clone(),
            layers: None,
            targets,
            unfinished: Vec::new(),
        };
        if outputs.picture.is_none() && outputs.targets.parts().is_none() {
            // Files of an interrupted run of the same film count as free: the same command
            // continues it.
            let taken = |path: &Path| {
                let unfinished =
                    Parts::of_plan(&Parts::folder_of(&path.with_extension("webp")), text);
                let known = unfinished.map(|parts| parts.unfinished());
                let files = ["png", "webp"].map(|ending| path.with_extension(ending));
                files.iter().any(|file| {
                    file.exists() && known.as_ref().is_none_or(|known| !known.contains(file))
                })
            };
            let free = free_name(Path::new(FOLDER), &name, taken);
            outputs.picture = Some(free.with_extension("png"));
            outputs.targets.animations = vec![free.with_extension("webp")];
        }
        let folder = outputs.targets.parts();
        let parts = folder
            .as_deref()
            .and_then(|folder| Parts::of_plan(folder, text));
        outputs.unfinished = parts.as_ref().map(Parts::unfinished).unwrap_or_default();
        if let Some(picture) = &outputs.picture {
            anyhow::ensure!(
                ending(picture) == "png",
                "--picture {}: pictures are written as PNG; let the name end in .png",
                picture.display()
            );
            check_free(picture, outputs.existing(picture))?;
        }
        outputs.layers = args.tracing.checked_file(|path| outputs.existing(path))?;
        check_distinct(
            (outputs.picture.iter())
                .chain(&outputs.layers)
                .chain(&outputs.targets.animations)
                .map(PathBuf::as_path),
        )?;
        for animation in &outputs.targets.animations {
            check_animation(animation, outputs.existing(animation))?;
        }
        folder.map_or(Ok(()), |folder| Parts::check(&folder, text, existing))?;
        let mut kept = 0;
        let names = (0..plan.frames()).map(|frame| {
            kept = if plan.repeats(frame) { kept } else { frame };
            (kept, name_of(plan, frame, plan.shot(frame).step))
        });
        outputs.targets.check_frames(names, parts.as_ref())?;
        Ok(outputs)
    }

    /// Returns the rule for an existing file at `path`: the file is kept, but replaced with
    /// `--force` or if an interrupted command for the same film has written the file.
    fn existing(&self, path: &Path) -> Existing {
        if self
            .unfinished
            .iter()
            .any(|known| is_same_file(known, path))
        {
            Existing::Replace
        } else {
            self.targets.existing
        }
    }
}

/// Returns the number in the name of the file for the frame with the index `frame`: the step
/// `step`, or `frame` itself for a film with key frames or a held last picture.
fn name_of(plan: &Plan, frame: u64, step: u64) -> u64 {
    if plan.is_by_steps() { step } else { frame }
}

/// State of the film's simulation, with the writer of its checkpoints.
struct FilmState {
    stage: BuiltScene,
    /// Checkpoint writer; `None` before the first new frame, and without a folder for checkpoints.
    keeper: Option<Keeper>,
    /// Time at which the last checkpoint was written.
    kept: Instant,
    /// Smallest time from the last checkpoint to the next.
    wait: Duration,
    /// Set once the simulation has begun or was restored from a checkpoint.
    begun: bool,
}

impl FilmState {
    /// Restores, on the first call, the latest checkpoint in `folder` before the step `step`, if
    /// there is one. Returns the step that the simulation has reached. The checkpoint must be
    /// earlier than `step`, because a restored state can only be drawn after another step.
    fn begin(&mut self, folder: Option<&Path>, step: u64) -> anyhow::Result<u64> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(self.stage.simulation.steps());
        }
        let Some(folder) = folder else { return Ok(0) };
        let last = folder.join(STATE);
        for path in [last.clone(), previous(&last)] {
            // An unreadable checkpoint is ignored: its steps are simulated again.
            let read = path
                .exists()
                .then(|| Checkpoint::load(&path, Box::new(Tiled::default())).ok())
                .flatten();
            let Some(checkpoint) = read.filter(|read| read.stage.simulation.steps() < step) else {
                continue;
            };
            self.stage = checkpoint.stage;
            self.keeper = Some(Keeper::going_on(
                &path,
                self.stage.simulation.steps(),
                1,
                Existing::Replace,
            )?);
            break;
        }
        if self.keeper.is_none() {
            self.keeper = Some(Keeper::new(&last, 1, Existing::Replace)?);
        }
        (self.kept, self.wait) = (Instant::now(), KEPT_EVERY);
        self.stop_by();
        Ok(self.stage.simulation.steps())
    }

    /// Passes the stop flags of the program to the simulation, so that a signal ends long steps
    /// early.
    fn stop_by(&mut self) {
        self.stage.simulation.stop_by(stop::flag());
        self.stage.simulation.cut_by(stop::overdue());
    }

    /// Writes a checkpoint if one is due, then advances the simulation by one step. Returns the
    /// duration of the step.
    fn step(&mut self, scene: &Scene) -> anyhow::Result<Duration> {
        if let Some(keeper) = self
            .keeper
            .as_mut()
            .filter(|_| self.kept.elapsed() >= self.wait)
        {
            let begin = Instant::now();
            keeper.keep(&CheckpointWriter {
                scene,
                stage: &self.stage,
                extras: &[],
            })?;
            (self.kept, self.wait) = (Instant::now(), KEPT_EVERY.max(begin.elapsed() * KEPT_COST));
        }
        let begin = Instant::now();
        self.stage.simulation.step();
        self.stage.simulation.world().check_memory()?;
        Ok(begin.elapsed())
    }
}
