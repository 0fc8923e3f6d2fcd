//! Folded panel: a narrow bar at the left of the window with buttons for the most important
//! actions.

use kiss3d::egui::{Button, Context, Margin, RichText, Ui, vec2};

use super::BRIGHT;
use crate::input::keys::Action;
use crate::messages::Pace;
use crate::state::{Request, State};

/// Draws the narrow bar that replaces the folded panel; the first button unfolds the panel.
pub(super) fn draw(context: &Context, state: &mut State) {
    let screen = context.content_rect();
    super::docked(context, "bar", Margin::symmetric(5, 8), |ui| {
        ui.set_width(super::BAR - 12.0);
        ui.set_height((screen.height() - 18.0).max(60.0));
        if button(ui, "»", "Unfold the panel") {
            state.shown.folded = Some(false);
        }
        ui.separator();
        let paused = state.pace.value == Pace::Paused;
        let run = if paused {
            ("▶", "Run (Space)")
        } else {
            ("⏸", "Pause (Space)")
        };
        let actions = [
            (run, Action::Run),
            (("⏭", "One step (.)"), Action::Step),
            (
                ("⏮", "Back to step 0; what was done stays (Backspace)"),
                Action::Reset,
            ),
            (("🏠", "The scene's camera (Home)"), Action::ResetCamera),
            (("?", "Keys and mouse (F1)"), Action::Help),
        ];
        for ((symbol, hint), action) in actions {
            if button(ui, symbol, hint) {
                state.ask(Request::Do(action));
            }
        }
        if let Some(seconds) = state.frame.recording {
            let text = RichText::new(format!("● {seconds:.0}"))
                .small()
                .color(super::WRONG);
            ui.label(text).on_hover_text("seconds recorded");
        }
    });
}

fn button(ui: &mut Ui, symbol: &str, hint: &str) -> bool {
    let text = RichText::new(symbol).size(14.0).color(BRIGHT);
    ui.add(Button::new(text).min_size(vec2(28.0, 26.0)))
        .on_hover_text(hint)
        .clicked()
}
