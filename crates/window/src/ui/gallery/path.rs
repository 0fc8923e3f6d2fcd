//! Text field of the start screen, in which the user types the name of a scene or a path; shows
//! completions of the typed path.

use kiss3d::egui::text::{CCursor, CCursorRange};
use kiss3d::egui::{Id, Key, RichText, TextEdit, Ui};

use crate::state::State;

/// Draws the text field for a scene's name or a path. Returns true if the user has pressed Enter,
/// which opens the typed scene.
pub(super) fn line(ui: &mut Ui, state: &mut State) -> bool {
    let id = Id::new("open path");
    // Focus is locked: Tab completes the name instead of leaving the field.
    let field = TextEdit::singleline(&mut state.shown.open_path)
        .id(id)
        .lock_focus(true)
        .desired_width(f32::INFINITY);
    let response = ui.add(
        field.hint_text("search the scenes, or type a path: island, scene.toml, mountain.tif …"),
    );
    if std::mem::take(&mut state.shown.focus_path) {
        response.request_focus();
    }
    let pressed = |ui: &Ui, key: Key| ui.input(|input| input.key_pressed(key));
    if response.has_focus()
        && pressed(ui, Key::Tab)
        && let Some(longer) = state.shown.completion.common(&state.shown.open_path)
    {
        complete(ui, state, id, longer);
    }
    offers(ui, state, id);
    // Enter takes the focus from the field; without any focus, Enter confirms the card chosen by
    // the arrow keys.
    let free = ui.memory(|memory| memory.focused().is_none());
    pressed(ui, Key::Enter) && (response.lost_focus() || free)
}

/// Draws the completions of the typed text; the completion that the user clicks replaces the typed
/// text. `id`: identifier of the text field.
fn offers(ui: &mut Ui, state: &mut State, id: Id) {
    let typed = state.shown.open_path.clone();
    if typed.is_empty() {
        return;
    }
    let names = state.shown.completion.candidates(&typed).to_vec();
    for name in names.into_iter().filter(|name| *name != typed) {
        if ui
            .selectable_label(false, RichText::new(&name).small())
            .clicked()
        {
            complete(ui, state, id, name);
        }
    }
}

/// Replaces the typed text by `text`, and moves the cursor to the end of the text. `id`: identifier
/// of the text field.
fn complete(ui: &Ui, state: &mut State, id: Id, text: String) {
    let end = CCursorRange::one(CCursor::new(text.chars().count()));
    state.shown.open_path = text;
    let mut edit = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    edit.cursor.set_char_range(Some(end));
    edit.store(ui.ctx(), id);
    ui.memory_mut(|memory| memory.request_focus(id));
}
