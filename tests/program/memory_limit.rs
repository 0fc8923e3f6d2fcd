//! `--max-memory` holds for the whole process, whatever a file announces: each is given to the program itself, which may
//! never have more than the limit and 64 MiB in memory, and refuses in one line that names the file.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use wait4::Wait4;

#[path = "../../fuzz/src/container.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets use it as a module of their crate")]
mod container;
#[path = "../files/formats_in/tiff.rs"]
mod tiff;

use container::{BLOCK, block, container};
use tiff::Tiff;

/// What the process may have besides its limit, in MiB.
const BESIDE: u64 = 64;

struct Folder(TempDir);

/// What the program did.
struct Run {
    code: Option<i32>,
    stderr: String,
}

impl Folder {
    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A file of these bytes and so many zeros, which take no room on the disk.
    fn with_zeros(&self, name: &str, bytes: &[u8], zeros: u64) -> PathBuf {
        let path = self.put(name, bytes);
        File::options().write(true).open(&path).unwrap().set_len(bytes.len() as u64 + zeros).unwrap();
        path
    }

    /// Runs the program in the folder with a limit in MiB, and checks its memory.
    fn run(&self, limit: u64, args: &[&str]) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lavoxel"))
            .args(args)
            .args(["--max-memory", &format!("{limit}M")])
            .current_dir(self.0.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let ended = child.wait4().unwrap();
        let peak = ended.rusage.maxrss >> 20;
        assert!(peak <= limit + BESIDE, "{args:?} took {peak} MiB of {limit}: {stderr}");
        Run { code: ended.status.code(), stderr }
    }

    /// The program refuses the file in one line that says these words.
    fn refused(&self, limit: u64, args: &[&str], words: &str) {
        let Run { code, stderr } = self.run(limit, args);
        assert_eq!(code, Some(2), "{args:?}: {stderr}");
        assert!(stderr.lines().count() == 1 && stderr.contains(words), "{args:?}, \"{words}\": {stderr}");
        // What is wrong with a flag is said of the flag.
        assert!(args[1..].iter().any(|arg| stderr.contains(arg)), "{args:?}: {stderr}");
    }

    fn accepted(&self, limit: u64, args: &[&str]) {
        let Run { code, stderr } = self.run(limit, args);
        assert_eq!(code, Some(0), "{args:?}: {stderr}");
    }
}

fn folder() -> Folder {
    Folder(TempDir::new().unwrap())
}

/// A map of four heights.
fn map() -> Tiff {
    Tiff::on_map(&[(1024, 1), (3072, 32633)], [500_000.0, 4e6, 10.0])
}

/// As many keys as fit, all with the same values.
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
fn a_tiff_is_weighed_before_it_is_read() {
    let folder = folder();
    folder.put("doubles.tif", &sharing(34736, 8000, 40_000).bytes());
    folder.refused(64, &["terrain", "doubles.tif"], "8000 GeoKeys");
    folder.put("texts.tif", &sharing(34737, 20_000, 60_000).bytes());
    folder.refused(64, &["terrain", "texts.tif"], "20000 GeoKeys");

    // Many tags, one text that is no UTF-8: unknown tags are not read, known ones are added up.
    let mut shared = map();
    shared.text(60000, &[0xff; 70_000]);
    (60001..62000).for_each(|tag| shared.again(tag));
    folder.put("shared.tif", &shared.bytes());
    folder.accepted(64, &["terrain", "shared.tif"]);
    let mut twice = map();
    twice.text(42112, &[0xff; 70_000]);
    (0..1800).for_each(|_| twice.again(42112));
    folder.put("twice.tif", &twice.bytes());
    folder.refused(64, &["terrain", "twice.tif"], "the tables of the TIFF");

    // One tag as long as the file, asked for or not.
    for (name, tag, words) in [("private.tif", 50000, None), ("metadata.tif", 42112, Some("the tables of the TIFF"))] {
        let mut long = map();
        long.put(tag, 2, 100_000_000, vec![b'x'; 8]);
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
    // Each of them has a text that all share, and lies behind the map.
    let end = tiff.bytes().len() as u32;
    let below: Vec<u8> = [(256u16, 3u16, 1u32, 1u32), (257, 3, 1, 1), (60000, 2, length, 8)]
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
    tiff.longs(330, &(0..count as u32).map(|i| end + i * below.len() as u32).collect::<Vec<_>>());
    let mut bytes = tiff.bytes();
    bytes.extend(below.repeat(count));
    bytes.resize(bytes.len().max(length as usize + 8), 0xff);
    folder.put("below.tif", &bytes);
    folder.accepted(64, &["terrain", "below.tif"]);
}

#[test]
fn heights_are_weighed_before_they_are_worked_on() {
    let folder = folder();
    let matrix = |skew: f64| [[1.0, skew, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0; 4], [0.0, 0.0, 0.0, 1.0]].concat();
    let mut sheared = Tiff::new([45, 45], [8, 1], vec![1; 45 * 45], false);
    sheared.doubles(34264, &matrix(9e5));
    folder.put("sheared.tif", &sheared.bytes());
    folder.refused(64, &["terrain", "sheared.tif"], "the raster turned north up");

    // 2048 × 2048 cells with one hole in a table of text: filling it takes next to nothing.
    let mut holes = String::from("ncols 2048\nnrows 2048\ncellsize 1\nNODATA_value 9\n9 ");
    holes.push_str(&"1 ".repeat(2048 * 2048 - 1));
    folder.put("hole.asc", holes.as_bytes());
    drop(holes);
    folder.accepted(64, &["terrain", "hole.asc", "--fill", "nearest"]);

    folder.put("map.tif", &map().bytes());
    folder.refused(64, &["terrain", "map.tif", "--resample", "8192x8192"], "--resample 8192x8192: the new heights");
    folder.refused(200, &["terrain", "slope", "--size", "8192x8192x8192"], "the ground");
    folder.accepted(64, &["terrain", "slope", "--size", "2400x2400x2400", "--picture", "a.png"]);
}

#[test]
fn what_a_picture_holds_beside_its_pixels_is_weighed() {
    let folder = folder();
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x02\x08\0\0\0\0".to_vec();
    let mut crc = flate2::Crc::new();
    crc.update(&png[12..]);
    png.extend(crc.sum().to_be_bytes());
    let text = [&png[..], &100_000_000u32.to_be_bytes(), b"tEXta\0"].concat();
    folder.with_zeros("text.png", &text, 110_000_000);
    folder.refused(64, &["terrain", "text.png", "--cell-size", "10"], "beside its pixels");

    let palette = [&png[..24], &[8, 3, 0, 0, 0]].concat();
    let mut crc = flate2::Crc::new();
    crc.update(&palette[12..]);
    let palette =
        [&palette[..], &crc.sum().to_be_bytes(), b"\0\0\0\x04PLTE\0\0\0\0\xb4\xa3\xae\x7a\0\0\0\0IDAT"].concat();
    folder.put("palette.png", &palette);
    folder.refused(64, &["terrain", "palette.png", "--cell-size", "10"], "a palette of 4 bytes");
}

#[test]
fn a_scene_is_weighed_before_it_is_parsed() {
    let folder = folder();
    for (name, text) in [
        ("values.toml", format!("[grid]\nsize = [{}]\n", "1,".repeat(1 << 20))),
        ("newlines.toml", "\n".repeat(3 << 20)),
        ("events.toml", "[[event]]\n".repeat(1 << 18)),
        ("tables.toml", "a = [".to_owned() + &"{a.b.c=1},".repeat(1 << 16) + "]\n"),
        ("names.toml", (0..1 << 16).map(|i| format!("a{i}.b.c.d=1\n")).collect()),
    ] {
        folder.put(name, text.as_bytes());
        folder.refused(64, &["run", name], "the scene would need");
    }
    // Numbers with a point are no tables.
    let dabs: String = (0..3000)
        .map(|i| format!("[[event]]\nat = {i}\n[event.put]\nshape = {{ kind = \"sphere\", center = [1.5, 2.5, {i}.5], radius = 0.5 }}\nmatter = {{ kind = \"rock\" }}\n"))
        .collect();
    folder.put("dabs.toml", format!("[grid]\nsize = [8, 8, 8]\n[film]\nsteps = 3\n{dabs}").as_bytes());
    folder.accepted(100, &["run", "dabs.toml"]);

    let vent = "[[vent]]\nx = 200.0\nz = 200.0\nradius = 300.0\nrate = 1e6\n".repeat(40);
    folder.put("vents.toml", format!("[grid]\nsize = [400, 300, 400]\n[terrain]\nkind = \"plane\"\n{vent}").as_bytes());
    folder.refused(200, &["run", "vents.toml", "--steps", "100"], "the lava would need");
}

/// `ulimit -f`, in blocks of 512 bytes: the system's signal must not leave half a file behind.
#[test]
fn a_limit_on_the_size_of_files_leaves_none() {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_lavoxel");
    let script = format!("ulimit -f 8; exec '{program}' terrain volcano --out a.asc");
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.0.path()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("a.asc") && message.lines().count() == 1, "{message}");
    assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 0, "nothing is left");
}

/// A checkpoint of these sections.
fn checkpoint(sections: &[(&str, &[u8])]) -> Vec<u8> {
    container(sections.iter().map(|(name, body)| (name.as_bytes(), *body)))
}

fn header(size: [usize; 3]) -> String {
    format!(
        "name = \"x\"\nstep = 1\nseed = \"1\"\nsize = {size:?}\nvent_numbers = []\nnext_vent = 0\n\
         [place]\ncell_size_m = 1.0\nfloor_m = 0.0\nvertical_exaggeration = 1.0\n\
         [[accounts]]\nmaterial = \"lava\"\nsums = {:?}\n",
        [0; 15]
    )
}

#[test]
fn a_checkpoint_is_weighed_while_it_is_read() {
    let folder = folder();
    let scene = |size: [usize; 3]| format!("name = \"x\"\n[grid]\nsize = {size:?}\n[terrain]\nkind = \"plane\"\n");
    let small = [8, 8, 8];
    let long = scene(small) + &"\n".repeat(8 << 20);
    let ground: Vec<u8> = [1f32; 64].iter().flat_map(|h| h.to_le_bytes()).chain([0; 4]).collect();
    let sections = [("header", header(small)), ("scene", long)];
    let sections: Vec<(&str, &[u8])> = sections.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    folder.put("scene.lavoxel", &checkpoint(&[&sections[..], &[("ground", &ground), ("lava", &[])]].concat()));
    folder.refused(64, &["resume", "scene.lavoxel", "--steps", "2"], "the scene would need");
    let long = header(small) + &"\n".repeat(2 << 20);
    folder.put("header.lavoxel", &checkpoint(&[("header", long.as_bytes())]));
    folder.refused(64, &["resume", "header.lavoxel", "--steps", "2"], "would need");

    // 90,000 columns with a cave each, 8192 cells high.
    let tall = [300, 8192, 300];
    let path = folder.0.path().join("caves.lavoxel");
    let mut ground: Vec<u8> = 3f32.to_le_bytes().repeat(90_000);
    ground.extend(90_000u32.to_le_bytes());
    let mut cave = [0; 4 + 1024];
    cave[4] = 0b101;
    let mut file = File::create(&path).unwrap();
    let start = checkpoint(&[("header", header(tall).as_bytes()), ("scene", scene(tall).as_bytes())]);
    // Block after block, so that this process stays small; the checksum at the end is never come to.
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
    folder.refused(64, &["resume", "caves.lavoxel", "--steps", "2"], "hollow columns would need");
}
