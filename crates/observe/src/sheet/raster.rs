//! Raster back end of a sheet: draws to a pixel image. Only this file uses the crate `tiny-skia`.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Mask, Path, PathBuilder, Pixmap, PixmapPaint, Stroke,
    StrokeDash, Transform,
};

use super::canvas::{Align, Canvas, Paint, Pen, Point, Rect, Type};
use lavoxel_render::Image;
use lavoxel_render::chart::text::{OutlineSegment, face};

/// Length of an inch in millimetres.
pub(super) const INCH: f64 = 25.4;

/// Pixel image of a sheet that is being drawn.
pub(super) struct Raster {
    pixels: Pixmap,
    /// Resolution of the image in pixels per millimetre of paper.
    scale: f32,
    mask: Option<Mask>,
}

/// Returns the number of pixels, rounded, of a length of `mm` millimetres at `dpi` pixels per inch.
pub(super) fn pixels(mm: f64, dpi: f64) -> u32 {
    (mm / INCH * dpi).round() as u32
}

impl Raster {
    /// Creates a white image for a sheet of `[width, height]` millimetres at `dpi` pixels per inch;
    /// `None` if the width or the height rounds to 0 pixels.
    pub(super) fn new([width, height]: Point, dpi: f64) -> Option<Self> {
        let mut sheet = Pixmap::new(pixels(width, dpi), pixels(height, dpi))?;
        sheet.fill(Color::WHITE);
        Some(Self {
            pixels: sheet,
            scale: (dpi / INCH) as f32,
            mask: None,
        })
    }

    /// Returns a copy of the sheet as drawn so far, as an RGB image.
    pub(super) fn image(&self) -> Image {
        let rgb = self
            .pixels
            .data()
            .chunks_exact(4)
            .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
            .collect();
        Image {
            width: self.pixels.width() as usize,
            height: self.pixels.height() as usize,
            rgb,
        }
    }

    fn to_pixels(&self) -> Transform {
        Transform::from_scale(self.scale, self.scale)
    }

    fn draw(
        &mut self,
        path: Option<Path>,
        paint: Paint,
        stroke: Option<&Stroke>,
        to_pixels: Transform,
    ) {
        let Some(path) = path else { return };
        let ink = ink(paint);
        match stroke {
            Some(stroke) => {
                self.pixels
                    .stroke_path(&path, &ink, stroke, to_pixels, self.mask.as_ref())
            }
            None => self.pixels.fill_path(
                &path,
                &ink,
                FillRule::EvenOdd,
                to_pixels,
                self.mask.as_ref(),
            ),
        }
    }
}

fn ink(paint: Paint) -> tiny_skia::Paint<'static> {
    let mut ink = tiny_skia::Paint::default();
    let [r, g, b] = paint.rgb;
    ink.set_color_rgba8(r, g, b, (f32::from(paint.opacity) * 2.55 + 0.5) as u8);
    ink.anti_alias = true;
    ink
}

fn path(lines: &[Vec<Point>]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for line in lines.iter().filter(|line| line.len() > 1) {
        for (i, point) in line.iter().enumerate() {
            let [x, y] = point.map(|v| v as f32);
            match i {
                0 => path.move_to(x, y),
                _ if i + 1 == line.len() && line[0] == *point => path.close(),
                _ => path.line_to(x, y),
            }
        }
    }
    path.finish()
}

/// Returns the glyph outlines of `text` as a path in units of the font size, with y up; `None` for
/// text without outlines.
fn outlines(text: &str) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (letter, at) in face::letters(text).0 {
        for piece in face::outline(letter) {
            match piece {
                OutlineSegment::Move([x, y]) => path.move_to(at + x, y),
                OutlineSegment::Line([x, y]) => path.line_to(at + x, y),
                OutlineSegment::Quad([a, b], [x, y]) => path.quad_to(at + a, b, at + x, y),
                OutlineSegment::Cubic([a, b], [c, d], [x, y]) => {
                    path.cubic_to(at + a, b, at + c, d, at + x, y)
                }
            }
        }
    }
    path.finish()
}

impl Canvas for Raster {
    fn fill(&mut self, rings: &[Vec<Point>], paint: Paint) {
        self.draw(path(rings), paint, None, self.to_pixels());
    }

    fn stroke(&mut self, lines: &[Vec<Point>], pen: &Pen) {
        let dash = pen
            .dash
            .and_then(|dash| StrokeDash::new(dash.map(|length| length as f32).to_vec(), 0.0));
        let stroke = Stroke {
            width: pen.width as f32,
            line_cap: LineCap::Butt,
            line_join: LineJoin::Round,
            dash,
            ..Stroke::default()
        };
        self.draw(path(lines), pen.paint, Some(&stroke), self.to_pixels());
    }

    fn text(&mut self, at: Point, align: Align, text: &str, look: &Type) {
        let ([x, y], [dx, dy]) = look.start(at, align, text);
        let [x, y, dx, dy] = [x, y, dx * look.size, dy * look.size].map(|v| v as f32);
        // Transforms from ems (y up) to millimetres (y down), then to pixels.
        let turn = Transform::from_row(dx, dy, dy, -dx, x, y).post_concat(self.to_pixels());
        let letters = outlines(text);
        let around = |mm: f64| Stroke {
            width: (mm / look.size) as f32,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        if look.halo > 0.0 {
            self.draw(
                letters.clone(),
                super::canvas::WHITE,
                Some(&around(2.0 * look.halo)),
                turn,
            );
        }
        if look.paint.opacity == 100 {
            self.draw(
                letters.clone(),
                look.paint,
                Some(&around(look.thickened())),
                turn,
            );
        }
        if let Some(letters) = letters {
            self.pixels.fill_path(
                &letters,
                &ink(look.paint),
                FillRule::Winding,
                turn,
                self.mask.as_ref(),
            );
        }
    }

    fn image(&mut self, place: Rect, image: &Image) {
        let Some(mut picture) = Pixmap::new(image.width as u32, image.height as u32) else {
            return;
        };
        for (to, from) in picture
            .data_mut()
            .chunks_exact_mut(4)
            .zip(image.rgb.chunks_exact(3))
        {
            to.copy_from_slice(&[from[0], from[1], from[2], 255]);
        }
        let scale = (
            place.w as f32 / image.width as f32,
            place.h as f32 / image.height as f32,
        );
        let turn = Transform::from_row(scale.0, 0.0, 0.0, scale.1, place.x as f32, place.y as f32);
        let look = PixmapPaint {
            quality: tiny_skia::FilterQuality::Bilinear,
            ..PixmapPaint::default()
        };
        let turn = turn.post_concat(self.to_pixels());
        self.pixels
            .draw_pixmap(0, 0, picture.as_ref(), &look, turn, self.mask.as_ref());
    }

    fn clip(&mut self, to: Option<Rect>) {
        self.mask = to.and_then(|rect| {
            let mut mask = Mask::new(self.pixels.width(), self.pixels.height())?;
            mask.fill_path(
                &path(&rect.path())?,
                FillRule::Winding,
                true,
                self.to_pixels(),
            );
            Some(mask)
        });
    }
}
