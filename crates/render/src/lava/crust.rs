//! Shading of the lava's surface: dark crust plates that drift apart above a glowing interior.
//!
//! The fraction of crust grows as the energy per amount falls, and shrinks with the speed of the
//! flow: near the vent and in steep channels the crust is torn open, far away only a few cracks
//! glow. If the surface temperature of the lava is known, it decides instead: a young crust shines
//! and is torn open, an old crust is dull, dark and closed.

use crate::lava::age::{cracked, youth};
use crate::lava::blackbody::{kelvin, red_hot};
use crate::lava::plates::{Pattern, carried, rubble, streaks};
use crate::math::{V3, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::noise;
use crate::style::shading::ShadeContext;

/// Factors on the gloss of an old and of a young crust, relative to a crust of unknown surface
/// temperature.
pub const SHINES: [f32; 2] = [0.25, 2.2];
/// Albedo of an old crust, linear RGB grey.
pub const DULL: V3 = V3::new(0.034, 0.033, 0.033);
/// Weight (0 to 1) of the colour `DULL` in the albedo of a fully old crust.
pub const DULLED: f32 = 0.6;

/// Minimum heat (0 to 1) with which the crust's pattern is drawn above freely flowing lava, even if
/// the crust is old.
pub const UNDER: f32 = 0.78;
/// Flow of lava below its crust by temperature: kelvin at and below which the lava is stiff, and at
/// and above which it flows freely; smooth between.
pub const LIQUID: [f32; 2] = [1000.0, 1280.0];
/// Temperature in kelvin of the lava in open cracks of the crust at the heat 0 (coldest lava).
pub const OPEN_COLD: f32 = 910.0;
/// Temperature in kelvin of the lava in open cracks of the crust at the heat 1 (hottest lava).
pub const OPEN_HOT: f32 = 1300.0;
/// Difference in kelvin between the mean surface temperature, which includes the cracks, and the
/// colder plates of a young crust.
pub const SKINNED: f32 = 150.0;
/// Factor on the lava's light where it falls on the lava's own crust, relative to its light on the
/// surroundings.
pub const LIT: f32 = 0.20;
/// Reflectance of the crust for skylight at grazing incidence.
pub const SHEEN: f32 = 0.20;
/// Brightness of glowing lava, relative to the display colour of its temperature.
pub const BRIGHT: f32 = 1.7;

// The numbers of `by_degrees` were found by trying them against photographs of channels at dusk.
/// Openness before streaks: offset, and shares of heat, speed and distance from the margin.
pub const OPENS: [f32; 4] = [-0.80, 0.95, 0.26, 0.50];
/// Distance from the margin (0 to 1) at which it neither opens nor closes the surface.
pub const AT_MARGIN: f32 = 0.7;
/// Shares of broad and of fine streaks in the openness, and of rafts of crust.
pub const STREAKS: [f32; 3] = [0.62, 0.40, 0.34];
/// Openness at which a surface is closed, and at which it is open; smooth between.
pub const BETWEEN: [f32; 2] = [-0.22, 0.70];
/// Temperatures in kelvin of a closed surface at the heat 0 and 1.
pub const CLOSED_K: [f32; 2] = [430.0, 830.0];
/// Temperatures in kelvin of an open surface at the heat 0 and 1.
pub const OPEN_K: [f32; 2] = [1090.0, 1320.0];
/// Temperatures in kelvin of cracks in a closed surface at the heat 0 and 1.
pub const CRACK_K: [f32; 2] = [980.0, 1240.0];

/// Thickness in cells of the chilled zone at the bottom of lava, seen where a plane cuts the lava
/// open.
pub const CHILLED: f32 = 2.5;
/// Closeness to the lava's bottom in a cut plane: densities (0 to 1) of lava sampled below a point,
/// at and below which the bottom is near, and at and above which it is far; smooth between.
pub const BEDDED: [f32; 2] = [0.2, 0.9];
/// Difference in kelvin by which lava is colder at its bottom than in its interior, in a plane that
/// cuts the lava open.
pub const COLDER: f32 = 130.0;
/// Amplitude in kelvin of the temperature variation between sheets of lava in a plane that cuts the
/// lava open.
pub const SHEETS: f32 = 190.0;
/// Factor on `COLDER` and `SHEETS` if the temperature of the lava is known.
pub const KNOWN: f32 = 0.7;

/// Thickness in cells of the crust on top of lava, seen where a plane cuts the lava open.
pub const ROOF_THICK: f32 = 1.1;
/// Detection of the crust in a cut plane: densities (0 to 1) of the lava `ROOF_THICK` cells above a
/// point, at and below which the point is in the crust, and at and above which it is in the
/// interior; smooth between.
pub const ROOF: [f32; 2] = [0.25, 0.6];
/// Amplitude of the noise that makes the underside of the crust ragged where a plane cuts the lava
/// open, in units of density (0 to 1).
pub const ROOF_RAGGED: f32 = 0.3;
/// Frequency of the noise that makes the underside of the crust ragged where a plane cuts the lava
/// open, in waves per pattern unit (1/128 of the simulation box's longer side).
pub const ROOF_GRAINS: f32 = 0.9;
/// Albedo (linear RGB) of the crust on top of lava where a plane cuts the lava open.
pub const ROOF_TINT: V3 = V3::new(0.036, 0.033, 0.031);
/// Upper bound in kelvin of the temperature of the crust on top of lava where a plane cuts the lava
/// open.
pub const ROOFED: f32 = 760.0;

/// Point of the lava's surface whose light is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skin {
    /// Position of the point in cells.
    pub(crate) point: V3,
    /// Outward unit normal of the surface.
    pub(crate) normal: V3,
    /// Unit direction of the camera's ray that meets the point.
    pub(crate) view: V3,
    /// Set if a side of the simulation box, or of its visible region, cuts the lava open at this
    /// point and shows the interior.
    pub(crate) cut: bool,
}

/// Returns the heat with which the lava at the point `p` (cells) is drawn: 0 (looks cold, crust
/// closed) to 1 (as hot as at the vent, or hotter).
pub(crate) fn heat(context: &ShadeContext, p: V3) -> f32 {
    let [cold, hot] = context.look.heat;
    saturate((context.field.specific_energy(p) - cold) / (hot - cold))
}

/// Returns the temperature in kelvin of the lava at the point `p` (cells); `None` if the look gives
/// no temperatures.
pub(crate) fn temperature(context: &ShadeContext, p: V3) -> Option<f32> {
    context
        .look
        .kelvin
        .map(|range| kelvin(range, context.field.specific_energy(p)))
}

/// Returns the linear RGB light from the point `skin` of the lava's surface towards the camera.
pub(crate) fn shade(context: &ShadeContext, skin: &Skin) -> V3 {
    let (heat, hot) = state(context, skin);
    if skin.cut {
        let Opened {
            emitted,
            crusted,
            ragged,
        } = opened(context, skin, (heat, hot));
        return emitted + roof(context, skin.normal, ragged) * crusted;
    }
    let Made {
        normal,
        emitted,
        crust,
    } = made(context, skin, (heat, hot));
    emitted + lit(context, skin, normal, &crust)
}

/// Returns the state of the lava just under the point `skin` of its surface: heat (0 to 1), and
/// temperature in kelvin if it is known.
pub(crate) fn state(context: &ShadeContext, skin: &Skin) -> (f32, Option<f32>) {
    // Energy is steadier just under the surface than in the thin outermost density.
    let under = skin.point - skin.normal * 0.6;
    (heat(context, under), temperature(context, under))
}

/// Lava that a plane cuts open, at a point of the plane.
pub(crate) struct Opened {
    /// Light that the lava emits, linear RGB.
    pub(crate) emitted: V3,
    /// Fraction (0 to 1) of the point that is crust, whose albedo is `ROOF_TINT`.
    pub(crate) crusted: f32,
    /// Noise (−1 to 1) that varies the brightness of the crust.
    pub(crate) ragged: f32,
}

/// Returns the lava that a plane cuts open at the point `skin`; (`heat`, `hot`): see `state`.
pub(crate) fn opened(
    context: &ShadeContext,
    skin: &Skin,
    (heat, hot): (f32, Option<f32>),
) -> Opened {
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
    let crusted = 1.0 - under;
    let emitted = if let Some(kelvin) = hot {
        let darker = KNOWN * (COLDER * chilled - SHEETS * sheets.min(0.0));
        let kelvin = lerp(0.75, 1.0, inside) * kelvin - darker;
        body(context, lerp(kelvin.min(ROOFED), kelvin, under))
    } else {
        let kelvin = lerp(lerp(820.0, 900.0, heat), lerp(960.0, 1090.0, heat), inside);
        let kelvin = kelvin - COLDER * chilled + SHEETS * sheets;
        glowing(context, lerp(kelvin.min(ROOFED), kelvin, under))
    };
    Opened {
        emitted,
        crusted,
        ragged,
    }
}

/// Surface of lava without the light that falls on it.
pub(crate) struct Made {
    /// Unit normal of the crust's relief.
    pub(crate) normal: V3,
    /// Light that the lava emits, linear RGB.
    pub(crate) emitted: V3,
    pub(crate) crust: Crust,
}

/// Returns the surface of the lava at the point `skin`, which no plane cuts open; (`heat`, `hot`):
/// see `state`.
pub(crate) fn made(context: &ShadeContext, skin: &Skin, (heat, hot): (f32, Option<f32>)) -> Made {
    // Margins are thin and cool first: they frame the tongue with crust.
    let thickness = skin.point.y - context.land.block.floor_below(skin.point);
    let surface = context.ember.crust(skin.point);
    let margin = lerp(0.55, 1.0, smoothstep(0.0, 1.8, thickness));
    let under = UNDER * smoothstep(LIQUID[0], LIQUID[1], hot.unwrap_or(0.0));
    let open_heat = surface.map_or(heat * margin, |kelvin| youth(kelvin).max(under));
    let mut here = carried(context, (skin.point, skin.normal), open_heat);
    here.molten *= surface.map_or(1.0, cracked);
    let slope = here.slope - skin.normal * here.slope.dot(&skin.normal);
    let normal = unit_or_up(skin.normal - slope * (1.0 - 0.75 * here.molten));
    let crust_k = surface.unwrap_or(lerp(500.0, 760.0, open_heat * open_heat))
        + 80.0 * (here.tone - 0.5)
        + 90.0 * here.grain
        - SKINNED * surface.map_or(0.0, youth);
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
        None if surface.is_some() => {
            let open_k = lerp(OPEN_COLD, OPEN_HOT, open_heat) + 70.0 * here.grain;
            glowing(context, lerp(crust_k, open_k, here.molten))
        }
        None => body(context, by_degrees(context, skin, (heat, thickness), &here)),
    };
    Made {
        normal,
        emitted,
        crust: Crust {
            here,
            youth: surface.map(youth),
        },
    }
}

/// Returns the temperature in kelvin of the lava's surface at the point `skin`, where the model does
/// not know it: it passes by degrees from the hot core of the flow to its dark margins, in streaks
/// along the flow. `heat`: see `state`; `thickness`: height of the point above the lava's floor in
/// cells; `here`: pattern of the crust, whose cracks glow.
// A surface either open or closed, as the pattern alone has it, looked like a web of neon tubes.
fn by_degrees(
    context: &ShadeContext,
    skin: &Skin,
    (heat, thickness): (f32, f32),
    here: &Pattern,
) -> f32 {
    let middle = smoothstep(0.0, 1.8, thickness);
    let streaks = streaks(context, (skin.point, skin.normal));
    let [shut, by_heat, by_speed, by_place] = OPENS;
    let [broad, fine, rafts] = STREAKS;
    let open = shut
        + by_heat * heat
        + by_speed * streaks.fast
        + by_place * (middle - AT_MARGIN)
        + broad * streaks.broad
        + fine * streaks.fine
        - rafts * (1.0 - here.molten);
    let open = smoothstep(BETWEEN[0], BETWEEN[1], open);
    let at = |range: [f32; 2]| lerp(range[0], range[1], heat);
    let closed = at(CLOSED_K) + 60.0 * here.grain;
    let crack = lerp(closed, at(CRACK_K), here.molten * (1.0 - open));
    lerp(closed, at(OPEN_K), open).max(crack)
}

/// Returns the closeness to the lava's bottom of the point `p` (cells) in a plane that cuts the
/// lava open: 0 (far) to 1 (at the bottom).
// Lava at three depths decides, because the beds of single columns would show as darker boxes.
fn chilled(context: &ShadeContext, p: V3) -> f32 {
    let lava = |part: f32| context.field.density(p - v3(0.0, CHILLED * part, 0.0));
    1.0 - [0.33, 0.67, 1.0]
        .iter()
        .map(|&part| smoothstep(BEDDED[0], BEDDED[1], lava(part)))
        .sum::<f32>()
        / 3.0
}

/// Returns the linear RGB light of sun and sky that the crust on top of lava reflects where a plane
/// with the unit normal `normal` cuts it. `ragged`: noise (−1 to 1) that varies the brightness.
fn roof(context: &ShadeContext, normal: V3, ragged: f32) -> V3 {
    let sky = context.sky;
    let light = sky.ambient(normal) + sky.sun_color * saturate(normal.dot(&sky.sun));
    times(ROOF_TINT, light) * (1.0 + ragged)
}

/// Returns the linear RGB light that a surface of broken, cold crust (rubble) at the point `skin`
/// reflects towards the camera. `relief`: factor on the height of the surface's relief.
pub(crate) fn broken(context: &ShadeContext, skin: &Skin, relief: f32) -> V3 {
    let here = rubble(context, skin.point);
    let normal = uneven(&here, skin.normal, relief);
    lit(context, skin, normal, &Crust { here, youth: None })
}

/// Returns the unit normal of rubble with the pattern `here` on a surface with the unit normal
/// `normal`; `relief`: factor on the height of the relief.
fn uneven(here: &Pattern, normal: V3, relief: f32) -> V3 {
    let slope = here.slope - normal * here.slope.dot(&normal);
    unit_or_up(normal - slope * (1.3 * relief))
}

/// Returns the unit normal and the albedo (linear RGB) of rubble at the point `p` (cells) of a
/// surface with the unit normal `normal`; `relief`: factor on the height of the relief.
pub(crate) fn rubbly(context: &ShadeContext, (p, normal): (V3, V3), relief: f32) -> (V3, V3) {
    let here = rubble(context, p);
    let normal = uneven(&here, normal, relief);
    (normal, Crust { here, youth: None }.albedo())
}

/// Returns the linear RGB light that lava at the temperature `kelvin` (K) emits; 0 below the
/// temperatures of visible glow.
pub(crate) fn body(context: &ShadeContext, kelvin: f32) -> V3 {
    glowing(context, kelvin) * red_hot(kelvin)
}

/// Returns the linear RGB light that lava at the temperature `kelvin` (K) emits, without the
/// fade-out below the temperatures of visible glow.
fn glowing(context: &ShadeContext, kelvin: f32) -> V3 {
    context.blackbody.shown(kelvin) * BRIGHT
}

/// Properties of the crust at a point that determine the reflected light.
pub(crate) struct Crust {
    /// Pattern of plates and cracks at the point.
    here: Pattern,
    /// Youth of the crust, 0 (old) to 1 (young); `None` if the surface temperature is unknown.
    youth: Option<f32>,
}

impl Crust {
    /// Returns the albedo of the crust, linear RGB.
    pub(crate) fn albedo(&self) -> V3 {
        let Self { here, youth } = *self;
        let tint = mix(
            v3(0.015, 0.015, 0.016),
            v3(0.040, 0.039, 0.040),
            saturate(here.tone * 0.7 + 0.15 + 0.25 * here.grain),
        );
        youth.map_or(tint, |youth| {
            mix(
                tint,
                DULL * (0.5 + here.tone + 0.4 * here.grain),
                DULLED * (1.0 - youth),
            )
        })
    }

    /// Returns the fraction (0 to 1) of the point that is open lava.
    pub(crate) fn molten(&self) -> f32 {
        self.here.molten
    }

    /// Returns the factor on the gloss of the crust.
    pub(crate) fn shines(&self) -> f32 {
        self.youth
            .map_or(1.0, |youth| lerp(SHINES[0], SHINES[1], youth))
    }
}

/// Returns the linear RGB light of sun, sky and neighbouring lava that the crust at the point
/// `skin` reflects towards the camera; `normal`: unit normal of the crust's relief.
fn lit(context: &ShadeContext, skin: &Skin, normal: V3, crust: &Crust) -> V3 {
    let (sky, p) = (context.sky, skin.point);
    let open = context.open_on(p, skin.normal);
    let sun = sky.sun_color * (saturate(normal.dot(&sky.sun)) * open);
    let ember =
        glowing(context, 1150.0) * (LIT * context.look.lava_light * context.ember.at(p, normal));
    let (tint, shines) = (crust.albedo(), crust.shines());
    let crust = 1.0 - crust.molten();
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
