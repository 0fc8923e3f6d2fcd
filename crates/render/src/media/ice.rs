//! Shading of ice: clear as glass, with cracks and clouds of bubbles, under a skin of frost.

use crate::math::{V3, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::media::hit::{Hit, Softness, arriving, own};
use crate::noise;
use crate::style::shading::ShadeContext;

// Look constants without a named source are chosen by eye.

/// Absorption of ice per cell length for red, green and blue, at the usual depth setting of its
/// look.
pub const ABSORBS: V3 = V3::new(0.13, 0.040, 0.022);
/// Colour of the light that ice scatters, linear RGB, before absorption.
pub const COLOR: V3 = V3::new(0.90, 0.965, 1.0);
/// Maximum length in cells over which the thickness of ice is sampled along a ray.
pub const DEEP: f32 = 4.0;
/// Number of samples along a ray in ice, over the depth `DEEP`.
pub const SAMPLES: usize = 8;
/// Softness of the border between light and shadow on ice.
pub const SOFT: Softness = Softness {
    wrap: 0.5,
    bleeds: 0.0,
};
/// Reflectance of ice at normal incidence.
pub const MIRRORS: f32 = 0.02;
/// Weight of the inward surface normal that is added to the direction of a ray which enters ice; a
/// simple approximation of refraction.
pub const BENDS: f32 = 0.31;
/// Diffuse reflectance of frost and bubbles.
pub const WHITE: f32 = 0.42;
/// Diffuse reflectance of clear ice.
pub const GLASSY: f32 = 0.07;
/// Fraction of the light from behind that clear ice at least one cell thick transmits, before
/// absorption.
pub const CLEAR: f32 = 0.85;
/// Assumed thickness in cells of ice that is too thin for a surface of its own.
pub const FILM: f32 = 0.6;
/// Lengths along the refracted ray at which cracks and bubbles are evaluated, in pattern units
/// (1/128 of the simulation box's longer side).
pub const LAYERS: [f32; 2] = [0.7, 2.4];
/// Number of ice crystals per pattern unit (1/128 of the simulation box's longer side).
pub const CRYSTALS: f32 = 0.15;
/// Maximum deflection by a crystal of the ray that continues behind the ice, as an offset of the
/// ray's unit direction.
pub const TURNS: f32 = 0.14;
/// Opening of cracks between ice crystals: values of the bond (random strength of cohesion of two
/// neighbours) at and above which a crack is closed, and at and below which it is wide open.
pub const SHUT: [f32; 2] = [0.45, 0.15];
/// Width of a crack, and width of the shine along each side of a crack, in crystal sizes.
pub const EDGES: [f32; 2] = [0.022, 0.2];
/// Extinction of the view through ice per cell length, because ice is turbid.
pub const TURBID: f32 = 0.16;
/// Weight of the background, relative to light gathered from other directions, in the view through
/// clear ice at least one cell thick.
pub const BEHIND: f32 = 0.85;
/// Upward offset added to the refracted ray's unit direction before the sky is read, because inner
/// walls of the ice deflect light that comes from above.
pub const LIFTED: f32 = 0.25;
/// Weights of the mirrored environment and of the ambient skylight in the light that ice gathers
/// from around like a lens.
pub const GATHERS: [f32; 2] = [0.75, 0.22];

/// Returns the linear RGB light from the ice at `hit` towards the camera: a skin of frost above
/// glass, in which cracks and bubbles shine.
pub(super) fn light(context: &ShadeContext, hit: &Hit) -> V3 {
    let (unit, look, sky) = (context.land.unit, hit.clear.look, context.sky);
    let view = context.view(hit.ray);
    let q = hit.point / unit;
    let frost = noise::fractal(q * 0.5, 4);
    let scales = v3(
        noise::fractal(q * 0.9 + v3(5.0, 1.0, 3.0), 2),
        0.0,
        noise::fractal(q * 0.9 + v3(9.0, 4.0, 2.0), 2),
    );
    let normal = hit.uneven((scales * 0.15 + v3(frost, 0.0, -frost) * 0.10) * look.waves);
    let deep = thickness(hit) * context.pace(hit.ray);
    let there = saturate(deep);
    let bent = bent(view, normal);
    let flaws = if hit.cut {
        Flaws::NONE
    } else {
        Flaws::under(q, bent)
    };
    // Thin ice is slush, which is white.
    let milk = milkiness(normal.y, frost, look.waves)
        .max(flaws.white * there)
        .max(0.9 * (1.0 - there));
    let lit = arriving(context, hit, normal, (SOFT, own(context, hit)));
    let kept = (ABSORBS * (-deep * look.depth)).map(f32::exp);
    let body = times(times(COLOR, mix(kept, V3::repeat(1.0), 0.6 * milk)), lit)
        * (lerp(GLASSY, WHITE, milk) * there.sqrt());
    // Light from behind, and light that the ice gathers from elsewhere like a lens.
    let bent = bent + flaws.turn;
    let turned = unit_or_up(v3(bent.x, bent.y.abs() + LIFTED, bent.z));
    let gathered = sky.mirrored(turned, 0.0) * GATHERS[0] + sky.ambient(V3::y()) * GATHERS[1];
    let clear = (-TURBID * deep * look.depth).exp();
    let through = times(
        mix(gathered, hit.behind, lerp(1.0, BEHIND * clear, there)),
        kept,
    ) * lerp(1.0, CLEAR * (1.0 - milk), there);
    let facing = saturate(-view.dot(&normal));
    let share = MIRRORS + (1.0 - MIRRORS) * (1.0 - facing).powi(5) * lerp(1.0, 0.35, milk);
    let mirror = unit_or_up(view - normal * (2.0 * view.dot(&normal)));
    let open = context.open_on(hit.point, hit.normal) * (1.0 - 0.8 * milk);
    let near = saturate(mirror.dot(&sky.sun));
    let glint = (near.powi(96) * 6.0 + near.powi(12) * 0.25) * open;
    (body + through) * (1.0 - share)
        + (sky.mirrored(mirror, 0.0) + sky.sun_color * glint) * share.max(0.04)
}

/// Returns the unit direction of a refracted ray inside the ice; `view` is the direction of the ray
/// outside, `normal` the unit normal of the surface.
fn bent(view: V3, normal: V3) -> V3 {
    unit_or_up(view * (1.0 - BENDS) - normal * BENDS)
}

/// Returns the whiteness of the ice's surface (0 to 1): patches of frost, mostly on surfaces that
/// face up. `up`: vertical component of the unit normal; `frost`: noise value; `waves`: setting of
/// the look for the amount of frost.
fn milkiness(up: f32, frost: f32, waves: f32) -> f32 {
    saturate(0.08 + waves * (0.7 * smoothstep(0.0, 0.7, frost + 0.45 * up - 0.35)))
}

/// Effect of the cracks and bubbles in ice below a point of the surface.
struct Flaws {
    /// Fraction of light that cracks and bubbles scatter back to the camera.
    white: f32,
    /// Deflection of the ray inside the ice, as an offset of its unit direction.
    turn: V3,
}

impl Flaws {
    const NONE: Self = Self {
        white: 0.0,
        turn: V3::new(0.0, 0.0, 0.0),
    };

    /// Returns the effect of the cracks and bubbles along the refracted ray direction `bent` from
    /// the point `q` (pattern units: 1/128 of the simulation box's longer side). Cracks are flat
    /// and divide the ice into crystals, each of which deflects light differently.
    fn under(q: V3, bent: V3) -> Self {
        let mut flaws = Self::NONE;
        for (layer, depth) in LAYERS.into_iter().enumerate() {
            let inside = q + bent * depth;
            let crystal = noise::plate(
                inside * CRYSTALS + V3::repeat(3.0 * layer as f32),
                V3::zeros(),
            );
            let open = smoothstep(SHUT[0], SHUT[1], crystal.bond);
            let crack = open
                * (0.45 * smoothstep(EDGES[0], 0.0, crystal.edge)
                    + 0.3 * smoothstep(EDGES[1], 0.0, crystal.edge));
            let bubbles = smoothstep(0.35, 0.8, noise::gradient(inside * 1.9)) * 0.4;
            let nearer = 1.0 / (1.0 + 0.6 * layer as f32);
            flaws.white = flaws.white.max(crack.max(bubbles) * nearer);
            let by = |n: f32| (crystal.tone * n).fract() - 0.5;
            flaws.turn += v3(by(1.0), by(7.0), by(13.0)) * (TURNS * nearer);
        }
        flaws
    }
}

/// Returns the thickness of the ice along the ray behind `hit`, in cells, at most `DEEP`.
fn thickness(hit: &Hit) -> f32 {
    if hit.far <= hit.t {
        return FILM;
    }
    let part = DEEP / SAMPLES as f32;
    let mut length = 0.0;
    for i in 0..SAMPLES {
        let t = hit.t + (i as f32 + 0.5) * part;
        if t >= hit.far {
            break;
        }
        length += part * smoothstep(0.3, 0.6, hit.clear.field.density(hit.ray.at(t)));
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_are_bent_towards_the_normal() {
        let view = v3(1.0, -0.5, 0.0).normalize();
        let inside = bent(view, V3::y());
        assert!(
            inside.y < view.y && (inside.norm() - 1.0).abs() < 1e-6,
            "{inside:?}"
        );
        assert!(
            (bent(-V3::y(), V3::y()) + V3::y()).norm() < 1e-6,
            "straight on it goes on"
        );
    }

    #[test]
    fn cracks_are_few_and_part_ice_into_crystals() {
        let found: Vec<Flaws> = (0..4000)
            .map(|k| Flaws::under(v3(0.031 * k as f32, 2.0, 0.017 * k as f32), -V3::y()))
            .collect();
        let cracked = found.iter().filter(|flaws| flaws.white > 0.45).count();
        assert!(
            (10..800).contains(&cracked),
            "{cracked} of 4000 places in a crack"
        );
        let turns = found
            .windows(2)
            .filter(|pair| pair[0].turn != pair[1].turn)
            .count();
        assert!((10..400).contains(&turns), "{turns} edges of crystals");
    }

    #[test]
    fn frost_lies_on_what_faces_up() {
        assert!(milkiness(1.0, 0.0, 1.0) > milkiness(0.0, 0.0, 1.0));
        assert_eq!(
            milkiness(1.0, 0.3, 0.0),
            milkiness(-1.0, -0.3, 0.0),
            "ice without grain is even"
        );
    }
}
