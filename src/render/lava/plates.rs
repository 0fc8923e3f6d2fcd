//! The pattern of the crust: cellular plates on warped coordinates, with ropes and grain, riding on the flow.
//!
//! The volume holds no velocities, so the motion is an approximation: downhill, faster where the lava glows. Advected for
//! long, the pattern would stretch into threads. Two copies, half a period apart, therefore each move for one period from
//! upstream to downstream of their place and restart while only the other one is shown. The picture depends on the step
//! alone, not on the frames before it.

use crate::render::math::{V3, lerp, saturate, smoothstep, v3};
use crate::render::noise;
use crate::render::style::shading::ShadeContext;
use crate::view::LookSpec;

/// Plates ride this many plate widths before they are renewed, at full speed.
pub(crate) const RIDE: f32 = 1.6;

/// Most plate widths by which one place runs ahead of another at full speed: plates are drawn out and torn here, and closer together
/// there. Width of such places, in plates.
pub(crate) const SHEAR: f32 = 2.2;
pub(crate) const SHEARED: f32 = 2.3;

/// Share of a crack that is left between plates that hang together, and of the step between their edges.
pub(crate) const MENDED: f32 = 0.22;
pub(crate) const LEVELLED: f32 = 0.45;

/// Folds of a crust in the height of a plate.
pub(crate) const FOLDS: f32 = 5.5;

/// Size of the blocks of rubble, in plates of lava.
pub(crate) const BLOCKS: f32 = 0.75;

/// State of the crust at a point, before light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    /// 0 crust, 1 open.
    pub(crate) molten: f32,
    /// Slope of the crust's relief.
    pub(crate) slope: V3,
    /// A number per plate, 0..1.
    pub(crate) tone: f32,
    /// Fine irregularity, about -1..1.
    pub(crate) grain: f32,
}

/// Where one copy of the pattern is in its ride.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    /// 0 at the beginning of its ride, half a ride upstream; 1 at the end.
    pub(crate) phase: f32,
    /// Shift of the pattern in cells: each round shows another part of it, so that plates do not repeat.
    pub(crate) offset: f32,
}

/// Width of plates in cells.
pub(crate) fn plate_size(look: &LookSpec, unit: f32) -> f32 {
    look.plate_size.unwrap_or(3.6 * unit)
}

/// The two copies after so many steps, or `None` when the crust does not ride. At step 0 the first is in the middle.
pub(crate) fn copies(look: &LookSpec, unit: f32, steps: f64) -> Option<[Copy; 2]> {
    if look.drift <= 0.0 {
        return None;
    }
    let size = plate_size(look, unit);
    let turns = steps * f64::from(look.drift / (RIDE * size));
    Some([0.5, 0.0].map(|shift| {
        let round = (turns + shift).floor() as f32;
        Copy { phase: (turns + shift).rem_euclid(1.0) as f32, offset: (round * 0.618).fract() * 64.0 * size }
    }))
}

/// The pattern at `p` where the lava's heat is `heat`, after the ride.
pub(crate) fn carried(context: &ShadeContext, p: V3, heat: f32) -> Pattern {
    let unit = context.land.unit;
    let size = plate_size(context.look, unit);
    let make = |q: V3| pattern(q, size, (heat, context.look.crust), unit);
    let flow = flow(context, p);
    let [first, second] = match copies(context.look, unit, context.steps) {
        Some(copies) if flow.norm_squared() >= 1e-6 => copies,
        _ => return make(p),
    };
    let shear = SHEAR * noise::gradient(p / (SHEARED * size) + v3(2.0, 7.0, 5.0));
    let place = |copy: Copy| p - flow * (size * (RIDE * (copy.phase - 0.5) + shear)) + V3::repeat(copy.offset);
    let weight = 1.0 - (2.0 * second.phase - 1.0).abs();
    // Patches change over one after another; a fade everywhere at once would blur the whole skin halfway.
    let patch = noise::gradient(p / (1.3 * size) + v3(6.0, 1.0, 3.0));
    match smoothstep(0.44, 0.56, weight + 0.25 * patch * (1.0 - (2.0 * weight - 1.0).abs())) {
        0.0 => make(place(first)),
        1.0 => make(place(second)),
        share => blend(&make(place(first)), &make(place(second)), share),
    }
}

/// The pattern of rubble: small plates that are closed and do not ride.
pub(crate) fn rubble(context: &ShadeContext, p: V3) -> Pattern {
    let unit = context.land.unit;
    let size = BLOCKS * plate_size(context.look, unit);
    Pattern { molten: 0.0, ..pattern(p, size, (0.0, 1.0), unit) }
}

/// Direction and relative speed of the flow at `p`, at most 1.
fn flow(context: &ShadeContext, p: V3) -> V3 {
    let slope = context.land.slope.at(p.x, p.z);
    let glow = smoothstep(0.05, 0.9, context.ember.strength(p));
    let steep = slope.norm_squared();
    // Down the surface; half of full speed on a slope of 1 in 2.
    v3(-slope.x, -steep, -slope.y) * (glow / (0.5 + steep.sqrt()) / (1.0 + steep).sqrt())
}

fn blend(a: &Pattern, b: &Pattern, share: f32) -> Pattern {
    Pattern {
        molten: lerp(a.molten, b.molten, share),
        slope: a.slope.lerp(&b.slope, share),
        tone: lerp(a.tone, b.tone, share),
        grain: lerp(a.grain, b.grain, share),
    }
}

fn pattern(p: V3, size: f32, (heat, crust): (f32, f32), unit: f32) -> Pattern {
    // Longer down steep flanks than across them, as plates are that ride on a flow.
    let q = v3(p.x, p.y * 0.66, p.z) / size;
    let bend = v3(
        noise::fractal(q * 0.9 + v3(5.0, 2.0, 9.0), 2),
        noise::fractal(q * 0.9 + v3(3.0, 8.0, 1.0), 2),
        noise::fractal(q * 0.9 + v3(8.0, 4.0, 6.0), 2),
    );
    let grain = noise::fractal(p * (2.2 / unit), 3);
    let warped = q + bend * 0.55 + V3::repeat(grain * 0.03);
    let large = noise::plate(warped);
    let small = noise::plate(warped * 2.6 + v3(4.0, 7.0, 2.0));
    let drift = noise::fractal(q * 0.42 + v3(1.0, 9.0, 4.0), 3);
    let closed = saturate(crust * (1.16 - 0.72 * heat + 0.55 * drift));
    // Cracks narrow to hairlines as the crust closes; where it is torn, plates shrink to islands. Their flanks are
    // soft, so that the glow runs from yellow through orange to red.
    let gap = 0.20 * (1.0 - closed) * (1.0 - closed);
    let soft = 0.10 + 0.26 * (1.0 - closed);
    let mended = 1.0 - large.joined * (1.0 - MENDED);
    let crack = (1.0 - saturate((large.edge - gap * mended) / (soft * mended.sqrt()))) * mended;
    let hair = (1.0 - smoothstep(0.0, 0.10, small.edge)) * smoothstep(0.95, 0.40, closed) * 0.7;
    let torn = smoothstep(0.34, 0.0, closed) * 0.9;
    let molten = saturate(crack.max(hair).max(torn) + 0.12 * grain * (1.0 - closed)) * smoothstep(1.14, 0.80, closed);
    // Plates are domed: steep at their edges, flat in the middle. The slope follows from the distance to the edge.
    let rise = |plate: &noise::Plate, width: f32, height: f32| {
        plate.inward * (height / width * (1.0 - smoothstep(0.0, width, plate.edge)))
    };
    // Folds lie across the way down: along lines of one height.
    let fold = noise::gradient(v3(1.4 * warped.x, FOLDS * warped.y, 1.4 * warped.z));
    let rope = noise::gradient(warped * 3.1) * 0.22 + fold * 0.26;
    let slope = rise(&large, 0.30, 0.26 * (1.0 - large.joined * (1.0 - LEVELLED)))
        + rise(&small, 0.22, 0.10)
        + v3(rope + grain * 0.5, grain * 0.5, grain * 0.4 - rope);
    Pattern { molten, slope, tone: large.tone, grain }
}
