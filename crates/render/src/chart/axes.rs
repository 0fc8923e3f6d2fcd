//! Axes around a picture of a slice: cell indices on one side, metres or map coordinates on the
//! opposite side.

use crate::chart::legend::{Frame, stroke};
use crate::chart::text::{Align, Ink};
use crate::chart::ticks::{Ticks, number};
use crate::image::Image;

/// Linear scale along an axis of the simulation box: converts a position in cells to the number
/// written at the axis, such as metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruler {
    /// Name of the measure, such as `elevation`.
    pub name: String,
    /// Unit of the measure, such as `m`.
    pub unit: String,
    /// Note after the unit, such as `drawn × 2`; empty for none.
    pub note: String,
    /// Value at the lower face of cell 0, in `unit`.
    pub start: f64,
    /// Increase of the value per cell, in `unit`; negative for descending values.
    pub per_cell: f64,
}

/// Length of a tick mark, in ems.
const TICK: f32 = 0.3;
/// Gap between tick mark and number, and between number and title, in ems.
const GAP: f32 = 0.25;
/// Height of a line of text of an axis, in ems.
const LINE: f32 = 1.05;

/// Side of the frame (the border rectangle of the drawn slice) along which an axis is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Bottom,
    Left,
    Top,
    Right,
}

/// Axis with tick marks, numbers and title along one side of the frame around a slice.
pub(crate) struct Axis<'a> {
    pub(crate) side: Side,
    pub(crate) ruler: &'a Ruler,
    /// Positions of the axis's two ends in cells: left and right end of a horizontal axis, lower
    /// and upper end of a vertical one.
    pub(crate) cells: (f64, f64),
    /// Minimum difference between consecutive tick values, in the unit of `ruler`.
    pub(crate) least: f64,
    pub(crate) ink: Ink,
    /// Set if the title is written along the axis, farther from the frame than the numbers.
    pub(crate) titled: bool,
}

impl Ruler {
    /// Returns a ruler for the measure `name` in `unit`: `start` is the value at the lower face of
    /// cell 0, `per_cell` the increase per cell.
    pub fn new(name: &str, unit: &str, start: f64, per_cell: f64) -> Self {
        Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            note: String::new(),
            start,
            per_cell,
        }
    }

    /// Returns a ruler in cells along the axis `x`, `y` or `z`.
    pub fn of_cells(axis: char) -> Self {
        Self::new(&axis.to_string(), "cells", 0.0, 1.0)
    }

    /// Returns the value at `cells` cells from the lower face of cell 0, in the ruler's unit.
    pub fn at(&self, cells: f64) -> f64 {
        self.start + cells * self.per_cell
    }

    /// Returns the value at the centre of the cell with the index `cell` as text with name and
    /// unit, such as `elevation 735 m`.
    pub fn middle_of(&self, cell: usize) -> String {
        // Digits for a twentieth of a cell: enough to tell neighbouring cells apart.
        let value = number(self.at(cell as f64 + 0.5), 0.05 * self.per_cell);
        let gap = if self.unit == "°" { "" } else { " " };
        format!("{} {value}{gap}{}", self.name, self.unit)
    }

    /// Returns the title of an axis: name, unit in brackets, and note.
    pub fn title(&self) -> String {
        let note = if self.note.is_empty() {
            String::new()
        } else {
            format!(", {}", self.note)
        };
        format!("{} [{}]{note}", self.name, self.unit)
    }
}

impl Side {
    pub(crate) fn is_upright(self) -> bool {
        matches!(self, Self::Left | Self::Right)
    }
}

impl Axis<'_> {
    /// Returns the tick values of the axis if the axis is `pixels` long: round numbers whose labels
    /// do not overlap.
    fn ticks(&self, pixels: f32) -> Ticks {
        let (a, b) = (self.ruler.at(self.cells.0), self.ruler.at(self.cells.1));
        let em = self.ink.size;
        let room = |label: &str| {
            if self.side.is_upright() {
                1.6 * em
            } else {
                self.ink.width(label) + 0.9 * em
            }
        };
        Ticks::fitting((a.min(b), a.max(b)), self.least, pixels, room)
    }

    /// Returns the space in pixels that tick marks, numbers and title take outside of the frame, if
    /// the axis is `pixels` long.
    pub(crate) fn depth(&self, pixels: f32) -> f32 {
        let across = match self.side.is_upright() {
            true => self
                .ticks(pixels)
                .labels()
                .map(|label| self.ink.width(&label))
                .fold(0.0, f32::max),
            false => LINE * self.ink.size,
        };
        let title = if self.titled { GAP + LINE } else { 0.0 };
        across + (TICK + GAP + title) * self.ink.size
    }

    /// Returns the length of the axis in pixels: the width of `frame` for the bottom and top sides,
    /// its height for the left and right sides.
    fn pixels(&self, frame: Frame) -> f32 {
        let pixels = if self.side.is_upright() {
            frame.height
        } else {
            frame.width
        };
        pixels as f32
    }

    /// Draws the axis along its side of `frame`, moved outwards by `out` pixels.
    pub(crate) fn draw(&self, image: &mut Image, frame: Frame, out: f32) {
        let pixels = self.pixels(frame);
        let ticks = self.ticks(pixels);
        let em = self.ink.size;
        for (value, label) in ticks.values.iter().zip(ticks.labels()) {
            let along = self.place(*value) as f32 * pixels;
            self.tick(image, frame, (along, out));
            let text = self.spot(frame, along, out + (TICK + GAP) * em);
            match self.side {
                Side::Bottom | Side::Top => {
                    let (x, y) = (
                        self.inside(image, text.0, &label),
                        text.1 + self.away() * 0.5 * em,
                    );
                    self.ink.draw(image, (x, y), Align::Middle, &label);
                }
                Side::Left => self.ink.draw(image, text, Align::End, &label),
                Side::Right => self.ink.draw(image, text, Align::Start, &label),
            }
        }
        if self.titled {
            let middle = self.spot(
                frame,
                0.5 * pixels,
                out + self.depth(pixels) - 0.5 * LINE * em,
            );
            if self.side.is_upright() {
                // The title of an upright axis may be longer than a flat frame. It then extends
                // downwards only, because the heading is above.
                let (upper, lower) = (frame.y as f32 - 2.0 * em, image.height as f32 - 0.3 * em);
                let title = self.ink.shortened(&self.ruler.title(), lower - upper);
                let reach = 0.5 * self.ink.width(&title);
                let y = middle.1.max(upper + reach).min(lower - reach);
                self.ink
                    .draw_upward(image, (middle.0, y), Align::Middle, &title);
            } else {
                let title = self.ink.shortened(&self.ruler.title(), image.width as f32);
                let x = self.inside(image, middle.0, &title);
                self.ink.draw(image, (x, middle.1), Align::Middle, &title);
            }
        }
    }

    /// Returns the relative position of `value` (unit of the ruler) along the axis: 0 at the left
    /// or lower end, 1 at the right or upper end.
    fn place(&self, value: f64) -> f64 {
        let (a, b) = (self.ruler.at(self.cells.0), self.ruler.at(self.cells.1));
        (value - a) / (b - a)
    }

    /// Returns the x coordinate of the centre of `text`, in pixels: `x`, or the nearest position at
    /// which the whole text lies inside the picture.
    fn inside(&self, image: &Image, x: f32, text: &str) -> f32 {
        let reach = 0.5 * self.ink.width(text) + 0.15 * self.ink.size;
        x.min(image.width as f32 - reach).max(reach)
    }

    /// Returns the sign of the outward direction in picture coordinates (x right, y down): 1 at the
    /// bottom and right sides of the frame, −1 at the top and left sides.
    fn away(&self) -> f32 {
        if matches!(self.side, Side::Bottom | Side::Right) {
            1.0
        } else {
            -1.0
        }
    }

    /// Returns the picture position (x, y) of the point that lies `along` pixels from the start of
    /// the axis and `out` pixels outside of `frame`.
    fn spot(&self, frame: Frame, along: f32, out: f32) -> (f32, f32) {
        let (left, top) = (frame.x as f32, frame.y as f32);
        let (right, foot) = (left + frame.width as f32, top + frame.height as f32);
        match self.side {
            Side::Bottom => (left + along, foot + out),
            Side::Top => (left + along, top - out),
            Side::Left => (left - out, foot - along),
            Side::Right => (right + out, foot - along),
        }
    }

    fn tick(&self, image: &mut Image, frame: Frame, (along, out): (f32, f32)) {
        let thick = stroke(self.ink);
        let long = (TICK * self.ink.size).round().max(2.0);
        let pixels = self.pixels(frame);
        let along = along.clamp(0.5 * thick as f32, pixels - 0.5 * thick as f32);
        let (near, far) = (
            self.spot(frame, along, out),
            self.spot(frame, along, out + long),
        );
        let (x, y) = (near.0.min(far.0), near.1.min(far.1));
        let (corner, size) = match self.side.is_upright() {
            true => ((x, y - 0.5 * thick as f32), (long as usize, thick)),
            false => ((x - 0.5 * thick as f32, y), (thick, long as usize)),
        };
        // The offset of a quarter pixel rounds halves the same way for all ticks, whatever rounding
        // errors precede.
        let pixel = |at: f32| (at + 0.25).floor().max(0.0) as usize;
        image.fill((pixel(corner.0), pixel(corner.1)), size, self.ink.color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_cell_has_as_many_digits_as_it_needs() {
        let elevation = Ruler::new("elevation", "m", 94.0, 3.0);
        assert_eq!(elevation.middle_of(4), "elevation 107.5 m");
        assert_eq!(
            Ruler::new("easting", "m", 2_667_400.0, 10.0).middle_of(62),
            "easting 2668025 m"
        );
        assert_eq!(
            Ruler::new("latitude", "°", 46.25, -0.001).middle_of(10),
            "latitude 46.2395°"
        );
    }

    #[test]
    fn titles_name_the_unit() {
        let elevation = Ruler {
            note: "drawn × 2".into(),
            ..Ruler::new("elevation", "m", 0.0, 5.0)
        };
        assert_eq!(
            [elevation.title(), Ruler::of_cells('x').title()],
            ["elevation [m], drawn × 2", "x [cells]"]
        );
    }

    /// Returns the pixel rows in which tick marks of a left axis with `ruler` and the ends `cells`
    /// touch the frame.
    fn ticked(ruler: &Ruler, cells: (f64, f64)) -> Vec<usize> {
        let mut image = Image::filled(200, 240, [0; 3]);
        let ink = Ink {
            color: [255; 3],
            size: 12.0,
        };
        let frame = Frame {
            x: 100,
            y: 20,
            width: 60,
            height: 200,
        };
        let axis = Axis {
            side: Side::Left,
            ruler,
            cells,
            least: 0.0,
            ink,
            titled: true,
        };
        axis.draw(&mut image, frame, 0.0);
        (0..240)
            .filter(|y| image.pixel(99, *y) == [255; 3])
            .collect()
    }

    #[test]
    fn ticks_are_where_their_values_are() {
        // Elevations of 100 to 200 m on 200 pixels: a tick every 10 m, which are 20 pixels.
        let rising = ticked(&Ruler::new("elevation", "m", 80.0, 10.0), (2.0, 12.0));
        assert_eq!(
            (rising.len(), rising[0], rising[rising.len() - 1]),
            (11, 20, 219),
            "{rising:?}"
        );
        assert!(
            rising
                .windows(2)
                .all(|pair| (pair[1] - pair[0]).abs_diff(20) <= 1),
            "{rising:?}"
        );
        // Cells that count downwards, as z on a map: 0 is at the top.
        let falling = ticked(&Ruler::of_cells('z'), (10.0, 0.0));
        assert_eq!(falling, rising);
    }
}
