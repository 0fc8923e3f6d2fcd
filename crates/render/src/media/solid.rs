//! Shading of opaque materials: sand and ash, ice, rubble, foliage, built and smooth matter. Where
//! the density stays below that of a surface, such as for grains that fall one by one, the material
//! is blended over the background.

use crate::camera::Ray;
use crate::lava::crust::{Skin, broken};
use crate::math::{V3, in_cells, in_widths, mix, smoothstep, unit_or_up, v3};
use crate::media::clear::{Clear, ISO, LEAST};
use crate::media::hit::{ENTERS, Hit};
use crate::media::{built, grains, ice, leaves, smooth};
use crate::noise;
use crate::style::shading::ShadeContext;
use crate::style::tracer::Sight;
use crate::volume::field::{Crossing, Pace};
use lavoxel_automaton::view::Preset;

// Look constants without a named source are chosen by eye.

/// Half the distance in cells between the samples from which the normal of rock under a thin sheet
/// of lava is computed.
pub const COATED: f32 = 0.8;
/// Density (0 to 1) above which matter too thin for a surface is blended over the background.
pub const VEIL: f32 = 0.05;
/// Fade-in of a thin sheet of liquid on a smooth surface: densities (0 to 1) at which the sheet
/// begins to show and at which it shows fully.
pub const WETS: [f32; 2] = [0.02, 0.06];
/// Half the distance in cells between the density samples for the normal of a glossy surface; wide,
/// because reflections would show every step between cells.
pub const SHINING: f32 = 3.8;
/// Half the distance in cells between the samples of density for the gradient of a thin sheet of
/// liquid.
pub const REACH: f32 = 1.6;
/// Distance in cells, from a point of a thin sheet of liquid towards the sheet's inside, of the
/// density sample with which the point's own density is compared.
pub const INSIDE: f32 = 1.5;
/// Height above the ground, in cells, up to which the foot of a smooth material on smooth stone is
/// rounded.
pub const LIP: f32 = 1.3;
/// Edge of a thin sheet of liquid on the ground: densities, relative to the density further inside,
/// at which the sheet begins to cover the ground and at which it covers the ground fully; about
/// half, because smoothing spreads the edge.
pub const ENDS_ON_GROUND: [f32; 2] = [0.36, 0.46];
/// Edge of a thin sheet of liquid on another material: densities, relative to the density further
/// inside, at which the sheet begins to cover that material and at which it covers the material
/// fully.
pub const ENDS_ON_SOLID: [f32; 2] = [0.16, 0.26];
/// Darkening of the ground by matter that stands on it: heights in cells above the ground at which
/// the matter's density is read, each with the fraction of light that the ground loses if the
/// matter is dense there.
pub const FOOT: [(f32, f32); 3] = [(0.7, 0.55), (2.0, 0.42), (4.5, 0.25)];

/// Kind of the nearest matter on a ray, seen from the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    Lava,
    /// Rock or sky, with no other matter in front.
    Behind,
    /// Opaque material other than lava and rock, also where it is thin and blended over these.
    Solid,
}

/// End of a ray: light, distance and kind of matter.
pub(crate) struct End {
    pub(crate) light: V3,
    /// Distance in cells along the ray up to which translucent media in front of the ray's end are
    /// drawn.
    pub(crate) t: f32,
    pub(crate) met: Met,
}

/// Returns the end of `ray` after opaque materials in front of `end`, the ray's end on lava, rock
/// or sky, are taken into account. `coated`: true if the ray ends on rock, which thin sheets of
/// material may cover.
pub(crate) fn before(
    context: &ShadeContext,
    ray: &Ray,
    sight: Sight,
    (end, coated): (End, bool),
) -> End {
    let pace = sight.pace(context.look.step, sight.others.solid);
    let end = if coated {
        filmed(context, ray, end)
    } else {
        end
    };
    let mut nearest: Option<(f32, Option<V3>, usize)> = None;
    let mut veils: [Option<(f32, f32, &Clear)>; 2] = [None; 2];
    for (number, clear) in context.solids.iter().enumerate() {
        let far = nearest.map_or(end.t, |(t, ..)| t);
        match crossed(context, clear, (ray, far), pace) {
            Crossing::At { t, face } => nearest = Some((t, face, number)),
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
    if let Some((t, face, number)) = nearest {
        let (point, clear) = (ray.at(t), &context.solids[number]);
        let normal = face.unwrap_or_else(|| lipped(context, clear, point, normal(clear, point)));
        let hit = Hit {
            clear,
            ray,
            t,
            point,
            normal,
            cut: face.is_some(),
            behind: end.light,
            far: end.t,
        };
        let light = wetted(context, &hit, number, shade(context, &hit));
        end = End {
            light: mix(end.light, light, grains::frayed(context, &hit)),
            t,
            met: Met::Solid,
        };
    }
    // The farther layer is composited first.
    if let [Some(a), Some(b)] = veils
        && a.0 < b.0
    {
        veils = [Some(b), Some(a)];
    }
    let loose = |clear: &Clear| matches!(clear.look.preset, Preset::Sand | Preset::Ash);
    for (t, density, clear) in veils
        .into_iter()
        .flatten()
        .filter(|(t, _, clear)| *t < end.t && loose(clear))
    {
        let point = ray.at(t);
        let normal = normal(clear, point);
        // The rim of a heap is not blended: the heap is dense 1.6 cells further inside.
        let heap = smoothstep(
            0.3 * ISO,
            0.9 * ISO,
            clear.field.density(point - normal * 1.6),
        );
        let cover = smoothstep(VEIL, ISO, density) * (1.0 - heap);
        if cover <= 0.0 {
            continue;
        }
        let hit = Hit {
            clear,
            ray,
            t,
            point,
            normal,
            cut: false,
            behind: end.light,
            far: end.t,
        };
        end.light = mix(end.light, shade(context, &hit), cover);
    }
    end
}

/// Returns the intersection of `ray` with the surface of the opaque medium `clear` before the
/// distance `far` (cells). `pace`: range and step of the search.
pub(crate) fn crossed(
    context: &ShadeContext,
    clear: &Clear,
    (ray, far): (&Ray, f32),
    pace: Pace,
) -> Crossing {
    let (field, tall) = (&clear.field, context.look.cell_height);
    match clear.look.preset {
        Preset::Leaves => field.cross_by(ray, (far, ISO), pace, |p, density| {
            leaves::leafy(in_widths(p, tall), density)
        }),
        Preset::Wall => field.cross_by(ray, (far, ISO), pace, |p, _| {
            field.density(built::sharpened(p))
        }),
        _ => field.cross(ray, far, ISO, pace),
    }
}

/// Returns true if matter of the preset `preset` stands on the ground without spreading into a thin
/// sheet at its foot.
fn stands(preset: Preset) -> bool {
    matches!(preset, Preset::Leaves | Preset::Wall | Preset::Roof)
}

/// Returns the fraction of its light (0 to 1) that the ground at `point` (cells) keeps below and
/// next to the matter `clear`, which stands on it.
fn footed(clear: &Clear, point: V3) -> f32 {
    let above = |(high, share): (f32, f32)| share * clear.field.density(point + v3(0.0, high, 0.0));
    1.0 - FOOT.into_iter().map(above).fold(0.0, f32::max)
}

/// Returns `end`, the end of `ray` on rock, after thin sheets of materials cover the rock and
/// matter that stands there darkens it.
fn filmed(context: &ShadeContext, ray: &Ray, mut end: End) -> End {
    let point = ray.at(end.t);
    let above = point + v3(0.0, 0.5, 0.0);
    for clear in context
        .solids
        .iter()
        .filter(|clear| stands(clear.look.preset))
    {
        end.light *= footed(clear, point);
    }
    let near = |clear: &&Clear| clear.field.is_occupied(point) || clear.field.is_occupied(above);
    for clear in context
        .solids
        .iter()
        .filter(|clear| !stands(clear.look.preset))
        .filter(near)
    {
        // Maximum of two positions: a film lies in the cells of the rock's surface or just above.
        let density = clear.field.density(point).max(clear.field.density(above));
        if density <= LEAST {
            continue;
        }
        let ground = context.land.block.normal(point.x, point.z, COATED);
        let film = if wets(clear.look.preset) && context.land.is_stone() {
            Film::smooth(context, clear, (above, density), (ground, ENDS_ON_GROUND))
        } else {
            Film {
                cover: ragged(clear.look.preset, point, density),
                normal: ground,
            }
        };
        if film.cover > 0.0 {
            let (normal, behind, far) = (film.normal, end.light, end.t);
            let hit = Hit {
                clear,
                ray,
                t: end.t,
                point,
                normal,
                cut: false,
                behind,
                far,
            };
            end.light = mix(end.light, shade(context, &hit), film.cover);
        }
    }
    end
}

/// Returns the coverage (0 to 1) of rough ground at the point `p` (cells) by a thin sheet of the
/// material `preset` with the density `density`; the sheet has a ragged edge.
fn ragged(preset: Preset, p: V3, density: f32) -> f32 {
    let ragged = density * (1.0 + 0.35 * noise::fractal(p * 1.2, 2));
    let least = if preset == Preset::Ice {
        0.55 * ISO
    } else {
        VEIL
    };
    smoothstep(least, 0.8 * ISO, ragged)
}

/// Returns `light` of the smooth material at `hit` covered with thin sheets of the materials that
/// follow in the list of media. `number`: index of the material at `hit` in that list; only the
/// first material (0) is covered.
fn wetted(context: &ShadeContext, hit: &Hit, number: usize, light: V3) -> V3 {
    if number > 0 || hit.cut || !wets(hit.clear.look.preset) {
        return light;
    }
    let films = context.solids[number + 1..]
        .iter()
        .filter(|clear| wets(clear.look.preset) && clear.field.is_occupied(hit.point));
    films.fold(light, |light, clear| {
        let density = clear.field.density(hit.point);
        let film = Film::smooth(
            context,
            clear,
            (hit.point, density),
            (hit.normal, ENDS_ON_SOLID),
        );
        if film.cover <= 0.0 {
            return light;
        }
        mix(
            light,
            shade(
                context,
                &Hit {
                    clear,
                    normal: film.normal,
                    ..*hit
                },
            ),
            film.cover,
        )
    })
}

/// Sheet of a material on another surface, too thin for a surface of its own.
struct Film {
    /// Fraction (0 to 1) of the surface below that the sheet covers.
    cover: f32,
    /// Outward unit normal of the sheet.
    normal: V3,
}

impl Film {
    /// Returns the thin sheet of the liquid `clear`, of the density `density`, at the point `p`
    /// (cells) on a smooth surface with the unit normal `normal`. The sheet ends at a sharp line
    /// with a rounded lip, where its density falls below the fractions `ends` (see
    /// `ENDS_ON_GROUND`) of the density further inside.
    fn smooth(
        context: &ShadeContext,
        clear: &Clear,
        (p, density): (V3, f32),
        (normal, ends): (V3, [f32; 2]),
    ) -> Self {
        let seen = smoothstep(WETS[0], WETS[1], density);
        if seen <= 0.0 {
            return Self { cover: 0.0, normal };
        }
        let (along, normal) = edge(context, clear, p, normal);
        let inside = p + in_cells(along / (along.norm() + 1e-4), context.look.cell_height) * INSIDE;
        let share = density / clear.field.density(inside).max(density);
        Self {
            cover: seen * smoothstep(ends[0], ends[1], share),
            normal,
        }
    }
}

/// Returns the unit normal with which a smooth material is drawn at the point `p` (cells):
/// `normal`, or near the ground the normal of the thin sheet at the material's foot. With `normal`
/// alone, the foot would be a dark edge with a pale sheet in front.
fn lipped(context: &ShadeContext, clear: &Clear, p: V3, normal: V3) -> V3 {
    let high = p.y - context.land.block.heights.at(p.x, p.z);
    if high >= LIP || !wets(clear.look.preset) || !context.land.is_stone() {
        return normal;
    }
    let ground = context.land.block.normal(p.x, p.z, COATED);
    let film = edge(context, clear, p, ground).1;
    unit_or_up(mix(film, normal, smoothstep(0.0, LIP, high)))
}

/// Returns the gradient of the density of a thin sheet of liquid along the surface with the unit
/// normal `normal` at the point `p` (cells), and the unit normal of the sheet.
fn edge(context: &ShadeContext, clear: &Clear, p: V3, normal: V3) -> (V3, V3) {
    let tall = context.look.cell_height;
    let rise = in_cells(clear.field.gradient(p, REACH), tall);
    let along = rise - normal * rise.dot(&normal);
    (along, unit_or_up(normal - along * tall))
}

/// Returns true if thin sheets of a material of the preset `preset` have a smooth edge, and may lie
/// on smooth materials.
fn wets(preset: Preset) -> bool {
    matches!(preset, Preset::Wax | Preset::Gloss | Preset::Metal)
}

/// Returns the outward unit normal of the surface of the medium `clear` at the point `p` (cells),
/// from density differences over a distance that depends on the material: wide for grains and
/// glossy or waxy matter, on which single cells would show as steps.
fn normal(clear: &Clear, p: V3) -> V3 {
    match clear.look.preset {
        Preset::Sand | Preset::Ash | Preset::Wax => even(clear, p, 2.6),
        Preset::Gloss => even(clear, p, SHINING),
        preset @ (Preset::Wall | Preset::Roof) => built::normal(&clear.field, preset, p),
        _ => clear.field.normal(p),
    }
}

/// Returns the outward unit normal, without relief, of the opaque material `clear` at the point `p`
/// (cells).
pub(crate) fn shape(clear: &Clear, p: V3) -> V3 {
    normal(clear, p)
}

/// Returns the outward unit normal of the medium `clear` at the point `p` (cells) from central
/// differences of its density over ± `wide` cells, plus half of the differences over half that
/// width.
fn even(clear: &Clear, p: V3, wide: f32) -> V3 {
    clear
        .field
        .upright(clear.field.gradient(p, wide) + clear.field.gradient(p, 0.5 * wide) * 0.5)
}

/// Returns the linear RGB light from the surface at `hit` towards the camera, attenuated and lit by
/// the haze between.
fn shade(context: &ShadeContext, hit: &Hit) -> V3 {
    let light = match hit.clear.look.preset {
        Preset::Ice => ice::light(context, hit),
        Preset::Rubble => {
            let skin = Skin {
                point: hit.point,
                normal: hit.normal,
                view: context.view(hit.ray),
                cut: false,
            };
            broken(context, &skin, hit.clear.look.waves)
        }
        Preset::Leaves => leaves::light(context, hit),
        Preset::Wall | Preset::Roof => built::light(context, hit),
        Preset::Wax => smooth::light(context, hit, &smooth::WAX),
        Preset::Gloss => smooth::light(context, hit, &smooth::GLOSS),
        Preset::Metal => smooth::light(context, hit, &smooth::METAL),
        _ => grains::light(context, hit),
    };
    context.hazed(hit.ray, hit.t, light)
}

/// Surface of an opaque material without the light that falls on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    /// Unit normal of the shape, without relief.
    pub(crate) shape: V3,
    /// Unit normal with relief.
    pub(crate) normal: V3,
    /// Diffuse albedo, linear RGB; of metal, the reflectance.
    pub(crate) albedo: V3,
    /// Reflectance at normal incidence of a smooth coat, 0 for none.
    pub(crate) coat: f32,
    /// Width of the microfacets of coat or metal, 0 to 1.
    pub(crate) rough: f32,
    pub(crate) is_metal: bool,
    /// Share (0 to 1) of the surface that there is: less for loose grains.
    pub(crate) cover: f32,
    /// Mean distance in cell widths that light gets inside, for red, green and blue; `None` if it
    /// leaves where it entered.
    pub(crate) enters: Option<V3>,
}

/// Factors on the distance that light gets in wax, and on the albedo of wax, for light that is
/// followed inside. Chosen by eye.
const MILKY: [f32; 2] = [1.5, 1.7];
/// Factor on the albedo of foliage for the light that leaves let pass to their neighbours, of which
/// `Made` knows nothing. Chosen by eye.
const LEAVES: f32 = 1.6;
/// Widths of the microfacets of wax, of gloss, of metal, and of oxide on metal. Chosen by eye.
const WIDTHS: [f32; 4] = [0.28, 0.06, 0.10, 0.45];

/// Returns the surface of the material `clear` at the distance `t` (cells) along `ray`. `face`:
/// outward normal of the plane that cuts the material open there, `None` on its own surface.
pub(crate) fn made(
    context: &ShadeContext,
    clear: &Clear,
    ray: &Ray,
    (t, face): (f32, Option<V3>),
) -> Made {
    let point = ray.at(t);
    let shape = face.unwrap_or_else(|| lipped(context, clear, point, normal(clear, point)));
    let hit = Hit {
        clear,
        ray,
        t,
        point,
        normal: shape,
        cut: face.is_some(),
        behind: V3::zeros(),
        far: t,
    };
    let matt = |normal: V3, albedo: V3| Made {
        shape,
        normal,
        albedo,
        coat: 0.0,
        rough: 1.0,
        is_metal: false,
        cover: grains::frayed(context, &hit),
        enters: None,
    };
    let [of_wax, of_gloss, of_metal, of_oxide] = WIDTHS;
    match clear.look.preset {
        Preset::Rubble => {
            let (normal, albedo) =
                crate::lava::crust::rubbly(context, (point, shape), clear.look.waves);
            matt(normal, albedo)
        }
        Preset::Leaves => {
            // Gaps are shapes here, which shade themselves.
            let made = leaves::made(context, &hit);
            matt(made.normal, made.albedo * LEAVES)
        }
        Preset::Wall | Preset::Roof => matt(shape, built::albedo(context, &hit)),
        Preset::Wax | Preset::Gloss => {
            let (shine, rough) = match clear.look.preset {
                Preset::Wax => (&smooth::WAX, of_wax),
                _ => (&smooth::GLOSS, of_gloss),
            };
            let (normal, albedo, _) = smooth::made(&hit, shine);
            let is_milky = clear.look.preset == Preset::Wax && face.is_none();
            let [reach, pale] = MILKY;
            Made {
                coat: 0.04,
                rough,
                enters: is_milky.then_some(ENTERS * reach),
                ..matt(normal, if is_milky { albedo * pale } else { albedo })
            }
        }
        Preset::Metal => {
            let (normal, oxide, skin) = smooth::made(&hit, &smooth::METAL);
            let bright = V3::from(clear.look.linear_color()) * smooth::METAL.mirrors;
            Made {
                rough: of_metal + (of_oxide - of_metal) * skin,
                is_metal: true,
                ..matt(normal, mix(bright, oxide, 0.5 * skin))
            }
        }
        Preset::Ice => matt(shape, V3::repeat(0.9)),
        _ => {
            let (albedo, normal) = grains::made(context, &hit);
            matt(normal, albedo)
        }
    }
}

/// Returns the coverage (0 to 1) of a smooth material at the point `p` (cells) with the unit normal
/// `normal` by a thin sheet of the material `clear`, and the unit normal of the sheet.
pub(crate) fn sheet_on(context: &ShadeContext, clear: &Clear, (p, normal): (V3, V3)) -> (f32, V3) {
    if !wets(clear.look.preset) || !clear.field.is_occupied(p) {
        return (0.0, normal);
    }
    let density = clear.field.density(p);
    let film = Film::smooth(context, clear, (p, density), (normal, ENDS_ON_SOLID));
    (film.cover, film.normal)
}

/// Returns true if thin sheets may cover the material `clear`.
pub(crate) fn is_wetted(clear: &Clear) -> bool {
    wets(clear.look.preset)
}

/// Returns the coverage (0 to 1) of the ground at the point `p` (cells) by a thin sheet of the
/// material `clear`, and the unit normal of the sheet.
pub(crate) fn sheet(context: &ShadeContext, clear: &Clear, p: V3) -> (f32, V3) {
    let above = p + v3(0.0, 0.5, 0.0);
    let is_near = clear.field.is_occupied(p) || clear.field.is_occupied(above);
    if stands(clear.look.preset) || !is_near {
        return (0.0, V3::y());
    }
    let density = clear.field.density(p).max(clear.field.density(above));
    if density <= LEAST {
        return (0.0, V3::y());
    }
    let ground = context.land.block.normal(p.x, p.z, COATED);
    if wets(clear.look.preset) && context.land.is_stone() {
        let film = Film::smooth(context, clear, (above, density), (ground, ENDS_ON_GROUND));
        return (film.cover, film.normal);
    }
    (ragged(clear.look.preset, p, density), ground)
}
