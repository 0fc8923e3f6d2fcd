//! Transfer function of the plain styles: colour and opacity by density, and volume rendering
//! (emission and absorption) with this function.
//!
//! The opacity `a` is given per cell length: a step of `s` cells absorbs `1 − (1 − a)^s`.
//! Invariant: the picture does not depend on the step length. Colours are accumulated premultiplied
//! by opacity.

use crate::camera::Ray;
use crate::chart::legend::{ColorBar, Frame, Scale};
use crate::chart::text::Ink;
use crate::ground::sky::lamp;
use crate::image::Image;
use crate::math::{V3, at_stops, lerp, saturate, v3};
use crate::media::clear::Clear;
use crate::media::haze::{self, HazeField, HazeSample, HazeWalk};
use crate::volume::field::{MediumField, Pace, Sample};
use crate::volume::pages::Matter;
use crate::volume::places::Interest;
use crate::volume::tiles::Reach;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::view::{LookSpec, Palette, Style};
use lavoxel_automaton::world::{CellMeasure, Quantity};
use lavoxel_base::simd::Simd;

/// Number of entries of the transfer function's table.
const ENTRIES: usize = 1024;
/// Accumulated opacity at which the integration along a ray stops early.
pub const OPAQUE: f32 = 0.995;
/// Fraction of `look.film` (the density from which lava is drawn) up to which a thin sheet of lava
/// on rock is invisible in any case, whatever the noise at its edge.
pub const FILM: f32 = 0.4;

/// Transfer function as a table of colour and opacity, for one length of the ray-marching step.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// RGBA entries for evenly spaced values from 0 to 1: the palette's linear RGB colour of the
    /// value, and the opacity (0 to 1) of a ray-marching step through matter whose density is this
    /// value.
    pub matter: Vec<[f32; 4]>,
    /// Palette in which the lava's values are drawn.
    pub(crate) palette: Palette,
    /// Quantity of the lava that the palette's colours show.
    pub(crate) color_by: CellMeasure,
    /// Temperatures in kelvin of lava with the energy per amount 0 and 1 (`LookSpec::kelvin`);
    /// `None` if unknown.
    kelvin: Option<[f32; 2]>,
    /// Energy per amount at the upper end of the palette; 1 is that of lava fresh from the vent.
    energy_shown: f32,
    /// Unit direction towards the lamp that lights lava and ground.
    pub lamp: V3,
    /// Smallest density (0 to 1) of lava that is visible in the style `maximum`: the smallest
    /// density whose opacity is a quarter of the largest opacity.
    pub visible: f32,
}

/// Light and opacity accumulated along a segment of a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentLight {
    /// Linear RGB light, already multiplied by the opacity.
    pub(crate) color: V3,
    /// Accumulated opacity, 0 to 1.
    pub(crate) opacity: f32,
}

impl SegmentLight {
    fn from_rgba([red, green, blue, opacity]: [f32; 4]) -> Self {
        Self {
            color: v3(red, green, blue),
            opacity,
        }
    }

    /// Returns the linear RGB light of this segment composited over `behind`, the linear RGB light
    /// behind the segment.
    pub(crate) fn over(self, behind: V3) -> V3 {
        self.color + behind * (1.0 - self.opacity)
    }
}

/// Kinds of matter in a picture that determine its colour bars.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    /// Set if the picture may show lava.
    pub(crate) lava: bool,
    /// Set if the picture shows materials other than lava.
    pub(crate) others: bool,
    /// Set if the picture shows haze in the air.
    pub(crate) haze: bool,
}

/// Arguments of `Transfer::accumulate_all`: a ray, and the media that it may meet.
pub(crate) struct Along<'a> {
    /// Media other than lava that the ray may meet.
    pub(crate) media: &'a [Clear<'a>],
    /// Sampling parameters of the ray for `media`.
    pub(crate) pace: Pace,
    /// Densities of the lava with their sampling parameters; `None` to leave out the lava.
    pub(crate) lava: Option<(&'a MediumField<'a>, Pace)>,
    /// Haze with the range of distances at which the ray may meet haze; `None` if there is none.
    pub(crate) haze: Option<(&'a HazeField<'a>, Reach)>,
    pub(crate) ray: &'a Ray,
    /// Distance in cells along the ray at which the accumulation ends.
    pub(crate) far: f32,
}

impl Transfer {
    /// Computes the transfer function from `palette` and from the opacities and the ray-marching
    /// step of `look`.
    pub fn new(look: &LookSpec, palette: Palette) -> Self {
        let density = |i: usize| i as f32 / (ENTRIES - 1) as f32;
        let absorbed: Vec<f32> = (0..ENTRIES)
            .map(|i| at_stops(&look.opacity, density(i)))
            .collect();
        let quarter = 0.25 * absorbed.iter().copied().fold(0.0, f32::max);
        let visible = absorbed
            .iter()
            .position(|a| quarter > 0.0 && *a >= quarter)
            .map_or(f32::INFINITY, density);
        let entry = |(i, absorbed): (usize, &f32)| {
            let [r, g, b] = palette.linear(density(i));
            [r, g, b, 1.0 - (1.0 - absorbed).powf(look.step)]
        };
        let matter = absorbed.iter().enumerate().map(entry).collect();
        let (color_by, kelvin, energy_shown) = (look.color_by, look.kelvin, look.energy_shown());
        Self {
            matter,
            palette,
            color_by,
            kelvin,
            energy_shown,
            lamp: lamp(),
            visible,
        }
    }

    /// Returns the properties of the style of `look` on which the bricks depend: smallest density
    /// to draw, smoothing and shading.
    pub fn of_interest(&self, look: &LookSpec) -> Interest {
        let (empty, smoothing) = match look.style {
            Style::Cinematic | Style::Print => (
                ((look.iso * 0.45).min(look.film * FILM) * 255.0) as u8,
                look.smoothing,
            ),
            Style::Scientific => (Self::empty(look), 0.0),
            // Slightly below the isovalue, so that rounding cannot lose the surface.
            Style::Surface => ((look.iso * 250.0) as u8, look.smoothing),
            Style::Maximum => ((self.visible * 255.0) as u8, 0.0),
        };
        Interest {
            tall: look.cell_height,
            empty,
            smoothing,
            shaded: look.style == Style::Scientific,
        }
    }

    /// Returns the largest 8-bit density (0 to 255) up to which the opacity of `look` is 0.
    pub(crate) fn empty(look: &LookSpec) -> u8 {
        (0..=255_u8)
            .take_while(|d| at_stops(&look.opacity, f32::from(*d) / 255.0) <= 0.0)
            .last()
            .unwrap_or(0)
    }

    /// Draws colour bars into the lower right corner of `image` if the corner has space: for the
    /// lava (with its name if `shown` includes materials other than lava) and for the haze.
    pub(crate) fn legend(&self, image: &mut Image, shown: Shown) {
        let ink = Ink::of_picture([228; 3], (image.width, image.height));
        let (wide, tall) = (
            image.width as f32 / ink.size,
            image.height as f32 / ink.size,
        );
        if wide < 20.0 || tall < 15.0 {
            return;
        }
        let quantity = Quantity::new(self.color_by, Material::LAVA);
        let Some(scale) =
            Scale::from_quantity(&quantity).map(|scale| scale.of_volume(&quantity, self.kelvin))
        else {
            return;
        };
        let scale = if shown.others {
            scale.named(Material::LAVA)
        } else {
            scale
        };
        let lava = shown.lava.then_some((&self.palette, scale));
        let bars = [lava, shown.haze.then(|| (&*haze::PALETTE, haze::scale()))];
        let bars: Vec<_> = bars.into_iter().flatten().collect();
        // Titles are written along the bars, so the bars are as long as the longest title.
        let longest = bars
            .iter()
            .map(|(_, scale)| ink.width(&scale.title()))
            .fold(10.0 * ink.size, f32::max);
        let height = longest.min(0.6 * image.height as f32).round();
        let margin = (1.2 * ink.size).round() as usize;
        let mut right = image.width - margin;
        for (palette, scale) in &bars {
            let bar = ColorBar {
                palette,
                scale,
                ink,
                titled: true,
            };
            let (width, height) = (bar.width(height).ceil() as usize, height as usize);
            if right < width + margin {
                return;
            }
            bar.draw(
                image,
                Frame {
                    x: right - width,
                    y: image.height - height - margin,
                    width,
                    height,
                },
            );
            right -= width + margin;
        }
    }

    /// Returns the interpolated table entry for `density` (0 to 1): linear RGB colour, and opacity
    /// (0 to 1) of a ray-marching step.
    #[inline(always)]
    fn matter(&self, density: f32) -> [f32; 4] {
        let (i, between) = entry(density);
        let (mut matter, next) = (self.matter[i], self.matter[i + 1]);
        for k in 0..4 {
            matter[k] = lerp(matter[k], next[k], between);
        }
        matter
    }

    /// Returns the linear RGB colour of `value` (0 to 1) in the palette.
    pub(crate) fn linear(&self, value: f32) -> V3 {
        let [red, green, blue, _] = self.matter(value);
        v3(red, green, blue)
    }

    /// Accumulates colour and opacity of the lava whose densities are `field`, along `ray` up to
    /// the distance `far` (cells). `pace`: sampling parameters; `s` selects the SIMD instructions.
    #[inline(always)]
    pub(crate) fn accumulate<S: Simd>(
        &self,
        s: S,
        field: &MediumField,
        ray: &Ray,
        far: f32,
        pace: Pace,
    ) -> SegmentLight {
        let mut sum = [0.0_f32; 4];
        let span = field.span(ray, far.min(pace.reach.far));
        let Some((near, far, _)) = span else {
            return SegmentLight {
                color: V3::zeros(),
                opacity: 0.0,
            };
        };
        let mut walk = field.walk(ray, (near, far), pace);
        while let Some(sample) = walk.next() {
            let matter = field.matter(s, &sample.spot, sample.point);
            self.add(&mut sum, self.lava(field, &sample, matter));
            if sum[3] > OPAQUE {
                break;
            }
        }
        SegmentLight::from_rgba(sum)
    }

    /// Accumulates colour and opacity of the media, lava and haze in `all` up to the distance
    /// `all.far`.
    ///
    /// Samples of all these media are composited front to back in common order of distance.
    pub(crate) fn accumulate_all<S: Simd>(&self, s: S, all: &Along<'_>) -> SegmentLight {
        let mut sum = [0.0_f32; 4];
        let field = all
            .media
            .first()
            .map(|clear| &clear.field)
            .or(all.lava.map(|(field, _)| field));
        // Haze may exist outside of the simulation box too.
        let (near, far) = field
            .and_then(|field| field.span(all.ray, all.far))
            .map_or((0.0, 0.0), |span| (span.0, span.1));
        let mut lava = all
            .lava
            .map(|(field, pace)| (field, field.walk(all.ray, (near, far), pace)));
        let mut at_lava = lava.as_mut().and_then(|(_, walk)| walk.next());
        let mut haze = all.haze.map(|(haze, reach)| {
            haze.walk(
                all.ray,
                (reach.near, reach.far.min(all.far)),
                all.pace.jitter,
            )
        });
        let mut at_haze = haze.as_mut().and_then(HazeWalk::next);
        let mut media: Vec<_> = all
            .media
            .iter()
            .map(|clear| (clear, clear.field.walk(all.ray, (near, far), all.pace)))
            .collect();
        let mut at_media: Vec<_> = media.iter_mut().map(|(_, walk)| walk.next()).collect();
        while sum[3] <= OPAQUE {
            let next = at_media
                .iter()
                .flatten()
                .chain(&at_lava)
                .map(|sample| sample.t)
                .fold(f32::MAX, f32::min);
            if let Some(HazeSample { t, entry }) = at_haze.filter(|sample| sample.t <= next) {
                debug_assert!(t >= 0.0, "a ray goes forward");
                let share = (1.0 - sum[3]) * entry[3];
                let [red, green, blue] = [0, 1, 2].map(|k| sum[k] + entry[k] * share);
                sum = [red, green, blue, sum[3] + share];
                at_haze = haze.as_mut().and_then(HazeWalk::next);
                continue;
            }
            if next == f32::MAX {
                break;
            }
            if let (Some((field, walk)), Some(sample)) =
                (&mut lava, at_lava.filter(|sample| sample.t == next))
            {
                self.add(
                    &mut sum,
                    self.lava(field, &sample, field.matter(s, &sample.spot, sample.point)),
                );
                at_lava = walk.next();
            }
            for ((clear, walk), at) in media.iter_mut().zip(&mut at_media) {
                if let Some(sample) = at.filter(|sample| sample.t == next) {
                    let matter = clear.field.matter(s, &sample.spot, sample.point);
                    let entry = clear.matter(matter.density * (1.0 / 255.0));
                    self.add(&mut sum, (entry, matter.slope));
                    *at = walk.next();
                }
            }
        }
        SegmentLight::from_rgba(sum)
    }

    /// Returns the linear RGB colour and the opacity of a ray-marching step through lava at
    /// `sample`, and the gradient of the density in 1/255 per cell. `matter`: interpolated density
    /// and gradient at the sample.
    #[inline(always)]
    fn lava(&self, field: &MediumField, sample: &Sample, matter: Matter) -> ([f32; 4], V3) {
        let density = matter.density * (1.0 / 255.0);
        let mut entry = self.matter(density);
        if self.color_by == CellMeasure::SpecificEnergy && entry[3] > 0.0 {
            let color = self.linear(self.value(field, sample.point, density));
            entry = [color.x, color.y, color.z, entry[3]];
        }
        (entry, matter.slope)
    }

    /// Composites a ray-marching step behind the accumulated premultiplied RGBA `sum`. `entry`:
    /// RGBA of the step; `slope`: gradient of the density in 1/255 per cell, for shading.
    #[inline(always)]
    fn add(&self, sum: &mut [f32; 4], (entry, slope): ([f32; 4], V3)) {
        let share = (1.0 - sum[3]) * entry[3];
        if share > 0.0 {
            let lit = self.shading(slope * (1.0 / 255.0)) * share;
            *sum = [
                sum[0] + entry[0] * lit,
                sum[1] + entry[1] * lit,
                sum[2] + entry[2] * lit,
                sum[3] + share,
            ];
        }
    }

    /// Returns the position on the palette (0 to 1) of the lava's value at the point `p` (cells),
    /// where the density is `density` (0 to 1).
    pub(crate) fn value(&self, field: &MediumField, p: V3, density: f32) -> f32 {
        match self.color_by {
            CellMeasure::SpecificEnergy => field.specific_energy(p) / self.energy_shown,
            _ => density,
        }
    }

    /// Returns the linear RGB palette colour of the lava's value at the point `p` (cells).
    pub(crate) fn color(&self, field: &MediumField, p: V3) -> V3 {
        self.linear(self.value(field, p, field.density(p)))
    }

    /// Returns the factor of diffuse shading by the lamp; `slope`: gradient of the density (0 to 1)
    /// per cell.
    #[inline(always)]
    fn shading(&self, slope: V3) -> f32 {
        let steep = slope.norm();
        // Uniform density has no surface to shade: the shading fades out with the gradient instead
        // of amplifying noise.
        let facing = if steep > 1e-4 {
            -slope.dot(&self.lamp) / steep
        } else {
            0.0
        };
        lerp(0.9, 0.55 + 0.5 * saturate(facing), saturate(steep * 8.0))
    }
}

/// Returns the index of the table entry at or before `value` (0 to 1), and the fraction (0 to 1) of
/// the way to the next entry.
#[inline(always)]
fn entry(value: f32) -> (usize, f32) {
    let position = saturate(value) * (ENTRIES - 1) as f32;
    let i = (position as u32 as usize).min(ENTRIES - 2);
    (i, position - i as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::prepared::with_field;
    use crate::volume::tiles::Reach;
    use lavoxel_base::grid::Grid;
    use lavoxel_base::simd::Portable;
    use lavoxel_sim::lowpass::Volume;

    #[test]
    fn opacity_of_an_even_slab_is_analytic_for_every_step() {
        let grid = Grid::new(8, 10, 8);
        let volume = Volume {
            grid,
            density: vec![128; grid.cells()],
            energy: vec![128; grid.cells()],
            media: Vec::new(),
            air: None,
            crust: None,
        };
        let ray = Ray {
            origin: v3(4.0, 20.0, 4.0),
            direction: -V3::y(),
        };
        // Uniform opacity that cannot be seen in one cell accumulates over many cells.
        for per_cell in [0.15_f32, 1e-4] {
            let expected = 1.0 - (1.0 - f64::from(per_cell)).powi(10) as f32;
            for step in [0.05, 0.1, 0.25, 0.5, 1.0] {
                let look = LookSpec {
                    step,
                    opacity: vec![[0.0, per_cell]],
                    ..LookSpec::default()
                };
                let transfer = Transfer::new(&look, Palette::named("gray").expect("a known name"));
                let pace = Pace {
                    step,
                    jitter: 0.5,
                    reach: Reach::ALL,
                };
                with_field(&volume, |field| {
                    let opacity = transfer
                        .accumulate(Portable, field, &ray, f32::MAX, pace)
                        .opacity;
                    assert!(
                        (opacity / expected - 1.0).abs() < 5e-3,
                        "step {step}: {opacity} against {expected}"
                    );
                });
            }
        }
    }

    #[test]
    fn a_quarter_of_the_largest_opacity_is_visible() {
        let visible = |opacity: Vec<[f32; 2]>| {
            let look = LookSpec {
                opacity,
                ..LookSpec::default()
            };
            Transfer::new(&look, Palette::named("gray").expect("a known name")).visible
        };
        assert!((visible(vec![[0.2, 0.0], [1.0, 0.8]]) - 0.4).abs() < 2e-3);
        assert_eq!(visible(vec![[0.0, 0.05]]), 0.0);
        assert_eq!(
            visible(vec![[0.5, 0.0]]),
            f32::INFINITY,
            "nothing is ever visible"
        );
    }

    #[test]
    fn stops_decide_what_is_empty() {
        let look = LookSpec {
            opacity: vec![[0.2, 0.0], [1.0, 1.0]],
            ..LookSpec::default()
        };
        assert_eq!(Transfer::empty(&look), 51);
        assert!((at_stops(&look.opacity, 0.6) - 0.5).abs() < 1e-6);
        let solid = LookSpec {
            opacity: vec![[0.0, 0.4]],
            ..LookSpec::default()
        };
        assert_eq!(Transfer::empty(&solid), 0);
    }
}
