//! Tests that `--max-memory` holds for the whole process, whatever a file announces: each file is
//! given to the program itself, whose memory must stay below the limit plus 64 MiB, and which must
//! reject the file with one line that names it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use flate2::{Compression, write::GzEncoder};
use lavoxel::export::Parts;
use lavoxel::input::{InputError, READERS};
use lavoxel::output::Existing;
use lavoxel::world::Ledger;
use tempfile::TempDir;
use wait4::Wait4;

use crate::common::one_in;

#[path = "../../fuzz/src/container.rs"]
#[allow(
    unreachable_pub,
    reason = "the fuzz targets use it as a module of their crate"
)]
mod container;

use crate::safety::tiff::Tiff;
use container::{BLOCK, block, container};

/// Memory that the process may use in addition to its limit, in MiB.
const BESIDE: u64 = 64;

/// Environment variable with the arguments of the program that [`starts_a_program`] measures, one
/// per line.
const MEASURED: &str = "LAVOXEL_MEASURED";
/// Prefix of the line that reports peak memory in bytes and exit status.
const TOLD: &str = "peak and status: ";

struct Folder(TempDir);

/// Exit status and standard error of a run.
struct Run {
    code: Option<i32>,
    stderr: String,
}

impl Folder {
    fn write_file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a file of `bytes` followed by `zeros` zero bytes, which are sparse and take no room
    /// on the disk; returns its path.
    fn with_zeros(&self, name: &str, bytes: &[u8], zeros: u64) -> PathBuf {
        let path = self.write_file(name, bytes);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(bytes.len() as u64 + zeros)
            .unwrap();
        path
    }

    /// Runs the program in the folder with a limit in MiB, and checks its peak memory.
    fn run(&self, limit: u64, args: &[&str]) -> Run {
        // A small process starts the program: the system's peak for a child includes the parent's
        // memory at the fork, and this process may hold the data of other tests.
        let mut small = Command::new(env::current_exe().unwrap());
        small.args([
            "--exact",
            "memory_limit::starts_a_program",
            "--ignored",
            "--nocapture",
        ]);
        let lines: Vec<_> = args.iter().copied().chain(["--max-memory"]).collect();
        small
            .env(MEASURED, format!("{}\n{limit}M", lines.join("\n")))
            .current_dir(self.0.path());
        let output = small.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let told = stdout
            .lines()
            .find_map(|line| line.split_once(TOLD))
            .unwrap_or_else(|| panic!("{args:?}: {stdout}{stderr}"));
        let (peak, code) = told.1.split_once(' ').unwrap();
        let (peak, code) = (peak.parse::<u64>().unwrap() >> 20, code.parse().ok());
        assert!(
            peak <= limit + BESIDE,
            "{args:?} took {peak} MiB of {limit}: {stderr}"
        );
        Run { code, stderr }
    }

    /// Checks that the program rejects a file with a one-line message that contains `words`.
    fn refused(&self, limit: u64, args: &[&str], words: &str) {
        let Run { code, stderr } = self.run(limit, args);
        assert_eq!(code, Some(2), "{args:?}: {stderr}");
        assert!(
            stderr.lines().count() == 1 && stderr.contains(words),
            "{args:?}, \"{words}\": {stderr}"
        );
        // The message names the flag or file at fault.
        assert!(
            args[1..].iter().any(|arg| stderr.contains(arg)),
            "{args:?}: {stderr}"
        );
    }

    fn accepted(&self, limit: u64, args: &[&str]) {
        let Run { code, stderr } = self.run(limit, args);
        assert_eq!(code, Some(0), "{args:?}: {stderr}");
    }
}

fn folder() -> Folder {
    Folder(TempDir::new().unwrap())
}

/// Returns a TIFF map of four heights.
fn map() -> Tiff {
    Tiff::on_map(&[(1024, 1), (3072, 32633)], [500_000.0, 4e6, 10.0])
}

/// Returns a TIFF with `count` keys that all share the same values.
fn sharing(tag: u16, count: u16, values: u16) -> Tiff {
    let mut tiff = map();
    let keys: Vec<_> = (0..count).map(|id| [id, tag, values, 0]).collect();
    tiff.keys(&keys);
    match tag {
        34736 => tiff.doubles(tag, &vec![1.0; values.into()]),
        _ => tiff.text(tag, &vec![0xff; values.into()]),
    }
    tiff
}

#[test]
#[ignore = "runs with LAVOXEL_MEASURED of the other tests, in a process of its own: cargo test --test program memory_limit -- --include-ignored"]
fn starts_a_program() {
    let Ok(args) = env::var(MEASURED) else { return };
    let mut program = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    let ended = program
        .args(args.lines())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
        .wait4()
        .unwrap();
    let code = ended
        .status
        .code()
        .map_or("by a signal".to_owned(), |code| code.to_string());
    println!("{TOLD}{} {code}", ended.rusage.maxrss);
}

#[test]
fn a_tiff_is_weighed_before_it_is_read() {
    let folder = folder();
    folder.write_file("doubles.tif", &sharing(34736, 8000, 40_000).bytes());
    folder.refused(64, &["terrain", "doubles.tif"], "8000 GeoKeys");
    folder.write_file("texts.tif", &sharing(34737, 20_000, 60_000).bytes());
    folder.refused(64, &["terrain", "texts.tif"], "20000 GeoKeys");

    // Many tags share one text that is not UTF-8: unknown tags are not read, known tags are summed
    // up.
    let mut shared = map();
    shared.text(60000, &[0xff; 70_000]);
    (60001..62000).for_each(|tag| shared.again(tag));
    folder.write_file("shared.tif", &shared.bytes());
    folder.accepted(64, &["terrain", "shared.tif"]);
    let mut twice = map();
    twice.text(42112, &[0xff; 70_000]);
    (0..1800).for_each(|_| twice.again(42112));
    folder.write_file("twice.tif", &twice.bytes());
    folder.refused(64, &["terrain", "twice.tif"], "the tables of the TIFF");

    // One tag is as long as the file, in a tag that is read and in one that is ignored.
    for (name, tag, words) in [
        ("private.tif", 50000, None),
        ("metadata.tif", 42112, Some("the tables of the TIFF")),
    ] {
        let mut long = map();
        long.set_tag(tag, 2, 100_000_000, vec![b'x'; 8]);
        folder.with_zeros(name, &long.bytes(), 100_000_000);
        match words {
            Some(words) => folder.refused(64, &["terrain", name], words),
            None => folder.accepted(64, &["terrain", name]),
        }
    }
}

#[test]
fn pictures_below_a_picture_are_left_alone() {
    let folder = folder();
    let (count, length) = (1000, 70_000);
    let mut tiff = map();
    tiff.longs(330, &vec![0; count]);
    // Each sub-directory lies behind the map and refers to a text that all share.
    let end = tiff.bytes().len() as u32;
    let below: Vec<u8> = [
        (256u16, 3u16, 1u32, 1u32),
        (257, 3, 1, 1),
        (60000, 2, length, 8),
    ]
    .into_iter()
    .flat_map(|(tag, kind, count, value)| {
        [
            tag.to_le_bytes().to_vec(),
            kind.to_le_bytes().to_vec(),
            count.to_le_bytes().to_vec(),
            value.to_le_bytes().to_vec(),
        ]
        .concat()
    })
    .collect();
    let below = [&3u16.to_le_bytes()[..], &below, &[0; 4]].concat();
    tiff.longs(
        330,
        &(0..count as u32)
            .map(|i| end + i * below.len() as u32)
            .collect::<Vec<_>>(),
    );
    let mut bytes = tiff.bytes();
    bytes.extend(below.repeat(count));
    bytes.resize(bytes.len().max(length as usize + 8), 0xff);
    folder.write_file("below.tif", &bytes);
    folder.accepted(64, &["terrain", "below.tif"]);
}

#[test]
fn heights_are_weighed_before_they_are_worked_on() {
    let folder = folder();
    let matrix = |skew: f64| {
        [
            [1.0, skew, 0.0, 0.0],
            [0.0, -1.0, 0.0, 0.0],
            [0.0; 4],
            [0.0, 0.0, 0.0, 1.0],
        ]
        .concat()
    };
    let mut sheared = Tiff::new([45, 45], [8, 1], vec![1; 45 * 45], false);
    sheared.doubles(34264, &matrix(9e5));
    folder.write_file("sheared.tif", &sheared.bytes());
    folder.refused(
        64,
        &["terrain", "sheared.tif"],
        "the raster turned north up",
    );

    // 2048 × 2048 cells with one hole in a text table: filling the hole takes next to no memory.
    let mut holes = String::from("ncols 2048\nnrows 2048\ncellsize 1\nNODATA_value 9\n9 ");
    holes.push_str(&"1 ".repeat(2048 * 2048 - 1));
    folder.write_file("hole.asc", holes.as_bytes());
    drop(holes);
    folder.accepted(64, &["terrain", "hole.asc", "--fill", "nearest"]);

    folder.write_file("map.tif", &map().bytes());
    folder.refused(
        64,
        &["terrain", "map.tif", "--resample", "8192x8192"],
        "--resample 8192x8192: the new heights",
    );
    folder.refused(
        200,
        &["terrain", "slope", "--size", "8192x8192x8192"],
        "the ground",
    );
    folder.accepted(
        64,
        &[
            "terrain",
            "slope",
            "--size",
            "2400x2400x2400",
            "--picture",
            "a.png",
        ],
    );
}

/// Returns the first chunks of a grey PNG of `cols` × `rows` pixels.
fn png([cols, rows]: [u32; 2]) -> Vec<u8> {
    let head = [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(),
        &cols.to_be_bytes(),
        &rows.to_be_bytes(),
        b"\x08\0\0\0\0",
    ];
    let mut png = head.concat();
    let mut crc = flate2::Crc::new();
    crc.update(&png[12..]);
    png.extend(crc.sum().to_be_bytes());
    png
}

#[test]
fn a_palette_of_half_a_colour_is_refused() {
    let folder = folder();
    let png = png([2, 2]);
    let palette = [&png[..24], &[8, 3, 0, 0, 0]].concat();
    let mut crc = flate2::Crc::new();
    crc.update(&palette[12..]);
    let palette = [
        &palette[..],
        &crc.sum().to_be_bytes(),
        b"\0\0\0\x04PLTE\0\0\0\0\xb4\xa3\xae\x7a\0\0\0\0IDAT",
    ]
    .concat();
    folder.write_file("palette.png", &palette);
    folder.refused(
        64,
        &["terrain", "palette.png", "--cell-size", "10"],
        "a palette of 4 bytes",
    );
}

#[test]
fn a_scene_is_weighed_before_it_is_parsed() {
    let folder = folder();
    for (name, text) in [
        (
            "values.toml",
            format!("[grid]\nsize = [{}]\n", "1,".repeat(1 << 20)),
        ),
        ("newlines.toml", "\n".repeat(3 << 20)),
        ("events.toml", "[[event]]\n".repeat(1 << 18)),
        (
            "tables.toml",
            "a = [".to_owned() + &"{a.b.c=1},".repeat(1 << 16) + "]\n",
        ),
        (
            "names.toml",
            (0..1 << 16).map(|i| format!("a{i}.b.c.d=1\n")).collect(),
        ),
    ] {
        folder.write_file(name, text.as_bytes());
        folder.refused(64, &["run", name], "the scene would need");
    }
    // Numbers with a decimal point are not tables.
    let dabs: String = (0..3000)
        .map(|i| format!("[[event]]\nat = {i}\n[event.put]\nshape = {{ kind = \"sphere\", center = [1.5, 2.5, {i}.5], radius = 0.5 }}\nmatter = {{ kind = \"rock\" }}\n"))
        .collect();
    folder.write_file(
        "dabs.toml",
        format!("[grid]\nsize = [8, 8, 8]\n[film]\nsteps = 3\n{dabs}").as_bytes(),
    );
    folder.accepted(100, &["run", "dabs.toml"]);

    let vent = "[[vent]]\nx = 200.0\nz = 200.0\nradius = 300.0\nrate = 1e6\n".repeat(40);
    folder.write_file(
        "vents.toml",
        format!("[grid]\nsize = [400, 300, 400]\n[terrain]\nkind = \"plane\"\n{vent}").as_bytes(),
    );
    folder.refused(
        200,
        &["run", "vents.toml", "--steps", "100"],
        "the lava would need",
    );
}

/// Checks that a limit on file sizes (`ulimit -f`, in blocks of 512 bytes) leaves no partial file:
/// SIGXFSZ must not kill the program while it writes.
#[test]
fn a_limit_on_the_size_of_files_leaves_none() {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_lavoxel");
    let script = format!("ulimit -f 8; exec '{program}' terrain volcano --out a.asc");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.0.path())
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("a.asc") && message.lines().count() == 1,
        "{message}"
    );
    assert_eq!(
        fs::read_dir(folder.0.path()).unwrap().count(),
        0,
        "nothing is left"
    );
}

/// Returns a checkpoint with the given sections: names and bytes.
fn checkpoint(sections: &[(&str, &[u8])]) -> Vec<u8> {
    container(sections.iter().map(|(name, body)| (name.as_bytes(), *body)))
}

fn header(size: [usize; 3]) -> String {
    let sums = toml::Value::try_from(Ledger::default()).expect("plain numbers");
    format!(
        "name = \"x\"\nstep = 1\nseed = \"1\"\nsize = {size:?}\nvent_numbers = []\nnext_vent = 0\n\
         [place]\ncell_size_m = 1.0\nfloor_m = 0.0\nvertical_exaggeration = 1.0\n\
         [[accounts]]\nmaterial = \"lava\"\nsums = {sums}\n"
    )
}

#[test]
fn a_checkpoint_is_weighed_while_it_is_read() {
    let folder = folder();
    let scene = |size: [usize; 3]| {
        format!("name = \"x\"\n[grid]\nsize = {size:?}\n[terrain]\nkind = \"plane\"\n")
    };
    let small = [8, 8, 8];
    let long = scene(small) + &"\n".repeat(8 << 20);
    let ground: Vec<u8> = [1f32; 64]
        .iter()
        .flat_map(|h| h.to_le_bytes())
        .chain([0; 4])
        .collect();
    let sections = [("header", header(small)), ("scene", long)];
    let sections: Vec<(&str, &[u8])> = sections
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    folder.write_file(
        "scene.lvx",
        &checkpoint(&[&sections[..], &[("ground", &ground), ("lava", &[])]].concat()),
    );
    folder.refused(
        64,
        &["resume", "scene.lvx", "--steps", "2"],
        "the scene would need",
    );
    let long = header(small) + &"\n".repeat(2 << 20);
    folder.write_file("header.lvx", &checkpoint(&[("header", long.as_bytes())]));
    folder.refused(64, &["resume", "header.lvx", "--steps", "2"], "would need");

    // 90,000 columns with one cave each, 8192 cells high.
    let tall = [300, 8192, 300];
    let path = folder.0.path().join("caves.lvx");
    let mut ground: Vec<u8> = 3f32.to_le_bytes().repeat(90_000);
    ground.extend(90_000u32.to_le_bytes());
    let mut cave = [0; 4 + 1024];
    cave[4] = 0b101;
    let mut file = File::create(&path).unwrap();
    let start = checkpoint(&[
        ("header", header(tall).as_bytes()),
        ("scene", scene(tall).as_bytes()),
    ]);
    // Written block by block so that this process stays small; the reader never reaches the
    // checksum at the end.
    file.write_all(&start[..start.len() - 9]).unwrap();
    file.write_all(b"\x06ground").unwrap();
    for column in 0..90_000u32 {
        cave[..4].copy_from_slice(&column.to_le_bytes());
        ground.extend(cave);
        while ground.len() >= BLOCK {
            let later = ground.split_off(BLOCK);
            file.write_all(&block(&ground)).unwrap();
            ground = later;
        }
    }
    drop(file);
    folder.refused(
        64,
        &["resume", "caves.lvx", "--steps", "2"],
        "hollow columns would need",
    );
}

impl Folder {
    /// Writes a file piece by piece, so that this process stays small: the system's peak for a
    /// child includes the parent's memory.
    fn of_pieces(&self, name: &str, pieces: impl IntoIterator<Item = Vec<u8>>) {
        let mut file = BufWriter::new(File::create(self.0.path().join(name)).unwrap());
        pieces
            .into_iter()
            .for_each(|piece| file.write_all(&piece).unwrap());
        file.flush().unwrap();
    }
}

/// Returns the pieces of a binary STL file: the header, then `count` triangles, which `triangle`
/// makes from their index.
fn stl(count: usize, triangle: impl Fn(usize) -> [[f32; 3]; 3]) -> impl Iterator<Item = Vec<u8>> {
    let head = [&[0; 80][..], &(count as u32).to_le_bytes()].concat();
    let piece = move |i: usize| {
        let corners = triangle(i).into_iter().flatten().flat_map(f32::to_le_bytes);
        [0; 12].into_iter().chain(corners).chain([0; 2]).collect()
    };
    std::iter::once(head).chain((0..count).map(piece))
}

/// Returns the triangle with the index `i` (0 to 11) of a cube.
fn of_a_cube(i: usize) -> [[f32; 3]; 3] {
    const FACES: [[usize; 4]; 6] = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let [a, b, c, d] = FACES[i / 2];
    [[a, b, c], [a, c, d]][i % 2].map(|corner| std::array::from_fn(|k| (corner >> k & 1) as f32))
}

/// Returns the triangle with the index `i` of a mesh in which no triangles share a corner.
fn loose(i: usize) -> [[f32; 3]; 3] {
    [[0.0, 0.1, 0.2], [1.0, 0.5, 0.3], [0.2, 0.9, 0.4]]
        .map(|corner| corner.map(|v| v + i as f32 * 0.01))
}

/// Returns a binary glTF file with the JSON chunk `json` and the binary chunk `numbers`.
fn glb(json: &str, numbers: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(((28 + json.len() + numbers.len()) as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json[..]), (b"BIN\0", numbers)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

/// Returns a glTF file of `nodes` nodes that share a mesh of `triangles` triangles, or of `parts`
/// parts that share a mesh of equal corners.
fn shared(nodes: usize, parts: usize, triangles: usize) -> Vec<u8> {
    let numbers: Vec<u8> = match parts {
        1 => (0..9 * triangles)
            .flat_map(|i| ((i * i % 1009) as f32 + i as f32 * 0.1).to_le_bytes())
            .collect(),
        _ => vec![0; 36 * triangles],
    };
    let list =
        |n: usize, part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<Vec<_>>().join(",");
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[{}]}}],"nodes":[{}],
        "meshes":[{{"primitives":[{}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{}}}],"buffers":[{{"byteLength":{}}}]}}"#,
        list(nodes, &|i| i.to_string()),
        list(nodes, &|i| format!(
            r#"{{"mesh":0,"translation":[{i},0,0]}}"#
        )),
        list(parts, &|_| r#"{"attributes":{"POSITION":0}}"#.to_owned()),
        3 * triangles,
        numbers.len(),
        numbers.len(),
    );
    glb(&json, &numbers)
}

/// Returns the text of a scene with a box of `size` cells; `more`: additional keys and tables.
fn scene_of(size: [usize; 3], more: &str) -> String {
    format!(
        "[grid]\nsize = {size:?}\ncell_size_m = 1.0\n[terrain]\nkind = \"plane\"\nbase_cells = 2.0\n{more}"
    )
}

fn body(file: &str, keys: &str) -> String {
    format!(
        "shape = {{ kind = \"mesh\", file = \"{file}\", {keys} }}\nmatter = {{ kind = \"rock\" }}\n"
    )
}

#[test]
fn a_mesh_is_weighed_while_it_is_read() {
    let folder = folder();
    let refused = |limit: u64, file: &str, words: &str| folder.mesh_within(limit, file, words);
    let obj = |head: &str, face: &str, count: usize, words: &str| {
        let faces = std::iter::repeat_n(face.as_bytes().to_vec(), count);
        folder.of_pieces(
            "faces.obj",
            std::iter::once(head.as_bytes().to_vec()).chain(faces),
        );
        refused(64, "faces.obj", words);
    };
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    obj(corners, "o a\nf 1 2 3\n", 1_000_000, "the mesh would need");
    obj(corners, "f 1 1 1\n", 2_000_000, "no triangles");
    obj(&format!("{corners}f"), " 1", 3_900_000, "no triangles");
    obj(corners, "f 1 2 3\n", 3_000_000, "would need");
    folder.write_file("nodes.glb", &shared(100, 1, 10_000));
    refused(64, "nodes.glb", "the triangles of the mesh would need");
    // Degenerate triangles must be counted too: they would take hours.
    folder.write_file("parts.glb", &shared(1, 2000, 30_000));
    refused(400, "parts.glb", "more than the 4000000 triangles");
    folder.of_pieces("loose.stl", stl(600_000, loose));
    refused(64, "loose.stl", "the triangles of the mesh would need");
    folder.of_pieces("looser.stl", stl(1_200_000, loose));
    refused(200, "looser.stl", "the triangles of the mesh would need");
    folder.of_pieces("points.stl", stl(100_000, |_| [[1.0; 3]; 3]));
    refused(64, "points.stl", "no triangles");
    folder.write_file(
        "empty.glb",
        &glb(
            &format!("{{\"nodes\":[{}{{}}]}}", "{},".repeat(1 << 18)),
            &[],
        ),
    );
    refused(64, "empty.glb", "the description of the mesh would need");
}

#[test]
fn meshes_of_bodies_and_events_are_weighed_together_and_read_once() {
    let folder = folder();
    folder.of_pieces("cube.stl", stl(12, of_a_cube));
    let events = |keys: &dyn Fn(usize) -> String| {
        let event = |i: usize| {
            format!(
                "[[event]]\nat = {}\n[event.put]\n{}",
                5 + i,
                body("cube.stl", &keys(i))
            )
        };
        scene_of([120, 120, 120], &(0..300).map(event).collect::<String>())
    };
    // The list of cells inside each mesh takes 0.2 MB, the search for these cells 2 MB.
    let apart = |i: usize| {
        format!(
            "height = 115.0, base = [60.0, {}, 60.0]",
            2.0 + i as f64 / 1000.0
        )
    };
    folder.write_file("apart.toml", events(&apart).as_bytes());
    folder.refused(
        30,
        &["run", "apart.toml", "--steps", "1"],
        "the cells of the mesh would need",
    );
    folder.write_file("one.toml", events(&|_| apart(0)).as_bytes());
    folder.accepted(30, &["run", "one.toml", "--steps", "1"]);
}

/// Returns the memory in MiB that an error message names, rounded up by more than the message
/// rounds.
fn needed(message: &str) -> u64 {
    let (before, _) = message
        .split_once(" of memory in all")
        .unwrap_or_else(|| panic!("{message}"));
    let mut words = before.rsplit(' ');
    let (unit, number) = (
        words.next().unwrap(),
        words.next().unwrap().parse::<f64>().unwrap(),
    );
    let mib = if unit == "GiB" {
        number * 1024.0 + 52.0
    } else {
        number + 1.0
    };
    mib as u64
}

impl Folder {
    /// Runs the program with a growing limit until it succeeds, and returns that limit: each error
    /// message names the memory needed. The peak memory is checked at every limit that is tried.
    fn least(&self, args: &[&str]) -> u64 {
        let mut limit = 9;
        for _ in 0..20 {
            let Run { code, stderr } = self.run(limit, args);
            if code == Some(0) {
                return limit;
            }
            assert_eq!(code, Some(2), "{args:?}: {stderr}");
            let more = needed(stderr.lines().last().unwrap());
            assert!(more > limit, "{args:?} with {limit} MiB: {stderr}");
            limit = more;
        }
        panic!("{args:?} is refused with {limit} MiB");
    }
}

/// Checks every writer and solver in a box in which memory matters, and every shipped scene: with
/// the lowest limit that the program accepts, memory stays within that limit.
#[test]
fn whatever_is_made_fits_into_the_limit() {
    let folder = folder();
    let lake = "[[material]]\nname = \"water\"\npressure = \"trace\"\n[[body]]\nshape = { kind = \"below\", level = 20.0 }\n\
                matter = { kind = \"material\", name = \"water\", amount = 1.0 }\n";
    folder.write_file("lake.toml", scene_of([160, 40, 160], lake).as_bytes());
    let lava = "[[body]]\nshape = { kind = \"box\", from = [0, 2, 0], to = [120, 60, 120] }\n\
                matter = { kind = \"lava\", amount = 1.0, energy = 1.0 }\n";
    folder.write_file("lava.toml", scene_of([120, 80, 120], lava).as_bytes());
    folder.write_file(
        "land.toml",
        scene_of([1600, 9, 1600], "")
            .replace("plane", "hills")
            .as_bytes(),
    );
    folder.write_file("ground.toml", scene_of([4096, 512, 4096], "").as_bytes());
    let wide = "ncols 9\nnrows 9\nxllcorner 1757000\nyllcorner 5917000\ncellsize 200\n".to_owned();
    folder.write_file(
        "dem.asc",
        (wide.clone() + &"1 2 3 4 5 4 3 2 1\n".repeat(9)).as_bytes(),
    );
    folder.write_file(
        "higher.asc",
        (wide.clone() + &"2 2 4 4 6 4 4 2 2\n".repeat(9)).as_bytes(),
    );
    folder.write_file(
        "today.asc",
        (wide + &"2 2 3 4 2 4 3 2 2\n".repeat(9)).as_bytes(),
    );
    let line = "[[event]]\nat = 1\nput = { shape = { kind = \"line\", points = [[0, 9], [900, 900], [9, 900]], width = 90 }, \
                matter = { kind = \"raise\", by = 2 } }\n";
    folder.write_file("line.toml", scene_of([1600, 20, 1600], line).as_bytes());
    let air = "[air]\nratio = 1\nmargin_m = 0.0\n";
    folder.write_file("still.toml", scene_of([96, 80, 96], air).as_bytes());
    folder.write_file(
        "article.toml",
        scene_of([96, 80, 96], &format!("{air}solver = \"article\"\n")).as_bytes(),
    );
    let dam = "[[body]]\nshape = { kind = \"box\", from = [0, 2, 0], to = [60, 5, 120] }\n\
               matter = { kind = \"lava\", amount = 1.0 }\n[[vent]]\nx = 9.0\nz = 9.0\nrate_m3_s = 1.0\n";
    folder.write_file(
        "dam.toml",
        format!("model = \"flow\"\n{}", scene_of([120, 20, 120], dam)).as_bytes(),
    );
    let wall = "[[barrier]]\nline_m = [[9, 40], [110, 40]]\nheight_m = 8\nwidth_m = 4\n";
    folder.write_file(
        "wall.toml",
        format!(
            "model = \"flow\"\n{}",
            scene_of([120, 20, 120], &format!("{dam}{wall}"))
        )
        .as_bytes(),
    );
    let wide = "[[barrier]]\nline_m = [[0, 0], [9e3, 9e3], [0, 9e3]]\nwidth_m = 4e4\n".repeat(3);
    folder.write_file("wide.toml", scene_of([1600, 9, 1600], &wide).as_bytes());
    let thick = format!("{}\n", "1 ".repeat(120)).repeat(120);
    folder.write_file(
        "thick.asc",
        format!("ncols 120\nnrows 120\nxllcorner 0\nyllcorner 0\ncellsize 1\n{thick}").as_bytes(),
    );
    // A command reads at most the files of the one or two commands before it.
    let all = [
        "run wall.toml --steps 1 --barrier-table a.csv --force",
        "run wide.toml --steps 1",
        "run line.toml --steps 1",
        "run dem.asc --grid 600x40x600 --voxel-size 3 --lava etna-basalt --vent 9,9@0m3/s --steps 1 --survey 0s=higher.asc",
        "run dem.asc --grid 200x40x200 --voxel-size 8 --lava etna-basalt --vent 9,9@0m3/s --steps 1 --start today.asc",
        "scene ground.toml",
        "scene dem.asc --pack a.lavoxel --force",
        "run ground.toml --steps 1",
        "run land.toml --steps 1 --map ground=a.png --force",
        "run land.toml --steps 1 --map surface=a.tif --map surface=b.asc --force",
        "sheet a.tif --ground b.asc --out a.pdf --force",
        "sheet a.tif --ground b.asc --paper a3 --out a.png --force",
        "calibrate dam.toml --duration 20s --thickness thick.asc --vary rates=0.5..2 --runs 18 --population 8 --repeats 2 --out fit --force",
        "run land.toml --steps 1 --map ground=a.geojson --force",
        "run land.toml --steps 1 --map ground=a.gpkg --force",
        "run dem.asc --grid 1600x30x1600 --voxel-size 1 --crs EPSG:2193 --steps 1 --map ground=a.kmz --force",
        "run land.toml --steps 1 --npz a.npz --checkpoint a.lvx --force",
        "run land.toml --steps 1 --mesh a.glb --force",
        "run lake.toml --steps 1 --mesh a.glb --mesh a.ply --force",
        "run lava.toml --steps 1 --mesh a.glb --volume a.vdb --force",
        "run lava.toml --steps 1 --volume a.vti --checkpoint a.lvx --force",
        "run still.toml --steps 2",
        "resume a.lvx --steps 2 --force",
        "run article.toml --steps 2",
        "run dam.toml --steps 1",
        "render lava.toml --steps 1 --size 320x240 --picture a.png --animation a.webp --force",
        "render lake.toml --steps 1 --size 1200x900 --style scientific --picture a.png --force",
        "render land.toml --steps 0 --slice z=9 --size 1600x1200 --picture a.png --force",
        "terrain hills --size 2000x40x2000 --picture a.png --out a.asc --force",
        "run lava.toml --steps 1 --mesh a.usda --volume a.schem --force",
        "run lava.toml --steps 1 --volume a.vox --volume a.litematic --map thickness=a.r16 --map thickness=a.mask.png --force",
    ];
    for args in all.iter().step_by(one_in(3)) {
        let started = std::time::Instant::now();
        let args: Vec<&str> = args.split(' ').collect();
        let least = folder.least(&args);
        println!(
            "{least:>5} MiB {:>6.1} s: {}",
            started.elapsed().as_secs_f64(),
            args.join(" ")
        );
    }
}

#[test]
fn every_scene_that_is_shipped_fits_into_the_limit() {
    let folder = folder();
    let terrains = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("terrains");
    let mut scenes: Vec<_> = fs::read_dir(&terrains)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    scenes.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    scenes.sort();
    assert!(scenes.len() > 20);
    for scene in scenes {
        folder.least(&["run", scene.to_str().unwrap(), "--steps", "1"]);
    }
}

#[test]
fn a_session_file_is_weighed_before_it_is_unpacked() {
    let folder = folder();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let packed = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    zip.start_file("scene.toml", packed).expect("begun");
    let zeros = vec![b'\n'; 1 << 20];
    (0..400).for_each(|_| std::io::Write::write_all(&mut zip, &zeros).expect("written"));
    let bytes = zip.finish().expect("whole").into_inner();
    assert!(bytes.len() < 1 << 20);
    folder.write_file("bomb.lavoxel", &bytes);
    let Run { code, stderr } = folder.run(64, &["run", "bomb.lavoxel", "--steps", "1"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(
        stderr.lines().count() == 1
            && stderr.contains("would need")
            && stderr.contains("bomb.lavoxel"),
        "{stderr}"
    );
}

impl Folder {
    /// Checks that a scene rejects a mesh with a one-line message that contains `words` and the
    /// file.
    fn mesh_within(&self, limit: u64, file: &str, words: &str) {
        let keys = "unit_m = 0.1, base = [10.0, 2.0, 10.0]";
        self.write_file(
            "scene.toml",
            scene_of([20, 20, 20], &format!("[[body]]\n{}", body(file, keys))).as_bytes(),
        );
        let Run { code, stderr } = self.run(limit, &["run", "scene.toml", "--steps", "1"]);
        assert_eq!(code, Some(2), "{file}: {stderr}");
        assert!(
            stderr.lines().count() == 1 && stderr.contains(words) && stderr.contains(file),
            "{file}: {stderr}"
        );
    }

    fn mesh(&self, file: &str, words: &str) {
        self.mesh_within(40, file, words);
    }

    /// Checks that the program rejects, with a one-line message that contains `words`, a file that
    /// a scene or folder names.
    fn refuses(&self, limit: u64, args: &[&str], words: &str) {
        let Run { code, stderr } = self.run(limit, args);
        assert_eq!(code, Some(2), "{args:?}: {stderr}");
        assert!(
            stderr.lines().count() == 1 && stderr.contains(words),
            "{args:?}, \"{words}\": {stderr}"
        );
    }

    /// Writes a thickness map, and the plan of a hazard map.
    fn study(&self) {
        self.write_file(
            "p.asc",
            b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4",
        );
        self.write_file(
            "plan.json",
            br#"{"scene":"x","vents":"x","runs":1,"decides":{}}"#,
        );
    }

    /// Writes a scene of the physical model with 12 × 12 columns and a vent.
    fn flow(&self) {
        let vent = "[[vent]]\nx = 5.0\nz = 5.0\nrate_m3_s = 1.0\n";
        self.write_file(
            "flow.toml",
            format!("model = \"flow\"\n{}", scene_of([12, 12, 12], vent)).as_bytes(),
        );
    }
}

/// GeoJSON coordinates of a polygon over a box of 1000 × 1000 cells.
const OVER_ALL: &str = "[[[0,0],[1000,0],[1000,1000],[0,1000],[0,0]]]";

/// Name of a reader, and a function that creates its file and tests it.
type Step = (&'static str, fn(&Folder));

/// Test of each reader, by its name, with a file that would take more memory than the limit.
const WALK: &[Step] = &[
    ("scene", |folder| {
        folder.write_file("lines.toml", "\n".repeat(3 << 20).as_bytes());
        folder.refused(64, &["run", "lines.toml"], "the scene would need");
    }),
    ("asc", |folder| {
        let head = b"ncols 8192\nnrows 8192\nxllcorner 0\nyllcorner 0\ncellsize 1\n";
        folder.with_zeros("a.asc", head, 200_000_000);
        folder.refused(64, &["terrain", "a.asc"], "");
    }),
    ("csv", |folder| {
        folder.with_zeros("a.csv", b"1,2\n3,4\n", 300_000_000);
        folder.refused(64, &["terrain", "a.csv", "--cell-size", "1"], "");
    }),
    ("dem", |folder| {
        folder.with_zeros("a.dem", b"", 300_000_000);
        folder.refused(64, &["terrain", "a.dem"], "");
    }),
    ("exr", |folder| {
        folder.with_zeros("a.exr", &[0x76, 0x2f, 0x31, 0x01], 300_000_000);
        folder.refused(
            64,
            &["terrain", "a.exr", "--cell-size", "1"],
            "the bytes of the file",
        );
    }),
    ("las", |folder| {
        folder.with_zeros("a.las", b"LASF", 300_000_000);
        folder.refused(64, &["terrain", "a.las"], "would need");
    }),
    ("nc", |folder| {
        folder.with_zeros("a.nc", b"CDF\x01", 300_000_000);
        folder.refused(64, &["terrain", "a.nc"], "the bytes of the file");
    }),
    ("vrt", |folder| {
        folder.with_zeros("a.vrt", b"<VRTDataset>", 60_000_000);
        folder.refused(64, &["terrain", "a.vrt"], "would need");
    }),
    ("xyz", |folder| {
        // Few points of a large grid.
        folder.write_file("a.xyz", b"0 0 1\n1 0 1\n0 1 1\n8191 8191 1\n");
        folder.refused(64, &["terrain", "a.xyz"], "the heights of the file");
    }),
    ("hgt", |folder| {
        folder.with_zeros("N35E138.hgt", b"", 2 * 3601 * 3601);
        folder.refused(64, &["terrain", "N35E138.hgt"], "the heights of the file");
    }),
    ("npy", |folder| {
        let head = format!(
            "{:<117}\n",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (8192, 8192), }"
        );
        let head = [b"\x93NUMPY\x01\0v\0", head.as_bytes()].concat();
        folder.with_zeros("a.npy", &head, 4 * 8192 * 8192);
        folder.refused(
            64,
            &["terrain", "a.npy", "--cell-size", "1"],
            "the heights of the file",
        );
    }),
    ("png", |folder| {
        let text = [&png([2, 2])[..], &100_000_000_u32.to_be_bytes(), b"tEXta\0"].concat();
        folder.with_zeros("text.png", &text, 110_000_000);
        folder.refused(
            64,
            &["terrain", "text.png", "--cell-size", "10"],
            "beside its pixels",
        );
    }),
    ("raw", |folder| {
        folder.with_zeros("a.r16", b"", 2 * 8192 * 8192);
        folder.refused(
            64,
            &["terrain", "a.r16", "--cell-size", "1"],
            "the heights of the file",
        );
    }),
    ("tif", |folder| {
        folder.write_file("doubles.tif", &sharing(34736, 8000, 40_000).bytes());
        folder.refused(64, &["terrain", "doubles.tif"], "8000 GeoKeys");
    }),
    ("prj", |folder| {
        folder.write_file(
            "a.asc",
            b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4",
        );
        for text in ["PROJCS[", "[", "a,"] {
            folder.write_file("a.prj", text.repeat((1 << 20) / text.len()).as_bytes());
            folder.run(16, &["terrain", "a.asc"]);
        }
    }),
    ("drape", |folder| {
        folder.with_zeros(
            "large.png",
            &[&png([8192, 8192])[..], b"\0\0\0\x09IDAT"].concat(),
            100,
        );
        let scene =
            scene_of([8, 8, 8], "").replace("[terrain]\n", "[terrain]\ndrape = \"large.png\"\n");
        folder.write_file("drape.toml", scene.as_bytes());
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
        folder.refuses(
            100,
            &args,
            "large.png: the picture over the ground would need",
        );
        let text = [&png([2, 2])[..], &100_000_000_u32.to_be_bytes(), b"tEXta\0"].concat();
        folder.with_zeros("large.png", &text, 110_000_000);
        folder.refuses(100, &args, "beside its pixels");
    }),
    ("stl", |folder| {
        folder.of_pieces("a.stl", stl(300_000, loose));
        folder.mesh("a.stl", "the triangles of the mesh would need");
    }),
    ("obj", |folder| {
        let faces = std::iter::repeat_n(b"o a\nf 1 2 3\n".to_vec(), 800_000);
        folder.of_pieces(
            "a.obj",
            std::iter::once(b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec()).chain(faces),
        );
        folder.mesh("a.obj", "would need");
    }),
    ("glb", |folder| {
        folder.write_file(
            "a.glb",
            &glb(
                &format!("{{\"nodes\":[{}{{}}]}}", "{},".repeat(1 << 18)),
                &[],
            ),
        );
        folder.mesh("a.glb", "the description of the mesh would need");
    }),
    ("vox", |folder| {
        folder.with_zeros("a.vox", b"VOX \x96\0\0\0MAIN", 10_000_000);
        folder.refused(64, &["run", "a.vox", "--steps", "1"], "would need");
    }),
    ("schem", |folder| {
        // A byte array of 200 MB of zeros, packed to 200 kB.
        let head = [
            &[10, 0, 0, 7, 0, 1, b'a'][..],
            &200_000_000_u32.to_be_bytes(),
        ]
        .concat();
        let packed = GzEncoder::new(Vec::new(), Compression::fast());
        let mut packed = BufWriter::new(packed);
        packed.write_all(&head).unwrap();
        (0..200).for_each(|_| packed.write_all(&[0; 1_000_000]).unwrap());
        packed.write_all(&[0]).unwrap();
        let packed = packed.into_inner().unwrap().finish().unwrap();
        folder.write_file("a.schem", &packed);
        folder.refused(64, &["run", "a.schem", "--steps", "1"], "would need");
    }),
    ("litematic", |folder| {
        // A region that is 10,000 times as wide as it has blocks.
        let mut bytes = vec![10, 0, 0, 10, 0, 7];
        bytes.extend(b"Regions\x0a\0\x01a");
        for (name, side) in [("Position", 0_i32), ("Size", 3000)] {
            bytes.extend([10, 0, name.len() as u8]);
            bytes.extend(name.as_bytes());
            for axis in b"xyz" {
                bytes.extend([3, 0, 1, *axis]);
                bytes.extend(side.to_be_bytes());
            }
            bytes.push(0);
        }
        bytes.extend(b"\x09\0\x11BlockStatePalette\0\0\0\0\0");
        bytes.extend(b"\x0c\0\x0bBlockStates\0\0\0\0\0\0\0");
        folder.write_file("a.litematic", &bytes);
        folder.refused(64, &["run", "a.litematic", "--steps", "1"], "would need");
    }),
    ("blocks", |folder| {
        folder.write_file("a.vox", b"VOX ");
        folder.write_file("a.toml", "[".repeat(1 << 20).as_bytes());
        folder.refused(
            12,
            &["run", "a.vox", "--blocks", "a.toml", "--steps", "1"],
            "",
        );
    }),
    ("checkpoint", |folder| {
        let long = header([8, 8, 8]) + &"\n".repeat(2 << 20);
        folder.write_file("header.lvx", &checkpoint(&[("header", long.as_bytes())]));
        folder.refused(64, &["resume", "header.lvx", "--steps", "2"], "would need");
    }),
    ("session", |folder| {
        // Entries share one file, each under a different name.
        let entry = |i: u32| {
            let name = format!("{i:08}");
            let head = [
                b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0!\0".as_slice(),
                &[0; 12],
                &8_u32.to_le_bytes(),
                &[0; 14],
            ];
            [&head.concat()[..], name.as_bytes()].concat()
        };
        let list: Vec<u8> = (0..65_000).flat_map(entry).collect();
        let counts = [65_000_u16.to_le_bytes(), 65_000_u16.to_le_bytes()].concat();
        let end = [
            b"PK\x05\x06\0\0\0\0".as_slice(),
            &counts,
            &(list.len() as u32).to_le_bytes(),
            &[0; 6],
        ]
        .concat();
        folder.write_file("list.lavoxel", &[list, end].concat());
        folder.refuses(
            64,
            &["run", "list.lavoxel", "--steps", "1"],
            "list of files is longer than 1 MiB",
        );
    }),
    ("packed", |folder| {
        folder.with_zeros(
            "h.asc",
            b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4\n",
            15 << 20,
        );
        let ground = scene_of([8, 8, 8], "")
            .replace("kind = \"plane\"", "kind = \"heightmap\"\nfile = \"h.asc\"");
        folder.write_file(
            "h.toml",
            ground.replace("base_cells = 2.0\n", "").as_bytes(),
        );
        folder.refuses(16, &["scene", "h.toml", "--pack", "a.lavoxel"], "");
    }),
    ("features", |folder| {
        let vent = "[[vent]]\nx = 5.0\nz = 5.0\nrate_m3_s = 1.0\n";
        let wide = format!("model = \"flow\"\n{}", scene_of([1000, 9, 1000], vent));
        folder.write_file("wide.toml", wide.as_bytes());
        let many = format!(
            r#"{{"crs":null,"type":"MultiPolygon","coordinates":[{}]}}"#,
            [OVER_ALL; 12].join(",")
        );
        folder.write_file("many.geojson", many.as_bytes());
        folder.accepted(
            200,
            &[
                "run",
                "wide.toml",
                "--exposure",
                "many.geojson=many.csv",
                "--steps",
                "1",
            ],
        );
        let one = format!(
            r#"{{"type":"Feature","properties":{{"thickness_m":0}},"geometry":{{"type":"Polygon","coordinates":{OVER_ALL}}}}}"#
        );
        let each = [&*one; 60].join(",");
        let each = format!(r#"{{"crs":null,"type":"FeatureCollection","features":[{each}]}}"#);
        folder.write_file("each.geojson", each.as_bytes());
        folder.write_file(
            "start.toml",
            format!("{wide}[flow.start]\noutline = \"each.geojson\"\n").as_bytes(),
        );
        folder.refuses(200, &["run", "start.toml", "--steps", "1"], "has none");
        folder.write_file("deep.geojson", "[".repeat(10 << 20).as_bytes());
        folder.refuses(
            64,
            &[
                "run",
                "wide.toml",
                "--exposure",
                "deep.geojson=a.csv",
                "--steps",
                "1",
            ],
            "would need",
        );
    }),
    ("geopackage", |folder| {
        folder.flow();
        folder.with_zeros("a.gpkg", b"SQLite format 3\0", 200_000_000);
        folder.refuses(
            64,
            &[
                "run",
                "flow.toml",
                "--exposure",
                "a.gpkg=a.csv",
                "--steps",
                "1",
            ],
            "",
        );
        folder.with_zeros("a.gpkg", b"SQLite format 3\0", 300_000_000);
        folder.refuses(
            64,
            &[
                "run",
                "flow.toml",
                "--exposure",
                "a.gpkg=a.csv",
                "--steps",
                "1",
            ],
            "longer than 256 MiB",
        );
    }),
    ("vents", |folder| {
        folder.write_file(
            "h.asc",
            b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4",
        );
        folder.of_pieces(
            "vents.csv",
            std::iter::repeat_n(b"50,50\n".to_vec(), 1_000_000),
        );
        let flags = [
            "hazard",
            "h.asc",
            "--vent-area",
            "vents.csv",
            "--rates",
            "5",
            "--volumes",
            "200",
            "--runs",
            "1",
        ];
        folder.refused(64, &flags, "the vents of the table would need");
    }),
    ("rates", |folder| {
        let rows = (0..100_000).map(|i| format!("{i},1\n").into_bytes());
        folder.of_pieces(
            "r.csv",
            std::iter::once(b"time_h,rate_m3_s\n".to_vec()).chain(rows),
        );
        folder.with_zeros("quote.csv", b"time_h,rate_m3_s\n\"", 15 << 20);
        for (files, words) in [
            (vec!["\"r.csv\""; 400], "the rows of the tables of rates"),
            (vec!["\"quote.csv\""], "rates would need"),
        ] {
            let vent = format!(
                "[[vent]]\nx = 5.0\nz = 5.0\nrates_files = [{}]\n",
                files.join(",")
            );
            folder.write_file(
                "rates.toml",
                format!("model = \"flow\"\n{}", scene_of([12, 12, 12], &vent)).as_bytes(),
            );
            folder.refuses(64, &["run", "rates.toml", "--steps", "1"], words);
        }
        // Short rows follow a long header.
        let wide = format!(
            "time_h,rate_m3_s{}\n{}",
            ",".repeat(1 << 20),
            "0,1\n".repeat(1000)
        );
        folder.write_file("wide.csv", wide.as_bytes());
        let vent = "[[vent]]\nx = 5.0\nz = 5.0\nrates_files = [\"wide.csv\"]\n";
        folder.write_file(
            "rates.toml",
            format!("model = \"flow\"\n{}", scene_of([12, 12, 12], vent)).as_bytes(),
        );
        folder.refuses(
            100,
            &["run", "rates.toml", "--steps", "1"],
            "the table would need",
        );
        // Tables of many vents stay in memory at the same time.
        let vents = "[[vent]]\nx = 5.0\nz = 5.0\nrates_files = [\"r.csv\"]\n".repeat(100);
        folder.write_file(
            "rates.toml",
            format!("model = \"flow\"\n{}", scene_of([12, 12, 12], &vents)).as_bytes(),
        );
        folder.refuses(64, &["run", "rates.toml", "--steps", "1"], "would need");
    }),
    ("fronts", |folder| {
        folder.flow();
        folder.with_zeros("quote.csv", b"time,distance_m\n\"", 15 << 20);
        folder.of_pieces(
            "rows.csv",
            std::iter::once(b"time,distance_m\n".to_vec())
                .chain(std::iter::repeat_n(b"9,9\n".to_vec(), 1_000_000)),
        );
        for (file, words) in [
            ("quote.csv", "would need"),
            ("rows.csv", "more than 10000 rows"),
        ] {
            let fit = [
                "calibrate",
                "flow.toml",
                "--duration",
                "20s",
                "--vary",
                "rates=0.5..2",
                "--fronts",
                file,
            ];
            folder.refused(64, &fit, words);
        }
    }),
    ("assets", |folder| {
        folder.study();
        folder.with_zeros("quote.csv", b"name,probability\n\"", 20 << 20);
        folder.refused(
            64,
            &["sheet", "p.asc", "--table", "quote.csv", "--out", "a.pdf"],
            "would need",
        );
        folder.of_pieces(
            "rows.csv",
            std::iter::once(b"name,probability\n".to_vec())
                .chain(std::iter::repeat_n(b"a,1\n".to_vec(), 1_000_000)),
        );
        folder.refused(
            100,
            &["sheet", "p.asc", "--table", "rows.csv", "--out", "a.pdf"],
            "the table would need",
        );
    }),
    ("runs", |folder| {
        folder.study();
        let head = "rate_m3_s,volume_m3,duration_s,area_m2,reach_m,poured_m3,set_m3,out_m3,blocked_m3,ended,exact\n";
        folder.with_zeros("runs.csv", format!("{head}\"").as_bytes(), 20 << 20);
        folder.refuses(64, &["sheet", "p.asc", "--out", "a.pdf"], "would need");
        let rows = std::iter::repeat_n(b"1,1,1,1,1,1,1,1,1,,\n".to_vec(), 400_000);
        folder.of_pieces(
            "runs.csv",
            std::iter::once(head.as_bytes().to_vec()).chain(rows),
        );
        folder.refuses(
            100,
            &["sheet", "p.asc", "--out", "a.pdf"],
            "the table would need",
        );
    }),
    ("style", |folder| {
        folder.write_file(
            "p.asc",
            b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4",
        );
        folder.with_zeros("p.qml", b"<qgis><pipe>", 100_000_000);
        folder.accepted(64, &["sheet", "p.asc", "--qgis", "a.qgs"]);
    }),
    ("plan", |folder| {
        folder.study();
        folder.write_file("plan.json", "[".repeat(15 << 20).as_bytes());
        folder.refuses(64, &["sheet", "p.asc", "--out", "a.pdf"], "would need");
    }),
    ("field", |folder| {
        fs::create_dir(folder.0.path().join("mauna_ulu_1974")).unwrap();
        folder.write_file(
            "mauna_ulu_1974/input_parameters_MaunaUlu74_this_study.json",
            "[".repeat(15 << 20).as_bytes(),
        );
        folder.refuses(64, &["verify", "--field", ".", "field-mauna-ulu"], "");
    }),
    ("record", |folder| {
        folder.write_file(
            "h.asc",
            format!(
                "ncols 9\nnrows 9\nxllcorner 0\nyllcorner 0\ncellsize 10\n{}",
                "1 ".repeat(81)
            )
            .as_bytes(),
        );
        let laws = [
            "--vent",
            "map:45,45",
            "--rates",
            "5",
            "--volumes",
            "50",
            "--runs",
            "1",
            "--duration",
            "1min",
            "--out",
            "maps",
        ];
        let args = [&["hazard", "h.asc"], &laws[..]].concat();
        folder.accepted(64, &args);
        folder.with_zeros("maps/runs/run_000000", b"", 100_000_000);
        let Run { code, stderr } = folder.run(64, &args);
        assert!(code != Some(0) && stderr.contains("run_000000"), "{stderr}");
    }),
    ("trial", |folder| {
        folder.flow();
        folder.write_file("fronts.csv", b"time,distance_m\n20,5\n");
        let args = "calibrate flow.toml --duration 20s --vary rates=0.5..2 --fronts fronts.csv --runs 18 --population 8 --repeats 2 --out fit";
        let args: Vec<&str> = args.split(' ').collect();
        folder.accepted(100, &args);
        folder.with_zeros("fit/runs/run_000000.json", b"", 100_000_000);
        let Run { code, stderr } = folder.run(100, &args);
        assert!(
            code == Some(2) && stderr.contains("run_000000.json"),
            "{stderr}"
        );
    }),
    ("bench", |folder| {
        folder.with_zeros("old.json", b"", 100_000_000);
        folder.refused(64, &["bench", "--compare", "old.json"], "longer than 1 MiB");
        folder.write_file("old.json", "[".repeat(1 << 20).as_bytes());
        folder.refused(64, &["bench", "--compare", "old.json"], "");
    }),
    ("frame", |folder| {
        let mut parts = Parts::open(folder.0.path(), "plan", &[], Existing::Keep).unwrap();
        folder.with_zeros("frame-000001.png", &png([8192, 8192]), 100);
        assert!(parts.read(1, (4, 4)).is_none());
        parts
            .note_unfinished(&folder.with_zeros("film.webp", b"", 1000))
            .unwrap();
        assert_eq!(parts.unfinished().len(), 1);
    }),
    ("notes", |folder| {
        Parts::open(folder.0.path(), "plan", &[], Existing::Keep).unwrap();
        folder.with_zeros("plan.txt", b"", 100_000_000);
        assert!(Parts::of_plan(folder.0.path(), "plan").is_none());
    }),
    ("source", |folder| {
        let path = folder.with_zeros("a.asc", b"", 10_000_000);
        assert!(lavoxel::export::fingerprints([&*path]).contains(" 10000000 "));
    }),
    ("recent", |folder| {
        let path = folder.with_zeros("recent", b"", 100_000_000);
        let read = lavoxel::input::RECENT.bytes(&path, |bytes| bytes.len());
        assert!(matches!(read, Err(InputError::TooLong { .. })), "{read:?}");
    }),
];

/// Checks that the list of readers and [`WALK`] agree: a reader without a row fails here.
#[test]
fn every_reader_keeps_to_the_limit() {
    for reader in READERS {
        let row = WALK.iter().find(|(name, _)| *name == reader.name);
        let (name, read) = row
            .unwrap_or_else(|| panic!("{} ({}) has no row in the walk", reader.name, reader.what));
        println!("{name}");
        read(&folder());
    }
    assert_eq!(WALK.len(), READERS.len(), "a row is of no reader");
}

/// Checks work on several threads: eight threads take eight times the memory of one, and data read
/// at the same time counts too.
#[test]
fn what_is_done_at_once_fits_into_the_limit() {
    let folder = folder();
    let heights = format!("{}\n", "1 ".repeat(600)).repeat(600);
    let head =
        |cell: f64| format!("ncols 600\nnrows 600\nxllcorner 0\nyllcorner 0\ncellsize {cell}\n");
    folder.write_file("large.asc", (head(1.0) + &heights).as_bytes());
    folder.write_file("thick.asc", (head(1.0) + &heights).as_bytes());
    let compare = folder.least(&["compare", "large.asc", "thick.asc", "--thickness"]);
    println!("compare: {compare} MiB");
    let fit = "calibrate large.asc --grid 100x40x100 --lava etna-basalt --vent 49,49@5m3/s --duration 1min --thickness thick.asc \
               --vary rates=0.5..2 --runs 18 --population 8 --repeats 2 --threads 8 --out fit --force";
    let fit: Vec<&str> = fit.split_whitespace().collect();
    println!("calibrate: {} MiB", folder.least(&fit));
    folder.write_file(
        "flow.toml",
        format!("model = \"flow\"\n{}", scene_of([1500, 9, 1500], "")).as_bytes(),
    );
    println!(
        "flow: {} MiB",
        folder.least(&["run", "flow.toml", "--steps", "1"])
    );
}
