//! Light of the lava on the rock, recomputed only after a change of the lava or of the light's
//! parameters.

use crate::messages::EmberUpdate;
use lavoxel_render::Glow;
use lavoxel_render::ground::ember::EmberLight;
use lavoxel_sim::lowpass::LowPass;

/// Cache key: parameters of the light that was sent last; `None` before the first.
#[derive(Default)]
pub(super) struct LavaLight {
    sent: Option<Glow>,
}

impl LavaLight {
    /// Returns the light of the lava for the window; `None` if the window has the current light or
    /// requests none (`glow` is `None`). `changed`: true if the lava changed since the last call.
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
        Some(EmberUpdate::of(&EmberLight::new(
            lowpass.volume(),
            Some(lowpass.rows()),
            glow,
        )))
    }
}
