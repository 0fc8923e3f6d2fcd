//! Colour bars with titles, units and ticks, as under the headless pictures.

use kiss3d::egui::{Align2, Color32, Context, FontId, LayerId, Painter, Pos2, Rect, Stroke, pos2, vec2};

use super::{BRIGHT, SHADE};
use crate::render::ticks::Ticks;
use crate::render::{Palette, Scale, Style};
use crate::viewer::state::State;

/// Length of a bar in points, and the most of the screen's height that it takes.
const LENGTH: (f32, f32) = (170.0, 0.28);
/// Width of a bar.
const THICK: f32 = 14.0;
/// Margin around the texts.
const MARGIN: f32 = 9.0;

/// Draws a bar for the volume and one for the slices, where they show colours of the palette.
pub(super) fn draw(context: &Context, state: &State) {
    let Ok(palette) = state.look.palette.build("look.palette") else { return };
    let volume = (state.look.style != Style::Cinematic && state.shown.volume).then(|| state.look.color_by.scale());
    let slices = if state.cuts.shown.contains(&true) { Scale::of(&state.cuts.quantity) } else { None };
    let mut scales: Vec<Scale> = slices.into_iter().collect();
    scales.extend(volume.filter(|scale| !scales.contains(scale)));
    let painter = context.layer_painter(LayerId::background());
    let screen = context.content_rect();
    let mut right = screen.right() - 12.0;
    for scale in &scales {
        let length = LENGTH.0.min(LENGTH.1 * screen.height());
        right = bar(&painter, (pos2(right, screen.bottom() - 12.0), length), &palette, scale) - 8.0;
    }
}

/// Draws a bar of some length on a card whose lower right corner is given; returns where the card begins.
fn bar(painter: &Painter, (corner, length): (Pos2, f32), palette: &Palette, scale: &Scale) -> f32 {
    let font = FontId::proportional(11.5);
    let title = painter.layout_no_wrap(scale.title(), font.clone(), BRIGHT);
    let width = title.size().x.max(THICK + 34.0);
    let size = vec2(width + 2.0 * MARGIN, length + title.size().y + 6.0 + 2.0 * MARGIN);
    let card = Rect::from_min_max(corner - size, corner);
    painter.rect_filled(card, 5.0, SHADE);
    let inner = card.shrink(MARGIN);
    let area =
        Rect::from_min_max(pos2(inner.left(), inner.bottom() - length), pos2(inner.left() + THICK, inner.bottom()));
    painter.galley(inner.min, title, BRIGHT);
    let rows = area.height() as usize;
    for row in 0..rows {
        let [r, g, b] = palette.srgb(1.0 - row as f32 / (rows - 1) as f32);
        let y = area.top() + row as f32;
        let line = Rect::from_min_size(pos2(area.left(), y), vec2(area.width(), 1.0));
        painter.rect_filled(line, 0.0, Color32::from_rgb(r, g, b));
    }
    let (low, high) = scale.range;
    let ticks = Ticks::fitting((low.into(), high.into()), 0.0, length, |_| 25.0);
    for (tick, label) in ticks.values.iter().zip(ticks.labels()) {
        let y = area.bottom() - scale.place(*tick as f32) * area.height();
        painter.line_segment([pos2(area.right(), y), pos2(area.right() + 4.0, y)], Stroke::new(1.0, BRIGHT));
        painter.text(pos2(area.right() + 7.0, y), Align2::LEFT_CENTER, label, font.clone(), BRIGHT);
    }
    card.left()
}
