//! Tests with paths that are not regular files, names that lead to other files, and decoders that
//! panic: each must give one message and exit status 2, and no other file may be written.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

#[path = "../files/formats_in/tiff.rs"]
pub(crate) mod tiff;

use crate::child::Running;
use tiff::Tiff;

/// Time after which a run counts as hanging; the slowest machine needs a hundredth.
const HANGS: Duration = Duration::from_secs(120);

/// Runs the program in a folder and returns its output; the test fails if the program hangs.
fn lavoxel(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (mut running, start) = (Running::start(&mut command), Instant::now());
    while running.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < HANGS, "{args:?} hangs");
        std::thread::sleep(Duration::from_millis(10));
    }
    running.output()
}

/// Checks that the program fails with a one-line message that contains `words`.
fn refused(folder: &Path, args: &[&str], words: &[&str]) {
    let output = lavoxel(folder, args);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
    words
        .iter()
        .for_each(|word| assert!(message.contains(word), "{args:?}, {word}: {message}"));
}

fn scene(more: &str) -> String {
    format!("[grid]\nsize = [20, 20, 20]\ncell_size_m = 1.0\n{more}")
}

/// Scene of the physical model on a plane.
const FLOW: &str = "model = \"flow\"\n[grid]\nsize = [12, 12, 12]\ncell_size_m = 10.0\n[terrain]\nkind = \"plane\"\n";

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    assert!(
        Command::new("mkfifo")
            .arg(folder.join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write(
        "dem.asc",
        &format!(
            "ncols 12\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 10\n{}",
            "1 ".repeat(144)
        ),
    );
    for file in ["fifo", "/dev/zero"] {
        // Readers choose the format by the file's extension or first bytes, which cannot be read
        // ahead from a pipe.
        let link = |ending: &str| {
            let name = format!("link.{ending}");
            fs::remove_file(folder.join(&name)).ok();
            std::os::unix::fs::symlink(file, folder.join(&name)).unwrap();
            name
        };
        for ending in [
            "asc", "csv", "dem", "exr", "hgt", "las", "nc", "npy", "png", "raw", "tif", "vrt",
            "xyz",
        ] {
            let name = link(ending);
            refused(
                folder,
                &["terrain", &name, "--cell-size", "1"],
                &[&name, "a device or pipe"],
            );
            write(
                "ground.toml",
                &scene(&format!(
                    "[terrain]\nkind = \"heightmap\"\nfile = \"{name}\"\n"
                )),
            );
            refused(
                folder,
                &["run", "ground.toml", "--steps", "1"],
                &[&name, "a device or pipe"],
            );
            refused(
                folder,
                &[
                    "render",
                    "ground.toml",
                    "--steps",
                    "1",
                    "--animation",
                    "a.webp",
                ],
                &[&name, "a device or pipe"],
            );
        }
        for ending in ["jpg", "png", "tif"] {
            let name = link(ending);
            write(
                "drape.toml",
                &scene(&format!(
                    "[terrain]\nkind = \"plane\"\ndrape = \"{name}\"\n"
                )),
            );
            refused(
                folder,
                &["render", "drape.toml", "--steps", "1", "--picture", "a.png"],
                &[&name, "a device or pipe"],
            );
            refused(
                folder,
                &[
                    "render",
                    "drape.toml",
                    "--steps",
                    "1",
                    "--animation",
                    "a.webp",
                ],
                &[&name, "a device or pipe"],
            );
        }
        for ending in ["stl", "obj", "glb"] {
            let name = link(ending);
            let shape = format!(
                "shape = {{ kind = \"mesh\", file = \"{name}\", height = 5.0, base = [9.0, 2.0, 9.0] }}"
            );
            write(
                "mesh.toml",
                &scene(&format!(
                    "[terrain]\nkind = \"plane\"\n[[body]]\n{shape}\nmatter = {{ kind = \"rock\" }}\n"
                )),
            );
            refused(
                folder,
                &["run", "mesh.toml", "--steps", "1"],
                &[&name, "not a regular file"],
            );
        }
        refused(
            folder,
            &["resume", &link("lvx"), "--steps", "9"],
            &["link.lvx", "a device or pipe"],
        );
        let name = link("csv");
        write(
            "rates.toml",
            &format!("{FLOW}[[vent]]\nx = 5.0\nz = 5.0\nrates_files = [\"{name}\"]\n"),
        );
        refused(
            folder,
            &["run", "rates.toml", "--steps", "1"],
            &[&name, "a device or pipe"],
        );
        write(
            "flow.toml",
            &format!("{FLOW}[[vent]]\nx = 5.0\nz = 5.0\nrate_m3_s = 1.0\n"),
        );
        let fit = [
            "calibrate",
            "flow.toml",
            "--duration",
            "20s",
            "--vary",
            "rates=0.5..2",
            "--out",
            "fit",
        ];
        refused(
            folder,
            &[&fit[..], &["--fronts", &name]].concat(),
            &[&name, "a device or pipe"],
        );
        refused(
            folder,
            &[&fit[..], &["--observed", &link("geojson")]].concat(),
            &["link.geojson", "a device or pipe"],
        );
        refused(
            folder,
            &[&fit[..], &["--thickness", &link("tif")]].concat(),
            &["link.tif", "a device or pipe"],
        );
        let hazard = [
            "hazard",
            "dem.asc",
            "--rates",
            "5",
            "--volumes",
            "200",
            "--runs",
            "1",
            "--out",
            "maps",
        ];
        refused(
            folder,
            &[&hazard[..], &["--vent-area", &name]].concat(),
            &[&name, "a device or pipe"],
        );
        refused(
            folder,
            &["bench", "--compare", &link("json")],
            &["link.json", "a device or pipe"],
        );
        refused(
            folder,
            &["sheet", "dem.asc", "--table", &name, "--out", "a.pdf"],
            &[&name, "a device or pipe"],
        );
        refused(
            folder,
            &[
                "sheet",
                "dem.asc",
                "--overlay",
                &link("geojson"),
                "--out",
                "a.pdf",
            ],
            &["link.geojson"],
        );
    }
    let left: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        !left
            .iter()
            .any(|name| ["fit", "maps", "a.pdf", "a.png", "a.webp"]
                .iter()
                .any(|made| name == made)),
        "{left:?}"
    );
}

#[test]
fn a_decoder_that_stops_is_one_message() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    // The palette of a picture of two by two pixels ends within a colour.
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x02\x08\x03\0\0\0".to_vec();
    let mut crc = flate2::Crc::new();
    crc.update(&png[12..]);
    png.extend(crc.sum().to_be_bytes());
    png.extend(b"\0\0\0\x04PLTE\0\0\0\0\xb4\xa3\xae\x7a\0\0\0\0IDAT");
    fs::write(folder.join("half.png"), &png).unwrap();
    fs::write(
        folder.join("drape.toml"),
        scene("[terrain]\nkind = \"plane\"\ndrape = \"half.png\"\n"),
    )
    .unwrap();
    let args = [
        "render",
        "drape.toml",
        "--steps",
        "1",
        "--size",
        "64x48",
        "--picture",
        "a.png",
    ];
    refused(folder, &args, &["half.png", "a palette of 4 bytes"]);
    refused(
        folder,
        &["terrain", "half.png", "--cell-size", "1"],
        &["half.png", "a palette of 4 bytes"],
    );
    assert!(!folder.join("a.png").exists());
}

#[test]
fn a_panic_of_a_decoder_is_an_error() {
    let broken = lavoxel::input::guard(|| -> () { panic!("the palette has\nhalf a colour") });
    let message = broken.unwrap_err().to_string();
    assert_eq!(
        message,
        "cannot be decoded: the palette has half a colour; the file is damaged"
    );
    assert_eq!(lavoxel::input::guard(|| 7).unwrap(), 7);
}

/// Returns a TIFF of four numbers with a label in GDAL's metadata.
fn labelled(name: &str, text: &str) -> Vec<u8> {
    let mut tiff = Tiff::on_map(&[(1024, 1), (3072, 32633)], [500_000.0, 4e6, 10.0]);
    let text = format!("<GDALMetadata><Item name=\"{name}\">{text}</Item></GDALMetadata>\0");
    tiff.text(42112, text.as_bytes());
    tiff.bytes()
}

/// Returns the paths of all files below a folder, sorted.
fn files(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if entry.is_dir() {
            all.extend(files(&entry));
        } else {
            all.push(
                entry
                    .strip_prefix(folder)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned(),
            );
        }
    }
    all.sort();
    all
}

#[test]
fn a_name_from_a_file_leads_to_no_other_folder() {
    let above = TempDir::new().unwrap();
    let folder = above.path().join("deep/in");
    fs::create_dir_all(&folder).unwrap();
    fs::write(above.path().join("mine.png"), "mine").unwrap();
    for (quantity, file) in [
        ("../../mine", "r__.._mine.png"),
        ("/tmp/x", "r__tmp_x.png"),
        ("a/../../../mine", "r_a_.._.._.._mine.png"),
    ] {
        fs::write(folder.join("q.tif"), labelled("quantity", quantity)).unwrap();
        for flags in [&["--force"][..], &[]] {
            fs::remove_file(folder.join("r.md")).ok();
            fs::remove_file(folder.join(file)).ok();
            let output = lavoxel(
                &folder,
                &[&["sheet", "q.tif", "--report", "r.md"], flags].concat(),
            );
            assert_eq!(
                output.status.code(),
                Some(0),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            assert_eq!(files(above.path()).len(), 4, "{:?}", files(above.path()));
            assert!(
                folder.join(file).is_file(),
                "{quantity}: {:?}",
                files(above.path())
            );
        }
        assert_eq!(fs::read(above.path().join("mine.png")).unwrap(), b"mine");
        fs::remove_file(folder.join(file)).unwrap();
    }
}

#[test]
fn texts_of_a_sheet_have_an_end() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    // Each of these labels took minutes when its whole text was laid out.
    for label in ["quantity", "note", "DESCRIPTION"] {
        fs::write(
            folder.join("q.tif"),
            labelled(label, &"a long word ".repeat(20_000)),
        )
        .unwrap();
        let args = ["sheet", "q.tif", "--report", "r.md", "--force"];
        let output = lavoxel(folder, &args);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{label}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let report = fs::read_to_string(folder.join("r.md")).unwrap();
        assert!(report.len() < 20_000, "{label}: {} bytes", report.len());
    }
    fs::write(folder.join("q.tif"), labelled("scene", "x")).unwrap();
    let long = "x".repeat(50_000);
    for flag in ["--title", "--author", "--date", "--stamp"] {
        refused(
            folder,
            &["sheet", "q.tif", "--out", "b.pdf", flag, &long],
            &[flag, "50000 letters and not at most 200"],
        );
    }
    fs::write(
        folder.join("o.geojson"),
        r#"{"crs":null,"type":"Point","coordinates":[500005,3999995]}"#,
    )
    .unwrap();
    let overlays = ["--overlay", "o.geojson"].repeat(3000);
    refused(
        folder,
        &[&["sheet", "q.tif", "--out", "b.pdf"], &overlays[..]].concat(),
        &["3000 files and not at most 100"],
    );
    assert!(!folder.join("b.pdf").exists());
}

#[test]
fn two_ways_to_a_file_are_one_output() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("in")).unwrap();
    fs::write(folder.join("q.tif"), labelled("scene", "x")).unwrap();
    fs::write(
        folder.join("s.toml"),
        scene("[terrain]\nkind = \"plane\"\n"),
    )
    .unwrap();
    let whole = folder.join("q.png").display().to_string();
    for (args, second) in [
        (
            "render s.toml --steps 1 --picture q.png --animation ./q.png --force",
            "./q.png",
        ),
        (
            "render s.toml --steps 1 --picture q.png --animation in/../q.png --force",
            "in/../q.png",
        ),
        (
            &*format!("render s.toml --steps 1 --animation q.png --animation {whole} --force"),
            &*whole,
        ),
        (
            "run s.toml --steps 1 --map ground=a.tif --map ground=./a.tif --force",
            "./a.tif",
        ),
        (
            "run s.toml --steps 1 --map ground=a.tif --volume a.vti --mesh ./in/../a.ply --mesh a.ply --force",
            "a.ply",
        ),
        (
            "run s.toml --steps 1 --map ground=a.tif --checkpoint ./a.tif --force",
            "a.tif",
        ),
        ("sheet q.tif --out a.pdf --out ./a.pdf --force", "./a.pdf"),
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        refused(
            folder,
            &args,
            &[second, "two outputs cannot have the same name"],
        );
    }
    assert_eq!(files(folder), ["q.tif", "s.toml"]);
}

#[test]
fn a_long_word_of_a_file_is_not_repeated_whole() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let long = "x".repeat(3000);
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write(
        "dem.asc",
        "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4",
    );
    let hazard = [
        "hazard",
        "dem.asc",
        "--rates",
        "5",
        "--volumes",
        "200",
        "--runs",
        "1",
        "--vent-area",
    ];
    for (name, text) in [
        (
            "weight.geojson",
            format!(
                r#"{{"type":"Feature","properties":{{"weight":"{long}"}},"geometry":{{"type":"Point","coordinates":[1,2]}}}}"#
            ),
        ),
        (
            "crs.geojson",
            format!(
                r#"{{"crs":{{"properties":{{"name":"{long}"}}}},"type":"Point","coordinates":[1,2]}}"#
            ),
        ),
        ("vents.csv", format!("{long},y\n1,2\n")),
    ] {
        write(name, &text);
        let output = lavoxel(folder, &[&hazard[..], &[name]].concat());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {message}");
        assert!(message.len() < 1000, "{name}: {} letters", message.len());
    }
    write(
        "long.toml",
        &scene(&format!("[terrain]\nkind = \"{long}\"\n")),
    );
    let output = lavoxel(folder, &["run", "long.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        output.stderr.len() < 1000,
        "{} letters",
        output.stderr.len()
    );
}
