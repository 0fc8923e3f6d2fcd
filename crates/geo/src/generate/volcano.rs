//! Built-in volcano: generates a stratovolcano whose gullies lead the lava down in tongues.
//!
//! In plan, in units of the simulation box's shorter side (north up):
//!
//! ```text
//!      rim, radius 0.075          · second lip: west-south-west
//!   ____/                         · lowest lip: south-east; from each lip a channel runs down to the plain
//!  /  o  \     flanks, concave: steep above, gentle below, cut by gullies that deepen downslope
//! /       \__  plain, with a valley across the south-east that catches what comes down from the lowest lip
//! ```

use ndarray::Array2;
use noise::{Fbm, NoiseFn, Perlin, SuperSimplex};

use super::{Bed, from_place, rolling, smooth};
use lavoxel_base::grid::Grid;

/// Position of the crater centre as offset (east, south) from the centre of the simulation box, in
/// units of its shorter side. Slightly off-centre, so that the flanks differ.
const CENTRE: (f64, f64) = (-0.015, -0.03);
/// Mean radius of the circle at which the cone meets the plain, in units of the simulation box's
/// shorter side.
const FOOT: f64 = 0.50;
/// Direction (unit vector east, south) from the crater to the lowest point of the rim. Independent
/// of the seed, so that a scene can rely on the side on which lava leaves the crater.
const LOWEST_LIP: [f64; 2] = [0.6, 0.8];
/// Direction (unit vector east, south) from the crater to the second lowest point of the rim.
const SECOND_LIP: [f64; 2] = [-0.96, 0.28];
/// Rise of the rim above the plain, as a fraction of the simulation box's height, for which the
/// heights of gullies, channels and parasitic cones are given.
const STEEP: f64 = 0.57;
/// Number of parasitic cones on the flanks of the built-in volcano.
const PARASITES: u32 = 6;

/// Dimensions of the built-in volcano, as fractions of the simulation box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Height of the rim above the floor, as a fraction of the simulation box's height.
    pub height: f64,
    /// Radius of the rim, as a fraction of the simulation box's shorter side.
    pub crater_radius: f64,
    /// Depth of the crater below the rim, as a fraction of the simulation box's height.
    pub crater_depth: f64,
    /// Clockwise rotation of the volcano and the plain about the crater, in degrees.
    pub turn_deg: f64,
}

impl Default for Cone {
    fn default() -> Self {
        Self {
            height: 0.30,
            crater_radius: 0.075,
            crater_depth: 0.05,
            turn_deg: 0.0,
        }
    }
}

/// Generates the volcano's ground: height of each column in cells above the floor, shape `(nz,
/// nx)`.
pub fn volcano(grid: Grid, bed: &Bed, cone: &Cone) -> Array2<f32> {
    let volcano = Volcano::new(grid, bed, cone);
    from_place(grid, |u, v| {
        let [u, v] = volcano.unturned(u, v);
        volcano.height(u, v) * grid.ny as f64
    })
}

/// Returns the column index `(x, z)` of the crater centre in a box of shape `grid`.
pub fn crater(grid: Grid) -> (usize, usize) {
    let side = grid.nx.min(grid.nz) as f64;
    let column = |offset: f64, n: usize| ((0.5 * n as f64 + offset * side) as usize).min(n - 1);
    (column(CENTRE.0, grid.nx), column(CENTRE.1, grid.nz))
}

/// Small (parasitic) cone on the flank of the built-in volcano.
struct Parasite {
    at: [f64; 2],
    radius: f64,
    height: f64,
}

/// Noise generators and parameters of the volcano's height function; lengths in units of the
/// simulation box's shorter side, heights in units of the box's height.
struct Volcano {
    cone: Cone,
    base: f64,
    roughness: f64,
    /// Factor on the heights of gullies, channels, rim and parasitic cones, which follow the height
    /// of the cone: 1 for a cone as steep as `STEEP`, and for steeper ones.
    relief: f64,
    gullies: Perlin,
    bend: Perlin,
    broad: Fbm<SuperSimplex>,
    fine: Fbm<SuperSimplex>,
    parasites: Vec<Parasite>,
    /// Cosine and sine of the angle by which the volcano is rotated about its crater; `None` for a
    /// volcano that is not rotated.
    turn: Option<(f64, f64)>,
}

/// Position on the ground relative to the crater, in Cartesian and in polar coordinates.
struct Bearing {
    /// Offset (east, south) of the position from the crater, in units of the simulation box's
    /// shorter side.
    at: [f64; 2],
    /// Distance of the position from the crater, in units of the simulation box's shorter side.
    r: f64,
    /// Unit vector (east, south) from the crater of the built-in volcano to the position.
    dir: [f64; 2],
}

impl Bearing {
    fn new(at: [f64; 2]) -> Self {
        let r = (at[0] * at[0] + at[1] * at[1]).sqrt();
        let dir = if r > 1e-9 {
            [at[0] / r, at[1] / r]
        } else {
            [1.0, 0.0]
        };
        Self { at, r, dir }
    }

    /// Returns the cosine of the angle between the directions to this position and `other`, a unit
    /// vector (east, south).
    fn towards(&self, other: [f64; 2]) -> f64 {
        self.dir[0] * other[0] + self.dir[1] * other[1]
    }
}

impl Volcano {
    fn new(grid: Grid, bed: &Bed, cone: &Cone) -> Self {
        let seed = |n: u32| bed.seed.wrapping_mul(16).wrapping_add(n);
        let base = bed.base / grid.ny as f64;
        Self {
            cone: *cone,
            base,
            roughness: bed.roughness,
            relief: ((cone.height - base) / STEEP).clamp(0.0, 1.0),
            gullies: Perlin::new(seed(0)),
            bend: Perlin::new(seed(1)),
            broad: rolling(seed(2), 3),
            fine: rolling(seed(3), 4),
            parasites: (0..PARASITES)
                .filter_map(|n| parasite(seed(4), n))
                .collect(),
            // libm gives the same bits on every system, which std does not promise.
            turn: (cone.turn_deg != 0.0).then(|| {
                let angle = cone.turn_deg.to_radians();
                (libm::cos(angle), libm::sin(angle))
            }),
        }
    }

    /// Returns the offset (east, south) from the crater that the point (`u`, `v`) has before the
    /// volcano is rotated. `u`, `v`: distance east and south of the centre of the simulation box,
    /// in units of its shorter side.
    fn unturned(&self, u: f64, v: f64) -> [f64; 2] {
        let Some((cos, sin)) = self.turn else {
            return [u, v];
        };
        let (du, dv) = (u - CENTRE.0, v - CENTRE.1);
        // South is down the map, so that this turns back a clockwise turn.
        [
            CENTRE.0 + cos * du + sin * dv,
            CENTRE.1 + cos * dv - sin * du,
        ]
    }

    fn height(&self, u: f64, v: f64) -> f64 {
        let place = Bearing::new([u - CENTRE.0, v - CENTRE.1]);
        let bent = self.bent(&place);
        let cut = self.channel(&place, LOWEST_LIP, 0.17) + self.channel(&place, SECOND_LIP, 0.09);
        let relief = self.gully_relief(&bent) + self.bumps(&place) - cut;
        let flank = self.plain([u, v], place.r) + self.flank(&bent) + self.relief * relief;
        let from_centre = place.r / self.cone.crater_radius;
        let floor = self.cone.height - self.cone.crater_depth;
        let bowl = floor + self.cone.crater_depth * from_centre * from_centre;
        let rim = self.relief * self.rim_relief(&place);
        let ground = smooth_min(flank + rim, bowl, 0.025);
        // Detail everywhere except on the crater floor, where it would only be potholes.
        let detail = 0.014
            * self.roughness
            * self.fine.get([13.0 * u + 0.3, 13.0 * v + 0.6])
            * smooth(from_centre - 0.5);
        smooth_max(ground + detail, 0.4 * self.base, 0.02)
    }

    /// Returns `place` displaced by low-frequency noise whose amplitude grows with the distance
    /// from the crater, so that contours become irregular.
    fn bent(&self, place: &Bearing) -> Bearing {
        let strength = 0.05 * smooth((place.r - 0.06) / 0.25);
        let [u, v] = place.at;
        let du = strength * self.broad.get([2.7 * u + 0.21, 2.7 * v + 0.77]);
        let dv = strength * self.broad.get([2.7 * u + 5.43, 2.7 * v + 8.19]);
        Bearing::new([u + du, v + dv])
    }

    /// Returns the height of the plain in units of the simulation box's height: undulating,
    /// descending to the south-east, with a valley across the south-east corner. `u`, `v`: distance
    /// east and south of the centre of the box, in units of its shorter side; `r`: distance from the
    /// crater, in the same unit.
    fn plain(&self, [u, v]: [f64; 2], r: f64) -> f64 {
        let waves = 0.045 * self.roughness * self.broad.get([3.1 * u + 2.61, 3.1 * v + 4.37]);
        // Under a low cone the waves would be higher than the notches of its rim.
        let away = smooth((r - 0.1) / 0.25);
        let waves = waves * (self.relief + (1.0 - self.relief) * away);
        let (along, across) = (0.707 * (u - v), 0.707 * (u + v));
        let course = 0.50 + 0.05 * self.bend.get([3.3 * along + 0.4, 0.5]);
        let t = (across - course) / 0.075;
        let valley = 0.055 * bump(t);
        self.base + waves - 0.02 * (u + v) - valley
    }

    /// Returns the height of the smooth cone above the plain at `place`, in units of the simulation
    /// box's height: a concave profile, longer towards the lowest point of the rim.
    fn flank(&self, place: &Bearing) -> f64 {
        let lobes = self
            .bend
            .get([1.1 * place.dir[0] + 0.35, 1.1 * place.dir[1] + 0.65]);
        let foot = FOOT * (1.0 + 0.10 * lobes + 0.06 * place.towards(LOWEST_LIP));
        let rise =
            (1.0 - (place.r - self.cone.crater_radius) / (foot - self.cone.crater_radius)).max(0.0);
        (self.cone.height - self.base) * rise * rise.sqrt()
    }

    /// Returns the height that ribs (above 0) and gullies (below 0) add at `place`, in units of the
    /// simulation box's height. Computed from noise over direction and distance, so that gullies
    /// keep their direction with small deviations.
    ///
    /// Gullies lie where the noise changes sign, so that they are sharp below and the ribs in
    /// between are round. A second set of twice the number joins in downslope.
    fn gully_relief(&self, place: &Bearing) -> f64 {
        let [u, v] = place.at;
        let turn = 0.16 * self.bend.get([5.0 * u + 0.5, 5.0 * v + 0.5]) * smooth(4.0 * place.r);
        let dir = Bearing::new([
            place.dir[0] - turn * place.dir[1],
            place.dir[1] + turn * place.dir[0],
        ])
        .dir;
        let ribs = |count: f64, wander: f64, plane: f64| {
            let n = self.gullies.get([
                count * dir[0] + plane,
                count * dir[1] + plane,
                wander * place.r + plane,
            ]);
            // Rounded at the bottom: a gully one cell wide would hold no lava.
            let n = (n * n + 0.0016).sqrt() - 0.04;
            (2.3 * n).min(1.0) - 0.4
        };
        let from_rim = place.r - self.cone.crater_radius;
        let first = 0.09 * smooth(from_rim / 0.13) * (1.0 - 0.75 * smooth((place.r - 0.30) / 0.24));
        let second =
            0.042 * smooth((from_rim - 0.08) / 0.15) * (1.0 - smooth((place.r - 0.36) / 0.2));
        self.roughness * (first * ribs(2.5, 1.5, 0.37) + second * ribs(4.9, 3.0, 3.61))
    }

    /// Returns the height that irregularities of the rim add at `place`, positive or negative, in
    /// units of the simulation box's height.
    fn rim_relief(&self, place: &Bearing) -> f64 {
        let noise = self
            .bend
            .get([1.9 * place.dir[0] + 4.45, 1.9 * place.dir[1] + 6.15]);
        let near =
            1.0 - smooth((place.r - self.cone.crater_radius) / (1.5 * self.cone.crater_radius));
        0.035 * self.roughness * noise * near
    }

    /// Returns the depth at `place` of a channel that begins as a notch of depth `notch` in the rim
    /// and descends in the direction `lip` (unit vector east, south); depths are in units of the
    /// simulation box's height.
    fn channel(&self, place: &Bearing, lip: [f64; 2], notch: f64) -> f64 {
        let along = place.at[0] * lip[0] + place.at[1] * lip[1];
        if along <= 0.0 {
            return 0.0;
        }
        let from_rim = (along - self.cone.crater_radius).max(0.0);
        let wander = 0.25 * from_rim * self.bend.get([7.0 * along + 0.3, lip[0] * 9.0]);
        let across = lip[0] * place.at[1] - lip[1] * place.at[0] - wander;
        let depth = notch + (0.05 - notch) * smooth(from_rim / 0.1);
        let ends = smooth(along / self.cone.crater_radius) * (1.0 - smooth((along - 0.38) / 0.2));
        depth * ends * bump(across / (0.055 + 0.06 * from_rim))
    }

    /// Returns the height that all parasitic cones add at `place`, in units of the simulation box's
    /// height; each cone has a summit crater.
    fn bumps(&self, place: &Bearing) -> f64 {
        let rise = |cone: &Parasite| {
            let (du, dv) = (place.at[0] - cone.at[0], place.at[1] - cone.at[1]);
            let t = (du * du + dv * dv).sqrt() / cone.radius;
            cone.height * (bump(t) - 0.45 * bump(2.8 * t))
        };
        self.parasites.iter().map(rise).sum()
    }
}

/// Returns the parasitic cone with index `n` (0 to `PARASITES` − 1) for the seed `seed`; `None` if
/// the cone would dam one of the two channels that descend from the rim.
fn parasite(seed: u32, n: u32) -> Option<Parasite> {
    let share =
        |k: u32| f64::from(mixed(seed.wrapping_add(1000 * n + k)) >> 8) / f64::from(1u32 << 24);
    // A point on the unit circle without a sine: the rational parametrisation, on a random side.
    let t = 2.0 * share(0) - 1.0;
    let side = if share(1) < 0.5 { -1.0 } else { 1.0 };
    let dir = [
        side * (1.0 - t * t) / (1.0 + t * t),
        2.0 * t / (1.0 + t * t),
    ];
    let clear = |lip: [f64; 2]| dir[0] * lip[0] + dir[1] * lip[1] < 0.85;
    let r = 0.24 + 0.2 * share(2);
    let radius = 0.035 + 0.02 * share(3);
    let cone = Parasite {
        at: [r * dir[0], r * dir[1]],
        radius,
        height: 0.9 * radius,
    };
    (clear(LOWEST_LIP) && clear(SECOND_LIP)).then_some(cone)
}

/// Returns a 32-bit number whose bits are mixed from `h` (finalizer of MurmurHash3).
fn mixed(mut h: u32) -> u32 {
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Bump function: returns 1 for `t` = 0, falls to 0 at `t` = ±1 and is 0 outside of that range; its
/// slope is 0 at all three points.
fn bump(t: f64) -> f64 {
    let s = (1.0 - t * t).max(0.0);
    s * s
}

/// Smooth minimum: returns the lower of the heights `a` and `b`; where they differ by less than
/// `soft` (above 0, in the same unit), the transition is rounded off.
fn smooth_min(a: f64, b: f64, soft: f64) -> f64 {
    let mix = (1.0 - (a - b).abs() / soft).max(0.0);
    a.min(b) - 0.25 * soft * mix * mix
}

fn smooth_max(a: f64, b: f64, soft: f64) -> f64 {
    -smooth_min(-a, -b, soft)
}
