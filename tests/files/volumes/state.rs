//! States of simulations whose files are written and read back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lavoxel::engine::tiled::Tiled;
use lavoxel::export::mesh::Skin;
use lavoxel::export::{ExportState, Provenance};
use lavoxel::grid::Place;
use lavoxel::map::Site;
use lavoxel::render::Palette;
use lavoxel::scene::Scene;
use lavoxel::state::State;
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE};
use serde_json::Value;
use tempfile::TempDir;

use crate::needs;

/// Scene of a hill on a map in metres, with a vertical exaggeration of two and a ball of lava that
/// falls on the hill.
pub(crate) const SCENE: &str = "name = 'Hill <&>'\nseed = 3\n[grid]\nsize = [20, 40, 12]\n\
    [terrain]\nkind = 'heightmap'\nfile = 'hill.asc'\nvertical_exaggeration = 2\nbase_cells = 3\n\
    [[body]]\nshape = { kind = 'sphere', center = [12.0, 24.0, 5.0], radius = 4.0 }\n\
    matter = { kind = 'lava', amount = 1.0, energy = 1.0 }\n";
pub(crate) const WEST: f64 = 1_757_000.25;

pub(crate) const SOUTH: f64 = 5_917_000.5;

pub(crate) const CELL: f64 = 2.5;

/// State of a scene after some steps, and a folder for its files.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) world: State,
    pub(crate) site: Site,
    pub(crate) about: Provenance,
}

pub(crate) fn about(step: u64) -> Provenance {
    Provenance {
        scene: "Hill <&>".to_owned(),
        seed: 3,
        step,
        ..Provenance::default()
    }
}

impl Bench {
    /// Creates the bench for a given world, with cells of one metre.
    pub(crate) fn new(world: impl Into<State>) -> Self {
        let world = world.into();
        let site = Site {
            grid: world.grid(),
            cell_size_m: 1.0,
            floor_m: 0.0,
            vertical_exaggeration: 1.0,
            georeference: None,
        };
        Self {
            folder: tempfile::tempdir().unwrap(),
            world,
            site,
            about: about(0),
        }
    }

    /// Creates the bench for the hill scene after `steps` steps.
    pub(crate) fn hill(steps: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stage = hill(folder.path())
            .build(Box::new(Tiled::default()))
            .unwrap();
        let site = stage.site.clone();
        let mut simulation = stage.simulation;
        (0..steps).for_each(|_| simulation.step());
        assert!(simulation.world().lava().tally().cells > 150);
        Self {
            folder,
            world: simulation.world().clone(),
            site,
            about: about(steps),
        }
    }

    pub(crate) fn shot(&self) -> ExportState<'_> {
        let (world, site, state) = (&self.world, &self.site, self.world.state_hash());
        ExportState {
            world,
            site,
            about: &self.about,
            state,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the cells `[east, north, up]` with lava, with their amounts and energies per unit of
    /// amount, in the order of the cells.
    pub(crate) fn lava(&self) -> Vec<(Place, f32, f32)> {
        let mut lava: Vec<_> = self.world.lava().held().collect();
        lava.sort_by_key(|&(place, _)| self.world.grid().index(place));
        let share = |value: u16, one: u16| f32::from(value) / f32::from(one);
        lava.iter()
            .map(|&(at, cell)| {
                let amount = share(cell.amount, AMOUNT_ONE);
                (
                    self.site.cell(at),
                    amount,
                    share(cell.energy, ENERGY_ONE) / amount,
                )
            })
            .collect()
    }
}

pub(crate) fn hill(folder: &Path) -> Scene {
    let mut text =
        format!("ncols 20\nnrows 12\nxllcorner {WEST}\nyllcorner {SOUTH}\ncellsize {CELL}\n");
    for row in 0..12 {
        // The ground is higher in the north and west, so that a flipped axis is noticed.
        let height = |col: i32| (30 - col - row / 2 - (col - 9).abs()).to_string();
        text += &(0..20).map(height).collect::<Vec<_>>().join(" ");
        text += "\n";
    }
    fs::write(folder.join("hill.asc"), text).unwrap();
    fs::write(folder.join("hill.toml"), SCENE).unwrap();
    Scene::load(&folder.join("hill.toml")).unwrap()
}

pub(crate) fn skin() -> Skin {
    Skin {
        level: 0.42,
        palette: Palette::named("lava").unwrap(),
        drape: None,
        blocks: Vec::new(),
    }
}

/// Runs a Python script that checks a file with a library; skips the check if Python or the library
/// is missing. `expected`: values that the file must contain.
pub(crate) fn python(script: &str, file: &Path, expected: &Value) {
    let json = file.with_extension("expected.json");
    fs::write(&json, expected.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/python")
        .join(script);
    let mine = std::env::var("LAVOXEL_PYTHON").ok();
    for python in mine
        .as_deref()
        .into_iter()
        .chain(["/usr/bin/python3", "python3"])
    {
        let Ok(output) = Command::new(python)
            .arg(&script)
            .args([file, &json])
            .output()
        else {
            continue;
        };
        let said = [output.stdout, output.stderr]
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .concat();
        match output.status.code() {
            Some(77) => continue,
            code => {
                assert_eq!(code, Some(0), "{}\n{said}", script.display());
                return eprint!("{said}");
            }
        }
    }
    match script.file_name().unwrap().to_str().unwrap() {
        // No Debian package provides trimesh; check_mesh_vtk.py checks the same meshes.
        "check_mesh.py" => needs::record("Python's trimesh (PyPI: trimesh)"),
        "check_physical.py" if file.extension().is_some_and(|ending| ending == "vdb") => {
            needs::skip("Python's pyopenvdb (Debian: python3-openvdb)");
        }
        "check_vdb.py" => needs::skip("Python's pyopenvdb (Debian: python3-openvdb)"),
        _ => needs::skip("Python's vtk (Debian: python3-vtk9)"),
    }
}
