//! Light that arrives at a point of an opaque material, from the sun by its own shadow, the sky, the
//! lava and a flame.

use crate::camera::Ray;
use crate::ground::lava_glow::{KELVIN, STRENGTH};
use crate::math::{V3, in_cells, saturate, smoothstep, times, unit_or_up};
use crate::media::clear::Clear;
use crate::style::shading::ShadeContext;

// Look constants without a named source are chosen by eye.

/// Self-shadowing: distances in cells from a surface towards the sun at which the density of the
/// surface's own material is read, each with the length in cells that the sample represents.
pub const TOWARD_SUN: [(f32, f32); 4] = [(2.0, 2.0), (4.0, 2.0), (7.0, 3.0), (11.0, 4.0)];
/// Penetration depth (1/e) of sunlight in a translucent material for red, green and blue, in cells.
pub const ENTERS: V3 = V3::new(3.4, 2.0, 1.2);
/// Fraction of sunlight that passes through a translucent material to its shaded side.
pub const COMES_THROUGH: f32 = 0.5;
/// Change of the wrap of diffuse light (see `Softness::wrap`) around a translucent material, for
/// red, green and blue.
pub const FARTHER: V3 = V3::new(0.35, -0.05, -0.4);

/// Softness of the border between light and shadow on a material: diffuse shading beyond the
/// terminator.
#[derive(Clone, Copy, Debug)]
pub struct Softness {
    /// Wrap of diffuse light: the light ends where the cosine between normal and sun is −`wrap` (0
    /// to 1); 0 ends it at the terminator.
    pub wrap: f32,
    /// Translucency (0 to 1): fraction of the light that enters the material and leaves elsewhere,
    /// more for red than for blue.
    pub bleeds: f32,
}

/// Self-shadowing at a point of a material's surface: attenuation of sunlight by the material
/// itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    /// Transmittance (0 to 1) of the material itself for sunlight.
    pub(super) sun: f32,
    /// Length of the path of sunlight through the material, in cells.
    pub(super) depth: f32,
}

/// Intersection of a ray with the surface of an opaque material other than lava and rock.
#[derive(Clone, Copy)]
pub(super) struct Hit<'a> {
    pub(super) clear: &'a Clear<'a>,
    pub(super) ray: &'a Ray,
    pub(super) t: f32,
    pub(super) point: V3,
    pub(super) normal: V3,
    /// Set if a side of the simulation box's visible region cuts the material open at this point.
    pub(super) cut: bool,
    /// Linear RGB light of the background behind the surface.
    pub(super) behind: V3,
    /// Distance in cells along the ray to the background.
    pub(super) far: f32,
}

impl Hit<'_> {
    /// Returns the unit normal of the surface tilted by the slope `rough` (height per distance);
    /// where a plane cuts the material open, the untilted normal.
    pub(super) fn uneven(&self, rough: V3) -> V3 {
        if self.cut {
            self.normal
        } else {
            unit_or_up(self.normal + rough)
        }
    }
}

/// Returns the linear RGB light of sun, sky, lava and flame that arrives on the surface at `hit`.
/// `normal`: unit normal with relief; `soft`: softness of the border between light and shadow;
/// `own`: self-shadowing.
pub(super) fn arriving(
    context: &ShadeContext,
    hit: &Hit,
    normal: V3,
    (soft, own): (Softness, Own),
) -> V3 {
    let (sky, p) = (context.sky, hit.point);
    let open = context.open_on(p, hit.normal);
    let sun = times(sky.sun_color, sun_on(normal.dot(&sky.sun), soft, own)) * open;
    let lava = context.blackbody.shown(KELVIN)
        * (STRENGTH * context.look.lava_light * context.ember.at(p, normal));
    // Hollows see less of the sky. In front of a cut face there is no matter, although the field
    // continues there.
    let shut = if hit.cut {
        0.0
    } else {
        hit.clear.field.density(p + hit.normal * 2.5)
    };
    let flame = context.flame.map_or(V3::zeros(), |flame| {
        flame.at(p, normal) + flame.inside(p) * soft.bleeds
    });
    sun + (sky.ambient(normal) * (1.0 - 0.7 * shut)) + lava + flame
}

/// Returns the factor on sunlight for red, green and blue on a surface; `cosine`: cosine of the
/// angle between normal and sun, `soft`: softness of the border between light and shadow, `own`:
/// self-shadowing.
fn sun_on(cosine: f32, soft: Softness, own: Own) -> V3 {
    let facing = |wrap: f32| saturate((cosine + wrap) / (1.0 + wrap)) * own.sun;
    if soft.bleeds <= 0.0 {
        return V3::repeat(facing(soft.wrap));
    }
    let lit = FARTHER.map(|farther| facing(soft.wrap * (1.0 + soft.bleeds * farther)));
    let through = ENTERS.map(|reach| COMES_THROUGH * soft.bleeds * (-own.depth / reach).exp());
    lit.zip_map(&through, f32::max)
}

/// Returns the self-shadowing of the material at the point of `hit`.
pub(super) fn own(context: &ShadeContext, hit: &Hit) -> Own {
    if hit.cut {
        return Own {
            sun: 1.0,
            depth: 0.0,
        };
    }
    let sun = in_cells(context.sky.sun, context.look.cell_height);
    let (mut shut, mut depth) = (0.0_f32, 0.0);
    for (away, length) in TOWARD_SUN {
        let density = hit.clear.field.density(hit.point + hit.normal + sun * away);
        shut = shut.max(density);
        depth += length * density;
    }
    Own {
        sun: 1.0 - smoothstep(0.25, 0.75, shut),
        depth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHADED: Own = Own {
        sun: 0.0,
        depth: 2.0,
    };

    #[test]
    fn only_a_material_that_light_enters_is_lit_through_and_then_red() {
        let sand = sun_on(
            -0.5,
            Softness {
                wrap: 0.15,
                bleeds: 0.0,
            },
            SHADED,
        );
        assert_eq!(sand, V3::zeros());
        let wax = sun_on(
            -0.5,
            Softness {
                wrap: 0.4,
                bleeds: 1.0,
            },
            SHADED,
        );
        assert!(wax.x > wax.y && wax.y > wax.z && wax.z > 0.0, "{wax:?}");
        let thick = sun_on(
            -0.5,
            Softness {
                wrap: 0.4,
                bleeds: 1.0,
            },
            Own {
                depth: 8.0,
                ..SHADED
            },
        );
        assert!(thick.x < 0.3 * wax.x, "{thick:?}");
    }

    #[test]
    fn light_straight_on_is_whole_whatever_the_softness() {
        for bleeds in [0.0, 0.5, 1.0] {
            let light = sun_on(
                1.0,
                Softness { wrap: 0.4, bleeds },
                Own {
                    sun: 1.0,
                    depth: 0.0,
                },
            );
            assert!((light - V3::repeat(1.0)).abs().max() < 1e-6, "{light:?}");
        }
    }
}
