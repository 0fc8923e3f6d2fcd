//! Command line: one file per subcommand. Data goes to standard output, progress and messages to
//! standard error.

mod bench;
mod calibrate;
mod classic;
mod compare;
mod completions;
mod flags;
mod hazard;
mod man;
mod process;
mod render;
mod resume;
mod run;
mod scene;
mod sheet;
mod show;
mod terrain;
mod verify;
#[cfg(feature = "window")]
mod view;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::{Args, CommandFactory, Parser, Subcommand};
use lavoxel::checkpoint::CheckpointError;
use lavoxel::export::ExportError;
use lavoxel::hazard::overrides_of_heightmap;
use lavoxel::output::{self, OutputError};
use lavoxel::scene::{BuiltScene, Overrides, Scene};
use lavoxel::shipped;
use lavoxel::study::StudyError;
use lavoxel::terrain::{TerrainError, TerrainKind, sidecar_files};
use lavoxel::validate::escape_for_terminal;

use self::flags::flag_names::FlagNames;
use self::flags::place::PlaceArgs;
use self::flags::{count, memory, tips};
use self::process::{file_limit, stop};
use self::show::messages;

/// Exit code if an operation failed in spite of valid input, for example because of a full disk.
const COULD_NOT: u8 = 1;
/// Exit code for invalid input in a flag, scene or file.
const WRONG_USE: u8 = 2;
/// Exit code of a command that Ctrl-C has ended.
const STOPPED: u8 = 130;

/// Lava in voxels: 3D volumetric viscous flow
///
/// Simulates lava on a terrain with a voxel cellular automaton: vents fill craters, lava spills
/// over the lowest lip, runs down in tongues and stops when its energy is spent. Mass is exact to
/// the last unit. The same scene and seed give the same bits on every machine, with any number of
/// threads.
///
/// Without a subcommand, lavoxel opens the built-in scene eruption (a volcano with a plume) in a
/// window. Where no window can be opened, or in a build without the window, lavoxel writes a
/// picture and a short animation of the scene into the folder lavoxel-out instead.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    /// Limit the memory to SIZE, such as 4G or 50% of the machine; larger jobs are refused before
    /// they start [default: 80%]
    #[arg(long, value_name = "SIZE", global = true)]
    max_memory: Option<memory::Size>,
}

const EXAMPLES: &str = "\
Examples:
  lavoxel                                          open the scene eruption: a volcano with a plume
  lavoxel view island                              open a shipped scene in a window (if built in)
  lavoxel scene --list                             list the shipped scenes
  lavoxel render maunga_whau                       write picture and animation of a real mountain
  lavoxel run terrains/maunga_whau.asc --vent map:2667675,6478995 --steps 500
  lavoxel render --slice z=64 --picture cut.png    draw a slice through the lava
  lavoxel run terrains/slope.toml --steps 500 --json
  lavoxel scene --defaults > my.toml               write the built-in scene to a file, to edit
  lavoxel terrain volcano --picture relief.png
  lavoxel run --steps 100000 --checkpoint long.lvx; lavoxel resume long.lvx
  lavoxel compare lava.tif observed.geojson        measure the agreement of two footprints
  lavoxel hazard dem.tif --rates log-uniform:1,50 --volumes 1e6 --vent-area rift.geojson --runs 500
  lavoxel sheet lavoxel-out/dem-hazard --ground dem.tif --out sheet.pdf
  lavoxel bench

Exit status: 0 success, 1 failed (disk, encoder), 2 wrong arguments or input, 130 stopped with Ctrl-C.";

// The variants have no docs here: each subcommand is described at its arguments.
#[derive(Subcommand, Debug)]
enum Command {
    #[cfg(feature = "window")]
    View(Box<view::ViewArgs>),
    Render(Box<render::RenderArgs>),
    Run(Box<run::RunArgs>),
    Resume(Box<resume::ResumeArgs>),
    Bench(bench::BenchArgs),
    Terrain(Box<terrain::TerrainArgs>),
    Scene(scene::SceneArgs),
    Compare(compare::CompareArgs),
    Hazard(Box<hazard::HazardArgs>),
    Calibrate(Box<calibrate::CalibrateArgs>),
    Sheet(Box<sheet::SheetArgs>),
    Verify(verify::VerifyArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Flags of every command that simulates without a window.
#[derive(Args, Debug, Default)]
struct SceneOptions {
    #[command(flatten)]
    source: Source,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl SceneOptions {
    /// Reads the scene and applies the overrides of the flags.
    fn load(&self) -> anyhow::Result<Scene> {
        self.source.load()
    }
}

/// Help text of the file argument of commands that need the physical model.
const FILE_OF_FLOW: &str = "Scene of the physical model (.toml, with model = \"flow\"), name of a shipped scene of \
                            that model (lavoxel scene --list), or heightmap (.tif, .asc, .hgt, .dem, .nc, .exr, .las, .laz, .vrt, .png, .xyz, \
                            .csv, .npy, .raw), which gets a box and a vent on its summit";

/// Scene of a command, and the flags that override its seed, threads and place.
#[derive(Args, Debug, Default)]
struct Source {
    /// Scene file (.toml), name of a shipped scene (lavoxel scene --list), heightmap (.tif, .asc,
    /// .hgt, .dem, .png, .csv, .npy, .raw), which gets a box and a vent on its summit, or blocks of
    /// MagicaVoxel or Minecraft (.vox, .schem, .litematic), which get a vent above their middle;
    /// without it, the built-in volcano (in lavoxel view the built-in scene eruption)
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Set the seed of the spreading patterns to N, instead of the scene's seed
    #[arg(long, value_name = "N", value_parser = count::seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Use N threads, instead of the scene's number; results do not depend on N
    #[arg(long, value_name = "N", value_parser = count::threads, allow_negative_numbers = true)]
    threads: Option<u64>,

    #[command(flatten)]
    place: PlaceArgs,
}

impl Source {
    /// Returns the flags that were given and override scene keys, with these keys, so that errors
    /// can name the flag.
    fn typed(&self) -> FlagNames {
        self.place.typed()
    }

    /// Returns the path of the scene or heightmap on the command line: that of a file, or of the
    /// shipped scene with this name. `None` if the command line names neither; fails if the named
    /// one does not exist.
    fn path(&self) -> anyhow::Result<Option<PathBuf>> {
        self.file.as_deref().map(file_or_shipped).transpose()
    }

    /// Returns the path of the heightmap on the command line; `None` for a scene, and if no file is
    /// named.
    fn heightmap(&self) -> Option<PathBuf> {
        self.path().ok()?.filter(|path| Scene::is_heightmap(path))
    }

    /// Reads the scene named on the command line and applies the overrides of the flags.
    fn load(&self) -> anyhow::Result<Scene> {
        self.load_with(&self.place.overrides()?)
    }

    /// Reads the scene named on the command line and applies `overrides`, which replace the
    /// overrides by the flags for box, terrain and vents.
    fn load_with(&self, overrides: &Overrides) -> anyhow::Result<Scene> {
        self.load_or(Scene::volcano, overrides)
    }

    /// Reads the scene of a hazard map or calibration, which needs the physical model; a bare
    /// heightmap becomes a scene of that model. Returns the scene and the overrides of the flags.
    fn load_flow(&self) -> anyhow::Result<(Scene, Overrides)> {
        let asked = self.place.overrides()?;
        anyhow::ensure!(
            self.file.is_some(),
            "name a heightmap, or a scene with model = \"flow\""
        );
        let overrides = match self.heightmap() {
            Some(_) => overrides_of_heightmap(&asked).map_err(told)?,
            None => asked.clone(),
        };
        Ok((self.load_with(&overrides)?, asked))
    }

    /// Reads the scene named on the command line and applies `overrides`. `built_in`: returns the
    /// scene for a command line without a file.
    fn load_or(&self, built_in: fn() -> Scene, overrides: &Overrides) -> anyhow::Result<Scene> {
        let path = self.path()?;
        let mut scene = match path.as_deref() {
            // Overrides are applied while reading, because the chosen part of a heightmap
            // determines the summit on which the vent is placed.
            Some(path) if Scene::is_heightmap(path) => {
                // Threads are started here already, because the search for the summit runs in
                // parallel.
                start_threads(self.threads.unwrap_or(0) as usize)?;
                Scene::around_heightmap(path, overrides)?
            }
            Some(path) if Scene::is_blocks(path) => {
                self.place.check_kind(TerrainKind::Plane)?;
                Scene::around_blocks(path, overrides)?
            }
            file => {
                let mut scene = file.map_or_else(|| Ok(built_in()), Scene::open)?;
                self.place.check_kind(scene.spec.terrain.kind)?;
                scene.apply(overrides)?;
                scene
            }
        };
        scene.files().iter().for_each(|path| protect_map(path));
        if let (true, Some(stem)) = (
            scene.spec.name.is_empty(),
            path.as_deref().and_then(Path::file_stem),
        ) {
            scene.spec.name = escape_for_terminal(&stem.to_string_lossy());
        }
        scene.spec.seed = self.seed.unwrap_or(scene.spec.seed);
        scene.spec.threads = self.threads.map_or(scene.spec.threads, |n| n as usize);
        Ok(scene)
    }
}

/// Returns `path` if a file with that path exists, otherwise the path of the shipped scene or
/// heightmap with that name. Fails if there is neither.
fn file_or_shipped(path: &Path) -> anyhow::Result<PathBuf> {
    if path.exists() {
        return Ok(path.to_owned());
    }
    shipped::named(path).ok_or_else(|| no_file(path))
}

/// Creates the error for a file that does not exist. The message suggests the file or shipped scene
/// with the most similar name.
fn no_file(path: &Path) -> anyhow::Error {
    anyhow::Error::msg(shipped::no_file(path))
}

/// Protects an input file and its sidecar files against overwriting: a command fails if one of its
/// output files has such a path.
fn protect_map(path: &Path) {
    output::protect(path);
    sidecar_files(path)
        .iter()
        .for_each(|file| output::protect(file));
}

/// Prints notes about how the scene was built, and warnings about its contents.
fn warn_of(scene: &Scene, stage: &BuiltScene) {
    let warnings = scene.warnings(&stage.simulation, Some(scene.spec.film.steps));
    messages::warn(stage.notes.iter().cloned().chain(warnings));
}

/// Upper bound of the number of threads on a machine with few processors, where more threads would
/// only wait for each other.
const MOST_THREADS: usize = 64;
/// Upper bound of the number of threads per processor, on machines with many processors.
const MOST_THREADS_EACH: usize = 4;

/// Returns the requested number of threads, reduced to a number that is useful on this machine; 0
/// requests one thread per processor and is returned unchanged.
fn useful_threads(threads: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    threads.min(MOST_THREADS.max(MOST_THREADS_EACH * processors))
}

/// Creates the global pool of `threads` threads for all parallel work; a second call with the same
/// number has no effect.
fn start_threads(threads: usize) -> anyhow::Result<()> {
    static STARTED: OnceLock<usize> = OnceLock::new();
    let threads = useful_threads(threads);
    if STARTED.get() == Some(&threads) {
        return Ok(());
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|error| NoThreads(error.to_string()))?;
    STARTED.get_or_init(|| threads);
    Ok(())
}

/// Error for threads that cannot be started. The message contains the cause, which is not a
/// `source`, so that a printed error chain does not repeat it.
#[derive(Debug, thiserror::Error)]
#[error("cannot start the threads: {0}; ask for fewer with --threads")]
struct NoThreads(String);

/// Returns the cause of `error`, the error of a hazard map or calibration; the cause determines the
/// exit code.
fn told(error: StudyError) -> anyhow::Error {
    match error {
        StudyError::Scene(error) => error.into(),
        StudyError::Memory(error) => error.into(),
        StudyError::Record(error) => error.into(),
        StudyError::Output(error) => error.into(),
        StudyError::Export(error) => error.into(),
        StudyError::Threads(error) => NoThreads(error.to_string()).into(),
        other => other.into(),
    }
}

/// Outcome of a command that returned no error; determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    Stopped,
    /// The command completed, but a check of its results failed.
    Failed,
}

/// Runs the command line of the process and returns its exit code.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // The parser knows one command only: a better tip needs the arguments as typed.
            let typed: Vec<String> = std::env::args_os()
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            return ExitCode::from(messages::usage(&tips::better(
                error,
                &Cli::command(),
                &typed,
            )));
        }
    };
    file_limit::outlive();
    stop::listen();
    memory::limit_to(cli.max_memory);
    let result = match cli.command {
        None => run_default(),
        #[cfg(feature = "window")]
        Some(Command::View(args)) => view::run(&args),
        Some(Command::Render(args)) => render::run(&args),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Resume(args)) => resume::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Terrain(args)) => terrain::run(&args).map(|()| Outcome::Done),
        Some(Command::Scene(args)) => scene::run(&args).map(|()| Outcome::Done),
        Some(Command::Compare(args)) => compare::run(&args).map(|()| Outcome::Done),
        Some(Command::Hazard(args)) => hazard::run(&args),
        Some(Command::Calibrate(args)) => calibrate::run(&args),
        Some(Command::Sheet(args)) => sheet::run(&args).map(|()| Outcome::Done),
        Some(Command::Verify(args)) => verify::run(&args),
        Some(Command::Completions(args)) => completions::run(&args).map(|()| Outcome::Done),
        Some(Command::Man(args)) => man::run(&args).map(|()| Outcome::Done),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Stopped) => ExitCode::from(STOPPED),
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Err(error) => {
            messages::error(&format!("{error:#}{}", way_out(&error)));
            ExitCode::from(exit_code(&error))
        }
    }
}

/// Runs the program without a subcommand: opens the window, or in a build without a window draws
/// pictures.
fn run_default() -> anyhow::Result<Outcome> {
    #[cfg(feature = "window")]
    return view::run_default();
    #[cfg(not(feature = "window"))]
    return render::run_default();
}

/// Returns the exit code for `error`: `COULD_NOT` if a disk, an encoder, the threads or the display
/// failed, `WRONG_USE` otherwise.
fn exit_code(error: &anyhow::Error) -> u8 {
    let fails = matches!(output_error(error), Some(OutputError::Io { .. }))
        || error.chain().any(|cause| {
            matches!(cause.downcast_ref(), Some(ExportError::Encoder { .. }))
                || cause.is::<std::io::Error>()
                || cause.is::<NoThreads>()
        })
        || lost_display(error);
    if fails { COULD_NOT } else { WRONG_USE }
}

/// Returns true if the cause of `error` is that the connection of an open window to its display
/// broke.
#[cfg(feature = "window")]
fn lost_display(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(lavoxel::viewer::ViewerError::Lost(_))
    )
}

/// Returns false, since a build without a window has no connection to a display.
#[cfg(not(feature = "window"))]
fn lost_display(_: &anyhow::Error) -> bool {
    false
}

/// Returns the advice that is appended to the message of `error`, which names the flag that avoids
/// the error; empty if there is no such flag.
fn way_out(error: &anyhow::Error) -> &'static str {
    let exists = matches!(output_error(error), Some(OutputError::Exists { .. }));
    if exists {
        ", or pass --force to replace it"
    } else {
        ""
    }
}

/// Returns the first error about an output file in the chain of causes of `error`; `None` if there
/// is none.
fn output_error(error: &anyhow::Error) -> Option<&OutputError> {
    if let Some(CheckpointError::Output(error)) = error.downcast_ref() {
        return Some(error);
    }
    error.chain().find_map(|cause| {
        match (
            cause.downcast_ref(),
            cause.downcast_ref(),
            cause.downcast_ref(),
        ) {
            (Some(error), _, _)
            | (_, Some(ExportError::Output(error)), _)
            | (_, _, Some(TerrainError::Output(error))) => Some(error),
            _ => None,
        }
    })
}
