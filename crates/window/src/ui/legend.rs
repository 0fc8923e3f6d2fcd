//! Legend of the window: colour bars with title, unit and ticks, with the same appearance as in
//! pictures rendered by the command line.

use kiss3d::egui::{
    Align2, Color32, Context, FontId, LayerId, Painter, Pos2, Rect, Stroke, pos2, vec2,
};

use super::{BRIGHT, SHADE};
use crate::state::State;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::Quantity;
use lavoxel_render::chart::ticks::Ticks;
use lavoxel_render::media::haze;
use lavoxel_render::{Palette, Plain, Scale, Style, palette_of_quantity};

/// Length of a colour bar in points, and upper bound of this length as a fraction of the screen's
/// height.
const LENGTH: (f32, f32) = (170.0, 0.28);
/// Width of a colour bar in points.
const THICK: f32 = 14.0;
/// Distance in points between two lines of the list of materials.
const KEY_LINE: f32 = 19.0;
/// Margin in points around the contents of a card of the legend.
const MARGIN: f32 = 9.0;

/// Draws a colour bar for the volume and a colour bar for the slices, each only if drawn with the
/// palette, and a list of the materials that are drawn in one colour.
pub(super) fn draw(context: &Context, state: &State) {
    let Ok(palette) = state.look.palette.build("look.palette") else {
        return;
    };
    let materials = || {
        state
            .report
            .iter()
            .flat_map(|report| report.materials.iter().map(|of| &of.material))
    };
    let volume = Quantity::new(state.look.color_by, Material::LAVA);
    let volume =
        (state.look.style.at_once() != Style::Cinematic && state.shown.volume).then_some(&volume);
    let mut reports = state.report.iter().flat_map(|report| &report.materials);
    let has_lava = reports.any(|of| of.material.carries_energy() && of.cells > 0);
    let slices = (state.cuts.shown.contains(&true) && !state.cuts.opens(state.look.style))
        .then_some(&state.cuts.quantity);
    let mut bars: Vec<(Palette, Scale)> = Vec::new();
    for (quantity, of_volume) in slices
        .map(|slices| (slices, false))
        .into_iter()
        .chain(volume.filter(|_| has_lava).map(|volume| (volume, true)))
    {
        let scale = Scale::among(
            quantity,
            !Plain::without_values(quantity, materials()).is_empty(),
        );
        let scale = scale.map(|scale| match of_volume {
            true => scale.of_volume(quantity, state.look.kelvin),
            false => scale.in_celsius(quantity, state.look.kelvin),
        });
        let own = palette_of_quantity(quantity, materials()).unwrap_or_else(|| palette.clone());
        bars.extend(
            scale
                .filter(|scale| bars.iter().all(|(_, bar)| bar != scale))
                .map(|scale| (own, scale)),
        );
    }
    let painter = context.layer_painter(LayerId::background());
    let mut screen = context.content_rect();
    screen.max.y -= super::timeline::height(state, screen.height());
    let first = super::sides::between_runs(state, screen.width());
    let mut right = first.unwrap_or(screen.right()) - 12.0;
    if volume.is_some()
        && state
            .report
            .as_ref()
            .is_some_and(|report| !report.air.is_empty())
    {
        bars.push((haze::PALETTE.clone(), haze::scale()));
    }
    for (palette, scale) in &bars {
        let length = LENGTH.0.min(LENGTH.1 * screen.height());
        right = bar(
            &painter,
            (pos2(right, screen.bottom() - 12.0), length),
            palette,
            scale,
        ) - 8.0;
    }
    // A world with lava only needs no list of materials.
    if let Some(quantity) = slices.or(volume).filter(|_| materials().nth(1).is_some()) {
        let mut plain = Plain::without_values(quantity, materials());
        plain.retain(|plain| has_lava || plain.name != Material::LAVA);
        if slices.is_none() {
            let looks = |plain: &Plain| materials().find(|material| material.name == plain.name);
            plain.iter_mut().for_each(|plain| {
                plain.color = looks(plain).map_or(plain.color, |m| m.look.srgb())
            });
        }
        key(&painter, pos2(right, screen.bottom() - 12.0), &plain);
    }
}

/// Draws the list of `materials` with their colours, on a card whose lower right corner is `corner`
/// (in points).
fn key(painter: &Painter, corner: Pos2, materials: &[Plain]) {
    let font = FontId::proportional(11.5);
    let names = materials
        .iter()
        .map(|plain| painter.layout_no_wrap(plain.name.clone(), font.clone(), BRIGHT));
    let names: Vec<_> = names.collect();
    let widest = names.iter().map(|name| name.size().x).fold(0.0, f32::max);
    let size = vec2(
        THICK + 7.0 + widest,
        KEY_LINE * names.len() as f32 - (KEY_LINE - THICK),
    ) + vec2(2.0, 2.0) * MARGIN;
    let card = Rect::from_min_max(corner - size, corner);
    painter.rect_filled(card, 5.0, SHADE);
    for (row, (name, plain)) in names.into_iter().zip(materials).enumerate() {
        let top = card.shrink(MARGIN).min + vec2(0.0, KEY_LINE * row as f32);
        let [r, g, b] = plain.color;
        painter.rect_filled(
            Rect::from_min_size(top, vec2(THICK, THICK)),
            2.0,
            Color32::from_rgb(r, g, b),
        );
        let middle = top + vec2(THICK + 7.0, 0.5 * (THICK - name.size().y));
        painter.galley(middle, name, BRIGHT);
    }
}

/// Draws a colour bar of `length` points for `palette` and `scale`, with title, unit and ticks, on
/// a card whose lower right corner is `corner` (in points). Returns the x position of the card's
/// left edge in points.
fn bar(painter: &Painter, (corner, length): (Pos2, f32), palette: &Palette, scale: &Scale) -> f32 {
    let font = FontId::proportional(11.5);
    let title = painter.layout_no_wrap(scale.title(), font.clone(), BRIGHT);
    let width = title.size().x.max(THICK + 34.0);
    let size = vec2(
        width + 2.0 * MARGIN,
        length + title.size().y + 6.0 + 2.0 * MARGIN,
    );
    let card = Rect::from_min_max(corner - size, corner);
    painter.rect_filled(card, 5.0, SHADE);
    let inner = card.shrink(MARGIN);
    let area = Rect::from_min_max(
        pos2(inner.left(), inner.bottom() - length),
        pos2(inner.left() + THICK, inner.bottom()),
    );
    painter.galley(inner.min, title, BRIGHT);
    let rows = area.height() as usize;
    for row in 0..rows {
        let [r, g, b] = palette.srgb(1.0 - row as f32 / (rows - 1) as f32);
        let y = area.top() + row as f32;
        let line = Rect::from_min_size(pos2(area.left(), y), vec2(area.width(), 1.0));
        painter.rect_filled(line, 0.0, Color32::from_rgb(r, g, b));
    }
    let (low, high) = scale.read_range();
    let ticks = Ticks::fitting((low.into(), high.into()), 0.0, length, |_| 25.0);
    for (tick, label) in ticks.values.iter().zip(ticks.labels()) {
        let y = area.bottom() - scale.place_of_read(*tick as f32) * area.height();
        painter.line_segment(
            [pos2(area.right(), y), pos2(area.right() + 4.0, y)],
            Stroke::new(1.0, BRIGHT),
        );
        painter.text(
            pos2(area.right() + 7.0, y),
            Align2::LEFT_CENTER,
            label,
            font.clone(),
            BRIGHT,
        );
    }
    card.left()
}
