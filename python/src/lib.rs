//! Module `lavoxel._lavoxel` of Python: scenes, simulations, their fields as arrays, pictures,
//! files and hazard maps. Names, units and messages are those of the library; nothing is computed
//! here. People import `python/lavoxel/__init__.py`.

mod files;
mod hazard;
mod painter;
mod rule;
mod scene;
mod simulation;
mod slot;
mod tools;
mod words;
mod work;

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

// The exception belongs to the package `lavoxel`, where unpickling looks for it.
create_exception!(
    lavoxel,
    LavoxelError,
    PyValueError,
    "A fault in the words of the program, with the mend."
);

fn fail(error: impl Display) -> PyErr {
    LavoxelError::new_err(words::in_python(&error.to_string()))
}

/// Parses a value that Python wrote as JSON.
fn of_json<T: serde::de::DeserializeOwned>(text: &str) -> PyResult<T> {
    let unplaced = |error: serde_json::Error| {
        let text = error.to_string();
        // The line and column refer to a text that only this module sees.
        fail(
            text.rsplit_once(" at line ")
                .map_or(&*text, |(message, _)| message),
        )
    };
    serde_json::from_str(text).map_err(unplaced)
}

/// Serialises a value as JSON for Python.
fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(fail)
}

/// Names of the shipped scenes.
#[pyfunction]
fn shipped_scenes() -> Vec<String> {
    lavoxel::shipped::scenes()
        .map(|scene| scene.name.to_owned())
        .collect()
}

/// Limits the memory that simulations and files take, in bytes.
#[pyfunction]
fn set_memory_limit(bytes: u64) {
    lavoxel::memory::set_limit(bytes);
}

/// Starts `threads` threads, once, before any other call; without this call all cores work.
#[pyfunction]
fn set_threads(threads: usize) -> PyResult<()> {
    work::set_threads(threads)
}

#[pymodule]
fn _lavoxel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    work::start();
    module.add("LavoxelError", module.py().get_type::<LavoxelError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("AMOUNT_ONE", lavoxel::units::AMOUNT_ONE)?;
    module.add("ENERGY_ONE", lavoxel::units::ENERGY_ONE)?;
    module.add("NO_FORECAST", lavoxel::export::NO_FORECAST)?;
    module.add("NO_FORECAST_OF_FLOW", lavoxel::export::NO_FORECAST_OF_FLOW)?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<simulation::Snapshot>()?;
    module.add_class::<files::Film>()?;
    module.add_class::<hazard::Study>()?;
    module.add_function(wrap_pyfunction!(shipped_scenes, module)?)?;
    module.add_function(wrap_pyfunction!(set_memory_limit, module)?)?;
    module.add_function(wrap_pyfunction!(set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(files::png, module)?)?;
    module.add_function(wrap_pyfunction!(tools::seconds, module)?)?;
    module.add_function(wrap_pyfunction!(tools::verify, module)?)?;
    module.add_function(wrap_pyfunction!(tools::verify_cases, module)?)?;
    module.add_function(wrap_pyfunction!(tools::compare, module)?)
}
