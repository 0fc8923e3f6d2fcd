// Lava runs down a valley for a thousand steps; its cells become an array and a picture.
use lavoxel::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let valley = |(z, x): (usize, usize)| 30.0 - 0.4 * z as f32 + 0.02 * (x as f32 - 32.0).powi(2);
    let heights = Array2::from_shape_fn((64, 64), valley); // in cells; row 0 is north, column 0 west
    let mut simulation = Simulation::from(World::new(Ground::from_surface(56, heights)));
    let mut vent = VentSpec::default();
    (vent.x, vent.z) = (32.0, 8.0);
    simulation.command(vent)?;
    (0..1000).for_each(|_| simulation.step());
    let (world, file, size) = (simulation.world(), "first.png".as_ref(), (480, 320));
    println!("{:.0} cells of lava", world.array("amount")?.sum()); // axes z, y (up), x
    let image = picture(world, &CameraSpec::default(), &LookSpec::default(), size)?;
    write_png(file, (480, 320), &image.rgb, &[], Existing::Replace)?;
    Ok(())
}
