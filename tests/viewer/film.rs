//! Tests of films of a session that was recorded in the window: one render is killed midway,
//! another completes.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use image::AnimationDecoder;
use image::codecs::png::PngDecoder;
use lavoxel::film::Plan;
use lavoxel::scene::Scene;

use crate::child::Running;
use crate::window::{Display, Window, focused};

/// Scene of lava on a plane, in a box so small that frames are drawn quickly.
const SCENE: &str = "name = \"Takes\"\nseed = 3\n[grid]\nsize = [32, 24, 32]\n[terrain]\nkind = \"plane\"\n\
                     [[vent]]\nx = 16.0\nz = 16.0\nradius = 2.0\nrate = 1.5\n[film]\nfps = 10\norbit_deg = 70.0\n";

const FILM: &str = "render session.lavoxel --size 120x90 --animation film.png";

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    command
        .current_dir(folder)
        .args(FILM.split(' '))
        .stderr(Stdio::null());
    command
}

#[test]
fn a_recorded_session_is_filmed_with_its_camera_and_goes_on_after_a_kill() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    fs::write(folder.join("scene.toml"), SCENE).expect("written");
    let mut window = Window::open(&display, folder, &["scene.toml", "--pace", "40"]);
    window.wait_for("first picture");
    focused(&display, &mut window, folder);
    display.key("F9");
    window.wait_for("recording");
    display.key("t");
    window.wait_for("turntable on");
    std::thread::sleep(Duration::from_secs(4));
    display.key("t");
    std::thread::sleep(Duration::from_secs(1));
    display.key("F9");
    let told = window.wait_for("key frames");
    assert!(told.contains("lavoxel render SESSION.lavoxel"), "{told}");
    let recording = window.saved(folder);
    assert!(
        recording.extension().is_some_and(|ending| ending == "webp"),
        "{}",
        recording.display()
    );
    display.key("ctrl+s");
    let session = window.saved(folder);
    display.key("ctrl+q");
    window.wait_for("closed");
    assert!(window.end().success());

    let scene = Scene::load(&session).expect("a scene");
    let film = &scene.spec.film;
    // A busy machine samples the camera unevenly, so only bounds on the number of keys hold; the
    // keys carry the camera's path, so there is no orbit.
    assert!(
        (2..80).contains(&film.keys.len()) && film.orbit_deg == 0.0,
        "{} keys",
        film.keys.len()
    );
    let plan = Plan::new(film, &scene.spec.camera);
    let [first, last] = [0, u64::MAX].map(|frame| plan.shot(frame));
    let turned = last.camera.azimuth_deg - first.camera.azimuth_deg;
    assert!(
        (40.0..200.0).contains(&turned) && first.step < last.step,
        "{turned}: {:?}",
        film.keys
    );

    let places = ["whole", "killed"].map(|name| folder.join(name));
    for place in &places {
        fs::create_dir(place).expect("a folder");
        fs::copy(&session, place.join("session.lavoxel")).expect("copied");
    }
    let [whole, killed] = &places;
    assert!(program(whole).status().is_ok_and(|status| status.success()));
    let mut running = Running::start(&mut program(killed));
    let middle = killed.join(format!("film.png.parts/frame-{:06}.png", plan.frames() / 2));
    while !middle.exists() {
        assert!(
            running.try_wait().expect("it can be asked").is_none(),
            "it ended before {}",
            middle.display()
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    running.kill().expect("it runs");
    running.wait().expect("it ends");
    assert!(!killed.join("film.png").exists());
    assert!(
        program(killed)
            .status()
            .is_ok_and(|status| status.success())
    );
    let films = places.map(|place| fs::read(place.join("film.png")).expect("the film"));
    assert!(films[0] == films[1], "byte for byte");
    let frames = PngDecoder::new(Cursor::new(&films[0]))
        .expect("PNG")
        .apng()
        .expect("animated")
        .into_frames();
    let frames: Vec<_> = frames
        .map(|frame| frame.expect("whole").into_buffer())
        .collect();
    assert_eq!(frames.len() as u64, plan.frames());
    assert!(
        frames[0] != frames[frames.len() / 2] && frames[0] != frames[frames.len() - 1],
        "the camera goes round"
    );
}
