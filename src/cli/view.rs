//! `lavoxel view`: opens the window. `lavoxel` without a subcommand does the same with the built-in
//! scene eruption.

use std::path::Path;

use clap::{Args, ValueEnum};
use lavoxel::archive::is_session;
use lavoxel::output::FOLDER;
use lavoxel::scene::{Model, Overrides, Scene};
use lavoxel::validate::escape_for_terminal;
use lavoxel::viewer::messages::Pace;
use lavoxel::viewer::worker::StartError;
use lavoxel::viewer::{DrawOn, HEIGHTMAP_PACE, Options, ViewerError, open};

use crate::cli::flags::count;
use crate::cli::process::stop;
use crate::cli::render::{self, pixels};
use crate::cli::show::messages;
use crate::cli::show::side_by_side::Asked;
use crate::cli::{Outcome, Source, start_threads};

/// Watch a scene in a window, steer it and look inside
///
/// The simulation runs on its own thread, while mouse, keys and panel pour, paint, cut and measure.
/// F1 lists the keys. A scene file or a heightmap (.tif, .asc, .hgt, .dem, .png, .csv, .npy, .raw)
/// can also be dropped onto the window.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    source: Source,

    /// Set the size of the window to W × H pixels [default: 1280x800, or less on a smaller screen]
    #[arg(long, value_name = "WxH", value_parser = window_size)]
    size: Option<[u32; 2]>,

    /// Start paused
    #[arg(long)]
    paused: bool,

    /// Simulate N steps per second, or "unlimited" [default: 60; 10 on a bare heightmap]
    #[arg(long, value_name = "N", value_parser = pace)]
    pace: Option<Pace>,

    /// Run N steps as fast as possible, then pause
    #[arg(long, value_name = "N", conflicts_with = "paused", value_parser = count::steps, allow_negative_numbers = true)]
    steps: Option<u64>,

    /// Show or hide the panel at the start; the key Tab switches between both
    #[arg(long, value_enum, default_value_t = Switch::On)]
    panel: Switch,

    /// Run another scene at the right of the window
    ///
    /// SCENE is a scene file or a shipped scene. Both runs have the same camera and advance
    /// together: step for step, or to the same time where both are physical models. A card shows
    /// the differences between the two runs as numbers.
    #[arg(long, value_name = "SCENE")]
    beside: Option<String>,

    /// Processor that draws the pictures
    #[arg(long, value_enum, default_value_t = Renderer::Auto)]
    renderer: Renderer,

    /// Print one line per event to standard error
    #[arg(long)]
    log: bool,
}

const EXAMPLES: &str = "\
Examples:
  lavoxel view                                   open the start screen over the scene eruption
  lavoxel view terrains/maunga_whau.toml --paused
  lavoxel view mountain.asc                      open a heightmap, with a vent on its summit
  lavoxel view mountain.asc --vent 1200m,800m    open a heightmap, with a vent at a place
  lavoxel view --steps 2000                      2000 steps as fast as possible, then pause
  lavoxel view smoke2d --beside my_smoke.toml    two runs side by side, and their differences";

/// The processor that draws the pictures in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Renderer {
    /// Graphics card; the CPU without a graphics card
    Auto,
    /// Graphics card; the CPU, with a message, where the adapter is software
    Gpu,
    /// CPU
    Cpu,
}

/// Values of `--panel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

fn window_size(text: &str) -> Result<[u32; 2], String> {
    let size = pixels(text)?;
    let fits = size.iter().all(|side| (64..=16_384).contains(side));
    fits.then_some(size)
        .ok_or_else(|| "a window has 64 to 16384 pixels along each side".to_owned())
}

/// Parses a number of steps per second such as `60`, or `unlimited` (`free` in older scripts);
/// fails with a message for other text.
fn pace(text: &str) -> Result<Pace, String> {
    match text.parse::<f64>() {
        _ if ["unlimited", "free"].contains(&text) => Ok(Pace::Free),
        Ok(rate) if (0.01..=1e6).contains(&rate) => Ok(Pace::Rate(rate)),
        _ => Err(format!(
            "\"{text}\" is neither a number of steps a second from 0.01 to 1000000 nor \"unlimited\""
        )),
    }
}

/// Runs `lavoxel` without a subcommand: opens the window. Where no window can be opened, draws
/// pictures like `lavoxel render`.
pub(super) fn run_default() -> anyhow::Result<Outcome> {
    complete_environment();
    let mut options = options(None, Pace::Rate(60.0));
    options.start_screen = true;
    let shown = show(Scene::eruption(), options);
    match shown.as_ref().err().and_then(|error| error.downcast_ref()) {
        Some(ViewerError::NoWindow(no_window)) => {
            let reason = &no_window.reason;
            messages::note(&format!(
                "no window: {reason}; drawing the eruption into {FOLDER} instead, as lavoxel render eruption does"
            ));
            render::run_default()
        }
        _ => shown,
    }
}

/// Runs `lavoxel view`.
pub(super) fn run(args: &ViewArgs) -> anyhow::Result<Outcome> {
    complete_environment();
    watch(args).map_err(|error| args.source.typed().name(error))
}

impl ViewArgs {
    /// Returns true if no flag names a scene or sets pace, pause, steps or seed, so that the window
    /// opens with the start screen.
    fn is_open(&self) -> bool {
        let runs = self.paused
            || self.steps.is_some()
            || self.pace.is_some()
            || self.source.seed.is_some();
        self.source.file.is_none() && self.beside.is_none() && !runs
    }
}

fn watch(args: &ViewArgs) -> anyhow::Result<Outcome> {
    let overrides = args.source.place.overrides()?;
    let scene = args.source.load_or(Scene::eruption, &overrides)?;
    let second = args
        .beside
        .as_deref()
        .map(|text| second(text, &scene))
        .transpose()?;
    let file = args.source.file.as_deref();
    // In the physical model there is no other model to offer.
    let bare = args
        .source
        .heightmap()
        .filter(|_| scene.spec.model == Model::Classic);
    let usual = if bare.is_some() {
        HEIGHTMAP_PACE
    } else {
        Pace::Rate(60.0)
    };
    let mut options = options(args.size, args.pace.unwrap_or(usual));
    options.paused = args.paused;
    options.file = file.filter(|file| file.is_file()).map(Into::into);
    let as_saved =
        overrides == Overrides::default() && args.source.seed.is_none() && args.steps.is_none();
    options.resumes = as_saved && options.file.as_deref().is_some_and(is_session);
    options.heightmap = bare
        .map(|path| Ok::<_, anyhow::Error>((path, args.source.place.overrides()?)))
        .transpose()?;
    options.second = second;
    options.steps = args.steps;
    options.start_screen = args.is_open() && overrides == Overrides::default();
    options.panel = args.panel == Switch::On;
    options.draw_on = match args.renderer {
        Renderer::Auto => DrawOn::Auto,
        Renderer::Gpu => DrawOn::Gpu,
        Renderer::Cpu => DrawOn::Cpu,
    };
    if args.log {
        options.log = Some(Box::new(messages::note));
    }
    show(scene, options).map_err(|error| match (error.downcast_ref(), file) {
        (Some(ViewerError::NoWindow(no_window)), Some(file)) => {
            let file = escape_for_terminal(&file.display().to_string());
            anyhow::anyhow!("{no_window} This one's pictures: lavoxel render {file}")
        }
        _ => error,
    })
}

/// Reads the scene that the value `text` of `--beside` names. `scene`: scene of the first run, at
/// the left.
fn second(text: &str, scene: &Scene) -> anyhow::Result<Scene> {
    match Asked::read(text, scene)? {
        Asked::Scene(scene) => Ok(*scene),
        Asked::Map(..) => anyhow::bail!(
            "--beside {text}: a map stands next to films only (lavoxel render --beside {text}); in the window name a scene, \
             as in --beside {text}.toml for a file"
        ),
    }
}

fn options(size: Option<[u32; 2]>, pace: Pace) -> Options {
    let (size, draw_on) = (size.map(Into::into), DrawOn::Auto);
    Options {
        size,
        pace,
        paused: false,
        file: None,
        resumes: false,
        heightmap: None,
        steps: None,
        start_screen: false,
        panel: true,
        draw_on,
        second: None,
        log: None,
        stop: stop::asked,
    }
}

/// Restarts this program with the two environment variables of the following list set, if one of
/// them is missing and a display is available; libraries read both variables before `main`.
///
/// - `XDG_RUNTIME_DIR`, absent in containers: without the variable each graphics driver prints a
///   warning before the window shows any message.
/// - `MALLOC_MMAP_THRESHOLD_` (mallopt(3)): preparation and drawing of pictures free tens of
///   megabytes in arrays of more than 256 KiB, which glibc would keep in one arena per thread
///   (scene island: 780 MB instead of 460 MB). Other C libraries ignore the variable.
#[cfg(all(unix, not(target_os = "macos")))]
fn complete_environment() {
    use std::env;
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;

    const SOCKETS: &str = "XDG_RUNTIME_DIR";
    const THRESHOLD: &str = "MALLOC_MMAP_THRESHOLD_";
    const MAPPED: u32 = 256 << 10;
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| env::var_os(name).is_some());
    let (Ok(own), Ok(program)) = (std::fs::metadata("/proc/self"), env::current_exe()) else {
        return;
    };
    let mut missing = Vec::new();
    if !env::var_os(SOCKETS).is_some_and(|folder| Path::new(&folder).is_absolute()) {
        missing.push((SOCKETS, format!("/run/user/{}", own.uid())));
    }
    if env::var_os(THRESHOLD).is_none() {
        missing.push((THRESHOLD, MAPPED.to_string()));
    }
    if missing.is_empty() || !has_display {
        return;
    }
    let mut again = std::process::Command::new(program);
    again.args(env::args_os().skip(1)).envs(missing);
    if let Some(name) = env::args_os().next() {
        again.arg0(name);
    }
    // `exec` returns only if the program cannot be restarted: then this process continues without
    // the variables.
    drop(again.exec());
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn complete_environment() {}

fn show(scene: Scene, options: Options) -> anyhow::Result<Outcome> {
    start_threads(scene.spec.threads)?;
    stop::after_the_step();
    open(scene, options).map_err(|error| match error {
        // Unwraps the error to print the same message as all commands.
        ViewerError::Start(StartError::Scene(error)) => anyhow::Error::from(error),
        ViewerError::Start(StartError::Second(error)) => {
            anyhow::Error::from(error).context("--beside")
        }
        other => other.into(),
    })?;
    Ok(if stop::asked() {
        Outcome::Stopped
    } else {
        Outcome::Done
    })
}
