//! Messages at the head of the window, out of the way of colour bars.

use std::time::Instant;

use kiss3d::egui::{Align2, Area, Context, Id, Order, RichText, Stroke, vec2};

use super::{ACCENT, BRIGHT, WRONG, card};
use crate::viewer::state::State;

/// Draws the messages to show now.
pub(super) fn draw(context: &Context, state: &mut State) {
    if state.toasts.is_empty() {
        return;
    }
    let area = Area::new(Id::new("toasts")).order(Order::Tooltip).interactable(false);
    let screen = context.content_rect().width();
    let panel = super::panel_width(&state.shown, screen);
    let width = (screen - panel - 40.0).clamp(160.0, 620.0);
    area.anchor(Align2::CENTER_TOP, vec2(0.5 * panel, 12.0)).show(context, |ui| {
        ui.set_max_width(width);
        for notice in state.toasts.at(Instant::now()) {
            let (edge, text) = if notice.wrong { (WRONG, WRONG) } else { (ACCENT, BRIGHT) };
            card().stroke(Stroke::new(1.0, edge)).show(ui, |ui| ui.label(RichText::new(&notice.text).color(text)));
        }
    });
}
