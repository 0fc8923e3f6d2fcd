//! Light that the lava casts on the rock, recomputed only when the lava or a parameter of the light
//! changed.

use crate::messages::EmberUpdate;
use lavoxel_render::Glow;
use lavoxel_render::ground::ember::EmberLight;
use lavoxel_sim::lowpass::LowPass;

/// Parameters of the light that was sent last.
#[derive(Default)]
pub(super) struct LavaLight {
    sent: Option<Glow>,
}

impl LavaLight {
    /// Light of the lava for the window; `None` if the window has the current light or did not ask
    /// for any. `changed`: the lava changed since the last call.
    pub(super) fn update(&mut self, lowpass: &LowPass, changed: bool, glow: Option<Glow>) -> Option<EmberUpdate> {
        let glow = glow?;
        if !changed && self.sent == Some(glow) {
            return None;
        }
        self.sent = Some(glow);
        Some(EmberUpdate::of(&EmberLight::new(lowpass.volume(), Some(lowpass.rows()), glow)))
    }
}
