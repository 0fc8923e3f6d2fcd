//! Plain styles (scientific, surface and maximum): palette colours over a neutral ground and a
//! neutral background.
//!
//! Invariant: colours come from the palette, so that values can be read off the colour bar.

use crate::camera::Ray;
use crate::contents::{SliceHit, Slices};
use crate::ground::heightfield::{Face, GroundHit, ShownPart, before_cut};
use crate::ground::land::{TerrainLook, lit};
use crate::math::{V3, in_widths, lerp, mix, saturate, smoothstep, unit_or_up, v3};
use crate::media::clear::Clear;
use crate::media::haze::HazeField;
use crate::style::tracer::{Sight, Tracer};
use crate::style::transfer::{Along, SegmentLight, Transfer};
use crate::volume::field::{Crossing, MediumField, Pace};
use lavoxel_automaton::view::{LookSpec, Style};
use lavoxel_base::simd::{Portable, Simd};

/// Depth in cells below the lava's surface of the value that colours the surface, in the style
/// `surface`.
// On the isosurface itself the density is constant.
pub const DEPTH: f32 = 1.0;
/// Factor on the brightness of the ground in the style `maximum`.
pub const DIMMED: f32 = 0.6;
/// Largest value along a ray at and above which the value is drawn opaque, on a scale from the
/// smallest visible density (0) to density 1 (1).
pub const SOLID: f32 = 0.4;
/// Value (0 to 1) above which the search for the maximum along a ray ends early.
pub const LARGEST: f32 = 0.999;

/// Inputs of a frame in the plain styles.
pub(crate) struct Specimen<'a> {
    /// Densities and energies of the lava, ready for ray marching.
    pub(crate) field: &'a MediumField<'a>,
    /// Media other than lava that the frame draws.
    pub(crate) media: &'a [Clear<'a>],
    /// Haze in the air; `None` if there is none.
    pub(crate) haze: Option<&'a HazeField<'a>>,
    /// Maps of the ground and of the land around the simulation box.
    pub(crate) land: &'a TerrainLook,
    /// Visible region of the ground.
    pub(crate) part: ShownPart,
    /// Transfer function and palette of the picture.
    pub(crate) transfer: &'a Transfer,
    /// Look of the picture, such as style and step of ray marching.
    pub(crate) look: &'a LookSpec,
    /// Slices (cross-sections) that are drawn in the scene.
    pub(crate) slices: Slices<'a>,
}

/// Backdrop of a ray (ground, slice or empty background behind all lava), reused between frames.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Behind {
    /// Linear RGB light of the ground or of the empty background.
    light: V3,
    /// Distance in cells beyond which ground or slices hide all matter.
    far: f32,
}

impl Tracer for Specimen<'_> {
    type Behind = Behind;

    #[inline(always)]
    fn behind(&self, ray: &Ray, start: f32) -> Behind {
        let Some(hit) = self.land.block.hit(ray, &self.part, start) else {
            return Behind {
                light: backdrop(ray, self.look.cell_height),
                far: f32::MAX,
            };
        };
        if let Some(rock) = self.slices.rock(&hit) {
            return Self::slice(rock);
        }
        let dimmed = if self.look.style == Style::Maximum {
            DIMMED
        } else {
            1.0
        };
        Behind {
            light: self.ground(&hit) * dimmed,
            far: hit.front(),
        }
    }

    #[inline(always)]
    fn slices(&self) -> Slices<'_> {
        self.slices
    }

    fn slice(hit: SliceHit) -> Behind {
        Behind {
            light: hit.light,
            far: before_cut(hit.t),
        }
    }

    #[inline(always)]
    fn far(behind: &Behind) -> f32 {
        behind.far
    }

    #[inline(always)]
    fn trace<S: Simd>(&self, s: S, ray: &Ray, behind: &Behind, sight: Sight) -> V3 {
        let pace = sight.pace(self.look.step, sight.reach);
        if !sight.others.is_empty() {
            return through_media(s, self, ray, behind, sight);
        }
        match self.look.style {
            Style::Surface => surface(self, ray, behind, pace).0,
            Style::Maximum => maximum(self, ray, behind, pace),
            Style::Scientific | Style::Cinematic | Style::Print => {
                volume(s, self, ray, behind, pace)
            }
        }
    }

    fn opacity(&self, ray: &Ray, behind: &Behind, sight: Sight) -> f32 {
        let pace = sight.pace(self.look.step, sight.reach);
        let clear = self
            .media_before(Portable, ray, behind.far, sight, None)
            .opacity;
        match self.look.style {
            Style::Surface => match self.field.cross(ray, behind.far, self.look.iso, pace) {
                Crossing::At { .. } => 1.0,
                Crossing::Grazed { .. } | Crossing::Missed => clear,
            },
            Style::Maximum => {
                let lava = maximum_opacity(self, self.largest(ray, behind.far, pace));
                1.0 - (1.0 - lava) * (1.0 - clear)
            }
            Style::Scientific | Style::Cinematic | Style::Print if clear > 0.0 => {
                self.media_before(Portable, ray, behind.far, sight, Some(pace))
                    .opacity
            }
            Style::Scientific | Style::Cinematic | Style::Print => {
                self.transfer
                    .accumulate(Portable, self.field, ray, behind.far, pace)
                    .opacity
            }
        }
    }

    #[inline(always)]
    fn bare(&self, behind: &Behind) -> Option<V3> {
        Some(behind.light)
    }
}

/// Returns the linear RGB light of a ray in the style `scientific`: the lava drawn with the
/// transfer function over `behind` (ground, slice or empty background). `pace`: range and step of
/// the samples.
#[inline(always)]
fn volume<S: Simd>(s: S, specimen: &Specimen, ray: &Ray, behind: &Behind, pace: Pace) -> V3 {
    let layer = specimen
        .transfer
        .accumulate(s, specimen.field, ray, behind.far, pace);
    layer.over(behind.light)
}

/// Returns the linear RGB light of a ray through media other than lava, each drawn with its own
/// colour and opacity, and through lava, in the style of the look.
#[inline(never)]
fn through_media<S: Simd>(
    s: S,
    specimen: &Specimen,
    ray: &Ray,
    behind: &Behind,
    sight: Sight,
) -> V3 {
    let pace = sight.pace(specimen.look.step, sight.reach);
    match specimen.look.style {
        Style::Surface => {
            let (light, far) = surface(specimen, ray, behind, pace);
            specimen.media_before(s, ray, far, sight, None).over(light)
        }
        Style::Maximum => {
            // The maximum has no depth of its own, so its colour is composited over the media.
            let light = specimen
                .media_before(s, ray, behind.far, sight, None)
                .over(behind.light);
            maximum(specimen, ray, &Behind { light, ..*behind }, pace)
        }
        Style::Scientific | Style::Cinematic | Style::Print => specimen
            .media_before(s, ray, behind.far, sight, Some(pace))
            .over(behind.light),
    }
}

/// Returns the linear RGB light and the distance (cells) of the first point at which the density
/// reaches `look.iso`, for the style `surface`. The value `DEPTH` cells below the surface gives the
/// colour.
#[inline(never)]
fn surface(specimen: &Specimen, ray: &Ray, behind: &Behind, pace: Pace) -> (V3, f32) {
    let (field, transfer) = (specimen.field, specimen.transfer);
    match field.cross(ray, behind.far, specimen.look.iso, pace) {
        // A cut face shows the values themselves; slight shading only distinguishes its sides.
        Crossing::At {
            t,
            face: Some(normal),
        } => (
            transfer.color(field, ray.at(t)) * (0.88 + 0.12 * saturate(normal.dot(&transfer.lamp))),
            t,
        ),
        Crossing::At { t, face: None } => {
            let normal = field.normal(ray.at(t));
            // Wrapped diffuse light: the unlit side would otherwise be uniformly dark and lose its
            // form.
            let light = 0.28 + 0.77 * saturate(0.25 + 0.75 * normal.dot(&transfer.lamp));
            (transfer.color(field, ray.at(t) - normal * DEPTH) * light, t)
        }
        Crossing::Grazed { .. } | Crossing::Missed => (behind.light, behind.far),
    }
}

/// Returns the linear RGB light of a ray in the style `maximum`: palette colour of the largest
/// value along the ray, over darkened ground. Small values are transparent, because palettes draw
/// them dark.
#[inline(never)]
fn maximum(specimen: &Specimen, ray: &Ray, behind: &Behind, pace: Pace) -> V3 {
    let value = specimen.largest(ray, behind.far, pace);
    if value <= 0.0 {
        return behind.light;
    }
    mix(
        behind.light,
        specimen.transfer.linear(value),
        maximum_opacity(specimen, value),
    )
}

/// Returns the opacity (0 to 1) with which `value` (0 to 1), the largest value along a ray, is
/// drawn.
fn maximum_opacity(specimen: &Specimen, value: f32) -> f32 {
    let visible = specimen.transfer.visible;
    if value <= 0.0 {
        0.0
    } else {
        smoothstep(visible, lerp(visible, 1.0, SOLID), value)
    }
}

impl Specimen<'_> {
    /// Accumulates light and opacity of the media other than lava along `ray` up to the distance
    /// `far` (cells). If `lava` gives range and step of its samples, the lava is included.
    fn media_before<S: Simd>(
        &self,
        s: S,
        ray: &Ray,
        far: f32,
        sight: Sight,
        lava: Option<Pace>,
    ) -> SegmentLight {
        let pace = sight.pace(self.look.step, sight.others.clear);
        let lava = lava.map(|pace| (self.field, pace));
        let haze = self.haze.map(|haze| (haze, sight.others.gas));
        self.transfer.accumulate_all(
            s,
            &Along {
                media: self.media,
                pace,
                lava,
                haze,
                ray,
                far,
            },
        )
    }

    /// Returns the position on the palette (0 to 1) of the value at the point `p` (cells). Returns
    /// 0 where the density `density` is below the smallest visible density, because the energy per
    /// amount has no meaning there.
    fn value(&self, p: V3, density: f32) -> f32 {
        if density > self.transfer.visible {
            self.transfer.value(self.field, p, density)
        } else {
            0.0
        }
    }

    /// Returns the largest position on the palette (0 to 1) of the values along `ray` up to the
    /// distance `far` (cells); 0 if no value is visible.
    fn largest(&self, ray: &Ray, far: f32, pace: Pace) -> f32 {
        if pace.reach.is_empty() {
            return 0.0;
        }
        let Some((near, far, _)) = self.field.span(ray, far) else {
            return 0.0;
        };
        let at = |t: f32| (t, self.value(ray.at(t), self.field.density(ray.at(t))));
        let larger = |a: (f32, f32), b: (f32, f32)| if b.1 > a.1 { b } else { a };
        // Both ends are sampled too, so that thin sheets on the ground and cuts do not depend on
        // the jitter.
        let mut best = larger(at(near), at(far));
        let mut walk = self.field.walk(ray, (near, far), pace);
        while let Some((t, density)) = walk.next_dense()
            && best.1 < LARGEST
        {
            best = larger(best, (t, self.value(ray.at(t), density)));
        }
        // The peak lies between samples: a refinement around the best sample reduces the influence
        // of the step length.
        for share in [0.5, 0.25, 0.125] {
            let (middle, aside) = (best.0, share * self.look.step);
            best = larger(
                best,
                larger(
                    at((middle - aside).max(near)),
                    at((middle + aside).min(far)),
                ),
            );
        }
        best.1
    }

    /// Returns the linear RGB light of the ground at the intersection `hit`.
    #[inline(always)]
    fn ground(&self, hit: &GroundHit) -> V3 {
        let (land, lamp) = (self.land, &self.transfer.lamp);
        match hit.face {
            Face::Top => tone(land, hit.point) * land.plain.at(hit.point.x, hit.point.z),
            Face::Block(normal) => {
                tone(land, hit.point) * lit(land.open_above(hit.point, normal), normal, lamp)
            }
            Face::Cut(normal) => cut(normal, lamp),
        }
    }
}

/// Returns the linear RGB albedo of the top of the ground at the point `p` (cells); the albedo
/// depends on the height.
#[inline(always)]
fn tone(land: &TerrainLook, p: V3) -> V3 {
    mix(
        v3(0.085, 0.088, 0.095),
        v3(0.25, 0.245, 0.24),
        saturate(p.y / land.block.top.max(1.0)),
    )
}

/// Returns the linear RGB light of a plane that cuts the ground open, with the outward normal
/// `normal`; `lamp`: direction of the lamp.
#[inline(always)]
fn cut(normal: V3, lamp: &V3) -> V3 {
    v3(0.07, 0.072, 0.08) * (0.35 + 0.5 * saturate(normal.dot(lamp)))
}

/// Returns the linear RGB colour of the empty background in the direction of `ray`, which depends
/// on the elevation angle; `tall`: height of a cell in cell widths.
#[inline(always)]
fn backdrop(ray: &Ray, tall: f32) -> V3 {
    let up = if tall == 1.0 {
        ray.direction.y
    } else {
        unit_or_up(in_widths(ray.direction, tall)).y
    };
    mix(
        v3(0.012, 0.014, 0.019),
        v3(0.040, 0.046, 0.058),
        saturate(0.75 + up),
    )
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::contents::Contents;
    use crate::volume::prepared::with_field;
    use crate::volume::tiles::Reach;
    use lavoxel_automaton::view::Palette;
    use lavoxel_base::grid::Grid;
    use lavoxel_sim::lowpass::Volume;

    const GRID: Grid = Grid {
        nx: 32,
        ny: 28,
        nz: 30,
    };
    const CENTER: V3 = V3::new(16.0, 14.0, 15.0);

    /// Returns a test volume in which the density is the function `density` of the distance in
    /// cells from [`CENTER`].
    fn ball(density: impl Fn(f32) -> f32) -> Volume {
        let mut volume = Volume::empty(GRID);
        for (value, [x, y, z]) in volume.density.iter_mut().zip(GRID.places()) {
            let away = v3(x as f32 + 0.5, y as f32 + 0.5, z as f32 + 0.5) - CENTER;
            *value = (density(away.norm()).clamp(0.0, 1.0) * 255.0).round() as u8;
        }
        volume.energy.clone_from(&volume.density);
        volume
    }

    fn pace(look: &LookSpec, jitter: f32) -> Pace {
        Pace {
            step: look.step,
            jitter,
            reach: Reach::ALL,
        }
    }

    fn air(ray: &Ray) -> Behind {
        Behind {
            light: backdrop(ray, 1.0),
            far: f32::MAX,
        }
    }

    /// Calls `see` with the inputs of a frame of `volume` over flat ground.
    fn with_specimen(volume: &Volume, look: &LookSpec, see: impl Fn(&Specimen)) {
        let land = TerrainLook::bake(&Array2::zeros((GRID.nz, GRID.nx)), GRID, look, 128);
        let transfer = Transfer::new(look, Palette::named("gray").expect("a known name"));
        let (part, contents) = (land.block.whole(), Contents::default());
        let size = [GRID.nx, GRID.ny, GRID.nz];
        let slices = Slices::new(size, [[0.0, 1.0]; 3], &contents, &transfer);
        with_field(volume, |field| {
            see(&Specimen {
                field,
                media: &[],
                haze: None,
                land: &land,
                part,
                transfer: &transfer,
                look,
                slices,
            })
        });
    }

    #[test]
    fn the_surface_of_a_ball_lies_where_geometry_says() {
        let look = LookSpec {
            iso: 0.5,
            ..LookSpec::default()
        };
        let volume = ball(|r| 0.5 + 0.125 * (8.0 - r));
        with_specimen(&volume, &look, |specimen| {
            for k in 0..40 {
                let angle = k as f32 * 0.7;
                let origin = CENTER
                    + v3(
                        40.0 * angle.cos(),
                        25.0 * (0.3 * angle).sin(),
                        40.0 * angle.sin(),
                    );
                let direction = (CENTER - origin).normalize();
                // Rays that pass the centre at distances of 0 to 11 cells.
                let aside = direction.cross(&V3::y()).normalize() * (11.0 * k as f32 / 39.0);
                let ray = Ray {
                    origin: origin + aside,
                    direction,
                };
                let (seen, _) = surface(specimen, &ray, &air(&ray), pace(&look, 0.3));
                if aside.norm() > 8.1 {
                    assert_eq!(seen, backdrop(&ray, 1.0), "ray {k} passes the ball");
                } else if aside.norm() < 7.5 {
                    let t = (CENTER - ray.origin).dot(&direction)
                        - (64.0 - aside.norm_squared()).sqrt();
                    let normal = (ray.at(t) - CENTER) / 8.0;
                    let light =
                        0.28 + 0.77 * saturate(0.25 + 0.75 * normal.dot(&specimen.transfer.lamp));
                    // One cell deeper the density is 0.625.
                    let expected = V3::from(specimen.transfer.palette.linear(0.625)) * light;
                    assert!(
                        (seen - expected).norm() < 0.03,
                        "ray {k}: {seen:?} instead of {expected:?}"
                    );
                }
            }
        });
    }

    #[test]
    fn the_largest_value_of_a_ball_is_found_with_every_step() {
        let profile = |r: f32| 0.9 * (-r * r / 40.0).exp();
        let volume = ball(profile);
        for step in [0.1, 0.5, 1.0, 2.0] {
            let look = LookSpec {
                step,
                ..LookSpec::default()
            };
            with_specimen(&volume, &look, |specimen| {
                for (aside, jitter) in [(0.0, 0.0), (2.5, 0.4), (5.0, 0.9), (7.0, 0.2)] {
                    let ray = Ray {
                        origin: CENTER + v3(aside, 40.0, 0.0),
                        direction: -V3::y(),
                    };
                    let found = specimen.largest(&ray, f32::MAX, pace(&look, jitter));
                    assert!(
                        (found - profile(aside)).abs() < 0.02,
                        "step {step}: {found} at {aside}"
                    );
                }
                // In front of the ball's middle, only nearer values count.
                let ray = Ray {
                    origin: CENTER + v3(0.0, 0.0, 40.0),
                    direction: -V3::z(),
                };
                assert!(
                    (specimen.largest(&ray, 36.0, pace(&look, 0.5)) - profile(4.0)).abs() < 0.02
                );
            });
        }
    }

    #[test]
    fn a_transfer_function_without_opacity_shows_only_the_ground() {
        let look = LookSpec {
            opacity: vec![[0.5, 0.0]],
            ..LookSpec::default()
        };
        with_specimen(&ball(|_| 1.0), &look, |specimen| {
            let ray = Ray {
                origin: CENTER + v3(3.0, 40.0, 0.0),
                direction: -V3::y(),
            };
            let hit = specimen
                .land
                .block
                .hit(&ray, &specimen.part, 0.0)
                .expect("there is ground below");
            let behind = Behind {
                light: specimen.ground(&hit),
                far: hit.front(),
            };
            assert_eq!(
                maximum(specimen, &ray, &behind, pace(&look, 0.5)),
                behind.light
            );
            assert_eq!(
                volume(Portable, specimen, &ray, &behind, pace(&look, 0.5)),
                behind.light
            );
            let maximum = LookSpec {
                style: Style::Maximum,
                ..look.clone()
            };
            let dimmed = Specimen {
                look: &maximum,
                ..*specimen
            }
            .behind(&ray, 0.0);
            assert_eq!(dimmed.light, behind.light * DIMMED);
        });
    }

    #[test]
    fn what_is_too_thin_to_see_leaves_the_ground_as_it_is() {
        let look = LookSpec::default();
        with_specimen(&ball(|_| 0.03), &look, |thin| {
            with_specimen(&Volume::empty(GRID), &look, |none| {
                let ray = Ray {
                    origin: CENTER + v3(3.0, 40.0, 0.0),
                    direction: -V3::y(),
                };
                let behind = thin.behind(&ray, 0.0);
                let pace = pace(&look, 0.5);
                assert_eq!(
                    maximum(thin, &ray, &behind, pace),
                    maximum(none, &ray, &behind, pace)
                );
                assert_eq!(
                    surface(thin, &ray, &behind, pace),
                    surface(none, &ray, &behind, pace)
                );
            });
        });
    }
}
