//! File section of the panel: open, save, screenshot and record.

use kiss3d::egui::{RichText, TextEdit, Ui};

use super::FAINT;
use crate::input::keys::Action;
use crate::state::{Request, State};
use lavoxel_io::export::animation_formats;

/// Draws the file section of the panel: buttons, and the text field for the name of a recording.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, action: Action| {
            if ui.button(text).on_hover_text(hint).clicked() {
                state.ask(Request::Do(action));
            }
        };
        button(
            "Open …",
            "Choose a scene or a heightmap (Ctrl+O), or drop it here.",
            Action::Open,
        );
        button(
            "Save",
            "The session, as a scene that replays to the same bits (Ctrl+S).",
            Action::Save,
        );
        button(
            "Picture",
            "PNG of the picture without the panel (F12).",
            Action::Screenshot { transparent: false },
        );
        button(
            "transparent",
            "The same with a transparent sky (Shift+F12).",
            Action::Screenshot { transparent: true },
        );
    });
    ui.horizontal(|ui| {
        let hint = "Scenes with pictures, files opened before, a volcano of your own (Ctrl+N).";
        if ui.button("Start screen …").on_hover_text(hint).clicked() {
            state.ask(Request::Do(Action::Start));
        }
        let (text, hint) = match &state.runs {
            Some(_) => (
                "Close the second run",
                "Ends the right run and frees its memory (B).",
            ),
            None => ("Run beside …", super::runs::HINT),
        };
        if ui.button(text).on_hover_text(hint).clicked() {
            state.ask(Request::Do(Action::Second));
        }
    });
    ui.horizontal(|ui| {
        let hint = "Opens the scene again, as it was opened, in cells half as large: eight times the cells, and twice the steps for the \
                    same time. What was done by hand is not in it; save it first.";
        if ui.button("Finer cells").on_hover_text(hint).clicked() {
            state.ask(Request::Finer);
        }
        let hint = "The question again which of the two models runs on this heightmap: the classic one, or the physical one in m³/s and hours.";
        if state.shown.models.is_some() && ui.button("Model …").on_hover_text(hint).clicked() {
            state.shown.model_chosen = false;
        }
    });
    ui.horizontal(|ui| {
        let (text, hint) = match state.frame.recording {
            Some(_) => (
                "■ End",
                "End the recording and complete the file (F9 or R).",
            ),
            None => (
                "● Record",
                "Record what is seen, without the panel (F9 or R).",
            ),
        };
        if ui
            .button(RichText::new(text).color(super::WRONG))
            .on_hover_text(hint)
            .clicked()
        {
            state.ask(Request::Do(Action::Record));
        }
        let field = TextEdit::singleline(&mut state.shown.record_path)
            .hint_text("file name (empty: automatic)")
            .desired_width(190.0);
        ui.add(field).on_hover_text(format!(
            "The ending chooses the format: {}.",
            animation_formats()
        ));
    });
    ui.label(
        RichText::new("Unnamed files go into lavoxel-out. Existing files are never overwritten.")
            .small()
            .color(FAINT),
    );
}
