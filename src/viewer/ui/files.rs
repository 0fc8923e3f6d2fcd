//! Open, save, screenshot and record.

use std::path::PathBuf;

use kiss3d::egui::{Key, RichText, TextEdit, Ui};

use super::FAINT;
use crate::viewer::keys::Action;
use crate::viewer::state::{Request, State};

/// Shows the buttons and the names.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    ui.horizontal(|ui| {
        let field = TextEdit::singleline(&mut state.shown.open_path)
            .hint_text("scene.toml, mountain.tif, .asc, .hgt, .png …")
            .desired_width(230.0);
        let response = ui.add(field).on_hover_text("A scene or a heightmap; or drop the file onto the window.");
        if std::mem::take(&mut state.shown.type_path) {
            response.request_focus();
            response.scroll_to_me(None);
        }
        let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let path = state.shown.open_path.trim().to_owned();
        if (ui.button("Open").clicked() || entered) && !path.is_empty() {
            state.ask(Request::Open(PathBuf::from(path)));
        }
    });
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, action: Action| {
            if ui.button(text).on_hover_text(hint).clicked() {
                state.ask(Request::Do(action));
            }
        };
        button("Save session", "As a scene that replays to the same bits (Ctrl+S).", Action::Save);
        button("Screenshot", "PNG of the picture without the panel (F12).", Action::Screenshot { transparent: false });
        button(
            "transparent",
            "The same with a sky that one can see through (Shift+F12).",
            Action::Screenshot { transparent: true },
        );
    });
    ui.horizontal(|ui| {
        let (text, hint) = match state.frame.recording {
            Some(_) => ("■ End", "End the recording and complete the file (F9 or R)."),
            None => ("● Record", "Record what is seen, without the panel (F9 or R)."),
        };
        if ui.button(RichText::new(text).color(super::WRONG)).on_hover_text(hint).clicked() {
            state.ask(Request::Do(Action::Record));
        }
        let field = TextEdit::singleline(&mut state.shown.record_path)
            .hint_text("name, or left free: WebP")
            .desired_width(190.0);
        ui.add(field).on_hover_text("The ending chooses the format: .webp, .gif, .png, or .mp4 with ffmpeg installed.");
    });
    ui.label(RichText::new("Unnamed files go into lavoxel-out; none is ever replaced.").small().color(FAINT));
}
