//! Material of an opaque surface as numbers, and how it scatters light: diffuse light below a smooth
//! coat, or metal.
//!
//! Light of the coat is weighted by the Fresnel reflectance of the surface and not of each
//! microfacet, and light that microfacets would lose to their neighbours is given back: a white
//! surface reflects all light.

use crate::math::{V3, times};
use crate::print::optics::{
    cosine_density, cosine_drawn, facet_drawn, facets, mirrored, reflected_share, schlick, unhidden,
};
use crate::print::random::Draws;

/// Width of microfacets below which a surface is a perfect mirror.
pub(crate) const MIRROR: f32 = 0.02;

/// Material of an opaque surface at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    /// Unit normal of the surface with its relief.
    pub(crate) normal: V3,
    /// Diffuse albedo, linear RGB; of a metal, the reflectance at normal incidence.
    pub(crate) albedo: V3,
    /// Reflectance of the coat at normal incidence, 0 for none; ignored for metals.
    pub(crate) coat: f32,
    /// Width of the microfacets of coat or metal, 0 (mirror) to 1.
    pub(crate) rough: f32,
    /// Set for metals, which have no diffuse light.
    pub(crate) is_metal: bool,
    /// Emitted light, linear RGB.
    pub(crate) emission: V3,
    /// Share (0 to 1) of the surface that there is: less for loose grains, between which light passes.
    pub(crate) cover: f32,
    /// Set if light enters the matter below the coat and leaves it elsewhere: mean distance that it
    /// gets, for red, green and blue; `albedo` is then the share that comes back in all.
    pub(crate) enters: Option<V3>,
}

/// Light that a surface scatters from one direction into another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scattered {
    /// Share of the light, times the cosine of its incidence, per solid angle.
    pub(crate) share: V3,
    /// Density per solid angle with which `Material::drawn` draws the direction.
    pub(crate) density: f32,
}

/// Direction drawn by a material, and the weight of the light that comes from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Onward {
    pub(crate) toward: V3,
    pub(crate) weight: V3,
    /// Density of the draw per solid angle; `None` for a perfect mirror.
    pub(crate) density: Option<f32>,
}

impl Material {
    /// Matt material of the albedo `albedo`.
    pub(crate) fn matt(normal: V3, albedo: V3) -> Self {
        Self {
            normal,
            albedo,
            coat: 0.0,
            rough: 1.0,
            is_metal: false,
            emission: V3::zeros(),
            cover: 1.0,
            enters: None,
        }
    }

    /// Draws whether light that leaves towards `view` comes from the coat (true) or from below it;
    /// returns the weight of the choice too.
    pub(crate) fn drawn_from_coat(&self, view: V3, draws: &mut Draws) -> (bool, f32) {
        let coat = self.coat_at(self.normal.dot(&view).max(0.02));
        let chance = self.chance_of_coat(coat);
        if draws.one() < chance {
            (true, 1.0 / chance)
        } else {
            (false, (1.0 - coat) / (1.0 - chance))
        }
    }

    /// Returns the coat alone.
    pub(crate) fn without_body(&self) -> Self {
        Self {
            albedo: V3::zeros(),
            enters: None,
            ..*self
        }
    }

    /// Returns the reflectance of the coat seen at the cosine `facing`.
    fn coat_at(&self, facing: f32) -> f32 {
        if self.is_metal {
            1.0
        } else if self.coat > 0.0 {
            // Rough coats never shine as mirrors do at grazing incidence, since the facets that are
            // seen there face the eye.
            let most = (1.0 - self.rough).powi(2);
            self.coat + (schlick(self.coat, facing) - self.coat) * most
        } else {
            0.0
        }
    }

    /// Returns the probability with which `Material::drawn` draws from the coat or the metal.
    fn chance_of_coat(&self, coat: f32) -> f32 {
        if self.is_metal || coat <= 0.0 {
            return coat;
        }
        (coat / (coat + self.albedo.max() * (1.0 - coat)).max(1e-4)).clamp(0.1, 0.9)
    }

    /// Colour of the coat or metal for light that meets a microfacet at the cosine `cosine`.
    fn tint(&self, cosine: f32, coat: f32) -> V3 {
        if self.is_metal {
            self.albedo.map(|a| schlick(a, cosine))
        } else {
            V3::repeat(coat)
        }
    }

    /// Returns the light that is scattered from the direction `from` to the direction `view`, both
    /// unit vectors away from the surface.
    pub(crate) fn scattered(&self, view: V3, from: V3) -> Scattered {
        let (facing, lit) = (self.normal.dot(&view).max(0.02), self.normal.dot(&from));
        if lit <= 0.0 {
            return Scattered {
                share: V3::zeros(),
                density: 0.0,
            };
        }
        let coat = self.coat_at(facing);
        let chance = self.chance_of_coat(coat);
        let mut share = if self.is_metal {
            V3::zeros()
        } else {
            self.albedo * (cosine_density(lit) * (1.0 - coat))
        };
        let mut density = cosine_density(lit) * (1.0 - chance);
        if chance > 0.0 && self.rough >= MIRROR {
            let half = (from + view).normalize();
            let lobe = facets(self.rough, self.normal.dot(&half)) * unhidden(self.rough, facing)
                / (4.0 * facing);
            let again = reflected_share(self.rough, facing).max(0.1);
            share += self.tint(half.dot(&from).max(0.0), coat)
                * (lobe * unhidden(self.rough, lit) / again);
            density += lobe * chance;
        }
        Scattered { share, density }
    }

    /// Draws the direction from which light comes that leaves towards `view`; `None` if the drawn
    /// direction is below the surface.
    pub(crate) fn drawn(&self, view: V3, draws: &mut Draws) -> Option<Onward> {
        let facing = self.normal.dot(&view).max(0.02);
        let coat = self.coat_at(facing);
        let chance = self.chance_of_coat(coat);
        let (of_coat, places) = (chance > 0.0 && draws.one() < chance, draws.two());
        if of_coat && self.rough < MIRROR {
            let toward = mirrored(-view, self.normal);
            let weight = self.tint(facing, coat) / chance;
            return Some(Onward {
                toward,
                weight,
                density: None,
            });
        }
        let toward = if of_coat {
            mirrored(-view, facet_drawn(self.rough, self.normal, view, places))
        } else {
            cosine_drawn(self.normal, places)
        };
        let Scattered { share, density } = self.scattered(view, toward);
        if density <= 0.0 {
            return None;
        }
        Some(Onward {
            toward,
            weight: share / density,
            density: Some(density),
        })
    }

    /// Returns the colour by which a denoiser divides: the albedo, or white for what glows.
    pub(crate) fn guide(&self) -> V3 {
        if self.emission.max() > 0.3 {
            V3::repeat(1.0)
        } else {
            times(self.albedo, V3::repeat(1.0 - self.coat)).add_scalar(self.coat)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::v3;

    /// Returns the mean weight of the directions that `material` draws.
    fn mean(material: &Material, view: V3) -> V3 {
        let n = 4096;
        let weight = |k: u32| {
            let onward = material.drawn(view, &mut Draws::new(7, k));
            onward.map_or(V3::zeros(), |onward| onward.weight)
        };
        (0..n).map(weight).sum::<V3>() / n as f32
    }

    #[test]
    fn white_surfaces_reflect_all_light() {
        let white = Material::matt(V3::y(), V3::repeat(1.0));
        for rough in [0.0, 0.1, 0.3, 0.6] {
            for facing in [0.2_f32, 0.6, 1.0] {
                let view = v3((1.0 - facing * facing).sqrt(), facing, 0.0);
                let coated = Material {
                    coat: 0.04,
                    rough,
                    ..white
                };
                let metal = Material {
                    is_metal: true,
                    rough,
                    ..white
                };
                for (name, material) in [("coat", coated), ("metal", metal), ("matt", white)] {
                    let mean = mean(&material, view);
                    assert!(
                        (mean - V3::repeat(1.0)).abs().max() < 0.015,
                        "{name} of width {rough} at {facing}: {mean:?}"
                    );
                }
            }
        }
    }
}
