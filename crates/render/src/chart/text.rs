//! Text in pictures and on printed sheets: the font Ubuntu Light, rasterised with `ab_glyph`. No
//! other file uses that crate or the font.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, GlyphId, PxScale, point};

use crate::image::{Image, SRGB};
use lavoxel_automaton::view::srgb_to_linear;

/// Smallest legible text size, in pixels per em.
const SMALLEST: f32 = 12.0;

/// Colour and size of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ink {
    /// Colour of the letters in sRGB.
    pub(crate) color: [u8; 3],
    /// Font size in pixels per em.
    pub(crate) size: f32,
}

/// Horizontal alignment of a text: its start, middle or end lies at the given position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Start,
    Middle,
    End,
}

/// Font of all texts in pictures, with the two metrics needed to scale and to centre letters.
struct FontFace {
    font: FontRef<'static>,
    /// Number of font units per em.
    per_em: f32,
    /// Height of a capital letter, in ems.
    capital: f32,
}

/// The font that all text in pictures uses.
static FACE: LazyLock<FontFace> = LazyLock::new(|| {
    let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT)
        .expect("the crate ships a whole font");
    let per_em = font.units_per_em().expect("an outline font has an em");
    let capital = font
        .outline(font.glyph_id('H'))
        .map_or(0.7 * per_em, |h| h.bounds.height().abs());
    FontFace {
        font,
        per_em,
        capital: capital / per_em,
    }
});

impl FontFace {
    /// Returns the scale at which `ab_glyph` draws letters of `size` pixels per em. The two differ
    /// because that crate takes the font's height from the lowest descender to the highest ascender
    /// as its unit.
    fn scale(&self, size: f32) -> PxScale {
        PxScale::from(size * self.font.height_unscaled() / self.per_em)
    }

    /// Returns the glyphs of `text`, each with its offset from the start of the text, and the
    /// length of the whole text; all in ems, with kerning.
    fn glyphs(&self, text: &str) -> (Vec<(GlyphId, f32)>, f32) {
        let mut at = 0.0;
        let mut last = None;
        let mut place = |letter| {
            let glyph = self.font.glyph_id(letter);
            at += last.map_or(0.0, |last| self.font.kern_unscaled(last, glyph)) / self.per_em;
            let here = at;
            at += self.font.h_advance_unscaled(glyph) / self.per_em;
            last = Some(glyph);
            (glyph, here)
        };
        let glyphs = text.chars().map(&mut place).collect();
        (glyphs, at)
    }
}

/// Segment of a glyph outline. Control points are in ems from the start of the baseline, y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutlineSegment {
    Move([f32; 2]),
    Line([f32; 2]),
    Quad([f32; 2], [f32; 2]),
    Cubic([f32; 2], [f32; 2], [f32; 2]),
}

/// Font metrics and glyph outlines for writers of vector formats; all lengths are in ems.
pub mod face {
    use ab_glyph::{Font, GlyphId, OutlineCurve};

    use super::{FACE, OutlineSegment};

    /// PostScript name of the font.
    pub const NAME: &str = "Ubuntu-Light";

    /// Returns the bytes of the font file.
    pub fn file() -> &'static [u8] {
        epaint_default_fonts::UBUNTU_LIGHT
    }

    /// Returns the height of a capital letter in ems.
    pub fn capital() -> f32 {
        FACE.capital
    }

    /// Returns the ascent (positive) and the descent (negative) of the font in ems.
    pub fn extent() -> (f32, f32) {
        (
            FACE.font.ascent_unscaled() / FACE.per_em,
            FACE.font.descent_unscaled() / FACE.per_em,
        )
    }

    /// Returns the glyph indices of `text`, each with its offset from the start of the text, and
    /// the length of the whole text; all lengths in ems.
    pub fn letters(text: &str) -> (Vec<(u16, f32)>, f32) {
        let (glyphs, length) = FACE.glyphs(text);
        (
            glyphs
                .into_iter()
                .map(|(glyph, at)| (glyph.0, at))
                .collect(),
            length,
        )
    }

    /// Returns the advance width in ems of the glyph with the index `letter`.
    pub fn advance(letter: u16) -> f32 {
        FACE.font.h_advance_unscaled(GlyphId(letter)) / FACE.per_em
    }

    /// Returns the outline of the glyph with the index `letter` as a list of segments in ems:
    /// closed contours, one after the other. Empty for glyphs without an outline.
    pub fn outline(letter: u16) -> Vec<OutlineSegment> {
        let ems = |point: ab_glyph::Point| [point.x / FACE.per_em, point.y / FACE.per_em];
        let mut pieces = Vec::new();
        let mut last = None;
        for curve in FACE
            .font
            .outline(GlyphId(letter))
            .map(|outline| outline.curves)
            .unwrap_or_default()
        {
            let (start, piece, end) = match curve {
                OutlineCurve::Line(a, b) => (a, OutlineSegment::Line(ems(b)), b),
                OutlineCurve::Quad(a, b, c) => (a, OutlineSegment::Quad(ems(b), ems(c)), c),
                OutlineCurve::Cubic(a, b, c, d) => {
                    (a, OutlineSegment::Cubic(ems(b), ems(c), ems(d)), d)
                }
            };
            if last != Some(start) {
                pieces.push(OutlineSegment::Move(ems(start)));
            }
            pieces.push(piece);
            last = Some(end);
        }
        pieces
    }
}

impl Ink {
    /// Returns text of the colour `color` sized for a picture of (`width`, `height`) pixels: the
    /// size grows with the picture and is at least `SMALLEST`.
    pub(crate) fn of_picture(color: [u8; 3], (width, height): (usize, usize)) -> Self {
        Self {
            color,
            size: (width as f32 / 62.0)
                .min(height as f32 / 42.0)
                .max(SMALLEST),
        }
    }

    /// Returns the length of `text` in pixels.
    pub(crate) fn width(self, text: &str) -> f32 {
        FACE.glyphs(text).1 * self.size
    }

    /// Returns `text` if it is at most `room` pixels long, otherwise its longest prefix that fits
    /// into `room` pixels with an ellipsis.
    pub(crate) fn shortened(self, text: &str, room: f32) -> String {
        if self.width(text) <= room {
            return text.to_owned();
        }
        let (glyphs, _) = FACE.glyphs(text);
        let left = room - self.width("…");
        let fit = glyphs
            .iter()
            .skip(1)
            .take_while(|(_, end)| end * self.size <= left)
            .count();
        let begin: String = text.chars().take(fit).collect();
        if begin.is_empty() {
            begin
        } else {
            format!("{}…", begin.trim_end())
        }
    }

    /// Draws `text` horizontally, with `at` (pixels) at half the height of its capitals; `align`
    /// selects whether the text's start, centre or end lies there. Pixels outside of the picture
    /// are ignored; characters that the font lacks become boxes.
    pub(crate) fn draw(self, image: &mut Image, at: (f32, f32), align: Align, text: &str) {
        let (x, y) = (self.start(at.0, align, text), self.base(at.1));
        self.fill(text, |(across, down), share| {
            blend(image, (x + across, y + down), self.color, share)
        });
    }

    /// Draws `text` rotated by 90° to the left, from bottom to top, with `at` (pixels) at half the
    /// height of its capitals; `align` selects whether the text's start, centre or end lies there.
    pub(crate) fn draw_upward(self, image: &mut Image, at: (f32, f32), align: Align, text: &str) {
        let (x, y) = (self.base(at.0), -self.start(-at.1, align, text));
        self.fill(text, |(across, down), share| {
            blend(image, (x + down, y - across - 1), self.color, share)
        });
    }

    /// Returns the x coordinate in pixels at which `text` begins if `at` (pixels) is the position
    /// of its start, centre or end, selected by `align`.
    fn start(self, at: f32, align: Align, text: &str) -> i64 {
        let before = match align {
            Align::Start => 0.0,
            Align::Middle => 0.5,
            Align::End => 1.0,
        };
        (at - before * self.width(text)).round() as i64
    }

    /// Returns the row in pixels of the baseline of a text whose capital letters are centred at
    /// `middle` (pixels).
    fn base(self, middle: f32) -> i64 {
        (middle + 0.5 * FACE.capital * self.size).round() as i64
    }

    /// Calls `put` for each pixel that `text` touches, with the pixel's offset (right, down) in
    /// pixels from the start of the text's baseline and the fraction (0 to 1) of the pixel that
    /// letters cover.
    fn fill(self, text: &str, mut put: impl FnMut((i64, i64), f32)) {
        let scale = FACE.scale(self.size);
        for (glyph, at) in FACE.glyphs(text).0 {
            let glyph = glyph.with_scale_and_position(scale, point(at * self.size, 0.0));
            let Some(outline) = FACE.font.outline_glyph(glyph) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            outline.draw(|x, y, share| {
                put(
                    (
                        corner.x as i64 + i64::from(x),
                        corner.y as i64 + i64::from(y),
                    ),
                    share,
                )
            });
        }
    }
}

/// Blends `color` (sRGB) over the pixel (`x`, `y`) with the opacity `share` (0 to 1). Blends in
/// linear light, because in sRGB a thin bright line on dark would look too dark. Pixels outside of
/// the picture are ignored.
pub(super) fn blend(image: &mut Image, (x, y): (i64, i64), color: [u8; 3], share: f32) {
    let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else {
        return;
    };
    if x >= image.width || y >= image.height || share <= 0.0 {
        return;
    }
    let linear = |c: u8| srgb_to_linear(f32::from(c) / 255.0);
    let below = image.pixel(x, y);
    let mixed = std::array::from_fn(|k| {
        let light = linear(below[k]) + (linear(color[k]) - linear(below[k])) * share.min(1.0);
        (SRGB.encode(light) * 255.0 + 0.5) as u8
    });
    image.set_pixel(x, y, mixed);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first and last column and the first and last row of `image` that contain text.
    fn extent(image: &Image) -> [usize; 4] {
        let inked = |x: usize, y: usize| image.pixel(x, y) != [0; 3];
        let columns: Vec<usize> = (0..image.width)
            .filter(|x| (0..image.height).any(|y| inked(*x, y)))
            .collect();
        let rows: Vec<usize> = (0..image.height)
            .filter(|y| (0..image.width).any(|x| inked(x, *y)))
            .collect();
        [
            columns[0],
            columns[columns.len() - 1],
            rows[0],
            rows[rows.len() - 1],
        ]
    }

    fn drawn(size: f32, align: Align, text: &str) -> [usize; 4] {
        let mut image = Image::filled(200, 100, [0; 3]);
        Ink {
            color: [255; 3],
            size,
        }
        .draw(&mut image, (100.0, 50.0), align, text);
        extent(&image)
    }

    #[test]
    fn text_is_as_wide_as_it_says_and_stands_where_it_should() {
        let width = Ink {
            color: [255; 3],
            size: 20.0,
        }
        .width("HHHH");
        let [left, right, top, bottom] = drawn(20.0, Align::Middle, "HHHH");
        assert!(
            ((right - left + 1) as f32) < width && ((right - left + 1) as f32) > 0.85 * width,
            "{left} to {right}"
        );
        assert!(
            (left + right).abs_diff(199) <= 2,
            "centred: {left} to {right}"
        );
        assert!(
            (top + bottom).abs_diff(99) <= 2,
            "halfway up the capitals: {top} to {bottom}"
        );
        assert!(
            drawn(20.0, Align::Start, "HHHH")[0] >= 100 && drawn(20.0, Align::End, "HHHH")[1] < 100
        );
    }

    #[test]
    fn text_upwards_is_the_same_text_turned() {
        let ink = Ink {
            color: [200, 90, 30],
            size: 17.0,
        };
        let (mut level, mut upward) = (
            Image::filled(100, 100, [0; 3]),
            Image::filled(100, 100, [0; 3]),
        );
        ink.draw(&mut level, (10.0, 40.0), Align::Start, "elevation [m]");
        ink.draw_upward(&mut upward, (40.0, 90.0), Align::Start, "elevation [m]");
        for y in 0..100 {
            for x in 0..100 {
                assert_eq!(level.pixel(x, y), upward.pixel(y, 99 - x), "at {x}, {y}");
            }
        }
    }

    #[test]
    fn letters_grow_with_the_picture() {
        let height = |size: (usize, usize)| {
            let mut image = Image::filled(200, 200, [0; 3]);
            Ink::of_picture([255; 3], size).draw(&mut image, (5.0, 100.0), Align::Start, "H");
            let [_, _, top, bottom] = extent(&image);
            bottom - top + 1
        };
        let heights = [(320, 213), (900, 600), (1440, 960), (3840, 2160)].map(height);
        assert!(
            heights[0] >= 8,
            "capitals of {} pixels in a small picture",
            heights[0]
        );
        assert!(
            heights.windows(2).all(|pair| pair[0] < pair[1]),
            "{heights:?}"
        );
        assert!(
            (2.0..3.0).contains(&(heights[3] as f32 / heights[2] as f32)),
            "{heights:?}"
        );
    }

    #[test]
    fn long_text_is_cut_with_an_ellipsis() {
        let ink = Ink {
            color: [255; 3],
            size: 16.0,
        };
        let (whole, cut) = (
            "a volcano with a long name",
            ink.shortened("a volcano with a long name", 100.0),
        );
        assert_eq!(ink.shortened(whole, 1000.0), whole);
        assert!(
            cut.ends_with('…') && ink.width(&cut) <= 100.0 && ink.width(&cut) > 70.0,
            "{cut}"
        );
        assert_eq!(ink.shortened(whole, 3.0), "");
    }

    #[test]
    fn the_font_has_every_letter_that_labels_use() {
        for letter in
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;-−+=/()[]%°_<>²³'×…·äöü".chars()
        {
            assert_ne!(FACE.font.glyph_id(letter).0, 0, "{letter}");
        }
    }

    #[test]
    fn text_over_the_edge_is_cut_off() {
        let mut image = Image::filled(20, 10, [0; 3]);
        let ink = Ink {
            color: [255; 3],
            size: 30.0,
        };
        ink.draw(&mut image, (-10.0, 0.0), Align::Start, "WWWW");
        ink.draw_upward(&mut image, (25.0, 30.0), Align::Middle, "WWWW");
        assert!(image.rgb.iter().any(|c| *c > 0));
    }
}
