//! Light that the lava casts on the rock; recomputed only when the lava or the light's parameters
//! change.

use crate::messages::EmberUpdate;
use lavoxel_render::Glow;
use lavoxel_render::ground::lava_glow::EmberLight;
use lavoxel_sim::lowpass::LowPass;

/// Sender of the lava's light; remembers the parameters sent last (`None` before the first) as
/// cache key.
#[derive(Default)]
pub(super) struct LavaLight {
    sent: Option<Glow>,
}

impl LavaLight {
    /// Returns the lava's light to send to the window; `None` if the window has the current light,
    /// or if it requests none (`glow` is `None`). `changed`: true if the lava has changed since the
    /// last call.
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
