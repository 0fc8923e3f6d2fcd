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

/// Directions in which the sky is sampled.
const AROUND: usize = 8;
/// Distances of the samples in cells, and their weights.
const RINGS: [(f32, f32); 3] = [(0.7, 0.3), (2.5, 0.35), (8.0, 0.35)];

/// How the ground hides the sky from its own places.
pub(super) struct OpenSky {
    /// For each ring, its samples as offsets along x and z.
    offsets: [[[f32; 2]; AROUND]; RINGS.len()],
}

impl OpenSky {
    pub(super) fn new() -> Self {
        let offset = |radius: f32, k: usize| {
            let angle = (k as f32 + radius) * std::f32::consts::TAU / AROUND as f32;
            [radius * angle.cos(), radius * angle.sin()]
        };
        Self { offsets: RINGS.map(|(radius, _)| std::array::from_fn(|k| offset(radius, k))) }
    }

    /// The places of the farthest samples around (x, z).
    pub(super) fn farthest(&self, x: f32, z: f32) -> impl Iterator<Item = [f32; 2]> {
        self.offsets[RINGS.len() - 1].iter().map(move |[dx, dz]| [x + dx, z + dz])
    }

    /// Share of the sky that higher ground around leaves open, sampled all around at three distances.
    pub(super) fn open(&self, block: &Heightfield, p: V3) -> f32 {
        let mut shut = 0.0;
        for ((radius, weight), offsets) in RINGS.into_iter().zip(&self.offsets) {
            let mut rise = 0.0;
            for [x, z] in offsets {
                rise += saturate((block.heights.at(p.x + x, p.z + z) - p.y) / radius);
            }
            shut += weight * rise / AROUND as f32;
        }
        1.0 - saturate(shut * 1.5) * 0.85
    }
}
