//! Smoothing of what noise is left in a traced picture: five passes of a wide and wider kernel with
//! holes (à trous), which stops at edges of albedo, normal, distance and light (Dammertz and
//! others, 2010; widths of light from the noise as in Schied and others, 2017).

use crate::math::{V3, luminance};
use lavoxel_base::parallel::*;

/// Number of passes; the kernel of each reaches twice as far as that of the one before.
const PASSES: usize = 4;
/// Weights of the kernel by the distance of rows or columns.
const KERNEL: [f32; 3] = [0.375, 0.25, 0.0625];
/// Difference of luminance at which a neighbour counts less by e, in standard errors, and as a
/// share of the luminance.
const LIGHT: [f32; 2] = [2.5, 0.01];
/// Exponent of the cosine between normals.
const NORMAL: f32 = 24.0;
/// Length of a mean normal up to which a pixel counts as sky or cloud.
const FLEETING: f32 = 0.1;
/// Difference of the mean normals' lengths at which a neighbour counts less by e: a cloud is denser
/// or thinner there.
const VEILED: f32 = 0.12;
/// Exponent of the mean normals' lengths in the weight of all guides.
const TRUST: i32 = 6;
/// Difference of albedo, and of distances as a share, at which a neighbour counts less by e.
const ALBEDO: f32 = 0.08;
const DEPTH: f32 = 0.03;
/// Darkest albedo by which light is divided.
const DARKEST: f32 = 0.02;
/// A pixel brighter than all neighbours by this factor is taken for noise.
const LONELY: f32 = 1.5;

/// Surface that a pixel shows, without the light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guide {
    pub(crate) albedo: V3,
    pub(crate) normal: V3,
    pub(crate) depth: f32,
    /// Squared standard error of the pixel's luminance.
    pub(crate) variance: f32,
}

/// Light of a pixel divided by its albedo, with its variance.
#[derive(Clone, Copy, Debug)]
struct Lit {
    light: V3,
    variance: f32,
}

/// Returns `light` (linear RGB a pixel, in rows of `width`) smoothed within what `guides` say.
pub(crate) fn smoothed(light: &[V3], guides: &[Guide], width: usize) -> Vec<V3> {
    let bases: Vec<V3> = guides
        .iter()
        .map(|guide| guide.albedo.map(|a| a.max(DARKEST)))
        .collect();
    let height = light.len() / width.max(1);
    let calmed = |i: usize| calm(light, (i % width, i / width), (width, height));
    let mut now: Vec<Lit> = (0..light.len())
        .map(|i| Lit {
            light: calmed(i).component_div(&bases[i]),
            variance: guides[i].variance / luminance(bases[i]).powi(2),
        })
        .collect();
    let size = [width as isize, height as isize];
    for pass in 0..PASSES {
        let step = 1_isize << pass;
        // A pixel whose few samples happen to agree is not known better than its neighbours.
        let spread = |i: usize| nearby(&now, [(i % width) as isize, (i / width) as isize], size);
        let variances: Vec<f32> = (0..now.len()).into_par_iter().map(spread).collect();
        let mean = |i: usize| {
            let place = [(i % width) as isize, (i / width) as isize];
            around((&now, guides), variances[i], place, (step, size))
        };
        now = (0..now.len()).into_par_iter().map(mean).collect();
    }
    now.iter()
        .zip(&bases)
        .map(|(lit, base)| lit.light.component_mul(base))
        .collect()
}

/// Returns the light of the pixel (`x`, `y`), cut to a little more than that of its brightest
/// neighbour.
fn calm(light: &[V3], (x, y): (usize, usize), (width, height): (usize, usize)) -> V3 {
    let here = light[y * width + x];
    let mut brightest = 0.0_f32;
    for j in y.saturating_sub(1)..(y + 2).min(height) {
        for i in x.saturating_sub(1)..(x + 2).min(width) {
            if (i, j) != (x, y) {
                brightest = brightest.max(luminance(light[j * width + i]));
            }
        }
    }
    let bright = luminance(here);
    if bright > LONELY * brightest {
        here * (LONELY * brightest / bright)
    } else {
        here
    }
}

/// Returns the mean variance of the pixel at `place` and its neighbours in a picture of `size`
/// pixels.
fn nearby(lit: &[Lit], [x, y]: [isize; 2], size: [isize; 2]) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    for j in (y - 1).max(0)..(y + 2).min(size[1]) {
        for i in (x - 1).max(0)..(x + 2).min(size[0]) {
            sum += lit[(j * size[0] + i) as usize].variance;
            count += 1.0;
        }
    }
    sum / count
}

/// Returns the mean of the pixels around `place`, `step` pixels apart, in a picture of `size`
/// pixels, weighted by how much they show what `place` shows. `variance`: squared standard error of
/// the luminance at `place`.
fn around(
    (lit, guides): (&[Lit], &[Guide]),
    variance: f32,
    place: [isize; 2],
    (step, size): (isize, [isize; 2]),
) -> Lit {
    let index = |[x, y]: [isize; 2]| (y * size[0] + x) as usize;
    let (here, guide) = (lit[index(place)], guides[index(place)]);
    let bright = luminance(here.light);
    let width = LIGHT[0] * variance.sqrt() + LIGHT[1] * bright + 1e-5;
    let (mut sum, mut spread, mut whole) = (V3::zeros(), 0.0, 0.0);
    for j in -2..=2_isize {
        for i in -2..=2_isize {
            let other = [place[0] + i * step, place[1] + j * step];
            if other
                .iter()
                .zip(size)
                .any(|(at, size)| !(0..size).contains(at))
            {
                continue;
            }
            let (there, beside) = (lit[index(other)], guides[index(other)]);
            let kernel = KERNEL[i.unsigned_abs()] * KERNEL[j.unsigned_abs()];
            let apart = (luminance(there.light) - bright).abs() / width;
            let weight = kernel * (-apart).exp() * alike(&guide, &beside);
            sum += there.light * weight;
            spread += there.variance * weight * weight;
            whole += weight;
        }
    }
    Lit {
        light: sum / whole,
        variance: spread / (whole * whole),
    }
}

/// Returns how much (0 to 1) two pixels show the same surface.
fn alike(a: &Guide, b: &Guide) -> f32 {
    let [long, wide] = [a.normal.norm(), b.normal.norm()];
    // The samples of a pixel behind water or glass see different surfaces, and the shorter their
    // mean normal, the less the guides say.
    let albedo = (a.albedo - b.albedo).abs().max() / ALBEDO;
    let trust = match (long > FLEETING, wide > FLEETING) {
        (true, true) => (long * wide).powi(TRUST).min(1.0),
        // What clouds hide has no distance.
        (false, false) => return (-albedo).exp(),
        _ => 0.0,
    };
    let cosine = (a.normal.dot(&b.normal) / (long * wide).max(1e-6)).max(0.0);
    let depth = (a.depth - b.depth).abs() / (DEPTH * a.depth.max(b.depth) + 1e-3);
    let veiled = (long - wide).abs() / VEILED;
    cosine.powf(NORMAL * trust) * (-(albedo + depth) * trust - veiled).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::random::Draws;

    #[test]
    fn noise_goes_and_edges_stay() {
        let (width, height) = (40, 30);
        let is_left = |i: usize| i % width < 20;
        let light: Vec<V3> = (0..width * height)
            .map(|i| {
                let noise = 0.2 * (Draws::new(i as u32, 0).free() - 0.5);
                V3::repeat(if is_left(i) { 0.5 } else { 0.1 } + noise * 0.5)
            })
            .collect();
        let guide = |i: usize| Guide {
            albedo: V3::repeat(if is_left(i) { 0.5 } else { 0.2 }),
            normal: V3::y(),
            depth: 10.0,
            variance: 0.001,
        };
        let guides: Vec<Guide> = (0..light.len()).map(guide).collect();
        let smooth = smoothed(&light, &guides, width);
        let error = |all: &[V3]| {
            let square = |i: usize| (all[i].x - if is_left(i) { 0.5 } else { 0.1 }).powi(2);
            (0..all.len()).map(square).sum::<f32>() / all.len() as f32
        };
        let (before, after) = (error(&light), error(&smooth));
        assert!(after < 0.15 * before, "{after} of {before}");
    }
}
