//! Light that the lava throws on the rock, looked up once for each publication.

use crate::lowpass::LowPass;
use crate::viewer::link::Glow;
use crate::world::World;

/// Light that leaves each column and its height times that light, blurred; nothing when the window did not ask.
pub(super) fn ember(_lowpass: &LowPass, _world: &World, _glow: &Glow) -> Option<Vec<[f32; 2]>> {
    None
}
