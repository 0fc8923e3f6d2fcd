//! Parsers under hostile bytes, one line for each. The fuzz targets and `tests/hostile.rs` share
//! this crate.
//!
//! A parser passes if it neither panics nor allocates more than the [`LIMIT`], and refuses in one
//! line that names the file. Accepted input is used in a small world, where it must do no harm
//! either. The allocator counts the memory of each input separately.

mod container;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lavoxel::blocks::BlocksSpec;
use lavoxel::checkpoint::{Checkpoint, FORMAT};
use lavoxel::engine::plain::Plain;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::hazard::{Places, RunRecord, table};
use lavoxel::map::crs::MapUnit;
use lavoxel::map::features::{Feature, Features};
use lavoxel::map::geojson::{self, Polygons};
use lavoxel::map::{Crs, Site};
use lavoxel::memory;
use lavoxel::mesh::{MeshSpec, ShapeCache};
use lavoxel::records::Records;
use lavoxel::scene::{RatesFiles, Scene};
use lavoxel::terrain::{Encoding, Fill, LoadOptions, TerrainKind, TerrainSpec, load};
use peak_alloc::PeakAlloc;
use xxhash_rust::xxh3::xxh3_64;

/// Memory limit of a parser, in bytes.
pub const LIMIT: u64 = 64 << 20;

/// Memory in bytes that an input may take on top of the limit, for allocations that no estimate
/// counts.
const BESIDE: u64 = 64 << 20;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// Longest readable message in characters; the message for an unknown key lists all known keys.
const LONGEST_MESSAGE: usize = 1000;

/// Upper bound of the cells of a box in which an accepted scene is built, and of the parts put into
/// the box: the targets look for harm, and large worlds only take time.
const MOST_CELLS: usize = 1 << 16;
const MOST_PARTS: usize = 32;

/// Parser under test.
pub struct Target {
    /// Name of the fuzz target and of its seed folder.
    pub name: &'static str,
    /// Extension of the seed files.
    pub ending: &'static str,
    /// Cost of one input, in multiples of a text input: heavy targets get fewer mutations in `cargo
    /// test`.
    pub cost: usize,
    /// Function that reads bytes and uses the result.
    read: fn(&[u8]) -> Result<(), Refused>,
}

/// Refusal by a parser.
struct Refused {
    /// Name of the file, which the message must contain.
    name: String,
    message: String,
}

impl Refused {
    fn file<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> Self {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("it has a name")
            .to_owned();
        move |error| Self {
            name: name.clone(),
            message: error.to_string(),
        }
    }
}

/// All parsers. A new heightmap format needs one line here, and a fuzz target of three lines.
pub const TARGETS: &[Target] = &[
    Target {
        name: "scene",
        ending: "toml",
        cost: 1,
        read: scene,
    },
    Target {
        name: "asc",
        ending: "asc",
        cost: 1,
        read: |bytes| heightmap(&written("hostile.asc", bytes)),
    },
    Target {
        name: "csv",
        ending: "csv",
        cost: 1,
        read: |bytes| heightmap(&written("hostile.csv", bytes)),
    },
    Target {
        name: "png",
        ending: "png",
        cost: 1,
        read: |bytes| heightmap(&written("hostile.png", bytes)),
    },
    Target {
        name: "tif",
        ending: "tif",
        cost: 1,
        read: |bytes| heightmap(&written("hostile.tif", bytes)),
    },
    Target {
        name: "dem",
        ending: "dem",
        cost: 1,
        read: |bytes| heightmap(&written("hostile.dem", bytes)),
    },
    Target {
        name: "npy",
        ending: "npy",
        cost: 1,
        read: |bytes| heightmap(&written("hostile.npy", bytes)),
    },
    Target {
        name: "exr",
        ending: "exr",
        cost: 1,
        read: floats,
    },
    Target {
        name: "las",
        ending: "las",
        cost: 1,
        read: |bytes| heightmap(&written("hostile.las", bytes)),
    },
    Target {
        name: "vrt",
        ending: "vrt",
        cost: 1,
        read: mosaic,
    },
    Target {
        name: "nc",
        ending: "nc",
        cost: 1,
        read: |bytes| heightmap(&written("hostile.nc", bytes)),
    },
    Target {
        name: "xyz",
        ending: "xyz",
        cost: 1,
        read: |bytes| heightmap(&written("hostile.xyz", bytes)),
    },
    Target {
        name: "hgt",
        ending: "hgt",
        cost: 100,
        read: tile,
    },
    Target {
        name: "raw",
        ending: "raw",
        cost: 1,
        read: bare_numbers,
    },
    Target {
        name: "prj",
        ending: "prj",
        cost: 1,
        read: projection,
    },
    Target {
        name: "checkpoint",
        ending: "lavockpt",
        cost: 2,
        read: checkpoint,
    },
    Target {
        name: "sections",
        ending: "sections",
        cost: 2,
        read: sections,
    },
    Target {
        name: "mesh",
        ending: "mesh",
        cost: 4,
        read: mesh,
    },
    Target {
        name: "geojson",
        ending: "geojson",
        cost: 1,
        read: polygons,
    },
    Target {
        name: "geopackage",
        ending: "gpkg",
        cost: 4,
        read: geopackage,
    },
    Target {
        name: "vents",
        ending: "csv",
        cost: 1,
        read: vents,
    },
    Target {
        name: "record",
        ending: "run",
        cost: 1,
        read: record,
    },
    Target {
        name: "drape",
        ending: "png",
        cost: 4,
        read: drape,
    },
    Target {
        name: "session",
        ending: "lavoxel",
        cost: 2,
        read: session,
    },
    Target {
        name: "rates",
        ending: "csv",
        cost: 1,
        read: rates,
    },
    Target {
        name: "fronts",
        ending: "csv",
        cost: 40,
        read: fronts,
    },
    Target {
        name: "assets",
        ending: "csv",
        cost: 4,
        read: assets,
    },
    Target {
        name: "runs",
        ending: "csv",
        cost: 4,
        read: runs,
    },
    Target {
        name: "style",
        ending: "qml",
        cost: 20,
        read: style,
    },
    Target {
        name: "plan",
        ending: "json",
        cost: 1,
        read: plan,
    },
    Target {
        name: "input",
        ending: "txt",
        cost: 4,
        read: every_reader,
    },
];

thread_local! {
    /// Folder of the file that carries the bytes; deleted when the thread ends.
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// Runs target `name` on `bytes`; returns true if the parser accepts them.
///
/// # Panics
/// If the parser panics, takes too much memory, or refuses with a wrong message.
pub fn run(name: &str, bytes: &[u8]) -> bool {
    memory::set_limit(LIMIT);
    let target = TARGETS
        .iter()
        .find(|target| target.name == name)
        .expect("a known target");
    let before = ALLOCATED.current_usage();
    ALLOCATED.reset_peak_usage();
    let read = (target.read)(bytes);
    let taken = ALLOCATED.peak_usage().saturating_sub(before) as u64;
    assert!(
        taken <= LIMIT + BESIDE,
        "took {} MiB where {} are allowed",
        taken >> 20,
        LIMIT >> 20
    );
    let is_taken = read.is_ok();
    if let Err(Refused { name, message }) = read {
        assert!(
            message.contains(&name),
            "the message does not name {name}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "more than one line: {message}");
        assert!(
            !message.contains(|c: char| c.is_control()),
            "control characters: {message:?}"
        );
        assert!(
            message.chars().count() <= LONGEST_MESSAGE,
            "a long message: {message}"
        );
        // The parser's guard turns a panic into an error, which counts as a finding all the same.
        assert!(
            !message.contains("cannot be decoded"),
            "a decoder panicked: {message}"
        );
    }
    is_taken
}

/// Writes a file with these bytes, replacing the last file of that name; returns its path.
fn written(name: &str, bytes: &[u8]) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| tempfile::tempdir().expect("a temporary folder"));
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a temporary file");
        path
    })
}

/// Reads a heightmap, measures it and fits it into a small box.
fn heightmap(path: &Path) -> Result<(), Refused> {
    heightmap_with(path, &LoadOptions::default())
}

/// Reads a virtual raster beside a raster of 2 × 2 cells, `a.asc`.
fn mosaic(bytes: &[u8]) -> Result<(), Refused> {
    let text = b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4";
    written("a.asc", text);
    heightmap(&written("hostile.vrt", bytes))
}

/// Reads a picture of floats as shares of a height.
fn floats(bytes: &[u8]) -> Result<(), Refused> {
    let options = LoadOptions {
        white_m: Some(100.0),
        ..LoadOptions::default()
    };
    heightmap_with(&written("hostile.exr", bytes), &options)
}

/// Reads a heightmap with and without a cell size.
fn heightmap_with(path: &Path, options: &LoadOptions) -> Result<(), Refused> {
    let with_own_size = load(path, options);
    let options = LoadOptions {
        cell_size_m: Some(10.0),
        ..options.clone()
    };
    let map = load(path, &options).map_err(Refused::file(path))?;
    assert_eq!(map.heights.dim(), (map.rows(), map.cols()));
    for map in with_own_size.iter().chain([&map]) {
        assert!(map.rows() > 0 && map.cols() > 0, "a map without heights");
        assert!(
            map.cell_size_m.0 > 0.0 && map.cell_size_m.1 > 0.0,
            "cells of {:?} m",
            map.cell_size_m
        );
        map.statistics();
    }
    let spec = TerrainSpec {
        kind: TerrainKind::Heightmap,
        file: Some(path.to_owned()),
        fill_no_data: Some(Fill::Nearest),
        ..TerrainSpec::default()
    };
    // A terrain that does not fit is refused without naming a file: the caller names the scene.
    if let Ok(surface) = spec.build(Grid::new(9, 40, 7), None, Path::new("")) {
        assert!(
            surface.heights.iter().all(|h| (0.0..=40.0).contains(h)),
            "ground outside of the box"
        );
    }
    Ok(())
}

/// Size of the smallest SRTM tile in bytes.
const TILE_BYTES: usize = 2 * 1201 * 1201;

/// Reads an SRTM tile. The first line is the name of the file, which gives the tile's coordinates.
/// The remaining bytes are repeated to fill a tile, because seeds of millions of bytes would be too
/// heavy; a `-` before the name keeps the file short.
fn tile(bytes: &[u8]) -> Result<(), Refused> {
    let end = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(bytes.len());
    let name = String::from_utf8_lossy(&bytes[..end]);
    let rest = bytes.get(end + 1..).unwrap_or_default();
    let letters = name
        .trim_start_matches('-')
        .chars()
        .filter(|c| !c.is_control() && *c != '/')
        .take(40);
    let file = format!("{}.hgt", letters.collect::<String>());
    let filled: Vec<u8> = rest.iter().copied().cycle().take(TILE_BYTES).collect();
    let path = written(&file, if name.starts_with('-') { rest } else { &filled });
    let read = heightmap(&path);
    // The next file may have another name.
    fs::remove_file(&path).expect("it is there");
    read
}

/// Encodings of raw numbers, selected by the first byte of an input.
const ENCODINGS: [&str; 12] = [
    "u8", "i8", "u16", "i16be", "u32be", "i32", "u64", "i64be", "f16", "f32", "f32be", "f64be",
];

/// Reads raw numbers. The first four bytes give the encoding, columns and rows (0: the file is a
/// square), and bits that select further options.
fn bare_numbers(bytes: &[u8]) -> Result<(), Refused> {
    let [how, cols, rows, said] = *bytes.first_chunk().unwrap_or(&[0; 4]);
    let encoding = ENCODINGS[usize::from(how) % ENCODINGS.len()];
    let bit = |bit: u8, value: f64| (said >> bit & 1 == 1).then_some(value);
    let options = LoadOptions {
        raw_type: Some(encoding.parse::<Encoding>().expect("a known encoding")),
        raw_size: (cols > 0).then_some([usize::from(cols), usize::from(rows)]),
        black_m: bit(0, -100.0),
        white_m: bit(1, 5000.0),
        no_data: bit(2, 0.0),
        ..LoadOptions::default()
    };
    heightmap_with(
        &written("hostile.raw", bytes.get(4..).unwrap_or_default()),
        &options,
    )
}

/// Heightmap for a `.prj` file to belong to.
const PLAIN_MAP: &[u8] = b"ncols 2\nnrows 2\nxllcorner 138\nyllcorner 35\ncellsize 0.5\n1 2\n3 4\n";

/// Reads a heightmap with the bytes as its `.prj`, and converts the coordinate system to GeoTIFF
/// keys and back.
fn projection(bytes: &[u8]) -> Result<(), Refused> {
    let path = written("hostile.asc", PLAIN_MAP);
    written("hostile.prj", bytes);
    let map = load(&path, &LoadOptions::default());
    fs::remove_file(path.with_extension("prj")).expect("it is there");
    let crs = map
        .map_err(Refused::file(&path))?
        .origin
        .map(|origin| origin.crs)
        .unwrap_or_default();
    crs.name();
    let keys = crs.to_geo_keys();
    let size = |crs: &Crs| match crs.unit() {
        MapUnit::Length(size) | MapUnit::Angle(size) => (crs.is_geographic(), size),
    };
    let (degrees, unit) = size(&crs);
    assert!(unit > 0.0 && unit.is_finite(), "a unit of {unit}");
    if !keys.is_empty() {
        let again = Crs::from_geo_keys(keys);
        assert_eq!(again.epsg(), crs.epsg());
        let (degrees_again, unit_again) = size(&again);
        let same = (unit_again - unit).abs() <= 1e-9 * unit;
        assert!(
            degrees == degrees_again && same,
            "units of {unit} and, after a GeoTIFF, {unit_again}"
        );
    }
    Ok(())
}

/// Reads a checkpoint after fixing its format and checksums: nothing behind a wrong checksum would
/// be read.
fn checkpoint(bytes: &[u8]) -> Result<(), Refused> {
    go_on(&mended(bytes.to_vec()))
}

/// Reads a checkpoint built from unpacked sections in the input: length of the name (one byte),
/// name, length (four bytes, little-endian), and that number of bytes, or the rest.
fn sections(bytes: &[u8]) -> Result<(), Refused> {
    let mut rest = bytes;
    let mut take = |length: usize| {
        let (taken, later) = rest.split_at(length.min(rest.len()));
        rest = later;
        (!taken.is_empty()).then_some(taken)
    };
    let mut sections = Vec::new();
    while let Some(name) = take(1).and_then(|length| take(length[0].into())) {
        let mut length = [0; 4];
        take(4)
            .into_iter()
            .for_each(|found| length[..found.len()].copy_from_slice(found));
        let body = take(u32::from_le_bytes(length) as usize).unwrap_or_default();
        sections.push((name, body));
    }
    go_on(&container::container(sections))
}

/// Replaces an earlier format number of a checkpoint by the current one, and fixes the checksums as
/// far as its blocks can be followed.
fn mended(mut bytes: Vec<u8>) -> Vec<u8> {
    // Offset behind the magic bytes and the format number.
    let mut at = 10;
    if let Some(format) = bytes
        .get_mut(8..at)
        .filter(|format| u16::from_le_bytes([format[0], format[1]]) < FORMAT)
    {
        format.copy_from_slice(&FORMAT.to_le_bytes());
    }
    let version = bytes.get(at).copied().unwrap_or(0);
    at += 1 + usize::from(version);
    while let Some(name) = bytes.get(at).copied().filter(|name| *name > 0) {
        at += 1 + usize::from(name);
        while let Some(head) = bytes.get(at..at + 16).filter(|head| head[..4] != [0; 4]) {
            let packed = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
            let Some(sum) = bytes.get(at + 16..at + 16 + packed).map(xxh3_64) else {
                return bytes;
            };
            bytes[at + 8..at + 16].copy_from_slice(&sum.to_le_bytes());
            at += 16 + packed;
        }
        at += 4;
    }
    if let Some(sum) = bytes.get(..=at).map(xxh3_64) {
        bytes.truncate(at + 1);
        bytes.extend(sum.to_le_bytes());
    }
    bytes
}

/// Reads a checkpoint and resumes it for some steps, with its records.
fn go_on(bytes: &[u8]) -> Result<(), Refused> {
    let path = Path::new("hostile.lavockpt");
    let found = Checkpoint::read(bytes, path, Box::new(Plain)).map_err(Refused::file(path))?;
    let mut simulation = found.stage.simulation;
    let grid = simulation.world().grid();
    // The records are taken up as in the program.
    let records = found
        .extras
        .get("records")
        .and_then(|bytes| postcard::from_bytes::<Records>(bytes).ok());
    let mut records = records.filter(|records| records.fits(grid));
    if grid.nx * grid.ny * grid.nz > MOST_CELLS {
        return Ok(());
    }
    for _ in 0..2 {
        simulation.step();
        let (state, step) = (simulation.world(), simulation.steps());
        records
            .iter_mut()
            .for_each(|records| records.observe(state, state.flow(), step));
    }
    simulation.world().check().expect("the account is exact");
    Ok(())
}

/// Reads a scene, and lets a small one run for some steps.
fn scene(bytes: &[u8]) -> Result<(), Refused> {
    let path = &written("hostile.toml", bytes);
    let scene = Scene::load(path).map_err(Refused::file(path))?;
    let spec = &scene.spec;
    let parts = spec.vents.len() + spec.sources.len() + spec.bodies.len() + spec.events.len();
    if spec.grid.size.iter().product::<usize>() > MOST_CELLS || parts > MOST_PARTS {
        return Ok(());
    }
    let stage = scene
        .build(Box::new(Tiled::default()))
        .map_err(Refused::file(path))?;
    let mut simulation = stage.simulation;
    (0..3).for_each(|_| simulation.step());
    simulation.world().check().expect("the account is exact");
    Ok(())
}

/// Reads a mesh or blocks and finds their cells in a small box. The first byte of the input selects the format;
/// the rest is the file.
fn mesh(bytes: &[u8]) -> Result<(), Refused> {
    let ending = match bytes.first() {
        Some(b'o') => "obj",
        Some(b'g') => "glb",
        Some(b'v') => "vox",
        Some(b'm') => "schem",
        Some(b'l') => "litematic",
        _ => "stl",
    };
    let path = written(
        &format!("hostile.{ending}"),
        bytes.get(1..).unwrap_or_default(),
    );
    let mut spec = MeshSpec::default();
    spec.file.clone_from(&path);
    (spec.turn_deg, spec.base, spec.height) = (10.0, Some([10.0, 2.0, 10.0]), Some(12.0));
    let grid = Grid::new(20, 16, 20);
    let site = Site {
        grid,
        cell_size_m: 1.0,
        floor_m: 0.0,
        vertical_exaggeration: 1.0,
        georeference: None,
    };
    let mut shelf = ShapeCache::new(Path::new(""), &site);
    if lavoxel::blocks::has_known_ending(&path) {
        let spec = BlocksSpec {
            file: path.clone(),
            from: [2.0; 3],
            edge: 1.5,
            quarter_turns: 1,
            ..BlocksSpec::default()
        };
        return shelf.blocks(&spec).map(drop).map_err(Refused::file(&path));
    }
    let cells = shelf.mesh(&spec).map_err(Refused::file(&path));
    cells.map(|first| {
        assert!(
            shelf.mesh(&spec).is_ok_and(|again| again == first),
            "other cells for the same mesh"
        )
    })
}

/// Reads polygons and features, and samples places from them.
fn polygons(bytes: &[u8]) -> Result<(), Refused> {
    let text = &*String::from_utf8_lossy(bytes);
    let refused = |message: String| {
        Refused::file(Path::new("hostile.geojson"))(format!("hostile.geojson {message}"))
    };
    geojson::need(text)
        .check("simplify it")
        .map_err(|error| refused(error.to_string()))?;
    if let Ok(polygons) = Polygons::parse(text) {
        assert!(!polygons.polygons.is_empty(), "no polygons");
        polygons.bounds();
    }
    draw(Features::parse(text).map_err(refused)?.features).map_err(refused)
}

/// Reads the layer of a GeoPackage, and finds its columns in a small box.
fn geopackage(bytes: &[u8]) -> Result<(), Refused> {
    let path = written("hostile.gpkg", bytes);
    let grid = Grid::new(20, 16, 20);
    let site = Site {
        grid,
        cell_size_m: 1.0,
        floor_m: 0.0,
        vertical_exaggeration: 1.0,
        georeference: None,
    };
    lavoxel::exposure::Assets::read(&path, &site)
        .map(drop)
        .map_err(Refused::file(&path))
}

/// Reads a table of vents, and samples places from the table.
fn vents(bytes: &[u8]) -> Result<(), Refused> {
    let text = &*String::from_utf8_lossy(bytes);
    let refused =
        |message: String| Refused::file(Path::new("hostile.csv"))(format!("hostile.csv {message}"));
    table::need(text)
        .check("leave out lines")
        .map_err(|error| refused(error.to_string()))?;
    draw(table::parse(text).map_err(refused)?).map_err(refused)
}

/// Samples a few places from features.
fn draw(features: Vec<Feature>) -> Result<(), String> {
    let places = Places::new(features)?;
    for run in 0..3 {
        let (feature, _) = places.draw(1, run);
        assert!(feature < places.len(), "a feature that is not there");
    }
    Ok(())
}

/// Header size of a run file in bytes, and the byte ranges of its plan and checksum.
const RUN_HEAD: usize = 40;
const RUN_PLAN: std::ops::Range<usize> = 8..24;
const RUN_SUM: std::ops::Range<usize> = 24..32;

/// Reads a run file after fixing its plan and checksum.
fn record(bytes: &[u8]) -> Result<(), Refused> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= RUN_HEAD {
        bytes[RUN_PLAN].fill(0);
        let sum = xxh3_64(&bytes[RUN_SUM.end..]);
        bytes[RUN_SUM].copy_from_slice(&sum.to_le_bytes());
    }
    let named = RunRecord::path(Path::new(""), 0);
    let path = written(&named.to_string_lossy(), &bytes);
    let folder = path.parent().expect("it lies in a folder");
    let read = RunRecord::read(folder, 0, 0, RUN_COLUMNS).map_err(Refused::file(&path))?;
    for reached in read.iter().flat_map(RunRecord::reached) {
        assert!(reached.column < RUN_COLUMNS, "a column outside of the box");
    }
    Ok(())
}

/// Scene of a small box with these `[terrain]` keys and further tables.
fn small_scene(terrain: &str, more: &str) -> Scene {
    let text = format!(
        "model = \"flow\"\n[grid]\nsize = [5, 8, 5]\ncell_size_m = 10.0\n[terrain]\nkind = \"plane\"\n{terrain}\n\
         [[vent]]\nx = 2.5\nz = 2.5\nrate_m3_s = 1.0\n{more}"
    );
    Scene::parse(&text, &written("small.toml", text.as_bytes())).expect("a right scene")
}

/// Reads a picture over the ground and lays the picture onto a small box.
fn drape(bytes: &[u8]) -> Result<(), Refused> {
    let path = written("hostile.png", bytes);
    let scene = small_scene("drape = \"hostile.png\"", "");
    let stage = scene
        .build(Box::new(Plain))
        .expect("it is built without the picture");
    scene.drape(&stage).map(drop).map_err(Refused::file(&path))
}

/// Reads the scene of a session file.
fn session(bytes: &[u8]) -> Result<(), Refused> {
    let path = written("hostile.lavoxel", bytes);
    Scene::load(&path).map(drop).map_err(Refused::file(&path))
}

/// Reads a table of effusion rates.
fn rates(bytes: &[u8]) -> Result<(), Refused> {
    let path = written("hostile.csv", bytes);
    let files = vec!["hostile.csv".to_owned()];
    let rates = RatesFiles {
        files,
        start: None,
        shift: 1.0,
        radiant_j_m3: Some(1.4e8),
    };
    let read = rates.read(path.parent().expect("it lies in a folder"));
    let rates = read.map_err(|(name, fault)| Refused::file(&path)(format!("{name}: {fault}")))?;
    assert!(
        rates.iter().flatten().all(|number| number.is_finite()),
        "rates that are no numbers"
    );
    assert!(
        rates.is_sorted_by(|a, b| a[0] < b[0]),
        "rates that are not in order"
    );
    Ok(())
}

/// Reads a table of front positions, and compares a small box with the table.
fn fronts(bytes: &[u8]) -> Result<(), Refused> {
    let path = written("hostile.csv", bytes);
    let mut settings = lavoxel::calibrate::Settings::default();
    settings.fronts.push(path.clone());
    settings
        .vary
        .push("rates=0.5..2".parse().expect("a number and its bounds"));
    let scene = small_scene("", "[flow]\nduration = 1e6\n");
    let fit = lavoxel::calibrate::Fit::new(&scene, &settings, 1, Arc::default());
    fit.map(drop).map_err(Refused::file(&path))
}

/// Map for a sheet, and the sheet's settings.
fn map_of_sheet() -> (PathBuf, lavoxel::sheet::Settings) {
    (
        written("map.asc", PLAIN_MAP),
        lavoxel::sheet::Settings::default(),
    )
}

/// Reads a table of exposure.
fn assets(bytes: &[u8]) -> Result<(), Refused> {
    let (map, mut settings) = map_of_sheet();
    let path = written("hostile.csv", bytes);
    settings.tables.push(path.clone());
    lavoxel::sheet::Sheet::read(&map, &settings)
        .map(drop)
        .map_err(Refused::file(&path))
}

/// Plan of a hazard map.
const PLAN: &[u8] = br#"{"scene": "x", "vents": "x", "runs": 1, "decides": {}}"#;

/// Reads the table of the runs of a hazard map, in a folder with its plan.
fn runs(bytes: &[u8]) -> Result<(), Refused> {
    let (map, settings) = map_of_sheet();
    let plan = written("plan.json", PLAN);
    let path = written("runs.csv", bytes);
    let read = lavoxel::sheet::Sheet::read(&map, &settings)
        .map(drop)
        .map_err(Refused::file(&path));
    [plan, path]
        .iter()
        .for_each(|path| fs::remove_file(path).expect("it is there"));
    read
}

/// Copies a style file into a project.
fn style(bytes: &[u8]) -> Result<(), Refused> {
    let (map, settings) = map_of_sheet();
    let path = written("map.qml", bytes);
    let sheet = lavoxel::sheet::Sheet::read(&map, &settings).expect("a right map");
    let project = written("map.qgs", b"");
    let write = sheet
        .write_project(&project, lavoxel::output::Existing::Replace)
        .map_err(Refused::file(&path));
    fs::remove_file(path).expect("it is there");
    write
}

/// Reads the plan of a hazard map.
fn plan(bytes: &[u8]) -> Result<(), Refused> {
    let path = written("plan.json", bytes);
    let read = lavoxel::study::plan_of(path.parent().expect("it lies in a folder"));
    fs::remove_file(&path).expect("it is there");
    let plan = read.map_err(Refused::file(&path))?.expect("there is one");
    plan.fingerprint();
    Ok(())
}

/// Passes the bytes to the recognition of every format, without reading the contents.
fn every_reader(bytes: &[u8]) -> Result<(), Refused> {
    let path = written("hostile.txt", bytes);
    let mut text = Ok(());
    for reader in lavoxel::input::READERS {
        let length = reader.bytes(&path, |bytes| bytes.len());
        assert!(
            length.is_ok_and(|length| length == bytes.len()),
            "{} reads another length",
            reader.name
        );
        text = reader.text(&path, |text| assert_eq!(text.as_bytes(), bytes));
    }
    text.map_err(|error| Refused::file(&path)(format!("hostile.txt: {error}")))
}

/// Number of columns in the box of a run.
const RUN_COLUMNS: usize = 600;
