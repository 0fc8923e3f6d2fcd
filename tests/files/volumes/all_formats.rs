//! Tests of properties that hold for every volume and mesh format.

use std::fs;

use lavoxel::export::mesh::{write_glb, write_ply};
use lavoxel::export::{write_vdb, write_vti};
use lavoxel::grid::Grid;
use lavoxel::lowpass::{LowPass, RowFilter};
use lavoxel::output::Existing;
use lavoxel::world::{Ground, World};
use serde_json::json;

use super::mesh::{Ply, read_glb, read_ply};
use super::state::{Bench, skin};
use super::vdb::read_vdb;
use super::vti::Vti;
use crate::common::random_world;

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

#[test]
fn a_box_without_lava_gives_files_that_are_whole() {
    let bench = Bench::new(World::new(Ground::none(Grid::new(5, 4, 3))));
    write_vti(&bench.path("empty.vti"), &bench.shot(), Existing::Keep).unwrap();
    write_vdb(&bench.path("empty.vdb"), &bench.shot(), Existing::Keep).unwrap();
    write_glb(
        &bench.path("empty.glb"),
        &bench.shot(),
        &skin(),
        Existing::Keep,
    )
    .unwrap();
    write_ply(
        &bench.path("empty.ply"),
        &bench.shot(),
        &skin(),
        Existing::Keep,
    )
    .unwrap();
    assert!(
        Vti::read(&bench.path("empty.vti"))
            .floats("CellData", "amount")
            .iter()
            .all(|&amount| amount == 0.0)
    );
    assert!(
        read_vdb(&bench.path("empty.vdb"))
            .1
            .values()
            .all(|grid| grid.voxels.is_empty())
    );
    assert_eq!(read_ply(&bench.path("empty.ply")), Ply::default());
    let (root, _) = read_glb(&bench.path("empty.glb"));
    assert_eq!(
        (
            &root["nodes"][0]["name"],
            root["nodes"].as_array().unwrap().len()
        ),
        (&json!("ground"), 1)
    );

    let column = Bench::new(World::new(Ground::none(Grid::new(1, 4, 1))));
    write_glb(
        &column.path("nothing.glb"),
        &column.shot(),
        &skin(),
        Existing::Keep,
    )
    .unwrap();
    let (root, bin) = read_glb(&column.path("nothing.glb"));
    assert!(
        bin.is_empty() && root.get("buffers").is_none() && root["scenes"][0].get("nodes").is_none()
    );
}

#[test]
fn rows_of_the_low_pass_are_those_of_the_volume() {
    let world = random_world(Grid::new(23, 11, 13), 7, 25, 30);
    let mut lowpass = LowPass::new(world.grid());
    let volume = lowpass.refresh(&world);
    let (mut density, mut energy) = (vec![0; world.grid().cells()], vec![0; world.grid().cells()]);
    RowFilter::default().each_cell(&world, |place, d, e| {
        let at = world.grid().index(place);
        (density[at], energy[at]) = (d, e);
    });
    assert!((density, energy) == (volume.density.clone(), volume.energy.clone()));
}
