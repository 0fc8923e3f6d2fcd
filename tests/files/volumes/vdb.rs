//! Tests of `.vdb` files, parsed as OpenVDB's reader does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lavoxel::export::write_vdb;
use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::output::Existing;
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel::world::{Ground, World};
use serde_json::{Value, json};

use super::reading::Bytes;
use super::state::{Bench, SOUTH, WEST, python};
use crate::common::Dice;

/// Grid of a .vdb file.
pub(crate) struct VdbGrid {
    metadata: BTreeMap<String, Vec<u8>>,
    map: String,
    translation: [f64; 3],
    scale: [f64; 3],
    pub(crate) voxels: BTreeMap<[usize; 3], f32>,
}

/// Returns the origin of the child with the index `number` in a node with `side`³ children of
/// `cells`³ voxels each. `first`: origin of the node.
fn child(first: [usize; 3], number: usize, side: usize, cells: usize) -> [usize; 3] {
    let along = [number / (side * side), number / side % side, number % side];
    std::array::from_fn(|axis| first[axis] + along[axis] * cells)
}

/// Returns the metadata of a file, and its scalar grids by name; vector grids are skipped.
pub(crate) fn read_vdb(path: &Path) -> (BTreeMap<String, Vec<u8>>, BTreeMap<String, VdbGrid>) {
    let all = fs::read(path).unwrap();
    let mut bytes = Bytes(&all);
    assert_eq!((bytes.u64(), bytes.u32()), (0x5644_4220, 224));
    bytes.take(8 + 1 + 36);
    let metadata = bytes.metadata();
    let grids = (0..bytes.u32())
        .filter_map(|_| {
            let (name, kind) = (bytes.text(), bytes.text());
            assert_eq!(bytes.text(), "");
            let places = [bytes.u64(), bytes.u64(), bytes.u64()].map(|at| at as usize);
            let at = |bytes: &Bytes<'_>| all.len() - bytes.0.len();
            assert_eq!(at(&bytes), places[0]);
            if kind == "Tree_vec3s_5_4_3" {
                bytes.take(places[2] - places[0]);
                return None;
            }
            assert_eq!(kind, "Tree_float_5_4_3");
            let grid = read_grid(&mut bytes, |bytes| assert_eq!(at(bytes), places[1]));
            assert_eq!(at(&bytes), places[2]);
            Some((name, grid))
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
        assert_eq!(
            [inverse[axis], squared[axis], half[axis]],
            [1.0 / s[axis], (1.0 / s[axis]).powi(2), 0.5 / s[axis]]
        );
    }
    assert_eq!(
        [bytes.u32(), bytes.u32(), bytes.u32()],
        [1, 0, 0],
        "one buffer, background 0, no tiles"
    );
    let mut leaves = Vec::new();
    for _ in 0..bytes.u32() {
        let root = [bytes.u32(), bytes.u32(), bytes.u32()].map(|v| v as usize);
        let upper = bytes.mask(32768);
        assert!(bytes.mask(32768).is_empty() && bytes.values(0).is_empty());
        for node in upper {
            let lower = bytes.mask(4096);
            assert!(bytes.mask(4096).is_empty() && bytes.values(0).is_empty());
            for leaf in lower {
                leaves.push((
                    child(child(root, node, 32, 128), leaf, 16, 8),
                    bytes.mask(512),
                ));
            }
        }
    }
    at_values(bytes);
    let mut voxels = BTreeMap::new();
    for (first, active) in leaves {
        assert_eq!(bytes.mask(512), active);
        let values = bytes.values(active.len());
        voxels.extend(
            active
                .into_iter()
                .map(|at| child(first, at, 8, 1))
                .zip(values),
        );
    }
    VdbGrid {
        metadata,
        map,
        translation,
        scale,
        voxels,
    }
}

/// Compares a .vdb file with the world that was written, voxel by voxel; returns the expected facts
/// for the Python check.
fn check_vdb(bench: &Bench, path: &Path) -> Value {
    let (metadata, grids) = read_vdb(path);
    assert_eq!(metadata["scene"], b"Hill <&>");
    assert_eq!(
        grids.keys().collect::<Vec<_>>(),
        ["amount", "density", "energy"]
    );
    let lava = bench.lava();
    let voxels = |value: fn(f32, f32) -> f32| {
        lava.iter()
            .map(|&(at, a, e)| (at, value(a, e)))
            .collect::<BTreeMap<_, _>>()
    };
    assert_eq!(grids["amount"].voxels, voxels(|amount, _| amount));
    assert_eq!(grids["energy"].voxels, voxels(|_, energy| energy));
    let mut lowpass = LowPass::new(bench.world.grid());
    let volume = lowpass.refresh(&bench.world);
    let grid = volume.grid;
    let density: BTreeMap<_, _> = (0..grid.cells())
        .filter(|&at| volume.density[at] > 0)
        .map(|at| [at % grid.nx, at / grid.nx % grid.ny, at / grid.slab()])
        .map(|place| {
            (
                bench.site.cell(place),
                f32::from(volume.density[grid.index(place)]) / 255.0,
            )
        })
        .collect();
    assert_eq!(grids["density"].voxels, density);
    for grid in grids.values() {
        assert_eq!(grid.metadata["class"], b"fog volume");
        assert_eq!(
            grid.metadata["file_voxel_count"],
            (grid.voxels.len() as u64).to_le_bytes()
        );
        let centre = bench.site.local_m([0.5; 3]);
        assert_eq!(
            (grid.translation, grid.scale),
            (centre, bench.site.spacing_m())
        );
    }
    let same = bench.site.cell_size_m.to_bits() == bench.site.cell_height_m().to_bits();
    assert_eq!(
        grids["amount"].map,
        if same {
            "UniformScaleTranslateMap"
        } else {
            "ScaleTranslateMap"
        }
    );
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
    assert_eq!(
        expected["local_origin"],
        json!([0.0, 0.0, bench.site.floor_m]),
        "the map's numbers stay in words"
    );
    assert_eq!(
        read_vdb(&path).0["offset_m"],
        format!("{WEST} {SOUTH} 0").as_bytes()
    );
    python("check_vdb.py", &path, &expected);
}

#[test]
fn vdb_spans_many_nodes() {
    // The grid spans two root entries along x and several nodes along z.
    let grid = Grid::new(4200, 9, 300);
    let mut world = World::new(Ground::none(grid));
    let mut dice = Dice(5);
    for _ in 0..900 {
        let [x, y, z] = [grid.nx, grid.ny, grid.nz].map(|n| dice.below(n as u64) as usize);
        world.place(
            [x, y, z],
            1 + dice.below(u64::from(AMOUNT_ONE)) as u16,
            dice.below(65536) as u16,
        );
    }
    for [x, y, z] in [[0, 0, 0], [4199, 8, 299], [4096, 4, 128]] {
        world.place([x, y, z], AMOUNT_ONE, ENERGY_ONE);
    }
    let bench = Bench::new(world);
    let path = bench.path("long.vdb");
    write_vdb(&path, &bench.shot(), Existing::Keep).unwrap();
    python("check_vdb.py", &path, &check_vdb(&bench, &path));
}
