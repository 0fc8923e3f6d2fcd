//! Sparks (glowing drops of lava) that vents throw, drawn as streaks in the cinematic style.
//!
//! No model moves the sparks: each flies along a parabola that depends only on the seed and the
//! number of the step. Invariant: the same step shows the same sparks, hence films are reproducible
//! and need no state from earlier frames.
//!
//! ```text
//!        .·'`·.
//!      .'  . ' `.      head, and tail at its place a little earlier
//!     /  .'      \
//!  __|_|_________|__   mouth
//! ```

use ndarray::Array2;

use crate::camera::Ray;
use crate::lava::blackbody::BlackBody;
use crate::math::{V3, lerp, saturate, v3};
use lavoxel_base::random::mix64;
use lavoxel_sim::lowpass::Volume;
use lavoxel_sim::source::VentSpec;

/// Maximum number of sparks in a picture; each is drawn as a streak.
// Each ray tests the streaks of all fountains near to its way: both bounds limit that cost.
pub const MOST: usize = 160;
/// Maximum number of vent mouths that throw sparks; those with the highest effusion rates are kept.
pub const MOST_MOUTHS: usize = 8;
// Look constants of the fountain, chosen by eye.
/// Number of sparks in flight from a vent mouth whose scaled rate is 1 cell per step. The scaled
/// rate is the effusion rate divided by the square of the pattern unit (1/128 of the simulation
/// box's longer side, in cells).
const USUAL: f32 = 88.0;
/// Height above the mouth that the highest sparks reach at a scaled rate (see `USUAL`) of 1 cell
/// per step, in pattern units (1/128 of the simulation box's longer side).
const HEIGHT: f32 = 11.0;
/// Exponents of the scaled rate (see `USUAL`) in the number of sparks and in the height that they
/// reach.
const POWERS: [f32; 2] = [0.5, 0.38];
/// Range to which the scaled rate of a vent mouth (see `USUAL`) is clamped, in cells per step.
const RATES: [f32; 2] = [0.02, 4.0];
/// Duration of the highest spark's flight, up and down to the height of the mouth, in simulation
/// steps.
// Fewer steps would look faster than in nature, and a film would show each spark in one frame only.
const STEPS: f64 = 240.0;
/// Fraction of a spark's cycle (from its start until the next spark replaces it) at which the spark
/// falls below the height of its mouth.
// The spark goes on falling below that height until the next spark leaves.
const FALLS: f32 = 0.72;
/// Flight time that a streak shows, from tail to head, as a fraction of the time in which its spark
/// flies up and down.
const LENGTH: f32 = 0.06;
/// Smallest and largest radius of a streak's spark, in pattern units (1/128 of the simulation box's
/// longer side).
const RADII: [f32; 2] = [0.04, 0.22];
/// Temperature in kelvin at which sparks leave the vent mouth.
const LEAVES: f32 = 1420.0;
/// Cooling of a small spark during its flight, in kelvin.
const COOLS: f32 = 520.0;
/// Reduction of the cooling during a flight for the largest sparks, as a fraction of `COOLS`.
const KEPT: f32 = 0.4;
/// Brightness of a streak's head, relative to the display colour of its temperature.
pub const BRIGHT: f32 = 4.6;
/// Brightness of a streak's tail, relative to its head.
pub const TAIL: f32 = 0.3;
/// Minimum drawn radius of a streak in pixel widths; a thinner streak could fall between pixels.
pub const THINNEST: f32 = 0.6;
/// Distance from a streak's axis beyond which the streak is not drawn, in drawn radii of the
/// streak.
pub const SEEN: f32 = 2.6;
/// Factor on the optical depth of gas and smoke in front of a streak of sparks.
// Below 1, because so bright a light is seen through a cloud that hides a surface.
pub const HIDES: f32 = 0.45;
/// Number of samples of gas, and of smoke, along a ray from the camera to the nearest streak.
pub const SAMPLES: usize = 16;

/// Mouth of a vent: place on the surface from which sparks are thrown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mouth {
    /// Centre of the mouth on the surface of the lava or the ground, in cells along x, y and z.
    pub place: [f32; 3],
    /// Radius of the mouth in cells.
    pub radius: f32,
    /// Effusion rate of the mouth, in full cells of lava per step.
    pub rate: f32,
    /// Seed of the random numbers for this mouth's sparks.
    pub seed: u64,
}

impl Mouth {
    /// Returns the mouths of those `vents` that pour lava of the cellular automaton at the step
    /// `steps`, highest effusion rates first; at most `MOST_MOUTHS`.
    ///
    /// `volume` and `ground` (heights in cells, shape (nz, nx)) give the height of the surface;
    /// `seed` is the seed of the simulation. A long fissure has a mouth at each of its points;
    /// mouths that another liquid covers are left out.
    pub fn all_from_vents<'a>(
        vents: impl Iterator<Item = &'a VentSpec>,
        (volume, ground): (&Volume, &Array2<f32>),
        (seed, steps): (u64, u64),
    ) -> Vec<Self> {
        let pours = |(_, vent): &(usize, &VentSpec)| {
            let lava = vent.material.is_none() && vent.flow.is_none() && vent.height.is_none();
            lava && vent.rate > 0.0 && vent.start <= steps && vent.end.is_none_or(|end| steps < end)
        };
        let mut mouths = Vec::new();
        for (number, vent) in vents.enumerate().filter(pours) {
            let points = vent.points();
            for (k, [x, z]) in points.iter().enumerate() {
                let Some(y) = surface(volume, ground, [*x as f32, *z as f32]) else {
                    continue;
                };
                mouths.push(Self {
                    place: [*x as f32, y, *z as f32],
                    radius: vent.radius as f32,
                    rate: (vent.rate / points.len() as f64) as f32,
                    seed: mix64(seed ^ mix64((number * points.len() + k) as u64 + 1)),
                });
            }
        }
        mouths.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        mouths.truncate(MOST_MOUTHS);
        mouths
    }
}

/// Returns the height in cells of the lava's surface, or of the ground if that is higher, in the
/// column at (`x`, `z`) in cells; `None` if another liquid or material covers the column.
fn surface(volume: &Volume, ground: &Array2<f32>, [x, z]: [f32; 2]) -> Option<f32> {
    let grid = volume.grid;
    let [x, z] = [
        (x.max(0.0) as usize).min(grid.nx - 1),
        (z.max(0.0) as usize).min(grid.nz - 1),
    ];
    let is_dense = |density: &[u8], y: usize| {
        density
            .get(grid.index([x, y, z]))
            .is_some_and(|density| *density > 127)
    };
    let lava = (0..grid.ny)
        .rev()
        .find(|&y| is_dense(&volume.density, y))
        .map_or(0.0, |y| y as f32 + 0.5);
    let top = lava.max(ground.get([z, x]).copied().unwrap_or(0.0));
    let above = (top as usize + 1).min(grid.ny - 1);
    let drowned = volume
        .media
        .iter()
        .any(|medium| is_dense(&medium.density, above));
    (!drowned).then_some(top)
}

/// Spark (drop of lava) in flight, drawn as a streak from `tail` to `head`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Streak {
    /// Present position of the spark in cells.
    pub head: V3,
    /// Position of the spark a little earlier, in cells.
    pub tail: V3,
    /// Radius of the streak in cells.
    pub radius: f32,
    /// Temperature of the spark in kelvin.
    pub kelvin: f32,
}

/// Sparks thrown from one vent mouth, with their bounding sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fountain {
    /// Centre of the bounding sphere in cells.
    pub middle: V3,
    /// Radius of the bounding sphere in cells, with a margin for the soft edges of the streaks.
    pub radius: f32,
    /// Index range `[first, end)` of the fountain's streaks in `Sparks::streaks`.
    pub streaks: [usize; 2],
}

/// Sparks in flight that a frame shows, grouped by the vent mouths that threw them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparks {
    /// One fountain per vent mouth that has at least one streak.
    pub fountains: Vec<Fountain>,
    /// Streaks of all fountains; the streaks of one fountain are consecutive (see
    /// `Fountain::streaks`).
    pub streaks: Vec<Streak>,
}

impl Sparks {
    /// Returns the sparks in flight that the vent mouths `mouths` have thrown before the time
    /// `steps` (simulation steps).
    ///
    /// `share` scales the number of sparks: 1 for the usual number, 0 for none; `unit` is the
    /// pattern unit in cells (1/128 of the simulation box's longer side).
    pub fn at(mouths: &[Mouth], steps: f64, share: f32, unit: f32) -> Self {
        let mut sparks = Self::default();
        if share <= 0.0 {
            return sparks;
        }
        let rate = |mouth: &Mouth| (mouth.rate / (unit * unit)).clamp(RATES[0], RATES[1]);
        let wanted: Vec<f32> = mouths
            .iter()
            .map(|mouth| share * USUAL * rate(mouth).powf(POWERS[0]))
            .collect();
        let fits = (MOST as f32 / wanted.iter().sum::<f32>().max(1.0)).min(1.0);
        for (mouth, wanted) in mouths.iter().zip(wanted) {
            let first = sparks.streaks.len();
            let height = HEIGHT * unit * rate(mouth).powf(POWERS[1]);
            let count = (wanted * fits) as u64;
            sparks
                .streaks
                .extend((0..count).map(|k| streak(mouth, k, steps, (height, unit))));
            sparks
                .fountains
                .extend(Fountain::enclosing(&sparks.streaks, first));
        }
        sparks
    }

    /// Returns true if `ray` meets the bounding sphere of any fountain.
    pub(crate) fn is_near(&self, ray: &Ray) -> bool {
        self.fountains.iter().any(|fountain| fountain.is_near(ray))
    }

    /// Returns the linear RGB light of the streaks that `ray` meets up to the distance `far`
    /// (cells) in clear air, and the distance to the nearest streak; `f32::MAX` if there is none.
    /// `pixel`: width of a pixel at depth 1; streaks are drawn with a radius of at least `THINNEST`
    /// pixels.
    pub(crate) fn glow(
        &self,
        blackbody: &BlackBody,
        ray: &Ray,
        (far, pixel): (f32, f32),
    ) -> (V3, f32) {
        let (mut sum, mut nearest) = (V3::zeros(), f32::MAX);
        for fountain in self
            .fountains
            .iter()
            .filter(|fountain| fountain.is_near(ray))
        {
            for streak in &self.streaks[fountain.streaks[0]..fountain.streaks[1]] {
                let (t, share) = streak.met(ray, pixel);
                if share > 0.0 && t > 0.0 && t < far {
                    sum += blackbody.shown(streak.kelvin) * (BRIGHT * share);
                    nearest = nearest.min(t);
                }
            }
        }
        (sum, nearest)
    }
}

/// Returns a uniform random number (0 to 1) for a spark with the seed `seed`; `property` numbers
/// the spark's properties, such as height and size, each of which needs its own random number.
fn dice(seed: u64, property: u64) -> f32 {
    (mix64(seed ^ mix64(property)) >> 40) as f32 / (1_u64 << 24) as f32
}

/// Returns the streak of the `k`-th spark of `mouth` after `steps` steps; a spark whose cycle has
/// ended is replaced by a new one. `height`: height (cells) that the highest sparks reach; `unit`:
/// pattern unit in cells (1/128 of the simulation box's longer side).
fn streak(mouth: &Mouth, k: u64, steps: f64, (height, unit): (f32, f32)) -> Streak {
    let own = mix64(mouth.seed ^ mix64(k + 1));
    // The power makes high sparks rare.
    let high = 0.16 + 0.84 * dice(own, 0).powf(1.5);
    let time = STEPS * f64::from(high).sqrt() / f64::from(FALLS);
    let turns = steps / time + f64::from(dice(own, 1));
    let this = own.wrapping_add(mix64(turns.floor() as u64));
    let share = turns.fract() as f32 / FALLS;
    let rises = height * high * lerp(0.85, 1.15, dice(this, 2));
    let (around, aside) = (std::f32::consts::TAU * dice(this, 3), dice(this, 4));
    // Low sparks are thrown further aside than high ones.
    let range = rises * lerp(0.25, 1.5, aside * aside) * lerp(1.5, 0.8, high);
    let way = v3(around.cos(), 0.0, around.sin());
    let from =
        V3::from(mouth.place) + way * (0.6 * mouth.radius * dice(this, 5)) - V3::y() * (0.3 * unit);
    let at =
        |share: f32| from + way * (range * share) + V3::y() * (4.0 * rises * share * (1.0 - share));
    let size = dice(this, 6).powf(3.2);
    let cooled = COOLS * saturate(share / 1.3).powf(0.8) * (1.0 - KEPT * size);
    let (length, radius) = (
        LENGTH * lerp(1.3, 0.8, size),
        unit * lerp(RADII[0], RADII[1], size),
    );
    Streak {
        head: at(share),
        tail: at((share - length).max(0.0)),
        radius,
        kelvin: LEAVES - cooled,
    }
}

impl Fountain {
    /// Returns the fountain with all streaks in `streaks` from the index `first` on; `None` if this
    /// range is empty.
    fn enclosing(streaks: &[Streak], first: usize) -> Option<Self> {
        let own = &streaks[first..];
        let points = || own.iter().flat_map(|streak| [streak.head, streak.tail]);
        let low = points().reduce(|a, b| a.zip_map(&b, f32::min))?;
        let high = points().reduce(|a, b| a.zip_map(&b, f32::max))?;
        let thickest = own.iter().map(|streak| streak.radius).fold(0.0, f32::max);
        let middle = (low + high) * 0.5;
        Some(Self {
            middle,
            radius: 0.5 * (high - low).norm() + 2.0 * SEEN * thickest,
            streaks: [first, streaks.len()],
        })
    }

    fn is_near(&self, ray: &Ray) -> bool {
        let to = self.middle - ray.origin;
        let along = to.dot(&ray.direction);
        to.norm_squared() - along * along < self.radius * self.radius
    }
}

impl Streak {
    /// Returns the distance in cells along `ray` at which the ray is nearest to the streak's axis,
    /// and the brightness (0 to 1) of the streak at this distance. `pixel`: width of a pixel at
    /// depth 1.
    fn met(&self, ray: &Ray, pixel: f32) -> (f32, f32) {
        let (along, to) = (self.head - self.tail, self.tail - ray.origin);
        let (b, c) = (ray.direction.dot(&along), along.norm_squared());
        let (d, e) = (ray.direction.dot(&to), along.dot(&to));
        let place = saturate((b * d - e) / (c - b * b).max(1e-6));
        let nearest = to + along * place;
        let t = ray.direction.dot(&nearest);
        let apart = (nearest.norm_squared() - t * t).max(0.0);
        let wide = self.radius.max(THINNEST * pixel * t);
        if apart > SEEN * SEEN * wide * wide {
            return (t, 0.0);
        }
        let thin = self.radius / wide;
        (
            t,
            (-apart / (wide * wide)).exp() * thin * thin.sqrt() * lerp(TAIL, 1.0, place),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mouth() -> Mouth {
        Mouth {
            place: [64.0, 70.0, 64.0],
            radius: 2.5,
            rate: 1.8,
            seed: 7,
        }
    }

    #[test]
    fn clots_of_a_step_are_the_same_each_time_and_few_for_little_lava() {
        let at = |steps: f64, share: f32| Sparks::at(&[mouth()], steps, share, 1.0);
        assert_eq!(at(500.0, 1.0), at(500.0, 1.0));
        assert_ne!(at(500.0, 1.0), at(501.0, 1.0));
        assert_eq!(at(500.0, 0.0), Sparks::default());
        let many = at(500.0, 1.0).streaks.len();
        assert!(many > 20 && many <= MOST && at(500.0, 0.5).streaks.len() <= many / 2);
        let weak = Sparks::at(
            &[Mouth {
                rate: 0.1,
                ..mouth()
            }],
            500.0,
            1.0,
            1.0,
        );
        assert!(
            weak.streaks.len() < many / 3
                && weak.fountains[0].radius < at(500.0, 1.0).fountains[0].radius
        );
    }

    #[test]
    fn a_clot_moves_on_along_its_way_and_cools() {
        let (mut moved, mut jumps) = (0.0_f32, 0);
        let at = |step: u32| Sparks::at(&[mouth()], f64::from(step), 1.0, 1.0).streaks;
        for (before, after) in (0..200).map(|step| (at(step), at(step + 1))) {
            for (before, after) in before.iter().zip(&after) {
                let way = (after.head - before.head).norm();
                // The spark has been replaced by a new one.
                if after.kelvin > before.kelvin {
                    jumps += 1;
                } else {
                    moved = moved.max(way);
                }
            }
        }
        assert!(
            moved < 0.8 && jumps > 10,
            "{moved} cells a step, {jumps} new ones"
        );
    }

    #[test]
    fn a_ray_meets_a_streak_in_its_middle() {
        let streak = Streak {
            head: v3(1.0, 0.0, 10.0),
            tail: v3(-1.0, 0.0, 10.0),
            radius: 0.2,
            kelvin: 1300.0,
        };
        let ray = |y: f32| Ray {
            origin: v3(0.0, y, 0.0),
            direction: V3::z(),
        };
        let (t, share) = streak.met(&ray(0.0), 1e-4);
        assert!((t - 10.0).abs() < 1e-4 && share > 0.6);
        assert_eq!(streak.met(&ray(0.6), 1e-4).1, 0.0);
        assert!(
            streak.met(&ray(0.6), 0.1).1 > 0.0,
            "no streak falls between pixels"
        );
    }
}
