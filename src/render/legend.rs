//! Colour bars and axes: numbers beside a picture.

use super::image::Image;
use super::palette::Palette;
use super::text::{HEIGHT, Ink};

/// What a colour stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// What is shown, such as `amount`.
    pub label: String,
    /// Its unit, such as `cells`; empty for none.
    pub unit: String,
    /// Values at the two ends of the palette.
    pub range: (f32, f32),
}

impl Scale {
    /// A scale called `label` in `unit`, over `range`.
    pub fn new(label: &str, unit: &str, range: (f32, f32)) -> Self {
        Self { label: label.to_owned(), unit: unit.to_owned(), range }
    }

    /// Place of a value on the palette, 0 to 1.
    pub fn place(&self, value: f32) -> f32 {
        ((value - self.range.0) / (self.range.1 - self.range.0).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0)
    }

    /// Label with its unit in brackets.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.label.clone() } else { format!("{} [{}]", self.label, self.unit) }
    }
}

/// A rectangle of pixels: left, top, width, height.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// An upright colour bar with ticks and numbers at its right.
pub(crate) fn color_bar(image: &mut Image, frame: Frame, palette: &Palette, scale: &Scale, ink: Ink) {
    let rows = frame.height.max(2) - 1;
    for row in 0..=rows {
        let color = palette.srgb(1.0 - row as f32 / rows as f32);
        image.fill((frame.x, frame.y + row), (frame.width, 1), color);
    }
    let (low, high) = scale.range;
    let room = frame.height / (ink.scale * (HEIGHT + 5)).max(1);
    for tick in ticks(low, high, room.clamp(2, 8)) {
        let y = frame.y + ((1.0 - scale.place(tick)) * rows as f32 + 0.5) as usize;
        image.fill((frame.x + frame.width, y), (3 * ink.scale, ink.scale), ink.color);
        let text_y = y.saturating_sub(ink.scale * HEIGHT / 2);
        ink.draw(image, (frame.x + frame.width + 5 * ink.scale, text_y), &number(tick, high - low));
    }
}

/// Round numbers from `low` to `high`, at most `count` of them.
pub(crate) fn ticks(low: f32, high: f32, count: usize) -> Vec<f32> {
    let rough = (high - low) / count.max(2) as f32;
    if !(rough > 0.0 && rough.is_finite()) {
        return vec![low];
    }
    let power = 10_f32.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * power).into_iter().find(|s| *s >= rough * 0.999).unwrap_or(rough);
    let first = (low / step - 1e-3).ceil() as i64;
    (first..).map(|i| i as f32 * step).take_while(|v| *v <= high + step * 1e-3).collect()
}

/// A number with as many digits as a scale of this length needs.
pub(crate) fn number(value: f32, length: f32) -> String {
    let digits = (1.3 - length.abs().max(1e-9).log10()).ceil().clamp(0.0, 6.0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks(0.0, 128.0, 6), [0.0, 50.0, 100.0]);
        assert_eq!(ticks(3.0, 3.0, 6), [3.0]);
    }

    #[test]
    fn numbers_have_no_needless_digits() {
        assert_eq!([number(0.2, 1.0), number(100.0, 128.0), number(1.0, 2.0)], ["0.2", "100", "1"]);
    }
}
