//! Parsers of integers on the command line: `3000`, `1_000_000` or `1.5e6`.

use lavoxel::hazard::MAX_RUNS;
use lavoxel::scene::{MAX_THREADS, MOST_FINER};

/// Upper bound of the number of steps that a flag can request.
const MOST_STEPS: u64 = 1_000_000_000;

/// Parses a number of steps, 0 to `MOST_STEPS`; fails with a message for other text.
pub(in crate::cli) fn steps(text: &str) -> Result<u64, String> {
    within(text, 0, MOST_STEPS, "steps")
}

/// Parses an interval in steps, 1 to `MOST_STEPS`; fails with a message for other text.
pub(in crate::cli) fn interval(text: &str) -> Result<u64, String> {
    within(text, 1, MOST_STEPS, "steps")
}

/// Parses the number of runs of a hazard map or calibration, 1 to `MAX_RUNS`; fails with a message
/// for other text.
pub(in crate::cli) fn runs(text: &str) -> Result<u64, String> {
    within(text, 1, MAX_RUNS, "runs")
}

/// Parses a number of grids on which a run is made.
pub(in crate::cli) fn grids(text: &str) -> Result<u64, String> {
    within(text, 1, 8, "grids")
}

/// Parses a number of threads, 1 to `MAX_THREADS`; fails with a message for other text.
pub(in crate::cli) fn threads(text: &str) -> Result<u64, String> {
    within(text, 1, MAX_THREADS as u64, "threads")
}

/// Parses a refinement factor (1 to `MOST_FINER`): number of cells along each side into which a
/// cell of the scene is divided. Fails with a message for other text.
pub(in crate::cli) fn finer(text: &str) -> Result<u64, String> {
    within(text, 1, MOST_FINER as u64, "cells in place of one")
}

/// Parses the seed of a generated terrain, 0 to 2³² − 1; fails with a message for other text.
pub(in crate::cli) fn terrain_seed(text: &str) -> Result<u64, String> {
    within(text, 0, u64::from(u32::MAX), "as a seed")
}

/// Parses a random seed, 0 to 2⁶⁴ − 1; fails with a message for other text.
pub(in crate::cli) fn seed(text: &str) -> Result<u64, String> {
    whole(text)
}

fn within(text: &str, least: u64, most: u64, unit: &str) -> Result<u64, String> {
    match whole(text)? {
        n if (least..=most).contains(&n) => Ok(n),
        _ => Err(format!("must be {least} to {most} {unit}")),
    }
}

/// Parses a nonnegative integer in any of the notations `3000`, `1_000_000` and `1.5e6`. Numbers
/// from 2⁶³ on in the last notation become `u64::MAX`; fails with a message for other text.
fn whole(text: &str) -> Result<u64, String> {
    let digits = text.trim().replace('_', "");
    if let Ok(number) = digits.parse() {
        return Ok(number);
    }
    match digits.parse::<f64>() {
        Ok(number) if number < 0.0 => Err("must not be negative".to_owned()),
        Ok(number) if number.fract() != 0.0 => Err("must be a whole number".to_owned()),
        Ok(number) if number < 2f64.powi(63) => Ok(number as u64),
        Ok(_) => Ok(u64::MAX),
        Err(_) => Err("must be a whole number, such as 3000 or 1.5e6".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        for (text, number) in [
            ("3000", 3000),
            ("1.5e6", 1_500_000),
            ("1e3", 1000),
            ("1_000", 1000),
            ("0", 0),
        ] {
            assert_eq!(steps(text), Ok(number), "{text}");
        }
        for (text, part) in [
            ("-5", "must not be negative"),
            ("1.5", "must be a whole number"),
            ("1.5e-3", "must be a whole number"),
            ("many", "such as 3000"),
            ("", "such as 3000"),
            ("nan", "must be a whole number"),
            ("1e12", "must be 0 to 1000000000 steps"),
            ("99999999999999999999999", "must be 0 to 1000000000 steps"),
            ("inf", "must be"),
        ] {
            assert!(
                steps(text).is_err_and(|message| message.contains(part)),
                "{text}: {:?}",
                steps(text)
            );
        }
        assert!(interval("0").is_err());
    }
}
