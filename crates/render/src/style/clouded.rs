//! Sparks behind gas and smoke.

use crate::camera::Ray;
use crate::lava::sparks::{HIDES, SAMPLES};
use crate::math::V3;
use crate::style::shading::ShadeContext;
use lavoxel_base::simd::Portable;

/// Returns the linear RGB light of the sparks that `ray` meets up to the distance `far` (cells),
/// behind the gas and smoke of `context`.
pub(crate) fn light(context: &ShadeContext, ray: &Ray, far: f32) -> V3 {
    let (light, nearest) = context
        .sparks
        .glow(context.blackbody, ray, (far, context.pixel));
    if nearest == f32::MAX {
        light
    } else {
        light * unclouded(context, ray, nearest)
    }
}

/// Returns the transmittance (RGB, 0 to 1) of gas and smoke along `ray` up to the distance `t`
/// (cells), with the optical depth scaled by `HIDES`.
fn unclouded(context: &ShadeContext, ray: &Ray, t: f32) -> f32 {
    let mut depth = 0.0;
    let place = |(near, far): (f32, f32), k: usize| {
        ray.at(near + (far - near) * (k as f32 + 0.5) / SAMPLES as f32)
    };
    if let Some((field, span)) = context
        .smoke
        .and_then(|field| Some((field, field.span(ray, t)?)))
    {
        let dense = |k: usize| {
            field
                .smoke
                .at(Portable, place(span, k))
                .map_or(0.0, |puff| puff.dense)
        };
        depth += (0..SAMPLES).map(dense).sum::<f32>() * (span.1 - span.0) / SAMPLES as f32;
    }
    if let Some((fog, span)) = context.fog.and_then(|fog| Some((fog, fog.span(ray, t)?))) {
        let dense = |k: usize| {
            let gas = fog.at(place(span, k));
            fog.kinds()
                .iter()
                .zip(gas.densities)
                .map(|(kind, density)| kind.extinction * density)
                .sum::<f32>()
        };
        depth += (0..SAMPLES).map(dense).sum::<f32>() * (span.1 - span.0) / SAMPLES as f32;
    }
    (-HIDES * depth * context.pace(ray)).exp()
}
