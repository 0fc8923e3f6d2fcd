//! Tests that the shaders have the same struct layouts and constants as the Rust code, and that no
//! shader declares a shared constant a second time.

use super::*;

#[test]
fn shaders_have_the_layout_and_the_numbers_of_rust() {
    let text = of_scene();
    let fields = |name: &str| {
        let (_, after) = text
            .split_once(&format!("struct {name} {{\n"))
            .expect("declared");
        after.split_once('}').expect("its end").0.lines().count()
    };
    let four = size_of::<[f32; 4]>();
    // Lists: five by medium, one by kind of gas, two each of fountains and of their streaks. Each
    // list is one field, and so are the smoke's parameters.
    let of_sparks = 2 * (sparks::MOST - 1) + 2 * (sparks::MOST_MOUTHS - 1);
    let lists = 5 * (super::super::media::MOST - 1) + (fog::KINDS - 1) + of_sparks;
    assert_eq!(fields("SmokeNumbers") * four, size_of::<SmokeNumbers>());
    assert_eq!(
        (fields("Frame") - 1 + lists) * four + size_of::<SmokeNumbers>(),
        size_of::<Frame>()
    );
    for line in [
        "const MAXIMUM = 3u;",
        "const METAL = 11.0;",
        "const WET = vec3<f32>(0.62, 0.66, 0.7);",
    ] {
        assert!(text.contains(line), "no {line}");
    }
}

#[test]
fn shaders_declare_no_constant_that_rust_has() {
    let (scene, film) = (of_scene(), of_film());
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/gpu/shaders");
    for file in std::fs::read_dir(folder).expect("the shaders are there") {
        let path = file.expect("a file").path();
        let source = std::fs::read_to_string(&path).expect("text");
        let shared = if path.ends_with("film.wgsl") {
            &film
        } else {
            &scene
        };
        for name in source
            .lines()
            .filter_map(|line| line.strip_prefix("const ")?.split([' ', ':']).next())
        {
            assert!(
                !shared.contains(&format!("const {name} ")),
                "{}: {name} comes from Rust",
                path.display()
            );
        }
    }
}
