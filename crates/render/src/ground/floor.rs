//! Floor around the simulation box up to the horizon: the top of a table, or a plain.

use super::heightfield::Heightfield;
use super::land::surface::STONE;
use super::sky::Sky;
use super::surroundings::{Beyond, beyond};
use crate::camera::Ray;
use crate::math::{V3, in_widths, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::noise;
use lavoxel_automaton::view::{LookSpec, Surroundings};

/// Albedo of the table, a dark slate, linear RGB.
// A pale table was as light as the matter on top, and mirrored nothing.
pub const SLATE: [f32; 3] = [0.046, 0.043, 0.042];
/// Brightness of the table far outside of the lamp's pool of light, as a fraction of the brightness
/// in the middle of the pool.
pub const UNLIT: f32 = 0.22;
/// Radius of the lamp's pool of light on the table, in lengths of the simulation box's longer side.
pub const POOL: f32 = 1.25;
/// Reflectance (0 to 1) of the polished table: at normal incidence, and at grazing incidence.
pub const POLISH: [f32; 2] = [0.03, 0.34];
/// Length over which the reflection of the simulation box in the table fades, in heights of the
/// box.
pub const SHOWN: f32 = 0.9;

/// Fraction of its light that ground keeps in the shadow of matter (such as a plume), because
/// skylight remains.
pub const SHADED: f32 = 0.4;

/// Frequency of the patches of darker and lighter tone on a plain, in waves per pattern unit (1/128
/// of the simulation box's longer side).
pub const FIELDS: f32 = 0.012;
/// Frequency of the broadest hills of a plain, in waves per pattern unit (1/128 of the simulation
/// box's longer side).
pub const ROLLS: f32 = 0.035;
/// Number of octaves of noise in the hills of a plain; the waves of each octave are about half as
/// long as those of the octave before.
pub const OCTAVES: i32 = 6;
/// Distance towards the sun between the two points whose height difference gives a hill's slope, in
/// wavelengths of the noise octave.
pub const AHEAD: f32 = 0.3;
/// Fade-in of the hills of a noise octave: wavelengths, in pixels of the picture, at which the
/// hills begin to show and at which they are fully visible.
pub const PIXELS: [f32; 2] = [3.0, 14.0];
/// Exponent k, below 1, that limits the length of a pixel's footprint on the plain at grazing
/// angles: the length is the pixel's width / sin(angle between ray and plain)^k.
// With the full sine (exponent 1) no hills would be left in the distance.
pub const FLAT: f32 = 0.8;
/// Factor from the slope of the noise to the slope of the hills of a plain.
pub const STEEP: f32 = 0.16;
/// Fraction of its light that the plain loses in the deepest hollows between hills.
pub const HOLLOW: f32 = 0.35;
/// Albedo of the plain in hollows and in its darker patches, linear RGB.
pub const LOAM: [f32; 3] = [0.046, 0.042, 0.040];
/// Albedo of the plain on crests, linear RGB.
pub const BARE: [f32; 3] = [0.150, 0.128, 0.104];

/// Extinction lengths of the haze over land and over a table, in lengths of the simulation box's
/// longer side. The path starts at the box if land continues around the box, otherwise at the
/// camera.
pub const FAR: [f32; 2] = [15.0, 5.0];

/// Floor around the simulation box, up to the horizon: the top of a table, or a plain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Set for a table, clear for a plain.
    pub is_table: bool,
    /// y of the floor in cells; negative below the floor of the simulation box.
    pub foot: f32,
    /// Mean height in cells of the ground block's sides above this floor; 0 if land around the
    /// simulation box slopes down to this floor.
    pub side: f32,
    /// Size of the simulation box along x and z, in cells.
    size: [f32; 2],
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    tall: f32,
    /// Pattern unit in cells, the scale of the noise patterns: 1/128 of the simulation box's longer
    /// side.
    unit: f32,
    /// Set if land around the simulation box slopes down to this floor.
    pub(crate) is_plain: bool,
}

impl Floor {
    /// Returns the floor that `look` asks for; `None` if the surroundings are only sky or sea.
    /// `unit`: pattern unit in cells (1/128 of the simulation box's longer side); `around`: the
    /// land around the box that slopes down to the floor, if any.
    pub fn new(
        look: &LookSpec,
        block: &Heightfield,
        unit: f32,
        around: Option<&Beyond>,
    ) -> Option<Self> {
        if matches!(look.surroundings, Surroundings::Sky | Surroundings::Sea) {
            return None;
        }
        let size = [block.width(), block.depth()];
        let is_table = look.surroundings == Surroundings::Table;
        let foot = around.map_or(block.foot, |around| around.plain);
        let side = if around.is_some() {
            0.0
        } else {
            block.side() - foot
        };
        Some(Self {
            is_table,
            foot,
            side,
            size,
            tall: block.tall,
            unit,
            is_plain: around.is_some(),
        })
    }

    /// Returns the linear RGB light of the floor where `ray` meets the floor, and the distance in
    /// cells; `None` if the ray misses. `pixel`: width of a pixel at depth 1.
    pub(crate) fn seen(&self, ray: &Ray, sky: &Sky, pixel: f32) -> Option<(V3, f32)> {
        let fall = self.foot - ray.origin.y;
        if ray.direction.y > -1e-5 || fall >= 0.0 {
            return None;
        }
        let t = fall / ray.direction.y;
        let way = in_widths(ray.direction, self.tall);
        let away = t * way.norm();
        let way = unit_or_up(way);
        let light = if self.is_table {
            let light = times(
                self.slate(ray.at(t), away),
                self.light(ray.at(t), (sky, V3::y())),
            );
            self.polished(ray.at(t), way, light, sky)
        } else {
            self.plain(ray.at(t), away * pixel * (-way.y).powf(-FLAT), sky)
        };
        Some((self.faded(ray, (t, away), light, sky), t))
    }

    /// Returns `light` of a point on the floor, mixed with the haze over the floor. The point is at
    /// distance `t` (cells) along `ray`; `away` is the same distance in cell widths.
    pub(crate) fn faded(&self, ray: &Ray, (t, away): (f32, f32), light: V3, sky: &Sky) -> V3 {
        let way = in_widths(ray.direction, self.tall);
        let level = unit_or_up(v3(way.x, 0.0, way.z));
        let far = if self.is_plain {
            beyond(self.size, ray.at(t))
        } else {
            away
        };
        mix(sky.air(level), light, self.clear(far))
    }

    /// Returns the transmittance of the haze over the floor along a path of `far` cells or cell
    /// widths (cells if land continues around the simulation box).
    fn clear(&self, far: f32) -> f32 {
        (-far / (FAR[usize::from(self.is_table)] * self.longest())).exp()
    }

    /// Returns the transmittance of the haze over the floor between the eye and the point `p`
    /// (cells) of the floor, which is `away` cell widths from the eye.
    pub(crate) fn clear_over(&self, p: V3, away: f32) -> f32 {
        if self.is_plain {
            self.clear_beyond(p)
        } else {
            self.clear(away)
        }
    }

    /// Returns the transmittance of the haze along the horizontal path from the border of the
    /// simulation box to the point `p` (cells).
    pub(crate) fn clear_beyond(&self, p: V3) -> f32 {
        self.clear(beyond(self.size, p))
    }

    /// Returns the fraction of its light that the floor keeps at `p` (cells) in the shadow of
    /// matter in the simulation box (such as a plume). `sun`: direction of the sun; `sunlight`:
    /// returns the transmittance towards the sun at a point of the box's surface.
    pub(crate) fn shaded(&self, p: V3, sun: V3, sunlight: impl Fn(V3) -> f32) -> f32 {
        // Ground that the sides of the simulation box hide from the sun is dark already.
        let lit = self.lit(p, sun, self.side * self.tall);
        match entry((self.size, self.tall), p, sun).filter(|_| lit > 0.0) {
            Some(entry) => 1.0 - (1.0 - SHADED) * lit * (1.0 - sunlight(entry)),
            None => 1.0,
        }
    }

    /// Returns the longer horizontal side of the simulation box in cells.
    fn longest(&self) -> f32 {
        self.size[0].max(self.size[1])
    }

    /// Returns the albedo (linear RGB) of the table at `p` (cells), darker outside of the lamp's
    /// pool of light; the pattern fades with the distance `away` (cell widths) from the camera.
    pub(crate) fn slate(&self, p: V3, away: f32) -> V3 {
        let q = v3(p.x, 0.0, p.z) / self.unit;
        let near = (-away / (2.6 * self.longest())).exp();
        let mottled = near * noise::fractal(q * 0.11 + v3(5.0, 2.0, 8.0), 6);
        let [x, z] = [p.x - 0.5 * self.size[0], p.z - 0.5 * self.size[1]];
        let away = x.hypot(z) / (POOL * self.longest());
        V3::from(SLATE) * ((1.0 + 0.10 * mottled) * lerp(UNLIT, 1.0, (-away * away).exp()))
    }

    /// Returns the linear RGB light of the plain at the point `p` (cells): low hills in sunlight.
    /// `pixel`: width of a pixel on the plain, in cells.
    fn plain(&self, p: V3, pixel: f32, sky: &Sky) -> V3 {
        let (albedo, normal, hollow) = self.plain_rock(p, pixel, sky);
        times(albedo, self.light(p, (sky, normal))) * hollow
    }

    /// Returns the plain at the point `p` (cells): albedo (linear RGB), unit normal, and the
    /// fraction of light that its hollows leave. `pixel`: width of a pixel on the plain, in cells.
    pub(crate) fn plain_rock(&self, p: V3, pixel: f32, sky: &Sky) -> (V3, V3, f32) {
        let q = v3(p.x, 0.0, p.z) / self.unit;
        let level = sky.sun.x.hypot(sky.sun.z).max(1e-4);
        let ahead = v3(sky.sun.x, 0.0, sky.sun.z) * (AHEAD / level);
        let (mut height, mut rise, mut tall, mut place) =
            (0.0, 0.0, 1.0, q * ROLLS + v3(5.0, 2.0, 8.0));
        let mut waves = ROLLS / self.unit * pixel;
        for _ in 0..OCTAVES {
            let seen = smoothstep(PIXELS[0], PIXELS[1], 1.0 / waves);
            if seen <= 0.0 {
                break;
            }
            let here = noise::gradient(place);
            height += seen * tall * here;
            rise += seen * (noise::gradient(place + ahead) - here) / AHEAD;
            (tall, waves, place) = (0.5 * tall, 2.03 * waves, place * 2.03 + v3(17.3, 5.1, 9.7));
        }
        let fields = noise::fractal(q * FIELDS + v3(1.0, 6.0, 3.0), 4);
        let tone = saturate(0.55 + 0.45 * height - 0.45 * smoothstep(0.02, 0.12, fields));
        let tilt = rise * STEEP / level;
        let normal = unit_or_up(v3(-sky.sun.x * tilt, 1.0, -sky.sun.z * tilt));
        let hollow = saturate(1.0 + HOLLOW * height);
        (mix(V3::from(LOAM), V3::from(BARE), tone), normal, hollow)
    }

    /// Returns `light` of the table at `p` (cells) with the reflections of the simulation box and
    /// of the background added; `way`: unit direction of the ray in true proportions.
    fn polished(&self, p: V3, way: V3, light: V3, sky: &Sky) -> V3 {
        let share = lerp(POLISH[0], POLISH[1], (1.0 + way.y).max(0.0).powi(5));
        let wall = mix(sky.horizon, sky.zenith, saturate(-way.y));
        let [x, z] =
            [(p.x, way.x, self.size[0]), (p.z, way.z, self.size[1])].map(|(at, along, size)| {
                let along = if along.abs() < 1e-4 { 1e-4 } else { along };
                let [a, b] = [-at / along, (size - at) / along];
                [a.min(b), a.max(b)]
            });
        let (near, far) = (x[0].max(z[0]), x[1].min(z[1]));
        if near < 0.0 || near >= far {
            return mix(light, wall, share);
        }
        let normal = if x[0] > z[0] {
            v3(-way.x.signum(), 0.0, 0.0)
        } else {
            v3(0.0, 0.0, -way.z.signum())
        };
        let high = self.side * self.tall;
        let rise = -way.y * near;
        // The farther a place is from the mirrored box, the less of its shape is left.
        let there =
            smoothstep(1.1, 0.9, rise / high.max(1e-3)) * (-rise / (SHOWN * high + 1.0)).exp();
        let sun = sky.sun_color * (saturate(normal.dot(&sky.sun)) * 0.8);
        let side = times(V3::from(STONE), sun + sky.ambient(normal) * 0.8);
        mix(light, mix(wall, side, there), share)
    }

    /// Returns the linear RGB light that arrives at `p` (cells) on the floor, on a surface with the
    /// unit normal `normal`; the simulation box shades the sun and part of the sky.
    fn light(&self, p: V3, (sky, normal): (&Sky, V3)) -> V3 {
        let high = self.side * self.tall;
        let out = [0, 1].map(|k| {
            let at = [p.x, p.z][k];
            (-at).max(at - self.size[k]).max(0.0)
        });
        let beside = out[0].hypot(out[1]);
        let open = 1.0 - 0.6 * (-beside / (0.7 * high + 0.5)).exp();
        let lit = self.lit(p, sky.sun, high);
        sky.sun_color * (saturate(sky.sun.dot(&normal)) * lit) + sky.ambient(normal) * open
    }

    /// Returns the fraction of sunlight (0 to 1) that the simulation box, whose sides are `high`
    /// cell widths tall, lets through to `p` (cells) on the floor.
    fn lit(&self, p: V3, sun: V3, high: f32) -> f32 {
        let [low, top] = passed(self.size, p, sun, high);
        1.0 - smoothstep(0.0, 0.25, (top - low).max(0.0) / high.max(1e-3))
    }
}

/// Returns the lowest and the highest height above `p`, in cell widths, at which the ray from `p`
/// towards the sun is inside of the simulation box, whose size is `size` cells along x and z and
/// `high` cell widths upwards; the ray misses the box if the first is not below the second.
fn passed(size: [f32; 2], p: V3, sun: V3, high: f32) -> [f32; 2] {
    let (mut low, mut top) = (0.0_f32, high);
    for (at, towards, size) in [(p.x, sun.x, size[0]), (p.z, sun.z, size[1])] {
        let along = towards / sun.y;
        let along = if along.abs() < 1e-4 { 1e-4 } else { along };
        let [a, b] = [-at / along, (size - at) / along];
        low = low.max(a.min(b));
        top = top.min(a.max(b));
    }
    [low, top]
}

/// Returns the point (cells) at which the ray from `p` towards the sun enters the simulation box,
/// extended upwards without end; `None` if the ray misses. `size`: box along x and z in cells;
/// `tall`: height of a cell in cell widths.
pub(crate) fn entry((size, tall): ([f32; 2], f32), p: V3, sun: V3) -> Option<V3> {
    let [low, top] = passed(size, p, sun, f32::MAX);
    (low < top).then(|| {
        v3(
            p.x + sun.x / sun.y * low,
            p.y + low / tall,
            p.z + sun.z / sun.y * low,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::raster::Raster;

    fn floor(surroundings: Surroundings) -> Option<(Floor, Sky)> {
        let look = LookSpec {
            surroundings,
            ..LookSpec::default()
        };
        let block = Heightfield::new(Raster::nodes((40, 30), 1, |_, _| 12.0), -3.0);
        Some((Floor::new(&look, &block, 1.0, None)?, Sky::new(&look)))
    }

    #[test]
    fn only_rays_that_go_down_meet_it_and_it_ends_at_the_horizon() {
        assert_eq!(floor(Surroundings::Sky).map(|_| ()), None);
        let (floor, sky) = floor(Surroundings::Land).expect("a floor");
        assert_eq!([floor.foot, floor.side], [-3.0, 15.0]);
        let seen = |y: f32| {
            let direction = v3(0.3, y, -1.0).normalize();
            floor
                .seen(
                    &Ray {
                        origin: v3(20.0, 30.0, 90.0),
                        direction,
                    },
                    &sky,
                    1e-3,
                )
                .map(|(light, _)| light)
        };
        assert!(seen(0.1).is_none() && seen(-0.5).is_some());
        let horizon = sky.air(v3(0.3, 0.0, -1.0).normalize());
        assert!(
            (seen(-1e-4).expect("met") - horizon).norm() < 0.01,
            "no line at the horizon"
        );
    }

    #[test]
    fn the_box_throws_its_shadow_away_from_the_sun() {
        let (floor, sky) = floor(Surroundings::Table).expect("a floor");
        let towards = v3(sky.sun.x, 0.0, sky.sun.z).normalize();
        let at = |away: f32| {
            let p = v3(20.0, -3.0, 15.0) + towards * away;
            floor.light(p, (&sky, V3::y())).sum()
        };
        let (lit, shaded, far) = (at(40.0), at(-28.0), at(-200.0));
        assert!(
            shaded < 0.5 * lit && (far / lit - 1.0).abs() < 0.2,
            "{shaded} {lit} {far}"
        );
    }

    #[test]
    fn what_stands_in_the_box_shades_the_floor_on_the_far_side_of_the_sun() {
        let (floor, sky) = floor(Surroundings::Table).expect("a floor");
        let towards = v3(sky.sun.x, 0.0, sky.sun.z).normalize();
        // Everything in the simulation box above its rim is in shade.
        let shaded = |away: f32| {
            let p = v3(20.0, -3.0, 15.0) + towards * away;
            floor.shaded(p, sky.sun, |p| if p.y > 12.0 { 0.0 } else { 1.0 })
        };
        assert!(shaded(60.0) == 1.0 && (shaded(-60.0) - SHADED).abs() < 1e-6);
    }
}
