//! The benchmark suite of the physical model, and footprints side by side.

use std::path::PathBuf;

use lavoxel::compare::{self as footprints, Options};
use lavoxel::flow::verify::{CASES, case};
use lavoxel::scene::Seconds;
use pyo3::prelude::*;

use crate::work::or_leave;
use crate::{fail, to_json};

/// Seconds of a time such as `6h`, `1h30min` or `90`.
#[pyfunction]
pub(crate) fn seconds(time: &str) -> PyResult<f64> {
    let parsed: Result<Seconds, String> = time.parse();
    parsed
        .map(|Seconds(seconds)| seconds)
        .map_err(|fault| fail(format!("{time:?}: {fault}")))
}

/// Names of the cases, each with its title and whether it is quick.
#[pyfunction]
pub(crate) fn verify_cases() -> Vec<(String, String, bool)> {
    CASES
        .iter()
        .map(|case| (case.name.to_owned(), case.title.to_owned(), case.is_quick))
        .collect()
}

/// Runs a case; gives its outcome as JSON.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, name: &str) -> PyResult<String> {
    let Some(found) = case(name) else {
        let known = CASES
            .iter()
            .map(|case| case.name)
            .collect::<Vec<_>>()
            .join(", ");
        return Err(fail(format!("{name}: no such case; there are {known}")));
    };
    to_json(&or_leave(py, || Ok(found.run()))?)
}

/// Compares the footprints of two files; gives the measures as JSON.
#[pyfunction]
#[pyo3(signature = (a, b, above, until, origin, cell_size))]
pub(crate) fn compare(
    py: Python<'_>,
    a: PathBuf,
    b: PathBuf,
    above: f64,
    until: Option<&str>,
    origin: Option<[f64; 2]>,
    cell_size: Option<f64>,
) -> PyResult<String> {
    let mut options = Options::default();
    options.until = until.map(str::parse::<Seconds>).transpose().map_err(fail)?;
    (options.above, options.from, options.cell_size) = (above, origin, cell_size);
    to_json(&or_leave(py, move || {
        footprints::compare(&a, &b, &options).map_err(fail)
    })?)
}
