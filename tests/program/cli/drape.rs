//! Tests of images draped over the ground, by flag and by scene.

use super::place::{Place, SMALL, picture};

/// Returns the bytes of a PNG of one colour.
fn png(colour: [u8; 3]) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_pixel(40, 40, image::Rgb(colour));
    picture
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

#[test]
fn a_flag_lays_a_picture_over_any_ground() {
    let place = Place::new();
    place.write_file("green.png", png([40, 200, 40]));
    place.done("render small.toml --steps 1 --quiet --elevation 80 --picture plain.png");
    place.done("render small.toml --steps 1 --quiet --elevation 80 --drape green.png --picture green_out.png");
    let greener = |name: &str| {
        let picture = picture(&place.read(name));
        picture
            .pixels()
            .filter(|pixel| f32::from(pixel[1]) > 1.5 * f32::from(pixel[0].max(pixel[2])))
            .count()
    };
    assert!(
        greener("plain.png") == 0 && greener("green_out.png") > 1000,
        "{}",
        greener("green_out.png")
    );
    place.done("run small.toml --steps 1 --quiet --drape green.png --mesh ground.glb");
    assert!(place.read("ground.glb").starts_with(b"glTF"));
    // A session file contains the picture.
    place.write_file(
        "draped.toml",
        SMALL.replace(
            "kind = \"plane\"",
            "kind = \"plane\"\ndrape = \"green.png\"",
        ),
    );
    place.done("scene draped.toml --pack sent.lavoxel");
    std::fs::remove_file(place.path("green.png")).unwrap();
    place.done("render sent.lavoxel --steps 1 --quiet --elevation 80 --picture sent.png");
    assert!(greener("sent.png") > 1000);
}

#[test]
fn what_is_no_picture_is_refused_in_one_line() {
    let place = Place::new();
    place.write_file("text.png", "no picture");
    place.write_file("good.png", png([9; 3]));
    let draw = "render small.toml --steps 1 --quiet --picture out.png --drape";
    for file in ["none.png", "text.png", "small.toml"] {
        let line = place.refused(&format!("{draw} {file}"));
        assert!(line.contains(file), "{line}");
        let line = place.refused(&format!(
            "run small.toml --steps 1 --quiet --mesh out.glb --drape {file}"
        ));
        assert!(line.contains(file), "{line}");
    }
    let wide = place.refused(&format!("{draw} good.png --max-memory 1M"));
    assert!(wide.contains("--max-memory"), "{wide}");
}
