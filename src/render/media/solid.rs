//! Materials at whose surface a ray ends: sand and ash, ice, rubble. Where there is too little for a surface, such as grains
//! that fall one by one, they veil what lies behind them.

use crate::render::camera::Ray;
use crate::render::lava::crust::{Skin, broken};
use crate::render::math::{V3, in_cells, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::render::media::ISO;
use crate::render::media::clear::{Clear, LEAST};
use crate::render::noise;
use crate::render::style::shading::ShadeContext;
use crate::render::style::tracer::Sight;
use crate::render::volume::field::{Crossing, Pace};
use crate::view::Preset;

/// Density from which a material too thin for a surface is seen.
pub(crate) const VEIL: f32 = 0.05;
/// Least share of its colour that a grain has, however coarse the look makes them.
const DARKEST: f32 = 0.15;
/// How far light reaches around the shaded side of grains, and of ice.
const GRAINS_WRAP: f32 = 0.15;
const ICE_WRAP: f32 = 0.5;
/// Absorption of ice by a cell of its length, its colour, and the length that is looked into.
pub(crate) const ICE_ABSORBS: V3 = V3::new(0.30, 0.08, 0.04);
pub(crate) const ICE: V3 = V3::new(0.75, 0.92, 1.0);
const ICE_DEEP: f32 = 4.0;
/// Share of light that ice mirrors when it is met straight on.
const ICE_MIRRORS: f32 = 0.018;
/// Share of the light of the lava on a surface, as rock has it.
const LAVA: f32 = 14.0;

/// How a smooth material shines.
struct Shine {
    /// How far light reaches around the shaded side.
    wrap: f32,
    /// Share of its colour that it scatters.
    matt: f32,
    /// Share of light that it mirrors when it is met straight on, and whether in its own colour.
    mirrors: f32,
    is_tinted: bool,
    /// Share of the sky in what it mirrors at a flat angle.
    clear: f32,
    /// Power and strength of the sun's glint.
    glint: (i32, f32),
}

const WAX: Shine = Shine { wrap: 0.45, matt: 0.42, mirrors: 0.03, is_tinted: false, clear: 0.35, glint: (18, 0.8) };
const GLOSS: Shine = Shine { wrap: 0.2, matt: 0.55, mirrors: 0.03, is_tinted: false, clear: 0.5, glint: (96, 5.0) };
const METAL: Shine = Shine { wrap: 0.0, matt: 0.08, mirrors: 0.75, is_tinted: true, clear: 1.0, glint: (48, 1.2) };

/// Share of its colour that the sky keeps in a mirror: a room has other lights.
const SKY_COLOR: f32 = 0.35;

/// Ends of a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    Lava,
    /// Rock or sky.
    Behind,
    /// Another material.
    Solid,
}

/// Where a ray ends.
pub(crate) struct End {
    pub(crate) light: V3,
    /// Distance up to which media that light passes may lie before it.
    pub(crate) t: f32,
    pub(crate) met: Met,
}

/// A point of a surface.
struct Hit<'a> {
    clear: &'a Clear<'a>,
    ray: &'a Ray,
    t: f32,
    point: V3,
    normal: V3,
    /// Whether a side of what is shown of the box cuts through the material here.
    cut: bool,
    /// Light of what lies behind the material, and its distance.
    behind: V3,
    far: f32,
}

/// The end of a ray, or a solid material before it. `coated`: whether the ray ends on rock that a material may coat.
pub(crate) fn before(context: &ShadeContext, ray: &Ray, sight: Sight, (end, coated): (End, bool)) -> End {
    let pace = Pace { step: context.look.step, jitter: sight.jitter, reach: sight.others.solid };
    let end = if coated { filmed(context, ray, end) } else { end };
    let mut nearest: Option<(f32, Option<V3>, &Clear)> = None;
    let mut veils: [Option<(f32, f32, &Clear)>; 2] = [None; 2];
    for clear in context.solids {
        let far = nearest.map_or(end.t, |(t, ..)| t);
        match clear.field.cross(ray, far, ISO, pace) {
            Crossing::At { t, face } => nearest = Some((t, face, clear)),
            Crossing::Grazed { t, density } if density > VEIL => {
                veils = if veils[0].is_none() {
                    [Some((t, density, clear)), None]
                } else {
                    [veils[0], Some((t, density, clear))]
                };
            }
            Crossing::Grazed { .. } | Crossing::Missed => {}
        }
    }
    let mut end = end;
    if let Some((t, face, clear)) = nearest {
        let point = ray.at(t);
        let normal = face.unwrap_or_else(|| normal(clear, point));
        let hit = Hit { clear, ray, t, point, normal, cut: face.is_some(), behind: end.light, far: end.t };
        end = End { light: shade(context, &hit), t, met: Met::Solid };
    }
    // The farther veil first.
    if let [Some(a), Some(b)] = veils
        && a.0 < b.0
    {
        veils = [Some(b), Some(a)];
    }
    let loose = |clear: &Clear| matches!(clear.look.preset, Preset::Sand | Preset::Ash);
    for (t, density, clear) in veils.into_iter().flatten().filter(|(t, _, clear)| *t < end.t && loose(clear)) {
        let point = ray.at(t);
        let normal = normal(clear, point);
        // The rim of a heap is no veil.
        let heap = smoothstep(0.3 * ISO, 0.9 * ISO, clear.field.density(point - normal * 1.6));
        let cover = smoothstep(VEIL, ISO, density) * (1.0 - heap);
        if cover <= 0.0 {
            continue;
        }
        let hit = Hit { clear, ray, t, point, normal, cut: false, behind: end.light, far: end.t };
        end.light = mix(end.light, shade(context, &hit), cover);
    }
    end
}

/// A thin coat on rock.
fn filmed(context: &ShadeContext, ray: &Ray, mut end: End) -> End {
    let point = ray.at(end.t);
    let above = point + v3(0.0, 0.5, 0.0);
    for clear in context.solids.iter().filter(|clear| clear.field.holds(point) || clear.field.holds(above)) {
        let film = clear.field.density(point).max(clear.field.density(above));
        if film <= LEAST {
            continue;
        }
        let ragged = film * (1.0 + 0.35 * noise::fractal(point * 1.2, 2));
        let cover = match clear.look.preset {
            Preset::Ice => smoothstep(0.55 * ISO, 0.8 * ISO, ragged),
            _ => smoothstep(VEIL, 0.8 * ISO, ragged),
        };
        if cover > 0.0 {
            let normal = context.land.block.normal(point.x, point.z, 0.8);
            let hit = Hit { clear, ray, t: end.t, point, normal, cut: false, behind: end.light, far: end.t };
            end.light = mix(end.light, shade(context, &hit), cover);
        }
    }
    end
}

/// Outward normal of a surface: grains lie in steps of whole cells, which only a wide difference smooths.
fn normal(clear: &Clear, p: V3) -> V3 {
    match clear.look.preset {
        Preset::Sand | Preset::Ash => {
            clear.field.upright(clear.field.gradient(p, 2.6) + clear.field.gradient(p, 1.3) * 0.5)
        }
        _ => clear.field.normal(p),
    }
}

/// Light that leaves a surface towards the eye, through the haze.
fn shade(context: &ShadeContext, hit: &Hit) -> V3 {
    let light = match hit.clear.look.preset {
        Preset::Ice => ice(context, hit),
        Preset::Rubble => {
            let skin = Skin { point: hit.point, normal: hit.normal, view: context.view(hit.ray), cut: false };
            broken(context, &skin, hit.clear.look.waves)
        }
        Preset::Wax => smooth(context, hit, &WAX),
        Preset::Gloss => smooth(context, hit, &GLOSS),
        Preset::Metal => smooth(context, hit, &METAL),
        _ => grains(context, hit),
    };
    crate::render::style::cinematic::hazed(context, hit.ray, hit.t, light)
}

/// Sand or ash: matt grains.
fn grains(context: &ShadeContext, hit: &Hit) -> V3 {
    let (look, p, unit) = (hit.clear.look, hit.point, context.land.unit);
    let fine = noise::gradient(p * 4.3);
    let coarse = noise::gradient(p * 1.9 + v3(7.0, 3.0, 1.0));
    let broad = noise::fractal(p * (0.11 / unit) + v3(1.0, 6.0, 2.0), 3);
    let tone = 1.0 + look.waves * (0.34 * fine + 0.16 * coarse) + 0.22 * broad;
    let tone = tone.max(DARKEST);
    let rough = v3(fine, 0.3 * coarse, noise::gradient(p * 4.3 + v3(19.0, 0.0, 5.0))) * (0.30 * look.waves);
    let normal = if hit.cut { hit.normal } else { unit_or_up(hit.normal + rough) };
    let albedo = V3::from(look.linear_color()) * (0.46 * tone);
    times(albedo, arriving(context, hit, normal, GRAINS_WRAP))
}

/// Wax, a melt or metal: smooth, with a little unevenness.
fn smooth(context: &ShadeContext, hit: &Hit, shine: &Shine) -> V3 {
    let (look, p, sky) = (hit.clear.look, hit.point, context.sky);
    let uneven = |shift: f32| noise::fractal(p * 0.35 + v3(shift, 1.0, 3.0), 2);
    let rough = v3(uneven(0.0), 0.0, uneven(31.0)) * (0.10 * look.waves);
    let normal = if hit.cut { hit.normal } else { unit_or_up(hit.normal + rough) };
    let color = V3::from(look.linear_color());
    let diffuse = times(color, arriving(context, hit, normal, shine.wrap)) * shine.matt;
    let view = context.view(hit.ray);
    let facing = saturate(-view.dot(&normal));
    let share = shine.mirrors + (shine.clear - shine.mirrors).max(0.0) * (1.0 - facing).powi(5);
    let mirror = unit_or_up(view - normal * (2.0 * view.dot(&normal)));
    let (power, strength) = shine.glint;
    let open = context.land.sunlight(p.x, p.z) * context.sunlight(p) * own_shadow(context, hit);
    let glint = saturate(mirror.dot(&sky.sun)).powi(power) * strength * open;
    let seen = sky.reflected(mirror);
    let gray = (seen.x + seen.y + seen.z) / 3.0;
    let mirrored = mix(V3::new(gray, gray, gray), seen, SKY_COLOR) + sky.sun_color * glint;
    let tint = if shine.is_tinted { color } else { V3::new(1.0, 1.0, 1.0) };
    diffuse * (1.0 - share) + times(mirrored, tint) * share
}

/// Sun, sky and lava on a surface whose light reaches around the edge of the shaded side by `wrap`.
fn arriving(context: &ShadeContext, hit: &Hit, normal: V3, wrap: f32) -> V3 {
    let (sky, p) = (context.sky, hit.point);
    let facing = saturate((normal.dot(&sky.sun) + wrap) / (1.0 + wrap));
    let open = context.land.sunlight(p.x, p.z) * context.sunlight(p);
    let sun = sky.sun_color * (facing * open * own_shadow(context, hit));
    let lava = context.blackbody.shown(1040.0) * (LAVA * context.look.lava_light * context.ember.at(p, normal));
    // A hollow sees less of the sky. Before a cut there is nothing, although the field goes on.
    let shut = if hit.cut { 0.0 } else { hit.clear.field.density(p + hit.normal * 2.5) };
    sun + (sky.ambient(normal) * (1.0 - 0.7 * shut)) + lava
}

/// Share of the sun that the material itself leaves at its surface.
fn own_shadow(context: &ShadeContext, hit: &Hit) -> f32 {
    if hit.cut {
        return 1.0;
    }
    let sun = in_cells(context.sky.sun, context.look.cell_height);
    let toward = |away: f32| hit.clear.field.density(hit.point + hit.normal + sun * away);
    let shut = [2.0, 4.0, 7.0, 11.0].map(toward).into_iter().fold(0.0_f32, f32::max);
    1.0 - smoothstep(0.25, 0.75, shut)
}

/// Ice: what is behind it shimmers through, and depth turns it blue.
fn ice(context: &ShadeContext, hit: &Hit) -> V3 {
    let (p, unit, look) = (hit.point, context.land.unit, hit.clear.look);
    let view = context.view(hit.ray);
    let facing = saturate(-view.dot(&hit.normal));
    let q = p / unit;
    let frost = noise::fractal(q * 0.5, 4);
    let scales =
        v3(noise::fractal(q * 0.9 + v3(5.0, 1.0, 3.0), 2), 0.0, noise::fractal(q * 0.9 + v3(9.0, 4.0, 2.0), 2));
    let rough = (scales * 0.22 + v3(frost, 0.0, -frost) * 0.10) * look.waves;
    let normal = if hit.cut { hit.normal } else { unit_or_up(hit.normal + rough) };
    let deep = thickness(hit) * context.pace(hit.ray);
    let body = times(ICE, (ICE_ABSORBS * (-deep * look.depth)).map(f32::exp));
    let diffuse = times(body, arriving(context, hit, normal, ICE_WRAP)) * lerp(0.20, 0.30, saturate(0.5 + frost));
    let through = hit.behind * (0.25 * (-0.5 * deep * look.depth).exp());
    let share = ICE_MIRRORS + (1.0 - ICE_MIRRORS) * (1.0 - facing).powi(5);
    let mirror = unit_or_up(view - normal * (2.0 * view.dot(&normal)));
    let sky = context.sky;
    let open = context.land.sunlight(p.x, p.z) * context.sunlight(p);
    let glint = saturate(mirror.dot(&sky.sun)).powi(96) * 3.0 * open;
    (diffuse + through) * (1.0 - share) + (sky.reflected(mirror) + sky.sun_color * glint) * share
}

/// Length of material along the ray behind its surface, in cells, at most [`ICE_DEEP`].
fn thickness(hit: &Hit) -> f32 {
    const SAMPLES: usize = 8;
    let part = ICE_DEEP / SAMPLES as f32;
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
