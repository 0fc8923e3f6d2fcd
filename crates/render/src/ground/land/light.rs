//! Computation of sunlight and of the visible fraction of the sky on the ground.

use crate::ground::heightfield::Heightfield;
use crate::math::{V3, saturate, v3};

/// Returns the sunlight at the node (`x`, `z`) of height `h`, all in cells: 1 in sunlight, 0 in
/// shadow. `sun`: direction of the sun.
// The ray begins a quarter of a cell off the surface, so that the surface does not shade itself.
pub(super) fn sun(block: &Heightfield, sun: V3, [x, h, z]: [f32; 3]) -> f32 {
    let start = v3(x, h, z) + block.normal(x, z, 0.3) * 0.25;
    if block.lit(start, sun) { 1.0 } else { 0.0 }
}

/// Returns the blur radius in nodes that approximates the sun's disc in soft shadows; `per_cell`:
/// nodes per cell along an axis.
pub(super) fn disc(per_cell: f32) -> usize {
    (per_cell * 0.16).round() as usize
}

/// Number of horizontal directions in which heights around a point are sampled for the visible sky.
const AROUND: usize = 8;
/// Horizontal distance in cells and weight of each ring of height samples for the visible sky.
const RINGS: [(f32, f32); 3] = [(0.7, 0.3), (2.5, 0.35), (8.0, 0.35)];

/// Positions of the height samples around a point from which the visible fraction of the sky is
/// computed.
pub(super) struct OpenSky {
    /// Offsets (x, z) of the samples in cells, per ring and direction.
    offsets: [[[f32; 2]; AROUND]; RINGS.len()],
}

impl OpenSky {
    /// Computes the offsets of the samples; the rings are rotated relative to each other.
    pub(super) fn new() -> Self {
        let offset = |radius: f32, k: usize| {
            let angle = (k as f32 + radius) * std::f32::consts::TAU / AROUND as f32;
            [radius * angle.cos(), radius * angle.sin()]
        };
        Self {
            offsets: RINGS.map(|(radius, _)| std::array::from_fn(|k| offset(radius, k))),
        }
    }

    /// Returns the positions (x, z) in cells of the samples of the outermost ring around (`x`,
    /// `z`).
    pub(super) fn farthest(&self, x: f32, z: f32) -> impl Iterator<Item = [f32; 2]> {
        self.offsets[RINGS.len() - 1]
            .iter()
            .map(move |[dx, dz]| [x + dx, z + dz])
    }

    /// Returns the visible fraction of the sky (0 to 1) at the point `p` (cells) over `block`, from
    /// height samples in three rings around.
    pub(super) fn open(&self, block: &Heightfield, p: V3) -> f32 {
        let mut shut = 0.0;
        for ((radius, weight), offsets) in RINGS.into_iter().zip(&self.offsets) {
            let mut rise = 0.0;
            for [x, z] in offsets {
                rise += saturate((block.heights.at(p.x + x, p.z + z) - p.y) * block.tall / radius);
            }
            shut += weight * rise / AROUND as f32;
        }
        1.0 - saturate(shut * 1.5) * 0.85
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::raster::Raster;
    use crate::math::direction;

    #[test]
    fn oblong_cells_are_lit_as_cubes_that_make_the_same_ground() {
        let ground = |high: f32| {
            Heightfield::new(
                Raster::nodes((30, 24), 2, |x, z| {
                    high * (7.0 + 4.0 * (x * 0.5).sin() * (z * 0.4).cos())
                }),
                -2.0 * high,
            )
        };
        let (cubes, mut oblong) = (ground(1.0), ground(2.0));
        oblong.tall = 0.5;
        let (sky, toward) = (OpenSky::new(), direction(236.0, 24.0));
        let (mut shaded, mut other, mut nodes) = (0, 0, 0);
        for (x, z) in (0..48).flat_map(|j| (0..60).map(move |i| (0.5 * i as f32, 0.5 * j as f32))) {
            let [a, b] = [&cubes, &oblong].map(|block| (block.heights.at(x, z), block));
            assert!(
                (a.1.normal(x, z, 0.8) - b.1.normal(x, z, 0.8)).norm() < 1e-4,
                "normal at {x}, {z}"
            );
            let open = |(h, block): (f32, &Heightfield)| sky.open(block, v3(x, h, z));
            assert!((open(a) - open(b)).abs() < 1e-4, "sky at {x}, {z}");
            let lit = |(h, block): (f32, &Heightfield)| sun(block, toward, [x, h, z]) > 0.5;
            (shaded, nodes) = (shaded + usize::from(!lit(a)), nodes + 1);
            other += usize::from(lit(a) != lit(b));
        }
        // Rays begin a quarter of a cell over the ground, which is lower over flat cells.
        assert!(
            shaded > nodes / 10 && other < nodes / 25,
            "{shaded} of {nodes} in shadow, {other} not in both"
        );
    }
}
