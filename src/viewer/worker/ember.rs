//! Light that the lava throws on the rock, computed when the lava or what the light depends on has changed.

use crate::lowpass::LowPass;
use crate::render::Glow;
use crate::render::ember::EmberLight;

/// Caches for what the light was computed.
#[derive(Default)]
pub(super) struct LavaLight {
    sent: Option<Glow>,
}

impl LavaLight {
    /// Light that leaves each column and its height times that light, blurred; nothing when the window knows it, or did
    /// not ask.
    pub(super) fn update(&mut self, lowpass: &LowPass, changed: bool, glow: Option<Glow>) -> Option<Vec<[f32; 2]>> {
        let glow = glow?;
        if !changed && self.sent == Some(glow) {
            return None;
        }
        self.sent = Some(glow);
        let light = EmberLight::new(lowpass.volume(), Some(lowpass.rows()), glow);
        Some(light.maps.data.iter().map(|map| [map.x, map.y]).collect())
    }
}
