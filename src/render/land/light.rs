//! Light that reaches the ground: share of the sun, and of the sky.

use crate::render::heightfield::Heightfield;
use crate::render::math::{V3, saturate, v3};

/// 1 where the sun arrives at a node, else 0.
pub(super) fn sun(block: &Heightfield, sun: V3, [x, h, z]: [f32; 3]) -> f32 {
    let start = v3(x, h, z) + block.normal(x, z, 0.3) * 0.25;
    if block.lit(start, sun) { 1.0 } else { 0.0 }
}

/// Radius in nodes of the blur of hard shadows that stands for the sun's disc.
pub(super) fn disc(per_cell: f32) -> usize {
    (per_cell * 0.16).round() as usize
}

/// Share of the sky that higher ground around leaves open, sampled all around at three distances.
pub(super) fn open_sky(block: &Heightfield, p: V3) -> f32 {
    const AROUND: usize = 8;
    let mut shut = 0.0;
    for (radius, weight) in [(0.7, 0.3), (2.5, 0.35), (8.0, 0.35)] {
        let mut rise = 0.0;
        for k in 0..AROUND {
            let angle = (k as f32 + radius) * std::f32::consts::TAU / AROUND as f32;
            let other = block.heights.at(p.x + radius * angle.cos(), p.z + radius * angle.sin());
            rise += saturate((other - p.y) / radius);
        }
        shut += weight * rise / AROUND as f32;
    }
    1.0 - saturate(shut * 1.5) * 0.85
}
