//! World as a transport of light asks for information: nearest surfaces,
//! materials, transparent media and clouds.
//!
//! All lengths and rays are in cell widths (true proportions).

use crate::camera::Ray;
use crate::math::V3;
use crate::print::material::Material;
use crate::print::random::Draws;

/// Set of the transparent media in which a point lies; media may lie in each other, and the one
/// with the lowest number counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inside(pub(crate) u32);

impl Inside {
    /// Returns the number of the medium that counts; `None` in air.
    pub(crate) fn medium(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
    }

    /// Returns the set with the medium `medium` added (`enters`) or removed.
    pub(crate) fn across(self, medium: usize, enters: bool) -> Self {
        let bit = 1 << medium;
        Self(if enters { self.0 | bit } else { self.0 & !bit })
    }
}

/// Transparent medium, such as water or ice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Medium {
    /// Index of refraction.
    pub(crate) refracts: f32,
    /// Absorption per length, linear RGB.
    pub(crate) absorbed: V3,
    /// Scattering per length, equal for all colours and directions.
    pub(crate) scattered: f32,
    /// Set if its particles ask the sky straight through the border, which is less exact and has
    /// less noise.
    pub(crate) is_asked: bool,
}

impl Medium {
    pub(crate) const AIR: Self = Self {
        refracts: 1.0,
        absorbed: V3::new(0.0, 0.0, 0.0),
        scattered: 0.0,
        is_asked: false,
    };
}

/// Nearest surface on a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting<T> {
    /// Distance along the ray.
    pub(crate) t: f32,
    /// Data from which the world finds the surface's material.
    pub(crate) what: T,
}

/// Surface at which a ray ends or is divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    /// Unit normal of the shape, without relief, away from the matter.
    pub(crate) shape: V3,
    pub(crate) kind: Kind,
}

/// Kind of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Surface that light does not pass.
    Opaque(Material),
    /// Border of a transparent medium: its number, whether the ray enters it, its unit normal with
    /// ripples, outwards, the width of its microfacets (0 for a smooth surface), and the share (0 to
    /// 1) that foam covers.
    Border {
        medium: usize,
        enters: bool,
        normal: V3,
        rough: f32,
        foam: f32,
    },
}

/// Collision of light with a particle of a cloud.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collision {
    /// Distance along the ray.
    pub(crate) t: f32,
    /// Share of light that the particle scatters, linear RGB.
    pub(crate) albedo: V3,
    /// Asymmetry of the phase function.
    pub(crate) ahead: f32,
    /// Factor on the light of glowing surfaces on the particle.
    pub(crate) glow: f32,
}

impl Collision {
    /// Returns the collision at the distance `t` with a bubble, which scatters all light evenly.
    pub(crate) fn of_bubble(t: f32) -> Self {
        Self {
            t,
            albedo: V3::repeat(1.0),
            ahead: 0.0,
            glow: 1.0,
        }
    }
}

/// End of a step of light inside of matter that scatters it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// The light is still inside after the whole step.
    Inside,
    /// The light meets rock below the matter at the distance.
    Wall(f32),
    /// The light leaves the matter at the distance, where the outward unit normal is the vector.
    Out(f32, V3),
}

/// World through which light is traced.
pub(crate) trait World: Sync {
    /// Kind of surface that a ray has met.
    type What: Copy;

    /// Returns the media at the start of `ray`.
    fn inside(&self, _ray: &Ray) -> Inside {
        Inside::default()
    }

    /// Returns the nearest surface on `ray`, which starts in the media `inside`.
    fn meet(&self, ray: &Ray, inside: Inside) -> Option<Meeting<Self::What>>;

    /// Returns the surface at `meeting`; `away`: length of the path from the camera.
    fn surface(&self, ray: &Ray, meeting: &Meeting<Self::What>, away: f32) -> Surface;

    /// Returns the transparent medium with the number `medium`.
    fn medium(&self, _medium: usize) -> Medium {
        Medium::AIR
    }

    /// Returns true if something opaque lies on `ray` nearer than `far`.
    fn is_blocked(&self, ray: &Ray, far: f32) -> bool;

    /// Returns the share of light that the transparent media on `ray` let pass straight on up to
    /// the distance `far`; `None` if there are none.
    fn straight(&self, _ray: &Ray, _far: f32, _inside: Inside) -> Option<V3> {
        None
    }

    /// Returns the first collision with a cloud on `ray` before the distance `far`, drawn by the
    /// cloud's extinction.
    fn collide(&self, _ray: &Ray, _far: f32, _draws: &mut Draws) -> Option<Collision> {
        None
    }

    /// Returns an estimate of the transmittance of clouds on `ray` up to the distance `far`.
    fn passed(&self, _ray: &Ray, _far: f32, _draws: &mut Draws) -> f32 {
        1.0
    }

    /// Returns about the transmittance of clouds on `ray` up to the distance `far`, the same each
    /// time.
    fn veil(&self, _ray: &Ray, _far: f32) -> f32 {
        1.0
    }

    /// Returns an estimate of the transmittance of clouds on `ray`, which goes to the sun.
    fn sunlit(&self, ray: &Ray, draws: &mut Draws) -> f32 {
        self.passed(ray, f32::MAX, draws)
    }

    /// Returns the light that flames and sparks on `ray` send to its start from before the distance
    /// `far`.
    fn glow(&self, _ray: &Ray, _far: f32) -> V3 {
        V3::zeros()
    }

    /// Returns where a step of the length `far` along `ray`, which starts inside of the matter of
    /// `meeting`, ends.
    fn step_inside(&self, _meeting: &Meeting<Self::What>, ray: &Ray, _far: f32) -> Step {
        Step::Out(0.0, -ray.direction)
    }

    /// Returns the light that the eye sees behind all matter in the direction `toward`: directly
    /// (`is_direct`), or by mirrors and glass.
    fn backdrop(&self, toward: V3, is_direct: bool) -> V3;

    /// Returns the transmittance of the air between the eye and a surface at `meeting`, and the
    /// light of that air.
    fn air(&self, _ray: &Ray, _meeting: &Meeting<Self::What>) -> (f32, V3) {
        (1.0, V3::zeros())
    }
}
