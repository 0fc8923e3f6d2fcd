//! What is done with hostile bytes, one line for each parser. The fuzz targets and `tests/hostile.rs` share it.
//!
//! A parser holds when it neither panics nor takes more than the [`LIMIT`], and refuses in one line that names the file.
//! What it accepts goes on into a small world, where it must do no harm either.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::memory;
use lavoxel::scene::Scene;
use lavoxel::terrain::{Fill, Kind, LoadOptions, TerrainSpec, load};

/// Memory that a parser may take, in bytes.
pub const LIMIT: u64 = 64 << 20;

/// Longest message that a person still reads, in letters; a wrong key names all that are known.
const LONGEST_MESSAGE: usize = 1000;

/// Largest box that an accepted scene is built in, and most things put into it: what is asked here is whether it does
/// harm, not how long a large world takes.
const MOST_CELLS: usize = 1 << 16;
const MOST_PARTS: usize = 32;

/// A parser.
pub struct Target {
    /// Name of the fuzz target and of its folder of seeds.
    pub name: &'static str,
    /// Ending of the files that it reads.
    pub ending: &'static str,
    /// Reads a file and uses what it holds; the message when it is refused.
    read: fn(&Path) -> Result<(), String>,
}

/// All parsers. A new heightmap format is one line here, and a fuzz target of three.
pub const TARGETS: &[Target] = &[
    Target { name: "scene", ending: "toml", read: scene },
    Target { name: "asc", ending: "asc", read: heightmap },
    Target { name: "csv", ending: "csv", read: heightmap },
    Target { name: "png", ending: "png", read: heightmap },
];

thread_local! {
    /// The file that carries the bytes, in a folder that goes when the thread ends.
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// Lets a target read bytes.
///
/// # Panics
/// When the parser does not hold.
pub fn run(name: &str, bytes: &[u8]) {
    memory::set_limit(LIMIT);
    let target = TARGETS.iter().find(|target| target.name == name).expect("a known target");
    let path = written(bytes, target.ending);
    if let Err(message) = (target.read)(&path) {
        let file = path.file_name().and_then(|name| name.to_str()).expect("it has a name");
        assert!(message.contains(file), "the message does not name the file: {message}");
        assert_eq!(message.lines().count(), 1, "more than one line: {message}");
        assert!(!message.contains(|c: char| c.is_control()), "control characters: {message:?}");
        assert!(message.chars().count() <= LONGEST_MESSAGE, "a long message: {message}");
    }
}

fn written(bytes: &[u8], ending: &str) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| tempfile::tempdir().expect("a temporary folder"));
        let path = folder.path().join("hostile").with_extension(ending);
        fs::write(&path, bytes).expect("a temporary file");
        path
    })
}

/// Reads a heightmap, measures it and fits it into a small box.
fn heightmap(path: &Path) -> Result<(), String> {
    let options = LoadOptions { cell_size_m: Some(10.0), ..LoadOptions::default() };
    let with_own_size = load(path, &LoadOptions::default());
    let map = load(path, &options).map_err(|e| e.to_string())?;
    assert_eq!(map.heights.dim(), (map.rows(), map.cols()));
    for map in with_own_size.iter().chain([&map]) {
        assert!(map.rows() > 0 && map.cols() > 0, "a map without heights");
        assert!(map.cell_size_m.0 > 0.0 && map.cell_size_m.1 > 0.0, "cells of {:?} m", map.cell_size_m);
        map.statistics();
    }
    let spec = TerrainSpec {
        kind: Kind::Heightmap,
        file: Some(path.to_owned()),
        fill_no_data: Some(Fill::Nearest),
        ..TerrainSpec::default()
    };
    // A land that does not fit is refused without a file: the scene that asked for it is named by its caller.
    if let Ok(surface) = spec.build(Grid::new(9, 40, 7), None, Path::new("")) {
        assert!(surface.heights.iter().all(|h| (0.0..=40.0).contains(h)), "ground outside of the box");
    }
    Ok(())
}

/// Reads a scene, and lets a small one run for some steps.
fn scene(path: &Path) -> Result<(), String> {
    let scene = Scene::load(path).map_err(|e| e.to_string())?;
    let spec = &scene.spec;
    let parts = spec.vents.len() + spec.bodies.len() + spec.events.len();
    if spec.grid.size.iter().product::<usize>() > MOST_CELLS || parts > MOST_PARTS {
        return Ok(());
    }
    let stage = scene.build(Box::new(Tiled::default())).map_err(|e| e.to_string())?;
    let mut simulation = stage.simulation;
    (0..3).for_each(|_| simulation.step());
    simulation.world().check().expect("the account is exact");
    Ok(())
}
