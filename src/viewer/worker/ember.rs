//! Light that the lava throws on the rock, worked out for each update whose lava or glow is another.

use crate::lowpass::LowPass;
use crate::viewer::link::Glow;
use crate::world::World;

/// Light that leaves each column and its height times that light, blurred, x fastest.
pub(super) fn ember(_lowpass: &LowPass, _world: &World, _glow: &Glow) -> Option<Vec<[f32; 2]>> {
    None
}
