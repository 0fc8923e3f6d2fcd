//! What a dropped or named file becomes: a scene file is read, a heightmap gets a scene built around it.

use std::path::{Path, PathBuf};

use ndarray::Array2;

use crate::grid::MAX_SIDE;
use crate::render::SkyPreset;
use crate::scene::{Scene, SceneError, SceneSpec};
use crate::source::VentSpec;
use crate::terrain::{Fill, Heightmap, Kind, LoadOptions, TerrainError, TerrainSpec, load};

/// Most columns along one side of a box around a heightmap.
const MOST_COLUMNS: usize = 256;
/// Heights are stretched until they rise to this share of the shorter side, if they are flatter.
const LEAST_RELIEF: f64 = 0.16;
/// Most stretching; a plain stays a plain.
const MOST_STRETCH: f64 = 4.0;
/// Cells of ground below the lowest height.
const BASE: f64 = 4.0;
/// Edge of a cell in metres where the file does not say.
const UNKNOWN_CELL_M: f64 = 10.0;

impl Scene {
    /// Reads a scene file (`.toml`), or builds a scene around a heightmap (any other ending).
    ///
    /// # Errors
    /// What [`Scene::load`] and [`Scene::around_heightmap`] say.
    pub fn open(path: &Path) -> Result<Self, SceneError> {
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("toml") => Self::load(path),
            _ => Self::around_heightmap(path),
        }
    }

    /// A scene around a heightmap: all of it on at most 256 columns a side, a box with room for a flow, and a vent on
    /// the highest ground away from the rim. Flat land is stretched in height until a flow can be seen on it.
    ///
    /// # Errors
    /// [`SceneError::Heightmap`] when the file cannot be read, [`SceneError::Terrain`] when it holds no heights.
    pub fn around_heightmap(path: &Path) -> Result<Self, SceneError> {
        let wrong = |cause: TerrainError| SceneError::Terrain { path: path.to_owned(), cause: Box::new(cause) };
        let (mut map, cell_size_m) = read(path).map_err(|cause| SceneError::Heightmap(Box::new(cause)))?;
        map.fill(Fill::Nearest).map_err(wrong)?;
        let shape = Shape::around(&map);
        let (x, z) = summit(&map.resampled(shape.size[0], shape.size[2]).heights);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let side = shape.size[0].min(shape.size[2]) as f64;
        let mut spec = SceneSpec { name, seed: 1, ..SceneSpec::default() };
        spec.grid.size = shape.size;
        spec.terrain = TerrainSpec {
            kind: Kind::Heightmap,
            file: path.file_name().map(PathBuf::from),
            cell_size_m,
            vertical_exaggeration: Some(shape.stretch),
            base_cells: Some(BASE),
            fill_no_data: Some(Fill::Nearest),
            ..TerrainSpec::default()
        };
        spec.rules.threshold = 0.3;
        spec.vents = vec![VentSpec {
            x,
            z,
            radius: (0.02 * side).clamp(1.0, 4.0),
            rate: (side / 50.0).clamp(0.5, 5.0),
            start: 0,
            end: None,
            energy: 1.0,
        }];
        spec.look.sky = SkyPreset::Dusk;
        let text = toml::to_string(&spec).expect("every value of a scene can be written");
        Self::parse(&text, path)
    }
}

/// Reads a heightmap; the cell size comes back when the file carries none.
fn read(path: &Path) -> Result<(Heightmap, Option<f64>), TerrainError> {
    match load(path, &LoadOptions::default()) {
        Err(TerrainError::NoCellSize { .. }) => {
            let cell_size_m = Some(UNKNOWN_CELL_M);
            Ok((load(path, &LoadOptions { cell_size_m, ..LoadOptions::default() })?, cell_size_m))
        }
        map => Ok((map?, None)),
    }
}

/// The box around a heightmap.
struct Shape {
    size: [usize; 3],
    /// Factor on heights.
    stretch: f64,
}

impl Shape {
    fn around(map: &Heightmap) -> Self {
        let (wide, deep) = map.extent_m();
        let most = map.cols().max(map.rows()).clamp(64, MOST_COLUMNS);
        let cell = wide.max(deep) / most as f64;
        let columns = |length: f64| ((length / cell + 1e-6) as usize).clamp(1, most);
        let (nx, nz) = (columns(wide), columns(deep));
        // The box takes the largest square cells that fit, as the terrain does.
        let cell = (wide / nx as f64).min(deep / nz as f64);
        let relief = map.range().map_or(0.0, |(low, high)| f64::from(high - low)) / cell;
        let wanted = LEAST_RELIEF * nx.min(nz) as f64;
        let stretch = (wanted / relief.max(1e-6)).clamp(1.0, MOST_STRETCH);
        let stretch = (stretch * 100.0).round() / 100.0;
        let top = BASE + relief * stretch;
        let ny = (top + (0.15 * top).max(12.0)).ceil() as usize;
        Self { size: [nx, ny.min(MAX_SIDE), nz], stretch }
    }
}

/// Centre of the highest column that is not near the rim, where lava would only run out of sight.
fn summit(heights: &Array2<f32>) -> (f64, f64) {
    let (rows, cols) = heights.dim();
    let inner = |i: usize, n: usize| i >= n / 8 && i < n - n / 8;
    let inside = heights.indexed_iter().filter(|((r, c), _)| inner(*r, rows) && inner(*c, cols));
    let highest = inside.max_by(|a, b| a.1.total_cmp(b.1)).map_or((rows / 2, cols / 2), |(at, _)| at);
    (highest.1 as f64 + 0.5, highest.0 as f64 + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tiled::Tiled;

    fn write(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        (folder, path)
    }

    #[test]
    fn a_real_mountain_gets_a_vent_on_its_summit_and_room_above() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains/maunga_whau.asc");
        let scene = Scene::open(&path).expect("a heightmap");
        assert_eq!(scene.spec.name, "maunga_whau");
        let [nx, ny, nz] = scene.spec.grid.size;
        assert!(nx.max(nz) <= MOST_COLUMNS && ny < 128, "{nx} {ny} {nz}");
        let mut simulation = scene.build(Box::new(Tiled::default())).expect("it fits").simulation;
        let vent = &scene.spec.vents[0];
        let top = simulation.world().ground.top(vent.x as usize, vent.z as usize);
        assert!(top > ny / 2 && top + 8 < ny, "the vent stands at {top} of {ny}");
        (0..20).for_each(|_| simulation.step());
        assert!(simulation.world().lava.mass() > 0);
        assert_eq!(simulation.world().lava.ledger.blocked, 0);
    }

    #[test]
    fn long_flat_land_without_a_cell_size_opens_too() {
        let row = |z: usize| (0..40).map(|x| (x + z).to_string()).collect::<Vec<_>>().join(",");
        let (_folder, path) = write("ramp.csv", &(0..10).map(row).collect::<Vec<_>>().join("\n"));
        let scene = Scene::open(&path).expect("a table of heights");
        let [nx, _, nz] = scene.spec.grid.size;
        assert_eq!((nx, nz), (64, 16));
        assert!(scene.build(Box::new(Tiled::default())).is_ok());
    }

    #[test]
    fn a_wrong_file_is_named() {
        let (_folder, path) = write("notes.asc", "not a grid");
        let message = Scene::open(&path).expect_err("refused").to_string();
        assert_eq!(message.matches("notes.asc").count(), 1, "{message}");
        let missing = Scene::open(Path::new("nowhere.toml")).expect_err("refused").to_string();
        assert!(missing.contains("nowhere.toml"), "{missing}");
    }
}
