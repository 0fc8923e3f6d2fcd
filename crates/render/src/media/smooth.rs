//! Shading of materials with smooth surfaces: translucent wax, glossy melts, and metal that
//! reflects its surroundings.

use crate::ground::land::surface::STONE;
use crate::math::{V3, in_cells, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::media::hit::{Hit, Softness, arriving, own};
use crate::noise;
use crate::style::shading::ShadeContext;

// Look constants are chosen by eye.

/// Optical properties of a kind of material with a smooth surface.
pub struct Shine {
    /// Softness of the border between light and shadow on the material.
    pub soft: Softness,
    /// Diffuse albedo, relative to the material's colour.
    pub matt: f32,
    /// Reflectance of the surface at normal incidence.
    pub mirrors: f32,
    /// Set if reflections take the material's colour, as on metal.
    pub is_tinted: bool,
    /// Reflectance of the surface at grazing incidence; without effect if below `mirrors`.
    pub clear: f32,
    /// Specular highlight of the sun: exponent of the cosine, and strength.
    pub glint: (i32, f32),
    /// Amplitude of the surface's undulations, as a slope added to the normal.
    pub uneven: f32,
    /// Width added to the soft edges of reflected lamps; sharp edges would be torn by the steps of
    /// the surface normal between cells.
    pub softer: f32,
}

/// Optical properties of wax: translucent, with a broad highlight.
pub const WAX: Shine = Shine {
    soft: Softness {
        wrap: 0.45,
        bleeds: 1.0,
    },
    matt: 0.42,
    mirrors: 0.03,
    is_tinted: false,
    clear: 0.35,
    glint: (18, 0.8),
    uneven: 0.10,
    softer: 0.3,
};
/// Optical properties of a glossy melt: opaque, with a sharp highlight.
pub const GLOSS: Shine = Shine {
    soft: Softness {
        wrap: 0.2,
        bleeds: 0.3,
    },
    matt: 0.48,
    mirrors: 0.04,
    is_tinted: false,
    clear: 0.9,
    glint: (160, 14.0),
    uneven: 0.07,
    softer: 0.22,
};
/// Optical properties of metal: reflects its surroundings in its own colour, with hardly any
/// diffuse light.
pub const METAL: Shine = Shine {
    soft: Softness {
        wrap: 0.0,
        bleeds: 0.0,
    },
    matt: 0.05,
    mirrors: 0.88,
    is_tinted: true,
    clear: 1.0,
    glint: (220, 4.0),
    uneven: 0.24,
    softer: 0.0,
};

/// Saturation of the sky's colour in reflections on smooth materials, relative to the sky itself.
pub const SKY_COLOR: f32 = 0.35;
/// Number of samples along a reflected ray in the search for materials that it meets.
pub const PLACES: i32 = 9;
/// Distance in cells of the first sample along a reflected ray.
pub const NEAREST: f32 = 0.9;
/// Ratio of the distances of consecutive samples along a reflected ray.
pub const FARTHER: f32 = 1.38;
/// Diffuse reflectance of materials and ground that are seen in a reflection.
pub const SEEN: f32 = 0.46;
/// Fraction of the sunlight with which materials in a reflection are lit.
pub const SEEN_OF_SUN: f32 = 0.9;
/// Coverage (0 to 1) of a reflected ray by a material up to which the material is ignored.
pub const UNSEEN: f32 = 0.02;
/// Half the distance in cells between the density samples for the normal of materials that are seen
/// in a reflection.
pub const FACES: f32 = 1.3;
/// Distance in cells from the surface of a material seen in a reflection at which its sunlight is
/// evaluated.
pub const OFF_PLACE: f32 = 1.0;
/// Diffuse albedo of oxide on metal.
pub const OXIDE: f32 = 0.14;
/// Fraction of its reflectance that metal keeps below oxide.
pub const OXIDE_LEAVES: f32 = 0.7;

/// Returns the linear RGB light from the smooth material at `hit` towards the camera; `shine`: its
/// optical properties.
pub(super) fn light(context: &ShadeContext, hit: &Hit, shine: &Shine) -> V3 {
    let (look, p, sky) = (hit.clear.look, hit.point, context.sky);
    let skin = if shine.is_tinted {
        oxide(p, look.waves)
    } else {
        0.0
    };
    let normal = hit.uneven(unevenness(p, shine, skin) * look.waves);
    let color = V3::from(look.linear_color());
    let own = own(context, hit);
    let matt = lerp(shine.matt, OXIDE, skin);
    let diffuse = times(color, arriving(context, hit, normal, (shine.soft, own))) * matt;
    let view = context.view(hit.ray);
    let facing = saturate(-view.dot(&normal));
    let share = shine.mirrors + (shine.clear - shine.mirrors).max(0.0) * (1.0 - facing).powi(5);
    let share = share * lerp(1.0, OXIDE_LEAVES, skin);
    let mirror = unit_or_up(view - normal * (2.0 * view.dot(&normal)));
    let (power, strength) = shine.glint;
    let open = context.open_on(p, hit.normal) * own.sun;
    let glint = saturate(mirror.dot(&sky.sun)).powi(power) * strength * open * (1.0 - 0.7 * skin);
    let seen = sky.mirrored(mirror, shine.softer);
    let gray = (seen.x + seen.y + seen.z) / 3.0;
    let seen = mirrored_light(context, hit, mirror, mix(V3::repeat(gray), seen, SKY_COLOR));
    let tint = if shine.is_tinted {
        color
    } else {
        V3::repeat(1.0)
    };
    diffuse * (1.0 - share) + times(seen + sky.sun_color * glint, tint) * share
}

/// Returns three properties of the smooth material at `hit`: unit normal, diffuse albedo (linear
/// RGB), and coverage with oxide (0 to 1). `shine`: its optical properties.
pub(super) fn made(hit: &Hit, shine: &Shine) -> (V3, V3, f32) {
    let (look, p) = (hit.clear.look, hit.point);
    let skin = if shine.is_tinted {
        oxide(p, look.waves)
    } else {
        0.0
    };
    let normal = hit.uneven(unevenness(p, shine, skin) * look.waves);
    let matt = lerp(shine.matt, OXIDE, skin);
    (normal, V3::from(look.linear_color()) * matt, skin)
}

/// Returns the slope that is added to the normal of a smooth material at the point `p` (cells):
/// broad undulations, and wrinkles where metal has oxide. `skin`: coverage with oxide, 0 to 1.
fn unevenness(p: V3, shine: &Shine, skin: f32) -> V3 {
    let broad = |shift: f32| noise::fractal(p * 0.16 + v3(shift, 1.0, 3.0), 2);
    let swell = v3(broad(0.0), 0.0, broad(31.0)) * shine.uneven;
    if skin <= 0.0 {
        return swell;
    }
    let fine = |shift: f32| noise::fractal(p * 0.7 + v3(shift, 5.0, 1.0), 3);
    swell + v3(fine(7.0), 0.0, fine(41.0)) * (0.12 * skin)
}

/// Returns the coverage (0 to 1) with oxide at the point `p` (cells) on metal: patches with torn
/// edges, which become larger with `waves`, the setting of the look.
fn oxide(p: V3, waves: f32) -> f32 {
    let patches = noise::fractal(p * 0.13 + v3(11.0, 2.0, 5.0), 4);
    smoothstep(-0.12, 0.16, patches + 0.45 * (waves - 1.0))
}

/// Returns the linear RGB light that the smooth material at `hit` receives from the reflected
/// direction `mirror`: that of an opaque material or of the ground if one is close in that
/// direction, otherwise `sky`.
fn mirrored_light(context: &ShadeContext, hit: &Hit, mirror: V3, sky: V3) -> V3 {
    let toward = in_cells(mirror, context.look.cell_height);
    let start = hit.point + hit.normal;
    let (mut away, mut light, mut open) = (NEAREST, V3::zeros(), 1.0_f32);
    // Samples at distances that grow by a constant factor: nine samples reach 12 cells.
    for _ in 0..PLACES {
        let p = start + toward * away;
        for clear in context.solids {
            let cover = smoothstep(0.3, 0.7, clear.field.density(p)) * open;
            if cover > UNSEEN {
                let normal = clear.field.upright(clear.field.gradient(p, FACES));
                light += lit(context, V3::from(clear.look.linear_color()), (p, normal)) * cover;
                open -= cover;
            }
        }
        if open <= UNSEEN || p.y < context.land.block.heights.at(p.x, p.z) {
            break;
        }
        away *= FARTHER;
    }
    let end = start + toward * away;
    if open > UNSEEN && end.y < context.land.block.heights.at(end.x, end.z) {
        let ground = context.land.block.normal(end.x, end.z, FACES);
        light += lit(context, V3::from(STONE), (end, ground)) * open;
        open = 0.0;
    }
    light + sky * open
}

/// Returns the linear RGB light of a material of the colour `color` that is seen in a reflection at
/// the point `p` (cells) with the unit normal `normal`.
fn lit(context: &ShadeContext, color: V3, (p, normal): (V3, V3)) -> V3 {
    let facing = saturate(normal.dot(&context.sky.sun)) * context.open(p + normal * OFF_PLACE);
    let sun = context.sky.sun_color * (SEEN_OF_SUN * facing);
    times(color, context.sky.ambient(normal) * 0.7 + sun) * SEEN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rough_metal_has_more_oxide_than_a_melt() {
        let places: Vec<V3> = (0..400)
            .map(|i| v3(0.7 * i as f32, 3.0, 0.31 * i as f32))
            .collect();
        let mean =
            |waves: f32| places.iter().map(|p| oxide(*p, waves)).sum::<f32>() / places.len() as f32;
        assert!(mean(0.0) < 0.15 && mean(0.6) > mean(0.0) && mean(1.5) > mean(0.6) + 0.2);
    }
}
