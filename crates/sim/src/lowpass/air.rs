//! Ash, steam, inks and velocity of the air, encoded for rendering.

use lavoxel_air::{Air, AirGrid, Field, UNIT};
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::*;

/// Density in kg/m³ that the maximum code of [`AirVolume::carried`] (65535) means; higher densities
/// are clamped.
const DENSEST: f32 = 4.0;
/// Density in kg/m³ per unit of the squared code of `AirVolume::carried`.
const KG_M3: f32 = DENSEST / (65535.0 * 65535.0);
/// Maximum code of a component of [`AirVolume::flow`], and the speed in air cells per step that
/// this code stands for.
const FASTEST: (f32, f32) = (127.0, 2.0);

/// Ash, steam, inks and velocity of the air in each air cell, encoded in 8 or 16 bits.
#[derive(Clone, Debug, PartialEq)]
pub struct AirVolume {
    /// Grid of the air, with its position relative to the voxels.
    pub grid: AirGrid,
    /// Edge length of a voxel in metres.
    pub cell_m: f32,
    /// Square root of the density of [ash, steam] in each air cell, in the order of `grid.cells`;
    /// 65535 means 2 (kg/m³)^½. Solid cells next to open cells have the mean of their open
    /// neighbours, so that interpolation does not fade towards the ground.
    pub carried: Vec<[u16; 2]>,
    /// Mass fraction of each ink (coloured tracer) in the ash and inks of an air cell; 255 means 1.
    /// A cell without ink has the fractions of its neighbours. Empty for an air without inks.
    /// [`AirVolume::carried`] counts the mass of inks as ash.
    pub inks: Vec<[u8; 4]>,
    /// Velocity (east, up, south) in cells that contain ash, steam or ink; 127 means 2 air cells
    /// per step. The fourth component is padding.
    pub flow: Vec<[i8; 4]>,
}

impl AirVolume {
    /// Encodes the contents of `air`; `None` if the air contains no ash, steam or ink.
    pub fn from_air(air: &Air) -> Option<Self> {
        let (grid, amounts) = (air.grid(), air.amounts());
        let fields = Carried {
            ash: amounts.field(Field::Ash),
            steam: amounts.field(Field::Steam),
            inks: air.inks().map(|ink| amounts.field(ink)).collect(),
        };
        // An empty air gives no volume, so that renderers skip the air altogether.
        let is_empty = |field: &[u32]| {
            let parts = field
                .par_chunks(1 << 14)
                .map(|part| part.iter().all(|&units| units == 0));
            parts.reduce(|| true, |all, empty| all && empty)
        };
        if [fields.ash, fields.steam]
            .into_iter()
            .chain(fields.inks.iter().copied())
            .all(is_empty)
        {
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
            inks: Vec::new(),
            flow: vec![[0; 4]; cells.cells()],
        };
        let slabs = volume
            .carried
            .par_chunks_mut(cells.slab())
            .zip(volume.flow.par_chunks_mut(cells.slab()));
        slabs.enumerate().for_each(|(z, (carried, flow))| {
            for (y, x) in (0..cells.ny).flat_map(|y| (0..cells.nx).map(move |x| (y, x))) {
                let (place, here) = ([x, y, z], y * cells.nx + x);
                carried[here] = match air.openness().is_solid(place) {
                    true => neighbour_mean(air, &fields, place).map(value),
                    false => fields.at(grid.at(place)).map(value),
                };
                if carried[here] != [0; 2] {
                    let byte = |speed: f32| {
                        (speed * (FASTEST.0 / FASTEST.1)).clamp(-FASTEST.0, FASTEST.0) as i8
                    };
                    let [east, up, south] = air.velocity(place).map(byte);
                    flow[here] = [east, up, south, 0];
                }
            }
        });
        if !fields.inks.is_empty() {
            volume.inks = vec![[0; 4]; cells.cells()];
            let slabs = volume.inks.par_chunks_mut(cells.slab()).enumerate();
            slabs.for_each(|(z, inks)| {
                for (y, x) in (0..cells.ny).flat_map(|y| (0..cells.nx).map(move |x| (y, x))) {
                    inks[y * cells.nx + x] = fields.ink_shares(grid, [x, y, z]);
                }
            });
        }
        Some(volume)
    }

    /// Returns the densities [ash, steam] in kg/m³ in the air cell at `index`, the order of
    /// `grid.cells`.
    pub fn kg_m3(&self, index: usize) -> [f32; 2] {
        self.carried[index].map(|value| f32::from(value) * f32::from(value) * KG_M3)
    }

    /// Returns the sum of the densities of ash and steam in kg/m³ for an element of
    /// [`AirVolume::carried`].
    #[inline(always)]
    pub fn sum_kg_m3([ash, steam]: [u16; 2]) -> f32 {
        let [ash, steam] = [f32::from(ash), f32::from(steam)];
        (ash * ash + steam * steam) * KG_M3
    }

    /// Memory in bytes per air cell of an air with inks; 4 bytes less without inks.
    pub const BYTES_A_CELL: f64 = 12.0;
}

/// Fields of the air that are rendered (ash, steam and inks), borrowed; in units per air cell.
struct Carried<'a> {
    ash: &'a [u32],
    steam: &'a [u32],
    inks: Vec<&'a [u32]>,
}

impl Carried<'_> {
    /// Returns [ash and inks together, steam] in the air cell at index `at`, in units.
    #[inline(always)]
    fn at(&self, at: usize) -> [u32; 2] {
        [
            self.inks
                .iter()
                .fold(self.ash[at], |sum, ink| sum.saturating_add(ink[at])),
            self.steam[at],
        ]
    }

    /// Returns the mass fraction of each ink in the ash and inks of the air cell `place`, where 255
    /// means 1. A cell without ink gets the fractions of its neighbours, so that the edge of a
    /// cloud has the colour of the cloud.
    fn ink_shares(&self, grid: AirGrid, place: Place) -> [u8; 4] {
        let ink = |at: usize| self.inks.iter().any(|ink| ink[at] > 0);
        let around = |n: usize, axis: usize| n.saturating_sub(1)..(n + 2).min(grid.size()[axis]);
        let cells = match place.map(|n| n..n + 1) {
            own if ink(grid.at(place)) => own,
            _ => std::array::from_fn(|axis| around(place[axis], axis)),
        };
        let (mut sums, mut total) = ([0_u64; 4], 0_u64);
        for (z, y) in cells[2]
            .clone()
            .flat_map(|z| cells[1].clone().map(move |y| (z, y)))
        {
            for at in cells[0].clone().map(|x| grid.at([x, y, z])) {
                sums.iter_mut()
                    .zip(&self.inks)
                    .for_each(|(sum, ink)| *sum += u64::from(ink[at]));
                total += u64::from(self.ash[at]);
            }
        }
        total += sums.iter().sum::<u64>();
        sums.map(|sum| (sum * 255 / total.max(1)) as u8)
    }
}

/// Returns the mean [ash and inks together, steam] of the open neighbours of the solid air cell
/// `place`, in units.
fn neighbour_mean(air: &Air, fields: &Carried<'_>, place: Place) -> [u32; 2] {
    let (grid, size) = (air.grid(), air.grid().size());
    let (mut sums, mut count) = ([0_u64; 2], 0);
    for axis in 0..3 {
        for to in [
            place[axis].checked_sub(1),
            Some(place[axis] + 1).filter(|&n| n < size[axis]),
        ]
        .into_iter()
        .flatten()
        {
            let mut near = place;
            near[axis] = to;
            if !air.openness().is_solid(near) {
                sums.iter_mut()
                    .zip(fields.at(grid.at(near)))
                    .for_each(|(sum, units)| *sum += u64::from(units));
                count += 1;
            }
        }
    }
    sums.map(|sum| (sum / count.max(1)) as u32)
}
