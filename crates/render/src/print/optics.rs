//! Formulas of optics: Fresnel, Snell, Beer, microfacets (GGX), phase functions, and directions
//! drawn by them. Pure functions of numbers; nothing here knows a look or a light.

use std::f32::consts::{FRAC_1_PI, PI, TAU};
use std::sync::LazyLock;

use crate::math::{V3, lerp, v3};

/// Returns the fraction of unpolarised light that a smooth border between two transparent media
/// reflects (Fresnel). `cosine`: of the angle between ray and normal, at least 0; `from`, `to`:
/// indices of refraction on the ray's side and behind the border. 1 for total reflection.
pub(crate) fn fresnel(cosine: f32, from: f32, to: f32) -> f32 {
    let sine = from / to * (1.0 - cosine * cosine).max(0.0).sqrt();
    if sine >= 1.0 {
        return 1.0;
    }
    let inner = (1.0 - sine * sine).sqrt();
    let across = (from * cosine - to * inner) / (from * cosine + to * inner);
    let along = (from * inner - to * cosine) / (from * inner + to * cosine);
    0.5 * (across * across + along * along)
}

/// Returns Schlick's approximation of the Fresnel reflectance. `normal`: reflectance at normal
/// incidence; `cosine`: of the angle of incidence.
pub(crate) fn schlick(normal: f32, cosine: f32) -> f32 {
    normal + (1.0 - normal) * (1.0 - cosine).clamp(0.0, 1.0).powi(5)
}

/// Returns the direction of a ray `toward` behind a border with the unit normal `normal` (against
/// the ray), by Snell's law; `None` for total reflection. `from`, `to`: indices of refraction.
pub(crate) fn refracted(toward: V3, normal: V3, from: f32, to: f32) -> Option<V3> {
    let (ratio, cosine) = (from / to, -toward.dot(&normal));
    let inner = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
    (inner > 0.0).then(|| (toward * ratio + normal * (ratio * cosine - inner.sqrt())).normalize())
}

/// Returns the direction of a ray `toward` after reflection by a plane with the unit normal
/// `normal`.
pub(crate) fn mirrored(toward: V3, normal: V3) -> V3 {
    toward - normal * (2.0 * toward.dot(&normal))
}

/// Returns the transmittance of a medium with the absorption `absorbed` (per length) over the
/// length `length` (Beer).
pub(crate) fn kept(absorbed: V3, length: f32) -> V3 {
    absorbed.map(|a| (-a * length).exp())
}

/// Returns two unit vectors that are at right angles to `n` and to each other (Duff and others,
/// 2017).
pub(crate) fn tangents(n: V3) -> [V3; 2] {
    let sign = 1.0_f32.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    [
        v3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
        v3(b, sign + n.y * n.y * a, -n.y),
    ]
}

/// Returns `v`, given along two tangents and the normal `n`, as a vector of space.
fn from_frame(v: V3, n: V3) -> V3 {
    let [a, b] = tangents(n);
    a * v.x + b * v.y + n * v.z
}

/// Returns a direction around the unit normal `n`, drawn in proportion to the cosine with it.
pub(crate) fn cosine_drawn(n: V3, [u, v]: [f32; 2]) -> V3 {
    let (radius, (sine, cosine)) = (u.sqrt(), (v * TAU).sin_cos());
    from_frame(
        v3(radius * cosine, radius * sine, (1.0 - u).max(0.0).sqrt()),
        n,
    )
}

/// Returns the density of `cosine_drawn` per solid angle.
pub(crate) fn cosine_density(cosine: f32) -> f32 {
    cosine.max(0.0) * FRAC_1_PI
}

/// Returns a direction drawn evenly from the cone around `axis` whose half angle has the cosine
/// `least`.
pub(crate) fn cone_drawn(axis: V3, least: f32, [u, v]: [f32; 2]) -> V3 {
    let cosine = 1.0 - u * (1.0 - least);
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    let (s, c) = (v * TAU).sin_cos();
    from_frame(v3(sine * c, sine * s, cosine), axis)
}

/// Returns the phase function of Henyey and Greenstein per solid angle. `g`: asymmetry; `cosine`:
/// of the angle by which light is turned.
pub(crate) fn phase(g: f32, cosine: f32) -> f32 {
    let turned = (1.0 + g * g - 2.0 * g * cosine).max(1e-4);
    (1.0 - g * g) / (4.0 * PI * turned * turned.sqrt())
}

/// Returns a direction drawn by `phase` for light that travels along `toward`.
pub(crate) fn phase_drawn(g: f32, toward: V3, [u, v]: [f32; 2]) -> V3 {
    let cosine = if g.abs() < 1e-3 {
        1.0 - 2.0 * u
    } else {
        let part = (1.0 - g * g) / (1.0 - g + 2.0 * g * u);
        (1.0 + g * g - part * part) / (2.0 * g)
    };
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    let (s, c) = (v * TAU).sin_cos();
    from_frame(v3(sine * c, sine * s, cosine), toward)
}

/// Returns the distribution of microfacet normals of GGX. `rough`: width; `cosine`: of the angle
/// between microfacet and surface.
pub(crate) fn facets(rough: f32, cosine: f32) -> f32 {
    let (square, c) = (rough * rough, cosine * cosine);
    let q = c * (square - 1.0) + 1.0;
    square / (PI * q * q).max(1e-12)
}

/// Returns the fraction of microfacets that a direction with the cosine `cosine` to the normal sees
/// unhidden (Smith).
pub(crate) fn unhidden(rough: f32, cosine: f32) -> f32 {
    let square = rough * rough;
    2.0 * cosine / (cosine + (square + (1.0 - square) * cosine * cosine).sqrt()).max(1e-6)
}

/// Returns the normal of a microfacet around the unit normal `n`, drawn in proportion to its
/// visible area from the direction `view` (away from the surface; Heitz, 2018).
pub(crate) fn facet_drawn(rough: f32, n: V3, view: V3, [u, v]: [f32; 2]) -> V3 {
    let [a, b] = tangents(n);
    let local = v3(view.dot(&a), view.dot(&b), view.dot(&n).max(1e-4));
    let stretched = v3(rough * local.x, rough * local.y, local.z).normalize();
    let flat = stretched.x.hypot(stretched.y);
    let first = if flat > 1e-6 {
        v3(-stretched.y, stretched.x, 0.0) / flat
    } else {
        V3::x()
    };
    let second = stretched.cross(&first);
    let (radius, (sine, cosine)) = (u.sqrt(), (v * TAU).sin_cos());
    let (p, q) = (radius * cosine, radius * sine);
    let q = lerp((1.0 - p * p).max(0.0).sqrt(), q, 0.5 * (1.0 + stretched.z));
    let drawn = first * p + second * q + stretched * (1.0 - p * p - q * q).max(0.0).sqrt();
    let facet = v3(rough * drawn.x, rough * drawn.y, drawn.z.max(1e-6)).normalize();
    a * facet.x + b * facet.y + n * facet.z
}

/// Number of entries of the table `Reflected` along each axis.
const ENTRIES: usize = 24;

/// Fraction of light that white microfacets reflect at the first hit, by roughness and by cosine;
/// the rest would hit further microfacets.
static REFLECTED: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let place = |i: usize| (i as f32 + 0.5) / ENTRIES as f32;
    let entry = |k: usize| first_hit(place(k / ENTRIES), place(k % ENTRIES));
    (0..ENTRIES * ENTRIES).map(entry).collect()
});

/// Returns the entry of `REFLECTED` for the width `rough` and the cosine `cosine`: the mean of the
/// reflected share over drawn microfacets.
fn first_hit(rough: f32, cosine: f32) -> f32 {
    const SIDE: usize = 24;
    let view = v3((1.0 - cosine * cosine).sqrt(), 0.0, cosine);
    let share = |k: usize| {
        let at = |i: usize| (i as f32 + 0.5) / SIDE as f32;
        let facet = facet_drawn(rough, V3::z(), view, [at(k / SIDE), at(k % SIDE)]);
        let out = mirrored(-view, facet);
        if out.z > 0.0 {
            unhidden(rough, out.z)
        } else {
            0.0
        }
    };
    (0..SIDE * SIDE).map(share).sum::<f32>() / (SIDE * SIDE) as f32
}

/// Returns the fraction of light (0 to 1) that white microfacets reflect at the first hit, for the
/// width `rough` and the cosine `cosine` between view and normal.
pub(crate) fn reflected_share(rough: f32, cosine: f32) -> f32 {
    let place = |x: f32| (x * ENTRIES as f32 - 0.5).clamp(0.0, (ENTRIES - 1) as f32 - 1e-3);
    let (x, y) = (place(rough), place(cosine));
    let (i, j) = (x as usize, y as usize);
    let row = |i: usize| {
        let at = &REFLECTED[i * ENTRIES..][..ENTRIES];
        lerp(at[j], at[j + 1], y - j as f32)
    };
    lerp(row(i), row(i + 1), x - i as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glass_reflects_what_fresnel_says() {
        assert!((fresnel(1.0, 1.0, 1.5) - 0.04).abs() < 1e-6, "head on");
        assert!(fresnel(1e-4, 1.0, 1.5) > 0.99, "grazing");
        assert_eq!(fresnel(0.5, 1.5, 1.0), 1.0, "beyond the critical angle");
        // At Brewster's angle all reflected light is polarised: half of the s part is left.
        let brewster = 1.5_f32.atan();
        let s = ((1.0 - 2.25) / (1.0 + 2.25_f32)).powi(2);
        assert!((fresnel(brewster.cos(), 1.0, 1.5) - 0.5 * s).abs() < 1e-5);
        let (out, into) = (0.6_f32, 1.333);
        let inner = (1.0 - (1.0 - out * out) / (into * into)).sqrt();
        let there_and_back = fresnel(out, 1.0, into) - fresnel(inner, into, 1.0);
        assert!(there_and_back.abs() < 1e-5, "equal from both sides");
    }

    #[test]
    fn rays_are_bent_by_the_law_of_snell() {
        for degrees in [0.0_f32, 20.0, 45.0, 80.0] {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let inside = refracted(v3(sine, -cosine, 0.0), V3::y(), 1.0, 1.31).expect("goes in");
            assert!((inside.x * 1.31 - sine).abs() < 1e-5 && inside.y < 0.0);
            let out = refracted(inside, V3::y(), 1.31, 1.0).expect("comes out");
            assert!((out - v3(sine, -cosine, 0.0)).norm() < 1e-4);
        }
        assert!(refracted(v3(0.9, -0.43, 0.0).normalize(), V3::y(), 1.5, 1.0).is_none());
    }

    #[test]
    fn phase_functions_scatter_all_light_and_turn_it_by_their_mean_cosine() {
        for g in [-0.3, 0.0, 0.6] {
            let (mut whole, mut turned, mut drawn) = (0.0, 0.0, 0.0);
            let n = 4000;
            for k in 0..n {
                let cosine = -1.0 + 2.0 * (k as f32 + 0.5) / n as f32;
                whole += phase(g, cosine) * 4.0 * PI / n as f32;
                turned += cosine * phase(g, cosine) * 4.0 * PI / n as f32;
                let u = (k as f32 + 0.5) / n as f32;
                drawn += phase_drawn(g, V3::y(), [u, 0.3]).y / n as f32;
            }
            assert!((whole - 1.0).abs() < 1e-3 && (turned - g).abs() < 1e-3);
            assert!((drawn - g).abs() < 1e-3, "{drawn} instead of {g}");
        }
    }

    #[test]
    fn smooth_mirrors_lose_nothing_at_the_first_hit_and_rough_ones_some() {
        assert!(reflected_share(0.02, 0.8) > 0.995);
        let rough = reflected_share(0.9, 0.3);
        assert!((0.5..0.95).contains(&rough), "{rough}");
    }
}
