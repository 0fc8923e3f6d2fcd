//! Tests of the scenes that are embedded in the program.

use std::path::Path;

use lavoxel::engine::plain::Plain;
use lavoxel::output::Existing;
use lavoxel::scene::Scene;
use lavoxel::shipped::scenes;

#[test]
fn scenes_are_read_and_built_from_inside_and_say_what_they_show() {
    for shipped in scenes() {
        let scene = Scene::open(&shipped.path())
            .unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
        let about = shipped.about();
        assert!(
            (10..160).contains(&about.len()) && !about.contains('*'),
            "{}: {about:?}",
            shipped.name
        );
        assert_eq!(
            scene.spec.name, shipped.name,
            "one name in reports, file names and lists"
        );
        if ["maunga_whau", "bridge"].contains(&shipped.name) {
            scene
                .build(Box::new(Plain))
                .expect("its heightmap or mesh is inside, too");
        }
    }
}

#[test]
fn a_slice_shows_something_that_the_scene_has() {
    let shown = |name: &str| {
        let scene = Scene::open(&Path::new("shipped:").join(name)).expect("shipped");
        scene.usual_quantity().name()
    };
    let names = ["ash_fall.toml", "sand_2d.toml", "island.toml", "wax.toml"].map(shown);
    assert_eq!(names, ["air.ash", "sand.amount", "amount", "amount"]);
}

#[test]
fn a_saved_scene_still_finds_what_is_inside() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.toml");
    let scene = Scene::open(Path::new("shipped:/maunga_whau.toml")).expect("shipped");
    scene.save(&path, Existing::Keep).expect("saved");
    Scene::open(&path)
        .expect("read")
        .build(Box::new(Plain))
        .expect("its heightmap is found");
}
