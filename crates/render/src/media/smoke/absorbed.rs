//! Extinction of the smoke in each air cell, faded out towards the open sides of the grid of the
//! air.

use crate::math::{lerp, smoothstep, v3};
use crate::noise;
use lavoxel_air::{AirGrid, Side};
use lavoxel_automaton::world::Span;
use lavoxel_base::parallel::*;
use lavoxel_sim::lowpass::AirVolume;

/// Number of air cells along an axis per air cell of the usual fading length, which is the length
/// over which smoke fades out towards an open side.
const FADING: usize = 6;
/// Maximum of the usual fading length in air cells, before its variation by `FADED`.
const MOST_FADING: usize = 16;
/// Bounds of the local fading length, relative to the usual fading length. Noise varies the length
/// between these bounds; with a constant length, the smoke would end in a plane.
const FADED: [f32; 2] = [0.6, 2.6];
/// Frequency of the noise that varies the fading length, in waves per usual fading length. Chosen
/// by eye.
const WAVES: f32 = 0.75;
/// Upper bound of the optical depth across an air cell where the fade-out leaves half of the smoke.
const HALF_SHOWN: f32 = 0.5;

/// Extinction of the smoke in each air cell, per cell length of the simulation.
pub(super) struct Absorbed {
    pub(super) cells: Vec<f32>,
    /// Range along x of the cells with ash or steam in each row of air cells (row index `z · ny +
    /// y`).
    pub(super) held: Vec<Span>,
    /// Maximum of the extinction over all air cells, at least 1e-6.
    pub(super) most: f32,
}

impl Absorbed {
    /// Computes the extinction of the ash and steam in `air`; `per_kg` is the extinction per cell
    /// length of the simulation at 1 kg/m³.
    pub(super) fn new(air: &AirVolume, per_kg: f32) -> Self {
        let (grid, fade) = (air.grid.cells, Fade::new(&air.grid));
        let mut cells = vec![0.0_f32; grid.cells()];
        let mut held = vec![Span::EMPTY; grid.ny * grid.nz];
        let slabs = cells
            .par_chunks_mut(grid.slab())
            .zip(held.par_chunks_mut(grid.ny))
            .enumerate();
        slabs.for_each(|(z, (cells, held))| {
            for (y, (cells, held)) in cells.chunks_mut(grid.nx).zip(held).enumerate() {
                let row = z * grid.ny + y;
                let carried = &air.carried[row * grid.nx..][..grid.nx];
                // Most rows are empty. A bitwise OR over a whole row tests many cells at a time.
                if carried
                    .iter()
                    .fold(0, |bits, [ash, steam]| bits | ash | steam)
                    == 0
                {
                    continue;
                }
                *held = span(carried);
                for x in held.range() {
                    cells[x] = fade.left(
                        AirVolume::sum_kg_m3(carried[x]) * per_kg,
                        fade.at([x, y, z]),
                    );
                }
            }
        });
        let largest = |cells: &[f32]| {
            cells
                .iter()
                .fold(0.0_f32, |most, &cell| if cell > most { cell } else { most })
        };
        let most = cells
            .par_chunks(grid.slab())
            .map(largest)
            .reduce(|| 0.0, f32::max)
            .max(1e-6);
        Self { cells, held, most }
    }
}

/// Returns the index range of the cells with ash or steam in the row `carried`, which must contain
/// such cells.
fn span(carried: &[[u16; 2]]) -> Span {
    let held = |[ash, steam]: &[u16; 2]| ash | steam != 0;
    let from = carried.iter().position(held).unwrap_or(0);
    Span {
        from: from as u16,
        to: carried
            .iter()
            .rposition(held)
            .map_or(0, |last| last as u16 + 1),
    }
}

/// Fade-out of smoke towards the open sides of the grid of the air; without the fade-out, smoke
/// would end in a plane.
struct Fade {
    size: [usize; 3],
    /// Edge length of an air cell, in cells of the simulation.
    edge: f32,
    /// Fading lengths in air cells, by axis, side (lower, upper) and position in the plane
    /// perpendicular to the axis; 0 where smoke does not fade out.
    over: [[Vec<f32>; 2]; 3],
}

/// For each axis, the indices of the two axes perpendicular to that axis.
const ACROSS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

impl Fade {
    fn new(grid: &AirGrid) -> Self {
        let size = grid.size();
        let over = std::array::from_fn(|axis| {
            let usual = if grid.sides[axis] == Side::Open {
                (size[axis] / FADING).min(MOST_FADING)
            } else {
                0
            };
            // The floor is always a wall.
            let first = if axis == 1 { 0 } else { usual };
            [first, usual].map(|usual| lengths(usual, ACROSS[axis].map(|across| size[across])))
        });
        Self {
            size,
            edge: grid.ratio as f32,
            over,
        }
    }

    /// Returns the extinction `dense` after fading by the factor `share` (0 to 1). The optical
    /// depth of a cell is also bounded, by 0 at the open side and not at all at its full distance,
    /// because scaling alone would leave dense smoke opaque.
    fn left(&self, dense: f32, share: f32) -> f32 {
        let most = HALF_SHOWN * 2.0 * share * share / ((1.0 - share).max(0.0) * self.edge);
        let shown = dense * share;
        // Away from the sides the value stays bit-exact.
        if most.is_finite() && shown > 0.0 {
            shown * most / (shown + most)
        } else {
            shown
        }
    }

    /// Returns the fade-out factor (0 to 1) of the air cell `place` from its distance to both sides
    /// along `axis`.
    fn along(&self, axis: usize, place: [usize; 3]) -> f32 {
        let [b, c] = ACROSS[axis];
        let beside = place[c] * self.size[b] + place[b];
        let share = |away: usize, over: f32| {
            if (away as f32) < over {
                (away as f32 + 0.5) / over
            } else {
                1.0
            }
        };
        let (first, last) = (self.over[axis][0][beside], self.over[axis][1][beside]);
        let (low, high) = (
            share(place[axis], first),
            share(self.size[axis] - 1 - place[axis], last),
        );
        smoothstep(0.0, 1.0, low.min(1.0) * high.min(1.0))
    }

    /// Returns the fade-out factor (0 to 1) of the air cell `place` from its distance to all sides.
    fn at(&self, place: [usize; 3]) -> f32 {
        self.along(0, place) * self.along(1, place) * self.along(2, place)
    }
}

/// Returns the fading lengths in air cells at all positions of a side of `across` × `up` air cells;
/// `usual`: length before its variation by `FADED`.
fn lengths(usual: usize, [across, up]: [usize; 2]) -> Vec<f32> {
    if usual == 0 {
        return vec![0.0; across * up];
    }
    let scale = WAVES / usual as f32;
    let length = |k: usize| {
        let noise = noise::fractal(
            v3(
                (k % across) as f32 * scale,
                0.5,
                (k / across) as f32 * scale,
            ),
            3,
        );
        lerp(FADED[0], FADED[1], (0.5 + noise).clamp(0.0, 1.0)) * usual as f32
    };
    (0..across * up).map(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;

    /// Returns the optical depths of the cells in a row along x, for smoke of the encoded density
    /// `kept` that fills the grid of the air. `sides`: kind of the sides per axis.
    fn row(sides: [Side; 3], kept: u16) -> Vec<f32> {
        let cells = Grid::new(60, 40, 36);
        let grid = AirGrid {
            cells,
            ratio: 2,
            corner: [0, 0],
            sides,
        };
        let (carried, flow) = (vec![[kept, 0]; cells.cells()], vec![[0; 4]; cells.cells()]);
        let air = AirVolume {
            grid,
            cell_m: 10.0,
            carried,
            inks: Vec::new(),
            flow,
        };
        let absorbed = Absorbed::new(&air, 2000.0);
        absorbed.cells[cells.index([0, 10, 18])..][..cells.nx]
            .iter()
            .map(|cell| cell * 2.0)
            .collect()
    }

    #[test]
    fn smoke_of_any_density_ends_softly_at_an_open_side() {
        let open = [Side::Open; 3];
        for kept in [300, 3000, 30_000] {
            let depth = row(open, kept);
            assert!(
                depth[0] < 0.01 && depth[59] < 0.01,
                "{kept}: {} at the side",
                depth[0]
            );
            // A ray parallel to the side, through the outermost cells, sees part of the background.
            let through: f32 = depth[..4].iter().sum();
            assert!(
                through < 0.6,
                "{kept}: the four outermost cells have {through}"
            );
            assert!(
                depth[..12].windows(2).all(|pair| pair[0] <= pair[1]),
                "{kept}: {depth:?}"
            );
            let whole = AirVolume::sum_kg_m3([kept, 0]) * 2000.0 * 2.0;
            assert_eq!(depth[30], whole, "{kept}: all of it away from the sides");
        }
    }

    #[test]
    fn smoke_ends_on_no_plane() {
        let cells = Grid::new(96, 80, 96);
        let grid = AirGrid {
            cells,
            ratio: 2,
            corner: [0, 0],
            sides: [Side::Open; 3],
        };
        let (carried, flow) = (vec![[3000, 0]; cells.cells()], vec![[0; 4]; cells.cells()]);
        let absorbed = Absorbed::new(
            &AirVolume {
                grid,
                cell_m: 10.0,
                carried,
                inks: Vec::new(),
                flow,
            },
            2000.0,
        );
        // Number of cells from the side at which a cell first hides a fifth of the background, by
        // row.
        let rows = (20..60).flat_map(|y| (30..66).map(move |z| cells.index([0, y, z])));
        let ends = rows.map(|start| {
            absorbed.cells[start..][..cells.nx]
                .iter()
                .take_while(|dense| **dense < 0.11)
                .count()
        });
        let ends: Vec<f32> = ends.map(|end| end as f32).collect();
        let mean = ends.iter().sum::<f32>() / ends.len() as f32;
        let spread =
            (ends.iter().map(|end| (end - mean).powi(2)).sum::<f32>() / ends.len() as f32).sqrt();
        assert!(
            spread > 2.0,
            "it ends {mean:.1} cells inside, give or take {spread:.1}"
        );
    }

    #[test]
    fn smoke_stays_whole_at_walls_and_where_sides_meet() {
        for side in [Side::Wall, Side::Wrap] {
            let depth = row([side, Side::Open, Side::Open], 3000);
            assert!(
                depth.iter().all(|&cell| cell == depth[30]),
                "{side:?}: {depth:?}"
            );
        }
    }
}
