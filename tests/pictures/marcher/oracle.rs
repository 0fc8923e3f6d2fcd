//! Reference ray-marcher, written from the documentation of `look`: every ray is marched through
//! the whole box, every sample is trilinearly interpolated and shaded, nothing is skipped or
//! cached, in double precision.

use lavoxel::lowpass::Volume;
use lavoxel::render::{Camera, Image, LookSpec, Palette, Ray, Renderer, Style};
use lavoxel::world::CellMeasure;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

type V3 = Vector3<f64>;

/// Tolerance in cells for the ends of a ray and the edges of the box: a sample this close to an end
/// may count or not, and a ray this close to an edge may hit or miss, because rounding decides.
const END: f64 = 3e-4;
/// Tolerance of densities near `look.iso` and near the smallest density that the style `maximum`
/// shows: a sample this close may count as inside or outside.
const DENSITY: f64 = 2e-5;

/// Distance in cells before a side face of the ground within which lava is not drawn.
const CUT: f64 = 0.01;

/// Treatment of samples that lie within a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doubt {
    /// Samples within the tolerance count as inside.
    Generous,
    /// Samples within the tolerance count as outside.
    Strict,
}

/// Reference ray-marcher for one look and one volume.
struct Oracle<'a> {
    volume: &'a Volume,
    look: &'a LookSpec,
    palette: Palette,
    /// Smallest density that the style `maximum` shows.
    visible: f64,
    doubt: Doubt,
    /// Outward shift of the sides of the visible box in cells; negative values shift inward.
    wider: f64,
}

/// Part of a ray on which lava can be visible, as distances from the eye in cells.
struct Span {
    near: f64,
    far: f64,
    /// Outward normal of the side of the box, or of its clip, through which the ray enters; `None`
    /// if the ray starts inside.
    face: Option<V3>,
}

/// Returns the reference picture of `volume` for `drawn`, the picture by `renderer`. Where rounding
/// decides, each pixel takes the result nearest to `drawn`. The background behind the lava comes
/// from `bare`, the renderer's picture of an empty volume.
pub(crate) fn expected(
    renderer: &Renderer,
    volume: &Volume,
    camera: &Camera,
    bare: &Image,
    drawn: &Image,
) -> Image {
    let look = renderer.look();
    let smooth = (look.style == Style::Surface && look.smoothing > 0.0).then(|| {
        let tap = |away: i32| (-0.5 * (f64::from(away) / f64::from(look.smoothing)).powi(2)).exp();
        filtered(volume, &[-2, -1, 0, 1, 2].map(tap))
    });
    let volume = smooth.as_ref().unwrap_or(volume);
    let answers = [
        (Doubt::Generous, 0.0),
        (Doubt::Strict, 0.0),
        (Doubt::Generous, END),
        (Doubt::Strict, -END),
    ]
    .map(|(doubt, wider)| Oracle::new(volume, look, doubt, wider));
    let (width, height) = camera.size();
    let mut image = Image::filled(width, height, [0; 3]);
    image
        .rgb
        .par_chunks_mut(3)
        .enumerate()
        .for_each(|(k, pixel)| {
            let (x, y) = (k % width, k / width);
            let ray = camera.ray(x as f32 + 0.5, y as f32 + 0.5);
            let far = before_ground(renderer, volume, &ray);
            let answer = |oracle: &Oracle| {
                oracle.pixel(
                    &ray,
                    far,
                    f64::from(lavoxel::render::mask::value(x, y)),
                    bare.pixel(x, y),
                )
            };
            let apart = |answer: &[u8; 3]| {
                answer
                    .iter()
                    .zip(drawn.pixel(x, y))
                    .map(|(a, b)| a.abs_diff(b))
                    .max()
            };
            let mut nearest = answer(&answers[0]);
            for other in &answers[1..] {
                if apart(&nearest) > Some(1) {
                    nearest = [nearest, answer(other)]
                        .into_iter()
                        .min_by_key(apart)
                        .unwrap();
                }
            }
            pixel.copy_from_slice(&nearest);
        });
    image
}

/// Returns `volume` with both fields filtered by the weights `taps` along each axis; indices are
/// clamped at the sides of the box.
pub(crate) fn filtered(volume: &Volume, taps: &[f64]) -> Volume {
    let grid = volume.grid;
    let (side, stride) = ([grid.nx, grid.ny, grid.nz], [1, grid.nx, grid.slab()]);
    let (total, reach) = (taps.iter().sum::<f64>(), taps.len() / 2);
    let along = |values: Vec<u8>, axis: usize| -> Vec<u8> {
        let at = |cell: usize| {
            let place = cell / stride[axis] % side[axis];
            let held = |tap: usize| (place + tap).saturating_sub(reach).min(side[axis] - 1);
            let value = |tap: usize| {
                f64::from(values[cell - place * stride[axis] + held(tap) * stride[axis]])
            };
            let sum: f64 = taps
                .iter()
                .enumerate()
                .map(|(tap, share)| share * value(tap))
                .sum();
            (sum / total + 0.5) as u8
        };
        (0..values.len()).map(at).collect()
    };
    let field = |values: &[u8]| (0..3).fold(values.to_vec(), along);
    Volume {
        density: field(&volume.density),
        energy: field(&volume.energy),
        ..Volume::empty(grid)
    }
}

impl<'a> Oracle<'a> {
    fn new(volume: &'a Volume, look: &'a LookSpec, doubt: Doubt, wider: f64) -> Self {
        let palette = look.palette.build("look.palette").unwrap();
        Self {
            volume,
            look,
            palette,
            visible: visible(&look.opacity),
            doubt,
            wider,
        }
    }

    /// Returns the bytes of a pixel from its ray, the distance `far` to the ground, its `noise`,
    /// and `bare`, its bytes without lava.
    fn pixel(&self, ray: &Ray, far: f64, noise: f64, bare: [u8; 3]) -> [u8; 3] {
        let behind = V3::from(bare.map(|byte| light_of(byte, noise)));
        let light = self
            .span(ray, far)
            .map_or(behind, |span| self.light(ray, &span, noise, behind));
        <[f64; 3]>::from(light).map(|c| byte_of(c, noise))
    }

    fn light(&self, ray: &Ray, span: &Span, jitter: f64, behind: V3) -> V3 {
        match self.look.style {
            Style::Scientific => self.scientific(ray, span, jitter, behind),
            Style::Surface => self.surface(ray, span, jitter).unwrap_or(behind),
            Style::Maximum => self.maximum(ray, span, jitter, behind),
            Style::Cinematic | Style::Print => {
                unimplemented!("crust and glow have no plain likeness")
            }
        }
    }

    /// Style `scientific`: accumulates emission and absorption front to back through the whole box,
    /// and returns the linear colour of the ray.
    fn scientific(&self, ray: &Ray, span: &Span, jitter: f64, behind: V3) -> V3 {
        let (mut light, mut through) = (V3::zeros(), 1.0);
        for t in self.samples(span, jitter) {
            let p = at(ray, t);
            let density = self.density(p);
            let opacity = self.opacity(density);
            if density > 0.0 && opacity > 0.0 {
                light += self.color(p) * (self.shading(p) * opacity * through);
                through *= 1.0 - opacity;
            }
        }
        light + behind * through
    }

    /// Style `surface`: shades the first point of the density `look.iso` with the colour of the
    /// lava one cell below the surface; `None` without a hit.
    fn surface(&self, ray: &Ray, span: &Span, jitter: f64) -> Option<V3> {
        let iso = f64::from(self.look.iso) + self.nudge(DENSITY);
        let inside = |t: f64| self.density(at(ray, t)) >= iso;
        if let Some(normal) = span.face.filter(|_| inside(span.near)) {
            return Some(
                self.color(at(ray, span.near))
                    * (0.88 + 0.12 * normal.dot(&lamp()).clamp(0.0, 1.0)),
            );
        }
        let hit = self
            .samples(span, jitter)
            .chain([span.far])
            .find(|t| inside(*t))?;
        let hit = self.refined(ray, ((hit - f64::from(self.look.step)).max(span.near), hit));
        let p = at(ray, hit);
        let normal = self.normal(p);
        let facing = (0.25 + 0.75 * normal.dot(&lamp())).clamp(0.0, 1.0);
        Some(self.color(p - normal) * (0.28 + 0.77 * facing))
    }

    /// Returns the distance of the surface between the distances `outside` and `inside`, bisected
    /// to the precision of `f64`.
    fn refined(&self, ray: &Ray, (mut outside, mut inside): (f64, f64)) -> f64 {
        let above = |t: f64| self.density(at(ray, t)) - f64::from(self.look.iso);
        // Where density is linear, every bisection point may lie on the surface, and rounding
        // decides.
        let is_outside = |t: f64| above(t) < self.nudge(DENSITY);
        if !is_outside(outside) {
            return outside;
        }
        for _ in 0..40 {
            let middle = 0.5 * (outside + inside);
            *(if is_outside(middle) {
                &mut outside
            } else {
                &mut inside
            }) = middle;
        }
        inside
    }

    /// Style `maximum`: finds the largest value of all samples and both ends of the ray, then
    /// refines towards a peak between samples.
    fn maximum(&self, ray: &Ray, span: &Span, jitter: f64, behind: V3) -> V3 {
        let visible = self.visible + self.nudge(DENSITY);
        let value = |t: f64| {
            Some(at(ray, t))
                .filter(|p| self.density(*p) > visible)
                .map_or(0.0, |p| self.value(p))
        };
        let mut best = (span.near, value(span.near));
        let mut consider = |t: f64| {
            best = if value(t) > best.1 {
                (t, value(t))
            } else {
                best
            }
        };
        consider(span.far);
        self.samples(span, jitter).for_each(&mut consider);
        for halved in [0.5, 0.25, 0.125] {
            let (middle, aside) = (best.0, halved * f64::from(self.look.step));
            let mut consider = |t: f64| {
                best = if value(t) > best.1 {
                    (t, value(t))
                } else {
                    best
                }
            };
            consider((middle - aside).max(span.near));
            consider((middle + aside).min(span.far));
        }
        let share = ((best.1 - self.visible) / (0.4 * (1.0 - self.visible))).clamp(0.0, 1.0);
        let opacity = share * share * (3.0 - 2.0 * share);
        behind * (1.0 - opacity) + self.linear(best.1) * opacity
    }

    /// Returns the distances of the samples from the eye in cells: multiples of the step, shifted
    /// by `jitter`.
    fn samples(&self, span: &Span, jitter: f64) -> impl Iterator<Item = f64> + use<> {
        let (step, slack) = (f64::from(self.look.step), -self.nudge(END));
        let (near, far) = (span.near - slack, span.far + slack);
        (0..)
            .map(move |n| (f64::from(n) + jitter) * step)
            .skip_while(move |t| *t < near)
            .take_while(move |t| *t < far)
    }

    /// Returns the offset of a threshold for the current [`Doubt`]: −`by` if generous, `by` if
    /// strict.
    fn nudge(&self, by: f64) -> f64 {
        if self.doubt == Doubt::Generous {
            -by
        } else {
            by
        }
    }

    /// Returns the part of a ray inside the visible part of the box and before the distance `far`;
    /// `None` if there is none.
    fn span(&self, ray: &Ray, far: f64) -> Option<Span> {
        let grid = self.volume.grid;
        let mut span = Span {
            near: 0.0,
            far,
            face: None,
        };
        for (axis, side) in [grid.nx, grid.ny, grid.nz].into_iter().enumerate() {
            let (o, d) = (f64::from(ray.origin[axis]), f64::from(ray.direction[axis]));
            let [low, high] = self.look.clip[axis].map(|share| f64::from(share) * side as f64);
            let [a, b] = [low - self.wider, high + self.wider].map(|side| (side - o) / d);
            if a.min(b) > span.near {
                span.near = a.min(b);
                span.face = Some(V3::from_fn(
                    |i, _| if i == axis { -d.signum() } else { 0.0 },
                ));
            }
            span.far = span.far.min(a.max(b));
        }
        (span.near < span.far).then_some(span)
    }

    /// Returns a field at the point `p`, interpolated trilinearly between cell centres and clamped
    /// at the sides of the box.
    fn between(&self, values: &[u8], p: V3) -> f64 {
        let grid = self.volume.grid;
        let side = [grid.nx, grid.ny, grid.nz];
        let place: [f64; 3] =
            std::array::from_fn(|axis| (p[axis] - 0.5).clamp(0.0, side[axis] as f64 - 1.0));
        let low = place.map(|v| v.floor() as usize);
        let mut sum = 0.0;
        for corner in 0..8 {
            let bit = |axis: usize| corner >> axis & 1;
            let cell = |axis: usize| (low[axis] + bit(axis)).min(side[axis] - 1);
            let share = |axis: usize| {
                let upper = place[axis] - low[axis] as f64;
                if bit(axis) == 1 { upper } else { 1.0 - upper }
            };
            let value = f64::from(values[grid.index([cell(0), cell(1), cell(2)])]);
            sum += value * share(0) * share(1) * share(2);
        }
        sum
    }

    fn density(&self, p: V3) -> f64 {
        self.between(&self.volume.density, p) / 255.0
    }

    /// Returns the density gradient by central differences over `reach` cells, per cell.
    fn gradient(&self, p: V3, reach: f64) -> V3 {
        let along =
            |e: V3| (self.density(p + e * reach) - self.density(p - e * reach)) / (2.0 * reach);
        let axes = Matrix3::identity();
        V3::from_fn(|axis, _| along(axes.column(axis).into()))
    }

    /// Returns the outward normal of the density at `p`, smoothed over about one and a half cells.
    fn normal(&self, p: V3) -> V3 {
        let inward = self.gradient(p, 1.5) + self.gradient(p, 0.8) * 0.6;
        (-inward).try_normalize(1e-9).unwrap_or_else(V3::y)
    }

    /// Returns the factor by which the lamp shades a point's colour; 0.9 where density is uniform.
    fn shading(&self, p: V3) -> f64 {
        // The differences are clamped at the box's sides, as density is.
        let side = [
            self.volume.grid.nx,
            self.volume.grid.ny,
            self.volume.grid.nz,
        ];
        let held = V3::from_fn(|axis, _| p[axis].clamp(0.5, side[axis] as f64 - 0.5));
        let gradient = self.gradient(held, 1.0);
        let steep = gradient.norm();
        let facing = if steep > 1e-4 {
            (-gradient.dot(&lamp()) / steep).clamp(0.0, 1.0)
        } else {
            0.0
        };
        0.9 + (0.55 + 0.5 * facing - 0.9) * (8.0 * steep).min(1.0)
    }

    /// Returns the coordinate in the palette for the point `p`, 0 to 1.
    fn value(&self, p: V3) -> f64 {
        match self.look.color_by {
            CellMeasure::Amount => self.density(p),
            CellMeasure::SpecificEnergy => {
                self.between(&self.volume.energy, p)
                    / self.between(&self.volume.density, p).max(1.0)
            }
            other => panic!("{other:?} colours no volume"),
        }
    }

    fn color(&self, p: V3) -> V3 {
        self.linear(self.value(p))
    }

    fn linear(&self, value: f64) -> V3 {
        self.palette.linear(value as f32).map(f64::from).into()
    }

    /// Returns the opacity of one sampling step through lava of the density `density`.
    fn opacity(&self, density: f64) -> f64 {
        1.0 - (1.0 - per_cell(&self.look.opacity, density)).powf(self.look.step.into())
    }
}

/// Returns the smallest density that has a quarter of the largest opacity, in steps of 1/1024.
fn visible(stops: &[[f32; 2]]) -> f64 {
    let densities = || (0..1024).map(|i| f64::from(i) / 1023.0);
    let quarter = 0.25
        * densities()
            .map(|density| per_cell(stops, density))
            .fold(0.0, f64::max);
    densities()
        .find(|density| quarter > 0.0 && per_cell(stops, *density) >= quarter)
        .unwrap_or(f64::INFINITY)
}

/// Returns the opacity of one cell length at the density `density`: linear between the stops
/// (density, opacity), constant outside.
fn per_cell(stops: &[[f32; 2]], density: f64) -> f64 {
    let [from, to] = match stops.iter().position(|stop| density <= f64::from(stop[0])) {
        Some(0) => return f64::from(stops[0][1]),
        Some(upper) => [stops[upper - 1], stops[upper]].map(|stop| stop.map(f64::from)),
        None => return f64::from(stops[stops.len() - 1][1]),
    };
    from[1] + (to[1] - from[1]) * (density - from[0]) / (to[0] - from[0])
}

/// Returns the distance along a ray to the ground. The sides of the box, and of its clip, cut lava
/// and ground in one plane, in which the ground is visible.
fn before_ground(renderer: &Renderer, volume: &Volume, ray: &Ray) -> f64 {
    let Some(t) = renderer.distance_to_ground(ray).map(f64::from) else {
        return f64::INFINITY;
    };
    let (p, grid, clip) = (at(ray, t), volume.grid, renderer.look().clip);
    let on_side = |axis: usize, side: usize| {
        let [low, high] = clip[axis].map(|share| f64::from(share) * side as f64);
        // The ground continues below the floor of a box that is not clipped there, and does not
        // reach the roof.
        let cuts = [axis != 1 || clip[1][0] > 0.0, axis != 1 || clip[1][1] < 1.0];
        (cuts[0] && (p[axis] - low).abs() < 1e-3) || (cuts[1] && (p[axis] - high).abs() < 1e-3)
    };
    let cut = [grid.nx, grid.ny, grid.nz]
        .into_iter()
        .enumerate()
        .any(|(axis, side)| on_side(axis, side));
    if cut { t - CUT } else { t }
}

fn at(ray: &Ray, t: f64) -> V3 {
    ray.origin.cast() + ray.direction.cast::<f64>() * t
}

/// Returns the unit direction towards the lamp, above the viewer's shoulder.
fn lamp() -> V3 {
    V3::new(-0.45, 0.78, 0.43).normalize()
}

/// Converts a linear value to an sRGB byte, dithered by half a grey level of noise.
fn byte_of(linear: f64, noise: f64) -> u8 {
    let c = linear.clamp(0.0, 1.0);
    let shade = if c <= 0.003_130_8 {
        12.92 * c
    } else {
        1.055 * c.powf(1.0 / 2.4) - 0.055
    };
    (shade * 255.0 + grain(noise)) as u8
}

/// Returns the middle of the linear values that [`byte_of`] maps to `byte`.
fn light_of(byte: u8, noise: f64) -> f64 {
    let c = ((f64::from(byte) + 0.5 - grain(noise)) / 255.0).clamp(0.0, 1.0);
    if c <= 0.040_45 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}

fn grain(noise: f64) -> f64 {
    0.05 + 0.9 * noise
}
