//! The pattern of the crust: cellular plates on warped coordinates, with ropes and grain, riding on the flow.
//!
//! The volume holds no velocities, so the motion is an approximation: downhill, faster where the lava glows. Advected for
//! long, the pattern would stretch into threads. Two copies, half a period apart, therefore each move for one period from
//! upstream to downstream of their place and restart while only the other one is shown. The picture depends on the step
//! alone, not on the frames before it.

use nalgebra::Vector2;

use crate::math::{V3, lerp, saturate, smoothstep, v3};
use crate::noise;
use crate::style::shading::ShadeContext;
use lavoxel_automaton::view::LookSpec;

/// Plates ride this many plate widths before they are renewed, at full speed.
pub const RIDE: f32 = 1.6;

/// Most plate widths by which one place runs ahead of another at full speed: plates are drawn out and torn here, and closer together
/// there. Width of such places, in plates.
pub const SHEAR: f32 = 2.2;
pub const SHEARED: f32 = 2.3;

/// Share of the step that is left between plates that hang together.
pub const LEVELLED: f32 = 0.15;
/// Height of plates.
pub const DOMED: f32 = 0.26;

/// How much of a crust heat opens where the lava stands, and how much more where it is fast.
pub const SLOW_OPENS: f32 = 0.55;
pub const FAST_OPENS: f32 = 0.62;
/// Speed of the flow, relative to the greatest, by which it counts as fast.
pub const FAST: f32 = 0.5;
/// Heat from which on the crust is torn as by a fast flow.
pub const BOILS: [f32; 2] = [0.85, 1.0];

/// Length of plates on a steep slope: see `noise::plate`; and the steepness from which on they are drawn out.
pub const DRAWN: f32 = 0.95;
pub const GENTLE: f32 = 0.06;

/// Strain on cracks by the share that is open, along a crack, and of plates that hang together best.
pub const STRAIN: f32 = 1.3;
pub const RAGGED: f32 = 0.32;
pub const BOND: f32 = 0.68;
/// Strain that opens no crack, and how much more opens none between fragments.
pub const HOLDS: f32 = 0.03;
pub const FINE: f32 = 0.35;
/// Half the width of a crack by its strain, how fast its glow is lost where it is shut, and what a torn crust adds.
pub const WIDE: f32 = 0.30;
pub const SHUT: f32 = 0.18;
pub const TORN: f32 = 0.25;
/// Width of the glow beside a crack, in plates.
pub const SOFT: f32 = 0.05;
/// Way from the edge of an opening to where it is hottest: of a crack in a closed crust, and in open lava, whose plates have sharp
/// edges. Soft ones look like flames.
pub const CORE: [f32; 2] = [0.14, 0.06];
/// Distances from the edge of a fragment at which it is seen, and wholly so.
pub const RAFT: [f32; 2] = [0.05, 0.10];
/// How much the edges of plates are bent, in plates.
pub const BENDS: f32 = 0.35;
/// Number of fragments in the width of a plate, their share in openings, and how dark the skin between them is.
pub const FINER: f32 = 2.6;
pub const FLOES: f32 = 0.75;
pub const SKIN: f32 = 0.9;
/// How much darker open lava is in patches.
pub const DIM: f32 = 0.25;
/// How much darker it is where skin gathers between its ropes.
pub const SKINNY: f32 = 0.3;
/// Height of the fragments of an old crust.
pub const ROUGH: f32 = 0.14;

/// Waves of folds in a plate, times 2π; how far their middle runs ahead, and their slope.
pub const FOLDS: f32 = 19.0;
pub const BENT: f32 = 0.7;
pub const FOLDED: f32 = 0.38;
/// Waves of open lava to one of its crust.
pub const OPEN_FOLDS: f32 = 0.55;
/// Slope of the grain.
pub const GRAINY: f32 = 0.42;

/// Size of the blocks of rubble, in plates of lava.
pub const BLOCKS: f32 = 0.75;

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

/// Lava under the pattern.
struct State {
    heat: f32,
    /// Share of crust by the look.
    crust: f32,
    /// How fast it is, 0 to 1.
    fast: f32,
    /// Direction and lengthening of plates: see [`noise::plate`].
    drawn: V3,
}

/// Where one copy of the pattern is in its ride.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    /// 0 at the beginning of its ride, half a ride upstream; 1 at the end.
    pub phase: f32,
    /// Shift of the pattern in cells: each round shows another part of it, so that plates do not repeat.
    pub offset: f32,
}

/// Width of plates in cells.
pub fn plate_size(look: &LookSpec, unit: f32) -> f32 {
    look.plate_size.unwrap_or(3.6 * unit)
}

/// The two copies after so many steps, or `None` when the crust does not ride. At step 0 the first is in the middle.
pub fn copies(look: &LookSpec, unit: f32, steps: f64) -> Option<[Copy; 2]> {
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
pub(crate) fn carried(context: &ShadeContext, (p, normal): (V3, V3), heat: f32) -> Pattern {
    let unit = context.land.unit;
    let size = plate_size(context.look, unit);
    let slope = fall(context.land.slope.at(p.x, p.z), normal);
    let flow = flow(context, p, slope);
    let fast = smoothstep(0.0, FAST, flow.norm()).max(smoothstep(BOILS[0], BOILS[1], heat));
    let state = State { heat, crust: context.look.crust, fast, drawn: drawn(slope) };
    let make = |q: V3| pattern(q, size, &state, unit);
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
    Pattern { molten: 0.0, ..pattern(p, size, &State { heat: 0.0, crust: 1.0, fast: 0.0, drawn: V3::zeros() }, unit) }
}

/// Slope of the bed as far as the lava's surface falls with it: a pond stands.
fn fall(bed: Vector2<f32>, normal: V3) -> Vector2<f32> {
    let surface = normal.x.hypot(normal.z) / normal.y.max(0.1);
    bed * smoothstep(0.15, 0.6, surface / bed.norm().max(1e-3))
}

/// Direction and relative speed of the flow at `p`, at most 1.
fn flow(context: &ShadeContext, p: V3, slope: Vector2<f32>) -> V3 {
    let glow = smoothstep(0.05, 0.9, context.ember.strength(p));
    let steep = slope.norm_squared();
    // Down the surface; half of full speed on a slope of 1 in 2.
    v3(-slope.x, -steep, -slope.y) * (glow / (0.5 + steep.sqrt()) / (1.0 + steep).sqrt())
}

/// Direction and lengthening of plates by the slope alone: a crust keeps its plates when it stands.
fn drawn(slope: Vector2<f32>) -> V3 {
    let steep = slope.norm();
    let along = v3(-slope.x, -steep * steep, -slope.y) / (steep * (1.0 + steep * steep).sqrt()).max(1e-6);
    along * (DRAWN * (steep / (steep + GENTLE)).sqrt())
}

fn blend(a: &Pattern, b: &Pattern, share: f32) -> Pattern {
    Pattern {
        molten: lerp(a.molten, b.molten, share),
        slope: a.slope.lerp(&b.slope, share),
        tone: lerp(a.tone, b.tone, share),
        grain: lerp(a.grain, b.grain, share),
    }
}

fn pattern(p: V3, size: f32, state: &State, unit: f32) -> Pattern {
    // Longer down steep flanks than across them, as plates are that ride on a flow.
    let q = v3(p.x, p.y * 0.66, p.z) / size;
    let bend = v3(
        noise::fractal(q * 0.9 + v3(5.0, 2.0, 9.0), 2),
        noise::fractal(q * 0.9 + v3(3.0, 8.0, 1.0), 2),
        noise::fractal(q * 0.9 + v3(8.0, 4.0, 6.0), 2),
    );
    let grain = noise::fractal(p * (2.2 / unit), 3);
    let warped = q + bend * BENDS + V3::repeat(grain * 0.04);
    let large = noise::plate(warped, state.drawn);
    let small = noise::plate(warped * FINER + v3(4.0, 7.0, 2.0), state.drawn);
    let ragged = noise::gradient(warped * 2.2 + v3(6.0, 3.0, 8.0));
    let drift = noise::fractal(q * 0.42 + v3(1.0, 9.0, 4.0), 3);
    let slow = SLOW_OPENS * state.heat * (2.0 - state.heat);
    let closed = saturate(state.crust * (1.20 - slow - FAST_OPENS * state.heat * state.fast + 0.5 * drift));
    let open = 1.0 - closed;
    let core = lerp(CORE[0], CORE[1], open);
    let strain = STRAIN * open + RAGGED * ragged - HOLDS;
    let width = gap(strain - BOND * large.bond) + TORN * smoothstep(0.75, 1.0, open);
    let crack = saturate((width + SOFT - large.edge) / (SOFT + core));
    // Fragments float in wide openings, and a film of skin that the flow tears.
    let chilled = (small.tone * 5.0).fract();
    let skin = SKIN * open * chilled * chilled;
    let floats = if small.tone < FLOES * (1.0 - open * open) { 1.0 } else { skin };
    let floe = floats * smoothstep(RAFT[0], RAFT[1], small.edge);
    let fine = saturate((gap(strain - FINE - BOND * small.bond) + SOFT - small.edge) / (SOFT + 2.0 * core));
    let (rope, roped) = folds(&large, state.drawn, ragged);
    let dim = open * (DIM * smoothstep(-0.2, 0.5, ragged) + SKINNY * roped);
    let torn = (crack * (1.0 - floe) * (1.0 - dim)).max(0.75 * fine);
    let molten = saturate(torn + 0.12 * grain * open) * smoothstep(0.0, 0.12, open);
    // Plates are domed: steep at their edges, flat in the middle. The slope follows from the distance to the edge.
    let rise = |plate: &noise::Plate, width: f32, height: f32| {
        plate.inward * (height / width * (1.0 - smoothstep(0.0, width, plate.edge)))
    };
    // Smooth sheets that the flow folds, and fields of rubble.
    let broken = smoothstep(-0.15, 0.30, drift + 0.3 * ragged);
    let rough = ROUGH * smoothstep(0.7, 0.2, state.heat) * broken;
    let slope = rise(&large, 0.30, DOMED * level(&large))
        + rise(&small, 0.22, (0.10 * broken + rough) * level(&small))
        + rope * (1.0 - broken)
        + v3(ragged * 0.25 + grain, grain, grain * 0.8 - ragged * 0.25) * (GRAINY + 2.0 * rough);
    Pattern { molten, slope, tone: large.tone, grain }
}

/// Share of the step between plates by how well they hang together.
fn level(plate: &noise::Plate) -> f32 {
    lerp(1.0, LEVELLED, smoothstep(0.3, 0.7, plate.bond))
}

/// Half the width of a crack under a strain, in plates: below 0 where it is closed.
fn gap(strain: f32) -> f32 {
    if strain > 0.0 { WIDE * strain } else { SHUT * strain }
}

/// Slope of the ropes on a plate, folds across the flow that are bent downstream as its middle runs ahead; and the share of skin between
/// ropes of open lava, 0..1.
fn folds(plate: &noise::Plate, drawn: V3, ragged: f32) -> (V3, f32) {
    let long = drawn.norm();
    if long < 1e-3 {
        return (V3::zeros(), 0.0);
    }
    let along = drawn / long;
    let ahead = plate.way.dot(&along);
    let aside = plate.way - along * ahead;
    let crest = FOLDS * (ahead + BENT * aside.norm_squared() + 0.08 * ragged) + 6.0 * plate.tone;
    let there = long * smoothstep(0.35, 0.75, (plate.tone * 7.0).fract()) * smoothstep(0.0, 0.25, plate.edge);
    let cos = crest.cos();
    ((along + aside * (2.0 * BENT)) * (FOLDED * there * cos), long * smoothstep(-0.2, 0.9, (OPEN_FOLDS * crest).sin()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean share that is open over a square of many plates, and the share of it that glows at all.
    fn open(heat: f32, fast: f32, crust: f32) -> [f32; 2] {
        let state = State { heat, crust, fast, drawn: V3::x() * 0.8 };
        let places = (0..40).flat_map(|i| (0..40).map(move |k| v3(i as f32 * 0.53, 2.0, k as f32 * 0.47)));
        let molten: Vec<f32> = places.map(|p| pattern(p, 3.0, &state, 1.0).molten).collect();
        let share = |sum: f32| sum / molten.len() as f32;
        [share(molten.iter().sum()), share(molten.iter().filter(|m| **m > 0.05).count() as f32)]
    }

    #[test]
    fn fast_lava_is_torn_open_and_slow_lava_has_a_few_cracks() {
        let [slow, cracks] = open(0.5, 0.0, 1.0);
        assert!(slow < 0.12 && cracks < 0.35, "{slow} open, {cracks} of it cracks");
        let [fast, _] = open(0.9, 1.0, 1.0);
        assert!(fast > 0.4 && fast > 4.0 * slow, "{fast} in fast lava, {slow} in slow lava");
        assert_eq!(open(0.0, 0.0, 2.0), [0.0; 2], "a cold crust is closed");
        assert!(open(1.0, 1.0, 0.0)[0] > 0.7, "no crust, no plates");
    }

    #[test]
    fn a_pond_does_not_flow_down_its_bed() {
        let bed = Vector2::new(0.4, 0.0);
        assert_eq!(fall(bed, V3::y()), Vector2::zeros());
        assert!((fall(bed, v3(-0.4, 1.0, 0.0).normalize()) - bed).norm() < 1e-6);
    }

    #[test]
    fn folds_lie_across_the_flow() {
        let plate = |way: V3| noise::Plate { edge: 0.4, inward: V3::x(), tone: 0.12, bond: 0.5, way };
        let (along, _) = folds(&plate(v3(0.1, 0.0, 0.0)), V3::x() * 0.9, 0.0);
        assert!(along.z.abs() < 1e-6 && along.x != 0.0, "{along:?}");
        assert_eq!(folds(&plate(V3::x()), V3::zeros(), 0.0), (V3::zeros(), 0.0));
    }
}
