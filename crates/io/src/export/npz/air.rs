//! Entries of the whole air box, whose cells are larger than those of the lava box and may extend
//! beyond that box.
//!
//! | entry | shape, type | unit | description |
//! |---|---|---|---|
//! | `air_box_heat`, `air_box_ash`, `air_box_steam`, `air_box_density` | (z, y, x) u32 | `air_box_…_unit` | whole units, those of the account; density of the article's air alone |
//! | `air_box_ink1` to `air_box_ink4` | (z, y, x) u32 | `air_box_ink1_unit`, … | whole units of the inks in use |
//! | `air_box_heat_unit`, … | f64 | J, else kg | size of a unit |
//! | `air_box_solid` | (z, y, x) bool | | ground |
//! | `air_box_velocity` | (3, z, y, x) f32 | m/s | east, north, up |
//! | `air_box_x`, `air_box_y`, `air_box_z` | as `x`, `y`, `z` | | middles of the cells |
//! | `air_box_edge_m` | f64 | m | edge of a cell |

use std::io::{Seek, Write};

use ndarray_npy::{NpzWriter, WriteNpzError};

use super::{Entry, Fill, rows};
use lavoxel_air::{Air, Field};
use lavoxel_base::grid::Grid;
use lavoxel_geo::map::Site;

/// Returns the name of the archive entry for the part `part` of the air box, such as `heat`.
fn entry(part: &str) -> String {
    format!("air_box_{part}")
}

/// Returns the units of all archive entries of the air that have a unit, as a flat list: name,
/// unit, name, unit, …
pub(super) fn units(air: &Air, site: &Site) -> Vec<String> {
    let map = site.map_unit();
    let of_unit = |field: Field| {
        (
            format!("{}_unit", field.name()),
            if field == Field::Heat { "J" } else { "kg" },
        )
    };
    let parts = [
        ("x", map),
        ("y", map),
        ("z", "m"),
        ("edge_m", "m"),
        ("velocity", "m/s"),
    ];
    let parts = parts
        .map(|(part, unit)| (part.to_owned(), unit))
        .into_iter();
    let all = parts.chain(air.amounts().present().map(of_unit));
    all.flat_map(|(part, unit)| [entry(&part), unit.to_owned()])
        .collect()
}

/// Writes the entries of the air box to the archive `npz`.
pub(super) fn write<W: Write + Seek>(
    npz: &mut NpzWriter<W>,
    air: &Air,
    site: &Site,
) -> Result<(), WriteNpzError> {
    let cells = air.grid().cells;
    let [xs, ys, zs] = middles(air, site);
    npz.add_array(entry("x"), &ndarray::Array1::from_vec(xs))?;
    npz.add_array(entry("y"), &ndarray::Array1::from_vec(ys))?;
    npz.add_array(entry("z"), &ndarray::Array1::from_vec(zs))?;
    npz.add_array(
        entry("edge_m"),
        &Entry::number("<f8", air.scale().edge_m.to_le_bytes()),
    )?;
    for field in air.amounts().present() {
        let of_unit = air.scale().of_unit(field).to_le_bytes();
        npz.add_array(
            entry(&format!("{}_unit", field.name())),
            &Entry::number("<f8", of_unit),
        )?;
        let units = |place, bytes: &mut Vec<u8>| {
            bytes.extend(air.amounts().get(field, place).to_le_bytes())
        };
        npz.add_array(
            entry(field.name()),
            &Entry {
                descr: "<u4".to_owned(),
                ..field_of(cells, units)
            },
        )?;
    }
    let solid = |place, bytes: &mut Vec<u8>| bytes.push(u8::from(air.openness().is_solid(place)));
    npz.add_array(
        entry("solid"),
        &Entry {
            descr: "|b1".to_owned(),
            ..field_of(cells, solid)
        },
    )?;
    let fill: Fill<'_> = Box::new(move |out| {
        (0..3).try_for_each(|axis| {
            let part = move |place, bytes: &mut Vec<u8>| {
                // The program's third axis points south, that of the file north.
                let [east, up, south] = air.velocity_m_s(place);
                bytes.extend(([east, -south, up][axis] as f32).to_le_bytes());
            };
            (field_of(cells, part).fill)(out)
        })
    });
    let shape = vec![3, cells.ny, cells.nz, cells.nx];
    npz.add_array(
        entry("velocity"),
        &Entry {
            descr: "<f4".to_owned(),
            shape,
            fill,
        },
    )
}

/// Returns an archive entry with one element per air cell. `of_cell` appends the bytes of the
/// element of the cell at [x, y, z].
fn field_of<'a>(cells: Grid, of_cell: impl Fn([usize; 3], &mut Vec<u8>) + 'a) -> Entry<'a> {
    let fill: Fill<'a> = Box::new(move |out| {
        let mut bytes = Vec::new();
        for (y, z) in rows(cells) {
            bytes.clear();
            (0..cells.nx).for_each(|x| of_cell([x, y, z], &mut bytes));
            out.write_all(&bytes)?;
        }
        Ok(())
    });
    Entry {
        descr: String::new(),
        shape: super::shape(cells),
        fill,
    }
}

/// Returns the coordinates of the centres of the air cells along the three axes: map x, map y, and
/// elevation in metres.
fn middles(air: &Air, site: &Site) -> [Vec<f64>; 3] {
    let (grid, place) = (air.grid(), site.placement());
    let voxels = |corner: i32, n: usize| f64::from(corner) + (n as f64 + 0.5) * grid.ratio as f64;
    let xs = (0..grid.cells.nx).map(|x| place.west + voxels(grid.corner[0], x) * place.cell.0);
    let ys = (0..grid.cells.nz).map(|z| place.north - voxels(grid.corner[1], z) * place.cell.1);
    let zs = (0..grid.cells.ny).map(|y| site.elevation_m(voxels(0, y)));
    [xs.collect(), ys.collect(), zs.collect()]
}
