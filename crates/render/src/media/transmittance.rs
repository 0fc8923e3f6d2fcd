//! Interpolation of smoke ("veils"): smoke is integrated along a coarse grid of rays and
//! interpolated for the pixels between. Where the rays through the four corners of a square of
//! pixels have nearly equal smoke, the pixels inside take the interpolated value, which needs a
//! quarter of the samples.
//!
//! ```text
//!   ┼───────┼───────┼   one ray through each corner
//!   │ ▪   ▪ │ ▪   ▪ │
//!   │ ▪   ▪ │ ▪   ▪ │   the mean of four where they agree, a ray of its own where they do not
//!   ┼───────┼───────┼
//! ```

use lavoxel_base::parallel::*;

use crate::math::{V3, luminance};

/// Spacing and tolerance of the grid of rays from which smoke is interpolated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weave {
    /// Spacing of the grid of rays in pixels: edge length of a square of pixels.
    pub(crate) square: usize,
    /// Largest difference between the smoke of the four rays at a square's corners up to which
    /// smoke is interpolated in the square; compared are the tone-mapped luminance and the
    /// transmittance (each 0 to 1).
    agreed: f32,
    /// Set if the sampling noise of the grid rays is filtered.
    soft: bool,
}

impl Weave {
    /// Returns the settings for single pictures, with a small tolerance; `soft`: true to filter the
    /// sampling noise.
    pub(crate) fn still(soft: bool) -> Self {
        Self {
            square: 2,
            agreed: 0.12,
            soft,
        }
    }

    /// Settings for frames of a running scene, with a larger tolerance, because an edge that one
    /// frame misses between four rays appears in the mean of several frames.
    pub(crate) const RUNNING: Self = Self {
        square: 2,
        agreed: 0.4,
        soft: true,
    };
}

/// Luminance that the tone map l / (l + `MIDDLE`) maps to 1/2.
const MIDDLE: f32 = 0.25;

/// Light and transmittance of smoke and gas along a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transmittance {
    /// Linear RGB light that the smoke scatters towards the camera.
    pub(crate) light: V3,
    /// Transmittance (RGB) of the smoke for light from behind.
    pub(crate) through: V3,
    /// Distance in cells along the ray to the first smoke or gas; `f32::MAX` if there is none.
    pub(crate) first: f32,
    /// Distance in cells along the ray to the last smoke or gas; 0 if there is none.
    pub(crate) last: f32,
    /// Distance in cells up to which the ray was integrated: the ray's end, or `f32::MAX` if the
    /// smoke is opaque.
    pub(crate) known: f32,
}

impl Transmittance {
    /// Result for a ray without smoke: no light, transmittance 1.
    pub(crate) const NONE: Self = Self {
        light: V3::new(0.0, 0.0, 0.0),
        through: V3::new(1.0, 1.0, 1.0),
        first: f32::MAX,
        last: 0.0,
        known: f32::MAX,
    };

    /// Returns true if this result is valid for a ray that ends at the distance `far` (cells), with
    /// a tolerance of `slack` cells at the ray's end.
    pub(crate) fn fits(&self, far: f32, slack: f32) -> bool {
        self.last <= far + slack && (far <= self.known + slack || self.last < self.known - slack)
    }

    /// Returns the two values by which neighbouring rays are compared: tone-mapped luminance (0 to
    /// 1), and transmittance of green light.
    fn tones(&self) -> [f32; 2] {
        let light = luminance(self.light);
        [light / (light + MIDDLE), self.through.y]
    }
}

/// Smoke of the rays through the grid points of a picture.
pub(crate) struct TransmittanceGrid {
    /// Number of grid squares per pixel along an axis; at most 1.
    per_pixel: f32,
    across: usize,
    corners: Vec<Transmittance>,
    /// One flag per grid point, row-major, set if the smoke at the four corners of the square to
    /// the grid point's lower right is nearly equal; smoke is interpolated in these squares.
    agree: Vec<bool>,
}

impl TransmittanceGrid {
    /// Computes the smoke of the rays through all grid points of a picture of (`width`, `height`)
    /// pixels. `look` returns the smoke of the ray through a point (x, y in pixels). Returns `None`
    /// if `look` returns `None` for any ray, because its smoke cannot be separated from other
    /// media.
    pub(crate) fn new(
        (width, height): (usize, usize),
        Weave {
            square,
            agreed,
            soft,
        }: Weave,
        look: impl Fn([usize; 2]) -> Option<Transmittance> + Sync,
    ) -> Option<Self> {
        let [across, down] = [width, height].map(|n| n.div_ceil(square) + 1);
        let corner = |k: usize| look([k % across * square, k / across * square]);
        let corners = (0..across * down)
            .into_par_iter()
            .map(corner)
            .collect::<Option<Vec<_>>>()?;
        let tones: Vec<[f32; 2]> = corners.iter().map(Transmittance::tones).collect();
        let corners = if soft {
            softened(&corners, &tones, (across, agreed))
        } else {
            corners
        };
        let agree = |first: usize| {
            // The last corners are the upper left corner of no square.
            let Some([c, d]) = tones.get(first + across..first + across + 2) else {
                return false;
            };
            let around = [tones[first], tones[first + 1], *c, *d];
            spread(&around, 0) <= agreed && spread(&around, 1) <= agreed
        };
        Some(Self {
            per_pixel: 1.0 / square as f32,
            across,
            agree: (0..corners.len()).map(agree).collect(),
            corners,
        })
    }

    /// Returns the smoke at the picture position (`u`, `v`) in pixels, interpolated between the
    /// four corners of its square; `None` where the four corners differ too much.
    #[inline(always)]
    pub(crate) fn at(&self, u: f32, v: f32) -> Option<Transmittance> {
        let (u, v) = (u * self.per_pixel, v * self.per_pixel);
        let (i, j) = (u as u32, v as u32);
        let first = j as usize * self.across + i as usize;
        if !self.agree[first] {
            return None;
        }
        let (near, far) = (
            &self.corners[first..][..2],
            &self.corners[first + self.across..][..2],
        );
        let around = [&near[0], &near[1], &far[0], &far[1]];
        let [x, y] = [u - i as f32, v - j as f32];
        let shares = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
        let mut veil = Transmittance {
            light: V3::zeros(),
            through: V3::zeros(),
            ..Transmittance::NONE
        };
        for (corner, share) in around.into_iter().zip(shares) {
            veil.light += corner.light * share;
            veil.through += corner.through * share;
            veil.first = veil.first.min(corner.first);
            veil.last = veil.last.max(corner.last);
            veil.known = veil.known.min(corner.known);
        }
        Some(veil)
    }
}

/// Returns the smoke of each grid point averaged with that of its eight neighbours, which removes
/// sampling noise; neighbours that differ by more than `agreed` in luminance or transmittance are
/// left out. `across`: number of grid points in a row.
fn softened(
    corners: &[Transmittance],
    tones: &[[f32; 2]],
    (across, agreed): (usize, f32),
) -> Vec<Transmittance> {
    let down = corners.len() / across;
    let near = |n: usize, count: usize| n.saturating_sub(1)..=(n + 1).min(count - 1);
    let soft = |k: usize| {
        let ([x, y], mut sum) = ([k % across, k / across], 0.0);
        let mut veil = Transmittance {
            light: V3::zeros(),
            through: V3::zeros(),
            ..corners[k]
        };
        for (v, u) in near(y, down).flat_map(|v| near(x, across).map(move |u| (v, u))) {
            let other = v * across + u;
            if (0..2).all(|which| (tones[k][which] - tones[other][which]).abs() <= agreed) {
                let share = 4.0 / ((1 + v.abs_diff(y)) * (1 + u.abs_diff(x))) as f32;
                veil.light += corners[other].light * share;
                veil.through += corners[other].through * share;
                sum += share;
            }
        }
        veil.light /= sum;
        veil.through /= sum;
        veil
    };
    (0..corners.len()).into_par_iter().map(soft).collect()
}

/// Returns the difference between the largest and the smallest of four luminances (`which` = 0) or
/// transmittances (`which` = 1) in `tones`.
fn spread(tones: &[[f32; 2]; 4], which: usize) -> f32 {
    let [a, b, c, d] = [
        tones[0][which],
        tones[1][which],
        tones[2][which],
        tones[3][which],
    ];
    a.max(b).max(c.max(d)) - a.min(b).min(c.min(d))
}

/// Transmittance at which the integration of gases and smoke along a ray stops early.
pub const CLOSED: f32 = 0.01;

/// Result of following a ray through media: the light that the media add, and the transmittance
/// (RGB) for light from behind the media.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) light: V3,
    pub(crate) through: V3,
    /// Distance in cells from the ray's start to the first surface, gas or smoke; `f32::MAX` if
    /// there is none.
    pub(crate) first: f32,
    /// Distance in cells from the ray's start to the last sample of gas or smoke; 0 if there is
    /// none.
    pub(crate) last: f32,
    /// Set if the ray's end lies inside a translucent medium.
    pub(crate) ends_inside: bool,
}

impl Passed {
    /// Result for a ray that meets no medium: no light added, transmittance 1.
    pub(super) const NOTHING: Self = Self {
        light: V3::new(0.0, 0.0, 0.0),
        through: V3::new(1.0, 1.0, 1.0),
        first: f32::MAX,
        last: 0.0,
        ends_inside: false,
    };

    /// Returns the result for a ray that meets only gas, whose light and transmittance `veil` gives
    /// by interpolation.
    pub(super) fn behind(veil: &Transmittance) -> Self {
        let Transmittance {
            light,
            through,
            first,
            last,
            ..
        } = *veil;
        Self {
            light,
            through,
            first,
            last,
            ..Self::NOTHING
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn veil(light: f32, through: f32) -> Transmittance {
        Transmittance {
            light: V3::repeat(light),
            through: V3::repeat(through),
            first: 5.0,
            last: 9.0,
            known: 50.0,
        }
    }

    #[test]
    fn rays_that_agree_give_their_mean_and_others_none() {
        let look = |[x, y]: [usize; 2]| {
            Some(if x >= 6 {
                veil(0.9, 0.1)
            } else {
                veil(0.2 + 0.001 * (x + y) as f32, 0.5)
            })
        };
        let veils = TransmittanceGrid::new((9, 5), Weave::still(false), look).expect("smoke alone");
        for [u, v] in [[0.5, 0.5], [1.5, 3.5], [3.9, 4.9]] {
            let veil = veils.at(u, v).expect("corners agree");
            assert!(
                (veil.light.x - (0.2 + 0.001 * (u + v))).abs() < 1e-6,
                "{veil:?} at {u}, {v}"
            );
            assert_eq!(
                (veil.through.y, veil.first, veil.last, veil.known),
                (0.5, 5.0, 9.0, 50.0)
            );
        }
        assert!(veils.at(4.5, 2.5).is_none(), "an edge of smoke lies there");
        assert!(
            veils.at(8.5, 4.5).is_some(),
            "the last pixel has four corners"
        );
        assert!(
            TransmittanceGrid::new((4, 4), Weave::still(false), |[x, _]| (x > 0)
                .then(|| veil(0.1, 0.9)))
            .is_none()
        );
    }

    #[test]
    fn noise_is_taken_out_and_edges_stay() {
        let noisy = |[x, y]: [usize; 2]| {
            let noise = if ((x + y) / 2).is_multiple_of(2) {
                0.05
            } else {
                -0.05
            };
            Some(if x >= 20 {
                veil(0.9, 0.1)
            } else {
                veil(0.3, 0.5 + noise)
            })
        };
        let [rough, soft] = [false, true].map(|soft| {
            TransmittanceGrid::new((40, 20), Weave::still(soft), noisy).expect("smoke alone")
        });
        let through =
            |veils: &TransmittanceGrid, x: usize| veils.corners[3 * veils.across + x].through.y;
        assert!((through(&rough, 4) - 0.5).abs() > 0.04 && (through(&soft, 4) - 0.5).abs() < 0.002);
        assert_eq!(
            [9, 10].map(|x| through(&soft, x) < 0.3),
            [false, true],
            "the edge is where it was"
        );
        assert_eq!(through(&soft, 10), 0.1);
    }

    #[test]
    fn a_veil_fits_rays_that_meet_all_of_it_and_no_more() {
        let veil = veil(0.2, 0.5);
        assert!(
            veil.fits(50.0, 1.0) && veil.fits(9.0, 1.0),
            "smoke that ends before both"
        );
        assert!(!veil.fits(7.0, 1.0), "a ray that ends in the smoke");
        assert!(veil.fits(500.0, 1.0), "it ends before what is known");
        let cut = Transmittance { last: 49.5, ..veil };
        assert!(!cut.fits(500.0, 1.0), "more of it may come");
        assert!(
            Transmittance {
                known: f32::MAX,
                ..cut
            }
            .fits(500.0, 1.0),
            "nothing more is seen"
        );
    }
}
