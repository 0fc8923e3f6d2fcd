//! PDF back end of a sheet: vector graphics and text, with the map as an image. Only this file
//! depends on the crate `pdf-writer`.
//!
//! The embedded font is a subset with a `ToUnicode` map, so that text can be searched and copied.
//!
//! - Invariant: the file holds no date and no random number; equal sheets give equal bytes.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{
    CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, TextRenderingMode, UnicodeCmap,
};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Ref, Str, TextStr};
use subsetter::GlyphRemapper;

use super::canvas::{Align, Canvas, Paint, Pen, Point, Rect, Type, WHITE};
use super::raster::INCH;
use lavoxel_io::export::Provenance;
use lavoxel_render::Image;
use lavoxel_render::chart::text::face;

/// Length of a millimetre in PDF points (1/72 inch each).
const POINTS: f64 = 72.0 / INCH;

const FONT: Name<'static> = Name(b"F");
const SYSTEM: SystemInfo<'static> = SystemInfo {
    registry: Str(b"Adobe"),
    ordering: Str(b"Identity"),
    supplement: 0,
};

/// PDF page that is being drawn.
pub(super) struct Page {
    size: Point,
    content: Content,
    letters: GlyphRemapper,
    /// Unicode character of each glyph, by the index of the glyph in the embedded font subset, for
    /// text search and copying.
    characters: BTreeMap<u16, char>,
    images: Vec<Image>,
    opacities: Vec<u8>,
    clipped: bool,
}

/// Metadata of the PDF document: title, author and subject.
pub(super) struct Labels<'a> {
    pub(super) title: &'a str,
    pub(super) author: Option<&'a str>,
    pub(super) subject: &'a str,
}

impl Page {
    /// Creates an empty page of `size` (width, height) in millimetres.
    pub(super) fn new(size: Point) -> Self {
        let mut content = Content::new();
        let scale = POINTS as f32;
        content.transform([scale, 0.0, 0.0, -scale, 0.0, (size[1] * POINTS) as f32]);
        content.set_line_join(LineJoinStyle::RoundJoin);
        content.set_line_cap(LineCapStyle::ButtCap);
        let (letters, characters) = (GlyphRemapper::new(), BTreeMap::new());
        Self {
            size,
            content,
            letters,
            characters,
            images: Vec::new(),
            opacities: Vec::new(),
            clipped: false,
        }
    }

    /// Completes the PDF document with the metadata `labels` and returns its bytes.
    ///
    /// # Errors
    /// Only when the font cannot be subset, which would be a fault of the embedded font file.
    pub(super) fn finish(mut self, labels: &Labels<'_>) -> Result<Vec<u8>, String> {
        self.clip(None);
        let Self {
            size,
            content,
            letters,
            characters,
            images,
            opacities,
            ..
        } = self;
        let mut next = Ref::new(1);
        let [catalog, pages, page, contents, info, font] = std::array::from_fn(|_| next.bump());
        // Object numbers are reserved first: the page dictionary refers to images that are written
        // later.
        let image_refs: Vec<Ref> = images.iter().map(|_| next.bump()).collect();
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(pages).lang(TextStr("en"));
        pdf.pages(pages).kids([page]).count(1);
        let mut about = pdf.document_info(info);
        about
            .title(TextStr(labels.title))
            .subject(TextStr(labels.subject))
            .creator(TextStr(Provenance::SOFTWARE));
        if let Some(author) = labels.author {
            about.author(TextStr(author));
        }
        about.finish();
        let mut sheet = pdf.page(page);
        let [width, height] = size.map(|mm| (mm * POINTS) as f32);
        sheet
            .media_box(pdf_writer::Rect::new(0.0, 0.0, width, height))
            .parent(pages)
            .contents(contents);
        let mut resources = sheet.resources();
        resources.fonts().pair(FONT, font);
        let mut objects = resources.x_objects();
        for (i, id) in image_refs.iter().enumerate() {
            objects.pair(Name(image_name(i).as_bytes()), *id);
        }
        objects.finish();
        let mut states = resources.ext_g_states();
        for opacity in &opacities {
            let share = f32::from(*opacity) / 100.0;
            let name = state_name(*opacity);
            states
                .insert(Name(name.as_bytes()))
                .start::<pdf_writer::writers::ExtGraphicsState<'_>>()
                .stroking_alpha(share)
                .non_stroking_alpha(share);
        }
        states.finish();
        resources.finish();
        sheet.finish();
        let packed = deflated(content.finish().as_slice());
        pdf.stream(contents, &packed).filter(Filter::FlateDecode);
        for (image, id) in images.iter().zip(image_refs) {
            let packed = deflated(&image.rgb);
            let mut object = pdf.image_xobject(id, &packed);
            object
                .width(image.width as i32)
                .height(image.height as i32)
                .filter(Filter::FlateDecode);
            object
                .interpolate(true)
                .bits_per_component(8)
                .color_space()
                .device_rgb();
        }
        put_font(&mut pdf, (font, &mut next), &letters, &characters)?;
        Ok(pdf.finish())
    }

    fn paint(&mut self, paint: Paint) {
        if !self.opacities.contains(&paint.opacity) {
            self.opacities.push(paint.opacity);
        }
        let [r, g, b] = paint.rgb.map(|channel| f32::from(channel) / 255.0);
        self.content
            .set_parameters(Name(state_name(paint.opacity).as_bytes()));
        self.content.set_fill_rgb(r, g, b).set_stroke_rgb(r, g, b);
    }

    fn path(&mut self, lines: &[Vec<Point>]) {
        for line in lines.iter().filter(|line| line.len() > 1) {
            for (i, point) in line.iter().enumerate() {
                let [x, y] = point.map(rounded);
                match i {
                    0 => self.content.move_to(x, y),
                    _ if i + 1 == line.len() && line[0] == *point => self.content.close_path(),
                    _ => self.content.line_to(x, y),
                };
            }
        }
    }
}

/// Rounds a length to 0.001 mm, which is below the resolution of print and gives a shorter file.
fn rounded(mm: f64) -> f32 {
    ((mm * 1000.0).round() / 1000.0) as f32
}

fn image_name(number: usize) -> String {
    format!("I{number}")
}

fn state_name(opacity: u8) -> String {
    format!("O{opacity}")
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// Writes the font subset with the glyphs of the page into the PDF document.
fn put_font(
    pdf: &mut Pdf,
    (font, next): (Ref, &mut Ref),
    letters: &GlyphRemapper,
    characters: &BTreeMap<u16, char>,
) -> Result<(), String> {
    let [descendant, descriptor, file, to_unicode] = std::array::from_fn(|_| next.bump());
    // PDF marks a font subset by six capital letters and a plus sign before its name.
    let name = format!("LAVOXE+{}", face::NAME);
    let name = Name(name.as_bytes());
    pdf.type0_font(font)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(descendant)
        .to_unicode(to_unicode);
    let mut cid = pdf.cid_font(descendant);
    cid.subtype(CidFontType::Type2)
        .base_font(name)
        .system_info(SYSTEM)
        .font_descriptor(descriptor);
    cid.default_width(0.0)
        .cid_to_gid_map_predefined(Name(b"Identity"));
    cid.widths().consecutive(
        0,
        letters
            .remapped_gids()
            .map(|letter| 1000.0 * face::advance(letter)),
    );
    cid.finish();
    let (ascent, descent) = face::extent();
    let box_ = pdf_writer::Rect::new(-200.0, 1000.0 * descent, 1300.0, 1000.0 * ascent);
    pdf.font_descriptor(descriptor)
        .name(name)
        .flags(FontFlags::SYMBOLIC)
        .bbox(box_)
        .italic_angle(0.0)
        .ascent(1000.0 * ascent)
        .descent(1000.0 * descent)
        .cap_height(1000.0 * face::capital())
        .stem_v(60.0)
        .font_file2(file);
    let cut = subsetter::subset(face::file(), 0, letters)
        .map_err(|e| format!("cannot cut down the font: {e}"))?;
    let packed = deflated(&cut);
    pdf.stream(file, &packed)
        .filter(Filter::FlateDecode)
        .pair(Name(b"Length1"), cut.len() as i32);
    let mut map = UnicodeCmap::<u16>::new(Name(b"Letters"), SYSTEM);
    characters
        .iter()
        .for_each(|(letter, character)| map.pair(*letter, *character));
    let map = deflated(map.finish().as_slice());
    pdf.cmap(to_unicode, &map).filter(Filter::FlateDecode);
    Ok(())
}

impl Canvas for Page {
    fn fill(&mut self, rings: &[Vec<Point>], paint: Paint) {
        self.paint(paint);
        self.path(rings);
        self.content.fill_even_odd();
    }

    fn stroke(&mut self, lines: &[Vec<Point>], pen: &Pen) {
        self.paint(pen.paint);
        self.content.set_line_width(rounded(pen.width));
        self.content
            .set_dash_pattern(pen.dash.into_iter().flatten().map(rounded), 0.0);
        self.path(lines);
        self.content.stroke();
    }

    fn text(&mut self, at: Point, align: Align, text: &str, look: &Type) {
        let ([x, y], [dx, dy]) = look.start(at, align, text);
        let (letters, _) = face::letters(text);
        let mut codes = Vec::new();
        for ((letter, start), character) in letters.iter().zip(text.chars()) {
            let code = self.letters.remap(*letter);
            self.characters.entry(code).or_insert(character);
            codes.push((code, *letter, *start));
        }
        let [x, y] = [x, y].map(rounded);
        let [dx, dy] = [dx as f32, dy as f32];
        let size = look.size as f32;
        let halo = (look.halo > 0.0).then_some((WHITE, TextRenderingMode::Stroke, 2.0 * look.halo));
        let plain = if look.paint.opacity == 100 {
            TextRenderingMode::FillStroke
        } else {
            TextRenderingMode::Fill
        };
        for (paint, mode, width) in halo
            .into_iter()
            .chain([(look.paint, plain, look.thickened())])
        {
            self.paint(paint);
            self.content.set_dash_pattern([], 0.0);
            self.content.set_line_width(rounded(width));
            self.content
                .begin_text()
                .set_font(FONT, size)
                .set_text_rendering_mode(mode);
            self.content.set_text_matrix([dx, dy, dy, -dx, x, y]);
            let mut shown = self.content.show_positioned();
            let mut items = shown.items();
            let mut at = 0.0;
            for (code, letter, start) in &codes {
                // Applies the kerning of the font, as all other text of the program does.
                if (start - at).abs() > 1e-4 {
                    items.adjust(-1000.0 * (start - at));
                }
                items.show(Str(&code.to_be_bytes()));
                at = start + face::advance(*letter);
            }
            items.finish();
            shown.finish();
            self.content.end_text();
        }
    }

    fn image(&mut self, place: Rect, image: &Image) {
        let name = image_name(self.images.len());
        self.paint(WHITE);
        self.content.save_state();
        self.content
            .transform([place.w, 0.0, 0.0, -place.h, place.x, place.bottom()].map(rounded));
        self.content.x_object(Name(name.as_bytes())).restore_state();
        self.images.push(image.clone());
    }

    fn clip(&mut self, to: Option<Rect>) {
        if std::mem::replace(&mut self.clipped, to.is_some()) {
            self.content.restore_state();
        }
        if let Some(Rect { x, y, w, h }) = to {
            self.content.save_state();
            self.content
                .rect(rounded(x), rounded(y), rounded(w), rounded(h))
                .clip_nonzero()
                .end_path();
        }
    }
}
