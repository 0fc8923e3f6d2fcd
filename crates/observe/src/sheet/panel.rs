//! Blocks in the panel of a sheet: legend, scale bar, north arrow, exposure table, notes.
//!
//! Each block draws from the top of its rectangle `room` and returns the height that it used, in
//! millimetres.

use super::canvas::{
    ALARM, Align, Canvas, GRAY, INK, PALE, Paint, Pen, Point, Rect, Type, WHITE, line,
};
use super::classes::Classes;
use super::lines::Reach;
use super::notes::Note;
use super::overlay::{Overlay, symbol};
use super::table::{Table, words};
use super::view::View;
use lavoxel_base::round::{number, round_down};
use lavoxel_base::words as numbers;

/// Distance between the baselines of neighbouring text lines, as a multiple of the font size.
const LINE: f64 = 1.42;

/// Draws the heading `text` of a block with a horizontal rule below; returns the height of both in
/// millimetres. `em`: font size in millimetres.
pub(super) fn heading(canvas: &mut dyn Canvas, room: Rect, em: f64, text: &str) -> f64 {
    let look = Type::new(1.12 * em).bold();
    let text = look.shortened(text, room.w);
    canvas.text([room.x, room.y + 0.6 * em], Align::Start, &text, &look);
    let under = room.y + 1.45 * em;
    line(
        canvas,
        [room.x, under],
        [room.right(), under],
        &Pen::new(INK, 0.06 * em),
    );
    2.1 * em
}

/// Legend of a map: classes with their areas, isochrones and overlays.
pub(super) struct Legend<'a> {
    pub(super) title: &'a str,
    pub(super) classes: &'a Classes,
    pub(super) cell_m2: f64,
    pub(super) reaches: &'a [Reach],
    pub(super) overlays: &'a [Overlay],
}

impl Legend<'_> {
    /// Returns the height of the legend in millimetres; `em`: font size in millimetres.
    pub(super) fn height(&self, em: f64) -> f64 {
        let lines = self.classes.list.len().max(1) + self.reaches.len() + self.overlays.len();
        (2.1 + 1.6 * lines as f64 + 0.5) * em
    }

    pub(super) fn draw(&self, canvas: &mut dyn Canvas, room: Rect, em: f64) -> f64 {
        let mut y = room.y + heading(canvas, room, em, self.title);
        // `step` must match the 1.6 em per line of `height`, by which the layout reserves the room.
        let look = Type::new(em);
        let (wide, high, step) = (2.6 * em, 1.25 * em, 1.6 * em);
        let text_x = room.x + wide + 0.7 * em;
        if self.classes.list.is_empty() {
            canvas.text(
                [room.x, y + 0.5 * high],
                Align::Start,
                "nothing is shown",
                &look,
            );
            y += step;
        }
        for class in &self.classes.list {
            let key = Rect::new(room.x, y, wide, high);
            canvas.fill(&key.path(), Paint::full(class.rgb));
            canvas.stroke(&key.path(), &Pen::new(INK, 0.05 * em));
            let middle = y + 0.5 * high;
            canvas.text([text_x, middle], Align::Start, &class.label, &look);
            let area = numbers::area(class.cells as f64 * self.cell_m2);
            let area = if class.cells == 0 {
                "–".to_owned()
            } else {
                area
            };
            canvas.text(
                [room.right(), middle],
                Align::End,
                &area,
                &look.in_color(GRAY),
            );
            y += step;
        }
        for reach in self.reaches {
            let middle = y + 0.5 * high;
            line(
                canvas,
                [room.x, middle],
                [room.x + wide, middle],
                &reach.pen(em),
            );
            let text = look.shortened(&reach.words(), room.right() - text_x);
            canvas.text([text_x, middle], Align::Start, &text, &look);
            y += step;
        }
        for overlay in self.overlays {
            let middle = [room.x + 0.5 * wide, y + 0.5 * high];
            match overlay.kind() {
                "point" => symbol(canvas, middle, em, overlay.rgb),
                "line" => {
                    let pen = Pen::new(Paint::full(overlay.rgb), 0.19 * em);
                    line(
                        canvas,
                        [room.x, middle[1]],
                        [room.x + wide, middle[1]],
                        &pen,
                    );
                }
                _ => {
                    let key = Rect::new(room.x, y, wide, high).path();
                    canvas.fill(
                        &key,
                        Paint {
                            opacity: 18,
                            rgb: overlay.rgb,
                        },
                    );
                    canvas.stroke(&key, &Pen::new(Paint::full(overlay.rgb), 0.13 * em));
                }
            }
            let text = look.shortened(&overlay.name, room.right() - text_x);
            canvas.text([text_x, middle[1]], Align::Start, &text, &look);
            y += step;
        }
        y + 0.5 * em - room.y
    }
}

/// Returns the length of the scale bar in metres on the ground: the largest round number whose bar
/// fits into `room_mm` millimetres on the paper.
pub(super) fn bar_m(view: &View, room_mm: f64) -> f64 {
    round_down(room_mm * view.scale / 1000.0)
}

/// Number of alternating black and white segments of a scale bar.
const PIECES: usize = 4;

/// Returns the height of the block with scale bar and north arrow, in millimetres; `em`: font size
/// in millimetres.
pub(super) fn scale_height(em: f64) -> f64 {
    6.6 * em
}

/// Draws the scale of the map as text, the scale bar and the north arrow. `em`: font size in
/// millimetres.
pub(super) fn scale(canvas: &mut dyn Canvas, room: Rect, view: &View, em: f64) {
    let look = Type::new(em);
    let text = format!("Scale 1 : {}", numbers::grouped(view.scale.round() as u64));
    canvas.text(
        [room.x, room.y + 0.8 * em],
        Align::Start,
        &text,
        &Type::new(1.12 * em).bold(),
    );
    north(canvas, [room.right() - 1.6 * em, room.y + 0.2 * em], em);
    let metres = bar_m(view, room.w - 7.0 * em);
    let (x, y, high) = (room.x + 0.4 * em, room.y + 2.6 * em, 0.55 * em);
    let piece = view.mm(metres) / PIECES as f64;
    let whole = Rect::new(x, y, view.mm(metres), high);
    canvas.fill(&whole.path(), WHITE);
    for i in (0..PIECES).step_by(2) {
        canvas.fill(&Rect::new(x + i as f64 * piece, y, piece, high).path(), INK);
    }
    canvas.stroke(&whole.path(), &Pen::new(INK, 0.05 * em));
    let (unit_m, unit) = if metres >= 2000.0 {
        (1000.0, "km")
    } else {
        (1.0, "m")
    };
    for (share, with_unit) in [(0.0, false), (0.5, false), (1.0, true)] {
        let value = number(share * metres / unit_m, 0.5 * metres / unit_m);
        let value = if with_unit {
            format!("{value} {unit}")
        } else {
            value
        };
        let at = [x + share * view.mm(metres), y + high + 0.95 * em];
        // The unit is appended to the last number, which must stay centred at the end of the bar:
        // shift left and align at the start.
        let (at, align) = if with_unit {
            ([at[0] - 0.5 * em, at[1]], Align::Start)
        } else {
            (at, Align::Middle)
        };
        canvas.text(at, align, &value, &look);
    }
}

/// Draws an arrow towards grid north at the point `[x, y]`; `em`: font size in millimetres.
fn north(canvas: &mut dyn Canvas, [x, y]: Point, em: f64) {
    let (half, high) = (0.85 * em, 3.0 * em);
    canvas.text(
        [x, y + 0.4 * em],
        Align::Middle,
        "N",
        &Type::new(1.1 * em).bold(),
    );
    let (top, base) = (y + 1.2 * em, y + 1.2 * em + high);
    let notch = base - 0.7 * em;
    canvas.fill(
        &[vec![[x, top], [x - half, base], [x, notch], [x, top]]],
        INK,
    );
    let outline = vec![
        [x, top],
        [x - half, base],
        [x, notch],
        [x + half, base],
        [x, top],
    ];
    canvas.stroke(&[outline], &Pen::new(INK, 0.07 * em));
}

/// Returns the height in millimetres that all rows of the table need; `em`: font size in
/// millimetres.
pub(super) fn table_height(table: &Table, em: f64) -> f64 {
    let rows = table.reached.len().max(1) + usize::from(table.others > 0);
    (2.1 + LINE * (1 + rows) as f64 + 0.5) * em
}

/// Draws the heading and those rows of the table that fit into `room`; `em`: font size in
/// millimetres.
pub(super) fn table(canvas: &mut dyn Canvas, room: Rect, table: &Table, em: f64) {
    let mut y = room.y + heading(canvas, room, em, "Exposure");
    let (look, small) = (Type::new(em), Type::new(0.92 * em).in_color(GRAY));
    let (names, rows) = words(table);
    let fit = ((room.bottom() - y) / (LINE * em)).floor().max(2.0) as usize - 1;
    let with_last = usize::from(table.others > 0);
    let shown = if rows.len() + with_last > fit {
        fit.saturating_sub(1)
    } else {
        rows.len()
    };
    // Right-aligned numbers: columns are laid out from the right by their widest entry.
    let mut right = room.right();
    let mut ends = vec![room.x; names.len()];
    for column in (1..names.len()).rev() {
        ends[column] = right;
        let widest = rows
            .iter()
            .take(shown)
            .map(|row| look.width(&row[column]))
            .fold(small.width(names[column]), f64::max);
        right -= widest + 0.9 * em;
    }
    let put = |canvas: &mut dyn Canvas, y: f64, fields: &[String], look: &Type| {
        for (column, field) in fields.iter().enumerate() {
            match column {
                0 => canvas.text(
                    [room.x, y],
                    Align::Start,
                    &look.shortened(field, right - room.x),
                    look,
                ),
                _ => canvas.text([ends[column], y], Align::End, field, look),
            }
        }
    };
    let heading: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    put(canvas, y + 0.5 * em, &heading, &small);
    y += LINE * em;
    if rows.is_empty() {
        canvas.text(
            [room.x, y + 0.5 * em],
            Align::Start,
            "none of them is reached",
            &look,
        );
        y += LINE * em;
    }
    for (i, row) in rows.iter().take(shown).enumerate() {
        if i > 0 {
            let above = y - 0.2 * em;
            line(
                canvas,
                [room.x, above],
                [room.right(), above],
                &Pen::new(PALE, 0.03 * em),
            );
        }
        put(canvas, y + 0.5 * em, row, &look);
        y += LINE * em;
    }
    let mut last = Vec::new();
    if rows.len() > shown {
        last.push(format!("… {} more", rows.len() - shown));
    }
    if table.others > 0 {
        last.push(format!("{} not reached", table.others));
    }
    if !last.is_empty() {
        canvas.text(
            [room.x, y + 0.5 * em],
            Align::Start,
            &last.join("; "),
            &small,
        );
    }
}

/// Wraps a note to lines of at most `width` millimetres; the first line begins with the heading of
/// the note. `em`: font size in millimetres.
fn note_lines(note: &Note, width: f64, em: f64) -> Vec<String> {
    Type::new(em).lines(&format!("{}: {}", note.heading, note.text), width)
}

/// Returns the height in millimetres that all notes need in a column of `width` millimetres; `em`:
/// font size in millimetres.
pub(super) fn notes_height(notes: &[Note], width: f64, em: f64) -> f64 {
    let lines: usize = notes
        .iter()
        .map(|note| note_lines(note, width, em).len())
        .sum();
    (2.1 + 1.3 * lines as f64 + 0.35 * notes.len() as f64 + 0.3) * em
}

/// Draws those lines of the notes that fit into `room`; an ellipsis marks omitted text. `em`: font
/// size in millimetres.
pub(super) fn notes(canvas: &mut dyn Canvas, room: Rect, notes: &[Note], em: f64) {
    let mut y = room.y + heading(canvas, room, em, "Notes");
    for note in notes {
        let look = if note.is_warning {
            Type::new(em).in_color(ALARM)
        } else {
            Type::new(em)
        };
        for text in note_lines(note, room.w, em) {
            if y + 1.3 * em > room.bottom() + 0.01 {
                canvas.text(
                    [room.right(), y - 0.8 * em],
                    Align::End,
                    " …",
                    &Type {
                        halo: 0.2 * em,
                        ..look
                    },
                );
                return;
            }
            canvas.text([room.x, y + 0.5 * em], Align::Start, &text, &look);
            y += 1.3 * em;
        }
        y += 0.35 * em;
    }
}

#[cfg(test)]
mod tests {
    use super::super::raster::{INCH, Raster};
    use super::*;

    #[test]
    fn the_scale_bar_is_as_long_as_it_says() {
        for scale in [500.0, 6000.0, 25_000.0, 1_250_000.0] {
            let view = View::of_scale(scale);
            let room = Rect::new(5.0, 5.0, 60.0, 20.0);
            let metres = bar_m(&view, room.w - 7.0 * 2.5);
            let mut sheet = Raster::new([80.0, 30.0], 300.0).expect("it has pixels");
            super::scale(&mut sheet, room, &view, 2.5);
            let image = sheet.image();
            // Pixel row through the middle of the scale bar.
            let row = ((room.y + 2.6 * 2.5 + 0.275 * 2.5) * 300.0 / INCH) as usize;
            let inked: Vec<usize> = (0..600).filter(|x| image.pixel(*x, row)[0] < 90).collect();
            let pixels = (inked[inked.len() - 1] - inked[0] + 1) as f64;
            let expected = 1000.0 * metres / scale * 300.0 / INCH;
            assert!(
                (pixels - expected).abs() < 3.0,
                "1:{scale}: {pixels} pixels for {metres} m, {expected} expected"
            );
        }
    }
}
