//! Pattern of the lava's crust: cellular plates with warped coordinates, with ropes (folds) and
//! grain, advected by the flow.
//!
//! The volume holds no velocities, so the motion is an approximation: downhill, and faster where
//! the lava glows. A pattern that is advected for long would stretch into threads. Two copies, half
//! a period apart, therefore move for one period each, from upstream to downstream of their place,
//! and restart while the other copy is shown. Invariant: a picture depends on the step alone, not
//! on the frames before it.

use nalgebra::Vector2;

use crate::math::{V3, lerp, saturate, smoothstep, v3};
use crate::noise;
use crate::style::shading::ShadeContext;
use lavoxel_automaton::view::LookSpec;

// Look constants, chosen by eye; shaders read the same values by name.
/// Distance over which a copy of the pattern is advected per period at full speed, in plate widths.
pub const RIDE: f32 = 1.6;

/// Amplitude of a noise that displaces areas of the crust pattern differently where the flow has
/// its full speed, in plate widths.
// The shear draws plates out in some places and crowds them in others: cells of one size looked
// like a pattern.
pub const SHEAR: f32 = 2.2;
/// Size of the areas of the crust pattern that are displaced differently, in plate widths (see
/// `SHEAR`).
pub const SHEARED: f32 = 2.3;

/// Fraction of the height step at the edge of a plate that remains if the plate's bond (random
/// strength with which plates hold together) is strongest.
pub const LEVELLED: f32 = 0.15;
/// Height of the dome of a plate, in plate widths.
pub const DOMED: f32 = 0.26;

/// Increase of the crust's open fraction from cold lava to lava of full heat, where the lava stands
/// still.
pub const SLOW_OPENS: f32 = 0.55;
/// Increase of the crust's open fraction at full heat where the lava flows fast, in addition to
/// `SLOW_OPENS`.
pub const FAST_OPENS: f32 = 0.62;
/// Relative speed of the flow (0 to 1) at which the flow tears the crust fully.
pub const FAST: f32 = 0.5;
/// Tearing of the crust by heat alone, as if by a fast flow: heats (0 to 1) at which the tearing
/// begins and is complete.
pub const BOILS: [f32; 2] = [0.85, 1.0];

/// Maximum elongation of plates, reached on steep slopes, as the length of the vector that
/// `noise::plate` takes.
pub const DRAWN: f32 = 0.95;
/// Slope (rise per cell) at which the square of a plate's elongation is half its maximum.
pub const GENTLE: f32 = 0.06;

/// Strain on cracks (dimensionless) where the crust is fully open; proportional to the open
/// fraction.
pub const STRAIN: f32 = 1.3;
/// Amplitude of the variation of the strain along a crack; dimensionless, like `STRAIN`.
pub const RAGGED: f32 = 0.32;
/// Reduction of the strain (dimensionless, see `STRAIN`) on the crack between two plates whose bond
/// (random strength with which plates hold together) is strongest.
pub const BOND: f32 = 0.68;
/// Strain (dimensionless, see `STRAIN`) up to which the crust bears without cracks.
pub const HOLDS: f32 = 0.03;
/// Additional strain (dimensionless, see `STRAIN`) that is needed to open cracks inside plates,
/// between their small sub-plates.
pub const FINE: f32 = 0.35;
/// Half width of an open crack per unit of strain (see `STRAIN`), in plate widths.
pub const WIDE: f32 = 0.30;
/// Factor from a negative strain (closed crack, see `STRAIN`) to the negative half width of the
/// crack, in plate widths; more negative half widths glow less at the seam.
pub const SHUT: f32 = 0.18;
/// Half width added to the cracks of a nearly completely open crust, in plate widths.
pub const TORN: f32 = 0.25;
/// Width of the glow at the edge of a crack, in plate widths.
pub const SOFT: f32 = 0.05;
/// Distance from the edge of an opening in the crust to its hottest point, in plate widths: in a
/// closed crust, and in open lava.
// Plates in open lava need sharp edges: a soft glow around each plate looked like flames.
pub const CORE: [f32; 2] = [0.14, 0.06];
/// Fade-in of a floating sub-plate: distances inwards from its edge, in sub-plate widths, at which
/// the sub-plate begins to show and at which it is fully opaque.
pub const RAFT: [f32; 2] = [0.05, 0.10];
/// Amplitude by which the edges of plates are bent by noise, in plate widths.
pub const BENDS: f32 = 0.35;
/// Number of sub-plates (the small plates of which a plate of crust consists) per plate along an
/// axis.
pub const FINER: f32 = 2.6;
/// Fraction of the sub-plates that float in the openings of an otherwise closed crust.
pub const FLOES: f32 = 0.75;
/// Maximum opacity (0 to 1) of the chilled skin on open lava between floating plates.
pub const SKIN: f32 = 0.9;
/// Maximum darkening (0 to 1) of open lava by irregular patches of colder lava.
pub const DIM: f32 = 0.25;
/// Maximum darkening (0 to 1) of open lava by skin that gathers between ropes (folds of the skin).
pub const SKINNY: f32 = 0.3;
/// Height of the sub-plates of an old crust, in sub-plate widths.
pub const ROUGH: f32 = 0.14;

/// Wave number of the folds across a plate, in radians per plate width.
pub const FOLDS: f32 = 19.0;
/// Curvature of the folds that the flow bends: distance in plate widths by which the middle of a
/// fold is ahead, per squared distance from the middle (plate widths squared).
pub const BENT: f32 = 0.7;
/// Amplitude of the slope (height per distance) of the folds in the crust's relief.
pub const FOLDED: f32 = 0.38;
/// Wave number of folds in open lava, relative to folds of the crust.
pub const OPEN_FOLDS: f32 = 0.55;
/// Amplitude of the slope (height per distance) of the fine grain in the crust's relief.
pub const GRAINY: f32 = 0.42;

/// Size of blocks of rubble, in widths of the lava's plates.
pub const BLOCKS: f32 = 0.75;

/// Crust pattern at a point of the lava's surface, before shading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    /// Open fraction: 0 for crust, 1 for open lava.
    pub(crate) molten: f32,
    /// Slope of the crust's relief (height per distance, as a vector).
    pub(crate) slope: V3,
    /// Random number (0 to 1) of the plate at the point, from which the plate's brightness is
    /// chosen.
    pub(crate) tone: f32,
    /// Fine noise of the crust, about −1 to 1.
    pub(crate) grain: f32,
}

/// State of the lava on which the crust pattern depends.
struct PlateState {
    /// Heat of the lava: 0 (cold) to 1 (as at the vent).
    heat: f32,
    /// Setting of the look for the amount of crust: 0 no crust, 1 usual, 2 nearly closed.
    crust: f32,
    /// Tearing of the crust by the flow: 0 (still lava) to 1 (fully torn).
    fast: f32,
    /// Elongation of plates: the vector's direction is that of the elongation, its length (0 to
    /// `DRAWN`) the amount; a parameter of `noise::plate`.
    drawn: V3,
}

/// State of one of the two advected copies of the crust pattern.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    /// Fraction of the advection period that has passed: at 0 the copy is half the advection
    /// distance upstream, at 1 half the distance downstream.
    pub phase: f32,
    /// Offset in cells that is added to the position in the noise; differs from advection period to
    /// period, so that plates do not repeat.
    pub offset: f32,
}

/// Returns the width of a plate of the lava's crust in cells: that of `look`, or 3.6 × `unit`, the
/// pattern unit in cells (1/128 of the simulation box's longer side).
pub fn plate_size(look: &LookSpec, unit: f32) -> f32 {
    look.plate_size.unwrap_or(3.6 * unit)
}

/// Returns the states of both copies of the crust pattern after `steps` simulation steps; `None` if
/// the look has no drift. At step 0 the first copy is at the middle of its advection period.
/// `unit`: pattern unit in cells (1/128 of the simulation box's longer side).
pub fn copies(look: &LookSpec, unit: f32, steps: f64) -> Option<[Copy; 2]> {
    if look.drift <= 0.0 {
        return None;
    }
    let size = plate_size(look, unit);
    let turns = steps * f64::from(look.drift / (RIDE * size));
    // The golden ratio's fraction 0.618 spreads the offsets of successive rounds evenly.
    Some([0.5, 0.0].map(|shift| {
        let round = (turns + shift).floor() as f32;
        Copy {
            phase: (turns + shift).rem_euclid(1.0) as f32,
            offset: (round * 0.618).fract() * 64.0 * size,
        }
    }))
}

/// Returns the crust pattern at the point `p` (cells) of lava with the heat `heat` (0 to 1),
/// advected by the flow; `normal`: unit normal of the surface.
pub(crate) fn carried(context: &ShadeContext, (p, normal): (V3, V3), heat: f32) -> Pattern {
    let unit = context.land.unit;
    let size = plate_size(context.look, unit);
    let slope = fall(context.land.slope.at(p.x, p.z), normal);
    let flow = flow(context, p, slope);
    let fast = smoothstep(0.0, FAST, flow.norm()).max(smoothstep(BOILS[0], BOILS[1], heat));
    let state = PlateState {
        heat,
        crust: context.look.crust,
        fast,
        drawn: drawn(slope),
    };
    let make = |q: V3| pattern(q, size, &state, unit);
    ride(context, (p, flow), make, blend)
}

/// Returns the value of `make` at the point `p` (cells) of a pattern that `flow` (direction, with
/// the relative speed 0 to 1 as length) carries along: that of one of the two advected copies, or
/// the two values mixed by `mix` with the weight of the second.
fn ride<T>(
    context: &ShadeContext,
    (p, flow): (V3, V3),
    make: impl Fn(V3) -> T,
    mix: impl Fn(&T, &T, f32) -> T,
) -> T {
    let unit = context.land.unit;
    let size = plate_size(context.look, unit);
    let [first, second] = match copies(context.look, unit, context.steps) {
        Some(copies) if flow.norm_squared() >= 1e-6 => copies,
        _ => return make(p),
    };
    let shear = SHEAR * noise::gradient(p / (SHEARED * size) + v3(2.0, 7.0, 5.0));
    let place = |copy: Copy| {
        p - flow * (size * (RIDE * (copy.phase - 0.5) + shear)) + V3::repeat(copy.offset)
    };
    let weight = 1.0 - (2.0 * second.phase - 1.0).abs();
    // Patches change over one after another; a cross-fade everywhere at once would blur the whole
    // skin halfway.
    let patch = noise::gradient(p / (1.3 * size) + v3(6.0, 1.0, 3.0));
    match smoothstep(
        0.44,
        0.56,
        weight + 0.25 * patch * (1.0 - (2.0 * weight - 1.0).abs()),
    ) {
        0.0 => make(place(first)),
        1.0 => make(place(second)),
        share => mix(&make(place(first)), &make(place(second)), share),
    }
}

/// Streaks of hotter and colder lava at a point, and the speed of the flow there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streaks {
    /// Broad and fine streaks, each about −1 to 1.
    pub(crate) broad: f32,
    pub(crate) fine: f32,
    /// Relative speed of the flow, 0 to 1.
    pub(crate) fast: f32,
}

/// Number of noises averaged along the flow for a streak, and the distance between them in plate
/// widths.
pub const ALONG: [f32; 2] = [7.0, 0.22];

/// Returns the streaks that the flow draws out at the point `p` (cells) of lava with the unit
/// normal `normal`: noise averaged along the flow.
pub(crate) fn streaks(context: &ShadeContext, (p, normal): (V3, V3)) -> Streaks {
    let size = plate_size(context.look, context.land.unit);
    let slope = fall(context.land.slope.at(p.x, p.z), normal);
    let flow = flow(context, p, slope);
    let fast = smoothstep(0.0, FAST, flow.norm());
    let way = flow / flow.norm().max(1e-6) * (ALONG[1] * size);
    let make = |q: V3| {
        let drawn = |waves: f32, shift: f32| {
            let noise = |k: i32| {
                let at = (q + way * (k as f32 - 0.5 * (ALONG[0] - 1.0))) * (waves / size);
                noise::gradient(at + V3::repeat(shift))
            };
            let sum: f32 = (0..ALONG[0] as i32).map(noise).sum();
            // The mean of independent noises is weaker than a single noise.
            sum / ALONG[0].sqrt()
        };
        [drawn(1.1, 3.0), drawn(3.1, 8.0)]
    };
    let mixed = |a: &[f32; 2], b: &[f32; 2], share: f32| [0, 1].map(|i| lerp(a[i], b[i], share));
    let [broad, fine] = ride(context, (p, flow), make, mixed);
    Streaks { broad, fine, fast }
}

/// Returns the crust pattern of rubble at the point `p` (cells): small closed plates, not advected.
pub(crate) fn rubble(context: &ShadeContext, p: V3) -> Pattern {
    let unit = context.land.unit;
    let size = BLOCKS * plate_size(context.look, unit);
    Pattern {
        molten: 0.0,
        ..pattern(
            p,
            size,
            &PlateState {
                heat: 0.0,
                crust: 1.0,
                fast: 0.0,
                drawn: V3::zeros(),
            },
            unit,
        )
    }
}

/// Returns `bed`, the slope of the ground below lava, reduced to 0 where the lava's surface is
/// level, because ponds do not flow. `normal`: unit normal of the surface.
fn fall(bed: Vector2<f32>, normal: V3) -> Vector2<f32> {
    let surface = normal.x.hypot(normal.z) / normal.y.max(0.1);
    bed * smoothstep(0.15, 0.6, surface / bed.norm().max(1e-3))
}

/// Returns the estimated direction of the flow at the point `p` (cells), with the relative speed (0
/// to 1) as length of the vector. `slope`: rise per cell towards +x and +z.
fn flow(context: &ShadeContext, p: V3, slope: Vector2<f32>) -> V3 {
    let glow = smoothstep(0.05, 0.9, context.ember.strength(p));
    let steep = slope.norm_squared();
    // Downhill along the surface; half of full speed on a slope of 1 in 2.
    v3(-slope.x, -steep, -slope.y) * (glow / (0.5 + steep.sqrt()) / (1.0 + steep).sqrt())
}

/// Returns the elongation of plates (see `PlateState::drawn`) on lava that flows down `slope` (rise
/// per cell towards +x and +z). The elongation depends on the slope alone, which lets a crust keep
/// its plates when the flow stops.
fn drawn(slope: Vector2<f32>) -> V3 {
    let steep = slope.norm();
    let along =
        v3(-slope.x, -steep * steep, -slope.y) / (steep * (1.0 + steep * steep).sqrt()).max(1e-6);
    along * (DRAWN * (steep / (steep + GENTLE)).sqrt())
}

/// Returns the linear interpolation between two crust patterns: `share` 0 gives `a`, 1 gives `b`.
fn blend(a: &Pattern, b: &Pattern, share: f32) -> Pattern {
    Pattern {
        molten: lerp(a.molten, b.molten, share),
        slope: a.slope.lerp(&b.slope, share),
        tone: lerp(a.tone, b.tone, share),
        grain: lerp(a.grain, b.grain, share),
    }
}

/// Returns the crust pattern at the point `p` (cells) for plates of the width `size` (cells) on
/// lava in the state `state`, not advected. `unit`: pattern unit in cells (1/128 of the simulation
/// box's longer side).
fn pattern(p: V3, size: f32, state: &PlateState, unit: f32) -> Pattern {
    // Longer down steep flanks than across, as plates that ride on a flow are.
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
    let closed =
        saturate(state.crust * (1.20 - slow - FAST_OPENS * state.heat * state.fast + 0.5 * drift));
    let open = 1.0 - closed;
    let core = lerp(CORE[0], CORE[1], open);
    let strain = STRAIN * open + RAGGED * ragged - HOLDS;
    let width = gap(strain - BOND * large.bond) + TORN * smoothstep(0.75, 1.0, open);
    let crack = saturate((width + SOFT - large.edge) / (SOFT + core));
    // Fragments float in wide openings, and so does a film of skin that the flow tears.
    let chilled = (small.tone * 5.0).fract();
    let skin = SKIN * open * chilled * chilled;
    let floats = if small.tone < FLOES * (1.0 - open * open) {
        1.0
    } else {
        skin
    };
    let floe = floats * smoothstep(RAFT[0], RAFT[1], small.edge);
    let fine = saturate(
        (gap(strain - FINE - BOND * small.bond) + SOFT - small.edge) / (SOFT + 2.0 * core),
    );
    let (rope, roped) = folds(&large, state.drawn, ragged);
    let dim = open * (DIM * smoothstep(-0.2, 0.5, ragged) + SKINNY * roped);
    let torn = (crack * (1.0 - floe) * (1.0 - dim)).max(0.75 * fine);
    let molten = saturate(torn + 0.12 * grain * open) * smoothstep(0.0, 0.12, open);
    // Plates are domed: steep at their edges, flat in the middle. The slope follows from the
    // distance to the edge.
    let rise = |plate: &noise::Plate, width: f32, height: f32| {
        plate.inward * (height / width * (1.0 - smoothstep(0.0, width, plate.edge)))
    };
    // Smooth sheets that the flow folds alternate with fields of rubble.
    let broken = smoothstep(-0.15, 0.30, drift + 0.3 * ragged);
    let rough = ROUGH * smoothstep(0.7, 0.2, state.heat) * broken;
    let slope = rise(&large, 0.30, DOMED * level(&large))
        + rise(&small, 0.22, (0.10 * broken + rough) * level(&small))
        + rope * (1.0 - broken)
        + v3(ragged * 0.25 + grain, grain, grain * 0.8 - ragged * 0.25) * (GRAINY + 2.0 * rough);
    Pattern {
        molten,
        slope,
        tone: large.tone,
        grain,
    }
}

/// Returns the fraction of the height step at the edge of `plate` that remains: less if the plate's
/// bond (random strength with which plates hold together) is strong.
fn level(plate: &noise::Plate) -> f32 {
    lerp(1.0, LEVELLED, smoothstep(0.3, 0.7, plate.bond))
}

/// Returns half the width of a crack under the strain `strain` (dimensionless, see `STRAIN`), in
/// plate widths; negative if the crack is closed.
fn gap(strain: f32) -> f32 {
    if strain > 0.0 {
        WIDE * strain
    } else {
        SHUT * strain
    }
}

/// Returns two properties of `plate` at a point: the slope of its ropes (folds), and the fraction
/// (0 to 1) of skin between ropes of open lava. `drawn`: elongation, which gives the direction of
/// the flow. Ropes lie across the flow, bent downstream because the middle of a plate runs ahead.
fn folds(plate: &noise::Plate, drawn: V3, ragged: f32) -> (V3, f32) {
    let long = drawn.norm();
    if long < 1e-3 {
        return (V3::zeros(), 0.0);
    }
    let along = drawn / long;
    let ahead = plate.way.dot(&along);
    let aside = plate.way - along * ahead;
    let crest = FOLDS * (ahead + BENT * aside.norm_squared() + 0.08 * ragged) + 6.0 * plate.tone;
    let there = long
        * smoothstep(0.35, 0.75, (plate.tone * 7.0).fract())
        * smoothstep(0.0, 0.25, plate.edge);
    let cos = crest.cos();
    (
        (along + aside * (2.0 * BENT)) * (FOLDED * there * cos),
        long * smoothstep(-0.2, 0.9, (OPEN_FOLDS * crest).sin()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the mean open fraction of the crust over a square of many plates, and the fraction
    /// of points that glow. `heat` and `fast`: heat and tearing (both 0 to 1); `crust`: setting of
    /// the look.
    fn open(heat: f32, fast: f32, crust: f32) -> [f32; 2] {
        let state = PlateState {
            heat,
            crust,
            fast,
            drawn: V3::x() * 0.8,
        };
        let places =
            (0..40).flat_map(|i| (0..40).map(move |k| v3(i as f32 * 0.53, 2.0, k as f32 * 0.47)));
        let molten: Vec<f32> = places
            .map(|p| pattern(p, 3.0, &state, 1.0).molten)
            .collect();
        let share = |sum: f32| sum / molten.len() as f32;
        [
            share(molten.iter().sum()),
            share(molten.iter().filter(|m| **m > 0.05).count() as f32),
        ]
    }

    #[test]
    fn fast_lava_is_torn_open_and_slow_lava_has_a_few_cracks() {
        let [slow, cracks] = open(0.5, 0.0, 1.0);
        assert!(
            slow < 0.12 && cracks < 0.35,
            "{slow} open, {cracks} of it cracks"
        );
        let [fast, _] = open(0.9, 1.0, 1.0);
        assert!(
            fast > 0.4 && fast > 4.0 * slow,
            "{fast} in fast lava, {slow} in slow lava"
        );
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
        let plate = |way: V3| noise::Plate {
            edge: 0.4,
            inward: V3::x(),
            tone: 0.12,
            bond: 0.5,
            way,
        };
        let (along, _) = folds(&plate(v3(0.1, 0.0, 0.0)), V3::x() * 0.9, 0.0);
        assert!(along.z.abs() < 1e-6 && along.x != 0.0, "{along:?}");
        assert_eq!(folds(&plate(V3::x()), V3::zeros(), 0.0), (V3::zeros(), 0.0));
    }
}
