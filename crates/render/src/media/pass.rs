//! Light that translucent media, gases and smoke scatter and absorb along a ray, in front of the
//! ray's end on lava, rock or sky: surfaces and stretches between them, from front to back.

use crate::camera::Ray;
use crate::math::{V3, mix, times};
use crate::media::clear::{Clear, ISO, LEAST};
use crate::media::events::{Event, Events};
use crate::media::solid::COATED;
use crate::media::steam::Stretch;
use crate::media::transmittance::{CLOSED, Passed};
use crate::media::water::Surface;
use crate::media::{plume, sea, steam, water};
use crate::style::shading::ShadeContext;
use crate::style::tracer::Sight;
use crate::volume::field::{Border, Pace};
use crate::volume::tiles::{Others, Reach};
use lavoxel_automaton::view::MaterialLook;

/// Length of the ray segments in which smoke and gases are integrated alternately, in sample
/// distances of the smoke.
pub const TURN: f32 = 4.0;
/// Distance in cells behind a ray's exit from a medium at which the density is tested: where the
/// density is low there, the exit is a surface, otherwise a side of the simulation box.
const BEYOND: f32 = 0.3;
/// Tolerance in cells: without smoke, interpolated gas is used for a ray if it ends at most this
/// far from the ray's end.
const GAS: f32 = 2.0;

/// Calls `put` with the index of the medium, the distance (cells) and the kind of each border of
/// translucent media on `ray` up to the distance `far`, in order of distance; the sea around the
/// simulation box belongs to its liquid. Borders beyond the first `MOST` are left out.
pub(crate) fn borders(
    context: &ShadeContext,
    ray: &Ray,
    (far, pace): (f32, Pace),
    mut put: impl FnMut(usize, f32, Border),
) {
    let mut events = Events::along(context.clear, ray, far, pace);
    if let Some(sea) = &context.sea {
        sea.join(&mut events, ray, far);
    }
    for event in events.all() {
        put(event.medium, event.t, event.border);
    }
}

/// Set of the translucent media in which a point of a ray lies.
#[derive(Clone, Copy, Debug, Default)]
struct Inside {
    /// Bit set of the media that contain the point; bit i stands for the medium with the index i in
    /// `ShadeContext::clear`.
    media: u32,
    /// Set if the ray entered the media through a side of the simulation box's visible region.
    by_pane: bool,
}

/// Returns true if more of the liquid `clear` lies around and below the point `p` (cells) on its
/// surface; the surface then belongs to a ripple and not to a drop or stream.
fn lies(clear: &Clear, p: V3) -> bool {
    let [aside, down] = water::LIES;
    let is_wet = |x: f32, z: f32| clear.field.density(p + V3::new(x, -down, z)) >= ISO;
    (is_wet(aside, 0.0) && is_wet(-aside, 0.0)) || (is_wet(0.0, aside) && is_wet(0.0, -aside))
}

/// Returns the light and transmittance of gases and smoke along `ray` up to the distance `far`
/// (cells), for rays that meet no translucent medium. `sight`: jitter, and ranges of distances in
/// which there are gases and smoke.
pub(crate) fn pass_clouds(context: &ShadeContext, ray: &Ray, far: f32, sight: Sight) -> Passed {
    let mut passed = Passed::NOTHING;
    between(
        context,
        &mut passed,
        ray,
        Inside::default(),
        (0.0, far),
        sight,
    );
    passed
}

/// Returns the light and transmittance of all translucent media, gases and smoke along `ray` up to
/// the distance `far` (cells). `sight`: jitter, ranges of distances in which there are media, and
/// interpolated gas.
pub(crate) fn pass(context: &ShadeContext, ray: &Ray, far: f32, sight: Sight) -> Passed {
    let edge = context.smoke.map_or(GAS, |field| field.smoke.edge());
    if context.clear.is_empty()
        && let Some(veil) = sight.veil.filter(|veil| veil.fits(far, edge))
    {
        return Passed::behind(&veil);
    }
    let pace = sight.pace(context.look.step, sight.others.clear);
    let mut events = Events::along(context.clear, ray, far, pace);
    if let Some(sea) = &context.sea {
        sea.join(&mut events, ray, far);
    }
    // An interpolated veil assumes gas only in front of the first surface. If gas follows behind a
    // surface, the veil is unusable and the ray integrates the gas itself.
    let open = events.all().first().map_or(far, |event| {
        if event.border == Border::Inside {
            0.0
        } else {
            event.t
        }
    });
    let veil = sight.veil.filter(|veil| veil.fits(open, edge));
    let others = veil.map_or(sight.others, |_| Others {
        gas: Reach::NONE,
        ..sight.others
    });
    let sight = Sight { others, ..sight };
    let mut passed = veil.as_ref().map_or(Passed::NOTHING, Passed::behind);
    let (mut inside, mut at) = (Inside::default(), 0.0);
    for (k, event) in events.all().iter().enumerate() {
        between(context, &mut passed, ray, inside, (at, event.t), sight);
        at = event.t;
        passed.first = passed.first.min(event.t);
        let bit = 1 << event.medium;
        match event.border {
            Border::Leaves => inside.media &= !bit,
            Border::Inside => inside.media |= bit,
            Border::Enters | Border::Cut(_) => {
                let submerged = inside.media & !bit != 0;
                let sunken = inside.media & (bit - 1) != 0;
                inside.media |= bit;
                if !submerged {
                    inside.by_pane = matches!(event.border, Border::Cut(_));
                }
                if sunken {
                    continue;
                }
                let clear = &context.clear[event.medium];
                let point = ray.at(event.t);
                if !submerged && passed.first < event.t {
                    air(context, &mut passed, ray, event.t);
                }
                let beyond = context.sea.map_or(0.0, |sea| sea.beyond(point));
                if beyond > 0.0 {
                    distance(context, &mut passed, ray, beyond);
                }
                let away = event.t * context.pace(ray);
                let normal = match event.border {
                    Border::Cut(face) => face,
                    _ if beyond > 0.0 => water::rippled(context, clear.look, point, V3::y(), away),
                    _ => water::rippled(
                        context,
                        clear.look,
                        point,
                        water::level(&clear.field, point),
                        away,
                    ),
                };
                let rough = water::roughness(context, clear.look, point, away);
                let Surface { mirrored, share } =
                    water::surface(context, ray, point, (normal, rough));
                let share = if submerged {
                    share * water::SUBMERGED
                } else {
                    share
                };
                let small = match event.border {
                    Border::Enters if !submerged && beyond <= 0.0 => {
                        smallness(&events, context.clear, ray, (k, far))
                    }
                    _ => 0.0,
                };
                let (mirrored, share) = water::of_drop(context, point, small, (mirrored, share));
                passed.light += times(passed.through, mirrored * share);
                passed.through *= 1.0 - share;
                if matches!(event.border, Border::Cut(_)) && !submerged {
                    passed.light += times(
                        passed.through,
                        water::edge(context, point, clear.field.density(point)),
                    );
                }
                tint(context, &mut passed, point, (event.medium, inside.media));
                foam(context, &mut passed, clear.look, (point, normal), small);
            }
        }
        passed.ends_inside = matches!(event.border, Border::Leaves) && event.t >= far;
    }
    if context.is_cloudy() {
        between(context, &mut passed, ray, inside, (at, far), sight);
    }
    passed
}

/// Adds to `passed` the haze between the first medium that the ray meets and a surface behind that
/// medium, at the distance `t` (cells). The haze in front of the first medium is added later, for
/// the whole ray.
fn air(context: &ShadeContext, passed: &mut Passed, ray: &Ray, t: f32) {
    let clear = context.clear_air(ray, t) / context.clear_air(ray, passed.first).max(1e-6);
    passed.light += times(passed.through, context.sky.haze(context.view(ray))) * (1.0 - clear);
    passed.through *= clear;
}

/// Adds haze over the sea to `passed`, which lets the sea fade into the horizon; `beyond`: distance
/// in cells of the point on the sea from the simulation box.
fn distance(context: &ShadeContext, passed: &mut Passed, ray: &Ray, beyond: f32) {
    let Some(sea) = &context.sea else { return };
    let hidden = 1.0 - (-beyond / sea.far()).exp();
    passed.light += times(
        passed.through,
        context
            .sky
            .air(sea::level_way(ray, context.look.cell_height)),
    ) * hidden;
    passed.through *= 1.0 - hidden;
}

/// Integrates the ray segment between two surfaces, from `from` to `to` (cells), and adds the
/// result to `passed`: absorption in the media `inside`, or gas and smoke if `inside` is empty.
fn between(
    context: &ShadeContext,
    passed: &mut Passed,
    ray: &Ray,
    inside: Inside,
    (from, to): (f32, f32),
    sight: Sight,
) {
    match inside.media == 0 && context.is_cloudy() {
        true => {
            let gas = sight.others.gas;
            let (from, to) = (from.max(gas.near), to.min(gas.far));
            if from < to {
                cloud(
                    context,
                    passed,
                    Stretch {
                        ray,
                        from,
                        to,
                        jitter: sight.jitter,
                    },
                );
            }
        }
        false => absorb(context, passed, ray, inside, (from, to)),
    }
}

/// Integrates gases and smoke along the ray segment `stretch` and adds the result to `passed`.
/// Where both may occur, short segments of each are integrated alternately, so that their order has
/// little effect.
fn cloud(context: &ShadeContext, passed: &mut Passed, stretch: Stretch) {
    let Stretch { ray, from, to, .. } = stretch;
    let (fog, field) = match (context.fog, context.smoke) {
        (Some(fog), Some(field)) => (fog, field),
        (fog, smoke) => {
            fog.into_iter()
                .for_each(|fog| steam::scatter(context, fog, passed, stretch));
            smoke
                .into_iter()
                .for_each(|field| plume::scatter(context, field, passed, stretch));
            return;
        }
    };
    let spans = [fog.span(ray, to), field.span(ray, to)]
        .into_iter()
        .flatten();
    let Some((near, far)) = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
        return;
    };
    let (mut at, far) = (near.max(from), far.min(to));
    while at < far {
        let part = Stretch {
            from: at,
            to: (at + TURN * field.step()).min(far),
            ..stretch
        };
        steam::scatter(context, fog, passed, part);
        plume::scatter(context, field, passed, part);
        if passed.through.max() <= CLOSED || part.to <= at {
            return;
        }
        at = part.to;
    }
}

/// Tints the surface of the medium with the index `medium` at `point` (cells) by thin sheets of
/// lighter liquids that float on it, in proportion to their density; such sheets have no surface of
/// their own. `inside`: bit set of the media that contain the point.
fn tint(context: &ShadeContext, passed: &mut Passed, point: V3, (medium, inside): (usize, u32)) {
    let above = point + V3::new(0.0, 0.5, 0.0);
    let lighter = context
        .clear
        .iter()
        .enumerate()
        .skip(medium + 1)
        .filter(|(k, _)| inside >> k & 1 == 0);
    for (_, clear) in lighter
        .filter(|(_, clear)| clear.field.is_occupied(point) || clear.field.is_occupied(above))
    {
        let film = clear.field.density(point).max(clear.field.density(above));
        if film <= LEAST {
            continue;
        }
        let kept = (clear.liquid.absorbed * -film).map(f32::exp);
        let scattered = water::scattered(context, &clear.liquid, point);
        passed.light += times(passed.through, times(V3::repeat(1.0) - kept, scattered));
        passed.through = times(passed.through, kept);
    }
}

/// Adds the light of foam on a water surface at `point` (cells) to `passed`: foam forms next to
/// gas, on breaking waves, and on drops (`small`: degree of being a drop, 0 to 1).
fn foam(
    context: &ShadeContext,
    passed: &mut Passed,
    look: &MaterialLook,
    (point, normal): (V3, V3),
    small: f32,
) {
    let gas = context.fog.map_or(0.0, |fog| fog.density(point + normal));
    let cover = water::foam(context, look, (point, normal), (gas, small));
    if cover > 0.0 {
        passed.light += times(passed.through, water::foam_light(context, point, normal)) * cover;
        passed.through *= 1.0 - cover;
    }
}

/// Integrates absorption and scattering along the ray segment from `from` to `to` (cells) inside
/// translucent media and adds the result to `passed`. Only the first (heaviest) medium counts,
/// because smoothed densities of lighter liquids extend into heavier ones, as into rock.
fn absorb(
    context: &ShadeContext,
    passed: &mut Passed,
    ray: &Ray,
    inside: Inside,
    (from, to): (f32, f32),
) {
    if inside.media == 0 || to <= from {
        return;
    }
    let clear = &context.clear[inside.media.trailing_zeros() as usize];
    let liquid = &clear.liquid;
    let kept = (liquid.absorbed * ((from - to) * context.pace(ray))).map(f32::exp);
    let middle = ray.at(0.5 * (from + to));
    let scattered = water::scattered(context, liquid, middle);
    let scattered = if inside.by_pane {
        times(scattered, water::sunk(context, clear, middle))
    } else {
        scattered
    };
    passed.light += times(passed.through, times(V3::repeat(1.0) - kept, scattered));
    passed.through = times(passed.through, kept);
}

/// Returns the linear RGB light of rock at the distance `t` (cells) along `ray`, wetted by liquid
/// too thin for a surface of its own; the liquid darkens the rock and reflects light. `behind`:
/// light of the dry rock.
pub(crate) fn filmed(context: &ShadeContext, ray: &Ray, t: f32, behind: V3) -> V3 {
    let p = ray.at(t);
    context.clear.iter().fold(behind, |behind, clear| {
        let above = p + V3::new(0.0, 0.5, 0.0);
        if !clear.field.is_occupied(p) && !clear.field.is_occupied(above) {
            return behind;
        }
        let film = clear.field.density(p).max(clear.field.density(above));
        let cover = crate::math::smoothstep(LEAST, 0.6 * ISO, film);
        if cover <= 0.0 {
            return behind;
        }
        let ground = context.land.block.normal(p.x, p.z, COATED);
        let normal = water::rippled(context, clear.look, p, ground, t * context.pace(ray));
        let Surface { mirrored, share } = water::surface(context, ray, p, (normal, 0.0));
        let wet = times(behind, water::WET) * (1.0 - share) + mirrored * share;
        mix(behind, wet, cover)
    })
}

/// Returns the degree (0 to 1) to which the body of liquid that the ray enters at the event
/// with the index `entered` is a drop: 1 for a drop or thin stream, decreasing with the ray's
/// length inside, 0 if the ray does not leave the body into the air before `far` (cells).
fn smallness(events: &Events, media: &[Clear], ray: &Ray, (entered, far): (usize, f32)) -> f32 {
    let Event { t, medium, .. } = events.all()[entered];
    let mut after = events.all()[entered + 1..].iter();
    match after.find(|event| event.medium == medium && matches!(event.border, Border::Leaves)) {
        // Outside of the simulation box, densities repeat the value at its side: a body cut by
        // the side continues there and is no drop.
        Some(left)
            if left.t < far && media[medium].field.density(ray.at(left.t + BEYOND)) < ISO =>
        {
            let small = (1.0 - (left.t - t) / water::DROP).max(0.0);
            if small > 0.0 && lies(&media[medium], ray.at(t)) {
                0.0
            } else {
                small
            }
        }
        _ => 0.0,
    }
}
