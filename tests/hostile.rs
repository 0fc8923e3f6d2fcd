//! Tests with hostile input: every seed of the fuzz targets, and thousands of mutations of the
//! seeds, must be read or rejected with a one-line error, without a panic and within the memory
//! limit. The targets in `fuzz/` run without a time limit.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[allow(unreachable_pub, reason = "the fuzz targets reach it")]
#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use lavoxel::random::mix64;
use targets::{LIMIT, TARGETS, Target, run};

/// Number of mutations per target; the environment variable `LAVOXEL_MUTATIONS` overrides this
/// number. It is divided by the `cost` of a slow target.
const MUTATIONS: usize = 2000;

/// Numbers at the limits of integer and float types, on which parsers fail.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "9223372036854775808",
    "-0.0",
    "1e308",
    "-1e39",
    "1e-308",
    "0.1",
    "nan",
    "inf",
    "-inf",
    "999999999999999999999999999999",
];

/// Generator of random numbers that gives the same sequence in every run.
struct Dice(u64);

impl Dice {
    /// Returns the next random number, 0 to `n` − 1.
    fn roll(&mut self, n: usize) -> usize {
        self.0 += 1;
        (mix64(self.0) % n.max(1) as u64) as usize
    }
}

/// Returns the seeds of a fuzz target with their file names, sorted by name.
fn seeds(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(target.name);
    let mut seeds: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .collect();
    seeds.sort();
    seeds
}

/// Applies one to four random mutations to a seed: truncates, flips bits, cuts, repeats, splices in
/// bytes of another seed, or inflates numbers.
fn mutated(seed: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(bytes.len());
        match dice.roll(8) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << dice.roll(8),
            2 if !bytes.is_empty() => {
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'"', b'\n', b' '][dice.roll(8)]
            }
            3 => {
                let end = (at + dice.roll(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + dice.roll(400)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            5 => {
                bytes.truncate(at);
                bytes.extend_from_slice(&other[dice.roll(other.len()).min(other.len())..]);
            }
            _ => inflate(&mut bytes, at, dice),
        }
    }
    bytes
}

/// In text, replaces the first number at or after the index `at` by one of [`NUMBERS`]; in binary
/// data, sets the next four bytes to 0xff.
fn inflate(bytes: &mut Vec<u8>, at: usize, dice: &mut Dice) {
    match bytes[at..].iter().position(u8::is_ascii_digit) {
        Some(found) => {
            let from = at + found;
            let length = bytes[from..]
                .iter()
                .position(|b| !b.is_ascii_digit())
                .unwrap_or(bytes.len() - from);
            bytes.splice(
                from..from + length,
                NUMBERS[dice.roll(NUMBERS.len())].bytes(),
            );
        }
        None => bytes[at..].iter_mut().take(4).for_each(|b| *b = 0xff),
    }
}

/// Recomputes the checksums of a PNG's chunks; without this a reader stops at the first wrong
/// checksum, and the mutation behind it is never read.
fn repaired(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 8) {
        let length = u32::from_be_bytes(head[..4].try_into().unwrap()) as usize;
        let end = at + 8 + length;
        if end + 4 > bytes.len() {
            break;
        }
        let mut crc = flate2::Crc::new();
        crc.update(&bytes[at + 4..end]);
        bytes[end..end + 4].copy_from_slice(&crc.sum().to_be_bytes());
        at = end + 4;
    }
    bytes
}

/// Runs a target on `bytes`; if the parser panics, keeps the bytes in a file and returns the
/// message.
fn trouble(target: &Target, what: &str, bytes: &[u8]) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(|| run(target.name, bytes))).err()?;
    let words = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref().copied())
        .unwrap_or_default();
    let kept = std::env::temp_dir().join(format!(
        "hostile-{}.{}",
        what.replace(' ', "-"),
        target.ending
    ));
    fs::write(&kept, bytes).unwrap();
    Some(format!(
        "{}, {what}: {words}\n    bytes: {}",
        target.name,
        kept.display()
    ))
}

/// Runs all seeds and mutations of one target; returns the messages of the first 20 failures.
fn storm(target: &Target) -> Vec<String> {
    let seeds = seeds(target);
    assert!(seeds.len() >= 8, "{} has seeds", target.name);
    let mut dice = Dice(0);
    let asked = std::env::var("LAVOXEL_MUTATIONS")
        .ok()
        .and_then(|count| count.parse().ok());
    let mutations = (0..asked.unwrap_or(MUTATIONS) / target.cost).map(|i| {
        let (name, seed) = &seeds[i % seeds.len()];
        let (_, other) = &seeds[dice.roll(seeds.len())];
        let bytes = mutated(seed, other, &mut dice);
        let bytes = if target.ending == "png" && dice.roll(4) > 0 {
            repaired(bytes)
        } else {
            bytes
        };
        (format!("mutation {i} of {name}"), bytes)
    });
    let all = seeds.iter().cloned().chain(mutations);
    all.filter_map(|(what, bytes)| trouble(target, &what, &bytes))
        .take(20)
        .collect()
}

/// Checks that at least two seeds of each target are accepted, and all checkpoint seeds that are
/// named after their content: a mutation of a seed that is refused at its first bytes never reaches
/// the reader behind them.
fn whole_seeds_are_read(target: &Target) {
    let taken = |(name, bytes): (String, Vec<u8>)| run(target.name, &bytes).then_some(name);
    let names: Vec<String> = seeds(target).into_iter().filter_map(taken).collect();
    println!("{}: {names:?}", target.name);
    assert!(
        names.len() >= 2,
        "{}: only {names:?} are taken",
        target.name
    );
    if ["checkpoint", "sections"].contains(&target.name) {
        for whole in [
            "air", "caves", "events", "flow", "fresh", "placed", "records", "vent", "water",
        ] {
            let name = format!("{whole}.{}", target.ending);
            assert!(names.contains(&name), "{name} is not taken: only {names:?}");
        }
    }
}

/// Returns the peak resident memory of this process in bytes (`VmHWM`); `None` if the system does
/// not report it.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

// One test for all targets, so that the peak memory at its end covers every target.
#[test]
fn hostile_bytes_do_no_harm() {
    let before = peak();
    let named = std::env::var("LAVOXEL_PARSERS").ok();
    let is_wanted = |target: &&Target| {
        named
            .as_ref()
            .is_none_or(|names| names.split(',').any(|n| n == target.name))
    };
    TARGETS
        .iter()
        .filter(is_wanted)
        .for_each(whole_seeds_are_read);
    let troubles: Vec<String> = TARGETS.iter().filter(is_wanted).flat_map(storm).collect();
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
    if let (Some(before), Some(after)) = (before, peak()) {
        let grown = after - before;
        assert!(
            grown <= LIMIT,
            "took {} MiB of the {} allowed",
            grown >> 20,
            LIMIT >> 20
        );
    }
}
