//! Format of the file of one run, such as `run_000042`, in bytes. A file is written completely or
//! not at all.
//!
//! ```text
//!  8  magic number
//! 16  fingerprint of the plan
//!  8  checksum of the bytes that follow
//!  8  length of the record before compression
//!  …  record, compressed by LZ4
//! ```
//!
//! Numbers are little-endian. The record is a [`RunRecord`] in the format of the crate `postcard`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lz4_flex::block::{compress, decompress_into};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::plan::Sample;
use lavoxel_files::input::{self, InputError};
use lavoxel_flow::Flow;

/// First bytes of every run file; the last byte is the version of the format.
const MAGIC: [u8; 8] = *b"L\xe4VOXH\r\x01";

/// Length in bytes of the file header before the compressed block.
const HEAD: usize = 8 + 16 + 8 + 8;

/// Upper bound in bytes on the size of a record without its per-column data.
const RECORD: usize = 1024;
/// Upper bound in bytes on the data of one reached column: index difference, arrival, thickness.
const COLUMN: usize = 5 + 4 + 4;

/// Upper bound in bytes on the text of an imbalance in a run's record.
const FAULT: usize = 200;

/// Reason why the simulation of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The flow came to rest before the time limit.
    Rest,
    /// The time limit was reached, although the flow still advanced.
    Limit,
}

/// Outcome of the simulation of a run, without data per column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Reason why the simulation of the run ended.
    pub ending: Ending,
    /// Simulated time at the end of the run, in seconds.
    pub time_s: f64,
    /// Volume of lava that erupted in the run, in m³.
    pub poured_m3: f64,
    /// Volume of lava that solidified in the run, in m³.
    pub set_m3: f64,
    /// Volume of lava that left the simulation box through its sides, in m³.
    pub out_m3: f64,
    /// Volume that the vent could not erupt for lack of room below the top of the simulation box,
    /// in m³.
    pub blocked_m3: f64,
    /// Imbalance of the volume or heat account, as text; `None` if both accounts are exact.
    pub fault: Option<String>,
    /// Wall-clock time that the run took, in seconds.
    pub seconds: f64,
}

impl Outcome {
    /// Creates the outcome from the flow after its last step; `elapsed` is the wall-clock time of
    /// the run.
    pub(super) fn from_flow(flow: &Flow, ending: Ending, elapsed: Duration) -> Self {
        let (account, unit) = (flow.account(), flow.space().unit_m3());
        let m3 = |units: i64| units as f64 * unit;
        Self {
            ending,
            time_s: flow.time_s(),
            poured_m3: m3(account.poured),
            set_m3: m3(account.set),
            out_m3: m3(account.out),
            blocked_m3: m3(account.blocked),
            fault: flow
                .check()
                .err()
                .map(|fault| fault.chars().take(FAULT / 4).collect()),
            seconds: elapsed.as_secs_f64(),
        }
    }
}

/// Content of a run file: sample, outcome, and data of the columns that lava reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Sampled parameters of the run.
    pub sample: Sample,
    /// Outcome of the simulation of the run.
    pub outcome: Outcome,
    /// Differences between successive indices of the reached columns in ascending order; the first
    /// element is the first index itself.
    gaps: Vec<u32>,
    /// Arrival time of lava in each reached column, in seconds from the start.
    arrival_s: Vec<f32>,
    /// Largest thickness over all steps, liquid and solidified, in each reached column, in metres.
    thickness_m: Vec<f32>,
}

/// Column that lava reached in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Column index: row × columns per row + position in the row; row 0 is the northernmost.
    pub column: usize,
    /// Arrival time of lava in the column, in seconds from the start.
    pub arrival_s: f32,
    /// Largest thickness of lava (liquid and solidified) in the column over all steps, in metres.
    pub thickness_m: f32,
}

impl RunRecord {
    /// Creates the record from the flow after its last step. `most_m`: largest thickness over all
    /// steps of each column, in metres; `outcome`: function that creates the outcome from the flow.
    pub(super) fn new(
        sample: Sample,
        flow: &Flow,
        most_m: &[f32],
        outcome: impl FnOnce(&Flow) -> Outcome,
    ) -> Self {
        let (mut gaps, mut arrival_s, mut thickness_m) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = 0;
        for (column, most) in most_m.iter().enumerate().filter(|(_, most)| **most > 0.0) {
            let Some(arrival) = flow.column(column).arrival_s else {
                continue;
            };
            gaps.push((column - before) as u32);
            arrival_s.push(arrival as f32);
            thickness_m.push(*most);
            before = column;
        }
        Self {
            sample,
            outcome: outcome(flow),
            gaps,
            arrival_s,
            thickness_m,
        }
    }

    /// Iterates over the columns that lava reached, in ascending order of their indices.
    pub fn reached(&self) -> impl Iterator<Item = Reached> + '_ {
        let mut column = 0;
        let rest = self.arrival_s.iter().zip(&self.thickness_m);
        self.gaps
            .iter()
            .zip(rest)
            .map(move |(gap, (&arrival_s, &thickness_m))| {
                column += *gap as usize;
                Reached {
                    column,
                    arrival_s,
                    thickness_m,
                }
            })
    }

    /// Returns the path of the file of run `run` in `folder`.
    pub fn path(folder: &Path, run: u64) -> PathBuf {
        folder.join(format!("run_{run:06}"))
    }

    /// Encodes the record as the bytes of a run file; `fingerprint` identifies the plan.
    pub fn bytes(&self, fingerprint: u128) -> Vec<u8> {
        let plain = postcard::to_stdvec(self).expect("a record is plain numbers");
        let block = compress(&plain);
        let mut rest = (plain.len() as u64).to_le_bytes().to_vec();
        rest.extend(block);
        let head = [
            &MAGIC[..],
            &fingerprint.to_le_bytes(),
            &xxh3_64(&rest).to_le_bytes(),
        ];
        [&head.concat()[..], &rest].concat()
    }

    /// Reads the file of run `run` in `folder`; `None` if there is no file. `fingerprint`
    /// identifies the plan; `columns` is the number of columns of the simulation box.
    ///
    /// # Errors
    /// [`RecordError`] for a file that cannot be read or is not one of this plan.
    pub fn read(
        folder: &Path,
        run: u64,
        fingerprint: u128,
        columns: usize,
    ) -> Result<Option<Self>, RecordError> {
        let path = Self::path(folder, run);
        let most = HEAD + lz4_flex::block::get_maximum_output_size(RECORD + COLUMN * columns);
        let unread = |cause| RecordError::Read {
            path: path.clone(),
            cause,
        };
        match input::length_of(&path) {
            Err(InputError::Read(cause)) if cause.kind() == std::io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Ok(length) if length > most as u64 => {
                return Err(unread(std::io::Error::other("it is no file of a run")));
            }
            _ => {}
        }
        let record = input::RECORD.bytes(&path, |bytes| Self::parse(&bytes, fingerprint, columns));
        let fault = |what| RecordError::Wrong {
            path: path.clone(),
            what,
        };
        let record = record
            .map_err(|error| unread(error.into()))?
            .map_err(fault)?;
        if record.sample.run == run {
            Ok(Some(record))
        } else {
            Err(fault("is of another run"))
        }
    }

    fn parse(bytes: &[u8], fingerprint: u128, columns: usize) -> Result<Self, &'static str> {
        let Some((head, block)) = bytes
            .split_at_checked(HEAD)
            .filter(|(head, _)| head.starts_with(&MAGIC))
        else {
            return Err("is no file of a run");
        };
        let number = |at: usize| {
            head[at..]
                .first_chunk()
                .copied()
                .map(u64::from_le_bytes)
                .unwrap_or_default()
        };
        if xxh3_64(&bytes[HEAD - 8..]) != number(24) {
            return Err("is damaged");
        }
        if head[8..24] != fingerprint.to_le_bytes() {
            return Err("is of another plan");
        }
        let length = usize::try_from(number(32))
            .ok()
            .filter(|length| *length <= RECORD + COLUMN * columns);
        let mut plain = vec![0; length.ok_or("is damaged")?];
        let read = decompress_into(block, &mut plain)
            .ok()
            .filter(|read| *read == plain.len());
        read.ok_or("is damaged")?;
        let record: Self = postcard::from_bytes(&plain).map_err(|_| "is damaged")?;
        if record.is_whole(columns) {
            Ok(record)
        } else {
            Err("is damaged")
        }
    }

    /// Returns true if all per-column arrays have equal lengths and all indices of reached columns
    /// are below `columns`.
    fn is_whole(&self, columns: usize) -> bool {
        let lengths = [self.arrival_s.len(), self.thickness_m.len()];
        let rises = self.gaps.iter().skip(1).all(|gap| *gap > 0);
        let last: usize = self.gaps.iter().map(|gap| *gap as usize).sum();
        lengths == [self.gaps.len(); 2] && rises && (self.gaps.is_empty() || last < columns)
    }
}

/// Error while a run file is read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Run file that the operating system cannot read.
    #[error("cannot read {path}: {cause}")]
    Read {
        /// Path of the run file that cannot be read.
        path: PathBuf,
        /// Error that the operating system reported.
        cause: std::io::Error,
    },
    /// Run file that is damaged or belongs to another plan.
    #[error("{path} {what}; remove it, and the same command makes this run again")]
    Wrong {
        /// Path of the damaged or foreign run file.
        path: PathBuf,
        /// Fault of the run file, as text that follows its path.
        what: &'static str,
    },
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs;

    use super::*;

    /// Creates a record of run `run` in which lava reached the columns `reached`: (column index,
    /// arrival in seconds, thickness in metres), by ascending index.
    pub(in super::super) fn record(run: u64, reached: &[(usize, f32, f32)]) -> RunRecord {
        let sample = Sample {
            run,
            feature: 0,
            vent_m: [5.0, 15.0],
            rate_m3_s: 2.0,
            volume_m3: 100.0,
            duration_s: 50.0,
            limit_s: 1e5,
            seed: 3,
        };
        let outcome = Outcome {
            ending: Ending::Rest,
            time_s: 90.0,
            poured_m3: 100.0,
            set_m3: 60.0,
            out_m3: 0.0,
            blocked_m3: 0.0,
            fault: None,
            seconds: 0.25,
        };
        let before = |i: usize| if i == 0 { 0 } else { reached[i - 1].0 };
        RunRecord {
            sample,
            outcome,
            gaps: reached
                .iter()
                .enumerate()
                .map(|(i, (column, ..))| (column - before(i)) as u32)
                .collect(),
            arrival_s: reached.iter().map(|(_, arrival, _)| *arrival).collect(),
            thickness_m: reached.iter().map(|(.., thickness)| *thickness).collect(),
        }
    }

    #[test]
    fn a_record_comes_back_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let record = record(42, &[(0, 0.0, 2.0), (3, 7.5, 0.1), (299, 80.0, 1.0)]);
        assert!(matches!(
            RunRecord::read(folder.path(), 42, 7, 300),
            Ok(None)
        ));
        fs::write(
            RunRecord::path(folder.path(), record.sample.run),
            record.bytes(7),
        )
        .expect("written");
        assert!(folder.path().join("run_000042").exists());
        let read = RunRecord::read(folder.path(), 42, 7, 300)
            .expect("right")
            .expect("there");
        assert_eq!(read, record);
        let columns: Vec<_> = read
            .reached()
            .map(|reached| (reached.column, reached.thickness_m))
            .collect();
        assert_eq!(columns, [(0, 2.0), (3, 0.1), (299, 1.0)]);
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let bytes = record(1, &[(2, 1.0, 1.0), (5, 2.0, 1.0)]).bytes(7);
        assert!(RunRecord::parse(&bytes, 7, 6).is_ok());
        assert_eq!(RunRecord::parse(&bytes, 8, 6), Err("is of another plan"));
        assert_eq!(
            RunRecord::parse(&bytes, 7, 5),
            Err("is damaged"),
            "a column beyond the ground"
        );
        for end in 0..bytes.len() {
            assert!(
                RunRecord::parse(&bytes[..end], 7, 6).is_err(),
                "{end} bytes"
            );
        }
        for i in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[i] ^= 0x10;
            assert!(RunRecord::parse(&wrong, 7, 6).is_err(), "byte {i}");
        }
        // A false length claim allocates no memory.
        let mut huge = bytes.clone();
        huge[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        let sum = xxh3_64(&huge[32..]).to_le_bytes();
        huge[24..32].copy_from_slice(&sum);
        assert_eq!(RunRecord::parse(&huge, 7, 6), Err("is damaged"));
    }
}
