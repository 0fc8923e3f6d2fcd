//! Print of the window's view: it is traced, saved, and left by a key or by the camera.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use image::RgbImage;

use crate::window::{Display, Window, focused};

/// Scene of lava on a plane, in a box so small that a print is prepared quickly.
const SCENE: &str = "name = \"Pool\"\nseed = 3\n[grid]\nsize = [32, 24, 32]\n[terrain]\nkind = \"plane\"\n\
                     [[vent]]\nx = 16.0\nz = 16.0\nradius = 2.0\nrate = 1.5\n";

fn open(path: &Path) -> RgbImage {
    let image = image::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    image.to_rgb8()
}

/// Returns the mean difference of two pictures in levels of 255.
fn difference(a: &RgbImage, b: &RgbImage) -> f64 {
    let sum: u64 = (a.as_raw().iter().zip(b.as_raw()))
        .map(|(p, q)| u64::from(p.abs_diff(*q)))
        .sum();
    sum as f64 / a.as_raw().len() as f64
}

#[test]
fn a_view_is_printed_and_saved_and_the_live_picture_comes_back() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    fs::write(folder.join("scene.toml"), SCENE).expect("written");
    let mut window = Window::open(&display, folder, &["scene.toml", "--steps", "100"]);
    window.wait_for("paused at step 100");
    focused(&display, &mut window, folder);
    display.key("F12");
    let live = open(&window.saved(folder));
    display.key("5");
    window.wait_for("print begun");
    window.wait_for("first picture of the print");
    window.wait_for("print in whole resolution");
    display.key("F12");
    let print = window.saved(folder);
    assert!(print.extension().is_some_and(|ending| ending == "png"));
    let print = open(&print);
    assert_eq!(print.dimensions(), live.dimensions());
    let apart = difference(&print, &live);
    assert!((1.0..60.0).contains(&apart), "{apart} levels");
    display.key("Escape");
    window.wait_for("print ended");
    display.key("F12");
    let again = open(&window.saved(folder));
    assert!(difference(&again, &live) < 0.5, "the live picture is back");

    // The camera ends a print, and time goes on that ran before.
    display.key("space");
    window.wait_for("running");
    display.key("5");
    window.wait_for("print in whole resolution");
    display.xdotool(&["mousemove", "240", "180", "mousedown", "1"]);
    display.xdotool(&["mousemove", "300", "170", "mouseup", "1"]);
    window.wait_for("print ended");
    window.wait_for("step 200");
    display.key("ctrl+q");
    window.wait_for("closed");
    assert!(window.end().success());
}
