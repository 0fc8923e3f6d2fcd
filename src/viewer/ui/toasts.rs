//! Messages at the head of the window, out of the way of colour bars.

use std::time::Instant;

use kiss3d::egui::{Align2, Area, Context, Id, Order, RichText, Stroke, Ui, vec2};

use super::{ACCENT, BRIGHT, WRONG, card};
use crate::viewer::messages::{Mend, Notice};
use crate::viewer::state::State;

/// Draws the messages to show now, with the button of one that offers a mend.
pub(super) fn draw(context: &Context, state: &mut State) {
    if state.toasts.is_empty() {
        return;
    }
    let notices: Vec<Notice> = state.toasts.at(Instant::now()).cloned().collect();
    let offers = notices.iter().any(|notice| notice.mend.is_some());
    let area = Area::new(Id::new("toasts")).order(Order::Tooltip).interactable(offers);
    let screen = context.content_rect().width();
    let panel = super::panel_width(&state.shown, screen);
    let width = (screen - panel - 40.0).clamp(160.0, 620.0);
    area.anchor(Align2::CENTER_TOP, vec2(0.5 * panel, 12.0)).show(context, |ui| {
        ui.set_max_width(width);
        for notice in &notices {
            let (edge, text) = if notice.wrong { (WRONG, WRONG) } else { (ACCENT, BRIGHT) };
            card().stroke(Stroke::new(1.0, edge)).show(ui, |ui| {
                ui.label(RichText::new(&notice.text).color(text));
                if let Some(mend) = notice.mend {
                    mend_button(ui, state, (notice, mend));
                }
            });
        }
    });
}

/// The button that brings a mend, and one that takes the message away.
fn mend_button(ui: &mut Ui, state: &mut State, (notice, mend): (&Notice, Mend)) {
    ui.horizontal(|ui| {
        let Mend::OpenSides = mend;
        let hint = "Opens the four sides of the box from now on; the session records it.";
        if ui.button("Let it leave").on_hover_text(hint).clicked() {
            state.open_sides();
            state.toasts.dismiss(notice);
        }
        if ui.button("Hold it back").on_hover_text("Takes this message away.").clicked() {
            state.toasts.dismiss(notice);
        }
    });
}
