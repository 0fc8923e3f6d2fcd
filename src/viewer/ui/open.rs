//! The dialog that opens a scene or a heightmap where the system has none: a name with its completions, the files opened
//! before, and the scenes inside the program.

use std::path::PathBuf;

use kiss3d::egui::text::{CCursor, CCursorRange};
use kiss3d::egui::{
    Align2, Color32, Context, Frame, Id, Key, Label, Order, RichText, ScrollArea, Sense, TextEdit, Ui, Window, vec2,
};

use super::{ACCENT, BRIGHT, FAINT};
use crate::shipped;
use crate::viewer::state::{Request, State};

/// Largest width and height in points.
const SIZE: (f32, f32) = (600.0, 520.0);
/// Width of the names of scenes.
const NAMES: f32 = 110.0;

/// Draws the dialog while it is open.
pub(super) fn draw(context: &Context, state: &mut State) {
    let mut open = state.shown.opening;
    if !open {
        return;
    }
    let screen = context.content_rect();
    let room = vec2(SIZE.0.min(screen.width() - 44.0), SIZE.1.min(screen.height() - 74.0)).max(vec2(120.0, 80.0));
    let window =
        Window::new("Open a scene or a heightmap").collapsible(false).resizable(false).order(Order::Foreground);
    window
        .open(&mut open)
        .frame(Frame::window(&context.global_style()).fill(Color32::from_rgb(20, 20, 24)))
        .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .fixed_size(room)
        .show(context, |ui| {
            ui.set_min_size(room);
            let mut chosen = path_line(ui, state);
            ui.separator();
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                if chosen.is_none() {
                    chosen = lists(ui, state);
                }
            });
            if let Some(path) = chosen {
                state.ask(Request::Open(path));
                state.shown.opening = false;
            }
        });
    let escaped = context.input(|input| input.key_pressed(Key::Escape));
    state.shown.opening &= open && !escaped;
}

/// The line for a name; gives the path that was entered.
fn path_line(ui: &mut Ui, state: &mut State) -> Option<PathBuf> {
    let id = Id::new("open path");
    // Tab completes the name.
    let field = TextEdit::singleline(&mut state.shown.open_path).id(id).lock_focus(true).desired_width(f32::INFINITY);
    let response = ui.add(field.hint_text("a name or a path: island, scene.toml, mountain.tif …"));
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
    ui.label(RichText::new("Enter opens it, Tab completes it, Esc closes this.").small().color(FAINT));
    let typed = state.shown.open_path.trim();
    (response.lost_focus() && pressed(ui, Key::Enter) && !typed.is_empty()).then(|| PathBuf::from(typed))
}

/// The completions of the typed name.
fn offers(ui: &mut Ui, state: &mut State, id: Id) {
    let typed = state.shown.open_path.clone();
    if typed.is_empty() {
        return;
    }
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

/// Files opened before, and the scenes of the program; gives the one that was clicked.
fn lists(ui: &mut Ui, state: &State) -> Option<PathBuf> {
    let mut chosen = None;
    if !state.recent.paths().is_empty() {
        ui.label(RichText::new("Opened before").strong().color(ACCENT));
        for path in state.recent.paths() {
            if row(ui, &path.display().to_string(), "") {
                chosen = Some(path.clone());
            }
        }
        ui.add_space(6.0);
    }
    ui.label(RichText::new("Scenes of the program").strong().color(ACCENT));
    for scene in fitting(&state.shown.open_path) {
        if row(ui, scene.name, &scene.about()) {
            chosen = Some(scene.path());
        }
    }
    chosen
}

/// The scenes whose name contains what is typed; all of them where none does.
fn fitting(typed: &str) -> Vec<shipped::Shipped> {
    let typed = typed.trim().to_lowercase();
    let some: Vec<_> = shipped::scenes().filter(|scene| scene.name.contains(&typed)).collect();
    if some.is_empty() { shipped::scenes().collect() } else { some }
}

/// A line of a name and what it shows, which can be clicked.
fn row(ui: &mut Ui, name: &str, about: &str) -> bool {
    let clicked = |ui: &mut Ui, text: RichText| ui.add(Label::new(text).truncate().sense(Sense::click())).clicked();
    let inner = ui.horizontal(|ui| {
        let mut hit = ui
            .scope(|ui| {
                if !about.is_empty() {
                    ui.set_min_width(NAMES);
                    ui.set_max_width(NAMES);
                }
                clicked(ui, RichText::new(name).color(BRIGHT))
            })
            .inner;
        if !about.is_empty() {
            hit |= clicked(ui, RichText::new(about).small().color(FAINT));
        }
        hit
    });
    let hover = inner.response.on_hover_cursor(kiss3d::egui::CursorIcon::PointingHand);
    inner.inner || hover.clicked()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::viewer::messages::Pace;
    use crate::viewer::ui::shapes;

    #[test]
    fn typing_narrows_the_scenes_down() {
        assert_eq!(fitting("isl").iter().map(|scene| scene.name).collect::<Vec<_>>(), ["island"]);
        assert_eq!(fitting("/home/x.asc").len(), shipped::scenes().count());
    }

    #[test]
    fn the_dialog_is_in_the_middle_of_the_window_and_lists_scenes() {
        for (width, height) in [(640.0, 400.0), (1280.0, 768.0)] {
            let context = Context::default();
            crate::viewer::ui::theme(&context);
            let mut state = State::new(Scene::volcano(), Pace::Paused, true);
            state.shown.opening = true;
            state.shown.focus_path = true;
            let texts = shapes::texts(&context, vec2(width, height), |context| draw(context, &mut state));
            let text = |name: &str| {
                let mut named = texts.iter().filter(|text| text.words == name);
                named.find(|text| text.clip.contains_rect(text.area)).map(|text| text.area)
            };
            let title = text("Open a scene or a heightmap").expect("the title is seen");
            assert!((title.center().x - 0.5 * width).abs() < 30.0, "{title:?}");
            assert!(text("basalt").is_some(), "scenes are listed at {width} × {height}");
            assert!(context.memory(|memory| memory.has_focus(Id::new("open path"))), "it takes what is typed");
        }
    }
}
