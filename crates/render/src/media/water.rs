//! Clear liquids: a surface that mirrors sky and sun, and depth that takes the red and then the green out of what lies below
//! water, and out of what lies below other liquids all but their own colour.

use crate::camera::Ray;
use crate::ground::ember::{KELVIN, STRENGTH};
use crate::math::{V3, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::media::clear::{Clear, LEAST};
use crate::noise;
use crate::style::shading::ShadeContext;
use crate::volume::field::MediumField;
use lavoxel_automaton::view::MaterialLook;

/// Share of red, green and blue that a cell of water absorbs, as the exponent of its length.
const ABSORBED: V3 = V3::new(0.35, 0.07, 0.045);
/// Cells of a liquid with a colour of its own after which white light has that colour, and the ends of what a channel keeps.
const COLORED: f32 = 4.0;
const KEPT: [f32; 2] = [0.01, 0.98];
/// Shares of its colour that such a liquid sends back of the sky's light and of the lava's, and of those that a milky one does.
const SENT_BACK: f32 = 0.28;
const SENT_BACK_OF_LAVA: f32 = 0.05;
const MILKY: f32 = 0.5;
/// Least share of light that a cell passes on.
const LEAST_PASSED: f32 = 0.01;
/// Share of what a surface mirrors that is left of it inside another liquid: light is bent less there.
pub const SUBMERGED: f32 = 0.15;
/// Cells up to which a body of liquid is a drop or a thin stream: it gathers light from all around like a lens. Shares of the sky's
/// and the sun's light that it sends on, and of all light at least and at most.
pub const DROP: f32 = 3.0;
pub const GATHERED: f32 = 0.9;
pub const GATHERED_OF_SUN: f32 = 0.22;
pub const OF_DROP: [f32; 2] = [0.2, 0.6];
/// Cells aside and down from a place at which a liquid is wide that lies.
pub const LIES: [f32; 2] = [4.0, 2.5];
/// Colour of what deep water sends back of the light that falls into it.
const DEEP: V3 = V3::new(0.01, 0.09, 0.11);
/// Share of its light that wet rock sends out, compared with dry rock.
pub const WET: V3 = V3::new(0.62, 0.66, 0.70);
/// Share of light that water mirrors when it is met straight on.
pub const STRAIGHT: f32 = 0.02;
/// Slope of the ripples, and of the swell on water whose waves are higher than usual.
pub const RIPPLES: f32 = 0.04;
pub const SWELL: f32 = 1.1;
/// Depth in units below which such water breaks on a shore, and how ragged its edge is.
pub const BREAKS: f32 = 1.5;
pub const SWASH: f32 = 1.2;
/// Ripples of one pattern unit at this many units from the eye are half as high as they are: farther ones are smaller
/// than pixels.
pub const FADED: f32 = 260.0;
/// Share of the way that ripples move in one step, in units of pattern.
const PACE: f64 = 0.02;
/// How much brighter than the light on a surface the sun is in a mirror, and how narrow.
pub const SUN: f32 = 14.0;
pub const NARROW: i32 = 256;

/// Height of the short waves of a sea, in ripples, and how much sooner they are lost far from the eye.
pub const CHOP: f32 = 0.7;
pub const CHOPPY: f32 = 12.0;
/// Waves of a sea too small for a pixel, in slopes of its ripples, and the steepest; how they come and go with the wind, in units of
/// pattern; and by how much they widen the sun in the mirror.
pub const SMALLER: f32 = 3.0;
pub const ROUGHEST: f32 = 0.22;
pub const GUSTS: f32 = 0.011;
pub const WIDER: f32 = 40.0;

/// How much brighter than the light on a surface the lava is in a mirror.
pub const MIRRORED: f32 = 2.2;
/// Upward part of a normal from which lava begins to be mirrored, and from which it wholly is.
pub const TILTED: [f32; 2] = [0.75, 0.97];
/// Density of gas beside a surface from which it foams, and from which it is all foam.
pub const FOAM: [f32; 2] = [0.06, 0.5];
/// Foam of what falls in drops.
pub const SPRAY: f32 = 0.8;
/// Share of the lava's light that deep water sends back: it comes from near the surface, where
/// depth has not absorbed the red yet.
const WARMED: V3 = V3::new(0.015, 0.028, 0.018);

/// Heights over a place behind a pane at which the liquid is looked for, and the length that each stands for, in cells.
pub const OVER: [(f32, f32); 4] = [(1.0, 2.0), (3.5, 3.0), (7.5, 5.0), (13.5, 7.0)];
/// Light of a body of liquid behind a pane: how much brighter it is under its surface, and what a cell of depth takes of all colours, and
/// of that which the liquid absorbs most.
pub const UNDER: f32 = 4.2;
pub const SINKS: [f32; 2] = [0.065, 0.14];
/// Density over a place from which on the liquid goes on there.
pub const ENDS: f32 = 0.6;
/// Depth for which rock over a liquid counts.
pub const UNDER_ROCK: f32 = 0.22;
/// Strength of the shafts of light in it, and how many there are to a unit of pattern.
pub const SHAFTS: f32 = 0.35;
pub const APART: f32 = 0.24;
/// Light of the edge of a surface at a pane, by shares of sky and sun, densities between which it is seen, and
/// cells over it in which there is no liquid.
pub const EDGE: [f32; 2] = [0.17, 0.06];
pub const EDGE_ENDS: [f32; 2] = [0.64, 0.54];
pub const OPEN_OVER: f32 = 1.5;
/// Net of light on the bed of a liquid: how much darker it is between its lines and brighter on them, and meshes to a unit of pattern.
pub const NET: [f32; 2] = [0.94, 1.36];
pub const MESHES: f32 = 0.17;

/// Effect of a clear liquid on light that passes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Liquid {
    /// Share of red, green and blue that a cell takes out, as the exponent of its length.
    pub absorbed: V3,
    /// Shares of the sky's and of the lava's light that great depth sends back.
    pub deep: V3,
    pub warmed: V3,
}

impl Liquid {
    /// Nothing at all.
    pub(crate) const NONE: Self =
        Self { absorbed: V3::new(0.0, 0.0, 0.0), deep: V3::new(0.0, 0.0, 0.0), warmed: V3::new(0.0, 0.0, 0.0) };

    /// Of a material with a surface that light passes.
    pub fn of(look: &MaterialLook) -> Self {
        let color = V3::from(look.linear_color());
        let clear = match look.color {
            None => Self { absorbed: ABSORBED * look.depth, deep: DEEP, warmed: WARMED },
            Some(_) => Self {
                absorbed: color.map(|kept| -kept.clamp(KEPT[0], KEPT[1]).ln()) * (look.depth / COLORED),
                deep: color * SENT_BACK,
                warmed: color * SENT_BACK_OF_LAVA,
            },
        };
        if look.clear >= 1.0 {
            return clear;
        }
        // What a milky liquid scatters comes back in its colour, in the share that it has of all that is taken out.
        let scattered = -look.clear.max(LEAST_PASSED).ln();
        let share = clear.absorbed.map(|absorbed| scattered / (absorbed + scattered));
        let toward = |from: V3| from + times(color * MILKY - from, share);
        Self { absorbed: clear.absorbed.add_scalar(scattered), deep: toward(clear.deep), warmed: toward(clear.warmed) }
    }
}

/// Light that a surface mirrors, and the share of all light that it does.
pub struct Surface {
    pub(crate) mirrored: V3,
    pub(crate) share: f32,
}

/// Mirrored light of a surface with this normal, and waves of this slope that are smaller than pixels.
pub(crate) fn surface(context: &ShadeContext, ray: &Ray, p: V3, (normal, rough): (V3, f32)) -> Surface {
    let view = context.view(ray);
    let facing = saturate(-view.dot(&normal));
    // Of small waves those are seen that turn to the eye.
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
    // A surface that a shore or a fall tilts would mirror nothing but lava.
    let level = smoothstep(TILTED[0], TILTED[1], normal.y);
    let lava = lava_light(context) * (MIRRORED * level * context.ember.mirrored(p, mirror));
    Surface { mirrored: sky.reflected(mirror) + sky.sun_color * glint + lava, share }
}

/// Light that the surface of a body sends on at a point, for how nearly that is a drop: the mirror of one would show the dark side of the sky
/// in a line along its rim.
pub(crate) fn of_drop(context: &ShadeContext, p: V3, small: f32, (mirrored, share): (V3, f32)) -> (V3, f32) {
    if small <= 0.0 {
        return (mirrored, share);
    }
    let sky = context.sky;
    let sun = sky.sun_color * (GATHERED_OF_SUN * context.open(p));
    let gathered = sky.ambient(V3::y()) * GATHERED + sun;
    let bright = mirrored.zip_map(&gathered, f32::max);
    (mix(mirrored, bright, small), lerp(share, share.clamp(OF_DROP[0], OF_DROP[1]), small))
}

/// Light of lava on a surface that it reaches at full strength.
fn lava_light(context: &ShadeContext) -> V3 {
    context.blackbody.shown(KELVIN) * (STRENGTH * context.look.lava_light)
}

/// Outward normal of a surface where cells have their true proportions. Farther away than this, a gradient would read values under
/// the bed of shallow water.
pub(crate) fn level(field: &MediumField, p: V3) -> V3 {
    field.upright(field.gradient(p, 0.8))
}

/// Share of a surface that is foam, by the density of the gas beside it, by how nearly its body is a drop, and by the shore below it.
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
    // Torn into flecks where there is little.
    let torn = 0.5 + 0.6 * noise::fractal(p * 1.7 + v3(0.0, 0.3 * ripples_moved(context.steps), 0.0), 4);
    smoothstep(0.06, 0.75, wanted - 0.75 * (1.0 - wanted) * saturate(1.0 - torn)) * 0.85
}

/// How much water with high waves breaks at a place, 0 to 1: where it is shallow, in lines that come and go.
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

/// How much higher than usual waves are, 0 to 1.
fn wild(look: &MaterialLook) -> f32 {
    saturate(0.5 * (look.waves - 1.0))
}

/// Light that foam sends out.
pub(crate) fn foam_light(context: &ShadeContext, p: V3, normal: V3) -> V3 {
    let sky = context.sky;
    let facing = saturate(0.25 + 0.75 * normal.dot(&sky.sun)) * context.open(p);
    let lava = lava_light(context) * (0.3 * context.ember.at(p, V3::y()));
    (sky.sun_color * (0.35 * facing) + sky.ambient(normal) * 0.6 + lava) * 0.9
}

/// Share of the light at its surface that a body of liquid behind a pane has at a point, by colour: it darkens downwards, and has shafts
/// of sunlight in it.
pub(crate) fn sunk(context: &ShadeContext, Clear { field, liquid, .. }: &Clear, p: V3) -> V3 {
    let (mut depth, mut reach) = (0.0, 1.0);
    for (away, length) in OVER {
        let above = p + v3(0.0, away, 0.0);
        let here = field.density(above).min(1.0);
        // Rock on it hides the sky, but its body reaches out from under that. What hangs in the air over it does not.
        let is_rock = context.land.block.floor_below(above) > above.y;
        // Its upper end is soft: a column that ends in steps would be seen.
        reach *= if is_rock { 1.0 } else { smoothstep(LEAST, ENDS, here) };
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

/// Light of the edge of a surface that a pane cuts, where the density of the liquid there is this: under air, not under another liquid.
pub(crate) fn edge(context: &ShadeContext, p: V3, density: f32) -> V3 {
    let over = p + v3(0.0, OPEN_OVER / context.look.cell_height, 0.0);
    let seen = smoothstep(EDGE_ENDS[0], EDGE_ENDS[1], density);
    if seen <= 0.0 || context.clear.iter().any(|clear| clear.field.density(over) > 0.3) {
        return V3::zeros();
    }
    (context.sky.ambient(V3::y()) * EDGE[0] + context.sky.sun_color * (EDGE[1] * context.open(p))) * seen
}

/// Share of its light that a bed under a liquid has in the net that the ripples throw on it.
pub(crate) fn net(context: &ShadeContext, p: V3) -> f32 {
    let q = p * (MESHES / context.land.unit);
    let moved = ripples_moved(context.steps);
    let one = 1.0 - noise::gradient(v3(q.x + 1.3 * moved, 0.5 * q.y, q.z + 0.4 * moved)).abs();
    let other = 1.0 - noise::gradient(v3(1.6 * q.z - 0.8 * moved, 0.5 * q.y + 3.0, 1.6 * q.x + moved)).abs();
    let lines = (one * other).powi(5);
    let lit = context.open(p) * saturate(0.7 * context.sky.sun_color.y);
    lerp(1.0, lerp(NET[0], NET[1], lines), lit)
}

/// Light that a great depth of a liquid sends back at a point.
pub(crate) fn scattered(context: &ShadeContext, liquid: &Liquid, p: V3) -> V3 {
    let sky = context.sky;
    let open = context.open(p);
    let sun = sky.sun_color * (saturate(sky.sun.y) * open * 0.15);
    let lava = lava_light(context) * context.ember.at(p, V3::y());
    (sky.ambient(V3::y()) + sun).component_mul(&liquid.deep) + lava.component_mul(&liquid.warmed)
}

/// A normal with ripples that move as steps go by, lower far from the eye.
pub(crate) fn rippled(context: &ShadeContext, look: &MaterialLook, p: V3, normal: V3, t: f32) -> V3 {
    let far = t / (FADED * context.land.unit);
    let height = RIPPLES * look.waves / (1.0 + far * far);
    if height <= 0.0 {
        return normal;
    }
    let q = p / context.land.unit;
    // Two patterns of gradient noise that move against each other.
    let moved = ripples_moved(context.steps);
    let broad = v3(0.35 * q.x + moved, 0.2 * q.y, 0.35 * q.z + 0.3 * moved);
    let fine = v3(0.9 * q.x - 0.7 * moved, 0.2 * q.y + 7.0, 0.9 * q.z + 1.1 * moved);
    let long = v3(0.11 * q.x - 0.4 * moved, 0.0, 0.16 * q.z + 0.4 * moved);
    let swell = SWELL * wild(look);
    let chop = if context.sea.is_some() { CHOP / (1.0 + CHOPPY * far * far) } else { 0.0 };
    let short = v3(2.3 * q.x + 1.7 * moved, 3.0, 2.3 * q.z - 0.9 * moved);
    let along = |shift: f32| {
        let shift = V3::repeat(shift);
        let mut ripples = noise::gradient(broad + shift) + 0.6 * noise::gradient(fine + shift);
        if chop > 0.01 {
            ripples += chop * (noise::gradient(short + shift) + 0.5 * noise::gradient(short * 2.2 + shift));
        }
        if swell > 0.0 { ripples + swell * noise::gradient(long + shift) } else { ripples }
    };
    unit_or_up(normal + v3(along(0.0), 0.0, along(31.7)) * height)
}

/// Slope of the waves of a sea at a point that are smaller than pixels `t` from the eye.
pub(crate) fn roughness(context: &ShadeContext, look: &MaterialLook, p: V3, t: f32) -> f32 {
    if context.sea.is_none() {
        return 0.0;
    }
    let far = t / (FADED * context.land.unit);
    let lost = far * far / (1.0 + far * far);
    let q = p / context.land.unit;
    let moved = ripples_moved(context.steps);
    let gust = noise::fractal(v3(GUSTS * q.x + 0.02 * moved, 0.01 * moved, 2.2 * GUSTS * q.z), 3);
    (SMALLER * RIPPLES * look.waves * lost).min(ROUGHEST) * (1.0 + 0.9 * gust).max(0.2)
}

/// How far ripples have moved after so many steps, in units of pattern; it starts over now and then, which keeps it exact.
pub fn ripples_moved(steps: f64) -> f32 {
    (steps * PACE).rem_euclid(4096.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(color: Option<&str>, clear: f32) -> Liquid {
        Liquid::of(&MaterialLook { color: color.map(str::to_owned), clear, ..MaterialLook::default() })
    }

    #[test]
    fn white_light_has_the_colour_of_a_liquid_after_four_cells() {
        let oil = of(Some("#c88a1c"), 1.0);
        let kept = (oil.absorbed * -COLORED).map(f32::exp);
        let color = V3::from(MaterialLook { color: Some("#c88a1c".into()), ..MaterialLook::default() }.linear_color());
        assert!((kept - color).abs().max() < 1e-2, "{kept:?} instead of {color:?}");
        assert!(oil.deep.x > oil.deep.y && oil.deep.y > oil.deep.z);
        assert_eq!(of(None, 1.0), Liquid { absorbed: ABSORBED, deep: DEEP, warmed: WARMED }, "water is as it was");
    }

    #[test]
    fn depth_takes_the_red_first() {
        assert!(ABSORBED.x > ABSORBED.y && ABSORBED.y > ABSORBED.z && SINKS.iter().all(|sinks| *sinks > 0.0));
        assert!(OVER.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
    }

    #[test]
    fn a_milky_liquid_hides_more_and_sends_back_its_colour() {
        let liquids = [1.0, 0.9, 0.5, 0.0].map(|clear| of(Some("#e8e0d0"), clear));
        for pair in liquids.windows(2) {
            assert!(pair[0].absorbed.min() < pair[1].absorbed.min() && pair[0].deep.min() < pair[1].deep.min());
        }
    }
}
