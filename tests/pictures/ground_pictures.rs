//! Tests that pictures show the present ground, however it has changed.

use crate::common::{Dice, one_cell, one_in, set_next, tiled, volcano};
use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::render::{Camera, Image, Renderer};
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::{Command, Simulation};
use lavoxel::source::VentSpec;
use lavoxel::view::{CameraSpec, LookSpec, Style};
use lavoxel::world::{Edit, Matter, Shape};

/// Returns the fraction of pixels that differ by more than `levels` (0 to 255) in a colour channel,
/// and the mean difference of all pixels in levels.
fn differences(ours: &Image, theirs: &Image, levels: u8) -> (f64, f64) {
    let apart = |(a, b): (&[u8], &[u8])| {
        a.iter()
            .zip(b)
            .map(|(a, b)| a.abs_diff(*b))
            .max()
            .unwrap_or(0)
    };
    let apart: Vec<u8> = ours
        .rgb
        .chunks(3)
        .zip(theirs.rgb.chunks(3))
        .map(apart)
        .collect();
    let n = apart.len() as f64;
    let far = apart.iter().filter(|&&apart| apart > levels).count() as f64;
    (
        far / n,
        apart.iter().map(|&apart| f64::from(apart)).sum::<f64>() / n,
    )
}

#[test]
fn a_renderer_that_follows_the_ground_draws_what_a_new_one_does() {
    for style in [Style::Cinematic, Style::Scientific]
        .into_iter()
        .step_by(one_in(2))
    {
        let grid = Grid::new(128, 100, 128);
        let vent = VentSpec {
            x: 62.5,
            z: 60.5,
            radius: 2.5,
            rate: 6.0,
            ..VentSpec::default()
        };
        let mut simulation =
            Simulation::new(volcano(grid), &RulesSpec::default(), &[vent], 1, tiled());
        (0..300).for_each(|_| simulation.step());
        let look = LookSpec {
            style,
            ..LookSpec::default()
        };
        let renderer = |simulation: &Simulation| {
            let mut renderer =
                Renderer::new(simulation.world().ground().surface(), grid, look.clone())
                    .expect("good");
            renderer.set_ground(simulation.world().ground());
            renderer
        };
        let mut ours = renderer(&simulation);
        let before = ours.clone();
        let mut lowpass = LowPass::new(grid);
        let mut dice = Dice(7);
        for step in 1..=60 {
            simulation
                .command(one_cell(
                    set_next(simulation.world(), &mut dice),
                    Matter::Rock,
                ))
                .expect("a small edit");
            if step % 20 == 0 {
                let shape = Shape::Sphere {
                    center: [40.0 + f64::from(step), 30.0, 70.0],
                    radius: 4.0,
                };
                simulation
                    .command(Command::Put(Edit {
                        shape,
                        matter: Matter::Nothing,
                    }))
                    .expect("a small edit");
            }
            simulation.step();
            ours.set_ground(simulation.world().ground());
        }
        lowpass.refresh(simulation.world());
        let mut theirs = renderer(&simulation);
        let camera = Camera::new(&CameraSpec::default(), &theirs.subject(), (320, 200));
        assert_eq!(ours.subject(), theirs.subject());
        let mut frame =
            |renderer: &mut Renderer| renderer.frame(lowpass.refresh(simulation.world()), &camera);
        let (new, patched, old) = (
            frame(&mut theirs),
            frame(&mut ours),
            frame(&mut before.clone()),
        );
        let (far, mean) = differences(&patched, &new, 1);
        assert!(
            far < 0.001 && mean < 0.05,
            "{style:?}: {far} of the pixels, {mean} on average"
        );
        assert!(
            differences(&old, &new, 8).0 > 1e-3,
            "the ground changed visibly"
        );
    }
}
