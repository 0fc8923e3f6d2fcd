//! Light that lava throws on the rock around it, without tracing a single extra ray: a map of how strongly each
//! column glows, blurred at three radii, stands for light from near, middle and far.

use std::ops::ControlFlow;

use super::camera::Ray;
use super::field::{LavaField, Pace};
use super::look::LookSpec;
use super::math::{V3, saturate, smoothstep, v3};
use super::raster::Raster;

/// Blur radii in cells (of each of three box passes) and their shares of the light.
const REACHES: [(usize, f32); 3] = [(1, 0.50), (3, 0.80), (9, 1.25)];

/// Glow around each column, and the height from which it comes.
#[derive(Clone, Debug)]
pub(crate) struct EmberLight {
    glow: Raster<f32>,
    /// Height of the glowing surface times its glow, blurred like the glow.
    lifted: Raster<f32>,
}

impl EmberLight {
    /// Looks down every column of the field; `heat` turns energy per amount into 0..1.
    pub(crate) fn new(field: &LavaField, cells: (usize, usize), top: f32, look: &LookSpec) -> Self {
        let columns = Raster::columns(cells, vec![0.0_f32; cells.0 * cells.1]);
        let surface = columns.map(|x, z, _| nalgebra::Vector2::from(emission(field, v3(x, top, z), look)));
        let glow = surface.map(|_, _, s| s.x);
        let lifted = surface.map(|_, _, s| s.x * s.y);
        Self { glow: spread(&glow), lifted: spread(&lifted) }
    }

    /// Strength of the glow around a column, about 0..2.
    pub(crate) fn strength(&self, p: V3) -> f32 {
        self.glow.at(p.x, p.z)
    }

    /// Strength of the glow that reaches a point with normal `n`, about 0..1.
    pub(crate) fn at(&self, p: V3, n: V3) -> f32 {
        let glow = self.glow.at(p.x, p.z);
        if glow < 1e-4 {
            return 0.0;
        }
        let (east, south) = self.glow.slope(p.x, p.z, 1.2);
        // The source lies up the gradient, and above or below by the difference in height.
        let rise = (self.lifted.at(p.x, p.z) / glow - p.y).clamp(-12.0, 12.0);
        let aim = v3(east, 0.06 * glow * (1.0 + 0.5 * rise), south);
        let facing = n.dot(&super::math::unit_or_up(aim));
        let apart = 1.0 / (1.0 + 0.006 * rise * rise);
        // A wide sheet must not outshine the sun: the sum of many columns is compressed.
        let light = glow / (1.0 + 0.9 * glow);
        light * apart * (0.30 + 0.70 * saturate(0.25 + 0.75 * facing))
    }
}

fn spread(map: &Raster<f32>) -> Raster<f32> {
    let mut sum = map.map(|_, _, _| 0.0);
    for (radius, share) in REACHES {
        let blurred = map.blurred(radius);
        sum.data.iter_mut().zip(&blurred.data).for_each(|(s, b)| *s += share * b);
    }
    sum
}

/// Strength and height of the light that leaves a column upward, seen from `from`.
fn emission(field: &LavaField, from: V3, look: &LookSpec) -> [f32; 2] {
    let down = Ray { origin: from, direction: -V3::y() };
    let mut found = [0.0, 0.0];
    field.walk(&down, (0.0, from.y), Pace { step: 1.0, jitter: 0.0 }, |t, density| {
        if density <= look.film {
            return ControlFlow::Continue(());
        }
        let inside = down.at(t + 0.8);
        let heat = saturate((field.specific_energy(inside) - look.heat[0]) / (look.heat[1] - look.heat[0]));
        let cover = smoothstep(look.film, look.iso, field.density(inside).max(density));
        found = [cover * (0.12 + 0.88 * heat * heat.sqrt()), from.y - t];
        ControlFlow::Break(())
    });
    found
}
