//! Path-traced pictures of the renderer's fields.

use std::sync::Arc;

use super::Renderer;
use crate::camera::Camera;
use crate::ground::lava_glow::EmberLight;
use crate::media::clear::Media;
use crate::media::fog::Fog;
use crate::media::smoke::Smoke;
use crate::print::Print;
use crate::volume::places::Skipping;
use crate::volume::prepared::VolumeChanges;
use lavoxel_sim::lowpass::{LowPass, Volume};

/// Light of the lava, gases and smoke of a frame.
type Lit = (Arc<EmberLight>, Option<Arc<Fog>>, Option<Arc<Smoke>>);

impl Renderer {
    /// Prepares a path-traced picture of the present volume of `lowpass` as seen by `camera`, and
    /// calls `see` with it; takes the list of changed cells out of `lowpass`. Returns the result of
    /// `see`, or `None` if the flag of `Renderer::stop_switch` was set before.
    ///
    /// # Panics
    /// When the volume of the low-pass does not have the shape of this renderer's simulation box.
    pub fn print_of<R>(
        &mut self,
        lowpass: &mut LowPass,
        camera: &Camera,
        see: impl FnOnce(&mut Print) -> R,
    ) -> Option<R> {
        self.with_changes(lowpass, |renderer, volume, changes| {
            renderer.print_changes(volume, changes, camera, see)
        })
    }

    /// Prepares a path-traced picture of `volume` as seen by `camera`, and calls `see` with it, as
    /// `Renderer::print_of` does; reads every cell of the volume.
    ///
    /// # Panics
    /// When the volume does not have the shape of this renderer's simulation box.
    pub fn print<R>(
        &mut self,
        volume: &Volume,
        camera: &Camera,
        see: impl FnOnce(&mut Print) -> R,
    ) -> Option<R> {
        self.with_all(volume, |renderer, changes| {
            renderer.print_changes(volume, changes, camera, see)
        })
    }

    /// Prepares path-traced pictures of `volume` as seen by each of `cameras` in turn, and calls
    /// `see` with each; reads every cell of the volume, and computes the fields of the volume once
    /// for all cameras. Ends after the picture for which `see` returns false, or when the flag of
    /// `Renderer::stop_switch` is set.
    ///
    /// # Panics
    /// When the volume does not have the shape of this renderer's simulation box.
    pub fn prints(
        &mut self,
        volume: &Volume,
        cameras: &[Camera],
        mut see: impl FnMut(&mut Print) -> bool,
    ) {
        self.with_all(volume, |renderer, changes| {
            let lit = renderer.light_for_print(volume, changes);
            for camera in cameras {
                if renderer.is_given_up()
                    || !renderer.print_prepared(volume, camera, &lit, &mut see)
                {
                    return;
                }
            }
        });
    }

    /// Prepares a path-traced picture of `volume`; prepared fields are computed again only for the
    /// cells in `changes`.
    fn print_changes<R>(
        &mut self,
        volume: &Volume,
        changes: &VolumeChanges,
        camera: &Camera,
        see: impl FnOnce(&mut Print) -> R,
    ) -> Option<R> {
        let lit = self.light_for_print(volume, changes);
        if self.is_given_up() {
            return None;
        }
        Some(self.print_prepared(volume, camera, &lit, see))
    }

    /// Prepares the fields of `volume`, and returns its light, gases and smoke; computed again only
    /// for the cells in `changes`.
    fn light_for_print(&mut self, volume: &Volume, changes: &VolumeChanges) -> Lit {
        assert_eq!(
            volume.grid, self.grid,
            "the volume has the renderer's shape"
        );
        let interest = self.transfer.of_interest(&self.look);
        self.prepared.follow(volume, changes, interest);
        self.lit(volume, changes)
    }

    /// Calls `see` with a path-traced picture of `volume`, whose fields are prepared, and returns
    /// the result of `see`.
    fn print_prepared<R>(
        &self,
        volume: &Volume,
        camera: &Camera,
        (ember, fog, smoke): &Lit,
        see: impl FnOnce(&mut Print) -> R,
    ) -> R {
        let interest = self.transfer.of_interest(&self.look);
        let shown = self.shown_from(camera.eye().coords);
        let sea = self.sea(volume, shown);
        let clouds = self.clouds(fog.as_deref(), smoke.as_deref());
        let part = (self.with_volume(shown), Skipping::Bricks);
        let field = self
            .prepared
            .field(volume, interest, Skipping::Bricks)
            .clipped(self.with_volume(shown));
        let media = Media::new(self.media(volume, Skipping::Bricks, shown), clouds, part);
        let sea = sea.and_then(|sea| self.sea_around(sea, volume, &media));
        let sparks = self.sparks(camera);
        let context = self.context(&field, &media, (shown, sea, &sparks), ember);
        let mut print = Print::new(&context, camera, self.printed(), &self.stop);
        see(&mut print)
    }
}
