//! Page layout of a map sheet: heading, map frame, and a panel below the map (portrait) or to its
//! right (landscape).

use super::canvas::{ALARM, Align, Canvas, GRAY, INK, Paint, Pen, Point, Rect, Type, line};
use super::classes::Classes;
use super::lines::{self, Reach};
use super::notes::Note;
use super::overlay::{Overlay, Taken};
use super::panel::{self, Legend};
use super::source::Source;
use super::table::Table;
use super::view::View;
use lavoxel_io::export::Provenance;
use lavoxel_render::Image;

/// Margin of the page on all sides, in millimetres.
const MARGIN: f64 = 9.0;
/// Width of the right panel, as a multiple of the font size, above which its blocks are set in two
/// columns.
const TWO: f64 = 62.0;
/// Length of the ticks at the map frame, in millimetres.
const TICK: f64 = 1.2;

/// Layout of a page: size in millimetres, orientation and font size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) size: Point,
    pub(super) is_landscape: bool,
    pub(super) em: f64,
    /// Set for a figure in a report: only the map, its legend and scale bar are drawn.
    pub(super) is_figure: bool,
    /// Height in millimetres of the panel below the map; `None`: a default height.
    pub(super) panel: Option<f64>,
}

/// Width and height of a figure in a report, in millimetres.
const FIGURE: Point = [230.0, 150.0];

impl Layout {
    /// Creates the layout of a page. `short` and `long`: lengths of the sides of the paper in
    /// millimetres.
    pub(super) fn new([short, long]: Point, is_landscape: bool) -> Self {
        let size = if is_landscape {
            [long, short]
        } else {
            [short, long]
        };
        // The font grows slower than the paper: 7.2 pt on A4, 8.2 pt on A3.
        Self {
            size,
            is_landscape,
            em: 2.55 * (short / 210.0).sqrt().powf(0.75),
            is_figure: false,
            panel: None,
        }
    }

    /// Creates the layout of a figure in a report.
    pub(super) fn figure() -> Self {
        Self {
            size: FIGURE,
            is_landscape: true,
            em: 2.9,
            is_figure: true,
            panel: None,
        }
    }

    fn head(&self) -> f64 {
        if self.is_figure { 0.0 } else { 7.2 * self.em }
    }

    /// Returns the space in millimetres that coordinate labels take at the left side and at the
    /// lower side of the map frame.
    fn numbers(&self) -> f64 {
        2.0 * self.em
    }

    fn foot(&self) -> f64 {
        if self.is_figure { 0.0 } else { 2.2 * self.em }
    }

    /// Returns the size of the panel in millimetres: height of the panel below the map (portrait),
    /// or width of the panel to the right of the map (landscape).
    fn panel(&self) -> f64 {
        let [width, height] = self.size;
        let usual = (0.29 * height).max(33.0 * self.em);
        if self.is_landscape {
            (0.285 * width).max(28.0 * self.em)
        } else {
            self.panel.unwrap_or(usual)
        }
    }

    /// Returns the rectangle that is available for the map frame, and true if the frame is placed
    /// at the left of this rectangle, false if in its middle.
    pub(super) fn room(&self) -> (Rect, bool) {
        let [width, height] = self.size;
        let (x, y) = (MARGIN + self.numbers(), MARGIN + self.head());
        let (right, bottom) = (
            width - MARGIN,
            height - MARGIN - self.foot() - self.numbers(),
        );
        if self.is_landscape {
            (
                Rect::new(x, y, right - x - self.panel() - 2.0 * self.em, bottom - y),
                true,
            )
        } else {
            (
                Rect::new(x, y, right - x, bottom - y - self.panel() - self.em),
                false,
            )
        }
    }

    /// Returns the rectangle that is available for the blocks of the panel next to or below the
    /// map; `view`: position of the map on the paper.
    fn blocks(&self, view: &View) -> Rect {
        let [width, height] = self.size;
        let (right, bottom) = (width - MARGIN, height - MARGIN - self.foot());
        if self.is_landscape {
            let y = MARGIN + self.head();
            let x = view.frame.right() + 2.0 * self.em;
            Rect::new(x, y, right - x, bottom - y)
        } else {
            let y = view.frame.bottom() + self.numbers() + self.em;
            Rect::new(MARGIN, y, right - MARGIN, bottom - y)
        }
    }
}

/// Content of a map sheet, from which a page of any layout is drawn.
pub(super) struct Contents<'a> {
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) author: Option<&'a str>,
    pub(super) date: Option<String>,
    pub(super) stamp: Option<&'a str>,
    pub(super) source: &'a Source,
    pub(super) classes: Classes,
    pub(super) picture: Image,
    pub(super) view: View,
    pub(super) reaches: &'a [Reach],
    pub(super) overlays: &'a [Overlay],
    pub(super) table: Option<&'a Table>,
    pub(super) notes: Vec<Note>,
}

impl Contents<'_> {
    /// Draws the whole sheet: heading, map, frame, panel and watermark. For a figure: only map,
    /// frame, legend and scale bar.
    pub(super) fn draw(&self, canvas: &mut dyn Canvas, layout: Layout) {
        if layout.is_figure {
            self.map(canvas, layout.em);
            self.frame(canvas, layout.em);
            return self.key(canvas, layout);
        }
        self.head(canvas, layout);
        self.map(canvas, layout.em);
        self.frame(canvas, layout.em);
        if layout.is_landscape {
            self.draw_side_blocks(canvas, layout)
        } else {
            self.below(canvas, layout)
        }
        self.foot(canvas, layout);
    }

    fn head(&self, canvas: &mut dyn Canvas, layout: Layout) {
        let (em, [width, _]) = (layout.em, layout.size);
        let mut right = width - MARGIN;
        if let Some(stamp) = self.stamp {
            let look = Type::new(1.7 * em).bold().in_color(ALARM);
            let stamp = look.shortened(stamp, 0.35 * width);
            let frame = Rect::new(
                right - look.width(&stamp) - 2.0 * em,
                MARGIN,
                look.width(&stamp) + 2.0 * em,
                3.1 * em,
            );
            canvas.stroke(&frame.path(), &Pen::new(ALARM, 0.16 * em));
            canvas.text(
                [frame.x + 0.5 * frame.w, frame.y + 0.5 * frame.h],
                Align::Middle,
                &stamp,
                &look,
            );
            right = frame.x - 1.5 * em;
        }
        let mut look = Type::new(2.3 * em).bold();
        while look.width(&self.title) > right - MARGIN && look.size > 1.5 * em {
            look.size *= 0.96;
        }
        let title = look.shortened(&self.title, right - MARGIN);
        canvas.text([MARGIN, MARGIN + 1.5 * em], Align::Start, &title, &look);
        let small = Type::new(1.08 * em).in_color(GRAY);
        let lines = small.lines(&self.subtitle, width - 2.0 * MARGIN);
        let subtitle = if lines.len() > 1 {
            format!("{}…", lines[0])
        } else {
            self.subtitle.clone()
        };
        canvas.text([MARGIN, MARGIN + 4.5 * em], Align::Start, &subtitle, &small);
    }

    fn map(&self, canvas: &mut dyn Canvas, em: f64) {
        let (view, mut taken) = (&self.view, Taken::default());
        canvas.clip(Some(view.frame));
        canvas.image(view.frame, &self.picture);
        let thin = Pen::new(
            Paint {
                rgb: [20, 20, 30],
                opacity: 35,
            },
            0.045 * em,
        );
        for (x, _) in view.eastings() {
            line(canvas, [x, view.frame.y], [x, view.frame.bottom()], &thin);
        }
        for (y, _) in view.northings() {
            line(canvas, [view.frame.x, y], [view.frame.right(), y], &thin);
        }
        let values = &self.source.map.heights;
        let mut labels = lines::between(
            canvas,
            (values, &self.classes, &self.source.unit()),
            view,
            em,
        );
        labels.extend(
            self.reaches
                .iter()
                .filter_map(|reach| reach.draw(canvas, view, em)),
        );
        self.overlays
            .iter()
            .for_each(|overlay| overlay.draw(canvas, view, em));
        labels
            .iter()
            .rev()
            .for_each(|label| label.write(canvas, view.frame, &mut taken));
        for (at, name) in self.overlays.iter().flat_map(|overlay| overlay.names(view)) {
            taken.name(canvas, (at, &name), view.frame, em);
        }
        if let Some(stamp) = self.stamp {
            self.watermark(canvas, stamp);
        }
        canvas.clip(None);
    }

    /// Draws the text `stamp` across the map at 9 % opacity, so that the map stays readable and
    /// cropped copies still show the text.
    fn watermark(&self, canvas: &mut dyn Canvas, stamp: &str) {
        let frame = self.view.frame;
        let turned = (frame.h / frame.w).atan();
        let faint = Type {
            turned: turned.to_degrees(),
            ..Type::new(1.0).bold()
        };
        let size = 0.62 * frame.w.hypot(frame.h) / faint.width(stamp).max(1.0);
        let look = Type {
            size: size.min(0.3 * frame.w.min(frame.h)),
            paint: Paint {
                opacity: 9,
                ..ALARM
            },
            ..faint
        };
        canvas.text(
            [frame.x + 0.5 * frame.w, frame.y + 0.5 * frame.h],
            Align::Middle,
            stamp,
            &look,
        );
    }

    /// Draws the map frame with ticks and coordinate labels; a label that would overlap another
    /// label is omitted. `em`: font size in millimetres.
    fn frame(&self, canvas: &mut dyn Canvas, em: f64) {
        let frame = self.view.frame;
        canvas.stroke(&frame.path(), &Pen::new(INK, 0.14 * em));
        let tick = Pen::new(INK, 0.08 * em);
        let look = Type::new(0.92 * em);
        let mut free = f64::NEG_INFINITY;
        for (x, label) in self.view.eastings() {
            line(
                canvas,
                [x, frame.bottom()],
                [x, frame.bottom() + TICK],
                &tick,
            );
            line(canvas, [x, frame.y - TICK], [x, frame.y], &tick);
            let half = 0.5 * look.width(&label);
            if x - half > free && x + half < frame.right() + em {
                canvas.text(
                    [x, frame.bottom() + TICK + 0.6 * em],
                    Align::Middle,
                    &label,
                    &look,
                );
                free = x + half + 0.5 * em;
            }
        }
        let turned = Type {
            turned: 90.0,
            ..look
        };
        let mut free = f64::INFINITY;
        for (y, label) in self.view.northings() {
            line(canvas, [frame.x - TICK, y], [frame.x, y], &tick);
            line(canvas, [frame.right(), y], [frame.right() + TICK, y], &tick);
            let half = 0.5 * look.width(&label);
            // Northings rise while y on the paper falls, so labels are placed from the bottom up.
            if y + half < free && y - half > frame.y - em {
                canvas.text(
                    [frame.x - TICK - 0.6 * em, y],
                    Align::Middle,
                    &label,
                    &turned,
                );
                free = y - half - 0.5 * em;
            }
        }
    }

    fn legend(&self) -> Legend<'_> {
        let (wide, deep) = self.source.map.cell_size_m;
        Legend {
            title: "Legend",
            classes: &self.classes,
            cell_m2: wide * deep,
            reaches: self.reaches,
            overlays: self.overlays,
        }
    }

    /// Returns the height of a figure in millimetres: the height of the map or of the legend,
    /// whichever is greater, plus the margins.
    pub(super) fn figure_height(&self, layout: Layout) -> f64 {
        let legend = layout.blocks(&self.view).y
            + self.legend().height(layout.em)
            + panel::scale_height(layout.em);
        legend.max(self.view.frame.bottom() + layout.numbers()) + MARGIN
    }

    /// Returns the height that the panel below the map needs, in millimetres.
    pub(super) fn height_below(&self, layout: Layout) -> f64 {
        let em = layout.em;
        let columns = self.columns(layout);
        let legend = self.legend().height(em) + 0.5 * em + panel::scale_height(em);
        let notes = columns
            .last()
            .map_or(0.0, |column| panel::notes_height(&self.notes, column.w, em));
        // A long table is cut at 20 % of the paper height, so that the map keeps its room.
        let table = self.table.map_or(0.0, |table| {
            panel::table_height(table, em).min(0.2 * layout.size[1])
        });
        legend.max(notes).max(table)
    }

    fn columns(&self, layout: Layout) -> Vec<Rect> {
        let (room, gap) = (layout.blocks(&self.view), 2.2 * layout.em);
        let shares: &[f64] = if self.table.is_some() {
            &[0.3, 0.33, 0.37]
        } else {
            &[0.36, 0.64]
        };
        let wide = room.w - gap * (shares.len() - 1) as f64;
        let mut x = room.x;
        let column = |share: &f64| {
            let column = Rect::new(x, room.y, share * wide, room.h);
            x = column.right() + gap;
            column
        };
        shares.iter().map(column).collect()
    }

    /// Draws the panel below the map: legend and scale bar, exposure table, and notes, next to each
    /// other in columns.
    fn below(&self, canvas: &mut dyn Canvas, layout: Layout) {
        let em = layout.em;
        let columns = self.columns(layout);
        let (first, last) = (columns[0], columns[columns.len() - 1]);
        let took = self.legend().draw(canvas, first, em);
        let below = Rect::new(
            first.x,
            first.y + took + 0.5 * em,
            first.w,
            panel::scale_height(em),
        );
        panel::scale(canvas, below, &self.view, em);
        if let Some(table) = self.table {
            panel::table(canvas, columns[1], table, em);
        }
        panel::notes(canvas, last, &self.notes, em);
    }

    /// Draws the legend and the scale bar of a figure in a report.
    fn key(&self, canvas: &mut dyn Canvas, layout: Layout) {
        let (em, room) = (layout.em, layout.blocks(&self.view));
        let took = self.legend().draw(canvas, room, em) + 0.4 * em;
        panel::scale(
            canvas,
            Rect::new(room.x, room.y + took, room.w, panel::scale_height(em)),
            &self.view,
            em,
        );
    }

    /// Draws the panel to the right of the map: legend, scale bar, exposure table and notes, one
    /// below the other. In a wide panel, the notes are in a second column.
    fn draw_side_blocks(&self, canvas: &mut dyn Canvas, layout: Layout) {
        let (em, all) = (layout.em, layout.blocks(&self.view));
        let gap = 1.2 * em;
        // A narrow map leaves enough width for two columns.
        let is_wide = all.w > TWO * em;
        let wide = if is_wide {
            0.5 * (all.w - 2.2 * em)
        } else {
            all.w
        };
        let room = Rect::new(all.x, all.y, wide, all.h);
        let mut y = room.y;
        y += self.legend().draw(canvas, room, em) + 0.4 * em;
        panel::scale(
            canvas,
            Rect::new(room.x, y, room.w, panel::scale_height(em)),
            &self.view,
            em,
        );
        y += panel::scale_height(em) + 0.4 * em;
        if let Some(table) = self.table {
            let left = room.bottom() - y;
            let wanted = if is_wide {
                0.0
            } else {
                gap + panel::notes_height(&self.notes, room.w, em)
            };
            let high = (left - wanted)
                .max(0.34 * left)
                .min(panel::table_height(table, em));
            panel::table(canvas, Rect::new(room.x, y, room.w, high), table, em);
            y += high + gap;
        }
        let notes = if is_wide {
            Rect::new(room.right() + 2.2 * em, all.y, wide, all.h)
        } else {
            Rect::new(room.x, y, room.w, room.bottom() - y)
        };
        panel::notes(canvas, notes, &self.notes, em);
    }

    fn foot(&self, canvas: &mut dyn Canvas, layout: Layout) {
        let (em, [width, height]) = (layout.em, layout.size);
        let y = height - MARGIN - 0.5 * em;
        let rule = y - 1.1 * em;
        line(
            canvas,
            [MARGIN, rule],
            [width - MARGIN, rule],
            &Pen::new(INK, 0.06 * em),
        );
        let look = Type::new(0.92 * em).in_color(GRAY);
        let by = [self.author.map(str::to_owned), self.date.clone()];
        let by: Vec<String> = by.into_iter().flatten().collect();
        let left = look.shortened(&by.join(", "), 0.6 * width);
        canvas.text([MARGIN, y], Align::Start, &left, &look);
        canvas.text([width - MARGIN, y], Align::End, Provenance::SOFTWARE, &look);
    }
}
