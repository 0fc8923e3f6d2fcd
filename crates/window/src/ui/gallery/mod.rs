//! Start screen, which is also the program's own file dialog: a text field for a name or a path,
//! recent files, and the built-in scenes with their pictures. A second page is the editor of a
//! random volcano.

mod path;
mod pictures;
mod volcano;

use std::path::PathBuf;

use kiss3d::egui::style::ScrollStyle;
use kiss3d::egui::text::{LayoutJob, TextFormat, TextWrapping};
use kiss3d::egui::{
    Align, Align2, Button, Color32, Context, CornerRadius, CursorIcon, FontId, Frame, Id, Image,
    Key, Layout, Modifiers, Order, Rect, Response, RichText, ScrollArea, Sense, Stroke, StrokeKind,
    Ui, Window, pos2, vec2,
};

use self::pictures::Pictures;
use self::volcano::Workshop;
use super::{ACCENT, BRIGHT, FAINT};
use crate::input::keys::{self, Action};
use crate::state::{Request, State};
use lavoxel_files::shipped::{self, Shipped};

/// Upper bounds of the start screen's width and height in points.
const SIZE: (f32, f32) = (1000.0, 640.0);
/// Width and height in points that frame and margins of the start screen take from the window.
const AROUND: (f32, f32) = (44.0, 74.0);
/// Smallest width of a scene's card in points.
const CARD: f32 = 168.0;
/// Margin around the picture of a card in points.
const MARGIN: f32 = 6.0;
/// Height of the text below the picture of a card, in points.
const WORDS: f32 = 62.0;
/// Ratio of a card picture's height to its width.
const FLAT: f32 = 2.0 / 3.0;
/// Gap between two cards in points.
const GAP: f32 = 8.0;
/// Upper bound of the number of lines of a scene's description on its card.
const LINES: usize = 2;

/// Page of the start screen that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    /// List of scenes and files to open.
    #[default]
    Scenes,
    /// Editor for a random volcano.
    Volcano,
}

/// State of the start screen, which persists while the screen is closed.
#[derive(Default)]
pub(crate) struct Gallery {
    page: Page,
    /// Index of the card selected by the arrow keys, counted among the visible cards; `None` if no
    /// card is selected.
    chosen: Option<usize>,
    /// Search text for which the card `chosen` was selected.
    typed: String,
    pictures: Pictures,
    workshop: Workshop,
    /// Set once the start screen has been drawn at least once since its opening.
    is_drawn: bool,
}

/// User's choice that closes the start screen.
enum Chosen {
    /// Path of the file, or name of the built-in scene, to open.
    Path(PathBuf),
    /// Scene to open that was generated as a random volcano.
    Made(Box<lavoxel_scene::scene::Scene>),
    /// Closes the start screen without opening anything.
    Nothing,
}

/// Draws the start screen while it is open, and queues a request for the user's choice.
pub(super) fn draw(context: &Context, state: &mut State) {
    if !state.shown.opening {
        state.gallery.is_drawn = false;
        return;
    }
    let mut gallery = std::mem::take(&mut state.gallery);
    let chosen = gallery.show(context, state);
    gallery.is_drawn = true;
    state.gallery = gallery;
    if let Some(chosen) = chosen {
        state.shown.opening = false;
        let for_second = std::mem::take(&mut state.shown.for_second);
        match chosen {
            Chosen::Path(path) if for_second => state.ask(Request::RunSecond(path)),
            Chosen::Made(scene) if for_second => state.ask(Request::RunSecondOf(scene)),
            Chosen::Path(path) => state.ask(Request::Open(path)),
            Chosen::Made(scene) => state.ask(Request::Make(scene)),
            Chosen::Nothing => {}
        }
    }
}

impl Gallery {
    fn show(&mut self, context: &Context, state: &mut State) -> Option<Chosen> {
        let screen = context.content_rect();
        let fits = |most: f32, screen: f32, around: f32| most.min(screen - around);
        let room = vec2(
            fits(SIZE.0, screen.width(), AROUND.0),
            fits(SIZE.1, screen.height(), AROUND.1),
        );
        let room = room.max(vec2(120.0, 80.0));
        let mut open = true;
        let mut chosen = None;
        let title = match self.page {
            Page::Scenes if state.shown.for_second => "Choose the scene of the second run",
            Page::Scenes => "Open a scene or a heightmap",
            Page::Volcano => "A volcano of your own",
        };
        let window = Window::new(title)
            .id(Id::new("gallery"))
            .collapsible(false)
            .resizable(false);
        let shown = window
            .order(Order::Foreground)
            .open(&mut open)
            .frame(Frame::window(&context.global_style()).fill(Color32::from_rgb(20, 20, 24)))
            .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
            .fixed_size(room)
            .show(context, |ui| {
                ui.set_min_size(room);
                ui.set_max_size(room);
                ui.spacing_mut().scroll = ScrollStyle {
                    bar_width: 9.0,
                    ..ScrollStyle::solid()
                };
                chosen = match self.page {
                    Page::Scenes => self.scenes(ui, state),
                    Page::Volcano => self.volcano(ui),
                };
            });
        let area = shown.map_or(screen, |shown| shown.response.rect);
        // Ignored in the first frame: the press that opened the screen is not a press outside.
        let beside = self.is_drawn && pressed_beside(context, area);
        if context.input(|input| input.key_pressed(Key::Escape)) && self.page == Page::Volcano {
            self.page = Page::Scenes;
        } else if !open || beside || context.input(|input| input.key_pressed(Key::Escape)) {
            chosen = chosen.or(Some(Chosen::Nothing));
        }
        chosen
    }

    /// Draws the page with scenes and files. Returns the user's choice; `None` if nothing was
    /// chosen.
    fn scenes(&mut self, ui: &mut Ui, state: &mut State) -> Option<Chosen> {
        let scenes = fitting(&state.shown.open_path);
        let columns = columns(ui.available_width());
        if self.typed != state.shown.open_path {
            self.typed.clone_from(&state.shown.open_path);
            self.chosen = (!self.typed.trim().is_empty() && names_some(&self.typed)).then_some(0);
        }
        let moved = self.steer(ui, columns, scenes.len());
        let entered = path::line(ui, state);
        self.buttons(ui, state);
        recent(ui, state).map(Chosen::Path).or_else(|| {
            ui.separator();
            let hit = self.cards(ui, &scenes, columns, moved);
            let of = |place: usize| scenes.get(place).map(|scene| Chosen::Path(scene.path()));
            match (entered, named_by(&state.shown.open_path, self.chosen)) {
                (false, _) => hit.and_then(of),
                (true, Some(path)) => Some(Chosen::Path(path)),
                (true, None) => self.chosen.and_then(of),
            }
        })
    }

    /// Moves the selection among the cards by the arrow keys. Returns true if the selection moved.
    /// `columns`: number of cards per row; `count`: number of all cards.
    fn steer(&mut self, ui: &Ui, columns: usize, count: usize) -> bool {
        let empty = self.typed.is_empty();
        let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let mut by = 0_isize;
        // While a name is typed, the left and right keys move the text cursor.
        let ways = [
            (Key::ArrowDown, columns as isize, true),
            (Key::ArrowUp, -(columns as isize), true),
        ];
        for (key, way, works) in ways
            .into_iter()
            .chain([(Key::ArrowRight, 1, empty), (Key::ArrowLeft, -1, empty)])
        {
            if works && pressed(key) {
                by += way;
            }
        }
        if by == 0 || count == 0 {
            return false;
        }
        self.chosen = Some(self.chosen.map_or(0, |now| {
            let next = now as isize + by;
            if (0..count as isize).contains(&next) {
                next as usize
            } else {
                now.min(count - 1)
            }
        }));
        true
    }

    /// Draws the buttons that open the file dialog and the page of the random volcano.
    fn buttons(&mut self, ui: &mut Ui, state: &mut State) {
        ui.horizontal_wrapped(|ui| {
            let key = keys::shown(Action::Open);
            let hint = format!("A scene, a session or a heightmap, in the dialog of the system ({key}).");
            if ui.button("Open a file …").on_hover_text(hint).clicked() {
                state.ask(Request::Do(Action::Open));
            }
            let hint = "A map of heights from anywhere, such as .tif, .asc, .hgt, .png or .npy: it gets a box around it and a vent on its \
                        summit. It may also be dropped onto the window.";
            if ui.button("Your heightmap …").on_hover_text(hint).clicked() {
                state.ask(Request::Do(Action::Open));
            }
            let random = Button::new(RichText::new("Random volcano …").color(BRIGHT)).fill(super::DEEP);
            if ui.add(random).on_hover_text("A volcano of a seed, as high, wide and rough as you like.").clicked() {
                self.page = Page::Volcano;
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(RichText::new("Enter opens, arrows choose, Esc goes on").small().color(FAINT));
            });
        });
    }

    /// Draws the scenes' cards, `columns` per row. `moved`: true if the selection has moved, so
    /// that the list scrolls to the selected card. Returns the index of the clicked card; `None`
    /// without a click.
    fn cards(
        &mut self,
        ui: &mut Ui,
        scenes: &[Shipped],
        columns: usize,
        moved: bool,
    ) -> Option<usize> {
        let mut hit = None;
        ScrollArea::vertical()
            .auto_shrink([false, false])
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing = vec2(GAP, GAP);
                let width = (ui.available_width() + GAP) / columns as f32 - GAP;
                for (row, line) in scenes.chunks(columns).enumerate() {
                    ui.horizontal(|ui| {
                        for (column, scene) in line.iter().enumerate() {
                            let place = row * columns + column;
                            let is_chosen = self.chosen == Some(place);
                            let card = card(ui, &mut self.pictures, *scene, (width, is_chosen));
                            if card.clicked() {
                                hit = Some(place);
                            }
                            if is_chosen && moved {
                                card.scroll_to_me(None);
                            }
                        }
                    });
                }
            });
        hit
    }

    /// Draws the page of the random volcano. Returns the scene to open; `None` until the user has
    /// confirmed.
    fn volcano(&mut self, ui: &mut Ui) -> Option<Chosen> {
        let made = self.workshop.show(ui);
        if self.workshop.goes_back() {
            self.page = Page::Scenes;
        }
        made.map(|scene| Chosen::Made(Box::new(scene)))
    }
}

/// Returns true if a mouse button was pressed outside `area`, with a tolerance of 4 points.
fn pressed_beside(context: &Context, area: Rect) -> bool {
    let at = context.input(|input| {
        input
            .pointer
            .any_pressed()
            .then(|| input.pointer.interact_pos())
            .flatten()
    });
    at.is_some_and(|at| !area.expand(4.0).contains(at))
}

/// Returns the typed text as a path; `None` for an empty text. While a card is selected (`chosen`
/// is its index), returns the path only if a file with that path exists.
fn named_by(typed: &str, chosen: Option<usize>) -> Option<PathBuf> {
    let path = PathBuf::from(typed.trim());
    (!typed.trim().is_empty() && (chosen.is_none() || path.is_file())).then_some(path)
}

/// Returns the number of cards that fit into a row of `width` points, at least 1.
fn columns(width: f32) -> usize {
    // The scroll bar at the right takes 12 points.
    (((width - 12.0 + GAP) / (CARD + GAP)) as usize).max(1)
}

/// Names of the scenes that are listed first while no search text is typed; after these, all
/// remaining scenes follow by name.
const FIRST: [&str; 14] = [
    "eruption",
    "island",
    "maunga_whau",
    "coast",
    "lake",
    "village",
    "channel",
    "forest",
    "mould",
    "plume",
    "ice",
    "chocolate",
    "dunes",
    "vessels",
];

/// Returns the built-in scenes whose name or description contains `typed`, those with a matching
/// name first; all scenes if none matches.
fn fitting(typed: &str) -> Vec<Shipped> {
    let mut some: Vec<_> = named(typed).collect();
    let typed = typed.trim().to_lowercase();
    if some.is_empty() {
        some = shipped::scenes().collect();
    }
    if typed.is_empty() || !names_some(&typed) {
        some.sort_by_key(|scene| {
            FIRST
                .iter()
                .position(|first| *first == scene.name)
                .unwrap_or(FIRST.len())
        });
    } else {
        some.sort_by_key(|scene| (scene.name != typed, !scene.name.contains(&typed)));
    }
    some
}

/// Returns true if at least one built-in scene has a name or description that contains `typed`.
fn names_some(typed: &str) -> bool {
    named(typed).next().is_some()
}

fn named(typed: &str) -> impl Iterator<Item = Shipped> {
    let typed = typed.trim().to_lowercase();
    let fits = move |scene: &Shipped| {
        scene.name.contains(&typed) || scene.about().to_lowercase().contains(&typed)
    };
    shipped::scenes().filter(fits)
}

/// Draws a button for each recent file. Returns the clicked file; `None` without a click.
fn recent(ui: &mut Ui, state: &State) -> Option<PathBuf> {
    let paths = state.recent.paths();
    if paths.is_empty() {
        return None;
    }
    let mut chosen = None;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Opened before").strong().color(ACCENT));
        for path in paths {
            let name = path
                .file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy();
            if ui
                .button(&*name)
                .on_hover_text(path.display().to_string())
                .clicked()
            {
                chosen = Some(path.clone());
            }
        }
    });
    chosen
}

/// Draws the card of a scene: picture, name and description. `width`: width of the card in points;
/// `is_chosen`: true if the card is selected.
fn card(
    ui: &mut Ui,
    pictures: &mut Pictures,
    scene: Shipped,
    (width, is_chosen): (f32, bool),
) -> Response {
    let about = scene.about();
    let inner = width - 2.0 * MARGIN;
    let size = vec2(width, MARGIN + (inner * FLAT).round() + WORDS);
    let (area, response) = ui.allocate_exact_size(size, Sense::click());
    // A card outside the visible area needs only its space, neither text nor picture.
    if !ui.is_rect_visible(area) {
        return response;
    }
    let mut response = response.on_hover_cursor(CursorIcon::PointingHand);
    let lit = is_chosen || response.hovered();
    let (fill, edge) = match lit {
        true => (Color32::from_rgb(44, 38, 35), ACCENT),
        false => (Color32::from_rgb(30, 30, 34), Color32::from_rgb(46, 46, 52)),
    };
    let round = CornerRadius::same(5);
    ui.painter().rect(
        area,
        round,
        fill,
        Stroke::new(if is_chosen { 2.0 } else { 1.0 }, edge),
        StrokeKind::Inside,
    );
    let picture = Rect::from_min_size(
        area.min + vec2(MARGIN, MARGIN),
        vec2(inner, (inner * FLAT).round()),
    );
    if let Some(texture) = pictures.texture(ui.ctx(), scene.name) {
        Image::from_texture((texture.id(), picture.size()))
            .corner_radius(CornerRadius::same(3))
            .paint_at(ui, picture);
    }
    let left = pos2(picture.left() + 2.0, picture.bottom() + 5.0);
    ui.painter().text(
        left,
        Align2::LEFT_TOP,
        scene.name,
        FontId::proportional(13.0),
        BRIGHT,
    );
    let mut job = LayoutJob::single_section(
        about.clone(),
        TextFormat::simple(FontId::proportional(10.5), FAINT),
    );
    job.wrap = TextWrapping {
        max_width: inner - 4.0,
        max_rows: LINES,
        ..TextWrapping::default()
    };
    let galley = ui.painter().layout_job(job);
    if galley.elided {
        response = response.on_hover_text(about);
    }
    ui.painter().galley(left + vec2(0.0, 18.0), galley, FAINT);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Pace;
    use crate::ui::shapes;
    use lavoxel_scene::scene::Scene;

    #[test]
    fn typing_narrows_the_scenes_down_by_name_and_words() {
        assert_eq!(
            fitting("isl")
                .iter()
                .map(|scene| scene.name)
                .collect::<Vec<_>>()[..1],
            ["island"]
        );
        assert!(
            fitting("wax")
                .iter()
                .all(|scene| scene.name.contains("wax") || scene.about().contains("wax"))
        );
        assert_eq!(fitting("/home/x.asc").len(), shipped::scenes().count());
        assert!(!names_some("/home/x.asc"));
    }

    #[test]
    fn the_screen_is_in_the_middle_of_the_window_and_shows_scenes() {
        for (width, height) in [(320.0, 400.0), (640.0, 400.0), (1280.0, 720.0)] {
            let context = Context::default();
            crate::ui::theme(&context);
            let mut state = State::new(Scene::volcano(), Pace::Paused, true);
            state.shown.opening = true;
            state.shown.focus_path = true;
            let texts = shapes::texts(&context, vec2(width, height), |context| {
                draw(context, &mut state)
            });
            let text = |name: &str| {
                let mut named = texts.iter().filter(|text| text.words == name);
                named
                    .find(|text| text.clip.contains_rect(text.area))
                    .map(|text| text.area)
            };
            let title = text("Open a scene or a heightmap").expect("the title is seen");
            assert!((title.center().x - 0.5 * width).abs() < 30.0, "{title:?}");
            assert!(
                text("eruption").is_some(),
                "scenes are shown at {width} × {height}"
            );
            assert!(
                context.memory(|memory| memory.has_focus(Id::new("open path"))),
                "it takes what is typed"
            );
        }
    }
}
