//! Light that the lava casts on the rock, for the updates to the window; computed again only if the
//! lava or the light's parameters have changed.

use super::EmberUpdate;
use lavoxel_render::Glow;
use lavoxel_render::ground::lava_glow::EmberLight;
use lavoxel_sim::lowpass::LowPass;

/// Source of the lava's light for updates. Field: parameters of the light that was sent last;
/// `None` before the first.
#[derive(Default)]
pub(super) struct LavaLight {
    sent: Option<Glow>,
}

impl LavaLight {
    /// Returns the lava's light to send to the window. `None` if the window has the current light,
    /// or if the window requests no light (`glow` is `None`). `lowpass`: filter with the present
    /// volume; `changed`: true if the lava has changed since the last call.
    pub(super) fn update(
        &mut self,
        lowpass: &LowPass,
        changed: bool,
        glow: Option<Glow>,
    ) -> Option<EmberUpdate> {
        let glow = glow?;
        if !changed && self.sent == Some(glow) {
            return None;
        }
        self.sent = Some(glow);
        Some(EmberUpdate::from_light(&EmberLight::new(
            lowpass.volume(),
            Some(lowpass.rows()),
            glow,
        )))
    }
}
