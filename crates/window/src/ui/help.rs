//! Help window: the list of all keys, in as many columns as fit the screen.

use std::ops::Range;

use kiss3d::egui::scroll_area::ScrollBarVisibility;
use kiss3d::egui::style::ScrollStyle;
use kiss3d::egui::{
    Align2, Color32, Context, FontId, Frame, Grid, Order, RichText, ScrollArea, Ui, Vec2, Window,
    vec2,
};

use super::{ACCENT, BRIGHT};
use crate::input::keys::{Action, BINDINGS, Group, HELD};
use crate::state::{Request, State};

/// Horizontal gaps in points: first between two columns of the help window, second between the keys
/// and their effect in a row.
const GAPS: (f32, f32) = (26.0, 10.0);
/// Width and height in points that the frame of the help window needs around the columns.
const FRAME: (f32, f32) = (44.0, 74.0);
/// Font sizes of the help window in points, the default first; a smaller size is used only where
/// all keys fit the screen in that size.
const LETTERS: [f32; 5] = [12.0, 11.5, 11.0, 10.5, 10.0];
/// Height in points that a row of the help needs in addition to its font size.
const ROW: f32 = 4.5;
/// Height in points that a heading of the help needs in addition to a row.
const HEADING: f32 = 9.0;
/// Height in points of the button "Start the tour" above the columns.
const BUTTON: f32 = 30.0;

/// Group of key bindings under a common heading; each row has the keys and their effect.
struct Block {
    heading: &'static str,
    rows: Vec<(&'static str, &'static str)>,
}

/// Draws the help window while it is open.
pub(super) fn draw(context: &Context, state: &mut State) {
    let mut open = state.shown.help;
    let screen = context.content_rect();
    let room = vec2(screen.width() - FRAME.0, screen.height() - FRAME.1).max(vec2(120.0, 80.0));
    let blocks = blocks();
    Window::new("Keys and mouse")
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .order(Order::Foreground)
        .frame(Frame::window(&context.global_style()).fill(Color32::from_rgb(20, 20, 24)))
        .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
        // The default maximum size would hide columns that fit the screen.
        .max_size(room)
        .default_size(room)
        .show(context, |ui| {
            if ui
                .button("Start the tour")
                .on_hover_text("Five things to try.")
                .clicked()
            {
                state.ask(Request::Do(Action::Tour));
            }
            ui.spacing_mut().scroll = ScrollStyle {
                bar_width: 9.0,
                ..ScrollStyle::solid()
            };
            ui.visuals_mut().widgets.inactive.bg_fill = ACCENT;
            let (letters, columns) = fitted(ui, &blocks, room - vec2(0.0, BUTTON));
            let area = ScrollArea::both().max_width(room.x).max_height(room.y);
            area.scroll_bar_visibility(ScrollBarVisibility::VisibleWhenNeeded)
                .show(ui, |ui| {
                    ui.horizontal_top(|ui| {
                        ui.spacing_mut().item_spacing.x = GAPS.0;
                        for column in columns {
                            ui.vertical(|ui| {
                                blocks[column]
                                    .iter()
                                    .for_each(|block| show(ui, block, letters))
                            });
                        }
                    });
                });
        });
    state.shown.help &= open;
}

fn blocks() -> Vec<Block> {
    let keys = |group: &Group| {
        let rows = BINDINGS.iter().filter(|binding| binding.group == *group);
        Block {
            heading: group.name(),
            rows: rows.map(|binding| (binding.shown, binding.what)).collect(),
        }
    };
    let mut blocks: Vec<Block> = Group::ALL.iter().map(keys).collect();
    blocks.push(Block {
        heading: "Mouse, and keys to hold",
        rows: HELD.to_vec(),
    });
    blocks
}

/// Returns the font size in points, and the columns as ranges of `blocks`: the largest font with
/// which all columns fit into `room` (width and height in points), else the default font with
/// vertical scrolling.
fn fitted(ui: &Ui, blocks: &[Block], room: Vec2) -> (f32, Vec<Range<usize>>) {
    let lengths: Vec<usize> = blocks.iter().map(|block| block.rows.len() + 1).collect();
    let arranged = |letters: f32| {
        let wide = |block: &Block| {
            let text = |text: &str| {
                ui.painter()
                    .layout_no_wrap(text.to_owned(), FontId::proportional(letters), BRIGHT)
                    .size()
                    .x
            };
            let widest =
                |texts: &mut dyn Iterator<Item = &'static str>| texts.map(text).fold(0.0, f32::max);
            widest(&mut block.rows.iter().map(|row| row.0))
                + GAPS.1
                + widest(&mut block.rows.iter().map(|row| row.1))
        };
        let widths: Vec<f32> = blocks.iter().map(wide).collect();
        let total = |columns: &[Range<usize>]| {
            let width =
                |column: &Range<usize>| widths[column.clone()].iter().copied().fold(0.0, f32::max);
            columns.iter().map(width).sum::<f32>() + GAPS.0 * columns.len().saturating_sub(1) as f32
        };
        // The largest number of columns comes first, since it makes the list lowest.
        let counts = (1..=blocks.len()).rev();
        let fitting = counts
            .map(|count| columns(&lengths, count))
            .find(|columns| total(columns) <= room.x);
        fitting.unwrap_or_else(|| columns(&lengths, 1))
    };
    let high = |letters: f32, columns: &[Range<usize>]| {
        let rows = |column: &Range<usize>| {
            let lines = lengths[column.clone()].iter().sum::<usize>() as f32;
            lines * (letters + ROW) + HEADING * column.len() as f32
        };
        columns.iter().map(rows).fold(0.0, f32::max)
    };
    let tried = LETTERS
        .into_iter()
        .map(|letters| (letters, arranged(letters)));
    let fits = tried
        .into_iter()
        .find(|(letters, columns)| high(*letters, columns) <= room.y);
    fits.unwrap_or_else(|| (LETTERS[0], arranged(LETTERS[0])))
}

/// Distributes `lengths.len()` groups of rows in order over at most `count` columns, so that the
/// longest column is as short as possible. `lengths`: number of rows of each group. Returns for
/// each column its range of groups.
fn columns(lengths: &[usize], count: usize) -> Vec<Range<usize>> {
    let total: usize = lengths.iter().sum();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    (longest..=total)
        .map(|limit| dealt(lengths, limit))
        .find(|columns| columns.len() <= count)
        .unwrap_or_default()
}

/// Distributes groups of rows in order over columns of at most `limit` rows; a longer group has a
/// column of its own. `lengths`: number of rows of each group. Returns for each column its range of
/// groups.
fn dealt(lengths: &[usize], limit: usize) -> Vec<Range<usize>> {
    let (mut columns, mut start, mut rows) = (Vec::new(), 0, 0);
    for (i, length) in lengths.iter().enumerate() {
        if rows + length > limit && i > start {
            columns.push(start..i);
            (start, rows) = (i, 0);
        }
        rows += length;
    }
    columns.push(start..lengths.len());
    columns
}

fn show(ui: &mut Ui, block: &Block, letters: f32) {
    ui.spacing_mut().interact_size.y = letters + 3.0;
    ui.add_space(3.0);
    ui.label(RichText::new(block.heading).strong().color(ACCENT));
    let grid = Grid::new(block.heading)
        .num_columns(2)
        .spacing(vec2(GAPS.1, 1.0))
        .min_row_height(letters + 3.0);
    grid.show(ui, |ui| {
        for (key, what) in &block.rows {
            ui.label(RichText::new(*key).size(letters).strong().color(BRIGHT));
            ui.label(RichText::new(*what).size(letters));
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Pace;
    use crate::ui::shapes;
    use lavoxel_scene::scene::Scene;

    #[test]
    fn columns_are_even_and_in_order() {
        assert_eq!(columns(&[10, 14, 9, 12, 11, 7], 3), [0..2, 2..4, 4..6]);
        assert_eq!(columns(&[10, 14, 9], 8), [0..1, 1..2, 2..3]);
        assert_eq!(columns(&[10, 14, 9], 1).len(), 1);
    }

    /// Width in points of the border of the screen in which a text does not count as visible,
    /// because texts in the real window are a little larger than in the test.
    const ROOM: f32 = 6.0;

    /// Returns the texts of the help window that are visible without scrolling on a screen of
    /// `width` × `height` points.
    fn legible(width: f32, height: f32) -> Vec<String> {
        let context = Context::default();
        crate::ui::theme(&context);
        let mut state = State::new(Scene::volcano(), Pace::Paused, true);
        state.shown.help = true;
        let texts = shapes::texts(&context, vec2(width, height), |context| {
            draw(context, &mut state)
        });
        let shown = texts
            .into_iter()
            .filter(|text| text.clip.shrink(ROOM).contains_rect(text.area));
        shown.map(|text| text.words).collect()
    }

    #[test]
    fn a_usual_window_shows_every_key_at_once() {
        for (width, height) in [
            (1234.0, 692.0),
            (1280.0, 660.0),
            (1280.0, 800.0),
            (1900.0, 1060.0),
        ] {
            let texts = legible(width, height);
            for binding in BINDINGS {
                assert!(
                    texts.iter().any(|text| text == binding.what),
                    "{} at {width} × {height}",
                    binding.what
                );
            }
            assert!(
                HELD.iter()
                    .all(|(_, what)| texts.iter().any(|text| text == what)),
                "{width} × {height}"
            );
        }
        assert!(!legible(640.0, 400.0).is_empty());
    }
}
