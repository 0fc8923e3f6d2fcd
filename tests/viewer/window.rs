//! The real window on a virtual display, steered with keys and mouse like a person would. Needs
//! Xvfb, xdotool and a software Vulkan (Debian: xvfb xdotool mesa-vulkan-drivers libxcursor1 libxi6
//! libxkbcommon-x11-0); where one of these is missing, the tests are skipped.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::child::Running;
use crate::needs;
use crate::vulkan::vulkan;
use image::{AnimationDecoder, RgbaImage};
use lavoxel::engine::tiled::Tiled;
use lavoxel::lowpass::LowPass;
use lavoxel::render::{Antialias, Camera, Image, Renderer, Style};
use lavoxel::scene::Scene;
use lavoxel::state::State;
use lavoxel::world::World;
use predicates::Predicate;

const WIDTH: u32 = 480;
const HEIGHT: u32 = 360;
/// Timeout of every wait; software drawing on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(120);

/// Lock that allows one window at a time: each draws with all cores, and several at once would run
/// into timeouts.
static TURN: Mutex<()> = Mutex::new(());

/// Virtual display whose framebuffer lies in a file.
pub(crate) struct Display {
    server: Running,
    name: String,
    folder: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Display {
    /// Starts Xvfb; records a skip and returns `None` if a program is missing.
    pub(crate) fn start() -> Option<Self> {
        Self::of_size("480x360")
    }

    /// Starts Xvfb with a screen of `size`, such as `800x600`.
    fn of_size(size: &str) -> Option<Self> {
        let there =
            needs::program("Xvfb", "xvfb") && needs::program("xdotool", "xdotool") && vulkan();
        if !there {
            return None;
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new("Xvfb");
        command
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                &format!("{size}x24"),
                "-nolisten",
                "tcp",
                "-noreset",
                "-fbdir",
            ])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut server = Running::start(&mut command);
        let mut number = String::new();
        let out = server.stdout.take().expect("its output is piped");
        BufReader::new(out)
            .read_line(&mut number)
            .expect("Xvfb tells its number");
        Some(Self {
            server,
            name: format!(":{}", number.trim()),
            folder,
            _turn: turn,
        })
    }

    pub(crate) fn xdotool(&self, words: &[&str]) {
        let done = Command::new("xdotool")
            .args(words)
            .env("DISPLAY", &self.name)
            .status()
            .expect("xdotool runs");
        assert!(done.success(), "xdotool {words:?}");
    }

    pub(crate) fn key(&self, key: &str) {
        self.xdotool(&["key", key]);
    }

    fn click(&self, (x, y): (u32, u32)) {
        self.xdotool(&["mousemove", &x.to_string(), &y.to_string()]);
        // The window asks the simulation for the hit under the pointer; the pause gives it time for
        // the answer.
        std::thread::sleep(Duration::from_millis(1500));
        self.xdotool(&["click", "1"]);
    }

    /// Reads the screen from an XWD file with a big-endian header and pixels of four bytes.
    fn pixels(&self) -> RgbaImage {
        let bytes = fs::read(self.folder.path().join("Xvfb_screen0"))
            .expect("Xvfb keeps its pixels in a file");
        let word = |i: usize| {
            u32::from_be_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes")) as usize
        };
        let (header, width, height, stride, colors) =
            (word(0), word(4), word(5), word(12), word(19));
        let start = header + 12 * colors;
        RgbaImage::from_fn(width as u32, height as u32, |x, y| {
            let p = &bytes[start + y as usize * stride + 4 * x as usize..][..4];
            image::Rgba([p[2], p[1], p[0], 255])
        })
    }
}

/// Running program with its window, and the lines of its output.
pub(crate) struct Window {
    program: Running,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Window {
    pub(crate) fn open(display: &Display, folder: &Path, words: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
        command
            .arg("view")
            .arg("--log")
            .args(if words.contains(&"--size") {
                &[][..]
            } else {
                &["--size", "480x360", "--panel", "off"][..]
            })
            .args(words)
            .current_dir(folder)
            .env("DISPLAY", &display.name)
            .env("XDG_STATE_HOME", folder.join("state"))
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XDG_RUNTIME_DIR")
            .stderr(Stdio::piped());
        let mut program = Running::start(&mut command);
        let err = program.stderr.take().expect("its messages are piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(err).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            program,
            lines,
            seen: Vec::new(),
        }
    }

    /// Waits for the next line that contains `text`.
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            match self
                .lines
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(line) => {
                    self.seen.push(line.clone());
                    if line.contains(text) {
                        return line;
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!(
                        "no line with {text:?} came; the lines were {:#?}",
                        self.seen
                    )
                }
            }
        }
    }

    /// Waits for "saved FILE" and returns the file.
    pub(crate) fn saved(&mut self, folder: &Path) -> PathBuf {
        let line = self.wait_for("saved ");
        // A recording is followed by its length in brackets.
        let name = line
            .trim()
            .trim_start_matches("saved ")
            .split(" (")
            .next()
            .unwrap_or_default();
        folder.join(name)
    }

    /// Collects the lines of output during `time`.
    fn lines_for(&mut self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let mut lines = Vec::new();
        while let Ok(line) = self
            .lines
            .recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            lines.push(line);
        }
        self.seen.extend(lines.clone());
        lines
    }

    /// Resident memory in megabytes.
    pub(crate) fn resident_mb(&self) -> f64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.program.id())).expect("it runs");
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .expect("a process has memory");
        let kib: f64 = line
            .split_whitespace()
            .nth(1)
            .and_then(|word| word.parse().ok())
            .expect("a number of kB");
        kib * 1024.0 / 1e6
    }

    pub(crate) fn end(mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self
                .program
                .try_wait()
                .expect("the program can be waited for")
            {
                return status;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the window did not close; the lines were {:#?}", self.seen);
    }
}

/// Mean difference of two pictures in levels of 255.
fn difference(a: &RgbaImage, b: &RgbaImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let sum: u64 = a
        .pixels()
        .zip(b.pixels())
        .flat_map(|(p, q)| [0, 1, 2].map(|c| u64::from(p.0[c].abs_diff(q.0[c]))))
        .sum();
    sum as f64 / (3 * a.width() * a.height()) as f64
}

fn open(path: &Path) -> RgbaImage {
    image::open(path)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        .to_rgba8()
}

/// Headless counterpart of a window: the same scene after `steps` steps, drawn by the renderer.
struct Headless {
    scene: Scene,
    world: State,
    steps: u64,
}

impl Headless {
    fn run(scene: Scene, steps: u64) -> Self {
        let mut simulation = scene
            .build(Box::new(Tiled::default()))
            .expect("a right scene")
            .simulation;
        (0..steps).for_each(|_| simulation.step());
        Self {
            world: simulation.world().clone(),
            scene,
            steps,
        }
    }

    fn draw(&self, style: Style) -> RgbaImage {
        self.draw_world(style, &self.world, [[0.0, 1.0]; 3])
    }

    /// Cinematic picture of the world, clipped at the middle of `axis` on the side of the eye.
    fn draw_opened(&self, axis: usize) -> RgbaImage {
        let grid = self.world.grid();
        let cells = [grid.nx, grid.ny, grid.nz][axis] as f32;
        let look = self.scene.spec.look.clone();
        let renderer =
            Renderer::new(self.world.ground().surface(), grid, look).expect("a right look");
        // The level cut goes through the mountain, not over it.
        let surface = self.world.ground().surface().iter().copied();
        let high = if axis == 1 {
            surface.fold(0.0, f32::max).min(cells)
        } else {
            cells
        };
        let plane = ((high / 2.0).floor() + 0.5) / cells;
        let mut clip = [[0.0, 1.0]; 3];
        let is_beyond = self.camera(&renderer).eye()[axis] / cells > plane;
        clip[axis] = if is_beyond {
            [0.0, plane]
        } else {
            [plane, 1.0]
        };
        self.draw_world(Style::Cinematic, &self.world, clip)
    }

    /// Picture of the same ground without lava.
    fn draw_bare(&self, style: Style) -> RgbaImage {
        self.draw_world(
            style,
            &World::new(self.world.ground().clone()).into(),
            [[0.0, 1.0]; 3],
        )
    }

    fn draw_world(&self, style: Style, world: &State, clip: [[f32; 2]; 3]) -> RgbaImage {
        let mut look = self.scene.spec.look.clone();
        (look.style, look.antialias, look.clip) = (style, Antialias::Full, clip);
        let mut renderer = Renderer::new(self.world.ground().surface(), self.world.grid(), look)
            .expect("a right look");
        renderer.set_steps(self.steps);
        let camera = self.camera(&renderer);
        let mut lowpass = LowPass::new(self.world.grid());
        let Image { width, height, rgb } = renderer.frame(lowpass.refresh(world), &camera);
        let pixels = rgb
            .chunks_exact(3)
            .flat_map(|p| [p[0], p[1], p[2], 255])
            .collect();
        RgbaImage::from_raw(width as u32, height as u32, pixels).expect("four bytes for each pixel")
    }

    fn camera(&self, renderer: &Renderer) -> Camera {
        Camera::new(
            &self.scene.spec.camera,
            &renderer.subject(),
            (WIDTH as usize, HEIGHT as usize),
        )
    }
}

/// Copies a picture to the folder `LAVOXEL_PICTURES`, for review.
fn keep(name: &str, image: &RgbaImage) {
    if let Some(folder) = std::env::var_os("LAVOXEL_PICTURES") {
        image
            .save(Path::new(&folder).join(format!("window {name}.png")))
            .expect("the folder takes pictures");
    }
}

#[test]
#[ignore = "minutes on a software card; .ci/full: cargo test --test viewer -- --ignored a_person_plays_a_hundred_steps_looks_pours_records_and_leaves"]
fn a_person_plays_a_hundred_steps_looks_pours_records_and_leaves() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let mut window = Window::open(&display, folder, &["--steps", "100", "--pace", "free"]);
    window.wait_for("paused at step 100");
    let saved = focused(&display, &mut window, folder);
    let headless = Headless::run(
        Scene::load(&saved).expect("the session is a right scene"),
        100,
    );
    assert!(
        headless.world.lava().tally().cells > 20,
        "lava has come out"
    );

    let styles = [
        ("2", Style::Scientific),
        ("3", Style::Surface),
        ("4", Style::Maximum),
        ("1", Style::Cinematic),
    ];
    for (key, style) in styles {
        display.key(key);
        window.wait_for("view ");
        let expected = headless.draw(style);
        keep(&format!("{style:?} expected"), &expected);
        photographed(&display, &mut window, folder, |seen| {
            keep(&format!("{style:?}"), seen);
            let apart = difference(seen, &legend_from(seen, expected.clone()));
            if apart >= 1.5 {
                return Err(format!(
                    "{style:?}: the window and the ray-marcher differ by {apart:.2} levels"
                ));
            }
            lava_is_there(style, seen, &headless)
        });
    }
    // The last view is drawn by the window itself and matches, except for the probe at the pointer,
    // once the message about the saved picture has faded.
    std::thread::sleep(Duration::from_secs(8));
    let screen = wait_until_still(&display);
    keep("screen", &screen);
    let apart = difference(&screen, &headless.draw(Style::Cinematic));
    assert!(
        apart < 3.0,
        "the screen differs from the ray-marcher's picture by {apart:.2} levels"
    );

    slices_cut_the_world_open(&display, &mut window, folder, &headless);
    a_click_places_a_vent(&display, &mut window, &headless);
    a_recording_moves(&display, &mut window, folder);

    display.key("ctrl+s");
    let session = Scene::load(&window.saved(folder)).expect("the session is a right scene");
    assert_eq!(
        session.spec.vents.len(),
        headless.scene.spec.vents.len() + 1,
        "the vent is in the saved session"
    );

    display.key("ctrl+q");
    window.wait_for("closed");
    assert!(window.end().success());
}

/// Presses Ctrl+S until the window answers, because without a window manager the window may not
/// have the keyboard yet. Returns the saved session.
pub(crate) fn focused(display: &Display, window: &mut Window, folder: &Path) -> PathBuf {
    for _ in 0..6 {
        display.xdotool(&[
            "search",
            "--sync",
            "--name",
            "Lavoxel",
            "windowfocus",
            "mousemove",
            "5",
            "5",
        ]);
        display.key("ctrl+s");
        let lines = window.lines_for(Duration::from_secs(10));
        if let Some(name) = lines
            .iter()
            .rev()
            .find_map(|line| line.trim().strip_prefix("saved "))
        {
            return folder.join(name);
        }
    }
    panic!(
        "the window answers no key; the lines were {:#?}",
        window.seen
    );
}

/// Takes screenshots until one passes the check: at the first key press the window may still wait
/// for its other threads.
fn photographed(
    display: &Display,
    window: &mut Window,
    folder: &Path,
    fault: impl Fn(&RgbaImage) -> Result<(), String>,
) {
    let end = Instant::now() + PATIENCE;
    loop {
        display.key("F12");
        let seen = open(&window.saved(folder));
        match fault(&seen) {
            Ok(()) => return,
            Err(said) => assert!(Instant::now() < end, "{said}"),
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// Checks that the window's picture differs from the one without lava in most places where the
/// headless picture differs much.
fn lava_is_there(style: Style, seen: &RgbaImage, headless: &Headless) -> Result<(), String> {
    let (with, without) = (headless.draw(style), headless.draw_bare(style));
    let apart = |a: &RgbaImage, b: &RgbaImage, x: u32, y: u32| -> i32 {
        let (p, q) = (a.get_pixel(x, y).0, b.get_pixel(x, y).0);
        (0..3).map(|c| i32::from(p[c].abs_diff(q[c]))).sum()
    };
    let places: Vec<_> = with.enumerate_pixels().map(|(x, y, _)| (x, y)).collect();
    // The picture without lava has no colour bar for amounts, so the area of the bar is left out.
    let in_view = places.into_iter().filter(|&(x, y)| !is_under_legend(x, y));
    let lava: Vec<_> = in_view
        .filter(|&(x, y)| apart(&with, &without, x, y) > 90)
        .collect();
    let right = lava
        .iter()
        .filter(|&&(x, y)| apart(seen, &with, x, y) < apart(seen, &without, x, y))
        .count();
    assert!(
        lava.len() > 20,
        "{style:?}: {} pixels show lava",
        lava.len()
    );
    // Edges are antialiased with different rays, so a quarter of the pixels may differ.
    match 4 * right > 3 * lava.len() {
        true => Ok(()),
        false => Err(format!(
            "{style:?}: {right} of {} lava pixels are right",
            lava.len()
        )),
    }
}

/// Copies the colour bar's area from `seen` into `expected`: the headless renderer draws a bar into
/// pictures of the plain styles, but the window draws its bar in the panel's layer, which
/// screenshots leave out.
fn legend_from(seen: &RgbaImage, mut expected: RgbaImage) -> RgbaImage {
    for (x, y, pixel) in expected.enumerate_pixels_mut() {
        if is_under_legend(x, y) {
            *pixel = *seen.get_pixel(x, y);
        }
    }
    expected
}

/// True if a colour bar, of lava or air, covers the pixel.
fn is_under_legend(x: u32, y: u32) -> bool {
    x + 160 > WIDTH && y + HEIGHT / 3 + 60 > HEIGHT
}

/// Waits until the screen has stopped changing, and returns its pixels.
fn wait_until_still(display: &Display) -> RgbaImage {
    let end = Instant::now() + PATIENCE;
    let mut last = display.pixels();
    while Instant::now() < end {
        std::thread::sleep(Duration::from_secs(2));
        let now = display.pixels();
        if now == last {
            return now;
        }
        last = now;
    }
    panic!("the screen never came to rest");
}

/// Checks that a slice cuts away the ground and lava in front of its plane, as a clip does.
fn slices_cut_the_world_open(
    display: &Display,
    window: &mut Window,
    folder: &Path,
    headless: &Headless,
) {
    let whole = headless.draw(Style::Cinematic);
    for (key, axis) in [("z", 2), ("x", 0), ("y", 1)] {
        let expected = headless.draw_opened(axis);
        assert!(
            difference(&whole, &expected) > 0.5,
            "a cut across {key} changes the picture"
        );
        display.key(key);
        window.wait_for("slice ");
        photographed(display, window, folder, |seen| {
            keep(&format!("slice {key}"), seen);
            let apart = difference(seen, &expected);
            // A level cut removes little of a mountain, so its bound is relative to the whole
            // picture.
            let is_opened = apart < 1.5 && 2.0 * apart < difference(seen, &whole);
            if is_opened {
                Ok(())
            } else {
                Err(format!("the cut across {key} is {apart:.2} levels off"))
            }
        });
        display.key(key);
        window.wait_for("off");
    }
}

fn a_click_places_a_vent(display: &Display, window: &mut Window, headless: &Headless) {
    let look = headless.scene.spec.look.clone();
    let renderer = Renderer::new(
        headless.world.ground().surface(),
        headless.world.grid(),
        look,
    )
    .expect("a right look");
    let camera = headless.camera(&renderer);
    let pixel = (WIDTH / 2, 2 * HEIGHT / 3);
    display.key("F3");
    window.wait_for("tool source");
    display.click(pixel);
    let line = window.wait_for("placed at x");
    let numbers: Vec<f64> = line
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let [.., x, z] = numbers[..] else {
        panic!("no place in {line:?}")
    };
    // The place must lie under the pixel: on the pixel's ray, at the height of the ground in that
    // column.
    let column = (x as usize, z as usize);
    let ground = f64::from(headless.world.ground().surface()[[column.1, column.0]]);
    let point = [x, ground, z].map(|v| v as f32);
    let (px, py, _) = camera
        .project(point.into())
        .expect("in front of the camera");
    let apart = (px - pixel.0 as f32).hypot(py - pixel.1 as f32);
    assert!(
        apart < 12.0,
        "the vent at {x}, {z} lies {apart:.0} pixels from the click"
    );
    display.key("F2");
    window.wait_for("tool orbit");
}

fn a_recording_moves(display: &Display, window: &mut Window, folder: &Path) {
    display.key("F9");
    window.wait_for("recording");
    display.key("space");
    // Long enough for some frames of the slowest machine.
    std::thread::sleep(Duration::from_secs(8));
    display.key("F9");
    let film = window.saved(folder);
    display.key("space");
    window.wait_for("paused");
    // Even the shortest recording holds a picture.
    display.xdotool(&["key", "F9", "F9"]);
    window.wait_for("recording ended");
    let short = open(&window.saved(folder));
    assert_eq!(short.dimensions(), (WIDTH, HEIGHT));
    let file = BufReader::new(fs::File::open(&film).expect("the recording is there"));
    let frames = image::codecs::webp::WebPDecoder::new(file)
        .expect("a WebP file")
        .into_frames();
    let frames = frames.collect_frames().expect("whole frames");
    let (first, last) = (frames[0].buffer(), frames[frames.len() - 1].buffer());
    keep("recording", last);
    assert!(frames.len() > 1, "{} frames", frames.len());
    assert!(first != last, "the recording moves");
}

#[test]
fn ctrl_c_in_the_terminal_closes_the_window() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open(&display, folder.path(), &["--pace", "free"]);
    window.wait_for("step 100");
    window.program.interrupt();
    window.wait_for("closed");
    assert_eq!(window.end().code(), Some(130));
}

/// Starts the program without a subcommand where no window can open, and ends it as soon as it
/// names its alternative. Returns all lines of output.
fn erupts_without_a_window(display: Option<&str>, drivers: Option<&str>) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    command.current_dir(folder.path()).stderr(Stdio::piped());
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(name);
    }
    display.map(|display| command.env("DISPLAY", display));
    drivers.map(|drivers| {
        command
            .env("VK_DRIVER_FILES", drivers)
            .env("VK_ICD_FILENAMES", drivers)
    });
    let mut program = Running::start(&mut command);
    let mut said = String::new();
    let mut lines = BufReader::new(program.stderr.take().expect("piped"));
    lines.read_line(&mut said).expect("text");
    // Before the first frame the program has no film to end.
    let start = Instant::now();
    while !folder
        .path()
        .join("lavoxel-out/eruption.webp.parts/frame-000000.png")
        .exists()
    {
        assert!(start.elapsed() < PATIENCE, "nothing is drawn: {said}");
        std::thread::sleep(Duration::from_millis(50));
    }
    program.interrupt();
    lines.read_to_string(&mut said).expect("text");
    assert_eq!(program.wait().expect("it ends").code(), Some(130), "{said}");
    assert!(
        folder.path().join("lavoxel-out/eruption.webp").exists(),
        "{said}"
    );
    // A picture that would take longer than the grace period is given up, with a message.
    let given_up = said.contains("stopped before lavoxel-out/eruption.png was drawn");
    assert_eq!(
        folder.path().join("lavoxel-out/eruption.png").exists(),
        !given_up,
        "{said}"
    );
    said
}

#[test]
fn without_a_window_the_volcano_erupts_into_files() {
    // Records a skip if Xvfb is missing; the first two cases need no server.
    let server = Display::start();
    let reasons = [
        (None, None, "there is no display"),
        (Some(":4711"), None, "the display :4711 cannot be opened"),
        (
            server.as_ref().map(|server| server.name.as_str()),
            Some("/nonexistent"),
            "no graphics adapter was found",
        ),
    ];
    for (display, drivers, reason) in reasons {
        if drivers.is_some() && display.is_none() {
            continue;
        }
        let said = erupts_without_a_window(display, drivers);
        let first = said.lines().next().unwrap_or_default();
        // A minimal system lacks the library that connects to a display.
        let no_library =
            display.is_some() && server.is_none() && first.contains("the system library ");
        assert!(
            first.starts_with("no window: ") && (first.contains(reason) || no_library),
            "{said}"
        );
        assert!(
            first.ends_with(
                "drawing the eruption into lavoxel-out instead, as lavoxel render eruption does"
            ),
            "{said}"
        );
        assert!(
            said.contains("lavoxel-out/eruption.png") && !said.contains("panicked"),
            "{said}"
        );
    }
}

#[test]
fn without_a_display_one_message_names_the_way_out() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for display in [None, Some(":4711")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
        command
            .arg("view")
            .current_dir(folder.path())
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        command.env_remove("WAYLAND_SOCKET");
        if let Some(display) = display {
            command.env("DISPLAY", display);
        }
        let mut said = String::new();
        let mut program = Running::start(command.stderr(Stdio::piped()));
        program
            .stderr
            .take()
            .expect("piped")
            .read_to_string(&mut said)
            .expect("text");
        assert_eq!(
            program.wait().expect("it ends").code(),
            Some(2),
            "{display:?}: {said}"
        );
        let names = predicates::str::contains("lavoxel render");
        assert!(names.eval(&said), "{display:?}: {said}");
        assert!(
            !said.contains(['?', '\r']) && said.lines().count() == 1,
            "{display:?}: {said}"
        );
    }
}

#[test]
fn brush_and_source_pour_the_chosen_material() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "[grid]\nsize = [32, 32, 32]\n[terrain]\nkind = \"plane\"\n[[material]]\nname = \"water\"\n";
    fs::write(folder.path().join("plain.toml"), text).expect("a scene file");
    let mut window = Window::open(&display, folder.path(), &["plain.toml", "--paused"]);
    window.wait_for("first picture");
    display.xdotool(&["search", "--sync", "--name", "Lavoxel", "windowfocus"]);
    let middle = (WIDTH / 2, HEIGHT / 2);
    display.key("F3");
    window.wait_for("tool source");
    display.click(middle);
    window.wait_for("vent 1 placed");
    display.key("m");
    window.wait_for("material water");
    display.click((middle.0 - 60, middle.1 - 20));
    window.wait_for("water source 2 placed");
    display.key("F4");
    window.wait_for("tool fill");
    // The place is away from the handles of vent and source; the button is held, because a stroke
    // begins only with the answer to its ray.
    display.xdotool(&[
        "mousemove",
        &(middle.0 + 50).to_string(),
        &(middle.1 - 20).to_string(),
    ]);
    std::thread::sleep(Duration::from_millis(1500));
    display.xdotool(&["mousedown", "1"]);
    std::thread::sleep(Duration::from_millis(1500));
    display.xdotool(&["mouseup", "1"]);
    display.key("ctrl+s");
    let saved = Scene::load(&window.saved(folder.path())).expect("the session");
    assert_eq!((saved.spec.vents.len(), saved.spec.sources.len()), (1, 1));
    let put = saved
        .spec
        .events
        .iter()
        .find_map(|event| event.put.clone())
        .expect("a stroke of the brush");
    assert_eq!(put.matter.material(), Some("water"));
    display.key("ctrl+q");
    window.wait_for("closed");
}

#[test]
fn a_fast_stroke_has_no_gaps_a_way_back_keeps_it_and_a_dialog_opens_scenes() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "[grid]\nsize = [64, 32, 64]\n[terrain]\nkind = \"plane\"\n";
    fs::write(folder.path().join("plain.toml"), text).expect("a scene file");
    let mut window = Window::open(&display, folder.path(), &["plain.toml", "--paused"]);
    window.wait_for("first picture");
    display.xdotool(&["search", "--sync", "--name", "Lavoxel", "windowfocus"]);
    display.key("F5");
    window.wait_for("tool rock");
    // The whole stroke is one mouse motion, with the button released at once.
    let (y, from, to) = (
        (HEIGHT / 2 + 20).to_string(),
        (WIDTH / 2 - 90).to_string(),
        (WIDTH / 2 + 90).to_string(),
    );
    display.xdotool(&["mousemove", &from, &y]);
    std::thread::sleep(Duration::from_millis(1500));
    display.xdotool(&["mousedown", "1", "mousemove", &to, &y, "mouseup", "1"]);
    std::thread::sleep(Duration::from_millis(1500));
    display.key("ctrl+s");
    let saved = Scene::load(&window.saved(folder.path())).expect("the session");
    let centers: Vec<[f64; 3]> = saved
        .spec
        .events
        .iter()
        .filter_map(|event| event.put.as_ref())
        .map(center)
        .collect();
    assert!(centers.len() > 8, "{centers:?}");
    for pair in centers.windows(2) {
        let apart = (0..3)
            .map(|k| (pair[1][k] - pair[0][k]).powi(2))
            .sum::<f64>()
            .sqrt();
        assert!(
            apart > 0.9 && apart <= 2.02,
            "{apart:.2} cells from dab to dab: {pair:?}"
        );
    }
    // A stroke in the sky gives a message.
    display.xdotool(&["mousemove", "20", "8"]);
    std::thread::sleep(Duration::from_millis(500));
    display.xdotool(&["mousedown", "1", "mouseup", "1"]);
    window.wait_for("nothing is put in: the pointer is outside the box");

    display.key("BackSpace");
    window.wait_for("back to step 0");
    display.key("shift+j");
    window.wait_for("to step 0");
    std::thread::sleep(Duration::from_millis(1500));
    display.key("ctrl+s");
    let again = Scene::load(&window.saved(folder.path())).expect("the session");
    assert_eq!(
        again.spec.events, saved.spec.events,
        "what was built is there again"
    );

    display.key("ctrl+o");
    // If a file portal waits for an answer, a second key press opens the window's own dialog.
    if !window
        .lines_for(Duration::from_secs(8))
        .iter()
        .any(|line| line.contains("open dialog"))
    {
        display.key("ctrl+o");
        window.wait_for("open dialog");
    }
    display.xdotool(&["type", "--delay", "120", "bowl"]);
    std::thread::sleep(Duration::from_millis(1500));
    keep("dialog", &display.pixels());
    display.key("Return");
    window.wait_for("opening shipped:/bowl.toml");
    window.wait_for("scene ");
    display.key("ctrl+q");
    window.wait_for("closed");
}

#[test]
fn the_start_screen_lies_over_the_volcano_and_opens_scenes() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open(&display, folder.path(), &[]);
    window.wait_for("first picture");
    display.xdotool(&["search", "--sync", "--name", "Lavoxel", "windowfocus"]);
    std::thread::sleep(Duration::from_millis(1500));
    keep("start screen", &display.pixels());
    assert!(
        folder.path().join("state/lavoxel/tour").exists(),
        "the tour is shown once"
    );
    // Space types a letter here and does not pause.
    display.xdotool(&["type", "--delay", "120", "bowl"]);
    std::thread::sleep(Duration::from_millis(1500));
    display.key("Return");
    window.wait_for("opening shipped:/bowl.toml");
    window.wait_for("scene bowl");
    // The start screen is closed, and the tour, which begins now, leaves the keys to the window.
    display.key("F5");
    window.wait_for("tool rock");
    display.key("Escape");
    window.wait_for("tour ended");
    display.key("ctrl+n");
    window.wait_for("open dialog");
    display.key("Escape");
    std::thread::sleep(Duration::from_millis(1500));
    display.key("ctrl+q");
    window.wait_for("closed");
}

/// Centre of a dab in cells (x, y, z).
fn center(edit: &lavoxel::world::Edit) -> [f64; 3] {
    match edit.shape {
        lavoxel::world::Shape::Sphere { center, .. } => center,
        ref other => panic!("not a dab: {other:?}"),
    }
}

#[test]
fn memory_stays_flat_while_lava_runs_and_the_camera_turns() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open(&display, folder.path(), &["--pace", "20"]);
    window.wait_for("step 100");
    display.xdotool(&[
        "search",
        "--sync",
        "--name",
        "Lavoxel",
        "windowfocus",
        "mousemove",
        "5",
        "5",
    ]);
    display.key("t");
    window.wait_for("turntable on");
    let first = window.resident_mb();
    // Freed bakes must go back to the system: the scene island then takes 460 MB, otherwise 780 MB.
    let environment = fs::read(format!("/proc/{}/environ", window.program.id())).expect("it runs");
    assert!(
        environment
            .split(|&byte| byte == 0)
            .any(|variable| variable == b"MALLOC_MMAP_THRESHOLD_=262144")
    );
    window.lines_for(Duration::from_secs(12));
    display.key("t");
    window.wait_for("turntable off");
    window.lines_for(Duration::from_secs(8));
    display.key("space");
    window.wait_for("paused");
    display.key("t");
    window.wait_for("turntable on");
    window.lines_for(Duration::from_secs(12));
    let growth = window.resident_mb() - first;
    // Snapshots for rewinding may take 128 MiB.
    assert!(
        growth < 50.0 + 135.0,
        "half a minute added {growth:.0} MB to {first:.0} MB"
    );
    display.key("ctrl+q");
    window.wait_for("closed");
    assert!(window.end().success());
}

#[test]
fn a_display_that_goes_away_ends_the_window_with_one_line() {
    let Some(mut display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open(&display, folder.path(), &["--pace", "60"]);
    window.wait_for("step 100");
    display.server.kill().expect("it runs");
    let log = [
        "step ",
        "pictures/s",
        "whole resolution",
        "picture finished",
    ];
    let said: Vec<String> = window.lines_for(PATIENCE);
    let said: Vec<&String> = said
        .iter()
        .filter(|line| !log.iter().any(|part| line.contains(part)))
        .collect();
    assert_eq!(window.end().code(), Some(1), "{said:?}");
    // Xlib ends the program itself if it notices the lost display first; Xlib has two such
    // messages, one with a line of counts.
    let said: Vec<_> = said
        .into_iter()
        .filter(|line| !line.trim_start().starts_with("after "))
        .collect();
    let [line] = said[..] else { panic!("{said:?}") };
    let of_xlib = line.starts_with("X connection to") || line.starts_with("XIO:");
    assert!(line.contains("display has gone") || of_xlib, "{line}");
}

/// Prints rates of pictures at 1280×800, for measuring:
/// `cargo test --release --test viewer rates_of_pictures -- --ignored --nocapture`
#[test]
#[ignore = "measures for a minute and asserts no time: cargo test --release --test viewer rates_of_pictures -- --ignored --nocapture"]
fn rates_of_pictures() {
    let Some(display) = Display::of_size("1280x800") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let size = ["--size", "1280x800", "--panel", "on"];
    let mut words = vec!["--steps", "2000"];
    words.extend(size);
    let mut window = Window::open(&display, folder.path(), &words);
    println!("{}", window.wait_for("first picture"));
    window.wait_for("paused at step 2000");
    println!("standing still:   {}", window.wait_for("finished").trim());
    display.xdotool(&[
        "search",
        "--sync",
        "--name",
        "Lavoxel",
        "windowfocus",
        "mousemove",
        "800",
        "5",
    ]);
    let mut phase = |name: &str, keys: [&str; 2]| {
        display.key(keys[0]);
        for line in window
            .lines_for(Duration::from_secs(12))
            .iter()
            .filter(|line| line.contains("pictures/s"))
        {
            println!("{name} {}", line.trim());
        }
        display.key(keys[1]);
        window.wait_for("finished");
    };
    phase("lava runs:       ", ["space", "space"]);
    phase("the camera turns:", ["t", "t"]);
    println!("memory {:.0} MB", window.resident_mb());
    display.key("ctrl+q");
    assert!(window.end().success());
}
