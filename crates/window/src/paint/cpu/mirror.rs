//! Copy of the simulated volume for the drawing thread, which patches from the simulation keep
//! current.

use std::sync::Arc;

use lavoxel_automaton::view::MaterialLook;
use lavoxel_automaton::world::Span;
use lavoxel_base::grid::Grid;
use lavoxel_paint::changes::{MediaPatch, MediaUpdate, Patch};
use lavoxel_render::volume::prepared::{FieldChanges, VolumeChanges};
use lavoxel_sim::lowpass::{AirVolume, Change, CrustMap, Medium, Volume};

/// Copy of the volume for the drawing thread. In addition, for the lava and each other material:
/// the range of filled cells in each row, and the cells changed since the last picture.
pub(super) struct Mirror {
    volume: Volume,
    lava: Known,
    /// Row spans and changed cells of each material other than lava, in the order of
    /// [`Volume::media`].
    media: Vec<Known>,
}

/// Row spans and changed cells of one material in the volume: the lava, or another material.
struct Known {
    /// Smallest range of cells that contains all of the material in each row along x (row index `z
    /// · ny + y`); outdated in rows for which `stale` is set.
    rows: Vec<Span>,
    stale: Vec<bool>,
    /// Cells that may differ from the last drawn picture; `None` if every cell may differ.
    changed: Option<Vec<Change>>,
}

impl Known {
    fn empty(grid: Grid) -> Self {
        let rows = grid.ny * grid.nz;
        Self {
            rows: vec![Span::EMPTY; rows],
            stale: vec![false; rows],
            changed: Some(Vec::new()),
        }
    }

    /// Records that `cells` of the row with index `row` (`z · ny + y`) have changed.
    fn change(&mut self, row: usize, cells: Span) {
        self.stale[row] = true;
        if let Some(changed) = &mut self.changed {
            changed.push(Change { row, cells });
        }
    }

    /// Recomputes the outdated row spans; `held` returns the span of the row with the given index.
    /// Called once per picture, so that each row is searched only once even if many patches have
    /// changed it.
    fn settle(&mut self, held: impl Fn(usize) -> Span) {
        for (row, stale) in self
            .stale
            .iter_mut()
            .enumerate()
            .filter(|(_, stale)| **stale)
        {
            (self.rows[row], *stale) = (held(row), false);
        }
    }

    fn changes(&self, known: bool) -> FieldChanges<'_> {
        FieldChanges {
            rows: &self.rows,
            changed: self.changed.as_deref().filter(|_| known),
        }
    }
}

impl Mirror {
    /// Creates the copy of an empty volume with the cells of `grid`.
    pub(super) fn new(grid: Grid) -> Self {
        Self {
            volume: Volume::empty(grid),
            lava: Known::empty(grid),
            media: Vec::new(),
        }
    }

    /// Replaces the contents of the air (ash, steam, inks); `None` for clear air.
    pub(super) fn set_air(&mut self, air: Option<Arc<AirVolume>>) {
        self.volume.air = air;
    }

    /// Replaces the surface temperatures of the lava; `None` if the model has none.
    pub(super) fn set_crust(&mut self, crust: Option<Arc<CrustMap>>) {
        self.volume.crust = crust;
    }

    /// Writes `patch`, a changed box-shaped region of the lava's density and energy, into the
    /// volume.
    pub(super) fn patch(&mut self, patch: &Patch) {
        let grid = self.volume.grid;
        let ([x, y, z], [width, height, depth]) = (patch.origin, patch.size);
        let places = (z..z + depth).flat_map(|z| (y..y + height).map(move |y| (y, z)));
        for ((y, z), texels) in places.zip(patch.texels.chunks_exact(width.max(1))) {
            let start = grid.index([x, y, z]);
            let cells = start..start + width;
            let to = self.volume.density[cells.clone()]
                .iter_mut()
                .zip(&mut self.volume.energy[cells]);
            to.zip(texels)
                .for_each(|((density, energy), texel)| [*density, *energy] = *texel);
            self.lava.change(
                z * grid.ny + y,
                Span {
                    from: x as u16,
                    to: (x + width) as u16,
                },
            );
        }
    }

    /// Writes changed box-shaped regions of the materials other than lava into the volume. With
    /// `update.reset`, the list of materials is replaced and all their cells are emptied first.
    pub(super) fn update_media(&mut self, update: &MediaUpdate) {
        let grid = self.volume.grid;
        if update.reset {
            let empty = |(name, look): &(String, MaterialLook)| Medium {
                name: name.clone(),
                look: look.clone(),
                density: vec![0; grid.cells()],
            };
            self.volume.media = update.media.iter().map(empty).collect();
            self.media = update
                .media
                .iter()
                .map(|_| Known {
                    changed: None,
                    ..Known::empty(grid)
                })
                .collect();
        }
        update
            .patches
            .iter()
            .for_each(|patch| self.patch_media(patch));
    }

    fn patch_media(&mut self, patch: &MediaPatch) {
        let (grid, count) = (self.volume.grid, self.media.len());
        let ([x, y, z], [width, height, depth]) = (patch.origin, patch.size);
        let places = (z..z + depth).flat_map(|z| (y..y + height).map(move |y| (y, z)));
        for ((y, z), texels) in places.zip(patch.texels.chunks_exact((width * count).max(1))) {
            let (start, row) = (grid.index([x, y, z]), z * grid.ny + y);
            for (k, (medium, known)) in self
                .volume
                .media
                .iter_mut()
                .zip(&mut self.media)
                .enumerate()
            {
                let to = &mut medium.density[start..start + width];
                to.iter_mut()
                    .zip(texels.chunks_exact(count))
                    .for_each(|(to, texel)| *to = texel[k]);
                known.change(
                    row,
                    Span {
                        from: x as u16,
                        to: (x + width) as u16,
                    },
                );
            }
        }
    }

    /// Recomputes the row spans that patches have made outdated.
    pub(super) fn settle(&mut self) {
        let Volume {
            grid,
            density,
            energy,
            media,
            ..
        } = &self.volume;
        let nx = grid.nx;
        self.lava.settle(|row| {
            let (density, energy) = (row_of(density, *grid, row), row_of(energy, *grid, row));
            span(nx, |x| density[x] > 0 || energy[x] > 0)
        });
        for (known, medium) in self.media.iter_mut().zip(media) {
            known.settle(|row| {
                let density = row_of(&medium.density, *grid, row);
                span(nx, |x| density[x] > 0)
            });
        }
    }

    pub(super) fn volume(&self) -> &Volume {
        &self.volume
    }

    /// Returns the row spans, and the cells changed since the last [`Self::drawn`]. `known`: false
    /// if the renderer has not drawn this volume yet, so that every cell counts as changed. Call
    /// [`Self::settle`] first.
    pub(super) fn changes(&self, known: bool) -> VolumeChanges<'_> {
        let media = self
            .media
            .iter()
            .map(|medium| medium.changes(known))
            .collect();
        VolumeChanges {
            lava: self.lava.changes(known),
            media,
        }
    }

    /// Clears the lists of changed cells; called once a picture shows the present volume.
    pub(super) fn drawn(&mut self) {
        for known in self.media.iter_mut().chain([&mut self.lava]) {
            known.changed.get_or_insert_default().clear();
        }
    }
}

/// Returns the values of the row along x with index `row` (`z · ny + y`).
fn row_of(values: &[u8], grid: Grid, row: usize) -> &[u8] {
    &values[row * grid.nx..][..grid.nx]
}

/// Returns the smallest range of cells, in a row of `nx`, that contains all x for which `matter(x)`
/// is true; empty if there is none.
fn span(nx: usize, matter: impl Fn(usize) -> bool) -> Span {
    match ((0..nx).find(|&x| matter(x)), (0..nx).rfind(|&x| matter(x))) {
        (Some(from), Some(last)) => Span {
            from: from as u16,
            to: last as u16 + 1,
        },
        _ => Span::EMPTY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::random::mix64;
    use lavoxel_render::volume::prepared::rows;

    #[test]
    fn patches_one_after_another_leave_the_last_values_and_exact_rows() {
        let grid = Grid::new(21, 9, 12);
        let (mut mirror, mut expected) = (Mirror::new(grid), Volume::empty(grid));
        for seed in 0..60_u64 {
            let die = |k: u64, n: usize| (mix64(seed << 8 | k) % n as u64) as usize;
            let origin = [die(0, 21), die(1, 9), die(2, 12)];
            let size = [
                die(3, 21 - origin[0]) + 1,
                die(4, 9 - origin[1]) + 1,
                die(5, 12 - origin[2]) + 1,
            ];
            let count = size.iter().product::<usize>();
            // Every third patch removes lava.
            let value = |i: usize| {
                if seed % 3 == 0 {
                    0
                } else {
                    (die(6 + i as u64, 4) * 60) as u8
                }
            };
            let texels: Vec<[u8; 2]> = (0..count).map(|i| [value(i), value(i + 1)]).collect();
            for (i, texel) in texels.iter().enumerate() {
                let (dx, dy, dz) = (i % size[0], i / size[0] % size[1], i / (size[0] * size[1]));
                let cell = grid.index([origin[0] + dx, origin[1] + dy, origin[2] + dz]);
                (expected.density[cell], expected.energy[cell]) = (texel[0], texel[1]);
            }
            mirror.patch(&Patch {
                origin,
                size,
                texels,
            });
            mirror.settle();
            assert_eq!(*mirror.volume(), expected);
            assert_eq!(mirror.changes(true).lava.rows, rows(expected.lava()));
            assert_eq!(
                mirror.changes(true).lava.changed.map(<[Change]>::len),
                Some(size[1] * size[2])
            );
            mirror.drawn();
        }
    }

    #[test]
    fn the_fields_of_several_media_are_parted_and_a_reset_voids_them() {
        let grid = Grid::new(6, 4, 3);
        let mut mirror = Mirror::new(grid);
        let update = |names: &[&str], texels: Vec<u8>| MediaUpdate {
            media: names
                .iter()
                .map(|name| (name.to_string(), MaterialLook::default()))
                .collect(),
            reset: true,
            patches: vec![MediaPatch {
                origin: [1, 2, 0],
                size: [2, 1, 1],
                texels,
            }],
            bricks: None,
        };
        mirror.update_media(&update(&["water"], vec![7, 8]));
        assert_eq!(
            mirror.changes(true).media[0].changed,
            None,
            "any cell may differ from the last picture"
        );
        mirror.drawn();
        assert_eq!(mirror.changes(true).media[0].changed, Some(&[][..]));
        mirror.update_media(&update(&["water", "oil"], vec![1, 2, 0, 4]));
        mirror.settle();
        let field = |k: usize| &mirror.volume().media[k].density[grid.index([1, 2, 0])..][..2];
        assert_eq!([field(0), field(1)], [[1, 0], [2, 4]]);
        let rows = |k: usize| mirror.changes(true).media[k].rows.to_vec();
        for k in 0..2 {
            assert_eq!(rows(k), rows_of_medium(&mirror, k));
        }
    }

    fn rows_of_medium(mirror: &Mirror, k: usize) -> Vec<Span> {
        let volume = mirror.volume();
        rows(
            volume.media[k]
                .fields(volume.grid)
                .expect("there is some of it"),
        )
    }
}
