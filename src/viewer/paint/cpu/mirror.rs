//! The volume on the drawing thread, kept up to date from the parts that changed.

use crate::grid::Grid;
use crate::lowpass::{Change, Volume};
use crate::render::prepared::News;
use crate::viewer::messages::Patch;
use crate::world::Span;

/// A volume, and what is known of it.
pub(super) struct Mirror {
    volume: Volume,
    /// For each row, numbered `z · ny + y`, the cells outside of which it is empty.
    rows: Vec<Span>,
    /// The cells that may be others than in the last picture.
    changed: Vec<Change>,
}

impl Mirror {
    /// An empty box.
    pub(super) fn new(grid: Grid) -> Self {
        Self { volume: Volume::empty(grid), rows: vec![Span::EMPTY; grid.ny * grid.nz], changed: Vec::new() }
    }

    /// Takes a part that changed.
    pub(super) fn patch(&mut self, patch: &Patch) {
        let grid = self.volume.grid;
        let ([x, y, z], [width, height, depth]) = (patch.origin, patch.size);
        let places = (z..z + depth).flat_map(|z| (y..y + height).map(move |y| (y, z)));
        for ((y, z), texels) in places.zip(patch.texels.chunks_exact(width.max(1))) {
            let start = grid.index(x, y, z);
            let cells = start..start + width;
            let to = self.volume.density[cells.clone()].iter_mut().zip(&mut self.volume.energy[cells]);
            to.zip(texels).for_each(|((density, energy), texel)| [*density, *energy] = *texel);
            let row = z * grid.ny + y;
            self.rows[row] = self.held(row);
            self.changed.push(Change { row, cells: Span { from: x as u16, to: (x + width) as u16 } });
        }
    }

    /// The cells of a row between which all of it lies that is not zero.
    fn held(&self, row: usize) -> Span {
        let nx = self.volume.grid.nx;
        let cells = row * nx..(row + 1) * nx;
        let (density, energy) = (&self.volume.density[cells.clone()], &self.volume.energy[cells]);
        let lava = |&x: &usize| density[x] > 0 || energy[x] > 0;
        match ((0..nx).find(lava), (0..nx).rfind(lava)) {
            (Some(from), Some(last)) => Span { from: from as u16, to: last as u16 + 1 },
            _ => Span::EMPTY,
        }
    }

    pub(super) fn volume(&self) -> &Volume {
        &self.volume
    }

    /// What changed since [`Self::drawn`]; everything may have when `known` is false.
    pub(super) fn news(&self, known: bool) -> News<'_> {
        News { rows: &self.rows, changed: known.then_some(&self.changed[..]) }
    }

    /// The picture shows it as it is.
    pub(super) fn drawn(&mut self) {
        self.changed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::mix64;
    use crate::render::prepared::rows;

    #[test]
    fn patches_one_after_another_leave_the_last_values_and_exact_rows() {
        let grid = Grid::new(21, 9, 12);
        let (mut mirror, mut expected) = (Mirror::new(grid), Volume::empty(grid));
        for seed in 0..60_u64 {
            let die = |k: u64, n: usize| (mix64(seed << 8 | k) % n as u64) as usize;
            let origin = [die(0, 21), die(1, 9), die(2, 12)];
            let size = [die(3, 21 - origin[0]) + 1, die(4, 9 - origin[1]) + 1, die(5, 12 - origin[2]) + 1];
            let count = size.iter().product::<usize>();
            // Every third patch takes lava away.
            let value = |i: usize| if seed % 3 == 0 { 0 } else { (die(6 + i as u64, 4) * 60) as u8 };
            let texels: Vec<[u8; 2]> = (0..count).map(|i| [value(i), value(i + 1)]).collect();
            for (i, texel) in texels.iter().enumerate() {
                let (dx, dy, dz) = (i % size[0], i / size[0] % size[1], i / (size[0] * size[1]));
                let cell = grid.index(origin[0] + dx, origin[1] + dy, origin[2] + dz);
                (expected.density[cell], expected.energy[cell]) = (texel[0], texel[1]);
            }
            mirror.patch(&Patch { origin, size, texels });
            assert_eq!(*mirror.volume(), expected);
            assert_eq!(mirror.news(true).rows, rows(&expected));
            assert_eq!(mirror.news(true).changed.map(<[Change]>::len), Some(size[1] * size[2]));
            mirror.drawn();
        }
    }
}
