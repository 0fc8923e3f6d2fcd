//! Flame of a candle: a drop of glowing gas above a wick, and its light on the surroundings. The
//! shape of the flame is a formula; the flame is not simulated.
//!
//! ```text
//!       )         tip, orange
//!      / \
//!     | · |       body, yellow
//!      \|/        foot, blue, dark next to the wick
//! ```

use crate::camera::Ray;
use crate::math::{V3, in_widths, lerp, mix, saturate, smoothstep, v3};
use lavoxel_automaton::view::LookSpec;

// Look constants are chosen by eye.

/// Number of samples along a ray through the flame.
pub const SAMPLES: i32 = 16;
/// Radius of the bounding sphere of a flame, in flame heights.
pub const REACH: f32 = 0.58;
/// Half of a flame's greatest width, in flame heights.
pub const WIDE: f32 = 0.155;
/// Colour at the foot of a flame, linear RGB.
pub const FOOT: V3 = V3::new(0.06, 0.12, 0.34);
/// Colour of the body of a flame, linear RGB.
pub const BODY: V3 = V3::new(1.0, 0.66, 0.27);
/// Colour at the tip of a flame, linear RGB.
pub const TIP: V3 = V3::new(1.0, 0.40, 0.08);
/// Factor on the colours of the flame where the flame itself is drawn.
pub const BRIGHT: f32 = 5.0;
/// Colour of the light that a flame sheds on its surroundings, linear RGB.
pub const LIGHT: V3 = V3::new(1.0, 0.56, 0.22);
/// Factor on the colour `LIGHT` for the flame's light on surfaces.
pub const LIT: f32 = 3.0;
/// Square of the distance, in flame heights, at which the flame's light is half of that of a point:
/// a flame is no point.
pub const SPREAD: f32 = 0.8;
/// Factor on the colour `LIGHT` for the flame's light inside a translucent material.
pub const INSIDE: f32 = 1.15;
/// Penetration depth (1/e) of the flame's light in a translucent material for red, green and blue,
/// in flame heights.
pub const ENTERS: V3 = V3::new(1.25, 0.80, 0.50);
/// Amplitude of the sway of the flame's tip east and south, in flame heights.
const BLOWN: [f64; 2] = [0.07, 0.05];
/// Frequency of the sway of the flame's tip east and south, in cycles per step.
const TURNS: [f64; 2] = [0.37, 0.23];

/// Flame of a candle at the time of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flame {
    /// Position of the flame's foot in cells.
    pub foot: V3,
    /// Height of the flame, in cell widths.
    pub height: f32,
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    tall: f32,
    /// Displacement of the tip to the east and to the south, in flame heights.
    pub blown: [f32; 2],
}

impl Flame {
    /// Returns the flame of `look` after `steps` simulation steps; `None` if the look has no flame.
    pub fn from_look(look: &LookSpec, steps: f64) -> Option<Self> {
        let [x, y, z, height] = look.flame?;
        let blown =
            |k: usize| ((steps * TURNS[k]).fract() * std::f64::consts::TAU).sin() * BLOWN[k];
        let (foot, tall) = (v3(x, y, z), look.cell_height);
        (height > 0.0).then_some(Self {
            foot,
            height: height * tall,
            tall,
            blown: [0, 1].map(|k| blown(k) as f32),
        })
    }

    /// Returns the distances in cells at which `ray` enters and leaves the bounding sphere of the
    /// flame, limited to `far`; `None` if the ray misses.
    fn span(&self, ray: &Ray, far: f32) -> Option<(f32, f32)> {
        let way = in_widths(ray.direction, self.tall);
        let to = in_widths(self.foot - ray.origin, self.tall) + v3(0.0, 0.5 * self.height, 0.0);
        let nearest = to.dot(&way) / way.norm_squared();
        let reach = REACH * self.height;
        let apart = (to - way * nearest).norm_squared();
        if apart >= reach * reach {
            return None;
        }
        let half = ((reach * reach - apart) / way.norm_squared()).sqrt();
        let (from, to) = ((nearest - half).max(0.0), (nearest + half).min(far));
        (from < to).then_some((from, to))
    }

    /// Returns true if `ray` meets the bounding sphere of the flame.
    pub(crate) fn is_near(&self, ray: &Ray) -> bool {
        self.span(ray, f32::MAX).is_some()
    }

    /// Returns the linear RGB light that the flame emits along `ray` up to the distance `far`
    /// (cells).
    pub(crate) fn light(&self, ray: &Ray, far: f32) -> V3 {
        let Some((from, to)) = self.span(ray, far) else {
            return V3::zeros();
        };
        let step = (to - from) / SAMPLES as f32;
        let mut sum = V3::zeros();
        for k in 0..SAMPLES {
            sum += self.glow(in_widths(
                ray.at(from + (k as f32 + 0.5) * step) - self.foot,
                self.tall,
            ));
        }
        sum * (step * in_widths(ray.direction, self.tall).norm() * BRIGHT / (WIDE * self.height))
    }

    /// Returns the linear RGB light that the flame emits at `p`, an offset from its foot in cell
    /// widths.
    fn glow(&self, p: V3) -> V3 {
        let up = p.y / self.height;
        if up <= 0.0 || up >= 1.0 {
            return V3::zeros();
        }
        let [east, south] = self.blown.map(|blown| blown * self.height * up * up);
        let wide = WIDE * self.height * 2.6 * up.sqrt() * (1.0 - up);
        let out = (p.x - east).hypot(p.z - south) / wide.max(1e-4);
        let shape = smoothstep(1.0, 0.25, out);
        let color = mix(
            FOOT,
            mix(BODY, TIP, smoothstep(0.55, 1.0, up)),
            smoothstep(0.0, 0.24, up),
        );
        let dark = smoothstep(0.55, 0.0, out) * smoothstep(0.34, 0.10, up);
        color * (shape * (1.0 - 0.8 * dark))
    }

    /// Returns the linear RGB light of the flame that arrives on a surface at the point `p` (cells)
    /// with the unit normal `n`.
    pub(crate) fn at(&self, p: V3, n: V3) -> V3 {
        let to = self.toward(p);
        let apart = to.norm_squared() / (self.height * self.height);
        let facing = saturate(0.2 + 0.8 * n.dot(&to) / to.norm().max(1e-4));
        LIGHT * (LIT * facing / (apart + SPREAD))
    }

    /// Returns the flame as a lamp, in cell widths: the middle of its bright part, the square of the
    /// distance at which its light is half of that of a point, and its colour, which white matter
    /// at the distance `d` from a point would send back divided by `d²`.
    pub(crate) fn lamp(&self) -> (V3, f32, V3) {
        let square = self.height * self.height;
        (
            self.toward(V3::zeros()),
            SPREAD * square,
            LIGHT * (LIT * square),
        )
    }

    /// Returns the light of the flame that arrives on rock at the point `p` (cells) with the unit
    /// normal `n`, divided by `of_lava`, the colour of the lava's light, because the shading of
    /// rock multiplies by that colour.
    pub(crate) fn on_rock(&self, p: V3, n: V3, of_lava: V3) -> V3 {
        self.at(p, n)
            .zip_map(&of_lava, |light, lava| light / lava.max(1e-3))
    }

    /// Returns the linear RGB light of the flame that leaves a translucent material at the point
    /// `p` (cells) after scattering inside.
    pub(crate) fn inside(&self, p: V3) -> V3 {
        let apart = self.toward(p).norm() / self.height;
        LIGHT.zip_map(&ENTERS, |light, reach| {
            INSIDE * light * (-(apart - 0.5).max(0.0) / reach).exp()
        })
    }

    /// Returns the offset from the point `p` (cells) to the bright part of the flame, at 35 % of
    /// its height, in cell widths.
    fn toward(&self, p: V3) -> V3 {
        in_widths(self.foot - p, self.tall) + v3(0.0, lerp(0.0, self.height, 0.35), 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flame() -> Flame {
        let look = LookSpec {
            flame: Some([10.0, 20.0, 10.0, 8.0]),
            ..LookSpec::default()
        };
        Flame::from_look(&look, 0.0).expect("a flame")
    }

    #[test]
    fn it_is_seen_over_its_foot_and_before_what_hides_it() {
        let flame = flame();
        let along = |y: f32| Ray {
            origin: v3(10.0, y, -30.0),
            direction: V3::z(),
        };
        let (body, foot) = (
            flame.light(&along(23.0), f32::MAX),
            flame.light(&along(20.5), f32::MAX),
        );
        assert!(
            body.x > body.y && body.y > body.z && body.x > 1.0,
            "{body:?}"
        );
        assert!(foot.z > foot.x, "its foot is blue, {foot:?}");
        assert_eq!(flame.light(&along(23.0), 20.0), V3::zeros());
        assert!(!flame.is_near(&along(40.0)) && flame.is_near(&along(24.0)));
        assert_eq!(Flame::from_look(&LookSpec::default(), 3.0), None);
    }

    #[test]
    fn what_is_near_and_faces_it_is_lit_most() {
        let flame = flame();
        let at = |y: f32, n: V3| flame.at(v3(10.0, y, 10.0), n).x;
        assert!(
            at(17.0, V3::y()) > 2.0 * at(17.0, -V3::y())
                && at(17.0, V3::y()) > 2.0 * at(8.0, V3::y())
        );
        let inside = flame.inside(v3(10.0, 12.0, 10.0));
        assert!(inside.x > inside.y && inside.y > inside.z);
    }
}
