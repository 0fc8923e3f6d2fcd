//! Print over the live picture, and the bar with its numbers and buttons.

use kiss3d::egui::{
    Align2, Area, Button, Color32, Context, Id, LayerId, Order, Pos2, ProgressBar, Rect, RichText,
    Ui, pos2, vec2,
};

use super::{ACCENT, BRIGHT, FAINT, card, panel_width, timeline};
use crate::input::keys::Action;
use crate::paint::MOST_SAMPLES;
use crate::shell::print::PrintView;
use crate::state::{Request, State};

/// Width in points of the bar that shows the share of the samples.
const SHARE: f32 = 90.0;
/// Distance in points of the card from the timeline.
const OFF: f32 = 12.0;

/// Draws the print with its bar; does nothing without a print.
pub(super) fn draw(context: &Context, state: &mut State) {
    let Some(print) = state.print.clone() else {
        return;
    };
    let screen = context.content_rect();
    if let Some(picture) = &print.picture {
        let left = print.covered as f32 / context.pixels_per_point();
        let place = Rect::from_min_max(pos2(left, screen.top()), screen.right_bottom());
        let whole = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
        context.layer_painter(LayerId::background()).image(
            picture.id(),
            place,
            whole,
            Color32::WHITE,
        );
    }
    let panel = panel_width(&state.shown, screen.width());
    let up = timeline::height(state, screen.height()) + OFF;
    let area = Area::new(Id::new("print"))
        .order(Order::Middle)
        .anchor(Align2::CENTER_BOTTOM, vec2(0.5 * panel, -up));
    area.show(context, |ui| {
        card().show(ui, |ui| ui.horizontal(|ui| bar(ui, state, &print)));
    });
}

fn bar(ui: &mut Ui, state: &mut State, print: &PrintView) {
    let progress = print.progress;
    if print.picture.is_none() && progress.is_over {
        ui.label(RichText::new("stopped before the first picture").color(BRIGHT));
    } else if print.picture.is_none() {
        ui.spinner();
        ui.label(RichText::new("preparing the print").color(BRIGHT));
    } else {
        let share = progress.samples as f32 / MOST_SAMPLES as f32;
        let fill = if progress.is_over { FAINT } else { ACCENT };
        ui.add(
            ProgressBar::new(if progress.is_whole { share } else { 0.0 })
                .desired_width(SHARE)
                .desired_height(6.0)
                .fill(fill),
        );
        ui.label(RichText::new(numbers(print)).color(BRIGHT))
            .on_hover_text("Samples of light a pixel; noise before smoothing; time of tracing.");
    }
    let save = ui.add_enabled(print.can_be_saved, Button::new("Save"));
    if save
        .on_hover_text("PNG into lavoxel-out, in the resolution of the window (F12).")
        .clicked()
    {
        state.ask(Request::Do(Action::Screenshot { transparent: false }));
    }
    let stop = ui.add_enabled(!progress.is_over, Button::new("Stop"));
    if stop
        .on_hover_text("Traces no further; the picture stays.")
        .clicked()
    {
        state.ask(Request::StopPrint);
    }
    let close = ui.button("Close");
    if close
        .on_hover_text("Back to the live picture (Esc).")
        .clicked()
    {
        state.ask(Request::Do(Action::Print));
    }
}

/// Returns the numbers of `print` as text: samples, noise and time.
fn numbers(print: &PrintView) -> String {
    let progress = print.progress;
    let seconds = progress.took.as_secs_f64();
    if !progress.is_whole {
        return format!("a first picture · {seconds:.1} s");
    }
    let noise = if progress.noise.is_finite() {
        format!("{:.1} %", 100.0 * progress.noise)
    } else {
        "–".to_owned()
    };
    let samples = progress.samples;
    format!("{samples} of {MOST_SAMPLES} samples · noise {noise} · {seconds:.0} s")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::messages::Pace;
    use crate::paint::PrintProgress;
    use crate::ui::shapes;
    use kiss3d::egui::{ColorImage, TextureOptions};
    use lavoxel_scene::scene::Scene;

    /// Returns the texts over a print with the numbers `progress`.
    fn texts(progress: PrintProgress, is_there: bool) -> Vec<String> {
        let context = Context::default();
        let image = ColorImage::filled([4, 4], Color32::GRAY);
        let picture =
            is_there.then(|| context.load_texture("print", image, TextureOptions::LINEAR));
        let mut state = State::new(Scene::volcano(), Pace::Paused, true);
        state.print = Some(PrintView {
            picture,
            progress,
            ..PrintView::default()
        });
        let texts = shapes::texts(&context, vec2(1280.0, 800.0), |context| {
            draw(context, &mut state)
        });
        texts.into_iter().map(|text| text.words).collect()
    }

    #[test]
    fn the_bar_tells_samples_noise_and_seconds() {
        let progress = PrintProgress {
            samples: 24,
            noise: 0.0512,
            took: Duration::from_millis(12_300),
            is_whole: true,
            is_over: false,
        };
        let shown = texts(progress, true);
        let numbers = "24 of 256 samples · noise 5.1 % · 12 s";
        for wanted in [numbers, "Save", "Stop", "Close"] {
            assert!(
                shown.iter().any(|text| text == wanted),
                "{wanted}: {shown:?}"
            );
        }
        let first = PrintProgress {
            is_whole: false,
            ..progress
        };
        let shown = texts(first, true);
        assert!(shown.iter().any(|text| text == "a first picture · 12.3 s"));
        let shown = texts(PrintProgress::default(), false);
        assert!(shown.iter().any(|text| text == "preparing the print"));
    }
}
