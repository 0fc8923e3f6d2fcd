// Lava runs down a valley for a thousand steps; its cells become arrays and a picture.
use lavoxel::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let valley = |(z, x): (usize, usize)| 30.0 - 0.4 * z as f32 + 0.02 * (x as f32 - 32.0).powi(2);
    let heights = Array2::from_shape_fn((64, 64), valley); // in cells; row 0 is north, column 0 is west
    let mut simulation = Simulation::from(World::new(Ground::from_surface(56, heights)));
    simulation.command(VentSpec {
        x: 32.0,
        z: 8.0,
        ..VentSpec::default()
    })?;
    (0..1000).for_each(|_| simulation.step());
    let depth = simulation.world().array("amount")?.sum_axis(Axis(1)); // (z, y, x) summed over y, which is up
    println!(
        "{:.0} cells of lava, up to {:.1} deep",
        depth.sum(),
        depth.iter().fold(0.0, |a: f32, &b| a.max(b))
    );
    let image = picture(
        simulation.world(),
        &CameraSpec::default(),
        &LookSpec::default(),
        (480, 320),
    )?;
    Ok(write_png(
        "first.png".as_ref(),
        (480, 320),
        &image.rgb,
        &[],
        Existing::Replace,
    )?)
}
