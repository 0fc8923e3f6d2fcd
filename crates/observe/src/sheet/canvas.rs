//! Drawing interface of a sheet: fills, strokes, text and images in millimetres from the upper left
//! corner of the paper, x to the right, y down.
//!
//! A sheet is drawn once through [`Canvas`]; the PDF and the PNG writer are its two back ends.

use lavoxel_render::Image;
use lavoxel_render::chart::text::face;

/// Point or vector on the paper: [x, y] in millimetres, x to the right, y down.
pub(super) type Point = [f64; 2];

/// Rectangle on the paper in millimetres: left edge, top edge, width, height.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) w: f64,
    pub(super) h: f64,
}

impl Rect {
    pub(super) const fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }

    pub(super) fn right(&self) -> f64 {
        self.x + self.w
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.h
    }

    pub(super) fn has(&self, [x, y]: Point) -> bool {
        (self.x..=self.right()).contains(&x) && (self.y..=self.bottom()).contains(&y)
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// Returns the rectangle with each side moved outwards by `by` millimetres.
    pub(super) fn grown(&self, by: f64) -> Self {
        Self::new(
            self.x - by,
            self.y - by,
            self.w + 2.0 * by,
            self.h + 2.0 * by,
        )
    }

    /// Returns the outline of the rectangle as one closed ring of points.
    pub(super) fn path(&self) -> Vec<Vec<Point>> {
        let (r, b) = (self.right(), self.bottom());
        vec![vec![
            [self.x, self.y],
            [r, self.y],
            [r, b],
            [self.x, b],
            [self.x, self.y],
        ]]
    }
}

/// Colour (sRGB) and opacity of a drawn object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Paint {
    pub(super) rgb: [u8; 3],
    /// Opacity of the drawn object in percent, 0 to 100.
    pub(super) opacity: u8,
}

impl Paint {
    pub(super) const fn full(rgb: [u8; 3]) -> Self {
        Self { rgb, opacity: 100 }
    }
}

/// Colour of text and frames. All colours in this file are chosen by eye.
pub(super) const INK: Paint = Paint::full([28, 28, 32]);
/// Colour of secondary text and secondary lines on a sheet.
pub(super) const GRAY: Paint = Paint::full([96, 96, 102]);
/// Colour of faint lines on a sheet.
pub(super) const PALE: Paint = Paint::full([206, 206, 210]);
/// White, the colour of the paper.
pub(super) const WHITE: Paint = Paint::full([255; 3]);
/// Colour of warnings on a sheet.
pub(super) const ALARM: Paint = Paint::full([190, 20, 20]);

/// Line style: colour, width in millimetres, and dashes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pen {
    pub(super) paint: Paint,
    pub(super) width: f64,
    /// Lengths of the dashes and of the gaps between them in millimetres; `None`: solid line.
    pub(super) dash: Option<[f64; 2]>,
}

impl Pen {
    pub(super) const fn new(paint: Paint, width: f64) -> Self {
        Self {
            paint,
            width,
            dash: None,
        }
    }
}

/// Alignment of a text: the part of the text that lies at its anchor point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// Style of text: size, colour, weight, outline and rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Type {
    /// Font size of the text in millimetres.
    pub(super) size: f64,
    pub(super) paint: Paint,
    pub(super) bold: bool,
    /// Width in millimetres of the white outline around the letters, which separates the letters
    /// from the map behind.
    pub(super) halo: f64,
    /// Rotation of the text around its anchor in degrees, counter-clockwise.
    pub(super) turned: f64,
}

impl Type {
    pub(super) const fn new(size: f64) -> Self {
        Self {
            size,
            paint: INK,
            bold: false,
            halo: 0.0,
            turned: 0.0,
        }
    }

    pub(super) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(super) const fn in_color(self, paint: Paint) -> Self {
        Self { paint, ..self }
    }

    /// Returns the width of `text` in this style, in millimetres.
    pub(super) fn width(&self, text: &str) -> f64 {
        f64::from(face::letters(text).1) * self.size
    }

    /// Returns the additional stroke width of the letters in millimetres. The font has one light
    /// weight, so that bold text is drawn with wider strokes.
    pub(super) fn thickened(&self) -> f64 {
        self.size * if self.bold { 0.07 } else { 0.022 }
    }

    /// Returns `text` if its width is at most `room` millimetres; otherwise its longest prefix that
    /// fits together with an ellipsis.
    pub(super) fn shortened(&self, text: &str, room: f64) -> String {
        if self.width(text) <= room {
            return text.to_owned();
        }
        let mut cut: String = text.to_owned();
        while cut.pop().is_some() && self.width(&cut) + self.width("…") > room {}
        format!("{}…", cut.trim_end())
    }

    /// Wraps `text` to lines of at most `room` millimetres; a single word that is longer is cut.
    pub(super) fn lines(&self, text: &str, room: f64) -> Vec<String> {
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            let last = lines.last_mut().expect("there is a line");
            let longer = if last.is_empty() {
                word.to_owned()
            } else {
                format!("{last} {word}")
            };
            if self.width(&longer) <= room {
                *last = longer;
            } else if last.is_empty() {
                *last = self.shortened(word, room);
            } else {
                lines.push(self.shortened(word, room));
            }
        }
        lines
    }

    /// Returns the start point of the baseline of `text`, and the unit vector along the baseline.
    /// `at`: anchor point, at half the height of a capital letter; `align`: part of the text that
    /// lies at the anchor.
    pub(super) fn start(&self, at: Point, align: Align, text: &str) -> (Point, Point) {
        let turned = self.turned.to_radians();
        let along = [turned.cos(), -turned.sin()];
        let before = match align {
            Align::Start => 0.0,
            Align::Middle => 0.5,
            Align::End => 1.0,
        } * self.width(text);
        let down = 0.5 * f64::from(face::capital()) * self.size;
        (
            [
                at[0] - before * along[0] - down * along[1],
                at[1] - before * along[1] + down * along[0],
            ],
            along,
        )
    }
}

/// Surface on which a sheet is drawn: a PDF page or a raster image.
pub(super) trait Canvas {
    /// Fills the area inside the closed rings `rings`, by the even-odd rule.
    fn fill(&mut self, rings: &[Vec<Point>], paint: Paint);
    /// Draws the polylines `lines` with the style `pen`; a polyline whose first and last points are
    /// equal is closed.
    fn stroke(&mut self, lines: &[Vec<Point>], pen: &Pen);
    /// Draws `text`. `at`: anchor point, at half the height of a capital letter; `align`: part of
    /// the text that lies at the anchor.
    fn text(&mut self, at: Point, align: Align, text: &str, look: &Type);
    /// Draws `image`, scaled to fill the rectangle `place`.
    fn image(&mut self, place: Rect, image: &Image);
    /// Restricts all subsequent drawing to the rectangle `to`; `None` removes the restriction.
    fn clip(&mut self, to: Option<Rect>);
}

/// Draws a straight line between the points `from` and `to`.
pub(super) fn line(canvas: &mut dyn Canvas, from: Point, to: Point, pen: &Pen) {
    canvas.stroke(&[vec![from, to]], pen);
}
