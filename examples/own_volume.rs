// Draws a custom volume, here a knot, with the ray-marcher and without any simulation.
use std::f32::consts::TAU;

use lavoxel::prelude::*;

/// Distance in cells from a point (x, y, z) to a trefoil knot in a box of 96 × 64 × 96 cells.
fn distance(point: [f32; 3]) -> f32 {
    let on_knot = |i: usize| {
        let t = TAU * i as f32 / 400.0;
        let r = 24.0 + 11.0 * (3.0 * t).cos();
        [
            48.0 + r * (2.0 * t).cos(),
            34.0 + 15.0 * (3.0 * t).sin(),
            48.0 + r * (2.0 * t).sin(),
        ]
    };
    let to = |knot: [f32; 3]| {
        (0..3)
            .map(|k| (knot[k] - point[k]).powi(2))
            .sum::<f32>()
            .sqrt()
    };
    (0..400)
        .map(|i| to(on_knot(i)))
        .fold(f32::INFINITY, f32::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Both fields have shape (z, y, x): z runs south, y up, x east. The density falls from 1 in the
    // knot to 0 six cells away; energy chooses the colour, from 0 on the floor to 2 under the roof
    // for each unit of density.
    let density = Array3::from_shape_fn((96, 64, 96), |(z, y, x)| {
        1.0 - distance([x as f32, y as f32, z as f32]).min(6.0) / 6.0
    });
    let energy = Array3::from_shape_fn(density.dim(), |(z, y, x)| {
        density[[z, y, x]] * y as f32 / 32.0
    });
    let volume = Volume::from_arrays(&density, &energy)?;

    let palette = PaletteSpec::Name("turbo".into());
    let look = LookSpec {
        style: Style::Surface,
        palette,
        color_by: CellMeasure::SpecificEnergy,
        ..LookSpec::default()
    };
    // The ground is a floor at height 0; heights of any shape (z, x) are possible.
    let mut renderer = Renderer::new(&Array2::zeros((96, 96)), volume.grid, look)?;
    let camera = Camera::new(
        &CameraSpec::default(),
        &Bounds::from_grid(volume.grid),
        (480, 320),
    );
    let image = renderer.frame(&volume, &camera);
    Ok(write_png(
        "own-volume.png".as_ref(),
        (480, 320),
        &image.rgb,
        &[],
        Existing::Replace,
    )?)
}
