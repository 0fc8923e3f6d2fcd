//! Traces a still of a scene and writes it beside the same view in the cinematic style, as PPM
//! files: `print SCENE STEPS SAMPLES WIDTHxHEIGHT OUT [LOOK]`, where LOOK is a table of the scene's
//! look in TOML that replaces single keys.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_render::{Camera, Image, Renderer};
use lavoxel_scene::scene::Scene;
use lavoxel_sim::lowpass::LowPass;

fn save(path: &str, image: &Image) -> std::io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    writeln!(file, "P6 {} {} 255", image.width, image.height)?;
    file.write_all(&image.rgb)
}

/// Processor time of the process in seconds.
fn spent() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat
        .split(' ')
        .skip(13)
        .take(2)
        .filter_map(|n| n.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [scene, steps, samples, size, out, more @ ..] = &args[..] else {
        return Err("print SCENE STEPS SAMPLES WIDTHxHEIGHT OUT [KEY=VALUE…]".into());
    };
    let (wide, high) = size.split_once('x').ok_or("a size as 480x320")?;
    let (size, samples): (_, u32) = ((wide.parse()?, high.parse()?), samples.parse()?);
    let mut scene = Scene::load(Path::new(scene))?;
    for text in more {
        let (key, value) = text.split_once('=').ok_or("KEY=VALUE")?;
        match key {
            "azimuth" => scene.spec.camera.azimuth_deg = value.parse()?,
            "elevation" => scene.spec.camera.elevation_deg = value.parse()?,
            "distance" => scene.spec.camera.distance = Some(value.parse()?),
            "sun" => scene.spec.look.sun_elevation_deg = Some(value.parse()?),
            "target" => {
                let shares: Vec<f32> =
                    value.split(',').map(str::parse).collect::<Result<_, _>>()?;
                scene.spec.camera.target = shares.try_into().ok();
            }
            "exposure" => scene.spec.look.exposure = value.parse()?,
            _ => return Err(format!("no key {key}").into()),
        }
    }
    let mut simulation = scene.build(Box::new(Tiled::default()))?.simulation;
    (0..steps.parse()?).for_each(|_| simulation.step());
    let world = simulation.world();
    let mut lowpass = LowPass::new(world.grid());
    lowpass.refresh(world);
    let start = Instant::now();
    let look = scene.spec.look.clone();
    let mut renderer = Renderer::new(world.ground().surface(), world.grid(), look)?;
    renderer.set_ground(world.ground());
    renderer.set_steps(steps.parse()?);
    let camera = Camera::new(&scene.spec.camera, &renderer.subject(), size);
    save(
        &format!("{out}-cinematic.ppm"),
        &renderer.frame_of(&mut lowpass, &camera),
    )?;
    println!("cinematic: {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let done = renderer.print_of(&mut lowpass, &camera, |print| {
        println!("prepared: {:.2} s", start.elapsed().as_secs_f64());
        let (start, before) = (Instant::now(), spent());
        while print.samples() < samples && print.pass() {
            if print.samples().is_power_of_two() {
                println!(
                    "{} samples: {:.2} s, noise {:.1} %",
                    print.samples(),
                    start.elapsed().as_secs_f64(),
                    100.0 * print.noise()
                );
            }
        }
        let each = (spent() - before) / f64::from(print.samples());
        println!(
            "{each:.3} CPU-s a sample, noise {:.1} %",
            100.0 * print.noise()
        );
        let start = Instant::now();
        let smoothed = print.smoothed();
        println!("smoothed: {:.2} s", start.elapsed().as_secs_f64());
        save(&format!("{out}-print.ppm"), &print.image())?;
        save(&format!("{out}-smoothed.ppm"), &smoothed)
    });
    done.ok_or("stopped")??;
    Ok(())
}
