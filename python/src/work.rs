//! Work without Python's lock: on threads of this process, also after a `fork`, and interruptible
//! by Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::fail;

/// Longest time between two checks for Ctrl-C.
pub(crate) const WAIT: Duration = Duration::from_millis(50);

/// Process that imported the module: only there does the global pool of rayon have threads.
static IMPORTED_BY: AtomicU32 = AtomicU32::new(0);
/// Requested number of threads; 0: all cores.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// Pool of a forked process, and the process id. A process that is forked again inherits the entry
/// and replaces it.
static FORKED: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);

/// Records the process that imports the module.
pub(crate) fn start() {
    IMPORTED_BY.store(std::process::id(), Ordering::Relaxed);
}

/// Sets the number of threads before any has started.
///
/// # Errors
/// If threads are already running.
pub(crate) fn set_threads(threads: usize) -> PyResult<()> {
    let process = std::process::id();
    if IMPORTED_BY.load(Ordering::Relaxed) == process {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(fail)?;
    } else if FORKED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .is_some_and(|(of, _)| of == process)
    {
        return Err(fail(
            "threads run already: set their number before the first step",
        ));
    }
    THREADS.store(threads, Ordering::Relaxed);
    Ok(())
}

/// Returns the pool of this process if the process was forked from the one that imported the
/// module: a fork does not copy threads, so waiting for the global pool would never end.
fn pool_behind_fork() -> PyResult<Option<&'static ThreadPool>> {
    let process = std::process::id();
    if IMPORTED_BY.load(Ordering::Relaxed) == process {
        return Ok(None);
    }
    let known = *FORKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = known.filter(|(of, _)| *of == process) {
        return Ok(Some(pool));
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(THREADS.load(Ordering::Relaxed))
        .build()
        .map_err(fail)?;
    // The pool is leaked because it lives as long as its process, as the global pool does.
    let pool: &'static ThreadPool = Box::leak(Box::new(pool));
    *FORKED.lock().unwrap_or_else(PoisonError::into_inner) = Some((process, pool));
    Ok(Some(pool))
}

/// Runs `work` on the threads of this process. `work` must not wait for a simulation: the waiting
/// thread may be the one that holds the simulation.
pub(crate) fn on_threads<T: Send>(work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    match pool_behind_fork()? {
        None => work(),
        Some(pool) => pool.install(work),
    }
}

/// Runs `work` while other Python threads run; Ctrl-C waits for the end of `work`.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    py.detach(|| on_threads(work))
}

/// Waits until `has_ended` is set, and checks for Ctrl-C at intervals.
fn wait(py: Python<'_>, has_ended: &AtomicBool, is_finished: impl Fn() -> bool) -> PyResult<()> {
    // A thread that panicked has not set `has_ended`.
    while !has_ended.load(Ordering::Acquire) && !is_finished() {
        py.detach(|| thread::park_timeout(WAIT));
        py.check_signals()?;
    }
    Ok(())
}

/// Runs `work`, then sets `has_ended` and wakes the `caller`.
fn telling<T>(work: impl FnOnce() -> T, caller: &thread::Thread, has_ended: &AtomicBool) -> T {
    let result = work();
    has_ended.store(true, Ordering::Release);
    caller.unpark();
    result
}

/// Runs work that gives up soon after its switch is set; Ctrl-C sets the switch.
pub(crate) fn with_switch<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(Arc<AtomicBool>) -> PyResult<T> + Send,
) -> PyResult<T> {
    let (stop, has_ended, caller) = (
        Arc::<AtomicBool>::default(),
        AtomicBool::new(false),
        thread::current(),
    );
    thread::scope(|scope| {
        let switch = stop.clone();
        let work = || telling(|| on_threads(|| work(switch)), &caller, &has_ended);
        let thread = Builder::new().spawn_scoped(scope, work).map_err(fail)?;
        let interrupted = wait(py, &has_ended, || thread.is_finished());
        stop.store(interrupted.is_err(), Ordering::Relaxed);
        let result = py
            .detach(|| thread.join())
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        interrupted?;
        result
    })
}

/// Runs work that owns all its data and changes nothing outside; after Ctrl-C the work ends by
/// itself in the background.
pub(crate) fn or_leave<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let (has_ended, caller) = (Arc::<AtomicBool>::default(), thread::current());
    let ended = has_ended.clone();
    let thread = Builder::new()
        .spawn(move || telling(|| on_threads(work), &caller, &ended))
        .map_err(fail)?;
    wait(py, &has_ended, || thread.is_finished())?;
    py.detach(|| thread.join())
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
