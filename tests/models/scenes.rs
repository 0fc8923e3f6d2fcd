//! Tests that a scene over generated ground needs no file, only text, to reach a state; built with
//! the feature `scene` alone.

use std::path::Path;

use lavoxel::engine::tiled::Tiled;
use lavoxel::scene::Scene;
use lavoxel::shipped;

/// Returns true if the text names a file that the scene reads.
fn names_a_file(text: &str) -> bool {
    text.lines().any(|line| {
        line.split('#')
            .next()
            .is_some_and(|line| line.contains("file = "))
    })
}

#[test]
fn every_shipped_scene_without_files_parses() {
    let (with, without): (Vec<_>, Vec<_>) =
        shipped::scenes().partition(|scene| names_a_file(scene.text));
    for scene in &without {
        let read = Scene::parse(scene.text, &scene.path())
            .unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        assert!(read.spec.grid.grid().is_ok(), "{}", scene.name);
    }
    assert!(
        without.len() >= 20 && with.len() >= 3,
        "{} without files, {} with",
        without.len(),
        with.len()
    );
}

#[test]
fn a_scene_over_generated_ground_is_built_and_steps() {
    let text = "[grid]\nsize = [32, 24, 32]\n[terrain]\nkind = \"volcano\"\n[[vent]]\nat = \"summit\"\nradius = 1.0\n\
                [[material]]\nname = \"water\"\n[[body]]\nshape = { kind = \"below\", level = 4.0 }\n\
                matter = { kind = \"material\", name = \"water\", amount = 1.0 }\n[air]\nstep_s = 0.5\n";
    let scene = Scene::parse(text, Path::new("scene.toml")).expect("a right scene");
    let mut simulation = scene
        .build(Box::new(Tiled::default()))
        .expect("it fits")
        .simulation;
    (0..40).for_each(|_| simulation.step());
    assert!(simulation.world().lava().mass() > 0);
    let water = simulation.world().layer("water").expect("the scene has it");
    assert!(water.mass() > 0);
    let wrong = Scene::parse(
        &text.replace("[air]", "[air]\nstep = 1"),
        Path::new("scene.toml"),
    )
    .expect_err("wrong");
    assert!(
        wrong.to_string().contains("did you mean `step_s`?"),
        "{wrong}"
    );
}

#[test]
fn the_physical_model_runs_from_text() {
    let text = "model = \"flow\"\n[grid]\nsize = [24, 16, 24]\ncell_size_m = 10.0\n[terrain]\nkind = \"slope\"\n\
                [[vent]]\nx = 12.0\nz = 6.0\nrate_m3_s = 20.0\n";
    let scene = Scene::parse(text, Path::new("scene.toml")).expect("a right scene");
    let mut simulation = scene
        .build(Box::new(Tiled::default()))
        .expect("it fits")
        .simulation;
    (0..10).for_each(|_| simulation.step());
    assert!(!simulation.world().flow().expect("a flow").wet().is_empty());
}
