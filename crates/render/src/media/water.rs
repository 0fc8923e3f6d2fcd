//! Shading of clear liquids: a surface that reflects sky and sun, and a body that absorbs light.
//! Water absorbs red first, then green; coloured liquids absorb every colour except their own.

use crate::camera::Ray;
use crate::ground::lava_glow::{KELVIN, STRENGTH};
use crate::math::{V3, lerp, mix, saturate, smoothstep, unit_or_up, v3};
use crate::media::clear::{Clear, LEAST};
use crate::media::liquid::Liquid;
use crate::noise;
use crate::style::shading::ShadeContext;
use crate::volume::field::MediumField;
use lavoxel_automaton::view::MaterialLook;

// Look constants without a named source are chosen by eye.

/// Factor on the reflectance of a liquid's surface inside another liquid, where the refractive
/// indices differ less than in air.
pub const SUBMERGED: f32 = 0.15;
/// Path length in cells up to which a body of liquid counts as a drop or a thin stream, which
/// gathers light from all sides like a lens.
pub const DROP: f32 = 3.0;
/// Fraction of the skylight on a drop that the drop sends towards the camera.
pub const GATHERED: f32 = 0.9;
/// Fraction of the sunlight on a drop that the drop sends towards the camera.
pub const GATHERED_OF_SUN: f32 = 0.22;
/// Lower and upper bound of the reflectance with which a drop is drawn.
pub const OF_DROP: [f32; 2] = [0.2, 0.6];
/// Distances in cells, sideways and down from a point of a liquid's surface, at which the same
/// liquid is looked for; if it is there, the surface belongs to a body of liquid and not to a drop.
pub const LIES: [f32; 2] = [4.0, 2.5];
/// Brightness of wet rock relative to dry rock, for red, green and blue.
pub const WET: V3 = V3::new(0.62, 0.66, 0.70);
/// Reflectance of water at normal incidence.
pub const STRAIGHT: f32 = 0.02;
/// Amplitude of the slope of the ripples on a liquid (height per distance).
pub const RIPPLES: f32 = 0.04;
/// Factor from the slope of the ripples to the slope of the swell, on a liquid whose waves are
/// higher than usual.
pub const SWELL: f32 = 1.1;
/// Water depth in pattern units (1/128 of the simulation box's longer side) below which high waves
/// break on a shore.
pub const BREAKS: f32 = 1.5;
/// Amplitude of the random variation of the water depth at which waves break, in pattern units
/// (1/128 of the simulation box's longer side); makes the edge of the surf ragged.
pub const SWASH: f32 = 1.2;
/// Distance from the camera in pattern units (1/128 of the simulation box's longer side) at which
/// ripples are drawn half as high, because ripples farther away are smaller than pixels.
pub const FADED: f32 = 260.0;
/// Displacement of the ripples per simulation step, in pattern units (1/128 of the simulation box's
/// longer side).
const PACE: f64 = 0.02;
/// Brightness of the reflected sun on a liquid, relative to sunlight on a surface.
pub const SUN: f32 = 14.0;
/// Exponent of the sun's specular highlight on a liquid.
pub const NARROW: i32 = 256;

/// Factor from the slope of the ripples to the slope of the short waves of a sea.
pub const CHOP: f32 = 0.7;
/// Factor on the squared distance in the fading of a sea's short waves, compared with the fading of
/// ripples.
pub const CHOPPY: f32 = 12.0;
/// Factor from the slope of the ripples to the slope of the waves of a sea that are smaller than a
/// pixel.
pub const SMALLER: f32 = 3.0;
/// Maximum slope of the waves of a sea that are smaller than a pixel.
pub const ROUGHEST: f32 = 0.22;
/// Frequency of the gusts of wind that vary the waves, per pattern unit (1/128 of the simulation
/// box's longer side).
pub const GUSTS: f32 = 0.011;
/// Widening of the sun's highlight on a liquid, per unit of slope of those waves that are smaller
/// than a pixel.
pub const WIDER: f32 = 40.0;

/// Brightness of lava that is reflected in a liquid, relative to the lava's light on a surface.
pub const MIRRORED: f32 = 2.2;
/// Fade-in of the reflection of lava on level surfaces of a liquid: vertical components of the unit
/// normal at which the reflection begins to show and at which it is complete.
pub const TILTED: [f32; 2] = [0.75, 0.97];
/// Foam where gas is next to a liquid's surface: densities (0 to 1) of the gas at which foam begins
/// and at which it covers the whole surface.
pub const FOAM: [f32; 2] = [0.06, 0.5];
/// Fraction of a drop's surface that foam covers.
pub const SPRAY: f32 = 0.8;

/// Depth of a point in a liquid that a plane cuts open: heights in cells above the point at which
/// the liquid's density is read, each with the length in cells that the sample represents.
pub const OVER: [(f32, f32); 4] = [(1.0, 2.0), (3.5, 3.0), (7.5, 5.0), (13.5, 7.0)];
/// Brightness of a liquid in a plane that cuts it open, directly below the liquid's surface, as a
/// factor on the light of a deep body of the liquid.
pub const UNDER: f32 = 4.2;
/// Extinction per cell width of depth in a liquid that a plane cuts open: for all colours, and in
/// addition for the colour that the liquid absorbs most.
pub const SINKS: [f32; 2] = [0.065, 0.14];
/// Density (0 to 1) above a point of a cut liquid at or above which the liquid is taken to continue
/// upwards.
pub const ENDS: f32 = 0.6;
/// Lower bound of the density (0 to 1) that a liquid is assumed to have inside rock above the
/// liquid.
pub const UNDER_ROCK: f32 = 0.22;
/// Amplitude of the brightness variation by shafts of sunlight in a liquid that a plane cuts open.
pub const SHAFTS: f32 = 0.35;
/// Number of shafts of sunlight in a liquid per pattern unit (1/128 of the simulation box's longer
/// side).
pub const APART: f32 = 0.24;
/// Brightness, by skylight and by sunlight, of the line in which a liquid's surface meets a plane
/// that cuts the liquid open.
pub const EDGE: [f32; 2] = [0.17, 0.06];
/// Fade-in of the bright line of a liquid's surface in a plane that cuts the liquid open: densities
/// (0 to 1) of the liquid at which the line begins to show and at which it shows fully.
pub const EDGE_ENDS: [f32; 2] = [0.64, 0.54];
/// Height in cell widths above a point of a cut liquid at which there must be no liquid for the
/// bright line of the surface to be drawn.
pub const OPEN_OVER: f32 = 1.5;
/// Factors on the brightness of the ground below water with caustics: between the lines of the
/// caustics, and on the lines.
pub const NET: [f32; 2] = [0.94, 1.36];
/// Frequency of the caustics' network of lines, per pattern unit (1/128 of the simulation box's
/// longer side).
pub const MESHES: f32 = 0.17;

/// Reflection at a liquid's surface: arriving light and reflectance.
pub struct Surface {
    /// Linear RGB light that arrives at the surface from the reflected direction.
    pub(crate) mirrored: V3,
    /// Reflectance of the surface, 0 to 1.
    pub(crate) share: f32,
}

/// Returns the light that a liquid's surface reflects towards the camera at the point `p` (cells)
/// with the unit normal `normal`; `rough`: slope of waves smaller than a pixel.
pub(crate) fn surface(
    context: &ShadeContext,
    ray: &Ray,
    p: V3,
    (normal, rough): (V3, f32),
) -> Surface {
    let view = context.view(ray);
    let facing = saturate(-view.dot(&normal));
    // The visible small waves are the ones that face the eye.
    let turned = facing.hypot(rough);
    let share = STRAIGHT + (1.0 - STRAIGHT) * (1.0 - turned.min(1.0)).powi(5);
    let mut mirror = view + normal * (2.0 * facing);
    // Ripples send no ray down into the water.
    mirror.y = mirror.y.max(0.02 * saturate(normal.y)) + rough;
    let mirror = unit_or_up(mirror);
    let sky = context.sky;
    let open = context.open(p);
    let wide = 1.0 / (1.0 + WIDER * rough);
    let glint = saturate(mirror.dot(&sky.sun)).powf(NARROW as f32 * wide) * SUN * wide * open;
    // A surface tilted by a shore or a fall would mirror nothing but lava.
    let level = smoothstep(TILTED[0], TILTED[1], normal.y);
    let lava = lava_light(context) * (MIRRORED * level * context.ember.mirrored(p, mirror));
    Surface {
        mirrored: sky.reflected(mirror) + sky.sun_color * glint + lava,
        share,
    }
}

/// Returns the reflected light (linear RGB) and the reflectance of a body of liquid at the point
/// `p` (cells) that is a drop to the degree `small` (0 to 1); `mirrored` and `share`: light and
/// reflectance of a plain surface. A drop gathers light from around, without which it would have a
/// dark rim.
pub(crate) fn of_drop(
    context: &ShadeContext,
    p: V3,
    small: f32,
    (mirrored, share): (V3, f32),
) -> (V3, f32) {
    if small <= 0.0 {
        return (mirrored, share);
    }
    let sky = context.sky;
    let sun = sky.sun_color * (GATHERED_OF_SUN * context.open(p));
    let gathered = sky.ambient(V3::y()) * GATHERED + sun;
    let bright = mirrored.zip_map(&gathered, f32::max);
    (
        mix(mirrored, bright, small),
        lerp(share, share.clamp(OF_DROP[0], OF_DROP[1]), small),
    )
}

/// Returns the linear RGB light on a surface on which the lava's light has the strength 1.
fn lava_light(context: &ShadeContext) -> V3 {
    context.blackbody.shown(KELVIN) * (STRENGTH * context.look.lava_light)
}

/// Returns the outward unit normal (in true proportions) of a liquid's surface at the point `p`
/// (cells), from density differences over ±0.8 cells. Wider differences would read densities below
/// the ground of shallow water.
pub(crate) fn level(field: &MediumField, p: V3) -> V3 {
    field.upright(field.gradient(p, 0.8))
}

/// Returns the fraction (0 to 1) of a liquid's surface at the point `p` (cells) that foam covers.
/// `gas`: density of gas next to the surface; `small`: degree (0 to 1) to which the body of liquid
/// is a drop.
pub(crate) fn foam(
    context: &ShadeContext,
    look: &MaterialLook,
    (p, normal): (V3, V3),
    (gas, small): (f32, f32),
) -> f32 {
    let wanted = smoothstep(FOAM[0], FOAM[1], gas).max(surf(context, look, p, normal));
    let wanted = wanted.max(SPRAY * small * saturate(look.waves));
    if wanted <= 0.0 {
        return 0.0;
    }
    // Sparse foam is torn into flecks.
    let torn = 0.5
        + 0.6
            * noise::fractal(
                p * 1.7 + v3(0.0, 0.3 * ripples_moved(context.steps), 0.0),
                4,
            );
    smoothstep(
        0.06,
        0.75,
        wanted - 0.75 * (1.0 - wanted) * saturate(1.0 - torn),
    ) * 0.85
}

/// Returns the fraction (0 to 1) of a liquid's surface at the point `p` (cells) that surf covers:
/// high waves break in shallow water, in lines that appear and vanish with the steps.
fn surf(context: &ShadeContext, look: &MaterialLook, p: V3, normal: V3) -> f32 {
    let high = wild(look) * smoothstep(0.6, 0.8, normal.y);
    let unit = context.land.unit;
    let depth = (p.y - context.land.floor_below(p)) / unit;
    if high <= 0.0 || depth >= BREAKS + SWASH {
        return 0.0;
    }
    let q = p / unit;
    let moved = ripples_moved(context.steps);
    let swash = noise::fractal(v3(0.30 * q.x, 1.7 * moved, 0.30 * q.z), 2);
    let flecks = saturate(0.62 + 0.9 * noise::fractal(v3(1.1 * q.x, 0.9 * moved, 1.1 * q.z), 2));
    high * smoothstep(BREAKS, 0.2, depth + SWASH * swash) * flecks
}

/// Returns the excess (0 to 1) of the wave height in `look` over the usual height: 0 up to the
/// usual height, 1 from three times the usual height.
fn wild(look: &MaterialLook) -> f32 {
    saturate(0.5 * (look.waves - 1.0))
}

/// Returns the linear RGB light that foam at the point `p` (cells), on a surface with the unit
/// normal `normal`, scatters towards the camera.
pub(crate) fn foam_light(context: &ShadeContext, p: V3, normal: V3) -> V3 {
    let sky = context.sky;
    let facing = saturate(0.25 + 0.75 * normal.dot(&sky.sun)) * context.open(p);
    let lava = lava_light(context) * (0.3 * context.ember.at(p, V3::y()));
    (sky.sun_color * (0.35 * facing) + sky.ambient(normal) * 0.6 + lava) * 0.9
}

/// Returns the light (RGB) at the point `p` (cells) in a liquid that a side of the simulation box
/// cuts open, relative to the light at the liquid's surface: decreasing downwards, with shafts of
/// sunlight.
pub(crate) fn sunk(context: &ShadeContext, Clear { field, liquid, .. }: &Clear, p: V3) -> V3 {
    let (mut depth, mut reach) = (0.0, 1.0);
    for (away, length) in OVER {
        let above = p + v3(0.0, away, 0.0);
        let here = field.density(above).min(1.0);
        // Rock on top hides the sky, but the liquid reaches out from under the rock: the depth
        // counts through it. Matter that hangs in the air above does not count.
        let is_rock = context.land.block.floor_below(above) > above.y;
        // The upper end of the liquid is soft: otherwise the steps of the column would show.
        reach *= if is_rock {
            1.0
        } else {
            smoothstep(LEAST, ENDS, here)
        };
        if reach <= 0.0 {
            break;
        }
        depth += length * reach * if is_rock { here.max(UNDER_ROCK) } else { here };
    }
    let depth = depth * context.look.cell_height;
    let sun = context.sky.sun;
    let aside = depth / sun.y.max(0.3) * 0.75;
    let moved = ripples_moved(context.steps);
    let (x, z) = (p.x + sun.x * aside, p.z + sun.z * aside);
    let scale = APART / context.land.unit;
    let shafts = noise::gradient(v3(x * scale + moved, 0.4, z * scale - 0.6 * moved));
    let sinks = liquid.absorbed * (SINKS[1] / liquid.absorbed.max().max(1e-4));
    sinks.map(|by_color| (-depth * (SINKS[0] + by_color)).exp() * UNDER * (1.0 + SHAFTS * shafts))
}

/// Returns the linear RGB light of the bright line in which a liquid's surface meets a side of the
/// simulation box that cuts the liquid open, at the point `p` (cells) where the liquid has the
/// density `density`; 0 below another liquid.
pub(crate) fn edge(context: &ShadeContext, p: V3, density: f32) -> V3 {
    let over = p + v3(0.0, OPEN_OVER / context.look.cell_height, 0.0);
    let seen = smoothstep(EDGE_ENDS[0], EDGE_ENDS[1], density);
    if seen <= 0.0
        || context
            .clear
            .iter()
            .any(|clear| clear.field.density(over) > 0.3)
    {
        return V3::zeros();
    }
    (context.sky.ambient(V3::y()) * EDGE[0] + context.sky.sun_color * (EDGE[1] * context.open(p)))
        * seen
}

/// Returns the factor by which caustics of ripples change the brightness of the ground at the point
/// `p` (cells) below a liquid.
pub(crate) fn net(context: &ShadeContext, p: V3) -> f32 {
    let q = p * (MESHES / context.land.unit);
    let moved = ripples_moved(context.steps);
    let one = 1.0 - noise::gradient(v3(q.x + 1.3 * moved, 0.5 * q.y, q.z + 0.4 * moved)).abs();
    let other = 1.0
        - noise::gradient(v3(
            1.6 * q.z - 0.8 * moved,
            0.5 * q.y + 3.0,
            1.6 * q.x + moved,
        ))
        .abs();
    let lines = (one * other).powi(5);
    let lit = context.open(p) * saturate(0.7 * context.sky.sun_color.y);
    lerp(1.0, lerp(NET[0], NET[1], lines), lit)
}

/// Returns the linear RGB light that a very deep body of `liquid` scatters back towards the camera
/// at the point `p` (cells).
pub(crate) fn scattered(context: &ShadeContext, liquid: &Liquid, p: V3) -> V3 {
    let sky = context.sky;
    let open = context.open(p);
    let sun = sky.sun_color * (saturate(sky.sun.y) * open * 0.15);
    let lava = lava_light(context) * context.ember.at(p, V3::y());
    (sky.ambient(V3::y()) + sun).component_mul(&liquid.deep) + lava.component_mul(&liquid.warmed)
}

/// Returns the unit normal `normal` of a liquid's surface at the point `p` (cells) with ripples
/// added, which move with the simulation steps and flatten with the distance `t` (cell widths) from
/// the camera.
pub(crate) fn rippled(
    context: &ShadeContext,
    look: &MaterialLook,
    p: V3,
    normal: V3,
    t: f32,
) -> V3 {
    let far = t / (FADED * context.land.unit);
    let height = RIPPLES * look.waves / (1.0 + far * far);
    if height <= 0.0 {
        return normal;
    }
    let q = p / context.land.unit;
    // Two patterns of gradient noise that move against each other.
    let moved = ripples_moved(context.steps);
    let broad = v3(0.35 * q.x + moved, 0.2 * q.y, 0.35 * q.z + 0.3 * moved);
    let fine = v3(
        0.9 * q.x - 0.7 * moved,
        0.2 * q.y + 7.0,
        0.9 * q.z + 1.1 * moved,
    );
    let long = v3(0.11 * q.x - 0.4 * moved, 0.0, 0.16 * q.z + 0.4 * moved);
    let swell = SWELL * wild(look);
    let chop = if context.sea.is_some() {
        CHOP / (1.0 + CHOPPY * far * far)
    } else {
        0.0
    };
    let short = v3(2.3 * q.x + 1.7 * moved, 3.0, 2.3 * q.z - 0.9 * moved);
    let along = |shift: f32| {
        let shift = V3::repeat(shift);
        let mut ripples = noise::gradient(broad + shift) + 0.6 * noise::gradient(fine + shift);
        if chop > 0.01 {
            ripples += chop
                * (noise::gradient(short + shift) + 0.5 * noise::gradient(short * 2.2 + shift));
        }
        if swell > 0.0 {
            ripples + swell * noise::gradient(long + shift)
        } else {
            ripples
        }
    };
    unit_or_up(normal + v3(along(0.0), 0.0, along(31.7)) * height)
}

/// Returns the slope of those waves of a sea that are smaller than a pixel, at the point `p`
/// (cells), which is `t` cell widths away from the camera; 0 if the look has no sea.
pub(crate) fn roughness(context: &ShadeContext, look: &MaterialLook, p: V3, t: f32) -> f32 {
    if context.sea.is_none() {
        return 0.0;
    }
    let far = t / (FADED * context.land.unit);
    let lost = far * far / (1.0 + far * far);
    let q = p / context.land.unit;
    let moved = ripples_moved(context.steps);
    let gust = noise::fractal(
        v3(GUSTS * q.x + 0.02 * moved, 0.01 * moved, 2.2 * GUSTS * q.z),
        3,
    );
    (SMALLER * RIPPLES * look.waves * lost).min(ROUGHEST) * (1.0 + 0.9 * gust).max(0.2)
}

/// Returns the displacement of the ripples after `steps` simulation steps, in pattern units (1/128
/// of the simulation box's longer side); restarts at 0 after 4096 units, which keeps the precision
/// of `f32`.
pub fn ripples_moved(steps: f64) -> f32 {
    (steps * PACE).rem_euclid(4096.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_samples_are_farther_apart_and_darker() {
        assert!(SINKS.iter().all(|sinks| *sinks > 0.0));
        assert!(
            OVER.windows(2)
                .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)
        );
    }
}
