//! Encoding of the smoke in air cells, with one byte per value.

use std::ops::Range;

use super::BRIGHTEST;
use super::DETOURS;
use super::Wanted;
use super::absorbed::Absorbed;
use super::coarse::{Asked, Coarse};
use super::light::Lit;
use crate::ground::lava_glow::Patch;
use crate::math::{V3, in_cells, v3};
use lavoxel_automaton::world::Span;
use lavoxel_base::grid::Grid;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Simd, Work};
use lavoxel_sim::lowpass::AirVolume;

/// Bit mask whose exclusive or converts the signed bytes of a velocity to unsigned bytes, with 128
/// for 0.
const SIGNS: u32 = 0x0080_8080;

/// Encoding of an air cell that contains no smoke and lies in full sunlight.
const CLEAR: [u8; 4] = [0, 0, 255, 0];

/// Light of sun, sky and lava that arrives in each coarse cell of the air.
pub(super) struct Light {
    coarse: Coarse,
    sun: Vec<f32>,
    sky: Vec<f32>,
    lava: Vec<f32>,
    /// One flag per row of coarse cells along x, set if no smoke attenuates the sunlight in the
    /// whole row.
    sunny: Vec<bool>,
}

impl Light {
    /// Computes the light that arrives in the smoke with the extinction `absorbed`: from the sun
    /// and the sky of `wanted`, and from the glowing lava patches `lava`. `grid`: cells of the air;
    /// `low`: lower corner of that grid, `edge`: edge length of an air cell (both in cells of the
    /// simulation).
    pub(super) fn new(
        absorbed: &Absorbed,
        (grid, low, edge): (Grid, V3, f32),
        wanted: &Wanted,
        lava: &[Patch],
    ) -> Self {
        let coarse = Coarse::new(grid);
        let [x, y, z] = coarse.by.map(|by| by as f32 * edge);
        let lit = Lit {
            coarse: &coarse,
            absorbed,
            dense: &coarse.mean(absorbed, Asked::Absorption),
            low,
            edges: v3(x, y, z),
            tall: wanted.tall,
        };
        let of_sun = || match wanted.look.self_shadow {
            true => lit.left_along(in_cells(wanted.sun, wanted.tall), 1.0),
            false => vec![1.0; coarse.grid.cells()],
        };
        let (sun, (sky, lava)) = join(of_sun, || {
            join(
                || lit.left_along(in_cells(V3::y(), wanted.tall), DETOURS),
                || lit.of_lava(lava),
            )
        });
        let sunny = sun
            .chunks(coarse.grid.nx)
            .map(|row| row.iter().fold(1.0, |least, &sun| sun.min(least)) >= 1.0);
        Self {
            coarse,
            sunny: sunny.collect(),
            sun,
            sky,
            lava,
        }
    }

    /// Returns empty buffers for the light in a row of air cells along x.
    fn row(&self) -> LightRow {
        let none = vec![0.0; self.coarse.fine_nx()];
        LightRow {
            sun: none.clone(),
            sky: none.clone(),
            lava: none,
            between: Vec::new(),
        }
    }
}

/// Light of sun, sky and lava that arrives in the cells of a row of air cells along x.
struct LightRow {
    sun: Vec<f32>,
    sky: Vec<f32>,
    lava: Vec<f32>,
    between: Vec<f32>,
}

impl LightRow {
    /// Writes the encoded velocity and skylight of the row's cells in the x range `part` into `to`.
    /// `moving`: velocity of the air in each cell.
    #[inline(always)]
    fn encode_motion(&self, to: &mut [[u8; 4]], moving: &[[i8; 4]], part: Range<usize>) {
        for ((to, moving), sky) in to[part.clone()]
            .iter_mut()
            .zip(&moving[part.clone()])
            .zip(&self.sky[part])
        {
            // No array that is mapped here and below: mapping would be a function call.
            let [east, up, south, _] = *moving;
            let bytes =
                u32::from(east as u8) | u32::from(up as u8) << 8 | u32::from(south as u8) << 16;
            *to = (bytes ^ SIGNS | byte(*sky) << 24).to_le_bytes();
        }
    }

    /// Writes the encoding of cells without smoke into `to`, for the whole row; such cells only
    /// store the sunlight.
    #[inline(always)]
    fn encode_clear(&self, to: &mut [[u8; 4]]) {
        for (to, sun) in to.iter_mut().zip(&self.sun) {
            *to = (byte(*sun) << 16).to_le_bytes();
        }
    }

    /// Writes the encoded smoke of the row's cells in the x range `part` into `to`; these cells
    /// have smoke or a neighbour with smoke. `carried`: encoded ash and steam; `dense`: extinction
    /// of each cell; `most`: maximum of the extinction over all air cells.
    #[inline(always)]
    fn encode_smoke(
        &self,
        to: &mut [[u8; 4]],
        carried: &[[u16; 2]],
        (dense, most): (&[f32], f32),
        part: Range<usize>,
    ) {
        let per_most = 1.0 / most;
        let light = self.sun[part.clone()].iter().zip(&self.lava[part.clone()]);
        let lit = to[part.clone()]
            .iter_mut()
            .zip(&carried[part.clone()])
            .zip(&dense[part])
            .zip(light);
        for (((to, carried), dense), (sun, lava)) in lit {
            let (ash, steam) = (f32::from(carried[0]), f32::from(carried[1]));
            let share = steam * steam / (ash * ash + steam * steam).max(1e-6);
            let bytes = byte((dense * per_most).sqrt()) | byte(share) << 8 | byte(*sun) << 16;
            *to = (bytes | byte((lava * (1.0 / BRIGHTEST)).sqrt()) << 24).to_le_bytes();
        }
    }
}

/// Task that encodes one slab (one index along z) of air cells.
pub(super) struct Slab<'a> {
    pub(super) light: &'a Light,
    pub(super) air: &'a AirVolume,
    pub(super) absorbed: &'a Absorbed,
    pub(super) z: usize,
    pub(super) cells: &'a mut [[u8; 4]],
    pub(super) flow: &'a mut [[u8; 4]],
}

impl Slab<'_> {
    /// Returns the x range of the cells in the slab's row `y` that have smoke or a neighbour with
    /// smoke.
    fn near(&self, y: usize) -> Span {
        let Grid { nx, ny, nz } = self.air.grid.cells;
        let rows = (self.z.saturating_sub(1)..(self.z + 2).min(nz))
            .flat_map(|z| (y.saturating_sub(1)..(y + 2).min(ny)).map(move |y| z * ny + y));
        rows.fold(Span::EMPTY, |span, row| span.union(self.absorbed.held[row]))
            .grown(nx)
    }
}

impl Work for Slab<'_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let Grid { nx, ny, .. } = self.air.grid.cells;
        let (cells, flow) = (
            std::mem::take(&mut self.cells),
            std::mem::take(&mut self.flow),
        );
        let Self {
            light,
            air,
            absorbed,
            z,
            ..
        } = self;
        let (coarse, mut row) = (&light.coarse, light.row());
        for (y, (cells, flow)) in cells.chunks_mut(nx).zip(flow.chunks_mut(nx)).enumerate() {
            let start = (z * ny + y) * nx;
            let near = self.near(y);
            if near.is_empty() && coarse.all(&light.sunny, [y, z]) {
                cells.fill(CLEAR);
                continue;
            }
            coarse.read(&light.sun, [y, z], &mut row.sun, &mut row.between);
            row.encode_clear(cells);
            if near.is_empty() {
                continue;
            }
            coarse.read(&light.sky, [y, z], &mut row.sky, &mut row.between);
            coarse.read(&light.lava, [y, z], &mut row.lava, &mut row.between);
            row.encode_motion(flow, &air.flow[start..][..nx], near.range());
            // Cells next to smoke are lit as well: otherwise interpolation would darken the edge of
            // the smoke.
            let dense = (&absorbed.cells[start..][..nx], absorbed.most);
            row.encode_smoke(cells, &air.carried[start..][..nx], dense, near.range());
            encode_beside(cells, air, [y, z], near.range());
        }
    }
}

/// Sets the encoded fraction of steam in cells without smoke, in the x range `part` of the row
/// (`y`, `z`), to that of their neighbours. Otherwise interpolation would give the edge of a cloud
/// of steam the colour of ash.
#[inline(always)]
fn encode_beside(to: &mut [[u8; 4]], air: &AirVolume, [y, z]: [usize; 2], part: Range<usize>) {
    let Grid { nx, ny, nz } = air.grid.cells;
    let row = |y: usize, z: usize| &air.carried[(z * ny + y) * nx..][..nx];
    let here = row(y, z);
    let rows = [
        row(y.saturating_sub(1), z),
        row((y + 1).min(ny - 1), z),
        row(y, z.saturating_sub(1)),
        row(y, (z + 1).min(nz - 1)),
    ];
    for x in part {
        if here[x] != [0, 0] {
            continue;
        }
        // Amounts are stored as square roots.
        let (mut ash, mut steam) = (0.0, 0.0);
        let mut add = |carried: [u16; 2]| {
            ash += f32::from(carried[0]) * f32::from(carried[0]);
            steam += f32::from(carried[1]) * f32::from(carried[1]);
        };
        rows.iter().for_each(|row| add(row[x]));
        add(here[x.saturating_sub(1)]);
        add(here[(x + 1).min(nx - 1)]);
        if steam > 0.0 {
            to[x][1] = byte(steam / (ash + steam)) as u8;
        }
    }
}

/// Returns the fraction `share`, clamped to 0..1, encoded as a byte (0 to 255).
#[inline(always)]
fn byte(share: f32) -> u32 {
    (share.clamp(0.0, 1.0) * 255.0 + 0.5) as i32 as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_air::{AirGrid, Side};

    #[test]
    fn cells_beside_steam_are_no_ash() {
        let cells = Grid::new(5, 3, 3);
        let grid = AirGrid {
            cells,
            ratio: 2,
            corner: [0, 0],
            sides: [Side::Open; 3],
        };
        let mut carried = vec![[0; 2]; cells.cells()];
        (
            carried[cells.index([2, 1, 1])],
            carried[cells.index([3, 1, 1])],
        ) = ([0, 900], [700, 0]);
        let air = AirVolume {
            grid,
            cell_m: 1.0,
            carried,
            inks: Vec::new(),
            flow: Vec::new(),
        };
        let share = |x: usize, y: usize| {
            let mut row = [CLEAR; 5];
            encode_beside(&mut row, &air, [y, 1], 0..5);
            row[x][1]
        };
        assert_eq!(
            [share(1, 1), share(2, 0), share(0, 1), share(4, 1)],
            [255, 255, 0, 0]
        );
        assert_eq!(share(2, 1), 0, "it is written already");
    }
}
