//! Divider between two pictures in the window, which the user can drag, and the labels of both
//! pictures. For a comparison of branches, the picture of the other branch is drawn left of the
//! divider.

use kiss3d::egui::{
    Align2, Area, Color32, Context, CursorIcon, FontId, Id, LayerId, Order, Painter, Pos2, Rect,
    Sense, Stroke, pos2, vec2,
};

use super::{BRIGHT, SHADE};
use crate::state::State;

/// Width in points of the area in which the divider can be grabbed.
const GRIP: f32 = 12.0;

/// Lower and upper bound of the position of the divider between two runs, as fractions of the
/// window's width without the panel.
const BETWEEN: (f32, f32) = (0.1, 0.9);

/// Returns the x position in points of the divider between two runs, in a window of `width` points;
/// `None` without a second run.
pub(crate) fn between_runs(state: &State, width: f32) -> Option<f32> {
    let sides = state.sides.as_ref().filter(|sides| sides.are_runs())?;
    let left = super::panel_width(&state.shown, width);
    let share = sides.divider.clamp(BETWEEN.0, BETWEEN.1);
    Some(left + share * (width - left))
}

/// Draws the divider between two pictures and the labels of both. For a comparison of branches,
/// also draws the picture of the other branch.
pub(super) fn draw(context: &Context, state: &mut State) {
    let screen = context.content_rect();
    let left = screen.left() + super::panel_width(&state.shown, screen.width());
    let bottom = screen.bottom() - super::timeline::height(state, screen.height());
    let between = between_runs(state, screen.width());
    let Some(sides) = &mut state.sides else {
        return;
    };
    let room = Rect::from_min_max(pos2(left, screen.top()), pos2(screen.right(), bottom));
    let x = between.unwrap_or(room.left() + sides.divider * room.width());
    let painter = context.layer_painter(LayerId::background());
    let other = Rect::from_min_max(screen.left_top(), pos2(x, screen.bottom()));
    let whole = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
    if let Some(picture) = &sides.picture {
        painter
            .with_clip_rect(other)
            .image(picture.id(), screen, whole, Color32::WHITE);
    }
    painter.vline(x, room.y_range(), Stroke::new(2.0, BRIGHT));
    for (name, at, align) in [
        (&sides.names[0], x - 10.0, Align2::RIGHT_TOP),
        (&sides.names[1], x + 10.0, Align2::LEFT_TOP),
    ] {
        label(&painter, pos2(at, room.top() + 52.0), align, name);
    }
    let grip = Rect::from_center_size(pos2(x, room.center().y), vec2(GRIP, room.height()));
    let area = Area::new(Id::new("divider"))
        .order(Order::Middle)
        .fixed_pos(grip.min)
        .movable(false)
        .constrain(false);
    area.show(context, |ui| {
        let response = ui
            .allocate_rect(grip, Sense::drag())
            .on_hover_cursor(CursorIcon::ResizeHorizontal);
        handle(ui.painter(), grip.center());
        if let Some(at) = response.interact_pointer_pos() {
            sides.divider = ((at.x - room.left()) / room.width().max(1.0)).clamp(0.0, 1.0);
        }
    });
}

/// Draws `name`, the label of a picture, on a dark card whose corner or edge given by `align` lies
/// at `at` (in points).
fn label(painter: &Painter, at: Pos2, align: Align2, name: &str) {
    let text = painter.layout_no_wrap(name.to_owned(), FontId::proportional(13.0), BRIGHT);
    let card = align.anchor_size(at, text.size() + vec2(16.0, 10.0));
    painter.rect_filled(card, 5.0, SHADE);
    painter.galley(card.center() - 0.5 * text.size(), text, BRIGHT);
}

/// Draws the divider's handle, a circle with a double arrow, around `middle` (in points).
fn handle(painter: &Painter, middle: Pos2) {
    painter.circle(middle, 9.0, SHADE, Stroke::new(1.5, BRIGHT));
    painter.text(
        middle,
        Align2::CENTER_CENTER,
        "↔",
        FontId::proportional(12.0),
        BRIGHT,
    );
}
