//! Shading of the lava's surface: dark crust plates that drift apart over a glowing interior.
//!
//! The share of crust grows as the energy per amount falls, and shrinks with the speed of the flow:
//! near the vent and in steep channels the skin is torn open, far away only a few cracks glow.
//! Where the surface temperature is known, that temperature decides instead: a young crust shines
//! and is torn open, an old crust is dull, dark and closed.

use crate::lava::blackbody::{kelvin, red_hot};
use crate::lava::plates::{Pattern, carried, rubble};
use crate::math::{V3, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::noise;
use crate::style::shading::ShadeContext;

// Look constants, chosen by eye; shaders read the same values by name.
/// Surface temperatures in kelvin at and below which a crust counts as old, and at and above which
/// as young.
pub const AGES: [f32; 2] = [620.0, 1120.0];
/// Surface temperatures in kelvin between which cracks open: none below the first, all above the
/// second.
pub const CRACKS: [f32; 2] = [480.0, 760.0];
/// Gloss of an old and of a young crust relative to a crust of unknown age.
pub const SHINES: [f32; 2] = [0.25, 2.2];
/// Albedo of an old crust, a gray in linear RGB.
pub const DULL: V3 = V3::new(0.034, 0.033, 0.033);
/// Weight of [`DULL`] in the colour of the oldest crust.
pub const DULLED: f32 = 0.6;

/// Fraction of the heat under an old crust that shows in its cracks.
pub const UNDER: f32 = 0.78;
/// Temperatures in kelvin of lava that just moves under its crust, and that moves freely.
pub const LIQUID: [f32; 2] = [1000.0, 1280.0];
/// Temperature of openings in cold lava, in kelvin.
pub const OPEN_COLD: f32 = 910.0;
/// Temperature of openings in the hottest lava, in kelvin.
pub const OPEN_HOT: f32 = 1300.0;
/// Difference in kelvin by which a young crust between cracks is colder than the mean of its
/// surface.
pub const SKINNED: f32 = 150.0;
/// Fraction of the lava's light that its own crust receives.
pub const LIT: f32 = 0.20;
/// Reflectance of a crust for the sky at a grazing angle.
pub const SHEEN: f32 = 0.20;
/// Brightness of open lava relative to the display colour of its temperature.
pub const BRIGHT: f32 = 1.7;

/// Depth of the chilled layer over the bed of cut lava, in cells.
pub const CHILLED: f32 = 2.5;
/// Densities (0 to 1) of lava below a cut point between which the bed fades from near to far.
pub const BEDDED: [f32; 2] = [0.2, 0.9];
/// Cooling of cut lava at its bed, in kelvin.
pub const COLDER: f32 = 130.0;
/// Amplitude in kelvin by which the sheets of cut lava differ.
pub const SHEETS: f32 = 190.0;
/// Factor of [`COLDER`] and [`SHEETS`] where the temperature of the lava is known.
pub const KNOWN: f32 = 0.7;

/// Thickness of the crust over cut lava, in cells.
pub const ROOF_THICK: f32 = 1.1;
/// Densities at [`ROOF_THICK`] above a cut point between which the crust ends.
pub const ROOF: [f32; 2] = [0.25, 0.6];
/// Amplitude by which the underside of the crust is ragged, in density.
pub const ROOF_RAGGED: f32 = 0.3;
/// Waves of that raggedness per pattern unit.
pub const ROOF_GRAINS: f32 = 0.9;
/// Albedo of the crust of cut lava, linear RGB.
pub const ROOF_TINT: V3 = V3::new(0.036, 0.033, 0.031);
/// Highest temperature of the crust of cut lava, in kelvin.
pub const ROOFED: f32 = 760.0;

/// Youth of a crust, 0 (old) to 1 (young), by its surface temperature `kelvin` (K).
pub(crate) fn youth(kelvin: f32) -> f32 {
    smoothstep(AGES[0], AGES[1], kelvin)
}

/// Crack width factor, 0 to 1, by the surface temperature `kelvin` (K).
pub(crate) fn cracked(kelvin: f32) -> f32 {
    smoothstep(CRACKS[0], CRACKS[1], kelvin)
}

/// Point of the lava's surface that is shaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skin {
    /// Position in cells.
    pub(crate) point: V3,
    /// Outward unit normal.
    pub(crate) normal: V3,
    /// Direction of the ray from the eye.
    pub(crate) view: V3,
    /// Set if a side of the box, or of its shown part, cuts through the lava: the interior has no
    /// crust.
    pub(crate) cut: bool,
}

/// Heat of the lava at `p` (cells): 0 (cold, closed) to 1 (as at the vent, or hotter).
pub(crate) fn heat(context: &ShadeContext, p: V3) -> f32 {
    let [cold, hot] = context.look.heat;
    saturate((context.field.specific_energy(p) - cold) / (hot - cold))
}

/// Temperature in kelvin of the lava at `p` (cells); `None` if the look gives no temperature range.
pub(crate) fn temperature(context: &ShadeContext, p: V3) -> Option<f32> {
    context
        .look
        .kelvin
        .map(|range| kelvin(range, context.field.specific_energy(p)))
}

/// Linear RGB light from the lava's surface towards the eye.
pub(crate) fn shade(context: &ShadeContext, skin: &Skin) -> V3 {
    // Energy is steadier just under the surface than in the thin outermost density.
    let under = skin.point - skin.normal * 0.6;
    let (heat, hot) = (heat(context, under), temperature(context, under));
    if skin.cut {
        // Lava is colder where it ends, so that a cut shows a rim.
        let inside = smoothstep(context.look.iso, 1.0, context.field.density(skin.point));
        let p = skin.point;
        let chilled = chilled(context, p);
        // Noise stretched along the horizontal: sheets that the flow drew out.
        let sheets = noise::fractal(
            v3(0.3 * p.x, 1.1 * p.y, 0.3 * p.z) * (1.0 / context.land.unit),
            3,
        );
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
    let crust_k = surface.unwrap_or(lerp(500.0, 760.0, heat * heat))
        + 80.0 * (here.tone - 0.5)
        + 90.0 * here.grain
        - SKINNED * surface.map_or(0.0, youth);
    let open_k = lerp(OPEN_COLD, OPEN_HOT, heat) + 70.0 * here.grain;
    let emitted = match hot {
        // Open lava is as hot as the inside, and no crust is hotter.
        Some(kelvin) => body(
            context,
            lerp(
                crust_k.min(kelvin),
                kelvin,
                here.molten * (2.0 - here.molten),
            ),
        ),
        None => glowing(context, lerp(crust_k, open_k, here.molten)),
    };
    emitted
        + lit(
            context,
            skin,
            normal,
            &Crust {
                here,
                youth: surface.map(youth),
            },
        )
}

/// Closeness of cut lava at `p` (cells) to its bed, 0 to 1.
// Lava at three depths decides, because the beds of single columns would show as darker boxes.
fn chilled(context: &ShadeContext, p: V3) -> f32 {
    let lava = |part: f32| context.field.density(p - v3(0.0, CHILLED * part, 0.0));
    1.0 - [0.33, 0.67, 1.0]
        .iter()
        .map(|&part| smoothstep(BEDDED[0], BEDDED[1], lava(part)))
        .sum::<f32>()
        / 3.0
}

/// Linear RGB light of sun and sky reflected by the cut crust over lava.
fn roof(context: &ShadeContext, normal: V3, ragged: f32) -> V3 {
    let sky = context.sky;
    let light = sky.ambient(normal) + sky.sun_color * saturate(normal.dot(&sky.sun));
    times(ROOF_TINT, light) * (1.0 + ragged)
}

/// Linear RGB light from cold, broken crust towards the eye. `relief` scales the crust's height; 1
/// is usual.
pub(crate) fn broken(context: &ShadeContext, skin: &Skin, relief: f32) -> V3 {
    let here = rubble(context, skin.point);
    let slope = here.slope - skin.normal * here.slope.dot(&skin.normal);
    lit(
        context,
        skin,
        unit_or_up(skin.normal - slope * (1.3 * relief)),
        &Crust { here, youth: None },
    )
}

/// Linear RGB light of a body of temperature `kelvin` (K); 0 below the onset of glow.
pub(crate) fn body(context: &ShadeContext, kelvin: f32) -> V3 {
    glowing(context, kelvin) * red_hot(kelvin)
}

/// Linear RGB light of lava of temperature `kelvin` (K), without the lower limit of glow.
fn glowing(context: &ShadeContext, kelvin: f32) -> V3 {
    context.blackbody.shown(kelvin) * BRIGHT
}

/// Crust properties for reflected light.
struct Crust {
    /// Pattern at the point.
    here: Pattern,
    /// Youth, 0 to 1; `None` where the surface temperature is unknown.
    youth: Option<f32>,
}

/// Linear RGB light of sun, sky and neighbouring lava reflected by the crust.
fn lit(context: &ShadeContext, skin: &Skin, normal: V3, &Crust { here, youth }: &Crust) -> V3 {
    let (sky, p) = (context.sky, skin.point);
    let open = context.open_on(p, skin.normal);
    let sun = sky.sun_color * (saturate(normal.dot(&sky.sun)) * open);
    let ember =
        glowing(context, 1150.0) * (LIT * context.look.lava_light * context.ember.at(p, normal));
    let tint = mix(
        v3(0.015, 0.015, 0.016),
        v3(0.040, 0.039, 0.040),
        saturate(here.tone * 0.7 + 0.15 + 0.25 * here.grain),
    );
    let tint = youth.map_or(tint, |youth| {
        mix(
            tint,
            DULL * (0.5 + here.tone + 0.4 * here.grain),
            DULLED * (1.0 - youth),
        )
    });
    let shines = youth.map_or(1.0, |youth| lerp(SHINES[0], SHINES[1], youth));
    let crust = 1.0 - here.molten;
    let matte = times(tint, sun + sky.ambient(normal) + ember) * crust;
    let half = unit_or_up(sky.sun - skin.view);
    let gloss = times(
        sky.sun_color,
        V3::repeat(saturate(normal.dot(&half)).powi(24) * 0.10),
    ) * (crust * shines);
    let mirror = skin.view - normal * (2.0 * skin.view.dot(&normal));
    let rim = (1.0 - saturate(-skin.view.dot(&normal))).powi(3) * SHEEN;
    matte + gloss * open + sky.reflected(mirror) * (rim * crust * shines)
}
