//! Lavoxel in a page of a browser: a session with its pictures, for one worker of the page.
//!
//! The worker calls [`Page`]; text goes to the page as JSON ([`report`]), pictures as bytes in the
//! module's memory ([`picture`]). The same code runs natively, by which tests compare both.
//!
//! - Invariant: the module changes a simulation only by commands of the session, as the window does,
//!   so a session has the same bits in the page and in the program.

#![warn(missing_docs)]

#[cfg(feature = "gpu")]
pub mod card;
mod orbit;
mod picture;
mod report;
#[cfg(not(feature = "gpu"))]
mod tracer;

use std::path::{Path, PathBuf};
use std::time::Duration;

use wasm_bindgen::prelude::*;
use web_time::Instant;

use self::picture::Picture;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::Quantity;
use lavoxel_files::archive;
use lavoxel_render::{Axis, Named, Style};
use lavoxel_scene::scene::{Scene, pack};
use lavoxel_session::history::History;
use lavoxel_session::{Brush, CellSize, Dam, Probe, Session, Stroke, Tool, Way, probe};
use lavoxel_sim::simulation::Command;
use lavoxel_sim::source::{VentChange, VentFlow, VentSpec};

/// Memory that a page may take, in bytes: a phone's browser ends a tab at about twice of it.
const MOST_BYTES: u64 = 768 << 20;
/// Memory that a page may take for snapshots of earlier moments, in bytes.
const MOST_SNAPSHOTS: u64 = 48 << 20;
/// Radius in cells and rate in full cells a step of a source that a click places, as in the window.
const SOURCE: (f64, f64) = (2.5, 1.8);

/// A running scene and its pictures.
#[wasm_bindgen]
pub struct Page {
    session: Session,
    picture: Picture,
    /// Path by which the scene was opened.
    path: PathBuf,
}

/// Prepares the module: sets the memory limit, and writes the text of a panic to the console, since
/// the page sees only that the module ended.
#[wasm_bindgen(start)]
pub fn start() {
    lavoxel_base::memory::set_limit(MOST_BYTES);
    #[cfg(target_arch = "wasm32")]
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}

#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// Returns the built-in scenes as JSON: a list of `{ name, about, is_challenge }`.
#[wasm_bindgen]
pub fn scenes() -> String {
    report::scenes()
}

/// Returns the tools as JSON: a list of `{ name, what, brush, pours }`.
#[wasm_bindgen]
pub fn tools() -> String {
    report::tools()
}

/// Keeps the file `name` with the content `bytes`, so that scenes can read it. Returns the path of
/// the file for `Page::new`.
///
/// # Errors
/// If the file is too long for the memory of a page.
#[wasm_bindgen]
pub fn keep(name: &str, bytes: Vec<u8>) -> Result<String, String> {
    let path = archive::keep(name, bytes).map_err(|error| error.to_string())?;
    Ok(path.to_string_lossy().into_owned())
}

/// Drops all files that `keep` has kept.
#[wasm_bindgen]
pub fn forget() {
    archive::forget();
}

/// Opens the scene, heightmap or session file at `path`; a session file goes on at its moment.
fn open(path: &Path) -> Result<Session, String> {
    let text = |error: lavoxel_scene::scene::SceneError| error.to_string();
    if archive::is_session(path)
        && let Some((scene, history)) = pack::history(path).map_err(text)?
    {
        let history = History::from_text(&history).map_err(|error| error.to_string())?;
        return Session::resume(scene, history);
    }
    Session::open(Scene::open(path).map_err(text)?).map_err(text)
}

#[wasm_bindgen]
impl Page {
    /// Opens the file at `path`: `shipped:/NAME.toml`, or a path that `keep` returned.
    ///
    /// # Errors
    /// The message of the program, one line.
    #[wasm_bindgen(constructor)]
    pub fn new(path: &str) -> Result<Self, String> {
        let path = PathBuf::from(path);
        let session = open(&path)?;
        Self::of(session, path)
    }

    /// Opens the scene at `path` with the acts of `history`, the text of a session's history, and
    /// begins their replay.
    ///
    /// # Errors
    /// The message of the program, one line.
    pub fn replayed(path: &str, history: &str) -> Result<Self, String> {
        let path = PathBuf::from(path);
        let scene = Scene::open(&path).map_err(|error| error.to_string())?;
        let history = History::from_text(history).map_err(|error| error.to_string())?;
        Self::of(Session::resume(scene, history)?, path)
    }

    /// Makes up to `steps` steps, for at most about `milliseconds`; while the session seeks another
    /// moment, replays it instead. Returns the number of steps made.
    pub fn advance(&mut self, steps: u32, milliseconds: f64) -> u32 {
        let (start, budget) = (Instant::now(), Duration::from_secs_f64(milliseconds / 1e3));
        if self.session.travels() {
            while self.session.travels() && start.elapsed() < budget {
                if self.session.go_on() {
                    self.picture.jump(&self.session);
                }
            }
            return 0;
        }
        let mut made = 0;
        while made < steps && (made == 0 || start.elapsed() < budget) {
            self.session.step();
            made += 1;
        }
        made
    }

    /// Returns true while the session seeks another moment.
    pub fn travels(&self) -> bool {
        self.session.travels()
    }

    /// Returns the number of steps made.
    pub fn steps(&self) -> f64 {
        self.session.simulation().steps() as f64
    }

    /// Returns the hash of the state, as `lavoxel run --json` prints it.
    pub fn hash(&self) -> String {
        format!("{:016x}", self.session.simulation().world().state_hash())
    }

    /// Draws a picture of `width` × `height` pixels that takes about 1 / `fps` seconds, or for 0 one
    /// of a scene at rest. Returns true if another picture of the same state would look better.
    ///
    /// # Errors
    /// If the graphics card is gone.
    pub fn draw(&mut self, width: usize, height: usize, fps: f32) -> Result<bool, String> {
        self.picture.draw(&self.session, (width, height), fps)
    }

    /// Returns where the last picture lies in the module's memory, four bytes a pixel.
    pub fn pixels(&self) -> *const u8 {
        self.picture.rgba().as_ptr()
    }

    /// Returns the share of the resolution at which the last picture was traced, along each axis.
    pub fn share(&self) -> f32 {
        self.picture.share()
    }

    /// Computes more of the fine maps of the ground, for about `milliseconds`. Returns true if they
    /// are not done.
    pub fn bake(&mut self, milliseconds: f64) -> bool {
        let budget = Duration::from_secs_f64(milliseconds / 1e3);
        self.picture.bake(self.session.simulation().world(), budget)
    }

    /// Turns the camera around its target by angles in degrees.
    pub fn turn(&mut self, right: f32, up: f32) {
        self.picture.orbit.turn(right, up);
    }

    /// Moves the camera nearer to its target by the factor `by`.
    pub fn zoom(&mut self, by: f32) {
        self.picture.orbit.zoom(by);
    }

    /// Moves what the camera shows by (`right`, `down`) in heights of the picture.
    pub fn pan(&mut self, right: f32, down: f32) {
        self.picture.pan(right, down);
    }

    /// Returns the camera as six numbers that `set_camera` takes: azimuth and elevation in degrees,
    /// zoom, and the movement of the target in shares of the box.
    pub fn camera(&self) -> Vec<f32> {
        self.picture.orbit.numbers().to_vec()
    }

    /// Sets the camera to the numbers of `Page::camera`; no numbers: the camera of the scene.
    pub fn set_camera(&mut self, numbers: &[f32]) {
        self.picture.orbit.set_numbers(numbers);
    }

    /// Draws in the style called `name` from now on.
    ///
    /// # Errors
    /// If there is no such style.
    pub fn set_style(&mut self, name: &str) -> Result<(), String> {
        let style = Style::ALL.iter().find(|style| style.name() == name);
        let style = style.ok_or_else(|| format!("there is no style {name}"))?;
        self.picture.set_style(*style)
    }

    /// Cuts the box open across the axis `axis` (0 x, 1 y, 2 z) at `share` of it and shows
    /// `quantity` there, the name of one of the report's quantities; a share below 0 closes it.
    pub fn set_slice(&mut self, axis: usize, share: f32, quantity: &str) {
        let Some(axis) = [Axis::X, Axis::Y, Axis::Z].get(axis).copied() else {
            return;
        };
        let world = self.session.simulation().world();
        let of_name = |known: &Quantity| known.name() == quantity;
        let quantity = world.quantities().into_iter().find(of_name);
        self.picture
            .set_slice(axis, (share >= 0.0).then_some(share), quantity);
    }

    /// Returns the report of the session as JSON, and takes its notices.
    pub fn report(&mut self) -> String {
        let notices = self.session.take_notices();
        report::session(&mut self.session, &self.picture, notices)
    }

    /// Applies the tool `tool` along the pointer's path `points`: x and y in pixels of the last
    /// picture, one pair after the other. `material`: name of what is put in; `radius` of the brush
    /// in cells; `begins`: set for the first piece of a stroke.
    ///
    /// # Errors
    /// Why nothing was changed.
    pub fn stroke(
        &mut self,
        tool: &str,
        material: &str,
        radius: f64,
        points: &[f32],
        begins: bool,
    ) -> Result<(), String> {
        let tool = named(tool)?;
        let material = (material != Material::LAVA).then_some(material);
        let brush = Brush {
            radius,
            ..Brush::default()
        };
        let (part, rays) = self.picture.rays(points);
        self.session.draw(&Stroke {
            begins,
            rays,
            part,
            radius,
            matter: brush.matter(tool, material, None),
        })
    }

    /// Places a source of `material` where the pointer at (`x`, `y`) meets the scene.
    ///
    /// # Errors
    /// Why none was placed.
    pub fn source(&mut self, material: &str, x: f32, y: f32) -> Result<(), String> {
        let found = self
            .met(x, y)
            .ok_or("no source is placed: the pointer is outside the box")?;
        if found.cut {
            return Err("no source is placed: this is the cut side of the box".to_owned());
        }
        let simulation = self.session.simulation();
        let (world, grid) = (simulation.world(), simulation.world().grid());
        let is_lava = material == Material::LAVA;
        let spec = VentSpec {
            x: f64::from(found.point[0]).clamp(0.0, grid.nx as f64),
            z: f64::from(found.point[2]).clamp(0.0, grid.nz as f64),
            radius: SOURCE.0,
            rate: SOURCE.1,
            start: simulation.steps(),
            material: (!is_lava).then(|| material.to_owned()),
            flow: (is_lava && world.flow().is_some()).then(Box::<VentFlow>::default),
            ..VentSpec::default()
        };
        self.session.command(spec.into(), false)
    }

    /// Closes the source with the number `number` of the report.
    ///
    /// # Errors
    /// If there is none.
    pub fn close_source(&mut self, number: usize) -> Result<(), String> {
        self.session
            .command(VentChange::Close(number).into(), false)
    }

    /// Builds a dam of `height_m` metres, or digs a ditch for a negative height, along the line
    /// between the points at which the pointer at (`x0`, `y0`) and at (`x1`, `y1`) meets the scene;
    /// not a number: a height that suits the scene.
    ///
    /// # Errors
    /// Why none was built.
    pub fn dam(&mut self, ends: &[f32], height_m: f64) -> Result<(), String> {
        let &[x0, y0, x1, y1] = ends else {
            return Err("a dam has two ends".to_owned());
        };
        let outside = "no dam is built: the pointer is outside the box";
        let from = self.met(x0, y0).ok_or(outside)?;
        let to = self.met(x1, y1).ok_or(outside)?;
        let (site, world) = (self.session.site(), self.session.simulation().world());
        let cell = CellSize {
            width_m: site.cell_size_m,
            height_m: site.cell_height_m(),
            is_of_flow: world.flow().is_some(),
        };
        let mut dam = Dam::fitting(cell);
        if height_m.is_finite() && height_m != 0.0 {
            dam.height_m = height_m;
        }
        let command = Command::Put(dam.edit([from.point, to.point], cell));
        self.session.command(command, false)
    }

    /// Returns a readout of the cell under the pointer at (`x`, `y`), empty outside of the box.
    pub fn probe(&self, x: f32, y: f32) -> String {
        let site = self.session.site();
        let metres = |axis: usize, cell: usize| match axis {
            1 => site.elevation_m(cell as f64 + 0.5),
            _ => (cell as f64 + 0.5) * site.cell_size_m,
        };
        self.met(x, y)
            .map(|found| found.words(site.cell_size_m, metres))
            .unwrap_or_default()
    }

    /// Moves the session: `way` is `undo`, `redo`, `start`, `back`, `ahead`, `step` (to the step
    /// `number`) or `branch` (to the branch `number`). Returns true if time should stand still on
    /// arrival.
    ///
    /// # Errors
    /// If there is no such moment.
    pub fn go(&mut self, way: &str, number: f64) -> Result<bool, String> {
        let number = number.max(0.0) as u64;
        let way = match way {
            "undo" => Way::Undo,
            "redo" => Way::Redo,
            "start" => Way::Start,
            "back" => Way::Back,
            "ahead" => Way::Ahead,
            "step" => Way::Step(number),
            "branch" => Way::Branch(number),
            other => return Err(format!("there is no way {other}")),
        };
        self.session.go(way)
    }

    /// Keeps the present moment, to which `back` and `ahead` return.
    ///
    /// # Errors
    /// If there is no memory left for it.
    pub fn keep_moment(&mut self) -> Result<(), String> {
        self.session.keep()
    }

    /// Returns the history of the session as text, for `Page::replayed`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn history(&self) -> Result<String, String> {
        self.session.history_text()
    }

    /// Returns the path by which the scene was opened.
    pub fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// Returns the session as the bytes of a session file, which the window opens.
    ///
    /// # Errors
    /// If a file of the scene cannot be read.
    pub fn save(&mut self) -> Result<Vec<u8>, String> {
        let (camera, look) = self.picture.view();
        self.session.set_view(camera, look);
        let name = format!("{}.{}", self.session.name(), archive::ENDING);
        self.session.to_bytes(Path::new(&name))
    }
}

impl Page {
    /// Prepares pictures of `session`, opened from `path`.
    fn of(mut session: Session, path: PathBuf) -> Result<Self, String> {
        session.limit_snapshots(MOST_SNAPSHOTS);
        let picture = Picture::new(&session)?;
        Ok(Self {
            session,
            picture,
            path,
        })
    }

    /// Returns what the pointer at (`x`, `y`) in pixels of the last picture meets.
    fn met(&self, x: f32, y: f32) -> Option<Probe> {
        let (part, rays) = self.picture.rays(&[x, y]);
        let found = probe(
            self.session.simulation().world(),
            self.session.site(),
            rays.first()?,
        )?;
        lavoxel_session::lies_in(found.point, part).then_some(found)
    }
}

fn named(tool: &str) -> Result<Tool, String> {
    let known = Tool::ALL.iter().find(|known| known.name() == tool);
    known
        .copied()
        .ok_or_else(|| format!("there is no tool {tool}"))
}
