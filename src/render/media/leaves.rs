//! Foliage: clumps of leaves with gaps between them, dark inside and bright at their tips.
//!
//! The surface is where the density, raised and lowered by round bulges of two sizes, passes that of a surface: outside there are tufts,
//! and inside gaps into which little light comes. The denser the material is where a ray meets it, the deeper the gap.

use crate::render::math::{V3, in_widths, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::render::media::solid::{Hit, Softness, arriving, own};
use crate::render::noise;
use crate::render::style::shading::ShadeContext;

macro_rules! tune {
    ($name:literal, $value:expr) => {{
        static V: std::sync::OnceLock<f32> = std::sync::OnceLock::new();
        *V.get_or_init(|| std::env::var($name).ok().and_then(|v| v.parse().ok()).unwrap_or($value))
    }};
}
pub(crate) use tune;

/// Densities up to which there are no leaves, and from which on there are no gaps.
pub(crate) const BARE: f32 = 0.06;
pub(crate) const CLOSED: f32 = 0.97;
/// Mean of the bulges.
pub(crate) const MEAN: f32 = 0.24;
/// Cells over which their slope is taken.
pub(crate) const STEP: f32 = 0.3;
/// How light reaches around the shaded side.
pub(crate) const SOFT: Softness = Softness { wrap: 0.3, bleeds: 0.0 };
/// Colours of tips in the sun and of old leaves, and of light that came through leaves, to that of the material.
pub(crate) const TIPS: V3 = V3::new(1.25, 1.12, 0.66);
pub(crate) const OLD: V3 = V3::new(0.72, 0.86, 0.95);
pub(crate) const DRY: V3 = V3::new(1.35, 1.02, 0.70);
pub(crate) const THROUGH: V3 = V3::new(1.25, 1.35, 0.35);
/// Densities where a ray ends between which a gap becomes dark.
pub(crate) const GAPS: [f32; 2] = [0.35, 0.95];

/// Clumps and tufts at a place, 0 in the creases between them.
fn bulges(q: V3) -> [f32; 2] {
    let clump = noise::gradient(q * tune!("L_F0", 0.55)).abs();
    let tuft = noise::gradient(q * tune!("L_F1", 1.55) + v3(3.0, 8.0, 5.0)).abs();
    [clump, tuft]
}

/// Density of leaves, at a place in cells of true proportions, of a material of this density.
pub(crate) fn leafy(q: V3, density: f32) -> f32 {
    if density <= BARE || density >= CLOSED {
        return density;
    }
    let [clump, tuft] = bulges(q);
    // No tuft floats in the air.
    let held = smoothstep(BARE, tune!("L_HELD", 0.36), density);
    let leaf = noise::gradient(q * tune!("L_F2", 4.1) + v3(11.0, 2.0, 7.0));
    density + held * (tune!("L_A0", 1.1) * (clump - MEAN) + tune!("L_A1", 0.75) * (tuft - MEAN) + tune!("L_A2", 0.3) * leaf)
}

/// Outward normal, smooth and with the bulges.
fn normal(hit: &Hit, q: V3) -> V3 {
    if hit.cut {
        return hit.normal;
    }
    let sum = |q: V3| {
        let [clump, tuft] = bulges(q);
        tune!("L_A0", 1.1) * clump + tune!("L_A1", 0.75) * tuft
    };
    let here = sum(q);
    let along = |e: V3| (sum(q + e * STEP) - here) / STEP;
    let rise = v3(along(V3::x()), along(V3::y()), along(V3::z()));
    unit_or_up(hit.normal - rise * tune!("L_BUMP", 0.8))
}

/// Light that leaves it towards the eye.
pub(super) fn light(context: &ShadeContext, hit: &Hit) -> V3 {
    let look = hit.clear.look;
    let q = in_widths(hit.point, context.look.cell_height);
    let [clump, tuft] = bulges(q);
    let inside = if hit.cut { 0.0 } else { hit.clear.field.density(hit.point) };
    let gap = smoothstep(GAPS[0], GAPS[1], inside);
    let pixel = hit.t * context.pixel;
    let fine = tune!("L_F2", 4.1);
    let seen = 1.0 - smoothstep(0.25, 0.7, pixel * fine);
    let flecks = noise::gradient(q * fine + v3(11.0, 2.0, 7.0)) * seen;
    let broad = noise::fractal(q * 0.11 + v3(1.0, 6.0, 2.0), 2);
    let tip = saturate(1.1 * clump + 1.3 * tuft + 0.35 * flecks - 0.25) * (1.0 - gap);
    let color = V3::from(look.linear_color());
    let color = times(color, mix(V3::repeat(1.0), if broad > 0.0 { DRY } else { OLD }, saturate(broad.abs() * 1.4)));
    let color = times(color, mix(OLD, TIPS, tip));
    let tone = (0.8 + 0.5 * tip + look.waves * tune!("L_FLECK", 0.55) * flecks).max(0.15);
    let albedo = color * (0.46 * tone);
    let rough = v3(flecks, 0.4 * flecks, noise::gradient(q * fine + v3(19.0, 0.0, 5.0)) * seen) * (tune!("L_ROUGH", 0.6) * look.waves);
    let normal = if hit.cut { hit.normal } else { unit_or_up(normal(hit, q) + rough) };
    let own = own(context, hit);
    let lit = arriving(context, hit, normal, (SOFT, own));
    let against = saturate(context.view(hit.ray).dot(&context.sky.sun));
    let open = context.open_on(hit.point, hit.normal);
    let thin = (-own.depth / tune!("L_THIN", 3.0)).exp() * (0.35 + against * against);
    let through = times(times(context.sky.sun_color, THROUGH), albedo) * (thin * open * tune!("L_THROUGH", 0.7));
    times(albedo, lit) * (1.0 - tune!("L_GAP", 0.85) * gap) + through * (1.0 - gap)
}
