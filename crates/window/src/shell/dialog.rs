//! System file dialog, run on a separate thread.
//!
//! Invariant: the event loop of the window continues while the dialog is open; a system without a
//! dialog, or with a dialog that never answers, blocks nothing.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use lavoxel_geo::blocks;
use lavoxel_geo::terrain::endings;

/// Shortest time in which a user can close a dialog. A result without a file before this time means
/// that the system has no dialog.
const SOONEST: Duration = Duration::from_millis(400);

/// System file dialog that is open and runs on its own thread.
pub(crate) struct Dialog {
    /// Receiver of the dialog's result: path of the chosen file (`None` if the user cancelled), and
    /// the time for which the dialog was open.
    answer: Receiver<(Option<PathBuf>, Duration)>,
}

/// State of a system file dialog, as `Dialog::poll` returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The dialog is still open.
    Waiting,
    /// The user chose the file with this path.
    Chosen(PathBuf),
    /// The user closed the dialog without choosing a file.
    Closed,
    /// The system has no file dialog.
    Missing,
}

impl Dialog {
    /// Opens a dialog for choosing a scene or a heightmap, on a new thread.
    pub(crate) fn open() -> Self {
        Self::ask(choose)
    }

    fn ask(choose: fn() -> Option<PathBuf>) -> Self {
        let (sender, answer) = channel();
        let timed = move || {
            let since = Instant::now();
            (choose(), since.elapsed())
        };
        // macOS allows dialogs only on the main thread, where they block the window, as in all
        // programs there.
        if cfg!(target_os = "macos") {
            sender.send(timed()).ok();
        } else {
            // A thread that cannot be started drops the sender: the state becomes
            // [`Answer::Missing`].
            let work = move || drop(sender.send(timed()));
            std::thread::Builder::new()
                .name("file dialog".to_owned())
                .spawn(work)
                .ok();
        }
        Self { answer }
    }

    /// Polls the dialog without blocking. Any result other than [`Answer::Waiting`] is final: the
    /// dialog is closed.
    pub(crate) fn poll(&self) -> Answer {
        match self.answer.try_recv() {
            Ok((Some(path), _)) => Answer::Chosen(path),
            Ok((None, took)) if took > SOONEST => Answer::Closed,
            Ok(_) | Err(TryRecvError::Disconnected) => Answer::Missing,
            Err(TryRecvError::Empty) => Answer::Waiting,
        }
    }
}

/// Shows the system's dialog and blocks until the user has closed it; `None` without a chosen file.
fn choose() -> Option<PathBuf> {
    let endings: Vec<&str> = std::iter::once("toml")
        .chain(endings())
        .chain(blocks::known())
        .collect();
    let dialog = rfd::FileDialog::new()
        .set_title("Open a scene, a heightmap or blocks")
        .add_filter("Scenes, heightmaps and blocks", &endings)
        .add_filter("All files", &["*"]);
    match std::env::current_dir() {
        Ok(folder) => dialog.set_directory(folder),
        Err(_) => dialog,
    }
    .pick_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(choose: fn() -> Option<PathBuf>) -> Answer {
        let dialog = Dialog::ask(choose);
        loop {
            // Polls late, like a window that draws slowly.
            std::thread::sleep(Duration::from_millis(50) + SOONEST);
            match dialog.poll() {
                Answer::Waiting => {}
                answer => return answer,
            }
        }
    }

    #[test]
    fn a_dialog_that_is_missing_is_told_from_one_that_was_closed() {
        assert_eq!(over(|| None), Answer::Missing);
        assert_eq!(
            over(|| Some("a.toml".into())),
            Answer::Chosen("a.toml".into())
        );
        let closed = || {
            std::thread::sleep(2 * SOONEST);
            None
        };
        assert_eq!(over(closed), Answer::Closed);
    }

    #[test]
    fn a_dialog_that_never_answers_holds_nothing_up() {
        let never = || {
            std::thread::sleep(Duration::from_secs(3600));
            None
        };
        assert_eq!(Dialog::ask(never).poll(), Answer::Waiting);
    }
}
