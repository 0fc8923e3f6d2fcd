//! OpenVDB grids of the air box, whose cells are larger than those of the lava box and may extend
//! beyond that box.

use super::super::sparse::Sparse;
use super::super::state::ExportState;
use super::{Transform, Write, io, write_grid};
use lavoxel_air::{Air, Field, UNIT};
use lavoxel_base::grid::Place;

/// Speed in m/s below which air counts as at rest and gets no voxel in the velocity grid.
const STILL_M_S: f64 = 1e-3;

/// Returns the number of OpenVDB grids for the fields of `air`: four, plus one per ink in use
/// (coloured tracer).
pub(super) fn grids(air: &Air) -> usize {
    4 + air.inks().count()
}

/// Writes the OpenVDB grids of `air`: `air_density` (ash and drops, kg/m³), `air_heat` (K above the
/// temperature of air at rest), `air_steam` (drops, kg/m³), `air_ink1` and so on for the inks in
/// use (kg/m³), and `air_velocity` (m/s east, north, up).
pub(super) fn write<W: Write + io::Seek>(
    file: &mut W,
    shot: &ExportState<'_>,
    air: &Air,
) -> io::Result<()> {
    let (scale, to) = (air.scale(), transform(shot, air));
    let mass = |field, place| {
        f64::from(air.amounts().get(field, place)) / f64::from(UNIT) * scale.ash_unit_kg_m3
    };
    let density = |place| mass(Field::Ash, place) + mass(Field::Steam, place);
    let heat = |place| air.excess(place) as f64 / f64::from(UNIT) * scale.ambient_k;
    write_grid(file, "air_density", &to, field(air, density))?;
    write_grid(file, "air_heat", &to, field(air, heat))?;
    write_grid(
        file,
        "air_steam",
        &to,
        field(air, |place| mass(Field::Steam, place)),
    )?;
    for ink in air.inks() {
        write_grid(
            file,
            &format!("air_{}", ink.name()),
            &to,
            field(air, |place| mass(ink, place)),
        )?;
    }
    let mut velocities = Sparse::new();
    for place in open(air) {
        let [east, up, south] = air.velocity_m_s(place);
        if [east, up, south].iter().any(|v| v.abs() > STILL_M_S) {
            velocities.set(cell(air, place), [east as f32, -south as f32, up as f32]);
        }
    }
    write_grid(file, "air_velocity", &to, velocities)
}

/// Returns the values that `of_cell` gives for the air cells outside of the ground as a sparse
/// field; zeros are omitted.
fn field(air: &Air, of_cell: impl Fn(Place) -> f64) -> Sparse<f32> {
    let mut field = Sparse::new();
    for place in open(air) {
        let value = of_cell(place) as f32;
        if value != 0.0 {
            field.set(cell(air, place), value);
        }
    }
    field
}

fn open(air: &Air) -> impl Iterator<Item = Place> + '_ {
    air.grid()
        .cells
        .places()
        .filter(|&place| !air.openness().is_solid(place))
}

/// Returns the voxel index `[east, north, up]` of the air cell `[x, y, z]`.
fn cell(air: &Air, [x, y, z]: Place) -> [usize; 3] {
    [x, air.grid().cells.nz - 1 - z, y]
}

/// Returns the transform from voxel indices of the air grids to local metres.
fn transform(shot: &ExportState<'_>, air: &Air) -> Transform {
    let (grid, site) = (air.grid(), shot.site);
    let ratio = grid.ratio as f64;
    let south = i64::from(grid.corner[1]) + (grid.cells.nz * grid.ratio) as i64;
    let west_south = [
        f64::from(grid.corner[0]),
        site.grid.nz as f64 - south as f64,
    ];
    let middle = [
        west_south[0] + 0.5 * ratio,
        west_south[1] + 0.5 * ratio,
        0.5 * ratio,
    ];
    Transform {
        scale: site.spacing_m().map(|m| m * ratio),
        centre: site.local_m(middle),
    }
}
