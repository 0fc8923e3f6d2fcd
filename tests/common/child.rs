//! Child process of a test, which is killed at the end of the test even if the test fails.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Output};

/// Running program; killed when dropped.
pub(crate) struct Running(Option<Child>);

impl Running {
    /// Starts `command` as a child process.
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(Some(
            command
                .spawn()
                .unwrap_or_else(|e| panic!("{command:?}: {e}")),
        ))
    }

    /// Sends the program SIGINT, as Ctrl-C does.
    #[cfg(unix)]
    pub(crate) fn interrupt(&self) {
        self.signal(rustix::process::Signal::INT);
    }

    /// Sends `signal` to the program.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(self);
        rustix::process::kill_process(id, signal).expect("the program runs and takes the signal");
    }

    /// Waits until the program ends, and returns its exit status and what it wrote into its pipes.
    pub(crate) fn output(mut self) -> Output {
        let child = self.0.take().expect("only this function takes it");
        child
            .wait_with_output()
            .expect("the program can be waited for")
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.0.as_ref().expect("only `output` takes it")
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().expect("only `output` takes it")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // The kill fails if the program has ended by itself.
            child.kill().ok();
            child.wait().ok();
        }
    }
}
