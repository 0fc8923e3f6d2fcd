//! Volumes and meshes: what is written is read back by readers of our own, bit for bit, and by the programs' own
//! libraries (VTK, OpenVDB, trimesh) where Python finds them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

#[path = "common/child.rs"]
mod child;
#[path = "common/needs.rs"]
mod needs;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::ZlibDecoder;
use lavoxel::engine::tiled::Tiled;
use lavoxel::export::mesh::{Mesh, Skin, write_glb, write_ply};
use lavoxel::export::{About, Snapshot, write_pvd, write_vdb, write_vti};
use lavoxel::grid::Grid;
use lavoxel::lowpass::{LowPass, RowFilter};
use lavoxel::output::Existing;
use lavoxel::render::Palette;
use lavoxel::scene::{Scene, Site};
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel::world::{Ground, World};
use serde_json::{Value, json};
use tempfile::TempDir;

use child::Running;
use common::{Dice, random_world};

/// A hill on a map in metres, twice as high as it is, with a ball of lava that falls on it.
const SCENE: &str = "name = 'Hill <&>'\nseed = 3\n[grid]\nsize = [20, 40, 12]\n\
    [terrain]\nkind = 'heightmap'\nfile = 'hill.asc'\nvertical_exaggeration = 2\nbase_cells = 3\n\
    [[body]]\nshape = { kind = 'sphere', center = [12.0, 24.0, 5.0], radius = 4.0 }\n\
    matter = { kind = 'lava', amount = 1.0, energy = 1.0 }\n";
const WEST: f64 = 1_757_000.25;
const SOUTH: f64 = 5_917_000.5;
const CELL: f64 = 2.5;

/// A step of a scene, in a folder for files.
struct Bench {
    folder: TempDir,
    world: World,
    site: Site,
    about: About,
}

fn about(step: u64) -> About {
    About { scene: "Hill <&>".to_owned(), seed: 3, step }
}

impl Bench {
    /// A world of cells of one metre.
    fn of(world: World) -> Self {
        let site =
            Site { grid: world.grid, cell_size_m: 1.0, floor_m: 0.0, vertical_exaggeration: 1.0, georeference: None };
        Self { folder: tempfile::tempdir().unwrap(), world, site, about: about(0) }
    }

    /// The hill after some steps.
    fn hill(steps: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stage = hill(folder.path()).build(Box::new(Tiled::default())).unwrap();
        let site = stage.site.clone();
        let mut simulation = stage.simulation;
        (0..steps).for_each(|_| simulation.step());
        assert!(simulation.world().lava.tally().cells > 150);
        Self { folder, world: simulation.world().clone(), site, about: about(steps) }
    }

    fn shot(&self) -> Snapshot<'_> {
        let (world, site, state) = (&self.world, &self.site, self.world.state_hash());
        Snapshot { world, site, about: &self.about, state }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Cells `[east, north, up]` with lava, their amounts and energies per amount, in order.
    fn lava(&self) -> Vec<([usize; 3], f32, f32)> {
        let mut lava: Vec<_> = self.world.lava.held().collect();
        lava.sort_by_key(|&([x, y, z], _)| self.world.grid.index(x, y, z));
        let share = |value: u16, one: u16| f32::from(value) / f32::from(one);
        lava.iter()
            .map(|&(at, cell)| {
                let amount = share(cell.amount, AMOUNT_ONE);
                (self.site.cell(at), amount, share(cell.energy, ENERGY_ONE) / amount)
            })
            .collect()
    }
}

fn hill(folder: &Path) -> Scene {
    let mut text = format!("ncols 20\nnrows 12\nxllcorner {WEST}\nyllcorner {SOUTH}\ncellsize {CELL}\n");
    for row in 0..12 {
        // Higher in the north and west, so that a turned axis shows.
        let height = |col: i32| (30 - col - row / 2 - (col - 9).abs()).to_string();
        text += &(0..20).map(height).collect::<Vec<_>>().join(" ");
        text += "\n";
    }
    fs::write(folder.join("hill.asc"), text).unwrap();
    fs::write(folder.join("hill.toml"), SCENE).unwrap();
    Scene::load(&folder.join("hill.toml")).unwrap()
}

fn skin() -> Skin {
    Skin { level: 0.42, palette: Palette::named("lava").unwrap() }
}

/// Has Python check a file with a library, if there is a Python with it.
fn python(script: &str, file: &Path, expected: &Value) {
    let json = file.with_extension("expected.json");
    fs::write(&json, expected.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(script);
    let mine = std::env::var("LAVOXEL_PYTHON").ok();
    for python in mine.as_deref().into_iter().chain(["/usr/bin/python3", "python3"]) {
        let Ok(output) = Command::new(python).arg(&script).args([file, &json]).output() else { continue };
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        match output.status.code() {
            Some(77) => continue,
            code => {
                assert_eq!(code, Some(0), "{}\n{said}", script.display());
                return eprint!("{said}");
            }
        }
    }
    match script.file_name().unwrap().to_str().unwrap() {
        // No Debian package has it; check_mesh_vtk.py checks the same meshes.
        "check_mesh.py" => needs::record("Python's trimesh (PyPI: trimesh)"),
        "check_vdb.py" => needs::skip("Python's pyopenvdb (Debian: python3-openvdb)"),
        _ => needs::skip("Python's vtk (Debian: python3-vtk9)"),
    }
}

// ---------------------------------------------------------------- .vti

/// A .vti file, read by what the format's description says.
struct Vti {
    head: String,
    arrays: BTreeMap<(String, String), Vec<u8>>,
}

impl Vti {
    fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        let mark = b"<AppendedData encoding=\"raw\">\n_";
        let start = bytes.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len();
        let head = String::from_utf8(bytes[..start].to_vec()).unwrap();
        let mut arrays = BTreeMap::new();
        for part in ["CellData", "PointData"] {
            let section = between(&head, &format!("<{part} "), &format!("</{part}>"));
            for array in section.lines().filter(|line| line.starts_with("<DataArray")) {
                let offset: usize = between(array, "offset=\"", "\"").parse().unwrap();
                let key = (part.to_owned(), between(array, "Name=\"", "\"").to_owned());
                arrays.insert(key, inflate_blocks(&bytes[start + offset..]));
            }
        }
        Self { head, arrays }
    }

    fn bytes(&self, part: &str, name: &str) -> &[u8] {
        &self.arrays[&(part.to_owned(), name.to_owned())]
    }

    fn floats(&self, part: &str, name: &str) -> Vec<f32> {
        floats(self.bytes(part, name))
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

/// Number of blocks, their size, that of the last, the compressed sizes, the blocks.
fn inflate_blocks(bytes: &[u8]) -> Vec<u8> {
    let number = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap()) as usize;
    let (count, size, last) = (number(0), number(1), number(2));
    let (mut at, mut all) = (8 * (3 + count), Vec::new());
    for block in 0..count {
        let before = all.len();
        let packed = &bytes[at..at + number(3 + block)];
        ZlibDecoder::new(packed).read_to_end(&mut all).unwrap();
        assert_eq!(all.len() - before, if block + 1 == count && last > 0 { last } else { size });
        at += packed.len();
    }
    all
}

#[test]
fn vti_gives_back_every_cell() {
    let bench = Bench::hill(30);
    let path = bench.path("hill.vti");
    write_vti(&path, &bench.shot(), Existing::Keep).unwrap();
    let vti = Vti::read(&path);
    let (world, [nx, ny, nz]) = (&bench.world, bench.site.shape());
    assert_eq!([nx, ny, nz], [20, 12, 40]);
    let floor = bench.site.floor_m;
    assert!(vti.head.contains("WholeExtent=\"0 20 0 12 0 40\""));
    assert!(vti.head.contains(&format!("Origin=\"{WEST} {SOUTH} {floor}\" Spacing=\"2.5 2.5 1.25\"")), "{}", vti.head);

    let (amount, energy) = (vti.floats("CellData", "amount"), vti.floats("CellData", "energy"));
    let solid = vti.bytes("CellData", "solid");
    let mut sums = [0.0_f64; 3];
    for (at, &rock) in solid.iter().enumerate() {
        let (i, j, k) = (at % nx, at / nx % ny, at / (nx * ny));
        let (x, y, z) = (i, k, world.grid.nz - 1 - j);
        let cell = world.lava.at(x, y, z);
        let units = (amount[at] * f32::from(AMOUNT_ONE), amount[at] * energy[at] * f32::from(ENERGY_ONE));
        assert_eq!((units.0, units.1.round()), (cell.amount.into(), cell.energy.into()), "{x} {y} {z}");
        assert_eq!(rock == 1, world.ground.is_solid(x, y, z));
        let values = [amount[at].into(), energy[at].into(), rock.into()];
        sums.iter_mut().zip(values).for_each(|(sum, value): (_, f64)| *sum += value);
    }
    assert_eq!([amount.len(), energy.len(), solid.len()], [nx * ny * nz; 3]);
    let expected = json!({
        "shape": [nx, ny, nz], "origin": [WEST, SOUTH, floor], "spacing": [CELL, CELL, CELL / 2.0], "seed": "3",
        "sums": {"amount": sums[0], "energy": sums[1], "solid": sums[2]}, "cells": bench.lava(),
    });
    python("check_vti.py", &path, &expected);
}

#[test]
fn points_of_a_vti_have_the_means_of_the_open_cells_around() {
    let bench = Bench::of(random_world(Grid::new(7, 5, 6), 11, 30, 40));
    let path = bench.path("random.vti");
    write_vti(&path, &bench.shot(), Existing::Keep).unwrap();
    let vti = Vti::read(&path);
    let (density, energy) = (vti.floats("PointData", "density"), vti.floats("PointData", "energy"));
    let (world, [nx, ny, nz]) = (&bench.world, bench.site.shape());
    assert_eq!([density.len(), energy.len()], [(nx + 1) * (ny + 1) * (nz + 1); 2]);
    for at in 0..density.len() {
        let [i, j, k] = [at % (nx + 1), at / (nx + 1) % (ny + 1), at / ((nx + 1) * (ny + 1))];
        let (mut open, mut sums) = (0, [0.0_f64; 2]);
        for corner in 0..8 {
            let [x, north, y] = [i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2)].map(|v| v.wrapping_sub(1));
            if x < nx && north < ny && y < nz && !world.ground.is_solid(x, y, ny - 1 - north) {
                let cell = world.lava.at(x, y, ny - 1 - north);
                sums = [sums[0] + f64::from(cell.amount), sums[1] + f64::from(cell.energy)];
                open += 1;
            }
        }
        let means = [sums[0] / 32768.0 / f64::from(open.max(1)), 4.0 * sums[1] / sums[0].max(1.0)];
        for (found, mean) in [density[at], energy[at]].map(f64::from).into_iter().zip(means) {
            assert!((found - mean).abs() <= 1e-6 * mean, "point {i} {j} {k}: {found} against {mean}");
        }
    }
}

#[test]
fn a_series_of_vti_is_a_pvd() {
    let bench = Bench::hill(3);
    let mut steps = Vec::new();
    for step in [2, 4] {
        let name = format!("a & b_{step:06}.vti");
        write_vti(&bench.path(&name), &Snapshot { about: &about(step), ..bench.shot() }, Existing::Keep).unwrap();
        steps.push((step, name));
        write_pvd(&bench.path("a & b.pvd"), &steps, Existing::Replace).unwrap();
    }
    python("check_vti.py", &bench.path("a & b.pvd"), &json!({"steps": [2, 4]}));
    let text = fs::read_to_string(bench.path("a & b.pvd")).unwrap();
    assert!(text.contains("timestep=\"4\" part=\"0\" file=\"a &amp; b_000004.vti\""), "{text}");
}

// ---------------------------------------------------------------- .vdb

/// Reads numbers from the start of a slice and moves on.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(n);
        self.0 = rest;
        head
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take(8).try_into().unwrap())
    }

    fn text(&mut self) -> String {
        let n = self.u32() as usize;
        String::from_utf8(self.take(n).to_vec()).unwrap()
    }

    fn metadata(&mut self) -> BTreeMap<String, Vec<u8>> {
        let count = self.u32();
        let mut entry = || {
            let (name, _kind) = (self.text(), self.text());
            let n = self.u32() as usize;
            (name, self.take(n).to_vec())
        };
        (0..count).map(|_| entry()).collect()
    }

    /// Numbers of the bits that are set.
    fn mask(&mut self, bits: usize) -> Vec<usize> {
        let bytes = self.take(bits / 8);
        (0..bits).filter(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1).collect()
    }

    fn values(&mut self, count: usize) -> Vec<f32> {
        assert_eq!(self.take(1), [0], "inactive values are the background");
        let size = self.u64() as i64;
        let bytes = self.take(size.unsigned_abs() as usize);
        let mut plain = Vec::new();
        if size > 0 {
            ZlibDecoder::new(bytes).read_to_end(&mut plain).unwrap();
        } else {
            plain.extend(bytes);
        }
        assert_eq!(plain.len(), 4 * count);
        floats(&plain)
    }
}

/// A grid of a .vdb file.
struct VdbGrid {
    metadata: BTreeMap<String, Vec<u8>>,
    map: String,
    translation: [f64; 3],
    scale: [f64; 3],
    voxels: BTreeMap<[usize; 3], f32>,
}

/// Place of a child in a node whose sides have so many children.
fn child(first: [usize; 3], number: usize, side: usize, cells: usize) -> [usize; 3] {
    let along = [number / (side * side), number / side % side, number % side];
    std::array::from_fn(|axis| first[axis] + along[axis] * cells)
}

fn read_vdb(path: &Path) -> (BTreeMap<String, Vec<u8>>, BTreeMap<String, VdbGrid>) {
    let all = fs::read(path).unwrap();
    let mut bytes = Bytes(&all);
    assert_eq!((bytes.u64(), bytes.u32()), (0x5644_4220, 224));
    bytes.take(8 + 1 + 36);
    let metadata = bytes.metadata();
    let grids = (0..bytes.u32())
        .map(|_| {
            let name = bytes.text();
            assert_eq!([bytes.text(), bytes.text()], ["Tree_float_5_4_3", ""]);
            let places = [bytes.u64(), bytes.u64(), bytes.u64()].map(|at| at as usize);
            let at = |bytes: &Bytes<'_>| all.len() - bytes.0.len();
            assert_eq!(at(&bytes), places[0]);
            let grid = read_grid(&mut bytes, |bytes| assert_eq!(at(bytes), places[1]));
            assert_eq!(at(&bytes), places[2]);
            (name, grid)
        })
        .collect();
    assert!(bytes.0.is_empty());
    (metadata, grids)
}

fn read_grid(bytes: &mut Bytes<'_>, at_values: impl Fn(&Bytes<'_>)) -> VdbGrid {
    assert_eq!(bytes.u32(), 3, "zlib and active values only");
    let (metadata, map) = (bytes.metadata(), bytes.text());
    let mut triple = || std::array::from_fn(|_| f64::from_bits(bytes.u64()));
    let [translation, scale, size, inverse, squared, half] = std::array::from_fn(|_| triple());
    for axis in 0..3 {
        assert_eq!(size, scale);
        let s: [f64; 3] = scale;
        assert_eq!([inverse[axis], squared[axis], half[axis]], [1.0 / s[axis], (1.0 / s[axis]).powi(2), 0.5 / s[axis]]);
    }
    assert_eq!([bytes.u32(), bytes.u32(), bytes.u32()], [1, 0, 0], "one buffer, background 0, no tiles");
    let mut leaves = Vec::new();
    for _ in 0..bytes.u32() {
        let root = [bytes.u32(), bytes.u32(), bytes.u32()].map(|v| v as usize);
        let upper = bytes.mask(32768);
        assert!(bytes.mask(32768).is_empty() && bytes.values(0).is_empty());
        for node in upper {
            let lower = bytes.mask(4096);
            assert!(bytes.mask(4096).is_empty() && bytes.values(0).is_empty());
            for leaf in lower {
                leaves.push((child(child(root, node, 32, 128), leaf, 16, 8), bytes.mask(512)));
            }
        }
    }
    at_values(bytes);
    let mut voxels = BTreeMap::new();
    for (first, active) in leaves {
        assert_eq!(bytes.mask(512), active);
        let values = bytes.values(active.len());
        voxels.extend(active.into_iter().map(|at| child(first, at, 8, 1)).zip(values));
    }
    VdbGrid { metadata, map, translation, scale, voxels }
}

/// Compares a .vdb file with the world that it was made of, voxel for voxel; gives what Python needs.
fn check_vdb(bench: &Bench, path: &Path) -> Value {
    let (metadata, grids) = read_vdb(path);
    assert_eq!(metadata["scene"], b"Hill <&>");
    assert_eq!(grids.keys().collect::<Vec<_>>(), ["amount", "density", "energy"]);
    let lava = bench.lava();
    let voxels =
        |value: fn(f32, f32) -> f32| lava.iter().map(|&(at, a, e)| (at, value(a, e))).collect::<BTreeMap<_, _>>();
    assert_eq!(grids["amount"].voxels, voxels(|amount, _| amount));
    assert_eq!(grids["energy"].voxels, voxels(|_, energy| energy));
    let mut lowpass = LowPass::new(bench.world.grid);
    let volume = lowpass.refresh(&bench.world);
    let grid = volume.grid;
    let density: BTreeMap<_, _> = (0..grid.cells())
        .filter(|&at| volume.density[at] > 0)
        .map(|at| [at % grid.nx, at / grid.nx % grid.ny, at / grid.slab()])
        .map(|[x, y, z]| (bench.site.cell([x, y, z]), f32::from(volume.density[grid.index(x, y, z)]) / 255.0))
        .collect();
    assert_eq!(grids["density"].voxels, density);
    for grid in grids.values() {
        assert_eq!(grid.metadata["class"], b"fog volume");
        assert_eq!(grid.metadata["file_voxel_count"], (grid.voxels.len() as u64).to_le_bytes());
        let centre = bench.site.local_m([0.5; 3]);
        assert_eq!((grid.translation, grid.scale), (centre, bench.site.spacing_m()));
    }
    let same = bench.site.cell_size_m.to_bits() == bench.site.cell_height_m().to_bits();
    assert_eq!(grids["amount"].map, if same { "UniformScaleTranslateMap" } else { "ScaleTranslateMap" });
    let shape = bench.site.shape();
    json!({
        "shape": shape, "seed": "3", "spacing": bench.site.spacing_m(),
        "local_origin": bench.site.local_m([0.0; 3]), "local_end": bench.site.local_m(shape.map(|n| n as f64)),
        "cells": lava,
        "density": density.iter().collect::<Vec<_>>(),
    })
}

#[test]
fn vdb_gives_back_every_voxel() {
    let bench = Bench::hill(30);
    let path = bench.path("hill.vdb");
    write_vdb(&path, &bench.shot(), Existing::Keep).unwrap();
    let expected = check_vdb(&bench, &path);
    assert_eq!(expected["local_origin"], json!([0.0, 0.0, bench.site.floor_m]), "the map's numbers stay in words");
    assert_eq!(read_vdb(&path).0["offset_m"], format!("{WEST} {SOUTH} 0").as_bytes());
    python("check_vdb.py", &path, &expected);
}

#[test]
fn vdb_spans_many_nodes() {
    // Two roots along x, several nodes along z.
    let grid = Grid::new(4200, 9, 300);
    let mut world = World::new(Ground::none(grid));
    let mut dice = Dice(5);
    for _ in 0..900 {
        let [x, y, z] = [grid.nx, grid.ny, grid.nz].map(|n| dice.below(n as u64) as usize);
        world.place(x, y, z, 1 + dice.below(u64::from(AMOUNT_ONE)) as u16, dice.below(65536) as u16);
    }
    for [x, y, z] in [[0, 0, 0], [4199, 8, 299], [4096, 4, 128]] {
        world.place(x, y, z, AMOUNT_ONE, ENERGY_ONE);
    }
    let bench = Bench::of(world);
    let path = bench.path("long.vdb");
    write_vdb(&path, &bench.shot(), Existing::Keep).unwrap();
    python("check_vdb.py", &path, &check_vdb(&bench, &path));
}

#[test]
fn the_same_state_gives_the_same_bytes() {
    let bench = Bench::hill(8);
    for name in ["a.vti", "a.vdb", "a.glb", "a.ply"] {
        let write = || {
            let (path, shot) = (bench.path(name), bench.shot());
            match &name[2..] {
                "vti" => write_vti(&path, &shot, Existing::Replace).unwrap(),
                "vdb" => write_vdb(&path, &shot, Existing::Replace).unwrap(),
                "glb" => write_glb(&path, &shot, &skin(), Existing::Replace).unwrap(),
                _ => write_ply(&path, &shot, &skin(), Existing::Replace).unwrap(),
            }
            fs::read(path).unwrap()
        };
        assert!(write() == write(), "{name}");
    }
}

// ---------------------------------------------------------------- meshes

/// Checks that a mesh bounds a body: every edge once in each direction, every corner with one ring of triangles.
fn assert_closed(mesh: &Mesh) {
    let mut edges: HashMap<(u32, u32), u32> = HashMap::new();
    for t in &mesh.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            *edges.entry((a, b)).or_default() += 1;
        }
    }
    for (&(a, b), &count) in &edges {
        assert_eq!((count, edges.get(&(b, a))), (1, Some(&1)), "edge {a} {b}");
    }
    // The next corner of the ring around a corner, for each of its triangles.
    let mut rings: HashMap<u32, HashMap<u32, u32>> = HashMap::new();
    for t in &mesh.triangles {
        for i in 0..3 {
            rings.entry(t[i]).or_default().insert(t[(i + 1) % 3], t[(i + 2) % 3]);
        }
    }
    assert_eq!(rings.len(), mesh.positions.len(), "every corner is used");
    for (corner, ring) in rings {
        let start = *ring.keys().min().unwrap();
        let (mut at, mut length) = (ring[&start], 1);
        while at != start {
            (at, length) = (ring[&at], length + 1);
        }
        assert_eq!(length, ring.len(), "corner {corner} has more than one ring");
    }
    for normal in &mesh.normals {
        assert!((normal.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-4);
    }
}

/// Corners − edges + faces.
fn euler(mesh: &Mesh) -> i64 {
    mesh.positions.len() as i64 - mesh.triangles.len() as i64 / 2
}

#[test]
fn a_ball_of_lava_is_one_closed_surface_of_its_volume() {
    let grid = Grid::new(50, 45, 40);
    let mut world = World::new(Ground::none(grid));
    let inside = |x: usize, y: usize, z: usize| {
        let d = [x as f64 - 26.0, y as f64 - 21.0, z as f64 - 18.0];
        d.iter().map(|v| v * v).sum::<f64>() < 15.0 * 15.0
    };
    for z in 0..40 {
        for y in 0..45 {
            (0..50).filter(|&x| inside(x, y, z)).for_each(|x| world.place(x, y, z, AMOUNT_ONE, ENERGY_ONE));
        }
    }
    let mut bench = Bench::of(world);
    bench.site = Site { cell_size_m: 4.0, vertical_exaggeration: 2.0, floor_m: 100.0, ..bench.site };
    let mesh = Mesh::lava(&bench.shot(), 0.5).unwrap();
    assert_closed(&mesh);
    assert_eq!(euler(&mesh), 2);
    let volume = bench.world.lava.tally().cells as f64 * 32.0;
    assert!((mesh.volume_m3() / volume - 1.0).abs() < 0.02, "{} of {volume}", mesh.volume_m3());
    // The middle of the ball is where it was put: north counts from the south.
    let middle = [26.5 * 4.0, (40.0 - 18.5) * 4.0, 100.0 + 21.5 * 2.0];
    for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
        let d: Vec<f64> = (0..3).map(|axis| f64::from(position[axis]) - middle[axis]).collect();
        let length = (d[0] / 4.0).hypot(d[1] / 4.0).hypot(d[2] / 2.0);
        assert!((length - 15.0).abs() < 1.0, "{length} cells from the middle");
        assert!(d.iter().zip(normal).map(|(d, n)| d * f64::from(*n)).sum::<f64>() > 0.0, "normals look out");
    }
    assert!(mesh.energies.iter().all(|energy| (energy - 1.0).abs() < 0.02));
}

#[test]
fn every_mesh_is_closed() {
    for (seed, solid, liquid) in [(1, 0, 30), (2, 30, 50), (3, 10, 80), (4, 50, 10), (5, 0, 100), (6, 20, 65)] {
        let bench = Bench::of(random_world(Grid::new(37, 19, 21), seed, solid, liquid));
        for level in [0.1, 0.3, 0.42, 0.6] {
            let mesh = Mesh::lava(&bench.shot(), level).unwrap();
            assert_closed(&mesh);
            assert!(mesh.volume_m3() >= 0.0);
        }
    }
}

#[test]
fn lava_on_rock_reaches_half_a_cell_into_it() {
    let grid = Grid::new(30, 12, 30);
    let mut world = World::new(Ground::from_surface(12, ndarray::Array2::from_elem((30, 30), 4.0)));
    for z in 8..22 {
        for x in 8..22 {
            (4..8).for_each(|y| world.place(x, y, z, AMOUNT_ONE, ENERGY_ONE));
        }
    }
    let mesh = Mesh::lava(&Bench::of(world).shot(), 0.42).unwrap();
    assert_closed(&mesh);
    let ends = |pick: fn(f32, f32) -> f32| mesh.positions.iter().map(|p| p[2]).reduce(pick).unwrap();
    let (low, high) = (ends(f32::min), ends(f32::max));
    assert!((low - 3.5).abs() < 0.05 && (high - 8.0).abs() < 0.3, "{low} to {high}");
    assert_eq!(grid.ny, 12);
}

/// What a PLY file holds: position, normal, colour and energy of each corner, and the triangles.
type Ply = (Vec<([f32; 6], [u8; 3], f32)>, Vec<[u32; 3]>);

fn read_ply(path: &Path) -> Ply {
    let all = fs::read(path).unwrap();
    let end = all.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    let count = |what: &str| between(&head, &format!("element {what} "), "\n").parse::<usize>().unwrap();
    let mut bytes = Bytes(&all[end..]);
    let corner = |bytes: &mut Bytes<'_>| {
        let numbers = floats(bytes.take(24)).try_into().unwrap();
        (numbers, bytes.take(3).try_into().unwrap(), floats(bytes.take(4))[0])
    };
    let corners = (0..count("vertex")).map(|_| corner(&mut bytes)).collect();
    let triangle = |bytes: &mut Bytes<'_>| {
        assert_eq!(bytes.take(1), [3]);
        [bytes.u32(), bytes.u32(), bytes.u32()]
    };
    let triangles = (0..count("face")).map(|_| triangle(&mut bytes)).collect();
    assert!(bytes.0.is_empty());
    (corners, triangles)
}

/// Description and numbers of a GLB file.
fn read_glb(path: &Path) -> (Value, Vec<u8>) {
    let all = fs::read(path).unwrap();
    let mut bytes = Bytes(&all);
    assert_eq!((bytes.take(4), bytes.u32(), bytes.u32() as usize), (&b"glTF"[..], 2, all.len()));
    let mut chunks = Vec::new();
    while !bytes.0.is_empty() {
        let (length, kind) = (bytes.u32() as usize, bytes.take(4));
        assert!(length.is_multiple_of(4));
        chunks.push((kind, bytes.take(length).to_vec()));
    }
    assert_eq!(chunks[0].0, b"JSON");
    let json = serde_json::from_slice(&chunks[0].1).unwrap();
    (json, chunks.get(1).map_or(Vec::new(), |chunk| chunk.1.clone()))
}

/// The bytes of an accessor.
fn accessor<'a>(root: &Value, bin: &'a [u8], number: &Value) -> &'a [u8] {
    let accessor = &root["accessors"][number.as_u64().unwrap() as usize];
    let view = &root["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    &bin[number(&view["byteOffset"])..][..number(&view["byteLength"])]
}

/// A mesh's facts for Python.
fn facts(mesh: &Mesh) -> Value {
    let end = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
        (0..3).map(|axis| mesh.positions.iter().map(|p| p[axis]).reduce(pick).unwrap()).collect()
    };
    json!({
        "vertices": mesh.positions.len(), "triangles": mesh.triangles.len(), "volume": mesh.volume_m3(), "seed": "3",
        "bounds": [end(f32::min), end(f32::max)],
    })
}

#[test]
fn ply_gives_back_the_mesh() {
    let bench = Bench::hill(30);
    let path = bench.path("hill.ply");
    write_ply(&path, &bench.shot(), &skin(), Existing::Keep).unwrap();
    let mesh = Mesh::lava(&bench.shot(), skin().level).unwrap();
    assert_closed(&mesh);
    let (corners, triangles) = read_ply(&path);
    assert_eq!(triangles, mesh.triangles);
    assert_eq!(corners.len(), mesh.positions.len());
    for (i, ([x, y, z, nx, ny, nz], color, energy)) in corners.into_iter().enumerate() {
        assert_eq!(([x, y, z], [nx, ny, nz], energy), (mesh.positions[i], mesh.normals[i], mesh.energies[i]));
        assert_eq!(color, skin().palette.srgb(energy / 2.0));
    }
    for script in ["check_mesh.py", "check_mesh_vtk.py"] {
        python(script, &path, &facts(&mesh));
    }
}

#[test]
fn glb_gives_back_the_mesh_and_the_ground() {
    let bench = Bench::hill(30);
    let path = bench.path("hill.glb");
    write_glb(&path, &bench.shot(), &skin(), Existing::Keep).unwrap();
    let (root, bin) = read_glb(&path);
    let mesh = Mesh::lava(&bench.shot(), skin().level).unwrap();
    assert_eq!([&root["nodes"][0]["name"], &root["nodes"][1]["name"]], ["lava", "ground"]);
    assert_eq!(root["scenes"][0]["extras"]["offset_m"], format!("{WEST} {SOUTH} 0"));
    let lava = &root["meshes"][0]["primitives"][0];
    let read = |name: &str| accessor(&root, &bin, &lava["attributes"][name]);
    let y_up = |points: &[[f32; 3]]| points.iter().flat_map(|p| [p[0], p[2], -p[1]]).collect::<Vec<f32>>();
    assert_eq!(floats(read("POSITION")), y_up(&mesh.positions));
    assert_eq!(floats(read("NORMAL")), y_up(&mesh.normals));
    assert_eq!(floats(read("_ENERGY")), mesh.energies);
    let indices: Vec<u8> = mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
    assert_eq!(accessor(&root, &bin, &lava["indices"]), indices);
    let colors = read("COLOR_0").as_chunks::<8>().0;
    assert_eq!(colors.len(), mesh.energies.len());
    for (color, energy) in colors.iter().zip(&mesh.energies) {
        let linear = skin().palette.linear(energy / 2.0);
        let share = |n: usize| f32::from(u16::from_le_bytes([color[2 * n], color[2 * n + 1]])) / 65535.0;
        assert!((0..3).all(|n| (share(n) - linear[n]).abs() < 1e-4) && share(3) >= 1.0);
    }
    check_ground(&bench, &floats(accessor(&root, &bin, &root["meshes"][1]["primitives"][0]["attributes"]["POSITION"])));
    assert_valid(root);
    for script in ["check_mesh.py", "check_mesh_vtk.py"] {
        python(script, &path, &facts(&mesh));
    }
}

/// The ground of a GLB has the heightmap's elevations in the middles of the columns.
fn check_ground(bench: &Bench, points: &[f32]) {
    let surface = bench.world.ground.surface();
    assert_eq!(points.len(), 3 * surface.len());
    for (at, point) in points.as_chunks::<3>().0.iter().enumerate() {
        let (col, row) = (at % 20, at / 20);
        let height = bench.site.floor_m + f64::from(surface[[row, col]]) * CELL / 2.0;
        let place = [(col as f64 + 0.5) * CELL, height, -(12.0 - row as f64 - 0.5) * CELL];
        assert!(place.iter().zip(point).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-3), "{place:?} {point:?}");
        let metres = (30 - col as i32 - row as i32 / 2 - (col as i32 - 9).abs()) as f64;
        assert!((height - metres).abs() < 1e-3, "{height} m in the file, {metres} m in the heightmap");
    }
}

/// Checks against the rules of glTF, as far as the crate knows them.
fn assert_valid(mut root: Value) {
    use gltf_json::validation::Validate;
    // The crate is built without names of one's own.
    root["meshes"][0]["primitives"][0]["attributes"].as_object_mut().unwrap().remove("_ENERGY");
    let root: gltf_json::Root = serde_json::from_value(root).unwrap();
    root.validate(&root, gltf_json::Path::new, &mut |path, error| panic!("{}: {error}", path()));
}

#[test]
fn a_box_without_lava_gives_files_that_are_whole() {
    let bench = Bench::of(World::new(Ground::none(Grid::new(5, 4, 3))));
    write_vti(&bench.path("empty.vti"), &bench.shot(), Existing::Keep).unwrap();
    write_vdb(&bench.path("empty.vdb"), &bench.shot(), Existing::Keep).unwrap();
    write_glb(&bench.path("empty.glb"), &bench.shot(), &skin(), Existing::Keep).unwrap();
    write_ply(&bench.path("empty.ply"), &bench.shot(), &skin(), Existing::Keep).unwrap();
    assert!(Vti::read(&bench.path("empty.vti")).floats("CellData", "amount").iter().all(|&amount| amount == 0.0));
    assert!(read_vdb(&bench.path("empty.vdb")).1.values().all(|grid| grid.voxels.is_empty()));
    assert_eq!(read_ply(&bench.path("empty.ply")), (Vec::new(), Vec::new()));
    let (root, _) = read_glb(&bench.path("empty.glb"));
    assert_eq!((&root["nodes"][0]["name"], root["nodes"].as_array().unwrap().len()), (&json!("ground"), 1));

    let column = Bench::of(World::new(Ground::none(Grid::new(1, 4, 1))));
    write_glb(&column.path("nothing.glb"), &column.shot(), &skin(), Existing::Keep).unwrap();
    let (root, bin) = read_glb(&column.path("nothing.glb"));
    assert!(bin.is_empty() && root.get("buffers").is_none() && root["scenes"][0].get("nodes").is_none());
}

#[test]
fn rows_of_the_low_pass_are_those_of_the_volume() {
    let world = random_world(Grid::new(23, 11, 13), 7, 25, 30);
    let mut lowpass = LowPass::new(world.grid);
    let volume = lowpass.refresh(&world);
    let (mut density, mut energy) = (vec![0; world.grid.cells()], vec![0; world.grid.cells()]);
    RowFilter::default().each_cell(&world, |[x, y, z], d, e| {
        let at = world.grid.index(x, y, z);
        (density[at], energy[at]) = (d, e);
    });
    assert!((density, energy) == (volume.density.clone(), volume.energy.clone()));
}

// ---------------------------------------------------------------- the program

/// Runs `lavoxel run hill.toml` with arguments, split at spaces; gives the exit status and what it said.
fn run(folder: &Path, args: &str) -> (i32, String) {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("lavoxel");
    let output = command.current_dir(folder).args(["run", "hill.toml"]).args(args.split_whitespace()).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| !name.starts_with("hill.")).collect();
    names.sort();
    names
}

#[test]
fn the_program_writes_the_last_step() {
    let folder = tempfile::tempdir().unwrap();
    hill(folder.path());
    let outputs = "--volume out/a.vti --volume out/a.vdb --mesh out/a.glb --mesh out/a.PLY";
    let (code, said) = run(folder.path(), &format!("--steps 7 {outputs}"));
    assert_eq!((code, said.lines().count()), (0, 4), "{said}");
    assert_eq!(files(&folder.path().join("out")), ["a.PLY", "a.glb", "a.vdb", "a.vti"]);
    let bench = Bench::hill(7);
    write_vdb(&bench.path("b.vdb"), &bench.shot(), Existing::Keep).unwrap();
    assert!(fs::read(folder.path().join("out/a.vdb")).unwrap() == fs::read(bench.path("b.vdb")).unwrap());

    let (code, said) = run(folder.path(), "--steps 7 --volume out/a.vti");
    assert!(code == 2 && said.contains("out/a.vti exists already") && said.contains("--force"), "{said}");
    assert_eq!(run(folder.path(), "--steps 7 --volume out/a.vti --force --quiet"), (0, String::new()));
}

#[test]
fn the_program_writes_a_series() {
    let folder = tempfile::tempdir().unwrap();
    hill(folder.path());
    let args = "--steps 10 --export-every 4 --volume s.vti --mesh s.ply";
    let (code, said) = run(folder.path(), args);
    assert!(code == 0 && said.contains("s_*.vti (3 files, the last of step 10, listed in s.pvd)"), "{said}");
    let numbered = |ending: &str| [4, 8, 10].map(|step| format!("s_{step:06}.{ending}"));
    let mut expected = [vec!["s.pvd".to_owned()], numbered("vti").to_vec(), numbered("ply").to_vec()].concat();
    expected.sort();
    assert_eq!(files(folder.path()), expected);
    python("check_vti.py", &folder.path().join("s.pvd"), &json!({"steps": [4, 8, 10]}));

    fs::remove_file(folder.path().join("s.pvd")).unwrap();
    let (code, said) = run(folder.path(), args);
    assert!(code == 2 && said.contains("s_000010.vti exists already"), "{said}");
    assert_eq!(run(folder.path(), &format!("{args} --force -q")).0, 0);
}

#[test]
fn the_program_refuses_before_it_works() {
    let folder = tempfile::tempdir().unwrap();
    hill(folder.path());
    let folder = folder.path();
    fs::create_dir(folder.join("dir.vdb")).unwrap();
    for (args, code, text) in [
        ("--volume a.obj", 2, "--volume a.obj: no format ends in \"obj\"; known are .vti and .vdb"),
        ("--mesh a.vdb", 2, "--mesh a.vdb: no format ends in \"vdb\"; known are .glb and .ply"),
        ("--mesh a.ply --mesh a.ply", 2, "--mesh a.ply: two outputs cannot have the same name"),
        ("--export-every 5", 2, "name what to write with --volume or --mesh"),
        ("--export-every 1 --steps 1000000 --mesh a.ply", 2, "pass --export-every 10 or more"),
        ("--volume dir.vdb", 2, "dir.vdb exists already"),
        ("--volume dir.vdb --force", 1, "dir.vdb: it is a folder"),
        ("--volume hill.asc/a.vdb", 1, "hill.asc is no folder"),
    ] {
        // With so many steps, only one that does not start can end.
        let steps = if args.contains("--steps") { "" } else { "--steps 1000000000" };
        let (found, said) = run(folder, &format!("{args} {steps}"));
        assert!(found == code && said.contains(text) && said.lines().count() == 1, "{args}: {found} {said}");
        assert_eq!(files(folder), ["dir.vdb"], "{args}");
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_leaves_whole_files_and_its_last_step() {
    let folder = tempfile::tempdir().unwrap();
    hill(folder.path());
    let args = "run hill.toml --steps 1000000000 --export-every 20000 --volume s.vti --json";
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lavoxel"));
    command.current_dir(folder.path()).args(args.split(' '));
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = Running::start(&mut command);
    let start = std::time::Instant::now();
    while !folder.path().join("s_020000.vti").exists() {
        assert!(start.elapsed().as_secs() < 120 && child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.interrupt();
    let output = child.output();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("these files are complete up to there"), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let last = report["steps"].as_u64().unwrap();
    let list = fs::read_to_string(folder.path().join("s.pvd")).unwrap();
    let steps: Vec<u64> = list.split("timestep=\"").skip(1).map(|s| between(s, "", "\"").parse().unwrap()).collect();
    assert_eq!((steps[0], steps.last()), (20_000, Some(&last)));
    for step in &steps {
        assert_eq!(Vti::read(&folder.path().join(format!("s_{step:06}.vti"))).floats("CellData", "amount").len(), 9600);
    }
    assert_eq!(files(folder.path()).len(), steps.len() + 1, "no half files");
}
