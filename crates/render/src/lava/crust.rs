//! The lava's skin: dark plates that drift apart over a glowing inside.
//!
//! The share of crust grows as the energy per amount falls, and falls with the speed of the flow: near the vent and in steep
//! channels the skin is torn open, far away only a few cracks glow. Where the temperature of the surface is known, it decides
//! instead: a young crust shines and is torn open, an old one is dull, dark and closed.

use crate::lava::blackbody::{kelvin, red_hot};
use crate::lava::plates::{Pattern, carried, rubble};
use crate::math::{V3, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::noise;
use crate::style::shading::ShadeContext;

/// Temperatures in kelvin of the surface of a crust that counts as old, and of one that counts as young.
pub const AGES: [f32; 2] = [620.0, 1120.0];
/// Surface temperatures for cracks: none are left open in a crust whose surface is as cold as the first.
pub const CRACKS: [f32; 2] = [480.0, 760.0];
/// How much an old crust shines, and a young one.
pub const SHINES: [f32; 2] = [0.25, 2.2];
/// Gray of an old crust, and its share.
pub const DULL: V3 = V3::new(0.034, 0.033, 0.033);
pub const DULLED: f32 = 0.6;

/// Share of the heat under an old crust that cracks it.
pub const UNDER: f32 = 0.78;
/// Temperatures of lava under a crust that just moves, and that moves freely.
pub const LIQUID: [f32; 2] = [1000.0, 1280.0];
/// Temperature of openings in cold lava and in the hottest.
pub const OPEN_COLD: f32 = 910.0;
pub const OPEN_HOT: f32 = 1300.0;
/// Temperature by which a young crust between cracks is colder than the mean of its surface.
pub const SKINNED: f32 = 150.0;
/// Share of the lava's light that its own crust gets.
pub const LIT: f32 = 0.20;
/// How much of the sky a crust mirrors at a grazing angle.
pub const SHEEN: f32 = 0.20;
/// Light of open lava by the colour that a picture shows for its temperature.
pub const BRIGHT: f32 = 1.7;

/// Cells over its bed in which cut lava is colder, by so many kelvin, and by how many its sheets differ.
pub const CHILLED: f32 = 2.5;
/// Densities between which lava below it counts as such.
pub const BEDDED: [f32; 2] = [0.2, 0.9];
pub const COLDER: f32 = 130.0;
pub const SHEETS: f32 = 190.0;
/// Share of these where the temperature is known.
pub const KNOWN: f32 = 0.7;

/// Cells that the crust of cut lava is thick, densities over it between which it ends, how ragged its underside is, its colour, and its
/// greatest temperature.
pub const ROOF_THICK: f32 = 1.1;
pub const ROOF: [f32; 2] = [0.25, 0.6];
pub const ROOF_RAGGED: f32 = 0.3;
pub const ROOF_GRAINS: f32 = 0.9;
pub const ROOF_TINT: V3 = V3::new(0.036, 0.033, 0.031);
pub const ROOFED: f32 = 760.0;

/// How young a crust with a surface of this temperature is, 0 to 1.
pub(crate) fn youth(kelvin: f32) -> f32 {
    smoothstep(AGES[0], AGES[1], kelvin)
}

/// How far cracks may open in a crust with a surface of this temperature, 0 to 1.
pub(crate) fn cracked(kelvin: f32) -> f32 {
    smoothstep(CRACKS[0], CRACKS[1], kelvin)
}

/// A point of the lava's surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skin {
    pub(crate) point: V3,
    pub(crate) normal: V3,
    /// Direction of the ray from the eye.
    pub(crate) view: V3,
    /// Whether a side of the box, or of its shown part, cuts through the lava here: the inside has no crust.
    pub(crate) cut: bool,
}

/// Heat 0 (cold, closed) to 1 (as it leaves the vent, or hotter).
pub(crate) fn heat(context: &ShadeContext, p: V3) -> f32 {
    let [cold, hot] = context.look.heat;
    saturate((context.field.specific_energy(p) - cold) / (hot - cold))
}

/// Temperature of the lava in kelvin, where it is known.
pub(crate) fn temperature(context: &ShadeContext, p: V3) -> Option<f32> {
    context.look.kelvin.map(|range| kelvin(range, context.field.specific_energy(p)))
}

/// Light that leaves the skin towards the eye.
pub(crate) fn shade(context: &ShadeContext, skin: &Skin) -> V3 {
    // Energy is steadier just under the surface than in the thin outermost density.
    let under = skin.point - skin.normal * 0.6;
    let (heat, hot) = (heat(context, under), temperature(context, under));
    if skin.cut {
        // Colder where the lava ends: a cut shows a rim.
        let inside = smoothstep(context.look.iso, 1.0, context.field.density(skin.point));
        let p = skin.point;
        let chilled = chilled(context, p);
        // Sheets that the flow drew out.
        let sheets = noise::fractal(v3(0.3 * p.x, 1.1 * p.y, 0.3 * p.z) * (1.0 / context.land.unit), 3);
        let ragged = noise::gradient(p * (ROOF_GRAINS / context.land.unit));
        let over = context.field.density(p + v3(0.0, ROOF_THICK, 0.0));
        let under = smoothstep(ROOF[0], ROOF[1], over + ROOF_RAGGED * ragged);
        let crust = roof(context, skin.normal, ragged) * (1.0 - under);
        if let Some(kelvin) = hot {
            let darker = KNOWN * (COLDER * chilled - SHEETS * sheets.min(0.0));
            let kelvin = lerp(0.75, 1.0, inside) * kelvin - darker;
            return body(context, lerp(kelvin.min(ROOFED), kelvin, under)) + crust;
        }
        let kelvin = lerp(lerp(820.0, 900.0, heat), lerp(960.0, 1090.0, heat), inside);
        let kelvin = kelvin - COLDER * chilled + SHEETS * sheets;
        return glowing(context, lerp(kelvin.min(ROOFED), kelvin, under)) + crust;
    }
    // Margins are thin and cool first: they frame the tongue with crust.
    let thickness = skin.point.y - context.land.block.floor_below(skin.point);
    let surface = context.ember.crust(skin.point);
    let margin = lerp(0.55, 1.0, smoothstep(0.0, 1.8, thickness));
    let under = UNDER * smoothstep(LIQUID[0], LIQUID[1], hot.unwrap_or(0.0));
    let heat = surface.map_or(heat * margin, |kelvin| youth(kelvin).max(under));
    let mut here = carried(context, (skin.point, skin.normal), heat);
    here.molten *= surface.map_or(1.0, cracked);
    let slope = here.slope - skin.normal * here.slope.dot(&skin.normal);
    let normal = unit_or_up(skin.normal - slope * (1.0 - 0.75 * here.molten));
    let crust_k = surface.unwrap_or(lerp(500.0, 760.0, heat * heat)) + 80.0 * (here.tone - 0.5) + 90.0 * here.grain
        - SKINNED * surface.map_or(0.0, youth);
    let open_k = lerp(OPEN_COLD, OPEN_HOT, heat) + 70.0 * here.grain;
    let emitted = match hot {
        // What is open is as hot as the lava, and no crust is hotter.
        Some(kelvin) => body(context, lerp(crust_k.min(kelvin), kelvin, here.molten * (2.0 - here.molten))),
        None => glowing(context, lerp(crust_k, open_k, here.molten)),
    };
    emitted + lit(context, skin, normal, &Crust { here, youth: surface.map(youth) })
}

/// How near cut lava is to its bed, 0..1, by the lava at three depths below it: the beds of single columns would show.
fn chilled(context: &ShadeContext, p: V3) -> f32 {
    let lava = |part: f32| context.field.density(p - v3(0.0, CHILLED * part, 0.0));
    1.0 - [0.33, 0.67, 1.0].iter().map(|&part| smoothstep(BEDDED[0], BEDDED[1], lava(part))).sum::<f32>() / 3.0
}

/// Sun and sky on the cut crust over lava.
fn roof(context: &ShadeContext, normal: V3, ragged: f32) -> V3 {
    let sky = context.sky;
    let light = sky.ambient(normal) + sky.sun_color * saturate(normal.dot(&sky.sun));
    times(ROOF_TINT, light) * (1.0 + ragged)
}

/// Light that leaves cold, broken crust towards the eye. `relief`: its height, 1 usual.
pub(crate) fn broken(context: &ShadeContext, skin: &Skin, relief: f32) -> V3 {
    let here = rubble(context, skin.point);
    let slope = here.slope - skin.normal * here.slope.dot(&skin.normal);
    lit(context, skin, unit_or_up(skin.normal - slope * (1.3 * relief)), &Crust { here, youth: None })
}

/// Light of a body whose temperature is known.
pub(crate) fn body(context: &ShadeContext, kelvin: f32) -> V3 {
    glowing(context, kelvin) * red_hot(kelvin)
}

fn glowing(context: &ShadeContext, kelvin: f32) -> V3 {
    context.blackbody.shown(kelvin) * BRIGHT
}

/// Crust under light.
struct Crust {
    here: Pattern,
    /// How young it is, 0 to 1, where that is known.
    youth: Option<f32>,
}

/// Sun, sky and neighbouring glow on the crust.
fn lit(context: &ShadeContext, skin: &Skin, normal: V3, &Crust { here, youth }: &Crust) -> V3 {
    let (sky, p) = (context.sky, skin.point);
    let open = context.open_on(p, skin.normal);
    let sun = sky.sun_color * (saturate(normal.dot(&sky.sun)) * open);
    let ember = glowing(context, 1150.0) * (LIT * context.look.lava_light * context.ember.at(p, normal));
    let tint =
        mix(v3(0.015, 0.015, 0.016), v3(0.040, 0.039, 0.040), saturate(here.tone * 0.7 + 0.15 + 0.25 * here.grain));
    let tint =
        youth.map_or(tint, |youth| mix(tint, DULL * (0.5 + here.tone + 0.4 * here.grain), DULLED * (1.0 - youth)));
    let shines = youth.map_or(1.0, |youth| lerp(SHINES[0], SHINES[1], youth));
    let crust = 1.0 - here.molten;
    let matte = times(tint, sun + sky.ambient(normal) + ember) * crust;
    let half = unit_or_up(sky.sun - skin.view);
    let gloss = times(sky.sun_color, V3::repeat(saturate(normal.dot(&half)).powi(24) * 0.10)) * (crust * shines);
    let mirror = skin.view - normal * (2.0 * skin.view.dot(&normal));
    let rim = (1.0 - saturate(-skin.view.dot(&normal))).powi(3) * SHEEN;
    matte + gloss * open + sky.reflected(mirror) * (rim * crust * shines)
}
