//! Test helper: collects the texts that an element of the user interface draws.

use kiss3d::egui::{Context, Pos2, RawInput, Rect, Shape, Vec2};

/// Drawn text, its rectangle `area`, and the rectangle `clip` outside of which it is invisible;
/// both in points.
pub(super) struct Text {
    pub(super) words: String,
    pub(super) area: Rect,
    pub(super) clip: Rect,
}

/// Runs `draw` on a screen of `size` points (width, height) and returns the drawn texts. Makes four
/// passes, since `egui` only measures sizes in the first passes.
pub(super) fn texts(context: &Context, size: Vec2, mut draw: impl FnMut(&Context)) -> Vec<Text> {
    let screen = Rect::from_min_size(Pos2::ZERO, size);
    let mut shapes = Vec::new();
    for _ in 0..4 {
        let input = RawInput {
            screen_rect: Some(screen),
            ..RawInput::default()
        };
        let mut output = context.run_ui(input, |ui| draw(&ui.ctx().clone()));
        output.textures_delta.clear();
        shapes = output.shapes;
    }
    let text = |clipped: &kiss3d::egui::epaint::ClippedShape| match &clipped.shape {
        Shape::Text(text) => Some(Text {
            words: text.galley.text().to_owned(),
            area: Rect::from_min_size(text.pos, text.galley.size()),
            clip: clipped.clip_rect.intersect(screen),
        }),
        _ => None,
    };
    shapes.iter().filter_map(text).collect()
}
