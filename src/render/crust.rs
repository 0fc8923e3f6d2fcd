//! The lava's skin: dark plates that drift apart over a glowing inside.
//!
//! The share of crust grows as the energy per amount falls: near the vent the skin is torn open, far away only cracks
//! glow. Plates are cellular noise on warped coordinates; their interiors carry ropes and grain.

use super::blackbody::BlackBody;
use super::ember::EmberLight;
use super::field::LavaField;
use super::land::TerrainLook;
use super::look::LookSpec;
use super::math::{V3, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use super::noise;
use super::sky::Sky;

/// Everything shading reads, for one frame.
pub(super) struct Stage<'a> {
    pub(super) field: &'a LavaField,
    pub(super) land: &'a TerrainLook,
    pub(super) ember: &'a EmberLight,
    pub(super) sky: &'a Sky,
    pub(super) look: &'a LookSpec,
    pub(super) blackbody: &'a BlackBody,
}

/// A point of the lava's surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skin {
    pub(super) point: V3,
    pub(super) normal: V3,
    /// Direction in which the eye looks.
    pub(super) view: V3,
    /// True inside: the box's side cuts through the lava here, where there is no crust.
    pub(super) cut: bool,
}

/// The pattern at a point, before light.
struct Pattern {
    /// 0 crust, 1 open.
    molten: f32,
    /// Height of the crust's relief, in cells.
    relief: f32,
    /// A number per plate.
    tone: f32,
}

/// Heat 0 (cold, closed) to 1 (as it leaves the vent, or hotter).
pub(super) fn heat(stage: &Stage, p: V3) -> f32 {
    let [cold, hot] = stage.look.heat;
    saturate((stage.field.specific_energy(p) - cold) / (hot - cold))
}

/// Light that leaves the skin towards the eye.
pub(super) fn shade(stage: &Stage, skin: &Skin) -> V3 {
    // Energy is steadier just under the surface than in the thin outermost density.
    let heat = heat(stage, skin.point - skin.normal * 0.6);
    if skin.cut {
        return glowing(stage, lerp(1080.0, 1420.0, heat) + 60.0 * noise::fractal(skin.point * 0.5, 3));
    }
    let size = stage.look.plate_size;
    let here = pattern(skin.point, heat, stage.look);
    let e = 0.11 * size;
    let step = |d: V3| pattern(skin.point + d, heat, stage.look).relief - here.relief;
    let slope = v3(step(v3(e, 0.0, 0.0)), step(v3(0.0, e, 0.0)), step(v3(0.0, 0.0, e))) / e;
    let slope = slope - skin.normal * slope.dot(&skin.normal);
    let normal = unit_or_up(skin.normal - slope * (1.0 - 0.75 * here.molten));
    let grain = noise::fractal(skin.point * 2.2, 3);
    let crust_k = lerp(540.0, 830.0, heat) + 90.0 * (here.tone - 0.5) + 110.0 * grain;
    let open_k = lerp(1010.0, 1400.0, heat.sqrt()) + 70.0 * grain;
    let emitted = glowing(stage, lerp(crust_k, open_k, here.molten));
    emitted + lit(stage, skin, normal, &here)
}

fn glowing(stage: &Stage, kelvin: f32) -> V3 {
    stage.blackbody.shown(kelvin) * 1.55
}

/// Sun, sky and neighbouring glow on the crust.
fn lit(stage: &Stage, skin: &Skin, normal: V3, here: &Pattern) -> V3 {
    let (sky, p) = (stage.sky, skin.point);
    let sun = sky.sun_color * (saturate(normal.dot(&sky.sun)) * stage.land.sunlight(p.x, p.z));
    let ember = glowing(stage, 1150.0) * (0.30 * stage.look.lava_light * stage.ember.at(p, normal));
    let tint = mix(v3(0.026, 0.024, 0.026), v3(0.070, 0.062, 0.060), here.tone);
    let crust = 1.0 - here.molten;
    let matte = times(tint, sun + sky.ambient(normal) + ember) * crust;
    let half = unit_or_up(sky.sun - skin.view);
    let gloss = times(sky.sun_color, V3::repeat(saturate(normal.dot(&half)).powi(24) * 0.10)) * crust;
    let mirror = skin.view - normal * (2.0 * skin.view.dot(&normal));
    let rim = (1.0 - saturate(-skin.view.dot(&normal))).powi(4) * 0.18;
    matte + gloss * stage.land.sunlight(p.x, p.z) + sky.reflected(mirror) * (rim * crust)
}

fn pattern(p: V3, heat: f32, look: &LookSpec) -> Pattern {
    let q = p / look.plate_size;
    let bend = v3(
        noise::fractal(q * 0.9 + v3(5.0, 2.0, 9.0), 3),
        noise::fractal(q * 0.9 + v3(3.0, 8.0, 1.0), 3),
        noise::fractal(q * 0.9 + v3(8.0, 4.0, 6.0), 3),
    );
    let warped = q + bend * 0.42;
    let large = noise::plate(warped);
    let small = noise::plate(warped * 2.6 + v3(4.0, 7.0, 2.0));
    let drift = noise::fractal(q * 0.45 + v3(1.0, 9.0, 4.0), 3);
    let closed = saturate(look.crust * (1.16 - 0.92 * heat + 0.42 * drift));
    // Cracks narrow to hairlines as the crust closes; where it is torn, plates shrink to islands.
    let gap = 0.018 + 0.42 * (1.0 - closed) * (1.0 - closed);
    let crack = 1.0 - smoothstep(gap, gap + 0.05 + 0.10 * (1.0 - closed), large.edge);
    let hair = (1.0 - smoothstep(0.012, 0.075, small.edge)) * smoothstep(0.95, 0.45, closed) * 0.75;
    let torn = smoothstep(0.30, 0.02, closed);
    let molten = saturate(crack.max(hair).max(torn)) * smoothstep(1.12, 0.82, closed);
    let rope = noise::gradient(warped * 3.1 + v3(bend.z, 0.0, bend.x) * 2.0);
    let dome = smoothstep(0.0, 0.30, large.edge) * 0.20 + smoothstep(0.0, 0.25, small.edge) * 0.06;
    Pattern { molten, relief: (dome + 0.045 * rope) * look.plate_size, tone: large.tone }
}
