//! Contents of the air, as pictures need them.

use crate::air::{Air, AirGrid, Field, UNIT};
use crate::grid::Place;
use crate::parallel::*;

/// Mass in a cubic metre, in kg, that the largest value of [`AirVolume::carried`] stands for; denser air is drawn as this.
const DENSEST: f32 = 4.0;
const KG_M3: f32 = DENSEST / (65535.0 * 65535.0);
/// Largest value of [`AirVolume::flow`], and the speed that it stands for in air cells a step.
const FASTEST: (f32, f32) = (127.0, 2.0);

/// Ash and steam in the air, and its motion, over the cells of the air.
#[derive(Clone, Debug, PartialEq)]
pub struct AirVolume {
    /// The cells and where they lie among the voxels.
    pub grid: AirGrid,
    /// Edge of a voxel in metres.
    pub cell_m: f32,
    /// Square roots of the masses of ash and of steam, 65535 for 2 (kg/m³)^½, in the order of `grid.cells`. Solid cells beside
    /// open ones have the mean of those: what is between them does not thin out towards the ground.
    pub carried: Vec<[u16; 2]>,
    /// Velocity where there is something: 127 for 2 cells a step; the last of four is unused.
    pub flow: Vec<[i8; 4]>,
}

impl AirVolume {
    /// Contents of an air; `None` where there is no ash and no steam.
    pub fn of(air: &Air) -> Option<Self> {
        let (grid, amounts) = (air.grid(), air.amounts());
        let fields = [Field::Ash, Field::Steam].map(|field| amounts.field(field));
        let is_empty = |field: &[u32]| {
            let parts = field.par_chunks(1 << 14).map(|part| part.iter().all(|&units| units == 0));
            parts.reduce(|| true, |all, empty| all && empty)
        };
        if fields.into_iter().all(is_empty) {
            return None;
        }
        let scale = air.scale();
        let per_unit = (scale.ash_unit_kg_m3 / f64::from(UNIT)) as f32 / DENSEST;
        let value = |units: u32| ((units as f32 * per_unit).sqrt().min(1.0) * 65535.0 + 0.5) as u16;
        let cells = grid.cells;
        let mut volume = Self {
            grid,
            cell_m: scale.cell_m as f32,
            carried: vec![[0; 2]; cells.cells()],
            flow: vec![[0; 4]; cells.cells()],
        };
        let slabs = volume.carried.par_chunks_mut(cells.slab()).zip(volume.flow.par_chunks_mut(cells.slab()));
        slabs.enumerate().for_each(|(z, (carried, flow))| {
            for (y, x) in (0..cells.ny).flat_map(|y| (0..cells.nx).map(move |x| (y, x))) {
                let (place, here) = ([x, y, z], y * cells.nx + x);
                carried[here] = match air.openness().is_solid(place) {
                    true => beside(air, fields, place).map(value),
                    false => fields.map(|field| value(field[grid.at(place)])),
                };
                if carried[here] != [0; 2] {
                    let byte = |speed: f32| (speed * (FASTEST.0 / FASTEST.1)).clamp(-FASTEST.0, FASTEST.0) as i8;
                    let [east, up, south] = air.velocity(place).map(byte);
                    flow[here] = [east, up, south, 0];
                }
            }
        });
        Some(volume)
    }

    /// Masses of ash and steam that the values of a cell stand for, in kg/m³.
    #[cfg_attr(not(feature = "render"), allow(dead_code, reason = "only pictures need it"))]
    pub(crate) fn kg_m3(&self, index: usize) -> [f32; 2] {
        self.carried[index].map(|value| f32::from(value) * f32::from(value) * KG_M3)
    }

    /// Mass of ash and steam together that two values stand for, in kg/m³.
    #[cfg_attr(not(feature = "render"), allow(dead_code, reason = "only pictures need it"))]
    #[inline(always)]
    pub(crate) fn sum_kg_m3([ash, steam]: [u16; 2]) -> f32 {
        let [ash, steam] = [f32::from(ash), f32::from(steam)];
        (ash * ash + steam * steam) * KG_M3
    }

    /// Memory for a cell of the air in bytes.
    pub(crate) const BYTES_A_CELL: f64 = 8.0;
}

/// The mean units of the open cells beside a solid one.
fn beside(air: &Air, fields: [&[u32]; 2], place: Place) -> [u32; 2] {
    let (grid, size) = (air.grid(), air.grid().size());
    let (mut sums, mut count) = ([0_u64; 2], 0);
    for axis in 0..3 {
        for to in [place[axis].checked_sub(1), Some(place[axis] + 1).filter(|&n| n < size[axis])].into_iter().flatten()
        {
            let mut near = place;
            near[axis] = to;
            if !air.openness().is_solid(near) {
                sums.iter_mut().zip(fields).for_each(|(sum, field)| *sum += u64::from(field[grid.at(near)]));
                count += 1;
            }
        }
    }
    sums.map(|sum| (sum / count.max(1)) as u32)
}
