//! Tests of `.vti` files, parsed according to the format's description.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::ZlibDecoder;
use lavoxel::export::{ExportState, write_pvd, write_vti};
use lavoxel::grid::Grid;
use lavoxel::output::Existing;
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE};
use serde_json::json;

use super::reading::{between, floats};
use super::state::{Bench, CELL, SOUTH, WEST, about, python};
use crate::common::random_world;

/// Contents of a .vti file: its XML head and its arrays by part and name.
pub(crate) struct Vti {
    head: String,
    arrays: BTreeMap<(String, String), Vec<u8>>,
    /// Part and name of each array, in file order.
    order: Vec<(String, String)>,
}

impl Vti {
    pub(crate) fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        let mark = b"<AppendedData encoding=\"raw\">\n_";
        let start = bytes
            .windows(mark.len())
            .position(|window| window == mark)
            .unwrap()
            + mark.len();
        let head = String::from_utf8(bytes[..start].to_vec()).unwrap();
        let (mut arrays, mut order) = (BTreeMap::new(), Vec::new());
        for part in ["CellData", "PointData"] {
            let section = between(&head, &format!("<{part} "), &format!("</{part}>"));
            for array in section
                .lines()
                .filter(|line| line.starts_with("<DataArray"))
            {
                let offset: usize = between(array, "offset=\"", "\"").parse().unwrap();
                let key = (part.to_owned(), between(array, "Name=\"", "\"").to_owned());
                order.push(key.clone());
                arrays.insert(key, inflate_blocks(&bytes[start + offset..]));
            }
        }
        Self {
            head,
            arrays,
            order,
        }
    }

    /// Returns the names of the arrays in the part `part`.
    pub(crate) fn names(&self, part: &str) -> Vec<&str> {
        self.order
            .iter()
            .filter(|(of, _)| of == part)
            .map(|(_, name)| &name[..])
            .collect()
    }

    fn bytes(&self, part: &str, name: &str) -> &[u8] {
        &self.arrays[&(part.to_owned(), name.to_owned())]
    }

    pub(crate) fn floats(&self, part: &str, name: &str) -> Vec<f32> {
        floats(self.bytes(part, name))
    }
}

/// Decompresses an array, whose bytes are: number of blocks, block size, size of the last block,
/// compressed sizes, blocks.
fn inflate_blocks(bytes: &[u8]) -> Vec<u8> {
    let number =
        |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap()) as usize;
    let (count, size, last) = (number(0), number(1), number(2));
    let (mut at, mut all) = (8 * (3 + count), Vec::new());
    for block in 0..count {
        let before = all.len();
        let packed = &bytes[at..at + number(3 + block)];
        ZlibDecoder::new(packed).read_to_end(&mut all).unwrap();
        assert_eq!(
            all.len() - before,
            if block + 1 == count && last > 0 {
                last
            } else {
                size
            }
        );
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
    assert!(
        vti.head.contains(&format!(
            "Origin=\"{WEST} {SOUTH} {floor}\" Spacing=\"2.5 2.5 1.25\""
        )),
        "{}",
        vti.head
    );

    let (amount, energy) = (
        vti.floats("CellData", "amount"),
        vti.floats("CellData", "energy"),
    );
    let solid = vti.bytes("CellData", "solid");
    let mut sums = [0.0_f64; 3];
    for (at, &rock) in solid.iter().enumerate() {
        let (i, j, k) = (at % nx, at / nx % ny, at / (nx * ny));
        let place = [i, k, world.grid().nz - 1 - j];
        let cell = world.lava().at(place);
        let units = (
            amount[at] * f32::from(AMOUNT_ONE),
            amount[at] * energy[at] * f32::from(ENERGY_ONE),
        );
        assert_eq!(
            (units.0, units.1.round()),
            (cell.amount.into(), cell.energy.into()),
            "{place:?}"
        );
        assert_eq!(rock == 1, world.ground().is_solid(place));
        let values = [amount[at].into(), energy[at].into(), rock.into()];
        sums.iter_mut()
            .zip(values)
            .for_each(|(sum, value): (_, f64)| *sum += value);
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
    let bench = Bench::new(random_world(Grid::new(7, 5, 6), 11, 30, 40));
    let path = bench.path("random.vti");
    write_vti(&path, &bench.shot(), Existing::Keep).unwrap();
    let vti = Vti::read(&path);
    let (density, energy) = (
        vti.floats("PointData", "density"),
        vti.floats("PointData", "energy"),
    );
    let (world, [nx, ny, nz]) = (&bench.world, bench.site.shape());
    assert_eq!(
        [density.len(), energy.len()],
        [(nx + 1) * (ny + 1) * (nz + 1); 2]
    );
    for at in 0..density.len() {
        let [i, j, k] = [
            at % (nx + 1),
            at / (nx + 1) % (ny + 1),
            at / ((nx + 1) * (ny + 1)),
        ];
        let (mut open, mut sums) = (0, [0.0_f64; 2]);
        for corner in 0..8 {
            let [x, north, y] = [i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2)]
                .map(|v| v.wrapping_sub(1));
            if x < nx && north < ny && y < nz && !world.ground().is_solid([x, y, ny - 1 - north]) {
                let cell = world.lava().at([x, y, ny - 1 - north]);
                sums = [
                    sums[0] + f64::from(cell.amount),
                    sums[1] + f64::from(cell.energy),
                ];
                open += 1;
            }
        }
        let means = [
            sums[0] / 32768.0 / f64::from(open.max(1)),
            4.0 * sums[1] / sums[0].max(1.0),
        ];
        for (found, mean) in [density[at], energy[at]]
            .map(f64::from)
            .into_iter()
            .zip(means)
        {
            assert!(
                (found - mean).abs() <= 1e-6 * mean,
                "point {i} {j} {k}: {found} against {mean}"
            );
        }
    }
}

#[test]
fn a_series_of_vti_is_a_pvd() {
    let bench = Bench::hill(3);
    let mut steps = Vec::new();
    for step in [2, 4] {
        let name = format!("a & b_{step:06}.vti");
        write_vti(
            &bench.path(&name),
            &ExportState {
                about: &about(step),
                ..bench.shot()
            },
            Existing::Keep,
        )
        .unwrap();
        steps.push((step, name));
        write_pvd(&bench.path("a & b.pvd"), &steps, Existing::Replace).unwrap();
    }
    python(
        "check_vti.py",
        &bench.path("a & b.pvd"),
        &json!({"steps": [2, 4]}),
    );
    let text = fs::read_to_string(bench.path("a & b.pvd")).unwrap();
    assert!(
        text.contains("timestep=\"4\" part=\"0\" file=\"a &amp; b_000004.vti\""),
        "{text}"
    );
}
