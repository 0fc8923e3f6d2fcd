//! Shading of foliage: clumps of leaves with gaps between, dark inside and bright at the tips.
//!
//! The surface is an isosurface of the density, modulated by round bulges of two sizes and by
//! leaves: tufts stick out, and gaps reach in, where little light arrives. The denser the material
//! where a ray meets the surface, the deeper the gap.

use crate::math::{V3, in_widths, mix, saturate, smoothstep, times, v3};
use crate::media::hit::{Hit, Softness, arriving, own};
use crate::noise;
use crate::style::shading::ShadeContext;

// Look constants are chosen by eye.

/// Density (0 to 1) up to which the surface of foliage has no bulges and leaves.
pub const BARE: f32 = 0.06;
/// Density (0 to 1) from which bulges of foliage have their full effect.
pub const HELD: f32 = 0.36;
/// Density (0 to 1) from which foliage has no gaps.
pub const DENSE: f32 = 0.97;
/// Frequencies of the patterns of clumps, of tufts and of leaves, per cell width.
pub const SIZES: V3 = V3::new(0.55, 1.55, 4.1);
/// Amplitudes by which clumps, tufts and leaves change the density (0 to 1) of foliage.
pub const RAISE: V3 = V3::new(1.1, 0.75, 0.3);
/// Value of the noise of clumps and tufts that leaves the density of foliage unchanged; higher
/// values raise the density.
pub const MEAN: f32 = 0.24;
/// Step, in cells, of the finite differences that give the slope of foliage's bulges.
pub const STEP: f32 = 0.3;
/// Factor from the slope of foliage's bulges to the tilt of the surface normal.
pub const TILT: f32 = 0.8;
/// Tilt of foliage's surface normal by single leaves: length of the largest sideways vector that is
/// added to the unit normal.
pub const ROUGH: f32 = 0.6;
/// Amplitude of the brightness variation between single leaves.
pub const FLECKS: f32 = 0.7;
/// Needles of foliage: number of needles per leaf along an axis, and weight of the needles in the
/// brightness.
pub const NEEDLES: [f32; 2] = [2.2, 0.6];
/// Fade-out of single leaves with distance: numbers of leaves per pixel up to which leaves show
/// fully and from which on none shows.
pub const SEEN: [f32; 2] = [0.25, 0.7];
/// Softness of the border between light and shadow on foliage.
pub const SOFT: Softness = Softness {
    wrap: 0.3,
    bleeds: 0.0,
};
/// Factor (linear RGB) on the material's colour at tips of foliage in sunlight.
pub const TIPS: V3 = V3::new(1.25, 1.12, 0.66);
/// Factor (linear RGB) on the material's colour in darker places of foliage and on trees with old
/// leaves.
pub const OLD: V3 = V3::new(0.72, 0.86, 0.95);
/// Factor (linear RGB) on the material's colour on trees with dry leaves.
pub const DRY: V3 = V3::new(1.35, 1.02, 0.70);
/// Factor (linear RGB) on the material's colour for sunlight that leaves transmit.
pub const GREEN: V3 = V3::new(1.25, 1.35, 0.35);
/// Darkening of gaps in foliage: densities (0 to 1) where a ray meets the surface, at which the
/// darkening begins and is complete.
pub const GAPS: [f32; 2] = [0.35, 0.95];
/// Fraction of its light that foliage loses in the deepest gap.
pub const DARK: f32 = 0.85;
/// Fraction of sunlight from behind that thin foliage transmits towards the camera.
pub const THROUGH: f32 = 0.7;
/// Penetration depth (1/e) of sunlight that foliage transmits, in cells.
pub const ENTERS: f32 = 3.0;
/// Brightness of transmitted sunlight if the view is at right angles to the sun, relative to the
/// brightness that is added in a view towards the sun.
pub const ASIDE: f32 = 0.35;

/// Returns the heights (0 to about 1) of clumps and of tufts of foliage at `q` (cell widths); 0 in
/// the creases between clumps or tufts.
fn bulges(q: V3) -> [f32; 2] {
    [
        noise::gradient(q * SIZES.x).abs(),
        noise::gradient(q * SIZES.y + v3(3.0, 8.0, 5.0)).abs(),
    ]
}

fn leaf(q: V3) -> f32 {
    noise::gradient(q * SIZES.z + v3(11.0, 2.0, 7.0))
}

/// Returns the density with which foliage is drawn at `q` (cell widths): the material's density
/// `density` with bulges and leaves added.
pub(crate) fn leafy(q: V3, density: f32) -> f32 {
    if density <= BARE || density >= DENSE {
        return density;
    }
    let [clump, tuft] = bulges(q);
    // Without matter no bulge: a tuft must not float in the air.
    let held = smoothstep(BARE, HELD, density);
    density + held * (RAISE.x * (clump - MEAN) + RAISE.y * (tuft - MEAN) + RAISE.z * leaf(q))
}

/// Returns the gradient of the height of foliage's bulges at `q` (cell widths), per cell width.
fn rise(q: V3) -> V3 {
    let sum = |q: V3| {
        let [clump, tuft] = bulges(q);
        RAISE.x * clump + RAISE.y * tuft
    };
    let here = sum(q);
    let along = |step: V3| (sum(q + step * STEP) - here) / STEP;
    v3(along(V3::x()), along(V3::y()), along(V3::z()))
}

/// Foliage at a point without the light that falls on it: albedo (linear RGB), unit normal, and the
/// degree (0 to 1) to which the point lies in a gap.
pub(super) struct Made {
    pub(super) albedo: V3,
    pub(super) normal: V3,
    pub(super) gap: f32,
}

/// Returns the foliage at `hit`.
pub(super) fn made(context: &ShadeContext, hit: &Hit) -> Made {
    let look = hit.clear.look;
    let q = in_widths(hit.point, context.look.cell_height);
    let [clump, tuft] = bulges(q);
    let inside = if hit.cut {
        0.0
    } else {
        hit.clear.field.density(hit.point)
    };
    let gap = smoothstep(GAPS[0], GAPS[1], inside);
    let pixel = hit.t * context.pixel * SIZES.z;
    let seen = |finer: f32| look.waves * (1.0 - smoothstep(SEEN[0], SEEN[1], pixel * finer));
    let fleck = leaf(q) * seen(1.0) + NEEDLES[1] * leaf(q * NEEDLES[0]) * seen(NEEDLES[0]);
    let tip = saturate(1.1 * clump + 1.3 * tuft + 0.35 * fleck - 0.25) * (1.0 - gap);
    // Colour varies from tree to tree, and within a tree.
    let broad = noise::fractal(q * 0.11 + v3(1.0, 6.0, 2.0), 2);
    let kind = mix(
        V3::repeat(1.0),
        if broad > 0.0 { DRY } else { OLD },
        saturate(1.4 * broad.abs()),
    );
    let color = times(
        times(V3::from(look.linear_color()), kind),
        mix(OLD, TIPS, tip),
    );
    let albedo = color * (0.46 * (0.8 + 0.5 * tip + FLECKS * fleck).max(0.15));
    let aside = noise::gradient(q * SIZES.z + v3(19.0, 0.0, 5.0)) * seen(1.0);
    let normal = hit.uneven(v3(fleck, 0.4 * fleck, aside) * ROUGH - rise(q) * TILT);
    Made {
        albedo,
        normal,
        gap,
    }
}

/// Returns the linear RGB light from the foliage at `hit` towards the camera.
pub(super) fn light(context: &ShadeContext, hit: &Hit) -> V3 {
    let Made {
        albedo,
        normal,
        gap,
    } = made(context, hit);
    let own = own(context, hit);
    let lit = arriving(context, hit, normal, (SOFT, own));
    let against = saturate(context.view(hit.ray).dot(&context.sky.sun));
    let thin = (-own.depth / ENTERS).exp()
        * (ASIDE + against * against)
        * context.open_on(hit.point, hit.normal);
    let through = times(times(context.sky.sun_color, GREEN), albedo) * (THROUGH * thin);
    times(albedo, lit) * (1.0 - DARK * gap) + through * (1.0 - gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> impl Iterator<Item = V3> {
        (0..4000).map(|i| {
            v3(
                0.37 * i as f32,
                0.71 * (i % 97) as f32,
                0.53 * (i % 31) as f32,
            )
        })
    }

    #[test]
    fn foliage_is_closed_inside_and_leaves_no_tufts_in_the_air() {
        assert!(
            places().all(|q| leafy(q, DENSE) >= 0.5),
            "no gaps in the middle"
        );
        assert!(
            places().all(|q| leafy(q, 0.1) < 0.5),
            "nothing where there is hardly any"
        );
    }

    #[test]
    fn its_edge_is_ragged() {
        let leaves = places().filter(|&q| leafy(q, 0.5) >= 0.5).count();
        assert!((1000..3000).contains(&leaves), "{leaves} of 4000");
    }
}
