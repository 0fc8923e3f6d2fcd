//! Path-traced pictures of the renderer's fields.

use super::Renderer;
use crate::camera::Camera;
use crate::media::clear::Media;
use crate::print::Print;
use crate::volume::places::Skipping;
use crate::volume::prepared::VolumeChanges;
use lavoxel_sim::lowpass::{LowPass, Volume};

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

    /// Prepares a path-traced picture of `volume`; prepared fields are computed again only for the
    /// cells in `changes`.
    fn print_changes<R>(
        &mut self,
        volume: &Volume,
        changes: &VolumeChanges,
        camera: &Camera,
        see: impl FnOnce(&mut Print) -> R,
    ) -> Option<R> {
        assert_eq!(
            volume.grid, self.grid,
            "the volume has the renderer's shape"
        );
        let interest = self.transfer.of_interest(&self.look);
        self.prepared.follow(volume, changes, interest);
        let (ember, fog, smoke) = self.lit(volume, changes);
        if self.is_given_up() {
            return None;
        }
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
        let context = self.context(&field, &media, (shown, sea, &sparks), &ember);
        let mut print = Print::new(&context, camera, self.printed(), &self.stop);
        Some(see(&mut print))
    }
}
