//! Fall of ash and evaporation of water drops, computed in each step before the air moves.

use crate::{Air, Field, UNIT};
use lavoxel_base::parallel::*;

/// Returns the share `share` (in 1/2¹⁵, at most 2¹⁵) of `amount`, rounded down, in 32-bit
/// arithmetic.
#[inline]
fn scaled(amount: u32, share: u32) -> u32 {
    (amount >> 15) * share + (((amount & 32767) * share) >> 15)
}

/// Converts the share `of_one`, clamped to 0–1, to units of 1/2¹⁵.
fn share(of_one: f64) -> u32 {
    (of_one.clamp(0.0, 1.0) * 32768.0).round() as u32
}

/// Returns true if all amounts of a row of cells are 0.
fn is_empty(units: &[u32]) -> bool {
    units.iter().fold(0, |all, units| all | units) == 0
}

impl Air {
    /// Moves a share of the ash in each cell to the cell below; directly above solid cells and the
    /// floor, this share is deposited on the ground instead.
    pub(super) fn fall(&mut self) {
        let share = share(self.scale.speed(self.spec.fall_m_s));
        let account = &mut self.accounts[Field::Ash as usize];
        if share == 0 || account.put + account.initial == 0 {
            return;
        }
        let (grid, openness) = (self.amounts.grid(), &self.openness);
        let [_, row, slab] = grid.strides();
        let (nx, first) = (grid.cells.nx, grid.at([0, 0, 0]) % slab);
        let ash = &mut self.amounts.field_mut(Field::Ash)[grid.at([0, 0, 0]) - first..];
        let columns = self.deposited.par_chunks_mut(nx);
        let landed =
            ash.par_chunks_mut(slab)
                .zip(columns)
                .enumerate()
                .map(|(z, (ash, deposited))| {
                    let mut landed = 0;
                    // From the bottom up, so that no ash falls twice in a step.
                    for y in 0..grid.cells.ny {
                        let (below, from) = ash[first - row..].split_at_mut((y + 1) * row);
                        let (below, from) = (&mut below[y * row..][..nx], &mut from[..nx]);
                        if is_empty(from) {
                            continue;
                        }
                        for (x, (from, below)) in from.iter_mut().zip(below).enumerate() {
                            let falling = scaled(*from, share);
                            *from -= falling;
                            if y > 0 && !openness.is_solid([x, y - 1, z]) {
                                *below += falling;
                            } else {
                                deposited[x] += u64::from(falling);
                                landed += u64::from(falling);
                            }
                        }
                    }
                    landed
                });
        account.deposited += landed.sum::<u64>();
    }

    /// Evaporates a share of the water drops in each cell; the share is smaller where the air is
    /// hot or full of ash.
    pub(super) fn fade(&mut self) {
        let share = share(self.spec.fade_per_s * self.scale.step_s);
        let account = &mut self.accounts[Field::Steam as usize];
        if share == 0 || account.put + account.initial == 0 {
            return;
        }
        let grid = self.amounts.grid();
        let [_, row, slab] = grid.strides();
        let first = grid.at([0, 0, 0]) % slab;
        let [heat, ash, steam, ..] = self.amounts.fields_mut() else {
            unreachable!("every air has these fields")
        };
        let start = grid.at([0, 0, 0]) - first;
        let slabs = steam[start..]
            .par_chunks_mut(slab)
            .zip(heat[start..].par_chunks(slab));
        let slabs = slabs
            .zip(ash[start..].par_chunks(slab))
            .zip((0..grid.cells.nz).into_par_iter());
        let faded = slabs.map(|(((steam, heat), ash), _)| {
            let rows = (0..grid.cells.ny).map(|y| first + y * row..first + y * row + grid.cells.nx);
            rows.map(|cells| {
                // In rows without drops, heat and ash need not be read.
                if is_empty(&steam[cells.clone()]) {
                    return 0;
                }
                let others = heat[cells.clone()].iter().zip(&ash[cells.clone()]);
                steam[cells]
                    .iter_mut()
                    .zip(others)
                    .map(|(steam, (&h, &a))| fade_cell(steam, h, a, share))
                    .sum::<u64>()
            })
            .sum::<u64>()
        });
        account.evaporated += faded.sum::<u64>();
    }
}

/// Evaporates the share `share` (in 1/2¹⁵) of the drops `steam` of one cell, at least one unit if
/// the cell has any; the share is smaller with more `heat` or `ash`. Returns the evaporated amount
/// in units of 2⁻²⁰.
#[inline]
fn fade_cell(steam: &mut u32, heat: u32, ash: u32, share: u32) -> u64 {
    if *steam == 0 {
        return 0;
    }
    // The rate is halved at a heat of 0.25 or an ash of 1.
    let slow = (heat >> 18).saturating_add(ash / UNIT).min(255);
    let faded = (scaled(*steam, share) / (1 + slow)).max(1);
    *steam -= faded;
    faded.into()
}
