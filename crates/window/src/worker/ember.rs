//! Light that the lava throws on the rock, computed when the lava or what the light depends on has changed.

use crate::messages::EmberUpdate;
use lavoxel_render::Glow;
use lavoxel_render::ground::ember::EmberLight;
use lavoxel_sim::lowpass::LowPass;

/// Caches for what the light was computed.
#[derive(Default)]
pub(super) struct LavaLight {
    sent: Option<Glow>,
}

impl LavaLight {
    /// The light of the lava; nothing when the window knows it, or did not ask.
    pub(super) fn update(&mut self, lowpass: &LowPass, changed: bool, glow: Option<Glow>) -> Option<EmberUpdate> {
        let glow = glow?;
        if !changed && self.sent == Some(glow) {
            return None;
        }
        self.sent = Some(glow);
        Some(EmberUpdate::of(&EmberLight::new(lowpass.volume(), Some(lowpass.rows()), glow)))
    }
}
