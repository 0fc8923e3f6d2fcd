//! Open, save, screenshot and record.

use std::path::PathBuf;

use kiss3d::egui::text::{CCursor, CCursorRange};
use kiss3d::egui::{Align, Id, Key, RichText, TextEdit, Ui};

use super::FAINT;
use crate::viewer::keys::Action;
use crate::viewer::state::{Request, State};

/// Shows the buttons and the names.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    open(ui, state);
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, action: Action| {
            if ui.button(text).on_hover_text(hint).clicked() {
                state.ask(Request::Do(action));
            }
        };
        button("Save session", "As a scene that replays to the same bits (Ctrl+S).", Action::Save);
        button("Screenshot", "PNG of the picture without the panel (F12).", Action::Screenshot { transparent: false });
        button("transparent", "The same with a transparent sky (Shift+F12).", Action::Screenshot { transparent: true });
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
            .hint_text("file name (empty: automatic)")
            .desired_width(190.0);
        ui.add(field).on_hover_text("The ending chooses the format: .webp, .gif, .png, or .mp4 with ffmpeg installed.");
    });
    ui.label(
        RichText::new("Unnamed files go into lavoxel-out. Existing files are never overwritten.").small().color(FAINT),
    );
}

/// The name of a file to open, with its completions, and the system's dialog.
fn open(ui: &mut Ui, state: &mut State) {
    let id = Id::new("open path");
    let (mut entered, mut changed) = (false, false);
    ui.horizontal(|ui| {
        if ui.button("Open …").on_hover_text("Choose a scene or a heightmap (Ctrl+O), or drop it here.").clicked() {
            state.ask(Request::Do(Action::Open));
        }
        let field = TextEdit::singleline(&mut state.shown.open_path)
            .id(id)
            // Tab completes the name.
            .lock_focus(true)
            .hint_text("or type: scene.toml, mountain.tif, …")
            .desired_width(212.0);
        let response = ui.add(field).on_hover_text("Enter opens it, Tab completes it.");
        if std::mem::take(&mut state.shown.type_path) {
            response.request_focus();
            response.scroll_to_me(None);
            changed = true;
        }
        changed |= response.changed();
        entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if response.has_focus()
            && ui.input(|input| input.key_pressed(Key::Tab))
            && let Some(longer) = state.shown.completion.common(&state.shown.open_path)
        {
            complete(ui, state, id, longer);
        }
    });
    let path = state.shown.open_path.trim().to_owned();
    if entered && !path.is_empty() {
        state.ask(Request::Open(PathBuf::from(path)));
    } else if ui.memory(|memory| memory.has_focus(id)) {
        offers(ui, state, id);
        if changed {
            // The list grows below the part that is scrolled into view.
            ui.scroll_to_cursor(Some(Align::BOTTOM));
        }
    }
}

/// The completions of the typed name.
fn offers(ui: &mut Ui, state: &mut State, id: Id) {
    let typed = state.shown.open_path.clone();
    let names = state.shown.completion.of(&typed).to_vec();
    for name in names.into_iter().filter(|name| *name != typed) {
        if ui.selectable_label(false, RichText::new(&name).small()).clicked() {
            complete(ui, state, id, name);
        }
    }
}

/// Replaces the typed name and sets the cursor behind it.
fn complete(ui: &Ui, state: &mut State, id: Id, text: String) {
    let end = CCursorRange::one(CCursor::new(text.chars().count()));
    state.shown.open_path = text;
    let mut edit = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    edit.cursor.set_char_range(Some(end));
    edit.store(ui.ctx(), id);
    ui.memory_mut(|memory| memory.request_focus(id));
}
