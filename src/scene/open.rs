//! What a named file becomes: a scene file is read, a heightmap gets a scene built around it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ndarray::Array2;

use super::{GridSpec, Scene, SceneError, SceneSpec, VentPlace, VentRadius, VentTable};
use crate::grid::{Grid, MAX_SIDE};
use crate::render::SkyPreset;
use crate::terrain::load::{is_heightmap, known_endings};
use crate::terrain::{Fill, Heightmap, Kind, TerrainError, TerrainSpec};

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

/// What is asked of a scene besides what its file says: the flags of a command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// Cells along x, y and z instead of the scene's.
    pub size: Option<[usize; 3]>,
    /// Edge of a cell of the box in metres, instead of the scene's.
    pub cell_size_m: Option<f64>,
    /// Keys of the terrain that replace the scene's; its kind and file are not looked at.
    pub terrain: TerrainSpec,
    /// Vents instead of all of the scene's; empty: the scene's.
    pub vents: Vec<VentWish>,
}

/// A vent that is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VentWish {
    /// Its centre.
    pub place: VentPlace,
    /// Full cells poured in a step; left out, the default of a scene, or what suits the box around a heightmap.
    pub rate: Option<f64>,
}

impl VentWish {
    /// The vent, with the rest from another one.
    fn like(self, model: &VentTable) -> VentTable {
        VentTable { place: self.place, rate: self.rate.unwrap_or(model.rate), ..model.clone() }
    }
}

impl Scene {
    /// Reads a scene file, or builds a scene around a heightmap.
    ///
    /// # Errors
    /// What [`Scene::load`] and [`Scene::around_heightmap`] say, and [`SceneError::Neither`] for a file that is none of
    /// both.
    pub fn open(path: &Path) -> Result<Self, SceneError> {
        if Self::is_heightmap(path) {
            return Self::around_heightmap(path, &Wishes::default());
        }
        let known_name = is_toml(path) || path.extension().is_none();
        Self::load(path).map_err(|error| match error {
            SceneError::Text { .. } | SceneError::NotText { .. } if !known_name => {
                SceneError::Neither { path: path.to_owned(), known: known_endings() }
            }
            other => other,
        })
    }

    /// Whether a file is a heightmap and no scene, by its name or else its first bytes.
    pub fn is_heightmap(path: &Path) -> bool {
        !is_toml(path) && is_heightmap(path)
    }

    /// Puts the wishes in place of what the scene says, and checks every number again.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] for a number that is out of range or a key that this kind of terrain does not have.
    pub fn grant(&mut self, wishes: &Wishes) -> Result<(), SceneError> {
        let spec = &mut self.spec;
        spec.grid.size = wishes.size.unwrap_or(spec.grid.size);
        spec.grid.cell_size_m = wishes.cell_size_m.or(spec.grid.cell_size_m);
        spec.terrain = std::mem::take(&mut spec.terrain).overridden(&wishes.terrain);
        if !wishes.vents.is_empty() {
            spec.vents = wishes.vents.iter().map(|vent| vent.like(&VentTable::at(vent.place))).collect();
        }
        self.validate()
    }

    /// A scene around a heightmap: all of it, or the part that is wished for, on at most 256 columns a side, a box with
    /// room for a flow, and a vent on the highest ground away from the rim. Flat land is stretched in height until a
    /// flow can be seen on it, and holes take the nearest height. Wishes replace any of this.
    ///
    /// # Errors
    /// [`SceneError::Heightmap`] when the file cannot be read, [`SceneError::Terrain`] when it holds no heights or the
    /// wishes do not fit it, [`SceneError::Invalid`] for a wish that is out of range.
    pub fn around_heightmap(path: &Path, wishes: &Wishes) -> Result<Self, SceneError> {
        let mut scene = Self::on_heightmap(path, wishes);
        scene.validate()?;
        let map = scene.read_heightmap()?;
        scene.shape(&map, wishes)?;
        let model = scene.usual_vent();
        scene.spec.vents = wishes.vents.iter().map(|vent| vent.like(&model)).collect();
        if wishes.vents.is_empty() {
            let place = scene.summit(&map)?;
            scene.spec.vents.push(VentTable { place, ..model });
        }
        scene.validate()?;
        Ok(scene)
    }

    /// What is the same for every heightmap, and the wishes.
    fn on_heightmap(path: &Path, wishes: &Wishes) -> Self {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut spec = SceneSpec { name, seed: 1, ..SceneSpec::default() };
        spec.grid.size = wishes.size.unwrap_or(spec.grid.size);
        spec.grid.cell_size_m = wishes.cell_size_m;
        let usual = TerrainSpec {
            kind: Kind::Heightmap,
            file: path.file_name().map(PathBuf::from),
            base_cells: Some(BASE),
            fill_no_data: Some(Fill::Nearest),
            ..TerrainSpec::default()
        };
        spec.terrain = usual.overridden(&wishes.terrain);
        spec.rules.threshold = 0.3;
        spec.look.sky = SkyPreset::Dusk;
        Self { spec, folder: path.parent().unwrap_or(Path::new("")).to_owned(), origin: path.to_owned() }
    }

    /// Reads and crops the heightmap of the scene; a file that does not say how large its cells are gets a size.
    fn read_heightmap(&mut self) -> Result<Heightmap, SceneError> {
        let terrain = &mut self.spec.terrain;
        let map = match terrain.load(&self.folder) {
            Err(TerrainError::NoCellSize { .. }) => {
                terrain.cell_size_m = Some(UNKNOWN_CELL_M);
                terrain.load(&self.folder)
            }
            map => map,
        };
        let map = map.map_err(|cause| SceneError::Heightmap(Box::new(cause)))?;
        terrain.cropped(map).map_err(|cause| self.wrong_terrain(cause))
    }

    /// Chooses the box and the stretch for a heightmap, where nobody wished for others.
    fn shape(&mut self, map: &Heightmap, wishes: &Wishes) -> Result<(), SceneError> {
        let mut map = Cow::Borrowed(map);
        if map.no_data() > 0 {
            let rule = self.spec.terrain.fill_no_data.unwrap_or_default();
            map.to_mut().fill(rule).map_err(|cause| self.wrong_terrain(cause))?;
        }
        let (wide, deep) = map.extent_m();
        let (nx, nz) = match wishes.size {
            Some([nx, _, nz]) => (nx, nz),
            None => columns(&map, wishes.cell_size_m),
        };
        // Without a wish the box takes the largest square cells that fit, as the terrain does.
        let cell = wishes.cell_size_m.unwrap_or((wide / nx as f64).min(deep / nz as f64));
        let terrain = &mut self.spec.terrain;
        let (low, high) = map.range().map_or((0.0, 0.0), |(low, high)| (f64::from(low), f64::from(high)));
        let wanted = LEAST_RELIEF * nx.min(nz) as f64;
        let stretch = (wanted * cell / (high - low).max(1e-6 * cell)).clamp(1.0, MOST_STRETCH);
        let stretch = *terrain.vertical_exaggeration.get_or_insert((stretch * 100.0).round() / 100.0);
        let above = (high - terrain.base_m.unwrap_or(low)) / cell;
        let top = (terrain.base_cells.unwrap_or(BASE) + above * stretch).max(0.0);
        let ny = (top + (0.15 * top).max(12.0)).ceil() as usize;
        self.spec.grid.size = wishes.size.unwrap_or([nx, ny.min(MAX_SIDE), nz]);
        Ok(())
    }

    /// The summit of the ground that the box will have.
    fn summit(&self, map: &Heightmap) -> Result<VentPlace, SceneError> {
        let GridSpec { size: [nx, ny, nz], cell_size_m } = self.spec.grid;
        let ground = self.spec.terrain.fit(map, Grid::new(nx, ny, nz), cell_size_m);
        let (x, z) = summit(&ground.map_err(|cause| self.wrong_terrain(cause))?.heights);
        Ok(VentPlace::Cells { x, z })
    }

    /// A vent of a size and rate that suit the box.
    fn usual_vent(&self) -> VentTable {
        let [nx, _, nz] = self.spec.grid.size;
        let side = nx.min(nz) as f64;
        let vent = VentTable::at(VentPlace::Cells { x: 0.0, z: 0.0 });
        VentTable {
            radius: VentRadius::Cells((0.02 * side).clamp(1.0, 4.0).min(nx.max(nz) as f64)),
            rate: (side / 50.0).clamp(0.5, 5.0),
            ..vent
        }
    }
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// Columns of a box around a heightmap: all of it, with cells of the size that is wished for, or else at most so many
/// along its longer side.
fn columns(map: &Heightmap, cell_size_m: Option<f64>) -> (usize, usize) {
    let (wide, deep) = map.extent_m();
    let most = map.cols().max(map.rows()).clamp(64, MOST_COLUMNS);
    let (cell, most) = cell_size_m.map_or((wide.max(deep) / most as f64, most), |wish| (wish, MAX_SIDE));
    let columns = |length: f64| ((length / cell + 1e-6) as usize).clamp(1, most);
    (columns(wide), columns(deep))
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
        let vent = scene.spec.vents[0].in_cells().expect("in cells");
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
