//! Shading of sand and ash: diffuse grains with wind ripples; thin falling streams have frayed
//! edges.

use crate::math::{V3, lerp, saturate, smoothstep, times, v3};
use crate::media::hit::{Hit, Softness, arriving, own};
use crate::media::water::ripples_moved;
use crate::noise;
use crate::style::shading::ShadeContext;
use lavoxel_automaton::view::Preset;

// Look constants are chosen by eye.

/// Minimum brightness factor of a grain, reached only if the look makes the grains very coarse.
pub const DARKEST: f32 = 0.15;
/// Depth below the surface, in cells, at which the density is sampled to distinguish a thin stream
/// of grains from a heap.
pub const THIN: f32 = 5.0;
/// Densities (0 to 1) at the depth `THIN` that distinguish grains: at or above the first they are a
/// heap, at or below the second a thin stream; smooth between.
pub const THIN_ENDS: [f32; 2] = [0.5, 0.2];
/// Streaks in falling grains: streaks per cell sideways, streaks per cell along the fall, and speed
/// of the fall in noise periods per unit by which the pattern of wind ripples moves.
pub const STREAKS: [f32; 3] = [0.9, 0.14, 12.0];
/// Fraying of thin streams of grains: cosine of the angle between surface normal and view at or
/// below which the stream is transparent, cosine at or above which it is opaque, and weight of the
/// streaks that are added to the cosine.
pub const FRAYED: [f32; 3] = [0.05, 0.75, 0.7];
/// Frequency of wind ripples, in waves per pattern unit (1/128 of the simulation box's longer
/// side).
pub const RIPPLES: f32 = 0.8;
/// Amplitude of the slope of wind ripples on sand (height per distance).
pub const STEEP: f32 = 0.3;
/// Weight of the second harmonic in the slope of wind ripples, which makes their downwind side
/// steeper.
pub const LEE: f32 = 0.35;
/// Additional brightness of the crests of wind ripples, as a fraction.
pub const CRESTS: f32 = 0.05;
/// Fade-in of wind ripples with nearness: numbers of pixels per ripple at which ripples begin to
/// show and at which they show fully.
pub const RIPPLES_SEEN: [f32; 2] = [2.5, 7.0];
/// Fade-in of wind ripples on level sand: vertical components of the surface's unit normal at which
/// ripples begin to show and at which they have their full height.
pub const BLOWN: [f32; 2] = [0.74, 0.90];
/// Horizontal direction towards which the wind on sand blows (east, south).
pub const WIND: [f32; 2] = [0.83, 0.56];
/// Phase of one full wind ripple, in radians.
pub const TURN: f32 = std::f32::consts::TAU;
/// Factor on the contrast between single grains where the wind has sorted the grains and ripples
/// are drawn.
pub const BLOWN_GRAIN: f32 = 0.55;
/// Softness of the border between light and shadow on sand and ash.
pub const SOFT: Softness = Softness {
    wrap: 0.15,
    bleeds: 0.0,
};

/// Returns the opacity (0 to 1) of the surface at `hit`: below 1 in the frayed edges of thin
/// falling streams of sand or ash, otherwise 1.
pub(super) fn frayed(context: &ShadeContext, hit: &Hit) -> f32 {
    if hit.cut || !matches!(hit.clear.look.preset, Preset::Sand | Preset::Ash) {
        return 1.0;
    }
    let (p, normal) = (hit.point, hit.normal);
    let inside = hit.clear.field.density(p - normal * THIN);
    let thin = smoothstep(THIN_ENDS[0], THIN_ENDS[1], inside) * (1.0 - normal.y.abs());
    if thin <= 0.0 {
        return 1.0;
    }
    let fallen = ripples_moved(context.steps) * STREAKS[2];
    let streaks = noise::gradient(v3(
        p.x * STREAKS[0],
        p.y * STREAKS[1] + fallen,
        p.z * STREAKS[0],
    ));
    let facing = saturate(-context.view(hit.ray).dot(&normal));
    lerp(
        1.0,
        smoothstep(FRAYED[0], FRAYED[1], facing + FRAYED[2] * streaks),
        thin,
    )
}

/// Returns the height (−1 to 1) and the slope of wind ripples on sand at `hit`. Both are 0 on steep
/// slopes, for looks whose `waves` do not exceed 1, and where ripples are smaller than pixels.
fn wind_ripples(context: &ShadeContext, hit: &Hit) -> (f32, V3) {
    let (unit, waves) = (context.land.unit, hit.clear.look.waves);
    let pixels = unit / (RIPPLES * hit.t * context.pixel);
    let seen = smoothstep(RIPPLES_SEEN[0], RIPPLES_SEEN[1], pixels);
    let high = saturate(waves - 1.0) * smoothstep(BLOWN[0], BLOWN[1], hit.normal.y) * seen;
    if high <= 0.0 {
        return (0.0, V3::zeros());
    }
    let (crest, rise) = ripple(hit.point / unit);
    (
        high * crest,
        v3(-WIND[0], 0.0, -WIND[1]) * (rise * high * STEEP),
    )
}

/// Returns the height (−1 to 1) of the wind ripples at `q` (pattern units: 1/128 of the simulation
/// box's longer side), and their rise along the wind.
fn ripple(q: V3) -> (f32, f32) {
    // Ripples wander, fork where two crests meet, and fade in and out over the field.
    let wander = noise::gradient(v3(q.x * 0.05, 0.3, q.z * 0.05)) * 1.6
        + noise::gradient(v3(q.x * 0.17, 2.7, q.z * 0.17)) * 0.45;
    let fields = saturate(0.75 + 0.8 * noise::gradient(v3(q.x * 0.06, 5.1, q.z * 0.06)));
    let phase = TURN * (RIPPLES * (q.x * WIND[0] + q.z * WIND[1]) + wander);
    // The second harmonic makes the lee steeper than the windward side.
    (
        fields * phase.sin(),
        fields * (phase.cos() + LEE * (2.0 * phase).sin()),
    )
}

/// Returns the linear RGB light from the surface of sand or ash at `hit` towards the camera.
pub(super) fn light(context: &ShadeContext, hit: &Hit) -> V3 {
    let (albedo, normal) = made(context, hit);
    times(
        albedo,
        arriving(context, hit, normal, (SOFT, own(context, hit))),
    )
}

/// Returns the albedo (linear RGB) and the unit normal of sand or ash at `hit`.
pub(super) fn made(context: &ShadeContext, hit: &Hit) -> (V3, V3) {
    let (look, p, unit) = (hit.clear.look, hit.point, context.land.unit);
    let fine = noise::gradient(p * 4.3);
    let coarse = noise::gradient(p * 1.9 + v3(7.0, 3.0, 1.0));
    let broad = noise::fractal(p * (0.11 / unit) + v3(1.0, 6.0, 2.0), 3);
    let grain = look.waves.min(1.0) * lerp(1.0, BLOWN_GRAIN, saturate(look.waves - 1.0));
    let (crest, rise) = wind_ripples(context, hit);
    let tone = 1.0 + grain * (0.34 * fine + 0.16 * coarse) + 0.22 * broad + CRESTS * crest;
    let tone = tone.max(DARKEST);
    let rough = v3(
        fine,
        0.3 * coarse,
        noise::gradient(p * 4.3 + v3(19.0, 0.0, 5.0)),
    ) * (0.30 * grain);
    let normal = hit.uneven(rough + rise);
    (V3::from(look.linear_color()) * (0.46 * tone), normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ripples_of_wind_lie_across_it() {
        let crests = |along: [f32; 2]| {
            let place = |k: usize| v3(along[0], 0.0, along[1]) * (0.05 * k as f32);
            (1..4000)
                .filter(|&k| ripple(place(k)).0 * ripple(place(k - 1)).0 < 0.0)
                .count()
        };
        let (with, across) = (crests(WIND), crests([-WIND[1], WIND[0]]));
        assert!(
            with > 200 && with > 4 * across,
            "{with} along the wind, {across} across it"
        );
        let rises: Vec<f32> = (0..4000)
            .map(|k| ripple(V3::x() * (0.05 * k as f32)).1)
            .collect();
        assert!(
            rises.iter().sum::<f32>().abs() < 0.05 * 4000.0,
            "as much up as down"
        );
    }
}
