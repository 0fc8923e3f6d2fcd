//! Changes of the materials other than lava for painters: the cells that changed since the last
//! update.

use super::patches::boxes;
use super::{MediaPatch, MediaUpdate};
use lavoxel_sim::lowpass::{Bricks, Change, LowPass};

/// Builder of the updates of the materials other than lava; stores which materials were sent.
#[derive(Default)]
pub(super) struct MediaChanges {
    /// Materials other than lava that had cells at the last update, as indices into
    /// [`lavoxel_sim::lowpass::Volume::media`].
    present: Vec<usize>,
    bricks: Option<Bricks>,
}

impl MediaChanges {
    /// Returns the changes of all materials other than lava since the last call; `None` if nothing
    /// changed. `lowpass`: filter with the volume of the present state.
    pub(super) fn update(&mut self, lowpass: &mut LowPass) -> Option<MediaUpdate> {
        let count = lowpass.volume().media.len();
        let changed: Vec<Vec<Change>> = (0..count).map(|k| lowpass.take_changes_of(k)).collect();
        let volume = lowpass.volume();
        let present: Vec<usize> = (0..count)
            .filter(|&k| !volume.media[k].density.is_empty())
            .collect();
        // Texels interleave all media: a different set of media changes the stride, so everything
        // is sent again.
        let reset = present != self.present;
        if reset {
            (self.present, self.bricks) = (present, Some(Bricks::new(volume.grid)));
        }
        let changed: Vec<Change> = match reset {
            true => self
                .present
                .iter()
                .flat_map(|&k| Change::of_rows(lowpass.rows_of(k)))
                .collect(),
            false => changed.into_iter().flatten().collect(),
        };
        if changed.is_empty() && !reset {
            return None;
        }
        let fields: Vec<&[u8]> = self
            .present
            .iter()
            .map(|&k| &volume.media[k].density[..])
            .collect();
        let bricks = self.bricks.as_mut()?;
        let other = bricks.refresh_largest(&fields, &changed);
        let patches = boxes(
            volume.grid,
            bricks,
            &changed,
            |cells, texels: &mut Vec<u8>| {
                texels.extend(cells.flat_map(|cell| fields.iter().map(move |field| field[cell])));
            },
        );
        let patch = |(origin, size, texels)| MediaPatch {
            origin,
            size,
            texels,
        };
        let look = |&k: &usize| (volume.media[k].name.clone(), volume.media[k].look.clone());
        Some(MediaUpdate {
            media: self.present.iter().map(look).collect(),
            reset,
            patches: patches.into_iter().map(patch).collect(),
            bricks: (reset || other).then(|| bricks.densest().to_vec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::matter::Material;
    use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
    use lavoxel_base::grid::Grid;

    /// Densities of the materials as the window stores them after the updates.
    #[derive(Default)]
    struct Window {
        names: Vec<String>,
        texels: Vec<Vec<u8>>,
    }

    impl Window {
        fn apply(&mut self, grid: Grid, update: &MediaUpdate) {
            if update.reset {
                self.names = update.media.iter().map(|(name, _)| name.clone()).collect();
                self.texels = vec![vec![0; self.names.len()]; grid.cells()];
            }
            for MediaPatch {
                origin,
                size,
                texels,
            } in &update.patches
            {
                for (i, texel) in texels.chunks_exact(self.names.len()).enumerate() {
                    let [dx, dy, dz] =
                        [i % size[0], i / size[0] % size[1], i / (size[0] * size[1])];
                    let cell = grid.index([origin[0] + dx, origin[1] + dy, origin[2] + dz]);
                    self.texels[cell] = texel.to_vec();
                }
            }
        }
    }

    #[test]
    fn the_window_has_what_the_low_pass_has_and_gets_only_what_changed() {
        let grid = Grid::new(50, 20, 40);
        let materials = ["water", "oil"].map(|name| Material {
            name: name.into(),
            ..Material::water()
        });
        let mut world = World::with_materials(Ground::none(grid), materials.to_vec());
        let (mut lowpass, mut publisher) = (LowPass::new(grid), MediaChanges::default());
        let mut window = Window::default();
        let mut put = |world: &mut World, name: Option<&str>, center: [f64; 3]| {
            let matter = match name {
                Some(name) => Matter::Material {
                    name: name.into(),
                    amount: 0.8,
                },
                None => Matter::Drain,
            };
            world.edit(&Edit {
                shape: Shape::Sphere {
                    center,
                    radius: 2.5,
                },
                matter,
            });
            lowpass.refresh(&*world);
            let update = publisher.update(&mut lowpass);
            if let Some(update) = &update {
                window.apply(grid, update);
            }
            for (i, name) in window.names.iter().enumerate() {
                let medium = lowpass
                    .volume()
                    .media
                    .iter()
                    .find(|medium| medium.name == *name)
                    .expect("it was there");
                assert!(
                    medium
                        .density
                        .iter()
                        .zip(&window.texels)
                        .all(|(a, b)| *a == b[i]),
                    "{name}"
                );
            }
            update.map(|update| {
                (
                    update.reset,
                    update
                        .patches
                        .iter()
                        .map(|patch| patch.texels.len())
                        .sum::<usize>(),
                )
            })
        };
        assert_eq!(
            put(&mut world, None, [9.0; 3]),
            None,
            "there is nothing yet"
        );
        assert!(matches!(
            put(&mut world, Some("water"), [9.0; 3]),
            Some((true, _))
        ));
        assert!(
            matches!(put(&mut world, Some("water"), [30.0, 9.0, 20.0]), Some((false, sent)) if sent <= 4 * 8 * 512)
        );
        assert_eq!(
            put(&mut world, None, [40.0, 15.0, 5.0]),
            None,
            "nothing was there to be drained"
        );
        assert!(
            matches!(
                put(&mut world, Some("oil"), [20.0, 9.0, 30.0]),
                Some((true, _))
            ),
            "a second medium"
        );
        assert!(matches!(
            put(&mut world, None, [20.0, 9.0, 30.0]),
            Some((false, _))
        ));
    }
}
