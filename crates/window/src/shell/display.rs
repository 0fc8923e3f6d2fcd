//! Opens the window, and reports one clear error if no window can be opened or the connection to
//! the display breaks.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use kiss3d::post_processing::Tonemap;
use kiss3d::resource::MaterialManager2d;
use kiss3d::window::{CanvasSetup, NumSamples, Window};

use crate::shell::screen;

/// Debian packages with the shared libraries that a window needs.
const PACKAGES: &str = "mesa-vulkan-drivers libxcursor1 libxi6 libxkbcommon-x11-0";

/// Error of opening a window; the error's text tells the user what to install or set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}. {}", advice(.reason))]
pub struct NoWindow {
    /// Reason for which the window cannot be opened.
    pub reason: Reason,
}

/// Reason for which a window cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// No environment variable names a display.
    #[error("there is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set")]
    NoDisplay,
    /// The display server does not answer.
    #[error("the display {display} cannot be opened")]
    DeadDisplay {
        /// Name of the display, as in the environment variable `DISPLAY`.
        display: String,
    },
    /// A shared library that is loaded at run time is missing.
    #[error("the system library {library} is missing, which a window needs")]
    NoLibrary {
        /// File name of the library.
        library: String,
    },
    /// The system has neither a graphics card nor a software driver.
    #[error("no graphics adapter was found, neither a graphics card nor a software driver")]
    NoAdapter,
    /// The window cannot be opened for a reason that the program does not recognize.
    #[error("the window cannot be opened: {said}")]
    Other {
        /// First line of the system's error text.
        said: String,
    },
}

/// Returns the advice for the user: what to install or set so that `reason` disappears.
fn advice(reason: &Reason) -> String {
    let needs = match reason {
        Reason::NoAdapter => {
            "On Debian or Ubuntu, the package mesa-vulkan-drivers brings drivers with and without a card.".to_owned()
        }
        Reason::NoLibrary { library } => match package_of(library) {
            Some(package) => format!("On Debian or Ubuntu, it is in the package {package}."),
            None => format!("On Debian or Ubuntu, a window needs the packages {PACKAGES}."),
        },
        _ => format!("Apart from a display, a window needs these packages on Debian or Ubuntu: {PACKAGES}."),
    };
    format!("{needs} Without a window, `lavoxel render` writes pictures and animations.")
}

/// Returns the Debian package that contains the shared library `library`; `None` if unknown. The
/// first match in the table counts, so more specific names come first.
fn package_of(library: &str) -> Option<&'static str> {
    let packages = [
        ("xkbcommon-x11", "libxkbcommon-x11-0"),
        ("xkbcommon", "libxkbcommon0"),
        ("Xcursor", "libxcursor1"),
        ("X11-xcb", "libx11-xcb1"),
        ("Xi", "libxi6"),
        ("X11", "libx11-6"),
        ("Xrandr", "libxrandr2"),
        ("wayland-client", "libwayland-client0"),
        ("vulkan", "libvulkan1"),
    ];
    packages
        .into_iter()
        .find(|(part, _)| library.contains(part))
        .map(|(_, package)| package)
}

/// Opens a window with the title `title` and the size `size` in points (`None`: a size that fits
/// the screen). Must be called on the main thread. Fails with the reason and advice for the user.
pub(crate) fn open_window(title: &str, size: Option<(u32, u32)>) -> Result<Window, NoWindow> {
    let displays = ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"];
    let display = displays
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let needs_display = cfg!(all(unix, not(target_os = "macos")));
    if needs_display && display.is_none() {
        return Err(NoWindow {
            reason: Reason::NoDisplay,
        });
    }
    let (width, height) = size.unwrap_or_else(screen::fitting_size);
    // No multisampling: the painter antialiases its own edges.
    let setup = CanvasSetup {
        vsync: true,
        samples: NumSamples::One,
        ..CanvasSetup::default()
    };
    let create = || {
        let mut window = pollster::block_on(Window::new_with_setup(title, width, height, setup));
        // Without this call, the program aborts if a window is closed before its first frame.
        MaterialManager2d::get_global_manager(|_| ());
        window.rebind_close_key(None);
        // The painter has its own tone mapping.
        window.set_tonemap(Tonemap::None);
        window.set_bloom_enabled(false);
        window.set_shadows_enabled(false);
        window.set_shadow_resolution(1);
        window.set_shadow_atlas_layers(1);
        window
    };
    quietly(create).map_err(|said| NoWindow {
        reason: understand(&said, display.as_deref().unwrap_or_default()),
    })
}

/// Error: the connection to the display of an open window broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the display has gone, and the window with it ({said})")]
pub struct DisplayLost {
    /// First line of the system's error text.
    said: String,
}

/// Runs `work`, the event loop of a window. The window system's libraries panic when the connection
/// to the display breaks: such a panic becomes an error without a backtrace; other panics are
/// passed on.
pub(crate) fn while_there<T>(work: impl FnOnce() -> T) -> Result<T, DisplayLost> {
    let usual = Arc::new(panic::take_hook());
    let inner = Arc::clone(&usual);
    panic::set_hook(Box::new(move |info| {
        if is_there() {
            inner(info);
        }
    }));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(Box::new(move |info| usual(info)));
    result.map_err(|payload| {
        if is_there() {
            panic::resume_unwind(payload);
        }
        let said = text_of(payload.as_ref());
        DisplayLost {
            said: said.lines().next().unwrap_or_default().to_owned(),
        }
    })
}

/// Returns false if the X server named by `DISPLAY` does not answer any more, otherwise true. Under
/// other window systems, the program ends without this check when the connection breaks.
#[cfg(all(unix, not(target_os = "macos")))]
fn is_there() -> bool {
    use std::net::TcpStream;
    use std::os::unix::net::UnixStream;
    let name = std::env::var("DISPLAY").unwrap_or_default();
    let Some((host, number)) = name.rsplit_once(':') else {
        return true;
    };
    let Ok(number) = number.split('.').next().unwrap_or_default().parse::<u16>() else {
        return true;
    };
    match host {
        "" | "unix" => UnixStream::connect(format!("/tmp/.X11-unix/X{number}")).is_ok(),
        _ => TcpStream::connect((host, number.saturating_add(6000))).is_ok(),
    }
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn is_there() -> bool {
    true
}

/// Runs `work`, and returns the text of a panic as the error; the panic is not printed.
fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(usual);
    result.map_err(|payload| text_of(payload.as_ref()))
}

/// Returns the text of a panic's payload.
fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(payload.downcast_ref::<&str>().copied());
    text.unwrap_or("no reason was given").to_owned()
}

/// Derives the reason of a failure to open a window from `said`, the text of the panic. `display`:
/// name of the display.
fn understand(said: &str, display: &str) -> Reason {
    let library = said
        .split(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))
        .find(|word| word.starts_with("lib") && word.contains(".so"));
    if let Some(library) = library {
        return Reason::NoLibrary {
            library: library.trim_end_matches('.').to_owned(),
        };
    }
    if said.contains("adapter") || said.contains("Failed to create device") {
        return Reason::NoAdapter;
    }
    if said.contains("event loop") {
        return Reason::DeadDisplay {
            display: display.to_owned(),
        };
    }
    Reason::Other {
        said: said.lines().next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_names_the_way_without_a_window_and_a_package() {
        let said = [
            "Failed to create event loop: Os(OsError { error: XNotSupported(XOpenDisplayFailed) })",
            "Failed to create event loop: Os(... LibraryOpenError { kind: Library, detail: \"opening library failed \
             (libXcursor.so.1: cannot open shared object file)\" })",
            "Library libxkbcommon-x11.so could not be loaded.",
            "Failed to create a surface and find an adapter for it",
            "something new",
        ];
        let reasons = said.map(|said| understand(said, ":77"));
        assert_eq!(
            reasons[0],
            Reason::DeadDisplay {
                display: ":77".into()
            }
        );
        assert_eq!(
            reasons[1],
            Reason::NoLibrary {
                library: "libXcursor.so.1".into()
            }
        );
        assert_eq!(
            reasons[2],
            Reason::NoLibrary {
                library: "libxkbcommon-x11.so".into()
            }
        );
        assert_eq!(reasons[3], Reason::NoAdapter);
        let packages = [
            "mesa-vulkan-drivers",
            "libxcursor1",
            "libxkbcommon-x11-0",
            "mesa-vulkan-drivers",
            PACKAGES,
        ];
        for (reason, package) in reasons.into_iter().zip(packages) {
            let message = NoWindow { reason }.to_string();
            assert!(
                message.contains("lavoxel render") && message.contains(package),
                "{message}"
            );
        }
    }

    #[test]
    fn a_panic_becomes_its_text() {
        let said: Result<(), _> = quietly(|| panic!("library {} is gone", "libXi.so.6"));
        assert_eq!(said, Err("library libXi.so.6 is gone".to_owned()));
    }
}
