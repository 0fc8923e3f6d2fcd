//! Groups the changed bricks of the volume (cubic blocks of cells) into boxes, for a few large
//! uploads instead of many small ones.

use std::ops::Range;

use lavoxel_base::parallel::*;

use super::Patch;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_sim::lowpass::{BRICK, Bricks, Change, Volume};

/// Box of bricks with the lower corner `from` (inclusive) and the upper corner `to` (exclusive),
/// both in bricks along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    from: [usize; 3],
    to: [usize; 3],
}

/// Returns boxes of the lava's volume that together cover all bricks with at least one changed
/// cell. Each texel is the density and the energy of a cell.
pub(super) fn patches(volume: &Volume, bricks: &Bricks, changed: &[Change]) -> Vec<Patch> {
    let boxes = boxes(volume.grid, bricks, changed, |cells, texels| {
        let cells = volume.density[cells.clone()]
            .iter()
            .zip(&volume.energy[cells]);
        texels.extend(cells.map(|(&density, &energy)| [density, energy]));
    });
    boxes
        .into_iter()
        .map(|(origin, size, texels)| Patch {
            origin,
            size,
            texels,
        })
        .collect()
}

/// Returns boxes that together cover all bricks with at least one changed cell. Each box is a tuple
/// of its lower corner, its size in cells, and its texels (x fastest, then y, then z). `read`
/// appends the texels for a range of cell indices within one row along x.
pub(super) fn boxes<T: Send>(
    grid: Grid,
    bricks: &Bricks,
    changed: &[Change],
    read: impl Fn(Range<usize>, &mut Vec<T>) + Sync,
) -> Vec<(Place, [usize; 3], Vec<T>)> {
    let end = [grid.nx, grid.ny, grid.nz];
    let filled = |block: &Block| {
        let origin = block.from.map(|brick| brick * BRICK);
        let size: [usize; 3] =
            std::array::from_fn(|k| (block.to[k] * BRICK).min(end[k]) - origin[k]);
        let mut texels = Vec::with_capacity(size.iter().product());
        for z in origin[2]..origin[2] + size[2] {
            for y in origin[1]..origin[1] + size[1] {
                let start = grid.index([origin[0], y, z]);
                read(start..start + size[0], &mut texels);
            }
        }
        (origin, size, texels)
    };
    blocks(&bricks.touched(changed, 0), bricks.count())
        .par_iter()
        .map(filled)
        .collect()
}

/// Covers each brick for which `marked` is true (x fastest) by exactly one block. Ranges of
/// consecutive marked bricks along x are merged with equal ranges in neighbouring rows along y.
/// `nx`, `ny`, `nz`: number of bricks along each axis.
fn blocks(marked: &[bool], [nx, ny, nz]: [usize; 3]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for k in 0..nz {
        let mut above: Vec<usize> = Vec::new();
        for j in 0..ny {
            let mut here = Vec::new();
            for (from, to) in runs(&marked[(k * ny + j) * nx..][..nx]) {
                let alike =
                    |&&block: &&usize| (blocks[block].from[0], blocks[block].to[0]) == (from, to);
                let block = above.iter().find(alike).copied().unwrap_or_else(|| {
                    blocks.push(Block {
                        from: [from, j, k],
                        to: [to, j, k + 1],
                    });
                    blocks.len() - 1
                });
                blocks[block].to[1] = j + 1;
                here.push(block);
            }
            above = here;
        }
    }
    blocks
}

/// Returns the ranges of consecutive marked bricks in a row along x, each as (first index, index
/// after the last). `marked`: true for each marked brick of the row.
fn runs(marked: &[bool]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at + marked[at..].iter().position(|&m| m)?;
        let to = marked[from..]
            .iter()
            .position(|&m| !m)
            .map_or(marked.len(), |n| from + n);
        at = to;
        Some((from, to))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::random::mix64;

    #[test]
    fn blocks_cover_what_is_marked_once_and_nothing_else() {
        for seed in 0..50_u64 {
            let count = [
                1 + seed as usize % 7,
                1 + seed as usize % 5,
                1 + seed as usize % 3,
            ];
            let total = count.iter().product();
            let marked: Vec<bool> = (0..total as u64)
                .map(|i| mix64(seed << 20 | i) & 3 > 0)
                .collect();
            let mut covered = vec![0; total];
            for Block { from, to } in blocks(&marked, count) {
                for [x, y, z] in (from[2]..to[2]).flat_map(|z| {
                    (from[1]..to[1]).flat_map(move |y| (from[0]..to[0]).map(move |x| [x, y, z]))
                }) {
                    covered[(z * count[1] + y) * count[0] + x] += 1;
                }
            }
            assert_eq!(
                covered,
                marked.iter().map(|&m| i32::from(m)).collect::<Vec<_>>(),
                "seed {seed}"
            );
        }
    }

    #[test]
    fn equal_rows_are_joined() {
        let joined = blocks(&[true, true, true, true, false, true], [2, 3, 1]);
        let expected = [
            Block {
                from: [0, 0, 0],
                to: [2, 2, 1],
            },
            Block {
                from: [1, 2, 0],
                to: [2, 3, 1],
            },
        ];
        assert_eq!(joined, expected);
    }
}
