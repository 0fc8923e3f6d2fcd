//! The pattern of the crust: cellular plates on warped coordinates, with ropes and grain, riding on the flow.
//!
//! The volume holds no velocities, so the ride is a likeness: downhill, faster where it glows. Following it for long
//! would draw the pattern out into threads. Two copies, half a period apart, therefore each ride for one period from
//! upstream to downstream of their place and start again while only the other is seen. The picture depends on the step
//! alone, not on the frames before it.

use super::crust::Stage;
use super::math::{V3, lerp, saturate, smoothstep, v3};
use super::noise;

/// Plates ride this many plate widths before they are renewed, at full speed.
const RIDE: f32 = 1.6;

/// What the crust is like at a point, before light.
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

/// The pattern at `p` where the lava's heat is `heat`, after the ride.
pub(crate) fn carried(stage: &Stage, p: V3, heat: f32) -> Pattern {
    let size = stage.look.plate_size.unwrap_or(3.6 * stage.land.unit);
    let make = |q: V3| pattern(q, size, (heat, stage.look.crust), stage.land.unit);
    let flow = flow(stage, p);
    if stage.look.drift <= 0.0 || flow.norm_squared() < 1e-6 {
        return make(p);
    }
    let ride = RIDE * size;
    let turns = stage.steps * f64::from(stage.look.drift / ride);
    // Each copy runs from half a ride upstream to half a ride downstream; at step 0 the first is in the middle.
    let copy = |shift: f64| {
        let phase = (turns + shift).rem_euclid(1.0) as f32;
        let weight = 1.0 - (2.0 * phase - 1.0).abs();
        let round = (turns + shift).floor() as f32;
        // Every round is another pattern, or the eye would see the same plates return.
        (weight, p - flow * (ride * (phase - 0.5)) + V3::repeat((round * 0.618).fract() * 64.0 * size))
    };
    let ((_, p1), (weight, p2)) = (copy(0.5), copy(0.0));
    // Patches change over one after another; a fade everywhere at once would blur the whole skin halfway.
    let patch = noise::gradient(p / (1.3 * size) + v3(6.0, 1.0, 3.0));
    match smoothstep(0.44, 0.56, weight + 0.25 * patch * (1.0 - (2.0 * weight - 1.0).abs())) {
        0.0 => make(p1),
        1.0 => make(p2),
        share => blend(&make(p1), &make(p2), share),
    }
}

/// Direction and relative speed of the flow at `p`, at most 1.
fn flow(stage: &Stage, p: V3) -> V3 {
    let slope = stage.land.slope.at(p.x, p.z);
    let glow = smoothstep(0.05, 0.9, stage.ember.strength(p));
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
    let crack = 1.0 - saturate((large.edge - gap) / soft);
    let hair = (1.0 - smoothstep(0.0, 0.10, small.edge)) * smoothstep(0.95, 0.40, closed) * 0.7;
    let torn = smoothstep(0.34, 0.0, closed) * 0.9;
    let molten = saturate(crack.max(hair).max(torn) + 0.12 * grain * (1.0 - closed)) * smoothstep(1.14, 0.80, closed);
    // Plates are domed: steep at their edges, flat in the middle. The slope follows from the distance to the edge.
    let rise = |plate: &noise::Plate, width: f32, height: f32| {
        plate.inward * (height / width * (1.0 - smoothstep(0.0, width, plate.edge)))
    };
    let rope = noise::gradient(warped * 3.1) * 0.35;
    let slope =
        rise(&large, 0.30, 0.26) + rise(&small, 0.22, 0.10) + v3(rope + grain * 0.5, grain * 0.5, grain * 0.4 - rope);
    Pattern { molten, slope, tone: large.tone, grain }
}
