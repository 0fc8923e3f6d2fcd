//! Default size of the window: 1280 × 800 points, or less on a small screen.

/// Default width and height of the window in points.
const WISHED: (f64, f64) = (1280.0, 800.0);
/// Width and height in points of the screen that title bar, window frame and the desktop's bars
/// need.
const MARGIN: (f64, f64) = (46.0, 108.0);
/// Width and height in points assumed for a screen of unknown size: those of a small laptop.
const LAPTOP: (f64, f64) = (1366.0, 768.0);
/// Smallest width and height of a window in points.
const LEAST: (f64, f64) = (320.0, 240.0);

/// Returns the default width and height of the window in points: `WISHED`, but no more than fits on
/// the screen.
pub(crate) fn fitting_size() -> (u32, u32) {
    fitting(monitor().unwrap_or(LAPTOP))
}

fn fitting(screen: (f64, f64)) -> (u32, u32) {
    let side = |wished: f64, screen: f64, margin: f64, least: f64| {
        wished.min(screen - margin).max(least) as u32
    };
    (
        side(WISHED.0, screen.0, MARGIN.0, LEAST.0),
        side(WISHED.1, screen.1, MARGIN.1, LEAST.1),
    )
}

/// Returns width and height of the primary monitor in points; `None` if unknown.
#[cfg(all(unix, not(target_os = "macos")))]
fn monitor() -> Option<(f64, f64)> {
    use x11rb::connection::Connection;
    use x11rb::protocol::randr::ConnectionExt;

    let (connection, number) = x11rb::connect(None).ok()?;
    let screen = connection.setup().roots.get(number)?;
    let monitors = connection
        .randr_get_monitors(screen.root, true)
        .ok()
        .and_then(|asked| asked.reply().ok());
    let monitors = monitors.map(|reply| reply.monitors).unwrap_or_default();
    let main = monitors
        .iter()
        .find(|monitor| monitor.primary)
        .or(monitors.first());
    let (pixels, millimetres) = match main {
        Some(m) => (
            (m.width, m.height),
            (m.width_in_millimeters, m.height_in_millimeters),
        ),
        None => {
            let size_mm = (
                screen.width_in_millimeters.into(),
                screen.height_in_millimeters.into(),
            );
            ((screen.width_in_pixels, screen.height_in_pixels), size_mm)
        }
    };
    let pixels = (f64::from(pixels.0), f64::from(pixels.1));
    let resources = x11rb::resource_manager::new_from_default(&connection).ok();
    let dpi =
        resources.and_then(|resources| resources.get_value::<f64>("Xft.dpi", "").ok().flatten());
    let millimetres = (f64::from(millimetres.0), f64::from(millimetres.1));
    let scale = dpi
        .map_or_else(|| scale_of(pixels, millimetres), |dpi| dpi / 96.0)
        .clamp(0.5, 8.0);
    Some((pixels.0 / scale, pixels.1 / scale))
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn monitor() -> Option<(f64, f64)> {
    None
}

/// Returns the estimated scale factor (pixels per point) of a monitor with the size `pixels`
/// (width, height) in pixels and `millimetres` in millimetres: rounded to twelfths, at least 1, as
/// winit does.
#[cfg(all(unix, not(target_os = "macos")))]
fn scale_of(pixels: (f64, f64), millimetres: (f64, f64)) -> f64 {
    let per_mm = (pixels.0 * pixels.1 / (millimetres.0 * millimetres.1)).sqrt();
    let scale = (per_mm * 12.0 * 25.4 / 96.0).round() / 12.0;
    if scale.is_finite() && (1.0..=20.0).contains(&scale) {
        scale
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_fits_its_screen() {
        assert_eq!(fitting((1920.0, 1080.0)), (1280, 800));
        assert_eq!(fitting(LAPTOP), (1280, 660));
        assert_eq!(fitting((1024.0, 600.0)), (978, 492));
        assert_eq!(fitting((200.0, 100.0)), (320, 240));
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    #[test]
    fn fine_screens_have_more_pixels_to_a_point() {
        assert_eq!(scale_of((1366.0, 768.0), (344.0, 194.0)), 13.0 / 12.0);
        assert_eq!(scale_of((3840.0, 2160.0), (344.0, 193.0)), 35.0 / 12.0);
        assert_eq!(scale_of((1024.0, 768.0), (0.0, 0.0)), 1.0);
    }
}
